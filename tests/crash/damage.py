#!/usr/bin/env python3
"""A journal with state is torn, or bits of it flip: the next run says so with exit 3, or goes on with the right rows where nothing needed
was hit. It never crashes and never gives other rows.

    ARUS=build/dev/arus tests/crash/damage.py [--rounds 60] [--seed N]
"""
import argparse
import collections
import pathlib
import random
import shutil
import signal

from harness import Failure, finish, seed_of, temporary_folder
from state_job import StateJob


def flip_bits(data, generator):
    for _ in range(generator.choice((1, 1, 3, 40))):
        at = generator.randrange(len(data))
        data[at] ^= 1 << generator.randrange(8)
    return "bits flipped"


def flip_in_used_page(data, generator):
    """In a page that is not empty."""
    pages = [at for at in range(0, len(data), 4096) if any(data[at:at + 4096])]
    at = generator.choice(pages) + generator.randrange(4096)
    data[at] ^= 1 << generator.randrange(8)
    return f"a bit of byte {at} flipped"


def tear(data, generator):
    size = generator.randrange(len(data))
    del data[size:]
    return f"cut to {size} bytes"


def tear_page(data, generator):
    at = generator.randrange(len(data) // 4096) * 4096 + generator.randrange(8) * 512
    data[at:at + 512] = bytes(512)
    return f"512 bytes at {at} are zero"


def tear_header(data, generator):
    """A page whose header says that it holds something, and nothing of it is there: LMDB reads behind the end of the file."""
    at = generator.randrange(2, len(data) // 4096) * 4096 + 11
    del data[at:]
    return f"cut to {at} bytes"


def is_refusal(err):
    """Damaged; or what is left says that somebody went on without the journal."""
    return "ARUS_JOURNAL_DAMAGED" in err and "help:" in err or "continued without its journal" in err


def went_on(job, what):
    """The closing events may need what the run did not."""
    try:
        job.check(what)
        return "went on, rows are right"
    except Failure as failure:
        if "ended with 3" in str(failure) and is_refusal(str(failure)):
            return "refused once it was read"
        raise


DAMAGES = (flip_bits, flip_in_used_page, flip_in_used_page, tear, tear_page, tear_header)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seed", type=int)
    args = parser.parse_args()
    generator = random.Random(seed_of(args.seed))
    folder = temporary_folder()
    job = StateJob(folder + "/job", "windows")
    job.forget()
    job.must_run()
    kept = folder + "/kept"
    shutil.copytree(job.folder, kept)
    outcomes = collections.Counter()
    failed = 0
    for number in range(args.rounds):
        shutil.rmtree(job.folder)
        shutil.copytree(kept, job.folder)
        path = job.folder / "ckpt" / "state" / "data.mdb"
        data = bytearray(path.read_bytes())
        what = generator.choice(DAMAGES)(data, generator)
        path.write_bytes(data)
        try:
            code, err = job.run()
            if code < 0:
                raise Failure(f"killed by {signal.Signals(-code).name}: {err[-500:]}")
            if code == 0:
                outcomes[went_on(job, what)] += 1
            elif code == 3 and is_refusal(err):
                outcomes["refused"] += 1
            else:
                raise Failure(f"ended with {code}: {err[-700:]}")
        except Failure as failure:
            failed += 1
            kept_file = f"{folder}/failed-{number}"
            pathlib.Path(kept_file).write_bytes(data)
            print(f"FAIL round {number}, {what}: {failure}\n  journal: {kept_file}", flush=True)
    print(", ".join(f"{name}: {count}" for name, count in outcomes.items()))
    if not failed:
        shutil.rmtree(folder)
    finish(sum(outcomes.values()), failed)


main()
