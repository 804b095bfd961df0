#include "cli/human.h"

#include <criterion/criterion.h>

Test(human, counts_have_commas)
{
    char out[ARUS_HUMAN_SIZE];

    cr_expect_str_eq(arus_human_count(0, out), "0");
    cr_expect_str_eq(arus_human_count(999, out), "999");
    cr_expect_str_eq(arus_human_count(1204311, out), "1,204,311");
    cr_expect_str_eq(arus_human_count(UINT64_MAX, out), "18,446,744,073,709,551,615");
}

Test(human, short_numbers_have_three_digits)
{
    char out[ARUS_HUMAN_SIZE];

    cr_expect_str_eq(arus_human_short(12, out), "12");
    cr_expect_str_eq(arus_human_short(999.4, out), "999");
    cr_expect_str_eq(arus_human_short(1210, out), "1.21 k");
    cr_expect_str_eq(arus_human_short(84000, out), "84 k");
    cr_expect_str_eq(arus_human_short(12431800, out), "12.4 M");
    cr_expect_str_eq(arus_human_short(310e6, out), "310 M");
}

Test(human, bytes_are_binary)
{
    char out[ARUS_HUMAN_SIZE];

    cr_expect_str_eq(arus_human_bytes(512, out), "512 B");
    cr_expect_str_eq(arus_human_bytes(1024, out), "1 KiB");
    cr_expect_str_eq(arus_human_bytes(41 << 20, out), "41 MiB");
    cr_expect_str_eq(arus_human_bytes(1148903752, out), "1.07 GiB");
}

Test(human, durations_choose_their_unit)
{
    char out[ARUS_HUMAN_SIZE];

    cr_expect_str_eq(arus_human_duration(18, out), "18 ms");
    cr_expect_str_eq(arus_human_duration(900, out), "0.9 s");
    cr_expect_str_eq(arus_human_duration(1230, out), "1.2 s");
    cr_expect_str_eq(arus_human_duration(12000, out), "12 s");
    cr_expect_str_eq(arus_human_duration(120000, out), "2 min");
    cr_expect_str_eq(arus_human_duration(3 * 3600000, out), "3 h");
    cr_expect_str_eq(arus_human_duration(5LL * 86400000, out), "5 d");
}

Test(human, nouns_have_a_plural)
{
    char out[ARUS_HUMAN_SIZE * 2];

    cr_expect_str_eq(arus_human_noun(1, "file", out), "1 file");
    cr_expect_str_eq(arus_human_noun(1200, "file", out), "1,200 files");
}
