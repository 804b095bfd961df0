"""What the differential tests share: running a script in arus, asking one Spark session, keeping its answers, comparing texts."""
import json
import logging
import os
import pathlib
import re
import struct
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ARUS = os.path.abspath(os.environ.get("ARUS", ROOT / "build" / "dev" / "arus"))
CRASH = re.compile(r"IndexOutOfBoundsException|NullPointerException")
CONDITION = re.compile(r"\[([A-Z][A-Z0-9_.]+)\]")


def quoted(text):
    escapes = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
    return "'" + "".join(escapes.get(sign, sign) for sign in text) + "'"


def ask_arus(script, folder):
    """The answer to the script's last query: {schema, rows}, {error, text} or {died}."""
    path = folder / "case.sql"
    path.write_text(script, encoding="utf-8")
    try:
        done = subprocess.run([ARUS, "sql", "--rows", str(path)], capture_output=True, timeout=1200, env={**os.environ, "TZ": "UTC"})
    except subprocess.TimeoutExpired:
        return {"died": "no end within 120 s"}
    if done.returncode < 0 or b"Sanitizer" in done.stderr:
        return {"died": done.stderr.decode(errors="replace")[-2000:] or str(done.returncode)}
    if done.returncode != 0:
        text = done.stderr.decode(errors="replace")
        return {"error": CONDITION.findall(text), "text": text}
    lines = [json.loads(line) for line in done.stdout.decode("utf-8").split("\n") if line]
    return {"schema": lines[0]["schema"], "rows": lines[1:]}


class Spark:
    """One session, started when the first answer is missing. Answers are kept in a file of JSON lines, if one is given."""

    def __init__(self, answers, settings=None):
        self.session, self.answers, self.settings, self.known = None, answers, settings or {}, {}
        if answers and answers.exists():
            for line in answers.read_text(encoding="utf-8").split("\n"):
                if line:
                    known = json.loads(line)
                    self.known[known["key"]] = known["answer"]

    def start(self):
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false").config("spark.sql.session.timeZone", "UTC")
        for name, value in self.settings.items():
            builder = builder.config(name, value)
        self.session = builder.config("spark.driver.extraJavaOptions", "-Duser.timezone=UTC").getOrCreate()
        self.session.sparkContext.setLogLevel("OFF")
        logging.disable(logging.ERROR)  # pyspark logs every failed query with its whole trace

    def ask(self, key, read):
        """read(session) gives {schema, rows} or raises."""
        if key not in self.known:
            if self.session is None:
                self.start()
            self.known[key] = self.answer(read)
            if self.answers:
                with self.answers.open("a", encoding="utf-8") as out:
                    out.write(json.dumps({"key": key, "answer": self.known[key]}) + "\n")
        return self.known[key]

    def answer(self, read):
        from pyspark.errors import PySparkException
        from py4j.protocol import Py4JJavaError

        try:
            return read(self.session)
        except PySparkException as error:
            found = [error.getCondition()] if error.getCondition() else []
            return {"error": found + CONDITION.findall(str(error)), "text": str(error)[:1000], "crash": bool(CRASH.search(str(error)))}
        except Py4JJavaError as error:
            return {"error": CONDITION.findall(str(error)), "text": str(error)[:1000], "crash": bool(CRASH.search(str(error)))}


def ddl_of(frame):
    """The schema without NOT NULL, which names of columns keep: `(x IS NOT NULL)`."""
    parts = frame._jdf.schema().toDDL().split("`")
    return "`".join(part if i % 2 else part.replace(" NOT NULL", "") for i, part in enumerate(parts))


def same_text(want, got):
    """Equal, or other digits of the same float or double: Java before 19 writes more than it needs."""
    if want == got or not want or not got:
        return want == got
    try:
        a, b = float(want), float(got)
        return a == b or struct.pack("f", a) == struct.pack("f", b)
    except (ValueError, OverflowError):
        return False
