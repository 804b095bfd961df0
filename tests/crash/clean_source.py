#!/usr/bin/env python3
"""cleanSource: SIGKILL at every fail point and at random moments; no file is cleaned up unread, no row comes twice.

    ARUS=build/dev/arus tests/crash/clean_source.py [--rounds 10] [--seed N]
"""
import argparse
import random
import shutil

from harness import KILLED, Failure, Job, fail_points, finish, seed_of, temporary_folder

OPTIONS = {"delete": "cleanSource 'delete'", "archive": "cleanSource 'archive', sourceArchiveDir 'old'"}


class CleaningJob(Job):
    """A job whose source is cleaned up, with a folder that the input is copied from."""

    def __init__(self, folder, way, files=10):
        super().__init__(folder, files=files, rows=10)
        self.way = way
        pipeline = (self.folder / "p.sql").read_text()
        (self.folder / "p.sql").write_text(pipeline.replace("path 'in',", f"path 'in', {OPTIONS[way]},"))
        (self.folder / "in").rename(self.folder / "all")
        self.forget()

    def forget(self):
        super().forget()
        for name in ("in", "old"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        if (self.folder / "all").exists():
            shutil.copytree(self.folder / "all", self.folder / "in")  # with the times

    def check(self, what):
        super().check(what)
        every = {path.name: path.read_bytes() for path in (self.folder / "all").iterdir()}
        left = {path.name: path.read_bytes() for path in (self.folder / "in").iterdir()}
        archived = {path.name: path.read_bytes() for path in (self.folder / "old").rglob("*.json")}
        if sorted(left) != sorted(every)[-2:]:
            raise Failure(f"{what}: left {sorted(left)}: those of the last batch stay, all others go")
        if self.way == "archive" and {**archived, **left} != every or set(archived) & set(left):
            raise Failure(f"{what}: archived {sorted(archived)}, left {sorted(left)}")

    def read_ids(self):
        """Rows whose files are no longer there: they must be in the sink."""
        here = {path.name for path in (self.folder / "in").iterdir()}
        gone = [n for n in range(self.file_count) if f"part-{n:05}.json" not in here]
        return {i for n in gone for i in range(n * self.rows, (n + 1) * self.rows) if i % 10 != 3}

    def check_killed(self, what):
        gone = self.read_ids()
        seen = set(self.cat_rows()) if (self.folder / "out/_spark_metadata").exists() else set()
        if not gone <= seen:
            raise Failure(f"{what}: cleaned up, not in the sink: {sorted(gone - seen)[:5]}")


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
