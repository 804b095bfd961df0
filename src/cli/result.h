/** Rows of a query on standard output: a table, JSON lines, CSV, or the golden form. */
#ifndef ARUS_CLI_RESULT_H
#define ARUS_CLI_RESULT_H

#include "cli/command.h"
#include "column/vector.h"
#include "types/zone.h"

enum arus_result_form {
    ARUS_RESULT_TABLE,
    ARUS_RESULT_RECORDS, /* a line a column: \x of the prompt */
    ARUS_RESULT_JSON,
    ARUS_RESULT_CSV,
    ARUS_RESULT_ROWS
};

struct arus_result;

/** The form that the flags ask for. */
enum arus_result_form arus_result_form(const struct arus_args *args);

/**
 * Begins a result with these columns. `zone`: where timestamps are shown (JSON: always UTC).
 * `screen`: where it goes: cells are cut to its width, and what is longer goes through the pager.
 * `row_max`: rows behind it are counted only.
 *
 * Owns: `*out`, freed by close; `schema` and `zone` outlive it.
 */
ARUS_MUST_USE enum arus_status
arus_result_open(enum arus_result_form form, const struct arus_type *schema,
                 const struct arus_zone *zone, const struct arus_terminal *screen, uint64_t row_max,
                 struct arus_result **out, struct arus_error *err);
/** For arus_session_run_batch: `self` is the result. */
ARUS_MUST_USE enum arus_status arus_result_write(void *self, const struct arus_batch *batch,
                                                 struct arus_error *err);
/** Ends the text; a table without rows prints nothing. */
ARUS_MUST_USE enum arus_status arus_result_finish(struct arus_result *result,
                                                  struct arus_error *err);
/** Did the person leave the pager before the end? Then write and finish fail with ARUS_RETRY, which
 * is no error. False for NULL. */
bool arus_result_is_left(const struct arus_result *result);
/** Rows that were written, and that came. */
uint64_t arus_result_shown(const struct arus_result *result);
uint64_t arus_result_count(const struct arus_result *result);
void arus_result_close(struct arus_result *result); /* accepts NULL */

#endif
