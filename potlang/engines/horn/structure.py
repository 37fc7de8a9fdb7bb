"""A least model as a structure: constants by class, predicates as tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from potlang.engines.horn.engine import DatalogRows
from potlang.engines.horn.program import HornProgram
from potlang.engines.horn.rules import Row
from potlang.engines.horn.tables import Map
from potlang.ir.fold import value_of
from potlang.ir.nodes import Lit, Node, Sym, Symbol, SymbolKind
from potlang.ir.sorts import BOOL, DeclaredSort, EnumSort, IntSort, RealSort, Sort, StringSort
from potlang.ir.structure import FunctionTable, NotEvaluable, Structure, definitions_of, members
from potlang.ir.values import Element

_INTERPRETED = (SymbolKind.FUNCTION, SymbolKind.CONSTANT, SymbolKind.FREE, SymbolKind.FRESH)


@dataclass(slots=True)
class SharedTables:
    """Tables that are the same in many structures over one model of the assumptions.

    They hold as long as the constants that they are about have the same `values`.
    """

    values: dict[int, object] = field(default_factory=dict)
    tables: dict[int, object] = field(default_factory=dict)

    def agree(self, values: dict[int, object]) -> None:
        """Forget the tables unless their constants have these values."""
        if values != self.values:
            self.tables.clear()
            self.values = values


def least_structure(
    horn: HornProgram, engine: DatalogRows, renamed: Map, most: int, shared: SharedTables | None = None
) -> Structure | None:
    """The structure with these rows, over the leaders that `renamed` gives; None if it is too large.

    Symbols that no rule mentions get some value. None too if one of them has a sort without known values.
    Tables that the additions did not touch are those of `shared`, where there are some.
    """
    relations = [relation for relation, symbol in enumerate(horn.relations.symbols) if symbol is not None]
    if sum(map(engine.count, relations)) > most:
        return None
    values = _Values(horn, renamed)
    shared = shared or SharedTables()
    shared.agree({code: value for code, value in values.by_code.items() if code < horn.constants})
    try:
        functions: dict[Symbol, object] = {}
        for relation in relations:
            symbol = horn.relations.symbols[relation]
            assert symbol is not None
            if engine.grown(relation):
                functions[symbol] = _table(horn, relation, engine.table(relation), values)
                continue
            if relation not in shared.tables:
                shared.tables[relation] = _table(horn, relation, engine.table(relation), values)
            functions[symbol] = shared.tables[relation]
        for symbol in horn.module.symbols:
            if symbol not in functions and symbol.kind in _INTERPRETED:
                functions[symbol] = values.other(symbol)
        functions |= values.constants()
    except NotEvaluable:
        return None
    return Structure(values.universe, functions, definitions_of(horn.module))


def _table(horn: HornProgram, relation: int, rows: Iterable[Row], values: _Values) -> object:
    flipped = relation in horn.relations.flipped
    if horn.relations.arities[relation] == 0:
        return bool(list(rows)) is not flipped
    entries = {tuple(map(values.of, row)): not flipped for row in rows}
    return FunctionTable(entries, flipped)


class _Values:
    """Values for constants: members of declared sorts by class, literals themselves, others unlike those."""

    def __init__(self, horn: HornProgram, renamed: Map) -> None:
        self.horn = horn
        self.renamed = renamed
        self.universe: dict[DeclaredSort, int] = {}
        self.by_code: dict[int, object] = {}
        nodes = horn.universe.nodes
        for code, node in enumerate(nodes):
            if isinstance(node, Lit):
                self.by_code[self.leader(code)] = value_of(node)
        for code in range(len(nodes)):
            leader = self.leader(code)
            if leader not in self.by_code:
                self.by_code[leader] = self._fresh(nodes[leader], leader)
        for sort in horn.module.sorts:
            if isinstance(sort, DeclaredSort):
                self.universe.setdefault(sort, 1)

    def leader(self, code: int) -> int:
        return self.renamed((code,))[0]

    def of(self, code: int) -> object:
        """The value of a leader."""
        return self.by_code[code]

    def _fresh(self, node: Node, code: int) -> object:
        sort = node.sort
        if isinstance(sort, DeclaredSort):
            index = self.universe.get(sort, 0)
            self.universe[sort] = index + 1
            return Element(sort.name, index)
        return self._some(sort, code)

    def _some(self, sort: Sort, number: int) -> object:
        """A value that no literal has, for the sorts that have infinitely many; else some value."""
        known = [
            v for v in self.by_code.values() if isinstance(v, int | Fraction) and not isinstance(v, bool)
        ]
        match sort:
            case IntSort():
                return int(max(known, default=0)) + 1 + number
            case RealSort():
                return Fraction(int(max(known, default=0)) + 1 + number)
            case StringSort():
                return "_" * (
                    1 + max((len(v) for v in self.by_code.values() if isinstance(v, str)), default=0)
                )
            case DeclaredSort():
                self.universe.setdefault(sort, 1)
                return Element(sort.name, 0)
            case EnumSort():
                return sort.values[0]
            case _ if sort is BOOL:
                return False
            case _:
                return members(sort, Structure(self.universe))[0]

    def other(self, symbol: Symbol) -> object:
        """A meaning for a symbol that no rule mentions."""
        node_code = None if symbol.domain else self._code(symbol)
        if node_code is not None:
            return self.of(self.leader(node_code))
        value = self._some(symbol.range, 0)
        return FunctionTable({}, value) if symbol.domain else value

    def _code(self, symbol: Symbol) -> int | None:
        return self.horn.universe.codes.get(self.horn.pool.sym(symbol).id)

    def constants(self) -> dict[Symbol, object]:
        """The constants of the universe, Skolem constants included."""
        nodes = self.horn.universe.nodes
        return {
            node.symbol: self.of(self.leader(code))
            for code, node in enumerate(nodes)
            if isinstance(node, Sym)
        }
