#include "types/interval.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct arus_type range(enum arus_interval_field first, enum arus_interval_field last)
{
    return (struct arus_type){
        .id = first <= ARUS_INTERVAL_MONTH ? ARUS_TYPE_INTERVAL_YM : ARUS_TYPE_INTERVAL_DT,
        .precision = (uint8_t)first,
        .scale = (uint8_t)last,
    };
}

struct row {
    enum arus_interval_field first;
    enum arus_interval_field last;
    const char *text;
    const char *expected; /* the text, or '!' and the condition */
};

static const char UNMATCHED[] = "!INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING_WITH_NOTICE";
static const char UNMATCHED_YM[] = "!INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING";
static const char RANGE[] = "!INVALID_INTERVAL_FORMAT.INTERVAL_PARSING";

static void check(const struct row *row, bool is_literal)
{
    const struct arus_type type = range(row->first, row->last);
    const struct arus_text text = arus_text_of(row->text);
    char out[ARUS_INTERVAL_TEXT_MAX + 1];
    struct arus_error err;
    int64_t value = 0;
    const enum arus_status status = is_literal
                                        ? arus_interval_parse_literal(text, &type, &value, &err)
                                        : arus_interval_parse(text, &type, &value, &err);

    if (status != ARUS_OK) {
        cr_expect(row->expected[0] == '!', "'%s' failed: %s", row->text, err.message);
        cr_expect_str_eq(err.condition, row->expected + 1, "'%s'", row->text);
        return;
    }
    out[arus_interval_write(value, &type, out)] = '\0';
    cr_expect_str_eq(out, row->expected, "'%s'", row->text);
}

#define Y ARUS_INTERVAL_YEAR
#define M ARUS_INTERVAL_MONTH
#define D ARUS_INTERVAL_DAY
#define H ARUS_INTERVAL_HOUR
#define N ARUS_INTERVAL_MINUTE
#define S ARUS_INTERVAL_SECOND

Test(interval, casts_take_what_spark_takes)
{
    static const struct row ROWS[] = {
        {H, N, "100:30", "INTERVAL '100:30' HOUR TO MINUTE"},
        {H, N, "100:90", RANGE},
        {H, N, "5:100", UNMATCHED},
        {H, S, "100:30:10.5", "INTERVAL '100:30:10.5' HOUR TO SECOND"},
        {N, S, "100:30.5", "INTERVAL '100:30.5' MINUTE TO SECOND"},
        {D, S, "1 2:3:4.123456789", "INTERVAL '1 02:03:04.123456' DAY TO SECOND"},
        {D, S, "1 2:3:4.1234567891", UNMATCHED},
        {D, S, "1 24:3:4", RANGE},
        {S, S, "100.5", "INTERVAL '100.5' SECOND"},
        {S, S, "1.", UNMATCHED},
        {S, S, ".5", UNMATCHED},
        {S, S, "-1", "INTERVAL '-01' SECOND"},
        {Y, M, "1-12", RANGE},
        {Y, Y, "1-1", UNMATCHED_YM},
        {M, M, "100", "INTERVAL '100' MONTH"},
        {Y, M, " 1-1 ", "INTERVAL '1-1' YEAR TO MONTH"},
        {Y, M, "|1-1", "INTERVAL '1-1' YEAR TO MONTH"},
        {Y, M, "INTERVAL '1-2' YEAR", UNMATCHED_YM},
        {Y, M, "INTERVAL -'-1-2' YEAR TO MONTH", "INTERVAL '1-2' YEAR TO MONTH"},
        {D, S, "INTERVAL -'1 02:03:04.5' DAY TO SECOND", "INTERVAL '-1 02:03:04.5' DAY TO SECOND"},
        {D, S, "INTERVAL '3' DAY", UNMATCHED},
        {H, H, "INTERVAL '3' HOUR", "INTERVAL '03' HOUR"},
        {N, S, "interval '5:30' minute to second", "INTERVAL '05:30' MINUTE TO SECOND"},
        {D, D, "999999999999", UNMATCHED},
        {Y, Y, "999999999999", RANGE},
        {M, M, "9999999999", RANGE},
        {D, S, "107000000 00:00:00", RANGE},
        {D, S, "+1 2:3:4", "INTERVAL '1 02:03:04' DAY TO SECOND"},
        {D, H, "1 2", "INTERVAL '1 02' DAY TO HOUR"},
        {D, D, "1 day", UNMATCHED},
        {D, D, "", UNMATCHED},
        {D, S, "-106751991 04:00:54.775808", "INTERVAL '-106751991 04:00:54.775808' DAY TO SECOND"},
        {D, S, "106751991 04:00:54.775808", RANGE},
        {Y, M, "-178956970-8", "INTERVAL '-178956970-8' YEAR TO MONTH"},
        {Y, M, "178956970-8", RANGE},
    };

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        check(&ROWS[i], false);
    }
}

Test(interval, literals_of_one_field_take_numbers)
{
    static const struct row ROWS[] = {
        {S, S, "1.5", "INTERVAL '01.5' SECOND"},
        {S, S, ".5", "INTERVAL '00.5' SECOND"},
        {S, S, "1.", "INTERVAL '01' SECOND"},
        {S, S, "1.1234567", "INTERVAL '01.123456' SECOND"},
        {D, D, "+3", "INTERVAL '3' DAY"},
        {D, D, " 3 ", "INTERVAL '3' DAY"},
        {N, N, "59", "INTERVAL '59' MINUTE"},
        {Y, Y, "10", "INTERVAL '10' YEAR"},
        {Y, M, "-0-1", "INTERVAL '-0-1' YEAR TO MONTH"},
        {D, D, "1.5", UNMATCHED},
        {D, S, "1  02:03:04", UNMATCHED},
        {D, S, " 1 02:03:04 ", "INTERVAL '1 02:03:04' DAY TO SECOND"},
    };

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        check(&ROWS[i], true);
    }
}

Test(interval, unit_texts_add_up)
{
    static const struct {
        const char *text;
        const char *expected; /* NULL: bad */
    } ROWS[] = {
        {"1 day 2 hours", "1 days 2 hours"},
        {"1 day -2 hours", "1 days -2 hours"},
        {"- 1 day", "-1 days"},
        {"1 day 1 day", "2 days"},
        {"1 DAY", "1 days"},
        {"interval 1 day", "1 days"},
        {"1.5 seconds", "1.5 seconds"},
        {"-.5 seconds", "-0.5 seconds"},
        {"1. seconds", "1 seconds"},
        {"1.123456789 seconds", "1.123456 seconds"},
        {"3 milliseconds 4 microseconds", "0.003004 seconds"},
        {"14 months 2 weeks", "1 years 2 months 14 days"},
        {"0 days", "0 seconds"},
        {"1day", NULL},
        {"1.5 days", NULL},
        {"1.1234567891 seconds", NULL},
        {"1 weeks 3 millis", NULL},
        {"", NULL},
        {"interval", NULL},
        {"1 day,", NULL},
        {"1", NULL},
        {"99999999999999999999 days", NULL},
        {"3000000000 days", NULL},
    };

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct arus_interval interval;
        char out[ARUS_INTERVAL_TEXT_MAX + 1];

        if (!arus_interval_parse_units(arus_text_of(ROWS[i].text), &interval)) {
            cr_expect(ROWS[i].expected == NULL, "'%s' failed", ROWS[i].text);
            continue;
        }
        out[arus_interval_write_units(interval, out)] = '\0';
        cr_assert(ROWS[i].expected != NULL, "'%s' gave %s", ROWS[i].text, out);
        cr_expect_str_eq(out, ROWS[i].expected);
    }
}
