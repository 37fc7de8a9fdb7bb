"""Each row of the operators' table has its section, its words in programs, and its row in the kernel."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from potlang.certify import operators as kernel
from potlang.ir import operators as op
from potlang.ir.operators import OPERATORS, Operator
from potlang.sema import emit

SPEC = Path(__file__).parent.parent.parent / "spec"


@pytest.mark.parametrize("row", OPERATORS.values(), ids=str)
def test_an_operator_names_its_section(row: Operator) -> None:
    chapter, section = row.spec.split("#")
    text = (SPEC / f"{chapter}.md").read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    assert section in [heading.lower().replace(" ", "-") for heading in headings]


def test_each_operator_has_words_in_programs() -> None:
    written_otherwise = {op.NEG, op.BV_NEG, op.APPLY, op.INSERT}
    assert {*emit._INFIX, *emit._CALLS} | written_otherwise == set(OPERATORS.values())


def test_the_kernel_computes_each_operator() -> None:
    assert set(OPERATORS) == set(kernel.OPERATORS)
