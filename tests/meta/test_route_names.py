"""The routes of the options are those of the specification."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from potlang.prove.options import RouteName

CHAPTER = Path(__file__).parents[2] / "spec" / "65-routes.md"


def test_routes_are_those_of_the_table() -> None:
    """[ROUTE-NAMES]"""
    rule = CHAPTER.read_text(encoding="utf-8").partition("**[ROUTE-NAMES]**")[2].partition("**[")[0]
    cells = re.findall(r"^\| (`.+?) \|", rule, re.MULTILINE)
    named = {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}
    differ = named ^ set(get_args(RouteName))
    assert not differ, f"not both in RouteName and in the table of [ROUTE-NAMES]: {sorted(differ)}"
