"""`potc FILE` as a whole process, against a bare script that imports z3 and solves the same text."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from measure import interleaved, median, ratio

import potlang

HERE = Path(__file__).resolve().parent


@dataclass
class StartUp:
    """Medians in milliseconds for one program, and potc's time over the bare script's."""

    program: str
    potc: float | None = None
    bare: float | None = None
    python: float | None = None
    ratio: float | None = None
    faults: list[str] = field(default_factory=list)


class Process:
    """A command as a subject; `codes` are the exit codes that are right."""

    def __init__(self, command: list[str], codes: tuple[int, ...] = (0,)) -> None:
        self.command = command
        self.codes = codes
        self.fault: str | None = None
        self._environment = {**os.environ, "PYTHONPATH": _import_path()}

    def prepare(self) -> None:
        """Nothing."""

    def run(self) -> None:
        """Run the command to its end."""
        done = subprocess.run(
            self.command, env=self._environment, capture_output=True, text=True, check=False
        )
        if done.returncode not in self.codes:
            last = (done.stderr or done.stdout).strip().splitlines()[-1:] or [""]
            self.fault = f"exit code {done.returncode}: {last[0][:200]}"


def _import_path() -> str:
    """The tree's own path, in case it is not installed."""
    return os.pathsep.join(filter(None, (str(HERE.parent), os.environ.get("PYTHONPATH"))))


def potc_command() -> list[str]:
    """The installed `potc` beside this interpreter, or what it would run."""
    installed = Path(sys.executable).with_name("potc")
    if installed.exists():
        return [str(installed)]
    return [sys.executable, "-c", "from potlang.cli.main import run; run()"]


def start_up(program: Path, directory: Path, rounds: int, options: list[str]) -> StartUp:
    """The figures for one program; the lowered text goes into `directory`. Raises CompileError."""
    text = directory / f"{program.stem}.smt2"
    text.write_text(potlang.compile(program).emit("smt2"), encoding="utf-8")
    subjects = {
        "potc": Process([*potc_command(), str(program), *options], (0, 1)),
        "bare": Process([sys.executable, str(HERE / "bare.py"), str(text)]),
        "python": Process([sys.executable, "-c", "pass"]),
    }
    interleaved(subjects, 2)
    times = interleaved(subjects, rounds)
    medians = {name: median(each) for name, each in times.items()}
    return StartUp(
        program.name,
        medians["potc"],
        medians["bare"],
        medians["python"],
        ratio(medians["potc"], medians["bare"]),
        [f"{name}: {each.fault}" for name, each in subjects.items() if each.fault is not None],
    )
