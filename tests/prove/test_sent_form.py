"""The form of what is sent to solvers, read off the messages to their workers. [PASS-SENT-*]"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from strategies.formulas import modules

import potlang
from potlang import dot
from potlang.ir.nodes import reachable
from potlang.ir.text import read_formula
from potlang.passes.pipeline import PipelineError, read_pipeline
from potlang.passes.sent import MOST_GROWTH, SENT_PASSES, SLACK, SentForm, is_prenex
from potlang.processes.frames import Message
from potlang.processes.process import Process
from potlang.report.results import Limits, Verdict
from potlang.smt.sexpr import SExpr, read_all

ROOT = Path(__file__).parents[2]
PROGRAMS = [
    *sorted(path for path in (ROOT / "examples").glob("*.json") if not path.name.endswith(".dagmath.json")),
    *sorted((ROOT / "tests" / "seed").glob("[0-9]*.json")),
]
NESTED: dict[str, Any] = {
    "sorts": [{"name": "E", "type": "DeclareSort"}],
    "functions": [
        {"name": "P", "domain": ["E"], "range": "BoolSort"},
        {"name": "R", "domain": ["E", "E"], "range": "BoolSort"},
    ],
    "constants": {"es": {"sort": "E", "members": ["a", "b"]}},
    "knowledge_base": [
        "ForAll([x: E], Implies(P(x), Exists([y: E], R(x, y))))",
        "Not(ForAll([x: E], P(x)))",
        "Or(ForAll([x: E], R(x, a)), Exists([x: E], And(P(x), ForAll([y: E], Not(R(x, y))))))",
        "ForAll([x: E], Exists([y: E], R(x, y)) == P(x))",
        "P(a)",
    ],
    "verifications": [
        {"name": "all", "constraint": "ForAll([x: E], Implies(P(x), R(x, a)))"},
        {"name": "some", "constraint": "And(Exists([x: E], R(a, x)), Not(Exists([x: E], R(b, x))))"},
        {"name": "ground", "constraint": "Or(P(a), P(b))"},
    ],
}
CONNECTIVES = ("and", "or", "not", "=>", "xor")


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Message]:
    """The messages to workers, as they are sent."""
    messages: list[Message] = []
    send = Process.send

    def note(process: Process, message: Message, **options: bool) -> None:
        messages.append(message)
        send(process, message, **options)

    monkeypatch.setattr(Process, "send", note)
    return messages


def texts(messages: list[Message]) -> list[str]:
    found = [str(message["base"]) for message in messages if message["op"] == "start"]
    return found + [message["query"].text for message in messages if message["op"] in ("ask", "optimize")]


def asserted(text: str) -> list[SExpr]:
    """The formulas that a text asserts, without their names."""
    found = [each[1] for each in read_all(text) if isinstance(each, list) and each[0] == "assert"]
    return [each[1] if isinstance(each, list) and each[0] == "!" else each for each in found]


def in_front_alone(formula: SExpr) -> bool:
    """Whether connectives have no quantifier below them, by the text alone."""
    while isinstance(formula, list) and formula[0] in ("forall", "exists"):
        formula = formula[2]
    stack = [formula]
    while stack:
        part = stack.pop()
        if not isinstance(part, list):
            continue
        if part[0] in ("forall", "exists"):
            return False
        if part[0] in (*CONNECTIVES, "=", "ite"):
            stack.extend(part[1:])
        elif part[0] == "let":
            stack.extend([part[2], *(bound[1] for bound in part[1])])
    return True


@pytest.mark.parametrize("route", ["z3", "cvc5", "cvc5-fmf", "both", "auto"])
def test_formulas_are_sent_prenex(route: Any, sent: list[Message]) -> None:
    """[PASS-SENT-1] Assumptions, claims, their negations: all that is put to a solver."""
    report = potlang.verify(NESTED, route=route)
    assert [each.verdict for each in report.results] == [
        each.verdict for each in potlang.verify(NESTED, route=route, passes="simplify").results
    ]
    del sent[:]
    potlang.verify(NESTED, route=route)
    formulas = [formula for text in texts(sent) for formula in asserted(text)]
    assert formulas and all(map(in_front_alone, formulas)), formulas
    assert any(isinstance(formula, list) and formula[0] == "exists" for formula in formulas)


def test_a_pipeline_without_it_sends_formulas_as_they_are(sent: list[Message]) -> None:
    potlang.verify(NESTED, route="z3", passes="simplify")
    formulas = [formula for text in texts(sent) for formula in asserted(text)]
    assert not all(map(in_front_alone, formulas))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_every_example_is_sent_prenex(path: Path, sent: list[Message]) -> None:
    """[PASS-SENT-1]"""
    value = json.loads(path.read_text(encoding="utf-8"))
    potlang.verify(value.get("program", value), route="z3", limits=Limits(check_ms=2_000))
    for text in texts(sent):
        assert all(map(in_front_alone, asserted(text)))


def test_traces_and_claims_of_a_session_are_sent_prenex(sent: list[Message]) -> None:
    """[PASS-SENT-1]"""
    dot.verify(ROOT / "examples" / "refinement.dot.txt", route="z3")
    with potlang.compile({**NESTED, "verifications": []}).session(route="z3") as session:
        session.push("Not(ForAll([x: E], R(x, b)))")
        assert session.verify("Not(Exists([x: E], R(x, x)))").verdict is not Verdict.REJECTED
    formulas = [formula for text in texts(sent) for formula in asserted(text)]
    assert formulas and all(map(in_front_alone, formulas))


def test_the_printed_script_has_the_form_that_is_sent() -> None:
    """[PASS-SENT-1] `potc compile` shows what is solved."""
    script = potlang.compile(NESTED).emit("smt2")
    assert all(map(in_front_alone, asserted(script)))
    plain = potlang.compile(NESTED).emit("smt2", "simplify")
    assert not all(map(in_front_alone, asserted(plain)))


HEADER = '(potlang-ir 1)\n(sort S)\n(declare function "P" (S) Bool)\n(declare function "R" (S S) Bool)\n'


def sent_form(text: str) -> tuple[Any, Any]:
    from potlang.ir.reader import read_module

    module = read_module(HEADER)
    formula = read_formula(text, module.pool, module.sorts, module.symbols)
    return formula, SentForm(SENT_PASSES)(module.pool, formula)


def test_what_is_prenex_is_sent_as_it_is() -> None:
    """[PASS-SENT-1] Connectives that need no change keep their words."""
    formula, found = sent_form("(vars (?x.0 S)) (forall (?x.0) (=> (P ?x.0) (not (R ?x.0 ?x.0))))")
    assert found is formula


def test_a_formula_that_would_grow_keeps_its_form() -> None:
    """[PASS-SENT-2] Nested equivalences double at each level."""
    names = [f"?x.{number}" for number in range(12)]
    text = "(P ?x.0)"
    for name in names:
        text = f"(forall ({name}) (iff (P {name}) {text}))" if name != "?x.0" else f"(exists ({name}) {text})"
    formula, found = sent_form(f"(vars {' '.join(f'({name} S)' for name in names)}) {text}")
    assert found is formula and not is_prenex(found)


def test_a_formula_keeps_its_form_where_a_witness_would_depend_on_more() -> None:
    """[PASS-SENT-3] Each exists needs its own forall; in front, one of them would stand behind both."""
    both = "(and (forall (?x.0) (exists (?y.1) (R ?x.0 ?y.1))) (forall (?z.2) (exists (?w.3) (R ?w.3 ?z.2))))"
    formula, found = sent_form(f"(vars (?x.0 S) (?y.1 S) (?z.2 S) (?w.3 S)) {both}")
    assert found is formula
    one = "(and (forall (?x.0) (P ?x.0)) (forall (?z.2) (exists (?w.3) (R ?w.3 ?z.2))))"
    formula, found = sent_form(f"(vars (?x.0 S) (?z.2 S) (?w.3 S)) {one}")
    assert is_prenex(found) and found is not formula


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(modules(depth=3, most=2))
def test_what_is_sent_is_prenex_or_as_it_was_and_never_much_larger(module: Any) -> None:
    """[PASS-SENT-2]"""
    form = SentForm(SENT_PASSES)
    for assertion in module.assertions:
        found = form(module.pool, assertion.formula)
        assert found is assertion.formula or is_prenex(found)
        assert len(reachable(found)) <= MOST_GROWTH * len(reachable(assertion.formula)) + SLACK


def test_a_pipeline_is_divided_at_its_first_normal_form() -> None:
    """[PASS-SENT-1]"""
    for text, plain, forms in (
        ("simplify,nnf,prenex", "simplify", "nnf,prenex"),
        ("simplify", "simplify", ""),
        ("", "", ""),
        ("nnf,simplify,prenex", "", "nnf,simplify,prenex"),
        ('simplify,nnf,slice{claim="c"}', "simplify,nnf,slice{claim=c}", ""),
    ):
        divided = read_pipeline(text).divided()
        assert divided == (read_pipeline(plain), read_pipeline(forms))
    with pytest.raises(PipelineError):
        potlang.verify(NESTED, passes="prenex")


def test_a_formula_is_sent_in_the_form_that_is_just_small_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """[PASS-SENT-2] The negation normal form alone, since front quantifiers count their steps too."""
    module = potlang.compile(NESTED).module
    for formula in (each.formula for each in module.assertions if not is_prenex(each.formula)):
        monkeypatch.setattr("potlang.passes.sent.MOST_GROWTH", MOST_GROWTH)
        sent = SentForm("nnf")(module.pool, formula)
        size = len(reachable(sent))
        monkeypatch.setattr("potlang.passes.sent.MOST_GROWTH", 0)
        for slack, form in ((size, sent), (size - 1, formula)):
            monkeypatch.setattr("potlang.passes.sent.SLACK", slack)
            assert SentForm("nnf")(module.pool, formula) is form
