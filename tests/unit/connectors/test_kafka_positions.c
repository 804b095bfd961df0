#include "kafka/positions.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>

static struct arus_arena arena;
static struct arus_error err;
static char shown[600];

static void release(void)
{
    arus_arena_release(&arena);
}

TestSuite(kafka_positions, .fini = release);

/* Read and written again. */
static char *again(const char *json)
{
    struct arus_kafka_positions positions;
    struct arus_text text;

    if (arus_kafka_positions_parse(arus_text_of(json), &arena, &positions, &err) != ARUS_OK) {
        return err.message;
    }
    cr_assert(eq(int, arus_kafka_positions_format(&positions, &arena, &text, &err), ARUS_OK));
    (void)snprintf(shown, sizeof shown, "%s", text.data);
    return shown;
}

Test(kafka_positions, are_written_sorted_and_compact)
{
    cr_expect(eq(str, again("{}"), "{}"));
    cr_expect(eq(str, again("{\"t\": {\"1\": 7, \"0\": 23}}"), "{\"t\":{\"0\":23,\"1\":7}}"));
    cr_expect(eq(str, again("{\"t\":{\"0\":-2,\"10\":-1,\"9\":5}}"),
                 "{\"t\":{\"0\":-2,\"9\":5,\"10\":-1}}"));
    cr_expect(
        eq(str, again("{\"b\":{\"0\":1},\"a\":{\"0\":2}}"), "{\"a\":{\"0\":2},\"b\":{\"0\":1}}"));
}

Test(kafka_positions, go_by_the_buckets_of_a_scala_map)
{
    /* 20 lies in bucket 4 of 16, before 5 */
    cr_expect(eq(str, again("{\"t\":{\"5\":1,\"20\":2}}"), "{\"t\":{\"20\":2,\"5\":1}}"));
}

Test(kafka_positions, errors_say_what_is_wrong)
{
    cr_expect(eq(str, again("x"), "expected JSON such as {\"topic\":{\"0\":23,\"1\":-1}}"));
    cr_expect(eq(str, again("{\"t\":1}"), "`t` must hold an object of partitions"));
    cr_expect(eq(str, again("{\"t\":{\"x\":1}}"), "\"x\" is no partition of `t`"));
    cr_expect(eq(str, again("{\"t\":{\"0\":\"1\"}}"), "`t` must hold whole numbers"));
}

Test(kafka_positions, assignments_are_lists)
{
    struct arus_kafka_positions positions;

    cr_assert(eq(
        int,
        arus_kafka_assignment_parse(ARUS_TEXT("{\"b\":[1,0],\"a\":[3]}"), &arena, &positions, &err),
        ARUS_OK));
    cr_assert(eq(sz, positions.count, 3));
    cr_expect(arus_text_equal(positions.items[0].topic, ARUS_TEXT("a")));
    cr_expect(eq(int, positions.items[2].partition, 1));
    cr_expect(arus_kafka_positions_find(&positions, ARUS_TEXT("b"), 0) != NULL);
    cr_expect(arus_kafka_positions_find(&positions, ARUS_TEXT("b"), 2) == NULL);
}
