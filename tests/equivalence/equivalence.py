#!/usr/bin/env python3
"""Random streams, cut into random micro-batches, with restarts, kills and other numbers of threads, give the rows of the batch query over
the rows that were not late.

    ARUS=build/dev/arus tests/equivalence/equivalence.py [--cases 500] [--seed N] [--only SEED-NUMBER] [--family joins] [--keep]

A case follows from the seed and its number alone; kills are fail points, so that they do as well. The last line says "N passed, N failed".
"""
import argparse
import concurrent.futures
import datetime
import json
import math
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

from families import FAMILIES
from landing import COLUMNS, Landing

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ARUS = os.path.abspath(os.environ.get("ARUS", ROOT / "build" / "dev" / "arus"))
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
KILLED = -9
ZERO = "1970-01-01T00:00:00.000Z"


class Failure(Exception):
    pass


def fail_points():
    done = subprocess.run([ARUS, "help", "--failpoints"], capture_output=True, text=True, check=True)
    names = [line.split()[0] for line in done.stdout.splitlines() if line.strip()]
    return [name for name in names if "kafka" not in name and "clean_source" not in name]


FIRST_DAY = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)


def text_of(ms):
    """A watermark as JSON has it."""
    return (datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=ms)).isoformat(timespec="milliseconds") + "Z"


def seconds(text):
    """Of an event time, from the first day."""
    return (datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) - FIRST_DAY).total_seconds()


class Case:
    """One query over one landing folder, run in pieces."""

    def __init__(self, seed, number, family, folder):
        self.pick = random.Random(f"{seed}-{number}")
        self.name, self.folder = f"{seed}-{number}", folder
        maker = self.pick.choice(FAMILIES)
        maker = family or maker
        self.kind, self.family = maker.__name__, maker(self.pick)
        self.landing = Landing(self.pick, file_count=self.pick.randint(2, 6), rows=self.pick.choice((4, 12, 12, 80)), null_times=self.family.null_times)
        self.watermarks, self.batch_of, self.rows = {}, {}, {"a": {}, "b": {}}
        for side in "ab":
            (folder / side).mkdir()

    # ---- running ----

    def write_query(self):
        """Rate limits may change from run to run."""
        tables = "".join(f"CREATE TABLE {side} ({COLUMNS}) USING json OPTIONS (path '{side}', maxFilesPerTrigger {self.pick.choice((1, 1, 2, 9))});\n" for side in "ab")
        sink = ("json TBLPROPERTIES (path 'out'," if self.family.mode == "append" else
                "exec TBLPROPERTIES (command 'cat > .part && mv .part batch.$ARUS_BATCH_ID',")
        (self.folder / "p.sql").write_text(f"SET spark.sql.session.timeZone = UTC;\n{tables}CREATE STREAMING TABLE out USING {sink} checkpointLocation 'ckpt',\n"
                                           f"outputMode '{self.family.mode}', trigger 'availableNow')\nAS {self.family.stream};\n")

    def run(self, failpoint=None):
        self.write_query()
        environment = {**os.environ, "TZ": "UTC", **({"ARUS_FAILPOINT": failpoint} if failpoint else {})}
        done = subprocess.run([ARUS, "run", "-q", "--threads", str(self.pick.choice((1, 2, 3))), "p.sql"], cwd=self.folder, capture_output=True, text=True, timeout=1200,
                              env=environment)
        if done.returncode != 0 and not (failpoint and done.returncode == KILLED):
            raise Failure(f"arus run ended with {done.returncode}: {done.stderr[-2000:]}")
        self.read_checkpoint()

    def read_checkpoint(self):
        """Which batch read which file, and the watermark of each batch."""
        for path in (self.folder / "ckpt" / "offsets").glob("[0-9]*"):
            lines = path.read_text().split("\n")
            if len(lines) > 2:
                self.watermarks[int(path.name)] = json.loads(lines[1])["batchWatermarkMs"]
                for source, line in enumerate(lines[2:]):
                    if line.startswith("{"):
                        place = (source, json.loads(line)["logOffset"])
                        self.batch_of[place] = min(int(path.name), self.batch_of.get(place, 1 << 30))
        for path in (self.folder / "ckpt" / "sources").glob("*/[0-9]*"):
            for line in path.read_text().split("\n")[1:]:
                entry = json.loads(line)
                side, name = entry["path"].split("/")[-2:]
                self.rows[side].setdefault(name, []).append((int(path.parent.name), entry["batchId"]))

    def put(self, side, number, lines):
        path = self.folder / side / f"{number:03}.json"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        os.utime(path, (1767225600 + number, 1767225600 + number))

    def close(self, day):
        """Events of a later day on each side: what was open leaves. A filter that a join's condition implies below the watermark, as
        `v < g`, must not take all of them."""
        for side in "ab":
            row = {"id": 10 ** 9 + day, "k": "zz", "g": 7777, "ts": f"2026-01-{day:02}T12:00:00.000Z", "v": 7777, "d": 9e9, "m": 777.77, "s": {"x": 7777, "y": "zz"}}
            self.put(side, 900 + day, [json.dumps({**row, "v": v}) for v in (7777, 7776, 7778)])
        self.run()

    def play(self, points):
        """Files come in pieces; each piece is a run or several, killed now and then."""
        files = [(side, number, lines) for side in "ab" for number, lines in enumerate(self.landing.files[side])]
        files.sort(key=lambda file: (file[1], file[0]))
        while files:
            piece = self.pick.randint(1, len(files))
            for file in files[:piece]:
                self.put(*file)
            del files[:piece]
            while self.pick.random() < 0.35:
                self.run(f"{self.pick.choice(points)}:{self.pick.randrange(6)}" if self.pick.random() < 0.7 else self.pick.choice(points))
            if self.pick.random() < 0.8 or not files:
                self.run()
        if self.family.closes:
            self.close(2)
            self.close(3)

    # ---- what should come out ----

    def late_bound(self, side, name):
        """The watermark before the batch that read this file."""
        source, entry = self.rows[side][name][0]
        batch = self.batch_of[source, entry]
        return self.watermarks.get(batch - 1, 0) if batch else 0, batch

    def all_rows(self):
        """{side: [row with lb and batch]}, in the order of the input."""
        found = {"a": [], "b": []}
        for side, files in self.landing.files.items():
            if not self.rows[side]:
                continue  # the query does not read it
            for number, lines in enumerate(files):
                bound, batch = self.late_bound(side, f"{number:03}.json")
                found[side] += [{**json.loads(line), "lb": text_of(bound), "batch": batch} for line in lines]
        return found

    def wanted(self):
        rows = self.all_rows()
        if self.family.model:
            rows["a"] = MODELS[self.family.model[0]](rows["a"], self.watermarks, *self.family.model[1:])
        (self.folder / "all").mkdir(exist_ok=True)
        for side in "ab":
            (self.folder / "all" / f"{side}.json").write_text("\n".join(json.dumps(row) for row in rows[side]))
        final = self.watermarks[max(self.watermarks)]
        query = self.family.batch.replace("{fw}", f"TIMESTAMP '{text_of(final)}'")
        tables = "".join(f"CREATE TABLE {side} ({COLUMNS}, lb TIMESTAMP, batch INT, sid BIGINT, ws TIMESTAMP, we TIMESTAMP) USING json OPTIONS (path 'all/{side}.json');\n"
                         for side in "ab")
        (self.folder / "batch.sql").write_text(f"SET spark.sql.session.timeZone = UTC;\n{tables}{query};\n")
        done = subprocess.run([ARUS, "sql", "--json", "batch.sql"], cwd=self.folder, capture_output=True, text=True, timeout=1200, env={**os.environ, "TZ": "UTC"})
        if done.returncode != 0:
            raise Failure(f"the batch query ended with {done.returncode}: {done.stderr[-2000:]}\n{query}")
        return [row_of(line) for line in done.stdout.splitlines()]

    def got(self):
        if self.family.mode == "append":
            rows = [row_of(line) for path in sorted((self.folder / "out").glob("*.json")) for line in path.read_text().splitlines()]
            return [row for row in rows if not is_closing(row)]
        batches = {int(path.name.split(".")[1]): path.read_text().splitlines() for path in self.folder.glob("batch.*") if path.suffix != ".sql"}
        if self.family.compare == "newest":
            return [row_of(line) for line in batches[max(batches)]]
        lines = [line for batch in sorted(batches) for line in batches[batch]]
        if self.family.compare == "last":
            lines = {json.dumps(list(json.loads(line).items())[:self.family.keys]): line for line in lines}.values()
        return [row_of(line) for line in lines]

    def check(self):
        want, got = self.wanted(), self.got()
        if self.family.compare == "some":
            have = [json.dumps(row) for row in want]
            if len(got) != min(self.family.limit, len(want)) or any(json.dumps(row) not in have for row in got):
                raise Failure(f"LIMIT {self.family.limit} gave {len(got)} of {len(want)} rows")
            return len(got)
        want, got = sorted(want, key=order_of), sorted(got, key=order_of)
        if len(want) != len(got) or not all(same_row(a, b) for a, b in zip(want, got)):
            lists = [[order_of(row) for row in rows] for rows in (want, got)]
            raise Failure(f"{len(want)} rows wanted, {len(got)} came\n  lost {[r for r in lists[0] if r not in lists[1]][:4]}\n  too many {[r for r in lists[1] if r not in lists[0]][:4]}"
                          f"\n  watermarks {[text_of(self.watermarks[n]) for n in sorted(self.watermarks)]}")
        return len(got)


CLOSING = ("zz", "ZZ", 7776, 7777, 7778, 9e9, -9e9, 777.77)


def is_closing(value):
    """Does a value come from the rows of the later days?"""
    if isinstance(value, dict):
        return any(map(is_closing, value.values()))
    if isinstance(value, list):
        return any(map(is_closing, value))
    return value in CLOSING or isinstance(value, int) and value >= 10 ** 9 or isinstance(value, str) and value.startswith(("2026-01-02T", "2026-01-03T"))


def row_of(line):
    return without_minus_zero(json.loads(line))


def without_minus_zero(value):
    """Which of -0.0 and 0.0 a group keeps is nobody's promise. Nulls are named by neither side."""
    if isinstance(value, dict):
        return {name: without_minus_zero(item) for name, item in value.items() if item is not None}
    if isinstance(value, list):
        return [without_minus_zero(item) for item in value]
    return value + 0.0 if isinstance(value, float) else value


def order_of(row):
    return json.dumps({name: value for name, value in row.items() if not name.startswith("f")}, sort_keys=True)


def same_row(want, got):
    def same(name):
        a, b = want[name], got[name]
        if name.startswith("f") and isinstance(a, (int, float)) and isinstance(b, (int, float)):
            return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
        return a == b
    return want.keys() == got.keys() and all(map(same, want))


# ---- models of what no batch query says ----

def key_of(row, keys):
    """Doubles compare as keys do: NaN is itself, -0.0 is 0.0."""
    return json.dumps([without_minus_zero(row[key]) if row[key] is not None else None for key in keys], sort_keys=True)


def by_batch(rows):
    batches = {}
    for row in rows:
        batches.setdefault(row["batch"], []).append(row)
    return batches


def within(rows, watermarks, keys, delay):
    """drop_duplicates_within_watermark: rows that stay get sid 1."""
    state, batches = {}, by_batch(rows)
    for number in sorted(watermarks):
        for row in batches.get(number, ()):
            row["sid"] = 0
            if row["ts"] is not None and seconds(row["ts"]) <= seconds(row["lb"]):
                continue
            key = key_of(row, keys)
            if key not in state:
                state[key] = seconds(ZERO if row["ts"] is None else row["ts"]) + delay
                row["sid"] = 1
        bound = seconds(text_of(watermarks[number]))
        state = {key: expiry for key, expiry in state.items() if expiry > bound}
    return rows


def sessions(rows, watermarks, keys, gap_of, is_append):
    """Each row that counts gets its session: sid, ws, we."""
    open_sessions, closed, batches, kept = [], [], by_batch(rows), []
    for number in sorted(watermarks):
        for row in batches.get(number, ()):
            gap = gap_of(row)
            if row["ts"] is None or gap <= 0:
                continue
            begin = seconds(row["ts"])
            if begin + gap <= seconds(row["lb"]):
                continue
            kept.append(row)
            session = {"key": key_of(row, keys), "begin": begin, "end": begin + gap, "rows": [row]}
            touching = [s for s in open_sessions if s["key"] == session["key"] and s["begin"] <= session["end"] and session["begin"] <= s["end"]]
            while touching:
                for other in touching:
                    open_sessions.remove(other)
                    session = {"key": session["key"], "begin": min(session["begin"], other["begin"]), "end": max(session["end"], other["end"]),
                               "rows": session["rows"] + other["rows"]}
                touching = [s for s in open_sessions if s["key"] == session["key"] and s["begin"] <= session["end"] and session["begin"] <= s["end"]]
            open_sessions.append(session)
        if is_append:
            bound = seconds(text_of(watermarks[number]))
            closed += [s for s in open_sessions if s["end"] <= bound]
            open_sessions = [s for s in open_sessions if s["end"] > bound]
    for number, session in enumerate(closed + open_sessions):
        for row in session["rows"]:
            row.update(sid=number, ws=text_of(1767225600000 + round(session["begin"] * 1000)), we=text_of(1767225600000 + round(session["end"] * 1000)))
    return kept


MODELS = {"within": within, "sessions": sessions}


# ---- all cases ----

def run_case(seed, number, family, points, keep):
    """(kind, failure or None, rows)"""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="arus-equivalence-", dir=MEMORY))
    case = Case(seed, number, family, folder)
    failure, rows = None, 0
    try:
        case.play(points)
        rows = case.check()
    except (Failure, subprocess.TimeoutExpired) as problem:
        failure = f"FAIL {case.name} ({case.kind}): {case.family.stream}\n  {problem}"
    if keep and failure:
        failure += f"\n  kept: {folder}"
    else:
        shutil.rmtree(folder)
    return case.kind, failure, rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--only", help="one case, as its failure names it")
    parser.add_argument("--family", help="cases of this family only")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help="leave the folders of failures")
    args = parser.parse_args()
    seed = args.seed if args.seed is not None else random.SystemRandom().randrange(1 << 32)
    numbers = range(args.cases)
    if args.only:
        seed, number = map(int, args.only.split("-"))
        numbers = [number]
    print(f"seed {seed}", flush=True)
    family = next((maker for maker in FAMILIES if maker.__name__ == args.family), None)
    points, passed, failed, rows = fail_points(), {}, 0, 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for kind, failure, count in pool.map(lambda number: run_case(seed, number, family, points, args.keep), numbers):
            rows += count
            if failure:
                failed += 1
                print(failure, flush=True)
            else:
                passed[kind] = passed.get(kind, 0) + 1
    print(", ".join(f"{kind} {count}" for kind, count in sorted(passed.items())) + f"; {rows} rows")
    print(f"{sum(passed.values())} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


main()
