#include "types/number_measure.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(number_measure, counts_as_big_decimal)
{
    static const struct {
        const char *text;
        int64_t digits;
        int64_t scale;
    } ROWS[] = {
        {"0", 1, 0},
        {"007", 1, 0},
        {"-12.50", 4, 2},
        {"1e2", 1, -2},
        {"1.5e1", 2, 0},
        {"0.05", 1, 2},
        {"0.00", 1, 2},
        {"5.", 1, 0},
        {".5", 1, 1},
        {"+1E+3", 1, -3},
        {"1,234.5", 5, 1},
        {"1e-400", 1, 400},
        {"9e2147483647", 1, -2147483647LL},
    };
    static const char *const BAD[] = {"",      "-",   ".",  "e5",   "1e", "1e+",
                                      "1.2.3", "--1", "1x", "1e5x", " 1"};

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct arus_number_measure measure;

        cr_assert(arus_number_measure(arus_text_of(ROWS[i].text), &measure), "%s", ROWS[i].text);
        cr_expect_eq(measure.digits, ROWS[i].digits, "%s", ROWS[i].text);
        cr_expect_eq(measure.scale, ROWS[i].scale, "%s", ROWS[i].text);
    }
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        struct arus_number_measure measure;

        cr_expect(not(arus_number_measure(arus_text_of(BAD[i]), &measure)), "%s", BAD[i]);
    }
}
