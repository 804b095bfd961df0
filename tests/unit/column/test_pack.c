#include "column/pack.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>

enum { ROWS = 40 };

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> 8;
}

/* Few different values, so that many are equal; some null. */
static void fill(struct arus_vector *vector, const struct arus_type *type, struct arus_arena *arena,
                 uint64_t *state)
{
    static const char *const TEXTS[] = {"", "a", "abcd", "abcde", "abcdf", "b\xC3\xBC", "zz"};
    static const double DOUBLES[] = {0.0, -0.0, -1.5, 2.25, INFINITY, NAN};
    struct arus_error err;

    cr_assert(eq(int, arus_vector_init(vector, type, ROWS, arena, &err), ARUS_OK));
    cr_assert(eq(int, arus_vector_need_validity(vector, arena, &err), ARUS_OK));
    for (uint32_t i = 0; i < ROWS; i++) {
        const uint64_t any = next(state);

        if (type->id == ARUS_TYPE_INT) {
            ((int32_t *)vector->values)[i] = (int32_t)(any % 3) - 1;
        } else if (type->id == ARUS_TYPE_DOUBLE) {
            ((double *)vector->values)[i] = DOUBLES[any % 6];
        } else if (type->id == ARUS_TYPE_STRING) {
            ((struct arus_view *)vector->values)[i] =
                arus_view_of(TEXTS[any % 7], strlen(TEXTS[any % 7]));
        } else if (type->id == ARUS_TYPE_ARRAY) {
            ((struct arus_span *)vector->values)[i] =
                (struct arus_span){(uint32_t)(any % (ROWS - 4)), (uint32_t)(any >> 20) % 4};
        }
        if (next(state) % 5 == 0) {
            arus_bit_clear(vector->validity, i);
        }
    }
    for (uint16_t f = 0; f < type->field_count; f++) {
        fill(&vector->children[f], type->fields[f].type, arena, state);
    }
}

static int sign_of(int order)
{
    return (order > 0) - (order < 0);
}

static void expect_same_order(const struct arus_vector *vector, uint64_t seed)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        for (uint32_t j = 0; j < ROWS; j++) {
            char *a = malloc(arus_pack_size(vector, i));
            char *b = malloc(arus_pack_size(vector, j));
            const int order = sign_of(arus_vector_compare(vector, i, vector, j));

            (void)arus_pack_write(vector, i, a);
            (void)arus_pack_write(vector, j, b);
            cr_expect(sign_of(arus_pack_compare(vector->type, a, b)) == order,
                      "seed %d, rows %u and %u packed", (int)seed, i, j);
            cr_expect(sign_of(arus_pack_compare_row(a, vector, j)) == order,
                      "seed %d, row %u packed and row %u", (int)seed, i, j);
            free(a);
            free(b);
        }
    }
}

Test(pack, packed_values_have_the_order_of_rows)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct arus_arena arena = {0};
        struct arus_error err;
        const struct arus_type *types[5] = {&ARUS_INT, &ARUS_STRING, &ARUS_DOUBLE};
        const struct arus_type *list;
        struct arus_field fields[3] = {
            {.name = ARUS_TEXT("a"), .type = &ARUS_INT},
            {.name = ARUS_TEXT("b")},
            {.name = ARUS_TEXT("c"), .type = &ARUS_DOUBLE},
        };
        struct arus_type record = {.id = ARUS_TYPE_STRUCT, .fields = fields, .field_count = 3};
        uint64_t state = seed * 0x9E3779B97F4A7C15u;

        cr_assert(eq(int, arus_type_array(&ARUS_STRING, true, &arena, &list, &err), ARUS_OK));
        fields[1].type = list;
        types[3] = list;
        types[4] = &record;
        for (size_t t = 0; t < 5; t++) {
            struct arus_vector vector;

            fill(&vector, types[t], &arena, &state);
            expect_same_order(&vector, seed);
        }
        arus_arena_release(&arena);
    }
}
