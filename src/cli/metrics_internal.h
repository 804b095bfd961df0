/** What the files of the metrics share. */
#ifndef ARUS_CLI_METRICS_INTERNAL_H
#define ARUS_CLI_METRICS_INTERNAL_H

#include "cli/metrics.h"

/** Upper bounds of the histograms' buckets, in seconds. */
extern const double ARUS_METRICS_BOUNDS[ARUS_METRICS_BUCKETS];

/** Numbers of this process, as Prometheus' client libraries name them. A value that the system does
 * not tell is -1. */
struct arus_process_numbers {
    double cpu_seconds;
    double start_seconds; /* since 1970 */
    int64_t resident_bytes;
    int64_t open_fds;
    int64_t max_fds;
};
struct arus_process_numbers arus_process_look(void);

#endif
