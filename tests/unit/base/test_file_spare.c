#include "base/file_spare.h"
#include "support/folder.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

TestSuite(file_spare, .init = folder_make, .fini = folder_remove);

static struct arus_error err;

/** Writes `N` into the file `N`, and waits for the thread. */
static void write_number(struct arus_spares *spares, int number)
{
    char name[16];
    bool exists;

    (void)snprintf(name, sizeof name, "%d", number);
    MUST(arus_spares_create_new(spares, at(name), arus_text_of(name), &exists, &err));
    cr_assert(!exists);
    if (spares->background != NULL) {
        MUST(arus_background_wait(spares->background, &err));
    }
}

static bool is_written(int number)
{
    struct arus_buffer content = {0};
    char name[16];
    bool is_missing;
    bool is_right;

    (void)snprintf(name, sizeof name, "%d", number);
    MUST(arus_file_read(at(name), &content, &is_missing, &err));
    is_right = !is_missing && arus_text_equal(arus_buffer_text(&content), arus_text_of(name));
    arus_buffer_release(&content);
    return is_right;
}

static int count_spares(void)
{
    int count = 0;

    for (int i = 0; i < 64; i++) {
        char name[32];
        struct stat info;

        (void)snprintf(name, sizeof name, ".spare-%d.arus.tmp", i);
        count += stat(at(name), &info) == 0;
    }
    return count;
}

Test(file_spare, a_short_run_makes_none)
{
    struct arus_spares spares = {0};

    MUST(arus_spares_init(&spares, at("."), &err));
    for (int i = 0; i < 10; i++) {
        write_number(&spares, i);
    }
    cr_expect(count_spares() == 0 && is_written(9));
    arus_spares_close(&spares);
}

Test(file_spare, a_long_run_fills_files_that_were_made_ahead_and_leaves_none)
{
    struct arus_spares spares = {0};

    MUST(arus_spares_init(&spares, at("."), &err));
    for (int i = 0; i < 200; i++) {
        write_number(&spares, i);
    }
    cr_expect(spares.taken > 100 && count_spares() > 0);
    arus_spares_close(&spares);
    cr_expect_eq(count_spares(), 0);
    for (int i = 0; i < 200; i++) {
        cr_expect(is_written(i), "%d", i);
    }
}

Test(file_spare, never_overwrites)
{
    struct arus_spares spares = {0};
    bool exists;

    MUST(arus_spares_init(&spares, at("."), &err));
    for (int i = 0; i < 40; i++) {
        write_number(&spares, i);
    }
    MUST(arus_spares_create_new(&spares, at("7"), ARUS_TEXT("other"), &exists, &err));
    cr_expect(exists && is_written(7));
    arus_spares_close(&spares);
    cr_expect_eq(count_spares(), 0);
}

Test(file_spare, a_spare_that_somebody_removed_is_made_anew)
{
    struct arus_spares spares = {0};

    MUST(arus_spares_init(&spares, at("."), &err));
    for (int i = 0; i < 30; i++) {
        write_number(&spares, i);
    }
    for (int i = 0; i < 64; i++) {
        char name[32];

        (void)snprintf(name, sizeof name, ".spare-%d.arus.tmp", i);
        (void)remove(at(name));
    }
    for (int i = 30; i < 100; i++) {
        write_number(&spares, i);
        cr_expect(is_written(i));
    }
    arus_spares_close(&spares);
}

Test(file_spare, what_a_killed_process_left_goes)
{
    struct arus_spares killed = {0};
    struct arus_spares spares = {0};

    MUST(arus_spares_init(&killed, at("."), &err));
    for (int i = 0; i < 30; i++) {
        write_number(&killed, i);
    }
    cr_expect(count_spares() > 0);
    MUST(arus_spares_init(&spares, at("."), &err));
    cr_expect_eq(count_spares(), 0);
    arus_background_close(killed.background);
}
