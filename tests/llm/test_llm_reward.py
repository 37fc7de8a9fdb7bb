"""The reward of written programs: its steps, claims of others, and whatever a model may write."""

from __future__ import annotations

import doctest
import json
from types import ModuleType
from typing import Any

import pytest
from reward_gaming import ATTEMPTS, REX, Attempt
from statements import Property

from potlang.generate.programs import ProgramDifficulty, generate
from potlang.models.annotation import agreement, dependencies, scripts
from potlang.models.programs.prompting import examples
from potlang.models.training import rewards
from potlang.models.training.claim_worth import ClaimJudge
from potlang.models.training.rewards import LONGEST, Reward, Weights, assess, reward
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
    known: dict[str, Any] = {
        "sorts": [{"name": "P", "type": "DeclareSort"}],
        "functions": [{"name": name, "domain": ["P"], "range": "Bool"} for name in ("human", "greek")],
        "constants": {"p": {"sort": "P", "members": ["plato"]}},
        "knowledge_base": ["greek(plato)", "ForAll([x: P], greek(x) -> human(x))"],
        "verifications": [{"name": "easy", "constraint": "True"}],
    }
    wanted: dict[str, Any] = {"human(plato)": True, "Not(human(plato))": False, "god(plato)": True}
    found = assess(known, wanted)
    assert found[:4] == (1, pytest.approx(2 / 3), pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert assess({**known, "knowledge_base": []}, wanted).agrees == 0


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: attempt.name)
def test_attempts_at_gaming_earn_no_more_than_they_may(attempt: Attempt) -> None:
    """[GEN-REWARD-CLAIM], [GEN-REWARD-BEGGED], [GEN-REWARD-LIMITS]"""
    assert assess(attempt.program, attempt.expected).value == pytest.approx(attempt.most)


@pytest.mark.parametrize("name", ["_impossible", "_states", "_states_contradiction"])
def test_each_part_of_the_judgement_is_needed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """[GEN-REWARD-CLAIM], [GEN-REWARD-BEGGED]"""
    monkeypatch.setattr(ClaimJudge, name, lambda self, *formulas: False)
    assert any(assess(each.program, each.expected).value > each.most + 0.01 for each in ATTEMPTS)


def test_programs_whose_verdicts_are_known_earn_all() -> None:
    """[GEN-REWARD-CLAIM]: honest programs lose nothing."""
    for seed in range(24):
        made = generate(seed)
        assert assess(made.program, made.verdict).value == 1, seed
    for example in examples():
        claims = {each["constraint"]: example.verdicts[each["name"]] for each in _claims(example.program)}
        assert assess(example.program, claims).value == 1


def _claims(program: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for asked in program["verifications"] for each in asked.get("options", [asked])]


def test_a_reference_says_what_is_usual_for_its_question() -> None:
    """[GEN-REWARD-CLAIM]"""
    sum_ = {"verifications": [{"constraint": "17 * 23 == 391"}]}
    stated = {**REX, "verifications": [{"constraint": "iguana(rex)"}]}
    derived = {**REX, "verifications": [{"constraint": "reptile(rex)"}]}
    assert [reward(sum_, True), reward(sum_, True, reference=sum_)] == [0.3, 1]
    assert [reward(stated, True), reward(stated, True, reference=stated)] == [0.55, 1]
    assert [reward(stated, True, reference=derived), reward(derived, True, reference=derived)] == [0.55, 1]
    assert reward(sum_, True, reference=stated) == 0.3
    for broken in ("no program", {"verifications": []}):
        with pytest.raises(ValueError, match="reference"):
            reward(sum_, True, reference=broken)


def test_a_claim_of_others_may_use_what_the_program_does_not() -> None:
    """[GEN-REWARD-CLAIM]: functions of the calendar come with the claim alone."""
    days: dict[str, Any] = {
        "constants": {"days": {"sort": "Date", "members": ["start", "end"]}},
        "knowledge_base": ["start == 2025-01-20", "end == start + 30 days"],
    }
    claims = {"Year(end) == 2025": True, "Month(end) == 1": False, "2025-01-01 < 2025-01-02": True}
    assert assess(days, claims).value == 1
    assert (
        assess({**days, "knowledge_base": ["start == end"]}, {"Month(end) == Month(end)": True}).agrees == 0
    )


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
    found = assess(PROGRAM, {f"{at} < {at + 1}": True for at in range(5_000)}, limits=Limits(100, 2_000))
    assert found.typed == 1
    assert 0 < found.agrees == found.decided < 1


@pytest.mark.parametrize("module", [agreement, dependencies, rewards, scripts])
def test_examples_of_public_names_hold(module: ModuleType) -> None:
    """[GEN-REWARD] [DAG-PROSE] [DAG-AGREE] [DAG-SCRIPT-1] [DAG-SCRIPT-4]."""
    found = doctest.testmod(module)
    assert found.attempted > 1 and found.failed == 0
