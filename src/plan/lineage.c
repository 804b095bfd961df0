#include "plan/lineage.h"

#include "plan/tree.h"

/* ---- windows ---- */

/* The struct of one set in array(named_struct(..), ..), behind casts. */
static const struct arus_expr *grouping_set(const struct arus_expr *sets, uint32_t i)
{
    const struct arus_expr *set = sets->args[i];

    while (set->kind == ARUS_EXPR_CAST) {
        set = set->args[0];
    }
    return set;
}

/* The key behind a column of grouping sets: from the first set that has it; NULL: none has. */
static const struct arus_expr *grouping_key(const struct arus_plan *plan, uint32_t key)
{
    const struct arus_expr *sets = plan->generate.input;

    for (uint32_t i = 0; i < sets->arg_count; i++) {
        const struct arus_expr *set = grouping_set(sets, i);

        if (key * 2 + 1 < set->arg_count && set->args[key * 2 + 1]->kind != ARUS_EXPR_LITERAL) {
            return set->args[key * 2 + 1];
        }
    }
    return NULL;
}

/* The column of the child that a column is a copy of; false: it is none. */
static bool passes_on(const struct arus_plan *plan, uint32_t column, uint32_t *below)
{
    const struct arus_expr *expr = NULL;

    *below = column;
    switch (plan->kind) {
    case ARUS_PLAN_FILTER:
    case ARUS_PLAN_SORT:
    case ARUS_PLAN_LIMIT:
    case ARUS_PLAN_WATERMARK:
    case ARUS_PLAN_DEDUP:
        return true;
    case ARUS_PLAN_PROJECT:
        expr = plan->project.exprs[column];
        break;
    case ARUS_PLAN_GENERATE:
        if (column < plan->children[0]->schema->field_count) {
            return true;
        }
        expr = plan->generate.is_grouping
                   ? grouping_key(plan, column - plan->children[0]->schema->field_count)
                   : NULL;
        break;
    case ARUS_PLAN_SCAN:
    case ARUS_PLAN_VALUES:
    case ARUS_PLAN_RANGE:
    case ARUS_PLAN_AGGREGATE:
    case ARUS_PLAN_JOIN:
    case ARUS_PLAN_UNION:
        break;
    }
    if (expr == NULL || expr->kind != ARUS_EXPR_COLUMN) {
        return false;
    }
    *below = expr->index;
    return true;
}

const struct arus_time_window *arus_lineage_window(const struct arus_plan *plan, uint32_t column)
{
    uint32_t below = column;

    while (plan->window == NULL || column + 1u != plan->schema->field_count) {
        if (!passes_on(plan, column, &below)) {
            return NULL;
        }
        column = below;
        plan = plan->children[0];
    }
    return plan->window;
}

enum arus_status arus_duration_text(int64_t micros, struct arus_arena *arena, struct arus_text *out,
                                    struct arus_error *err)
{
    static const struct {
        int64_t micros;
        const char *name;
    } UNITS[] = {{86400000000, "day"}, {3600000000, "hour"},  {60000000, "minute"},
                 {1000000, "second"},  {1000, "millisecond"}, {1, "microsecond"}};
    size_t unit = 0;

    while (micros % UNITS[unit].micros != 0) {
        unit++;
    }
    if (micros == 0) {
        unit = 3;
    }
    micros /= UNITS[unit].micros;
    return arus_text_format(arena, out, err, "%lld %s%s", (long long)micros, UNITS[unit].name,
                            micros == 1 ? "" : "s");
}

/* ---- texts ---- */

static bool find_session(const struct arus_expr *expr, void *self)
{
    const struct arus_expr **call = self;

    *call = arus_expr_is_call(expr, "session_window") ? expr : NULL;
    return *call != NULL;
}

/* The gap of each row, where it is an expression. */
static enum arus_status session_text(const struct arus_plan *plan, struct arus_text time,
                                     struct arus_arena *arena, struct arus_text *out,
                                     struct arus_error *err)
{
    const struct arus_expr *call = NULL;
    struct arus_text gap;

    if (plan->window->size >= 0 || plan->kind != ARUS_PLAN_PROJECT ||
        !arus_expr_any(plan->project.exprs[plan->schema->field_count - 1], find_session, &call)) {
        return arus_text_format(arena, out, err, "session_window(%.*s)", ARUS_TEXT_ARGS(time));
    }
    ARUS_TRY(arus_lineage_text(plan->children[0], call->args[1], arena, &gap, err));
    return arus_text_format(arena, out, err, "session_window(%.*s, %.*s)", ARUS_TEXT_ARGS(time),
                            ARUS_TEXT_ARGS(gap));
}

static enum arus_status window_text(const struct arus_plan *plan, struct arus_arena *arena,
                                    struct arus_text *out, struct arus_error *err)
{
    const struct arus_time_window *window = plan->window;
    struct arus_text time;
    struct arus_text size;
    struct arus_text slide;
    struct arus_text start;

    ARUS_TRY(arus_lineage_text(plan->children[0], window->time, arena, &time, err));
    if (window->is_session) {
        return session_text(plan, time, arena, out, err);
    }
    ARUS_TRY(arus_duration_text(window->size, arena, &size, err));
    ARUS_TRY(arus_duration_text(window->slide, arena, &slide, err));
    ARUS_TRY(arus_duration_text(window->start, arena, &start, err));
    return arus_text_format(arena, out, err, "window(%.*s, %.*s, %.*s, %.*s)", ARUS_TEXT_ARGS(time),
                            ARUS_TEXT_ARGS(size), ARUS_TEXT_ARGS(slide), ARUS_TEXT_ARGS(start));
}

static enum arus_status scan_text(const struct arus_plan *plan, uint32_t column,
                                  struct arus_arena *arena, struct arus_text *out,
                                  struct arus_error *err)
{
    const struct arus_text name = plan->schema->fields[column].name;

    if (!plan->scan.is_stream || plan->scan.stream_index == 0) {
        *out = name;
        return ARUS_OK;
    }
    return arus_text_format(arena, out, err, "%u.%.*s", plan->scan.stream_index,
                            ARUS_TEXT_ARGS(name));
}

static enum arus_status generate_text(const struct arus_plan *plan, uint32_t column,
                                      struct arus_arena *arena, struct arus_text *out,
                                      struct arus_error *err)
{
    const uint32_t before = plan->children[0]->schema->field_count;
    const struct arus_expr *key = NULL;
    struct arus_text input;

    if (plan->generate.is_grouping) {
        key = grouping_key(plan, column - before);
        *out = plan->schema->fields[column].name;
        return key == NULL ? ARUS_OK : arus_lineage_text(plan->children[0], key, arena, out, err);
    }
    ARUS_TRY(arus_lineage_text(plan->children[0], plan->generate.input, arena, &input, err));
    return arus_text_format(arena, out, err, "explode(%.*s)[%u]", ARUS_TEXT_ARGS(input),
                            column - before);
}

enum arus_status arus_lineage_column(const struct arus_plan *plan, uint32_t column,
                                     struct arus_arena *arena, struct arus_text *out,
                                     struct arus_error *err)
{
    const uint32_t left_count = plan->child_count == 0 ? 0 : plan->children[0]->schema->field_count;

    if (plan->window != NULL && column + 1u == plan->schema->field_count) {
        return window_text(plan, arena, out, err);
    }
    switch (plan->kind) {
    case ARUS_PLAN_SCAN:
        return scan_text(plan, column, arena, out, err);
    case ARUS_PLAN_VALUES:
    case ARUS_PLAN_RANGE:
        *out = plan->schema->fields[column].name;
        return ARUS_OK;
    case ARUS_PLAN_FILTER:
    case ARUS_PLAN_SORT:
    case ARUS_PLAN_LIMIT:
    case ARUS_PLAN_WATERMARK:
    case ARUS_PLAN_DEDUP:
    case ARUS_PLAN_UNION:
        return arus_lineage_column(plan->children[0], column, arena, out, err);
    case ARUS_PLAN_PROJECT:
        return arus_lineage_text(plan->children[0], plan->project.exprs[column], arena, out, err);
    case ARUS_PLAN_AGGREGATE:
        return arus_lineage_text(
            plan->children[0],
            column < plan->aggregate.key_count
                ? plan->aggregate.keys[column]
                : plan->aggregate.aggregates[column - plan->aggregate.key_count],
            arena, out, err);
    case ARUS_PLAN_GENERATE:
        return column < left_count ? arus_lineage_column(plan->children[0], column, arena, out, err)
                                   : generate_text(plan, column, arena, out, err);
    case ARUS_PLAN_JOIN:
        if (plan->join.kind == ARUS_JOIN_MARK && column == left_count) {
            *out = plan->schema->fields[column].name;
            return ARUS_OK;
        }
        return column < left_count
                   ? arus_lineage_column(plan->children[0], column, arena, out, err)
                   : arus_lineage_column(plan->children[1], column - left_count, arena, out, err);
    }
    return ARUS_OK;
}

/* A copy without the user's spelling, its columns named by where they come from. */
static enum arus_status rename_columns(const struct arus_plan *plan, const struct arus_expr *expr,
                                       struct arus_arena *arena, const struct arus_expr **out,
                                       struct arus_error *err)
{
    struct arus_expr *copy = NULL;

    ARUS_TRY(ARUS_NEW(arena, struct arus_expr, 1, &copy, err));
    *copy = *expr;
    copy->text = (struct arus_text){0};
    *out = copy;
    if (expr->kind == ARUS_EXPR_COLUMN) {
        return arus_lineage_column(plan, expr->index, arena, &copy->name, err);
    }
    ARUS_TRY(ARUS_NEW(arena, const struct arus_expr *, expr->arg_count, &copy->args, err));
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        ARUS_TRY(rename_columns(plan, expr->args[i], arena, &copy->args[i], err));
    }
    return expr->filter == NULL ? ARUS_OK
                                : rename_columns(plan, expr->filter, arena, &copy->filter, err);
}

enum arus_status arus_lineage_text(const struct arus_plan *plan, const struct arus_expr *expr,
                                   struct arus_arena *arena, struct arus_text *out,
                                   struct arus_error *err)
{
    const struct arus_expr *renamed = NULL;
    struct arus_buffer buffer = {0};
    enum arus_status status;

    ARUS_TRY(rename_columns(plan, expr, arena, &renamed, err));
    status = arus_expr_text(renamed, &buffer, err);
    if (status == ARUS_OK) {
        status = arus_text_copy(arus_buffer_text(&buffer), arena, out, err);
    }
    arus_buffer_release(&buffer);
    return status;
}
