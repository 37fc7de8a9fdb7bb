"""Formulas of the IR as the JSON of a `@prop`: reading it gives the formula again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

import potlang
import potlang.dot
from potlang.ir.nodes import App, Node, Symbol, reachable
from potlang.ir.text import IrPrinter
from potlang.languages.dot.read.json_line import json_line
from potlang.languages.dot.write.from_ir import proposition_json
from potlang.sema.emit import Writer
from potlang.testing import programs


def _text(formula: Node) -> str:
    """The text of a formula without names of variables."""
    heads = [
        node.op if isinstance(node, App) else getattr(node, "symbol", None) for node in reachable(formula)
    ]
    symbols = list(dict.fromkeys(head for head in heads if isinstance(head, Symbol)))
    return IrPrinter.of(symbols, canonical=True).root(formula)[1]


def _check(source: dict[str, Any]) -> None:
    """Each formula of a program, written as JSON, reads as what its PoT expression reads as."""
    module = potlang.compile(source).module
    closed = [claim for claim in module.claims if not claim.find]
    writer = Writer(module)
    lines: list[str] = []
    for formula in [each.formula for each in (*module.assertions, *closed)]:
        for json in (proposition_json(formula, writer), {"pot": writer.term(formula)}):
            node = len(lines)
            lines.append(f"@node id={node} role=proposer\n@prop id={node} {json_line(json)}")
    checked = potlang.dot.check("\n".join(lines) or "@node id=1 role=critic", theory=source)
    assert not [each.message for each in checked.diagnostics if each.severity == "error"], lines
    stated = checked.propositions.stated
    for node in range(0, len(lines), 2):
        assert _text(stated[node]) == _text(stated[node + 1]), lines[node]


@settings(max_examples=25)
@given(programs())
def test_what_is_written_reads_as_the_same_formula(source: dict[str, Any]) -> None:
    """[DOT-PROP-3]."""
    _check(source)


@pytest.mark.slow
@settings(max_examples=1_000)
@given(programs(depth=4))
def test_what_is_written_reads_as_the_same_formula_deeply(source: dict[str, Any]) -> None:
    """[DOT-PROP-3]."""
    _check(source)


def _json(text: str) -> Any:
    source = {
        "sorts": [{"name": "C", "type": "EnumSort", "values": ["red", "not so red"]}],
        "functions": [{"name": "f", "domain": ["Bool"], "range": "C"}],
        "constants": {"I": {"sort": "Int", "members": ["x", "a b"]}, "R": {"sort": "Real", "members": ["y"]}},
        "verifications": [{"name": "claim", "constraint": text}],
    }
    module = potlang.compile(source).module
    return proposition_json(module.claims[0].formula, Writer(module))


@pytest.mark.parametrize(
    ("text", "json"),
    [
        ("x != `a b` + 1", {"ne": ["x", {"add": ["a b", 1]}]}),
        (
            "-x * 2 <= If(x == 1, 2, 3)",
            {"le": [{"mul": [{"neg": "x"}, 2]}, {"ite": [{"eq": ["x", 1]}, 2, 3]}]},
        ),
        ("f(x == 1) == `not so red`", {"pot": "(f((x == 1)) == `not so red`)"}),
        ("f(True) == red", {"pot": "(f(True) == red)"}),
        ("y == 1/3", {"pot": "(y == (1/3))"}),
        ("True", {"pot": "True"}),
        ("Exists([i: Int], i > x)", {"exists": [{"i": "Int"}, {"lt": ["x", "i"]}]}),
    ],
)
def test_forms(text: str, json: Any) -> None:
    assert _json(text) == json


def test_decimals_keep_their_point() -> None:
    assert [str(each) for each in _json("y == 2.5")["eq"]] == ["y", "2.5"]
    assert [str(each) for each in _json("y == 2.0")["eq"]] == ["y", "2.0"]
    assert _json("y == 1/1073741824").keys() == {"pot"}


def test_deep_formulas_are_expressions() -> None:
    assert _json("Not(x == 1 and " * 90 + "x == 2" + ")" * 90).keys() == {"pot"}
