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

/* Of a difference: heads, bytes, and what write_word writes behind them. */
static size_t difference_size_max(size_t size)
{
    return NUMBER_MAX + (size / PAIR + 1) * (PAIR + 1) + sizeof(uint64_t);
}

static size_t entry_size_max(const struct arus_state_part *part, uint32_t entry,
                             struct arus_text key, struct arus_text payload)
{
    const struct arus_state_layout *layout = part->layout;
    size_t size = 4 * NUMBER_MAX + difference_size_max(key.size) +
                  difference_size_max(layout->fixed_size) + difference_size_max(payload.size);

    for (uint32_t v = 0; v < layout->view_count; v++) {
        size += 1 + NUMBER_MAX +
                view_at(arus_state_part_fixed(part, entry), layout->view_offsets[v]).size;
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

static uint64_t load_word(const char *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
    return word;
}

/* 8 bytes from `at` on; behind the end lie zeros. */
static uint64_t word_at(struct arus_text bytes, size_t at)
{
    uint64_t word = 0;

    if (at + sizeof word <= bytes.size) {
        return load_word(bytes.data + at);
    }
    if (at < bytes.size && bytes.size >= sizeof word) {
        return load_word(bytes.data + bytes.size - sizeof word) >>
               8 * (at + sizeof word - bytes.size);
    }
    for (size_t i = at; i < bytes.size; i++) {
        word |= (uint64_t)(unsigned char)bytes.data[i] << 8 * (i - at);
    }
    return word;
}

static struct arus_text behind(struct arus_text bytes, size_t count)
{
    return count >= bytes.size ? (struct arus_text){0}
                               : (struct arus_text){bytes.data + count, bytes.size - count};
}

static char *write_pair(uint64_t first, uint64_t second, char *at)
{
    char *head = at++;
    const unsigned first_size = write_word(first, at);
    const unsigned second_size = write_word(second, at + first_size);

    *head = (char)(first_size | second_size << NIBBLE);
    return at + first_size + second_size;
}

static char *write_words(const unsigned char *fixed, uint32_t fixed_size, char *at)
{
    for (uint32_t i = 0; i < fixed_size; i += PAIR) {
        uint64_t words[2];

        memcpy(words, fixed + i, sizeof words);
        at = write_pair(words[0], words[1], at);
    }
    return at;
}

/* Texts by their difference to those of the entry before: the bytes shared at the begin, then the
 * rest, each byte XOR the one before. */
static char *write_difference(struct arus_text bytes, struct arus_text base, char *at)
{
    const size_t shared = shared_size(bytes, base);
    size_t most;
    size_t i = 0;

    at = arus_varint_write(shared, at);
    bytes = behind(bytes, shared);
    base = behind(base, shared);
    most = base.size < bytes.size ? base.size : bytes.size;
    base.size = most;
    for (; i + PAIR <= most; i += PAIR) {
        at = write_pair(load_word(bytes.data + i) ^ load_word(base.data + i),
                        load_word(bytes.data + i + 8) ^ load_word(base.data + i + 8), at);
    }
    for (; i < bytes.size; i += PAIR) {
        at = write_pair(word_at(bytes, i) ^ word_at(base, i),
                        word_at(bytes, i + 8) ^ word_at(base, i + 8), at);
    }
    return at;
}

/* The way from one number to the next, small in both directions. */
static char *write_step(uint64_t value, uint64_t base, char *at)
{
    const uint64_t step = value - base;

    return arus_varint_write(step << 1 ^ (0 - (step >> 63)), at);
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
    const struct arus_text payload =
        layout->has_payload ? arus_state_part_payload(part, entry) : (struct arus_text){0};
    const int64_t expiry = layout->has_expiry ? part->expiry[entry] : 0;
    const uint64_t id = layout->is_multi ? part->links[entry].id : 0;
    const bool tells_expiry = expiry != base->expiry;
    const unsigned char *fixed = arus_state_part_fixed(part, entry);
    const size_t size_max = entry_size_max(part, entry, key, payload);
    char *at;

    ARUS_TRY(arus_buffer_reserve(out, size_max + layout->fixed_size, err));
    at = arus_varint_write((uint64_t)key.size << 1 | tells_expiry, out->data + out->size);
    at = write_difference(key, base->key, at);
    if (tells_expiry) {
        at = write_step((uint64_t)expiry, (uint64_t)base->expiry, at);
    }
    at = write_words(
        without_pointers(layout, fixed, (unsigned char *)out->data + out->size + size_max),
        layout->fixed_size, at);
    at = write_views(layout, fixed, at);
    if (layout->has_payload) {
        at = arus_varint_write(payload.size, at);
        at = write_difference(payload, base->payload, at);
    }
    if (layout->is_multi) {
        at = write_step(id, base->id, at);
    }
    out->size = (size_t)(at - out->data);
    base->key = key;
    base->payload = payload;
    base->expiry = expiry;
    base->id = id;
    return ARUS_OK;
}

/* ---- reading ---- */

static void forget(struct arus_state_trail *trail)
{
    const size_t size = trail->bytes.size - trail->last;

    if (size != 0) {
        memmove(trail->bytes.data, trail->bytes.data + trail->last, size);
    }
    trail->bytes.size = size;
    trail->last = 0;
}

void arus_state_reader_forget(struct arus_state_reader *reader)
{
    forget(&reader->keys);
    forget(&reader->payloads);
}

void arus_state_reader_release(struct arus_state_reader *reader)
{
    arus_buffer_release(&reader->keys.bytes);
    arus_buffer_release(&reader->payloads.bytes);
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

static void read_pair(struct arus_state_reader *reader, uint64_t words[2])
{
    const char *bytes = read_bytes(reader, 1);
    const unsigned head = bytes == NULL ? 0 : (unsigned char)*bytes;

    words[0] = read_word(reader, head & 0xf);
    words[1] = read_word(reader, head >> NIBBLE);
}

static void read_words(struct arus_state_reader *reader, uint32_t fixed_size, unsigned char *fixed)
{
    for (uint32_t i = 0; i < fixed_size && !reader->is_bad; i += PAIR) {
        uint64_t words[2];

        read_pair(reader, words);
        memcpy(fixed + i, words, sizeof words);
    }
}

/* Puts `size` bytes, told by their difference to the last ones of the trail, behind them. */
static enum arus_status read_difference(struct arus_state_reader *reader, uint64_t size,
                                        struct arus_state_trail *trail, struct arus_error *err)
{
    const uint64_t shared = arus_state_read_number(reader);
    const size_t base_size = trail->bytes.size - trail->last;
    struct arus_text base;
    char *to;

    if (reader->is_bad || shared > size || shared > base_size ||
        (size - shared) / PAIR > (uint64_t)(reader->end - reader->at)) {
        reader->is_bad = true;
        return ARUS_OK;
    }
    ARUS_TRY(arus_buffer_reserve(&trail->bytes, size + PAIR, err));
    base = (struct arus_text){trail->bytes.data + trail->last, base_size < size ? base_size : size};
    to = trail->bytes.data + trail->bytes.size;
    memcpy(to, base.data, shared);
    for (size_t i = shared; i < size && !reader->is_bad; i += PAIR) {
        uint64_t words[2];

        read_pair(reader, words);
        words[0] ^= word_at(base, i);
        words[1] ^= word_at(base, i + sizeof(uint64_t));
        memcpy(to + i, words, sizeof words);
    }
    trail->last = trail->bytes.size;
    trail->bytes.size += size;
    return ARUS_OK;
}

static uint64_t read_step(struct arus_state_reader *reader, uint64_t base)
{
    const uint64_t step = arus_state_read_number(reader);

    return base + (step >> 1 ^ (0 - (step & 1)));
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
    const uint64_t head = arus_state_read_number(reader);

    *out = (struct arus_stored_entry){.expiry = ARUS_STATE_NEVER, .key_size = (size_t)(head >> 1)};
    ARUS_TRY(read_difference(reader, out->key_size, &reader->keys, err));
    if ((head & 1) != 0) {
        reader->expiry = (int64_t)read_step(reader, (uint64_t)reader->expiry);
    }
    if (has_expiry) {
        out->expiry = reader->expiry;
    }
    read_words(reader, layout->fixed_size, fixed);
    read_views(layout, reader, fixed);
    if (layout->has_payload) {
        out->payload_size = (size_t)arus_state_read_number(reader);
        ARUS_TRY(read_difference(reader, out->payload_size, &reader->payloads, err));
    }
    if (layout->is_multi) {
        reader->id = read_step(reader, reader->id);
        out->id = reader->id;
    }
    return ARUS_OK;
}
