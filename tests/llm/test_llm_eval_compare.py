"""Runs compared, richness, and the folder of a report."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from statements import Property

from potlang.languages.pot.check import check
from potlang.models.evaluation import (
    AnswerReading,
    Grade,
    Question,
    QuestionOutcome,
    RecordedPrograms,
    Truth,
    compare_runs,
    run,
    summarize,
)
from potlang.models.evaluation.comparing import mcnemar, to_json
from potlang.models.evaluation.confusion import METRICS
from potlang.models.evaluation.outcome import ClaimOutcome, ReplyCost
from potlang.models.evaluation.report_folder import write_report
from potlang.models.evaluation.richness import Richness, richness, sentences_of
from potlang.models.evaluation.table import tables
from potlang.models.loop.asking import Attempt
from potlang.report.results import Verdict

PAPER = {Verdict.ENTAILED: "SAT", Verdict.REFUTED: "UNSAT", Verdict.UNDETERMINED: "SAT"}
VERDICTS = st.sampled_from([*PAPER, Verdict.UNKNOWN, None])


def question(key: str, answer: Truth, group: str = "") -> Question:
    return Question(key, "", answer, "f", group or key)


def outcome(
    key: str, verdict: Verdict | None, dollars: float | None = None, calls: int = 1
) -> QuestionOutcome:
    """An outcome with this verdict; None: nothing compiled."""
    claims = () if verdict is None else (("c", ClaimOutcome(verdict, PAPER.get(verdict))),)
    spent = ReplyCost(calls, 10, 5, dollars=dollars)
    return QuestionOutcome(key, key, 1, None if verdict is None else 1, claims, spent=spent)


# --- McNemar's test --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "p"), [(0, 0, 1.0), (3, 3, 1.0), (0, 5, 0.0625), (1, 9, 0.021484375), (0, 1, 1.0)]
)
def test_mcnemar(first: int, second: int, p: float) -> None:
    """[EVAL-COMPARE]: known values."""
    assert mcnemar(first, second) == mcnemar(second, first) == p


def check_mcnemar(counts: tuple[int, int]) -> None:
    """[EVAL-COMPARE]: against all throws of the coins that are as extreme, one by one."""
    first, second = counts
    pairs = first + second
    as_extreme = sum(
        abs(2 * heads - pairs) >= abs(first - second)
        for heads in (each.bit_count() for each in range(1 << pairs))
    )
    assert math.isclose(mcnemar(first, second), as_extreme / (1 << pairs))


SMALL = st.tuples(st.integers(0, 6), st.integers(0, 6))
test_mcnemar_counted, test_mcnemar_counted_deep = Property(check_mcnemar, SMALL, quick=30).tests()


def test_mcnemar_of_many() -> None:
    """[EVAL-COMPARE]"""
    assert 0 <= mcnemar(2_000, 3_000) < 1e-40
    assert mcnemar(2_500, 2_500) == 1


# --- differences -----------------------------------------------------------------------------------


def check_difference(rows: list[tuple[bool, Any, Any, int]]) -> None:
    """[EVAL-COMPARE]: rates are those of either run alone, and their intervals have the difference's sign."""
    questions = {
        f"q{at}": question(f"q{at}", Truth.TRUE if right else Truth.FALSE, f"g{group}")
        for at, (right, _, _, group) in enumerate(rows)
    }
    first = {f"q{at}": outcome(f"q{at}", each) for at, (_, each, _, _) in enumerate(rows)}
    second = {f"q{at}": outcome(f"q{at}", each) for at, (_, _, each, _) in enumerate(rows)}
    found = compare_runs(questions, first, second, resamples=40)
    whole = found.families[-1]
    alone = [summarize([*questions.values()], [*each.values()], resamples=0)[-1] for each in (first, second)]
    for reading in AnswerReading:
        for name in METRICS:
            shown = whole.rates[reading][name]
            values = [each.reading(reading).metrics[name].value for each in alone]
            assert [shown.first, shown.second] == values
            value, interval = shown.difference
            if value is None:
                continue
            assert values[0] is not None and values[1] is not None
            assert value == pytest.approx(values[1] - values[0])
            assert interval is None or -1 <= interval.low <= interval.high <= 1
        right = whole.right[reading]
        assert sum(right[:4]) == len(rows)
        assert right.both + right.first == alone[0].reading(reading).counts.right
    backward = compare_runs(questions, second, first, resamples=0)
    assert {(each.id, each.first, each.second) for each in found.changed} == {
        (each.id, each.second, each.first) for each in backward.changed
    }
    same = compare_runs(questions, first, first, resamples=20).families[-1]
    for rates in same.rates.values():
        assert not any(each.is_one for each in rates.values())
    json.dumps(to_json(found))


ROWS = st.lists(st.tuples(st.booleans(), VERDICTS, VERDICTS, st.integers(0, 3)), max_size=8)
test_differences, test_differences_deep = Property(check_difference, ROWS, quick=20).tests()


def test_a_difference_is_one_only_outside_of_its_interval() -> None:
    """[EVAL-COMPARE]"""
    questions = {f"q{at}": question(f"q{at}", Truth.TRUE) for at in range(40)}

    def answers(wrong: int) -> dict[str, QuestionOutcome]:
        return {
            key: outcome(key, Verdict.REFUTED if at < wrong else Verdict.ENTAILED, 0.5, 1 + (at < wrong))
            for at, key in enumerate(questions)
        }

    little = compare_runs(questions, answers(2), answers(1)).families[-1]
    much = compare_runs(questions, answers(30), answers(1)).families[-1]
    for found, is_one in ((little, False), (much, True)):
        accuracy = found.rates[AnswerReading.VERDICT]["accuracy"]
        assert accuracy.is_one is is_one and (accuracy.difference.value or 0) > 0
    assert much.right[AnswerReading.VERDICT][:4] == (10, 0, 29, 1)
    calls, dollars = much.costs["calls"], much.costs["dollars"]
    assert (calls.first, calls.second, calls.is_one) == (70 / 40, 41 / 40, True)
    assert (dollars.difference.value, dollars.is_one) == (0.0, False)
    changed = compare_runs(questions, answers(2), answers(1)).changed
    assert {(each.id, each.first, each.second) for each in changed} == {("q1", Grade.WRONG, Grade.RIGHT)}


def test_groups_are_drawn_whole() -> None:
    """[EVAL-COMPARE]: equal groups give nothing else; of one group there is nothing to draw."""
    for groups, interval in (("ab", (0.5, 0.5)), ("a", None)):
        questions = {
            f"{name}{at}": question(f"{name}{at}", Truth.TRUE, name) for name in groups for at in range(6)
        }
        first = {key: outcome(key, Verdict.REFUTED) for key in questions}
        second = {
            key: outcome(key, Verdict.ENTAILED if key[1] < "3" else Verdict.REFUTED) for key in questions
        }
        found = compare_runs(questions, first, second).families[-1]
        estimate = found.rates[AnswerReading.VERDICT]["accuracy"]
        assert (estimate.difference.value, estimate.difference.interval) == (0.5, interval)
        assert found.costs["calls"].difference.interval == (None if interval is None else (0, 0))


def test_questions_of_one_run_have_no_part() -> None:
    """[EVAL-COMPARE]"""
    questions = {key: question(key, Truth.TRUE) for key in "abc"}
    first = {key: outcome(key, Verdict.ENTAILED) for key in "ab"}
    second = {key: outcome(key, Verdict.ENTAILED) for key in "bc"}
    found = compare_runs(questions, first, second, resamples=0)
    assert (found.families[-1].questions, found.only_first, found.only_second) == (1, 1, 1)
    none = compare_runs({}, {}, {}, resamples=5).families[-1]
    assert none.questions == 0 and none.costs["calls"].first is None


# --- richness --------------------------------------------------------------------------------------

RICH = {
    "sorts": [
        {"name": "Person", "type": "DeclareSort"},
        {"name": "Colour", "type": "EnumSort", "values": ["red", "blue"]},
    ],
    "functions": [{"name": "likes", "domain": ["Person", "Colour"], "range": "Bool"}],
    "constants": {"people": {"sort": "Person", "members": ["ann", "ben"]}},
    "knowledge_base": ["likes(ann, red)"],
    "rules": [
        {
            "forall": [{"name": "p", "sort": "Person"}],
            "constraint": "likes(p, red) and not likes(p, blue) -> Exists([q: Person], likes(q, blue))",
        }
    ],
    "verifications": [{"name": "c", "constraint": "likes(ann, blue) or likes(ben, red)"}],
}


def test_richness_counts_constructs_and_sentences() -> None:
    """[EVAL-RICHNESS]"""
    reply = f"First I name all. Are there colours? Yes!\n```json\n{json.dumps(RICH)}\n```\nIt is 2.5 m."
    attempt = Attempt((), False, reply=reply, reasoning="Hm. So be it.")
    found = check(json.dumps(RICH)).program
    assert found is not None
    assert richness(found, [attempt]) == Richness(2, 1, 4, 1, 1, 1, 0, 2, 4, 6)
    thought = json.dumps({"reasoning": "One. Two.", **RICH})
    assert sentences_of(Attempt((), False, reply=thought)) == 2
    assert sentences_of(Attempt((), False, reply="")) == 0


# --- the report ------------------------------------------------------------------------------------


def asked(key: str, claim: str, answer: Truth, family: str) -> Question:
    program = {"verifications": [{"name": "c", "constraint": claim}]}
    return Question(key, "", answer, family, key, recorded=(program,))


HOSTILE = "a|b <script>alert(1)</script> *x* [y](z) \u202e"


def test_the_report_is_written(tmp_path: Path) -> None:
    """[EVAL-REPORT], [EVAL-TABLES]: what data sets say is text."""
    questions = [asked("1", "1 < 2", Truth.TRUE, HOSTILE), asked("2", "2 < 1", Truth.TRUE, "plain")]
    summaries = summarize(questions, run(questions, RecordedPrograms()).outcomes, resamples=10)
    found = tables(summaries)
    write_report(tmp_path, found, {"families": 2})
    text = (tmp_path / "report.md").read_text("utf-8")
    assert "<script>" not in text and "\\<script\\>" in text and "\\*x\\*" in text and "\u202e" not in text
    for line in text.splitlines():
        if line.startswith("| "):
            assert line.endswith(" |")
    heads = [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")]
    assert len(heads) == len(found) and "Richness" in heads and "Cost" in heads
    rows = list(csv.DictReader(io.StringIO((tmp_path / "richness.csv").read_text("utf-8"))))
    assert [each["programs"] for each in rows] == ["1", "1", "2"]
    assert float(rows[-1]["on average verifications"]) == 1
    assert json.loads((tmp_path / "report.json").read_text("utf-8")) == {"families": 2}


# --- the command -----------------------------------------------------------------------------------


def potc(*args: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "potlang", *map(str, args)],
        capture_output=True,
        text=True,
        timeout=240,
        env={**os.environ, "NO_COLOR": "1"},
        check=False,
    )


def test_runs_are_compared_by_the_command(tmp_path: Path) -> None:
    """[EVAL-COMPARE], [EVAL-REPORT], [EVAL-EXIT]"""
    for name, claims in (("a", ("1 < 2", "2 < 1", "3 < 1")), ("b", ("1 < 2", "1 < 2", "3 < 1"))):
        questions = [asked(str(at), claim, Truth.TRUE, f"f{at % 2}") for at, claim in enumerate(claims)]
        run(questions, RecordedPrograms(), results=tmp_path / name)
    done = potc("eval", "--compare", tmp_path / "a", tmp_path / "b", "--format", "json", "--resamples", "50")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    whole = found["families"][-1]
    assert whole["right"]["verdict"] == {"both": 1, "first": 0, "second": 1, "neither": 1, "p": 1.0}
    assert whole["rates"]["verdict"]["accuracy"]["difference"] == pytest.approx(1 / 3)
    assert [each["family"] for each in found["families"]] == ["f0", "f1", "all"]
    assert {each["id"] for each in found["changed"]} == {"1"}
    report = tmp_path / "report"
    done = potc("eval", "--compare", tmp_path / "a", tmp_path / "b", "--report", report)
    assert done.returncode == 0 and "Data sets and runs" in done.stdout and "McNemar" in done.stdout
    assert (report / "report.md").exists() and len(list(report.glob("*.csv"))) == 5
    corrected = tmp_path / "data.jsonl"
    corrected.write_text(json.dumps({"id": "0", "answer": False}) + "\n", "utf-8")
    done = potc("eval", corrected, "--compare", tmp_path / "a", tmp_path / "b", "--format", "json")
    assert json.loads(done.stdout)["families"][-1]["right"]["verdict"]["neither"] == 1
    for wrong in ([tmp_path / "a"], [tmp_path / "a", tmp_path / "none"], [tmp_path / "a", __file__]):
        done = potc("eval", "--compare", *wrong)
        assert done.returncode == 2 and "Traceback" not in done.stderr, done.stderr


def test_other_columns_are_refused_by_the_command(tmp_path: Path) -> None:
    """[EVAL-EXIT], [EVAL-FILE], [EVAL-RESUME]: before anything is asked; a file of others is left alone."""
    other = tmp_path / "other.json"
    other.write_text(json.dumps([{"prompt": "?", "target": "yes"}]), "utf-8")
    done = potc("eval", other, "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    assert done.returncode == 2 and "item 1 has `prompt`, `target`" in done.stderr
    data = tmp_path / "data.jsonl"
    data.write_text(json.dumps({"id": "1", "answer": True, "program": {}}) + "\n", "utf-8")
    done = potc("eval", data, "--results", data)
    assert done.returncode == 2 and "no results file" in done.stderr
    assert data.read_text("utf-8").count("\n") == 1
