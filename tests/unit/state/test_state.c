#include "base/alloc.h"
#include "column/vector.h"
#include "state/state.h"
#include "support/folder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <time.h>

#define KEYS    3000
#define BATCHES 60
#define KEPT    10

TestSuite(state, .init = folder_make, .fini = folder_remove);

static struct arus_error err;

/* ---- a model: what each key should hold after each batch ---- */

struct model {
    int64_t value[KEYS]; /* 0: not there */
    int64_t expiry[KEYS];
};

/* A small random generator, the same everywhere. */
static uint64_t random_next(uint64_t *seed)
{
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    return arus_state_hash((const char *)seed, sizeof *seed);
}

static struct arus_text key_of(uint32_t number, char out[64])
{
    return (struct arus_text){out, (size_t)snprintf(out, 64, "key %u%s", number,
                                                    number % 7 == 0 ? " and a longer one" : "")};
}

static uint32_t put(struct arus_state *state, uint32_t number, int64_t value, int64_t expiry)
{
    char memory[64];
    const struct arus_text key = key_of(number, memory);
    const uint64_t hash = arus_state_hash(key.data, key.size);
    const struct arus_state_keys keys = {&key, &hash, &expiry};
    struct arus_state_part *part = arus_state_partition(state, 0, arus_state_part_of(hash));
    uint32_t entry;

    MUST(arus_state_part_find(part, &keys, NULL, 1, &entry, NULL, &err));
    MUST(arus_state_part_touch(part, entry, &err));
    arus_state_part_set_expiry(part, entry, expiry);
    memcpy(arus_state_part_fixed(part, entry), &value, sizeof value);
    return entry;
}

static void assert_equals(struct arus_state *state, const struct model *model, int64_t batch)
{
    uint64_t count = 0;

    for (uint32_t number = 0; number < KEYS; number++) {
        char memory[64];
        const struct arus_text key = key_of(number, memory);
        const uint64_t hash = arus_state_hash(key.data, key.size);
        const struct arus_state_part *part =
            arus_state_partition(state, 0, arus_state_part_of(hash));
        const uint32_t entry = arus_state_part_get(part, key, hash);
        int64_t value;

        cr_assert(eq(int, entry != ARUS_STATE_NONE, model->value[number] != 0), "batch %lld key %u",
                  (long long)batch, number);
        if (entry == ARUS_STATE_NONE) {
            continue;
        }
        count++;
        memcpy(&value, arus_state_part_fixed(part, entry), sizeof value);
        cr_assert(eq(i64, value, model->value[number]), "batch %lld key %u", (long long)batch,
                  number);
        cr_assert(eq(i64, part->expiry[entry], model->expiry[number]));
    }
    cr_assert(eq(u64, arus_state_entry_count(state, 0), count));
}

static void change(struct arus_state *state, struct model *model, int64_t batch, uint64_t *seed)
{
    const uint32_t changes = (uint32_t)(random_next(seed) % (batch % 9 == 0 ? 4000 : 40));
    const int64_t bound = batch * 10 - 60;

    for (uint32_t i = 0; i < changes; i++) {
        const uint32_t number = (uint32_t)(random_next(seed) % KEYS);
        const int64_t value = (int64_t)(random_next(seed) >> 1) + 1;
        const int64_t expiry =
            number % 11 == 0 ? ARUS_STATE_NEVER : batch * 10 + (int64_t)(random_next(seed) % 100);

        if (random_next(seed) % 10 == 0 && model->value[number] != 0) {
            char memory[64];
            const struct arus_text key = key_of(number, memory);
            const uint64_t hash = arus_state_hash(key.data, key.size);
            struct arus_state_part *part = arus_state_partition(state, 0, arus_state_part_of(hash));

            MUST(arus_state_part_remove(part, arus_state_part_get(part, key, hash), &err));
            model->value[number] = 0;
            continue;
        }
        (void)put(state, number, value, expiry);
        model->value[number] = value;
        model->expiry[number] = expiry;
    }
    for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
        uint32_t count;

        MUST(arus_state_part_evict(arus_state_partition(state, 0, p), bound, &count, &err));
    }
    for (uint32_t number = 0; number < KEYS; number++) {
        if (model->value[number] != 0 && model->expiry[number] <= bound) {
            model->value[number] = 0;
        }
    }
}

static void save(struct arus_state *state, struct arus_store *store, int64_t batch, int64_t kept)
{
    struct arus_store_write write = {0};

    arus_state_encode_begin(state);
    MUST(arus_state_save(state, batch, batch - kept, &write, &err));
    MUST(arus_store_commit(store, &write, &err));
    arus_state_settle(state);
    arus_store_write_release(&write);
}

static struct arus_state *open_state(uint64_t memory_max)
{
    const struct arus_state_operator_config config = {
        .layout = {.fixed_size = 16, .has_expiry = true}, .name = "test"};
    struct arus_state *state;

    MUST(arus_state_open(&config, 1, memory_max, &state, &err));
    return state;
}

Test(state, any_kept_batch_comes_back_as_the_model_says)
{
    uint64_t seed = (uint64_t)time(NULL);
    struct arus_state *state = open_state(0);
    struct model *models = arus_alloc(BATCHES, sizeof *models);
    struct model now = {0};
    struct arus_store *store;

    printf("seed %llu\n", (unsigned long long)seed);
    MUST(arus_store_open(test_folder, ARUS_STORE_WRITE, &store, &err));
    for (int64_t batch = 0; batch < BATCHES; batch++) {
        change(state, &now, batch, &seed);
        assert_equals(state, &now, batch);
        save(state, store, batch, KEPT);
        models[batch] = now;
        if (batch % 7 ==
            6) { /* as after a failure: changes are lost, the newest batch comes back */
            change(state, &now, batch, &seed);
            now = models[batch];
            MUST(arus_state_load(state, store, batch, NULL, &err));
            assert_equals(state, &now, batch);
        }
    }
    for (int64_t batch = BATCHES - KEPT; batch < BATCHES; batch++) {
        MUST(arus_state_load(state, store, batch, NULL, &err));
        assert_equals(state, &models[batch], batch);
    }
    arus_state_close(state);
    arus_store_close(store);
    arus_free(models);
}

Test(state, a_dropped_batch_is_gone)
{
    struct arus_state *state = open_state(0);
    struct arus_store_write write = {0};
    struct arus_store *store;

    MUST(arus_store_open(test_folder, ARUS_STORE_WRITE, &store, &err));
    (void)put(state, 1, 10, 5);
    save(state, store, 0, KEPT);
    (void)put(state, 1, 11, 5);
    (void)put(state, 2, 12, 5);
    save(state, store, 1, KEPT);
    MUST(arus_state_drop(state, 1, &write, &err));
    MUST(arus_store_commit(store, &write, &err));
    MUST(arus_state_load(state, store, 1, NULL, &err));
    cr_expect(eq(u64, arus_state_entry_count(state, 0), 1));
    arus_store_write_release(&write);
    arus_state_close(state);
    arus_store_close(store);
}

Test(state, all_batches_behind_one_are_forgotten)
{
    struct arus_state *state = open_state(0);
    struct arus_store_write write = {0};
    struct model models[8] = {0};
    struct arus_store *store;
    uint64_t seed = 7;

    MUST(arus_store_open(test_folder, ARUS_STORE_WRITE, &store, &err));
    for (int64_t batch = 0; batch < 8; batch++) {
        models[batch] = batch == 0 ? (struct model){0} : models[batch - 1];
        change(state, &models[batch], batch, &seed);
        save(state, store, batch, 100);
    }
    MUST(arus_state_forget_after(store, 3, &write, &err));
    MUST(arus_store_commit(store, &write, &err));
    MUST(arus_state_load(state, store, 7, NULL, &err)); /* nothing of 4 to 7 is there */
    assert_equals(state, &models[3], 3);
    change(state, &models[3], 4, &seed);
    save(state, store, 4, 100);
    MUST(arus_state_load(state, store, 4, NULL, &err));
    assert_equals(state, &models[3], 4);
    arus_store_write_release(&write);
    arus_state_close(state);
    arus_store_close(store);
}

/* Changes one byte of a stored value behind the journal's back: through a put of damaged bytes. */
static void damage(struct arus_store *store, size_t at, size_t cut)
{
    struct arus_store_cursor cursor;
    struct arus_store_write write = {0};
    struct arus_store_read read;
    struct arus_text value;
    struct arus_text key;
    bool is_end;
    char bytes[4096];

    MUST(arus_store_read_begin(store, &read, &err));
    MUST(arus_store_cursor_open(&read, ARUS_STORE_STATE, ARUS_TEXT("\0"), &cursor, &err));
    MUST(arus_store_cursor_next(&cursor, &key, &value, &is_end, &err));
    cr_assert(is_end == false && value.size < sizeof bytes && at < value.size);
    memcpy(bytes, value.data, value.size);
    bytes[at] ^= 0x11;
    MUST(arus_store_put_copy(&write, ARUS_STORE_STATE, key,
                             (struct arus_text){bytes, value.size - cut}, &err));
    arus_store_cursor_close(&cursor);
    arus_store_read_end(&read);
    MUST(arus_store_commit(store, &write, &err));
    arus_store_write_release(&write);
}

Test(state, damaged_pieces_are_found_and_named)
{
    struct arus_state *state = open_state(0);
    struct arus_store *store;

    MUST(arus_store_open(test_folder, ARUS_STORE_WRITE, &store, &err));
    for (size_t at = 0; at < 100; at++) {
        enum arus_status status;

        MUST(arus_state_load(state, store, -1, NULL, &err));
        (void)put(state, 1, 10, 5);
        (void)put(state, 2, 11, 6);
        (void)put(state, 3, 12, 7);
        save(state, store, 0, KEPT);
        damage(store, at, at % 3);
        status = arus_state_load(state, store, 0, NULL, &err);
        if (at < 4 || at % 3 != 0) { /* the magic, or bytes are missing */
            cr_assert(eq(int, status, ARUS_MISMATCH), "byte %zu", at);
            cr_assert(strstr(err.message, "state of operator 0 (test), batch 0") != NULL, "%s",
                      err.message);
        } else { /* the journal's checksum would have found it: here it must only do no harm */
            cr_assert(status == ARUS_OK || status == ARUS_MISMATCH, "byte %zu", at);
        }
    }
    arus_state_close(state);
    arus_store_close(store);
}

Test(state, the_first_expiry_is_that_of_a_living_entry)
{
    struct arus_state *state = open_state(0);
    int64_t first = ARUS_STATE_NEVER;
    uint32_t gone;

    for (uint32_t number = 0; number < KEYS; number++) { /* several blocks, falling times */
        (void)put(state, number, 1, (int64_t)(KEYS - number) * 10);
    }
    for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
        int64_t in_part;

        MUST(arus_state_part_evict(arus_state_partition(state, 0, p), 55, &gone, &err));
        in_part = arus_state_part_first_expiry(arus_state_partition(state, 0, p));
        first = in_part < first ? in_part : first;
    }
    cr_expect(eq(i64, first, 60));
    arus_state_part_clear(arus_state_partition(state, 0, 0));
    cr_expect(
        eq(i64, arus_state_part_first_expiry(arus_state_partition(state, 0, 0)), ARUS_STATE_NEVER));
    arus_state_close(state);
}

Test(state, what_stays_is_found_however_much_leaves)
{
    for (int64_t bound = 0; bound <= 64; bound += 4) { /* of 64 times, a few keys each */
        struct arus_state *state = open_state(0);
        uint64_t left = 0;

        for (uint32_t number = 0; number < 20 * KEYS; number++) {
            (void)put(state, number, 1 + number, (int64_t)(number * 37 % 64) + 1);
        }
        for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
            uint32_t gone;

            MUST(arus_state_part_evict(arus_state_partition(state, 0, p), bound, &gone, &err));
            left += gone;
        }
        left += arus_state_entry_count(state, 0);
        cr_assert(eq(u64, left, (uint64_t)20 * KEYS));
        for (uint32_t number = 0; number < 20 * KEYS; number++) {
            char memory[64];
            const struct arus_text key = key_of(number, memory);
            const uint64_t hash = arus_state_hash(key.data, key.size);
            const uint32_t entry = arus_state_part_get(
                arus_state_partition(state, 0, arus_state_part_of(hash)), key, hash);

            cr_assert(eq(int, entry != ARUS_STATE_NONE, (int64_t)(number * 37 % 64) + 1 > bound),
                      "bound %lld key %u", (long long)bound, number);
        }
        arus_state_close(state);
    }
}

Test(state, another_format_is_refused_with_what_to_do)
{
    char bytes[ARUS_STATE_CHUNK_HEAD];
    struct arus_state_chunk chunk = {.chunk_count = 1};

    arus_state_chunk_write(&chunk, bytes);
    bytes[4]--; /* version */
    cr_assert(eq(int, arus_state_chunk_read((struct arus_text){bytes, sizeof bytes}, &chunk, &err),
                 ARUS_MISMATCH));
    cr_expect(eq(str, (char *)(uintptr_t)err.condition, "INVALID_LOG_VERSION.EXACT_MATCH_VERSION"));
    bytes[4] += 2;
    cr_assert(eq(int, arus_state_chunk_read((struct arus_text){bytes, sizeof bytes}, &chunk, &err),
                 ARUS_MISMATCH));
    cr_expect(
        eq(str, (char *)(uintptr_t)err.condition, "INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION"));
}

Test(state, a_limit_is_an_error_that_names_the_setting)
{
    struct arus_state *state = open_state(200000);
    enum arus_status status = ARUS_OK;

    for (uint32_t number = 0; number < 100000 && status == ARUS_OK; number++) {
        char memory[64];
        const struct arus_text key = key_of(number, memory);
        const uint64_t hash = arus_state_hash(key.data, key.size);
        struct arus_state_part *part = arus_state_partition(state, 0, arus_state_part_of(hash));
        uint32_t entry;

        status = arus_state_part_add(part, key, hash, 5, (struct arus_text){0}, &entry, &err);
    }
    cr_assert(eq(int, status, ARUS_NO_MEMORY));
    cr_expect(strstr(err.message, "state.memoryLimit") != NULL, "%s", err.message);
    arus_state_close(state);
}

Test(state, an_id_of_32_characters_takes_at_most_60_bytes)
{
    const struct arus_state_operator_config config = {.name = "dedupe"};
    struct arus_state *state;
    uint64_t worst = 0;

    MUST(arus_state_open(&config, 1, 0, &state, &err));
    for (uint32_t number = 0; number < 2000000; number++) {
        unsigned char key[19] = {0, 0xf1, 16}; /* as column/row_code.h packs it */
        const uint64_t hash = arus_state_hash((const char *)&number, sizeof number);
        uint64_t own;
        struct arus_state_part *part;
        uint32_t entry;

        memcpy(key + 3, &hash, 8);
        memcpy(key + 11, &number, 4);
        own = arus_state_hash((const char *)key, sizeof key);
        part = arus_state_partition(state, 0, arus_state_part_of(own));
        MUST(arus_state_part_add(part, (struct arus_text){(const char *)key, sizeof key}, own,
                                 ARUS_STATE_NEVER, (struct arus_text){0}, &entry, &err));
        arus_state_part_settle(part);
        if (number > 1000000 && number % 50000 == 0) {
            const uint64_t size = arus_state_memory_size(state, 0) / (number + 1);

            worst = size > worst ? size : worst;
        }
    }
    cr_expect(le(u64, worst, 60));
    arus_state_close(state);
}

/* ---- several entries a key; views ---- */

static enum arus_status adopt(void *self, uint32_t partition, const unsigned char *stored,
                              unsigned char *fixed, struct arus_error *error)
{
    struct arus_view view;
    void *copy;

    (void)partition;
    memcpy(fixed, stored, 32);
    memcpy(&view, stored + 16, sizeof view);
    if (view.data != NULL) {
        ARUS_TRY(arus_arena_buffer(self, view.size + 1, &copy, error));
        memcpy(copy, view.data, view.size);
        view.data = copy;
        memcpy(fixed + 16, &view, sizeof view);
    }
    return ARUS_OK;
}

Test(state, chains_payloads_and_views_come_back)
{
    static const uint32_t OFFSETS[] = {16};
    struct arus_arena arena = {0};
    const struct arus_state_operator_config config = {.layout = {.fixed_size = 32,
                                                                 .is_multi = true,
                                                                 .has_expiry = true,
                                                                 .has_payload = true,
                                                                 .view_offsets = OFFSETS,
                                                                 .view_count = 1},
                                                      .name = "join",
                                                      .adopter = {.adopt = adopt, .self = &arena}};
    const struct arus_text key = ARUS_TEXT("key");
    const uint64_t hash = arus_state_hash(key.data, key.size);
    struct arus_state *state;
    struct arus_store *store;
    struct arus_state_part *part;
    uint32_t entries[5];
    uint32_t count = 0;

    MUST(arus_state_open(&config, 1, 0, &state, &err));
    MUST(arus_store_open(test_folder, ARUS_STORE_WRITE, &store, &err));
    part = arus_state_partition(state, 0, arus_state_part_of(hash));
    for (int64_t i = 0; i < 5; i++) {
        char payload[16];
        const struct arus_view view = arus_view_of("bytes of a state", (size_t)(4 + i));

        (void)snprintf(payload, sizeof payload, "row %d", (int)i);
        MUST(arus_state_part_add(part, key, hash, i, arus_text_of(payload), &entries[i], &err));
        memcpy(arus_state_part_fixed(part, entries[i]) + 16, &view, sizeof view);
    }
    save(state, store, 0, KEPT);
    MUST(arus_state_part_remove(part, entries[3], &err));
    *arus_state_part_fixed(part, entries[4]) = 1;
    MUST(arus_state_part_touch(part, entries[4], &err));
    MUST(arus_state_part_evict(part, 0, &count, &err));
    cr_expect(eq(u32, count, 1));
    save(state, store, 1, KEPT);
    MUST(arus_state_load(state, store, 1, NULL, &err));
    count = 0;
    for (uint32_t entry = arus_state_part_get(part, key, hash); entry != ARUS_STATE_NONE;
         entry = arus_state_part_next(part, entry)) {
        const struct arus_text payload = arus_state_part_payload(part, entry);
        const int row = payload.data[4] - '0';
        struct arus_view view;

        memcpy(&view, arus_state_part_fixed(part, entry) + 16, sizeof view);
        cr_expect(eq(u32, view.size, 4u + (uint32_t)row));
        cr_expect(memcmp(view.data, "bytes of a state", view.size) == 0);
        cr_expect(eq(int, *arus_state_part_fixed(part, entry), row == 4));
        cr_expect(row == 1 || row == 2 || row == 4);
        count++;
    }
    cr_expect(eq(u32, count, 3));
    arus_state_close(state);
    arus_store_close(store);
    arus_arena_release(&arena);
}
