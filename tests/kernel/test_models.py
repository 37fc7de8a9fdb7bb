"""Values in models by hand: bindings from entries, holes, infinite sorts, large models, budgets."""

from __future__ import annotations

import re
import time

import pytest
from kernel_support import certificate, program, theory_of

from potlang.certify import Outcome, check
from potlang.certify.evaluate import ModelEvaluation
from potlang.certify.models import CertificateModel
from potlang.certify.operators import NoValue
from potlang.certify.tokens import Invalid, StepBudget, tree

SIGNATURE = (
    "(sort S)",
    '(enum C "red" "green")',
    '(tuple Pair ("left" S) ("right" Int))',
    '(use constructor "Pair" (S Int) Pair)',
    '(use selector "right" (Pair) Int)',
    '(declare function "P" (S) Bool)',
    '(declare function "R" (S S) Bool)',
    '(declare function "N" (Int) Bool)',
    '(declare function "at" (S) Int)',
    '(declare constant "a" () S)',
    '(declare constant "k" () C)',
    '(declare constant "i" () Int)',
    '(declare constant "r" () Real)',
    '(declare constant "s" () String)',
    '(declare constant "pair" () Pair)',
    '(declare constant "set" () (Set Int))',
    '(declare constant "array" () (Array (BitVec 2) Int))',
    '(declare constant "fun" () (Function S S Bool))',
    '(declare defined "large" (Int) Bool)',
    "(define large (?i.0) (vars (?i.0 Int) (?x.1 S)) (exists (?x.1) (< (at ?x.1) ?i.0)))",
)
MEANINGS = (
    "(universe S 3)",
    "(function P (default false) ((element S 0) true) ((element S 2) true))",
    "(function R (default false) ((element S 0) (element S 1) true) ((element S 1) (element S 1) true))",
    "(function N (default false) (1 true) (5 true) (-7 true))",
    "(function at (default 7) ((element S 1) -2))",
    "(constant a (element S 2))",
    '(constant k (lit C "green"))',
    "(constant i -7)",
    "(constant r (lit Real -1/3))",
    '(constant s (lit String "a\\u00e9"))',
    "(constant pair (record Pair (element S 1) 4))",
    "(constant set (table false (3 true) (4 true)))",
    "(constant array (table 0 ((lit (BitVec 2) 1) 5)))",
    "(constant fun (table false ((element S 0) (element S 1) true)))",
)


def value(formula: str, steps: int = 1_000_000) -> object:
    """Of a formula in the structure above: True, False or the hole's reason."""
    theory = theory_of(*SIGNATURE, f'(assert "0" "" fact {formula})')
    model = CertificateModel(theory)
    for line in MEANINGS:
        model.read(tree(line))
    found = ModelEvaluation(model, StepBudget(steps)).truth(theory.assertions["0"].formula)
    return found.reason if isinstance(found, NoValue) else found


V = "(vars (?x.0 S) (?y.1 S) (?n.2 Int) (?m.3 Int) (?r.4 Real))"


@pytest.mark.parametrize(
    "formula",
    [
        "(= (mod i 3) 2)",
        "(= (div i 3) -3)",
        "(= (div i -3) 3)",
        "(= (* r (to_real 3)) (- (to_real 0) (to_real 1)))",
        "(= (to_int r) -1)",
        "(= (/ r r) (lit Real 1/1))",
        '(= (str.++ s s) (lit String "a\\u00e9a\\u00e9"))',
        '(= k (lit C "green"))',
        "(= (right pair) 4)",
        "(not (= pair (Pair a 4)))",
        "(member 3 set)",
        "(= (insert 4 (insert 3 (lit (Set Int) empty))) set)",
        "(subset (intersect set set) (union set set))",
        "(= (select array (lit (BitVec 2) 1)) 5)",
        "(not (= (store array (lit (BitVec 2) 1) 6) array))",
        "(= (store array (lit (BitVec 2) 1) 5) array)",
        "(not (apply fun a a))",
        "(large 0)",
        "(not (large -2))",
        "(ite (P a) (P a) false)",
        f"{V} (forall (?x.0) (=> (P ?x.0) (= (at ?x.0) 7)))",
        f"{V} (exists (?x.0) (and (P ?x.0) (= ?x.0 a)))",
        f"{V} (forall (?x.0) (or (not (R ?x.0 ?x.0)) (= (at ?x.0) -2)))",
        f"{V} (not (forall (?x.0 ?y.1) (= ?x.0 ?y.1)))",
    ],
)
def test_values(formula: str) -> None:
    """[CERT-EVAL-DOMAIN] [CERT-VALUE] True in the structure."""
    assert value(formula) is True
    assert (
        value(formula.replace(formula.rpartition("(vars")[0], "") if False else f"{_negated(formula)}")
        is False
    )


def _negated(formula: str) -> str:
    head, mark, body = formula.partition(f"{V} ")
    return f"{mark}(not {body or head})"


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("(forall (?n.2) (=> (N ?n.2) (< ?n.2 6)))", True),
        ("(forall (?n.2) (=> (N ?n.2) (< ?n.2 5)))", False),
        ("(forall (?n.2) (or (not (N ?n.2)) (and (<= -7 ?n.2) (< ?n.2 6))))", True),
        ("(forall (?n.2) (=> (and (N ?n.2) (< 4 ?n.2)) (= ?n.2 5)))", True),
        ("(exists (?n.2) (and (< 1 ?n.2) (N ?n.2)))", True),
        ("(exists (?n.2) (= (at a) ?n.2))", True),
        ("(exists (?n.2 ?m.3) (and (= ?m.3 (+ ?n.2 1)) (= ?n.2 i) (= ?m.3 -6)))", True),
        ("(exists (?n.2) (exists (?m.3) (and (= ?m.3 (+ ?n.2 1)) (= ?n.2 i) (= ?m.3 -5))))", False),
        ("(forall (?n.2) (=> (= ?n.2 (+ i 1)) (= ?n.2 -6)))", True),
        ("(forall (?x.0 ?n.2) (=> (and (P ?x.0) (= ?n.2 (at ?x.0))) (< 0 ?n.2)))", True),
        ("(not (exists (?n.2) (and (N ?n.2) (N (+ ?n.2 1)))))", True),
        ("(exists (?n.2 ?m.3) (and (N ?n.2) (N ?m.3) (= (+ ?n.2 ?m.3) -2)))", True),
        ("(exists (?r.4) (= ?r.4 (/ r r)))", True),
        ("(exists (?x.0) (and (R ?x.0 ?x.0) (= (at ?x.0) -2)))", True),
        ("(exists (?x.0) (and (R ?x.0 ?x.0) (= (at ?x.0) 7)))", False),
        ("(forall (?x.0) (=> (R ?x.0 ?x.0) (= (at ?x.0) 7)))", False),
        ("(forall (?x.0) (=> (R ?x.0 ?x.0) (= (at ?x.0) -2)))", True),
        ("(exists (?x.0 ?y.1) (and (R ?x.0 ?y.1) (= (at ?x.0) 7)))", True),
    ],
)
def test_guards_bind_variables_of_infinite_sorts(formula: str, expected: bool) -> None:
    """[CERT-EVAL-GUARD]"""
    assert value(f"{V} {formula}") is expected


@pytest.mark.parametrize(
    ("formula", "reason"),
    [
        ("(= (div i 0) 1)", "division by zero"),
        ("(= (mod i 0) 1)", "division by zero"),
        ("(= (/ r (- r r)) r)", "division by zero"),
        (f"{V} (exists (?n.2) (= (* ?n.2 ?n.2) 49))", "infinite"),
        (f"{V} (forall (?n.2) (=> (N (+ ?n.2 9)) (N ?n.2)))", "infinite"),
        (f"{V} (forall (?n.2) (=> (not (N ?n.2)) (< -2 ?n.2)))", "infinite"),
        (f"{V} (exists (?n.2) (= ?n.2 (div i 0)))", "division by zero"),
        (f"{V} (forall (?n.2) (=> (= ?n.2 (div i 0)) false))", "division by zero"),
        (f"{V} (forall (?x.0) (=> (P ?x.0) (= 0 (div 1 (- (at ?x.0) 7)))))", "division by zero"),
    ],
)
def test_holes(formula: str, reason: str) -> None:
    """[CERT-EVAL-HOLE]"""
    assert reason in str(value(formula))


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("(or (= (div i 0) 1) (P a))", True),
        ("(and (not (P a)) (= (div i 0) 1))", False),
        ("(=> (= (div i 0) 1) (P a))", True),
        ("(ite (P a) (P a) (= (div i 0) 1))", True),
        (f"{V} (exists (?x.0) (or (= 1 (div 1 (- (at ?x.0) 7))) (= ?x.0 a)))", True),
        (f"{V} (forall (?x.0) (and (< 0 (div 1 (- (at ?x.0) 7))) (not (= ?x.0 a))))", False),
        (f"{V} (or (P a) (exists (?n.2) (= (* ?n.2 ?n.2) 50)))", True),
    ],
)
def test_what_is_decided_without_a_hole_is_decided(formula: str, expected: bool) -> None:
    """[CERT-EVAL-KLEENE]"""
    assert value(formula) is expected


def test_steps_end_as_a_hole() -> None:
    """[CERT-EVAL-HOLE] [CERT-OUTCOME]"""
    nested = "".join(f"(forall (?x.{i}) " for i in range(30)) + "(P ?x.0)" + ")" * 30
    variables = " ".join(f"(?x.{i} S)" for i in range(30))
    assert "steps" in str(value(f"(vars {variables}) (or (not {nested}) {nested})", 1000))


def test_a_power_tower_is_a_hole() -> None:
    """[CERT-EVAL-HOLE] Squares of squares: 2^(2^40) is not computed."""
    labels = " ".join(f"(%{n} (* %{n - 1} %{n - 1}))" for n in range(1, 40))
    assert "too large" in str(value(f"(defs (%0 (+ i 1)) {labels}) (= %39 i)"))


def chain(length: int) -> tuple[str, list[str]]:
    """A transitive relation over a chain, closed, and its model."""
    text = program(
        "(sort S)",
        '(declare function "R" (S S) Bool)',
        '(assert "t" "" rule (vars (?x.0 S) (?y.1 S) (?z.2 S)) (forall (?x.0 ?y.1 ?z.2) '
        "(=> (and (R ?x.0 ?y.1) (R ?y.1 ?z.2)) (R ?x.0 ?z.2))))",
        '(claim "c" "" () (vars (?x.0 S)) (exists (?x.0) (R ?x.0 ?x.0)))',
    )
    entries = [f"((element S {i}) (element S {j}) true)" for i in range(length) for j in range(i + 1, length)]
    return text, [
        "(model m)",
        f"(universe S {length})",
        " ".join(["(function R (default false)", *entries]) + ")",
    ]


def checked(text: str, *lines: str, most_steps: int = 50_000_000) -> Outcome:
    found = certificate(
        text, *lines, '(result "c" undetermined)', "(sat negation m)", '(agreed sat claim "z3")'
    )
    return check(found, text, most_steps=most_steps)


def test_a_model_of_a_transitive_rule_is_evaluated_along_its_entries() -> None:
    """[CERT-EVAL-GUARD] 1,770 tuples over 60 elements: 34,220 matches, not 216,000 tuples and not slow."""
    text, lines = chain(60)
    start = time.process_time()
    found = checked(text, *lines)
    assert found.status == "VALID_WITH_HOLES"
    assert len(found.holes) == 1
    assert time.process_time() - start < 5
    broken = lines[-1].replace(" ((element S 3) (element S 50) true)", "")
    assert (checked(text, *lines[:-1], broken).line, checked(text, *lines[:-1], broken).message) == (
        7,
        "'t' is false in m",
    )


def test_a_model_too_large_for_the_steps_is_a_hole() -> None:
    """[CERT-SAT] [CERT-EVAL-HOLE]"""
    text, lines = chain(60)
    found = checked(text, *lines, most_steps=5_000)
    assert found.status == "VALID_WITH_HOLES"
    assert "'t' (it takes more steps than are allowed)" in found.holes[0].text


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7])
def test_a_hole_lists_three_parts_without_a_value(count: int) -> None:
    """[CERT-EVAL-HOLE]"""
    facts = [f'(assert "k{n}" "" fact (= (div i 0) {n}))' for n in range(count)]
    text = program('(declare constant "i" () Int)', *facts, '(claim "c" "" () (< i 3))')
    found = checked(text, "(model m)", "(constant i 5)")
    assert found.status == "VALID_WITH_HOLES"
    hole = next(each.text for each in found.holes if "not evaluated in m" in each.text)
    assert re.findall("'k[0-9]'", hole) == [f"'k{n}'" for n in range(min(count, 3))]
    assert ("more" in hole) is (count > 3)
    assert count <= 3 or hole.endswith(f" and {count - 3} more")


def test_a_universe_may_be_enormous() -> None:
    """[CERT-EVAL-DOMAIN] Nothing is listed before it has to be."""
    text, _ = chain(2)
    found = checked(text, "(model m)", "(universe S 1" + "0" * 300 + ")", "(function R (default false))")
    assert found.status == "VALID_WITH_HOLES"
    assert len(found.holes) == 1


def test_tables_are_maps_whatever_their_default() -> None:
    """[CERT-VALUE]"""
    lines = (
        "(sort S)",
        '(declare constant "x" () (Set C))',
        '(declare constant "y" () (Set C))',
        '(assert "0" "" fact (= x y))',
    )
    theory = theory_of('(enum C "red" "green")', *lines)
    model = CertificateModel(theory)
    model.read(tree("(universe S 1)"))
    model.read(tree('(constant x (table true ((lit C "red") false)))'))
    model.read(tree('(constant y (table false ((lit C "green") true)))'))
    assert ModelEvaluation(model, StepBudget(1000)).truth(theory.assertions["0"].formula) is True


def test_values_that_depend_on_a_universe_follow_it() -> None:
    """[CERT-UNIVERSE]"""
    model = CertificateModel(theory_of(*SIGNATURE))
    with pytest.raises(Invalid, match="no universe, or too late"):
        model.read(tree("(constant fun (table false))"))
