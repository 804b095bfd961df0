#!/usr/bin/env python3
"""Random SQL, asked of arus and of real Spark: the same schema and rows, or the same error.

    ARUS=build/dev/arus tests/spark/sql_differential.py [--queries 150] [--seed 1] [--only 1-17] [--minutes 30] [--kinds]

Needs pyspark (scripts/install-oracles). What Spark said is kept in build/sql-answers-SEED.jsonl: a second run asks only for what is
not there. --minutes goes on with the next seeds until the time is over. The last line says "N passed, N failed".
"""
import argparse
import collections
import sys
import time

from beside_spark import ROOT, Spark
from sql_compare import SETTINGS, compare, script_of, show
from sql_grammar import Case


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
        print(script_of(Case(seed, count[0])))
        return 0
    passed, kinds, session = 0, collections.Counter(), None
    (ROOT / "build").mkdir(exist_ok=True)
    while True:
        print(f"seed {seed}", flush=True)
        spark = Spark(ROOT / "build" / f"sql-answers-{seed}.jsonl", SETTINGS)
        spark.session = session
        cases = [Case(seed, number) for number in (count if isinstance(count, list) else range(count))]
        for case, found in compare(cases, spark):
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
