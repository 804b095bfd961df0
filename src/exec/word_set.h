/** A set of 64-bit words: which of them come for the first time. */
#ifndef ARUS_EXEC_WORD_SET_H
#define ARUS_EXEC_WORD_SET_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/** Zeroed = empty and releasable. */
struct arus_word_set {
    uint64_t *slots; /* [1 << slot_bits] words; 0: free */
    uint32_t slot_bits;
    uint64_t count; /* of words in slots */
    bool has_zero;
};

void arus_word_set_release(struct arus_word_set *set);
/**
 * Adds words[0..count). fresh[0..*fresh_count) are the places of those that were not in the set,
 * rising; it has room for `count`.
 */
ARUS_MUST_USE enum arus_status arus_word_set_add(struct arus_word_set *set, const uint64_t *words,
                                                 uint32_t count, uint32_t *fresh,
                                                 uint32_t *fresh_count, struct arus_error *err);

#endif
