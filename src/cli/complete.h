/** What may follow what was typed at the prompt: names, functions, options, paths. */
#ifndef ARUS_CLI_COMPLETE_H
#define ARUS_CLI_COMPLETE_H

#include "base/arena.h"
#include "base/text.h"

#include <stdbool.h>

/** Where names come from. */
struct arus_complete_source {
    const char *folder; /* relative paths start here */
    /** The index-th table or view; false: beyond the last. */
    bool (*table)(void *self, size_t index, struct arus_text *out);
    /** The index-th column of a table; false: beyond the last. */
    bool (*column)(void *self, struct arus_text table, size_t index, struct arus_text *out);
    void *self;
};

/** Candidates for the word that ends at the cursor; texts live in the arena. */
struct arus_completion {
    size_t begin;                  /* of the word, in bytes */
    const struct arus_text *items; /* [count], sorted, each once; they replace the word */
    size_t count;
    size_t common_size; /* bytes that all items begin with */
    bool goes_on;       /* the only item is not the end of a word: a folder, a function */
};

/**
 * Completes `text`, the statement up to the cursor (all its lines).
 *
 * - `\`: commands of the prompt; behind `\d `: tables
 * - in backticks behind `FORMAT.`, and in single quotes: files and folders
 * - in OPTIONS (..) behind USING FORMAT: its options; behind USING: formats
 * - `name.`: columns of that table
 * - else columns of the tables that the statement names, tables, functions, keywords. Keywords and
 *   functions are written as the word begins: in small letters or capitals.
 */
ARUS_MUST_USE enum arus_status arus_complete(const struct arus_complete_source *source,
                                             struct arus_text text, struct arus_arena *arena,
                                             struct arus_completion *out, struct arus_error *err);

#endif
