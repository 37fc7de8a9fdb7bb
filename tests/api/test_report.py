"""Reports: the JSON form, the schema, the text for people."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from potlang.diag import Diagnostic, Label, Place, Severity
from potlang.languages.pot.render import render_report
from potlang.languages.pot.report import Report
from potlang.report.results import (
    Bindings,
    CheckRecord,
    Consistency,
    CoreItem,
    Evidence,
    Limits,
    ObjectiveResult,
    OptimizationResult,
    OptimizationStatus,
    ParetoPoint,
    Result,
    Verdict,
    Witness,
    overall,
)

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "report-1.json").read_text(encoding="utf-8"))
NASTY = '<script>alert("x")</script>\x1b[31m\u202e'


def full(text: str = "text") -> Report:
    """A report in which every part is there."""
    item = CoreItem(text, "/knowledge_base/0", text, "fact")
    model = {text: text}
    evidence = Evidence(
        (item,),
        True,
        ((item,), (item, item)),
        True,
        ((item,),),
        False,
        model,
        {text: "other"},
        Witness((model, {text: "other"}), False),
        Bindings((model,), (model,), (model,), 3),
        Bindings((model,)),
    )
    check = CheckRecord("claim", "z3", "unknown", "timeout", text, 1.23456)
    status = OptimizationStatus.UNBOUNDED
    objective = ObjectiveResult(text, "minimize", "-oo", status, "/optimization/objectives/0", 1, "5/2")
    optimum = OptimizationResult(
        status,
        "pareto",
        "-oo",
        (objective,),
        model,
        (item,),
        (ParetoPoint((1, None), model),),
        False,
        None,
        "timeout",
        text,
        OptimizationResult(OptimizationStatus.OPTIMAL, value=80),
        (text,),
        "/optimization",
        "z3",
    )
    results = (
        Result(text, "/verifications/0", Verdict.UNDETERMINED, "SAT", evidence=evidence),
        Result(
            text,
            "/verifications/1",
            Verdict.UNKNOWN,
            None,
            "norm",
            "timeout",
            (Verdict.ENTAILED, Verdict.REFUTED),
            "z3+cvc5",
            "cross-checked",
            checks=(check,),
            time_ms=2.0,
        ),
    )
    found = Diagnostic("POT2009", Severity.WARNING, text, (Label(Place("/knowledge_base/0", (0, 3))),))
    return Report(
        Verdict.UNKNOWN, results, optimum, Consistency.UNKNOWN, evidence, (found,), (), (text,), version="1"
    )


def errors(value: Any) -> list[str]:
    return [error.message for error in Draft202012Validator(SCHEMA).iter_errors(value)]


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("text", ["text", NASTY, "", "ünï\n"])
def test_reports_fit_the_schema(text: str) -> None:
    assert errors(full(text).to_dict()) == []
    assert errors(Report(Verdict.REJECTED).to_dict()) == []


def test_the_schema_is_strict() -> None:
    """Every object closed but maps by user names, everything required: a change of the report shows."""
    value = full().to_dict()
    for spoiled in (
        {**value, "extra": 1},
        {key: item for key, item in value.items() if key != "consistency"},
        {**value, "verdict": "maybe"},
        {**value, "results": [{**value["results"][0], "trust": "blind"}]},
        {**value, "optimization": {**value["optimization"], "value": 2.5}},
    ):
        assert errors(spoiled)


def test_json_text_reads_back_and_has_no_lone_surrogate() -> None:
    report = full("\ud800")
    text = report.to_json()
    text.encode("utf-8")
    assert json.loads(text) == report.to_dict()


def test_overall_is_the_worst() -> None:
    """[VERDICT-OVERALL]"""

    def results(*verdicts: Verdict) -> list[Result]:
        return [Result("", "", verdict) for verdict in verdicts]

    optimal = OptimizationResult(OptimizationStatus.OPTIMAL)
    assert overall(results(Verdict.ENTAILED, Verdict.REFUTED), None, None) is Verdict.REFUTED
    assert overall(results(Verdict.UNKNOWN, Verdict.INCONSISTENT), optimal, None) is Verdict.INCONSISTENT
    assert overall([], optimal, None) is OptimizationStatus.OPTIMAL
    assert overall([], None, Consistency.INCONSISTENT) is Verdict.INCONSISTENT
    assert overall([], None, Consistency.UNKNOWN) is Verdict.UNKNOWN
    assert overall([], None, None) is Verdict.ENTAILED


def test_ok_means_entailed_and_optimal() -> None:
    entailed = (Result("", "", Verdict.ENTAILED),)
    infeasible = OptimizationResult(OptimizationStatus.INFEASIBLE)
    optimal = OptimizationResult(OptimizationStatus.OPTIMAL)
    assert Report(Verdict.ENTAILED, entailed).ok
    assert not Report(Verdict.ENTAILED, entailed, infeasible).ok
    assert Report(OptimizationStatus.OPTIMAL, (), optimal).ok
    assert not Report(Verdict.UNDETERMINED).ok


def test_text_is_plain_unless_colour_is_asked_for() -> None:
    """No control character of the program reaches the terminal."""
    plain = render_report(full(NASTY))
    assert not [char for char in plain if not char.isprintable() and char != "\n"]
    assert "\x1b[1;35munknown\x1b[0m" in render_report(full(NASTY), color=True)
    assert "\x1b[31m" not in render_report(full(NASTY), color=True)
    assert str(full()) == render_report(full())


def test_text_says_what_the_report_holds() -> None:
    text = render_report(full())
    for words in (
        "still possible: entailed or refuted",
        "timeout",
        "could be true",
        "could be false",
        "certain violations:",
        "3 more candidates were not looked at",
        "optimization: unbounded",
        "the assumptions contradict each other:",
        "the assumptions are consistent without",
        "there may be more such sets",
    ):
        assert words in text


class _Tags(HTMLParser):
    """Collects the tags and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_is_escaped() -> None:
    """[VIEW-NOTEBOOK]"""
    found = _Tags()
    found.feed(full(NASTY)._repr_html_())
    assert found.tags == {
        *("div", "p", "b", "strong", "table", "thead", "th", "tbody", "tr", "td", "pre", "span")
    }
    assert "<script>" in found.text
    assert "\x1b" not in full(NASTY)._repr_html_()


def test_limits_have_defaults() -> None:
    assert Limits() == Limits(10_000, 60_000, 4_096, None)
