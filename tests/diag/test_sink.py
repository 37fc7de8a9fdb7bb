"""The sink: order, duplicates, bounds, and user text that may not deceive."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import potlang.diag
from potlang.diag import CODES, Label, Place, Severity, Sink, shorten, shown, visible
from potlang.source import Document

ROOT = Path(potlang.diag.__file__).parents[2]
TEXT = '{"b": "one", "a": ["two", "three"]}'


def test_codes_are_well_formed() -> None:
    """[DIAG-CODE-1] [DIAG-TEXT-1]"""
    for code, row in CODES.items():
        assert code == row.code
        assert len(code) == 7
        assert code.startswith("POT")
        assert code[3:].isdigit()
        assert row.headline[:1] in "`{" or row.headline[:1].islower() or row.headline.startswith("not JSON")
        assert not row.headline.endswith(".")
    assert len({row.slug for row in CODES.values()}) == len(CODES)
    assert list(CODES) == sorted(CODES)


def test_document_order_whatever_the_order_of_reports() -> None:
    """[DIAG-LIST-1]"""
    for document in (Document.from_str(TEXT), Document.from_value({"b": "one", "a": ["two", "three"]})):
        sink = Sink(document)
        for pointer in ("/a/1", "/a", "/a/0", "/b", ""):
            sink.report("POT1013", pointer, value=pointer, allowed="x")
        sink.report("POT1013", "/a/0", span=(1, 2), value="later", allowed="x")
        found = [d.place.pointer for d in sink.diagnostics()]
        assert found == ["", "/b", "/a", "/a/0", "/a/0", "/a/1"]


def test_duplicates_are_merged_and_first_wins() -> None:
    """[DIAG-LIST-1]"""
    sink = Sink()
    sink.report("POT2001", "/a", name="x", helps=["first"])
    sink.report("POT2001", "/a", name="x", helps=["second"])
    sink.report("POT2001", "/b", name="x")
    assert [(d.place.pointer, d.helps) for d in sink.diagnostics()] == [("/a", ("first",)), ("/b", ())]
    assert len(sink) == 3


def test_errors_are_kept_before_warnings_and_the_rest_is_counted() -> None:
    """[LIMIT-DIAGNOSTICS] [DIAG-LIST-1]"""
    document = Document.from_value([0] * 400)
    sink = Sink(document)
    for i in range(150):
        sink.report("POT2004", f"/{i}", name=f"w{i}", hidden="a constant")
    for i in range(90):
        sink.report("POT2001", f"/{200 + i}", name=f"e{i}")
    found = sink.diagnostics()
    assert len(found) == 101
    assert [d.severity for d in found].count(Severity.ERROR) == 90
    assert [d.place.pointer for d in found[:10]] == [f"/{i}" for i in range(10)]
    assert found[-1].code == "POT0005"
    assert found[-1].message == "140 more diagnostics are not shown"
    assert not sink.is_full


def test_a_hopeless_input_costs_no_memory() -> None:
    """[LIMIT-DIAGNOSTICS]"""
    sink = Sink()
    for i in range(10_200):
        sink.report("POT2001", f"/{i}", name="x")
    sink.report("POT2004", "/0", name="x", hidden="y")
    assert sink.is_full
    assert sink.diagnostics()[-1].message == "10101 more diagnostics are not shown"


def test_only_errors_are_errors() -> None:
    """[DIAG-SEV-1]"""
    sink = Sink()
    sink.report("POT2004", "", name="x", hidden="y")
    assert not sink.has_errors
    sink.report("POT2004", "", name="x", hidden="y", severity=Severity.ERROR)
    assert sink.has_errors


def test_unknown_codes_and_missing_fields_are_bugs() -> None:
    with pytest.raises(KeyError):
        Sink().report("POT0999", "")
    with pytest.raises(KeyError):
        Sink().report("POT2001", "")


@given(st.text(), st.text())
def test_user_text_is_one_visible_line(name: str, note: str) -> None:
    """[DIAG-TEXT-2]"""
    sink = Sink()
    label = Label(Place("/b"), note)
    sink.report("POT2001", "/a", name=name, primary=note, notes=[note], helps=[note], labels=[label])
    (found,) = sink.diagnostics()
    for text in (found.message, *found.notes, *found.helps, *(label.message for label in found.labels)):
        assert text.isprintable()


def test_braces_and_escapes_in_names() -> None:
    """[DIAG-TEXT-2]"""
    sink = Sink()
    sink.report("POT2001", "", name="{0}{x!r}\x1b[31m\u202e\n%s")
    assert sink.diagnostics()[0].message == "`{0}{x!r}\\u001b[31m\\u202e\\n%s` is not declared"


def test_long_names_are_shortened_in_the_middle() -> None:
    """[DIAG-TEXT-2]"""
    assert shorten("a" * 50 + "b" * 50, 10) == "aaaaaa…bbb"
    assert len(shown("x" * 10_000)) == 60
    assert shown(["a"] * 15) == "a, " * 12 + "… 3 more"
    assert visible("é☃😀 plain") == "é☃😀 plain"
    sink = Sink()
    sink.report("POT2001", "", name="n" * 100_000)
    assert len(sink.diagnostics()[0].message) < 200


def test_the_first_import_is_light() -> None:
    heavy = "{'z3','cvc5','pysmt','lark','jsonschema','rich','click','hypothesis','importlib.resources'}"
    code = f"import sys, potlang.diag, potlang.reading.json_text; print(sorted({heavy} & set(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"
