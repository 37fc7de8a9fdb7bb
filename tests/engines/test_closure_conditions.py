"""Each condition under which the closure concludes, with the program that shows why it is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

import potlang
from potlang import Verdict
from potlang.engines.horn.recognition import recognise, recognise_exact
from potlang.engines.horn.solver import HornSolver
from potlang.ir import operators as op

SORTS = {"T": "DeclareSort", "U": "DeclareSort", "I": "IntSort"}
PREDICATES = {
    "p": [],
    "q": [],
    "P": ["T"],
    "Q": ["T"],
    "R": ["T", "T"],
    "S": ["U"],
    "C": ["Colour"],
    "B": ["Bool"],
    "N": ["Int"],
}
DatalogProgram = dict[str, Any]


def program(
    assumed: Sequence[str],
    claim: str,
    constants: dict[str, list[str]] | None = None,
    variables: dict[str, str] | None = None,
    **semantics: Any,
) -> DatalogProgram:
    """A program over the sorts T, U (without constants), Colour with red and green."""
    named = {"T": ["a", "b", "c"]} if constants is None else constants
    return {
        "sorts": [
            {"name": "T", "type": "DeclareSort"},
            {"name": "U", "type": "DeclareSort"},
            {"name": "Colour", "type": "EnumSort", "values": ["red", "green"]},
        ],
        "functions": [{"name": n, "domain": d, "range": "Bool"} for n, d in PREDICATES.items()],
        "constants": {f"g{n}": {"sort": s, "members": m} for n, (s, m) in enumerate(named.items())},
        "variables": [{"name": n, "sort": s} for n, s in (variables or {}).items()],
        "knowledge_base": list(assumed),
        "verifications": [{"constraint": claim}],
        "semantics": semantics,
    }


MANY = [f"a{number}" for number in range(70)]
"""More terms than `distinct` is written out for."""


@pytest.mark.parametrize(
    ("assumed", "expected"),
    [
        (f"Distinct({', '.join(MANY)})", ("sat", "sat", "unsat")),
        (f"Not(Distinct({', '.join(MANY)}))", (None, None, None)),
        (f"Distinct({', '.join(f'f({name})' for name in MANY)})", (None, None, None)),
        (f"ForAll([x: T], Distinct(x, {', '.join(MANY)}))", (None, None, None)),
    ],
)
def test_distinct_of_many_terms(assumed: str, expected: tuple[str | None, ...]) -> None:
    """[CLOSURE-REMAINDER]: that constants are distinct is recognised, other formulas with it are left."""
    source = program([assumed], "a0 != a1", {"T": MANY})
    source["functions"].append({"name": "f", "domain": ["T"], "range": "T"})
    assert statuses(source) == expected
    claimed = program(["P(a0)"], assumed, {"T": MANY})
    claimed["functions"].append({"name": "f", "domain": ["T"], "range": "T"})
    statuses(claimed)


def statuses(source: DatalogProgram) -> tuple[str | None, str | None, str | None]:
    """What the closure concludes of the claim: assumptions, claim, negation."""
    module = potlang.compile(source).module
    closed = HornSolver(recognise(module)).decide(module.claims[0].formula)
    return closed.assumptions.status, closed.claim.status, closed.negation.status


def reasons(source: DatalogProgram) -> tuple[str, ...]:
    """Why the program is not exact."""
    return recognise(potlang.compile(source).module).reasons


ENTAILED, REFUTED = ("sat", "sat", "unsat"), ("sat", "unsat", "sat")
UNDETERMINED, INCONSISTENT = ("sat", "sat", "sat"), ("unsat", "unsat", "unsat")
NOTHING = (None, None, None)

CASES: dict[str, tuple[DatalogProgram, tuple[str | None, str | None, str | None]]] = {
    # [CLOSURE-FRESH]
    "a sort without constants has a member": (
        program(["ForAll([x: U], S(x))", "ForAll([x: U], S(x) -> q)"], "q"),
        ENTAILED,
    ),
    # [CLOSURE-HEAD]
    "a head variable that the body lacks is any constant": (
        program(["p", "ForAll([x: T], p -> P(x))"], "P(b)"),
        ENTAILED,
    ),
    "and any constant of the goal": (program(["ForAll([x: T], P(x))"], "ForAll([x: T], P(x))"), ENTAILED),
    # [CLOSURE-EQUAL]
    "equal constants have equal properties": (
        program(["P(a)", "a == b", "b == c"], "P(c)"),
        ENTAILED,
    ),
    "rules make constants equal": (
        program(["P(a)", "P(b)", "Q(a)", "ForAll([x: T, y: T], P(x) and P(y) -> x == y)"], "Q(b)"),
        ENTAILED,
    ),
    "constants may be equal": (program(["P(a)"], "P(b)"), UNDETERMINED),
    "denied equations are facts": (program(["P(a)", "a != b", "not P(c)"], "a == c"), REFUTED),
    "different values are not equal": (
        program(["ForAll([x: Colour, y: Colour], C(x) and C(y) -> x == y)", "C(red)"], "C(green)"),
        REFUTED,
    ),
    # [CLOSURE-DIFFER]
    "a difference in a body needs unique names": (
        program(["P(a)", "P(b)", "ForAll([x: T, y: T], x != y and P(x) and P(y) -> q)"], "q"),
        NOTHING,
    ),
    "and has them": (
        program(
            ["P(a)", "P(b)", "ForAll([x: T, y: T], x != y and P(x) and P(y) -> q)"], "q", unique_names=True
        ),
        ENTAILED,
    ),
    "or has no need of them with one constant": (
        program(["P(a)", "ForAll([x: T, y: T], x != y and P(x) and P(y) -> q)"], "q", constants={"T": ["a"]}),
        UNDETERMINED,
    ),
    "a free variable has no unique name": (
        program(
            ["P(a)", "P(v)", "ForAll([x: T, y: T], x != y and P(x) and P(y) -> q)"],
            "q",
            variables={"v": "T"},
            unique_names=True,
        ),
        NOTHING,
    ),
    "nor has a constant of the goal": (
        program(
            ["ForAll([x: T, y: T], x != y and P(x) and P(y) -> q)", "P(a)"],
            "ForAll([x: T], P(x) -> q)",
            unique_names=True,
        ),
        ("sat", "sat", None),
    ),
    "pairwise denied equations are unique names": (
        program(
            [
                "a != b",
                "a != c",
                "b != c",
                "P(a)",
                "P(c)",
                "ForAll([x: T, y: T], x != y and P(x) and P(y) -> q)",
            ],
            "q",
        ),
        ENTAILED,
    ),
    # [CLOSURE-MEMBERS]
    "a constant of an enum sort is one of its values": (
        program(["C(red)", "C(green)"], "C(k)", constants={"Colour": ["k"]}),
        ("sat", None, None),
    ),
    "unless nothing speaks of it": (
        program(["C(red)", "C(green)"], "C(red)", constants={"Colour": ["k"]}),
        ENTAILED,
    ),
    "a truth value as an argument is true or false": (
        program(["B(True)", "B(False)"], "B(p)"),
        ("sat", None, None),
    ),
    "a free variable of a closed sort is one of its constants": (
        program(["P(a)", "P(b)", "P(c)"], "P(v)", variables={"v": "T"}, closed_domain=["T"]),
        ("sat", None, None),
    ),
    "something in a closed sort is one of its constants": (
        program(["P(a)", "P(b)", "Exists([x: T], Q(x))"], "Q(a)", closed_domain=["T"]),
        NOTHING,
    ),
    "for all members of an enum sort": (
        program(["C(red)", "C(green)"], "ForAll([x: Colour], C(x))"),
        ENTAILED,
    ),
    "for all members of a closed sort": (
        program(["P(a)", "P(b)", "P(c)"], "ForAll([x: T], P(x))", closed_domain=["T"]),
        ENTAILED,
    ),
    "for all constants of an open sort": (
        program(["P(a)", "P(b)", "P(c)"], "ForAll([x: T], P(x))"),
        UNDETERMINED,
    ),
    "some member of a closed sort, tried one by one": (
        program(["not P(a)", "not P(b)", "not P(c)"], "Exists([x: T], P(x))", closed_domain=["T"]),
        REFUTED,
    ),
    "truth values are enumerated": (
        program(["B(True)", "p -> B(False)", "p"], "ForAll([x: Bool], B(x))"),
        ENTAILED,
    ),
    # [CLOSURE-DENIAL]
    "a violated denial": (program(["P(a)", "ForAll([x: T], not P(x))"], "q"), INCONSISTENT),
    "a fact that would violate a denial": (
        program(["P(a)", "ForAll([x: T], not (P(x) and Q(x)))"], "Q(a)"),
        REFUTED,
    ),
    "negative facts": (program(["not P(a)", "ForAll([x: T], Q(x) -> P(x))"], "Q(a)"), REFUTED),
    "unique names are denials": (program(["a == b"], "p", unique_names=True), INCONSISTENT),
    # [CLOSURE-QUERY]
    "something has it": (
        program(["R(a, b)", "R(b, c)"], "Exists([x: T, y: T], R(a, x) and R(x, y))"),
        ENTAILED,
    ),
    "a rule follows": (
        program(
            ["ForAll([x: T], P(x) -> Q(x))", "ForAll([x: T], Q(x) -> R(x, x))"],
            "ForAll([x: T], P(x) -> R(x, x))",
        ),
        ENTAILED,
    ),
    "a rule does not follow": (
        program(["ForAll([x: T], P(x) -> Q(x))", "P(a)", "Q(a)"], "ForAll([x: T], Q(x) -> P(x))"),
        UNDETERMINED,
    ),
    "alternatives of the goal are tried one by one": (
        program(["not P(a)", "not P(b)"], "P(a) or P(b)"),
        REFUTED,
    ),
    # [CLOSURE-REMAINDER]
    "with a remainder what is derived still follows": (
        program(["Or(P(a), P(b), Q(a))", "Or(not P(a), not P(b), not Q(a))", "p", "p -> q"], "q"),
        (None, None, "unsat"),
    ),
    "and nothing else is concluded": (
        program(["Or(P(a), P(b), p)", "Or(not P(a), not P(b), not p)", "R(a, b)"], "q"),
        NOTHING,
    ),
    "a remainder may be inconsistent by itself": (
        program(["P(a) or q", "P(a) or not q", "not P(a) or q", "not P(a) or not q", "p"], "p"),
        (None, None, "unsat"),
    ),
    # [CLOSURE-FLIP]
    "predicates may be read by their denials": (
        program(
            ["ForAll([x: T], P(x) or Q(x))", "not P(a)", "ForAll([x: T], not Q(x) or R(x, x))"], "R(a, a)"
        ),
        ENTAILED,
    ),
    # [CLOSURE-INFINITE]
    "integers may be named": (
        program(["N(1)", "ForAll([x: Int], N(x) -> q)"], "q"),
        ENTAILED,
    ),
    "and there are more than those named": (
        program(["N(1)", "N(2)", "ForAll([x: Int, y: Int], x != y and N(x) and N(y) -> q)"], "N(3)"),
        NOTHING,
    ),
    "an equation would need all of them": (
        program(["ForAll([x: Int], x == 0)"], "q"),
        NOTHING,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_concluded(name: str) -> None:
    source, expected = CASES[name]
    assert statuses(source) == expected


@pytest.mark.parametrize("name", CASES)
def test_z3_says_the_same_or_more(name: str) -> None:
    source, expected = CASES[name]
    verdict = potlang.verify(source, route="z3", trust="solver").verdict
    states = {
        "entailed": ENTAILED,
        "refuted": REFUTED,
        "undetermined": UNDETERMINED,
        "inconsistent": INCONSISTENT,
    }
    if verdict in states:
        for ours, theirs in zip(expected, states[verdict], strict=True):
            assert ours in (None, theirs)


def test_the_reason_names_what_is_not_horn() -> None:
    """[CLOSURE-REASONS]"""
    assert reasons(program(["P(a) or P(b)", "p"], "p")) == ()  # Horn in the denial of P
    assert reasons(program(["Or(P(a), P(b), p)", "Or(not P(a), not P(b), not p)", "P(c)"], "p"))
    (reason,) = reasons(program(["C(k)"], "p", constants={"Colour": ["k"]}))
    assert "k" in reason and "Colour" in reason
    (reason,) = reasons(program(["ForAll([x: T, y: T], x != y and P(x) -> P(y))"], "p"))
    assert "difference" in reason and "T" in reason


SHAPES = [
    "ForAll([x: T], P(x) -> (Q(x) -> R(x, x)))",
    "ForAll([x: T], P(x) -> ForAll([y: T], Q(y) and x == y -> R(x, y)))",
    "ForAll([x: T], (P(x) and Q(x)) -> (R(x, x) and p))",
    "ForAll([x: T], not (P(x) and Q(x) and not R(x, x)))",
    "ForAll([x: T], not P(x) or not Q(x) or R(x, x))",
    "ForAll([x: T], Exists([y: T], P(y) and Q(y) and x == y) -> R(x, x))",
    "ForAll([x: T], (P(x) and Q(x)) <-> (R(x, x) and Q(x) and P(x)))",
    "ForAll([x: T], P(x) and (Q(x) or p) -> R(x, x))",
    "ForAll([x: T], If(P(x), Q(x) -> R(x, x), True))",
]


@pytest.mark.parametrize("rule", SHAPES)
def test_shapes_of_rules(rule: str) -> None:
    """[CLOSURE-SHAPES] All of these derive R(a, a), and not R(b, b)."""
    facts = [rule, "P(a)", "Q(a)", "P(b)"]
    assert statuses(program(facts, "R(a, a)")) == ENTAILED
    assert statuses(program(facts, "R(b, b)")) == UNDETERMINED


def test_definitions_are_unfolded() -> None:
    source = program(["P(a)", "Q(a)", "ForAll([x: T], D(x) -> R(x, x))"], "R(a, a)")
    source["functions"].append(
        {
            "name": "D",
            "domain": ["T"],
            "range": "Bool",
            "params": [{"name": "x", "sort": "T"}],
            "body": "P(x) and Q(x)",
        }
    )
    assert statuses(source) == ENTAILED


def test_no_predicate_is_closed() -> None:
    """[CLOSURE-NEGATION] What is not derived is not false, whatever `semantics` says."""
    facts = ["P(a)", "ForAll([x: T], not P(x) and Q(x) -> R(x, x))", "Q(b)"]
    source = program(facts, "R(b, b)", unique_names=True, closed_domain=["T"])
    assert statuses(source) == UNDETERMINED


@pytest.mark.parametrize("sort", ["BitVec(1)", "BitVec(2)", "String", "Real"])
@pytest.mark.parametrize("rules", [[], ["ForAll([x: T, y: T, z: T], R(x, y) and R(y, z) -> R(x, z))"]])
def test_a_goal_brings_no_relations_of_its_own(sort: str, rules: list[str]) -> None:
    """[CLOSURE-MEMBERS] No assumption ranges over the sort: the tables have no relation of it."""
    source = program([*rules, "R(a, b)", "R(b, c)"], f"ForAll([v: {sort}], V(v))")
    source["functions"].append({"name": "V", "domain": [sort], "range": "Bool"})
    source["verifications"].append({"constraint": f"R(a, c) or Exists([v: {sort}], V(v))"})
    verdicts = [each.verdict for each in potlang.verify(potlang.compile(source)).results]
    entailed = Verdict.ENTAILED if rules else Verdict.UNDETERMINED
    assert verdicts == [Verdict.UNDETERMINED, entailed]


def test_parts_that_are_shared_are_looked_at_once() -> None:
    """A formula of 2^300 parts, written with sharing: each of its 300 nodes is one to look at."""
    module = potlang.compile(program(["P(a)"], "P(a)")).module
    formula = module.assertions[0].formula
    for _ in range(300):
        formula = module.pool.app(op.IFF, (formula, module.pool.negate(formula)))
    shared = module.assertions[0]._replace(formula=formula)
    found = recognise_exact(replace(module, assertions=(shared,)))
    assert found is not None and HornSolver(found).assumptions().status == "unsat"


def test_what_would_become_equal_after_a_violation_is_not_asked_for() -> None:
    """[CLOSURE-EQUAL] The closed domain makes x and a equal, which would make -1 and n equal in turn."""
    source = {
        "sorts": [
            {"name": "D", "type": "DeclareSort"},
            {"name": "E", "type": "EnumSort", "values": ["e1", "e2"]},
        ],
        "constants": {"g": {"sort": "D", "members": ["a"]}, "i": {"sort": "Int", "members": ["n"]}},
        "rules": [
            {
                "exists": [{"name": "x", "sort": "D"}],
                "constraint": "((a == x -> -1 == n) -> Xor(e1 == e2, e1 == e1)) -> e1 == e2",
            }
        ],
        "semantics": {"closed_domain": True},
    }
    assert potlang.verify(source).consistency == "inconsistent"
