/** What the files about arrays and maps share. */
#ifndef ARUS_EXPR_COLLECTION_H
#define ARUS_EXPR_COLLECTION_H

#include "expr/gather.h"
#include "expr/rowwise.h"

static inline struct arus_span arus_span_at(const struct arus_vector *vector, uint32_t i)
{
    return ((const struct arus_span *)vector->values)[i * ARUS_STEP(vector)];
}

/** Collects picks of elements row by row: the new elements of arrays or maps. */
struct arus_list_picker {
    const struct arus_kernel_call *call;
    struct arus_span *spans;
    uint32_t *which; /* [count] source of each element */
    uint32_t *at;
    uint32_t count;
    uint32_t capacity;
};

/** `out` becomes a FLAT vector of `type` (ARRAY or MAP) whose spans the picker fills. */
ARUS_MUST_USE enum arus_status arus_picker_init(struct arus_list_picker *picker,
                                                const struct arus_kernel_call *call,
                                                const struct arus_type *type,
                                                struct arus_vector *out, struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_picker_add(struct arus_list_picker *picker, uint32_t which,
                                               uint32_t at, struct arus_error *err);
/** Row i has all elements added since the last row ended. */
void arus_picker_row(struct arus_list_picker *picker, uint32_t i);
/** Child `field` of `out` from the children of the sources picked. */
ARUS_MUST_USE enum arus_status arus_picker_finish(const struct arus_list_picker *picker,
                                                  const struct arus_vector *const *sources,
                                                  uint32_t source_count, uint16_t field,
                                                  struct arus_vector *out, struct arus_error *err);

/** All lists of a row one behind the other; the arguments are arrays or maps of the call's type. */
ARUS_MUST_USE enum arus_status arus_lists_join(const struct arus_kernel_call *call,
                                               struct arus_vector *out, struct arus_error *err);
/** The same arrays with elements in row order and none unused. */
ARUS_MUST_USE enum arus_status arus_array_compact(const struct arus_vector *array,
                                                  const uint64_t *valid, struct arus_arena *step,
                                                  struct arus_vector *out, struct arus_error *err);
/** Row after row, the arguments side by side: element j of row i is argument first + j * step. */
ARUS_MUST_USE enum arus_status arus_interleave(const struct arus_kernel_call *call, uint32_t first,
                                               uint32_t step, const struct arus_type *type,
                                               struct arus_vector *out, struct arus_error *err);
/** Row i holds elements i * width to (i + 1) * width - 1. */
void arus_spans_equal(struct arus_vector *out, uint32_t width);
/** Errors: NULL_MAP_KEY, DUPLICATED_MAP_KEY. */
ARUS_MUST_USE enum arus_status arus_map_check(const struct arus_vector *map, const uint64_t *valid,
                                              uint32_t *bad_row, struct arus_error *err);

/** Adds the elements of row i. */
typedef enum arus_status (*arus_pick_fn)(struct arus_list_picker *picker, uint32_t i,
                                         struct arus_error *err);
/** Runs `fn` over all rows. The sources are the elements of the first `source_count` arguments
 * (arrays), then those themselves. */
ARUS_MUST_USE enum arus_status arus_picks_run(const struct arus_kernel_call *call, arus_pick_fn fn,
                                              struct arus_vector *out, uint32_t *bad_row,
                                              struct arus_error *err);
/** Defines kernel_NAME over the function NAME. */
#define ARUS_PICKS(name)                                                                           \
    static enum arus_status kernel_##name(const struct arus_kernel_call *call,                     \
                                          struct arus_vector *out, uint32_t *bad_row,              \
                                          struct arus_error *err)                                  \
    {                                                                                              \
        return arus_picks_run(call, name, out, bad_row, err);                                      \
    }
/** The elements of argument `arg` in row i. */
static inline struct arus_span arus_picker_span(const struct arus_list_picker *picker, uint32_t arg,
                                                uint32_t i)
{
    return arus_span_at(&picker->call->args[arg], i);
}
/** A text and something else at the same place of two types: no common type for arrays. */
bool arus_types_mix_texts(const struct arus_type *a, const struct arus_type *b);
/** Adds the elements of a span of argument `arg`. */
ARUS_MUST_USE enum arus_status arus_picker_add_span(struct arus_list_picker *picker, uint32_t arg,
                                                    struct arus_span span, struct arus_error *err);
/** Rule: an array, the other arguments as the row takes them; gives the array's type. */
ARUS_MUST_USE enum arus_status arus_bind_array(struct arus_bind *bind, struct arus_error *err);
/** Rule: an array whose elements have an order, the other arguments as the row takes them. */
ARUS_MUST_USE enum arus_status arus_bind_ordered_array(struct arus_bind *bind,
                                                       struct arus_error *err);

/** A registry row. */
#define ARUS_ARRAY(name_, aliases_, flags_, min_, max_, takes_, bind_, kernel_, signature_, help_, \
                   example_, result_)                                                              \
    {                                                                                              \
        .name = name_, .aliases = aliases_, .flags = flags_, .arg_min = min_, .arg_max = max_,     \
        .takes = takes_, .bind = bind_, .kernel = kernel_, .signature = signature_, .help = help_, \
        .example = example_, .result = result_                                                     \
    }

#endif
