"""Random queries with state over random landing folders: Case(seed, number) is the same everywhere."""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "equivalence"))
from landing import COLUMNS, Landing  # noqa: E402


def interval(seconds):
    return f"INTERVAL {seconds // 60} MINUTES" if seconds % 60 == 0 else f"INTERVAL {seconds} SECONDS"


def duration(seconds):
    return f"{seconds // 60} minutes" if seconds % 60 == 0 else f"{seconds} seconds"


class Relation:
    """A FROM item and what may be asked of it: (text of a column, type). `time` is its event time, if it has one."""

    def __init__(self, text, columns, time=None, delay=0):
        self.text, self.columns, self.time, self.delay = text, columns, time, delay

    def of(self, *types):
        return [name for name, kind in self.columns if kind in types] or [self.columns[0][0]]


BASE = (("id", "bigint"), ("k", "string"), ("g", "int"), ("v", "int"), ("d", "double"), ("m", "decimal"), ("s", "struct"))


AGGREGATES = (
    ("count(*)", "c"), ("count(*)", "c"), ("count(v)", "c"), ("sum(v)", "c"), ("sum(m)", "c"), ("avg(m)", "c"), ("avg(v)", "f"), ("sum(d)", "f"), ("min(k)", "c"),
    ("max(k)", "c"), ("max(d)", "c"), ("min(ts)", "c"), ("max(s)", "c"), ("collect_list(v)", "l"), ("collect_set(g)", "l"), ("max_by(k, id)", "c"),
    ("min_by(s, id)", "c"), ("approx_count_distinct(k)", "c"), ("percentile_approx(v, 0.5)", "c"), ("stddev(v)", "f"), ("var_pop(v)", "f"),
    ("count_if(v > 1)", "c"), ("bool_or(v > 5)", "c"), ("bit_xor(g)", "c"), ("corr(v, g)", "f"), ("first(k)", "c"), ("last(v)", "c"),
    ("sum(v) FILTER (WHERE g = 1)", "c"), ("any_value(g, true)", "c"), ("count(k, g)", "c"), ("max(m) - min(m)", "c"), ("collect_list(k)", "l"),
)
OF_ORDER = {"first(k)", "last(v)", "any_value(g, true)"}


class Query:
    """One query; columns named f_… are inexact, l_… lists without an order."""

    def __init__(self, generator):
        self.pick, self.names, self.unordered = generator, 0, False
        self.mode = generator.choice(("append",) * 5 + ("update",) * 3 + ("complete",) * 2)
        self.settings = {}
        self.shape = generator.choice(SHAPES)
        self.text = self.shape(self)

    def chance(self, odds):
        return self.pick.random() < odds

    def name(self, prefix="c"):
        self.names += 1
        return f"{prefix}_{self.names}"

    # ---- relations ----

    def condition(self, p=""):
        return self.pick.choice((f"{p}v > 0", f"{p}g <> 1", f"{p}k IS NOT NULL", f"{p}v IS NULL OR {p}v % 2 = 0", f"{p}k IN ('k0', 'k1')",
                                 f"{p}ts > TIMESTAMP '2026-01-01 00:12:00'", f"{p}d < 10", f"NOT ({p}g = 1)", f"length({p}k) > 1"))

    def stream(self, side="a", alias="", odds=0.9, wheres=0.2):
        watermark, delay = "", 0
        if self.chance(odds):
            delay = self.pick.choice((0, 10, 60, 60, 120, 240))
            watermark = f" WATERMARK ts DELAY OF {interval(delay)}"
        name = alias or ""
        inner = f"STREAM {side}"
        if self.chance(wheres):
            inner = f"(SELECT * FROM STREAM {side} WHERE {self.condition()})"
        return Relation(inner + watermark + (f" AS {name}" if name else ""), BASE, "ts" if watermark else None, delay)

    # ---- parts ----

    def key(self):
        return self.pick.choice(("k", "k", "g", "v % 3", "upper(k)", "d", "m", "s", "s.x", "coalesce(k, 'none')", "CAST(ts AS DATE)", "v > 2", "(g, k)"))

    def keys(self, most=2):
        return list(dict.fromkeys(self.key() for _ in range(self.pick.randint(0, most))))

    def aggregate(self):
        pick = self.pick.choice(AGGREGATES)
        while self.unordered and pick[0] in OF_ORDER:
            pick = self.pick.choice(AGGREGATES)
        return f"{pick[0]} AS {self.name(pick[1])}"

    def aggregates(self, most=3):
        return [self.aggregate() for _ in range(self.pick.randint(1, most))]

    def window(self, time="ts"):
        size = self.pick.choice((60, 120, 180, 300))
        form = self.pick.random()
        if form < 0.6:
            return f"window({time}, '{duration(size)}')"
        slide = self.pick.choice([s for s in (30, 60, 120, 100) if s <= size])
        if form < 0.85:
            return f"window({time}, '{duration(size)}', '{duration(slide)}')"
        return f"window({time}, '{duration(size)}', '{duration(slide)}', '{self.pick.choice((7, 15, 29))} seconds')"

    def where(self, odds=0.25):
        return f" WHERE {self.condition()}" if self.chance(odds) else ""

    def grouped(self, relation, keys, group=None, having=0.15, selected=None):
        """SELECT keys, aggregates FROM relation GROUP BY keys."""
        named = [f"{key} AS {self.name()}" for key in keys if self.chance(0.9)]
        text = f"SELECT {', '.join((selected or []) + named + self.aggregates())} FROM {relation.text}{self.where()}"
        group = group if group is not None else keys
        if group:
            text += " GROUP BY " + ", ".join(group)
        return text + (" HAVING count(*) > 1" if self.chance(having) and group else "")


# ---- shapes ----

def window_aggregate(q):
    window, keys = q.window(), q.keys()
    return q.grouped(q.stream(), keys, [window] + keys, selected=[q.pick.choice(("window.start AS ws, window.end AS we", "window", "window.end AS we"))])


def time_aggregate(q):
    keys = q.keys(1)
    return q.grouped(q.stream(), ["ts"] + keys)


def plain_aggregate(q):
    q.mode = q.pick.choice(("update", "complete", "complete", "append") if q.chance(0.3) else ("update", "complete"))
    text = q.grouped(q.stream(odds=0.5), q.keys())
    if q.mode == "complete" and q.chance(0.2):
        text = f"SELECT * FROM ({text}) ORDER BY ALL LIMIT {q.pick.randrange(1, 5)}" if q.chance(0.5) else text + f" LIMIT {q.pick.randrange(1, 60)}00"
    return text


def session_aggregate(q):
    gap = q.pick.choice(("'30 seconds'", "'70 seconds'", "'2 minutes'", "CASE WHEN g = 1 THEN '20 seconds' ELSE '90 seconds' END",
                         "CASE WHEN v < 0 THEN '0 seconds' WHEN v = 2 THEN '3 minutes' ELSE '45 seconds' END"))
    keys = q.keys() or (["k"] if q.chance(0.9) else [])
    q.mode = q.pick.choice(("append", "append", "append", "complete", "update"))
    return q.grouped(q.stream(), keys, [f"session_window(ts, {gap})"] + keys,
                     selected=[q.pick.choice(("session_window.start AS ws, session_window.end AS we", "session_window", "session_window.end AS we"))])


def dedup_text(q, inner):
    keys = q.pick.choice((("k",), ("k", "g"), ("ts", "k"), ("k", "v"), ("id",), ("d",), ("s",), ("ts",), ("m", "ts"), ()))
    within = q.chance(0.4)
    return f"drop_duplicates{'_within_watermark' if within else ''}(TABLE({inner}){''.join(f', {key!r}' for key in keys)})"


def dedup(q):
    columns = q.pick.choice(("*", "id, k, g, ts, d, m, s, v", "k, g, ts, v, d, m, s, id"))
    source = dedup_text(q, f"SELECT {columns} FROM {q.stream().text}{q.where()}")
    return f"SELECT * FROM {source}{q.where(0.15)}"


def distinct(q):
    keys = q.pick.choice(("ts, k", "ts", "k, g", "window, k", "v % 3 AS x, k"))
    source = q.stream()
    if "window" in keys:
        return f"SELECT DISTINCT window, k FROM (SELECT {q.window()} AS window, k FROM {source.text})"
    return f"SELECT DISTINCT {keys} FROM {source.text}{q.where()}"


def bound(q):
    """Text of a time bound of l and r, or none."""
    low, high = q.pick.choice((0, 30, 60, 120)), q.pick.choice((0, 30, 90, 240))
    return q.pick.choice((
        f"r.ts BETWEEN l.ts - {interval(low)} AND l.ts + {interval(high)}", f"l.ts >= r.ts - {interval(low)} AND l.ts <= r.ts + {interval(high)}",
        f"r.ts BETWEEN l.ts AND l.ts + {interval(high)}", f"l.ts > r.ts - {interval(low)}", f"r.ts > l.ts + {interval(low)}", f"r.ts <= l.ts + {interval(high)}",
        "l.ts = r.ts", "l.ts = r.ts", f"NOT (l.ts < r.ts - {interval(low)} OR l.ts > r.ts + {interval(high)})",
        f"l.ts + {interval(low)} >= r.ts AND l.ts - {interval(low)} <= r.ts", "", ""))


JOINS = ("JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN")


def join_text(q, kind=None, columns=None):
    kind = kind or q.pick.choice(JOINS)
    parts = [q.pick.choice(("l.k = r.k", "l.k = r.k", "l.k = r.k AND l.g = r.g", "l.k <=> r.k", "l.v = r.v", "l.s = r.s", "l.d = r.d", "l.m = r.m", "upper(l.k) = upper(r.k)",
                            "l.g = r.v"))]
    time = bound(q)
    parts += [time] if time else []
    if q.chance(0.3):
        parts.append(q.pick.choice(("l.v > 1", "r.v > 1", "l.v < r.v", "l.g = 1", "l.k = 'k0'", "r.g <> 0", "l.v + r.g > 2", "l.v IS NOT NULL", "coalesce(l.v, r.v) > 0")))
    if columns is None:
        columns = "l.id AS lid, l.k AS lk, l.ts AS lt" + ("" if "SEMI" in kind or "ANTI" in kind else ", r.id AS rid, r.ts AS rt, r.g AS rg")
    text = f"SELECT {columns} FROM {q.stream('a', 'l').text} {kind} {q.stream('b', 'r').text} ON {' AND '.join(parts)}"
    if q.chance(0.2):
        text += " WHERE " + q.pick.choice(("l.v > 0", "l.g IS NOT NULL") + (() if "SEMI" in kind or "ANTI" in kind else ("r.v IS NULL", "r.v > 0", "l.id > r.id", "coalesce(r.g, 0) = 0")))
    return text


def stream_join(q):
    q.mode = q.pick.choice(("append",) * 9 + ("update",))
    return join_text(q)


def self_join(q):
    q.mode = "append"
    kind = q.pick.choice(("JOIN", "LEFT JOIN", "LEFT SEMI JOIN"))
    columns = "l.id AS lid, l.ts AS lt" + ("" if "SEMI" in kind else ", r.id AS rid")
    return f"SELECT {columns} FROM {q.stream('a', 'l').text} {kind} {q.stream('a', 'r').text} ON l.k = r.k AND r.ts BETWEEN l.ts AND l.ts + {interval(60)}"


def join_chain(q):
    q.mode, q.unordered = "append", True
    inner = join_text(q, q.pick.choice(("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN")), "l.ts AS ts, l.k AS k, l.g AS g, r.v AS v, r.d AS d, r.m AS m, r.s AS s, l.id AS id")
    relation = Relation(f"({inner})", BASE, "ts")
    window, keys = q.window(), q.keys(1)
    return q.grouped(relation, keys, [window] + keys, selected=["window.start AS ws"])


def chain(q):
    q.mode = q.pick.choice(("append",) * 6 + ("update", "complete"))
    inner = f"SELECT window, k, count(*) AS n, sum(v) AS v FROM {q.stream().text}{q.where()} GROUP BY {q.window()}, k"
    outer = q.pick.choice(("window", "window_time"))
    size = q.pick.choice((300, 600))
    if outer == "window":
        return f"SELECT window.start AS ws, sum(n) AS n, max(k) AS mk FROM (SELECT window AS w, k, n, v FROM ({inner})) GROUP BY window(w, '{duration(size)}')"
    return (f"SELECT window.end AS we, k, sum(n) AS n, sum(v) AS v FROM (SELECT window_time(window) AS t, k, n, v FROM ({inner})) "
            f"GROUP BY window(t, '{duration(size)}'), k")


def dedup_chain(q):
    inner = dedup_text(q, f"SELECT * FROM {q.stream().text}")
    window, keys = q.window(), q.keys(1)
    return q.grouped(Relation(f"(SELECT * FROM {inner})", BASE, "ts"), keys, [window] + keys, selected=["window.start AS ws"])


def chain_dedup(q):
    inner = f"SELECT window, k, count(*) AS n FROM {q.stream().text} GROUP BY {q.window()}, k"
    key = q.pick.choice(("window", "k", "n"))
    return f"SELECT {key} FROM drop_duplicates(TABLE({inner}), {key!r})"


def window_join(q):
    """Two windowed aggregates side by side."""
    q.mode = "append"
    size = duration(q.pick.choice((120, 300)))
    sides = [f"(SELECT window, k, count(*) AS n FROM {q.stream(side).text} GROUP BY window(ts, '{size}'), k)" for side in "ab"]
    kind = q.pick.choice(("JOIN", "LEFT JOIN", "FULL JOIN", "RIGHT JOIN"))
    return f"SELECT l.window AS lw, l.k AS lk, l.n AS ln, r.n AS rn FROM {sides[0]} AS l {kind} {sides[1]} AS r ON l.window = r.window AND l.k = r.k"


def union(q):
    policy = q.pick.choice(("min", "min", "max"))
    if policy == "max":
        q.settings["spark.sql.streaming.multipleWatermarkPolicy"] = "max"
    delay = interval(q.pick.choice((0, 60, 120)))
    other = delay if q.chance(0.8) else interval(q.pick.choice((10, 240)))
    inner = f"SELECT * FROM STREAM a WATERMARK ts DELAY OF {delay} UNION ALL SELECT * FROM STREAM b WATERMARK ts DELAY OF {other}"
    if q.chance(0.3):
        inner = "SELECT * FROM (SELECT * FROM STREAM a UNION ALL SELECT * FROM STREAM b) WATERMARK ts DELAY OF " + delay
    form = q.pick.random()
    if form < 0.5:
        window, keys = q.window(), q.keys(1)
        return q.grouped(Relation(f"({inner})", BASE, "ts"), keys, [window] + keys, selected=["window.start AS ws"])
    if form < 0.8:
        return f"SELECT * FROM {dedup_text(q, inner)}"
    return f"SELECT id, k, v FROM ({inner}){q.where()}"


def grouping_sets(q):
    sets = q.pick.choice(("ROLLUP(k, g)", "CUBE(k, g)", "GROUPING SETS ((k, g), (k), ())", "ROLLUP(g, k)"))
    window = q.window() if q.chance(0.5) else None
    selected = (["window.start AS ws"] if window else []) + ["k", "g", "grouping_id() AS gid"]
    group = f"{window}, {sets}" if window else sets
    return f"SELECT {', '.join(selected + q.aggregates(2))} FROM {q.stream().text}{q.where()} GROUP BY {group}"


def limit(q):
    form = q.pick.random()
    number = q.pick.choice((0, 3, 1000, 1000))
    if form < 0.4:
        return f"SELECT id, k, v FROM {q.stream().text}{q.where()} LIMIT {number}"
    if form < 0.7:
        return f"SELECT k, count(*) AS n FROM (SELECT * FROM {q.stream(odds=0.3).text} LIMIT {number}) GROUP BY k"
    return f"SELECT * FROM ({window_aggregate(q)}) LIMIT {number * 10}"


def static_join(q):
    kind = q.pick.choice(("JOIN", "LEFT JOIN", "LEFT SEMI JOIN", "RIGHT JOIN"))
    window = q.window()
    table = "(VALUES ('k0', 1), ('k1', 2), ('k1', 3)) AS t(tk, rank)"
    name = "k" if "SEMI" in kind else "rank"
    return (f"SELECT window.start AS ws, {name}, count(*) AS n FROM (SELECT * FROM {q.stream().text}{q.where()}) AS x {kind} {table} ON x.k = t.tk "
            f"GROUP BY {window}, {name}")


def stateless(q):
    q.mode = q.pick.choice(("append", "append", "update", "complete"))
    return f"SELECT id, upper(k) AS k, v * 2 AS v, {q.pick.choice(('ts', 's', 'm', 'explode(array(g, v)) AS e'))} FROM {q.stream().text}{q.where()}"


SHAPES = ((window_aggregate,) * 5 + (time_aggregate,) * 2 + (plain_aggregate,) * 2 + (session_aggregate,) * 4 + (dedup,) * 4 + (distinct,) * 2 + (stream_join,) * 9 + (self_join,) +
          (join_chain,) * 2 + (chain,) * 3 + (dedup_chain,) * 2 + (chain_dedup,) + (window_join,) * 2 + (union,) * 3 + (grouping_sets,) * 2 + (limit,) * 2 + (static_join,) + (stateless,))


class Case:
    def __init__(self, seed, number):
        generator = random.Random(f"{seed}-{number}")
        self.name = f"{seed}-{number}"
        self.landing = Landing(generator)
        self.query = Query(generator)

    def tables(self, folder=""):
        return [f"CREATE TABLE {side} ({COLUMNS}) USING json OPTIONS (path '{folder}{side}', maxFilesPerTrigger 1)" for side in "ab"]

    def script(self):
        settings = [f"SET {name} = {value}" for name, value in {"spark.sql.session.timeZone": "UTC", **self.query.settings}.items()]
        table = ("CREATE STREAMING TABLE out USING exec TBLPROPERTIES (command 'cat > batch.$ARUS_BATCH_ID', checkpointLocation 'ckpt',\n"
                 f"  outputMode '{self.query.mode}', trigger 'availableNow')\nAS {self.query.text}")
        return "".join(text + ";\n" for text in settings + self.tables() + [table])
