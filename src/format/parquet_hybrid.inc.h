/* Template: the hybrid encoding of TYPE values. In: NAME(x), TYPE. Needs pack8 and put_varint. */

/** How many values from `at` on equal the first, at most `count`. */
static uint32_t NAME(run_length)(const TYPE *at, uint32_t count)
{
    uint32_t length = 1;

    while (length < count && at[length] == at[0]) {
        length++;
    }
    return length;
}

static uint8_t *NAME(put_packed)(const TYPE *values, uint32_t count, uint8_t width, uint8_t *to)
{
    uint32_t group[8];
    uint32_t i = 0;

    if (count == 0) {
        return to;
    }
    to = put_varint(to, ((uint64_t)(count + 7) / 8) << 1 | 1);
    for (; i + 8 <= count; i += 8) {
        for (uint32_t j = 0; j < 8; j++) {
            group[j] = values[i + j];
        }
        pack8(group, width, to);
        to += width;
    }
    if (i < count) {
        memset(group, 0, sizeof group);
        for (uint32_t j = 0; i + j < count; j++) {
            group[j] = values[i + j];
        }
        pack8(group, width, to);
        to += width;
    }
    return to;
}

/** `to` has room (hybrid_size). Gives the end. */
ARUS_KERNEL static uint8_t *NAME(put_hybrid)(const TYPE *values, uint32_t count, uint8_t width,
                                             uint8_t *to)
{
    const uint32_t least = width < 8 ? 32 : 16; /* a shorter run costs more than it saves */
    uint32_t begin = 0;
    uint32_t i = 0;

    while (i < count) {
        uint32_t run = 1;

        if (count - i >= least && values[i] == values[i + 7] &&
            values[i] == values[i + least - 1]) {
            run = NAME(run_length)(values + i, count - i);
        }
        if (run < least) {
            i += 8;
            continue;
        }
        to = NAME(put_packed)(values + begin, i - begin, width, to);
        to = put_repeated(values[i], run, width, to);
        i += run;
        begin = i;
    }
    return NAME(put_packed)(values + begin, count - begin, width, to);
}
#undef NAME
#undef TYPE
