"""Finite problems: the defaults beside z3, cvc5 and CaDiCaL alone: `python benchmarks/finite.py --help`.

CaDiCaL has clauses that are written for it, without potlang; z3 and cvc5 have what potlang sends to them.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
import time
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import click

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent)]

from puzzles import Puzzle, puzzles  # noqa: E402
from tables import table  # noqa: E402

Name = Literal["potlang", "z3", "cvc5", "cadical"]
_NAMES: Final[tuple[Name, ...]] = ("potlang", "z3", "cvc5", "cadical")
_LEAST: Final = 0.98
"""Of what anybody decides alone, potlang decides so much."""


class Run(NamedTuple):
    """`possible` is what was found; None for no answer in time."""

    possible: bool | None
    seconds: float
    trust: str | None = None


def by_potlang(puzzle: Puzzle, limit: float, route: str) -> Run:
    """The whole of it, from the program to the report, for `auto`; for a solver its answer alone."""
    import potlang

    milliseconds = int(limit * 1000)
    limits = potlang.Limits(check_ms=milliseconds, total_ms=milliseconds)
    options: dict[str, Any] = {} if route == "auto" else {"route": route, "trust": "solver"}
    text = json.dumps(puzzle.source)
    began = time.perf_counter()
    report = potlang.verify(text, limits=limits, **options)
    report.to_json()
    seconds = time.perf_counter() - began
    (result,) = report.results
    possible = {"refuted": True, "inconsistent": False}.get(str(result.verdict))
    return Run(possible, seconds, str(result.trust) if possible is not None else None)


def _cadical(clauses: list[list[int]], answers: multiprocessing.SimpleQueue[tuple[bool, float]]) -> None:
    from pysat.solvers import Solver

    began = time.perf_counter()
    with Solver("cadical153", bootstrap_with=clauses) as solver:
        answers.put((bool(solver.solve()), time.perf_counter() - began))


def by_cadical(puzzle: Puzzle, limit: float) -> Run:
    """In a process that is ended at the limit."""
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    child = context.Process(target=_cadical, args=(puzzle.cnf.clauses, answers))
    child.start()
    child.join(limit + 0.5)
    if child.is_alive():
        child.kill()
        child.join()
        return Run(None, limit)
    possible, seconds = answers.get()
    return Run(possible, seconds)


def measured(puzzle: Puzzle, limit: float) -> dict[Name, Run]:
    """One run of each."""
    routes: dict[Name, str] = {"potlang": "auto", "z3": "z3", "cvc5": "cvc5"}
    runs = {name: by_potlang(puzzle, limit, route) for name, route in routes.items()}
    return {**runs, "cadical": by_cadical(puzzle, limit)}


@click.command(help=__doc__)
@click.option("--limit", type=float, default=5.0, show_default=True, help="Seconds for each.")
@click.option("--only", default="", help="Only problems whose names contain this.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the figures to this file.")
@click.option("--check", is_flag=True, help="Exit with 1 if answers differ or too few are decided.")
def main(limit: float, only: str, json_path: Path | None, check: bool) -> None:
    rows: list[list[Any]] = []
    figures, wrong, missed, decided = [], [], [], 0
    for puzzle in puzzles():
        if only not in puzzle.name:
            continue
        runs = measured(puzzle, limit)
        answers = {run.possible for run in runs.values()} | {puzzle.possible}
        if {True, False} <= answers:
            wrong.append(puzzle.name)
        others = any(runs[name].possible is not None for name in _NAMES[1:])
        decided += others
        if others and runs["potlang"].possible is None:
            missed.append(puzzle.name)
        told = "a model" if True in answers else "none" if False in answers else "-"
        times = [None if runs[name].possible is None else runs[name].seconds for name in _NAMES]
        rows.append([puzzle.name, told, runs["potlang"].trust, *times])
        figures.append({"name": puzzle.name, "runs": {name: run._asdict() for name, run in runs.items()}})
        sys.stderr.write(f"{puzzle.name}\n")
    click.echo(table(["problem", "there is", "trust", *(f"{name} s" for name in _NAMES)], rows))
    click.echo(f"{decided} decided by one of the others alone, of these {decided - len(missed)} by potlang")
    if missed:
        click.echo(f"not decided: {', '.join(missed)}")
    if wrong:
        click.echo(f"answers differ: {', '.join(wrong)}")
    if json_path is not None:
        json_path.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    if check and (wrong or decided - len(missed) < _LEAST * decided):
        sys.exit(1)


if __name__ == "__main__":
    main()
