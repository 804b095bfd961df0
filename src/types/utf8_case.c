/** Full case mapping: utf8proc's single characters, SpecialCasing's sequences, the final sigma. */
#include "types/utf8.h"
#include "types/utf8_special.h"

#include <utf8proc.h>

#define SIGMA       0x3A3
#define SIGMA_SMALL 0x3C3
#define SIGMA_FINAL 0x3C2
#define I_DOTTED    0x130
#define DOT_ABOVE   0x307

enum mapping { UPPER, LOWER, TITLE };

static const struct arus_special_case *find_special(uint32_t c, enum mapping mapping)
{
    const struct arus_special_case *row =
        mapping == UPPER ? ARUS_SPECIAL_UPPER : ARUS_SPECIAL_TITLE;

    if (mapping == LOWER || c < 0xDF || (c > 0x587 && c < 0x1E96) || c > 0xFB17) {
        return NULL;
    }
    while (row->from != 0 && row->from < c) {
        row++;
    }
    return row->from == c ? row : NULL;
}

static uint32_t map_one(uint32_t c, enum mapping mapping)
{
    switch (mapping) {
    case UPPER:
        return (uint32_t)utf8proc_toupper((int32_t)c);
    case LOWER:
        return (uint32_t)utf8proc_tolower((int32_t)c);
    case TITLE:
        return (uint32_t)utf8proc_totitle((int32_t)c);
    }
    return c;
}

static enum arus_status append(struct arus_buffer *out, uint32_t c, struct arus_error *err)
{
    char bytes[4];

    return arus_buffer_append(out, bytes, arus_utf8_write(c, bytes), err);
}

static bool is_cased(uint32_t c)
{
    switch ((int)utf8proc_category((int32_t)c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
        return true;
    default:
        return false;
    }
}

static bool is_case_ignorable(uint32_t c)
{
    switch ((int)utf8proc_category((int32_t)c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
        return true;
    default:
        return c == '\'' || c == '.' || c == ':' || c == 0xB7 || c == 0x2019 || c == 0x2018 ||
               c == 0x2024 || c == 0x2027;
    }
}

/* Position before which code point ends that begins in front of `at`; `at` > 0. */
static size_t step_back(struct arus_text text, size_t at)
{
    do {
        at--;
    } while (at > 0 && ((unsigned char)text.data[at] & 0xC0) == 0x80);
    return at;
}

static bool has_cased_before(struct arus_text text, size_t at)
{
    while (at > 0) {
        size_t read = at = step_back(text, at);
        const uint32_t c = arus_utf8_next(text, &read);

        if (!is_case_ignorable(c)) {
            return is_cased(c);
        }
    }
    return false;
}

static bool has_cased_after(struct arus_text text, size_t at)
{
    while (at < text.size) {
        const uint32_t c = arus_utf8_next(text, &at);

        if (!is_case_ignorable(c)) {
            return is_cased(c);
        }
    }
    return false;
}

/* Maps the code point at *at and moves on; bad bytes stay as they are. */
static enum arus_status map_next(struct arus_text text, size_t *at, enum mapping mapping,
                                 struct arus_buffer *out, struct arus_error *err)
{
    const size_t begin = *at;
    const uint32_t c = arus_utf8_next(text, at);
    const struct arus_special_case *special = find_special(c, mapping);

    if (c == 0xFFFD) {
        return arus_buffer_append(out, text.data + begin, *at - begin, err);
    }
    if (mapping == LOWER && c == SIGMA) {
        const bool is_final = has_cased_before(text, begin) && !has_cased_after(text, *at);

        return append(out, is_final ? SIGMA_FINAL : SIGMA_SMALL, err);
    }
    if (mapping == LOWER && c == I_DOTTED) {
        ARUS_TRY(append(out, 'i', err));
        return append(out, DOT_ABOVE, err);
    }
    if (special == NULL) {
        return append(out, map_one(c, mapping), err);
    }
    for (size_t i = 0; i < 3 && special->to[i] != 0; i++) {
        ARUS_TRY(append(out, special->to[i], err));
    }
    return ARUS_OK;
}

static char upper_ascii(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
}

static char lower_ascii(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

ARUS_KERNEL static void upper_bytes(const char *in, size_t size, char *out)
{
    for (size_t i = 0; i < size; i++) {
        out[i] = (char)(in[i] - (in[i] >= 'a' && in[i] <= 'z' ? 32 : 0));
    }
}

ARUS_KERNEL static void lower_bytes(const char *in, size_t size, char *out)
{
    for (size_t i = 0; i < size; i++) {
        out[i] = (char)(in[i] + (in[i] >= 'A' && in[i] <= 'Z' ? 32 : 0));
    }
}

static size_t ascii_run(struct arus_text text, size_t begin)
{
    size_t at = begin;

    while (at < text.size && (unsigned char)text.data[at] < 0x80) {
        at++;
    }
    return at - begin;
}

/* Letters of ASCII map to letters of ASCII, whatever stands around them. */
static void map_ascii(const char *in, size_t size, enum mapping mapping, char *out)
{
    for (size_t i = 0; i < size; i++) {
        out[i] = mapping == UPPER ? upper_ascii(in[i]) : lower_ascii(in[i]);
    }
}

static enum arus_status map_all(struct arus_text text, enum mapping mapping,
                                struct arus_buffer *out, struct arus_error *err)
{
    size_t at = 0;

    ARUS_TRY(arus_buffer_reserve(out, text.size, err));
    if (arus_text_is_ascii(text)) {
        (mapping == UPPER ? upper_bytes : lower_bytes)(text.data, text.size, out->data + out->size);
        out->size += text.size;
        return ARUS_OK;
    }
    while (at < text.size) {
        const size_t run = ascii_run(text, at);

        if (run == 0) {
            ARUS_TRY(map_next(text, &at, mapping, out, err));
            continue;
        }
        ARUS_TRY(arus_buffer_reserve(out, run, err));
        map_ascii(text.data + at, run, mapping, out->data + out->size);
        out->size += run;
        at += run;
    }
    return ARUS_OK;
}

enum arus_status arus_utf8_upper(struct arus_text text, struct arus_buffer *out,
                                 struct arus_error *err)
{
    return map_all(text, UPPER, out, err);
}

enum arus_status arus_utf8_lower(struct arus_text text, struct arus_buffer *out,
                                 struct arus_error *err)
{
    return map_all(text, LOWER, out, err);
}

static enum arus_status map_letter(struct arus_text text, size_t *at, bool is_start,
                                   struct arus_buffer *out, struct arus_error *err)
{
    const char c = text.data[*at];

    if ((unsigned char)c >= 0x80) {
        return map_next(text, at, is_start ? TITLE : LOWER, out, err);
    }
    *at += 1;
    return arus_buffer_append_char(out, is_start ? upper_ascii(c) : lower_ascii(c), err);
}

enum arus_status arus_utf8_initcap(struct arus_text text, struct arus_buffer *out,
                                   struct arus_error *err)
{
    bool is_start = true;
    size_t at = 0;

    while (at < text.size) {
        const char c = text.data[at];

        ARUS_TRY(map_letter(text, &at, is_start, out, err));
        is_start = c == ' ';
    }
    return ARUS_OK;
}
