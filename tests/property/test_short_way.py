"""Literals and calls known by their words give what their trees give: module and diagnostics."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from hypothesis import strategies as st
from property_support import both

from potlang.diag import Diagnostic, Sink
from potlang.expressions import surface as s
from potlang.expressions.actions import StringReading
from potlang.expressions.parser import parse_tokens
from potlang.expressions.tables import tokenize
from potlang.ir.text import print_module
from potlang.languages.pot.read.reader import read_program
from potlang.sema import build_module
from potlang.source import Document

DECLARATIONS: dict[str, Any] = {
    "sorts": [
        {"name": "S", "type": "DeclareSort"},
        {"name": "C", "type": "EnumSort", "values": ["red", "ß"]},
    ],
    "functions": [
        {"name": "p", "domain": ["S"], "range": "Bool"},
        {"name": "größe", "domain": ["S", "C"], "range": "Bool"},
        {"name": "f", "domain": ["S"], "range": "Int"},
        {"name": "r", "domain": ["Int"], "range": "Real"},
        {"name": "g", "domain": ["S"], "range": "S"},
        {
            "name": "d",
            "domain": ["S"],
            "range": "Bool",
            "params": [{"name": "v", "sort": "S"}],
            "body": "p(v)",
        },
        {"name": "n", "domain": [], "range": "Int"},
    ],
    "constants": {
        "s": {"sort": "S", "members": ["a", "b", "in", "hard hat"]},
        "t": {"sort": "Bool", "members": ["q"]},
        "i": {"sort": "Int", "members": ["k"]},
        "h": {"sort": "FunctionSort(S, Bool)", "members": ["h"]},
        "broken": {"sort": "Nowhere", "members": ["lost"]},
    },
    "variables": [{"name": "x", "sort": "S"}],
}
BROKEN = {"name": "broken", "domain": ["Nowhere"], "range": "Bool"}
NOT_DECLARED = {"name": "Not", "domain": ["Bool"], "range": "Bool"}

HEADS = st.sampled_from(
    ["p", "größe", "f", "g", "r", "d", "h", "n", "a", "Not", "And", "unknown", "not", "x"]
)
TERMS = st.sampled_from(
    ["a", "b", "red", "ß", "x", "y", "k", "q", "True", "nobody", "lost", "in", "n", "p", "3"]
)
VALUES = st.sampled_from(["3", "007", "k", "a", "red", "q", "True", "2.5", "1e2", "x", "n", "nobody", "in"])
COMMAS = st.sampled_from([", ", ", ", ",", ",  ", " ,"])


GOOD = st.sampled_from(
    [
        "p(a)",
        "p(b)",
        "größe(a, red)",
        "größe(b,ß)",
        "d(b)",
        "h(a)",
        "p(x)",
        "p(g(a))",
        "q",
        "r(3) == 3",
        "f(a) == 3",
        "f(b) == 007",
        "f(a) == k",
        "g(b) == a",
        "p(b) == q",
        "f(a) < f(b)",
        "r(k) == 2.5",
    ]
)
NEARLY = st.sampled_from(
    [
        "f(a)",
        "g(a)",
        "p(red)",
        "größe(a)",
        "p(k)",
        "p(nobody)",
        "n(a)",
        "unknown(a)",
        "p(lost)",
        "a(b)",
        "broken(a)",
        "f(a) == red",
        "p(a) == 3",
        "r(k) == 3",
        "f(a) == nobody",
        "f(a) == x",
        "p(in)",
        "g(a) == f(b)",
    ]
)


@st.composite
def calls(draw: st.DrawFn) -> str:
    """Often ill-sorted, sometimes misspelt."""
    return f"{draw(HEADS)}({draw(COMMAS).join(draw(st.lists(TERMS, min_size=1, max_size=3)))})"


@st.composite
def literals(draw: st.DrawFn, good: bool) -> str:
    if good or draw(st.booleans()):
        text = draw(GOOD)
        return f"Not({text})" if draw(st.booleans()) else text
    text = draw(st.one_of(NEARLY, calls()))
    if draw(st.booleans()):
        operator = draw(st.sampled_from([" == ", " == ", "==", " != ", " < "]))
        text += operator + draw(st.one_of(VALUES, calls()))
    return f"Not({text})" if draw(st.booleans()) else text


@st.composite
def formulas(draw: st.DrawFn, good: bool) -> str:
    """Literals, alone, in connectives and under quantifiers, a few with a character too many or too few."""
    form = draw(st.sampled_from(["%", "%", "%", "And(%, %)", "Implies(%,%)", "ForAll([x], %)", "% or %"]))
    text = "".join(
        part if part != "%" else draw(literals(good)) for part in form.replace("%", "\0%\0").split("\0")
    )
    if not good and draw(st.integers(0, 9)) == 0:
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.sampled_from(["", "(", ")", " ", ",", "\n", "\u0301"])) + text[at + 1 :]
    return text


@st.composite
def programs(draw: st.DrawFn) -> dict[str, Any]:
    """Programs of which about half are good."""
    good = draw(st.booleans())
    sorts = st.just("S") if good else st.sampled_from(["S", "C"])
    rules = [
        {
            "forall": [{"name": draw(st.sampled_from(["x", "y", "a"])), "sort": draw(sorts)}],
            "implies": {"antecedent": draw(formulas(good)), "consequent": draw(formulas(good))},
        }
        for _ in range(draw(st.integers(0, 2)))
    ]
    found = {
        **DECLARATIONS,
        "knowledge_base": draw(st.lists(formulas(good), max_size=5)),
        "rules": rules,
        "verifications": [{"constraint": draw(formulas(good))}],
    }
    if good or draw(st.booleans()):
        found["constants"] = {key: group for key, group in found["constants"].items() if key != "broken"}
    else:
        found["functions"] = [*found["functions"], BROKEN]
    if draw(st.integers(0, 4)) == 0:
        found["functions"] = [*found["functions"], NOT_DECLARED]
    return found


def with_trees(part: Any) -> Any:
    """A surface tree with the grammar's own tree for each formula."""
    if isinstance(part, s.Formula):
        stop = parse_tokens(tokenize(part.text), "expression", StringReading(part.pointer))
        return s.Formula(part.pointer, part.text, stop.value if stop.reason == "accepted" else None)
    if isinstance(part, list | tuple):
        return [with_trees(each) for each in part]
    if is_dataclass(part) and not isinstance(part, s.SortExpr):
        for field in fields(part):
            setattr(part, field.name, with_trees(getattr(part, field.name)))
    return part


def outcome(program: dict[str, Any], grammar_alone: bool) -> tuple[str | None, list[Diagnostic]]:
    sink = Sink(Document.from_value(program))
    tree = read_program(program, sink)
    assert tree is not None
    module = build_module(with_trees(tree) if grammar_alone else tree, sink)
    return None if module is None else print_module(module), sink.diagnostics()


def check_short_way(program: dict[str, Any]) -> None:
    assert outcome(program, grammar_alone=False) == outcome(program, grammar_alone=True)


test_the_short_way_is_the_ordinary_one, test_the_short_way_is_the_ordinary_one_deeper = both(
    check_short_way, programs(), quick=120
)


def test_both_good_and_bad_facts_are_literals() -> None:
    """The property speaks of literals: some of its texts are, with errors or without."""
    sink = Sink()
    facts = [
        "p(a)",
        "Not(p(nobody))",
        "f(a) == 3",
        "p(a, b)",
        "p( a)",
        "p(in)",
        "p(`a`)",
        "Not(p(a)",
        "p(a) ",
    ]
    tree = read_program({**DECLARATIONS, "knowledge_base": facts}, sink)
    assert tree is not None
    assert [type(fact.formula) is s.FlatLiteral for fact in tree.facts] == [True] * 4 + [False] * 5
