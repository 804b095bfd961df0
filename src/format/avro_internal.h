/** Avro: what the parts share. */
#ifndef ARUS_FORMAT_AVRO_INTERNAL_H
#define ARUS_FORMAT_AVRO_INTERNAL_H

#include "format/avro.h"

#include <stdbool.h>
#include <stdint.h>

/** "null", "int", .. by kind. */
extern const char *const ARUS_AVRO_KINDS[];

/** Sets node->type, is_nullable and has_members; the children have theirs. */
ARUS_MUST_USE enum arus_status arus_avro_set_type(struct arus_avro *node,
                                                  const struct arus_avro_naming *naming,
                                                  struct arus_arena *arena, struct arus_error *err);

/** Appends a number, variable-length zig-zag. */
ARUS_MUST_USE enum arus_status arus_avro_put_long(struct arus_buffer *out, int64_t value,
                                                  struct arus_error *err);
/** Appends size and bytes. */
ARUS_MUST_USE enum arus_status arus_avro_put_sized(struct arus_buffer *out, struct arus_text text,
                                                   struct arus_error *err);
/**
 * Appends the default of field `at` of a record, as Avro writes it: JSON to bytes, numbers cut to
 * size, a union's first branch of the JSON's kind. Errors: ARUS_BAD_CONFIG.
 */
ARUS_MUST_USE enum arus_status arus_avro_put_default(const struct arus_avro *record, uint32_t at,
                                                     struct arus_buffer *out,
                                                     struct arus_error *err);

/** Items of an array that take no bytes (nulls, records without fields) which one value may hold.
 */
#define AVRO_FREE_ITEMS (1u << 20)

/** Bytes that are left. Every take checks the end. */
struct avro_input {
    const unsigned char *at;
    const unsigned char *end;
    uint32_t free_items; /* that have been read: up to AVRO_FREE_ITEMS */
};

/** A variable-length zig-zag number. */
static inline bool avro_take_long(struct avro_input *input, int64_t *out)
{
    uint64_t value = 0;

    for (uint32_t shift = 0; shift < 70; shift += 7) {
        unsigned char byte;

        if (input->at == input->end) {
            return false;
        }
        byte = *input->at++;
        if (shift < 64) {
            value |= (uint64_t)(byte & 0x7F) << shift;
        }
        if (byte < 0x80) {
            *out = (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
            return true;
        }
    }
    return false;
}

static inline bool avro_take_bytes(struct avro_input *input, uint64_t size, struct arus_text *out)
{
    if (size > (uint64_t)(input->end - input->at)) {
        return false;
    }
    *out = (struct arus_text){(const char *)input->at, size};
    input->at += size;
    return true;
}

/** Size, then so many bytes. */
static inline bool avro_take_sized(struct avro_input *input, struct arus_text *out)
{
    int64_t size;

    return avro_take_long(input, &size) && size >= 0 && avro_take_bytes(input, (uint64_t)size, out);
}

#endif
