"""Each row of the operators' table names a section of the specification."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from potlang.ir.operators import OPERATORS, Operator

SPEC = Path(__file__).parent.parent.parent / "spec"


@pytest.mark.parametrize("row", OPERATORS.values(), ids=str)
def test_an_operator_names_its_section(row: Operator) -> None:
    chapter, section = row.spec.split("#")
    text = (SPEC / f"{chapter}.md").read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    assert section in [heading.lower().replace(" ", "-") for heading in headings]
