/**
 * Template: a binary operator over one type, all rows, no branch.
 * In: NAME, TYPE, OUT, BAD_TYPE (signed, as wide as OUT), COMPUTE(x, y), BAD(x, y, z): negative
 * when bad.
 */
ARUS_KERNEL static bool NAME(const struct arus_arith *arith, const void *left, const void *right,
                             void *out, uint32_t count, enum arus_shape shape)
{
    const TYPE *a = left;
    const TYPE *b = right;
    OUT *r = out;
    BAD_TYPE bad = 0;

    (void)arith;
    if (shape == ARUS_FLAT_FLAT) {
        for (uint32_t i = 0; i < count; i++) {
            const TYPE x = a[i];
            const TYPE y = b[i];
            const OUT z = COMPUTE(x, y);

            bad |= BAD(x, y, z);
            r[i] = z;
        }
    } else if (shape == ARUS_FLAT_CONSTANT) {
        const TYPE y = *b;

        for (uint32_t i = 0; i < count; i++) {
            const TYPE x = a[i];
            const OUT z = COMPUTE(x, y);

            bad |= BAD(x, y, z);
            r[i] = z;
        }
    } else {
        const TYPE x = *a;

        for (uint32_t i = 0; i < count; i++) {
            const TYPE y = b[i];
            const OUT z = COMPUTE(x, y);

            bad |= BAD(x, y, z);
            r[i] = z;
        }
    }
    return bad < 0;
}
#undef NAME
#undef TYPE
#undef OUT
#undef BAD_TYPE
#undef COMPUTE
#undef BAD
