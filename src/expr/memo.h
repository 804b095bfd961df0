/** What kernels keep from batch to batch: compiled patterns. */
#ifndef ARUS_EXPR_MEMO_H
#define ARUS_EXPR_MEMO_H

#include "expr/function.h"
#include "types/regex.h"

/** The regex of a pattern; compiled anew only when the text changes. Lives until the next call. */
ARUS_MUST_USE enum arus_status arus_memo_regex(struct arus_kernel_memo *memo,
                                               struct arus_text pattern, struct arus_regex **out,
                                               struct arus_error *err);

#endif
