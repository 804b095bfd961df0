/** Keeping rows: appending chosen rows to builders (strings copied), and looking at a part of a
 * large batch. */
#ifndef ARUS_COLUMN_APPEND_H
#define ARUS_COLUMN_APPEND_H

#include "column/builder.h"
#include "column/vector.h"

/** Appends row i of `vector` (any form, same type) to the builder; string bytes go to `heap`, or
 * (NULL) are borrowed. For rows that are kept one by one (new groups); whole batches are copied
 * faster by arus_batch_concat.
 */
ARUS_MUST_USE enum arus_status arus_builder_append(struct arus_builder *builder,
                                                   const struct arus_vector *vector, uint32_t i,
                                                   struct arus_arena *heap, struct arus_error *err);

/** Rows [begin, begin + count) of a FLAT or CONSTANT batch of any size, without copying values;
 * `begin` is a multiple of 64. The structs lie in the arena. */
ARUS_MUST_USE enum arus_status arus_batch_window(const struct arus_batch *batch, uint32_t begin,
                                                 uint32_t count, struct arus_arena *arena,
                                                 struct arus_batch *out, struct arus_error *err);

/** `row_count` new vectors for the fields of `schema`. */
ARUS_MUST_USE enum arus_status arus_batch_init(struct arus_batch *batch,
                                               const struct arus_type *schema, uint32_t row_count,
                                               struct arus_arena *arena, struct arus_error *err);

#endif
