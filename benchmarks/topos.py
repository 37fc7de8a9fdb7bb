"""Traces in a topos, by the number of models: `python benchmarks/topos.py --help`.

The lattice side (models, nucleus, summary) and the slice side (colimit, reflection, corollary 4.6) apart.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import click

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

from measure import growth, median  # noqa: E402
from outcome import finish  # noqa: E402
from tables import table  # noqa: E402

from potlang.languages.dot.diagram import TraceDiagram, diagram  # noqa: E402
from potlang.languages.dot.diagram_statements import statements  # noqa: E402

_MOST_GROWTH = 4.5
"""The slice takes time square in the arrows of ∫S, of which there are as many as models."""
_OBJECTS = 6


class Point(NamedTuple):
    """Median milliseconds of the processor's time at one number of models."""

    models: int
    lattice: float | None
    slice: float | None
    right: bool


def trace_with_models(count: int) -> str:
    """A trace over so many truth values, with a chain of arrows between its propositions."""
    names = [f"p{at}" for at in range(count)]
    lines = ["@node id=1 role=problem", f"@prop id=1 {json.dumps({'declare': dict.fromkeys(names, 'Bool')})}"]
    for at in range(_OBJECTS):
        node, said = 2 * at + 2, [names[k] for k in range(at % count, count, max(1, count // 3))]
        lines += [
            f"@node id={node} role=proposer",
            f"@prop id={node} {json.dumps({'and': [said[0], *said]})}",
        ]
        lines += [f"@node id={node + 1} role=critic", f"@edge src={node} dst={node + 1} kind=critique"]
        lines.append(f"@status target={node} mark=validated")
        if at:
            lines.append(f"@entails src={node - 2} dst={node} witness={node + 1}")
    every = {"or": [names[0], *names]}
    lines += [
        f"@node id={2 * _OBJECTS + 2} role=summarizer",
        f"@prop id={2 * _OBJECTS + 2} {json.dumps(every)}",
    ]
    return "\n".join([*lines, ""])


def measured(count: int, rounds: int) -> Point:
    """The times at 2 to the `count` models."""
    lattice, sliced, right = [], [], True
    found: TraceDiagram | None = None
    for _ in range(rounds):
        began = process_time()
        found = diagram(trace_with_models(count))
        middle = process_time()
        right &= all(each.holds for each in statements(found)) and len(found.models) == 1 << count
        lattice.append(1000 * (middle - began))
        sliced.append(1000 * (process_time() - middle))
    return Point(1 << count, median(lattice), median(sliced), right)


def failures(points: Sequence[Point], most: float) -> list[str]:
    """Statements that do not hold, and a growth per doubling beyond the bound."""
    wrong = [f"{point.models}: a statement does not hold" for point in points if not point.right]
    for a, b in pairwise(points):
        factor = growth((a.models, b.models), (a.slice, b.slice))
        if factor is None or factor > most:
            wrong.append(f"{a.models} to {b.models} models: the slice grows {factor} times")
    return wrong


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--rounds", default=3, show_default=True, help="Times for each size; medians count.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="All figures.")
@click.option("--check", is_flag=True, help="Exit code 1 if a bound is not kept.")
def main(rounds: int, json_path: Path | None, check: bool) -> None:
    """Measure diagrams of traces with 16 to 1,024 models."""
    points = [measured(count, rounds) for count in range(4, 11)]
    factors = [None, *(growth((a.models, b.models), (a.slice, b.slice)) for a, b in pairwise(points))]
    rows: list[list[Any]] = [
        [point.models, point.lattice, point.slice, factor]
        for point, factor in zip(points, factors, strict=True)
    ]
    click.echo(table(("models", "diagram ms", "statements ms", "growth"), rows))
    finish(
        "topos",
        {"points": [each._asdict() for each in points]},
        failures(points, _MOST_GROWTH),
        json_path,
        check,
    )


if __name__ == "__main__":
    main()
