"""The text on which two solvers disagree, so that anyone can put it to them again ([VERDICT-DISAGREE])."""

from __future__ import annotations

from collections.abc import Sequence

from potlang.engines.encoding import AssertionNames, Encoding, Unsupported
from potlang.ir.module import Assertion, Module
from potlang.prove.verdicts import ClaimState
from potlang.report.results import CheckRecord

_SIDES = ("claim", "negation")


def reproducer(module: Module, names: AssertionNames, assumed: Sequence[Assertion], state: ClaimState) -> str:
    """SMT-LIB text that checks both sides of a claim, once in the words of each solver."""
    labels = AssertionNames(module, names.sent)
    lines = ["; two solvers disagree on one of these checks; their answers:"]
    lines += [f"; {_shown(check)}" for check in state.checks]
    for engine in ("z3", "cvc5"):
        try:
            text = _script(Encoding(module, engine, labels), assumed, state)
        except Unsupported as reason:
            lines.append(f"; {engine} has no words for this: {_line(str(reason))}")
            continue
        lines += [f"; --- for {engine}", "(reset)", text]
    return "\n".join(lines) + "\n"


def _script(encoding: Encoding, assumed: Sequence[Assertion], state: ClaimState) -> str:
    parts = ["(set-logic ALL)", encoding.declarations()]
    parts += [encoding.assertion(each) for each in assumed]
    for side in _SIDES:
        text = encoding.goal(state.formula, negated=side == "negation")
        parts += [f"(push 1) ; assumptions with the {side}", text, "(check-sat)", "(pop 1)"]
    return "\n".join(part for part in parts if part)


def _shown(check: CheckRecord) -> str:
    return f"{check.query}: {check.solver} says {check.status}"


def _line(text: str) -> str:
    return " ".join(text.split())[:200]
