#include "base/condition.h"

#include <criterion/criterion.h>

Test(condition, subconditions_have_the_sqlstate_of_their_base)
{
    cr_expect_str_eq(arus_condition_sqlstate("UNRESOLVED_COLUMN.WITH_SUGGESTION"), "42703");
    cr_expect_str_eq(arus_condition_sqlstate("ARITHMETIC_OVERFLOW"), "22003");
    cr_expect_str_eq(arus_condition_sqlstate("STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION"),
                     "42KDE");
    cr_expect_null(arus_condition_sqlstate("ARUS_NO_SINK"));
    cr_expect_null(arus_condition_sqlstate("_LEGACY_ERROR_TEMP_3102"));
    cr_expect_null(arus_condition_sqlstate(NULL));
}

Test(condition, pages_are_found_by_base_and_without_case)
{
    cr_expect_str_eq(arus_condition_page("failed_read_file.NO_HINT")->name, "FAILED_READ_FILE");
    cr_expect_null(arus_condition_page("NO_SUCH_CONDITION"));
    cr_expect(arus_condition_is_known("ARUS_NO_SINK"));
    cr_expect_not(arus_condition_is_known("NO_SUCH_CONDITION"));
}

Test(condition, pages_are_sorted_and_narrow)
{
    size_t count;
    const struct arus_condition_page *pages = arus_condition_pages(&count);

    for (size_t i = 0; i < count; i++) {
        size_t width = 0;

        cr_expect(i == 0 || strcmp(pages[i - 1].name, pages[i].name) < 0, "%s", pages[i].name);
        for (const char *c = pages[i].text; *c != '\0'; c++) {
            width = *c == '\n' ? 0 : width + 1;
            cr_expect_leq(width, 82, "%s", pages[i].name);
        }
    }
}
