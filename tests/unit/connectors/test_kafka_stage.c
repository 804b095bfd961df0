#include "kafka/stage.h"
#include "support/folder.h"

#include <criterion/new/assert.h>

TestSuite(kafka_stage, .init = folder_make, .fini = folder_remove);

static struct arus_error err;

/* Record i: topic a or b, value of so many bytes. */
static struct arus_kafka_record record_of(int i, size_t size)
{
    static char bytes[40000];

    memset(bytes, 'a' + i % 26, size);
    return (struct arus_kafka_record){.topic = i % 3 == 0 ? "a" : "b",
                                      .partition = i % 5 - 1,
                                      .key = {i % 2 == 0 ? NULL : "k", i % 2 == 0 ? 0 : 1},
                                      .value = {bytes, size}};
}

static void fill(struct arus_kafka_stage *stage, int count, size_t size)
{
    for (int i = 0; i < count; i++) {
        const struct arus_kafka_record record = record_of(i, size);

        cr_assert(eq(int, arus_kafka_stage_put(stage, &record, &err), ARUS_OK), "%s", err.message);
    }
}

static void check(const struct arus_kafka_stage *stage, int count, size_t size)
{
    struct arus_kafka_cursor cursor = {.stage = stage};
    struct arus_kafka_record got;
    const void *stored;

    for (int i = 0; i < count; i++) {
        const struct arus_kafka_record wanted = record_of(i, size);

        cr_assert(eq(int, arus_kafka_stage_next(&cursor, &got, &stored, &err), ARUS_OK));
        cr_assert(stored != NULL);
        cr_assert(strcmp(got.topic, wanted.topic) == 0 && got.partition == wanted.partition);
        cr_assert(eq(sz, got.value.size, size));
        cr_assert(memcmp(got.value.data, wanted.value.data, size) == 0);
        cr_assert(wanted.key.data == NULL ? got.key.data == NULL : got.key.data != NULL);
    }
    cr_assert(eq(int, arus_kafka_stage_next(&cursor, &got, &stored, &err), ARUS_OK));
    cr_assert(stored == NULL);
    arus_kafka_cursor_end(&cursor);
}

Test(kafka_stage, gives_records_back_in_order)
{
    struct arus_kafka_stage stage = {0};

    check(&stage, 0, 0);
    fill(&stage, 1000, 3000);
    check(&stage, 1000, 3000);
    arus_kafka_stage_reset(&stage);
    check(&stage, 0, 0);
    fill(&stage, 10, 0);
    check(&stage, 10, 0);
    arus_kafka_stage_release(&stage);
}

Test(kafka_stage, goes_to_a_file_beyond_its_budget)
{
    struct arus_kafka_stage stage = {.block_max = 2, .spill_folder = test_folder};

    for (int round = 0; round < 2; round++) {
        fill(&stage, 500, 30000);
        cr_expect(le(sz, stage.block_count, 2));
        cr_expect(gt(sz, stage.spilled.size, 0));
        check(&stage, 500, 30000);
        check(&stage, 500, 30000); /* again: a transaction that is repeated */
        arus_kafka_stage_reset(&stage);
    }
    arus_kafka_stage_release(&stage);
}

Test(kafka_stage, keeps_headers_with_nulls)
{
    const struct arus_kafka_header headers[] = {
        {ARUS_TEXT("a"), {"x", 1}}, {ARUS_TEXT(""), {NULL, 0}}, {ARUS_TEXT("long"), {"", 0}}};
    struct arus_kafka_record record = {
        .topic = "t", .partition = -1, .headers = headers, .header_count = 3};
    struct arus_kafka_stage stage = {0};
    struct arus_kafka_cursor cursor = {.stage = &stage};
    struct arus_kafka_header header;
    const void *stored;

    cr_assert(eq(int, arus_kafka_stage_put(&stage, &record, &err), ARUS_OK));
    cr_assert(eq(int, arus_kafka_stage_next(&cursor, &record, &stored, &err), ARUS_OK));
    cr_expect(record.value.data == NULL && record.key.data == NULL);
    arus_kafka_stage_header(stored, 1, &header);
    cr_expect(header.name.size == 0 && header.value.data == NULL);
    arus_kafka_stage_header(stored, 2, &header);
    cr_expect(header.name.size == 4 && header.value.data != NULL && header.value.size == 0);
    arus_kafka_cursor_end(&cursor);
    arus_kafka_stage_release(&stage);
}
