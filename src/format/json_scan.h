/** A tolerant JSON scanner over one text: for paths into documents, without building values. */
#ifndef ARUS_FORMAT_JSON_SCAN_H
#define ARUS_FORMAT_JSON_SCAN_H

#include "base/text.h"

enum arus_json_kind {
    ARUS_JSON_BAD,
    ARUS_JSON_OBJECT,
    ARUS_JSON_ARRAY,
    ARUS_JSON_STRING,
    ARUS_JSON_NUMBER,
    ARUS_JSON_WORD /* true, false, null */
};

struct arus_json_scan {
    const char *at;
    const char *end;
};

/** The kind of the value at hand; blanks before it are skipped. */
enum arus_json_kind arus_json_scan_peek(struct arus_json_scan *scan);
/** Skips a whole value; false: bad JSON. */
bool arus_json_scan_skip(struct arus_json_scan *scan);
/** The text of a string or name at hand, unescaped: as it stands when it can be, else in `buffer`,
 * which is reset. */
ARUS_MUST_USE enum arus_status arus_json_scan_name(struct arus_json_scan *scan,
                                                   struct arus_buffer *buffer,
                                                   struct arus_text *out, bool *is_fine,
                                                   struct arus_error *err);
/** The text of a string value or name at hand, unescaped, appended to `out`; false: bad JSON. */
ARUS_MUST_USE enum arus_status arus_json_scan_string(struct arus_json_scan *scan,
                                                     struct arus_buffer *out, bool *is_fine,
                                                     struct arus_error *err);
/** Enters an object or array (at `{` or `[`). */
void arus_json_scan_enter(struct arus_json_scan *scan);
/** Before each member: true: there is one more; false: the end was passed, or (is_fine false) bad
 * JSON. */
bool arus_json_scan_more(struct arus_json_scan *scan, bool is_first, bool *is_fine);
/** Passes the colon behind a name. */
bool arus_json_scan_colon(struct arus_json_scan *scan);
/** Copies a whole value as Jackson writes it: compact, names and texts escaped anew, doubles
 * respelled. */
ARUS_MUST_USE enum arus_status arus_json_scan_copy(struct arus_json_scan *scan,
                                                   struct arus_buffer *out, bool *is_fine,
                                                   struct arus_error *err);

#endif
