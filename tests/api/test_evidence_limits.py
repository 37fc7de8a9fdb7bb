"""Rules on checks, evidence and diagnostics, shown through the public interface alone."""

from __future__ import annotations

from typing import Any

import pytest

import potlang
from potlang import Verdict
from potlang.ir.module import Assertion, AssertionKind, Module
from potlang.passes.simplify import Simplify


def people(count: int, facts: list[str], claims: list[str]) -> dict[str, Any]:
    """A program over `count` people and predicates `p` and `q`."""
    return {
        "sorts": [{"name": "Person", "type": "DeclareSort"}],
        "functions": [{"name": name, "domain": ["Person"], "range": "Bool"} for name in "pq"],
        "constants": {"people": {"sort": "Person", "members": [f"c{at}" for at in range(count)]}},
        "knowledge_base": facts,
        "verifications": [{"name": f"v{at}", "constraint": claim} for at, claim in enumerate(claims)],
    }


def test_claims_that_follow_are_decided_together_if_the_solver_is_trusted() -> None:
    """[VERDICT-TOGETHER]: the negations of all claims but the first are one check."""
    facts = [f"Or(p(c{at}), q(c{at}))" for at in range(30)] + [f"Not(q(c{at}))" for at in range(30)]
    claims = [f"p(c{at})" for at in range(30)]
    report = potlang.verify(people(30, facts, claims), trust="solver", route="z3")
    assert {each.verdict for each in report.results} == {Verdict.ENTAILED}
    first, *others = (each.checks[-1] for each in report.results)
    assert "together" not in first.detail
    assert {each.detail for each in others} == {"together with 28 other claims"}
    mixed = potlang.verify(people(30, facts[:-1], claims), trust="solver", route="z3")
    assert [each.verdict for each in mixed.results] == [*[Verdict.ENTAILED] * 29, Verdict.UNDETERMINED]


def test_second_opinions_come_from_the_other_solver() -> None:
    """[ROUTE-SECOND]: a model that cannot be evaluated needs one."""
    program = {
        "variables": [{"name": "x", "sort": "IntSort"}],
        "knowledge_base": ["Exists([n: Int], And(n > x, 2 * n == x + 7))"],
        "verifications": [{"name": "open", "constraint": "x == 3"}],
    }
    for route, other in (("z3", "cvc5"), ("cvc5", "z3")):
        (result,) = potlang.verify(program, route=route).results
        assert {each.status for each in result.assurances} == {"sat"}
        assert all(other in each.by for each in result.assurances), result.assurances
    (result,) = potlang.verify(people(1, ["p(c0)"], ["p(c0)"]), route="closure").results
    assert "cvc5" not in str(result.assurances) and "z3" not in str(result.assurances)


def test_a_pass_that_changes_the_meaning_gets_no_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    """[TIER-PROGRAM]: the kernel and the evaluator see the program as it was compiled."""
    program = people(2, ["p(c0)"], ["p(c1)"])
    sound = potlang.verify(program).results[0]
    assert (sound.verdict, sound.trust) == (Verdict.UNDETERMINED, "checked")
    run = Simplify.run

    def wrong(self: Simplify, module: Module) -> Module:
        found = run(self, module)
        more = Assertion("more", "more", AssertionKind.FACT, found.claims[0].formula)
        return type(found)(
            **{
                name: getattr(found, name) if name != "assertions" else (*found.assertions, more)
                for name in found.__dataclass_fields__
            }
        )

    monkeypatch.setattr(Simplify, "run", wrong)
    found = potlang.verify(program, route="z3").results[0]
    assert (found.verdict, found.trust) != (sound.verdict, "checked")
    assert found.trust != "checked"


def test_of_very_many_assumptions_the_core_is_proved() -> None:
    """[TIER-LARGE]: beyond 2,000 assumptions too, an entailed claim has a minimal core and a proof."""
    facts = [f"p(c{at})" for at in range(2_500)] + ["ForAll([x: Person], Implies(p(x), q(x)))"]
    (result,) = potlang.verify(people(2_500, facts, ["q(c7)"]), route="z3").results
    assert (result.verdict, result.trust) == (Verdict.ENTAILED, "checked")
    assert result.evidence.core is not None and result.evidence.core_minimal
    assert [item.text for item in result.evidence.core] == [facts[7], facts[-1]]


def test_a_model_shows_at_most_two_hundred_terms() -> None:
    """[LIMIT-MODEL]"""
    numbers = {"sort": "IntSort", "members": [f"x{at}" for at in range(300)]}
    program = {"constants": {"numbers": numbers}, "verifications": [{"name": "v", "constraint": "x0 == 1"}]}
    (result,) = potlang.verify(program, models="full").results
    shown = result.evidence.could_be_true
    assert shown is not None and len(shown) == 200


def test_very_many_members_leave_room_for_what_is_said_of_them() -> None:
    """[VERDICT-MODEL], [LIMIT-MODEL]: members have no lines of their own, and functions over them have."""
    program = people(300, ["p(c0)"], ["p(c1)"])
    (result,) = potlang.verify(program, models="full").results
    true, false = result.evidence.could_be_true, result.evidence.could_be_false
    assert true is not None
    assert false is not None
    assert (true["p(c0)"], true["p(c1)"], false["p(c1)"]) == ("True", "True", "False")


def test_members_with_two_names_are_shown_beside_functions() -> None:
    """[VERDICT-MODEL]: of very many members too, those that denote one element have a line."""
    program = people(300, ["p(c0)", "c0 == c1"], ["p(c2)"])
    (result,) = potlang.verify(program, models="full").results
    shown = result.evidence.could_be_true
    assert shown is not None
    assert "c1" in shown["c0"]
    assert "p(c0)" in shown
    assert len(shown) <= 200


@pytest.mark.slow
def test_at_most_sixty_four_pareto_points_are_listed() -> None:
    """[LIMIT-PARETO]"""
    program = {
        "variables": [{"name": name, "sort": "IntSort"} for name in "xy"],
        "optimization": {
            "variables": [],
            "constraints": ["x >= 0", "y >= 0", "x + y <= 70"],
            "objectives": [{"expression": name, "type": "maximize"} for name in "xy"],
            "mode": "pareto",
        },
        "actions": ["optimize"],
    }
    found = potlang.verify(program).optimization
    assert found is not None and found.points is not None
    assert (len(found.points), found.complete) == (64, False)
    assert all(sum(map(int, point.values)) == 70 for point in found.points)
    assert len({point.values for point in found.points}) == 64


def test_all_cores_of_very_many_assumptions_are_not_looked_for() -> None:
    """[LIMIT-CORES]"""
    for count, complete in ((5, True), (2_000, False)):
        facts = [f"p(c{at})" for at in range(count)] + ["Not(p(c0))"]
        (result,) = potlang.verify(people(count, facts, ["q(c0)"]), cores="all").results
        assert result.verdict is Verdict.INCONSISTENT
        assert (result.evidence.cores_complete, result.evidence.corrections_complete) == (complete, complete)


def test_one_mistake_is_one_diagnostic() -> None:
    """[DIAG-LIST-2]: an undeclared name has its other uses as labels, and what depends on it is no error."""
    program = people(1, ["p(nobody)", "And(q(nobody), p(c0))", "Implies(p(nobody), q(c0) + 1 == 2)"], [])
    found = potlang.check(program).diagnostics
    undeclared = [each for each in found if each.code == "POT2001"]
    assert len(undeclared) == 1
    assert [label.place.pointer for label in undeclared[0].labels] == [
        f"/knowledge_base/{at}" for at in range(3)
    ]
    alone = potlang.check(people(1, ["unknown_function(nobody_at_all) + 1"], [])).diagnostics
    assert {each.code for each in alone} <= {"POT2001", "POT2002"}


@pytest.mark.parametrize("name", ["origin", "vars", "defs"])
def test_names_of_the_textual_form_are_names_of_functions(name: str) -> None:
    """[IR-TEXT-3]: certificates are checked against the text, in which a fact may begin with any name."""
    facts = [f"{name}(c0)", f"ForAll([x: Person], Implies({name}(x), q(x)))"]
    program = people(2, facts, ["q(c0)"])
    program["functions"].append({"name": name, "domain": ["Person"], "range": "Bool"})
    (result,) = potlang.verify(program).results
    assert (result.verdict, result.trust) == (Verdict.ENTAILED, "checked")
