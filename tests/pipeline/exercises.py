#!/usr/bin/env python3
"""Exercises 001, 002 and 004 (steps 1-5) with the numbers that Spark 4.3.0 gives: tests/exercises/README.md."""
import hashlib
import json

from pipelines import EXERCISES, MTIME_FIRST, equal, run_all

EVENTS = ["event_id", "device", "event_time", "value"]


def expected(number, step):
    steps = json.loads((EXERCISES / "expected" / f"{number}.json").read_text())["steps"]
    return next(s for s in steps if s["step"].startswith(step))


def check_004(case, step, batches):
    want = expected("004", step)
    equal(batches, [(b["batchId"], b["numInputRows"]) for b in want["batches_run"]], step)
    equal(len(case.cat("out/events")), want["sink_rows"], step)
    equal(case.sha256_of_rows(EVENTS, "out/events"), want["rows_sha256"], step)
    equal([name for name in case.tree("ckpt/events")], want["checkpoint"], step)


def exercise_004_each_new_file_becomes_part_of_the_next_batch(case):
    case.pipeline("004-events.sql")
    case.pipeline("004-dups.sql")
    for step, bundles in (("1 bundle", [1]), ("1b", []), ("2 add", [2]), ("3 add", [3, 4]), ("4 add", [6])):
        for k in bundles:
            case.put(f"inputs/bundles/batch-0{k}.jsonl", f"in/batch-0{k}.jsonl")
        check_004(case, step, case.batches("004-events.sql"))
    case.arus("sql", "--rows", "004-dups.sql")
    equal(case.out.splitlines(), ['{"schema": "dups BIGINT"}', '["400"]'] if '": "' in case.out else
          ['{"schema":"dups BIGINT"}', '["400"]'])
    got = sorted(",".join(r) for r in case.rows("SELECT event_id, device, event_time, value FROM parquet.`out/events`"))
    equal(hashlib.sha256("\n".join([",".join(EVENTS)] + got + [""]).encode()).hexdigest(),
          hashlib.sha256((EXERCISES / "expected" / "004-events.csv").read_bytes()).hexdigest(), "rows of 004-events.csv")


def exercise_004_a_fresh_checkpoint_on_an_old_sink_is_refused(case):
    case.pipeline("004-events.sql")
    case.put("inputs/bundles/batch-01.jsonl", "in/batch-01.jsonl")
    case.run("004-events.sql")
    case.arus("sql", "SELECT 1")
    import shutil
    shutil.rmtree(case.path("ckpt"))
    before = case.tree("out")
    case.run("004-events.sql", expect=3)
    assert "ARUS_SINK_HAS_LOG" in case.err, case.err
    equal(case.tree("out"), before, "nothing in the sink changed")
    equal(len(case.cat("out/events")), 400)


def exercise_001_two_runs_no_duplicates(case):
    case.pipeline("001-sensors.sql")
    case.put("inputs/sensors/part1.txt", "sumber/part1.txt")
    equal(case.batches("001-sensors.sql"), [(0, 2)])
    equal(sorted({name.split("/")[0] for name in case.tree("ckpt")}), ["commits", "metadata", "offsets", "sources"])
    assert not case.path("ckpt/state").exists(), "a stateless query has no state folder"
    case.put("inputs/sensors/part2.txt", "sumber/part2.txt")
    equal(case.batches("001-sensors.sql"), [(1, 1)])
    equal(case.rows("SELECT * FROM parquet.`sink`"), [["kamar1", "27.9"], ["kamar1", "28.5"], ["kamar2", "30.1"]])
    before = case.tree("ckpt")
    records = case.run("001-sensors.sql")
    equal([(r["batchId"], r["numInputRows"]) for r in records], [(2, 0)], "one idle record with the next batch id")
    equal(case.tree("ckpt"), before, "nothing new: no batch")


def exercise_001_files_are_read_in_the_order_of_their_times(case):
    case.pipeline("001-sensors.sql", **{"(path 'sumber')": "(path 'sumber', maxFilesPerTrigger 1)"})
    case.put_text("sumber/a-new.txt", "new,2\n", MTIME_FIRST + 60)
    case.put_text("sumber/z-old.txt", "old,1\n", MTIME_FIRST)
    equal(case.batches("001-sensors.sql"), [(0, 1), (1, 1)])
    logs = [case.path(f"ckpt/sources/0/{n}").read_text() for n in (0, 1)]
    assert "z-old" in logs[0] and "a-new" in logs[1], logs


def exercise_001_equal_times_go_by_path(case):
    case.pipeline("001-sensors.sql", **{"(path 'sumber')": "(path 'sumber', maxFilesPerTrigger 1)"})
    for name in "dbca":
        case.put_text(f"sumber/{name}.txt", f"{name},1\n", MTIME_FIRST)
    case.run("001-sensors.sql")
    order = [case.path(f"ckpt/sources/0/{n}").read_text().split("/sumber/")[1][0] for n in range(4)]
    equal(order, list("abcd"))


def exercise_001_a_file_rewritten_in_place_is_not_read_again(case):
    case.pipeline("001-sensors.sql")
    case.put("inputs/sensors/part1.txt", "sumber/part1.txt")
    case.run("001-sensors.sql")
    case.put_text("sumber/part1.txt", "kamar9,99.9\n", MTIME_FIRST + 9999)
    equal(case.batches("001-sensors.sql"), [])
    equal(len(case.cat("sink")), 2)


def exercise_001_a_file_sink_takes_append_only(case):
    case.put("inputs/sensors/part1.txt", "sumber/part1.txt")
    for mode in ("update", "complete"):
        case.pipeline("001-sensors.sql", **{"outputMode 'append'": f"outputMode '{mode}'"})
        case.arus("check", "001-sensors.sql", expect=2)
        assert "STREAMING_OUTPUT_MODE." in case.err, case.err


def exercise_001_a_sink_that_keeps_data_needs_a_checkpoint(case):
    case.put("inputs/sensors/part1.txt", "sumber/part1.txt")
    case.pipeline("001-sensors.sql", **{"checkpointLocation 'ckpt', ": ""})
    case.arus("check", "001-sensors.sql", expect=2)
    assert "_LEGACY_ERROR_TEMP_1298" in case.err, case.err


def exercise_001_a_filter_may_be_added_on_an_old_checkpoint(case):
    case.pipeline("001-sensors.sql")
    case.put("inputs/sensors/part1.txt", "sumber/part1.txt")
    case.run("001-sensors.sql")
    case.pipeline("001-sensors.sql", **{"FROM STREAM sumber": "FROM STREAM sumber WHERE suhu < 20"})
    case.put_text("sumber/part3.txt", "kamar3,10.0\nkamar3,40.0\n", MTIME_FIRST + 600)
    equal(case.batches("001-sensors.sql"), [(1, 2)])
    equal(case.rows("SELECT * FROM parquet.`sink`"), [["kamar1", "28.5"], ["kamar2", "30.1"], ["kamar3", "10.0"]])


def exercise_002_the_same_folder_as_table_and_as_stream(case):
    case.pipeline("002-rooms.sql")
    case.pipeline("002-rooms-batch.sql")
    case.put("inputs/rooms/batch1.txt", "rooms/batch1.txt")
    wanted = [["kamar1", "2026-11-04 08:00:10", "28.0"], ["kamar2", "2026-11-04 08:00:40", "31.0"]]
    case.arus("sql", "--rows", "002-rooms-batch.sql")
    equal(sorted(json.loads(line) for line in case.out.splitlines()[1:]), wanted)
    equal(json.loads(case.out.splitlines()[0]), {"schema": "kamar STRING, waktu TIMESTAMP, suhu DOUBLE"})
    equal(case.batches("002-rooms.sql"), [(0, 2)])
    equal(case.rows("SELECT * FROM parquet.`out/rooms`"), wanted)
    equal(case.batches("002-rooms.sql"), [])


def exercise_002_a_stream_needs_a_schema_and_an_end(case):
    case.put("inputs/rooms/batch1.txt", "rooms/batch1.txt")
    sink = " TBLPROPERTIES (path 'out', checkpointLocation 'c', trigger 'availableNow') AS SELECT * FROM STREAM t;"
    for format, ok in (("csv", False), ("json", False), ("parquet", False), ("text", True)):
        case.put_text("p.sql", f"CREATE TABLE t USING {format} OPTIONS (path 'rooms');\nCREATE STREAMING TABLE o USING json{sink}")
        case.arus("check", "p.sql", expect=0 if ok else 2)
        assert ok or "_LEGACY_ERROR_TEMP_2048" in case.err, case.err
    case.put_text("p.sql", "CREATE TABLE t (a STRING) USING csv OPTIONS (path 'rooms');\nSELECT * FROM STREAM t;")
    case.arus("check", "p.sql", expect=2)
    assert "_LEGACY_ERROR_TEMP_3102" in case.err, case.err
    case.put_text("p.sql", "CREATE TABLE t (a STRING) USING csv OPTIONS (path 'rooms');\n"
                           "CREATE STREAMING TABLE o USING json TBLPROPERTIES (path 'out', checkpointLocation 'c') "
                           "AS SELECT * FROM STREAM t ORDER BY a;")
    case.arus("check", "p.sql", expect=2)
    assert "_LEGACY_ERROR_TEMP_3102" in case.err, case.err


def exercise_002_source_and_sink_folders_must_not_contain_each_other(case):
    case.put("inputs/rooms/batch1.txt", "rooms/batch1.txt")
    for sink in ("rooms", "rooms/out", "."):
        case.put_text("p.sql", "CREATE TABLE t (a STRING) USING csv OPTIONS (path 'rooms');\n"
                               f"CREATE STREAMING TABLE o USING csv TBLPROPERTIES (path '{sink}', checkpointLocation '/tmp/none') "
                               "AS SELECT * FROM STREAM t;")
        case.arus("check", "p.sql", expect=2)
        assert "ARUS_NESTED_FOLDERS" in case.err, case.err


def exercise_002_a_missing_source_folder_is_an_error_at_once(case):
    case.pipeline("002-rooms.sql")
    case.arus("run", "002-rooms.sql", expect=2)
    assert "002-rooms.sql:5:27: error: source folder rooms/ does not exist [PATH_NOT_FOUND] (42K03)" in case.err, case.err


run_all([value for name, value in sorted(globals().items()) if name.startswith("exercise_")])
