#!/usr/bin/env python3
"""The examples in Spark's own help of its functions, asked of arus and of Spark: the same schema and rows, or the same error.

    ARUS=build/dev/arus tests/spark/sql_examples.py [--only NAME] [--every 5] [--kinds] [--refused]

Needs pyspark (scripts/install-oracles); what Spark said is kept in build/sql-answers-examples.jsonl. Functions that arus does not know are counted, not failed; --refused names them.
The last line says "N passed, N failed".
"""
import argparse
import collections
import re
import sys

from beside_spark import ROOT, Spark
from sql_compare import SETTINGS, compare, show

EXAMPLE = re.compile(r"^ *> (.*?;) *$", re.MULTILINE | re.DOTALL)

# Answers that depend on the clock, the machine, the build or chance, or of which Spark promises no order.
NOT_THE_SAME = {"current_date", "current_time", "current_timestamp", "now", "curdate", "localtimestamp", "localtime", "unix_timestamp", "to_unix_timestamp", "current_timezone", "version", "uuid", "shuffle",
                "rand", "randn", "random", "randstr", "uniform", "input_file_name", "current_user", "session_user", "user", "current_catalog", "current_database", "current_schema", "aes_encrypt"}

# What arus does otherwise, or not (docs/spark-differences.md); the last ones need a setting or a module that is not there.
KNOWN = re.compile(r"\.\d{7,9}'"  # nanoseconds
                   r"|SELECT 2 > 1\.1"  # named `(2 > 1)`
                   r"|m(ax|in)_by\(x, y, 2\)|collations\(|python_worker_logs\(|sql_keywords\("
                   r"|try_avg\(col\) FROM VALUES \(interval"  # Spark sums months in an INT
                   r"|^SET |SystemDrive%\\Users\\John' ilike|(to|from)_avro\(")


class Example:
    def __init__(self, name, query):
        self.name, self.query = name, query
        self.views, self.zone, self.ansi, self.named = [], "UTC", True, False


def read_helps(session):
    names = [row[0] for row in session.sql("SHOW FUNCTIONS").collect()]
    return [(name, "\n".join(row[0] for row in session.sql(f"DESCRIBE FUNCTION EXTENDED `{name}`").collect())) for name in names]


def examples(helps):
    """Of all functions and operators, in order; a text that several names share once."""
    seen = set()
    for function, text in helps:
        if function in NOT_THE_SAME:
            continue
        for number, found in enumerate(EXAMPLE.findall(text)):
            query = found.rstrip("; \n")
            if query not in seen and not KNOWN.search(query):
                seen.add(query)
                name = function if function.isidentifier() else f"operator{len(seen)}"
                yield Example(f"{name}-{number}", query)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="examples whose name begins so")
    parser.add_argument("--every", type=int, default=1, help="each n-th example")
    parser.add_argument("--kinds", action="store_true", help="count the failures by kind at the end")
    parser.add_argument("--refused", action="store_true", help="show what arus does not know")
    args = parser.parse_args()
    (ROOT / "build").mkdir(exist_ok=True)
    spark = Spark(ROOT / "build" / "sql-answers-examples.jsonl", SETTINGS)
    cases = [case for case in examples(spark.ask("helps", read_helps)) if case.name.startswith(args.only or "")][:: args.every]
    passed, refused, kinds = 0, 0, collections.Counter()
    for case, found in compare(cases, spark):
        if found and re.search(r"arus: .*\[(UNRESOLVED_ROUTINE|ARUS_NOT_SUPPORTED)", found[1], re.DOTALL):
            refused += 1
            if args.refused:
                show(case, *found)
        elif found:
            kinds[found[0]] += 1
            show(case, *found)
        else:
            passed += 1
    if args.kinds:
        for kind, number in kinds.most_common():
            print(f"{number:5} {kind}")
    print(f"{refused} use what arus does not know")
    print(f"{passed} passed, {sum(kinds.values())} failed")
    return 0 if passed and not kinds else 1


sys.exit(main())
