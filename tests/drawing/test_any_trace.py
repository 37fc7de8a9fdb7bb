"""Whatever a trace is like, its report has a JSON form that fits the schema, a text, and drawings."""

from __future__ import annotations

import json
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from potlang import dot
from potlang.drawing.graph import graph_of
from potlang.drawing.graphviz import graphviz
from potlang.drawing.mermaid import mermaid
from potlang.drawing.svg import svg
from potlang.drawing.trace_page import trace_page
from potlang.languages.dot.write.emit import emit
from potlang.report.results import Limits
from potlang.testing import damaged_traces, traces

ROOT = Path(__file__).parents[2]
SCHEMA = Draft202012Validator(json.loads((ROOT / "schemas" / "dot-report-1.json").read_text("utf-8")))
LIMITS = Limits(check_ms=1_000, total_ms=3_000)
DATA = st.one_of(traces().map(emit), damaged_traces(), st.binary(max_size=60))


def shown(data: bytes) -> None:
    """Verifies a trace and shows its report in every way."""
    report = dot.verify(data, trust="solver", limits=LIMITS)
    value = json.loads(report.to_json())
    assert [error.message for error in SCHEMA.iter_errors(value)] == []
    assert all(each["rule"] for each in value["diagnostics"])
    text = str(report)
    is_bare = value["verdict"] == "accepted" and not value["established"]["holds"]
    last = "well formed, not established" if is_bare else value["verdict"]
    assert text.splitlines()[-1].startswith(last)
    assert not [char for char in text if not char.isprintable() and char != "\n"]
    graph = graph_of(report)
    assert len(graph.vertices) == len(report.nodes)
    ElementTree.fromstring(svg(graph))
    HTMLParser().feed(trace_page(report))
    assert mermaid(graph).count("\n") > len(graph.vertices) + len(graph.lines)
    assert graphviz(graph).count("\n") > len(graph.vertices) + len(graph.lines)


@settings(max_examples=25)
@given(DATA)
def test_reports_on_any_bytes_are_shown(data: bytes) -> None:
    """[FACE-JSON], [FACE-RULE], [VIEW-TEXT]"""
    shown(data)


@pytest.mark.slow
@settings(max_examples=500)
@given(DATA)
def test_reports_on_any_bytes_are_shown_at_length(data: bytes) -> None:
    """[FACE-JSON], [FACE-RULE], [VIEW-TEXT]"""
    shown(data)


def test_programs_are_verified_without_what_traces_take() -> None:
    """Nothing of traces and drawings is imported for a program."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "potlang", "examples/giraffe.json"],
        cwd=ROOT,
        capture_output=True,
        timeout=60,
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert "potlang.cli.answer" in imported
    wrong = (
        *("potlang.dot", "potlang.drawing", "potlang.languages.dot", "potlang.cli.trace", "ply"),
        *("potlang.dagmath", "potlang.languages.dagmath"),
    )
    assert [name for name in sorted(imported) if name.startswith(wrong)] == []
