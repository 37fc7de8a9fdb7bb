"""Terms in models as nodes over erased sorts, in a pool of their own.

`let`, `lambda`, `as-array`, stores, calls of the model's own functions: whatever a solver defines a
symbol by. Explicit stacks throughout, since a chain of `ite` may be as long as the program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from potlang.ir import operators as op
from potlang.ir.fold import fold
from potlang.ir.module import Definition
from potlang.ir.nodes import Lit, Node, Sym, Symbol, SymbolKind, Var
from potlang.ir.numerals import natural
from potlang.ir.operators import Operator
from potlang.ir.pool import IllSorted, Pool
from potlang.ir.sorts import (
    BOOL,
    INT,
    REAL,
    STRING,
    ArraySort,
    BitVecSort,
    BoolSort,
    DeclaredSort,
    EnumSort,
    IntSort,
    RealSort,
    Sort,
    StringSort,
)
from potlang.ir.structure import NotEvaluable
from potlang.ir.values import Bits, Element, MapValue
from potlang.smt.decision_list import decision_list
from potlang.smt.encodings import IRREGULAR
from potlang.smt.numerals import read_literal
from potlang.smt.sexpr import SExpr, write
from potlang.smt.sort_erasure import SortErasure, UnreadableModel, default_value
from potlang.smt.unmangling import Unmangling

_TERMS_PER_TOKEN = 16
_LEAST_TERMS = 10_000
_MOST_LISTED = 64

_Steps = Generator[SExpr, Node, Node]

_BIT_NUMBER = re.compile(r"bv[0-9]+")

# The name of an irregular row is no function of SMT-LIB, or one of another meaning; `abs` is one of integers.
# `=` and `-` are two rows each: `_operation` tells these apart.
_ROWS: Mapping[str, Operator] = MappingProxyType(
    {
        row.smt: row
        for row in op.OPERATORS.values()
        if (row is op.ABS or row not in IRREGULAR) and row not in (op.IFF, op.SUB, op.NEG)
    }
    | dict.fromkeys(("bv2int", "ubv_to_int"), op.BV_TO_INT)
)
_SWAPPED: Mapping[str, Operator] = MappingProxyType(
    {
        ">": op.LT,
        ">=": op.LE,
        "bvugt": op.BV_ULT,
        "bvuge": op.BV_ULE,
        "bvsgt": op.BV_SLT,
        "bvsge": op.BV_SLE,
    }
)
_POINTWISE: Mapping[str, Callable[..., object]] = MappingProxyType(
    {name: op.OPERATORS[name].evaluate for name in ("and", "or", "not", "=>", "xor", "ite", "=")}
)
_FORMS = frozenset({"let", "forall", "exists", "lambda", "!", "_", "as", "root-obj", "seq.unit"})
_LEFT = frozenset({"xor", "bvadd", "bvmul", "bvand", "bvor", "bvxor", "concat"})


class FunctionText(NamedTuple):
    """A function as a model defines it."""

    params: tuple[tuple[str, SExpr], ...]
    sort: SExpr
    body: SExpr


def literal_value(expression: SExpr, sort: Sort) -> object | None:
    """The value of `sort` that a literal with its sign is; None for other terms, roots and fractions too."""
    match expression:
        case ["-", str(size)] if isinstance(sort, IntSort | RealSort):
            value = literal_value(size, sort)
            return -value if isinstance(value, int | Fraction) else None
        case list():
            return None
    if sort is BOOL:
        return {"true": True, "false": False}.get(expression)
    value = read_literal(expression)
    match value, sort:
        case (int(), IntSort()) | (str(), StringSort()):
            return value
        case (int() | Fraction(), RealSort()):
            return Fraction(value)
        case (Bits(), BitVecSort(width)) if value.width == width:
            return value
        case _:
            return None


class ModelTerms:
    """Reads the terms of one model; `definitions` and `meanings` say what the symbols in them mean."""

    def __init__(
        self,
        unmangling: Unmangling,
        erasure: SortErasure,
        texts: Mapping[str, FunctionText],
        elements: Mapping[str, tuple[DeclaredSort, int]],
        tokens: int,
    ) -> None:
        self.pool = Pool()
        self.definitions: dict[Symbol, Definition] = {}
        self.meanings: dict[Symbol, object] = {}
        self.failures: dict[Symbol, str] = {}
        self._names = unmangling
        self._erasure = erasure
        self._texts = texts
        self._elements = elements
        self._symbols: dict[str, Symbol] = {}
        self._waiting: list[tuple[str, Symbol]] = []
        self._scope: dict[str, Node] = {}
        self._left = _LEAST_TERMS + _TERMS_PER_TOKEN * tokens
        self._arrays: dict[tuple[str, Sort], Symbol] = {}

    # --- symbols ---------------------------------------------------------------------------------

    def symbol(self, name: str) -> Symbol:
        """A function or constant by its name in the text, over erased sorts. Raises `UnreadableModel`."""
        symbol = self._symbols.get(name)
        if symbol is None:
            symbol = self._symbols[name] = self._symbol(name)
            if name in self._texts:
                self._waiting.append((name, symbol))
            else:
                self._assume(symbol)
        return symbol

    def _symbol(self, name: str) -> Symbol:
        own = self._names.symbols.get(name)
        if own is not None:
            domain = tuple(self._erasure.erase(sort) for sort in own.domain)
            return Symbol(own.name, domain, self._erasure.erase(own.range), own.kind)
        if name not in self._texts:
            raise UnreadableModel(f"{name[:80]} means nothing")
        text = self._texts[name]
        domain = tuple(self._names.sort(sort) for _, sort in text.params)
        return Symbol(name, domain, self._names.sort(text.sort), SymbolKind.FRESH)

    def simple_constant(self, name: str, sort: Sort) -> object | None:
        """The value of a constant that the text says is a member, an enum value or a literal."""
        text = self._texts.get(name)
        if text is None or text.params:
            return None
        if isinstance(text.body, str):
            element = self._elements.get(text.body)
            if element is not None:
                return Element(element[0].name, element[1]) if element[0] == sort else None
            enum = self._names.values.get(text.body)
            if enum is not None:
                return enum[0] if enum[1] == sort else None
        return literal_value(text.body, sort)

    def _assume(self, symbol: Symbol) -> None:
        """Give a symbol of which the model says nothing some meaning."""
        value = self._erasure.encode(default_value(symbol.range), symbol.range)
        self.meanings[symbol] = (lambda *_: value) if symbol.domain else value

    def define(self) -> None:
        """Read the definitions of all symbols that were mentioned so far, and of those that these mention."""
        while self._waiting:
            name, symbol = self._waiting.pop()
            try:
                self.definitions[symbol] = self._definition(symbol, self._texts[name])
            except UnreadableModel as reason:
                self.failures[symbol] = str(reason)

    def _definition(self, symbol: Symbol, text: FunctionText) -> Definition:
        if len(text.params) != len(symbol.domain):
            raise UnreadableModel("it has another number of arguments")
        params = tuple(
            self.pool.var(name, sort) for (name, _), sort in zip(text.params, symbol.domain, strict=True)
        )
        self._scope = dict(zip((name for name, _ in text.params), params, strict=True))
        return Definition(symbol, params, self._fitted(self._read(text.body), symbol.range))

    def closed(self, expression: SExpr, sort: Sort) -> Node:
        """A term of `sort` without parameters. Raises `UnreadableModel`."""
        return self._fitted(self._read(expression), sort)

    # --- terms -----------------------------------------------------------------------------------

    def _read(self, expression: SExpr) -> Node:
        if isinstance(expression, str):
            return self._atom(expression)
        # Generators are the stack: each yields the part that it needs next and is sent its node.
        stack: list[_Steps] = [self._compound(expression)]
        value: Node | None = None
        while stack:
            try:
                wanted = stack[-1].send(value)  # type: ignore[arg-type]
            except StopIteration as done:
                stack.pop()
                value = done.value
            except IllSorted as error:
                raise UnreadableModel(str(error)) from None
            else:
                value = None
                stack.append(self._compound(wanted))
        assert value is not None
        return value

    def _atom(self, text: str) -> Node:
        self._count()
        known = self._scope.get(text)
        if known is not None:
            return known
        if text in ("true", "false"):
            return self.pool.truth(text == "true")
        return self._numeral(text) if text[0] in '#"0123456789' else self._named(text)

    def _count(self) -> None:
        # A lambda over a small sort is read once for each member, so text does not bound the work.
        self._left -= 1
        if self._left < 0:
            raise UnreadableModel("the model is too large")

    def _numeral(self, text: str) -> Node:
        value = read_literal(text)
        match value:
            case None:
                return self._irrational(text)
            case int():
                return self.pool.integer(value)
            case Fraction():
                return self.pool.real(value)
            case Bits(number, width):
                return self.pool.lit(number, BitVecSort(width))
            case str():
                return self.pool.lit(value, STRING)

    def _irrational(self, expression: SExpr) -> Node:
        """The term for a root of a polynomial. There is none: the evaluator is exact."""
        if isinstance(expression, str):
            raise UnreadableModel(f"{expression[:80]} is no literal")
        raise UnreadableModel("an irrational number")

    def _named(self, text: str) -> Node:
        enum = self._names.values.get(text)
        if enum is not None:
            return self.pool.lit(*enum)
        element = self._elements.get(text)
        if element is not None:
            return self._element(text, *element)
        constructor = self._names.constructors.get(text)
        symbol = constructor or self.symbol(text)
        if symbol.domain:
            raise UnreadableModel(f"{text[:80]} without arguments")
        return self.pool.sym(symbol)

    def _element(self, text: str, sort: DeclaredSort, index: int) -> Node:
        symbol = self._symbols.get(text)
        if symbol is None:
            symbol = self._symbols[text] = Symbol(text, (), sort, SymbolKind.FRESH)
            self.meanings[symbol] = Element(sort.name, index)
        return self.pool.sym(symbol)

    def _compound(self, expression: SExpr) -> _Steps:
        self._count()
        if not expression:
            raise UnreadableModel("an empty list")
        head = expression[0]
        if isinstance(head, list) or head not in _FORMS:
            args = []
            for part in expression[1:]:
                args.append(self._atom(part) if isinstance(part, str) else (yield part))
            return self._call(head, args) if isinstance(head, str) else self._applied(head, args)
        match expression:
            case ["let", list(bindings), body]:
                return (yield from self._let(bindings, body))
            case ["forall" | "exists" as kind, list(binders), body]:
                return (yield from self._quantifier(kind, binders, body))
            case ["lambda", [[str(variable), sort]], body]:
                return (yield from self._lambda(variable, self._names.sort(sort), body))
            case ["!", body, *_]:
                return self._atom(body) if isinstance(body, str) else (yield body)
            case ["_", "as-array", str(name)]:
                return (yield from self._as_array(name))
            case ["_", str(number), width] if _BIT_NUMBER.fullmatch(number):
                return self.pool.lit(natural(number[2:]), self._names.sort(["_", "BitVec", width]))
            case ["seq.unit", ["_", "Char", str(code)]] if code.isdecimal() and len(code) < 7:
                return self.pool.lit(chr(int(code)), STRING)
            case ["as", "seq.empty", _]:
                return self.pool.lit("", STRING)
            case ["as", str(name), _]:
                return self._atom(name)
            case ["root-obj", *_] | ["_", "real_algebraic_number", *_]:
                return self._irrational(expression)
            case _:
                raise UnreadableModel(f"a malformed term: {write(expression)[:80]}")

    def _applied(self, head: list[SExpr], args: list[Node]) -> Node:
        match head:
            case ["as", "const", sort] if len(args) == 1:
                return self.constant_array(self._names.sort(sort), args[0])
            case ["as", str(name), _]:
                return self._call(name, args)
            case ["_", "is", str(name)] if len(args) == 1:
                enum = self._names.values.get(name)
                return self.pool.eq(args[0], self.pool.lit(*enum)) if enum else self.pool.true
            case ["_", "int2bv" | "int_to_bv", width] if len(args) == 1:
                like = self.pool.lit(0, self._names.sort(["_", "BitVec", width]))
                return self._app(op.INT_TO_BV, (args[0], like))
            case ["_", "map", function]:
                return self._mapped(function, args)
            case _:
                raise UnreadableModel(f"an unknown function: {write(head)[:80]}")

    def _call(self, name: str, args: list[Node]) -> Node:
        symbol = self._names.constructors.get(name) or self._names.selectors.get(name)
        if symbol is None and (name in self._texts or name in self._names.symbols):
            symbol = self.symbol(name)
        if symbol is None:
            return self._operation(name, args)
        if len(symbol.domain) != len(args):
            raise UnreadableModel(f"{name[:80]} with {len(args)} arguments")
        fitted = [self._fitted(arg, sort) for arg, sort in zip(args, symbol.domain, strict=True)]
        return self.pool.app(symbol, tuple(fitted)) if fitted else self.pool.sym(symbol)

    def _fitted(self, node: Node, sort: Sort) -> Node:
        """The node as a term of `sort`: cvc5 writes some reals as integers."""
        if node.sort is sort or node.sort == sort:
            return node
        if node.sort is INT and sort is REAL:
            return self._app(op.TO_REAL, (node,))
        raise UnreadableModel(f"a {node.sort} where a {sort} is wanted"[:200])

    def _operation(self, name: str, args: list[Node]) -> Node:
        if not args:
            raise UnreadableModel(f"{name[:80]} without arguments")
        first, *rest = args
        if name in ("select", "store") and isinstance(first.sort, ArraySort):
            # Index and value have sorts of their own: a value that is a real makes no real of its index.
            wanted = (first.sort.index, first.sort.element)
            fitted = [self._fitted(arg, sort) for arg, sort in zip(rest, wanted, strict=False)]
            args = [first, *fitted, *rest[2:]]
        elif name == "/" or any(arg.sort is REAL for arg in args):
            args = [self._fitted(arg, REAL) if arg.sort is INT else arg for arg in args]
        match name:
            case "=":
                return self.pool.conj(self.pool.eq(a, b) for a, b in pairwise(args))
            case "and":
                return self.pool.conj(args)
            case "or":
                return self.pool.disj(args)
            case "-" if len(args) == 1:
                return self._app(op.NEG, (args[0],))
            case "-":
                return reduce(lambda a, b: self._app(op.SUB, (a, b)), args)
            case "=>":
                return reduce(lambda a, b: self.pool.implies(b, a), reversed(args))
        if name in _SWAPPED:
            return self._app(_SWAPPED[name], tuple(reversed(args)))
        row = _ROWS.get(name)
        if row is None:
            raise UnreadableModel(f"an unknown function: {name[:80]}")
        if name in _LEFT:
            return reduce(lambda a, b: self._app(row, (a, b)), args)
        return self._app(row, tuple(args))

    def _app(self, row: Operator, args: tuple[Node, ...]) -> Node:
        node = self.pool.app(row, args)
        return fold(self.pool, node) or node if all(isinstance(arg, Lit) for arg in args) else node

    # --- binders ---------------------------------------------------------------------------------

    def _let(self, bindings: list[SExpr], body: SExpr) -> _Steps:
        bound: dict[str, Node] = {}
        for binding in bindings:
            match binding:
                case [str(name), value]:
                    bound[name] = self._atom(value) if isinstance(value, str) else (yield value)
                case _:
                    raise UnreadableModel("a malformed let")
        return (yield from self._within(bound, body))

    def _within(self, bound: Mapping[str, Node], body: SExpr) -> _Steps:
        """The body with these names in scope."""
        hidden = {name: self._scope.get(name) for name in bound}
        self._scope.update(bound)
        node = self._atom(body) if isinstance(body, str) else (yield body)
        for name, before in hidden.items():
            if before is None:
                del self._scope[name]
            else:
                self._scope[name] = before
        return node

    def _quantifier(self, kind: str, binders: list[SExpr], body: SExpr) -> _Steps:
        bound: dict[str, Var] = {}
        for binder in binders:
            match binder:
                case [str(name), sort]:
                    bound[name] = self.pool.var(name, self._names.sort(sort))
                case _:
                    raise UnreadableModel("a malformed quantifier")
        node = yield from self._within(bound, body)
        return self.pool.quant(kind, tuple(bound.values()), node)

    # --- arrays ----------------------------------------------------------------------------------

    def constant_array(self, sort: Sort, value: Node) -> Node:
        """The array of `sort` that is `value` everywhere."""
        if not isinstance(sort, ArraySort):
            raise UnreadableModel(f"an array of sort {sort}"[:200])
        value = self._fitted(value, sort.element)
        return self.pool.app(self._array_function("const", sort, (sort.element,), MapValue), (value,))

    def _array_function(
        self, name: str, sort: Sort, domain: tuple[Sort, ...], meaning: Callable[..., object]
    ) -> Symbol:
        key = name, sort
        if key not in self._arrays:
            symbol = self._arrays[key] = Symbol(name, domain, sort, SymbolKind.FRESH)
            self.meanings[symbol] = meaning
        return self._arrays[key]

    def _mapped(self, function: SExpr, args: list[Node]) -> Node:
        name = function[0] if isinstance(function, list) and function else function
        row = _POINTWISE.get(name) if isinstance(name, str) else None
        sort = args[-1].sort if args else BOOL
        if row is None or not isinstance(sort, ArraySort):
            raise UnreadableModel(f"an unknown map: {write(function)[:80]}")
        result = ArraySort(sort.index, BOOL) if name == "=" else sort
        domain = tuple(arg.sort for arg in args)
        symbol = Symbol(f"map {name}", domain, result, SymbolKind.FRESH)
        self.meanings[symbol] = _pointwise(row)
        return self.pool.app(symbol, tuple(args))

    def _as_array(self, name: str) -> _Steps:
        symbol = self.symbol(name)
        if len(symbol.domain) != 1:
            raise UnreadableModel(f"an array of the function {name[:80]}")
        text = self._texts.get(name)
        if text is None:
            return (yield from self._lambda(name, symbol.domain[0], [name, name]))
        return (yield from self._lambda(text.params[0][0], symbol.domain[0], text.body))

    def _lambda(self, variable: str, index: Sort, body: SExpr) -> _Steps:
        """An array by its elements: from cases, or for every member of a small index sort."""
        binder = self.pool.var(variable, index)
        node = yield from self._within({variable: binder}, body)
        sort = ArraySort(index, node.sort)
        listed = self._listed(index)
        found = decision_list(self.pool, node, (binder,), self._is_immediate)
        if found is not None and found.is_direct((binder,)):
            array = self.constant_array(sort, found.default)
            for (key,), value in reversed(found.entries):
                array = self.pool.app(op.STORE, (array, key, value))
            return array
        if listed is None:
            raise UnreadableModel("a lambda over an infinite or large sort")
        default = yield from self._within({variable: listed[0]}, body)
        array = self.constant_array(sort, default)
        for member in listed[1:]:
            value = yield from self._within({variable: member}, body)
            array = self.pool.app(op.STORE, (array, member, value))
        return array

    def _is_immediate(self, node: Node) -> bool:
        return is_immediate(node, self.meanings)

    def _listed(self, sort: Sort) -> list[Node] | None:
        """The members of a sort as nodes, if they are few."""
        found: list[Node] = []
        match sort:
            case BoolSort():
                found = [self.pool.false, self.pool.true]
            case EnumSort(_, values):
                found = [self.pool.lit(value, sort) for value in values]
            case BitVecSort(width) if width <= 6:
                found = [self.pool.lit(number, sort) for number in range(1 << width)]
            case DeclaredSort():
                named = [(text, index) for text, (of, index) in self._elements.items() if of == sort]
                found = [self._element(text, sort, index) for text, index in named]
            case _:
                pass
        return found if 0 < len(found) <= _MOST_LISTED else None


def is_immediate(node: Node, meanings: Mapping[Symbol, object]) -> bool:
    """True for a node that is a value by itself: different such nodes are different values."""
    if isinstance(node, Lit):
        return True
    return isinstance(node, Sym) and isinstance(meanings.get(node.symbol), Element)


def _pointwise(row: Callable[..., object]) -> Callable[..., object]:
    def combine(*tables: object) -> object:
        known = [table for table in tables if isinstance(table, MapValue)]
        if len(known) < len(tables):
            raise NotEvaluable("a map over no arrays")
        keys = {key: None for table in known for key, _ in table.entries}
        default = row(*(table.default for table in known))
        values = {key: row(*(table.get(key) for table in known)) for key in keys}
        return MapValue(default, frozenset((key, value) for key, value in values.items() if value != default))

    return combine
