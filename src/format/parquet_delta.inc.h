/* Template: DELTA_BINARY_PACKED. In: NAME(x), TYPE, UNSIGNED (its twin). Needs pack32, put_varint.
 */

/** Differences to the value before, wrapping; gives the smallest. */
ARUS_KERNEL static TYPE NAME(differences)(const TYPE *values, uint32_t count, TYPE *out)
{
    TYPE least = (TYPE)((UNSIGNED)values[1] - (UNSIGNED)values[0]);

    for (uint32_t i = 0; i < count; i++) {
        const TYPE difference = (TYPE)((UNSIGNED)values[i + 1] - (UNSIGNED)values[i]);

        out[i] = difference;
        least = difference < least ? difference : least;
    }
    return least;
}

/** One block: `count` (1..BLOCK) differences behind values[0]. */
static uint8_t *NAME(put_block)(const TYPE *values, uint32_t count, uint8_t *to)
{
    TYPE differences[BLOCK];
    uint64_t packed[MINI];
    const TYPE least = NAME(differences)(values, count, differences);
    uint8_t *widths;

    to = put_varint(to, zigzag(least));
    widths = to;
    memset(widths, 0, BLOCK / MINI);
    to += BLOCK / MINI;
    for (uint32_t mini = 0; mini * MINI < count; mini++) {
        const uint32_t left = count - mini * MINI;
        const uint32_t here = left < MINI ? left : MINI;
        uint64_t all = 0;

        for (uint32_t i = 0; i < here; i++) {
            packed[i] = (UNSIGNED)((UNSIGNED)differences[mini * MINI + i] - (UNSIGNED)least);
            all |= packed[i];
        }
        memset(packed + here, 0, (MINI - here) * sizeof packed[0]);
        widths[mini] = arus_parquet_bit_width(all);
        to = pack32(packed, widths[mini], to);
    }
    return to;
}

static uint8_t *NAME(put_delta)(const TYPE *values, uint32_t count, uint8_t *to)
{
    to = put_varint(to, BLOCK);
    to = put_varint(to, BLOCK / MINI);
    to = put_varint(to, count);
    to = put_varint(to, zigzag(count == 0 ? 0 : values[0]));
    for (uint32_t i = 0; i + 1 < count; i += BLOCK) {
        const uint32_t left = count - 1 - i;

        to = NAME(put_block)(values + i, left < BLOCK ? left : BLOCK, to);
    }
    return to;
}
#undef NAME
#undef TYPE
#undef UNSIGNED
