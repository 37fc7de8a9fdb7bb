"""The table parser against Lark, the short cut against the table parser, the tables against the grammar."""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from lark import Token, Tree, UnexpectedInput
from strategies_pot import any_text, damaged, expressions, literals, simple_expressions
from surface_dump import dump

from potlang.expressions.actions import ACTIONS, StringReading
from potlang.expressions.build_tables import FOLDER, files, lark_parser
from potlang.expressions.fast import fast_expression
from potlang.expressions.flat import flat_literal
from potlang.expressions.parser import parse_tokens
from potlang.expressions.surface import Expr
from potlang.expressions.tables import tokenize

QUICK = settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))


@cache
def lark() -> Any:
    return lark_parser()


def by_lark(text: str) -> Expr | None:
    """The tree that Lark's own parser gives with our actions."""
    try:
        root = lark().parse(text, start="expression")
    except UnexpectedInput:
        return None
    reading = StringReading("/x")
    done: dict[int, Any] = {}
    for tree in root.iter_subtrees():
        places = [
            (done[id(child)], child.meta.start_pos, child.meta.end_pos)
            if isinstance(child, Tree)
            else (str(child), child.start_pos, child.end_pos)
            for child in tree.children
        ]
        values, starts, ends = (list(column) for column in zip(*places, strict=True))
        done[id(tree)] = ACTIONS[tree.data](reading, values, starts, ends)
    assert not isinstance(root, Token)
    return None if reading.faults else done[id(root)]


def by_tables(text: str) -> Expr | None:
    reading = StringReading("/x")
    stop = parse_tokens(tokenize(text), "expression", reading)
    return stop.value if stop.reason == "accepted" and not reading.faults else None


def test_the_tables_are_those_of_the_grammar() -> None:
    for name, text in files().items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text


@given(any_text())
@example("a -> b -> c")
@example("(a + b) + c + d")
@example("f(x)(y)")
@QUICK
def test_the_table_parser_is_larks(text: str) -> None:
    assert dump(by_tables(text), spans=True) == dump(by_lark(text), spans=True)


@given(any_text())
@example("a <-> b")
@example("not (a)")
@example("f(a) (b)")
@example("[a]")
@example("f(a == b == c)")
@example("in == 3")
@example("1.5.2")
@example("f([a] == b)")
@example("a + b + c - d + e == f(x - 1 + y) + 2")
@example("a -> b")
@example("a <- b")
@example("a + -b")
@example("a - b -> c")
@example("f([a] + b)")
@example("f(a + [b])")
@example("f(a, b + c < d, e)")
@QUICK
def test_where_the_short_cut_answers_the_grammar_agrees(text: str) -> None:
    tree = fast_expression(text)
    if tree is not None:
        assert dump(tree, spans=True) == dump(by_tables(text), spans=True)


@given(damaged(simple_expressions()))
@QUICK
def test_the_short_cut_accepts_nothing_that_the_grammar_rejects(text: str) -> None:
    if by_tables(text) is None:
        assert fast_expression(text) is None


@given(st.one_of(literals(), damaged(literals()), any_text()))
@example("p(a, b)")
@example("Not(f(a,b) == 007)")
@example("Not(p(a)) == q")
@example("p(in)")
@example("f(a) == ٣")
@QUICK
def test_what_is_told_to_be_a_literal_is_one(text: str) -> None:
    """By the grammar, and its words are those of the text."""
    literal = flat_literal(text, "/x")
    if literal is not None:
        assert literal.root is not None
        assert dump(literal.root, spans=True) == dump(by_tables(text), spans=True)
        negation, name, names, right = literal.words
        atom = f"{name}({names})" + (f" == {right}" if right else "")
        assert text == (f"{negation}({atom})" if negation else atom)


def test_literals_are_told() -> None:
    texts = ["p(a, b)", "Not(p(größe))", "f(a,b) == 3", "Not(f(a) == b)", "p(And)", "p( a)", "p(a) ", "p(in)"]
    assert [flat_literal(text, "") is not None for text in texts] == [True] * 5 + [False] * 3


@given(simple_expressions())
@QUICK
def test_the_short_cut_reads_the_simple_kind(text: str) -> None:
    assert fast_expression(text.strip()) is not None


@given(expressions())
@QUICK
def test_generated_expressions_are_accepted(text: str) -> None:
    assert by_tables(text) is not None
