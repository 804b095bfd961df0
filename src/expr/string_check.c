/** Texts checked and made safe: quote, luhn_check, UTF-8. */
#include "expr/families.h"
#include "expr/rowwise.h"
#include "types/utf8.h"

#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

/* A quoted text: only the quote is escaped. */
static enum arus_status quote(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);

    arus_buffer_reset(&row->buffer);
    ARUS_TRY(arus_buffer_append_char(&row->buffer, '\'', err));
    for (size_t k = 0; k < text.size; k++) {
        if (text.data[k] == '\'') {
            ARUS_TRY(arus_buffer_append_char(&row->buffer, '\\', err));
        }
        ARUS_TRY(arus_buffer_append_char(&row->buffer, text.data[k], err));
    }
    ARUS_TRY(arus_buffer_append_char(&row->buffer, '\'', err));
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}
ARUS_ROWWISE(quote)

/* Every second digit from the right doubled; the digit sums add up to tens. */
static enum arus_status luhn(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);
    uint64_t sum = 0;

    (void)err;
    for (size_t k = text.size; k > 0; k--) {
        int digit = text.data[k - 1] - '0';

        if (digit < 0 || digit > 9) {
            return ARUS_OK;
        }
        if ((text.size - k) % 2 == 1) {
            digit = digit > 4 ? 2 * digit - 9 : 2 * digit;
        }
        sum += (uint64_t)digit;
    }
    arus_row_boolean(row, i, text.size > 0 && sum % 10 == 0);
    return ARUS_OK;
}
ARUS_ROWWISE(luhn)

static enum arus_status fail_utf8(struct arus_text text, struct arus_error *err)
{
    char shown[64];
    size_t size = 0;

    for (size_t k = 0; k < text.size && size + 5 < sizeof shown; k++) {
        const unsigned char byte = (unsigned char)text.data[k];

        size += (size_t)snprintf(shown + size, sizeof shown - size, byte < 0x80 ? "%c" : "\\x%02X",
                                 byte);
    }
    shown[size] = '\0';
    return arus_fail(err, ARUS_BAD_DATA, "INVALID_UTF8_STRING", "bytes that are no UTF-8: %s",
                     shown);
}

static enum arus_status validate(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);

    if (!arus_utf8_is_valid(text)) {
        return row->call->expr->function->name[0] == 't' ? arus_row_null(row, i, err)
                                                         : fail_utf8(text, err);
    }
    arus_row_view(row, i, arus_row_arg_view(row, 0, i));
    return ARUS_OK;
}
ARUS_ROWWISE(validate)

/* Bytes that may follow `first` directly: of a well-formed character (Unicode, table 3-7). */
static size_t follow(unsigned char first, unsigned char *low, unsigned char *high)
{
    *low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    *high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    return first < 0x80                    ? 0
           : first >= 0xC2 && first < 0xE0 ? 1
           : first >= 0xE0 && first < 0xF0 ? 2
           : first >= 0xF0 && first < 0xF5 ? 3
                                           : SIZE_MAX;
}

/* Length of the character at `at`, or of the longest part of one that is to be replaced. */
static size_t character(struct arus_text text, size_t at, bool *is_whole)
{
    const unsigned char *bytes = (const unsigned char *)text.data;
    unsigned char low;
    unsigned char high;
    const size_t more = follow(bytes[at], &low, &high);
    size_t k = 1;

    *is_whole = false;
    if (more == SIZE_MAX) {
        return 1;
    }
    for (; k <= more && at + k < text.size && bytes[at + k] >= low && bytes[at + k] <= high; k++) {
        low = 0x80;
        high = 0xBF;
    }
    *is_whole = k == more + 1;
    return k;
}

static enum arus_status make_valid(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);

    arus_buffer_reset(&row->buffer);
    for (size_t at = 0; at < text.size;) {
        bool is_whole;
        const size_t size = character(text, at, &is_whole);

        ARUS_TRY(is_whole ? arus_buffer_append(&row->buffer, text.data + at, size, err)
                          : arus_buffer_append(&row->buffer, "\xEF\xBF\xBD", 3, err));
        at += size;
    }
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}
ARUS_ROWWISE(make_valid)

/* ---- what is always the same here ---- */

static enum arus_status bind_name(struct arus_bind *bind, struct arus_error *err)
{
    const char *name = bind->function->name;
    const struct passwd *user =
        strcmp(name, "current_user") == 0 ? getpwuid(geteuid()) : NULL; /* plans: one thread */
    const struct arus_text text = user != NULL ? arus_text_of(user->pw_name)
                                  : strcmp(name, "current_catalog") == 0
                                      ? ARUS_TEXT("spark_catalog")
                                      : ARUS_TEXT("default");
    const struct arus_view view = arus_view_of(text.data, text.size);

    return arus_literal_of(&ARUS_STRING, &view, bind->arena, &bind->replacement, err);
}

const struct arus_function ARUS_STRING_CHECKS[] = {
    ARUS_FUNCTION("quote", NULL, 0, 1, 1, "s", "s", kernel_quote, "quote(s) -> STRING",
                  "in single quotes, those inside escaped", "quote('a')", "'a'"),
    ARUS_FUNCTION("luhn_check", NULL, 0, 1, 1, "s", "o", kernel_luhn, "luhn_check(s) -> BOOLEAN",
                  "are the digits valid by Luhn's rule (card numbers)?",
                  "luhn_check('79927398713')", "true"),
    ARUS_FUNCTION("validate_utf8", NULL, ARUS_CAN_FAIL, 1, 1, "s", "s", kernel_validate,
                  "validate_utf8(s) -> STRING", "s, or an error if it is no UTF-8",
                  "validate_utf8('a')", "a"),
    {.name = "try_validate_utf8",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 1,
     .takes = "s",
     .gives = "s",
     .kernel = kernel_validate,
     .signature = "try_validate_utf8(s) -> STRING",
     .help = "s, or NULL if it is no UTF-8",
     .example = "try_validate_utf8(string(X'80'))",
     .result = "NULL"},
    ARUS_FUNCTION("make_valid_utf8", NULL, 0, 1, 1, "s", "s", kernel_make_valid,
                  "make_valid_utf8(s) -> STRING", "bytes that are no UTF-8 become U+FFFD",
                  "make_valid_utf8(string(X'6180'))", "a\xEF\xBF\xBD"),
    {.name = "current_user",
     .aliases = "user session_user",
     .bind = bind_name,
     .signature = "current_user() -> STRING",
     .help = "the user of the process",
     .example = "typeof(current_user())",
     .result = "string"},
    {.name = "current_catalog",
     .bind = bind_name,
     .signature = "current_catalog() -> STRING",
     .help = "always spark_catalog",
     .example = "current_catalog()",
     .result = "spark_catalog"},
    {.name = "current_schema",
     .aliases = "current_database",
     .bind = bind_name,
     .signature = "current_schema() -> STRING",
     .help = "always default",
     .example = "current_schema()",
     .result = "default"},
    {0},
};
