"""What a guard decides by facts is what solvers decide of the session as a case ([GUARD-FACTS])."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from strategies.guarded_policies import OPTIONS, drawn_event, drawn_policy

from potlang.languages.pot.program import CompileError
from potlang.policy.guard import Guard, GuardState
from potlang.policy.guard.reasons import claim_of
from potlang.report.results import Verdict
from potlang.utils.deadline import OutOfFuel


def _by_solver(guard: Guard, state: GuardState, fields: Mapping[str, Any]) -> Verdict:
    with suppress(OutOfFuel):
        return Verdict(claim_of(guard.report(state, fields)).verdict)
    return Verdict.UNKNOWN


def _compare(seed: int, found: Counter[str], *, unlisted: bool = False) -> None:
    random = Random(seed)
    try:
        guard = Guard(
            drawn_policy(random, unlisted=unlisted), {**OPTIONS, "timeout": 2} if unlisted else OPTIONS
        )
    except CompileError as error:
        # A drawn rule may be an exception to itself, which is no policy.
        assert {each.code for each in error.diagnostics if each.severity == "error"} == {"POT4020"}
        return
    state = guard.begin()
    for _ in range(3):
        decision = guard.check(drawn_event(random), state)
        if decision.by == "facts":
            verdict = _by_solver(guard, state, decision.fields)
            assert verdict in (decision.verdict, Verdict.UNKNOWN), (seed, state.log, decision.fields)
            found[str(verdict)] += 1
        state = decision.state
        ended = any(each.get("of") == state.count for each in state.log)
        if state.count and not ended and random.random() < 0.5:
            state = guard.outcome(state, {"done": random.random() < 0.5})
    assert guard.resume(json.loads(json.dumps(state.to_json()))) == state


def test_verdicts_by_facts_are_those_of_solvers() -> None:
    """[GUARD-FACTS]"""
    found: Counter[str] = Counter()
    for seed in range(4):
        _compare(seed, found)
    assert sum(found.values()) > 4


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, 1_300, 20))
def test_verdicts_by_facts_are_those_of_solvers_for_many_policies(first: int) -> None:
    """[GUARD-FACTS]"""
    found: Counter[str] = Counter()
    for seed in range(first, first + 20):
        _compare(seed, found)
    assert {"entailed", "refuted", "undetermined"} <= set(found)


def test_where_a_variable_has_no_list_of_values_facts_say_what_solvers_do() -> None:
    """[GUARD-FACTS] [GUARD-NUMBERS]"""
    found: Counter[str] = Counter()
    for seed in (2, 5, 8, 9, 12, 23):
        _compare(seed, found, unlisted=True)
    assert set(found) >= {"entailed", "refuted", "undetermined", "inconsistent"}


@pytest.mark.slow
@pytest.mark.parametrize("first", range(2_000, 2_300, 20))
def test_where_variables_have_no_list_of_values_facts_say_what_solvers_do(first: int) -> None:
    """[GUARD-FACTS]"""
    found: Counter[str] = Counter()
    for seed in range(first, first + 20):
        _compare(seed, found, unlisted=True)
    assert len(set(found) - {"unknown"}) > 1
