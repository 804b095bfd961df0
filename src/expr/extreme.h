/** Least and greatest of values of machine words, column by column. NaN is greatest, -0.0 equals
 * 0.0; of equal values the first stays. */
#ifndef ARUS_EXPR_EXTREME_H
#define ARUS_EXPR_EXTREME_H

#include "column/vector.h"

/** Can values of the type be compared here? */
bool arus_extreme_knows(const struct arus_type *type);
/** out[i] becomes row i of `vector` (FLAT or CONSTANT, no nulls) where that is greater (less). */
void arus_extreme_merge(const struct arus_vector *vector, bool wants_greatest, uint32_t row_count,
                        void *out);
/** The extreme of each valid span of `items` (FLAT, no nulls); spans without elements leave their
 * row as it is. */
void arus_extreme_of_spans(const struct arus_vector *items, const struct arus_span *spans,
                           const uint64_t *valid, bool wants_greatest, uint32_t row_count,
                           void *out);

#endif
