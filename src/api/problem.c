/** Errors as other programs see them. */
#include "api/engine_internal.h"
#include "api/position.h"
#include "base/condition.h"

#include <stdio.h>

static enum arus_outcome outcome_of(enum arus_status status)
{
    switch (status) {
    case ARUS_OK:
        return ARUS_OUTCOME_DONE;
    case ARUS_BAD_CONFIG:
        return ARUS_OUTCOME_WRONG;
    case ARUS_MISMATCH:
        return ARUS_OUTCOME_MISMATCH;
    case ARUS_RETRY:
    case ARUS_BAD_DATA:
    case ARUS_NO_MEMORY:
    case ARUS_FATAL:
        break;
    }
    return ARUS_OUTCOME_FAILED;
}

static void put_text(char *out, size_t size, const char *text)
{
    (void)snprintf(out, size, "%s", text == NULL ? "" : text);
}

static void fill_place(const struct arus_error *err, struct engine_origin origin,
                       struct arus_problem *out)
{
    if (err->place.size != 0 && origin.text != NULL) {
        const struct arus_text_position at =
            arus_text_position(arus_text_of(origin.text), err->place.begin);

        out->line = at.line;
        out->column = at.column;
        put_text(out->file, sizeof out->file, origin.file);
    } else if (err->file.line != 0) {
        out->line = err->file.line;
        out->column = err->file.column;
        put_text(out->file, sizeof out->file, err->file.path);
    } else {
        put_text(out->file, sizeof out->file, origin.file);
    }
}

enum arus_outcome arus_problem_fill(const struct arus_error *err, struct engine_origin origin,
                                    struct arus_problem *out)
{
    const enum arus_outcome outcome = outcome_of(err->status);

    if (out == NULL) {
        return outcome;
    }
    *out = (struct arus_problem){.outcome = outcome};
    fill_place(err, origin, out);
    put_text(out->query, sizeof out->query, origin.query);
    put_text(out->condition, sizeof out->condition, err->condition);
    put_text(out->sqlstate, sizeof out->sqlstate, arus_condition_sqlstate(err->condition));
    put_text(out->message, sizeof out->message, err->message);
    put_text(out->row, sizeof out->row, err->row);
    put_text(out->note, sizeof out->note, err->note);
    put_text(out->help, sizeof out->help, err->help);
    return outcome;
}
