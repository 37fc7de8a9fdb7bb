"""Damaged programs: does the first fix that is offered give back the program's verdicts?"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from cases import read_cases
from strategies.mistakes import KINDS, Program, with_mistake

import potlang
from potlang.diag import Applicability
from potlang.diag.fixes import apply_fixes
from potlang.languages.pot.check import check

_ATTEMPTS: Final = 200
_OFFERED: Final = (Applicability.SAFE, Applicability.UNSAFE)


class Source(NamedTuple):
    """A program that compiles, and its verdicts by the names of its claims."""

    name: str
    program: Program
    verdicts: list[str]


@dataclass
class Repair:
    """A damaged program: the codes of its errors, the fix that was applied, and what came of it."""

    source: str
    kind: str
    text: str
    codes: list[str]
    title: str | None
    found: list[str]
    repaired: bool


def sources(
    seeds: Path | None, cases: Path | None, families: Sequence[str], every: int, timeout_ms: int
) -> Iterator[Source]:
    """The programs that compile and have verdicts."""
    found: list[tuple[str, Program]] = []
    if seeds is not None:
        paths = sorted(seeds.glob("[0-9]*.json"))
        found += [(path.stem, json.loads(path.read_text(encoding="utf-8"))) for path in paths]
    if cases is not None:
        found += [(case["id"], case["program"]) for case in read_cases(cases, families, None, every)]
    for name, program in found:
        verdicts = _verdicts(json.dumps(program), timeout_ms)
        if verdicts:
            yield Source(name, program, verdicts)


def repairs(
    chosen: Sequence[Source], count: int, seed: int, timeout_ms: int, tick: Callable[[], object]
) -> list[Repair]:
    """So many damaged programs, all kinds equally, and what the first fix makes of each."""
    rng = random.Random(seed)
    found = []
    for number in range(count):
        kind = list(KINDS)[number % len(KINDS)]
        found.append(_repair(*_damaged(chosen, kind, rng), kind, timeout_ms))
        tick()
    return found


def _damaged(chosen: Sequence[Source], kind: str, rng: random.Random) -> tuple[Source, str]:
    """A source and its text with a mistake that is one: the compiler rejects it."""
    for _ in range(_ATTEMPTS):
        source = rng.choice(chosen)
        text = with_mistake(source.program, kind, rng)
        if text is not None and check(text).program is None:
            return source, text
    raise RuntimeError(f"no program can be given a {kind}")


def _repair(source: Source, text: str, kind: str, timeout_ms: int) -> Repair:
    errors = [each for each in check(text).diagnostics if each.severity == "error"]
    fix = next((each for error in errors for each in error.fixes if each.applicability in _OFFERED), None)
    found = [] if fix is None else _verdicts(apply_fixes(text, [fix]), timeout_ms)
    codes = [each.code for each in errors]
    title = None if fix is None else fix.title
    return Repair(source.name, kind, text, codes, title, found, found == source.verdicts)


def _verdicts(text: str, timeout_ms: int) -> list[str]:
    report = potlang.verify(text, language="pot", trust="solver", limits=potlang.Limits(check_ms=timeout_ms))
    if str(report.verdict) == "rejected":
        return []
    optimum = [] if report.optimization is None else [report.optimization.status]
    return [str(each.verdict) for each in report.results] + optimum


HEADINGS: Final = ("kind", "damaged", "fix offered", "repaired", "%")


def rows(found: Sequence[Repair]) -> list[list[Any]]:
    """A row for each kind, and one for all."""
    groups = {kind: [each for each in found if each.kind == kind] for kind in KINDS} | {"all": list(found)}
    return [
        [
            kind,
            len(group),
            sum(each.title is not None for each in group),
            sum(each.repaired for each in group),
            100 * sum(each.repaired for each in group) / max(1, len(group)),
        ]
        for kind, group in groups.items()
    ]


def failures(found: Sequence[Repair], least: float, least_of_kind: float) -> list[str]:
    """The kinds of which too few are repaired; percentages."""
    return [
        f"{kind}: {share:.0f} % repaired, at least {bound:.0f}"
        for kind, *_, share in rows(found)
        if share < (bound := least if kind == "all" else least_of_kind)
    ]
