#include "format/lines.h"

#include "format/block_internal.h"

#define FUNCTION find_portable
#define TARGET
#define MASK mask_portable
#include "format/lines.inc.h"

#if ARUS_HAS_AVX2_CODE
#define FUNCTION find_avx2
#define TARGET   ARUS_TARGET_AVX2
#define MASK     mask_avx2
#include "format/lines.inc.h"
#endif

/* The start of the first separator at or behind `at`; SIZE_MAX: none. */
static size_t separator_find(struct arus_text separator, struct arus_text text, size_t at)
{
    while (at + separator.size <= text.size) {
        const char *hit =
            memchr(text.data + at, separator.data[0], text.size - separator.size + 1 - at);

        if (hit == NULL) {
            return SIZE_MAX;
        }
        if (memcmp(hit, separator.data, separator.size) == 0) {
            return (size_t)(hit - text.data);
        }
        at = (size_t)(hit - text.data) + 1;
    }
    return SIZE_MAX;
}

static size_t find_separated(struct arus_text separator, struct arus_text text, size_t *at,
                             struct arus_line *lines, size_t max)
{
    size_t count = 0;

    while (count < max && *at < text.size) {
        const size_t end = separator_find(separator, text, *at);

        lines[count].begin = (uint32_t)*at;
        lines[count].end = (uint32_t)(end == SIZE_MAX ? text.size : end);
        count++;
        *at = end == SIZE_MAX ? text.size : end + separator.size;
    }
    return count;
}

size_t arus_lines_find(enum arus_cpu cpu, const struct arus_line_rule *rule, struct arus_text text,
                       size_t *at, struct arus_line *lines, size_t max)
{
    if (rule->separator.size > 0) {
        return find_separated(rule->separator, text, at, lines, max);
    }
#if ARUS_HAS_AVX2_CODE
    if (cpu == ARUS_CPU_AVX2) {
        return find_avx2(text, at, lines, max);
    }
#endif
    (void)cpu;
    return find_portable(text, at, lines, max);
}

size_t arus_line_after(const struct arus_line_rule *rule, struct arus_text text, size_t at,
                       bool is_last)
{
    if (rule->separator.size > 0) {
        const size_t end = separator_find(rule->separator, text, at);

        return end == SIZE_MAX ? SIZE_MAX : end + rule->separator.size;
    }
    while (at < text.size && text.data[at] != '\n' && text.data[at] != '\r') {
        at++;
    }
    if (at >= text.size) {
        return SIZE_MAX;
    }
    if (text.data[at] == '\n') {
        return at + 1;
    }
    if (at + 1 == text.size) {
        return is_last ? at + 1 : SIZE_MAX;
    }
    return text.data[at + 1] == '\n' ? at + 2 : at + 1;
}

static size_t separator_last(struct arus_text separator, struct arus_text text)
{
    for (size_t at = text.size; at >= separator.size; at--) {
        if (memcmp(text.data + at - separator.size, separator.data, separator.size) == 0) {
            return at;
        }
    }
    return 0;
}

size_t arus_line_last(const struct arus_line_rule *rule, struct arus_text text, bool is_last)
{
    size_t at = text.size;

    if (rule->separator.size > 0) {
        return separator_last(rule->separator, text);
    }
    if (!is_last && at > 0 && text.data[at - 1] == '\r') {
        at--;
    }
    while (at > 0 && text.data[at - 1] != '\n' && text.data[at - 1] != '\r') {
        at--;
    }
    return at;
}

uint64_t arus_line_count(const struct arus_line_rule *rule, struct arus_text text)
{
    uint64_t count = 0;
    size_t at = 0;

    while ((at = arus_line_after(rule, text, at, true)) != SIZE_MAX) {
        count++;
    }
    return count;
}
