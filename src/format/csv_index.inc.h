/*
 * Template: the index, 64 bytes at a time.
 * In: FUNCTION, TARGET, MASK(data, byte), ANY(data, a, b), FLATTEN(bits, base, out).
 */

TARGET static size_t FUNCTION(const struct csv_index_rule *rule, struct arus_text text, size_t at,
                              uint32_t line_max, struct csv_index *index)
{
    struct csv_line_state state = {.mark = index->odd_mark_count, .begin = at};
    const char quote = rule->quote;
    const char delimiter = rule->delimiter;
    uint32_t *marks = index->marks;
    const size_t capacity = index->mark_capacity;
    uint32_t count = index->odd_mark_count;
    size_t block = at;

    marks[count++] = (uint32_t)at - 1;
    for (; block < text.size && state.line_count + 64 <= line_max && count + 72 <= capacity;
         block += 64) {
        const char *data = text.data + block;
        const bool is_plain = !ANY(data, '\r', quote) && !state.is_odd;
        uint64_t nl = MASK(data, '\n');
        uint64_t all = MASK(data, delimiter) | nl;

        if (ARUS_UNLIKELY(text.size - block < 64)) {
            const uint64_t kept = ((uint64_t)1 << (text.size - block)) - 1;

            nl &= kept;
            all &= kept;
        }
        if (ARUS_LIKELY(is_plain)) {
            FLATTEN(all, (uint32_t)block, marks + count);
            while (nl != 0) {
                const uint64_t below = (nl & -nl) - 1;
                const uint32_t mark = count + (uint32_t)__builtin_popcountll(all & below);

                line_close(rule, text.data, (struct csv_line_end){mark, mark},
                           block + (size_t)__builtin_ctzll(nl), index, &state);
                nl &= nl - 1;
            }
        } else {
            struct csv_rare_block rare = {.block = block, .nl = nl, .all = all};

            rare.quotes = MASK(data, quote);
            rare.cr = rule->ends_at_cr ? MASK(data, '\r') : 0;
            if (text.size - block < 64) {
                rare.quotes &= ((uint64_t)1 << (text.size - block)) - 1;
                rare.cr &= ((uint64_t)1 << (text.size - block)) - 1;
            }
            all |= rare.cr;
            rare.all = all;
            FLATTEN(all, (uint32_t)block, marks + count);
            close_rare_lines(rule, text, &rare, count, index, &state);
        }
        count += (uint32_t)__builtin_popcountll(all);
    }
    if (block >= text.size && state.begin < text.size) { /* the last line lacks its line end */
        marks[count] = (uint32_t)text.size;
        line_close(rule, text.data, (struct csv_line_end){count, count}, text.size, index, &state);
        state.begin = text.size;
    }
    index->line_count = state.line_count;
    return state.begin;
}
#undef FUNCTION
#undef TARGET
#undef MASK
#undef ANY
#undef FLATTEN
