/** The probe side of joins: pairs of equal keys, then the rest of ON, then what the kind of join
 * gives. */
#include "exec/exec_internal.h"

struct probe {
    struct arus_lane *lane;
    uint32_t step;
    const struct arus_step *plan;
    struct arus_gather_state *build;
    const struct arus_batch *batch;
    bool *matched;        /* [batch->row_count] */
    uint32_t *probe_rows; /* [ARUS_BATCH_ROWS] */
    uint32_t *build_rows;
    uint32_t pair_count;
};

static bool gives_pairs(enum arus_join_kind kind)
{
    return kind == ARUS_JOIN_INNER || kind == ARUS_JOIN_LEFT || kind == ARUS_JOIN_RIGHT ||
           kind == ARUS_JOIN_FULL;
}

/* Columns of the pairs: probed rows and build rows, in the order of the output. */
static enum arus_status pair_batch(struct probe *probe, const struct arus_type *schema,
                                   const uint32_t *probe_rows, const uint32_t *build_rows,
                                   uint32_t count, struct arus_batch *out, struct arus_error *err)
{
    struct arus_arena *arena = &probe->lane->step;
    const struct arus_batch *rows = &probe->build->join.rows;
    const uint16_t left = probe->batch->schema->field_count;
    const uint16_t right = rows->schema->field_count;
    struct arus_batch probed;
    struct arus_batch built;

    *out = (struct arus_batch){.schema = schema, .row_count = count};
    ARUS_TRY(ARUS_NEW(arena, struct arus_vector, (size_t)left + right, &out->columns, err));
    ARUS_TRY(arus_batch_slice(probe->batch, probe_rows, count, arena, &probed, err));
    ARUS_TRY(arus_batch_slice(rows, build_rows, count, arena, &built, err));
    memcpy(out->columns + (probe->plan->probe.build_is_left ? right : 0), probed.columns,
           left * sizeof *out->columns);
    memcpy(out->columns + (probe->plan->probe.build_is_left ? 0 : left), built.columns,
           right * sizeof *out->columns);
    return ARUS_OK;
}

/* Which probed rows the rows come from that go to the next step. */
static void set_origins(struct probe *probe, const uint32_t *rows)
{
    probe->lane->origins[probe->step + 1] = rows;
}

/* Keeps the pairs for which the rest of ON is true. */
static enum arus_status apply_condition(struct probe *probe, struct arus_error *err)
{
    const struct arus_program *condition = probe->plan->probe.condition;
    struct arus_batch pairs;
    struct arus_vector result;
    uint32_t *kept;
    uint32_t count;
    void *memory;

    if (condition == NULL || probe->pair_count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(pair_batch(probe, probe->plan->schema, probe->probe_rows, probe->build_rows,
                        probe->pair_count, &pairs, err));
    set_origins(probe, probe->probe_rows);
    probe->lane->at = probe->step + 1; /* a failing row is one of the pairs */
    ARUS_TRY(arus_lane_run(probe->lane, condition, &probe->lane->condition_states[probe->step],
                           &pairs, &result, err));
    probe->lane->at = probe->step;
    ARUS_TRY(arus_arena_buffer(&probe->lane->step, ((size_t)probe->pair_count + 64) * sizeof *kept,
                               &memory, err));
    kept = memory;
    arus_filter_indices(&result, kept, &count);
    for (uint32_t i = 0; i < count; i++) {
        probe->probe_rows[i] = probe->probe_rows[kept[i]];
        probe->build_rows[i] = probe->build_rows[kept[i]];
    }
    probe->pair_count = count;
    return ARUS_OK;
}

static enum arus_status emit_pairs(struct probe *probe, struct arus_error *err)
{
    struct arus_batch pairs;

    ARUS_TRY(apply_condition(probe, err));
    for (uint32_t i = 0; i < probe->pair_count; i++) {
        probe->matched[probe->probe_rows[i]] = true;
        if (probe->build->join.matched != NULL) {
            atomic_store_explicit(&probe->build->join.matched[probe->build_rows[i]], 1,
                                  memory_order_relaxed);
        }
    }
    if (probe->pair_count == 0 || !gives_pairs(probe->plan->probe.kind)) {
        return ARUS_OK;
    }
    ARUS_TRY(pair_batch(probe, probe->plan->schema, probe->probe_rows, probe->build_rows,
                        probe->pair_count, &pairs, err));
    set_origins(probe, probe->probe_rows);
    return arus_steps_push(probe->lane, probe->step + 1, &pairs, err);
}

static enum arus_status new_pairs(struct probe *probe, struct arus_error *err)
{
    void *memory;

    ARUS_TRY(
        arus_arena_buffer(&probe->lane->step, ARUS_BATCH_ROWS * sizeof(uint32_t), &memory, err));
    probe->probe_rows = memory;
    ARUS_TRY(
        arus_arena_buffer(&probe->lane->step, ARUS_BATCH_ROWS * sizeof(uint32_t), &memory, err));
    probe->build_rows = memory;
    return ARUS_OK;
}

static enum arus_status all_pairs(struct probe *probe, const struct arus_vector *keys,
                                  struct arus_error *err)
{
    const struct arus_join_table *join = &probe->build->join;
    uint32_t row = 0;
    uint32_t chain = 0;
    uint64_t *hashes;
    void *memory;

    ARUS_TRY(arus_arena_buffer(&probe->lane->step, probe->batch->row_count * sizeof *hashes,
                               &memory, err));
    hashes = memory;
    arus_keys_hash(keys, join->key_count, probe->batch->row_count, hashes);
    while (row < probe->batch->row_count) {
        ARUS_TRY(new_pairs(probe, err));
        arus_join_table_probe(join, keys, hashes, probe->batch->row_count,
                              probe->build->plan->build.is_null_safe, &row, &chain,
                              probe->probe_rows, probe->build_rows, ARUS_BATCH_ROWS,
                              &probe->pair_count);
        ARUS_TRY(emit_pairs(probe, err));
    }
    return ARUS_OK;
}

/* NOT IN: a null among the keys of either side counts as a match. */
static void match_nulls(struct probe *probe, const struct arus_vector *keys)
{
    const struct arus_join_table *join = &probe->build->join;

    if (join->row_count == 0) {
        return;
    }
    for (uint32_t i = 0; i < probe->batch->row_count; i++) {
        bool has_null = join->has_null_key;

        for (uint32_t k = 0; k < join->key_count && !has_null; k++) {
            has_null = !arus_bit_get(keys[k].validity, i);
        }
        probe->matched[i] = probe->matched[i] || has_null;
    }
}

/* The probed rows that have (or lack) a match. */
static enum arus_status chosen_rows(struct probe *probe, bool wanted, uint32_t **rows,
                                    uint32_t *count, struct arus_error *err)
{
    ARUS_TRY(ARUS_NEW(&probe->lane->step, uint32_t, probe->batch->row_count, rows, err));
    *count = 0;
    for (uint32_t i = 0; i < probe->batch->row_count; i++) {
        if (probe->matched[i] == wanted) {
            (*rows)[(*count)++] = i;
        }
    }
    return ARUS_OK;
}

static enum arus_status push_chosen(struct probe *probe, bool wanted, struct arus_error *err)
{
    struct arus_batch kept;
    uint32_t *rows;
    uint32_t count;

    ARUS_TRY(chosen_rows(probe, wanted, &rows, &count, err));
    if (count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_batch_slice(probe->batch, rows, count, &probe->lane->step, &kept, err));
    kept.schema = probe->plan->schema;
    set_origins(probe, rows);
    return arus_steps_push(probe->lane, probe->step + 1, &kept, err);
}

/* Probed rows without a match, beside the null row of the build. */
static enum arus_status push_unmatched(struct probe *probe, struct arus_error *err)
{
    struct arus_batch pairs;
    uint32_t *nulls;
    uint32_t *rows;
    uint32_t count;

    ARUS_TRY(chosen_rows(probe, false, &rows, &count, err));
    if (count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(&probe->lane->step, uint32_t, count, &nulls, err));
    for (uint32_t i = 0; i < count; i++) {
        nulls[i] = probe->build->join.row_count;
    }
    ARUS_TRY(pair_batch(probe, probe->plan->schema, rows, nulls, count, &pairs, err));
    set_origins(probe, rows);
    return arus_steps_push(probe->lane, probe->step + 1, &pairs, err);
}

static enum arus_status push_marked(struct probe *probe, struct arus_error *err)
{
    const uint16_t left = probe->batch->schema->field_count;
    struct arus_batch out = {.schema = probe->plan->schema, .row_count = probe->batch->row_count};

    ARUS_TRY(ARUS_NEW(&probe->lane->step, struct arus_vector, (size_t)left + 1, &out.columns, err));
    memcpy(out.columns, probe->batch->columns, left * sizeof *out.columns);
    ARUS_TRY(arus_vector_init(&out.columns[left], &ARUS_BOOLEAN, out.row_count, &probe->lane->step,
                              err));
    memcpy(out.columns[left].values, probe->matched, out.row_count);
    set_origins(probe, NULL);
    return arus_steps_push(probe->lane, probe->step + 1, &out, err);
}

static enum arus_status push_outcome(struct probe *probe, struct arus_error *err)
{
    switch (probe->plan->probe.kind) {
    case ARUS_JOIN_INNER:
    case ARUS_JOIN_RIGHT:
        return ARUS_OK;
    case ARUS_JOIN_LEFT:
    case ARUS_JOIN_FULL:
        return push_unmatched(probe, err);
    case ARUS_JOIN_SEMI:
        return push_chosen(probe, true, err);
    case ARUS_JOIN_ANTI:
    case ARUS_JOIN_ANTI_NULL:
        return push_chosen(probe, false, err);
    case ARUS_JOIN_MARK:
        return push_marked(probe, err);
    }
    return ARUS_OK;
}

enum arus_status arus_probe_push(struct arus_lane *lane, uint32_t step,
                                 const struct arus_batch *batch, struct arus_error *err)
{
    const struct arus_step *plan = lane->exec->stages[lane->stage_index].plan->steps[step];
    struct arus_gather_state *build = &lane->exec->gathers[plan->probe.build];
    struct probe probe = {.lane = lane, .step = step, .plan = plan, .build = build, .batch = batch};
    const uint32_t key_count = build->join.key_count;
    struct arus_vector *keys;
    struct arus_vector *flat;

    ARUS_TRY(ARUS_NEW(&lane->step, bool, batch->row_count, &probe.matched, err));
    ARUS_TRY(ARUS_NEW(&lane->step, struct arus_vector, key_count, &keys, err));
    ARUS_TRY(ARUS_NEW(&lane->step, struct arus_vector, key_count, &flat, err));
    if (key_count != 0) {
        ARUS_TRY(arus_lane_run(lane, plan->program, &lane->step_states[step], batch, keys, err));
    }
    for (uint32_t k = 0; k < key_count; k++) {
        ARUS_TRY(arus_vector_flatten(&keys[k], &lane->step, &flat[k], err));
    }
    ARUS_TRY(all_pairs(&probe, flat, err));
    if (plan->probe.kind == ARUS_JOIN_ANTI_NULL) {
        match_nulls(&probe, flat);
    }
    return push_outcome(&probe, err);
}

/* All-null columns for the probed side. */
static enum arus_status null_columns(struct arus_lane *lane, const struct arus_type *schema,
                                     uint16_t first, uint16_t field_count, uint32_t row_count,
                                     struct arus_vector *out, struct arus_error *err)
{
    for (uint16_t i = 0; i < field_count; i++) {
        ARUS_TRY(arus_vector_init_null(&out[i], schema->fields[first + i].type, row_count,
                                       &lane->step, err));
    }
    return ARUS_OK;
}

enum arus_status arus_probe_rest(struct arus_lane *lane, const struct arus_gather_state *build,
                                 const struct arus_step *probe, uint32_t begin, uint32_t count,
                                 struct arus_error *err)
{
    const struct arus_batch *rows = &build->join.rows;
    const uint16_t right = rows->schema->field_count;
    const uint16_t left = (uint16_t)(probe->schema->field_count - right);
    const bool build_first = probe->probe.build_is_left;
    struct arus_batch out = {.schema = probe->schema};
    struct arus_batch built;
    uint32_t *chosen;

    ARUS_TRY(ARUS_NEW(&lane->step, uint32_t, count, &chosen, err));
    for (uint32_t i = begin; i < begin + count; i++) {
        if (build->join.matched[i] == 0) {
            chosen[out.row_count++] = i;
        }
    }
    if (out.row_count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(
        ARUS_NEW(&lane->step, struct arus_vector, probe->schema->field_count, &out.columns, err));
    ARUS_TRY(arus_batch_slice(rows, chosen, out.row_count, &lane->step, &built, err));
    memcpy(out.columns + (build_first ? 0 : left), built.columns, right * sizeof *out.columns);
    ARUS_TRY(null_columns(lane, probe->schema, build_first ? right : 0, left, out.row_count,
                          out.columns + (build_first ? right : 0), err));
    return arus_steps_push(lane, 0, &out, err);
}
