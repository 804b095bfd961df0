#include "column/append.h"
#include "format/arrow_stream.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* Size and hash of bytes that were read and validated by pyarrow 26. */
#define WANTED_SIZE ((size_t)648)
#define WANTED_HASH ((uint64_t)10412940431879658842U)

static const struct arus_field FIELDS[] = {
    {.name = {"a", 1}, .type = &ARUS_INT, .is_nullable = true},
    {.name = {"s", 1}, .type = &ARUS_STRING},
    {.name = {"ts", 2}, .type = &ARUS_TIMESTAMP, .is_nullable = true},
};
static const struct arus_type SCHEMA = {.id = ARUS_TYPE_STRUCT, .field_count = 3, .fields = FIELDS};

static enum arus_status collect(void *self, const void *data, size_t size, struct arus_error *err)
{
    return arus_buffer_append(self, data, size, err);
}

static void fill(struct arus_batch *batch, struct arus_arena *arena)
{
    struct arus_error err;

    cr_assert(eq(int, arus_batch_init(batch, &SCHEMA, 3, arena, &err), ARUS_OK));
    for (uint32_t i = 0; i < 3; i++) {
        ((int32_t *)batch->columns[0].values)[i] = (int32_t)i * 7;
        ((struct arus_view *)batch->columns[1].values)[i] = arus_view_of("abcdef", i * 3);
        ((int64_t *)batch->columns[2].values)[i] = 1000000 * (int64_t)i;
    }
    cr_assert(eq(int, arus_vector_need_validity(&batch->columns[0], arena, &err), ARUS_OK));
    arus_bit_clear(batch->columns[0].validity, 1);
}

Test(arrow_stream, is_what_arrow_reads)
{
    struct arus_buffer out = {0};
    struct arus_arena arena = {0};
    struct arus_arrow_stream *stream;
    struct arus_batch batch;
    struct arus_error err;
    uint64_t hash = 14695981039346656037U; /* FNV-1a */

    fill(&batch, &arena);
    cr_assert(
        eq(int, arus_arrow_stream_open(&SCHEMA, (struct arus_output){collect, &out}, &stream, &err),
           ARUS_OK));
    cr_assert(eq(int, arus_arrow_stream_write(stream, &batch, &err), ARUS_OK));
    cr_assert(eq(int, arus_arrow_stream_finish(stream, &err), ARUS_OK));
    arus_arrow_stream_close(stream);
    for (size_t i = 0; i < out.size; i++) {
        hash = (hash ^ (unsigned char)out.data[i]) * 1099511628211U;
    }
    cr_expect(eq(sz, out.size, WANTED_SIZE));
    cr_expect(eq(u64, hash, WANTED_HASH));
    arus_buffer_release(&out);
    arus_arena_release(&arena);
}
