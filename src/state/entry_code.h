/**
 * One entry as bytes, told by its difference to the entry before it in the same section: entries
 * that came together share a window and so the begin of their keys, and leave together.
 *
 *     entry: varint (size of the key * 2 + 1 if an expiry follows), key, [step: expiry], fixed
 *            bytes, a view's bytes (u8 is set, varint size, bytes) each, [varint size of the
 *            payload, payload], [step: id]
 *     fixed: for 16 bytes each, two numbers of 8 bytes: u8 how many bytes the first and (upper
 *            half) the second has without the zeros at its end; then those bytes
 *     key, payload: varint how many bytes at the begin are those of the entry before; the rest as
 *            fixed, each byte XOR that of the entry before, where it has one
 *     step:  varint of the way from the number of the entry before, zigzag
 */
#ifndef ARUS_STATE_ENTRY_CODE_H
#define ARUS_STATE_ENTRY_CODE_H

#include "state/part.h"

/** What entries are told against. Zeroed where a section begins. */
struct arus_entry_base {
    struct arus_text key;
    struct arus_text payload;
    int64_t expiry;
    uint64_t id;
};

/** Appends the entry; `base` becomes it, and points into the partition. */
ARUS_MUST_USE enum arus_status arus_entry_write(const struct arus_state_part *part, uint32_t entry,
                                                struct arus_entry_base *base,
                                                struct arus_buffer *out, struct arus_error *err);

/** Texts that were read, side by side. */
struct arus_state_trail {
    struct arus_buffer bytes;
    size_t last; /* where the last of them begins */
};

/** Reads with an end: wrong bytes are found, never followed. */
struct arus_state_reader {
    const char *at;
    const char *end;
    bool is_bad;
    struct arus_state_trail keys; /* of entries that were read */
    struct arus_state_trail payloads;
    int64_t expiry; /* of the last one */
    uint64_t id;
};

/** Of keys and payloads only the last stay: those of the entries to come lie behind them. */
void arus_state_reader_forget(struct arus_state_reader *reader);
void arus_state_reader_release(struct arus_state_reader *reader);

uint64_t arus_state_read_number(struct arus_state_reader *reader);
struct arus_text arus_state_read_text(struct arus_state_reader *reader);

/** What a stored entry says, but its fixed bytes. */
struct arus_stored_entry {
    struct arus_text key; /* set by the reader of several, once all lie in the trail */
    struct arus_text payload;
    size_t key_size;
    size_t payload_size;
    int64_t expiry; /* NEVER: none is told */
    uint64_t id;
};

/** Reads an entry and its fixed bytes; views point into the section. Wrong bytes: reader->is_bad.
 * Errors: ARUS_NO_MEMORY. */
ARUS_MUST_USE enum arus_status arus_entry_read(const struct arus_state_layout *layout,
                                               struct arus_state_reader *reader, bool has_expiry,
                                               unsigned char *fixed, struct arus_stored_entry *out,
                                               struct arus_error *err);

#endif
