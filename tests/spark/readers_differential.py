#!/usr/bin/env python3
"""Dirty CSV and JSON files with random schemas and options, read by arus and by real Spark: the same rows or the same error.

    ARUS=build/dev/arus tests/spark/readers_differential.py [--files 100] [--seed 1] [--only csv-1-17] [--answers FILE]

Needs pyspark (scripts/install-oracles). --answers keeps what Spark said: a second run asks only for what is not there.
The last line says "N passed, N failed".
"""
import argparse
import pathlib
import sys
import tempfile

import dirty_files
from beside_spark import Spark, ask_arus, ddl_of, quoted, same_text


def script(case, folder):
    options = ", ".join(f"{quoted(name)} {quoted(value)}" for name, value in {"path": str(folder / "data"), **case.options}.items())
    columns = f" ({case.ddl()})" if case.schema else ""
    selected = ", ".join(f"`{name}`" for name in case.selected) if case.selected else "*"
    return (f"SET spark.sql.session.timeZone = UTC;\nCREATE TABLE dirty{columns} USING {case.kind} OPTIONS ({options});\n"
            f"SELECT {selected} FROM dirty;\n")


def reader_of(case, folder):
    """What Spark is asked for."""

    def read(session):
        reader = session.read.format(case.kind).options(**case.options)
        frame = (reader.schema(case.ddl()) if case.schema else reader).load(str(folder / "data"))
        frame = frame.selectExpr(*(f"`{name}`" for name in case.selected)) if case.selected else frame
        texts = [f"hex(`{field.name}`)" if field.dataType.typeName() == "binary" else f"CAST(`{field.name}` AS STRING)" for field in frame.schema]
        return {"schema": ddl_of(frame), "rows": [list(row) for row in frame.selectExpr(*texts).collect()] if texts else [[]] * frame.count()}

    return read


def is_known(case, spark, arus):
    """What docs/spark-differences.md lists."""
    if spark.get("crash") or "NEGATIVE_SCALE_DISALLOWED" in spark.get("error", ()):
        return True
    if case.kind == "json" and "multiLine" in case.options and any(data.startswith(b"\xef\xbb\xbf") for data in case.files.values()):
        return True
    if case.options.get("unescapedQuoteHandling") == "BACK_TO_DELIMITER" and case.selected and "columnPruning" not in case.options:
        return True
    return "UNABLE_TO_INFER_SCHEMA" in arus.get("error", ()) and spark.get("schema") == ""


def without_corrupt_bytes(case, rows):
    """Spark gives the bytes of bad JSON records as they are, whatever their encoding, arus their text."""
    name = case.options.get("columnNameOfCorruptRecord", dirty_files.CORRUPT)
    if case.kind != "json" or case.options.get("encoding", "UTF-8") == "UTF-8":
        return rows
    at = case.columns().index(name) if name in case.columns() and not case.selected else 0 if not case.schema else None
    return [["bad" if i == at and text else text for i, text in enumerate(row)] for row in rows]


def difference(case, spark, arus):
    if "died" in arus:
        return f"arus died: {arus['died']}"
    if is_known(case, spark, arus):
        return None
    if "error" in spark:
        if "error" not in arus:
            return f"Spark fails with {spark['error']}: {spark['text'][:300]}\n   arus gives {arus['rows']}"
        has_name = spark["error"] and not any(name.startswith("_LEGACY") for name in spark["error"])
        if has_name and len(case.files) == 1 and not set(spark["error"]) & set(arus["error"]):
            return f"Spark fails with {spark['error']}: {spark['text'][:300]}\n   arus with {arus['text']}"
        return None
    if "error" in arus:
        return f"arus fails: {arus['text']}\n   Spark gives {spark['rows']}"
    if not case.schema and arus["schema"].replace(", ", ",") != spark["schema"].replace(", ", ","):
        return f"schema: Spark {spark['schema']}\n     arus {arus['schema']}"
    want, got = without_corrupt_bytes(case, spark["rows"]), without_corrupt_bytes(case, arus["rows"])
    if len(case.files) > 1:
        want, got = (sorted(rows, key=lambda row: [(text is not None, text or "") for text in row]) for rows in (want, got))
    if len(want) == len(got) and all(all(map(same_text, a, b)) for a, b in zip(want, got)):
        return None
    bad = next((i for i, (a, b) in enumerate(zip(want, got)) if not all(map(same_text, a, b))), min(len(want), len(got)))
    return f"{len(want)} and {len(got)} rows; row {bad}:\n  Spark {want[bad:bad + 2]}\n   arus {got[bad:bad + 2]}"


def show(case, why):
    print(f"FAIL {case.name}: {case.options}\n  columns {case.ddl() if case.schema else 'inferred'}; selected {case.selected or '*'}")
    for name, data in case.files.items():
        print(f"  {name}: {data!r}")
    print(f"  {why}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=100, help="cases of each format")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", choices=sorted(dirty_files.MAKERS), action="append")
    parser.add_argument("--only", help="one case, as its failure names it")
    parser.add_argument("--answers", type=pathlib.Path)
    args = parser.parse_args()
    if args.only:
        kind, seed, number = args.only.split("-")
        todo = [(kind, int(seed), int(number))]
    else:
        todo = [(kind, args.seed, number) for kind in args.format or sorted(dirty_files.MAKERS) for number in range(args.files)]
    spark = Spark(args.answers)
    passed = failed = 0
    print(f"seed {args.seed}")
    for kind, seed, number in todo:
        case = dirty_files.MAKERS[kind](seed, number)
        with tempfile.TemporaryDirectory(prefix="arus-dirty-") as name:
            folder = pathlib.Path(name)
            (folder / "data").mkdir()
            for file, data in case.files.items():
                (folder / "data" / file).write_bytes(data)
            key = f"{case.name} {script(case, pathlib.Path())} {sorted(case.files.items())}"
            why = difference(case, spark.ask(key, reader_of(case, folder)), ask_arus(script(case, folder), folder))
        if why:
            failed += 1
            show(case, why)
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


sys.exit(main())
