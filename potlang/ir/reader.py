"""The textual form of the IR: reading. Use it through `potlang.ir.text`.

Text becomes a tree of atoms and groups, and that a module. No recursion; the first mistake is raised
with its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any, TypeVar

from potlang.ir.module import (
    Assertion,
    AssertionKind,
    Claim,
    Definition,
    Module,
    Objective,
    Optimization,
    Origin,
)
from potlang.ir.nodes import Node, Symbol, SymbolKind, Value, Var
from potlang.ir.numerals import integer
from potlang.ir.operators import OPERATORS, Operator
from potlang.ir.pool import IllSorted, Pool
from potlang.ir.sorts import (
    BOOL,
    INT,
    REAL,
    STRING,
    ArraySort,
    BitVecSort,
    DeclaredSort,
    EnumSort,
    FunctionSort,
    RealSort,
    SetSort,
    Sort,
    StringSort,
    TupleSort,
)


class TextError(ValueError):
    """The text is not a module's; `line` and `column` count from 1."""

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(f"{line}:{column}: {message}")
        self.line = line
        self.column = column
        self.message = message


class Lexeme:
    """A word, or a quoted text (`quoted`, with `text` its content)."""

    __slots__ = ("position", "quoted", "text")

    def __init__(self, position: int, text: str, quoted: bool) -> None:
        self.position = position
        self.text = text
        self.quoted = quoted


class Group:
    """A parenthesized list."""

    __slots__ = ("items", "position")

    def __init__(self, position: int) -> None:
        self.position = position
        self.items: list[Tree] = []


Tree = Lexeme | Group
_TOKEN = re.compile(r'[ \t\r\n]*(?:([()])|("(?:[^"\\\n]|\\.)*")|([^ \t\r\n()"]+))')


class _Problem(Exception):
    def __init__(self, position: int, message: str) -> None:
        self.position = position
        self.message = message


def _read_trees(text: str) -> list[Tree]:
    """The atoms and groups of `text`."""
    outer = Group(0)
    open_groups = [outer]
    position, end = 0, len(text.rstrip(" \t\r\n"))
    while position < end:
        found = _TOKEN.match(text, position)
        if found is None:
            raise _Problem(position, "unexpected character")
        position = found.end()
        mark, quoted, word = found.groups()
        start = found.start(found.lastindex or 0)
        if mark == "(":
            group = Group(start)
            open_groups[-1].items.append(group)
            open_groups.append(group)
        elif mark == ")":
            if len(open_groups) == 1:
                raise _Problem(start, "unexpected ')'")
            open_groups.pop()
        elif quoted is not None:
            open_groups[-1].items.append(Lexeme(start, _unquoted(quoted, start), True))
        else:
            open_groups[-1].items.append(Lexeme(start, word, False))
    if len(open_groups) > 1:
        raise _Problem(open_groups[-1].position, "this '(' is not closed")
    return outer.items


def _unquoted(token: str, position: int) -> str:
    try:
        return str(json.loads(token))
    except ValueError:
        raise _Problem(position, "malformed quoted text") from None


def read_module(text: str) -> Module:
    """The module that `text` declares, in a pool of its own. Raises `TextError`."""
    return _guarded(text, lambda: _ModuleReader(Pool()).module(_read_trees(text)))


def read_formula(text: str, pool: Pool, sorts: Iterable[Sort], symbols: Iterable[Symbol]) -> Node:
    """One term or formula over named `sorts` and `symbols`. Raises `TextError`."""

    def read() -> Node:
        reader = _ModuleReader(pool)
        for sort in sorts:
            if isinstance(sort, DeclaredSort | EnumSort | TupleSort):
                reader.sorts[sort.name] = sort
        for symbol in symbols:
            reader.add_symbol(symbol)
        return reader.root(_read_trees(text), {}, len(text))

    return _guarded(text, read)


T = TypeVar("T")


def _guarded(text: str, read: Callable[[], T]) -> T:
    try:
        return read()
    except _Problem as problem:
        before = text[: problem.position]
        column = problem.position - (before.rfind("\n") + 1) + 1
        raise TextError(before.count("\n") + 1, column, problem.message) from None


class _ModuleReader:
    """The declarations so far."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.sorts: dict[str, DeclaredSort | EnumSort | TupleSort] = {}
        self.numbered: list[Symbol] = []
        self.named: dict[str, Symbol | None] = {}
        self.lists: dict[str, list[Any]] = {name: [] for name in _LISTS}
        self.optimization: tuple[str, Origin] | None = None
        self.actions: tuple[str, ...] = Module(pool).actions

    def add_symbol(self, symbol: Symbol) -> None:
        """Number `symbol`, and let its name stand for it while no other symbol has that name."""
        self.numbered.append(symbol)
        self.named[symbol.name] = None if symbol.name in self.named else symbol

    def module(self, trees: list[Tree]) -> Module:
        if not trees or _shape(trees[0]) != ["potlang-ir", "1"]:
            raise _Problem(trees[0].position if trees else 0, "expected (potlang-ir 1)")
        for tree in trees[1:]:
            group = _group(tree, "a declaration")
            head = _word(_item(group, 0, "a declaration's name"))
            handler = _HANDLERS.get(head)
            if handler is None:
                raise _Problem(group.position, f"unknown declaration {head[:40]!r}")
            handler(self, group)
        return self.built()

    def built(self) -> Module:
        """The module of everything read."""
        lists = self.lists
        optimization = None
        if self.optimization is not None:
            mode, origin = self.optimization
            optimization = Optimization(tuple(lists["constraints"]), tuple(lists["objectives"]), mode, origin)
        return Module(
            self.pool,
            tuple(self.sorts.values()),
            tuple(lists["symbols"]),
            tuple(lists["definitions"]),
            tuple(lists["assertions"]),
            tuple(lists["claims"]),
            tuple(lists["norms"]),
            optimization,
            frozenset(lists["closed"]),
            frozenset(lists["unique"]),
            self.actions,
            frozenset(lists["properties"]),
        )

    # --- declarations ---

    def sort_line(self, group: Group) -> None:
        name = _name(_item(group, 1, "a name"))
        match _word(group.items[0]):
            case "enum":
                sort: DeclaredSort | EnumSort | TupleSort = EnumSort(name, tuple(map(_name, group.items[2:])))
            case "tuple":
                fields = [_group(item, "a field") for item in group.items[2:]]
                pairs = tuple(
                    (_name(_item(f, 0, "a name")), self.sort(_item(f, 1, "a sort"))) for f in fields
                )
                sort = TupleSort(name, pairs)
            case _:
                sort = DeclaredSort(name)
        if name in self.sorts:
            raise _Problem(group.position, f"the sort {name[:40]} is declared twice")
        self.sorts[name] = sort

    def named_sort_line(self, group: Group) -> None:
        self.lists[_word(group.items[0])].append(self.sort(_item(group, 1, "a sort")))

    def symbol_line(self, group: Group) -> None:
        kind = _item(group, 1, "a kind")
        if _word(kind) not in set(SymbolKind):
            raise _Problem(kind.position, "unknown kind of symbol")
        name = _name(_item(group, 2, "a name"))
        domain = _group(_item(group, 3, "the domain"), "the domain")
        result = self.sort(_item(group, 4, "a sort"))
        symbol = Symbol(name, tuple(map(self.sort, domain.items)), result, SymbolKind(_word(kind)))
        self.add_symbol(symbol)
        if _word(group.items[0]) == "declare":
            self.lists["symbols"].append(symbol)

    def define_line(self, group: Group) -> None:
        symbol = self.symbol(_item(group, 1, "a symbol"))
        params, origin, body = self.body(group, 3, 2)
        self.lists["definitions"].append(Definition(symbol, params, body, origin))

    def assertion_line(self, group: Group) -> None:
        key, name = _name(_item(group, 1, "a key")), _name(_item(group, 2, "a name"))
        kind = _item(group, 3, "a kind")
        if _word(kind) not in set(AssertionKind):
            raise _Problem(kind.position, "unknown kind of assertion")
        _, origin, body = self.body(group, 4)
        assertion = Assertion(key, name, AssertionKind(_word(kind)), body, origin)
        self.lists["assertions" if _word(group.items[0]) == "assert" else "constraints"].append(assertion)

    def claim_line(self, group: Group) -> None:
        key, name = _name(_item(group, 1, "a key")), _name(_item(group, 2, "a name"))
        find, origin, body = self.body(group, 4, 3)
        self.lists[_word(group.items[0]) + "s"].append(Claim(key, name, body, origin, find))

    def optimize_line(self, group: Group) -> None:
        origin, _ = self.origin(group, 2)
        self.optimization = (_name(_item(group, 1, "a mode")), origin)

    def objective_line(self, group: Group) -> None:
        name, direction = _name(_item(group, 1, "a name")), _name(_item(group, 2, "a direction"))
        _, origin, body = self.body(group, 3)
        self.lists["objectives"].append(Objective(name, direction, body, origin))

    def actions_line(self, group: Group) -> None:
        self.actions = tuple(map(_name, group.items[1:]))

    def properties_line(self, group: Group) -> None:
        self.lists["properties"].extend(map(_name, group.items[1:]))

    # --- sorts and symbols ---

    def sort(self, tree: Tree) -> Sort:
        """The sort that `tree` writes. Inner groups are done before outer ones."""
        done: dict[int, Sort] = {}
        stack = [(tree, 0)]
        while stack:
            top, depth = stack[-1]
            if depth > _MOST_NESTED:
                raise _Problem(top.position, "the sort is nested too deeply")
            missing = [(item, depth + 1) for item in _sort_parts(top) if id(item) not in done]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            if id(top) not in done:
                parts = [done[id(item)] for item in _sort_parts(top)]
                done[id(top)] = self._sort(top, parts)
        return done[id(tree)]

    def _sort(self, tree: Tree, parts: list[Sort]) -> Sort:
        if isinstance(tree, Lexeme):
            sort = None if tree.quoted else _BASIC.get(tree.text)
            sort = sort or self.sorts.get(tree.text)
            if sort is None:
                raise _Problem(tree.position, f"unknown sort {tree.text[:40]!r}")
            return sort
        head = _word(_item(tree, 0, "a sort"))
        if head == "BitVec" and len(tree.items) == 2:
            width = _integer(tree.items[1])
            if width >= 1:
                return BitVecSort(width)
        elif head == "Array" and len(parts) == 2:
            return ArraySort(parts[0], parts[1])
        elif head == "Set" and len(parts) == 1:
            return SetSort(parts[0])
        elif head == "Function" and len(parts) >= 2:
            return FunctionSort(tuple(parts[:-1]), parts[-1])
        raise _Problem(tree.position, "malformed sort")

    def symbol(self, tree: Tree) -> Symbol:
        if not isinstance(tree, Lexeme):
            raise _Problem(tree.position, "expected a symbol")
        found: Symbol | None = None
        if tree.text.startswith("@") and not tree.quoted:
            number = _integer(Lexeme(tree.position, tree.text[1:], False))
            found = self.numbered[number] if 0 <= number < len(self.numbered) else None
        else:
            found = self.named.get(tree.text)
        if found is None:
            raise _Problem(tree.position, f"unknown or ambiguous symbol {tree.text[:40]!r}")
        return found

    # --- roots ---

    def body(
        self, group: Group, start: int, params: int | None = None
    ) -> tuple[tuple[Var, ...], Origin, Node]:
        """Origin and root from place `start` on, and the variables listed at place `params`."""
        origin, start = self.origin(group, start)
        variables: dict[str, Var] = {}
        root = self.root(group.items[start:], variables, group.position)
        found: list[Var] = []
        for item in _group(_item(group, params, "variables"), "variables").items if params else ():
            found.append(_variable(item, variables))
        return tuple(found), origin, root

    def origin(self, group: Group, start: int) -> tuple[Origin, int]:
        if len(group.items) > start and _head(group.items[start]) == "origin":
            item = _group(group.items[start], "an origin")
            return Origin(_name(_item(item, 1, "a pointer")), _name(_item(item, 2, "a text"))), start + 1
        return Origin(), start

    def root(self, items: list[Tree], variables: dict[str, Var], position: int) -> Node:
        """`[(vars …)] [(defs …)] body`."""
        rest = list(items)
        labels: dict[str, Node] = {}
        if rest and _head(rest[0]) == "vars":
            for item in _group(rest.pop(0), "vars").items[1:]:
                self._declare(_group(item, "a variable"), variables)
        if rest and _head(rest[0]) == "defs":
            for item in _group(rest.pop(0), "defs").items[1:]:
                pair = _group(item, "a definition")
                label = _word(_item(pair, 0, "a label"))
                if label in labels or not label.startswith("%"):
                    raise _Problem(pair.position, "labels start with % and are defined once")
                labels[label] = self.term(_item(pair, 1, "a term"), variables, labels)
        if len(rest) != 1:
            raise _Problem(rest[1].position if rest else position, "expected one term")
        return self.term(rest[0], variables, labels)

    def _declare(self, item: Group, variables: dict[str, Var]) -> None:
        reference = _word(_item(item, 0, "a variable"))
        if not reference.startswith("?") or reference in variables:
            raise _Problem(item.position, "variables start with ? and are declared once")
        name = reference[1:].rpartition(".")[0]
        if len(item.items) > 2:
            name = _name(item.items[2])
        variables[reference] = self.pool.var(name, self.sort(_item(item, 1, "a sort")))

    def term(self, tree: Tree, variables: Mapping[str, Var], labels: Mapping[str, Node]) -> Node:
        """The node that `tree` writes, from the leaves up."""
        results: list[Node] = []
        stack: list[tuple[Tree, bool]] = [(tree, False)]
        while stack:
            top, complete = stack.pop()
            if isinstance(top, Lexeme):
                results.append(self._leaf(top, variables, labels))
            elif complete:
                self._finish(top, variables, results)
            elif _head(top) == "lit":
                results.append(self._literal(top))
            else:
                stack.append((top, True))
                first = 2 if _head(top) in ("forall", "exists") else 1
                stack.extend((item, False) for item in reversed(top.items[first:]))
        return results[0]

    def _finish(self, group: Group, variables: Mapping[str, Var], results: list[Node]) -> None:
        """Replace the results of the group's operands by its own."""
        quantifier = _head(group) in ("forall", "exists")
        count = len(group.items) - (2 if quantifier else 1)
        if count < 1:
            raise _Problem(group.position, "an application wants operands")
        args = tuple(results[-count:])
        del results[-count:]
        try:
            if quantifier:
                listed = _group(group.items[1], "variables").items
                binders = tuple(_variable(item, variables) for item in listed)
                if count != 1:
                    raise IllSorted("a quantifier has one body")
                results.append(self.pool.quant(_word(group.items[0]), binders, args[0]))
            else:
                results.append(self.pool.app(self._operator(group.items[0]), args))
        except IllSorted as error:
            raise _Problem(group.position, str(error)[:300]) from None

    def _operator(self, tree: Tree) -> Operator | Symbol:
        if isinstance(tree, Lexeme) and not tree.quoted and tree.text in OPERATORS:
            return OPERATORS[tree.text]
        return self.symbol(tree)

    def _leaf(self, atom: Lexeme, variables: Mapping[str, Var], labels: Mapping[str, Node]) -> Node:
        text = atom.text
        if not atom.quoted:
            if text in ("true", "false"):
                return self.pool.truth(text == "true")
            if text.startswith("?"):
                return _variable(atom, variables)
            if text.startswith("%"):
                if text not in labels:
                    raise _Problem(atom.position, f"undefined label {text[:40]}")
                return labels[text]
            if text[0] in "-0123456789":
                return self.pool.integer(_integer(atom))
        symbol = self.symbol(atom)
        if symbol.domain:
            raise _Problem(atom.position, f"{symbol.name[:40]} takes arguments")
        return self.pool.sym(symbol)

    def _literal(self, group: Group) -> Node:
        sort = self.sort(_item(group, 1, "a sort"))
        item = _item(group, 2, "a value")
        value = _value(item, sort)
        if value is _MALFORMED:
            raise _Problem(item.position, "malformed literal for its sort")
        return self.pool.lit(value, sort)  # type: ignore[arg-type]


_MALFORMED = object()
_MOST_NESTED = 100
"""Levels of a sort: hashing and comparing sorts recurses."""


def _value(item: Tree, sort: Sort) -> Value | object:
    text = item.text if isinstance(item, Lexeme) else ""
    quoted = isinstance(item, Lexeme) and item.quoted
    match sort:
        case RealSort() if "/" in text:
            above, _, below = text.partition("/")
            denominator = _integer(Lexeme(item.position, below, False))
            if denominator > 0:
                return Fraction(_integer(Lexeme(item.position, above, False)), denominator)
        case BitVecSort():
            number = _integer(item)
            return number if number >= 0 and number.bit_length() <= sort.width else _MALFORMED
        case StringSort() if quoted:
            return text
        case EnumSort() if quoted and text in sort.values:
            return text
        case SetSort() if text == "empty" and not quoted:
            return None
    return _MALFORMED


# --- pieces of trees -----------------------------------------------------------------------------


def _sort_parts(tree: Tree) -> list[Tree]:
    return tree.items[1:] if isinstance(tree, Group) and _head(tree) in ("Array", "Set", "Function") else []


def _shape(tree: Tree) -> list[str]:
    return [_word(item) for item in tree.items] if isinstance(tree, Group) else []


def _head(tree: Tree) -> str:
    """The first word of a group, or nothing."""
    first = tree.items[0] if isinstance(tree, Group) and tree.items else None
    return first.text if isinstance(first, Lexeme) and not first.quoted else ""


def _item(group: Group, place: int, wanted: str) -> Tree:
    if place >= len(group.items):
        raise _Problem(group.position, f"expected {wanted}")
    return group.items[place]


def _group(tree: Tree, wanted: str) -> Group:
    if not isinstance(tree, Group):
        raise _Problem(tree.position, f"expected {wanted} in parentheses")
    return tree


def _word(tree: Tree) -> str:
    if not isinstance(tree, Lexeme) or tree.quoted:
        raise _Problem(tree.position, "expected a word")
    return tree.text


def _name(tree: Tree) -> str:
    if not isinstance(tree, Lexeme):
        raise _Problem(tree.position, "expected a name")
    return tree.text


def _integer(tree: Tree) -> int:
    try:
        return integer(_word(tree))
    except ValueError:
        raise _Problem(tree.position, "expected a numeral") from None


def _variable(tree: Tree, variables: Mapping[str, Var]) -> Var:
    found = variables.get(_word(tree))
    if found is None:
        raise _Problem(tree.position, f"undeclared variable {_word(tree)[:40]}")
    return found


_LISTS = (
    "symbols",
    "definitions",
    "assertions",
    "claims",
    "norms",
    "constraints",
    "objectives",
    "closed",
    "unique",
    "properties",
)
_BASIC: Mapping[str, Sort] = MappingProxyType({"Bool": BOOL, "Int": INT, "Real": REAL, "String": STRING})
_HANDLERS: Mapping[str, Callable[[_ModuleReader, Group], None]] = MappingProxyType(
    {
        "sort": _ModuleReader.sort_line,
        "enum": _ModuleReader.sort_line,
        "tuple": _ModuleReader.sort_line,
        "closed": _ModuleReader.named_sort_line,
        "unique": _ModuleReader.named_sort_line,
        "declare": _ModuleReader.symbol_line,
        "use": _ModuleReader.symbol_line,
        "define": _ModuleReader.define_line,
        "assert": _ModuleReader.assertion_line,
        "claim": _ModuleReader.claim_line,
        "norm": _ModuleReader.claim_line,
        "constraint": _ModuleReader.assertion_line,
        "objective": _ModuleReader.objective_line,
        "optimize": _ModuleReader.optimize_line,
        "actions": _ModuleReader.actions_line,
        "properties": _ModuleReader.properties_line,
    }
)
