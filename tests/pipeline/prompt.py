"""The prompt as a person uses it: a pseudo terminal, keys typed, the screen read."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

from pipelines import ARUS, equal, run_all

PROMPT = "sql> "
CODE = re.compile(r"\x1b(?:\[([0-9;?]*)([A-Za-z@])|[()].|.)", re.S)


class Screen:
    """A program on a terminal, and all lines that its screen has shown, as they looked in the end."""

    def __init__(self, case, *arguments, columns=100, **environment):
        self.lines, self.row, self.column = [""], 0, 0
        self.unread = ""
        self.taken = (0, 0)  # wait_for begins here
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            os.chdir(case.folder)
            os.environ.update({"TERM": "xterm", "LC_ALL": "C.UTF-8", "HOME": str(case.folder), "PAGER": "cat", **environment})
            os.environ.pop("XDG_STATE_HOME", None)
            os.execv(ARUS, [ARUS, *arguments])

    def control(self, digits, letter):
        count = int(digits) if digits.isdigit() else 1
        line = self.lines[self.row]
        if letter == "C":
            self.column += count
        elif letter == "D":
            self.column = max(0, self.column - count)
        elif letter == "A":
            self.row = max(0, self.row - count)
        elif letter in "KJ":
            self.lines[self.row] = line[:self.column]
            if letter == "J":
                del self.lines[self.row + 1:]
        elif letter == "P":
            self.lines[self.row] = line[:self.column] + line[self.column + count:]
        elif letter == "@":
            self.lines[self.row] = line[:self.column] + " " * count + line[self.column:]
        elif letter == "G":
            self.column = count - 1

    def put(self, character):
        line = self.lines[self.row].ljust(self.column)
        self.lines[self.row] = line[:self.column] + character + line[self.column + 1:]
        self.column += 1

    def draw(self):
        while self.unread:
            code = CODE.match(self.unread)
            if code:
                self.control(code[1] or "", code[2] or "")
                self.unread = self.unread[code.end():]
                continue
            character, rest = self.unread[0], self.unread[1:]
            if character == "\x1b":
                return  # the rest of it is still to come
            self.unread = rest
            if character == "\r":
                self.column = 0
            elif character == "\n":
                self.row += 1
                if self.row == len(self.lines):
                    self.lines.append("")
            elif character == "\b":
                self.column = max(0, self.column - 1)
            elif character >= " ":
                self.put(character)

    def text(self):
        """What stands behind the place that wait_for came to."""
        row, column = self.taken
        return "\n".join([self.lines[row][column:], *self.lines[row + 1:]])

    def read(self, seconds):
        if select.select([self.fd], [], [], seconds)[0]:
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                data = b""
            if not data:
                raise AssertionError(f"the program ended: {self.text()!r}")
            self.unread += data.decode()
            self.draw()

    def wait_for(self, wanted):
        """Text up to and with `wanted`; what is behind it stays."""
        end = time.monotonic() + 60
        while wanted not in self.text():
            if time.monotonic() > end:
                raise AssertionError(f"{wanted!r} did not come, but {self.text()!r}")
            self.read(1)
        text = self.text()
        text = text[:text.index(wanted) + len(wanted)]
        row, column = self.taken
        rows = text.split("\n")
        self.taken = (row + len(rows) - 1, len(rows[-1]) + (column if len(rows) == 1 else 0))
        return text

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def answer(self, line):
        """Types a line and gives what was printed up to the next prompt."""
        self.type(line + "\r")
        self.wait_for("\n")
        text = self.wait_for("\n" + PROMPT)
        text = text[:-len(PROMPT)].removeprefix(line + "\n")  # what is typed before the program listens is echoed twice
        return re.sub(r"\b[0-9.,]+ (ms|s|us)\b", "NN", text)

    def end(self, keys="\x04"):
        self.type(keys)
        status = None
        while status is None:  # the terminal must be read, or the program waits
            if not select.select([self.fd], [], [], 60)[0]:
                os.kill(self.pid, signal.SIGKILL)
                raise AssertionError(f"no end: {self.text()!r}")
            try:
                os.read(self.fd, 65536)
            except OSError:
                status = os.waitpid(self.pid, 0)[1]
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


def statements_end_with_a_semicolon(case):
    screen = Screen(case, "sql")
    equal(re.sub(r"arus [0-9.]+", "arus N", screen.wait_for(PROMPT)), "arus N, Spark SQL 4.3. \\h help, Ctrl-D ends\nsql> ")
    screen.type("SELECT 1 AS n,\r")
    screen.wait_for("  -> ")
    equal(screen.answer("'ä' AS s;"), "+-+-+\n|n|s|\n+-+-+\n|1|ä|\n+-+-+\n1 row, NN\n")
    equal(screen.answer("SELEC 1;").splitlines()[0],
          "1:1: error: `SELEC` starts no statement; did you mean `SELECT`? [PARSE_SYNTAX_ERROR] (42601)")
    equal(screen.answer("SELECT 1 AS n WHERE false;"), "no rows (n INT), NN\n")
    equal(screen.answer("\\timing"), "times off\n")
    equal(screen.answer("SELECT 1 AS n WHERE false;"), "no rows (n INT)\n")
    equal(screen.answer("\\x"), "rows as records\n")
    equal(screen.answer("SELECT 1 AS number, 'b' AS s;"), "-RECORD 0------\n number | 1\n s      | b\n1 row\n")
    equal(screen.answer("\\nonsense"), "no command \\nonsense; \\h lists them\n")
    equal(screen.end(), 0)


def a_file_gives_its_tables(case):
    case.pipeline("004-events.sql")
    case.put("inputs/bundles/batch-01.jsonl", "in/batch-01.jsonl")
    case.arus("run", "004-events.sql")
    screen = Screen(case, "sql", "-p", "004-events.sql")
    assert "Tables: landing, events. \\h help" in screen.wait_for(PROMPT)
    assert "|device" in screen.answer("\\d events")
    screen.type("SELECT max(value) AS m FROM events\t")
    screen.wait_for("events")
    assert re.match(r"1:\d+: error: there is no column `devise`", screen.answer("WHERE devise = '';")), screen.text()
    screen.end("quit\r")


def tab_completes(case):
    case.put_text("data/one.json", '{"wind_speed":1,"wind_angle":2}\n')
    case.put_text("p.sql", "CREATE TABLE weather USING json OPTIONS (path 'data');")
    screen = Screen(case, "sql", "-p", "p.sql")
    screen.wait_for(PROMPT)
    screen.type("SELECT count(*) AS n FROM wea\t")
    screen.wait_for("weather ")
    screen.type("WHERE win\t")
    screen.wait_for("wind")
    screen.type("_\t")
    listed = screen.wait_for("wind_speed")
    assert "wind_angle" in listed, listed
    screen.wait_for("WHERE wind_")
    equal(screen.answer("sp\t= 1;"), "+-+\n|n|\n+-+\n|1|\n+-+\n1 row, NN\n")
    screen.type("SELECT count(*) AS n FROM json.`da\t")
    screen.wait_for("data/")
    screen.type("\t")
    screen.wait_for("one.json")
    equal(screen.answer("`;"), "+-+\n|n|\n+-+\n|1|\n+-+\n1 row, NN\n")
    equal(screen.end(), 0)


def control_c_gives_up_the_statement(case):
    screen = Screen(case, "sql")
    screen.wait_for(PROMPT)
    screen.type("SELECT 1,\r")
    screen.wait_for("  -> ")
    screen.type("2 AS x\x03")
    screen.wait_for("^C")
    screen.wait_for(PROMPT)
    equal(screen.answer("SELECT 3 AS n;"), "+-+\n|n|\n+-+\n|3|\n+-+\n1 row, NN\n")
    equal(screen.end(), 0)


def control_c_cancels_the_query(case):
    screen = Screen(case, "sql")
    screen.wait_for(PROMPT)
    screen.type("SELECT count(*) FROM range(1000000000) a CROSS JOIN range(1000000000) b;\r")
    while "cancelled" not in screen.text():
        os.kill(screen.pid, signal.SIGINT)  # before the query begins, it is the line that is given up
        screen.read(0.2)
    screen.wait_for("cancelled")
    screen.wait_for(PROMPT)
    equal(screen.answer("SELECT 3 AS n;"), "+-+\n|n|\n+-+\n|3|\n+-+\n1 row, NN\n")
    equal(screen.end(), 0)


def history_lasts(case):
    screen = Screen(case, "sql")
    screen.wait_for(PROMPT)
    screen.type("SELECT 41\r")
    screen.wait_for("  -> ")
    screen.answer("+ 1 AS answer;")
    equal(screen.end(), 0)
    assert case.path(".local/state/arus/history").exists()
    screen = Screen(case, "sql")
    screen.wait_for(PROMPT)
    screen.type("\x1b[A")
    screen.wait_for("SELECT 41 + 1 AS answer;")
    equal(screen.answer(""), "+------+\n|answer|\n+------+\n|    42|\n+------+\n1 row, NN\n")
    equal(screen.end("\\q\r"), 0)


def long_results_go_through_the_pager(case):
    case.put_text("pager.sh", "#!/bin/sh\necho PAGED; head -n 3\n")
    case.path("pager.sh").chmod(0o755)
    screen = Screen(case, "sql", ARUS_PAGER="./pager.sh")
    screen.wait_for(PROMPT)
    equal(screen.answer("SELECT id FROM range(100);"), "PAGED\n+--+\n|id|\n+--+\n100 rows, NN\n")
    assert "PAGED" not in screen.answer("SELECT id FROM range(10);")
    equal(screen.answer("SELECT id FROM range(1000000);").splitlines()[:2], ["PAGED", "+----+"])  # leaves before the end
    equal(screen.end(), 0)


run_all([value for value in list(globals().values()) if callable(value) and getattr(value, "__module__", "") == __name__
         and not isinstance(value, type)])
