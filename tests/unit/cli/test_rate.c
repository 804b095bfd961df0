#include "cli/rate.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(rate, is_unknown_before_time_has_passed)
{
    struct arus_rate rate = {0};

    cr_expect(lt(dbl, arus_rate_per_second(&rate, 1000, 7), 0));
    arus_rate_note(&rate, 1000, 0);
    cr_expect(lt(dbl, arus_rate_per_second(&rate, 1000, 7), 0));
    cr_expect(eq(dbl, arus_rate_per_second(&rate, 1500, 100), 200));
}

Test(rate, is_of_the_last_five_seconds)
{
    struct arus_rate rate = {0};

    for (int64_t ms = 0; ms <= 60000; ms += 100) { /* 10 rows a second, 1,000 from second 55 on */
        arus_rate_note(&rate, ms, ms <= 55000 ? (uint64_t)ms / 100 : 550 + (uint64_t)(ms - 55000));
    }
    cr_expect(eq(dbl, arus_rate_per_second(&rate, 60000, 5550), 1000));
}

Test(rate, eta_needs_two_seconds_and_something_done)
{
    cr_expect(eq(i64, arus_rate_eta_ms(1, 1, 1999), INT64_MIN));
    cr_expect(eq(i64, arus_rate_eta_ms(0, 1, 2000), INT64_MIN));
    cr_expect(eq(i64, arus_rate_eta_ms(10, 0, 2000), INT64_MIN));
    cr_expect(eq(i64, arus_rate_eta_ms(10, 60, 2000), 12000));
}
