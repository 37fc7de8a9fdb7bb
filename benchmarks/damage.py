"""Programs damaged in one place: does a fix make one that compiles and says something else?"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from repair import Source, _verdicts
from strategies.mistakes import KINDS, Program, with_mistake

from potlang.diag import Applicability, Fix
from potlang.diag.fixes import apply_fixes
from potlang.languages.pot.check import check
from potlang.languages.pot.program import Checked
from potlang.linter.linter import lint

_ATTEMPTS: Final = 200
_PLACES: Final = ("knowledge_base", "rules", "verifications")
_OTHER_SPELLINGS: Final = (
    (r" and ", " && "),
    (r" or ", " || "),
    (r"\bNot\(", "!("),
    (r"\bnot ", "~"),
    (r" == ", " = "),
    (r"\bForAll\(", "forall("),
    (r"\bExists\(", "exists("),
    (r"\bAnd\(", "AND("),
    (r"\bImplies\(", "implies("),
    (r" -> ", " => "),
    (r"\bDistinct\(", "AllDiff("),
    (r"\bForAll\(\[(\w+)\], ", r"forall \1. ("),
)


@dataclass
class Outcome:
    """A damaged program: the titles of fixes, and what came of the safe ones and of the first one."""

    source: str
    kind: str
    text: str
    safe: list[str]
    safe_outcome: str
    first: str | None
    first_outcome: str
    warned: bool


def outcomes(
    chosen: Sequence[Source], count: int, seed: int, timeout_ms: int, tick: Callable[[], object]
) -> list[Outcome]:
    """So many damaged programs, all kinds equally."""
    rng = random.Random(seed)
    kinds: dict[str, Callable[[Program, random.Random], str | None]] = {
        **{kind: partial(_mistake, kind) for kind in KINDS},
        "character": _character,
        "bracket": _bracket,
        "spelling": _spelling,
        "name": _name,
    }
    found = []
    for number in range(count):
        kind = list(kinds)[number % len(kinds)]
        source, text = _damaged(chosen, kinds[kind], rng)
        found.append(_outcome(source, kind, text, timeout_ms))
        tick()
    return found


def _mistake(kind: str, program: Program, rng: random.Random) -> str | None:
    return with_mistake(program, kind, rng)


def _damaged(
    chosen: Sequence[Source], damage: Callable[[Program, random.Random], str | None], rng: random.Random
) -> tuple[Source, str]:
    for _ in range(_ATTEMPTS):
        source = rng.choice(chosen)
        text = damage(deepcopy(source.program), rng)
        if text is not None and check(text).program is None:
            return source, text
    raise RuntimeError("no program can be damaged so")


def _outcome(source: Source, kind: str, text: str, timeout_ms: int) -> Outcome:
    diagnostics = check(text).diagnostics
    safe = [fix for each in diagnostics for fix in each.fixes if fix.applicability is Applicability.SAFE]
    usable = (Applicability.SAFE, Applicability.UNSAFE)
    errors = [each for each in diagnostics if each.severity == "error"]
    first = next((fix for each in errors for fix in each.fixes if fix.applicability in usable), None)
    safe_outcome, _ = _applied(source, text, safe, timeout_ms)
    first_outcome, warned = _applied(source, text, [first] if first else [], timeout_ms)
    titles = [fix.title for fix in safe], None if first is None else first.title
    return Outcome(source.name, kind, text, titles[0], safe_outcome, titles[1], first_outcome, warned)


def _applied(source: Source, text: str, fixes: Sequence[Fix], timeout_ms: int) -> tuple[str, bool]:
    """`none`, `rejected`, `same` or `other`, and whether a warning is left that the source does not have."""
    if not fixes:
        return "none", False
    fixed = apply_fixes(text, fixes)
    left = check(fixed)
    if left.program is None:
        return "rejected", True
    verdicts = _verdicts(fixed, timeout_ms)
    # An unknown is a matter of time, and of what else the machine does.
    same = verdicts == source.verdicts or "unknown" in (*verdicts, *source.verdicts) or not verdicts
    more = _warnings(left) - _warnings(check(json.dumps(source.program)))
    return ("same" if same else "other"), more.total() > 0


def _warnings(checked: Checked) -> Counter[tuple[str, str]]:
    """The warnings that `potc check` shows."""
    found = lint(checked, budget_ms=0).diagnostics
    return Counter((each.code, each.message) for each in found if each.severity == "warning")


# --- kinds of damage -----------------------------------------------------------------------------


def _formulas(program: Any) -> list[tuple[Any, Any]]:
    """The places of formulas: their owners and keys."""
    found = []
    stack: list[tuple[Any, Any]] = [(program, key) for key in _PLACES if key in program]
    while stack:
        owner, key = stack.pop()
        value = owner[key]
        if isinstance(value, str) and key not in ("name", "description", "sort"):
            found.append((owner, key))
        elif isinstance(value, list):
            stack += [(value, index) for index in range(len(value))]
        elif isinstance(value, dict):
            stack += [(value, each) for each in value]
    return found


def _changed(program: Program, rng: random.Random, change: Callable[[str], str | None]) -> str | None:
    places = _formulas(program)
    if not places:
        return None
    owner, key = rng.choice(places)
    made = change(owner[key])
    if made is None or made == owner[key]:
        return None
    owner[key] = made
    return json.dumps(program, indent=1)


def _character(program: Program, rng: random.Random) -> str | None:
    def change(text: str) -> str | None:
        at = rng.randrange(len(text)) if text else 0
        more = rng.choice(["", text[at : at + 1] * 2, rng.choice("()[],=<>!&|x0 '.-")])
        return text[:at] + more + text[at + 1 :]

    return _changed(program, rng, change)


def _bracket(program: Program, rng: random.Random) -> str | None:
    def change(text: str) -> str | None:
        places = [at for at, char in enumerate(text) if char in "()[]"]
        if not places:
            return None
        at = rng.choice(places)
        return text[:at] + rng.choice(["", text[at] * 2]) + text[at + 1 :]

    return _changed(program, rng, change)


def _spelling(program: Program, rng: random.Random) -> str | None:
    def change(text: str) -> str | None:
        pattern, other = rng.choice(_OTHER_SPELLINGS)
        return re.sub(pattern, other, text, count=rng.choice([0, 1]))

    return _changed(program, rng, change)


def _name(program: Program, rng: random.Random) -> str | None:
    def change(text: str) -> str | None:
        words = [word for word in re.finditer(r"[A-Za-z_]\w*", text) if len(word[0]) > 1]
        if not words:
            return None
        word = rng.choice(words)
        at = rng.randrange(word.start(), word.end())
        return text[:at] + rng.choice(["", text[at] * 2, rng.choice("aeiourst_")]) + text[at + 1 :]

    return _changed(program, rng, change)


# --- results -------------------------------------------------------------------------------------

HEADINGS: Final = (
    "kind",
    "damaged",
    "safe same",
    "safe other",
    "first same",
    "first other",
    "without warning",
)


def rows(found: Sequence[Outcome]) -> list[list[Any]]:
    """A row for each kind, and one for all."""
    kinds = list(dict.fromkeys(each.kind for each in found))
    groups = {kind: [each for each in found if each.kind == kind] for kind in kinds} | {"all": list(found)}
    return [
        [
            kind,
            len(group),
            sum(each.safe_outcome == "same" for each in group),
            sum(each.safe_outcome == "other" for each in group),
            sum(each.first_outcome == "same" for each in group),
            sum(each.first_outcome == "other" for each in group),
            sum(each.first_outcome == "other" and not each.warned for each in group),
        ]
        for kind, group in groups.items()
    ]


def misled(found: Sequence[Outcome]) -> list[str]:
    """A line for each program that a safe fix gave another verdict."""
    return [
        f"{each.source} ({each.kind}): {'; '.join(each.safe)}"
        for each in found
        if each.safe_outcome == "other"
    ]


def failures(found: Sequence[Outcome], most: float) -> list[str]:
    """Safe fixes that mislead, and too many others that do."""
    problems = misled(found)
    share = 100 * sum(each.first_outcome == "other" for each in found) / max(1, len(found))
    return problems + ([f"{share:.1f} % of first fixes mislead, at most {most:.1f}"] if share > most else [])
