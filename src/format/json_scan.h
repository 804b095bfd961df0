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

static inline void arus_json_scan_blanks(struct arus_json_scan *scan)
{
    while (scan->at < scan->end && (unsigned char)*scan->at <= ' ' &&
           (*scan->at == ' ' || *scan->at == '\t' || *scan->at == '\n' || *scan->at == '\r')) {
        scan->at++;
    }
}
/** The kind of the value at hand; blanks before it are skipped. */
static inline enum arus_json_kind arus_json_scan_peek(struct arus_json_scan *scan)
{
    arus_json_scan_blanks(scan);
    if (scan->at == scan->end) {
        return ARUS_JSON_BAD;
    }
    switch (*scan->at) {
    case '{':
        return ARUS_JSON_OBJECT;
    case '[':
        return ARUS_JSON_ARRAY;
    case '"':
    case '\'':
        return ARUS_JSON_STRING;
    case 't':
    case 'f':
    case 'n':
        return ARUS_JSON_WORD;
    default:
        return *scan->at == '-' || (*scan->at >= '0' && *scan->at <= '9') ? ARUS_JSON_NUMBER
                                                                          : ARUS_JSON_BAD;
    }
}
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
/** The text of a string value at hand if it stands there without escapes: false: it does not, and
 * nothing was passed. */
bool arus_json_scan_plain_string(struct arus_json_scan *scan, struct arus_text *out);
/** The text of a value at hand if it stands as arus_json_scan_copy writes it; false: it does not,
 * and nothing was passed. */
bool arus_json_scan_plain_value(struct arus_json_scan *scan, struct arus_text *out);
/** Enters an object or array (at `{` or `[`). */
static inline void arus_json_scan_enter(struct arus_json_scan *scan)
{
    scan->at++;
}
static inline bool arus_json_scan_is_closed(const struct arus_json_scan *scan)
{
    return scan->at < scan->end && (*scan->at == '}' || *scan->at == ']');
}
/** Before each member of an OBJECT or ARRAY: true: there is one more; false: the end was passed, or
 * (is_fine false) bad JSON. */
static inline bool arus_json_scan_more(struct arus_json_scan *scan, enum arus_json_kind kind,
                                       bool is_first, bool *is_fine)
{
    *is_fine = true;
    arus_json_scan_blanks(scan);
    if (arus_json_scan_is_closed(scan)) {
        *is_fine = *scan->at == (kind == ARUS_JSON_OBJECT ? '}' : ']');
        scan->at++;
        return false;
    }
    if (!is_first) {
        if (scan->at == scan->end || *scan->at != ',') {
            *is_fine = false;
            return false;
        }
        scan->at++;
        arus_json_scan_blanks(scan);
        if (arus_json_scan_is_closed(scan)) {
            *is_fine = false; /* a comma before the end */
            return false;
        }
    }
    *is_fine = scan->at < scan->end;
    return *is_fine;
}
/** Passes the colon behind a name. */
static inline bool arus_json_scan_colon(struct arus_json_scan *scan)
{
    arus_json_scan_blanks(scan);
    if (scan->at == scan->end || *scan->at != ':') {
        return false;
    }
    scan->at++;
    return true;
}
/** Copies a whole value as Jackson writes it: compact, names and texts escaped anew, doubles
 * respelled. */
ARUS_MUST_USE enum arus_status arus_json_scan_copy(struct arus_json_scan *scan,
                                                   struct arus_buffer *out, bool *is_fine,
                                                   struct arus_error *err);

#endif
