#!/usr/bin/env python3
"""Query, checkpoint and sink that do not fit together: one row a case, beside what Spark 4.3.0 does.

    ARUS=build/dev/arus tests/pipeline/mismatch.py [word of a case]

Three JSON files of two rows, maxFilesPerTrigger 1, a parquet sink, three finished batches. Then one thing is changed, one more
file is added and the query runs again. Each case runs twice: on the checkpoint as arus left it, and without the journal, as
Spark would have left it. An outcome is the number of rows in the sink (each once, the first eight ids), or a refusal: the exit
code and the condition, nothing in checkpoint and sink changed.
"""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import traceback

from pipelines import ARUS, Case, equal

PIPELINE = """SET spark.sql.session.timeZone = UTC;
CREATE TABLE t (id BIGINT, k STRING) USING json OPTIONS (path 'in', maxFilesPerTrigger 1);
CREATE STREAMING TABLE o USING parquet
  TBLPROPERTIES (path 'out', checkpointLocation 'ckpt', outputMode 'append', trigger 'availableNow')
AS SELECT id, k FROM STREAM t;
"""


def refused(condition, code=3):
    return (code, condition)


class World:
    """The finished set-up, changed by a case."""

    def __init__(self, case):
        self.case = case
        self.new_files = 1

    def path(self, name):
        return self.case.path(name)

    def text(self, name):
        return self.path(name).read_text()

    def write(self, name, text):
        """Replaces a file and removes its side file, as a careful user would."""
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        (path.parent / f".{path.name}.crc").unlink(missing_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)

    def edit(self, name, old, new):
        text = self.text(name)
        assert old in text, (old, text)
        self.write(name, text.replace(old, new))

    def lines(self, name, change):
        self.write(name, "\n".join(change(self.text(name).split("\n"))))

    def remove(self, *names):
        for name in names:
            path = self.path(name)
            (path.parent / f".{path.name}.crc").unlink(missing_ok=True)
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()

    def query(self, old, new):
        text = self.text("p.sql")
        assert old in text, old
        self.path("p.sql").write_text(text.replace(old, new))

    def put(self, k):
        rows = "".join(json.dumps({"id": i, "k": f"k{i}"}) + "\n" for i in (2 * k - 1, 2 * k))
        self.case.put_text(f"in/f{k}.json", rows, 1767225600 + k)

    def parts(self, batch):
        log = self.text(f"out/_spark_metadata/{batch}").split("\n")[1:]
        return [pathlib.Path(json.loads(line)["path"].removeprefix("file://")) for line in log]

    def tree(self):
        found = {}
        for top in ("ckpt", "out"):
            for path in self.path(top).rglob("*"):
                hidden = any(part.startswith(".arus") or part == ".staging" for part in path.parts)
                if path.is_file() and not hidden:
                    found[str(path)] = path.read_bytes()
        return found


# ---- what is changed ----

def nothing(w):
    pass


def other_folder(w):
    w.query("path 'in'", "path 'in2'")
    w.case.put_text("in2/g1.json", '{"id": 99, "k": "x"}\n', 1767225700)


def same_names_elsewhere(w):
    w.query("path 'in'", "path 'in2'")
    for k in range(1, 4):
        w.case.put_text(f"in2/f{k}.json", w.text(f"in/f{k}.json"), 1767225600 + k)


def union(w):
    w.case.put_text("in3/h.json", '{"id": 99, "k": "x"}\n', 1767225700)
    w.query("CREATE STREAMING", "CREATE TABLE u (id BIGINT, k STRING) USING json OPTIONS (path 'in3');\nCREATE STREAMING")
    w.query("STREAM t;", "STREAM t UNION ALL SELECT id, k FROM STREAM u;")


def without_limit(w):
    w.query(", maxFilesPerTrigger 1", "")
    w.new_files = 2


def emptied_but(*kept):
    def change(w):
        w.path("ckpt").rename(w.path("old"))
        for name in kept:
            (w.path("ckpt") / name).parent.mkdir(parents=True, exist_ok=True)
            if w.path("old/" + name).is_dir():
                shutil.copytree(w.path("old/" + name), w.path("ckpt/" + name))
            else:
                shutil.copyfile(w.path("old/" + name), w.path("ckpt/" + name))
    return change


def removed(*names):
    return lambda w: w.remove(*names)


def emptied(name):
    return lambda w: w.write(name, "")


def halved(name):
    return lambda w: w.write(name, w.text(name)[:len(w.text(name)) // 2])


def written(name, text):
    return lambda w: w.write(name, text)


def edited(name, old, new):
    return lambda w: w.edit(name, old, new)


def added(name, text):
    return lambda w: w.write(name, w.text(name) + text)


def line(name, number, text):
    return lambda w: w.lines(name, lambda lines: lines[:number] + ([] if text is None else [text]) + lines[number + 1:])


def stale_side_file(name):
    def change(w):
        w.edit(name, '"batchTimestampMs":', '"batchTimestampMs":1') if "offsets" in name else None
        path = w.path(name)
        (path.parent / f".{path.name}.crc").write_bytes(b"crc\0\0\0\2\0\1\2\3\4")
    return change


def state_made(w):
    emptied_but()(w)
    w.case.put_text("ckpt/state/0/0/1.delta", "x")


def numeric_folder(w):
    w.path("ckpt/offsets/7").mkdir()


def source_entry_3(files):
    def change(w):
        w.put(4)
        text = w.text("ckpt/sources/0/2").replace("f3.json", "f4.json").replace('"batchId":2', '"batchId":3')
        mtime = int(w.path("in/f4.json").stat().st_mtime_ns // 1000000)
        w.write("ckpt/sources/0/3", re.sub(r'"timestamp":\d+', f'"timestamp":{mtime}', text))
        w.new_files = files
    return change


def planned_file_gone(w):
    w.remove("ckpt/commits/2", "out/_spark_metadata/2", "in/f3.json")
    for part in w.stored_parts:
        part.unlink()


def all_source_paths(old, new):
    def change(w):
        for n in range(3):
            w.edit(f"ckpt/sources/0/{n}", old, new)
    return change


def data_file_gone(w):
    w.parts(1)[0].unlink()


def orphan_part(w):
    shutil.copyfile(w.parts(1)[0], w.path("out/part-00000-11111111-1111-4111-8111-111111111111-c000.snappy.parquet"))


def stale_data_side_file(w):
    part = w.parts(1)[0]
    (part.parent / f".{part.name}.crc").write_bytes(b"crc\0\0\0\2\0\1\2\3\4")


def sink_moved(w):
    w.query("path 'out'", "path 'out2'")


GAP, MALFORMED, VERSION = "ARUS_CHECKPOINT_GAP", "MALFORMED_LOG_FILE", "INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION"
DIFFERS, SINK_LOG, LOST_SINK = "ARUS_CONTRADICTION", "ARUS_SINK_HAS_LOG", "BATCH_METADATA_NOT_FOUND"
NO_METADATA = "STREAMING_CHECKPOINT_MISSING_METADATA_FILE"
ANY = ""  # a condition is not pinned
NEWEST, OFFSETS = "ckpt/offsets/2", "ckpt/offsets/"
COMMIT, SOURCE, SINK = "ckpt/commits/2", "ckpt/sources/0/2", "out/_spark_metadata/2"

Row = collections.namedtuple("Row", "group name change spark arus bare reason", defaults=("",))
REBUILT = "the journal rebuilds it"
HAND = "text that differs from the journal was not written by arus"
SILENT = "Spark damages the data silently"

CASES = [Row(*row) for row in (
    ("query", "unchanged, one new file", nothing, 8, 8, 8),
    ("query", "source path changed to another folder", other_folder, "error", refused("ARUS_SOURCE_MOVED"), refused("ARUS_SOURCE_MOVED")),
    ("query", "source path changed, same file names", same_names_elsewhere, "error", refused("ARUS_SOURCE_MOVED"),
     refused("ARUS_SOURCE_MOVED")),
    ("query", "one source -> two sources (union)", union, "error", refused("ARUS_SOURCES_DIFFER"), refused("ARUS_SOURCES_DIFFER")),
    ("query", "sink path changed", sink_moved, "readers fail", refused(ANY), refused(ANY), SILENT),
    ("query", "sink format changed parquet->json, same folder", lambda w: w.query("USING parquet", "USING json"), "readers fail",
     refused(ANY), refused(ANY), SILENT),
    ("query", "output column types changed", lambda w: w.query("SELECT id, k", "SELECT CAST(id AS STRING) id, k"), "readers fail",
     refused(ANY), refused(ANY), SILENT),
    ("query", "filter added", lambda w: w.query("STREAM t;", "STREAM t WHERE id < 0;"), 6, 6, 6),
    ("query", "dedup added to a stateless checkpoint", lambda w: w.query("SELECT id", "SELECT DISTINCT id"), "error",
     refused(ANY, None), refused(ANY, None)),
    ("query", "aggregation added to a stateless checkpoint",
     lambda w: w.query("SELECT id, k FROM STREAM t", "SELECT count(*) id, k FROM STREAM t GROUP BY k"), "error",
     refused(ANY, None), refused(ANY, None)),
    ("query", "maxFilesPerTrigger removed (two files added)", without_limit, 10, 10, 10),

    ("delete", "checkpoint deleted, sink kept", removed("ckpt"), 8, refused(SINK_LOG), refused(SINK_LOG), SILENT),
    ("delete", "checkpoint deleted, sink kept, all files in one batch",
     lambda w: (w.remove("ckpt"), w.query(", maxFilesPerTrigger 1", "")), 6, refused(SINK_LOG), refused(SINK_LOG), SILENT),
    ("delete", "sink deleted, checkpoint kept", removed("out"), "readers fail", refused(ANY), refused(ANY), SILENT),
    ("delete", "only _spark_metadata deleted, checkpoint kept", removed("out/_spark_metadata"), "readers fail", 8, refused(ANY),
     SILENT),
    ("delete", "state/ created in an empty checkpoint", state_made, "error", refused("STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY"),
     refused("STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY")),
    ("delete", "commits/0 only in an otherwise empty checkpoint", emptied_but("commits/0"), "error", refused(NO_METADATA),
     refused(NO_METADATA)),
    ("delete", "sources/ only in an otherwise empty checkpoint", emptied_but("sources"), 6, refused(SINK_LOG), refused(SINK_LOG),
     SILENT),
    ("delete", "metadata missing", removed("ckpt/metadata"), "error", 8, refused(NO_METADATA), REBUILT),
    ("delete", "metadata empty", emptied("ckpt/metadata"), "error", 8, refused(ANY), REBUILT),
    ("delete", "metadata garbage", written("ckpt/metadata", "garbage"), "error", refused(ANY), refused(ANY)),
    ("delete", "metadata id not a UUID", written("ckpt/metadata", '{"id":"abc"}'), "error", refused(ANY), refused(ANY)),
    ("delete", "metadata with extra key and newline", lambda w: w.write("ckpt/metadata", w.text("ckpt/metadata")[:-1] + ',"x":1}\n'),
     8, 8, 8),

    ("offsets", "newest empty", emptied(NEWEST), "error", 8, refused(ANY), REBUILT),
    ("offsets", "newest cut in half", halved(NEWEST), "error", 8, refused(ANY), REBUILT),
    ("offsets", "newest: last line missing", line(NEWEST, 2, None), "error", 8, refused("ARUS_SOURCES_DIFFER"), REBUILT),
    ("offsets", "newest garbage", written(NEWEST, "garbage"), "error", refused(MALFORMED), refused(MALFORMED)),
    ("offsets", "newest changed, stale crc left", stale_side_file(NEWEST), 8, refused(DIFFERS), 8, HAND),
    ("offsets", "newest missing (commit kept)", removed(NEWEST), "error", 8, refused(GAP), REBUILT),
    ("offsets", "newest and its commit missing (manual rewind)", removed(NEWEST, COMMIT), 6, 8, refused(ANY), SILENT),
    ("offsets", "middle (1) missing", removed(OFFSETS + "1"), "error", 8, refused(GAP), REBUILT),
    ("offsets", "oldest (0) missing", removed(OFFSETS + "0"), 8, 8, 8),
    ("offsets", "middle (1) empty", emptied(OFFSETS + "1"), "error", 8, refused(ANY), REBUILT),
    ("offsets", "oldest (0) empty", emptied(OFFSETS + "0"), 8, 8, refused(ANY), "a damaged text in any log is refused"),
    ("offsets", "version v99", line(NEWEST, 0, "v99"), "error", refused(VERSION), refused(VERSION)),
    ("offsets", "version v0", line(NEWEST, 0, "v0"), "error", refused(MALFORMED), refused(MALFORMED)),
    ("offsets", 'version "v1 " (space)', line(NEWEST, 0, "v1 "), "error", refused(MALFORMED), refused(MALFORMED)),
    ("offsets", "version v2, same lines", line(NEWEST, 0, "v2"), 10, refused(ANY), refused(ANY), SILENT),
    ("offsets", "trailing newline", added(NEWEST, "\n"), 8, 8, 8),
    ("offsets", "trailing blank line", added(NEWEST, "\n\n"), "error", refused(ANY), refused(ANY)),
    ("offsets", "CRLF", lambda w: w.write(NEWEST, w.text(NEWEST).replace("\n", "\r\n")), 8, 8, 8),
    ("offsets", "bare integer offset", line(NEWEST, 2, "2"), 8, 8, 8),
    ("offsets", "offset with a space", line(NEWEST, 2, '{"logOffset": 2}'), 8, 8, 8),
    ("offsets", "offset with extra key", line(NEWEST, 2, '{"logOffset":2,"x":1}'), 8, 8, 8),
    ("offsets", 'offset is "-"', line(NEWEST, 2, "-"), 10, refused(DIFFERS), refused(DIFFERS), SILENT),
    ("offsets", "extra source line", added(NEWEST, '\n{"logOffset":2}'), "error", refused(ANY), refused(ANY)),
    ("offsets", "metadata line empty", line(NEWEST, 1, ""), "error", refused(ANY), refused(ANY)),
    ("offsets", "metadata {}", line(NEWEST, 1, "{}"), 8, refused(DIFFERS), 8, HAND),
    ("offsets", "conf {}", lambda w: w.write(NEWEST, re.sub(r'"conf":\{.*?\}', '"conf":{}', w.text(NEWEST))), 8, 8, 8),
    ("offsets", "unknown keys in metadata", edited(NEWEST, '{"batchW', '{"x":1,"batchW'), 8, 8, 8),
    ("offsets", "offset beyond the source log (9)", line(NEWEST, 2, '{"logOffset":9}'), "error", refused(ANY), refused(ANY)),
    ("offsets", "orphan .3.crc", lambda w: w.case.put_text("ckpt/offsets/.3.crc", "x"), "error", 8, 8,
     "a side file of nothing is no second query"),
    ("offsets", "numeric directory name offsets/7/", numeric_folder, 8, 8, 8),
    ("offsets", "foreign file offsets/README", written(OFFSETS + "README", "x"), 8, 8, 8),
    ("offsets", "file offsets/007 (copy of 2)", lambda w: w.write(OFFSETS + "007", w.text(NEWEST)), "error", refused(MALFORMED),
     refused(MALFORMED)),

    ("commits", "newest missing (batch is re-run)", removed(COMMIT), 8, 8, 8),
    ("commits", "newest missing and sink log 2 missing", removed(COMMIT, SINK), 8, 8, 8),
    ("commits", "newest two missing", removed(COMMIT, "ckpt/commits/1"), 8, 8, 8),
    ("commits", "all missing", removed("ckpt/commits"), 8, 8, 8),
    ("commits", "middle (1) missing", removed("ckpt/commits/1"), 8, 8, 8),
    ("commits", "newest empty", emptied(COMMIT), "error", 8, refused(ANY), REBUILT),
    ("commits", 'newest only "v1"', written(COMMIT, "v1"), 8, 8, 8),
    ("commits", "newest cut", halved(COMMIT), "error", 8, refused(ANY), REBUILT),
    ("commits", "newest garbage", written(COMMIT, "garbage"), "error", refused(MALFORMED), refused(MALFORMED)),
    ("commits", 'newest "v1\\n{}"', written(COMMIT, "v1\n{}"), 8, 8, 8),
    ("commits", "newest unknown key", edited(COMMIT, '"next', '"x":1,"next'), 8, 8, 8),
    ("commits", "version v2", line(COMMIT, 0, "v2"), 8, 8, 8),
    ("commits", "version v3", line(COMMIT, 0, "v3"), "error", refused(ANY), refused(ANY)),
    ("commits", "version v99", line(COMMIT, 0, "v99"), "error", refused(VERSION), refused(VERSION)),
    ("commits", "extra newer commit 3 (C > L)", lambda w: w.write("ckpt/commits/3", w.text(COMMIT)), "error", refused(GAP), refused(GAP)),
    ("commits", "stale crc", stale_side_file(COMMIT), 8, 8, 8),
    ("commits", "middle (1) garbage", written("ckpt/commits/1", "garbage"), 8, refused(MALFORMED), refused(MALFORMED),
     "a damaged text in any log is refused"),

    ("sources", "newest (2) missing", removed(SOURCE), "error", 8, refused(ANY), REBUILT),
    ("sources", "middle (1) missing", removed("ckpt/sources/0/1"), "error", 8, refused(ANY), REBUILT),
    ("sources", "oldest (0) missing", removed("ckpt/sources/0/0"), "error", 8, refused(ANY), REBUILT),
    ("sources", "newest empty", emptied(SOURCE), "error", 8, refused(ANY), REBUILT),
    ("sources", "newest garbage line", line(SOURCE, 1, "garbage"), "error", refused(ANY), refused(ANY)),
    ("sources", "newest v2", line(SOURCE, 0, "v2"), "error", refused(VERSION), refused(VERSION)),
    ("sources", "newest cut in half", halved(SOURCE), "error", 8, refused(ANY), REBUILT),
    ("sources", "trailing newline", added(SOURCE, "\n"), 8, 8, 8),
    ("sources", "blank line at the end", added(SOURCE, "\n\n"), "error", refused(ANY), refused(ANY)),
    ("sources", "extra unknown key", edited(SOURCE, '{"path', '{"x":1,"path'), 8, 8, 8),
    ("sources", "all of sources/ missing", removed("ckpt/sources"), "error", 8, refused(ANY), REBUILT),
    ("sources", "path as file:/abs", all_source_paths("file:///", "file:/"), 14, refused(ANY), 8, SILENT + "; arus knows the same file in both forms"),
    ("sources", "path without scheme", all_source_paths("file:///", "/"), 14, refused(ANY), refused(ANY), SILENT),
    ("sources", "extra entry 3 logged but not planned", source_entry_3(0), 8, 8, 8),
    ("sources", "extra entry 3 logged, then another new file", source_entry_3(2), 10, 10, 10),
    ("sources", "processed source file deleted", removed("in/f2.json"), 8, 8, 8),
    ("sources", "source folder deleted entirely", lambda w: (w.remove("in"), setattr(w, "new_files", 0)), "error",
     refused("PATH_NOT_FOUND", 2), refused("PATH_NOT_FOUND", 2)),
    ("sources", "planned file deleted before re-run", planned_file_gone, 6, refused("FAILED_READ_FILE.FILE_NOT_EXIST", 1),
     refused("FAILED_READ_FILE.FILE_NOT_EXIST", 1), SILENT),

    ("sink log", "middle (1) missing", removed("out/_spark_metadata/1"), "readers fail", 8, refused(ANY), REBUILT),
    ("sink log", "newest (2) missing, commit kept", removed(SINK), "readers fail", 8, refused(ANY), REBUILT),
    ("sink log", "newest empty", emptied(SINK), "readers fail", 8, refused(ANY), REBUILT),
    ("sink log", 'newest "v1" only', written(SINK, "v1"), 6, 8, 6, REBUILT + "; without it the text of a batch without files"),
    ("sink log", "newest garbage line", line(SINK, 1, "garbage"), "readers fail", refused(ANY), refused(ANY), SILENT),
    ("sink log", "newest v2", line(SINK, 0, "v2"), "readers fail", refused(VERSION), refused(VERSION), SILENT),
    ("sink log", "trailing newline", added(SINK, "\n"), 8, 8, 8),
    ("sink log", "blank line at the end", added(SINK, "\n\n"), "readers fail", refused(ANY), refused(ANY), SILENT),
    ("sink log", "unknown key", edited(SINK, '{"path', '{"x":1,"path'), 8, 8, 8),
    ("sink log", "key missing (blockSize)", lambda w: w.write(SINK, re.sub(r',"blockSize":\d+', "", w.text(SINK))), "readers fail",
     refused(ANY), refused(ANY), SILENT),
    ("sink log", "action delete", edited(SINK, '"action":"add"', '"action":"delete"'), 8, 8, 8),
    ("sink log", "wrong size (+10)", lambda w: w.write(SINK, re.sub(r'"size":(\d+)', lambda m: f'"size":{int(m[1]) + 10}', w.text(SINK))),
     8, refused(DIFFERS), "readers fail", "a part that is not the one the log names"),
    ("sink log", "logged data file deleted", data_file_gone, "readers fail", "readers fail", "readers fail"),
    ("sink log", "orphan part file beside the log", orphan_part, 8, 8, 8),
    ("sink log", "stale crc of a data file", stale_data_side_file, "readers fail", 8, 8, "side files of data are not checked"),
)]


# ---- running ----

def make_base(case):
    case.put_text("p.sql", PIPELINE)
    w = World(case)
    for k in range(1, 4):
        w.put(k)
    equal(case.batches("p.sql"), [(0, 2), (1, 2), (2, 2)])
    shutil.copytree(case.folder, str(case.folder) + ".base")


def reset(case, with_journal):
    """The folder again as it was, under the same path: the logs hold absolute paths."""
    shutil.rmtree(case.folder)
    shutil.copytree(str(case.folder) + ".base", case.folder)
    if not with_journal:
        shutil.rmtree(case.path("ckpt/.arus"))
    w = World(case)
    w.stored_parts = w.parts(2)
    return w


def run(w):
    done = subprocess.run([ARUS, "run", "p.sql"], cwd=w.case.folder, capture_output=True, text=True, timeout=600,
                          env={**os.environ, "TZ": "UTC", "COLUMNS": "120"})
    return done.returncode, done.stderr


def readable(w):
    done = subprocess.run([ARUS, "cat", "--json", "out"], cwd=w.case.folder, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        return None
    return sorted(json.loads(row)["id"] for row in done.stdout.splitlines())


def check_case(case, row, with_journal):
    w = reset(case, with_journal)
    row.change(w)
    for k in range(w.new_files):
        w.put(4 + k)
    before = w.tree()
    code, err = run(w)
    wanted = row.arus if with_journal else row.bare
    if isinstance(wanted, tuple):
        assert code == wanted[0] or (wanted[0] is None and code in (2, 3)), f"exit {code}, {wanted[0]} wanted: {err}"
        assert wanted[1] in err and "error" in err, f"{wanted[1]} wanted: {err}"
        after = w.tree()
        changed = [name for name in sorted(set(before) | set(after)) if before.get(name) != after.get(name)]
        assert not changed, f"changed by a refused run: {changed}"
        return
    assert code == 0, f"exit {code}: {err}"
    if wanted == "readers fail":
        assert readable(w) is None, "a reader should fail"
        return
    rows = readable(w)
    assert rows is not None and len(rows) == wanted and len(set(rows)) == wanted, f"{wanted} rows wanted, got {rows}: {err}"
    code, err = run(w)
    assert code == 0 and readable(w) == rows, f"run again: exit {code}: {err}"


def start_forever(w):
    w.query("trigger 'availableNow'", "trigger '100 milliseconds'")
    process = subprocess.Popen([ARUS, "run", "p.sql"], cwd=w.case.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "TZ": "UTC"})
    w.put(4)
    wait_for(w.path("ckpt/commits/3"))
    return process


def wait_for(path):
    for _ in range(300):
        if path.exists():
            return
        time.sleep(0.05)
    raise AssertionError(f"{path} did not come")


def concurrent(name, text_of):
    """Another process writes a log file of the next batch while the query runs: it stops, and nothing is lost."""
    def test(case):
        w = reset(case, True)
        process = start_forever(w)
        try:
            w.write(name, text_of(w))
            w.put(5)
            _, err = process.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            raise AssertionError("the query did not stop") from None
        finally:
            process.kill()
            process.wait()
        assert process.returncode == 3 and "CONCURRENT_STREAM_LOG_UPDATE" in err, f"exit {process.returncode}: {err}"
        equal(w.text(name), text_of(w), "the foreign file is kept")
    test.__name__ = "concurrent: " + name
    return test


def concurrent_second_query(case):
    w = reset(case, True)
    process = start_forever(w)
    try:
        code, err = run(w)
        assert code == 3 and "in use" in err, f"exit {code}: {err}"
        w.put(5)
        wait_for(w.path("ckpt/commits/4"))
        process.terminate()
        process.communicate(timeout=300)
        equal(readable(w), list(range(1, 11)))
    finally:
        process.kill()
        process.wait()


CONCURRENT = (
    concurrent_second_query,
    concurrent("ckpt/offsets/4", lambda w: w.text("ckpt/offsets/3").replace('"logOffset":3', '"logOffset":4')),
    concurrent("ckpt/commits/4", lambda w: w.text("ckpt/commits/3")),
    concurrent("out/_spark_metadata/4", lambda w: w.text("out/_spark_metadata/3")),
)


def main():
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    passed = failed = 0
    case = Case()
    make_base(case)
    tests = [(f"{row.group}: {row.name} ({'with' if journal else 'without'} the journal)",
              lambda row=row, journal=journal: check_case(case, row, journal)) for row in CASES for journal in (True, False)]
    tests += [(test.__name__, lambda test=test: test(case)) for test in CONCURRENT]
    for name, test in tests:
        if only not in name:
            continue
        try:
            test()
            passed += 1
        except AssertionError as failure:
            failed += 1
            print(f"FAIL {name}: {failure}", flush=True)
        except Exception:
            failed += 1
            print(f"FAIL {name}\n{traceback.format_exc()}", flush=True)
    case.close()
    shutil.rmtree(str(case.folder) + ".base")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


main()
