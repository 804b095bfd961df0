#!/usr/bin/env python3
"""SIGKILL at every fail point in every batch, and at random moments: afterwards every row is there exactly once.

    ARUS=build/dev/arus tests/crash/kill.py [--rounds 30] [--seed N]
"""
import argparse
import random
import shutil

from harness import KILLED, Failure, Job, fail_points, finish, seed_of, temporary_folder


def at_each_point(job, results):
    for name in fail_points():
        for batch in ("", ":1", ":2"):
            job.forget()
            code, err = job.run(env={"ARUS_FAILPOINT": name + batch})
            try:
                if code not in (0, KILLED):
                    raise Failure(f"{name}{batch}: ended with {code}: {err[-1000:]}")
                results["reached"].add(name) if code == KILLED else None
                job.must_run()
                job.check(f"after {name}{batch}")
                results["passed"] += 1
            except Failure as failure:
                results["failed"] += 1
                print(f"FAIL {job.sink} {failure}", flush=True)


def at_random(job, rounds, generator, results):
    for number in range(rounds):
        job.forget()
        try:
            kills = 0
            while True:
                code, err = job.run(kill_after=generator.uniform(0.001, 0.06))
                if code == 0:
                    break
                if code != KILLED:
                    raise Failure(f"ended with {code}: {err[-1000:]}")
                kills += 1
                if kills > 200:
                    job.must_run()
                    break
            job.must_run()
            job.check(f"round {number} after {kills} kills")
            results["passed"] += 1
        except Failure as failure:
            results["failed"] += 1
            print(f"FAIL {failure}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--seed", type=int)
    args = parser.parse_args()
    generator = random.Random(seed_of(args.seed))
    results = {"passed": 0, "failed": 0, "reached": set()}
    folder = temporary_folder()
    for partitioned in (False, True):
        job = Job(folder + "/job", partitioned=partitioned)
        at_each_point(job, results)
        at_random(job, (args.rounds + 1) // 2, generator, results)
    print("points reached: " + " ".join(sorted(results["reached"])))
    shutil.rmtree(folder)
    finish(results["passed"], results["failed"])


main()
