"""Putting one check to one solver or to two, within limits, and merging what they say."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from potlang.report import Check, Limits
from potlang.solve.backend import Answer, OptimizeAnswer, OptimizeQuery, Query, RemoteEngine
from potlang.solve.decision import Known
from potlang.solve.encoding import Encoding, Unsupported

Build = Callable[[Encoding], Query]
"""Makes a query in the words that one engine understands."""


class Budget:
    """The time that a program has: `limits` counted from the moment of making."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._began = time.perf_counter()

    def spent_ms(self) -> float:
        """Milliseconds since the start."""
        return (time.perf_counter() - self._began) * 1000

    def left_ms(self) -> float:
        """Milliseconds left of the total; negative when it is used up."""
        return self.limits.total_ms - self.spent_ms()

    def check_ms(self, most: float | None = None) -> int:
        """Milliseconds that the next check may take; 0 if none may."""
        wanted = self.limits.check_ms if most is None else min(self.limits.check_ms, most)
        return max(0, int(min(wanted, self.left_ms())))


@dataclass(slots=True)
class Asked:
    """An engine and the words it is spoken to in; `base` is what its session was started with."""

    engine: RemoteEngine
    encoding: Encoding
    base: str | None = None


class Reply(NamedTuple):
    """What the solvers together say of one check.

    `values` and `core` are `encoding`'s words. `agreed`: two solvers gave this status. `disagreement`: one
    said sat and the other unsat; the status is then unknown.
    """

    status: Known
    reason: str | None
    checks: tuple[Check, ...]
    encoding: Encoding | None = None
    values: tuple[str, ...] | None = None
    core: tuple[str, ...] | None = None
    agreed: bool = False
    disagreement: bool = False


_OVER = Answer("unknown", "timeout", "the time for the whole program is used up")


class Asker:
    """Asks the engines. Not safe for use by several threads at once."""

    def __init__(self, engines: Iterable[Asked], budget: Budget) -> None:
        self.engines = tuple(engines)
        self.budget = budget

    @property
    def route(self) -> str:
        """The engines' names."""
        return "+".join(each.engine.name for each in self.engines)

    def start(self, base: Callable[[Encoding], str]) -> None:
        """Begin a session on every engine; nothing is sent twice."""
        for each in self.engines:
            try:
                text = base(each.encoding)
            except Unsupported:
                each.base = None
                continue
            if text != each.base:
                each.engine.start(text)
                each.base = text

    def ask(self, query: str, build: Build, *, most_ms: float | None = None) -> Reply:
        """Put one check; `query` is its name in the report. Never raises for what a solver does."""
        limit = self.budget.check_ms(most_ms)
        if not limit:
            return merge(query, [(each, _OVER) for each in self.engines[:1]])
        return merge(query, self._answers(build, limit))

    def ask_pair(self, pair: tuple[tuple[str, Build], tuple[str, Build]]) -> list[Reply]:
        """Put two checks of which both are needed: one engine is sent the second while it does the first."""
        limit = self.budget.check_ms(self.budget.left_ms() / 2)
        only = self.engines[0]
        if len(self.engines) > 1 or not limit or only.base is None:
            return [self.ask(query, build) for query, build in pair]
        try:
            queries = [build(only.encoding) for _, build in pair]
        except Unsupported:
            return [self.ask(query, build) for query, build in pair]
        answers = only.engine.ask_all(queries, limit)
        return [merge(query, [(only, answer)]) for (query, _), answer in zip(pair, answers, strict=True)]

    def ask_first(self, query: str, build: Build, *, most_ms: float | None = None) -> Reply:
        """Put a check to the first engine alone: for evidence, where a second opinion adds nothing."""
        limit = self.budget.check_ms(most_ms)
        first = self.engines[0]
        return merge(query, [(first, _ask(first, build, limit) if limit else _OVER)])

    def _answers(self, build: Build, limit: int) -> list[tuple[Asked, Answer]]:
        if len(self.engines) == 1:
            return [(self.engines[0], _ask(self.engines[0], build, limit))]
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(len(self.engines)) as threads:
            answers = list(threads.map(lambda each: _ask(each, build, limit), self.engines))
        return list(zip(self.engines, answers, strict=True))

    def optimize(self, build: Callable[[Encoding], OptimizeQuery]) -> OptimizeAnswer:
        """Put an optimization to the first engine that can."""
        limit = self.budget.check_ms()
        if not limit:
            return OptimizeAnswer("unknown", "timeout", _OVER.detail)
        answer = OptimizeAnswer("unknown", "unsupported", "no engine that optimizes")
        for each in self.engines:
            if each.base is None:
                continue
            try:
                answer = each.engine.optimize(build(each.encoding), limit)
            except Unsupported as reason:
                answer = OptimizeAnswer("unknown", "unsupported", str(reason))
            if answer.reason != "unsupported":
                break
        return answer


def _ask(asked: Asked, build: Build, limit: int) -> Answer:
    try:
        query = build(asked.encoding)
    except Unsupported as reason:
        return Answer("unknown", "unsupported", str(reason))
    if asked.base is None:
        return Answer("unknown", "unsupported", f"{asked.engine.name} cannot be given this program")
    return asked.engine.ask(query, limit)


def merge(query: str, answers: list[tuple[Asked, Answer]]) -> Reply:
    """One reply from each engine's answer to the same check."""
    checks = tuple(
        Check(query, each.engine.name, answer.status, answer.reason, answer.detail, answer.time_ms)
        for each, answer in answers
    )
    definite = [(each, answer) for each, answer in answers if answer.status != "unknown"]
    statuses = {answer.status for _, answer in definite}
    if len(statuses) > 1:
        return Reply("unknown", "disagreement", checks, disagreement=True)
    if not definite:
        return Reply("unknown", answers[0][1].reason or "incomplete", checks)
    each, answer = next(
        (pair for pair in definite if pair[1].values is not None or pair[1].core is not None), definite[0]
    )
    agreed = len(definite) > 1
    return Reply(answer.status, None, checks, each.encoding, answer.values, answer.core, agreed)
