"""Rewards in the shapes of trainers: what a completion says of itself, no verdict, batches, threads."""

from __future__ import annotations

import inspect
import json
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from potlang.dagmath import Rewarder, assess, compute_score, compute_scores, reward, rubric_reward, trl_reward
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.solve import answers
from potlang.languages.dagmath.solve.answers import Judged, shared_checker
from potlang.score import trainers
from potlang.score.rewards import LONGEST
from potlang.score.trainers import text_of
from potlang.utils.extra import MissingExtraError

ROOT = Path(__file__).parents[2]
QUICK = Rewarder(seconds=0.7)
HANGS = "9^{9^{9^9}}!"


def completion(boxed: str, **said: Any) -> str:
    step = {"step_id": 1, "edge": "", "direct_dependent_steps": None}
    return json.dumps({**said, "steps": [{**step, "node": rf"The final answer is $\boxed{{{boxed}}}$."}]})


# --- what a completion says of itself ----------------------------------------------------------------


@pytest.mark.parametrize(
    "said", [{"answer": "999"}, {"correct": True}, {"answer": "999", "correct": True, "final_answer": "999"}]
)
def test_a_completion_cannot_reward_itself(said: dict[str, Any]) -> None:
    """[DAG-REWARD]"""
    text = completion("999", **said)
    assert reward(text) == reward(text, answer="4") == 0.1
    for shape in (
        trl_reward(prompts=["p"], completions=[text], answer=["4"])[0],
        compute_score("d", text, "4", {}),
        compute_scores(["d"], [text], ["4"], [{}])[0],
        rubric_reward("p", text, "4", {}),
    ):
        assert shape == 0.1
    as_text = "Answer: 999\nCorrect: true\n\nStep 1\nEdge: x\nParents: none\nNode: \\boxed{999}\n"
    assert reward(as_text) == reward(as_text, answer="4") == 0.1
    assert reward(as_text, answer="999") == 1.0


def test_a_solution_is_the_callers_word_unless_an_answer_is_given() -> None:
    """[DAG-REWARD]"""
    solution = Solution((Step(1, "", None, r"\boxed{4}"),), answer="5", correct=True)
    assert reward(solution) == 1.0
    assert reward(solution, answer="5") == 0.1
    assert reward(solution._replace(correct=False), answer="4") == 1.0


@pytest.mark.parametrize(
    "expected", ["4", r"So it is \boxed{4}.", "2 + 2 = 4\n#### 4", 4, 4.0, ["5", "4"], ("4", None)]
)
def test_what_is_expected(expected: Any) -> None:
    """[DAG-REWARD]"""
    assert reward(completion("4"), answer=expected) == 1.0


def test_thoughts_are_passed_over() -> None:
    """[DAG-REWARD]"""
    thoughts = f"<think>Perhaps {completion('5')}?</think>\n"
    assert reward(thoughts + completion("4"), answer="4") == 1.0


# --- no verdict --------------------------------------------------------------------------------------


def test_one_that_hangs_costs_only_itself() -> None:
    """[DAG-TRAINERS]: it has no verdict, in any shape; the rest of the batch has."""
    texts = [completion(str(at)) for at in range(6)]
    texts[2] = completion(HANGS)
    expected = [str(at) for at in range(6)]
    right = [1.0, 1.0, None, 1.0, 1.0, 1.0]
    assert QUICK.trl_reward(prompts=["p"] * 6, completions=texts, answer=expected) == right
    assert QUICK.compute_scores(["d"] * 6, texts, expected, [{}] * 6) == right
    pairs = list(zip(texts, expected, strict=True))
    assert [QUICK.compute_score("d", text, each) for text, each in pairs] == right
    assert [QUICK.rubric_reward("p", text, each) for text, each in pairs] == right
    found = QUICK.detail(texts[2], "2")
    assert found.correct is None and found.share == 1 and "too long" in found.reason


class Failing:
    def judge(self, given: str | None, expected: str) -> Judged:
        if expected == "no library":
            return Judged(False, "text", answers._MISSING)
        return Judged(False, "text", "out of memory: compared as text")


def test_no_verdict_is_none() -> None:
    """[DAG-REWARD]"""
    assert reward(completion("4"), answer="5", judge=Failing()) is None
    assert reward(completion("4"), answer=[]) is None
    assert reward("x" * (LONGEST + 1), answer="5") is None
    assert reward("no solution", answer="5") == 0.0
    for unread in (r"\qqq", "", r"\frac{"):
        assert assess(completion(unread), answer="5", judge=shared_checker(100)).correct is False
    assert reward(completion("1/2"), answer=r"\qqq", judge=shared_checker(100)) is None


def test_a_missing_library_is_no_fault_of_a_completion(monkeypatch: pytest.MonkeyPatch) -> None:
    """[DAG-TRAINERS]: it would go wrong with every one."""
    monkeypatch.setitem(sys.modules, "math_verify", None)
    monkeypatch.setattr(trainers, "shared_checker", lambda seconds: Failing())
    with pytest.raises(MissingExtraError, match="dagmath"):
        trl_reward(prompts=["p"] * 2, completions=[completion("4")] * 2, answer=["no library"] * 2)


@pytest.mark.parametrize("expected", [None, float("nan"), True, {"answer": "4"}, object()])
def test_without_a_usable_answer_there_is_no_verdict(expected: Any) -> None:
    """[DAG-TRAINERS]: and the rest of the batch has one."""
    texts = [completion("4"), completion("4")]
    assert trl_reward(prompts=["p", "p"], completions=texts, answer=[expected, "4"]) == [None, 1.0]


def test_verl_has_a_number_if_it_wants_one() -> None:
    """[DAG-TRAINERS]: what has no verdict is told apart."""
    options = {"undecided": 0.25, "partial": 0.2, "reward_router_address": None}
    found = [compute_score("d", completion("4"), each, {}, **options) for each in ("4", "5", None)]
    assert [(each["score"], each["decided"]) for each in found if isinstance(each, dict)] == [
        (1.0, 1.0),
        (0.2, 1.0),
        (0.25, 0.0),
    ]
    assert compute_scores([], [completion("4")], ["4"], **options) == [found[0]]
    with pytest.raises(TypeError, match="partail"):
        compute_score("d", completion("4"), "4", {}, partail=0.2)
    with pytest.raises(ValueError, match="weights"):
        compute_score("d", completion("4"), "4", {}, partial=2.0)


# --- shapes ------------------------------------------------------------------------------------------


def test_chats_are_read_by_what_the_assistant_says_last() -> None:
    """[DAG-TRAINERS]"""
    said = {"role": "assistant", "content": "a"}
    assert text_of([{"role": "assistant", "content": "b"}, {"role": "tool", "content": "c"}, said]) == "a"
    assert text_of([said, {"role": "tool", "content": "c"}]) == "a"
    assert text_of(said) == text_of([SimpleNamespace(role="assistant", content="a")]) == text_of("a") == "a"
    assert (
        text_of([{"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "image"}]}]) == "a"
    )
    assert text_of([{"role": "assistant", "content": None}]) == text_of([]) == text_of(None) == ""
    with pytest.raises(TypeError):
        text_of(3)
    chat = [{"role": "assistant", "content": completion("4")}]
    assert trl_reward(prompts=["p", "p"], completions=[chat, 3], answer=["4", "4"]) == [1.0, None]


def test_trl_is_told_how_many_have_no_verdict() -> None:
    """[DAG-TRAINERS]"""
    told: dict[str, Any] = {}
    found = Rewarder(column="solution").trl_reward(
        prompts=["p", "p"],
        completions=[completion("4")] * 2,
        completion_ids=[[1], [2]],
        solution=["4", None],
        trainer_state=object(),
        log_metric=told.__setitem__,
        log_extra=told.__setitem__,
    )
    assert found == [1.0, None]
    assert told == {"dagmath_undecided": 0.5, "dagmath_reason": ["", "no answer is expected"]}
    with pytest.raises(ValueError, match="solution"):
        Rewarder(column="solution").trl_reward(prompts=["p"], completions=["x"], answer=["4"])
    with pytest.raises(ValueError, match="zip"):
        trl_reward(prompts=["p"], completions=["x"], answer=["4", "5"])
    assert trl_reward(prompts=[], completions=[], answer=[]) == []


def test_functions_have_names_signatures_and_can_be_sent() -> None:
    """[DAG-TRAINERS]: trainers log by the name, and give what is in the signature."""
    assert trl_reward.__name__ == "trl_reward" and rubric_reward.__name__ == "rubric_reward"
    assert [*inspect.signature(rubric_reward).parameters] == ["prompt", "completion", "answer", "state"]
    sent = pickle.loads(pickle.dumps(Rewarder(closeness=0.2).trl_reward))
    assert sent(prompts=["p"], completions=[completion("4")], answer=["4"]) == [1.0]


# --- threads, processes ------------------------------------------------------------------------------

WORKER = """
import json, multiprocessing, os, sys, threading
from potlang.dagmath import Rewarder, compute_score

def work(texts, queue):
    def run():
        queue.put([compute_score("d", each, "0.5", seconds=100) for each in texts])
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()

if __name__ == "__main__":
    texts = json.load(sys.stdin)
    columns = {"prompts": texts, "completions": texts, "answer": ["0.5"] * len(texts)}
    print(json.dumps(Rewarder(seconds=100).trl_reward(**columns)))
    for way in sys.argv[1:]:
        context = multiprocessing.get_context(way)
        queue = context.Queue()
        process = context.Process(target=work, args=(texts, queue), daemon=True)
        process.start()
        print(json.dumps(queue.get(timeout=100)))
        process.join(100)
        print(process.exitcode)
"""


@pytest.mark.parametrize("way", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
def test_in_threads_of_processes(tmp_path: Path, way: str) -> None:
    """[DAG-TRAINERS]: whoever started them had a judge already; all end by themselves."""
    (tmp_path / "work.py").write_text(WORKER, encoding="utf-8")
    texts = [completion(r"\frac{1}{2}"), completion("3")]
    done = subprocess.run(
        [sys.executable, tmp_path / "work.py", way],
        input=json.dumps(texts).encode(),
        capture_output=True,
        timeout=120,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
    )
    assert done.stdout.decode().split("\n") == ["[1.0, 0.1]", "[1.0, 0.1]", "0", ""], done.stderr.decode()


def test_threads_share_one_judge() -> None:
    """[DAG-JUDGE-SHARED]"""
    assert shared_checker() is shared_checker()
    assert shared_checker()._children is shared_checker(0.7)._children
    found: list[float | None] = []

    def run() -> None:
        judge = shared_checker(100)
        found.extend(reward(completion(f"{at}/2"), answer=f"{at / 2}", judge=judge) for at in (1, 3, 5))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [1.0] * 12
