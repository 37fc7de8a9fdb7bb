"""Batches and services that faults disturb: how they are started, their processes, and their rows."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple
from urllib.request import urlopen

from potlang.utils.closing import Closing

ROOT: Final = Path(__file__).resolve().parents[1]
_MARK: Final = "POTLANG_CHAOS"
_START_SECONDS: Final = 60.0
Role = Literal["batch", "worker", "solver"]


class Member(NamedTuple):
    """A process of a run: the batch itself, one that answers jobs, or one that these have started."""

    pid: int
    role: Role

    def signal(self, number: int) -> bool:
        """Whether it was there to be sent a signal."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)
            return True
        return False


class Missing(Exception):
    """What a fault needs is not there."""


class Told(NamedTuple):
    """What a fault did: results to be judged, with the jobs of a shorter input; and what is wrong beside."""

    results: tuple[tuple[Path, int | None], ...]
    figures: Mapping[str, Any]
    wrong: tuple[str, ...] = ()


class Ended(NamedTuple):
    """How a run has ended."""

    code: int
    said: str
    errors: str


class Scene:
    """A folder with jobs, and runs of them."""

    def __init__(self, folder: Path, jobs: Path, trust: str, workers: int, seed: int) -> None:
        self.folder, self.jobs, self.seed = folder, jobs, seed
        self.chance = random.Random(seed)
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self._options = ("--trust", trust, "-j", str(workers), "--shard-jobs", "50", "--format", "json")
        self._mark = uuid.uuid4().hex

    def place(self, name: str) -> Path:
        """A directory for results."""
        return self.folder / name

    def start(
        self,
        out: Path,
        *more: str,
        jobs: Path | None = None,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> subprocess.Popen[str]:
        """A run under way."""
        command = (sys.executable, "-m", "potlang", "batch", str(jobs or self.jobs), "--out", str(out))
        return subprocess.Popen(
            (*command, *self._options, *more),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=self._environment(environment),
        )

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        marks = {_MARK: self._mark, "TMPDIR": str(self.temporary), "PYTHONPATH": str(ROOT)}
        return {**os.environ, **marks, **more}

    def run(self, out: Path, *more: str, **given: Any) -> Ended:
        """A run to its end."""
        return ended(self.start(out, *more, **given))

    def undisturbed(self) -> list[dict[str, Any]]:
        """The rows of the first undisturbed run."""
        return rows_of(self.place("calm0"))

    def serve(self) -> Service:
        """A service of the same potlang. Raises RuntimeError if it does not start."""
        return Service(self._environment({}))

    def whole(self, name: str) -> Path:
        """The results of an undisturbed run."""
        out = self.place(name)
        done = self.run(out)
        if done.code:
            raise SystemExit(f"the undisturbed batch has ended with {done.code}: {done.errors}")
        return out

    def processes(self, *roles: Role) -> list[Member]:
        """The processes of runs that there are."""
        found = []
        for folder in Path("/proc").iterdir():
            if folder.name.isdecimal():
                with suppress(OSError):
                    role = self._role(folder)
                    if role is not None and (not roles or role in roles):
                        found.append(Member(int(folder.name), role))
        return sorted(found)

    def _role(self, folder: Path) -> Role | None:
        if f"{_MARK}={self._mark}".encode() not in (folder / "environ").read_bytes().split(b"\0"):
            return None
        command = (folder / "cmdline").read_bytes()
        if b"potlang.batch.worker" in command:
            return "worker"
        return "batch" if b"\0batch\0" in command else "solver"

    def disturbed(
        self,
        process: subprocess.Popen[str],
        disturb: Callable[[], bool],
        every: tuple[float, float],
        most: int,
    ) -> tuple[Ended, int]:
        """The end of a run that is disturbed now and then, at most so often; and how often it was."""
        done = 0
        until = time.monotonic() + self.chance.uniform(*every)
        while process.poll() is None and done < most:
            time.sleep(0.02)
            if time.monotonic() >= until:
                done += disturb()
                until = time.monotonic() + self.chance.uniform(*every)
        return ended(process), done


class Service(Closing):
    """`potc serve` on a free port."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Raises RuntimeError if it does not start, as without the extra `serve`."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self._process = subprocess.Popen(
            (sys.executable, "-m", "potlang", "serve", f"127.0.0.1:{self.port}", "--workers", "2"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=dict(environment),
        )
        self.pid = self._process.pid
        until = time.monotonic() + _START_SECONDS
        while not self._is_ready():
            if self._process.poll() is not None or time.monotonic() > until:
                self.close()
                raise RuntimeError(f"potc serve: {self._process.communicate()[1][-400:]}")
            time.sleep(0.1)

    def _is_ready(self) -> bool:
        url = f"http://127.0.0.1:{self.port}/health/ready"
        with suppress(OSError), urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
        return False

    def drained(self) -> int:
        """Its exit code after SIGTERM, -9 if it does not end."""
        self._process.terminate()
        return ended(self._process).code

    def close(self) -> None:
        """End it at once."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()


def ended(process: subprocess.Popen[str], seconds: float = 600) -> Ended:
    """The end of a run; one that does not end is killed, with code -9."""
    try:
        said, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        said, errors = process.communicate()
        errors += "\nit did not end"
    return Ended(process.returncode, said, errors)


def rows_of(out: Path) -> list[dict[str, Any]]:
    """All rows of a batch, in order."""
    files = sorted((out / "rows").glob("*.jsonl"))
    return [json.loads(line) for path in files for line in path.read_bytes().splitlines()]
