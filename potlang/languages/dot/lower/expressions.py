"""Propositions as expressions: from the JSON of a `@prop` to the surface tree and the PoT text of it.

The parts of the tree count the characters of that text; `extents` says which JSON value each of them
came from. What the JSON quotes (`{"pot": "…"}`) is parsed by itself and never pasted into anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from potlang.diag import Sink
from potlang.expressions.expression import parse_expression, parse_sort, read_formula
from potlang.expressions.names import written
from potlang.expressions.surface import (
    Binding,
    BuiltinCall,
    Call,
    Compare,
    Expr,
    Formula,
    Infix,
    ListOf,
    Name,
    Number,
    Prefix,
    Quoted,
    SortExpr,
)
from potlang.ir.numerals import decimal
from potlang.source import join_pointer

_COMPARISONS: Mapping[str, str] = MappingProxyType(
    {"gt": ">", "ge": ">=", "lt": "<", "le": "<=", "eq": "==", "ne": "!="}
)
_INFIX: Mapping[str, str] = MappingProxyType(
    {"and": "and", "or": "or", "implies": "->", "iff": "<->", "add": "+", "mul": "*", "sub": "-"}
)
_PREFIX: Mapping[str, str] = MappingProxyType({"not": "not ", "neg": "-"})
_CALLS: Mapping[str, str] = MappingProxyType({"forall": "ForAll", "exists": "Exists", "ite": "If"})
_LONGEST_INTEGER = 600
"""Digits from which on the reader gives an integer as a decimal."""


class Expression(NamedTuple):
    """A proposition as an expression: the formula, and the pointer of the JSON value behind each extent."""

    formula: Formula
    extents: Mapping[tuple[int, int], str]


def read_expression(value: object, base: str, sink: Sink) -> Expression:
    """The expression that the JSON of a proposition or a term stands for.

    The value has the shape of `schemas/dot-prop-1.json`. `base` is put in front of the pointers of JSON
    values, and is the pointer of the expression's own text. The formula has no root where a quoted
    expression or a sort is not well formed: that is in the sink, at its JSON pointer.
    """
    if isinstance(value, dict) and "pot" in value:
        return Expression(read_formula(str(value["pot"]), f"{base}/pot", sink), MappingProxyType({}))
    writing = _ExpressionWriting(sink)
    root = writing.write(value, base)
    return Expression(Formula(base, writing.text(), root), writing.extents)


Step: TypeAlias = str | Callable[[], None]
"""A text to write, or something to do."""
Build: TypeAlias = Callable[[list[Expr], int], Expr | None]
"""A node of its parts and of the place where its text ends."""


class _ExpressionWriting:
    """One walk over a value: texts, visits and the nodes to make of what was visited, on a stack."""

    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self.extents: dict[tuple[int, int], str] = {}
        self._pieces: list[str] = []
        self._length = 0
        self._made: list[Expr | None] = []
        self._todo: list[Step] = []

    def write(self, value: object, base: str) -> Expr | None:
        """The tree of the value; None where a part is in error."""
        self._todo.append(partial(self._visit, value, base))
        while self._todo:
            step = self._todo.pop()
            if isinstance(step, str):
                self._say(step)
            else:
                step()
        return self._made.pop()

    def text(self) -> str:
        """The text of what was written."""
        return "".join(self._pieces)

    # --- the stack -------------------------------------------------------------------------------

    def _say(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)

    def _done(self, pointer: str, node: Expr | None) -> None:
        if node is not None:
            self.extents.setdefault((node.start, node.end), pointer)
        self._made.append(node)

    def _compound(self, pointer: str, count: int, build: Build, steps: Sequence[Step]) -> None:
        """Takes the steps, then makes one node of the `count` that they made."""

        def make() -> None:
            parts = _whole(self._made[len(self._made) - count :])
            del self._made[len(self._made) - count :]
            self._done(pointer, None if parts is None else build(parts, self._length))

        self._todo.append(make)
        self._todo.extend(reversed(steps))

    def _visitor(self, value: object, pointer: str) -> list[Step]:
        return [partial(self._visit, value, pointer)]

    def _operand(self, value: object, pointer: str) -> list[Step]:
        """The steps that write an operand, in parentheses unless it reads the same without."""
        visit = self._visitor(value, pointer)
        return visit if _is_atomic(value) else ["(", *visit, ")"]

    # --- parts -----------------------------------------------------------------------------------

    def _visit(self, value: object, pointer: str) -> None:
        if isinstance(value, dict):
            [(name, below)] = value.items()
            self._operation(str(name), below, pointer)
        elif isinstance(value, list):
            head = self._name(str(value[0]), f"{pointer}/0")
            arguments = [self._visitor(item, f"{pointer}/{i}") for i, item in enumerate(value[1:], 1)]
            self._call(Call, head, arguments, pointer)
        elif isinstance(value, str):
            self._done(pointer, self._name(value, pointer))
        else:
            self._number(value, pointer)

    def _name(self, name: str, pointer: str) -> Name:
        start = self._length
        self._say(written(name))
        self.extents.setdefault((start, self._length), pointer)
        return Name(name, start, self._length)

    def _word(self, name: str) -> Name:
        """The name of a built-in function, which no JSON value stands for."""
        start = self._length
        self._say(name)
        return Name(name, start, self._length)

    def _number(self, value: object, pointer: str) -> None:
        text = _numeral(value)
        start = self._length
        self._say(text)
        node: Expr = Number(text.removeprefix("-"), start + text.startswith("-"), self._length)
        self._done(pointer, Prefix("-", node, start, self._length) if text.startswith("-") else node)

    def _operation(self, name: str, below: object, pointer: str) -> None:
        at = join_pointer(pointer, name)
        if name == "pot":
            self._quoted(str(below), at, pointer)
        elif name in _PREFIX:
            self._prefix(_PREFIX[name], self._operand(below, at), pointer)
        elif not isinstance(below, list):
            raise AssertionError(f"`{name}` takes a list")
        elif name in ("forall", "exists"):
            self._quantifier(name, below, at, pointer)
        elif name in _CALLS:
            arguments = [self._visitor(item, f"{at}/{i}") for i, item in enumerate(below)]
            self._call(BuiltinCall, self._word(_CALLS[name]), arguments, pointer)
        elif len(below) == 1:
            self._todo += self._visitor(below[0], f"{at}/0")
        else:
            self._infix(name, [self._operand(item, f"{at}/{i}") for i, item in enumerate(below)], pointer)

    def _quoted(self, text: str, at: str, pointer: str) -> None:
        root = parse_expression(text, at, self.sink)
        start = self._length
        self._say(text)
        self._done(pointer, None if root is None else Quoted(at, text, root, start, self._length))

    def _prefix(self, sign: str, operand: list[Step], pointer: str) -> None:
        start = self._length

        def build(args: list[Expr], end: int) -> Expr:
            return Prefix(sign.strip(), args[0], start, end)

        self._compound(pointer, 1, build, [sign, *operand])

    def _infix(self, name: str, operands: Sequence[list[Step]], pointer: str) -> None:
        start = self._length
        sign = _COMPARISONS.get(name) or _INFIX[name]

        def build(args: list[Expr], end: int) -> Expr:
            if name in _COMPARISONS:
                return Compare(args, [sign], start, end)
            return Infix(sign, args, start, end)

        self._compound(pointer, len(operands), build, _joined(f" {sign} ", operands))

    def _quantifier(self, name: str, below: Sequence[object], at: str, pointer: str) -> None:
        binders, body = below
        assert isinstance(binders, dict)
        start = self._length
        head = self._word(_CALLS[name])
        self._say("([")
        items: list[Expr | None] = []
        for number, (variable, sort) in enumerate(binders.items()):
            self._say(", " if number else "")
            items.append(self._binding(str(variable), str(sort), join_pointer(f"{at}/0", str(variable))))
        self._say("]")
        whole = _whole(items)
        listed = ListOf(whole or [], head.end + 1, self._length)

        def build(args: list[Expr], end: int) -> Expr | None:
            return None if whole is None else BuiltinCall(head, [listed, *args], start, end)

        self._compound(pointer, 1, build, [", ", *self._visitor(body, f"{at}/1"), ")"])

    def _binding(self, name: str, sort: str, pointer: str) -> Binding | None:
        found: SortExpr | None = parse_sort(sort, pointer, self.sink)
        start = self._length
        variable = self._name(name, pointer)
        self._say(f": {sort}")
        self.extents.setdefault((start, self._length), pointer)
        return None if found is None else Binding(variable, found, start, self._length)

    def _call(self, kind: type[Call], head: Name, arguments: Sequence[list[Step]], pointer: str) -> None:
        def build(args: list[Expr], end: int) -> Expr:
            return kind(head, args, head.start, end)

        self._compound(pointer, len(arguments), build, ["(", *_joined(", ", arguments), ")"])


def _joined(separator: str, parts: Iterable[Iterable[Step]]) -> list[Step]:
    """The steps of all parts, with a text between them."""
    return [step for part in parts for step in (separator, *part)][1:]


def _whole(parts: Sequence[Expr | None]) -> list[Expr] | None:
    """The parts, or None if one of them is in error."""
    found = [part for part in parts if part is not None]
    return found if len(found) == len(parts) else None


def _is_atomic(value: object) -> bool:
    if isinstance(value, dict):
        return next(iter(value)) in _CALLS
    return isinstance(value, str | list) or not _numeral(value).startswith("-")


def _numeral(value: object) -> str:
    """A JSON number as the expression language writes it: an integer, or with a point or an exponent."""
    if isinstance(value, int):
        return decimal(value)
    number = Decimal(repr(value)) if isinstance(value, float) else value
    assert isinstance(number, Decimal)
    _, places, exponent = number.as_tuple()
    if exponent == 0 and len(places) > _LONGEST_INTEGER:
        return f"{number:f}"
    text = str(number)
    return f"{text}.0" if text.lstrip("-").isdigit() else text
