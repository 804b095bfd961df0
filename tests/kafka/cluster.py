"""A real broker for one test program, topics and records in it, and arus runs against it."""
import atexit
import ctypes
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ARUS = os.path.abspath(os.environ.get("ARUS", ROOT / "build" / "dev" / "arus"))
HOME = os.environ.get("ARUS_KAFKA_HOME") or os.path.join(
    os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "arus-kafka")
SKIPPED = 77
PATIENCE = 300  # seconds; only a hang lasts that long, however busy the machine is


def start_again_with_kafka():
    """Goes on in the Python that has a Kafka client; leaves with 77 and the reason when there is none."""
    try:
        import confluent_kafka  # noqa: F401
        if os.path.exists(os.path.join(HOME, "lib", ".done")):
            return
    except ImportError:
        pass
    if os.environ.get("ARUS_KAFKA_PYTHON"):
        sys.exit("confluent_kafka cannot be imported")
    made = subprocess.run([str(ROOT / "scripts" / "install-kafka")], capture_output=True, text=True)
    if made.returncode != 0:
        print("skipped: " + made.stderr.strip().splitlines()[-1])
        sys.exit(SKIPPED)
    python = made.stdout.split()[-1]
    os.execve(python, [python] + sys.argv, {**os.environ, "ARUS_KAFKA_PYTHON": python})


class Failure(Exception):
    pass


def die_with_us():
    """In a child before it becomes another program: no process outlives a test, even a killed one."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def start(command, **more):
    return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=die_with_us, **more)


def is_stopped(process):
    try:
        return pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T"
    except OSError:
        return False


def wait_stopped(process):
    """Until it is stopped (ARUS_PAUSEPOINT). False: it has ended instead."""
    while process.poll() is None and not is_stopped(process):
        time.sleep(0.01)
    return process.poll() is None


class Broker:
    """One node, or three; ends with the test program, whatever ends it."""

    def __init__(self, *options):
        self.folder = tempfile.mkdtemp(prefix="arus-kafka-")
        self.options = list(options)
        atexit.register(self.close)
        for name in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, lambda *_: sys.exit(1))
        for left in reversed(range(5)):
            try:
                self.start()
                break
            except subprocess.CalledProcessError as error:  # somebody else took a port in the meantime
                if left == 0 or "Address already in use" not in error.stderr:
                    raise Failure(error.stderr) from error
                self.close()
        self.secure = None
        if "--secure" in options:
            self.secure = pathlib.Path(self.folder, "bootstrap-secure").read_text().strip()

    def tool(self, *args, check=True):
        env = {**os.environ, "KAFKA_HOME": HOME, "KAFKA_HEAP": os.environ.get("KAFKA_HEAP", "256m"), "KAFKA_OWNER": str(os.getpid())}
        return subprocess.run([str(HERE / "kafka-broker"), args[0], self.folder, *args[1:]], env=env, text=True,
                              capture_output=True, check=check)

    def start(self, *more):
        self.tool("start", "0", *self.options, *more)
        self.servers = self.tool("wait", str(3 * PATIENCE)).stdout.split()[-1]

    def kill(self, *node):
        self.tool("kill9", *node)

    def stop(self, *node):
        self.tool("stop", *node)

    def close(self):
        self.tool("kill9", check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


class Topics:
    """Topics and records, by a client of another version than arus has."""

    def __init__(self, servers, **config):
        from confluent_kafka import Producer
        from confluent_kafka.admin import AdminClient
        self.config = {"bootstrap.servers": servers, "log_level": 2, **config}
        self.admin = AdminClient(self.config)
        self.producer = Producer({**self.config, "linger.ms": 0, "message.max.bytes": 10000000})

    def create(self, name, partitions=1, **config):
        from confluent_kafka.admin import NewTopic
        for _, future in self.admin.create_topics([NewTopic(name, partitions, config=config)]).items():
            future.result(PATIENCE)
        self.wait(lambda: len(self.partitions(name)) == partitions)

    def delete(self, name):
        for _, future in self.admin.delete_topics([name]).items():
            future.result(PATIENCE)
        self.wait(lambda: name not in self.admin.list_topics(timeout=PATIENCE).topics)

    def grow(self, name, total):
        from confluent_kafka.admin import NewPartitions
        for _, future in self.admin.create_partitions([NewPartitions(name, total)]).items():
            future.result(PATIENCE)
        self.wait(lambda: len(self.partitions(name)) == total)
        self.producer.list_topics(name, timeout=PATIENCE)  # else it does not know the new ones

    def alter(self, name, **config):
        from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource
        entries = [ConfigEntry(k, str(v), incremental_operation=AlterConfigOpType.SET) for k, v in config.items()]
        resource = ConfigResource("TOPIC", name, incremental_configs=entries)
        for _, future in self.admin.incremental_alter_configs([resource]).items():
            future.result(PATIENCE)

    def expire(self, name, partition, before):
        from confluent_kafka import TopicPartition
        for _, future in self.admin.delete_records([TopicPartition(name, partition, before)]).items():
            future.result(PATIENCE)

    def partitions(self, name):
        topic = self.admin.list_topics(name, timeout=PATIENCE).topics.get(name)
        return [] if topic is None or topic.error else [p for p in topic.partitions.values() if p.leader >= 0]

    @staticmethod
    def wait(is_so, seconds=PATIENCE):
        end = time.time() + seconds
        while not is_so():
            if time.time() > end:
                raise Failure("waited in vain")
            time.sleep(0.05)

    def put(self, name, *values, partition=-1, key=None, headers=None, timestamp=0):
        """Values: text, bytes, None, or (key, value)."""
        failures = []
        for value in values:
            k, v = value if isinstance(value, tuple) else (key, value)
            while True:
                try:
                    self.producer.produce(name, v, k, partition, timestamp=timestamp, headers=headers,
                                          on_delivery=lambda e, m: failures.append(e) if e else None)
                    break
                except BufferError:
                    self.producer.poll(1)
        if self.producer.flush(PATIENCE) or failures:
            raise Failure(f"cannot produce: {failures[:1]}")

    def transaction(self, name, *values, partition=0, end="commit"):
        from confluent_kafka import Producer
        writer = Producer({**self.config, "transactional.id": f"test-{time.time_ns()}"})
        writer.init_transactions(PATIENCE)
        writer.begin_transaction()
        for value in values:
            writer.produce(name, value, partition=partition)
        writer.flush(PATIENCE)
        if end == "open":
            return writer
        writer.commit_transaction(PATIENCE) if end == "commit" else writer.abort_transaction(PATIENCE)
        self.settle(name)
        return None

    def again(self, question, seconds=PATIENCE):
        """After a broker's restart, answers may be refused for a while."""
        from confluent_kafka import KafkaException
        end = time.time() + seconds
        while True:
            try:
                return question()
            except KafkaException:
                if time.time() > end:
                    raise
                time.sleep(0.2)

    def settle(self, name, seconds=60):
        """A commit is visible a moment after its answer: waits until no transaction seems open."""
        end = time.time() + seconds
        while self.ends(name) != self.ends(name, "read_uncommitted") and time.time() < end:
            time.sleep(0.02)

    def ends(self, name, isolation="read_committed"):
        from confluent_kafka import Consumer, TopicPartition
        reader = Consumer({**self.config, "group.id": "test", "isolation.level": isolation})
        found = {p.id: reader.get_watermark_offsets(TopicPartition(name, p.id), timeout=PATIENCE) for p in self.partitions(name)}
        reader.close()
        return found

    def read(self, name, isolation="read_committed"):
        """All messages now, partition by partition."""
        if isolation == "read_committed":
            self.again(lambda: self.settle(name))
        return self.again(lambda: self.read_once(name, isolation))

    def read_once(self, name, isolation):
        from confluent_kafka import Consumer, KafkaError, TopicPartition
        reader = Consumer({**self.config, "group.id": "test", "isolation.level": isolation, "enable.partition.eof": True,
                           "enable.auto.commit": False, "auto.offset.reset": "error", "fetch.wait.max.ms": 20})
        places = [TopicPartition(name, p.id, -2) for p in self.partitions(name)]
        wanted = {p.partition: reader.get_watermark_offsets(p, timeout=PATIENCE)[1] for p in places}
        low = reader.offsets_for_times([TopicPartition(name, p.partition, -2) for p in places], timeout=PATIENCE)
        reader.assign([TopicPartition(p.topic, p.partition, max(p.offset, 0)) for p in low])
        open_ones = {p.partition for p in low if max(p.offset, 0) < wanted[p.partition]}
        found, deadline = [], time.time() + PATIENCE
        while open_ones:
            if time.time() > deadline:
                raise Failure(f"{name}: the end did not come")
            for message in reader.consume(1000, 0.05):
                if not message.error():
                    found.append(message)
                    at = message.offset() + 1
                elif message.error().code() == KafkaError._PARTITION_EOF:
                    at = message.offset()
                else:
                    raise Failure(str(message.error()))
                if at >= wanted[message.partition()]:
                    open_ones.discard(message.partition())
        reader.close()
        return sorted(found, key=lambda m: (m.partition(), m.offset()))

    def values(self, name, **more):
        return [None if m.value() is None else m.value().decode() for m in self.read(name, **more)]


class Run:
    """A pipeline in a folder of its own."""

    def __init__(self, text, **names):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="arus-kafka-run-"))
        atexit.register(shutil.rmtree, self.folder, True)
        self.write(text, **names)

    def write(self, text, **names):
        for name, value in names.items():
            text = text.replace("$" + name, str(value))
        (self.folder / "p.sql").write_text(text)

    def arus(self, *args, timeout=2 * PATIENCE, env=None):
        return subprocess.run([ARUS, *args], cwd=self.folder, text=True, capture_output=True, timeout=timeout,
                              env={**os.environ, "TZ": "UTC", **(env or {})}, preexec_fn=die_with_us)

    def run(self, *args, code=0, **more):
        done = self.arus("run", "p.sql", "--progress", "progress.json", *args, **more)
        if code is not None and done.returncode != code:
            raise Failure(f"exit {done.returncode}, not {code}:\n{done.stdout}{done.stderr}")
        return done

    def start(self, *args, env=None):
        return start([ARUS, "run", "p.sql", *args], cwd=self.folder, env={**os.environ, "TZ": "UTC", **(env or {})})

    def rows(self, path="out"):
        done = self.arus("cat", "--json", path)
        if done.returncode != 0:
            raise Failure(done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def progress(self):
        return [json.loads(line) for line in (self.folder / "progress.json").read_text().splitlines()]

    def offsets(self, source=0):
        newest = max((p for p in (self.folder / "ckpt" / "offsets").iterdir() if p.name.isdigit()), key=lambda p: int(p.name))
        return newest.read_text().splitlines()[2 + source]


def equal(got, wanted, what=""):
    if got != wanted:
        raise Failure(f"{what}\n  got    {got!r}\n  wanted {wanted!r}")


def contains(text, *words):
    for word in words:
        if word not in text:
            raise Failure(f"{word!r} is not in:\n{text}")


def run_all(cases, make):
    """Every function of `cases` whose name begins with test_, in order; `python test.py NAME` picks."""
    shared = make()
    picked = sys.argv[1:]
    passed = failed = 0
    for name, case in list(cases.items()):
        if not name.startswith("test_") or (picked and not any(p in name for p in picked)):
            continue
        begin = time.time()
        try:
            case(*shared)
            passed += 1
            print(f"ok   {name[5:]} ({time.time() - begin:.1f} s)", flush=True)
        except Exception as error:  # noqa: BLE001
            failed += 1
            print(f"FAIL {name[5:]}: {type(error).__name__}: {error}", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
