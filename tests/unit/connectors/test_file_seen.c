#include "file/seen.h"

#include <criterion/criterion.h>

#include <stdio.h>

static struct arus_seen seen;
static struct arus_error err;

static struct arus_text name_of(int number)
{
    static char name[32];
    const int size = snprintf(name, sizeof name, "part-%d", number);

    return (struct arus_text){name, (size_t)size};
}

static void make(void)
{
    cr_assert_eq(arus_seen_init(&seen, false, &err), ARUS_OK);
}

static void drop(void)
{
    arus_seen_release(&seen);
}

TestSuite(file_seen, .init = make, .fini = drop);

Test(file_seen, many_added_in_a_row_are_all_found_and_no_others)
{
    for (int i = 0; i < 5000; i++) { /* the table grows meanwhile; every third comes twice */
        cr_assert_eq(arus_seen_enqueue(&seen, ARUS_TEXT("/a"), name_of(i - i % 3), &err), ARUS_OK);
    }
    cr_assert_eq(arus_seen_settle(&seen, &err), ARUS_OK);
    cr_expect_eq(seen.count, 1667u);
    for (int i = 0; i < 5010; i++) {
        arus_seen_hint(&seen, ARUS_TEXT("/a"), name_of(i));
        cr_expect_eq(arus_seen_has(&seen, ARUS_TEXT("/a"), name_of(i)), i % 3 == 0 && i < 5000,
                     "%d", i);
        cr_expect(!arus_seen_has(&seen, ARUS_TEXT("/b"), name_of(i)));
    }
}

Test(file_seen, one_by_one_says_what_is_new)
{
    bool is_new;

    cr_assert_eq(arus_seen_add(&seen, ARUS_TEXT("/a"), ARUS_TEXT("x"), &is_new, &err), ARUS_OK);
    cr_expect(is_new);
    cr_assert_eq(arus_seen_add(&seen, ARUS_TEXT("/a"), ARUS_TEXT("x"), &is_new, &err), ARUS_OK);
    cr_expect(!is_new);
}
