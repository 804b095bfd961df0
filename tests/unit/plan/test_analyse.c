#include "plan_fixture.h"

TestSuite(analyse, .init = plan_open, .fini = plan_close);

Test(analyse, says_one_error_for_a_broken_view)
{
    EXPECT_PLAN("CREATE TEMP VIEW v AS SELECT nosuch FROM VALUES (1) AS x(a)",
                "UNRESOLVED_COLUMN.WITH_SUGGESTION at nosuch");
    fixture.catalog.sql = "another text";
    EXPECT_PLAN("SELECT * FROM v", "ARUS_BROKEN_RELATION at v");
}
