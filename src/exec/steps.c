/** Row by row work: filter, project, limit, unnest. Batches go through by recursion, one step a
 * level. */
#include "exec/fate.h"
#include "exec/stateful.h"

/* The row of the scan that a row at lane->at comes from, and its place. */
static void place_row(const struct arus_lane *lane, uint32_t row, struct arus_error *err)
{
    const struct arus_stage *plan = lane->exec->stages[lane->stage_index].plan;
    const struct arus_source_ops *ops;

    if (plan->from != ARUS_FROM_SCAN || lane->scan == NULL || err->row[0] != '\0') {
        return;
    }
    ops = plan->scan.source->ops;
    if (ops->worker_place != NULL) {
        ops->worker_place(lane->scan, arus_lane_origin(lane, row), err);
    }
}

enum arus_status arus_lane_run(struct arus_lane *lane, const struct arus_program *program,
                               struct arus_program_state **state, const struct arus_batch *batch,
                               struct arus_vector *out, struct arus_error *err)
{
    struct arus_eval_env env = lane->exec->env;
    uint32_t bad_row = UINT32_MAX;
    enum arus_status status;

    if (*state == NULL) {
        ARUS_TRY(arus_program_state_open(program, state, err));
    }
    env.now_micros = lane->exec->run->now_micros;
    status = arus_program_run(program, *state, &env, batch, &lane->step, out, &bad_row, err);
    if (status == ARUS_BAD_DATA && bad_row < batch->row_count) {
        place_row(lane, bad_row, err);
    }
    return status;
}

static enum arus_status push_filter(struct arus_lane *lane, uint32_t step,
                                    const struct arus_step *plan, const struct arus_batch *batch,
                                    struct arus_error *err)
{
    struct arus_vector condition;
    struct arus_batch kept;
    uint32_t *indices;
    uint32_t count;
    void *memory;

    ARUS_TRY(arus_lane_run(lane, plan->program, &lane->step_states[step], batch, &condition, err));
    ARUS_TRY(arus_arena_buffer(&lane->step, ((size_t)batch->row_count + 64) * sizeof *indices,
                               &memory, err));
    indices = memory;
    arus_filter_indices(&condition, indices, &count);
    arus_fate_drop(lane, batch->row_count - count);
    if (count == 0) {
        return ARUS_OK;
    }
    if (count == batch->row_count) {
        return arus_steps_push(lane, step + 1, batch, err);
    }
    ARUS_TRY(arus_batch_slice(batch, indices, count, &lane->step, &kept, err));
    lane->origins[step + 1] = indices;
    return arus_steps_push(lane, step + 1, &kept, err);
}

static enum arus_status push_project(struct arus_lane *lane, uint32_t step,
                                     const struct arus_step *plan, const struct arus_batch *batch,
                                     struct arus_error *err)
{
    struct arus_batch projected = {.schema = plan->schema, .row_count = batch->row_count};

    ARUS_TRY(ARUS_NEW(&lane->step, struct arus_vector, plan->schema->field_count,
                      &projected.columns, err));
    ARUS_TRY(arus_lane_run(lane, plan->program, &lane->step_states[step], batch, projected.columns,
                           err));
    return arus_steps_push(lane, step + 1, &projected, err);
}

static enum arus_status push_limit(struct arus_lane *lane, uint32_t step,
                                   const struct arus_batch *batch, struct arus_error *err)
{
    _Atomic int64_t *left = &lane->exec->stages[lane->stage_index].limits_left[step];
    const int64_t before = atomic_fetch_sub(left, (int64_t)batch->row_count);
    struct arus_batch part;
    uint32_t *indices;
    uint32_t count;

    if (before >= (int64_t)batch->row_count) {
        return arus_steps_push(lane, step + 1, batch, err);
    }
    count = before <= 0 ? 0 : (uint32_t)before;
    arus_fate_drop(lane, batch->row_count - count);
    if (count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(&lane->step, uint32_t, count, &indices, err));
    for (uint32_t i = 0; i < count; i++) {
        indices[i] = i;
    }
    ARUS_TRY(arus_batch_slice(batch, indices, count, &lane->step, &part, err));
    return arus_steps_push(lane, step + 1, &part, err);
}

/* One batch of unnested rows: parents by index, elements by index, position. */
struct unnest {
    uint32_t *parents;
    uint32_t *elements; /* the null row of an outer unnest: UINT32_MAX */
    int32_t *positions;
    uint32_t count;
    bool has_nulls;
};

static enum arus_status element_column(struct arus_lane *lane, const struct arus_vector *child,
                                       const struct unnest *rows, struct arus_vector *out,
                                       struct arus_error *err)
{
    struct arus_vector sliced;

    if (!rows->has_nulls) {
        return arus_vector_slice(child, rows->elements, rows->count, &lane->step, out, err);
    }
    if (child->row_count == 0) {
        return arus_vector_init_null(out, child->type, rows->count, &lane->step, err);
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        rows->elements[i] = rows->elements[i] == UINT32_MAX ? 0 : rows->elements[i];
    }
    ARUS_TRY(arus_vector_slice(child, rows->elements, rows->count, &lane->step, &sliced, err));
    ARUS_TRY(arus_vector_flatten(&sliced, &lane->step, out, err));
    ARUS_TRY(arus_vector_need_validity(out, &lane->step, err));
    for (uint32_t i = 0; i < rows->count; i++) {
        if (rows->positions[i] < 0) {
            arus_bit_clear(out->validity, i);
        }
    }
    return ARUS_OK;
}

static enum arus_status position_column(struct arus_lane *lane, const struct unnest *rows,
                                        struct arus_vector *out, struct arus_error *err)
{
    ARUS_TRY(arus_vector_init(out, &ARUS_INT, rows->count, &lane->step, err));
    memcpy(out->values, rows->positions, rows->count * sizeof(int32_t));
    if (rows->has_nulls) {
        ARUS_TRY(arus_vector_need_validity(out, &lane->step, err));
        for (uint32_t i = 0; i < rows->count; i++) {
            if (rows->positions[i] < 0) {
                arus_bit_clear(out->validity, i);
            }
        }
    }
    return ARUS_OK;
}

/* The vectors that the elements of `nested` make up: one of an array, two of a map, the fields of
 * inline structs. */
static enum arus_status element_sources(struct arus_lane *lane, const struct arus_step *plan,
                                        const struct arus_vector *nested,
                                        const struct arus_vector **out, uint16_t *count,
                                        struct arus_error *err)
{
    const struct arus_vector *element = &nested->children[0];
    struct arus_vector *flat;

    if (plan->generate.unnest != ARUS_UNNEST_INLINE) {
        *out = nested->children;
        *count = nested->type->field_count;
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(&lane->step, struct arus_vector, 1, &flat, err));
    ARUS_TRY(arus_vector_flatten(element, &lane->step, flat, err));
    *out = flat->children;
    *count = element->type->field_count;
    return ARUS_OK;
}

static enum arus_status emit_unnested(struct arus_lane *lane, uint32_t step,
                                      const struct arus_step *plan, const struct arus_batch *batch,
                                      const struct arus_vector *nested, struct unnest *rows,
                                      struct arus_error *err)
{
    const uint16_t before = batch->schema->field_count;
    struct arus_batch out = {.schema = plan->schema, .row_count = rows->count};
    const struct arus_vector *sources;
    struct arus_batch parents;
    uint16_t at = before;
    uint16_t count;
    uint32_t *elements = rows->elements;

    if (rows->count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(
        ARUS_NEW(&lane->step, struct arus_vector, plan->schema->field_count, &out.columns, err));
    ARUS_TRY(arus_batch_slice(batch, rows->parents, rows->count, &lane->step, &parents, err));
    memcpy(out.columns, parents.columns, before * sizeof *out.columns);
    if (plan->generate.has_position) {
        ARUS_TRY(position_column(lane, rows, &out.columns[at++], err));
    }
    ARUS_TRY(element_sources(lane, plan, nested, &sources, &count, err));
    for (uint16_t i = 0; i < count; i++) {
        ARUS_TRY(element_column(lane, &sources[i], rows, &out.columns[at++], err));
    }
    lane->origins[step + 1] = rows->parents;
    ARUS_TRY(arus_steps_push(lane, step + 1, &out, err));
    rows->elements = elements;
    rows->count = 0;
    rows->has_nulls = false;
    return ARUS_OK;
}

static enum arus_status new_rows(struct arus_lane *lane, struct unnest *rows,
                                 struct arus_error *err)
{
    *rows = (struct unnest){0};
    ARUS_TRY(ARUS_NEW(&lane->step, uint32_t, ARUS_BATCH_ROWS, &rows->parents, err));
    ARUS_TRY(ARUS_NEW(&lane->step, uint32_t, ARUS_BATCH_ROWS, &rows->elements, err));
    return ARUS_NEW(&lane->step, int32_t, ARUS_BATCH_ROWS, &rows->positions, err);
}

static enum arus_status push_generate(struct arus_lane *lane, uint32_t step,
                                      const struct arus_step *plan, const struct arus_batch *batch,
                                      struct arus_error *err)
{
    struct arus_vector result;
    struct arus_vector nested;
    struct unnest rows;

    ARUS_TRY(arus_lane_run(lane, plan->program, &lane->step_states[step], batch, &result, err));
    ARUS_TRY(arus_vector_flatten(&result, &lane->step, &nested, err));
    ARUS_TRY(new_rows(lane, &rows, err));
    for (uint32_t i = 0; i < batch->row_count; i++) {
        struct arus_span span = {0};

        if (arus_vector_is_valid(&nested, i)) {
            span = ((const struct arus_span *)nested.values)[i];
        }
        if (span.count == 0 && !plan->generate.is_outer) {
            continue;
        }
        for (uint32_t k = 0; k < (span.count == 0 ? 1 : span.count); k++) {
            if (rows.count == ARUS_BATCH_ROWS) {
                ARUS_TRY(emit_unnested(lane, step, plan, batch, &nested, &rows, err));
                ARUS_TRY(new_rows(lane, &rows, err));
            }
            rows.parents[rows.count] = i;
            rows.elements[rows.count] = span.count == 0 ? UINT32_MAX : span.begin + k;
            rows.positions[rows.count] = span.count == 0 ? -1 : (int32_t)k;
            rows.has_nulls = rows.has_nulls || span.count == 0;
            rows.count++;
        }
    }
    return emit_unnested(lane, step, plan, batch, &nested, &rows, err);
}

bool arus_steps_is_full(const struct arus_lane *lane)
{
    const struct arus_exec *exec = lane->exec;
    const struct arus_stage_state *stage = &exec->stages[lane->stage_index];
    const struct arus_gather_state *target = &exec->gathers[stage->plan->target];

    if (arus_exec_is_stopped(exec)) {
        return true;
    }
    if (stage->plan->from == ARUS_FROM_SCAN && stage->plan->scan.is_stream) {
        return false; /* watermarks and counts see every row */
    }
    for (uint32_t i = 0; i < stage->plan->step_count; i++) {
        if (stage->plan->steps[i]->kind == ARUS_STEP_LIMIT && stage->limits_left[i] <= 0) {
            return true;
        }
    }
    return target->plan->kind == ARUS_GATHER_LIMIT && target->plan->limit.limit >= 0 &&
           target->taken >= target->plan->limit.limit + target->plan->limit.skip;
}

static enum arus_status push(struct arus_lane *lane, uint32_t step, const struct arus_batch *batch,
                             struct arus_error *err)
{
    const struct arus_stage *stage = lane->exec->stages[lane->stage_index].plan;
    const struct arus_step *plan;

    if (step == stage->step_count) {
        return arus_gather_add(lane, batch, err);
    }
    plan = stage->steps[step];
    switch (plan->kind) {
    case ARUS_STEP_FILTER:
        return push_filter(lane, step, plan, batch, err);
    case ARUS_STEP_PROJECT:
        return push_project(lane, step, plan, batch, err);
    case ARUS_STEP_GENERATE:
        return push_generate(lane, step, plan, batch, err);
    case ARUS_STEP_PROBE:
        return arus_probe_push(lane, step, batch, err);
    case ARUS_STEP_WATERMARK:
        ARUS_TRY(arus_watermark_note(lane, plan, batch, err));
        return arus_steps_push(lane, step + 1, batch, err);
    case ARUS_STEP_LIMIT:
        return push_limit(lane, step, batch, err);
    }
    return ARUS_OK;
}

enum arus_status arus_steps_push(struct arus_lane *lane, uint32_t step,
                                 const struct arus_batch *batch, struct arus_error *err)
{
    const uint32_t before = lane->at;
    enum arus_status status;

    lane->at = step;
    if (step == 0) {
        lane->origins[0] = NULL;
        lane->source = batch;
        lane->has_times = false;
    }
    if (step < lane->exec->stages[lane->stage_index].plan->step_count) {
        lane->origins[step + 1] = NULL; /* a step that chooses rows says which */
    }
    status = push(lane, step, batch, err);
    lane->at = before;
    return status;
}
