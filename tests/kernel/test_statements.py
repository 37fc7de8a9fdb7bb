"""Every statement of a certificate: what is accepted, and what is refused at which line for which reason."""

from __future__ import annotations

import pytest
from kernel_support import certificate, program, theory_of

from potlang.certify import Invalid, Outcome, Refutation, check, read_theory
from potlang.certify.sorts import BOOL, INT
from potlang.certify.tokens import tree

PROGRAM = program(
    "(sort S)",
    '(enum C "red" "green")',
    '(tuple Pair ("left" S) ("right" Int))',
    '(declare function "P" (S) Bool)',
    '(declare function "R" (S S) Bool)',
    '(declare function "f" (S) S)',
    '(declare function "n" (S) Int)',
    '(declare function "b" (Bool) S)',
    '(declare constant "a" () S)',
    '(declare constant "c" () S)',
    '(declare constant "k" () C)',
    '(declare constant "v" () (BitVec 2))',
    '(declare constant "q" () Bool)',
    '(declare defined "even" (Int) Bool)',
    '(use constructor "Pair" (S Int) Pair)',
    '(use selector "left" (Pair) S)',
    "(define even (?i.0) (vars (?i.0 Int)) (= (mod ?i.0 2) 0))",
    '(assert "f0" "fact" fact (P a))',
    '(assert "f1" "fact" fact (= (f a) c))',
    '(assert "r0" "rule" rule (vars (?x.0 S) (?y.1 S)) '
    "(forall (?x.0) (=> (P ?x.0) (exists (?y.1) (R ?x.0 ?y.1)))))",
    '(assert "r1" "rule" rule (vars (?x.0 S)) (forall (?x.0) (=> (P ?x.0) (P (f ?x.0)))))',
    '(assert "r2" "rule" rule (vars (?x.0 S)) '
    "(forall (?x.0) (=> (even (n ?x.0)) (or (and (P ?x.0) q) (not (P ?x.0))))))",
    '(constraint "o0" "bound" constraint (not (P a)))',
    '(claim "yes" "yes" () (P c))',
    '(claim "no" "no" () (vars (?x.0 S)) (forall (?x.0) (not (P ?x.0))))',
    '(claim "open" "open" () (P (f c)))',
    '(claim "which" "which" (?x.0) (vars (?x.0 S)) (R a ?x.0))',
    '(actions "verify")',
)
MODEL = (
    "(model m)",
    "(universe S 2)",
    "(constant a (element S 0))",
    "(constant c (element S 1))",
    "(constant q true)",
    "(function P (default true))",
    "(function f (default (element S 1)))",
    "(function R (default false) ((element S 0) (element S 1) true) ((element S 1) (element S 1) true))",
    "(function n (default 3) ((element S 0) 4))",
)
UNKNOWN = (
    '(result "yes" unknown)',
    '(result "no" unknown)',
    '(result "open" unknown)',
    '(result "which" unknown)',
)


NOTHING = "nothing that the program asks is answered"


def outcome(*lines: str, text: str = PROGRAM, results: tuple[str, ...] = UNKNOWN) -> Outcome:
    return check(certificate(text, *lines, *results), text)


def refuted(*statements: str, side: str = 'negation "yes"') -> Outcome:
    """The outcome of a refutation, which is nothing's evidence."""
    return outcome(f"(refutation r {side})", *statements)


def rejected(found: Outcome, line: int, reason: str) -> None:
    assert (found.status, found.holes, dict(found.verdicts)) == ("INVALID", (), {})
    assert found.line == line
    assert reason in found.message
    assert "\n" not in found.message


# --- a whole certificate ---------------------------------------------------------------------------

WHOLE = (
    *MODEL,
    "(model w)",
    *MODEL[1:5],
    "(function P (default true))",
    "(function f (default (element S 1)) ((element S 1) (element S 0)))",
    *MODEL[7:],
    '(refutation r0 negation "yes")',
    '(instance 1 "r1" (?x.0 a))',
    '(instance 2 "f0")',
    '(instance 3 "f1")',
    "(instance 4 goal)",
    "(axiom 5 congruent P ((f a)) (c))",
    "(empty)",
    '(refutation r1 claim "no")',
    '(step 1 "f0" () () (P a))',
    "(step 2 goal ((?x.0 a)) (1) false)",
    '(refutation r2 negation "which")',
    '(instance 3 "f0")',
    '(instance 5 "r0" (?x.0 a))',
    '(instance 7 goal (?x.0 (skolem "r0" ?y.1 + a)))',
    "(empty)",
    '(result "yes" entailed)',
    "(sat claim m)",
    "(unsat negation r0)",
    '(result "no" refuted)',
    "(sat negation m)",
    "(unsat claim r1)",
    '(result "open" unknown)',
    '(result "which" entailed)',
    "(sat assumptions w)",
    "(unsat negation r2)",
)


def test_a_whole_certificate_is_valid() -> None:
    """[CERT-OUTCOME] [CERT-FORM] [CERT-PROGRAM] [CERT-RESULT] [CERT-RULE] [CERT-SAT] [CERT-UNSAT]"""
    found = outcome(*WHOLE, results=())
    verdicts = {"yes": "entailed", "no": "refuted", "open": "unknown", "which": "entailed"}
    assert found == Outcome("VALID", (), None, "", verdicts, ("open",))


def test_the_head_is_checked() -> None:
    """[CERT-FORM] [CERT-PROGRAM]"""
    text = certificate(PROGRAM, *UNKNOWN)
    lines = text.split("\n")
    rejected(check("", PROGRAM), 1, "expected")
    rejected(check(text.replace("certificate 1", "certificate 2"), PROGRAM), 1, "potlang-certificate 1")
    rejected(check(text, PROGRAM + "\n"), 2, "another program")
    rejected(check("\n".join([lines[0], *lines[2:]]), PROGRAM), 2, "another program")


def test_the_end_is_checked() -> None:
    """[CERT-FORM] Truncated, with a line too many, or with a blank one."""
    text = certificate(PROGRAM, *UNKNOWN)
    lines = text.rstrip("\n").split("\n")
    rejected(check("\n".join(lines[:-1]), PROGRAM), len(lines) - 1, "cut off")
    for more in ("(end)", "(model m)", '(result "yes" unknown)', '(agreed sat claim "z3")'):
        rejected(check("\n".join([*lines, more]), PROGRAM), len(lines) + 1, "follows (end)")
    rejected(check("\n".join([*lines[:3], "", *lines[3:]]), PROGRAM), 4, "one statement")


def test_a_program_that_cannot_be_read_has_no_line() -> None:
    """[CERT-OUTCOME]"""
    found = check("", "(potlang-ir 1)\n(sort")
    assert found[:3] == ("INVALID", (), None)
    assert found.message.startswith("the program, line 2: ")


def test_every_claim_has_one_result() -> None:
    """[CERT-RESULT]"""
    rejected(outcome(results=UNKNOWN[:3]), 6, "no result for 'which'")
    rejected(outcome(results=(*UNKNOWN, UNKNOWN[0])), 7, "repeated")
    rejected(outcome(results=('(result "nothing" unknown)',)), 3, "unknown, misplaced")
    rejected(outcome(results=('(result "yes" true)',)), 3, "unknown verdict")


# --- verdicts --------------------------------------------------------------------------------------

AGREED = {
    ("assumptions", "sat"): '(agreed sat assumptions "z3")',
    ("claim", "sat"): '(agreed sat claim "z3" "cvc5")',
    ("negation", "sat"): '(agreed sat negation "z3")',
    ("assumptions", "unsat"): '(agreed unsat assumptions ("f0" "r0") "z3")',
    ("claim", "unsat"): '(agreed unsat claim ("f0") "z3" "cvc5")',
    ("negation", "unsat"): '(agreed unsat negation () "z3")',
}
STATES = {
    "entailed": ("sat", "sat", "unsat"),
    "refuted": ("sat", "unsat", "sat"),
    "undetermined": ("sat", "sat", "sat"),
    "inconsistent": ("unsat", "unsat", "unsat"),
}
ANSWERS = [
    (a, b, c) for a in ("sat", "unsat", "") for b in ("sat", "unsat", "") for c in ("sat", "unsat", "")
]


@pytest.mark.parametrize("answers", ANSWERS, ids="-".join)
def test_a_verdict_is_the_only_state_that_matches(answers: tuple[str, str, str]) -> None:
    """[CERT-RULE] For all 27 combinations of answers and all verdicts."""
    sides = ("assumptions", "claim", "negation")
    lines = [AGREED[side, answer] for side, answer in zip(sides, answers, strict=True) if answer]
    matching = [
        verdict
        for verdict, state in STATES.items()
        if all(known in ("", wanted) for known, wanted in zip(answers, state, strict=True))
    ]
    for verdict in (*STATES, "unknown"):
        found = outcome(results=(f'(result "yes" {verdict})', *lines, *UNKNOWN[1:]))
        if verdict == "unknown":
            assert (found.status, found.holes[-1].text) == ("VALID_WITH_HOLES", NOTHING)
        elif matching == [verdict]:
            assert (found.status, len(found.holes)) == ("VALID_WITH_HOLES" if lines else "VALID", len(lines))
        else:
            rejected(found, 3, "does not follow")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('(agreed unsat negation ("o0") "z3")', "core lists assertions"),
        ('(agreed unsat negation ("f0" "f0") "z3")', "core lists assertions"),
        ('(agreed unsat negation (f0) "z3")', "core lists assertions"),
        ('(agreed sat negation ("f0") "z3")', "one solver or two"),
        ('(agreed sat negation "z3" "z3")', "one solver or two"),
        ('(agreed sat negation "z3" "cvc5" "yices")', "one solver or two"),
        ("(agreed sat negation)", "one solver or two"),
        ("(agreed sat negation z3)", "one solver or two"),
        ('(agreed maybe negation "z3")', "expected sat or unsat"),
        ('(agreed sat nobody "z3")', "once for each side"),
        ('(agreed sat claim "z3")', "once for each side"),
        ("(sat negation m9)", "no model"),
        ("(unsat negation r9)", "does not refute"),
        ("(unsat negation r1)", "does not refute that"),
        ("(unsat claim r0)", "once for each side"),
        ("(sat negation m)", "'yes' is true in m"),
        ("(sat negation)", "malformed evidence"),
    ],
)
def test_bad_evidence_is_refused(line: str, reason: str) -> None:
    """[CERT-AGREED] [CERT-SAT] [CERT-UNSAT]"""
    lines = WHOLE[: WHOLE.index('(result "yes" entailed)') + 2]
    rejected(outcome(*lines, line, results=()), len(lines) + 3, reason)


def test_evidence_stands_after_a_result() -> None:
    """[CERT-RESULT]"""
    rejected(outcome('(agreed sat claim "z3")'), 3, "after a result")
    rejected(outcome(*MODEL, "(sat claim m)"), 12, "after a result")


def test_holes_are_listed() -> None:
    """[CERT-AGREED] The line, the claim and the solvers."""
    lines = (
        '(result "yes" entailed)',
        "(sat claim m)",
        '(agreed unsat negation ("f0" "r1") "z3 5" "cvc5 1")',
    )
    found = outcome(*MODEL, results=(*lines, *UNKNOWN[1:]))
    assert found.status == "VALID_WITH_HOLES"
    assert [tuple(hole) for hole in found.holes] == [
        (14, "'yes': negation unsat: the word of 'z3 5' and 'cvc5 1'")
    ]


def test_a_refutation_of_the_assumptions_serves_every_result() -> None:
    """[CERT-UNSAT]"""
    text = program('(declare constant "p" () Bool)', '(assert "x" "" fact p)', '(assert "y" "" fact (not p))',
                   '(claim "c" "" () p)', '(norm "d" "" () p)', '(actions "verify")')  # fmt: skip
    lines = ("(refutation r assumptions)", '(instance 1 "x")', '(instance 2 "y")', "(empty)",
             '(result "c" inconsistent)', "(unsat assumptions r)", '(result "d" inconsistent)',
             "(unsat assumptions r)")  # fmt: skip
    assert outcome(*lines, text=text, results=()).status == "VALID"
    rejected(outcome('(refutation r assumptions "c")', text=text, results=()), 3, "no such claim")
    rejected(outcome("(refutation r assumptions)", "(instance 1 goal)", text=text, results=()), 4, "no root")


# --- models ----------------------------------------------------------------------------------------

SAT = ('(result "yes" unknown)', "(sat claim m)", *UNKNOWN[1:])


@pytest.mark.parametrize(
    ("place", "line", "reason"),
    [
        (1, "(universe S 0)", "at least 1"),
        (1, "(universe C 2)", "declared sort"),
        (1, "(universe T 2)", "unknown or malformed sort"),
        (1, "(universe S two)", "numeral"),
        (2, "(constant a (element S 2))", "not a value of its sort"),
        (2, "(constant a (element S -1))", "not a value of its sort"),
        (2, '(constant a (lit C "red"))', "not a value of its sort"),
        (2, "(constant a 0)", "not a value of its sort"),
        (2, "(constant f (element S 0))", "other kind"),
        (2, "(constant even true)", "other kind"),
        (2, "(constant nobody true)", "unknown or ambiguous symbol"),
        (4, "(constant q 1)", "not a value of its sort"),
        (5, "(function P (default true) ((element S 0) false true))", "arguments and a value"),
        (5, "(function P (default true) ((element S 0) true) ((element S 0) true))", "same arguments"),
        (5, "(function P (default (element S 0)))", "not a value of its sort"),
        (5, "(function P ((element S 0) true))", "malformed line"),
        (5, "(function even (default true))", "other kind"),
        (5, "(function left (default (element S 0)))", "other kind"),
        (5, "(function q (default true))", "other kind"),
        (8, "(function n (default true))", "numeral"),
        (4, "(constant q (record Pair))", "not a value of its sort"),
        (2, "(constant a (record S))", "not a value of its sort"),
        (2, "(constant a (table (element S 0)))", "not a value of its sort"),
        (8, "(function n (default (lit Real 1/2)))", "not a value of its sort"),
    ],
)
def test_bad_lines_of_a_model_are_refused(place: int, line: str, reason: str) -> None:
    """[CERT-UNIVERSE] [CERT-MEANING] [CERT-VALUE]"""
    lines = [*MODEL[:place], line, *MODEL[place + 1 :]]
    rejected(outcome(*lines, results=SAT), place + 3, reason)


@pytest.mark.parametrize("place", range(1, len(MODEL)))
def test_no_line_of_a_model_may_be_missing_or_repeated(place: int) -> None:
    """[CERT-UNIVERSE] [CERT-MEANING]"""
    found = outcome(*MODEL, results=SAT)
    assert [hole.text for hole in found.holes] == [NOTHING]
    assert outcome(*MODEL[:place], *MODEL[place + 1 :], results=SAT).status == "INVALID"
    rejected(outcome(*MODEL, MODEL[place], results=SAT), len(MODEL) + 3, "once" if place == 1 else "already")


@pytest.mark.parametrize(
    ("place", "line", "key"),
    [
        (5, "(function P (default false))", "'f0' is false in m"),
        (6, "(function f (default (element S 0)))", "'f1' is false in m"),
        (7, "(function R (default false))", "'r0' is false in m"),
        (4, "(constant q false)", "'r2' is false in m"),
    ],
)
def test_a_model_in_which_an_assertion_is_false_is_refused(place: int, line: str, key: str) -> None:
    """[CERT-SAT]"""
    rejected(outcome(*MODEL[:place], line, *MODEL[place + 1 :], results=SAT), len(MODEL) + 4, key)


# --- refutations -----------------------------------------------------------------------------------

ACCEPTED = [
    ("(instance 1 \"f0\")", '(instance 2 "r1" (?x.0 a))'),
    ('(instance 1 "r2" (?x.0 a))', "(axiom 2 congruent mod ((n a) 2) (4 2))"),
    ("(axiom 1 transitive a c (f a))", "(axiom 2 congruent f (a) (c))", "(axiom 3 congruent P (a) (c))"),
    ("(axiom 1 congruent < ((n a) 2) (3 2))", "(axiom 2 congruent b (q) ((P a)))"),
    ('(axiom 1 congruent (skolem "r0" ?y.1 +) (a) (c))', "(axiom 2 member k)", "(axiom 3 member v)"),
    ("(axiom 1 between (n a) 3 1)", "(axiom 2 then (ite (P a) a c))", "(axiom 3 else (ite (P a) a c))"),
    ("(axiom 1 between (n a) -1 3)", '(instance 7 "r0" (?x.0 (dummy S)))'),
    ('(instance 2 "r1" (?x.0 (skolem "r0" ?y.1 + (dummy S))))',),
    ('(instance 1 "r1" (?x.0 (left (Pair a 3))))', "(instance 2 goal)"),
    ('(step 1 "f0" () () (P a))', '(step 2 "r1" ((?x.0 a)) (1) (P (f a)))'),
    ('(instance 1 "f0")', "(instance 2 goal)", "(lemma 1 -2)", "(lemma 1)", "(delete 1 -2)", "(delete 1)"),
    ("(axiom 1 congruent P (a) (a))", "(axiom 2 transitive a a a)"),
    ("(axiom 1 then (ite q a c))", "(axiom 2 else (ite (and q (P a)) 1 (n a)))", "(lemma -1 2)"),
    ("(axiom 1 between (n a) 3 1)", "(lemma 1 -2)"),
]  # fmt: skip


@pytest.mark.parametrize("statements", ACCEPTED, ids=lambda each: each[0])
def test_statements_are_accepted(statements: tuple[str, ...]) -> None:
    """[CERT-INSTANCE] [CERT-TERM] and the axioms: all statements pass, the missing end does not."""
    rejected(refuted(*statements), len(statements) + 4, "not complete")


@pytest.mark.parametrize(
    ("statements", "reason"),
    [
        (['(instance 1 "o0")'], "no root"),
        (['(instance 1 "f9")'], "no root"),
        (["(instance 1 f0)"], "no root"),
        (["(instance 0 goal)"], "must increase"),
        (["(instance 1 goal)", "(instance 1 goal)"], "must increase"),
        (["(instance one goal)"], "numeral"),
        (["(instance 1)"], "malformed"),
        (['(instance 1 "r1")'], "has no value"),
        (['(instance 1 "r1" (?x.0 a) (?x.0 a))'], "once"),
        (['(instance 1 "r1" (?y.0 a))'], "universal variable"),
        (['(instance 1 "r0" (?x.0 a) (?y.1 a))'], "universal variable"),
        (['(instance 1 "r1" (?x.0 q))'], "of its sort"),
        (['(instance 1 "r1" (?x.0 a c))'], "group of two"),
        (['(instance 1 "r1" (?x.0 ?x.0))'], "unknown or ambiguous symbol"),
        (['(instance 1 "r1" (?x.0 (f ?x.0)))'], "unknown or ambiguous symbol"),
        (['(instance 1 "r1" (?x.0 (f a c)))'], "other arguments"),
        (['(instance 1 "r1" (?x.0 f))'], "other arguments"),
        (['(instance 1 "r1" (?x.0 (f)))'], "has arguments"),
        (['(instance 1 "r1" (?x.0 (forall () a)))'], "quantifier"),
        (['(instance 1 "r1" (?x.0 (skolem "r0" ?y.1 -  a)))'], "no such Skolem term"),
        (['(instance 1 "r1" (?x.0 (skolem "r0" ?x.0 + a)))'], "no such Skolem term"),
        (['(instance 1 "r1" (?x.0 (skolem "r1" ?y.1 + a)))'], "no such Skolem term"),
        (['(instance 1 "r1" (?x.0 (skolem goal ?y.1 + a)))'], "no such Skolem term"),
        (['(instance 1 "r1" (?x.0 (skolem "r0" ?y.1 +)))'], "other arguments"),
        (['(instance 1 "r1" (?x.0 (skolem "r0" ?y.1 + q)))'], "other arguments"),
        (['(instance 1 "r1" (?x.0 (skolem "r0" ?y.1 + a a)))'], "other arguments"),
        (['(instance 1 "r1" (?x.0 (dummy)))'], "group of two"),
        (['(instance 1 "r1" (?x.0 (dummy T)))'], "sort"),
        (['(instance 1 "r1" (?x.0 (dummy C)))'], "of its sort"),
        (['(instance 1 "r1" (?x.0 (element S 0)))'], "unknown or ambiguous symbol"),
        (["(axiom 1 transitive a c)"], "axiom"),
        (["(axiom 1 transitive a c k)"], "does not take"),
        (["(axiom 1 congruent f (a) (c c))"], "axiom"),
        (["(axiom 1 congruent f (a c) (c a))"], "other arguments"),
        (["(axiom 1 congruent f (a) (k))"], "other arguments"),
        (["(axiom 1 congruent (dummy S) () ())"], "Skolem"),
        (["(axiom 1 member a)"], "axiom"),
        (["(axiom 1 member k k)"], "axiom"),
        (["(axiom 1 between (n a) 1000 0)"], "axiom"),
        (["(axiom 1 between (n a) 0 1000)"], "axiom"),
        (["(axiom 1 between a 0 1)"], "axiom"),
        (["(axiom 1 then a)"], "axiom"),
        (["(axiom 1 else (ite (P a) (P c) (P a)))"], "axiom"),
        (["(axiom 1 between (n a) 1000 0)"], "axiom"),
        (["(axiom 1 between (n a) a 3)"], "numeral"),
        (["(axiom 1 then a)"], "axiom"),
        (["(axiom 1 then (ite q q q))"], "axiom"),
        (["(axiom 1 then (ite q a c) a)"], "axiom"),
        (["(axiom 1 reflexive a)"], "axiom"),
        (["(axiom 1 transitive a c %0)"], "symbol"),
        (["(def %0 a)", "(def %0 c)"], "statement"),
        (["(def x a)"], "statement"),
        (["(def %0 a c)"], "statement"),
        (["(def %0 %0)"], "symbol"),
        (["(def %0 a)", "(axiom 1 transitive %0 c %1)"], "symbol"),
        (['(step 1 "r1" ((?x.0 a)) () (P (f a)))'], "does not follow"),
        (['(step 1 "f0" () () (not (P a)))'], "does not follow"),
        (['(step 1 "f0" () () (P c))'], "does not follow"),
        (['(step 1 "f0" () () true)'], "does not follow"),
        (['(step 1 "f0" () () false)'], "does not follow"),
        (['(step 1 "f0" () (1) (P a))'], "no statement 1"),
        (['(step 1 "f0" () (P a))'], "malformed"),
        (['(step 1 "f0" () () (P a) (P a))'], "malformed"),
        (["(lemma 1)"], "no atom"),
        (["(instance 1 goal)", "(lemma 0)"], "no atom"),
        (["(instance 1 goal)", "(lemma 1)"], "does not follow"),
        (["(instance 1 goal)", "(lemma)"], "does not follow"),
        (["(instance 1 goal)", "(lemma P)"], "numeral"),
        (["(instance 1 goal)", "(delete 1)"], "no such clause"),
        (["(instance 1 goal)", "(delete -1)", "(delete -1)"], "no such clause"),
        (["(instance 1 goal)", "(empty)"], "does not follow"),
        (["(empty)"], "does not follow"),
        (["(empty 1)"], "malformed"),
        (["(assume 1)"], "malformed"),
        (["(universe S 2)"], "malformed"),
        (["()"], "not complete"),
        (["(instance 1 goal"], "one statement"),
        (["instance 1 goal"], "one statement"),
        (["(instance 1 goal) (empty)"], "one statement"),
        (["(instance 1 goal))"], "too many"),
        (['(instance 1 "goal\\x")'], "quoted text"),
        (['(instance 1 "goal)'], "malformed quoted"),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else None,
)
def test_bad_statements_are_refused(statements: list[str], reason: str) -> None:
    """Each at its line: the last."""
    rejected(refuted(*statements), len(statements) + 3, reason)


@pytest.mark.parametrize(
    ("constant", "values", "axiom"),
    [
        ("k", ['(lit C "red")', '(lit C "green")'], "(axiom 1 member k)"),
        ("v", [f"(lit (BitVec 2) {number})" for number in range(4)], "(axiom 1 member v)"),
        ("i", ["3"], "(axiom 1 between i 3 3)"),
        ("i", ["3", "4", "5"], "(axiom 1 between i 3 5)"),
        ("i", ["-1", "0", "1"], "(axiom 1 between i -1 1)"),
    ],
)
def test_an_axiom_of_members_names_all_of_them(constant: str, values: list[str], axiom: str) -> None:
    """[CERT-TERM] Excluding all refutes; excluding all but one does not, whichever it is."""
    bounds = [f"(not (< i {values[0]}))", f"(not (< {values[-1]} i))"] if constant == "i" else []

    def is_refuted(excluded: list[str]) -> bool:
        facts = [*(f"(not (= {constant} {value}))" for value in excluded), *bounds]
        lines = [f'(assert "{number}" "" fact {fact})' for number, fact in enumerate(facts)]
        declared = ('(enum C "red" "green")', '(declare constant "k" () C)')
        declared += ('(declare constant "v" () (BitVec 2))', '(declare constant "i" () Int)')
        work = Refutation(theory_of(*declared, *lines), "assumptions", None)
        for statement in [axiom, *(f'(instance {n + 2} "{n}")' for n in range(len(facts)))]:
            work.statement(statement)
        try:
            work.statement("(empty)")
        except Invalid:
            return False
        return work.refuted

    assert is_refuted(values)
    assert not any(is_refuted([each for each in values if each != value]) for value in values)


def test_nothing_follows_a_complete_refutation() -> None:
    """[CERT-EMPTY]"""
    lines = ['(instance 1 "f0")', "(instance 2 goal (?x.0 a))", "(empty)"]
    assert [hole.text for hole in refuted(*lines, side='claim "no"').holes] == [NOTHING]
    rejected(refuted(*lines, "(empty)", side='claim "no"'), 7, "complete before")


def test_names_are_used_once() -> None:
    rejected(outcome("(model m)", "(model m)"), 4, "repeated")
    done = ['(refutation r claim "no")', '(instance 1 "f0")', "(instance 2 goal (?x.0 a))", "(empty)"]
    rejected(outcome(*done, done[0]), 7, "new name")
    rejected(outcome("(refutation r claim)"), 3, "no such claim")
    rejected(outcome('(refutation r claim "f0")'), 3, "no such claim")
    rejected(outcome('(refutation r side "yes")'), 3, "no such claim")


def test_steps_do_not_keep_their_instances() -> None:
    """[CERT-STEP] What a step used is not there for those that do not name it."""
    used = ['(step 1 "f0" () () (P a))', '(step 2 "r1" ((?x.0 a)) (1) (P (f a)))']
    rejected(refuted(*used, '(step 3 "r1" ((?x.0 (f a))) (1) (P (f (f a))))'), 6, "does not follow")
    rejected(refuted(*used, '(step 3 "r1" ((?x.0 (f a))) (2) (P (f (f a))))'), 7, "not complete")


# --- optima ----------------------------------------------------------------------------------------

NUMBERS = (
    '(declare free "x" () Int)',
    '(declare free "y" () Real)',
    '(assert "f0" "fact" fact (<= x 3))',
)
CONSTRAINT = '(constraint "c0" "" constraint (< y (lit Real 5/2)))'
OBJECTIVES = ('(objective "most x" "maximize" x)', '(objective "most y" "maximize" y)')


def optimizing(mode: str, *lines: str) -> str:
    return program(*NUMBERS, f'(optimize "{mode}")', CONSTRAINT, *OBJECTIVES, *lines, '(actions "optimize")')


BEST = (
    "(objective 3)",
    "(model m)",
    "(constant x 3)",
    "(constant y (lit Real 0/1))",
    '(refutation r better "objective 0")',
    '(instance 1 "f0")',
    "(instance 2 goal)",
    "(empty)",
)
LIMIT = (
    "(objective (lit Real 5/2))",
    '(refutation s reached "objective 1")',
    '(instance 1 "c0")',
    "(instance 2 goal)",
    "(empty)",
)
OPTIMAL = ('(result "objective 0" optimal)', "(sat reached m)", "(unsat better r)")
UNATTAINED = ('(result "objective 1" unattained)', "(unsat reached s)", '(agreed sat approached "z3")')


@pytest.mark.parametrize("mode", ["lexicographic", "box"])
def test_objectives_have_answers_of_their_own(mode: str) -> None:
    """[CERT-OBJECTIVE] [CERT-OPTIMUM-GOAL] [CERT-LIMIT] The other has a solver's word."""
    found = outcome(*BEST, *LIMIT, *OPTIMAL, *UNATTAINED, text=optimizing(mode), results=())
    assert (found.status, found.open) == ("VALID_WITH_HOLES", ("objective 1",))
    assert found.verdicts == {"objective 0": "optimal 3", "objective 1": "unattained 5/2"}


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("(objective 3)", "(objective 2)", "does not follow by unit"),
        ("(objective 3)", "(objective 4)", "is false in m"),
        ("(objective 3)", "(objective (lit Real 3/1))", "objectives' sorts"),
        ("(objective 3)", "(objective x)", "objectives' sorts"),
        ("(objective 3)", "(objective 3 3)", "objectives' sorts"),
        ("(objective 3)", "(point 3 3)", "misplaced part"),
        ("(objective 3)", "(front)", "misplaced part"),
        ("(objective 3)", "(objective)", "no such claim"),
        ("(constant x 3)", "(constant x 2)", "is false in m"),
        ("(constant y (lit Real 0/1))", "(constant y (lit Real 5/2))", "'c0' is false in m"),
        ("(sat reached m)", "(sat better m)", "is false in m"),
        ("(unsat better r)", "(unsat better s)", "does not refute"),
        ("(unsat better r)", "(unsat reached r)", "once for each side"),
        ("(unsat better r)", '(agreed unsat feasible () "z3")', "does not follow from its evidence"),
        (OPTIMAL[0], '(result "objective 0" unbounded)', "does not follow from its evidence"),
        (OPTIMAL[0], '(result "objective 0" infeasible)', "does not follow from its evidence"),
        (OPTIMAL[0], '(result "objective 0" entailed)', "unknown verdict"),
        (OPTIMAL[0], '(result "objective 2" optimal)', "misplaced"),
        (UNATTAINED[2], "(sat approached m)", "is false in m"),
        (UNATTAINED[2], "(sat beyond m)", "is false in m"),
        (OPTIMAL[1], "(sat approached m)", "does not follow from its evidence"),
        (UNATTAINED[2], '(agreed sat approached ("c0") "z3")', "one solver or two"),
        ('(instance 1 "c0")', '(instance 1 "f0")', "does not follow by unit"),
        ('(refutation r better "objective 0")', '(refutation r better "objective 1")', "no such claim"),
        ('(refutation r better "objective 0")', "(refutation r better)", "no such claim"),
    ],
)
def test_a_wrong_optimum_is_refused(old: str, new: str, reason: str) -> None:
    """[CERT-OBJECTIVE] [CERT-OPTIMUM-GOAL] [CERT-RULE]"""
    lines = [new if line == old else line for line in (*BEST, *LIMIT, *OPTIMAL, *UNATTAINED)]
    assert old in (*BEST, *LIMIT, *OPTIMAL, *UNATTAINED)
    found = outcome(*lines, text=optimizing("lexicographic"), results=())
    assert (found.status, reason in found.message) == ("INVALID", True), found.message


@pytest.mark.parametrize(
    ("direction", "best", "worse"), [("maximize", 9, 8), ("minimize", 1, 2)], ids=["maximize", "minimize"]
)
def test_bit_vectors_are_compared_unsigned(direction: str, best: int, worse: int) -> None:
    """[CERT-OPTIMUM-GOAL] 9 is more than 1, which as signed numbers of four bits it is not."""
    text = program(
        '(declare free "v" () (BitVec 4))',
        '(optimize "box")',
        '(constraint "c" "" constraint (or (= v (lit (BitVec 4) 1)) (or (= v (lit (BitVec 4) 2))'
        " (or (= v (lit (BitVec 4) 8)) (= v (lit (BitVec 4) 9))))))",
        f'(objective "o" "{direction}" v)',
    )

    def said(value: int) -> Outcome:
        high = f"(lit (BitVec 4) {value})"
        lines = (f"(objective {high})", "(model m)", f"(constant v {high})",
                 '(refutation r better "objective 0")', '(instance 1 "c")', "(instance 2 goal)")  # fmt: skip
        first, second = ("v", high) if direction == "minimize" else (high, "v")
        axioms = []
        for number, each in enumerate((1, 2, 8, 9), 3):
            literal = f"(lit (BitVec 4) {each})"
            pair = (literal, high) if direction == "minimize" else (high, literal)
            axioms.append(f"(axiom {number} congruent bvult ({first} {second}) ({' '.join(pair)}))")
        results = ('(result "objective 0" optimal)', "(sat reached m)", "(unsat better r)")
        return outcome(*lines, *axioms, "(empty)", *results, text=text, results=())

    assert said(best).status == "VALID", said(best)
    assert said(worse).status == "INVALID"


def test_every_objective_has_an_answer() -> None:
    """[CERT-RESULT] If the program asks for the optimum."""
    text = optimizing("box")
    rejected(outcome(*BEST, *OPTIMAL, text=text, results=()), 14, "no result for 'objective 1'")
    rejected(outcome(text=text, results=()), 3, "no result for 'objective 0'")
    silent = text.replace('(actions "optimize")', '(actions "verify")')
    rejected(outcome(text=silent, results=()), 3, "no result for 'assumptions'")


def test_behind_an_objective_without_a_value_nothing_is_ordered() -> None:
    """[CERT-OBJECTIVE]"""
    lines = ("(objective)", "(objective (lit Real 5/2))")
    first = ('(result "objective 0" unbounded)', '(agreed sat beyond "z3")')
    whole = (*lines, '(refutation s reached "objective 1")')
    rejected(outcome(*whole, text=optimizing("lexicographic"), results=()), 5, "no such claim")
    unknown = '(result "objective 1" unknown)'
    found = outcome(*lines, *first, unknown, text=optimizing("lexicographic"), results=())
    assert (found.status, found.open) == ("VALID_WITH_HOLES", ("objective 0", "objective 1"))


FRONT = (
    "(point 3 (lit Real 2/1))",
    "(model m)",
    "(constant x 3)",
    "(constant y (lit Real 2/1))",
    '(refutation r better "point 0")',
    '(instance 1 "f0")',
    '(instance 2 "c0")',
    "(instance 3 goal)",
    "(empty)",
    "(front)",
    '(refutation s better "front")',
    '(instance 1 "f0")',
    '(instance 2 "c0")',
    "(instance 3 goal)",
    "(empty)",
    '(result "point 0" optimal)',
    "(sat reached m)",
    "(unsat better r)",
    '(result "front" complete)',
    "(unsat better s)",
)


def test_a_front_is_its_points_and_no_more() -> None:
    """[CERT-POINT] [CERT-FRONT]"""
    text = optimizing("pareto").replace("(< y (lit Real 5/2))", "(<= y (lit Real 2/1))")
    found = outcome(*FRONT, text=text, results=())
    assert (found.status, found.open) == ("VALID", ())
    assert found.verdicts == {"point 0": "optimal 3 2", "front": "complete"}
    assert outcome(*FRONT, text=optimizing("pareto"), results=()).status == "INVALID"
    rejected(outcome(*FRONT[:9], *FRONT[15:18], text=text, results=()), 15, "no result for 'front'")
    rejected(outcome("(point 3)", text=text, results=()), 3, "objectives' sorts")
    rejected(outcome("(objective 3)", text=text, results=()), 3, "misplaced part")


def test_a_program_that_asks_nothing_has_its_assumptions_answered() -> None:
    """[CERT-ASSUMPTIONS] [CERT-RESULT]"""
    text = program('(declare constant "p" () Bool)', '(assert "x" "" fact p)', '(assert "y" "" fact (not p))')
    rejected(outcome(text=text, results=()), 3, "no result for 'assumptions'")
    lines = ("(refutation r assumptions)", '(instance 1 "x")', '(instance 2 "y")', "(empty)",
             '(result "assumptions" inconsistent)', "(unsat assumptions r)")  # fmt: skip
    assert outcome(*lines, text=text, results=()).status == "VALID"
    rejected(outcome('(result "assumptions" consistent)', text=text, results=()), 3, "does not follow")
    said = ('(result "assumptions" consistent)', '(agreed sat assumptions "z3")')
    assert outcome(*said, text=text, results=()).open == ("assumptions",)


# --- what is shown ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verdict", "evidence", "shown"),
    [
        ("entailed", ("(sat claim m)", "(unsat negation r0)"), True),
        ("entailed", ('(agreed sat claim "z3")', "(unsat negation r0)"), True),
        ("entailed", ("(sat claim m)", '(agreed unsat negation () "z3")'), False),
        ("entailed", ('(agreed sat claim "z3")', '(agreed unsat negation () "z3")'), False),
        ("refuted", ('(agreed sat negation "z3")', '(agreed unsat claim () "z3")'), False),
        ("undetermined", ("(sat claim m)", '(agreed sat negation "z3")'), False),
        ("inconsistent", ('(agreed unsat assumptions () "z3")',), False),
    ],
)
def test_a_solvers_word_leaves_a_result_open(verdict: str, evidence: tuple[str, ...], shown: bool) -> None:
    """[CERT-OPEN] Also beside evidence that was checked, if that alone leaves another verdict."""
    lines = WHOLE[: WHOLE.index('(result "yes" entailed)')]
    found = outcome(*lines, f'(result "yes" {verdict})', *evidence, results=UNKNOWN[1:])
    assert found.status == "VALID_WITH_HOLES" or shown
    assert ("yes" not in found.open) is shown


def test_nothing_answered_is_not_valid() -> None:
    """[CERT-NOTHING]"""
    assert [hole.text for hole in outcome().holes] == [NOTHING]
    assert outcome().open == ("yes", "no", "open", "which")


# --- what was refuted ------------------------------------------------------------------------------


def test_what_was_refuted_is_remembered_with_its_lines() -> None:
    """[CERT-REFUTED] Lines of text alone, all of them, and complete ones."""
    theory = theory_of('(declare constant "p" () Bool)', '(assert "f0" "" fact p)', '(claim "v" "" () p)')
    lines = ('(instance 1 "f0")', "(instance 2 goal)", "(empty)")
    for given in (lines, [tree(line) for line in lines]):
        refutation = Refutation(theory, "negation", "v")
        for line in given[:2]:
            refutation.statement(line)
        assert not theory.refuted
        refutation.statement(given[2] if isinstance(given, tuple) else tree("(empty)"))
        assert refutation.refuted
        goal = theory.questions["v"].sides["negation"]
        assert theory.refuted == ({(goal, lines)} if isinstance(given, tuple) else set())
        theory.refuted.clear()
    with pytest.raises(Invalid):
        Refutation(theory, "claim", "v").statement("(empty)")
    assert not theory.refuted


@pytest.mark.parametrize("bound", ["?x.0", "?y.1"])
def test_each_variable_of_a_formula_is_bound(bound: str) -> None:
    """[CERT-KERNEL] Of two that stand side by side none is forgotten."""
    lines = ["(potlang-ir 1)", "(sort S)", '(declare function "R" (S S) Bool)']
    formula = f"(vars (?x.0 S) (?y.1 S)) (forall ({bound}) (R ?x.0 ?y.1))"
    with pytest.raises(Invalid, match="nothing binds"):
        read_theory("\n".join([*lines, f'(assert "0" "" fact {formula})', ""]))


@pytest.mark.parametrize("op", ["<", "<=", "="])
def test_comparisons_of_literals_are_truth_values(op: str) -> None:
    """[CERT-NORMAL] Also where they are parts of terms, which negations of truth values would not match."""
    terms = read_theory(PROGRAM).terms
    zero, one = (terms.literal(value, INT) for value in (0, 1))
    assert terms.apply(op, (zero, one)) is terms.literal(op != "=", BOOL)
    assert terms.apply(op, (zero, zero)) is terms.literal(op != "<", BOOL)
