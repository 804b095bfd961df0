/* The messages are FlatBuffers. They are built front to back: a table is written with room for its
 * references, which are filled in when what they refer to has been written behind it. */
#include "format/arrow_stream.h"

#include "base/alloc.h"
#include "column/arrow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 8
#define BODY_ALIGN 8

struct arus_arrow_stream {
    struct arus_output output;
    struct arus_buffer message;
    struct arus_buffer nodes;   /* of a record batch: length, null count */
    struct arus_buffer buffers; /* offset, length */
    struct arus_buffer body;
};

/* ---- FlatBuffers ---- */

/* One field of a table: its number, bytes and value; a reference is a value of 0 to be filled. */
struct slot {
    uint16_t id;
    uint16_t size;
    int64_t value;
};

static enum arus_status align(struct arus_buffer *out, size_t to, struct arus_error *err)
{
    static const char ZEROS[BODY_ALIGN] = {0};

    return arus_buffer_append(out, ZEROS, (to - out->size % to) % to, err);
}

/* Values lie in order of falling size, so that each is aligned when the table begins at 4 modulo
 * 8. `*places` gets where each value lies, by slot. */
static enum arus_status put_table(struct arus_buffer *out, const struct slot *slots, size_t count,
                                  size_t *places, size_t *table, struct arus_error *err)
{
    uint16_t vtable[2 + FIELDS_MAX] = {0};
    uint16_t last = 0;
    uint16_t at = 4;
    int32_t back;

    for (size_t i = 0; i < count; i++) {
        at = (uint16_t)((at + slots[i].size - 1 + (slots[i].size == 8 ? 4 : 0)) / slots[i].size *
                            slots[i].size -
                        (slots[i].size == 8 ? 4 : 0));
        vtable[2 + slots[i].id] = at;
        at = (uint16_t)(at + slots[i].size);
        last = slots[i].id + 1 > last ? (uint16_t)(slots[i].id + 1) : last;
    }
    vtable[0] = (uint16_t)(4 + 2 * last);
    vtable[1] = at;
    ARUS_TRY(align(out, 2, err));
    back = (int32_t)out->size;
    ARUS_TRY(arus_buffer_append(out, vtable, vtable[0], err));
    ARUS_TRY(align(out, 4, err));
    if (out->size % 8 == 0) {
        ARUS_TRY(arus_buffer_append(out, "\0\0\0\0", 4, err));
    }
    *table = out->size;
    back = (int32_t)*table - back;
    ARUS_TRY(arus_buffer_append(out, &back, 4, err));
    for (size_t i = 0; i < count; i++) {
        const size_t place = *table + vtable[2 + slots[i].id];

        while (out->size < place) {
            ARUS_TRY(arus_buffer_append_char(out, '\0', err));
        }
        places[i] = place;
        ARUS_TRY(arus_buffer_append(out, &slots[i].value, slots[i].size, err));
    }
    return ARUS_OK;
}

/* Lets the reference at `place` point to `target`. */
static void refer(struct arus_buffer *out, size_t place, size_t target)
{
    const uint32_t distance = (uint32_t)(target - place);

    memcpy(out->data + place, &distance, 4);
}

static enum arus_status put_string(struct arus_buffer *out, const char *text, size_t place,
                                   struct arus_error *err)
{
    const uint32_t size = (uint32_t)strlen(text);

    ARUS_TRY(align(out, 4, err));
    refer(out, place, out->size);
    ARUS_TRY(arus_buffer_append(out, &size, 4, err));
    return arus_buffer_append(out, text, size + 1, err);
}

/* A vector of `size` bytes in `count` items that are aligned to 8. */
static enum arus_status put_structs(struct arus_buffer *out, const struct arus_buffer *items,
                                    uint32_t count, size_t place, struct arus_error *err)
{
    ARUS_TRY(align(out, 4, err));
    if (out->size % 8 == 0) {
        ARUS_TRY(arus_buffer_append(out, "\0\0\0\0", 4, err));
    }
    refer(out, place, out->size);
    ARUS_TRY(arus_buffer_append(out, &count, 4, err));
    return arus_buffer_append_text(out, arus_buffer_text(items), err);
}

/* ---- the schema ---- */

/* Arrow's Type union and its table's fields. */
struct type_row {
    const char *format; /* of the C data interface, or how it begins */
    uint8_t type;
    uint8_t slot_count;
    struct slot slots[2];
};

static const struct type_row TYPES[] = {
    {"n", 1, 0, {{0}}},
    {"b", 6, 0, {{0}}},
    {"c", 2, 2, {{0, 4, 8}, {1, 1, 1}}},
    {"s", 2, 2, {{0, 4, 16}, {1, 1, 1}}},
    {"i", 2, 2, {{0, 4, 32}, {1, 1, 1}}},
    {"l", 2, 2, {{0, 4, 64}, {1, 1, 1}}},
    {"f", 3, 1, {{0, 2, 1}}},
    {"g", 3, 1, {{0, 2, 2}}},
    {"u", 5, 0, {{0}}},
    {"z", 4, 0, {{0}}},
    {"tdD", 8, 1, {{0, 2, 0}}},
    {"tiM", 11, 1, {{0, 2, 0}}},
    {"tDu", 18, 1, {{0, 2, 2}}},
    {"+l", 12, 0, {{0}}},
    {"+s", 13, 0, {{0}}},
    {"+m", 17, 0, {{0}}},
};

static const struct type_row *find_type(const char *format)
{
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
        if (strcmp(TYPES[i].format, format) == 0) {
            return &TYPES[i];
        }
    }
    return NULL;
}

/* The table of a type; `*type` gets its number in the union. */
static enum arus_status put_type(struct arus_buffer *out, const char *format, size_t place,
                                 size_t type_place, struct arus_error *err)
{
    const struct type_row *row = find_type(format);
    struct slot slots[3] = {{0}};
    size_t places[3];
    size_t count = 0;
    size_t table;
    uint8_t type;

    if (row != NULL) {
        count = row->slot_count;
        memcpy(slots, row->slots, sizeof row->slots);
        type = row->type;
    } else if (format[0] == 'd' && format[1] == ':') { /* d:precision,scale */
        const char *comma = strchr(format, ',');

        type = 7;
        count = 3;
        slots[0] = (struct slot){0, 4, strtol(format + 2, NULL, 10)};
        slots[1] = (struct slot){1, 4, comma == NULL ? 0 : strtol(comma + 1, NULL, 10)};
        slots[2] = (struct slot){2, 4, 128};
    } else if (strncmp(format, "tsu:", 4) == 0) { /* microseconds, with a zone or without */
        type = 10;
        count = format[4] == '\0' ? 1 : 2;
        slots[count - 1] = (struct slot){0, 2, 2};
        slots[0] = count == 2 ? (struct slot){1, 4, 0} : slots[0];
    } else {
        return arus_fail(err, ARUS_BAD_CONFIG, "ARUS_NOT_SUPPORTED", "no Arrow type for `%s`",
                         format);
    }
    out->data[type_place] = (char)type;
    ARUS_TRY(put_table(out, slots, count, places, &table, err));
    refer(out, place, table);
    return type == 10 && count == 2 ? put_string(out, format + 4, places[0], err) : ARUS_OK;
}

static enum arus_status put_fields(struct arus_buffer *out, struct ArrowSchema *const *fields,
                                   int64_t count, size_t place, struct arus_error *err);

static enum arus_status put_field(struct arus_buffer *out, const struct ArrowSchema *field,
                                  size_t place, struct arus_error *err)
{
    const struct slot slots[] = {{0, 4, 0},
                                 {3, 4, 0},
                                 {5, 4, 0},
                                 {1, 1, (field->flags & ARROW_FLAG_NULLABLE) != 0},
                                 {2, 1, 0}};
    size_t places[5];
    size_t table;

    ARUS_TRY(put_table(out, slots, 5, places, &table, err));
    refer(out, place, table);
    ARUS_TRY(put_string(out, field->name == NULL ? "" : field->name, places[0], err));
    ARUS_TRY(put_type(out, field->format, places[1], places[4], err));
    return put_fields(out, field->children, field->n_children, places[2], err);
}

static enum arus_status put_fields(struct arus_buffer *out, struct ArrowSchema *const *fields,
                                   int64_t count, size_t place, struct arus_error *err)
{
    const uint32_t size = (uint32_t)count;
    size_t first;

    ARUS_TRY(align(out, 4, err));
    refer(out, place, out->size);
    ARUS_TRY(arus_buffer_append(out, &size, 4, err));
    first = out->size;
    for (int64_t i = 0; i < count; i++) {
        ARUS_TRY(arus_buffer_append(out, "\0\0\0\0", 4, err));
    }
    for (int64_t i = 0; i < count; i++) {
        ARUS_TRY(put_field(out, fields[i], first + 4 * (size_t)i, err));
    }
    return ARUS_OK;
}

/* ---- messages ---- */

/* The root: version 5, the kind of header, its place, the size of the body. */
static enum arus_status begin_message(struct arus_buffer *out, uint8_t header, int64_t body_size,
                                      size_t *header_place, struct arus_error *err)
{
    const struct slot slots[] = {{3, 8, body_size}, {2, 4, 0}, {0, 2, 4}, {1, 1, header}};
    size_t places[4];
    size_t table;

    arus_buffer_reset(out);
    ARUS_TRY(arus_buffer_append(out, "\0\0\0\0", 4, err)); /* where the root is */
    ARUS_TRY(put_table(out, slots, 4, places, &table, err));
    refer(out, 0, table);
    *header_place = places[1];
    return ARUS_OK;
}

static enum arus_status send(struct arus_arrow_stream *stream, const struct arus_buffer *body,
                             struct arus_error *err)
{
    const uint32_t mark = 0xFFFFFFFF;
    int32_t size;

    ARUS_TRY(align(&stream->message, 8, err));
    size = (int32_t)stream->message.size;
    ARUS_TRY(stream->output.write(stream->output.self, &mark, 4, err));
    ARUS_TRY(stream->output.write(stream->output.self, &size, 4, err));
    ARUS_TRY(stream->output.write(stream->output.self, stream->message.data, (size_t)size, err));
    return body == NULL || body->size == 0
               ? ARUS_OK
               : stream->output.write(stream->output.self, body->data, body->size, err);
}

static enum arus_status send_schema(struct arus_arrow_stream *stream,
                                    const struct ArrowSchema *schema, struct arus_error *err)
{
    const struct slot slots[] = {{1, 4, 0}, {0, 2, 0}};
    size_t places[2];
    size_t table;
    size_t place;

    ARUS_TRY(begin_message(&stream->message, 1, 0, &place, err));
    ARUS_TRY(put_table(&stream->message, slots, 2, places, &table, err));
    refer(&stream->message, place, table);
    ARUS_TRY(put_fields(&stream->message, schema->children, schema->n_children, places[0], err));
    return send(stream, NULL, err);
}

/* ---- record batches ---- */

static enum arus_status add_buffer(struct arus_arrow_stream *stream, const void *data, size_t size,
                                   struct arus_error *err)
{
    const int64_t entry[2] = {(int64_t)stream->body.size, data == NULL ? 0 : (int64_t)size};

    ARUS_TRY(arus_buffer_append(&stream->buffers, entry, sizeof entry, err));
    ARUS_TRY(arus_buffer_append(&stream->body, data, (size_t)entry[1], err));
    return align(&stream->body, BODY_ALIGN, err);
}

static size_t value_size(const char *format)
{
    switch (format[0]) {
    case 'c':
        return 1;
    case 's':
        return 2;
    case 'i':
    case 'f':
        return 4;
    case 'd':
        return 16;
    case 't':
        return strcmp(format, "tdD") == 0 || strcmp(format, "tiM") == 0 ? 4 : 8;
    default:
        return 8;
    }
}

static enum arus_status add_array(struct arus_arrow_stream *stream,
                                  const struct ArrowSchema *schema, const struct ArrowArray *array,
                                  struct arus_error *err)
{
    const int64_t node[2] = {array->length, array->null_count < 0 ? 0 : array->null_count};
    const size_t count = (size_t)array->length;
    const size_t bits = (count + 7) / 8;
    const char kind = schema->format[0];

    ARUS_TRY(arus_buffer_append(&stream->nodes, node, sizeof node, err));
    if (kind != 'n') {
        ARUS_TRY(add_buffer(stream, array->null_count == 0 ? NULL : array->buffers[0], bits, err));
    }
    if (kind == 'u' || kind == 'z') {
        const int32_t *offsets = array->buffers[1];

        ARUS_TRY(add_buffer(stream, offsets, (count + 1) * 4, err));
        ARUS_TRY(add_buffer(stream, array->buffers[2], (size_t)offsets[count], err));
    } else if (kind == '+' && schema->format[1] != 's') {
        ARUS_TRY(add_buffer(stream, array->buffers[1], (count + 1) * 4, err));
    } else if (kind == 'b') {
        ARUS_TRY(add_buffer(stream, array->buffers[1], bits, err));
    } else if (kind != '+' && kind != 'n') {
        ARUS_TRY(add_buffer(stream, array->buffers[1], count * value_size(schema->format), err));
    }
    for (int64_t i = 0; i < array->n_children; i++) {
        ARUS_TRY(add_array(stream, schema->children[i], array->children[i], err));
    }
    return ARUS_OK;
}

static enum arus_status send_batch(struct arus_arrow_stream *stream,
                                   const struct ArrowSchema *schema, const struct ArrowArray *array,
                                   struct arus_error *err)
{
    const struct slot slots[] = {{0, 8, array->length}, {1, 4, 0}, {2, 4, 0}};
    size_t places[3];
    size_t table;
    size_t place;

    arus_buffer_reset(&stream->nodes);
    arus_buffer_reset(&stream->buffers);
    arus_buffer_reset(&stream->body);
    for (int64_t i = 0; i < array->n_children; i++) {
        ARUS_TRY(add_array(stream, schema->children[i], array->children[i], err));
    }
    ARUS_TRY(begin_message(&stream->message, 3, (int64_t)stream->body.size, &place, err));
    ARUS_TRY(put_table(&stream->message, slots, 3, places, &table, err));
    refer(&stream->message, place, table);
    ARUS_TRY(put_structs(&stream->message, &stream->nodes, (uint32_t)(stream->nodes.size / 16),
                         places[1], err));
    ARUS_TRY(put_structs(&stream->message, &stream->buffers, (uint32_t)(stream->buffers.size / 16),
                         places[2], err));
    return send(stream, &stream->body, err);
}

/* ---- the stream ---- */

enum arus_status arus_arrow_stream_open(const struct arus_type *schema, struct arus_output output,
                                        struct arus_arrow_stream **out, struct arus_error *err)
{
    struct arus_arrow_stream *stream = arus_alloc(1, sizeof *stream);
    struct ArrowSchema exported;
    enum arus_status status;

    *out = NULL;
    if (stream == NULL) {
        return arus_fail_memory(err);
    }
    stream->output = output;
    status = arus_arrow_schema(schema, &exported, err);
    if (status == ARUS_OK) {
        status = send_schema(stream, &exported, err);
        exported.release(&exported);
    }
    if (status != ARUS_OK) {
        arus_arrow_stream_close(stream);
        return status;
    }
    *out = stream;
    return ARUS_OK;
}

enum arus_status arus_arrow_stream_write(struct arus_arrow_stream *stream,
                                         const struct arus_batch *batch, struct arus_error *err)
{
    struct ArrowSchema schema;
    struct ArrowArray array;
    enum arus_status status = arus_arrow_schema(batch->schema, &schema, err);

    ARUS_TRY(status);
    status = arus_arrow_batch(batch, &array, err);
    if (status == ARUS_OK) {
        status = send_batch(stream, &schema, &array, err);
        array.release(&array);
    }
    schema.release(&schema);
    return status;
}

enum arus_status arus_arrow_stream_finish(struct arus_arrow_stream *stream, struct arus_error *err)
{
    static const unsigned char END[8] = {0xFF, 0xFF, 0xFF, 0xFF};

    return stream->output.write(stream->output.self, END, sizeof END, err);
}

void arus_arrow_stream_close(struct arus_arrow_stream *stream)
{
    if (stream != NULL) {
        arus_buffer_release(&stream->message);
        arus_buffer_release(&stream->nodes);
        arus_buffer_release(&stream->buffers);
        arus_buffer_release(&stream->body);
        arus_free(stream);
    }
}
