/** Reading a sink again, against what its batches wrote: `arus audit`. */
#ifndef ARUS_API_AUDIT_H
#define ARUS_API_AUDIT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum arus_audit_finding {
    ARUS_AUDIT_MISSING, /* listed, not there */
    ARUS_AUDIT_CHANGED, /* another size, or other bytes */
    ARUS_AUDIT_EXTRA,   /* a data file that no batch listed */
    ARUS_AUDIT_FINDING_COUNT
};

struct arus_audit {
    uint64_t file_count; /* that the log lists */
    uint64_t hash_count; /* of them: compared byte by byte, and rows known */
    uint64_t row_count;  /* of those */
    uint64_t counts[ARUS_AUDIT_FINDING_COUNT];
    uint64_t lost_rows; /* of missing files, as far as known */
};

/**
 * `checkpoint` and `sink`: absolute folders. `found` is told each finding, with a path below the
 * sink; may be NULL.
 *
 * Errors: ARUS_MISMATCH: the sink's log cannot be read.
 */
ARUS_MUST_USE enum arus_status
arus_audit_sink(const char *checkpoint, const char *sink,
                void (*found)(void *self, enum arus_audit_finding finding, struct arus_text path),
                void *self, struct arus_audit *out, struct arus_error *err);

#endif
