/** Key equality: one routine per common shape, and one for all others. */
#include "exec/keys.h"

#include "column/hash.h"

void arus_keys_hash(const struct arus_vector *keys, uint32_t key_count, uint32_t row_count,
                    uint64_t *hashes)
{
    memset(hashes, 0, row_count * sizeof *hashes);
    for (uint32_t k = 0; k < key_count; k++) {
        arus_vector_hash(&keys[k], row_count, hashes);
    }
}

/* Both null, or both with a value that the caller compares. */
static bool same_nullness(const struct arus_vector *a, uint32_t i, const struct arus_vector *b,
                          uint32_t j, bool *is_null)
{
    const bool has_a = arus_bit_get(a->validity, i);
    const bool has_b = arus_bit_get(b->validity, j);

    *is_null = !has_a;
    return has_a == has_b;
}

static bool equal_int32(const struct arus_vector *a, uint32_t i, const struct arus_vector *b,
                        uint32_t j, uint32_t key_count)
{
    bool is_null;

    (void)key_count;
    return same_nullness(a, i, b, j, &is_null) &&
           (is_null || ((const int32_t *)a->values)[i] == ((const int32_t *)b->values)[j]);
}

static bool equal_int64(const struct arus_vector *a, uint32_t i, const struct arus_vector *b,
                        uint32_t j, uint32_t key_count)
{
    bool is_null;

    (void)key_count;
    return same_nullness(a, i, b, j, &is_null) &&
           (is_null || ((const int64_t *)a->values)[i] == ((const int64_t *)b->values)[j]);
}

static bool equal_view(const struct arus_vector *a, uint32_t i, const struct arus_vector *b,
                       uint32_t j, uint32_t key_count)
{
    const struct arus_view *x = (const struct arus_view *)a->values + i;
    const struct arus_view *y = (const struct arus_view *)b->values + j;
    bool is_null;

    (void)key_count;
    if (!same_nullness(a, i, b, j, &is_null)) {
        return false;
    }
    return is_null ||
           (memcmp(x, y, 8) == 0 && (x->size <= 4 || memcmp(x->data, y->data, x->size) == 0));
}

arus_keys_equal_fn arus_keys_equal_for(const struct arus_vector *keys, uint32_t key_count)
{
    const struct arus_type *type = key_count == 1 ? keys[0].type : &ARUS_VOID;

    if (arus_type_is_view(type)) {
        return equal_view;
    }
    switch (arus_type_is_fractional(type) || arus_type_is_nested(type)
                ? 0
                : arus_type_value_size(type)) {
    case 4:
        return equal_int32;
    case 8:
        return equal_int64;
    default:
        return arus_rows_equal;
    }
}
