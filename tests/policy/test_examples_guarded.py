"""The sessions of the worked policies: what a guard decides of each call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from potlang.policy.guard import Guard

FOLDER = Path(__file__).parents[2] / "examples" / "policies"
NAMES = ("leave", "luggage", "mortgage", "refund", "safety")


def events_of(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name / "events.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("name", NAMES)
def test_a_session_is_decided_as_the_document_says(name: str) -> None:
    """[GUARD-CHECK]"""
    guard = Guard.open(FOLDER / name / "guard.json")
    state, found = guard.begin(), []
    for event in events_of(name):
        outcome = event.pop("outcome", None)
        decision = guard.check(event, state)
        found.append(str(decision.permission))
        state = decision.state if outcome is None else guard.outcome(decision.state, outcome)
    expected = json.loads((FOLDER / name / "decisions.json").read_text("utf-8"))
    assert found == [each["decision"] for each in expected]
    assert {"allow", "deny"} <= set(found)


@pytest.mark.parametrize("name", NAMES)
def test_facts_alone_decide(name: str) -> None:
    """[GUARD-FACTS]: no rule of these policies needs a solver at every event."""
    assert not Guard.open(FOLDER / name / "guard.json").slow_rules
