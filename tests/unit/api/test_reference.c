#include "api/reference.h"
#include "support/sql_rows.h"

#include <criterion/criterion.h>

static void expect_example(const struct arus_function_page *page)
{
    struct arus_buffer sql = {0};
    struct arus_buffer rows = {0};
    struct arus_error err = {0};

    if (page->example == NULL) {
        return;
    }
    cr_assert_eq(arus_buffer_printf(&sql, &err, "SET spark.sql.session.timeZone = UTC; SELECT %s%c",
                                    page->example, '\0'),
                 ARUS_OK);
    cr_expect_eq(sql_rows(sql.data, &rows, &err), ARUS_OK, "%s: %s [%s]", page->example,
                 err.message, err.condition == NULL ? "" : err.condition);
    cr_expect(arus_text_equal(arus_buffer_text(&rows), arus_text_of(page->result)),
              "%s = %.*s, not %s", page->example, (int)rows.size,
              rows.data == NULL ? "" : rows.data, page->result);
    arus_buffer_release(&sql);
    arus_buffer_release(&rows);
}

static void each_page(void (*expect)(const struct arus_function_page *page))
{
    const struct arus_function_page *pages;
    struct arus_arena arena;
    struct arus_error err;
    size_t count;

    arus_arena_init(&arena, 0);
    cr_assert_eq(arus_reference_functions(&arena, &pages, &count, &err), ARUS_OK);
    for (size_t i = 0; i < count; i++) {
        expect(&pages[i]);
    }
    arus_arena_release(&arena);
}

Test(reference, every_example_gives_its_result, .timeout = 900)
{
    each_page(expect_example);
}

static void expect_complete(const struct arus_function_page *page)
{
    cr_expect(page->signature != NULL, "%s has no signature", page->name);
    cr_expect(page->example != NULL && page->result != NULL, "%s has no example", page->name);
}

Test(reference, every_function_has_help_and_an_example)
{
    each_page(expect_complete);
}
