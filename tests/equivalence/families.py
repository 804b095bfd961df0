"""What is compared: a streaming query and the batch query that must give the same rows.

The batch query reads the tables a and b with one more column, `lb`: rows with an event time at or before it were late in their batch. {fw} is
the watermark at the end: what it has passed has come out.
"""
EXACT = ("count(*)", "count(v)", "count(k, g)", "sum(v)", "sum(m)", "avg(m)", "min(k)", "max(k)", "max(s)", "min(ts)", "max(d)", "min(m)", "max_by(k, id)", "min_by(s, id)",
         "approx_count_distinct(k)", "approx_count_distinct(d)", "percentile_approx(v, 0.5)", "percentile_approx(v, array(0.1, 0.9))", "count_if(v > 1)", "bool_or(v > 5)",
         "every(v > -4)", "bit_xor(g)", "bit_or(v)", "sum(v) FILTER (WHERE g = 1)", "max(m) - min(m)", "try_sum(v)", "median(v)", "percentile(v, 0.3)",
         "array_sort(collect_list(v))", "array_sort(collect_set(g))", "array_sort(collect_list(s))", "array_sort(collect_list(k))", "max(array(v, g))", "max(struct(g, k))")
INEXACT = ("avg(v)", "avg(d)", "sum(d)", "stddev(v)", "var_pop(v)", "corr(v, g)", "covar_pop(v, g)", "skewness(v)", "kurtosis(v)", "regr_slope(v, g)")
KEYS = ("k", "k", "g", "v % 3", "upper(k)", "d", "m", "s", "s.x", "coalesce(k, 'none')", "CAST(ts AS DATE)", "v > 2", "(g, k)", "array(g, v % 2)", "round(d)", "-d")
DELAYS = (0, 1, 10, 60, 120, 240)


class Family:
    """`compare`: all (rows of all batches), last (the newest row of each key), newest (the rows of the newest batch), some (`limit` of the rows)."""

    def __init__(self, stream, batch, mode="append", compare="all", keys=0, limit=None, closes=None, model=None, null_times=True):
        self.stream, self.batch, self.mode, self.compare = stream, batch, mode, compare
        self.keys, self.limit, self.model, self.null_times = keys, limit, model, null_times
        self.closes = mode == "append" if closes is None else closes


def watermark(seconds):
    return f"WATERMARK ts DELAY OF INTERVAL {seconds} SECONDS"


def on_time(side):
    return f"(SELECT * FROM {side} WHERE ts > lb OR ts IS NULL)"


def keys_of(pick, least=0, most=2):
    return list(dict.fromkeys(pick.choice(KEYS) for _ in range(pick.randint(least, most))))


def aggregates_of(pick):
    calls = [pick.choice(INEXACT if pick.random() < 0.2 else EXACT) for _ in range(pick.randint(1, 4))]
    return [f"{call} AS {'f' if call in INEXACT else 'x'}{i}" for i, call in enumerate(calls)]


def named(keys):
    return [f"{key} AS key{i}" for i, key in enumerate(keys)]


def window_of(pick):
    size = pick.choice((30, 60, 120, 300))
    slide = pick.choice((size, size, size // 2, size // 3))
    start = pick.choice((0, 0, 7, -3))
    return size, slide, f"window(ts, '{size} seconds', '{slide} seconds', '{start} seconds')"


def listed(*parts):
    return ", ".join(text for part in parts for text in part)


def windows(pick):
    mode = pick.choice(("append", "append", "update", "complete"))
    delay, (_, _, window), keys, aggregates = pick.choice(DELAYS), window_of(pick), keys_of(pick), aggregates_of(pick)
    having = " HAVING count(*) > 1" if mode != "update" and pick.random() < 0.2 else ""
    stream = (f"SELECT {listed(['window.start AS ws', 'window.end AS we'], named(keys), aggregates)} FROM STREAM a {watermark(delay)} "
              f"GROUP BY {listed([window], keys)}{having}")
    kept = {"append": "w.end > lb AND w.end <= {fw}", "update": "w.end > lb", "complete": "true"}[mode]
    batch = (f"SELECT {listed(['w.start AS ws', 'w.end AS we'], named(keys), aggregates)} FROM (SELECT *, {window} AS w FROM a) WHERE {kept} "
             f"GROUP BY {listed(['w'], keys)}{having}")
    return Family(stream, batch, mode, {"append": "all", "update": "last", "complete": "newest"}[mode], 2 + len(keys))


def event_times(pick):
    keys, aggregates = keys_of(pick, most=1), aggregates_of(pick)
    columns = listed(["ts AS t"], named(keys), aggregates)
    return Family(f"SELECT {columns} FROM STREAM a {watermark(pick.choice(DELAYS))} GROUP BY {listed(['ts'], keys)}",
                  f"SELECT {columns} FROM a WHERE ts > lb AND ts <= {{fw}} GROUP BY {listed(['ts'], keys)}")


def groups(pick):
    mode, keys, aggregates = pick.choice(("update", "complete")), keys_of(pick), aggregates_of(pick)
    columns = listed(named(keys), aggregates)
    group = f" GROUP BY {listed(keys)}" if keys else ""
    return Family(f"SELECT {columns} FROM STREAM a{group}", f"SELECT {columns} FROM a{group}", mode, "last" if mode == "update" else "newest", len(keys))


def grouping_sets(pick):
    sets = pick.choice(("ROLLUP(k, g)", "CUBE(k, g)", "GROUPING SETS ((k, g), (k), ())", "ROLLUP(g, s)"))
    names = ["g", "s"] if "s)" in sets else ["k", "g"]
    aggregates, (_, _, window) = aggregates_of(pick), window_of(pick)
    aggregates = [text for text in aggregates if not any(name in text for name in ("(k", ", k", "k)", "g", "(s", ", s"))] or ["sum(v) AS x0"]
    columns = listed(names, ["grouping_id() AS gid"], aggregates)
    if pick.random() < 0.5:
        return Family(f"SELECT window.start AS ws, {columns} FROM STREAM a {watermark(pick.choice(DELAYS))} GROUP BY {window}, {sets}",
                      f"SELECT w.start AS ws, {columns} FROM (SELECT *, {window} AS w FROM a) WHERE w.end > lb AND w.end <= {{fw}} GROUP BY w, {sets}")
    mode = pick.choice(("update", "complete"))
    return Family(f"SELECT {columns} FROM STREAM a GROUP BY {sets}", f"SELECT {columns} FROM a GROUP BY {sets}", mode, "last" if mode == "update" else "newest", 3)


GAPS = (("'30 seconds'", lambda row: 30), ("'2 minutes'", lambda row: 120), ("CASE WHEN g = 1 THEN '20 seconds' ELSE '90 seconds' END", lambda row: 20 if row["g"] == 1 else 90),
        ("CASE WHEN v < 0 THEN '0 seconds' WHEN v = 2 THEN '3 minutes' ELSE '45 seconds' END",
         lambda row: 45 if row["v"] is None else 0 if row["v"] < 0 else 180 if row["v"] == 2 else 45))


def sessions(pick):
    """A session that left can be touched by a row that is not late: the model cuts sessions batch by batch, the batch query groups by them."""
    mode, (gap, gap_of), aggregates = pick.choice(("append", "append", "complete")), pick.choice(GAPS), aggregates_of(pick)
    keys = pick.choice((["k"], ["k", "g"], ["s"], ["d"]))
    stream = (f"SELECT {listed(['session_window.start AS ws', 'session_window.end AS we'], keys, aggregates)} FROM STREAM a {watermark(pick.choice(DELAYS))} "
              f"GROUP BY session_window(ts, {gap}), {listed(keys)}")
    closed = " WHERE we <= {fw}" if mode == "append" else ""
    batch = f"SELECT {listed(['ws', 'we'], keys, aggregates)} FROM a{closed} GROUP BY {listed(['sid', 'ws', 'we'], keys)}"
    return Family(stream, batch, mode, "all" if mode == "append" else "newest", model=("sessions", keys, gap_of, mode == "append"))


def dedup(pick):
    keys = pick.choice((["k"], ["k", "g"], ["ts", "k"], ["k", "v"], ["d"], ["s"], ["ts"], ["m", "ts"], ["id"]))
    mode, has_watermark = pick.choice(("append", "update")), pick.random() < 0.7
    source = f"STREAM a {watermark(pick.choice(DELAYS))}" if has_watermark else "STREAM a"
    text = f"SELECT {listed(keys)} FROM drop_duplicates(TABLE(SELECT * FROM {source}), {', '.join(map(repr, keys))})"
    is_filtered = has_watermark and "ts" in keys  # else ts is read by nobody: as in Spark, no operator sees it
    return Family(text, f"SELECT DISTINCT {listed(keys)} FROM {on_time('a') if is_filtered else 'a'}", mode)


def dedup_within(pick):
    keys, delay = pick.choice((["k"], ["k", "g"], ["v"], ["s"], ["d", "k"])), pick.choice(DELAYS)
    text = (f"SELECT id, {listed(keys)} FROM drop_duplicates_within_watermark(TABLE(SELECT * FROM STREAM a {watermark(delay)}), {', '.join(map(repr, keys))})")
    return Family(text, f"SELECT id, {listed(keys)} FROM a WHERE sid = 1", model=("within", keys, delay))


def distinct(pick):
    if pick.random() < 0.5:
        columns = pick.choice(("ts, k", "ts", "ts, d, s"))
        return Family(f"SELECT DISTINCT {columns} FROM STREAM a {watermark(pick.choice(DELAYS))}",
                      f"SELECT DISTINCT {columns} FROM a WHERE ts > lb AND ts <= {{fw}}")
    mode, columns = pick.choice(("update", "complete")), pick.choice(("k, g", "d", "s, m", "v % 3 AS x, k"))
    return Family(f"SELECT DISTINCT {columns} FROM STREAM a", f"SELECT DISTINCT {columns} FROM a", mode, "last" if mode == "update" else "newest", columns.count(",") + 1)


JOIN_KEYS = ("l.k = r.k", "l.k = r.k", "l.k = r.k AND l.g = r.g", "l.k <=> r.k", "l.s = r.s", "l.d = r.d", "l.m = r.m", "upper(l.k) = upper(r.k)", "l.g = r.v")
BOUNDS = ("r.ts BETWEEN l.ts - INTERVAL {x} SECONDS AND l.ts + INTERVAL {y} SECONDS", "l.ts >= r.ts - INTERVAL {y} SECONDS AND l.ts <= r.ts + INTERVAL {x} SECONDS", "l.ts = r.ts",
          "l.ts > r.ts - INTERVAL {y} SECONDS AND l.ts < r.ts + INTERVAL {x} SECONDS")
HALF_BOUNDS = ("l.ts > r.ts - INTERVAL {x} SECONDS", "r.ts > l.ts + INTERVAL {x} SECONDS", "r.ts <= l.ts + INTERVAL {y} SECONDS", "true")
REST = ("l.v > 1", "r.v > 1", "l.v < r.v", "l.g > 0", "l.v + r.g > 2", "coalesce(l.v, r.v) > 0", "l.k > 'k0'")  # the closing rows pass: they may be tested below a watermark
OUTER_REST = ("l.v IS NOT NULL", "r.v IS NOT NULL", "l.v < r.v", "l.k > 'k0'", "r.k > 'k0'", "l.v + r.g > 2")  # a number beside a preserved side keeps its rows for ever, as in Spark
KINDS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN")


def join_on(pick, kind):
    parts = [pick.choice(JOIN_KEYS)]
    parts.append(pick.choice(HALF_BOUNDS if kind == "JOIN" and pick.random() < 0.5 else BOUNDS).format(x=pick.choice((0, 30, 90)), y=pick.choice((0, 45, 200))))
    if pick.random() < 0.4:
        parts.append(pick.choice(REST if kind == "JOIN" else OUTER_REST))
    return " AND ".join(parts)


def nulls_match(kind, text):
    """Spark drops nulls before a join of streams looks at them, and takes them for equal where it must not drop them: in a full join."""
    return text.replace(" = ", " <=> ") if kind == "FULL JOIN" else text


def joins(pick):
    kind = pick.choice(KINDS)
    condition, is_semi = join_on(pick, kind), "SEMI" in kind
    columns = "l.id AS lid, l.ts AS lt, l.k AS lk" + ("" if is_semi else ", r.id AS rid, r.ts AS rt, r.v AS rv")
    where = pick.choice(("", "", " WHERE l.v > 0" if kind != "RIGHT JOIN" else "", "" if is_semi else " WHERE coalesce(r.g, l.g) = 0"))
    if kind == "JOIN" and pick.random() < 0.3:
        sides, batches = ["STREAM a", "STREAM b"], ["a", "b"]
    else:
        delays = [pick.choice(DELAYS) for _ in "ab"]
        sides, batches = [f"STREAM {side} {watermark(delay)}" for side, delay in zip("ab", delays)], [on_time("a"), on_time("b")]
    text = "SELECT " + columns + " FROM {} AS l " + kind + " {} AS r ON " + condition + where
    is_still_full = kind == "FULL JOIN" and "l.v > 0" not in where  # else nobody is left who could see right rows alone: a left join
    return Family(text.format(*sides), (nulls_match(kind, text) if is_still_full else text).format(*batches), null_times=False)


def self_join(pick):
    kind, delay = pick.choice(("JOIN", "LEFT JOIN", "LEFT SEMI JOIN")), pick.choice(DELAYS)
    text = ("SELECT l.id AS lid, l.ts AS lt" + ("" if "SEMI" in kind else ", r.id AS rid") + " FROM {} AS l " + kind +
            " {} AS r ON l.k = r.k AND r.ts BETWEEN l.ts AND l.ts + INTERVAL 60 SECONDS")
    source = f"STREAM a {watermark(delay)}"
    return Family(text.format(source, source), text.format(on_time("a"), on_time("a")), null_times=False)


def chain(pick):
    size, _, window = window_of(pick)
    outer = pick.choice((300, 600))
    text = ("SELECT window.start AS ws, k, sum(n) AS n, sum(v) AS v FROM (SELECT window_time(w) AS t, k, n, v FROM ({})) GROUP BY window(t, '" + str(outer) + " seconds'), k")
    inner = f"SELECT window AS w, k, count(*) AS n, sum(v) AS v FROM STREAM a {watermark(pick.choice(DELAYS))} GROUP BY {window}, k"
    batch = f"SELECT w, k, count(*) AS n, sum(v) AS v FROM (SELECT *, {window} AS w FROM a) WHERE w.end > lb AND w.end <= {{fw}} GROUP BY w, k"
    return Family(text.format(inner), text.format(batch) + " HAVING window.end <= {fw}")


def dedup_chain(pick):
    _, _, window = window_of(pick)
    text = "SELECT window.start AS ws, k, count(*) AS n FROM {} GROUP BY " + window + ", k"
    return Family(text.format(f"(SELECT * FROM drop_duplicates(TABLE(SELECT ts, k, g FROM STREAM a {watermark(pick.choice(DELAYS))}), 'ts', 'k', 'g'))"),
                  text.format("(SELECT DISTINCT ts, k, g FROM a WHERE ts > lb)") + " HAVING window.end <= {fw}")


def join_chain(pick):
    kind = pick.choice(("JOIN", "LEFT JOIN"))
    condition, delay, (_, _, window) = join_on(pick, "LEFT JOIN"), pick.choice(DELAYS), window_of(pick)
    text = ("SELECT window.start AS ws, k, count(*) AS n, sum(rv) AS v FROM (SELECT l.ts AS ts, l.k AS k, r.v AS rv FROM {} AS l " + kind + " {} AS r ON " + condition +
            ") GROUP BY " + window + ", k")
    return Family(text.format(*(f"STREAM {side} {watermark(delay)}" for side in "ab")), text.format(on_time("a"), on_time("b")), null_times=False)


def window_join(pick):
    size, delay, kind = pick.choice((60, 300)), pick.choice(DELAYS), pick.choice(("JOIN", "LEFT JOIN", "FULL JOIN", "RIGHT JOIN"))
    text = ("SELECT coalesce(l.w.end, r.w.end) AS we, coalesce(l.k, r.k) AS k, l.n AS ln, r.n AS rn FROM ({}) AS l " + kind + " ({}) AS r ON l.w = r.w AND l.k = r.k")
    stream = "SELECT window AS w, k, count(*) AS n FROM STREAM {} {} GROUP BY window(ts, '{} seconds'), k"
    batch = "SELECT w, k, count(*) AS n FROM (SELECT *, window(ts, '{1} seconds') AS w FROM {0}) WHERE w.end > lb AND w.end <= {{fw}} GROUP BY w, k"
    return Family(text.format(*(stream.format(side, watermark(delay), size) for side in "ab")), nulls_match(kind, text).format(*(batch.format(side, size) for side in "ab")))


def limit(pick):
    count = pick.choice((0, 1, 7, 40, 10000))
    return Family(f"SELECT id, k FROM STREAM a LIMIT {count}", "SELECT id, k FROM a", compare="some", limit=count, closes=False)


def union(pick):
    _, _, window = window_of(pick)
    aggregates, keys, delay = aggregates_of(pick), keys_of(pick, most=1), pick.choice(DELAYS)
    stream = " UNION ALL ".join(f"SELECT * FROM STREAM {side} {watermark(delay)}" for side in "ab")
    return Family(f"SELECT {listed(['window.start AS ws'], named(keys), aggregates)} FROM ({stream}) GROUP BY {listed([window], keys)}",
                  f"SELECT {listed(['w.start AS ws'], named(keys), aggregates)} FROM (SELECT *, {window} AS w FROM (SELECT * FROM a UNION ALL SELECT * FROM b)) "
                  f"WHERE w.end > lb AND w.end <= {{fw}} GROUP BY {listed(['w'], keys)}")


def table_join(pick):
    kind, (_, _, window), delay = pick.choice(("JOIN", "LEFT JOIN")), window_of(pick), pick.choice(DELAYS)
    source = "(SELECT x.*, t.rank FROM {} AS x " + kind + " (VALUES ('k0', 1), ('k1', 2), ('k1', 3)) AS t(tk, rank) ON x.k = t.tk)"
    return Family(f"SELECT window.start AS ws, rank, count(*) AS n, sum(v) AS v FROM {source.format('STREAM a ' + watermark(delay))} GROUP BY {window}, rank",
                  f"SELECT w.start AS ws, rank, count(*) AS n, sum(v) AS v FROM (SELECT *, {window} AS w FROM {source.format('a')}) "
                  "WHERE w.end > lb AND w.end <= {fw} GROUP BY w, rank")


FAMILIES = ((windows,) * 5 + (event_times,) + (groups,) * 2 + (grouping_sets,) * 2 + (sessions,) * 4 + (dedup,) * 3 + (dedup_within,) * 2 + (distinct,) * 2 + (joins,) * 7 + (self_join,) +
            (chain,) * 2 + (dedup_chain,) + (join_chain,) * 2 + (window_join,) * 2 + (limit,) + (union,) * 2 + (table_join,))
