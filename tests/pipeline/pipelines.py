"""What the pipeline tests share: a folder of their own, runs of arus, and checks that read like the rule they pin."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ARUS = os.path.abspath(os.environ.get("ARUS", ROOT / "build" / "dev" / "arus"))
EXERCISES = ROOT / "tests" / "exercises"
MTIME_FIRST = 1772442000  # file k of a set is a minute younger than file k - 1


class Case:
    """A temporary folder, runs in it, and what came out."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="arus-pipeline-"))

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return self.folder / name

    def put(self, source, to, mtime=None):
        """Copies a file of the exercises with its place in time."""
        target = self.path(to)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(EXERCISES / source, target)
        number = re.search(r"(\d+)\.\w+$", source)
        when = mtime if mtime is not None else MTIME_FIRST + 60 * int(number.group(1) if number else 0)
        os.utime(target, (when, when))

    def put_text(self, to, text, mtime=None):
        target = self.path(to)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        if mtime is not None:
            os.utime(target, (mtime, mtime))

    def forget(self, folder):
        shutil.rmtree(self.path(folder), ignore_errors=True)

    def pipeline(self, name, **edits):
        """A pipeline of the exercises, with words replaced."""
        text = (EXERCISES / "pipelines" / name).read_text()
        for old, new in edits.items():
            assert old in text, old
            text = text.replace(old, new)
        self.path(name).write_text(text)
        return name

    def arus(self, *args, expect=0, env=None):
        done = subprocess.run([ARUS, *args], cwd=self.folder, capture_output=True, text=True, timeout=1200,
                              env={**os.environ, "TZ": "UTC", "COLUMNS": "120", **(env or {})})
        if expect is not None and done.returncode != expect:
            raise AssertionError(f"arus {' '.join(args)}: exit {done.returncode}, {expect} wanted\n{done.stdout}{done.stderr}")
        self.out, self.err = done.stdout, done.stderr
        return done

    def run(self, name, expect=0):
        """Progress records of one run."""
        progress = self.path("progress.jsonl")
        progress.unlink(missing_ok=True)
        self.arus("run", "--progress", "progress.jsonl", name, expect=expect)
        if not progress.exists():
            return []
        return [json.loads(line) for line in progress.read_text().splitlines()]

    def batches(self, name):
        """(batch id, input rows) of the batches one run made."""
        return [(r["batchId"], r["numInputRows"]) for r in self.run(name) if "addBatch" in r["durationMs"]]

    def cat(self, folder):
        self.arus("cat", "--json", folder)
        return [json.loads(line) for line in self.out.splitlines()]

    def rows(self, query):
        self.arus("sql", "--rows", query)
        return sorted(json.loads(line) for line in self.out.splitlines()[1:])

    def tree(self, folder):
        base = self.path(folder)
        return sorted(str(p.relative_to(base)) for p in base.rglob("*")
                      if p.is_file() and not any(part.startswith(".") for part in p.relative_to(base).parts))

    def sha256_of_rows(self, columns, folder):
        """The hash the exercises give: header and rows as CSV text, rows sorted by bytes."""
        lines = sorted(",".join(row) for row in self.rows(f"SELECT {', '.join(columns)} FROM parquet.`{folder}`"))
        return hashlib.sha256("\n".join([",".join(columns)] + lines + [""]).encode()).hexdigest()


class Skipped(Exception):
    """This machine cannot show it; the text says why."""


def equal(got, wanted, what=""):
    if got != wanted:
        raise AssertionError(f"{what}: got {got!r}, wanted {wanted!r}")


def run_all(tests):
    """Runs functions that take a Case; prints failures and the counting line."""
    passed = failed = skipped = 0
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    for test in tests:
        if only not in test.__name__:
            continue
        case = Case()
        try:
            test(case)
            passed += 1
            case.close()
        except Skipped as reason:
            skipped += 1
            print(f"SKIPPED {test.__name__}: {reason}", flush=True)
            case.close()
        except Exception:
            failed += 1
            print(f"FAIL {test.__name__} (left in {case.folder})\n{traceback.format_exc()}", flush=True)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    sys.exit(1 if failed or not passed else 0)
