"""Who checked what: tiers of verdicts, second opinions, and certificates of whole reports. [TIER-*]"""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from lying_solvers import Liars
from seed_programs import SEED, VERDICTS, verified
from verdict_programs import PERSON, World

import potlang
from potlang import certify
from potlang.engines.ground.grounding import Grounded, Grounder, Side
from potlang.engines.saturation.procedure import SaturationProcedure
from potlang.ir.nodes import Symbol
from potlang.ir.operators import MUL
from potlang.ir.sorts import INT
from potlang.ir.structure import FunctionTable, Structure
from potlang.ir.text import print_module
from potlang.ir.values import Element
from potlang.processes.pool import Workers
from potlang.prove import cross_check
from potlang.prove.evaluation import Evaluations
from potlang.prove.modelcheck import check_model
from potlang.prove.options import ProverOptions
from potlang.prove.prover import Prover
from potlang.report.results import Limits, Verdict

PROGRAMS = [path for path, verdict in VERDICTS.items() if verdict != "rejected"]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_seed_verdicts_have_tiers_and_certificates(path: Path) -> None:
    """[TIER-NAMES] [TIER-PIECE] Nothing rests on one solver's word, and the kernel accepts what is written
    of it.
    """
    program = potlang.compile(path)
    report = verified(path)
    assert {each.trust for each in report.results} <= {"checked", "cross-checked"}
    for result in report.results:
        assert result.assurances
        assert result.trust == max((each.tier for each in result.assurances), key=_worse)
    if report.optimization is not None and report.optimization.status == "optimal":
        assert report.optimization.trust == "cross-checked"
    assert report.certificate is not None
    outcome = certify.check(report.certificate, print_module(program.module))
    assert outcome.status in ("VALID", "VALID_WITH_HOLES"), outcome.message
    verdicts = [str(each.verdict) for each in report.results]
    if report.optimization is not None:
        verdicts.append(str(report.optimization.status))
    checked = all(each.trust == "checked" for each in report.results)
    assert (outcome.status == "VALID") == checked
    assert list(outcome.verdicts.values()) == verdicts


def _worse(tier: str) -> int:
    return ("checked", "cross-checked", "solver").index(tier)


def test_only_doubted_verdicts_are_checked_by_others() -> None:
    """[TIER-NAMES] The others rest on one solver's word, and say so."""
    program: dict[str, Any] = {
        "sorts": [],
        "variables": [{"name": "x", "sort": "IntSort"}],
        "knowledge_base": ["x > 3"],
        "verifications": [{"name": "so", "constraint": "x > 1"}, {"name": "open", "constraint": "x > 9"}],
    }
    module = potlang.compile(program).module
    with Prover(module, ProverOptions("z3", minimize_cores=False)) as prover:
        some = prover.verify(doubting=(Verdict.ENTAILED,))
        every = prover.verify()
    assert [each.trust for each in some] == ["checked", "solver"]
    assert [each.trust for each in every] == ["checked", "checked"]
    assert [each.verdict for each in some] == [each.verdict for each in every]


def test_what_cannot_be_evaluated_is_said_and_cross_checked() -> None:
    """[TIER-NAMES] [TIER-PIECE] A quantifier over all integers is beyond an evaluator."""
    program: dict[str, Any] = {
        "sorts": [],
        "variables": [{"name": "x", "sort": "IntSort"}],
        "knowledge_base": ["Exists([n: Int], And(n > x, 2 * n == x + 7))"],
        "verifications": [{"name": "open", "constraint": "x == 3"}],
    }
    result = potlang.verify(program).results[0]
    assert (result.verdict, result.trust) == (Verdict.UNDETERMINED, "cross-checked")
    assert all("not evaluated" in each.note for each in result.assurances)


def test_a_root_that_is_not_rational_has_a_second_opinion() -> None:
    """[ROUTE-SECOND] [TIER-PIECE] No evaluator takes the model, and cvc5 finds the root at once."""
    program: dict[str, Any] = {
        "variables": [{"name": "x", "sort": "RealSort"}],
        "knowledge_base": ["x * x == 2"],
        "verifications": [
            {"name": "above", "constraint": "x > 1"},
            {"name": "half", "constraint": "x != 1.5"},
        ],
    }
    above, half = potlang.verify(program).results
    assert (above.verdict, above.trust) == (Verdict.UNDETERMINED, "cross-checked")
    assert (half.verdict, half.trust) == (Verdict.ENTAILED, "cross-checked")
    assert {each.by for each in above.assurances} == {"z3, cvc5"}


def test_trust_solver_skips_the_checks() -> None:
    result = potlang.verify(PROGRAMS[0], trust="solver", route="z3").results[0]
    assert (result.trust, result.assurances) == ("solver", ())


def test_a_second_solver_that_contradicts_makes_the_verdict_unknown() -> None:
    """[VERDICT-DISAGREE] Both answers are listed, and text that reproduces them is there."""
    world = World(PERSON)
    a = world.constant("a", INT)
    world.claim("square", world.pool.eq(world.pool.app(MUL, (a, a)), world.pool.integer(10**9 + 7)))
    with Prover(world.module(), ProverOptions(), workers=Liars(z3="sat", cvc5="unsat")) as session:
        result = session.verify()[0]
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, "disagreement")
    assert {(check.solver, check.status) for check in result.checks} == {("z3", "sat"), ("cvc5", "unsat")}
    assert result.reproducer is not None
    assert result.reproducer.count("(check-sat)") == 4


def test_assumptions_that_contradict_each_other_are_refuted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many claims rest on it."""
    asked: list[Side] = []
    unsat = cross_check._Obligations.unsat

    def counted(work: Any, side: Side, core: Any) -> None:
        asked.append(side)
        unsat(work, side, core)

    monkeypatch.setattr(cross_check._Obligations, "unsat", counted)
    program = {
        "constants": {"numbers": {"sort": "Int", "members": ["x", "y"]}},
        "knowledge_base": ["x < 3", "x > 5"],
        "verifications": [{"constraint": f"y == {value}"} for value in range(4)],
    }
    compiled = potlang.compile(program)
    report = potlang.verify(compiled, certificate=True)
    assert [(str(each.verdict), each.trust) for each in report.results] == [("inconsistent", "checked")] * 4
    assert asked == ["assumptions"]
    assert report.certificate is not None
    assert certify.check(report.certificate, compiled.emit("ir", passes="")).status == "VALID"


def test_a_contradiction_without_a_core_is_one_of_all_assumptions(monkeypatch: pytest.MonkeyPatch) -> None:
    """[TIER-PIECE] The second solver is asked about all of them, and not about none."""
    check = cross_check.CrossChecker.check

    def without_core(checker: Any, state: Any, core: Any, assumptions: Any, model: Any) -> Any:
        return check(checker, state, None, assumptions, model)

    monkeypatch.setattr(cross_check.CrossChecker, "check", without_core)
    program = {
        "constants": {"numbers": {"sort": "Real", "members": ["x", "y"]}},
        "knowledge_base": ["x * x + y * y < 2 * x * y"],
        "verifications": [{"constraint": "x == 1"}],
    }
    (result,) = potlang.verify(program).results
    assert (result.verdict, result.trust) == (Verdict.INCONSISTENT, "cross-checked")


@pytest.mark.skipif(shutil.which("eprover") is None, reason="eprover is not installed")
def test_a_prover_is_asked_once_and_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind a short search for a ground refutation, and before the long ones."""
    asked: list[str] = []

    def grounded(*given: Any) -> Grounded:
        asked.append("ground")
        return Grounded("unknown", "not looked for")

    monkeypatch.setattr(Grounder, "refute", grounded)
    monkeypatch.setattr(SaturationProcedure, "refute", lambda *given: asked.append("prover"))
    program = {
        "constants": {"numbers": {"sort": "Real", "members": ["x", "y"]}},
        "verifications": [{"constraint": "x * y == y * x"}],
    }
    assert potlang.verify(program).results[0].trust == "cross-checked"
    assert asked == ["ground", "prover", "ground", "ground"]


def test_a_session_s_claims_are_checked_too() -> None:
    """Claims and assumptions that are in no program are put to the kernel in an slice_of of it."""
    program = potlang.compile(SEED / "02_cherokee_delegation.json")
    with program.session() as session:
        session.push("Not(oppose_allotment(cherokee_people))")
        clash = session.verify("send_delegation(cherokee_people)").results[0]
        session.pop()
        known = session.verify("oppose_allotment(cherokee_people)").results[0]
    assert (clash.verdict, clash.trust) == (Verdict.INCONSISTENT, "checked")
    assert (known.verdict, known.trust) == (Verdict.ENTAILED, "checked")


def test_an_assumption_true_before_is_evaluated_again_where_its_symbols_differ() -> None:
    """Evaluations remember by meaning: the same structure with one entry changed is judged anew."""
    world = World(PERSON)
    likes = world.function("likes", [PERSON])
    people = [world.constant(f"p{number}", PERSON) for number in range(60)]
    for number, person in enumerate(people):
        world.fact(f"fact {number}", world.app(likes, person))
    module = world.module()
    constants = {symbol: Element("Person", 0) for symbol in module.symbols if not symbol.domain}
    true = Structure({PERSON: 1}, {**constants, likes: FunctionTable({}, True)})
    false = Structure(
        {PERSON: 1}, {**constants, likes: FunctionTable({(Element("Person", 0),): False}, True)}
    )
    evaluations = Evaluations(module)
    assert evaluations.assumed(true).holds is True
    assert evaluations.assumed(Structure({PERSON: 1}, dict(true.functions))).holds is True
    # A predicate of which a structure says nothing is false there.
    assert evaluations.assumed(Structure({PERSON: 1}, constants)).holds is False
    assert evaluations.assumed(Structure({PERSON: 1}, dict(true.functions))).holds is True
    assert evaluations.assumed(false).holds is False


@pytest.mark.parametrize("seed", range(10))
def test_models_that_differ_in_little_are_judged_as_if_each_were_the_first(seed: int) -> None:
    """Whatever is remembered of the models before, an evaluation is what it is without memory."""
    rng = random.Random(seed)
    world = World(PERSON)
    unary = [world.function(f"p{number}", [PERSON]) for number in range(8)]
    terms = [world.constant(f"c{number}", PERSON) for number in range(8)]
    for number in range(60):
        atoms = [world.app(rng.choice(unary), rng.choice(terms)) for _ in range(3)]
        literal = world.pool.negate(atoms[0]) if rng.random() < 0.5 else atoms[0]
        world.fact(f"fact {number}", world.pool.disj((literal, *atoms[1:])))
    module = world.module()
    functions: dict[Symbol, object] = {
        symbol: FunctionTable({}, True) if symbol.domain else Element("Person", 0)
        for symbol in module.symbols
    }
    remembering, seen = Evaluations(module), set()
    for _ in range(200):
        symbol = rng.choice(module.symbols)
        if symbol.domain:
            entries = {(Element("Person", index),): rng.random() < 0.7 for index in range(3)}
            functions[symbol] = FunctionTable(entries, rng.random() < 0.7)
        else:
            functions[symbol] = Element("Person", rng.randrange(3))
        structure = Structure({PERSON: rng.choice((3, 3, 3, 4))}, dict(functions))
        expected = check_model(module, module.assertions, None, structure).holds
        assert remembering.assumed(structure).holds is expected
        seen.add(expected)
    assert seen == {True, False}


def test_a_session_s_memory_does_not_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Formulas of claims answered are forgotten; later claims are answered the same."""
    monkeypatch.setattr("potlang.languages.pot.program._RECYCLED", 10)
    program = potlang.compile(SEED / "02_cherokee_delegation.json")
    sizes = []
    with program.session(trust="solver") as session:
        for number in range(45):
            text = f"Or(oppose_allotment(cherokee_people), {number} == {number + 1})"
            assert session.verify(text).verdict is Verdict.ENTAILED
            if number % 10 == 9:
                sizes.append(sum(map(len, program.module.pool._apps.values())))
    assert len(set(sizes[1:])) == 1


def test_a_certificate_is_written_for_unknown_verdicts_too() -> None:
    program = potlang.compile(PROGRAMS[0])
    report = potlang.verify(program, limits=Limits(total_ms=0), certificate=True)
    assert report.verdict is Verdict.UNKNOWN
    outcome = certify.check(report.certificate or "", print_module(program.module))
    assert (outcome.status, outcome.open) == ("VALID_WITH_HOLES", ("v0",))


def test_the_report_names_who_stands_for_what() -> None:
    """[ROUTE-AUTO]"""
    value = json.loads(potlang.verify(PROGRAMS[1]).to_json())
    (result,) = value["results"]
    assert {each["tier"] for each in result["assurances"]} == {"checked"}
    assert result["route"] == "closure"


def test_second_opinions_keep_their_workers() -> None:
    """A session over many claims starts each solver once."""
    with Workers() as workers:
        program = potlang.compile(SEED / "10_scheduling.json")
        with program.session(workers=workers) as session:
            first = session.run()
        assert first.results
