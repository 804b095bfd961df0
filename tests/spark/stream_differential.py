#!/usr/bin/env python3
"""Random queries with state, run in arus and as streams of real Spark over the same files, one file of each source a batch:
the same rows in each batch, watermarks and numbers of the state, or the same refusal.

    ARUS=build/dev/arus tests/spark/stream_differential.py [--queries 20] [--seed 1] [--only 1-17] [--minutes 30] [--kinds]

Needs pyspark (scripts/install-oracles). What Spark said is kept in build/stream-answers-SEED.jsonl. The last line says
"N passed, N failed".
"""
import argparse
import collections
import importlib.machinery
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import stream_known
from beside_spark import ARUS, ROOT, Spark
from stream_grammar import Case

SETTINGS = {"spark.sql.shuffle.partitions": "1", "spark.sql.adaptive.enabled": "false", "spark.sql.codegen.wholeStage": "false",
            "spark.sql.codegen.factoryMode": "NO_CODEGEN", "spark.default.parallelism": "1", "spark.sql.streaming.stateStore.maintenanceInterval": "1h",
            "spark.sql.streaming.numRecentProgressUpdates": "100", "spark.sql.streaming.checkpoint.fileChecksum.enabled": "false", "spark.sql.streaming.pollingDelay": "1"}
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx1g")  # many small runs
CONDITION = re.compile(r"\[([A-Z_][A-Z0-9_.]+)\]")
on_spark = importlib.machinery.SourceFileLoader("on_spark", str(ROOT / "tools" / "arus-on-spark.py")).load_module()
NUMBERS = ("numRowsTotal", "numRowsUpdated", "numRowsRemoved", "numRowsDroppedByWatermark")
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def batches_of(records, rows):
    """[{id, rows, eventTime, operators}] of the batches that ran."""
    found = []
    for record in records:
        if "addBatch" in record["durationMs"]:
            found.append({"id": record["batchId"], "rows": rows.get(record["batchId"], []), "eventTime": record.get("eventTime") or {},
                          "operators": [{key: operator[key] for key in ("operatorName",) + NUMBERS} for operator in record["stateOperators"]]})
    return found


def reader_of(case, folder):
    """Runs the query as a stream of a Spark session."""
    def read(session):
        for name, value in {"spark.sql.session.timeZone": "UTC", "spark.sql.streaming.multipleWatermarkPolicy": "min", **case.query.settings}.items():
            session.conf.set(name, value)
        for text in case.tables(f"{folder}/"):
            session.sql(f"DROP TABLE IF EXISTS {text.split()[2]}")
            session.sql(text)
        rows = {}

        def keep(frame, batch):
            rows[batch] = [row[0] for row in frame.selectExpr("to_json(struct(*), map('ignoreNullFields', 'false'))").collect()]

        query = (session.sql(on_spark.with_dedup_views(session, case.query.text)).writeStream.foreachBatch(keep).outputMode(case.query.mode).option("checkpointLocation", f"{folder}/spark-ckpt")
                 .trigger(availableNow=True).start())
        try:
            query.awaitTermination()
        finally:
            query.stop()
        return {"batches": batches_of([json.loads(record.json) for record in query.recentProgress], rows)}

    return read


def ask_arus(case, folder):
    (folder / "case.sql").write_text(case.script(), encoding="utf-8")
    command = [ARUS, "run", "-q", "--progress", "progress", "case.sql"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=1200, env={**os.environ, "TZ": "UTC"})
    except subprocess.TimeoutExpired:
        return {"died": "no end within 120 s"}
    text = done.stderr.decode(errors="replace")
    if done.returncode < 0 or "Sanitizer" in text:
        return {"died": text[-2000:] or str(done.returncode)}
    if done.returncode != 0:
        return {"error": CONDITION.findall(text), "text": text}
    rows = {int(path.name.split(".")[1]): path.read_text(encoding="utf-8").splitlines() for path in folder.glob("batch.*")}
    return {"batches": batches_of([json.loads(line) for line in (folder / "progress").read_text().splitlines()], rows)}


# ---- comparing ----

def plain(row):
    """A row as values that compare: lists without an order sorted."""
    values = json.loads(row)
    return {name: sorted(value, key=str) if name.startswith("l_") and value is not None else value for name, value in values.items()}


def order_of(row):
    """Rows that are equal but for the last digits stand side by side."""
    return json.dumps({name: f"{value:.6g}" if name.startswith("f_") and isinstance(value, float) else value for name, value in sorted(row.items(), key=lambda item: (item[0][:2] == "f_", item[0]))})


def same_value(name, want, got):
    if name.startswith("f_") and isinstance(want, (int, float)) and isinstance(got, (int, float)):
        return math.isclose(want, got, rel_tol=1e-9, abs_tol=1e-12)
    return want == got


def same_rows(want, got):
    want, got = (sorted(map(plain, rows), key=order_of) for rows in (want, got))
    return len(want) == len(got) and all(a.keys() == b.keys() and all(same_value(name, a[name], b[name]) for name in a) for a, b in zip(want, got))


def difference(case, spark, arus):
    """(kind, text), or None when both say the same."""
    shape = case.query.shape.__name__
    if "died" in arus:
        return "died", arus["died"]
    known = stream_known.reason(case, spark, arus)
    if known:
        return None
    if "error" in spark and "error" in arus:
        if stream_known.same_error(spark, arus):
            return None
        return f"{shape}: error {spark['error'][:3]} / {arus['error'][:1]}", f"Spark: {spark['text'][:600]}\n   arus: {arus['text']}"
    if "error" in spark:
        return f"{shape}: Spark alone fails {spark['error'][:3]}", f"Spark: {spark['text'][:800]}\n   arus gives {str(arus['batches'])[:400]}"
    if "error" in arus:
        return f"{shape}: arus alone fails {arus['error'][:1]}", f"arus: {arus['text']}\n   Spark gives {str(spark['batches'])[:400]}"
    for want, got in zip(spark["batches"], arus["batches"]):
        where = f"batch {want['id']}"
        if want["id"] != got["id"]:
            return f"{shape}: batch ids", f"{where} and {got['id']}"
        if not stream_known.same_event_time(want["eventTime"], got["eventTime"]):
            return f"{shape}: event time", f"{where}: Spark {want['eventTime']}\n   arus {got['eventTime']}"
        if not same_rows(want["rows"], got["rows"]):
            lists = [sorted(rows) for rows in (want["rows"], got["rows"])]
            return f"{shape}: rows", f"{where}: Spark {[r for r in lists[0] if r not in lists[1]][:8]} of {len(lists[0])}\n   arus {[r for r in lists[1] if r not in lists[0]][:8]} of {len(lists[1])}"
        if not stream_known.same_numbers(case, want["operators"], got["operators"]):
            return f"{shape}: numbers of the state", f"{where}: Spark {want['operators']}\n   arus {got['operators']}"
    if len(spark["batches"]) != len(arus["batches"]):
        return f"{shape}: number of batches", f"Spark {len(spark['batches'])} {spark['batches'][-1]}\n   arus {len(arus['batches'])} {arus['batches'][-1]}"
    return None


def batch(seed, numbers, spark):
    for number in numbers:
        case = Case(seed, number)
        folder = pathlib.Path(tempfile.mkdtemp(prefix="arus-stream-", dir=MEMORY))
        try:
            case.landing.write(folder)
            arus = ask_arus(case, folder)
            key = json.dumps([case.script(), case.landing.files])
            yield case, difference(case, spark.ask(key, reader_of(case, folder)), arus)
        finally:
            shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=20, help="of each seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one query, as its failure names it")
    parser.add_argument("--minutes", type=float, default=0, help="go on with further seeds")
    parser.add_argument("--write", metavar="FOLDER", help="with --only: write landing folders and script there, run nothing")
    parser.add_argument("--kinds", action="store_true", help="count the failures by kind at the end")
    args = parser.parse_args()
    end, seed, numbers = time.monotonic() + 60 * args.minutes, args.seed, range(args.queries)
    if args.only:
        seed, number = map(int, args.only.split("-"))
        numbers = [number]
    if args.write:
        case = Case(seed, numbers[0])
        case.landing.write(pathlib.Path(args.write))
        (pathlib.Path(args.write) / "case.sql").write_text(case.script(), encoding="utf-8")
        return 0
    passed, kinds, session = 0, collections.Counter(), None
    (ROOT / "build").mkdir(exist_ok=True)
    while True:
        print(f"seed {seed}", flush=True)
        spark = Spark(ROOT / "build" / f"stream-answers-{seed}.jsonl", SETTINGS)
        spark.session = session
        for case, found in batch(seed, numbers, spark):
            if found:
                kinds[found[0]] += 1
                print(f"FAIL {case.name} ({found[0]}): {case.query.mode} {case.query.settings or ''}\n  {case.query.text}\n  {found[1]}", flush=True)
            else:
                passed += 1
        session, seed = spark.session, seed + 1
        if time.monotonic() >= end:
            break
    if args.kinds:
        for kind, number in kinds.most_common():
            print(f"{number:5} {kind}")
    failed = sum(kinds.values())
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


sys.exit(main())
