#!/usr/bin/env python3
"""A query with state is changed and goes on with its checkpoint: what old state cannot mean any more is refused, with what was, what is and
what to rebuild; nothing is touched. What means the same goes on. Beside each case stands what Spark 4.3.0 does, where it was measured."""
import json
import sys

from pipelines import Case, equal

HEAD = """SET spark.sql.session.timeZone = UTC;
CREATE TABLE a (id BIGINT, k STRING, g INT, ts TIMESTAMP, other TIMESTAMP) USING json OPTIONS (path 'a', maxFilesPerTrigger 1);
CREATE TABLE b (id BIGINT, k STRING, g INT, ts TIMESTAMP, other TIMESTAMP) USING json OPTIONS (path 'b', maxFilesPerTrigger 1);
CREATE STREAMING TABLE out USING exec TBLPROPERTIES (command 'cat >> got', checkpointLocation 'ckpt', outputMode 'append', trigger 'availableNow')
AS """
A = "STREAM a WATERMARK ts DELAY OF INTERVAL 2 MINUTES"
B = "STREAM b WATERMARK ts DELAY OF INTERVAL 2 MINUTES"
QUERIES = {
    "windows": f"SELECT window.start AS s, k, count(*) AS n FROM {A} GROUP BY window(ts, '5 minutes'), k",
    "sums": f"SELECT window.start AS s, sum(g) AS n, max(k) AS m FROM {A} GROUP BY window(ts, '6 minutes', '3 minutes', '1 minute'), g % 3",
    "sessions": f"SELECT session_window.end AS e, k, count(*) AS n FROM {A} GROUP BY session_window(ts, '5 minutes'), k",
    "gaps": f"SELECT session_window.end AS e, k FROM {A} GROUP BY session_window(ts, CASE WHEN g = 1 THEN '1 minute' ELSE '2 minutes' END), k",
    "dedup": "SELECT id, k, g FROM drop_duplicates(TABLE(SELECT * FROM STREAM a), 'k', 'g')",
    "within": f"SELECT k FROM drop_duplicates_within_watermark(TABLE(SELECT * FROM {A}), 'k')",
    "distinct": f"SELECT DISTINCT ts, k FROM {A}",
    "join": f"SELECT l.id, r.id AS rid FROM {A} AS l LEFT JOIN {B} AS r ON l.k = r.k AND r.ts BETWEEN l.ts AND l.ts + INTERVAL 1 MINUTE",
    "chain": f"SELECT window.start AS s, sum(n) AS n FROM (SELECT window_time(w) AS t, n FROM (SELECT window AS w, k, count(*) AS n FROM {A} GROUP BY window(ts, '1 minute'), k)) "
             "GROUP BY window(t, '5 minutes')",
    "dedup_groups": f"SELECT window.start AS s, count(*) AS n FROM (SELECT * FROM drop_duplicates(TABLE(SELECT * FROM {A}), 'ts', 'k')) GROUP BY window(ts, '5 minutes')",
    "limit": "SELECT id FROM STREAM a LIMIT 3",
    "union": f"SELECT window.start AS s, count(*) AS n FROM (SELECT ts, k FROM {A} UNION ALL SELECT ts, k FROM {B}) GROUP BY window(ts, '5 minutes')",
}
KEYS, VALUES = "STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE", "STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE"
OPERATORS = "STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA"
SILENT = "goes on with the old state"


def edit(old, new):
    def change(text):
        assert old in text, f"{old} not in {text}"
        return text.replace(old, new)
    return change


def query(text):
    return lambda _: text


# (query, what changes, how, condition or None: goes on, what the message says, what Spark does)
CASES = (
    ("windows", "unchanged", edit("count(*)", "count(*)"), None, "", "goes on"),
    ("windows", "window 5 -> 10 minutes", edit("5 minutes", "10 minutes"), KEYS, "window size was 5 minutes, is 10 minutes", SILENT),
    ("windows", "tumbling -> sliding", edit("'5 minutes'", "'5 minutes', '1 minute'"), KEYS, "window slide was 5 minutes, is 1 minute", SILENT),
    ("windows", "a start offset", edit("'5 minutes'", "'5 minutes', '5 minutes', '1 minute'"), KEYS, "window start was", SILENT),
    ("windows", "the same window written out", edit("'5 minutes'", "'300 seconds', '5 minutes', '0 minutes'"), None, "", "goes on"),
    ("windows", "delay 2 minutes -> 1 hour", edit("2 MINUTES", "1 HOUR"), None, "", "goes on"),
    ("windows", "another watermark column", edit("WATERMARK ts", "WATERMARK other"), KEYS + "|STREAMING_OUTPUT_MODE", "", "fails: the window has no watermark"),
    ("windows", "window and watermark of another column", lambda t: t.replace("ts", "other"), KEYS, "window was", SILENT),
    ("windows", "key removed", edit("'), k", "')"), KEYS + "|MISSING_AGGREGATION", "", KEYS),
    ("windows", "key removed everywhere", lambda t: t.replace(" k,", "").replace("'), k", "')"), KEYS, "key 2 was k STRING, is gone", KEYS),
    ("windows", "key added", edit("'), k", "'), k, g"), KEYS, "key 3 is new: g INT", KEYS),
    ("windows", "key renamed, same type", lambda t: t.replace(" k,", " upper(k) AS k,").replace("'), k", "'), upper(k)"), KEYS, "upper", SILENT),
    ("windows", "another key of another type", lambda t: t.replace(" k,", " g,").replace("'), k", "'), g"), KEYS, "key 2 was k STRING, is g INT", KEYS),
    ("windows", "keys in another order", edit("window(ts, '5 minutes'), k", "k, window(ts, '5 minutes')"), KEYS, "", KEYS),
    ("windows", "count -> sum, the same type", edit("count(*)", "sum(id)"), VALUES, "aggregate 1 was count(1) BIGINT, is sum(id) BIGINT", SILENT),
    ("windows", "count -> max(k)", edit("count(*)", "max(k)"), VALUES, "is max(k) STRING", VALUES),
    ("windows", "aggregate added", edit("count(*) AS n", "count(*) AS n, max(g) AS m"), VALUES, "aggregate 2 is new: max(g) INT", VALUES),
    ("windows", "count(*) -> count with a FILTER", edit("count(*)", "count(*) FILTER (WHERE g > 1)"), VALUES, "aggregate 1 was count(1) BIGINT, is count(1) FILTER (WHERE (g > 1)) BIGINT", SILENT),
    ("windows", "a column renamed in the result", edit("AS n", "AS total"), None, "", "goes on"),
    ("windows", "a filter before the groups", edit("GROUP BY", "WHERE g > 0 GROUP BY"), None, "", "goes on"),
    ("windows", "HAVING after the groups", edit("'), k", "'), k HAVING count(*) > 1"), None, "", "goes on"),
    ("windows", "aggregation removed", query("SELECT id FROM STREAM a"), OPERATORS, "is that of another query (aggregate)", OPERATORS),
    ("windows", "aggregation -> drop_duplicates", query(QUERIES["dedup"]), OPERATORS, "was aggregate, is drop_duplicates", OPERATORS),
    ("windows", "aggregation -> session", query(QUERIES["sessions"]), OPERATORS, "was aggregate, is session aggregate", OPERATORS),
    ("windows", "second operator above", lambda t: f"SELECT k FROM drop_duplicates(TABLE({t}), 'k')", OPERATORS, "was aggregate, is drop_duplicates, aggregate", OPERATORS),
    ("windows", "second operator below", query(QUERIES["dedup_groups"]), OPERATORS, "is aggregate, drop_duplicates", OPERATORS),
    ("sums", "slide 3 -> 2 minutes", edit("'3 minutes'", "'2 minutes'"), KEYS, "window slide was 3 minutes, is 2 minutes", SILENT),
    ("sums", "start 1 minute -> 30 seconds", edit("'1 minute'", "'30 seconds'"), KEYS, "window start was 1 minute, is 30 seconds", SILENT),
    ("sums", "meaning of a key: g % 3 -> g % 4", edit("g % 3", "g % 4"), KEYS, "g % 4", SILENT),
    ("sums", "sum(g) -> sum(g + 1)", edit("sum(g)", "sum(g + 1)"), VALUES, "aggregate 1 was sum(g)", SILENT),
    ("sums", "sum(g) -> sum of another column", edit("sum(g)", "sum(id)"), VALUES, "aggregate 1 was sum(g) BIGINT, is sum(id) BIGINT", SILENT),
    ("sums", "max -> min", edit("max(k)", "min(k)"), VALUES, "aggregate 2 was max(k) STRING, is min(k) STRING", SILENT),
    ("sums", "aggregates in another order", edit("sum(g) AS n, max(k) AS m", "max(k) AS m, sum(g) AS n"), VALUES, "", VALUES),
    ("sessions", "gap 5 -> 6 minutes", edit("'5 minutes'", "'6 minutes'"), KEYS, "session gap was 5 minutes, is 6 minutes", SILENT),
    ("sessions", "gap of each row", query(QUERIES["gaps"].replace(", k FROM", ", k, count(*) AS n FROM")), KEYS, "session was session_window(ts), is session_window(ts, CASE WHEN (g = 1)", SILENT),
    ("sessions", "session -> window", query(QUERIES["windows"]), OPERATORS, "was session aggregate, is aggregate", OPERATORS),
    ("gaps", "another gap of each row", edit("'1 minute'", "'90 seconds'"), KEYS, "is session_window(ts, CASE WHEN (g = 1) THEN 90 seconds", SILENT),
    ("dedup", "unchanged", edit("'k'", "'k'"), None, "", "goes on"),
    ("dedup", "another key", edit("'k', 'g'", "'k', 'id'"), KEYS, "key 2 was g INT, is id BIGINT", KEYS),
    ("dedup", "another key of the same type", lambda t: t.replace("'k', 'g'", "'k', 'h'").replace("SELECT *", "SELECT *, g + 1 AS h"), KEYS, "key 2 was g", SILENT),
    ("dedup", "a key more", edit("'k', 'g'", "'k', 'g', 'id'"), KEYS, "key 3 is new: id BIGINT", KEYS),
    ("dedup", "drop_duplicates -> within_watermark", query(QUERIES["within"]), OPERATORS, "is drop_duplicates_within_watermark", OPERATORS),
    ("dedup", "other columns that are no keys", edit("SELECT id, k, g", "SELECT k, g"), None, "", "goes on"),
    ("within", "another delay", edit("2 MINUTES", "4 MINUTES"), None, "", "goes on"),
    ("within", "another event time", edit("WATERMARK ts", "WATERMARK other"), KEYS, "event time was ts", SILENT),
    ("distinct", "another column", edit("ts, k", "ts, g"), KEYS, "key 2 was k STRING, is g INT", KEYS),
    ("join", "unchanged", edit("LEFT", "LEFT"), None, "", "goes on"),
    ("join", "left -> inner", edit("LEFT JOIN", "JOIN"), VALUES, "join was left, is inner", SILENT),
    ("join", "left -> full", edit("LEFT JOIN", "FULL JOIN"), VALUES, "join was left, is full", SILENT),
    ("join", "another key", edit("l.k = r.k", "l.g = r.g"), KEYS, "key 1 was", KEYS),
    ("join", "a key more", edit("l.k = r.k", "l.k = r.k AND l.g = r.g"), KEYS, "key 2 is new", KEYS),
    ("join", "a stored column more", edit("l.id,", "l.id, l.g,"), VALUES, "left column", VALUES),
    ("join", "sides changed over", lambda t: t.replace("STREAM a", "STREAM x").replace("STREAM b", "STREAM a").replace("STREAM x", "STREAM b"), "", "", "goes on: the sources have no names"),
    ("join", "join -> dedup", query(QUERIES["dedup"]), "", "", "fails: 2 sources, 1 in the query"),
    ("chain", "inner window", edit("'1 minute'", "'2 minutes'"), KEYS, "window was window(window_time(window(ts, 1 minute,", SILENT),
    ("chain", "outer window", edit("'5 minutes'", "'10 minutes'"), KEYS, "window size was 5 minutes, is 10 minutes", SILENT),
    ("chain", "outer aggregate", edit("sum(n)", "max(n)"), VALUES, "aggregate 1 was sum", SILENT),
    ("dedup_groups", "operators changed over", lambda _: f"SELECT k FROM drop_duplicates(TABLE({QUERIES['windows']}), 'k')", OPERATORS, "was aggregate, drop_duplicates, is drop_duplicates, aggregate",
     OPERATORS),
    ("dedup_groups", "lower operator removed", query(f"SELECT window.start AS s, count(*) AS n FROM {A} GROUP BY window(ts, '5 minutes')"), OPERATORS,
     "was aggregate, drop_duplicates, is aggregate", OPERATORS),
    ("limit", "limit removed", edit(" LIMIT 3", ""), OPERATORS, "is that of another query (limit)", OPERATORS),
    ("limit", "a higher limit", edit("LIMIT 3", "LIMIT 5"), None, "", "goes on"),
    ("union", "a branch of another filter", edit(f"FROM {B}", f"FROM {B} WHERE g > 0"), None, "", "goes on"),
    ("union", "windows of another size", edit("'5 minutes'", "'1 minute'"), KEYS, "window size", SILENT),
    ("union", "one branch less", edit(f" UNION ALL SELECT ts, k FROM {B}", ""), "", "", "fails: 2 sources, 1 in the query"),
)


def rows(minute, count=6):
    return "".join(json.dumps({"id": minute * 10 + i, "k": f"k{i % 3}", "g": i % 4, "ts": f"2026-01-01T00:{minute + i:02}:00Z",
                               "other": f"2026-01-01T00:{minute + i:02}:30Z"}) + "\n" for i in range(count))


def put_files(case, first, count):
    for number in range(first, first + count):
        for side in "ab":
            case.put_text(f"{side}/{number}.json", rows(number * 5), 1772442000 + number)


def files_of(case):
    return {str(path.relative_to(case.folder)): path.read_bytes() for path in sorted(case.folder.rglob("*"))
            if path.is_file() and path.name not in ("p.sql", "lock.mdb", ".arus.lock", "lock")}


def check(name, change, condition, says):
    case = Case()
    try:
        put_files(case, 0, 3)
        case.put_text("p.sql", HEAD + QUERIES[name] + ";\n")
        case.arus("run", "-q", "p.sql")
        put_files(case, 3, 1)
        case.put_text("p.sql", HEAD + change(QUERIES[name]) + ";\n")
        before = files_of(case)
        done = case.arus("run", "-q", "p.sql", expect=None)
        err = done.stderr
        if condition is None:
            equal(done.returncode, 0, err)
            return
        assert done.returncode in (2, 3), f"exit {done.returncode}: {err}"
        assert any(word in err for word in condition.split("|")), f"{condition} wanted: {err}"
        assert says in err, f"`{says}` wanted: {err}"
        assert "help:" in err, f"no help: {err}"
        equal(files_of(case), before, "nothing is touched")
    finally:
        case.close()


def main():
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    passed = failed = 0
    for name, what, change, condition, says, _ in CASES:
        if only not in f"{name}: {what}":
            continue
        try:
            check(name, change, condition, says)
            passed += 1
        except AssertionError as failure:
            failed += 1
            print(f"FAIL {name}: {what}: {failure}", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


main()
