"""The files of the paper's authors as they are: lists, arrays of samples, references that are none."""

from __future__ import annotations

import io
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import potlang
from potlang.cli.score import score as command
from potlang.languages.dagmath.check.form import check, is_gold
from potlang.languages.dagmath.read.arrays import array_items
from potlang.languages.dagmath.solve.answers import Judged
from potlang.languages.kind import kind_of, kind_of_value
from potlang.score import fast, plain
from potlang.score.references import read_references
from potlang.score.samples import Reader
from potlang.score.scores import Scores
from potlang.score.scoring import score
from potlang.score.summary import notes


class Comparing:
    """A judge that compares text."""

    def judge(self, given: str | None, expected: str) -> Judged:
        return Judged(given == expected, "text")


def run(problem: int, sample: int, says: str, **other: Any) -> dict[str, Any]:
    """A sample as the authors' program writes it."""
    last = rf"The final answer is $\boxed{{{says}}}$."
    return {
        "problem_id": problem,
        "sample_id": sample,
        "problem_text": "How much is twice $x$?",
        "steps": [
            {"step_id": 1, "thinking": "Given.", "direct_dependent_steps": None, "text": "$x = 2$."},
            {"step_id": 2, "thinking": "By Step 1.", "direct_dependent_steps": [1], "text": last},
        ],
        "final_answer": last,
        "metadata": {"reasoning_content": "", "model": "m-1"},
        **other,
    }


def gold(answer: str = "4") -> dict[str, Any]:
    """A solution as the authors' benchmark has it."""
    return {
        "problem_id": 7,
        "domain": ["Mathematics -> Algebra", "Mathematics -> Numbers"],
        "difficulty": 2.5,
        "problem_text": "How much is $x$?",
        "sample_id": 1,
        "final_answer": answer,
        "steps": [
            {"step_id": 1, "edge": "Given.", "direct_dependent_steps": None, "node": "$x = 4$."},
            {
                "step_id": 2,
                "edge": "By Step 1.",
                "direct_dependent_steps": [1],
                "node": r"The final answer is $\boxed{4}$.",
            },
        ],
    }


def scored(path: Path, **options: Any) -> Scores:
    return score(path, judge=Comparing(), **options)


def test_a_list_with_one_solution_is_that_solution(tmp_path: Path) -> None:
    """[DAG-ARRAY] [KIND-STEPS]: in all that takes a solution, without a diagnostic."""
    value = [gold()]
    text = json.dumps(value, indent=2)
    for source in (text, value):
        checked = check(source)
        assert not checked.diagnostics
        assert checked.solution is not None
        assert (checked.solution.problem_id, checked.solution.sample, checked.solution.answer) == (
            "7",
            1,
            "4",
        )
        assert is_gold(checked, True)
    assert kind_of(text.encode()) == kind_of_value(value) == "dagmath"
    assert potlang.verify(text).verdict == "accepted"
    path = tmp_path / "problem_7.json"
    path.write_text(text, encoding="utf-8")
    scores = scored(path, by=("domain", "difficulty"), gold=True)
    assert scores.gold is not None and scores.gold.total() == 1
    labels = ("Mathematics -> Algebra; Mathematics -> Numbers", "(2, 3]")
    assert [each.group for each in scores.groups()] == [labels]


def test_places_in_a_list_are_those_of_its_item() -> None:
    """[DAG-ARRAY]"""
    value = [gold()]
    del value[0]["steps"][1]["direct_dependent_steps"]
    found = check(json.dumps(value)).diagnostics
    assert ("POT7007", "/0/steps/1") in [(each.code, each.place.pointer) for each in found]


@pytest.mark.parametrize("value", [[gold(), gold()], [gold(), 3, gold()]])
def test_several_solutions_are_no_solution(value: list[Any]) -> None:
    """[DAG-ARRAY]"""
    assert [each.code for each in check(json.dumps(value)).diagnostics] == ["POT7009"]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", ["problem_0_all_samples.json", "all.jsonl", "all.txt"])
def test_an_array_of_samples_is_scored(tmp_path: Path, indent: int | None, name: str) -> None:
    """[DAG-ARRAY]: as the same samples in JSON Lines, from a file and from a stream."""
    value = [run(0, at, says, answer="4") for at, says in enumerate(("4", "5", "4"), 1)]
    value[1]["steps"][1]["direct_dependent_steps"] = [9]
    text = json.dumps(value, indent=indent).encode()
    (tmp_path / name).write_bytes(text)
    lines = "\n".join(map(json.dumps, value)).encode()
    expected = score(io.BytesIO(lines), judge=Comparing(), by=("metadata.model", "model")).to_dict()
    for found in (scored(tmp_path / name, by=("metadata.model", "model")), score_stream(text)):
        (bad,) = found.first
        assert (bad.code, bad.column) == ("POT7003", None)
        assert (bad.line > 2) == (indent is not None)
        assert [each["group"] for each in found.to_dict()["groups"]] == [
            {"metadata.model": "m-1", "model": "m-1"}
        ]
        assert found.to_dict()["groups"] == expected["groups"]


def score_stream(text: bytes) -> Scores:
    return score(io.BytesIO(text), judge=Comparing(), by=("metadata.model", "model"))


def test_what_stands_behind_an_array_is_malformed(tmp_path: Path) -> None:
    """[DAG-ARRAY]: no sample is lost without a word."""
    path = tmp_path / "all.json"
    array = json.dumps([run(0, 1, "4", answer="4")], indent=1)
    path.write_text(f"{array}\n\n{array}\nand more\n", encoding="utf-8")
    scores = scored(path)
    assert (scores.samples, scores.malformed) == (3, 1)
    path.write_text(array[:-40], encoding="utf-8")
    assert (scored(path).samples, scored(path).malformed) == (1, 1)


VALUES = st.recursive(
    st.none() | st.integers() | st.text() | st.sampled_from(['"', "\\", "[{", "],", '\\"']),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60)
@given(
    st.lists(VALUES, max_size=4),
    st.sampled_from([None, 1]),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_items_of_arrays_are_the_values(
    values: list[Any], indent: int | None, is_ascii: bool, random: Random
) -> None:
    """[DAG-ARRAY]: wherever the stream is cut, and on the line where each begins."""
    text = json.dumps(values, indent=indent, ensure_ascii=is_ascii).encode("utf-8", "replace")
    cuts = sorted(random.randrange(len(text) + 1) for _ in range(5))
    items = list(
        array_items(text[first:last] for first, last in zip([0, *cuts], [*cuts, len(text)], strict=True))
    )
    assert [json.loads(each.text) for each in items] == json.loads(text)
    for each in items:
        assert text.split(b"\n")[each.line - 1].strip().startswith((b"[", each.text.split(b"\n")[0]))


def test_an_answer_of_ones_own_is_no_reference(tmp_path: Path) -> None:
    """[DAG-OWN-ANSWER] [DAG-JUDGED]: twelve samples, four of them wrong, are not all right."""
    path = tmp_path / "problem_0_all_samples.json"
    value = [run(0, at, "5" if at % 3 == 0 else "4") for at in range(12)]
    path.write_text(json.dumps(value, indent=2), encoding="utf-8")
    scores = scored(path)
    assert (scores.samples, scores.own_answers, scores.unjudged) == (12, 12, 0)
    assert scores[()].pass_1 == scores[()].prr == 0
    assert any("their own last sentence" in note and note.endswith("12") for note in notes(scores))
    checked = check(value[0])
    assert checked.solution is not None and checked.solution.answer is None
    assert [each.code for each in checked.diagnostics] == ["POT7031"]


@pytest.mark.parametrize(
    ("change", "is_own"),
    [
        ({}, True),
        ({"final_answer": "The  final answer is\n$\\boxed{4}$."}, True),
        ({"final_answer": "The final answer is $\x08oxed{4}$."}, True),
        ({"answer": None}, True),
        ({"answer": "4"}, False),
        ({"answer": r"The final answer is $\boxed{4}$.", "final_answer": None}, False),
        ({"final_answer": r"$\boxed{4}$"}, False),
        ({"final_answer": "4"}, False),
        ({"final_answer": 4}, False),
        ({"correct": True}, True),
    ],
)
def test_which_answers_are_ones_own(change: dict[str, Any], is_own: bool) -> None:
    """[DAG-OWN-ANSWER]: read quickly or in full."""
    value = {**run(0, 1, "4"), **change}
    text = json.dumps(value).encode()
    for decoder in (fast, plain):
        reader = Reader()
        reader._decoder = decoder
        row = reader.usual(text)
        assert row is not None and row.is_own == is_own and (row.answer is None) == is_own
    checked = check(value)
    assert checked.solution is not None and (checked.solution.answer is None) == is_own
    expected = reader.row(checked.solution, value)
    assert row is not None and row._replace(steps=()) == expected._replace(steps=())


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ({"a": {"b": "x"}}, "x"),
        ({"a": {"b": ["x", 2, True]}}, "x; 2; true"),
        ({"a": {"b": {"c": 1}}}, ""),
        ({"a": ["x"]}, ""),
        ({"a.b": "whole", "a": {"b": "x"}}, "whole"),
        ({}, ""),
    ],
)
def test_members_of_members_make_groups(value: dict[str, Any], label: str) -> None:
    """[DAG-GROUP]"""
    text = json.dumps({**run(0, 1, "4"), **value}).encode()
    for decoder in (fast, plain):
        reader = Reader(("a.b", "model"))
        reader._decoder = decoder
        row = reader.usual(text)
        assert row is not None and row.labels == (label, "m-1")


@pytest.mark.parametrize(
    ("edge", "codes", "counts"),
    [
        ("By Step 1 and Step 2, as in Step 3.", ["POT7025"], True),
        ("Steps 1 and 2 show it.", ["POT7026"], True),
        ("By Step 1.", ["POT7024"], False),
    ],
)
def test_gold_is_what_the_authors_take_for_it(edge: str, codes: list[str], counts: bool) -> None:
    """[DAG-GOLD] [DAG-FORMAT]: an edge may mention other steps, or several at once."""
    value = gold()
    first, last = value["steps"]
    value["steps"] = [
        first,
        {**first, "step_id": 2, "node": "$y = 2$."},
        {**first, "step_id": 3, "edge": "By Step 1.", "direct_dependent_steps": [1], "node": "$x > 0$."},
        {**first, "step_id": 4, "edge": edge, "direct_dependent_steps": [1, 2], "node": "$x + y = 4$."},
        {**last, "step_id": 5, "edge": "By Step 3, Step 4.", "direct_dependent_steps": [3, 4]},
    ]
    checked = check([value])
    assert [each.code for each in checked.diagnostics] == codes
    assert is_gold(checked, True) == counts


ANSWERS = [{"problem_idx": 0, "answer": 4}, {"id": "1", "dataset": "d", "final_answer": "5"}]


@pytest.mark.parametrize("is_array", [True, False])
def test_a_file_has_the_answers(tmp_path: Path, is_array: bool) -> None:
    """[DAG-REFERENCES]: of twelve samples of a run without references four are wrong."""
    answers, samples = tmp_path / "answers", tmp_path / "problem_0_all_samples.json"
    answers.write_text(json.dumps(ANSWERS, indent=1) if is_array else "\n".join(map(json.dumps, ANSWERS)))
    value = [run(0, at, "5" if at % 3 == 0 else "4", correct=at == 0) for at in range(12)]
    samples.write_text(json.dumps([*value, run(1, 1, "5"), run(1, 2, "5", dataset="d")]), encoding="utf-8")
    found = scored(samples, by=("problem_id", "dataset"), references=read_references(answers))
    shares = {each.group: (float(each.pass_1), float(each.prr)) for each in found.groups()}
    assert shares == {("0", ""): (8 / 12, 8 / 12), ("1", ""): (0, 0), ("1", "d"): (1, 1)}
    assert (found.own_answers, found.unjudged) == (1, 0)
    result = CliRunner().invoke(command, [str(samples), "--answers", str(answers), "--format", "json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["groups"][0]["perfect"] == 9


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3", "line 1: a reference is an object"),
        ('{"problem_id": 1}', "line 1: a reference needs"),
        ('{"id": 1, "answer": true}', "line 1: a reference needs"),
        ('{"id": 1, "answer": 2}\n{"problem_id": "1", "answer": 3}', "line 2: problem 1 has another answer"),
        ('{"id": 1, ', "line 1: "),
    ],
)
def test_a_file_of_answers_that_is_none(tmp_path: Path, text: str, message: str) -> None:
    """[DAG-REFERENCES]"""
    path = tmp_path / "answers.jsonl"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_references(path)
    result = CliRunner().invoke(command, [str(path), "--answers", str(path)])
    assert (
        result.exit_code == 2 and "--answers" in result.output and message in " ".join(result.output.split())
    )
