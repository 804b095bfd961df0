/** Java regular expressions on PCRE2. */
#ifndef ARUS_TYPES_REGEX_H
#define ARUS_TYPES_REGEX_H

#include "base/text.h"

#include <stdint.h>

/** Opaque. One thread at a time (it holds the match block); compile one per worker. */
struct arus_regex;

/**
 * Errors: ARUS_BAD_DATA, INVALID_PARAMETER_VALUE.PATTERN: Java would refuse it, or it cannot be
 * mapped.
 */
ARUS_MUST_USE enum arus_status arus_regex_open(struct arus_text pattern, struct arus_regex **out,
                                               struct arus_error *err);
/** Accepts NULL. */
void arus_regex_close(struct arus_regex *regex);
/** Capture groups, without group 0. */
uint32_t arus_regex_group_count(const struct arus_regex *regex);
/** Number of a named group; -1: none. */
int32_t arus_regex_group_find(const struct arus_regex *regex, struct arus_text name);

/**
 * Finds the first match at or behind byte `from`. *is_found false: none.
 * Errors: ARUS_BAD_DATA: match limits reached (catastrophic backtracking).
 */
ARUS_MUST_USE enum arus_status arus_regex_find(struct arus_regex *regex, struct arus_text subject,
                                               size_t from, bool *is_found, struct arus_error *err);
/** Of the last match found: byte range of a group; false: the group did not take part. */
bool arus_regex_group(const struct arus_regex *regex, uint32_t group, size_t *begin, size_t *end);
/** Where to look for the match after the last one: behind it, one code point further when it was
 * empty. */
size_t arus_regex_next(const struct arus_regex *regex, struct arus_text subject);

#endif
