"""The language as `spec/10-pot.md` and `spec/40-sorts.md` state it: each case cites the rule that it shows.

A case is a `program`, or an `expression` that is the claim of a program with the declarations of
`prelude.json`. What it expects: `codes` of all diagnostics, sorted (none where it does not say);
the `verdict`; `same`, an expression with the same typed formula; `equivalent`, one with the same
meaning; for programs `verdicts`, `violations` and `find` by name, and the `optimum` values.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from potlang.api import check, verify
from potlang.diag import Severity
from potlang.ir.nodes import App, reachable
from potlang.ir.operators import OPERATORS, Operator
from potlang.languages.pot.report import Report

HERE = Path(__file__).parent
SPEC = HERE.parents[1] / "spec"
FILES = sorted(HERE.glob("cases/*.json"))
CASES = [(path.stem, case) for path in FILES for case in json.loads(path.read_text(encoding="utf-8"))]
PRELUDE = json.loads((HERE / "prelude.json").read_text(encoding="utf-8"))
CHAPTERS = ("10-pot", "40-sorts")
KEYS = {"codes", "verdict", "same", "equivalent", "verdicts", "violations", "find", "optimum"}


def label(value: object) -> str:
    if not isinstance(value, dict):
        return str(value)
    text = value.get("expression") or value.get("description") or json.dumps(value.get("program"))
    return f"{value['rule']} {text[:60]}"


PARAMETERS = [pytest.param(case, id=f"{area}: {label(case)}") for area, case in CASES]


def program_of(case: dict[str, Any], *claims: str) -> dict[str, Any]:
    """The case's own program, or the prelude with these claims."""
    if "program" in case:
        program: dict[str, Any] = case["program"]
        return program
    verifications = [{"name": f"claim {index}", "constraint": claim} for index, claim in enumerate(claims)]
    return {**PRELUDE, "verifications": verifications}


def codes(program: dict[str, Any]) -> list[str]:
    return sorted(diagnostic.code for diagnostic in check(program).diagnostics)


@pytest.mark.parametrize("case", PARAMETERS)
def test_diagnostics(case: dict[str, Any]) -> None:
    expected = case["expect"].get("codes", [])
    found = codes(program_of(case, case.get("expression", "")))
    if expected == "any":
        errors = check(program_of(case, case["expression"])).diagnostics
        assert [each.code for each in errors if each.severity is Severity.ERROR] == []
    else:
        assert found == expected


@pytest.mark.parametrize("case", [each for each in PARAMETERS if "same" in each.values[0]["expect"]])
def test_same_formula(case: dict[str, Any]) -> None:
    program = check(program_of(case, case["expression"], case["expect"]["same"])).program
    assert program is not None
    one, other = (claim.formula for claim in program.module.claims)
    assert one is other


SOLVED = {"verdict", "equivalent", "verdicts", "violations", "find", "optimum"}
MEANT = [each for each in PARAMETERS if SOLVED.intersection(each.values[0]["expect"])]


@pytest.mark.parametrize("case", MEANT)
def test_meaning(case: dict[str, Any]) -> None:
    expect = case["expect"]
    claim = case.get("expression", "")
    if "equivalent" in expect:
        claim = f"({claim}) <-> ({expect['equivalent']})"
    report = verify(program_of(case, claim), trust="solver")
    verdicts = {result.name: str(result.verdict) for result in report.results}
    if "equivalent" in expect:
        assert verdicts == {"claim 0": "entailed"}, str(report)
    if "verdict" in expect:
        assert verdicts == {"claim 0": expect["verdict"]}, str(report)
    if "verdicts" in expect:
        assert verdicts == expect["verdicts"], str(report)
    for name, bindings in expect.get("violations", {}).items():
        assert certain_violations(report, name) == bindings
    for name, bindings in expect.get("find", {}).items():
        assert found_bindings(report, name) == bindings
    if "optimum" in expect:
        assert report.optimization is not None
        assert [objective.value for objective in report.optimization.objectives] == expect["optimum"]


def certain_violations(report: Report, name: str) -> list[dict[str, str]]:
    (result,) = (result for result in report.results if result.name == name)
    assert result.evidence.violations is not None
    return list(result.evidence.violations.certain)


def found_bindings(report: Report, name: str) -> dict[str, list[dict[str, str]]]:
    (result,) = (result for result in report.results if result.name == name)
    bindings = result.evidence.bindings
    assert bindings is not None
    return {"certain": list(bindings.certain), "possible": list(bindings.possible)}


# --- rules and cases -----------------------------------------------------------------------------


def rules(chapter: str) -> list[str]:
    """The ids that a chapter defines, in order."""
    return re.findall(
        r"^\*\*(\[[A-Z]+-[A-Z]+-\d+\])\*\*", (SPEC / f"{chapter}.md").read_text("utf-8"), re.MULTILINE
    )


def test_ids_are_defined_once() -> None:
    defined = [rule for chapter in CHAPTERS for rule in rules(chapter)]
    assert sorted(set(defined)) == sorted(defined)


def test_every_case_cites_a_rule_and_every_rule_has_a_case() -> None:
    defined = {rule for chapter in CHAPTERS for rule in rules(chapter)}
    cited = {case["rule"] for _, case in CASES}
    assert sorted(cited - defined) == []
    assert sorted(defined - cited) == []


@pytest.mark.parametrize("chapter", [*CHAPTERS, "85-diagnostics"])
def test_references_inside_the_chapter_exist(chapter: str) -> None:
    text = (SPEC / f"{chapter}.md").read_text("utf-8")
    everywhere = {rule for path in SPEC.glob("*.md") for rule in rules(path.stem)}
    assert sorted(set(re.findall(r"\[[A-Z]+-[A-Z]+-\d+\]", text)) - everywhere) == []


def test_each_operator_has_a_case() -> None:
    used = set()
    for _, case in CASES:
        program = check(program_of(case, case.get("expression", "True"))).program
        if program is not None:
            nodes = reachable(*program.module.formulas())
            used |= {node.op for node in nodes if isinstance(node, App) and isinstance(node.op, Operator)}
    missing = [row.name for row in OPERATORS.values() if row not in used]
    assert not missing, f"add a case to tests/conformance/cases: {missing}"


def test_cases_expect_what_the_runner_knows() -> None:
    wrong = [label(case) for _, case in CASES if not set(case["expect"]) <= KEYS or not case["expect"]]
    assert wrong == []
