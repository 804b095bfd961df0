#!/usr/bin/env python3
"""A broker that goes away and comes back: a run without an end says so once and goes on by itself."""
import signal
import threading
import time

import cluster
from cluster import Failure, Run, contains, equal
from proxy import Proxy

cluster.start_again_with_kafka()

STATELESS = """CREATE TABLE t USING kafka OPTIONS (kafka.bootstrap.servers '$BROKER', subscribe '$SOURCE', startingOffsets 'earliest');
CREATE STREAMING TABLE out USING kafka TBLPROPERTIES (kafka.bootstrap.servers '$BROKER', topic '$TARGET', checkpointLocation 'ckpt')
AS SELECT key, value FROM STREAM t;
"""
STATEFUL = STATELESS.replace("checkpointLocation", "outputMode 'update', checkpointLocation").replace(
    "key, value FROM STREAM t", "CAST(value AS STRING) AS key, CAST(count(*) AS STRING) AS value FROM STREAM t GROUP BY value")
numbers = iter(range(1, 1000))


class Job(Run):
    """Runs until it is told to stop; what it says is kept line by line."""

    def __init__(self, text, servers, topics, env=None):
        tag = f"{next(numbers)}-{time.time_ns() % 100000}"
        self.topics, self.source, self.target = topics, f"in-{tag}", f"out-{tag}"
        topics.create(self.source)
        topics.create(self.target)
        super().__init__(text, BROKER=servers, SOURCE=self.source, TARGET=self.target)
        self.run_on(env)

    def run_on(self, env=None):
        self.lines = []
        self.process = self.start(env=env)
        self.reader = threading.Thread(target=lambda: self.lines.extend(iter(self.process.stdout.readline, "")), daemon=True)
        self.reader.start()

    def wait(self, is_so):
        end = time.time() + cluster.PATIENCE
        while not is_so():
            if self.process.poll() is not None or time.time() > end:
                raise Failure(f"exit {self.process.poll()}: {''.join(self.lines)}")
            time.sleep(0.05)

    def wait_batch(self, number):
        self.wait(lambda: (self.folder / "ckpt" / "commits" / str(number)).exists())

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        equal(self.process.wait(cluster.PATIENCE), 0, "".join(self.lines))
        self.reader.join()
        return "".join(self.lines)

    def newest(self):
        return {m.key(): m.value() for m in self.topics.read(self.target)}


def commits(job):
    return len(list((job.folder / "ckpt" / "commits").glob("[0-9]*")))


def lost_and_found(text, broker, topics):
    job = Job(text, broker.servers, topics)
    topics.put(job.source, *[(f"k{i}", f"k{i}") for i in range(10)])
    job.wait_batch(0)
    broker.kill()
    job.wait(lambda: any("trying again" in line for line in job.lines))
    broker.start()
    before = commits(job)
    topics.put(job.source, *[(f"k{i}", f"k{i}") for i in range(5)])
    job.wait(lambda: commits(job) > before)
    job.wait(lambda: any("goes on after" in line for line in job.lines))
    return job


def test_a_stateless_query_goes_on(broker, topics):
    job = lost_and_found(STATELESS, broker, topics)
    said = job.stop()
    contains(said, "no Kafka broker at", "ARUS_KAFKA_UNREACHABLE")
    equal(said.count("ARUS_KAFKA_UNREACHABLE"), 1, said)
    equal(sorted(topics.values(job.target)), sorted(f"k{i % 10}" for i in range(15)))


def test_a_stateful_query_goes_on_with_its_state(broker, topics):
    job = lost_and_found(STATEFUL, broker, topics)
    said = job.stop()
    equal(said.count("ARUS_KAFKA_UNREACHABLE"), 1, said)
    equal(job.newest(), {f"k{i}".encode(): b"2" if i < 5 else b"1" for i in range(10)})


def test_a_stop_ends_the_waiting(broker, topics):
    job = Job(STATELESS, broker.servers, topics)
    topics.put(job.source, "a")
    job.wait_batch(0)
    broker.kill()
    job.wait(lambda: any("trying again" in line for line in job.lines))
    job.stop()
    broker.start()


def test_a_stop_while_a_batch_is_sent(broker, topics):
    job = Job(STATEFUL, broker.servers, topics, env={"ARUS_PAUSEPOINT": "after_flush_before_kafka_commit:1"})
    topics.put(job.source, ("a", "a"))
    job.wait_batch(0)
    topics.put(job.source, ("a", "a"))
    cluster.wait_stopped(job.process)
    broker.kill()
    job.process.send_signal(signal.SIGCONT)
    begin = time.time()
    job.stop()  # the broker is still away: the open transaction is left to the next start
    if time.time() - begin > 100:
        raise Failure(f"the stop took {time.time() - begin:.0f} s")
    broker.start()
    job.run_on()
    job.wait_batch(1)
    job.stop()
    equal([m.value() for m in topics.read(job.target)], [b"1", b"2"])


def test_a_restart_in_the_middle_of_a_transaction(broker, topics):
    proxy = Proxy(hold=2)  # EndTxn 1: the marker; 2: batch 0, whose connection is cut before the broker has it
    behind = cluster.Broker("--set", f"advertised.listeners=PLAINTEXT://127.0.0.1:{proxy.port}")
    proxy.broker_port = int(behind.servers.split(":")[1])
    servers = f"127.0.0.1:{proxy.port}"
    own = cluster.Topics(servers)
    job = Job(STATEFUL, servers, own)
    own.put(job.source, *[(f"k{i}", f"k{i}") for i in range(100)])
    job.wait(lambda: proxy.held is not None)
    behind.kill()
    behind.start()
    job.wait_batch(0)
    own.put(job.source, "k1")
    before = commits(job)
    job.wait(lambda: commits(job) > before or len(job.newest()) == 100)
    job.wait(lambda: job.newest().get(b"k1") == b"2")
    job.stop()
    equal(job.newest(), {f"k{i}".encode(): b"2" if i == 1 else b"1" for i in range(100)})
    equal(len(own.read(job.target)), 101)
    behind.close()
    proxy.close()


if __name__ == "__main__":
    def make():
        broker = cluster.Broker()
        return broker, cluster.Topics(broker.servers)
    cluster.run_all(globals(), make)
