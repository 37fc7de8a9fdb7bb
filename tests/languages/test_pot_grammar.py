"""What each form of the expression language is read as."""

from __future__ import annotations

import pytest
from surface_dump import dump

from potlang.diag.sink import Sink
from potlang.expressions.expression import parse_expression

CASES = [
    # names and literals
    ("alice", "alice"),
    ("_", "_"),
    ("größe", "größe"),
    ("नमस्ते(x)", "(नमस्ते x)"),
    ("`hard hat`", "`hard hat`"),
    ("`a``b`", "`a`b`"),
    ("android or inn", "(or android inn)"),
    ("12", "12"),
    ("2.50", "2.50"),
    (".5", ".5"),
    ("1e-3 + 1E5", "(+ 1e-3 1E5)"),
    ("#b0101", "#b0101"),
    ("#xfF", "#xfF"),
    (r"""'it\'s' == "a\"b\n" """, """(== "it's" 'a"b\\n')"""),
    (r"'\u00e9' == '\ud83d\ude00'", "(== 'é' '😀')"),
    # calls
    ("f()", "(f)"),
    ("f(a, b,)", "(f a b)"),
    ("f (a)", "(f a)"),
    ("g(x)(y)", "((g x) y)"),
    ("(f)(x)", "(f x)"),
    ("And([p, q])", "(And (list p q))"),
    ("Distinct({a, b})", "(Distinct (list a b))"),
    ("f((a, b), (c))", "(f (list a b) c)"),
    ("f([], {}, (a,))", "(f (list) (list) (list a))"),
    # precedence and association
    ("a -> b -> c", "(-> a (-> b c))"),
    ("a <-> b <-> c", "(<-> (<-> a b) c)"),
    ("a <-> b -> c or d and not e", "(<-> a (-> b (or c (and d (not1 e)))))"),
    ("a and b and c", "(and a b c)"),
    ("(a and b) and c", "(and (and a b) c)"),
    ("a and (b and c)", "(and a (and b c))"),
    ("not a == b", "(not1 (== a b))"),
    ("not not a", "(not1 (not1 a))"),
    ("a or b == c", "(or a (== b c))"),
    ("a + b * c", "(+ a (* b c))"),
    ("a + b + c - d", "(- (+ a b c) d)"),
    ("a - b - c", "(- (- a b) c)"),
    ("a / b // c % d", "(% (// (/ a b) c) d)"),
    ("-x ** 2", "(-1 (** x 2))"),
    ("2 ** 3 ** -1", "(** 2 (** 3 (-1 1)))"),
    ("a * -b", "(* a (-1 b))"),
    ("3/4", "(/ 3 4)"),
    ("f(x)(y) ** 2", "(** ((f x) y) 2)"),
    # comparison and membership
    ("0 <= x < 5", "(<= < 0 x 5)"),
    ("a == b == c", "(== == a b c)"),
    ("(a == b) == c", "(== (== a b) c)"),
    ("a ≤ b ≥ c ≠ d", "(<= >= != a b c d)"),
    ("a == b or a == c", "(or (== a b) (== a c))"),
    ("a in [b, c]", "(in a (list b c))"),
    ("a in {b}", "(in a (list b))"),
    ("a in (b, c)", "(in a (list b c))"),
    ("a in (s)", "(in a s)"),
    ("a not in s and p", "(and (not-in a s) p)"),
    ("not a in s", "(not1 (in a s))"),
    ("a<-b", "(< a (-1 b))"),
    # signs
    ("p ∧ ¬q ∨ r → s ↔ t", "(<-> (-> (or (and p (not1 q)) r) s) t)"),
    ("p ∧ q and r", "(and p q r)"),
    # binders
    ("ForAll([x, y], p)", "(ForAll (list x y) p)"),
    ("ForAll(x, p(x))", "(ForAll x (p x))"),
    ("ForAll(x: Person, p(x))", "(ForAll (: x Person) (p x))"),
    ("Exists([x: Set(T), y], p)", "(Exists (list (: x (Set T)) y) p)"),
    ("Exists((x: T), p)", "(Exists (list (: x T)) p)"),
    ("Exists([{'name': 'p', 'sort': 'Person'}], q)", "(Exists (list (: p Person)) q)"),
    ("""Exists([{"sort": "Array(Int, T)", "name": "p"},], q)""", "(Exists (list (: p (Array Int T))) q)"),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text for text, _ in CASES])
def test_expressions(text: str, expected: str) -> None:
    sink = Sink()
    assert dump(parse_expression(text, "/x", sink)) == expected
    assert not len(sink)


def spans(text: str) -> str:
    return dump(parse_expression(text, "/x", Sink()), spans=True)


def test_spans_cover_the_whole_of_each_part() -> None:
    assert spans("f(a, b)") == "(call@0:7 f@0:1 a@2:3 b@5:6)"
    assert spans("(a) + b") == "(+@0:7 a@1:2 b@6:7)"
    assert spans("f((a or b))") == "(call@0:11 f@0:1 (or@3:9 a@3:4 b@8:9))"
    assert spans("x not in [a]") == "(not-in@0:12 x@0:1 (list@9:12 a@10:11))"
    assert spans("a and b and c") == "(and@0:13 a@0:1 b@6:7 c@12:13)"
    assert (
        spans("F([{'name': 'p', 'sort': 'T'}])") == "(call@0:31 F@0:1 (list@2:30 (:@3:29 p@13:14 T@26:27)))"
    )
