/** Shared by the files of the journal room. */
#ifndef ARUS_JOURNAL_CHECKPOINT_INTERNAL_H
#define ARUS_JOURNAL_CHECKPOINT_INTERNAL_H

#include "journal/checkpoint.h"

/** Takes a line off the front, without its end (LF or CR LF). False: nothing is left. */
bool arus_log_take_line(struct arus_text *rest, struct arus_text *line);
/** ARUS_MISMATCH at a line of a log file; `line` 0: the whole file. */
ARUS_MUST_USE enum arus_status arus_log_fail(struct arus_error *err, const char *path,
                                             uint64_t line, const char *condition,
                                             const char *message);
/** Takes `vN` off the front. */
ARUS_MUST_USE enum arus_status arus_log_take_version(struct arus_text *rest, const char *path,
                                                     int version_max, int *version,
                                                     struct arus_error *err);
/** Appends a JSON string, quotes included. */
ARUS_MUST_USE enum arus_status
arus_json_append_string(struct arus_buffer *out, struct arus_text text, struct arus_error *err);
/** The same place in a source, perhaps written otherwise? */
bool arus_offset_is_equal(struct arus_text a, struct arus_text b);
/** N of `{"logOffset":N}` or of a bare N; -1: it is no such offset. */
int64_t arus_offset_log_id(struct arus_text offset);
bool arus_batch_plan_is_equal(const struct arus_batch_plan *a, const struct arus_batch_plan *b);
/** Reads `metadata`. */
ARUS_MUST_USE enum arus_status arus_metadata_parse(struct arus_text content, const char *path,
                                                   char id[37], struct arus_error *err);

#endif
