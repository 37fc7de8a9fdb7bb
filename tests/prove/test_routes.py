"""Who answers a check: the race, forced routes, deterministic runs. [ROUTE-*], [VERDICT-DISAGREE]"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import wait
from typing import Any, get_args

import pytest
from lying_solvers import Liar, Liars
from verdict_programs import PERSON, World

import potlang
from potlang.engines.check import CheckResult
from potlang.engines.encoding import AssertionNames, Encoding
from potlang.engines.messages import Query, Reason, SolverAnswer, Status
from potlang.engines.solver import Build, SolverSession
from potlang.ir.module import Module
from potlang.ir.operators import MUL
from potlang.ir.sorts import INT
from potlang.processes.frames import Message
from potlang.processes.pool import Workers
from potlang.processes.process import Command, Process
from potlang.prove.dispatcher import Allowance, Dispatcher, merge, race
from potlang.prove.options import ProverOptions, RouteName
from potlang.prove.prover import Prover
from potlang.report.results import Limits, Verdict
from potlang.utils.deadline import Deadline

ALTERNATING: dict[str, Any] = {
    "sorts": [{"name": "E", "type": "DeclareSort"}],
    "functions": [
        {"name": "P", "domain": ["E"], "range": "BoolSort"},
        {"name": "Q", "domain": ["E"], "range": "BoolSort"},
        {"name": "R", "domain": ["E", "E"], "range": "BoolSort"},
    ],
    "constants": {"es": {"sort": "E", "members": ["a", "b"]}},
    "knowledge_base": [
        "ForAll([x: E], Implies(P(x), Exists([y: E], And(Q(y), R(x, y)))))",
        "ForAll([x: E], Implies(Q(x), Exists([y: E], And(P(y), R(x, y)))))",
        "ForAll([x: E], Implies(Q(x), Not(P(x))))",
        "P(a)",
        "Q(b)",
    ],
    "verifications": [{"name": "goal", "constraint": "R(a, b)"}],
}
"""Design 03: z3 and cvc5 with its defaults give up on it, and it has two small finite models."""


def test_the_race_decides_what_one_solver_cannot() -> None:
    """[ROUTE-AUTO] [ROUTE-RACE] The family of design 03, with two finite models."""
    alone = potlang.verify(ALTERNATING, route="z3", trust="solver", limits=Limits(check_ms=400))
    assert alone.verdict is Verdict.UNKNOWN
    result = potlang.verify(ALTERNATING, trust="solver").results[0]
    assert result.verdict is Verdict.UNDETERMINED
    assert set(result.route.split("+")) <= {"cvc5-fmf", "cvc5", "models"}
    assert result.evidence.could_be_true is not None
    assert result.evidence.could_be_false is not None
    said = {(check.solver, check.status) for check in result.checks}
    assert ("z3", "unknown") in said
    # Whoever looks for finite models, and is the first to find one.
    assert said & {("cvc5-fmf", "sat"), ("models", "sat")}


def test_the_search_comes_before_a_closure_that_is_not_exact() -> None:
    """[ROUTE-AUTO] What is said of `R` and `S` is no Horn clause, whatever is denied and asserted."""
    program = {
        "sorts": [{"name": "C", "type": "EnumSort", "values": ["red", "green"]}],
        "functions": [{"name": name, "domain": ["C"], "range": "Bool"} for name in "PQRS"],
        "knowledge_base": [
            "P(red)",
            "ForAll([x: C], P(x) -> Q(x))",
            "R(green) or S(green)",
            "not (R(red) and S(red))",
            "R(green) -> S(green)",
            "S(red) -> R(red)",
        ],
        "verifications": [{"constraint": "Q(red)"}],
    }
    result = potlang.verify(program, trust="solver").results[0]
    assert (result.verdict, result.route) == (Verdict.ENTAILED, "search")


def test_a_race_leaves_all_engines_usable() -> None:
    """[ROUTE-RACE] Claims after a race are answered, the killed engines' too."""
    claims = [
        {"name": str(i), "constraint": text} for i, text in enumerate(["R(a, b)", "P(a)", "Q(a)", "R(b, a)"])
    ]
    report = potlang.verify({**ALTERNATING, "verifications": claims}, trust="solver")
    assert [each.verdict for each in report.results] == [
        "undetermined",
        "entailed",
        "refuted",
        "undetermined",
    ]


@pytest.mark.parametrize(
    "route",
    [
        "cvc5",
        "cvc5-fmf",
        pytest.param("z3", marks=pytest.mark.slow),
        pytest.param("both", marks=pytest.mark.slow),
    ],
)
def test_forced_routes_are_named_in_the_report(route: potlang.api.RouteName) -> None:
    """[ROUTE-NAMES], [ROUTE-REPORT]"""
    program = {**ALTERNATING, "verifications": [{"name": "known", "constraint": "P(a)"}]}
    result = potlang.verify(program, route=route, trust="solver").results[0]
    assert result.verdict in (Verdict.ENTAILED, Verdict.UNKNOWN)
    assert set(result.route.split("+")) <= {"z3", "cvc5", "cvc5-fmf"}
    assert result.route == {"both": "z3+cvc5"}.get(route, route) or route == "both"


def test_what_a_forced_route_cannot_decide_is_unknown() -> None:
    """[ROUTE-NAMES] Nobody else is asked."""
    world = World(PERSON)
    age = world.function("age", [PERSON], INT)
    who = world.constant("who", PERSON)
    square = world.pool.app(MUL, (world.app(age, who), world.app(age, who)))
    world.claim("goal", world.pool.eq(square, world.pool.integer(3)))
    with Workers() as workers:
        for route in ("closure", "ground", "search"):
            with Prover(world.module(), ProverOptions(route=route), workers=workers) as session:
                (result,) = session.verify()
            assert (result.verdict, result.reason) == (Verdict.UNKNOWN, "unsupported")
            assert {check.solver for check in result.checks} == {route}


def test_with_rlimit_the_same_run_gives_the_same_answers() -> None:
    """[LIMIT-RESOURCE] [ROUTE-DETERMINISTIC] Verdicts, routes and checks, times apart."""
    limits = Limits(rlimit=200_000)
    runs = [potlang.verify(ALTERNATING, limits=limits, trust="solver").results[0] for _ in range(2)]
    first, second = (
        (run.verdict, run.route, [(check.query, check.solver, check.status) for check in run.checks])
        for run in runs
    )
    assert first == second
    assert first[0] is Verdict.UNDETERMINED


class Slow(SolverSession):
    """A solver that answers after a while, unless it is cancelled."""

    def __init__(self, module: Module, name: str, answer: SolverAnswer, seconds: float) -> None:
        super().__init__(Workers(), name, encoding=Encoding(module, name, AssertionNames(module)))
        self.answer = answer
        self.seconds = seconds

    def ask(self, query: Query, timeout_ms: int) -> SolverAnswer:
        end = time.monotonic() + self.seconds
        while time.monotonic() < end and self.ready:
            time.sleep(0.002)
        return self.answer if self.ready else SolverAnswer("unknown", "timeout")


def test_the_first_definite_answer_ends_a_race(monkeypatch: pytest.MonkeyPatch) -> None:
    """[ROUTE-RACE] An unknown does not end it, and who is late is killed."""
    is_answered = threading.Event()

    def waited(*given: Any, **named: Any) -> Any:
        found = wait(*given, **named)
        if found.done:
            is_answered.set()
        return found

    class Second(Slow):
        def ask(self, query: Query, timeout_ms: int) -> SolverAnswer:
            assert is_answered.wait(30)
            return super().ask(query, timeout_ms)

    monkeypatch.setattr("concurrent.futures.wait", waited)
    module = World(PERSON).module()
    entrants = [
        Slow(module, "z3", SolverAnswer("unknown", "incomplete"), 0.0),
        Second(module, "cvc5-fmf", SolverAnswer("unsat"), 0.0),
        Slow(module, "cvc5", SolverAnswer("unsat"), 60.0),
    ]
    answers = race(entrants, lambda encoding: Query(""), 1_000)
    assert [(each.name, answer.status) for each, answer in answers] == [
        ("z3", "unknown"),
        ("cvc5-fmf", "unsat"),
    ]
    assert [each.ready for each in entrants] == [True, True, False]


def test_who_is_interrupted_while_the_race_begins_leaves_nobody_running(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """[ROUTE-RACE] [STOP-LIBRARY] Also not the one that has begun and that nobody has been told of yet."""
    module = World(PERSON).module()
    entrants = [Slow(module, name, SolverAnswer("unsat"), 30.0) for name in ("z3", "cvc5", "cvc5-fmf")]
    start = threading.Thread.start
    started = []

    def interrupted(thread: threading.Thread) -> None:
        start(thread)
        started.append(thread)
        if len(started) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        race(entrants, lambda encoding: Query(""), 1_000)
    assert not any(each.ready for each in entrants)


class Told(Slow):
    """A solver with one answer, which notes how long it is given."""

    def __init__(self, name: str, answer: SolverAnswer) -> None:
        super().__init__(World(PERSON).module(), name, answer, 0.0)
        self.limits: list[int] = []

    def load(self, base: Callable[[Encoding], str]) -> None:
        """It knows."""

    def check(self, build: Build, timeout_ms: int) -> SolverAnswer:
        return self.ask(Query(""), timeout_ms)

    def ask(self, query: Query, timeout_ms: int) -> SolverAnswer:
        self.limits.append(timeout_ms)
        return super().ask(query, timeout_ms)


def dispatched(
    first: Sequence[SolverAnswer], second: SolverAnswer, limits: Limits
) -> tuple[CheckResult, list[Told], list[Told]]:
    """The result of a query, the first solvers, and those of the reserve, if it was called."""
    solvers = [Told(name, answer) for name, answer in zip(("z3", "cvc5"), first, strict=False)]
    reserve: list[Told] = []

    def called() -> Sequence[Told]:
        reserve.append(Told("cvc5-fmf", second))
        return reserve

    dispatcher = Dispatcher(solvers, Allowance.of(limits), called)
    dispatcher.start(lambda encoding: "")
    return dispatcher.ask("query", lambda encoding: Query("")), solvers, reserve


REASONS: tuple[Reason, ...] = get_args(Reason)


@pytest.mark.parametrize("rlimit", [None, 1_000])
@pytest.mark.parametrize("reason", REASONS)
def test_the_reserve_is_called_whyever_the_first_solver_gave_up(reason: Reason, rlimit: int | None) -> None:
    """[ROUTE-RACE] [ROUTE-DETERMINISTIC] With `rlimit` the first solver has all of the time for itself."""
    limits = Limits(check_ms=60_000, total_ms=600_000, rlimit=rlimit)
    gave_up = SolverAnswer("unknown", reason)
    result, (first,), reserve = dispatched([gave_up], SolverAnswer("unsat"), limits)
    assert (result.status, result.reason, len(reserve)) == ("unsat", None, 1)
    assert [(each.solver, each.status) for each in result.checks[:1]] == [("z3", "unknown")]
    assert result.checks[-1].solver == "cvc5-fmf"
    assert (first.limits[0] == 60_000) is (rlimit is not None)
    assert first.limits[0] <= 60_000 and 40_000 < reserve[0].limits[0] <= 60_000
    # Only where it had little time alone does it join in again.
    assert len(first.limits) <= (2 if reason == "timeout" and rlimit is None else 1)


@pytest.mark.parametrize("second", REASONS)
def test_a_race_that_nobody_wins_says_why(second: Reason) -> None:
    """[ROUTE-RACE]"""
    limits = Limits(check_ms=5_000)
    result, _, _ = dispatched([SolverAnswer("unknown", "crash")], SolverAnswer("unknown", second), limits)
    assert (result.status, result.reason) == ("unknown", second)
    assert [each.reason for each in result.checks] == ["crash", second]


@pytest.mark.parametrize("first", [("sat",), ("unsat",), ("sat", "unsat"), ("unknown", "unsat")])
def test_who_has_an_answer_or_contradicts_another_needs_no_reserve(first: tuple[Status, ...]) -> None:
    """[ROUTE-RACE] [VERDICT-DISAGREE]"""
    answers = [SolverAnswer(status, "incomplete" if status == "unknown" else None) for status in first]
    result, _, reserve = dispatched(answers, SolverAnswer("sat"), Limits())
    assert reserve == []
    if first == ("sat", "unsat"):
        assert (result.status, result.reason, result.disagreement) == ("unknown", "disagreement", True)
    else:
        assert (result.status, result.reason) == (first[-1], None)


@pytest.mark.parametrize(
    ("names", "agreed"),
    [(["z3"], False), (["z3", "cvc5"], True), (["cvc5", "cvc5-fmf"], False), (["z3", "cvc5-fmf"], True)],
)
def test_two_solvers_agree_where_they_are_two(names: list[str], agreed: bool) -> None:
    """[ROUTE-RACE] cvc5 is one solver, with finite model finding or without."""
    module = World(PERSON).module()
    answers = [(Slow(module, name, SolverAnswer("unsat"), 0.0), SolverAnswer("unsat")) for name in names]
    assert merge("claim", answers).agreed is agreed


class _Full(Liar):
    """Its memory is full after a large query."""

    def receive(self, deadline: Deadline) -> Message:
        request = self._requests.popleft()
        if request["op"] == "start":
            return {"failed": None}
        large = request["query"].text == "large"
        return {"answer": SolverAnswer("unknown", "memory") if large else SolverAnswer("sat")}


def test_a_worker_whose_memory_is_full_is_replaced_for_the_queries_that_are_left() -> None:
    """[LIMIT-MEMORY] Of queries that were sent at once each has its answer."""
    started: list[_Full] = []

    class Fulls(Liars):
        def checkout(self, command: Command) -> Process:
            started.append(_Full(command, "sat"))
            return started[-1]

    queries = [Query(text) for text in ("small", "large", "small", "large")]
    with SolverSession(Fulls(), "z3", "") as session:
        answers = [answer.reason for answer in session.ask_all(queries, 1_000)]
    assert answers == [None, "memory", None, "memory"]
    assert len(started) == 2


def test_a_session_cancelled_before_it_has_a_worker_asks_nothing() -> None:
    """[ROUTE-RACE] A race may be over while an entrant's worker is still starting."""
    with Workers() as workers:
        session = SolverSession(workers, "z3")
        checkout = workers.checkout

        def late(engine: str) -> Any:
            session.cancel()
            return checkout(engine)

        workers.checkout = late  # type: ignore[method-assign]
        began = time.monotonic()
        answer = session.ask(Query("(declare-const x Int)(assert (> (* x x x) 7))"), 60_000)
        assert (answer.status, answer.detail) == ("unknown", "cancelled")
        assert time.monotonic() - began < 30
        session.close()


@pytest.mark.parametrize("route", ["auto", "closure", "ground", "search"])
def test_sessions_have_the_answers_of_programs(route: RouteName) -> None:
    """[ROUTE-NAMES] Claims and assumptions that the program does not have are decided like its own."""
    source = {
        "constants": {"truths": {"sort": "Bool", "members": ["p", "q", "r"]}},
        "knowledge_base": ["p", "p -> q"],
        "verifications": [{"constraint": "p"}],
    }
    with potlang.compile(source).session(route=route) as session:
        for claim, verdict, core in (("q", "entailed", 2), ("not q", "refuted", 2), ("p", "entailed", 1)):
            (result,) = session.verify(claim).results
            assert (str(result.verdict), result.trust) == (verdict, "checked")
            # By grounding alone cores of what is no claim of the program are not made minimal.
            assert route == "ground" or len(result.evidence.core or ()) == core
        session.push("q -> r")
        assert [str(session.verify(claim).verdict) for claim in "rpq"] == ["entailed"] * 3


@pytest.mark.parametrize("route", ["ground", "closure", "auto"])
def test_who_alone_may_answer_makes_its_cores_minimal(route: RouteName) -> None:
    """[VERDICT-CORE] By checks of parts, which are checks of the claim as the first one is."""
    program = {
        "sorts": [{"name": "E", "type": "DeclareSort"}],
        "functions": [{"name": name, "domain": ["E"], "range": "BoolSort"} for name in "PQR"],
        "constants": {"es": {"sort": "E", "members": ["a", "b"]}},
        "knowledge_base": [
            "P(a)",
            "ForAll([x: E], Implies(P(x), Q(x)))",
            "ForAll([x: E], Implies(R(x), Q(x)))",
            "R(a)",
        ],
        "verifications": [{"constraint": "Q(a)"}, {"constraint": "Not(Q(a))"}],
    }
    for result in potlang.verify(program, route=route).results:
        assert result.evidence.core_minimal and len(result.evidence.core or ()) == 2
