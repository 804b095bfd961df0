#include "types/number_format.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

static struct arus_arena arena;
static struct arus_buffer buffer;
static struct arus_error err;

static void finish(void)
{
    arus_arena_release(&arena);
    arus_buffer_release(&buffer);
}

static struct arus_number_format compiled(const char *text)
{
    struct arus_number_format format;

    cr_assert(arus_number_format_compile(arus_text_of(text), &arena, &format, &err) == ARUS_OK,
              "%s: %s", text, err.message);
    return format;
}

Test(number_format, reads_what_matches, .fini = finish)
{
    static const struct {
        const char *format;
        const char *text;
        int64_t unscaled;
    } ROWS[] = {
        {"999", "12", 12},
        {"000.00", "454.00", 45400},
        {"99,999", "123", 123},
        {"99G999", "12,454", 12454},
        {"99,999.9S", "12,454.8-", -124548},
        {"S$99", "-$12", -12},
        {"MI99", "-12", -12},
        {"99PR", "<12>", -12},
        {"99PR", "12", 12},
        {"99.99", ".5", 50},
        {"9.09", "1.5", 150},
        {"99", " 1 2 ", 12},
        {"9,99", ",12", 12},
        {"S99MI", "-12-", 12},
    };

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct arus_number_format format = compiled(ROWS[i].format);
        arus_int128 value = 0;

        cr_assert(arus_number_format_parse(&format, arus_text_of(ROWS[i].text), &value), "%s",
                  ROWS[i].text);
        cr_expect(value == ROWS[i].unscaled, "%s %s", ROWS[i].format, ROWS[i].text);
    }
}

Test(number_format, reads_nothing_else, .fini = finish)
{
    static const char *const BAD[][2] = {
        {"999", "1234"},  {"000", "12"},     {"99,999", "12345"}, {"0099,999", "12,345"},
        {"99", "12.3"},   {"99", "-12"},     {"$99", "12"},       {"99PR", "<12"},
        {"99PR", "12>"},  {"MI99", "+12"},   {"S9", "-"},         {"9.9", "."},
        {"9,9", "1,2,3"}, {"99.9", "12.55"}, {"99", ""},          {"9.9", "1.5,"},
    };

    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        const struct arus_number_format format = compiled(BAD[i][0]);
        arus_int128 value;

        cr_expect(not(arus_number_format_parse(&format, arus_text_of(BAD[i][1]), &value)), "%s %s",
                  BAD[i][0], BAD[i][1]);
    }
}

Test(number_format, writes_blanks_signs_and_overflow, .fini = finish)
{
    static const struct {
        const char *format;
        int64_t unscaled;
        uint8_t scale;
        const char *text;
    } ROWS[] = {
        {"999", 4, 0, "  4"},          {"099", 4, 0, "004"},
        {"0,999", 4, 0, "0,  4"},      {"9,000", 4, 0, "  004"},
        {"999", 0, 0, "   "},          {"99.99", 5, 1, " 0.50"},
        {"S9.9", -5, 1, " -.5"},       {"S9,999", -4, 0, "    -4"},
        {"99S", 0, 0, "+  "},          {"$9,999PR", -4, 0, "<$    4>"},
        {"9.S", -4, 0, "4- "},         {"9,999PR", 4, 0, "    4  "},
        {"9.99", 1567, 3, "#.##"},     {"$99,999.9S", 1234567, 1, "$## ###.#+"},
        {"99999", -12454, 0, "12454"}, {"999", 45400, 2, "454"},
    };

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct arus_number_format format = compiled(ROWS[i].format);
        const struct arus_decimal value = {ROWS[i].unscaled, ROWS[i].scale};

        arus_buffer_reset(&buffer);
        cr_assert(arus_number_format_write(&format, value, &buffer, &err) == ARUS_OK);
        cr_expect(arus_text_equal(arus_buffer_text(&buffer), arus_text_of(ROWS[i].text)),
                  "%s: '%.*s'", ROWS[i].format, (int)buffer.size, buffer.data);
    }
}

Test(number_format, names_what_is_wrong, .fini = finish)
{
    static const char *const BAD[][2] = {
        {"", "INVALID_FORMAT.EMPTY"},
        {"abc", "INVALID_FORMAT.WRONG_NUM_DIGIT"},
        {"9$9", "INVALID_FORMAT.CUR_MUST_BEFORE_DIGIT"},
        {".$9", "INVALID_FORMAT.CUR_MUST_BEFORE_DEC"},
        {"99,", "INVALID_FORMAT.CONT_THOUSANDS_SEPS"},
        {"9.,9", "INVALID_FORMAT.THOUSANDS_SEPS_MUST_BEFORE_DEC"},
        {"S9S", "INVALID_FORMAT.WRONG_NUM_TOKEN"},
        {"PR99", "INVALID_FORMAT.UNEXPECTED_TOKEN"},
        {"99L", "INVALID_FORMAT.UNEXPECTED_TOKEN"},
    };

    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        struct arus_number_format format;

        cr_assert(arus_number_format_compile(arus_text_of(BAD[i][0]), &arena, &format, &err) ==
                  ARUS_BAD_CONFIG);
        cr_expect(strcmp(err.condition, BAD[i][1]) == 0, "%s: %s", BAD[i][0], err.condition);
    }
}
