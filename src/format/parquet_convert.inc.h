/* Template: a conversion that cannot fail. In: NAME, IN, OUT, CONVERT(x). */
static bool NAME(const IN *in, OUT *out, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        out[i] = CONVERT(in[i]);
    }
    return true;
}
#undef NAME
#undef IN
#undef OUT
#undef CONVERT
