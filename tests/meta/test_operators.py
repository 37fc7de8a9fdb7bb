"""Each row of the operators' table has a section, words in programs, a row in the kernel, and SMT-LIB text.

That each has a case is in `tests/conformance`.
"""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from potlang.certify import operators as kernel
from potlang.ir import operators as op
from potlang.ir.module import Assertion, AssertionKind, Module, Origin
from potlang.ir.nodes import Symbol, SymbolKind
from potlang.ir.operators import OPERATORS, Operator
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT, REAL, STRING, ArraySort, BitVecSort, FunctionSort, SetSort, Sort
from potlang.sema import emit
from potlang.sema.builtins import BUILTINS
from potlang.smt.printer import script

TESTS = Path(__file__).parents[1]
SPEC = TESTS.parent / "spec"
SORTS: tuple[Sort, ...] = (
    *(BOOL, INT, REAL, STRING, BitVecSort(4)),
    *(ArraySort(INT, INT), SetSort(BOOL), FunctionSort((INT,), INT)),
)
MADE_BY_HAND = {op.BV_CONCAT: "its result has another width than its arguments"}
"""Operators that random formulas leave out, with the reason."""


def names(rows: set[Operator]) -> list[str]:
    return sorted(row.name for row in rows)


def module_with(row: Operator) -> Module:
    """A module whose one fact applies the row to constants of the first sorts that fit."""
    pool, count = Pool(), row.least
    for sorts in product(SORTS, repeat=count):
        result = row.sort(sorts)
        if result is not None:
            break
    else:
        raise AssertionError(f"no sorts in SORTS fit {row.name}: add one that does")
    symbols = tuple(Symbol(f"c{i}", (), s, SymbolKind.CONSTANT) for i, s in enumerate((*sorts, result)))
    *args, other = map(pool.sym, symbols)
    fact = Assertion("f0", "fact", AssertionKind.FACT, pool.eq(pool.app(row, tuple(args)), other), Origin(""))
    return Module(pool=pool, symbols=symbols, assertions=(fact,))


@pytest.mark.parametrize("row", OPERATORS.values(), ids=str)
def test_an_operator_names_its_section(row: Operator) -> None:
    chapter, section = row.spec.split("#")
    text = (SPEC / f"{chapter}.md").read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    assert section in [heading.lower().replace(" ", "-") for heading in headings]


def test_each_operator_has_words_in_programs() -> None:
    written_otherwise = {op.NEG, op.BV_NEG, op.APPLY, op.INSERT, op.INT_TO_BV}
    wordless = set(OPERATORS.values()) - {*emit._INFIX, *emit._CALLS} - written_otherwise
    assert not wordless, (
        f"add to BUILTINS of potlang/sema/builtins.py, or to its tables of signs: {names(wordless)}"
    )


def test_words_in_programs_are_read() -> None:
    unread = {name for names in emit._CALLS.values() for name in names} - set(BUILTINS)
    assert not unread, f"add to BUILTINS of potlang/sema/builtins.py: {sorted(unread)}"


def test_the_kernel_computes_each_operator() -> None:
    missing, beyond = set(OPERATORS) - set(kernel.OPERATORS), set(kernel.OPERATORS) - set(OPERATORS)
    assert not missing, f"add to OPERATORS of potlang/certify/operators.py: {sorted(missing)}"
    assert not beyond, f"the kernel alone has: {sorted(beyond)}"


@pytest.mark.parametrize("row", OPERATORS.values(), ids=str)
def test_z3_reads_what_is_printed_of_an_operator(row: Operator) -> None:
    """Where SMT-LIB has no such name, `potlang/smt/encodings.py` says how else it is written."""
    import z3

    try:
        z3.Solver(ctx=z3.Context()).from_string(script(module_with(row)))
    except z3.Z3Exception as error:
        pytest.fail(f"{row.name}: {error}; give it a row in potlang/smt/encodings.py")


def test_random_formulas_use_each_operator() -> None:
    """The differential tests of the evaluator, the kernel, the passes and the solvers rest on them."""
    text = (TESTS / "strategies" / "formulas.py").read_text(encoding="utf-8")
    used = set(re.findall(r"\bop\.([A-Z_]+)\b", text))
    rows = {
        row
        for name, row in vars(op).items()
        # `_BIT_ROWS` there takes these from the table.
        if isinstance(row, Operator) and name not in used and not row.name.startswith("bv")
    }
    unused = rows - set(MADE_BY_HAND)
    assert not unused, f"add to tests/strategies/formulas.py: {names(unused)}"
