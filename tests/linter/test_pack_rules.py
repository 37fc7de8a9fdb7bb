"""The rules of the linter about packs: packs that clash, and packs that a program writes by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

import potlang
from potlang.diag import CODES
from potlang.diag.fixes import apply_fix
from potlang.ir import operators as op
from potlang.ir.nodes import Node, Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL
from potlang.linter.catalogue import catalogue
from potlang.linter.choice import LintChoice
from potlang.linter.matching import form_of
from potlang.utils.resources import pack_file, pack_names

FUNCTIONS = [
    {"name": "r", "domain": ["T", "T"], "range": "Bool"},
    {"name": "s", "domain": ["T", "T"], "range": "Bool"},
    {"name": "f", "domain": ["T"], "range": "U"},
    {"name": "n", "domain": ["T"], "range": "Int"},
    {"name": "safe", "domain": ["T"], "range": "Bool"},
    {"name": "ok", "domain": ["T"], "range": "Bool"},
]


def program(*, packs: Any = (), facts: Any = (), rules: Any = (), **more: Any) -> dict[str, Any]:
    return {
        "imports": list(packs),
        "sorts": [{"name": name, "type": "DeclareSort"} for name in ("T", "U")],
        "functions": FUNCTIONS,
        "constants": {"ts": {"sort": "T", "members": ["a", "b", "c"]}},
        "knowledge_base": list(facts),
        "rules": [rule if isinstance(rule, dict) else {"constraint": rule} for rule in rules],
        "verifications": [{"name": "asked", "constraint": "r(a, b)"}],
        **more,
    }


def found(value: dict[str, Any], name: str) -> list[potlang.Diagnostic]:
    checked = potlang.lint(value, choice=LintChoice(only=(name,)), language="pot")
    assert checked.ok, checked.diagnostics
    return [each for each in checked.diagnostics if CODES[each.code].slug == name]


def order(name: str = "partial_order") -> dict[str, Any]:
    return {"pack": f"std/order/{name}", "with": {"le": "r"}}


EQUIVALENCE = {"pack": "std/relation/equivalence", "with": {"same": "r"}}
ARE_TWO = ("a != b", "r(a, b)")
DUTIES = {
    "pack": "std/norm/deontic",
    "with": {"Agent": "T", "Act": "T", "obligated": "r", "forbidden": "s"},
}
WORKPLACE = {"pack": "std/safety/workplace", "with": {"Worker": "T"}}
CHECKED = {
    "pack": "std/safety/protective_equipment",
    "with": {"Worker": "T", "equipped": "safe", "Hazard": "U"},
}

REFLEXIVE = "ForAll([x: T], r(x, x))"
SYMMETRIC = "ForAll([x: T, y: T], Implies(r(y, x), r(x, y)))"
ANTISYMMETRIC = "ForAll([u: T, v: T], Not(And(r(v, u), u != v, r(u, v))))"
TRANSITIVE = "ForAll([x: T, y: T, z: T], r(y, z) -> (r(x, y) -> r(x, z)))"
TOTAL = "ForAll([x: T, y: T], r(y, x) or r(x, y))"
INJECTIVE = "ForAll([x: T, y: T], x == y or f(y) != f(x))"

FOUND: dict[str, list[dict[str, Any]]] = {
    "pack-conflict": [
        program(packs=[EQUIVALENCE, order()], facts=ARE_TWO),
        program(packs=[DUTIES], facts=["r(a, b)", "s(a, b)"]),
        program(packs=[DUTIES], rules=["ForAll([x: T], ok(x) -> r(x, a))", "s(b, a)"], facts=["ok(b)"]),
        program(packs=[order()], facts=["r(a, b)", "r(b, c)", "Not(r(a, c))"]),
        program(packs=[order()], facts=["r(a, b)", "r(b, a)"], semantics={"unique_names": True}),
    ],
    "pack-exclusion": [
        program(packs=[EQUIVALENCE, order()]),
        program(packs=[EQUIVALENCE, order("total_order")], facts=["r(a, a)"]),
    ],
    "two-definitions": [
        program(packs=[WORKPLACE], rules=["ForAll([x: T], safe(x) <-> ok(x))"]),
        program(packs=[WORKPLACE], facts=["ForAll([x: T], n(x) > 3 <-> safe(x))"]),
        program(packs=[WORKPLACE, CHECKED]),
    ],
    "pack-by-hand": [
        program(rules=[REFLEXIVE, ANTISYMMETRIC, TRANSITIVE]),
        program(facts=[TRANSITIVE, SYMMETRIC], rules=[REFLEXIVE]),
        program(rules=[f"And({REFLEXIVE}, {SYMMETRIC})", TRANSITIVE]),
        program(rules=[INJECTIVE]),
        # Totality of two equal elements is reflexivity.
        program(rules=[TRANSITIVE, ANTISYMMETRIC, TOTAL]),
        # What the rules say beyond the pack stays.
        program(rules=[REFLEXIVE, SYMMETRIC, TRANSITIVE, "ForAll([x: T], r(x, a) -> ok(x))"]),
        program(rules=["ForAll([x: T, y: T], n(x) == n(y) -> x == y)"]),
    ],
}
NOT_FOUND: dict[str, list[dict[str, Any]]] = {
    "pack-conflict": [
        program(packs=[EQUIVALENCE, order()]),
        program(packs=[order()], facts=["r(a, b)", "Not(r(b, a))"]),
        # The program contradicts itself without the pack.
        program(packs=[order()], facts=["ok(a)", "Not(ok(a))"]),
        program(packs=[DUTIES], facts=["r(a, b)", "s(a, c)"]),
        program(facts=["ok(a)", "Not(ok(a))"]),
    ],
    "pack-exclusion": [
        program(packs=[order(), order("total_order")]),
        program(packs=[EQUIVALENCE, {"pack": "std/order/partial_order", "with": {"le": "s"}}]),
        program(packs=[order()], rules=[SYMMETRIC]),
        # Reported as a contradiction.
        program(packs=[EQUIVALENCE, order()], facts=ARE_TWO),
    ],
    "two-definitions": [
        program(packs=[WORKPLACE], rules=["ForAll([x: T], ok(x) <-> safe(x))"]),
        program(packs=[WORKPLACE], rules=["ForAll([x: T], safe(x) -> ok(x))"]),
        program(packs=[WORKPLACE, WORKPLACE]),
        program(rules=["ForAll([x: T], safe(x) <-> ok(x))", "ForAll([x: T], safe(x) <-> n(x) > 3)"]),
    ],
    "pack-by-hand": [
        program(rules=[REFLEXIVE, TRANSITIVE, "ForAll([x: T], r(x, a))"], facts=["Not(r(a, b))"]),
        program(rules=["ForAll([x: T, y: T], f(x) == f(y) -> s(x, y))"]),
        program(rules=["ForAll([x: T], ok(x) -> safe(x))", "ForAll([x: T], safe(x) -> n(x) > 3)"]),
        program(packs=[order()], facts=["r(a, b)"]),
        # Rules that others override are no axioms.
        program(
            rules=[
                {"name": "close", "constraint": INJECTIVE},
                {"name": "but", "constraint": "f(a) == f(b)", "overrides": ["close"]},
            ]
        ),
        program(rules=["ForAll([x: T, y: T], Or(x == y, f(y) != f(x), ok(y)))"]),
    ],
}
CASES = [(name, at) for name, values in FOUND.items() for at in range(len(values))]
OTHERS = [(name, at) for name, values in NOT_FOUND.items() for at in range(len(values))]


@pytest.mark.parametrize(("name", "at"), CASES)
def test_what_a_rule_is_about_is_found_once(name: str, at: int) -> None:
    """[LINT-PACK-CONFLICT] [LINT-PACK-EXCLUDES] [LINT-PACK-DEFINES] [LINT-PACK-HAND]"""
    assert len(found(FOUND[name][at], name)) == 1


@pytest.mark.parametrize(("name", "at"), OTHERS)
def test_what_is_as_it_should_be_is_not(name: str, at: int) -> None:
    """[LINT-PACK-CONFLICT] [LINT-PACK-EXCLUDES] [LINT-PACK-DEFINES] [LINT-PACK-HAND] [LINT-ONE]"""
    assert [each.message for each in found(NOT_FOUND[name][at], name)] == []


def test_a_conflict_names_the_packs_the_axioms_and_their_words() -> None:
    """[LINT-PACK-CONFLICT]"""
    (each,) = found(program(packs=[EQUIVALENCE, order()], facts=ARE_TWO), "pack-conflict")
    packs = "`std/relation/equivalence`, `std/order/partial_order`"
    assert each.message == f"{packs}, the fact 1 and the fact 2 contradict each other"
    assert [note.partition(": `")[0] for note in each.notes] == [
        "std/relation/equivalence: symmetric",
        "std/order/partial_order: antisymmetric",
        "fact 1",
        "fact 2",
    ]
    assert "r(x, y)" in each.notes[0]
    assert "if r holds for x and y, then r holds for y and x" in each.notes[0]
    assert {label.place.pointer for label in each.labels} == {
        "/imports/1",
        "/imports/0",
        "/knowledge_base/0",
        "/knowledge_base/1",
    }


@pytest.mark.parametrize("at", range(len(FOUND["pack-conflict"])))
def test_what_a_conflict_lists_is_needed(at: int) -> None:
    """[LINT-PACK-CONFLICT]: without one of the statements that it names there is none."""
    value = FOUND["pack-conflict"][at]
    (each,) = found(value, "pack-conflict")
    places = [label.place.pointer for label in each.labels if label.place.pointer[:2] in ("/k", "/r")]
    for place in places:
        section, index = place.split("/")[1:3]
        kept = [item for number, item in enumerate(value[section]) if number != int(index)]
        assert found({**value, section: kept}, "pack-conflict") == []


@pytest.mark.parametrize("at", range(len(FOUND["pack-by-hand"])))
def test_the_import_in_the_place_of_rules_says_the_same(at: int) -> None:
    """[LINT-PACK-HAND]: each law of an order, and each one that is asked, comes out as before."""
    value = FOUND["pack-by-hand"][at]
    (each,) = found(value, "pack-by-hand")
    assert each.fixes[0].applicability == "safe"
    fixed: Any = apply_fix(value, each.fixes[0])
    assert found(fixed, "pack-by-hand") == []
    claims = (REFLEXIVE, SYMMETRIC, ANTISYMMETRIC, TRANSITIVE, TOTAL, INJECTIVE, "n(a) != n(b)")
    asked = [{"constraint": text} for text in claims]
    before, after = (
        potlang.verify({**each, "verifications": asked}, trust="solver") for each in (value, fixed)
    )
    assert [each.verdict for each in before.results] == [each.verdict for each in after.results]


def test_formulas_that_share_their_parts_are_not_written_out() -> None:
    """[LINT-PACK-HAND]: of a formula that is small by sharing alone, no form is made."""
    pool = Pool()
    node: Node = pool.app(Symbol("p", (BOOL,), BOOL, SymbolKind.FUNCTION), (pool.true,))
    for _ in range(60):
        node = pool.app(op.IFF, (node, node))
    assert form_of(node) is None


def test_a_pack_bound_to_one_symbol_twice_contradicts_itself() -> None:
    """[LINT-PACK-CONFLICT]"""
    pack = {
        "pack": "std/norm/deontic",
        "with": {"Agent": "T", "Act": "T", "permitted": "r", "forbidden": "r"},
    }
    (each,) = found(program(packs=[pack]), "pack-conflict")
    assert each.message == "the axioms of `std/norm/deontic` contradict each other"


def test_a_pack_that_is_imported_already_is_not_imported_again() -> None:
    """[LINT-PACK-HAND]"""
    value = program(packs=[EQUIVALENCE], rules=[REFLEXIVE, SYMMETRIC, TRANSITIVE])
    (each,) = found(value, "pack-by-hand")
    fixed: Any = apply_fix(value, each.fixes[0])
    assert fixed["imports"] == [EQUIVALENCE]
    assert fixed["rules"] == []


def test_the_fix_is_unsafe_where_a_predicate_is_closed() -> None:
    """[LINT-PACK-HAND]"""
    functions = [{**each, "closed": True} if each["name"] == "r" else each for each in FUNCTIONS]
    rules = [REFLEXIVE, SYMMETRIC, TRANSITIVE]
    value = program(rules=rules, functions=functions, semantics={"closed_domain": ["T"]})
    (each,) = found(value, "pack-by-hand")
    assert each.fixes[0].applicability == "unsafe"


@pytest.mark.slow
def test_packs_as_their_cases_use_them_do_not_clash() -> None:
    """[LINT-PACK-CONFLICT] [LINT-PACK-EXCLUDES] [LINT-PACK-DEFINES]"""
    rules = LintChoice(only=("pack-conflict", "pack-exclusion", "two-definitions", "pack-by-hand"))
    said = []
    for pack in pack_names():
        for case in json.loads(pack_file(pack, "cases.json") or "[]"):
            verdicts = case["expect"].get("verdicts", {}).values()
            if verdicts and "inconsistent" not in verdicts:
                text = json.dumps(case["program"])
                found_here = potlang.lint(text, choice=rules, language="pot").diagnostics
                said += [(pack, case["name"], each.message) for each in found_here if each.code >= "POT904"]
    assert said == []


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_every_pack_with_axioms_alone_is_found_if_it_is_written_out(step: int) -> None:
    """[LINT-PACK-HAND]: packs are found by what they say, under other names and in another order."""
    from potlang.linter.linted import LintedProgram
    from potlang.sema.emit import Writer

    missed = []
    for pack in catalogue()[::step]:
        compiled = potlang.compile({"imports": [pack.name]}, language="pot")
        module = compiled.module
        writer = Writer(module)
        rules = [
            {"constraint": writer.term(each.formula)} for each in LintedProgram(compiled).module.assertions
        ]
        sorts = [{"name": each.name, "type": "DeclareSort"} for each in pack.sorts]
        functions = [
            {"name": each.name, "domain": list(map(str, each.domain)), "range": str(each.range)}
            for each in module.symbols
        ]
        value = {"sorts": sorts, "functions": functions, "rules": rules[::-1]}
        if pack.name not in " ".join(each.message for each in found(value, "pack-by-hand")):
            missed.append(pack.name)
    assert missed == []
