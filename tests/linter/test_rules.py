"""Each rule of the linter on programs that it is about, and on others like them."""

from __future__ import annotations

from typing import Any

import pytest

import potlang
from potlang.diag import CODES, Severity
from potlang.diag.fixes import apply_fix
from potlang.linter.choice import LintChoice
from potlang.linter.rules import LINT_RULES

SORTS = [
    {"name": "Item", "type": "DeclareSort"},
    {"name": "Colour", "type": "EnumSort", "values": ["red", "blue"]},
]
FUNCTIONS = [
    *(
        {"name": name, "domain": ["Item"], "range": "Bool"}
        for name in ("ok", "cat", "dog", "may_leave", "special")
    ),
    {"name": "days", "domain": ["Item"], "range": "Int"},
    {"name": "price", "domain": ["Item"], "range": "Real"},
    {"name": "colour", "domain": ["Item"], "range": "Colour"},
    {"name": "adjacent", "domain": ["Item", "Item"], "range": "Bool"},
    {"name": "before", "domain": ["Item", "Item"], "range": "Bool"},
]


def program(
    *, facts: tuple[str, ...] = (), rules: tuple[str, ...] = (), claims: tuple[str, ...] = (), **more: Any
) -> dict[str, Any]:
    return {
        "sorts": SORTS,
        "functions": FUNCTIONS,
        "constants": {"items": {"sort": "Item", "members": ["a", "b"]}},
        "variables": [
            {"name": "x", "sort": "Item"},
            {"name": "y", "sort": "Item"},
            {"name": "n", "sort": "Int"},
        ],
        "knowledge_base": list(facts),
        "rules": [{"constraint": text} for text in rules],
        "verifications": [{"constraint": text} for text in claims],
        **more,
    }


def found(value: dict[str, Any], name: str) -> list[potlang.Diagnostic]:
    """What one rule finds."""
    checked = potlang.lint(value, choice=LintChoice(only=(name,)), language="pot")
    assert checked.ok, checked.diagnostics
    return [each for each in checked.diagnostics if CODES[each.code].slug == name]


PIGEONS: dict[str, Any] = {
    "sorts": [SORTS[1], {"name": "Hole", "type": "DeclareSort"}],
    "functions": [{"name": "hole", "domain": ["Colour"], "range": "Hole"}],
    "verifications": [{"constraint": "hole(red) != hole(blue)"}],
}

FOUND: dict[str, list[dict[str, Any]]] = {
    "same-term": [
        program(facts=("adjacent(a, a)",)),
        program(facts=("Not(adjacent(a, a))",), claims=("ok(a)",)),
        program(rules=("ForAll([x], Implies(And(ok(x), adjacent(x, x)), cat(x)))",)),
        program(rules=("ForAll([x], Implies(ok(x), adjacent(a, a)))",)),
        program(claims=("And(ok(a), Not(adjacent(a, a)))",)),
        program(facts=("days(a) == days(a)",)),
        program(facts=("And(ok(a), days(a) <= days(a))",)),
        program(facts=("days(a) == days(a) + 1",)),
        program(facts=("days(a) >= days(a) - 2",)),
        program(rules=("ForAll([x], Implies(ok(x), days(x) != days(x)))",)),
        program(facts=("ok(a)",), claims=("days(a) == days(a)",)),
        program(
            functions=[*FUNCTIONS, {"name": "parent", "domain": ["Item"], "range": "Item"}],
            claims=("parent(a) == a",),
        ),
    ],
    "open-sort": [PIGEONS],
    "unreachable-declaration": [program(facts=("ok(a)", "cat(a)"), claims=("ok(a)",))],
    "repeated-statement": [
        program(facts=("ok(a)", "days(a) == 3", "ok(a)")),
        program(rules=("ForAll([x], Implies(ok(x), cat(x)))", "ForAll([y], Implies(ok(y), cat(y)))")),
        program(facts=("ForAll([x], ok(x))",), rules=("ForAll([x], ok(x))",)),
        program(claims=("ok(a)", "ok(a)")),
    ],
    "missing-premise": [
        program(facts=("ok(a)",), claims=("cat(a)",)),
        program(
            rules=("ForAll([x], Implies(ok(x), cat(x)))",), claims=("ForAll([x], Implies(ok(x), dog(x)))",)
        ),
    ],
    "exists-implication": [
        program(facts=("Exists([x], Implies(ok(x), cat(x)))",)),
        program(claims=("Exists([x], ok(x) -> cat(x))",)),
        program(rules=("ForAll([x], Exists([y], Implies(ok(x), adjacent(x, y))))",)),
        program(
            rules=(),
            verifications=[
                {"exists": [{"name": "x"}], "implies": {"antecedent": "ok(x)", "consequent": "cat(x)"}}
            ],
        ),
    ],
    "forall-conjunction": [
        program(rules=("ForAll([x], And(ok(x), days(x) < 100))",)),
        program(claims=("ForAll([x], ok(x) and cat(x))",)),
    ],
    "fraction-of-int": [
        program(facts=("days(a) == 20.5",)),
        program(rules=("ForAll([x], Implies(days(x) == 1/2, ok(x)))",)),
        program(facts=("days(a) != 20.5",)),
    ],
    "opposite-rules": [
        *(
            program(
                rules=(
                    f"ForAll([x], Implies(ok(x), {name}(x)))",
                    f"ForAll([x], Implies(cat(x), Not({name}(x))))",
                ),
                functions=[{"name": name, "domain": ["Item"], "range": "Bool"}, *FUNCTIONS],
            )
            for name in ("can_be_returned", "CanRent", "cannot_be_cancelled")
        ),
        program(
            rules=(
                "ForAll([x, y], Implies(adjacent(y, x), Not(may_leave(x))))",
                "ForAll([x], Implies(Not(Exists([y], adjacent(x, y))), may_leave(x)))",
            )
        ),
        program(
            rules=(
                "ForAll([x], Implies(ok(x), may_leave(x)))",
                "ForAll([y], Implies(cat(y), Not(may_leave(y))))",
            )
        ),
        program(
            rules=("ForAll([x], Implies(ok(x), days(x) == 3))", "ForAll([x], Implies(cat(x), days(x) == 4))")
        ),
        program(
            rules=(
                "ForAll([x], Implies(ok(x), colour(x) == red))",
                "ForAll([x], Implies(cat(x), colour(x) == blue))",
            )
        ),
        # A special case of the other rule.
        program(
            rules=(
                "ForAll([x], Implies(cat(x), dog(x)))",
                "ForAll([x], Implies(And(cat(x), special(x)), Not(dog(x))))",
            )
        ),
        program(
            rules=(
                "ForAll([x], Implies(days(x) < 9, dog(x)))",
                "ForAll([x], Implies(days(x) < 3, Not(dog(x))))",
            )
        ),
    ],
    "rules-disagree": [
        program(
            rules=(
                "ForAll([x], Implies(ok(x), may_leave(x)))",
                "ForAll([y], Implies(cat(y), Not(may_leave(y))))",
            )
        ),
        program(
            rules=("ForAll([x], Implies(ok(x), days(x) > 9))", "ForAll([x], Implies(cat(x), days(x) < 4))")
        ),
        program(
            rules=(
                "ForAll([x], Implies(ok(x), price(x) == 0.5))",
                "ForAll([x], Implies(cat(x), price(x) >= 1))",
            )
        ),
        # One of the two is about a named thing.
        program(
            rules=(
                "ForAll([x], Implies(ok(x), may_leave(x)))",
                "ForAll([x], Implies(cat(x), Not(may_leave(a))))",
            )
        ),
    ],
    "rests-on-disagreement": [
        program(
            rules=(
                "ForAll([x], Implies(ok(x), may_leave(x)))",
                "ForAll([x], Implies(cat(x), Not(may_leave(x))))",
            ),
            claims=("ForAll([x], Implies(ok(x), Not(cat(x))))",),
        ),
        program(
            facts=("ok(a)",),
            rules=(
                "ForAll([x], Implies(ok(x), may_leave(x)))",
                "ForAll([x], Implies(cat(x), Not(may_leave(x))))",
            ),
            claims=("cat(a)",),
        ),
    ],
    "dead-antecedent": [
        program(rules=("ForAll([x], Implies(And(days(x) < 0, days(x) > 10), ok(x)))",)),
        program(facts=("ForAll([x], days(x) > 3)",), rules=("ForAll([x], Implies(days(x) < 2, ok(x)))",)),
        program(
            facts=("ForAll([x], Implies(cat(x), Not(dog(x))))",),
            rules=("Implies(And(cat(a), dog(a)), ok(b))",),
        ),
        program(
            facts=("limit == 30",),
            rules=("ForAll([x], Implies(days(x) > limit and days(x) < 20, ok(x)))",),
            functions=[{"name": "limit", "domain": [], "range": "Int"}, *FUNCTIONS],
        ),
    ],
    "vacuous-claim": [
        program(claims=("ForAll([x], Implies(days(x) < 5 and days(x) > 6, ok(x)))",)),
        program(facts=("days(a) == 20",), claims=("Implies(days(a) > 40, ok(a))",)),
        program(facts=("ForAll([x], ok(x))",), claims=("ForAll([x], Implies(Not(ok(x)), cat(x)))",)),
    ],
    "fixed-truth": [
        program(facts=("days(a) > 0 or days(a) <= 0",)),
        program(facts=("ok(a)",), claims=("1 + 1 == 2",)),
        program(facts=("ok(a)",), claims=("a == a",)),
        program(facts=("ok(a)",), claims=("And(ok(a), Not(ok(a)))",)),
        program(rules=("ForAll([x], Implies(ok(x), ok(x)))",)),
    ],
    "missing-law": [program(facts=("adjacent(a, b)",)), program(facts=("before(a, b)",))],
    "decision-gap": [
        program(
            rules=(
                "ForAll([x], Implies(days(x) < 3, colour(x) == red))",
                "ForAll([x], Implies(days(x) > 3, colour(x) == blue))",
            )
        ),
        program(
            rules=(
                "ForAll([x], Implies(ok(x), may_leave(x)))",
                "ForAll([y], Implies(dog(y), Not(may_leave(y))))",
            )
        ),
    ],
    "unstated-assumption": [
        program(facts=("ok(a)",), claims=("a != b",)),
        program(facts=("ok(a)", "Not(ok(b))", "cat(a)", "cat(b)"), claims=("ForAll([x], cat(x))",)),
        program(facts=("cat(a)", "cat(b)", "ok(a)"), claims=("Not(Exists([x], Not(cat(x))))",)),
    ],
    "open-predicate": [
        program(facts=("ok(a)",), claims=("Not(ok(b))",)),
        program(rules=("ForAll([x], Implies(dog(x), ok(x)))",), claims=("Not(ok(b))",)),
    ],
}
NOT_FOUND: dict[str, list[dict[str, Any]]] = {
    "same-term": [
        # Laws, and a question about one atom.
        program(rules=("ForAll([x], Not(adjacent(x, x)))", "ForAll([x], adjacent(x, x))")),
        program(rules=("ForAll([x], Implies(ok(x), Not(adjacent(x, x))))",)),
        program(facts=("ok(a)",), claims=("adjacent(a, a)", "Not(before(a, a))")),
        program(facts=("Exists([x], And(ok(x), adjacent(x, x)))",)),
        # All things, one after the other.
        program(
            constants={"items": {"sort": "Item", "members": ["a", "b", "c"]}},
            facts=("If(adjacent(a, a), 1, 0) + If(adjacent(a, b), 1, 0) + If(adjacent(a, c), 1, 0) == 1",),
        ),
        program(
            facts=("Count([x: Colour, y: Colour], same(x, y)) == 2",),
            functions=[{"name": "same", "domain": ["Colour", "Colour"], "range": "Bool"}, *FUNCTIONS],
        ),
        program(facts=("days(a) == days(b) + 1", "adjacent(a, b)", "days(a) == 2 * days(a)")),
        program(facts=("days(a) == 5 - days(a)",)),
        # A contradiction is said where it is found.
        program(facts=("days(a) < days(a)",)),
    ],
    "open-sort": [
        {**PIGEONS, "constants": {"holes": {"sort": "Hole", "members": ["left"]}}},
        {**PIGEONS, "knowledge_base": ["Exists([h: Hole], h == hole(red))"]},
        {**PIGEONS, "sorts": [*SORTS[1:], {"name": "Hole", "type": "EnumSort", "values": ["left", "right"]}]},
    ],
    "unreachable-declaration": [
        program(facts=("cat(a)",), rules=("ForAll([x], Implies(cat(x), ok(x)))",), claims=("ok(a)",)),
        program(facts=("ok(a)",)),
    ],
    "repeated-statement": [
        program(facts=("ok(a)", "ok(b)"), claims=("ok(a)",)),
        program(rules=("ForAll([x], Implies(ok(x), cat(x)))", "ForAll([x], Implies(cat(x), ok(x)))")),
        program(
            rules=("ForAll([x], Exists([y], adjacent(x, y)))", "ForAll([x], Exists([y], adjacent(y, x)))")
        ),
    ],
    "missing-premise": [
        program(facts=("ok(a)",), claims=("Not(ok(b))",)),
        program(claims=("Or(cat(a), Not(cat(a)))",)),
    ],
    "exists-implication": [
        program(
            facts=(
                "Exists([x], And(ok(x), cat(x)))",
                "ForAll([x], Implies(ok(x), Exists([y], adjacent(x, y))))",
            )
        ),
        program(facts=("Exists([x], Or(ok(x), Not(cat(x))))",)),
    ],
    "forall-conjunction": [
        program(rules=("ForAll([x], And(days(x) >= 1, days(x) <= 5))",)),
        program(rules=("ForAll([x], And(adjacent(x, a), ok(x)))",)),
        program(rules=("ForAll([x], Implies(And(ok(x), cat(x)), dog(x)))",)),
    ],
    "fraction-of-int": [program(facts=("price(a) == 20.5", "days(a) < 20.5", "days(a) == 20.0"))],
    "opposite-rules": [
        # A condition denies that there is what the other one speaks of.
        program(
            rules=(
                "ForAll([x, y], Implies(adjacent(y, x) and cat(x), Not(may_leave(x))))",
                "ForAll([x], Implies(Not(Exists([y], adjacent(y, x))), may_leave(x)))",
            )
        ),
        # An ability.
        program(
            rules=(
                "ForAll([x], Implies(ok(x), can_be_seen(x)))",
                "ForAll([x], Implies(cat(x), not can_be_seen(x)))",
            ),
            functions=[{"name": "can_be_seen", "domain": ["Item"], "range": "Bool"}, *FUNCTIONS],
        ),
        # Classes that exclude each other.
        program(rules=("ForAll([x], Implies(ok(x), cat(x)))", "ForAll([x], Implies(dog(x), Not(cat(x))))")),
        # Conditions that do.
        program(
            rules=(
                "ForAll([x], Implies(days(x) <= 3, may_leave(x)))",
                "ForAll([x], Implies(days(x) > 3, Not(may_leave(x))))",
            )
        ),
        program(
            rules=(
                "ForAll([x], Implies(days(x) < 3, may_leave(x)))",
                "ForAll([x], Implies(days(x) == 4, Not(may_leave(x))))",
            )
        ),
        program(
            rules=(
                "ForAll([x], Implies(colour(x) == red, days(x) == 3))",
                "ForAll([x], Implies(colour(x) == blue, days(x) == 4))",
            )
        ),
        program(
            rules=(
                "ForAll([x], Implies(And(ok(x), cat(x)), may_leave(x)))",
                "ForAll([x], Implies(Not(And(ok(x), cat(x))), Not(may_leave(x))))",
            )
        ),
        program(
            rules=(
                "ForAll([x], Implies(colour(x) in [red, blue], days(x) == 3))",
                "ForAll([x], Implies(is_green(x), days(x) == 4))",
            ),
            sorts=[SORTS[0], {"name": "Colour", "type": "EnumSort", "values": ["red", "blue", "green"]}],
            functions=[
                *FUNCTIONS,
                {
                    "name": "is_green",
                    "domain": ["Item"],
                    "range": "Bool",
                    "params": ["i"],
                    "body": "colour(i) == green",
                },
            ],
        ),
        # The same conclusion, and conclusions about different things.
        program(
            rules=("ForAll([x], Implies(ok(x), days(x) == 3))", "ForAll([x], Implies(cat(x), days(x) == 3))")
        ),
        program(
            rules=(
                "ForAll([x], Implies(ok(x), may_leave(a)))",
                "ForAll([x], Implies(cat(x), Not(may_leave(b))))",
            )
        ),
    ],
    "rules-disagree": [
        # The rest of the program excludes the case.
        program(
            facts=("ForAll([x], Not(And(ok(x), cat(x))))",),
            rules=(
                "ForAll([x], Implies(ok(x), may_leave(x)))",
                "ForAll([y], Implies(cat(y), Not(may_leave(y))))",
            ),
        ),
        # Both conclusions may hold.
        program(
            rules=("ForAll([x], Implies(ok(x), days(x) > 3))", "ForAll([x], Implies(cat(x), days(x) < 9))")
        ),
        program(
            rules=(
                "ForAll([x], Implies(price(x) > 3, days(x) == 3))",
                "ForAll([x], Implies(price(x) < 3, days(x) == 4))",
            )
        ),
    ],
    "rests-on-disagreement": [
        program(
            facts=("ok(a)",),
            rules=(
                "ForAll([x], Implies(ok(x), may_leave(x)))",
                "ForAll([x], Implies(cat(x), Not(may_leave(x))))",
            ),
            claims=("may_leave(a)",),
        ),
    ],
    "dead-antecedent": [
        program(rules=("ForAll([x], Implies(And(days(x) > 0, days(x) < 10), ok(x)))",)),
        # Everything is excluded by a contradiction, which is another finding.
        program(facts=("ok(a)", "Not(ok(a))"), rules=("ForAll([x], Implies(cat(x), dog(x)))",)),
        # A puzzle's condition that is not met.
        program(facts=("Not(ok(a))", "Implies(ok(a), cat(b))")),
        # A rule that does not apply to the case at hand.
        program(facts=("Not(ok(a))",), rules=("Implies(ok(a), cat(b))",)),
        program(facts=("Not(ok(a))",), rules=("ForAll([x], Implies(cat(x) and ok(a), dog(x)))",)),
    ],
    "vacuous-claim": [
        program(facts=("days(a) == 20",), claims=("Implies(days(a) > 10, ok(a))",)),
        # That nothing is both, said as a contradiction.
        program(
            facts=("ForAll([x], Implies(cat(x), Not(dog(x))))",),
            claims=(
                "Implies(And(cat(a), dog(a)), Not(dog(a)))",
                "ForAll([x], Implies(cat(x) and dog(x), Not(cat(x))))",
            ),
        ),
    ],
    "fixed-truth": [
        program(facts=("ok(a) or cat(a)", "days(a) > 3")),
        # Questions about nothing but themselves, and about consistency.
        program(claims=("Exists([n], And(n > 0, n < 0))", "1 + 1 == 2")),
        program(facts=("ok(a)",), claims=("True",)),
        # Said by the rule on fractions.
        program(facts=("days(a) != 20.5",)),
        # Said by the rules on dead antecedents and vacuous claims.
        program(rules=("ForAll([x], Implies(And(days(x) < 0, days(x) > 10), ok(x)))",)),
        program(claims=("ForAll([x], Implies(days(x) < 5 and days(x) > 6, ok(x)))",)),
    ],
    "missing-law": [
        program(facts=("ForAll([x, y], Implies(adjacent(x, y), adjacent(y, x)))",)),
        program(
            facts=(
                "ForAll([x], Not(And(adjacent(x, a), ok(x))))",
                "ForAll([x, y], adjacent(x, y) -> adjacent(y, x))",
            )
        ),
    ],
}
NOT_FOUND |= {
    "decision-gap": [
        program(
            rules=(
                "ForAll([x], Implies(days(x) < 3, colour(x) == red))",
                "ForAll([x], Implies(days(x) >= 3, colour(x) == blue))",
            )
        ),
        # The rest of the program closes the gap.
        program(
            facts=("ForAll([x], Or(ok(x), dog(x)))",),
            rules=(
                "ForAll([x], Implies(ok(x), may_leave(x)))",
                "ForAll([y], Implies(dog(y), Not(may_leave(y))))",
            ),
        ),
        program(
            rules=("ForAll([x], Implies(ok(x), may_leave(x)))", "ForAll([x], Implies(dog(x), may_leave(x)))")
        ),
        # A class, which says something of some things only.
        program(rules=("ForAll([x], Implies(ok(x), cat(x)))", "ForAll([x], Implies(dog(x), Not(cat(x))))")),
    ],
    "unstated-assumption": [
        program(facts=("a != b",), claims=("a != b",)),
        program(facts=("ok(a)", "Or(ok(b), Not(cat(b)))"), claims=("ok(b)",)),
        program(facts=("ok(a)",), claims=("a != b",), semantics={"unique_names": True}),
        # Something that is said to exist need not be what has a name.
        program(facts=("Exists([x], ok(x))", "Not(ok(a))", "cat(b)"), claims=("ok(b)",)),
        program(facts=("Not(ok(a))", "Not(ok(b))"), claims=("Exists([x], ok(x))",)),
        # A variable without its binder is another mistake.
        program(facts=("cat(a)", "cat(b)", "cat(y)"), claims=("ForAll([x], cat(x))",)),
    ],
    "open-predicate": [
        program(facts=("ok(a)", "Or(ok(b), Not(cat(b)))"), claims=("ok(b)",)),
        program(rules=("ForAll([x], Implies(dog(x), Not(ok(x))))",), claims=("Not(ok(b))",)),
        program(facts=("Or(ok(a), Not(cat(a)))",), claims=("Not(cat(b))",)),
        program(facts=("ok(a)",), claims=("Not(ok(a))",)),
    ],
}
CASES = [(name, at) for name, values in FOUND.items() for at in range(len(values))]
OTHERS = [(name, at) for name, values in NOT_FOUND.items() for at in range(len(values))]


@pytest.mark.parametrize(("name", "at"), CASES)
def test_what_a_rule_is_about_is_found(name: str, at: int) -> None:
    """[LINT-SAME] [LINT-OPEN]
    [LINT-REPEATED] [LINT-PREMISE] [LINT-EXISTS] [LINT-FORALL] [LINT-FRACTION] [LINT-CLASH] [LINT-REST]
    [LINT-DEAD] [LINT-VACUOUS] [LINT-TRUTH] [LINT-LAW] [LINT-UNREACHABLE] [LINT-GAP] [LINT-ASSUMED]
    [LINT-DENIED]
    """
    assert found(FOUND[name][at], name)


@pytest.mark.parametrize(("name", "at"), OTHERS)
def test_what_is_as_it_should_be_is_not(name: str, at: int) -> None:
    """[LINT-TAXONOMY] [LINT-SURE] [LINT-ONE]"""
    relations = {"adjacent", "before"} if name == "missing-law" else set()
    mentioned = [
        each for each in found(NOT_FOUND[name][at], name) if "before" not in each.message or not relations
    ]
    assert [each.message for each in mentioned] == []


def test_every_rule_has_programs_here() -> None:
    elsewhere = {"unused-declaration", "repeated-name", "near-names"}
    elsewhere |= {"pack-conflict", "pack-exclusion", "two-definitions", "pack-by-hand"}
    assert {rule.name for rule in LINT_RULES} == set(FOUND) | elsewhere
    assert set(NOT_FOUND) == set(FOUND)


def test_findings_are_no_errors() -> None:
    codes = {rule.code for rule in LINT_RULES}
    assert {CODES[code].severity for code in codes} <= {Severity.WARNING, Severity.NOTE}
    assert all(rule.by_default for rule in LINT_RULES if CODES[rule.code].severity is Severity.WARNING)


def test_claims_that_ask_in_two_ways_and_options_of_two_questions_are_no_repetition() -> None:
    """[LINT-REPEATED]"""
    must = {"constraint": "ok(a)"}
    asked = program(facts=("ok(b)",)) | {"verifications": [must, {**must, "ask": "could"}]}
    assert found(asked, "repeated-statement") == []
    options = [{"name": "A", "constraint": "ok(a)"}, {"name": "B", "constraint": "cat(a)"}]
    question = {"ask": "could", "options": options}
    two = program(facts=("ok(b)",)) | {"verifications": [{"name": name, **question} for name in ("q", "r")]}
    assert found(two, "repeated-statement") == found(two, "repeated-name") == []
    again = {"ask": "could", "options": [*options, {"name": "C", "constraint": "ok(a)"}]}
    thrice = program(facts=("ok(b)",)) | {"verifications": [again]}
    assert [each.place.pointer for each in found(thrice, "repeated-statement")] == [
        "/verifications/0/options/2/constraint"
    ]


# --- declarations ----------------------------------------------------------------------------------


def test_declarations_that_nothing_uses() -> None:
    """[LINT-UNUSED]"""
    value = {
        "sorts": [
            *SORTS,
            {"name": "Idle", "type": "DeclareSort"},
            {"name": "P", "type": "TupleSort", "fields": [{"name": "left", "sort": "Int"}]},
        ],
        "functions": [*FUNCTIONS[:2], {"name": "idle", "domain": ["Int"], "range": "Int"}],
        "constants": {
            "items": {"sort": "Item", "members": ["a", "c"]},
            "colours": {"sort": "Colour", "members": ["k"]},
        },
        "variables": [
            {"name": "x", "sort": "Item"},
            {"name": "n", "sort": "Int"},
            {"name": "z", "sort": "Item"},
        ],
        "knowledge_base": ["ok(a)", "k == red", "Count([x], cat(x)) >= 0"],
        "verifications": [{"constraint": "ForAll([n], n > 3)"}],
    }
    names = [each.message.split("`")[1] for each in found(value, "unused-declaration")]
    assert names == ["Idle", "P", "idle", "z"]


def test_what_a_pack_or_a_quantifier_uses_is_used() -> None:
    value = {
        "imports": [{"pack": "order/strict-total", "with": {"S": "Item", "less": "before"}}],
        "sorts": SORTS[:1],
        "functions": [FUNCTIONS[-1]],
        "verifications": [{"forall": [{"name": "x", "sort": "Item"}], "constraint": "x == x"}],
    }
    checked = potlang.lint(value, choice=LintChoice(only=("unused-declaration",)))
    assert [each for each in checked.diagnostics if each.code == "POT9010"] == []


def test_names_of_rules_are_compared_with_what_they_say() -> None:
    """[LINT-REPEATED]"""
    same = {"name": "late", "constraint": "ok(a)"}
    other = {"name": "late", "constraint": "ok(b)"}
    assert len(found(program(rules=()) | {"rules": [same, other]}, "repeated-name")) == 1
    assert found(program(rules=()) | {"rules": [same, same]}, "repeated-name") == []
    assert found(program() | {"rules": [same], "verifications": [other]}, "repeated-name") == []


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("RareDisease", "RareDiseases", True),
        ("TVSeries", "TvSeries", True),
        ("is_open", "isOpen", True),
        ("AncietWriter", "AncientWriter", True),
        ("receiver", "reciever", True),
        ("Wumpus", "Yumpus", False),
        ("Numpus", "Tumpus", False),
        ("task1", "task2", False),
        ("cat", "cats", True),
        ("car", "cart", False),
    ],
)
def test_near_names(one: str, other: str, near: bool) -> None:
    """[LINT-NEAR]"""
    functions = [{"name": name, "domain": ["Item"], "range": "Bool"} for name in (one, other)]
    value = program(functions=functions, facts=(f"{one}(a)", f"{other}(a)"))
    assert bool(found(value, "near-names")) == near
    functions[1]["range"] = "Int"
    value = program(functions=functions, facts=(f"{one}(a)", f"{other}(a) == 1"))
    assert found(value, "near-names") == []


# --- fixes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "at", "left"),
    [
        ("repeated-statement", 0, 0),
        ("repeated-statement", 1, 0),
        ("exists-implication", 0, 0),
        ("exists-implication", 1, 0),
        ("forall-conjunction", 0, 0),
        ("forall-conjunction", 1, 0),
        ("fraction-of-int", 0, 0),
        ("missing-law", 0, 1),
        ("missing-law", 1, 1),
        ("unstated-assumption", 0, 0),
        ("unstated-assumption", 1, 0),
        ("open-predicate", 0, 0),
        ("open-predicate", 1, 0),
    ],
)
def test_a_fix_removes_its_finding(name: str, at: int, left: int) -> None:
    """[DIAG-FIX-1]"""
    value = FOUND[name][at]
    first, *_ = found(value, name)
    fixed = apply_fix(value, first.fixes[0])
    assert isinstance(fixed, dict)
    assert len(found(fixed, name)) == left


def test_removing_a_repeated_fact_keeps_verdicts() -> None:
    """[LINT-REPEATED]"""
    value = program(facts=("ok(a)", "ok(a)"), claims=("ok(a)", "ok(b)"))
    first, *_ = found(value, "repeated-statement")
    assert first.fixes[0].applicability == "safe"
    fixed: Any = apply_fix(value, first.fixes[0])
    before, after = (potlang.verify(each, language="pot") for each in (value, fixed))
    assert [each.verdict for each in before.results] == [each.verdict for each in after.results]


def test_a_free_variable_is_a_warning_unless_it_is_a_number() -> None:
    """[LINT-FREE]"""
    checked = potlang.check(program(facts=("ok(x)", "n > 3")))
    assert [(each.code, each.severity.value) for each in checked.diagnostics] == [
        ("POT9001", "warning"),
        ("POT9001", "note"),
    ]


@pytest.mark.parametrize(
    ("facts", "claims", "reported"),
    [
        (("n > 3", "n < 9"), (), False),
        (("n > 3",), ("n == 4",), False),
        (("n > 3 and n < 9",), (), True),
        (("n > 3", "n < 9", "ForAll([n], n * n >= 0)"), (), True),
        (("ForAll([m: Int], m < n or m >= n)", "n < 9"), (), False),
    ],
)
def test_a_number_that_statements_share_is_one_that_is_sought(
    facts: tuple[str, ...], claims: tuple[str, ...], reported: bool
) -> None:
    """[LINT-FREE]"""
    checked = potlang.check(program(facts=facts, claims=claims))
    assert checked.ok
    assert [(each.code, each.severity.value) for each in checked.diagnostics] == (
        [("POT9001", "note")] if reported else []
    )


def test_the_halves_of_a_rule_are_one_statement() -> None:
    """[LINT-FREE]"""
    rule = {"implies": {"antecedent": "n > 3", "consequent": "n > 2"}}
    checked = potlang.check(program() | {"rules": [rule]})
    assert [each.code for each in checked.diagnostics] == ["POT9001"]


# --- what cases say of a policy -------------------------------------------------------------------


def policy(*rules: str, closed: tuple[str, ...] = ("ok", "cat"), **more: Any) -> dict[str, Any]:
    """A program that says nothing of particular things, with closed predicates."""
    functions = [{**each, "closed": True} if each["name"] in closed else each for each in FUNCTIONS]
    return program(rules=rules, functions=functions, constants={}, **more)


def test_a_condition_that_only_cases_fulfil_is_not_dead() -> None:
    """[LINT-DEAD]: nothing here makes `cat` true, so that cases say of what it is."""
    value = policy(
        "ForAll([x: Item], cat(x) -> ok(x))",
        "ForAll([x: Item], ok(x) and not dog(x) -> may_leave(x))",
        "ForAll([x: Item], cat(x) -> days(x) == 3)",
    )
    assert not found(value, "dead-antecedent")
    impossible = policy(
        "ForAll([x: Item], cat(x) -> ok(x))", "ForAll([x: Item], cat(x) and days(x) > days(x) -> ok(x))"
    )
    assert len(found(impossible, "dead-antecedent")) == 1


def test_a_closed_predicate_with_rules_still_excludes_what_they_do_not_say() -> None:
    """[LINT-DEAD]"""
    value = policy(
        "ForAll([x: Item], days(x) > 3 -> ok(x))", "ForAll([x: Item], ok(x) and days(x) < 2 -> dog(x))"
    )
    assert len(found(value, "dead-antecedent")) == 1


def test_a_claim_about_what_only_cases_say_is_not_vacuous() -> None:
    """[LINT-VACUOUS]"""
    value = policy("ForAll([x: Item], cat(x) -> ok(x))", claims=("ForAll([x: Item], cat(x) -> ok(x))",))
    assert not found(value, "vacuous-claim")


def test_rules_that_disagree_where_a_case_says_so_are_found() -> None:
    """[LINT-CLASH]"""
    value = policy(
        "ForAll([x: Item], cat(x) -> may_leave(x))", "ForAll([x: Item], days(x) > 3 -> not may_leave(x))"
    )
    assert len(found(value, "rules-disagree")) == 1


def test_what_is_counted_over_things_without_names_is_neither_dead_nor_unused() -> None:
    """[LINT-DEAD] [LINT-UNUSED]: a case names the things."""
    value = policy(
        "Count([x: Item], special(x)) >= 2 -> ForAll([y: Item], ok(y))",
        "ForAll([y: Item], ok(y) -> may_leave(y))",
    )
    assert not found(value, "dead-antecedent")
    unused = [each.message for each in found(value, "unused-declaration")]
    assert not any("`special`" in each for each in unused)
    assert any("`price`" in each for each in unused)
