/**
 * Rows that a program holds: in-memory tables that it fills, and what in-memory sinks were given.
 * Outlives sessions and queries, so that a query can be stopped and started over the same rows.
 * Any thread.
 */
#ifndef ARUS_CONNECTOR_MEMORY_H
#define ARUS_CONNECTOR_MEMORY_H

#include "column/row_store.h"

#include <stdatomic.h>

/** Rows that came together and do not change any more: an add, or a micro-batch of a sink. */
struct arus_chunk_rows {
    const struct arus_type *schema; /* STRUCT, in rows.arena: columns as they were then */
    struct arus_row_store rows;
    int64_t id;            /* of a sink: its batch; of a table: rising */
    _Atomic uint32_t refs; /* who holds it; belongs to memory.c */
};

struct arus_memory;

/** The caller's, until it is given to arus_memory_add, _set or _put. `schema` is copied. */
ARUS_MUST_USE enum arus_status arus_chunk_rows_make(const struct arus_type *schema,
                                                    struct arus_chunk_rows **out,
                                                    struct arus_error *err);
/** Adds a copy of the rows, which are of the chunk's schema. */
ARUS_MUST_USE enum arus_status arus_chunk_rows_append(struct arus_chunk_rows *chunk,
                                                      const struct arus_batch *batch,
                                                      struct arus_error *err);
/** Gives one reference back. Accepts NULL. */
void arus_chunk_rows_drop(struct arus_chunk_rows *chunk);

ARUS_MUST_USE enum arus_status arus_memory_make(struct arus_memory **out, struct arus_error *err);
/** When no session uses it any more. Accepts NULL. */
void arus_memory_free(struct arus_memory *memory);

/* Tables by name, without case; one that was never filled has no rows. Each takes the chunk, also
 * when it fails. */

/** Behind what is there: one offset of the table as a stream. */
ARUS_MUST_USE enum arus_status arus_memory_add(struct arus_memory *memory, struct arus_text table,
                                               struct arus_chunk_rows *chunk,
                                               struct arus_error *err);
/** In place of all that was there: for tables that are read as a whole. */
ARUS_MUST_USE enum arus_status arus_memory_set(struct arus_memory *memory, struct arus_text table,
                                               struct arus_chunk_rows *chunk,
                                               struct arus_error *err);
/** A micro-batch of a sink, once: an id that is there already changes nothing. `is_whole`: the rows
 * of earlier batches go (complete mode). */
ARUS_MUST_USE enum arus_status arus_memory_put(struct arus_memory *memory, struct arus_text table,
                                               int64_t batch_id, bool is_whole,
                                               struct arus_chunk_rows *chunk,
                                               struct arus_error *err);
/** Has the sink got this batch? */
bool arus_memory_has(struct arus_memory *memory, struct arus_text table, int64_t batch_id);
/** Forgets everything of a table. */
void arus_memory_clear(struct arus_memory *memory, struct arus_text table);
/** Adds (or batches) so far. */
size_t arus_memory_count(struct arus_memory *memory, struct arus_text table);
/** A number that changes with the table. */
uint64_t arus_memory_version(struct arus_memory *memory, struct arus_text table);

/** Chunks held by somebody; `items` in the arena that it was taken into. Zeroed = none. */
struct arus_chunks {
    struct arus_chunk_rows **items;
    size_t count;
};
/** Chunks [begin, end) of the table, in order, each with a reference more. */
ARUS_MUST_USE enum arus_status arus_memory_take(struct arus_memory *memory, struct arus_text table,
                                                size_t begin, size_t end, struct arus_arena *arena,
                                                struct arus_chunks *out, struct arus_error *err);
void arus_chunks_drop(struct arus_chunks *chunks);

#endif
