"""Whole models: what solvers answer to `get-model`, as structures that potlang's own evaluator takes.

Nothing is guessed: names are the inverse of the printer's, and values are exact. What has no exact value
(a root of a polynomial) or no readable definition gets some meaning and is listed ([MODEL-READ]).
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import prod

from potlang.ir.evaluator import Evaluator
from potlang.ir.fold import value_of
from potlang.ir.module import Definition, Module
from potlang.ir.nodes import App, Lit, Node, Sym, Symbol, SymbolKind, Var, reachable
from potlang.ir.sorts import ArraySort, DeclaredSort, FunctionSort, SetSort, TupleSort
from potlang.ir.structure import (
    MOST_MEMBERS,
    FunctionTable,
    NotEvaluable,
    Structure,
    cardinality,
    definitions_of,
    members,
)
from potlang.ir.values import Unspecified
from potlang.smt.cases import Cases, cases
from potlang.smt.closures import closure
from potlang.smt.encodings import Dialect
from potlang.smt.model_terms import Terms, Text, is_immediate
from potlang.smt.model_text import structure_text
from potlang.smt.model_words import Words
from potlang.smt.plain import Plain, Unreadable, default_value
from potlang.smt.sexpr import SExpr, SExprError, read_tokens, tokenize

__all__ = [
    "Computed",
    "Model",
    "ModelReader",
    "Unreadable",
    "complete",
    "read_structure",
    "structure_text",
]

MOST_TABULATED = 4096
"""Functions with more arguments to try are computed when asked, unless their body lists its cases."""
_MOST_STEPS = 500_000


@dataclass(frozen=True, slots=True)
class Model(Structure):
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
            self._asked[args] = self._compute(args)
        return self._asked[args]

    def table(self) -> FunctionTable:
        """The values that were asked for, as a table with some default."""
        return FunctionTable(dict(self._asked), self._default)


def read_structure(text: str, module: Module, dialect: Dialect) -> Model:
    """The model that a solver printed for what `Printer(module, dialect)` wrote.

    It says what every declared symbol of the module means. Those that the text does not mention, and
    `unread` ones, mean anything. Raises `Unreadable` if the text is no model.
    """
    return ModelReader(module, dialect).read(text)


class ModelReader:
    """Reads the models of one module."""

    def __init__(self, module: Module, dialect: Dialect) -> None:
        self._module = module
        self._dialect = dialect
        self._words = Words(module)
        self._defined = definitions_of(module)

    def read(self, text: str) -> Model:
        """As `read_structure`."""
        try:
            tokens = tokenize(text)
            texts = _functions(read_tokens(tokens))
        except SExprError as error:
            raise Unreadable(str(error)) from None
        elements = self._words.elements(_names(tokens, self._dialect))
        sizes = {sort: 1 for sort in self._module.sorts if isinstance(sort, DeclaredSort)}
        for sort, index in elements.values():
            sizes[sort] = max(sizes[sort], index + 1)
        plain = Plain(Structure(sizes))
        terms = Terms(self._words, plain, texts, elements, len(tokens))
        reading = _Reading(terms, plain)
        return reading.model(self._wanted(), self._defined, sizes)

    def _wanted(self) -> dict[str, Symbol]:
        """The symbols that a structure interprets, by the names that the printer gave them."""
        fixed = (SymbolKind.CONSTRUCTOR, SymbolKind.SELECTOR, SymbolKind.DEFINED)
        return {
            name: symbol
            for name, symbol in self._words.symbols.items()
            if symbol not in self._defined and symbol.kind not in fixed
        }


def _names(tokens: list[str], dialect: Dialect) -> Iterable[str]:
    """The tokens among which are the names of all members; cvc5 lists some in comments alone."""
    unique = dict.fromkeys(tokens)
    if dialect == "z3":
        return (token for token in unique if token[0] == "$")
    listed = (part for token in unique if token.startswith("; rep: ") for part in tokenize(token[7:]))
    return itertools.chain((token for token in unique if token[0] == "@"), listed)


def _functions(found: list[SExpr]) -> dict[str, Text]:
    """The definitions in a model, by name."""
    if len(found) != 1 or isinstance(found[0], str):
        raise Unreadable("no model")
    texts: dict[str, Text] = {}
    for command in found[0]:
        match command:
            case ["define-fun" | "define-fun-rec", str(name), list(params), sort, body]:
                texts[name] = Text(tuple(_param(each) for each in params), sort, body)
            case _:
                pass
    return texts


def _param(expression: SExpr) -> tuple[str, SExpr]:
    match expression:
        case [str(name), sort]:
            return name, sort
        case _:
            raise Unreadable("a malformed parameter")


class _Reading:
    """One text: from the definitions in it to what the module's symbols mean."""

    def __init__(self, terms: Terms, plain: Plain) -> None:
        self._terms = terms
        self._plain = plain
        self._evaluator = Evaluator(plain.structure)
        self._tables: dict[Symbol, FunctionTable] = {}

    def model(
        self,
        wanted: Mapping[str, Symbol],
        definitions: Mapping[Symbol, Definition],
        sizes: Mapping[DeclaredSort, int],
    ) -> Model:
        """The model of the wanted symbols."""
        unread: dict[Symbol, str] = {}
        functions: dict[Symbol, object] = {}
        plain: dict[Symbol, Symbol] = {}
        for name, symbol in wanted.items():
            value = None if symbol.domain else self._terms.simple_constant(name, symbol.range)
            functions[symbol] = value
            if value is None:
                try:
                    plain[symbol] = self._terms.symbol(name)
                except Unreadable as reason:
                    unread[symbol] = str(reason)
        self._terms.define()
        self._open()
        for symbol, twin in plain.items():
            try:
                functions[symbol] = self._meaning(symbol, twin)
            except Unspecified:
                unread[symbol] = "it divides by zero"
            except (Unreadable, NotEvaluable) as reason:
                unread[symbol] = str(reason)
        for symbol in unread:
            functions[symbol] = some_meaning(symbol, self._plain.structure)
        return Model(sizes, functions, definitions, unread)

    def _open(self) -> None:
        """Make the evaluator of this text: simple tables as tables, the rest as definitions."""
        terms = self._terms
        definitions = dict(terms.definitions)
        for symbol, definition in terms.definitions.items():
            found = cases(terms.pool, definition.body, definition.params, self._is_immediate)
            if found and found.is_direct(definition.params) and self._is_simple(found):
                self._tables[symbol] = self._table(found)
                del definitions[symbol]
        for symbol in _recursive(definitions):
            terms.failures[symbol] = "it is defined by itself"
            del definitions[symbol]
        functions = {**terms.meanings, **self._tables}
        structure = Structure(self._plain.structure.universe, functions, definitions)
        self._evaluator = Evaluator(structure, _MOST_STEPS)

    def _is_immediate(self, node: Node) -> bool:
        return is_immediate(node, self._terms.meanings)

    def _is_simple(self, found: Cases) -> bool:
        immediate = self._is_immediate
        return immediate(found.default) and all(
            immediate(value) and all(map(immediate, key)) for key, value in found.entries
        )

    def _table(self, found: Cases) -> FunctionTable:
        """The plain table of cases."""
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
            raise Unreadable(reason)
        definition = self._terms.definitions.get(twin)
        if definition is None:
            return some_meaning(symbol, self._plain.structure)
        if not symbol.domain:
            return self._plain.decode(self._value(definition.body), symbol.range)
        return self._function(symbol, twin, definition)

    def _function(self, symbol: Symbol, twin: Symbol, definition: Definition) -> object:
        table = self._tables.get(twin)
        if table is not None:
            return self._decoded_table(table, symbol)
        found = cases(self._terms.pool, definition.body, definition.params, self._is_immediate)
        if found is None:
            quick = closure(definition.body, definition.params, self._tables, self._terms.meanings)
            if quick is not None and _is_flat(symbol):
                return self._tabulated(symbol, quick)
            return self._tabulated(symbol, lambda args: self._call(definition, symbol, args))
        table = self._table(found)
        if found.is_direct(definition.params):
            return self._decoded_table(table, symbol)
        return self._projected(table, found.slots, symbol, definition)

    def _decoded_table(self, table: FunctionTable, symbol: Symbol) -> FunctionTable:
        if _is_flat(symbol):
            return table
        decode = self._plain.decode
        entries = {
            tuple(decode(part, sort) for part, sort in zip(key, symbol.domain, strict=True)): decode(
                value, symbol.range
            )
            for key, value in table.entries.items()
        }
        return FunctionTable(entries, decode(table.default, symbol.range))

    def _projected(
        self, table: FunctionTable, slots: tuple[Node, ...], symbol: Symbol, definition: Definition
    ) -> object:
        """A function that looks up functions of its arguments: as a table, if its sorts are small."""
        slot_of = dict(zip(definition.params, slots, strict=True))
        known: dict[tuple[Node, object], object] = {}

        def slot_value(param: Var, value: object) -> object:
            if (param, value) not in known:
                known[param, value] = self._evaluator.value(slot_of[param], {param: value})
            return known[param, value]

        def compute(args: tuple[object, ...]) -> object:
            encoded = self._encoded(args, symbol)
            key = tuple(map(slot_value, definition.params, encoded))
            return self._plain.decode(table(*key), symbol.range)

        structure = self._plain.structure
        sizes = [cardinality(param.sort, structure) for param in definition.params]
        if None in sizes:
            return Computed(self._guarded(compute), default_value(symbol.range, structure))
        images: list[dict[object, list[object]]] = []
        for param in definition.params:
            image: dict[object, list[object]] = {}
            for member in members(param.sort, structure):
                image.setdefault(slot_value(param, member), []).append(member)
            images.append(image)
        if sum(prod(map(_count, images, key)) for key in table.entries) > MOST_MEMBERS:
            return Computed(self._guarded(compute), default_value(symbol.range, structure))
        entries = {
            each: value
            for key, value in table.entries.items()
            for each in itertools.product(
                *(image.get(part, ()) for image, part in zip(images, key, strict=True))
            )
        }
        return self._decoded_table(FunctionTable(entries, table.default), symbol)

    def _tabulated(self, symbol: Symbol, compute: Callable[[tuple[object, ...]], object]) -> object:
        """The values at all arguments, if they are not too many; else a function that computes them."""
        structure = self._plain.structure
        sizes = [cardinality(sort, structure) for sort in symbol.domain]
        known = [size for size in sizes if size is not None]
        if len(known) < len(sizes) or prod(known) > MOST_TABULATED:
            return Computed(self._guarded(compute), default_value(symbol.range, structure))
        keys = itertools.product(*(members(sort, structure) for sort in symbol.domain))
        values = {key: compute(key) for key in keys}
        ((default, _),) = Counter(values.values()).most_common(1)
        return FunctionTable({key: value for key, value in values.items() if value != default}, default)

    def _call(self, definition: Definition, symbol: Symbol, args: tuple[object, ...]) -> object:
        """The value of a function of the program at `args`."""
        env = dict(zip(definition.params, self._encoded(args, symbol), strict=True))
        return self._plain.decode(self._evaluator.value(definition.body, env), symbol.range)

    def _encoded(self, args: tuple[object, ...], symbol: Symbol) -> list[object]:
        return [self._plain.encode(value, sort) for value, sort in zip(args, symbol.domain, strict=True)]

    @staticmethod
    def _guarded(compute: Callable[[tuple[object, ...]], object]) -> Callable[[tuple[object, ...]], object]:
        """`compute` with every failure as `NotEvaluable`."""

        def guarded(args: tuple[object, ...]) -> object:
            try:
                return compute(args)
            except Unspecified:
                raise NotEvaluable("it divides by zero") from None
            except Unreadable as reason:
                raise NotEvaluable(str(reason)) from None

        return guarded


def _recursive(definitions: Mapping[Symbol, Definition]) -> list[Symbol]:
    """The symbols whose definitions lead to themselves, or to such."""
    uses = {symbol: _used(definition) & definitions.keys() for symbol, definition in definitions.items()}
    users: dict[Symbol, list[Symbol]] = {}
    for symbol, used in uses.items():
        for each in used:
            users.setdefault(each, []).append(symbol)
    left = {symbol: len(used) for symbol, used in uses.items()}
    done = [symbol for symbol, count in left.items() if not count]
    while done:
        for user in users.get(done.pop(), ()):
            left[user] -= 1
            if not left[user]:
                done.append(user)
    return [symbol for symbol, count in left.items() if count]


def _used(definition: Definition) -> set[Symbol]:
    found: set[Symbol] = set()
    for node in reachable(definition.body):
        if isinstance(node, Sym):
            found.add(node.symbol)
        elif isinstance(node, App) and isinstance(node.op, Symbol):
            found.add(node.op)
    return found


def _count(image: Mapping[object, list[object]], part: object) -> int:
    return len(image.get(part, ()))


def _is_flat(symbol: Symbol) -> bool:
    """Whether values of the symbol's sorts are the same in plain sorts."""
    sorts = (*symbol.domain, symbol.range)
    return not any(isinstance(sort, ArraySort | FunctionSort | SetSort | TupleSort) for sort in sorts)


def some_meaning(symbol: Symbol, structure: Structure) -> object:
    """A value, or a function that has one value. Raises `Unreadable` for sorts nested too deep."""
    value = default_value(symbol.range, structure)
    return FunctionTable({}, value) if symbol.domain else value


def complete(structure: Structure, module: Module) -> Structure:
    """`structure` with some meaning for the sorts and symbols of `module` that it does not know.

    The module's definitions replace the structure's.
    """
    unread = structure.unread if isinstance(structure, Model) else {}
    definitions = definitions_of(module)
    sizes: dict[DeclaredSort, int] = dict(structure.universe)
    for sort in module.sorts:
        if isinstance(sort, DeclaredSort):
            sizes.setdefault(sort, 1)
    functions = dict(structure.functions)
    fixed = (SymbolKind.CONSTRUCTOR, SymbolKind.SELECTOR, SymbolKind.DEFINED)
    grown = Structure(sizes)
    for symbol in module.symbols:
        if symbol not in functions and symbol not in definitions and symbol.kind not in fixed:
            functions[symbol] = some_meaning(symbol, grown)
    return Model(sizes, functions, definitions, unread)
