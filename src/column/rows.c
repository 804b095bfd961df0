/** Gather kernels by value size, and bitmaps word by word. */
#include "column/rows.h"

struct pair {
    uint64_t low;
    uint64_t high;
};

#define NAME 1
#define TYPE uint8_t
#include "column/gather.inc.h"
#define NAME 2
#define TYPE uint16_t
#include "column/gather.inc.h"
#define NAME 4
#define TYPE uint32_t
#include "column/gather.inc.h"
#define NAME 8
#define TYPE uint64_t
#include "column/gather.inc.h"
#define NAME 16
#define TYPE struct pair
#include "column/gather.inc.h"

typedef void (*move_fn)(const void *in, const uint32_t *indices, uint32_t count, void *out);

static const move_fn GATHER[17] = {
    [1] = gather_1, [2] = gather_2, [4] = gather_4, [8] = gather_8, [16] = gather_16};
static const move_fn REPEAT[17] = {
    [1] = repeat_1, [2] = repeat_2, [4] = repeat_4, [8] = repeat_8, [16] = repeat_16};

struct arus_rows arus_rows_of(const struct arus_vector *vector)
{
    const struct arus_vector *data = arus_vector_data(vector);
    const bool is_constant = data->form == ARUS_VECTOR_CONSTANT;

    return (struct arus_rows){
        .data = data,
        .indices = is_constant || data == vector ? NULL : vector->indices,
        .count = vector->row_count,
        .is_constant = is_constant,
    };
}

static enum arus_status fold_indices(const uint32_t *indices, const uint32_t *by, uint32_t count,
                                     struct arus_arena *arena, const uint32_t **out,
                                     struct arus_error *err)
{
    void *memory;

    ARUS_TRY(arus_arena_buffer(arena, (size_t)count * sizeof **out, &memory, err));
    gather_4(indices, by, count, memory);
    *out = memory;
    return ARUS_OK;
}

enum arus_status arus_rows_child(struct arus_rows rows, uint16_t field, struct arus_arena *arena,
                                 struct arus_rows *out, struct arus_error *err)
{
    struct arus_rows child = arus_rows_of(&rows.data->children[field]);
    void *one;

    child.count = rows.count;
    *out = child;
    if (child.is_constant) {
        return ARUS_OK;
    }
    if (rows.is_constant) {
        if (child.indices == NULL) {
            out->is_constant = true;
            return ARUS_OK;
        }
        ARUS_TRY(arus_arena_buffer(arena, (size_t)rows.count * sizeof *out->indices, &one, err));
        repeat_4(child.indices, NULL, rows.count, one);
        out->indices = one;
        return ARUS_OK;
    }
    if (rows.indices == NULL || child.indices == NULL) {
        out->indices = rows.indices == NULL ? child.indices : rows.indices;
        return ARUS_OK;
    }
    return fold_indices(child.indices, rows.indices, rows.count, arena, &out->indices, err);
}

void arus_rows_values(struct arus_rows rows, const void *values, uint32_t value_size, void *out)
{
    if (value_size == 0 || rows.count == 0) {
        return;
    }
    if (rows.is_constant) {
        REPEAT[value_size](values, NULL, rows.count, out);
    } else if (rows.indices != NULL) {
        GATHER[value_size](values, rows.indices, rows.count, out);
    } else {
        memcpy(out, values, (size_t)rows.count * value_size);
    }
}

bool arus_rows_may_have_nulls(struct arus_rows rows)
{
    return rows.data->type->id == ARUS_TYPE_VOID || rows.data->validity != NULL;
}

/* Puts the low `count` (1..64) bits of `word` at position `at`. */
static void put_bits(uint64_t *out, uint32_t at, uint64_t word, uint32_t count)
{
    const uint64_t mask = count == 64 ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1;
    const uint32_t shift = at % 64;
    uint64_t *to = &out[at / 64];

    word &= mask;
    to[0] = (to[0] & ~(mask << shift)) | (word << shift);
    if (shift + count > 64) {
        to[1] = (to[1] & ~(mask >> (64 - shift))) | (word >> (64 - shift));
    }
}

static uint64_t gather_bits(const uint64_t *bits, const uint32_t *indices, uint32_t count)
{
    uint64_t word = 0;

    for (uint32_t i = 0; i < count; i++) {
        word |= ((bits[indices[i] / 64] >> (indices[i] % 64)) & 1) << i;
    }
    return word;
}

void arus_rows_validity(struct arus_rows rows, uint64_t *out, uint32_t at)
{
    const uint64_t *bits = rows.data->validity;
    const bool is_void = rows.data->type->id == ARUS_TYPE_VOID;
    uint64_t word = is_void || (rows.is_constant && !arus_bit_get(bits, 0)) ? 0 : ~(uint64_t)0;

    for (uint32_t i = 0; i < rows.count; i += 64) {
        const uint32_t count = rows.count - i < 64 ? rows.count - i : 64;

        if (bits != NULL && !rows.is_constant && !is_void) {
            word = rows.indices == NULL ? bits[i / 64] : gather_bits(bits, rows.indices + i, count);
        }
        put_bits(out, at + i, word, count);
    }
}
