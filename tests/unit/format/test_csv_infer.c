#include "format/csv.h"

#include "csv_fixture.h"

/* The schema of one file, or of two. */
static void expect_schema_of(const char *const *options, const struct arus_text *contents,
                             size_t count, const char *expected)
{
    const struct fixture fixture = {.format = &ARUS_FORMAT_CSV, .options = options};
    struct opened opened = {0};
    struct arus_error err = {0};
    const struct arus_type *schema = NULL;
    struct arus_buffer ddl = {0};
    struct arus_input inputs[2];
    char paths[2][64];

    for (size_t i = 0; i < count; i++) {
        file_make(paths[i], sizeof paths[i], ".csv", contents[i]);
        inputs[i] = (struct arus_input){paths[i], contents[i].size, 0, contents[i].size};
    }
    cr_assert(eq(int, opened_settings(&fixture, &opened, &err), ARUS_OK));
    cr_assert(
        eq(int, ARUS_FORMAT_CSV.check_read(opened.settings, NULL, &opened.arena, &err), ARUS_OK));
    cr_assert(eq(int,
                 ARUS_FORMAT_CSV.infer(opened.settings, &(struct arus_inputs){inputs, count},
                                       ARUS_ZONE_UTC, &opened.arena, &schema, &err),
                 ARUS_OK),
              "%s", err.message);
    cr_assert(eq(int, arus_schema_ddl(schema, &ddl, &err), ARUS_OK));
    cr_expect(arus_text_equal(arus_buffer_text(&ddl), arus_text_of(expected)), "got %.*s",
              ARUS_TEXT_ARGS(arus_buffer_text(&ddl)));
    arus_buffer_release(&ddl);
    arus_arena_release(&opened.arena);
    for (size_t i = 0; i < count; i++) {
        file_remove(paths[i]);
    }
}

static void expect_schema(const char *const *options, struct arus_text content,
                          const char *expected)
{
    expect_schema_of(options, &content, 1, expected);
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

Test(csv_infer, counts_scales_as_java_does)
{
    expect_schema((const char *const[]){"inferSchema", "true", NULL},
                  ARUS_TEXT("1.,1.5e1,1e5,99999999999e0\n"),
                  "_c0 DECIMAL(1,0), _c1 DECIMAL(2,0), _c2 DOUBLE, _c3 DECIMAL(11,0)");
}

Test(csv_infer, reads_all_files_the_largest_first)
{
    static const char *const OPTIONS[] = {"header", "true", "inferSchema", "true", NULL};
    const struct arus_text small_first[] = {ARUS_TEXT("a,b\n1,2\n"), ARUS_TEXT("c,d\n3,x\n4,y\n")};
    const struct arus_text alike[] = {ARUS_TEXT("a\n1\n"), ARUS_TEXT("a\n2.5\n")};

    expect_schema_of(OPTIONS, small_first, 2, "c STRING, d STRING");
    expect_schema_of(OPTIONS, alike, 2, "a DOUBLE");
}

Test(csv_infer, the_first_line_may_be_blank_by_a_tab)
{
    expect_schema((const char *const[]){"inferSchema", "true", NULL}, ARUS_TEXT(" \n\t\n1,2\n"),
                  "_c0 INT");
}
