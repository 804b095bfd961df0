#!/usr/bin/env python3
"""Commands that work on a checkpoint: state and statestore, rewind."""
import hashlib
import json
import os
from random import Random
import re
import signal
import subprocess
import time

from pipelines import ARUS, equal, run_all

EVENTS = """
SET spark.sql.session.timeZone = UTC;
CREATE TABLE events (k STRING, t TIMESTAMP, v INT) USING json OPTIONS (path 'in', maxFilesPerTrigger 1);
"""


def put(case, number, *rows):
    """File `number` of the source: (key, time of 2026-03-02, value)."""
    lines = [json.dumps({"k": k, "t": f"2026-03-02 {t}", "v": v}) + "\n" for k, t, v in rows]
    case.put_text(f"in/{number}.json", "".join(lines), 1772442000 + 60 * number)


def stream(case, query, **properties):
    """p.sql with one streaming table `q` over `events`."""
    shown = "".join(f", {key} '{value}'" for key, value in {"outputMode": "append", "trigger": "availableNow", **properties}.items())
    case.put_text("p.sql", EVENTS + f"CREATE STREAMING TABLE q USING parquet TBLPROPERTIES (path 'out', checkpointLocation 'ckpt'{shown})\nAS {query};\n")


def state(case, *arguments):
    case.arus("state", "--json", "p.sql", *arguments)
    return [json.loads(line) for line in case.out.splitlines()]


def at(time_of_day):
    return f"2026-03-02T{time_of_day}.000Z"


def state_shows_open_windows_first_to_leave_first(case):
    for k in range(1, 6):
        case.put(f"inputs/bundles/batch-0{k}.jsonl", f"late_in/batch-0{k}.jsonl")
    case.pipeline("004-windows.sql")
    case.arus("run", "004-windows.sql")
    case.arus("state", "004-windows.sql", "-n", "1")
    equal(case.out, "+-------------------+-----+-------------------+\n"
                    "|window.start       |count|leaves at          |\n"
                    "+-------------------+-----+-------------------+\n"
                    "|2026-03-02 09:30:00|  399|2026-03-02 09:40:00|\n"
                    "+-------------------+-----+-------------------+\n")
    equal(case.err, "1 of 2 rows, operator 0 (aggregate), batch 5\n")
    case.arus("state", "004-windows.sql", "--operator", "3", expect=2)
    equal(case.err.splitlines()[0], "arus: error: windows has operator 0 only (aggregate) [ARUS_NO_OPERATOR]")
    case.arus("state", "ckpt/windows", "--key", "2026-03-02 09:40:00")
    equal(case.err, "1 row, operator 0 (aggregate), batch 5\n")
    equal(case.rows("SELECT key.window.start, value.count, leaves_at FROM statestore.`ckpt/windows`"),
          [["2026-03-02 09:30:00", "399", "2026-03-02 09:40:00"], ["2026-03-02 09:40:00", "357", "2026-03-02 09:50:00"]])
    case.arus("sql", "--rows", "SELECT * FROM statestore.`ckpt/windows`")
    equal(json.loads(case.out.splitlines()[0])["schema"].replace(" NOT NULL", ""),
          "key STRUCT<window: STRUCT<start: TIMESTAMP, end: TIMESTAMP>>, value STRUCT<count: BIGINT>, partition_id INT, leaves_at TIMESTAMP")


def state_of_a_query_without_any(case):
    case.pipeline("004-events.sql")
    case.put("inputs/bundles/batch-01.jsonl", "in/batch-01.jsonl")
    case.arus("state", "004-events.sql")
    equal(case.err, "events: no batch yet\n")
    case.arus("run", "004-events.sql")
    case.arus("state", "004-events.sql")
    equal((case.out, case.err), ("", "events keeps no state\n"))
    case.arus("sql", "SELECT * FROM statestore.`ckpt/events`", expect=2)
    assert "ckpt/events keeps no state [ARUS_NO_OPERATOR]" in case.err, case.err


def state_of_any_kept_batch_is_what_it_was(case):
    put(case, 1, ("a", "10:00:00", 1), ("b", "10:00:01", 2))
    put(case, 2, ("a", "10:01:00", 10))
    put(case, 3, ("c", "10:02:00", 100), ("b", "10:02:00", 20))
    stream(case, "SELECT k, sum(v) AS total, max(k) AS most, collect_list(v) AS all FROM STREAM events GROUP BY k",
           outputMode="complete")
    case.put_text("p.sql", case.path("p.sql").read_text().replace("USING parquet", "USING console").replace("path 'out', ", ""))
    case.arus("run", "p.sql")
    for batch, wanted in [(0, [["a", "1"], ["b", "2"]]), (1, [["a", "11"], ["b", "2"]]), (2, [["a", "11"], ["b", "22"], ["c", "100"]])]:
        equal(case.rows(f"SELECT key.k, value.total FROM statestore.`ckpt` WITH (batchId = {batch})"), wanted, f"batch {batch}")
    equal(state(case, "--key", "b"), [{"k": "b", "total": 22, "most": "b", "all": [2, 20], "leaves at": None}])
    case.arus("sql", "SELECT * FROM statestore.`ckpt` WITH (batchId = 3)", expect=2)
    assert "state of batch 3 is not kept; choose 0-2 [ARUS_NO_SUCH_BATCH]" in case.err, case.err


def state_of_sessions(case):
    put(case, 1, ("a", "10:00:00", 1), ("a", "10:03:00", 2), ("b", "10:20:00", 5))
    stream(case, "SELECT session_window.start AS start, k, count(*) AS n FROM STREAM events WATERMARK t DELAY OF INTERVAL 1 HOUR "
                 "GROUP BY session_window(t, '5 minutes'), k")
    case.arus("run", "p.sql")
    equal([{key: row[key] for key in ("k", "n", "leaves at")} for row in state(case)],
          [{"k": "a", "n": 2, "leaves at": at("10:08:00")}, {"k": "b", "n": 1, "leaves at": at("10:25:00")}])
    equal([row["session_window.start"] for row in state(case)], [at("10:00:00"), at("10:20:00")])


def state_of_duplicates(case):
    put(case, 1, ("a", "10:00:00", 1), ("a", "10:03:00", 2), ("b", "10:20:00", 5))
    stream(case, "SELECT * FROM drop_duplicates(TABLE(SELECT * FROM STREAM events), 'k')")
    case.arus("run", "p.sql")
    equal(state(case), [{"k": "a", "leaves at": None}, {"k": "b", "leaves at": None}])
    case.arus("state", "p.sql")
    assert case.err.endswith("2 rows, operator 0 (drop_duplicates), batch 0\n"), case.err


def state_of_duplicates_within_the_watermark(case):
    put(case, 1, ("a", "10:00:00", 1), ("a", "10:03:00", 2), ("b", "10:20:00", 5))
    stream(case, "SELECT * FROM drop_duplicates_within_watermark(TABLE(SELECT * FROM STREAM events WATERMARK t DELAY OF INTERVAL 1 HOUR), 'k')")
    case.arus("run", "p.sql")
    equal(state(case), [{"k": "a", "leaves at": at("11:00:00")}, {"k": "b", "leaves at": at("11:20:00")}])


def state_of_a_join_is_two_tables(case):
    put(case, 1, ("a", "10:00:00", 1), ("b", "10:20:00", 5))
    case.put_text("right/1.json", '{"k":"a","u":"2026-03-02 10:01:00"}\n{"k":"z","u":"2026-03-02 10:02:00"}\n')
    stream(case, "SELECT e.k, u FROM STREAM events WATERMARK t DELAY OF INTERVAL 1 HOUR AS e JOIN STREAM others WATERMARK u DELAY OF INTERVAL 1 HOUR AS o "
                 "ON e.k = o.k AND u >= t AND u <= t + INTERVAL 10 MINUTES")
    case.put_text("p.sql", "CREATE TABLE others (k STRING, u TIMESTAMP) USING json OPTIONS (path 'right');\n" + case.path("p.sql").read_text())
    case.arus("run", "p.sql")
    left = case.rows("SELECT key.k, value.k, value.t FROM statestore.`ckpt` WITH (joinSide = 'left')")
    equal(left, [["a", "a", "2026-03-02 10:00:00"], ["b", "b", "2026-03-02 10:20:00"]])
    equal(case.rows("SELECT value.k, value.u FROM statestore.`ckpt` WITH (joinSide = 'right')"),
          [["a", "2026-03-02 10:01:00"], ["z", "2026-03-02 10:02:00"]])
    case.arus("sql", "SELECT * FROM statestore.`ckpt`", expect=2)
    assert "operator 0 is a join: it keeps two tables" in case.err, case.err
    case.arus("state", "p.sql")
    assert "(join, left)" in case.err and "(join, right)" in case.err, case.err


def state_of_a_limit_is_one_number(case):
    put(case, 1, ("a", "10:00:00", 1), ("b", "10:20:00", 5))
    stream(case, "SELECT * FROM STREAM events LIMIT 5")
    case.arus("run", "p.sql")
    equal(state(case), [{"count": 2, "leaves at": None}])


def state_of_an_aggregate_without_keys(case):
    put(case, 1, ("a", "10:00:00", 1), ("b", "10:20:00", 5))
    stream(case, "SELECT count(*) AS n, avg(v) AS mean FROM STREAM events", outputMode="complete")
    case.put_text("p.sql", case.path("p.sql").read_text().replace("USING parquet", "USING console").replace("path 'out', ", ""))
    case.arus("run", "p.sql")
    equal(state(case), [{"n": 2, "mean": 3.0, "leaves at": None}])


def state_needs_the_pipeline_that_says_what_it_means(case):
    put(case, 1, ("a", "10:00:00", 1))
    stream(case, "SELECT * FROM drop_duplicates(TABLE(SELECT * FROM STREAM events), 'k')")
    case.arus("run", "p.sql")
    case.path("p.sql").rename(case.path("moved.sql"))
    case.arus("sql", "SELECT * FROM statestore.`ckpt`", expect=2)
    assert "[ARUS_NO_PIPELINE]" in case.err and "arus state FILE.sql" in case.err, case.err
    equal(case.rows("SELECT key.k FROM statestore.`ckpt` WITH (pipeline = 'moved.sql')"), [["a"]])
    case.arus("state", "moved.sql")
    changed = case.path("moved.sql").read_text().replace("'k')", "'v')")
    case.put_text("moved.sql", changed)
    case.arus("state", "moved.sql", expect=2)
    assert "STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE" in case.err, case.err


def wait_for(what, ready):
    """Until `ready` gives something: as long as it takes on a slow machine."""
    for _ in range(6000):
        found = ready()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"{what} did not happen")


def state_is_there_while_the_query_runs(case):
    put(case, 1, ("a", "10:00:00", 1))
    stream(case, "SELECT * FROM drop_duplicates(TABLE(SELECT * FROM STREAM events), 'k')", trigger="50 milliseconds")
    running = subprocess.Popen([ARUS, "run", "-q", "p.sql"], cwd=case.folder, env={**os.environ, "TZ": "UTC"})
    try:
        for number, key in enumerate("bcdefg", 2):
            wait_for(f"batch {number - 2}", lambda: case.path(f"ckpt/commits/{number - 2}").exists())
            rows = [row["k"] for row in state(case)]
            assert rows == sorted("abcdefg"[:number - 1]), rows
            put(case, number, (key, "10:00:00", 1))
        case.arus("status", "--json", "p.sql")
        equal(json.loads(case.out)["running"], True)
    finally:
        running.send_signal(signal.SIGTERM)
        equal(running.wait(), 0)


# ---- rewind ----

def digest(case, *folders):
    """Hashes of all files, but for locks and what LMDB writes for a reader."""
    files = [p for folder in folders for p in sorted(case.path(folder).rglob("*")) if p.is_file() and p.name not in (".arus.lock", "lock.mdb")]
    return {str(p.relative_to(case.folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def numbers(case, folder):
    return sorted(int(p.name.removesuffix(".compact")) for p in case.path(folder).iterdir() if p.name[0] != ".")


def rewind_windows_as_in_exercise_004(case):
    for k in range(1, 6):
        case.put(f"inputs/bundles/batch-0{k}.jsonl", f"late_in/batch-0{k}.jsonl")
    case.pipeline("004-windows.sql")
    case.arus("run", "004-windows.sql")
    before = case.rows("SELECT * FROM parquet.`out/windows`")
    tree = digest(case, "out", "ckpt")
    case.arus("rewind", "004-windows.sql", "--to-batch", "3", "--dry-run")
    equal(case.err, "windows  would go back to batch 3: 2 batches, 2 sink rows, 1 file taken back\n")
    equal(digest(case, "out", "ckpt"), tree, "a dry run changes nothing")
    case.arus("rewind", "004-windows.sql", "--to-batch", "3")
    equal(case.err, "windows  now at batch 3: 2 batches, 2 sink rows, 1 file taken back\n")
    for folder in ("ckpt/windows/offsets", "ckpt/windows/commits", "ckpt/windows/sources/0", "out/windows/_spark_metadata"):
        equal(numbers(case, folder), [0, 1, 2, 3], folder)
    equal(len(case.rows("SELECT * FROM parquet.`out/windows`")), 1)
    equal(len(case.rows("SELECT * FROM parquet.`out/windows/*.parquet`")), 1, "a reader that knows no log")
    case.arus("state", "--json", "004-windows.sql")
    equal(len(case.out.splitlines()), 3)
    case.arus("run", "-v", "004-windows.sql")
    assert "batches 4-5   400 rows in   2 out   36 late   1 file" in case.err, case.err
    equal(case.rows("SELECT * FROM parquet.`out/windows`"), before)


STATEFUL = "SELECT window.start AS s, k, count(*) AS n, sum(v) AS v FROM STREAM events WATERMARK t DELAY OF INTERVAL 2 MINUTES " \
           "GROUP BY window(t, '3 minutes'), k"
STATELESS = "SELECT k, t, v FROM STREAM events WHERE v % 7 <> 3"


def fill(case, files, generator):
    for number in range(files):
        put(case, number, *[(f"k{generator.randrange(4)}", f"10:{number:02}:{generator.randrange(60):02}", generator.randrange(100)) for _ in range(20)])


def everything(case):
    """What a quiet run leaves, but for times and the threads that data files are named by: rows, how many parts, log entries, plans."""
    texts = {name: "\n".join(line for line in case.path(name).read_text().splitlines() if "batchTimestampMs" not in line)
             for name in case.tree("") if name.startswith("ckpt/") and name.split("/")[1] in ("sources", "commits", "offsets")}
    parts = len([name for name in case.tree("out") if not name.startswith("_spark_metadata")])
    return case.rows("SELECT * FROM parquet.`out`"), parts, numbers(case, "out/_spark_metadata"), texts


def rewind_to_any_batch_and_forward_again(case):
    seed = int.from_bytes(os.urandom(4), "big")
    print("seed", seed)
    for query in (STATEFUL, STATELESS):
        generator = Random(seed)
        fill(case, 34, generator)
        stream(case, query, minBatchesToRetain="25")
        case.arus("run", "p.sql")
        quiet = everything(case)
        newest = max(numbers(case, "ckpt/commits"))
        for _ in range(5):
            to = generator.randrange(newest - 25, newest - 1)  # the last batch has no input: as in Spark, a start alone makes none
            case.arus("rewind", "p.sql", "--to-batch", str(to))
            equal(max(numbers(case, "out/_spark_metadata")), to, f"seed {seed}")
            case.arus("status", "--json", "p.sql")
            equal(json.loads(case.out)["published"], to)
            if generator.random() < 0.5:  # twice in a row
                case.arus("rewind", "ckpt", "--to-batch", str(max(to - 1, newest - 25)), expect=None)
            case.arus("run", "p.sql")
            equal(everything(case), quiet, f"seed {seed}, back to {to}")
        for folder in ("in", "out", "ckpt"):
            case.forget(folder)


def rewind_refuses_what_is_not_kept(case):
    fill(case, 12, Random(1))
    stream(case, STATELESS, minBatchesToRetain="3")
    case.arus("rewind", "p.sql", "--to-batch", "0", expect=2)
    assert "no batch yet [ARUS_NO_SUCH_BATCH]" in case.err, case.err
    case.arus("run", "p.sql")
    tree = digest(case, "out", "ckpt")
    case.arus("rewind", "p.sql", "--to-batch", "11", expect=2)
    equal(case.err.splitlines()[0], "arus: ckpt: error: the newest batch is 11; choose 8-10 [ARUS_NO_SUCH_BATCH]")
    case.arus("rewind", "p.sql", "--to-batch", "2", expect=2)
    equal(case.err.splitlines()[0], "arus: ckpt: error: batch 2 is not kept any more; choose 8-10 [ARUS_NO_SUCH_BATCH]")
    assert "minBatchesToRetain" in case.err, case.err
    case.arus("rewind", "p.sql", expect=2)
    assert "which batch?" in case.err, case.err
    case.arus("rewind", "out", "--to-batch", "1", expect=2)
    assert "a sink, no checkpoint [ARUS_NOT_A_CHECKPOINT]" in case.err, case.err
    equal(digest(case, "out", "ckpt"), tree)


def rewind_refuses_input_that_was_cleaned(case):
    fill(case, 4, Random(1))
    stream(case, STATELESS)
    case.put_text("p.sql", case.path("p.sql").read_text().replace("maxFilesPerTrigger 1", "maxFilesPerTrigger 1, cleanSource 'delete'"))
    case.arus("run", "p.sql")
    tree = digest(case, "out", "ckpt")
    case.arus("rewind", "p.sql", "--to-batch", "0", expect=3)
    assert "in/1.json was read by a batch that would be taken back, and is gone: its rows would be lost [ARUS_REWIND_REFUSED]" in case.err, case.err
    assert "cleanSource" in case.err, case.err
    equal(digest(case, "out", "ckpt"), tree)


def rewind_refuses_a_sink_that_keeps_what_it_got(case):
    fill(case, 3, Random(1))
    stream(case, STATELESS)
    case.put_text("p.sql", case.path("p.sql").read_text().replace("USING parquet", "USING exec").replace("path 'out'", "command 'cat > /dev/null'"))
    case.arus("run", "p.sql")
    case.arus("rewind", "p.sql", "--to-batch", "1", expect=3)
    equal(case.err.splitlines()[0], "arus: ckpt: error: an exec sink cannot take back what its command was given [ARUS_REWIND_REFUSED]")


def rewind_refuses_while_the_query_runs(case):
    fill(case, 3, Random(1))
    stream(case, STATELESS, trigger="50 milliseconds")
    running = subprocess.Popen([ARUS, "run", "-q", "p.sql"], cwd=case.folder, env={**os.environ, "TZ": "UTC"})
    try:
        wait_for("batch 2", lambda: case.path("ckpt/commits/2").exists())
        case.arus("rewind", "p.sql", "--to-batch", "1", expect=3)
        assert f"ckpt is in use by process {running.pid}" in case.err, case.err
    finally:
        running.send_signal(signal.SIGTERM)
        equal(running.wait(), 0)
    case.arus("rewind", "p.sql", "--to-batch", "1")


def rewind_asks_which_query(case):
    fill(case, 3, Random(1))
    stream(case, STATELESS)
    other = case.path("p.sql").read_text().split("INT) USING json OPTIONS (path 'in', maxFilesPerTrigger 1);")[1]
    case.put_text("p.sql", case.path("p.sql").read_text() + other.replace("TABLE q ", "TABLE r ").replace("'out'", "'out2'").replace("'ckpt'", "'ckpt2'"))
    case.arus("run", "p.sql")
    case.arus("rewind", "p.sql", "--to-batch", "1", expect=2)
    assert "arus rewind p.sql:q --to-batch N" in case.err, case.err
    case.arus("rewind", "p.sql:r", "--to-batch", "1")
    equal((max(numbers(case, "ckpt/commits")), max(numbers(case, "ckpt2/commits"))), (2, 1))


def rewind_takes_a_half_made_batch_back_too(case):
    """A plan that was never prepared, and a batch that was prepared and not given out."""
    for failpoint in ("after_offsets_before_sink:3", "after_prepare:3", "during_publish:3", "after_sink_log:3"):
        fill(case, 6, Random(1))
        stream(case, STATEFUL)
        case.arus("run", "p.sql")
        quiet = everything(case)
        case.forget("out")
        case.forget("ckpt")
        case.arus("run", "p.sql", expect=None, env={"ARUS_FAILPOINT": failpoint})
        case.arus("rewind", "p.sql", "--to-batch", "1")
        equal(max(numbers(case, "ckpt/offsets")), 1, failpoint)
        case.arus("run", "p.sql")
        equal(everything(case), quiet, failpoint)
        for folder in ("in", "out", "ckpt"):
            case.forget(folder)


def rewind_does_not_touch_what_another_program_added(case):
    fill(case, 4, Random(1))
    stream(case, STATELESS)
    case.arus("run", "p.sql")
    for name in ("offsets", "commits"):
        case.put_text(f"ckpt/{name}/4", case.path(f"ckpt/{name}/3").read_text())
    case.arus("rewind", "p.sql", "--to-batch", "1", expect=3)
    assert "batches behind 3 that the journal does not know [ARUS_REWIND_REFUSED]" in case.err, case.err


# ---- backup ----

def backup_is_run_on_in_place_of_what_was_lost(case):
    for query in (STATEFUL, STATELESS):
        fill(case, 23, Random(2))
        stream(case, query)
        case.arus("run", "p.sql")
        quiet = everything(case)
        for folder in ("out", "ckpt"):
            case.forget(folder)
        case.arus("run", "p.sql", expect=None, env={"ARUS_FAILPOINT": "after_commit_log:12"})
        case.arus("backup", "p.sql", "bak")
        assert re.fullmatch(r"q  batch 12, .* KiB -> bak   \(without the sink\)\n", case.err), case.err
        for name in ("offsets", "commits"):
            equal(numbers(case, f"bak/{name}"), list(range(13)))
        case.arus("status", "--json", "bak")
        equal((json.loads(case.out)["published"], json.loads(case.out)["running"]), (12, False))
        case.arus("backup", "p.sql", "bak", expect=2)
        equal(case.err.splitlines()[0], "arus: bak: error: not empty, nothing written [ARUS_TARGET_NOT_EMPTY]")
        case.forget("ckpt")
        case.path("bak").rename(case.path("ckpt"))
        case.arus("run", "p.sql")
        equal(everything(case), quiet)
        for folder in ("in", "out", "ckpt"):
            case.forget(folder)


def backup_takes_the_sink_back_to_where_it_is(case):
    """The query went on behind the backup, then its checkpoint was lost."""
    for query in (STATEFUL, STATELESS):
        fill(case, 23, Random(2))
        stream(case, query)
        case.arus("run", "p.sql", expect=None, env={"ARUS_FAILPOINT": "after_commit_log:7"})
        case.arus("backup", "p.sql", "bak")
        case.arus("run", "p.sql")
        quiet = everything(case)
        case.forget("ckpt")
        case.path("bak").rename(case.path("ckpt"))
        case.arus("run", "p.sql", expect=3)
        assert "[ARUS_SINK_AHEAD]" in case.err and "arus rewind ckpt --to-batch 7" in case.err, case.err
        case.arus("rewind", "p.sql", "--to-batch", "7", expect=-9, env={"ARUS_FAILPOINT": "during_rewind:1"})
        case.arus("rewind", "p.sql", "--to-batch", "8", expect=2)
        case.arus("audit", "p.sql")
        equal(numbers(case, "out/_spark_metadata")[-1], 7)
        case.arus("run", "p.sql")
        equal(everything(case), quiet)
        for folder in ("in", "out", "ckpt"):
            case.forget(folder)


def backup_while_the_query_runs_is_of_one_batch(case):
    """Batches go by while copies are made: each is whole, and can be run on with the sink as it then is."""
    fill(case, 60, Random(3))
    stream(case, STATELESS, minBatchesToRetain="10")
    running = subprocess.Popen([ARUS, "run", "-q", "p.sql"], cwd=case.folder, env={**os.environ, "TZ": "UTC"})
    copies = []
    try:
        wait_for("batch 0", lambda: case.path("ckpt/commits").exists() and numbers(case, "ckpt/commits"))
        while running.poll() is None and len(copies) < 4:
            name = f"bak{len(copies)}"
            case.arus("backup", "ckpt", name)
            copies.append((name, int(re.search(r"batch (\d+),", case.err)[1])))
    finally:
        equal(running.wait(), 0)
    for name, batch in copies:
        case.arus("status", "--json", name)
        equal(json.loads(case.out)["lastBatch"], batch)
        assert max(numbers(case, f"{name}/offsets")) == batch, name
        case.arus("rewind", name, "--to-batch", str(batch - 1), "--dry-run", expect=None)
        assert "journal" not in case.err or "behind" in case.err, case.err  # the sink is farther: only that is said
    name, batch = copies[-1]
    case.arus("rewind", "ckpt", "--to-batch", str(batch), expect=None)
    if case.err.startswith("q  now at"):
        wanted = case.rows("SELECT count(*) FROM json.`in` WHERE v % 7 <> 3")
        case.forget("ckpt")
        case.path(name).rename(case.path("ckpt"))
        case.arus("run", "p.sql")
        equal(case.rows("SELECT count(*) FROM parquet.`out`"), wanted)


# ---- audit ----

def audit_names_what_is_missing_changed_or_extra(case):
    case.pipeline("004-events.sql")
    case.path("in").mkdir()
    case.arus("audit", "004-events.sql")
    equal(case.out, "events  no batch yet\n")
    for batches in [(1,), (2,), (3, 4), (6,)]:
        for k in batches:
            case.put(f"inputs/bundles/batch-0{k}.jsonl", f"in/batch-0{k}.jsonl")
        case.arus("run", "--threads", "1", "004-events.sql")
    case.arus("audit", "004-events.sql")
    equal(case.out, "events  batches 0-3, 2,000 rows in 4 files: sizes, counts, hashes agree\n")
    parts = sorted(case.path("out/events").glob("part-*"))
    parts[0].unlink()
    data = bytearray(parts[1].read_bytes())
    data[len(data) // 2] ^= 1
    parts[1].write_bytes(bytes(data))
    case.put_text("out/events/part-00000-of-nobody.parquet", "x")
    case.arus("audit", "ckpt/events", expect=3)
    equal(case.out, f"missing  {parts[0].name}\nchanged  {parts[1].name}\nextra    part-00000-of-nobody.parquet\n")
    assert re.match(r"arus: out/events: error: 1 of 4 files is missing \([48]00 rows\), 1 of 4 files is changed, "
                    r"1 file is listed by no batch \[ARUS_AUDIT_DIFFERS\]", case.err), case.err
    case.arus("audit", "--json", "004-events.sql", expect=3)
    found = json.loads(case.out)
    equal((found["missing"], found["changed"], found["extra"]), ([parts[0].name], [parts[1].name], ["part-00000-of-nobody.parquet"]))
    for part in case.path("out/events").glob("part-*"):
        part.unlink()
    case.arus("audit", "004-events.sql", expect=3)
    equal(case.err.splitlines()[0], "arus: out/events: error: 4 of 4 files are missing (2,000 rows) [ARUS_AUDIT_DIFFERS]")


def audit_knows_the_files_of_a_batch_that_is_decided(case):
    """They are in place before the log lists them: so looks an audit beside a run, too."""
    case.pipeline("004-events.sql")
    for k in (1, 2):
        case.put(f"inputs/bundles/batch-0{k}.jsonl", f"in/batch-0{k}.jsonl")
        case.arus("run", "004-events.sql", env={"ARUS_FAILPOINT": "during_publish:1"}, expect=0 if k == 1 else -9)
    equal(len(list(case.path("out/events").glob("part-*"))), 2)
    case.arus("audit", "004-events.sql")
    equal(case.out, "events  batch 0, 400 rows in 1 file: sizes, counts, hashes agree\n")


def audit_of_partitions_and_after_going_back(case):
    fill(case, 14, Random(4))
    stream(case, STATELESS)
    case.put_text("p.sql", case.path("p.sql").read_text().replace("USING parquet", "USING json PARTITIONED BY (k)"))
    case.arus("run", "p.sql")
    case.arus("audit", "p.sql")
    assert case.out.endswith("sizes, counts, hashes agree\n"), case.out
    case.arus("rewind", "p.sql", "--to-batch", "8")
    case.arus("audit", "p.sql")
    assert case.out.startswith("q  batches 0-8, ") and case.out.endswith("hashes agree\n"), case.out
    case.arus("run", "p.sql")
    case.arus("audit", "--json", "p.sql")
    found = json.loads(case.out)
    equal((found["hashed"], found["missing"] + found["changed"] + found["extra"]), (found["files"], []))
    case.arus("sql", "--rows", "SELECT count(*) FROM json.`out`")
    equal(found["rows"], int(json.loads(case.out.splitlines()[1])[0]))


run_all([value for name, value in sorted(globals().items()) if name.startswith(("state_", "rewind_", "backup_", "audit_"))])
