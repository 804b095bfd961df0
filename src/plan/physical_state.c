/* Stateful operators: their ids, their watermarks, when their rows are late and their state leaves.
 */
#include "plan/event_time.h"
#include "plan/join_bound.h"
#include "plan/optimise_internal.h"
#include "plan/physical_internal.h"
#include "plan/say.h"
#include "plan/streaming.h"

#include <string.h>

/* ---- ids, and how watermarks flow between operators ---- */

static const char *const NAMES[] = {
    [ARUS_STATE_AGGREGATE] = "stateStoreSave",
    [ARUS_STATE_SESSION] = "sessionWindowStateStoreSaveExec",
    [ARUS_STATE_DEDUP] = "dedupe",
    [ARUS_STATE_DEDUP_WITHIN] = "dedupeWithinWatermark",
    [ARUS_STATE_JOIN] = "symmetricHashJoin",
    [ARUS_STATE_LIMIT] = "globalLimit",
};

static bool has_stream_aggregate(const struct arus_plan *plan)
{
    bool found = plan->is_streaming && plan->kind == ARUS_PLAN_AGGREGATE;

    for (uint32_t i = 0; i < plan->child_count; i++) {
        found |= has_stream_aggregate(plan->children[i]);
    }
    return found;
}

/* A limit counts over the life of the query, unless each batch gives out all groups anew. */
static bool is_stateful_limit(const struct arus_stage_builder *builder,
                              const struct arus_plan *plan)
{
    return plan->kind == ARUS_PLAN_LIMIT && plan->is_streaming &&
           (builder->rules.mode == ARUS_APPEND || !has_stream_aggregate(plan));
}

static bool is_stateful(const struct arus_stage_builder *builder, const struct arus_plan *plan)
{
    return arus_streaming_is_stateful(plan) || is_stateful_limit(builder, plan);
}

static enum arus_state_kind kind_of(const struct arus_plan *plan)
{
    if (plan->kind == ARUS_PLAN_AGGREGATE) {
        return plan->aggregate.has_session ? ARUS_STATE_SESSION : ARUS_STATE_AGGREGATE;
    }
    if (plan->kind == ARUS_PLAN_DEDUP) {
        return plan->dedup.within_watermark ? ARUS_STATE_DEDUP_WITHIN : ARUS_STATE_DEDUP;
    }
    return plan->kind == ARUS_PLAN_JOIN ? ARUS_STATE_JOIN : ARUS_STATE_LIMIT;
}

static enum arus_status number(struct arus_stage_builder *builder, const struct arus_plan *plan,
                               struct arus_list *nodes, struct arus_error *err)
{
    if (is_stateful(builder, plan)) {
        ARUS_TRY(arus_list_add(nodes, builder->arena, plan, err));
    }
    for (uint32_t i = 0; i < plan->child_count; i++) {
        ARUS_TRY(number(builder, plan->children[i], nodes, err));
    }
    return ARUS_OK;
}

static struct arus_state_operator *operator_of(const struct arus_stage_builder *builder,
                                               const struct arus_plan *plan)
{
    for (uint32_t i = 0; i < builder->physical->operator_count; i++) {
        if (builder->stateful[i] == plan) {
            return builder->states[i];
        }
    }
    return NULL;
}

static bool has_watermark(const struct arus_plan *plan)
{
    bool found = plan->is_streaming && plan->kind == ARUS_PLAN_WATERMARK;

    for (uint32_t i = 0; i < plan->child_count; i++) {
        found |= has_watermark(plan->children[i]);
    }
    return found;
}

/* Looks down to the next operators and watermarks. An operator without a watermark below it has
 * none to hand on. */
static void look_below(const struct arus_stage_builder *builder, const struct arus_plan *plan,
                       struct arus_state_operator *above, uint32_t *below)
{
    for (uint32_t i = 0; i < plan->child_count; i++) {
        const struct arus_plan *child = plan->children[i];
        const struct arus_state_operator *found = operator_of(builder, child);

        if (!child->is_streaming) {
            continue;
        }
        if (found != NULL) {
            if (has_watermark(child)) {
                below[above->below_count++] = found->id;
            }
        } else if (child->kind == ARUS_PLAN_WATERMARK) {
            above->sees_watermark = true;
        } else {
            look_below(builder, child, above, below);
        }
    }
}

static enum arus_status check_watermarks(const struct arus_plan *plan, struct arus_error *err)
{
    if (plan->kind == ARUS_PLAN_WATERMARK && plan->is_streaming &&
        has_watermark(plan->children[0])) {
        arus_say(err, plan->place, "_LEGACY_ERROR_TEMP_3076",
                 "a watermark cannot stand above another one");
        return arus_error_help(err, "FROM (SELECT .. FROM STREAM t WATERMARK ts DELAY OF ..): one "
                                    "watermark, right at its stream");
    }
    for (uint32_t i = 0; i < plan->child_count; i++) {
        ARUS_TRY(check_watermarks(plan->children[i], err));
    }
    return ARUS_OK;
}

enum arus_status arus_number_operators(struct arus_stage_builder *builder,
                                       const struct arus_plan *plan, struct arus_error *err)
{
    struct arus_list nodes = {0};
    uint32_t count = 0;

    ARUS_TRY(number(builder, plan, &nodes, err));
    count = (uint32_t)nodes.count;
    builder->stateful = (const struct arus_plan **)nodes.items;
    ARUS_TRY(ARUS_NEW(builder->arena, struct arus_state_operator *, count, &builder->states, err));
    for (uint32_t i = 0; i < count; i++) {
        struct arus_state_operator *made = NULL;

        ARUS_TRY(ARUS_NEW(builder->arena, struct arus_state_operator, 1, &made, err));
        made->kind = kind_of(builder->stateful[i]);
        made->id = i;
        made->name = NAMES[made->kind];
        made->mode = builder->rules.mode;
        made->place = builder->stateful[i]->place;
        made->plan = builder->stateful[i];
        made->inputs[0].late_column = -1;
        made->inputs[1].late_column = -1;
        builder->states[i] = made;
    }
    builder->physical->operators = (const struct arus_state_operator *const *)builder->states;
    builder->physical->operator_count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *below = NULL;

        ARUS_TRY(ARUS_NEW(builder->arena, uint32_t, count, &below, err));
        look_below(builder, builder->stateful[i], builder->states[i], below);
        builder->states[i]->below = below;
    }
    return builder->rules.takes_first_event_time ? ARUS_OK : check_watermarks(plan, err);
}

/* ---- groups, limits ---- */

static struct arus_expiry expire_key(int32_t column)
{
    return column < 0 ? (struct arus_expiry){0}
                      : (struct arus_expiry){
                            .kind = ARUS_EXPIRY_TIME, .column = (uint32_t)column, .is_key = true};
}

static bool has_grouping_sets(const struct arus_plan *plan)
{
    const struct arus_plan *child = plan->children[0];

    while (child->kind == ARUS_PLAN_PROJECT || child->kind == ARUS_PLAN_FILTER) {
        child = child->children[0];
    }
    return child->kind == ARUS_PLAN_GENERATE && child->generate.is_grouping;
}

static enum arus_status check_session(const struct arus_plan *plan, struct arus_error *err)
{
    if (plan->aggregate.has_session && plan->aggregate.key_count == 1) {
        arus_say(err, plan->place, "_LEGACY_ERROR_TEMP_3068",
                 "sessions on a stream need a key besides: they belong to somebody");
        return arus_error_help(err, "GROUP BY device, session_window(..)");
    }
    if (plan->aggregate.has_session && has_grouping_sets(plan)) {
        return arus_fail_at(err, plan->place, "ARUS_NOT_SUPPORTED",
                            "sessions and GROUPING SETS do not go together on a stream: Spark "
                            "starts and fails");
    }
    return ARUS_OK;
}

/* EXCEPT makes groups that the check of the query does not see: Spark starts, and fails when rows
 * come. */
static enum arus_status refuse_batches(struct arus_stage_builder *builder,
                                       const struct arus_plan *plan, struct arus_error *err)
{
    struct arus_error *refusal = NULL;

    ARUS_TRY(ARUS_NEW(builder->arena, struct arus_error, 1, &refusal, err));
    arus_say(refusal, plan->place, "UNSUPPORTED_STREAMING_OPERATOR_WITHOUT_WATERMARK",
             "%s in append mode needs a watermark: without one no group is ever final",
             arus_streaming_clause(plan));
    (void)arus_error_help(refusal, "WATERMARK ts DELAY OF INTERVAL 10 MINUTES, and ts or a window "
                                   "of it among the keys");
    builder->physical->refusal = refusal;
    return ARUS_OK;
}

enum arus_status arus_state_of_groups(struct arus_stage_builder *builder,
                                      const struct arus_plan *plan,
                                      const struct arus_state_operator **out,
                                      struct arus_error *err)
{
    struct arus_state_operator *state = operator_of(builder, plan);
    const struct arus_event_mark *marks = NULL;
    int32_t column = -1;

    *out = state;
    if (state == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(check_session(plan, err));
    ARUS_TRY(arus_event_marks(plan, builder->arena, &marks, err));
    ARUS_TRY(arus_event_column(marks, plan->aggregate.key_count,
                               builder->rules.takes_first_event_time, plan->place, &column, err));
    if (builder->rules.mode == ARUS_APPEND && column < 0) {
        ARUS_TRY(refuse_batches(builder, plan, err));
    }
    if (builder->rules.mode != ARUS_COMPLETE) {
        state->inputs[0].late_column = column;
        state->inputs[0].expiry = expire_key(column);
    } else if (plan->aggregate.has_session) {
        state->inputs[0].late_column = column; /* rows are checked before they make sessions */
    }
    return ARUS_OK;
}

const struct arus_state_operator *arus_state_of_limit(struct arus_stage_builder *builder,
                                                      const struct arus_plan *plan)
{
    return operator_of(builder, plan);
}

/* ---- drop_duplicates ---- */

/* Columns as the program's results: keys, then the event time if it is no key. *event: where it
 * is, -1: there is none. */
static enum arus_status dedup_columns(struct arus_stage_builder *builder,
                                      const struct arus_plan *plan, int32_t column, int32_t *event,
                                      struct arus_exprs *exprs, struct arus_error *err)
{
    const struct arus_expr *expr = NULL;

    *event = -1;
    for (uint32_t i = 0; i < plan->dedup.column_count; i++) {
        ARUS_TRY(arus_column_make(plan->schema, plan->dedup.columns[i], plan->place, builder->arena,
                                  &expr, err));
        ARUS_TRY(arus_exprs_add(exprs, builder->arena, expr, err));
        if (column == (int32_t)plan->dedup.columns[i]) {
            *event = (int32_t)i;
        }
    }
    if (column < 0 || *event >= 0) {
        return ARUS_OK;
    }
    *event = (int32_t)exprs->count;
    ARUS_TRY(
        arus_column_make(plan->schema, (uint32_t)column, plan->place, builder->arena, &expr, err));
    return arus_exprs_add(exprs, builder->arena, expr, err);
}

enum arus_status arus_build_dedup(struct arus_stage_builder *builder, const struct arus_plan *plan,
                                  struct arus_open_stages *out, struct arus_error *err)
{
    struct arus_state_operator *state = operator_of(builder, plan);
    struct arus_gather gather = {.kind = ARUS_GATHER_DEDUP,
                                 .place = plan->place,
                                 .state = state,
                                 .input = plan->schema,
                                 .schema = plan->schema,
                                 .key_count = plan->dedup.column_count};
    const struct arus_event_mark *marks = NULL;
    struct arus_exprs exprs = {0};
    int32_t column = -1;
    int32_t event = -1;
    uint32_t index = 0;

    ARUS_ASSERT(state != NULL); /* the optimiser turned those of batch queries into groups */
    ARUS_TRY(arus_event_marks(plan->children[0], builder->arena, &marks, err));
    ARUS_TRY(arus_event_column(marks, plan->schema->field_count,
                               builder->rules.takes_first_event_time, plan->place, &column, err));
    ARUS_TRY(dedup_columns(builder, plan, column, &event, &exprs, err));
    state->inputs[0].late_column = event;
    if (event >= 0 && plan->dedup.within_watermark) {
        state->inputs[0].expiry = (struct arus_expiry){.kind = ARUS_EXPIRY_DELAY,
                                                       .column = (uint32_t)event,
                                                       .delay_micros = marks[column].delay_micros};
    } else if (event < (int32_t)gather.key_count) {
        state->inputs[0].expiry = expire_key(event);
    }
    ARUS_TRY(arus_build_stages(builder, plan->children[0], out, err));
    ARUS_TRY(arus_build_program(builder, &exprs, &gather.program, &gather.program_schema, err));
    ARUS_TRY(arus_add_gather(builder, &gather, &index, err));
    ARUS_TRY(arus_end_stages(builder, out, index, 0, err));
    return arus_read_gather(builder, index, false, true, out, err);
}

/* ---- joins of two streams ---- */

struct stream_join {
    const struct arus_plan *plan;
    struct arus_state_operator *state;
    struct arus_bound_side sides[2];
    struct arus_exprs own[2]; /* conditions on one side, over its columns */
    struct arus_exprs both;
    int32_t event_key; /* key with an event time; -1: none */
};

static enum arus_status split_condition(struct arus_stage_builder *builder,
                                        struct stream_join *join, struct arus_error *err)
{
    const uint32_t left_count = join->sides[0].end;
    struct arus_exprs all = {0};

    if (join->plan->join.condition == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_exprs_add_conjuncts(&all, builder->arena, join->plan->join.condition, err));
    for (size_t i = 0; i < all.count; i++) {
        const struct arus_expr *expr = all.items[i];

        if (arus_expr_is_volatile(expr) || arus_expr_within(expr, 0, 0)) {
            ARUS_TRY(arus_exprs_add(&join->both, builder->arena, expr, err));
        } else if (arus_expr_within(expr, 0, left_count)) {
            ARUS_TRY(arus_exprs_add(&join->own[0], builder->arena, expr, err));
        } else if (arus_expr_within(expr, left_count, UINT32_MAX)) {
            ARUS_TRY(arus_expr_shift(expr, -(int32_t)left_count, builder->arena, &expr, err));
            ARUS_TRY(arus_exprs_add(&join->own[1], builder->arena, expr, err));
        } else {
            ARUS_TRY(arus_exprs_add(&join->both, builder->arena, expr, err));
        }
    }
    return ARUS_OK;
}

static enum arus_status compile_all(struct arus_stage_builder *builder,
                                    const struct arus_exprs *conditions, struct arus_place place,
                                    const struct arus_program **out, struct arus_error *err)
{
    const struct arus_maker maker = {.arena = builder->arena,
                                     .zone = builder->env->zone,
                                     .is_ansi = builder->env->is_ansi,
                                     .place = place};
    const struct arus_expr *condition = NULL;

    *out = NULL;
    if (conditions->count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_exprs_conjoin(conditions, &maker, &condition, err));
    return arus_program_compile(&condition, 1, builder->arena, out, err);
}

/* The first key of the left side with an event time, else of the right one: Spark's order. */
static int32_t find_event_key(const struct stream_join *join)
{
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < join->plan->join.key_count; i++) {
            const struct arus_join_key *key = &join->plan->join.keys[i];

            if (arus_event_mark_of(side == 0 ? key->left : key->right, join->sides[side].marks)
                    .origin != NULL) {
                return (int32_t)i;
            }
        }
    }
    return -1;
}

/* Which column of the side is the event time, as a result of its program. */
static enum arus_status side_program(struct arus_stage_builder *builder,
                                     const struct stream_join *join, uint32_t side, int32_t column,
                                     int32_t *event, struct arus_join_side *out,
                                     struct arus_error *err)
{
    struct arus_exprs exprs = {0};
    const struct arus_expr *time = NULL;

    *event = -1;
    for (uint32_t i = 0; i < join->plan->join.key_count; i++) {
        const struct arus_join_key *key = &join->plan->join.keys[i];
        const struct arus_expr *expr = side == 0 ? key->left : key->right;

        ARUS_TRY(arus_exprs_add(&exprs, builder->arena, expr, err));
        if (expr->kind == ARUS_EXPR_COLUMN && (int32_t)expr->index == column) {
            *event = (int32_t)i;
        }
    }
    if (column >= 0 && *event < 0) {
        *event = (int32_t)exprs.count;
        ARUS_TRY(arus_column_make(out->input, (uint32_t)column, join->plan->place, builder->arena,
                                  &time, err));
        ARUS_TRY(arus_exprs_add(&exprs, builder->arena, time, err));
    }
    return arus_build_program(builder, &exprs, &out->program, &out->program_schema, err);
}

/* Do rows of this side come out without a match? */
static bool is_preserved(enum arus_join_kind kind, uint32_t side)
{
    return kind == ARUS_JOIN_FULL || kind == (side == 0 ? ARUS_JOIN_LEFT : ARUS_JOIN_RIGHT);
}

/* Rule: the key if it has an event time, else the bound that the condition gives. */
static enum arus_status side_expiry(struct arus_stage_builder *builder,
                                    const struct stream_join *join, uint32_t side, int32_t column,
                                    int32_t event, struct arus_expiry *out, struct arus_error *err)
{
    struct arus_join_bound bound;

    if (join->event_key >= 0) {
        *out = expire_key(join->event_key);
        return ARUS_OK;
    }
    ARUS_TRY(arus_join_bound(join->plan->join.condition, &join->sides[side], &join->sides[1 - side],
                             builder->arena, &bound, err));
    if (bound.has_time && column >= 0 && bound.column != (uint32_t)column) {
        bound.has_time = false; /* it bounds another column than the event time */
    }
    if (!is_preserved(join->plan->join.kind, side)) {
        bound.has_limit = false; /* Spark tests such conditions below the join */
    }
    if (column < 0 || (!bound.has_time && !bound.has_limit)) {
        return ARUS_OK;
    }
    *out = (struct arus_expiry){.kind = ARUS_EXPIRY_TIME,
                                .column = (uint32_t)event,
                                .is_key = event < (int32_t)join->plan->join.key_count,
                                .offset_micros = bound.has_time ? bound.offset_micros : 0,
                                .minus_ms = bound.has_time ? bound.minus_ms : 0,
                                .is_limited = bound.has_limit,
                                .is_fixed = !bound.has_time,
                                .limit_ms = bound.limit_ms};
    return ARUS_OK;
}

static enum arus_status build_side(struct arus_stage_builder *builder,
                                   const struct stream_join *join, uint32_t side,
                                   struct arus_join_side *out, struct arus_error *err)
{
    const struct arus_plan *child = join->plan->children[side];
    struct arus_state_input *input = &join->state->inputs[side];
    int32_t column = -1;

    out->input = child->schema;
    ARUS_TRY(arus_event_column(join->sides[side].marks, child->schema->field_count,
                               builder->rules.takes_first_event_time, join->plan->place, &column,
                               err));
    ARUS_TRY(side_program(builder, join, side, column, &input->late_column, out, err));
    ARUS_TRY(side_expiry(builder, join, side, column, input->late_column, &input->expiry, err));
    return compile_all(builder, &join->own[side], join->plan->place, &out->condition, err);
}

static enum arus_status open_join(struct arus_stage_builder *builder, const struct arus_plan *plan,
                                  struct stream_join *join, struct arus_error *err)
{
    const uint32_t left_count = plan->children[0]->schema->field_count;
    const uint32_t right_count = plan->children[1]->schema->field_count;

    *join = (struct stream_join){.plan = plan, .state = operator_of(builder, plan)};
    join->sides[0].end = left_count;
    join->sides[1].begin = left_count;
    join->sides[1].end = left_count + right_count;
    for (int side = 0; side < 2; side++) {
        ARUS_TRY(
            arus_event_marks(plan->children[side], builder->arena, &join->sides[side].marks, err));
    }
    join->event_key = find_event_key(join);
    return split_condition(builder, join, err);
}

enum arus_status arus_build_stream_join(struct arus_stage_builder *builder,
                                        const struct arus_plan *plan, struct arus_open_stages *out,
                                        struct arus_error *err)
{
    struct arus_gather gather = {.kind = ARUS_GATHER_JOIN,
                                 .place = plan->place,
                                 .schema = plan->schema,
                                 .key_count = plan->join.key_count};
    struct arus_open_stages right = {0};
    struct arus_join_side *sides = NULL;
    struct stream_join join;
    uint32_t index = 0;

    if (plan->join.key_count == 0) {
        arus_say(err, plan->place, "_LEGACY_ERROR_TEMP_1181",
                 "a join of two streams needs an equality of their columns");
        return arus_error_help(err, "ON l.key = r.key AND ..");
    }
    ARUS_TRY(open_join(builder, plan, &join, err));
    ARUS_TRY(ARUS_NEW(builder->arena, struct arus_join_side, 2, &sides, err));
    for (uint32_t side = 0; side < 2; side++) {
        ARUS_TRY(build_side(builder, &join, side, &sides[side], err));
    }
    ARUS_TRY(arus_join_is_null_safe(builder, plan, &gather.join.is_null_safe, err));
    ARUS_TRY(compile_all(builder, &join.both, plan->place, &gather.join.condition, err));
    gather.state = join.state;
    gather.join.kind = plan->join.kind;
    gather.join.sides = sides;
    ARUS_TRY(arus_build_stages(builder, plan->children[0], out, err));
    ARUS_TRY(arus_build_stages(builder, plan->children[1], &right, err));
    ARUS_TRY(arus_add_gather(builder, &gather, &index, err));
    ARUS_TRY(arus_end_stages(builder, out, index, 0, err));
    ARUS_TRY(arus_end_stages(builder, &right, index, 1, err));
    return arus_read_gather(builder, index, false, true, out, err);
}
