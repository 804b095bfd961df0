/** Limits and splits. */
#include "kafka/range.h"

#include "types/number_text.h"

#include <math.h>

#define PARTS_MAX 100000

/* Java's conversion: too large becomes the largest. */
static int64_t to_long(double value)
{
    return value >= 0x1p63 ? INT64_MAX : (int64_t)value;
}

void arus_kafka_limit(const struct arus_kafka_positions *from, int64_t limit,
                      struct arus_kafka_positions *until)
{
    double total = 0;

    for (size_t i = 0; i < until->count; i++) {
        const int64_t size = until->items[i].offset - from->items[i].offset;

        total += size > 0 ? (double)size : 0;
    }
    for (size_t i = 0; i < until->count; i++) {
        const int64_t begin = from->items[i].offset;
        const int64_t size = until->items[i].offset - begin;
        double share;
        int64_t taken;

        if (size <= 0) {
            continue;
        }
        share = (double)limit * ((double)size / total);
        taken = to_long(share < 1 ? ceil(share) : floor(share));
        if (taken <= INT64_MAX - begin && begin + taken < until->items[i].offset) {
            until->items[i].offset = begin + taken;
        }
    }
}

/* ---- splits ---- */

struct cut {
    struct arus_kafka_range *items;
    size_t count;
};

/* The last piece takes what the divisions left over. */
static void divide(const struct arus_kafka_range *range, int64_t parts, struct cut *out)
{
    int64_t left = range->to - range->from;
    int64_t from = range->from;

    for (int64_t part = 0; part < parts; part++) {
        const int64_t size = left / (parts - part);

        left -= size;
        if (size > 0) {
            out->items[out->count] = *range;
            out->items[out->count].from = from;
            out->items[out->count++].to = from + size;
        }
        from += size;
    }
}

static int64_t part_count(int64_t size, int64_t total, int64_t wanted)
{
    const double parts = floor((double)size / (double)total * (double)wanted + 0.5);

    return parts < 1 ? 1 : parts > PARTS_MAX ? PARTS_MAX : (int64_t)parts;
}

static void number_parts(struct cut *cut)
{
    for (size_t i = 1; i < cut->count; i++) {
        const struct arus_kafka_range *before = &cut->items[i - 1];
        struct arus_kafka_range *item = &cut->items[i];
        const bool goes_on =
            item->partition == before->partition && arus_text_equal(item->topic, before->topic);

        item->part = goes_on ? before->part + 1 : 0;
    }
}

static enum arus_status by_records(const struct cut *in, int64_t records_max,
                                   struct arus_arena *arena, struct cut *out,
                                   struct arus_error *err)
{
    size_t capacity = in->count + 1;

    for (size_t i = 0; records_max > 0 && i < in->count; i++) {
        const int64_t parts = (in->items[i].to - in->items[i].from - 1) / records_max + 1;

        capacity += (size_t)(parts > PARTS_MAX ? PARTS_MAX : parts);
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_kafka_range, capacity, &out->items, err));
    for (size_t i = 0; i < in->count; i++) {
        const int64_t size = in->items[i].to - in->items[i].from;
        const int64_t parts = records_max > 0 && size > 0 ? (size - 1) / records_max + 1 : 1;

        divide(&in->items[i], parts > PARTS_MAX ? PARTS_MAX : parts, out);
    }
    return ARUS_OK;
}

static enum arus_status by_count(const struct cut *in, int64_t wanted, struct arus_arena *arena,
                                 struct cut *out, struct arus_error *err)
{
    int64_t total = 0;
    int64_t small_total = 0;
    int64_t small_count = 0;
    size_t capacity = in->count + 1;

    for (size_t i = 0; i < in->count; i++) {
        total += in->items[i].to - in->items[i].from;
    }
    for (size_t i = 0; i < in->count; i++) {
        const int64_t size = in->items[i].to - in->items[i].from;

        if (part_count(size, total, wanted) == 1) {
            small_total += size;
            small_count++;
        }
    }
    capacity += 2 * (size_t)(wanted > PARTS_MAX ? PARTS_MAX : wanted);
    ARUS_TRY(ARUS_NEW(arena, struct arus_kafka_range, capacity, &out->items, err));
    for (size_t i = 0; i < in->count; i++) {
        const int64_t size = in->items[i].to - in->items[i].from;
        const int64_t left = wanted - small_count > 1 ? wanted - small_count : 1;
        const bool is_small = part_count(size, total, wanted) == 1;

        divide(&in->items[i], is_small ? 1 : part_count(size, total - small_total, left), out);
    }
    return ARUS_OK;
}

enum arus_status arus_kafka_ranges_split(const struct arus_kafka_range *ranges, size_t count,
                                         const struct arus_kafka_split_rule *rule,
                                         struct arus_arena *arena, struct arus_kafka_range **out,
                                         size_t *out_count, struct arus_error *err)
{
    struct cut all = {0};
    struct cut cut = {0};
    struct cut finer = {0};

    ARUS_TRY(ARUS_NEW(arena, struct arus_kafka_range, count + 1, &all.items, err));
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].to > ranges[i].from) {
            all.items[all.count++] = ranges[i];
        }
    }
    ARUS_TRY(by_records(&all, rule->records_max, arena, &cut, err));
    if (rule->partitions_min > 0 && (size_t)rule->partitions_min > cut.count) {
        ARUS_TRY(by_count(&cut, rule->partitions_min, arena, &finer, err));
        cut = finer;
    }
    number_parts(&cut);
    *out = cut.items;
    *out_count = cut.count;
    return ARUS_OK;
}

/* ---- lag ---- */

enum arus_status arus_kafka_lag(const struct arus_kafka_positions *end,
                                const struct arus_kafka_positions *latest, struct arus_arena *arena,
                                uint64_t *left_count, struct arus_text *metrics,
                                struct arus_error *err)
{
    int64_t most = 0;
    int64_t least = INT64_MAX;
    double sum = 0;
    char average[64] = "";

    *left_count = 0;
    *metrics = (struct arus_text){0};
    for (size_t i = 0; i < latest->count; i++) {
        const struct arus_kafka_position *position =
            arus_kafka_positions_find(end, latest->items[i].topic, latest->items[i].partition);
        const int64_t lag = latest->items[i].offset - (position == NULL ? 0 : position->offset);

        most = lag > most ? lag : most;
        least = lag < least ? lag : least;
        sum += (double)lag;
        *left_count += lag > 0 ? (uint64_t)lag : 0;
    }
    if (latest->count == 0) {
        return ARUS_OK;
    }
    average[arus_double_write(sum / (double)latest->count, average)] = '\0';
    return arus_text_format(arena, metrics, err,
                            "{\"avgOffsetsBehindLatest\":\"%s\",\"maxOffsetsBehindLatest\":\"%lld\""
                            ",\"minOffsetsBehindLatest\":\"%lld\"}",
                            average, (long long)most, (long long)least);
}
