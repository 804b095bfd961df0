/** Template: codes of integers that lie near each other. In: NAME, TYPE. */
ARUS_KERNEL static bool NAME(struct coder *coder, const TYPE *values)
{
    TYPE least = values[0];
    TYPE greatest = values[0];

    for (uint32_t i = 0; i < coder->row_count; i++) {
        least = values[i] < least ? values[i] : least;
        greatest = values[i] > greatest ? values[i] : greatest;
    }
    if ((uint64_t)greatest - (uint64_t)least >= CODES_MAX - 1) {
        return false;
    }
    for (uint32_t i = 0; i < coder->row_count; i++) {
        coder->column[i] = (uint16_t)((uint64_t)values[i] - (uint64_t)least + 1);
    }
    coder->dictionary->count = (uint32_t)((uint64_t)greatest - (uint64_t)least + 1);
    return true;
}
#undef NAME
#undef TYPE
