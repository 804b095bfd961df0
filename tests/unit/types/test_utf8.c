#include "types/utf8.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

static struct arus_error err;

Test(utf8, only_well_formed_sequences_are_valid)
{
    static const char *const GOOD[] = {"",
                                       "abc",
                                       "h\xC3\xA9llo",
                                       "\xE4\xB8\xAD",
                                       "\xF0\x9F\x98\x80",
                                       "\xED\x9F\xBF",
                                       "\xEE\x80\x80",
                                       "\xF4\x8F\xBF\xBF"};
    static const char *const BAD[] = {"\x80",         "\xC3",         "\xC0\xAF",
                                      "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                      "\xFF",         "abcdefgh\xC3", "\xE4\xB8"};

    for (size_t i = 0; i < COUNT(GOOD); i++) {
        cr_expect(arus_utf8_is_valid(arus_text_of(GOOD[i])), "%zu", i);
    }
    for (size_t i = 0; i < COUNT(BAD); i++) {
        cr_expect(not(arus_utf8_is_valid(arus_text_of(BAD[i]))), "%zu", i);
    }
}

Test(utf8, lengths_count_code_points_columns_and_units)
{
    const struct arus_text text = ARUS_TEXT("a\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80");

    cr_expect(eq(sz, arus_utf8_length(text), 4));
    cr_expect(eq(sz, arus_utf8_units(text), 5));
    cr_expect(eq(sz, arus_utf8_width(text), 6));
    cr_expect(eq(sz, arus_utf8_offset(text, 2), 3));
    cr_expect(eq(sz, arus_utf8_offset(text, 9), text.size));
    cr_expect(not(arus_text_is_ascii(text)));
    cr_expect(arus_text_is_ascii(ARUS_TEXT("just plain text, long enough")));
}

Test(utf8, code_points_go_there_and_back)
{
    static const uint32_t CODES[] = {0, 0x7F, 0x80, 0x7FF, 0x800, 0xFFFF, 0x10000, 0x10FFFF};

    for (size_t i = 0; i < COUNT(CODES); i++) {
        char bytes[4];
        size_t at = 0;
        const struct arus_text text = {bytes, arus_utf8_write(CODES[i], bytes)};

        cr_expect(eq(u32, arus_utf8_next(text, &at), CODES[i]));
        cr_expect(eq(sz, at, text.size));
    }
}

Test(utf8, bad_bytes_count_as_in_java)
{
    static const struct {
        const char *bytes;
        size_t size;
    } ROWS[] = {
        {"\xFF\x80", 1},       {"\xC1\x80", 1},         {"\xE0\x80\x80", 1}, {"\xED\xA0\x80", 3},
        {"\xF0\x9F\x98\"", 3}, {"\xF4\x90\x80\x80", 1}, {"\xE3\x81\"", 2},   {"\xF0\x9F", 2},
    };

    for (size_t i = 0; i < COUNT(ROWS); i++) {
        size_t at = 0;

        cr_expect(eq(u32, arus_utf8_next(arus_text_of(ROWS[i].bytes), &at), 0xFFFD));
        cr_expect_eq(at, ROWS[i].size, "row %zu: %zu", i, at);
    }
    cr_expect(arus_utf8_step("\xF0\x9F", 2).is_cut);
    cr_expect(not(arus_utf8_step("\xF0\x9F\"", 3).is_cut));
}

typedef enum arus_status (*map_fn)(struct arus_text, struct arus_buffer *, struct arus_error *);

static void check(map_fn map, const char *in, const char *expected)
{
    struct arus_buffer out = {0};

    cr_assert(eq(int, map(arus_text_of(in), &out, &err), ARUS_OK));
    cr_assert(eq(int, arus_buffer_append_char(&out, '\0', &err), ARUS_OK));
    cr_expect_str_eq(out.data, expected, "%s", in);
    arus_buffer_release(&out);
}

Test(utf8, case_mapping_is_full)
{
    check(arus_utf8_upper,
          "stra\xC3\x9F"
          "e",
          "STRASSE");
    check(arus_utf8_upper, "abc", "ABC");
    check(arus_utf8_upper, "\xEF\xAC\x81x", "FIX"); /* a ligature */
    check(arus_utf8_lower, "\xC4\xB0i", "i\xCC\x87i");
    check(arus_utf8_lower, "\xCE\x91\xCE\xA3 \xCE\xA3\xCE\x91",
          "\xCE\xB1\xCF\x82 \xCF\x83\xCE\xB1");
    check(arus_utf8_lower, "\xCE\xA3", "\xCF\x83"); /* alone: not final */
    check(arus_utf8_lower, "ABC\xFF", "abc\xFF");
    check(arus_utf8_initcap, "hello wORLD a-b", "Hello World A-b");
    check(arus_utf8_initcap,
          "\xC3\xA9"
          "a \xC3\x9F"
          "b",
          "\xC3\x89"
          "a Ssb");
    check(arus_utf8_initcap, "a\tb  C", "A\tb  C");
}
