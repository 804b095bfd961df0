/* From a plan to stages, steps and gathers. */
#include "plan/physical_internal.h"

#include <string.h>

static enum arus_status add_stage(struct arus_stage_builder *builder, struct arus_open_stages *list,
                                  const struct arus_open_stage *stage, struct arus_error *err)
{
    ARUS_TRY(arus_list_grow(builder->arena, (void **)&list->items, sizeof(*list->items),
                            list->count, &list->capacity, err));
    list->items[list->count++] = *stage;
    return ARUS_OK;
}

/* One step behind all open stages. */
static enum arus_status add_step(struct arus_stage_builder *builder, struct arus_open_stages *list,
                                 const struct arus_step *step, struct arus_error *err)
{
    struct arus_step *copy = NULL;

    ARUS_TRY(ARUS_NEW(builder->arena, struct arus_step, 1, &copy, err));
    *copy = *step;
    for (size_t i = 0; i < list->count; i++) {
        ARUS_TRY(arus_list_add(&list->items[i].steps, builder->arena, copy, err));
    }
    return ARUS_OK;
}

static enum arus_status compile(struct arus_stage_builder *builder,
                                const struct arus_expr *const *exprs, size_t count,
                                const struct arus_program **out, struct arus_error *err)
{
    return arus_program_compile(exprs, count, builder->arena, out, err);
}

/* Types of a program's results; names stay empty. */
static enum arus_status result_schema(struct arus_stage_builder *builder,
                                      const struct arus_exprs *exprs, const struct arus_type **out,
                                      struct arus_error *err)
{
    struct arus_field *fields = NULL;

    ARUS_TRY(ARUS_NEW(builder->arena, struct arus_field, exprs->count, &fields, err));
    for (size_t i = 0; i < exprs->count; i++) {
        fields[i].type = exprs->items[i]->type;
        fields[i].is_nullable = exprs->items[i]->is_nullable;
    }
    return arus_type_struct(fields, (uint16_t)exprs->count, builder->arena, out, err);
}

enum arus_status arus_build_program(struct arus_stage_builder *builder,
                                    const struct arus_exprs *exprs,
                                    const struct arus_program **program,
                                    const struct arus_type **schema, struct arus_error *err)
{
    ARUS_TRY(compile(builder, exprs->items, exprs->count, program, err));
    return result_schema(builder, exprs, schema, err);
}

/* ---- gathers ---- */

enum arus_status arus_add_gather(struct arus_stage_builder *builder,
                                 const struct arus_gather *gather, uint32_t *index,
                                 struct arus_error *err)
{
    struct arus_physical *physical = builder->physical;

    ARUS_TRY(arus_list_grow(builder->arena, (void **)&builder->gathers, sizeof(*builder->gathers),
                            physical->gather_count, &builder->gather_capacity, err));
    *index = physical->gather_count;
    builder->gathers[physical->gather_count++] = *gather;
    if (gather->state != NULL) {
        builder->states[gather->state->id]->gather = *index;
    }
    return ARUS_OK;
}

enum arus_status arus_end_stages(struct arus_stage_builder *builder,
                                 const struct arus_open_stages *list, uint32_t gather,
                                 uint32_t side, struct arus_error *err)
{
    struct arus_physical *physical = builder->physical;

    for (size_t i = 0; i < list->count; i++) {
        struct arus_open_stage *open = &list->items[i];

        open->stage.steps = (const struct arus_step **)open->steps.items;
        open->stage.step_count = (uint32_t)open->steps.count;
        open->stage.target = gather;
        open->stage.side = side;
        open->stage.is_static = !open->is_streaming;
        ARUS_TRY(arus_list_grow(builder->arena, (void **)&builder->stages, sizeof(*builder->stages),
                                physical->stage_count, &builder->stage_capacity, err));
        builder->stages[physical->stage_count++] = open->stage;
    }
    return ARUS_OK;
}

static enum arus_status close_stages(struct arus_stage_builder *builder,
                                     const struct arus_open_stages *list,
                                     const struct arus_gather *gather, uint32_t *index,
                                     struct arus_error *err)
{
    ARUS_TRY(arus_add_gather(builder, gather, index, err));
    return arus_end_stages(builder, list, *index, 0, err);
}

static bool any_streaming(const struct arus_open_stages *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].is_streaming) {
            return true;
        }
    }
    return false;
}

enum arus_status arus_read_gather(struct arus_stage_builder *builder, uint32_t gather,
                                  bool is_ordered, bool is_streaming, struct arus_open_stages *list,
                                  struct arus_error *err)
{
    struct arus_open_stage next = {.is_streaming = is_streaming};

    next.stage.from = ARUS_FROM_GATHER;
    next.stage.input = builder->gathers[gather].schema;
    next.stage.gather.index = gather;
    next.stage.is_ordered = is_ordered;
    *list = (struct arus_open_stages){0};
    return add_stage(builder, list, &next, err);
}

/* Ends the open stages in a gather; one new stage reads it. */
static enum arus_status gather_stages(struct arus_stage_builder *builder,
                                      struct arus_open_stages *list,
                                      const struct arus_gather *gather, bool is_ordered,
                                      struct arus_error *err)
{
    uint32_t index = 0;

    ARUS_TRY(close_stages(builder, list, gather, &index, err));
    return arus_read_gather(builder, index, is_ordered, any_streaming(list), list, err);
}

/* ---- sources ---- */

static enum arus_status scan_request(struct arus_stage_builder *builder,
                                     const struct arus_plan *plan, const struct arus_scan **out,
                                     struct arus_error *err)
{
    const struct arus_source *source = plan->scan.source;
    const uint16_t count = source->schema->field_count;
    struct arus_scan *scan = NULL;
    struct arus_field *fields = NULL;

    ARUS_TRY(ARUS_NEW(builder->arena, struct arus_scan, 1, &scan, err));
    scan->schema = source->schema;
    for (uint16_t i = 0; i < plan->schema->field_count; i++) {
        if (plan->scan.fields[i] < count) {
            continue;
        }
        ARUS_TRY(ARUS_NEW(builder->arena, struct arus_field, count + 1u, &fields, err));
        if (count > 0) {
            memcpy(fields, source->schema->fields, count * sizeof(*fields));
        }
        fields[count] = (struct arus_field){ARUS_TEXT("_metadata"), source->metadata, false, {0}};
        ARUS_TRY(
            arus_type_struct(fields, (uint16_t)(count + 1), builder->arena, &scan->schema, err));
    }
    scan->output = plan->schema;
    scan->output_fields = plan->scan.fields;
    scan->predicates = plan->scan.predicates;
    scan->predicate_count = plan->scan.predicate_count;
    scan->zone = builder->env->zone;
    scan->is_ansi = builder->env->is_ansi;
    *out = scan;
    return ARUS_OK;
}

static enum arus_status build_scan(struct arus_stage_builder *builder, const struct arus_plan *plan,
                                   struct arus_open_stages *out, struct arus_error *err)
{
    struct arus_open_stage open = {.is_streaming = plan->scan.is_stream};

    open.stage.from = ARUS_FROM_SCAN;
    open.stage.input = plan->schema;
    open.stage.scan.source = plan->scan.source;
    open.stage.scan.is_stream = plan->scan.is_stream;
    open.stage.scan.stream_index = plan->scan.stream_index;
    ARUS_TRY(scan_request(builder, plan, &open.stage.scan.request, err));
    if (plan->scan.is_stream && plan->scan.stream_index >= builder->physical->stream_count) {
        builder->physical->stream_count = plan->scan.stream_index + 1;
    }
    return add_stage(builder, out, &open, err);
}

static enum arus_status build_rows(struct arus_stage_builder *builder, const struct arus_plan *plan,
                                   struct arus_open_stages *out, struct arus_error *err)
{
    struct arus_open_stage open = {.is_streaming = false};

    open.stage.input = plan->schema;
    if (plan->kind == ARUS_PLAN_VALUES) {
        open.stage.from = ARUS_FROM_VALUES;
        open.stage.values = &plan->values.rows;
    } else {
        open.stage.from = ARUS_FROM_RANGE;
        open.stage.range.start = plan->range.start;
        open.stage.range.end = plan->range.end;
        open.stage.range.step = plan->range.step;
    }
    return add_stage(builder, out, &open, err);
}

/* ---- steps ---- */

static enum arus_status build_filter(struct arus_stage_builder *builder,
                                     const struct arus_plan *plan, struct arus_open_stages *out,
                                     struct arus_error *err)
{
    struct arus_step step = {
        .kind = ARUS_STEP_FILTER, .place = plan->place, .schema = plan->schema};

    ARUS_TRY(arus_build_stages(builder, plan->children[0], out, err));
    ARUS_TRY(compile(builder, &plan->filter.condition, 1, &step.program, err));
    return add_step(builder, out, &step, err);
}

static enum arus_status build_project(struct arus_stage_builder *builder,
                                      const struct arus_plan *plan, struct arus_open_stages *out,
                                      struct arus_error *err)
{
    struct arus_step step = {
        .kind = ARUS_STEP_PROJECT, .place = plan->place, .schema = plan->schema};

    ARUS_TRY(arus_build_stages(builder, plan->children[0], out, err));
    ARUS_TRY(compile(builder, plan->project.exprs, plan->schema->field_count, &step.program, err));
    return add_step(builder, out, &step, err);
}

static enum arus_status build_generate(struct arus_stage_builder *builder,
                                       const struct arus_plan *plan, struct arus_open_stages *out,
                                       struct arus_error *err)
{
    struct arus_step step = {
        .kind = ARUS_STEP_GENERATE, .place = plan->place, .schema = plan->schema};

    ARUS_TRY(arus_build_stages(builder, plan->children[0], out, err));
    ARUS_TRY(compile(builder, &plan->generate.input, 1, &step.program, err));
    step.generate.unnest = plan->generate.unnest;
    step.generate.has_position = plan->generate.has_position;
    step.generate.is_outer = plan->generate.is_outer;
    return add_step(builder, out, &step, err);
}

static enum arus_status build_watermark(struct arus_stage_builder *builder,
                                        const struct arus_plan *plan, struct arus_open_stages *out,
                                        struct arus_error *err)
{
    struct arus_step step = {
        .kind = ARUS_STEP_WATERMARK, .place = plan->place, .schema = plan->schema};

    ARUS_TRY(arus_build_stages(builder, plan->children[0], out, err));
    if (!plan->is_streaming) {
        return ARUS_OK; /* Spark ignores it in batch queries */
    }
    step.watermark.column = plan->watermark.column;
    step.watermark.index = builder->physical->watermark_count++;
    step.watermark.delay_micros = plan->watermark.delay_micros;
    return add_step(builder, out, &step, err);
}

/* ---- aggregation, order, limits ---- */

static enum arus_status aggregate_items(struct arus_stage_builder *builder,
                                        const struct arus_plan *plan, struct arus_exprs *exprs,
                                        struct arus_aggregate_item **items, struct arus_error *err)
{
    ARUS_TRY(ARUS_NEW(builder->arena, struct arus_aggregate_item, plan->aggregate.aggregate_count,
                      items, err));
    for (uint32_t i = 0; i < plan->aggregate.aggregate_count; i++) {
        const struct arus_expr *call = plan->aggregate.aggregates[i];

        (*items)[i] = (struct arus_aggregate_item){.expr = call,
                                                   .first_arg = (uint32_t)exprs->count,
                                                   .filter = -1,
                                                   .is_distinct = call->is_distinct};
        for (uint32_t arg = 0; arg < call->arg_count; arg++) {
            ARUS_TRY(arus_exprs_add(exprs, builder->arena, call->args[arg], err));
        }
        if (call->filter != NULL) {
            (*items)[i].filter = (int32_t)exprs->count;
            ARUS_TRY(arus_exprs_add(exprs, builder->arena, call->filter, err));
        }
    }
    return ARUS_OK;
}

static enum arus_status build_aggregate(struct arus_stage_builder *builder,
                                        const struct arus_plan *plan, struct arus_open_stages *out,
                                        struct arus_error *err)
{
    struct arus_gather gather = {.kind = ARUS_GATHER_AGGREGATE,
                                 .place = plan->place,
                                 .input = plan->children[0]->schema,
                                 .schema = plan->schema,
                                 .key_count = plan->aggregate.key_count};
    struct arus_aggregate_item *items = NULL;
    struct arus_exprs exprs = {0};

    ARUS_TRY(arus_build_stages(builder, plan->children[0], out, err));
    for (uint32_t i = 0; i < plan->aggregate.key_count; i++) {
        ARUS_TRY(arus_exprs_add(&exprs, builder->arena, plan->aggregate.keys[i], err));
    }
    ARUS_TRY(aggregate_items(builder, plan, &exprs, &items, err));
    ARUS_TRY(arus_build_program(builder, &exprs, &gather.program, &gather.program_schema, err));
    gather.aggregate.items = items;
    gather.aggregate.item_count = plan->aggregate.aggregate_count;
    gather.aggregate.is_global = plan->aggregate.key_count == 0;
    gather.aggregate.has_session = plan->aggregate.has_session;
    gather.aggregate.session_key = plan->aggregate.session_key;
    ARUS_TRY(arus_state_of_groups(builder, plan, &gather.state, err));
    return gather_stages(builder, out, &gather, false, err);
}

static enum arus_status build_sort(struct arus_stage_builder *builder, const struct arus_plan *plan,
                                   int64_t limit, int64_t skip, struct arus_open_stages *out,
                                   struct arus_error *err)
{
    struct arus_gather gather = {.kind = ARUS_GATHER_SORT,
                                 .place = plan->place,
                                 .input = plan->schema,
                                 .schema = plan->schema,
                                 .key_count = plan->sort.key_count};
    struct arus_exprs exprs = {0};

    ARUS_TRY(arus_build_stages(builder, plan->children[0], out, err));
    for (uint32_t i = 0; i < plan->sort.key_count; i++) {
        ARUS_TRY(arus_exprs_add(&exprs, builder->arena, plan->sort.keys[i].expr, err));
    }
    ARUS_TRY(arus_build_program(builder, &exprs, &gather.program, &gather.program_schema, err));
    gather.sort.keys = plan->sort.keys;
    gather.sort.limit = limit;
    gather.sort.skip = skip;
    return gather_stages(builder, out, &gather, true, err);
}

static enum arus_status build_limit(struct arus_stage_builder *builder,
                                    const struct arus_plan *plan, struct arus_open_stages *out,
                                    struct arus_error *err)
{
    struct arus_gather gather = {.kind = ARUS_GATHER_LIMIT,
                                 .place = plan->place,
                                 .input = plan->schema,
                                 .schema = plan->schema};
    struct arus_step step = {.kind = ARUS_STEP_LIMIT, .place = plan->place, .schema = plan->schema};

    if (plan->children[0]->kind == ARUS_PLAN_SORT) {
        return build_sort(builder, plan->children[0], plan->limit.count, plan->limit.skip, out,
                          err);
    }
    ARUS_TRY(arus_build_stages(builder, plan->children[0], out, err));
    if (plan->limit.count >= 0) {
        step.limit = plan->limit.count + plan->limit.skip;
        ARUS_TRY(add_step(builder, out, &step, err));
    }
    gather.limit.limit = plan->limit.count;
    gather.limit.skip = plan->limit.skip;
    gather.state = arus_state_of_limit(builder, plan);
    return gather_stages(builder, out, &gather, true, err);
}

/* ---- joins ---- */

static bool has_scan(const struct arus_plan *plan)
{
    bool found = plan->kind == ARUS_PLAN_SCAN;

    for (uint32_t i = 0; i < plan->child_count; i++) {
        found |= has_scan(plan->children[i]);
    }
    return found;
}

/* Which side becomes the hash table: the static one, or the one whose rows need not all come out.
 */
static bool builds_left(const struct arus_plan *plan)
{
    const struct arus_plan *left = plan->children[0];
    const struct arus_plan *right = plan->children[1];

    switch (plan->join.kind) {
    case ARUS_JOIN_INNER:
        return left->is_streaming != right->is_streaming ? right->is_streaming
                                                         : !has_scan(left) && has_scan(right);
    case ARUS_JOIN_RIGHT:
        return true;
    case ARUS_JOIN_FULL:
        return right->is_streaming && !left->is_streaming;
    case ARUS_JOIN_LEFT:
    case ARUS_JOIN_SEMI:
    case ARUS_JOIN_ANTI:
    case ARUS_JOIN_ANTI_NULL:
    case ARUS_JOIN_MARK:
        return false;
    }
    return false;
}

static enum arus_status join_keys(struct arus_stage_builder *builder, const struct arus_plan *plan,
                                  bool of_left, const struct arus_program **program,
                                  const struct arus_type **schema, struct arus_error *err)
{
    struct arus_exprs exprs = {0};

    for (uint32_t i = 0; i < plan->join.key_count; i++) {
        const struct arus_join_key *key = &plan->join.keys[i];

        ARUS_TRY(arus_exprs_add(&exprs, builder->arena, of_left ? key->left : key->right, err));
    }
    ARUS_TRY(compile(builder, exprs.items, exprs.count, program, err));
    return schema == NULL ? ARUS_OK : result_schema(builder, &exprs, schema, err);
}

enum arus_status arus_join_is_null_safe(struct arus_stage_builder *builder,
                                        const struct arus_plan *plan, const bool **out,
                                        struct arus_error *err)
{
    bool *is_null_safe = NULL;

    ARUS_TRY(ARUS_NEW(builder->arena, bool, plan->join.key_count, &is_null_safe, err));
    for (uint32_t i = 0; i < plan->join.key_count; i++) {
        is_null_safe[i] = plan->join.keys[i].is_null_safe;
    }
    *out = is_null_safe;
    return ARUS_OK;
}

static enum arus_status build_table(struct arus_stage_builder *builder,
                                    const struct arus_plan *plan, bool build_is_left,
                                    uint32_t *index, struct arus_error *err)
{
    const struct arus_plan *side = plan->children[build_is_left ? 0 : 1];
    struct arus_gather gather = {.kind = ARUS_GATHER_BUILD,
                                 .place = plan->place,
                                 .input = side->schema,
                                 .schema = side->schema,
                                 .key_count = plan->join.key_count};
    struct arus_open_stages stages = {0};

    ARUS_TRY(arus_build_stages(builder, side, &stages, err));
    ARUS_TRY(join_keys(builder, plan, build_is_left, &gather.program, &gather.program_schema, err));
    ARUS_TRY(arus_join_is_null_safe(builder, plan, &gather.build.is_null_safe, err));
    gather.build.keeps_rest = plan->join.kind == ARUS_JOIN_FULL;
    gather.build.is_static = !side->is_streaming;
    gather.build.is_single = plan->join.is_single;
    return close_stages(builder, &stages, &gather, index, err);
}

static enum arus_join_kind probe_kind(const struct arus_plan *plan)
{
    return plan->join.kind == ARUS_JOIN_RIGHT ? ARUS_JOIN_LEFT : plan->join.kind;
}

static enum arus_status build_join(struct arus_stage_builder *builder, const struct arus_plan *plan,
                                   struct arus_open_stages *out, struct arus_error *err)
{
    const bool build_is_left = builds_left(plan);
    struct arus_step step = {.kind = ARUS_STEP_PROBE, .place = plan->place, .schema = plan->schema};
    struct arus_open_stage rest = {.is_streaming = plan->is_streaming};

    step.probe.kind = probe_kind(plan);
    step.probe.build_is_left = build_is_left;
    ARUS_TRY(build_table(builder, plan, build_is_left, &step.probe.build, err));
    ARUS_TRY(arus_build_stages(builder, plan->children[build_is_left ? 1 : 0], out, err));
    ARUS_TRY(join_keys(builder, plan, !build_is_left, &step.program, NULL, err));
    if (plan->join.condition != NULL) {
        ARUS_TRY(compile(builder, &plan->join.condition, 1, &step.probe.condition, err));
    }
    ARUS_TRY(add_step(builder, out, &step, err));
    if (plan->join.kind != ARUS_JOIN_FULL) {
        return ARUS_OK;
    }
    rest.stage.from = ARUS_FROM_BUILD_REST;
    rest.stage.input = plan->schema;
    rest.stage.gather.index = step.probe.build;
    rest.stage.gather.probe = out->items[0].steps.items[out->items[0].steps.count - 1];
    return add_stage(builder, out, &rest, err);
}

/* ---- all nodes ---- */

enum arus_status arus_build_stages(struct arus_stage_builder *builder, const struct arus_plan *plan,
                                   struct arus_open_stages *out, struct arus_error *err)
{
    switch (plan->kind) {
    case ARUS_PLAN_SCAN:
        return build_scan(builder, plan, out, err);
    case ARUS_PLAN_VALUES:
    case ARUS_PLAN_RANGE:
        return build_rows(builder, plan, out, err);
    case ARUS_PLAN_FILTER:
        return build_filter(builder, plan, out, err);
    case ARUS_PLAN_PROJECT:
        return build_project(builder, plan, out, err);
    case ARUS_PLAN_AGGREGATE:
        return build_aggregate(builder, plan, out, err);
    case ARUS_PLAN_SORT:
        return build_sort(builder, plan, -1, 0, out, err);
    case ARUS_PLAN_LIMIT:
        return build_limit(builder, plan, out, err);
    case ARUS_PLAN_JOIN:
        return plan->children[0]->is_streaming && plan->children[1]->is_streaming
                   ? arus_build_stream_join(builder, plan, out, err)
                   : build_join(builder, plan, out, err);
    case ARUS_PLAN_UNION: {
        struct arus_open_stages right = {0};

        ARUS_TRY(arus_build_stages(builder, plan->children[0], out, err));
        ARUS_TRY(arus_build_stages(builder, plan->children[1], &right, err));
        for (size_t i = 0; i < right.count; i++) {
            ARUS_TRY(add_stage(builder, out, &right.items[i], err));
        }
        return ARUS_OK;
    }
    case ARUS_PLAN_WATERMARK:
        return build_watermark(builder, plan, out, err);
    case ARUS_PLAN_DEDUP:
        return arus_build_dedup(builder, plan, out, err);
    case ARUS_PLAN_GENERATE:
        return build_generate(builder, plan, out, err);
    }
    return ARUS_OK;
}

enum arus_status arus_physical_make(const struct arus_plan *plan, struct arus_physical_rules rules,
                                    const struct arus_eval_env *env, struct arus_arena *arena,
                                    const struct arus_physical **out, struct arus_error *err)
{
    struct arus_gather result = {.kind = ARUS_GATHER_RESULT,
                                 .place = plan->place,
                                 .input = plan->schema,
                                 .schema = plan->schema};
    struct arus_stage_builder builder = {.arena = arena, .env = env, .rules = rules};
    struct arus_open_stages stages = {0};
    uint32_t index = 0;

    ARUS_TRY(ARUS_NEW(arena, struct arus_physical, 1, &builder.physical, err));
    builder.physical->schema = plan->schema;
    builder.physical->sql = env->sql;
    ARUS_TRY(arus_number_operators(&builder, plan, err));
    ARUS_TRY(arus_build_stages(&builder, plan, &stages, err));
    ARUS_TRY(close_stages(&builder, &stages, &result, &index, err));
    builder.physical->stages = builder.stages;
    builder.physical->gathers = builder.gathers;
    *out = builder.physical;
    return ARUS_OK;
}
