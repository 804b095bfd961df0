#!/usr/bin/env python3
"""After many micro-batches in one process: the sink is audited, the query goes back some batches and makes them again, and the sink is
audited once more. Rows of windows that had left by then are the same.

    ARUS=build/dev/arus tests/crash/long_run.py [--batches 10000] [--back 50]
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import time

from harness import ARUS, Failure, finish, temporary_folder

PIPELINE = """SET spark.sql.session.timeZone = UTC;
CREATE TABLE s (timestamp TIMESTAMP, value BIGINT) USING `rate-micro-batch` OPTIONS (rowsPerBatch 100, advanceMillisPerBatch 1000);
CREATE STREAMING TABLE out USING parquet TBLPROPERTIES (path 'out', checkpointLocation 'ckpt', outputMode 'append')
AS SELECT window.end AS e, value % 20 AS k, count(*) AS n, sum(value) AS total, max(CAST(value AS STRING)) AS text
FROM STREAM s WATERMARK timestamp DELAY OF INTERVAL 10 SECONDS GROUP BY window(timestamp, '30 seconds'), value % 20;
"""


def call(folder, *command):
    done = subprocess.run([ARUS, *command], cwd=folder, capture_output=True, text=True, env={**os.environ, "TZ": "UTC"}, check=False)
    if done.returncode != 0:
        raise Failure(f"{command} ended with {done.returncode}: {done.stderr[-800:]}")
    return done.stdout


def newest(folder):
    path = folder / "ckpt" / "commits"
    return max((int(p.name) for p in path.iterdir() if p.name.isdigit()), default=-1) if path.exists() else -1


def run_until(folder, batch):
    process = subprocess.Popen([ARUS, "run", "-q", "p.sql"], cwd=folder, env={**os.environ, "TZ": "UTC"}, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and newest(folder) < batch:
        time.sleep(0.1)
    process.terminate()
    _, err = process.communicate()
    if process.returncode != 0:
        raise Failure(f"the run ended with {process.returncode}: {err[-800:]}")


def rows(folder, batches):
    """Of windows that have left by this batch."""
    bound = f"TIMESTAMP '1970-01-01 00:00:00' + make_dt_interval(0, 0, 0, {batches - 60})"
    return call(folder, "sql", "--rows", f"SET spark.sql.session.timeZone = UTC; SELECT count(*), sum(n), sum(total), min(text), max(text) FROM parquet.`out` WHERE e < {bound};")


def play(folder, batches, back):
    (folder / "p.sql").write_text(PIPELINE)
    run_until(folder, batches)
    before, audit = rows(folder, batches), call(folder, "audit", "p.sql")
    print(audit.strip())
    last = newest(folder)
    call(folder, "rewind", "p.sql", "--to-batch", str(last - back))
    print(call(folder, "audit", "p.sql").strip())
    run_until(folder, last)
    print(call(folder, "audit", "p.sql").strip())
    after = rows(folder, batches)
    print(after.strip())
    if after != before:
        raise Failure(f"other rows after going back {back} batches: {after} for {before}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batches", type=int, default=10000)
    parser.add_argument("--back", type=int, default=50)
    args = parser.parse_args()
    folder = pathlib.Path(temporary_folder())
    failed = 0
    try:
        play(folder, args.batches, args.back)
    except Failure as failure:
        failed = 1
        print(f"FAIL {failure}")
    shutil.rmtree(folder)
    finish(1 - failed, failed)


main()
