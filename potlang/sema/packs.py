"""Imports: packs of the standard library, instantiated for a program's sorts and symbols.

A pack is a program fragment over parameters. Each parameter is bound by `with`, else to the
program's declaration of the same name, else (a parameter that nothing names) declared by the import.
"""

from __future__ import annotations

from potlang.diag import Applicability, Fix, Patch, Place, Replace, Sink, nearest
from potlang.expressions import surface as s
from potlang.ir.module import Assertion, AssertionKind, Claim, Origin
from potlang.ir.nodes import Node, Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import DeclaredSort, Sort
from potlang.sema.declare import Declarations
from potlang.sema.elaborate import Elaborator
from potlang.sema.scope import Entry, FunctionEntry, Scope, TermEntry, VariableEntry, describe, signature
from potlang.sema.sorts import SortTable
from potlang.sema.statements import fact_formula, statement_formula, statement_text
from potlang.source import join_pointer


def import_packs(
    imports: list[s.ImportDecl], declared: Declarations, pool: Pool, sink: Sink
) -> tuple[list[Assertion], list[Claim]]:
    """The assertions and norms of all imported packs; symbols that an import declares go to `declared`."""
    assertions: list[Assertion] = []
    norms: list[Claim] = []
    for index, item in enumerate(imports):
        if item.loaded is not None:
            _Instance(index, item.loaded, item, declared, pool, sink).add_to(assertions, norms)
    return assertions, norms


class _Instance:
    """One pack, bound to one program."""

    def __init__(
        self, index: int, pack: s.Pack, item: s.ImportDecl, declared: Declarations, pool: Pool, sink: Sink
    ) -> None:
        self._index = index
        self._pack = pack
        self._item = item
        self._declared = declared
        self._pool = pool
        self._sink = sink
        self._inner = Sink()
        self._sorts = SortTable(pack.program.sorts, self._inner)
        self._scope = Scope()

    def add_to(self, assertions: list[Assertion], norms: list[Claim]) -> None:
        """Adds the pack's facts, rules and norms over the program's symbols; none after an error."""
        if not (self._known_parameters() & self._bind_sorts()) or not self._bind_symbols():
            return
        self._declare_variables()
        e = Elaborator(self._pool, self._scope, self._sorts, self._inner)
        facts = self._facts(e)
        rules, found = self._rules(e)
        e.free_numbers.report(self._inner)
        e.undeclared.report(self._scope, frozenset())
        if self._inner.has_errors:
            notes = [d.message for d in self._inner.diagnostics()[:3]]
            self._sink.report("POT8005", self._item.pointer, name=self._pack.name, notes=notes)
            return
        assertions += [*facts, *rules]
        norms += found

    def _known_parameters(self) -> bool:
        known = [*self._pack.sorts, *(symbol.name for symbol in self._pack.symbols)]
        unknown = {key: place for key, place in self._item.substitution.items() if key not in known}
        for key, (_, pointer) in unknown.items():
            near = nearest(key, known)
            self._sink.report(
                "POT8002",
                Place(pointer, on_key=True),
                pack=self._pack.name,
                name=key,
                helps=[f"did you mean `{near[0]}`?" if near else f"its parameters are {', '.join(known)}"],
                fixes=[
                    _renamed(pointer, other) for other in near[:1] if other not in self._item.substitution
                ],
            )
        return not unknown

    def _target(self, parameter: str) -> tuple[str, str]:
        """The program's name for a parameter, and the pointer to blame."""
        return self._item.substitution.get(parameter, (parameter, self._item.pointer))

    def _bind_sorts(self) -> bool:
        bound = [self._bind_sort(parameter) for parameter in self._pack.sorts]
        return all(bound)

    def _bind_sort(self, parameter: str) -> bool:
        name, pointer = self._target(parameter)
        table = self._declared.sorts
        if name not in table.names() and parameter not in self._item.substitution:
            table.add(DeclaredSort(name), Place(pointer))
        sort = table.resolve(s.SortExpr(name, [], pointer, 0, len(name)))
        if sort is not None:
            self._sorts.bind(parameter, sort)
        return sort is not None

    def _bind_symbols(self) -> bool:
        bound = [self._bind_symbol(symbol) for symbol in self._pack.symbols]
        return all(bound)

    def _bind_symbol(self, parameter: s.PackSymbol) -> bool:
        name, pointer = self._target(parameter.name)
        domain = tuple(s for sort in parameter.domain if (s := self._sorts.resolve(sort)) is not None)
        range_ = self._sorts.resolve(parameter.range)
        if range_ is None or len(domain) < len(parameter.domain):
            return False
        entry = self._declared.scope.entries.get(name)
        if entry is None:
            return self._declare_symbol(parameter, name, pointer, domain, range_)
        fitted = _fitting(entry, domain, range_)
        if fitted is None:
            wanted = signature(Symbol(name, domain, range_, SymbolKind.FUNCTION))
            self._sink.report(
                "POT8003",
                pointer,
                pack=self._pack.name,
                name=name,
                wanted=wanted,
                found=_entry_signature(entry),
                helps=[f"declare {wanted}, or bind `{parameter.name}` to a symbol that fits"],
            )
            return False
        self._scope.entries[parameter.name] = fitted
        return True

    def _declare_symbol(
        self, parameter: s.PackSymbol, name: str, pointer: str, domain: tuple[Sort, ...], range_: Sort
    ) -> bool:
        if parameter.name in self._item.substitution:
            near = nearest(name, self._declared.scope.entries)
            self._sink.report(
                "POT8004",
                pointer,
                pack=self._pack.name,
                name=name,
                helps=[f"did you mean `{near[0]}`?" if near else f"declare `{name}` in `functions`"],
                fixes=[
                    Fix(f"write `{other}`", Applicability.UNSAFE, (Replace(pointer, 0, len(name), other),))
                    for other in near[:1]
                ],
            )
            return False
        kind = SymbolKind.FUNCTION if domain else SymbolKind.CONSTANT
        symbol = Symbol(name, domain, range_, kind)
        entry: Entry = FunctionEntry(name, symbol, Place(pointer))
        self._declared.symbols.append(symbol)
        self._declared.scope.entries[name] = entry
        self._scope.entries[parameter.name] = entry
        return True

    def _declare_variables(self) -> None:
        for variable in self._pack.program.variables:
            if variable.sort is not None:
                sort = self._sorts.resolve(variable.sort)
                self._scope.entries[variable.name] = VariableEntry(variable.name, sort, Place())

    def _facts(self, e: Elaborator) -> list[Assertion]:
        found = []
        for index, fact in enumerate(self._pack.program.facts):
            formula = fact_formula(fact, e)
            if formula is not None:
                found.append(self._assertion(f"f{index}", fact.name, *formula))
        return found

    def _rules(self, e: Elaborator) -> tuple[list[Assertion], list[Claim]]:
        rules: list[Assertion] = []
        norms: list[Claim] = []
        for index, rule in enumerate(self._pack.program.rules):
            node = statement_formula(rule, e)
            if node is None:
                continue
            text = statement_text(rule)
            if rule.role == "norm":
                key, label, origin = self._identity(f"n{index}", rule.name, text)
                norms.append(Claim(key, label, node, origin))
            else:
                rules.append(self._assertion(f"r{index}", rule.name, node, text))
        return rules, norms

    def _assertion(self, key: str, name: str | None, node: Node, text: str) -> Assertion:
        full, label, origin = self._identity(key, name, text)
        return Assertion(full, label, AssertionKind.PACK, node, origin)

    def _identity(self, key: str, name: str | None, text: str) -> tuple[str, str, Origin]:
        label = f"{self._pack.name}: {name or key}"
        return f"p{self._index}.{key}", label, Origin(self._item.pointer, text)


def _renamed(pointer: str, parameter: str) -> Fix:
    edit = Patch("move", join_pointer(pointer.rpartition("/")[0], parameter), source=pointer)
    return Fix(f"bind `{parameter}`", Applicability.UNSAFE, (edit,))


def _fitting(entry: Entry, domain: tuple[Sort, ...], range_: Sort) -> Entry | None:
    match entry:
        case FunctionEntry(symbol=symbol) if symbol is not None:
            return entry if (symbol.domain, symbol.range) == (domain, range_) else None
        case TermEntry(node=node) if node is not None and not domain:
            return entry if node.sort == range_ else None
        case _:
            return None


def _entry_signature(entry: Entry) -> str:
    match entry:
        case FunctionEntry(symbol=symbol) if symbol is not None:
            return signature(symbol)
        case TermEntry(node=node) if node is not None:
            return f"{describe(entry)} of sort {node.sort}"
        case _:
            return describe(entry)
