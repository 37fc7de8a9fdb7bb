"""Heavy programs, and by how much they exceed their limits: `python benchmarks/limits.py --help`.

Each is verified in a process of its own, which is ended by force after a while and has a hard cap of
memory, so that the machine survives. Time counts from the text to the end of `report.to_json()` and of
the report's text, workers warm; memory is the peak above the idle process, of the caller alone.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent)]

from heavy import Heavy, programs  # noqa: E402
from tables import table  # noqa: E402

_SLACK_SECONDS: Final = 0.5
_MEGABYTES: Final = 300
_CAP_MEGABYTES: Final = 3_000
"""Of the caller: more is cut off, and counts as it."""
_AT_MOST: Final = 3.0
"""Times the limit, and five seconds: then the process is ended."""
_WARM: Final = (
    '{"constants": {"b": {"sort": "Bool", "members": ["p"]}}, "verifications": [{"constraint": "p"}]}'
)


class Measured(NamedTuple):
    """One program at one limit: seconds, megabytes above the idle process, the verdict or what went wrong."""

    name: str
    limit: float
    seconds: float
    megabytes: float
    outcome: str

    @property
    def over(self) -> float:
        """Seconds beyond the limit."""
        return self.seconds - self.limit

    @property
    def holds(self) -> bool:
        """True for an answer within the limits and what they allow beyond."""
        fine = self.outcome not in ("killed", "memory", "crash")
        return fine and self.over <= _SLACK_SECONDS and self.megabytes <= _MEGABYTES


# --- in the process that is measured ---------------------------------------------------------------


def _child(request: dict[str, Any]) -> Measured:
    import potlang

    warm = potlang.verify(_WARM)
    json.dumps(warm.to_json()), str(warm)
    limit_ms = int(request["limit"] * 1000)
    limits = potlang.Limits(check_ms=limit_ms, total_ms=limit_ms)
    idle = _megabytes("VmRSS")
    # Forgets the peak so far, where the system lets us.
    Path("/proc/self/clear_refs").write_text("5")
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_address_space() + (_CAP_MEGABYTES << 20), hard))
    print("ready", flush=True)
    began = time.perf_counter()
    try:
        report = potlang.verify(request["text"], limits=limits, **request["options"])
        report.to_json()
        str(report)
        outcome = str(report.verdict)
    except MemoryError:
        outcome = "memory"
    seconds = time.perf_counter() - began
    return Measured(request["name"], request["limit"], seconds, _megabytes("VmHWM") - idle, outcome)


def _megabytes(field: str) -> float:
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in status if line.startswith(field))


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


# --- in the process that measures ------------------------------------------------------------------


def measure(heavy: Heavy, limit: float) -> Measured:
    """The figures of one program at a limit in seconds."""
    most = _AT_MOST * limit + 5
    request = {"text": heavy.text, "name": heavy.name, "options": dict(heavy.options), "limit": limit}
    command = [sys.executable, str(Path(__file__).resolve()), "--child"]
    # A session of its own, so that its solvers end with it.
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as child:
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write(json.dumps(request).encode() + b"\n")
        child.stdin.flush()
        # The time for starting is not the program's.
        child.stdout.readline()
        try:
            out, said = child.communicate(timeout=most)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            return Measured(heavy.name, limit, most, 0.0, "killed")
    if child.returncode:
        lines = said.decode(errors="replace").strip().splitlines()
        sys.stderr.write("\n".join(["", heavy.name, *lines[-12:], ""]))
        return Measured(heavy.name, limit, 0.0, 0.0, "memory" if b"MemoryError" in said else "crash")
    return Measured(*json.loads(out.splitlines()[-1]))


@click.command(help=__doc__)
@click.option("--limit", "limits", type=float, multiple=True, default=(1.0, 5.0, 20.0), show_default=True)
@click.option("--only", default="", help="Only programs whose names contain this.")
@click.option("--every", type=click.IntRange(1), default=1, show_default=True, help="Every so many programs.")
@click.option("--first", type=click.IntRange(0), default=0, help="Begin with this one.")
@click.option("--worst", type=click.IntRange(1), default=25, show_default=True, help="Rows of the table.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the figures to this file.")
@click.option("--check", is_flag=True, help="Exit with 1 if one does not hold.")
@click.option("--child", is_flag=True, hidden=True)
def main(
    limits: tuple[float, ...],
    only: str,
    every: int,
    first: int,
    worst: int,
    json_path: Path | None,
    check: bool,
    child: bool,
) -> None:
    """Measure, and print the worst."""
    if child:
        print(json.dumps(_child(json.loads(sys.stdin.readline()))))
        return
    chosen = [each for each in programs() if only in each.name][first::every]
    found: list[Measured] = []
    for limit in limits:
        for heavy in chosen:
            found.append(measure(heavy, limit))
            if not found[-1].holds:
                click.echo(f"{found[-1].name} {found[-1]}", err=True)
            if json_path is not None:
                json_path.write_text(json.dumps([each._asdict() for each in found]), encoding="utf-8")
    click.echo(_shown(found, worst))
    if check and not all(each.holds for each in found):
        sys.exit(1)


def _shown(found: list[Measured], worst: int) -> str:
    """How many hold, and the worst, by what they exceed."""
    ranked = sorted(found, key=lambda each: (each.holds, -max(each.over, each.megabytes / 600)))
    rows = [
        [each.name, f"{each.limit:g}", f"{each.seconds:.1f}", f"{each.megabytes:.0f}", each.outcome]
        for each in ranked[:worst]
    ]
    kept = sum(each.holds for each in found)
    head = f"{kept} of {len(found)} hold: limit + {_SLACK_SECONDS:g} s, {_MEGABYTES} MB\n\n"
    return head + table(["program", "limit s", "s", "MB", "outcome"], rows)


if __name__ == "__main__":
    main()
