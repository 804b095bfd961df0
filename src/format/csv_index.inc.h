/* Template: the index, 64 bytes at a time. In: FUNCTION, TARGET, MASK(data, byte), FLATTEN(bits,
 * base, out). */

TARGET static size_t FUNCTION(const struct csv_index_rule *rule, struct arus_text text, size_t at,
                              uint32_t line_max, struct csv_index *index)
{
    struct csv_line_state state = {.mark = index->odd_mark_count, .begin = at};
    const char quote = rule->quote;
    const char delimiter = rule->delimiter;
    const bool has_zero = rule->has_zero;
    const bool ends_at_cr = rule->ends_at_cr;
    uint32_t *marks = index->marks;
    const size_t capacity = index->mark_capacity;
    uint32_t count = index->odd_mark_count;
    size_t block = at;

    marks[count++] = (uint32_t)at - 1;
    for (; block < text.size && state.line_count + 64 <= line_max && count + 72 <= capacity;
         block += 64) {
        const char *data = text.data + block;
        const uint64_t kept =
            text.size - block >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << (text.size - block)) - 1;
        const uint64_t nl = MASK(data, '\n') & kept;
        const uint64_t cr = ends_at_cr ? MASK(data, '\r') & kept : 0;
        const uint64_t zeros = has_zero ? MASK(data, 0) : 0;
        const uint64_t quotes = (MASK(data, quote) | zeros) & kept;
        const uint64_t all = (MASK(data, delimiter) & kept) | nl | cr;
        uint64_t ends = nl;
        uint64_t before = 0; /* bits up to the last line end of this block */

        if (ARUS_UNLIKELY(cr != 0)) {
            ends |= cr & ~(nl >> 1);
            if (cr >> 63 != 0 && block + 64 < text.size && data[64] == '\n') {
                ends &= ~((uint64_t)1 << 63);
            }
        }
        FLATTEN(all, (uint32_t)block, marks + count);
        while (ends != 0) {
            const uint64_t below = (ends & -ends) - 1;
            const uint32_t mark = count + (uint32_t)__builtin_popcountll(all & below);

            state.has_quote = state.has_quote || (quotes & below & ~before) != 0;
            line_close(rule, text.data, mark, index, &state);
            before = below;
            ends &= ends - 1;
        }
        state.has_quote = state.has_quote || (quotes & ~before) != 0;
        count += (uint32_t)__builtin_popcountll(all);
    }
    if (block >= text.size && state.begin < text.size) { /* the last line lacks its line end */
        marks[count] = (uint32_t)text.size;
        line_close(rule, text.data, count, index, &state);
        state.begin = text.size;
    }
    index->line_count = state.line_count;
    return state.begin;
}
#undef FUNCTION
#undef TARGET
#undef MASK
#undef FLATTEN
