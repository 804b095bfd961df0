#!/usr/bin/env python3
"""The disk of the checkpoint fills up: the error says so, and a run with more space has every row once."""
import subprocess

from pipelines import Skipped, equal, run_all

FILES = 60
ROWS = 2000


def mount(case, size):
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(case.path("ckpt"))], capture_output=True, text=True)
    if done.returncode != 0:
        raise Skipped(f"mount: {done.stderr.strip()}")


def unmount(case):
    subprocess.run(["umount", "-l", str(case.path("ckpt"))], check=True)


def fills_up(case, query):
    """Two runs, the first on a small disk."""
    for number in range(FILES):
        # far apart and in no order: the state of numbers that follow each other would be small
        case.put_text(f"in/{number:03}.json", "".join(f'{{"id":{(number * ROWS + row) * 0x9E3779B97F4A7C15 % 2 ** 62}}}\n' for row in range(ROWS)))
    case.put_text("p.sql", f"""
CREATE TABLE l (id BIGINT) USING json OPTIONS (path 'in', maxFilesPerTrigger 1);
CREATE STREAMING TABLE t USING parquet TBLPROPERTIES (path 'out', checkpointLocation 'ckpt', trigger 'availableNow')
AS {query};
""")
    case.path("ckpt").mkdir()
    mount(case, "2m")
    try:
        case.arus("run", "p.sql", expect=1)
        assert "no space left on device for ckpt" in case.err and "[TASK_WRITE_FAILED]" in case.err, case.err
        subprocess.run(["mount", "-o", "remount,size=64m", str(case.path("ckpt"))], check=True)
        case.arus("run", "p.sql")
    finally:
        unmount(case)
    equal(case.rows("SELECT count(*), count(DISTINCT id) FROM parquet.`out`"), [[str(FILES * ROWS)] * 2])


def state_outgrows_the_disk(case):
    fills_up(case, "SELECT id FROM drop_duplicates(TABLE(SELECT * FROM STREAM l), 'id')")


if __name__ == "__main__":
    run_all([state_outgrows_the_disk])
