#!/usr/bin/env python3
"""Random SQL, asked of arus and of real Spark: the same schema and rows, or the same error.

    ARUS=build/dev/arus tests/spark/sql_differential.py [--queries 150] [--seed 1] [--only 1-17] [--minutes 30] [--kinds]

Needs pyspark (scripts/install-oracles). What Spark said is kept in build/sql-answers-SEED.jsonl: a second run asks only for what is
not there. --minutes goes on with the next seeds until the time is over. The last line says "N passed, N failed".
"""
import argparse
import collections
import concurrent.futures
import math
import pathlib
import re
import sys
import tempfile
import time

import sql_known
from beside_spark import ROOT, Spark, ask_arus, ddl_of, same_text
from sql_grammar import Case

SETTINGS = {"spark.sql.shuffle.partitions": "1", "spark.sql.adaptive.enabled": "false", "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.sql.autoBroadcastJoinThreshold": "-1", "spark.default.parallelism": "1"}
# Sums in another order and libm: not the last digits.
INEXACT = re.compile(r"\b(sqrt|exp|expm1|ln|log\d*p?|pow|a?(sin|cos|tan)h?|atan2|cbrt|hypot|std\w*|var\w*|corr|covar\w*|skewness|kurtosis|degrees|radians)\(")


def reader_of(case):
    def read(session):
        session.conf.set("spark.sql.session.timeZone", "UTC")
        session.conf.set("spark.sql.ansi.enabled", "true")
        if getattr(session, "arus_tables", None) != case.tables:
            for view in case.views():
                session.sql(view)
            session.arus_tables = case.tables
        session.conf.set("spark.sql.session.timeZone", case.zone)
        session.conf.set("spark.sql.ansi.enabled", str(case.ansi).lower())
        frame = session.sql(case.query)
        schema, fields = ddl_of(frame), frame.schema.fields
        texts = [f"hex(c{i})" if field.dataType.typeName() == "binary" else f"CAST(c{i} AS STRING)" for i, field in enumerate(fields)]
        rows = frame.toDF(*(f"c{i}" for i in range(len(fields)))).selectExpr(*texts).collect()
        return {"schema": schema, "rows": [list(row) for row in rows]}

    return read


def same_value(want, got, inexact):
    if same_text(want, got):
        return True
    try:
        return inexact and None not in (want, got) and math.isclose(float(want), float(got), rel_tol=1e-12)
    except ValueError:
        return False


def difference(case, spark, arus):
    """(kind, text), or None when both say the same."""
    if "died" in arus:
        return "died", arus["died"]
    if sql_known.is_known(case, spark, arus):
        return None
    if "error" in spark and "error" in arus:
        if sql_known.same_error(spark["error"], arus["error"]):
            return None
        return f"error {spark['error'][:1]} / {arus['error'][:1]}", f"Spark: {spark['text'][:300]}\n   arus: {arus['text']}"
    if "error" in spark:
        return f"Spark alone fails {spark['error'][:1]}", f"Spark: {spark['text'][:400]}\n   arus gives {arus['schema']} {arus['rows'][:5]}"
    if "error" in arus:
        return f"arus alone fails {arus['error'][:1]}", f"arus: {arus['text']}\n   Spark gives {spark['schema']} {spark['rows'][:5]}"
    if not sql_known.same_schema(case, spark["schema"], arus["schema"]):
        return "schema", f"Spark {spark['schema']}\n   arus {arus['schema']}"
    ordered, inexact = " ORDER BY " in case.query, bool(INEXACT.search(case.query))
    key = lambda row: [(text is not None, text or "") for text in row]
    want, got = (rows if ordered else sorted(rows, key=key) for rows in (spark["rows"], arus["rows"]))
    if len(want) != len(got):
        return "row count", f"{len(want)} and {len(got)} rows: Spark {want[:5]}\n   arus {got[:5]}"
    for a, b in zip(want, got):
        if not all(same_value(x, y, inexact) for x, y in zip(a, b)):
            return "value", f"Spark {a}\n   arus {b}"
    return None


def batch(seed, count, spark):
    """The first queries of a seed: yields (case, difference)."""
    cases = [Case(seed, number) for number in (count if isinstance(count, list) else range(count))]
    with tempfile.TemporaryDirectory(prefix="arus-sql-") as name, concurrent.futures.ThreadPoolExecutor(2) as pool:
        def run(case):
            folder = pathlib.Path(name) / case.name
            folder.mkdir()
            return ask_arus(case.script(), folder)

        for case, arus in zip(cases, pool.map(run, cases)):
            yield case, difference(case, spark.ask(case.script(), reader_of(case)), arus)


def show(case, kind, why):
    print(f"FAIL {case.name} ({kind}): ansi {str(case.ansi).lower()}, zone {case.zone}\n  {case.query}\n  {why}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=150, help="of each seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one query, as its failure names it")
    parser.add_argument("--minutes", type=float, default=0, help="go on with further seeds")
    parser.add_argument("--script", action="store_true", help="with --only: print its script")
    parser.add_argument("--kinds", action="store_true", help="count the failures by kind at the end")
    args = parser.parse_args()
    end, seed, count = time.monotonic() + 60 * args.minutes, args.seed, args.queries
    if args.only:
        seed, number = map(int, args.only.split("-"))
        count = [number]
    if args.script:
        print(Case(seed, count[0]).script())
        return 0
    passed, kinds, session = 0, collections.Counter(), None
    (ROOT / "build").mkdir(exist_ok=True)
    while True:
        print(f"seed {seed}", flush=True)
        spark = Spark(ROOT / "build" / f"sql-answers-{seed}.jsonl", SETTINGS)
        spark.session = session
        for case, found in batch(seed, count, spark):
            if found:
                kinds[found[0]] += 1
                show(case, *found)
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
