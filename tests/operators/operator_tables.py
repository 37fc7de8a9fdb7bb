"""The tables of `tables/` as terms of the IR with their values, and who says that a value is another."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from make_tables import smt_sort, split
from make_tables import written as texts_of
from smt_solvers import run_cvc5, run_z3

from potlang.certify import Theory, read_theory
from potlang.certify import operators as kernel
from potlang.certify.evaluate import ModelEvaluation
from potlang.certify.models import CertificateModel
from potlang.certify.sorts import Sort as KernelSort
from potlang.certify.sorts import Sorts
from potlang.certify.terms import Term
from potlang.certify.tokens import StepBudget, tree
from potlang.ir.compile import Compiled, FormulaCompiler, unknown
from potlang.ir.evaluator import Evaluator
from potlang.ir.fold import fold, literal_of
from potlang.ir.fold import value_of as literal_value
from potlang.ir.module import Assertion, AssertionKind, Module, Origin
from potlang.ir.nodes import App, Lit, Node, Sym, Symbol, SymbolKind
from potlang.ir.operators import APPLY, DIV, ITE, MEMBER, OPERATORS, SELECT, Operator
from potlang.ir.pool import Pool
from potlang.ir.sorts import (
    BOOL,
    INT,
    REAL,
    STRING,
    ArraySort,
    BitVecSort,
    FunctionSort,
    SetSort,
    Sort,
    table_sorts,
)
from potlang.ir.structure import Structure
from potlang.ir.text import IrPrinter, print_module
from potlang.ir.values import Bits, MapValue, Unspecified
from potlang.passes.simplify import simplify_once
from potlang.smt.encodings import Dialect
from potlang.smt.models import read_structure, structure_text
from potlang.smt.printer import Printer
from potlang.smt.sexpr import read_all, write
from potlang.smt.values import read_value

TABLES = Path(__file__).parent / "tables"
_FOUR_BITS = "(BitVec 4)"
_NAMED: Mapping[str, Sort] = {"Bool": BOOL, "Int": INT, "Real": REAL, "String": STRING}


@dataclass(frozen=True)
class Line:
    """One operator at some sorts: its arguments and values, as in the table, and as values of the IR."""

    section: str
    operator: Operator | None
    spellings: tuple[str, ...]
    sorts: tuple[Sort, ...]
    result: Sort
    written: tuple[str, ...]
    written_result: str
    """The sorts as they are written in the table."""
    rows: tuple[tuple[tuple[Any, ...], Any], ...]
    """Arguments and value of each application, as JSON has them."""

    def __str__(self) -> str:
        return f"{self.operator or self.spellings[0]} {' '.join(self.written)}"


def read_sort(text: str) -> Sort:
    """The sort of the IR that the table writes."""
    if text in _NAMED:
        return _NAMED[text]
    head, *rest = split(text[1:-1])
    if head == "BitVec":
        return BitVecSort(int(rest[0]))
    sorts = [read_sort(each) for each in rest]
    if head == "Set":
        return SetSort(sorts[0])
    return FunctionSort(tuple(sorts[:-1]), sorts[-1]) if head == "->" else ArraySort(*sorts)


@cache
def lines() -> tuple[Line, ...]:
    """All lines of all tables."""
    found = []
    for path in sorted(TABLES.glob("*.jsonl")):
        for text in path.read_text(encoding="utf-8").splitlines():
            line = json.loads(text)
            rows = zip(itertools.product(*line["arguments"]), line["values"], strict=True)
            found.append(
                Line(
                    path.stem,
                    OPERATORS[line["operator"]] if line["operator"] else None,
                    tuple(line["spellings"]),
                    tuple(map(read_sort, line["sorts"])),
                    read_sort(line["result"]),
                    tuple(line["sorts"]),
                    line["result"],
                    tuple(rows),
                )
            )
    return tuple(found)


def value_of(written: Any, sort: Sort) -> Any:
    """The value of the IR that the table writes."""
    keys = table_sorts(sort)
    if keys is not None:
        domain, element = keys
        entries = {}
        for *key, value in written["at"]:
            read = tuple(value_of(each, part) for each, part in zip(key, domain, strict=True))
            entries[read if isinstance(sort, FunctionSort) else read[0]] = value_of(value, element)
        return MapValue(value_of(written["else"], element), frozenset(entries.items()))
    if isinstance(sort, BitVecSort):
        return Bits(written, sort.width)
    return Fraction(written) if sort is REAL else written


def kernel_value(value: Any, sort: Sort) -> Any:
    """The same value as the kernel has it."""
    if not isinstance(value, MapValue):
        return value.number if isinstance(value, Bits) else value
    domain, element = table_sorts(sort) or ((), sort)
    entries = {}
    for key, each in value.entries:
        given = key if isinstance(sort, FunctionSort) else (key,)
        at = tuple(kernel_value(k, part) for k, part in zip(given, domain, strict=True))
        entries[at] = kernel_value(each, element)
    return kernel.TotalMap(kernel_value(value.default, element), entries)


def equal(found: Any, value: Any, sort: Sort) -> bool:
    """Whether a value is the table's, of the same type; tables are compared at every key."""
    if isinstance(value, MapValue):
        domain = (table_sorts(sort) or ((), sort))[0]
        return isinstance(found, MapValue) and all(
            found.get(k) == value.get(k) for k in keys_of(domain, sort)
        )
    if isinstance(value, kernel.TotalMap):
        domain = (table_sorts(sort) or ((), sort))[0]
        places = itertools.product(*([kernel_value(k, part) for k in _few(part)] for part in domain))
        return isinstance(found, kernel.TotalMap) and all(found.get(k) == value.get(k) for k in places)
    return type(found) is type(value) and found == value


def keys_of(domain: Sequence[Sort], sort: Sort) -> Iterator[Any]:
    places = itertools.product(*map(_few, domain))
    return places if isinstance(sort, FunctionSort) else (each for (each,) in places)


def _few(sort: Sort) -> list[Any]:
    if sort is BOOL:
        return [False, True]
    if isinstance(sort, BitVecSort):
        return [Bits(number, sort.width) for number in range(1 << sort.width)]
    return [-1, 0, 1, 9, 23]


# --- terms -----------------------------------------------------------------------------------------------


class Bench:
    """A line as a module: a constant for each argument in each place, a fact for each application.

    By turns arguments are written as constants and, where the sort has such, as literals; or always as
    literals, with facts that say what the constants of other sorts are.
    """

    def __init__(self, line: Line, pool: Pool | None = None, prefix: str = "") -> None:
        assert line.operator is not None
        self.line, self.operator, self.pool = line, line.operator, pool or Pool()
        self.meanings: dict[Symbol, Any] = {}
        self.rows: list[tuple[App, Any]] = []
        self.results: list[Symbol] = []
        known: dict[tuple[int, str], Symbol] = {}
        facts = []
        for number, (written, expected) in enumerate(line.rows):
            args = []
            for place, (each, sort) in enumerate(zip(written, line.sorts, strict=True)):
                key = place, json.dumps(each)
                if each is None:
                    args.append(self._hole(place))
                    continue
                if key not in known:
                    known[key] = self._constant(f"{prefix}a{place}_{len(known)}", each, sort)
                turn = number + number // 4 >> place & 1
                args.append(self._argument(known[key], as_literal=pool is not None or turn == 1))
            node = self.pool.app(self.operator, tuple(args))
            value = None if expected is None else value_of(expected, line.result)
            self.rows.append((node, value))
            result = Symbol(f"{prefix}r{number}", (), line.result, SymbolKind.CONSTANT)
            self.results.append(result)
            asserted: Node = node
            if pool is not None and isinstance(line.result, SetSort) and number % 2:
                # cvc5 unfolds an equation of sets; within a choice the operation is written out.
                asserted = self.pool.app(ITE, (self.pool.true, node, args[-1]))
            fact = self.pool.eq(asserted, self.pool.sym(result))
            facts.append(Assertion(f"{prefix}f{number}", "fact", AssertionKind.FACT, fact, Origin("")))
        self.facts = facts
        self.module = Module(pool=self.pool, symbols=(*self.meanings, *self.results), assertions=tuple(facts))
        self.structure = Structure({}, self.meanings)

    def _constant(self, name: str, written: Any, sort: Sort) -> Symbol:
        symbol = Symbol(name, (), sort, SymbolKind.CONSTANT)
        self.meanings[symbol] = value_of(written, sort)
        return symbol

    def _hole(self, place: int) -> Node:
        over_zero = self.pool.app(DIV, (self.pool.real(place + 1), self.pool.real(0)))
        return self.pool.eq(over_zero, self.pool.real(0))

    def _argument(self, symbol: Symbol, as_literal: bool) -> Node:
        literal = literal_of(self.pool, self.meanings[symbol], symbol.range) if as_literal else None
        return self.pool.sym(symbol) if literal is None else literal

    def definitions(self) -> Iterator[Assertion]:
        """Facts that say what the constants of arrays, sets and functions over finite sorts are."""
        reads = {ArraySort: SELECT, SetSort: MEMBER, FunctionSort: APPLY}
        for symbol, value in self.meanings.items():
            keys = table_sorts(symbol.range)
            if keys is not None:
                row, whole = reads[type(symbol.range)], self.pool.sym(symbol)
                for key in keys_of(keys[0], symbol.range):
                    places = key if isinstance(symbol.range, FunctionSort) else (key,)
                    at = [
                        literal_of(self.pool, each, sort) for each, sort in zip(places, keys[0], strict=True)
                    ]
                    args = (*at, whole) if row is MEMBER else (whole, *at)
                    element = literal_of(self.pool, value.get(key), keys[1])
                    fact = self.pool.eq(self.pool.app(row, args), element)
                    yield Assertion(f"{symbol.name} {key}", "fact", AssertionKind.FACT, fact, Origin(""))

    @property
    def theory(self) -> Theory:
        """The kernel's reading of the module."""
        return read_theory(print_module(self.module))


@cache
def benches() -> tuple[Bench, ...]:
    """The modules of all lines that are of an operator of the IR."""
    return tuple(Bench(line) for line in lines() if line.operator is not None)


def theory_of(bench: Bench) -> tuple[CertificateModel, list[Term]]:
    """The kernel's model of a line, and its terms."""
    theory = bench.theory
    model = CertificateModel(theory)
    for text in structure_text(bench.module, bench.structure):
        model.read(tree(text))
    terms = []
    for number, result in enumerate(bench.results):
        formula = theory.assertions[f"f{number}"].formula
        terms += [arg for arg in formula.args if getattr(arg.op, "name", "") != result.name]
    return model, terms


# --- who says otherwise ----------------------------------------------------------------------------------


def evaluated_otherwise(bench: Bench) -> list[str]:
    """The applications of which the reference evaluator says another value."""
    return _otherwise(bench, [node for node, _ in bench.rows])


def simplified_otherwise(bench: Bench) -> list[str]:
    """The same, after simplification."""
    return _otherwise(bench, simplify_once(bench.pool, [node for node, _ in bench.rows]))


def _otherwise(bench: Bench, nodes: Sequence[Node]) -> list[str]:
    wrong = []
    evaluator = Evaluator(bench.structure)
    for node, (written, value) in zip(nodes, bench.rows, strict=True):
        found: Any
        try:
            found = evaluator.value(node)
        except Unspecified:
            found = None
        if not equal(found, value, bench.line.result):
            wrong.append(f"{_text(bench, written)} is {found}, not {value}")
    return wrong


def folded_otherwise(bench: Bench) -> list[str]:
    """The applications to literals alone that are folded to another literal."""
    wrong = []
    for node, value in bench.rows:
        literals = [
            literal_of(bench.pool, *pair) for pair in zip(_values(bench, node), bench.line.sorts, strict=True)
        ]
        args = tuple(each for each in literals if each is not None)
        if len(args) == len(literals):
            found = fold(bench.pool, bench.pool.app(bench.operator, args))
            expected = None if value is None else literal_of(bench.pool, value, bench.line.result)
            if found is not expected:
                wrong.append(f"{_text(bench, node)} is folded to {found}, not {value}")
    return wrong


def kernel_otherwise(bench: Bench) -> list[str]:
    """The applications of which the kernel says another value; a hole where there is none."""
    model, terms = theory_of(bench)
    evaluation = ModelEvaluation(model, StepBudget(10_000_000))
    wrong = []
    for term, (node, value) in zip(terms, bench.rows, strict=True):
        found = evaluation.truth(term)
        expected = kernel_value(value, bench.line.result)
        if isinstance(found, kernel.NoValue):
            found = None if found.reason == "division by zero" else found.reason
        if not equal(found, expected, bench.line.result):
            wrong.append(f"{_text(bench, node)} is {found}, not {value}")
    return wrong


def answered_otherwise(asked_of: Sequence[Line], dialect: Dialect) -> list[str]:
    """The applications that a solver, given what is printed, answers with another value, by our readers.

    Each is read twice: out of the whole model, and out of the answer to `get-value`.
    """
    pool = Pool()
    chosen = [line for line in asked_of if is_printed(line)]
    tried = [Bench(line, pool, f"l{number}") for number, line in enumerate(chosen)]
    asked, facts = [], []
    for bench in tried:
        facts += bench.definitions()
        for fact, result, (node, value) in zip(bench.facts, bench.results, bench.rows, strict=True):
            if value is not None:
                asked.append((bench, result, node, value))
                facts.append(fact)
    symbols = tuple(symbol for bench in tried for symbol in (*bench.meanings, *bench.results))
    module = Module(pool=pool, symbols=symbols, assertions=tuple(facts))
    printer = Printer(module, dialect)
    names = " ".join(printer.symbol(result) for _, result, _, _ in asked)
    text = f"(set-logic ALL){printer.base(named=False)}(check-sat)(get-model)(get-value ({names}))"
    answer = run_z3(text, 60_000) if dialect == "z3" else run_cvc5(text, **{"tlimit-per": "60000"})
    status, model, values = read_all(answer)
    assert status == "sat"
    structure = read_structure(write(model), module, dialect)
    wrong = []
    for (bench, result, node, value), (_, said) in zip(asked, values, strict=True):
        for found in (structure.functions[result], read_value(write(said), result.range)):
            if not equal(found, value, result.range):
                wrong.append(f"{_text(bench, node)} is {found}, not {value}")
    return wrong


def read_otherwise(read: Sequence[Line]) -> list[str]:
    """The spellings that the reader of models, where a constant is defined so, gives another value."""
    symbols, sorts, texts, expected = [], [], [], []
    for line in read:
        for spelling in () if _FOUR_BITS in line.written else line.spellings:
            for written, value in line.rows:
                if value is not None:
                    symbol = Symbol(f"r{len(symbols)}", (), line.result, SymbolKind.CONSTANT)
                    symbols.append(symbol)
                    sorts.append(smt_sort(line.written_result))
                    texts.append(spelling.format(*texts_of(written, line.written)))
                    expected.append(value_of(value, line.result))
    module = Module(pool=Pool(), symbols=tuple(symbols))
    printer = Printer(module)
    model = "".join(
        f"(define-fun {printer.symbol(symbol)} () {sort} {text})"
        for symbol, sort, text in zip(symbols, sorts, texts, strict=True)
    )
    found = read_structure(f"({model})", module, "z3").functions
    return [
        f"{text} is {found[symbol]}, not {value}"
        for symbol, text, value in zip(symbols, texts, expected, strict=True)
        if not equal(found[symbol], value, symbol.range)
    ]


def is_printed(line: Line) -> bool:
    """Whether facts can say what its arguments are; three bits are enough for texts."""
    unsaid = _FOUR_BITS in line.written or any("Int" in each and each != "Int" for each in line.written)
    return line.operator is not None and not unsaid


def _text(bench: Bench, node: App) -> str:
    return f"{bench.operator}{tuple(_values(bench, node))}"


def _values(bench: Bench, node: App) -> list[object]:
    """The arguments; None for one without a value."""
    values: list[object] = []
    for arg in node.args:
        known = bench.meanings.get(arg.symbol) if isinstance(arg, Sym) else None
        values.append(literal_value(arg) if isinstance(arg, Lit) else known)
    return values


# --- sorts ---------------------------------------------------------------------------------------------

SORTS: tuple[Sort, ...] = (
    *(BOOL, INT, REAL, STRING, BitVecSort(1), BitVecSort(2)),
    *(SetSort(BOOL), ArraySort(BOOL, INT), FunctionSort((BOOL,), INT)),
)
LONG: tuple[tuple[Sort, ...], ...] = (
    *((sort,) * count for sort in SORTS for count in (4, 5)),
    (FunctionSort((BOOL,) * 3, INT), *(BOOL,) * 3),
)


def sorted_otherwise(row: Operator) -> list[str]:
    """The sorts of up to three arguments, and of some more, that IR and kernel do not take alike."""
    made, printer = Sorts(), IrPrinter.of(())

    @cache
    def theirs(sort: Sort) -> KernelSort:
        # The kernel makes a sort once: sameness is identity.
        return made.read(tree(f"(sort {printer.sort(sort)})")[1])

    differ = []
    for chosen in (*LONG, *(each for count in range(4) for each in itertools.product(SORTS, repeat=count))):
        fits = row.least <= len(chosen) and (row.most is None or len(chosen) <= row.most)
        ours = row.sort(chosen) if fits and chosen else None
        found = kernel.result(row.name, tuple(map(theirs, chosen)), made)
        if found is not (None if ours is None else theirs(ours)):
            differ.append(" ".join(map(printer.sort, chosen)))
    return differ


# --- compiled terms --------------------------------------------------------------------------------------


class _Unknowns(FormulaCompiler):
    """Compiles the constants of a line as unknowns."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(1 << 30)
        self.numbers = {symbol: number for number, symbol in enumerate(bench.meanings)}

    def symbol(self, symbol: Symbol, args: list[Compiled]) -> Compiled:
        return unknown(self.numbers[symbol])


def compiled_otherwise(bench: Bench) -> list[str]:
    """The applications that give another value when compiled."""
    compiler, values, wrong = _Unknowns(bench), list(bench.meanings.values()), []
    for node, value in bench.rows:
        if value is not None and not any(arg.sort is BOOL and isinstance(arg, App) for arg in node.args):
            found = compiler.term(node, {}).function(values)
            if not equal(found, value, bench.line.result):
                wrong.append(f"{_text(bench, node)} is compiled to {found}, not {value}")
    return wrong
