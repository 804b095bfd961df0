#!/usr/bin/env python3
"""Disk errors and failed allocations at every call in turn: a clean error, never a crash; the next run loses nothing.

    ARUS=build/dev/arus tests/crash/faults.py [--step 1] [--alloc-step 20] [--jobs rows,windows,command,rewind] [--sink json]

With --after FAILPOINT a first run is killed there, and the faults hit the run that recovers from it.
"""
import argparse
import errno
import shutil

from harness import KILLED, Failure, Job, finish, temporary_folder
from jobs import HELP, SMALL, job_of, names_of

CLEAN = (0, 1, 3)


def prepare(job, failpoint):
    """Back to the input alone, or to what a run leaves that is killed at the fail point."""
    job.forget()
    if failpoint is not None:
        code, err = job.run(env={"ARUS_FAILPOINT": failpoint})
        if code != KILLED:
            raise Failure(f"{failpoint} was not reached: {code}: {err[-500:]}")


def counts(job, folder, failpoint):
    prepare(job, failpoint)
    code, err = job.run(shim={"ARUS_SHIM_COUNT": folder + "/count"})
    if code != 0:
        raise Failure(f"the counted run ended with {code}: {err[-1000:]}")
    with open(folder + "/count", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def one(job, failpoint, what, shim, results):
    try:
        prepare(job, failpoint)
        code, err = job.run(shim=shim)
        if code not in CLEAN:
            raise Failure(f"{what}: ended with {code}: {err[-800:]}")
        if code != 0 and "error" not in err:
            raise Failure(f"{what}: ended with {code} without an error: {err[-800:]}")
        job.must_run()
        job.check(what)
        results["passed"] += 1
    except Failure as failure:
        results["failed"] += 1
        print(f"FAIL {job.name}: {failure}", flush=True)


def all_of(job, folder, args, results):
    calls, allocations = counts(job, folder, args.after)
    print(f"{job.name}: {calls} changing calls, {allocations} allocations", flush=True)
    for n in range(1, calls + 1, args.step):
        for kind in (str(errno.ENOSPC), str(errno.EIO), "short"):
            one(job, args.after, f"call {n} {kind}", {"ARUS_SHIM_FAIL": f"{n}:{kind}"}, results)
        one(job, args.after, f"full disk from call {n}", {"ARUS_SHIM_FAIL": f"{n}:{errno.ENOSPC}", "ARUS_SHIM_FROM": "1"}, results)
    for n in range(1, allocations + 1, args.alloc_step):
        one(job, args.after, f"allocation {n}", {"ARUS_SHIM_ALLOC": str(n)}, results)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--step", type=int, default=1, help="every n-th call")
    parser.add_argument("--alloc-step", type=int, default=1, help="every n-th allocation")
    parser.add_argument("--jobs", default="rows", help=HELP)
    parser.add_argument("--sink", help="of the job `rows`: json, csv")
    parser.add_argument("--after", metavar="FAILPOINT")
    args = parser.parse_args()
    folder = temporary_folder()
    results = {"passed": 0, "failed": 0}
    for name in names_of(args.jobs):
        job = Job(folder + "/job", sink=args.sink, **SMALL["rows"]) if args.sink else job_of(name, folder + "/job", **SMALL[name])
        job.is_cleaning_up_owed = False  # a file that cannot be removed stays
        all_of(job, folder, args, results)
    shutil.rmtree(folder)
    finish(results["passed"], results["failed"])


main()
