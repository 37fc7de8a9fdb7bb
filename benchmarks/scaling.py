"""Generated programs of growing size: potlang, raw z3 on the same text, and the public implementation."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from child import Figures, Request, run
from measure import fitted_growth, growth, median, ratio
from workloads import Workload

CONTENDERS = ("potlang", "defaults", "raw", "raw_cores", "peer")


@dataclass
class Point:
    """The figures at one size. Milliseconds are medians; megabytes are peaks with the solver's process."""

    size: int
    ms: dict[str, float | None] = field(default_factory=dict)
    compile_ms: float | None = None
    megabytes: dict[str, float | None] = field(default_factory=dict)
    checks: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def to_raw(self) -> float | None:
        """potlang's time over raw z3's."""
        return ratio(self.ms.get("potlang"), self.ms.get("raw"))

    @property
    def defaults_to_raw(self) -> float | None:
        """The same of potlang without options, to the report's JSON."""
        return ratio(self.ms.get("defaults"), self.ms.get("raw"))

    @property
    def to_peer(self) -> float | None:
        """potlang's time over the public implementation's."""
        return ratio(self.ms.get("potlang"), self.ms.get("peer"))


@dataclass(frozen=True, slots=True)
class Plan:
    """How each size is measured. `seconds` is what any one run may take; the peer stops at `peer_most`."""

    rounds: int = 3
    seconds: float = 120.0
    timeout_ms: int = 60_000
    route: str = "auto"
    defaults: bool = False
    peer: bool = False
    peer_path: Path | None = None
    peer_most: int = 5_000


def measure_all(workloads: Sequence[Workload], plan: Plan) -> Iterator[Point]:
    """A point for each workload, in order."""
    with tempfile.TemporaryDirectory() as directory:
        for workload in workloads:
            yield _point(workload, plan, Path(directory))


def _point(workload: Workload, plan: Plan, directory: Path) -> Point:
    request = _request(workload, plan, directory)
    point = Point(workload.size)
    recorded = run(replace(request, subject="record"), 2 * plan.seconds)
    if recorded.error is not None:
        point.faults.append(f"record: {recorded.error}")
    else:
        point.checks = len(json.loads(Path(request.script).read_text(encoding="utf-8"))["asks"])
    names = [name for name in CONTENDERS if _runs(name, workload, plan, recorded)]
    figures: dict[str, list[Figures]] = {name: [] for name in names}
    for turn in range(plan.rounds):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            figures[name].append(run(replace(request, subject=name), plan.seconds))
    for name, found in figures.items():
        _note(point, name, found)
    _judge(point, figures["potlang"], workload)
    return point


def _request(workload: Workload, plan: Plan, directory: Path) -> Request:
    program = directory / f"{workload.name}-{workload.size}.json"
    actions = {"actions": ["verify_conditions"]}
    program.write_text(json.dumps({**workload.program, **actions}, ensure_ascii=False), encoding="utf-8")
    return Request(
        "potlang",
        str(program),
        str(program.with_suffix(".script")),
        plan.route,
        plan.timeout_ms,
        runs=1 if workload.size > 5_000 else 3,
        peer_path=None if plan.peer_path is None else str(plan.peer_path),
    )


def _runs(name: str, workload: Workload, plan: Plan, recorded: Figures) -> bool:
    match name:
        case "raw" | "raw_cores":
            return recorded.error is None
        case "defaults":
            return plan.defaults
        case "peer":
            return plan.peer and workload.size <= plan.peer_most
    return True


def _note(point: Point, name: str, found: Sequence[Figures]) -> None:
    """The first of several runs in one process is its warm-up."""
    errors = [each.error for each in found if each.error is not None]
    point.faults += [f"{name}: {error}" for error in dict.fromkeys(errors)]
    kept = [each for each in found if each.error is None]
    point.ms[name] = median(ms for each in kept for ms in each.ms[len(each.ms) > 1 :])
    point.megabytes[name] = median(sum(each.megabytes.values()) for each in kept)
    if name == "potlang":
        point.compile_ms = median(ms for each in kept for ms in each.compile_ms[len(each.compile_ms) > 1 :])


def _judge(point: Point, found: Sequence[Figures], workload: Workload) -> None:
    for answers in dict.fromkeys(tuple(each.answers) for each in found if each.error is None):
        wrong = [pair for pair in zip(answers, workload.verdicts, strict=False) if pair[0] != pair[1]]
        if len(answers) != len(workload.verdicts):
            point.faults.append(f"{len(answers)} verdicts, expected {len(workload.verdicts)}")
        elif wrong:
            point.faults.append(f"{len(wrong)} wrong verdicts, the first {wrong[0][0]} for {wrong[0][1]}")


# --- growth and bounds ---


def growth_factors(points: Sequence[Point], name: str) -> list[float | None]:
    """Growth per doubling from each size to the next."""
    pairs = pairwise(points)
    return [growth((a.size, b.size), (a.ms.get(name), b.ms.get(name))) for a, b in pairs]


def fitted(points: Sequence[Point], name: str) -> float | None:
    """Growth per doubling over all sizes."""
    return fitted_growth([each.size for each in points], [each.ms.get(name) for each in points])


def relative_growth(points: Sequence[Point]) -> float | None:
    """potlang's growth per doubling over raw z3's."""
    return ratio(fitted(points, "potlang"), fitted(points, "raw"))


def failures(points: Sequence[Point], *, largest: float | None, growing: float | None) -> list[str]:
    """Faults, and the bounds that are not kept: `largest` on the ratio to raw z3 at the largest size."""
    found = [f"{point.size}: {fault}" for point in points for fault in point.faults]
    if largest is not None and points:
        last = points[-1]
        ratios = {"": last.to_raw}
        if "defaults" in last.ms:
            ratios[" by the defaults"] = last.defaults_to_raw
        for how, value in ratios.items():
            if value is None or value > largest:
                found.append(f"{last.size}: {_shown(value)} times raw z3{how}, at most {largest}")
    relative = relative_growth(points)
    if growing is not None and len(points) > 1 and (relative is None or relative > growing):
        found.append(f"growth per doubling {_shown(relative)} times raw z3's, at most {growing}")
    return found


def _shown(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2f}"


HEADINGS = (
    "size",
    "checks",
    "ms",
    "compile",
    "defaults",
    "raw",
    "raw+cores",
    "peer",
    "x raw",
    "defaults x raw",
    "x raw+cores",
    "x peer",
    "growth",
    "raw's growth",
    "MB",
    "raw MB",
    "peer MB",
)


def rows(points: Sequence[Point]) -> list[list[Any]]:
    """The points as rows of a table under `HEADINGS`."""
    own = [None, *growth_factors(points, "potlang")]
    raw = [None, *growth_factors(points, "raw")]
    return [
        [
            point.size,
            point.checks,
            point.ms.get("potlang"),
            point.compile_ms,
            point.ms.get("defaults"),
            point.ms.get("raw"),
            point.ms.get("raw_cores"),
            point.ms.get("peer"),
            point.to_raw,
            point.defaults_to_raw,
            ratio(point.ms.get("potlang"), point.ms.get("raw_cores")),
            point.to_peer,
            own[index],
            raw[index],
            point.megabytes.get("potlang"),
            point.megabytes.get("raw"),
            point.megabytes.get("peer"),
        ]
        for index, point in enumerate(points)
    ]
