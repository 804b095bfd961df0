#!/usr/bin/env python3
"""A stateless query reads a topic: its checkpoint goes from arus to real Spark and back, every record once.

    ARUS=build/dev/arus ARUS_PYTHON=$(scripts/install-oracles) tests/spark/kafka_takeover.py      needs Java, Maven and what tests/kafka needs
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "kafka"))
import cluster  # noqa: E402
from cluster import Failure, equal  # noqa: E402

cluster.start_again_with_kafka()

JARS = pathlib.Path(cluster.HOME + "-spark-4.2.0")
PIPELINE = """SET spark.sql.session.timeZone = UTC;
CREATE TABLE t USING kafka OPTIONS (kafka.bootstrap.servers '$BROKER', subscribe '$TOPIC', startingOffsets 'earliest', maxOffsetsPerTrigger 7$MORE);
CREATE STREAMING TABLE out USING $SINK TBLPROPERTIES (path 'out', checkpointLocation 'ckpt', trigger 'availableNow')
AS SELECT CAST(key AS STRING) AS k, CAST(CAST(value AS STRING) AS BIGINT) AS v, topic, partition, offset FROM STREAM t WHERE partition < 5;
"""


def connector():
    """The connector's jars, fetched once."""
    if not (JARS / ".done").exists():
        subprocess.run(["mvn", "-B", "-q", "-f", str(ROOT / "tests/spark/kafka-connector.pom.xml"), "dependency:copy-dependencies",
                        "-DincludeArtifactIds=spark-sql-kafka-0-10_2.13,spark-token-provider-kafka-0-10_2.13,kafka-clients,commons-pool2", f"-DoutputDirectory={JARS}"], check=True)
        (JARS / ".done").touch()
    return ",".join(str(path) for path in sorted(JARS.glob("*.jar")))


class Relay(cluster.Run):
    def __init__(self, broker, topics, sink, more=""):
        self.topics, self.topic, self.count, self.python = topics, f"relay-{time.time_ns()}", 0, os.environ["ARUS_PYTHON"]
        topics.create(self.topic, 3)
        super().__init__(PIPELINE, BROKER=broker.servers, TOPIC=self.topic, SINK=sink, MORE=more)

    def put(self, count):
        self.topics.put(self.topic, *[(f"k{i}", str(i)) for i in range(self.count, self.count + count)])
        self.count += count

    def by_arus(self):
        self.run()

    def by_spark(self):
        done = subprocess.run([self.python, str(ROOT / "tools/arus-on-spark.py"), "p.sql", "--local", "--conf", "spark.jars=" + connector()],
                              cwd=self.folder, capture_output=True, text=True, env={**os.environ, "TZ": "UTC"}, timeout=600, preexec_fn=cluster.die_with_us)
        if done.returncode != 0:
            raise Failure(done.stderr[-3000:])

    def check(self, who):
        rows = self.rows()
        equal(sorted(row["v"] for row in rows), list(range(self.count)), f"after {who}")
        equal(collections.Counter((row["partition"], row["offset"]) for row in rows).most_common(1)[0][1], 1, f"after {who}")


def test_the_checkpoint_goes_there_and_back(broker, topics):
    for sink in ("parquet", "json"):
        run = Relay(broker, topics, sink)
        for who, count in (("arus", 20), ("spark", 15), ("arus", 30), ("spark", 5), ("arus", 0), ("arus", 9)):
            run.put(count)
            getattr(run, "by_" + who)()
            run.check(f"{who} ({sink})")


def test_spark_begins(broker, topics):
    run = Relay(broker, topics, "json")
    for who, count in (("spark", 10), ("arus", 10), ("spark", 10)):
        run.put(count)
        getattr(run, "by_" + who)()
        run.check(who)


def test_transactions_and_new_partitions_change_hands(broker, topics):
    run = Relay(broker, topics, "json", ", kafka.isolation.level 'read_committed'")
    run.put(10)
    run.by_arus()
    topics.transaction(run.topic, "x", "y", end="abort")
    topics.grow(run.topic, 4)
    run.put(10)
    run.by_spark()
    run.check("spark")
    topics.transaction(run.topic, "x", end="abort")
    run.by_arus()
    run.put(3)
    run.by_arus()
    run.check("arus")


if __name__ == "__main__":
    if "ARUS_PYTHON" not in os.environ:
        sys.exit("ARUS_PYTHON names no python with pyspark")

    def make():
        broker = cluster.Broker()
        return broker, cluster.Topics(broker.servers)
    cluster.run_all(globals(), make)
