"""Differences of arus and Spark in streams that are wanted, by kind; docs/spark-differences.md names them for users."""
import datetime


def same_error(spark, arus):
    """Where Spark fails in its first batch, without a name, arus refuses before the start."""
    return bool(set(spark["error"]) & set(arus["error"])) or set(spark["error"]) == {"STREAM_FAILED"} and bool(arus["error"])


def same_numbers(case, spark, arus):
    return spark == arus


def same_event_time(spark, arus):
    """Spark's average is a running mean of doubles, cut to milliseconds: now and then one less than it is."""
    if spark.keys() != arus.keys() or any(spark[name] != arus[name] for name in spark if name != "avg"):
        return False
    return "avg" not in spark or abs(milliseconds(spark["avg"]) - milliseconds(arus["avg"])) <= 1


def milliseconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000


def reason(case, spark, arus):
    """Why the two may differ, or None."""
    if case.query.text.endswith("LIMIT 0"):
        return "Spark reads nothing: no event times, no state"
    return None
