#include "expr/expr.h"
#include "expr/function.h"
#include "support/failing.h"
#include "unit/expr/sql_expr.h"

#include <criterion/criterion.h>

#include <stdio.h>

#define ROWS 130

static struct arus_arena arena;
static struct sql_scope scope;
static struct arus_batch batch;
static struct arus_field fields[3];
static struct arus_type schema;
static struct arus_vector columns[3];
static int32_t numbers[ROWS];
static uint64_t number_validity[3];
static struct arus_view texts[ROWS];
static char bytes[ROWS][8];

/* n: 0..129, each 7th NULL; s: the text of n; c: a constant 5 */
static void start(void)
{
    static int32_t five = 5;

    arus_arena_init(&arena, 0);
    for (uint32_t i = 0; i < ROWS; i++) {
        numbers[i] = (int32_t)i;
        if (i % 7 != 0) {
            arus_bit_set(number_validity, i);
        }
        snprintf(bytes[i], sizeof bytes[i], "%u", i);
        texts[i] = arus_view_of(bytes[i], strlen(bytes[i]));
    }
    fields[0] = (struct arus_field){.name = ARUS_TEXT("n"), .type = &ARUS_INT, .is_nullable = true};
    fields[1] = (struct arus_field){.name = ARUS_TEXT("s"), .type = &ARUS_STRING};
    fields[2] = (struct arus_field){.name = ARUS_TEXT("c"), .type = &ARUS_INT};
    schema = (struct arus_type){.id = ARUS_TYPE_STRUCT, .field_count = 3, .fields = fields};
    columns[0] = (struct arus_vector){
        .type = &ARUS_INT, .row_count = ROWS, .validity = number_validity, .values = numbers};
    columns[1] = (struct arus_vector){.type = &ARUS_STRING, .row_count = ROWS, .values = texts};
    columns[2] = (struct arus_vector){
        .type = &ARUS_INT, .form = ARUS_VECTOR_CONSTANT, .row_count = ROWS, .values = &five};
    batch = (struct arus_batch){.schema = &schema, .row_count = ROWS, .columns = columns};
    scope = (struct sql_scope){
        .arena = &arena, .schema = &schema, .env = {.zone = ARUS_ZONE_UTC, .is_ansi = true}};
}

static void stop(void)
{
    arus_arena_release(&arena);
}

TestSuite(program, .init = start, .fini = stop);

static enum arus_status run(const char *sql, struct arus_vector *out, uint32_t *bad_row,
                            struct arus_error *err)
{
    const struct arus_program *program;
    struct arus_program_state *state;
    const struct arus_expr *expr;
    struct arus_vector value;
    enum arus_status status;

    ARUS_TRY(sql_expr_parse(&scope, sql, &expr, err));
    ARUS_TRY(arus_program_compile(&expr, 1, &arena, &program, err));
    ARUS_TRY(arus_program_state_open(program, &state, err));
    status = arus_program_run(program, state, &scope.env, &batch, &arena, &value, bad_row, err);
    if (status == ARUS_OK) {
        status = arus_vector_copy(&value, &arena, out, err);
    }
    arus_program_state_close(state);
    return status;
}

static int64_t value_at(const struct arus_vector *vector, uint32_t i)
{
    return arus_type_value_size(vector->type) == 4   ? ((const int32_t *)vector->values)[i]
           : arus_type_value_size(vector->type) == 1 ? ((const uint8_t *)vector->values)[i]
                                                     : ((const int64_t *)vector->values)[i];
}

Test(program, strict_calls_are_null_where_an_argument_is)
{
    struct arus_vector out;
    struct arus_error err;
    uint32_t bad_row;

    cr_assert_eq(run("n * 2 + c", &out, &bad_row, &err), ARUS_OK);
    for (uint32_t i = 0; i < ROWS; i++) {
        cr_assert_eq(arus_vector_is_valid(&out, i), i % 7 != 0);
        cr_assert(i % 7 == 0 || value_at(&out, i) == 2 * (int64_t)i + 5);
    }
}

Test(program, branches_see_only_the_rows_that_reach_them)
{
    struct arus_vector out;
    struct arus_error err;
    uint32_t bad_row;

    cr_assert_eq(run("CASE WHEN n = 50 THEN -1 ELSE 100 div (n - 50) END", &out, &bad_row, &err),
                 ARUS_OK);
    cr_expect_eq(value_at(&out, 50), -1);
    cr_expect_eq(value_at(&out, 51), 100);
    cr_expect(!arus_vector_is_valid(&out, 0));
    cr_assert_eq(run("n = 50 OR 100 div (n - 50) > 0", &out, &bad_row, &err), ARUS_OK);
    cr_expect_eq(value_at(&out, 50), 1);
    cr_expect_eq(value_at(&out, 1), 0);
    cr_assert_eq(run("coalesce(n, CAST(s AS INT) + 1000)", &out, &bad_row, &err), ARUS_OK);
    cr_expect_eq(value_at(&out, 8), 8);
    cr_expect_eq(value_at(&out, 7), 1007);
}

Test(program, errors_name_the_first_failing_row)
{
    struct arus_vector out;
    struct arus_error err;
    uint32_t bad_row = 0;

    cr_assert_eq(run("10 / (n - 64)", &out, &bad_row, &err), ARUS_BAD_DATA);
    cr_expect_eq(bad_row, 64);
    cr_expect_str_eq(err.condition, "DIVIDE_BY_ZERO");
    cr_expect_eq(err.place.size, 13);
    cr_assert_eq(run("CASE WHEN n > 100 THEN 10 / (n - 101) END", &out, &bad_row, &err),
                 ARUS_BAD_DATA);
    cr_expect_eq(bad_row, 101);
}

Test(program, null_rows_never_fail)
{
    struct arus_vector out;
    struct arus_error err;
    uint32_t bad_row;

    cr_expect_eq(run("10 / (n - 63)", &out, &bad_row, &err), ARUS_OK); /* row 63 is NULL */
}

Test(program, dictionaries_and_slices_give_the_same_values)
{
    static uint32_t rows[3] = {129, 1, 1};
    const struct arus_program *program;
    struct arus_program_state *state;
    const struct arus_expr *exprs[2];
    struct arus_vector out[2];
    struct arus_batch slice;
    struct arus_error err;
    uint32_t bad_row;

    cr_assert_eq(sql_expr_parse(&scope, "concat(s, '!')", &exprs[0], &err), ARUS_OK);
    cr_assert_eq(sql_expr_parse(&scope, "n + length(s)", &exprs[1], &err), ARUS_OK);
    cr_assert_eq(arus_batch_slice(&batch, rows, 3, &arena, &slice, &err), ARUS_OK);
    cr_assert_eq(arus_program_compile(exprs, 2, &arena, &program, &err), ARUS_OK);
    cr_assert_eq(arus_program_state_open(program, &state, &err), ARUS_OK);
    cr_assert_eq(arus_program_run(program, state, &scope.env, &slice, &arena, out, &bad_row, &err),
                 ARUS_OK);
    cr_assert_eq(arus_vector_flatten(&out[0], &arena, &out[0], &err), ARUS_OK);
    cr_expect_eq(memcmp(((struct arus_view *)out[0].values)[0].data, "129!", 4), 0);
    cr_expect_eq(value_at(&out[1], 0), 132);
    cr_expect_eq(value_at(&out[1], 2), 2);
    arus_program_state_close(state);
}

/* A dictionary too large for one batch comes again; then another one with the same memory. What is
 * kept of the first must not answer for the second. */
Test(program, results_of_a_dictionary_are_kept_while_it_is_the_same)
{
    enum { VALUES = 120, BATCHES = 6 };
    static const char *const SQL = "concat(upper(s), '-', length(s)) IN ('A7-2', 'B7-2')";
    const struct arus_program *program;
    struct arus_program_state *state;
    const struct arus_expr *expr;
    struct arus_view words[VALUES];
    char letters[VALUES][8];
    uint32_t places[ROWS];
    struct arus_vector base = {.type = &ARUS_STRING, .row_count = VALUES, .values = words};
    struct arus_error err;
    uint32_t bad_row;

    cr_assert_eq(sql_expr_parse(&scope, SQL, &expr, &err), ARUS_OK);
    cr_assert_eq(arus_program_compile(&expr, 1, &arena, &program, &err), ARUS_OK);
    cr_assert_eq(arus_program_state_open(program, &state, &err), ARUS_OK);
    columns[1].form = ARUS_VECTOR_DICTIONARY;
    columns[1].base = &base;
    columns[1].indices = places;
    columns[1].row_count = batch.row_count = 50;
    for (uint32_t b = 0; b < 2 * BATCHES; b++) {
        struct arus_arena step = {0};
        struct arus_vector value;
        struct arus_vector out;

        if (b % BATCHES == 0) {
            base.identity = arus_vector_new_identity();
            for (uint32_t v = 0; v < VALUES; v++) {
                snprintf(letters[v], sizeof letters[v], "%c%u", b == 0 ? 'a' : 'x', v);
                words[v] = arus_view_of(letters[v], strlen(letters[v]));
            }
        }
        for (uint32_t i = 0; i < batch.row_count; i++) {
            places[i] = (i * 7 + b) % VALUES;
        }
        cr_assert_eq(
            arus_program_run(program, state, &scope.env, &batch, &step, &value, &bad_row, &err),
            ARUS_OK);
        cr_assert_eq(arus_vector_flatten(&value, &arena, &out, &err), ARUS_OK);
        for (uint32_t i = 0; i < batch.row_count; i++) {
            cr_assert_eq(value_at(&out, i), b < BATCHES && places[i] == 7, "batch %u row %u", b, i);
        }
        arus_arena_release(&step);
    }
    arus_program_state_close(state);
}

Test(program, no_rows_give_no_error)
{
    struct arus_vector out;
    struct arus_error err;
    uint32_t bad_row;

    batch.row_count = 0;
    cr_assert_eq(run("1 / 0", &out, &bad_row, &err), ARUS_OK);
    cr_expect_eq(out.row_count, 0);
}

Test(program, filter_keeps_true_rows_only)
{
    struct arus_vector out;
    struct arus_error err;
    uint32_t indices[ROWS];
    uint32_t bad_row;
    uint32_t count;

    cr_assert_eq(run("n < 10", &out, &bad_row, &err), ARUS_OK);
    arus_filter_indices(&out, indices, &count);
    cr_assert_eq(count, 8); /* 1..9 without 7 */
    cr_expect_eq(indices[6], 8);
    cr_assert_eq(run("true", &out, &bad_row, &err), ARUS_OK);
    arus_filter_indices(&out, indices, &count);
    cr_expect_eq(count, ROWS);
    cr_assert_eq(run("CAST(NULL AS BOOLEAN)", &out, &bad_row, &err), ARUS_OK);
    arus_filter_indices(&out, indices, &count);
    cr_expect_eq(count, 0);
}

Test(program, folding_leaves_what_fails)
{
    const struct arus_expr *expr;
    struct arus_error err;

    cr_assert_eq(sql_expr_parse(&scope, "n + (1 + 2) * 3", &expr, &err), ARUS_OK);
    cr_assert_eq(arus_expr_fold(expr, &scope.env, &arena, &expr, &err), ARUS_OK);
    cr_expect_eq(expr->args[1]->kind, ARUS_EXPR_LITERAL);
    cr_assert_eq(sql_expr_parse(&scope, "1 / 0", &expr, &err), ARUS_OK);
    cr_assert_eq(arus_expr_fold(expr, &scope.env, &arena, &expr, &err), ARUS_OK);
    cr_expect_eq(expr->kind, ARUS_EXPR_CALL);
    cr_expect(arus_expr_can_fail(expr));
    cr_expect(arus_expr_is_constant(expr));
}

static enum arus_status run_all(struct arus_error *err)
{
    struct arus_vector out;
    uint32_t bad_row;

    return run("CASE WHEN n > 3 THEN concat(s, upper('é'), n) WHEN s LIKE '1%' THEN "
               "regexp_replace(s, '[0-9]', 'x') ELSE split(s, '0')[0] END",
               &out, &bad_row, err);
}

Test(program, survives_each_failing_allocation)
{
    assert_each_failure(run_all);
}

Test(program, try_gives_null_for_each_row_that_fails)
{
    struct arus_vector out;
    struct arus_error err;
    uint32_t bad_row;

    cr_assert_eq(run("try_divide(INTERVAL '1' DAY, (n - 5) * (n - 64))", &out, &bad_row, &err),
                 ARUS_OK);
    for (uint32_t i = 0; i < ROWS; i++) {
        cr_expect_eq(arus_vector_is_valid(&out, i), i % 7 != 0 && i != 5 && i != 64, "row %u", i);
    }
    cr_expect_eq(value_at(&out, 65), 86400000000 / 60);
}

/* Spark computes arguments one after the other and stops at the first null; divisions begin with
 * the divisor, concat computes all. n is null in row 0, where 1 div (n's text) divides by zero. */
Test(program, an_argument_behind_a_null_does_not_fail)
{
    static const char *const fine[] = {"n + 1 div CAST(s AS INT)",
                                       "n < 1 div CAST(s AS INT)",
                                       "substring(n, 1 div CAST(s AS INT), 2)",
                                       "CASE WHEN true THEN n * (1 div CAST(s AS INT)) END",
                                       "(1 div CAST(s AS INT)) / n",
                                       "coalesce(try_eval(n + 1 div CAST(s AS INT)), 5)"};
    static const char *const bad[] = {"1 div CAST(s AS INT) + n", "n / (1 div CAST(s AS INT))",
                                      "concat(CAST(n AS STRING), 1 div CAST(s AS INT))",
                                      "c + 1 div CAST(s AS INT)"};
    struct arus_vector out;
    struct arus_error err;
    uint32_t row;

    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        cr_expect_eq(run(fine[i], &out, &row, &err), ARUS_OK, "%s", fine[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_eq(run(bad[i], &out, &row, &err), ARUS_BAD_DATA, "%s", bad[i]);
        cr_expect_eq(row, 0, "%s", bad[i]);
    }
    cr_assert_eq(run("n + 1 div CAST(s AS INT)", &out, &row, &err), ARUS_OK);
    cr_expect_not(arus_vector_is_valid(&out, 0));
    cr_expect_eq(((const int64_t *)out.values)[1], 2);
    cr_expect_eq(((const int64_t *)out.values)[3], 3);
}
