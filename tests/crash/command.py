#!/usr/bin/env python3
"""A command as sink: SIGKILL at every fail point and at random moments; afterwards every row is in SQLite exactly once.

    ARUS=build/dev/arus tests/crash/command.py [--rounds 10] [--seed N]
"""
import argparse
import os
import random
import shutil
import subprocess

from command_job import CommandJob, pipeline
from harness import ARUS, KILLED, Failure, finish, seed_of, temporary_folder

def at_each_point(job, quick):
    listed = subprocess.run([ARUS, "help", "--failpoints"], capture_output=True, text=True, check=True).stdout
    reached = set()
    for name in (line.split()[0] for line in listed.splitlines() if line.strip() and "kafka" not in line):
        for batch in (":1",) if quick else ("", ":1"):
            job.forget()
            code, err = job.run(env={"ARUS_FAILPOINT": name + batch})
            if code not in (0, KILLED):
                raise Failure(f"{name}{batch}: ended with {code}: {err[-1000:]}")
            reached.update([name] if code == KILLED else [])
            job.must_run()
            job.check(f"after {name}{batch}")
    missing = {"after_prepare", "during_publish", "after_sink_log", "after_commit_log", "after_stage_sync"} - reached
    if missing:
        raise Failure(f"never reached: {missing}")
    print("points reached: " + " ".join(sorted(reached)))


def at_random(job, generator):
    job.forget()
    kills = 0
    while kills < 40:
        code, err = job.run(kill_after=generator.uniform(0.01, 0.4))
        if code == 0:
            break
        if code != KILLED:
            raise Failure(f"ended with {code}: {err[-1000:]}")
        kills += 1
    job.must_run()
    job.check(f"after {kills} kills")


def the_command_dies_with_arus(job):
    """What it started too: none of it writes while the next run does."""
    job.forget()
    (job.folder / "log").unlink(missing_ok=True)
    pipeline(job.folder, "echo begin >> log; if [ -e second ]; then echo end >> log; else sleep 600 & wait; echo end >> log; fi")
    code, _ = job.run(env={"ARUS_FAILPOINT": "during_publish"})
    (job.folder / "second").touch()
    job.must_run()
    lines = (job.folder / "log").read_text().split()
    if code != KILLED or lines not in (["begin", "begin", "end"], ["begin", "end"]):
        raise Failure(f"exit {code}, {lines}")


def the_next_run_waits_for_what_escaped(job):
    job.forget()
    for name in ("log", "second"):
        (job.folder / name).unlink(missing_ok=True)
    pipeline(job.folder, "if [ -e second ]; then echo again >> log; else touch second; "
                         "setsid sh -c \"touch escaped; sleep 2; echo escaped >> log\" & while [ ! -e escaped ]; do sleep 0.05; done; "
                         "kill -9 $(ps -o ppid= -p $(ps -o ppid= -p $$)); sleep 600; fi")
    job.run()
    code, err = job.run()
    lines = (job.folder / "log").read_text().split()
    if code != 0 or lines != ["escaped", "again"]:
        raise Failure(f"exit {code}, {lines}: {err[-500:]}")


def the_same_bytes_come_again(job):
    job.forget()
    pipeline(job.folder, "cat > bytes.$ARUS_BATCH_ID.$(ls bytes.* 2>/dev/null | wc -l); test -e fine")
    if job.run()[0] != 1:
        raise Failure("a command that fails must end the query")
    job.add_files(1)  # does not belong to the batch
    (job.folder / "fine").touch()
    job.must_run()
    first, second, third = (sorted(job.folder.glob("bytes.*"), key=lambda p: int(p.name.split(".")[2])))
    if first.read_bytes() != second.read_bytes() or third.name.split(".")[1] != "1":
        raise Failure(f"{[p.name for p in (first, second, third)]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--quick", action="store_true", help="each fail point once")
    args = parser.parse_args()
    generator = random.Random(seed_of(args.seed))
    folder = temporary_folder()
    tests = [lambda job: at_each_point(job, args.quick), *[lambda job: at_random(job, generator)] * args.rounds, the_command_dies_with_arus,
             the_next_run_waits_for_what_escaped, the_same_bytes_come_again]
    failed = 0
    for test in tests:
        try:
            test(CommandJob(os.path.join(folder, "job")))
        except Failure as failure:
            failed += 1
            print(f"FAIL {test.__name__}: {failure}", flush=True)
    shutil.rmtree(folder)
    finish(len(tests) - failed, failed)


main()
