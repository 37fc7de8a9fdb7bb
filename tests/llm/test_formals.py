"""Formulas that models write for the steps of solutions, and the journal of many."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from chat_server import Behaviour, ChatServer, Status
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from solution_replies import GOOD, PROBLEM, WRONG

import potlang
from potlang.cli.commands import command_of
from potlang.dagmath import formalize
from potlang.languages.dagmath.check.form import check
from potlang.models.endpoint import Completion, EndpointError, Recorded, Sampling

pytest.importorskip("openai")
SOLUTION = potlang.dagmath.read({**json.loads(GOOD), "problem": PROBLEM})
RIGHT = {4: "3*4 == 12", 5: "12 - 2 == 10", 6: "answer == 10"}
PROSE = "Ann has 3 bags with 4 apples, so she has 3 * 4 = 12. After eating 2 she has 12 - 2 = 10 left.\n"


def reply(formals: Mapping[int, str | None], ids: range = range(1, 7)) -> str:
    return json.dumps({"formals": [{"step_id": id_, "formal": formals.get(id_)} for id_ in ids]})


def without_formals(solution: Any) -> list[Any]:
    return [step._replace(formal=None) for step in solution.steps]


def test_formulas_that_agree_are_taken() -> None:
    """[ANNOTATE-FORMAL]"""
    model = Recorded([f"<think>…</think>```json\n{reply(RIGHT)}\n```"])
    found = formalize(SOLUTION, model)
    assert found.added == (4, 5, 6) and not found.left_out and not found.reason
    assert {step.id: step.formal for step in found.solution.steps if step.formal} == RIGHT
    assert without_formals(found.solution) == list(SOLUTION.steps)
    checked = check(potlang.dagmath.write_json(found.solution))
    assert not {"POT7032", "POT7033", "POT7034"} & {each.code for each in checked.diagnostics}
    prompt = model.asked[0].messages[0].text
    assert PROBLEM in prompt and SOLUTION.steps[3].node.replace("\\", "\\\\") in prompt


def test_a_formula_that_disagrees_is_asked_for_again() -> None:
    """[ANNOTATE-FORMAL]: alone, with the reason."""
    wrong = {**RIGHT, 4: "3*4 == 13", 5: "12 - x"}
    model = Recorded([reply(wrong), json.dumps({"formals": [
        {"step_id": 4, "formal": "Eq(3*4, 12)"}, {"step_id": 5, "formal": "12 - 2 == 10"}
    ]})])  # fmt: skip
    found = formalize(SOLUTION, model)
    assert found.added == (4, 5, 6) and found.solution.steps[3].formal == "Eq(3*4, 12)"
    said = model.asked[1].messages[0].text
    assert '"not_accepted": "3*4 == 13"' in said and '"why": "' in said and '"step_id": 6}' not in said
    assert found.attempts[0].problem.startswith("2 not accepted; step 4: ")


def test_after_the_last_try_it_is_left_out() -> None:
    """[ANNOTATE-FORMAL]: and said; what a file has stays as it is."""
    wrong = {**RIGHT, 4: "3*4 == 13"}
    model = Recorded([reply(wrong), *[reply({4: "x == 13"}, range(4, 5))] * 2])
    found = formalize(SOLUTION, model, sampling=Sampling(3))
    assert len(model.asked) == 3 and found.added == (5, 6) and found.solution.steps[3].formal is None
    assert list(found.left_out) == [4] and found.left_out[4].endswith(": x == 13")
    own = SOLUTION._replace(
        steps=tuple(s._replace(formal="7 == 7") if s.id == 4 else s for s in SOLUTION.steps)
    )
    found = formalize(own, Recorded(lambda messages: "no"), sampling=Sampling(1))
    assert found.solution == own and found.left_out[4] == "no reply about it could be read"


def test_a_field_that_agrees_is_not_asked_about() -> None:
    """[ANNOTATE-FORMAL]"""
    steps = tuple(each._replace(formal=RIGHT.get(each.id)) for each in SOLUTION.steps)
    model = Recorded([reply({}, range(1, 4))])
    found = formalize(SOLUTION._replace(steps=steps), model)
    assert found.added == () and found.solution.steps == steps
    assert '"step_id": 4}' not in model.asked[0].messages[0].text.split("## Steps to write")[1]


def test_steps_are_asked_about_in_batches() -> None:
    """[ANNOTATE-FORMAL]"""
    model = Recorded([reply(RIGHT, range(1, 5)), reply(RIGHT, range(5, 7))])
    found = formalize(SOLUTION, model, batch=4)
    assert found.added == (4, 5, 6) and len(model.asked) == 2


def test_failures_keep_what_was_taken() -> None:
    """[ANNOTATE-FORMAL]"""
    model = Recorded([reply(RIGHT, range(1, 5)), EndpointError("server", "down")])
    found = formalize(SOLUTION, model, batch=4)
    assert found.added == (4,) and found.failure == "server" and found.reason == "server: down"
    model = Recorded([EndpointError("rejected", "no schema"), EndpointError("cut off", ""), reply(RIGHT)])
    found = formalize(SOLUTION, model)
    assert found.added == (4, 5, 6) and [each.settings["schema"] is None for each in model.asked] == [
        False,
        True,
        True,
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No.",
        '{"formals": 7}',
        '{"formals": [{"step_id": 99, "formal": "x"}]}',
        "[" * 99_999,
        "x" * 10_000_000,
        reply(dict.fromkeys(range(1, 7), "((" * 5_000)),
        reply(dict.fromkeys(RIGHT, "__import__('os')")),
    ],
    ids=["empty", "prose", "number", "stranger", "deep", "long", "brackets", "code"],
)
def test_hostile_replies(text: str) -> None:
    """[ANNOTATE-FORMAL]: the same for ever, and nothing is evaluated."""
    found = formalize(SOLUTION, model := Recorded(lambda messages: text))
    assert len(model.asked) == 3 and not found.added and found.left_out
    assert found.solution == SOLUTION
    found = formalize(SOLUTION, Recorded(lambda messages: Completion(reply(RIGHT), finish_reason="length")))
    assert not found.added


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(st.integers(1, 6), st.text(max_size=30) | st.sampled_from([*RIGHT.values(), "3*4 == 12"]))
)
def test_whatever_is_written_agrees_with_its_step(formals: dict[int, str]) -> None:
    """[ANNOTATE-FORMAL]: and the steps' own texts stay."""
    found = formalize(SOLUTION, Recorded(lambda messages: reply(formals)), sampling=Sampling(1))
    assert without_formals(found.solution) == list(SOLUTION.steps)
    checked = check(potlang.dagmath.write_json(found.solution))
    assert not {"POT7032", "POT7033", "POT7034"} & {each.code for each in checked.diagnostics}
    assert all(
        step.formal == " ".join(formals[step.id].split()) for step in found.solution.steps if step.formal
    )


# --- the command -------------------------------------------------------------------------------------


def potc(*args: str | Path, script: list[Behaviour]) -> tuple[Result, ChatServer]:
    with ChatServer(script) as server:
        end = ["--model", "m", "--base-url", server.base_url]
        return CliRunner().invoke(command_of("annotate"), [*map(str, args), *end]), server


def test_the_command(tmp_path: Path) -> None:
    """[ANNOTATE-CLI]: members that mean nothing here are kept."""
    file = tmp_path / "solution.json"
    file.write_text(json.dumps({"domain": "apples", **json.loads(GOOD)}, indent=1), encoding="utf-8")
    done, _ = potc(file, script=[reply(RIGHT)])
    value = json.loads(done.stdout)
    assert done.exit_code == 0 and value["domain"] == "apples" and value["steps"][3]["formal"] == "3*4 == 12"
    assert "6 steps, 3 formulas written" in done.stderr
    done, _ = potc(file, "--attempts", "1", script=[reply({**RIGHT, 4: "x"})])
    assert done.exit_code == 1 and "step 4 is left out: " in done.stderr


def test_prose_becomes_a_solution_with_formulas(tmp_path: Path) -> None:
    """[ANNOTATE-CLI]"""
    file, out = tmp_path / "solution.txt", tmp_path / "out.json"
    file.write_text(PROSE, encoding="utf-8")
    count = len(potlang.dagmath.from_prose(PROSE).solution.steps)
    formals = {1: "3*4 == 12", 2: "12 - 2 == 10"}
    done, _ = potc(file, "-o", out, script=[reply(formals, range(1, count + 1))])
    steps = json.loads(out.read_text(encoding="utf-8"))["steps"]
    assert done.exit_code == 0 and [each.get("formal") for each in steps][:2] == [*formals.values()][:count]


def test_a_run_goes_on(tmp_path: Path) -> None:
    """[ANNOTATE-JOURNAL]: nothing is asked again; the lines are written in their order."""
    file, journal, out = (tmp_path / name for name in ("samples.jsonl", "run.jsonl", "out.jsonl"))
    file.write_text(f"{GOOD}\n{WRONG}\n{{}}\n", encoding="utf-8")
    args = (file, "--journal", journal, "-o", out)
    done, _ = potc(*args, script=[reply(RIGHT), Status(401)])
    assert (
        done.exit_code == 2
        and "ended early: unauthorized" in done.stderr
        and "samples.jsonl:3: " in done.stderr
    )
    file.write_text(f"{GOOD}\n{WRONG}\n", encoding="utf-8")
    done, server = potc(*args, script=[reply({4: "3*4 == 13", 5: "13 - 2 == 11", 6: "answer == 11"})])
    assert done.exit_code == 0 and len(server.received) == 1
    lines = [json.loads(line)["steps"] for line in out.read_text(encoding="utf-8").splitlines()]
    assert [steps[3]["formal"] for steps in lines] == ["3*4 == 12", "3*4 == 13"]
    done, server = potc(*args, script=[])
    assert done.exit_code == 0 and not server.received
    assert potc(file, "--journal", file, script=[])[0].exit_code == 2
    assert potc(file, "-o", file, script=[])[0].exit_code == 2
