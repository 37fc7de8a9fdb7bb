"""Many claims against one policy in a session: claims a second beside one-shot runs, and memory."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from measure import median, ratio, resident_megabytes
from workloads import ProgramJson, Workload, policy

import potlang
from potlang.api import Trust

POINTS: Final = (0.1, 0.5, 1.0)
_WARM_UPS: Final = 3


@dataclass
class Memory:
    """Resident megabytes after so many claims: of this process, and of its workers together."""

    claims: int
    parent: float | None
    workers: float | None

    @property
    def total(self) -> float | None:
        """Of all of them, if known."""
        return None if self.parent is None else self.parent + (self.workers or 0.0)


@dataclass
class Figures:
    """Seconds of a one-shot run and of a claim in a session, memory on the way, tiers, wrong verdicts."""

    rules: int
    claims: int
    one_shot_s: list[float] = field(default_factory=list)
    open_s: float = 0.0
    claim_s: list[float] = field(default_factory=list)
    memory: list[Memory] = field(default_factory=list)
    tiers: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    @property
    def rate(self) -> float | None:
        """Claims a second in the session."""
        return ratio(float(self.claims), sum(self.claim_s))

    @property
    def one_shot_rate(self) -> float | None:
        """Claims a second, each compiled and verified for itself."""
        return ratio(1.0, median(self.one_shot_s))

    @property
    def speed_up(self) -> float | None:
        """The session's rate over that of one-shot runs."""
        return ratio(self.rate, self.one_shot_rate)

    @property
    def growth(self) -> float | None:
        """Memory at the end over memory after the first tenth: of this process, or of its workers if more.

        A worker that is started in between is not growth.
        """
        if not self.memory:
            return None
        first, last = self.memory[0], self.memory[-1]
        own, theirs = ratio(last.parent, first.parent), ratio(last.workers, first.workers or last.workers)
        return own if own is None or theirs is None else max(own, theirs)


def measure(rules: int, claims: int, rounds: int, trust: Trust, tick: Callable[[], object]) -> Figures:
    """`rounds` one-shot verifications, and a session of so many random claims; `tick` after each."""
    whole = policy(rules)
    asked = list(zip(whole.program["verifications"], whole.verdicts, strict=True))
    rng = random.Random(1)
    figures = Figures(rules, claims)
    for turn in range(rounds + 1):
        claim, wanted = rng.choice(asked)
        began = time.perf_counter()
        report = potlang.verify(_with_claim(whole, claim), language="pot", trust=trust)
        if turn:
            figures.one_shot_s.append(time.perf_counter() - began)
        _judge(report, wanted, figures, "one-shot")
    _session(whole, [rng.choice(asked) for _ in range(claims)], trust, figures, tick)
    return figures


def _with_claim(whole: Workload, claim: ProgramJson) -> str:
    return json.dumps({**whole.program, "verifications": [claim]})


def _session(
    whole: Workload,
    asked: list[tuple[ProgramJson, str]],
    trust: Trust,
    figures: Figures,
    tick: Callable[[], object],
) -> None:
    """The first claims, which load the policy, are not counted; opening is their time."""
    program = potlang.compile(_with_claim(whole, asked[0][0]))
    marks = {max(1, int(share * len(asked))) for share in POINTS}
    began = time.perf_counter()
    with program.session(trust=trust) as session:
        for claim, _ in asked[:_WARM_UPS]:
            session.verify(claim)
        figures.open_s = time.perf_counter() - began
        for number, (claim, wanted) in enumerate(asked, 1):
            began = time.perf_counter()
            report = session.verify(claim)
            figures.claim_s.append(time.perf_counter() - began)
            tier = report.results[0].trust
            figures.tiers[tier] = figures.tiers.get(tier, 0) + 1
            _judge(report, wanted, figures, "session")
            if number in marks:
                figures.memory.append(Memory(number, *resident_megabytes()))
            tick()


def _judge(report: potlang.Report, wanted: str, figures: Figures, where: str) -> None:
    (result,) = report.results
    if str(result.verdict) != wanted:
        figures.faults.append(f"{where}: {result.name} is {result.verdict}, expected {wanted}")


def failures(figures: Figures, least_ratio: float, most_growth: float) -> list[str]:
    """Wrong verdicts, and the bounds that are not kept."""
    failed = [*figures.faults[:20]]
    if len(figures.faults) > len(failed):
        failed.append(f"and {len(figures.faults) - len(failed)} wrong verdicts more")
    if figures.speed_up is None or figures.speed_up < least_ratio:
        shown = "unknown" if figures.speed_up is None else f"{figures.speed_up:.1f}"
        failed.append(f"{shown} times the one-shot rate, at least {least_ratio}")
    if figures.growth is None or figures.growth > most_growth:
        shown = "unknown" if figures.growth is None else f"{figures.growth:.3f} times"
        failed.append(f"memory at the end {shown} that after a tenth, at most {most_growth}")
    return failed


HEADINGS: Final = (
    "rules",
    "claims",
    "one-shot ms",
    "opening ms",
    "claim ms",
    "median",
    "claims/s",
    "x one-shot",
    "memory",
)


def row(figures: Figures) -> list[Any]:
    """The figures under `HEADINGS`; `claim ms` is the mean, `memory` the growth after the first tenth."""
    shot, middle = median(figures.one_shot_s), median(figures.claim_s)
    return [
        figures.rules,
        figures.claims,
        None if shot is None else shot * 1000,
        figures.open_s * 1000,
        1000 * sum(figures.claim_s) / max(1, len(figures.claim_s)),
        None if middle is None else middle * 1000,
        figures.rate,
        figures.speed_up,
        figures.growth,
    ]
