#!/usr/bin/env python3
"""Deaths, zombies, dying brokers and late requests: a reader of committed records sees every row once, in order.

  torture.py [--rounds N] [--seed S] [--brokers 3]

With three brokers a dying one may be the leader of any partition, or the coordinator of the transactions.
"""
import argparse
import collections
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import cluster
from cluster import Failure, Run
from proxy import Proxy

cluster.start_again_with_kafka()

POINTS = ["after_plan", "after_sources", "after_offsets_before_sink", "after_run", "after_stage_sync", "before_prepare", "after_prepare",
          "after_flush_before_kafka_commit", "after_kafka_commit_before_commit_log", "after_commit_log"]
PIPELINE = """CREATE TABLE src USING kafka OPTIONS (kafka.bootstrap.servers '$BROKER', subscribe '$SOURCE', startingOffsets 'earliest', maxOffsetsPerTrigger $PER);
CREATE STREAMING TABLE out USING kafka TBLPROPERTIES (kafka.bootstrap.servers '$BROKER', topic '$TARGET', checkpointLocation 'ckpt', trigger 'availableNow')
AS SELECT key, concat(CAST(value AS STRING), ' ', CAST(current_timestamp() AS STRING)) AS value FROM STREAM src;
"""
PARTITIONS = 3


class Job(Run):
    def __init__(self, broker, topics, rows, per_batch):
        tag = time.time_ns()
        self.source, self.target, self.row_count = f"in-{tag}", f"out-{tag}", rows
        topics.create(self.source, PARTITIONS)
        topics.create(self.target, PARTITIONS)
        for partition in range(PARTITIONS):
            topics.put(self.source, *[(str(i), str(i)) for i in range(rows) if i % PARTITIONS == partition], partition=partition)
        super().__init__(PIPELINE, BROKER=broker.servers, SOURCE=self.source, TARGET=self.target, PER=per_batch)

    def fence_topic(self):
        return "arus.fence." + re.search(r'"id":"([^"]+)"', (self.folder / "ckpt" / "metadata").read_text())[1]

    def check(self, topics):
        messages = topics.read(self.target)
        counts = collections.Counter(int(m.key()) for m in messages)
        lost = [i for i in range(self.row_count) if counts[i] == 0]
        twice = [i for i, n in counts.items() if n > 1]
        if lost or twice:
            raise Failure(f"{len(lost)} rows lost {lost[:5]}, {len(twice)} twice {twice[:5]}")
        batches = [int(re.search(r'"batch":(\d+)', m.value().decode())[1]) for m in topics.read(self.fence_topic()) if b"batch" in m.value()]
        if batches != list(range(len(batches))):
            raise Failure(f"fence records {batches}")
        last = {}
        for m in messages:  # by partition and offset: rows of one source partition stay in order
            group = (m.partition(), int(m.key()) % PARTITIONS)
            if last.get(group, -1) >= int(m.key()):
                raise Failure(f"row {int(m.key())} behind {last[group]}")
            last[group] = int(m.key())


def end_soon(process, seconds):
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def zombie(job, rng):
    """Stopped, replaced on a copy of its checkpoint, woken. Gives the outcome; the copy that went on stays."""
    first = job.start()
    if end := _quick(first, rng.uniform(0.05, 0.5)):
        return f"ended {end}"
    while not (job.folder / "ckpt" / "metadata").exists() and first.poll() is None:
        time.sleep(0.01)
    first.send_signal(signal.SIGSTOP)
    copy = job.folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    shutil.copytree(job.folder / "ckpt", copy / "ckpt")
    shutil.copy(job.folder / "p.sql", copy / "p.sql")
    second = cluster.start([cluster.ARUS, "run", "p.sql"], cwd=copy)
    second_code = end_soon(second, rng.uniform(0.3, 1.5))
    first.send_signal(signal.SIGCONT)
    first_code = end_soon(first, cluster.PATIENCE)
    probe = job.arus("run", "p.sql", env={"ARUS_FAILPOINT": "after_plan"})
    if probe.returncode == 3:  # the other one went on
        shutil.rmtree(job.folder / "ckpt")
        (copy / "ckpt").rename(job.folder / "ckpt")
    return f"first {first_code}, second {second_code}"


def _quick(process, seconds):
    try:
        return "early: " + str(process.wait(seconds))
    except subprocess.TimeoutExpired:
        return None


def one_round(job, broker, rng, number, kinds):
    chance = rng.random()
    if chance < 0.5:
        point = POINTS[number % len(POINTS)]
        batch = rng.choice(["", "", ":%d" % rng.randrange(0, 200)])
        code = end_soon(job.start(env={"ARUS_FAILPOINT": point + batch}), 5)
        kinds[point] += 1
    elif chance < 0.9:
        code = end_soon(job.start(), rng.uniform(0, 0.9))
        kinds["random time"] += 1
    elif chance < (0.94 if "--brokers" in broker.options else 0.96):
        kinds["zombie"] += 1
        zombie(job, rng)
        code = None
    else:
        kinds["broker"] += 1
        process = job.start()
        time.sleep(rng.uniform(0.05, 0.5))
        node = [str(rng.randrange(1, 4))] if "--brokers" in broker.options else []
        broker.kill(*node)
        time.sleep(rng.uniform(0, 0.5))
        broker.start(*(["--node", *node] if node else []))
        code = end_soon(process, cluster.PATIENCE)
    return code


def kills(broker, topics, rounds, seed):
    rng = random.Random(seed)
    kinds = collections.Counter()
    job = None
    jobs = []
    for number in range(rounds):
        if job is None:
            job = Job(broker, topics, rng.choice([300, 3000]), rng.choice([20, 100, 300]))
            jobs.append(job)
        code = one_round(job, broker, rng, number, kinds)
        if code == 0:
            job.check(topics)
            job = None
        elif code not in (None, -9, 1, 3):
            raise Failure(f"exit {code}")
    if job is not None:
        job.run(timeout=600)
        job.check(topics)
    print(f"     {len(jobs)} queries, {sum(j.row_count for j in jobs)} rows; {dict(kinds)}")


def late_request(broker_class):
    """The commit of batch 0 arrives once more while the transaction of batch 1 is open."""
    # EndTxn 1: marker, 2: batch 0 (held), 3: the client's retry, 4: marker of the new producer, 5: batch 1
    proxy = Proxy(hold=2, after=3)
    broker = broker_class("--set", f"advertised.listeners=PLAINTEXT://127.0.0.1:{proxy.port}")
    proxy.broker_port = int(broker.servers.split(":")[1])
    broker.servers = f"127.0.0.1:{proxy.port}"
    topics = cluster.Topics(broker.servers)
    job = Job(broker, topics, 90, 30)
    proxy.count = 0  # none of ours yet
    process = job.start()
    if not proxy.is_late.wait(cluster.PATIENCE):
        process.kill()
        raise Failure(f"{proxy.count} EndTxn requests, none was late: {process.communicate()[0]}")
    process.kill()
    process.wait()
    seen = len(topics.read_once(job.target, "read_committed"))
    if proxy.late_code == 0 or seen > 30:
        raise Failure(f"late EndTxn: code {proxy.late_code}, {seen} rows visible")
    job.run()
    job.check(topics)
    broker.close()
    proxy.close()
    print(f"     the late request was answered with error {proxy.late_code}, {seen} rows were visible then")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=40)
    options.add_argument("--seed", type=int, default=None)
    options.add_argument("--brokers", choices=["1", "3"], default="1")
    args = options.parse_args()
    seed = random.randrange(1 << 30) if args.seed is None else args.seed
    print(f"seed {seed}", flush=True)
    failed = 0
    broker = cluster.Broker(*(["--brokers", "3"] if args.brokers == "3" else []))
    topics = cluster.Topics(broker.servers)
    for name, case in (("kills", lambda: kills(broker, topics, args.rounds, seed)), ("late_request", lambda: late_request(cluster.Broker))):
        begin = time.time()
        try:
            case()
            print(f"ok   {name} ({time.time() - begin:.1f} s)", flush=True)
        except Exception as error:  # noqa: BLE001
            failed += 1
            print(f"FAIL {name}: {type(error).__name__}: {error}", flush=True)
    print(f"{2 - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
