"""Slips that models make in traces: one in a trace, which reader or solver report ([DOT-SYNTH-BROKEN])."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from random import Random
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from potlang.diag import Applicability, Diagnostic
from potlang.languages.dot.check import Theory, check
from potlang.languages.dot.read.records import END_MARK, Profile
from potlang.languages.dot.report import TraceReport
from potlang.languages.dot.solve.verify import verify
from potlang.report.results import Limits

_END: Final = END_MARK.decode()
MISJUDGED: Final = "misjudged"
"""The slip that may leave a trace well formed."""
_LIMITS: Final = Limits(check_ms=5_000, total_ms=20_000)
_UNREAD: Final = "POT5066"
_MISSED: Final = 40
"""Slips that are tried at most for one that the reader reports."""


_SPELLINGS: Final = {
    "role=proposer": "role=proposal",
    "mark=validated": "mark=valid",
    "kind=use": "kind=uses",
    " id=": " id: ",
}


class Slip(NamedTuple):
    """A trace with one slip: its kind, the text, and the diagnostics as JSON values.

    `report` is the solver's of one that is well formed and not established, None of any other.
    """

    kind: str
    broken: str
    diagnostics: tuple[dict[str, Any], ...]
    report: TraceReport | None = None


def slip(
    trace: str,
    random: Random,
    *,
    profile: Profile = "paper",
    theory: Theory | None = None,
    mendable: bool = True,
) -> Slip:
    """A trace with one slip that is reported. `trace` is well formed, with its end.

    Not `mendable`: one for which no safe fix is offered, so that the loop asks the model about it.
    """
    kinds = list(SLIPS)
    for _ in range(_MISSED):
        kind = random.choice(kinds)
        lines = trace.splitlines(keepends=True)
        if not SLIPS[kind](lines, random):
            continue
        broken = "".join(lines)
        checked = check(broken, profile=profile, theory=theory, require_end=True, name="trace")
        if not mendable and _has_safe_fix(checked.diagnostics):
            continue
        if not checked.ok or any(each.code == _UNREAD for each in checked.diagnostics):
            return Slip(kind, broken, checked.located())
        if kind == MISJUDGED:
            report = verify(checked.trace, theory=theory, trust="solver", limits=_LIMITS)
            if not report.ok and report.verdict != "unknown":
                return Slip(kind, broken, report.located, report)
    broken = trace.replace(f"{_END}\n", "")
    checked = check(broken, profile=profile, theory=theory, require_end=True, name="trace")
    return Slip("no end", broken, checked.located())


def _has_safe_fix(diagnostics: Iterable[Diagnostic]) -> bool:
    return any(fix.applicability is Applicability.SAFE for each in diagnostics for fix in each.fixes)


def _some(lines: list[str], random: Random, *kinds: str) -> int | None:
    """The number of a line with one of these records."""
    found = [at for at, line in enumerate(lines) if line.startswith(tuple(f"@{kind} " for kind in kinds))]
    return random.choice(found) if found else None


def _unknown_node(lines: list[str], random: Random) -> bool:
    """An edge from a node that there is not yet."""
    at = _some(lines, random, "edge")
    if at is None:
        return False
    further = random.randint(40, 90)
    lines[at] = re.sub(r"src=([0-9]+)", lambda found: f"src={int(found[1]) + further}", lines[at])
    return True


def _other_target(lines: list[str], random: Random) -> bool:
    """An edge into another node than that of its block."""
    at = _some(lines, random, "edge")
    if at is None:
        return False
    lines[at] = re.sub(r"dst=([0-9]+)", lambda found: f"dst={int(found[1]) - 1}", lines[at])
    return True


def _wrong_kind(lines: list[str], random: Random) -> bool:
    """An edge of a kind that the roles of its ends do not admit."""
    at = _some(lines, random, "edge")
    if at is None:
        return False
    kinds = [kind for kind in ("use", "refine", "critique") if f"kind={kind}" not in lines[at]]
    lines[at] = re.sub(r"kind=\w+", f"kind={random.choice(kinds)}", lines[at])
    return True


def _doubled_id(lines: list[str], random: Random) -> bool:
    """A node with the id of the one before."""
    nodes = [at for at, line in enumerate(lines) if line.startswith("@node ")][1:]
    if not nodes:
        return False
    at = random.choice(nodes)
    lines[at] = re.sub(r"id=([0-9]+)", lambda found: f"id={int(found[1]) - 1}", lines[at])
    return True


def _doubled_status(lines: list[str], random: Random) -> bool:
    """A judgement that is given twice, the second time perhaps the other way round."""
    at = _some(lines, random, "status")
    if at is None:
        return False
    lines.insert(at + 1, random.choice([lines[at], lines[at].replace("=validated", "=invalidated")]))
    return True


def _late_record(lines: list[str], random: Random) -> bool:
    """A proposition behind the text of its block."""
    at = _some(lines, random, "prop")
    if at is None or at + 1 >= len(lines) or lines[at + 1].startswith(("@", "<")):
        return False
    lines[at : at + 2] = [lines[at + 1], lines[at]]
    return True


def _broken_json(lines: list[str], random: Random) -> bool:
    """A bracket, a quotation mark or a comma that is missing in a proposition."""
    at = _some(lines, random, "prop")
    if at is None:
        return False
    marks = [place for place, char in enumerate(lines[at]) if char in '[]{}",']
    place = random.choice(marks)
    lines[at] = lines[at][:place] + lines[at][place + 1 :]
    return True


def _undeclared(lines: list[str], random: Random) -> bool:
    """A name that is misspelt in a proposition."""
    at = _some(lines[2:], random, "prop")
    if at is None:
        return False
    names = list(re.finditer(r'"([A-Za-z_]\w{2,})"(?!:)', lines[at + 2]))
    if not names:
        return False
    found = random.choice(names)
    place = random.randrange(found.start(1), found.end(1))
    lines[at + 2] = lines[at + 2][:place] + lines[at + 2][place + 1 :]
    return True


def _unread(lines: list[str], random: Random) -> bool:
    """A record in a list, or indented."""
    at = _some(lines, random, "edge", "status", "prop", "entails", "eq")
    if at is None:
        return False
    lines[at] = random.choice(["- ", "  ", "* ", "> "]) + lines[at]
    return True


def _misjudged(lines: list[str], random: Random) -> bool:
    """A critic who says the opposite."""
    at = _some(lines, random, "status")
    if at is None:
        return False
    mark = "mark=validated"
    other = "mark=invalidated"
    lines[at] = lines[at].replace(mark, other) if mark in lines[at] else lines[at].replace(other, mark)
    return True


def _cut(lines: list[str], random: Random) -> bool:
    """A trace that ends early."""
    nodes = [at for at, line in enumerate(lines) if line.startswith("@node ")]
    keep = random.randrange(nodes[-1] if len(nodes) < 3 else nodes[2], len(lines))
    del lines[keep:]
    return True


def _spelling(lines: list[str], random: Random) -> bool:
    """A word of a record that is written otherwise."""
    records = [at for at, line in enumerate(lines) if line.startswith("@")]
    found = [(at, word) for at in records for word in _SPELLINGS if word in lines[at]]
    at, word = random.choice(found)
    lines[at] = lines[at].replace(word, _SPELLINGS[word], 1)
    return True


SLIPS: Final[Mapping[str, Callable[[list[str], Random], bool]]] = MappingProxyType(
    {
        "unknown node": _unknown_node,
        "other target": _other_target,
        "wrong kind": _wrong_kind,
        "doubled id": _doubled_id,
        "doubled status": _doubled_status,
        "late record": _late_record,
        "broken json": _broken_json,
        "undeclared name": _undeclared,
        "unread record": _unread,
        MISJUDGED: _misjudged,
        "cut": _cut,
        "spelling": _spelling,
    }
)
"""Each kind with what it does to the lines of a trace; False where there is no place for it."""
