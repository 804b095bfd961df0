#!/usr/bin/env python3
"""arus topics, offsets and cat kafka: against a real broker."""
import json

import cluster
from cluster import Run, contains, equal

cluster.start_again_with_kafka()


def lines(done):
    equal(done.returncode, 0, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_topics_are_listed(broker, topics):
    topics.create("orders", 3)
    topics.create("order-lines")
    topics.put("orders", *[(f"k{i}", f"v{i}") for i in range(10)])
    run = Run("")
    equal(lines(run.arus("topics", "-b", broker.servers, "--json", "^order")),
          [{"topic": "order-lines", "partitions": 1, "offsets": 0}, {"topic": "orders", "partitions": 3, "offsets": 10}])
    equal(len(lines(run.arus("topics", "--json", env={"ARUS_KAFKA_BROKERS": broker.servers}))), 2)
    contains(run.arus("topics").stderr, "which Kafka cluster?", "ARUS_KAFKA_BROKERS")


def test_records_are_shown(broker, topics):
    run = Run("")
    rows = lines(run.arus("cat", "kafka:orders", "-b", broker.servers, "--json"))
    equal(sorted((row["key"], row["value"]) for row in rows), [(f"k{i}", f"v{i}") for i in range(10)])
    equal(len(lines(run.arus("cat", "kafka:orders", "-b", broker.servers, "--json", "-n", "3"))), 3)
    failed = run.arus("cat", "kafka:order", "-b", broker.servers)
    equal(failed.returncode, 2)
    contains(failed.stderr, "has no topic `order`", "did you mean `orders`?")


def test_follow_goes_on_as_records_come(broker, topics):
    topics.create("tail")
    topics.put("tail", ("k", "1"))
    run = Run("")
    process = cluster.start([cluster.ARUS, "cat", "kafka:tail", "-b", broker.servers, "--follow"], cwd=run.folder)
    equal(json.loads(process.stdout.readline())["value"], "1")
    topics.put("tail", ("k", "2"), (None, None))
    row = json.loads(process.stdout.readline())
    equal((row["partition"], row["offset"], row["key"], row["value"]), (0, 1, "k", "2"))
    equal(json.loads(process.stdout.readline())["value"], None)
    process.terminate()
    equal((process.wait(cluster.PATIENCE), process.stdout.read()), (0, ""))
    equal([row["value"] for row in lines(run.arus("cat", "kafka:tail", "-b", broker.servers, "--follow", "-n", "2"))], ["1", "2"])
    contains(run.arus("cat", "out", "--follow").stderr, "--follow is for topics")


def test_offsets_of_a_checkpoint(broker, topics):
    run = Run("""CREATE TABLE t USING kafka OPTIONS (kafka.bootstrap.servers '$BROKER', subscribe 'orders', startingOffsets 'earliest', maxOffsetsPerTrigger 5);
CREATE STREAMING TABLE out USING json TBLPROPERTIES (path 'out', checkpointLocation 'ckpt', trigger 'availableNow') AS SELECT CAST(value AS STRING) v FROM STREAM t;
""", BROKER=broker.servers)
    run.run()
    rows = lines(run.arus("offsets", "ckpt", "--json"))
    equal([(row["source"], row["partition"], row["lag"]) for row in rows], [("orders", 0, 0), ("orders", 1, 0), ("orders", 2, 0)])
    equal(sum(row["offset"] for row in rows), 10)
    equal(lines(run.arus("offsets", "p.sql", "--json")), rows)


def test_secrets_are_never_shown(broker, topics):
    text = """CREATE TABLE t USING kafka OPTIONS (kafka.bootstrap.servers '$BROKER', subscribe 'orders', startingOffsets 'earliest',
  kafka.sasl.username 'me', kafka.sasl.password '${env:ARUS_TEST_WORD}', kafka.client.id '${file:id.txt}');
CREATE STREAMING TABLE out USING json TBLPROPERTIES (path 'out', checkpointLocation 'ckpt', trigger 'availableNow') AS SELECT CAST(value AS STRING) v FROM STREAM t;
"""
    run = Run(text, BROKER=broker.servers)
    (run.folder / "id.txt").write_text("hidden-id\n")
    word = {"ARUS_TEST_WORD": "s3cret-word"}
    contains(run.run(code=2).stderr, "ARUS_TEST_WORD is not set", "p.sql:2")
    run.run(env=word)
    shown = run.arus("explain", "-v", "p.sql", env=word)
    seen = shown.stdout + shown.stderr + run.arus("status", "ckpt", "--json").stdout + (run.folder / "progress.json").read_text()
    for path in (run.folder / "ckpt").rglob("*"):
        if path.is_file():
            seen += path.read_bytes().decode(errors="replace")
    for secret in ("s3cret-word", "hidden-id"):
        if secret in seen:
            raise cluster.Failure(f"{secret} is shown")


if __name__ == "__main__":
    def make():
        broker = cluster.Broker()
        return broker, cluster.Topics(broker.servers)
    cluster.run_all(globals(), make)
