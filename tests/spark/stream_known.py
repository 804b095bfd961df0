"""Differences of arus and Spark in streams that are wanted, by kind; docs/spark-differences.md names them for users."""


def same_error(spark, arus):
    return bool(set(spark["error"]) & set(arus["error"]))


def same_numbers(case, spark, arus):
    return spark == arus


def reason(case, spark, arus):
    """Why the two may differ, or None."""
    if case.query.text.endswith("LIMIT 0"):
        return "Spark reads nothing: no event times, no state"
    return None
