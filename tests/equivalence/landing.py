"""Random landing folders: rows whose event times move on from file to file, some late, some values null."""
import json
import os

COLUMNS = "id BIGINT, k STRING, g INT, ts TIMESTAMP, v INT, d DOUBLE, m DECIMAL(10,2), s STRUCT<x: INT, y: STRING>"
STEP_S = 150  # event time from one file to the next


def stamp(second, milli=0):
    minute, second = divmod(second, 60)
    hour, minute = divmod(minute, 60)
    return f"2026-01-01T{hour:02}:{minute:02}:{second:02}.{milli:03}Z"


class Landing:
    """Files of two folders: each a list of JSON lines. Event times move on from file to file, some are late, some values null."""

    def __init__(self, generator, file_count=4, rows=10, null_times=True):
        self.generator, self.ids = generator, 0
        self.keys = [f"k{i}" for i in range(generator.choice((2, 3, 5)))]
        self.null_rate = generator.choice((0, 0, 0.06))
        self.late_rate = generator.choice((0, 0.05, 0.15))
        self.has_null_times = generator.random() < 0.15 and null_times
        self.files = {side: [self.file(number, generator.randrange(1, rows)) for number in range(file_count - generator.randrange(2))]
                      for side in "ab"}

    def maybe(self, value):
        return None if self.generator.random() < self.null_rate else value

    def time(self, number):
        pick = self.generator
        second = 600 + number * STEP_S + pick.randrange(200) - (pick.choice((300, 500, 900)) if pick.random() < self.late_rate else 0)
        second -= second % pick.choice((1, 10, 30))
        return stamp(max(second, 0), pick.choice((0, 0, 0, 500)))

    def row(self, number):
        pick = self.generator
        self.ids += 1
        return {"id": self.ids, "k": self.maybe(pick.choice(self.keys)), "g": self.maybe(pick.randrange(3)),
                "ts": self.maybe(self.time(number)) if self.has_null_times else self.time(number), "v": self.maybe(pick.randrange(-3, 8)),
                "d": self.maybe(pick.choice((0.0, -0.0, 1.5, 2.25, -7.75, 100.0, float("nan")))),
                "m": self.maybe(pick.choice((0, 1.25, 10.5, -3.75, 99999999.99))),
                "s": self.maybe({"x": self.maybe(pick.randrange(2)), "y": self.maybe(pick.choice("pq"))})}

    def file(self, number, rows):
        return [json.dumps(self.row(number)) for _ in range(rows)]

    def write(self, folder):
        for side, files in self.files.items():
            (folder / side).mkdir(parents=True)
            for number, lines in enumerate(files):
                path = folder / side / f"{number:03}.json"
                path.write_text("\n".join(lines) + "\n", encoding="utf-8")
                os.utime(path, (1767225600 + number, 1767225600 + number))
