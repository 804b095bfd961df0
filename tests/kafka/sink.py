#!/usr/bin/env python3
"""The Kafka sink against a real broker: what a reader of committed records sees."""
import json
import os
import shutil
import signal
import time

import cluster
from cluster import Run, contains, equal

cluster.start_again_with_kafka()

PIPELINE = """SET spark.sql.session.timeZone = UTC;
CREATE TABLE input ($COLUMNS) USING json OPTIONS (path 'in', maxFilesPerTrigger '1');
CREATE STREAMING TABLE result USING kafka
  TBLPROPERTIES (kafka.bootstrap.servers '$BROKER', $OPTIONS checkpointLocation 'ckpt', trigger 'availableNow')
AS SELECT $SELECT FROM STREAM input;
"""
numbers = iter(range(1, 1000))


def topic():
    return f"s{next(numbers)}-{time.time_ns() % 100000}"


class Job(Run):
    def __init__(self, broker, options, select="CAST(id AS STRING) AS key, CAST(id AS STRING) AS value", columns="id BIGINT"):
        super().__init__(PIPELINE, BROKER=broker.servers, OPTIONS=options and options + ",", SELECT=select, COLUMNS=columns)
        (self.folder / "in").mkdir()
        self.count = 0

    def add(self, *rows):
        path = self.folder / "in" / f"{self.count:05}.json"
        path.write_text("".join(json.dumps(row if isinstance(row, dict) else {"id": row}) + "\n" for row in rows))
        os.utime(path, (1767225600 + self.count, 1767225600 + self.count))
        self.count += 1


def test_each_row_arrives_once_and_in_order(broker, topics):
    name = topic()
    topics.create(name)
    job = Job(broker, f"topic '{name}'")
    for i in range(30):
        job.add(i)
    job.run()
    equal(topics.values(name), [str(i) for i in range(30)])
    job.run()
    job.add(30, 31)
    job.run()
    equal(topics.values(name), [str(i) for i in range(32)])


def test_a_death_at_any_point_changes_nothing(broker, topics):
    for point in ("after_run", "before_prepare", "after_prepare", "after_flush_before_kafka_commit",
                  "after_kafka_commit_before_commit_log", "after_commit_log"):
        name = topic()
        topics.create(name, 2)
        job = Job(broker, f"topic '{name}', kafka.transaction.timeout.ms '600000'")
        job.add(1, 2)
        job.run()
        job.add(3, 4)
        job.run(code=-9, env={"ARUS_FAILPOINT": point + ":1"})
        job.add(5)
        job.run()
        equal(sorted(topics.values(name)), list("12345"), point)


def test_topics_and_partitions_by_row(broker, topics):
    first, second = topic(), topic()
    topics.create(first, 4)
    topics.create(second, 4)
    job = Job(broker, "", "t AS topic, p AS partition, CAST(v AS BINARY) AS value", "t STRING, p INT, v STRING")
    job.add({"t": first, "p": 2, "v": "a"}, {"t": second, "p": 0, "v": "b"}, {"t": first, "p": 3, "v": None})
    job.run()
    equal([(m.partition(), m.key(), m.value()) for m in topics.read(first)], [(2, None, b"a"), (3, None, None)])
    equal([(m.partition(), m.value()) for m in topics.read(second)], [(0, b"b")])
    job.add({"t": first, "p": 4, "v": "x"})
    contains(job.run(code=1).stderr, first, "names a partition that is not there")
    equal(len(topics.read(first)), 2)


def test_the_option_beats_the_column(broker, topics):
    first, second = topic(), topic()
    topics.create(first)
    topics.create(second)
    job = Job(broker, f"topic '{first}'", f"'{second}' AS topic, CAST(id AS STRING) AS value")
    job.add(1)
    job.run()
    equal((topics.values(first), topics.values(second)), (["1"], []))


def test_keys_go_where_java_puts_them(broker, topics):
    name = topic()
    topics.create(name, 4)
    job = Job(broker, f"topic '{name}'", "k AS key, k AS value", "k STRING")
    keys = ["0", "1", "2", "3", "4", "5", "6", "7", "key-a", "é", ""]
    job.add(*[{"k": key} for key in keys])
    job.run()
    got = {m.value().decode(): m.partition() for m in topics.read(name)}
    equal(got, {"": 1, "0": 0, "1": 3, "2": 0, "3": 3, "4": 1, "5": 2, "6": 2, "7": 3, "key-a": 2, "é": 3})


def test_headers(broker, topics):
    name = topic()
    topics.create(name)
    job = Job(broker, f"topic '{name}'", "'v' AS value, CASE WHEN id = 1 THEN array(named_struct('key', 'a', 'value', CAST('b' AS BINARY)), "
              "named_struct('key', 'a', 'value', CAST(NULL AS BINARY))) END AS headers")
    job.add(1, 2)
    job.run()
    equal([m.headers() for m in topics.read(name)], [[("a", b"b"), ("a", None)], None])


def test_refused_records_leave_nothing(broker, topics):
    name = topic()
    topics.create(name, 1, **{"max.message.bytes": 1000000})
    job = Job(broker, f"topic '{name}', kafka.compression.type 'none'", "CAST(id AS STRING) AS key, repeat('x', n) AS value", "id BIGINT, n INT")
    job.add({"id": 1, "n": 10}, {"id": 2, "n": 2000000})
    contains(job.run(code=1).stderr, name, "size", "kafka.message.max.bytes")
    text = (job.folder / "p.sql").read_text()
    job.write(text.replace("topic '", "kafka.message.max.bytes '5000000', topic '"))
    contains(job.run(code=1).stderr, name, "size", "max.message.bytes")
    equal(topics.values(name), [])
    topics.alter(name, **{"max.message.bytes": 5000000})
    job.run()
    equal([len(v) for v in topics.values(name)], [10, 2000000])


def test_small_records_whose_batch_is_too_large_go_one_by_one(broker, topics):
    name = topic()
    topics.create(name, 1, **{"max.message.bytes": 10000})
    job = Job(broker, f"topic '{name}', kafka.compression.type 'none'", "repeat(CAST(id AS STRING), 6000) AS value")
    job.add(1, 2, 3)
    job.run()
    equal([v[0] for v in topics.values(name)], ["1", "2", "3"])


def test_compacted_topics_want_keys(broker, topics):
    name = topic()
    topics.create(name, 1, **{"cleanup.policy": "compact"})
    job = Job(broker, f"topic '{name}', kafka.delivery.timeout.ms '10000'", "CAST(NULL AS STRING) AS key, CAST(id AS STRING) AS value")
    job.add(1)
    contains(job.run(code=1).stderr, name, "without a key")
    equal(topics.values(name), [])


def test_mistakes_name_the_place(broker, topics):
    name = topic()
    topics.create(name)
    for options, select, words in (
            (f"topic '{name}'", "id AS key, 'v' AS value", ["_LEGACY_ERROR_TEMP_3080", "`key`"]),
            (f"topic '{name}'", "'k' AS key", ["_LEGACY_ERROR_TEMP_3080", "`value`"]),
            ("", "'k' AS value", ["_LEGACY_ERROR_TEMP_3080", "topic"]),
            (f"topic '{name}', kafka.key.serializer 'x'", "'v' AS value", ["key.serializer"]),
            (f"topic '{name}', kafka.transactional.id 'x'", "'v' AS value", ["transactional.id"]),
            (f"topic '{name}x'", "'v' AS value", ["ARUS_KAFKA_UNKNOWN_TOPIC", f"did you mean `{name}`?", "p.sql:4"])):
        job = Job(broker, options, select)
        job.add(1)
        contains(job.run(code=2).stderr, *words)
    job = Job(broker, "", "CAST(NULL AS STRING) AS topic, 'v' AS value")
    job.add(1)
    contains(job.run(code=1).stderr, "KAFKA_NULL_TOPIC_IN_DATA")


def test_no_broker_is_an_error_in_time(broker, topics):
    class Nowhere:
        servers = "127.0.0.1:1"
    job = Job(Nowhere, "topic 'out'")
    job.add(1)
    contains(job.run(code=None).stderr, "no Kafka broker at 127.0.0.1:1", "onnection refused", "ARUS_KAFKA_UNREACHABLE", "p.sql:4")


def test_the_older_of_two_producers_is_fenced_off(broker, topics):
    """Stopped with its transaction open, replaced by a run on a copy of the checkpoint, woken (public report BR-147)."""
    name = topic()
    topics.create(name)
    job = Job(broker, f"topic '{name}'")
    job.add(1)
    job.run()
    job.add(2)
    first = job.start(env={"ARUS_PAUSEPOINT": "after_flush_before_kafka_commit:1"})
    cluster.wait_stopped(first)
    second = Job(broker, f"topic '{name}'")
    shutil.copytree(job.folder / "ckpt", second.folder / "ckpt")
    second.write((job.folder / "p.sql").read_text().replace("'in'", f"'{job.folder}/in'"))
    second.run()
    equal(topics.values(name), ["1", "2"])
    first.send_signal(signal.SIGCONT)
    said = first.communicate(timeout=cluster.PATIENCE)[0]
    equal(first.returncode, 1, said)
    contains(said, "ARUS_KAFKA_FENCED", "fenced: another producer has transactional id")
    equal((job.folder / "ckpt" / "commits" / "1").exists(), False)
    equal(topics.values(name), ["1", "2"])


def test_an_old_copy_of_the_checkpoint_is_refused(broker, topics):
    name = topic()
    topics.create(name)
    job = Job(broker, f"topic '{name}'")
    job.add(1)
    job.run()
    shutil.copytree(job.folder / "ckpt", job.folder / "old")
    job.add(2)
    job.run()
    shutil.rmtree(job.folder / "ckpt")
    (job.folder / "old").rename(job.folder / "ckpt")
    contains(job.run(code=3).stderr, "ARUS_KAFKA_FENCE_AHEAD", "older copy")
    equal(topics.values(name), ["1", "2"])


def test_a_lost_fence_topic_stops_the_query(broker, topics):
    name = topic()
    topics.create(name)
    topics.create(name + "-fence", 1, **{"cleanup.policy": "compact"})
    job = Job(broker, f"topic '{name}', fenceTopic '{name}-fence'")
    job.add(1)
    job.run()
    topics.delete(name + "-fence")
    job.add(2)
    contains(job.run(code=3).stderr, "ARUS_KAFKA_FENCE_LOST")
    topics.create(name + "-fence", 1, **{"cleanup.policy": "compact"})
    contains(job.run(code=3).stderr, "ARUS_KAFKA_FENCE_LOST", "knows of none")
    equal(topics.values(name), ["1"])


def test_at_least_once_has_no_transactions(broker, topics):
    name = topic()
    topics.create(name)
    job = Job(broker, f"topic '{name}', deliveryGuarantee 'atLeastOnce'")
    job.add(1, 2)
    job.run()
    job.add(3)
    job.run(code=-9, env={"ARUS_FAILPOINT": "after_prepare:1"})
    job.run()
    equal(topics.values(name), ["1", "2", "3"])
    equal(topics.ends(name)[0][1], 3)


def test_columns_become_json(broker, topics):
    name = topic()
    topics.create(name)
    job = Job(broker, f"topic '{name}', format 'json', key.columns 'id', value.timestampFormat 'yyyy'",
              "id, t AS at, named_struct('x', id) AS s, CAST(NULL AS STRING) AS gone", "id BIGINT, t TIMESTAMP")
    job.add({"id": 7, "t": "2026-01-02T00:00:00Z"})
    job.run()
    equal([(m.key(), m.value()) for m in topics.read(name)], [(b'{"id":7}', b'{"id":7,"at":"2026","s":{"x":7}}')])
    job = Job(broker, f"topic '{name}', value.format 'json'", "CAST(id AS STRING) AS key, id + 1 AS n")
    job.add(1)
    job.run()
    equal([(m.key(), m.value()) for m in topics.read(name)][1:], [(b"1", b'{"n":2}')])
    contains(Job(broker, f"topic '{name}', value.format 'csv'", "id").run(code=2).stderr, "writes json, text or avro")
    contains(Job(broker, f"topic '{name}', value.format 'text'", "id").run(code=2).stderr, "one STRING or BINARY")


def test_kafka_to_kafka(broker, topics):
    source, target = topic(), topic()
    topics.create(source, 4)
    topics.create(target, 4)
    topics.put(source, *[(str(i), "x" * (i % 300)) for i in range(20000)])
    run = Run(f"""CREATE TABLE src USING kafka OPTIONS (kafka.bootstrap.servers '{broker.servers}', subscribe '{source}', startingOffsets 'earliest', maxOffsetsPerTrigger 7000);
CREATE STREAMING TABLE out USING kafka TBLPROPERTIES (kafka.bootstrap.servers '{broker.servers}', topic '{target}', checkpointLocation 'ckpt', trigger 'availableNow')
AS SELECT key, value FROM STREAM src;""")
    run.run()
    equal(sorted((int(m.key()), len(m.value())) for m in topics.read(target)), [(i, i % 300) for i in range(20000)])


if __name__ == "__main__":
    def make():
        broker = cluster.Broker()
        return broker, cluster.Topics(broker.servers)
    cluster.run_all(globals(), make)
