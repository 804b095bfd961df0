/** DISTINCT arguments of an aggregate: rows whose arguments its group has not had yet. */
#ifndef ARUS_EXEC_DISTINCT_H
#define ARUS_EXEC_DISTINCT_H

#include "exec/group_table.h"
#include "exec/word_set.h"

/** Zeroed = releasable. */
struct arus_distinct {
    struct arus_word_set words;    /* where a word tells group and argument */
    struct arus_group_table table; /* else */
    bool is_word;
    bool has_null; /* an argument of 8 bytes was null */
};

/** `types`: [count] of the arguments; has_groups false: all rows are of one group. */
ARUS_MUST_USE enum arus_status arus_distinct_init(struct arus_distinct *distinct,
                                                  const struct arus_type *const *types,
                                                  uint32_t count, bool has_groups,
                                                  struct arus_error *err);
void arus_distinct_release(struct arus_distinct *distinct);
/**
 * fresh[0..*fresh_count): rows that are the first with their arguments, rising. `args`: of any
 * form; `groups`: [row_count], NULL without groups. `*fresh` is memory of `step`.
 */
ARUS_MUST_USE enum arus_status arus_distinct_find(struct arus_distinct *distinct,
                                                  const struct arus_vector *args,
                                                  const uint32_t *groups, uint32_t row_count,
                                                  struct arus_arena *step, uint32_t **fresh,
                                                  uint32_t *fresh_count, struct arus_error *err);

#endif
