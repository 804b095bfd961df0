"""The jobs of the crash tests by name."""
from cleaning_job import OPTIONS, CleaningJob
from command_job import CommandJob, UpdateJob
from harness import Job
from rewind_job import BackupJob, RewindJob
from state_job import QUERIES, StateJob

STATELESS = ("rows", "partitioned", "rejects")
SPECIAL = {
    "rows": Job,
    "partitioned": lambda folder, **sizes: Job(folder, partitioned=True, **sizes),
    "rejects": lambda folder, **sizes: Job(folder, partitioned=True, rejects=True, **sizes),
    "command": CommandJob,
    "update": lambda folder, **sizes: UpdateJob(folder, "update", **sizes),
    **{"clean_" + way: lambda folder, way=way, **sizes: CleaningJob(folder, way, **sizes) for way in OPTIONS},
    "rewind": lambda folder, **sizes: RewindJob(folder, partitioned=True, **sizes),
    "rewind_state": lambda folder, **sizes: RewindJob(folder, "rewind_state", **sizes),
    "backup": BackupJob,
}
NAMES = (*STATELESS, *QUERIES, *(name for name in SPECIAL if name not in (*STATELESS, *QUERIES)))
GROUPS = {"all": NAMES, "state": tuple(QUERIES)}
HELP = ", ".join(NAMES) + "; state: those that keep it; all"

SMALL = {name: {"files": 4, "rows": 20} for name in NAMES} | {name: {} for name in ("rewind", "rewind_state")}


def job_of(name, folder, **sizes):
    """The job of this name in a folder of its own."""
    return SPECIAL[name](folder, **sizes) if name in SPECIAL else StateJob(folder, name, **sizes)


def names_of(argument):
    """`rows,windows`, or a group."""
    names = GROUPS.get(argument, argument.split(","))
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise SystemExit(f"no such job: {', '.join(unknown)}; choose from {HELP}")
    return names
