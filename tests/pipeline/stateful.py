#!/usr/bin/env python3
"""Exercises with state: windows, late data, duplicates, with every number that Spark 4.3.0 gives for each micro-batch."""
import hashlib
import json
import shutil

from pipelines import EXERCISES, equal, run_all

OPERATOR = ("operatorName", "numRowsTotal", "numRowsUpdated", "numRowsRemoved", "numRowsDroppedByWatermark")


def expected(number, step):
    steps = json.loads((EXERCISES / "expected" / f"{number}.json").read_text())["steps"]
    return next(s for s in steps if s["step"] == step)


def check_batches(case, name, number, step):
    """Runs a pipeline; ids, rows, offsets, event times and state of each batch are Spark's. Gives the records."""
    want = expected(number, step)
    records = case.run(name)
    made = [r for r in records if "addBatch" in r["durationMs"]]
    equal([r["batchId"] for r in made], [b["batchId"] for b in want["batches_run"]], step)
    for got, batch in zip(made, want["batches_run"]):
        where = f"{step}, batch {batch['batchId']}"
        equal(got["numInputRows"], batch["numInputRows"], where)
        equal([s["endOffset"] for s in got["sources"]], batch["endOffset"], where)
        equal(got.get("eventTime"), batch.get("eventTime"), where)
        equal([{k: o[k] for k in OPERATOR} for o in got["stateOperators"]], batch["stateOperators"], where)
    if "rows_per_sink_batch" in want and made:
        rows = {str(r["batchId"]): r["arus"]["rowsOut"] for r in made}
        equal(rows, {k: v for k, v in want["rows_per_sink_batch"].items() if k in rows}, step)
    return made


def orders(case):
    for k in range(10):
        case.put(f"inputs/orders/orders-{k:02}.jsonl", f"orders/orders-{k:02}.jsonl")
    case.put("inputs/products.csv", "products.csv")


def exercise_000_windows_close_when_the_watermark_passes_their_end(case):
    orders(case)
    case.pipeline("000-orders-parquet.sql")
    made = check_batches(case, "000-orders-parquet.sql", "000", "parquet append")
    equal([r["arus"]["rowsOut"] for r in made], [0, 0, 0, 4, 0, 4, 4, 0, 4, 4, 0])
    equal(case.sha256_of_rows(["mulai", "selesai", "produk", "kategori", "count"], "out/laporan"),
          hashlib.sha256((EXERCISES / "expected" / "000-laporan.csv").read_bytes()).hexdigest())
    equal(sorted({name.split("/")[0] for name in case.tree("ckpt/laporan-parquet")}),
          ["commits", "metadata", "offsets", "sources", "state"])
    equal(len([n for n in case.tree("ckpt/laporan-parquet") if n.startswith("commits/")]), 11)


def exercise_000_a_window_is_not_given_out_again_after_a_lost_commit(case):
    orders(case)
    case.pipeline("000-orders-parquet.sql")
    case.run("000-orders-parquet.sql")
    before = case.rows("SELECT * FROM parquet.`out/laporan`")
    case.path("ckpt/laporan-parquet/commits/10").unlink()
    case.put("inputs/orders/orders-00.jsonl", "orders/orders-10.jsonl", 1772442000 + 6000)
    last = case.run("000-orders-parquet.sql")[-1]
    equal((last["batchId"], last["numInputRows"]), (11, 15))
    equal(last["stateOperators"][0]["numRowsDroppedByWatermark"], 4, "one a group, not one a row")
    equal(last["arus"]["rowsLate"], 15, "the true number")
    equal(case.rows("SELECT * FROM parquet.`out/laporan`"), before)


def bundles(case, folder, numbers):
    for k in numbers:
        case.put(f"inputs/bundles/batch-0{k}.jsonl", f"{folder}/batch-0{k}.jsonl")


def exercise_004_duplicates_are_dropped_for_ever(case):
    bundles(case, "in", (1, 2, 3, 4, 6))
    case.pipeline("004-dedup.sql")
    check_batches(case, "004-dedup.sql", "004", "5 dedup")
    equal(case.sha256_of_rows(["event_id", "device", "event_time", "value"], "out/dedup"),
          expected("004", "5 dedup")["rows_sha256"])
    check_batches(case, "004-dedup.sql", "004", "5b dedup again, nothing new")


def exercise_004_one_file_per_batch_gives_the_same(case):
    bundles(case, "in", (1, 2, 3, 4, 6))
    case.pipeline("004-dedup.sql", **{"(path 'in'": "(path 'in', maxFilesPerTrigger 1"})
    check_batches(case, "004-dedup.sql", "004", "5c dedup one file per batch")


def exercise_004_36_late_events_are_one_dropped_group(case):
    bundles(case, "late_in", (1, 2, 3, 4, 5))
    case.pipeline("004-windows.sql")
    made = check_batches(case, "004-windows.sql", "004", "6 windows, one file per batch")
    equal([r["eventTime"]["watermark"][11:21] for r in made],
          ["00:00:00.0", "08:59:58.5", "09:09:58.5", "09:19:58.5", "09:29:58.5", "09:39:58.5"])
    equal(made[4]["stateOperators"][0]["numRowsDroppedByWatermark"], 1)
    equal(made[4]["stateOperators"][0]["customMetrics"]["numLateInputRows"], 36)
    equal(case.rows("SELECT `count` FROM parquet.`out/windows`"), [["398"], ["404"], ["406"]])
    check_batches(case, "004-windows.sql", "004", "6c windows again, nothing new")


def exercise_004_in_one_batch_nothing_is_late(case):
    bundles(case, "late_in", (1, 2, 3, 4, 5))
    case.pipeline("004-windows.sql", **{", maxFilesPerTrigger 1": ""})
    made = check_batches(case, "004-windows.sql", "004", "6b windows, all files in one batch")
    equal([(r["numInputRows"], r["arus"]["rowsOut"]) for r in made], [(2000, 0), (0, 3)])


def a_restart_between_all_batches_changes_nothing(case):
    case.pipeline("004-windows.sql")
    made = []
    for k in (1, 2, 3, 4, 5):
        bundles(case, "late_in", (k,))
        made += [r for r in case.run("004-windows.sql") if "addBatch" in r["durationMs"]]
    equal(case.rows("SELECT `count` FROM parquet.`out/windows`"), [["398"], ["404"], ["406"]])
    equal(sum(r["arus"]["rowsLate"] for r in made), 36)


def a_changed_output_mode_keeps_the_state_and_its_end(case):
    text = """SET spark.sql.session.timeZone = UTC;
CREATE TABLE e (ts TIMESTAMP) USING json OPTIONS (path 'in');
CREATE STREAMING TABLE out USING console TBLPROPERTIES (checkpointLocation 'ckpt', outputMode '{mode}', trigger 'availableNow')
AS SELECT window.start AS s, count(*) AS n FROM STREAM e WATERMARK ts DELAY OF INTERVAL 1 MINUTE GROUP BY window(ts, '10 minutes');
"""
    totals = []
    for number, (mode, minute) in enumerate((("complete", "01"), ("update", "30"), ("complete", "31"), ("append", "50"))):
        case.put_text("p.sql", text.format(mode=mode))
        case.put_text(f"in/{number}.json", json.dumps({"ts": f"2026-03-01T10:{minute}:00Z"}) + "\n", 1772442000 + number)
        made = [r for r in case.run("p.sql") if "addBatch" in r["durationMs"]]
        totals.append((mode, made[-1]["stateOperators"][0]["numRowsTotal"], [r["arus"]["rowsOut"] for r in made]))
    equal(totals, [("complete", 1, [1]), ("update", 1, [1, 0]), ("complete", 1, [1]), ("append", 1, [0, 1])])


def a_key_of_another_type_is_refused_by_the_state_before_the_sink_compares(case):
    text = """CREATE TABLE e (a {type}) USING json OPTIONS (path 'in');
CREATE STREAMING TABLE t USING parquet TBLPROPERTIES (path 'out', checkpointLocation 'ckpt', trigger 'availableNow')
AS SELECT a FROM drop_duplicates(TABLE(SELECT * FROM STREAM e), 'a');
"""
    case.put_text("in/1.json", '{"a":1}\n')
    case.put_text("p.sql", text.format(type="STRING"))
    case.run("p.sql")
    case.put_text("p.sql", text.format(type="INT"))
    case.run("p.sql", expect=3)
    assert "the state in ckpt has another schema [STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE]" in case.err, case.err


def a_row_that_cannot_match_for_a_null_moves_no_watermark(case):
    """Numbers of Spark 4.3.0: the null key of the newest row goes below the watermark, but for a full join."""
    text = """SET spark.sql.session.timeZone = UTC;
CREATE TABLE l (t TIMESTAMP, k INT) USING json OPTIONS (path 'l', maxFilesPerTrigger 1);
CREATE TABLE r (t TIMESTAMP, k INT) USING json OPTIONS (path 'r', maxFilesPerTrigger 1);
CREATE STREAMING TABLE o USING console TBLPROPERTIES (checkpointLocation '{kind}', trigger 'availableNow')
AS SELECT l.t, l.k FROM STREAM l WATERMARK t DELAY OF INTERVAL 10 MINUTES AS l {kind} JOIN STREAM r WATERMARK t
DELAY OF INTERVAL 10 MINUTES AS r ON l.k = r.k AND {bound};
"""
    for side in "lr":
        case.put_text(f"{side}/0.json", '{"t":"2024-01-01T10:00:00Z","k":1}\n{"t":"2024-01-01T12:00:00Z"}\n', 1772442000)
        case.put_text(f"{side}/1.json", '{"t":"2024-01-01T10:05:00Z","k":1}\n', 1772442001)
    seen = {}
    plain = "l.t >= r.t - INTERVAL 5 MINUTES AND l.t <= r.t + INTERVAL 5 MINUTES"
    negated = "NOT (l.t < r.t - INTERVAL 5 MINUTES OR l.t > r.t + INTERVAL 5 MINUTES)"
    for kind, bound in (("INNER", negated), ("LEFT SEMI", plain), ("FULL", plain)):
        case.put_text("p.sql", text.format(kind=kind, bound=bound))
        made = [r for r in case.run("p.sql") if "addBatch" in r["durationMs"]]
        seen[kind] = [(r["eventTime"].get("max", "-")[11:16], r["eventTime"]["watermark"][11:16],
                       r["stateOperators"][0]["numRowsTotal"]) for r in made]
    equal(seen, {"INNER": [("10:00", "00:00", 2), ("10:05", "09:50", 4), ("", "09:55", 4)],
                 "LEFT SEMI": [("10:00", "00:00", 1), ("10:05", "09:50", 2), ("", "09:55", 2)],
                 "FULL": [("12:00", "00:00", 4), ("10:05", "11:50", 2)]})


def a_condition_on_a_key_holds_below_the_other_watermark(case):
    """Numbers of Spark 4.3.0: what cannot match moves no watermark and is not kept."""
    text = """SET spark.sql.session.timeZone = UTC;
CREATE TABLE l (t TIMESTAMP, k INT, v INT) USING json OPTIONS (path 'l', maxFilesPerTrigger 1);
CREATE TABLE r (t TIMESTAMP, k INT, v INT) USING json OPTIONS (path 'r', maxFilesPerTrigger 1);
CREATE STREAMING TABLE o USING console TBLPROPERTIES (checkpointLocation '{name}', trigger 'availableNow')
AS SELECT l.t FROM STREAM l WATERMARK t DELAY OF INTERVAL 10 MINUTES AS l {kind} JOIN
{right} WATERMARK t DELAY OF INTERVAL 10 MINUTES AS r ON l.k = r.k AND l.t BETWEEN r.t - INTERVAL 5 MINUTES AND r.t{on};
"""
    case.put_text("l/0.json", '{"t":"2024-01-01T10:00:00Z","k":1}\n{"t":"2024-01-01T12:00:00Z","k":7}\n', 1772442000)
    case.put_text("r/0.json", '{"t":"2024-01-01T10:00:00Z","k":1}\n{"t":"2024-01-01T12:00:00Z","k":7}\n', 1772442000)
    filtered = "(SELECT * FROM STREAM r WHERE k < 5)"
    seen = {}
    for name, kind, right, on in (("below", "INNER", filtered, ""), ("on", "INNER", "STREAM r", " AND r.k < 5"), ("outer", "RIGHT", filtered, ""),
                                  ("preserved", "LEFT", filtered, ""), ("left on", "LEFT", "STREAM r", " AND l.k < 5")):
        case.put_text("p.sql", text.format(name=name, kind=kind, right=right, on=on))
        made = [r for r in case.run("p.sql") if "addBatch" in r["durationMs"]]
        seen[name] = (made[0]["stateOperators"][0]["numRowsTotal"], made[-1]["eventTime"]["watermark"][11:16])
    equal(seen, {"below": (2, "09:50"), "on": (2, "09:50"), "outer": (2, "09:50"), "preserved": (3, "09:50"), "left on": (2, "09:50")})


def a_limit_of_memory_counts_lists_and_texts(case):
    """Values of any length behind the groups are state too: in a run, and when a run begins."""
    def pipeline(limit):
        case.put_text("p.sql", f"""CREATE TABLE t (k INT, s STRING) USING json OPTIONS (path 'in', maxFilesPerTrigger 1);
CREATE STREAMING TABLE o USING console TBLPROPERTIES (checkpointLocation 'ckpt', outputMode 'update', trigger 'availableNow', state.memoryLimit '{limit}')
AS SELECT k, length(max(s)), size(collect_list(s)) FROM STREAM t GROUP BY k;
""")
    for number in range(12):
        rows = (json.dumps({"k": i % 50, "s": f"{number} {i} " + "x" * 900}) for i in range(200))
        case.put_text(f"in/{number}.json", "\n".join(rows) + "\n", 1772442000 + number)
    pipeline("2m")
    done = case.arus("run", "p.sql", expect=1)
    assert "[ARUS_STATE_MEMORY_LIMIT]" in done.stderr and "state.memoryLimit is 2 M" in done.stderr, done.stderr
    assert case.path("ckpt/commits/0").exists() and not case.path("ckpt/commits/11").exists(), "some batches fit"
    pipeline("16m")
    case.arus("run", "p.sql")
    equal(len([n for n in case.tree("ckpt") if n.startswith("commits/")]), 12)
    pipeline("2m")
    case.put_text("in/99.json", '{"k": 1, "s": "y"}\n', 1772442099)
    done = case.arus("run", "p.sql", expect=1)
    assert "[ARUS_STATE_MEMORY_LIMIT]" in done.stderr, done.stderr


def a_key_without_an_event_time_is_soon_forgotten_within_a_watermark(case):
    """Numbers of Spark 4.3.0: its time counts as 1970."""
    case.put_text("p.sql", """SET spark.sql.session.timeZone = UTC;
CREATE TABLE a (t TIMESTAMP, k INT) USING json OPTIONS (path 'a', maxFilesPerTrigger 1);
CREATE STREAMING TABLE o USING console TBLPROPERTIES (checkpointLocation 'ckpt', trigger 'availableNow')
AS SELECT * FROM drop_duplicates_within_watermark(TABLE(SELECT * FROM STREAM a WATERMARK t DELAY OF INTERVAL 1 MINUTE), 'k');
""")
    case.put_text("a/0.json", '{"t":"2024-01-01T10:00:00Z","k":1}\n{"k":2}\n', 1772442000)
    case.put_text("a/1.json", '{"t":"2024-01-01T10:00:10Z","k":3}\n{"k":2}\n', 1772442001)
    case.put_text("a/2.json", '{"k":2}\n', 1772442002)
    made = [r for r in case.run("p.sql") if "addBatch" in r["durationMs"]]
    equal([(r["arus"]["rowsOut"], r["stateOperators"][0]["numRowsTotal"], r["stateOperators"][0]["numRowsRemoved"]) for r in made][:3],
          [(2, 2, 0), (1, 2, 1), (1, 2, 1)])


def a_limit_keeps_its_count_once_rows_came_through(case):
    """Numbers of Spark 4.3.0."""
    case.put_text("p.sql", """CREATE TABLE a (k INT) USING json OPTIONS (path 'a', maxFilesPerTrigger 1);
CREATE STREAMING TABLE o USING console TBLPROPERTIES (checkpointLocation 'ckpt', trigger 'availableNow')
AS SELECT k FROM STREAM a WHERE k > 1 LIMIT 2;
""")
    for number, k in enumerate((1, 5, 1, 6, 7)):
        case.put_text(f"a/{number}.json", json.dumps({"k": k}) + "\n", 1772442000 + number)
    made = [r["stateOperators"][0] for r in case.run("p.sql") if "addBatch" in r["durationMs"]]
    equal([(o["numRowsTotal"], o["numRowsUpdated"]) for o in made], [(0, 0), (1, 1), (1, 0), (1, 1), (1, 0)])


def a_right_row_that_matched_and_leaves_at_once_is_not_stored(case):
    """Spark 4.3.0 stores it only if it must come out without a match."""
    side = "(SELECT window, k, count(*) AS n FROM STREAM {0} WATERMARK t DELAY OF INTERVAL 1 MINUTE GROUP BY window(t, '2 minutes'), k) AS {0}"
    case.put_text("p.sql", f"""SET spark.sql.session.timeZone = UTC;
CREATE TABLE l (t TIMESTAMP, k INT) USING json OPTIONS (path 'l', maxFilesPerTrigger 1);
CREATE TABLE r (t TIMESTAMP, k INT) USING json OPTIONS (path 'r', maxFilesPerTrigger 1);
CREATE STREAMING TABLE o USING console TBLPROPERTIES (checkpointLocation 'ckpt', trigger 'availableNow')
AS SELECT l.k, r.k AS rk FROM {side.format('l')} FULL JOIN {side.format('r')} ON l.window = r.window AND l.k = r.k;
""")
    for name, keys in (("l", (1, 2, 3)), ("r", (1, 2, 4))):
        lines = [json.dumps({"t": "2024-01-01T10:00:00Z", "k": k}) for k in keys] + [json.dumps({"t": "2024-01-01T11:00:00Z", "k": 9})]
        case.put_text(f"{name}/0.json", "\n".join(lines) + "\n", 1772442000)
    made = [r for r in case.run("p.sql") if "addBatch" in r["durationMs"]]
    equal([r["arus"]["rowsOut"] for r in made], [0, 4])
    operator = made[-1]["stateOperators"][0]
    equal((operator["numRowsTotal"], operator["numRowsUpdated"], operator["numRowsRemoved"]), (0, 4, 4), "3 of the left, 1 of the right")


run_all([f for name, f in sorted(globals().items()) if name.startswith(("exercise_", "a_")) and callable(f)])
