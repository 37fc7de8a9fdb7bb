"""The programs of the paper: each verified once in a process, and some of each kind for the faces of that.

What a verdict is and what it rests on is the matter of `prove/test_tiers.py`, which has all of them in the
quick tier. The other folders ask whether they hand a report on: a program of each verdict tells it, and
the deep tier has the rest.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

import potlang
from potlang.languages.pot.report import Report

SEED = Path(__file__).parent / "seed"
INDEX = json.loads((SEED / "index.json").read_text(encoding="utf-8"))
VERDICTS: dict[Path, str] = {SEED / row["file"]: row["expect"]["verdict"] for row in INDEX}
ALL = tuple(VERDICTS)
KINDS = tuple({verdict: path for path, verdict in reversed(VERDICTS.items())}.values())
"""The first program of each verdict."""
EACH_KIND = [
    pytest.param(path, id=path.stem, marks=() if path in KINDS else pytest.mark.slow) for path in ALL
]
"""For `parametrize`: one of each verdict in the quick tier, all in the deep one."""


@cache
def verified(path: Path) -> Report:
    """The report with the defaults' evidence and its certificate, one for all tests that look at it."""
    return potlang.verify(path, certificate=True)
