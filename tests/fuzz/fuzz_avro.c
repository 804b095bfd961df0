/** A writer's schema, a reader's and bytes, a line each: no crash; what is read takes no more than
 * there is; bytes that can be read at all can be passed over with the same end. */
#include "base/attr.h"
#include "format/avro_read.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct arus_text take_line(struct arus_text *rest)
{
    const char *end = rest->size == 0 ? NULL : memchr(rest->data, '\n', rest->size);
    const size_t size = end == NULL ? rest->size : (size_t)(end - rest->data);
    const struct arus_text line = {rest->data, size};

    rest->data += size + (end != NULL);
    rest->size -= size + (end != NULL);
    return line;
}

/* Bytes left, or -1: they cannot be read. */
static int64_t read_left(const struct arus_avro_plan *plan, const struct arus_type *type,
                         struct arus_text bytes)
{
    struct arus_builder builder = {0};
    struct arus_error err;
    int64_t left = -1;

    if (arus_builder_init(&builder, type, &err) == ARUS_OK &&
        arus_avro_plan_take(plan, &bytes, &builder, &err) == ARUS_OK) {
        ARUS_ASSERT(builder.row_count == 1);
        left = (int64_t)bytes.size;
    }
    arus_builder_release(&builder);
    return left;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arus_text rest = {(const char *)data, size};
    const struct arus_text writer_json = take_line(&rest);
    const struct arus_text reader_json = take_line(&rest);
    const struct arus_avro *writer;
    const struct arus_avro *reader;
    const struct arus_avro_plan *plan;
    const struct arus_avro_plan *same;
    struct arus_arena arena;
    struct arus_error err;

    arus_arena_init(&arena, (size_t)256 << 20);
    if (arus_avro_parse(writer_json, &arena, &writer, &err) == ARUS_OK &&
        arus_avro_parse(reader_json, &arena, &reader, &err) == ARUS_OK &&
        arus_avro_plan_resolve(writer, reader, &arena, &plan, &err) == ARUS_OK) {
        const int64_t left = read_left(plan, reader->type, rest);

        ARUS_ASSERT(left <= (int64_t)rest.size);
        if (left >= 0 && arus_avro_plan_resolve(writer, writer, &arena, &same, &err) == ARUS_OK) {
            const int64_t left_same = read_left(same, writer->type, rest);

            ARUS_ASSERT(left_same == left || left_same < 0);
        }
    }
    arus_arena_release(&arena);
    return 0;
}
