"""The symbol table: what a name stands for, and the stack of binders around an expression.

There is one namespace for functions, constants, enum values, variables and selectors; sorts have
their own. A binder hides every outer meaning of its name.
"""

from __future__ import annotations

from typing import NamedTuple

from potlang.diag import Place
from potlang.ir.nodes import Node, Symbol, Var
from potlang.ir.sorts import FunctionSort, Sort


class FunctionEntry(NamedTuple):
    """A declared function, constructor or selector. `symbol` None: its declaration is in error."""

    name: str
    symbol: Symbol | None
    place: Place


class TermEntry(NamedTuple):
    """A constant or an enum value. `node` None: its declaration is in error."""

    name: str
    node: Node | None
    kind: str
    """`constant` or `enum value`."""
    place: Place


class VariableEntry(NamedTuple):
    """A declared variable: a name that quantifiers may bind. `sort` None: in error."""

    name: str
    sort: Sort | None
    place: Place


Entry = FunctionEntry | TermEntry | VariableEntry


def describe(entry: Entry) -> str:
    """The kind of an entry with its article, for messages: `a constant`."""
    match entry:
        case FunctionEntry():
            return "a function"
        case TermEntry(kind="enum value"):
            return "an enum value"
        case TermEntry():
            return "a constant"
        case VariableEntry():
            return "a variable"


def signature(symbol: Symbol) -> str:
    """`f(A, B) -> C`, for messages."""
    return f"{symbol.name}({', '.join(map(str, symbol.domain))}) -> {symbol.range}"


class Scope:
    """Global entries plus the binders in force. Lookups are constant-time."""

    __slots__ = ("_binders", "entries", "local", "sorts")

    def __init__(self, sorts: frozenset[str] = frozenset()) -> None:
        self.entries: dict[str, Entry] = {}
        self.sorts = sorts
        """The names of the declared sorts, for messages."""
        self.local: dict[str, VariableEntry] = {}
        """Variables declared for one assertion or section alone."""
        self._binders: dict[str, list[Var | None]] = {}

    def bound(self, name: str) -> tuple[bool, Var | None]:
        """Whether a binder of that name is in force, and the innermost one (None: its sort is in error)."""
        stack = self._binders.get(name)
        return (True, stack[-1]) if stack else (False, None)

    def lookup(self, name: str) -> Entry | None:
        """The declaration of `name` outside all binders."""
        return self.local.get(name) or self.entries.get(name)

    def meaning(self, name: str) -> Entry | Var | None:
        """The binder or declaration that `name` refers to; None for an unknown name or a binder in error."""
        stack = self._binders.get(name)
        if stack:
            return stack[-1]
        return self.local.get(name) or self.entries.get(name)

    def term(self, name: str) -> Node | None:
        """The constant, the enum value or the bound variable that `name` stands for; None for all else."""
        found = self.terms([name])
        return None if found is None else found[0]

    def terms(self, names: list[str]) -> tuple[Node, ...] | None:
        """`term` of each name; None if it is None for one of them."""
        binders, local, entries = self._binders, self.local, self.entries
        found: list[Node] = []
        for name in names:
            stack = binders.get(name)
            if stack:
                node: Node | None = stack[-1]
            else:
                entry = local.get(name) or entries.get(name)
                node = entry.node if type(entry) is TermEntry else None
            if node is None:
                return None
            found.append(node)
        return tuple(found)

    def push(self, binders: list[tuple[str, Var | None]]) -> None:
        """Puts binders in force, the last innermost."""
        for name, var in binders:
            self._binders.setdefault(name, []).append(var)

    def pop(self, binders: list[tuple[str, Var | None]]) -> None:
        """Takes them out again."""
        for name, _ in binders:
            self._binders[name].pop()

    def unbind(self) -> None:
        """Takes out all that are in force."""
        self._binders.clear()

    def callable(self, name: str) -> bool:
        """Whether `name(…)` means a declaration of the program rather than a built-in."""
        is_bound, var = self.bound(name)
        if is_bound:
            return var is None or isinstance(var.sort, FunctionSort)
        match self.lookup(name):
            case FunctionEntry():
                return True
            case TermEntry(node=node):
                return node is None or isinstance(node.sort, FunctionSort)
            case VariableEntry(sort=sort):
                return isinstance(sort, FunctionSort)
            case None:
                return False

    def names(self) -> list[str]:
        """All names that could be meant here, binders first."""
        return [*(name for name, stack in self._binders.items() if stack), *self.local, *self.entries]
