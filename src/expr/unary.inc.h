/** Template: the opposite of integers. In: NAME, TYPE, BITS (unsigned twin). True: a row has none.
 */
ARUS_KERNEL static bool JOIN(negate_, NAME)(const void *in, void *out, uint32_t count)
{
    const TYPE *a = in;
    TYPE *r = out;
    TYPE bad = 0;

    for (uint32_t i = 0; i < count; i++) {
        const TYPE x = a[i];
        const TYPE z = (TYPE)(0 - (BITS)x);

        bad |= (TYPE)(x & z); /* both negative: the smallest number */
        r[i] = z;
    }
    return bad < 0;
}
#undef NAME
#undef TYPE
#undef BITS
