#!/usr/bin/env python3
"""Backups of a query that was killed at each fail point, and while it runs; query and backup are killed at random moments. A copy is whole or not there; with the sink taken
back to its batch the query goes on with it, and every row is there once.

    ARUS=build/dev/arus tests/crash/backup.py [--rounds 20] [--seed N]
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import time

from harness import ARUS, KILLED, Failure, Job, fail_points, finish, seed_of, temporary_folder


def start(job, *command):
    return subprocess.Popen([ARUS, *command], cwd=job.folder, env={**os.environ, "TZ": "UTC"}, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


def end(process, is_killed, what):
    """Kills it, or waits. True: it has done what it had to."""
    if is_killed:
        process.kill()
    _, err = process.communicate(timeout=600)
    if process.returncode not in ((0, -9) if is_killed else (0,)):
        raise Failure(f"{what} ended with {process.returncode}: {err[-800:]}")
    return process.returncode == 0


def forget(job):
    job.forget()
    for path in job.folder.glob("bak*"):
        shutil.rmtree(path)


def swap(job):
    shutil.rmtree(job.folder / "ckpt")
    (job.folder / "bak").rename(job.folder / "ckpt")


def at_point(job, point):
    forget(job)
    code, err = job.run(env={"ARUS_FAILPOINT": point + ":3"})
    if code != KILLED:
        return
    job.ids("backup", "ckpt", "bak")
    swap(job)
    job.must_run()
    job.check(f"copied after {point}")


def go_on_with_copy(job):
    batch = json.loads(job.ids("status", "--json", "bak"))["lastBatch"]
    last = json.loads(job.ids("status", "--json", "ckpt"))["lastBatch"]
    if batch > last:
        raise Failure(f"the copy is of batch {batch}, the checkpoint ends at {last}")
    if batch < last:
        job.ids("rewind", "ckpt", "--to-batch", str(batch))
    swap(job)
    job.must_run()
    job.check(f"with the copy of batch {batch} of {last}")


def one_round(job, generator, outcomes):
    forget(job)
    query = start(job, "run", "-q", "p.sql")
    while query.poll() is None and not (job.folder / "ckpt" / "commits" / "0").exists():
        time.sleep(0.001)
    time.sleep(generator.uniform(0, 0.05))
    kills = generator.choice(((False, False), (True, False), (False, True), (True, True)))
    backup = start(job, "backup", "ckpt", "bak")
    time.sleep(generator.uniform(0, 0.03))
    is_done = end(backup, kills[0], "backup")
    end(query, kills[1], "the query")
    if is_done != (job.folder / "bak").exists() and is_done:
        raise Failure("a backup that has ended left none")
    job.must_run()
    if not (job.folder / "bak").exists():
        job.ids("backup", "ckpt", "bak")
    outcomes["during"] += is_done
    go_on_with_copy(job)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int)
    args = parser.parse_args()
    generator = random.Random(seed_of(args.seed))
    outcomes = {"passed": 0, "failed": 0, "during": 0}
    folder = temporary_folder()
    for partitioned in (False, True):
        job = Job(folder + "/job", files=40, rows=10, files_per_batch=1, partitioned=partitioned, rejects=partitioned)
        tests = [(point, lambda point=point: at_point(job, point)) for point in fail_points()]
        tests += [(f"round {number}", lambda: one_round(job, generator, outcomes)) for number in range(-(-args.rounds // 2))]
        for name, test in tests:
            try:
                test()
                outcomes["passed"] += 1
            except Failure as failure:
                outcomes["failed"] += 1
                print(f"FAIL {job.name}, {name}: {failure}", flush=True)
    print(f"{outcomes['during']} copies were made while the query ran, the others after a kill")
    shutil.rmtree(folder)
    finish(outcomes["passed"], outcomes["failed"])


main()
