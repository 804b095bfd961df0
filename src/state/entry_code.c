#include "state/entry_code.h"

#include "state/part_internal.h"
#include "types/type.h"

#define NUMBER_MAX 10u /* bytes of a varint */
#define PAIR       16u /* bytes of fixed size that have one head */
#define NIBBLE     4

static struct arus_view view_at(const unsigned char *fixed, uint32_t offset)
{
    struct arus_view view;

    memcpy(&view, fixed + offset, sizeof view);
    return view;
}

/* ---- writing ---- */

static size_t entry_size_max(const struct arus_state_part *part, uint32_t entry,
                             struct arus_text key)
{
    const struct arus_state_layout *layout = part->layout;
    size_t size = 3 * NUMBER_MAX + key.size + sizeof(int64_t) + layout->fixed_size +
                  layout->fixed_size / PAIR + sizeof(uint64_t);

    for (uint32_t v = 0; v < layout->view_count; v++) {
        size += 1 + NUMBER_MAX +
                view_at(arus_state_part_fixed(part, entry), layout->view_offsets[v]).size;
    }
    if (layout->has_payload) {
        size += NUMBER_MAX + arus_state_part_payload(part, entry).size;
    }
    return size;
}

static size_t shared_size(struct arus_text a, struct arus_text b)
{
    const size_t most = a.size < b.size ? a.size : b.size;
    size_t size = 0;

    for (; size + sizeof(uint64_t) <= most; size += sizeof(uint64_t)) {
        uint64_t left;
        uint64_t right;

        memcpy(&left, a.data + size, sizeof left);
        memcpy(&right, b.data + size, sizeof right);
        if (left != right) { /* little-endian: the first byte is the lowest */
            return size + (size_t)__builtin_ctzll(left ^ right) / 8;
        }
    }
    while (size < most && a.data[size] == b.data[size]) {
        size++;
    }
    return size;
}

/* Writes 8 bytes, counts those before the zeros. */
static unsigned write_word(uint64_t word, char *at)
{
    memcpy(at, &word, sizeof word);
    return word == 0 ? 0 : 8 - (unsigned)__builtin_clzll(word) / 8;
}

/* Pointers say nothing in a file. */
static const unsigned char *without_pointers(const struct arus_state_layout *layout,
                                             const unsigned char *fixed, unsigned char *copy)
{
    if (layout->view_count == 0) {
        return fixed;
    }
    memcpy(copy, fixed, layout->fixed_size);
    for (uint32_t v = 0; v < layout->view_count; v++) {
        struct arus_view view = view_at(fixed, layout->view_offsets[v]);

        view.data = NULL;
        memcpy(copy + layout->view_offsets[v], &view, sizeof view);
    }
    return copy;
}

static char *write_words(const unsigned char *fixed, uint32_t fixed_size, char *at)
{
    for (uint32_t i = 0; i < fixed_size; i += PAIR) {
        uint64_t words[2];
        char *head = at++;
        unsigned first;
        unsigned second;

        memcpy(words, fixed + i, sizeof words);
        first = write_word(words[0], at);
        at += first;
        second = write_word(words[1], at);
        at += second;
        *head = (char)(first | second << NIBBLE);
    }
    return at;
}

static char *write_views(const struct arus_state_layout *layout, const unsigned char *fixed,
                         char *at)
{
    for (uint32_t v = 0; v < layout->view_count; v++) {
        const struct arus_view view = view_at(fixed, layout->view_offsets[v]);

        *at++ = view.data != NULL; /* a state may tell "nothing yet" from "empty" by the pointer */
        at = arus_bytes_write(view.data, view.data == NULL ? 0 : view.size, at);
    }
    return at;
}

enum arus_status arus_entry_write(const struct arus_state_part *part, uint32_t entry,
                                  struct arus_entry_base *base, struct arus_buffer *out,
                                  struct arus_error *err)
{
    const struct arus_state_layout *layout = part->layout;
    const struct arus_text key = arus_state_part_key(part, entry);
    const size_t shared = shared_size(key, base->key);
    const int64_t expiry = layout->has_expiry ? part->expiry[entry] : 0;
    const bool tells_expiry = layout->has_expiry && expiry != base->expiry;
    const unsigned char *fixed = arus_state_part_fixed(part, entry);
    const size_t size_max = entry_size_max(part, entry, key);
    char *at;

    ARUS_TRY(arus_buffer_reserve(out, size_max + layout->fixed_size, err));
    at = arus_varint_write(shared << 1 | tells_expiry, out->data + out->size);
    at = arus_bytes_write(key.data + shared, key.size - shared, at);
    if (tells_expiry) {
        memcpy(at, &expiry, sizeof expiry);
        at += sizeof expiry;
    }
    at = write_words(
        without_pointers(layout, fixed, (unsigned char *)out->data + out->size + size_max),
        layout->fixed_size, at);
    at = write_views(layout, fixed, at);
    if (layout->has_payload) {
        const struct arus_text payload = arus_state_part_payload(part, entry);

        at = arus_bytes_write(payload.data, payload.size, at);
    }
    if (layout->is_multi) {
        at = arus_varint_write(part->links[entry].id, at);
    }
    out->size = (size_t)(at - out->data);
    *base = (struct arus_entry_base){key, expiry};
    return ARUS_OK;
}

/* ---- reading ---- */

void arus_state_reader_forget(struct arus_state_reader *reader)
{
    const size_t size = reader->keys.size - reader->key_at;

    if (size != 0) {
        memmove(reader->keys.data, reader->keys.data + reader->key_at, size);
    }
    reader->keys.size = size;
    reader->key_at = 0;
}

uint64_t arus_state_read_number(struct arus_state_reader *reader)
{
    uint64_t value = 0;

    if (reader->at < reader->end && (*reader->at & 0x80) == 0) {
        return (unsigned char)*reader->at++;
    }
    for (unsigned shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
        const unsigned char byte = (unsigned char)*reader->at++;

        value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            return value;
        }
    }
    reader->is_bad = true;
    return 0;
}

static const char *read_bytes(struct arus_state_reader *reader, uint64_t size)
{
    const char *bytes = reader->at;

    if (reader->is_bad || size > (uint64_t)(reader->end - reader->at)) {
        reader->is_bad = true;
        return NULL;
    }
    reader->at += size;
    return bytes;
}

struct arus_text arus_state_read_text(struct arus_state_reader *reader)
{
    const uint64_t size = arus_state_read_number(reader);
    const char *bytes = read_bytes(reader, size);

    return (struct arus_text){bytes, bytes == NULL ? 0 : size};
}

/* Says whether the expiry follows. */
static enum arus_status read_key(struct arus_state_reader *reader, bool *tells_expiry,
                                 struct arus_error *err)
{
    const uint64_t head = arus_state_read_number(reader);
    const struct arus_text rest = arus_state_read_text(reader);
    const size_t shared = (size_t)(head >> 1);
    struct arus_buffer *keys = &reader->keys;
    char *key;

    *tells_expiry = (head & 1) != 0;
    if (shared > keys->size - reader->key_at) {
        reader->is_bad = true;
    }
    if (reader->is_bad) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_buffer_reserve(keys, shared + rest.size + 1, err));
    key = keys->data + keys->size;
    memcpy(key, keys->data + reader->key_at, shared);
    memcpy(key + shared, rest.data, rest.size);
    reader->key_at = keys->size;
    keys->size += shared + rest.size;
    return ARUS_OK;
}

static uint64_t read_word(struct arus_state_reader *reader, unsigned size)
{
    const char *bytes = size > sizeof(uint64_t) ? NULL : read_bytes(reader, size);
    uint64_t word = 0;

    if (bytes == NULL) {
        reader->is_bad = true;
        return 0;
    }
    memcpy(&word, bytes, size);
    return word;
}

static void read_words(struct arus_state_reader *reader, uint32_t fixed_size, unsigned char *fixed)
{
    for (uint32_t i = 0; i < fixed_size && !reader->is_bad; i += PAIR) {
        const char *bytes = read_bytes(reader, 1);
        const unsigned head = bytes == NULL ? 0 : (unsigned char)*bytes;
        uint64_t words[2];

        words[0] = read_word(reader, head & 0xf);
        words[1] = read_word(reader, head >> NIBBLE);
        memcpy(fixed + i, words, sizeof words);
    }
}

/* Stored views point into the section again. */
static void read_views(const struct arus_state_layout *layout, struct arus_state_reader *reader,
                       unsigned char *fixed)
{
    for (uint32_t v = 0; v < layout->view_count && !reader->is_bad; v++) {
        struct arus_view view = view_at(fixed, layout->view_offsets[v]);
        const char *is_set = read_bytes(reader, 1);
        const struct arus_text bytes = arus_state_read_text(reader);

        if (is_set != NULL && *is_set != 0) {
            view.size = (uint32_t)bytes.size;
            view.data = bytes.data;
        }
        memcpy(fixed + layout->view_offsets[v], &view, sizeof view);
    }
}

enum arus_status arus_entry_read(const struct arus_state_layout *layout,
                                 struct arus_state_reader *reader, bool has_expiry,
                                 unsigned char *fixed, struct arus_stored_entry *out,
                                 struct arus_error *err)
{
    bool tells_expiry;

    *out = (struct arus_stored_entry){.expiry = ARUS_STATE_NEVER};
    ARUS_TRY(read_key(reader, &tells_expiry, err));
    out->key =
        (struct arus_text){reader->keys.data + reader->key_at, reader->keys.size - reader->key_at};
    if (tells_expiry) {
        const char *bytes = read_bytes(reader, sizeof reader->expiry);

        if (bytes != NULL) {
            memcpy(&reader->expiry, bytes, sizeof reader->expiry);
        }
    }
    if (has_expiry) {
        out->expiry = reader->expiry;
    }
    read_words(reader, layout->fixed_size, fixed);
    read_views(layout, reader, fixed);
    if (layout->has_payload) {
        out->payload = arus_state_read_text(reader);
    }
    out->id = layout->is_multi ? arus_state_read_number(reader) : 0;
    return ARUS_OK;
}
