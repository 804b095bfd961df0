#!/usr/bin/env python3
"""Deaths, zombies, dying brokers and late requests: a reader of committed records sees every row once, in order.

  torture.py [--rounds N] [--seed S] [--brokers 3] [--jobs pass,windows,parquet,folder] [--minutes N]

A broker dies at a random moment, or while a transaction is open: arus is stopped there (ARUS_PAUSEPOINT). With three brokers it is the
one that leads a partition of the sink's topic, the coordinator of the transactions, or both, as the cluster's metadata names them then.
"""
import argparse
import collections
import random
import shutil
import signal
import subprocess
import sys
import time

import cluster
from cluster import Failure
from proxy import Proxy

cluster.start_again_with_kafka()

from torture_jobs import JOBS, Pass  # noqa: E402

POINTS = ["after_plan", "after_sources", "after_offsets_before_sink", "after_run", "after_stage_sync", "before_prepare", "after_prepare",
          "after_flush_before_kafka_commit", "after_kafka_commit_before_commit_log", "after_commit_log"]
FILE_POINTS = ["during_publish", "after_data_files_before_sink_log", "after_sink_log"]  # instead of Kafka's
# Up to where a random number means what; beyond: a broker at a random time.
ONE_BROKER = {"fail point": 0.45, "random time": 0.82, "zombie": 0.88, "transaction": 0.96}
MANY_BROKERS = {"fail point": 0.2, "random time": 0.4, "zombie": 0.45, "transaction": 0.9}
COORDINATOR = "__transaction_state"  # has one partition here: its leader is the coordinator of all


def end_soon(process, seconds):
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def ended_within(process, seconds):
    """The exit code, or None: it still runs."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def zombie(job, rng):
    """Stopped, replaced on a copy of its checkpoint, woken. The copy that went on stays."""
    first = job.start()
    if ended_within(first, rng.uniform(0.05, 0.5)) is not None:
        return
    while not (job.folder / "ckpt" / "metadata").exists() and first.poll() is None:
        time.sleep(0.01)
    first.send_signal(signal.SIGSTOP)
    copy = job.folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    shutil.copytree(job.folder / "ckpt", copy / "ckpt")
    shutil.copy(job.folder / "p.sql", copy / "p.sql")
    second = cluster.start([cluster.ARUS, "run", "p.sql"], cwd=copy)
    end_soon(second, rng.uniform(0.3, 1.5))
    first.send_signal(signal.SIGCONT)
    end_soon(first, cluster.PATIENCE)
    probe = job.arus("run", "p.sql", env={"ARUS_FAILPOINT": "after_plan"})
    if probe.returncode == 3:  # the other one went on
        shutil.rmtree(job.folder / "ckpt")
        (copy / "ckpt").rename(job.folder / "ckpt")


def refused_twin(job, rng):
    """A sink of files is held by a lock: a second arus is refused even while the first one is stopped."""
    first = job.start(env={"ARUS_PAUSEPOINT": rng.choice(["after_prepare", "during_publish", "after_sink_log"])})
    if cluster.wait_stopped(first):
        twin = job.arus("run", "p.sql")
        if twin.returncode != 3:
            raise Failure(f"a second arus ended with {twin.returncode}: {twin.stderr}")
        first.send_signal(signal.SIGCONT)
    end_soon(first, cluster.PATIENCE)


def victims(job, broker, topics, rng, kinds):
    """Nodes that shall die, and their part in the open transaction."""
    if "--brokers" not in broker.options:
        kinds["the broker in a transaction"] += 1
        return [[]]
    places = topics.again(lambda: topics.admin.list_topics(timeout=cluster.PATIENCE).topics)
    leader = places[job.target].partitions[rng.randrange(len(places[job.target].partitions))].leader
    coordinator = places[COORDINATOR].partitions[0].leader
    part = rng.choice(["leader", "coordinator", "leader and coordinator"])
    chosen = {"leader": {leader}, "coordinator": {coordinator}}.get(part, {leader, coordinator})
    kinds[part + " in a transaction"] += 1
    return [[str(node)] for node in chosen if node > 0]


def broker_in_transaction(job, broker, topics, rng, kinds):
    """Records are sent, the transaction is open: then its leader, its coordinator or both die."""
    batch = rng.choice(["", ":%d" % rng.randrange(0, 10)])
    process = job.start(env={"ARUS_PAUSEPOINT": "after_flush_before_kafka_commit" + batch})
    if cluster.wait_stopped(process):
        nodes = victims(job, broker, topics, rng, kinds)
        for node in nodes:
            broker.kill(*node)
        goes_first = rng.random() < 0.5
        if goes_first:
            process.send_signal(signal.SIGCONT)
            time.sleep(rng.uniform(0, 2))
        for node in nodes:
            broker.start(*(["--node", *node] if node else []))
        if not goes_first:
            process.send_signal(signal.SIGCONT)
    else:
        kinds["no transaction met"] += 1
    return end_soon(process, cluster.PATIENCE)


def broker_at_once(job, broker, rng):
    process = job.start()
    time.sleep(rng.uniform(0.05, 0.5))
    node = [str(rng.randrange(1, 4))] if "--brokers" in broker.options else []
    broker.kill(*node)
    time.sleep(rng.uniform(0, 0.5))
    broker.start(*(["--node", *node] if node else []))
    return end_soon(process, cluster.PATIENCE)


def one_round(job, broker, topics, rng, number, kinds):
    points = POINTS if job.has_fence else [p for p in POINTS if "kafka" not in p] + FILE_POINTS
    shares = MANY_BROKERS if "--brokers" in broker.options else ONE_BROKER
    chance = rng.random()
    if chance < shares["fail point"]:
        point = points[number % len(points)]
        batch = rng.choice(["", "", ":%d" % rng.randrange(0, 200)])
        kinds["fail point"] += 1
        return end_soon(job.start(env={"ARUS_FAILPOINT": point + batch}), 5)
    if chance < shares["random time"]:
        kinds["random time"] += 1
        return end_soon(job.start(), rng.uniform(0, 0.9))
    if chance < shares["zombie"]:
        kinds["zombie" if job.has_fence else "refused twin"] += 1
        (zombie if job.has_fence else refused_twin)(job, rng)
        return None
    if chance < shares["transaction"] and job.has_fence:
        return broker_in_transaction(job, broker, topics, rng, kinds)
    kinds["broker at a random time"] += 1
    return broker_at_once(job, broker, rng)


def kills(broker, topics, args, seed):
    rng = random.Random(seed)
    kinds = collections.Counter()
    names = args.jobs.split(",")
    job = None
    jobs = []
    end = time.time() + args.minutes * 60
    number = 0
    while number < args.rounds and time.time() < end:
        if job is None:
            name = names[len(jobs) % len(names)]
            job = JOBS[name](broker, topics, rng.choice([300, 3000]), rng.choice([20, 100, 300]))
            jobs.append(job)
        try:
            code = one_round(job, broker, topics, rng, number, kinds)
            if code == 0:
                job.check()
                job = None
            elif code not in (None, -9, 1, 3):
                raise Failure(f"exit {code}")
            number += 1
        except (Failure, subprocess.CalledProcessError) as failure:
            print(f"     {number} rounds; {dict(kinds)}")
            raise Failure(f"{type(job).__name__}, round {number}: {failure} {getattr(failure, 'stderr', '')}") from failure
    if job is not None:
        job.run(timeout=1200)
        job.check()
    made = collections.Counter(type(j).__name__.lower() for j in jobs)
    print(f"     {number} rounds; {dict(made)}, {sum(j.row_count for j in jobs)} rows; {dict(kinds)}")


def late_request(broker_class):
    """The commit of batch 0 arrives once more while the transaction of batch 1 is open."""
    # EndTxn 1: marker, 2: batch 0 (held), 3: the client's retry, 4: marker of the new producer, 5: batch 1
    proxy = Proxy(hold=2, after=3)
    broker = broker_class("--set", f"advertised.listeners=PLAINTEXT://127.0.0.1:{proxy.port}")
    proxy.broker_port = int(broker.servers.split(":")[1])
    broker.servers = f"127.0.0.1:{proxy.port}"
    topics = cluster.Topics(broker.servers)
    job = Pass(broker, topics, 90, 30)
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
    job.check()
    broker.close()
    proxy.close()
    print(f"     the late request was answered with error {proxy.late_code}, {seen} rows were visible then")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=40)
    options.add_argument("--seed", type=int, default=None)
    options.add_argument("--brokers", choices=["1", "3"], default="1")
    options.add_argument("--jobs", default=",".join(JOBS))
    options.add_argument("--minutes", type=float, default=1e6)
    args = options.parse_args()
    seed = random.randrange(1 << 30) if args.seed is None else args.seed
    print(f"seed {seed}", flush=True)
    failed = 0
    broker = cluster.Broker(*(["--brokers", "3"] if args.brokers == "3" else []))
    topics = cluster.Topics(broker.servers)
    for name, case in (("kills", lambda: kills(broker, topics, args, seed)), ("late_request", lambda: late_request(cluster.Broker))):
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
