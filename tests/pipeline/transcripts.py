#!/usr/bin/env python3
"""What users see, to the letter: commands and their output. Times and ids vary: `NN ms` stands for any time, `UUID` for an id."""
import json
import os
from random import Random
import re

from pipelines import equal, run_all


def seen(case, command, expect=0):
    """Output and errors of a command as typed, with what varies masked."""
    case.arus(*command, expect=expect)
    text = case.err + case.out if expect else case.out + case.err
    text = re.sub(r"\b[0-9.,]+ (?:ms|s|us)\b", "NN ms", text)
    text = re.sub(r"[0-9a-f]{8}-\.\.", "UUID", text)
    return re.sub(r" +NN ms", " NN ms", text)


def land(case, *numbers):
    for k in numbers:
        case.put(f"inputs/bundles/batch-0{k}.jsonl", f"in/batch-0{k}.jsonl")


def transcript_exercise_004(case):
    case.pipeline("004-events.sql")
    case.pipeline("004-dups.sql")
    land(case, 1)
    equal(seen(case, ["check", "004-events.sql"]),
          "004-events.sql: ok\n  events   json in/ -> parquet out/events   append, availableNow, no state\n")
    equal(seen(case, ["run", "004-events.sql"]), "events  batch 0      400 rows in     400 out   1 file NN ms\n")
    equal(seen(case, ["cat", "out/events", "-n", "2"]),
          "+--------+------+---------------------+-----+\n"
          "|event_id|device|event_time           |value|\n"
          "+--------+------+---------------------+-----+\n"
          "|e1-0000 |dev-03|2026-03-02 09:00:00  |  399|\n"
          "|e1-0001 |dev-01|2026-03-02 09:00:01.5|  643|\n"
          "+--------+------+---------------------+-----+\n"
          "2 of 400 rows\n")
    equal(seen(case, ["run", "004-events.sql"]), "events  nothing new  (1 file known, last batch 0)\n")
    land(case, 2)
    equal(seen(case, ["run", "004-events.sql"]), "events  batch 1      400 rows in     400 out   1 file NN ms\n")
    land(case, 3, 4)
    equal(seen(case, ["run", "004-events.sql"]), "events  batch 2      800 rows in     800 out   2 files NN ms\n")
    land(case, 6)
    equal(seen(case, ["run", "004-events.sql"]), "events  batch 3      400 rows in     400 out   1 file NN ms\n")
    equal(seen(case, ["sql", "004-dups.sql"]), "+----+\n|dups|\n+----+\n| 400|\n+----+\n1 row, NN ms\n")


def transcript_an_empty_folder_is_no_error(case):
    case.pipeline("004-events.sql")
    case.path("in").mkdir()
    equal(seen(case, ["run", "004-events.sql"]), "events  nothing yet  (in/ has no files)\n")


def transcript_mistakes_name_the_place(case):
    case.pipeline("004-events.sql")
    land(case, 1)
    case.put_text("late.sql", "SELECT 1;")
    equal(seen(case, ["run", "late.sq"], expect=2),
          "arus: late.sq: error: no such file; did you mean late.sql? [PATH_NOT_FOUND] (42K03)\n"
          "more: arus help PATH_NOT_FOUND\n")
    case.put_text("empty.sql", "-- nothing\n")
    first = seen(case, ["check", "empty.sql"], expect=2).splitlines()[0]
    equal(first, "arus: empty.sql: error: nothing to run: no streaming table, no query [ARUS_NOTHING_TO_RUN]")
    case.pipeline("004-events.sql", **{"(path 'in')": "(path 'in', maxFilePerTrigger 1)"})
    lines = seen(case, ["check", "004-events.sql"], expect=2).splitlines()
    equal(lines[0], "arus: 004-events.sql:5:34: error: a json source has no option `maxFilePerTrigger` [ARUS_UNKNOWN_OPTION]")
    equal(lines[1], "   5 |   USING json OPTIONS (path 'in', maxFilePerTrigger 1);")
    equal(lines[2].strip(), "|" + " " * 34 + "^^^^^^^^^^^^^^^^^ did you mean `maxFilesPerTrigger`?")


def transcript_an_unknown_column_is_named_with_the_nearest(case):
    case.pipeline("004-events.sql", **{"SELECT * FROM": "SELECT devise FROM"})
    land(case, 1)
    text = seen(case, ["check", "004-events.sql"], expect=2)
    assert "there is no column `devise` [UNRESOLVED_COLUMN.WITH_SUGGESTION] (42703)" in text, text
    assert "did you mean `device`?" in text, text
    assert "landing has event_id, device, event_time, value" in text, text


def transcript_a_sink_is_no_checkpoint_and_a_checkpoint_no_sink(case):
    case.pipeline("004-events.sql")
    land(case, 1)
    case.arus("run", "004-events.sql")
    assert "a checkpoint; its sink is out/events [ARUS_NOT_A_SINK]" in seen(case, ["cat", "ckpt/events"], expect=None)
    assert "a sink, no checkpoint [ARUS_NOT_A_CHECKPOINT]" in seen(case, ["status", "out/events"], expect=None)


def status(case, *arguments):
    return re.sub(r"process \d+", "process N", seen(case, ["status", *arguments]))


def transcript_status_of_all_queries(case):
    case.put_text("p.sql", """
CREATE TABLE landing (event_id STRING, value INT) USING json OPTIONS (path 'in');
CREATE STREAMING TABLE all USING parquet TBLPROPERTIES (path 'out/all', checkpointLocation 'ckpt/all', trigger 'availableNow')
AS SELECT * FROM STREAM landing;
CREATE STREAMING TABLE few USING parquet TBLPROPERTIES (path 'out/few', checkpointLocation 'ckpt/few', trigger 'availableNow')
AS SELECT * FROM STREAM landing WHERE value < 100;""")
    land(case, 1, 2)
    equal(status(case, "p.sql"), "all         no batch yet\n\nfew         no batch yet\n")
    case.arus("run", "p.sql")
    kept = len([line for line in (case.path("in/batch-01.jsonl").read_text() + case.path("in/batch-02.jsonl").read_text()).splitlines()
                if json.loads(line)["value"] < 100])
    all_text = ("all         idle, last run NN ms ago   id UUID   p.sql\n"
                "batches     0 published                sink out/all: 800 rows\n"
                "source 0    json in/                   2 files read, 0 waiting\n"
                "rows        800 in = 800 taken + 0 late + 0 rejected + 0 filtered + 0 duplicate\n")
    few_text = ("few         idle, last run NN ms ago   id UUID   p.sql\n"
                f"batches     0 published                sink out/few: {kept} rows\n"
                "source 0    json in/                   2 files read, 0 waiting\n"
                f"rows        800 in = {kept} taken + 0 late + 0 rejected + {800 - kept} filtered + 0 duplicate\n")
    equal(status(case, "p.sql"), all_text + "\n" + few_text)
    equal(status(case, "p.sql:few"), few_text)
    land(case, 3)
    case.arus("run", "p.sql")
    equal(status(case, "ckpt/all").splitlines()[1], "batches     0-1 published              sink out/all: 1,200 rows")
    case.arus("status", "--json", "p.sql")
    equal([(r["query"], r["lastBatch"]) for r in map(json.loads, case.out.splitlines())], [("all", 1), ("few", 1)])


def windows(case):
    """Exercise 004, step 7, run to its end."""
    case.pipeline("004-windows.sql")
    for k in range(1, 6):
        case.put(f"inputs/bundles/batch-0{k}.jsonl", f"late_in/batch-0{k}.jsonl")


def transcript_exercise_004_windows(case):
    windows(case)
    case.pipeline("004-dedup.sql")
    land(case, 1, 2, 3, 4, 6)
    equal(seen(case, ["run", "-v", "004-windows.sql"]),
          "windows  batch 0   400 in   0 out   late  0   state 1   wm none\n"
          "windows  batch 1   400 in   0 out   late  0   state 2   wm 2026-03-02 08:59:58.5\n"
          "windows  batch 2   400 in   0 out   late  0   state 3   wm 2026-03-02 09:09:58.5\n"
          "windows  batch 3   400 in   1 out   late  0   state 3   wm 2026-03-02 09:19:58.5\n"
          "windows  batch 4   400 in   1 out   late 36   state 3   wm 2026-03-02 09:29:58.5\n"
          "windows  batch 5     0 in   1 out   late  0   state 2   wm 2026-03-02 09:39:58.5\n"
          "windows  batches 0-5   2,000 rows in   3 out   36 late   5 files NN ms\n")
    equal(re.sub(r"2 rows, .* KiB", "2 rows, N KiB", status(case, "004-windows.sql")),
          "windows     idle, last run NN ms ago   id UUID   004-windows.sql\n"
          "batches     0-5 published              sink out/windows: 3 rows\n"
          "source 0    json late_in/              5 files read, 0 waiting\n"
          "watermark   2026-03-02 09:39:58.5      from late_in.event_time; next window closes at 09:40:00\n"
          "state 0     aggregate count(*)         2 rows, N KiB\n"
          "rows        2,000 in = 1,964 taken + 36 late + 0 rejected + 0 filtered + 0 duplicate\n")
    case.arus("status", "--json", "004-windows.sql")
    record = json.loads(case.out)
    equal(record["watermark"], {"value": "2026-03-02T09:39:58.500Z", "source": "late_in", "column": "event_time",
                                "nextClose": "2026-03-02T09:40:00.000Z"})
    equal([(s["operator"], s["name"], s["title"], s["rows"]) for s in record["state"]], [(0, "stateStoreSave", "aggregate count(*)", 2)])
    equal(seen(case, ["run", "004-dedup.sql"]).splitlines(keepends=True)[-1],
          "dedup  batch 0    2,000 rows in   1,600 out   5 files   400 duplicates   1,600 keys NN ms\n")


def transcript_status_names_who_holds_the_watermark(case):
    case.put_text("p.sql", """
CREATE TABLE clicks (k INT, t TIMESTAMP) USING json OPTIONS (path 'clicks');
CREATE TABLE views (k INT, v TIMESTAMP) USING json OPTIONS (path 'views');
CREATE STREAMING TABLE joined USING parquet TBLPROPERTIES (path 'out', checkpointLocation 'ckpt', trigger 'availableNow')
AS SELECT clicks.k FROM STREAM clicks WATERMARK t DELAY OF INTERVAL 1 MINUTE JOIN STREAM views WATERMARK v DELAY OF INTERVAL 2 MINUTES
   ON clicks.k = views.k AND v >= t AND v <= t + INTERVAL 5 MINUTES;""")
    case.put_text("clicks/1.json", '{"k":1,"t":"2026-03-02 10:00:00"}\n')
    case.path("views").mkdir()
    case.arus("run", "p.sql")
    equal([line for line in status(case, "p.sql").splitlines() if line.startswith("watermark")],
          ["watermark   none                       from views.v (no row yet), clicks.t (2026-03-02 09:59:00)"])
    case.put_text("views/1.json", '{"k":1,"v":"2026-03-02 10:00:30"}\n')
    case.arus("run", "p.sql")
    equal([line for line in status(case, "p.sql").splitlines() if line.startswith("watermark")],
          ["watermark   2026-03-02 09:58:30        from views.v (2026-03-02 09:58:30), clicks.t (2026-03-02 09:59:00)"])


def transcript_a_number_is_no_length_of_time(case):
    lines = seen(case, ["sql", "SELECT now() - 10"], expect=2).splitlines()
    equal(lines[0], "arus: 1:8: error: cannot take INT from TIMESTAMP [DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE] (42K09)")
    equal(lines[2].strip(), "|        ^^^^^^^^^^ TIMESTAMP - INT")
    equal(lines[3], "help: say the unit: .. - INTERVAL 10 MINUTES")


def transcript_a_new_checkpoint_on_an_old_sink(case):
    case.pipeline("004-events.sql")
    land(case, 1)
    case.arus("run", "004-events.sql")
    case.forget("ckpt")
    equal(seen(case, ["run", "004-events.sql"], expect=3).splitlines()[0],
          "arus: query events: error: ckpt/events is new, but out/events/_spark_metadata already has batch 0 [ARUS_SINK_HAS_LOG]")


def transcript_the_shell_ate_the_backticks(case):
    text = seen(case, ["sql", "SELECT * FROM parquet."], expect=2)
    assert "`path` missing after parquet. (in a shell, put SQL in single quotes) [PARSE_SYNTAX_ERROR] (42601)" in text, text


def transcript_a_batch_that_a_crash_interrupted_is_told_as_it_was_computed(case):
    case.pipeline("004-events.sql")
    for number, failpoint in enumerate(["during_publish", "after_offsets_before_sink"]):
        land(case, number + 1)
        case.arus("run", "004-events.sql", expect=None, env={"ARUS_FAILPOINT": failpoint})
        equal(seen(case, ["run", "004-events.sql"]), f"events  batch {number}      400 rows in     400 out   1 file NN ms\n")
    land(case, 3)
    equal(seen(case, ["run", "004-events.sql"]), "events  batch 2      400 rows in     400 out   1 file NN ms\n")
    equal(seen(case, ["run", "004-events.sql"]), "events  nothing new  (3 files known, last batch 2)\n")


def transcript_a_missing_planned_file(case):
    case.pipeline("004-events.sql")
    land(case, 1)
    case.arus("run", "004-events.sql", expect=None, env={"ARUS_FAILPOINT": "after_offsets_before_sink"})
    case.path("in/batch-01.jsonl").unlink()
    text = seen(case, ["run", "004-events.sql"], expect=1)
    assert "arus: query events, batch 0: error: in/batch-01.jsonl belongs to this batch and is gone " \
           "[FAILED_READ_FILE.FILE_NOT_EXIST] (KD001)" in text, text
    assert "OPTIONS (ignoreMissingFiles true)" in text, text


def transcript_a_changed_planned_file(case):
    case.pipeline("004-events.sql")
    land(case, 1)
    case.arus("run", "004-events.sql", expect=None, env={"ARUS_FAILPOINT": "after_offsets_before_sink"})
    case.put_text("in/batch-01.jsonl", '{"event_id":"other"}\n', 1772449999)
    text = seen(case, ["run", "004-events.sql"], expect=1)
    assert "in/batch-01.jsonl belongs to this batch and is not the file that was planned [ARUS_FILE_CHANGED]" in text, text


def transcript_a_bad_line_with_failfast(case):
    case.pipeline("004-events.sql", **{"(path 'in')": "(path 'in', mode 'FAILFAST')"})
    case.put_text("in/batch-07.jsonl", '{"event_id":"e7-0210","device":"dev-02","value":6}\n'
                                       '{"event_id":"e7-0211","device":"dev-02","value":7,}\n')
    text = seen(case, ["run", "004-events.sql"], expect=1)
    assert "in/batch-07.jsonl:2:" in text, text
    assert "[MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION] (22023)" in text, text
    assert '"value":7,}' in text, text


def transcript_an_overflow_shows_the_expression(case):
    case.pipeline("004-events.sql", **{"SELECT * FROM": "SELECT device, value * 10000000 AS v FROM"})
    land(case, 1)
    text = seen(case, ["run", "004-events.sql"], expect=1)
    assert "004-events.sql:10:19: error: INT overflow: 399 * 10000000 [ARITHMETIC_OVERFLOW] (22003)" in text, text
    assert "try_multiply" in text, text
    assert '\nrow:  in/batch-01.jsonl:1 {"event_id":"e1-0000","device":"dev-03",' in text, text


def failing_row(case, query):
    """The `row:` line of a query that fails."""
    return re.search(r"^row:  (.*)$", seen(case, ["sql", query], expect=1), re.M)[1]


def transcript_a_failing_row_is_followed_back_to_its_line(case):
    land(case, 1, 2, 3)
    lines = [case.path(f"in/batch-0{k}.jsonl").read_text().splitlines() for k in (1, 2, 3)]
    equal(failing_row(case, "SELECT CAST(device AS INT) FROM json.`in` WHERE event_id > 'e3-0100'"), "in/batch-03.jsonl:102 " + lines[2][101])
    equal(failing_row(case, "SELECT sum(CAST(device AS INT)) FROM json.`in`"), "in/batch-01.jsonl:1 " + lines[0][0])
    equal(failing_row(case, "SELECT CAST(x AS INT) FROM (SELECT explode(split(device, '-')) AS x, event_id FROM json.`in`) WHERE event_id = 'e2-0005'"),
          "in/batch-02.jsonl:6 " + lines[1][5])
    equal(failing_row(case, "SELECT CAST(a.device AS INT) FROM json.`in` a JOIN VALUES ('e2-0007') AS t(k) ON a.event_id = t.k"),
          "in/batch-02.jsonl:8 " + lines[1][7])
    equal(failing_row(case, "SELECT a.value FROM json.`in` a JOIN VALUES ('e2-0007', 1), ('e2-0008', 2) AS t(k, n) "
                            "ON a.event_id = t.k AND CAST(a.device AS INT) > t.n"), "in/batch-02.jsonl:8 " + lines[1][7])


def transcript_a_failure_that_no_row_causes_names_none(case):
    land(case, 1)
    for query in ("SELECT 1 / 0 FROM json.`in`", "SELECT if(value > 0, 1 / 0, 2) FROM json.`in`", "SELECT assert_true(false) FROM json.`in`"):
        assert "row:" not in seen(case, ["sql", query], expect=1), query


def transcript_explain_shows_a_folder_as_check_does(case):
    case.pipeline("004-windows.sql")
    case.path("late_in").mkdir()
    assert "scan  json late_in/, 1 file a batch" in seen(case, ["explain", "004-windows.sql"])


def transcript_partition_folders_have_the_types_of_spark(case):
    for wanted, values in [("INT", ["1", "-02"]), ("BIGINT", ["1", "99999999999"]), ("DOUBLE", ["1", "1.5"]), ("DECIMAL(10,0)", ["1", "1e3"]),
                           ("DECIMAL(20,0)", ["99999999999", "99999999999999999999"]), ("STRING", ["1.5", "1e3"]), ("STRING", ["99999999999", "1.5"]),
                           ("DATE", ["2020-01-01"]), ("STRING", ["2020-1-2"]), ("STRING", ["2020-01"]), ("STRING", ["10000-01-01"]),
                           ("TIMESTAMP", ["2020-01-01 10%3A00%3A00", "2020-01-02"]), ("STRING", ["2020-01-01T10%3A00%3A00"]),
                           ("STRING", ["2020-01-01 10%3A00%3A00Z"])]:
        for value in values:
            case.put_text(f"parts/p={value}/f.json", '{"a":1}\n')
        equal(json.loads(seen(case, ["sql", "--rows", "SELECT p FROM json.`parts`"]).splitlines()[0])["schema"], f"p {wanted}")
        case.forget("parts")


def transcript_the_failing_row_of_any_file(case):
    seed = int.from_bytes(os.urandom(4), "big")
    random = Random(seed)
    print("seed", seed)
    for _ in range(6):
        form, end = random.choice(["csv", "json", "text"]), random.choice(["\n", "\r\n"])
        count = random.choice([1, 50, 9000, 40000])
        bad = random.randrange(count)
        lines, wanted = [], 0
        for number in range(count):
            if random.random() < 0.1:
                lines.append("")
            value = "x" * random.randrange(1, 90) if number == bad else str(number)
            lines.append({"csv": f"{value},y", "json": json.dumps({"_c0": value, "other": "é"}, ensure_ascii=False), "text": value}[form])
            wanted = len(lines) if number == bad else wanted
        with open(case.path("data.txt"), "w", newline="") as file:
            file.write(end.join(lines) + random.choice(["", end]))
        column = "value" if form == "text" else "_c0"
        equal(failing_row(case, f"SELECT CAST({column} AS BIGINT) FROM {form}.`data.txt` WHERE {column} <> ''"),
              f"data.txt:{wanted} {lines[wanted - 1]}", f"seed {seed}, {form}, {count} rows")


run_all([value for name, value in sorted(globals().items()) if name.startswith("transcript_")])
