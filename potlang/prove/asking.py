"""Putting one check to the solvers, within limits, and merging what they say.

With one engine and a reserve, what the engine leaves undecided is raced: engine and reserve work side
by side on the same check, the first definite answer counts, and the others are killed ([ROUTE-RACE]).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from potlang.engines.messages import Answer, OptimizeAnswer, OptimizeQuery, Query
from potlang.engines.solver import SolverSession
from potlang.prove.decision import Known
from potlang.prove.encoding import Encoding, Unsupported
from potlang.report.results import Check, Limits

if TYPE_CHECKING:
    from potlang.certify import Theory
    from potlang.ir.module import Claim
    from potlang.ir.structure import Structure

Build = Callable[[Encoding], Query]
"""Makes a query in the words that one engine understands."""

ALONE_MS = 100
"""How long the first engine works on a check before the reserve joins in ([ROUTE-RACE])."""
_READ_PER_MS = 1_000
"""Characters of a base that an engine reads in a millisecond, at the slowest."""
_WORTH_A_RACE = ("timeout", "incomplete", "unsupported", "memory", "crash", "error")


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

    engine: SolverSession
    encoding: Encoding
    base: str | None = None


Reserve = Callable[[], Iterable[Asked]]
"""Makes the engines that join in where the first one gives up."""


Late = Callable[[], "Reply | None"]
"""What to try where the first engine has given up, before the reserve is called."""

Put = tuple[str, Build, Late | None]
"""A check: its name in the report, the query, and what to try late."""


class Reply(NamedTuple):
    """What the solvers together say of one check.

    `values`, `core` and `model` are `encoding`'s words. `by` names who gave the status. `agreed`: two
    solvers gave it. `disagreement`: one said sat and the other unsat; the status is then unknown.
    `structure` makes the model, and `refutation` the statements of a refutation before the kernel's
    reading of a program that has the core and the claim, of an answer found without a solver.
    """

    status: Known
    reason: str | None
    checks: tuple[Check, ...]
    encoding: Encoding | None = None
    values: tuple[str, ...] | None = None
    core: tuple[str, ...] | None = None
    agreed: bool = False
    disagreement: bool = False
    by: str = ""
    model: str | None = None
    structure: Callable[[], Structure | None] | None = None
    refutation: Callable[[Theory, str, Claim | None], tuple[str, ...] | None] | None = None


_OVER = Answer("unknown", "timeout", "the time for the whole program is used up")


class Asker:
    """Asks the engines. Not safe for use by several threads at once."""

    def __init__(self, engines: Iterable[Asked], budget: Budget, reserve: Reserve | None = None) -> None:
        self.engines = tuple(engines)
        self.budget = budget
        self._reserve = reserve
        self._runners: tuple[Asked, ...] = ()
        self._base: Callable[[Encoding], str] | None = None
        self._loaded = False
        self.silent: tuple[str, str] | None = None
        """Where no solver may be asked: the route that alone may answer, and why it has not."""

    @property
    def route(self) -> str:
        """The engines' names."""
        return "+".join(each.engine.name for each in self.engines)

    @property
    def everyone(self) -> tuple[Asked, ...]:
        """The engines, and those of the reserve that have been called."""
        return (*self.engines, *self._runners)

    def start(self, base: Callable[[Encoding], str]) -> None:
        """Begin a session on every engine, at the first check; nothing is sent twice."""
        self._base = base
        self._loaded = False

    def _load(self) -> None:
        """Give the engines the base, now that one is needed."""
        if not self._loaded and self._base is not None:
            for each in self.engines:
                _start(each, self._base)
            self._loaded = True

    def ask(
        self, query: str, build: Build, *, most_ms: float | None = None, late: Late | None = None
    ) -> Reply:
        """Put one check; `query` is its name in the report. Never raises for what a solver does."""
        if self.silent is not None:
            return self._nobody(query)
        limit = self.budget.check_ms(most_ms)
        if not limit:
            return merge(query, [(each, _OVER) for each in self.engines[:1]])
        self._load()
        reply = merge(query, self._answers(build, self._alone(limit)))
        return self._escalated(query, build, reply, most_ms, late)

    def _nobody(self, query: str) -> Reply:
        route, why = self.silent or ("", "")
        return Reply("unknown", "unsupported", (Check(query, route, "unknown", "unsupported", why),))

    def _alone(self, limit: int) -> int:
        """How long the first engine has before the reserve is called; with `rlimit` no clock decides."""
        if self._reserve is None or self.budget.limits.rlimit is not None:
            return limit
        return min(limit, ALONE_MS + len(self.engines[0].base or "") // _READ_PER_MS)

    def _escalated(
        self,
        query: str,
        build: Build,
        reply: Reply,
        most_ms: float | None = None,
        late: Late | None = None,
    ) -> Reply:
        """The reply, or where it is unknown what `late` or the race with the reserve says."""
        if self._reserve is None or reply.status != "unknown" or reply.reason not in _WORTH_A_RACE:
            return reply
        found = None if late is None else late()
        if found is not None:
            return found._replace(checks=(*reply.checks, *found.checks))
        limit = self.budget.check_ms(most_ms)
        if not limit:
            return reply
        if not self._runners:
            self._runners = tuple(self._reserve())
        assert self._base is not None
        entrants = list(self._runners)
        for each in entrants:
            _start(each, self._base)
        if self.budget.limits.rlimit is not None:
            answers = in_turn(entrants, build, limit)
        else:
            again = self.engines[:1] if reply.reason == "timeout" else ()
            answers = race([*again, *entrants], build, limit)
            for each in again:
                _start(each, self._base)
        found = merge(query, answers)
        if found.status == "unknown" and reply.reason is not None:
            found = found._replace(reason=found.reason or reply.reason)
        return found._replace(checks=(*reply.checks, *found.checks))

    def ask_pair(self, pair: tuple[Put, Put]) -> list[Reply]:
        """Put two checks of which both are needed: one engine is sent the second while it does the first."""
        limit = self.budget.check_ms(self.budget.left_ms() / 2)
        only = self.engines[0]
        self._load()
        if len(self.engines) > 1 or not limit or only.base is None or self.silent is not None:
            return [self.ask(query, build, late=late) for query, build, late in pair]
        try:
            queries = [build(only.encoding) for _, build, _ in pair]
        except Unsupported:
            return [self.ask(query, build, late=late) for query, build, late in pair]
        answers = list(only.engine.ask_all(queries, self._alone(limit)))
        return [
            self._escalated(query, build, merge(query, [(only, answer)]), late=late)
            for (query, build, late), answer in zip(pair, answers, strict=True)
        ]

    def ask_first(self, query: str, build: Build, *, most_ms: float | None = None) -> Reply:
        """Put a check to the first engine alone: for evidence, where a second opinion adds nothing."""
        if self.silent is not None:
            return self._nobody(query)
        self._load()
        limit = self.budget.check_ms(most_ms)
        first = self.engines[0]
        return merge(query, [(first, _ask(first, build, limit) if limit else _OVER)])

    def ask_ahead(self, query: str, builds: Sequence[Build], *, most_ms: float) -> list[Reply]:
        """Put several checks to the first engine alone, sent at once; each has the limit for itself."""
        if self.silent is not None:
            return [self._nobody(query)] * len(builds)
        first = self.engines[0]
        limit = self.budget.check_ms(most_ms)
        if not limit:
            return [merge(query, [(first, _OVER)])] * len(builds)
        self._load()
        queries = [_query(first, build) for build in builds]
        sent = [each for each in queries if isinstance(each, Query)]
        answers = iter(list(first.engine.ask_all(sent, self._alone(limit))))
        found = [each if isinstance(each, Answer) else next(answers) for each in queries]
        return [merge(query, [(first, answer)]) for answer in found]

    def settled(self, query: str, build: Build, reply: Reply, *, most_ms: float) -> Reply:
        """A reply of `ask_ahead`, or what the reserve says where it is unknown."""
        return reply if self.silent is not None else self._escalated(query, build, reply, most_ms)

    def _answers(self, build: Build, limit: int) -> list[tuple[Asked, Answer]]:
        if len(self.engines) == 1:
            return [(self.engines[0], _ask(self.engines[0], build, limit))]
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(len(self.engines)) as threads:
            answers = list(threads.map(lambda each: _ask(each, build, limit), self.engines))
        return list(zip(self.engines, answers, strict=True))

    def optimize(self, build: Callable[[Encoding], OptimizeQuery]) -> OptimizeAnswer:
        """Put an optimization to the first engine that can."""
        if self.silent is not None:
            return OptimizeAnswer("unknown", "unsupported", f"{self.silent[0]} does not optimize")
        self._load()
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


def _start(asked: Asked, base: Callable[[Encoding], str]) -> None:
    try:
        text = base(asked.encoding)
    except Unsupported:
        asked.base = None
        return
    if text != asked.base:
        asked.engine.start(text)
        asked.base = text


def _query(asked: Asked, build: Build) -> Query | Answer:
    """The query in the engine's words, or the answer where it has none."""
    try:
        query = build(asked.encoding)
    except Unsupported as reason:
        return Answer("unknown", "unsupported", str(reason))
    if asked.base is None:
        return Answer("unknown", "unsupported", f"{asked.engine.name} cannot be given this program")
    return query


def _ask(asked: Asked, build: Build, limit: int) -> Answer:
    query = _query(asked, build)
    return query if isinstance(query, Answer) else asked.engine.ask(query, limit)


def in_turn(entrants: Sequence[Asked], build: Build, limit: int) -> list[tuple[Asked, Answer]]:
    """The entrants' answers up to the first definite one, each asked when the one before has given up."""
    answers: list[tuple[Asked, Answer]] = []
    for each in entrants:
        answers.append((each, _ask(each, build, limit)))
        if answers[-1][1].status != "unknown":
            break
    return answers


def race(entrants: Sequence[Asked], build: Build, limit: int) -> list[tuple[Asked, Answer]]:
    """The entrants' answers to one check, all asked at once; after a definite one the others are killed.

    A killed engine has its base no longer: `base` says so, and the next start gives it a new worker.
    """
    from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

    # Printing makes nodes in a pool that threads must not share: all queries come first.
    queries = [(each, _query(each, build)) for each in entrants]
    answers = [(each, query) for each, query in queries if isinstance(query, Answer)]
    running = [(each, query) for each, query in queries if isinstance(query, Query)]
    if not running:
        return answers
    with ThreadPoolExecutor(len(running)) as threads:
        waiting = {threads.submit(each.engine.ask, query, limit): each for each, query in running}
        decided: str | None = None
        while waiting:
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                each = waiting.pop(future)
                answer = future.result()
                if decided is None or answer.status not in ("unknown", decided):
                    answers.append((each, answer))
                if answer.status != "unknown":
                    decided = decided or answer.status
            if decided is not None:
                for each in waiting.values():
                    each.engine.cancel()
                    each.base = None
    return answers


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
    agreed = len({asked.engine.name.partition("-")[0] for asked, _ in definite}) > 1
    by = "+".join(asked.engine.name for asked, _ in definite)
    return Reply(
        answer.status,
        None,
        checks,
        each.encoding,
        answer.values,
        answer.core,
        agreed,
        by=by,
        model=answer.model,
    )
