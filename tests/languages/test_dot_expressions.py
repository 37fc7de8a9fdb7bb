"""Propositions as expressions: the text that is written for one reads as the same formula."""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from potlang.diag import Sink
from potlang.ir.text import print_formula
from potlang.languages.dot.lower.expressions import read_expression
from potlang.languages.pot.read.reader import read_program
from potlang.sema import build_session
from potlang.testing.traces import proposition

PROGRAM: dict[str, Any] = {
    "functions": [
        {"name": "p", "domain": ["Int"], "range": "Bool"},
        {"name": "f", "domain": ["Int"], "range": "Int"},
        {"name": "hard hat", "domain": ["Int"], "range": "Bool"},
    ],
    "constants": {
        "numbers": {"sort": "Int", "members": ["x", "y", "z", "and", "Größe"]},
        "truths": {"sort": "Bool", "members": ["q"]},
    },
}


def formula(value: object) -> tuple[str, str | None]:
    """The text of a proposition, and its formula in the IR."""
    sink = Sink()
    tree = read_program(PROGRAM, sink)
    assert tree is not None
    built = build_session(tree, sink)
    assert built is not None
    expression = read_expression(value, "", sink).formula
    node = built[1].formula(expression, sink)
    return expression.text, None if node is None else print_formula(node)


CASES = [
    ({"gt": [4, 2]}, "4 > 2"),
    ({"ne": ["x", -3]}, "x != (-3)"),
    ({"eq": [{"sub": ["x", {"sub": ["y", "z"]}]}, {"neg": {"neg": "x"}}]}, "(x - (y - z)) == (-(-x))"),
    ({"lt": [{"mul": [2, {"add": ["x", 1, "y"]}]}, Decimal("0.50")]}, "(2 * (x + 1 + y)) < 0.50"),
    ({"implies": [{"and": ["q", {"not": "q"}]}, {"or": [["p", "x"]]}]}, "(q and (not q)) -> (p(x))"),
    ({"iff": ["q", {"forall": [{"v": "Int", "w": "Bool"}, {"or": ["w", ["p", "v"]]}]}]},
     "q <-> ForAll([v: Int, w: Bool], w or p(v))"),
    ({"ge": [{"ite": ["q", "and", ["f", "Größe"]]}, 1]}, "If(q, `and`, f(Größe)) >= 1"),
    (["hard hat", {"pot": "x * (y + 1)"}], "`hard hat`(x * (y + 1))"),
    ({"pot": "x < y < z"}, "x < y < z"),
    ({"and": ["q", {"pot": "x < y or q"}]}, "q and (x < y or q)"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "text"), CASES, ids=lambda value: str(value)[:40])
def test_text(value: object, text: str) -> None:
    """[DOT-THEORY-1] Operators, names, numbers, applications and quoted expressions."""
    shown, node = formula(value)
    assert shown == text and node is not None
    assert formula({"pot": shown})[1] == node


@pytest.mark.parametrize(
    ("value", "sort"),
    [(2, "Int"), (Decimal("2.0"), "Real"), (Decimal("1e0"), "Real"), (Decimal(10**700), "Int")],
)
def test_numbers(value: object, sort: str) -> None:
    """[DOT-THEORY-1] An integer is one of Int, any other number one of Real."""
    _, node = formula({"eq": [value, value]})
    shown, _ = formula({"eq": [value, 1]})
    assert node is not None and ("." not in shown.split(" ")[0]) == (sort == "Int")


def test_operators_are_the_built_in_ones() -> None:
    """[DOT-THEORY-1] A function called `If` or `ForAll` is not what the operators mean."""
    sink = Sink()
    named = [{"name": name, "domain": ["Int"], "range": "Bool"} for name in ("If", "ForAll", "Exists")]
    tree = read_program({"functions": named}, sink)
    assert tree is not None
    built = build_session(tree, sink)
    assert built is not None
    value = {
        "forall": [{"x": "Int"}, {"exists": [{"y": "Int"}, {"eq": [{"ite": [["If", 1], "x", "y"]}, "y"]}]}]
    }
    node = built[1].formula(read_expression(value, "", sink).formula, Sink())
    assert node is not None and "(ite (If 1) " in print_formula(node)


def check(seed: int) -> None:
    value = proposition(Random(seed), 4)
    shown, node = formula(value)
    assert formula({"pot": shown})[1] == node


@given(st.integers(0, 10**9))
def test_text_reads_as_the_same_formula(seed: int) -> None:
    """[DOT-THEORY-1] Where it is well sorted."""
    check(seed)


@pytest.mark.slow
@settings(max_examples=2_000)
@given(st.integers(0, 10**9))
def test_text_reads_as_the_same_formula_deep(seed: int) -> None:
    check(seed)
