/** Template: moving values of one size. In: NAME, TYPE. */
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

/* out[i] = in[indices[i]] */
static void JOIN(gather_, NAME)(const void *in, const uint32_t *indices, uint32_t count, void *out)
{
    const TYPE *from = in;
    TYPE *to = out;

    for (uint32_t i = 0; i < count; i++) {
        to[i] = from[indices[i]];
    }
}

/* out[i] = in[0] */
static void JOIN(repeat_, NAME)(const void *in, const uint32_t *indices, uint32_t count, void *out)
{
    const TYPE value = *(const TYPE *)in;
    TYPE *to = out;

    (void)indices;
    for (uint32_t i = 0; i < count; i++) {
        to[i] = value;
    }
}

#undef JOIN
#undef JOIN_
#undef NAME
#undef TYPE
