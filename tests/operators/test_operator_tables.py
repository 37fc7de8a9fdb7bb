"""What each operator gives, by z3's and cvc5's own evaluation (`tables/`), and by everyone who computes it.

`make_tables.py` says how the tables are made. Bit vectors are exhaustive up to four bits, sets and arrays
over small sorts, strings up to three characters, truth values with those that are missing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import make_tables
import pytest
from operator_tables import (
    Bench,
    answered_otherwise,
    benches,
    compiled_otherwise,
    evaluated_otherwise,
    folded_otherwise,
    kernel_otherwise,
    lines,
    read_otherwise,
    simplified_otherwise,
    sorted_otherwise,
)

from potlang.ir.operators import OPERATORS, Operator
from potlang.smt.encodings import Dialect

SECTIONS = sorted({line.section for line in lines()})
sections = pytest.mark.parametrize("section", SECTIONS)
Judge = Callable[[Bench], list[str]]


def of_section(section: str) -> list[Bench]:
    return [bench for bench in benches() if bench.line.section == section]


def wrong(judge: Judge, chosen: list[Bench]) -> list[str]:
    return [each for bench in chosen for each in judge(bench)]


# --- those who compute ------------------------------------------------------------------------------------


@sections
@pytest.mark.parametrize(
    "judge", [evaluated_otherwise, folded_otherwise, simplified_otherwise, compiled_otherwise]
)
def test_operators_of_the_ir_give_what_solvers_say(judge: Judge, section: str) -> None:
    """[IR-EVAL-2] [IR-EVAL-3] Evaluated, folded, simplified and compiled."""
    assert not wrong(judge, of_section(section))[:5]


@sections
def test_operators_of_the_kernel_give_what_solvers_say(section: str) -> None:
    """[CERT-EVAL-HOLE] [CERT-EVAL-KLEENE] From the text of a program and of a model."""
    assert not wrong(kernel_otherwise, of_section(section))[:5]


@sections
@pytest.mark.parametrize("dialect", ["z3", pytest.param("cvc5", marks=pytest.mark.slow)])
def test_what_is_printed_means_the_operator(dialect: Dialect, section: str) -> None:
    """[SMT-OP-1] [SMT-SET-1] [SMT-SET-2] [MODEL-READ] A solver is asked, and its answer read."""
    assert not answered_otherwise([line for line in lines() if line.section == section], dialect)[:5]


@sections
def test_operators_in_models_are_read(section: str) -> None:
    """[MODEL-READ] Also those that only models use: `bvuge`, `(_ map xor)`, sums of three."""
    assert not read_otherwise([line for line in lines() if line.section == section])[:5]


# --- sorts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", OPERATORS.values(), ids=str)
def test_the_kernel_takes_arguments_of_the_same_sorts(row: Operator) -> None:
    assert not sorted_otherwise(row)


# --- the tables themselves --------------------------------------------------------------------------------


@pytest.mark.parametrize("row", OPERATORS.values(), ids=str)
def test_each_operator_is_in_the_table_of_its_section(row: Operator) -> None:
    found = [line for line in lines() if line.operator is row]
    assert {line.section for line in found} == {row.spec.partition("#")[2]}
    # A row of which all values are one would be told from no constant.
    assert len({json.dumps(value) for line in found for _, value in line.rows}) > 1


@pytest.mark.slow
def test_the_tables_are_what_the_solvers_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are made again."""
    kept = make_tables.TABLES
    monkeypatch.setattr(make_tables, "TABLES", tmp_path)
    make_tables.main()
    for path in kept.iterdir():
        assert (tmp_path / path.name).read_text(encoding="utf-8") == path.read_text(encoding="utf-8")
