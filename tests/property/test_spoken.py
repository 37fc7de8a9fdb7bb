"""Formulas said in words and read back."""

from __future__ import annotations

from typing import Any

from property_support import both, compiled
from spoken import differing, spoken

from potlang.testing import programs


def is_said_and_read(program: dict[str, Any]) -> None:
    """Rule [WORDS-SAME]: whatever formula is said is read as what it is, and each is said."""
    found = list(spoken(compiled(program)))
    assert [each for each in found if each.read is None] == []
    if found:
        assert differing(program, found) == []


test_is_said_and_read, test_more_are_said_and_read = both(is_said_and_read, programs(), quick=12, deep=400)
