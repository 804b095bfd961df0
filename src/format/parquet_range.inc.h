/* Template: smallest and largest of count >= 1 values. In: NAME, TYPE, WIDER. NaN counts for
 * nothing. */
ARUS_KERNEL static void NAME(const TYPE *values, uint32_t count, WIDER *least, WIDER *most)
{
    TYPE min = (TYPE)*least;
    TYPE max = (TYPE)*most;

    for (uint32_t i = 0; i < count; i++) {
        min = values[i] < min ? values[i] : min;
        max = values[i] > max ? values[i] : max;
    }
    *least = (WIDER)min;
    *most = (WIDER)max;
}
#undef NAME
#undef TYPE
#undef WIDER
