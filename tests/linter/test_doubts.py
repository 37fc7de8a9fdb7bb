"""Where a report points to the linter."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import potlang
from potlang.linter.doubts import doubts

HERE = Path(__file__).parent
REVIEW = HERE / "review"


def said(source: Any) -> str:
    program = potlang.compile(source, language="pot")
    return doubts(program, potlang.verify(program, trust="solver"))


def program(facts: tuple[str, ...], rules: tuple[str, ...], *claims: str) -> dict[str, Any]:
    names = ("ok", "cat", "may_leave")
    return {
        "sorts": [{"name": "Item", "type": "DeclareSort"}],
        "functions": [{"name": name, "domain": ["Item"], "range": "Bool"} for name in names],
        "constants": {"items": {"sort": "Item", "members": ["a", "b"]}},
        "knowledge_base": list(facts),
        "rules": [{"name": f"r{at}", "constraint": text} for at, text in enumerate(rules)],
        "verifications": [{"name": f"c{at}", "constraint": text} for at, text in enumerate(claims)],
    }


def test_each_kind_is_said_once_with_the_names() -> None:
    """[LINT-DOUBT]"""
    assert said(REVIEW / "vac.json") == (
        'it holds whatever the program says: "tautology", "vacuous"; '
        'it may be about nothing: "vacuous in the theory"; '
        'two names may stand for one thing: "two names one thing"; '
        "nothing says when it is false (`--select open-predicate`): `ok`"
    )


@pytest.mark.parametrize("name", ["unless", "unless2"])
def test_rules_with_opposite_conclusions_that_a_verdict_rests_on_are_named(name: str) -> None:
    """[LINT-DOUBT]"""
    assert said(REVIEW / f"{name}.json") == 'opposite conclusions: the rule "leave" and the rule "except"'


LEAVE = ("ForAll([x: Item], ok(x) -> may_leave(x))", "ForAll([x: Item], cat(x) -> not may_leave(x))")


@pytest.mark.parametrize(
    "value",
    [
        # What follows from rules that agree, and what is open for another reason.
        program(("ok(a)",), LEAVE[:1], "may_leave(a)", "cat(a)", "ok(b) -> may_leave(b)"),
        # The two rules are there, and the verdict does not rest on them.
        program(("ok(a)",), LEAVE, "may_leave(a)"),
        # The conclusion follows without the condition, or from it.
        program(("ok(a)",), (), "cat(a) -> ok(a)"),
        program(("ok(a)",), LEAVE[:1], "cat(a) and ok(b) -> cat(a) and may_leave(b)"),
        # The same of functions without arguments.
        {
            "functions": [{"name": name, "domain": [], "range": "Bool"} for name in ("flooded", "accepted")],
            "rules": [{"constraint": "flooded -> not accepted"}],
            "verifications": [{"constraint": "flooded -> not accepted"}],
        },
        # A program without premises asks about nothing but itself.
        program((), (), "ok(a) or not ok(a)"),
        # A rule says when it is false; it is refuted.
        program((), LEAVE, "not may_leave(a)"),
        program(("ok(a)",), (), "not ok(a)"),
    ],
)
def test_other_verdicts_say_nothing(value: dict[str, Any]) -> None:
    """[LINT-DOUBT]"""
    assert said(value) == ""


def test_the_command_says_it_on_standard_error_in_text_alone() -> None:
    """[LINT-DOUBT]"""
    line = b'note: `potc lint` says more: opposite conclusions: the rule "leave" and the rule "except"'
    path = REVIEW / "unless2.json"
    for options, expected in (((), True), (("--format", "json"), False), (("--quiet",), True)):
        command = [sys.executable, "-m", "potlang", path, *options]
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
        assert (line in done.stderr) is expected
        assert b"says more" not in done.stdout
