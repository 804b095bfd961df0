#include "exec/few.h"
#include "support/failing.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define ROWS    1000
#define COLUMNS 3

static struct arus_error err;

struct table {
    struct arus_arena arena;
    struct arus_vector columns[COLUMNS]; /* text, bigint, boolean */
};

/* Texts of any length that differ in one byte only. */
static struct arus_view text_of(uint32_t number)
{
    static char texts[32][40];
    char *text = texts[number % 32];

    memset(text, 'x', sizeof texts[0]);
    text[number % 32] = 'y';
    return arus_view_of(text, number % 32 + 1 + number % 3);
}

static void fill(struct table *table, uint32_t text_count, uint32_t number_count, bool has_nulls)
{
    struct arus_vector *columns = table->columns;

    cr_assert(
        eq(int, arus_vector_init(&columns[0], &ARUS_STRING, ROWS, &table->arena, &err), ARUS_OK));
    cr_assert(
        eq(int, arus_vector_init(&columns[1], &ARUS_BIGINT, ROWS, &table->arena, &err), ARUS_OK));
    cr_assert(
        eq(int, arus_vector_init(&columns[2], &ARUS_BOOLEAN, ROWS, &table->arena, &err), ARUS_OK));
    for (uint32_t i = 0; i < ROWS; i++) {
        ((struct arus_view *)columns[0].values)[i] = text_of(i * 7 % text_count);
        ((int64_t *)columns[1].values)[i] = (int64_t)(i / 50 % number_count);
        ((uint8_t *)columns[2].values)[i] = i % 3 == 0;
    }
    for (int c = 0; has_nulls && c < COLUMNS; c++) {
        cr_assert(eq(int, arus_vector_need_validity(&columns[c], &table->arena, &err), ARUS_OK));
        for (uint32_t i = (uint32_t)c; i < ROWS; i += 5) {
            arus_bit_clear(columns[c].validity, i);
        }
    }
}

static bool same_value(const struct arus_vector *column, uint32_t a, uint32_t b)
{
    const struct arus_view *views = column->values;

    if (!arus_bit_get(column->validity, a) || !arus_bit_get(column->validity, b)) {
        return arus_bit_get(column->validity, a) == arus_bit_get(column->validity, b);
    }
    switch (arus_type_value_size(column->type)) {
    case 1:
        return ((const uint8_t *)column->values)[a] == ((const uint8_t *)column->values)[b];
    case 8:
        return ((const int64_t *)column->values)[a] == ((const int64_t *)column->values)[b];
    default:
        return views[a].size == views[b].size &&
               memcmp(views[a].data, views[b].data, views[a].size) == 0;
    }
}

static bool same_key(const struct arus_vector *columns, uint32_t a, uint32_t b)
{
    return same_value(&columns[0], a, b) && same_value(&columns[1], a, b) &&
           same_value(&columns[2], a, b);
}

static void assert_places(const struct arus_vector *columns, const struct arus_few *few)
{
    for (uint32_t k = 1; k < few->count; k++) {
        cr_assert(gt(u32, few->firsts[k], few->firsts[k - 1]));
    }
    for (uint32_t i = 0; i < ROWS; i++) {
        for (uint32_t k = 0; k < few->count; k++) {
            cr_assert(eq(int, same_key(columns, i, few->firsts[k]), few->places[i] == k),
                      "row %u, key %u", i, k);
        }
    }
}

Test(few, rows_of_one_key_have_one_place)
{
    for (int has_nulls = 0; has_nulls < 2; has_nulls++) {
        for (uint32_t texts = 1; texts <= 9; texts += 4) {
            struct table table = {0};
            struct arus_few few;
            bool is_few;

            fill(&table, texts, 3, has_nulls != 0);
            cr_assert(eq(
                int, arus_few_find(table.columns, COLUMNS, ROWS, &table.arena, &few, &is_few, &err),
                ARUS_OK));
            cr_assert(is_few);
            assert_places(table.columns, &few);
            arus_arena_release(&table.arena);
        }
    }
}

Test(few, structs_are_their_fields_and_whether_they_are_null)
{
    const struct arus_field fields[] = {{.name = ARUS_TEXT("a"), .type = &ARUS_BIGINT}};
    const struct arus_type type = {.id = ARUS_TYPE_STRUCT, .fields = fields, .field_count = 1};
    struct arus_arena arena = {0};
    struct arus_vector column;
    struct arus_few few;
    bool is_few;

    cr_assert(eq(int, arus_vector_init(&column, &type, ROWS, &arena, &err), ARUS_OK));
    cr_assert(eq(int, arus_vector_need_validity(&column, &arena, &err), ARUS_OK));
    for (uint32_t i = 0; i < ROWS; i++) {
        ((int64_t *)column.children[0].values)[i] = i % 2;
        if (i % 3 == 0) {
            arus_bit_clear(column.validity, i);
        }
    }
    cr_assert(eq(int, arus_few_find(&column, 1, ROWS, &arena, &few, &is_few, &err), ARUS_OK));
    cr_assert(is_few);
    for (uint32_t i = 0; i < ROWS; i++) {
        for (uint32_t j = 0; j < 12; j++) { /* same place: the same key */
            cr_assert(few.places[i] != few.places[j] ||
                      ((i % 3 == 0) == (j % 3 == 0) && i % 2 == j % 2));
        }
    }
    arus_arena_release(&arena);
}

Test(few, many_keys_are_not_few)
{
    struct table table = {0};
    struct arus_few few;
    bool is_few = true;

    fill(&table, 1, 1, false);
    for (uint32_t i = 0; i < ROWS; i++) {
        ((int64_t *)table.columns[1].values)[i] = i;
    }
    cr_assert(eq(int,
                 arus_few_find(table.columns, COLUMNS, ROWS, &table.arena, &few, &is_few, &err),
                 ARUS_OK));
    cr_expect(not(is_few));
    arus_arena_release(&table.arena);
}

/* Integers at both ends of their type, near each other and not. */
Test(few, integers_of_any_distance)
{
    static const int64_t STARTS[] = {INT64_MIN, -100, INT64_MAX - 200, INT64_MIN};
    static const uint64_t STEPS[] = {1, 1, 7, UINT64_MAX / 40};

    for (size_t shape = 0; shape < 4; shape++) {
        struct table table = {0};
        struct arus_few few;
        bool is_few;

        fill(&table, 3, 1, shape % 2 == 1);
        for (uint32_t i = 0; i < ROWS; i++) {
            ((int64_t *)table.columns[1].values)[i] =
                (int64_t)((uint64_t)STARTS[shape] + i % 29 * STEPS[shape]);
        }
        cr_assert(eq(int,
                     arus_few_find(table.columns, COLUMNS, ROWS, &table.arena, &few, &is_few, &err),
                     ARUS_OK));
        cr_assert(is_few);
        assert_places(table.columns, &few);
        arus_arena_release(&table.arena);
    }
}

/* A dictionary with nulls, as a reader or a filter gives it. */
Test(few, dictionaries_tell_their_places)
{
    struct table table = {0};
    struct arus_vector columns[COLUMNS];
    struct arus_few few;
    bool is_few;
    uint32_t indices[ROWS];

    fill(&table, 9, 3, true);
    table.columns[0].row_count = 9; /* each text once, the first one null */
    for (uint32_t i = 0; i < ROWS; i++) {
        indices[i] = i * 5 % 9;
    }
    memcpy(columns, table.columns, sizeof columns);
    cr_assert(eq(
        int, arus_vector_slice(&table.columns[0], indices, ROWS, &table.arena, &columns[0], &err),
        ARUS_OK));
    cr_assert(
        eq(int, arus_few_find(columns, COLUMNS, ROWS, &table.arena, &few, &is_few, &err), ARUS_OK));
    cr_assert(is_few);
    for (uint32_t i = 0; i < ROWS; i++) {
        for (uint32_t k = 0; k < few.count; k++) {
            const uint32_t first = few.firsts[k];
            const bool is_same = same_value(&table.columns[0], indices[i], indices[first]) &&
                                 same_value(&columns[1], i, first) &&
                                 same_value(&columns[2], i, first);

            /* rows 0 and 5 of the dictionary are null: two places for one key */
            cr_expect(few.places[i] != k || is_same, "row %u, key %u", i, k);
        }
    }
    arus_arena_release(&table.arena);
}
