/** Rows picked from several vectors: what CASE, COALESCE, concatenations and nested builders end
 * in. */
#ifndef ARUS_EXPR_GATHER_H
#define ARUS_EXPR_GATHER_H

#include "column/vector.h"

/** One source row for each output row; NULL_ROW in `which` makes a null. */
#define ARUS_NULL_ROW UINT32_MAX

struct arus_picks {
    const struct arus_vector *const *sources; /* FLAT or CONSTANT, of one type */
    uint32_t source_count;
    const uint32_t *which; /* [row_count] source, or ARUS_NULL_ROW */
    const uint32_t *at;    /* [row_count] row of that source */
    uint32_t row_count;
};

/** FLAT: row i = row at[i] of sources[which[i]]. Strings and array elements of one source are
 * shared. */
ARUS_MUST_USE enum arus_status arus_vector_pick(const struct arus_picks *picks,
                                                const struct arus_type *type,
                                                struct arus_arena *arena, struct arus_vector *out,
                                                struct arus_error *err);
/** Shallow FLAT concatenation: views and elements are shared with the sources. */
ARUS_MUST_USE enum arus_status arus_vector_join(const struct arus_vector *const *sources,
                                                uint32_t source_count, const struct arus_type *type,
                                                struct arus_arena *arena, struct arus_vector *out,
                                                struct arus_error *err);

#endif
