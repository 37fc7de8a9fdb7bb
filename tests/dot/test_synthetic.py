"""Synthetic traces: well formed, accepted, and labelled as a solver labels them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

import potlang.dot
from potlang.dot import Difficulty, Sample, synthesize
from potlang.languages.dot.read.json_line import json_line
from potlang.languages.dot.read.records import Edge, Entails, Profile
from potlang.report.results import Verdict

EASY, HARD = Difficulty(1, 1, 0.0, 0.0), Difficulty(4, 4, 0.6, 0.5)


def _turned(literal: Any) -> Any:
    """The literal with the comparisons that the IR has."""
    if isinstance(literal, dict):
        [(key, value)] = literal.items()
        if key == "not":
            turned = _turned(value)
            return {"ne": turned["eq"]} if isinstance(turned, dict) and "eq" in turned else {"not": turned}
        if key in ("gt", "ge"):
            return {"lt" if key == "gt" else "le": value[::-1]}
    return literal


def _set(literals: Iterable[Any]) -> set[str]:
    return {json_line(_turned(each), canonical=True) for each in literals}


def _check(sample: Sample, profile: Profile) -> None:
    """The solver's answers are the labels."""
    report = potlang.dot.verify(sample.trace, profile=profile, trust="solver")
    assert report.verdict == "accepted", str(report)
    assert not report.diagnostics
    assert report.hash == sample.hash
    found = {node.id: (node.role, node.status, node.verdict) for node in report.nodes}
    assert found == {id_: tuple(label) for id_, label in sample.labels.items()}
    literals = potlang.dot.entailed_literals(sample.trace, profile=profile)
    assert _set(literals) == _set(sample.entailed_literals)
    assert potlang.dot.read(sample.trace, profile=profile).texts()[1].decode() == sample.problem


@pytest.mark.parametrize("profile", ["strict", "paper"])
@pytest.mark.parametrize("difficulty", [EASY, Difficulty(), HARD], ids=["easy", "usual", "hard"])
def test_labels_are_what_the_solver_says(profile: Profile, difficulty: Difficulty) -> None:
    """[DOT-SYNTH-2] [DOT-SYNTH-3] [DOT-SYNTH-4]: states, verdicts and entailed literals."""
    for sample in synthesize(3, 11, difficulty=difficulty, profile=profile):
        _check(sample, profile)


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["strict", "paper"])
def test_labels_are_what_the_solver_says_deeply(profile: Profile) -> None:
    """[DOT-SYNTH-2] [DOT-SYNTH-3] [DOT-SYNTH-4]."""
    for seed, difficulty in enumerate(
        [EASY, Difficulty(2, 2, 1.0, 1.0), Difficulty(2, 5), Difficulty(), HARD]
    ):
        for sample in synthesize(60, seed, difficulty=difficulty, profile=profile):
            _check(sample, profile)


def test_the_same_seed_gives_the_same_samples() -> None:
    """[DOT-SYNTH-1]: a sample depends on the seed, its number and the options, not on how many are made."""
    ten, three = list(synthesize(10, 5)), list(synthesize(3, 5))
    assert ten[:3] == three
    assert len({sample.trace for sample in ten}) == 10
    assert [each.trace for each in synthesize(3, 6)] != [each.trace for each in three]
    assert ten[0].hash.startswith("00dc6984ffb105ae")


def test_shares_are_kept() -> None:
    """[DOT-SYNTH-2]: wrong proposals and refinements occur as often as was asked."""
    for share in (0.0, 0.5, 1.0):
        samples = list(synthesize(40, 3, difficulty=Difficulty(3, 3, 0.5, share)))
        traces = [potlang.dot.read(each.trace) for each in samples]
        steps = sum(label.state == "validated" for each in samples for label in each.labels.values())
        wrong = sum(label.state == "invalidated" for each in samples for label in each.labels.values())
        refined = sum(edge.kind == "refine" for trace in traces for edge in trace.of(Edge))
        assert 0.35 < wrong / steps < 0.65
        assert share - 0.2 < refined / wrong < share + 0.2


def test_all_kinds_of_verdicts_and_problems_occur() -> None:
    samples = list(synthesize(60, 1, difficulty=Difficulty(3, 3, 0.5)))
    verdicts = [
        label.verdict for each in samples for label in each.labels.values() if label.state == "invalidated"
    ]
    assert set(verdicts) == {Verdict.REFUTED, Verdict.UNDETERMINED}
    assert {'"Bool"' in each.trace for each in samples} == {True, False}
    assert any(any(potlang.dot.read(each.trace).of(Entails)) for each in samples)
    horn = next(synthesize(1, 1, kind="horn"))
    assert '"Int"' not in horn.trace


def test_a_sample_is_a_line_of_json() -> None:
    """[DOT-SYNTH-3]."""
    sample = next(synthesize(1, 2, kind="arithmetic"))
    line = sample.to_json()
    value = json.loads(line)
    assert "\n" not in line
    assert set(value) == {"trace", "hash", "problem", "labels", "entailed_literals"}
    assert value["labels"]["1"] == {"role": "problem", "state": "initial", "verdict": None}
    assert value["trace"] == sample.trace


@pytest.mark.parametrize(
    "options",
    [
        {"count": -1},
        {"count": 1, "kind": "prose"},
        {"count": 1, "profile": "loose"},
        {"count": 1, "difficulty": Difficulty(depth=0)},
        {"count": 1, "difficulty": Difficulty(wrong=1.5)},
        {"count": 1, "difficulty": Difficulty(refine=float("nan"))},
    ],
)
def test_options_out_of_range_are_refused_at_once(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        synthesize(**options)


def test_literals_of_an_inconsistent_summary_are_none() -> None:
    """[DOT-SYNTH-4]: from a contradiction everything follows, which is no target."""
    builder = potlang.dot.TraceBuilder()
    builder.problem(declare={"p": "Bool", "q": "Bool"}, assume=[{"or": ["p", "q"]}])
    for says in ("p", {"not": {"and": ["p", "q"]}}, {"forall": [{"x": "Int"}, {"ge": ["x", 0]}]}):
        node = builder.proposer(says)
        builder.critic(node)
        if node < 6:
            builder.validate(node)
    assert potlang.dot.entailed_literals(builder.text()) == (
        "p",
        {"not": "q"},
        {"not": {"forall": [{"x": "Int"}, {"le": [0, "x"]}]}},
    )
    builder.validate(6)
    assert potlang.dot.entailed_literals(builder.text()) == ()


def test_a_trace_that_says_nothing_has_no_literals() -> None:
    assert potlang.dot.entailed_literals(b"@node id=1 role=proposer\nHm.\n") == ()
