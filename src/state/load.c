/** Reading state back: what a batch needs is listed first, in the order of keys; then partitions
 * are filled in parallel, each from its newest snapshot on. */
#include "base/alloc.h"
#include "state/state_internal.h"

/* A section in the journal. */
struct piece {
    int64_t batch;
    struct arus_text section;
    bool is_snapshot;
    bool has_expiry;
};

struct pieces {
    struct piece *items; /* [count] */
    size_t count;
    size_t capacity;
    int64_t base; /* batch of the newest snapshot; -1: none */
};

struct load {
    struct arus_state *state;
    struct arus_state_table *op;
    uint32_t op_index;
    int64_t batch_id;
    struct pieces lanes[2][ARUS_STATE_PART_COUNT]; /* own lane, shared lane; each rising by batch */
};

static enum arus_status fail_where(const struct load *load, int64_t batch, uint32_t lane,
                                   struct arus_error *err)
{
    const char *name = load->op->config.name;

    if (lane == ARUS_STATE_SHARED) {
        return arus_error_wrap(err, "state of operator %u (%s), batch %lld", load->op_index, name,
                               (long long)batch);
    }
    return arus_error_wrap(err, "state of operator %u (%s), batch %lld, partition %u",
                           load->op_index, name, (long long)batch, lane);
}

static enum arus_status add_piece(struct pieces *pieces, struct piece piece, struct arus_error *err)
{
    if (pieces->count == pieces->capacity) {
        const size_t capacity = pieces->capacity == 0 ? 16 : pieces->capacity * 2;
        struct piece *items = arus_realloc(pieces->items, capacity * sizeof *items);

        if (items == NULL) {
            return arus_fail_memory(err);
        }
        pieces->items = items;
        pieces->capacity = capacity;
    }
    if (piece.is_snapshot && piece.batch > pieces->base) {
        pieces->base = piece.batch;
    }
    pieces->items[pieces->count++] = piece;
    return ARUS_OK;
}

static enum arus_status add_sections(struct load *load, const struct arus_state_key *key,
                                     const struct arus_state_chunk *chunk, struct arus_text value,
                                     struct arus_error *err)
{
    const char *at = value.data + ARUS_STATE_CHUNK_HEAD;
    const char *end = value.data + value.size;

    for (uint32_t i = 0; i < chunk->section_count; i++) {
        struct piece piece = {.batch = key->batch,
                              .is_snapshot = key->kind == ARUS_SECTION_SNAPSHOT,
                              .has_expiry = chunk->has_expiry};
        uint32_t partition;

        ARUS_TRY(arus_state_section_next(&at, end, &partition, &piece.section, err));
        ARUS_TRY(add_piece(&load->lanes[key->lane == ARUS_STATE_SHARED][partition], piece, err));
    }
    return at == end ? ARUS_OK
                     : arus_fail(err, ARUS_MISMATCH, "ARUS_STATE_DAMAGED",
                                 "a piece of state has bytes too many");
}

/* Chunks of one batch and lane follow one another; none may be missing. */
struct sequence {
    struct arus_state_key last;
    uint32_t missing; /* chunks of the last key's batch that have not come */
};

static enum arus_status fail_missing(const struct load *load, const struct sequence *sequence,
                                     struct arus_error *err)
{
    arus_ignore(arus_fail(err, ARUS_MISMATCH, "ARUS_STATE_DAMAGED", "a piece of state is missing"));
    return fail_where(load, sequence->last.batch, sequence->last.lane, err);
}

static enum arus_status take_chunk(struct load *load, struct sequence *sequence,
                                   const struct arus_state_key *key, struct arus_text value,
                                   struct arus_error *err)
{
    struct arus_state_chunk chunk;
    enum arus_status status = arus_state_chunk_read(value, &chunk, err);

    if (status == ARUS_OK) {
        if (chunk.has_expiry) { /* also in complete mode, which lets nothing go: old evictions are
                                   done again */
            load->op->config.layout.has_expiry = true;
        }
        status = add_sections(load, key, &chunk, value, err);
    }
    if (status != ARUS_OK) {
        return fail_where(load, key->batch, key->lane, err);
    }
    if (chunk.index != key->chunk || (chunk.index != 0) != (sequence->missing != 0) ||
        (chunk.index != 0 && chunk.chunk_count - sequence->missing != chunk.index)) {
        sequence->last = sequence->missing == 0 ? *key : sequence->last;
        return fail_missing(load, sequence, err);
    }
    sequence->last = *key;
    sequence->missing = chunk.chunk_count - chunk.index - 1u;
    return ARUS_OK;
}

/* Snapshots are noted also for batches behind the wanted one: they are there. */
static enum arus_status note_snapshot(struct load *load, const struct arus_state_key *key,
                                      struct arus_error *err)
{
    struct arus_state_table *op = load->op;

    if (key->lane != ARUS_STATE_SHARED && key->chunk == 0 && key->kind == ARUS_SECTION_SNAPSHOT) {
        return arus_state_add_snapshot(&op->snapshots[key->lane], key->batch, err);
    }
    return ARUS_OK;
}

static enum arus_status list_pieces(struct load *load, struct arus_store_read *read,
                                    struct arus_error *err)
{
    const struct arus_state_key first = {.op = load->op_index};
    char bytes[ARUS_STATE_KEY_SIZE];
    struct arus_store_cursor cursor = {0};
    struct sequence sequence = {0};
    enum arus_status status = arus_store_cursor_open(
        read, ARUS_STORE_STATE, arus_state_key_write(&first, bytes), &cursor, err);
    bool is_end = false;

    while (status == ARUS_OK) {
        struct arus_state_key key;
        struct arus_text name;
        struct arus_text value;

        status = arus_store_cursor_next(&cursor, &name, &value, &is_end, err);
        if (status != ARUS_OK) {
            status = arus_error_wrap(err, "state of operator %u (%s)", load->op_index,
                                     load->op->config.name);
            break;
        }
        if (is_end || name.size != ARUS_STATE_KEY_SIZE || (uint8_t)name.data[0] != load->op_index) {
            break;
        }
        key = arus_state_key_read(name.data);
        if (key.batch <= load->batch_id) {
            status = note_snapshot(load, &key, err);
            status = status == ARUS_OK ? take_chunk(load, &sequence, &key, value, err) : status;
        }
    }
    if (status == ARUS_OK && sequence.missing != 0) {
        status = fail_missing(load, &sequence, err);
    }
    arus_store_cursor_close(&cursor);
    return status;
}

static bool is_needed(const struct piece *piece, int64_t base)
{
    return piece->batch > base || (piece->batch == base && piece->is_snapshot);
}

static enum arus_status apply(const struct load *load, uint32_t partition, int64_t base,
                              const struct piece *piece, struct arus_error *err)
{
    enum arus_status status;

    if (!is_needed(piece, base)) {
        return ARUS_OK;
    }
    status = arus_state_section_apply(&load->op->parts[partition], piece->section,
                                      piece->has_expiry, &load->op->config.adopter, err);
    return status == ARUS_OK || status == ARUS_NO_MEMORY
               ? status
               : fail_where(load, piece->batch, partition, err);
}

/* Keys that will surely come: those of the snapshot, and of changes where nothing is ever changed
 * or let go. */
static uint64_t count_keys(const struct load *load, const struct pieces *pieces, int64_t base)
{
    const struct arus_state_layout *layout = &load->op->config.layout;
    const bool only_grows = layout->fixed_size == 0 && !layout->has_expiry;
    uint64_t count = 0;

    for (size_t i = 0; !layout->is_multi && i < pieces->count; i++) {
        const struct piece *piece = &pieces->items[i];

        if (is_needed(piece, base) && (piece->is_snapshot || only_grows)) {
            count += arus_state_section_entries(piece->section);
        }
    }
    return count;
}

/* A task: the pieces of both lanes in the order of batches. */
static enum arus_status fill_partition(void *self, uint32_t partition, uint32_t worker,
                                       struct arus_error *err)
{
    const struct load *load = self;
    const struct pieces *own = &load->lanes[0][partition];
    const struct pieces *shared = &load->lanes[1][partition];
    const int64_t base = own->base > shared->base ? own->base : shared->base;
    size_t i = 0;
    size_t j = 0;

    (void)worker;
    ARUS_TRY(arus_state_part_expect(&load->op->parts[partition],
                                    count_keys(load, own, base) + count_keys(load, shared, base),
                                    err));
    while (i < own->count || j < shared->count) {
        const bool takes_own =
            j == shared->count || (i < own->count && own->items[i].batch <= shared->items[j].batch);

        ARUS_TRY(
            apply(load, partition, base, takes_own ? &own->items[i++] : &shared->items[j++], err));
    }
    return ARUS_OK;
}

static enum arus_status fill(struct load *load, struct arus_pool *pool, struct arus_error *err)
{
    if (pool != NULL) {
        return arus_pool_run(pool, fill_partition, load, ARUS_STATE_PART_COUNT, err);
    }
    for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
        ARUS_TRY(fill_partition(load, p, 0, err));
    }
    return ARUS_OK;
}

/* Snapshots in the shared lane belong to the partitions of their sections. */
static enum arus_status note_shared(struct load *load, struct arus_error *err)
{
    for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
        struct arus_state_snapshots *snapshots = &load->op->snapshots[p];
        const struct pieces *shared = &load->lanes[1][p];

        for (size_t i = 0; i < shared->count; i++) {
            if (shared->items[i].is_snapshot) {
                ARUS_TRY(arus_state_add_snapshot(snapshots, shared->items[i].batch, err));
            }
        }
        for (uint32_t i = 1; i < snapshots->count; i++) { /* few: two rising runs */
            for (uint32_t j = i; j > 0 && snapshots->batches[j] < snapshots->batches[j - 1]; j--) {
                const int64_t swap = snapshots->batches[j];

                snapshots->batches[j] = snapshots->batches[j - 1];
                snapshots->batches[j - 1] = swap;
            }
        }
    }
    return ARUS_OK;
}

static void forget(struct arus_state_table *op)
{
    for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
        arus_state_part_clear(&op->parts[p]);
        arus_state_sections_reset(&op->sections[p]);
        op->is_encoded[p] = false;
        op->wants_snapshot[p] = false;
        op->snapshots[p].count = 0;
        op->kept_from[p] = 0;
    }
    op->shared_kept_from = 0;
    op->changed_size = 0;
    op->batch_size = 0;
    op->sweep_next = ARUS_STATE_PART_COUNT;
    if (op->config.forget != NULL) {
        op->config.forget(op->config.self);
    }
}

static uint64_t changed_since_base(const struct load *load)
{
    uint64_t size = 0;

    for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
        for (int lane = 0; lane < 2; lane++) {
            const struct pieces *pieces = &load->lanes[lane][p];

            for (size_t i = 0; i < pieces->count; i++) {
                size += pieces->items[i].is_snapshot ? 0 : pieces->items[i].section.size;
            }
        }
    }
    return size;
}

static enum arus_status load_operator(struct load *load, struct arus_store_read *read,
                                      struct arus_pool *pool, struct arus_error *err)
{
    enum arus_status status;

    for (int lane = 0; lane < 2; lane++) {
        for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
            load->lanes[lane][p] = (struct pieces){.base = -1};
        }
    }
    forget(load->op);
    status = list_pieces(load, read, err);
    if (status == ARUS_OK) {
        status = note_shared(load, err);
    }
    if (status == ARUS_OK) {
        status = fill(load, pool, err);
    }
    load->op->changed_size = changed_since_base(load);
    for (int lane = 0; lane < 2; lane++) {
        for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
            arus_free(load->lanes[lane][p].items);
        }
    }
    return status;
}

enum arus_status arus_state_load(struct arus_state *state, struct arus_store *store,
                                 int64_t batch_id, struct arus_pool *pool, struct arus_error *err)
{
    struct load *load = arus_alloc(1, sizeof *load);
    struct arus_store_read read = {0};
    enum arus_status status;

    if (load == NULL) {
        return arus_fail_memory(err);
    }
    status = arus_store_read_begin(store, &read, err);
    for (uint32_t i = 0; status == ARUS_OK && i < state->operator_count; i++) {
        load->state = state;
        load->op = &state->operators[i];
        load->op_index = i;
        load->batch_id = batch_id;
        status = load_operator(load, &read, pool, err);
    }
    arus_store_read_end(&read);
    arus_free(load);
    return status;
}
