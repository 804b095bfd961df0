"""Jobs of the crash tests whose sink is a command."""
import collections
import json
import pathlib
import shutil
import sqlite3

from harness import ROOT, Failure, Job
from state_job import StateJob

EXAMPLE = ROOT / "config" / "pipelines"


def pipeline(folder, command, files=100):
    (folder / "p.sql").write_text(
        f"CREATE TABLE t (id BIGINT, k STRING, ts TIMESTAMP, v DOUBLE) USING json OPTIONS (path 'in', maxFilesPerTrigger {files});\n"
        "CREATE STREAMING TABLE o USING exec TBLPROPERTIES (checkpointLocation 'ckpt', trigger 'availableNow',\n"
        f"  command '{command}') AS SELECT id AS event_id, k AS device, ts AS event_time, v AS value FROM STREAM t;\n")


class CommandJob(Job):
    """The example program of config/pipelines with rows of its own: each is in SQLite once, whatever happens."""

    kill_within = 0.4

    def __init__(self, folder, files=6, rows=20):
        super().__init__(folder, files=files, rows=rows)
        self.name = "command"
        shutil.copy(EXAMPLE / "to_sqlite.py", self.folder)
        pipeline(self.folder, "python3 to_sqlite.py out.db", files=2)

    def wanted(self):
        return list(range(self.file_count * self.rows))

    def check(self, what):
        with sqlite3.connect(self.folder / "out.db") as database:
            rows = database.execute("SELECT CAST(event_id AS INTEGER), device, value FROM events").fetchall()
            batches = database.execute("SELECT batch FROM batches ORDER BY batch").fetchall()
        counts = collections.Counter(row[0] for row in rows)
        if counts != collections.Counter(self.wanted()):
            doubled = [i for i, n in counts.items() if n > 1][:5]
            raise Failure(f"{what}: {len(rows)} rows, {len(self.wanted())} wanted; doubled {doubled}")
        if any(row[1] != f"k{row[0] % self.rows % 5}" or row[2] != row[0] % self.rows / 4 for row in rows):
            raise Failure(f"{what}: a row has other values")
        if [batch for batch, in batches] != list(range(len(batches))):
            raise Failure(f"{what}: batches {batches}")

    def forget(self):
        super().forget()
        for path in self.folder.glob("out.db*"):
            path.unlink()


class UpdateJob(StateJob):
    """Windows in update mode, each batch handed to a command: the last row of each group is that of a quiet run, and a batch
    that comes again has the same bytes."""

    TAKE = """import os, sys
name, data = "batch." + os.environ["ARUS_BATCH_ID"], sys.stdin.buffer.read()
if os.path.exists(name) and open(name, "rb").read() != data:
    open("differs", "w")
with open(".part", "wb") as file:
    file.write(data)
    file.flush()
    os.fsync(file.fileno())
os.rename(".part", name)
os.fsync(os.open(".", os.O_RDONLY))
"""

    def __init__(self, folder, name, **sizes):
        pathlib.Path(str(folder) + "-take.py").write_text(self.TAKE)
        super().__init__(folder, name, **sizes)

    def sink_clause(self):
        return f"exec TBLPROPERTIES (command 'python3 {self.folder}-take.py', checkpointLocation 'ckpt', outputMode 'update',"

    def rows_now(self):
        last = {}
        for path in sorted(self.folder.glob("batch.*"), key=lambda path: int(path.suffix[1:])):
            for row in map(json.loads, path.read_text().splitlines()):
                last[row["s"], row["k"]] = json.dumps(row, sort_keys=True)
        return collections.Counter(last.values())

    def check(self, what):
        if (self.folder / "differs").exists():
            raise Failure(f"{what}: a batch came again with other bytes")
        super().check(what)

    def forget(self):
        super().forget()
        for path in [*self.folder.glob("batch.*"), self.folder / "differs", self.folder / ".part"]:
            path.unlink(missing_ok=True)
