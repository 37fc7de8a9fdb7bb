"""Replies with a trace in them: what stands around it is left out, said, and nothing else changes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

import potlang
import potlang.dot
from potlang.dot import synthesize
from potlang.languages.dot.check import CheckedTrace
from potlang.languages.dot.lower.canonical import digest

F = "```"
TRACE = """@node id=1 role=problem
@prop id=1 {"declare": {"x": "Int"}, "assume": [{"gt": ["x", 4]}]}
Is x above 2?
@node id=2 role=proposer
@edge src=1 dst=2 kind=use
@prop id=2 {"gt": ["x", 2]}
It is above 4.
@node id=3 role=critic
@edge src=2 dst=3 kind=critique
@status target=2 mark=validated just=3
@node id=4 role=summarizer
@edge src=2 dst=4 kind=use
@prop id=4 {"gt": ["x", 2]}
Yes.
<summarizer:end>
"""
OPEN = TRACE.removesuffix("<summarizer:end>\n")
DRAFT = '@node id=1 role=problem\n@node id=2 role=proposer\n@prop id=2 {"lt": [1, 2]}\n'
AROUND = {
    "greeting": ("Sure! Here is the trace:\n\n", ""),
    "blank": ("\n\n", ""),
    "closing": ("", "\nI hope that helps.\n"),
    "fence": (f"{F}\n", f"{F}\n"),
    "fence with a word": (f"{F}dot\n", f"{F}"),
    "tildes": ("~~~ text\n\n", "~~~\nBye.\n"),
    "indented fence": (f"Well:\n  {F}\n", f"  {F}\nThat is it."),
    "thoughts": ("<think>Let me see.</think>\n", ""),
    "thoughts without their beginning": ("Let me see.\n</think>\n\n", ""),
    "other thoughts": ("<Reasoning>\nHm.\n</Reasoning>", "\n"),
    "a draft in thoughts": (f"<think>\n{DRAFT}</think>\n", ""),
    "a whole draft in thoughts": (f"<think>\n{TRACE}</think>\n", ""),
    "a fence on the line of thoughts": (f"<think>Hm.</think>{F}\n", f"{F}\n@bob, what do you say?"),
    "all": (f"<think>So?\n{DRAFT}</think>Sure!\n\n{F}dot\n", f"{F}\nThis proves it.\n"),
    "an email": ("@anna, here it is:\n", ""),
}


def potc(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "potlang", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def checked(text: str) -> CheckedTrace:
    found = potlang.check(text)
    assert isinstance(found, CheckedTrace)
    return found


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND.keys())
def test_a_trace_is_found_in_a_reply(around: tuple[str, str]) -> None:
    """[DOT-REPLY]"""
    text = around[0] + TRACE + around[1]
    found = checked(text)
    assert {each.code for each in found.diagnostics} == {"POT5067"}, found.diagnostics
    assert digest(found.trace) == digest(potlang.dot.read(TRACE))
    report = potlang.dot.verify(text)
    assert report.ok
    assert report.nodes[0].line == 1 + around[0].count("\n")
    said = "".join(text[each.start : each.end] for each in found.trace.left_out)
    assert said.split() == "".join(around).split()
    assert [each.code for each in found.diagnostics] == [each.code for each in report.diagnostics]


def test_a_trace_may_begin_on_the_line_on_which_thoughts_end() -> None:
    """[DOT-REPLY]"""
    assert potlang.dot.verify(f"<think>Hm.</think>{TRACE}").ok


def test_what_is_well_formed_is_read_as_it_stands() -> None:
    """[DOT-REPLY]"""
    for text in (
        f"{OPEN}{F}\nnever mind </think>\n{F}\nThat is all.\n",
        f"{TRACE}\n\n",
        f"{OPEN}<think>\nno\n</think>\n@node id=5 role=critic\n",
    ):
        found = checked(text)
        assert not found.diagnostics
        assert not found.trace.left_out


def test_places_are_those_in_the_whole_reply() -> None:
    """[DOT-REPLY]"""
    text = (
        f"<think>Ü…</think>\nÄh:\n{F}\n" + OPEN.replace("kind=use\n@prop id=4", "kind=refine\n@prop id=4") + F
    )
    [error] = [each for each in checked(text).diagnostics if each.code != "POT5067"]
    span = error.place.span
    assert error.code == "POT5024"
    assert span is not None
    assert text[slice(*span)] == "refine"


@pytest.mark.parametrize(
    "text",
    [
        f"- @status target=2 mark=validated\n{TRACE}",
        f"{TRACE}Also:\n- @node id=5 role=critic\n",
        f"{TRACE}Also:\n@node id=5 role=critic\n",
        f"{F}\n{OPEN}{F}\nAlso:\n  @edge src=2 dst=4 kind=use\n",
        f"{TRACE}\n@nod id=5 role=critic\n",
        f"@edge src=1 dst=2 kind=use\n{TRACE}",
    ],
)
def test_what_may_be_a_record_is_not_left_out(text: str) -> None:
    """[DOT-REPLY-KEEPS]"""
    found = checked(text)
    assert not any(each.records for each in found.trace.left_out)
    assert {each.code for each in found.diagnostics} - {"POT5067"}
    assert not potlang.dot.verify(text).ok


def test_drafts_in_fences_are_left_out_if_the_last_one_stands() -> None:
    """[DOT-REPLY-KEEPS]"""
    wrong = OPEN.replace("src=2 dst=4", "src=3 dst=4")
    text = f"First:\n{F}\n{wrong}{F}\nNo, rather:\n{F}\n{TRACE}{F}\nDone.\n"
    found = checked(text)
    assert digest(found.trace) == digest(potlang.dot.read(TRACE))
    assert [each.records for each in found.trace.left_out] == [11, 0]
    report = potlang.dot.verify(text)
    assert report.verdict == "accepted"
    assert not report.ok
    unfinished = checked(f"{F}\n{wrong}{F}\nFor instance:\n{F}\n{DRAFT}{F}\n")
    assert not unfinished.ok
    assert len(unfinished.trace.nodes) == 4


def test_one_trace_in_several_fences_is_one() -> None:
    """[DOT-REPLY-KEEPS]"""
    head, tail = TRACE.split("@node id=3")
    found = checked(f"The first half:\n{F}\n{head}{F}\nThe rest:\n{F}\n@node id=3{tail}{F}\n")
    assert found.ok
    assert digest(found.trace) == digest(potlang.dot.read(TRACE))


def test_thoughts_without_an_answer_are_read() -> None:
    """[DOT-REPLY-KEEPS]"""
    assert checked(f"<think>\nSo:\n{TRACE}").ok
    assert checked(f"<think>\nSo:\n{TRACE}\n</think>\n").ok


def test_text_outside_of_tags_is_said_to_be_left_out() -> None:
    """[DOT-TAG-1]"""
    found = checked("Well: <problem>q</problem> and <proposer>a</proposer>.")
    assert [each.code for each in found.diagnostics] == ["POT5067"] * 3
    assert [potlang.fix(text).text for text in ("Well: <problem>q</problem>.\n",)] == ["<problem>q</problem>"]


def test_records_outside_of_tags_are_not_removed() -> None:
    """[DOT-TAG-1] [DOT-REPLY-KEEPS]"""
    text = TRACE.replace("@", " @").replace("Yes.\n<summarizer:end>", "<summarizer>Yes.</summarizer>")
    found = checked(text)
    assert [each.records for each in found.trace.left_out] == [11]
    assert potlang.fix(text, language="dot").text == text
    assert not potlang.dot.verify(text).ok


def test_the_command_opens_replies(tmp_path: Path) -> None:
    """[DOT-REPLY]"""
    file = tmp_path / "reply.txt"
    file.write_text(f"Sure!\n{F}\n{TRACE}{F}\nBye.\n", encoding="utf-8")
    answer = potc(str(file))
    assert answer.returncode == 0, answer
    assert "accepted" in answer.stdout
    assert answer.stderr.count("POT5067") == 2
    assert potc("check", str(file)).returncode == 0
    assert potc("fix", str(file)).returncode == 0
    assert file.read_text(encoding="utf-8") == TRACE


def wrapped(trace: str, random: Random) -> str:
    """A reply with the trace: each part of a usual reply with some chance."""
    thoughts = random.choice(
        ["", "", f"<think>\n{DRAFT}no\n</think>\n", "Hm.\n</think>\n", "<think>x</think>"]
    )
    greeting = random.choice(["", "Sure!\n", "Here is the trace:\n\n", "\n", f"{F}python\nx = 1\n{F}\nso:\n"])
    fence = random.choice(["", "", F, f"{F}dot", "~~~"])
    closing = random.choice(["", "\nDone.\n", "\n\nI hope this helps.\n@bob\n"])
    if fence:
        trace = f"{fence}\n{trace}{fence[:3]}\n"
    elif not trace.endswith("<summarizer:end>\n"):
        closing = ""
    return f"{thoughts}{greeting}{trace}{closing}"


def check_wrapped(samples: int, seed: int) -> None:
    random = Random(seed)
    for sample in synthesize(samples, seed=seed):
        whole = sample.trace if sample.trace.endswith("\n") else f"{sample.trace}\n"
        trace = random.choice([whole, whole.removesuffix("<summarizer:end>\n")])
        text = wrapped(trace, random)
        found = checked(text)
        assert {each.code for each in found.diagnostics} <= {"POT5067"}, text
        assert digest(found.trace) == sample.hash, text
        fixed = potlang.fix(text, unsafe=True)
        assert digest(potlang.dot.read(fixed.text)) == sample.hash
        assert not fixed.diagnostics


def test_traces_in_random_replies_are_found() -> None:
    """[DOT-REPLY]"""
    check_wrapped(60, 5)


@pytest.mark.slow
def test_traces_in_many_random_replies_are_found() -> None:
    check_wrapped(1_000, 6)
