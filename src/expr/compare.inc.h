/**
 * Template: a comparison over one type, all rows. In: NAME, TYPE, COMPUTE(x, y) -> 0 or 1.
 */
ARUS_KERNEL static void NAME(const void *left, const void *right, uint8_t *r, uint32_t count,
                             enum arus_shape shape)
{
    const TYPE *a = left;
    const TYPE *b = right;

    if (shape == ARUS_FLAT_FLAT) {
        for (uint32_t i = 0; i < count; i++) {
            r[i] = (uint8_t)COMPUTE(a[i], b[i]);
        }
    } else if (shape == ARUS_FLAT_CONSTANT) {
        const TYPE y = *b;

        for (uint32_t i = 0; i < count; i++) {
            r[i] = (uint8_t)COMPUTE(a[i], y);
        }
    } else {
        const TYPE x = *a;

        for (uint32_t i = 0; i < count; i++) {
            r[i] = (uint8_t)COMPUTE(x, b[i]);
        }
    }
}
#undef NAME
#undef TYPE
#undef COMPUTE
