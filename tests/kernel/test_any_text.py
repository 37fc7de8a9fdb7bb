"""Any two texts have an outcome: never an exception, never a hang; and what potlang prints is read."""

from __future__ import annotations

import json
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_support import certificate, program
from strategies.formulas import modules
from test_certificate_mutations import ACCEPTED, TOKEN
from test_statements import PROGRAM, UNKNOWN

from potlang.certify import check, read_theory
from potlang.certify.tokens import Invalid
from potlang.ir.module import Module
from potlang.ir.text import print_module

PIECES = list(dict.fromkeys(TOKEN.findall("\n".join([*ACCEPTED.values(), PROGRAM]))))
PIECES += [
    "%0",
    "@0",
    "@99",
    "?x.0",
    "-",
    "-0",
    "1/0",
    '"\\ud800"',
    '"',
    "(",
    ")",
    "\n",
    "\r",
    "\x00",
    "🦒",
    "1e9",
    "_",
]
texts = st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join) | st.text(max_size=200)


def outcome_of(text: str, of: str) -> str:
    found = check(text, of, most_steps=100_000)
    assert "cannot be checked" not in found.message, (text, of)
    assert "\n" not in found.message
    assert (found.line is None) == (found.status != "INVALID" or found.message.startswith("the program"))
    return found.status


@given(texts, texts)
@settings(max_examples=200)
def test_any_texts_have_an_outcome(text: str, of: str) -> None:
    """[CERT-OUTCOME]"""
    assert outcome_of(text, of) == "INVALID"
    assert outcome_of(text, PROGRAM) == "INVALID"
    outcome_of(certificate(PROGRAM, *text.split("\n"), *UNKNOWN), PROGRAM)


@given(st.lists(texts, max_size=3), st.integers(0, 30))
@settings(max_examples=200)
def test_any_line_of_a_program_is_read_or_refused(lines: list[str], place: int) -> None:
    """[CERT-OUTCOME]"""
    known = PROGRAM.split("\n")
    of = "\n".join([*known[:place], *lines, *known[place + len(lines) :]])
    outcome_of("(potlang-certificate 1)", of)


@pytest.mark.parametrize("name", ACCEPTED)
def test_damaged_certificates_have_an_outcome(name: str) -> None:
    """[CERT-OUTCOME] Characters dropped, doubled, changed, and text cut off."""
    draw = random.Random(5)
    text = ACCEPTED[name]
    for _ in range(150):
        at, to = sorted(draw.sample(range(len(text)), 2))
        piece = draw.choice(PIECES)
        for damaged in (
            text[:at],
            text[:at] + piece + text[at + 1 :],
            text[:at] + text[to:],
            text[:to] + text[at:],
        ):
            outcome_of(damaged, PROGRAM)


@given(modules(depth=4))
@settings(max_examples=40)
def test_what_is_printed_is_read(module: Module) -> None:
    """[CERT-KERNEL] Two readers, one text: roots, sorts and symbols are those of the module."""
    theory = read_theory(print_module(module))
    assert list(theory.assertions) == [assertion.key for assertion in module.assertions]
    claims = [key for key, question in theory.questions.items() if question.kind == "claim"]
    assert claims == [claim.key for claim in (*module.claims, *module.norms)]
    assert list(theory.sorts.named) == [sort.name for sort in module.sorts]


# --- programs that are refused ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["(sort S)", "(sort S)"], "declared twice"),
        (["(enum E)"], "empty"),
        (['(enum E "a" "a")'], "repeats a name"),
        (["(tuple T (x Int Int))"], "group of two"),
        (['(tuple T ("x" T))'], "unknown or malformed sort"),
        (['(declare constant "c" () (BitVec 0))'], "malformed sort"),
        (['(declare constant "c" () (BitVec 9999999999))'], "malformed sort"),
        (['(declare constant "c" () (Set Int Int))'], "malformed sort"),
        (['(declare thing "c" () Int)'], "not a 'thing'"),
        (['(declare constructor "c" () Int)'], "not a 'constructor'"),
        (['(tuple T ("x" Int))', '(use selector "y" (T) Int)'], "not a 'selector'"),
        (['(tuple T ("x" Int))', '(use constructor "T" (Bool) T)'], "not a 'constructor'"),
        (['(declare constant "c" () Int)'] * 2 + ['(assert "a" "" fact (= c c))'], "ambiguous"),
        (['(assert "a" "" fact true)', '(assert "a" "" fact true)'], "occurs twice"),
        (['(claim "a" "" () true)', '(norm "a" "" () true)'], "occurs twice"),
        (['(assert "a" "" fact 1)'], "not a formula"),
        (['(assert "a" "" fact)'], "one term"),
        (['(assert "a" "" fact true true)'], "one term"),
        (['(assert "a" "" fact (vars (?x.0 Int)) (= ?x.0 1))'], "free"),
        (['(claim "a" "" () (vars (?x.0 Int)) (= ?x.0 1))'], "free"),
        (['(claim "a" "" (?x.0 ?x.0) (vars (?x.0 Int)) (= ?x.0 1))'], "twice"),
        (['(claim "a" "" (?y.0) (vars (?x.0 Int)) (= ?x.0 1))'], "undeclared"),
        (['(assert "a" "" fact (vars (?x.1 Int)) true)'], "numbered"),
        (['(assert "a" "" fact (vars (?x.0 Int) (?x.0 Int)) true)'], "numbered"),
        (['(assert "a" "" fact (forall () true))'], "quantifier"),
        (['(assert "a" "" fact (vars (?x.0 Int)) (forall (?x.0 ?x.0) true))'], "twice"),
        (['(assert "a" "" fact (vars (?x.0 Int)) (forall (?x.0) 1))'], "quantifier"),
        (['(assert "a" "" fact (vars (?x.0 Int)) (forall (?x.0) true true))'], "quantifier"),
        (['(assert "a" "" fact (defs (%0 %0)) %0)'], "unknown or ambiguous"),
        (['(assert "a" "" fact (defs (%0 true) (%0 true)) %0)'], "once"),
        (['(assert "a" "" fact (and true))'], "does not take"),
        (['(assert "a" "" fact (< 1 (lit Real 1/1)))'], "does not take"),
        (['(assert "a" "" fact (= (lit Real 1/0) (lit Real 1/1)))'], "not a literal"),
        (['(assert "a" "" fact (= (lit (BitVec 2) 4) (lit (BitVec 2) 0)))'], "not a literal"),
        (['(assert "a" "" fact (nothing))'], "has arguments"),
        (['(assert "a" "" fact ())'], "has arguments"),
        (['(assert "a" "" fact (@7 1))'], "unknown or ambiguous"),
        (['(declare defined "d" () Int)', "(define d () d)"], "after its use"),
        (['(declare defined "d" () Int)', "(define d () 1)", "(define d () 1)"], "twice"),
        (['(declare defined "d" () Int)', "(define d () true)"], "does not fit"),
        (['(declare defined "d" () Int)', '(claim "a" "" () (= d 1))', "(define d () 1)"], "after its use"),
        (['(declare defined "d" (Int) Int)', "(define d () 1)"], "does not fit"),
        (["(potlang-ir 1)"], "unknown or malformed"),
        (["nothing"], "one statement"),
    ],
)  # fmt: skip
def test_a_program_with_a_mistake_is_refused(lines: list[str], reason: str) -> None:
    """[CERT-OUTCOME] At the line of the mistake, the last one."""
    with pytest.raises(Invalid, match=f"^the program, line {len(lines) + 1}: .*{reason}"):
        read_theory(program(*lines))


# --- size ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_depth_is_no_limit() -> None:
    """[CERT-OUTCOME] Twenty thousand levels, of formulas and of brackets."""
    depth = 20_000
    formula = "(not " * depth + "p" + ")" * depth
    text = program('(declare constant "p" () Bool)', f'(assert "a" "" fact {formula})', '(claim "c" "" () p)')
    lines = (
        "(model m)",
        "(constant p true)",
        '(refutation r negation "c")',
        '(instance 1 "a")',
        "(instance 2 goal)",
        "(empty)",
        '(result "c" entailed)',
        "(sat claim m)",
        "(unsat negation r)",
    )
    assert check(certificate(text, *lines), text).status == "VALID"
    assert check("(" * depth, text).status == "INVALID"
    assert check(certificate(text, "(" * depth + ")" * depth), text).status == "INVALID"


def doubling(first: str, again: str) -> str:
    """A term of sixty labels, each made from the one before."""
    labels = " ".join(f"(%{n} {again.replace('_', f'%{n - 1}')})" for n in range(1, 60))
    return f"(defs (%0 {first}) {labels}) (= %59 %58)"


def tuples(count: int, width: int) -> list[str]:
    """Tuple sorts, each of fields of the sort before."""
    parts = [[f'("f{i}" {f"T{n - 1}" if n else "Bool"})' for i in range(width)] for n in range(count)]
    return [f"(tuple T{n} {' '.join(fields)})" for n, fields in enumerate(parts)]


def definitions(count: int) -> list[str]:
    """Defined functions, each using the one before twice."""
    lines = ['(declare defined "d0" (Int) Int)', "(define d0 (?x.0) (vars (?x.0 Int)) ?x.0)"]
    for n in range(1, count):
        body = f"(+ (d{n - 1} (+ ?x.0 1)) (d{n - 1} (- ?x.0 1)))"
        lines += [f'(declare defined "d{n}" (Int) Int)', f"(define d{n} (?x.0) (vars (?x.0 Int)) {body})"]
    return lines


P = '(declare constant "p" () Bool)'
NESTED_SET = "(Set " * 90 + "Bool" + ")" * 90
LARGE = {
    "iff": [P, f'(assert "a" "" fact {"(iff p " * 400}p{")" * 400})'],
    "squares": [f'(assert "a" "" fact {doubling("3", "(* _ _)")})'],
    "strings": [f'(assert "a" "" fact {doubling("(lit String " + json.dumps("ab") + ")", "(str.++ _ _)")})'],
    "doubling": tuples(60, 2),
    "chain": tuples(3000, 1),
    "sets": [P, f'(declare constant "s" () {NESTED_SET})', '(assert "a" "" fact (= s s))'],
    "digits": [f'(assert "a" "" fact (= {"9" * 30_000} 1))'],
    "definitions": definitions(60),
}


@pytest.mark.parametrize("name", LARGE)
def test_what_would_explode_ends(name: str) -> None:
    """[CERT-OUTCOME] Read, refused or a hole, within seconds."""
    text = program(*LARGE[name])
    start = time.process_time()
    model = ("(model m)", "(constant s (table false))" if name == "sets" else "(constant p true)")
    lines = (*model, "(refutation r assumptions)", '(instance 1 "a")', "(empty)")
    found = check(certificate(text, *lines), text)
    assert found.status == "INVALID"
    assert "cannot be checked" not in found.message
    assert time.process_time() - start < 60
