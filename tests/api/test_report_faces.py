"""The interface that the reports of the three languages share."""

from __future__ import annotations

import json
from html import unescape
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import potlang
from potlang import dagmath, dot
from potlang.utils.serialize import json_text

REJECTED = {
    "pot": lambda text: potlang.verify({"verifications": [{"name": text, "constraint": f"p({text}"}]}),
    "dot": lambda text: dot.verify(f"@node id=1 role={text}\n"),
    "dagmath": lambda text: dagmath.verify(json.dumps({"steps": [{"step_id": text}]})),
}
ACCEPTED = {
    "pot": lambda: potlang.verify({"verifications": [{"constraint": "True"}]}),
    "dot": lambda: dot.verify("@node id=1 role=problem\n"),
    "dagmath": lambda: dagmath.verify("Step 1\nEdge: given\nParents: none\nNode: $x = 1$."),
}
HIDDEN = "a\u202eb\u0007\ud800\x9b\u2028\x7f\U000e0041"


@pytest.mark.parametrize("language", REJECTED)
def test_a_rejected_input_prints_its_diagnostics(language: str) -> None:
    """[REPORT-STR]"""
    report: Any = REJECTED[language]("text")
    assert report.verdict == "rejected"
    errors = [each for each in report.to_dict()["diagnostics"] if each["severity"] == "error"]
    assert errors
    for text in (str(report), unescape(report._repr_html_())):
        for each in errors:
            assert f"error[{each['code']}]: {each['message']}" in text
            assert each["line"] is None or f"line {each['line']}, column {each['column']}" in text
            assert all(help_ in text for help_ in each["helps"])
    assert str(report).endswith(report.render())


@pytest.mark.parametrize("language", ACCEPTED)
def test_the_text_of_other_inputs_is_the_report(language: str) -> None:
    """[REPORT-STR]"""
    report: Any = ACCEPTED[language]()
    assert report.verdict != "rejected"
    assert str(report) == report.render()


@pytest.mark.parametrize("language", REJECTED)
def test_hidden_characters_are_escapes(language: str) -> None:
    """[REPORT-STR], [REPORT-JSON]"""
    report: Any = REJECTED[language](HIDDEN)
    assert not [char for char in str(report) if not char.isprintable() and char != "\n"]
    assert not [char for char in report._repr_html_() if not char.isprintable() and char != "\n"]
    text = report.to_json()
    assert not [char for char in text if not char.isprintable() and char != "\n"]
    assert json.loads(text) == report.to_dict()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters()), inner),
    max_leaves=10,
)


@given(JSON, st.sampled_from([None, 2]))
def test_json_text_shows_all_and_changes_nothing(value: Any, indent: int | None) -> None:
    """[REPORT-JSON]"""
    text = json_text(value, indent)
    assert not [char for char in text if not char.isprintable() and char != "\n"]
    assert json.loads(text) == value
    # What can be seen is not escaped: people read it too.
    assert json_text("naïve 漢字 😀 \u202e") == '"naïve 漢字 😀 \\u202e"'


@pytest.mark.parametrize("language", ACCEPTED)
def test_a_report_has_no_truth_value(language: str) -> None:
    """[REPORT-BOOL]"""
    for report in (ACCEPTED[language](), REJECTED[language]("text")):
        with pytest.raises(TypeError, match=r"`report\.ok` or `report\.verdict`"):
            bool(report)


@pytest.mark.parametrize("language", REJECTED)
def test_a_diagnostic_without_a_document_is_printed_too(language: str) -> None:
    """[REPORT-STR]: a report that nobody located, as one that was made by hand."""
    report: Any = REJECTED[language]("text")
    bare = report._replace(located=())
    assert f"error[{report.diagnostics[0].code}]" in str(bare)
    assert bare.to_dict()["diagnostics"][0]["line"] is None
