"""What the crash tests share: a landing folder, a pipeline, runs with faults, and the check that every row is there once."""
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ARUS = os.path.abspath(os.environ.get("ARUS", ROOT / "build" / "dev" / "arus"))
SHIM = os.path.abspath(os.environ.get("ARUS_SHIM", pathlib.Path(ARUS).parent / "tests" / "libfault_shim.so"))

PIPELINE = """SET spark.sql.session.timeZone = UTC;
CREATE TABLE events (id BIGINT, k STRING, ts TIMESTAMP, v DOUBLE)
  USING json OPTIONS (path 'in', maxFilesPerTrigger {files}{options});
CREATE STREAMING TABLE out
  USING {format}{partitioned}
  TBLPROPERTIES (path 'out', checkpointLocation 'ckpt', outputMode 'append', trigger 'availableNow'{more})
AS SELECT id, k, ts, v * 2 AS v2 FROM STREAM events WHERE id % 10 <> 3;
"""


class Failure(Exception):
    pass


class Job:
    """One pipeline in a folder of its own: input files, runs, checks."""

    command = ("run", "p.sql")  # what is disturbed
    is_cleaning_up_owed = True  # False: a source file that should be gone by now may still be there
    kill_batches, kill_within = ("", ":1", ":2"), 0.06  # fail points strike in these batches; seconds until a random kill

    def __init__(self, folder, files=12, rows=40, files_per_batch=2, partitioned=False, sink="parquet", rejects=False):
        self.folder, self.name = pathlib.Path(folder), sink + (", partitioned" if partitioned else "") + (", rejects" if rejects else "")
        self.rows, self.sink, self.rejects = rows, sink, rejects
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "in").mkdir(parents=True)
        text = PIPELINE.format(files=files_per_batch, format=sink, partitioned=" PARTITIONED BY (k)" if partitioned else "",
                               options=", mode 'DROPMALFORMED'" if rejects else "", more=", rejectsTable 'true'" if rejects else "")
        (self.folder / "p.sql").write_text(text)
        self.file_count = 0
        self.add_files(files)

    def add_files(self, count):
        for number in range(self.file_count, self.file_count + count):
            path = self.folder / "in" / f"part-{number:05}.json"
            lines = (json.dumps({"id": number * self.rows + i, "k": f"k{i % 5}", "ts": f"2026-01-01T00:{i % 60:02}:00Z",
                                 "v": i / 4}) for i in range(self.rows))
            path.write_text("\n".join([*lines, *self.bad_lines(number)]) + "\n")
            os.utime(path, (1767225600 + number, 1767225600 + number))
        self.file_count += count

    def bad_lines(self, number):
        """Of a file: they belong into the side table."""
        return [f"{{ bad {number} {i}" for i in range(3)] if self.rejects else []

    def wanted(self):
        return [i for i in range(self.file_count * self.rows) if i % 10 != 3]

    def run(self, env=None, shim=None, timeout=600, kill_after=None, command=None):
        """Exit code (negative: signal) and stderr."""
        full = {**os.environ, "TZ": "UTC", **(env or {})}
        if shim is not None:
            full.update(LD_PRELOAD=SHIM, ARUS_SHIM_ROOT=str(self.folder), **shim)
        process = subprocess.Popen([ARUS, *(command or self.command)], cwd=self.folder, env=full, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, errors="replace")
        try:
            _, err = process.communicate(timeout=kill_after if kill_after is not None else timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            _, err = process.communicate()
            if kill_after is None:
                raise Failure(f"no end within {timeout} s: {err[-500:]}")
        return process.returncode, err

    def was_done(self, code, err):
        """It ended well, or says that a run before, killed behind its last step, has done it."""
        return code == 0

    def must_run(self):
        """The query goes on to its end."""
        code, err = self.run(command=("run", "p.sql"))
        if code != 0:
            raise Failure(f"a clean run ended with {code}: {err[-2000:]}")

    def ids(self, *command):
        done = subprocess.run([ARUS, *command], cwd=self.folder, capture_output=True, text=True, timeout=600,
                              env={**os.environ, "TZ": "UTC"})
        if done.returncode != 0:
            raise Failure(f"{command}: {done.stderr[-1000:]}")
        return done.stdout

    def check(self, what):
        """Every row exactly once, by the sink's log and by a plain glob that knows no log; nothing half-done left."""
        wanted = self.wanted()
        for line_source, values in (("arus cat", self.cat_rows()), ("a plain glob", self.glob_rows())):
            counts = collections.Counter(values)
            if counts != collections.Counter(wanted):
                lost = [i for i in wanted if i not in counts][:5]
                doubled = [i for i, n in counts.items() if n > 1][:5]
                raise Failure(f"{what}: {line_source} sees {len(values)} rows, {len(wanted)} wanted; lost {lost}, doubled {doubled}")
        self.check_values(what)
        if self.rejects:
            self.check_rejects(what)
        left = [p for p in (self.folder / "out").rglob("*") if p.is_file() and ".staging" in p.parts and not p.name.startswith(".")]
        if left:
            raise Failure(f"{what}: left in staging: {left[:3]}")

    def check_rejects(self, what):
        got = sorted(json.loads(line)["raw"] for line in self.ids("cat", "--json", "--rejects", "ckpt").splitlines())
        wanted = sorted(line for number in range(self.file_count) for line in self.bad_lines(number))
        if got != wanted:
            raise Failure(f"{what}: {len(got)} rejected lines, {len(wanted)} wanted; {got[:3]}")

    def cat_rows(self):
        return [json.loads(line)["id"] for line in self.ids("cat", "--json", "out").splitlines()]

    def check_values(self, what):
        for line in self.ids("cat", "--json", "out").splitlines():
            row = json.loads(line)
            i = row["id"] % self.rows
            if row["k"] != f"k{i % 5}" or abs(float(row["v2"]) - i / 2) > 1e-9:
                raise Failure(f"{what}: wrong row {row}")

    def glob_rows(self):
        pattern = f"out/{'*/' if self.partitioned() else ''}*.{self.sink}"
        if not list(self.folder.glob(pattern)):
            return []
        text = self.ids("sql", "--rows", f"SELECT id FROM {self.sink}.`{pattern}`")
        return [int(json.loads(line)[0]) for line in text.splitlines()[1:]]

    def partitioned(self):
        return "PARTITIONED" in (self.folder / "p.sql").read_text()

    def forget(self):
        """Back to the input alone."""
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        shutil.rmtree(self.folder / "ckpt", ignore_errors=True)


def fail_points():
    """Names that `arus help --failpoints` lists, those of sinks and sources that this job uses."""
    done = subprocess.run([ARUS, "help", "--failpoints"], capture_output=True, text=True, check=True)
    return [line.split()[0] for line in done.stdout.splitlines() if line.strip()]


def temporary_folder(prefix="arus-crash-"):
    return tempfile.mkdtemp(prefix=prefix, dir=os.environ.get("ARUS_CRASH_DIR"))


def seed_of(argument):
    seed = argument if argument is not None else random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}", flush=True)
    return seed


def finish(passed, failed):
    print(f"{passed} passed, {failed} failed", flush=True)
    sys.exit(1 if failed or not passed else 0)


KILLED = -signal.SIGKILL
