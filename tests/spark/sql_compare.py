"""A query asked of arus and of Spark, and what counts as the same answer. A case has name, query, views, zone, ansi, named."""
import concurrent.futures
import math
import pathlib
import re
import tempfile

import sql_known
from beside_spark import ask_arus, ddl_of, same_text

SETTINGS = {"spark.sql.shuffle.partitions": "1", "spark.sql.adaptive.enabled": "false", "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.sql.autoBroadcastJoinThreshold": "-1", "spark.default.parallelism": "1"}
# Sums in another order and libm: not the last digits.
INEXACT = re.compile(r"\b(sqrt|exp|expm1|ln|log\d*p?|pow|a?(sin|cos|tan)h?|atan2|cot|sec|csc|cbrt|hypot|std\w*|var\w*|corr|covar\w*|regr_\w+|skewness|kurtosis|degrees|radians|vector_\w+)\(")
NUMBER = re.compile(r"(-?\b\d+(?:\.\d+)?(?:E-?\d+)?\b)")
VIEW = re.compile(r"CREATE OR REPLACE TEMPORARY VIEW (\w+) AS (.*)", re.DOTALL)


def script_of(case):
    lines = ["SET spark.sql.session.timeZone = UTC", "SET spark.sql.ansi.enabled = true", *case.views,
             f"SET spark.sql.session.timeZone = {case.zone}", f"SET spark.sql.ansi.enabled = {str(case.ansi).lower()}", case.query]
    return "".join(line + ";\n" for line in lines)


def reader_of(case):
    """What Spark.ask calls."""
    def read(session):
        session.conf.set("spark.sql.session.timeZone", "UTC")
        session.conf.set("spark.sql.ansi.enabled", "true")
        if getattr(session, "arus_views", None) != case.views:
            for view in case.views:  # kept as a plan: Spark need not read the text again for every query
                name, query = VIEW.fullmatch(view).groups()
                session.sql(query).createOrReplaceTempView(name)
            session.arus_views = case.views
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
    if not inexact or None in (want, got):
        return False
    want, got = NUMBER.split(want), NUMBER.split(got)  # texts and numbers in turn: [0.5, {1.0E-7}]
    return want[::2] == got[::2] and all(math.isclose(float(a), float(b), rel_tol=1e-12) for a, b in zip(want[1::2], got[1::2]))


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


def compare(cases, spark):
    """Yields (case, difference)."""
    with tempfile.TemporaryDirectory(prefix="arus-sql-") as name, concurrent.futures.ThreadPoolExecutor(2) as pool:
        def run(case):
            folder = pathlib.Path(name) / case.name
            folder.mkdir()
            return ask_arus(script_of(case), folder)

        for case, arus in zip(cases, pool.map(run, cases)):
            yield case, difference(case, spark.ask(script_of(case), reader_of(case)), arus)


def show(case, kind, why):
    print(f"FAIL {case.name} ({kind}): ansi {str(case.ansi).lower()}, zone {case.zone}\n  {case.query}\n  {why}", flush=True)
