#include "expr/in_set.h"

#include "expr/strings.h"

#define TEXTS_MIN   6  /* fewer are compared one by one */
#define NUMBERS_FEW 16 /* up to so many: all are compared with all rows */

struct arus_in_set {
    const struct arus_vector *values; /* FLAT, no nulls */
    uint32_t *slots;                  /* [mask + 1] row + 1, 0: empty */
    uint32_t mask;
    bool has_null;
};

bool arus_in_set_fits(const struct arus_type *type, uint32_t value_count)
{
    return !arus_type_is_nested(type) && !arus_type_is_fractional(type) &&
           type->id != ARUS_TYPE_VOID && (!arus_type_is_view(type) || value_count >= TEXTS_MIN);
}

/* ---- few numbers ---- */

#define NAME any_of_8
#define TYPE uint8_t
#include "expr/in_set.inc.h"
#define NAME any_of_16
#define TYPE uint16_t
#include "expr/in_set.inc.h"
#define NAME any_of_32
#define TYPE uint32_t
#include "expr/in_set.inc.h"
#define NAME any_of_64
#define TYPE uint64_t
#include "expr/in_set.inc.h"

/* False: too many, or no numbers of a machine word. */
static bool compare_all(const struct arus_in_set *set, const struct arus_vector *arg,
                        uint32_t row_count, uint8_t *r)
{
    const void *wanted = set->values->values;
    const uint32_t count = set->values->row_count;

    if (count > NUMBERS_FEW || arg->form != ARUS_VECTOR_FLAT || arus_type_is_view(arg->type)) {
        return false;
    }
    memset(r, 0, row_count);
    switch (arus_type_value_size(arg->type)) {
    case 1:
        any_of_8(arg->values, row_count, wanted, count, r);
        return true;
    case 2:
        any_of_16(arg->values, row_count, wanted, count, r);
        return true;
    case 4:
        any_of_32(arg->values, row_count, wanted, count, r);
        return true;
    case 8:
        any_of_64(arg->values, row_count, wanted, count, r);
        return true;
    default: /* wide decimals */
        return false;
    }
}

/* ---- the rest ---- */

#define FNV_START UINT64_C(0xCBF29CE484222325)
#define FNV_PRIME UINT64_C(0x100000001B3)

static inline uint64_t hash_bytes(const char *bytes, uint32_t size)
{
    uint64_t hash = FNV_START ^ size;
    uint64_t word = 0;

    for (; size >= sizeof word; bytes += sizeof word, size -= (uint32_t)sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = (hash ^ word) * FNV_PRIME;
        hash ^= hash >> 32;
    }
    for (uint32_t i = 0; i < size; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * FNV_PRIME;
    }
    return hash ^ (hash >> 29);
}

static struct arus_text bytes_at(const struct arus_vector *vector, uint32_t i)
{
    const uint32_t size = arus_type_value_size(vector->type);

    if (arus_type_is_view(vector->type)) {
        return arus_view_text(((const struct arus_view *)vector->values)[i]);
    }
    return (struct arus_text){(const char *)vector->values + (size_t)i * size, size};
}

static bool set_holds(const struct arus_in_set *set, const struct arus_vector *vector, uint32_t i)
{
    const struct arus_text bytes = bytes_at(vector, i);
    uint32_t slot = (uint32_t)hash_bytes(bytes.data, (uint32_t)bytes.size) & set->mask;

    for (; set->slots[slot] != 0; slot = (slot + 1) & set->mask) {
        if (arus_text_equal(bytes_at(set->values, set->slots[slot] - 1), bytes)) {
            return true;
        }
    }
    return false;
}

enum arus_status arus_in_set_make(const struct arus_vector *values, bool has_null,
                                  struct arus_arena *arena, const struct arus_in_set **out,
                                  struct arus_error *err)
{
    struct arus_in_set *set;
    uint32_t size = 16;

    while (size < 2 * values->row_count) {
        size *= 2;
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_in_set, 1, &set, err));
    ARUS_TRY(ARUS_NEW(arena, uint32_t, size, &set->slots, err));
    set->mask = size - 1;
    set->values = values;
    set->has_null = has_null;
    for (uint32_t i = 0; i < values->row_count; i++) {
        const struct arus_text bytes = bytes_at(values, i);
        uint32_t slot = (uint32_t)hash_bytes(bytes.data, (uint32_t)bytes.size) & set->mask;

        while (set->slots[slot] != 0) {
            slot = (slot + 1) & set->mask;
        }
        set->slots[slot] = i + 1;
    }
    *out = set;
    return ARUS_OK;
}

enum arus_status arus_kernel_in_set(const struct arus_kernel_call *call, struct arus_vector *out,
                                    uint32_t *bad_row, struct arus_error *err)
{
    const struct arus_in_set *set = call->expr->bound;
    const struct arus_vector *arg = &call->args[0];
    uint8_t *r;

    (void)bad_row;
    ARUS_TRY(arus_vector_init(out, &ARUS_BOOLEAN, call->row_count, call->step, err));
    r = out->values;
    if (!compare_all(set, arg, call->row_count, r)) {
        for (uint32_t i = 0; i < call->row_count; i++) {
            r[i] = arus_vector_is_valid(arg, i) && set_holds(set, arg, arus_vector_at(arg, i));
        }
    }
    if (arg->validity == NULL && !set->has_null) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_vector_need_validity(out, call->step, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        const bool is_valid = arus_vector_is_valid(arg, i);

        r[i] &= is_valid;
        if (!is_valid || (!r[i] && set->has_null)) {
            arus_bit_clear(out->validity, i);
        }
    }
    return ARUS_OK;
}
