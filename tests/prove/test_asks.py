"""Claims asked about in a mode, and questions with options ([ASK-TABLE] to [ASK-TEXT])."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import potlang
from potlang.certify import check as check_certificate
from potlang.cli.common import exit_code
from potlang.ir.module import ASKS, Ask
from potlang.ir.text import print_module, read_module
from potlang.languages.pot.report import Report
from potlang.prove.decision import STATES
from potlang.report.from_json import report_from_dict
from potlang.report.results import AskedQuestion, AskOutcome, Limits, Result, Verdict, elections, outcome_of
from potlang.utils.resources import schema

SETTLED = tuple(STATES)
# Written out by hand, from the modes' meanings.
TABLE = {
    "must": "holds fails fails open",
    "could": "holds fails holds open",
    "cannot": "fails holds fails open",
    "need_not": "fails holds holds open",
}
PROGRAM: dict[str, Any] = {
    "sorts": [{"name": "Day", "type": "EnumSort", "values": ["mon", "tue", "wed"]}],
    "constants": {"days": {"sort": "Day", "members": ["tour"]}},
    "knowledge_base": ["tour != wed"],
}
OPTIONS = [
    {"name": "A", "constraint": "tour == mon"},
    {"name": "B", "constraint": "tour == wed"},
    {"name": "C", "constraint": "tour != wed"},
]


def question(ask: str, labels: str = "ABC", **more: Any) -> dict[str, Any]:
    chosen = [each for each in OPTIONS if each["name"] in labels]
    return {**PROGRAM, "verifications": [{"name": "when", "ask": ask, "options": chosen}], **more}


def option(name: str, verdict: Verdict, ask: Ask = "must", possible: tuple[Verdict, ...] = ()) -> Result:
    return Result(name, "", verdict, possible=possible, ask=ask, question=AskedQuestion("q", "/q"))


@pytest.mark.parametrize("ask", ASKS)
def test_the_table(ask: Ask) -> None:
    """[ASK-TABLE] [POT-VER-ASK]"""
    order = (Verdict.ENTAILED, Verdict.REFUTED, Verdict.UNDETERMINED, Verdict.INCONSISTENT)
    assert [str(outcome_of(ask, verdict)) for verdict in order] == TABLE[ask].split()


@pytest.mark.parametrize("ask", ASKS)
def test_an_unknown_verdict_has_the_outcome_that_all_possible_ones_have(ask: Ask) -> None:
    """[ASK-TABLE]"""
    for chosen in product((False, True), repeat=len(SETTLED)):
        possible = [verdict for verdict, taken in zip(SETTLED, chosen, strict=True) if taken]
        outcomes = {outcome_of(ask, verdict) for verdict in possible}
        expected = outcomes.pop() if len(outcomes) == 1 else AskOutcome.OPEN
        assert outcome_of(ask, Verdict.UNKNOWN, possible) is expected
    assert outcome_of("could", Verdict.UNKNOWN, (Verdict.ENTAILED, Verdict.UNDETERMINED)) is AskOutcome.HOLDS


@given(st.lists(st.sampled_from((*SETTLED, Verdict.UNKNOWN)), min_size=1, max_size=6), st.sampled_from(ASKS))
def test_an_election_is_what_a_count_says(verdicts: list[Verdict], ask: Ask) -> None:
    """[ASK-ELECT]"""
    results = [option(str(at), verdict, ask, SETTLED) for at, verdict in enumerate(verdicts)]
    (found,) = elections(results)
    holding, unsettled = (
        [each.name for each in results if each.outcome is outcome]
        for outcome in (AskOutcome.HOLDS, AskOutcome.OPEN)
    )
    assert (list(found.holding), list(found.open)) == (holding, unsettled)
    assert (found.elected is not None) == (len(holding) == 1 and not unsettled)
    assert (found.outcome == "several") == (len(holding) > 1)
    assert (found.outcome == "none") == (not holding and not unsettled)
    report = Report(Verdict.UNKNOWN, tuple(results))
    assert report.ok == (found.outcome == "elected")
    assert (exit_code(report) == 0) == report.ok


@pytest.mark.parametrize(
    ("ask", "labels", "answer", "code"),
    [
        ("must", "ABC", "C", 0),
        ("could", "ABC", "several", 1),
        ("could", "AB", "A", 0),
        ("cannot", "ABC", "B", 0),
        ("need_not", "BC", "B", 0),
        ("need_not", "AB", "several", 1),
        ("cannot", "AC", "none", 1),
    ],
)
def test_questions(ask: str, labels: str, answer: str, code: int) -> None:
    """[ASK-ELECT] [ASK-ALL] [ASK-EXIT] [ASK-TEXT] [POT-VER-OPTIONS]"""
    program = question(ask, labels)
    jsonschema.validate(program, schema("pot-1"))
    report = potlang.verify(program)
    (found,) = report.elections
    assert (found.elected or found.outcome) == answer
    assert report.ok == (code == 0) == (report.outcome is AskOutcome.HOLDS)
    value = report.to_dict()
    jsonschema.validate(value, schema("report-1"))
    assert report_from_dict(value).to_dict() == value
    assert exit_code(report) == code
    lines = report.render().splitlines()
    assert lines[0].startswith("when: ") and answer.replace("none", "no option") in lines[0]
    assert lines[-1].split(" ")[0] == str(report.outcome)
    assert f"(asked: which {'could' if ask == 'could' else ask.replace('_', ' ')}" in lines[0]


def test_the_command_elects_too(tmp_path: Path) -> None:
    """[ASK-EXIT] [ASK-TEXT]"""
    program = question("could", "AB")
    path = tmp_path / "question.json"
    path.write_text(json.dumps(program))
    command = [sys.executable, "-m", "potlang", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    # The last line has the time that it took.
    assert done.stdout.splitlines()[:-1] == potlang.verify(program).render().splitlines()[:-1]


def test_inconsistent_assumptions_leave_everything_open() -> None:
    """[ASK-TABLE] [ASK-EXIT]"""
    for ask in ASKS:
        report = potlang.verify(question(ask, knowledge_base=["tour != wed", "tour == wed"]))
        (found,) = report.elections
        assert (found.outcome, found.open, report.outcome) == ("open", ("A", "B", "C"), AskOutcome.OPEN)
        assert exit_code(report) == 1


def test_an_unknown_verdict_that_leaves_no_doubt_is_no_undecided_answer() -> None:
    """[ASK-EXIT]"""
    possible = (Verdict.ENTAILED, Verdict.UNDETERMINED)
    for ask, code in (("could", 0), ("must", 3), ("need_not", 3)):
        result = Result("c", "", Verdict.UNKNOWN, possible=possible, ask=ask)
        assert exit_code(Report(Verdict.UNKNOWN, (result,))) == code
    sure = (option("A", Verdict.ENTAILED), option("B", Verdict.ENTAILED), option("C", Verdict.UNKNOWN))
    assert exit_code(Report(Verdict.UNKNOWN, sure)) == 1


def test_modes_change_no_verdict_no_certificate_and_every_cache_key() -> None:
    """[POT-VER-ASK]"""
    from potlang.prove.cache import make_key

    texts = set()
    for ask in ASKS:
        claim = {"name": "c", "constraint": "tour == mon", "ask": ask}
        program = potlang.compile({**PROGRAM, "verifications": [claim]})
        report = potlang.verify(program, certificate=True)
        assert report.verdict == "undetermined"
        assert report.certificate is not None
        text = print_module(program.module)
        assert check_certificate(report.certificate, print_module(program.module)).status == "VALID"
        assert print_module(read_module(text)) == text
        texts.add(make_key(text, {"limits": Limits()}))
        again = potlang.compile(json.loads(program.emit("pot")))
        assert [each.ask for each in again.module.claims] == [ask]
    assert len(texts) == len(ASKS)


def test_a_question_round_trips() -> None:
    program = potlang.compile(question("cannot"))
    text = program.emit("ir")
    module = read_module(text)
    assert print_module(module) == text
    assert {(each.ask, each.question) for each in module.claims} == {
        ("cannot", program.module.claims[0].question)
    }
    assert json.loads(program.emit("pot"))["verifications"] == [
        {
            "name": "when",
            "ask": "cannot",
            "options": [
                {"name": "A", "constraint": "(tour == mon)"},
                {"name": "B", "constraint": "(tour == wed)"},
                {"name": "C", "constraint": "Not((tour == wed))"},
            ],
        }
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('(ask "v0" may)', "one of must"),
        ('(ask "v9" could)', "no claim"),
        ('(question "q" "" "v9")', "no claim"),
        ('(ask "v0")', "expected (ask"),
        ('(question "q")', "expected (question"),
    ],
)
def test_ir_text_with_a_mistake(line: str, problem: str) -> None:
    from potlang.ir.text import TextError

    with pytest.raises(TextError, match=problem.replace("(", r"\(")):
        read_module(f'(potlang-ir 1)\n(claim "v0" "" () true)\n{line}\n')


def test_a_session_takes_modes_and_questions() -> None:
    program = potlang.compile(PROGRAM)
    with program.session() as session:
        single = session.verify({"constraint": "tour == mon", "ask": "could"})
        assert (single.verdict, single.ok) == ("undetermined", True)
        asked = session.verify({"ask": "could", "options": OPTIONS[:2]}, name="when")
        assert [each.name for each in asked.results] == ["A", "B"]
        assert asked.elections[0].elected == "A"
        assert asked.elections[0].name == "when"
        with pytest.raises(potlang.CompileError, match="no options"):
            session.verify({"options": []})


def test_the_tool_says_which_option_is_elected() -> None:
    from potlang import tool

    answer = tool.call({"program": question("could", "AB")})
    jsonschema.validate(answer, schema("tool-answer-1"))
    assert answer["outcome"] == "holds"
    assert answer["elections"] == [{"question": "when", "ask": "could", "outcome": "elected", "elected": "A"}]
    several = tool.call({"program": question("could")})
    jsonschema.validate(several, schema("tool-answer-1"))
    assert several["elections"][0]["holding"] == ["A", "C"]
    plain = tool.call({"program": {**PROGRAM, "verifications": [OPTIONS[0]]}})
    assert "outcome" not in plain and "elections" not in plain


def test_tables_for_notebooks_have_the_answer() -> None:
    page = potlang.verify(question("could", "AB"))._repr_html_()
    assert "the answer is A" in page
    assert "holds (asked: could be true)" in page


@pytest.mark.parametrize(("ask", "labels"), [*zip(ASKS, ("A", "BC", "AC", "ABC"), strict=True)])
def test_profiles_have_room_for_questions(ask: Ask, labels: str) -> None:
    from potlang.languages.pot.profiles import PROFILES, program_schema

    program = question(ask, labels)
    filled = {
        **{key: [] for key in ("functions", "variables", "rules", "imports")},
        **PROGRAM,
        "constants": [{"name": "days", "sort": "Day", "members": ["tour"]}],
        "verifications": [
            {
                "name": "when",
                "ask": ask,
                "options": [{**each, "forall": [], "exists": []} for each in OPTIONS],
            },
            {"name": "c", "forall": [], "exists": [], "find": [], "ask": ask, "constraint": "tour == mon"},
        ],
    }
    filled["sorts"] = [{**PROGRAM["sorts"][0], "fields": []}]
    for profile in PROFILES:
        if profile == "json":
            jsonschema.validate(program, program_schema(profile))
            continue
        needed = program_schema(profile)["required"]
        value = {key: filled.get(key) for key in {*filled, *needed}}
        jsonschema.validate(value, program_schema(profile))
        assert potlang.check(value).ok


def test_prose_is_compared_with_what_is_asked() -> None:
    """[LOOP-CONSISTENT]"""
    from potlang.models.programs.consistency import compare

    claims = {"A": Verdict.UNDETERMINED, "B": Verdict.REFUTED}
    could: dict[str, Ask] = {"A": "could", "B": "could"}
    assert compare("Answer: A", claims, "AB", could).status == "agrees"
    assert compare("Answer: B", claims, "AB", could) == (
        "contradicts",
        "B",
        "of the options 'A' alone is as asked",
    )
    assert compare("Answer: A", claims, "AB").status == "cannot tell"
    single: dict[str, Ask] = {"A": "need_not"}
    assert compare("No", {"A": Verdict.UNDETERMINED}, (), single).status == "contradicts"
    assert compare("Yes", {"A": Verdict.UNDETERMINED}, (), single).why.endswith("what is asked holds")
