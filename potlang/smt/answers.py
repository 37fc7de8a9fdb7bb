"""Answers in: the values and cores that solvers print, as values of the IR.

Both solvers' spellings are read. What a value of the IR cannot say is kept as text: an element of a
declared sort as `Anonymous`, a root of a polynomial as `Algebraic`, anything else as `Opaque`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from potlang.ir.numerals import natural
from potlang.ir.sorts import (
    BOOL,
    ArraySort,
    BitVecSort,
    BoolSort,
    DeclaredSort,
    EnumSort,
    FunctionSort,
    IntSort,
    RealSort,
    SetSort,
    Sort,
    StringSort,
    TupleSort,
)
from potlang.ir.values import Bits, Record, Table
from potlang.smt import names
from potlang.smt.algebraic import approximate_root
from potlang.smt.foreign import Algebraic, Anonymous, Opaque
from potlang.smt.numerals import decimal, read_string
from potlang.smt.sexpr import SExpr, read_one, write
from potlang.smt.words import format_value

__all__ = ["Algebraic", "Anonymous", "Opaque", "format_value", "read_core", "read_value"]

_DEPTH = 64
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")


_Env = dict[str, tuple[SExpr, "_Env"]]


def read_value(text: str, sort: Sort) -> object:
    """The value of `sort` that a solver printed. Raises `ValueError` if `text` is no s-expression."""
    return _read(read_one(text), sort, {}, _DEPTH)


def read_core(text: str) -> tuple[str, ...]:
    """The names in an unsat core. Raises `ValueError` for anything but a list of names."""
    found = read_one(text)
    if isinstance(found, str):
        raise ValueError("a core is a list")
    core = tuple(name for name in found if isinstance(name, str))
    if len(core) < len(found):
        raise ValueError("a core has names alone")
    return core


def _resolved(expression: SExpr, env: _Env) -> tuple[SExpr, _Env]:
    """Without `let` around it and, if it is a name from a `let`, what that stands for."""
    while True:
        if isinstance(expression, str):
            if expression not in env:
                return expression, env
            expression, env = env[expression]
            continue
        match expression:
            case ["let", list(bindings), body]:
                inner = dict(env)
                for binding in bindings:
                    match binding:
                        case [str(name), value]:
                            inner[name] = (value, env)
                expression, env = body, inner
            case _:
                return expression, env


def _read(expression: SExpr, sort: Sort, env: _Env, depth: int) -> object:
    expression, env = _resolved(expression, env)
    value = _simple(expression, sort)
    if value is None and depth:
        match sort:
            case TupleSort():
                value = _record(expression, sort, env, depth - 1)
            case ArraySort(index, element):
                value = _table(expression, index, element, env, depth - 1)
            case SetSort(element):
                value = _table(expression, element, BOOL, env, depth - 1)
            case FunctionSort():
                value = _function(expression, sort, env, depth - 1)
            case _:
                pass
    return Opaque(write(expression)) if value is None else value


def _simple(expression: SExpr, sort: Sort) -> object | None:
    """A value without parts; None if it is none."""
    match sort:
        case BoolSort():
            return {"true": True, "false": False}.get(expression) if isinstance(expression, str) else None
        case IntSort():
            number = _number(expression, _DEPTH)
            return number.numerator if number is not None and number.denominator == 1 else None
        case RealSort():
            return _real(expression)
        case StringSort():
            quoted = isinstance(expression, str) and expression[0] == '"'
            return read_string(expression) if quoted and isinstance(expression, str) else None
        case BitVecSort(width):
            return _bits(expression, width)
        case EnumSort(name, values):
            head = _unqualified(expression)
            return next((value for value in values if names.value_name(name, value) == head), None)
        case DeclaredSort(name):
            return Anonymous(name, write(expression)) if _unqualified(expression) is not None else None
        case _:
            return None


def _unqualified(expression: SExpr) -> str | None:
    """The symbol in `c` or `(as c S)`."""
    match expression:
        case str():
            return expression
        case ["as", str(name), _]:
            return name
        case _:
            return None


def _number(expression: SExpr, depth: int) -> Fraction | None:
    """The rational that literals, `-`, `/`, `+`, `*` and `to_real` make."""
    if isinstance(expression, str):
        return decimal(expression) if _NUMBER.fullmatch(expression) else None
    parts = [_number(part, depth - 1) for part in expression[1:]] if depth else []
    match expression[:1], parts:
        case ["-"], [Fraction() as a]:
            return -a
        case ["to_real"], [Fraction() as a]:
            return a
        case ["-"], [Fraction() as a, Fraction() as b]:
            return a - b
        case ["/"], [Fraction() as a, Fraction() as b] if b:
            return a / b
        case ["+"], [Fraction() as a, Fraction() as b]:
            return a + b
        case ["*"], [Fraction() as a, Fraction() as b]:
            return a * b
        case _:
            return None


def _real(expression: SExpr) -> Fraction | Algebraic | None:
    number = _number(expression, _DEPTH)
    if number is not None:
        return number
    match expression:
        case ["-", part]:
            value = _real(part)
            if not isinstance(value, Algebraic):
                return None
            near = value.approximation
            return Algebraic(write(expression), None if near is None else -near)
        case str() if expression.endswith("?") and _NUMBER.fullmatch(expression[:-1]):
            return Algebraic(expression, decimal(expression[:-1]))
        case ["root-obj", *_]:
            return Algebraic(write(expression), approximate_root(expression))
        case _:
            return None


def _bits(expression: SExpr, width: int) -> Bits | None:
    match expression:
        case str() if re.fullmatch("#b[01]+", expression):
            return Bits(int(expression[2:], 2), width)
        case str() if re.fullmatch("#x[0-9a-fA-F]+", expression):
            return Bits(int(expression[2:], 16), width)
        case ["_", str(number), _] if re.fullmatch("bv[0-9]+", number):
            return Bits(natural(number[2:]), width)
        case _:
            return None


def _record(expression: SExpr, sort: TupleSort, env: _Env, depth: int) -> Record | None:
    head, *parts = [expression] if isinstance(expression, str) else expression or [""]
    if _unqualified(head) != names.constructor_name(sort.name) or len(parts) != len(sort.fields):
        return None
    pairs = zip(parts, sort.fields, strict=True)
    return Record(sort.name, tuple(_read(part, field, env, depth) for part, (_, field) in pairs))


# --- arrays --------------------------------------------------------------------------------------


def _table(expression: SExpr, index: Sort, element: Sort, env: _Env, depth: int) -> Table | None:
    return _TableReader(index, element, depth, {}).read(expression, env)


@dataclass(frozen=True, slots=True)
class _TableReader:
    """Reads a constant array or a lambda under any number of stores; `entries` is filled from outside in."""

    index: Sort
    element: Sort
    depth: int
    entries: dict[object, object]

    def read(self, expression: SExpr, env: _Env) -> Table | None:
        while True:
            expression, env = _resolved(expression, env)
            match expression:
                case ["store", whole, key, value]:
                    self._enter(key, value, env)
                    expression = whole
                case [["as", "const", _], value]:
                    return self._made(_read(value, self.element, env, self.depth))
                case ["lambda", [[str(variable), _]], body]:
                    inner = {name: meaning for name, meaning in env.items() if name != variable}
                    return self._lambda(variable, body, inner)
                case _:
                    return None

    def _enter(self, key: SExpr, value: SExpr, env: _Env) -> None:
        index = _read(key, self.index, env, self.depth)
        if index not in self.entries:
            self.entries[index] = _read(value, self.element, env, self.depth)

    def _made(self, default: object) -> Table | None:
        if any(isinstance(part, Opaque) for part in (default, *self.entries)):
            return None
        kept = ((key, value) for key, value in self.entries.items() if value != default)
        return Table(default, frozenset(kept))

    def _lambda(self, variable: str, body: SExpr, env: _Env) -> Table | None:
        """`body` chooses by equalities of the variable with values."""
        while True:
            body, env = _resolved(body, env)
            match body:
                case ["ite", condition, value, rest] if (keys := _keys(condition, variable)) is not None:
                    for key in keys:
                        self._enter(key, value, env)
                    body = rest
                case _ if body == variable and self.index is not BOOL:
                    return None
                case _ if self.element is BOOL and (body == variable or isinstance(body, list)):
                    return self._equalities(variable, body, env)
                case _:
                    return self._made(_read(body, self.element, env, self.depth))

    def _equalities(self, variable: str, body: SExpr, env: _Env) -> Table | None:
        """The set of the values that equalities name, or its complement."""
        negated = isinstance(body, list) and len(body) == 2 and body[0] == "not"
        keys = _keys(body[1] if negated else body, variable)
        if keys is None:
            return None
        for key in keys:
            self._enter(key, "false" if negated else "true", env)
        return self._made(negated)


def _keys(condition: SExpr, variable: str) -> list[SExpr] | None:
    """The values v of `(= x v)`, or of a disjunction of such; a Boolean `x` is `(= x true)`."""
    parts = condition[1:] if isinstance(condition, list) and condition[:1] == ["or"] else [condition]
    keys = [_key(part, variable) for part in parts]
    known = [key for key in keys if key is not None]
    return known if len(known) == len(keys) else None


def _key(condition: SExpr, variable: str) -> SExpr | None:
    match condition:
        case ["=", a, b] if (a == variable) != (b == variable):
            return b if a == variable else a
        case _ if condition == variable:
            return "true"
        case ["not", inner] if inner == variable:
            return "false"
        case _:
            return None


def _function(expression: SExpr, sort: FunctionSort, env: _Env, depth: int) -> Table | None:
    """A function value, an array of arrays, as one table from tuples of arguments."""
    element = sort.range
    for argument in reversed(sort.domain[1:]):
        element = ArraySort(argument, element)
    table = _table(expression, sort.domain[0], element, env, depth)
    for _ in sort.domain[1:]:
        table = None if table is None else _joined(table)
    if table is None or len(sort.domain) > 1:
        return table
    return Table(table.default, frozenset(((key,), value) for key, value in table.entries))


def _joined(table: Table) -> Table | None:
    """Tables as values merged into their table: None where a whole row or column differs."""
    default = table.default
    if not isinstance(default, Table) or default.entries:
        return None
    entries: set[tuple[object, object]] = set()
    for key, row in table.entries:
        if not isinstance(row, Table) or row.default != default.default:
            return None
        first = key if isinstance(key, tuple) else (key,)
        entries.update(((*first, second), value) for second, value in row.entries)
    return Table(default.default, frozenset(entries))
