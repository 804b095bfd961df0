#include "types/datetime_pattern.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

struct row {
    const char *zone;
    char kind;
    const char *pattern;
    const char *text;
    const char *expected;
};

static struct arus_arena arena;
static struct arus_error err;
static struct arus_buffer buffer;

static void release(void)
{
    arus_arena_release(&arena);
    arus_buffer_release(&buffer);
}

TestSuite(datetime_pattern, .fini = release);

static void put(const char *text)
{
    cr_assert(eq(int, arus_buffer_append(&buffer, text, strlen(text), &err), ARUS_OK));
}

static void put_parsed(const struct row *row, const struct arus_datetime_pattern *pattern,
                       const struct arus_timestamp_context *context)
{
    const struct arus_text text = arus_text_of(row->text);
    char out[ARUS_TIMESTAMP_TEXT_MAX + 1];
    int64_t micros;
    const bool is_good =
        row->kind == 'P'
            ? arus_datetime_pattern_parse(pattern, text, context, &micros)
            : arus_datetime_pattern_parse_ntz(pattern, text, ARUS_NTZ_DROP_ZONE, &micros);

    if (!is_good) {
        put("!CANNOT_PARSE_TIMESTAMP");
        return;
    }
    micros = row->kind == 'P' ? arus_zone_to_local(context->zone, micros) : micros;
    out[arus_timestamp_write(micros, out)] = '\0';
    put(out);
}

static void put_formatted(const struct row *row, const struct arus_datetime_pattern *pattern,
                          const struct arus_timestamp_context *context)
{
    int64_t micros;

    cr_assert(arus_timestamp_parse(arus_text_of(row->text), context, &micros));
    cr_assert(eq(int, arus_datetime_pattern_format(pattern, micros, context->zone, &buffer, &err),
                 ARUS_OK));
}

Test(datetime_pattern, formats_and_parses_as_spark_does)
{
    static const struct row ROWS[] = {
#include "unit/types/pattern_rows.inc.h"
    };

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const bool is_format = ROWS[i].kind == 'F';
        struct arus_timestamp_context context = {.now = 0};
        const struct arus_datetime_pattern *pattern;

        arus_buffer_reset(&buffer);
        cr_assert(eq(int, arus_zone_open(arus_text_of(ROWS[i].zone), &arena, &context.zone, &err),
                     ARUS_OK));
        if (arus_datetime_pattern_compile(arus_text_of(ROWS[i].pattern),
                                          is_format ? ARUS_PATTERN_FORMAT : ARUS_PATTERN_PARSE,
                                          &arena, &pattern, &err) != ARUS_OK) {
            put("!");
            put(err.condition);
        } else if (is_format) {
            put_formatted(&ROWS[i], pattern, &context);
        } else {
            put_parsed(&ROWS[i], pattern, &context);
        }
        cr_assert(eq(int, arus_buffer_append_char(&buffer, '\0', &err), ARUS_OK));
        if (is_format || *ROWS[i].expected == '!') {
            cr_expect_str_eq(buffer.data, ROWS[i].expected, "%s %s", ROWS[i].pattern, ROWS[i].text);
        } else { /* some rows expect the date alone */
            cr_expect(eq(int, strncmp(buffer.data, ROWS[i].expected, strlen(ROWS[i].expected)), 0),
                      "%s %s: %s, not %s", ROWS[i].pattern, ROWS[i].text, buffer.data,
                      ROWS[i].expected);
        }
    }
}

Test(datetime_pattern, a_zone_in_the_text_can_be_refused)
{
    const struct arus_datetime_pattern *pattern;
    int64_t micros;

    cr_assert(eq(int,
                 arus_datetime_pattern_compile(ARUS_TEXT("yyyy[X]"), ARUS_PATTERN_PARSE, &arena,
                                               &pattern, &err),
                 ARUS_OK));
    cr_expect(
        arus_datetime_pattern_parse_ntz(pattern, ARUS_TEXT("2020"), ARUS_NTZ_REFUSE_ZONE, &micros));
    cr_expect(not(arus_datetime_pattern_parse_ntz(pattern, ARUS_TEXT("2020Z"), ARUS_NTZ_REFUSE_ZONE,
                                                  &micros)));
}
