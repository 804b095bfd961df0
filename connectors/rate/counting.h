/** What both sources give: numbered rows with a time, read from ranges of numbers. */
#ifndef ARUS_CONNECTORS_RATE_COUNTING_H
#define ARUS_CONNECTORS_RATE_COUNTING_H

#include "connector/connector.h"

/** Rows [begin, end), `timestamp` = start_ms + round((value - begin) * ms_per_value). */
struct arus_counting {
    int64_t begin;
    int64_t end;
    int64_t start_ms;
    double ms_per_value;
};

/** Fills schema, description and table of a source made by the caller. `noun` as in "a rate
 * source". Errors: other columns were declared. */
ARUS_MUST_USE enum arus_status arus_counting_bind(struct arus_source *source,
                                                  const struct arus_table *table,
                                                  const char *description, struct arus_error *err);
/** Partition p of n has rows begin + p, begin + p + n, …, as in Spark. `partitions` 0: as many as
 * there are workers. */
ARUS_MUST_USE enum arus_status
arus_counting_splits(const struct arus_counting *rows, int64_t partitions, uint32_t worker_count,
                     struct arus_arena *arena, struct arus_splits *out, struct arus_error *err);

enum arus_status arus_counting_scan_open(const struct arus_source *source,
                                         const struct arus_scan *request, struct arus_arena *arena,
                                         struct arus_source_scan **out, struct arus_error *err);
enum arus_status arus_counting_worker_open(struct arus_source_scan *scan,
                                           struct arus_scan_worker **out, struct arus_error *err);
enum arus_status arus_counting_worker_start(struct arus_scan_worker *worker,
                                            const struct arus_split *split, struct arus_error *err);
enum arus_status arus_counting_worker_next(struct arus_scan_worker *worker, struct arus_batch *out,
                                           struct arus_error *err);
void arus_counting_worker_stats(const struct arus_scan_worker *worker, struct arus_scan_stats *out);
void arus_counting_worker_close(struct arus_scan_worker *worker);
enum arus_status arus_counting_committed(struct arus_source_stream *stream, struct arus_text end,
                                         struct arus_error *err);
int arus_counting_wake_fd(struct arus_source_stream *stream);

#endif
