#!/usr/bin/env python3
"""The Kafka source against a real broker."""
import json
import time

import cluster
from cluster import Run, contains, equal

cluster.start_again_with_kafka()

PIPELINE = """SET spark.sql.session.timeZone = UTC;
CREATE TABLE t USING kafka OPTIONS (kafka.bootstrap.servers '$BROKER', $OPTIONS);
CREATE STREAMING TABLE out USING json
  TBLPROPERTIES (path 'out', checkpointLocation 'ckpt', outputMode 'append', trigger 'availableNow')
AS SELECT $COLUMNS FROM STREAM t;
"""
BATCH = "CREATE TABLE t USING kafka OPTIONS (kafka.bootstrap.servers '$BROKER', $OPTIONS);\n"
numbers = iter(range(1, 1000))


def topic():
    return f"t{next(numbers)}-{time.time_ns() % 100000}"


def stream(broker, options, columns="CAST(value AS STRING) AS v"):
    return Run(PIPELINE, BROKER=broker.servers, OPTIONS=options, COLUMNS=columns)


def batch(broker, options, query):
    run = Run(BATCH + query + ";", BROKER=broker.servers, OPTIONS=options)
    done = run.arus("sql", "--json", "p.sql")
    if done.returncode != 0:
        raise cluster.Failure(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def values(run):
    return sorted(row["v"] for row in run.rows())


def test_each_record_is_read_once(broker, topics):
    name = topic()
    topics.create(name, 3)
    topics.put(name, *[str(i) for i in range(1000)])
    run = stream(broker, f"subscribe '{name}', startingOffsets 'earliest'")
    run.run()
    topics.put(name, *[str(i) for i in range(1000, 1500)])
    run.run()
    run.run()
    equal(values(run), sorted(str(i) for i in range(1500)))


def test_the_initial_offsets_are_fixed_in_the_checkpoint(broker, topics):
    name = topic()
    topics.create(name, 1)
    topics.put(name, "old")
    run = stream(broker, f"subscribe '{name}'")
    run.run()
    equal((run.folder / "ckpt" / "sources" / "0" / "0").read_bytes(), b"\0v1\n{\"%s\":{\"0\":1}}" % name.encode())
    topics.put(name, "new")
    run.run()
    equal(values(run), ["new"])
    equal(run.offsets(), '{"%s":{"0":2}}' % name)


def test_new_partitions_begin_at_their_first_record(broker, topics):
    name = topic()
    topics.create(name, 1)
    topics.put(name, "old")
    run = stream(broker, f"subscribe '{name}', startingOffsets 'latest'")
    run.run()
    topics.grow(name, 2)
    topics.put(name, "p1", partition=1)
    topics.put(name, "new", partition=0)
    run.run()
    equal(values(run), ["new", "p1"])


def test_all_columns(broker, topics):
    name = topic()
    topics.create(name, 2)
    topics.put(name, ("k", "v"), partition=1, headers=[("a", b"b"), ("a", None), ("", b"")], timestamp=1700000000123)
    topics.put(name, (None, None), (b"", b""), partition=1, timestamp=1700000000124)
    run = stream(broker, f"subscribe '{name}', startingOffsets 'earliest', includeHeaders true",
                 "CAST(key AS STRING) AS k, CAST(value AS STRING) AS v, topic, partition, offset, timestamp, timestampType, headers")
    run.run()
    same = {"topic": name, "partition": 1, "timestampType": 0}
    equal(run.rows(), [
        {"k": "k", "v": "v", **same, "offset": 0, "timestamp": "2023-11-14T22:13:20.123Z",
         "headers": [{"key": "a", "value": "Yg=="}, {"key": "a", "value": None}, {"key": "", "value": ""}]},
        {"k": None, "v": None, **same, "offset": 1, "timestamp": "2023-11-14T22:13:20.124Z", "headers": None},
        {"k": "", "v": "", **same, "offset": 2, "timestamp": "2023-11-14T22:13:20.124Z", "headers": None}])


def test_transactions_leave_holes(broker, topics):
    name = topic()
    topics.create(name, 1)
    topics.transaction(name, "a", "b")
    topics.transaction(name, "x", "y", end="abort")
    topics.transaction(name, "c")
    run = stream(broker, f"subscribe '{name}', startingOffsets 'earliest', maxOffsetsPerTrigger '1'")
    run.run()
    equal(values(run), ["a", "b", "c"])
    equal(run.offsets(), '{"%s":{"0":8}}' % name)
    last = run.progress()[-1]["sources"][0]
    equal(last["metrics"], {"avgOffsetsBehindLatest": "0.0", "maxOffsetsBehindLatest": "0", "minOffsetsBehindLatest": "0"})
    topics.transaction(name, "gone", end="abort")
    run.run()
    equal(values(run), ["a", "b", "c"])


def test_an_open_transaction_holds_back(broker, topics):
    name = topic()
    topics.create(name, 1)
    topics.put(name, "a")
    writer = topics.transaction(name, "b", end="open")
    run = stream(broker, f"subscribe '{name}', startingOffsets 'earliest'")
    run.run()
    equal(values(run), ["a"])
    writer.commit_transaction(cluster.PATIENCE)
    topics.wait(lambda: topics.ends(name)[0][1] >= 3)
    run.run()
    equal(values(run), ["a", "b"])
    dirty = stream(broker, f"subscribe '{name}', startingOffsets 'earliest', kafka.isolation.level 'read_uncommitted'")
    dirty.run()
    equal(values(dirty), ["a", "b"])


def test_expired_records_are_an_error_that_says_how_to_go_on(broker, topics):
    name = topic()
    topics.create(name, 1)
    topics.put(name, "0", "1")
    run = stream(broker, f"subscribe '{name}', startingOffsets 'earliest'")
    run.run()
    topics.put(name, *"23456789")
    topics.expire(name, 0, 5)
    failed = run.run(code=1)
    contains(failed.stderr, f"{name}[0] begins at 5, offsets 2-4 (3 records) have expired", "KAFKA_DATA_LOSS.START_OFFSET_RESET",
             "failOnDataLoss false")
    text = (run.folder / "p.sql").read_text()
    run.write(text.replace(f"'{name}'", f"'{name}', failOnDataLoss false"))
    run.run()
    equal(values(run), sorted("01" + "56789"))


def test_a_topic_made_anew_is_noticed(broker, topics):
    for more in (3, 2, 1):
        name = topic()
        topics.create(name, 1)
        topics.put(name, "1", "2")
        run = stream(broker, f"subscribe '{name}', startingOffsets 'earliest'")
        run.run()
        topics.delete(name)
        topics.create(name, 1)
        topics.put(name, *"345"[:more])
        if more != 2:
            failed = run.run(code=1)
            contains(failed.stderr, f"{name}[0]", "KAFKA_DATA_LOSS.PARTITION_OFFSET_CHANGED")
        text = (run.folder / "p.sql").read_text()
        run.write(text.replace(f"'{name}'", f"'{name}', failOnDataLoss false"))
        run.run()
        equal(values(run), sorted("12" + ("345"[:more] if more != 2 else "")), f"{more} records")


def test_deleted_topics(broker, topics):
    first, second = topic(), topic()
    topics.create(first, 2)
    topics.put(first, "1", "2", "3")
    run = stream(broker, f"subscribePattern '^{first}|^{second}', startingOffsets 'earliest'")
    run.run()
    topics.delete(first)
    topics.create(second, 2)
    topics.put(second, "4", "5")
    contains(run.run(code=1).stderr, "KAFKA_DATA_LOSS.PARTITIONS_DELETED", first)
    text = (run.folder / "p.sql").read_text()
    run.write(text.replace("startingOffsets", "failOnDataLoss false, startingOffsets"))
    run.run()
    equal(values(run), list("12345"))


def test_limits_share_out(broker, topics):
    name = topic()
    topics.create(name, 3)
    topics.put(name, *[str(i) for i in range(100, 201)], partition=0)
    topics.put(name, *[str(i) for i in range(10, 21)], partition=1)
    topics.put(name, "1", partition=2)
    run = stream(broker, f"subscribe '{name}', startingOffsets 'earliest', maxOffsetsPerTrigger 10")
    run.run()
    equal(values(run), sorted(str(i) for i in [*range(100, 201), *range(10, 21), 1]))
    equal([p["numInputRows"] for p in run.progress()][:4], [10, 10, 10, 10])


def test_specific_and_timed_starts(broker, topics):
    name = topic()
    topics.create(name, 5)
    for partition in range(5):
        topics.put(name, *[f"{partition}{i}" for i in range(3)], partition=partition, timestamp=1700000000000 + partition)
    run = stream(broker, f"subscribe '{name}', startingOffsets '{{\"{name}\":{{\"0\":-2,\"1\":-1,\"2\":0,\"3\":1,\"4\":2}}}}'")
    run.run()
    equal(values(run), ["00", "01", "02", "20", "21", "22", "31", "32", "42"])
    run = stream(broker, f"subscribe '{name}', startingTimestamp '1700000000004'")
    contains(run.run(code=2).stderr, "has no record that young", "startingOffsetsByTimestampStrategy")
    run = stream(broker, f"subscribe '{name}', startingTimestamp '1700000000003', startingOffsetsByTimestampStrategy 'latest'")
    run.run()
    equal(values(run), ["30", "31", "32", "40", "41", "42"])
    run = stream(broker, f"assign '{{\"{name}\":[1,3]}}', startingOffsets 'earliest'")
    run.run()
    equal(values(run), ["10", "11", "12", "30", "31", "32"])
    contains(stream(broker, f"subscribe '{name}', startingOffsets '{{\"{name}\":{{\"0\":0}}}}'").run(code=2).stderr, "does not name exactly")


def test_batch_queries_have_a_start_and_an_end(broker, topics):
    name = topic()
    topics.create(name, 2)
    topics.put(name, *"0123456789", partition=0)
    equal(batch(broker, f"subscribe '{name}'", "SELECT count(*) AS n FROM t"), [{"n": 10}])
    options = f"subscribe '{name}', startingOffsets '{{\"{name}\":{{\"0\":2,\"1\":-2}}}}', endingOffsets '{{\"{name}\":{{\"0\":5,\"1\":-1}}}}'"
    equal(batch(broker, options, "SELECT CAST(value AS STRING) AS v, offset FROM t ORDER BY offset"),
          [{"v": "2", "offset": 2}, {"v": "3", "offset": 3}, {"v": "4", "offset": 4}])
    equal(batch(broker, f"subscribe '{name}', minPartitions 4", "SELECT count(*) AS n, sum(offset) AS s FROM t"), [{"n": 10, "s": 45}])


def test_pieces_of_partitions(broker, topics):
    name = topic()
    topics.create(name, 2)
    topics.put(name, *[str(i) for i in range(5000)], partition=0)
    topics.put(name, *[str(i) for i in range(5000, 5100)], partition=1)
    run = stream(broker, f"subscribe '{name}', startingOffsets 'earliest', minPartitions 7, maxOffsetsPerTrigger 2000")
    run.run()
    equal(values(run), sorted(str(i) for i in range(5100)))


def test_large_records(broker, topics):
    name = topic()
    topics.create(name, 1, **{"max.message.bytes": 5000000})
    topics.put(name, "s1", "x" * 3000000, "s2")
    run = stream(broker, f"subscribe '{name}', startingOffsets 'earliest', kafka.max.partition.fetch.bytes '65536', kafka.fetch.max.bytes '65536'",
                 "length(value) AS v")
    run.run()
    equal(values(run), [2, 2, 3000000])


def test_mistakes_name_the_place(broker, topics):
    name = topic()
    topics.create(name, 1)
    wrong = name[:-1] + ("x" if name[-1] != "x" else "y")
    failed = stream(broker, f"subscribe '{wrong}'").run(code=2)
    contains(failed.stderr, f"has no topic `{wrong}`", f"did you mean `{name}`?", "ARUS_KAFKA_UNKNOWN_TOPIC", "p.sql:2:")
    for options, text in (("subscribe 'a', assign '{\"a\":[0]}'", "exclude each other"),
                          ("subscribe ''", "names no topic"),
                          ("subscribePattern ''", "is empty"),
                          ("subscribe 'a', endingOffsets 'latest'", "a stream has no end"),
                          ("subscribe 'a', minOffsetsPerTrigger 20, maxOffsetsPerTrigger 15", "is larger than"),
                          ("subscribe 'a', kafka.auto.offset.reset 'x'", "is not for the user"),
                          ("subscribe 'a', kafka.no.such 'x'", "no setting `no.such`"),
                          ("subscribe 'a', maxOffsetPerTrigger 5", "maxOffsetsPerTrigger"),
                          ("startingOffsets 'earliest'", "needs one of")):
        contains(stream(broker, options).run(code=2).stderr, text, "p.sql:")


DECLARED = """SET spark.sql.session.timeZone = UTC;
CREATE TABLE t ($COLUMNS) USING kafka OPTIONS (kafka.bootstrap.servers '$BROKER', subscribe '$TOPIC', startingOffsets 'earliest', $OPTIONS);
CREATE STREAMING TABLE out USING json TBLPROPERTIES (path 'out', checkpointLocation 'ckpt', trigger 'availableNow')
AS SELECT $SELECT FROM STREAM t;
"""


def declared(broker, name, columns, options, select="*"):
    return Run(DECLARED, BROKER=broker.servers, TOPIC=name, COLUMNS=columns, OPTIONS=options, SELECT=select)


def without_nulls(rows):
    return [{k: v for k, v in row.items() if v is not None} for row in rows]


def test_json_values_become_columns(broker, topics):
    name = topic()
    topics.create(name)
    topics.put(name, ("k1", '{"a":1,"b":"x","c":{"d":[1,2]}}'), ("k2", None), ("k3", "{bad"), ("k4", '{"b":"y","a":"no"}'), timestamp=1700000000000)
    run = declared(broker, name, "a INT, b STRING, c STRUCT<d: ARRAY<INT>>, _corrupt_record STRING", "format 'json'", "a, b, c, _corrupt_record AS bad")
    run.run()
    equal(without_nulls(run.rows()), [{"a": 1, "b": "x", "c": {"d": [1, 2]}}, {}, {"bad": "{bad"}, {"b": "y", "bad": '{"b":"y","a":"no"}'}])
    run = declared(broker, name, "a INT, b STRING", "format 'json', mode 'DROPMALFORMED'", "a, b, _metadata.offset, _metadata.topic, _metadata.timestamp")
    run.run()
    stamp = {"topic": name, "timestamp": "2023-11-14T22:13:20.000Z"}
    equal(without_nulls(run.rows()), [{"a": 1, "b": "x", "offset": 0, **stamp}, {"offset": 1, **stamp}])
    equal(run.progress()[0]["arus"]["rowsRejected"], 2)
    run = declared(broker, name, "a INT, b STRING", "format 'json', mode 'FAILFAST'")
    contains(run.run(code=1).stderr, f"{name}[0]@2 value {{bad", "MALFORMED_RECORD_IN_PARSING")


def test_bad_and_late_messages_are_set_aside_with_their_bytes(broker, topics):
    name = topic()
    topics.create(name)
    topics.put(name, ("k", '{"t":"2026-03-02T12:00:00Z"}'), (b"\xff", b"\xfe{bad"), (None, None), ("k", '{"t":"2026-03-02T12:00:00Z"}'),
               ("late", '{"t":"2026-03-02T10:00:00Z"}'))
    text = DECLARED.replace("trigger", "lateTable 'true', rejectsTable 'true', trigger").replace("STREAM t", "STREAM t WATERMARK t DELAY OF "
                            "INTERVAL 1 MINUTE GROUP BY window(t, '1 minute')").replace("USING json", "USING console").replace("path 'out', ", "")
    for mode, fate in (("DROPMALFORMED", "rejected"), ("PERMISSIVE", "kept")):
        run = Run(text, BROKER=broker.servers, TOPIC=name, COLUMNS="t TIMESTAMP", SELECT="window, count(*) AS n",
                  OPTIONS=f"format 'json', mode '{mode}', maxOffsetsPerTrigger 1")
        run.run()
        columns = "topic, partition, offset, fate, raw, hex(key) AS key, hex(value) AS value"
        found = {side: [json.loads(line) for line in run.arus("sql", "--json", "-p", "p.sql", f"SELECT {columns} FROM `out${side}`").stdout.splitlines()]
                 for side in ("late", "rejects")}
        place = {"topic": name, "partition": 0}
        late = '{"t":"2026-03-02T10:00:00Z"}'
        equal(found["rejects"], [{**place, "offset": 1, "fate": fate, "raw": None, "key": "FF", "value": "FE7B626164"}])
        equal(found["late"], [{**place, "offset": 4, "fate": "late", "raw": late, "key": "6C617465", "value": late.encode().hex().upper()}])


def test_keys_have_a_format_of_their_own(broker, topics):
    name = topic()
    topics.create(name)
    topics.put(name, ('{"id":7}', "1,x"), ('{"id":8}', "2,y"), (None, '3,"z,z"'))
    run = declared(broker, name, "id BIGINT, n INT, s STRING", "key.format 'json', key.columns 'id', value.format 'csv'")
    run.run()
    equal(run.rows(), [{"id": 7, "n": 1, "s": "x"}, {"id": 8, "n": 2, "s": "y"}, {"id": None, "n": 3, "s": "z,z"}])
    run = declared(broker, name, "k STRING, v STRING", "key.format 'text', key.columns 'k', value.format 'text'", "v, k")
    run.run()
    equal(run.rows(), [{"v": "1,x", "k": '{"id":7}'}, {"v": "2,y", "k": '{"id":8}'}, {"v": '3,"z,z"', "k": None}])


def test_csv_values(broker, topics):
    name = topic()
    topics.create(name)
    topics.put(name, "1;2024-05-01 00:00:00;a", "x;2024-05-01 00:00:00;b", "3", None, "4;;")
    run = declared(broker, name, "n INT, t TIMESTAMP, s STRING, _corrupt_record STRING", "format 'csv', sep ';'", "s, n, t, _corrupt_record AS bad")
    run.run()
    equal(without_nulls(run.rows()), [{"n": 1, "t": "2024-05-01T00:00:00.000Z", "s": "a"}, {"t": "2024-05-01T00:00:00.000Z", "s": "b", "bad": "x;2024-05-01 00:00:00;b"},
                                      {"n": 3, "bad": "3"}, {}, {"n": 4}])


def test_declared_tables_need_a_format(broker, topics):
    contains(declared(broker, "t", "a INT", "failOnDataLoss true").run(code=2).stderr, "no format to read them with", "format 'json'")
    contains(declared(broker, "t", "a INT", "format 'jsn'").run(code=2).stderr, "json")
    contains(declared(broker, "t", "a INT, b INT", "format 'text'").run(code=2).stderr, "one STRING or BINARY")
    contains(declared(broker, "t", "a INT", "format 'json', timestampFormt 'x'").run(code=2).stderr, "timestampFormt")


def test_waking_needs_no_polling(broker, topics):
    name = topic()
    topics.create(name, 1)
    run = stream(broker, f"subscribe '{name}'")
    run.write((run.folder / "p.sql").read_text().replace(", trigger 'availableNow'", ""))
    process = run.start("--progress", "progress.json")
    try:
        topics.wait(lambda: (run.folder / "ckpt" / "commits" / "0").exists())
        for i in range(5):
            topics.put(name, str(i))
            topics.wait(lambda: (run.folder / "ckpt" / "commits" / str(i + 1)).exists())
    finally:
        process.terminate()
        process.wait(cluster.PATIENCE)
    equal(values(run), list("01234"))


if __name__ == "__main__":
    def make():
        broker = cluster.Broker()
        return broker, cluster.Topics(broker.servers)
    cluster.run_all(globals(), make)
