"""A conclusion in the PoT language, read by its front end as a formula over numbers ([STEP-PROP])."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from potlang.diag import Sink
from potlang.expressions import surface as s
from potlang.expressions.expression import parse_expression
from potlang.languages.dagmath.lower.readings import Reading
from potlang.languages.dagmath.lower.syntax import (
    MOST_DEPTH,
    Name,
    Num,
    Op,
    Term,
    Unreadable,
    is_statement,
    joined,
    measured,
)

MOST_CHARACTERS: Final = 4_000
_MOST_DIGITS: Final = 400
_INFIX: Final = {"and": "and", "or": "or", "->": "=>", "<->": "<=>", "+": "+", "*": "*", "/": "/", "**": "^",
                 "%": "mod"}  # fmt: skip
_COMPARE: Final = {"==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_CALLS: Final = {"And": "and", "Or": "or", "Not": "not", "Implies": "=>", "Iff": "<=>", "Abs": "abs"}


def read_proposition(source: str) -> Reading:
    """What a proposition says; a reading with a reason where it is not well formed, or not about numbers."""
    if len(source) > MOST_CHARACTERS:
        return Reading(reason=f"the proposition has more than {MOST_CHARACTERS} characters")
    sink = Sink()
    tree = parse_expression(source, "", sink)
    if tree is None:
        messages = [each.message for each in sink.diagnostics()]
        return Reading(reason=f"the proposition: {messages[0] if messages else 'it is not well formed'}")
    try:
        term = measured(_term(tree, MOST_DEPTH))
    except Unreadable as error:
        return Reading(reason=f"the proposition: {error}")
    if not is_statement(term):
        return Reading(reason="the proposition is no statement about numbers")
    return Reading(claims=(term,))


def _term(expr: s.Expr, depth: int) -> Term:
    if not depth:
        raise Unreadable(f"it is nested more than {MOST_DEPTH} deep")
    match expr:
        case s.Name():
            return Name(expr.id)
        case s.Number():
            return _number(expr.text)
        case s.Prefix():
            return Op("not" if expr.op == "not" else "neg", (_term(expr.arg, depth - 1),))
        case s.Infix() if expr.op == "-":
            first, *rest = (_term(arg, depth - 1) for arg in expr.args)
            return Op("+", (first, *(Op("neg", (each,)) for each in rest)))
        case s.Infix() if expr.op in _INFIX:
            return Op(_INFIX[expr.op], tuple(_term(arg, depth - 1) for arg in expr.args))
        case s.Compare():
            sides = [_term(side, depth - 1) for side in expr.operands]
            links = zip(expr.ops, sides, sides[1:], strict=False)
            return joined("and", tuple(Op(_COMPARE[op], (left, right)) for op, left, right in links))
        case s.Call() if isinstance(expr.head, s.Name):
            args = tuple(_term(arg, depth - 1) for arg in expr.args)
            name = expr.head.id
            if name in ("And", "Or") and len(args) == 1:
                return args[0]
            if args:
                return Op(_CALLS.get(name, f"call:{name}"), args)
    raise Unreadable("only formulas about numbers are checked")


def _number(text: str) -> Term:
    if len(text) > _MOST_DIGITS or "e" in text.lower():
        raise Unreadable("a number is too long, or has an exponent")
    return Num(Fraction(text))
