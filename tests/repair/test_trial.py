"""Safe fixes are tried by compiling: a guess of several is none."""

from __future__ import annotations

from typing import Any

import pytest

from potlang.api import check

PROGRAM: dict[str, Any] = {
    "sorts": [{"name": "P", "type": "EnumSort", "values": ["a", "b"]}],
    "functions": [
        {"name": "p", "domain": ["P"], "range": "Bool"},
        {"name": "q", "domain": ["P"], "range": "Bool"},
        {"name": "f", "domain": ["P"], "range": "Int"},
    ],
}


def first_fix(formula: str, *others: str) -> tuple[str, str]:
    """The title of the first fix of the formula, and how far it may be trusted."""
    found = check({**PROGRAM, "knowledge_base": [formula, *others]}).diagnostics
    fix = next(fix for each in found for fix in each.fixes)
    return fix.title, str(fix.applicability)


@pytest.mark.parametrize(
    ("formula", "trust"),
    [
        ("Not(p(a)", "safe"),
        ("ForAll([x: P], Implies(p(x), q(x))", "safe"),
        ("Implies(p(a), q(a)))", "safe"),
        ("And(Or(p(a), p(b), q(a))", "unsafe"),
        ("Not(p(a) and q(a)", "unsafe"),
        ("p(a) and p(b) or q(a))", "unsafe"),
        ("p(a) && q(a)", "safe"),
        ("f(a) & 1 == 0", "unsafe"),
        ("p(a) => q(a)", "safe"),
        ("f(a) = 3", "safe"),
        ("f(a)!== 3", "unsafe"),
        ("forall([x: P], p(x))", "safe"),
        ("round(f(a)) == 3", "unsafe"),
    ],
)
def test_a_fix_is_safe_if_nothing_else_could_be_meant(formula: str, trust: str) -> None:
    """[DIAG-FIX-6]"""
    assert first_fix(formula)[1] == trust


def test_one_equals_sign_among_others_may_be_what_is_left() -> None:
    """[DIAG-FIX-6]"""
    assert first_fix("f(a) = 3", "f(b) == 1", "f(b) == 2", "f(a) == f(b)")[1] == "unsafe"
    assert first_fix("f(a) = 3", "f(b) = 1", "f(b) == 2", "f(a) == f(b)")[1] == "safe"
