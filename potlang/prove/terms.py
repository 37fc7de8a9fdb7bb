"""Which ground terms a model is shown by: what a claim touches, or everything that is named."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from typing import NamedTuple

from potlang.expressions.names import written
from potlang.ir.measures import shown_sort, value_text
from potlang.ir.module import Module
from potlang.ir.nodes import App, Lit, Node, Sym, Symbol, SymbolKind, reachable
from potlang.ir.numerals import digits
from potlang.ir.sorts import BOOL, BitVecSort, DeclaredSort, EnumSort, MeasureSort, Sort, parts_of
from potlang.ir.substitute import substitute

MOST_TERMS = 200
"""Terms of one model ([LIMIT-MODEL])."""
_DEEPEST = 8


class ShownTerm(NamedTuple):
    """A ground term whose value a model shows."""

    node: Node
    terms: TermCollector

    @property
    def label(self) -> str:
        """The term in the program's words; made when asked for, since few claims show a model."""
        return self.terms.label(self.node) or ""


class FreshNames:
    """Names for elements of declared sorts that no constant denotes: `person_1`, `person_2` and so on."""

    def __init__(self, taken: Container[str]) -> None:
        self._taken = taken
        self._numbers: dict[str, int] = {}

    def name(self, sort: str) -> str:
        """The next name of the sort that is not taken."""
        while True:
            number = self._numbers[sort] = self._numbers.get(sort, 0) + 1
            name = f"{sort.lower()}_{number}"
            if name not in self._taken:
                return name


def literal_label(literal: Lit, shown: Sort | None = None) -> str:
    """A literal as expressions write it; `shown` is the sort of it that the program writes, if another."""
    if isinstance(shown, MeasureSort):
        assert isinstance(literal.value, int | Fraction)
        return value_text(literal.value, shown)
    if isinstance(literal.value, bool):
        return str(literal.value)
    if isinstance(literal.sort, EnumSort):
        return written(str(literal.value))
    if isinstance(literal.sort, BitVecSort):
        return f"#b{literal.value:0{literal.sort.width}b}"
    if isinstance(literal.value, int):
        return integer_label(literal.value)
    if isinstance(literal.value, Fraction):
        below = literal.value.denominator
        above = integer_label(literal.value.numerator)
        return above if below == 1 else f"{above}/{integer_label(below)}"
    return json.dumps(literal.value, ensure_ascii=False)


def integer_label(value: int) -> str:
    """An integer of any length in decimal."""
    return f"-{digits(-value)}" if value < 0 else digits(value)


def members(module: Module, sort: Sort) -> list[Node]:
    """The named members of a sort, as terms: constants and free variables, enum values, truth values."""
    pool = module.pool
    if isinstance(sort, EnumSort):
        return [pool.lit(value, sort) for value in sort.values]
    if sort is BOOL:
        return [pool.true, pool.false]
    kinds = (SymbolKind.CONSTANT, SymbolKind.FREE)
    return [
        pool.sym(symbol)
        for symbol in module.symbols
        if not symbol.domain and symbol.range == sort and symbol.kind in kinds
    ]


def _is_constant(node: Node) -> bool:
    return isinstance(node, Sym) and node.symbol.kind is SymbolKind.CONSTANT


def _is_element(node: Node) -> bool:
    return _is_constant(node) and isinstance(node.sort, DeclaredSort)


def constants_within(terms: Iterable[ShownTerm]) -> list[Node]:
    """The constants for elements among the arguments of terms, in order."""
    applied = (term.node for term in terms if isinstance(term.node, App))
    return list(dict.fromkeys(arg for node in applied for arg in node.args if _is_element(arg)))


class TermCollector:
    """The members of each sort of a module, looked up once, and the labels of ground terms."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._members: dict[Sort, list[Node]] = {}
        self._labels: dict[int, str | None] = {}
        self._definitions = {each.symbol: each for each in module.definitions}

    def members(self, sort: Sort, shown: Sort | None = None) -> list[Node]:
        """See `members`; those of the sort `shown` alone, where the numbers in `sort` stand for several."""
        shown = shown or sort
        found = self._members.get(shown)
        if found is None:
            every = members(self.module, sort)
            found = self._members[shown] = [node for node in every if shown_sort(node) == shown]
        return found

    def label(self, node: Node, shown: Sort | None = None) -> str | None:
        """The text of a ground term of symbols and literals; None for any other, or a deep one.

        `shown` is the sort of a literal that the program writes, where numbers stand for its members.
        """
        if isinstance(node, Lit) and isinstance(shown, MeasureSort):
            return literal_label(node, shown)
        key = node.id
        if key not in self._labels:
            self._labels[key] = self._label(node, _DEEPEST)
        return self._labels[key]

    def _label(self, node: Node, depth: int) -> str | None:
        if isinstance(node, Lit):
            return None if node.value is None else literal_label(node)
        if isinstance(node, Sym):
            return written(node.symbol.name)
        if not isinstance(node, App) or not isinstance(node.op, Symbol) or not depth:
            return None
        declared = node.op.declared or node.op
        args = [
            literal_label(arg, sort)
            if isinstance(sort, MeasureSort) and isinstance(arg, Lit)
            else self._label(arg, depth - 1)
            for arg, sort in zip(node.args, declared.domain, strict=True)
        ]
        known = [arg for arg in args if arg is not None]
        if len(known) < len(args):
            return None
        # A function of the calendar has a form for its words, or none if programs do not know it.
        if declared.kind is SymbolKind.FRESH and node.op.kind is SymbolKind.DEFINED:
            return declared.name.format(*known) or None
        return f"{written(node.op.name)}({', '.join(known)})"

    def _has_label(self, node: Node) -> bool:
        """Whether `label` has words for a term; for an application to members, at a glance."""
        if isinstance(node, Sym):
            return True
        if isinstance(node, App) and all(isinstance(arg, Sym) for arg in node.args):
            is_plain = isinstance(node.op, Symbol) and node.op.kind is not SymbolKind.DEFINED
            return is_plain or self.label(node) is not None
        return self.label(node) is not None

    def touched(self, formula: Node) -> list[ShownTerm]:
        """The terms that a claim touches: its ground terms, and its functions over named members.

        At most `MOST_TERMS`, constants before applications.
        """
        nodes: dict[int, Node] = {}
        functions: dict[Symbol, None] = {}
        waiting = [formula]
        while waiting and len(nodes) <= MOST_TERMS:
            for node in reachable(waiting.pop()):
                if node.id in nodes:
                    continue
                if isinstance(node, Sym):
                    nodes[node.id] = node
                    waiting += self._inputs(node.symbol, ())
                elif isinstance(node, App) and isinstance(node.op, Symbol):
                    if node.op.kind is SymbolKind.CONSTRUCTOR:
                        continue
                    functions[node.op] = None
                    nodes[node.id] = node
                    waiting += self._inputs(node.op, node.args)
        return self._labelled([*nodes.values()], functions)

    def _inputs(self, symbol: Symbol, args: tuple[Node, ...]) -> list[Node]:
        """The body of a macro at these ground arguments; empty for any other symbol."""
        definition = self._definitions.get(symbol)
        if definition is None or any(self.label(arg) is None for arg in args):
            return []
        put: dict[Node, Node] = dict(zip(definition.params, args, strict=True))
        return [substitute(self.module.pool, definition.body, put)]

    @cached_property
    def everything(self) -> list[ShownTerm]:
        """All constants, and all functions over named members, at most `MOST_TERMS`."""
        symbols = [each for each in self.module.symbols if each.kind is not SymbolKind.FRESH]
        constants: list[Node] = [self.module.pool.sym(each) for each in symbols if not each.domain]
        return self._labelled(constants, [each for each in symbols if each.domain])

    def named(self, sorts: Iterable[Sort]) -> list[ShownTerm]:
        """The declared constants of declared sorts: what elements are called by."""
        wanted = [sort for sort in sorts if isinstance(sort, DeclaredSort)]
        nodes = [node for sort in wanted for node in self.members(sort) if _is_constant(node)]
        return self._labelled(nodes, ())

    def names_for(self, terms: Sequence[ShownTerm]) -> tuple[ShownTerm, ...]:
        """The constants that the elements among these terms' values may be called by.

        Constants among the terms name each other; for all that is no constant, any declared one may. Those
        among arguments may turn out to be one.
        """
        constants = [term for term in terms if _is_element(term.node)]
        others = dict.fromkeys(term.node.sort for term in terms if not _is_element(term.node))
        parts = parts_of(others)
        rest = [t for t in constants if t.node.sort not in parts]
        known = {term.node.id for term in rest}
        others_of = [
            ShownTerm(node, self)
            for node in constants_within(terms)
            if node.sort not in parts and node.sort not in self.module.unique and node.id not in known
        ]
        return (*self.named(parts), *rest, *(others_of if len(others_of) > 1 else ()))

    def _labelled(self, nodes: list[Node], functions: Iterable[Symbol]) -> list[ShownTerm]:
        found: dict[int, ShownTerm] = {}
        for node in self._candidates(nodes, functions):
            if node.id not in found and self._has_label(node):
                found[node.id] = ShownTerm(node, self)
                if len(found) == MOST_TERMS:
                    break
        return sorted(found.values(), key=lambda term: isinstance(term.node, App))

    def _candidates(self, nodes: list[Node], functions: Iterable[Symbol]) -> Iterator[Node]:
        # A constant of a declared sort has a line only where another denotes the same element: many of them
        # must not take the room of terms that always have one.
        elements = [node for node in nodes if _is_element(node)]
        late = {node.id for node in elements[MOST_TERMS // 2 :]}
        yield from (node for node in nodes if node.id not in late)
        for function in functions:
            if function.kind in (SymbolKind.FUNCTION, SymbolKind.DEFINED):
                declared = function.declared or function
                choices = [
                    self.members(*sorts)[:MOST_TERMS]
                    for sorts in zip(function.domain, declared.domain, strict=True)
                ]
                for args in islice(product(*choices), MOST_TERMS):
                    yield self.module.pool.app(function, args)
        yield from elements[MOST_TERMS // 2 :]
