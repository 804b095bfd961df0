/** Errors and warnings as the user reads them: where, what, the source line with a caret, and what
 * to type. */
#ifndef ARUS_CLI_DIAGNOSTIC_H
#define ARUS_CLI_DIAGNOSTIC_H

#include "api/position.h"
#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>

/** No more of them are printed for one text. */
#define ARUS_DIAGNOSTIC_MAX 20

enum arus_severity { ARUS_SEVERITY_ERROR, ARUS_SEVERITY_WARNING };

/** How and about which text. Zeroed: no colour, no text, "arus: " in front. */
struct arus_diagnostic_style {
    const char *source_name; /* file of the SQL text; NULL: typed on the command line */
    struct arus_text source; /* the SQL text that places point into */
    const char *
        subject; /* "query events, batch 2": stands there when an error has no place; may be NULL */
    bool is_interactive; /* without "arus: " in front */
    bool has_color;
    int width; /* columns for the source line; 0: 100 */
};

/**
 * Appends the lines of one error or warning:
 *
 *     arus: FILE:LINE:COL: error: WHAT [CONDITION] (SQLSTATE)
 *       10 | source line
 *          |        ^^^^ label
 *     row:  .. / note: .. / help: .. / more: arus help CONDITION
 */
ARUS_MUST_USE enum arus_status arus_diagnostic_format(const struct arus_diagnostic_style *style,
                                                      enum arus_severity severity,
                                                      const struct arus_error *diagnostic,
                                                      struct arus_buffer *out,
                                                      struct arus_error *err);

/** Prints to stderr; when memory is short, the message alone. */
void arus_diagnostic_print(const struct arus_diagnostic_style *style, enum arus_severity severity,
                           const struct arus_error *diagnostic);
/** At most ARUS_DIAGNOSTIC_MAX, then how many are left out. */
void arus_diagnostic_print_all(const struct arus_diagnostic_style *style,
                               enum arus_severity severity, const struct arus_error *diagnostics,
                               size_t count);

#endif
