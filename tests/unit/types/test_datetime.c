#include "types/datetime.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

static struct arus_arena arena;
static struct arus_error err;

static void release(void)
{
    arus_arena_release(&arena);
}

TestSuite(datetime, .fini = release);

struct row {
    const char *zone;
    char kind;
    const char *text;
    const char *expected;
};

static size_t parse_and_write(const struct row *row, const struct arus_timestamp_context *context,
                              char *out)
{
    const struct arus_text text = arus_text_of(row->text);
    int64_t micros;
    int32_t days;

    if (row->kind == 'd' && arus_date_parse(text, &days)) {
        return arus_date_write(days, out);
    }
    if (row->kind == 'n' && arus_timestamp_ntz_parse(text, ARUS_NTZ_DROP_ZONE, &micros)) {
        return arus_timestamp_write(micros, out);
    }
    if (row->kind == 't' && arus_timestamp_parse(text, context, &micros)) {
        return arus_timestamp_write(arus_zone_to_local(context->zone, micros), out);
    }
    memcpy(out, "None", 4);
    return 4;
}

Test(datetime, texts_are_read_as_spark_reads_them)
{
    static const struct row ROWS[] = {
#include "unit/types/timestamp_rows.inc.h"
    };
    struct arus_zone_cache cache = {.arena = &arena};

    for (size_t i = 0; i < COUNT(ROWS); i++) {
        struct arus_timestamp_context context = {.zones = i % 2 == 0 ? &cache : NULL};
        char out[ARUS_TIMESTAMP_TEXT_MAX + 1];

        cr_assert(eq(int, arus_zone_open(arus_text_of(ROWS[i].zone), &arena, &context.zone, &err),
                     ARUS_OK));
        out[parse_and_write(&ROWS[i], &context, out)] = '\0';
        cr_expect_str_eq(out, ROWS[i].expected, "%s", ROWS[i].text);
    }
}

Test(datetime, readers_refuse_a_zone_where_there_is_none)
{
    int64_t micros;

    cr_expect(not(arus_timestamp_ntz_parse(ARUS_TEXT("2020-01-01T00:00:00Z"), ARUS_NTZ_REFUSE_ZONE,
                                           &micros)));
    cr_expect(
        arus_timestamp_ntz_parse(ARUS_TEXT("2020-01-01T00:00:00"), ARUS_NTZ_REFUSE_ZONE, &micros));
    cr_expect(not(arus_timestamp_ntz_parse(ARUS_TEXT("10:20:30"), ARUS_NTZ_DROP_ZONE, &micros)));
}

Test(datetime, a_time_alone_means_today)
{
    const struct arus_timestamp_context context = {.zone = ARUS_ZONE_UTC,
                                                   .now = 3 * ARUS_MICROS_PER_DAY - 1};
    int64_t micros;

    cr_assert(arus_timestamp_parse(ARUS_TEXT("12:30"), &context, &micros));
    cr_expect(eq(i64, micros, 2 * ARUS_MICROS_PER_DAY + INT64_C(45000) * 1000000));
    cr_assert(arus_timestamp_parse(ARUS_TEXT("T00:00:00+01:00"), &context, &micros));
    cr_expect(eq(i64, micros, 3 * ARUS_MICROS_PER_DAY - INT64_C(3600) * 1000000));
}

Test(datetime, special_words_depend_on_now)
{
    int64_t micros;
    int32_t days;

    cr_expect(arus_date_parse_special(ARUS_TEXT(" Tomorrow "), 0, ARUS_ZONE_UTC, &days) &&
              days == 1);
    cr_expect(arus_timestamp_parse_special(ARUS_TEXT("yesterday"), 5, ARUS_ZONE_UTC, &micros) &&
              micros == -ARUS_MICROS_PER_DAY);
    cr_expect(arus_timestamp_parse_special(ARUS_TEXT("NOW"), 5, ARUS_ZONE_UTC, &micros) &&
              micros == 5);
    cr_expect(not(arus_date_parse_special(ARUS_TEXT("noon"), 0, ARUS_ZONE_UTC, &days)));
}

Test(datetime, days_and_dates_are_each_others_inverse)
{
    for (int64_t days = INT32_MIN; days <= INT32_MAX; days += 9999991) {
        const struct arus_civil civil = arus_date_to_civil((int32_t)days);

        cr_assert(eq(i32, arus_date_from_civil(civil.year, civil.month, civil.day), (int32_t)days));
    }
}

Test(datetime, fields_follow_iso)
{
    int32_t days;

    cr_assert(arus_date_make(2021, 1, 3, &days)); /* a Sunday, in week 53 of 2020 */
    cr_expect(eq(i32, arus_date_field(days, ARUS_FIELD_WEEK), 53));
    cr_expect(eq(i32, arus_date_field(days, ARUS_FIELD_YEAR_OF_WEEK), 2020));
    cr_expect(eq(i32, arus_date_field(days, ARUS_FIELD_DAY_OF_WEEK), 1));
    cr_expect(eq(i32, arus_date_field(days, ARUS_FIELD_WEEKDAY), 6));
    cr_expect(eq(i32, arus_date_field(days, ARUS_FIELD_DAY_OF_WEEK_ISO), 7));
    cr_expect(eq(i32, arus_date_field(days, ARUS_FIELD_DAY_OF_YEAR), 3));
    cr_expect(not(arus_date_make(2021, 2, 29, &days)));
}

Test(datetime, adding_months_stays_in_the_month)
{
    int32_t days, moved;
    char out[ARUS_DATE_TEXT_MAX + 1];

    cr_assert(arus_date_make(2020, 1, 31, &days));
    cr_assert(arus_date_add_months(days, 1, &moved));
    out[arus_date_write(moved, out)] = '\0';
    cr_expect_str_eq(out, "2020-02-29");
    cr_assert(arus_date_add_months(days, -13, &moved));
    out[arus_date_write(moved, out)] = '\0';
    cr_expect_str_eq(out, "2018-12-31");
    cr_expect(not(arus_date_add_months(days, INT64_C(300000000), &moved)));
    cr_expect(eq(i32, arus_date_last_day(days), days));
    cr_expect(eq(i32, arus_date_next_day(days, arus_weekday_parse(ARUS_TEXT("fri"))), days + 7));
    cr_expect(eq(i32, arus_weekday_parse(ARUS_TEXT("Mo")), 0));
    cr_expect(eq(i32, arus_weekday_parse(ARUS_TEXT("fr day")), -1));
}

Test(datetime, truncation_floors_before_1970)
{
    const struct arus_zone *berlin;
    int64_t t = -1;
    int32_t days;

    cr_expect(eq(i64, arus_timestamp_trunc(t, ARUS_TRUNC_SECOND, ARUS_ZONE_UTC), -1000000));
    cr_expect(
        eq(i64, arus_timestamp_trunc(t, ARUS_TRUNC_DAY, ARUS_ZONE_UTC), -ARUS_MICROS_PER_DAY));
    cr_assert(eq(int, arus_zone_open(ARUS_TEXT("Europe/Berlin"), &arena, &berlin, &err), ARUS_OK));
    cr_expect(eq(i64, arus_timestamp_trunc(t, ARUS_TRUNC_DAY, berlin), -INT64_C(3600000000)));
    cr_assert(arus_date_make(2020, 5, 20, &days));
    cr_expect(
        eq(i32, arus_date_field(arus_date_trunc(days, ARUS_TRUNC_QUARTER), ARUS_FIELD_MONTH), 4));
    cr_expect(eq(i32, arus_date_trunc(days, ARUS_TRUNC_WEEK), days - 2));
    cr_expect(eq(int, arus_trunc_unit_parse(ARUS_TEXT("mon")), ARUS_TRUNC_MONTH));
    cr_expect(eq(int, arus_trunc_unit_parse(ARUS_TEXT("foo")), ARUS_TRUNC_NONE));
}

Test(datetime, adding_days_keeps_the_wall_clock)
{
    const struct arus_zone *berlin;
    int64_t noon, moved;
    int32_t days;

    cr_assert(eq(int, arus_zone_open(ARUS_TEXT("Europe/Berlin"), &arena, &berlin, &err), ARUS_OK));
    cr_assert(arus_date_make(2020, 3, 28, &days));
    cr_assert(arus_date_to_timestamp(days, berlin, &noon));
    cr_assert(arus_timestamp_add(noon, 0, 1, 0, berlin, &moved));
    cr_expect(eq(i64, moved - noon, ARUS_MICROS_PER_DAY));
    cr_assert(arus_timestamp_add(noon, 0, 2, 0, berlin, &moved)); /* across the change */
    cr_expect(eq(i64, moved - noon, 2 * ARUS_MICROS_PER_DAY - INT64_C(3600000000)));
    cr_expect(not(arus_timestamp_add(INT64_MAX, 0, 0, 1, berlin, &moved)));
}

Test(datetime, iso_texts_have_three_digits_and_an_offset)
{
    char out[ARUS_TIMESTAMP_TEXT_MAX + 1];

    out[arus_timestamp_write_iso(123456, out)] = '\0';
    cr_expect_str_eq(out, "1970-01-01T00:00:00.123");
    out[arus_offset_write_iso(0, out)] = '\0';
    cr_expect_str_eq(out, "Z");
    out[arus_offset_write_iso(-19800, out)] = '\0';
    cr_expect_str_eq(out, "-05:30");
}
