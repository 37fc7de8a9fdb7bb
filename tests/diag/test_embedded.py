"""[DIAG-PLACE-1], [DIAG-FIX-1]: places and fixes of a JSON text inside another text."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from potlang.diag import Applicability, Fix, Patch, Place, Replace, Sink
from potlang.diag.fixes import apply_fixes
from potlang.reading.embedded import EmbeddedDocument
from potlang.source import Document

VALUE = {"a": ["x é\n", {"b c": 1}], "d": "w"}


def embedded(before: str, indent: int | None = None) -> tuple[str, EmbeddedDocument]:
    """A host in which the JSON stands behind some text, and the JSON as a document of its own."""
    text = json.dumps(VALUE, indent=indent)
    return f"{before}{text} after it", EmbeddedDocument(Document.from_str(text), len(before))


@given(st.text(max_size=20), st.sampled_from([None, 2]))
def test_places_are_those_of_the_host(before: str, indent: int | None) -> None:
    host, inner = embedded(before, indent)
    parts = {
        Place("/d"): '"w"',
        Place("/a/1/b c"): "1",
        Place("/a/1/b c", on_key=True): '"b c"',
        Place("/a/0", (2, 3)): "\\u00e9",
        Place("/a/0", (3, 4)): "\\n",
    }
    for place, expected in parts.items():
        moved = inner.place(place)
        assert moved.pointer == "" and moved.span is not None
        assert host[slice(*moved.span)] == expected


@given(st.text(alphabet='ab {["\n', max_size=12))
def test_fixes_repair_the_host_and_keep_what_is_around(before: str) -> None:
    host, inner = embedded(before)
    edits = (Replace("/d", 0, 1, "new"), Patch("remove", "/a/0"))
    fixed = apply_fixes(host, [Fix("both", Applicability.SAFE, inner.edits(edits))])
    assert fixed.startswith(before) and fixed.endswith(" after it")
    value = json.loads(fixed[len(before) : -len(" after it")])
    assert value == {"a": [{"b c": 1}], "d": "new"}


def test_a_fix_that_does_not_apply_is_left_out_of_the_diagnostic() -> None:
    host, inner = embedded("solution: ")
    sink = Sink(inner.document)
    good = Fix("good", Applicability.SAFE, (Patch("replace", "/d", 5),))
    bad = Fix("bad", Applicability.SAFE, (Replace("/a", 0, 1, "z"),))
    sink.report("POT1005", "/d", span=(0, 1), fixes=[good, bad], escape="x")
    moved = inner.diagnostic(sink.diagnostics()[0])
    assert [fix.title for fix in moved.fixes] == ["good"]
    assert moved.place.span == (host.index('"w"') + 1, host.index('"w"') + 2)
