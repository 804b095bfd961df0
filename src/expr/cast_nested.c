/** Casts of arrays, maps and structs: their children are cast, where a parent uses them. */
#include "expr/cast.h"

/* Which child rows belong to a valid parent and are no nulls? */
static enum arus_status used_elements(const struct arus_kernel_call *call,
                                      const struct arus_vector *child, uint64_t **out,
                                      struct arus_error *err)
{
    const struct arus_span *spans = call->args[0].values;
    const size_t words = arus_validity_words(child->row_count);
    uint64_t *used;

    ARUS_TRY(ARUS_NEW(call->step, uint64_t, words + 1, &used, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        if (arus_bit_get(call->valid, i)) {
            for (uint32_t j = 0; j < spans[i].count; j++) {
                arus_bit_set(used, spans[i].begin + j);
            }
        }
    }
    for (size_t w = 0; child->validity != NULL && w < words; w++) {
        used[w] &= child->validity[w];
    }
    *out = used;
    return ARUS_OK;
}

static enum arus_status used_fields(const struct arus_kernel_call *call,
                                    const struct arus_vector *child, uint64_t **out,
                                    struct arus_error *err)
{
    const size_t words = arus_validity_words(child->row_count);
    uint64_t *used;

    ARUS_TRY(ARUS_NEW(call->step, uint64_t, words + 1, &used, err));
    for (size_t w = 0; w < words; w++) {
        used[w] = (call->valid == NULL ? UINT64_MAX : call->valid[w]) &
                  (child->validity == NULL ? UINT64_MAX : child->validity[w]);
    }
    *out = used;
    return ARUS_OK;
}

static uint32_t parent_of(const struct arus_kernel_call *call, uint32_t element)
{
    const struct arus_span *spans = call->args[0].values;

    for (uint32_t i = 0; i < call->row_count; i++) {
        if (arus_bit_get(call->valid, i) && element >= spans[i].begin &&
            element - spans[i].begin < spans[i].count) {
            return i;
        }
    }
    return 0;
}

static enum arus_status all_null(const struct arus_type *type, uint32_t row_count,
                                 struct arus_arena *step, struct arus_vector *out,
                                 struct arus_error *err)
{
    struct arus_vector constant;

    ARUS_TRY(arus_vector_init_null(&constant, type, row_count, step, err));
    return arus_vector_flatten(&constant, step, out, err);
}

static enum arus_status cast_child(const struct arus_kernel_call *call, uint16_t field,
                                   struct arus_vector *out, uint32_t *bad_row,
                                   struct arus_error *err)
{
    const struct arus_type *type = call->expr->type->fields[field].type;
    const bool is_struct = call->expr->type->id == ARUS_TYPE_STRUCT;
    struct arus_vector child;
    struct arus_expr inner = *call->expr;
    struct arus_kernel_call inner_call = *call;
    uint64_t *used;
    uint32_t bad = 0;
    enum arus_status status;

    ARUS_TRY(arus_vector_flatten(&call->args[0].children[field], call->step, &child, err));
    if (arus_type_equal(child.type, type)) {
        *out = child;
        return ARUS_OK;
    }
    if (child.type->id == ARUS_TYPE_VOID) {
        return all_null(type, child.row_count, call->step, out, err);
    }
    ARUS_TRY(is_struct ? used_fields(call, &child, &used, err)
                       : used_elements(call, &child, &used, err));
    inner.type = type;
    inner_call.expr = &inner;
    inner_call.args = &child;
    inner_call.row_count = child.row_count;
    inner_call.valid = used;
    status = arus_cast_kernel(child.type, type)(&inner_call, out, &bad, err);
    if (status != ARUS_OK) {
        *bad_row = is_struct ? bad : parent_of(call, bad);
        return status;
    }
    if (out->validity == NULL) {
        out->validity = used;
    } else {
        for (size_t w = 0; w < arus_validity_words(child.row_count); w++) {
            used[w] &= out->validity[w];
        }
        out->validity = used;
    }
    return ARUS_OK;
}

enum arus_status arus_kernel_cast_nested(const struct arus_kernel_call *call,
                                         struct arus_vector *out, uint32_t *bad_row,
                                         struct arus_error *err)
{
    const struct arus_type *type = call->expr->type;

    *out = call->args[0];
    out->type = type;
    ARUS_TRY(ARUS_NEW(call->step, struct arus_vector, type->field_count, &out->children, err));
    for (uint16_t f = 0; f < type->field_count; f++) {
        ARUS_TRY(cast_child(call, f, &out->children[f], bad_row, err));
    }
    return ARUS_OK;
}
