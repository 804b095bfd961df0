#!/usr/bin/env python3
"""Runs an arus pipeline file on real Apache Spark: the way out to a cluster, and the oracle of the parity tests.

    pip install pyspark==4.3.0
    tools/arus-on-spark.py pipeline.sql                    every streaming table of the file, one after the other
    spark-submit --master yarn tools/arus-on-spark.py pipeline.sql
    tools/arus-on-spark.py pipeline.sql --progress p.jsonl --conf spark.sql.shuffle.partitions=1

Tables, views and SET go through spark.sql as they are; each CREATE STREAMING TABLE becomes
spark.sql(query).writeStream with the table's properties. Relative paths start at the folder of the file, as in arus.
A query alone prints its rows. Exit code 0, or 1 with Spark's message on stderr.
"""
import argparse
import json
import os
import re
import sys

TOKEN = re.compile(r"""
    (?P<space>\s+|--[^\n]*|/\*.*?\*/)
  | (?P<string>[rR]?'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")
  | (?P<name>`(?:[^`]|``)*`|[A-Za-z0-9_.]+)
  | (?P<sign>.)
""", re.X | re.S)
ENGINE_PROPERTIES = {"path", "checkpointlocation", "outputmode", "trigger", "queryname"}


def tokens(text):
    """(kind, text, start) of everything but blanks and comments."""
    return [(m.lastgroup, m.group(), m.start()) for m in TOKEN.finditer(text) if m.lastgroup != "space"]


def statements(text):
    start = 0
    for kind, word, at in tokens(text):
        if kind == "sign" and word == ";":
            yield text[start:at]
            start = at + 1
    yield text[start:]


def unquote(word):
    if word[:1] in "'\"":
        return re.sub(r"\\(.)", r"\1", word[1:-1].replace(word[0] * 2, word[0]))
    return word.strip("`")


def closing(items, at):
    """Index of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(items)):
        depth += (items[i][1] == "(") - (items[i][1] == ")")
        if depth == 0:
            return i
    raise SystemExit("a bracket is not closed")


def pairs(items):
    """key [=] value, …"""
    found, key = {}, []
    groups, current = [], []
    for item in items:
        if item[1] == ",":
            groups.append(current)
            current = []
        elif item[1] != "=":
            current.append(item)
    for group in groups + [current]:
        if group:
            key = "".join(unquote(w) for _, w, _ in group[:-1])
            found[key] = unquote(group[-1][1])
    return found


class StreamingTable:
    """The clauses of CREATE STREAMING TABLE."""

    def __init__(self, text):
        items = tokens(text)
        words = [w.upper() for _, w, _ in items]
        at = words.index("TABLE") + 1
        at += 3 if words[at:at + 3] == ["IF", "NOT", "EXISTS"] else 0
        self.name = unquote(items[at][1])
        self.format, self.partitions, self.properties = "parquet", [], {}
        at += 1
        while words[at] != "AS":
            if words[at] == "USING":
                self.format = unquote(items[at + 1][1])
                at += 2
            elif words[at] == "PARTITIONED":
                end = closing(items, at + 2)
                self.partitions = [unquote(w) for _, w, _ in items[at + 3:end] if w != ","]
                at = end + 1
            elif words[at] == "TBLPROPERTIES":
                end = closing(items, at + 1)
                self.properties = pairs(items[at + 2:end])
                at = end + 1
            elif words[at] == "COMMENT":
                at += 2
            else:
                at = closing(items, at) + 1
        self.query = text[items[at][2] + 2:]

    def get(self, name, default=None):
        return next((v for k, v in self.properties.items() if k.lower() == name.lower()), default)


def with_dedup_views(spark, text):
    """drop_duplicates(TABLE(query), 'key', ..) is no function of Spark: each becomes a view of the DataFrame that dropDuplicates gives."""
    while True:
        items = tokens(text)
        found = [i for i, item in enumerate(items) if item[1].lower() in ("drop_duplicates", "drop_duplicates_within_watermark")]
        if not found:
            return text
        at = found[-1]  # those inside are done first
        end = closing(items, at + 1)
        table_end = closing(items, at + 3)
        frame = spark.sql(text[items[at + 3][2] + 1:items[table_end][2]])
        keys = [unquote(word) for kind, word, _ in items[table_end + 1:end] if kind == "string"] or frame.columns
        within = items[at][1].lower() != "drop_duplicates"
        frame = frame.dropDuplicatesWithinWatermark(keys) if within else frame.dropDuplicates(keys)
        view = f"arus_deduplicated_{len(text)}_{items[at][2]}"
        frame.createOrReplaceTempView(view)
        text = text[:items[at][2]] + view + text[items[end][2] + 1:]


def trigger_of(text):
    words = text.split()
    if text.lower() == "availablenow":
        return {"availableNow": True}
    if text.lower() == "once":
        return {"once": True}
    return {"processingTime": text if words[0].lower() != "processingtime" else " ".join(words[1:])}


def run_table(spark, table, folder, progress):
    writer = spark.sql(with_dedup_views(spark, table.query)).writeStream.format(table.format).outputMode(table.get("outputMode", "append"))
    for key, value in table.properties.items():
        if key.lower() not in ENGINE_PROPERTIES:
            writer = writer.option(key, value)
    writer = writer.queryName(table.get("queryName", table.name))
    if table.get("checkpointLocation"):
        writer = writer.option("checkpointLocation", os.path.join(folder, table.get("checkpointLocation")))
    if table.get("path"):
        writer = writer.option("path", os.path.join(folder, table.get("path")))
    if table.partitions:
        writer = writer.partitionBy(*table.partitions)
    if table.get("trigger"):
        writer = writer.trigger(**trigger_of(table.get("trigger")))
    query = writer.start()
    try:
        query.awaitTermination()
    finally:
        if progress:
            with open(progress, "a", encoding="utf-8") as out:
                for record in query.recentProgress:
                    out.write((record.json if hasattr(record, "json") else json.dumps(record)) + "\n")


def absolute_paths(text, folder):
    """The `path` of CREATE TABLE … OPTIONS and LOCATION, and fmt.`path`, made absolute."""
    items = tokens(text)
    edits = []
    for i, (kind, word, at) in enumerate(items):
        previous = items[i - 1][1].lower() if i else ""
        if kind == "string" and (previous in ("path", "'path'", '"path"', "location") or
                                 (previous == "=" and items[i - 2][1].strip("'\"").lower() == "path")):
            edits.append((at, word, "'" + os.path.join(folder, unquote(word)) + "'"))
        elif kind == "name" and word.startswith("`") and re.fullmatch(r"(?i)(json|csv|text|parquet)\.", previous):
            edits.append((at, word, "`" + os.path.join(folder, word[1:-1]) + "`"))
    for at, old, new in reversed(edits):
        text = text[:at] + new + text[at + len(old):]
    return text


def topic_as_view(spark, text):
    """A topic without declared columns: Spark's catalog keeps its columns and then refuses them, so that it becomes a view of a stream."""
    items = tokens(text)
    words = [w.upper() for _, w, _ in items]
    if words[:2] != ["CREATE", "TABLE"] or words[3:5] != ["USING", "KAFKA"] or words[5:6] != ["OPTIONS"]:
        return False
    options = pairs(items[7:closing(items, 6)])
    spark.readStream.format("kafka").options(**options).load().createOrReplaceTempView(unquote(items[2][1]))
    return True


def run_statement(spark, text, folder, progress):
    words = [w.upper() for _, w, _ in tokens(text)[:3]]
    if topic_as_view(spark, text):
        return
    if words[:3] == ["CREATE", "STREAMING", "TABLE"]:
        run_table(spark, StreamingTable(text), folder, progress)
        return
    if words[:1] == ["SET"] and words[1:2] != ["TIME"]:
        key, _, value = text.strip()[3:].partition("=")
        spark.conf.set(key.strip().strip("`"), value.strip()) if value else None
        return
    frame = spark.sql(absolute_paths(text, folder))
    if words[:1] in (["SELECT"], ["WITH"], ["VALUES"], ["FROM"]):
        frame.show(n=2147483647, truncate=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--progress", help="append one JSON line a batch")
    parser.add_argument("--conf", action="append", default=[], metavar="K=V", help="Spark setting")
    parser.add_argument("--local", action="store_true", help="master local[2], UTC, no UI")
    args = parser.parse_args()

    from pyspark.sql import SparkSession
    builder = SparkSession.builder.appName(os.path.basename(args.file))
    if args.local:
        builder = (builder.master("local[2]").config("spark.ui.enabled", "false")
                   .config("spark.sql.warehouse.dir", "file:/tmp/arus-on-spark-warehouse")
                   .config("spark.sql.shuffle.partitions", "1"))
    for pair in args.conf:
        key, _, value = pair.partition("=")
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    folder = os.path.dirname(os.path.abspath(args.file))
    with open(args.file, encoding="utf-8") as source:
        text = source.read()
    try:
        for statement in statements(text):
            if tokens(statement):
                run_statement(spark, statement, folder, args.progress)
    except Exception as error:  # Spark's own message is what the user needs
        print(f"arus-on-spark: {str(error).splitlines()[0][:2000]}", file=sys.stderr)
        spark.stop()
        sys.exit(1)
    spark.stop()


if __name__ == "__main__":
    main()
