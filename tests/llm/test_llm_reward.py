"""The reward of written programs: its steps, claims of others, and whatever a model may write."""

from __future__ import annotations

import doctest
import json
from types import ModuleType
from typing import Any

import pytest
from statements import Property

from potlang.generate.programs import ProgramDifficulty, generate
from potlang.models import agreement, annotate, rewards, scripts
from potlang.models.rewards import LONGEST, Reward, Weights, assess, reward
from potlang.report.results import Limits, Verdict
from potlang.testing.damage import damaged

PROGRAM = generate(3, ProgramDifficulty(), Verdict.ENTAILED).program
CLAIM = PROGRAM["verifications"][0]


def test_each_step_is_worth_more() -> None:
    """[GEN-REWARD]"""
    typo = {**PROGRAM, "verifications": [{"name": "q", "constraint": "nowhere(declared)"}]}
    steps = [
        "I cannot say.",
        typo,
        PROGRAM,
        json.dumps(PROGRAM),
        f"Here it is:\n```json\n{json.dumps(PROGRAM)}\n```",
    ]
    assert [reward(each, Verdict.ENTAILED) for each in steps] == pytest.approx([0, 0.1, 1, 1, 1])
    assert reward(PROGRAM, True) == pytest.approx(1)
    assert reward(PROGRAM, False) == pytest.approx(0.4)


def test_nothing_is_decided_where_nothing_is_asked() -> None:
    """[GEN-REWARD]"""
    assert assess({}, True) == Reward(1, 0, 0, 0, 0.1)
    assert assess({**PROGRAM, "verifications": []}, True).typed == 0


def test_what_cannot_be_decided_in_time() -> None:
    """[GEN-REWARD]"""
    hard = {
        "variables": [{"name": n, "sort": "Int"} for n in "xyz"],
        "knowledge_base": ["x ** 3 + y ** 3 + z ** 3 == 42"],
        "verifications": [{"name": "q", "constraint": "x + y + z == 7"}],
    }
    found = assess(hard, True, limits=Limits(check_ms=300, total_ms=900))
    assert found[:4] == (1, 1, 0, 0)


def test_claims_of_others() -> None:
    """[GEN-REWARD]: an easy question of its own is worth nothing then."""
    known = {
        "sorts": [{"name": "P", "type": "DeclareSort"}],
        "functions": [{"name": "human", "domain": ["P"], "range": "Bool"}],
        "constants": {"p": {"sort": "P", "members": ["plato"]}},
        "knowledge_base": ["human(plato)"],
        "verifications": [{"name": "easy", "constraint": "True"}],
    }
    wanted: dict[str, Any] = {"human(plato)": True, "Not(human(plato))": False, "god(plato)": True}
    found = assess(known, wanted)
    assert found[:4] == (1, pytest.approx(2 / 3), pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert assess({**known, "knowledge_base": []}, wanted).agrees == 0


def test_weights() -> None:
    """[GEN-REWARD]"""
    assert sum(Weights()) == pytest.approx(1)
    assert assess(PROGRAM, False, weights=Weights(0, 0, 0.5, 0.5)).value == pytest.approx(0.5)


@pytest.mark.parametrize("expected", ["perhaps", "unknown", "rejected", {}])
def test_what_cannot_be_expected(expected: Any) -> None:
    with pytest.raises(ValueError, match=r"[Vv]erdict|claims"):
        reward(PROGRAM, expected)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{" * 900_000,
        "[" * 99_999,
        "x" * (LONGEST + 1),
        '{"knowledge_base": ["' + "(" * 300_000 + '"]}',
        "\ud800",
    ],
)
def test_hostile_texts_get_nothing(text: str) -> None:
    """[GEN-REWARD]"""
    assert reward(text, True) == 0


def check_damaged(text: str) -> None:
    """[GEN-REWARD]: in [0, 1], and each part needs the one before."""
    found = assess(text, Verdict.ENTAILED)
    assert 0 <= found.value <= 1
    assert list(found[:4]) == sorted(found[:4], reverse=True)


test_damaged, test_damaged_deep = Property(check_damaged, damaged(PROGRAM), quick=40).tests()


def test_the_total_limit_is_that_of_all_claims() -> None:
    """[GEN-REWARD]"""
    found = assess(PROGRAM, {f"{at} < {at + 1}": True for at in range(5_000)}, limits=Limits(100, 300))
    assert found.typed == 1
    assert 0 < found.agrees == found.decided < 1


@pytest.mark.parametrize("module", [agreement, annotate, rewards, scripts])
def test_examples_of_public_names_hold(module: ModuleType) -> None:
    """[GEN-REWARD] [DAG-PROSE] [DAG-AGREE] [DAG-SCRIPT-1] [DAG-SCRIPT-4]."""
    found = doctest.testmod(module)
    assert found.attempted > 1 and found.failed == 0
