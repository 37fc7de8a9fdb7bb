"""Verifying traces of many validated propositions: `python benchmarks/run.py propositions --help`.

Beside the defaults the same with `trust="solver"`, and raw z3 with two checks for each proposition, which is
what the verdicts on nodes take alone: comparing propositions with each other comes on top of that.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

import click
from measure import Subject, fitted_growth, growth, interleaved, median, ratio
from outcome import collected, finish
from tables import cell, table

import potlang.dot
from potlang.prove.options import Trust
from potlang.report.results import Limits

_LIMITS: Final = Limits(total_ms=600_000)
_FLAGS: Final = 30


@dataclass(frozen=True, slots=True)
class Shape:
    """Propositions, as SMT-LIB text too; `redundant` and `pairs` are how many there are, if that is known.

    An arrow goes from one proposition to another, by their places.
    """

    name: str
    declared: dict[str, str]
    said: tuple[Any, ...]
    asserted: tuple[str, ...]
    redundant: int | None = None
    pairs: int | None = None
    arrows: tuple[tuple[int, int], ...] = ()

    @property
    def trace(self) -> bytes:
        """A trace in which a critic validates each, and a summarizer uses all."""
        lines = ["@node id=1 role=problem", "@prop id=1 " + json.dumps({"declare": self.declared})]
        last = 2 * len(self.said) + 2
        for node, said in zip(range(2, last, 2), self.said, strict=True):
            lines += [f"@node id={node} role=proposer", f"@prop id={node} {json.dumps(said)}"]
            lines += [f"@node id={node + 1} role=critic", f"@edge src={node} dst={node + 1} kind=critique"]
            lines += [f"@status target={node} mark=validated just={node + 1}"]
        lines += [f"@node id={last} role=summarizer"]
        lines += [f"@edge src={node} dst={last} kind=use" for node in range(2, last, 2)]
        lines += [f"@entails src={2 * lower + 2} dst={2 * upper + 2}" for lower, upper in self.arrows]
        return ("\n".join(lines) + "\n").encode()

    @property
    def script(self) -> str:
        """Two checks for each proposition."""
        consts = "".join(f"(declare-const {name} {sort})" for name, sort in self.declared.items())
        checks = (
            f"(push 1)(assert {each})(check-sat)(pop 1)(push 1)(assert (not {each}))(check-sat)(pop 1)"
            for each in self.asserted
        )
        return consts + "".join(checks)


def chain(size: int) -> Shape:
    """x > 0, x > 1, …: all but the last are redundant."""
    said = tuple({"gt": ["x", at]} for at in range(size))
    asserted = tuple(f"(> x {at})" for at in range(size))
    return Shape("chain", {"x": "Int"}, said, asserted, size - 1, 0)


def apart(size: int) -> Shape:
    """Each of its own unknown: none is redundant, all pairs are incomparable."""
    declared = {f"p{at}": "Bool" for at in range(size)}
    said = tuple({"pot": f"p{at}"} for at in range(size))
    return Shape("apart", declared, said, tuple(declared), 0, size * (size - 1) // 2)


def linked(size: int) -> Shape:
    """Each of its own unknown, and as many arrows at random: those that others lead to are redundant."""
    random = Random(size)
    declared = {f"x{at}": "Int" for at in range(size)}
    said = tuple({"gt": [f"x{at}", at]} for at in range(size))
    asserted = tuple(f"(> x{at} {at})" for at in range(size))
    arrows = tuple((random.randrange(size), random.randrange(size)) for _ in range(size))
    return Shape("linked", declared, said, asserted, arrows=arrows)


def clauses(size: int) -> Shape:
    """Random clauses of three literals: some follow from others together."""
    random = Random(size)
    names = [f"p{at}" for at in range(_FLAGS)]
    chosen = [random.sample(names, 3) for _ in range(size)]
    said = tuple({"pot": f"{a} or {b} or not {c}"} for a, b, c in chosen)
    asserted = tuple(f"(or {a} {b} (not {c}))" for a, b, c in chosen)
    return Shape("clauses", dict.fromkeys(names, "Bool"), said, asserted)


def root(_: int) -> Shape:
    """x * x == 2, whose models no evaluator takes."""
    said = ({"eq": [{"mul": ["x", "x"]}, 2]}, {"ne": ["x", 1.5]})
    return Shape("root", {"x": "Real"}, said, ("(= (* x x) 2.0)", "(distinct x 1.5)"), 1, 0)


SHAPES: Final = {each.__name__: each for each in (chain, apart, linked, clauses)}


@dataclass(slots=True)
class Point:
    """Medians in milliseconds at one size, and what was not right."""

    name: str
    size: int
    redundant: int = 0
    pairs: int = 0
    ms: float | None = None
    solver: float | None = None
    raw: float | None = None
    faults: list[str] = field(default_factory=list)


class Verified:
    """A trace from its text to the report."""

    def __init__(self, shape: Shape, trust: Trust) -> None:
        self._text, self._trust = shape.trace, trust
        self.report: Any = None

    def prepare(self) -> None:
        """Nothing."""

    def run(self) -> None:
        """Verify it."""
        self.report = potlang.dot.verify(self._text, trust=self._trust, limits=_LIMITS)


class Raw:
    """z3 on the script of a shape."""

    def __init__(self, shape: Shape) -> None:
        self._script = shape.script

    def prepare(self) -> None:
        """Nothing: the context is part of what it takes."""

    def run(self) -> None:
        """Read and check."""
        import z3

        context = z3.Context()
        z3.Z3_eval_smtlib2_string(context.ref(), self._script)


def measure(sizes: Sequence[int], rounds: int) -> Iterator[Point]:
    """A point for each shape and size, the root first."""
    yield _point(root(2), 5 * rounds)
    for make in SHAPES.values():
        for size in sizes:
            yield _point(make(size), rounds)


def _point(shape: Shape, rounds: int) -> Point:
    own, solver, raw = Verified(shape, "best"), Verified(shape, "solver"), Raw(shape)
    subjects: dict[str, Subject] = {"own": own, "solver": solver, "raw": raw}
    if len(shape.said) < 100:
        interleaved(subjects, 1)
    times = interleaved(subjects, rounds)
    found = own.report.summary
    point = Point(shape.name, len(shape.said), len(found.redundant), len(found.incomparable))
    point.ms, point.solver, point.raw = (median(times[name]) for name in ("own", "solver", "raw"))
    other = solver.report.summary
    if (found.redundant, found.incomparable) != (other.redundant, other.incomparable):
        point.faults.append("the trust level changes what is redundant or incomparable")
    if own.report.verdict != solver.report.verdict:
        point.faults.append("the trust level changes the verdict")
    if shape.redundant not in (None, point.redundant) or shape.pairs not in (None, point.pairs):
        point.faults.append(f"{point.redundant} redundant and {point.pairs} incomparable pairs")
    point.faults += [*found.notes, *own.report.notes]
    return point


HEADINGS = ("shape", "size", "redundant", "pairs", "ms", "trust=solver", "raw", "x solver", "x raw", "growth")


def rows(points: Sequence[Point]) -> list[list[Any]]:
    """The points as rows of a table under `HEADINGS`; growth is per doubling of the size."""
    before: list[Point | None] = [None, *points[:-1]]
    found = []
    for last, point in zip(before, points, strict=True):
        factor = None
        if last is not None and last.name == point.name:
            factor = growth((last.size, point.size), (last.ms, point.ms))
        times = [point.ms, point.solver, point.raw, ratio(point.ms, point.solver), ratio(point.ms, point.raw)]
        found.append([point.name, point.size, point.redundant, point.pairs, *times, factor])
    return found


def failures(points: Sequence[Point], most: float, growing: float) -> list[str]:
    """What is not as it must be: faults, a ratio to `trust="solver"` or a growth beyond a bound."""
    found = [f"{point.name} {point.size}: {fault}" for point in points for fault in point.faults]
    for point in points:
        factor = ratio(point.ms, point.solver)
        if factor is None or factor > most:
            found.append(f'{point.name} {point.size}: {cell(factor)} times trust="solver", at most {most}')
    for name, factor in fitted(points).items():
        if factor > growing:
            found.append(f"{name}: grows {cell(factor)} times per doubling, at most {growing}")
    return found


def fitted(points: Sequence[Point]) -> dict[str, float]:
    """The growth per doubling of each shape."""
    found = {}
    for name in SHAPES:
        mine = [point for point in points if point.name == name]
        factor = fitted_growth([point.size for point in mine], [point.ms for point in mine])
        if factor is not None:
            found[name] = factor
    return found


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--sizes", default="50,100,200,400", show_default=True, help="Validated propositions.")
@click.option("--rounds", default=3, show_default=True, help="Timed runs of each contender; medians count.")
@click.option("--max-ratio", default=3.0, show_default=True, help='Bound on the ratio to trust="solver".')
@click.option("--max-growth", default=4.4, show_default=True, help="Bound on growth per doubling.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the figures to this file.")
@click.option("--check", is_flag=True, help="Exit with 1 if a bound is not kept.")
def main(
    sizes: str, rounds: int, max_ratio: float, max_growth: float, json_path: Path | None, check: bool
) -> None:
    """Traces of many validated propositions: verdicts, what is redundant, which pairs are incomparable."""
    wanted = [int(size) for size in sizes.split(",")]
    points = collected("propositions", measure(wanted, rounds), 1 + len(SHAPES) * len(wanted))
    click.echo(table(HEADINGS, rows(points)))
    click.echo("\ngrowth per doubling: " + ", ".join(f"{k} {cell(v)}" for k, v in fitted(points).items()))
    failed = failures(points, max_ratio, max_growth)
    finish("propositions", {"points": [asdict(each) for each in points]}, failed, json_path, check)
