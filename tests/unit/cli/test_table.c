#include "cli/table.h"
#include "support/failing.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const struct arus_table_column COLUMNS[] = {
    {{"event_id", 8}, false},
    {{"event_time", 10}, false},
    {{"value", 5}, true},
};

static char *finish(struct arus_table *table, struct arus_buffer *out)
{
    struct arus_error err;

    cr_assert(eq(int, arus_table_finish(table, out, &err), ARUS_OK));
    cr_assert(eq(int, arus_buffer_append_char(out, '\0', &err), ARUS_OK));
    arus_table_release(table);
    return out->data;
}

static void add(struct arus_table *table, struct arus_buffer *out, const char *a, const char *b,
                const char *c)
{
    const struct arus_text cells[] = {a == NULL ? (struct arus_text){0} : arus_text_of(a),
                                      arus_text_of(b), arus_text_of(c)};
    struct arus_error err;

    cr_assert(eq(int, arus_table_add(table, cells, out, &err), ARUS_OK));
}

Test(table, numbers_stand_right_and_text_left)
{
    struct arus_buffer out = {0};
    struct arus_table table;
    struct arus_error err;

    cr_assert(eq(int, arus_table_init(&table, COLUMNS, 3, 0, &err), ARUS_OK));
    add(&table, &out, "e1-0000", "2026-03-02 09:00:00", "399");
    add(&table, &out, NULL, "2026-03-02 09:00:01.5", "7");
    cr_expect_str_eq(finish(&table, &out), "+--------+---------------------+-----+\n"
                                           "|event_id|event_time           |value|\n"
                                           "+--------+---------------------+-----+\n"
                                           "|e1-0000 |2026-03-02 09:00:00  |  399|\n"
                                           "|NULL    |2026-03-02 09:00:01.5|    7|\n"
                                           "+--------+---------------------+-----+\n");
    arus_buffer_release(&out);
}

Test(table, headers_of_numbers_stand_right)
{
    static const struct arus_table_column ONE[] = {{{"n", 1}, true}};
    const struct arus_text cell = ARUS_TEXT("2000");
    struct arus_buffer out = {0};
    struct arus_table table;
    struct arus_error err;

    cr_assert(eq(int, arus_table_init(&table, ONE, 1, 0, &err), ARUS_OK));
    cr_assert(eq(int, arus_table_add(&table, &cell, &out, &err), ARUS_OK));
    cr_expect_str_eq(finish(&table, &out), "+----+\n|   n|\n+----+\n|2000|\n+----+\n");
    arus_buffer_release(&out);
}

Test(table, cells_are_cut_only_to_fit_a_screen)
{
    struct arus_buffer out = {0};
    struct arus_table table;
    struct arus_error err;

    cr_assert(eq(int, arus_table_init(&table, COLUMNS, 3, 30, &err), ARUS_OK));
    add(&table, &out, "abcdefghijklmnop", "2026-03-02 09:00:00", "12345");
    cr_expect_str_eq(finish(&table, &out), "+----------+-----------+-----+\n"
                                           "|event_id  |event_time |value|\n"
                                           "+----------+-----------+-----+\n"
                                           "|abcdefg...|2026-03-...|12345|\n"
                                           "+----------+-----------+-----+\n");
    arus_buffer_release(&out);
}

Test(table, widths_are_columns_and_line_ends_are_escaped)
{
    struct arus_buffer out = {0};
    struct arus_table table;
    struct arus_error err;

    cr_assert(eq(int, arus_table_init(&table, COLUMNS, 3, 0, &err), ARUS_OK));
    add(&table, &out, "\xE4\xB8\xAD\xE6\x96\x87", "a\nb", "1");
    cr_expect_str_eq(finish(&table, &out), "+--------+----------+-----+\n"
                                           "|event_id|event_time|value|\n"
                                           "+--------+----------+-----+\n"
                                           "|\xE4\xB8\xAD\xE6\x96\x87    |a\\nb      |    1|\n"
                                           "+--------+----------+-----+\n");
    arus_buffer_release(&out);
}

Test(table, many_rows_flow_through)
{
    struct arus_buffer out = {0};
    struct arus_table table;
    struct arus_error err;
    uint64_t lines = 0;

    cr_assert(eq(int, arus_table_init(&table, COLUMNS, 3, 0, &err), ARUS_OK));
    for (int i = 0; i < ARUS_TABLE_ROWS_MAX + 5; i++) {
        add(&table, &out, "a", "b", "1");
    }
    cr_expect(out.size > 0);
    for (const char *c = finish(&table, &out); *c != '\0'; c++) {
        lines += *c == '\n';
    }
    cr_expect(eq(u64, lines, ARUS_TABLE_ROWS_MAX + 5 + 4));
    arus_buffer_release(&out);
}

static enum arus_status print_one(struct arus_error *err)
{
    const struct arus_text cells[] = {ARUS_TEXT("a"), ARUS_TEXT("b"), ARUS_TEXT("1")};
    struct arus_buffer out = {0};
    struct arus_table table;
    enum arus_status status = arus_table_init(&table, COLUMNS, 3, 0, err);

    if (status == ARUS_OK) {
        status = arus_table_add(&table, cells, &out, err);
    }
    if (status == ARUS_OK) {
        status = arus_table_finish(&table, &out, err);
    }
    arus_table_release(&table);
    arus_buffer_release(&out);
    return status;
}

Test(table, survives_each_failing_allocation)
{
    assert_each_failure(print_one);
}
