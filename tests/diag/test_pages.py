"""The pages of groups 0 and 1: the failing example yields its code, the corrected one no error."""

from __future__ import annotations

import re

import pytest

from potlang.diag import CODES, Severity, Sink
from potlang.diag.explain import codes, normal_code, page
from potlang.languages.pot.read.reader import read_program
from potlang.reading.json_text import open_document, read_json

READING = [code for code in CODES if code < "POT2"]
NEEDS_SORTS = {"POT0008"}
FENCE = re.compile(r"^## (Fails|Corrected)\n\n```(json|text)\n(.*?)\n?```$", re.DOTALL | re.MULTILINE)


def found(text: str) -> dict[str, Severity]:
    sink = Sink()
    value = read_json(open_document(text, sink), sink)
    if value is not None:
        read_program(value, sink)
    return {d.code: d.severity for d in sink.diagnostics()}


@pytest.mark.parametrize("code", READING)
def test_page(code: str) -> None:
    text = page(code)
    assert text is not None
    assert text.startswith(f"# {code}: ")
    examples = {heading: (kind, body) for heading, kind, body in FENCE.findall(text)}
    assert set(examples) == {"Fails", "Corrected"}
    if "<!-- not run: " in text:
        assert {kind for kind, _ in examples.values()} == {"text"}
        return
    assert code in NEEDS_SORTS or list(found(examples["Fails"][1])) == [code]
    assert found(examples["Corrected"][1]) == {}


def test_every_page_belongs_to_a_code() -> None:
    assert codes() == list(CODES)
    assert [code for code in codes() if page(code)][: len(READING)] == READING
    assert page("POT0999") is None
    assert page("../POT1001") is None


def test_codes_may_be_given_in_any_spelling() -> None:
    for spelling in ("POT1001", "pot1001", "1001", " Not-JSON "):
        assert normal_code(spelling) == "POT1001"
    assert normal_code("nothing") is None
