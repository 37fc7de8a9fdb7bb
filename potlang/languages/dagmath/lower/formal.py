"""A step's `formal` field: what it says as an expression of PoT or as SymPy text ([STEP-FORMAL]).

Both are read by the parser of PoT's expressions, with a table of SymPy's names; nothing is evaluated.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NamedTuple

from potlang.diag import Severity, Sink
from potlang.expressions import surface as s
from potlang.expressions.expression import parse_expression
from potlang.languages.dagmath.lower.syntax import (
    BINDERS,
    MOST_DEPTH,
    Num,
    Op,
    Term,
    Unreadable,
    Variable,
    is_statement,
    joined,
    measured,
    words,
)
from potlang.languages.dagmath.lower.to_sympy import SYMPY_NAMES
from potlang.languages.dagmath.lower.tokens import MOST_CHARACTERS, MOST_DIGITS
from potlang.sema import build_session

_INFIX: Final = {"and": "and", "or": "or", "->": "=>", "<->": "<=>", "+": "+", "*": "*", "/": "/", "**": "^",
                 "%": "mod"}  # fmt: skip
_COMPARE: Final = {"==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_COMPARED_IN_SYMPY: Final = {SYMPY_NAMES[op]: sign for sign, op in _COMPARE.items()}
_CONNECTIVES: Final = {
    "And": "and",
    "Or": "or",
    "Not": "not",
    "Implies": "=>",
    "Iff": "<=>",
    "Equivalent": "<=>",
}
_BUILT_IN: Final = words("And Or Not Implies Iff Abs")
"""Calls that PoT knows itself."""
_CALLS: Final = {name: op for op, name in SYMPY_NAMES.items() if op not in BINDERS and op != "ln"} | {
    **_CONNECTIVES,
    "sqrt": "sqrt",
    "ln": "ln",
    "abs": "abs",
    "Max": "max",
    "Min": "min",
    "gcd": "gcd",
    "lcm": "lcm",
}
_BINDERS: Final = {SYMPY_NAMES[op]: op for op in BINDERS}
_TRUTH: Final = words("True true False false")
_EXPONENT: Final = "POT3008"
"""PoT's powers have small numbers for exponents; here exact arithmetic and SymPy know more of them."""


class Formal(NamedTuple):
    """The reading of a `formal` field: a statement, or an expression; or `reason` why it was not read.

    `is_formed`: it is an expression of PoT, though not one over numbers.
    """

    term: Term | None
    reason: str = ""
    is_formed: bool = True


def read_formal(source: str, integers: frozenset[str]) -> Formal:
    """The formula of a `formal` field, whose names are declared as Real, and those in `integers` as Int."""
    if len(source) > MOST_CHARACTERS:
        return Formal(None, f"it has more than {MOST_CHARACTERS} characters")
    sink = Sink()
    tree = parse_expression(source, "", sink)
    wrong = _errors(sink)
    if tree is None or wrong:
        return Formal(None, wrong[0] if wrong else "it is not well formed", False)
    try:
        # The formula is made from the surface tree, and not from the IR that the sort check gives: there
        # `x > 0` is `0 < x`, and what is not defined has some value, which here it has not ([STEP-DEFINED]).
        term = measured(_term(tree, MOST_DEPTH))
    except Unreadable as error:
        return Formal(None, str(error))
    if not is_statement(term) and (not isinstance(term, Op) or term.op.startswith("call:")):
        return Formal(None, "it is neither a relation nor a calculation")
    if is_statement(term):
        _check_sorts(source, tree, integers, sink)
        if wrong := _errors(sink):
            return Formal(None, wrong[0])
    return Formal(term)


def _errors(sink: Sink) -> list[str]:
    found = (each for each in sink.diagnostics() if each.severity is Severity.ERROR)
    return [each.message for each in found if each.code != _EXPONENT]


# --- sorts ---------------------------------------------------------------------------------------


def _check_sorts(source: str, tree: s.Expr, integers: frozenset[str], sink: Sink) -> None:
    """Elaborates a formula; the sink gets what is wrong with its sorts."""
    names: dict[str, None] = {}
    arities: dict[str, int] = {}
    plain = _declared(tree, names, arities)
    real, whole = (s.SortExpr(name, [], "", 0, 0) for name in ("Real", "Int"))
    program = s.ParsedProgram(
        functions=[s.FunctionDecl(name, [real] * arity, real, "") for name, arity in arities.items()],
        constants=[
            s.ConstantGroup(name, whole if name in integers else real, [(name, "")], "")
            for name in sorted(names.keys() - _TRUTH - arities.keys())
        ],
    )
    built = build_session(program, sink)
    if built is not None:
        built[1].formula(s.Formula("", source, plain), sink)


def _declared(tree: s.Expr, names: dict[str, None], arities: dict[str, int]) -> s.Expr:
    """The tree with SymPy's relations as PoT has them; notes its names, and its functions with arities."""

    def inner(expr: s.Expr) -> s.Expr:
        return _declared(expr, names, arities)

    match tree:
        case s.Name():
            names[tree.id] = None
        case s.Prefix():
            return s.Prefix(tree.op, inner(tree.arg), tree.start, tree.end)
        case s.Infix():
            return s.Infix(tree.op, list(map(inner, tree.args)), tree.start, tree.end)
        case s.Compare():
            return s.Compare(list(map(inner, tree.operands)), tree.ops, tree.start, tree.end)
        case s.Call() if isinstance(tree.head, s.Name):
            name = tree.head.id
            args = [each for arg in tree.args for each in (arg.items if isinstance(arg, s.ListOf) else [arg])]
            args = list(map(inner, args))
            if name in _COMPARED_IN_SYMPY and len(args) == 2:
                return s.Compare(args, [_COMPARED_IN_SYMPY[name]], tree.start, tree.end)
            name = "Iff" if name == "Equivalent" else name
            if name not in _BUILT_IN:
                arities.setdefault(name, len(args))
            return s.Call(s.Name(name, tree.head.start, tree.head.end), args, tree.start, tree.end)
    return tree


# --- terms ---------------------------------------------------------------------------------------


def _term(expr: s.Expr, depth: int) -> Term:
    if not depth:
        raise Unreadable(f"it is nested more than {MOST_DEPTH} deep")
    match expr:
        case s.Name():
            return Variable("i" if expr.id == "I" else expr.id)
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
        case s.Call() if isinstance(expr.head, s.Name) and expr.args:
            return _call(expr.head.id, expr.args, depth)
    raise Unreadable("only formulas about numbers are checked")


def _call(name: str, args: list[s.Expr], depth: int) -> Term:
    """A call by its name in PoT or in SymPy; any other name is that of a declared function."""
    if name in _BINDERS:
        match args:
            case [body, s.ListOf(items=[s.Name() as index, first, last])]:
                bound = [_term(each, depth - 1) for each in (index, first, last, body)]
                return Op(_BINDERS[name], tuple(bound))
        raise Unreadable(f"`{name}` is read with one index, its first and its last value")
    terms = tuple(_term(arg, depth - 1) for arg in args)
    match name, terms:
        case (("And" | "Or" | "Add" | "Mul" | "Max" | "Min" | "Integer" | "Float" | "S"), (one,)):
            return one
        case "Rational", (over, under):
            return Op("/", (over, under))
        case "root", (base, degree):
            return Op("root", (degree, base))
        case "cbrt", (base,):
            return Op("root", (Num(Fraction(3)), base))
        case "log", (number, base):
            return Op("logbase", (base, number))
        case _ if name in _CALLS:
            return _applied(name, terms)
    return Op(f"call:{name}", terms)


_ARITIES: Final = dict.fromkeys(("=", "!=", "<", "<=", ">", ">=", "=>", "<=>", "^", "mod", "binom"), 2)
_ANY_NUMBER: Final = words("and or + * max min gcd lcm")


def _applied(name: str, terms: tuple[Term, ...]) -> Term:
    op = _COMPARE.get(_COMPARED_IN_SYMPY.get(name, ""), _CALLS.get(name, ""))
    if op not in _ANY_NUMBER and len(terms) != _ARITIES.get(op, 1):
        raise Unreadable(f"`{name}` does not take {len(terms)} arguments")
    return Op(op, terms)


def _number(text: str) -> Term:
    if len(text) > MOST_DIGITS or "e" in text.lower():
        raise Unreadable("a number is too long, or has an exponent")
    return Num(Fraction(text))
