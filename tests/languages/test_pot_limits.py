"""Hostile input ends in a diagnostic: deep, long, or nonsense."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from strategies_pot import any_text

import potlang
from potlang.diag.sink import Sink
from potlang.expressions.expression import parse_expression, parse_sort
from potlang.languages.pot.read.reader import read_program

N = 10_000


def codes(text: str) -> list[str]:
    sink = Sink()
    tree = parse_expression(text, "/x", sink)
    found = [diagnostic.code for diagnostic in sink.diagnostics()]
    assert (tree is None) == bool(found)
    return found


@given(any_text())
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_text_gives_a_tree_or_errors_with_places_inside_it(text: str) -> None:
    for parse in (parse_expression, parse_sort):
        sink = Sink()
        tree = parse(text, "/x", sink)
        diagnostics = sink.diagnostics()
        assert (tree is None) == bool(diagnostics)
        for diagnostic in diagnostics:
            start, end = diagnostic.place.span or (0, 0)
            assert 0 <= start <= end <= len(text)


@pytest.mark.parametrize(
    "text",
    [
        "(" * N + "x" + ")" * N,
        "f(" * N + "x" + ")" * N,
        "[" * N,
        "not " * N + "p",
        "¬" * N + "p",
        "-" * N + "1",
        " -> ".join(["p"] * N),
        " ** ".join(["2"] * N),
        " - ".join(["x"] * N),
        " <-> ".join(["p"] * N),
        " + ".join(["x - y"] * N),
        "f" + "(x)" * N,
    ],
    ids=lambda text: text[:9].strip(),
)
def test_deep_nesting_is_an_error(text: str) -> None:
    """[LIMIT-EXPRESSION]"""
    assert codes(text) == ["POT0003"]


@pytest.mark.parametrize(("depth", "found"), [(64, []), (65, ["POT0003"])])
@pytest.mark.parametrize("around", ["SetSort({})", "ArraySort({}, Int)", "ArraySort(Int, {})"])
def test_sorts_nest_at_most_64_levels(around: str, depth: int, found: list[str]) -> None:
    sort = "Int"
    for _ in range(depth):
        sort = around.format(sort)
    program = {"constants": {"c": {"sort": sort, "members": ["c"]}}}
    assert sorted({each.code for each in potlang.check(program).diagnostics}) == found


@pytest.mark.parametrize("depth", [990, 999])
def test_nesting_below_the_limit_is_read(depth: int) -> None:
    """[LIMIT-EXPRESSION]"""
    assert codes("f(" * depth + "x" + ")" * depth) == []
    assert codes(" -> ".join(["p"] * depth)) == []


@pytest.mark.parametrize("operator", [" and ", " or ", " + ", " * ", " < ", ", "])
def test_long_flat_runs_are_no_nesting(operator: str) -> None:
    assert codes("And(" + operator.join(["x"] * N) + ")") == []


def test_numerals_and_names_have_limits() -> None:
    """[LIMIT-NUMERAL] [LIMIT-NAME]"""
    assert codes("9" * 10_000 + " == x") == []
    assert codes("9" * 10_001 + " == x") == ["POT0004"]
    assert codes("x == 1e999999999999999999") == ["POT0004"]
    assert codes("x == 1e-20000") == ["POT0004"]
    assert codes("a" * 10_000) == []
    assert codes("f(" + "a" * 10_001 + ")") == ["POT0007"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "(" * 200_000,
        ")" * 200_000,
        "∀x " * 60_000,
        "f(a b), " * 20_000,
        '"\\' * 100_000,
        "'" * 200_001,
        "=" * 200_000,
        "x" * 200_000,
        "1_" * 100_000,
        "@" * 200_000,
        "“" * 200_000,
        "(a b) " * 30_000,
        "`" * 200_001,
    ],
    ids=lambda text: text[:6],
)
def test_long_nonsense_are_rejected_in_time(text: str) -> None:
    assert codes(text)


@pytest.mark.slow
def test_a_hundred_thousand_flat_facts_are_read_in_time() -> None:
    facts = [
        f"likes(person{i}, item{i % 97})" if i % 3 else f"age(person{i}) == {i % 80}" for i in range(100_000)
    ]
    text = json.dumps({"knowledge_base": facts})
    sink = Sink()
    module = read_program(json.loads(text), sink)
    assert module is not None
    assert len(module.facts) == 100_000
    assert not len(sink)


def test_a_very_long_expression_with_a_mistake_gets_one_report_with_its_place() -> None:
    text = " + ".join(["a"] * 60_000) + " + == 1"
    sink = Sink()
    assert parse_expression(text, "/x", sink) is None
    (found,) = sink.diagnostics()
    assert found.code == "POT1020"
    assert found.place.span == (text.index("=="), text.index("==") + 2)
