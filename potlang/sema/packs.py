"""Imports: packs of the standard library, instantiated for a program's sorts and symbols.

A pack is a program fragment over parameters. Each parameter is bound by `with`, else to the
program's declaration of the same name, else (a parameter that nothing names) declared by the import.
A pack that imports others binds their parameters to its own.
"""

from __future__ import annotations

from potlang.diag import Applicability, Fix, Label, Patch, Place, Replace, Severity, Sink, nearest
from potlang.expressions import surface as s
from potlang.ir.module import Assertion, AssertionKind, Claim, Definition, Origin
from potlang.ir.nodes import Node, Sym, Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import EnumSort, MeasureSort, Sort, is_numeric
from potlang.sema.declare import Declarations
from potlang.sema.definitions import build_definition
from potlang.sema.elaborate import Elaborator
from potlang.sema.scope import Entry, FunctionEntry, Scope, TermEntry, VariableEntry, describe, signature
from potlang.sema.sorts import BUILTIN, SortTable
from potlang.sema.statements import fact_formula, rule_formulas, statement_text
from potlang.source import join_pointer

_OF_THE_PROGRAM = {"POT0008", "POT1014", "POT3010", "POT4004", "POT4010"}
"""Codes of a pack's formula that are due to the sorts that the program binds it to."""


def notes_of(sink: Sink) -> list[str]:
    """The notes of POT8005: the errors of a pack, or of a pack that it imports."""
    found = [
        note
        for each in sink.diagnostics()
        for note in (each.notes if each.code == "POT8005" else [each.message])
    ]
    return found[:3]


def brought_sorts(program: s.ParsedProgram) -> list[s.SortDecl]:
    """The sorts that the imports of a program declare: those of packs that nothing binds."""
    known = {*BUILTIN, *program.broken, *(declaration.name for declaration in program.sorts)}
    found: dict[str, s.SortDecl] = {}
    for item in program.imports:
        for sort in item.loaded.sorts if item.loaded is not None else ():
            if sort.default or sort.name in known or sort.name in item.substitution:
                continue
            if sort.name not in found or (sort.values and not found[sort.name].values):
                kind = "EnumSort" if sort.values else "DeclareSort"
                values = [(value, item.pointer) for value in sort.values]
                found[sort.name] = s.SortDecl(sort.name, item.pointer, kind, values=values)
    return list(found.values())


class Imports:
    """All that the imports of a program bring, bound to its sorts and symbols."""

    def __init__(self, imports: list[s.ImportDecl]) -> None:
        self._imports = imports
        self._instances: list[_Instance] = []
        self.assertions: list[Assertion] = []
        self.norms: list[Claim] = []
        self.definitions: list[Definition] = []
        self.closed: dict[Symbol, str] = {}
        """Predicates that packs close, with the pointer of the import."""
        self._undefined: set[Symbol] = set()
        self._seen: set[tuple[object, ...]] = set()

    def bind(self, declared: Declarations, sink: Sink) -> None:
        """Binds all parameters; symbols that an import declares go to `declared`."""
        for index, item in enumerate(self._imports):
            if item.loaded is not None:
                instance = _Instance(f"p{index}", item.pointer, item.loaded, item, declared, sink)
                if instance.bind(self):
                    self._instances.append(instance)

    def read(self, e: Elaborator) -> None:
        """Reads the packs' formulas, with what `e` knows of the members of sorts; none of a pack in error."""
        for instance in self._instances:
            instance.read(e, self)

    def is_new(self, instance: tuple[object, ...]) -> bool:
        """Whether no other import has brought the same pack over the same sorts and symbols."""
        known = instance in self._seen
        self._seen.add(instance)
        return not known

    def will_define(self, symbol: Symbol) -> None:
        """Notes a symbol that an import declares, whose definition comes with the formulas."""
        self._undefined.add(symbol)

    def takes(self, definition: Definition) -> bool:
        """Takes the definition of a symbol that an import has declared for it; False for any other symbol."""
        if definition.symbol not in self._undefined:
            return False
        self._undefined.remove(definition.symbol)
        self.definitions.append(definition)
        return True


class _Instance:
    """One pack, bound to a program, or to the parameters of a pack that imports it."""

    def __init__(
        self,
        key: str,
        pointer: str,
        pack: s.Pack,
        item: s.ImportDecl,
        outer: Declarations | _Instance,
        sink: Sink,
    ) -> None:
        self._key = key
        self._pointer = pointer
        self._pack = pack
        self._item = item
        self._outer = outer
        self._sink = sink
        self._inner = Sink()
        self._parts: list[_Instance] = []
        self.sorts = SortTable([], self._inner)
        self.scope = Scope()

    # --- parameters ------------------------------------------------------------------------------

    def bind(self, imports: Imports) -> bool:
        """Binds the parameters, those of imported packs too; False, with reports, after an error."""
        if not (self._known_parameters() & self._bind_sorts()) or not self._bind_symbols(imports):
            return False
        for index, item in enumerate(self._pack.program.imports):
            assert item.loaded is not None
            key = f"{self._key}.i{index}"
            part = _Instance(key, self._pointer, item.loaded, item, self, self._inner)
            if not part.bind(imports):
                self._report_broken()
                return False
            self._parts.append(part)
        return True

    def _known_parameters(self) -> bool:
        known = [*(sort.name for sort in self._pack.sorts), *(symbol.name for symbol in self._pack.symbols)]
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
        """The outer name for a parameter, and the pointer to blame."""
        return self._item.substitution.get(parameter, (parameter, self._item.pointer))

    def _bind_sorts(self) -> bool:
        bound = [self._bind_sort(parameter) for parameter in self._pack.sorts]
        return all(bound)

    def _bind_sort(self, parameter: s.PackSort) -> bool:
        name, pointer = self._target(parameter.name)
        is_bound = parameter.name in self._item.substitution or name in self._outer.sorts.names()
        meant = name if parameter.default is None or is_bound else parameter.default
        sort = self._outer.sorts.resolve(s.SortExpr(meant, [], pointer, 0, len(name)))
        if sort is None:
            return False
        values = ", ".join(parameter.values)
        if parameter.values and not (isinstance(sort, EnumSort) and sort.values == parameter.values):
            help_ = f"leave the sort out: the import declares it, with the values {values}"
            self._mismatch(name, pointer, f"an EnumSort of {values}", _sort_words(sort), help_)
            return False
        if parameter.default and not (is_numeric(sort) or isinstance(sort, MeasureSort)):
            wanted = f"a sort with an order, such as {parameter.default}"
            help_ = f"bind `{parameter.name}` to Int, Real, Date or another sort of numbers"
            self._mismatch(name, pointer, wanted, _sort_words(sort), help_)
            return False
        self.sorts.bind(parameter.name, sort)
        for value in parameter.values:
            self.scope.entries[value] = self._outer.scope.entries[value]
        return True

    def _mismatch(self, name: str, pointer: str, wanted: str, found: str, help_: str) -> None:
        self._sink.report(
            "POT8003",
            pointer,
            pack=self._pack.name,
            name=name,
            wanted=wanted,
            found=found,
            helps=[help_],
        )

    def _bind_symbols(self, imports: Imports) -> bool:
        bound = [self._bind_symbol(symbol, imports) for symbol in self._pack.symbols]
        return all(bound)

    def _bind_symbol(self, parameter: s.PackSymbol, imports: Imports) -> bool:
        name, pointer = self._target(parameter.name)
        domain = tuple(s for sort in parameter.domain if (s := self.sorts.resolve(sort)) is not None)
        range_ = self.sorts.resolve(parameter.range)
        if range_ is None or len(domain) < len(parameter.domain):
            self._report_broken()
            return False
        entry = self._outer.scope.entries.get(name)
        if entry is None:
            return self._declare_symbol(parameter, name, pointer, domain, range_, imports)
        fitted = _fitting(entry, domain, range_)
        if fitted is None:
            wanted = signature(Symbol(name, domain, range_, SymbolKind.FUNCTION))
            help_ = f"declare {wanted}, or bind `{parameter.name}` to a symbol that fits"
            self._mismatch(name, pointer, wanted, _entry_signature(entry), help_)
            return False
        self._take(parameter, fitted, imports)
        return True

    def _declare_symbol(
        self,
        parameter: s.PackSymbol,
        name: str,
        pointer: str,
        domain: tuple[Sort, ...],
        range_: Sort,
        imports: Imports,
    ) -> bool:
        declared = self._outer
        if parameter.name in self._item.substitution or isinstance(declared, _Instance):
            near = nearest(name, declared.scope.entries)
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
        symbol = Symbol(name, domain, range_, SymbolKind.DEFINED if parameter.defined else kind)
        entry: Entry = FunctionEntry(name, symbol, Place(pointer))
        declared.symbols.append(symbol)
        declared.scope.entries[name] = entry
        if parameter.defined:
            imports.will_define(symbol)
        self._take(parameter, entry, imports)
        return True

    def _take(self, parameter: s.PackSymbol, entry: Entry, imports: Imports) -> None:
        self.scope.entries[parameter.name] = entry
        symbol = _symbol(entry)
        if parameter.closed and symbol is not None:
            imports.closed.setdefault(symbol, self._pointer)

    # --- formulas --------------------------------------------------------------------------------

    def read(self, like: Elaborator, imports: Imports) -> None:
        """Adds definitions, assumptions and norms over the outer sorts and symbols; none after an error."""
        bound = [self.scope.entries[symbol.name] for symbol in self._pack.symbols]
        sorts = [self.sorts.resolve(s.SortExpr(sort.name, [], "", 0, 0)) for sort in self._pack.sorts]
        if not imports.is_new((self._pack.name, *sorts, *map(_meaning, bound))):
            return
        for part in self._parts:
            part.read(like, imports)
        self._declare_variables()
        e = Elaborator(like.pool, self.scope, self.sorts, self._inner)
        e.members, e.closed, e.unique = like.members, like.closed, like.unique
        definitions = self._definitions(e, imports)
        facts = self._facts(e)
        rules, norms = self._rules(e, imports)
        e.free_numbers.report(self._inner)
        e.undeclared.report(self.scope, frozenset())
        # A pack that has dates, or is bound to some, makes the module one with dates.
        self._outer.sorts.measured |= self.sorts.measured
        if self._pass_on():
            imports.assertions += [*definitions, *facts, *rules]
            imports.norms += norms

    def _pass_on(self) -> bool:
        """Hands on what the program is to blame for; False after an error of whichever kind."""
        is_broken = False
        for each in self._inner.diagnostics():
            if each.code in _OF_THE_PROGRAM:
                label = Label(Place(self._pointer), f"in `{self._pack.name}`")
                self._sink.add(each._replace(labels=(label,), fixes=()))
            else:
                is_broken |= each.severity is Severity.ERROR
        if is_broken:
            self._report_broken()
        return not self._inner.has_errors

    def _report_broken(self) -> None:
        self._sink.report("POT8005", self._pointer, name=self._pack.name, notes=notes_of(self._inner))

    def _declare_variables(self) -> None:
        for variable in self._pack.program.variables:
            if variable.sort is not None:
                sort = self.sorts.resolve(variable.sort)
                self.scope.entries[variable.name] = VariableEntry(variable.name, sort, Place())

    def _definitions(self, e: Elaborator, imports: Imports) -> list[Assertion]:
        """The equations that define symbols of the program; those of other symbols are its definitions."""
        found = []
        for index, each in enumerate(self._pack.definitions):
            entry = self.scope.entries[each.name]
            declared = s.FunctionDecl(
                each.name, each.domain, each.range, self._pointer, each.params, each.body
            )
            domain, range_ = _signature(entry)
            stand_in = Symbol(each.name, domain, range_, SymbolKind.DEFINED)
            definition = build_definition(declared, _symbol(entry) or stand_in, e)
            if definition is None or imports.takes(definition):
                continue
            formula = _equation(definition, entry, e.pool)
            found.append(self._assertion(f"d{index}", each.name, formula, definition.origin.text))
        return found

    def _facts(self, e: Elaborator) -> list[Assertion]:
        found = []
        for index, fact in enumerate(self._pack.program.facts):
            formula = fact_formula(fact, e)
            if formula is not None:
                found.append(self._assertion(f"f{index}", fact.name, *formula))
        return found

    def _rules(self, e: Elaborator, imports: Imports) -> tuple[list[Assertion], list[Claim]]:
        rules: list[Assertion] = []
        norms: list[Claim] = []
        written = self._pack.program.rules
        names = [rule.name or f"r{index}" for index, rule in enumerate(written)]
        closed = {symbol.name for symbol in imports.closed}
        for index, rule, node in rule_formulas(written, names, e, (), closed):
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
        return f"{self._key}.{key}", label, Origin(self._pointer, text)


def _renamed(pointer: str, parameter: str) -> Fix:
    edit = Patch("move", join_pointer(pointer.rpartition("/")[0], parameter), source=pointer)
    return Fix(f"bind `{parameter}`", Applicability.UNSAFE, (edit,))


def _sort_words(sort: Sort) -> str:
    return f"an EnumSort of {', '.join(sort.values)}" if isinstance(sort, EnumSort) else f"the sort {sort}"


def _fitting(entry: Entry, domain: tuple[Sort, ...], range_: Sort) -> Entry | None:
    match entry:
        case FunctionEntry(symbol=symbol) if symbol is not None:
            return entry if (symbol.domain, symbol.range) == (domain, range_) else None
        case TermEntry(node=node) if node is not None and not domain:
            return entry if node.sort == range_ else None
        case _:
            return None


def _equation(definition: Definition, entry: Entry, pool: Pool) -> Node:
    """That a symbol, or a term that stands for it, is for all arguments equal to the body."""
    params = definition.params
    applied: Node
    if isinstance(entry, TermEntry) and entry.node is not None:
        applied = entry.node
    else:
        applied = pool.app(definition.symbol, params) if params else pool.sym(definition.symbol)
    equation = pool.eq(applied, definition.body)
    return pool.quant("forall", params, equation) if params else equation


def _symbol(entry: Entry) -> Symbol | None:
    """The symbol that a parameter is bound to; None for an enum value."""
    match entry:
        case FunctionEntry(symbol=symbol):
            return symbol
        case TermEntry(node=Sym(symbol=symbol)):
            return symbol
        case _:
            return None


def _meaning(entry: Entry) -> object:
    """The meaning of a bound parameter: equal for equal meanings."""
    match entry:
        case FunctionEntry(symbol=symbol):
            return symbol
        case TermEntry(node=node):
            return node
        case _:
            return entry


def _signature(entry: Entry) -> tuple[tuple[Sort, ...], Sort]:
    match entry:
        case FunctionEntry(symbol=symbol) if symbol is not None:
            return symbol.domain, symbol.range
        case TermEntry(node=node) if node is not None:
            return (), node.sort
        case _:
            raise AssertionError("a parameter is bound to a symbol or a term")


def _entry_signature(entry: Entry) -> str:
    match entry:
        case FunctionEntry(symbol=symbol) if symbol is not None:
            return signature(symbol)
        case TermEntry(node=node) if node is not None:
            return f"{describe(entry)} of sort {node.sort}"
        case _:
            return describe(entry)
