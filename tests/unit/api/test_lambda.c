#include "support/sql_expect.h"

Test(lambda, columns_stand_beside_elements)
{
    expect_rows("SELECT transform(sequence(0L, id), x -> x * 10 + id) FROM range(3)",
                "[0]; [1, 11]; [2, 12, 22]");
    expect_rows("SELECT zip_with(array(id), array(1, 2), (x, y) -> y + id) FROM range(2)",
                "[1, 2]; [2, 3]");
}

Test(lambda, inner_variables_hide_outer_ones_and_columns)
{
    expect_rows("SELECT transform(array(1, 2), id -> transform(array(10), id -> id + 1)) "
                "FROM range(1)",
                "[[11], [11]]");
    expect_rows("SELECT transform(array(1, 2), x -> transform(array(10, 20), y -> x + y))",
                "[[11, 21], [12, 22]]");
}

Test(lambda, one_lambda_may_be_put_into_another)
{
    expect_rows("SELECT transform(y, x -> x + size(transform(y, x -> x + 1))) "
                "FROM (SELECT transform(array(id, 5), x -> x + 1) AS y FROM range(2))",
                "[3, 8]; [4, 8]");
}

Test(lambda, no_element_behind_the_deciding_one_is_computed)
{
    expect_rows("SELECT exists(array(1, 0), x -> 1 div x > 0)", "true");
    expect_rows("SELECT forall(array(2, 0), x -> 1 div x > 0)", "false");
    expect_failure("SELECT exists(array(0, 1), x -> 1 div x > 0)", "DIVIDE_BY_ZERO");
}

Test(lambda, an_empty_array_computes_nothing)
{
    expect_rows("SELECT transform(filter(array(id), x -> x > 5), x -> 1 div id) FROM range(1)",
                "[]");
}

Test(lambda, unknown_conditions_make_exists_and_forall_unknown)
{
    expect_rows("SELECT exists(array(NULL, 1), x -> x > 5), exists(array(NULL, 6), x -> x > 5), "
                "forall(array(NULL, 1), x -> x > 5), forall(array(NULL, 6), x -> x > 5)",
                "NULL, true, false, NULL");
}

Test(lambda, long_arrays_are_folded_in_bounded_memory)
{
    expect_rows("SELECT aggregate(sequence(1L, 100000L), 0L, (a, x) -> a + x)", "5000050000");
    expect_rows("SELECT aggregate(sequence(0L, id * 300), '', (a, x) -> right(a || x, 6)) "
                "FROM range(3)",
                "0; 299300; 599600");
}

Test(lambda, sorting_by_a_lambda_is_stable_at_any_length)
{
    for (int count = 0; count < 200; count += 7) {
        struct arus_buffer sql = {0};
        struct arus_error err;

        cr_assert_eq(arus_buffer_printf(
                         &sql, &err,
                         "SELECT array_sort(s, (a, b) -> a.k - b.k) = array_sort(s) FROM "
                         "(SELECT transform(sequence(0, %d), x -> struct((x * 37) %% 11 AS k, "
                         "x AS v)) AS s)%c",
                         count, '\0'),
                     ARUS_OK);
        expect_rows(sql.data, "true");
        arus_buffer_release(&sql);
    }
}

Test(lambda, an_order_that_contradicts_itself_gives_what_java_gives)
{
    expect_rows("SELECT array_sort(array(5, 2, 9), (a, b) -> 1), "
                "array_sort(array(5, 2, 9), (a, b) -> -1), "
                "array_sort(array(1, NULL, 3), (a, b) -> CASE WHEN a < b THEN 1 WHEN a > b THEN -1 "
                "ELSE 0 END)",
                "[5, 2, 9], [9, 2, 5], [1, null, 3]");
    expect_failure("SELECT array_sort(array(1, NULL), (a, b) -> a - b)", "COMPARATOR_RETURNS_NULL");
}

Test(lambda, wrong_lambdas_are_refused_as_in_spark)
{
    expect_failure("SELECT upper(x -> x)",
                   "INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION");
    expect_failure("SELECT nosuch(array(1), x -> x)", "UNRESOLVED_ROUTINE");
    expect_failure("SELECT filter(array(1), (x, y, z) -> true)",
                   "INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH");
    expect_failure("SELECT transform(array(1), (x, X) -> x)",
                   "INVALID_LAMBDA_FUNCTION_CALL.DUPLICATE_ARG_NAMES");
    expect_failure("SELECT transform(array(1), x -> (SELECT 1))",
                   "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.HIGHER_ORDER_FUNCTION");
    expect_failure("SELECT transform(array(1), x -> sum(x))", "ARUS_NOT_SUPPORTED");
    expect_failure("SELECT aggregate(array(1), 0L, (a, x) -> x)",
                   "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE");
    expect_failure("SELECT array_sort(array(1, 2), (a, b) -> a > b)",
                   "DATATYPE_MISMATCH.UNEXPECTED_RETURN_TYPE");
}
