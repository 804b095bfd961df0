#include "cli/diagnostic.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>

static void expect_lines(const struct arus_diagnostic_style *style, enum arus_severity severity,
                         const struct arus_error *diagnostic, const char *expected)
{
    struct arus_buffer out = {0};
    struct arus_error err;

    cr_assert(eq(int, arus_diagnostic_format(style, severity, diagnostic, &out, &err), ARUS_OK));
    cr_assert(eq(int, arus_buffer_append_char(&out, '\0', &err), ARUS_OK));
    cr_expect_str_eq(out.data, expected);
    arus_buffer_release(&out);
}

static const char SQL[] = "CREATE TABLE late_in (a INT) USING csv;\n"
                          "\n"
                          "CREATE STREAMING TABLE windows USING console\n"
                          "AS SELECT window.start AS start, devise, count(*) AS `count`\n"
                          "FROM STREAM late_in;\n";

static struct arus_diagnostic_style style_of(const char *name, const char *sql)
{
    return (struct arus_diagnostic_style){.source_name = name, .source = arus_text_of(sql)};
}

static struct arus_place find(const char *sql, const char *token)
{
    return (struct arus_place){(uint32_t)(strstr(sql, token) - sql), (uint32_t)strlen(token)};
}

Test(diagnostic, points_at_the_whole_token)
{
    const struct arus_diagnostic_style style = style_of("004-windows.sql", SQL);
    struct arus_error error;

    cr_assert(eq(int,
                 arus_fail_at(&error, find(SQL, "devise"), "ARUS_TEST.WITH_SUGGESTION",
                              "there is no column `%s`", "devise"),
                 ARUS_BAD_CONFIG));
    error.condition = "INCOMPATIBLE_COLUMN_TYPE.SUB"; /* has a SQLSTATE and no page */
    (void)arus_error_label(&error, "did you mean `device`?");
    (void)arus_error_help(&error, "late_in has event_id, device, event_time, value");
    expect_lines(&style, ARUS_SEVERITY_ERROR, &error,
                 "arus: 004-windows.sql:4:34: error: there is no column `devise` "
                 "[INCOMPATIBLE_COLUMN_TYPE.SUB] (42825)\n"
                 "   4 | AS SELECT window.start AS start, devise, count(*) AS `count`\n"
                 "     |                                  ^^^^^^ did you mean `device`?\n"
                 "help: late_in has event_id, device, event_time, value\n");
}

Test(diagnostic, names_the_page_of_a_condition)
{
    const struct arus_diagnostic_style style = {.subject = "query events, batch 2"};
    struct arus_error error;

    cr_assert(eq(int,
                 arus_fail(&error, ARUS_BAD_DATA, "FAILED_READ_FILE.FILE_NOT_EXIST",
                           "in/batch-03.jsonl belongs to this batch and is gone"),
                 ARUS_BAD_DATA));
    (void)arus_error_help(&error, "put the same file back\nand run again");
    expect_lines(&style, ARUS_SEVERITY_ERROR, &error,
                 "arus: query events, batch 2: error: in/batch-03.jsonl belongs to this batch and "
                 "is gone [FAILED_READ_FILE.FILE_NOT_EXIST] (KD001)\n"
                 "help: put the same file back\n"
                 "      and run again\n"
                 "more: arus help FAILED_READ_FILE\n");
}

Test(diagnostic, shows_the_line_of_a_data_file)
{
    const struct arus_diagnostic_style style = {0};
    struct arus_error error;

    cr_assert(eq(int, arus_fail(&error, ARUS_BAD_DATA, NULL, "bad JSON: a name must follow"),
                 ARUS_BAD_DATA));
    memcpy(error.file.path, "in/b.jsonl", 11);
    error.file.line = 212;
    error.file.column = 9;
    (void)arus_error_row(&error, "in/b.jsonl:212 {\"a\":7,}");
    (void)arus_error_note(&error, "query events, batch 4");
    error.file.column = 8;
    expect_lines(&style, ARUS_SEVERITY_ERROR, &error,
                 "arus: in/b.jsonl:212:8: error: bad JSON: a name must follow\n"
                 " 212 | {\"a\":7,}\n"
                 "     |        ^\n"
                 "note: query events, batch 4\n");
}

Test(diagnostic, shows_the_row_beside_a_place_in_the_text)
{
    const struct arus_diagnostic_style style = style_of(NULL, "SELECT a * 10000000");
    struct arus_error error;

    cr_assert(eq(
        int, arus_fail_at(&error, (struct arus_place){7, 12}, NULL, "INT overflow: 399 * 10000000"),
        ARUS_BAD_CONFIG));
    (void)arus_error_row(&error, "in/batch-01.jsonl:1 {\"a\":399}");
    expect_lines(&style, ARUS_SEVERITY_WARNING, &error,
                 "arus: 1:8: warning: INT overflow: 399 * 10000000\n"
                 "   1 | SELECT a * 10000000\n"
                 "     |        ^^^^^^^^^^^^\n"
                 "row:  in/batch-01.jsonl:1 {\"a\":399}\n");
}

Test(diagnostic, points_behind_the_end_of_the_text)
{
    const struct arus_diagnostic_style style = {.source = ARUS_TEXT("SELECT * FROM parquet."),
                                                .is_interactive = true};
    struct arus_error error;

    cr_assert(eq(int, arus_fail_at(&error, (struct arus_place){22, 1}, NULL, "`path` missing"),
                 ARUS_BAD_CONFIG));
    expect_lines(&style, ARUS_SEVERITY_ERROR, &error,
                 "1:23: error: `path` missing\n"
                 "   1 | SELECT * FROM parquet.\n"
                 "     |                       ^\n");
}

Test(diagnostic, counts_characters_and_widths)
{
    const char *sql = "SELECT '\xE4\xB8\xAD\xC3\xA9', b\tc FROM t";
    const struct arus_diagnostic_style style = style_of("p.sql", sql);
    struct arus_error error;

    cr_assert(eq(int, arus_fail_at(&error, find(sql, "c FROM"), NULL, "no"), ARUS_BAD_CONFIG));
    error.place.size = 1;
    expect_lines(&style, ARUS_SEVERITY_ERROR, &error,
                 "arus: p.sql:1:16: error: no\n"
                 "   1 | SELECT '\xE4\xB8\xAD\xC3\xA9', b c FROM t\n"
                 "     |                 ^\n");
}

Test(diagnostic, cuts_wide_lines_around_the_token)
{
    struct arus_diagnostic_style style = {.width = 47};
    struct arus_error error;
    char sql[300];

    for (int i = 0; i < 60; i++) {
        memcpy(sql + (size_t)i * 4, "abc ", 4);
    }
    memcpy(sql + 120, "BAD ", 5);
    memcpy(sql + 124, "xyz xyz xyz xyz xyz xyz xyz", 28);
    style.source = arus_text_of(sql);
    cr_assert(
        eq(int, arus_fail_at(&error, (struct arus_place){120, 3}, NULL, "no"), ARUS_BAD_CONFIG));
    expect_lines(&style, ARUS_SEVERITY_ERROR, &error,
                 "arus: 1:121: error: no\n"
                 "   1 | ...bc abc abc abc BAD xyz xyz xyz xyz...\n"
                 "     |                   ^^^\n");
}

Test(diagnostic, names_the_file_of_a_failure_without_a_line)
{
    const struct arus_diagnostic_style style = {.subject = "query events, batch 2"};
    struct arus_error error;

    cr_assert(eq(int, arus_fail(&error, ARUS_BAD_DATA, NULL, "cannot open"), ARUS_BAD_DATA));
    (void)snprintf(error.file.path, sizeof error.file.path, "in/b.json");
    expect_lines(&style, ARUS_SEVERITY_ERROR, &error,
                 "arus: query events, batch 2: error: in/b.json: cannot open\n");
    cr_assert(eq(int, arus_fail(&error, ARUS_BAD_DATA, NULL, "in/b.json is gone"), ARUS_BAD_DATA));
    (void)snprintf(error.file.path, sizeof error.file.path, "/data/in/b.json");
    expect_lines(&style, ARUS_SEVERITY_ERROR, &error,
                 "arus: query events, batch 2: error: in/b.json is gone\n");
}

Test(diagnostic, cuts_a_wide_token)
{
    struct arus_diagnostic_style style = {.width = 47};
    struct arus_error error;
    char sql[400];

    memset(sql, 'x', sizeof sql - 1);
    sql[sizeof sql - 1] = '\0';
    memcpy(sql, "SELECT ", 7);
    style.source = arus_text_of(sql);
    cr_assert(
        eq(int, arus_fail_at(&error, (struct arus_place){7, 390}, NULL, "no"), ARUS_BAD_CONFIG));
    expect_lines(&style, ARUS_SEVERITY_ERROR, &error,
                 "arus: 1:8: error: no\n"
                 "   1 | ... xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\n"
                 "     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n");
}

Test(diagnostic, escapes_control_characters)
{
    const struct arus_diagnostic_style style = {0};
    struct arus_error error;

    cr_assert(
        eq(int, arus_fail(&error, ARUS_BAD_DATA, NULL, "bad \033[31m\xFFname"), ARUS_BAD_DATA));
    expect_lines(&style, ARUS_SEVERITY_ERROR, &error, "arus: error: bad \\x1B[31m\\xFFname\n");
}

Test(diagnostic, colours_severity_and_caret_only)
{
    struct arus_diagnostic_style style = style_of(NULL, "SELEC");
    struct arus_error error;

    style.has_color = true;
    cr_assert(
        eq(int, arus_fail_at(&error, (struct arus_place){0, 5}, NULL, "no"), ARUS_BAD_CONFIG));
    expect_lines(&style, ARUS_SEVERITY_ERROR, &error,
                 "arus: 1:1: \033[1;31merror:\033[0m no\n"
                 "   1 | SELEC\n"
                 "     | \033[1;31m^^^^^\033[0m\n");
}
