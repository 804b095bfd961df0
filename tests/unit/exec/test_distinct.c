#include "column/hash.h"
#include "exec/distinct.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

enum { BATCHES = 12, ROWS = 200, ALL = BATCHES * ROWS };

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> 8;
}

/* Few values, zeros of both signs and NaNs among them; some null. */
static void fill(struct arus_vector *vector, const struct arus_type *type, struct arus_arena *arena,
                 uint64_t *state)
{
    static const double DOUBLES[] = {0.0, -0.0, NAN, 1.5, -INFINITY};
    static const char *const TEXTS[] = {"", "a", "abcde", "abcdf", "long enough to have no prefix"};
    struct arus_error err;

    cr_assert(eq(int, arus_vector_init(vector, type, ALL, arena, &err), ARUS_OK));
    cr_assert(eq(int, arus_vector_need_validity(vector, arena, &err), ARUS_OK));
    for (uint32_t i = 0; i < ALL; i++) {
        const uint64_t any = next(state);
        const double fraction = any % 3 == 0 ? DOUBLES[any / 3 % 5] : (double)(any / 3 % 500);
        const int64_t number = (int64_t)(any % 900) - 300;

        if (type->id == ARUS_TYPE_DOUBLE) {
            ((double *)vector->values)[i] = fraction;
        } else if (type->id == ARUS_TYPE_FLOAT) {
            ((float *)vector->values)[i] = (float)fraction;
        } else if (type->id == ARUS_TYPE_STRING) {
            ((struct arus_view *)vector->values)[i] =
                arus_view_of(TEXTS[any % 5], strlen(TEXTS[any % 5]));
        } else {
            memcpy((char *)vector->values + (size_t)i * arus_type_value_size(type), &number,
                   arus_type_value_size(type));
        }
        if (next(state) % 7 == 0) {
            arus_bit_clear(vector->validity, i);
        }
    }
}

/* Is there no row before `row` of the same group with the same argument? */
static bool is_first(const struct arus_vector *arg, const uint32_t *groups, uint32_t row)
{
    for (uint32_t i = 0; i < row; i++) {
        if ((groups == NULL || groups[i] == groups[row]) && arus_rows_equal(arg, i, arg, row, 1)) {
            return false;
        }
    }
    return true;
}

static void expect_firsts(const struct arus_vector *arg, const uint32_t *groups, uint64_t seed)
{
    const struct arus_type *const types[] = {arg->type};
    struct arus_distinct distinct;
    struct arus_arena step = {0};
    struct arus_error err;

    cr_assert(eq(int, arus_distinct_init(&distinct, types, 1, groups != NULL, &err), ARUS_OK));
    for (uint32_t begin = 0; begin < ALL; begin += ROWS) {
        struct arus_vector part;
        uint32_t rows[ROWS];
        uint32_t *fresh;
        uint32_t count;
        uint32_t seen = 0;

        for (uint32_t i = 0; i < ROWS; i++) {
            rows[i] = begin + i;
        }
        cr_assert(eq(int, arus_vector_slice(arg, rows, ROWS, &step, &part, &err), ARUS_OK));
        cr_assert(eq(int,
                     arus_distinct_find(&distinct, &part, groups == NULL ? NULL : groups + begin,
                                        ROWS, &step, &fresh, &count, &err),
                     ARUS_OK));
        for (uint32_t i = 0; i < ROWS; i++) {
            const bool is_found = seen < count && fresh[seen] == i;

            seen += is_found;
            cr_expect(is_found == is_first(arg, groups, begin + i),
                      "seed %d, type %d, row %u of %s", (int)seed, (int)arg->type->id, begin + i,
                      groups == NULL ? "one group" : "groups");
        }
        cr_expect(eq(u32, seen, count));
    }
    arus_distinct_release(&distinct);
    arus_arena_release(&step);
}

Test(distinct, finds_the_first_row_of_each_argument)
{
    static const struct arus_type *const TYPES[] = {
        &ARUS_BOOLEAN, &ARUS_SMALLINT, &ARUS_INT,    &ARUS_DATE,
        &ARUS_BIGINT,  &ARUS_FLOAT,    &ARUS_DOUBLE, &ARUS_STRING,
    };

    for (uint64_t seed = 1; seed <= 3; seed++) {
        uint64_t state = seed * 0x9E3779B97F4A7C15U;

        for (size_t t = 0; t < sizeof TYPES / sizeof *TYPES; t++) {
            struct arus_arena arena = {0};
            struct arus_vector arg;
            uint32_t groups[ALL];

            fill(&arg, TYPES[t], &arena, &state);
            for (uint32_t i = 0; i < ALL; i++) {
                groups[i] = (uint32_t)(next(&state) % 5);
            }
            expect_firsts(&arg, NULL, seed);
            expect_firsts(&arg, groups, seed);
            arus_arena_release(&arena);
        }
    }
}
