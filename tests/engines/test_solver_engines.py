"""What every engine answers, asked through a worker."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import pytest

from potlang.engines.commands import ENGINES, solver_command
from potlang.engines.messages import Query
from potlang.engines.solver import SolverSession
from potlang.engines.z3 import Z3Context, Z3Engine
from potlang.ir.sorts import REAL
from potlang.processes.pool import Workers
from potlang.smt.values import Algebraic, read_value

BASE = """
(declare-sort S 0)(declare-const a S)(declare-const b S)
(declare-fun P (S) Bool)(declare-fun Q (S) Bool)
(assert (! (forall ((x S)) (=> (P x) (Q x))) :named |rule 1|))
(assert (! (P a) :named fact))
(assert (! (Q b) :named other))
"""
HARD = """
(declare-const n Int)(declare-const m Int)(declare-const k Int)
(assert (and (> n 2) (> m 2) (> k 2) (= (+ (* n n n) (* m m m)) (* k k k))))
"""
# A dense order without end points over a sort, but for one of the axioms: finite models only.
FINITE = """
(declare-sort T 0)(declare-fun R (T T) Bool)
(assert (forall ((x T)) (exists ((y T)) (R x y))))
(assert (forall ((x T)) (not (R x x))))
(assert (forall ((x T) (y T) (z T)) (=> (and (R x y) (R y z)) (exists ((w T)) (and (R z w) (not (R w x)))))))
"""
DIRECT = ("z3", "cvc5")
every_engine = pytest.mark.parametrize("engine", ENGINES)
direct_engine = pytest.mark.parametrize("engine", DIRECT)


@every_engine
def test_an_unsat_core_names_what_is_needed(shared: Workers, engine: str) -> None:
    with SolverSession(shared, engine, BASE) as session:
        answer = session.ask(Query("(assert (! (not (Q a)) :named goal))", core=True), 5000)
    assert answer.status == "unsat"
    assert answer.core is not None
    assert sorted(answer.core) == ["fact", "goal", "rule 1"]
    assert answer.values is None


@every_engine
def test_values_come_in_the_order_asked(shared: Workers, engine: str) -> None:
    text = "(declare-const n Int)(declare-const r Real)(assert (= n (- 3)))(assert (= r (/ 1.0 2.0)))"
    with SolverSession(shared, engine, BASE) as session:
        answer = session.ask(Query(text, ("n", "(P a)", "r", "(= n 0)")), 5000)
        plain = session.ask(Query(text), 5000)
    assert answer.status == "sat"
    assert answer.values is not None
    assert [value.replace(".0", "") for value in answer.values] == ["(- 3)", "true", "(/ 1 2)", "false"]
    assert plain.status == "sat"
    assert plain.values == ()


@direct_engine
@pytest.mark.parametrize(
    ("extra", "status"),
    [("", "sat"), ("(assert (> (* x x x) 3.0))", "unsat"), ("(assert (= (* y y y) (+ x 5.0)))", "sat")],
)
def test_roots_that_are_not_rational_are_found(shared: Workers, engine: str, extra: str, status: str) -> None:
    base = "(declare-const x Real)(declare-const y Real)"
    with SolverSession(shared, engine, base) as session:
        answer = session.ask(Query(f"(assert (= (* x x) 2.0)){extra}", ("x",)), 5000)
        again = session.ask(Query("(assert (= (* x y) 1.0))(assert (= x 2.0))", ("y",)), 5000)
    assert answer.status == status
    if answer.values is not None:
        root = read_value(answer.values[0], REAL)
        assert isinstance(root, Algebraic)
        assert abs((root.approximation or 0) ** 2 - 2) < Fraction(1, 10**12)
    assert again.values is not None
    assert read_value(again.values[0], REAL) == Fraction(1, 2)


@every_engine
def test_queries_leave_nothing_behind(shared: Workers, engine: str) -> None:
    """Declarations and assertions of one query are not there in the next, which may use the name anew."""
    queries = [
        Query("(declare-const n Int)(assert (= n 1))(assert (not (Q a)))"),
        Query("(declare-const n Bool)(assert n)(assert (Q a))", ("n",)),
        Query("(assert (not (P a)))"),
        Query("(assert (P b))"),
    ]
    with SolverSession(shared, engine, BASE) as session:
        answers = list(session.ask_all(queries, 5000))
    assert [answer.status for answer in answers] == ["unsat", "sat", "unsat", "sat"]
    assert answers[1].values == ("true",)


@every_engine
def test_a_bad_query_does_not_poison_the_next(shared: Workers, engine: str) -> None:
    bad = [
        "(assert (Nowhere a))",
        "(assert (P a)",
        "(assert (P a))\0(assert false)",
        "(declare-const |\ud800| Int)",
    ]
    queries = [Query(text) for each in bad for text in (each, "(assert (not (Q a)))")]
    with SolverSession(shared, engine, BASE) as session:
        answers = list(session.ask_all(queries, 5000))
    for refused, fine in zip(answers[:6:2], answers[1:6:2], strict=True):
        assert (refused.status, fine.status) == ("unknown", "unsat")
        assert refused.reason in ("error", "unsupported")
        assert refused.detail
    assert answers[7].status == "unsat"


@every_engine
def test_a_value_that_cannot_be_had_leaves_the_status(shared: Workers, engine: str) -> None:
    """The direct engines keep the status; pysmt reads the terms with the script and refuses the whole."""
    with SolverSession(shared, engine, BASE) as session:
        answer = session.ask(Query("(assert (Q a))", ("(P nowhere)",)), 5000)
    assert answer.values is None
    assert answer.detail
    assert (answer.status, answer.reason) in (("sat", None), ("unknown", "unsupported"))


@direct_engine
def test_a_bad_base_is_the_answer_to_every_query(shared: Workers, engine: str) -> None:
    with SolverSession(shared, engine, "(assert (Nowhere))") as session:
        answers = list(session.ask_all([Query(""), Query("(assert false)")], 5000))
        assert [(each.status, each.reason) for each in answers] == [("unknown", "error")] * 2
        session.start(BASE)
        assert session.ask(Query("(assert (not (Q a)))"), 5000).status == "unsat"


@every_engine
def test_a_hard_check_ends_at_its_limit(shared: Workers, engine: str) -> None:
    with SolverSession(shared, engine, BASE) as session:
        answer, after = session.ask_all([Query(HARD), Query("(assert (not (Q a)))")], 300)
    assert (answer.status, answer.reason) == ("unknown", "timeout")
    assert after.status == "unsat"


@pytest.mark.parametrize(("limit", "reason"), [(0, "timeout"), (60_000, "incomplete")])
def test_z3_that_is_stopped_among_quantifiers_had_too_little_time(
    monkeypatch: pytest.MonkeyPatch, limit: int, reason: str
) -> None:
    """It says only that there were instances left; the dispatcher asks again who had no time."""
    monkeypatch.setattr(Z3Context, "check", lambda *_: "unknown")
    monkeypatch.setattr(Z3Context, "why_unknown", lambda _: "(incomplete quantifiers)")
    answer = Z3Engine().ask(Query("(assert true)"), limit)
    assert (answer.status, answer.reason) == ("unknown", reason)


@direct_engine
def test_the_resource_limit_ends_a_check_long_before_the_time(shared: Workers, engine: str) -> None:
    with SolverSession(shared, engine, "", rlimit=20_000) as session:
        answer = session.ask(Query(HARD), 60_000)
    assert answer.status == "unknown"
    assert answer.time_ms < 20_000


@pytest.mark.parametrize("engine", ["cvc5", "cvc5-pysmt"])
def test_finite_model_finding_is_the_second_try(shared: Workers, engine: str) -> None:
    bounded = (
        "(declare-fun f (Int) Int)(assert (forall ((i Int)) (=> (and (<= 1 i) (<= i 3)) "
        "(exists ((j Int)) (and (<= 1 j) (<= j 3) (= (f j) i))))))"
    )
    for base in (FINITE, bounded):
        with SolverSession(shared, engine, base) as session:
            assert session.ask(Query(""), 10_000).status == "sat"


@direct_engine
def test_the_whole_vocabulary_of_the_printer(shared: Workers, engine: str) -> None:
    text = r'''
    (declare-datatypes ((Color 0)) (((red) (green))))
    (declare-datatypes ((Pair 0)) (((pair (first Int) (second Color)))))
    (declare-const |crème brûlée| Color)(declare-const p Pair)
    (declare-const bv (_ BitVec 8))(declare-const arr (Array Int Int))(declare-const s String)
    (declare-const n Int)(declare-const r Real)
    (define-fun twice ((i Int)) Int (* 2 i))
    (assert (! (distinct |crème brûlée| red) :named d))
    (assert (= p (pair 7 |crème brûlée|)))
    (assert (= bv (bvadd #x0f #x01)))
    (assert (= (select (store arr 1 5) 1) (div 11 2)))
    (assert (= s (str.++ "a" "\u{1f600}" """")))
    (assert (let ((m (twice 4))) (= n (+ (mod m 3) (abs (- 2)) (str.len s)))))
    (assert (= r (/ (to_real n) 2.0)))
    (assert (= (to_int r) 3))
    '''
    with SolverSession(shared, engine, text) as session:
        answer = session.ask(Query("", ("|crème brûlée|", "(first p)", "bv", "s", "n", "(to_int r)")), 10_000)
    assert answer.status == "sat"
    assert answer.values is not None
    assert answer.values == (
        "green",
        "7",
        "#x10" if engine == "z3" else "#b00010000",
        r'"a\u{1f600}"""',
        "7",
        "3",
    )


def test_what_pysmt_cannot_read_is_unsupported(shared: Workers) -> None:
    """[ROUTE-PYSMT]"""
    texts = [
        "(declare-datatypes ((C 0)) (((red) (green))))",
        "(declare-const n Int)(assert (= (mod n 2) 0))",
        r'(declare-const s String)(assert (= s "\u{61}"))',
    ]
    with SolverSession(shared, "cvc5-pysmt") as session:
        answers = list(session.ask_all([Query(text) for text in texts], 5000))
    assert [answer.reason for answer in answers] == ["unsupported"] * 3


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("(declare-const n Int)(assert (> n 3))(assert (< n 5))(assert (not (= n 4)))", "unsat"),
        ("(declare-fun f (S) S)(assert (forall ((x S)) (not (= (f x) x))))(assert (= (f a) b))", "sat"),
        (
            "(declare-fun f (S S) Bool)(assert (not (f a a)))"
            "(assert (exists ((x S)) (forall ((y S)) (f x y))))",
            "sat",
        ),
        ("(assert (distinct a b))(assert (forall ((x S)) (= x a)))", "unsat"),
        (
            "(declare-const r Real)(declare-const n Int)"
            "(assert (< 0.0 r))(assert (< r (to_real n)))(assert (< n 1))",
            "unsat",
        ),
        ("(declare-const v (_ BitVec 4))(assert (bvult v #x1))(assert (not (= v #x0)))", "unsat"),
        ('(declare-const s String)(assert (= (str.len s) 2))(assert (str.prefixof "abc" s))', "unsat"),
        ("(declare-fun g (Int) Bool)(assert (! (g 1) :named one))(assert (xor (g 1) (g 2)))", "sat"),
    ],
)
def test_the_engines_agree(shared: Workers, text: str, status: str) -> None:
    for engine in ENGINES:
        with SolverSession(shared, engine, BASE) as session:
            assert session.ask(Query(text), 10_000).status == status, engine


def test_what_cvc5_prints_does_not_corrupt_the_answers(workers: Workers) -> None:
    """cvc5 prints to the standard output and error of its process; the parent keeps the end of it."""
    with SolverSession(workers, "cvc5", "(set-option :verbosity 5)" + BASE) as session:
        statuses = [
            each.status for each in session.ask_all([Query("(assert (not (Q a)))"), Query(HARD)] * 2, 300)
        ]
        process = session._process
        assert process is not None
        assert process._pipes.stderr()
    assert statuses == ["unsat", "unknown"] * 2


def test_what_z3_prints_does_not_corrupt_the_answers(workers: Workers) -> None:
    """z3 mixes its messages into what its reader prints."""
    with SolverSession(workers, "z3", "(set-option :verbose 10)" + BASE) as session:
        core, sat = session.ask_all(
            [
                Query("(assert (not (Q a)))", core=True),
                Query("(declare-const n Int)(assert (= (* n n) 49))", ("n",)),
            ],
            5000,
        )
    assert core.core is not None
    assert sorted(core.core) == ["fact", "rule 1"]
    assert sat.values is not None
    assert sat.values[0] in ("7", "(- 7)")


def test_an_unknown_engine_is_a_wrong_call(shared: Workers) -> None:
    with pytest.raises(ValueError, match="no engine"):
        SolverSession(shared, "prolog")
    with pytest.raises(ValueError, match="no engine"):
        shared.warm(solver_command("prolog"))


@pytest.mark.parametrize(
    "text",
    [
        # No end and no cycle: infinite models only.
        "(declare-sort T 0)(declare-fun R (T T) Bool)(assert (forall ((x T)) (exists ((y T)) (R x y))))"
        "(assert (forall ((x T)) (not (R x x))))"
        "(assert (forall ((x T) (y T) (z T)) (=> (and (R x y) (R y z)) (R x z))))",
        # Unsatisfiable by induction, satisfiable if the integers ended anywhere.
        "(declare-fun p (Int) Bool)(declare-const n Int)(assert (forall ((x Int)) (=> (p x) (p (+ x 1)))))"
        "(assert (p 0))(assert (> n 0))(assert (not (p n)))",
    ],
)
@pytest.mark.parametrize("engine", ["cvc5", "cvc5-pysmt"])
def test_finite_model_finding_claims_nothing_about_the_infinite(
    shared: Workers, engine: str, text: str
) -> None:
    with SolverSession(shared, engine, text) as session:
        assert session.ask(Query(""), 300).status == "unknown"


@pytest.mark.parametrize("first", ["z3", "potlang.engines.z3"])
def test_z3_can_be_imported_beside_the_engine(first: str) -> None:
    # The engine imports z3's C interface alone; a program that also uses z3's Python terms must find them.
    program = f"""
import {first}
from potlang.engines.z3 import Z3Context
context = Z3Context()
print(context.run('(declare-const a Int)(assert (< a 3 a))(check-sat)').strip())
import z3
solver = z3.Solver()
solver.add(z3.Int("a") > 3)
print(solver.check(), solver.model())
del context
print(z3.simplify(z3.Int("b") - z3.Int("b")))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split("\n") == ["unsat", "sat [a = 4]", "0", ""]
