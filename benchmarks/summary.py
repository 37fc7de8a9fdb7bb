"""Outcomes of cases by family: counts, times, ratios, and the bounds that they must keep."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from cases import Outcome
from measure import median, percentile

TOTAL = "all"


@dataclass(frozen=True, slots=True)
class Bounds:
    """What `--check` insists on. Shares are of the programs that compile; None: not looked at."""

    unknown: float = 0.005
    peer_ratio: float | None = 1.0
    default_ratio: float = 1.5
    """Of the defaults to the peer, in every family."""
    as_fast: int = 5
    """Families in which the defaults take no longer than the peer."""


@dataclass(frozen=True, slots=True)
class Family:
    """The figures of one family, or of all. Times in milliseconds; ratios are medians over programs."""

    name: str
    programs: int
    agree: int
    rejected: int
    unknown: int
    claims: int
    unknown_claims: int
    disagreements: int
    default_ms: float | None
    default_p95_ms: float | None
    default_to_peer: float | None
    default_to_solver: float | None
    ms: float | None
    p95_ms: float | None
    compile_ms: float | None
    raw_ms: float | None
    raw_cores_ms: float | None
    context_ms: float | None
    peer_ms: float | None
    to_raw: float | None
    to_raw_cores: float | None
    to_peer: float | None
    to_peer_bare: float | None
    peer_errors: int | None
    peer_differs: int


def summarize(outcomes: Sequence[Outcome]) -> list[Family]:
    """One row a family, in order of appearance, and one for all together."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.family, []).append(outcome)
    rows = [_family(name, group) for name, group in groups.items()]
    return [*rows, _family(TOTAL, outcomes)] if len(rows) != 1 else rows


def _family(name: str, outcomes: Sequence[Outcome]) -> Family:
    times = _times(outcomes, "potlang")
    return Family(
        name=name,
        programs=len(outcomes),
        agree=sum(not each.faults for each in outcomes),
        rejected=sum(each.rejected for each in outcomes),
        unknown=sum(bool(each.unknown) for each in outcomes),
        claims=sum(each.claims for each in outcomes),
        unknown_claims=sum(len(each.unknown) for each in outcomes),
        disagreements=sum(each.disagreements for each in outcomes),
        default_ms=median(_times(outcomes, "default")),
        default_p95_ms=percentile(_times(outcomes, "default"), 0.95),
        default_to_peer=_ratio(outcomes, "peer", "default"),
        default_to_solver=_ratio(outcomes, "potlang", "default"),
        ms=median(times),
        p95_ms=percentile(times, 0.95),
        compile_ms=median(_times(outcomes, "compile")),
        raw_ms=median(_times(outcomes, "raw")),
        raw_cores_ms=median(_times(outcomes, "raw_cores")),
        context_ms=median(_times(outcomes, "context")),
        peer_ms=median(_times(outcomes, "peer")),
        to_raw=_ratio(outcomes, "raw"),
        to_raw_cores=_ratio(outcomes, "raw_cores"),
        to_peer=_ratio(outcomes, "peer"),
        to_peer_bare=_ratio(outcomes, "peer_bare"),
        peer_errors=_peer_errors(outcomes),
        peer_differs=sum(each.peer_differs for each in outcomes),
    )


def _peer_errors(outcomes: Sequence[Outcome]) -> int | None:
    """None if the peer did not run at all."""
    errors = sum(each.peer_error is not None for each in outcomes)
    return errors if errors or _times(outcomes, "peer") else None


def _times(outcomes: Iterable[Outcome], name: str) -> list[float]:
    return [each.times[name] for each in outcomes if name in each.times]


def _ratio(outcomes: Iterable[Outcome], to: str, of: str = "potlang") -> float | None:
    """Over the programs that both answer: a rejection is quicker than any answer."""
    ratios = [each.ratio(of, to) for each in outcomes if not each.rejected]
    return median(each for each in ratios if each is not None)


def failures(families: Sequence[Family], bounds: Bounds) -> list[str]:
    """Every bound that is not kept, in words."""
    found = []
    total = families[-1]
    for family in families[:-1] or families:
        if family.agree < family.programs:
            found.append(f"{family.name}: {family.programs - family.agree} of {family.programs} disagree")
        if (
            bounds.peer_ratio is not None
            and family.to_peer is not None
            and family.to_peer > bounds.peer_ratio
        ):
            found.append(
                f"{family.name}: {family.to_peer:.2f} times the peer, at most {bounds.peer_ratio:.2f}"
            )
    found += _default_failures(families[:-1] or families, bounds)
    compiled = total.programs - total.rejected
    if total.unknown > bounds.unknown * compiled:
        found.append(f"{total.unknown} of {compiled} programs unknown, at most {bounds.unknown:.1%}")
    if not total.programs:
        found.append("no cases")
    return found


def _default_failures(families: Sequence[Family], bounds: Bounds) -> list[str]:
    ratios = {each.name: each.default_to_peer for each in families if each.default_to_peer is not None}
    if bounds.peer_ratio is None or not ratios:
        return []
    found = [
        f"{name}: the defaults take {ratio:.2f} times the peer's time, at most {bounds.default_ratio:.2f}"
        for name, ratio in ratios.items()
        if ratio > bounds.default_ratio
    ]
    quick = sum(ratio <= 1 for ratio in ratios.values())
    if quick < min(bounds.as_fast, len(ratios)):
        found.append(f"the defaults are as fast as the peer in {quick} families, at least {bounds.as_fast}")
    return found


DEFAULT_COLUMNS: tuple[tuple[str, str], ...] = (
    ("family", "name"),
    ("programs", "programs"),
    ("agree", "agree"),
    ("rejected", "rejected"),
    ("unknown", "unknown"),
    ("claims", "claims"),
    ("ms", "default_ms"),
    ("p95", "default_p95_ms"),
    ("peer", "peer_ms"),
    ("x peer", "default_to_peer"),
    ("x trust=solver", "default_to_solver"),
)
"""The columns of the first table, for what users have who give no option."""
COLUMNS: tuple[tuple[str, str], ...] = (
    ("family", "name"),
    ("ms", "ms"),
    ("p95", "p95_ms"),
    ("compile", "compile_ms"),
    ("raw", "raw_ms"),
    ("raw+cores", "raw_cores_ms"),
    ("context", "context_ms"),
    ("peer", "peer_ms"),
    ("x raw", "to_raw"),
    ("x raw+cores", "to_raw_cores"),
    ("x peer", "to_peer"),
    ("x bare peer", "to_peer_bare"),
    ("peer errors", "peer_errors"),
)
"""Those of the second, for `trust="solver"`, which does what the raw solver does."""


def rows(families: Sequence[Family], columns: Sequence[tuple[str, str]]) -> list[list[Any]]:
    """The families as rows of a table."""
    return [[getattr(family, name) for _, name in columns] for family in families]
