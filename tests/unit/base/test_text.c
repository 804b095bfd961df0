#include "base/text.h"

#include <criterion/criterion.h>

Test(text, a_range_of_one_number_is_that_number)
{
    cr_expect_str_eq(arus_range_label(0, 0).text, "0");
    cr_expect_str_eq(arus_range_label(0, 3).text, "0-3");
    cr_expect_str_eq(arus_range_label(INT64_MIN, INT64_MAX).text,
                     "-9223372036854775808-9223372036854775807");
}
