/** Error conditions: Spark's and ours (ARUS_*), with SQLSTATE and, for some, a page of explanation.
 */
#ifndef ARUS_BASE_CONDITION_H
#define ARUS_BASE_CONDITION_H

#include "base/text.h"

/** A page says what happened, why, and what to do; lines of at most 80 columns. */
struct arus_condition_page {
    const char *name; /* base name, or with a subcondition where that has a page of its own */
    const char *text;
};

/** SQLSTATE of a condition (BASE or BASE.SUB), or NULL: none. `condition` may be NULL. */
const char *arus_condition_sqlstate(const char *condition);
/** The index-th condition that has an SQLSTATE, sorted by name; NULL: beyond the last. */
const char *arus_condition_name(size_t index);
/** Page of the condition or of its base, without case; NULL: none. `condition` may be NULL. */
const struct arus_condition_page *arus_condition_page(const char *condition);
/** All pages, sorted by name. */
const struct arus_condition_page *arus_condition_pages(size_t *count);
/** Is it a condition that we know, with or without a page? */
bool arus_condition_is_known(const char *condition);

#endif
