#!/usr/bin/env python3
"""cleanSource: SIGKILL at every fail point and at random moments; no file is cleaned up unread, no row comes twice.

    ARUS=build/dev/arus tests/crash/clean_source.py [--rounds 10] [--seed N]
"""
import argparse
import random
import shutil

from cleaning_job import OPTIONS, CleaningJob
from harness import KILLED, Failure, fail_points, finish, seed_of, temporary_folder

def at_each_point(job, results):
    for name in fail_points():
        if "kafka" in name:
            continue
        for batch in ("", ":1", ":3"):
            job.forget()
            try:
                code, err = job.run(env={"ARUS_FAILPOINT": name + batch})
                if code not in (0, KILLED):
                    raise Failure(f"ended with {code}: {err[-1000:]}")
                job.check_killed("killed")
                results["reached"].update([name] if code == KILLED else [])
                job.must_run()
                job.check("at the end")
                results["passed"] += 1
            except Failure as failure:
                results["failed"] += 1
                print(f"FAIL {job.way} {name}{batch}: {failure}", flush=True)
    if "during_clean_source" not in results["reached"]:
        results["failed"] += 1
        print(f"FAIL {job.way}: during_clean_source was never reached")


def at_random(job, generator, results):
    job.forget()
    try:
        for _ in range(40):
            code, err = job.run(kill_after=generator.uniform(0.001, 0.06))
            if code not in (0, KILLED):
                raise Failure(f"ended with {code}: {err[-1000:]}")
            job.check_killed("killed")
            if code == 0:
                break
        job.must_run()
        job.check("at the end")
        results["passed"] += 1
    except Failure as failure:
        results["failed"] += 1
        print(f"FAIL {job.way} random: {failure}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int)
    args = parser.parse_args()
    generator = random.Random(seed_of(args.seed))
    results = {"passed": 0, "failed": 0, "reached": set()}
    folder = temporary_folder()
    for way in OPTIONS:
        job = CleaningJob(folder + "/job", way)
        at_each_point(job, results)
        for _ in range(args.rounds):
            at_random(job, generator, results)
    print("points reached: " + " ".join(sorted(results["reached"])))
    shutil.rmtree(folder)
    finish(results["passed"], results["failed"])


main()
