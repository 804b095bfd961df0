#include "plan/event_time.h"

#include "plan/say.h"
#include "plan/tree.h"

#include <string.h>

struct arus_event_mark arus_event_mark_of(const struct arus_expr *expr,
                                          const struct arus_event_mark *columns)
{
    if (arus_expr_is_call(expr, "window_time") && expr->arg_count == 1) {
        expr = expr->args[0];
    }
    return expr->kind == ARUS_EXPR_COLUMN ? columns[expr->index] : (struct arus_event_mark){0};
}

/* A column under its own name stays the same one; an alias, a window, window_time() is new. */
static struct arus_event_mark renamed(const struct arus_plan *plan, uint32_t column,
                                      const struct arus_expr *expr,
                                      const struct arus_event_mark *child)
{
    struct arus_event_mark mark = arus_event_mark_of(expr, child);

    if (mark.origin != NULL &&
        (expr->kind != ARUS_EXPR_COLUMN ||
         !arus_text_equal(plan->schema->fields[column].name,
                          plan->children[0]->schema->fields[expr->index].name))) {
        mark.origin = plan;
        mark.origin_column = column;
    }
    return mark;
}

static enum arus_status marks_of_join(const struct arus_plan *plan, struct arus_arena *arena,
                                      struct arus_event_mark *marks, struct arus_error *err)
{
    const uint32_t left_count = plan->children[0]->schema->field_count;
    const struct arus_event_mark *left = NULL;
    const struct arus_event_mark *right = NULL;

    ARUS_TRY(arus_event_marks(plan->children[0], arena, &left, err));
    ARUS_TRY(arus_event_marks(plan->children[1], arena, &right, err));
    memcpy(marks, left, left_count * sizeof(*marks));
    if (plan->join.kind != ARUS_JOIN_MARK && plan->schema->field_count > left_count) {
        memcpy(marks + left_count, right,
               (plan->schema->field_count - left_count) * sizeof(*marks));
    }
    return ARUS_OK;
}

/* Keys of grouping sets: array(named_struct('k0', key or null, ..), ..), a struct for each set. */
static void mark_grouping(const struct arus_plan *plan, const struct arus_event_mark *child,
                          struct arus_event_mark *marks)
{
    const uint32_t before = plan->children[0]->schema->field_count;
    const struct arus_expr *sets = plan->generate.input;

    for (uint32_t i = 0; i < sets->arg_count; i++) {
        const struct arus_expr *set = sets->args[i];

        while (set->kind == ARUS_EXPR_CAST) {
            set = set->args[0];
        }
        for (uint32_t key = 0; key * 2 + 1 < set->arg_count; key++) {
            const struct arus_event_mark mark = arus_event_mark_of(set->args[key * 2 + 1], child);

            if (mark.origin != NULL) {
                marks[before + key] = mark;
                marks[before + key].origin = plan;
                marks[before + key].origin_column = before + key;
            }
        }
    }
}

static void mark_last(const struct arus_plan *plan, const struct arus_event_mark *child,
                      struct arus_event_mark *marks)
{
    const uint32_t last = plan->schema->field_count - 1u;
    const struct arus_event_mark mark = arus_event_mark_of(plan->window->time, child);

    if (mark.origin != NULL) {
        marks[last] = (struct arus_event_mark){plan, last, mark.delay_micros};
    }
}

static void marks_of_node(const struct arus_plan *plan, const struct arus_event_mark *child,
                          struct arus_event_mark *marks)
{
    switch (plan->kind) {
    case ARUS_PLAN_PROJECT:
        for (uint32_t i = 0; i < plan->schema->field_count; i++) {
            marks[i] = renamed(plan, i, plan->project.exprs[i], child);
        }
        break;
    case ARUS_PLAN_AGGREGATE:
        for (uint32_t i = 0; i < plan->aggregate.key_count; i++) {
            marks[i] = renamed(plan, i, plan->aggregate.keys[i], child);
        }
        break;
    case ARUS_PLAN_WATERMARK:
        if (plan->is_streaming) {
            marks[plan->watermark.column] = (struct arus_event_mark){plan, plan->watermark.column,
                                                                     plan->watermark.delay_micros};
        }
        break;
    case ARUS_PLAN_GENERATE:
        memcpy(marks, child, plan->children[0]->schema->field_count * sizeof(*marks));
        if (plan->generate.is_grouping) {
            mark_grouping(plan, child, marks);
        }
        break;
    case ARUS_PLAN_FILTER:
    case ARUS_PLAN_SORT:
    case ARUS_PLAN_LIMIT:
    case ARUS_PLAN_UNION:
    case ARUS_PLAN_DEDUP:
        memcpy(marks, child, plan->schema->field_count * sizeof(*marks));
        break;
    case ARUS_PLAN_SCAN:
    case ARUS_PLAN_VALUES:
    case ARUS_PLAN_RANGE:
    case ARUS_PLAN_JOIN:
        break;
    }
    if (plan->window != NULL) {
        mark_last(plan, child, marks);
    }
}

enum arus_status arus_event_marks(const struct arus_plan *plan, struct arus_arena *arena,
                                  const struct arus_event_mark **out, struct arus_error *err)
{
    struct arus_event_mark *marks = NULL;
    const struct arus_event_mark *child = NULL;

    ARUS_TRY(ARUS_NEW(arena, struct arus_event_mark, plan->schema->field_count + 1u, &marks, err));
    *out = marks;
    if (plan->child_count == 0) {
        return ARUS_OK;
    }
    if (plan->kind == ARUS_PLAN_JOIN) {
        return marks_of_join(plan, arena, marks, err);
    }
    ARUS_TRY(arus_event_marks(plan->children[0], arena, &child, err));
    marks_of_node(plan, child, marks);
    return ARUS_OK;
}

enum arus_status arus_event_column(const struct arus_event_mark *marks, uint32_t count,
                                   bool takes_first, struct arus_place place, int32_t *out,
                                   struct arus_error *err)
{
    *out = -1;
    for (uint32_t i = 0; i < count; i++) {
        if (marks[i].origin == NULL) {
            continue;
        }
        if (*out < 0) {
            *out = (int32_t)i;
        } else if (!takes_first && (marks[i].origin != marks[*out].origin ||
                                    marks[i].origin_column != marks[*out].origin_column)) {
            arus_say(err, place, "MULTIPLE_EVENT_TIME_COLUMNS",
                     "two columns with a watermark meet here: which one is the event time?");
            return arus_error_help(err, "take one of them out: SELECT the columns that are needed");
        }
    }
    return ARUS_OK;
}
