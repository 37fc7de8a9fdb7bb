"""A soak: batches and a service under faults drawn by a seed; nothing may be lost, nothing wrong.

    python benchmarks/chaos.py CASES --seed 1 --check
    python benchmarks/chaos.py CASES --fault solvers-crashed --fault cache-server --rounds 10

After each fault: every job is answered once and none is lost, with the verdicts of an undisturbed run, and so
is every request to a service; no process and no temporary file is left. Rows with the same verdict and other
evidence are counted, but for those that differ between two undisturbed runs: what is found in the time left
decides there, or, where solvers were struck, which of them. Some faults need more than potlang, and are left
out with a note if it is missing: PostgreSQL and psycopg (`apt-get install postgresql`, extra `postgres`),
libfaketime (`apt-get install libfaketime`), the extra `serve`, and for a disk of its own the right to mount
one (else files are limited in size).
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE), str(HERE.parent / "tests")]

from batch import jobs as program_jobs  # noqa: E402
from chaos_faults import FAULTS  # noqa: E402
from chaos_scene import Missing, Scene, rows_of  # noqa: E402

_OTHERS: Final = 10
"""Of so many jobs one is a trace and one a solution."""
_STEPS: Final = (
    {"step_id": 1, "edge": "Given.", "direct_dependent_steps": None, "node": "$x = 2$."},
    {"step_id": 2, "edge": "By Step 1.", "direct_dependent_steps": [1], "node": r"$x + 1 = \boxed{3}$."},
)
"""Decided in no time, for the evidence of longer ones differs from run to run."""
_GRACE_SECONDS: Final = 10.0
"""Within which all processes have to be gone after a run."""


def jobs(cases: Path, count: int) -> Iterator[dict[str, Any]]:
    """So many jobs with numbers for their ids: mostly programs, some traces and solutions."""
    programs = program_jobs(cases, count)
    trace = (HERE.parent / "examples" / "derivation.dot.txt").read_text(encoding="utf-8")
    for number in range(count):
        match number % _OTHERS:
            case 3:
                yield {"id": number, "trace": trace}
            case 7:
                yield {"id": number, "solution": {"steps": _STEPS}, "answer": number % 5}
            case _:
                yield {"id": number, "program": next(programs)["program"]}


class Judge:
    """What is wrong with the rows of a disturbed batch, beside those of undisturbed ones."""

    def __init__(self, *undisturbed: Path) -> None:
        self.rows, *others = (rows_of(each) for each in undisturbed)
        pairs = (enumerate(zip(self.rows, other, strict=True)) for other in others)
        self.unstable = {at for each in pairs for at, (one, other) in each if one != other}
        self.evidence: list[str] = []

    def wrong(self, out: Path, lines: int | None) -> Iterator[str]:
        """In words, of an input with so many `lines`. `evidence` is then what differs beside verdicts."""
        expected = self.rows[:lines]
        found = rows_of(out)
        self.evidence = []
        if [row.get("id") for row in found] != [row["id"] for row in expected]:
            yield f"{out.name}: {len(found)} rows for {len(expected)} jobs, or in another order"
            return
        for at, (row, right) in enumerate(zip(found, expected, strict=True)):
            if "fault" in row:
                yield f"{out.name}: job {at} is lost: {row['fault']}"
            elif row["verdict"] != right["verdict"]:
                yield f"{out.name}: job {at} is {row['verdict']}, not {right['verdict']}"
            elif row != right and at not in self.unstable:
                self.evidence.append(f"{out.name}: job {at}{_difference(row, right)}")
        unfinished = [path.name for path in out.rglob("*.part")]
        if unfinished:
            yield f"{out.name}: unfinished files {unfinished}"


def _difference(one: Any, other: Any, place: str = "") -> str:
    """Where two rows differ first."""
    pairs: list[tuple[Any, Any, Any]] = []
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        pairs = [(key, one[key], other[key]) for key in one]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = [(at, *pair) for at, pair in enumerate(zip(one, other, strict=True))]
    for key, mine, theirs in pairs:
        if mine != theirs:
            return _difference(mine, theirs, f"{place}/{key}")
    return f" at {place}: {str(one)[:120]} and not {str(other)[:120]}"


def left_over(scene: Scene) -> Iterator[str]:
    """Processes and files of runs that have ended."""
    until = time.monotonic() + _GRACE_SECONDS
    while (processes := scene.processes()) and time.monotonic() < until:
        time.sleep(0.2)
    yield from (f"left over: process {each.pid}, {each.role}" for each in processes)
    yield from (f"left over: {path.name}" for path in scene.temporary.iterdir())


def soak(scene: Scene, judge: Judge, names: list[str], rounds: int) -> Iterator[dict[str, Any]]:
    """Each fault so often: what it did, and what is wrong then."""
    for turn in range(rounds):
        for name in names:
            began = time.monotonic()
            scene.chance = random.Random(f"{scene.seed} {turn} {name}")
            try:
                told = FAULTS[name](scene)
            except Missing as error:
                if not turn:
                    yield {"fault": name, "left out": str(error)}
                continue
            wrong, evidence = [*told.wrong], []
            for out, lines in told.results:
                wrong += judge.wrong(out, lines)
                evidence += judge.evidence
            wrong += left_over(scene)
            seconds = round(time.monotonic() - began, 1)
            figures = {"fault": name, "round": turn, **told.figures, "seconds": seconds}
            yield {**figures, "other evidence": len(evidence), "first": evidence[:3], "wrong": wrong}
            for out, _ in told.results:
                shutil.rmtree(out, ignore_errors=True)


@click.command()
@click.argument("cases", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--count", default=3_000, help="Jobs of a batch.")
@click.option("--rounds", default=1, help="How often each fault comes.")
@click.option(
    "--fault", "names", multiple=True, type=click.Choice(list(FAULTS)), help="Only these. [default: all]"
)
@click.option("--trust", type=click.Choice(["best", "solver"]), default="solver")
@click.option("--workers", default=2)
@click.option("--seed", default=1)
@click.option(
    "--json", "target", type=click.Path(dir_okay=False, path_type=Path), help="A file for the figures."
)
@click.option("--check", is_flag=True, help="Exit with 1 if anything is wrong.")
def main(
    cases: Path,
    count: int,
    rounds: int,
    names: tuple[str, ...],
    trust: str,
    workers: int,
    seed: int,
    target: Path | None,
    check: bool,
) -> None:
    """Disturb batches, and compare their rows with those of undisturbed ones."""
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    told: list[dict[str, Any]] = []
    try:
        path = folder / "jobs.jsonl"
        texts = (json.dumps(job) + "\n" for job in jobs(cases, count))
        path.write_text("".join(texts), encoding="utf-8")
        scene = Scene(folder, path, trust, workers, seed)
        calm = [scene.whole(f"calm{number}") for number in range(2)]
        judge = Judge(*calm)
        told.append({"fault": "none", "jobs": count, "rows that differ by themselves": len(judge.unstable)})
        print(json.dumps(told[0]), flush=True)
        for each in soak(scene, judge, list(names or FAULTS), rounds):
            told.append(each)
            print(json.dumps(each), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if target is not None:
            target.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    sys.exit(1 if check and any(each.get("wrong") for each in told) else 0)


if __name__ == "__main__":
    os.environ.pop("POTLANG_CACHE", None)
    main()
