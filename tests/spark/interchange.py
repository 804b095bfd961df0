#!/usr/bin/env python3
"""A stateless checkpoint and sink go from arus to real Spark and back: every row once, by the log and by content.

    ARUS=build/dev/arus tests/spark/interchange.py [json|csv|parquet ...]      needs pyspark (scripts/install-oracles)
"""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ARUS = os.path.abspath(os.environ.get("ARUS", ROOT / "build" / "dev" / "arus"))
PYTHON = os.environ.get("ARUS_PYTHON", sys.executable)
PIPELINE = """SET spark.sql.session.timeZone = UTC;
CREATE TABLE events (id BIGINT, k STRING, ts TIMESTAMP, v DOUBLE) USING json OPTIONS (path 'in', maxFilesPerTrigger 1);
CREATE STREAMING TABLE out USING {format}{partitioned}
  TBLPROPERTIES (path 'out', checkpointLocation 'ckpt', outputMode 'append', trigger 'availableNow')
AS SELECT id, k, ts, v * 2 AS v2 FROM STREAM events WHERE id % 10 <> 3;
"""
ROWS = 20


class Relay:
    def __init__(self, sink, partitioned):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="arus-relay-"))
        self.sink, self.files = sink, 0
        (self.folder / "in").mkdir()
        (self.folder / "p.sql").write_text(PIPELINE.format(format=sink, partitioned=" PARTITIONED BY (k)" if partitioned else ""))

    def add(self, count):
        for number in range(self.files, self.files + count):
            path = self.folder / "in" / f"part {number:03} ä#%.json"
            path.write_text("".join(json.dumps({"id": number * ROWS + i, "k": f"k {i % 3}/ü", "ts": f"2026-01-01T00:00:{i:02}Z",
                                                "v": i / 4}) + "\n" for i in range(ROWS)))
            os.utime(path, (1767225600 + number, 1767225600 + number))
        self.files += count

    def command(self, *args):
        done = subprocess.run(args, cwd=self.folder, capture_output=True, text=True, env={**os.environ, "TZ": "UTC"}, timeout=1800)
        if done.returncode != 0:
            raise AssertionError(f"{args}: exit {done.returncode}\n{done.stderr[-3000:]}")
        return done.stdout

    def arus(self):
        self.command(ARUS, "run", "p.sql")

    def spark(self):
        self.command(PYTHON, str(ROOT / "tools" / "arus-on-spark.py"), "p.sql", "--local")

    def check(self, what):
        wanted = collections.Counter(i for i in range(self.files * ROWS) if i % 10 != 3)
        got = collections.Counter(int(json.loads(line)["id"]) for line in self.command(ARUS, "cat", "--json", "out").splitlines())
        assert got == wanted, f"{what}: arus reads {sum(got.values())} rows, {sum(wanted.values())} wanted"
        ids = len(list((self.folder / "ckpt" / "commits").glob("[0-9]*")))
        assert ids == self.files, f"{what}: {ids} commits, {self.files} batches"

    def read_by_spark(self):
        script = ("from pyspark.sql import SparkSession\n"
                  "s = SparkSession.builder.master('local[2]').config('spark.ui.enabled', 'false').getOrCreate()\n"
                  f"print('ROWS', sorted(r.id for r in s.read.schema('id BIGINT, k STRING').{self.sink}('out').collect()))\n")
        out = self.command(PYTHON, "-c", script)
        got = json.loads(next(line for line in out.splitlines() if line.startswith("ROWS"))[5:])
        wanted = [i for i in range(self.files * ROWS) if i % 10 != 3]
        assert got == wanted, f"Spark reads {len(got)} rows, {len(wanted)} wanted"


def relay(sink, partitioned):
    """12 batches change hands: compaction (batch 9) falls to Spark once and to arus once."""
    run = Relay(sink, partitioned)
    for step, (who, files) in enumerate((("arus", 4), ("spark", 3), ("arus", 5), ("spark", 2), ("arus", 8))):
        run.add(files)
        getattr(run, who)()
        run.check(f"step {step} by {who}")
    run.read_by_spark()
    shutil.rmtree(run.folder)


def go_back(sink, partitioned):
    """arus runs, goes back, Spark continues: it sees the earlier batches only, and makes the rest again; then arus takes
    Spark's batches back, too. Once across a compaction of the logs."""
    run = Relay(sink, partitioned)
    run.add(11)
    run.arus()
    run.command(ARUS, "rewind", "p.sql", "--to-batch", "6")
    run.spark()
    run.check("Spark behind a rewind of arus")
    run.add(1)
    run.arus()
    run.check("arus behind that")
    run.command(ARUS, "rewind", "p.sql", "--to-batch", "8")  # 9 and 10 are Spark's
    run.arus()
    run.check("arus behind its rewind of Spark's batches")
    run.command(ARUS, "rewind", "p.sql", "--to-batch", "3")
    run.spark()
    run.read_by_spark()
    run.check("Spark at the end")
    shutil.rmtree(run.folder)


def main():
    passed = failed = 0
    for sink, partitioned in [(s, p) for s in (sys.argv[1:] or ["parquet"]) for p in ((False, True) if s == "parquet" else (False,))]:
        for test in (go_back, relay):
            try:
                test(sink, partitioned)
                passed += 1
            except AssertionError as error:
                failed += 1
                print(f"FAIL {test.__name__} {sink}{' partitioned' if partitioned else ''}: {error}", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


main()
