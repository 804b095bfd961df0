#!/usr/bin/env python3
"""Parquet against pyarrow, DuckDB, polars and (with --spark) Spark: their files read by us, ours read by them.

    tests/format/parquet_oracle.py TOOL [--spark] [--only WORD]

TOOL is the built tests/support/parquet_tool. The last line says "N passed, N failed".
"""
import datetime as dt
import decimal
import functools
import itertools
import json
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

import pyarrow as pa
import pyarrow.parquet as pq

D = decimal.Decimal
decimal.getcontext().prec = 60
EPOCH = dt.datetime(1970, 1, 1)
HERE = pathlib.Path(__file__).parent


class Oracle:
    def __init__(self, tool, folder, only):
        self.tool, self.folder, self.only = tool, folder, only
        self.passed = self.failed = 0

    def wants(self, name):
        return not self.only or self.only in name

    def check(self, name, function):
        if not self.wants(name):
            return
        try:
            why = function()
        except Exception as error:  # noqa: BLE001: a check that breaks has failed
            why = f"{type(error).__name__}: {str(error)[:300]}"
        if why:
            self.failed += 1
            print(f"FAILED {name}: {why}")
        else:
            self.passed += 1

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *words):
        done = subprocess.run([self.tool, *map(str, words)], capture_output=True, timeout=1200)
        if done.returncode != 0:
            raise ToolFailed(done.stderr.decode(errors="replace").strip() or f"exit {done.returncode}")
        return done.stdout

    def dump(self, path, *words):
        text = self.run("dump", path, *words).decode(errors="replace")
        return [json.loads(line) for line in text.split("\n")[:-1]]


class ToolFailed(Exception):
    pass


# ---- values as the tool prints them ----


def canonical(value, kind):
    if value is None:
        return None
    if pa.types.is_struct(kind):
        return {field.name: canonical(value[field.name], field.type) for field in kind}
    if pa.types.is_map(kind):
        return [[canonical(k, kind.key_type), canonical(v, kind.item_type)] for k, v in value]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return [canonical(item, kind.value_type) for item in value]
    if pa.types.is_floating(kind):
        return real(value)
    if pa.types.is_decimal(kind):
        return str(int(value.scaleb(kind.scale)))
    if pa.types.is_date(kind):
        return (value - dt.date(1970, 1, 1)).days
    if pa.types.is_timestamp(kind):
        moment = value.replace(tzinfo=None) - EPOCH
        return (moment.days * 86400 + moment.seconds) * 1000000 + moment.microseconds
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return value.hex()
    if pa.types.is_uint64(kind):
        return str(value)
    return value


def real(value):
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def rows_of(table):
    columns = []
    for field, column in zip(table.schema, table.columns):
        if pa.types.is_timestamp(field.type):
            micros = column.cast(pa.timestamp("us", field.type.tz))
            columns.append(micros.cast(pa.int64()).to_pylist())
        else:
            columns.append([canonical(value, field.type) for value in column.to_pylist()])
    names = table.schema.names
    return [dict(zip(names, row)) for row in zip(*columns)] if columns else []


def difference(got, wanted):
    if len(got) != len(wanted):
        return f"{len(got)} rows instead of {len(wanted)}"
    for number, (a, b) in enumerate(zip(got, wanted)):
        if not same(a, b):
            return f"row {number}: {str(a)[:200]} instead of {str(b)[:200]}"
    return None


def same(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and not isinstance(a, bool):
        return a == b and math.copysign(1, a) == math.copysign(1, b)
    return a == b


# ---- data ----

WORDS = ["", "a", "ab", "grün", "日本", "x" * 11, "x" * 12, "x" * 13, "0123456789abcdef", "😀", "\n\"\\\t", "z" * 300]


def maker(kind, random_, few):
    """A function that makes one value of the type."""
    pick = random_.choice
    size = 5 if few else 1 << 30
    if pa.types.is_boolean(kind):
        return lambda: random_.random() < 0.5
    if pa.types.is_integer(kind):
        low, high = INTEGER_RANGES[str(kind)]
        edges = [low, high, 0, 1]
        return lambda: pick(edges) if random_.random() < 0.1 else random_.randrange(max(low, -size), min(high, size) + 1)
    if pa.types.is_floating(kind):
        edges = [0.0, -0.0, math.inf, -math.inf, 1e-30, 1e30] + ([] if few else [math.nan])
        cut = (lambda x: struct.unpack("f", struct.pack("f", x))[0]) if pa.types.is_float32(kind) else (lambda x: x)
        return lambda: cut(pick(edges) if random_.random() < 0.1 else round(random_.uniform(-9, 9), 1 if few else 12))
    if pa.types.is_decimal(kind):
        most = 10 ** kind.precision - 1
        edges = [most, -most, 0]
        top = min(most, 3 if few else most)
        return lambda: D(pick(edges) if random_.random() < 0.1 else random_.randint(-top, top)).scaleb(-kind.scale)
    if pa.types.is_string(kind):
        if few:
            return lambda: pick(WORDS)
        return lambda: pick(WORDS) + str(random_.randrange(1 << 40)) + pick(WORDS)
    if pa.types.is_fixed_size_binary(kind):
        return lambda: random_.randbytes(1 if few else kind.byte_width).ljust(kind.byte_width, b"\0")
    if pa.types.is_binary(kind):
        return lambda: random_.randbytes(random_.randrange(2 if few else 40))
    if pa.types.is_date(kind):
        return lambda: dt.date(2026, 1, 1) + dt.timedelta(random_.randrange(-5 if few else -100000, 5 if few else 100000))
    if pa.types.is_timestamp(kind):
        unit = 1000 if kind.unit == "ms" else 1
        base = EPOCH if kind.tz is None else EPOCH.replace(tzinfo=dt.timezone.utc)
        span = 5 if few else 4 * 10**15
        return lambda: base + dt.timedelta(microseconds=random_.randrange(-span, span) // unit * unit)
    if pa.types.is_struct(kind):
        fields = [(field.name, nullable(maker(field.type, random_, few), random_, 0.2)) for field in kind]
        return lambda: {name: make() for name, make in fields}
    if pa.types.is_map(kind):
        key, item = maker(kind.key_type, random_, few), nullable(maker(kind.item_type, random_, few), random_, 0.2)
        return lambda: list({key(): item() for _ in range(random_.randrange(4))}.items())
    if pa.types.is_list(kind):
        item = nullable(maker(kind.value_type, random_, few), random_, 0.2)
        return lambda: [item() for _ in range(random_.choice([0, 0, 1, 2, 3, 9]))]
    raise ValueError(kind)


INTEGER_RANGES = {f"{sign}int{bits}": ((0, 2**bits - 1) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1))
                  for sign in ("", "u") for bits in (8, 16, 32, 64)}


def nullable(make, random_, share):
    return lambda: None if random_.random() < share else make()


def column(kind, count, nulls, few, seed):
    random_ = random.Random(f"{kind} {count} {nulls} {few} {seed}")
    make = nullable(maker(kind, random_, few), random_, nulls)
    return pa.array([make() for _ in range(count)], kind)


FLAT = [pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64(), pa.string(), pa.binary(),
        pa.date32(), pa.timestamp("us", "UTC"), pa.timestamp("us"), pa.decimal128(5, 2), pa.decimal128(9, 0),
        pa.decimal128(10, 3), pa.decimal128(18, 18), pa.decimal128(19, 2), pa.decimal128(28, 4), pa.decimal128(38, 10)]
FOREIGN = [pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(), pa.binary(7), pa.timestamp("ms", "UTC")]
NESTED = [
    pa.list_(pa.int32()),
    pa.list_(pa.string()),
    pa.list_(pa.list_(pa.int64())),
    pa.list_(pa.list_(pa.list_(pa.string()))),
    pa.struct([("x", pa.int32()), ("y", pa.string())]),
    pa.struct([("a", pa.struct([("b", pa.struct([("c", pa.float64())]))])), ("d", pa.bool_())]),
    pa.list_(pa.struct([("x", pa.int64()), ("s", pa.string()), ("l", pa.list_(pa.int16()))])),
    pa.map_(pa.string(), pa.int32()),
    pa.map_(pa.int64(), pa.list_(pa.string())),
    pa.map_(pa.string(), pa.map_(pa.string(), pa.decimal128(20, 2))),
    pa.struct([("m", pa.map_(pa.date32(), pa.struct([("v", pa.binary())]))), ("l", pa.list_(pa.timestamp("us")))]),
    pa.list_(pa.map_(pa.string(), pa.list_(pa.struct([("z", pa.decimal128(38, 3))])))),
]


# ---- their files, our reader ----


def reads(oracle, name, table, **options):
    path = oracle.path("theirs.parquet")

    def check():
        made = table()
        pq.write_table(made, path, **options)
        return difference(oracle.dump(path), rows_of(made))

    oracle.check(name, check)


def read_types(oracle):
    for kind, count, nulls, few in itertools.product(FLAT + FOREIGN, (0, 1, 3000), (0, 0.1, 1), (True, False)):
        if count < 2 and few:
            continue
        table = lambda: pa.table({"c": column(kind, count, nulls, few, 1)})
        reads(oracle, f"read {kind} {count} nulls {nulls} few {few}", table, version="2.6", row_group_size=1200,
              data_page_size=700)
    for kind, count, nulls in itertools.product(NESTED, (0, 1, 1500), (0, 0.2, 1)):
        table = lambda: pa.table({"c": column(kind, count, nulls, False, 2), "n": pa.array(range(count), pa.int32())})
        reads(oracle, f"read {kind} {count} nulls {nulls}", table, row_group_size=700, data_page_size=500)


def read_encodings(oracle):
    integers = ["PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"]
    texts = ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"]
    reals = ["PLAIN", "BYTE_STREAM_SPLIT"]
    kinds = [(pa.int32(), integers), (pa.int64(), integers), (pa.string(), texts), (pa.binary(), texts),
             (pa.float32(), reals), (pa.float64(), reals), (pa.decimal128(20, 3), ["PLAIN", "DELTA_BYTE_ARRAY"] + reals[1:]),
             (pa.bool_(), ["PLAIN", "RLE"]), (pa.list_(pa.int64()), integers), (pa.timestamp("us"), integers)]
    for (kind, encodings), page, nulls in itertools.product(kinds, ("1.0", "2.0"), (0, 0.3)):
        for encoding in encodings:
            table = lambda: pa.table({"c": column(kind, 12000, nulls, False, 3)})
            name = "c.list.element" if pa.types.is_list(kind) else "c"
            reads(oracle, f"read {kind} {encoding} page {page} nulls {nulls}", table, use_dictionary=False,
                  column_encoding={name: encoding}, data_page_version=page, version="2.6", data_page_size=30000)
    for page, codec in itertools.product(("1.0", "2.0"), ("none", "snappy", "gzip", "zstd", "lz4")):
        table = lambda: pa.table({"c": column(pa.string(), 30000, 0.1, True, 4), "n": column(pa.int64(), 30000, 0, False, 4),
                          "l": column(NESTED[6], 30000, 0.1, True, 4)})
        reads(oracle, f"read codec {codec} page {page}", table, compression=codec, data_page_version=page,
              data_page_size=4000, row_group_size=11000)
    clocks = lambda: pa.table({"c": column(pa.timestamp("us"), 5000, 0.1, False, 5)})
    for few in (True, False):
        reads(oracle, f"read int96 dictionary {few}", clocks, use_deprecated_int96_timestamps=True, use_dictionary=few)
    for digits in ((5, 2), (12, 1)):
        table = lambda: pa.table({"c": column(pa.decimal128(*digits), 5000, 0.1, False, 6)})
        reads(oracle, f"read decimal{digits} as integer", table, store_decimal_as_integer=True)
    fallback = lambda: pa.table({"c": column(pa.string(), 60000, 0.1, False, 7)})
    reads(oracle, "read dictionary that is given up", fallback, dictionary_pagesize_limit=20000, data_page_size=20000)
    for nulls in (0, 13):  # few values first: places in the dictionary, then the texts themselves, within one batch
        texts = [None if nulls and i % nulls == 0 else f"value {i % 50}" if i < 5000 else f"other {i}" for i in range(20000)]
        few = lambda texts=texts: pa.table({"c": pa.array(texts), "b": pa.array([t and t.encode() for t in texts])})
        reads(oracle, f"read small dictionary that is given up, nulls {nulls}", few, dictionary_pagesize_limit=5000, data_page_size=3000)
    wide = lambda: pa.table({f"c{i}": column(kind, 9000, 0.2, True, i) for i, kind in enumerate(FLAT + NESTED)})
    reads(oracle, "read all types together", wide, row_group_size=4000, data_page_size=3000)
    lists = lambda: pa.table({"c": column(NESTED[0], 3000, 0.2, True, 8)})
    reads(oracle, "read lists of items", lists, use_compliant_nested_type=False)
    required = lambda: pa.table({"c": column(pa.int64(), 3000, 0, True, 9), "l": pa.array([[1, 2]] * 3000)},
                        schema=pa.schema([pa.field("c", pa.int64(), False),
                                          pa.field("l", pa.list_(pa.field("element", pa.int64(), False)), False)]))
    reads(oracle, "read required columns", required)


def read_others(oracle):
    import duckdb
    import polars as pl

    path = oracle.path("theirs.parquet")
    tables = {f"{kind} few {few}": functools.cache(lambda kind=kind, few=few: pa.table({"c": column(kind, 3000, 0.1, few, 10)}))
              for kind in FLAT + NESTED for few in (True, False)}

    def from_duckdb(table, codec):
        def check():
            with duckdb.connect() as db:
                db.execute("SET TimeZone='UTC'")
                db.register("t", table())
                db.execute(f"COPY t TO '{path}' (FORMAT parquet, COMPRESSION {codec}, ROW_GROUP_SIZE 2048)")
            return difference(oracle.dump(path), rows_of(table()))
        return check

    def from_polars(table, codec):
        def check():
            frame = pl.from_arrow(table())
            frame.write_parquet(path, compression=codec, row_group_size=1000, data_page_size=2000)
            return difference(oracle.dump(path), rows_of(table()))
        return check

    codecs = ["snappy", "zstd", "gzip", "uncompressed", "lz4_raw", "brotli"]
    for number, (name, table) in enumerate(tables.items()):
        oracle.check(f"read duckdb {name}", from_duckdb(table, codecs[number % 5]))
        if "map" not in name and "timestamp[us, tz" not in name:  # polars has no maps
            codec = ["snappy", "zstd", "gzip", "uncompressed", "lz4"][number % 5]
            oracle.check(f"read polars {name}", from_polars(table, codec))


def read_conversions(oracle):
    """The same pairs of types as Spark, the same conditions, the same inferred types."""
    golden = json.loads((HERE / "spark_conversions.json").read_text())
    for name, expected in golden.items():
        table, options = CONVERSION_FILES[name]
        path = oracle.path(f"{name}.parquet")
        pq.write_table(table, path, **options)

        def infer(path=path, wanted=expected["infer"]):
            try:
                got = oracle.run("infer", path).decode().strip()
            except ToolFailed as error:
                got = str(error)[1:].split("]")[0]
            return None if got == wanted else f"{got} instead of {wanted}"

        def refused(path, target, wanted):
            def check():
                try:
                    return f"read {oracle.dump(path, f'c {target}')}"
                except ToolFailed as error:
                    return None if wanted == "FAILED" or f"[{wanted}]" in str(error) else str(error)
            return check

        def converted(path, target, wanted):
            def check():
                got = [shown(row["c"], target) for row in oracle.dump(path, f"c {target}")]
                return None if got == wanted else f"{got} instead of {wanted}"
            return check

        oracle.check(f"infer {name}", infer)
        for target, values in expected["reads"].items():
            oracle.check(f"convert {name} to {target}", converted(path, target, values))
        for condition, targets in expected["refuses"].items():
            for target in targets:
                oracle.check(f"refuse {name} as {target}", refused(path, target, condition))


def shown(value, target):
    """A printed value as Python shows what Spark collected."""
    if value is None:
        return "None"
    if target.startswith("decimal"):
        scale = int(target.split(",")[1][:-1])
        return format(D(int(value)).scaleb(-scale), "f")
    if target in ("float", "double"):
        return str(float(value))
    if target == "date":
        return str(dt.date(1970, 1, 1) + dt.timedelta(value))
    if target in ("timestamp", "timestamp_ntz"):
        return str(EPOCH + dt.timedelta(microseconds=value))
    if target == "binary":
        return str(bytes.fromhex(value))
    if target == "interval year to month":
        sign, months = ("-" if value < 0 else ""), abs(value)
        return f"INTERVAL '{sign}{months // 12}-{months % 12}' YEAR TO MONTH"
    if target == "interval day to second":
        sign, micros = ("-" if value < 0 else ""), abs(value)
        clock = str(dt.timedelta(microseconds=micros % 86400000000)).rjust(8, "0").rstrip("0")
        if "." not in clock:
            clock = str(dt.timedelta(microseconds=micros % 86400000000)).rjust(8, "0")
        elif clock.index(".") == 7:
            clock = "0" + clock
        return f"INTERVAL '{sign}{micros // 86400000000} {clock}' DAY TO SECOND"
    if target.startswith("array"):
        return str(value)
    if target.startswith("map"):
        return str(dict(map(tuple, value)))
    if target.startswith("struct"):
        return "Row(" + ", ".join(f"{k}={v!r}" for k, v in value.items()) + ")"
    if target == "string":
        return value
    return str(value)


def conversion_files():
    moments = [dt.datetime(2026, 3, 2, 3, 4, 5, 678000), None, dt.datetime(1969, 1, 1, 1)]
    files = {"bool": (pa.array([True, None, False]), {})}
    for bits in (8, 16, 32, 64):
        files[f"i{bits}"] = (pa.array([1, None, -100], f"int{bits}"), {})
        files[f"u{bits}"] = (pa.array([1, None, 200], f"uint{bits}"), {})
    files["i32big"] = (pa.array([70000, None, -70000], pa.int32()), {})
    files["u64big"] = (pa.array([2**64 - 1, None, 5], pa.uint64()), {})
    files["u32big"] = (pa.array([2**32 - 1, None, 5], pa.uint32()), {})
    files["f32"] = (pa.array([1.5, None, -2.5], pa.float32()), {})
    files["f64"] = (pa.array([1.5, None, -2.5], pa.float64()), {})
    files["str"] = (pa.array(["a", None, "bc"]), {})
    files["bin"] = (pa.array([b"a", None, b"\xff"], pa.binary()), {})
    files["fixed"] = (pa.array([b"abc", None, b"def"], pa.binary(3)), {})
    files["date"] = (pa.array([dt.date(2026, 3, 2), None, dt.date(1969, 1, 1)]), {})
    for unit in ("ms", "us", "ns"):
        files[f"ts_{unit}"] = (pa.array(moments, pa.timestamp(unit, "UTC")), {"version": "2.6"})
        files[f"ntz_{unit}"] = (pa.array(moments, pa.timestamp(unit)), {"version": "2.6"})
        kind = pa.time32(unit) if unit == "ms" else pa.time64(unit)
        files[f"time_{unit}"] = (pa.array([dt.time(1, 2, 3), None, dt.time(4)], kind), {})
    files["int96"] = (pa.array(moments, pa.timestamp("ns")), {"use_deprecated_int96_timestamps": True})
    for digits, scale in ((5, 2), (5, 0), (9, 2), (12, 2), (18, 4), (20, 2), (38, 10)):
        step = D(1).scaleb(-scale)
        values = pa.array([D(1).quantize(step), None, D(-99).quantize(step)], pa.decimal128(digits, scale))
        files[f"dec{digits}_{scale}"] = (values, {})
        if digits <= 18:
            files[f"deci{digits}_{scale}"] = (values, {"store_decimal_as_integer": True})
    files["null"] = (pa.nulls(3), {})
    files["f16"] = (pa.array([1.5, None, 2], pa.float16()), {})
    files["uuid"] = (pa.array([b"0123456789abcdef", None, b"0123456789abcdef"], pa.uuid()), {})
    files["json"] = (pa.array(["{}", None, "1"], pa.json_()), {})
    files["list"] = (pa.array([[1, None], None, []], pa.list_(pa.int32())), {})
    files["struct"] = (pa.array([{"x": 1, "Y": "a"}, None, {"x": None, "Y": None}]), {})
    files["map"] = (pa.array([[("a", 1)], None, []], pa.map_(pa.string(), pa.int32())), {})
    files["empty_struct_list"] = (pa.array([[{"x": 1}], None, []]), {})
    return {name: (pa.table({"c": values}), options) for name, (values, options) in files.items()}


CONVERSION_FILES = conversion_files()


def read_parts(oracle):
    """Splits, pruned and missing columns, several names, damaged files."""
    if not any(map(oracle.wants, ("read in", "read some", "survive damage"))):
        return
    path = oracle.path("parts.parquet")
    table = pa.table({"Id": pa.array(range(50000)), "s": column(pa.string(), 50000, 0.1, False, 11),
                      "st": column(NESTED[6], 50000, 0.1, True, 11)})
    pq.write_table(table, path, row_group_size=7000)
    size = os.path.getsize(path)

    def splits(count):
        def check():
            cuts = [size * i // count for i in range(count + 1)]
            got = [row["id"] for a, b in zip(cuts, cuts[1:]) for row in oracle.dump(path, "id bigint", a, b)]
            return None if got == list(range(50000)) else f"{len(got)} rows in {count} splits"
        return check

    for count in (1, 2, 3, 7, 20):
        oracle.check(f"read in {count} splits", splits(count))

    def pruned():
        got = oracle.dump(path, "none int, st array<struct<S: string>>, ID bigint, more struct<a: int>")
        wanted = [{"none": None, "st": None if row["st"] is None else [None if e is None else {"S": e["s"]} for e in row["st"]],
                   "ID": row["Id"], "more": None} for row in rows_of(table)]
        return difference(got, wanted)

    oracle.check("read some columns, one missing", pruned)

    def damaged(seed):
        random_ = random.Random(seed)
        data = bytearray(pathlib.Path(path).read_bytes()[:])
        for _ in range(random_.choice([1, 3, 50])):
            place = random_.choice([random_.randrange(len(data)), len(data) - 1 - random_.randrange(3000)])
            data[place] = random_.randrange(256)
        target = oracle.path("damaged.parquet")
        pathlib.Path(target).write_bytes(data[: random_.choice([len(data), len(data), random_.randrange(len(data))])])

        def check():
            done = subprocess.run([oracle.tool, "dump", target, "id bigint, s string, st array<struct<s: string>>"],
                                  capture_output=True, timeout=600)
            if done.returncode not in (0, 1) or (done.returncode == 1 and not done.stderr.startswith(b"[FAILED_READ_FILE")):
                return f"exit {done.returncode}: {done.stderr[-300:]}"
            return None
        return check

    for seed in range(60):
        oracle.check(f"survive damage {seed}", damaged(seed))


# ---- our files, their readers ----

CODECS = ["snappy", "zstd", "gzip", "lz4_raw", "none"]


def their_view(reader, path):
    if reader == "pyarrow":
        return pq.read_table(path)
    if reader == "duckdb":
        import duckdb
        with duckdb.connect() as db:
            db.execute("SET TimeZone='UTC'")
            return db.sql(f"SELECT * FROM read_parquet('{path}')").to_arrow_table()
    import polars as pl
    return pl.read_parquet(path).to_arrow()


def writes(oracle, name, make, *options, readers=("pyarrow", "duckdb", "polars")):
    if not oracle.wants(name):
        return
    table = make()
    source, target = oracle.path("source.parquet"), oracle.path("ours.parquet")
    wanted = None

    def copy():
        nonlocal wanted
        pq.write_table(table, source, version="2.6")
        oracle.run("copy", source, target, *options)
        wanted = rows_of(table)
        return difference(oracle.dump(target), wanted)

    oracle.check(f"{name}: arus", copy)
    for reader in readers:
        if reader == "polars" and "map" in str(table.schema):
            continue
        oracle.check(f"{name}: {reader}", lambda: difference(rows_of(their_view(reader, target)), wanted))
    oracle.check(f"{name}: statistics", lambda: statistics_fault(target, table))


def statistics_fault(path, table):
    """Every bound must hold, every null be counted, NaN leave no bounds."""
    meta = pq.ParquetFile(path).metadata
    begin = 0
    for number in range(meta.num_row_groups):
        group = meta.row_group(number)
        part = table.slice(begin, group.num_rows)
        begin += group.num_rows
        for index in range(group.num_columns):
            chunk = group.column(index)
            if "." in chunk.path_in_schema:
                continue
            values = part.column(chunk.path_in_schema).to_pylist()
            some = [value for value in values if value is not None]
            stats = chunk.statistics
            if stats.null_count != len(values) - len(some):
                return f"{chunk.path_in_schema}: {stats.null_count} nulls"
            has_nan = any(isinstance(value, float) and math.isnan(value) for value in some)
            if stats.has_min_max and (has_nan or not some):
                return f"{chunk.path_in_schema}: bounds with NaN"
            if not some or has_nan:
                continue
            if max(len(value) if isinstance(value, (str, bytes)) else 0 for value in some) > 2000:
                continue  # such long bounds are left out
            if not stats.has_min_max:
                return f"{chunk.path_in_schema}: no bounds"
            low, high = order_key(stats.min), order_key(stats.max)
            if low != min(map(order_key, some)) or high != max(map(order_key, some)):
                return f"{chunk.path_in_schema}: bounds {stats.min} {stats.max}"
    return None if begin == table.num_rows else f"{begin} rows in row groups"


def order_key(value):
    if isinstance(value, str):
        return value.encode()
    return value.replace(tzinfo=None) if isinstance(value, dt.datetime) else value


def write_types(oracle):
    number = 0
    for kind, count, nulls, few in itertools.product(FLAT, (0, 1, 3000, 47000), (0, 0.1, 1), (True, False)):
        if (count == 47000 and nulls != 0.1) or (count < 2 and few):
            continue
        number += 1
        table = lambda: pa.table({"c": column(kind, count, nulls, few, 20)})
        writes(oracle, f"write {kind} {count} nulls {nulls} few {few}", table, f"compression={CODECS[number % 5]}")
    for kind, count, nulls in itertools.product(NESTED, (0, 1, 5000), (0, 0.2, 1)):
        number += 1
        table = lambda: pa.table({"c": column(kind, count, nulls, number % 2 == 0, 21), "n": pa.array(range(count), pa.int32())})
        writes(oracle, f"write {kind} {count} nulls {nulls}", table, f"compression={CODECS[number % 5]}",
               "parquet.page.row.count.limit=700")


def write_options(oracle):
    table = functools.cache(lambda: pa.table({f"c{i}": column(kind, 30000, 0.1, few, i)
                      for i, (kind, few) in enumerate(itertools.product(FLAT, (True, False)))}))
    for codec in CODECS + ["uncompressed"]:
        writes(oracle, f"write all, {codec}", table, f"compression={codec}")
    writes(oracle, "write many row groups", table, "parquet.block.size=300000", "parquet.page.size=3000")
    writes(oracle, "write small pages", table, "parquet.page.row.count.limit=100")
    writes(oracle, "write without dictionaries", table, "parquet.enable.dictionary=false")
    writes(oracle, "write small dictionaries", table, "parquet.dictionary.page.size=2000")
    writes(oracle, "write lz4 of Hadoop", table, "compression=lz4", readers=("pyarrow",))
    nested = lambda: pa.table({f"c{i}": column(kind, 20000, 0.1, True, i) for i, kind in enumerate(NESTED)})
    writes(oracle, "write nested, many row groups", nested, "parquet.block.size=100000", "parquet.page.size=2000")
    sorted_ = lambda: pa.table({"t": pa.array(range(10**15, 10**15 + 100000 * 77, 77), pa.int64()),
                        "same": pa.array([5] * 100000), "step": pa.array([i // 1000 for i in range(100000)], pa.int32()),
                        "word": pa.array([f"w{i // 7000}" for i in range(100000)])})
    writes(oracle, "write runs and steps", sorted_)
    long = lambda: pa.table({"c": ["x" * 3000000, "y", None, "é" * 100] * 5, "b": [b"\xff" * 100, None, b"\xff" * 70, b""] * 5})
    writes(oracle, "write long strings", long, "parquet.page.size=100000")
    oracle.check("footer", lambda: footer_fault(oracle.path("ours.parquet")))


def footer_fault(path):
    meta = pq.ParquetFile(path).metadata
    if not meta.created_by.startswith("arus version ") or "(build " not in meta.created_by:
        return meta.created_by
    schema = json.loads(meta.metadata[b"org.apache.spark.sql.parquet.row.metadata"])
    chunk = meta.row_group(0).column(0)
    if [f["name"] for f in schema["fields"]] != ["c", "b"] or not all(f["nullable"] for f in schema["fields"]):
        return str(schema)
    return None if chunk.has_offset_index and chunk.has_column_index and chunk.is_stats_set else "no page index"


# ---- Spark ----


def with_spark(oracle):
    from pyspark.sql import SparkSession

    spark = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
             .config("spark.sql.session.timeZone", "UTC").config("spark.driver.memory", "700m").getOrCreate())
    spark.sparkContext.setLogLevel("OFF")
    kinds = [kind for kind in FLAT + NESTED]
    table = pa.table({f"c{i}": column(kind, 30000, 0.1, i % 2 == 0, i) for i, kind in enumerate(kinds)}
                     | {"n": pa.array(range(30000))})
    source, ours, theirs = (oracle.path(name) for name in ("source.parquet", "ours.parquet", "spark"))
    pq.write_table(table, source, version="2.6")

    def rows_after(folder):
        rows = [row for part in sorted(pathlib.Path(folder).glob("*.parquet")) for row in oracle.dump(part)]
        return sorted(rows, key=lambda row: row["n"])

    for options in ((), ("parquet.page.row.count.limit=500", "parquet.block.size=200000"), ("compression=zstd",),
                    ("compression=lz4",), ("compression=lz4_raw",), ("compression=gzip",)):
        def ours_by_spark(options=options):
            oracle.run("copy", source, ours, *options)
            spark.read.parquet(ours).coalesce(1).write.mode("overwrite").parquet(theirs)
            return difference(rows_after(theirs), rows_of(table))
        oracle.check(f"spark reads {options}", ours_by_spark)

    for where in ("n = 17777", "n > 29990", "c3 = 5", "c4 > 1000000000", "c7 = 'ab'", "c7 > 'x'", "c10 < timestamp'1990-01-01'",
                  "c6 > 8", "c6 = double('NaN')", "c16 < 0", "c0 AND n < 100", "c9 = date'2026-01-02'", "c7 is null"):
        def filtered(where=where):
            a = spark.read.parquet(ours).where(where).select("n").orderBy("n").collect()
            b = spark.read.parquet(source).where(where).select("n").orderBy("n").collect()
            return None if a == b else f"{len(a)} rows instead of {len(b)}"
        oracle.check(f"spark filters {where}", filtered)

    for legacy, clock in itertools.product(("true", "false"), ("INT96", "TIMESTAMP_MICROS", "TIMESTAMP_MILLIS")):
        def spark_by_us(legacy=legacy, clock=clock):
            spark.conf.set("spark.sql.parquet.writeLegacyFormat", legacy)
            spark.conf.set("spark.sql.parquet.outputTimestampType", clock)
            frame = spark.read.parquet(source)
            frame.coalesce(1).write.mode("overwrite").parquet(theirs)
            wanted = rows_of(table)
            for row in wanted:
                if clock == "TIMESTAMP_MILLIS" and row["c10"] is not None:
                    row["c10"] = row["c10"] // 1000 * 1000
            return difference(rows_after(theirs), wanted)
        oracle.check(f"spark writes legacy {legacy} {clock}", spark_by_us)

    def two_levels():
        spark.conf.set("spark.sql.parquet.writeLegacyFormat", "true")
        spark.range(1000).selectExpr("id AS n", "array(id, id + 1) AS a", "array(named_struct('x', id)) AS s",
                                     "map('k', id) AS m").coalesce(1).write.mode("overwrite").parquet(theirs)
        wanted = [{"n": n, "a": [n, n + 1], "s": [{"x": n}], "m": [["k", n]]} for n in range(1000)]
        return difference(rows_after(theirs), wanted)

    oracle.check("spark writes lists of two levels", two_levels)
    spark.stop()


def main():
    words = sys.argv[1:]
    only = words[words.index("--only") + 1] if "--only" in words else None
    if not words:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        oracle = Oracle(os.path.abspath(words[0]), folder, only)
        if "--spark" in words:
            with_spark(oracle)
        else:
            for part in (read_types, read_encodings, read_others, read_conversions, read_parts, write_types, write_options):
                part(oracle)
        print(f"{oracle.passed} passed, {oracle.failed} failed")
        sys.exit(oracle.failed != 0)


if __name__ == "__main__":
    main()
