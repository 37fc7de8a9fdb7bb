"""The textual form of the IR: reading. Use it through `potlang.ir.text`.

Text becomes words, quoted texts and groups of these, and that a module. No recursion; the first mistake
is raised with its place.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import Any, TypeVar

from potlang.ir.module import (
    ASKS,
    Ask,
    Assertion,
    AssertionKind,
    Claim,
    Definition,
    Module,
    MultipleChoice,
    Objective,
    Optimization,
    Origin,
)
from potlang.ir.nodes import Node, Symbol, SymbolKind, Var
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


class Word(str):
    """A bare word, with its place in the text."""

    __slots__ = ("position",)
    position: int


class QuotedName:
    """The content of a quoted text. It is no `str`, so that no pattern takes it for a word."""

    __slots__ = ("position", "text")

    def __init__(self, position: int, text: str) -> None:
        self.position = position
        self.text = text


class Group(list["Tree"]):
    """A parenthesized list."""

    __slots__ = ("position",)
    position: int


Tree = Word | QuotedName | Group
Names = dict[str, Node]
"""The variables and labels of a root, which begin with `?` and `%`."""
_TOKEN = re.compile(r'[ \t\r\n]*(?:([()])|("(?:[^"\\\n]|\\.)*")|([^ \t\r\n()"]+))')


class _Problem(Exception):
    def __init__(self, position: int, message: str) -> None:
        self.position = position
        self.message = message


def _read_trees(text: str) -> Group:
    """The words, quoted texts and groups of `text`."""
    open_groups = [_placed(Group(), 0)]
    position, end = 0, len(text.rstrip(" \t\r\n"))
    while position < end:
        found = _TOKEN.match(text, position)
        if found is None:
            raise _Problem(position, "unexpected character")
        position = found.end()
        mark, quoted, word = found.groups()
        start = position - len(mark or quoted or word)
        if mark == "(":
            group = _placed(Group(), start)
            open_groups[-1].append(group)
            open_groups.append(group)
        elif mark == ")":
            if len(open_groups) == 1:
                raise _Problem(start, "unexpected ')'")
            open_groups.pop()
        elif quoted is not None:
            open_groups[-1].append(QuotedName(start, _unquoted(quoted, start)))
        else:
            open_groups[-1].append(_placed(Word(word), start))
    if len(open_groups) > 1:
        raise _Problem(open_groups[-1].position, "this '(' is not closed")
    return open_groups[0]


Placed = TypeVar("Placed", Word, Group)


def _placed(tree: Placed, position: int) -> Placed:
    tree.position = position
    return tree


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


_SHAPES: Mapping[str, str] = MappingProxyType(
    {
        "sort": "NAME",
        "enum": "NAME VALUE…",
        "tuple": "NAME (FIELD SORT)…",
        "closed": "SORT",
        "unique": "SORT",
        "declare": "KIND NAME (SORT…) SORT",
        "use": "KIND NAME (SORT…) SORT",
        "define": "SYMBOL (VARIABLE…) ORIGIN? ROOT",
        "assert": "KEY NAME KIND ORIGIN? ROOT",
        "constraint": "KEY NAME KIND ORIGIN? ROOT",
        "claim": "KEY NAME (VARIABLE…) ORIGIN? ROOT",
        "norm": "KEY NAME (VARIABLE…) ORIGIN? ROOT",
        "ask": "KEY MODE",
        "question": "KEY NAME ORIGIN? CLAIM…",
        "optimize": "MODE ORIGIN?",
        "objective": "NAME DIRECTION ORIGIN? ROOT",
    }
)
"""The parts of declarations, for messages; `spec/45-ir.md` has the grammar."""


class _ModuleReader:
    """The declarations so far."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.sorts: dict[str, DeclaredSort | EnumSort | TupleSort] = {}
        self.numbered: list[Symbol] = []
        self.named: dict[str, Symbol | None] = {}
        self.lists: defaultdict[str, list[Any]] = defaultdict(list)
        self.optimization: tuple[str, Origin] | None = None
        self.actions: tuple[str, ...] = Module(pool).actions
        self.claims: set[str] = set()
        self.asks: dict[str, Ask] = {}
        self.questions: dict[str, MultipleChoice] = {}
        """The question of each option, by the claim's key."""

    def add_symbol(self, symbol: Symbol) -> None:
        """Number `symbol`, and let its name stand for it while no other symbol has that name."""
        self.numbered.append(symbol)
        self.named[symbol.name] = None if symbol.name in self.named else symbol

    def module(self, trees: Group) -> Module:
        if not trees or trees[0] != ["potlang-ir", "1"]:
            raise _Problem(trees[0].position if trees else 0, "expected (potlang-ir 1)")
        for tree in trees[1:]:
            if not isinstance(tree, Group):
                raise _Problem(tree.position, "expected a declaration in parentheses")
            self.declaration(tree)
        return self.built()

    def built(self) -> Module:
        """The module of everything read."""
        lists = self.lists
        optimization = None
        if self.optimization is not None:
            mode, origin = self.optimization
            optimization = Optimization(tuple(lists["constraint"]), tuple(lists["objective"]), mode, origin)
        return Module(
            self.pool,
            tuple(self.sorts.values()),
            tuple(lists["declare"]),
            tuple(lists["define"]),
            tuple(lists["assert"]),
            tuple(
                each._replace(ask=self.asks.get(each.key, "must"), question=self.questions.get(each.key))
                for each in lists["claim"]
            ),
            tuple(lists["norm"]),
            optimization,
            frozenset(lists["closed"]),
            frozenset(lists["unique"]),
            self.actions,
            frozenset(lists["properties"]),
        )

    def declaration(self, group: Group) -> None:
        """One declaration, listed under its first word."""
        match group:
            case ["sort", name]:
                self._add_sort(group, DeclaredSort(_name(name)))
            case ["enum", name, *values]:
                self._add_sort(group, EnumSort(_name(name), tuple(map(_name, values))))
            case ["tuple", name, *fields]:
                self._add_sort(group, TupleSort(_name(name), tuple(map(self._field, fields))))
            case ["closed" | "unique" as head, sort]:
                self.lists[head].append(self.sort(sort))
            case ["declare" | "use" as head, kind, name, [*domain], result]:
                symbol_kind = _kind(SymbolKind, kind, "symbol")
                symbol = Symbol(_name(name), tuple(map(self.sort, domain)), self.sort(result), symbol_kind)
                self.add_symbol(symbol)
                self.lists[head].append(symbol)
            case ["define", called, [*params], *rest]:
                symbol = self.symbol(called)
                origin, body, found = self.body(group, rest, params)
                self.lists["define"].append(Definition(symbol, found, body, origin))
            case ["assert" | "constraint" as head, key, name, kind, *rest]:
                reason = _kind(AssertionKind, kind, "assertion")
                origin, body, _ = self.body(group, rest)
                self.lists[head].append(Assertion(_name(key), _name(name), reason, body, origin))
            case ["claim" | "norm" as head, key, name, [*find], *rest]:
                origin, body, found = self.body(group, rest, find)
                self.lists[head].append(Claim(_name(key), _name(name), body, origin, found))
                if head == "claim":
                    self.claims.add(_name(key))
            case ["ask", key, mode]:
                self._ask(key, mode)
            case ["question", key, name, *rest]:
                origin, options = _origin(rest)
                question = MultipleChoice(_name(key), _name(name), origin)
                self.questions.update((self._claimed(each), question) for each in options)
            case ["objective", name, direction, *rest]:
                origin, body, _ = self.body(group, rest)
                self.lists["objective"].append(Objective(_name(name), _name(direction), body, origin))
            case ["optimize", mode] | ["optimize", mode, ["origin", *_]]:
                self.optimization = (_name(mode), _origin(group[2:])[0])
            case ["actions", *names]:
                self.actions = tuple(map(_name, names))
            case ["properties", *names]:
                self.lists["properties"].extend(map(_name, names))
            case [Word() as head, *_] if head in _SHAPES:
                raise _Problem(group.position, f"expected ({head} {_SHAPES[head]})")
            case [Word() as head, *_]:
                raise _Problem(group.position, f"unknown declaration {str(head[:40])!r}")
            case _:
                raise _Problem(group.position, "expected a declaration's name")

    def _ask(self, key: Tree, mode: Tree) -> None:
        found = next((ask for ask in ASKS if ask == _name(mode)), None)
        if found is None:
            raise _Problem(mode.position, f"expected one of {', '.join(ASKS)}")
        self.asks[self._claimed(key)] = found

    def _claimed(self, key: Tree) -> str:
        """The key of a claim that is read already."""
        found = _name(key)
        if found not in self.claims:
            raise _Problem(key.position, f"no claim has the key {found[:40]!r}")
        return found

    # --- sorts and symbols ---

    def _add_sort(self, group: Group, sort: DeclaredSort | EnumSort | TupleSort) -> None:
        if sort.name in self.sorts:
            raise _Problem(group.position, f"the sort {sort.name[:40]} is declared twice")
        self.sorts[sort.name] = sort

    def _field(self, tree: Tree) -> tuple[str, Sort]:
        match tree:
            case [name, sort]:
                return _name(name), self.sort(sort)
            case _:
                raise _Problem(tree.position, "expected (FIELD SORT)")

    def sort(self, tree: Tree) -> Sort:
        """The sort that `tree` writes. Inner groups are done before outer ones."""
        results: list[Sort] = []
        stack = [(tree, 0, False)]
        while stack:
            top, depth, complete = stack.pop()
            if depth > _MOST_NESTED:
                raise _Problem(top.position, "the sort is nested too deeply")
            composed = isinstance(top, Group) and top[:1] in (["Array"], ["Set"], ["Function"])
            parts = top[1:] if isinstance(top, Group) and composed else []
            if parts and not complete:
                stack.append((top, depth, True))
                stack.extend((part, depth + 1, False) for part in reversed(parts))
                continue
            first = len(results) - len(parts)
            results[first:] = [self._sort(top, results[first:])]
        return results[0]

    def _sort(self, tree: Tree, parts: list[Sort]) -> Sort:
        match tree, parts:
            case ["BitVec", width], _ if (bits := _integer(width)) >= 1:
                return BitVecSort(bits)
            case ["Array", *_], [index, element]:
                return ArraySort(index, element)
            case ["Set", *_], [element]:
                return SetSort(element)
            case ["Function", *_], [_, *_, result]:
                return FunctionSort(tuple(parts[:-1]), result)
            case [*_], _:
                raise _Problem(tree.position, "malformed sort")
        name = _name(tree)
        sort = _BASIC.get(name) if isinstance(tree, Word) else None
        sort = sort or self.sorts.get(name)
        if sort is None:
            raise _Problem(tree.position, f"unknown sort {name[:40]!r}")
        return sort

    def symbol(self, tree: Tree) -> Symbol:
        name = _name(tree)
        if isinstance(tree, Word) and name.startswith("@"):
            number = _integer(_placed(Word(name[1:]), tree.position))
            found = self.numbered[number] if 0 <= number < len(self.numbered) else None
        else:
            found = self.named.get(name)
        if found is None:
            raise _Problem(tree.position, f"unknown or ambiguous symbol {name[:40]!r}")
        return found

    # --- roots ---

    def body(
        self, group: Group, parts: list[Tree], params: Iterable[Tree] = ()
    ) -> tuple[Origin, Node, tuple[Var, ...]]:
        """The origin and the root that `parts` hold, and the variables of the root that `params` lists."""
        origin, parts = _origin(parts)
        names: Names = {}
        root = self.root(parts, names, group.position)
        return origin, root, tuple([_variable(each, names) for each in params])

    def root(self, parts: list[Tree], names: Names, position: int) -> Node:
        """`[(vars …)] [(defs …)] body`; adds what is declared there to `names`."""
        declared, parts = _section(parts, "vars")
        for each in declared:
            self._declare(each, names)
        shared, parts = _section(parts, "defs")
        for each in shared:
            match each:
                case [Word() as label, term] if label[:1] == "%" and label not in names:
                    names[label] = self.term(term, names)
                case _:
                    raise _Problem(each.position, "labels start with % and are defined once")
        if len(parts) != 1:
            raise _Problem(parts[1].position if parts else position, "expected one term")
        return self.term(parts[0], names)

    def _declare(self, tree: Tree, names: Names) -> None:
        match tree:
            case [Word() as reference, sort, *rest] if reference[:1] == "?" and reference not in names:
                name = _name(rest[0]) if rest else reference[1:].rpartition(".")[0]
                names[reference] = self.pool.var(str(name), self.sort(sort))
            case _:
                raise _Problem(tree.position, "variables start with ?, have a sort and are declared once")

    def term(self, tree: Tree, names: Names) -> Node:
        """The node that `tree` writes, from the leaves up."""
        results: list[Node] = []
        stack: list[tuple[Tree, bool]] = [(tree, False)]
        while stack:
            top, complete = stack.pop()
            if not isinstance(top, Group):
                results.append(self._leaf(top, names))
                continue
            if top[:1] == ["lit"]:
                results.append(self._literal(top))
                continue
            operands = top[2 if top[:1] in (["forall"], ["exists"]) else 1 :]
            if not complete:
                stack.append((top, True))
                stack.extend((each, False) for each in reversed(operands))
                continue
            first = len(results) - len(operands)
            results[first:] = [self._application(top, tuple(results[first:]), names)]
        return results[0]

    def _application(self, group: Group, args: tuple[Node, ...], names: Names) -> Node:
        try:
            match group:
                case ["forall" | "exists" as kind, [*binders], _]:
                    variables = tuple([_variable(each, names) for each in binders])
                    return self.pool.quant(str(kind), variables, args[0])
                case ["forall" | "exists", *_]:
                    raise _Problem(group.position, "a quantifier has variables and one body")
                case [head, _, *_]:
                    return self.pool.app(self._operator(head), args)
        except IllSorted as error:
            raise _Problem(group.position, str(error)[:300]) from None
        raise _Problem(group.position, "an application wants operands")

    def _operator(self, tree: Tree) -> Operator | Symbol:
        return OPERATORS[tree] if isinstance(tree, Word) and tree in OPERATORS else self.symbol(tree)

    def _leaf(self, tree: Word | QuotedName, names: Names) -> Node:
        if isinstance(tree, Word):
            if tree in ("true", "false"):
                return self.pool.truth(tree == "true")
            if tree[0] in "?%":
                return _named(tree, names)
            if tree[0] in "-0123456789":
                return self.pool.integer(_integer(tree))
        symbol = self.symbol(tree)
        if symbol.domain:
            raise _Problem(tree.position, f"{symbol.name[:40]} takes arguments")
        return self.pool.sym(symbol)

    def _literal(self, group: Group) -> Node:
        if len(group) != 3:
            raise _Problem(group.position, "expected (lit SORT VALUE)")
        sort, item = self.sort(group[1]), group[2]
        match sort, item:
            case RealSort(), Word() if "/" in item:
                above, below = (_placed(Word(part), item.position) for part in item.split("/", 1))
                if (denominator := _integer(below)) > 0:
                    return self.pool.real(Fraction(_integer(above), denominator))
            case BitVecSort(width), _ if (number := _integer(item)) >= 0 and number.bit_length() <= width:
                return self.pool.lit(number, sort)
            case StringSort(), QuotedName():
                return self.pool.lit(item.text, sort)
            case EnumSort(), QuotedName() if item.text in sort.values:
                return self.pool.lit(item.text, sort)
            case SetSort(), "empty":
                return self.pool.lit(None, sort)
        raise _Problem(item.position, "malformed literal for its sort")


_MOST_NESTED = 100
"""Levels of a sort: hashing and comparing sorts recurses."""
_BASIC: Mapping[str, Sort] = MappingProxyType({"Bool": BOOL, "Int": INT, "Real": REAL, "String": STRING})


# --- pieces of trees -----------------------------------------------------------------------------


def _section(parts: list[Tree], head: str) -> tuple[list[Tree], list[Tree]]:
    """The content of a first group of that name, and the rest."""
    match parts:
        case [[Word() as first, *content], *rest] if first == head:
            return content, rest
        case _:
            return [], parts


def _origin(parts: list[Tree]) -> tuple[Origin, list[Tree]]:
    match parts:
        case [["origin", pointer, text], *rest]:
            return Origin(_name(pointer), _name(text)), rest
        case [["origin", *_] as group, *_]:
            raise _Problem(group.position, "expected (origin POINTER TEXT)")
        case _:
            return Origin(), parts


def _name(tree: Tree) -> str:
    if isinstance(tree, Group):
        raise _Problem(tree.position, "expected a name")
    return tree.text if isinstance(tree, QuotedName) else str(tree)


Kind = TypeVar("Kind", bound=StrEnum)


def _kind(kinds: type[Kind], tree: Tree, of: str) -> Kind:
    if not isinstance(tree, Word) or str(tree) not in {each.value for each in kinds}:
        raise _Problem(tree.position, f"unknown kind of {of}")
    return kinds(tree)


def _integer(tree: Tree) -> int:
    try:
        return integer(tree if isinstance(tree, Word) else "")
    except ValueError:
        raise _Problem(tree.position, "expected a numeral") from None


def _named(word: Word, names: Names) -> Node:
    if word not in names:
        raise _Problem(word.position, f"undeclared {'variable' if word[0] == '?' else 'label'} {word[:40]}")
    return names[word]


def _variable(tree: Tree, names: Names) -> Var:
    found = _named(tree, names) if isinstance(tree, Word) else None
    if not isinstance(found, Var):
        raise _Problem(tree.position, "expected a variable")
    return found
