"""The loop around a model that writes traces, against a real HTTP server and with recorded models."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from chat_server import Behaviour, ChatServer, CutOff, Status
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_support import KEY, at_server, checked, fits

import potlang
from potlang.dot import ReasonedTrace, TraceVerdict, synthesize
from potlang.models.endpoint import Completion, Recorded
from potlang.models.traces.prompting import trace_examples
from potlang.testing.traces import damaged

pytest.importorskip("openai")
QUESTION, GOOD = trace_examples()[0]
"""Nodes 2 (validated), 4 (refuted, and invalidated by 5), 6 (refines 5, validated by 7); 8 sums up."""
BROKEN = GOOD.replace("src=5 dst=6", "src=55 dst=6")
FOOLED = GOOD.replace("target=4 mark=invalidated", "target=4 mark=validated")
"""A critic validates what the problem refutes."""
OPAQUE = re.sub(r"^@prop id=[26] .*\n", "", GOOD, flags=re.MULTILINE).replace(
    '@prop id=8 "tank_locked"', '@prop id=8 "brake_sealed"'
)
UNSAID = GOOD.replace('@prop id=8 "tank_locked"\n', "")


def reasoned(script: list[Behaviour], **options: Any) -> tuple[ReasonedTrace, ChatServer]:
    """What comes of the question at a server that does what the script says."""
    return at_server(script, lambda model: potlang.dot.reason(QUESTION, model, trust="solver", **options))


def recorded(script: list[Any], **options: Any) -> tuple[ReasonedTrace, Recorded]:
    model = Recorded(script)
    return checked(potlang.dot.reason(QUESTION, model, trust="solver", **options)), model


# --- generate, repair, verify -------------------------------------------------------------------------


def test_a_trace_is_written_and_judged() -> None:
    """[LOOP-DOT-REASON] [LOOP-DOT-TRANSCRIPT]"""
    found, server = reasoned([f"Here it is.\n```\n{GOOD}```"])
    assert (found.verdict, found.established, found.reason) == (TraceVerdict.ACCEPTED, True, "")
    assert found.trace == GOOD and found.report is not None and found.report.ok
    assert found.answer is not None and (found.answer.id, found.answer.proposition) == (8, "tank_locked")
    (attempt,) = found.attempts
    assert (attempt.problem, attempt.failure, attempt.completion_tokens) == ("", None, 5)
    body = server.received[0].body
    assert [each["role"] for each in body["messages"]] == ["system", "user"]
    assert body["messages"][0]["content"] == found.system
    assert QUESTION in body["messages"][1]["content"] and "response_format" not in body
    assert "answer: tank_locked\n1 call of m" in found.render()


def test_diagnostics_lead_to_a_repair() -> None:
    """[LOOP-DOT-WRITE]: the last trace and its diagnostics, and nothing of those before."""
    found, server = reasoned(["I say yes.", GOOD[:700], BROKEN, GOOD], attempts=4)
    assert found.established and len(found.attempts) == 4
    _, second, third, last = ([m["content"] for m in each.body["messages"]] for each in server.received)
    assert second[2] == "I say yes." and "there is no trace in the reply" in second[3]
    assert third[2] == GOOD[:700] and "POT5014" in third[3]
    assert last[:2] == second[:2] and last[2] == BROKEN and len(last) == 4
    assert "POT5021" in last[3] and "POT5014" not in last[3] and "the trace has 1 error" in last[3]


def test_after_the_last_attempt_the_verdict_is_unknown() -> None:
    """[LOOP-DOT-WRITE]"""
    found, server = reasoned(["Yes.", BROKEN, BROKEN])
    assert (found.verdict, found.established, found.report, found.chosen) == (
        TraceVerdict.UNKNOWN,
        None,
        None,
        None,
    )
    assert found.reason == "no trace after 3 replies: the trace has 1 error"
    assert len(server.received) == 3


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (UNSAID, "no summarizer states an answer"),
        (GOOD.replace("It is given that", "- @edge src=1 dst=2 kind=use"), "looks like a record"),
        ("", "the reply is empty"),
        (GOOD.replace("\n<summarizer:end>", ""), "POT5014"),
    ],
)
def test_what_is_no_answer_is_asked_for_again(reply: str, said: str) -> None:
    """[LOOP-DOT-WRITE]"""
    found, model = recorded([reply, GOOD], verdicts="none")
    assert found.established and len(found.attempts) == 2
    assert said in model.asked[1].messages[-1].content


def test_a_reply_that_broke_off_is_told_so() -> None:
    """[LOOP-DOT-WRITE]"""
    _, model = recorded([Completion(GOOD[:500], finish_reason="length"), GOOD])
    assert "broke off at its greatest length: write less" in model.asked[1].messages[-1].content


def test_a_budget_of_records() -> None:
    """[LOOP-DOT-WRITE]"""
    found, model = recorded([GOOD, GOOD], budget=9, attempts=2)
    assert found.report is None and "at most 9 records" in found.system
    assert '"POT5011"' in model.asked[1].messages[-1].content


# --- verdicts between rounds --------------------------------------------------------------------------


@pytest.mark.parametrize("reply", [FOOLED, OPAQUE])
def test_without_verdicts_what_is_well_formed_is_accepted(reply: str) -> None:
    """[LOOP-DOT-VERDICTS]: but not established."""
    found, model = recorded([reply], verdicts="none")
    assert found.established is False and found.trace == reply and len(model.asked) == 1


def test_verdicts_are_offered() -> None:
    """[LOOP-DOT-VERDICTS]"""
    found, server = reasoned([FOOLED, GOOD], verdicts="offered")
    assert found.established and found.trace == GOOD
    assert found.attempts[0].problem.startswith("the answer is not established")
    said = server.received[1].body["messages"]
    assert said[2] == {"role": "assistant", "content": FOOLED}
    lines = said[3]["content"].splitlines()
    assert "- node 4 (proposer, marked as validated): its negation follows from the problem" in lines
    assert "- node 2 (proposer, marked as validated): it follows from the problem" in lines
    assert "- the trace is refuted" in lines


def test_the_last_well_formed_trace_counts() -> None:
    """[LOOP-DOT-WRITE]: also where what came behind it was broken."""
    found, _ = recorded([FOOLED, BROKEN], attempts=2)
    assert found.trace == FOOLED and found.verdict is TraceVerdict.REFUTED and found.established is False
    assert found.samples[0].problem == "the trace has 1 error"


def test_verdicts_are_placed() -> None:
    """[LOOP-DOT-VERDICTS]: the trace stands up to the proposition, and a critic with the solver's verdict."""
    rest = GOOD[GOOD.index("@node id=6") :]
    found, server = reasoned([FOOLED, f"```\n{rest}```"], verdicts="placed")
    assert found.established
    critic = (
        "@node id=5 role=critic\n@edge src=4 dst=5 kind=critique\n@status target=4 mark=invalidated just=5\n"
        "Solver: its negation follows from the problem.\n"
    )
    standing = server.received[1].body["messages"][2]["content"]
    assert standing == FOOLED[: FOOLED.index("@node id=5")] + critic
    assert (
        "from `@node id=6 role=…` to `<summarizer:end>`" in server.received[1].body["messages"][3]["content"]
    )
    assert found.trace == standing + rest


def test_a_whole_trace_may_go_on_too() -> None:
    """[LOOP-DOT-VERDICTS]: blocks up to the last node that stands are not read again."""
    found, _ = recorded([FOOLED, GOOD.replace('"valve_locked", "fuse_active", {', "{")], verdicts="placed")
    assert found.established and found.trace is not None
    assert found.trace.startswith(FOOLED[: FOOLED.index("@node id=5")])


def test_traces_with_role_tokens_go_on_with_them() -> None:
    """[LOOP-DOT-VERDICTS]"""
    trace = trace_examples(role_tokens=True)[0].trace
    fooled = trace.replace("target=4 mark=invalidated", "target=4 mark=validated")
    rest = trace[trace.index("<proposer>\n@node id=6") :]
    found, model = recorded([fooled, rest], verdicts="placed")
    assert found.established and found.trace is not None
    assert potlang.dot.read(found.trace).has_role_tokens
    assert "<critic>\n@node id=5 role=critic\n" in model.asked[1].messages[2].content


def test_what_does_not_go_on_is_asked_for_again() -> None:
    """[LOOP-DOT-VERDICTS]"""
    rest = GOOD[GOOD.index("@node id=6") :]
    short = GOOD[: GOOD.index("@node id=4")]
    found, model = recorded(
        [FOOLED, short, rest.replace("src=5", "src=55"), rest], verdicts="placed", attempts=4
    )
    assert found.established
    said = [each.messages[-1].content for each in model.asked]
    assert "no `@node` of the reply has an id above 5" in said[2] and "@node id=6" in said[2]
    assert "POT5021" in said[3] and "from `@node id=6" in said[3]
    assert model.asked[2].messages[2].content in model.asked[3].messages[2].content


GUESS = """\
@node id=1 role=problem
@prop id=1 {"declare": {"x": "Int"}, "assume": [{"gt": ["x", 3]}]}
@node id=2 role=proposer
@status target=2 mark=validated
@prop id=2 {"gt": ["x", 9]}
@node id=4 role=summarizer
@edge src=2 dst=4 kind=use
@prop id=4 {"gt": ["x", 8]}
<summarizer:end>
"""
"""Nobody but its proposer says that x is more than 9."""


def test_what_neither_follows_nor_not_is_said_once() -> None:
    """[LOOP-DOT-VERDICTS]: its own status is taken away; then the trace is cut where its summary begins."""
    insisting = "@node id=4 role=proposer\n@status target=2 mark=validated\n" + GUESS[
        GUESS.index("@node id=4") :
    ].replace("4", "5")
    found, model = recorded([GUESS, insisting, insisting], verdicts="placed")
    assert found.established is False
    first, second = (each.messages[2].content for each in model.asked[1:])
    assert "@status" not in first and first.endswith(
        "kind=critique\nSolver: neither it nor its negation follows from the problem.\n"
    )
    assert second == f"{first}@node id=4 role=proposer\n@status target=2 mark=validated\n"
    said = model.asked[2].messages[3].content
    assert "without its summary" in said and "- the proposer's own block validates node 2" in said


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["offered", "placed", "none"]))
def test_whatever_is_replied_the_loop_ends(seed: int, verdicts: Any) -> None:
    """[LOOP-DOT-REASON]: with at most so many requests, and a trace that stands is well formed."""
    random = Random(seed)
    [sample] = synthesize(1, seed % 50, kind="horn")

    def reply(messages: Any) -> str:
        data = sample.trace.encode()
        if random.random() < 0.5:
            lines = data.decode().splitlines(keepends=True)
            marks = [at for at, line in enumerate(lines) if line.startswith("@status")]
            at = random.choice(marks)
            old, new = random.sample([" mark=validated", " mark=invalidated"], 2)
            lines[at] = lines[at].replace(old, new)
            data = "".join(lines).encode()
        else:
            data = damaged(data, random)
        return data.decode(errors="replace")

    model = Recorded(reply)
    found = potlang.dot.reason("Why?", model, verdicts=verdicts, attempts=4, trust="solver")
    assert 1 <= len(model.asked) <= 4
    for asked in model.asked[1:]:
        standing = asked.messages[2].content
        if "The trace stands up to here" in asked.messages[3].content:
            assert potlang.dot.check(standing).ok
    if found.trace is not None:
        assert potlang.dot.check(found.trace, require_end=True).ok


# --- several traces, theories, settings, failures -------------------------------------------------------


def test_the_first_established_trace_is_chosen() -> None:
    """[LOOP-DOT-BEST]"""
    found, model = recorded([FOOLED, OPAQUE, GOOD, GOOD], k=4, attempts=1)
    assert len(model.asked) == 3 and found.chosen is found.samples[2] and found.established
    found, _ = recorded([GUESS, GOOD], k=2, attempts=1)
    assert found.samples[0].report is not None and found.samples[0].report.verdict == "accepted"
    assert found.trace == GOOD
    found, _ = recorded([FOOLED, "No.", OPAQUE], k=3, attempts=1)
    assert found.chosen is not None and found.trace == OPAQUE


THEORY: dict[str, Any] = {
    "sorts": [{"name": "Animal", "type": "DeclareSort"}],
    "functions": [
        {"name": "cat", "domain": ["Animal"], "range": "Bool"},
        {"name": "mammal", "domain": ["Animal"], "range": "Bool"},
    ],
    "constants": {"a": {"sort": "Animal", "members": ["tom"]}},
    "knowledge_base": ["cat(tom)"],
    "rules": [
        {
            "forall": [{"name": "x", "sort": "Animal"}],
            "implies": {"antecedent": "cat(x)", "consequent": "mammal(x)"},
        }
    ],
    "verifications": [],
}
MAMMAL = """\
@node id=1 role=problem
Is Tom a mammal?
@node id=2 role=proposer
@edge src=1 dst=2 kind=use
@prop id=2 ["mammal", "tom"]
@node id=3 role=critic
@edge src=2 dst=3 kind=critique
@status target=2 mark=validated just=3
@node id=4 role=summarizer
@edge src=2 dst=4 kind=use
@prop id=4 ["mammal", "tom"]
<summarizer:end>
"""


def test_a_theory_is_what_traces_are_read_against() -> None:
    """[LOOP-DOT-THEORY]"""
    own = MAMMAL.replace("role=problem\n", 'role=problem\n@prop id=1 {"assume": [["mammal", "tom"]]}\n', 1)
    found, model = recorded([own, MAMMAL], theory=THEORY)
    assert found.established and "cat(tom)" in found.system
    assert "assumes something of its own" in model.asked[1].messages[-1].content


def test_settings_go_to_the_model() -> None:
    """[LOOP-SEED]"""
    _, model = recorded([BROKEN, GOOD], temperature=0.5, max_tokens=99, timeout=7.0, seed=3)
    assert [each.settings["seed"] for each in model.asked] == [3, 4]
    assert {(s["temperature"], s["max_tokens"], s["timeout"]) for _, s in model.asked} == {(0.5, 99, 7.0)}


def test_failures_end_the_asking_or_cost_an_attempt() -> None:
    """[LOOP-DOT-FAILURE]"""
    found, server = reasoned([CutOff(GOOD, 200), GOOD])
    assert found.established and [each.failure for each in found.attempts] == ["cut off", None]
    found, server = reasoned([BROKEN, Status(401)], k=3)
    assert found.failure == "unauthorized" and len(server.received) == 2
    assert found.verdict is TraceVerdict.UNKNOWN and KEY not in found.reason


@pytest.mark.parametrize(
    ("reply", "established"),
    [
        ("@node id=1 role=problem\n\ud800 \x00 \u202e\n", None),
        (GOOD.replace("It is given", "It is \ud800 given"), None),
        ('@node id=1 role=problem\n@prop id=1 "\\ud800"\n', None),
        (GOOD.replace("\n", "\r"), None),
        ("\ufeff" + GOOD, True),
        (GOOD.replace("\n", "\r\n"), True),
    ],
)
def test_odd_characters_go_there_and_back(reply: str, established: bool | None) -> None:
    """[LOOP-DOT-REASON]: also where the next request repeats them."""
    found, server = reasoned([reply, reply], attempts=2)
    assert found.established is established and found.failure is None
    assert len(server.received) == (1 if established else 2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"question": " "},
        {"attempts": 0},
        {"k": 101},
        {"verdicts": "all"},
        {"profile": "lax"},
        {"budget": 0},
        {"route": "x"},
        {"trust": "x"},
    ],
)
def test_a_wrong_call_is_an_error_before_anything_is_asked(wrong: dict[str, Any]) -> None:
    """[LOOP-DOT-REASON]"""
    model = Recorded([])
    with pytest.raises(ValueError):
        potlang.dot.reason(**{"question": "Why?", "model": model, **wrong})
    assert not model.asked


def test_the_traces_of_these_tests_are_what_they_are_said_to_be() -> None:
    """[LOOP-DOT-VERDICTS]"""
    assert potlang.dot.verify(GOOD, trust="solver").ok
    for other in (FOOLED, OPAQUE, GUESS):
        assert potlang.dot.check(other, require_end=True).ok
        assert potlang.dot.verify(other, trust="solver").established.holds is False
    assert not potlang.dot.check(BROKEN).ok


# --- the command ----------------------------------------------------------------------------------------


def potc(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    names = ("http_proxy", "https_proxy", "all_proxy", "openai_api_key", "openai_base_url", "potlang_model")
    env = {name: value for name, value in os.environ.items() if name.lower() not in names}
    command = [sys.executable, "-m", "potlang", "reason", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, env={**env, **environment}, timeout=120, check=False
    )


@pytest.mark.slow
def test_the_command(tmp_path: Path) -> None:
    """[LOOP-DOT-CLI]"""
    transcript = tmp_path / "transcript.json"
    script = [BROKEN, f"```\n{GOOD}```", FOOLED, "Yes."]
    with ChatServer(script, key=KEY) as server:
        environment = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.base_url, "POTLANG_MODEL": "m"}
        done = potc(QUESTION, "--as", "dot", "--transcript", transcript, **environment)
        assert done.returncode == 0, done.stderr
        assert "answer: tank_locked" in done.stdout and "the trace has 1 error (" in done.stderr
        assert "a trace (" in done.stderr and "Traceback" not in done.stderr
        found = json.loads(transcript.read_text(encoding="utf-8"))
        fits(found)
        assert found["established"] and KEY not in done.stdout + done.stderr + json.dumps(found)
        arguments = (QUESTION, "--as", "dot", "--verdicts", "none", "--attempts", 1, "--format", "json")
        done = potc(*arguments, **environment)
        assert (done.returncode, json.loads(done.stdout)["verdict"]) == (1, "refuted")
        done = potc(*arguments, **environment)
        assert (done.returncode, json.loads(done.stdout)["verdict"]) == (3, "unknown")
    for wrong in (
        ("q", "--as", "dot", "--prose", "yes"),
        ("q", "--verdicts", "placed"),
        (" ", "--as", "dot"),
    ):
        done = potc(*wrong, "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
        assert done.returncode == 2 and "Error" in done.stderr and "Traceback" not in done.stderr


def test_a_theory_that_does_not_compile(tmp_path: Path) -> None:
    """[LOOP-DOT-CLI]"""
    theory = tmp_path / "theory.json"
    theory.write_text(json.dumps({**THEORY, "knowledge_base": ["cat(tim)"]}), encoding="utf-8")
    done = potc("q", "--as", "dot", "--theory", theory, "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    assert done.returncode == 2 and "POT2001" in done.stderr + done.stdout
