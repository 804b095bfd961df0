/** The names of a large folder, read by a thread of its own while the caller does something else.
 */
#ifndef ARUS_BASE_FOLDER_AHEAD_H
#define ARUS_BASE_FOLDER_AHEAD_H

#include "base/file.h"

/** The reader of one folder. */
struct arus_folder_ahead;

/** Begins to read `handle` (a DIR), which nobody else may read meanwhile; NULL: no thread or memory
 * to be had, the caller reads for itself. */
struct arus_folder_ahead *arus_folder_ahead_begin(void *handle);
/**
 * The next name, in the order the file system gives them, with `.` and `..`; NULL at the end. It
 * lives until the next call. `*type` is the system's d_type.
 *
 * Returns 0, or the errno of the failed reading.
 */
int arus_folder_ahead_next(struct arus_folder_ahead *ahead, const char **name, unsigned char *type);
/** Ends the thread, read or not. The handle is the caller's again. */
void arus_folder_ahead_end(struct arus_folder_ahead *ahead);

#endif
