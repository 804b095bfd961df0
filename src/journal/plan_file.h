/**
 * `plan` in the journal's folder: what the stream keeps beside a plan until its batch is prepared.
 * Not synced: a plan without it is a plan that was not used. Records are appended, the last whole
 * one counts, so that a batch costs one write; a long file begins anew.
 */
#ifndef ARUS_JOURNAL_PLAN_FILE_H
#define ARUS_JOURNAL_PLAN_FILE_H

#include "base/file.h"

/** Zeroed = not open yet. */
struct arus_plan_file {
    struct arus_file file;
    struct arus_path path;
};

/** Appends a record; the first one of a process begins the file anew. */
ARUS_MUST_USE enum arus_status arus_plan_file_add(struct arus_plan_file *plan, const char *journal,
                                                  struct arus_text record, struct arus_error *err);
void arus_plan_file_close(struct arus_plan_file *plan);

/** The last whole record; empty: none. */
ARUS_MUST_USE enum arus_status arus_plan_file_load(const char *journal, struct arus_buffer *out,
                                                   struct arus_error *err);
/** Nothing there is fine. */
ARUS_MUST_USE enum arus_status arus_plan_file_remove(const char *journal, struct arus_error *err);

#endif
