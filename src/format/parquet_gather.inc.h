/* Template: values by index, which the caller has checked. In: NAME, TYPE. */
static void NAME(const void *from, const uint32_t *indices, void *to, uint32_t count)
{
    const TYPE *in = from;
    TYPE *out = to;

    for (uint32_t i = 0; i < count; i++) {
        out[i] = in[indices[i]];
    }
}
#undef NAME
#undef TYPE
