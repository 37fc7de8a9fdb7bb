"""Renderers: goldens of text, JSON and SARIF; `python tests/diag/test_render.py` writes them anew."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from potlang.diag import CODES, Applicability, Diagnostic, Fix, Label, Patch, Place, Replace, Severity, Sink
from potlang.diag.render_json import diagnostics_to_json, render_json
from potlang.diag.render_sarif import diagnostics_to_sarif, render_sarif
from potlang.diag.render_text import render_all, summary
from potlang.reading.json_text import open_document, read_json
from potlang.source import Document

HERE = Path(__file__).parent
SCHEMA = HERE.parents[1] / "schemas" / "diagnostics-1.json"
SAFE = Applicability.SAFE
LONG = "g(a) and " * 30 + "f(bad) " + "and h(b)" * 40
TEXT = """{
  "sorts": [{"name": "Person", "type": "DeclareSort"}],
  "constants": {"people": {"sort": "Person", "members": ["alice", "日本"]}},
  "rules": [
\t{"name": "r1", "constraint": "Implies(happy(alise), And(p(x), \\u0041(y), 1 < 2))"}
  ],
  "long": "LONG"
}
""".replace("LONG", LONG)


def reported(document: Document) -> list[Diagnostic]:
    sink = Sink(document)
    rule = "/rules/0/constraint"
    near = Label(Place("/constants/people/members/0"), "a near name is declared here")
    write = Fix("write `alice`", SAFE, (Replace(rule, 14, 19, "alice"),))
    sink.report(
        "POT2001",
        rule,
        span=(14, 19),
        name="alise",
        primary="not declared",
        labels=[near],
        helps=["did you mean `alice`?"],
        fixes=[write],
    )
    sink.report("POT2001", rule, span=(32, 33), name="A")
    sink.report("POT2001", "/long", span=(272, 275), name="bad", notes=["a fact"])
    hidden = "a \x1b[31mconstant"
    sink.report("POT2004", "/constants/people/members/1", name="日本", hidden=hidden, primary="here")
    rename = Fix("rename the key", SAFE, (Patch("move", "/axioms", source="/rules"),))
    sink.report("POT1016", Place("/rules", on_key=True), key="rules", meant="axioms", fixes=[rename])
    add = Fix("add it", Applicability.PLACEHOLDER, (Patch("add", "/x", {"name": "?"}),))
    sink.report("POT1011", "", key="x", fixes=[add])
    return sink.diagnostics()


def in_text() -> Document:
    return Document("dir/a program.json", TEXT, json.loads(TEXT))


def in_value() -> Document:
    return Document.from_value(json.loads(TEXT))


def not_json() -> str:
    sink = Sink()
    document = open_document('{"a": [1,\n  2,],\n "b": "x\ty" \'c\': {', sink, name="bad.json")
    read_json(document, sink)
    return render_all(sink.diagnostics(), document)


GOLDENS: dict[str, Callable[[], str]] = {
    "text.txt": lambda: render_all(reported(in_text()), in_text()),
    "narrow.txt": lambda: render_all(reported(in_text()), in_text(), width=40),
    "value.txt": lambda: render_all(reported(in_value()), in_value()),
    "color.txt": lambda: render_all(reported(in_text()), in_text(), color=True),
    "not_json.txt": not_json,
    "diagnostics.json": lambda: render_json(reported(in_text()), in_text()),
    "value.json": lambda: render_json(reported(in_value()), in_value()),
    "diagnostics.sarif": lambda: render_sarif([(in_text(), reported(in_text()))], "1.2"),
}


@pytest.mark.parametrize("name", GOLDENS)
def test_golden(name: str) -> None:
    """[DIAG-OUT-1] [DIAG-OUT-2]"""
    assert GOLDENS[name]() == (HERE / "golden" / name).read_text(encoding="utf-8")


def test_without_color_there_is_no_escape() -> None:
    """[DIAG-OUT-1]"""
    assert "\x1b" not in GOLDENS["text.txt"]()
    assert re.sub(r"\x1b\[[0-9;]*m", "", GOLDENS["color.txt"]()) == GOLDENS["text.txt"]()


def test_json_fits_its_schema() -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for document in (in_text(), in_value()):
        value = json.loads(json.dumps(diagnostics_to_json(reported(document), document)))
        assert list(validator.iter_errors(value)) == []
        value["diagnostics"][0]["extra"] = 1
        assert list(validator.iter_errors(value)) != []


def test_sarif_regions_and_replacements_mean_the_raw_text() -> None:
    """[DIAG-OUT-2]"""
    document = in_text()
    (run,) = diagnostics_to_sarif([(document, reported(document))])["runs"]  # type: ignore[misc]
    starts = [0, *(found.end() for found in re.finditer("\n", TEXT))]
    marked = []
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        region = result["locations"][0]["physicalLocation"]["region"]
        start = starts[region["startLine"] - 1] + region["startColumn"] - 1
        end = starts[region["endLine"] - 1] + region["endColumn"] - 1
        marked.append(TEXT[start:end])
    assert marked[1:] == ['"日本"', '"rules"', "alise", "\\u0041", "bad"]
    assert [len(result.get("fixes", [])) for result in run["results"]] == [1, 0, 1, 1, 0, 0]


def test_nothing_found_is_nothing_said() -> None:
    assert render_all([], in_text()) == ""


def test_summary_counts() -> None:
    place = (Label(Place()),)
    found = [Diagnostic("POT0001", s, "m", place) for s in (Severity.NOTE, Severity.ERROR, Severity.ERROR)]
    assert summary(found) == "2 errors, 1 note"


@given(
    st.text(max_size=300),
    st.integers(-5, 310),
    st.integers(-5, 310),
    st.text(max_size=40),
    st.integers(1, 90),
)
def test_any_text_renders_in_lines_without_control_characters(
    text: str, start: int, end: int, name: str, width: int
) -> None:
    for document in (Document.from_str(text, name), Document(name, json.dumps([text]), [text])):
        sink = Sink(document)
        sink.report(
            "POT2001", "/0", span=(start, end), name=name, labels=[Label(Place("", (start, end)), name)]
        )
        out = render_all(sink.diagnostics(), document, width=width)
        assert all(line.isprintable() for line in out.split("\n"))
        assert len(max(out.split("\n"), key=len)) < 1_000
        json.loads(render_json(sink.diagnostics(), document).encode())
        json.loads(render_sarif([(document, sink.diagnostics())]).encode())


def test_every_code_has_a_page_in_the_groups_0_and_1() -> None:
    for code in CODES:
        if code < "POT2":
            assert (HERE.parents[1] / "potlang/diag/pages" / f"{code}.md").is_file(), code


if __name__ == "__main__":
    for name, golden in GOLDENS.items():
        (HERE / "golden" / name).write_text(golden(), encoding="utf-8")
