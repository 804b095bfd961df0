#!/usr/bin/env python3
"""Power loss: a run is recorded (LMDB's writes too), the states that a power cut may leave are rebuilt, recovery must be exact.

    ARUS=build/dev/arus tests/crash/power_loss.py [--points 60] [--seed N]
    ARUS=build/dev/arus tests/crash/power_loss.py --jobs windows,join,clean_archive,rewind,command
    ARUS=build/dev/arus tests/crash/power_loss.py --replay FOLDER --jobs partitioned --cut 143 --state 2128589071

The seed chooses the points but not how the threads of the recorded run take turns: a failure keeps the folder with its
trace, and says how to replay it.

What the run finds is durable: the input, and the checkpoint that `rewind` or `backup` works on. What a command as sink writes
is recorded too. A state after the first k calls: what was synced is there; of each file's later writes nothing, a prefix, a cut or a random
part may be there; of the later renames, links and creations a prefix or a random part.
"""
import argparse
import collections
import os
import pathlib
import pickle
import random
import shutil
import struct

from harness import Failure, finish, seed_of, temporary_folder
from jobs import HELP, STATELESS, job_of, names_of
from state_job import QUERIES

CREATE, WRITE, TRUNCATE, SYNC, RENAME, LINK, UNLINK, MKDIR, RMDIR, SYNC_DIR = range(1, 11)
Call = collections.namedtuple("Call", "op inode at path path2 data")


def read_trace(path):
    """The calls in order. A file system gives the inode number of a deleted file to a new one: each creation gets a number of its own."""
    calls, identity = [], {}
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        op, path_size, path2_size = struct.unpack_from("<BxHH", data, at)
        inode, offset, size = struct.unpack_from("<QqI", data, at + 8)
        at += 32
        text = data[at:at + path_size].decode()
        text2 = data[at + path_size:at + path_size + path2_size].decode()
        at += path_size + path2_size
        if op in (CREATE, MKDIR):
            identity[inode] = len(calls) + (1 << 64)
        calls.append(Call(op, identity.get(inode, inode), offset, text, text2, data[at:at + size]))
        at += size
    return calls


class Content:
    """One file's bytes: what is durable, and the writes since."""

    def __init__(self):
        self.durable, self.pending = bytearray(), []

    @staticmethod
    def apply(data, call):
        if call.op == TRUNCATE:
            del data[call.at:]
            data.extend(b"\0" * (call.at - len(data)))
        else:
            data.extend(b"\0" * (call.at - len(data)))
            data[call.at:call.at + len(call.data)] = call.data

    def sync(self):
        for call in self.pending:
            self.apply(self.durable, call)
        self.pending = []

    def after_cut(self, generator):
        data = bytearray(self.durable)
        way = generator.choice(("none", "all", "prefix", "part", "cut"))
        if way == "none":
            return data
        chosen = self.pending
        if way == "prefix":
            chosen = chosen[:generator.randint(0, len(chosen))]
        elif way == "part":
            chosen = [c for c in chosen if generator.random() < 0.5]
        for call in chosen:
            self.apply(data, call)
        if way == "cut" and len(data) > len(self.durable):
            del data[generator.randint(len(self.durable), len(data)):]
        return data


class Names:
    """The tree of names: what is durable, and the changes since, in order."""

    def __init__(self):
        self.durable, self.pending = {}, []

    @staticmethod
    def apply(names, call):
        if call.op in (CREATE, MKDIR):
            names[call.path] = (call.inode, call.op == MKDIR)
        elif call.op == RENAME and call.path in names:
            moved = {k: v for k, v in names.items() if k == call.path or k.startswith(call.path + "/")}
            for key in moved:
                del names[key]
            for key, value in moved.items():
                names[call.path2 + key[len(call.path):]] = value
        elif call.op == LINK and call.path in names:
            names[call.path2] = names[call.path]
        elif call.op in (UNLINK, RMDIR):
            names.pop(call.path, None)

    def sync(self, folder):
        """An fsync of a folder makes its own changes durable, and those before them that they need."""
        keep = []
        for call in self.pending:
            target = call.path2 or call.path
            if os.path.dirname(target) == folder or os.path.dirname(call.path) == folder:
                if call.op == RENAME and call.path not in self.durable:  # what was made elsewhere and moved here
                    for made in [k for k in keep if k.op == CREATE and k.path == call.path][-1:]:
                        self.apply(self.durable, made)
                        keep.remove(made)
                self.apply(self.durable, call)
            else:
                keep.append(call)
        self.pending = keep

    def after_cut(self, generator):
        names = dict(self.durable)
        if generator.random() < 0.5:
            chosen = self.pending[:generator.randint(0, len(self.pending))]
        else:
            chosen = [c for c in self.pending if generator.random() < 0.5]
        for call in chosen:
            self.apply(names, call)
        return names


def tree_of(root):
    """{path: (inode, is folder, bytes, time)} of what is there before the run."""
    tree = {}
    for path in pathlib.Path(root).rglob("*"):
        info = path.stat()
        tree[str(path)] = (info.st_ino, path.is_dir(), b"" if path.is_dir() else path.read_bytes(), info.st_mtime_ns)
    return tree


class Disk:
    def __init__(self, root, tree):
        self.root, self.times = str(root), {}
        self.contents = collections.defaultdict(Content)
        self.names = Names()
        for path, (inode, is_folder, data, time) in tree.items():
            self.names.durable[path] = (inode, is_folder)
            if not is_folder:
                self.contents[inode].durable, self.times[inode] = bytearray(data), time

    def see(self, call):
        if call.op in (WRITE, TRUNCATE):
            self.times.pop(call.inode, None)
        if call.op in (WRITE, TRUNCATE):
            self.contents[call.inode].pending.append(call)
        elif call.op == SYNC:
            self.contents[call.inode].sync()
        elif call.op == SYNC_DIR:
            path = next((p for p, (inode, is_folder) in self.current().items() if inode == call.inode and is_folder), None)
            self.names.sync(path if path is not None else self.root)
        else:
            self.names.pending.append(call)

    def current(self):
        names = dict(self.names.durable)
        for call in self.names.pending:
            self.names.apply(names, call)
        return names

    def rebuild(self, generator):
        names = self.names.after_cut(generator)
        cut = {}
        for path, (inode, is_folder) in sorted(names.items()):
            if not all(parent in names and names[parent][1] for parent in parents(path, self.root)):
                continue
            if is_folder:
                os.makedirs(path, exist_ok=True)
                continue
            if inode not in cut:
                cut[inode] = self.contents[inode].after_cut(generator)
            with open(path, "wb") as file:
                file.write(cut[inode])
            if inode in self.times:  # the source goes by the time of a file
                os.utime(path, ns=(self.times[inode], self.times[inode]))


def parents(path, root):
    folder = os.path.dirname(path)
    while len(folder) > len(root):
        yield folder
        folder = os.path.dirname(folder)


def small_job(folder, name):
    sizes = {"files": 5, "rows": 25} if name in QUERIES else {"files": 24, "rows": 10, "files_per_batch": 2} if name in STATELESS else {}
    job = job_of(name, folder + "/job", **sizes)
    job.is_cleaning_up_owed = False  # the cut may bring back a file, nobody reads it again
    return job


def record(folder, name):
    """The job, the tree that the run found, its calls; kept for --replay."""
    job, trace = small_job(folder, name), folder + f"/trace-{name}"
    job.forget()
    tree = tree_of(job.folder)
    pathlib.Path(folder, f"tree-{name}").write_bytes(pickle.dumps(tree))
    code, err = job.run(shim={"ARUS_SHIM_TRACE": trace})
    if code != 0:
        raise SystemExit(f"the recorded run ended with {code}: {err}")
    return job, tree, read_trace(trace)


def cut_power(job, tree, calls, state):
    """The job's folder as a power cut after these calls may leave it."""
    disk = Disk(job.folder, tree)
    for call in calls:
        disk.see(call)
    shutil.rmtree(job.folder)
    job.folder.mkdir()
    disk.rebuild(random.Random(state))


def check_lost_commit(job):
    """The cut took commits/0 and the plan's details, and left offsets/1: 0 is published again, then 1 runs as planned."""
    job.forget()
    job.run(env={"ARUS_FAILPOINT": "after_offsets_before_sink:1"})
    for name in ("commits/0", ".arus/plan"):
        os.truncate(job.folder / "ckpt" / name, 0)
    job.must_run()
    job.check("commits/0 lost, offsets/1 kept")


def check_torn_compact(job):
    """The cut left the sink's 9.compact with its first lines only, and took commits/9: it is written anew, not taken for somebody else's."""
    job.forget()
    job.run(env={"ARUS_FAILPOINT": "after_sink_log:9"})
    compact = job.folder / "out/_spark_metadata/9.compact"
    lines = compact.read_bytes().splitlines(keepends=True)
    for size in (3, len(b"".join(lines[:4])), len(b"".join(lines[:4])) + 20, sum(map(len, lines)) - 5):
        os.truncate(compact, size)
        job.run(env={"ARUS_FAILPOINT": "after_sink_log:9"})
        assert compact.read_bytes().splitlines(keepends=True) == lines, f"9.compact cut at {size} was not written anew"
    os.truncate(compact, 100)
    job.must_run()
    job.check("9.compact torn")


def recovers(job, name, tree, calls, cut, state, folder):
    what = f"{name}: cut after call {cut}, state {state}"
    try:
        cut_power(job, tree, calls[:cut], state)
        job.must_run()
        job.check(what)
        return True
    except Failure as failure:
        print(f"FAIL {what}: {failure}\n  again: --replay {folder} --jobs {name} --cut {cut} --state {state}", flush=True)
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=60)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--replay", metavar="FOLDER")
    parser.add_argument("--jobs", default=",".join(STATELESS), help=HELP)
    parser.add_argument("--cut", type=int)
    parser.add_argument("--state", type=int)
    args = parser.parse_args()
    names = names_of(args.jobs)
    if args.replay is not None:
        calls, tree = read_trace(args.replay + f"/trace-{names[0]}"), pickle.loads(pathlib.Path(args.replay, f"tree-{names[0]}").read_bytes())
        good = recovers(small_job(args.replay, names[0]), names[0], tree, calls, args.cut, args.state, args.replay)
        finish(int(good), int(not good))
    generator = random.Random(seed_of(args.seed))
    folder = os.path.realpath(temporary_folder())
    passed = failed = 0
    for name in names:
        job, tree, calls = record(folder, name)
        print(f"{name}: {len(calls)} calls recorded", flush=True)
        if name in STATELESS:
            check_lost_commit(job)
            check_torn_compact(job)
        for _ in range(-(-args.points // len(names))):
            if recovers(job, name, tree, calls, generator.randint(0, len(calls)), generator.randrange(1 << 32), folder):
                passed += 1
            else:
                failed += 1
    if not failed:
        shutil.rmtree(folder)
    finish(passed, failed)


main()
