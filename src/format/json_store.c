/** Cells to columns. */
#include "format/json_convert_internal.h"

void json_store(struct arus_builder *builder, uint32_t row, const struct json_cell *cell)
{
    static const struct json_cell ZERO = {0};
    const struct json_cell *from = cell->is_valid ? cell : &ZERO;

    if (cell->is_valid) {
        arus_bit_set(builder->validity, row);
    } else {
        arus_bit_clear(builder->validity, row);
    }
    switch (arus_type_value_size(builder->type)) {
    case 1:
        ((uint8_t *)builder->values)[row] = from->as.u8;
        break;
    case 2:
        ((int16_t *)builder->values)[row] = from->as.i16;
        break;
    case 4:
        memcpy((int32_t *)builder->values + row, &from->as.i32, 4);
        break;
    case 8:
        memcpy((int64_t *)builder->values + row, &from->as.i64, 8);
        break;
    case 16:
        memcpy((struct arus_view *)builder->values + row, &from->as.view, 16);
        break;
    }
}

static enum arus_status append_items(struct arus_builder *builder, const struct json_cell *cell,
                                     struct arus_error *err)
{
    const uint16_t stride = builder->type->field_count; /* ARRAY 1, MAP 2 */

    for (uint32_t i = 0; i < cell->as.list.count; i++) {
        for (uint16_t k = 0; k < stride; k++) {
            ARUS_TRY(json_append(&builder->children[k],
                                 &cell->as.list.items[(size_t)i * stride + k], err));
        }
    }
    return arus_builder_span(builder, cell->as.list.count, err);
}

enum arus_status json_append(struct arus_builder *builder, const struct json_cell *cell,
                             struct arus_error *err)
{
    if (!cell->is_valid) {
        return arus_builder_null(builder, err);
    }
    if (!arus_type_is_nested(builder->type)) {
        return arus_builder_value(builder, &cell->as, err);
    }
    if (builder->type->id != ARUS_TYPE_STRUCT) {
        return append_items(builder, cell, err);
    }
    for (uint16_t i = 0; i < builder->type->field_count; i++) {
        ARUS_TRY(json_append(&builder->children[i], &cell->as.list.items[i], err));
    }
    return arus_builder_struct(builder, err);
}
