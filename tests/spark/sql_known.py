"""Differences of arus and Spark in random SQL that are wanted, by kind; docs/spark-differences.md names them for users."""

import re

# Columns without an alias: arus names them otherwise around these forms.
OTHER_NAMES = re.compile(r"try_cast\(|LIKE ANY|LIKE ALL|IS UNKNOWN|assert_true|raise_error|CAST\(")
NAME = re.compile(r"(^|,)(?:`(?:[^`]|``)*`|\w+) ")

# An aggregate of two arguments looks at the second where the first is NULL: Spark does not.
OF_TWO = re.compile(r"\b(corr|covar_\w+|regr_\w+)\(")

# Raised while rows are read. Which of several bad values is met first is nobody's promise.
AT_RUN_TIME = {"DIVIDE_BY_ZERO", "REMAINDER_BY_ZERO", "ARITHMETIC_OVERFLOW", "BINARY_ARITHMETIC_OVERFLOW", "CAST_INVALID_INPUT", "CAST_OVERFLOW", "NUMERIC_VALUE_OUT_OF_RANGE",
               "INVALID_ARRAY_INDEX", "INVALID_ARRAY_INDEX_IN_ELEMENT_AT", "DATETIME_OVERFLOW", "INTERVAL_ARITHMETIC_OVERFLOW", "INTERVAL_DIVIDED_BY_ZERO",
               "CANNOT_PARSE_TIMESTAMP", "DATETIME_FIELD_OUT_OF_BOUNDS", "INVALID_PARAMETER_VALUE", "INVALID_INDEX_OF_ZERO", "CONVERSION_INVALID_INPUT",
               "DUPLICATED_MAP_KEY", "NULL_MAP_KEY", "ILLEGAL_DAY_OF_WEEK", "INVALID_FRACTION_OF_SECOND", "INVALID_INTERVAL_FORMAT"}


def head(condition):
    return condition.split(".")[0]


def same_error(spark, arus):
    if set(spark) & set(arus):
        return True
    if not spark or any(name.startswith("_LEGACY") for name in spark):
        return True  # Spark has no name for it
    return any(head(name) in AT_RUN_TIME for name in spark) and any(head(name) in AT_RUN_TIME for name in arus)


def same_schema(case, spark, arus):
    spark, arus = (schema.replace(", ", ",") for schema in (spark, arus))
    if not case.named and OTHER_NAMES.search(case.query):
        spark, arus = (NAME.sub(r"\1", schema) for schema in (spark, arus))
    return spark == arus


def is_known(case, spark, arus):
    if spark.get("crash"):
        return True  # Spark fails with a fault of its own
    fails_in_spark = set(map(head, spark.get("error", ())))
    if "error" not in arus and fails_in_spark == {"NUMERIC_VALUE_OUT_OF_RANGE"} and re.search("wide|huge|fine|DECIMAL.38", case.query) and "-" in case.query:
        return True  # Spark rounds -x of DECIMAL(38,s) to 34 digits
    if "error" not in arus and fails_in_spark and fails_in_spark <= AT_RUN_TIME and not arus["rows"]:
        return True  # no row comes out: Spark computes columns and conditions of rows that arus had no need to look at
    return "error" not in spark and bool(OF_TWO.search(case.query)) and set(map(head, arus.get("error", ()))) <= AT_RUN_TIME
