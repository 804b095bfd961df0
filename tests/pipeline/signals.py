"""A first signal lets the micro-batch end, a second one ends the run at once; no row is lost or doubled by either."""
import os
import re
import signal
import socket
import subprocess
import tempfile
import time

from pipelines import ARUS, equal, run_all

FILES = 200
ROWS = 500


def prepare(case, trigger, files_per_trigger=1):
    for number in range(FILES):
        case.put_text(f"in/{number:03}.json", "".join(f'{{"a":{number * ROWS + row}}}\n' for row in range(ROWS)))
    case.put_text("p.sql", f"""
CREATE TABLE l (a BIGINT) USING json OPTIONS (path 'in', maxFilesPerTrigger {files_per_trigger});
CREATE STREAMING TABLE t USING parquet
  TBLPROPERTIES (path 'out', checkpointLocation 'ckpt', trigger '{trigger}')
AS SELECT a, sha2(sha2(CAST(a AS STRING), 512), 512) AS h FROM STREAM l;
""")


def stop(case, signals):
    """Exit code and stderr of a run that is told to stop once its first batch is planned."""
    process = subprocess.Popen([ARUS, "run", "p.sql"], cwd=case.folder, stderr=subprocess.PIPE, text=True)
    while not case.path("ckpt/offsets/0").exists():
        time.sleep(0.001)
    for number in signals:
        os.kill(process.pid, number)
        time.sleep(0.005)
    _, text = process.communicate(timeout=600)
    assert "error:" not in text, text
    return process.returncode, text


def all_rows_once(case):
    case.arus("run", "--available-now", "p.sql")
    equal(case.rows("SELECT count(*), count(DISTINCT a), sum(a) FROM parquet.`out`"),
          [[str(FILES * ROWS), str(FILES * ROWS), str(FILES * ROWS * (FILES * ROWS - 1) // 2)]])


def first_signal_ends_after_the_batch(case):
    prepare(case, "availableNow")
    code, text = stop(case, [signal.SIGTERM])
    equal(code, 4)
    for line in re.findall(r"^arus: .*", text, re.M):  # none if the batch was faster than the word
        assert re.fullmatch(r"arus: stopping after batch \d+, again to stop now", line), text
    equal(len(case.tree("ckpt/commits")) >= 1, True, "a batch was finished")
    equal(case.tree("ckpt/commits"), case.tree("ckpt/offsets"), "none was given up")
    all_rows_once(case)


def nothing_left_is_success(case):
    prepare(case, "availableNow", files_per_trigger=FILES)
    equal(stop(case, [signal.SIGINT])[0], 0)
    all_rows_once(case)


def endless_trigger_stops_with_success(case):
    prepare(case, "0 seconds")
    equal(stop(case, [signal.SIGHUP])[0], 0)
    all_rows_once(case)


def second_signal_ends_at_once(case):
    prepare(case, "availableNow", files_per_trigger=FILES // 2)
    equal(stop(case, [signal.SIGINT, signal.SIGTERM])[0], 4)
    all_rows_once(case)


def second_signal_of_an_endless_trigger(case):
    prepare(case, "0 seconds", files_per_trigger=FILES // 2)
    equal(stop(case, [signal.SIGTERM, signal.SIGTERM])[0], 0)
    all_rows_once(case)


def usr1_shows_how_far_it_is(case):
    prepare(case, "0 seconds")
    process = subprocess.Popen([ARUS, "run", "p.sql"], cwd=case.folder, stderr=subprocess.PIPE, text=True)
    while not case.path("ckpt/offsets/0").exists():
        time.sleep(0.001)
    lines = [process.stderr.readline()]
    process.send_signal(signal.SIGUSR1)
    lines.append(process.stderr.readline())
    process.terminate()
    lines += process.communicate(timeout=600)[1].splitlines(keepends=True)
    text = "".join(lines)
    time_and_query = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ info query=t batch=\d+ rows=\d+"
    assert re.match(time_and_query + r".* files_left=\d+ started$", lines[0]), text
    assert re.match(time_and_query + r".* files_left=\d+$", lines[1]), text
    assert re.search(time_and_query + r".* ended$", text, re.M), text
    assert re.search(r"^t  batch(es)? ", text, re.M), text
    all_rows_once(case)


class Manager:
    """What systemd would hear."""

    def __init__(self, path):
        self.path = path
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(path)
        self.socket.settimeout(60)

    def wait_for(self, wanted):
        heard = []
        while not re.search(wanted, "\n".join(heard)):
            heard.append(self.socket.recv(4096).decode())
        return heard


def a_service_manager_is_told(case):
    prepare(case, "0 seconds")
    with tempfile.TemporaryDirectory() as folder:
        manager = Manager(folder + "/notify")
        process = subprocess.Popen([ARUS, "run", "-q", "p.sql"], cwd=case.folder, stderr=subprocess.PIPE,
                                   env={**os.environ, "NOTIFY_SOCKET": manager.path})
        equal(manager.wait_for("READY=1"), ["READY=1\n"])
        manager.wait_for(r"WATCHDOG=1\nSTATUS=t  batch \d+")
        process.terminate()
        manager.wait_for("STOPPING=1")
        equal((process.communicate(timeout=600)[1], process.returncode), (b"", 0))


run_all([usr1_shows_how_far_it_is, a_service_manager_is_told, first_signal_ends_after_the_batch, nothing_left_is_success, endless_trigger_stops_with_success,
         second_signal_ends_at_once, second_signal_of_an_endless_trigger])
