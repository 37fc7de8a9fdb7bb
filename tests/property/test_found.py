"""What the properties found, as small programs of their own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from property_support import compiled

import potlang
from potlang.expressions.names import name_of, written
from potlang.sema.emit import Unwritable, module_to_pot


def test_cvc5_decides_claims_about_the_empty_set() -> None:
    program = {
        "constants": {"c": {"sort": "SetSort(Bool)", "members": ["s"]}},
        "verifications": [{"constraint": "Subset(Difference(s, s), s)"}],
    }
    assert potlang.verify(program, route="cvc5").verdict == "entailed"


def test_a_constant_objective_has_one_pareto_point() -> None:
    objectives = [{"type": "minimize", "expression": "0"}]
    report = potlang.verify({"optimization": {"objectives": objectives, "mode": "pareto"}})
    assert report.optimization is not None and report.optimization.points is not None
    assert report.optimization.complete
    assert [point.values for point in report.optimization.points] == [(0,)]


def test_elements_inside_a_tuple_are_called_by_their_constants() -> None:
    program = {
        "sorts": [
            {"name": "Person", "type": "DeclareSort"},
            {"name": "Seat", "type": "TupleSort", "fields": [{"name": "taken_by", "sort": "Person"}]},
        ],
        "constants": {
            "p": {"sort": "Person", "members": ["ann"]},
            "s": {"sort": "Seat", "members": ["first"]},
        },
        "functions": [{"name": "free", "domain": ["Seat"], "range": "Bool"}],
        "semantics": {"closed_domain": True},
        "verifications": [{"constraint": "free(first)"}],
    }
    shown = potlang.verify(program).results[0].evidence.could_be_true
    assert shown == {"first": "Seat(ann)", "free(first)": "True"}


def test_bindings_write_bit_vectors_as_the_program_would() -> None:
    program = {
        "constants": {"c": {"sort": "BitVecSort(2)", "members": ["r"]}},
        "knowledge_base": ["r == #b10"],
        "verifications": [{"exists": [{"name": "b", "sort": "BitVecSort(2)"}], "constraint": "b == #b01"}],
    }
    witness = potlang.verify(program).results[0].evidence.witness
    assert witness is not None
    assert witness.bindings == ({"b": "#b01"},)


def test_odd_names_of_sorts_and_constants_are_printed_so_that_they_read_back() -> None:
    program: dict[str, Any] = {
        "sorts": [{"name": "a`b", "type": "DeclareSort"}, {"name": "℘·", "type": "DeclareSort"}],
        "constants": {
            "c": {"sort": "`a``b`", "members": ["x\\y", "`"]},
            "d": {"sort": "SetSort(`a``b`)", "members": ["all of them", "in"]},
        },
        "verifications": [{"constraint": "Member(`x\\y`, `all of them`) and Member(````, `in`)"}],
    }
    printed = module_to_pot(compiled(program).module)
    assert module_to_pot(compiled(printed).module) == printed


def test_the_limit_on_names_does_not_count_their_backquotes() -> None:
    name = "`" * 9_999 + " "
    program = {
        "constants": {"c": {"sort": "Bool", "members": [name]}},
        "verifications": [{"constraint": written(name)}],
    }
    assert potlang.check(program).program is not None


def test_written_and_read_names_are_the_same() -> None:
    for name in ("x", "in", "and", "`", "a``b", "नमस्ते", "℘", "a·b", " ", "x\n", "größe", "1"):
        text = written(name)
        assert name_of(text) == name
    assert [written(name) for name in ("x", "नमस्ते", "in", "℘")] == ["x", "नमस्ते", "`in`", "`℘`"]


def test_sets_are_printed_as_lists_where_lists_may_stand() -> None:
    program = {
        "constants": {"c": {"sort": "SetSort(Int)", "members": ["s"]}},
        "verifications": [{"constraint": "s in [[1, 2]]"}, {"constraint": "Union(s, [3]) == Union(s, [])"}],
    }
    first = compiled(program)
    printed = module_to_pot(first.module)
    assert [claim["constraint"] for claim in printed["verifications"]] == [
        "(s in [[1, 2]])",
        "(Union(s, [3]) == Union(s, []))",
    ]
    assert module_to_pot(compiled(printed).module) == printed


def test_integer_division_is_of_integers_where_a_real_is_expected() -> None:
    program = {
        "functions": [{"name": "f", "domain": ["Real"], "range": "Bool"}],
        "knowledge_base": ["f(7 // 2)"],
        "verifications": [{"constraint": "f(3)"}, {"constraint": "ToReal(7 // 2) == 3.0"}],
    }
    assert potlang.verify(program).verdict == "entailed"


def test_a_name_at_the_limit_is_shortened_where_a_number_is_added_to_it() -> None:
    name = "n" * 10_000
    program = {
        "variables": [{"name": name, "sort": "Bool"}],
        "verifications": [{"exists": [name], "constraint": f"ForAll([{name}, v: Bool], v)"}],
    }
    again = json.loads(potlang.compile(program).emit("pot", ""))
    assert str(potlang.verify(again).verdict) == str(potlang.verify(program).verdict) == "refuted"


SETS: dict[str, Any] = {
    "sorts": [{"name": "Food", "type": "EnumSort", "values": ["egg", "nut", "milk"]}],
    "functions": [{"name": "big", "domain": ["Food"], "range": "Bool"}],
    "constants": {"t": {"sort": "Set(Food)", "members": ["team"]}},
}


@pytest.mark.parametrize(
    "claim",
    [
        "SetOf([f: Food], big(f)) == team",
        "SetOf([f: Food], big(f)) == SetOf([f: Food], not big(f))",
        "SetOf([f: Food], big(f)) == [egg]",
        "Subset(SetOf([f: Food], big(f)), team)",
        "Union(SetOf([f: Food], big(f)), team) == team",
        "If(big(egg), [egg], team) == team",
        "If(big(egg), [], Set(egg, nut)) == team",
        "egg in If(big(egg), [nut], SetOf([f: Food], big(f)))",
    ],
)
def test_sets_in_choices_are_read_back(claim: str) -> None:
    """[SORT-SET-2] Of `If`, one branch tells the sort of a list that is the other."""
    program = {**SETS, "verifications": [{"constraint": claim}]}
    printed = module_to_pot(compiled(program).module)
    assert module_to_pot(compiled(printed).module) == printed
    both = {**SETS, "verifications": [{"constraint": f"({claim}) <-> {_written_claim(printed)}"}]}
    assert potlang.verify(both, trust="solver").verdict == "entailed"


def _written_claim(printed: dict[str, Any]) -> str:
    return str(printed["verifications"][0]["constraint"])


OPERATORS = {
    "Implies": "p(t) -> q(t)",
    "And": "p(t) and q(t)",
    "Or": "p(t) or q(t)",
    "Not": "not p(t)",
    "If": "n(t) == Ite(p(t), 1, 2)",
    "Xor": "p(t) != q(t)",
    "Iff": "p(t) <-> q(t)",
    "Distinct": "AllDifferent(n(t), 1, 2)",
    "Member": "1 in s",
    "ToInt": "Floor(r(t)) == 2",
    "BitVecVal": "b == #b01",
}


@pytest.mark.parametrize("name", [*OPERATORS, "ToReal"])
def test_an_operator_is_printed_by_a_name_that_the_program_has_not(name: str) -> None:
    """A name that the program declares is its own, and so no operator where the program is read back."""
    ranges = {"p": "Bool", "q": "Bool", "n": "Int", "r": "Real", name: "Bool"}
    program = {
        "sorts": [{"name": "T", "type": "DeclareSort"}],
        "functions": [{"name": each, "domain": ["T"], "range": sort} for each, sort in ranges.items()],
        "constants": {
            "s": {"sort": "Set(Int)", "members": ["s"]},
            "t": {"sort": "T", "members": ["t"]},
            "b": {"sort": "BitVec(2)", "members": ["b"]},
        },
        "knowledge_base": [f"{name}(t)"],
        "verifications": [{"constraint": OPERATORS.get(name, "n(t) < r(t)")}],
    }
    module = compiled(program).module
    if name not in OPERATORS:
        with pytest.raises(Unwritable, match="has a function `ToReal`"):
            module_to_pot(module)
        return
    printed = module_to_pot(module)
    assert module_to_pot(compiled(printed).module) == printed
