"""The saturation prover: what it is sent, and how little of what it says is believed. [PROVER-*]"""

from __future__ import annotations

import json
import random
import shutil
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from verdict_programs import World

from potlang import api
from potlang.engines.ground.grounding import Grounder
from potlang.engines.messages import Query, SolverAnswer
from potlang.engines.saturation import eprover
from potlang.engines.saturation.eprover import EproverEngine
from potlang.engines.saturation.problem import SaturationProblem
from potlang.engines.saturation.proof import Confirmed, Unconfirmed, confirm
from potlang.engines.saturation.tptp import (
    TermBank,
    UnreadableProof,
    clauses_of,
    proof_in,
    signature_of,
    steps_of,
)
from potlang.engines.solver import SolverSession
from potlang.ir.sorts import BOOL, DeclaredSort
from potlang.processes.pool import Workers
from potlang.prove.options import ProverOptions
from potlang.prove.prover import Prover
from potlang.report.results import Limits
from potlang.utils.deadline import Deadline

RECORDED = Path(__file__).parent / "recorded"
PROBLEM = (RECORDED / "squares.p").read_text(encoding="utf-8")
OUTPUT = (RECORDED / "squares.out").read_text(encoding="utf-8")
SATISFIABLE = PROBLEM.replace("f0(f2,f3)!=f0(f3,f2)", "f0(f2,f3)=f0(f3,f2)")
HAS_PROVER = pytest.mark.skipif(shutil.which("eprover") is None, reason="eprover is not installed")
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="the doubles are scripts")


def checked(output: str, problem: str = PROBLEM) -> Confirmed:
    bank = TermBank()
    signature = signature_of(problem)
    steps = steps_of(proof_in(output), signature, bank)
    return confirm(steps, clauses_of(problem, signature, bank), signature, bank, Deadline(20_000))


def derivation(*statements: str) -> str:
    body = "\n".join(statements)
    kind = "CNFRefutation"
    return f"# SZS status Unsatisfiable\n# SZS output start {kind}\n{body}\n# SZS output end {kind}\n"


# --- proofs ----------------------------------------------------------------------------------------------


def test_a_recorded_proof_is_confirmed_and_shows_its_instances() -> None:
    """[PROVER-PROOF] [PROVER-INSTANCES]"""
    found = checked(OUTPUT)
    assert set(found.used) == {"a0", "a1", "a2", "a3"}
    assert found.instances is not None
    assert {name for name, _ in found.instances} == {"a0", "a1", "a2", "a3"}


def test_instances_of_a_proof_contradict_each_other() -> None:
    """[PROVER-INSTANCES] By z3, which is given the instances alone."""
    import z3

    bank = TermBank()
    signature = signature_of(PROBLEM)
    clauses = clauses_of(PROBLEM, signature, bank)
    steps = steps_of(proof_in(OUTPUT), signature, bank)
    found = confirm(steps, clauses, signature, bank, Deadline(20_000))
    assert found.instances is not None
    sort = z3.DeclareSort("s0")
    times = z3.Function("f0", sort, sort, sort)

    def term(number: int) -> Any:
        head, args = bank.heads[number], bank.args[number]
        assert not head[:1].isupper(), "an instance is ground"
        return times(*map(term, args)) if args else z3.Const(head, sort)

    solver = z3.Solver()
    for name, values in found.instances:
        clause = clauses[name]
        images = dict(zip([variable for variable, _ in clause.variables], values, strict=True))
        literals = []
        for literal in clause.literals:
            left, right = (term(each) for each in bank.substitute(literal.args, images))
            literals.append((left == right) == literal.positive)
        solver.add(z3.Or(literals))
    assert solver.check() == z3.unsat


@pytest.mark.slow
def test_a_wrong_step_is_found() -> None:
    """[PROVER-STEP] Whatever clause of a right proof is changed into one that does not hold."""
    wrong = [
        ("f0(X1,f0(X1,X2))=X2, inference", "f0(X1,f0(X2,X2))=X2, inference"),
        ("f0(X1,f1)=X1, inference", "f0(X1,f1)=f1, inference"),
        ("f0(X1,f0(X2,X1))=X2", "f0(X1,f0(X2,X1))=X1"),
        ("![X2:s0, X1:s0]:f0(X1,X2)=f0(X2,X1)", "![X2:s0, X1:s0]:f0(X1,X2)=X1"),
        ("tcf(c_0_9, plain, ![X1:s0]:f0(f1,X1)=X1", "tcf(c_0_9, plain, ![X1:s0]:f0(X1,f1)=X1"),
    ]
    for right, other in wrong:
        assert right in OUTPUT
        with pytest.raises(Unconfirmed, match="does not follow"):
            checked(OUTPUT.replace(right, other))


@pytest.mark.parametrize(
    ("rest", "record"), [("", "rn,[],[c1]"), ("|p1", "sr,[],[c1,c5]")], ids=["renamed", "replayed"]
)
def test_an_equation_says_nothing_of_another_sort(rest: str, record: str) -> None:
    """[PROVER-STEP] One sort has one member: the other may have more."""
    first = "|p0" if rest else ""
    problem = f"""
        tff(t_s0,type,s0:$tType). tff(t_s1,type,s1:$tType).
        tff(t_f0,type,f0:s1). tff(t_f1,type,f1:s1). tff(t_p0,type,p0:$o). tff(t_p1,type,p1:$o).
        tff(a0,axiom,![X0:s0,X1:s0]:(X0=X1{first})). tff(a1,axiom,f0!=f1).
        tff(a2,axiom,~p0|p1). tff(a3,axiom,~p1).
    """
    steps = (
        f"tff(c1,axiom,![X0:s0,X1:s0]:(X0=X1{first}),file('x',a0)).",
        "tff(c2,axiom,f0!=f1,file('x',a1)).",
        "tff(c5,axiom,~p0|p1,file('x',a2)).",
        "tff(c6,axiom,~p1,file('x',a3)).",
        f"tff(c3,plain,f0=f1{rest},inference({record})).",
        "tff(c4,plain,$false,inference(sr,[],[c2,c3,c6])).",
    )
    with pytest.raises(Unconfirmed, match="step c3"):
        checked(derivation(*steps), problem)


@pytest.mark.parametrize("arity", [1, 2, 3])
@pytest.mark.parametrize(("before", "after"), [("f1", "f2"), ("f0(f0(f1))", "f0(f0(f2))")])
def test_an_equation_rewrites_a_literal_with_any_number_of_terms(arity: int, before: str, after: str) -> None:
    """[PROVER-STEP] In all places; a literal with another term in one place does not follow."""
    domain = " * ".join(["s0"] * arity)
    problem = f"""
        tff(t_s0,type,s0:$tType). tff(t_f0,type,f0:s0 > s0). tff(t_f1,type,f1:s0). tff(t_f2,type,f2:s0).
        tff(t_f3,type,f3:s0). tff(t_p0,type,p0:({domain}) > $o).
        tff(a0,axiom,f1=f2). tff(a1,axiom,p0({",".join([before] * arity)})).
        tff(a2,axiom,~p0({",".join([after] * arity)})).
    """
    for last, holds in ((after, True), ("f3", False)):
        steps = (
            "tff(c1,axiom,f1=f2,file('x',a0)).",
            f"tff(c2,axiom,p0({','.join([before] * arity)}),file('x',a1)).",
            f"tff(c3,axiom,~p0({','.join([after] * arity)}),file('x',a2)).",
            f"tff(c4,plain,p0({','.join([*[after] * (arity - 1), last])}),inference(rw,[],[c2,c1])).",
            "tff(c5,plain,$false,inference(sr,[],[c4,c3])).",
        )
        if holds:
            assert set(checked(derivation(*steps), problem).used) == {"a0", "a1", "a2"}
        else:
            with pytest.raises(Unconfirmed, match="step c4"):
                checked(derivation(*steps), problem)


def test_a_clause_that_the_problem_has_not_is_not_taken_for_its_own() -> None:
    """[PROVER-STEP]"""
    with pytest.raises(Unconfirmed, match="does not follow"):
        checked(
            OUTPUT.replace("]:f0(X1,X1)=f1, file", "]:f0(X1,X2)=f1, file").replace(
                "![X1:s0]:f0(X1,X2)", "![X1:s0, X2:s0]:f0(X1,X2)"
            )
        )
    with pytest.raises(Unconfirmed, match="the problem has no a7"):
        checked(OUTPUT.replace("file('squares.p', a3)", "file('squares.p', a7)"))
    with pytest.raises(Unconfirmed, match="there is no c_9_9 before c_0_15"):
        checked(OUTPUT.replace("[c_0_10, c_0_13]", "[c_0_10, c_9_9]"))


@pytest.mark.parametrize(
    ("statements", "why"),
    [
        ((), "no empty clause"),
        (("cnf(c, plain, $false, introduced(definition)).",), "does not follow"),
        (("cnf(c, plain, $false, inference(magic, [status(thm)], [])).",), "does not follow"),
        (("cnf(c, plain, $false, inference(er, [status(thm)], [c])).",), "there is no c before c"),
        (("cnf(c, plain, $false, file('x', a1)).",), "does not follow"),
        (
            (
                "cnf(c, plain, f2=f3, inference(er, [status(thm)], [d])).",
                "cnf(d, plain, $false, inference(er, [status(thm)], [c])).",
            ),
            "there is no d before c",
        ),
        (
            (
                "tcf(c, plain, ![X:s0]: X=f1, introduced(definition)).",
                "cnf(d, plain, $false, inference(rw, [status(thm)], [c])).",
            ),
            "does not follow",
        ),
        (
            (
                "tcf(c, plain, f2=f2, file('x', a2)).",
                "tcf(c, plain, $false, inference(rw, [status(thm)], [c])).",
            ),
            "two steps are called c",
        ),
        (("cnf(c, plain, p7(f2), file('x', a1)).",), "a symbol p7"),
        (("cnf(c, plain, f0(f2)=f2, file('x', a1)).",), "with 1 arguments"),
        (("cnf(c, plain, f2, file('x', a1)).",), "out of place"),
        (("cnf(c, plain, X=Y, file('x', a1)).",), "sort is not known"),
        (("cnf(c, plain, f2=f3).",), "says not where it comes from"),
        (("tff(c, plain, ?[X:s0]: X=f2, file('x', a1)).",), "no term|no clause"),
        (("tff(c, plain, (f2=f3 & f3=f2), file('x', a1)).",), "no clause"),
        (("tff(c, plain, ~(f2=f3 | f3=f2), file('x', a1)).",), "no clause"),
        (("thf(c, plain, $false, file('x', a1)).",), "a statement thf"),
        (("cnf(c, plain, $false, file('x', a1))",), "does not end"),
        (("cnf(c, plain, ((f2=f3), file('x', a1)).",), "bracket|does not end"),
        (("cnf(c, plain, f2=f3), file('x', a1)).",), "does not end"),
        (("\x00\x01 \ufffd",), "the character"),
        (("cnf(c, plain, f0(,)=f2, file('x', a1)).",), "no term"),
        (("cnf(c, plain, f2==f2, file('x', a1)).",), "no term"),
        (("cnf((), plain, f2=f2, file('x', a1)).",), "no name"),
        ((").",), "no statement"),
    ],
)
def test_what_is_no_proof_is_refused(statements: tuple[str, ...], why: str) -> None:
    """[PROVER-PROOF] Of a satisfiable problem, so that any proof would be wrong."""
    with pytest.raises((UnreadableProof, Unconfirmed), match=why):
        checked(derivation(*statements), SATISFIABLE)


def test_damaged_proofs_are_refused_or_right() -> None:
    """[PROVER-PROOF] A proof of another problem, damaged, raises nothing else and proves nothing."""
    chance = random.Random(3)
    for _ in range(25):
        text = list(OUTPUT)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(text))
            text[at : at + chance.randint(0, 3)] = chance.choice(
                ("", "(", ")", ",", "~", "|", "X1", "a0", "\n")
            )
        with pytest.raises((UnreadableProof, Unconfirmed)):
            checked("".join(text), SATISFIABLE)


@pytest.mark.slow
def test_deep_and_long_texts_are_read_without_recursion() -> None:
    """[PROVER-PROOF]"""
    deep = "f0(f2," * 50_000 + "f2" + ")" * 50_000
    bank = TermBank()
    signature = signature_of(PROBLEM)
    text = f"cnf(c, plain, {deep}=f2, {'inference(rw, [], [' * 20_000}a0{'])' * 20_000})."
    (step,) = steps_of(text, signature, bank)
    assert step.clause is not None and step.parents == ("a0",)


# --- the engine, with doubles ----------------------------------------------------------------------------

Double = Callable[[str], str]


@pytest.fixture
def double(tmp_path: Path) -> Double:
    """Makes a program that stands for the prover: its path by what it does, in Python."""

    def make(code: str) -> str:
        path = tmp_path / "eprover"
        path.write_text(f"#!{sys.executable} -IS\nimport os, sys, time\n{code}\n", encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    return make


def asked(path: str, problem: str = PROBLEM, timeout_ms: int = 30_000) -> SolverAnswer:
    engine = EproverEngine()
    engine.start(path)
    return engine.ask(Query(problem), timeout_ms)


LIES = {
    "garbage": ("sys.stdout.buffer.write(os.urandom(5000))", "error", "gives no status"),
    "nothing": ("", "error", "it prints nothing"),
    "exit": ("print('oh no'); sys.exit(7)", "error", "exit code 7: oh no"),
    "claim alone": ("print('# SZS status Unsatisfiable')", "error", "there is no proof in it"),
    "theorem alone": ("print('# SZS status Theorem')", "error", "there is no proof in it"),
    "another's proof": (f"print({OUTPUT!r})", "error", "its proof is not accepted"),
    "unknown axiom": (
        f"print({derivation('cnf(c, plain, $false, file(x, a99)).')!r})",
        "error",
        "the problem has no a99",
    ),
    "satisfiable": ("print('# SZS status Satisfiable'); sys.exit(1)", "incomplete", "no model to show"),
    "gave up": ("print('# SZS status GaveUp')", "incomplete", "says GaveUp"),
    "out of time": ("print('# SZS status ResourceOut')", "timeout", "says ResourceOut"),
    "megabytes": (
        "while True: sys.stdout.write('x' * 65536 + chr(10))",
        "error",
        "prints more than",
    ),
}


@POSIX
@pytest.mark.parametrize("lie", LIES)
def test_a_prover_that_lies_is_not_believed(
    lie: str, double: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[PROVER-DOUBT]"""
    monkeypatch.setattr(eprover, "MOST_OUTPUT", 1 << 21)
    code, reason, words = LIES[lie]
    answer = asked(double(code), SATISFIABLE)
    assert (answer.status, answer.reason) == ("unknown", reason)
    assert words in answer.detail


@POSIX
def test_a_prover_that_hangs_is_ended(double: Double, tmp_path: Path) -> None:
    """[PROVER-LIMITS]"""
    began = time.monotonic()
    answer = asked(double("time.sleep(600)"), timeout_ms=400)
    assert (answer.status, answer.reason) == ("unknown", "timeout")
    assert time.monotonic() - began < 30
    assert asked(str(tmp_path / "absent")).reason == "error"


@POSIX
def test_a_right_proof_is_believed_whoever_prints_it(double: Double) -> None:
    """[PROVER-STEP]"""
    answer = asked(double(f"print({OUTPUT!r})"), timeout_ms=20_000)
    assert answer.status == "unsat"
    assert answer.core is not None and set(answer.core) == {"a0", "a1", "a2", "a3"}


@POSIX
def test_cancelling_ends_the_prover(double: Double, tmp_path: Path) -> None:
    """[PROVER-LIMITS] It is the child of a worker, with which it ends."""
    import os
    import threading

    mark = tmp_path / "pid"
    path = double(f"open({str(mark)!r}, 'w').write(str(os.getpid())); time.sleep(600)")
    with Workers() as workers:
        session = SolverSession(workers, "eprover", path)
        answers: list[SolverAnswer] = []
        thread = threading.Thread(target=lambda: answers.append(session.ask(Query(PROBLEM), 60_000)))
        thread.start()
        until = time.monotonic() + 20
        while (not mark.exists() or not mark.read_text()) and time.monotonic() < until:
            time.sleep(0.01)
        session.cancel()
        thread.join(30)
        assert [each.status for each in answers] == ["unknown"]
    if sys.platform == "linux":
        pid = int(mark.read_text())
        until = time.monotonic() + 20
        while Path(f"/proc/{pid}").exists() and time.monotonic() < until:
            time.sleep(0.01)
        assert not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text()
        assert os.getpid() != pid


# --- in a program ----------------------------------------------------------------------------------------

# z3 finds no refutation of it in a short while, so that others are asked.
HARD = {
    "sorts": [{"name": "G", "type": "DeclareSort"}],
    "functions": [
        {"name": "m", "domain": ["G", "G"], "range": "G"},
        {"name": "i", "domain": ["G"], "range": "G"},
    ],
    "constants": {"g": {"sort": "G", "members": ["e"]}},
    "knowledge_base": [
        "ForAll([x: G, y: G, z: G], m(m(x, y), z) == m(x, m(y, z)))",
        "ForAll([x: G], m(e, x) == x)",
        "ForAll([x: G], m(i(x), x) == e)",
        "ForAll([x: G, y: G], m(m(x, y), m(x, y)) == m(m(x, x), m(y, y)))",
    ],
    "verifications": [{"name": "abelian", "constraint": "ForAll([x: G, y: G], m(x, y) == m(y, x))"}],
}
SIMPLE = {
    "sorts": [{"name": "T", "type": "DeclareSort"}],
    "functions": [{"name": "P", "domain": ["T"], "range": "Bool"}],
    "constants": {"t": {"sort": "T", "members": ["a"]}},
    "knowledge_base": ["P(a)"],
    "verifications": [{"name": "some", "constraint": "Exists([x: T], P(x))"}],
}


def limits(seconds: float) -> Limits:
    return Limits(check_ms=int(seconds * 1000), total_ms=int(seconds * 1000))


@pytest.mark.slow
@POSIX
def test_a_lie_in_a_race_changes_nothing_and_is_named(
    double: Double, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[PROVER-DOUBT] [ROUTE-EPROVER]"""
    code, _, words = LIES["another's proof"]
    monkeypatch.setenv("PATH", str(Path(double(code)).parent))
    with Workers() as workers:
        report = api.verify(HARD, language="pot", limits=limits(3), workers=workers, trust="solver")
    (result,) = report.results
    assert result.verdict in ("unknown", "entailed")
    said = [each for each in result.checks if each.solver == "eprover"]
    if result.verdict == "unknown":
        assert any(words in each.detail for each in said)
    assert all(each.status == "unknown" for each in said)


def test_without_a_prover_the_route_decides_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """[ROUTE-EPROVER]"""
    monkeypatch.setenv("PATH", str(tmp_path))
    report = api.verify(SIMPLE, language="pot", route="eprover")
    (result,) = report.results
    assert (result.verdict, result.reason) == ("unknown", "unsupported")
    assert "eprover is not on PATH" in result.checks[0].detail
    (result,) = api.verify(SIMPLE, language="pot").results
    assert (result.verdict, result.trust) == ("entailed", "checked")


@HAS_PROVER
def test_the_router_gets_a_checked_refutation_from_the_prover() -> None:
    """[ROUTE-EPROVER] [PROVER-INSTANCES]"""
    module = api.compile(HARD, language="pot").module
    with Prover(module, ProverOptions(minimize_cores=False), limits(20)) as prover:
        (result,) = prover.verify()
    assert (result.verdict, result.trust, result.route) == ("entailed", "checked", "z3+eprover")


@HAS_PROVER
def test_the_route_alone_refutes() -> None:
    """[ROUTE-EPROVER] Nobody else is asked, and it never says that there is a model."""
    program = {**SIMPLE, "knowledge_base": ["P(a)", "ForAll([x: T], not P(x))"]}
    (result,) = api.verify(program, language="pot", route="eprover").results
    assert (result.verdict, result.trust) == ("inconsistent", "checked")
    (result,) = api.verify(SIMPLE, language="pot", route="eprover").results
    assert result.verdict == "unknown"
    assert set(result.possible) == {"entailed", "inconsistent"}
    assert {each.solver for each in result.checks} == {"eprover"}


# --- what is sent ----------------------------------------------------------------------------------------


def problem_of(program: dict[str, Any]) -> SaturationProblem:
    module = api.compile(program, language="pot").module
    grounding = Grounder(module).grounding(module.assertions, "negation", module.claims[0])
    return SaturationProblem(grounding)


def test_names_are_data() -> None:
    """[PROVER-TEXT]"""
    evil = DeclaredSort("$tType")
    world = World(evil)
    odd = world.function("include('x').", [evil, evil], BOOL)
    one, other = world.constant("$false", evil), world.constant("%a b", evil)
    world.fact("f", world.app(odd, one, other))
    world.claim("n", world.app(odd, other, one))
    module = world.module()
    grounding = Grounder(module).grounding(module.assertions, "negation", module.claims[0])
    text = SaturationProblem(grounding).text
    assert not any(word in text for word in ("include", "$false", "a b", "%"))
    assert len(clauses_of(text, signature_of(text), TermBank())) == 2


def test_instances_are_read_by_the_names_of_variables() -> None:
    """[PROVER-INSTANCES] In whatever order a clause mentions them; one that it does not gets any value."""
    program = {
        "sorts": [{"name": "T", "type": "DeclareSort"}],
        "functions": [{"name": "R", "domain": ["T", "T"], "range": "Bool"}],
        "constants": {"t": {"sort": "T", "members": ["a", "b"]}},
        "knowledge_base": ["ForAll([x: T, y: T], R(y, x))", "a != b"],
        "verifications": [{"name": "n", "constraint": "R(a, b)"}],
    }
    problem = problem_of(program)
    bank = TermBank()
    signature = signature_of(problem.text)
    clauses = clauses_of(problem.text, signature, bank)
    name, clause = next((name, each) for name, each in clauses.items() if each.variables)
    first, second = (bank.heads[arg] for arg in clause.literals[0].args)
    constants = [name for name, (domain, value) in signature.symbols.items() if value and not domain]
    terms = [[each, []] for each in constants]
    (read,) = problem.instances(json.dumps([terms, [[name, {second: 1, first: 0}]]]))
    places = list(read.rule.literals[0].refs)
    (again,) = problem.instances(json.dumps([terms, [[name, {first: 0}]]]))
    assert [again.binding[places[0]], again.binding[places[1]] is not None] == [read.binding[places[0]], True]
    assert read.binding[places[0]] != read.binding[places[1]]


def test_enumerated_sorts_are_axioms() -> None:
    """[PROVER-TEXT]"""
    program = {
        "sorts": [{"name": "E", "type": "EnumSort", "values": ["r", "g", "b"]}],
        "functions": [{"name": "f", "domain": ["E"], "range": "E"}],
        "knowledge_base": [],
        "verifications": [{"name": "n", "constraint": "ForAll([x: E], f(x) == r or f(x) == g or f(x) == b)"}],
    }
    text = problem_of(program).text
    assert text.count("!=") >= 3 and "s0_0 | X = s0_1 | X = s0_2" in text


def test_arithmetic_is_left_out() -> None:
    """[PROVER-TEXT]"""
    program = {
        **SIMPLE,
        "functions": [*SIMPLE["functions"], {"name": "age", "domain": ["T"], "range": "Int"}],  # type: ignore[misc]
        "knowledge_base": ["P(a)", "age(a) > 3", "ForAll([x: T], age(x) + 1 > age(x))"],
    }
    text = problem_of(program).text
    assert text.count("axiom") == 1


# --- against others --------------------------------------------------------------------------------------


def random_program(chance: random.Random) -> dict[str, Any]:
    """A small program over one sort, with equality."""
    terms = ["a", "b", "x", "y", "f(x)", "f(a)", "f(f(y))"]
    atoms = ["P({0})", "Q({0})", "R({0}, {1})", "{0} == {1}"]

    def literal(variables: bool) -> str:
        chosen = terms if variables else ["a", "b", "f(a)", "f(b)"]
        atom = chance.choice(atoms).format(chance.choice(chosen), chance.choice(chosen))
        return atom if chance.random() < 0.5 else f"not ({atom})"

    def formula() -> str:
        kind = chance.random()
        if kind < 0.3:
            return literal(False)
        body = " or ".join(literal(True) for _ in range(chance.randint(1, 3)))
        if kind < 0.7:
            return f"ForAll([x: U, y: U], {body})"
        return f"ForAll([x: U], Exists([y: U], {body}))" if kind < 0.9 else f"Exists([x: U, y: U], {body})"

    return {
        "sorts": [{"name": "U", "type": "DeclareSort"}],
        "functions": [
            {"name": "P", "domain": ["U"], "range": "Bool"},
            {"name": "Q", "domain": ["U"], "range": "Bool"},
            {"name": "R", "domain": ["U", "U"], "range": "Bool"},
            {"name": "f", "domain": ["U"], "range": "U"},
        ],
        "constants": {"u": {"sort": "U", "members": ["a", "b"]}},
        "knowledge_base": [formula() for _ in range(chance.randint(1, 6))],
        "verifications": [{"name": "c", "constraint": formula()}],
    }


def agreeing(seed: int, count: int) -> int:
    """Puts random programs to the prover and to the router without it; how many both have an answer on."""
    chance = random.Random(seed)
    both = 0
    for _ in range(count):
        program = random_program(chance)
        (other,) = api.verify(program, language="pot", route="both", trust="solver", limits=limits(3)).results
        (ours,) = api.verify(program, language="pot", route="eprover", limits=limits(3)).results
        possible = set(ours.possible) or {ours.verdict}
        if other.verdict != "unknown":
            assert other.verdict in possible, program
        refuting = [each for each in ours.checks if each.status == "unsat"]
        if ours.verdict != "unknown" and refuting:
            both += 1
            assert ours.trust == "checked", program
    return both


@HAS_PROVER
def test_random_programs() -> None:
    """[PROVER-STEP] [ROUTE-EPROVER]"""
    assert agreeing(7, 12) >= 1


@HAS_PROVER
@pytest.mark.slow
def test_many_random_programs() -> None:
    """[PROVER-STEP] [ROUTE-EPROVER]"""
    assert agreeing(11, 400) >= 20
