/** A result table on a screen: Spark's frame, numbers right, text left. */
#ifndef ARUS_CLI_TABLE_H
#define ARUS_CLI_TABLE_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/** Widths come from this many rows; later rows keep them. */
#define ARUS_TABLE_ROWS_MAX 10000

struct arus_table_column {
    struct arus_text name;
    bool is_number; /* to the right */
};

/** Fields belong to table.c. */
struct arus_table {
    const struct arus_table_column *columns;
    uint32_t column_count;
    int screen_width;        /* 0: nothing is cut */
    struct arus_arena kept;  /* texts of the names and of the rows that wait for their widths */
    struct arus_arena late;  /* texts of the newest row behind those */
    struct arus_text *cells; /* [kept_count * column_count], escaped */
    uint32_t kept_count;
    uint32_t cell_capacity;  /* rows */
    uint32_t *widths;        /* [column_count] */
    struct arus_text *names; /* [column_count], escaped */
    uint64_t row_count;
    bool is_begun; /* header printed, nothing waits */
};

/** `columns` live as long as the table. */
ARUS_MUST_USE enum arus_status arus_table_init(struct arus_table *table,
                                               const struct arus_table_column *columns,
                                               uint32_t column_count, int screen_width,
                                               struct arus_error *err);
/** One row; data NULL shows as NULL. Lines that are ready are appended to `out`. */
ARUS_MUST_USE enum arus_status arus_table_add(struct arus_table *table,
                                              const struct arus_text *cells,
                                              struct arus_buffer *out, struct arus_error *err);
/** The rest of the lines with the lower frame. A table without rows is a header. */
ARUS_MUST_USE enum arus_status arus_table_finish(struct arus_table *table, struct arus_buffer *out,
                                                 struct arus_error *err);
void arus_table_release(struct arus_table *table);

#endif
