"""Jobs for tests of batches, services whose processes die, and a whole run's rows."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

from potlang.batch.jobs import Job
from potlang.batch.worker import JobService, ShardService
from potlang.processes.frames import Message

TRACE = """@node id=1 role=problem
Which number?
@node id=2 role=proposer
@edge src=1 dst=2 kind=use
Two.
@node id=3 role=critic
@edge src=2 dst=3 kind=critique
@status target=2 mark=validated
Right.
@node id=4 role=summarizer
@edge src=2 dst=4 kind=use
Two.
"""
STEPS = [
    {"step_id": 1, "edge": "Given.", "direct_dependent_steps": None, "node": "$x = 2$."},
    {"step_id": 2, "edge": "By Step 1.", "direct_dependent_steps": [1], "node": r"$x + 1 = \boxed{3}$."},
]


def program(text: str) -> dict[str, Any]:
    """A program with one claim."""
    return {"verifications": [{"name": "claim", "constraint": text}]}


def ordinary(count: int = 40) -> list[dict[str, Any]]:
    """Jobs of all three languages, right and wrong."""
    jobs: list[dict[str, Any]] = []
    for number in range(count):
        match number % 4:
            case 0:
                jobs.append(
                    {"id": f"p{number}", "program": program(f"{number} + 1 == {number + number % 3}")}
                )
            case 1:
                jobs.append({"id": number, "trace": TRACE})
            case 2:
                jobs.append({"id": f"s{number}", "solution": {"steps": STEPS}, "answer": 3 + number % 8 // 4})
            case _:
                jobs.append(program(f"{number} > {number - 1}"))
    return jobs


def write_jobs(path: Path, jobs: list[Any]) -> Path:
    """A file of JSON Lines."""
    path.write_text("".join(json.dumps(job) + "\n" for job in jobs), encoding="utf-8")
    return path


def all_rows(directory: Path) -> bytes:
    """The rows of all shards, in order."""
    return b"".join(path.read_bytes() for path in sorted((directory / "rows").glob("*.jsonl")))


def parsed(directory: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in all_rows(directory).splitlines()]


class DyingService(ShardService):
    """Its process is killed at a job with `deadly` in its id, each time, or once for `once`."""

    def _report(self, job: Job, options: Message) -> dict[str, Any]:
        name = str(job.id)
        if "deadly" in name:
            os.kill(os.getpid(), signal.SIGKILL)
        if "once" in name:
            mark = Path(os.environ["POTLANG_TEST_MARKS"]) / name
            if not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return super()._report(job, options)


class LateService(ShardService):
    """Its process ends three times before it has started."""

    def __init__(self) -> None:
        super().__init__()
        folder = Path(os.environ["POTLANG_TEST_MARKS"])
        count = len(list(folder.glob("start*")))
        (folder / f"start{count}").touch()
        if count < 3:
            os.kill(os.getpid(), signal.SIGKILL)


class ShrinkingService(ShardService):
    """Cuts the input at a size when it has answered three jobs."""

    def _report(self, job: Job, options: Message) -> dict[str, Any]:
        size = os.environ["POTLANG_TEST_SIZE"]
        if job.id == 2 and size:
            os.truncate(job.file, int(size))
        return super()._report(job, options)


class SilentService(ShardService):
    """Dies before it answers anything."""

    def answer(self, request: Message) -> Message:
        os._exit(3)


class DyingJobs(JobService):
    """Its process is killed at the text `deadly`."""

    def _report(self, job: Job, options: Message) -> dict[str, Any]:
        if job.source == "deadly":
            os.kill(os.getpid(), signal.SIGKILL)
        return super()._report(job, options)


class HangingJobs(JobService):
    """It never answers to the text `hangs`."""

    def _report(self, job: Job, options: Message) -> dict[str, Any]:
        while job.source == "hangs":
            time.sleep(0.01)
        return super()._report(job, options)
