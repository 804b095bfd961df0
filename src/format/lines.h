/** Finding line ends fast. */
#ifndef ARUS_FORMAT_LINES_H
#define ARUS_FORMAT_LINES_H

#include "base/text.h"
#include "format/cpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Zeroed: \n, \r\n and a lone \r end a line. Else exactly the separator does. */
struct arus_line_rule {
    struct arus_text separator;
};

/** A line without its line end, as offsets into the searched bytes. */
struct arus_line {
    uint32_t begin;
    uint32_t end;
};

/**
 * Finds the next lines of `text` from `*at` on, at most `max`, and moves `*at` behind the last
 * one's line end. `text` must be a stretch of whole lines (a last line without line end counts;
 * below 4 GiB); 64 bytes behind it must be readable. `cpu`: as arus_cpu_detect gave it; results are
 * the same.
 */
size_t arus_lines_find(enum arus_cpu cpu, const struct arus_line_rule *rule, struct arus_text text,
                       size_t *at, struct arus_line *lines, size_t max);

/** The offset behind the first line end that starts at or behind `at`; SIZE_MAX: none. A \r as last
 * byte counts as none when `is_last` is false: a \n may follow. */
size_t arus_line_after(const struct arus_line_rule *rule, struct arus_text text, size_t at,
                       bool is_last);
/** The offset behind the last line end in `text`, 0: none. Same rule for a \r as last byte. */
size_t arus_line_last(const struct arus_line_rule *rule, struct arus_text text, bool is_last);
/** Number of line ends; a \r as last byte counts. */
uint64_t arus_line_count(const struct arus_line_rule *rule, struct arus_text text);

#endif
