"""Puts one check to who can decide it: decision procedures, the first solver, fallbacks, a race of others.

With one solver and a reserve, what the solver leaves undecided is raced: solver and reserve work side by
side on the same check, the first definite answer counts, and the others are killed ([ROUTE-RACE]).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import copy_context
from typing import NamedTuple, Protocol, TypeVar

from potlang.engines.check import Check, CheckResult, DecisionProcedure
from potlang.engines.encoding import Encoding, Unsupported
from potlang.engines.messages import OptimizeAnswer, OptimizeQuery, Query, SolverAnswer, affords_model
from potlang.engines.solver import Build, SolverSession
from potlang.report.results import CheckRecord, Limits
from potlang.utils.deadline import Deadline, OutOfFuel, within

ALONE_MS = 100
"""How long the first engine works on a check before the reserve joins in ([ROUTE-RACE])."""
_READ_PER_MS = 1_000
"""Characters of a base that an engine reads in a millisecond, at the slowest."""
_MOST_NODES = 200_000
"""Nodes that a decision procedure may make for one check."""
_LOOK_UP_S = 0.1

Reserve = Callable[[], Iterable[SolverSession]]
"""Opens the solvers that join in where the first one gives up."""


class Entrant(Protocol):
    """Takes part in a race, as a `SolverSession` does."""

    @property
    def name(self) -> str:
        """Its name in reports."""

    @property
    def encoding(self) -> Encoding:
        """Of the program."""

    def query(self, build: Build) -> Query | SolverAnswer:
        """The query, or the answer where it cannot be put."""

    def ask(self, query: Query, timeout_ms: int) -> SolverAnswer:
        """The answer to a query; called in a thread of its own."""

    def cancel(self) -> None:
        """End the query that another thread waits for."""


_Asked = TypeVar("_Asked", bound=Entrant)


class CheckEntrant(Entrant, Protocol):
    """An entrant for one check, whose answers are in words of its own."""

    def read(self, result: CheckResult, answer: SolverAnswer) -> CheckResult:
        """The result with what the answer says."""


class Racer(DecisionProcedure, Protocol):
    """A procedure that also works beside the solvers."""

    def enter(self, check: Check) -> CheckEntrant | None:
        """The entrant of the race on a check; None where the check is beyond the fragment."""


_OVER = SolverAnswer("unknown", "timeout", "the time for the whole program is used up")


class Allowance(NamedTuple):
    """The limits of a call, and the moment by which all of it is to end."""

    limits: Limits
    deadline: Deadline

    @classmethod
    def of(cls, limits: Limits) -> Allowance:
        """That of a call which begins now."""
        return cls(limits, Deadline(limits.total_ms))

    def longer(self, by_ms: int) -> Allowance:
        """That of the same call with more time, as far as the scope around it goes."""
        return Allowance(self.limits, Deadline(self.deadline.left_ms() + by_ms))

    def check_ms(self, most: float | None = None) -> int:
        """Milliseconds that the next check may take; 0 if none may."""
        wanted = self.limits.check_ms if most is None else min(self.limits.check_ms, most)
        return int(min(wanted, self.deadline.left_ms()))


class Dispatcher:
    """Decides checks. Not safe for use by several threads at once.

    `procedures` are asked before any solver, `fallbacks` where the first solver has given up. `racers` take
    part in races.
    """

    def __init__(
        self,
        solvers: Iterable[SolverSession],
        allowance: Allowance,
        reserve: Reserve | None = None,
        procedures: Sequence[DecisionProcedure] = (),
        fallbacks: Sequence[DecisionProcedure] = (),
        racers: Sequence[Racer] = (),
    ) -> None:
        self.solvers = tuple(solvers)
        self.allowance = allowance
        self.procedures = tuple(procedures)
        self._fallbacks = tuple(fallbacks)
        self._racers = tuple(racers)
        self._reserve = reserve
        self._runners: tuple[SolverSession, ...] = ()
        self._base: Callable[[Encoding], str] | None = None
        self._loaded = False
        self.cut_short: list[DecisionProcedure] = []
        """Procedures that have run out of the time or the nodes of a call."""
        self.disabled: tuple[str, str] | None = None
        """Where no solver may be asked: the route that alone may answer, and why it has not."""
        self.find_core: Callable[[Check], tuple[str, ...] | None] | None = None
        """Looks for a core apart, where solvers are not asked for one because the base is large."""

    @property
    def route(self) -> str:
        """The solvers' names."""
        return "+".join(each.name for each in self.solvers)

    def close(self) -> None:
        """Give all solvers back."""
        for each in (*self.solvers, *self._runners):
            each.close()

    def start(self, base: Callable[[Encoding], str]) -> None:
        """Begin a session on every solver, at the first check; nothing is sent twice."""
        self._base = base
        self._loaded = False

    def _load(self) -> None:
        """Give the solvers the base, now that one is needed: procedures may do without."""
        if not self._loaded and self._base is not None:
            for each in self.solvers:
                each.load(self._base)
            self._loaded = True

    # --- checks that verdicts rest on ---

    def check(self, check: Check) -> CheckResult:
        """Decide one check. Never raises for what a solver does."""
        return self._decided(self.procedures, check) or self._solved(check)

    def check_both(self, pair: tuple[Check, Check]) -> list[CheckResult]:
        """Decide two checks of which both are needed."""
        known = [self._decided(self.procedures, check) for check in pair]
        if known != [None, None]:
            return [found or self._solved(check) for check, found in zip(pair, known, strict=True)]
        return [self._with_core(*each) for each in zip(pair, self._ask_both(pair), strict=True)]

    def _decided(self, procedures: Sequence[DecisionProcedure], check: Check) -> CheckResult | None:
        """The result of the first procedure that has one."""
        for procedure in procedures:
            if procedure in self.cut_short:
                continue
            if self.allowance.deadline.passed():
                break
            try:
                with within(nodes=_MOST_NODES):
                    found = procedure.decide(check)
            except OutOfFuel:
                # What it keeps may be half made: it is not asked again.
                self.cut_short.append(procedure)
                continue
            if found is not None:
                return found
        return None

    def _solved(self, check: Check) -> CheckResult:
        return self._with_core(check, self._ask(check))

    def _with_core(self, check: Check, result: CheckResult) -> CheckResult:
        """The result; of a refutation without a core with the one that `find_core` finds."""
        if result.status != "unsat" or result.core is not None or self.find_core is None:
            return result
        return result._replace(core=self.find_core(check))

    def _ask(self, check: Check) -> CheckResult:
        return self.ask(check.name, check.query, check=check)

    def _ask_both(self, pair: tuple[Check, Check]) -> list[CheckResult]:
        """Put two checks to the solvers; one solver is sent the second while it does the first."""
        limit = self.allowance.check_ms(self.allowance.deadline.left_ms() / 2)
        only = self.solvers[0]
        self._load()
        in_turn = len(self.solvers) > 1 or not limit or not only.ready or self.disabled is not None
        queries = [] if in_turn else [only.query(check.query) for check in pair]
        if in_turn or not all(isinstance(each, Query) for each in queries):
            return [self._ask(check) for check in pair]
        answers = list(
            only.ask_all([each for each in queries if isinstance(each, Query)], self._alone(limit))
        )
        return [
            self._escalated(check.name, check.query, merge(check.name, [(only, answer)]), check=check)
            for check, answer in zip(pair, answers, strict=True)
        ]

    # --- queries ---

    def ask(
        self, name: str, build: Build, *, most_ms: float | None = None, check: Check | None = None
    ) -> CheckResult:
        """Put one query to the solvers; `name` is the check's in the report.

        Of a whole `check` others are asked too, where the first solver has given up.
        """
        if self.disabled is not None:
            return self._nobody(name)
        limit = self.allowance.check_ms(most_ms)
        if not limit:
            return merge(name, [(each, _OVER) for each in self.solvers[:1]])
        self._load()
        result = merge(name, self._answers(build, self._alone(limit)))
        return self._escalated(name, build, result, most_ms, check)

    def ask_first(self, name: str, build: Build, *, most_ms: float | None = None) -> CheckResult:
        """Put a query to the first solver alone: for evidence, where a second opinion adds nothing."""
        if self.disabled is not None:
            return self._nobody(name)
        self._load()
        limit = self.allowance.check_ms(most_ms)
        first = self.solvers[0]
        return merge(name, [(first, first.check(build, limit) if limit else _OVER)])

    def ask_ahead(self, name: str, builds: Sequence[Build], *, most_ms: float) -> list[CheckResult]:
        """Put several queries to the first solver alone, sent at once; each has the limit for itself."""
        if self.disabled is not None:
            return [self._nobody(name)] * len(builds)
        first = self.solvers[0]
        limit = self.allowance.check_ms(most_ms)
        if not limit:
            return [merge(name, [(first, _OVER)])] * len(builds)
        self._load()
        queries = [first.query(build) for build in builds]
        sent = [each for each in queries if isinstance(each, Query)]
        answers = iter(list(first.ask_all(sent, self._alone(limit))))
        found = [each if isinstance(each, SolverAnswer) else next(answers) for each in queries]
        return [merge(name, [(first, answer)]) for answer in found]

    def settled(self, name: str, build: Build, result: CheckResult, *, most_ms: float) -> CheckResult:
        """A result of `ask_ahead`, or what the reserve says where it is unknown."""
        return result if self.disabled is not None else self._escalated(name, build, result, most_ms)

    def optimize(self, build: Callable[[Encoding], OptimizeQuery]) -> OptimizeAnswer:
        """Put an optimization to the first solver that can."""
        if self.disabled is not None:
            return OptimizeAnswer("unknown", "unsupported", f"{self.disabled[0]} does not optimize")
        self._load()
        limit = self.allowance.check_ms()
        if not limit:
            return OptimizeAnswer("unknown", "timeout", _OVER.detail)
        answer = OptimizeAnswer("unknown", "unsupported", "no engine that optimizes")
        for each in self.solvers:
            if not each.ready:
                continue
            try:
                answer = each.optimize(build(each.encoding), limit)
            except Unsupported as reason:
                answer = OptimizeAnswer("unknown", "unsupported", str(reason))
            if answer.reason != "unsupported":
                break
        return answer

    def _nobody(self, name: str) -> CheckResult:
        route, why = self.disabled or ("", "")
        return CheckResult(
            "unknown", "unsupported", (CheckRecord(name, route, "unknown", "unsupported", why),)
        )

    def _alone(self, limit: int) -> int:
        """How long the first solver has before the reserve is called; with `rlimit` no clock decides."""
        if self._reserve is None or self.allowance.limits.rlimit is not None:
            return limit
        return min(limit, ALONE_MS + self.solvers[0].base_size // _READ_PER_MS)

    def _escalated(
        self,
        name: str,
        build: Build,
        result: CheckResult,
        most_ms: float | None = None,
        check: Check | None = None,
    ) -> CheckResult:
        """The result, or where it is unknown what the fallbacks or the race with the reserve say."""
        if check is not None and check.model and result.status == "sat" and result.model is None:
            return self._with_model(build, result)
        if self._reserve is None or result.status != "unknown" or result.disagreement:
            return result
        began = Deadline(self.allowance.check_ms(most_ms))
        found = None if check is None else self._decided(self._fallbacks, check)
        if found is not None:
            return found._replace(checks=(*result.checks, *found.checks))
        # What the fallbacks took is no longer the race's: the check has its limit as a whole.
        limit = began.left_ms()
        if not limit:
            return result
        if not self._runners:
            self._runners = tuple(self._reserve())
        assert self._base is not None
        for each in self._runners:
            each.load(self._base)
        racing = () if check is None else [racer.enter(check) for racer in self._racers]
        entered = [each for each in racing if each is not None]
        entrants: list[Entrant] = [*self._runners, *entered]
        if self.allowance.limits.rlimit is not None:
            # In a race the clock decides who wins. A run with a count of steps is to give the same answer
            # each time, so there they are asked one after the other.
            answers = in_turn(entrants, build, limit)
        else:
            # The first solver had little time alone, and joins in again; one that gave up for another
            # reason would only do so again.
            again = self.solvers[:1] if result.reason == "timeout" else ()
            answers = race([*again, *entrants], build, limit)
            for each in again:
                each.load(self._base)
        found = merge(name, answers)
        for entrant, answer in answers:
            if answer.status == found.status != "unknown":
                for one in entered:
                    found = one.read(found, answer) if one is entrant else found
        return found._replace(checks=(*result.checks, *found.checks))

    def _with_model(self, build: Build, result: CheckResult) -> CheckResult:
        """A model of what the first solver found to have one when its time alone was nearly over."""
        limit = self.allowance.check_ms()
        first = self.solvers[0]
        if self._alone(limit) == limit or not affords_model(first.base_size, limit):
            return result
        found = merge(result.checks[0].query, [(first, first.check(build, limit))])
        return result if found.model is None else found._replace(checks=(*result.checks, *found.checks))

    def _answers(self, build: Build, limit: int) -> list[tuple[SolverSession, SolverAnswer]]:
        if len(self.solvers) == 1:
            return [(self.solvers[0], self.solvers[0].check(build, limit))]
        # Printing makes nodes in a pool that threads must not share: all queries come first.
        queries = [(each, each.query(build)) for each in self.solvers]
        answers = dict(pair for some in _side_by_side(queries, limit) for pair in some)
        return [(each, answers[each]) for each in self.solvers]


def in_turn(entrants: Sequence[Entrant], build: Build, limit: int) -> list[tuple[Entrant, SolverAnswer]]:
    """The entrants' answers up to the first definite one, each asked when the one before has given up."""
    answers: list[tuple[Entrant, SolverAnswer]] = []
    for each in entrants:
        query = each.query(build)
        answers.append((each, query if isinstance(query, SolverAnswer) else each.ask(query, limit)))
        if answers[-1][1].status != "unknown":
            break
    return answers


def race(entrants: Sequence[Entrant], build: Build, limit: int) -> list[tuple[Entrant, SolverAnswer]]:
    """The entrants' answers to one check, all asked at once; after a definite one the others are killed.

    A killed session has its base no longer: the next `load` gives it a new worker.
    """
    # Printing makes nodes in a pool that threads must not share: all queries come first.
    queries = [(each, each.query(build)) for each in entrants]
    answers: list[tuple[Entrant, SolverAnswer]] = []
    decided: str | None = None
    late = list(entrants)
    for some in _side_by_side(queries, limit):
        for each, answer in some:
            late.remove(each)
            # Of those that come after the decision only one that contradicts it counts: who was
            # killed for being late has nothing to say.
            if decided is None or answer.status not in ("unknown", decided):
                answers.append((each, answer))
            if answer.status != "unknown":
                decided = decided or answer.status
        if decided is not None:
            # Their threads still wait for them, and end when they find them dead.
            for each in late:
                each.cancel()
    return answers


def _side_by_side(
    queries: Sequence[tuple[_Asked, Query | SolverAnswer]], limit: int
) -> Iterator[list[tuple[_Asked, SolverAnswer]]]:
    """The entrants with their answers, as they come; the queries are put at once.

    Who is interrupted, or takes no further answer, leaves no solver at work.
    """
    from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

    asked = [(each, query) for each, query in queries if isinstance(query, Query)]
    yield [(each, query) for each, query in queries if isinstance(query, SolverAnswer)]
    if not asked:
        return
    late = [each for each, _ in asked]
    with ThreadPoolExecutor(len(asked)) as threads:
        waiting = {}
        try:
            for each, query in asked:
                # A thread begins without the limits of the call unless it is given them.
                waiting[threads.submit(copy_context().run, each.ask, query, limit)] = each
            while waiting:
                # Looked up from now and then, so that another thread can interrupt this one.
                done, _ = wait(waiting, timeout=_LOOK_UP_S, return_when=FIRST_COMPLETED)
                answered = [(waiting.pop(future), future.result()) for future in done]
                for each, _ in answered:
                    late.remove(each)
                yield answered
        except BaseException:
            # The pool waits for its threads, and they for their solvers. Not only those in `waiting`: an
            # interruption may hit the pool when the next thread has begun already.
            for each in late:
                each.cancel()
            raise


def merge(name: str, answers: Sequence[tuple[Entrant, SolverAnswer]]) -> CheckResult:
    """One result from each solver's answer to the same check."""
    checks = tuple(
        CheckRecord(name, each.name, answer.status, answer.reason, answer.detail, answer.time_ms)
        for each, answer in answers
    )
    definite = [(each, answer) for each, answer in answers if answer.status != "unknown"]
    statuses = {answer.status for _, answer in definite}
    if len(statuses) > 1:
        return CheckResult("unknown", "disagreement", checks, disagreement=True)
    if not definite:
        return CheckResult("unknown", answers[0][1].reason or "incomplete", checks)
    each, answer = next(
        (pair for pair in definite if pair[1].values is not None or pair[1].core is not None), definite[0]
    )
    # `cvc5` and `cvc5-fmf` are one solver: their agreement is no second opinion.
    agreed = len({session.name.partition("-")[0] for session, _ in definite}) > 1
    by = "+".join(session.name for session, _ in definite)
    return CheckResult(
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
