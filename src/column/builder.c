/** Columns that grow row by row. */
#include "column/builder.h"

#include "base/alloc.h"

#define CAPACITY_MIN ((uint32_t)64)
#define CAPACITY_MAX ((uint32_t)1 << 31)

enum arus_status arus_builder_init(struct arus_builder *builder, const struct arus_type *type,
                                   struct arus_error *err)
{
    *builder = (struct arus_builder){.type = type};
    if (type->field_count == 0) {
        return ARUS_OK;
    }
    builder->children = arus_alloc(type->field_count, sizeof *builder->children);
    if (builder->children == NULL) {
        return arus_fail_memory(err);
    }
    for (uint16_t i = 0; i < type->field_count; i++) {
        const enum arus_status status =
            arus_builder_init(&builder->children[i], type->fields[i].type, err);

        if (status != ARUS_OK) {
            arus_builder_release(builder);
            return status;
        }
    }
    return ARUS_OK;
}

void arus_builder_release(struct arus_builder *builder)
{
    if (builder->children != NULL) {
        for (uint16_t i = 0; i < builder->type->field_count; i++) {
            arus_builder_release(&builder->children[i]);
        }
    }
    arus_free(builder->children);
    arus_free(builder->values);
    arus_free(builder->validity);
    *builder = (struct arus_builder){0};
}

void arus_builder_reset(struct arus_builder *builder)
{
    builder->row_count = 0;
    builder->null_count = 0;
    for (uint16_t i = 0; builder->children != NULL && i < builder->type->field_count; i++) {
        arus_builder_reset(&builder->children[i]);
    }
}

/* A larger buffer with the old bytes in front; the old one is freed. */
static enum arus_status regrow(void **memory, size_t used_size, size_t size, struct arus_error *err)
{
    void *grown = arus_alloc_buffer(size);

    if (grown == NULL) {
        return arus_fail_memory(err);
    }
    if (used_size != 0) {
        memcpy(grown, *memory, used_size);
    }
    arus_free(*memory);
    *memory = grown;
    return ARUS_OK;
}

static enum arus_status grow(struct arus_builder *builder, uint32_t rows, struct arus_error *err)
{
    const size_t size = arus_type_value_size(builder->type);
    void *validity = builder->validity;
    uint32_t capacity = builder->capacity < CAPACITY_MIN ? CAPACITY_MIN : builder->capacity;

    if (rows > CAPACITY_MAX) {
        return arus_fail(err, ARUS_NO_MEMORY, NULL, "a column has more than %u rows", CAPACITY_MAX);
    }
    while (capacity < rows) {
        capacity *= 2;
    }
    if (size != 0) {
        ARUS_TRY(regrow(&builder->values, builder->row_count * size, capacity * size, err));
    }
    ARUS_TRY(regrow(&validity, arus_validity_words(builder->row_count) * sizeof(uint64_t),
                    arus_validity_words(capacity) * sizeof(uint64_t), err));
    builder->validity = validity;
    builder->capacity = capacity;
    return ARUS_OK;
}

static inline enum arus_status need_row(struct arus_builder *builder, struct arus_error *err)
{
    if (builder->row_count < builder->capacity) {
        return ARUS_OK;
    }
    return grow(builder, builder->row_count + 1, err);
}

enum arus_status arus_builder_reserve(struct arus_builder *builder, uint32_t rows,
                                      struct arus_error *err)
{
    if (rows > CAPACITY_MAX - builder->row_count) {
        return arus_fail(err, ARUS_NO_MEMORY, NULL, "a column has more than %u rows", CAPACITY_MAX);
    }
    if (builder->row_count + rows > builder->capacity) {
        ARUS_TRY(grow(builder, builder->row_count + rows, err));
    }
    if (builder->type->id != ARUS_TYPE_STRUCT) {
        return ARUS_OK;
    }
    for (uint16_t i = 0; i < builder->type->field_count; i++) {
        ARUS_TRY(arus_builder_reserve(&builder->children[i], rows, err));
    }
    return ARUS_OK;
}

static inline void add_bit(struct arus_builder *builder, bool is_valid)
{
    const uint32_t row = builder->row_count++;
    uint64_t *word = &builder->validity[row / 64];

    if (row % 64 == 0) {
        *word = 0;
    }
    *word |= (uint64_t)is_valid << (row % 64);
    builder->null_count += !is_valid;
}

static uint32_t element_count(const struct arus_builder *builder)
{
    return builder->children[0].row_count;
}

static enum arus_status children_null(struct arus_builder *builder, struct arus_error *err)
{
    for (uint16_t i = 0; i < builder->type->field_count; i++) {
        ARUS_TRY(arus_builder_null(&builder->children[i], err));
    }
    return ARUS_OK;
}

enum arus_status arus_builder_null(struct arus_builder *builder, struct arus_error *err)
{
    const enum arus_type_id id = builder->type->id;
    const size_t size = arus_type_value_size(builder->type);

    ARUS_TRY(need_row(builder, err));
    if (id == ARUS_TYPE_STRUCT) {
        ARUS_TRY(children_null(builder, err));
    } else if (id == ARUS_TYPE_ARRAY || id == ARUS_TYPE_MAP) {
        ((struct arus_span *)builder->values)[builder->row_count] =
            (struct arus_span){element_count(builder), 0};
    } else if (size != 0) {
        memset((unsigned char *)builder->values + builder->row_count * size, 0, size);
    }
    add_bit(builder, false);
    return ARUS_OK;
}

enum arus_status arus_builder_value(struct arus_builder *builder, const void *value,
                                    struct arus_error *err)
{
    const uint32_t row = builder->row_count;

    ARUS_TRY(need_row(builder, err));
    switch (arus_type_value_size(builder->type)) {
    case 1:
        ((uint8_t *)builder->values)[row] = *(const uint8_t *)value;
        break;
    case 2:
        memcpy((uint16_t *)builder->values + row, value, 2);
        break;
    case 4:
        memcpy((uint32_t *)builder->values + row, value, 4);
        break;
    case 8:
        memcpy((uint64_t *)builder->values + row, value, 8);
        break;
    case 16:
        memcpy((struct arus_view *)builder->values + row, value, 16);
        break;
    }
    add_bit(builder, true);
    return ARUS_OK;
}

enum arus_status arus_builder_span(struct arus_builder *builder, uint32_t count,
                                   struct arus_error *err)
{
    ARUS_TRY(need_row(builder, err));
    ((struct arus_span *)builder->values)[builder->row_count] =
        (struct arus_span){element_count(builder) - count, count};
    add_bit(builder, true);
    return ARUS_OK;
}

enum arus_status arus_builder_struct(struct arus_builder *builder, struct arus_error *err)
{
    ARUS_TRY(need_row(builder, err));
    add_bit(builder, true);
    return ARUS_OK;
}

void arus_builder_truncate(struct arus_builder *builder, uint32_t row_count)
{
    const enum arus_type_id id = builder->type->id;
    uint32_t child_rows = row_count;

    for (uint32_t i = row_count; i < builder->row_count; i++) {
        builder->null_count -= !arus_bit_get(builder->validity, i);
    }
    if (row_count < builder->row_count) {
        builder->row_count = row_count;
        if (row_count % 64 != 0) {
            builder->validity[row_count / 64] &= ((uint64_t)1 << (row_count % 64)) - 1;
        }
    }
    if (id == ARUS_TYPE_ARRAY || id == ARUS_TYPE_MAP) {
        const struct arus_span *spans = builder->values;

        child_rows = builder->row_count == 0 ? 0
                                             : spans[builder->row_count - 1].begin +
                                                   spans[builder->row_count - 1].count;
    }
    for (uint16_t i = 0; i < builder->type->field_count; i++) {
        arus_builder_truncate(&builder->children[i], child_rows);
    }
}

enum arus_status arus_builder_finish(const struct arus_builder *builder, struct arus_arena *arena,
                                     struct arus_vector *out, struct arus_error *err)
{
    *out = (struct arus_vector){
        .type = builder->type,
        .row_count = builder->row_count,
        .validity = builder->null_count == 0 ? NULL : builder->validity,
        .values = builder->values,
    };
    if (builder->type->field_count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_vector, builder->type->field_count, &out->children, err));
    for (uint16_t i = 0; i < builder->type->field_count; i++) {
        ARUS_TRY(arus_builder_finish(&builder->children[i], arena, &out->children[i], err));
    }
    return ARUS_OK;
}
