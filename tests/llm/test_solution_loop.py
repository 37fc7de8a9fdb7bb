"""The loop around a model that writes solutions, against a real HTTP server and with recorded models."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from chat_server import Behaviour, ChatServer, CutOff, Status
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_support import at_server, checked, fits
from solution_replies import CYCLIC, GOOD, GUESSED, OPEN_END, PROBLEM, UNUSED, WRONG, solution

import potlang
from potlang.cli.commands import command_of
from potlang.dagmath import ReasonedSolution, SolutionVerdict, StepVerdict
from potlang.languages.dagmath.read.records import Step
from potlang.models.endpoint import Completion, EndpointError, Recorded
from potlang.models.solutions.replies import beginning, joined_parts, read_solution_reply

pytest.importorskip("openai")


def reasoned(script: list[Behaviour], **options: Any) -> tuple[ReasonedSolution, ChatServer]:
    """What comes of the problem at a server that does what the script says."""
    return at_server(script, lambda model: potlang.dagmath.reason(PROBLEM, model, trust="solver", **options))


def recorded(script: Any, **options: Any) -> tuple[ReasonedSolution, Recorded]:
    model = Recorded(script)
    return checked(potlang.dagmath.reason(PROBLEM, model, trust="solver", **options)), model


# --- ask, mend, repair, verify ------------------------------------------------------------------------


def test_a_solution_is_written_and_checked() -> None:
    """[LOOP-DAG-REASON] [LOOP-DAG-TRANSCRIPT] [LOOP-DAG-PROMPT]"""
    found, server = reasoned([f"Here it is.\n```json\n{GOOD}\n```"])
    assert (found.verdict, found.answer, found.reason) == (SolutionVerdict.ACCEPTED, "10", "")
    assert found.report is not None and found.report.ok and found.report.count(StepVerdict.PROVED) == 3
    assert found.solution is not None and PROBLEM in found.solution
    (attempt,) = found.attempts
    assert (attempt.problem, attempt.mended, attempt.stage) == ("", 0, "solution")
    body = server.received[0].body
    assert [each["role"] for each in body["messages"]] == ["user"]
    assert body["messages"][0]["content"] == potlang.dagmath.generation_prompt(PROBLEM)
    assert "response_format" in body
    assert "answer: 10\n1 call of m" in found.render()


@pytest.mark.parametrize(
    "reply",
    [
        GOOD.replace('"}]}', '"},]} // done'),
        GOOD.replace('"', "“"),
        "<think>steps, steps {…}</think>\n" + GOOD,
        json.dumps({"solution": json.loads(GOOD)}),
        json.dumps({"name": "solve", "arguments": GOOD}),
        json.dumps(json.loads(GOOD)["steps"]),
        GOOD.replace('"step_id": 3', '"step_id": "3"').replace("[3, 4]", '["3", 4]'),
        GOOD.replace("\\\\boxed", "\\boxed").replace("\\\\cdot", "\\cdot"),
    ],
)
def test_what_keeps_its_meaning_is_mended_without_a_call(reply: str) -> None:
    """[LOOP-DAG-REPLY] [LOOP-MEND]"""
    found, model = recorded([reply])
    assert (found.answer, found.verdict, len(model.asked)) == ("10", SolutionVerdict.ACCEPTED, 1)


def test_a_solution_in_text_form_and_in_a_tool_call() -> None:
    """[LOOP-DAG-REPLY]"""
    text = potlang.dagmath.write_text(potlang.dagmath.read(GOOD))
    found, _ = recorded([text])
    assert found.answer == "10"
    found, _ = recorded([Completion("", arguments=GOOD)])
    assert found.answer == "10" and found.attempts[0].part == "arguments"


def test_diagnostics_lead_to_a_repair() -> None:
    """[LOOP-DAG-WRITE]: a cycle and a missing answer; the last solution and what is wrong with it alone."""
    found, server = reasoned(["It is 10, since 3 * 4 - 2 = 10.", CYCLIC, OPEN_END, GOOD], attempts=4)
    assert found.answer == "10" and len(found.attempts) == 4
    _, second, third, last = ([m["content"] for m in each.body["messages"]] for each in server.received)
    assert "has no solution in it" in second[2]
    assert (
        third[1] == found.attempts[1].program
        and "POT7005" in third[2]
        and "the solution has 1 error" in third[2]
    )
    assert last[0] == second[0] and last[1] == OPEN_END and "POT7005" not in last[2]
    assert "the last step gives no answer" in last[2]


def test_what_a_model_says_of_its_own_answer_counts_for_nothing() -> None:
    """[LOOP-DAG-WRITE]"""
    found, _ = recorded([json.dumps({**json.loads(WRONG), "correct": True, "answer": "11"})], attempts=1)
    assert found.report is not None and found.report.answer is None
    assert found.verdict is SolutionVerdict.REFUTED


def test_after_the_last_attempt_the_verdict_is_unknown() -> None:
    """[LOOP-DAG-WRITE]: with a solution that gives no answer, if there is one."""
    found, server = reasoned(["Ten.", CYCLIC, CYCLIC])
    assert (found.verdict, found.report, found.chosen) == (SolutionVerdict.UNKNOWN, None, None)
    assert found.reason == "no solution after 3 replies: the solution has 1 error"
    assert len(server.received) == 3
    found, _ = recorded([OPEN_END] * 2, attempts=2)
    assert found.answer is None and found.report is not None
    assert found.reason == "the solution gives no answer"


# --- a solution in parts -------------------------------------------------------------------------------


def cut(text: str) -> Completion:
    return Completion(text, finish_reason="length")


@pytest.mark.parametrize(
    "rest",
    [
        solution(5),
        # From a step that was whole already, and all of it anew.
        solution(4),
        GOOD,
        # Numbered from 1 again.
        json.dumps(
            {
                "steps": [
                    {**json.loads(solution(5, 5))["steps"][0], "step_id": 1},
                    {
                        "step_id": 2,
                        "edge": "This is Step 1.",
                        "direct_dependent_steps": [1],
                        "node": "The final answer is $\\boxed{10}$.",
                    },
                ]
            }
        ),
    ],
    ids=["the rest", "overlapping", "all", "counted anew"],
)
def test_a_solution_that_broke_off_goes_on(rest: str) -> None:
    """[LOOP-DAG-PARTS]"""
    found, model = recorded([cut(GOOD[: GOOD.index('"step_id": 5') + 40]), rest])
    assert found.answer == "10" and found.verdict is SolutionVerdict.ACCEPTED
    assert [step.id for step in potlang.dagmath.read(found.solution or "").steps] == [1, 2, 3, 4, 5, 6]
    shown, said = model.asked[1].messages[1:]
    assert json.loads(shown.text) == json.loads(solution(1, 4))
    assert "from 5 on" in said.text and "up to step 4 are kept" in said.text
    assert found.attempts[0].problem == "the reply broke off at its greatest length, behind step 4"


def test_steps_that_are_counted_anew_cite_their_own_part() -> None:
    """[LOOP-DAG-PARTS]"""
    first = (Step(1, "", None, "a"), Step(2, "", (1,), "b"))
    more = (Step(1, "By Step 2.", (2,), "c"), Step(2, "By Step 1 and Steps 1 and 2.", (1,), "d"))
    assert joined_parts(first, more)[2:] == (
        Step(3, "By Step 2.", (2,), "c"),
        Step(4, "By Step 3 and Steps 3 and 2.", (3,), "d"),
    )


@pytest.mark.parametrize("length", range(0, len(GOOD), 23))
def test_of_a_reply_that_broke_off_whole_steps_are_kept(length: int) -> None:
    """[LOOP-DAG-PARTS]: wherever it did."""
    kept = beginning(GOOD[:length])
    whole = sum(
        GOOD[:length].count(f'"node": {json.dumps(each["node"])}}}') for each in json.loads(GOOD)["steps"]
    )
    assert (0 if kept is None else len(json.loads(kept)["steps"])) == whole


def test_a_solution_that_never_ends_ends_the_attempts() -> None:
    """[LOOP-DAG-PARTS]: what brings no new step is no part."""
    found, model = recorded(lambda messages: cut(solution(1, 4)[:-2]), attempts=4)
    assert found.report is None and len(model.asked) == 4
    assert "from 5 on" in model.asked[1].messages[-1].text
    assert "broke off at its greatest length: write less" in model.asked[2].messages[-1].text


# --- second looks --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (WRONG, ["Step 4 is wrong", '"false": ["3 \\\\cdot 4 = 13"]']),
        (GUESSED, ["Step 5 does not follow from the steps that it rests on", '"rests_on": {"3"']),
        (UNUSED, ["No later step uses these steps: 3"]),
    ],
)
def test_a_doubtful_solution_is_looked_at_again(reply: str, said: list[str]) -> None:
    """[LOOP-DAG-SECOND]"""
    found, model = recorded([reply, GOOD])
    assert (found.answer, found.verdict, len(model.asked)) == ("10", SolutionVerdict.ACCEPTED, 2)
    assert found.attempts[1].stage == "second look"
    told = model.asked[1].messages[-1].text
    assert json.loads(model.asked[1].messages[1].text) == json.loads(reply)
    for each in said:
        assert each in told


@pytest.mark.parametrize("second", ["I stay with it.", GUESSED, CYCLIC, EndpointError("server", "down")])
def test_a_second_look_that_is_no_better(second: Any) -> None:
    """[LOOP-DAG-SECOND]: prose stays; a graver doubt, or what is not accepted, does not stand."""
    first = WRONG if second == "I stay with it." else UNUSED
    found, model = recorded([first, second], attempts=2)
    assert len(model.asked) == 2 and json.loads(found.solution or "")["steps"] == json.loads(first)["steps"]


def test_no_second_look() -> None:
    """[LOOP-DAG-SECOND]: where it is not wanted, and where no attempts are left."""
    for options in ({"second_look": False}, {"attempts": 1}):
        found, model = recorded([WRONG], **options)
        assert found.verdict is SolutionVerdict.REFUTED and len(model.asked) == 1


# --- votes ---------------------------------------------------------------------------------------------


def with_answer(answer: str, **changed: str) -> str:
    return solution(step_6=f"The final answer is $\\boxed{{{answer}}}$.", **changed)


def test_equal_answers_are_one() -> None:
    """[LOOP-DAG-VOTE]"""
    script = [GUESSED, with_answer("\\frac{20}{2}"), with_answer("10 \\text{ apples}")]
    found, _ = recorded(script, k=3, attempts=1, second_look=False)
    assert [each.samples for each in found.votes] == [(1, 2), (0,)]
    assert found.answer == "\\frac{20}{2}" and found.chosen is found.samples[1]
    assert "votes: 2 \\frac{20}{2}, 1 12" in found.render()


def test_refuted_solutions_have_no_vote_beside_others() -> None:
    """[LOOP-DAG-VOTE]"""
    found, _ = recorded([WRONG, WRONG, GOOD], k=3, attempts=1)
    assert found.answer == "10" and [each.samples for each in found.votes] == [(2,)]
    found, _ = recorded([WRONG, WRONG], k=2, attempts=1)
    assert found.answer == "11" and found.verdict is SolutionVerdict.REFUTED


def test_of_as_many_votes_the_better_solution_counts_or_none() -> None:
    """[LOOP-DAG-VOTE]"""
    unused = GUESSED.replace("[3, 4]", "[4]")
    found, _ = recorded([unused, GOOD], k=2, attempts=1)
    assert found.answer == "10" and found.chosen is found.samples[1]
    unread = [with_answer(each, step_5="Some are left.") for each in "78"]
    found, _ = recorded(unread, k=2, attempts=1, second_look=False)
    assert (found.answer, found.verdict, found.chosen) == (None, SolutionVerdict.UNKNOWN, None)
    assert found.reason == "the solutions do not agree: 1 7, 1 8"


def test_samples_are_written_side_by_side() -> None:
    """[LOOP-DAG-VOTE] [LOOP-SEED]: with seeds that do not depend on it."""
    found, model = recorded(lambda messages: GOOD, k=5, parallel=3, attempts=2, seed=7)
    assert found.answer == "10" and len(found.samples) == 5
    assert sorted(each.settings["seed"] for each in model.asked) == [7, 9, 11, 13, 15]


# --- failures ------------------------------------------------------------------------------------------


def test_failures_end_the_asking_and_keep_what_was_paid_for() -> None:
    """[LOOP-DAG-FAILURE]"""
    found, _ = reasoned([GOOD, Status(401, "no")], k=3, attempts=2)
    assert found.answer == "10" and found.failure == "unauthorized" and len(found.samples) == 2
    found, _ = reasoned([CutOff(GOOD, 50), GOOD], attempts=2)
    assert found.answer == "10" and found.attempts[0].failure == "cut off"
    found, _ = recorded([Completion("", refusal="I would rather not.")])
    assert found.reason == "no solution after 0 replies: I would rather not."


@pytest.mark.parametrize(
    "reply",
    ["", "No idea.", '{"steps": []}', '{"steps": 7}', "[[[[" * 50_000, '{"steps": [' * 20_000, "\ud800" * 9],
)
def test_hostile_replies(reply: str) -> None:
    """[LOOP-DAG-FAILURE]: the same for ever."""
    found, model = recorded(lambda messages: reply)
    assert (found.verdict, len(model.asked)) == (SolutionVerdict.UNKNOWN, 3) and found.reason


def test_a_reply_of_ten_megabytes() -> None:
    """[LOOP-DAG-FAILURE]"""
    long = solution(step_4="x" * 10_000_000)
    found, model = recorded([long, GOOD])
    assert found.answer == "10"
    assert max(len(each.text) for each in model.asked[1].messages) < 120_000


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_whatever_is_replied_the_loop_ends(seed: int) -> None:
    """[LOOP-DAG-REASON]: with at most so many requests, and a solution that stands is a graph."""
    random = Random(seed)

    def reply(messages: Any) -> Completion:
        text = random.choice([GOOD, WRONG, UNUSED, CYCLIC, solution(4), OPEN_END])
        for _ in range(random.randrange(3)):
            at = random.randrange(len(text))
            text = (
                text[:at] + random.choice(['"', "}", "[", "\\", "7", ""]) + text[at + random.randrange(3) :]
            )
        return Completion(text, finish_reason=random.choice(["stop", "length"]))

    model = Recorded(reply)
    found = potlang.dagmath.reason(PROBLEM, model, attempts=4, trust="solver")
    assert 1 <= len(model.asked) <= 4
    if found.solution is not None:
        assert potlang.dagmath.check(found.solution).ok


def test_wrong_calls() -> None:
    """[LOOP-DAG-REASON]"""
    model = Recorded([])
    for options in ({"k": 0}, {"attempts": 101}, {"parallel": 0}, {"trust": "blind"}):
        with pytest.raises(ValueError):
            potlang.dagmath.reason(PROBLEM, model, **options)
    with pytest.raises(ValueError):
        potlang.dagmath.reason(" ", model)


def test_prose_is_no_solution_here() -> None:
    """[LOOP-DAG-REPLY]"""
    assert read_solution_reply("She has 3 * 4 = 12 apples. So 12 - 2 = 10 are left.\n#### 10") is None
    assert read_solution_reply('{"role": "assistant", "content": "So 12 - 2 = 10 apples are left."}') is None


# --- the command ---------------------------------------------------------------------------------------


def potc(*args: str, script: list[Behaviour]) -> Result:
    with ChatServer(script) as server:
        end = ["--model", "m", "--base-url", server.base_url, "--trust", "solver"]
        return CliRunner().invoke(command_of("reason"), [*args, *end])


def test_the_command(tmp_path: Path) -> None:
    """[LOOP-DAG-CLI]"""
    file = tmp_path / "transcript.json"
    done = potc(PROBLEM, "--as", "dagmath", "--transcript", str(file), script=[GOOD])
    assert done.exit_code == 0 and "answer: 10\n1 call of m" in done.stdout, done.stderr
    fits(json.loads(file.read_text(encoding="utf-8")))
    done = potc(PROBLEM, "--as", "dagmath", "--attempts", "1", "--format", "json", script=[WRONG])
    assert done.exit_code == 1 and json.loads(done.stdout)["verdict"] == "refuted"
    assert potc(PROBLEM, "--as", "dagmath", "--attempts", "1", script=["Ten."]).exit_code == 3


@pytest.mark.parametrize(
    "args",
    [
        ("--as", "dagmath", "--option", "A"),
        ("--as", "dagmath", "--verdicts", "none"),
        ("--as", "dagmath", "--route", "z3"),
        ("--as", "dot", "--no-second-look"),
    ],
)
def test_options_of_other_languages(args: tuple[str, ...]) -> None:
    """[LOOP-DAG-CLI]"""
    done = potc(PROBLEM, *args, script=[])
    assert (
        done.exit_code == 2
        and f"{args[2].replace('no-', '')} means nothing with `--as {args[1]}`" in done.stderr
    )
