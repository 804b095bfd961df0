"""Jobs of the crash tests that keep state: the result equals that of a run that nothing disturbed, row for row."""
import collections
import json
import os
import pathlib
import random
import shutil

from harness import Failure, Job

HEAD = """SET spark.sql.session.timeZone = UTC;
CREATE TABLE a (id BIGINT, k STRING, ts TIMESTAMP, v INT) USING json OPTIONS (path 'a', maxFilesPerTrigger 1, mode 'DROPMALFORMED');
CREATE TABLE b (id BIGINT, k STRING, ts TIMESTAMP, v INT) USING json OPTIONS (path 'b', maxFilesPerTrigger 1);
CREATE STREAMING TABLE out USING {sink} trigger 'availableNow', minBatchesToRetain 3{more})
AS """

QUERIES = {
    "windows": """SELECT window.start AS s, k, count(*) AS n, sum(v) AS v, max(k) AS mk, collect_set(v % 3) AS vs
        FROM STREAM a WATERMARK ts DELAY OF INTERVAL 2 MINUTES GROUP BY window(ts, '3 minutes'), k""",
    "dedup": "SELECT k, v FROM drop_duplicates(TABLE(SELECT * FROM STREAM a), 'k', 'v')",
    "dedup_within": """SELECT k FROM drop_duplicates_within_watermark(
        TABLE(SELECT * FROM STREAM a WATERMARK ts DELAY OF INTERVAL 4 MINUTES), 'k')""",
    "sessions": """SELECT session_window.start AS s, session_window.end AS e, k, count(*) AS n
        FROM STREAM a WATERMARK ts DELAY OF INTERVAL 1 MINUTE GROUP BY session_window(ts, '70 seconds'), k""",
    "join": """SELECT a.id AS x, b.id AS y FROM STREAM a WATERMARK ts DELAY OF INTERVAL 2 MINUTES AS a
        LEFT JOIN STREAM b WATERMARK ts DELAY OF INTERVAL 2 MINUTES AS b
        ON a.k = b.k AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 2 MINUTES""",
    "chain": """SELECT window.start AS s, count(*) AS n, sum(n) AS m FROM
        (SELECT window_time(window) AS t, n FROM
         (SELECT window, k, count(*) AS n FROM STREAM a WATERMARK ts DELAY OF INTERVAL 1 MINUTE
          GROUP BY window(ts, '1 minute'), k)) GROUP BY window(t, '5 minutes')""",
    "update": """SELECT window.start AS s, k, count(*) AS n, sum(v) AS v
        FROM STREAM a WATERMARK ts DELAY OF INTERVAL 2 MINUTES GROUP BY window(ts, '3 minutes'), k""",
    "aside": """SELECT window.start AS s, count(*) AS n FROM STREAM a WATERMARK ts DELAY OF INTERVAL 2 MINUTES
        GROUP BY window(ts, '3 minutes')""",
}
SET_ASIDE = "aside"  # the job with side tables; its input has bad lines too


class StateJob(Job):
    """Two folders of events whose times move on with each file, some late; what comes out is compared with a quiet run."""

    kill_batches, kill_within = ("", ":4"), 0.08

    def __init__(self, folder, name, files=7, rows=60):
        self.folder, self.name = pathlib.Path(folder), name
        shutil.rmtree(self.folder, ignore_errors=True)
        for side in "ab":
            (self.folder / side).mkdir(parents=True)
            for number in range(files):
                self.write(side, number, rows)
        more = ", lateTable 'true', rejectsTable 'true'" if name == SET_ASIDE else ""
        (self.folder / "p.sql").write_text(HEAD.format(sink=self.sink_clause(), more=more) + QUERIES[name] + ";\n")
        self.must_run()
        self.golden = self.closed()
        if not self.golden:
            raise Failure(f"{name}: a quiet run gives nothing, the test would say nothing")

    def sink_clause(self):
        return "parquet TBLPROPERTIES (path 'out', checkpointLocation 'ckpt', outputMode 'append',"

    def write(self, side, number, rows):
        path = self.folder / side / f"part-{number:03}.json"
        generator = random.Random(f"{side}{number}")
        lines = []
        for i in range(rows):
            second = number * 150 + generator.randrange(200) - (400 if generator.random() < 0.05 else 0)
            minute, second = divmod(max(second, 0), 60)
            lines.append(json.dumps({"id": number * rows + i, "k": f"key {generator.randrange(12)}",
                                     "ts": f"2026-01-01T00:{minute:02}:{second:02}Z", "v": generator.randrange(8)}))
            if self.name == SET_ASIDE and i % 20 == 7:
                lines.append("{ bad")
        path.write_text("\n".join(lines) + "\n")
        os.utime(path, (1767225600 + number, 1767225600 + number))

    def closed(self):
        """All that comes out once events of another day have closed everything: a restart knows no batch that is due
        without input, so the last rows may wait for the next event (as in Spark)."""
        for side in "ab":
            path = self.folder / side / "zz-last.json"
            path.write_text(json.dumps({"id": 10 ** 9, "k": "last", "ts": "2026-01-02T00:00:00Z", "v": 99}) + "\n")
            os.utime(path, (1767325600, 1767325600))
        self.must_run()
        return self.rows_now()

    def forget(self):
        super().forget()
        for side in "ab":
            (self.folder / side / "zz-last.json").unlink(missing_ok=True)

    def rows_now(self):
        places = [["out"]] + [["--" + side, "ckpt"] for side in ("late", "rejects") if self.name == SET_ASIDE]
        rows = [json.loads(line) for place in places for line in self.ids("cat", "--json", *place).splitlines()]
        keep = [{key: sorted(value) if isinstance(value, list) else value for key, value in row.items()} for row in rows]
        return collections.Counter(json.dumps(row, sort_keys=True) for row in keep)

    def check(self, what):
        got = self.closed()
        if got != self.golden:
            lost, more = list((self.golden - got).items())[:3], list((got - self.golden).items())[:3]
            raise Failure(f"{self.name}: {what}: lost {lost}, too many {more}")
