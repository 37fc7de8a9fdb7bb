"""Whole models: what solvers answer to `get-model`, as structures that potlang's own evaluator takes.

Nothing is guessed: names are the inverse of the printer's, and values are exact. What has no exact value
(a root of a polynomial) or no readable definition gets some meaning and is listed ([MODEL-READ]).
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from potlang.ir import operators as op
from potlang.ir.compile import Compiled, FormulaCompiler, NotFinite, check_shape, unknown
from potlang.ir.evaluator import Evaluator
from potlang.ir.fold import value_of
from potlang.ir.graphs import components
from potlang.ir.module import Definition, Module
from potlang.ir.nodes import Lit, Node, Sym, Symbol, Var, symbols_in
from potlang.ir.operators import Operator
from potlang.ir.sorts import ArraySort, DeclaredSort, FunctionSort, SetSort, Sort, TupleSort
from potlang.ir.structure import (
    FunctionTable,
    NotEvaluable,
    Structure,
    cardinality,
    definitions_of,
    free_symbols,
    members,
)
from potlang.ir.values import Unspecified
from potlang.smt.decision_list import DecisionList, decision_list
from potlang.smt.encodings import Dialect
from potlang.smt.model_terms import FunctionText, ModelTerms, is_immediate
from potlang.smt.model_text import structure_text
from potlang.smt.sexpr import SExpr, SExprError, read_tokens, tokenize
from potlang.smt.sort_erasure import SortErasure, UnreadableModel, default_value
from potlang.smt.unmangling import Unmangling

__all__ = [
    "Computed",
    "SolverModel",
    "StructureReader",
    "UnreadableModel",
    "complete",
    "read_structure",
    "structure_text",
]

MOST_TABULATED = 4096
"""Functions with more arguments to try are computed when asked, unless their body lists its cases."""
_MOST_STEPS = 500_000
_MOST_PARTS = 500
_Compute = Callable[[Sequence[object]], object]
_COMPILED = (op.AND, op.OR, op.NOT, op.EQ, op.IFF, op.ITE)


@dataclass(frozen=True, slots=True)
class SolverModel(Structure):
    """A structure read from a solver's text; `unread`: symbols whose meaning is not the solver's, and why."""

    unread: Mapping[Symbol, str] = field(default_factory=dict)


class Computed:
    """A function that no table says; it remembers what it was asked.

    Whatever an evaluation found out is true in `table()` too, since it asked for nothing else.
    """

    def __init__(self, compute: Callable[[tuple[object, ...]], object], default: object) -> None:
        self._compute = compute
        self._default = default
        self._asked: dict[tuple[object, ...], object] = {}

    def __call__(self, *args: object) -> object:
        """The value at `args`. Raises `NotEvaluable`."""
        if args not in self._asked:
            try:
                self._asked[args] = self._compute(args)
            except Unspecified:
                raise NotEvaluable("it divides by zero") from None
            except UnreadableModel as reason:
                raise NotEvaluable(str(reason)) from None
        return self._asked[args]

    def table(self) -> FunctionTable:
        """The values that were asked for, as a table with some default."""
        return FunctionTable(dict(self._asked), self._default)


def read_structure(text: str, module: Module, dialect: Dialect) -> SolverModel:
    """`StructureReader.read` of one text alone."""
    return StructureReader(module, dialect).read(text)


class StructureReader:
    """Reads the models that solvers print for what `Printer(module, dialect)` wrote."""

    def __init__(self, module: Module, dialect: Dialect) -> None:
        self._dialect = dialect
        self._defined = definitions_of(module)
        self._names = Unmangling((*module.symbols, *self._defined), module.sorts)
        # Sorts are not empty, also those of which a text names no member.
        self._sizes = {sort: 1 for sort in module.sorts if isinstance(sort, DeclaredSort)}
        wanted = set(free_symbols(module))
        self._wanted = {name: each for name, each in self._names.symbols.items() if each in wanted}

    def read(self, text: str) -> SolverModel:
        """The model that a solver printed.

        It says what every declared symbol of the module means. Those that the text does not mention, and
        `unread` ones, mean anything. Raises `UnreadableModel` if the text is no model.
        """
        try:
            tokens = tokenize(text)
            texts = _functions(read_tokens(tokens))
        except SExprError as error:
            raise UnreadableModel(str(error)) from None
        elements = self._names.elements(_element_tokens(tokens, self._dialect))
        sizes = dict(self._sizes)
        for sort, index in elements.values():
            sizes[sort] = max(sizes[sort], index + 1)
        erasure = SortErasure(Structure(sizes))
        reader = _ModelReader(ModelTerms(self._names, erasure, texts, elements, len(tokens)), erasure)
        functions = reader.functions(self._wanted)
        return SolverModel(sizes, functions, self._defined, reader.unread)


def _element_tokens(tokens: list[str], dialect: Dialect) -> Iterable[str]:
    """The tokens among which are the names of all members; cvc5 lists some in comments alone."""
    unique = dict.fromkeys(tokens)
    if dialect == "z3":
        return (token for token in unique if token[0] == "$")
    listed = (part for token in unique if token.startswith("; rep: ") for part in tokenize(token[7:]))
    return itertools.chain((token for token in unique if token[0] == "@"), listed)


def _functions(found: list[SExpr]) -> dict[str, FunctionText]:
    """The definitions in a model, by name."""
    if len(found) != 1 or isinstance(found[0], str):
        raise UnreadableModel("no model")
    texts: dict[str, FunctionText] = {}
    for command in found[0]:
        match command:
            case ["define-fun" | "define-fun-rec", str(name), list(params), sort, body]:
                texts[name] = FunctionText(tuple(map(_param, params)), sort, body)
            case _:
                pass
    return texts


def _param(expression: SExpr) -> tuple[str, SExpr]:
    match expression:
        case [str(name), sort]:
            return name, sort
        case _:
            raise UnreadableModel("a malformed parameter")


class _ModelReader:
    """From the definitions in one text to what the module's symbols mean."""

    def __init__(self, terms: ModelTerms, erasure: SortErasure) -> None:
        self.unread: dict[Symbol, str] = {}
        self._terms = terms
        self._erasure = erasure
        self._evaluator = Evaluator(erasure.structure)
        self._tables: dict[Symbol, FunctionTable] = {}

    def functions(self, known: Mapping[str, Symbol]) -> dict[Symbol, object]:
        """The interpretations of the symbols, which are given by their printed names."""
        functions: dict[Symbol, object] = {}
        erased: dict[Symbol, Symbol] = {}
        for name, symbol in known.items():
            value = None if symbol.domain else self._terms.simple_constant(name, symbol.range)
            functions[symbol] = value
            if value is None:
                try:
                    erased[symbol] = self._terms.symbol(name)
                except UnreadableModel as reason:
                    self.unread[symbol] = str(reason)
        # Definitions are read after all symbols are known, since one may call another; and only those
        # that some symbol leads to.
        self._terms.define()
        self._open()
        for symbol, twin in erased.items():
            try:
                functions[symbol] = self._meaning(symbol, twin)
            except Unspecified:
                self.unread[symbol] = "it divides by zero"
            except (UnreadableModel, NotEvaluable) as reason:
                self.unread[symbol] = str(reason)
        for symbol in self.unread:
            functions[symbol] = some_meaning(symbol)
        return functions

    def _open(self) -> None:
        """Make the evaluator of this text: simple tables as tables, the rest as definitions."""
        terms = self._terms
        definitions = dict(terms.definitions)
        for symbol, definition in terms.definitions.items():
            found = decision_list(terms.pool, definition.body, definition.params, self._is_immediate)
            if found and found.is_direct(definition.params) and self._is_simple(found):
                self._tables[symbol] = self._table(found)
                del definitions[symbol]
        for symbol in _recursive(definitions):
            terms.failures[symbol] = "it is defined by itself"
            del definitions[symbol]
        functions = {**terms.meanings, **self._tables}
        structure = Structure(self._erasure.structure.universe, functions, definitions)
        self._evaluator = Evaluator(structure, _MOST_STEPS)

    def _is_immediate(self, node: Node) -> bool:
        return is_immediate(node, self._terms.meanings)

    def _is_simple(self, found: DecisionList) -> bool:
        immediate = self._is_immediate
        return immediate(found.default) and all(
            immediate(value) and all(map(immediate, key)) for key, value in found.entries
        )

    def _table(self, found: DecisionList) -> FunctionTable:
        """The table of a decision list: the first entry for a key counts."""
        default = self._value(found.default)
        entries: dict[tuple[object, ...], object] = {}
        for key, value in found.entries:
            entries.setdefault(tuple(map(self._value, key)), self._value(value))
        return FunctionTable({key: value for key, value in entries.items() if value != default}, default)

    def _value(self, node: Node) -> object:
        if isinstance(node, Lit):
            return value_of(node)
        if isinstance(node, Sym) and node.symbol in self._terms.meanings:
            return self._terms.meanings[node.symbol]
        return self._evaluator.value(node)

    def _meaning(self, symbol: Symbol, twin: Symbol) -> object:
        reason = self._terms.failures.get(twin)
        if reason is not None:
            raise UnreadableModel(reason)
        definition = self._terms.definitions.get(twin)
        if definition is None:
            return some_meaning(symbol)
        if not symbol.domain:
            return self._erasure.decode(self._value(definition.body), symbol.range)
        return self._function(symbol, twin, definition)

    def _function(self, symbol: Symbol, twin: Symbol, definition: Definition) -> object:
        table = self._tables.get(twin)
        if table is not None:
            return self._decoded_table(table, symbol)
        found = decision_list(self._terms.pool, definition.body, definition.params, self._is_immediate)
        if found is None:
            compute = self._compiled(definition) or self._evaluated(definition)
        elif found.is_direct(definition.params):
            return self._decoded_table(self._table(found), symbol)
        else:
            compute = self._projected(self._table(found), found, definition)
        return self._tabulated(symbol, compute)

    def _decoded_table(self, table: FunctionTable, symbol: Symbol) -> FunctionTable:
        if _is_flat(symbol):
            return table
        decode = self._erasure.decode
        entries = {
            tuple(decode(part, sort) for part, sort in zip(key, symbol.domain, strict=True)): decode(
                value, symbol.range
            )
            for key, value in table.entries.items()
        }
        return FunctionTable(entries, decode(table.default, symbol.range))

    def _projected(self, table: FunctionTable, found: DecisionList, definition: Definition) -> _Compute:
        """A look-up of functions of the arguments, each of which is computed once for a member."""
        known: dict[tuple[Node, object], object] = {}

        def slot_value(slot: Node, param: Var, value: object) -> object:
            if (slot, value) not in known:
                known[slot, value] = self._evaluator.value(slot, {param: value})
            return known[slot, value]

        return lambda args: table(*map(slot_value, found.slots, definition.params, args))

    def _compiled(self, definition: Definition) -> _Compute | None:
        """A small body as a function of the arguments; None where it takes the evaluator."""
        places = {param: unknown(place) for place, param in enumerate(definition.params)}
        try:
            check_shape(definition.body, _is_simple_sort)
            found = _BodyCompiler(self._tables, self._terms.meanings).term(definition.body, places)
        except NotFinite:
            return None
        return found.function

    def _evaluated(self, definition: Definition) -> _Compute:
        """The body by the evaluator."""
        return lambda args: self._evaluator.value(
            definition.body, dict(zip(definition.params, args, strict=True))
        )

    def _tabulated(self, symbol: Symbol, compute: _Compute) -> object:
        """The values at all arguments, if they are not too many; else a function that computes them.

        `compute` is over erased sorts.
        """
        structure, erasure, is_flat = self._erasure.structure, self._erasure, _is_flat(symbol)

        def value(args: tuple[object, ...]) -> object:
            if is_flat:
                return compute(args)
            encoded = [erasure.encode(arg, sort) for arg, sort in zip(args, symbol.domain, strict=True)]
            return erasure.decode(compute(encoded), symbol.range)

        sizes = [cardinality(sort, structure) for sort in symbol.domain]
        known = [size for size in sizes if size is not None]
        if len(known) < len(sizes) or prod(known) > MOST_TABULATED:
            return Computed(value, default_value(symbol.range))
        keys = itertools.product(*(members(sort, structure) for sort in symbol.domain))
        values = {key: value(key) for key in keys}
        # The commonest value is the default: certificates write the other entries.
        ((default, _),) = Counter(values.values()).most_common(1)
        return FunctionTable({key: value for key, value in values.items() if value != default}, default)


class _BodyCompiler(FormulaCompiler):
    """Compiles bodies over tables that are known; arithmetic is left to the evaluator, which is bounded."""

    def __init__(self, tables: Mapping[Symbol, FunctionTable], meanings: Mapping[Symbol, object]) -> None:
        super().__init__(_MOST_PARTS)
        self._tables = tables
        self._meanings = meanings

    def symbol(self, symbol: Symbol, args: list[Compiled]) -> Compiled:
        """A value that is known, or a look-up in a table."""
        if not args and symbol in self._meanings:
            return Compiled(None, frozenset(), self._meanings[symbol])
        table = self._tables.get(symbol)
        if table is None:
            raise NotFinite(f"{symbol.name} has no table")
        functions = [arg.function for arg in args]
        variables = frozenset[int]().union(*(arg.variables for arg in args))
        if not variables:
            return Compiled(None, variables, table(*[arg.value for arg in args]))
        return Compiled(lambda values: table(*[each(values) for each in functions]), variables)

    def operation(self, row: Operator, args: list[Compiled]) -> Compiled:
        """A connective, a choice or an equation."""
        if row not in _COMPILED:
            raise NotFinite(f"{row.name} is not compiled")
        return super().operation(row, args)


def _is_simple_sort(sort: Sort) -> bool:
    return not isinstance(sort, ArraySort | FunctionSort | SetSort | TupleSort)


def _recursive(definitions: Mapping[Symbol, Definition]) -> list[Symbol]:
    """The symbols whose definitions lead to themselves, or to such."""
    numbers = {symbol: number for number, symbol in enumerate(definitions)}
    uses = [
        [numbers[each] for each in symbols_in(definition.body) if each in numbers]
        for definition in definitions.values()
    ]
    component, members = components(uses)
    # A component follows those that it leads to, so these are known to be recursive or not before it.
    recursive: list[bool] = []
    for each in members:
        below = [component[used] for number in each for used in uses[number]]
        recursive.append(any(at == len(recursive) or recursive[at] for at in below))
    return [symbol for symbol, number in numbers.items() if recursive[component[number]]]


def _is_flat(symbol: Symbol) -> bool:
    # Values of these sorts are the same when sorts are erased: tables need no decoding.
    return all(map(_is_simple_sort, (*symbol.domain, symbol.range)))


def some_meaning(symbol: Symbol) -> object:
    """A value, or a function that has one value. Raises `UnreadableModel` for sorts nested too deep."""
    value = default_value(symbol.range)
    return FunctionTable({}, value) if symbol.domain else value


def complete(structure: Structure, module: Module) -> Structure:
    """`structure` with some meaning for the sorts and symbols of `module` that it does not know.

    The module's definitions replace the structure's.
    """
    unread = structure.unread if isinstance(structure, SolverModel) else {}
    sizes: dict[DeclaredSort, int] = dict(structure.universe)
    for sort in module.sorts:
        if isinstance(sort, DeclaredSort):
            sizes.setdefault(sort, 1)
    functions = dict(structure.functions)
    for symbol in free_symbols(module):
        if symbol not in functions:
            functions[symbol] = some_meaning(symbol)
    return SolverModel(sizes, functions, definitions_of(module), unread)
