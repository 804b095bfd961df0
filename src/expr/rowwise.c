#include "expr/rowwise.h"

enum arus_status arus_row_null(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    ARUS_TRY(arus_vector_need_validity(row->out, row->call->step, err));
    arus_bit_clear(row->out->validity, i);
    return ARUS_OK;
}

enum arus_status arus_rowwise_run(const struct arus_kernel_call *call, arus_row_fn fn,
                                  struct arus_vector *out, uint32_t *bad_row,
                                  struct arus_error *err)
{
    struct arus_rowwise row = {.call = call, .out = out, .strings = {.arena = call->step}};
    const uint32_t size = arus_type_value_size(call->expr->type);
    enum arus_status status;

    status = arus_vector_init(out, call->expr->type, call->row_count, call->step, err);
    if (status == ARUS_OK && size > 0) {
        memset(out->values, 0, (size_t)call->row_count * size);
    }
    for (uint32_t i = 0; i < call->row_count && status == ARUS_OK; i++) {
        if (arus_bit_get(call->valid, i)) {
            status = fn(&row, i, err);
            *bad_row = i;
        }
    }
    arus_buffer_release(&row.buffer);
    return status;
}
