/** What source and sink of in-memory tables share. */
#ifndef ARUS_CONNECTORS_MEMORY_MEMORY_INTERNAL_H
#define ARUS_CONNECTORS_MEMORY_MEMORY_INTERNAL_H

#include "connector/memory.h"
#include "memory/memory.h"

/** Refuses options: there are none. */
ARUS_MUST_USE enum arus_status arus_memory_no_options(const struct arus_settings *settings,
                                                      const char *noun, struct arus_arena *arena,
                                                      struct arus_error *err);
/** Refuses to run where no program holds rows. */
ARUS_MUST_USE enum arus_status arus_memory_need(const struct arus_memory *memory,
                                                struct arus_text name, struct arus_error *err);

/** A table read as a whole. */
struct arus_source_scan {
    const struct arus_source *source;
    const struct arus_scan *request;
    struct arus_chunks chunks; /* as it was when first looked at */
    struct arus_arena arena;
    bool is_listed;
    uint64_t version;
    /** Fills chunks and version. */
    enum arus_status (*take)(struct arus_source_scan *scan, struct arus_error *err);
};

/* source.c: what all sources over rows in memory share */

void arus_memory_scan_close(struct arus_source_scan *scan);
ARUS_MUST_USE enum arus_status arus_memory_list(struct arus_source_scan *scan,
                                                uint32_t worker_count, struct arus_arena *arena,
                                                struct arus_splits *out, struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_memory_fingerprint(struct arus_source_scan *scan, uint64_t *out,
                                                       struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_memory_worker_open(struct arus_source_scan *scan,
                                                       struct arus_scan_worker **out,
                                                       struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_memory_worker_start(struct arus_scan_worker *worker,
                                                        const struct arus_split *split,
                                                        struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_memory_worker_next(struct arus_scan_worker *worker,
                                                       struct arus_batch *out,
                                                       struct arus_error *err);
void arus_memory_worker_stats(const struct arus_scan_worker *worker, struct arus_scan_stats *out);
void arus_memory_worker_close(struct arus_scan_worker *worker);

/* project.c */

/**
 * Rows as columns of another type: fields are found by name without case, those that are missing
 * are null, further ones are left out. Values are shared; the structs lie in the arena.
 * Errors: ARUS_BAD_DATA: a column has another type.
 */
ARUS_MUST_USE enum arus_status arus_memory_project(const struct arus_vector *from,
                                                   const struct arus_type *type,
                                                   struct arus_arena *arena,
                                                   struct arus_vector *out, struct arus_error *err);

#endif
