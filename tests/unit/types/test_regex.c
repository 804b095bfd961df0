#include "support/failing.h"
#include "types/regex.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>

/* All matches as `begin,end` of the whole match and the groups; `!` when the pattern is refused. */
static void find_all(const char *pattern, const char *subject, char *out, size_t out_size)
{
    const struct arus_text text = arus_text_of(subject);
    struct arus_regex *regex;
    struct arus_error err;
    size_t from = 0;
    size_t size = 0;

    out[0] = '\0';
    if (arus_regex_open(arus_text_of(pattern), &regex, &err) != ARUS_OK) {
        cr_expect_str_eq(err.condition, "INVALID_PARAMETER_VALUE.PATTERN");
        (void)snprintf(out, out_size, "!");
        return;
    }
    while (from <= text.size) {
        bool is_found;

        cr_assert(eq(int, arus_regex_find(regex, text, from, &is_found, &err), ARUS_OK));
        if (!is_found) {
            break;
        }
        for (uint32_t g = 0; g <= arus_regex_group_count(regex); g++) {
            size_t begin, end;

            if (arus_regex_group(regex, g, &begin, &end)) {
                size += (size_t)snprintf(out + size, out_size - size, "%s%zu,%zu",
                                         g == 0 ? "(" : "|", begin, end);
            } else {
                size += (size_t)snprintf(out + size, out_size - size, "|-");
            }
        }
        size += (size_t)snprintf(out + size, out_size - size, ")");
        from = arus_regex_next(regex, text);
    }
    arus_regex_close(regex);
}

struct row {
    const char *pattern;
    const char *subject;
    const char *expected;
};

Test(regex, matches_what_java_matches)
{
    static const struct row ROWS[] = {
#include "unit/types/regex_rows.inc.h"
    };

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char found[2048];

        find_all(ROWS[i].pattern, ROWS[i].subject, found, sizeof found);
        cr_expect_str_eq(found, ROWS[i].expected, "/%s/ in '%s': %s", ROWS[i].pattern,
                         ROWS[i].subject, found);
    }
}

Test(regex, groups_have_names)
{
    struct arus_regex *regex;
    struct arus_error err;

    cr_assert(eq(int, arus_regex_open(ARUS_TEXT("(a)(?<year>b)"), &regex, &err), ARUS_OK));
    cr_expect(eq(i32, arus_regex_group_find(regex, ARUS_TEXT("year")), 2));
    cr_expect(eq(i32, arus_regex_group_find(regex, ARUS_TEXT("month")), -1));
    arus_regex_close(regex);
    arus_regex_close(NULL);
}

Test(regex, bytes_that_are_not_utf8_do_not_match_and_do_not_hurt)
{
    char found[100];

    find_all("[a-z]+", "ab\xFFz", found, sizeof found);
    cr_expect_str_eq(found, "(0,2)(3,4)");
}

Test(regex, endless_backtracking_is_an_error)
{
    struct arus_regex *regex;
    struct arus_error err;
    bool is_found;

    cr_assert(eq(int, arus_regex_open(ARUS_TEXT("(?:a|b|ab)*c(?<!c)"), &regex, &err), ARUS_OK));
    cr_expect(
        ne(int,
           arus_regex_find(regex,
                           ARUS_TEXT("abababababababababababababababababababababababababababab"
                                     "abababababababababababababababababababababababababc"),
                           0, &is_found, &err),
           ARUS_OK));
    arus_regex_close(regex);
}

static enum arus_status open_and_close(struct arus_error *err)
{
    struct arus_regex *regex;
    const enum arus_status status =
        arus_regex_open(ARUS_TEXT("(?<=a{1,2})[b&&[^c]]+"), &regex, err);

    arus_regex_close(regex);
    return status;
}

Test(regex, survives_each_failing_allocation)
{
    assert_each_failure(open_and_close);
}
