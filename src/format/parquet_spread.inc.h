/* Template: values[0..value_count) move to the rows that have one, null rows become 0. In: NAME,
 * TYPE. */
static void NAME(void *values, const uint64_t *validity, uint32_t row_count, uint32_t value_count)
{
    TYPE *at = values;

    for (uint32_t i = row_count; i > 0; i--) {
        if (arus_bit_get(validity, i - 1)) {
            at[i - 1] = at[--value_count];
        } else {
            at[i - 1] = (TYPE){0};
        }
    }
}
#undef NAME
#undef TYPE
