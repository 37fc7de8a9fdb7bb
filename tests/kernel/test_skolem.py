"""Skolem forms and clauses by hand, above all where a careless form would be unsound."""

from __future__ import annotations

import pytest
from kernel_support import theory_of

from potlang.certify import Invalid, Refutation
from potlang.certify.terms import Term

SIGNATURE = (
    "(sort S)",
    '(declare function "P" (S) Bool)',
    '(declare function "Q" (S) Bool)',
    '(declare function "R" (S S) Bool)',
    '(declare function "f" (S) S)',
    '(declare function "n" (S) Int)',
    '(declare constant "a" () S)',
    '(declare constant "b" () S)',
    '(declare constant "p" () Bool)',
    '(declare constant "q" () Bool)',
)


def refutation(*formulas: str, side: str = "assumptions") -> Refutation:
    """Of assertions `0`, `1`, …; the last formula is the claim unless `side` is assumptions."""
    claims = () if side == "assumptions" else (f'(claim "c" "" () {formulas[-1]})',)
    assumed = formulas[: len(formulas) - len(claims)]
    lines = [f'(assert "{i}" "" fact {formula})' for i, formula in enumerate(assumed)]
    theory = theory_of(*SIGNATURE, *lines, *claims)
    return Refutation(theory, side, "c" if claims else None)  # type: ignore[arg-type]


def clauses(formula: str, *bindings: str) -> list[tuple[int, ...]]:
    work = refutation(formula)
    work.statement(f'(instance 1 "0" {" ".join(bindings)})')
    return work.clauses


X = "(vars (?x.0 S) (?y.1 S))"


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("(P a)", [(1,)]),
        ("(not (P a))", [(-1,)]),
        ("true", []),
        ("false", [()]),
        ("(and p (P a) p)", [(1,), (2,)]),
        ("(or p (not q) p false)", [(1, -2)]),
        ("(or p (not p))", []),
        ("(=> (and p q) (P a))", [(-1, -2, 3)]),
        ("(iff p q)", [(-1, 2), (1, -2)]),
        ("(= p q)", [(-1, 2), (1, -2)]),
        ("(xor p q)", [(-1, -2), (1, 2)]),
        ("(distinct p q)", [(-1, -2), (1, 2)]),
        ("(not (iff p q))", [(-1, -2), (1, 2)]),
        ("(ite p q (P a))", [(-1, 2), (1, 3)]),
        ("(not (ite p q (P a)))", [(-1, -2), (1, -3)]),
        ("(or p (and q (P a)))", [(1, 2), (-2, 3), (-2, 4)]),
        ("(distinct a b (f a))", [(-1,), (-2,), (-3,)]),
        ("(not (distinct a b (f a)))", [(1, 2, 3)]),
        ("(distinct a b a)", [(-1,), ()]),
        ("(or (= a b) (= b a))", [(1,)]),
        ("(or (<= (n a) (n b)) (< (n b) (n a)))", []),
        ("(and (< 1 2) (<= 2 2) (not (< 2 2)) (= 3 (+ 1 2)))", []),
        ("(or (< 2 1) (= 3 4) (distinct 1 2 1) p)", [(1,)]),
        ("(= (lit Real 2/4) (lit Real 1/2))", []),
        ("(= (n a) (div 7 -2))", [(1,)]),
        ("(and (< 2 (n a)) (<= 3 (n a)))", [(-1,)]),
        ("(or (< 2 (n a)) (< (n a) 3))", []),
        ("(= (div 1 0) (div 1 0))", []),
        ("(= (div 1 0) 0)", [(1,)]),
    ],
)  # fmt: skip
def test_clauses(formula: str, expected: list[tuple[int, ...]]) -> None:
    """[CERT-CLAUSE] [CERT-NORMAL] [CERT-SKOLEM-2]"""
    assert clauses(formula) == expected


def test_clauses_are_linear_where_distribution_is_not() -> None:
    """[CERT-CLAUSE] A disjunction of 40 conjunctions has as many clauses as it has parts."""
    parts = " ".join(f"(and (= (n a) {i}) (= (n b) {i}))" for i in range(40))
    assert len(clauses(f"(or {parts})")) == 81


def test_a_long_chain_of_equivalences_is_linear() -> None:
    """[CERT-SKOLEM-2] Each part once for each sign."""
    formula = "p"
    for i in range(300):
        formula = f"(iff (= (n a) {i}) {formula})"
    assert len(clauses(formula)) < 2000


def test_a_choice_depends_on_the_variables_of_its_quantifier() -> None:
    """[CERT-SKOLEM-3] From ∀x∃y R(x,y) does not follow ∃y∀x R(x,y)."""
    work = refutation(
        f"{X} (forall (?x.0) (exists (?y.1) (R ?x.0 ?y.1)))",
        "(vars (?y.0 S) (?x.1 S)) (exists (?y.0) (forall (?x.1) (R ?x.1 ?y.0)))",
        side="negation",
    )
    work.statement('(instance 1 "0" (?x.0 a))')
    with pytest.raises(Invalid, match="other arguments"):
        work.statement('(instance 2 goal (?y.0 (skolem "0" ?y.1 +)))')
    with pytest.raises(Invalid, match="other arguments"):
        work.statement("(instance 2 goal (?y.0 (skolem goal ?x.1 -)))")
    work.statement('(instance 3 goal (?y.0 (skolem "0" ?y.1 + a)))')
    work.statement('(instance 4 "0" (?x.0 (skolem goal ?x.1 - (skolem "0" ?y.1 + a))))')
    assert not work.propagate()


def test_two_quantifiers_with_one_variable_choose_apart() -> None:
    """[CERT-SKOLEM-4] ∃x P(x) and ∃x Q(x) do not give P(c) and Q(c), even if both bind `?x.0`."""
    work = refutation(f"{X} (and (exists (?x.0) (P ?x.0)) (exists (?x.0) (Q ?x.0)))")
    with pytest.raises(Invalid, match=r"two quantifiers bind \?x.0"):
        work.statement('(instance 1 "0")')


def test_one_quantifier_that_occurs_twice_chooses_once() -> None:
    """[CERT-SKOLEM-3] The same formula has the same witness."""
    shared = "(defs (%0 (exists (?x.0) (P ?x.0))))"
    work = refutation(f"{X} {shared} (and (or %0 p) (or %0 q))")
    work.statement('(instance 1 "0")')
    assert work.clauses == [(1, 2), (1, 3)]


def test_a_quantifier_may_be_universal_and_existential() -> None:
    """[CERT-SKOLEM-3] [CERT-SKOLEM-4] Under `iff` one of two copies is chosen, the other for all."""
    work = refutation(f"{X} (iff p (exists (?x.0) (P ?x.0)))")
    with pytest.raises(Invalid, match="no value"):
        work.statement('(instance 1 "0")')
    work.statement('(instance 1 "0" (?x.0 a))')
    assert work.clauses == [(-1, 2), (1, -3)]


def test_universal_quantifiers_may_share_a_variable() -> None:
    """[CERT-SKOLEM-4]"""
    assert clauses(f"{X} (or (forall (?x.0) (P ?x.0)) (forall (?x.0) (Q ?x.0)))", "(?x.0 a)") == [(1, 2)]


def test_the_goal_is_the_claim_or_its_negation() -> None:
    """[CERT-SKOLEM-3] The polarity is that of the text: a `forall` that is negated chooses with `-`."""
    formula = f"{X} (forall (?x.0) (exists (?y.1) (R ?x.0 ?y.1)))"
    claim = refutation(formula, side="claim")
    claim.statement("(instance 1 goal (?x.0 (skolem goal ?y.1 + a)))")
    negation = refutation(formula, side="negation")
    negation.statement("(instance 1 goal (?y.1 (skolem goal ?x.0 -)))")
    assert (claim.clauses, negation.clauses) == ([(1,)], [(-1,)])
    with pytest.raises(Invalid, match="no such Skolem term"):
        negation.statement("(instance 2 goal (?y.1 (skolem goal ?x.0 +)))")


def test_other_instances_may_be_bound_to_variables_that_do_not_occur() -> None:
    """[CERT-INSTANCE]"""
    assert clauses(f"{X} (forall (?x.0 ?y.1) (P ?x.0))", "(?x.0 a)", "(?y.1 b)") == [(1,)]
    assert clauses(f"{X} (forall (?x.0 ?y.1) (P ?x.0))", "(?x.0 a)") == [(1,)]


def test_a_truth_value_may_be_any_formula_of_one_atom() -> None:
    """[CERT-INSTANCE] Variables of sort Bool are atoms."""
    formula = "(vars (?z.0 Bool)) (forall (?z.0) (iff ?z.0 p))"
    assert clauses(formula, "(?z.0 true)") == [(1,)]
    assert clauses(formula, "(?z.0 q)") == [(-1, 2), (1, -2)]
    assert clauses(formula, "(?z.0 (not p))") == [(1,), (-1,)]


def test_defined_functions_are_unfolded() -> None:
    """[CERT-SKOLEM-1]"""
    theory = theory_of(
        *SIGNATURE,
        '(declare defined "d" (S) Bool)',
        '(declare defined "e" (S Bool) Bool)',
        '(declare defined "all" (S) Bool)',
        "(define d (?x.0) (vars (?x.0 S)) (and (P ?x.0) (Q (f ?x.0))))",
        "(define e (?x.0 ?z.1) (vars (?x.0 S) (?z.1 Bool)) (=> (d ?x.0) ?z.1))",
        "(define all (?x.0) (vars (?x.0 S) (?y.1 S)) (forall (?y.1) (R ?x.0 ?y.1)))",
        f'(assert "0" "" fact {X} (forall (?x.0) (e ?x.0 (exists (?y.1) (R ?x.0 ?y.1)))))',
        '(assert "1" "" fact (all a))',
    )
    work = Refutation(theory, "assumptions", None)
    work.statement('(instance 1 "0" (?x.0 a))')
    assert work.clauses == [(-1, -2, 3)]
    with pytest.raises(Invalid, match="defined function"):
        work.statement('(instance 2 "1")')


def test_a_quantifier_inside_a_term_is_left_alone_or_refused() -> None:
    """[CERT-NORMAL] Closed, it is a part of an opaque atom; variables are not put into it."""
    signature = (*SIGNATURE, '(declare function "g" (Bool) S)')
    theory = theory_of(
        *signature,
        '(assert "0" "" fact (vars (?x.0 S)) (P (g (forall (?x.0) (Q ?x.0)))))',
        '(assert "1" "" fact (vars (?x.0 S) (?y.1 S)) (forall (?y.1) (P (g (forall (?x.0) (R ?x.0 ?y.1))))))',
        '(assert "2" "" fact (vars (?x.0 S)) (forall (?x.0) (R ?x.0 (g (forall (?x.0) (Q ?x.0))))))',
    )
    work = Refutation(theory, "assumptions", None)
    work.statement('(instance 1 "0")')
    work.statement('(instance 2 "2" (?x.0 a))')
    work.statement('(instance 3 "1" (?y.1 a))')
    assert work.clauses == [(1,), (2,), (3,)]


@pytest.mark.parametrize(
    ("axiom", "expected"),
    [
        ("transitive a b (f a)", [(-1, -2, 3)]),
        ("transitive a b a", []),
        ("congruent R (a b) (b b)", [(-1, -2, 3)]),
        ("congruent f (a) (b)", [(-1, 2)]),
        ("congruent < ((n a) 5) ((n b) 5)", [(-1, -2, 3)]),
        ("congruent ite (p a b) (q a b)", [(1, 2, 3), (-1, 4), (-1, -5), (-2, -4), (-2, 5)]),
        ("member (lit (BitVec 1) 0)", []),
        ("between (n a) 1 2", [(1, -2, 3, 4)]),
        ("between (n a) 2 1", []),
        ("between (n a) 3 1", [(1, -2)]),
        ("between (n a) 1 -1", [(1, -2)]),
        ("then (ite p a b)", [(-1, 2)]),
        ("else (ite (and p q) a b)", [(1, 2), (-1, 3), (-1, 4)]),
        ("else (ite (or p q) a b)", [(1, 2, 3)]),
    ],
)
def test_axioms(axiom: str, expected: list[tuple[int, ...]]) -> None:
    """[CERT-TRANSITIVE] [CERT-CONGRUENT] [CERT-MEMBER] [CERT-BETWEEN] [CERT-ITE]"""
    work = refutation("true")
    work.statement(f"(axiom 1 {axiom})")
    assert work.clauses == expected


def test_a_label_stands_for_its_term() -> None:
    """[CERT-DEF] In other definitions, axioms and instances, and it is no other term."""
    axioms = "transitive b {0} {1}", "congruent f ({0}) (b)", "between (n {1}) 1 2"
    plain, labelled = refutation("true"), refutation("true")
    for line in ("(def %0 (f a))", "(def %1 (f %0))"):
        labelled.statement(line)
    assert not labelled.clauses
    for number, axiom in enumerate(axioms, 1):
        plain.statement(f"(axiom {number} {axiom.format('(f a)', '(f (f a))')})")
        labelled.statement(f"(axiom {number} {axiom.format('%0', '%1')})")
    assert (labelled.clauses, labelled.atoms) != ([], [])
    assert labelled.clauses == plain.clauses
    assert list(map(_written, labelled.atoms)) == list(map(_written, plain.atoms))


def _written(term: Term) -> str:
    head = term.op if isinstance(term.op, str) else term.op.name
    args = map(_written, term.args)
    # `=` is orderless: its sides stand as they were made.
    return f"{head}{term.value or ''}({' '.join(sorted(args) if head == '=' else args)})"


def test_no_variable_is_captured() -> None:
    """[CERT-NORMAL] A quantifier that binds again what is bound around it is not entered."""
    theory = theory_of(
        *SIGNATURE,
        '(declare function "g" (Bool) S)',
        '(assert "0" "" fact (vars (?x.0 S) (?y.1 S)) '
        "(forall (?x.0) (exists (?y.1) (P (g (forall (?x.0) (R ?x.0 ?y.1)))))))",
    )
    with pytest.raises(Invalid, match="bound twice"):
        Refutation(theory, "assumptions", None).statement('(instance 1 "0" (?x.0 a))')
