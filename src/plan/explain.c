#include "plan/explain.h"

#include "base/alloc.h"
#include "column/value.h"
#include "connector/location.h"
#include "plan/lineage.h"
#include "plan/state_note.h"
#include "plan/streaming.h"
#include "plan/tree.h"

#include <stdio.h>
#include <string.h>

/* One line of a tree: what it does, and a note beside it. */
struct line {
    struct arus_buffer text;
    struct arus_buffer note;
};

enum { LINE_MAX_COUNT = 400, NOTE_COLUMN_MAX = 100 };

struct explain {
    const char *sql;
    size_t sql_size;
    struct line lines[LINE_MAX_COUNT];
    uint32_t line_count;
    const struct arus_physical *physical; /* of the optimised plan; NULL: say nothing of state */
};

/* ---- expressions ---- */

static enum arus_status write_expr(const struct explain *explain, const struct arus_expr *expr,
                                   struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_place place = expr->place;

    if (arus_expr_is_call(expr, "and") && expr->arg_count == 2) {
        ARUS_TRY(write_expr(explain, expr->args[0], out, err));
        ARUS_TRY(arus_buffer_printf(out, err, " AND "));
        return write_expr(explain, expr->args[1], out, err);
    }
    if (expr->kind == ARUS_EXPR_COLUMN && memchr(expr->name.data, '(', expr->name.size) == NULL) {
        return arus_buffer_append_text(out, expr->name, err);
    }
    if (place.size > 0 && place.begin + (size_t)place.size <= explain->sql_size &&
        memchr(explain->sql + place.begin, '\n', place.size) == NULL) {
        return arus_buffer_append(out, explain->sql + place.begin, place.size, err);
    }
    return arus_expr_text(expr, out, err);
}

/* The window that a column of this name was made from, below. */
static const struct arus_time_window *find_window(const struct arus_plan *plan,
                                                  struct arus_text name)
{
    while (plan != NULL) {
        const uint32_t count = plan->schema->field_count;

        if (plan->window != NULL && count > 0 &&
            arus_text_equal(plan->schema->fields[count - 1].name, name)) {
            return plan->window;
        }
        plan =
            plan->child_count == 1 && plan->kind != ARUS_PLAN_AGGREGATE ? plan->children[0] : NULL;
    }
    return NULL;
}

static enum arus_status write_key(const struct explain *explain, const struct arus_plan *child,
                                  const struct arus_expr *key, struct arus_buffer *out,
                                  struct arus_error *err)
{
    const struct arus_time_window *window =
        key->kind == ARUS_EXPR_COLUMN ? find_window(child, key->name) : NULL;

    return window != NULL ? arus_buffer_append_text(out, window->text, err)
                          : write_expr(explain, key, out, err);
}

static enum arus_status write_list(const struct explain *explain,
                                   const struct arus_expr *const *exprs, uint32_t count,
                                   struct arus_buffer *out, struct arus_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        ARUS_TRY(arus_buffer_printf(out, err, "%s", i == 0 ? "" : ", "));
        ARUS_TRY(write_expr(explain, exprs[i], out, err));
    }
    return ARUS_OK;
}

/* ---- nodes ---- */

static enum arus_status write_project(const struct explain *explain, const struct arus_plan *plan,
                                      struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, "project  "));
    for (uint32_t i = 0; i < plan->schema->field_count; i++) {
        const struct arus_text name = plan->schema->fields[i].name;
        const struct arus_expr *expr = plan->project.exprs[i];
        const size_t begin = out->size + (i == 0 ? 0 : 2);

        ARUS_TRY(arus_buffer_printf(out, err, "%s", i == 0 ? "" : ", "));
        ARUS_TRY(write_expr(explain, expr, out, err));
        if (!arus_text_equal((struct arus_text){out->data + begin, out->size - begin}, name)) {
            ARUS_TRY(arus_buffer_printf(out, err, " AS %.*s", ARUS_TEXT_ARGS(name)));
        }
    }
    return ARUS_OK;
}

static enum arus_status write_aggregate(struct explain *explain, const struct arus_plan *plan,
                                        struct line *line, struct arus_error *err)
{
    struct arus_buffer *out = &line->text;
    const struct arus_plan *child = plan->children[0];

    ARUS_TRY(
        arus_buffer_printf(out, err, plan->aggregate.is_distinct ? "distinct" : "aggregate  "));
    ARUS_TRY(
        write_list(explain, plan->aggregate.aggregates, plan->aggregate.aggregate_count, out, err));
    for (uint32_t i = 0; !plan->aggregate.is_distinct && i < plan->aggregate.key_count; i++) {
        const char *lead = plan->aggregate.aggregate_count > 0 ? " by " : "by ";

        ARUS_TRY(arus_buffer_printf(out, err, "%s", i == 0 ? lead : ", "));
        ARUS_TRY(write_key(explain, child, plan->aggregate.keys[i], out, err));
    }
    return ARUS_OK;
}

static enum arus_status write_sort(const struct explain *explain, const struct arus_plan *plan,
                                   struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, "sort  "));
    for (uint32_t i = 0; i < plan->sort.key_count; i++) {
        const struct arus_sort_key *key = &plan->sort.keys[i];

        ARUS_TRY(arus_buffer_printf(out, err, "%s", i == 0 ? "" : ", "));
        ARUS_TRY(write_expr(explain, key->expr, out, err));
        ARUS_TRY(arus_buffer_printf(out, err, "%s%s", key->is_descending ? " DESC" : "",
                                    key->nulls_first == !key->is_descending ? ""
                                    : key->nulls_first                      ? " NULLS FIRST"
                                                                            : " NULLS LAST"));
    }
    return ARUS_OK;
}

static const char *const JOIN_NAMES[] = {
    [ARUS_JOIN_INNER] = "inner",       [ARUS_JOIN_LEFT] = "left outer",
    [ARUS_JOIN_RIGHT] = "right outer", [ARUS_JOIN_FULL] = "full outer",
    [ARUS_JOIN_SEMI] = "left semi",    [ARUS_JOIN_ANTI] = "left anti",
    [ARUS_JOIN_ANTI_NULL] = "not in",  [ARUS_JOIN_MARK] = "exists",
};

static enum arus_status write_join(const struct explain *explain, const struct arus_plan *plan,
                                   struct line *line, struct arus_error *err)
{
    struct arus_buffer *out = &line->text;
    bool has_text = plan->join.key_count > 0;

    ARUS_TRY(arus_buffer_printf(out, err, "join  %s", JOIN_NAMES[plan->join.kind]));
    for (uint32_t i = 0; i < plan->join.key_count; i++) {
        const struct arus_join_key *key = &plan->join.keys[i];

        ARUS_TRY(arus_buffer_printf(out, err, "%s", i == 0 ? " on " : " AND "));
        ARUS_TRY(write_expr(explain, key->left, out, err));
        ARUS_TRY(arus_buffer_printf(out, err, "%s", key->is_null_safe ? " <=> " : " = "));
        ARUS_TRY(write_expr(explain, key->right, out, err));
    }
    if (plan->join.condition != NULL) {
        ARUS_TRY(arus_buffer_printf(out, err, "%s", has_text ? ", where " : " on "));
        ARUS_TRY(write_expr(explain, plan->join.condition, out, err));
    }
    if (plan->is_streaming && plan->children[0]->is_streaming != plan->children[1]->is_streaming) {
        return arus_buffer_printf(&line->note, err, "the table is read again when it changes");
    }
    return ARUS_OK;
}

static const char *const COMPARE_NAMES[] = {
    [ARUS_EQ] = "=",
    [ARUS_NE] = "!=",
    [ARUS_LT] = "<",
    [ARUS_LE] = "<=",
    [ARUS_GT] = ">",
    [ARUS_GE] = ">=",
    [ARUS_IS_NULL] = "IS NULL",
    [ARUS_NOT_NULL] = "IS NOT NULL",
};

static enum arus_status write_predicates(const struct arus_plan *plan, struct arus_buffer *out,
                                         struct arus_error *err)
{
    for (size_t i = 0; i < plan->scan.predicate_count; i++) {
        const struct arus_predicate *predicate = &plan->scan.predicates[i];

        ARUS_TRY(arus_buffer_printf(
            out, err, "%s%.*s %s", i == 0 ? "; the reader checks " : ", ",
            ARUS_TEXT_ARGS(plan->scan.source->schema->fields[predicate->field].name),
            COMPARE_NAMES[predicate->compare]));
        if (predicate->compare < ARUS_IS_NULL) {
            ARUS_TRY(arus_buffer_append_char(out, ' ', err));
            ARUS_TRY(arus_value_text(&predicate->literal, 0, ARUS_ZONE_UTC, out, err));
        }
    }
    return ARUS_OK;
}

/* `info.b.d`: the parts of a column that are read. */
static enum arus_status write_read(const struct arus_field *read, const struct arus_type *all,
                                   const char *lead, struct arus_buffer *out,
                                   struct arus_error *err)
{
    char path[256];

    (void)snprintf(path, sizeof(path), "%s%s%.*s", lead, lead[0] == '\0' ? "" : ".",
                   ARUS_TEXT_ARGS(read->name));
    if (read->type->id != ARUS_TYPE_STRUCT || read->type->field_count == all->field_count) {
        return arus_buffer_printf(out, err, "%s", path);
    }
    for (uint16_t i = 0; i < read->type->field_count; i++) {
        const struct arus_field *field = &read->type->fields[i];

        ARUS_TRY(arus_buffer_printf(out, err, "%s", i == 0 ? "" : ", "));
        ARUS_TRY(
            write_read(field, all->fields[arus_type_find(all, field->name)].type, path, out, err));
    }
    return ARUS_OK;
}

static const struct arus_type *source_type(const struct arus_plan *plan, uint32_t i)
{
    const struct arus_source *source = plan->scan.source;
    const uint16_t field = plan->scan.fields[i];

    return field < source->schema->field_count ? source->schema->fields[field].type
                                               : source->metadata;
}

static enum arus_status write_scan(const struct arus_plan *plan, struct line *line,
                                   struct arus_error *err)
{
    const struct arus_source *source = plan->scan.source;
    const struct arus_setting *limit =
        arus_settings_find(&source->table->options, "maxFilesPerTrigger");
    const uint32_t used = plan->schema->field_count;
    const uint32_t all = source->schema->field_count;
    const uint32_t skipped = used > all ? 0 : all - used;

    ARUS_TRY(arus_buffer_printf(&line->text, err, "scan  %s ", source->table->connector->name));
    ARUS_TRY(arus_location_show(source->location, source->path, &line->text, err));
    if (plan->scan.is_stream && limit != NULL) {
        const bool is_one = arus_text_equal(limit->value, ARUS_TEXT("1"));

        ARUS_TRY(arus_buffer_printf(&line->text, err, ", %.*s file%s a batch",
                                    ARUS_TEXT_ARGS(limit->value), is_one ? "" : "s"));
    }
    ARUS_TRY(arus_buffer_printf(&line->note, err, "reads "));
    for (uint32_t i = 0; i < used; i++) {
        ARUS_TRY(arus_buffer_printf(&line->note, err, "%s", i == 0 ? "" : ", "));
        ARUS_TRY(write_read(&plan->schema->fields[i], source_type(plan, i), "", &line->note, err));
    }
    if (used == 0) {
        ARUS_TRY(arus_buffer_printf(&line->note, err, "no field, counts rows"));
    }
    if (skipped > 0) {
        ARUS_TRY(arus_buffer_printf(&line->note, err, ", skips %u field%s", skipped,
                                    skipped == 1 ? "" : "s"));
    }
    return write_predicates(plan, &line->note, err);
}

static enum arus_status write_generate(const struct explain *explain, const struct arus_plan *plan,
                                       struct arus_buffer *out, struct arus_error *err)
{
    const char *name = plan->generate.unnest == ARUS_UNNEST_INLINE ? "inline" : "explode";

    ARUS_TRY(arus_buffer_printf(out, err, "generate  "));
    if (plan->window != NULL) {
        return arus_buffer_append_text(out, plan->window->text, err);
    }
    ARUS_TRY(arus_buffer_printf(out, err, "%s%s%s(", plan->generate.has_position ? "pos" : "", name,
                                plan->generate.is_outer ? "_outer" : ""));
    ARUS_TRY(write_expr(explain, plan->generate.input, out, err));
    return arus_buffer_append_char(out, ')', err);
}

static enum arus_status write_limit(const struct arus_plan *plan, struct arus_buffer *out,
                                    struct arus_error *err)
{
    if (plan->limit.count >= 0) {
        ARUS_TRY(arus_buffer_printf(out, err, "limit  %lld", (long long)plan->limit.count));
    }
    if (plan->limit.skip > 0) {
        ARUS_TRY(arus_buffer_printf(out, err, "%soffset %lld", plan->limit.count >= 0 ? ", " : "",
                                    (long long)plan->limit.skip));
    }
    return ARUS_OK;
}

/* Does some operator look at the watermark for late rows? */
static bool drops_late_rows(const struct explain *explain)
{
    for (uint32_t i = 0; explain->physical != NULL && i < explain->physical->operator_count; i++) {
        const struct arus_state_operator *item = explain->physical->operators[i];

        if (item->inputs[0].late_column >= 0 || item->inputs[1].late_column >= 0) {
            return true;
        }
    }
    return false;
}

static enum arus_status write_watermark(const struct explain *explain, const struct arus_plan *plan,
                                        struct line *line, struct arus_error *err)
{
    const struct arus_text name = plan->schema->fields[plan->watermark.column].name;
    struct arus_arena arena;
    struct arus_text delay;
    enum arus_status status;

    arus_arena_init(&arena, 0);
    status = arus_duration_text(plan->watermark.delay_micros, &arena, &delay, err);
    if (status == ARUS_OK) {
        status = arus_buffer_printf(&line->text, err, "watermark  %.*s - %.*s",
                                    ARUS_TEXT_ARGS(name), ARUS_TEXT_ARGS(delay));
    }
    arus_arena_release(&arena);
    ARUS_TRY(status);
    return drops_late_rows(explain) ? arus_buffer_printf(&line->note, err, "late rows leave here")
                                    : ARUS_OK;
}

static enum arus_status write_dedup(const struct arus_plan *plan, struct line *line,
                                    struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(&line->text, err, "%s  ", arus_streaming_clause(plan)));
    for (uint32_t i = 0; i < plan->dedup.column_count; i++) {
        ARUS_TRY(
            arus_buffer_printf(&line->text, err, "%s%.*s", i == 0 ? "by " : ", ",
                               ARUS_TEXT_ARGS(plan->schema->fields[plan->dedup.columns[i]].name)));
    }
    return ARUS_OK;
}

static enum arus_status write_node(struct explain *explain, const struct arus_plan *plan,
                                   struct line *line, struct arus_error *err)
{
    switch (plan->kind) {
    case ARUS_PLAN_SCAN:
        return write_scan(plan, line, err);
    case ARUS_PLAN_VALUES:
        return arus_buffer_printf(&line->text, err, "values  %u row%s", plan->values.rows.row_count,
                                  plan->values.rows.row_count == 1 ? "" : "s");
    case ARUS_PLAN_RANGE:
        return arus_buffer_printf(&line->text, err, "range  %lld to %lld step %lld",
                                  (long long)plan->range.start, (long long)plan->range.end,
                                  (long long)plan->range.step);
    case ARUS_PLAN_FILTER:
        ARUS_TRY(arus_buffer_printf(&line->text, err, "filter  "));
        return write_expr(explain, plan->filter.condition, &line->text, err);
    case ARUS_PLAN_PROJECT:
        return write_project(explain, plan, &line->text, err);
    case ARUS_PLAN_AGGREGATE:
        return write_aggregate(explain, plan, line, err);
    case ARUS_PLAN_SORT:
        return write_sort(explain, plan, &line->text, err);
    case ARUS_PLAN_LIMIT:
        return write_limit(plan, &line->text, err);
    case ARUS_PLAN_JOIN:
        return write_join(explain, plan, line, err);
    case ARUS_PLAN_UNION:
        return arus_buffer_printf(&line->text, err, "union");
    case ARUS_PLAN_WATERMARK:
        return write_watermark(explain, plan, line, err);
    case ARUS_PLAN_DEDUP:
        return write_dedup(plan, line, err);
    case ARUS_PLAN_GENERATE:
        return write_generate(explain, plan, &line->text, err);
    }
    return ARUS_OK;
}

static enum arus_status write_state(const struct explain *explain, const struct arus_plan *plan,
                                    struct line *line, struct arus_error *err)
{
    const struct arus_state_operator *item = arus_state_find(explain->physical, plan);

    return item == NULL ? ARUS_OK : arus_state_note(item, &line->note, err);
}

/* Nodes that only make a window's column say nothing of their own: its name stands in GROUP BY. */
static bool is_silent(const struct arus_plan *plan, const struct arus_plan *parent)
{
    if (plan->kind == ARUS_PLAN_PROJECT && plan->window != NULL) {
        return true;
    }
    return parent != NULL && parent->window != NULL && plan->kind == ARUS_PLAN_FILTER;
}

static enum arus_status write_tree(struct explain *explain, const struct arus_plan *plan,
                                   const struct arus_plan *parent, uint32_t depth,
                                   struct arus_error *err)
{
    if (!is_silent(plan, parent) && explain->line_count < LINE_MAX_COUNT) {
        struct line *line = &explain->lines[explain->line_count++];

        ARUS_TRY(arus_buffer_printf(&line->text, err, "  %*s%s",
                                    depth == 0 ? 0 : (int)(depth - 1) * 3, "",
                                    depth == 0 ? "" : "+- "));
        ARUS_TRY(write_node(explain, plan, line, err));
        ARUS_TRY(write_state(explain, plan, line, err));
        depth++;
    }
    for (uint32_t i = 0; i < plan->child_count; i++) {
        ARUS_TRY(write_tree(explain, plan->children[i], plan, depth, err));
    }
    return ARUS_OK;
}

/* Notes stand in one column. */
static enum arus_status print_lines(const struct explain *explain, struct arus_buffer *out,
                                    struct arus_error *err)
{
    size_t width = 0;

    for (uint32_t i = 0; i < explain->line_count; i++) {
        const struct line *line = &explain->lines[i];

        if (line->note.size > 0 && line->text.size > width && line->text.size < NOTE_COLUMN_MAX) {
            width = line->text.size;
        }
    }
    for (uint32_t i = 0; i < explain->line_count; i++) {
        const struct line *line = &explain->lines[i];
        const size_t pad = line->text.size < width ? width - line->text.size : 0;

        ARUS_TRY(arus_buffer_append_text(out, arus_buffer_text(&line->text), err));
        if (line->note.size > 0) {
            ARUS_TRY(arus_buffer_printf(out, err, "%*s", (int)pad + 3, ""));
            ARUS_TRY(arus_buffer_append_text(out, arus_buffer_text(&line->note), err));
        }
        ARUS_TRY(arus_buffer_append_char(out, '\n', err));
    }
    return ARUS_OK;
}

static enum arus_status print_tree(const struct arus_plan *plan,
                                   const struct arus_physical *physical, const char *sql,
                                   struct arus_buffer *out, struct arus_error *err)
{
    struct explain *explain = arus_alloc(1, sizeof(*explain));
    enum arus_status status;

    if (explain == NULL) {
        return arus_fail_memory(err);
    }
    explain->physical = physical;
    explain->sql = sql == NULL ? "" : sql;
    explain->sql_size = strlen(explain->sql);
    status = write_tree(explain, plan, NULL, 0, err);
    if (status == ARUS_OK) {
        status = print_lines(explain, out, err);
    }
    for (uint32_t i = 0; i < explain->line_count; i++) {
        arus_buffer_release(&explain->lines[i].text);
        arus_buffer_release(&explain->lines[i].note);
    }
    arus_free(explain);
    return status;
}

/* ---- titles ---- */

static enum arus_status write_operator(struct explain *explain, const struct arus_plan *plan,
                                       struct line *line, struct arus_error *err)
{
    if (plan->kind != ARUS_PLAN_AGGREGATE || plan->aggregate.is_distinct) {
        return write_node(explain, plan, line, err);
    }
    ARUS_TRY(arus_buffer_printf(&line->text, err, "aggregate  "));
    return write_list(explain, plan->aggregate.aggregates, plan->aggregate.aggregate_count,
                      &line->text, err);
}

enum arus_status arus_explain_operator(const struct arus_physical *physical, uint32_t id,
                                       struct arus_buffer *out, struct arus_error *err)
{
    struct explain *explain = arus_alloc(1, sizeof(*explain));
    struct line *line = explain == NULL ? NULL : &explain->lines[0];
    enum arus_status status;

    if (explain == NULL) {
        return arus_fail_memory(err);
    }
    explain->sql = physical->sql == NULL ? "" : physical->sql;
    explain->sql_size = strlen(explain->sql);
    status = write_operator(explain, physical->operators[id]->plan, line, err);
    for (size_t i = 0; i < line->text.size && status == ARUS_OK; i++) {
        if (line->text.data[i] != ' ' || i == 0 || line->text.data[i - 1] != ' ') {
            status = arus_buffer_append_char(out, line->text.data[i], err);
        }
    }
    arus_buffer_release(&line->text);
    arus_buffer_release(&line->note);
    arus_free(explain);
    return status;
}

static const char *const MODES[] = {"append", "update", "complete"};

static enum arus_status stream_title(const struct arus_stream_query *stream,
                                     struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_stream_properties *properties = &stream->properties;

    ARUS_TRY(arus_buffer_printf(out, err, "%.*s: %s", ARUS_TEXT_ARGS(stream->name),
                                stream->sink_config->connector->name));
    if (stream->sink->location.size > 0) {
        ARUS_TRY(arus_buffer_printf(out, err, " %.*s", ARUS_TEXT_ARGS(stream->sink->location)));
    }
    ARUS_TRY(arus_buffer_printf(out, err, ", %s", MODES[properties->mode]));
    switch (properties->trigger) {
    case ARUS_TRIGGER_AVAILABLE_NOW:
        ARUS_TRY(arus_buffer_printf(out, err, ", availableNow"));
        break;
    case ARUS_TRIGGER_ONCE:
        ARUS_TRY(arus_buffer_printf(out, err, ", once"));
        break;
    case ARUS_TRIGGER_PROCESSING_TIME:
        ARUS_TRY(properties->trigger_ms == 0
                     ? arus_buffer_printf(out, err, ", batch after batch")
                     : arus_buffer_printf(out, err, ", every %g s",
                                          (double)properties->trigger_ms / 1000));
        break;
    }
    return properties->checkpoint.size == 0
               ? arus_buffer_printf(out, err, ", no checkpoint\n")
               : arus_buffer_printf(out, err, ", checkpoint %.*s\n",
                                    ARUS_TEXT_ARGS(properties->checkpoint));
}

static enum arus_status print_all(const struct arus_plan *resolved, const struct arus_plan *plan,
                                  const struct arus_physical *physical, const char *sql,
                                  struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, "resolved\n"));
    ARUS_TRY(print_tree(resolved, NULL, sql, out, err));
    ARUS_TRY(arus_buffer_printf(out, err, "optimised\n"));
    ARUS_TRY(print_tree(plan, physical, sql, out, err));
    ARUS_TRY(arus_buffer_printf(out, err, "stages\n"));
    return arus_physical_print(physical, out, err);
}

enum arus_status arus_explain_action(const struct arus_action *action, enum arus_explain_mode mode,
                                     struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_stream_query *stream = action->stream;
    const struct arus_batch_query *query = action->query;

    if (action->kind == ARUS_ACTION_STREAM) {
        ARUS_TRY(stream_title(stream, out, err));
        return mode == ARUS_EXPLAIN_SHORT
                   ? print_tree(stream->plan, stream->physical, stream->env.sql, out, err)
                   : print_all(stream->resolved, stream->plan, stream->physical, stream->env.sql,
                               out, err);
    }
    if (action->kind == ARUS_ACTION_QUERY) {
        ARUS_TRY(arus_buffer_printf(out, err, "query\n"));
        return mode == ARUS_EXPLAIN_SHORT
                   ? print_tree(query->plan, query->physical, query->env.sql, out, err)
                   : print_all(query->resolved, query->plan, query->physical, query->env.sql, out,
                               err);
    }
    return arus_buffer_printf(out, err, "no query, nothing to explain\n");
}
