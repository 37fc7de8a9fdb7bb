"""Verdicts and evidence on real solvers ([VERDICT-CORE], [VERDICT-MODEL], [VERDICT-REUSE])."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

import pytest
from lying_solvers import Liars
from verdict_programs import PERSON, World, mortals, symbol, term

import potlang
from potlang.engines.messages import Query, SolverAnswer
from potlang.engines.solver import SolverSession
from potlang.ir.module import Module
from potlang.ir.nodes import Symbol, SymbolKind
from potlang.ir.operators import LT, UNION
from potlang.ir.sorts import BOOL, INT, REAL, STRING, BitVecSort, EnumSort, SetSort, TupleSort
from potlang.processes.pool import Workers
from potlang.prove.options import ProverOptions
from potlang.prove.prover import Prover
from potlang.report.results import Consistency, Limits, ProgramResult, Verdict

Solve = Callable[..., ProgramResult]


@pytest.fixture(scope="module")
def solve(shared: Workers) -> Solve:
    def run(module: Module, limits: Limits = Limits(), **options: object) -> ProgramResult:
        with Prover(module, ProverOptions(**options), limits, workers=shared) as session:  # type: ignore[arg-type]
            return session.report()

    return run


def names(report: ProgramResult, index: int = 0) -> list[str]:
    core = report.results[index].evidence.core
    assert core is not None
    return [item.name for item in core]


@pytest.mark.parametrize("solver", ["z3", "cvc5", "both"])
def test_the_four_verdicts(solve: Solve, solver: str) -> None:
    world = mortals()
    mortal = term(world, "mortal", "socrates")
    world.claim("yes", mortal)
    world.claim("no", world.pool.negate(mortal))
    world.claim("open", term(world, "mortal", "bob"))
    report = solve(world.module(), route=solver)
    assert [each.verdict for each in report.results] == ["entailed", "refuted", "undetermined"]
    assert [each.paper_answer for each in report.results] == ["SAT", "UNSAT", "SAT"]
    assert report.verdict is Verdict.REFUTED
    assert report.consistency is Consistency.CONSISTENT
    assert names(report) == ["socrates is human", "humans are mortal"]
    assert report.results[0].evidence.core_minimal
    assert {each.trust for each in report.results} == {"checked"}


def test_a_core_has_pointer_and_text(solve: Solve) -> None:
    world = mortals()
    world.claim("yes", term(world, "mortal", "socrates"))
    item = solve(world.module()).results[0].evidence.core[0]  # type: ignore[index]
    assert (item.pointer, item.text, item.kind) == (
        "/fact/socrates is human",
        "text of socrates is human",
        "fact",
    )


def test_inconsistent_assumptions_settle_every_claim_at_once(solve: Solve) -> None:
    """[VERDICT-CHECKS]"""
    world = mortals()
    world.fact("not mortal", world.pool.negate(term(world, "mortal", "socrates")))
    for number in range(5):
        world.claim(f"claim {number}", term(world, "human", "bob"))
    report = solve(world.module())
    assert {each.verdict for each in report.results} == {Verdict.INCONSISTENT}
    assert {each.paper_answer for each in report.results} == {"UNSAT"}
    assert names(report) == names(report, 4) == ["socrates is human", "humans are mortal", "not mortal"]
    assert [len(each.checks) for each in report.results] == [2, 0, 0, 0, 0]
    assert report.verdict is Verdict.INCONSISTENT


def test_both_sides_of_an_open_claim_are_sent_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """[VERDICT-CHECKS] One trip to the solver, not two."""
    sent: list[int] = []
    ask_all = SolverSession.ask_all

    def recorded(self: SolverSession, queries: Sequence[Query], timeout_ms: int) -> Iterator[SolverAnswer]:
        sent.append(len(queries))
        return ask_all(self, queries, timeout_ms)

    monkeypatch.setattr(SolverSession, "ask_all", recorded)
    program = {
        "constants": {"numbers": {"sort": "Real", "members": ["x"]}},
        "knowledge_base": ["x > 1"],
        "verifications": [{"constraint": "x * x > 1"}, {"constraint": "x * x > 2"}],
    }
    found = potlang.verify(program, route="z3", trust="solver")
    assert [each.verdict for each in found.results] == [Verdict.ENTAILED, Verdict.UNDETERMINED]
    assert sent[0] == 2


def test_a_valid_claim_needs_no_assumptions(solve: Solve) -> None:
    world = mortals()
    human = term(world, "human", "bob")
    world.claim("either", world.pool.disj([human, world.pool.negate(human)]))
    assert names(solve(world.module())) == []


def test_two_models_show_what_the_claim_touches(solve: Solve) -> None:
    world = mortals()
    boss = world.function("boss", [PERSON], PERSON)
    bob = term(world, "bob")
    world.claim("own boss", world.pool.eq(world.app(boss, bob), bob))
    evidence = solve(world.module()).results[0].evidence
    assert evidence.could_be_true is not None and evidence.could_be_false is not None
    assert set(evidence.could_be_true) <= {"bob", "socrates", "boss(bob)", "boss(socrates)"}
    assert "bob" in evidence.could_be_true["boss(bob)"].split(" = ")
    assert "bob" not in evidence.could_be_false["boss(bob)"].split(" = ")


def test_full_models_show_every_symbol(solve: Solve) -> None:
    world = mortals()
    world.claim("open", term(world, "mortal", "bob"))
    evidence = solve(world.module(), models="full").results[0].evidence
    for model in (evidence.could_be_true, evidence.could_be_false):
        assert model is not None
        assert (model["age(bob)"], model["human(socrates)"]) == ("42", "True")


def test_models_of_the_earlier_claims_save_checks(solve: Solve) -> None:
    """Five options of which one is right cost a check each at most, and one more ([VERDICT-REUSE])."""
    colour = EnumSort("Colour", ("red", "green", "blue", "white", "black"))
    world = World(colour)
    car = world.constant("car", colour)
    world.fact("it is blue", world.pool.eq(car, world.pool.lit("blue", colour)))
    for value in colour.values:
        world.claim(value, world.pool.eq(car, world.pool.lit(value, colour)))
    report = solve(world.module(), route="z3")
    assert [each.verdict for each in report.results] == [
        "entailed" if value == "blue" else "refuted" for value in colour.values
    ]
    assert sum(len(each.checks) for each in report.results) <= 6


def test_evidence_from_a_reused_model_is_complete(solve: Solve) -> None:
    world = World()
    p, q = world.constant("p", BOOL), world.constant("q", BOOL)
    world.claim("p", p)
    world.claim("q", q)
    report = solve(world.module(), route="z3")
    assert sum(len(each.checks) for each in report.results) < 4
    for name, result in zip("pq", report.results, strict=True):
        assert result.verdict is Verdict.UNDETERMINED
        assert result.evidence.could_be_true is not None and result.evidence.could_be_false is not None
        assert result.evidence.could_be_true[name] == "True"
        assert result.evidence.could_be_false[name] == "False"


@pytest.mark.usefixtures("unhurried")
def test_many_open_claims_share_models(shared: Workers) -> None:
    """[VERDICT-FORESEEN] The verdicts are the same where nothing is foreseen, and the models are theirs."""
    world = World()
    pool = world.pool
    unknown = [world.constant(f"x{at}", INT) for at in range(24)]
    world.fact("one is known", pool.eq(unknown[3], pool.integer(2)))
    world.fact("one is bounded", pool.app(LT, (pool.integer(5), unknown[5])))
    above = [pool.app(LT, (pool.integer(at), each)) for at, each in enumerate(unknown)]
    steps = [pool.implies(*pair) for pair in pairwise(above)]
    for at, formula in enumerate([*above, *steps]):
        world.claim(f"claim {at}", formula)
    module = world.module()
    with Prover(module, workers=shared) as session:
        found = [*session.verify(module.claims[:1], []), *session.verify(module.claims[1:], [])]
    with Prover(module, workers=shared) as at_once:
        others = at_once.verify(module.claims, [])
    for result, other in zip(found, others, strict=True):
        assert (result.verdict, result.trust, other.trust) == (other.verdict, "checked", "checked")
        assert (result.evidence.could_be_true is None) == (other.evidence.could_be_true is None)
    for at, result in enumerate(found[:24]):
        if result.verdict is Verdict.UNDETERMINED:
            true, false = result.evidence.could_be_true, result.evidence.could_be_false
            assert true is not None and false is not None
            assert int(true[f"x{at}"]) > at >= int(false[f"x{at}"])
    assert sum(each.verdict is Verdict.UNDETERMINED for each in found) > 40
    few, many = (sum(len(each.checks) for each in results) for results in (found, others))
    assert 4 * few < 3 * many


def test_push_and_pop(shared: Workers) -> None:
    world = mortals()
    world.claim("open", term(world, "mortal", "bob"))
    more = world.assertion("bob is human", term(world, "human", "bob"))
    against = world.assertion("bob is not mortal", world.pool.negate(term(world, "mortal", "bob")))
    with Prover(world.module(), workers=shared) as session:
        before = session.verify()[0]
        session.push([more])
        within = session.verify()[0]
        session.push([against])
        conflict = session.verify()[0]
        session.pop()
        again = session.verify()[0]
        session.pop()
        after = session.verify()[0]
        with pytest.raises(IndexError):
            session.pop()
    assert [each.verdict for each in (before, within, conflict, again, after)] == [
        "undetermined",
        "entailed",
        "inconsistent",
        "entailed",
        "undetermined",
    ]
    assert within.evidence.core is not None
    assert [item.name for item in within.evidence.core] == ["humans are mortal", "bob is human"]


def test_a_program_that_asks_nothing(solve: Solve) -> None:
    """[VERDICT-ACTIONS]"""
    world = mortals()
    report = solve(world.module())
    assert (report.verdict, report.consistency) == (Verdict.ENTAILED, Consistency.CONSISTENT)
    assert report.notes == ("the program asks nothing",)
    world.fact("not human", world.pool.negate(term(world, "human", "socrates")))
    conflict = solve(world.module())
    assert conflict.verdict is Verdict.INCONSISTENT
    assert conflict.evidence.core is not None
    assert [item.name for item in conflict.evidence.core] == ["socrates is human", "not human"]
    assert solve(world.module("optimize")).verdict is Verdict.ENTAILED


def test_a_hanging_check_leaves_the_rest_of_the_report(solve: Solve) -> None:
    """[VERDICT-UNKNOWN] Nonlinear integers that no solver settles at once; the claims around them are
    still decided.
    """
    from potlang.ir.operators import ADD, LT, MUL

    world = mortals()
    pool = world.pool
    a, b, c = (world.constant(name, INT) for name in "abc")
    cube = [pool.app(MUL, (each, each, each)) for each in (a, b, c)]
    hard = pool.eq(pool.app(ADD, tuple(cube)), pool.integer(114))
    world.claim("first", term(world, "mortal", "socrates"))
    far = pool.app(LT, (pool.integer(10**9), a))
    world.claim("hard", pool.conj([hard, far]))
    world.claim("last", term(world, "human", "bob"))
    report = solve(world.module(), Limits(check_ms=1_000, total_ms=60_000))
    assert [each.verdict for each in report.results] == ["entailed", "unknown", "undetermined"]
    unknown = report.results[1]
    assert unknown.reason in ("timeout", "incomplete")
    assert unknown.possible == (Verdict.REFUTED, Verdict.UNDETERMINED)
    assert unknown.paper_answer is None
    assert {check.query for check in unknown.checks if check.status == "unknown"} == {"claim"}


def test_no_time_at_all_gives_unknowns(solve: Solve) -> None:
    """[LIMIT-TOTAL]"""
    world = mortals()
    world.claim("yes", term(world, "mortal", "socrates"))
    report = solve(world.module(), Limits(total_ms=0))
    result = report.results[0]
    assert (report.verdict, result.reason) == (Verdict.UNKNOWN, "timeout")
    assert set(result.possible) == {"entailed", "refuted", "undetermined", "inconsistent"}


def test_solvers_that_disagree_are_both_reported() -> None:
    """[VERDICT-BOTH]"""
    world = mortals()
    world.claim("yes", term(world, "mortal", "socrates"))
    options = ProverOptions(route="both")
    with Prover(world.module(), options, workers=Liars(z3="sat", cvc5="unsat")) as session:
        result = session.verify()[0]
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, "disagreement")
    assert result.paper_answer is None
    assert {(check.solver, check.status) for check in result.checks} == {("z3", "sat"), ("cvc5", "unsat")}


def test_one_solver_that_gives_up_leaves_the_other_its_word() -> None:
    """[VERDICT-BOTH] [TIER-NAMES]"""
    world = mortals()
    world.claim("open", term(world, "mortal", "bob"))
    options = ProverOptions(route="both")
    with Prover(world.module(), options, workers=Liars(z3="unknown", cvc5="sat")) as session:
        result = session.verify()[0]
    assert (result.verdict, result.trust) == (Verdict.UNDETERMINED, "solver")


def test_no_name_is_printed_twice(solve: Solve) -> None:
    """Names that are no identifiers are written in backquotes, and stay apart."""
    world = World(PERSON)
    odd = world.constant("a = b", PERSON)
    likes = world.function("is | fond of", [PERSON])
    world.claim("odd", world.app(likes, odd))
    model = solve(world.module()).results[0].evidence.could_be_true
    assert model == {"`is | fond of`(`a = b`)": "True"}


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_values_of_every_sort_are_in_the_programs_words(solve: Solve, solver: str) -> None:
    pair = TupleSort("Pair", (("left", INT), ("right", BOOL)))
    world = World(PERSON, pair)
    pool = world.pool
    half, word, bits = world.constant("half", REAL), world.constant("word", STRING), BitVecSort(4)
    flags, both = world.constant("flags", bits), world.constant("both", pair)
    ann = world.constant("ann", PERSON)
    who = world.constant("who", PERSON, SymbolKind.FREE)
    made = Symbol("Pair", (INT, BOOL), pair, SymbolKind.CONSTRUCTOR)
    parts = [
        pool.eq(half, pool.real(Fraction(-1, 2))),
        pool.eq(word, pool.lit('say "a"', STRING)),
        pool.eq(flags, pool.lit(5, bits)),
        pool.eq(both, pool.app(made, (pool.integer(-3), pool.true))),
        pool.eq(who, ann),
    ]
    world.claim("all", pool.conj(parts))
    model = solve(world.module(), route=solver).results[0].evidence.could_be_true
    assert model == {
        "half": "-0.5",
        "word": '"say \\"a\\""',
        "flags": "#b0101",
        "both": "Pair(-3, True)",
        "who": "ann",
    }


def test_what_a_solver_cannot_be_told_is_unknown_and_says_so(solve: Solve) -> None:
    """cvc5 has no union of sets of integers as arrays; z3 answers, and its word alone is trusted."""
    world = World()
    numbers = SetSort(INT)
    a, b = world.constant("a", numbers), world.constant("b", numbers)
    small = world.function("small", [numbers])
    unions = [world.app(small, world.pool.app(UNION, pair)) for pair in ((a, b), (b, a))]
    world.claim("commutes", world.pool.implies(*unions))
    world.claim("other", world.app(small, a))
    alone, other = solve(world.module(), route="cvc5").results
    assert (alone.verdict, alone.reason) == (Verdict.UNKNOWN, "unsupported")
    assert other.verdict is Verdict.UNDETERMINED
    world.claims.reverse()
    assert solve(world.module(), route="cvc5").results[0].verdict is Verdict.UNDETERMINED
    world.claims.reverse()
    both = solve(world.module(), route="both").results[0]
    assert (both.verdict, both.trust) == (Verdict.ENTAILED, "solver")


def test_large_bases_have_cores_too(solve: Solve) -> None:
    """Beyond 2,000 assumptions the core is asked for apart."""
    world = mortals()
    human = symbol(world, "human")
    for number in range(2_100):
        world.fact(f"fact {number}", world.app(human, world.constant(f"c{number}", PERSON)))
    world.claim("yes", term(world, "mortal", "c2099"))
    world.claim("no", world.pool.negate(term(world, "mortal", "socrates")))
    world.claim("open", world.pool.eq(term(world, "c0"), term(world, "c1")))
    report = solve(world.module())
    assert [each.verdict for each in report.results] == ["entailed", "refuted", "undetermined"]
    assert names(report) == ["humans are mortal", "fact 2099"]
    assert names(report, 1) == ["socrates is human", "humans are mortal"]
    assert report.results[2].evidence.could_be_true == {"c0": "c1", "c1": "c0"}
    assert report.results[2].evidence.could_be_false == {}
