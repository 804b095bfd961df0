/** `arus state`: what a query keeps between its batches. A query over `statestore`, made here. */
#include "api/status.h"
#include "cli/commands.h"
#include "cli/human.h"
#include "cli/place.h"
#include "cli/result.h"

#include <stdio.h>
#include <string.h>

/* One table of one operator. */
struct view {
    struct arus_opened *opened;
    const struct arus_args *args;
    const struct arus_checkpoint_place *place;
    const struct arus_checkpoint_status *status;
    uint64_t operator_id;
    const char *side; /* left, right; NULL: no join */
};

/* ---- SQL ---- */

static enum arus_status put_quoted(struct arus_text text, char quote, struct arus_buffer *out,
                                   struct arus_error *err)
{
    ARUS_TRY(arus_buffer_append_char(out, quote, err));
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == quote || (quote == '\'' && text.data[i] == '\\')) {
            ARUS_TRY(arus_buffer_append_char(out, quote == '\'' ? '\\' : quote, err));
        }
        ARUS_TRY(arus_buffer_append_char(out, text.data[i], err));
    }
    return arus_buffer_append_char(out, quote, err);
}

/* statestore.`ckpt` WITH (..) */
static enum arus_status put_table(const struct view *view, struct arus_buffer *out,
                                  struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, " FROM statestore."));
    ARUS_TRY(put_quoted(arus_text_of(view->place->folder.text), '`', out, err));
    ARUS_TRY(arus_buffer_printf(out, err, " WITH (operatorId = %llu, batchId = %lld",
                                (unsigned long long)view->operator_id,
                                (long long)view->status->newest_published));
    if (view->side != NULL) {
        ARUS_TRY(arus_buffer_printf(out, err, ", joinSide = '%s'", view->side));
    }
    if (view->place->query != NULL) {
        ARUS_TRY(arus_buffer_printf(out, err, ", pipeline = "));
        ARUS_TRY(put_quoted(arus_text_of(view->place->pipeline.text), '\'', out, err));
    }
    return arus_buffer_append_char(out, ')', err);
}

static bool is_window(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_STRUCT && type->field_count == 2 &&
           type->fields[0].type->id == ARUS_TYPE_TIMESTAMP &&
           arus_text_equal(type->fields[0].name, ARUS_TEXT("start")) &&
           arus_text_equal(type->fields[1].name, ARUS_TEXT("end"));
}

/* key.`device`, key.`window`.start: its end is when it leaves. */
static enum arus_status put_field(const char *from, const struct arus_field *field,
                                  struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, "%s.", from));
    ARUS_TRY(put_quoted(field->name, '`', out, err));
    return is_window(field->type) ? arus_buffer_printf(out, err, ".start") : ARUS_OK;
}

static enum arus_status put_column(const char *from, const struct arus_field *field,
                                   struct arus_buffer *out, struct arus_error *err)
{
    char name[512];
    const int size = snprintf(name, sizeof name, "%.*s%s", ARUS_TEXT_ARGS(field->name),
                              is_window(field->type) ? ".start" : "");

    ARUS_TRY(put_field(from, field, out, err));
    ARUS_TRY(arus_buffer_printf(out, err, " AS "));
    ARUS_TRY(put_quoted((struct arus_text){name, (size_t)size}, '`', out, err));
    return arus_buffer_printf(out, err, ", ");
}

/* --key V: some column of the key has this text; each --key must be there. */
static enum arus_status put_where(const struct view *view, const struct arus_type *key,
                                  struct arus_buffer *out, struct arus_error *err)
{
    const char *lead = " WHERE";

    for (int i = 0; i < view->args->use_count; i++) {
        const struct arus_flag_use *use = &view->args->uses[i];

        if (use->flag->id != ARUS_FLAG_KEY) {
            continue;
        }
        ARUS_TRY(arus_buffer_printf(out, err, "%s (false", lead));
        for (uint16_t k = 0; k < key->field_count; k++) {
            ARUS_TRY(arus_buffer_printf(out, err, " OR CAST("));
            ARUS_TRY(put_field("key", &key->fields[k], out, err));
            ARUS_TRY(arus_buffer_printf(out, err, " AS STRING) = "));
            ARUS_TRY(put_quoted(arus_text_of(use->value), '\'', out, err));
        }
        ARUS_TRY(arus_buffer_append_char(out, ')', err));
        lead = " AND";
    }
    return ARUS_OK;
}

/* What leaves first, then by keys: an order that is the same each time. */
static enum arus_status put_order(const struct arus_type *key, struct arus_buffer *out,
                                  struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, " ORDER BY leaves_at NULLS LAST"));
    for (uint16_t k = 0; k < key->field_count; k++) {
        const struct arus_type *type = key->fields[k].type;

        if (is_window(type) || !arus_type_is_nested(type)) {
            ARUS_TRY(arus_buffer_printf(out, err, ", "));
            ARUS_TRY(put_field("key", &key->fields[k], out, err));
        }
    }
    return ARUS_OK;
}

/* The rows of a join have their keys among their columns. */
static enum arus_status put_select(const struct view *view, const struct arus_type *schema,
                                   struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_type *key = schema->fields[0].type;
    const struct arus_type *value = schema->fields[1].type;

    ARUS_TRY(arus_buffer_printf(out, err, "SELECT "));
    for (uint16_t k = 0; view->side == NULL && k < key->field_count; k++) {
        ARUS_TRY(put_column("key", &key->fields[k], out, err));
    }
    for (uint16_t i = 0; i < value->field_count; i++) {
        ARUS_TRY(put_column("value", &value->fields[i], out, err));
    }
    ARUS_TRY(arus_buffer_printf(out, err, "leaves_at AS `leaves at`"));
    ARUS_TRY(put_table(view, out, err));
    ARUS_TRY(put_where(view, key, out, err));
    return put_order(key, out, err);
}

/* ---- showing ---- */

static enum arus_status read_query(struct view *view, struct arus_buffer *text,
                                   const struct arus_batch_query **out, struct arus_error *err)
{
    const struct arus_action *actions;
    struct arus_findings findings;
    size_t count;

    if (view->opened->session == NULL) {
        ARUS_TRY(arus_opened_session(view->opened, view->args, NULL));
    }
    ARUS_TRY(arus_session_read(view->opened->session, arus_buffer_text(text), &findings, err));
    actions = arus_session_actions(view->opened->session, &count);
    ARUS_ASSERT(count == 1 && actions[0].kind == ARUS_ACTION_QUERY);
    *out = actions[0].query;
    return ARUS_OK;
}

/* "1 of 2 rows, operator 0 (aggregate), batch 5" */
static void say_rows(const struct view *view, const struct arus_result *result)
{
    const struct arus_text title = view->status->summary.states[view->operator_id].title;
    const char *end = title.size == 0 ? NULL : memchr(title.data, ' ', title.size);
    const int size = (int)(end == NULL ? title.size : (size_t)(end - title.data));
    char shown[ARUS_HUMAN_SIZE];
    char all[ARUS_HUMAN_SIZE * 2];

    (void)fflush(stdout);
    if (arus_result_shown(result) != arus_result_count(result)) {
        (void)fprintf(stderr, "%s of ", arus_human_count(arus_result_shown(result), shown));
    }
    (void)fprintf(stderr, "%s, operator %llu (%.*s%s%s), batch %lld\n",
                  arus_human_noun(arus_result_count(result), "row", all),
                  (unsigned long long)view->operator_id, size, title.data,
                  view->side == NULL ? "" : ", ", view->side == NULL ? "" : view->side,
                  (long long)view->status->newest_published);
}

static enum arus_status print_query(struct view *view, const struct arus_batch_query *query,
                                    struct arus_error *err)
{
    const enum arus_result_form form = arus_result_form(view->args);
    struct arus_session *session = view->opened->session;
    struct arus_result *result;
    enum arus_status status = arus_result_open(
        form, query->physical->schema, arus_session_zone(session), &view->opened->output,
        arus_args_number(view->args, ARUS_FLAG_COUNT, UINT64_MAX), &result, err);

    if (status == ARUS_OK) {
        status = arus_session_run_batch(session, query, arus_result_write, result, err);
    }
    if (status == ARUS_OK) {
        status = arus_result_finish(result, err);
    }
    if (arus_result_is_left(result)) {
        status = ARUS_OK;
    } else if (status == ARUS_OK && form == ARUS_RESULT_TABLE && !view->opened->is_quiet) {
        say_rows(view, result);
    }
    arus_result_close(result);
    return status;
}

static enum arus_status print_table(struct view *view, struct arus_error *err)
{
    const struct arus_batch_query *query = NULL;
    struct arus_buffer text = {0};
    enum arus_status status = arus_buffer_printf(&text, err, "SELECT *");

    if (status == ARUS_OK) {
        status = put_table(view, &text, err);
    }
    if (status == ARUS_OK) {
        status = read_query(view, &text, &query, err);
    }
    if (status == ARUS_OK) {
        const struct arus_type *schema = query->physical->schema;

        arus_buffer_reset(&text);
        status = put_select(view, schema, &text, err);
    }
    if (status == ARUS_OK) {
        status = read_query(view, &text, &query, err);
    }
    if (status == ARUS_OK) {
        status = print_query(view, query, err);
    }
    arus_buffer_release(&text);
    return status;
}

static enum arus_status fail_operator(const struct view *view, const struct arus_text query,
                                      struct arus_error *err)
{
    const struct arus_query_summary *summary = &view->status->summary;
    struct arus_buffer list = {0};
    enum arus_status status = ARUS_OK;

    for (size_t i = 0; i < summary->state_count && status == ARUS_OK; i++) {
        const struct arus_text title = summary->states[i].title;
        const char *end = title.size == 0 ? NULL : memchr(title.data, ' ', title.size);

        status = arus_buffer_printf(&list, err, "%s%zu%s (%.*s)", i == 0 ? "" : ", ", i,
                                    summary->state_count == 1 ? " only" : "",
                                    (int)(end == NULL ? title.size : (size_t)(end - title.data)),
                                    title.data == NULL ? "" : title.data);
    }
    if (status == ARUS_OK) {
        status = arus_fail(err, ARUS_BAD_CONFIG, "ARUS_NO_OPERATOR", "%.*s has operator%s %.*s",
                           ARUS_TEXT_ARGS(query), summary->state_count == 1 ? "" : "s",
                           ARUS_TEXT_ARGS(arus_buffer_text(&list)));
    }
    arus_buffer_release(&list);
    return status;
}

static enum arus_status print_operator(struct view *view, struct arus_error *err)
{
    static const char *const SIDES[] = {"left", "right"};
    const struct arus_text title = view->status->summary.states[view->operator_id].title;

    if (!arus_text_starts_with(title, ARUS_TEXT("join "))) {
        return print_table(view, err);
    }
    for (int side = 0; side < 2; side++) {
        view->side = SIDES[side];
        ARUS_TRY(print_table(view, err));
    }
    return ARUS_OK;
}

static enum arus_status show(struct arus_opened *opened, const struct arus_args *args,
                             const struct arus_checkpoint_place *place,
                             const struct arus_checkpoint_status *status, struct arus_error *err)
{
    struct view view = {.opened = opened, .args = args, .place = place, .status = status};
    const struct arus_text query =
        status->summary.query.size != 0 ? status->summary.query : arus_text_of(place->name);

    view.operator_id = arus_args_number(args, ARUS_FLAG_OPERATOR, 0);
    if (!status->exists || status->newest_published < 0) {
        (void)fprintf(stderr, "%.*s: no batch yet\n", ARUS_TEXT_ARGS(query));
        return ARUS_OK;
    }
    if (!status->is_stateful || status->summary.state_count == 0) {
        (void)fprintf(stderr, "%.*s keeps no state\n", ARUS_TEXT_ARGS(query));
        return ARUS_OK;
    }
    return view.operator_id < status->summary.state_count ? print_operator(&view, err)
                                                          : fail_operator(&view, query, err);
}

static enum arus_status run(struct arus_opened *opened, const struct arus_args *args,
                            struct arus_places *places)
{
    struct arus_arena arena = {0};
    struct arus_error err = {0};
    enum arus_status result = arus_places_find(opened, args, places, &err);
    const char *subject = args->operands[0];

    for (size_t i = 0; i < places->count && result == ARUS_OK; i++) {
        struct arus_checkpoint_status status;

        result = arus_status_read(places->items[i].folder.text, &arena, &status, &err);
        if (result == ARUS_OK) {
            result = show(opened, args, &places->items[i], &status, &err);
            subject = NULL; /* its errors name the query */
        }
    }
    arus_arena_release(&arena);
    if (result != ARUS_OK && err.message[0] != '\0') {
        err.place = (struct arus_place){0}; /* our own SELECT is not the user's text */
        arus_opened_fail(opened, subject, &err);
    }
    return result == ARUS_MISMATCH ? ARUS_BAD_CONFIG : result;
}

int arus_command_state(const struct arus_args *args)
{
    struct arus_opened opened;
    struct arus_places places = {0};
    int code;

    arus_opened_begin(&opened, args);
    code = arus_exit_of(run(&opened, args, &places));
    arus_places_release(&places);
    arus_opened_release(&opened);
    return code;
}
