#include "expr/rowwise.h"

enum arus_status arus_row_null(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    ARUS_TRY(arus_vector_need_validity(row->out, row->call->step, err));
    arus_bit_clear(row->out->validity, i);
    return ARUS_OK;
}

enum arus_status arus_rowwise_open(struct arus_rowwise *row, const struct arus_kernel_call *call,
                                   struct arus_vector *out, struct arus_error *err)
{
    const uint32_t size = arus_type_value_size(call->expr->type);

    *row = (struct arus_rowwise){.call = call, .out = out, .strings = {.arena = call->step}};
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    if (size > 0) {
        memset(out->values, 0, (size_t)call->row_count * size);
    }
    return ARUS_OK;
}
