#include "cli/complete.h"
#include "support/folder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static bool give_table(void *self, size_t index, struct arus_text *out)
{
    static const char *const NAMES[] = {"events", "landing", "windows$late"};

    (void)self;
    *out = arus_text_of(index < 3 ? NAMES[index] : "");
    return index < 3;
}

static bool give_column(void *self, struct arus_text table, size_t index, struct arus_text *out)
{
    static const char *const EVENTS[] = {"device", "event_id", "Wert"};

    (void)self;
    if (!arus_text_equal_nocase(table, ARUS_TEXT("events")) || index >= 3) {
        return false;
    }
    *out = arus_text_of(EVENTS[index]);
    return true;
}

/* "begin: item item+ | common": + where the only item goes on. */
static void expect(const char *folder, const char *text, const char *expected)
{
    const struct arus_complete_source source = {folder, give_table, give_column, NULL};
    struct arus_arena arena = {0};
    struct arus_buffer found = {0};
    struct arus_completion completion;
    struct arus_error err;

    cr_assert(
        eq(int, arus_complete(&source, arus_text_of(text), &arena, &completion, &err), ARUS_OK));
    cr_assert(eq(int, arus_buffer_printf(&found, &err, "%zu:", completion.begin), ARUS_OK));
    for (size_t i = 0; i < completion.count; i++) {
        cr_assert(eq(int,
                     arus_buffer_printf(&found, &err, " %.*s", ARUS_TEXT_ARGS(completion.items[i])),
                     ARUS_OK));
    }
    cr_assert(eq(int,
                 arus_buffer_printf(&found, &err, "%s | %.*s%c", completion.goes_on ? "+" : "",
                                    (int)completion.common_size,
                                    completion.count == 0 ? "" : completion.items[0].data, '\0'),
                 ARUS_OK));
    cr_expect_str_eq(found.data, expected, "%s: %s", text, found.data);
    arus_buffer_release(&found);
    arus_arena_release(&arena);
}

Test(complete, tables_functions_and_keywords)
{
    expect("/", "SELECT * FROM event", "14: events | events");
    expect("/", "SELECT * FROM lan", "14: landing | landing");
    expect("/", "SELEC", "0: SELECT | SELECT");
    expect("/", "selec", "0: select | select");
    expect("/", "SELECT DATE_TR", "7: DATE_TRUNC(+ | DATE_TRUNC(");
    expect("/", "SELECT date_tr", "7: date_trunc(+ | date_trunc(");
    expect("/", "SELECT * FROM ", "14: events landing windows$late | ");
}

Test(complete, columns_of_the_tables_that_are_named)
{
    expect("/", "SELECT * FROM events WHERE dev", "27: device | device");
    expect("/", "SELECT * FROM events WHERE wer", "27: Wert | Wert");
    expect("/", "SELECT events.", "14: Wert device event_id | ");
    expect("/", "SELECT * FROM events e WHERE e.d", "31: device | device");
    expect("/", "SELECT landing.", "15: | ");
}

Test(complete, commands_of_the_prompt)
{
    expect("/", "\\", "0: \\d \\h \\q \\timing \\x | \\");
    expect("/", "\\ti", "0: \\timing | \\timing");
    expect("/", "\\d e", "3: events | events");
}

Test(complete, formats_and_their_options)
{
    expect("/", "CREATE TABLE t USING par", "21: parquet | parquet");
    expect("/", "CREATE TABLE t USING json OPTIONS (path 'x', multiL", "45: multiLine | multiLine");
    expect("/", "CREATE TABLE t USING json OPTIONS (path 'x') multiL", "45: | ");
}

Test(complete, paths_in_backticks_and_quotes, .init = folder_make, .fini = folder_remove)
{
    const char *folder = test_folder;

    put_file(at("in/a.json"), "");
    put_file(at("in/b.json"), "");
    put_file(at("in/_hidden"), "");
    put_file(at("inner"), "");
    expect(folder, "SELECT * FROM json.`i", "20: in/ inner | in");
    expect(folder, "SELECT * FROM json.`in/", "23: a.json b.json | ");
    expect(folder, "SELECT * FROM json.`in/_", "23: _hidden+ | _hidden");
    expect(folder, "CREATE TABLE t USING json OPTIONS (path 'in/b", "44: b.json+ | b.json");
    expect(folder, "SELECT * FROM json.`nowhere/x", "28: | ");
    expect(folder, "SELECT \"i", "9: | ");
}
