"""The diagnostics as people see them: every program here against the text beside it.

`POTLANG_BLESS=1` writes the texts anew. A case in a folder `POTnnnn` shows that code. A trace may be
named `case.strict.dot`, `case.budget3.dot` or `case.ends.dot`, for the profile and the budget with which it
is read, and for an end that it must have.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

import potlang
import potlang.dot
from potlang.api import check
from potlang.diag import Sink
from potlang.diag.render_text import render_all
from potlang.languages.dagmath.check.form import check as check_solution
from potlang.languages.dot.read.reader import read_trace
from potlang.source import Document

HERE = Path(__file__).parent
JUDGED = "POT5060"
"""From this code on a trace is verified, and not only checked."""
AROUND = ("POT5006", "POT5007")
"""What these are about is left out of replies: it is shown as reading alone reports it."""
CASES = sorted([*HERE.glob("*/*.json"), *HERE.glob("*/*.dot"), *HERE.glob("*/*.dagmath")])


def label(case: Path) -> str:
    return f"{case.parent.name}/{case.stem}"


def rendered(case: Path) -> str:
    if case.suffix == ".dot":
        return rendered_trace(case)
    if case.suffix == ".dagmath":
        solution = check_solution(case.read_bytes(), name=f"{case.parent.name}/{case.name}")
        return render_all(solution.diagnostics, solution.read.document)
    if case.parent.name.startswith("POT9") and case.parent.name != "POT9001":
        linted = potlang.lint(case.read_bytes(), name=f"{case.parent.name}/{case.name}")
        return render_all(linted.diagnostics, linted.document)
    checked = check(case.read_bytes(), name=f"{case.parent.name}/{case.name}")
    return render_all(checked.diagnostics, checked.document)


def rendered_trace(case: Path) -> str:
    if JUDGED <= case.parent.name < "POT6":
        checked = potlang.dot.verify(case.read_bytes(), name=f"{case.parent.name}/{case.name}")
        document = Document.from_str(case.read_text(encoding="utf-8"), f"{case.parent.name}/{case.name}")
        return render_all(checked.diagnostics, document)
    budget = re.search(r"\.budget(\d+)\.dot$", case.name)
    options: dict[str, Any] = {
        "profile": "strict" if case.name.endswith(".strict.dot") else "paper",
        "budget": int(budget[1]) if budget else None,
        "require_end": case.name.endswith(".ends.dot"),
        "name": f"{case.parent.name}/{case.name}",
    }
    if case.parent.name in AROUND:
        trace = read_trace(case.read_bytes(), sink := Sink(), **options)
        return render_all(sink.diagnostics(), trace.document)
    found = potlang.dot.check(case.read_bytes(), **options)
    return render_all(found.diagnostics, found.document)


@pytest.mark.parametrize("case", CASES, ids=label)
def test_rendering_is_the_golden_one(case: Path) -> None:
    golden = case.with_suffix(".txt")
    text = rendered(case)
    if os.environ.get("POTLANG_BLESS") == "1":
        assert os.environ.get("CI", "").lower() not in ("1", "true"), "goldens are not written in CI"
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", [case for case in CASES if case.parent.name.startswith("POT")], ids=label)
def test_case_shows_the_code_of_its_folder(case: Path) -> None:
    assert f"[{case.parent.name}]" in rendered(case)


def test_every_golden_has_its_case() -> None:
    assert sorted(HERE.glob("*/*.txt")) == sorted(case.with_suffix(".txt") for case in CASES)
