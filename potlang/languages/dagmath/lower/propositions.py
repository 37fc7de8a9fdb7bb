"""A proposition in the PoT language: its sorts are checked, then it is a formula like any ([STEP-PROP])."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from potlang.diag import Severity, Sink
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
    free_names,
    is_statement,
    joined,
    measured,
    parts,
    words,
)
from potlang.languages.dagmath.lower.tokens import MOST_CHARACTERS, MOST_DIGITS
from potlang.sema import build_session

_INFIX: Final = {"and": "and", "or": "or", "->": "=>", "<->": "<=>", "+": "+", "*": "*", "/": "/", "**": "^",
                 "%": "mod"}  # fmt: skip
_COMPARE: Final = {"==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_CALLS: Final = {"And": "and", "Or": "or", "Not": "not", "Implies": "=>", "Iff": "<=>", "Abs": "abs"}
_TRUTH: Final = words("True true False false")
_EXPONENT: Final = "POT3008"
"""PoT's powers have small numbers for exponents; here exact arithmetic and SymPy know more of them."""


def read_proposition(source: str, integers: frozenset[str]) -> Reading:
    """The reading of a proposition, whose names are declared as Real, and those in `integers` as Int.

    A reading with a reason where it is not well formed or well sorted, or not about numbers.
    """
    if len(source) > MOST_CHARACTERS:
        return Reading(reason=f"the proposition has more than {MOST_CHARACTERS} characters")
    sink = Sink()
    tree = parse_expression(source, "", sink)
    try:
        # The formula is made from the surface tree, and not from the IR that the sort check gives: there
        # `x > 0` is `0 < x`, and what is not defined has some value, which here it has not ([STEP-DEFINED]).
        term = measured(_term(tree, MOST_DEPTH)) if tree else None
    except Unreadable as error:
        return Reading(reason=f"the proposition: {error}")
    if term is not None:
        _check_sorts(s.Formula("", source, tree), term, integers, sink)
    found = [each for each in sink.diagnostics() if each.severity is Severity.ERROR]
    errors = [each.message for each in found if each.code != _EXPONENT]
    if term is None or errors:
        return Reading(reason=f"the proposition: {errors[0] if errors else 'it is not well formed'}")
    if not is_statement(term):
        return Reading(reason="the proposition is not a statement about numbers")
    return Reading(claims=(term,))


def _check_sorts(formula: s.Formula, term: Term, integers: frozenset[str], sink: Sink) -> None:
    """Elaborates the formula, of which `term` has the names; the sink gets what is wrong with its sorts."""
    calls = [part for part in parts(term) if isinstance(part, Op) and part.op.startswith("call:")]
    arities = {call.op.removeprefix("call:"): len(call.args) for call in reversed(calls)}
    real, whole = (s.SortExpr(name, [], "", 0, 0) for name in ("Real", "Int"))
    program = s.ParsedProgram(
        functions=[s.FunctionDecl(name, [real] * arity, real, "") for name, arity in arities.items()],
        constants=[
            s.ConstantGroup(name, whole if name in integers else real, [(name, "")], "")
            for name in sorted(free_names(term) - _TRUTH - set(arities))
        ],
    )
    built = build_session(program, sink)
    if built is not None:
        built[1].formula(formula, sink)


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
    if len(text) > MOST_DIGITS or "e" in text.lower():
        raise Unreadable("a number is too long, or has an exponent")
    return Num(Fraction(text))
