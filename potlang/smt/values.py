"""Values that solvers print, read as values of the IR ([SMT-VALUE-1], [SMT-VALUE-2]).

Both solvers' spellings are read, by the reader of whole models (`model_terms`). What the IR has no value
for is kept as text: an element of a declared sort as `Anonymous`, a root of a polynomial as `Algebraic`,
anything else as `Opaque`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from potlang.ir import operators as op
from potlang.ir.evaluator import Evaluator, OutOfSteps
from potlang.ir.fold import value_of
from potlang.ir.nodes import App, Lit, Node, Sym, Symbol, SymbolKind
from potlang.ir.pool import IllSorted
from potlang.ir.sorts import (
    REAL,
    DeclaredSort,
    EnumSort,
    Sort,
    parts_of,
)
from potlang.ir.structure import NotEvaluable, Structure
from potlang.ir.values import Element, MapValue, Record, Unspecified
from potlang.smt import names
from potlang.smt.algebraic import approximate_root
from potlang.smt.model_terms import ModelTerms, literal_value
from potlang.smt.numerals import read_literal
from potlang.smt.sexpr import SExpr, read_one, tokenize, write
from potlang.smt.sort_erasure import SortErasure, UnreadableModel, made
from potlang.smt.unmangling import Unmangling

_MOST_STEPS = 10_000
"""Of computing one value."""


@dataclass(frozen=True, slots=True)
class Anonymous:
    """An element of a declared sort; `raw` is the solver's name for it, the same throughout one model."""

    sort: str
    raw: str


@dataclass(frozen=True, slots=True)
class Algebraic:
    """An irrational real, as the solver writes it; `approximation` is close, not exact."""

    raw: str
    approximation: Fraction | None


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value that only the solver's text tells."""

    raw: str


def read_value(text: str, sort: Sort) -> object:
    """The value of `sort` that a solver printed. Raises `ValueError` if `text` is no s-expression."""
    expression = read_one(text)
    value = _simple(expression, sort)
    if value is not None:
        return value
    try:
        return _compound(expression, text, sort)
    except (UnreadableModel, IllSorted):
        return Opaque(write(expression))


def _simple(expression: SExpr, sort: Sort) -> object | None:
    """An element, or a literal with its sign: most values are, and a pool of terms would cost them much."""
    if isinstance(sort, DeclaredSort):
        match expression:
            case str() | ["as", str(), _]:
                return Anonymous(sort.name, write(expression))
    if isinstance(expression, str) and isinstance(sort, EnumSort):
        return next((each for each in sort.values if names.value_name(sort.name, each) == expression), None)
    return literal_value(expression, sort)


class _ValueTerms(ModelTerms):
    """Terms in a value: roots have a meaning here, and the text does not name all members of a sort."""

    def _irrational(self, expression: SExpr) -> Node:
        near: Fraction | None
        match expression:
            case str() if expression.endswith("?") and isinstance(
                known := read_literal(expression[:-1]), int | Fraction
            ):
                near = Fraction(known)
            case ["root-obj", *_] | ["_", "real_algebraic_number", *_]:
                near = approximate_root(expression)
            case _:
                return super()._irrational(expression)
        symbol = Symbol(write(expression), (), REAL, SymbolKind.FRESH)
        self.meanings[symbol] = Algebraic(symbol.name, near)
        return self.pool.sym(symbol)

    def _listed(self, sort: Sort) -> list[Node] | None:
        return None if isinstance(sort, DeclaredSort) else super()._listed(sort)


def _compound(expression: SExpr, text: str, sort: Sort) -> object:
    """A value with parts. Raises `UnreadableModel`, and `IllSorted`."""
    # Made for each value: sorts are equal by name, so a table kept for one program would serve another.
    tokens = tokenize(text)
    erasure = SortErasure()
    unmangling = Unmangling((), parts_of((sort,)))
    terms = _ValueTerms(unmangling, erasure, {}, unmangling.elements(tokens), len(tokens))
    node = terms.closed(expression, erasure.erase(sort))
    try:
        value = _value(node, terms)
    except UnreadableModel:
        value = _computed(node, terms)
    return erasure.decode(value, sort)


def _computed(node: Node, terms: ModelTerms) -> object:
    """The value of a term that does not spell one out, such as z3's union of two sets."""
    # Elements and roots are no values that the evaluator knows.
    if any(isinstance(meaning, Element | Algebraic) for meaning in terms.meanings.values()):
        raise UnreadableModel("it is to be computed from what has no value")
    try:
        return Evaluator(Structure({}, terms.meanings), _MOST_STEPS).value(node)
    except (NotEvaluable, OutOfSteps, Unspecified) as reason:
        raise UnreadableModel(str(reason)) from None


def _value(node: Node, terms: ModelTerms) -> object:
    """The value that a term spells out. Recursion is as deep as its sort, which erasure has bounded."""
    match node:
        case Lit():
            return value_of(node)
        case App(op=op.STORE):
            return _table(node, terms)
        case App(op=op.NEG):
            return _negative(node, terms)
        case App(op=op.DIV, args=(Lit() as above, Lit() as below)) if below.value:
            # Folding leaves literals of very many digits alone.
            return Fraction(above.value) / Fraction(below.value)  # type: ignore[arg-type]
        case App(op=Symbol() as symbol) if symbol.kind is SymbolKind.CONSTRUCTOR:
            return Record(symbol.name, tuple(_value(arg, terms) for arg in node.args))
        case App(op=Symbol() as symbol) if terms.meanings.get(symbol) is MapValue:
            return MapValue(_value(node.args[0], terms))
        case Sym(symbol=symbol) if symbol.kind is SymbolKind.CONSTRUCTOR:
            return Record(symbol.name, ())
        case Sym(symbol=symbol) if symbol in terms.meanings:
            meaning = terms.meanings[symbol]
            return _anonymous(meaning, symbol.name) if isinstance(meaning, Element) else meaning
    raise UnreadableModel("no value")


def _anonymous(element: Element, token: str) -> Anonymous:
    """cvc5 qualifies its elements; a name must be the same in a set as alone."""
    raw = f"(as {token} {names.sort_name(element.sort)})" if token[0] == "@" else token
    return Anonymous(element.sort, raw)


def _table(node: Node, terms: ModelTerms) -> MapValue:
    entries: dict[object, object] = {}
    while isinstance(node, App) and node.op is op.STORE:
        node, key, value = node.args
        # The outermost store is the last one, and counts.
        entries.setdefault(_value(key, terms), _value(value, terms))
    rest = _value(node, terms)
    assert isinstance(rest, MapValue)
    return made(rest.default, entries)


def _negative(node: Node, terms: ModelTerms) -> object:
    count = 0
    while isinstance(node, App) and node.op is op.NEG:
        (node,) = node.args
        count += 1
    value = _value(node, terms)
    if isinstance(value, Algebraic):
        near = value.approximation
        return Algebraic(
            "(- " * count + value.raw + ")" * count, None if near is None else near * (-1) ** count
        )
    assert isinstance(value, int | Fraction)
    return value * (-1) ** count
