"""Cases: what is known of one matter, over the words of a policy."""

from __future__ import annotations

import json
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import potlang
from potlang.languages.pot.program import CompileError, Program
from potlang.policy import Case, open_store, read_tests
from potlang.report.results import Verdict

RETURNS: dict[str, Any] = {
    "sorts": [
        {"name": "Item", "type": "DeclareSort"},
        {"name": "Kind", "type": "EnumSort", "values": ["electronics", "food", "hard hat"]},
        {"name": "Person", "type": "DeclareSort"},
    ],
    "functions": [
        {"name": "kind", "domain": ["Item"], "range": "Kind", "description": "the kind of {x}"},
        {"name": "days", "domain": ["Item"], "range": "Int"},
        {"name": "weight", "domain": ["Item"], "range": "Real"},
        {"name": "bought", "domain": ["Item"], "range": "Date"},
        {"name": "label", "domain": ["Item"], "range": "String"},
        {"name": "owner", "domain": ["Item"], "range": "Person"},
        {"name": "opened", "domain": ["Item"], "range": "Bool"},
        {"name": "premium", "domain": ["Person"], "range": "Bool"},
        {"name": "may_return", "domain": ["Item"], "range": "Bool", "closed": True},
        {"name": "member", "domain": [], "range": "Bool"},
        {"name": "limit", "domain": [], "range": "Int"},
        {"name": "usual_kind", "domain": [], "range": "Kind"},
    ],
    "constants": {"people": {"sort": "Person", "members": ["ann", "bob"]}},
    "rules": [
        {
            "name": "thirty days",
            "forall": [{"name": "x", "sort": "Item"}],
            "implies": {"antecedent": "days(x) <= 30 and kind(x) != food", "consequent": "may_return(x)"},
        }
    ],
    "verifications": [],
}


@pytest.fixture(scope="module")
def returns() -> Program:
    return potlang.compile(RETURNS)


def verdict(program: Program, case: Any, claim: str) -> str:
    with Case.of(case).applied(program).session() as session:
        return str(session.verify(claim).verdict)


def test_a_case_has_new_individuals_values_and_formulas(returns: Program) -> None:
    """[POLICY-CASE]"""
    case = {
        "item": {"kind": "electronics", "days": 20, "owner": "ann", "label": 'a "b"', "weight": 2.5},
        "hat": {"kind": "hard hat", "days": -1, "opened": False, "bought": "2025-01-20"},
        "ann": {"premium": True},
        "member": True,
        "unknown": None,
        "facts": ["weight(hat) > weight(item)"],
    }
    for claim in (
        "may_return(item)",
        "may_return(hat)",
        "premium(owner(item))",
        "not opened(hat)",
        "member",
        "weight(hat) > 2",
        "bought(hat) == 2025-01-20",
        "label(item) == 'a \"b\"'",
        "kind(hat) == `hard hat`",
    ):
        assert verdict(returns, case, claim) == "entailed", claim


def test_individuals_are_members_of_closed_domains(returns: Program) -> None:
    """[POLICY-CASE]: what a policy says of all members it says of those of the case."""
    closed = potlang.compile(
        {
            **RETURNS,
            "semantics": {"closed_domain": ["Item"]},
            "constants": {
                "people": {"sort": "Person", "members": ["ann"]},
                "things": {"sort": "Item", "members": ["old"]},
            },
        }
    )
    case = {"item": {"opened": True}, "old": {"opened": True}}
    assert verdict(closed, case, "ForAll([x: Item], opened(x))") == "entailed"
    assert verdict(returns, case, "ForAll([x: Item], opened(x))") == "undetermined"


def test_constants_may_be_a_list(returns: Program) -> None:
    listed = {**RETURNS, "constants": [{"name": "people", "sort": "Person", "members": ["ann"]}]}
    assert (
        verdict(potlang.compile(listed), {"item": {"days": 1, "kind": "food"}}, "may_return(item)")
        == "refuted"
    )


@pytest.mark.parametrize("written", ["1.4 t", "Quantity(1.4, t)", " 1.40 t"])
def test_a_quantity_in_a_unit_that_formulas_do_not_read_behind_a_number(written: str) -> None:
    """[POLICY-CASE]: so models show it, and so people write it."""
    program = potlang.compile(
        {
            "sorts": [{"name": "Car", "type": "DeclareSort"}],
            "functions": [{"name": "load", "domain": ["Car"], "range": "Quantity(t)"}],
        }
    )
    assert verdict(program, {"car": {"load": written}}, "load(car) == Quantity(1.4, t)") == "entailed"
    with pytest.raises(CompileError) as caught:
        Case.of({"car": {"load": 1.4}}).applied(program)
    assert caught.value.diagnostics[0].helps == ("write `Quantity(1.4, t)`",)


def test_dates_amounts_and_fractions_are_literals() -> None:
    """[POLICY-CASE]"""
    ranges = {"on": "Date", "at": "DateTime", "took": "Duration", "fee": "Money(EUR)", "share": "Real"}
    functions = [{"name": name, "domain": ["Car"], "range": sort} for name, sort in ranges.items()]
    program = potlang.compile({"sorts": [{"name": "Car", "type": "DeclareSort"}], "functions": functions})
    case = {
        "on": "Date(2025, 1, 20)",
        "at": "2025-01-20T14:30",
        "took": "Days(3)",
        "fee": "-5.50 EUR",
        "share": "-1/3",
    }
    claims = (
        "on(car) == 2025-01-20 and Hour(at(car)) == 14 and took(car) == 3 days",
        "fee(car) == -5.5 EUR and 3 * share(car) == -1",
    )
    assert [verdict(program, {"car": case}, claim) for claim in claims] == ["entailed", "entailed"]


@pytest.mark.parametrize(
    ("case", "code", "pointer"),
    [
        ({"item": {"kind": "elektronics"}}, "POT2001", "/case/item/kind"),
        ({"item": {"kind": "food) or (True"}}, "POT2001", "/case/item/kind"),
        ({"item": {"days": "soon"}}, "POT1010", "/case/item/days"),
        ({"item": {"days": "2.5"}}, "POT1010", "/case/item/days"),
        ({"item": {"days": "1/2"}}, "POT1010", "/case/item/days"),
        ({"item": {"days": "1/0"}}, "POT1010", "/case/item/days"),
        ({"item": {"weight": "1/0"}}, "POT1010", "/case/item/weight"),
        ({"item": {"weight": "1/(2/3)"}}, "POT1010", "/case/item/weight"),
        ({"item": {"days": "1) or (1 == 1"}}, "POT1020", "/case/item/days"),
        ({"item": {"days": "20 + 5"}}, "POT1010", "/case/item/days"),
        ({"item": {"days": "days(item)"}}, "POT1010", "/case/item/days"),
        ({"item": {"days": "If(True, 1, 90)"}}, "POT1010", "/case/item/days"),
        ({"item": {"days": "limit"}}, "POT1010", "/case/item/days"),
        ({"item": {"kind": "usual_kind"}}, "POT1010", "/case/item/kind"),
        ({"item": {"opened": "days(item) > 3"}}, "POT1010", "/case/item/opened"),
        ({"item": {"bought": "bought(item)"}}, "POT1010", "/case/item/bought"),
        ({"item": {"days": 2.5}}, "POT1010", "/case/item/days"),
        ({"item": {"days": Decimal("1e-999999999")}}, "POT1010", "/case/item/days"),
        ({"item": {"weight": float("nan")}}, "POT1010", "/case/item/weight"),
        ({"item": {"weight": Decimal("sNaN")}}, "POT1010", "/case/item/weight"),
        ({"item": {"days": [1]}}, "POT1010", "/case/item/days"),
        ({"item": {"opened": 1}}, "POT1010", "/case/item/opened"),
        ({"item": {"days": True}}, "POT1010", "/case/item/days"),
        ({"item": {"bought": 20}}, "POT3024", "/case/item/bought"),
        ({"item": {"bought": "2025-02-30"}}, "POT3020", "/case/item/bought"),
        ({"item": {}}, "POT1011", "/case/item"),
        ({"item": {"days": 1, "premium": True}}, "POT1011", "/case/item"),
        ({"item": {"sort": "Itm"}}, "POT2005", "/case/item/sort"),
        ({"item": {"sort": "Item", "colour": 3}}, "POT2001", "/case/item/colour"),
        ({"colour": 3}, "POT2001", "/case/colour"),
        ({"facts": ["days(item"]}, "POT1021", "/case/facts/0"),
        ({"facts": ["opened(item)"]}, "POT2001", "/case/facts/0"),
        ({"facts": "member"}, "POT1010", "/case/facts"),
        (["member"], "POT1010", "/case"),
    ],
)
def test_a_case_that_does_not_fit_is_told_with_its_place(
    returns: Program, case: Any, code: str, pointer: str
) -> None:
    """[POLICY-CASE-ERROR]"""
    with pytest.raises(CompileError) as caught:
        Case.of(case).applied(returns)
    assert (code, pointer) in [(each.code, each.place.pointer) for each in caught.value.diagnostics]
    assert all(each.place.pointer.startswith("/case") for each in caught.value.diagnostics)


def test_the_values_are_listed_for_one_that_there_is_not(returns: Program) -> None:
    """[POLICY-CASE-ERROR]"""
    with pytest.raises(CompileError) as caught:
        Case.of({"item": {"kind": "shoes"}}).applied(returns)
    assert caught.value.diagnostics[0].helps == ("its values are `electronics`, `food`, `hard hat`",)


def test_a_new_thing_with_the_name_of_another_one(returns: Program) -> None:
    """[POLICY-CASE-ERROR]: told once, and with what to do, not for each of its fields."""
    with pytest.raises(CompileError) as caught:
        Case.of({"food": {"kind": "food", "days": 3, "opened": False}}).applied(returns)
    (found,) = caught.value.diagnostics
    assert (found.code, found.place.pointer, found.message) == (
        "POT3001",
        "/case/food",
        "expected Item, found Kind",
    )
    assert found.helps == ("another name, such as `food_1`, makes it a new Item",)


def test_places_in_a_text() -> None:
    with pytest.raises(CompileError) as caught:
        Case.read('{"item": {"days": 2.5}}', "item.json").applied(potlang.compile(RETURNS))
    assert "item.json:1:" in str(caught.value)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.decimals() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
names = st.sampled_from(
    ["item", "ann", "member", "facts", "days", "kind", "sort", "owner", "label"]
) | st.text(max_size=4)


@given(st.dictionaries(names, values | st.dictionaries(names, values, max_size=3), max_size=3))
def test_any_case_is_applied_or_refused(case: dict[str, Any]) -> None:
    """[POLICY-CASE-ERROR]: and never makes an error in the policy."""
    try:
        program = Case.of(case).applied(potlang.compile(RETURNS))
    except CompileError as error:
        assert error.diagnostics
        assert all(each.place.pointer.startswith("/case") for each in error.diagnostics)
    else:
        assert len(program.module.assertions) >= len(potlang.compile(RETURNS).module.assertions)


@pytest.mark.parametrize(
    ("days", "kind", "opened"), [*product((29, 30, 31), ("food", "electronics"), (True, False))]
)
def test_a_case_decides_as_the_rule_says(returns: Program, days: int, kind: str, opened: bool) -> None:
    """[POLICY-CASE]: against the rule in plain Python."""
    expected = "entailed" if days <= 30 and kind != "food" else "refuted"
    case = {"item": {"days": days, "kind": kind, "opened": opened}}
    assert verdict(returns, case, "may_return(item)") == expected


def test_tests_may_have_cases(tmp_path: Path) -> None:
    """[POLICY-TESTS]: kept with the version, run under their case; a case that does not fit is rejected."""
    store = open_store(tmp_path)
    tests = read_tests(
        [
            {
                "case": {"item": {"days": 30, "kind": "electronics"}},
                "claim": "may_return(item)",
                "expected": "entailed",
                "note": "the last day",
            },
            {
                "case": {"item": {"days": 31, "kind": "electronics"}},
                "claim": "may_return(item)",
                "expected": "refuted",
            },
            {"case": {"item": {"dys": 31}}, "claim": "may_return(item)", "expected": "rejected"},
            {"claim": "may_return(item)", "expected": "rejected"},
        ]
    )
    version = store.add("returns", json.dumps(RETURNS), tests).version
    assert store.version("returns").tests == version.tests == tests
    assert [str(each.verdict) for each in store.run_tests("returns")] == [
        "entailed",
        "refuted",
        "rejected",
        "rejected",
    ]
    assert tests[0].to_dict()["note"] == "the last day"
    assert len({each.key for each in tests}) == 4
    assert store.run_tests("returns")[0].verdict is Verdict.ENTAILED


@pytest.mark.parametrize(
    ("field", "value", "help"),
    [
        ("opened", "yes", "write `true` or `false`"),
        ("days", "soon", "write a whole number, such as `30`"),
        ("bought", "yesterday", "write it as in `2024-10-04`"),
        ("price", "dear", "write it as in `30 EUR`"),
        ("price", "5 USD", "give it in the unit that the policy has for it"),
        ("days", "5 kg", "give a plain number, as the policy has it"),
        ("sort", "Itm", "the policy's own sorts are `Item`"),
        ("seen", "soon", "write it as in `2024-10-04T00:00`"),
    ],
)
def test_a_value_of_another_sort_comes_with_help(field: str, value: str, help: str) -> None:
    """[POLICY-CASE-ERROR]: with errors alone, since the policy's own warnings are no matter of the case."""
    ranges = {"opened": "Bool", "days": "Int", "bought": "Date", "price": "Money(EUR)", "seen": "DateTime"}
    program = potlang.compile(
        {
            "sorts": [{"name": "Item", "type": "DeclareSort"}],
            "functions": [{"name": key, "domain": ["Item"], "range": each} for key, each in ranges.items()],
            "rules": [{"constraint": "ForAll([i: Item], days(i) >= 0)"}],
        }
    )
    with pytest.raises(CompileError) as caught:
        Case.of({"i": {field: value}}).applied(program)
    assert {str(each.severity) for each in caught.value.diagnostics} == {"error"}
    assert help in [text for each in caught.value.diagnostics for text in each.helps]
