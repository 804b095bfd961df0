/* Template: values by row. In: NAME, IN, OUT. */
static void NAME(const void *from, const uint32_t *rows, uint32_t count, void *to)
{
    const IN *in = from;
    OUT *out = to;

    for (uint32_t i = 0; i < count; i++) {
        out[i] = (OUT)in[rows[i]];
    }
}
#undef NAME
#undef IN
#undef OUT
