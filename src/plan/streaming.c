#include "plan/streaming.h"

#include "plan/event_time.h"
#include "plan/join_bound.h"
#include "plan/say.h"
#include "plan/tree.h"

#include <string.h>

#define REFUSED  "_LEGACY_ERROR_TEMP_3102"
#define BAD_MODE "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION"

/* A check under way. */
struct check {
    enum arus_output_mode mode;
    const struct arus_session_settings *settings;
    struct arus_arena arena; /* of marks */
};

static const char *const MODE_NAMES[] = {"append", "update", "complete"};

static enum arus_status any_event_column(struct check *check, const struct arus_plan *plan,
                                         bool *out, struct arus_error *err)
{
    const struct arus_event_mark *marks = NULL;

    *out = false;
    ARUS_TRY(arus_event_marks(plan, &check->arena, &marks, err));
    for (uint32_t i = 0; i < plan->schema->field_count; i++) {
        *out |= marks[i].origin != NULL;
    }
    return ARUS_OK;
}

/* ---- stateful nodes ---- */

static bool is_stream_join(const struct arus_plan *plan)
{
    return plan->kind == ARUS_PLAN_JOIN && plan->children[0]->is_streaming &&
           plan->children[1]->is_streaming;
}

/* Nodes that Spark counts as stateful when it looks at chains. */
bool arus_streaming_is_stateful(const struct arus_plan *plan)
{
    return plan->is_streaming && (plan->kind == ARUS_PLAN_AGGREGATE ||
                                  plan->kind == ARUS_PLAN_DEDUP || is_stream_join(plan));
}

const struct arus_plan *arus_streaming_stateful(const struct arus_plan *plan)
{
    if (arus_streaming_is_stateful(plan) || (plan->is_streaming && plan->kind == ARUS_PLAN_LIMIT)) {
        return plan;
    }
    for (uint32_t i = 0; i < plan->child_count; i++) {
        const struct arus_plan *found = arus_streaming_stateful(plan->children[i]);

        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

const char *arus_streaming_clause(const struct arus_plan *plan)
{
    switch (plan->kind) {
    case ARUS_PLAN_AGGREGATE:
        if (plan->set_operation != NULL) {
            return plan->set_operation;
        }
        return plan->aggregate.is_distinct ? "DISTINCT" : "an aggregate";
    case ARUS_PLAN_DEDUP:
        return plan->dedup.within_watermark ? "drop_duplicates_within_watermark"
                                            : "drop_duplicates";
    case ARUS_PLAN_JOIN:
        return "a join of two streams";
    case ARUS_PLAN_LIMIT:
        return "LIMIT";
    case ARUS_PLAN_SCAN:
    case ARUS_PLAN_VALUES:
    case ARUS_PLAN_RANGE:
    case ARUS_PLAN_FILTER:
    case ARUS_PLAN_PROJECT:
    case ARUS_PLAN_SORT:
    case ARUS_PLAN_UNION:
    case ARUS_PLAN_WATERMARK:
    case ARUS_PLAN_GENERATE:
        break;
    }
    return "this";
}

/* The streaming aggregate nearest to the sink; those of set operations are not seen by Spark's
 * check. */
static const struct arus_plan *find_aggregate(const struct arus_plan *plan)
{
    if (plan->is_streaming && plan->kind == ARUS_PLAN_AGGREGATE && plan->set_operation == NULL) {
        return plan;
    }
    for (uint32_t i = 0; i < plan->child_count; i++) {
        const struct arus_plan *found = find_aggregate(plan->children[i]);

        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

/* ---- texts ---- */

static const struct arus_plan *find_scan(const struct arus_plan *plan)
{
    if (plan->kind == ARUS_PLAN_SCAN && plan->scan.is_stream) {
        return plan;
    }
    for (uint32_t i = 0; i < plan->child_count; i++) {
        const struct arus_plan *found = find_scan(plan->children[i]);

        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

/* A column that could have the watermark: that of a window, else the first TIMESTAMP of the source.
 */
static struct arus_text event_column(const struct arus_plan *plan, const struct arus_plan *scan)
{
    if (plan->window != NULL && plan->window->time->kind == ARUS_EXPR_COLUMN) {
        return plan->window->time->name;
    }
    for (uint32_t i = 0; i < plan->child_count && plan->child_count == 1; i++) {
        return event_column(plan->children[i], scan);
    }
    for (uint32_t i = 0; scan != NULL && i < scan->schema->field_count; i++) {
        if (scan->schema->fields[i].type->id == ARUS_TYPE_TIMESTAMP) {
            return scan->schema->fields[i].name;
        }
    }
    return ARUS_TEXT("ts");
}

static struct arus_text table_name(const struct arus_plan *scan)
{
    return scan == NULL ? ARUS_TEXT("t") : scan->scan.source->table->name;
}

/* ---- rules on the whole query ---- */

static enum arus_status check_append(struct check *check, const struct arus_plan *aggregate,
                                     struct arus_error *err)
{
    const struct arus_plan *scan = find_scan(aggregate);
    const struct arus_text column = event_column(aggregate, scan);
    const struct arus_event_mark *marks = NULL;

    ARUS_TRY(arus_event_marks(aggregate, &check->arena, &marks, err));
    for (uint32_t i = 0; i < aggregate->aggregate.key_count; i++) {
        if (marks[i].origin != NULL) {
            return ARUS_OK;
        }
    }
    if (aggregate->aggregate.is_distinct) {
        arus_say(err, aggregate->place, BAD_MODE,
                 "append needs a watermark column in DISTINCT: without one no row is ever final");
        return arus_error_help(err,
                               "to drop repeats: FROM drop_duplicates(TABLE(SELECT ..), 'key')");
    }
    arus_say(err, aggregate->place, BAD_MODE,
             "append needs a watermark: without one no group is ever final");
    return arus_error_help(err,
                           "FROM STREAM %.*s WATERMARK %.*s DELAY OF INTERVAL 10 MINUTES, or "
                           "outputMode 'update' (not for files)",
                           ARUS_TEXT_ARGS(table_name(scan)), ARUS_TEXT_ARGS(column));
}

static enum arus_status check_mode(struct check *check, const struct arus_plan *plan,
                                   struct arus_place name_place, struct arus_error *err)
{
    const struct arus_plan *aggregate = find_aggregate(plan);

    if (check->mode == ARUS_COMPLETE && aggregate == NULL) {
        arus_say(err, name_place, BAD_MODE,
                 "complete gives out all groups anew, but there is no GROUP BY");
        return arus_error_help(err, "outputMode 'append'");
    }
    if (aggregate == NULL) {
        return ARUS_OK;
    }
    if (check->mode == ARUS_UPDATE && aggregate->aggregate.has_session) {
        arus_say(err, aggregate->place, BAD_MODE, "sessions cannot be given out in update mode");
        return arus_error_help(err, "outputMode 'append' with a watermark");
    }
    return check->mode == ARUS_APPEND ? check_append(check, aggregate, err) : ARUS_OK;
}

/* Would it take groups that come again for new ones? Rule of Spark: drop_duplicates only where the
 * event time is among its keys. */
static enum arus_status minds_repeats(struct check *check, const struct arus_plan *plan, bool *out,
                                      struct arus_error *err)
{
    const struct arus_event_mark *marks = NULL;

    *out = arus_streaming_is_stateful(plan);
    if (plan->kind != ARUS_PLAN_DEDUP || !*out) {
        return ARUS_OK;
    }
    *out = false;
    ARUS_TRY(arus_event_marks(plan->children[0], &check->arena, &marks, err));
    for (uint32_t i = 0; i < plan->dedup.column_count && !plan->dedup.within_watermark; i++) {
        *out |= marks[plan->dedup.columns[i]].origin != NULL;
    }
    return ARUS_OK;
}

/* In update and complete mode an aggregate may emit rows again. */
static enum arus_status check_chain(struct check *check, const struct arus_plan *plan,
                                    const struct arus_plan *above, struct arus_error *err)
{
    bool minds = false;

    if (above != NULL && check->mode != ARUS_APPEND && plan->is_streaming &&
        plan->kind == ARUS_PLAN_AGGREGATE) {
        arus_say(err, above->place, REFUSED,
                 "%s cannot follow an aggregate in %s mode: its groups come again and again",
                 arus_streaming_clause(above), MODE_NAMES[check->mode]);
        return arus_error_help(err, "outputMode 'append' with a watermark");
    }
    ARUS_TRY(minds_repeats(check, plan, &minds, err));
    for (uint32_t i = 0; i < plan->child_count; i++) {
        ARUS_TRY(check_chain(check, plan->children[i], minds ? plan : above, err));
    }
    return ARUS_OK;
}

/* ---- rules on one node ---- */

static enum arus_status check_distinct_aggregates(const struct arus_plan *plan,
                                                  struct arus_error *err)
{
    for (uint32_t i = 0; i < plan->aggregate.aggregate_count; i++) {
        if (plan->aggregate.aggregates[i]->is_distinct) {
            arus_say(err, plan->aggregate.aggregates[i]->place, REFUSED,
                     "DISTINCT in an aggregate is not possible on a stream");
            return arus_error_help(err, "approx_count_distinct(..), or drop_duplicates first");
        }
    }
    return ARUS_OK;
}

/* What is left over on `side` of the join is known when the other side has no more rows: never. */
static enum arus_status refuse_side(const struct arus_plan *plan, const char *join,
                                    const char *side, struct arus_error *err)
{
    arus_say(err, plan->place, REFUSED,
             "%s of a table and a stream: the %s side must be the stream, what the table lacks can "
             "still come",
             join, side);
    return arus_error_help(err, "put the stream on the other side of the join");
}

static enum arus_status check_static_join(const struct arus_plan *plan, struct arus_error *err)
{
    const bool left = plan->children[0]->is_streaming;

    switch (plan->join.kind) {
    case ARUS_JOIN_FULL:
        return arus_fail_at(err, plan->place, REFUSED,
                            "a stream and a table cannot be joined with FULL OUTER");
    case ARUS_JOIN_LEFT:
        return left ? ARUS_OK : refuse_side(plan, "LEFT OUTER JOIN", "left", err);
    case ARUS_JOIN_SEMI:
        return left ? ARUS_OK : refuse_side(plan, "LEFT SEMI JOIN", "left", err);
    case ARUS_JOIN_ANTI:
    case ARUS_JOIN_ANTI_NULL:
    case ARUS_JOIN_MARK:
        return left ? ARUS_OK : refuse_side(plan, "LEFT ANTI JOIN", "left", err);
    case ARUS_JOIN_RIGHT:
        return left ? refuse_side(plan, "RIGHT OUTER JOIN", "right", err) : ARUS_OK;
    case ARUS_JOIN_INNER:
        return ARUS_OK;
    }
    return ARUS_OK;
}

static bool is_bounded(const struct arus_join_bound *bound)
{
    return bound->has_time || bound->has_limit;
}

/* Does a key have a watermark, or does the condition bound the rows that wait for a match? */
static enum arus_status bounds_time(struct check *check, const struct arus_plan *plan, bool *out,
                                    struct arus_error *err)
{
    const uint32_t left_count = plan->children[0]->schema->field_count;
    struct arus_bound_side sides[2] = {
        {0, left_count, NULL},
        {left_count, left_count + plan->children[1]->schema->field_count, NULL}};
    struct arus_join_bound bounds[2];

    *out = false;
    for (int i = 0; i < 2; i++) {
        ARUS_TRY(arus_event_marks(plan->children[i], &check->arena, &sides[i].marks, err));
    }
    for (uint32_t i = 0; i < plan->join.key_count; i++) {
        *out |= arus_event_mark_of(plan->join.keys[i].left, sides[0].marks).origin != NULL ||
                arus_event_mark_of(plan->join.keys[i].right, sides[1].marks).origin != NULL;
    }
    for (int i = 0; i < 2; i++) {
        ARUS_TRY(arus_join_bound(plan->join.condition, &sides[i], &sides[1 - i], &check->arena,
                                 &bounds[i], err));
    }
    *out |= plan->join.kind != ARUS_JOIN_RIGHT && is_bounded(&bounds[0]);
    *out |= (plan->join.kind == ARUS_JOIN_RIGHT || plan->join.kind == ARUS_JOIN_FULL) &&
            is_bounded(&bounds[1]);
    return ARUS_OK;
}

static enum arus_status check_stream_join(struct check *check, const struct arus_plan *plan,
                                          struct arus_error *err)
{
    const bool is_inner = plan->join.kind == ARUS_JOIN_INNER;
    const bool can_update = is_inner || plan->join.kind == ARUS_JOIN_SEMI;
    bool has_bound = false;

    if (plan->join.kind == ARUS_JOIN_ANTI || plan->join.kind == ARUS_JOIN_ANTI_NULL) {
        return arus_fail_at(err, plan->place, REFUSED,
                            "an anti join cannot have a stream on the right");
    }
    if (check->mode == ARUS_COMPLETE || (check->mode == ARUS_UPDATE && !can_update)) {
        arus_say(err, plan->place, REFUSED, "two streams cannot be joined in %s mode",
                 MODE_NAMES[check->mode]);
        return arus_error_help(err, "outputMode 'append'");
    }
    if (is_inner) {
        return ARUS_OK;
    }
    ARUS_TRY(bounds_time(check, plan, &has_bound, err));
    if (has_bound) {
        return ARUS_OK;
    }
    arus_say(err, plan->place, REFUSED,
             "this join of two streams needs watermarks and a bound on time: else no row is ever "
             "without a match");
    return arus_error_help(err, "WATERMARK on both sides, and ON .. AND r.ts BETWEEN l.ts AND l.ts "
                                "+ INTERVAL 10 MINUTES");
}

static enum arus_status check_set_operation(const struct arus_plan *plan, struct arus_error *err)
{
    const struct arus_plan *left = plan->children[0];
    const struct arus_plan *right = plan->kind == ARUS_PLAN_JOIN ? plan->children[1] : left;

    if (strcmp(plan->set_operation, "INTERSECT") == 0 || plan->kind == ARUS_PLAN_AGGREGATE ||
        plan->kind == ARUS_PLAN_UNION) {
        if (plan->kind == ARUS_PLAN_AGGREGATE && plan->aggregate.is_distinct) {
            return ARUS_OK; /* its join is checked */
        }
        return arus_fail_at(err, plan->place, REFUSED, "%s is not possible on a stream",
                            plan->set_operation);
    }
    return right->is_streaming
               ? arus_fail_at(err, plan->place, REFUSED,
                              "EXCEPT cannot have a stream on the right: what is missing there can "
                              "still come")
               : ARUS_OK;
}

static enum arus_status check_sort(struct check *check, const struct arus_plan *plan,
                                   struct arus_error *err)
{
    if (check->mode == ARUS_COMPLETE && find_aggregate(plan) != NULL) {
        return ARUS_OK;
    }
    arus_say(err, plan->place, REFUSED,
             "a stream has no end, so it cannot be sorted (only groups in complete mode)");
    return arus_error_help(err, "sort when reading: SELECT .. FROM parquet.`out` ORDER BY ..");
}

static enum arus_status check_limit(struct check *check, const struct arus_plan *plan,
                                    struct arus_error *err)
{
    if (plan->limit.skip > 0) {
        return arus_fail_at(err, plan->place, REFUSED, "OFFSET is not possible on a stream");
    }
    if (check->mode == ARUS_UPDATE) {
        arus_say(err, plan->place, REFUSED, "LIMIT is not possible in update mode");
        return arus_error_help(err, "outputMode 'append'");
    }
    return ARUS_OK;
}

static enum arus_status check_dedup(struct check *check, const struct arus_plan *plan,
                                    struct arus_error *err)
{
    bool has_watermark = false;

    if (!plan->dedup.within_watermark) {
        return ARUS_OK;
    }
    ARUS_TRY(any_event_column(check, plan->children[0], &has_watermark, err));
    if (has_watermark) {
        return ARUS_OK;
    }
    arus_say(err, plan->place, REFUSED, "drop_duplicates_within_watermark needs a watermark");
    return arus_error_help(err,
                           "SELECT * FROM STREAM %.*s WATERMARK ts DELAY OF INTERVAL 10 MINUTES",
                           ARUS_TEXT_ARGS(table_name(find_scan(plan))));
}

static bool is_row_number(const struct arus_expr *expr, void *self)
{
    const struct arus_expr **found = self;

    if (!arus_expr_is_call(expr, "monotonically_increasing_id")) {
        return false;
    }
    *found = expr;
    return true;
}

/* Numbers that count rows would begin anew in each batch. */
static enum arus_status check_row_numbers(const struct arus_plan *plan, struct arus_error *err)
{
    const struct arus_expr *found = NULL;

    for (uint32_t i = 0; plan->kind == ARUS_PLAN_PROJECT && i < plan->schema->field_count; i++) {
        (void)arus_expr_any(plan->project.exprs[i], is_row_number, &found);
    }
    if (plan->kind == ARUS_PLAN_FILTER) {
        (void)arus_expr_any(plan->filter.condition, is_row_number, &found);
    }
    return found == NULL
               ? ARUS_OK
               : arus_fail_at(err, found->place, REFUSED,
                              "monotonically_increasing_id() would begin anew in each batch");
}

static enum arus_status check_node(struct check *check, const struct arus_plan *plan,
                                   struct arus_error *err)
{
    ARUS_TRY(check_row_numbers(plan, err));
    if (plan->set_operation != NULL) {
        ARUS_TRY(check_set_operation(plan, err));
    }
    switch (plan->kind) {
    case ARUS_PLAN_AGGREGATE:
        return check_distinct_aggregates(plan, err);
    case ARUS_PLAN_JOIN:
        return is_stream_join(plan) ? check_stream_join(check, plan, err)
                                    : check_static_join(plan, err);
    case ARUS_PLAN_UNION:
        if (plan->children[0]->is_streaming == plan->children[1]->is_streaming) {
            return ARUS_OK;
        }
        arus_say(err, plan->place, REFUSED,
                 "UNION takes two streams or two tables, not one of each");
        return arus_error_help(err, "STREAM on both sides, or two queries into one folder each");
    case ARUS_PLAN_SORT:
        return check_sort(check, plan, err);
    case ARUS_PLAN_LIMIT:
        return check_limit(check, plan, err);
    case ARUS_PLAN_DEDUP:
        return check_dedup(check, plan, err);
    case ARUS_PLAN_SCAN:
    case ARUS_PLAN_VALUES:
    case ARUS_PLAN_RANGE:
    case ARUS_PLAN_FILTER:
    case ARUS_PLAN_PROJECT:
    case ARUS_PLAN_WATERMARK:
    case ARUS_PLAN_GENERATE:
        break;
    }
    return ARUS_OK;
}

/* Bottom up, as Spark looks at them. */
static enum arus_status check_nodes(struct check *check, const struct arus_plan *plan,
                                    struct arus_error *err)
{
    for (uint32_t i = 0; i < plan->child_count; i++) {
        ARUS_TRY(check_nodes(check, plan->children[i], err));
    }
    return plan->is_streaming ? check_node(check, plan, err) : ARUS_OK;
}

static enum arus_status check_all(struct check *check, const struct arus_plan *plan,
                                  struct arus_place name_place, struct arus_error *err)
{
    if (!plan->is_streaming) {
        arus_say(err, name_place, REFUSED, "this query reads no stream");
        return arus_error_help(err, "FROM STREAM t instead of FROM t");
    }
    if (!check->settings->check_operations) {
        return ARUS_OK;
    }
    if (check->settings->check_correctness) {
        ARUS_TRY(check_chain(check, plan, NULL, err));
    }
    ARUS_TRY(check_mode(check, plan, name_place, err));
    return check_nodes(check, plan, err);
}

enum arus_status arus_streaming_check(const struct arus_plan *plan, enum arus_output_mode mode,
                                      struct arus_place name_place,
                                      const struct arus_session_settings *settings,
                                      struct arus_error *err)
{
    struct check check = {.mode = mode, .settings = settings};
    enum arus_status status;

    arus_arena_init(&check.arena, 0);
    status = check_all(&check, plan, name_place, err);
    arus_arena_release(&check.arena);
    return status;
}
