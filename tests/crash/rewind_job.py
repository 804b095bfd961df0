"""Jobs of the crash tests in which a command works on a checkpoint: rewind, backup."""
import json
import os
import pathlib
import shutil

from harness import Failure, Job

WINDOWS = """SET spark.sql.session.timeZone = UTC;
CREATE TABLE events (id BIGINT, k STRING, ts TIMESTAMP, v DOUBLE) USING json OPTIONS (path 'in', maxFilesPerTrigger 2);
CREATE STREAMING TABLE out USING parquet TBLPROPERTIES (path 'out', checkpointLocation 'ckpt', trigger 'availableNow')
AS SELECT window.start AS s, k, count(*) AS n, sum(v) AS v FROM STREAM events WATERMARK ts DELAY OF INTERVAL 1 MINUTE
   GROUP BY window(ts, '1 minute'), k;
"""


class KeptJob(Job):
    """Runs first in peace; `forget` brings that back."""

    kill_batches, kill_within = ("", ":1", ":7"), 0.03

    def keep(self):
        self.kept = pathlib.Path(str(self.folder) + "-kept")
        shutil.rmtree(self.kept, ignore_errors=True)
        for name in ("out", "ckpt"):
            shutil.copytree(self.folder / name, self.kept / name)

    def forget(self):
        super().forget()
        for name in ("out", "ckpt"):
            shutil.copytree(self.kept / name, self.folder / name)


    def was_done(self, code, err):
        return code == 0 or code == 2 and self.DONE in err


class RewindJob(KeptJob):
    """Goes back to an earlier batch; the query then makes the later ones again."""

    DONE = "the newest batch is 3"

    def __init__(self, folder, name="rewind", partitioned=False, files=22, rows=6):
        super().__init__(folder, files=files, rows=rows, files_per_batch=2, partitioned=partitioned)
        self.name, self.command = name, self.back_to(3)
        if name == "rewind_state":
            (self.folder / "p.sql").write_text(WINDOWS)
            for number, path in enumerate(sorted((self.folder / "in").iterdir())):
                path.write_text(path.read_text().replace("T00:", f"T{number:02}:"))
                os.utime(path, (1767225600 + number, 1767225600 + number))
        self.must_run()
        self.golden = self.seen()
        self.keep()

    @staticmethod
    def back_to(batch):
        return ("rewind", "p.sql", "--to-batch", str(batch))

    def seen(self):
        """Rows; and the files, without those of the sink's data: their names tell which thread wrote them."""
        files = sorted(str(p.relative_to(self.folder)) for name in ("out/_spark_metadata", "ckpt") for p in (self.folder / name).rglob("*")
                       if p.is_file() and not any(part.startswith(".") for part in p.relative_to(self.folder).parts) and "state" not in p.parts)
        return sorted(self.ids("cat", "--json", "out").splitlines()), files

    def parts(self):
        return {str(p) for p in (self.folder / "out").rglob("part-*")}

    def listed(self):
        entries = [line for p in (self.folder / "out/_spark_metadata").iterdir() if p.name[0] != "." for line in p.read_text().splitlines()[1:]]
        return {json.loads(line)["path"].removeprefix("file://") for line in entries}

    def check(self, what):
        rows, files = self.seen()
        if rows != self.golden[0]:
            raise Failure(f"{what}: {len(rows)} rows, {len(self.golden[0])} wanted")
        if files != self.golden[1]:
            raise Failure(f"{what}: files differ: {sorted(set(files) ^ set(self.golden[1]))[:6]}")
        if self.parts() != self.listed():
            raise Failure(f"{what}: data files and the log differ: {sorted(self.parts() ^ self.listed())[:4]}")

    def published(self):
        return json.loads(self.ids("status", "--json", "ckpt"))["published"]


class BackupJob(KeptJob):
    """Copies the checkpoint: the copy is there as a whole or not at all, and the query can go on with it."""

    command, DONE = ("backup", "ckpt", "bak"), "ARUS_TARGET_NOT_EMPTY"

    def __init__(self, folder, files=6, rows=20, **sizes):
        super().__init__(folder, files=files, rows=rows, **sizes)
        self.name = "backup"
        self.must_run()
        self.keep()
        self.add_files(files)  # for the copy

    def forget(self):
        super().forget()
        for path in self.folder.glob("bak*"):
            shutil.rmtree(path)

    def must_run(self):
        """The original is lost, the query goes on with the copy."""
        if hasattr(self, "kept"):
            if not (self.folder / "bak").exists():
                self.ids(*self.command)
            if sorted(path.name for path in self.folder.glob("bak*")) != ["bak"]:
                raise Failure(f"left: {list(self.folder.glob('bak*'))}")
            shutil.rmtree(self.folder / "ckpt")
            (self.folder / "bak").rename(self.folder / "ckpt")
        super().must_run()
