/* Template: one column of many lines. In: NAME, TYPE, QUICK(state, data, size, out) -> bool, STATE.
 */

static void NAME(struct csv_column *column, const struct csv_lines *lines)
{
    const struct csv_index *index = lines->index;
    const uint32_t *marks = index->marks + column->token;
    TYPE *values = (TYPE *)(void *)column->values + lines->row;
    const struct arus_text null_value = lines->null_value;
    const uint32_t null_size = null_value.size > 0 ? (uint32_t)null_value.size : UINT32_MAX;
    STATE state = {0};

    for (uint32_t i = 0; i < index->line_count; i++) {
        const uint32_t begin = marks[index->first[i]] + 1;
        const uint32_t size = marks[index->first[i] + 1] - begin;
        const char *data = lines->data + begin;

        if (ARUS_UNLIKELY(size == 0 ||
                          (size == null_size && memcmp(data, null_value.data, size) == 0))) {
            csv_column_set_null(column, lines->row + i);
            continue;
        }
        if (ARUS_LIKELY(QUICK(&state, data, size, values + i))) {
            continue;
        }
        if (!csv_column_set(column, lines->row + i, (struct arus_text){data, size}, lines->cells)) {
            lines->bad[i / 64] |= (uint64_t)1 << (i % 64);
        }
    }
}

static bool JOIN(NAME, _one)(void *out, struct arus_text cell)
{
    STATE state = {0};

    return QUICK(&state, cell.data, (uint32_t)cell.size, (TYPE *)out);
}
#undef NAME
#undef TYPE
#undef QUICK
#undef STATE
