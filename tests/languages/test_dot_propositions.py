"""The JSON of `@prop`: the hand check and the schema accept the same values, and places are exact."""

from __future__ import annotations

import copy
import json
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from dot_support import HEAD, codes, read, schema
from hypothesis import example, given, settings
from hypothesis import strategies as st

from potlang.diag import Place, Sink
from potlang.languages.dot.read.json_line import json_line
from potlang.languages.dot.read.propositions import FORMULAS, TERMS, check_value
from potlang.reading.json_text import read_json
from potlang.source import Document
from potlang.testing import propositions
from potlang.testing.traces import declarations

Json = Any


def accepts(value: Json) -> bool:
    check_value(value, sink := Sink())
    return not len(sink)


SMALL = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from(
        [0.5, Decimal("1.5"), "", "x", "p", [], {}, ["f"], ["f", 1], ["f", "x", 2], [1, 2], [""]]
    ),
)
KEYS = st.sampled_from([*FORMULAS, *TERMS, "declare", "assume", "domain", "range", "x", "", "xor"])


def values() -> st.SearchStrategy[Json]:
    """JSON values with the words of propositions among them."""
    return st.recursive(
        SMALL,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(KEYS, inner, max_size=2),
            st.builds(lambda key, some: {key: some}, KEYS, st.lists(inner, min_size=1, max_size=3)),
        ),
        max_leaves=8,
    )


@st.composite
def changed(draw: st.DrawFn, base: st.SearchStrategy[Json]) -> Json:
    """A value with one part of it replaced."""
    value = copy.deepcopy(draw(base))
    places: list[tuple[Any, Any]] = []
    stack = [value]
    while stack:
        here = stack.pop()
        keys = list(here) if isinstance(here, dict) else range(len(here)) if isinstance(here, list) else []
        for key in keys:
            places.append((here, key))
            stack.append(here[key])
    if places:
        owner, key = draw(st.sampled_from(places))
        if draw(st.booleans()):
            owner[key] = draw(values())
        elif isinstance(owner, dict):
            owner[draw(KEYS)] = owner.pop(key)
        else:
            del owner[key]
    return value


DECLARATIONS = st.builds(declarations, st.randoms(use_true_random=False))


@settings(max_examples=400)
@given(st.one_of(values(), propositions(), DECLARATIONS, changed(propositions()), changed(DECLARATIONS)))
@example({"forall": [{}, "p"]})
@example({"forall": [{"x": ""}, "p"]})
@example({"declare": {"x": {"domain": [], "range": "Int"}}})
@example({"declare": {"x": {"domain": []}}})
@example({"declare": {"": "Int"}})
@example({"assume": ["p"], "gt": [1, 2]})
@example({"pot": ""})
@example("x" * 10_001)
@example(True)
def test_the_hand_check_accepts_what_the_schema_accepts(value: Json) -> None:
    assert accepts(value) == schema().is_valid(value)


@given(propositions())
def test_what_is_made_is_a_proposition(value: Json) -> None:
    assert accepts(value) and schema().is_valid(value)


def test_each_operator_is_in_the_schema_and_the_other_way_round() -> None:
    parts = schema().schema["$defs"]
    assert set(parts["formula"]["properties"]) == set(FORMULAS)
    assert set(parts["operation"]["properties"]) == set(TERMS)


@pytest.mark.parametrize("role", ["proposer", "critic", "summarizer", "problem"])
def test_the_problem_alone_declares(role: str) -> None:
    data = f'@node id=1 role={role}\n@prop id=1 {{"declare": {{"x": "Int"}}, "assume": []}}\n'
    assert codes(data) == ([] if role == "problem" else ["POT5042"])


@given(st.one_of(propositions(), DECLARATIONS))
def test_places_inside_the_json_are_places_of_the_trace(value: Json) -> None:
    line = json_line(value)
    data = f"@node id=1 role=problem\nÄ\n@node id=2 role=problem\n@prop id=2 {line}\n"
    trace, found = read(data)
    assert found == []
    inner = trace.json_of(trace.props[2])
    stack: list[tuple[str, Json]] = [("", value)]
    while stack:
        pointer, here = stack.pop()
        start, end = inner.place(Place(pointer)).span or (0, 0)
        assert json.loads(data[start:end]) == here
        below = here.items() if isinstance(here, dict) else enumerate(here) if isinstance(here, list) else ()
        stack += [(f"{pointer}/{key}", item) for key, item in below]


@pytest.mark.parametrize(
    ("text", "column", "code"),
    [
        ('{"gt": [4, 2], "gt": [1, 0]}', 27, "POT1004"),
        ('{"gt": [NaN, 2]}', 20, "POT1006"),
        ('{"pot": "\\ud800"}', 21, "POT1005"),
        ("{'gt': [4, 2]}", 13, "POT1001"),
        ('{"gtt": [4, 2]}', 13, "POT5041"),
        ('{"and": ["p", {"lt": [1]}]}', 33, "POT5041"),
        ('{"forall": [{"x": 1}, "p"]}', 30, "POT5041"),
        ("true", 12, "POT5041"),
        ('["p"]', 12, "POT5041"),
        ("[1, 2]", 12, "POT5041"),
    ],
)
def test_what_is_wrong_is_reported_at_its_column(text: str, column: int, code: str) -> None:
    trace, found = read(HEAD + b"@node id=2 role=proposer\n@prop id=2 " + text.encode() + b"\n")
    assert [each.code for each in found] == [code]
    where = trace.document.locate(found[0].place)
    assert where is not None
    assert (where.line, where.column) == (4, column)


@settings(max_examples=200)
@given(values())
def test_the_line_of_a_value_is_its_json(value: Json) -> None:
    line = json_line(value)
    assert "\n" not in line
    document = Document.from_str(line)
    assert read_json(document, sink := Sink()) == value and not len(sink)


@given(propositions(), st.randoms(use_true_random=False))
def test_the_canonical_line_depends_on_the_value_alone(value: Json, random: Random) -> None:
    def shuffled(here: Json) -> Json:
        if isinstance(here, dict):
            items = [(key, shuffled(item)) for key, item in here.items()]
            random.shuffle(items)
            return dict(items)
        return [shuffled(item) for item in here] if isinstance(here, list) else here

    assert json_line(shuffled(value), canonical=True) == json_line(value, canonical=True)


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        ("0.50", "0.5", True),
        ("5e-1", "0.5", True),
        ("1.0", "1", False),
        ("1e2", "100.0", True),
        ("-0.0", "0.0", True),
    ],
)
def test_numbers_in_the_canonical_line(a: str, b: str, equal: bool) -> None:
    """[DOT-CANON-1]"""
    lines = []
    for text in (a, b):
        value = read_json(Document.from_str(text), Sink())
        lines.append(json_line(value, canonical=True))
    assert (lines[0] == lines[1]) == equal


def test_long_and_deep_values() -> None:
    deep: Json = "p"
    for _ in range(400):
        deep = {"not": deep}
    assert accepts(deep)
    assert json_line(deep).count("not") == 400
    assert accepts({"and": ["p"] * 100_000})


def test_nesting_is_bounded_whatever_else_the_text_has() -> None:
    """[LIMIT-JSON]: one more level than the limit is refused with and without an escape."""
    for name in ("p", "\\ud83d\\ude00"):
        for depth, expected in ((512, []), (513, ["POT0003"])):
            text = '{"not":' * depth + f'"{name}"' + "}" * depth
            assert codes(f"@node id=1 role=problem\n@prop id=1 {text}") == expected


def test_long_numbers_are_refused_with_a_point_and_an_exponent_too() -> None:
    """[LIMIT-NUMERAL]"""
    number = "1." + "0" * 9_990 + "e99999999"
    assert codes(f'@node id=1 role=problem\n@prop id=1 {{"gt": [{number}, 1]}}') == ["POT0004"]
