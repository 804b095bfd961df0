/**
 * The side tables of a running query: Parquet files below its checkpoint, one per batch and worker
 * that set rows aside. They are part of the batch's one commit: staged and durable before the
 * journal decides the batch, renamed into place behind the sink. What has its final name is
 * committed, so a reader needs no log.
 *
 *     CKPT/late/batch-0000000004-1772442000123-00.parquet    batch, its time in ms, worker
 */
#ifndef ARUS_STREAM_SIDE_H
#define ARUS_STREAM_SIDE_H

#include "base/file.h"
#include "exec/exec.h"
#include "format/format.h"

struct arus_query;
struct arus_batch_record;
struct arus_side_file;

/** One table. */
struct arus_query_side {
    struct arus_path folder;
    struct arus_path staging;
    struct arus_side_file *files; /* [worker_count] of the batch being made */
    struct arus_buffer manifest;  /* NAME SIZE, a line a file */
    bool is_new;                  /* its folders may not be durable */
};

struct arus_query_sides {
    struct arus_query_side tables[ARUS_SIDE_COUNT];
    struct arus_side_writer writer; /* for the exec */
    const struct arus_format *format;
    void *format_settings;
    const struct arus_zone *zone;
    uint32_t worker_count;
    int64_t time_ms;      /* of the batch being made */
    int64_t retention_ms; /* 0: for ever */
    int64_t next_expiry_ms;
    bool is_clean; /* leftovers of an earlier run are gone */
};

/** Removes rows of batches behind `batch_id` from the checkpoint's side tables. A run that goes on
 * there does the same. */
ARUS_MUST_USE enum arus_status arus_sides_forget(const char *checkpoint, int64_t batch_id,
                                                 struct arus_error *err);
/** Nothing is touched yet. */
ARUS_MUST_USE enum arus_status arus_query_sides_open(struct arus_query *query,
                                                     struct arus_error *err);
/** Before the rows of a batch: what the exec hands rows to; `*out` NULL: nobody wants them. */
ARUS_MUST_USE enum arus_status arus_query_sides_begin(struct arus_query *query, int64_t batch_id,
                                                      int64_t time_ms,
                                                      const struct arus_side_writer **out,
                                                      struct arus_error *err);
/** The files are whole and durable, and listed in the manifests. */
ARUS_MUST_USE enum arus_status arus_query_sides_finish(struct arus_query *query,
                                                       struct arus_error *err);
/** Gives the files their names; finishes what a crash left half done. Errors: ARUS_MISMATCH: a
 * file is gone. */
ARUS_MUST_USE enum arus_status arus_query_sides_publish(struct arus_query *query,
                                                        const struct arus_batch_record *record,
                                                        struct arus_error *err);
/** Removes files behind the retention time, now and then. */
void arus_query_sides_expire(struct arus_query *query);
/** After a failure too: staged files are left for the next run. */
void arus_query_sides_close(struct arus_query *query);

#endif
