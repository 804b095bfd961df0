#!/usr/bin/env python3
"""Avro messages with a schema registry: a double of Confluent's REST interface, and another Avro implementation."""
import http.server
import io
import json
import struct
import threading
import time

import cluster
from cluster import Run, contains, equal

cluster.start_again_with_kafka()

import fastavro  # noqa: E402

PIPELINE = """SET spark.sql.session.timeZone = UTC;
CREATE TABLE t ($COLUMNS) USING kafka OPTIONS (kafka.bootstrap.servers '$BROKER', subscribe '$TOPIC', startingOffsets 'earliest', $OPTIONS);
CREATE STREAMING TABLE out USING json TBLPROPERTIES (path 'out', checkpointLocation 'ckpt', trigger 'availableNow') AS SELECT $SELECT FROM STREAM t;
"""
FIRST = {"type": "record", "name": "Order", "fields": [
    {"name": "id", "type": "int"}, {"name": "name", "type": ["null", "string"]}, {"name": "gone", "type": {"type": "array", "items": "string"}},
    {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}}, {"name": "kind", "type": {"type": "enum", "name": "K", "symbols": ["A", "B"]}},
    {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}}]}
SECOND = {"type": "record", "name": "Order", "fields": [
    {"name": "kind", "type": "string"}, {"name": "tags", "type": {"type": "map", "values": "long"}}, {"name": "id", "type": "long"}]}
COLUMNS = "id BIGINT, name STRING, at TIMESTAMP, kind STRING, price DECIMAL(9,2), tags MAP<STRING, BIGINT>"
numbers = iter(range(1, 1000))


class Registry:
    """GET /schemas/ids/N, POST /subjects/S/versions; can be told to fail."""

    def __init__(self):
        self.schemas, self.requests, self.fails, self.user = {}, [], False, None
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def reply(self, code, value):
                body = json.dumps(value).encode()
                self.send_response(code)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                outer.requests.append(self.path)
                if outer.fails:
                    return self.reply(500, {"error_code": 50001})
                if outer.user and self.headers.get("Authorization") != outer.user:
                    return self.reply(401, {"error_code": 40101})
                number = int(self.path.rsplit("/", 1)[1])
                if number not in outer.schemas:
                    return self.reply(404, {"error_code": 40403})
                return self.reply(200, {"schema": json.dumps(outer.schemas[number])})

            def do_POST(self):
                outer.requests.append(self.path)
                schema = json.loads(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["schema"])
                for number, known in outer.schemas.items():
                    if known == schema:
                        return self.reply(200, {"id": number})
                outer.schemas[len(outer.schemas) + 1] = schema
                return self.reply(200, {"id": len(outer.schemas)})

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def message(self, number, value):
        out = io.BytesIO()
        fastavro.schemaless_writer(out, fastavro.parse_schema(self.schemas[number]), value)
        return b"\0" + struct.pack(">I", number) + out.getvalue()


def topic(topics):
    name = f"a{next(numbers)}-{time.time_ns() % 100000}"
    topics.create(name)
    return name


def job(broker, name, options, select="*", columns=COLUMNS):
    return Run(PIPELINE, BROKER=broker.servers, TOPIC=name, OPTIONS=options, SELECT=select, COLUMNS=columns)


def without_nulls(rows):
    return [{k: v for k, v in row.items() if v is not None} for row in rows]


def test_schemas_meet_the_columns_by_name(broker, topics):
    import decimal
    registry, name = Registry(), topic(topics)
    registry.schemas = {7: FIRST, 9: SECOND}
    topics.put(name, registry.message(7, {"id": 1, "name": "x", "gone": ["a", "b"], "at": 1700000000123, "kind": "B", "price": decimal.Decimal("12.34")}),
               registry.message(9, {"kind": "z", "tags": {"k": 5}, "id": 1 << 40}), None)
    run = job(broker, name, f"format 'avro', schema.registry.url '{registry.url}/'")
    run.run()
    equal(without_nulls(run.rows()), [{"id": 1, "name": "x", "at": "2023-11-14T22:13:20.123Z", "kind": "B", "price": 12.34},
                                      {"id": 1 << 40, "kind": "z", "tags": {"k": 5}}, {}])
    equal(sorted(registry.requests), ["/schemas/ids/7", "/schemas/ids/9"])
    registry.fails = True
    topics.put(name, registry.message(9, {"kind": "y", "tags": {}, "id": 3}))
    run.run()  # the schema is in the checkpoint
    equal(run.rows()[-1]["kind"], "y")


def test_bad_messages_go_by_mode(broker, topics):
    registry, name = Registry(), topic(topics)
    registry.schemas = {1: SECOND}
    good = registry.message(1, {"kind": "z", "tags": {}, "id": 2})
    topics.put(name, b"plain", good[:-1], good, good + b"\0", b"\0\0\0\0\5x")
    options = f"format 'avro', schema.registry.url '{registry.url}'"
    run = job(broker, name, options, "id, kind")
    run.run()
    equal(without_nulls(run.rows()), [{}, {}, {"id": 2, "kind": "z"}, {}, {}])
    run = job(broker, name, options + ", mode 'DROPMALFORMED'", "id, kind")
    run.run()
    equal(run.rows(), [{"id": 2, "kind": "z"}])
    contains(job(broker, name, options + ", mode 'FAILFAST'").run(code=1).stderr, f"{name}[0]@0", "MALFORMED_AVRO_MESSAGE")


def test_a_silent_registry_is_an_error_that_says_so(broker, topics):
    registry, name = Registry(), topic(topics)
    registry.schemas, registry.fails = {1: SECOND}, True
    topics.put(name, registry.message(1, {"kind": "z", "tags": {}, "id": 2}))
    run = job(broker, name, f"format 'avro', schema.registry.url '{registry.url}'")
    contains(run.run(code=None).stderr, "ARUS_SCHEMA_REGISTRY_UNREACHABLE", "schema 1 is not cached", "HTTP 500", "curl ")
    registry.fails = False
    registry.user = "Basic bWU6czNjcmV0"
    contains(run.run(code=2).stderr, "does not let us in")
    text = (run.folder / "p.sql").read_text()
    run.write(text.replace("format 'avro'", "format 'avro', schema.registry.basic.auth.user.info 'me:${env:WORD}'"))
    run.run(env={"WORD": "s3cret"})
    equal(len(run.rows()), 1)


def test_bare_avro_has_a_schema_in_the_options(broker, topics):
    registry, name = Registry(), topic(topics)
    registry.schemas = {1: SECOND}
    topics.put(name, registry.message(1, {"kind": "z", "tags": {"a": 1}, "id": 2})[5:])
    run = job(broker, name, f"format 'avro', avroSchema '{json.dumps(SECOND)}'", "id, kind, tags")
    run.run()
    equal(run.rows(), [{"id": 2, "kind": "z", "tags": {"a": 1}}])


SINK = """SET spark.sql.session.timeZone = UTC;
CREATE TABLE input (id BIGINT, name STRING, at TIMESTAMP, d DECIMAL(20,3), l ARRAY<INT>) USING json OPTIONS (path 'in');
CREATE STREAMING TABLE result USING kafka
  TBLPROPERTIES (kafka.bootstrap.servers '$BROKER', topic '$TOPIC', format 'avro', key.columns 'id', schema.registry.url '$URL', checkpointLocation 'ckpt', trigger 'availableNow')
AS SELECT id, name, at, d, l, named_struct('x', id) AS s, map('k', id) AS m FROM STREAM input;
"""


def test_written_avro_is_read_by_others_and_by_us(broker, topics):
    import datetime
    import decimal
    registry, name = Registry(), topic(topics)
    run = Run(SINK, BROKER=broker.servers, TOPIC=name, URL=registry.url)
    (run.folder / "in").mkdir()
    (run.folder / "in" / "a.json").write_text('{"id":7,"name":"x","at":"2026-01-02T03:04:05.678901Z","d":"12.345","l":[1,null]}\n{"id":8}\n')
    run.run()
    equal(registry.requests, [f"/subjects/{name}-value/versions", f"/subjects/{name}-key/versions"])
    got = []
    for message in sorted(topics.read(name), key=lambda m: m.offset()):
        number = struct.unpack(">I", message.value()[1:5])[0]
        got.append(fastavro.schemaless_reader(io.BytesIO(message.value()[5:]), fastavro.parse_schema(registry.schemas[number])))
        number = struct.unpack(">I", message.key()[1:5])[0]
        equal(fastavro.schemaless_reader(io.BytesIO(message.key()[5:]), fastavro.parse_schema(registry.schemas[number]))["id"], got[-1]["id"])
    equal(got, [{"id": 7, "name": "x", "at": datetime.datetime(2026, 1, 2, 3, 4, 5, 678901, datetime.timezone.utc), "d": decimal.Decimal("12.345"),
                 "l": [1, None], "s": {"x": 7}, "m": {"k": 7}},
                {"id": 8, "name": None, "at": None, "d": None, "l": None, "s": {"x": 8}, "m": {"k": 8}}])
    back = job(broker, name, f"format 'avro', schema.registry.url '{registry.url}'", "*", "id BIGINT, d DECIMAL(20,3), s STRUCT<x: BIGINT>")
    back.run()
    equal(back.rows(), [{"id": 7, "d": 12.345, "s": {"x": 7}}, {"id": 8, "d": None, "s": {"x": 8}}])


if __name__ == "__main__":
    def make():
        broker = cluster.Broker()
        return broker, cluster.Topics(broker.servers)
    cluster.run_all(globals(), make)
