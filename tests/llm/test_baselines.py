"""Baselines that answer in prose: calls, stages, what is read, and bounds that are kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from staged_replies import check_short, transcript_schema

from potlang.models.baselines import (
    BASELINES,
    USUAL_BOUNDS,
    AnsweringModel,
    Baseline,
    ProseAnswer,
    SearchBounds,
    answer,
    most_calls,
)
from potlang.models.endpoint import Completion, EndpointError, Message, Recorded
from potlang.models.evaluation import QuestionOutcome, SolverSettings, run
from potlang.models.evaluation.judging import AnswerReading, Grade, judge
from potlang.models.evaluation.outcomes import find_outcome
from potlang.models.evaluation.questions import Option, Question, Truth
from potlang.models.evaluation.reasoners import GivenAnswer
from potlang.models.evaluation.results_file import ResultsFile
from potlang.models.loop.asking import Attempt
from potlang.models.prompts import fill
from potlang.models.replies.schemas import SCORES, THOUGHTS
from potlang.report.results import Limits, Verdict

QUESTION = "Every iguana is a reptile. Rex is an iguana. Is Rex a reptile?"
OPEN_QUESTION = f"{QUESTION} Answer with yes, no, or uncertain."
YES, NO = "It follows.\nAnswer: yes", "It does not.\nAnswer: no"


def answered(baseline: Baseline, model: Recorded, question: str = QUESTION, **settings: Any) -> ProseAnswer:
    """The result, found to fit its schema and to have each request as an attempt."""
    found = answer(question, model, baseline=baseline, **settings)
    transcript_schema("answered-1").validate(json.loads(found.to_json()))
    assert len(found.attempts) == len(model.asked) == found.totals.calls
    assert (found.answer is None) == bool(found.reason)
    return found


def stages(found: ProseAnswer) -> list[str]:
    return [each.stage for each in found.attempts]


def last(model: Recorded, at: int) -> str:
    return str(model.asked[at].messages[-1].content)


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("cot", {"question": "", "answers": []}),
        ("propose_thoughts", {"question": "", "thoughts": [], "count": 2}),
        ("judge_thoughts", {"question": "", "lines": []}),
        ("conclude", {"question": "", "thoughts": [], "answers": []}),
        ("aggregate", {"question": "", "solutions": [], "answers": []}),
        ("refine", {"question": "", "solution": "", "answers": []}),
    ],
)
def test_prompts_are_short(name: Any, fields: dict[str, Any]) -> None:
    """[LOOP-STRATEGY-PROMPT]"""
    check_short(fill(name, **fields))


# --- chains of thought -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "question", "options", "expected"),
    [
        (YES, QUESTION, (), Truth.TRUE),
        (NO, QUESTION, (), Truth.FALSE),
        ("<think>Answer: no</think>So it is one.\n**Answer: Yes.**", QUESTION, (), Truth.TRUE),
        ("Hm.\nAnswer: uncertain", OPEN_QUESTION, (), Truth.UNCERTAIN),
        ("Hm.\nAnswer: not necessarily", QUESTION, (), Truth.FALSE),
        ("Hm.\nAnswer: B", "Which?", ("A", "B"), "B"),
        (Completion("", reasoning=YES), QUESTION, (), Truth.TRUE),
    ],
)
def test_a_chain_of_thought(reply: Any, question: str, options: tuple[str, ...], expected: Any) -> None:
    """[LOOP-BASELINE]: one call, whose prompt has the question and the answers to choose from."""
    model = Recorded([reply])
    found = answered("cot", model, question, options=options)
    assert (found.answer, stages(found)) == (expected, ["thought"])
    assert question in last(model, 0) and found.text
    shown = json.loads(last(model, 0).rpartition("```json")[2].strip("`\n"))
    assert shown == ([*options] or ["yes", "no"] + ["uncertain"] * (question == OPEN_QUESTION))
    assert model.asked[0].settings["temperature"] is None


@pytest.mark.parametrize(
    ("reply", "question", "options"),
    [
        ("I do not know, perhaps.", QUESTION, ()),
        ("Answer: not necessarily", OPEN_QUESTION, ()),
        ("Answer: yes", "Which?", ("A", "B")),
        ("Answer: C", "Which?", ("A", "B")),
        ("", QUESTION, ()),
    ],
)
def test_what_is_no_answer_is_asked_for_again(reply: str, question: str, options: tuple[str, ...]) -> None:
    """[LOOP-BASELINE]"""
    good = "Answer: A" if options else "Answer: no"
    model = Recorded([reply, good])
    found = answered("cot", model, question, options=options)
    assert found.answer == ("A" if options else Truth.FALSE)
    assert "This is not accepted" in last(model, 1) and model.asked[1].messages[-2].role == "assistant"
    found = answered("cot", Recorded([reply] * 2), question, options=options)
    assert found.answer is None and found.reason == found.attempts[-1].problem


def test_chains_vote() -> None:
    """[LOOP-BASELINE-VOTE]: five at temperature 0.7; one without an answer has no vote."""
    model = Recorded([YES, NO, "?", "?", YES, YES])
    found = answered("cot-sc", model)
    assert (found.answer, dict(found.votes)) == (Truth.TRUE, {"true": 3, "false": 1})
    assert {each.settings["temperature"] for each in model.asked} == {0.7}


@pytest.mark.parametrize(
    ("replies", "k", "expected", "reason"),
    [
        ([YES, NO], 2, None, "do not agree: 1 true, 1 false"),
        ([YES, EndpointError("unauthorized", "x")], 5, Truth.TRUE, ""),
        ([EndpointError("unauthorized", "x")], 5, None, "unauthorized"),
        (["?"] * 4, 2, None, "does not end with"),
    ],
)
def test_votes_that_say_nothing(replies: list[Any], k: int, expected: Any, reason: str) -> None:
    """[LOOP-BASELINE-VOTE]: what was answered counts although the endpoint fails, and no more is asked."""
    found = answered("cot-sc", Recorded(replies), bounds=SearchBounds(k=k))
    assert found.answer == expected and reason in found.reason


def test_chains_side_by_side_have_the_same_seeds() -> None:
    """[LOOP-SEED]"""
    one, several = Recorded(lambda messages: "?"), Recorded(lambda messages: "?")
    answered("cot-sc", one, seed=3)
    answered("cot-sc", several, seed=3, parallel=4)
    seeds = [each.settings["seed"] for each in one.asked]
    assert seeds == list(range(3, 13)) == sorted(each.settings["seed"] for each in several.asked)


# --- trees -----------------------------------------------------------------------------------------------


def _thoughts(*thoughts: str) -> str:
    return json.dumps({"thoughts": thoughts})


def _scores(*scores: Any) -> str:
    return json.dumps({"scores": scores})


def test_a_tree_keeps_its_best_lines() -> None:
    """[LOOP-BASELINE-TREE]: the model proposes, and scores all lines of a level at once."""
    replies = [
        *(_thoughts("a", "b", "ignored"), _scores(2, 9)),
        *(_thoughts("b1", "b2"), _thoughts("a1", "a2"), _scores(1, 8, 9.5, 0)),
        *(_thoughts("x"), _thoughts("y"), _scores(5, 5), YES),
    ]
    model = Recorded(replies)
    found = answered("tot", model)
    assert (found.answer, len(replies)) == (Truth.TRUE, 9)
    level = ["proposal", "proposal", "evaluation"]
    assert stages(found) == [*level[1:], *level, *level, "conclusion"]
    assert json.loads(last(model, 4).rpartition("```json")[2].strip("`\n")) == [
        *(["b", "b1"], ["b", "b2"], ["a", "a1"], ["a", "a2"]),
    ]
    assert '"a",\n "a1",\n "x"' in last(model, 8)
    assert [model.asked[at].settings["schema"] for at in (0, 1, 8)] == [THOUGHTS, SCORES, None]


@pytest.mark.parametrize(
    "scores", [_scores(1), _scores(1, 11), _scores(1, "9"), _scores(1, True), "Both are good.", "{"]
)
def test_scores_without_sense(scores: str) -> None:
    """[LOOP-BASELINE-TREE]: asked for again, and then the first lines are kept."""
    model = Recorded([_thoughts("a", "b"), scores, scores, YES])
    found = answered("tot", model, bounds=SearchBounds(depth=1, beam=1))
    assert stages(found) == ["proposal", "evaluation", "evaluation", "conclusion"]
    assert '"a"' in last(model, 3) and '"b"' not in last(model, 3)


def test_a_tree_without_proposals_is_concluded() -> None:
    """[LOOP-BASELINE-TREE]"""
    found = answered("tot", Recorded(["?", "?", YES]))
    assert (found.answer, stages(found)) == (Truth.TRUE, ["proposal", "proposal", "conclusion"])


# --- graphs ----------------------------------------------------------------------------------------------


def test_a_graph_makes_one_solution_of_several() -> None:
    """[LOOP-BASELINE-GRAPH]: and improves it until nothing changes."""
    replies = [YES, NO, "Both.\nAnswer: no", "Better.\nAnswer: yes", "Better.  Answer: yes"]
    model = Recorded(replies)
    found = answered("got", model, bounds=SearchBounds(k=2))
    assert (found.answer, found.text) == (Truth.TRUE, replies[3])
    assert stages(found) == ["thought", "thought", "aggregate", "refine", "refine"]
    assert json.loads(last(model, 2).split("```json\n")[1].split("\n```")[0]) == [YES, NO]
    assert "Both.\nAnswer: no" in last(model, 3) and replies[3] in last(model, 4)


@pytest.mark.parametrize(
    ("replies", "expected"),
    [
        # None is made of them: the one with the most votes is improved.
        ([NO, YES, YES, "?", "?", YES], Truth.TRUE),
        ([YES, YES, YES, NO, "?", "?"], Truth.FALSE),
        ([YES, YES, NO, EndpointError("server", "x")], Truth.TRUE),
        ([*["?"] * 6], None),
    ],
)
def test_graphs_with_bad_replies(replies: list[Any], expected: Any) -> None:
    """[LOOP-BASELINE-GRAPH]"""
    assert answered("got", Recorded(replies), bounds=SearchBounds(k=3)).answer == expected


# --- all of them -----------------------------------------------------------------------------------------

MODELS: dict[str, Callable[[Sequence[Message]], Any]] = {
    "the same answer for ever": lambda messages: YES,
    "another solution each time": lambda messages: f"{len(str(messages))}\n{YES}",
    "no answer for ever": lambda messages: "Who knows?",
    "nothing for ever": lambda messages: "",
    "a runaway": lambda messages: Completion("so " * 30_000, finish_reason="length"),
    "JSON of all kinds": lambda messages: '{"thoughts": ["a", "b"], "scores": [1, 2, 3, 4]}\nAnswer: yes',
    "cut off for ever": lambda messages: EndpointError("cut off", "x"),
    "refusals": lambda messages: Completion("", refusal="No."),
    "rejected for ever": lambda messages: EndpointError("rejected", "x"),
    "nobody": lambda messages: EndpointError("refused", "x"),
}


@pytest.mark.parametrize("baseline", BASELINES)
@pytest.mark.parametrize("reply", MODELS.values(), ids=MODELS)
def test_bounds_are_kept(baseline: Baseline, reply: Callable[[Sequence[Message]], Any]) -> None:
    """[LOOP-BASELINE]: calls, and what is shown of a reply."""
    model = Recorded(reply)
    answered(baseline, model, attempts=2)
    assert 1 <= len(model.asked) <= most_calls(baseline, USUAL_BOUNDS, 2)
    assert all(len(str(each.messages)) < 150_000 for each in model.asked)
    if reply is MODELS["nobody"]:
        assert len(model.asked) == 1


@pytest.mark.parametrize("baseline", BASELINES)
def test_the_most_calls_are_those_that_are_made(baseline: Baseline) -> None:
    """[LOOP-BASELINE]: where each reply is accepted at once, and no two solutions are the same."""
    numbers = iter(range(1_000))

    def reply(messages: Sequence[Message]) -> str:
        said = str(messages[-1].content)
        if "Propose" in said:
            return _thoughts(f"a{next(numbers)}", f"b{next(numbers)}")
        if "Judge" in said:
            lines = json.loads(said.rpartition("```json")[2].strip("`\n"))
            return _scores(*[5] * len(lines))
        return f"{next(numbers)}\n{YES}"

    found = answered(baseline, Recorded(reply))
    assert len(found.attempts) == most_calls(baseline, USUAL_BOUNDS, 1)
    assert found.answer is Truth.TRUE


@pytest.mark.parametrize(
    "settings",
    [
        {"baseline": "dot"},
        {"bounds": SearchBounds(k=0)},
        {"bounds": SearchBounds(depth=101)},
        {"parallel": 0},
        {"options": ("A", "A")},
        {"attempts": 0},
    ],
)
def test_wrong_calls(settings: dict[str, Any]) -> None:
    """[LOOP-BASELINE]: before anything is asked."""
    model = Recorded([])
    with pytest.raises(ValueError, match=r"baseline|bounds|attempts|`k`|different"):
        answer("q", model, **settings)
    assert model.asked == []


# --- in an evaluation --------------------------------------------------------------------------------------


def _question(right: Any, *labels: str) -> Question:
    options = tuple(Option(each, each, frozenset({Verdict.ENTAILED})) for each in labels)
    return Question("q", QUESTION, right, "", "q", options)


def _except(right: str, *labels: str) -> Question:
    """That option is right whose claim is refuted."""
    options = tuple(Option(each, each, frozenset({Verdict.REFUTED})) for each in labels)
    return _question(right)._replace(options=options)


@pytest.mark.parametrize(
    ("question", "given", "grade", "answers"),
    [
        (_question(Truth.TRUE), Truth.TRUE, Grade.RIGHT, [Truth.TRUE]),
        (_question(Truth.TRUE), Truth.UNCERTAIN, Grade.WRONG, [Truth.UNCERTAIN]),
        (_question(Truth.TRUE), None, Grade.ABSTAINED, [None]),
        (_question("B", "A", "B"), "B", Grade.RIGHT, [Truth.FALSE, Truth.TRUE]),
        (_question("B", "A", "B"), "A", Grade.WRONG, [Truth.TRUE, Truth.FALSE]),
        (_question("B", "A", "B"), None, Grade.ABSTAINED, [None, None]),
        (_question("B", "A", "B"), Truth.TRUE, Grade.ABSTAINED, [None, None]),
        (_except("A", "A", "B"), "A", Grade.RIGHT, [Truth.TRUE, Truth.FALSE]),
    ],
)
def test_answers_without_programs_are_graded(
    question: Question, given: Any, grade: Grade, answers: list[Any]
) -> None:
    """[LOOP-BASELINE-EVAL]: as those of programs are, each option a claim."""
    replies = (Attempt((), False, reply="so", model="m"),)
    for failure, status in (("", grade), ("timeout: ", Grade.FAILED)):
        made = GivenAnswer(given, replies if not failure else (), failure=failure)
        with ResultsFile(None) as results:
            outcome = find_outcome(question, _Giving(made), SolverSettings(), results)
        assert QuestionOutcome.from_dict(outcome.to_dict()) == outcome
        for reading in AnswerReading:
            graded = judge(question, outcome, reading)
            if reading is AnswerReading.PAPER and given is Truth.UNCERTAIN and not failure:
                assert graded.status is Grade.ABSTAINED
                continue
            assert graded.status is status
            assert failure or [answer for _, answer in graded.cases] == answers


class _Giving:
    """Gives one answer."""

    def __init__(self, given: GivenAnswer) -> None:
        self._given = given

    def fingerprint(self, question: Question) -> str:
        return "one"

    def answer_to(self, question: Question) -> GivenAnswer:
        return self._given


def test_an_evaluation_by_a_baseline_asks_once(tmp_path: Path) -> None:
    """[LOOP-BASELINE-EVAL], [EVAL-RESUME]: no option of verification makes another answer of it."""
    questions = [_question(Truth.TRUE), _question(Truth.FALSE)._replace(id="r", text="Is Rex a bird?")]
    model = Recorded(lambda messages: NO if "bird" in messages[-1].content else YES)
    path = tmp_path / "results.jsonl"
    for limits in (Limits(), Limits(check_ms=7)):
        found = run(questions, AnsweringModel(model, "cot"), SolverSettings(limits=limits), results=path)
        pairs = zip(questions, found.outcomes, strict=True)
        assert {judge(*each, AnswerReading.VERDICT).status for each in pairs} == {Grade.RIGHT}
        assert len(model.asked) == 2
    assert YES in path.read_text(encoding="utf-8").replace("\\n", "\n")


def test_a_model_that_answers_questions_of_a_data_set() -> None:
    """[LOOP-BASELINE-EVAL]: with its attempts; after what no call can mend nothing is asked."""
    model = Recorded([YES, "Answer: B", EndpointError("not found", "x")])
    reasoner = AnsweringModel(model, "cot")
    assert reasoner.answer_to(_question(Truth.TRUE)).answer is Truth.TRUE
    given = reasoner.answer_to(_question("B", "A", "B"))
    assert (given.answer, len(given.attempts), given.failure) == ("B", 1, "")
    assert [reasoner.answer_to(_question(Truth.TRUE)).failure[:9] for _ in range(2)] == ["not found"] * 2
    assert len(model.asked) == 3
    others = [AnsweringModel(model, "cot-sc"), AnsweringModel(model, "cot", place="elsewhere")]
    digests = {each.fingerprint(_question(Truth.TRUE)) for each in (reasoner, *others)}
    assert len(digests) == 3
    assert reasoner.fingerprint(_question("B", "A", "B")) != reasoner.fingerprint(_question(Truth.TRUE))
