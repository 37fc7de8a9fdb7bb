"""Formulas said in words and read back: how many are still the same, as a solver tells?

    python benchmarks/words.py --count 2000 [--cases DIRECTORY] [--seed N]

Of generated programs, and of the programs of a directory of cases (JSON Lines with a `program`).
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from hypothesis import HealthCheck, Phase, given, seed, settings

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "tests")]

from spoken import Spoken, differing, spoken  # noqa: E402

import potlang  # noqa: E402
from potlang.testing import programs  # noqa: E402


class Tally:
    """What became of the formulas, the milliseconds that they took, and what was not the same."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.spent = 0.0
        self.faults: list[str] = []

    def add(self, source: dict[str, Any], most: int) -> None:
        """Says and reads the formulas of a program, at most so many."""
        checked = potlang.check(source, language="pot")
        if checked.program is None:
            return
        began = time.perf_counter()
        found = list(spoken(checked.program))[:most]
        self.spent += 1_000 * (time.perf_counter() - began)
        self.counts["formulas"] += len(found)
        for each in found:
            if each.read is None:
                self.counts["refused"] += 1
                self.faults.append(f"refused: {each.problem}: {each.original[:200]}")
            elif each.sentence is not None and "`" in each.sentence:
                self.counts["with names in quotes"] += 1
        self._compare(source, [each for each in found if each.read is not None])

    def _compare(self, source: dict[str, Any], found: list[Spoken]) -> None:
        if not found:
            return
        wrong = differing(source, found)
        if wrong and wrong[0][0].startswith("rejected") and len(found) > 1:
            # One of them spoils the whole program: each by itself.
            for each in found:
                self._compare(source, [each])
            return
        self.counts["equivalent"] += len(found) - len(wrong)
        for verdict, each in wrong:
            kind = verdict.partition(":")[0]
            self.counts["different" if kind in ("refuted", "undetermined") else kind] += 1
            self.faults.append(f"{verdict[:80]}: {each.sentence} | {each.read} | {each.original[:200]}")

    def show(self, title: str) -> None:
        """Prints the counts."""
        formulas = self.counts["formulas"] or 1
        print(f"{title}: {dict(self.counts)}, {self.spent / formulas:.2f} ms a formula")
        for fault in self.faults[:10]:
            print(f"  {fault}")


def _cases(directory: Path, number: int) -> Iterator[dict[str, Any]]:
    lines = [
        line for path in sorted(directory.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()
    ]
    random.Random(number).shuffle(lines)
    for line in lines:
        yield json.loads(line)["program"]


@click.command()
@click.option("--count", default=2_000, show_default=True, help="Formulas of each kind.")
@click.option("--cases", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Cases beside.")
@click.option("--depth", default=3, show_default=True, help="Of generated formulas.")
@click.option("--seed", "number", default=0, show_default=True, help="Of the draw.")
def main(count: int, cases: Path | None, depth: int, number: int) -> None:
    """Say and read formulas; exit with 1 if one is read as another."""
    generated = Tally()

    @seed(number)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(programs(most=3, depth=depth))
    def say(source: dict[str, Any]) -> None:
        if generated.counts["formulas"] < count:
            generated.add(source, count - generated.counts["formulas"])

    say()
    generated.show("generated")
    tallies = [generated]
    if cases is not None:
        found = Tally()
        tallies.append(found)
        for source in _cases(cases, number):
            found.add(source, count - found.counts["formulas"])
            if found.counts["formulas"] >= count:
                break
        found.show("cases")
    sys.exit(any(tally.counts["different"] for tally in tallies))


if __name__ == "__main__":
    main()
