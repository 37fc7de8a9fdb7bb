"""Scenarios: the elements for which a quantified claim holds or fails, and what is so of them."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

import jsonschema
import pytest

import potlang
from potlang.ir.nodes import Quant
from potlang.languages.pot.report import Report
from potlang.report.results import Result, Scenario
from potlang.utils.resources import schema

DECLARED: dict[str, Any] = {
    "sorts": [
        {"name": "Item", "type": "DeclareSort"},
        {"name": "Colour", "type": "EnumSort", "values": ["red", "green", "blue"]},
    ],
    "functions": [
        {"name": "p", "domain": ["Item"], "range": "Bool"},
        {"name": "q", "domain": ["Item"], "range": "Bool"},
        {"name": "r", "domain": ["Item", "Item"], "range": "Bool"},
        {"name": "days", "domain": ["Item"], "range": "Int"},
        {"name": "fee", "domain": ["Item"], "range": "Real"},
        {"name": "colour", "domain": ["Item"], "range": "Colour"},
        {"name": "next", "domain": ["Item"], "range": "Item"},
        {"name": "even", "domain": ["Int"], "range": "Bool"},
        {"name": "total", "domain": ["Item"], "range": "Int", "params": [{"name": "z", "sort": "Item"}],
         "body": "days(z) + limit"},
    ],
}  # fmt: skip
SORTS = {"x": "Item", "y": "Item", "n": "Int", "m": "Int", "k": "Colour", "b": "Bool"}


def atom(random: Random, variables: list[str]) -> str:
    """An atom in which the variables may occur."""
    items = [each for each in variables if SORTS[each] == "Item"] or ["a"]
    numbers = [each for each in variables if SORTS[each] == "Int"] + ["limit"]
    colours = [each for each in variables if SORTS[each] == "Colour"] + ["red", "blue"]
    item, other = random.choice(items), random.choice([*items, "a"])
    number = random.choice([*numbers, f"days({item})", f"total({other})"])
    forms = [
        *(f"p({item})", f"q({item})", f"r({item}, {other})", f"p(next({item}))", f"{item} == {other}"),
        f"days({item}) {random.choice(['<', '>=', '=='])} {random.randint(-3, 60)}",
        f"fee({item}) <= {random.choice(['99.5', '1/3', '10'])}",
        f"colour({item}) == {random.choice(colours)}",
        f"even({number} + 1)",
        f"{number} > {random.randint(-50, 50)}",
    ]
    return random.choice([*forms, *(each for each in variables if SORTS[each] == "Bool")])


def formula(random: Random, variables: list[str], depth: int) -> str:
    """A formula without quantifiers."""
    if depth == 0:
        return atom(random, variables)
    one, other = (formula(random, variables, depth - 1) for _ in range(2))
    shape = random.choice(["({} and {})", "({} or {})", "({} -> {})", "({} <-> {})", "(not {})"])
    return shape.format(one, other)


def drawn_program(random: Random) -> dict[str, Any]:
    """A program with general rules and one quantified claim."""
    variables = random.sample(list(SORTS), random.choice([1, 1, 2]))
    kind = random.choice(["forall", "exists"])
    binders = [{"name": each, "sort": SORTS[each]} for each in variables]
    rule = [{"name": "x", "sort": "Item"}]
    rules = [
        {"forall": rule, "constraint": formula(random, ["x"], random.choice([1, 2]))}
        for _ in range(random.choice([0, 1, 2]))
    ]
    constants = [
        {"name": "items", "sort": "Item", "members": ["a", "c"]},
        {"name": "numbers", "sort": "Int", "members": ["limit"]},
    ]
    claim = {
        "name": "claim",
        kind: binders,
        "constraint": formula(random, variables, random.choice([1, 2, 3])),
    }
    facts = [atom(random, []) for _ in range(random.choice([0, 1, 2]))]
    parts = {"constants": constants, "knowledge_base": facts, "rules": rules, "verifications": [claim]}
    return {**DECLARED, **parts}


def pinned(program: dict[str, Any], scenario: Scenario, *, with_rules: bool) -> dict[str, Any]:
    """The claim's instance over constants that have the scenario's values, and nothing else but the rules."""
    facts: list[str] = []
    sorts = {each.name: each.sort for each in scenario.witness}
    # Different names are different things, unless a value says otherwise.
    spoken = re.findall(r"\w+", " ".join([program["verifications"][0]["constraint"], *scenario.values]))
    items = {"a", "c"}.intersection(spoken) - set(scenario.values)
    for variable in scenario.witness:
        if variable.sort == "Item":
            items.add(variable.value)
        facts.append(f"{variable.name} == {variable.value}")
    for term, value in scenario.values.items():
        if value.startswith("item_"):
            items.add(value)
        facts.append({"True": term, "False": f"not ({term})"}.get(value, f"{term} == {value}"))
    sorts |= dict.fromkeys(items - {"a", "c"}, "Item")
    facts.append(f"Distinct({', '.join(sorted(items))})")
    groups = [{"name": name, "sort": sort, "members": [name]} for name, sort in sorts.items()]
    claim = program["verifications"][0]["constraint"]
    return {
        **program,
        "constants": [*program["constants"], *groups],
        "knowledge_base": facts + (program["knowledge_base"] if with_rules else []),
        "rules": program["rules"] if with_rules else [],
        "verifications": [{"name": "instance", "constraint": claim}],
    }


def checked(program: dict[str, Any]) -> str | None:
    """The claim's quantifier, if it is undetermined; the scenario's values alone must decide the instance."""
    compiled = potlang.compile(program, language="pot")
    claim = compiled.module.claims[0].formula
    (result,) = potlang.verify(compiled).results
    if result.verdict != "undetermined" or not isinstance(claim, Quant):
        return None
    evidence = result.evidence
    fails = claim.kind == "forall"
    scenario, verdict = (
        (evidence.false_scenario, "refuted") if fails else (evidence.true_scenario, "entailed")
    )
    assert scenario is not None, json.dumps(program)
    # Binders that do not occur in the formula are no part of it.
    assert {each.name for each in scenario.witness} == {var.name for var in claim.binders}, json.dumps(
        program
    )
    for with_rules in (False, True):
        again = potlang.verify(pinned(program, scenario, with_rules=with_rules), trust="solver")
        assert again.verdict == verdict, (with_rules, json.dumps(program), scenario)
    return claim.kind


def check_many(seed: int, count: int) -> dict[str | None, int]:
    random = Random(seed)
    found: dict[str | None, int] = {}
    while found.get("forall", 0) + found.get("exists", 0) < count:
        kind = checked(drawn_program(random))
        found[kind] = found.get(kind, 0) + 1
    return found


def test_values_shown_decide_the_instance() -> None:
    """[VERDICT-SCENARIO] A program of the values shown and nothing else decides the claim's instance."""
    found = check_many(1, 25)
    assert found["forall"] > 5 and found["exists"] > 5


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_values_shown_decide_the_instance_deeply(seed: int) -> None:
    """[VERDICT-SCENARIO]"""
    check_many(100 + seed, 100)


def only(report: Report) -> Result:
    (result,) = report.results
    jsonschema.validate(report.to_dict(), schema("report-1"))
    return result


RENT: dict[str, Any] = {
    "sorts": [{"name": "Person", "type": "DeclareSort"}],
    "functions": [
        {"name": "age", "domain": ["Person"], "range": "Int"},
        {"name": "may_rent", "domain": ["Person"], "range": "Bool"},
        {"name": "licensed", "domain": ["Person"], "range": "Bool"},
        {"name": "banned", "domain": ["Person"], "range": "Bool"},
    ],
    "rules": [
        {
            "forall": [{"name": "p", "sort": "Person"}],
            "constraint": "licensed(p) and age(p) >= 19 and not banned(p) -> may_rent(p)",
        }
    ],
}
OLD = {
    "forall": [{"name": "x", "sort": "Person"}],
    "constraint": "licensed(x) and age(x) >= 18 -> may_rent(x)",
}


def test_what_the_rules_speak_of_is_shown_too() -> None:
    """[VERDICT-SCENARIO]"""
    result = only(potlang.verify({**RENT, "verifications": [OLD]}))
    scenario = result.evidence.false_scenario
    assert scenario is not None
    assert scenario.witness == (("x", "Person", "person_1", False),)
    assert set(scenario.values) == {"licensed(x)", "age(x)", "may_rent(x)", "banned(x)"}
    assert (scenario.values["licensed(x)"], scenario.values["may_rent(x)"]) == ("True", "False")
    other = result.evidence.true_scenario
    assert other is not None
    assert scenario.differs == other.differs != ()
    text = potlang.verify({**RENT, "verifications": [OLD]}).render()
    assert re.search(r"could be false, for example for some Person x with \*?licensed\(x\), ", text)
    assert "not may_rent(x)" in text


def test_a_rule_is_shown_where_its_condition_is_met(monkeypatch: pytest.MonkeyPatch) -> None:
    """[VERDICT-SCENARIO-MEANT] True of nothing, a claim would be shown by one whom it does not speak of."""
    monkeypatch.setattr("potlang.prove.scenarios._MEET_MS", 10_000.0)
    for constants in ({}, {"people": {"sort": "Person", "members": ["ann"]}}):
        report = potlang.verify({**RENT, "constants": constants, "verifications": [OLD]})
        true = only(report).evidence.true_scenario
        assert true is not None
        assert true.values["licensed(x)"] == true.values["may_rent(x)"] == "True"
        assert int(true.values["age(x)"]) >= 18
    # Where nothing can meet the condition, the claim still has its scenario.
    never = {**OLD, "constraint": "licensed(x) and not licensed(ann) and x == ann -> may_rent(x)"}
    either = {**OLD, "constraint": "banned(x) or banned(ann)"}
    program = {**RENT, "constants": constants, "verifications": [never, either]}
    first, second = potlang.verify(program).results
    assert first.verdict == "entailed" and second.evidence.true_scenario is not None


@pytest.mark.parametrize("trust", ["best", "solver"])
def test_elements_have_one_name_in_scenarios_and_models(trust: Any) -> None:
    """[VERDICT-SCENARIO] [VERDICT-MODEL] And text calls those by their variables that have one."""
    program = {
        "sorts": [{"name": "Person", "type": "DeclareSort"}],
        "functions": [
            {"name": "chief", "domain": [], "range": "Person"},
            {"name": "knows", "domain": ["Person", "Person"], "range": "Bool"},
            {"name": "boss", "domain": ["Person"], "range": "Person"},
        ],
        "constants": {"people": {"sort": "Person", "members": ["ann", "person_1"]}},
        "knowledge_base": ["boss(ann) != ann", "boss(ann) != person_1", "ann != person_1"],
        "verifications": [{"constraint": "ForAll([x: Person], knows(x, boss(ann)))"}],
    }
    report = potlang.verify(program, trust=trust)
    evidence = only(report).evidence
    for scenario, model in (
        (evidence.true_scenario, evidence.could_be_true),
        (evidence.false_scenario, evidence.could_be_false),
    ):
        assert scenario is not None and model is not None
        assert model["boss(ann)"] == scenario.values.get("boss(ann)", model["boss(ann)"])
        assert "#" not in str(model) and model["boss(ann)"] not in ("ann", "person_1")


@pytest.mark.parametrize("trust", ["best", "solver"])
@pytest.mark.parametrize("route", ["auto", "z3", "cvc5"])
def test_two_constants_for_one_element_are_said_to_be(trust: Any, route: Any) -> None:
    """[VERDICT-MODEL] Without it, at most one would seem to be banned where both are."""
    program = {
        **RENT,
        "constants": {"people": {"sort": "Person", "members": ["ann", "bob"]}},
        "knowledge_base": ["banned(ann)", "banned(bob)"],
        "verifications": [{"constraint": "AtMost(1, [x: Person], banned(x))"}],
    }
    true = only(potlang.verify(program, trust=trust, route=route)).evidence.could_be_true
    assert true == {"banned(ann)": "True", "banned(bob)": "True", "bob": "ann"}
    apart = {**program, "semantics": {"unique_names": True}}
    evidence = only(potlang.verify(apart, trust=trust, route=route)).evidence
    assert "bob" not in (evidence.could_be_true or {}) and "bob" not in (evidence.could_be_false or {})


def test_only_scenarios_of_one_solver_are_not_checked() -> None:
    """[VERDICT-SCENARIO-SOLVER] [VERDICT-LEGEND]"""
    program = {**RENT, "verifications": [OLD]}
    unchecked = potlang.verify(program, trust="solver")
    scenario = only(unchecked).evidence.false_scenario
    assert scenario is not None and scenario.values["may_rent(x)"] == "False"
    assert unchecked.render().count("(not checked)") == 2
    checked = potlang.verify({**program, "verifications": [OLD, {**OLD, "name": "again"}]}).render()
    assert "(not checked)" not in checked
    assert checked.count("different in the other example") == 1
    facts = {**program, "verifications": [{"constraint": "True"}]}
    assert "different" not in potlang.verify(facts).render()


def test_what_differs_is_shown_of_long_models_too() -> None:
    """[VERDICT-LEGEND] The claim's own value stands behind 30 others."""
    program = {
        "functions": [
            {"name": name, "domain": [], "range": "Bool"} for name in [*(f"p{n}" for n in range(30)), "last"]
        ],
        "knowledge_base": [f"p{n}" for n in range(30)],
        "verifications": [{"constraint": "last"}],
    }
    text = potlang.verify(program, models="full").render()
    assert text.count("   * last = ") == 2 and text.count("… 11 more") == 2


def test_dates_and_money_are_shown_as_such() -> None:
    """[QTY-SHOWN] Of variables and of functions, in each scenario."""
    program = {
        "sorts": [{"name": "Loan", "type": "DeclareSort"}],
        "functions": [
            {"name": "due", "domain": ["Loan"], "range": "Date"},
            {"name": "fee", "domain": ["Loan"], "range": "Money(EUR)"},
            {"name": "open", "domain": ["Date"], "range": "Bool"},
        ],
        "verifications": [
            {"constraint": "ForAll([x: Loan], due(x) > 2025-01-20 -> fee(x) >= €50)"},
            {"constraint": "ForAll([d: Date], d > 2025-01-20 -> open(d))"},
        ],
    }
    first, second = potlang.verify(program).results
    for scenario in (first.evidence.true_scenario, first.evidence.false_scenario):
        assert scenario is not None
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", scenario.values["due(x)"])
        assert scenario.values["fee(x)"].endswith(" EUR")
    failing = second.evidence.false_scenario
    assert failing is not None
    ((name, sort, value, _),) = failing.witness
    assert (name, sort) == ("d", "Date") and value > "2025-01-20"
    words = potlang.verify(program, words=True).words()
    assert f"d is {value}" in words


def test_norms_and_refuted_claims_have_a_counterexample() -> None:
    """[VERDICT-SCENARIO]"""
    norm = {**OLD, "role": "norm"}
    found = potlang.verify({**RENT, "rules": [*RENT["rules"], norm]}).results[0]
    assert found.kind == "norm" and found.evidence.false_scenario is not None
    facts = ["Exists([x: Person], licensed(x) and age(x) == 18 and not may_rent(x))"]
    refuted = only(potlang.verify({**RENT, "knowledge_base": facts, "verifications": [OLD]}))
    assert refuted.verdict == "refuted" and refuted.evidence.true_scenario is None
    assert refuted.evidence.false_scenario is not None
    assert refuted.evidence.false_scenario.values["age(x)"] == "18"


def test_a_macro_shows_its_inputs() -> None:
    """[VERDICT-MODEL]"""
    program = {
        "functions": [
            {"name": "a", "domain": [], "range": "Int"},
            {"name": "b", "domain": [], "range": "Int"},
            {"name": "total", "domain": [], "range": "Int", "params": [], "body": "a + b"},
        ],
        "knowledge_base": ["a > 0", "b > 0"],
        "verifications": [{"name": "small", "constraint": "total < 5"}],
    }
    false = only(potlang.verify(program)).evidence.could_be_false
    assert false is not None and set(false) == {"total", "a", "b"}
    assert int(false["a"]) + int(false["b"]) == int(false["total"]) >= 5


@pytest.mark.parametrize(
    ("claim", "names", "side"),
    [
        ("ForAll([x: Person], Exists([y: Person], banned(y) and licensed(x)))", ["x"], "false"),
        ("Exists([x: Person], ForAll([y: Person], age(x) < age(y) or x == y) and banned(x))", ["x"], "true"),
        ("ForAll([n: Int], n > 3 -> Exists([x: Person], banned(x)))", ["n"], "false"),
        ("licensed(ann) -> ForAll([x: Person, y: Person], age(x) < age(y))", ["x", "y"], "false"),
        ("not Exists([x: Person], banned(x))", ["x"], "false"),
        ("ForAll([x: Person], banned(x)) and Exists([x: Person], licensed(x))", ["x"], "true"),
        ("ForAll([x: Person], banned(x)) <-> Exists([y: Person], licensed(y))", ["x"], "false"),
    ],
)
def test_quantifiers_inside(claim: str, names: list[str], side: str) -> None:
    """[VERDICT-SCENARIO]"""
    constants = {"people": {"sort": "Person", "members": ["ann"]}}
    result = only(potlang.verify({**RENT, "constants": constants, "verifications": [{"constraint": claim}]}))
    assert result.verdict == "undetermined"
    scenario = result.evidence.false_scenario if side == "false" else result.evidence.true_scenario
    assert scenario is not None
    assert set(names) & {each.name for each in scenario.witness}


def test_claims_without_quantifiers_have_none() -> None:
    constants = {"people": {"sort": "Person", "members": ["ann"]}}
    program = {**RENT, "constants": constants, "verifications": [{"constraint": "banned(ann)"}]}
    evidence = only(potlang.verify(program)).evidence
    assert (evidence.true_scenario, evidence.false_scenario) == (None, None)


def test_the_tool_shows_what_fails() -> None:
    from potlang import tool

    answer = tool.call({"program": {**RENT, "verifications": [OLD]}})
    jsonschema.validate(answer, schema("tool-answer-1"))
    fails = answer["results"][0]["fails_for"]
    assert fails["x"] == "some Person"
    assert fails["may_rent(x)"] == "False"


def test_values_of_a_scenario_are_limited() -> None:
    """[LIMIT-SCENARIO]"""
    from potlang.prove.scenarios import MOST_VALUES

    functions = [{"name": f"p{at}", "domain": ["Person"], "range": "Bool"} for at in range(60)]
    claim = {
        "forall": [{"name": "x", "sort": "Person"}],
        "constraint": " or ".join(f"p{at}(x)" for at in range(60)),
    }
    result = only(potlang.verify({**RENT, "functions": functions, "rules": [], "verifications": [claim]}))
    scenario = result.evidence.false_scenario
    assert scenario is not None
    assert set(scenario.values.values()) == {"False"}
    assert len(scenario.values) == MOST_VALUES


def test_two_variables_for_one_element_are_said_to_be_one() -> None:
    from potlang.report.results import ScenarioVariable
    from potlang.report.text import scenario_words

    one, other = (ScenarioVariable(name, "Item", "item_1", False) for name in "xy")
    number = ScenarioVariable("n", "Int", "3", True)
    scenario = Scenario((one, other, number), {"p(x)": "False", "days(x)": "5"}, ("p(x)",))
    assert scenario_words(scenario) == "some Item x, y = x, n = 3 with *not p(x), days(x) = 5"
