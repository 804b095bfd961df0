#include "expr/collection.h"

enum arus_status arus_picker_init(struct arus_list_picker *picker,
                                  const struct arus_kernel_call *call, const struct arus_type *type,
                                  struct arus_vector *out, struct arus_error *err)
{
    *picker = (struct arus_list_picker){.call = call};
    ARUS_TRY(arus_vector_init(out, type, call->row_count, call->step, err));
    picker->spans = out->values;
    memset(picker->spans, 0, call->row_count * sizeof *picker->spans);
    return ARUS_OK;
}

enum arus_status arus_picker_add(struct arus_list_picker *picker, uint32_t which, uint32_t at,
                                 struct arus_error *err)
{
    if (picker->count == picker->capacity) {
        const uint32_t capacity = picker->capacity == 0 ? 1024 : 2 * picker->capacity;
        uint32_t *whiches;
        uint32_t *ats;

        ARUS_TRY(ARUS_NEW(picker->call->step, uint32_t, capacity, &whiches, err));
        ARUS_TRY(ARUS_NEW(picker->call->step, uint32_t, capacity, &ats, err));
        if (picker->count > 0) {
            memcpy(whiches, picker->which, picker->count * sizeof *whiches);
            memcpy(ats, picker->at, picker->count * sizeof *ats);
        }
        picker->which = whiches;
        picker->at = ats;
        picker->capacity = capacity;
    }
    picker->which[picker->count] = which;
    picker->at[picker->count++] = at;
    return ARUS_OK;
}

void arus_picker_row(struct arus_list_picker *picker, uint32_t i)
{
    const uint32_t begin = i == 0 ? 0 : picker->spans[i - 1].begin + picker->spans[i - 1].count;

    picker->spans[i] = (struct arus_span){begin, picker->count - begin};
}

enum arus_status arus_picker_finish(const struct arus_list_picker *picker,
                                    const struct arus_vector *const *sources, uint32_t source_count,
                                    uint16_t field, struct arus_vector *out, struct arus_error *err)
{
    const struct arus_picks picks = {
        .sources = sources,
        .source_count = source_count,
        .which = picker->which,
        .at = picker->at,
        .row_count = picker->count,
    };

    return arus_vector_pick(&picks, out->type->fields[field].type, picker->call->step,
                            &out->children[field], err);
}

enum arus_status arus_lists_join(const struct arus_kernel_call *call, struct arus_vector *out,
                                 struct arus_error *err)
{
    const uint32_t arg_count = call->expr->arg_count;
    struct arus_list_picker picker;
    const struct arus_vector **sources;

    ARUS_TRY(arus_picker_init(&picker, call, call->expr->type, out, err));
    ARUS_TRY(ARUS_NEW(call->step, const struct arus_vector *, arg_count, &sources, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        for (uint32_t a = 0; arus_bit_get(call->valid, i) && a < arg_count; a++) {
            const struct arus_span span = arus_span_at(&call->args[a], i);

            for (uint32_t j = 0; j < span.count; j++) {
                ARUS_TRY(arus_picker_add(&picker, a, span.begin + j, err));
            }
        }
        arus_picker_row(&picker, i);
    }
    for (uint16_t f = 0; arg_count > 0 && f < out->type->field_count; f++) {
        for (uint32_t a = 0; a < arg_count; a++) {
            sources[a] = &call->args[a].children[f];
        }
        ARUS_TRY(arus_picker_finish(&picker, sources, arg_count, f, out, err));
    }
    return ARUS_OK;
}

enum arus_status arus_array_compact(const struct arus_vector *array, const uint64_t *valid,
                                    struct arus_arena *step, struct arus_vector *out,
                                    struct arus_error *err)
{
    const struct arus_kernel_call call = {.row_count = array->row_count, .step = step};
    const struct arus_vector *sources[1] = {&array->children[0]};
    struct arus_list_picker picker;
    struct arus_vector compact;

    ARUS_TRY(arus_picker_init(&picker, &call, array->type, &compact, err));
    for (uint32_t i = 0; i < array->row_count; i++) {
        const struct arus_span span = arus_span_at(array, i);

        for (uint32_t j = 0; arus_bit_get(valid, i) && j < span.count; j++) {
            ARUS_TRY(arus_picker_add(&picker, 0, span.begin + j, err));
        }
        arus_picker_row(&picker, i);
    }
    ARUS_TRY(arus_picker_finish(&picker, sources, 1, 0, &compact, err));
    compact.validity = array->validity;
    *out = compact;
    return ARUS_OK;
}

enum arus_status arus_picks_run(const struct arus_kernel_call *call, arus_pick_fn fn,
                                struct arus_vector *out, uint32_t *bad_row, struct arus_error *err)
{
    const uint32_t arg_count = call->expr->arg_count;
    const struct arus_vector **sources;
    struct arus_list_picker picker;
    uint32_t source_count = 0;

    ARUS_TRY(arus_picker_init(&picker, call, call->expr->type, out, err));
    ARUS_TRY(ARUS_NEW(call->step, const struct arus_vector *, arg_count, &sources, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        *bad_row = i;
        if (arus_bit_get(call->valid, i)) {
            ARUS_TRY(fn(&picker, i, err));
        }
        arus_picker_row(&picker, i);
    }
    for (; source_count < arg_count; source_count++) {
        const struct arus_vector *arg = &call->args[source_count];

        if (arg->type->id == ARUS_TYPE_ARRAY &&
            arus_type_equal(arg->type->fields[0].type, out->type->fields[0].type)) {
            sources[source_count] = &arg->children[0];
        } else if (arus_type_equal(arg->type, out->type->fields[0].type)) {
            sources[source_count] = arg;
        } else {
            break;
        }
    }
    return arus_picker_finish(&picker, sources, source_count, 0, out, err);
}

enum arus_status arus_picker_add_span(struct arus_list_picker *picker, uint32_t arg,
                                      struct arus_span span, struct arus_error *err)
{
    for (uint32_t j = 0; j < span.count; j++) {
        ARUS_TRY(arus_picker_add(picker, arg, span.begin + j, err));
    }
    return ARUS_OK;
}
