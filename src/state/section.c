#include "state/section.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "state/entry_code.h"
#include "state/part_internal.h"

#include <assert.h>

#define MAGIC     UINT32_C(0x53555241) /* "ARUS" */
#define PUT_COUNT 256u                 /* entries that are read before they are put */
#define VERSION   3 /* 2: payloads were told in full, keys from where they differ */

struct section_head {
    uint16_t partition;
    uint16_t unused;
    uint32_t size;
    uint32_t removed_count;
    uint32_t entry_count;
    int64_t evicted;
};

static_assert(sizeof(struct section_head) == ARUS_STATE_SECTION_HEAD, "part of the format");

/* Keys are placed by their hash: state of another hash must not be read. */
static uint32_t hash_probe(void)
{
    return (uint32_t)arus_state_hash("an arus key of some length", 26);
}

void arus_state_sections_reset(struct arus_state_sections *sections)
{
    sections->count = 0;
    sections->size = 0;
}

void arus_state_sections_release(struct arus_state_sections *sections)
{
    for (uint32_t i = 0; i < sections->capacity; i++) {
        arus_buffer_release(&sections->items[i]);
    }
    arus_free(sections->items);
    *sections = (struct arus_state_sections){0};
}

/* ---- writing ---- */

static enum arus_status open_section(struct arus_state_sections *out, struct arus_buffer **section,
                                     struct arus_error *err)
{
    static const char NOTHING[ARUS_STATE_CHUNK_HEAD + ARUS_STATE_SECTION_HEAD];

    if (out->count == out->capacity) {
        const uint32_t capacity = out->capacity == 0 ? 1 : out->capacity * 2;
        struct arus_buffer *items = arus_realloc(out->items, capacity * sizeof *items);

        if (items == NULL) {
            return arus_fail_memory(err);
        }
        memset(items + out->capacity, 0, (capacity - out->capacity) * sizeof *items);
        out->items = items;
        out->capacity = capacity;
    }
    *section = &out->items[out->count++];
    arus_buffer_reset(*section);
    return arus_buffer_append(*section, NOTHING, sizeof NOTHING, err);
}

static void close_section(struct arus_state_sections *out, const struct arus_buffer *section,
                          struct section_head head)
{
    head.size = (uint32_t)(section->size - ARUS_STATE_CHUNK_HEAD - ARUS_STATE_SECTION_HEAD);
    memcpy(section->data + ARUS_STATE_CHUNK_HEAD, &head, sizeof head);
    out->size += section->size - ARUS_STATE_CHUNK_HEAD;
}

/* Entries go into sections of limited size; the first has the removals. */
struct writer {
    struct arus_state_sections *out;
    struct arus_buffer *section;
    struct section_head head;
    struct arus_entry_base base;
};

static enum arus_status add_entry(struct writer *writer, const struct arus_state_part *part,
                                  uint32_t entry, struct arus_error *err)
{
    if (writer->section->size >= ARUS_STATE_CHUNK_SIZE) {
        close_section(writer->out, writer->section, writer->head);
        ARUS_TRY(open_section(writer->out, &writer->section, err));
        writer->head =
            (struct section_head){.partition = writer->head.partition, .evicted = INT64_MIN};
        writer->base = (struct arus_entry_base){0};
    }
    writer->head.entry_count++;
    return arus_entry_write(part, entry, &writer->base, writer->section, err);
}

static bool take_dirty(struct arus_state_part *part, uint32_t entry)
{
    struct arus_state_block *block = &part->blocks[entry / ARUS_STATE_BLOCK];
    uint64_t *word = &block->dirty[entry % ARUS_STATE_BLOCK / 64];
    const uint64_t bit = UINT64_C(1) << (entry % 64);
    const bool was_dirty = (*word & bit) != 0;

    *word &= ~bit;
    return was_dirty && arus_state_part_is_live(part, entry);
}

enum arus_status arus_state_write_delta(struct arus_state_part *part, uint32_t index,
                                        struct arus_state_sections *out, struct arus_error *err)
{
    struct writer writer = {.out = out,
                            .head = {.partition = (uint16_t)index,
                                     .removed_count = part->removed_count,
                                     .evicted = part->evicted}};

    if (part->dirty_count == 0 && part->removed_count == 0 && part->evicted == INT64_MIN) {
        return ARUS_OK;
    }
    ARUS_TRY(open_section(out, &writer.section, err));
    ARUS_TRY(arus_buffer_append_text(writer.section, arus_buffer_text(&part->removed), err));
    for (uint32_t i = 0; i < part->dirty_count; i++) {
        if (take_dirty(part, part->dirty[i])) {
            ARUS_TRY(add_entry(&writer, part, part->dirty[i], err));
        }
    }
    close_section(out, writer.section, writer.head);
    return ARUS_OK;
}

enum arus_status arus_state_write_snapshot(struct arus_state_part *part, uint32_t index,
                                           struct arus_state_sections *out, struct arus_error *err)
{
    struct writer writer = {.out = out,
                            .head = {.partition = (uint16_t)index, .evicted = INT64_MIN}};

    ARUS_TRY(open_section(out, &writer.section, err));
    for (uint32_t entry = arus_state_part_next_live(part, 0); entry != ARUS_STATE_NONE;
         entry = arus_state_part_next_live(part, entry + 1)) {
        ARUS_TRY(add_entry(&writer, part, entry, err));
    }
    close_section(out, writer.section, writer.head);
    return ARUS_OK;
}

void arus_state_part_settle(struct arus_state_part *part)
{
    for (uint32_t i = 0; i < part->dirty_count; i++) {
        (void)take_dirty(part, part->dirty[i]);
    }
    part->dirty_count = 0;
    part->removed_count = 0;
    arus_buffer_reset(&part->removed);
    part->evicted = INT64_MIN;
}

/* ---- chunks ---- */

struct chunk_head {
    uint32_t magic;
    uint8_t version;
    uint8_t kind;
    uint16_t index;
    uint16_t chunk_count;
    uint16_t section_count;
    uint32_t hash_probe;
    uint32_t flags;
};

#define HAS_EXPIRY 1u

static_assert(sizeof(struct chunk_head) == ARUS_STATE_CHUNK_HEAD, "part of the format");

void arus_state_chunk_write(const struct arus_state_chunk *chunk, char *out)
{
    const struct chunk_head head = {.magic = MAGIC,
                                    .version = VERSION,
                                    .kind = (uint8_t)chunk->kind,
                                    .index = chunk->index,
                                    .chunk_count = chunk->chunk_count,
                                    .section_count = chunk->section_count,
                                    .hash_probe = hash_probe(),
                                    .flags = chunk->has_expiry ? HAS_EXPIRY : 0};

    memcpy(out, &head, sizeof head);
}

static enum arus_status fail_damaged(struct arus_error *err, const char *what)
{
    return arus_fail(err, ARUS_MISMATCH, "ARUS_STATE_DAMAGED", "%s", what);
}

enum arus_status arus_state_chunk_read(struct arus_text bytes, struct arus_state_chunk *out,
                                       struct arus_error *err)
{
    struct chunk_head head = {0};

    if (bytes.size >= sizeof head) {
        memcpy(&head, bytes.data, sizeof head);
    }
    if (head.magic != MAGIC || head.kind > ARUS_SECTION_SNAPSHOT) {
        return fail_damaged(err, "this is no piece of state");
    }
    if (head.version > VERSION) {
        return arus_fail(err, ARUS_MISMATCH, "INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION",
                         "state has format %d, this arus knows up to %d", head.version, VERSION);
    }
    if (head.version < VERSION) {
        arus_ignore(arus_fail(err, ARUS_MISMATCH, "INVALID_LOG_VERSION.EXACT_MATCH_VERSION",
                              "state has format %d of an older arus, this one reads format %d",
                              head.version, VERSION));
        return arus_error_help(err, "end the query with the arus that began it, or start anew: a "
                                    "new checkpointLocation and output path");
    }
    if (head.hash_probe != hash_probe()) {
        return fail_damaged(err, "state was written by an arus that places keys otherwise");
    }
    *out =
        (struct arus_state_chunk){(enum arus_section_kind)head.kind, head.index, head.chunk_count,
                                  head.section_count, (head.flags & HAS_EXPIRY) != 0};
    return ARUS_OK;
}

/* ---- reading ---- */

enum arus_status arus_state_section_next(const char **at, const char *end, uint32_t *part_index,
                                         struct arus_text *body, struct arus_error *err)
{
    struct section_head head;

    if ((size_t)(end - *at) < sizeof head) {
        return fail_damaged(err, "a section of state is cut off");
    }
    memcpy(&head, *at, sizeof head);
    if ((size_t)(end - *at) - sizeof head < head.size || head.partition >= ARUS_STATE_PART_COUNT) {
        return fail_damaged(err, "a section of state is cut off");
    }
    *part_index = head.partition;
    *body = (struct arus_text){*at, sizeof head + head.size};
    *at += sizeof head + head.size;
    return ARUS_OK;
}

uint32_t arus_state_section_entries(struct arus_text section)
{
    struct section_head head;

    memcpy(&head, section.data, sizeof head);
    return head.entry_count < section.size ? head.entry_count : (uint32_t)section.size;
}

/* The entry of a key with this id (ids count only in chains). */
static uint32_t find_entry(const struct arus_state_part *part, struct arus_text key, uint64_t hash,
                           uint64_t id)
{
    uint32_t entry = arus_state_part_get(part, key, hash);

    while (part->layout->is_multi && entry != ARUS_STATE_NONE && part->links[entry].id != id) {
        entry = arus_state_part_next(part, entry);
    }
    return entry;
}

static void apply_removal(struct arus_state_part *part, struct arus_state_reader *reader)
{
    const struct arus_text key = arus_state_read_text(reader);
    const uint64_t id = part->layout->is_multi ? arus_state_read_number(reader) : 0;
    uint32_t entry;

    if (reader->is_bad) {
        return;
    }
    entry = find_entry(part, key, arus_state_hash(key.data, key.size), id);
    if (entry != ARUS_STATE_NONE) {
        arus_state_part_drop_entry(part, entry);
    }
}

static enum arus_status put_entry(struct arus_state_part *part,
                                  const struct arus_stored_entry *stored, uint64_t hash,
                                  uint32_t *entry, struct arus_error *err)
{
    *entry = find_entry(part, stored->key, hash, stored->id);
    if (*entry == ARUS_STATE_NONE) {
        ARUS_TRY(arus_state_part_add(part, stored->key, hash, stored->expiry, stored->payload,
                                     entry, err));
        if (part->layout->is_multi) {
            part->links[*entry].id = stored->id;
            part->next_id = stored->id >= part->next_id ? stored->id + 1 : part->next_id;
        }
    } else if (part->layout->has_expiry) {
        arus_state_part_set_expiry(part, *entry, stored->expiry);
    }
    return ARUS_OK;
}

/* Entries that are read and then put: what they need of the partition is fetched ahead. */
struct waiting {
    struct arus_stored_entry entries[PUT_COUNT];
    struct arus_text keys[PUT_COUNT];
    uint64_t hashes[PUT_COUNT];
    unsigned char *fixed; /* [PUT_COUNT * fixed_size] */
    uint32_t count;
};

static enum arus_status read_some(struct arus_state_part *part, struct arus_state_reader *reader,
                                  bool has_expiry, const struct arus_state_adopter *adopter,
                                  struct waiting *waiting, struct arus_error *err)
{
    const struct arus_state_layout *layout = part->layout;
    size_t key_at;
    size_t payload_at;

    arus_state_reader_forget(reader);
    key_at = reader->keys.bytes.size;
    payload_at = reader->payloads.bytes.size;
    for (uint32_t i = 0; i < waiting->count; i++) {
        struct arus_stored_entry *stored = &waiting->entries[i];

        ARUS_TRY(arus_entry_read(layout, reader, has_expiry,
                                 waiting->fixed + (size_t)i * layout->fixed_size, stored, err));
        if (reader->is_bad) {
            return fail_damaged(err, "a section of state is cut off");
        }
    }
    for (uint32_t i = 0; i < waiting->count; i++) {
        struct arus_stored_entry *stored = &waiting->entries[i];

        stored->key = (struct arus_text){reader->keys.bytes.data + key_at, stored->key_size};
        stored->payload =
            (struct arus_text){reader->payloads.bytes.data + payload_at, stored->payload_size};
        key_at += stored->key_size;
        payload_at += stored->payload_size;
        waiting->keys[i] = stored->key;
        waiting->hashes[i] = arus_state_hash(stored->key.data, stored->key.size);
        if (layout->has_expiry && stored->expiry == ARUS_STATE_NEVER &&
            adopter->expiry_of != NULL) {
            ARUS_TRY(adopter->expiry_of(adopter->self, stored->key, &stored->expiry, err));
            part->evicts_by_key = part->evicts_by_key || stored->expiry != ARUS_STATE_NEVER;
        }
    }
    return ARUS_OK;
}

static enum arus_status put_some(struct arus_state_part *part, uint32_t partition,
                                 const struct arus_state_adopter *adopter,
                                 const struct waiting *waiting, struct arus_error *err)
{
    const struct arus_state_layout *layout = part->layout;
    const struct arus_state_keys keys = {waiting->keys, waiting->hashes, NULL};

    for (uint32_t i = 0; i < waiting->count; i++) {
        const unsigned char *fixed = waiting->fixed + (size_t)i * layout->fixed_size;
        uint32_t entry;

        arus_state_part_fetch(part, &keys, NULL, i, waiting->count);
        ARUS_TRY(put_entry(part, &waiting->entries[i], waiting->hashes[i], &entry, err));
        if (layout->view_count != 0) {
            memset(arus_state_part_fixed(part, entry), 0, layout->fixed_size);
            ARUS_TRY(adopter->adopt(adopter->self, partition, fixed,
                                    arus_state_part_fixed(part, entry), err));
        } else if (layout->fixed_size != 0) {
            memcpy(arus_state_part_fixed(part, entry), fixed, layout->fixed_size);
        }
    }
    return ARUS_OK;
}

static enum arus_status apply_entries(struct arus_state_part *part,
                                      struct arus_state_reader *reader,
                                      const struct section_head *head, bool has_expiry,
                                      const struct arus_state_adopter *adopter,
                                      struct arus_error *err)
{
    struct waiting *waiting = arus_alloc(1, sizeof *waiting);
    enum arus_status status = ARUS_OK;

    if (waiting == NULL) {
        return arus_fail_memory(err);
    }
    waiting->fixed = arus_alloc(PUT_COUNT, (size_t)part->layout->fixed_size + 1);
    if (waiting->fixed == NULL) {
        status = arus_fail_memory(err);
    }
    for (uint32_t left = head->entry_count; status == ARUS_OK && left != 0;
         left -= waiting->count) {
        waiting->count = left < PUT_COUNT ? left : PUT_COUNT;
        status = read_some(part, reader, has_expiry, adopter, waiting, err);
        if (status == ARUS_OK) {
            status = put_some(part, head->partition, adopter, waiting, err);
        }
    }
    arus_free(waiting->fixed);
    arus_free(waiting);
    return status;
}

static enum arus_status apply_section(struct arus_state_part *part,
                                      struct arus_state_reader *reader,
                                      const struct section_head *head, bool has_expiry,
                                      const struct arus_state_adopter *adopter,
                                      struct arus_error *err)
{
    enum arus_status status;

    for (uint32_t i = 0; i < head->removed_count && !reader->is_bad; i++) {
        apply_removal(part, reader);
    }
    if (reader->is_bad) {
        return fail_damaged(err, "a section of state is cut off");
    }
    status = apply_entries(part, reader, head, has_expiry, adopter, err);
    if (status == ARUS_OK && reader->at != reader->end) {
        status = fail_damaged(err, "a section of state has bytes too many");
    }
    return status;
}

enum arus_status arus_state_section_apply(struct arus_state_part *part, struct arus_text section,
                                          bool has_expiry, const struct arus_state_adopter *adopter,
                                          struct arus_error *err)
{
    struct arus_state_reader reader = {.at = section.data + sizeof(struct section_head),
                                       .end = section.data + section.size};
    struct section_head head;
    enum arus_status status;
    uint32_t evicted;

    memcpy(&head, section.data, sizeof head);
    if (head.evicted != INT64_MIN) {
        ARUS_TRY(arus_state_part_evict(part, head.evicted, &evicted, err));
    }
    status = apply_section(part, &reader, &head, has_expiry, adopter, err);
    arus_state_reader_release(&reader);
    if (status == ARUS_OK) {
        arus_state_part_settle(part);
    }
    return status;
}
