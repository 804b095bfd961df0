/* Template: extremes of TYPE. In: NAME(x), TYPE, LESS(x, y). */
ARUS_KERNEL static void NAME(merge)(const void *from, size_t step, bool wants_greatest,
                                    uint32_t count, void *out)
{
    const TYPE *a = from;
    TYPE *r = out;

    if (step == 0) {
        const TYPE x = *a;

        for (uint32_t i = 0; i < count; i++) {
            const TYPE old = r[i];
            const bool takes = wants_greatest ? LESS(old, x) : LESS(x, old);

            r[i] = takes ? x : old;
        }
    } else if (wants_greatest) {
        for (uint32_t i = 0; i < count; i++) {
            const TYPE old = r[i];

            r[i] = LESS(old, a[i]) ? a[i] : old;
        }
    } else {
        for (uint32_t i = 0; i < count; i++) {
            const TYPE old = r[i];

            r[i] = LESS(a[i], old) ? a[i] : old;
        }
    }
}

static void NAME(of_spans)(const void *items, const struct arus_span *spans, const uint64_t *valid,
                           bool wants_greatest, uint32_t count, void *out)
{
    const TYPE *a = items;
    TYPE *r = out;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t size = arus_bit_get(valid, i) ? spans[i].count : 0;
        const TYPE *at;
        TYPE best;

        if (size == 0) {
            continue;
        }
        at = a + spans[i].begin;
        best = at[0];
        for (uint32_t j = 1; j < size; j++) {
            const bool takes = wants_greatest ? LESS(best, at[j]) : LESS(at[j], best);

            best = takes ? at[j] : best;
        }
        r[i] = best;
    }
}
#undef NAME
#undef TYPE
#undef LESS
