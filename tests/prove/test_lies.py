"""Solvers, procedures and optimizers that lie, one lie at a time: no tier claims more than one's word for it.

A liar answers like the engine that it stands for, but for the lie. What holds of the programs is known:
claims have their verdicts for names.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

import potlang
from potlang.engines.check import Check, CheckResult
from potlang.engines.finite.procedure import SearchProcedure
from potlang.engines.ground.procedure import GroundProcedure
from potlang.engines.horn.procedure import HornProcedure
from potlang.engines.messages import Query, SolverAnswer
from potlang.ir.sorts import BOOL, EnumSort
from potlang.ir.structure import FunctionTable, Structure
from potlang.processes.frames import Message
from potlang.processes.process import Died, Process
from potlang.report.results import Limits, Verdict
from potlang.utils.deadline import Deadline

LIMITS = Limits(check_ms=2_000, total_ms=8_000)

# --- programs, and what holds of them ---------------------------------------------------------------------

PEOPLE = {
    "sorts": [{"name": "P", "type": "DeclareSort"}],
    "functions": [
        {"name": "parent", "domain": ["P", "P"], "range": "Bool"},
        {"name": "elder", "domain": ["P", "P"], "range": "Bool"},
        {"name": "age", "domain": ["P"], "range": "Int"},
    ],
    "constants": {"p": {"sort": "P", "members": ["a", "b", "c"]}},
}
RULES = {
    **PEOPLE,
    "knowledge_base": [
        "parent(a, b)",
        "parent(b, c)",
        "ForAll([x: P, y: P], Implies(parent(x, y), elder(x, y)))",
        "ForAll([x: P, y: P, z: P], Implies(And(elder(x, y), elder(y, z)), elder(x, z)))",
        "ForAll([x: P], Not(elder(x, x)))",
    ],
    "verifications": [
        {"name": "entailed", "constraint": "elder(a, c)"},
        {"name": "refuted", "constraint": "elder(c, a)"},
        {"name": "undetermined", "constraint": "parent(a, c)"},
    ],
}
NUMBERS = {
    **PEOPLE,
    "knowledge_base": ["age(a) > age(b) + 1", "age(b) * 2 > age(c) + 3", "age(c) >= 3"],
    "verifications": [
        {"name": "entailed", "constraint": "age(a) > 5"},
        {"name": "refuted", "constraint": "age(b) + age(a) < 9"},
        {"name": "undetermined", "constraint": "age(a) == 20"},
    ],
}
COLOURS = {
    "sorts": [{"name": "C", "type": "EnumSort", "values": ["red", "green", "blue"]}],
    "functions": [],
    "constants": {"n": {"sort": "C", "members": ["u", "v", "w", "t"]}},
    "knowledge_base": ["u != v", "v != w", "u != w", "t != u", "t != v", "Or(u == red, u == green)"],
    "verifications": [
        {"name": "entailed", "constraint": "t == w"},
        {"name": "refuted", "constraint": "u == blue"},
        {"name": "undetermined", "constraint": "v == blue"},
    ],
}
CLASH = {
    **PEOPLE,
    "knowledge_base": ["age(a) > 3", "age(b) > age(a)", "Or(age(b) < 2, age(b) == 4, age(b) < age(a))"],
    "verifications": [{"name": "inconsistent", "constraint": "age(c) > 1"}],
}
PROGRAMS = {"rules": RULES, "numbers": NUMBERS, "colours": COLOURS, "clash": CLASH}
CORES = {
    "rules": {"entailed": {0, 1, 2, 3}, "refuted": {0, 1, 2, 3, 4}},
    "numbers": {"entailed": {0, 1, 2}, "refuted": {0, 1, 2}},
    "colours": {"entailed": {0, 1, 2, 3, 4}, "refuted": {5}},
    "clash": {"inconsistent": {0, 1, 2}},
}
"""The only minimal core of each claim, by places in the knowledge base."""

# --- liars ------------------------------------------------------------------------------------------------

Lie = Callable[[SolverAnswer, Query], SolverAnswer]


def sat_for_unsat(answer: SolverAnswer, query: Query) -> SolverAnswer:
    values = ("0",) * len(query.values)
    return SolverAnswer("sat", values=values, model="()") if answer.status == "unsat" else answer


def unsat_for_sat(answer: SolverAnswer, query: Query) -> SolverAnswer:
    core = () if query.core else None
    return SolverAnswer("unsat", core=core) if answer.status == "sat" else answer


def unsat_by_everything(answer: SolverAnswer, query: Query) -> SolverAnswer:
    core = tuple(f"!a{number}" for number in range(6)) if query.core else None
    return SolverAnswer("unsat", core=core) if answer.status == "sat" else answer


def smaller_core(answer: SolverAnswer, query: Query) -> SolverAnswer:
    return answer._replace(core=answer.core[1:]) if answer.core else answer


def empty_core(answer: SolverAnswer, query: Query) -> SolverAnswer:
    return answer._replace(core=()) if answer.core else answer


def foreign_core(answer: SolverAnswer, query: Query) -> SolverAnswer:
    return answer._replace(core=("nobody", "!a999")) if answer.core else answer


def other_model(answer: SolverAnswer, query: Query) -> SolverAnswer:
    def turned(text: str) -> str:
        return (
            text.replace("true", "%").replace("false", "true").replace("%", "false").replace(" 4)", " 400)")
        )

    model = None if answer.model is None else turned(answer.model)
    values = None if answer.values is None else tuple(map(turned, answer.values))
    return answer._replace(model=model, values=values)


def garbage(answer: SolverAnswer, query: Query) -> SolverAnswer:
    model = None if answer.model is None else "(define-fun ((("
    values = None if answer.values is None else ("(((",) * len(answer.values)
    core = None if answer.core is None else ("(((",)
    return answer._replace(model=model, values=values, core=core, detail="\x1b[2J(((")


def hang(answer: SolverAnswer, query: Query) -> SolverAnswer:
    raise TimeoutError


def crash(answer: SolverAnswer, query: Query) -> SolverAnswer:
    raise Died("crash", "it fell over")


LIES = (
    *(sat_for_unsat, unsat_for_sat, unsat_by_everything, smaller_core, empty_core, foreign_core),
    *(other_model, garbage, hang, crash),
)


@contextmanager
def lying(solver: str, lie: Lie, patch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The solver of that name tells the lie wherever it can; the list tells how often it has."""
    send, receive = Process.send, Process.receive
    told: list[str] = []

    def noted(process: Process, message: Message, *, answered: bool = True, more: bool = False) -> None:
        if answered:
            process.__dict__.setdefault("asked", deque()).append(message)
        send(process, message, answered=answered, more=more)

    def answered(process: Process, deadline: Deadline) -> Message:
        message = receive(process, deadline)
        asked = process.__dict__["asked"].popleft()
        if asked["op"] != "ask" or not process.command[-1].startswith(solver):
            return message
        answer = SolverAnswer._make(message["answer"])
        changed = lie(answer, asked["query"])
        if changed == answer:
            return message
        told.append(lie.__name__)
        return {**message, "answer": changed}

    with patch.context() as context:
        context.setattr(Process, "send", noted)
        context.setattr(Process, "receive", answered)
        yield told


def check_not_believed(name: str, report: potlang.Report) -> None:
    """Each verdict is right, or unknown for a reason; right are minimal cores, too, and models."""
    texts = PROGRAMS[name]["knowledge_base"]
    for result in report.results:
        assert result.verdict in (Verdict(result.name), Verdict.UNKNOWN), result
        core = result.evidence.core
        if result.verdict is Verdict.UNKNOWN:
            assert result.reason in ("disagreement", "timeout", "crash", "incomplete"), result
        elif core is not None and result.evidence.core_minimal:
            assert {texts.index(each.text) for each in core} == CORES[name][result.name]
        for model in (result.evidence.could_be_true, result.evidence.could_be_false):
            # What could not be read cannot be judged: solvers write such values, and so the report says them.
            if model is not None and name == "numbers" and "(((" not in model.values():
                age = {who: int(model[f"age({who})"]) for who in "abc"}
                assert age["a"] > age["b"] + 1 and age["b"] * 2 > age["c"] + 3 and age["c"] >= 3
                assert (age["a"] == 20) == (model is result.evidence.could_be_true)


def named(report: potlang.Report, solver: str) -> bool:
    """Whether a report that leaves a verdict open names the solver among those that were asked."""
    known = all(each.verdict is not Verdict.UNKNOWN for each in report.results)
    return known or any(check.solver.startswith(solver) for each in report.results for check in each.checks)


def cases() -> Iterator[Any]:
    """Who lies on which route: in the quick tier who answers there, on some programs."""
    for name in PROGRAMS:
        for route in ("auto", "z3", "cvc5", "both"):
            for solver in ("z3", "cvc5"):
                quick = route == solver and (name == "numbers" or (name, route) == ("clash", "z3"))
                yield pytest.param(name, route, solver, marks=() if quick else pytest.mark.slow)


@pytest.mark.parametrize(("name", "route", "solver"), list(cases()))
def test_a_solver_that_lies(name: str, route: Any, solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """[TIER-PIECE] [TIER-NAMES] [VERDICT-DISAGREE] [VERDICT-MODEL]"""
    for lie in LIES:
        with lying(solver, lie, monkeypatch):
            report = potlang.verify(PROGRAMS[name], route=route, limits=LIMITS)
        check_not_believed(name, report)
        assert named(report, solver), (lie, report)


def test_a_model_that_evaluation_finds_false_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """[VERDICT-MODEL] The other solver confirms that there is one: the verdict stands, with its tier."""
    with lying("z3", other_model, monkeypatch) as told:
        report = potlang.verify(NUMBERS, route="z3", limits=LIMITS)
    assert told
    result = report.results[2]
    assert (result.verdict, result.trust) == (Verdict.UNDETERMINED, "cross-checked")
    assert (result.evidence.could_be_true, result.evidence.could_be_false) == (None, None)
    assert all("is false in the model" in each.note for each in result.assurances)


def test_a_model_for_which_no_time_was_left_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """[ROUTE-RACE] [TIER-PIECE] A solver that answers at the end of its time alone gives no model."""
    late: list[Query] = []

    def without(answer: SolverAnswer, query: Query) -> SolverAnswer:
        if not query.model or answer.model is None or query in late:
            return answer
        late.append(query)
        return answer._replace(model=None)

    with lying("z3", without, monkeypatch) as told:
        report = potlang.verify(NUMBERS, limits=LIMITS)
    assert told
    assert [each.verdict.value for each in report.results] == [each.name for each in report.results]
    models = [each for result in report.results for each in result.assurances if each.status == "sat"]
    assert [each.by for each in models] == ["evaluator"] * 4


# --- procedures -------------------------------------------------------------------------------------------

Twist = Callable[[CheckResult], CheckResult]


def turned(structure: Structure | None) -> Structure | None:
    """The structure with every constant and table of truth values turned round, and numbers off by one."""
    if structure is None:
        return None
    changed: dict[Any, Any] = {}
    for symbol, meaning in structure.functions.items():
        if isinstance(meaning, FunctionTable) and symbol.range is BOOL:
            entries = {key: not value for key, value in meaning.entries.items()}
            changed[symbol] = FunctionTable(entries, not meaning.default)
        elif isinstance(meaning, bool):
            changed[symbol] = not meaning
        elif isinstance(symbol.range, EnumSort):
            changed[symbol] = symbol.range.values[0]
    return replace(structure, functions={**structure.functions, **changed})


def status_turned(result: CheckResult) -> CheckResult:
    if result.status == "unsat":
        return result._replace(status="sat", core=None, refutation=None, structure=Structure)
    return result._replace(status="unsat", core=(), structure=None)


def false_proof(result: CheckResult) -> CheckResult:
    """For a side that has a model: the statements are those of no refutation."""
    if result.status != "sat":
        return result._replace(refutation=lambda *_: ("(refuted)", "((("))
    return result._replace(
        status="unsat", core=(), structure=None, refutation=lambda *_: ("(clause)", "(refuted)")
    )


def false_structure(result: CheckResult) -> CheckResult:
    known = result.structure
    return result if known is None else result._replace(structure=lambda: turned(known()))


def no_structure(result: CheckResult) -> CheckResult:
    return result._replace(structure=lambda: None) if result.status == "sat" else result


def less_core(result: CheckResult) -> CheckResult:
    return result._replace(core=result.core[1:]) if result.core else result


def nobodys_core(result: CheckResult) -> CheckResult:
    return result._replace(core=("nobody",)) if result.core else result


TWISTS = (status_turned, false_proof, false_structure, no_structure, less_core, nobodys_core)
PROCEDURES = [
    *((HornProcedure, "rules", route) for route in ("auto", "closure")),
    *((SearchProcedure, "colours", route) for route in ("auto", "search")),
    *((GroundProcedure, "numbers", "ground"), (GroundProcedure, "clash", "ground")),
]


@pytest.mark.parametrize(("procedure", "name", "route"), PROCEDURES)
@pytest.mark.parametrize("twist", TWISTS)
def test_a_procedure_that_lies(
    procedure: Any, name: str, route: Any, twist: Twist, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[TIER-PIECE] [TIER-NAMES] Its word alone is said to be one; a better tier is for what is right."""
    decide = procedure.decide

    def twisted(self: Any, check: Check) -> CheckResult | None:
        found = decide(self, check)
        return None if found is None else twist(found)

    monkeypatch.setattr(procedure, "decide", twisted)
    report = potlang.verify(PROGRAMS[name], route=route, limits=LIMITS)
    for result in report.results:
        right = result.verdict in (Verdict(result.name), Verdict.UNKNOWN)
        assert right or (result.trust == "solver" and result.assurances), result
    assert sorted({check.solver for each in report.results for check in each.checks})


# --- optima -----------------------------------------------------------------------------------------------

BOUNDED: dict[str, Any] = {
    "sorts": [],
    "variables": [{"name": "x", "sort": "IntSort"}, {"name": "y", "sort": "IntSort"}],
    "optimization": {
        "constraints": ["x >= 0", "y >= 0", "x + 2*y <= 7", "3*x + y <= 11"],
        "objectives": [
            {"type": "maximize", "expression": "x + y"},
            {"type": "maximize", "expression": "2*y - x"},
        ],
    },
    "actions": ["optimize"],
}
POINTS = [(x, y) for x in range(9) for y in range(9) if x + 2 * y <= 7 and 3 * x + y <= 11]
GAINS = [(x + y, 2 * y - x) for x, y in POINTS]
FRONT = {one for one in GAINS if not any(o != one and o[0] >= one[0] and o[1] >= one[1] for o in GAINS)}
BEST = {
    "lexicographic": max(GAINS),
    "box": (max(one for one, _ in GAINS), max(other for _, other in GAINS)),
    "pareto": None,
}


@pytest.mark.parametrize("solver", ["z3", pytest.param("cvc5", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "mode", [*(pytest.param(mode, marks=pytest.mark.slow) for mode in ("lexicographic", "pareto")), "box"]
)
def test_an_optimum_by_a_solver_that_lies(mode: str, solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """[VERDICT-OPTIMUM] It is right, or not known, or said to be one solver's word."""
    program = {**BOUNDED, "optimization": {**BOUNDED["optimization"], "mode": mode}}
    for lie in LIES:
        with lying(solver, lie, monkeypatch):
            found = potlang.verify(program, limits=LIMITS).optimization
        assert found is not None
        if found.status == "unknown" or found.trust == "solver":
            continue
        assert found.status == "optimal", (lie, found)
        if mode == "pareto":
            said = {tuple(int(str(value)) for value in each.values) for each in found.points or ()}
            assert said == FRONT or (said <= FRONT and not found.complete), (lie, found)
        else:
            assert tuple(int(str(each.value)) for each in found.objectives) == BEST[mode], (lie, found)
