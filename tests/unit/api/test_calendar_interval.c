/* INTERVAL without fields: months, days and microseconds beside each other. All values from
 * Spark 4.3. */
#include "support/sql_expect.h"

#define OF(text) "CAST('" text "' AS INTERVAL)"

Test(calendar_interval, texts_of_units)
{
    expect_rows("SELECT " OF("1 day") ", " OF(" interval  1   Day ") ", " OF("- 1 day"),
                "1 days, 1 days, -1 days");
    expect_rows("SELECT " OF(".5 seconds") ", " OF("1. seconds") ", " OF("5 milliseconds") ", " OF(
                    "0 days"),
                "0.5 seconds, 1 seconds, 0.005 seconds, 0 seconds");
}

Test(calendar_interval, a_bad_text_is_null_in_every_mode)
{
    expect_rows("SELECT " OF("abc") ", " OF("1") ", " OF("1.5 days") ", " OF("1 day1 hour") ", " OF(
                    "interval"),
                "NULL, NULL, NULL, NULL, NULL");
    expect_rows("SELECT " OF("99999999999 days") ", " OF("1.1234567891 second") ", " OF("1day"),
                "NULL, NULL, NULL");
}

Test(calendar_interval, is_a_value_but_has_no_order)
{
    expect_rows("SELECT count(DISTINCT CAST(x AS INTERVAL)) FROM VALUES ('1 day'), ('1 days'), "
                "('24 hours') AS t (x)",
                "2");
    expect_rows("SELECT to_json(struct(" OF("-1 day") " AS i)), typeof(" OF("1 day") ")",
                "{\"i\":\"-1 days\"}, interval");
    expect_rows("SELECT hash(" OF("1 day") "), xxhash64(" OF("1 month 3 days 2 seconds") ")",
                "-1328321721, 3380550695827381341");
    expect_failure("SELECT " OF("1 day") " = " OF("1 day"),
                   "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE");
    expect_failure("SELECT max(" OF("1 day") ")", "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE");
    expect_failure("SELECT 1 AS a ORDER BY " OF("1 day"),
                   "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE");
    expect_failure("SELECT CAST(1 AS INTERVAL)", "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION");
}

Test(calendar_interval, no_column_has_it)
{
    expect_failure("SELECT from_json('{}', 'a INTERVAL')", "UNSUPPORTED_DATATYPE");
    expect_failure("SELECT to_avro(struct(" OF("1 day") " AS i))",
                   "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE");
}
