#!/usr/bin/env python3
"""SIGKILL at every step of going back to an earlier batch, and failing disk calls: the next start finishes it, and what
comes out afterwards equals that of a run that nothing disturbed.

    ARUS=build/dev/arus tests/crash/rewind.py [--rounds 4] [--points 5] [--seed N]
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess

from harness import ARUS, KILLED, Failure, Job, finish, seed_of, temporary_folder

WINDOWS = """SET spark.sql.session.timeZone = UTC;
CREATE TABLE events (id BIGINT, k STRING, ts TIMESTAMP, v DOUBLE) USING json OPTIONS (path 'in', maxFilesPerTrigger 2);
CREATE STREAMING TABLE out USING parquet TBLPROPERTIES (path 'out', checkpointLocation 'ckpt', trigger 'availableNow')
AS SELECT window.start AS s, k, count(*) AS n, sum(v) AS v FROM STREAM events WATERMARK ts DELAY OF INTERVAL 1 MINUTE
   GROUP BY window(ts, '1 minute'), k;
"""


class RewindJob(Job):
    """Runs once in peace; `restore` brings that back."""

    def __init__(self, folder, stateful, partitioned=False):
        super().__init__(folder + "/job", files=22, rows=6, files_per_batch=2, partitioned=partitioned)
        if stateful:
            (self.folder / "p.sql").write_text(WINDOWS)
            for number, path in enumerate(sorted((self.folder / "in").iterdir())):
                text = path.read_text().replace("T00:", f"T{number:02}:") if number < 24 else path.read_text().replace("2026-01-01T00:", f"2026-01-02T{number - 24:02}:")
                path.write_text(text)
                os.utime(path, (1767225600 + number, 1767225600 + number))
        self.must_run()
        self.golden = self.seen()
        self.kept = pathlib.Path(folder) / "kept"
        shutil.rmtree(self.kept, ignore_errors=True)
        for name in ("out", "ckpt"):
            shutil.copytree(self.folder / name, self.kept / name)

    def restore(self):
        self.forget()
        for name in ("out", "ckpt"):
            shutil.copytree(self.kept / name, self.folder / name)

    def seen(self):
        """Rows; and the files, without those of the sink's data: their names tell which thread wrote them."""
        files = sorted(str(p.relative_to(self.folder)) for name in ("out/_spark_metadata", "ckpt") for p in (self.folder / name).rglob("*")
                       if p.is_file() and not any(part.startswith(".") for part in p.relative_to(self.folder).parts) and "state" not in p.parts)
        return sorted(self.ids("cat", "--json", "out").splitlines()), files

    def parts(self):
        return {str(p) for p in (self.folder / "out").rglob("part-*")}

    def listed(self):
        entries = [line for p in (self.folder / "out/_spark_metadata").iterdir() if p.name[0] != "." for line in p.read_text().splitlines()[1:]]
        return {json.loads(line)["path"].removeprefix("file://") for line in entries}

    def rewind(self, to, env=None, kill_after=None):
        process = subprocess.Popen([ARUS, "rewind", "p.sql", "--to-batch", str(to)], cwd=self.folder, env={**os.environ, "TZ": "UTC", **(env or {})},
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            _, err = process.communicate(timeout=60 if kill_after is None else kill_after)
        except subprocess.TimeoutExpired:
            process.kill()
            _, err = process.communicate()
        return process.returncode, err

    def check(self, what):
        rows, files = self.seen()
        if rows != self.golden[0]:
            raise Failure(f"{what}: {len(rows)} rows, {len(self.golden[0])} wanted")
        if files != self.golden[1]:
            raise Failure(f"{what}: files differ: {sorted(set(files) ^ set(self.golden[1]))[:6]}")
        if self.parts() != self.listed():
            raise Failure(f"{what}: data files and the log differ: {sorted(self.parts() ^ self.listed())[:4]}")

    def published(self):
        return json.loads(self.ids("status", "--json", "ckpt"))["published"]


def points(job, to, generator, count):
    """Fail points of a rewind: `during_rewind` at the first, the last and some of the files that go."""
    def files():
        return sum(1 for p in job.folder.rglob("*") if p.is_file() and not {".arus", "state"} & set(p.parts))

    job.restore()
    before = files()
    if job.rewind(to)[0] != 0:
        raise Failure("a rewind that nothing disturbs fails")
    gone = before - files()
    chosen = {0, gone - 1, *generator.sample(range(gone), min(gone, count))}
    return ["after_rewind_intent", *(f"during_rewind:{number}" for number in sorted(chosen)), "before_rewind_end"]


def one(job, to, env, what, after):
    """Killed in the middle; then `after`: the query runs, or somebody goes back again."""
    job.restore()
    code, err = job.rewind(to, env=env)
    if code not in (0, KILLED):
        raise Failure(f"{what}: ended with {code}: {err[-500:]}")
    if after == "rewind":
        again, err = job.rewind(to - 1)
        if again != 0:
            raise Failure(f"{what}: a second rewind ended with {again}: {err[-500:]}")
    job.must_run()
    job.check(what)
    return code == KILLED


def at_each_point(job, count, generator, results):
    to = generator.randrange(2, 8)
    for point in points(job, to, generator, count):
        after = generator.choice(["run", "run", "rewind"])
        try:
            if not one(job, to, {"ARUS_FAILPOINT": point}, f"back to {to}, killed at {point}, then {after}", after):
                raise Failure(f"{point} was not reached")
            results["reached"].add(point.split(":")[0])
            results["passed"] += 1
        except Failure as failure:
            results["failed"] += 1
            print(f"FAIL {failure}", flush=True)


def at_random(job, rounds, generator, results):
    for number in range(rounds):
        to = generator.randrange(0, 9)
        job.restore()
        try:
            for _ in range(generator.randrange(1, 4)):
                job.rewind(to, kill_after=generator.uniform(0.001, 0.03))
            code, err = job.rewind(to)
            if code != 0 and job.published() != to:
                raise Failure(f"back to {to} ended with {code}: {err[-500:]}")
            job.must_run()
            job.check(f"round {number}, back to {to}")
            results["passed"] += 1
        except Failure as failure:
            results["failed"] += 1
            print(f"FAIL {failure}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--points", type=int, default=5)
    parser.add_argument("--seed", type=int)
    args = parser.parse_args()
    generator = random.Random(seed_of(args.seed))
    results = {"passed": 0, "failed": 0, "reached": set()}
    folder = temporary_folder()
    for stateful, partitioned in ((False, True), (True, False)):
        job = RewindJob(folder, stateful, partitioned)
        at_each_point(job, args.points, generator, results)
        at_random(job, args.rounds, generator, results)
    print("points reached: " + " ".join(sorted(results["reached"])))
    if len(results["reached"]) != 3:
        results["failed"] += 1
    shutil.rmtree(folder)
    finish(results["passed"], results["failed"])


main()
