#include "support/failing.h"
#include "types/zone.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>

static struct arus_arena arena;
static struct arus_error err;

static void release(void)
{
    arus_arena_release(&arena);
}

TestSuite(zone, .fini = release);

static const struct arus_zone *open(const char *name)
{
    const struct arus_zone *zone = NULL;

    cr_assert(eq(int, arus_zone_open(arus_text_of(name), &arena, &zone, &err), ARUS_OK), "%s",
              err.message);
    return zone;
}

Test(zone, offsets_are_those_of_the_database)
{
    static const struct {
        const char *zone;
        char kind;
        int64_t micros;
        int64_t expected;
    } ROWS[] = {
#include "unit/types/zone_rows.inc.h"
    };

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct arus_zone *zone = open(ROWS[i].zone);

        cr_expect(eq(i64,
                     ROWS[i].kind == 'o' ? arus_zone_offset(zone, ROWS[i].micros)
                                         : arus_zone_to_utc(zone, ROWS[i].micros),
                     ROWS[i].expected),
                  "%s %c %ld", ROWS[i].zone, ROWS[i].kind, (long)ROWS[i].micros);
    }
}

Test(zone, ids_are_javas)
{
    static const char *const ROWS[][2] = {
        {"UTC", "UTC"},
        {"Z", "Z"},
        {"+8", "+08:00"},
        {"GMT+2", "GMT+02:00"},
        {"UTC+0", "UTC"},
        {"-0530", "-05:30"},
        {"+05:30:15", "+05:30:15"},
        {"+5:30", "+05:30"},
        {"PST", "America/Los_Angeles"},
        {"EST", "-05:00"},
        {"Europe/Paris", "Europe/Paris"},
    };

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        cr_expect(arus_text_equal(arus_zone_name(open(ROWS[i][0])), arus_text_of(ROWS[i][1])), "%s",
                  ROWS[i][0]);
    }
}

Test(zone, unknown_names_are_refused)
{
    static const char *const ROWS[] = {
        "",         "Europe/Nowhere", "../etc/passwd", "+19", "+8:60", "europe/paris",
        "zone.tab", "posix/UTC",      "'UTC'",         "utc", "+",     "GMT+"};
    const struct arus_zone *zone;

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        cr_expect(
            eq(int, arus_zone_open(arus_text_of(ROWS[i]), &arena, &zone, &err), ARUS_BAD_CONFIG),
            "%s", ROWS[i]);
        cr_expect_str_eq(err.condition, "INVALID_TIMEZONE");
    }
}

Test(zone, display_names_follow_the_season)
{
    static const struct {
        const char *zone;
        int64_t seconds;
        const char *text;
        enum arus_zone_style style;
    } ROWS[] = {
        {"America/New_York", 1577836800, "EST", ARUS_ZONE_SHORT},
        {"America/New_York", 1594000000, "Eastern Daylight Time", ARUS_ZONE_LONG},
        {"Europe/Dublin", 1577836800, "GMT", ARUS_ZONE_SHORT},
        {"Europe/Dublin", 1594000000, "IST", ARUS_ZONE_SHORT},
        {"America/Sao_Paulo", 1577836800, "BRT", ARUS_ZONE_SHORT},
        {"UTC", 0, "Coordinated Universal Time", ARUS_ZONE_LONG},
        {"+05:30", 0, "+05:30", ARUS_ZONE_SHORT},
    };

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        cr_expect(arus_text_equal(arus_zone_display(open(ROWS[i].zone), ROWS[i].seconds * 1000000,
                                                    ROWS[i].style),
                                  arus_text_of(ROWS[i].text)),
                  "%s", ROWS[i].text);
    }
}

Test(zone, the_machines_zone_is_tz_when_set)
{
    const struct arus_zone *zone;

    cr_assert(eq(int, setenv("TZ", ":/usr/share/zoneinfo/Asia/Tokyo", 1), 0));
    cr_assert(eq(int, arus_zone_local(&arena, &zone, &err), ARUS_OK));
    cr_expect(arus_text_equal(arus_zone_name(zone), ARUS_TEXT("Asia/Tokyo")));
    cr_assert(eq(int, setenv("TZ", "No/Where", 1), 0));
    cr_assert(eq(int, arus_zone_local(&arena, &zone, &err), ARUS_OK));
    cr_expect(arus_text_equal(arus_zone_name(zone), ARUS_TEXT("UTC")));
}

Test(zone, a_cache_remembers_good_and_bad_names)
{
    struct arus_zone_cache cache = {.arena = &arena};
    const struct arus_zone *zone = arus_zone_cache_find(&cache, ARUS_TEXT("Asia/Tokyo"));

    cr_assert(zone != NULL);
    cr_expect(arus_zone_cache_find(&cache, ARUS_TEXT("Asia/Tokyo")) == zone);
    cr_expect(arus_zone_cache_find(&cache, ARUS_TEXT("x/y")) == NULL);
    cr_expect(arus_zone_cache_find(&cache, ARUS_TEXT("x/y")) == NULL);
    cr_expect(eq(u32, cache.unknown_count, 1));
}

static enum arus_status open_paris(struct arus_error *error)
{
    struct arus_arena own = {0};
    const struct arus_zone *zone;
    const enum arus_status status = arus_zone_open(ARUS_TEXT("Europe/Paris"), &own, &zone, error);

    arus_arena_release(&own);
    return status;
}

Test(zone, survives_each_failing_allocation)
{
    assert_each_failure(open_paris);
}
