/*
 * Template: is a value in the list of its row? Some elements at a time without a branch for each:
 * where it is found cannot be guessed. In: NAME, TYPE.
 */
static void NAME(const struct arus_kernel_call *call, uint8_t *r)
{
    const TYPE *elements = call->args[0].children[0].values;
    const TYPE *wanted = call->args[1].values;
    const size_t step = ARUS_STEP(&call->args[1]);

    for (uint32_t i = 0; i < call->row_count; i++) {
        const bool is_valid = arus_bit_get(call->valid, i);
        const struct arus_span span = arus_span_at(&call->args[0], i);
        const TYPE *at = elements + span.begin;
        const TYPE *end = at + (is_valid ? span.count : 0);
        const TYPE x = wanted[i * step];
        bool is_found = false;

        while (at < end && !is_found) {
            const TYPE *stop = end - at > LIST_CHUNK ? at + LIST_CHUNK : end;

            for (; at < stop; at++) {
                is_found |= *at == x;
            }
        }
        r[i] = is_found;
    }
}
#undef NAME
#undef TYPE
