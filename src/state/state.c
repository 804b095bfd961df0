#include "state/state.h"

#include "base/alloc.h"
#include "state/state_internal.h"

#define SHARED_SIZE_MAX (64u * 1024u)  /* a batch with less is one value in the journal */
#define SWEEP_SIZE_MIN  (64u * 1024u)  /* smaller changes are not worth a snapshot */
#define STEP_SIZE_MIN   (256u * 1024u) /* of snapshots in one batch, while a sweep goes on */

enum arus_status arus_state_open(const struct arus_state_operator_config *operators,
                                 uint32_t operator_count, uint64_t memory_max,
                                 struct arus_state **out, struct arus_error *err)
{
    struct arus_state *state = arus_alloc(1, sizeof *state);

    *out = NULL;
    if (state == NULL) {
        return arus_fail_memory(err);
    }
    state->operators = arus_alloc((size_t)operator_count + 1, sizeof *state->operators);
    if (state->operators == NULL) {
        arus_free(state);
        return arus_fail_memory(err);
    }
    state->budget.size_max = memory_max;
    state->operator_count = operator_count;
    for (uint32_t i = 0; i < operator_count; i++) {
        struct arus_state_table *op = &state->operators[i];

        op->config = operators[i];
        op->sweep_next = ARUS_STATE_PART_COUNT;
        for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
            arus_state_part_init(&op->parts[p], &op->config.layout, &state->budget);
        }
    }
    *out = state;
    return ARUS_OK;
}

void arus_state_close(struct arus_state *state)
{
    if (state == NULL) {
        return;
    }
    for (uint32_t i = 0; i < state->operator_count; i++) {
        struct arus_state_table *op = &state->operators[i];

        for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
            arus_state_part_clear(&op->parts[p]);
            arus_state_sections_release(&op->sections[p]);
            arus_free(op->snapshots[p].batches);
        }
        arus_buffer_release(&op->shared[0]);
        arus_buffer_release(&op->shared[1]);
    }
    arus_free(state->operators);
    arus_free(state);
}

uint32_t arus_state_operator_count(const struct arus_state *state)
{
    return state->operator_count;
}

struct arus_state_part *arus_state_partition(struct arus_state *state, uint32_t op,
                                             uint32_t partition)
{
    return &state->operators[op].parts[partition];
}

struct arus_state_budget *arus_state_budget(struct arus_state *state)
{
    return &state->budget;
}

uint64_t arus_state_entry_count(const struct arus_state *state, uint32_t op)
{
    uint64_t count = 0;

    for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
        count += state->operators[op].parts[p].entry_count;
    }
    return count;
}

uint64_t arus_state_memory_size(const struct arus_state *state, uint32_t op)
{
    uint64_t size = 0;

    for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
        size += state->operators[op].parts[p].memory_size;
    }
    return size;
}

/* ---- keys ---- */

struct arus_text arus_state_key_write(const struct arus_state_key *key,
                                      char out[ARUS_STATE_KEY_SIZE])
{
    out[0] = (char)key->op;
    out[1] = (char)key->lane;
    arus_store_key_u64(out + 2, (uint64_t)key->batch);
    out[10] = (char)key->kind;
    out[11] = (char)(key->chunk >> 8);
    out[12] = (char)key->chunk;
    return (struct arus_text){out, ARUS_STATE_KEY_SIZE};
}

struct arus_state_key arus_state_key_read(const char *data)
{
    return (struct arus_state_key){
        .op = (uint8_t)data[0],
        .lane = (uint8_t)data[1],
        .batch = (int64_t)arus_store_key_read(data + 2),
        .kind = data[10] == 0 ? ARUS_SECTION_DELTA : ARUS_SECTION_SNAPSHOT,
        .chunk = (uint32_t)(uint8_t)data[11] << 8 | (uint8_t)data[12],
    };
}

enum arus_status arus_state_add_snapshot(struct arus_state_snapshots *snapshots, int64_t batch,
                                         struct arus_error *err)
{
    if (snapshots->count == snapshots->capacity) {
        const uint32_t capacity = snapshots->capacity == 0 ? 4 : snapshots->capacity * 2;
        int64_t *batches = arus_realloc(snapshots->batches, capacity * sizeof *batches);

        if (batches == NULL) {
            return arus_fail_memory(err);
        }
        snapshots->batches = batches;
        snapshots->capacity = capacity;
    }
    snapshots->batches[snapshots->count++] = batch;
    return ARUS_OK;
}

/* ---- encoding ---- */

static uint64_t operator_size(const struct arus_state_table *op)
{
    uint64_t size = 0;

    for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
        size += op->parts[p].memory_size;
    }
    return size;
}

/* A sweep begins when the changes are as large as the state; it takes as many partitions a batch as
 * to be through before the changes have doubled again. */
static void choose_snapshots(struct arus_state_table *op)
{
    const uint64_t size = operator_size(op);
    uint64_t step = op->batch_size * 2;
    uint64_t taken = 0;

    step = step < STEP_SIZE_MIN ? STEP_SIZE_MIN : step;
    if (op->sweep_next == ARUS_STATE_PART_COUNT && op->changed_size > SWEEP_SIZE_MIN &&
        op->changed_size > size) {
        op->sweep_next = 0;
        op->changed_size = 0;
    }
    while (op->sweep_next < ARUS_STATE_PART_COUNT && taken < step) {
        taken += op->parts[op->sweep_next].memory_size;
        op->wants_snapshot[op->sweep_next++] = true;
    }
}

void arus_state_encode_begin(struct arus_state *state)
{
    for (uint32_t i = 0; i < state->operator_count; i++) {
        struct arus_state_table *op = &state->operators[i];

        memset(op->is_encoded, 0, sizeof op->is_encoded);
        memset(op->wants_snapshot, 0, sizeof op->wants_snapshot);
        choose_snapshots(op);
    }
}

enum arus_status arus_state_encode(struct arus_state *state, uint32_t op_index, uint32_t partition,
                                   struct arus_error *err)
{
    struct arus_state_table *op = &state->operators[op_index];
    struct arus_state_sections *sections = &op->sections[partition];

    if (op->is_encoded[partition]) {
        return ARUS_OK;
    }
    op->is_encoded[partition] = true;
    arus_state_sections_reset(sections);
    if (op->wants_snapshot[partition]) {
        return arus_state_write_snapshot(&op->parts[partition], partition, sections, err);
    }
    return arus_state_write_delta(&op->parts[partition], partition, sections, err);
}

/* ---- saving ---- */

/* One operator's part in the transaction of a batch. */
struct save {
    struct arus_state_table *op;
    uint32_t op_index;
    int64_t batch;
    struct arus_store_write *write;
};

static enum arus_status put_lane(const struct save *save, uint32_t partition,
                                 struct arus_error *err)
{
    const struct arus_state_sections *sections = &save->op->sections[partition];
    struct arus_state_chunk chunk = {
        .kind = save->op->wants_snapshot[partition] ? ARUS_SECTION_SNAPSHOT : ARUS_SECTION_DELTA,
        .chunk_count = (uint16_t)sections->count,
        .section_count = 1,
        .has_expiry = save->op->config.layout.has_expiry};
    struct arus_state_key key = {save->op_index, partition, save->batch, chunk.kind, 0};
    char bytes[ARUS_STATE_KEY_SIZE];

    if (sections->count > UINT16_MAX) {
        return arus_fail(err, ARUS_NO_MEMORY, NULL, "a partition of state is larger than 16 GiB");
    }
    for (; key.chunk < sections->count; key.chunk++) {
        struct arus_buffer *section = &sections->items[key.chunk];

        chunk.index = (uint16_t)key.chunk;
        arus_state_chunk_write(&chunk, section->data);
        ARUS_TRY(arus_store_put(save->write, ARUS_STORE_STATE, arus_state_key_write(&key, bytes),
                                arus_buffer_text(section), err));
    }
    return ARUS_OK;
}

/* All sections of one kind in one value. */
static enum arus_status put_shared(const struct save *save, enum arus_section_kind kind,
                                   struct arus_error *err)
{
    static const char NOTHING[ARUS_STATE_CHUNK_HEAD];
    struct arus_state_table *op = save->op;
    struct arus_buffer *out = &op->shared[kind];
    struct arus_state_chunk chunk = {
        .kind = kind, .chunk_count = 1, .has_expiry = op->config.layout.has_expiry};
    const struct arus_state_key key = {save->op_index, ARUS_STATE_SHARED, save->batch, kind, 0};
    char bytes[ARUS_STATE_KEY_SIZE];

    arus_buffer_reset(out);
    ARUS_TRY(arus_buffer_append(out, NOTHING, sizeof NOTHING, err));
    for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
        if (op->wants_snapshot[p] != (kind == ARUS_SECTION_SNAPSHOT)) {
            continue;
        }
        for (uint32_t i = 0; i < op->sections[p].count; i++) {
            const struct arus_buffer *section = &op->sections[p].items[i];

            chunk.section_count++;
            ARUS_TRY(arus_buffer_append(out, section->data + ARUS_STATE_CHUNK_HEAD,
                                        section->size - ARUS_STATE_CHUNK_HEAD, err));
        }
    }
    if (chunk.section_count == 0) {
        return ARUS_OK;
    }
    arus_state_chunk_write(&chunk, out->data);
    return arus_store_put(save->write, ARUS_STORE_STATE, arus_state_key_write(&key, bytes),
                          arus_buffer_text(out), err);
}

static enum arus_status delete_lane(const struct save *save, uint32_t lane, int64_t from,
                                    int64_t to, struct arus_error *err)
{
    const struct arus_state_key begin = {save->op_index, lane, from, ARUS_SECTION_DELTA, 0};
    const struct arus_state_key end = {save->op_index, lane, to, ARUS_SECTION_DELTA, 0};
    char from_bytes[ARUS_STATE_KEY_SIZE];
    char to_bytes[ARUS_STATE_KEY_SIZE];

    return arus_store_delete_range(save->write, ARUS_STORE_STATE,
                                   arus_state_key_write(&begin, from_bytes),
                                   arus_state_key_write(&end, to_bytes), err);
}

/* Forgets snapshots that a newer one replaces for all batches from `oldest_kept` on; says from
 * where on the lane is needed. */
static int64_t needed_from(struct arus_state_snapshots *snapshots, int64_t oldest_kept)
{
    uint32_t replaced = 0;

    while (replaced + 1 < snapshots->count && snapshots->batches[replaced + 1] <= oldest_kept) {
        replaced++;
    }
    if (replaced > 0) {
        snapshots->count -= replaced;
        memmove(snapshots->batches, snapshots->batches + replaced,
                snapshots->count * sizeof *snapshots->batches);
    }
    return snapshots->count > 0 && snapshots->batches[0] <= oldest_kept ? snapshots->batches[0] : 0;
}

static enum arus_status delete_replaced(const struct save *save, int64_t oldest_kept,
                                        struct arus_error *err)
{
    struct arus_state_table *op = save->op;
    int64_t shared_from = INT64_MAX;

    for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
        const int64_t from = needed_from(&op->snapshots[p], oldest_kept);

        shared_from = from < shared_from ? from : shared_from;
        if (from > op->kept_from[p]) {
            ARUS_TRY(delete_lane(save, p, op->kept_from[p], from, err));
            op->kept_from[p] = from;
        }
    }
    if (shared_from > op->shared_kept_from) {
        ARUS_TRY(delete_lane(save, ARUS_STATE_SHARED, op->shared_kept_from, shared_from, err));
        op->shared_kept_from = shared_from;
    }
    return ARUS_OK;
}

static enum arus_status save_operator(const struct save *save, struct arus_error *err)
{
    struct arus_state_table *op = save->op;
    uint64_t size = 0;

    op->batch_size = 0;
    for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
        size += op->sections[p].size;
        op->batch_size += op->wants_snapshot[p] ? 0 : op->sections[p].size;
        if (op->wants_snapshot[p]) {
            ARUS_TRY(arus_state_add_snapshot(&op->snapshots[p], save->batch, err));
        }
    }
    op->changed_size += op->batch_size;
    if (size <= SHARED_SIZE_MAX) {
        ARUS_TRY(put_shared(save, ARUS_SECTION_DELTA, err));
        return put_shared(save, ARUS_SECTION_SNAPSHOT, err);
    }
    for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
        ARUS_TRY(put_lane(save, p, err));
    }
    return ARUS_OK;
}

enum arus_status arus_state_save(struct arus_state *state, int64_t batch_id, int64_t oldest_kept,
                                 struct arus_store_write *write, struct arus_error *err)
{
    for (uint32_t i = 0; i < state->operator_count; i++) {
        const struct save save = {&state->operators[i], i, batch_id, write};

        for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
            ARUS_TRY(arus_state_encode(state, i, p, err));
        }
        ARUS_TRY(save_operator(&save, err));
        ARUS_TRY(delete_replaced(&save, oldest_kept < batch_id ? oldest_kept : batch_id - 1, err));
    }
    return ARUS_OK;
}

void arus_state_settle(struct arus_state *state)
{
    for (uint32_t i = 0; i < state->operator_count; i++) {
        for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
            arus_state_part_settle(&state->operators[i].parts[p]);
        }
    }
}

enum arus_status arus_state_drop(struct arus_state *state, int64_t batch_id,
                                 struct arus_store_write *write, struct arus_error *err)
{
    for (uint32_t i = 0; i < state->operator_count; i++) {
        const struct save save = {&state->operators[i], i, batch_id, write};

        for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
            ARUS_TRY(delete_lane(&save, p, batch_id, batch_id + 1, err));
        }
        ARUS_TRY(delete_lane(&save, ARUS_STATE_SHARED, batch_id, batch_id + 1, err));
    }
    return ARUS_OK;
}

uint64_t arus_state_delta_size(const struct arus_state *state, uint32_t op)
{
    return state->operators[op].batch_size;
}
