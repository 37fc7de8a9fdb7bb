"""What operators give, as the other tools say: the tables of `tests/operators`."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from other_tools import called_script, clingo_verdicts, cvc5_with_tptp, eprover, szs_status

sys.path.append(str(Path(__file__).parents[1] / "operators"))

from operator_tables import Bench, Line, is_printed, keys_of, lines

from potlang.export.problem import NoCounterpart
from potlang.export.ways import written
from potlang.ir.fold import literal_of
from potlang.ir.module import Claim, Module
from potlang.ir.nodes import Node
from potlang.ir.operators import APPLY, IFF, MEMBER, OPERATORS, SELECT, Operator
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, ArraySort, FunctionSort, SetSort, table_sorts

SECTIONS = sorted({line.section for line in lines()})
_READS = {ArraySort: SELECT, SetSort: MEMBER, FunctionSort: APPLY}

TABLES = {"select", "store", "apply", "member", "insert", "union", "intersect", "difference", "subset"}
STRINGS = {name for name in OPERATORS if name.startswith("str.")}
BITS = {name for name in OPERATORS if name.startswith("bv")} | {"concat", "ubv_to_int", "int_to_bv"}
ARITHMETIC = {"<", "<=", "+", "-", "neg", "*", "/", "div", "mod", "abs", "to_real", "to_int"}
WITHOUT = {
    "python": set[str](),
    "tptp": TABLES | STRINGS | BITS,
    "lean": STRINGS | BITS | {"/", "to_real", "to_int"},
    "asp": TABLES | STRINGS | BITS | ARITHMETIC,
}
"""The operators that a way has no words for."""


def values_said(bench: Bench, most: int = 10**6) -> list[Node]:
    """For each application of a line, if its arguments have values, that it has the value of the table."""
    pool, sort = bench.pool, bench.line.result
    keys = table_sorts(sort)
    found: list[Node] = []
    pairs = zip(bench.rows, bench.line.rows, strict=True)
    for (node, value), (written_args, _) in itertools.islice(pairs, most):
        if value is None or None in written_args:
            continue
        if keys is None:
            literal = literal_of(pool, value, sort)
            assert literal is not None
            found.append(pool.app(IFF, (node, literal)) if sort is BOOL else pool.eq(node, literal))
            continue
        for key in keys_of(keys[0], sort):
            places = key if isinstance(sort, FunctionSort) else (key,)
            at = [literal_of(pool, each, part) for each, part in zip(places, keys[0], strict=True)]
            row = _READS[type(sort)]
            read = pool.app(row, (*at, node) if row is MEMBER else (node, *at))  # type: ignore[arg-type]
            element = literal_of(pool, value.get(key), keys[1])
            assert element is not None
            found.append(pool.app(IFF, (read, element)) if keys[1] is BOOL else pool.eq(read, element))
    return found


def module_of(chosen: list[Line], most: int = 10**6) -> Module:
    """A module that claims of each line that it is as in the table."""
    pool = Pool()
    benches = [Bench(line, pool, f"l{number}") for number, line in enumerate(chosen)]
    claims = tuple(
        Claim(f"c{number}", str(bench.line), pool.conj(values_said(bench, most)))
        for number, bench in enumerate(benches)
    )
    symbols = tuple(symbol for bench in benches for symbol in bench.meanings)
    facts = tuple(fact for bench in benches for fact in bench.definitions())
    return Module(pool=pool, symbols=symbols, assertions=facts, claims=claims)


@pytest.mark.parametrize("section", SECTIONS)
def test_scripts_compute_what_the_tables_say(section: str) -> None:
    """[WAY-PYTHON] Of each operator, by z3 from the written script."""
    chosen = [line for line in lines() if line.section == section and is_printed(line)]
    # Of hundreds of inclusions at once z3 says nothing for long.
    module = module_of(chosen, most=20 if section == "sets" else 10**6)
    found = called_script(written(module, "python", module.claims), 30_000)
    assert [str(line) for line, word in zip(chosen, found, strict=True) if word != "entailed"] == []


def test_a_wrong_value_would_be_seen() -> None:
    chosen = [line for line in lines() if str(line.operator) == "mod"][:1]
    module = module_of(chosen)
    pool = module.pool
    seven, two = pool.integer(-7), pool.integer(2)
    wrong = pool.eq(pool.app(OPERATORS["mod"], (seven, two)), pool.integer(-1))
    text = written(module, "python", (Claim("w", "w", wrong),))
    assert called_script(text) == ["refuted"]


def test_answer_sets_compute_what_the_tables_say() -> None:
    """[WAY-ASP-FORMULA] Of connectives, equations and choices between truth values."""
    chosen = [
        line for line in lines() if is_printed(line) and set(line.sorts) == {BOOL} and line.result is BOOL
    ]
    module = module_of(chosen)
    text = written(module, "asp", module.claims)
    assert set(clingo_verdicts(text, len(chosen))) == {"entailed"} and len(chosen) > 5


@pytest.mark.skipif(eprover() is None, reason="eprover is not installed")
def test_problems_say_what_the_tables_say_of_truth_values() -> None:
    """[WAY-TPTP-FORMULA]"""
    chosen = [
        line for line in lines() if is_printed(line) and set(line.sorts) == {BOOL} and line.result is BOOL
    ]
    for line in chosen:
        module = module_of([line])
        assert szs_status(written(module, "tptp", module.claims)) == "Theorem", str(line)


@pytest.mark.skipif(cvc5_with_tptp() is None, reason="no cvc5 that reads TPTP is installed")
def test_problems_say_what_the_tables_say_of_numbers() -> None:
    """[WAY-TPTP-FORMULA]"""
    tried = 0
    for line in lines():
        if is_printed(line) and str(line.operator) in ARITHMETIC:
            module = module_of([line], most=60)
            status = szs_status(written(module, "tptp", module.claims), seconds=20)
            assert status in ("Theorem", "Unsatisfiable"), (str(line), status)
            tried += 1
    assert tried >= len(ARITHMETIC)


@pytest.mark.parametrize("way", WITHOUT)
@pytest.mark.parametrize("row", OPERATORS.values(), ids=str)
def test_each_operator_is_written_or_refused(way: Any, row: Operator) -> None:
    """[WAY-NONE] What a way has no words for is refused by name."""
    chosen = [each for each in lines() if each.operator is row and is_printed(each)]
    # Rows of any sort are looked at with sorts that most ways have.
    plain = [each for each in chosen if "BitVec" not in f"{each.written} {each.written_result}"]
    line = next((each for each in plain if BOOL in each.sorts), (plain or chosen)[0])
    if row.name in ("=", "distinct", "ite"):
        line = next(each for each in chosen if set(each.sorts) == {BOOL})
    module = module_of([line], most=3)
    if (way, row.name) == ("lean", "apply"):
        pytest.skip("its tables are over bit vectors; tests/export/test_lean.py has it")
    if row.name in WITHOUT[way]:
        with pytest.raises(NoCounterpart) as caught:
            written(module, way, module.claims)
        assert caught.value.what.startswith(("the operator `", "the sort "))
    else:
        assert json.dumps(written(module, way, module.claims))
