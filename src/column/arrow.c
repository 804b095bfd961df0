/** Export to Arrow: each tree of structs lies in one arena that its release frees. */
#include "column/arrow.h"

#include "base/alloc.h"
#include "types/decimal.h"

#include <stdatomic.h>

/* ---- schema ---- */

static enum arus_status format_of(const struct arus_type *type, struct arus_arena *arena,
                                  const char **out, struct arus_error *err)
{
    static const char *const FORMATS[ARUS_TYPE_COUNT] = {
        [ARUS_TYPE_VOID] = "n",
        [ARUS_TYPE_BOOLEAN] = "b",
        [ARUS_TYPE_TINYINT] = "c",
        [ARUS_TYPE_SMALLINT] = "s",
        [ARUS_TYPE_INT] = "i",
        [ARUS_TYPE_BIGINT] = "l",
        [ARUS_TYPE_FLOAT] = "f",
        [ARUS_TYPE_DOUBLE] = "g",
        [ARUS_TYPE_STRING] = "u",
        [ARUS_TYPE_BINARY] = "z",
        [ARUS_TYPE_DATE] = "tdD",
        [ARUS_TYPE_TIMESTAMP] = "tsu:UTC",
        [ARUS_TYPE_TIMESTAMP_NTZ] = "tsu:",
        [ARUS_TYPE_INTERVAL_YM] = "tiM",
        [ARUS_TYPE_INTERVAL_DT] = "tDu",
        [ARUS_TYPE_ARRAY] = "+l",
        [ARUS_TYPE_MAP] = "+m",
        [ARUS_TYPE_STRUCT] = "+s",
    };
    struct arus_text text;

    *out = FORMATS[type->id];
    if (type->id == ARUS_TYPE_INTERVAL) { /* Arrow's counts nanoseconds */
        return arus_fail(err, ARUS_BAD_CONFIG, "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                         "Arrow has no type for INTERVAL");
    }
    if (type->id != ARUS_TYPE_DECIMAL) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_text_format(arena, &text, err, "d:%u,%u", type->precision, type->scale));
    *out = text.data;
    return ARUS_OK;
}

/* What one export allocated. A consumer may move children out and release the parent before them,
 * so each node holds a part, and the last one frees. */
struct shared {
    struct arus_arena arena; /* first: fill functions are given only this */
    atomic_size_t live;      /* nodes that are not released */
};

static struct shared *hold(struct arus_arena *arena)
{
    struct shared *shared = (struct shared *)arena;

    (void)atomic_fetch_add(&shared->live, 1);
    return shared;
}

static void let_go(struct shared *shared)
{
    if (atomic_fetch_sub(&shared->live, 1) == 1) {
        arus_arena_release(&shared->arena);
        arus_free(shared);
    }
}

static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i]->release != NULL) {
            schema->children[i]->release(schema->children[i]);
        }
    }
    schema->release = NULL;
    let_go(schema->private_data);
}

static void own_schema(struct ArrowSchema *schema, struct arus_arena *arena)
{
    schema->private_data = hold(arena);
    schema->release = release_schema;
}

static enum arus_status fill_schema(const struct arus_type *type, struct arus_text name,
                                    bool is_nullable, struct arus_arena *arena,
                                    struct ArrowSchema *out, struct arus_error *err);

static enum arus_status fill_schema_children(const struct arus_type *type, struct arus_arena *arena,
                                             struct ArrowSchema *out, struct arus_error *err)
{
    ARUS_TRY(
        ARUS_NEW(arena, struct ArrowSchema *, (size_t)type->field_count + 1, &out->children, err));
    out->n_children = type->field_count;
    for (uint16_t f = 0; f < type->field_count; f++) {
        const struct arus_field *field = &type->fields[f];

        ARUS_TRY(ARUS_NEW(arena, struct ArrowSchema, 1, &out->children[f], err));
        ARUS_TRY(fill_schema(field->type, field->name, field->is_nullable, arena, out->children[f],
                             err));
    }
    return ARUS_OK;
}

/* Arrow's map has one child: a struct of key and value that is never null. */
static enum arus_status fill_map_schema(const struct arus_type *type, struct arus_arena *arena,
                                        struct ArrowSchema *out, struct arus_error *err)
{
    struct ArrowSchema *entries;

    ARUS_TRY(ARUS_NEW(arena, struct ArrowSchema *, 1, &out->children, err));
    ARUS_TRY(ARUS_NEW(arena, struct ArrowSchema, 1, &entries, err));
    out->children[0] = entries;
    out->n_children = 1;
    entries->format = "+s";
    entries->name = "entries";
    own_schema(entries, arena);
    ARUS_TRY(fill_schema_children(type, arena, entries, err));
    entries->children[0]->flags = 0;
    return ARUS_OK;
}

static enum arus_status fill_schema(const struct arus_type *type, struct arus_text name,
                                    bool is_nullable, struct arus_arena *arena,
                                    struct ArrowSchema *out, struct arus_error *err)
{
    struct arus_text copy;

    ARUS_TRY(arus_text_copy(name, arena, &copy, err));
    out->name = copy.data;
    out->flags = is_nullable ? ARROW_FLAG_NULLABLE : 0;
    own_schema(out, arena);
    ARUS_TRY(format_of(type, arena, &out->format, err));
    if (type->id == ARUS_TYPE_MAP) {
        return fill_map_schema(type, arena, out, err);
    }
    return fill_schema_children(type, arena, out, err);
}

enum arus_status arus_arrow_schema(const struct arus_type *schema, struct ArrowSchema *out,
                                   struct arus_error *err)
{
    struct shared *shared = arus_alloc(1, sizeof *shared);
    enum arus_status status;

    *out = (struct ArrowSchema){0};
    if (shared == NULL) {
        return arus_fail_memory(err);
    }
    status = fill_schema(schema, (struct arus_text){0}, false, &shared->arena, out, err);
    if (status != ARUS_OK) {
        arus_arena_release(&shared->arena);
        arus_free(shared);
        *out = (struct ArrowSchema){0};
        return status;
    }
    return ARUS_OK;
}

/* ---- arrays ---- */

static void release_array(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release != NULL) {
            array->children[i]->release(array->children[i]);
        }
    }
    array->release = NULL;
    let_go(array->private_data);
}

static void own_array(struct ArrowArray *array, struct arus_arena *arena)
{
    array->private_data = hold(arena);
    array->release = release_array;
}

static enum arus_status new_buffer(struct arus_arena *arena, size_t size, const void **slot,
                                   void **out, struct arus_error *err)
{
    ARUS_TRY(arus_arena_buffer(arena, size == 0 ? 1 : size, out, err));
    *slot = *out;
    return ARUS_OK;
}

static enum arus_status fill_validity(const struct arus_vector *vector, struct arus_arena *arena,
                                      struct ArrowArray *out, struct arus_error *err)
{
    const size_t size = ((size_t)vector->row_count + 7) / 8;
    uint64_t nulls = 0;
    void *bits;

    if (vector->validity == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(new_buffer(arena, size, &out->buffers[0], &bits, err));
    memcpy(bits, vector->validity, size);
    for (uint32_t i = 0; i < vector->row_count; i++) {
        nulls += !arus_bit_get(vector->validity, i);
    }
    out->null_count = (int64_t)nulls;
    return ARUS_OK;
}

static enum arus_status fill_bits(const struct arus_vector *vector, struct arus_arena *arena,
                                  struct ArrowArray *out, struct arus_error *err)
{
    const size_t size = ((size_t)vector->row_count + 7) / 8;
    const uint8_t *values = vector->values;
    void *memory;
    uint8_t *bits;

    ARUS_TRY(new_buffer(arena, size, &out->buffers[1], &memory, err));
    bits = memory;
    memset(bits, 0, size);
    for (uint32_t i = 0; i < vector->row_count; i++) {
        bits[i / 8] |= (uint8_t)((values[i] & 1) << (i % 8));
    }
    return ARUS_OK;
}

static enum arus_status fill_views(const struct arus_vector *vector, struct arus_arena *arena,
                                   struct ArrowArray *out, struct arus_error *err)
{
    const struct arus_view *views = vector->values;
    uint64_t total = 0;
    void *memory;
    int32_t *offsets;
    char *data;

    for (uint32_t i = 0; i < vector->row_count; i++) {
        total += arus_bit_get(vector->validity, i) ? views[i].size : 0;
    }
    if (total > INT32_MAX) {
        return arus_fail(err, ARUS_NO_MEMORY, NULL, "more than 2 GiB of text in one Arrow column");
    }
    ARUS_TRY(
        new_buffer(arena, ((size_t)vector->row_count + 1) * 4, &out->buffers[1], &memory, err));
    offsets = memory;
    ARUS_TRY(new_buffer(arena, total, &out->buffers[2], &memory, err));
    data = memory;
    offsets[0] = 0;
    for (uint32_t i = 0; i < vector->row_count; i++) {
        const uint32_t size = arus_bit_get(vector->validity, i) ? views[i].size : 0;

        memcpy(data + offsets[i], size == 0 ? "" : views[i].data, size);
        offsets[i + 1] = offsets[i] + (int32_t)size;
    }
    return ARUS_OK;
}

static enum arus_status fill_decimals(const struct arus_vector *vector, struct arus_arena *arena,
                                      struct ArrowArray *out, struct arus_error *err)
{
    void *memory;

    ARUS_TRY(new_buffer(arena, (size_t)vector->row_count * 16, &out->buffers[1], &memory, err));
    for (uint32_t i = 0; i < vector->row_count; i++) {
        ((arus_int128 *)memory)[i] = arus_decimal_get(vector->type, vector->values, i);
    }
    return ARUS_OK;
}

static enum arus_status fill_fixed(const struct arus_vector *vector, struct arus_arena *arena,
                                   struct ArrowArray *out, struct arus_error *err)
{
    const size_t size = (size_t)vector->row_count * arus_type_value_size(vector->type);
    void *memory;

    ARUS_TRY(new_buffer(arena, size, &out->buffers[1], &memory, err));
    if (size != 0) {
        memcpy(memory, vector->values, size);
    }
    return ARUS_OK;
}

static enum arus_status fill_array(const struct arus_vector *vector, struct arus_arena *arena,
                                   struct ArrowArray *out, struct arus_error *err);

static enum arus_status add_child(const struct arus_vector *child, struct arus_arena *arena,
                                  struct ArrowArray **out, struct arus_error *err)
{
    ARUS_TRY(ARUS_NEW(arena, struct ArrowArray, 1, out, err));
    return fill_array(child, arena, *out, err);
}

static enum arus_status fill_struct(const struct arus_vector *vector, struct arus_arena *arena,
                                    struct ArrowArray *out, struct arus_error *err)
{
    const uint16_t count = vector->type->field_count;

    out->n_buffers = 1;
    out->n_children = count;
    ARUS_TRY(ARUS_NEW(arena, struct ArrowArray *, (size_t)count + 1, &out->children, err));
    for (uint16_t f = 0; f < count; f++) {
        ARUS_TRY(add_child(&vector->children[f], arena, &out->children[f], err));
    }
    return ARUS_OK;
}

/* Elements of all spans, one after the other, and the offsets that rise with them. */
static enum arus_status span_elements(const struct arus_vector *vector, struct arus_arena *arena,
                                      struct ArrowArray *out, uint32_t **elements, uint32_t *count,
                                      struct arus_error *err)
{
    const struct arus_span *spans = vector->values;
    uint64_t total = 0;
    int32_t *offsets;
    void *memory;

    for (uint32_t i = 0; i < vector->row_count; i++) {
        total += arus_bit_get(vector->validity, i) ? spans[i].count : 0;
    }
    if (total > INT32_MAX) {
        return arus_fail(err, ARUS_NO_MEMORY, NULL, "too many elements for one Arrow column");
    }
    ARUS_TRY(
        new_buffer(arena, ((size_t)vector->row_count + 1) * 4, &out->buffers[1], &memory, err));
    offsets = memory;
    ARUS_TRY(ARUS_NEW(arena, uint32_t, total + 1, elements, err));
    offsets[0] = 0;
    *count = 0;
    for (uint32_t i = 0; i < vector->row_count; i++) {
        const uint32_t size = arus_bit_get(vector->validity, i) ? spans[i].count : 0;

        for (uint32_t k = 0; k < size; k++) {
            (*elements)[(*count)++] = spans[i].begin + k;
        }
        offsets[i + 1] = offsets[i] + (int32_t)size;
    }
    return ARUS_OK;
}

static enum arus_status fill_list(const struct arus_vector *vector, struct arus_arena *arena,
                                  struct ArrowArray *out, struct arus_error *err)
{
    const bool is_map = vector->type->id == ARUS_TYPE_MAP;
    struct ArrowArray *parent = out;
    uint32_t *elements = NULL;
    uint32_t count = 0;

    out->n_buffers = 2;
    out->n_children = 1;
    ARUS_TRY(ARUS_NEW(arena, struct ArrowArray *, 1, &out->children, err));
    ARUS_TRY(span_elements(vector, arena, out, &elements, &count, err));
    if (is_map) {
        ARUS_TRY(ARUS_NEW(arena, struct ArrowArray, 1, &parent, err));
        out->children[0] = parent;
        *parent = (struct ArrowArray){.length = count, .n_buffers = 1, .n_children = 2};
        own_array(parent, arena);
        ARUS_TRY(ARUS_NEW(arena, const void *, 1, &parent->buffers, err));
        ARUS_TRY(ARUS_NEW(arena, struct ArrowArray *, 2, &parent->children, err));
    }
    for (uint16_t f = 0; f < vector->type->field_count; f++) {
        struct arus_vector sliced;

        ARUS_TRY(arus_vector_slice(&vector->children[f], elements, count, arena, &sliced, err));
        ARUS_TRY(add_child(&sliced, arena, &parent->children[f], err));
    }
    return ARUS_OK;
}

static enum arus_status fill_array(const struct arus_vector *vector, struct arus_arena *arena,
                                   struct ArrowArray *out, struct arus_error *err)
{
    struct arus_vector flat;

    ARUS_TRY(arus_vector_flatten(vector, arena, &flat, err));
    *out = (struct ArrowArray){.length = flat.row_count, .n_buffers = 2};
    own_array(out, arena);
    ARUS_TRY(ARUS_NEW(arena, const void *, 3, &out->buffers, err));
    if (flat.type->id == ARUS_TYPE_VOID) {
        out->n_buffers = 0;
        out->null_count = out->length;
        return ARUS_OK;
    }
    ARUS_TRY(fill_validity(&flat, arena, out, err));
    if (flat.type->id == ARUS_TYPE_STRUCT) {
        return fill_struct(&flat, arena, out, err);
    }
    if (flat.type->id == ARUS_TYPE_ARRAY || flat.type->id == ARUS_TYPE_MAP) {
        return fill_list(&flat, arena, out, err);
    }
    if (arus_type_is_view(flat.type)) {
        out->n_buffers = 3;
        return fill_views(&flat, arena, out, err);
    }
    if (flat.type->id == ARUS_TYPE_BOOLEAN) {
        return fill_bits(&flat, arena, out, err);
    }
    return flat.type->id == ARUS_TYPE_DECIMAL ? fill_decimals(&flat, arena, out, err)
                                              : fill_fixed(&flat, arena, out, err);
}

enum arus_status arus_arrow_batch(const struct arus_batch *batch, struct ArrowArray *out,
                                  struct arus_error *err)
{
    const struct arus_vector rows = {
        .type = batch->schema, .row_count = batch->row_count, .children = batch->columns};
    struct shared *shared = arus_alloc(1, sizeof *shared);
    enum arus_status status;

    *out = (struct ArrowArray){0};
    if (shared == NULL) {
        return arus_fail_memory(err);
    }
    status = fill_array(&rows, &shared->arena, out, err);
    if (status != ARUS_OK) {
        arus_arena_release(&shared->arena);
        arus_free(shared);
        *out = (struct ArrowArray){0};
        return status;
    }
    return ARUS_OK;
}
