/** Plans as text. */
#ifndef ARUS_PLAN_EXPLAIN_H
#define ARUS_PLAN_EXPLAIN_H

#include "plan/analyse.h"

enum arus_explain_mode {
    ARUS_EXPLAIN_SHORT, /* one tree */
    ARUS_EXPLAIN_ALL    /* resolved, optimised, stages */
};

/** Appends the plan of a query, batch or stream; ends with a newline. */
ARUS_MUST_USE enum arus_status arus_explain_action(const struct arus_action *action,
                                                   enum arus_explain_mode mode,
                                                   struct arus_buffer *out, struct arus_error *err);

/** Appends a stateful operator in a few words: `aggregate count(*)`, `drop_duplicates by id`. */
ARUS_MUST_USE enum arus_status arus_explain_operator(const struct arus_physical *physical,
                                                     uint32_t id, struct arus_buffer *out,
                                                     struct arus_error *err);

#endif
