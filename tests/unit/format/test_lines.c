#include "format/lines.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

/* Row-by-row twin. */
static size_t lines_slowly(struct arus_text text, struct arus_line *lines)
{
    static const struct arus_line_rule ANY = {0};
    size_t at = 0;
    size_t count = 0;

    while (at < text.size) {
        const size_t after = arus_line_after(&ANY, text, at, true);
        size_t end = after == SIZE_MAX ? text.size : after - 1;

        if (after != SIZE_MAX && end > at && text.data[end] == '\n' && text.data[end - 1] == '\r') {
            end--;
        }
        lines[count++] = (struct arus_line){(uint32_t)at, (uint32_t)end};
        at = after == SIZE_MAX ? text.size : after;
    }
    return count;
}

static void expect_same(enum arus_cpu cpu, struct arus_text text, size_t max)
{
    static const struct arus_line_rule ANY = {0};
    struct arus_line expected[400];
    struct arus_line found[400];
    const size_t count = lines_slowly(text, expected);
    size_t at = 0;
    size_t done = 0;
    size_t got;

    while ((got = arus_lines_find(cpu, &ANY, text, &at, found + done, max)) > 0) {
        done += got;
    }
    cr_assert(eq(sz, done, count));
    cr_assert(eq(int, memcmp(found, expected, count * sizeof *found), 0));
}

Test(lines, are_the_same_on_every_machine)
{
    char data[300 + 64] = {0};
    uint32_t seed = 7;

    for (size_t size = 0; size <= 300; size++) {
        for (size_t i = 0; i < size; i++) {
            seed = seed * 1664525 + 1013904223;
            data[i] = "abc\n\rxyz"[(seed >> 16) % 8];
        }
        for (size_t max = 1; max < 50; max += 7) {
            expect_same(ARUS_CPU_PORTABLE, (struct arus_text){data, size}, max);
            expect_same(arus_cpu_detect(), (struct arus_text){data, size}, max);
        }
    }
}

Test(lines, end_at_the_separator_only_when_there_is_one)
{
    const struct arus_line_rule rule = {ARUS_TEXT("||")};
    const struct arus_text text = ARUS_TEXT("a\n|b||c|||d");
    struct arus_line lines[4];
    size_t at = 0;

    cr_assert(eq(sz, arus_lines_find(ARUS_CPU_PORTABLE, &rule, text, &at, lines, 4), 3));
    cr_expect(eq(u32, lines[0].end, 4));
    cr_expect(eq(u32, lines[1].begin, 6));
    cr_expect(eq(u32, lines[1].end, 7));
    cr_expect(eq(u32, lines[2].begin, 9));
    cr_expect(eq(sz, arus_line_last(&rule, text, true), 10));
}
