#!/usr/bin/env python3
"""The Kafka side of run_conformance: a broker, and the steps that change it. One JSON request a line on stdin, one answer a line on stdout.

First line out: {"servers": ".."}, or why there is no broker. Ends with its input."""
import json
import sys

import cluster
from cluster import Failure, equal

cluster.start_again_with_kafka()


class Hand:
    def __init__(self, topics):
        self.topics, self.writer = topics, None

    def create_topic(self, value, *_):
        for name, partitions in value.items():
            self.topics.create(name, partitions)

    def delete_topic(self, value, *_):
        self.topics.delete(value)

    def add_partitions_to(self, value, topic, _):
        self.topics.grow(topic, value)

    def delete_records_before(self, value, *_):
        for name, partitions in value.items():
            for partition, before in partitions.items():
                self.topics.expire(name, int(partition), before)

    def produce_any(self, value, topic, _):
        self.topics.put(topic, *map(str, value))

    def produce(self, value, topic, _):
        for partition, values in value.items():
            self.topics.put(topic, *map(str, values), partition=int(partition))

    def produce_at(self, value, topic, _):
        for stamp, partitions in value.items():
            for partition, values in partitions.items():
                self.topics.put(topic, *map(str, values), partition=int(partition), timestamp=int(stamp))

    def produce_record(self, value, topic, _):
        headers = [(name, None if text is None else text.encode()) for name, text in value.get("headers") or []]
        self.topics.put(topic, (value["key"], value["value"]), headers=headers or None, partition=value.get("partition", 0),
                        timestamp=value.get("timestamp", 0))

    def transaction(self, value, topic, step):
        self.topics.transaction(topic, *map(str, value), end=step["end"])

    def transaction_open(self, value, topic, _):
        self.writer = self.topics.transaction(topic, *map(str, value), end="open")

    def transaction_end(self, value, topic, _):
        getattr(self.writer, value + "_transaction")(cluster.PATIENCE)
        self.topics.settle(topic)

    def expect_topic(self, value, *_):
        for name, rows in value.items():
            equal(sorted(self.topics.values(name)), sorted(row[0] for row in rows), name)

    def expect_topic_partitions(self, value, *_):
        for name, rows in value.items():
            equal(sorted([m.value().decode(), m.partition()] for m in self.topics.read(name)), sorted(rows), name)


def main():
    broker = cluster.Broker()
    hand = Hand(cluster.Topics(broker.servers))
    print(json.dumps({"servers": broker.servers}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        step, answer = request["step"], {"id": request["id"]}
        try:
            getattr(hand, request["key"])(step[request["key"]], step.get("topic", request["topic"]), step)
        except Exception as error:  # noqa: BLE001
            answer["error"] = str(error) if isinstance(error, Failure) else f"{type(error).__name__}: {error}"
        print(json.dumps(answer), flush=True)


main()
