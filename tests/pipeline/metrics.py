#!/usr/bin/env python3
"""arus run --metrics: what Prometheus, a load balancer and a person with curl see."""
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ARUS = os.environ["ARUS"]
PIPELINE = """SET spark.sql.session.timeZone = UTC;
CREATE TABLE input (id BIGINT, at TIMESTAMP) USING json OPTIONS (path 'in', maxFilesPerTrigger 1);
CREATE STREAMING TABLE totals USING console TBLPROPERTIES (checkpointLocation 'ckpt/totals', outputMode 'update', state.memoryLimit '1g')
AS SELECT id % 2 AS k, count(*) AS n FROM STREAM input WATERMARK at DELAY OF INTERVAL 1 MINUTE WHERE id > 0 GROUP BY id % 2;
CREATE STREAMING TABLE copy USING json TBLPROPERTIES (path 'out', checkpointLocation 'ckpt/copy') AS SELECT id FROM STREAM input;
"""
PATIENCE = 300


def die_with_us():
    import ctypes
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def get(base, path):
    try:
        with urllib.request.urlopen(base + path, timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def samples(text):
    """name{labels} -> value; every line must be what the text format allows."""
    out = {}
    for line in text.splitlines():
        if line.startswith("#"):
            assert re.fullmatch(r"# (HELP [a-z_]+ .+|TYPE [a-z_]+ (counter|gauge|histogram))", line), line
            continue
        found = re.fullmatch(r'([a-z_]+(?:\{(?:[a-z]+="(?:[^"\\\n]|\\.)*",?)*\})?) (\S+)', line)
        assert found, line
        assert found[1] not in out, line
        out[found[1]] = float(found[2])
    return out


def wait(is_so):
    end = time.time() + PATIENCE
    while not is_so():
        assert time.time() < end, "waited in vain"
        time.sleep(0.05)


def check_pages(base, folder):
    wait(lambda: get(base, "/readyz")[0] == 200)
    wait(lambda: samples(get(base, "/metrics")[1]).get('arus_batches_total{query="copy"}') == 2)
    wait(lambda: samples(get(base, "/metrics")[1]).get('arus_input_rows_total{query="totals",source="FileStreamSource[file:%s/in]"}' % folder) == 4)
    status, text = get(base, "/metrics")
    found = samples(text)
    input_size = sum(path.stat().st_size for path in (folder / "in").iterdir())
    for name, value in {'arus_output_rows_total{query="copy"}': 4, 'arus_filtered_rows_total{query="totals"}': 1, 'arus_last_batch_id{query="copy"}': 1,
                        'arus_query_running{query="totals"}': 1, 'arus_state_rows{query="totals",operator="0 stateStoreSave"}': 2,
                        'arus_batch_duration_seconds_count{query="copy",phase="publish"}': 2,
                        'arus_batch_duration_seconds_bucket{query="copy",phase="run",le="+Inf"}': 2,
                        'arus_source_waiting_files{query="copy",source="FileStreamSource[file:%s/in]"}' % folder: 0,
                        'arus_source_lag_seconds{query="copy",source="FileStreamSource[file:%s/in]"}' % folder: 0,
                        'arus_input_bytes_total{query="copy",source="FileStreamSource[file:%s/in]"}' % folder: input_size,
                        'arus_state_limit_bytes{query="totals"}': 1 << 30, 'arus_state_limit_bytes{query="copy"}': None,
                        'arus_kafka_reconnects_total{query="copy"}': 0}.items():
        assert found.get(name) == value, (name, found.get(name), text)
    assert any(name.startswith("arus_build_info{version=") for name in found)
    assert found["process_resident_memory_bytes"] > 1e6 and found["process_start_time_seconds"] > 1.6e9
    assert found['arus_last_batch_timestamp_seconds{query="copy"}'] > 1.6e9
    progress = json.loads(get(base, "/progress")[1])
    assert progress["copy"]["sink"]["description"].startswith("FileSink"), progress
    assert get(base, "/healthz") == (200, "ok\n")
    assert get(base, "/nothing")[0] == 404 and "/metrics" in get(base, "/")[1]
    request = urllib.request.Request(base + "/metrics", data=b"x" * 100000)
    try:
        urllib.request.urlopen(request, timeout=PATIENCE)
        raise AssertionError("POST was taken")
    except urllib.error.HTTPError as error:
        assert error.code == 405


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        (folder / "in").mkdir()
        (folder / "p.sql").write_text(PIPELINE)
        for i, ids in enumerate([(1, 2), (3, -4)]):
            (folder / "in" / f"{i}.json").write_text("".join(json.dumps({"id": n, "at": f"2026-01-01T00:0{i}:00Z"}) + "\n" for n in ids))
        process = subprocess.Popen([ARUS, "run", "--metrics", "0", "p.sql"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=die_with_us)
        line = process.stderr.readline()
        base = re.match(r"arus: metrics at (http://127\.0\.0\.1:\d+)/metrics$", line)[1]
        check_pages(base, folder)
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0, process.stderr.read()
        for address in ("x", "1.2.3:y", "::1:9", ""):
            done = subprocess.run([ARUS, "run", "--metrics", address, "p.sql"], cwd=folder, text=True, capture_output=True, timeout=PATIENCE)
            assert done.returncode == 2 and "not an address" in done.stderr, done
    print("1 passed, 0 failed")


main()
