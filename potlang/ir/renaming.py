"""Modules with other names: a copy in a pool of its own, whose sorts, symbols and enum values are renamed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from potlang.ir.module import Claim, Definition, Module
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, Var, reachable
from potlang.ir.pool import Pool
from potlang.ir.sorts import ArraySort, DeclaredSort, EnumSort, FunctionSort, SetSort, Sort, TupleSort


@dataclass(frozen=True, slots=True)
class ModuleRenaming:
    """New names by the old ones: of sorts, of symbols, and of values by their enum sort's old name.

    `more` are values that an enum sort, by its new name, gets behind its own.
    """

    sorts: Mapping[str, str] = field(default_factory=dict)
    symbols: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[tuple[str, str], str] = field(default_factory=dict)
    more: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def sort(self, sort: Sort) -> Sort:
        """The sort with its names renamed; itself if it has none of them."""
        # Recursion is bounded: sorts that are read nest no deeper than a limit.
        match sort:
            case DeclaredSort(name):
                return DeclaredSort(self.sorts[name]) if name in self.sorts else sort
            case EnumSort(name, values):
                renamed = tuple(self.values.get((name, each), each) for each in values)
                new = self.sorts.get(name, name)
                every = (*renamed, *self.more.get(new, ()))
                return sort if (new, every) == (name, values) else EnumSort(new, every)
            case TupleSort(name, fields):
                parts = tuple((part, self.sort(of)) for part, of in fields)
                return TupleSort(self.sorts.get(name, name), parts)
            case ArraySort(index, element):
                return ArraySort(self.sort(index), self.sort(element))
            case SetSort(element):
                return SetSort(self.sort(element))
            case FunctionSort(domain, range_):
                return FunctionSort(tuple(map(self.sort, domain)), self.sort(range_))
            case _:
                return sort


def renamed(module: Module, renaming: ModuleRenaming) -> Module:
    """The module under other names, in a new pool. Names that are new must not be in use.

    It says the same of what the new names mean, and has no `typed` module beside it.
    """
    return _Copy(renaming).module(module)


class _Copy:
    def __init__(self, renaming: ModuleRenaming) -> None:
        self.renaming = renaming
        self.pool = Pool()
        self._symbols: dict[Symbol, Symbol] = {}
        self._nodes: dict[int, Node] = {}

    def module(self, module: Module) -> Module:
        sort = self.renaming.sort
        # Parameters and the variables of `find` are bound by no quantifier.
        formulas = [self.node(each) for each in module.formulas()]
        found = replace(
            module,
            pool=self.pool,
            sorts=tuple(
                each
                for each in map(sort, module.sorts)
                if isinstance(each, DeclaredSort | EnumSort | TupleSort)
            ),
            symbols=tuple(map(self.symbol, module.symbols)),
            closed=frozenset(map(sort, module.closed)),
            unique=frozenset(map(sort, module.unique)),
            typed=None,
        ).with_formulas(formulas)
        return replace(
            found,
            definitions=tuple(map(self._definition, found.definitions)),
            claims=tuple(map(self._claim, found.claims)),
        )

    def _definition(self, definition: Definition) -> Definition:
        params = tuple(self._variable(each) for each in definition.params)
        return definition._replace(symbol=self.symbol(definition.symbol), params=params)

    def _claim(self, claim: Claim) -> Claim:
        return claim._replace(find=tuple(map(self._variable, claim.find))) if claim.find else claim

    def symbol(self, symbol: Symbol) -> Symbol:
        """The symbol under its new name and sorts; itself where these are the same."""
        found = self._symbols.get(symbol)
        if found is None:
            sort = self.renaming.sort
            # The constructor of a tuple sort has the sort's name.
            names = self.renaming.sorts if symbol.kind == "constructor" else self.renaming.symbols
            made = Symbol(
                names.get(symbol.name, symbol.name),
                tuple(map(sort, symbol.domain)),
                sort(symbol.range),
                symbol.kind,
                symbol.declared,
            )
            pairs = zip((*made.domain, made.range), (*symbol.domain, symbol.range), strict=True)
            is_same = made.name == symbol.name and all(new is old for new, old in pairs)
            # What potlang introduces is known by identity.
            found = self._symbols[symbol] = symbol if is_same else made
        return found

    def _variable(self, var: Var) -> Var:
        found = self._nodes.get(var.id)
        if found is None:
            found = self._nodes[var.id] = self.pool.var(var.name, self.renaming.sort(var.sort))
            found.shown = var.shown
        assert isinstance(found, Var)
        return found

    def node(self, root: Node) -> Node:
        """The copy of a term."""
        for node in reachable(root):
            if node.id not in self._nodes:
                self._nodes[node.id] = self._made(node)
        return self._nodes[root.id]

    def _made(self, node: Node) -> Node:
        match node:
            case Lit(sort=EnumSort() as sort, value=value):
                value = self.renaming.values.get((sort.name, str(value)), value)
                return self.pool.lit(value, self.renaming.sort(sort))
            case Lit():
                return self.pool.lit(node.value, self.renaming.sort(node.sort))
            case Sym():
                return self.pool.sym(self.symbol(node.symbol))
            case Var():
                return self._variable(node)
            case App():
                op = self.symbol(node.op) if isinstance(node.op, Symbol) else node.op
                return self.pool.app(op, tuple(self._nodes[arg.id] for arg in node.args))
            case Quant():
                binders = tuple(map(self._variable, node.binders))
                return self.pool.quant(node.kind, binders, self._nodes[node.body.id])
