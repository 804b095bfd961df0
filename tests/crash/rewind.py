#!/usr/bin/env python3
"""SIGKILL at every step of going back to an earlier batch, and failing disk calls: the next start finishes it, and what
comes out afterwards equals that of a run that nothing disturbed.

    ARUS=build/dev/arus tests/crash/rewind.py [--rounds 4] [--points 5] [--seed N]
"""
import argparse
import random
import shutil

from harness import KILLED, Failure, finish, seed_of, temporary_folder
from rewind_job import RewindJob

def points(job, to, generator, count):
    """Fail points of a rewind: `during_rewind` at the first, the last and some of the files that go."""
    def files():
        return sum(1 for p in job.folder.rglob("*") if p.is_file() and not {".arus", "state"} & set(p.parts))

    job.forget()
    before = files()
    if job.run(command=job.back_to(to))[0] != 0:
        raise Failure("a rewind that nothing disturbs fails")
    gone = before - files()
    chosen = {0, gone - 1, *generator.sample(range(gone), min(gone, count))}
    return ["after_rewind_intent", *(f"during_rewind:{number}" for number in sorted(chosen)), "before_rewind_end"]


def one(job, to, env, what, after):
    """Killed in the middle; then `after`: the query runs, or somebody goes back again."""
    job.forget()
    code, err = job.run(env=env, command=job.back_to(to))
    if code not in (0, KILLED):
        raise Failure(f"{what}: ended with {code}: {err[-500:]}")
    if after == "rewind":
        again, err = job.run(command=job.back_to(to - 1))
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
        job.forget()
        try:
            for _ in range(generator.randrange(1, 4)):
                job.run(kill_after=generator.uniform(0.001, 0.03), command=job.back_to(to))
            code, err = job.run(command=job.back_to(to))
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
    for name, partitioned in (("rewind", True), ("rewind_state", False)):
        job = RewindJob(folder + "/job", name, partitioned)
        at_each_point(job, args.points, generator, results)
        at_random(job, args.rounds, generator, results)
    print("points reached: " + " ".join(sorted(results["reached"])))
    if len(results["reached"]) != 3:
        results["failed"] += 1
    shutil.rmtree(folder)
    finish(results["passed"], results["failed"])


main()
