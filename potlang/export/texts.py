"""Formulas as text by tables of rows, without recursion; names that nothing else has."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from potlang.export.problem import MOST_TEXT, NoCounterpart, TooLarge
from potlang.ir.nodes import App, Node, Symbol, Var
from potlang.ir.operators import Operator
from potlang.ir.sorts import Sort

ATOM: Final = 100
"""The precedence of a term that needs no brackets anywhere."""
_LONGEST_NAME: Final = 100
_LONGEST_STEM: Final = 60
"""Characters of a name that are kept where a number is added."""


class Operand(NamedTuple):
    """A part that is put in brackets unless it binds at least so tightly."""

    node: Node
    least: int = 0


Piece = str | Operand


class Opened(NamedTuple):
    """A term one level down: texts and parts, and how tightly it binds as a whole."""

    pieces: Sequence[Piece]
    binds: int = ATOM


Row = Callable[[App], Opened]
"""How an operator is written."""


def text_of(root: Node, opened: Callable[[Node], Opened]) -> str:
    """The text of a term. Raises `TooLarge`, and what `opened` raises."""
    out: list[str] = []
    size = 0
    stack: list[Piece] = [Operand(root)]
    while stack:
        piece = stack.pop()
        if isinstance(piece, str):
            out.append(piece)
            size += len(piece)
            if size > MOST_TEXT:
                raise TooLarge
            continue
        pieces, binds = opened(piece.node)
        brackets = binds < piece.least
        if brackets:
            stack.append(")")
        stack.extend(reversed(pieces))
        if brackets:
            stack.append("(")
    return "".join(out)


def row_of(table: dict[Operator, Row], node: App, tool: str) -> Opened:
    """An application of an operator by the row that a tool has for it; `NoCounterpart` without one."""
    assert isinstance(node.op, Operator)
    row = table.get(node.op)
    if row is None:
        raise no_operator(node.op, tool)
    return row(node)


def no_operator(op: Operator, tool: str) -> NoCounterpart:
    """The exception for an operator that a tool does not have."""
    return NoCounterpart(f"the operator `{op.name}`", f"{tool} has none that means the same")


# --- rows ------------------------------------------------------------------------------------------------


def applied(head: str, args: Sequence[Node]) -> Opened:
    """`head(a, b)`; `head` alone without arguments."""
    if not args:
        return Opened([head])
    pieces: list[Piece] = [f"{head}("]
    for number, arg in enumerate(args):
        pieces += ([", "] if number else []) + [Operand(arg)]
    return Opened([*pieces, ")"])


def call(head: str) -> Row:
    """Written as an application of `head`."""
    return lambda node: applied(head, node.args)


def infix(sign: str, binds: int) -> Row:
    """Written between its operands, any number of them, which bind more tightly or are in brackets."""
    return lambda node: joined(sign, binds, node.args)


def joined(sign: str, binds: int, args: Sequence[Node]) -> Opened:
    """`a sign b sign c`."""
    pieces: list[Piece] = []
    for number, arg in enumerate(args):
        pieces += ([sign] if number else []) + [Operand(arg, binds + 1)]
    return Opened(pieces, binds)


def prefix(sign: str, binds: int) -> Row:
    """Written before its operand."""
    return lambda node: Opened([sign, Operand(node.args[0], binds + 1)], binds)


# --- names -----------------------------------------------------------------------------------------------


class Names:
    """Gives names that are different from one another and from the words of a language.

    `spell` makes a name of a tool out of any text, not always another one.
    """

    def __init__(self, spell: Callable[[str], str], taken: Iterable[str] = ()) -> None:
        self._spell = spell
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def new(self, wanted: str) -> str:
        """A name like `wanted` that was not given yet."""
        name = self._unused(wanted, ())
        self._taken.add(name)
        return name

    def local(self, variables: Iterable[Var]) -> dict[int, str]:
        """Names for the variables of one formula by their ids, which other formulas may use again."""
        found: dict[int, str] = {}
        used: set[str] = set()
        for var in variables:
            found[var.id] = self._unused(var.name, used)
            used.add(found[var.id])
        return found

    def _unused(self, wanted: str, besides: Container[str]) -> str:
        name = text = self._spell(wanted)
        number = self._next.get(text, 2)
        while name in self._taken or name in besides:
            name = self._spell(f"{wanted[:_LONGEST_STEM]}_{number}")
            number += 1
        if not besides:
            self._next[text] = number
        return name


def slug(name: str) -> str:
    """The letters, digits and `_` of ASCII in a name, with `_` for any other character; never empty."""
    kept = "".join(
        char if char.isascii() and (char.isalnum() or char == "_") else "_" for char in name[:_LONGEST_NAME]
    )
    return kept or "_"


def head_text(
    symbol: Symbol, symbols: Mapping[Symbol, str], values: Mapping[tuple[Sort, object], str]
) -> str:
    """The name of what is applied: a function, a constructor (`values` has it under None) or a selector."""
    name = symbols.get(symbol)
    if name is not None:
        return name
    if symbol.kind == "constructor":
        return values[symbol.range, None]
    return values[symbol.domain[0], symbol.name]
