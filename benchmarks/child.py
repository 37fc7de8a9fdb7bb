"""One measurement in a process of its own, so that its memory is its own and a hang can be ended.

Reads a request from standard input as JSON, writes the figures to standard output as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from measure import Subject

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))


@dataclass(frozen=True, slots=True)
class Request:
    """What to measure: one of `scaling.CONTENDERS`, or `record`, which writes the script for raw z3."""

    subject: str
    program: str
    script: str = ""
    route: str = "auto"
    timeout_ms: int = 60_000
    runs: int = 1
    peer_path: str | None = None


@dataclass
class Figures:
    """Milliseconds of each run, of compiling in it, peak megabytes, the answers; or what went wrong."""

    ms: list[float] = field(default_factory=list)
    compile_ms: list[float] = field(default_factory=list)
    megabytes: dict[str, float] = field(default_factory=dict)
    answers: list[str] = field(default_factory=list)
    error: str | None = None


def run(request: Request, seconds: float) -> Figures:
    """The figures from a fresh process, which is ended after so many seconds."""
    command = [sys.executable, str(HERE / "child.py")]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(asdict(request)),
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Figures(error=f"ended after {seconds:.0f} s")
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        return Figures(error=last[0][:300])
    return Figures(**json.loads(done.stdout.splitlines()[-1]))


def _measure(request: Request) -> Figures:
    from measure import peak_megabytes, timed
    from peers import Default, Potlang, Public, RawZ3, Script, find_public, record

    import potlang

    source = Path(request.program)
    limits = potlang.Limits(check_ms=request.timeout_ms, total_ms=10 * request.timeout_ms, memory_mb=16_384)
    figures = Figures()
    subject: Any
    match request.subject:
        case "record":
            Path(request.script).write_text(record(source, limits).to_json(), encoding="utf-8")
            return figures
        case "raw" | "raw_cores":
            script = Script.from_json(Path(request.script).read_text(encoding="utf-8"))
            RawZ3(Script("(declare-const a Bool)(assert a)", ()), 1_000).run()
            subject = RawZ3(script, request.timeout_ms, cores=request.subject == "raw_cores")
        case "peer":
            if (
                missing := find_public(None if request.peer_path is None else Path(request.peer_path))
            ) is not None:
                return Figures(error=missing)
            subject = Public(source, request.timeout_ms)
        case "defaults":
            _warm(Default)
            subject = Default(source)
        case _:
            _warm(lambda path: Potlang(path, _route(request.route)))
            subject = Potlang(source, _route(request.route), limits)
    figures.ms = [timed(subject) for _ in range(request.runs)]
    figures.megabytes = peak_megabytes()
    figures.compile_ms = getattr(subject, "compile_ms", [])
    figures.answers = _answers(subject)
    return figures


def _warm(made: Callable[[Path], Subject]) -> None:
    from workloads import facts

    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "warm.json"
        path.write_text(json.dumps(facts(20).program), encoding="utf-8")
        for _ in range(2):
            made(path).run()


def _route(name: str) -> Any:
    return name


def _answers(subject: Any) -> list[str]:
    """Verdicts of potlang, statuses of raw z3, counts of the public implementation."""
    if getattr(subject, "rejection", None) is not None:
        return ["rejected"]
    if getattr(subject, "report", None) is not None:
        return [str(each.verdict) for each in subject.report.results]
    if hasattr(subject, "statuses"):
        return list(subject.statuses)
    if not hasattr(subject, "counts"):
        return []
    counts = subject.counts
    return [counts.error] if counts.error is not None else [f"{counts.sat} sat", f"{counts.unsat} unsat"]


if __name__ == "__main__":
    print(json.dumps(asdict(_measure(Request(**json.load(sys.stdin))))))
