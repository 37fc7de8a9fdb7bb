"""Declarations: functions, constants, enum values, tuples and variables into the scope."""

from __future__ import annotations

from collections.abc import Sequence

from potlang.diag import Applicability, Fix, Label, Patch, Place, Sink
from potlang.expressions import surface as s
from potlang.ir.nodes import Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import EnumSort, TupleSort
from potlang.sema.scope import Entry, FunctionEntry, Scope, TermEntry, VariableEntry, describe
from potlang.sema.sorts import SortTable
from potlang.source import join_pointer

CONNECTIVES = ("And", "Or", "Not", "Implies", "Iff", "Xor", "If", "Distinct", "ForAll", "Exists")


class Declarations:
    """The declaring sections of a program: its scope, its sorts and its symbols.

    `brought` are the sorts that its imports declare. Errors are reported and leave entries that absorb
    their uses.
    """

    def __init__(
        self, program: s.ParsedProgram, pool: Pool, sink: Sink, brought: Sequence[s.SortDecl] = ()
    ) -> None:
        self._pool = pool
        self._sink = sink
        sorts = [*program.sorts, *brought]
        self.sorts = SortTable(sorts, sink, program.broken)
        self.scope = Scope(frozenset(declaration.name for declaration in sorts))
        self.symbols: list[Symbol] = []
        for declaration in sorts:
            self._sort_members(declaration)
        for function in program.functions:
            self._function(function)
        for group in program.constants:
            self._constants(group)
        for variable in program.variables:
            entry = variable_entry(variable, self.sorts)
            if entry is not None:
                self._add(entry)
        for name in program.broken:
            self.scope.entries.setdefault(name, TermEntry(name, None, "constant", Place()))

    def _sort_members(self, declaration: s.SortDecl) -> None:
        sort = self.sorts.resolve(s.SortExpr(declaration.name, [], declaration.pointer, 0, 0))
        if isinstance(sort, EnumSort) and sort.name == declaration.name:
            for value, pointer in declaration.values:
                node = self._pool.lit(value, sort)
                self._add(TermEntry(value, node, "enum value", Place(pointer)))
        elif isinstance(sort, TupleSort) and sort.name == declaration.name:
            self._tuple(sort, declaration)

    def _tuple(self, sort: TupleSort, declaration: s.SortDecl) -> None:
        domain = tuple(part for _, part in sort.fields)
        constructor = Symbol(sort.name, domain, sort, SymbolKind.CONSTRUCTOR)
        place = Place(join_pointer(declaration.pointer, "name"))
        self._add(FunctionEntry(sort.name, constructor, place))
        for (name, part), (_, _, pointer) in zip(sort.fields, declaration.fields, strict=True):
            selector = Symbol(name, (sort,), part, SymbolKind.SELECTOR)
            self._add(FunctionEntry(name, selector, Place(pointer)))

    def _function(self, declaration: s.FunctionDecl) -> None:
        place = Place(f"{declaration.pointer}/name")
        domain = [self.sorts.resolve(sort) for sort in declaration.domain]
        range_ = self.sorts.resolve(declaration.range)
        known = tuple(sort for sort in domain if sort is not None)
        symbol = None
        if range_ is not None and len(known) == len(domain):
            # One without arguments is a constant.
            kind = SymbolKind.FUNCTION if declaration.body is None else SymbolKind.DEFINED
            if kind is SymbolKind.FUNCTION and not known:
                kind = SymbolKind.CONSTANT
            symbol = Symbol(declaration.name, known, range_, kind)
        if declaration.name in CONNECTIVES:
            self._sink.report(
                "POT2012", place, name=declaration.name, helps=["give the function a name of its own"]
            )
        if self._add(FunctionEntry(declaration.name, symbol, place)) and symbol is not None:
            self.symbols.append(symbol)

    def _constants(self, group: s.ConstantGroup) -> None:
        sort = self.sorts.resolve(group.sort)
        for name, pointer in group.members:
            if sort is None:
                self._add(TermEntry(name, None, "constant", Place(pointer)))
                continue
            symbol = Symbol(name, (), sort, SymbolKind.CONSTANT)
            if self._add(TermEntry(name, self._pool.sym(symbol), "constant", Place(pointer))):
                self.symbols.append(symbol)

    def _add(self, entry: Entry) -> bool:
        """Adds an entry; False, and a report, where the name stands for something else already."""
        known = self.scope.entries.get(entry.name)
        if known is None:
            self.scope.entries[entry.name] = entry
            return True
        first, second = describe(known), describe(entry)
        labels = [Label(known.place, "first declared here")]
        if _same_meaning(known, entry):
            self._sink.report(
                "POT2013",
                entry.place,
                name=entry.name,
                labels=labels,
                helps=["remove one of the two declarations"],
                fixes=_removals(entry),
            )
            return False
        if first == second:
            self._sink.report("POT2002", entry.place, name=entry.name, labels=labels, helps=_RENAME)
        else:
            self._sink.report(
                "POT2003",
                entry.place,
                name=entry.name,
                first=first,
                second=second,
                labels=labels,
                helps=_RENAME,
            )
        return False


_RENAME = ["give one of the two another name, and use that where it is meant"]


def variable_entry(declaration: s.BinderDecl, sorts: SortTable) -> VariableEntry | None:
    """The entry of a variable; None where its sort is not written."""
    if declaration.sort is None:
        return None
    place = Place(join_pointer(declaration.pointer, "name"))
    return VariableEntry(declaration.name, sorts.resolve(declaration.sort), place)


def _same_meaning(known: Entry, entry: Entry) -> bool:
    """Whether a second declaration says nothing new, so that uses of the name have one reading."""
    match known, entry:
        case FunctionEntry(symbol=Symbol() as a), FunctionEntry(symbol=Symbol() as b):
            plain = SymbolKind.FUNCTION, SymbolKind.CONSTANT
            return (a.domain, a.range) == (b.domain, b.range) and a.kind in plain and b.kind in plain
        case TermEntry(node=a), TermEntry(node=b, kind="constant") if a and b:
            return a.sort == b.sort
        case VariableEntry(sort=a), VariableEntry(sort=b):
            return a == b
        case TermEntry(node=node), VariableEntry(sort=sort):
            return node is not None and node.sort == sort
        case _:
            return False


def _removals(entry: Entry) -> list[Fix]:
    pointer = entry.place.pointer.removesuffix("/name")
    return [Fix("remove the second declaration", Applicability.SAFE, (Patch("remove", pointer),))]
