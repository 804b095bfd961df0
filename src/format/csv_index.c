/** Where the values of many lines lie. */
#include "base/alloc.h"
#include "format/block_internal.h"
#include "format/csv_scan_internal.h"

#define MARK_COUNT_MIN ((size_t)16 * 1024)

/* The line that is being read. */
struct csv_line_state {
    uint32_t mark; /* of the line end in front of it */
    uint32_t line_count;
    size_t begin;
    bool has_quote;
    bool is_odd; /* it has a quote, or the block ended in \r: not plain */
};

/* Marks of a line end: where the last value ends, and behind which the next line begins. */
struct csv_line_end {
    uint32_t last;
    uint32_t next;
};

/* A block with quotes or \r in it (or behind one). */
struct csv_rare_block {
    size_t block;
    uint64_t nl;
    uint64_t cr;
    uint64_t quotes;
    uint64_t all;
};

enum arus_status csv_index_init(struct csv_index *index, uint32_t field_count,
                                struct arus_error *err)
{
    const size_t odd = (size_t)field_count + 2;
    size_t capacity = odd + ((size_t)field_count + 2) * CSV_STEP_LINES;

    capacity = capacity < MARK_COUNT_MIN ? MARK_COUNT_MIN : capacity;
    index->marks = arus_alloc_buffer(capacity * sizeof *index->marks);
    if (index->marks == NULL) {
        return arus_fail_memory(err);
    }
    index->mark_capacity = capacity;
    index->odd_mark_count = (uint32_t)odd;
    for (uint32_t i = 0; i < index->odd_mark_count; i++) {
        index->marks[i] = i; /* value k lies between i + 1 and i + 1 */
    }
    return ARUS_OK;
}

void csv_index_release(struct csv_index *index)
{
    arus_free(index->marks);
    index->marks = NULL;
}

/* Blank lines and comments give no row. */
static bool is_skipped(const struct csv_index_rule *rule, const char *data, size_t begin,
                       size_t end)
{
    const struct arus_text line = {data + begin, end - begin};

    if (line.size == 0 || (rule->has_comment && line.data[0] == rule->comment)) {
        return true;
    }
    return (unsigned char)line.data[0] <= ' ' && csv_is_blank(line);
}

/* A line ends at `end`. */
ARUS_INLINE void line_close(const struct csv_index_rule *rule, const char *data,
                            struct csv_line_end marks, size_t end, struct csv_index *index,
                            struct csv_line_state *state)
{
    const size_t begin = state->begin;
    const uint32_t line = state->line_count;
    const uint32_t field_count = marks.last - state->mark;
    const bool is_odd =
        state->is_odd || field_count - rule->field_count > rule->field_max - rule->field_count;
    const unsigned char first = (unsigned char)data[begin]; /* of a blank line: its line end */

    if (ARUS_LIKELY(first > ' ' && !(rule->has_comment && first == (unsigned char)rule->comment)) ||
        !is_skipped(rule, data, begin, end)) {
        index->first[line] = is_odd ? 0 : state->mark;
        index->begin[line] = (uint32_t)begin;
        index->end[line] = (uint32_t)end;
        if (is_odd) {
            index->odd[line / 64] |= (uint64_t)1 << (line % 64);
        }
        state->line_count = line + 1;
    }
    state->mark = marks.next;
    state->begin = end + 1;
    state->is_odd = false;
}

/* The lines that end in a rare block. */
static void close_rare_lines(const struct csv_index_rule *rule, struct arus_text text,
                             const struct csv_rare_block *rare, uint32_t count,
                             struct csv_index *index, struct csv_line_state *state)
{
    const size_t block = rare->block;
    uint64_t ends = rare->nl | (rare->cr & ~(rare->nl >> 1));
    uint64_t before = 0; /* bits up to the last line end of this block */

    if (rare->cr >> 63 != 0 && block + 64 < text.size && text.data[block + 64] == '\n') {
        ends &= ~((uint64_t)1 << 63);
    }
    while (ends != 0) {
        const uint64_t below = (ends & -ends) - 1;
        const size_t at = block + (size_t)__builtin_ctzll(ends);
        struct csv_line_end marks;
        bool has_cr;

        marks.next = count + (uint32_t)__builtin_popcountll(rare->all & below);
        has_cr = rule->ends_at_cr && at > state->begin && text.data[at] == '\n' &&
                 text.data[at - 1] == '\r';
        marks.last = marks.next - has_cr;
        state->is_odd = state->has_quote || (rare->quotes & below & ~before) != 0;
        line_close(rule, text.data, marks, at - has_cr, index, state);
        state->begin = at + 1;
        state->has_quote = false;
        before = below;
        ends &= ends - 1;
    }
    state->has_quote = state->has_quote || (rare->quotes & ~before) != 0;
    state->is_odd = state->has_quote || rare->cr >> 63 != 0;
}

#define FUNCTION index_portable
#define TARGET
#define MASK    mask_portable
#define ANY     any_portable
#define FLATTEN flatten_portable
#include "format/csv_index.inc.h"

#if ARUS_HAS_AVX2_CODE
#define FUNCTION index_avx2
#define TARGET   ARUS_TARGET_AVX2
#define MASK     mask_avx2
#define ANY      any_avx2
#define FLATTEN  flatten_avx2
#include "format/csv_index.inc.h"
#endif

/* A line with more values than there is room for marks. */
static size_t index_long_line(const struct csv_index_rule *rule, struct arus_text text, size_t at,
                              struct csv_index *index)
{
    const struct arus_line_rule lines = {.separator = rule->ends_at_cr ? (struct arus_text){0}
                                                                       : ARUS_TEXT("\n")};
    const size_t after = arus_line_after(&lines, text, at, true);
    size_t end = after == SIZE_MAX ? text.size : after - 1;

    if (rule->ends_at_cr && after != SIZE_MAX && end > at && text.data[end - 1] == '\r' &&
        text.data[end] == '\n') {
        end--;
    }
    if (!is_skipped(rule, text.data, at, end)) {
        index->first[0] = 0;
        index->begin[0] = (uint32_t)at;
        index->end[0] = (uint32_t)end;
        index->odd[0] = 1;
        index->line_count = 1;
    }
    return after == SIZE_MAX ? text.size : after;
}

size_t csv_index_lines(enum arus_cpu cpu, const struct csv_index_rule *rule, struct arus_text text,
                       size_t at, uint32_t line_max, struct csv_index *index)
{
    size_t next;

    index->line_count = 0;
    memset(index->odd, 0, sizeof index->odd);
#if ARUS_HAS_AVX2_CODE
    next = cpu == ARUS_CPU_AVX2 ? index_avx2(rule, text, at, line_max, index)
                                : index_portable(rule, text, at, line_max, index);
#else
    (void)cpu;
    next = index_portable(rule, text, at, line_max, index);
#endif
    return next > at || at >= text.size ? next : index_long_line(rule, text, at, index);
}
