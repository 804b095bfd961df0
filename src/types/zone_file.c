/** TZif (RFC 8536) -> rows, continued by the footer's rule for one cycle of the calendar. */
#include "types/datetime.h"
#include "types/zone_internal.h"

#define HEADER_SIZE  44
#define CYCLE_YEARS  400
#define CYCLE        (INT64_C(146097) * 86400) /* 400 years, whole weeks */
#define STEP         (INT64_C(1) << ARUS_ZONE_STEP_BITS)
#define ROW_MAX      60000
#define YEAR_SECONDS INT64_C(31556952)

/* The second block of a file. */
struct block {
    const unsigned char *times;   /* [time_count] of 8 bytes */
    const unsigned char *indices; /* [time_count] */
    const unsigned char *types;   /* [type_count] of 6 bytes */
    uint32_t time_count;
    uint32_t type_count;
    struct arus_text footer;
};

static uint32_t read32(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static int64_t read64(const unsigned char *at)
{
    return (int64_t)((uint64_t)read32(at) << 32 | read32(at + 4));
}

/* Size of the data behind a header whose times have `time_size` bytes. */
static size_t data_size(const unsigned char *header, size_t time_size)
{
    const size_t utc_count = read32(header + 20);
    const size_t std_count = read32(header + 24);
    const size_t leap_count = read32(header + 28);
    const size_t time_count = read32(header + 32);
    const size_t type_count = read32(header + 36);
    const size_t char_count = read32(header + 40);

    return time_count * (time_size + 1) + type_count * 6 + char_count +
           leap_count * (time_size + 4) + std_count + utc_count;
}

static bool is_header(const unsigned char *at, const unsigned char *end)
{
    return end - at >= HEADER_SIZE && memcmp(at, "TZif", 4) == 0;
}

static bool find_block(struct arus_text bytes, struct block *out)
{
    const unsigned char *at = (const unsigned char *)bytes.data;
    const unsigned char *end = at + bytes.size;
    size_t size;

    if (!is_header(at, end) || at[4] < '2') {
        return false;
    }
    size = data_size(at, 4);
    if ((size_t)(end - at) < HEADER_SIZE + size) {
        return false;
    }
    at += HEADER_SIZE + size;
    if (!is_header(at, end)) {
        return false;
    }
    size = data_size(at, 8);
    if ((size_t)(end - at) < HEADER_SIZE + size) {
        return false;
    }
    out->time_count = read32(at + 32);
    out->type_count = read32(at + 36);
    out->times = at + HEADER_SIZE;
    out->indices = out->times + (size_t)out->time_count * 8;
    out->types = out->indices + out->time_count;
    at += HEADER_SIZE + size;
    out->footer = (struct arus_text){(const char *)at, (size_t)(end - at)};
    return out->type_count > 0 && out->time_count < ROW_MAX / 2;
}

/* The rule between the two newlines. */
static bool find_rule(struct arus_text footer, struct arus_zone_rule *rule)
{
    const char *end;

    if (footer.size < 2 || footer.data[0] != '\n') {
        return false;
    }
    footer.data++;
    footer.size--;
    end = memchr(footer.data, '\n', footer.size);
    if (end == NULL) {
        return false;
    }
    footer.size = (size_t)(end - footer.data);
    return arus_zone_rule_parse(footer, rule);
}

struct rows {
    struct arus_zone_row *items;
    uint32_t count;
};

static void add_row(struct rows *rows, int64_t utc, int32_t offset, bool is_daylight)
{
    struct arus_zone_row *last = &rows->items[rows->count - 1];
    const int32_t larger = offset > last->offset ? offset : last->offset;

    if (utc <= last->utc) {
        return;
    }
    rows->items[rows->count++] = (struct arus_zone_row){utc, utc + larger, offset, is_daylight};
}

/* Where a file calls winter the exception (Dublin), Java calls summer so: the flags turn round. */
static void add_times(const struct block *block, struct rows *rows)
{
    bool was_daylight = false;
    bool is_turned = false;

    for (uint32_t i = 0; i < block->time_count; i++) {
        const uint32_t type = block->indices[i] < block->type_count ? block->indices[i] : 0;
        const unsigned char *info = block->types + (size_t)type * 6;
        const int32_t offset = (int32_t)read32(info);
        const bool is_daylight = info[4] != 0;

        if (is_daylight && !was_daylight) {
            is_turned = offset < rows->items[rows->count - 1].offset;
        }
        add_row(rows, read64(block->times + (size_t)i * 8), offset, is_daylight != is_turned);
        was_daylight = is_daylight;
    }
}

static void add_years(const struct arus_zone_rule *rule, int64_t last, struct rows *rows)
{
    const int64_t first_year = 1970 + arus_floor_div(last, YEAR_SECONDS) - 1;
    const bool is_reversed = rule->daylight < rule->standard; /* Dublin: winter is the exception */

    for (int64_t year = first_year; year <= first_year + CYCLE_YEARS + 2; year++) {
        int64_t begin;
        int64_t end;

        arus_zone_rule_year(rule, year, &begin, &end);
        if (begin < end) {
            add_row(rows, begin, rule->daylight, !is_reversed);
        }
        add_row(rows, end, rule->standard, is_reversed);
        if (begin >= end) {
            add_row(rows, begin, rule->daylight, !is_reversed);
        }
    }
}

static enum arus_status index_rows(struct arus_zone *zone, struct arus_arena *arena,
                                   struct arus_error *err)
{
    uint16_t *steps;
    uint32_t row = 0;
    int64_t last;

    if (zone->row_count < 2) {
        return ARUS_OK;
    }
    zone->steps_begin = (zone->rows[1].utc >> ARUS_ZONE_STEP_BITS) * STEP;
    last = zone->rows[zone->row_count - 1].utc;
    zone->step_count = (uint32_t)((last - zone->steps_begin) >> ARUS_ZONE_STEP_BITS) + 1;
    ARUS_TRY(ARUS_NEW(arena, uint16_t, zone->step_count, &steps, err));
    for (uint32_t i = 0; i < zone->step_count; i++) {
        while (row + 1 < zone->row_count &&
               zone->rows[row + 1].utc <= zone->steps_begin + i * STEP) {
            row++;
        }
        steps[i] = (uint16_t)row;
    }
    zone->steps = steps;
    return ARUS_OK;
}

/* Files from before 1900 may begin at -2^59; nothing useful lies there. */
static void drop_big_bang(struct rows *rows)
{
    if (rows->count > 1 && rows->items[1].utc < -(INT64_C(1) << 40)) {
        rows->items[0].offset = rows->items[1].offset;
        memmove(rows->items + 1, rows->items + 2, (rows->count - 2) * sizeof *rows->items);
        rows->count--;
    }
}

enum arus_status arus_zone_read(struct arus_text bytes, struct arus_arena *arena,
                                struct arus_zone *out, bool *is_zone, struct arus_error *err)
{
    struct arus_zone_rule rule = {0};
    struct block block;
    struct rows rows = {.count = 1};
    bool has_rule;

    *is_zone = find_block(bytes, &block);
    if (!*is_zone) {
        return ARUS_OK;
    }
    has_rule = find_rule(block.footer, &rule) && rule.has_daylight;
    ARUS_TRY(ARUS_NEW(arena, struct arus_zone_row,
                      block.time_count + 1 + (has_rule ? 2 * (CYCLE_YEARS + 4) : 0), &rows.items,
                      err));
    rows.items[0] =
        (struct arus_zone_row){INT64_MIN, INT64_MIN, (int32_t)read32(block.types), false};
    add_times(&block, &rows);
    drop_big_bang(&rows);
    out->cycle_begin = INT64_MAX;
    if (has_rule) {
        const int64_t last = rows.count == 1 ? 0 : rows.items[rows.count - 1].utc;

        add_years(&rule, last, &rows);
        out->cycle_begin = rows.items[rows.count - 1].utc - CYCLE;
    }
    out->rows = rows.items;
    out->row_count = rows.count;
    return index_rows(out, arena, err);
}
