"""`potc fix` for traces: safe fixes restore what a trace said, or leave it to its author."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from random import Random

import pytest
from call_counts import calls_of
from trace_damage import (
    DAMAGES,
    blank_lines,
    doubled_id,
    indented,
    lines_of_json,
    nameless,
    second_status,
    wrong_kinds,
)

import potlang
import potlang.dot
from potlang.api import Fixed
from potlang.diag import Applicability, Diagnostic
from potlang.dot import synthesize
from potlang.languages.dot.check import CheckedTrace
from potlang.languages.dot.lower.canonical import digest
from potlang.languages.dot.write.emit import emit
from potlang.testing.traces import records

PROBLEM = "@node id=1 role=problem\nIs 4 above 2?\n"
PROPOSER = '@node id=2 role=proposer\n@edge src=1 dst=2 kind=use\n@prop id=2 {"gt": [4, 2]}\n'
CRITIC = "@node id=3 role=critic\n@edge src=2 dst=3 kind=critique\n@status target=2 mark=validated just=3\n"
SUMMARY = "@node id=4 role=summarizer\n@edge src=2 dst=4 kind=use\nYes.\n"
TRACE = PROBLEM + PROPOSER + CRITIC + SUMMARY


def checked(text: str) -> CheckedTrace:
    found = potlang.check(text, language="dot")
    assert isinstance(found, CheckedTrace)
    return found


def of_form(diagnostics: tuple[Diagnostic, ...]) -> list[Diagnostic]:
    """Diagnostics of the form of a trace: synthetic propositions name what nothing declares."""
    return [each for each in diagnostics if each.code < "POT2" or "POT5" <= each.code < "POT6"]


def fixed(text: str) -> Fixed:
    return potlang.fix(text, language="dot")


def restored(text: str) -> bool:
    """Whether the safe fixes make the trace above of a text."""
    found = fixed(text)
    return not found.diagnostics and digest(checked(found.text).trace) == digest(checked(TRACE).trace)


# --- one at a time -------------------------------------------------------------------------------


def test_blank_lines_between_records_go() -> None:
    """[DOT-FIX]"""
    text = TRACE.replace("@edge", "\n@edge").replace("@prop", "  \n\n@prop")
    assert fixed(text).text == TRACE
    assert fixed(text.replace("\n", "\r\n")).text == TRACE.replace("\n", "\r\n")


def test_records_are_put_above_the_text_of_their_block() -> None:
    """[DOT-FIX]"""
    text = TRACE.replace("@edge src=1", "So I say:\n@edge src=1").replace("[4, 2]}\n", "[4, 2]}\n\nIt is.\n")
    found = fixed(text)
    assert not found.diagnostics
    assert found.text == TRACE.replace("[4, 2]}\n", "[4, 2]}\nSo I say:\n\nIt is.\n")


def test_a_status_behind_text_stays_there() -> None:
    """[DOT-FIX]"""
    critic = (
        "@node id=3 role=critic\n\n@edge src=2 dst=3 kind=critique\nIt is.\n@status target=2 mark=validated\n"
    )
    text = PROBLEM + PROPOSER + critic
    assert fixed(text).text == text.replace("critic\n\n", "critic\n")


def test_records_that_read_otherwise_in_order_are_not_put_in_order() -> None:
    """[DOT-FIX]: the summarizer validates what it uses, above the edge."""
    summary = "@node id=4 role=summarizer\n@status target=2 mark=validated\n@edge src=2 dst=4 kind=use\n"
    text = PROBLEM + PROPOSER + summary
    assert fixed(text).text == text


def test_json_over_several_lines_is_put_on_one() -> None:
    """[DOT-FIX]"""
    for json in (
        '{\n  "gt": [\n    4,\n    2\n  ]\n}',
        '\n```json\n{"gt":\n[4, 2],}\n```',
        '{"gt":\n\n[4, 2]}',
    ):
        assert restored(TRACE.replace(' {"gt": [4, 2]}', json if json[0] == "\n" else f" {json}"))
    for json in ('{"gt":\n[4, 2', '{"gt": [4,\n2]} I say', '{"gt": [4, "a\nb"]}', '{"gt": [4,\n@node, 2]}'):
        text = TRACE.replace('{"gt": [4, 2]}', json)
        assert not re.search(r'@prop id=2 \{"gt": .*2.*\]\}$', fixed(text).text, re.MULTILINE), json


def test_a_proposition_gets_the_id_of_its_node() -> None:
    """[DOT-FIX]"""
    for start in ("@prop ", "@prop  ", "@prop\t"):
        assert restored(TRACE.replace("@prop id=2 ", start))
    assert restored(TRACE.replace('@prop id=2 {"gt":', '@prop {\n"gt":\n'))
    named = TRACE.replace('{"gt": [4, 2]}', '"p"').replace("Is 4", '@prop {"declare": {"p": "Bool"}}\nIs 4')
    assert not fixed(named.replace("@prop id=2", "@prop")).diagnostics


@pytest.mark.parametrize(
    "text",
    [
        TRACE.replace("@prop id=2", '@prop {"gt": [4, 3]}\n@prop id=2'),
        TRACE.replace("@prop id=2", '@prop {"gt": [4, 3]}\n@prop'),
        TRACE.replace("@prop id=2", "@prop").replace("@node id=3", "@node id=2"),
        TRACE.replace("@prop id=2", "@prop").replace("role=proposer", "rule=proposer"),
        TRACE.replace("@prop id=2", "@propose\n@prop"),
    ],
    ids=["beside another", "beside one without", "ids are not mended", "no node", "no record"],
)
def test_whose_a_proposition_is_may_be_in_doubt(text: str) -> None:
    """[DOT-FIX-DOUBT]"""
    assert [line for line in fixed(text).text.split("\n") if line.startswith("@prop {")]
    found = (fix for each in checked(text).diagnostics for fix in each.fixes if "the `@prop`" in fix.title)
    assert {fix.applicability for fix in found} <= {Applicability.UNSAFE}


def test_what_is_no_proposition_gets_no_id() -> None:
    """[DOT-FIX]"""
    for text in ("@prop 4 > 2", '@prop {"gt": [4]}', "@prop"):
        damaged = TRACE.replace('@prop id=2 {"gt": [4, 2]}', text)
        assert "@prop id=" not in fixed(damaged).text or fixed(damaged).diagnostics


def test_indented_records_begin_their_lines() -> None:
    """[DOT-FIX]"""
    assert restored(TRACE.replace("@", "    @"))
    assert restored(TRACE.replace("@status", "\t@status"))
    quoted = f"{CRITIC}As above:\n  @edge src=1 dst=2 kind=use\n"
    text = PROBLEM + PROPOSER + quoted
    assert fixed(text).text == text


def test_the_kind_that_roles_admit_is_written() -> None:
    """[DOT-FIX] [DOT-FIX-DOUBT]"""
    assert restored(TRACE.replace("kind=critique", "kind=use"))
    assert restored(TRACE.replace("dst=4 kind=use", "dst=4 kind=refine"))
    between = TRACE.replace(SUMMARY, "@node id=4 role=proposer\n@edge src=2 dst=4 kind=critique\n")
    assert fixed(between).text == between
    titles = [fix.title for each in checked(between).diagnostics for fix in each.fixes]
    assert titles == ["write `kind=use`", "write `kind=refine`"]


def test_a_second_status_goes_if_it_says_the_same_in_the_same_block() -> None:
    """[DOT-FIX] [DOT-FIX-DOUBT]"""
    status = "@status target=2 mark=validated just=3\n"
    assert restored(TRACE.replace(status, status * 2))
    for second in (status.replace("valid", "invalid"), "@status target=2 mark=validated\n"):
        text = TRACE.replace(status, status + second)
        assert fixed(text).text == text
    elsewhere = TRACE.replace(SUMMARY, SUMMARY.replace("Yes", f"{status}Yes"))
    assert fixed(elsewhere).text == elsewhere
    [second_one] = [each for each in checked(elsewhere).diagnostics if each.code == "POT5031"]
    assert [fix.applicability for fix in second_one.fixes] == [Applicability.UNSAFE]


def test_a_second_proposition_goes_if_it_is_the_same() -> None:
    """[DOT-FIX]"""
    prop = '@prop id=2 {"gt": [4, 2]}\n'
    assert restored(TRACE.replace(prop, f'{prop}@prop id=2 {{ "gt": [4, 2] }}\n'))
    text = TRACE.replace(prop, f'{prop}@prop id=2 {{"gt": [4.0, 2]}}\n')
    assert fixed(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        TRACE.replace("@node id=3", "@node id=2"),
        TRACE.replace("@node id=3", "@node id=2").replace("dst=3", "dst=2"),
        re.sub(r"=3\b", "=2", TRACE.replace(" just=3", "")),
        TRACE.replace("=3", "=7"),
        TRACE.replace("=4", "=2"),
    ],
    ids=["the node alone", "the block", "everywhere", "larger", "a summarizer"],
)
def test_an_id_that_is_taken_is_renumbered(text: str) -> None:
    """[DOT-FIX]"""
    found = fixed(text)
    assert not found.diagnostics
    has_just = "just" in found.text
    wanted = TRACE if has_just else TRACE.replace(" just=3", "")
    assert digest(checked(found.text).trace) == digest(checked(wanted).trace)


@pytest.mark.parametrize(
    "text",
    [
        re.sub(r"=3\b", "=2", TRACE),
        TRACE.replace(SUMMARY, PROPOSER),
        TRACE.replace("=3", "=1"),
    ],
    ids=["who is just", "one block twice", "the problem is just"],
)
def test_an_id_that_may_be_another_is_left_to_the_author(text: str) -> None:
    """[DOT-FIX-DOUBT]"""
    fixes = [fix for each in checked(text).diagnostics for fix in each.fixes]
    [renumbering] = [fix for fix in fixes if fix.title == "renumber the nodes"]
    assert renumbering.applicability is Applicability.UNSAFE
    assert fixed(text).text == text


def test_kinds_wait_for_ids() -> None:
    """[DOT-FIX-DOUBT]: the kind is right, and its source is the second node 3."""
    second = "@node id=3 role=proposer\n@edge src=2 dst=3 kind=use\n"
    text = PROBLEM + PROPOSER + CRITIC + second + "@node id=5 role=proposer\n@edge src=3 dst=5 kind=use\n"
    fixes = [fix for each in checked(text).diagnostics for fix in each.fixes if "kind" in fix.title]
    assert {fix.applicability for fix in fixes} == {Applicability.UNSAFE}
    assert "dst=5 kind=use" in fixed(text).text


def test_fixes_of_a_trace_in_a_reply_have_their_places_in_it() -> None:
    """[DOT-FIX] [DOT-REPLY]"""
    around = "Sure, größer:\n```\n", "```\nBye.\n"
    for random in map(Random, range(20)):
        for damage in DAMAGES:
            text = damage(TRACE, random)
            if not of_form(checked(text).diagnostics) or of_form(fixed(text).diagnostics):
                continue
            found = fixed(around[0] + text + around[1])
            assert not of_form(found.diagnostics), damage
            assert digest(checked(found.text).trace) == digest(checked(TRACE).trace)


# --- at random -----------------------------------------------------------------------------------


def traces(count: int, seed: int) -> list[str]:
    """Well-formed traces, derivations and random ones, without text that looks like records."""
    random = Random(seed)
    found = [sample.trace for sample in synthesize(count // 2, seed=seed)]
    while len(found) < count:
        text = emit(records(random, blocks=random.randint(2, 9))).decode()
        if "\r" not in text and not of_form(checked(text).diagnostics):
            found.append(text)
    return found


def check_damaged(damage: Callable[[str, Random], str], count: int, seed: int) -> Counter[str]:
    """Damages traces; what safe fixes make well formed again says what it said before."""
    random, outcomes = Random(seed), Counter[str]()
    for text in traces(count, seed):
        damaged = damage(text, random)
        if not of_form(checked(damaged).diagnostics):
            continue
        found = fixed(damaged)
        if of_form(found.diagnostics):
            outcomes["left"] += 1
            continue
        assert digest(checked(found.text).trace) == digest(checked(text).trace), (damaged, found.text)
        outcomes["restored"] += 1
    return outcomes


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda each: each.__name__)
def test_safe_fixes_restore_what_a_trace_said(damage: Callable[[str, Random], str]) -> None:
    """[DOT-FIX] [DOT-FIX-DOUBT]"""
    outcomes = check_damaged(damage, 16, 7)
    always = damage in (blank_lines, lines_of_json, nameless, indented)
    assert outcomes["restored"] >= (8 if always else 1)
    assert not always or not outcomes["left"]


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda each: each.__name__)
def test_safe_fixes_restore_what_many_traces_said(damage: Callable[[str, Random], str]) -> None:
    outcomes = check_damaged(damage, 1_000, 8)
    # Text with a role's tag hides records that are all indented: it is left alone.
    least = {second_status: 0.3, wrong_kinds: 0.15, doubled_id: 0.5, indented: 0.98}.get(damage, 1.0)
    assert outcomes["restored"] >= least * outcomes.total()


# --- time ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "unit",
    [
        "@node id=1 role=proposer\n@entails src=1 dst=1\n",
        "@node id={0} role=proposer\n\n@entails src={0} dst={0}\n",
        " @node id={0} role=proposer\n @entails src={0} dst={0}\n",
        "x\n```\n@node id=1 role=summarizer\n@node id=1 role=critic\n```\n",
        "@node id={0} role=proposer\n@prop id={0} [\n",
        "</think>\n@node id=1 role=critic\n",
    ],
    ids=["doubled ids", "blank lines", "indented", "fences", "open JSON", "thoughts"],
)
def test_fixes_are_found_in_linear_time(unit: str) -> None:
    """[DOT-BAD-1]"""

    def text(size: int) -> str:
        return "".join(unit.format(index + 1) for index in range(size))

    checked(text(2))
    few, many = (calls_of(partial(checked, text(size))) for size in (150, 600))
    assert many < 5 * few
