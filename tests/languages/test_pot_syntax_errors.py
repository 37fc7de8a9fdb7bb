"""What is said about frequent mistakes; each safe fix gives an expression, and no fix leaves its mistake."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from strategies_pot import damaged, expressions, simple_expressions
from surface_dump import dump

import potlang
from potlang.diag.model import Applicability, Diagnostic, Fix, Replace
from potlang.diag.sink import Sink
from potlang.expressions.expression import parse_expression, parse_sort
from potlang.expressions.surface import Expr


def check(text: str) -> tuple[Expr | None, list[Diagnostic]]:
    sink = Sink()
    return parse_expression(text, "/x", sink), sink.diagnostics()


def applied(text: str, fix: Fix) -> str:
    edits = [edit for edit in fix.edits if isinstance(edit, Replace)]
    assert len(edits) == len(fix.edits)
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end), reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


CASES = [
    ("", ["POT1026 the expression is empty"], None),
    (" \n", ["POT1026 the expression is empty"], None),
    ("a = 3", ["POT1023@2:3 `=` is not an operator here"], "(== a 3)"),
    ("p => q", ["POT1020@2:4 `=>` is not an operator here"], "(-> p q)"),
    ("x => 5", ["POT1020@2:4 `=>` is not an operator here"], None),
    ("p <=> q", ["POT1020@2:5 `<=>` is not an operator here"], "(<-> p q)"),
    (
        "p && !q",
        ["POT1020@2:4 `&&` is not an operator here", "POT1020@5:6 `!` is not an operator here"],
        "(and p (not1 q))",
    ),
    ("p|q", ["POT1020@1:2 `|` is not an operator here"], "(or p q)"),
    ("p/\\q", ["POT1020@1:3 `/\\` is not an operator here"], "(and p q)"),
    ("~p", ["POT1020@0:1 `~` is not an operator here"], "(not1 p)"),
    ("a <> b", ["POT1020@2:4 `<>` is not an operator here"], "(!= a b)"),
    ("a =< b", ["POT1020@2:4 `=<` is not an operator here"], "(<= a b)"),
    ("a − 1", ["POT1020@2:3 `−` is not an operator here"], "(- a 1)"),
    ("p implies q", ["POT1020@2:9 `implies` is not an operator"], "(-> p q)"),
    ("p AND q", ["POT1020@2:5 `AND` is not an operator"], "(and p q)"),
    ("NOT p", ["POT1020@0:3 `NOT` is not an operator"], "(not1 p)"),
    ("f(a", ["POT1021@1:2 the bracket `(` is never closed"], "(f a)"),
    ("And(p(a), q(b)", ["POT1021@3:4 the bracket `(` is never closed"], "(And (p a) (q b))"),
    ("ForAll([x], p(x", ["POT1021@13:14 the bracket `(` is never closed"], "(ForAll (list x) (p x))"),
    ("f(a))", ["POT1020@4:5 `)` closes no bracket"], "(f a)"),
    ("f([a, b)", ["POT1021@2:3 the bracket `[` is never closed"], None),
    ("f(a b)", ["POT1020@2:5 a comma is missing between the name `a` and the name `b`"], None),
    (
        "f(a b, c, d e)",
        [
            "POT1020@2:5 a comma is missing between the name `a` and the name `b`",
            "POT1020@10:13 a comma is missing between the name `d` and the name `e`",
        ],
        None,
    ),
    ("hard hat(x)", ["POT1020@0:8 an operator is missing between the name `hard` and the name `hat`"], None),
    ("f(a,, b)", ["POT1020@4:5 nothing stands before this comma"], None),
    ("a, b", ["POT1020@1:2 a comma cannot join formulas here"], None),
    ("p and", ["POT1020@2:5 `and` has nothing on its right"], None),
    ("or p", ["POT1020@0:2 `or` has nothing on its left"], None),
    (
        "And(p ->, q or)",
        ["POT1020@6:8 `->` has nothing on its right", "POT1020@12:14 `or` has nothing on its right"],
        None,
    ),
    ("+3", ["POT1020@0:1 a value cannot have the sign `+`"], "3"),
    ("()", ["POT1020@0:2 these brackets are empty"], None),
    ("x is  not y", ["POT1020@2:9 `is not` is not an operator here"], "(!= x y)"),
    ("x ∉ s", ["POT1020@2:3 `∉` is not an operator here"], "(not-in x s)"),
    ("if p then q", ["POT1020@0:2 `if` is not an operator"], None),
    ("Exists[x, p(x)]", ["POT1020@0:7 the parenthesis of the call is missing"], None),
    ("p and ForAll x, g(x)", ["POT1020@6:16 a quantifier is written as a call: ForAll([x], …)"], None),
    ("[a, b]", ["POT1020@5:6 a list cannot stand here"], None),
    ("a == not b", ["POT1020@5:8 `not` needs parentheses here"], None),
    ("x in s == b", ["POT1020@7:9 `==` cannot follow this"], None),
    ("a[3]", ["POT1020@1:2 brackets after a value do not select an element"], None),
    ("ForAll x. p(x)", ["POT1020@0:10 a quantifier is written as a call: ForAll([x], …)"], None),
    (
        "∀x∃y r(x, y)",
        [
            "POT1020@0:2 a quantifier is written as a call: ForAll([x], …)",
            "POT1020@2:5 a quantifier is written as a call: Exists([y], …)",
        ],
        None,
    ),
    ("lambda x: p(x)", ["POT1020@0:9 there are no lambda expressions"], None),
    ("all(f(x) for x in s)", ["POT1020@9:12 `for` is not an operator"], None),
    ("f('abc)", ["POT1024@2:3 the string is not closed"], None),
    ("John's(x)", ["POT1024@4:5 the string is not closed"], None),
    ("f(“abc”)", ["POT1022@2:7 unexpected character `“`"], "(f 'abc')"),
    ("f(1_000)", ["POT1020@2:7 a number has no underscores"], "(f 1000)"),
    (
        "f(2nd_floor)",
        ["POT1020@2:11 a name that begins with a digit is written in backquotes, here `2nd_floor`"],
        None,
    ),
    ("f(a).", ["POT1022@4:5 unexpected character `.`"], "(f a)"),
    ("x\u200b == 3", ["POT1022@1:2 unexpected character `\\u200b`"], "(== x 3)"),
    (
        "And(q = 3, r s, ~t)",
        [
            "POT1023@6:7 `=` is not an operator here",
            "POT1020@16:17 `~` is not an operator here",
            "POT1020@11:14 a comma is missing between the name `r` and the name `s`",
        ],
        None,
    ),
]


@pytest.mark.parametrize(("text", "expected", "fixed"), CASES, ids=[case[0][:20] for case in CASES])
def test_what_is_said_about_a_mistake(text: str, expected: list[str], fixed: str | None) -> None:
    """`fixed` is the tree after all safe fixes; None where there are none or not enough."""
    tree, diagnostics = check(text)
    assert tree is None
    found = []
    for diagnostic in diagnostics:
        span = diagnostic.place.span
        at = f"@{span[0]}:{span[1]}" if span else ""
        found.append(f"{diagnostic.code}{at} {diagnostic.message}")
    assert found == expected
    safe = [fix for one in diagnostics for fix in one.fixes if fix.applicability is Applicability.SAFE]
    edits = [edit for fix in safe for edit in fix.edits]
    repaired, _ = check(applied(text, Fix("all", Applicability.SAFE, tuple(edits))))
    assert (dump(repaired) if repaired is not None else None) == fixed


@pytest.mark.parametrize("text", [case[0] for case in CASES])
def test_a_fix_removes_its_mistake(text: str) -> None:
    _, before = check(text)
    for diagnostic in before:
        for fix in diagnostic.fixes:
            _, after = check(applied(text, fix))
            assert len(after) < len(before), (fix, after)


@given(damaged(expressions() | simple_expressions()))
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_single_mistake_with_a_safe_fix_is_really_mended(text: str) -> None:
    tree, diagnostics = check(text)
    if tree is None and len(diagnostics) == 1:
        for fix in diagnostics[0].fixes:
            if fix.applicability is Applicability.SAFE:
                repaired, remaining = check(applied(text, fix))
                assert repaired is not None, (applied(text, fix), remaining)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Person", "Person"),
        (" hard hat ", "hard hat"),
        ("BitVecSort(8)", "(BitVecSort 8)"),
        ("ArraySort(Int, Set(Person))", "(ArraySort Int (Set Person))"),
        ("Array(`a b`, T)", "(Array a b T)"),
    ],
)
def test_sorts(text: str, expected: str) -> None:
    sink = Sink()
    assert dump(parse_sort(text, "/x", sink)) == expected
    assert not len(sink)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("A -> B", "POT1025"),
        ("Array[Int, Bool]", "POT1025"),
        ("Set<Person>", "POT1025"),
        ("BitVecSort(", "POT1021"),
        ("BitVecSort(8.5)", "POT1025"),
        ("Array(Int Bool)", "POT1025"),
        ("F(A)(B)", "POT1025"),
        ("A, B", "POT1025"),
        ("  ", "POT1025"),
    ],
)
def test_wrong_sorts(text: str, code: str) -> None:
    sink = Sink()
    assert parse_sort(text, "/x", sink) is None
    assert [found.code for found in sink.diagnostics()] == [code]


def test_a_mistake_inside_of_a_choice_is_the_only_one() -> None:
    formula = "If(f(a) <= 10,000, 0, If(f(a) <= 50,000, 1, 2)) == 1"
    program = {
        "sorts": [{"name": "T", "type": "DeclareSort"}],
        "functions": [{"name": "f", "domain": ["T"], "range": "Int"}],
        "constants": {"t": {"sort": "T", "members": ["a"]}},
        "verifications": [{"constraint": formula}],
    }
    found = potlang.check(program).diagnostics
    assert [each.code for each in found if str(each.severity) == "error"] == ["POT1030", "POT1030"]
