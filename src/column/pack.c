/** Values of any type as bytes without pointers. */
#include "column/pack.h"

#include <math.h>

static uint32_t row_at(const struct arus_vector *vector, uint32_t i)
{
    return vector->form == ARUS_VECTOR_CONSTANT ? 0 : i;
}

size_t arus_pack_size(const struct arus_vector *vector, uint32_t i)
{
    const struct arus_type *type = vector->type;
    const uint32_t row = row_at(vector, i);
    size_t size = 1;

    if (!arus_vector_is_valid(vector, i)) {
        return 1;
    }
    if (arus_type_is_view(type)) {
        return 5 + ((const struct arus_view *)vector->values)[row].size;
    }
    if (type->id == ARUS_TYPE_STRUCT) {
        for (uint16_t f = 0; f < type->field_count; f++) {
            size += arus_pack_size(&vector->children[f], row);
        }
        return size;
    }
    if (type->id == ARUS_TYPE_ARRAY || type->id == ARUS_TYPE_MAP) {
        const struct arus_span span = ((const struct arus_span *)vector->values)[row];

        for (uint32_t j = 0; j < span.count; j++) {
            for (uint16_t f = 0; f < type->field_count; f++) {
                size += arus_pack_size(&vector->children[f], span.begin + j);
            }
        }
        return size + 4;
    }
    return 1 + arus_type_value_size(type);
}

static char *write_bytes(const void *data, size_t size, char *out)
{
    if (size > 0) {
        memcpy(out, data, size);
    }
    return out + size;
}

char *arus_pack_write(const struct arus_vector *vector, uint32_t i, char *out)
{
    const struct arus_type *type = vector->type;
    const uint32_t row = row_at(vector, i);
    const bool is_valid = arus_vector_is_valid(vector, i);

    *out++ = is_valid;
    if (!is_valid) {
        return out;
    }
    if (arus_type_is_view(type)) {
        const struct arus_view view = ((const struct arus_view *)vector->values)[row];

        out = write_bytes(&view.size, 4, out);
        return write_bytes(view.data, view.size, out);
    }
    if (type->id == ARUS_TYPE_STRUCT) {
        for (uint16_t f = 0; f < type->field_count; f++) {
            out = arus_pack_write(&vector->children[f], row, out);
        }
        return out;
    }
    if (type->id == ARUS_TYPE_ARRAY || type->id == ARUS_TYPE_MAP) {
        const struct arus_span span = ((const struct arus_span *)vector->values)[row];

        out = write_bytes(&span.count, 4, out);
        for (uint32_t j = 0; j < span.count; j++) {
            for (uint16_t f = 0; f < type->field_count; f++) {
                out = arus_pack_write(&vector->children[f], span.begin + j, out);
            }
        }
        return out;
    }
    return write_bytes((const char *)vector->values + (size_t)row * arus_type_value_size(type),
                       arus_type_value_size(type), out);
}

static enum arus_status read_nested(struct arus_builder *builder, const char **at,
                                    struct arus_error *err)
{
    const struct arus_type *type = builder->type;
    uint32_t count;

    if (type->id == ARUS_TYPE_STRUCT) {
        for (uint16_t f = 0; f < type->field_count; f++) {
            ARUS_TRY(arus_pack_read(&builder->children[f], at, err));
        }
        return arus_builder_struct(builder, err);
    }
    memcpy(&count, *at, 4);
    *at += 4;
    for (uint32_t j = 0; j < count; j++) {
        for (uint16_t f = 0; f < type->field_count; f++) {
            ARUS_TRY(arus_pack_read(&builder->children[f], at, err));
        }
    }
    return arus_builder_span(builder, count, err);
}

enum arus_status arus_pack_read(struct arus_builder *builder, const char **at,
                                struct arus_error *err)
{
    const struct arus_type *type = builder->type;
    struct arus_view view;
    arus_int128 value;
    uint32_t size;

    if (*(*at)++ == 0) {
        return arus_builder_null(builder, err);
    }
    if (arus_type_is_nested(type)) {
        return read_nested(builder, at, err);
    }
    if (arus_type_is_view(type)) {
        memcpy(&size, *at, 4);
        view = arus_view_of(*at + 4, size);
        *at += 4 + size;
        return arus_builder_value(builder, &view, err);
    }
    size = arus_type_value_size(type);
    memcpy(&value, *at, size);
    *at += size;
    return arus_builder_value(builder, &value, err);
}

const char *arus_pack_skip(const struct arus_type *type, const char *at)
{
    uint32_t count;

    if (*at++ == 0) {
        return at;
    }
    if (type->id == ARUS_TYPE_STRUCT) {
        for (uint16_t f = 0; f < type->field_count; f++) {
            at = arus_pack_skip(type->fields[f].type, at);
        }
        return at;
    }
    if (type->id == ARUS_TYPE_ARRAY || type->id == ARUS_TYPE_MAP) {
        memcpy(&count, at, 4);
        at += 4;
        for (uint32_t j = 0; j < count; j++) {
            for (uint16_t f = 0; f < type->field_count; f++) {
                at = arus_pack_skip(type->fields[f].type, at);
            }
        }
        return at;
    }
    if (arus_type_is_view(type)) {
        memcpy(&count, at, 4);
        return at + 4 + count;
    }
    return at + arus_type_value_size(type);
}

static char *normalise_number(const struct arus_type *type, char *at)
{
    double wide;
    float narrow;

    if (type->id == ARUS_TYPE_DOUBLE) {
        memcpy(&wide, at, sizeof wide);
        wide = isnan(wide) ? (double)NAN : wide + 0.0;
        memcpy(at, &wide, sizeof wide);
    } else if (type->id == ARUS_TYPE_FLOAT) {
        memcpy(&narrow, at, sizeof narrow);
        narrow = isnan(narrow) ? NAN : narrow + 0.0F;
        memcpy(at, &narrow, sizeof narrow);
    }
    return at + arus_type_value_size(type);
}

char *arus_pack_normalise(const struct arus_type *type, char *at)
{
    uint32_t count = 1;

    if (*at++ == 0) {
        return at;
    }
    if (!arus_type_is_nested(type)) {
        if (arus_type_is_view(type)) {
            memcpy(&count, at, 4);
            return at + 4 + count;
        }
        return normalise_number(type, at);
    }
    if (type->id != ARUS_TYPE_STRUCT) {
        memcpy(&count, at, 4);
        at += 4;
    }
    for (uint32_t j = 0; j < count; j++) {
        for (uint16_t f = 0; f < type->field_count; f++) {
            at = arus_pack_normalise(type->fields[f].type, at);
        }
    }
    return at;
}
