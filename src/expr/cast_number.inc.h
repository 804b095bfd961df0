/**
 * Template: one number type to another. In: NAME, FROM, TO, IS_BAD(x), CONVERT(x) (ANSI), WRAP(x)
 * (LEGACY).
 */
ARUS_KERNEL static bool JOIN(convert_, NAME)(const void *in, void *out, uint32_t count)
{
    const FROM *a = in;
    TO *r = out;
    uint8_t bad = 0;

    for (uint32_t i = 0; i < count; i++) {
        const FROM x = a[i];

        bad |= (uint8_t)(IS_BAD(x));
        r[i] = CONVERT(x);
    }
    return bad != 0;
}

static void JOIN(wrap_, NAME)(const void *in, void *out, uint32_t count)
{
    const FROM *a = in;
    TO *r = out;

    for (uint32_t i = 0; i < count; i++) {
        r[i] = WRAP(a[i]);
    }
}

static enum arus_status JOIN(cast_, NAME)(const struct arus_kernel_call *call,
                                          struct arus_vector *out, uint32_t *bad_row,
                                          struct arus_error *err)
{
    return cast_numbers(call, JOIN(convert_, NAME), JOIN(wrap_, NAME), out, bad_row, err);
}
#undef NAME
#undef FROM
#undef TO
#undef IS_BAD
#undef CONVERT
#undef WRAP
