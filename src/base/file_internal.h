/** Shared by the file_*.c: injected failures and the record of operations. */
#ifndef ARUS_BASE_FILE_INTERNAL_H
#define ARUS_BASE_FILE_INTERNAL_H

#include "base/file.h"

/** Records what was done; `to` only for renames, `data` only for writes. Nothing to do without
 * ARUS_TRACE_IO. */
void arus_file_trace(enum arus_file_op op, const char *path, const char *to, uint64_t offset,
                     const void *data, size_t size);
/** Are operations recorded? Then copies go through write. */
bool arus_file_is_watched(void);
/** `.NAME.arus.tmp` beside the file: one writer a folder, so one name is enough and leaves no
 * debris. */
ARUS_MUST_USE enum arus_status arus_file_temporary(struct arus_path *out, const char *path,
                                                   struct arus_error *err);
/** "PATH: reason" with err->file. */
ARUS_MUST_USE enum arus_status arus_file_fail(struct arus_error *err, const char *path);

#endif
