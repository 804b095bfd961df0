#include "format/csv.h"

#include "csv_fixture.h"

static void expect_schema(const char *const *options, struct arus_text content,
                          const char *expected)
{
    const struct fixture fixture = {.format = &ARUS_FORMAT_CSV, .options = options};
    struct opened opened = {0};
    struct arus_error err = {0};
    const struct arus_type *schema = NULL;
    struct arus_buffer ddl = {0};
    char path[64];

    file_make(path, sizeof path, ".csv", content);
    cr_assert(eq(int, opened_settings(&fixture, &opened, &err), ARUS_OK));
    cr_assert(
        eq(int, ARUS_FORMAT_CSV.check_read(opened.settings, NULL, &opened.arena, &err), ARUS_OK));
    cr_assert(eq(int,
                 ARUS_FORMAT_CSV.infer(opened.settings,
                                       &(struct arus_input){path, content.size, 0, content.size},
                                       ARUS_ZONE_UTC, &opened.arena, &schema, &err),
                 ARUS_OK),
              "%s", err.message);
    cr_assert(eq(int, arus_schema_ddl(schema, &ddl, &err), ARUS_OK));
    cr_expect(arus_text_equal(arus_buffer_text(&ddl), arus_text_of(expected)), "got %.*s",
              ARUS_TEXT_ARGS(arus_buffer_text(&ddl)));
    arus_buffer_release(&ddl);
    arus_arena_release(&opened.arena);
    file_remove(path);
}

Test(csv_infer, names_columns_by_position_or_header)
{
    expect_schema((const char *const[]){NULL}, ARUS_TEXT("1,x\n"), "_c0 STRING, _c1 STRING");
    expect_schema((const char *const[]){"header", "true", NULL}, ARUS_TEXT("a,,B,b\n1,2,3,4\n"),
                  "a STRING, _c1 STRING, B2 STRING, b3 STRING");
}

Test(csv_infer, finds_the_narrowest_type)
{
    expect_schema((const char *const[]){"inferSchema", "true", NULL},
                  ARUS_TEXT("1,1,1,1.5,true,2026-01-01,2026-01-01 10:00:00,x,\n"
                            "2,3000000000,99999999999999999999,2,false,2026-01-02,2026-01-01,1,\n"),
                  "_c0 INT, _c1 BIGINT, _c2 DECIMAL(20,0), _c3 DOUBLE, _c4 BOOLEAN, _c5 DATE, "
                  "_c6 TIMESTAMP, _c7 STRING, _c8 STRING");
    expect_schema((const char *const[]){"inferSchema", "true", "preferDate", "false", NULL},
                  ARUS_TEXT("2026-01-01,1\n2026-01-02,true\n"), "_c0 TIMESTAMP, _c1 STRING");
}
