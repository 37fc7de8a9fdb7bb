"""What each route decides by itself and what the router does, on cases and on generated families."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cases import WARM_UP, read_cases
from measure import collect, median
from workloads import ROUTE_FAMILIES

import potlang
from potlang.api import RouteName

ROUTER: Final = "auto"
SINGLE: Final[tuple[RouteName, ...]] = ("closure", "ground", "search", "z3", "cvc5", "cvc5-fmf")
ROUTES: Final[tuple[RouteName, ...]] = (*SINGLE, ROUTER)
CASES: Final = "cases"
TOTAL: Final = "all"
_ENGINES: Final[tuple[RouteName, ...]] = ("cvc5-fmf", "cvc5", "z3")
_WARM_UPS: Final = 2


@dataclass(frozen=True, slots=True)
class Item:
    """A program, where it is from, and the verdicts that its claims must get, as far as they are known."""

    id: str
    family: str
    source: str
    expected: Mapping[str, str] | str
    generated: bool = False

    def wanted(self, index: int, name: str) -> str | None:
        """The verdict that the claim must get; of generated programs claims are told by their place."""
        if isinstance(self.expected, str):
            return self.expected
        return self.expected.get(str(index) if self.generated else name)


@dataclass
class Run:
    """One program on one route: the verdict of each claim, and the median of its times in milliseconds."""

    verdicts: list[str] = field(default_factory=list)
    ms: float = 0.0

    @property
    def decided(self) -> int:
        """How many claims have a verdict."""
        return sum(each != "unknown" for each in self.verdicts)

    @property
    def complete(self) -> bool:
        """Whether all have."""
        return self.decided == len(self.verdicts)


@dataclass
class Point:
    """One program on all routes."""

    id: str
    family: str
    generated: bool
    claims: int = 0
    runs: dict[str, Run] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    @property
    def to_best(self) -> float | None:
        """The router's time over that of the quickest single route that decides every claim, if both do."""
        best = min((self.runs[name].ms for name in SINGLE if self.runs[name].complete), default=None)
        router = self.runs[ROUTER]
        return router.ms / best if best and router.complete else None


def items(cases: Path | None, families: Sequence[str], every: int, generated: bool) -> Iterator[Item]:
    """Cases that compile, every so many of each file, and the generated families."""
    if cases is not None:
        for case in read_cases(cases, families, every=every):
            if case["z3_verdict"] != "rejected":
                source = json.dumps(case["program"], ensure_ascii=False)
                yield Item(str(case["id"]), str(case["family"]), source, case["z3_verdict"])
    for name, (generator, sizes) in ROUTE_FAMILIES.items():
        if not generated or (families and name not in families):
            continue
        for size in sizes:
            made = generator(size)
            expected = {str(index): verdict for index, verdict in enumerate(made.verdicts)}
            yield Item(f"{name} {size}", name, json.dumps(made.program), expected, generated=True)


def measure(found: Iterable[Item], timeout_ms: int, rounds: int) -> Iterator[Point]:
    """A point for each program. The routes take turns, and each begins with workers that are warm."""
    limits = potlang.Limits(check_ms=timeout_ms, total_ms=10 * timeout_ms)
    small = potlang.compile(WARM_UP)
    for turn, item in enumerate(found):
        point = Point(item.id, item.family, item.generated)
        try:
            program = potlang.compile(item.source)
        except potlang.CompileError as error:
            point.faults.append(f"rejected: {error.diagnostics[0].message}")
            point.runs = {name: Run() for name in ROUTES}
            yield point
            continue
        first = turn % len(ROUTES)
        for name in ROUTES[first:] + ROUTES[:first]:
            _warm(small, name)
            point.runs[name] = _run(item, program, name, limits, rounds, point.faults)
        point.claims = len(point.runs[ROUTER].verdicts)
        _compare(point)
        yield point


def _warm(small: potlang.Program, route: RouteName) -> None:
    """A race or a limit may have killed workers: no route shall pay for the next one's start.

    Something small is not enough for the router to need any, so its engines are asked by name.
    """
    for name in _ENGINES if route == ROUTER else (route,):
        for _ in range(_WARM_UPS):
            potlang.verify(small, route=name, trust="solver")


def _run(
    item: Item,
    program: potlang.Program,
    route: RouteName,
    limits: potlang.Limits,
    rounds: int,
    faults: list[str],
) -> Run:
    run, times = Run(), []
    for _ in range(rounds):
        collect()
        began = time.perf_counter()
        try:
            report = potlang.verify(program, route=route, trust="solver", limits=limits)
        except Exception as error:
            faults.append(f"{route} raised {type(error).__name__}: {str(error)[:200]}")
            return Run()
        times.append((time.perf_counter() - began) * 1000)
        run.verdicts = [str(each.verdict) for each in report.results]
    for index, result in enumerate(report.results):
        _judge(item.wanted(index, result.name), result, route, faults)
    run.ms = median(times) or 0.0
    return run


def _judge(wanted: str | None, result: Any, route: str, faults: list[str]) -> None:
    verdict = str(result.verdict)
    if result.reason == "disagreement":
        faults.append(f"{route}, {result.name}: solvers disagree")
    elif wanted is not None and verdict not in (wanted, "unknown"):
        faults.append(f"{route}, {result.name}: {verdict}, expected {wanted}")


def _compare(point: Point) -> None:
    """No two routes may give a claim different verdicts."""
    counts = {len(run.verdicts) for run in point.runs.values()}
    if counts != {point.claims}:
        point.faults.append("the routes answer different numbers of claims")
        return
    for index in range(point.claims):
        said = {name: run.verdicts[index] for name, run in point.runs.items()}
        said = {name: verdict for name, verdict in said.items() if verdict != "unknown"}
        if len(dict.fromkeys(said.values())) > 1:
            point.faults.append(f"claim {index}: the routes disagree: {said}")


# --- by family ---


@dataclass(frozen=True, slots=True)
class Family:
    """Of one family, all cases, or all: claims decided by route, and median times.

    `ms` has no time for a route that leaves more than half of the programs undecided: a program that it
    does not decide takes it forever.
    """

    name: str
    programs: int
    claims: int
    decided: dict[str, int]
    ms: dict[str, float | None]
    to_best: float | None


def summarize(points: Sequence[Point]) -> list[Family]:
    """One row a family, then all cases, then all."""
    groups: dict[str, list[Point]] = {}
    for point in points:
        groups.setdefault(point.family, []).append(point)
    groups[CASES] = [each for each in points if not each.generated]
    groups[TOTAL] = list(points)
    return [_family(name, group) for name, group in groups.items() if group]


def _family(name: str, points: Sequence[Point]) -> Family:
    return Family(
        name=name,
        programs=len(points),
        claims=sum(each.claims for each in points),
        decided={route: sum(each.runs[route].decided for each in points) for route in ROUTES},
        ms={route: _median([each.runs[route] for each in points]) for route in ROUTES},
        to_best=median(each.to_best for each in points if each.to_best is not None),
    )


def _median(runs: Sequence[Run]) -> float | None:
    found = median(run.ms if run.complete else float("inf") for run in runs)
    return None if found == float("inf") else found


def best_single(family: Family) -> tuple[str, float] | None:
    """The single route with the least median time; None if none decides half of the programs."""
    times = {name: ms for name in SINGLE if (ms := family.ms[name]) is not None}
    return min(times.items(), key=lambda pair: pair[1], default=None)


def failures(points: Sequence[Point], most_ratio: float) -> list[str]:
    """Faults, and the bounds that are not kept."""
    failed = [f"{point.id}: {fault}" for point in points for fault in point.faults]
    if not points:
        return ["no programs"]
    families = {each.name: each for each in summarize(points)}
    total = families[TOTAL]
    for name in SINGLE:
        if total.decided[ROUTER] <= total.decided[name]:
            failed.append(f"{ROUTER} decides {total.decided[ROUTER]} claims, {name} {total.decided[name]}")
    cases = families.get(CASES)
    best = None if cases is None else best_single(cases)
    if cases is not None and best is not None:
        router = cases.ms[ROUTER]
        if router is None or router > most_ratio * best[1]:
            shown = "none" if router is None else f"{router:.2f} ms"
            failed.append(f"median on cases {shown}, {best[0]} {best[1]:.2f} ms, at most {most_ratio} times")
    return failed


def headings() -> list[str]:
    """The columns: first what is decided, then times."""
    return ["family", "programs", "claims", *ROUTES, *(f"{name} ms" for name in ROUTES), "x quickest"]


def rows(families: Sequence[Family]) -> list[list[Any]]:
    """The families as rows of a table under `headings`."""
    return [
        [
            each.name,
            each.programs,
            each.claims,
            *(each.decided[name] for name in ROUTES),
            *(each.ms[name] for name in ROUTES),
            each.to_best,
        ]
        for each in families
    ]
