#include "cli/input.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char FOLDER[] = "/tmp/arus-input-XXXXXX";

static void make_folder(void)
{
    FILE *file;

    cr_assert_not_null(mkdtemp(FOLDER));
    cr_assert_eq(chdir(FOLDER), 0);
    file = fopen("late.sql", "w");
    cr_assert_not_null(file);
    (void)fputs("SELECT 1", file);
    (void)fclose(file);
}

static void remove_folder(void)
{
    (void)unlink("late.sql");
    (void)rmdir(FOLDER);
}

TestSuite(input, .init = make_folder, .fini = remove_folder);

Test(input, tells_files_from_sql)
{
    cr_expect(arus_sql_input_is_file("late.sql"));
    cr_expect(arus_sql_input_is_file("missing.sql"));
    cr_expect(arus_sql_input_is_file("late.sql:windows"));
    cr_expect_not(arus_sql_input_is_file("SELECT 1 AS `x.sql`"));
    cr_expect_not(arus_sql_input_is_file("SHOW TABLES"));
}

Test(input, reads_a_file_and_the_query_behind_it)
{
    struct arus_sql_input input;
    struct arus_error err;

    cr_assert(eq(int, arus_sql_input_file("late.sql:windows", &input, &err), ARUS_OK));
    cr_expect_str_eq(arus_sql_input_name(&input), "late.sql");
    cr_expect_str_eq(input.query, "windows");
    cr_expect_str_eq(input.folder.text, FOLDER);
    cr_expect(arus_text_equal(arus_buffer_text(&input.text), ARUS_TEXT("SELECT 1")));
    arus_sql_input_release(&input);
}

Test(input, a_folder_is_no_pipeline)
{
    struct arus_sql_input input;
    struct arus_error err;

    cr_assert(eq(int, arus_sql_input_file(".", &input, &err), ARUS_BAD_CONFIG));
    cr_expect_str_eq(err.message, "a folder; a .sql file is wanted");
    arus_sql_input_release(&input);
}

Test(input, names_the_nearest_file)
{
    struct arus_sql_input input;
    struct arus_error err;

    cr_assert(eq(int, arus_sql_input_file("late.sq", &input, &err), ARUS_BAD_CONFIG));
    cr_expect_str_eq(err.message, "no such file; did you mean late.sql?");
    cr_assert(eq(int, arus_sql_input_file("other.sql", &input, &err), ARUS_BAD_CONFIG));
    cr_expect_str_eq(err.message, "no such file");
    arus_sql_input_release(&input);
}
