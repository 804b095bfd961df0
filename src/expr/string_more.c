/** Texts: characters by code, character sets, distances, masks, URLs. */
#include "expr/collection.h"
#include "expr/families.h"
#include "expr/string_bytes.h"
#include "types/utf8.h"

static enum arus_status ascii(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);
    size_t at = 0;

    (void)err;
    arus_row_int(row, i, text.size == 0 ? 0 : (int32_t)arus_utf8_next(text, &at));
    return ARUS_OK;
}
ARUS_ROWWISE(ascii)

/* n modulo 256 is a character of Latin-1; negative: none */
static enum arus_status chr(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const int64_t n = arus_row_arg_bigint(row, 0, i);
    char bytes[4];

    return arus_row_bytes(row, i, bytes, n < 0 ? 0 : arus_utf8_write((uint32_t)(n & 255), bytes),
                          err);
}
ARUS_ROWWISE(chr)

/* ---- distances ---- */

/* Code points of a text on the step arena. */
static enum arus_status code_points(const struct arus_rowwise *row, struct arus_text text,
                                    uint32_t **out, uint32_t *count, struct arus_error *err)
{
    ARUS_TRY(ARUS_NEW(row->call->step, uint32_t, text.size + 1, out, err));
    *count = 0;
    for (size_t at = 0; at < text.size;) {
        (*out)[(*count)++] = arus_utf8_next(text, &at);
    }
    return ARUS_OK;
}

static enum arus_status levenshtein(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const bool has_limit = row->call->expr->arg_count == 3;
    uint32_t *a;
    uint32_t *b;
    uint32_t *costs;
    uint32_t size_a;
    uint32_t size_b;

    ARUS_TRY(code_points(row, arus_row_arg_text(row, 0, i), &a, &size_a, err));
    ARUS_TRY(code_points(row, arus_row_arg_text(row, 1, i), &b, &size_b, err));
    ARUS_TRY(ARUS_NEW(row->call->step, uint32_t, size_b + 1, &costs, err));
    for (uint32_t k = 0; k <= size_b; k++) {
        costs[k] = k;
    }
    for (uint32_t j = 1; j <= size_a; j++) {
        uint32_t diagonal = costs[0];

        costs[0] = j;
        for (uint32_t k = 1; k <= size_b; k++) {
            const uint32_t change = diagonal + (a[j - 1] != b[k - 1]);
            const uint32_t shorter = costs[k] < costs[k - 1] ? costs[k] : costs[k - 1];

            diagonal = costs[k];
            costs[k] = change < shorter + 1 ? change : shorter + 1;
        }
    }
    arus_row_int(row, i, (int32_t)costs[size_b]);
    if (has_limit && (int64_t)costs[size_b] > arus_row_arg_int(row, 2, i)) {
        arus_row_int(row, i, -1);
    }
    return ARUS_OK;
}
ARUS_ROWWISE(levenshtein)

static enum arus_status soundex(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    static const char CODES[] = "01230127022455012623017202"; /* 7: H and W are skipped */
    const struct arus_view view = arus_row_arg_view(row, 0, i);
    char code[4] = {'0', '0', '0', '0'};
    size_t count = 1;
    char last;

    arus_row_view(row, i, view);
    if (view.size == 0) {
        return ARUS_OK;
    }
    code[0] = (char)(view.data[0] >= 'a' && view.data[0] <= 'z' ? view.data[0] - 32 : view.data[0]);
    if (code[0] < 'A' || code[0] > 'Z') {
        return ARUS_OK;
    }
    last = CODES[code[0] - 'A'];
    for (uint32_t at = 1; at < view.size && count < 4; at++) {
        const char c = (char)(view.data[at] >= 'a' && view.data[at] <= 'z' ? view.data[at] - 32
                                                                           : view.data[at]);
        char digit;

        if (c < 'A' || c > 'Z') {
            last = '0';
            continue;
        }
        digit = CODES[c - 'A'];
        if (digit == '7') {
            continue;
        }
        if (digit != '0' && digit != last) {
            code[count++] = digit;
        }
        last = digit;
    }
    return arus_row_bytes(row, i, code, 4, err);
}
ARUS_ROWWISE(soundex)

static enum arus_status find_in_set(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text wanted = arus_row_arg_text(row, 0, i);
    const struct arus_text list = arus_row_arg_text(row, 1, i);
    size_t begin = 0;

    (void)err;
    if (wanted.size > 0 && memchr(wanted.data, ',', wanted.size) != NULL) {
        return ARUS_OK;
    }
    for (int32_t n = 1; begin <= list.size; n++) {
        size_t end = arus_text_find(list, ARUS_TEXT(","), begin);

        end = end == ARUS_NOT_FOUND ? list.size : end;
        if (arus_text_equal((struct arus_text){list.data + begin, end - begin}, wanted)) {
            arus_row_int(row, i, n);
            return ARUS_OK;
        }
        begin = end + 1;
    }
    return ARUS_OK;
}
ARUS_ROWWISE(find_in_set)

/* ---- mask(s[, upper, lower, digit, other]); NULL keeps the character ---- */

static enum arus_status append_masked(struct arus_rowwise *row, uint32_t i, uint32_t arg,
                                      const char *preset, struct arus_text character,
                                      struct arus_error *err)
{
    const struct arus_vector *args = row->call->args;

    if (arg >= row->call->expr->arg_count) {
        return arus_buffer_append_text(&row->buffer,
                                       preset == NULL ? character : arus_text_of(preset), err);
    }
    return arus_buffer_append_text(
        &row->buffer,
        arus_vector_is_valid(&args[arg], i) ? arus_row_arg_text(row, arg, i) : character, err);
}

static enum arus_status mask(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    struct arus_text text;
    struct arus_buffer lower = {0};
    struct arus_buffer upper = {0};
    enum arus_status status = ARUS_OK;

    if (!arus_vector_is_valid(&row->call->args[0], i)) {
        return arus_row_null(row, i, err);
    }
    text = arus_row_arg_text(row, 0, i);
    arus_buffer_reset(&row->buffer);
    for (size_t at = 0; at < text.size && status == ARUS_OK;) {
        const size_t begin = at;
        const uint32_t c = arus_utf8_next(text, &at);
        const struct arus_text character = {text.data + begin, at - begin};

        arus_buffer_reset(&lower);
        arus_buffer_reset(&upper);
        status = arus_utf8_lower(character, &lower, err);
        if (status == ARUS_OK) {
            status = arus_utf8_upper(character, &upper, err);
        }
        if (status != ARUS_OK) {
            break;
        }
        if (c >= '0' && c <= '9') {
            status = append_masked(row, i, 3, "n", character, err);
        } else if (!arus_text_equal(arus_buffer_text(&lower), character)) {
            status = append_masked(row, i, 1, "X", character, err);
        } else if (!arus_text_equal(arus_buffer_text(&upper), character)) {
            status = append_masked(row, i, 2, "x", character, err);
        } else {
            status = append_masked(row, i, 4, NULL, character, err);
        }
    }
    arus_buffer_release(&lower);
    arus_buffer_release(&upper);
    return status == ARUS_OK ? arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err)
                             : status;
}
ARUS_ROWWISE(mask)

static enum arus_status bind_mask(struct arus_bind *bind, struct arus_error *err)
{
    bind->type = &ARUS_STRING;
    ARUS_TRY(arus_args_take(bind, "=s", err));
    for (uint32_t i = 1; i < bind->arg_count; i++) {
        struct arus_text sign;

        ARUS_TRY(arus_arg_text(bind, i, &sign, err));
        if (sign.data != NULL &&
            (sign.size == 0 || sign.size != arus_utf8_size((unsigned char)sign.data[0]))) {
            return arus_fail_at(err, bind->args[i]->place, "DATATYPE_MISMATCH.INPUT_SIZE_NOT_ONE",
                                "`%.*s` puts one character for each", ARUS_TEXT_ARGS(bind->name));
        }
    }
    return ARUS_OK;
}

/* ---- to_binary(s[, 'hex' | 'utf-8' | 'base64']) ---- */

static enum arus_status bind_to_binary(struct arus_bind *bind, struct arus_error *err)
{
    struct arus_text format = ARUS_TEXT("hex");

    ARUS_TRY(arus_arg_take(bind, 0, "s", err));
    if (bind->arg_count == 2) {
        ARUS_TRY(arus_arg_text(bind, 1, &format, err));
        if (format.data == NULL) {
            return arus_literal_null(&ARUS_BINARY, bind->arena, &bind->replacement, err);
        }
    }
    if (arus_text_equal_nocase(format, ARUS_TEXT("hex"))) {
        return arus_call_of(bind, "strict_unhex", bind->args, 1, &bind->replacement, err);
    }
    if (arus_text_equal_nocase(format, ARUS_TEXT("base64"))) {
        return arus_call_of(bind, "unbase64", bind->args, 1, &bind->replacement, err);
    }
    if (arus_text_equal_nocase(format, ARUS_TEXT("utf-8")) ||
        arus_text_equal_nocase(format, ARUS_TEXT("utf8"))) {
        return arus_cast_implicit(bind->args[0], &ARUS_BINARY, bind->is_ansi, bind->arena,
                                  &bind->replacement, err);
    }
    return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.INVALID_ARG_VALUE",
                        "the format is one of 'hex', 'utf-8', 'base64'");
}

/* What to_binary refuses is NULL, a format that there is not too. */
static enum arus_status bind_try_to_binary(struct arus_bind *bind, struct arus_error *err)
{
    struct arus_error refused;

    ARUS_TRY(arus_arg_take(bind, 0, "s", err));
    if (arus_try_call_of(bind, "to_binary", bind->args, bind->arg_count, &bind->replacement,
                         &refused) == ARUS_OK) {
        return ARUS_OK;
    }
    if (refused.status == ARUS_BAD_CONFIG &&
        strcmp(refused.condition, "DATATYPE_MISMATCH.INVALID_ARG_VALUE") == 0) {
        return arus_literal_null(&ARUS_BINARY, bind->arena, &bind->replacement, err);
    }
    *err = refused;
    return refused.status;
}

static enum arus_status strict_unhex(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);
    const size_t size = (text.size + 1) / 2;
    size_t at = 0;

    ARUS_TRY(arus_strings_need(&row->strings, size, err));
    for (size_t b = 0; b < size; b++) {
        const int high = b == 0 && text.size % 2 == 1 ? 0 : arus_hex_digit(text.data[at++]);
        const int low = arus_hex_digit(text.data[at++]);

        if (high < 0 || low < 0) {
            return arus_fail(err, ARUS_BAD_DATA, "CONVERSION_INVALID_INPUT",
                             "'%.*s' is no hexadecimal text", ARUS_TEXT_ARGS(text));
        }
        row->strings.at[b] = (char)(high << 4 | low);
    }
    arus_row_view(row, i, arus_strings_take(&row->strings, size));
    return ARUS_OK;
}
ARUS_ROWWISE(strict_unhex)

/* ---- raise_error, assert_true ---- */

static enum arus_status raise(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    return arus_vector_is_valid(&row->call->args[0], i)
               ? arus_fail(err, ARUS_BAD_DATA, "USER_RAISED_EXCEPTION", "%.*s",
                           ARUS_TEXT_ARGS(arus_row_arg_text(row, 0, i)))
               : arus_fail(err, ARUS_BAD_DATA, "USER_RAISED_EXCEPTION", "null");
}
ARUS_ROWWISE(raise)

/* if(condition, NULL, raise_error(message)) */
static enum arus_status bind_assert(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_view text = arus_view_of("the condition is not true!", 26);
    const struct arus_expr *message;
    const struct arus_expr *args[3] = {bind->args[0]};

    if (bind->arg_count == 2) {
        message = bind->args[1];
    } else {
        ARUS_TRY(arus_literal_of(&ARUS_STRING, &text, bind->arena, &message, err));
    }
    ARUS_TRY(arus_literal_null(&ARUS_VOID, bind->arena, &args[1], err));
    ARUS_TRY(arus_call_of(bind, "raise_error", &message, 1, &args[2], err));
    return arus_call_of(bind, "if", args, 3, &bind->replacement, err);
}

const struct arus_function ARUS_STRINGS_MORE[] = {
    ARUS_FUNCTION("ascii", NULL, 0, 1, 1, "s", "i", kernel_ascii, "ascii(s) -> INT",
                  "code point of the first character", "ascii('A')", "65"),
    ARUS_FUNCTION("chr", "char", 0, 1, 1, "l", "s", kernel_chr, "chr(n) -> STRING",
                  "the character of a code", "chr(65)", "A"),
    ARUS_FUNCTION("levenshtein", NULL, 0, 2, 3, "ssi", "i", kernel_levenshtein,
                  "levenshtein(a, b[, limit]) -> INT", "edits from a to b; -1 beyond the limit",
                  "levenshtein('kitten', 'sitting')", "3"),
    ARUS_FUNCTION("soundex", NULL, 0, 1, 1, "s", "s", kernel_soundex, "soundex(s) -> STRING",
                  "Soundex code", "soundex('Miller')", "M460"),
    ARUS_FUNCTION("find_in_set", NULL, 0, 2, 2, "s", "i", kernel_find_in_set,
                  "find_in_set(s, list) -> INT", "position in a comma-separated list, 0: none",
                  "find_in_set('b', 'a,b')", "2"),
    {.name = "mask",
     .text = "mask($1, $2=X;, $3=x;, $4=n;, $5=NULL;)",
     .arg_min = 1,
     .arg_max = 5,
     .bind = bind_mask,
     .kernel = kernel_mask,
     .signature = "mask(s[, upper, lower, digit, other]) -> STRING",
     .help = "characters replaced by their class",
     .example = "mask('Ab-1')",
     .result = "Xx-n"},
    {.name = "to_binary",
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_to_binary,
     .signature = "to_binary(s[, format]) -> BINARY",
     .help = "bytes of hex, utf-8 or base64",
     .example = "hex(to_binary('41', 'hex'))",
     .result = "41"},
    {.name = "try_to_binary",
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_try_to_binary,
     .signature = "try_to_binary(s[, format]) -> BINARY",
     .help = "as to_binary; NULL for bad text",
     .example = "try_to_binary('zz', 'hex')",
     .result = "NULL"},
    ARUS_FUNCTION("strict_unhex", NULL, ARUS_CAN_FAIL, 1, 1, "s", "x", kernel_strict_unhex, NULL,
                  NULL, NULL, NULL),
    {.name = "raise_error",
     .flags = ARUS_CAN_FAIL,
     .arg_min = 1,
     .arg_max = 1,
     .kernel = kernel_raise,
     .takes = "s",
     .gives = "v",
     .signature = "raise_error(message)",
     .help = "fails with the message",
     .example = "if(true, 1, raise_error('no'))",
     .result = "1"},
    {.name = "assert_true",
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_assert,
     .signature = "assert_true(condition[, message])",
     .help = "NULL, or fails when the condition is not true",
     .example = "assert_true(1 < 2)",
     .result = "NULL"},
    {0},
};
