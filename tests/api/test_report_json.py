"""Reports back from JSON: nothing is lost, and what is no report is refused."""

from __future__ import annotations

import json
import types
import typing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seed_programs import ALL, verified

from potlang.diag import Diagnostic
from potlang.diag.model import Applicability, Fix, Label, Patch, Place, Replace, Severity
from potlang.diag.render_json import diagnostic_to_json
from potlang.report import results as model
from potlang.report.from_json import ReportFormatError, report_from_dict
from potlang.report.results import OptimizationResult, ProgramResult, Verdict
from potlang.source import Document

TEXT = st.text(st.characters(exclude_categories=()), max_size=6)
NOWHERE = Document.from_value(None, "<test>")


def values(kind: Any, depth: int = 0) -> st.SearchStrategy[Any]:
    """Values of a type of a report; times as exact as JSON has them, no nesting beyond two."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        kept = [each for each in args if not (each is OptimizationResult and depth > 2)]
        return st.one_of(*(values(each, depth) for each in kept))
    if origin is tuple:
        return st.lists(values(args[0], depth), max_size=2).map(tuple)
    if origin is dict:
        return st.dictionaries(TEXT, values(args[1], depth), max_size=2)
    if origin is typing.Literal:
        return st.sampled_from(args)
    if isinstance(kind, type) and hasattr(kind, "_fields"):
        return records(kind, depth + 1)
    scalars = {
        str: TEXT,
        int: st.integers(),
        bool: st.booleans(),
        float: st.integers(0, 10**9).map(lambda number: round(number / 1000, 3)),
        types.NoneType: st.none(),
    }
    return scalars[kind] if kind in scalars else st.sampled_from(list(kind))


def records(kind: type, depth: int = 0) -> st.SearchStrategy[Any]:
    hints = typing.get_type_hints(kind, localns={"Diagnostic": Diagnostic, **vars(model)})
    apart = ("diagnostics", "located", "certificate") if kind is ProgramResult else ()
    fields = {name: values(each, depth) for name, each in hints.items() if name not in apart}
    return st.fixed_dictionaries(fields).map(lambda given: kind(**given))


@st.composite
def diagnostics(draw: st.DrawFn) -> Diagnostic:
    span = st.none() | st.tuples(st.integers(0, 9), st.integers(10, 19))
    place = st.builds(Place, TEXT, span, st.booleans())
    edit = st.builds(Replace, TEXT, st.integers(0, 9), st.integers(0, 9), TEXT) | st.builds(
        Patch, st.sampled_from(["add", "replace"]), TEXT, st.none() | TEXT, st.none()
    )
    fix = st.builds(Fix, TEXT, st.sampled_from(Applicability), st.lists(edit, max_size=2).map(tuple))
    texts = st.lists(TEXT, max_size=2).map(tuple)
    labels = st.lists(st.builds(Label, place, TEXT), min_size=1, max_size=3).map(tuple)
    fixes = st.lists(fix, max_size=2).map(tuple)
    return draw(
        st.builds(
            Diagnostic,
            st.just("POT2001"),
            st.sampled_from(Severity),
            TEXT,
            labels,
            texts,
            texts,
            fixes,
        )
    )


@settings(max_examples=50)
@given(records(ProgramResult), st.lists(diagnostics(), max_size=2).map(tuple), st.booleans())
def test_a_report_comes_back_as_it_was(
    bare: ProgramResult, found: tuple[Diagnostic, ...], locate: bool
) -> None:
    """[CACHE-VALUE] Through JSON text: the same JSON form for every report; diagnostics stay JSON."""
    located = tuple(diagnostic_to_json(each, NOWHERE) for each in found) if locate else ()
    report = bare._replace(diagnostics=found, located=located)
    again = report_from_dict(json.loads(json.dumps(report.to_dict())))
    assert again.to_dict() == report.to_dict()
    assert again._replace(diagnostics=(), located=()) == bare
    assert len(again.located) == len(found)


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_reports_of_the_seed_programs_come_back(path: Path) -> None:
    value = verified(path).to_dict()
    assert report_from_dict(value).to_dict() == value


@settings(max_examples=50)
@given(records(ProgramResult), st.data())
def test_what_is_no_report_is_refused_with_the_part(report: ProgramResult, data: st.DataObject) -> None:
    """One member missing, added, or of another kind: never a report, never another exception."""
    value = json.loads(json.dumps(report.to_dict()))
    holders = [value, *value["results"], *([value["optimization"]] if value["optimization"] else [])]
    holder = data.draw(st.sampled_from(holders))
    # The one follows from the results, the others are there only where they were asked for.
    name = data.draw(st.sampled_from([key for key in holder if key not in ("paper_answer", "words")]))
    kind = data.draw(st.sampled_from(["missing", "added", "other"]))
    if kind == "missing":
        del holder[name]
    elif kind == "added":
        holder["surplus"] = 1
    else:
        holder[name] = {"no": ["such", 1.5]}
    with pytest.raises(ReportFormatError, match=r"\w"):
        report_from_dict(value)


@pytest.mark.parametrize("value", [None, [], "text", 3, {}, {"potlang": "1"}])
def test_other_values_are_refused(value: object) -> None:
    with pytest.raises(ReportFormatError):
        report_from_dict(value)


def test_nesting_is_bounded() -> None:
    value = ProgramResult(Verdict.ENTAILED).to_dict()
    inner: dict[str, Any] | None = None
    for _ in range(1000):
        outer = ProgramResult(
            Verdict.ENTAILED, optimization=OptimizationResult(model.OptimizationStatus.OPTIMAL)
        )
        inner = {**outer.to_dict()["optimization"], "closed": inner}
    value["optimization"] = inner
    with pytest.raises(ReportFormatError, match="too deeply"):
        report_from_dict(value)
