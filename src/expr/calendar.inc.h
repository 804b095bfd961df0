/* Template: a field of every day. In: NAME, FIELD(date), which is a struct near_date. */
ARUS_KERNEL static void NAME(const int32_t *days, uint32_t count, int32_t *out)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct near_date date = near_date_of(days[i]);

        out[i] = (int32_t)(FIELD(date));
    }
}
#undef NAME
#undef FIELD
