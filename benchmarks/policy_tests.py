"""How many changes of policies the suggested tests notice, and the time that they take.

python benchmarks/policy_tests.py examples/*.json
python benchmarks/policy_tests.py CASES.jsonl --programs 20 --mutants 8 --check

A file is a program, or JSON Lines with a `program` in each line. Whether a change that no test notices means
something else is asked of z3 itself: all assumptions of both programs at once.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

import click

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "tests")]

from direct_z3 import means_the_same  # noqa: E402

import potlang  # noqa: E402
from potlang.languages.pot.program import CompileError  # noqa: E402
from potlang.policy import PolicyError, PolicyTest, run_tests, suggest  # noqa: E402
from potlang.policy.mutations import mutants  # noqa: E402
from potlang.report.results import Limits, Verdict  # noqa: E402

_LIMITS: Final = Limits(check_ms=2_000)
_LEAST: Final = 0.95


@dataclass
class Figures:
    """Counts over the mutants of some policies; those not noticed are `missed`, `same` or `unknown`."""

    programs: int = 0
    refused: int = 0
    tests: int = 0
    noticed: int = 0
    same: int = 0
    unknown: int = 0
    missed: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def share(self) -> float | None:
        """Of the changes that mean something else, the share that a test notices."""
        killable = self.noticed + len(self.missed)
        return self.noticed / killable if killable else None


def programs(files: tuple[str, ...], most: int, random: Random) -> Iterator[tuple[str, dict[str, Any]]]:
    """The programs of files, with names; of JSON Lines a sample."""
    for name in files:
        text = Path(name).read_text("utf-8")
        if not name.endswith(".jsonl"):
            value = json.loads(text)
            if isinstance(value, dict) and ("rules" in value or "knowledge_base" in value):
                yield name, value
            continue
        lines = [json.loads(line) for line in text.splitlines()]
        for each in random.sample(lines, min(most, len(lines))):
            yield str(each.get("id", name)), each["program"]


def measure(name: str, program: dict[str, Any], most: int, random: Random, figures: Figures) -> None:
    """Adds the figures of one program; those that do not compile or contradict themselves are refused."""
    try:
        compiled = potlang.compile(program)
        began = time.perf_counter()
        tests = [each.test for each in suggest(compiled, limits=_LIMITS).tests]
    except (CompileError, PolicyError):
        figures.refused += 1
        return
    figures.seconds += time.perf_counter() - began
    figures.programs += 1
    figures.tests += len(tests)
    every = list(mutants(program))
    for mutant in random.sample(every, min(most, len(every))):
        try:
            changed = potlang.compile(mutant.applied(program))
        except CompileError:
            continue
        if notices(changed, tests):
            figures.noticed += 1
            continue
        same = means_the_same(compiled, changed)
        if same is None:
            figures.unknown += 1
        elif same:
            figures.same += 1
        else:
            figures.missed.append(f"{name} {mutant.pointer}: {mutant.before} as {mutant.after}")


def notices(changed: potlang.Program, tests: list[PolicyTest]) -> bool:
    """Whether a test fails on a changed policy, with an answer."""
    return any(
        not result.passed and result.verdict is not Verdict.UNKNOWN
        for result in run_tests(changed, tests, _LIMITS)
    )


@click.command(help=__doc__)
@click.argument("files", nargs=-1, required=True)
@click.option("--programs", "most_programs", default=20, help="Programs of a file of JSON Lines.")
@click.option("--mutants", "most_mutants", default=8, help="Changes of each program.")
@click.option("--seed", default=1)
@click.option("--check", is_flag=True, help="End with 1 if fewer than 95 % are noticed.")
def main(files: tuple[str, ...], most_programs: int, most_mutants: int, seed: int, check: bool) -> None:
    """Prints the figures of all files, and the changes that no test notices."""
    random = Random(seed)
    figures = Figures()
    for name, program in programs(files, most_programs, random):
        measure(name, program, most_mutants, random, figures)
    for missed in figures.missed:
        print(f"not noticed: {missed}")
    share = "-" if figures.share is None else f"{figures.share:.1%}"
    print(
        f"{figures.programs} programs, {figures.tests} tests in {figures.seconds:.1f} s; "
        f"{figures.noticed} changes noticed, {len(figures.missed)} missed ({share}), "
        f"{figures.same} mean the same, {figures.unknown} unknown; {figures.refused} programs refused"
    )
    if check and (figures.share or 0.0) < _LEAST:
        sys.exit(1)


if __name__ == "__main__":
    main()
