/**
 * Entries of a partition as bytes: what a batch has changed, or all there is.
 *
 * A chunk is one value in the journal: a head, then sections. A section belongs to one partition:
 *
 *     chunk:   u32 magic, u8 version, u8 kind, u16 index, u16 chunk count, u16 section count,
 *              u32 probe of the hash, u32 flags; then sections
 *     section: u16 partition, u16 0, u32 size of what follows, u32 removals, u32 entries,
 *              i64 evicted; then removals and entries
 *     removal: varint key size, key, [varint id]
 *     entry:   state/entry_code.h
 *
 * Read in this order: evict, remove, put. Numbers are little-endian.
 */
#ifndef ARUS_STATE_SECTION_H
#define ARUS_STATE_SECTION_H

#include "state/part.h"

enum arus_section_kind { ARUS_SECTION_DELTA, ARUS_SECTION_SNAPSHOT };

#define ARUS_STATE_CHUNK_HEAD   20u
#define ARUS_STATE_SECTION_HEAD 24u
#define ARUS_STATE_CHUNK_SIZE                                                                      \
    (256u * 1024u) /* a section ends behind this; values stay small for LMDB */

/** Sections under way; each lies in a buffer of its own behind room for the chunk's head. Keeps its
 * memory. */
struct arus_state_sections {
    struct arus_buffer *items; /* [count] */
    uint32_t count;
    uint32_t capacity;
    uint64_t size; /* bytes of all sections, heads included */
};

void arus_state_sections_reset(struct arus_state_sections *sections);
void arus_state_sections_release(struct arus_state_sections *sections);

/** What the batch changed; nothing: no section. `index` is the partition's number. */
ARUS_MUST_USE enum arus_status arus_state_write_delta(struct arus_state_part *part, uint32_t index,
                                                      struct arus_state_sections *out,
                                                      struct arus_error *err);
/** All live entries; at least one section. */
ARUS_MUST_USE enum arus_status arus_state_write_snapshot(struct arus_state_part *part,
                                                         uint32_t index,
                                                         struct arus_state_sections *out,
                                                         struct arus_error *err);
/** The batch is over: nothing is changed any more. */
void arus_state_part_settle(struct arus_state_part *part);

/** Chunk heads. */
struct arus_state_chunk {
    enum arus_section_kind kind;
    uint16_t index;
    uint16_t chunk_count;
    uint16_t section_count;
    bool has_expiry; /* its entries say when they leave: append and update, not complete */
};
void arus_state_chunk_write(const struct arus_state_chunk *chunk, char *out);
/** Errors: ARUS_MISMATCH ARUS_STATE_DAMAGED; INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION,
 * .EXACT_MATCH_VERSION: written by a newer or older arus. */
ARUS_MUST_USE enum arus_status
arus_state_chunk_read(struct arus_text bytes, struct arus_state_chunk *out, struct arus_error *err);

/** How an operator takes over stored fixed bytes whose views point to stored bytes that are soon
 * gone. */
struct arus_state_adopter {
    enum arus_status (*adopt)(void *self, uint32_t partition, const unsigned char *stored,
                              unsigned char *fixed, struct arus_error *err);
    /** When an entry leaves that says "never" or nothing; NULL: never. */
    enum arus_status (*expiry_of)(void *self, struct arus_text key, int64_t *out,
                                  struct arus_error *err);
    void *self;
};

/** The next section at *at; *at moves behind it. `part_index` and `body` of it come back. */
ARUS_MUST_USE enum arus_status arus_state_section_next(const char **at, const char *end,
                                                       uint32_t *part_index, struct arus_text *body,
                                                       struct arus_error *err);
/** Entries that the section (head included) puts. */
uint32_t arus_state_section_entries(struct arus_text section);
/** Does to the partition what the section (head included) says. Errors: ARUS_MISMATCH
 * ARUS_STATE_DAMAGED. */
ARUS_MUST_USE enum arus_status arus_state_section_apply(struct arus_state_part *part,
                                                        struct arus_text section, bool has_expiry,
                                                        const struct arus_state_adopter *adopter,
                                                        struct arus_error *err);

#endif
