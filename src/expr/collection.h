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
/** Errors: NULL_MAP_KEY, DUPLICATED_MAP_KEY. */
ARUS_MUST_USE enum arus_status arus_map_check(const struct arus_vector *map, const uint64_t *valid,
                                              uint32_t *bad_row, struct arus_error *err);

#endif
