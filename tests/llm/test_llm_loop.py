"""The loop around a model, against a real HTTP server and the official client, and with recorded models."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_server import Answer, Behaviour, ChatServer, CutOff, Raw, Silence, Status
from hypothesis import strategies as st
from loop_support import KEY, at_server, checked, fits
from seed_programs import EACH_KIND, verified
from statements import Mutation, Property

import potlang
from potlang.languages.pot.report import Report
from potlang.models.endpoint import Completion, Endpoint, EndpointError, Failure, Recorded
from potlang.models.evaluation import Option, Question, SolverSettings
from potlang.models.evaluation.outcomes import find_outcome
from potlang.models.evaluation.reasoners import WritingModel
from potlang.models.evaluation.results_file import ResultsFile
from potlang.models.loop.asking import Attempt
from potlang.models.programs import loop
from potlang.models.programs.loop import elect
from potlang.models.programs.prompting import examples
from potlang.models.programs.reasoned import ProgramSample, Reasoned
from potlang.report.results import Verdict

pytest.importorskip("openai")
ROOT = Path(__file__).parent.parent.parent
DEV = os.environ.get("POTLANG_CASES")
EXAMPLES = examples()
QUESTION = EXAMPLES[0].question
GOOD = json.dumps(EXAMPLES[0].program)
BAD = GOOD.replace('"has_fur(rex)"', '"hasfur(rex)"')
EMPTY = json.dumps({**EXAMPLES[0].program, "verifications": []})
CHOICE = json.dumps(EXAMPLES[1].program)


def reasoned(script: list[Behaviour], *, key: str = KEY, **settings: Any) -> tuple[Reasoned, ChatServer]:
    """What comes of the question at a server that does what the script says."""
    return at_server(script, lambda model: potlang.reason(QUESTION, model, **settings), key)


# --- generate, repair, verify -------------------------------------------------------------------------


def test_a_program_is_written_and_verified() -> None:
    """[LOOP-REASON], [LOOP-TRANSCRIPT]"""
    found, server = reasoned([GOOD])
    assert (found.verdict, found.reason, found.votes) == (Verdict.REFUTED, "", {"refuted": 1})
    assert found.report is not None and found.report.results[0].name == "Rex has fur"
    assert found.program == GOOD and found.consistency is None
    (attempt,) = found.attempts
    assert (attempt.reply, attempt.problem, attempt.failure) == (GOOD, "", None)
    assert (attempt.prompt_tokens, attempt.completion_tokens) == (11, 5) and attempt.seconds > 0
    body = server.received[0].body
    assert [each["role"] for each in body["messages"]] == ["system", "user"]
    assert body["messages"][0]["content"] == found.system
    assert QUESTION in body["messages"][1]["content"]
    assert set(body["response_format"]["json_schema"]["schema"]["properties"]) > {"sorts", "verifications"}


def test_diagnostics_lead_to_a_repair() -> None:
    """[LOOP-REPAIR]: the last program and its diagnostics, and nothing of those before."""
    worse = BAD.replace('"Bool"', '"Boole"', 1)
    found, server = reasoned(
        ["I say no.", f"```json\n{worse}\n```", f"<think>Hm.</think>{BAD}", GOOD], attempts=4
    )
    assert found.verdict == "refuted"
    assert [bool(each.problem) for each in found.attempts] == [True, True, True, False]
    codes = [{each["code"] for each in attempt.diagnostics} for attempt in found.attempts]
    assert codes[0] == codes[3] == set() and {"POT2001", "POT2005"} <= codes[1] and codes[2] == {"POT2001"}
    _, second, third, last = ([m["content"] for m in each.body["messages"]] for each in server.received)
    assert second[2] == "I say no." and "no program" in second[3]
    assert third[2] == worse and '"POT2005"' in third[3]
    assert last[:2] == second[:2] and last[2] == BAD and len(last) == 4
    assert "POT2005" not in last[3] and "did you mean `has_fur`?" in last[3] and '"fix"' in last[3]


def test_after_the_last_attempt_the_verdict_is_unknown() -> None:
    """[LOOP-WRITE], [LOOP-FAILURE]: three tries; prose is the reason, not a traceback."""
    found, server = reasoned(["Rex has fur.", BAD, "I am sure."])
    assert (found.verdict, found.report, found.chosen) == (Verdict.UNKNOWN, None, None)
    assert found.reason == "no program after 3 replies: there is no program in the reply"
    assert len(server.received) == len(found.attempts) == 3
    assert [each.program for each in found.attempts] == [None, BAD, None]


@pytest.mark.parametrize(
    ("first", "options", "problem"),
    [
        (EMPTY, (), "asks nothing"),
        (CHOICE.replace('"C"', '"c"'), ("A", "B", "C"), 'the name "C"'),
        (GOOD, ("A", "B", "C"), 'the name "A"'),
    ],
)
def test_a_program_must_ask_what_is_asked(first: str, options: tuple[str, ...], problem: str) -> None:
    """[LOOP-WRITE]"""
    model = Recorded([first, CHOICE])
    found = checked(potlang.reason("Who was last?", model, options=options))
    assert problem in found.attempts[0].problem and problem in model.asked[1].messages[-1].content
    assert {name: vote.answer for name, vote in found.claims.items()} == EXAMPLES[1].verdicts


@pytest.mark.parametrize(("finish", "said"), [("length", "write less"), ("pause_turn", "pause_turn")])
def test_why_a_reply_ended_is_said(finish: str, said: str) -> None:
    """[LOOP-REPAIR]"""
    model = Recorded([Completion(GOOD[:200], finish_reason=finish), GOOD])
    found = checked(potlang.reason(QUESTION, model))
    assert found.verdict == "refuted" and said in model.asked[1].messages[-1].content


@pytest.mark.parametrize(
    ("refused", "said"),
    [
        (Completion("", refusal="I do not talk about pets."), "I do not talk about pets."),
        (Completion(GOOD[:200], finish_reason="content_filter"), "withheld by a content filter"),
    ],
)
def test_a_refusal_is_not_asked_again(refused: Completion, said: str) -> None:
    """[LOOP-FAILURE]: its text is the reason."""
    model = Recorded([refused, GOOD])
    found = checked(potlang.reason(QUESTION, model, k=2))
    assert (found.verdict, found.failure, len(model.asked)) == (Verdict.UNKNOWN, "declined", 1)
    assert said in found.reason and found.attempts[0].reply == refused.text


def test_a_program_beside_a_refusal_counts() -> None:
    """[LOOP-FAILURE]"""
    found = checked(potlang.reason(QUESTION, Recorded([Completion(GOOD, finish_reason="content_filter")])))
    assert found.verdict == "refuted" and found.failure is None


@pytest.mark.parametrize(
    ("reply", "part"),
    [
        (Completion("", arguments=json.dumps({"program": json.loads(GOOD)})), "arguments"),
        (Completion("I call the tool.", arguments=GOOD), "arguments"),
        (Completion("", reasoning=f"So:\n{GOOD}"), "reasoning"),
        (Completion(GOOD, reasoning=CHOICE, arguments=CHOICE), "text"),
        (Completion(BAD, arguments=GOOD), "arguments"),
    ],
)
def test_programs_beside_the_text(reply: Completion, part: str) -> None:
    """[LOOP-REPLY]: what a tool is called with, and thoughts, in that order; the attempt says which."""
    found = checked(potlang.reason(QUESTION, Recorded([reply])))
    assert (found.verdict, found.program, found.attempts[0].part) == ("refuted", GOOD, part)


MENDED = {
    "Python's literals": repr({**json.loads(GOOD), "description": None}),
    "a trailing comma": GOOD[:-1] + ",}",
    "a comment": GOOD.replace("{", "{ // the program\n", 1),
    "typographic quotes": "".join(
        f"{part}{'“' if at % 2 == 0 else '”'}" for at, part in enumerate(GOOD.split('"'))
    )[:-1],
    "arrows": GOOD.replace("->", "=>"),
    "ampersands": GOOD.replace("reptile(x) ->", "reptile(x) && reptile(x) ->"),
}


@pytest.mark.parametrize("reply", MENDED.values(), ids=MENDED)
def test_what_keeps_its_meaning_is_mended_without_a_call(reply: str) -> None:
    """[LOOP-MEND]"""
    model = Recorded([reply])
    found = checked(potlang.reason(QUESTION, model))
    assert (found.verdict, len(model.asked)) == ("refuted", 1) and found.attempts[0].mended > 0
    model = Recorded([reply] * 3)
    assert potlang.reason(QUESTION, model, safe_fixes=False).verdict == "unknown" and len(model.asked) == 3


@pytest.mark.parametrize("reply", ["", " \n", Answer("", "tool_calls")])
def test_an_empty_reply_is_an_attempt(reply: Behaviour) -> None:
    """[LOOP-WRITE]: that it is empty is said, to the model and to people."""
    found, server = reasoned([reply, GOOD])
    assert found.verdict is Verdict.REFUTED
    assert found.attempts[0].problem.startswith("the reply is empty")
    assert "the reply is empty" in server.received[1].body["messages"][-1]["content"]


def test_an_endpoint_without_schemas() -> None:
    """[LOOP-STRUCTURED]: the same request without it, which is no attempt, and so are all that follow."""
    found, server = reasoned([Status(400, "what is this?"), BAD, GOOD], attempts=2)
    assert found.verdict == "refuted"
    assert [each.structured for each in found.attempts] == [True, False, False]
    assert ["response_format" in each.body for each in server.received] == [True, False, False]
    assert server.received[0].body["messages"] == server.received[1].body["messages"]


def test_what_is_rejected_twice_is_not_asked_again() -> None:
    """[LOOP-STRUCTURED], [LOOP-FAILURE]"""
    found, server = reasoned([Status(400, "too many tokens")] * 5)
    assert found.failure == "rejected" and "too many tokens" in found.reason
    assert len(server.received) == 2


def test_settings_go_to_the_model() -> None:
    """[LOOP-SEED]"""
    model = Recorded([BAD, GOOD, GOOD])
    potlang.reason(QUESTION, model, k=2, temperature=0.5, max_tokens=99, timeout=7.0, seed=3)
    assert [each.settings["seed"] for each in model.asked] == [3, 4, 6]
    assert {(s["temperature"], s["max_tokens"], s["timeout"]) for _, s in model.asked} == {(0.5, 99, 7.0)}


@pytest.mark.parametrize("own", [{}, {"semantics": None}, {"semantics": {"unique_names": False}}])
def test_semantics_are_those_of_the_call(own: dict[str, Any]) -> None:
    """[LOOP-SEMANTICS]"""
    program = {
        "sorts": [{"name": "T", "type": "DeclareSort"}],
        "constants": {"t": {"sort": "T", "members": ["a", "b"]}},
        "verifications": [{"constraint": "a != b"}],
        **own,
    }
    model = Recorded([json.dumps(program)] * 2)
    assert checked(potlang.reason("?", model, second_look=False)).verdict == "undetermined"
    found = checked(potlang.reason("?", model, semantics={"unique_names": True}))
    assert found.verdict == "entailed"
    assert json.loads(found.program or "")["semantics"] == {"unique_names": True}
    assert '{"unique_names": true}' in found.system


def test_a_program_that_optimizes() -> None:
    """[LOOP-REASON]: without claims its verdict is how the optimization ended."""
    program = {
        "optimization": {"constraints": ["x >= 2"], "objectives": [{"type": "minimize", "expression": "x"}]}
    }
    found = checked(potlang.reason("The least x from 2 on?", Recorded([json.dumps(program)])))
    assert found.verdict == "optimal" and found.report is not None and found.report.ok


@pytest.mark.parametrize(
    ("question", "settings", "message"),
    [
        (" ", {}, "characters"),
        ("q" * 200_001, {}, "characters"),
        ("q", {"attempts": 0}, "attempts"),
        ("q", {"k": 101}, "k"),
        ("q", {"options": ("A", "A")}, "different"),
        ("q", {"semantics": {"unique": True}}, "unique_names"),
        ("q", {"route": "fast"}, "route"),
    ],
)
def test_wrong_calls(question: str, settings: dict[str, Any], message: str) -> None:
    """[LOOP-REASON]: before anything is asked."""
    model = Recorded([])
    with pytest.raises(ValueError, match=message):
        potlang.reason(question, model, **settings)
    assert model.asked == []


# --- endpoints that fail -------------------------------------------------------------------------------


def test_a_wrong_key() -> None:
    """[LOOP-FAILURE]"""
    found, server = reasoned([GOOD], key="sk-another-secret-key", k=3)
    assert (found.verdict, found.failure) == (Verdict.UNKNOWN, "unauthorized")
    assert "unauthorized" in found.reason and "sk-another-secret-key" not in found.to_json()
    assert len(server.received) == 1


def test_a_refused_connection() -> None:
    """[LOOP-FAILURE]"""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with Endpoint(model="m", base_url=url, timeout=5.0) as model:
            found = checked(potlang.reason(QUESTION, model))
    assert (found.verdict, found.failure, len(found.attempts)) == (Verdict.UNKNOWN, "refused", 1)


@pytest.mark.parametrize(
    ("behaviour", "failure", "requests"),
    [
        (Status(429, "slow down", retry_after=0), "rate limit", 2),
        (Status(500, "oh no", retry_after=0), "server", 2),
        (Status(404, "no such model"), "not found", 1),
        (Raw(b"<html>hello</html>"), "malformed", 1),
        (Silence(5.0), "timeout", 1),
    ],
)
def test_an_endpoint_that_fails_after_an_attempt(
    behaviour: Behaviour, failure: Failure, requests: int
) -> None:
    """[LOOP-FAILURE]: the reason, the attempt so far, and no verdict."""
    timeout = 2.0 if isinstance(behaviour, Silence) else 20.0
    found, server = reasoned([BAD, *[behaviour] * 5], timeout=timeout)
    assert (found.verdict, found.failure) == (Verdict.UNKNOWN, failure)
    assert found.reason.startswith(f"no program after 1 reply: {failure}")
    assert [each.program for each in found.attempts] == [BAD, None]
    assert len(server.received) == 1 + requests


def test_a_rate_limit_that_passes() -> None:
    """[LOOP-FAILURE], [ENDPOINT-RETRY]"""
    found, _ = reasoned([Status(429, retry_after=0), GOOD])
    assert found.verdict == "refuted" and [each.tries for each in found.attempts] == [2]


def test_a_stream_that_is_cut_off() -> None:
    """[LOOP-FAILURE]: an attempt, asked for again; the text so far is no reply."""
    found, server = reasoned([CutOff(GOOD, 100), GOOD])
    assert found.verdict == "refuted" and [each.failure for each in found.attempts] == ["cut off", None]
    assert server.received[0].body["messages"] == server.received[1].body["messages"]
    found, server = reasoned([CutOff(GOOD, len(GOOD))] * 5)
    assert (found.verdict, found.failure, len(server.received)) == (Verdict.UNKNOWN, "cut off", 3)


# --- a second look --------------------------------------------------------------------------------------


def _program(**sections: Any) -> str:
    """About three animals."""
    declared = {
        "sorts": [{"name": "Animal", "type": "DeclareSort"}],
        "functions": [
            {"name": name, "domain": ["Animal"], "range": "Bool"} for name in ("cat", "pet", "wild")
        ],
        "constants": {"animals": {"sort": "Animal", "members": ["tom"]}},
    }
    return json.dumps({**declared, **sections})


ALL = "ForAll([x: Animal], {})"
ANSWERED = _program(
    rules=[{"constraint": ALL.format("cat(x) -> pet(x)")}],
    knowledge_base=["cat(tom)"],
    verifications=[{"name": "pet", "constraint": "pet(tom)"}],
)
LEFT_OPEN = ANSWERED.replace('"cat(tom)"', "")
CONTRADICTING = ANSWERED.replace('"cat(tom)"', '"cat(tom)", "not pet(tom)"')
BEGGING = ANSWERED.replace('"cat(tom)"', '"pet(tom)"')
VACUOUS = _program(
    rules=[{"constraint": ALL.format("cat(x) -> pet(x)")}, {"constraint": ALL.format("not wild(x)")}],
    knowledge_base=["cat(tom)"],
    verifications=[{"name": "wild", "constraint": ALL.format("wild(x) -> pet(x)")}],
)


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (LEFT_OPEN, '"could_be_true"'),
        (CONTRADICTING, '"conflict"'),
        (BEGGING, "is itself an assumption"),
        (VACUOUS, "about nothing"),
    ],
    ids=["undetermined", "inconsistent", "begging", "vacuous"],
)
def test_a_program_is_looked_at_again(first: str, said: str) -> None:
    """[LOOP-SECOND]: with the facts behind the doubt."""
    model = Recorded([first, ANSWERED])
    found = checked(potlang.reason("Tom is a cat. Is Tom a pet?", model))
    assert (found.verdict, found.program) == ("entailed", ANSWERED)
    shown, asked = (each.content for each in model.asked[1].messages[-2:])
    assert shown == first and said in asked
    assert [each.stage for each in found.attempts] == ["program", "second look"]


def _race(*facts: str) -> str:
    """About the places of three people, of whom the last is Ann."""
    return _program(
        constants={"people": {"sort": "Int", "members": ["ann", "bob", "cleo"]}},
        knowledge_base=["Distinct(ann, bob, cleo)", "cleo >= 1", *facts],
        verifications=[{"name": "bob", "constraint": "bob < 3"}],
    )


@pytest.mark.parametrize("more", [[], ["bob >= 1"]], ids=["consistent", "inconsistent"])
def test_a_program_that_numbers_places_from_both_ends_is_looked_at_again(more: list[str]) -> None:
    """[LOOP-SECOND] [ORDER-CONFLICT]: also where the facts contradict each other for it."""
    model = Recorded([_race("ann == 1", "bob < ann", *more), _race("ann == 3", "bob < ann")])
    found = checked(potlang.reason("Ann finished last. Bob finished above Ann. Was Bob first?", model))
    assert (found.verdict, found.program) == ("entailed", _race("ann == 3", "bob < ann"))
    asked = model.asked[1].messages[-1].content
    assert "numbered from one end" in asked and '"Ann finished last" as ann == 1' in asked
    assert ('"conflict"' in asked) is bool(more)


@pytest.mark.parametrize(
    ("replies", "settings"),
    [
        ([ANSWERED], {}),
        ([LEFT_OPEN], {"second_look": False}),
        ([LEFT_OPEN], {"attempts": 1}),
        ([LEFT_OPEN], {"yes_or_no": False}),
        ([LEFT_OPEN, LEFT_OPEN], {}),
        ([LEFT_OPEN, "I stay with it."], {}),
        ([LEFT_OPEN, CONTRADICTING], {}),
        ([LEFT_OPEN, EndpointError("timeout", "")], {}),
    ],
)
def test_a_program_that_stands(replies: list[Any], settings: dict[str, Any]) -> None:
    """[LOOP-SECOND]: without a doubt, or after a look that brought nothing better; no more is asked."""
    model = Recorded(replies)
    found = checked(potlang.reason("Tom is a cat. Is Tom a pet?", model, **settings))
    assert found.program == replies[0] and len(model.asked) == len(replies)


@pytest.mark.parametrize(
    ("question", "is_asked"),
    [
        ("Is Tom a pet?", True),
        ("Is Tom a pet? Answer true, false or uncertain.", False),
        ("Is Tom a pet, or can it not be determined?", False),
        ("Which is it?", True),
    ],
)
def test_whether_yes_or_no_is_asked(question: str, is_asked: bool) -> None:
    """[LOOP-SECOND]: as the question's words say."""
    model = Recorded([LEFT_OPEN, ANSWERED])
    potlang.reason(question, model)
    assert len(model.asked) == (2 if is_asked else 1)


# --- several programs -----------------------------------------------------------------------------------


def _claiming(claim: str) -> str:
    return json.dumps(
        {"constants": {"n": {"sort": "Int", "members": ["n"]}}, "verifications": [{"constraint": claim}]}
    )


YES, NO, OPEN = _claiming("1 < 2"), _claiming("2 < 1"), _claiming("n > 0")


@pytest.mark.parametrize(
    ("replies", "verdict", "votes"),
    [
        ([YES, YES, NO], "entailed", {"entailed": 2, "refuted": 1}),
        ([NO, YES, OPEN, NO], "refuted", {"refuted": 2, "entailed": 1, "undetermined": 1}),
        ([YES, NO], "unknown", {"entailed": 1, "refuted": 1}),
        (["?", "?", YES], "unknown", {"unknown": 2, "entailed": 1}),
    ],
)
def test_programs_vote(replies: list[str], verdict: str, votes: dict[str, int]) -> None:
    """[LOOP-VOTE]"""
    found = checked(potlang.reason("?", Recorded(replies), attempts=1, k=len(replies)))
    assert (found.verdict, found.votes) == (verdict, votes)
    assert (found.report is None) == (verdict == "unknown") == bool(found.reason)
    assert found.report is None or found.report.verdict == verdict


def test_the_chosen_program_agrees_in_most_claims() -> None:
    """[LOOP-VOTE]: of two programs that are refuted as a whole."""
    odd = CHOICE.replace("place(cy) != 3", "place(cy) == 3")
    found = checked(
        potlang.reason(
            "?", Recorded([odd, CHOICE, CHOICE]), k=3, attempts=1, prose="Answer: A", options="ABC"
        )
    )
    assert (found.verdict, found.program) == ("refuted", CHOICE)
    assert {name: vote.answer for name, vote in found.claims.items()} == EXAMPLES[1].verdicts
    assert found.claims["A"].counts == {"undetermined": 2, "refuted": 1}
    assert found.consistency is not None and found.consistency.status == "agrees"


def _choosing(label: str) -> str:
    """A program by which the option `label` of A, B and C alone is entailed, or none of them."""
    options = [
        {"name": each, "constraint": f"n == {number}"} for each, number in zip("ABC", (1, 2, 3), strict=True)
    ]
    value = {
        "constants": {"n": {"sort": "Int", "members": ["n"]}},
        "knowledge_base": [f"n == {'ABC'.find(label) + 1}"],
        "verifications": [{"name": "which", "options": options}],
    }
    return json.dumps(value)


def _as_verifications(program: str) -> str:
    """The same program with a verification for each option."""
    value = json.loads(program)
    return json.dumps({**value, "verifications": value["verifications"][0]["options"]})


@pytest.mark.parametrize(
    ("labels", "answer", "verdict", "votes"),
    [
        ("ABB", "B", "refuted", {"B": 2, "A": 1}),
        ("AB", "unknown", "unknown", {"A": 1, "B": 1}),
        ("C", "C", "refuted", {"C": 1}),
        ("-A-", "A", "refuted", {"(none)": 2, "A": 1}),
        ("-AB", "unknown", "unknown", {"(none)": 1, "A": 1, "B": 1}),
    ],
)
def test_votes_are_counted_by_option(labels: str, answer: str, verdict: str, votes: dict[str, int]) -> None:
    """[LOOP-VOTE]: of one verification each too."""
    as_options = list(map(_choosing, labels))
    for written in (as_options, list(map(_as_verifications, as_options))):
        found = checked(potlang.reason("Which?", Recorded(written), attempts=1, k=len(labels), options="ABC"))
        assert (found.answer, found.verdict, found.votes) == (answer, verdict, votes)
        assert found.elected == (None if answer == "unknown" else answer)
        assert (f"answer: {answer}" in found.render()) == (found.elected is not None)


def test_programs_are_written_side_by_side() -> None:
    """[LOOP-VOTE], [LOOP-SEED]: the same result, with the same seeds, however many are written at a time."""

    def reply(messages: Any) -> str:
        return GOOD

    one, several = Recorded(reply), Recorded(reply)
    first = potlang.reason(QUESTION, one, k=5, seed=7)
    second = potlang.reason(QUESTION, several, k=5, seed=7, parallel=4)
    assert first.votes == second.votes == {"refuted": 5} and first.program == second.program
    assert sorted(each.settings["seed"] for each in several.asked) == [7, 10, 13, 16, 19]
    assert [each.settings["seed"] for each in one.asked] == [7, 10, 13, 16, 19]


def test_what_was_voted_counts_although_the_endpoint_fails() -> None:
    """[LOOP-VOTE], [LOOP-FAILURE]"""
    found, _ = reasoned([GOOD, GOOD, Status(401)], k=5)
    assert (found.verdict, found.failure) == ("refuted", "unauthorized")
    assert found.votes == {"refuted": 2, "unknown": 1}


DECIDED = st.sampled_from([None, *(each for each in Verdict if each is not Verdict.REJECTED)])


def check_election(voters: list[tuple[Verdict | None, bool]]) -> None:
    """[LOOP-VOTE]: against counting one by one; a program that is chosen has the verdict."""
    samples = [
        ProgramSample((Attempt((), True),), None if each is None else Report(each), at_odds=at_odds)
        for each, at_odds in voters
    ]
    found = elect(samples)
    answers = [str(each or Verdict.UNKNOWN) for each, _ in voters]
    if any(each is not None and not at_odds for each, at_odds in voters):
        answers = [
            "(at odds)" if at_odds else each for each, (_, at_odds) in zip(answers, voters, strict=True)
        ]
    said = [each for each in answers if each != "(at odds)"]
    most = max(said.count(each) for each in said)
    best = {each for each in said if said.count(each) == most}
    assert found.verdict == (best.pop() if len(best) == 1 else "unknown")
    assert found.votes == {each: answers.count(each) for each in answers}
    assert bool(found.reason) == (found.verdict == Verdict.UNKNOWN)
    assert found.chosen is None or found.chosen.answer == found.verdict
    assert (found.chosen is None) <= (found.verdict == Verdict.UNKNOWN)


ELECTION = Property(
    check_election, st.lists(st.tuples(DECIDED, st.booleans()), min_size=1, max_size=7), quick=100
)
test_election, test_election_deeply = ELECTION.tests()


def test_a_program_at_odds_with_the_question_votes_only_where_no_other_does() -> None:
    """[LOOP-VOTE] [ORDER-CONFLICT]"""
    wrong, right = _race("ann == 1", "bob < ann", "bob == 5"), _race("ann == 3", "bob < ann")
    question = "Ann finished last. Bob finished above Ann. Was Bob first?"
    settings: dict[str, Any] = {"k": 3, "second_look": False}
    found = checked(potlang.reason(question, Recorded([wrong, right, wrong]), **settings))
    assert (found.verdict, found.votes) == ("entailed", {"(at odds)": 2, "entailed": 1})
    found = checked(potlang.reason(question, Recorded([wrong] * 3), **settings))
    assert (found.verdict, found.votes) == ("inconsistent", {"inconsistent": 3})


MUTATIONS = [
    Mutation(
        "election",
        "the first of a tie wins",
        (loop,),
        "most_frequent",
        lambda votes: votes.most_common(1)[0][0],
    ),
    Mutation("election", "a tie of a tie", (loop,), "most_frequent", lambda votes: None),
]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_mutations_are_caught(mutation: Mutation, monkeypatch: pytest.MonkeyPatch) -> None:
    mutation.check_caught(ELECTION, monkeypatch)


@pytest.mark.parametrize(
    ("reply", "prose", "status"),
    [
        (f"Answer: no.\n```json\n{GOOD}\n```", None, "agrees"),
        (f"```json\n{GOOD}\n```\nSo the answer is yes.", None, "contradicts"),
        (f"Here is the program:\n```json\n{GOOD}\n```", None, "cannot tell"),
        (GOOD, "Yes, Rex has fur.", "contradicts"),
        ("?", "Yes, Rex has fur.", "cannot tell"),
    ],
)
def test_prose_is_compared(reply: str, prose: str | None, status: str) -> None:
    """[LOOP-CONSISTENT]: what was given, else what stands around the program."""
    found = checked(potlang.reason(QUESTION, Recorded([reply]), attempts=1, prose=prose))
    assert found.consistency is not None and found.consistency.status == status


# --- replies of any kind --------------------------------------------------------------------------------

PARTS = st.sampled_from(
    [GOOD, BAD, EMPTY, CHOICE, "{", '{"', '"rules": ', "```\n", "\ud800", "\x00", "yes", "]}", "\n"]
)
REPLIES = st.lists(PARTS, max_size=5).map("".join) | st.text(max_size=30)
FAILURES = st.sampled_from(["cut off", "rate limit", "rejected"]).map(lambda why: EndpointError(why, "x"))


def check_any_replies(replies: list[str | EndpointError]) -> None:
    """[LOOP-REASON], [LOOP-TRANSCRIPT]: whatever a model replies, the result has the form of its schema."""
    model = Recorded([*replies, *["?"] * 8])
    found = checked(potlang.reason(QUESTION, model, attempts=3, k=2, trust="solver"))
    assert (found.report is None) <= (found.verdict == Verdict.UNKNOWN)
    assert len(found.attempts) == len(model.asked)
    for asked, attempt in zip(model.asked, found.attempts, strict=True):
        assert asked.messages[1:] == attempt.messages and asked.messages[0].content == found.system


ANY = Property(check_any_replies, st.lists(REPLIES | FAILURES, max_size=6), quick=15)
test_any_replies, test_any_replies_deeply = ANY.tests()


# --- recorded programs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", EACH_KIND)
def test_programs_of_the_paper_played_by_a_server(path: Path) -> None:
    """[LOOP-REASON]: the verdict is that of `verify`."""
    text = path.read_text(encoding="utf-8")
    report = verified(path)
    found, _ = reasoned([f"```json\n{text}\n```"], attempts=1)
    expected = Verdict.UNKNOWN if report.verdict is Verdict.REJECTED else report.verdict
    assert found.verdict == expected
    assert [each.verdict for each in (() if found.report is None else found.report.results)] == [
        each.verdict for each in (report.results if report.verdict is not Verdict.REJECTED else ())
    ]


@pytest.mark.slow
@pytest.mark.skipif(not DEV, reason="licences keep the cases outside: POTLANG_CASES says where")
@pytest.mark.parametrize("name", ["folio_llm", "proofwriter_llm", "prontoqa_llm", "illtyped_llm"])
def test_recorded_programs_of_models(name: str) -> None:
    """[LOOP-REASON]: z3's verdicts on programs that models wrote, over HTTP."""
    cases = [
        json.loads(line)
        for line in (Path(DEV or "") / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    with (
        ChatServer([json.dumps(each["program"]) for each in cases]) as server,
        Endpoint(model="m", base_url=server.base_url) as model,
    ):
        for case in cases:
            found = potlang.reason(case["id"], model, attempts=1)
            expected = case["z3_verdict"]
            if isinstance(expected, str):
                assert str(found.verdict) == ("unknown" if expected == "rejected" else expected), case["id"]


# --- the command and the evaluation ------------------------------------------------------------------------


def potc(*arguments: object, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    names = ("http_proxy", "https_proxy", "all_proxy", "openai_api_key", "openai_base_url", "potlang_model")
    env = {name: value for name, value in os.environ.items() if name.lower() not in names}
    command = [sys.executable, "-m", "potlang", *map(str, arguments)]
    return subprocess.run(
        command,
        input=stdin,
        capture_output=True,
        text=True,
        env={**env, **environment},
        timeout=120,
        check=False,
    )


@pytest.fixture
def served() -> Iterator[ChatServer]:
    """A server that answers with a broken program first, whoever asks, and then with the right one."""

    def behaviour(body: Any) -> Behaviour:
        return Answer(BAD if len(body["messages"]) == 2 else f"Answer: no\n{GOOD}")

    with ChatServer(behaviour, key=KEY) as server:
        yield server


def test_the_command(served: ChatServer, tmp_path: Path) -> None:
    """[LOOP-CLI]: text of a file, of standard input and of the command line; the transcript has no key."""
    (tmp_path / "question.txt").write_text(QUESTION, encoding="utf-8")
    environment = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": served.base_url, "POTLANG_MODEL": "m"}
    transcript = tmp_path / "transcript.json"
    done = potc("reason", tmp_path / "question.txt", "--transcript", transcript, **environment)
    assert done.returncode == 1 and "Rex has fur: refuted" in done.stdout and "prose: agrees" in done.stdout
    assert "the program has 1 error" in done.stderr and "Traceback" not in done.stderr
    fits(json.loads(transcript.read_text(encoding="utf-8")))
    for arguments, stdin in (((QUESTION,), ""), (("-",), QUESTION)):
        done = potc("reason", *arguments, "--format", "json", "--k", 2, stdin=stdin, **environment)
        found = json.loads(done.stdout)
        fits(found)
        assert (done.returncode, found["question"], found["votes"]) == (1, QUESTION, {"refuted": 2})
        assert KEY not in done.stdout + done.stderr + transcript.read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_command_fails_with_a_reason(served: ChatServer) -> None:
    """[LOOP-CLI], [LOOP-FAILURE]"""
    arguments = ("reason", QUESTION, "--model", "m", "--base-url", served.base_url)
    done = potc(*arguments, OPENAI_API_KEY="sk-another-secret-key")
    assert done.returncode == 3 and "verdict: unknown" in done.stdout and "unauthorized" in done.stdout
    assert "Traceback" not in done.stderr and "sk-another-secret-key" not in done.stdout + done.stderr
    done = potc(*arguments, "--attempts", 1, OPENAI_API_KEY=KEY)
    assert done.returncode == 3 and "no program after 1 reply: the program has 1 error" in done.stdout
    for wrong in (("reason", QUESTION), ("reason", " ", "--model", "m"), ("reason", "q", "--k", "0")):
        done = potc(*wrong)
        assert done.returncode == 2 and "Error" in done.stderr and "Traceback" not in done.stderr


def test_an_answer_is_shown_although_its_transcript_cannot_be_written(
    served: ChatServer, tmp_path: Path
) -> None:
    """[LOOP-CLI]"""
    arguments = ("reason", QUESTION, "--model", "m", "--base-url", served.base_url)
    done = potc(*arguments, "--transcript", tmp_path / "none" / "x.json", OPENAI_API_KEY=KEY)
    assert done.returncode == 2 and "Rex has fur: refuted" in done.stdout
    assert "cannot write" in done.stderr and "Traceback" not in done.stderr


def test_a_model_is_evaluated(served: ChatServer, tmp_path: Path) -> None:
    """[EVAL-MODEL]: outcomes, attempts and calls; a second run asks nothing."""
    data, results = tmp_path / "questions.jsonl", tmp_path / "results.jsonl"
    rows = [
        {"id": f"q{n}", "question": QUESTION, "answer": answer} for n, answer in enumerate(("false", "true"))
    ]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    arguments = ("eval", data, "--model", "m", "--base-url", served.base_url, "--results", results)
    for _ in range(2):
        done = potc(*arguments, "--format", "json", "--resamples", 0, OPENAI_API_KEY=KEY)
        assert done.returncode == 0, done.stderr
        (family,) = json.loads(done.stdout)["families"]
        assert (family["questions"], family["compiled"], family["cost"]["calls"]) == (2, 2, 4)
        assert family["verdict"]["attempts"] == [{"attempt": 2, "right": 1, "wrong": 1, "abstained": 0}]
        assert len(served.received) == 4
    uncached = ("--attempts", 1, "--model-cache", "off")
    done = potc(*arguments, *uncached, OPENAI_API_KEY="sk-wrong-wrong-wrong")
    assert done.returncode == 3 and len(served.received) == 5


def test_the_evaluation_uses_the_program_that_asks_what_is_asked() -> None:
    """[EVAL-MODEL]"""
    options = tuple(Option(label, label, frozenset({Verdict.ENTAILED})) for label in "ABC")
    question = Question("q", "Who was last?", "A", "", "q", options)
    model = Recorded([CHOICE.replace('"C"', '"D"'), "prose", CHOICE])
    outcome = find_outcome(question, WritingModel(model), SolverSettings(), ResultsFile(None))
    assert (outcome.used, outcome.made, outcome.calls, outcome.failure) == (3, 3, 3, "")
    assert {name: claim.verdict for name, claim in outcome.claims} == EXAMPLES[1].verdicts
    assert '["A", "B", "C"]' in model.asked[0].messages[-1].content
