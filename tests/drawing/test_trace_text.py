"""Reports on traces as text, as HTML for notebooks, and as JSON: whole, plain, and cut if they are large."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator
from view_support import HOSTILE, TEXTS, full, large

from potlang.languages.dot.render import disagreement, render_trace
from potlang.languages.dot.report import TraceReport
from potlang.languages.dot.results import (
    ArrowResult,
    NodeResult,
    NucleusResult,
    SummarizerResult,
    SummaryResult,
    TraceVerdict,
)
from potlang.report.results import Consistency, Limits, Verdict
from potlang.report.text import LONGEST_TABLE

SCHEMAS = Path(__file__).parents[2] / "schemas"


def schema(name: str) -> Any:
    return json.loads((SCHEMAS / name).read_text(encoding="utf-8"))


def errors(value: Any) -> list[str]:
    return [error.message for error in Draft202012Validator(schema("dot-report-1.json")).iter_errors(value)]


# --- text ----------------------------------------------------------------------------------------


def test_text_says_what_the_report_holds() -> None:
    """[FACE-TEXT]"""
    text = render_trace(full())
    for words in (
        "2     proposer    validated    refuted       solver  text",
        "    ! validated, but the theory refutes it",
        "    ! invalidated, but the theory entails it",
        "  2 ≤ 6  LE  proved  (witness 3)",
        "  6 ≤ 2  EQ  refuted  (rank 2)",
        "  5 ≤ 4  TR  assumed  (vacuous)",
        "the nucleus assumes, consistent with the theory,",
        "not closed under it: 2",
        "summary of 2, 6: inconsistent",
        "  these contradict each other:",
        "  redundant, given the others: 6",
        "  incomparable: 2 and 6",
        "  independent branches: 2; 6",
        "  up to rank: 0 consistent, 2 inconsistent",
        "  consistent with the inclusions up to rank 0",
        "summarizer 8: unfaithful, uses 2, 6",
        "  leaves out 4, of which it needs 4",
        "what follows as well: 5",
        "hash abababababababab",
    ):
        assert words in text
    assert text.splitlines()[-1] == "rejected"
    assert str(full()).endswith(text)


@settings(max_examples=60)
@given(TEXTS)
def test_text_is_plain_unless_colour_is_asked_for(text: str) -> None:
    """[FACE-TEXT]: no control character of the trace reaches the terminal."""
    plain = render_trace(full(text))
    assert not [char for char in plain if not char.isprintable() and char != "\n"]


def test_colours() -> None:
    assert "\x1b[1;31mrefuted\x1b[0m" in render_trace(full(), color=True)
    assert "\x1b[1;32mvalidated\x1b[0m" in render_trace(full(), color=True)
    assert "\x1b" not in render_trace(full())


def test_of_a_large_trace_what_matters_is_shown() -> None:
    """[FACE-TEXT]"""
    lines = render_trace(large(100_000)).splitlines()
    assert len(lines) < LONGEST_TABLE + 20
    assert any(line.startswith("99990") and "summarizer" in line for line in lines)
    assert "… 99,799 more nodes" in lines


def test_of_many_inclusions_the_refuted_ones_are_shown() -> None:
    """[FACE-TEXT]"""
    nodes = (NodeResult(1, "proposer", "validated"),)
    arrows = [ArrowResult(1, 1, "LE", 0, None, "proved") for _ in range(500)]
    arrows.append(ArrowResult(1, 1, "LE", 7, None, "refuted"))
    text = render_trace(TraceReport(TraceVerdict.ACCEPTED, nodes=nodes, arrows=tuple(arrows)))
    assert "  1 ≤ 1  LE  refuted  (rank 7)" in text
    assert "  … 300 more" in text


def test_short_reports() -> None:
    assert render_trace(TraceReport(TraceVerdict.REJECTED)) == "rejected"
    nodes = (NodeResult(1, "proposer", "active"),)
    assert "summary: no proposition is validated" in render_trace(
        TraceReport(TraceVerdict.ACCEPTED, nodes=nodes)
    )
    untyped = TraceReport(TraceVerdict.ACCEPTED, nodes=nodes, is_typed=False)
    assert "summary" not in render_trace(untyped)
    identity = TraceReport(
        TraceVerdict.ACCEPTED,
        arrows=(ArrowResult(1, 2, "LE", 0, None, "proved"),),
        nucleus=NucleusResult(identity=True),
        summary=SummaryResult(
            (1,),
            consistency=Consistency.INCONSISTENT,
            conflict=(),
            summarizers=(SummarizerResult(3, None),),
        ),
    )
    text = render_trace(identity)
    assert "the nucleus is the identity" in text
    assert "the theory contradicts itself" in text
    assert "summarizer 3: unknown" in text


@pytest.mark.parametrize("status", ["initial", "active", "validated", "invalidated", None])
@pytest.mark.parametrize("verdict", [*Verdict, None])
def test_judgements_contradict_the_theory_in_two_cases(status: Any, verdict: Verdict | None) -> None:
    """[VIEW-MARKS]"""
    wrong = {("validated", Verdict.REFUTED), ("invalidated", Verdict.ENTAILED)}
    found = disagreement(NodeResult(1, "proposer", status, "p", verdict))
    assert (found is not None) == ((status, verdict) in wrong)


# --- HTML ----------------------------------------------------------------------------------------


class _Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("text", HOSTILE)
def test_html_for_notebooks_is_escaped(text: str) -> None:
    """[VIEW-TEXT]"""
    found = _Tags(full(text)._repr_html_())
    assert found.tags - {"span"} == {
        *("div", "p", "b", "strong", "table", "thead", "th", "tbody", "tr", "td", "pre")
    }
    assert not [char for char in found.text if not char.isprintable() and char != "\n"]
    assert "summarizer 8: unfaithful" in found.text


# --- JSON ----------------------------------------------------------------------------------------


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema("dot-report-1.json"))


@settings(max_examples=30)
@given(TEXTS)
def test_reports_fit_the_schema(text: str) -> None:
    """[FACE-JSON]"""
    assert errors(full(text).to_dict()) == []
    assert errors(TraceReport(TraceVerdict.REJECTED, limits=Limits(1, 2, None, 3)).to_dict()) == []


def test_the_schema_is_strict() -> None:
    """[FACE-JSON]: every object closed, everything required: a change of the report shows."""
    value = full().to_dict()
    node, arrow, summary = value["nodes"][0], value["arrows"][0], value["summary"]
    for spoiled in (
        {**value, "extra": 1},
        {name: item for name, item in value.items() if name != "hash"},
        {**value, "verdict": "entailed"},
        {**value, "nodes": [{**node, "role": "judge"}]},
        {**value, "nodes": [{**node, "closed": "yes"}]},
        {**value, "arrows": [{**arrow, "state": "true"}]},
        {**value, "summary": {**summary, "incomparable": [[1]]}},
        {**value, "diagnostics": [{k: v for k, v in value["diagnostics"][0].items() if k != "rule"}]},
    ):
        assert errors(spoiled)


def test_parts_that_both_reports_have_are_the_same() -> None:
    """[FACE-JSON]: a result of a trace is read as one of a program."""
    trace, program = schema("dot-report-1.json")["$defs"], schema("report-1.json")["$defs"]
    shared = set(trace) & set(program)
    differ = {"coreItem", "diagnostic"}
    assert {"result", "evidence", "limits", *differ} <= shared
    # A trace is made from no document, so that its results quote none.
    program["result"]["properties"].pop("quotes")
    assert {name for name in shared if trace[name] != program[name]} == differ
