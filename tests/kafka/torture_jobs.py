"""The queries of the crash test, each with its input and what must be there afterwards."""
import collections
import json
import re
import time

import cluster
from cluster import Failure, Run

PARTITIONS = 3
DELAY = 30  # seconds of the watermark, beyond what the partitions of a batch lie apart
WINDOW = 10


class Job(Run):
    """`rows` rows, `per_batch` in a micro-batch. Subclasses: PIPELINE, fill, check_rows."""

    has_fence = True

    def __init__(self, broker, topics, rows, per_batch):
        tag = time.time_ns()
        self.topics, self.row_count, self.per_batch = topics, rows, per_batch
        self.source, self.target = f"in-{tag}", f"out-{tag}"
        super().__init__("")
        self.fill()
        self.write(self.PIPELINE, BROKER=broker.servers, SOURCE=self.source, TARGET=self.target, PER=per_batch, FOLDER=self.folder,
                   DELAY=DELAY + per_batch)

    def fill(self):
        self.topics.create(self.source, PARTITIONS)
        self.topics.create(self.target, PARTITIONS)
        for partition in range(PARTITIONS):
            self.topics.put(self.source, *[self.record(i) for i in range(self.row_count) if i % PARTITIONS == partition], partition=partition)

    @staticmethod
    def record(i):
        return str(i), str(i)

    def check(self):
        self.check_rows()
        if self.has_fence:
            self.check_fence()

    def check_fence(self):
        query = re.search(r'"id":"([^"]+)"', (self.folder / "ckpt" / "metadata").read_text())[1]
        batches = [int(re.search(r'"batch":(\d+)', m.value().decode())[1]) for m in self.topics.read("arus.fence." + query)
                   if b"batch" in m.value()]
        if batches != list(range(len(batches))):
            raise Failure(f"fence records {batches}")

    def each_once(self, numbers):
        counts = collections.Counter(numbers)
        lost = [i for i in range(self.row_count) if counts[i] == 0]
        twice = [i for i, n in counts.items() if n > 1]
        if lost or twice:
            raise Failure(f"{len(lost)} rows lost {lost[:5]}, {len(twice)} twice {twice[:5]}")

    @staticmethod
    def in_order(pairs):
        """(group, number): numbers of a group ascend."""
        last = {}
        for group, number in pairs:
            if last.get(group, -1) >= number:
                raise Failure(f"row {number} behind {last[group]}")
            last[group] = number


class Pass(Job):
    """Topic to topic. What is written differs from attempt to attempt: two halves of two attempts are seen as such."""

    PIPELINE = """CREATE TABLE src USING kafka OPTIONS (kafka.bootstrap.servers '$BROKER', subscribe '$SOURCE', startingOffsets 'earliest', maxOffsetsPerTrigger $PER);
CREATE STREAMING TABLE out USING kafka TBLPROPERTIES (kafka.bootstrap.servers '$BROKER', topic '$TARGET', checkpointLocation 'ckpt', trigger 'availableNow')
AS SELECT key, concat(CAST(value AS STRING), ' ', CAST(current_timestamp() AS STRING)) AS value FROM STREAM src;
"""

    def check_rows(self):
        messages = self.topics.read(self.target)
        self.each_once(int(m.key()) for m in messages)
        # by partition and offset: rows of one source partition stay in order
        self.in_order(((m.partition(), int(m.key()) % PARTITIONS), int(m.key())) for m in messages)


class Windows(Job):
    """Topic, counts of ten seconds by name, topic: what is in no window when the process dies comes out of the state."""

    PIPELINE = """CREATE TABLE src (i BIGINT, name STRING, at TIMESTAMP) USING kafka
  OPTIONS (kafka.bootstrap.servers '$BROKER', subscribe '$SOURCE', startingOffsets 'earliest', maxOffsetsPerTrigger $PER, format 'json');
CREATE STREAMING TABLE out USING kafka TBLPROPERTIES (kafka.bootstrap.servers '$BROKER', topic '$TARGET', checkpointLocation 'ckpt', trigger 'availableNow')
AS SELECT name AS key, to_json(named_struct('at', unix_seconds(window.start), 'n', count(*), 'sum', sum(i))) AS value
FROM STREAM src WATERMARK at DELAY OF INTERVAL $DELAY SECONDS GROUP BY window(at, '10 seconds'), name;
"""
    LAST = 10000000  # closes all windows; its own stays open

    def fill(self):
        super().fill()
        self.topics.put(self.source, self.record(self.LAST), partition=0)

    @staticmethod
    def record(i):
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1767225600 + i))
        return str(i), json.dumps({"i": i, "name": f"n{i % 7}", "at": at})

    def check_rows(self):
        wanted = collections.defaultdict(lambda: [0, 0])
        for i in range(self.row_count):
            group = wanted[f"n{i % 7}", 1767225600 + i // WINDOW * WINDOW]
            group[0] += 1
            group[1] += i
        found = {}
        for m in self.topics.read(self.target):
            row = json.loads(m.value())
            group = (m.key().decode(), row["at"])
            if group in found:
                raise Failure(f"window {group} came twice")
            found[group] = [row["n"], row["sum"]]
        if found != dict(wanted):
            bad = [g for g in wanted if found.get(g) != wanted[g]]
            raise Failure(f"{len(wanted)} windows, {len(found)} found; {len(bad)} not as they should be: {bad[:3]}")


class Parquet(Job):
    """Topic to Parquet files."""

    has_fence = False
    PIPELINE = """CREATE TABLE src USING kafka OPTIONS (kafka.bootstrap.servers '$BROKER', subscribe '$SOURCE', startingOffsets 'earliest', maxOffsetsPerTrigger $PER);
CREATE STREAMING TABLE out USING parquet TBLPROPERTIES (path 'out', checkpointLocation 'ckpt', trigger 'availableNow')
AS SELECT CAST(CAST(key AS STRING) AS BIGINT) AS i, partition, offset FROM STREAM src;
"""

    def check_rows(self):
        rows = self.rows()
        self.each_once(row["i"] for row in rows)
        places = {(row["partition"], row["offset"]) for row in rows}
        if len(places) != self.row_count:
            raise Failure(f"{len(places)} places of {self.row_count} rows")


class Folder(Job):
    """A folder of JSON files to a topic; the rows of one key lie in one file."""

    PIPELINE = """CREATE TABLE src (i BIGINT, file INT) USING json OPTIONS (path '$FOLDER/in', maxFilesPerTrigger '2');
CREATE STREAMING TABLE out USING kafka TBLPROPERTIES (kafka.bootstrap.servers '$BROKER', topic '$TARGET', checkpointLocation 'ckpt', trigger 'availableNow')
AS SELECT CAST(file AS STRING) AS key, concat(CAST(i AS STRING), ' ', CAST(current_timestamp() AS STRING)) AS value FROM STREAM src;
"""

    def fill(self):
        self.topics.create(self.target, PARTITIONS)
        (self.folder / "in").mkdir()
        for file, begin in enumerate(range(0, self.row_count, self.per_batch)):
            rows = range(begin, min(begin + self.per_batch, self.row_count))
            (self.folder / "in" / f"{file:05}.json").write_text("".join(json.dumps({"i": i, "file": file}) + "\n" for i in rows))

    def check_rows(self):
        found = [(m.key(), int(m.value().split()[0])) for m in self.topics.read(self.target)]
        self.each_once(i for _, i in found)
        self.in_order(found)


JOBS = {"pass": Pass, "windows": Windows, "parquet": Parquet, "folder": Folder}
