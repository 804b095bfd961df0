/** The fast path of the csv reader: an index of delimiters, and columns filled from it. */
#ifndef ARUS_FORMAT_CSV_SCAN_INTERNAL_H
#define ARUS_FORMAT_CSV_SCAN_INTERNAL_H

#include "format/cpu.h"
#include "format/csv_internal.h"

#include <stdbool.h>
#include <stdint.h>

/** Lines that are indexed and converted at a time: what stays in the first caches. */
#define CSV_STEP_LINES ((uint32_t)1024)
/** The index takes whole blocks of bytes, so that many lines more may come: the least limit. */
#define CSV_STEP_LINES_MIN ((uint32_t)64)

/** What the index looks for. */
struct csv_index_rule {
    char delimiter;
    char quote;
    char comment;
    bool has_comment;
    bool ends_at_cr;      /* \r and \r\n end a line too */
    uint32_t field_count; /* values that a regular line has at least */
    uint32_t field_max;   /* and at most */
};

/**
 * Lines that hold something, in order. Value k of a regular line i lies between marks[first[i] + k]
 * and marks[first[i] + k + 1]. An odd line (a quote in it, another number of values) has empty
 * values there.
 */
struct csv_index {
    uint32_t *marks; /* owned; the first ones are those of odd lines */
    size_t mark_capacity;
    uint32_t odd_mark_count;
    uint32_t line_count;
    uint32_t first[CSV_STEP_LINES];
    uint32_t begin[CSV_STEP_LINES];
    uint32_t end[CSV_STEP_LINES]; /* without the line end */
    uint64_t odd[CSV_STEP_LINES / 64];
};

ARUS_MUST_USE enum arus_status csv_index_init(struct csv_index *index, uint32_t field_count,
                                              struct arus_error *err);
void csv_index_release(struct csv_index *index);
/**
 * Indexes up to `line_max` (CSV_STEP_LINES_MIN..CSV_STEP_LINES) lines of `text` from `at` on;
 * returns the offset of the first line not indexed (text.size: all). `text` holds whole lines, and
 * 64 readable bytes follow it.
 */
size_t csv_index_lines(enum arus_cpu cpu, const struct csv_index_rule *rule, struct arus_text text,
                       size_t at, uint32_t line_max, struct csv_index *index);

/* ---- the quick tokenizer ---- */

/**
 * Takes a record (a line, or the first one of a document) when there is nothing special about it.
 * False: ask the exact tokenizer. Tokens are views of `text`, or null_value and empty_value. 64
 * readable bytes follow `text`.
 */
bool csv_tokenize_quickly(struct csv_tokenizer *tokenizer, struct arus_text text, bool is_final);
/** Room for tokens, which the quick tokenizer does not make. */
ARUS_MUST_USE enum arus_status csv_tokenizer_reserve(struct csv_tokenizer *tokenizer, size_t count,
                                                     struct arus_error *err);

/* ---- columns ---- */

struct csv_column;

/** Indexed lines and the row that the first one becomes. */
struct csv_lines {
    const char *data;
    const struct csv_index *index;
    uint32_t row;
    struct arus_text null_value;
    struct csv_cells *cells;
    uint64_t *bad; /* [CSV_STEP_LINES / 64]: lines with a cell that did not fit */
};

typedef void (*csv_fill_fn)(struct csv_column *column, const struct csv_lines *lines);
/** One cell the quick way; false: not so easy. 64 readable bytes follow `cell`. */
typedef bool (*csv_quick_fn)(void *out, struct arus_text cell);

/** A column of the batch. */
struct csv_column {
    const struct arus_type *type;
    uint32_t token; /* its position in a record */
    csv_fill_fn fill;
    csv_quick_fn quick;
    uint32_t value_size;
    char *values;       /* owned, ARUS_BATCH_ROWS */
    uint64_t *validity; /* owned */
    uint32_t null_count;
};

ARUS_MUST_USE enum arus_status csv_column_init(struct csv_column *column,
                                               const struct arus_type *type, uint32_t token,
                                               const struct csv_cells *cells,
                                               struct arus_error *err);
void csv_column_release(struct csv_column *column);
/** Before the first row of a batch. */
void csv_column_reset(struct csv_column *column);
/** One row by hand. */
void csv_column_set_null(struct csv_column *column, uint32_t row);
/** Tries the quick way first: the cell must be part of a stretch. Else as csv_column_set. */
bool csv_column_set_quickly(struct csv_column *column, uint32_t row, struct arus_text cell,
                            struct csv_cells *cells);
/** False: the cell does not fit; the row is null then. */
bool csv_column_set(struct csv_column *column, uint32_t row, struct arus_text cell,
                    struct csv_cells *cells);

#endif
