"""The worked policies of `examples/policies`: documents, programs that cite them, tests of decisions."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

import potlang
from potlang.languages.pot.program import Program
from potlang.policy.tests import PolicyTest, read_tests, run_tests
from potlang.report.results import Limits, Verdict

FOLDER = Path(__file__).parents[2] / "examples" / "policies"
OWN = ("leave", "luggage", "mortgage", "refund")
"""Those with a document of our own; the sentences of `safety` are rules of the paper."""
NAMES = (*OWN, "safety")
PROGRAMS = [(name, file) for name in NAMES for file in ("policy.json", "assistant.json")]
LIMITS = Limits(check_ms=60_000, total_ms=600_000)
_CITING = ("sorts", "functions", "rules", "verifications")


def value_of(name: str, file: str = "policy.json") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / name / file).read_text("utf-8"))
    return found


def program_of(name: str) -> Program:
    return potlang.compile(FOLDER / name / "policy.json")


def cases_of(name: str) -> tuple[PolicyTest, ...]:
    return read_tests(json.loads((FOLDER / name / "tests.json").read_text("utf-8")))


def cited(value: dict[str, Any]) -> list[list[int]]:
    items = [each for section in _CITING for each in value.get(section, ())]
    groups = value.get("constants", {}).values()
    return [each.get("cites", []) for each in (*items, *groups)]


def words(text: str) -> str:
    return " ".join(re.sub(r"[|#*]", " ", text).split())


def failed(program: Program, tests: list[PolicyTest]) -> list[tuple[str, Verdict]]:
    return [
        (result.test.name, result.verdict)
        for result in run_tests(program, tests, LIMITS)
        if not result.passed
    ]


@pytest.mark.parametrize(("name", "file"), PROGRAMS)
def test_programs_have_no_diagnostics(name: str, file: str) -> None:
    assert not potlang.check(FOLDER / name / file).diagnostics


@pytest.mark.slow
@pytest.mark.parametrize(("name", "file"), PROGRAMS)
def test_the_linter_finds_nothing(name: str, file: str) -> None:
    found = potlang.lint(FOLDER / name / file, budget_ms=120_000)
    assert not found.diagnostics


@pytest.mark.parametrize(("name", "file"), PROGRAMS)
def test_sentences_are_those_of_the_document(name: str, file: str) -> None:
    data = (FOLDER / name / "document.md").read_bytes()
    document = value_of(name, file)["document"]
    assert document["sha256"] == hashlib.sha256(data).hexdigest()
    rest = words(data.decode("utf-8"))
    for sentence in document["sentences"]:
        # A row of a table says its heads again: `fare: Light | free pieces: none`.
        for part in sentence.split(" | "):
            text = words(part if part in rest else part.partition(": ")[2])
            before, found, rest = rest.partition(text)
            assert found and not re.search(r"\w", before.replace("---", "")), sentence


@pytest.mark.parametrize(("name", "file"), PROGRAMS)
def test_everything_cites_a_sentence(name: str, file: str) -> None:
    """[CITE-ITEM]"""
    assert all(cited(value_of(name, file)))


@pytest.mark.parametrize("name", OWN)
def test_fifty_sentences_of_a_document_are_rules(name: str) -> None:
    numbers = {
        number
        for file in ("policy.json", "assistant.json")
        for rule in value_of(name, file)["rules"]
        for number in rule["cites"]
    }
    assert len(numbers) >= 50


@pytest.mark.parametrize("name", NAMES)
def test_what_must_hold_holds(name: str) -> None:
    report = potlang.verify(program_of(name), trust="solver")
    assert {result.verdict for result in report.results} == {Verdict.ENTAILED}


@pytest.mark.parametrize("name", NAMES)
def test_the_tests_have_answers_of_each_kind(name: str) -> None:
    tests = cases_of(name)
    assert len(tests) >= 25
    assert len({test.name for test in tests}) == len(tests)
    assert {Verdict.ENTAILED, Verdict.REFUTED, Verdict.UNDETERMINED} <= {test.expected for test in tests}


@pytest.mark.parametrize("name", NAMES)
def test_the_page_counts_what_there_is(name: str) -> None:
    page = (FOLDER.parents[1] / "docs" / "policies" / "index.md").read_text("utf-8")
    value = value_of(name)
    counts = (len(value["document"]["sentences"]), len(value["rules"]), len(cases_of(name)))
    assert f"| [{name}]({name}.md) | {' | '.join(map(str, counts))} |" in page


@pytest.mark.parametrize("name", NAMES)
def test_some_cases_are_decided_as_the_document_says(name: str) -> None:
    some = Random(name).sample(cases_of(name), 2)
    assert not failed(program_of(name), some)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_all_cases_are_decided_as_the_document_says(name: str) -> None:
    assert not failed(program_of(name), list(cases_of(name)))
