/** Template: hashing values of one fixed type. In: NAME, TYPE, BITS(value) -> uint64_t. */
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

static void JOIN(hash_, NAME)(const struct arus_vector *data, const uint32_t *indices,
                              uint32_t count, uint64_t *hashes)
{
    const TYPE *values = data->values;
    const uint64_t *bits = data->validity;

    if (bits != NULL) {
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t row = indices == NULL ? i : indices[i];

            hashes[i] = mix(hashes[i], arus_bit_get(bits, row) ? BITS(values[row]) : NULL_BITS);
        }
    } else if (indices != NULL) {
        for (uint32_t i = 0; i < count; i++) {
            hashes[i] = mix(hashes[i], BITS(values[indices[i]]));
        }
    } else {
        for (uint32_t i = 0; i < count; i++) {
            hashes[i] = mix(hashes[i], BITS(values[i]));
        }
    }
}

#undef JOIN
#undef JOIN_
#undef NAME
#undef TYPE
#undef BITS
