#include "kafka/range.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>

static struct arus_arena arena;
static struct arus_error err;
static char shown[400];

static void release(void)
{
    arus_arena_release(&arena);
}

TestSuite(kafka_range, .fini = release);

/* Ranges a, b, c .. as `a1-5 b1-21`, cut by a rule. */
static char *cut(struct arus_kafka_split_rule rule, const int64_t (*bounds)[2], size_t count)
{
    static const struct arus_text NAMES[] = {{"a", 1}, {"b", 1}, {"c", 1}};
    struct arus_kafka_range ranges[3];
    struct arus_kafka_range *out;
    size_t out_count = 0;
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        ranges[i] =
            (struct arus_kafka_range){.topic = NAMES[i], .from = bounds[i][0], .to = bounds[i][1]};
    }
    cr_assert(eq(int, arus_kafka_ranges_split(ranges, count, &rule, &arena, &out, &out_count, &err),
                 ARUS_OK));
    shown[0] = '\0';
    for (size_t i = 0; i < out_count; i++) {
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%s%.*s%lld-%lld",
                                 i == 0 ? "" : " ", ARUS_TEXT_ARGS(out[i].topic),
                                 (long long)out[i].from, (long long)out[i].to);
    }
    return shown;
}

#define CUT(min, max, ...)                                                                         \
    cut((struct arus_kafka_split_rule){min, max}, (const int64_t[][2]){__VA_ARGS__},               \
        sizeof((const int64_t[][2]){__VA_ARGS__}) / sizeof(int64_t[2]))

Test(kafka_range, are_cut_as_spark_cuts_them)
{
    cr_expect(eq(str, CUT(1, 0, {1, 5}, {1, 21}), "a1-5 b1-21"));
    cr_expect(eq(str, CUT(4, 0, {1, 5}), "a1-2 a2-3 a3-4 a4-5"));
    cr_expect(eq(str, CUT(4, 0, {1, 5}, {1, 21}), "a1-5 b1-7 b7-14 b14-21"));
    cr_expect(eq(str, CUT(4, 0, {1, 1}, {1, 21}), "b1-6 b6-11 b11-16 b16-21"));
    cr_expect(eq(str, CUT(4, 0, {1, 2}, {1, 1001}), "a1-2 b1-334 b334-667 b667-1001"));
    cr_expect(eq(str, CUT(3, 0, {1, 11}), "a1-4 a4-7 a7-11"));
    cr_expect(eq(str, CUT(6, 0, {0, 10}, {0, 10}, {0, 1}), "a0-3 a3-6 a6-10 b0-3 b3-6 b6-10 c0-1"));
    cr_expect(eq(str, CUT(6, 0, {0, 500}, {0, 12000}, {0, 15001}),
                 "a0-500 b0-6000 b6000-12000 c0-5000 c5000-10000 c10000-15001"));
}

Test(kafka_range, have_at_most_so_many_records)
{
    cr_expect(eq(str, CUT(0, 4, {1, 6}), "a1-3 a3-6"));
    cr_expect(eq(str, CUT(0, 20, {1, 40}, {1, 50}, {1, 60}),
                 "a1-20 a20-40 b1-17 b17-33 b33-50 c1-20 c20-40 c40-60"));
}

Test(kafka_range, limits_are_shared_out_by_size)
{
    struct arus_kafka_position from[] = {{{"t", 1}, 0, 0}, {{"t", 1}, 1, 0}, {{"t", 1}, 2, 0}};
    struct arus_kafka_position until[] = {{{"t", 1}, 0, 101}, {{"t", 1}, 1, 11}, {{"t", 1}, 2, 1}};
    const struct arus_kafka_positions start = {from, 3};
    struct arus_kafka_positions end = {until, 3};

    arus_kafka_limit(&start, 10, &end);
    cr_expect(eq(i64, end.items[0].offset, 8));
    cr_expect(eq(i64, end.items[1].offset, 1)); /* 0.97 becomes 1 */
    cr_expect(eq(i64, end.items[2].offset, 1)); /* so does 0.09 */
}

Test(kafka_range, limits_do_not_overflow)
{
    struct arus_kafka_position from[] = {{{"t", 1}, 0, 5}};
    struct arus_kafka_position until[] = {{{"t", 1}, 0, 10}};
    const struct arus_kafka_positions start = {from, 1};
    struct arus_kafka_positions end = {until, 1};

    arus_kafka_limit(&start, INT64_MAX, &end);
    cr_expect(eq(i64, end.items[0].offset, 10));
}
