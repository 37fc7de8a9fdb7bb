"""Every fix that a golden offers does what it promises, on the JSON value and on the raw text."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from potlang.api import check
from potlang.diag import Applicability, Diagnostic, Fix, Replace, Severity, Sink
from potlang.diag.fixes import apply_fix, apply_fixes
from potlang.languages.dagmath.check.form import check as check_solution
from potlang.languages.dot.read.reader import read_trace

UI = Path(__file__).parents[1] / "ui"
CASES = sorted(UI.glob("*/*.json"))
PARTIAL = {
    "POT2005/in_a_binder": "a new sort is declared where another may have been meant",
}
"""Cases with a fix that uncovers another error, with the reason."""


def errors(diagnostics: tuple[Diagnostic, ...]) -> Counter[tuple[str, str]]:
    return Counter((d.code, d.message) for d in diagnostics if d.severity is Severity.ERROR)


def fixes(case: Path) -> list[tuple[Diagnostic, Fix]]:
    diagnostics = check(case.read_bytes()).diagnostics
    return [
        (diagnostic, fix)
        for diagnostic in diagnostics
        for fix in diagnostic.fixes
        if fix.applicability is not Applicability.PLACEHOLDER
    ]


def label(case: Path) -> str:
    return f"{case.parent.name}/{case.stem}"


WITH_FIXES = [case for case in CASES if fixes(case)]


@pytest.mark.parametrize("case", WITH_FIXES, ids=label)
def test_fix_of_the_raw_text_removes_its_diagnostic(case: Path) -> None:
    """[DIAG-FIX-1]"""
    text = case.read_text(encoding="utf-8")
    before = check(text).diagnostics
    partial = []
    for diagnostic, fix in fixes(case):
        fixed = apply_fixes(text, [fix])
        assert fixed != text, fix.title
        after = check(fixed).diagnostics
        same = [d for d in before if (d.code, d.message) == (diagnostic.code, diagnostic.message)]
        left = [d for d in after if (d.code, d.message) == (diagnostic.code, diagnostic.message)]
        assert len(left) < len(same), fix.title
        if not errors(after) <= errors(before):
            partial.append((fix.title, errors(after) - errors(before)))
    assert bool(partial) == (label(case) in PARTIAL), partial


def is_json(case: Path) -> bool:
    try:
        json.loads(case.read_text(encoding="utf-8"))
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("case", [case for case in WITH_FIXES if is_json(case)], ids=label)
def test_fix_of_the_value_is_the_fix_of_the_text(case: Path) -> None:
    """[DIAG-FIX-3]"""
    text = case.read_text(encoding="utf-8")
    value = json.loads(text)
    for _, fix in fixes(case):
        if any(isinstance(edit, Replace) and not edit.pointer for edit in fix.edits):
            continue  # an edit of the raw text, as for a repeated key
        assert apply_fix(value, fix) == json.loads(apply_fixes(text, [fix])), fix.title


TRACES = [case for case in sorted(UI.glob("*/*.dot")) if not case.name.endswith((".strict.dot", "2.dot"))]


def trace_diagnostics(data: bytes) -> tuple[Diagnostic, ...]:
    read_trace(data, sink := Sink())
    return tuple(sink.diagnostics())


def of_trace(case: Path) -> list[Fix]:
    found = [fix for each in trace_diagnostics(case.read_bytes()) for fix in each.fixes]
    return [fix for fix in found if fix.applicability is not Applicability.PLACEHOLDER]


@pytest.mark.parametrize("case", [case for case in TRACES if of_trace(case)], ids=label)
def test_fix_of_a_trace_removes_its_diagnostic_and_makes_no_new_kind(case: Path) -> None:
    text = case.read_bytes().decode("utf-8")
    before = trace_diagnostics(text.encode())
    for fix in of_trace(case):
        after = trace_diagnostics(apply_fixes(text, [fix]).encode())
        assert len(after) < len(before), fix.title
        assert {d.code for d in after} <= {d.code for d in before}, fix.title


SOLUTIONS = sorted(UI.glob("*/*.dagmath"))


def of_solution(case: Path) -> list[Fix]:
    found = [fix for each in check_solution(case.read_bytes()).diagnostics for fix in each.fixes]
    return [fix for fix in found if fix.applicability is not Applicability.PLACEHOLDER]


@pytest.mark.parametrize("case", [case for case in SOLUTIONS if of_solution(case)], ids=label)
def test_fix_of_a_solution_removes_its_diagnostic_and_makes_no_error(case: Path) -> None:
    text = case.read_text(encoding="utf-8")
    before = check_solution(text).diagnostics
    for diagnostic in before:
        for fix in (each for each in diagnostic.fixes if each.applicability is not Applicability.PLACEHOLDER):
            after = check_solution(apply_fixes(text, [fix])).diagnostics
            assert (diagnostic.code, diagnostic.message) not in [(d.code, d.message) for d in after], (
                fix.title
            )
            assert errors(after) <= errors(before), fix.title
