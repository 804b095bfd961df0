/** Paths as Spark writes them: `file:///abs` with percent-encoding in logs, Hive escapes in folder
 * names. */
#ifndef ARUS_JOURNAL_PATH_H
#define ARUS_JOURNAL_PATH_H

#include "base/error.h"
#include "base/text.h"

/** The name of the folder for null and empty partition values. */
#define ARUS_PATH_DEFAULT_PARTITION "__HIVE_DEFAULT_PARTITION__"

/**
 * Appends `file://` and the absolute path, encoded as Java's URI does: bytes 0x01-0x1F, 0x7F,
 * space,
 * "#%<>?[\]^`{|} and Unicode control and space characters; other non-ASCII stays raw. Bytes that
 * are no UTF-8 are encoded too, so that every name comes back.
 */
ARUS_MUST_USE enum arus_status arus_path_append_uri(struct arus_buffer *out, struct arus_text path,
                                                    struct arus_error *err);
/**
 * The bytes of a path in a log: takes `file:///x`, `file:/x`. Anything else (`/x`, another host or
 * scheme, a space) gives ARUS_MISMATCH, since Spark would read no file or every file again.
 */
ARUS_MUST_USE enum arus_status arus_path_of_uri(struct arus_text uri, struct arus_arena *arena,
                                                struct arus_text *out, struct arus_error *err);

/** Appends a partition column's name or value with Hive's escapes (`%3D`). Not for null or empty.
 */
ARUS_MUST_USE enum arus_status arus_path_append_hive(struct arus_buffer *out, struct arus_text text,
                                                     struct arus_error *err);
/** Undoes them: `%XX` becomes the code point XX; a `%` without two hex digits stays. */
ARUS_MUST_USE enum arus_status arus_path_of_hive(struct arus_text text, struct arus_arena *arena,
                                                 struct arus_text *out, struct arus_error *err);

#endif
