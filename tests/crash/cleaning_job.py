"""A job of the crash tests whose source is cleaned up."""
import shutil

from harness import Failure, Job

OPTIONS = {"delete": "cleanSource 'delete'", "archive": "cleanSource 'archive', sourceArchiveDir 'old'"}


class CleaningJob(Job):
    """A job whose source is cleaned up, with a folder that the input is copied from."""

    def __init__(self, folder, way, files=10, rows=10, **sizes):
        super().__init__(folder, files=files, rows=rows, **sizes)
        self.way, self.name = way, "clean_" + way
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
        if sorted(left) != sorted(every)[-2:] if self.is_cleaning_up_owed else not set(sorted(every)[-2:]) <= set(left):
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
