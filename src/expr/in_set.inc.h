/* Template: is a value one of a few? One pass for each of them, without branches. In: NAME, TYPE.
 */
ARUS_KERNEL static void NAME(const void *values, uint32_t count, const void *wanted,
                             uint32_t wanted_count, uint8_t *r)
{
    const TYPE *a = values;
    const TYPE *b = wanted;

    for (uint32_t k = 0; k < wanted_count; k++) {
        const TYPE y = b[k];

        for (uint32_t i = 0; i < count; i++) {
            r[i] |= a[i] == y;
        }
    }
}
#undef NAME
#undef TYPE
