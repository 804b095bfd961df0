/** Result rows for other programs: JSON lines, CSV, and the golden form. */
#ifndef ARUS_CLI_ROWS_H
#define ARUS_CLI_ROWS_H

#include "base/text.h"

enum arus_cell_kind {
    ARUS_CELL_NULL,
    ARUS_CELL_TEXT,
    ARUS_CELL_BARE /* a number, a truth value, or JSON already */
};

struct arus_cell {
    enum arus_cell_kind kind;
    struct arus_text text;
};

/** Appends text as a JSON string with its quotes; bytes that are no UTF-8 become U+FFFD. */
ARUS_MUST_USE enum arus_status arus_json_string(struct arus_text text, struct arus_buffer *out,
                                                struct arus_error *err);

/** {"a":1,"b":"x"} and a newline. */
ARUS_MUST_USE enum arus_status arus_rows_json(const struct arus_text *names,
                                              const struct arus_cell *cells, size_t count,
                                              struct arus_buffer *out, struct arus_error *err);
/** ["1","x",null] and a newline: every value as text. */
ARUS_MUST_USE enum arus_status arus_rows_texts(const struct arus_cell *cells, size_t count,
                                               struct arus_buffer *out, struct arus_error *err);
/** {"schema": "a INT, b STRING"} and a newline. */
ARUS_MUST_USE enum arus_status arus_rows_schema(struct arus_text ddl, struct arus_buffer *out,
                                                struct arus_error *err);
/** A CSV line: NULL is empty, an empty text is "", quotes where needed. */
ARUS_MUST_USE enum arus_status arus_rows_csv(const struct arus_cell *cells, size_t count,
                                             struct arus_buffer *out, struct arus_error *err);
/** The header line. */
ARUS_MUST_USE enum arus_status arus_rows_csv_header(const struct arus_text *names, size_t count,
                                                    struct arus_buffer *out,
                                                    struct arus_error *err);

#endif
