/** GROUP BY on a stream: each worker's groups of the batch, exchanged by key, merged into the
 * state. */
#include "base/alloc.h"
#include "exec/fate.h"
#include "exec/few.h"
#include "exec/stateful.h"

#define APPEND_MIN  4096u /* groups, before it is judged whether they repeat */
#define FETCH_AHEAD 12u   /* groups */
#define STATE_UNIT  16u   /* groups of a state part are addressed by this many bytes */

/* ---- opening ---- */

static uint32_t session_key(const struct arus_gather *plan)
{
    return plan->aggregate.has_session ? plan->aggregate.session_key : UINT32_MAX;
}

/* Keys but the session: sessions of one key find each other. */
static enum arus_status open_keys(struct arus_stateful *stateful, struct arus_error *err)
{
    const struct arus_gather *plan = stateful->gather->plan;
    const struct arus_type **types;
    uint32_t count = 0;

    ARUS_TRY(ARUS_NEW(&stateful->exec->arena, const struct arus_type *, (size_t)plan->key_count + 1,
                      &types, err));
    for (uint32_t k = 0; k < plan->key_count; k++) {
        if (k != session_key(plan)) {
            types[count++] = plan->program_schema->fields[k].type;
        }
    }
    return arus_row_code_make(types, count, ARUS_ROW_AS_KEY, &stateful->exec->arena,
                              &stateful->keys, err);
}

static enum arus_status open_views(struct arus_stateful *stateful, struct arus_error *err)
{
    const struct arus_gather *plan = stateful->gather->plan;
    const uint32_t item_count = plan->aggregate.item_count;

    ARUS_TRY(ARUS_NEW(&stateful->exec->arena, uint32_t, (size_t)item_count * ARUS_AGG_VIEWS_MAX + 1,
                      &stateful->view_offsets, err));
    for (uint32_t i = 0; i < item_count; i++) {
        const struct arus_expr *expr = plan->aggregate.items[i].expr;
        uint32_t offsets[ARUS_AGG_VIEWS_MAX];
        const uint32_t count =
            expr->aggregate->views == NULL ? 0 : expr->aggregate->views(expr, offsets);

        for (uint32_t v = 0; v < count; v++) {
            stateful->view_offsets[stateful->view_count++] =
                stateful->prefix_size + stateful->gather->offsets[i] + offsets[v];
        }
    }
    return ARUS_OK;
}

/* Stored states are read back by merging them into fresh ones: the contract of struct
 * arus_aggregate. */
static enum arus_status adopt(void *self, uint32_t partition, const unsigned char *stored,
                              unsigned char *fixed, struct arus_error *err)
{
    struct arus_stateful *stateful = self;
    const uint32_t group = 0;

    memcpy(fixed, stored, stateful->prefix_size);
    return arus_group_state_merge(stateful, partition, fixed + stateful->prefix_size, 0, &group,
                                  stored + stateful->prefix_size, 0, 1, err);
}

static enum arus_status find_expiry(const struct arus_stateful *stateful, struct arus_text key,
                                    struct arus_arena *arena, int64_t *out, struct arus_error *err)
{
    const char *row = key.data;
    struct arus_vector *columns;
    int64_t *times;

    ARUS_TRY(ARUS_NEW(arena, struct arus_vector, (size_t)stateful->keys.column_count + 1, &columns,
                      err));
    ARUS_TRY(arus_row_code_decode(&stateful->keys, &row, 1, arena, columns, err));
    ARUS_TRY(
        arus_event_times(&columns[stateful->plan->inputs[0].expiry.column], arena, &times, err));
    *out = times[0];
    return ARUS_OK;
}

/* A group stored in complete mode, which lets nothing go: its event time is in the key. */
static enum arus_status expiry_of(void *self, struct arus_text key, int64_t *out,
                                  struct arus_error *err)
{
    const struct arus_stateful *stateful = self;
    struct arus_arena arena = {0};
    enum arus_status status;

    *out = ARUS_STATE_NEVER;
    if (stateful->prefix_size != 0 || stateful->plan->inputs[0].expiry.kind == ARUS_EXPIRY_NONE) {
        return ARUS_OK; /* sessions always say when they leave */
    }
    status = find_expiry(stateful, key, &arena, out, err);
    arus_arena_release(&arena);
    return status;
}

static void forget(void *self)
{
    struct arus_stateful *stateful = self;

    for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
        arus_agg_heap_close(stateful->parts[p].heap);
        stateful->parts[p].heap = NULL;
        stateful->parts[p].heap_floor = 0;
    }
}

static enum arus_status take_memory(void *self, uint64_t size, struct arus_error *err)
{
    const struct arus_stateful *stateful = self;

    return arus_state_take_memory(arus_state_budget(stateful->exec->state), size, err);
}

static void give_memory(void *self, uint64_t size)
{
    const struct arus_stateful *stateful = self;

    arus_state_give_memory(arus_state_budget(stateful->exec->state), size);
}

enum arus_status arus_group_state_open(struct arus_stateful *stateful,
                                       struct arus_state_operator_config *table,
                                       struct arus_error *err)
{
    const bool is_session = stateful->plan->kind == ARUS_STATE_SESSION;
    struct arus_exec *exec = stateful->exec;

    stateful->prefix_size = is_session ? STATE_UNIT : 0;
    stateful->heap_meter = (struct arus_agg_meter){take_memory, give_memory, stateful};
    ARUS_TRY(arus_group_plan(exec, stateful->gather, err));
    ARUS_TRY(open_keys(stateful, err));
    ARUS_TRY(open_views(stateful, err));
    ARUS_TRY(ARUS_NEW(&exec->arena, struct arus_group_state_lane, exec->thread_count,
                      &stateful->group_lanes, err));
    table->layout = (struct arus_state_layout){
        .fixed_size = (uint32_t)stateful->gather->stride + stateful->prefix_size,
        .is_multi = is_session,
        .has_expiry = is_session || stateful->plan->inputs[0].expiry.kind != ARUS_EXPIRY_NONE,
        .view_offsets = stateful->view_offsets,
        .view_count = stateful->view_count};
    table->adopter =
        (struct arus_state_adopter){.adopt = adopt, .expiry_of = expiry_of, .self = stateful};
    table->forget = forget;
    table->self = stateful;
    for (uint32_t w = 0; w < exec->thread_count; w++) {
        struct arus_group_state_lane *lane = &stateful->group_lanes[w];

        lane->layout = (struct arus_state_layout){.fixed_size = (uint32_t)stateful->gather->stride,
                                                  .has_expiry = true};
        arus_state_part_init(&lane->groups.part, &lane->layout, &lane->budget);
        arus_state_part_init(&lane->late.part, &lane->late_layout, &lane->budget);
    }
    return ARUS_OK;
}

void arus_group_state_reset(struct arus_stateful *stateful)
{
    for (uint32_t w = 0; stateful->group_lanes != NULL && w < stateful->exec->thread_count; w++) {
        struct arus_group_state_lane *lane = &stateful->group_lanes[w];

        arus_state_part_reset(&lane->groups.part);
        arus_state_part_reset(&lane->late.part);
        if (lane->heap != NULL) {
            arus_agg_heap_reset(lane->heap);
        }
        arus_arena_reset(&lane->arena);
        lane->row_count = 0;
        lane->is_appending = false;
    }
}

void arus_group_state_close(struct arus_stateful *stateful)
{
    for (uint32_t w = 0; stateful->group_lanes != NULL && w < stateful->exec->thread_count; w++) {
        arus_state_part_clear(&stateful->group_lanes[w].groups.part);
        arus_state_part_clear(&stateful->group_lanes[w].late.part);
        arus_agg_heap_close(stateful->group_lanes[w].heap);
        arus_free(stateful->group_lanes[w].groups.hashes);
        arus_free(stateful->group_lanes[w].late.hashes);
        arus_arena_release(&stateful->group_lanes[w].arena);
    }
}

/* ---- a worker's rows ---- */

/* Rows of a batch that are on their way into groups. */
struct rows {
    struct arus_vector *columns;
    uint32_t column_count;
    uint32_t row_count;
    int64_t *times; /* NULL: no event time */
};

/* With a session the key has its times behind it; which partition it belongs to is said without
 * them. */
static enum arus_status make_keys(struct arus_lane *lane, const struct arus_stateful *stateful,
                                  const struct rows *rows, struct arus_keyed *out,
                                  uint64_t **placing, struct arus_error *err)
{
    const struct arus_gather *plan = stateful->gather->plan;
    const uint32_t session = session_key(plan);
    struct arus_vector *keys;
    struct arus_vector times;
    uint32_t count = 0;
    void *memory;

    ARUS_TRY(ARUS_NEW(&lane->step, struct arus_vector, (size_t)plan->key_count + 1, &keys, err));
    for (uint32_t k = 0; k < plan->key_count; k++) {
        if (k != session) {
            keys[count++] = rows->columns[k];
        }
    }
    ARUS_TRY(arus_keyed_make(&stateful->keys, keys, rows->row_count, &lane->step, out, err));
    *placing = out->hashes;
    if (session == UINT32_MAX) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_vector_flatten(&rows->columns[session], &lane->step, &times, err));
    ARUS_TRY(arus_arena_buffer(&lane->step, rows->row_count * sizeof(uint64_t) + 1, &memory, err));
    *placing = memory;
    memcpy(*placing, out->hashes, rows->row_count * sizeof(uint64_t));
    for (uint32_t i = 0; i < rows->row_count; i++) {
        const size_t size = out->keys[i].size;

        ARUS_TRY(arus_arena_buffer(&lane->step, size + 16, &memory, err));
        memcpy(memory, out->keys[i].data, size);
        memcpy((char *)memory + size, (const int64_t *)times.children[0].values + i, 8);
        memcpy((char *)memory + size + 8, (const int64_t *)times.children[1].values + i, 8);
        out->keys[i] = (struct arus_text){memory, size + 16};
        out->hashes[i] = arus_state_hash(memory, size + 16);
    }
    return ARUS_OK;
}

static enum arus_status slice_rows(struct arus_lane *lane, const struct rows *rows,
                                   const uint32_t *indices, uint32_t count, struct rows *out,
                                   struct arus_error *err)
{
    void *memory;

    *out = (struct rows){.column_count = rows->column_count, .row_count = count};
    ARUS_TRY(ARUS_NEW(&lane->step, struct arus_vector, (size_t)rows->column_count + 1,
                      &out->columns, err));
    for (uint32_t c = 0; c < rows->column_count; c++) {
        ARUS_TRY(arus_vector_slice(&rows->columns[c], indices, count, &lane->step, &out->columns[c],
                                   err));
    }
    if (rows->times == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_arena_buffer(&lane->step, count * sizeof(int64_t) + 1, &memory, err));
    out->times = memory;
    for (uint32_t i = 0; i < count; i++) {
        out->times[i] = rows->times[indices[i]];
    }
    return ARUS_OK;
}

/* Groups of the rows in `into`, looked up row by row; their partitions are noted. */
static enum arus_status find_each(struct arus_lane *lane, const struct arus_stateful *stateful,
                                  const struct rows *rows, struct arus_group_lane_table *into,
                                  bool is_appending, uint32_t **groups, struct arus_error *err)
{
    struct arus_state_part *part = &into->part;
    struct arus_state_keys keys;
    struct arus_keyed keyed;
    uint64_t *placing;
    void *memory;

    ARUS_TRY(make_keys(lane, stateful, rows, &keyed, &placing, err));
    ARUS_TRY(arus_arena_buffer(&lane->step, rows->row_count * sizeof **groups + 1, &memory, err));
    *groups = memory;
    keys = (struct arus_state_keys){keyed.keys, keyed.hashes, rows->times};
    if (is_appending) { /* those of one partition side by side: so they are read again */
        struct arus_by_partition order;

        ARUS_TRY(arus_by_partition_make(placing, rows->row_count, &lane->step, &order, err));
        ARUS_TRY(arus_state_part_append(part, &keys, order.rows, rows->row_count, *groups, err));
    } else {
        ARUS_TRY(arus_state_part_find(part, &keys, NULL, rows->row_count, *groups, NULL, err));
    }
    if (into->hash_capacity < part->entry_capacity) {
        uint64_t *grown = arus_realloc(into->hashes, part->entry_capacity * sizeof *grown);

        if (grown == NULL) {
            return arus_fail_memory(err);
        }
        into->hashes = grown;
        into->hash_capacity = part->entry_capacity;
    }
    for (uint32_t i = 0; i < rows->row_count; i++) {
        into->hashes[(*groups)[i]] = placing[i];
    }
    return ARUS_OK;
}

/* Few keys, each looked up once: in the order of their first rows, as row by row. */
static enum arus_status find_few(struct arus_lane *lane, const struct arus_stateful *stateful,
                                 const struct rows *rows, const struct arus_few *few,
                                 struct arus_group_lane_table *into, uint32_t **groups,
                                 struct arus_error *err)
{
    struct rows keys = *rows;
    struct rows firsts;
    uint32_t *found;
    void *memory;

    keys.column_count = stateful->gather->plan->key_count;
    ARUS_TRY(slice_rows(lane, &keys, few->firsts, few->count, &firsts, err));
    ARUS_TRY(find_each(lane, stateful, &firsts, into, false, &found, err));
    ARUS_TRY(arus_arena_buffer(&lane->step, rows->row_count * sizeof **groups + 1, &memory, err));
    *groups = memory;
    for (uint32_t i = 0; i < rows->row_count; i++) {
        (*groups)[i] = found[few->places[i]];
    }
    return ARUS_OK;
}

static enum arus_status find_groups(struct arus_lane *lane, const struct arus_stateful *stateful,
                                    const struct rows *rows, struct arus_group_lane_table *into,
                                    bool is_appending, uint32_t **groups, struct arus_error *err)
{
    const struct arus_gather *plan = stateful->gather->plan;
    struct arus_few few;
    bool is_few = false;

    if (!is_appending && session_key(plan) == UINT32_MAX) { /* a session is of one row */
        ARUS_TRY(arus_few_find(rows->columns, plan->key_count, rows->row_count, &lane->step, &few,
                               &is_few, err));
    }
    return is_few ? find_few(lane, stateful, rows, &few, into, groups, err)
                  : find_each(lane, stateful, rows, into, is_appending, groups, err);
}

/* Late rows are taken out before groups are made; Spark counts their groups (of sessions: each
 * row). */
static enum arus_status take_late(struct arus_lane *lane, struct arus_stateful *stateful,
                                  struct rows *rows, struct arus_error *err)
{
    struct arus_group_state_lane *own = &stateful->group_lanes[lane->worker];
    const struct rows all = *rows;
    struct rows late;
    uint32_t late_count = 0;
    uint32_t kept_count = 0;
    uint32_t *kept;
    uint32_t *behind;
    uint32_t *groups;

    ARUS_TRY(ARUS_NEW(&lane->step, uint32_t, (size_t)all.row_count + 1, &kept, err));
    ARUS_TRY(ARUS_NEW(&lane->step, uint32_t, (size_t)all.row_count + 1, &behind, err));
    for (uint32_t i = 0; i < all.row_count; i++) {
        if (all.times[i] <= stateful->late_bound) {
            behind[late_count++] = i;
        } else {
            kept[kept_count++] = i;
        }
    }
    arus_fate_take(lane, kept, kept_count);
    if (late_count == 0) {
        return ARUS_OK;
    }
    atomic_fetch_add(&stateful->late_rows, late_count);
    ARUS_TRY(arus_fate_late(lane, behind, late_count, all.times, err));
    ARUS_TRY(slice_rows(lane, &all, kept, kept_count, rows, err));
    if (stateful->plan->kind == ARUS_STATE_SESSION) {
        return ARUS_OK;
    }
    ARUS_TRY(slice_rows(lane, &all, behind, late_count, &late, err));
    return find_groups(lane, stateful, &late, &own->late, false, &groups, err);
}

/* Nearly a group a row: looking them up here would only be done again in the state. */
static bool hardly_repeats(const struct arus_group_state_lane *lane)
{
    return lane->groups.part.entry_count > APPEND_MIN &&
           lane->groups.part.entry_count > (lane->row_count - lane->row_count / 4);
}

enum arus_status arus_group_state_add(struct arus_lane *lane, struct arus_gather_state *gather,
                                      struct arus_vector *columns, uint32_t row_count,
                                      struct arus_error *err)
{
    struct arus_stateful *stateful = gather->stateful;
    struct arus_group_state_lane *own = &stateful->group_lanes[lane->worker];
    const struct arus_gather *plan = gather->plan;
    const int32_t late_column = stateful->plan->inputs[0].late_column;
    struct rows rows = {columns, plan->program_schema->field_count, row_count, NULL};
    uint32_t *groups;

    if (own->heap == NULL) {
        ARUS_TRY(arus_agg_heap_open(&own->heap, err));
    }
    if (late_column >= 0) {
        ARUS_TRY(arus_event_times(&columns[late_column], &lane->step, &rows.times, err));
        ARUS_TRY(take_late(lane, stateful, &rows, err));
    } else {
        arus_fate_take(lane, NULL, row_count);
    }
    if (rows.row_count == 0) {
        return ARUS_OK;
    }
    own->row_count += rows.row_count;
    own->is_appending = own->is_appending || hardly_repeats(own);
    ARUS_TRY(find_groups(lane, stateful, &rows, &own->groups, own->is_appending, &groups, err));
    return arus_group_update(
        lane, gather, rows.columns, groups, rows.row_count,
        &(struct arus_group_target){.states = own->groups.part.fixed, .heap = own->heap}, err);
}

/* ---- into the state ---- */

enum arus_status arus_group_state_merge(struct arus_stateful *stateful, uint32_t partition,
                                        unsigned char *fixed, size_t unit, const uint32_t *groups,
                                        const unsigned char *from, size_t from_stride,
                                        uint32_t count, struct arus_error *err)
{
    struct arus_stateful_part *part = &stateful->parts[partition];
    const struct arus_gather *plan = stateful->gather->plan;

    if (part->heap == NULL && stateful->view_count != 0) {
        ARUS_TRY(arus_agg_heap_open(&part->heap, err));
        arus_agg_heap_set_meter(part->heap, &stateful->heap_meter);
    }
    for (uint32_t i = 0; i < plan->aggregate.item_count; i++) {
        const struct arus_expr *expr = plan->aggregate.items[i].expr;
        const uint32_t offset = stateful->gather->offsets[i];
        const struct arus_agg_call call = {.expr = expr,
                                           .row_count = count,
                                           .groups = groups,
                                           .states = fixed + offset,
                                           .stride = unit,
                                           .heap = part->heap,
                                           .env = &stateful->exec->env,
                                           .step = &part->scratch};

        ARUS_TRY(expr->aggregate->merge(&call, from + offset, from_stride, count, err));
    }
    arus_arena_reset(&part->scratch);
    return ARUS_OK;
}

/* One worker's groups of a partition, at most `count` from `order` on. */
static enum arus_status merge_groups(struct arus_stateful *stateful, uint32_t partition,
                                     const struct arus_group_state_lane *lane,
                                     const uint32_t *groups, uint32_t count,
                                     struct arus_arena *arena, struct arus_error *err)
{
    struct arus_state_part *state = arus_stateful_table_part(stateful, 0, partition);
    const size_t stride = stateful->gather->stride;
    struct arus_state_keys keys = {0};
    struct arus_text *texts;
    uint64_t *hashes;
    int64_t *expiries;
    uint32_t *entries;
    void *from;

    ARUS_TRY(ARUS_NEW(arena, struct arus_text, count, &texts, err));
    ARUS_TRY(ARUS_NEW(arena, uint64_t, count, &hashes, err));
    ARUS_TRY(ARUS_NEW(arena, int64_t, count, &expiries, err));
    ARUS_TRY(ARUS_NEW(arena, uint32_t, count, &entries, err));
    ARUS_TRY(arus_arena_buffer(arena, count * stride + 1, &from, err));
    for (uint32_t i = 0; i < count; i++) {
        if (i + FETCH_AHEAD < count) {
            arus_state_part_fetch_entry(&lane->groups.part, groups[i + FETCH_AHEAD]);
        }
        texts[i] = arus_state_part_key(&lane->groups.part, groups[i]);
        hashes[i] = lane->groups.hashes[groups[i]];
        expiries[i] = lane->groups.part.expiry[groups[i]];
        for (size_t at = 0; at < stride; at += STATE_UNIT) { /* a call would take longer */
            memcpy((char *)from + i * stride + at,
                   arus_state_part_fixed(&lane->groups.part, groups[i]) + at, STATE_UNIT);
        }
    }
    keys = (struct arus_state_keys){texts, hashes, expiries};
    ARUS_TRY(arus_state_part_find(state, &keys, NULL, count, entries, NULL, err));
    for (uint32_t i = 0; i < count; i++) {
        ARUS_TRY(arus_state_part_touch(state, entries[i], err));
    }
    if (stride == 0) {
        return ARUS_OK;
    }
    return arus_group_state_merge(stateful, partition, state->fixed, stride, entries, from, stride,
                                  count, err);
}

static enum arus_status merge_lanes(struct arus_stateful *stateful, uint32_t partition,
                                    struct arus_error *err)
{
    struct arus_arena arena = {0};
    enum arus_status status = ARUS_OK;

    for (uint32_t w = 0; w < stateful->exec->thread_count; w++) {
        const struct arus_group_state_lane *lane = &stateful->group_lanes[w];
        uint32_t at = lane->groups.order.begin[partition];
        const uint32_t end = lane->groups.order.begin[partition + 1];

        while (status == ARUS_OK && at < end) {
            const uint32_t count = end - at < ARUS_BATCH_ROWS ? end - at : ARUS_BATCH_ROWS;

            arus_arena_reset(&arena);
            status = merge_groups(stateful, partition, lane, lane->groups.order.rows + at, count,
                                  &arena, err);
            at += count;
        }
    }
    arus_arena_release(&arena);
    return status;
}

/* A group that is late in two workers counts once. */
static enum arus_status count_late(struct arus_stateful *stateful, uint32_t partition,
                                   struct arus_error *err)
{
    struct arus_state_budget budget = {0};
    const struct arus_state_layout layout = {0};
    struct arus_state_part seen;
    enum arus_status status = ARUS_OK;

    arus_state_part_init(&seen, &layout, &budget);
    for (uint32_t w = 0; w < stateful->exec->thread_count; w++) {
        const struct arus_group_state_lane *lane = &stateful->group_lanes[w];

        for (uint32_t i = lane->late.order.begin[partition];
             status == ARUS_OK && i < lane->late.order.begin[partition + 1]; i++) {
            const uint32_t group = lane->late.order.rows[i];
            const struct arus_text key = arus_state_part_key(&lane->late.part, group);
            uint32_t entry;

            status = arus_state_part_find(
                &seen, &(struct arus_state_keys){&key, &lane->late.hashes[group], NULL}, NULL, 1,
                &entry, NULL, err);
        }
    }
    stateful->parts[partition].dropped_rows = seen.entry_count;
    arus_state_part_clear(&seen);
    return status;
}

/* Without GROUP BY there is one group, also without rows. */
static enum arus_status add_global(struct arus_stateful *stateful, uint32_t partition,
                                   struct arus_error *err)
{
    const struct arus_text key = ARUS_TEXT("");
    const uint64_t hash = arus_state_hash("", 0);
    struct arus_state_part *state = arus_stateful_table_part(stateful, 0, partition);
    uint32_t entry;

    if (!stateful->gather->plan->aggregate.is_global || partition != arus_state_part_of(hash)) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_state_part_find(state, &(struct arus_state_keys){&key, &hash, NULL}, NULL, 1,
                                  &entry, NULL, err));
    return arus_state_part_touch(state, entry, err);
}

/* What views no longer name is given back once it is as much as what they do. */
static enum arus_status shrink_heap(struct arus_stateful *stateful, uint32_t partition,
                                    struct arus_error *err)
{
    struct arus_stateful_part *part = &stateful->parts[partition];
    struct arus_state_part *state = arus_stateful_table_part(stateful, 0, partition);
    const uint32_t size = state->layout->fixed_size;
    struct arus_agg_heap *old = part->heap;
    enum arus_status status = ARUS_OK;
    unsigned char *copy;

    if (old == NULL || arus_agg_heap_size(old) < 2 * part->heap_floor + 65536) {
        return ARUS_OK;
    }
    copy = arus_alloc(1, size);
    if (copy == NULL) {
        return arus_fail_memory(err);
    }
    arus_agg_heap_set_meter(old, NULL); /* it leaves: only what is copied counts */
    part->heap = NULL;
    for (uint32_t entry = arus_state_part_next_live(state, 0);
         status == ARUS_OK && entry != ARUS_STATE_NONE;
         entry = arus_state_part_next_live(state, entry + 1)) {
        memcpy(copy, arus_state_part_fixed(state, entry), size);
        memset(arus_state_part_fixed(state, entry), 0, size);
        status = adopt(stateful, partition, copy, arus_state_part_fixed(state, entry), err);
    }
    part->heap_floor = part->heap == NULL ? 0 : arus_agg_heap_size(part->heap);
    arus_agg_heap_close(old);
    arus_free(copy);
    return status;
}

static enum arus_status finish_partition(void *self, uint32_t partition, uint32_t worker,
                                         struct arus_error *err)
{
    struct arus_stateful *stateful = self;
    struct arus_stateful_part *part = &stateful->parts[partition];
    const uint64_t begin_us = arus_stateful_now_us();

    (void)worker;
    ARUS_TRY(shrink_heap(stateful, partition, err)); /* now: no piece names what is in it */
    if (stateful->plan->kind == ARUS_STATE_SESSION) {
        ARUS_TRY(arus_session_state_merge(stateful, partition, err));
    } else {
        ARUS_TRY(merge_lanes(stateful, partition, err));
        ARUS_TRY(add_global(stateful, partition, err));
        ARUS_TRY(count_late(stateful, partition, err));
        part->updated_rows = arus_stateful_table_part(stateful, 0, partition)->dirty_count;
    }
    part->update_us = arus_stateful_now_us() - begin_us;
    ARUS_TRY(arus_group_emit_mode(stateful, partition, err));
    return arus_state_encode(stateful->exec->state, stateful->table, partition, err);
}

static enum arus_status order_lane(void *self, uint32_t task, uint32_t worker,
                                   struct arus_error *err)
{
    const struct arus_stateful *stateful = self;
    struct arus_group_state_lane *lane = &stateful->group_lanes[task];

    (void)worker;
    ARUS_TRY(arus_by_partition_make(lane->groups.hashes, lane->groups.part.entry_count,
                                    &lane->arena, &lane->groups.order, err));
    return arus_by_partition_make(lane->late.hashes, lane->late.part.entry_count, &lane->arena,
                                  &lane->late.order, err);
}

enum arus_status arus_group_state_finish(struct arus_stateful *stateful, struct arus_error *err)
{
    ARUS_TRY(arus_pool_run(stateful->exec->pool, order_lane, stateful, stateful->exec->thread_count,
                           err));
    ARUS_TRY(arus_stateful_run(stateful, finish_partition, err));
    if (stateful->plan->kind == ARUS_STATE_SESSION) {
        stateful->parts[0].dropped_rows = stateful->late_rows;
    }
    return ARUS_OK;
}
