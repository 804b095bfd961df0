#include "base/text.h"
#include "column/arrow.h"
#include "column/builder.h"

#include <criterion/criterion.h>

static struct arus_arena arena;

static void end(void)
{
    arus_arena_release(&arena);
}

TestSuite(arrow, .fini = end);

static const struct arus_type *type_of(const char *ddl)
{
    const struct arus_type *type;
    struct arus_error err;

    cr_assert(arus_type_parse_ddl(arus_text_of(ddl), &arena, &type, &err) == ARUS_OK);
    return type;
}

static struct ArrowSchema schema_of(const char *ddl)
{
    struct ArrowSchema schema;
    struct arus_error err;

    cr_assert(arus_arrow_schema(type_of(ddl), &schema, &err) == ARUS_OK);
    return schema;
}

Test(arrow, types_have_the_letters_of_the_specification)
{
    static const char *const LETTERS[] = {"b",      "c", "s", "i",   "l",       "f",    "g",
                                          "d:10,2", "u", "z", "tdD", "tsu:UTC", "tsu:", "+l"};
    struct ArrowSchema schema =
        schema_of("a BOOLEAN, b TINYINT, c SMALLINT, d INT, e BIGINT, f FLOAT, g DOUBLE, h "
                  "DECIMAL(10,2), i STRING, j BINARY, k DATE, l TIMESTAMP, m TIMESTAMP_NTZ, n "
                  "ARRAY<INT>");

    cr_assert_str_eq(schema.format, "+s");
    for (size_t i = 0; i < sizeof LETTERS / sizeof LETTERS[0]; i++) {
        cr_expect_str_eq(schema.children[i]->format, LETTERS[i]);
    }
    schema.release(&schema);
    cr_assert(schema.release == NULL);
}

Test(arrow, keys_of_maps_are_never_null)
{
    struct ArrowSchema schema = schema_of("m MAP<STRING, INT>");
    const struct ArrowSchema *entries = schema.children[0]->children[0];

    cr_assert_str_eq(schema.children[0]->format, "+m");
    cr_assert_str_eq(entries->format, "+s");
    cr_assert((entries->flags & ARROW_FLAG_NULLABLE) == 0);
    cr_assert((entries->children[0]->flags & ARROW_FLAG_NULLABLE) == 0);
    cr_assert((entries->children[1]->flags & ARROW_FLAG_NULLABLE) != 0);
    schema.release(&schema);
}

Test(arrow, a_child_that_was_moved_outlives_its_parent)
{
    struct ArrowSchema schema = schema_of("id INT, s STRUCT<x: STRING, y: ARRAY<INT>>");
    struct ArrowSchema moved = *schema.children[1];

    schema.children[1]->release = NULL;
    schema.release(&schema);
    cr_assert_str_eq(moved.name, "s");
    cr_assert_str_eq(moved.children[1]->children[0]->format, "i");
    moved.release(&moved);
}

Test(arrow, constants_become_rows_and_nulls_are_counted)
{
    int32_t value = 7;
    uint64_t none = 0;
    const struct arus_type *schema = type_of("a INT, b INT");
    struct arus_vector columns[2] = {{.type = schema->fields[0].type,
                                      .form = ARUS_VECTOR_CONSTANT,
                                      .row_count = 3,
                                      .values = &value},
                                     {.type = schema->fields[1].type,
                                      .form = ARUS_VECTOR_CONSTANT,
                                      .row_count = 3,
                                      .values = &value,
                                      .validity = &none}};
    const struct arus_batch batch = {.schema = schema, .row_count = 3, .columns = columns};
    struct ArrowArray array;
    struct ArrowArray moved;
    struct arus_error err;

    cr_assert(arus_arrow_batch(&batch, &array, &err) == ARUS_OK);
    cr_assert(array.length == 3 && array.n_children == 2);
    cr_assert(array.children[1]->null_count == 3);
    moved = *array.children[0];
    array.children[0]->release = NULL;
    array.release(&array);
    cr_assert(((const int32_t *)moved.buffers[1])[2] == 7);
    moved.release(&moved);
}
