/** The rows of a query as text. */
#ifndef ARUS_TESTS_SQL_ROWS_H
#define ARUS_TESTS_SQL_ROWS_H

#include "api/session.h"
#include "column/value.h"

/* Rows as `a, b; c, d`: columns by commas, rows by semicolons. */
__attribute__((unused)) static enum arus_status
sql_put_rows(void *self, const struct arus_batch *batch, struct arus_error *err)
{
    struct arus_buffer *out = self;

    for (uint32_t i = 0; i < batch->row_count; i++) {
        ARUS_TRY(arus_buffer_append_text(out, arus_text_of(out->size > 0 ? "; " : ""), err));
        for (uint32_t c = 0; c < batch->schema->field_count; c++) {
            ARUS_TRY(arus_buffer_append_text(out, arus_text_of(c > 0 ? ", " : ""), err));
            if (arus_vector_is_valid(&batch->columns[c], i)) {
                ARUS_TRY(arus_value_cast_text(&batch->columns[c], i, ARUS_ZONE_UTC, out, err));
            } else {
                ARUS_TRY(arus_buffer_append_text(out, ARUS_TEXT("NULL"), err));
            }
        }
    }
    return ARUS_OK;
}

/* The rows of the text's query. */
__attribute__((unused)) static enum arus_status sql_rows(const char *sql, struct arus_buffer *out,
                                                         struct arus_error *err)
{
    const struct arus_session_config config = {.thread_count = 1};
    struct arus_session *session;
    struct arus_findings findings;
    const struct arus_action *actions;
    size_t count;
    enum arus_status status;

    ARUS_TRY(arus_session_open(&config, &session, err));
    status = arus_session_read(session, arus_text_of(sql), &findings, err);
    actions = arus_session_actions(session, &count);
    if (status == ARUS_OK) {
        status = arus_session_run_batch(session, actions[count - 1].query, sql_put_rows, out, err);
    }
    arus_session_close(session);
    return status;
}

#endif
