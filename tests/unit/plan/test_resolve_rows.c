#include "plan_fixture.h"

TestSuite(resolve_rows, .init = plan_open, .fini = plan_close);

Test(resolve_rows, makes_rows_of_arrays)
{
    EXPECT_PLAN(TABLES "SELECT b, posexplode(array(a, 1)) AS (p, v) FROM t",
                "b STRING, p INT, v INT");
    EXPECT_PLAN("SELECT t.b, x.col FROM t LATERAL VIEW explode(array(a)) x", "b STRING, col INT");
    EXPECT_PLAN("SELECT explode(array(a)) + 1 FROM t",
                "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS at explode(array(a))");
    EXPECT_PLAN("SELECT explode(a) FROM t",
                "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE at explode(a)");
}
