/* Instants at the limits of BIGINT on the clocks of other zones. */
#include "support/sql_expect.h"

#define TOKYO    "SET spark.sql.session.timeZone = Asia/Tokyo; SELECT "
#define NEW_YORK "SET spark.sql.session.timeZone = America/New_York; SELECT "
#define LAST     "timestamp_micros(9223372036854775807)"
#define FIRST    "timestamp_micros(-9223372036854775808)"

Test(time_limits, a_clock_beyond_them_is_shown)
{
    expect_rows(TOKYO "CAST(" LAST " AS STRING)", "+294247-01-10 13:00:54.775807");
    expect_rows(NEW_YORK "CAST(" FIRST " AS STRING)", "-290308-12-21 15:03:03.224192");
    expect_rows(TOKYO "date_format(" LAST ", 'yyyy-MM-dd HH:mm:ss.SSSSSS')",
                "+294247-01-10 13:00:54.775807");
    expect_rows(TOKYO "to_json(struct(" LAST " AS t))",
                "{\"t\":\"+294247-01-10T13:00:54.775+09:00\"}");
}

Test(time_limits, fields_are_those_of_the_clock)
{
    expect_rows(TOKYO "CAST(" LAST " AS DATE), year(" LAST "), hour(" LAST
                      "), extract(SECOND FROM " LAST ")",
                "+294247-01-10, 294247, 13, 54.775807");
    expect_rows(TOKYO "CAST(date_trunc('HOUR', " LAST ") AS STRING)", "+294247-01-10 13:00:00");
}

Test(time_limits, a_result_beyond_them_fails)
{
    expect_failure(TOKYO "CAST(" LAST " AS TIMESTAMP_NTZ)", "DATETIME_OVERFLOW");
    expect_failure(NEW_YORK "CAST(" FIRST " AS TIMESTAMP_NTZ)", "DATETIME_OVERFLOW");
    expect_failure(TOKYO
                   "CAST(CAST('-290308-12-21 19:59:05.224192' AS TIMESTAMP_NTZ) AS TIMESTAMP)",
                   "DATETIME_OVERFLOW");
    expect_failure(TOKYO LAST " + INTERVAL 1 MONTH", "DATETIME_OVERFLOW");
    expect_failure(TOKYO "from_utc_timestamp(" LAST ", 'Asia/Tokyo')", "DATETIME_OVERFLOW");
    expect_failure(TOKYO "to_utc_timestamp(" FIRST ", 'Asia/Tokyo')", "DATETIME_OVERFLOW");
}
