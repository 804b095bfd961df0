#!/usr/bin/env python3
"""What becomes of each row that a stream gives: its fate, and the rows that are set aside."""
import gzip
import json
import os
import random
import shutil

from pipelines import equal, run_all

FATES = ("Taken", "Late", "Rejected", "Filtered", "Duplicate")
ZONE = "SET spark.sql.session.timeZone = UTC;\n"
EVENTS = "CREATE TABLE e (k STRING, ts TIMESTAMP, xs ARRAY<INT>) USING json OPTIONS (path 'in', maxFilesPerTrigger 1{more});\n"
INTO = """CREATE STREAMING TABLE out USING {sink} TBLPROPERTIES (checkpointLocation 'ckpt', trigger 'availableNow'{more}) AS
"""
WATERMARK = "STREAM e WATERMARK ts DELAY OF INTERVAL 10 MINUTES"


def event(clock, k="a", xs=()):
    return json.dumps({"k": k, "ts": f"2026-03-02T{clock}Z", "xs": list(xs)})


def files(case, *batches):
    """A file a batch, in this order."""
    for number, lines in enumerate(batches):
        case.put_text(f"in/{number}.json", "".join(line + "\n" for line in lines), 1772442000 + number)


def pipeline(case, query, sink="console", more="", options=""):
    case.put_text("p.sql", ZONE + EVENTS.format(more=options) + INTO.format(sink=sink, more=more) + query + ";\n")


def fates(records):
    """(taken, late, rejected, filtered, duplicate) of each batch with rows; their sum is what was read."""
    made = [r for r in records if r["numInputRows"] != 0]
    sums = [tuple(r["arus"]["rows" + name] for name in FATES) for r in made]
    equal([sum(s) for s in sums], [r["numInputRows"] for r in made], "each row has one fate")
    return sums


def fates_of_a_query_without_state(case):
    files(case, [event("10:00:00", "a"), event("10:00:01", "b"), "no json"])
    pipeline(case, "SELECT k FROM STREAM e WHERE k = 'a'", options=", mode 'DROPMALFORMED'")
    equal(fates(case.run("p.sql")), [(1, 0, 1, 1, 0)])


def fates_of_rows_that_become_several_are_those_of_the_row(case):
    files(case, [event("10:00:00", "a", [1, 2, 3]), event("10:00:01", "b", []), event("10:00:02", "c", [5])])
    pipeline(case, "SELECT k, x FROM (SELECT k, explode(xs) AS x FROM STREAM e) WHERE x <> 5")
    equal(fates(case.run("p.sql")), [(1, 0, 0, 2, 0)])


def fates_of_sliding_windows_count_rows_not_windows(case):
    files(case, [event("10:00:00"), event("12:00:00")], [event("12:00:00")],
          [event("11:51:00"), event("11:00:00"), event("11:50:00")])
    pipeline(case, f"SELECT window.start AS s, count(*) AS n FROM {WATERMARK} GROUP BY window(ts, '10 minutes', '5 minutes')",
             more=", outputMode 'append'")
    # Behind 11:50 are the windows that end there or before: 11:51 still has 11:45-11:55 and 11:50-12:00.
    equal(fates(case.run("p.sql")), [(2, 0, 0, 0, 0), (1, 0, 0, 0, 0), (2, 1, 0, 0, 0)])


def fates_of_duplicates_behind_an_explode(case):
    files(case, [event("10:00:00", "a", [1, 2]), event("10:00:01", "b", [2, 3]), event("10:00:02", "c", [1, 3]),
                 event("10:00:03", "d", [])])
    pipeline(case, "SELECT x FROM drop_duplicates(TABLE(SELECT explode(xs) AS x FROM STREAM e), 'x')")
    equal(fates(case.run("p.sql")), [(2, 0, 0, 1, 1)])


def fates_of_late_duplicates_and_kept_rows(case):
    files(case, [event("12:00:00", "a")], [event("12:00:00", "a"), event("11:55:00", "b")],
          [event("11:00:00", "c"), event("11:55:00", "b"), event("12:01:00", "d")])
    pipeline(case, f"SELECT k FROM drop_duplicates_within_watermark(TABLE(SELECT k, ts FROM {WATERMARK} WHERE k <> 'z'), 'k')")
    equal(fates(case.run("p.sql")), [(1, 0, 0, 0, 0), (1, 0, 0, 0, 1), (1, 1, 0, 0, 1)])


def fates_of_both_sides_of_a_join(case):
    files(case, [event("12:00:00", "a")], [event("12:30:00", "a")], [event("12:30:00", "a")],
          [event("12:00:00", "a"), event("12:31:00", "b")])
    pipeline(case, f"SELECT l.k FROM {WATERMARK} AS l JOIN {WATERMARK} AS r ON l.k = r.k AND l.ts = r.ts")
    equal(fates(case.run("p.sql")), [(2, 0, 0, 0, 0)] * 3 + [(2, 2, 0, 0, 0)])


def fates_of_a_join_with_a_table_and_a_limit(case):
    case.put_text("names.csv", "a,A\na,AA\nb,B\n")
    files(case, [event("10:00:00", "a"), event("10:00:01", "b"), event("10:00:02", "c")], [event("10:00:00", "b")])
    names = "CREATE TABLE n (k STRING, name STRING) USING csv OPTIONS (path 'names.csv');\n"
    pipeline(case, "SELECT name FROM STREAM e JOIN n ON e.k = n.k")
    case.put_text("p.sql", names + case.path("p.sql").read_text())
    equal(fates(case.run("p.sql")), [(2, 0, 0, 1, 0), (1, 0, 0, 0, 0)])
    case.put_text("q.sql", case.path("p.sql").read_text().replace("'ckpt'", "'ckpt2'").replace(
        "SELECT name FROM STREAM e JOIN n ON e.k = n.k", "SELECT k FROM STREAM e LIMIT 2"))
    equal(fates(case.run("q.sql")), [(2, 0, 0, 1, 0), (0, 0, 0, 1, 0)])


BOTH = ", lateTable 'true', rejectsTable 'true'"
SIDE_COLUMNS = ("batch", "event_time", "watermark", "file", "line", "topic", "partition", "offset", "reason", "fate", "row", "raw",
                "key", "value")


def aside(case, side, where="p.sql"):
    """Rows of a side table without nulls, in the order of the input."""
    case.arus("cat", "--" + side, "--json", where)
    rows = [json.loads(line) for line in case.out.splitlines()]
    equal({tuple(row) for row in rows} - {SIDE_COLUMNS}, set())
    rows = [{k: v for k, v in row.items() if v is not None} for row in rows]
    return sorted(rows, key=lambda r: (r["batch"], r.get("file", ""), r.get("line", 0), r.get("event_time", "")))


def places(case, side, where="p.sql"):
    return [(r["batch"], case.path(r["file"]).name, r["line"], r["fate"]) for r in aside(case, side, where)]


def check_texts(case, side):
    """Each row names the line of the file that it holds."""
    for row in aside(case, side):
        path = case.path(row["file"])
        text = gzip.open(path, "rt").read() if path.suffix == ".gz" else path.read_text()
        equal(row["raw"], text.split("\n")[row["line"] - 1].rstrip("\r"), f"{path}:{row['line']}")


def late_36_events_of_the_exercise(case):
    for k in range(1, 6):
        case.put(f"inputs/bundles/batch-0{k}.jsonl", f"late_in/batch-0{k}.jsonl")
    case.pipeline("004-windows.sql", **{"outputMode": "lateTable 'true', outputMode"})
    made = case.run("004-windows.sql")
    equal([r["arus"]["rowsLate"] for r in made if "addBatch" in r["durationMs"]], [0, 0, 0, 0, 36, 0])
    equal(case.rows("SELECT `count` FROM parquet.`out/windows`"), [["398"], ["404"], ["406"]])
    rows = aside(case, "late", "004-windows.sql")
    equal(len(rows), 36)
    first = {"batch": 4, "event_time": "2026-03-02T09:00:07.500Z", "watermark": "2026-03-02T09:29:58.500Z",
             "file": str(case.path("late_in/batch-05.jsonl")), "line": 6, "reason": "late", "fate": "late",
             "row": '{"event_time":"2026-03-02T09:00:07.500Z"}',
             "raw": case.path("late_in/batch-05.jsonl").read_text().splitlines()[5]}
    equal(rows[0], first)
    case.arus("sql", "--json", "-p", "004-windows.sql", "SELECT max(event_time) AS newest, count(*) AS n FROM `windows$late`")
    equal(json.loads(case.out), {"newest": "2026-03-02T09:09:45.000Z", "n": 36})
    equal(aside(case, "late", "ckpt/windows"), rows)
    equal(case.tree("ckpt/windows/rejects"), [])


def late_rows_of_every_operator(case):
    windows = f"SELECT window.start AS s, count(*) AS n FROM {WATERMARK} GROUP BY window(ts, '10 minutes')"
    queries = {
        "windows": windows,
        "sessions": f"SELECT session_window.start AS s, k, count(*) AS n FROM {WATERMARK} GROUP BY session_window(ts, '1 minute'), k",
        "dedup": f"SELECT k FROM drop_duplicates_within_watermark(TABLE(SELECT k, ts FROM {WATERMARK}), 'k')",
        "dedup by time": f"SELECT k FROM drop_duplicates(TABLE(SELECT k, ts FROM {WATERMARK}), 'k', 'ts')",
        "filter": windows.replace(" GROUP", " WHERE k <> 'c' GROUP"),
        "explode": f"SELECT window.start AS s, count(x) AS n FROM (SELECT ts, explode(xs) AS x FROM {WATERMARK}) "
                   "GROUP BY window(ts, '10 minutes')",
        "chain": f"SELECT window.start AS s, count(*) AS n FROM (SELECT window_time(window) AS t FROM (SELECT window, k FROM "
                 f"{WATERMARK} GROUP BY window(ts, '1 minute'), k)) GROUP BY window(t, '10 minutes')",
    }
    files(case, [event("12:00:00", "a", [1])], [event("12:00:00", "a", [1, 2])],
          [event("12:01:00", "b", [1]), event("10:00:00", "c", [1]), "", event("10:01:00", "d", [1, 2, 3])])
    for name, query in queries.items():
        ckpt = name.replace(" ", "-")
        pipeline(case, query, more=BOTH)
        case.put_text("p.sql", case.path("p.sql").read_text().replace("'ckpt'", f"'{ckpt}'"))
        sums = fates(case.run("p.sql"))
        want = [(2, "2.json", 2, "late"), (2, "2.json", 4, "late")][name == "filter":]
        equal(places(case, "late"), want, name)
        equal(sum(s[1] for s in sums), len(want), name)
        equal([(r["event_time"], r["watermark"]) for r in aside(case, "late")][-1],
              ("2026-03-02T10:01:00.000Z", "2026-03-02T11:50:00.000Z"), name)
        check_texts(case, "late")


def late_rows_of_both_sides_of_a_join(case):
    files(case, [event("12:00:00", "a")], [event("12:30:00", "a")], [event("12:30:00", "a")],
          [event("12:00:00", "a"), event("12:31:00", "b")])
    pipeline(case, f"SELECT l.k FROM {WATERMARK} AS l JOIN {WATERMARK} AS r ON l.k = r.k AND l.ts = r.ts", more=BOTH)
    case.run("p.sql")
    equal(places(case, "late"), [(3, "3.json", 1, "late")] * 2)


def late_in_part_is_kept_and_copied(case):
    files(case, [event("12:00:00")], [event("12:00:00")], [event("11:51:00"), event("11:46:00"), event("11:00:00")])
    pipeline(case, f"SELECT window.start AS s, count(*) AS n FROM {WATERMARK} GROUP BY window(ts, '10 minutes', '5 minutes')",
             more=BOTH)
    equal(fates(case.run("p.sql"))[-1], (2, 1, 0, 0, 0))
    # 11:46 is in 11:40-11:50, which is closed, and in 11:45-11:55, which is not.
    equal(places(case, "late"), [(2, "2.json", 2, "kept"), (2, "2.json", 3, "late")])


def late_rows_with_two_watermarks(case):
    """The smaller one counts: the slow source holds lateness back."""
    for side, clock in (("l", ("12:00:00", "12:00:00", "09:00:00")), ("r", ("11:00:00", "11:00:00", "10:00:00"))):
        for number, at in enumerate(clock):
            case.put_text(f"{side}/{number}.json", json.dumps({"k": side, "ts": f"2026-03-02T{at}Z"}) + "\n", 1772442000 + number)
    case.put_text("p.sql", ZONE + "".join(f"CREATE TABLE {t} (k STRING, ts TIMESTAMP) USING json OPTIONS (path '{t}', "
                                          "maxFilesPerTrigger 1);\n" for t in "lr")
                  + INTO.format(sink="console", more=BOTH) + """SELECT l.k FROM STREAM l WATERMARK ts DELAY OF INTERVAL 10 MINUTES AS l
JOIN STREAM r WATERMARK ts DELAY OF INTERVAL 10 MINUTES AS r ON l.k = r.k AND l.ts = r.ts;\n""")
    case.run("p.sql")
    equal([(r["batch"], r["file"].split("/")[-2], r["event_time"][11:16], r["watermark"][11:16]) for r in aside(case, "late")],
          [(2, "l", "09:00", "10:50"), (2, "r", "10:00", "10:50")])


BAD = {"json": (["{\"k\":\"a\",\"n\":1}", "", "no json", "{\"k\":\"b\",\"n\":\"x\"}", "[{\"k\":\"c\",\"n\":2},{\"k\":\"d\",\"n\":3}]", "{\"k\":1,"],
                [3, 4, 6], 6),
       "csv": (["a,1", "", "b,x", "c,2,3", "d", "e,5"], [3, 4, 5], 5)}


def rejects_of_every_mode(case):
    for form, (lines, bad, rows) in BAD.items():
        for mode, ending in (("DROPMALFORMED", ".x"), ("PERMISSIVE", ".x"), ("DROPMALFORMED", ".x.gz")):
            folder = f"{form}-{mode}{ending}"
            case.put_text(f"{folder}/f{ending}", "")
            text = ("\n".join(lines) + ("\n" if ending == ".x" else "")).encode()
            case.path(f"{folder}/f{ending}").write_bytes(gzip.compress(text) if ending.endswith("gz") else text)
            case.put_text("p.sql", f"""CREATE TABLE e (k STRING, n INT) USING {form} OPTIONS (path '{folder}', mode '{mode}');
CREATE STREAMING TABLE out USING parquet TBLPROPERTIES (path 'out-{folder}', checkpointLocation 'ckpt-{folder}', trigger 'once'{BOTH})
AS SELECT k, n FROM STREAM e;
""")
            dropped = len(bad) if mode == "DROPMALFORMED" else 0
            equal(fates(case.run("p.sql")), [(rows - dropped, 0, dropped, 0, 0)], folder)
            fate = "rejected" if dropped else "kept"
            equal(places(case, "rejects"), [(0, "f" + ending, line, fate) for line in bad], folder)
            check_texts(case, "rejects")
            equal(aside(case, "late"), [])


def rejects_do_not_change_the_result(case):
    """The same rows come out whether bad records are set aside or not."""
    for form, (lines, _, _) in BAD.items():
        results = []
        for more in ("", BOTH):
            case.put_text(f"{form}/f.x", "\n".join(lines) + "\n")
            case.put_text("p.sql", f"""CREATE TABLE e (k STRING, n INT) USING {form} OPTIONS (path '{form}');
CREATE STREAMING TABLE out USING json TBLPROPERTIES (path '{form}-out{len(more)}', checkpointLocation '{form}-ckpt{len(more)}',
  trigger 'once'{more}) AS SELECT k FROM STREAM e;
""")
            case.run("p.sql")
            results.append(case.cat(f"{form}-out{len(more)}"))
        equal(results[0], results[1], form)


def rejects_that_are_no_text_keep_their_bytes(case):
    case.put_text("in/0.json", "")
    case.path("in/0.json").write_bytes(b"\xff\xfe{bad\n")
    pipeline(case, "SELECT k FROM STREAM e", more=BOTH)
    case.run("p.sql")
    case.arus("sql", "--rows", "-p", "p.sql", "SELECT raw, hex(value) FROM `out$rejects`")
    equal(json.loads(case.out.splitlines()[1]), ["\ufffd\ufffd{bad", "FFFE7B626164"])


def a_random_set_of_files_names_every_line(case):
    """Large files, cut into splits, on several threads, in forms that the fast path does not know."""
    seed = int(os.environ.get("SEED", random.randrange(10 ** 6)))
    print(f"seed {seed}")
    generator = random.Random(seed)
    want = []
    for number in range(3):
        lines = []
        for _ in range(40000 if number == 1 else 300):
            late = number == 2 and generator.random() < 0.1
            line = event(f"{'10' if late else '13'}:{generator.randrange(60):02}:{generator.randrange(60):02}",
                         "x" * generator.randrange(200))
            kind = generator.randrange(200)
            if kind == 0:
                line = ""
            elif kind == 1:
                line = "{ bad"
                want.append(("rejects", f"{number}.json", len(lines) + 1))
            elif kind == 2:
                line = line.replace('"k"', '"other": {"deep": [1, 2]}, "k"')
            elif kind == 3:
                line = " " + line
            if late and kind > 1:
                want.append(("late", f"{number}.json", len(lines) + 1))
            lines.append(line)
        case.put_text(f"in/{number}.json", "", 1772442000 + number)
        end = generator.choice(("\n", "\r\n"))
        case.path(f"in/{number}.json").write_bytes((end.join(lines) + generator.choice(("", end))).encode())
        os.utime(case.path(f"in/{number}.json"), (1772442000 + number, 1772442000 + number))
    pipeline(case, f"SELECT window.start AS s, count(*) AS n FROM {WATERMARK} GROUP BY window(ts, '2 hours')", more=BOTH,
             options=", mode 'DROPMALFORMED'")
    case.arus("run", "--threads", str(generator.randrange(1, 5)), "p.sql")
    got = [(side, name, line) for side in ("late", "rejects") for _, name, line, _ in places(case, side)]
    equal((set(want) - set(got), set(got) - set(want), len(got)), (set(), set(), len(want)))
    for side in ("late", "rejects"):
        check_texts(case, side)


def a_restart_goes_on_and_old_rows_leave(case):
    files(case, [event("12:00:00")], [event("12:00:00")])
    query = f"SELECT window.start AS s, count(*) AS n FROM {WATERMARK} GROUP BY window(ts, '10 minutes')"
    pipeline(case, query, more=BOTH)
    case.run("p.sql")
    equal(aside(case, "late"), [])
    for batch in (2, 3):
        case.put_text(f"in/{batch}.json", event("10:00:00") + "\n", 1772442000 + batch)
        case.run("p.sql")
    equal(places(case, "late"), [(2, "2.json", 1, "late"), (3, "3.json", 1, "late")])
    pipeline(case, query, more=BOTH + ", sideTableRetention '1 hour'")
    (newest, oldest) = sorted((case.path("ckpt/late") / name for name in case.tree("ckpt/late")), reverse=True)
    fields = oldest.name.split("-")
    oldest.rename(oldest.with_name("-".join([fields[0], fields[1], f"{int(fields[2]) - 3600001:013}", fields[3]])))
    case.run("p.sql")
    equal(case.tree("ckpt/late"), [newest.name])
    pipeline(case, query)
    case.put_text("in/4.json", event("10:00:00") + "\n", 1772442004)
    equal(fates(case.run("p.sql")), [(0, 1, 0, 0, 0)])
    equal(places(case, "late"), [(3, "3.json", 1, "late")], "switched off: what is there can be read")


def a_rewind_takes_back_what_was_set_aside(case):
    files(case, [event("12:00:00")], [event("12:00:00")], [event("10:00:00")], [event("10:30:00")])
    pipeline(case, f"SELECT window.start AS s, count(*) AS n FROM {WATERMARK} GROUP BY window(ts, '10 minutes')",
             sink="parquet", more=BOTH + ", path 'out'")
    case.run("p.sql")
    equal(places(case, "late"), [(2, "2.json", 1, "late"), (3, "3.json", 1, "late")])
    case.arus("rewind", "ckpt", "--to-batch", "2")
    equal(places(case, "late"), [(2, "2.json", 1, "late")])
    case.run("p.sql")
    equal(places(case, "late"), [(2, "2.json", 1, "late"), (3, "3.json", 1, "late")])


def a_new_checkpoint_moves_old_rows_aside(case):
    files(case, [event("12:00:00")], [event("12:00:00")], [event("10:00:00")])
    pipeline(case, f"SELECT window.start AS s, count(*) AS n FROM {WATERMARK} GROUP BY window(ts, '10 minutes')", more=BOTH)
    case.run("p.sql")
    for name in ("commits", "offsets", "metadata", "sources"):
        path = case.path("ckpt") / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    case.run("p.sql")
    equal(places(case, "late"), [(2, "2.json", 1, "late")])


run_all([f for name, f in sorted(globals().items()) if name.startswith(("fates_", "late_", "rejects_", "a_")) and callable(f)
         and name != "fates"])
