#!/usr/bin/env python3
"""SIGKILL at every fail point in several batches, and at random moments: afterwards every row is there exactly once, and what state
gives is what a quiet run gives.

    ARUS=build/dev/arus tests/crash/kill.py [--rounds 30 | --kills 300] [--seed N] [--jobs rows,partitioned,windows,...]
"""
import argparse
import random
import shutil

from harness import KILLED, Failure, fail_points, finish, seed_of, temporary_folder
from jobs import HELP, STATELESS, job_of, names_of


def kill_at(job, point, results):
    job.forget()
    code, err = job.run(env={"ARUS_FAILPOINT": point})
    if code not in (0, KILLED):
        raise Failure(f"ended with {code}: {err[-1000:]}")
    results["reached"].update([point.split(":")[0]] if code == KILLED else [])
    job.must_run()


def kill_again_and_again(job, generator, results):
    job.forget()
    kills, code = 0, KILLED
    while code == KILLED and kills < 200:
        code, err = job.run(kill_after=generator.uniform(0.001, job.kill_within))
        kills += code == KILLED
    results["kills"] += kills
    if code != KILLED and not job.was_done(code, err):
        raise Failure(f"ended with {code} after {kills} kills: {err[-1000:]}")
    job.must_run()


def check(job, what, kill, results):
    try:
        kill()
        job.check(what)
        results["passed"] += 1
    except Failure as failure:
        results["failed"] += 1
        print(f"FAIL {job.name}: {what}: {failure}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30, help="of random kills, shared by the jobs; each until the run gets through")
    parser.add_argument("--kills", type=int, default=0, help="rounds go on until so many random kills struck each job")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--jobs", default=",".join(STATELESS), help=HELP)
    args = parser.parse_args()
    names = names_of(args.jobs)
    generator = random.Random(seed_of(args.seed))
    results = {"passed": 0, "failed": 0, "reached": set(), "kills": 0}
    folder = temporary_folder()
    for name in names:
        job = job_of(name, folder + "/job")
        results["kills"] = rounds = 0
        for point in (point + batch for point in fail_points() for batch in job.kill_batches):
            check(job, f"killed at {point}", lambda point=point: kill_at(job, point, results), results)
        while rounds < -(-args.rounds // len(names)) or results["kills"] < args.kills:
            check(job, f"round {rounds}", lambda: kill_again_and_again(job, generator, results), results)
            rounds += 1
        print(f"{name}: {results['kills']} random kills in {rounds} rounds; {results['passed']} passed, {results['failed']} failed so far", flush=True)
    print("points reached: " + " ".join(sorted(results["reached"])))
    shutil.rmtree(folder)
    finish(results["passed"], results["failed"])


main()
