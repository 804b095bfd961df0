#include "types/type.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(type, value_sizes_follow_the_table)
{
    const struct arus_type wide = {.id = ARUS_TYPE_DECIMAL, .precision = 19};
    const struct arus_type narrow = {.id = ARUS_TYPE_DECIMAL, .precision = 18};

    cr_expect(eq(u32, arus_type_value_size(&ARUS_BOOLEAN), 1));
    cr_expect(eq(u32, arus_type_value_size(&ARUS_INT), 4));
    cr_expect(eq(u32, arus_type_value_size(&ARUS_STRING), 16));
    cr_expect(eq(u32, arus_type_value_size(&narrow), 8));
    cr_expect(eq(u32, arus_type_value_size(&wide), 16));
    cr_expect(eq(u32, arus_type_value_size(&ARUS_VOID), 0));
}

Test(type, equality_ignores_the_case_of_field_names_and_nullability)
{
    const struct arus_field lower[] = {{ARUS_TEXT("ab"), &ARUS_INT, true, {0}}};
    const struct arus_field upper[] = {{ARUS_TEXT("AB"), &ARUS_INT, false, {0}}};
    const struct arus_field other[] = {{ARUS_TEXT("AB"), &ARUS_BIGINT, false, {0}}};
    const struct arus_type a = {.id = ARUS_TYPE_STRUCT, .field_count = 1, .fields = lower};
    const struct arus_type b = {.id = ARUS_TYPE_STRUCT, .field_count = 1, .fields = upper};
    const struct arus_type c = {.id = ARUS_TYPE_STRUCT, .field_count = 1, .fields = other};

    cr_expect(arus_type_equal(&a, &b));
    cr_expect(not(arus_type_equal(&a, &c)));
    cr_expect(eq(i32, arus_type_find(&a, ARUS_TEXT("AB")), -1));
    cr_expect(eq(i32, arus_type_find_nocase(&a, ARUS_TEXT("AB")), 0));
}

Test(type, a_scale_beyond_the_precision_is_refused)
{
    struct arus_arena arena = {0};
    const struct arus_type *type;
    struct arus_error err;

    cr_expect(eq(int, arus_type_decimal(5, 6, &arena, &type, &err), ARUS_BAD_CONFIG));
    cr_expect(eq(int, arus_type_decimal(39, 6, &arena, &type, &err), ARUS_BAD_CONFIG));
    cr_expect_str_eq(err.condition, "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION");
    cr_expect(eq(int, arus_type_decimal(38, 38, &arena, &type, &err), ARUS_OK));
    arus_arena_release(&arena);
}

Test(type, a_copy_owns_its_names)
{
    char name[] = "ab";
    const struct arus_field fields[] = {{{name, 2}, &ARUS_INT, true, ARUS_TEXT("why")}};
    const struct arus_type type = {.id = ARUS_TYPE_STRUCT, .field_count = 1, .fields = fields};
    struct arus_arena arena = {0};
    const struct arus_type *copy;
    struct arus_error err;

    cr_assert(eq(int, arus_type_copy(&type, &arena, &copy, &err), ARUS_OK));
    name[0] = 'z';
    cr_expect(arus_text_equal(copy->fields[0].name, ARUS_TEXT("ab")));
    cr_expect(arus_text_equal(copy->fields[0].comment, ARUS_TEXT("why")));
    arus_arena_release(&arena);
}
