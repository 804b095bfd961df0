/** GROUP BY: each worker's own groups, then one table of all. States lie in one stretch of bytes a
 * group. */
#include "base/alloc.h"
#include "exec/exec_internal.h"
#include "exec/few.h"

#define STATE_UNIT ((uint32_t)16)
#define MANY_AGAIN ((uint32_t)15) /* batches */

enum arus_status arus_group_plan(struct arus_exec *exec, struct arus_gather_state *gather,
                                 struct arus_error *err)
{
    const uint32_t count = gather->plan->aggregate.item_count;
    uint32_t at = 0;

    ARUS_TRY(ARUS_NEW(&exec->arena, uint32_t, (size_t)count + 1, &gather->offsets, err));
    for (uint32_t i = 0; i < count; i++) {
        const struct arus_expr *expr = gather->plan->aggregate.items[i].expr;

        gather->offsets[i] = at;
        at += (expr->aggregate->state_size(expr) + STATE_UNIT - 1) / STATE_UNIT * STATE_UNIT;
    }
    gather->stride = at;
    return ARUS_OK;
}

/* The types of fields first..first + count of a schema, to be freed. */
static enum arus_status field_types(const struct arus_type *schema, uint32_t first, uint32_t count,
                                    const struct arus_type ***out, struct arus_error *err)
{
    *out = arus_alloc((size_t)count + 1, sizeof **out);
    if (*out == NULL) {
        return arus_fail_memory(err);
    }
    for (uint32_t k = 0; k < count; k++) {
        (*out)[k] = schema->fields[first + k].type;
    }
    return ARUS_OK;
}

static enum arus_status open_distinct(struct arus_distinct *distinct,
                                      const struct arus_gather *plan,
                                      const struct arus_aggregate_item *item,
                                      struct arus_error *err)
{
    const uint32_t count = item->expr->arg_count;
    const struct arus_type **types;
    enum arus_status status;

    ARUS_TRY(field_types(plan->program_schema, item->first_arg, count, &types, err));
    status = arus_distinct_init(distinct, types, count, plan->key_count != 0, err);
    arus_free(types);
    return status;
}

static enum arus_status open_groups(struct arus_group_table *table,
                                    const struct arus_gather_state *gather, struct arus_error *err)
{
    const struct arus_gather *plan = gather->plan;
    const struct arus_type **types;
    enum arus_status status;

    ARUS_TRY(field_types(plan->program_schema, 0, plan->key_count, &types, err));
    status = arus_group_table_init(table, types, plan->key_count, gather->stride, err);
    arus_free(types);
    return status;
}

static enum arus_status open_lane(struct arus_group_lane *lane,
                                  const struct arus_gather_state *gather, struct arus_error *err)
{
    const struct arus_gather *plan = gather->plan;

    if (lane->is_open) {
        return ARUS_OK;
    }
    lane->is_open = true;
    lane->distinct = arus_alloc((size_t)plan->aggregate.item_count + 1, sizeof *lane->distinct);
    if (lane->distinct == NULL) {
        return arus_fail_memory(err);
    }
    ARUS_TRY(arus_agg_heap_open(&lane->heap, err));
    for (uint32_t i = 0; i < plan->aggregate.item_count; i++) {
        const struct arus_aggregate_item *item = &plan->aggregate.items[i];

        if (item->is_distinct) {
            ARUS_TRY(open_distinct(&lane->distinct[i], plan, item, err));
        }
    }
    return open_groups(&lane->groups, gather, err);
}

void arus_group_lane_release(struct arus_group_lane *lane, uint32_t item_count)
{
    for (uint32_t i = 0; lane->distinct != NULL && i < item_count; i++) {
        arus_distinct_release(&lane->distinct[i]);
    }
    arus_free(lane->distinct);
    arus_group_table_release(&lane->groups);
    arus_agg_heap_close(lane->heap);
    *lane = (struct arus_group_lane){0};
}

/* Rows of one aggregate call: chosen by FILTER and DISTINCT. */
struct item_rows {
    struct arus_vector *args;
    const uint32_t *groups; /* NULL: all in group 0 */
    uint32_t row_count;
};

static enum arus_status take_rows(struct item_rows *rows, uint32_t arg_count,
                                  const uint32_t *indices, uint32_t count, struct arus_arena *step,
                                  struct arus_error *err)
{
    struct arus_vector *args;
    uint32_t *groups = NULL;

    ARUS_TRY(ARUS_NEW(step, struct arus_vector, (size_t)arg_count + 1, &args, err));
    for (uint32_t a = 0; a < arg_count; a++) {
        struct arus_vector sliced;

        ARUS_TRY(arus_vector_slice(&rows->args[a], indices, count, step, &sliced, err));
        ARUS_TRY(arus_vector_flatten(&sliced, step, &args[a], err));
    }
    if (rows->groups != NULL) {
        ARUS_TRY(ARUS_NEW(step, uint32_t, count, &groups, err));
        for (uint32_t i = 0; i < count; i++) {
            groups[i] = rows->groups[indices[i]];
        }
    }
    *rows = (struct item_rows){args, groups, count};
    return ARUS_OK;
}

static enum arus_status apply_filter(struct item_rows *rows, const struct arus_vector *filter,
                                     uint32_t arg_count, struct arus_arena *step,
                                     struct arus_error *err)
{
    uint32_t *indices;
    uint32_t count;
    void *memory;

    ARUS_TRY(
        arus_arena_buffer(step, ((size_t)rows->row_count + 64) * sizeof *indices, &memory, err));
    indices = memory;
    arus_filter_indices(filter, indices, &count);
    return take_rows(rows, arg_count, indices, count, step, err);
}

static enum arus_status apply_distinct(struct item_rows *rows, struct arus_distinct *distinct,
                                       uint32_t arg_count, struct arus_arena *step,
                                       struct arus_error *err)
{
    uint32_t *fresh;
    uint32_t count;

    ARUS_TRY(arus_distinct_find(distinct, rows->args, rows->groups, rows->row_count, step, &fresh,
                                &count, err));
    return take_rows(rows, arg_count, fresh, count, step, err);
}

static enum arus_status update_item(struct arus_lane *lane, struct arus_gather_state *gather,
                                    uint32_t index, const struct arus_vector *columns,
                                    struct item_rows rows, const struct arus_group_target *target,
                                    struct arus_error *err)
{
    const struct arus_aggregate_item *item = &gather->plan->aggregate.items[index];
    const uint32_t arg_count = item->expr->arg_count;
    struct arus_eval_env env = lane->exec->env;

    ARUS_TRY(ARUS_NEW(&lane->step, struct arus_vector, (size_t)arg_count + 1, &rows.args, err));
    for (uint32_t a = 0; a < arg_count; a++) {
        const struct arus_vector *column = &columns[item->first_arg + a];

        if (column->form == ARUS_VECTOR_CONSTANT) {
            rows.args[a] = *column;
        } else {
            ARUS_TRY(arus_vector_flatten(column, &lane->step, &rows.args[a], err));
        }
    }
    if (item->filter >= 0) {
        ARUS_TRY(apply_filter(&rows, &columns[item->filter], arg_count, &lane->step, err));
    }
    if (item->is_distinct && rows.row_count != 0) {
        ARUS_TRY(apply_distinct(&rows, &target->distinct[index], arg_count, &lane->step, err));
    }
    if (rows.row_count == 0) {
        return ARUS_OK;
    }
    env.now_micros = lane->exec->run->now_micros;
    return item->expr->aggregate->update(
        &(struct arus_agg_call){.expr = item->expr,
                                .args = rows.args,
                                .row_count = rows.row_count,
                                .groups = rows.groups,
                                .states = target->states + gather->offsets[index],
                                .stride = gather->stride,
                                .heap = target->heap,
                                .env = &env,
                                .step = &lane->step},
        err);
}

enum arus_status arus_group_update(struct arus_lane *lane, struct arus_gather_state *gather,
                                   const struct arus_vector *columns, const uint32_t *groups,
                                   uint32_t row_count, const struct arus_group_target *target,
                                   struct arus_error *err)
{
    const struct item_rows rows = {.groups = groups, .row_count = row_count};

    for (uint32_t i = 0; i < gather->plan->aggregate.item_count; i++) {
        ARUS_TRY(update_item(lane, gather, i, columns, rows, target, err));
    }
    return ARUS_OK;
}

static bool has_fraction(const struct arus_type *type)
{
    for (uint16_t f = 0; f < type->field_count; f++) {
        if (has_fraction(type->fields[f].type)) {
            return true;
        }
    }
    return arus_type_is_fractional(type);
}

static enum arus_status drop_zero_signs(struct arus_vector *key, struct arus_arena *step,
                                        struct arus_error *err);

static enum arus_status drop_inner_signs(struct arus_vector *key, struct arus_arena *step,
                                         struct arus_error *err)
{
    struct arus_vector *children;

    ARUS_TRY(ARUS_NEW(step, struct arus_vector, key->type->field_count, &children, err));
    for (uint16_t f = 0; f < key->type->field_count; f++) {
        ARUS_TRY(arus_vector_flatten(&key->children[f], step, &children[f], err));
        ARUS_TRY(drop_zero_signs(&children[f], step, err));
    }
    key->children = children;
    return ARUS_OK;
}

/* A group key comes out as 0.0 whatever its sign was (Spark's rule), inside of arrays too. */
static enum arus_status drop_zero_signs(struct arus_vector *key, struct arus_arena *step,
                                        struct arus_error *err)
{
    const uint32_t size = arus_type_value_size(key->type);
    void *values;

    if (!has_fraction(key->type)) {
        return ARUS_OK;
    }
    if (arus_type_is_nested(key->type)) {
        return drop_inner_signs(key, step, err);
    }
    ARUS_TRY(arus_arena_buffer(step, (size_t)key->row_count * size + 1, &values, err));
    for (uint32_t i = 0; i < key->row_count; i++) {
        if (key->type->id == ARUS_TYPE_DOUBLE) {
            ((double *)values)[i] = ((const double *)key->values)[i] + 0.0;
        } else {
            ((float *)values)[i] = ((const float *)key->values)[i] + 0.0F;
        }
    }
    key->values = values;
    return ARUS_OK;
}

/* The group of each row. */
static enum arus_status find_groups(struct arus_lane *lane, struct arus_group_table *table,
                                    const struct arus_vector *columns, uint32_t row_count,
                                    uint32_t *groups, struct arus_error *err)
{
    const uint32_t key_count = table->key_count;
    struct arus_vector *keys;
    uint64_t *hashes;

    ARUS_TRY(ARUS_NEW(&lane->step, struct arus_vector, (size_t)key_count + 1, &keys, err));
    ARUS_TRY(ARUS_NEW(&lane->step, uint64_t, row_count, &hashes, err));
    for (uint32_t k = 0; k < key_count; k++) {
        ARUS_TRY(arus_vector_flatten(&columns[k], &lane->step, &keys[k], err));
        ARUS_TRY(drop_zero_signs(&keys[k], &lane->step, err));
    }
    arus_keys_hash(keys, key_count, row_count, hashes);
    return arus_group_table_find(table, keys, row_count, hashes, groups, err);
}

/* One key of few different values: each of those that occur is looked up once, in the order of
 * their first rows. */
static enum arus_status find_by_dictionary(struct arus_lane *lane, struct arus_group_table *table,
                                           const struct arus_vector *key, uint32_t *groups,
                                           struct arus_error *err)
{
    const uint32_t value_count = key->base->row_count;
    struct arus_vector some;
    uint32_t *places; /* [value_count] 1 + place among the values that occur */
    uint32_t *values; /* those */
    uint32_t *found;
    uint32_t count = 0;

    ARUS_TRY(ARUS_NEW(&lane->step, uint32_t, value_count, &places, err));
    ARUS_TRY(ARUS_NEW(&lane->step, uint32_t, value_count, &values, err));
    ARUS_TRY(ARUS_NEW(&lane->step, uint32_t, value_count, &found, err));
    for (uint32_t i = 0; i < key->row_count; i++) {
        const uint32_t value = key->indices[i];

        if (places[value] == 0) {
            values[count++] = value;
            places[value] = count;
        }
    }
    ARUS_TRY(arus_vector_slice(key->base, values, count, &lane->step, &some, err));
    ARUS_TRY(find_groups(lane, table, &some, count, found, err));
    for (uint32_t i = 0; i < key->row_count; i++) {
        groups[i] = found[places[key->indices[i]] - 1];
    }
    return ARUS_OK;
}

/* Few keys in a batch: each is looked up once, at its first row. */
static enum arus_status find_few(struct arus_lane *lane, struct arus_group_table *table,
                                 const struct arus_vector *columns, const struct arus_few *few,
                                 uint32_t row_count, uint32_t *groups, struct arus_error *err)
{
    struct arus_vector *firsts;
    uint32_t *found;

    ARUS_TRY(ARUS_NEW(&lane->step, struct arus_vector, table->key_count, &firsts, err));
    ARUS_TRY(ARUS_NEW(&lane->step, uint32_t, few->count, &found, err));
    for (uint32_t k = 0; k < table->key_count; k++) {
        ARUS_TRY(
            arus_vector_slice(&columns[k], few->firsts, few->count, &lane->step, &firsts[k], err));
    }
    ARUS_TRY(find_groups(lane, table, firsts, few->count, found, err));
    for (uint32_t i = 0; i < row_count; i++) {
        groups[i] = found[few->places[i]];
    }
    return ARUS_OK;
}

/* Where one batch has many keys, the next ones will. */
static enum arus_status find_any(struct arus_lane *lane, struct arus_group_lane *own,
                                 const struct arus_vector *columns, uint32_t row_count,
                                 uint32_t *groups, struct arus_error *err)
{
    struct arus_few few;
    bool is_few = false;

    if (own->many_left > 0) {
        own->many_left--;
    } else {
        ARUS_TRY(arus_few_find(columns, own->groups.key_count, row_count, &lane->step, &few,
                               &is_few, err));
        own->many_left = is_few ? 0 : MANY_AGAIN;
    }
    return is_few ? find_few(lane, &own->groups, columns, &few, row_count, groups, err)
                  : find_groups(lane, &own->groups, columns, row_count, groups, err);
}

static bool is_of_few(const struct arus_vector *key)
{
    return key->form == ARUS_VECTOR_DICTIONARY && key->base->form == ARUS_VECTOR_FLAT &&
           key->base->row_count <= key->row_count / 2;
}

/* Without GROUP BY there is one group, also without rows. */
static enum arus_status add_global_group(struct arus_group_lane *lane, struct arus_error *err)
{
    const uint64_t hash = 0;
    uint32_t group;

    return arus_group_table_find(&lane->groups, NULL, 1, &hash, &group, err);
}

enum arus_status arus_group_add(struct arus_lane *lane, struct arus_gather_state *gather,
                                const struct arus_vector *columns, uint32_t row_count,
                                struct arus_error *err)
{
    struct arus_group_lane *own = &gather->groups[lane->worker];
    const uint32_t key_count = gather->plan->key_count;
    uint32_t *groups = NULL;

    ARUS_TRY(open_lane(own, gather, err));
    if (key_count != 0) {
        ARUS_TRY(ARUS_NEW(&lane->step, uint32_t, row_count, &groups, err));
    }
    if (key_count == 0) {
        ARUS_TRY(add_global_group(own, err));
    } else if (key_count == 1 && is_of_few(&columns[0])) {
        ARUS_TRY(find_by_dictionary(lane, &own->groups, &columns[0], groups, err));
    } else {
        ARUS_TRY(find_any(lane, own, columns, row_count, groups, err));
    }
    return arus_group_update(lane, gather, columns, groups, row_count,
                             &(struct arus_group_target){.states = own->groups.states,
                                                         .heap = own->heap,
                                                         .distinct = own->distinct},
                             err);
}

/* Adds another worker's groups to `into`. */
static enum arus_status merge_lane(struct arus_exec *exec, struct arus_gather_state *gather,
                                   struct arus_group_lane *into, struct arus_group_lane *from,
                                   struct arus_arena *step, struct arus_error *err)
{
    const uint32_t count = from->groups.group_count;
    uint32_t *groups;

    ARUS_TRY(ARUS_NEW(step, uint32_t, (size_t)count + 1, &groups, err));
    ARUS_TRY(arus_group_table_merge(&into->groups, &from->groups, groups, err));
    for (uint32_t i = 0; i < gather->plan->aggregate.item_count; i++) {
        const struct arus_aggregate_item *item = &gather->plan->aggregate.items[i];
        const struct arus_agg_call call = {.expr = item->expr,
                                           .row_count = count,
                                           .groups = groups,
                                           .states = into->groups.states + gather->offsets[i],
                                           .stride = gather->stride,
                                           .heap = into->heap,
                                           .env = &exec->env,
                                           .step = step};

        ARUS_TRY(item->expr->aggregate->merge(&call, from->groups.states + gather->offsets[i],
                                              gather->stride, count, err));
    }
    return ARUS_OK;
}

static enum arus_status make_result(struct arus_gather_state *gather, struct arus_group_lane *lane,
                                    struct arus_error *err)
{
    const struct arus_gather *plan = gather->plan;
    const uint32_t count = lane->groups.group_count;
    const struct arus_vector *keys;

    gather->result = (struct arus_batch){.schema = plan->schema, .row_count = count};
    ARUS_TRY(ARUS_NEW(&gather->arena, struct arus_vector, (size_t)plan->schema->field_count + 1,
                      &gather->result.columns, err));
    ARUS_TRY(arus_group_table_keys(&lane->groups, &keys, err));
    for (uint32_t k = 0; k < plan->key_count; k++) {
        gather->result.columns[k] = keys[k];
    }
    for (uint32_t i = 0; i < plan->aggregate.item_count; i++) {
        const struct arus_expr *expr = plan->aggregate.items[i].expr;

        ARUS_TRY(expr->aggregate->finish(expr, lane->groups.states + gather->offsets[i],
                                         gather->stride, count, &gather->arena,
                                         &gather->result.columns[plan->key_count + i], err));
    }
    return ARUS_OK;
}

/* The rows of the result that sessions have left, FLAT again. */
static enum arus_status keep_sessions(struct arus_gather_state *gather, const uint32_t *kept,
                                      uint32_t count, struct arus_error *err)
{
    struct arus_batch sliced;

    ARUS_TRY(arus_batch_slice(&gather->result, kept, count, &gather->arena, &sliced, err));
    for (uint16_t f = 0; f < sliced.schema->field_count; f++) {
        ARUS_TRY(arus_vector_flatten(&sliced.columns[f], &gather->arena, &gather->result.columns[f],
                                     err));
    }
    gather->result.row_count = count;
    return ARUS_OK;
}

static enum arus_status finish_sessions(struct arus_exec *exec, struct arus_gather_state *gather,
                                        struct arus_group_lane *lane, struct arus_error *err)
{
    const uint32_t *kept;
    uint32_t count;

    ARUS_TRY(arus_session_merge(exec, gather, lane, &kept, &count, err));
    ARUS_TRY(make_result(gather, lane, err));
    return keep_sessions(gather, kept, count, err);
}

enum arus_status arus_group_finish(struct arus_exec *exec, struct arus_gather_state *gather,
                                   struct arus_error *err)
{
    struct arus_group_lane *first = &gather->groups[0];
    struct arus_arena step = {0};
    enum arus_status status = open_lane(first, gather, err);

    for (uint32_t i = 1; status == ARUS_OK && i < exec->thread_count; i++) {
        if (gather->groups[i].is_open) {
            status = merge_lane(exec, gather, first, &gather->groups[i], &step, err);
        }
    }
    if (status == ARUS_OK && gather->plan->aggregate.is_global) {
        status = add_global_group(first, err);
    }
    if (status == ARUS_OK) {
        status = gather->plan->aggregate.has_session ? finish_sessions(exec, gather, first, err)
                                                     : make_result(gather, first, err);
    }
    arus_arena_release(&step);
    return status;
}
