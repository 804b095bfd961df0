#!/usr/bin/env python3
"""The Kafka cases of tests/conformance, observed on Spark: memory tables become JSON folders, a run is a process."""
import collections
import json
import os
import re
import sys
import time

import cluster
from cluster import Failure, Run, equal

cluster.start_again_with_kafka()

CASES = cluster.ROOT / "tests" / "conformance" / "cases" / "kafka.json"
ONE_BATCH = {"ARUS_FAILPOINT": "after_commit_log"}  # dies behind the first batch that it makes


class Skipped(Exception):
    pass


class Case:
    def __init__(self, case, broker, topics):
        self.topics, self.names = topics, {"$TOPIC": f"{case['id']}-{time.time_ns() % 100000}", "$BROKER": broker.servers, "$DIR": "."}
        if case["pipeline"] is None:
            raise Skipped("a table case")
        if any("advance_wall_clock_ms" in step for step in case["steps"]):
            raise Skipped("needs one process with a clock moved by hand")
        text = self.fill(case["pipeline"])
        text = text.replace("USING memory TBLPROPERTIES (", "USING json TBLPROPERTIES (path 'out', trigger '$TRIGGER', ")
        text = text.replace("out USING kafka TBLPROPERTIES (", "out USING kafka TBLPROPERTIES (trigger '$TRIGGER', ")
        self.text = re.sub(r"(CREATE TABLE \w+ \([^)]*\)) USING memory", r"\1 USING json OPTIONS (path 'in')", text)
        self.job = Run("")
        (self.job.folder / "in").mkdir()
        self.columns = {m[1]: m[2] for m in re.finditer(r"CREATE TABLE (\w+) \(([^)]*)\)", case["pipeline"])}
        self.seen, self.added, self.writer, self.failure = collections.Counter(), 0, None, None

    def fill(self, value):
        text = json.dumps(value)
        for name, to in self.names.items():
            text = text.replace(name, to)
        return json.loads(text)

    def run(self, trigger="availableNow", env=None):
        self.job.write(self.text.replace("$TRIGGER", trigger))
        self.failure = self.job.run(code=None, env=env)

    def rows(self):
        has_files = any(path.stat().st_size for path in (self.job.folder / "out").glob("part-*"))
        return collections.Counter(tuple(row.values()) for row in self.job.rows()) if has_files else collections.Counter()

    def check_good(self):
        if self.failure is not None and self.failure.returncode not in (0, -9):
            raise Failure(self.failure.stderr)

    def step(self, step):
        step = self.fill(step)
        topic = step.pop("topic", self.names["$TOPIC"])
        for name, value in step.items():
            if name != "end":
                getattr(self, "do_" + name)(value, topic, step)

    def do_create_topic(self, value, *_):
        for name, partitions in value.items():
            self.topics.create(name, partitions)

    def do_delete_topic(self, value, *_):
        self.topics.delete(value)

    def do_add_partitions_to(self, value, topic, _):
        self.topics.grow(topic, value)

    def do_delete_records_before(self, value, *_):
        for name, partitions in value.items():
            for partition, before in partitions.items():
                self.topics.expire(name, int(partition), before)

    def do_produce_any(self, value, topic, _):
        self.topics.put(topic, *map(str, value))

    def do_produce(self, value, topic, _):
        for partition, values in value.items():
            self.topics.put(topic, *map(str, values), partition=int(partition))

    def do_produce_at(self, value, topic, _):
        for stamp, partitions in value.items():
            for partition, values in partitions.items():
                self.topics.put(topic, *map(str, values), partition=int(partition), timestamp=int(stamp))

    def do_transaction(self, value, topic, step):
        self.topics.transaction(topic, *map(str, value), end=step["end"])
        time.sleep(0.3)

    def do_transaction_open(self, value, topic, _):
        self.writer = self.topics.transaction(topic, *map(str, value), end="open")

    def do_transaction_end(self, value, *_):
        self.writer.commit_transaction(30) if value == "commit" else self.writer.abort_transaction(30)
        time.sleep(0.3)

    def do_add(self, value, *_):
        for table, rows in value.items():
            names = [column.split()[0] for column in self.columns[table].split(",")]
            path = self.job.folder / "in" / f"{self.added}.json"
            path.write_text("".join(json.dumps(dict(zip(names, row))) + "\n" for row in rows))
            os.utime(path, (1767225600 + self.added, 1767225600 + self.added))
            self.added += 1

    def do_start(self, *_):
        self.run()
        self.check_good()

    def do_stop(self, *_):
        pass

    def do_restart(self, *_):
        self.run(env=ONE_BATCH)

    do_run_trigger = do_restart

    def do_run(self, value, *_):
        self.run("once" if value == "one batch" else "availableNow")

    def do_expect_all(self, value, *_):
        self.check_good()
        equal(self.rows(), collections.Counter(map(tuple, value)))

    def do_expect_new(self, value, *_):
        self.check_good()
        now = self.rows()
        equal(now - self.seen, collections.Counter(map(tuple, value)))
        self.seen = now

    def do_expect_batches_with_input(self, value, *_):
        equal(sum(p["numInputRows"] > 0 for p in self.job.progress()), value)

    def do_expect_no_offset_logged(self, value, *_):
        self.run()
        for path in (self.job.folder / "ckpt" / "offsets").iterdir():
            if value in path.read_text().splitlines()[2:]:
                raise Failure(f"{path.name} holds {value}")

    def do_expect_file_bytes(self, value, *_):
        equal((self.job.folder / value["path"]).read_bytes(), bytes([value["first_byte"]]) + value["then"].encode())

    def do_expect_error(self, value, *_):
        if self.failure is None or self.failure.returncode in (0, -9):
            raise Failure("no error")
        if value.get("condition", "") not in self.failure.stderr:
            raise Failure(self.failure.stderr)

    def do_expect_topic(self, value, *_):
        self.check_good()
        for name, rows in value.items():
            equal(sorted(self.topics.values(name)), sorted(row[0] for row in rows))

    def do_expect_topic_partitions(self, value, *_):
        self.check_good()
        for name, rows in value.items():
            equal(sorted([m.value().decode(), m.partition()] for m in self.topics.read(name)), sorted(rows))

    def __getattr__(self, name):
        raise Skipped(name)


def main():
    broker = cluster.Broker()
    topics = cluster.Topics(broker.servers)
    counts = collections.Counter()
    for case in json.loads(CASES.read_text())["cases"]:
        if sys.argv[1:] and not any(name in case["id"] for name in sys.argv[1:]):
            continue
        try:
            running = Case(case, broker, topics)
            for step in case["steps"]:
                running.step(dict(step))
            outcome = "passed"
        except Skipped as reason:
            outcome = "skipped"
            print(f"skip {case['id']}: {reason}")
        except Exception as error:  # noqa: BLE001
            outcome = "failed"
            print(f"FAIL {case['id']}: {type(error).__name__}: {error}", flush=True)
        counts[outcome] += 1
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    sys.exit(1 if counts["failed"] else 0)


main()
