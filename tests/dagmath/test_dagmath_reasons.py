"""Likely reasons of unclosed steps: the paper's heptagon, and the definition by brute force."""

from __future__ import annotations

import json
import re
from pathlib import Path

from statements import Property

from potlang.languages.dagmath.check.form import check
from potlang.languages.dagmath.check.graph import Graph
from potlang.languages.dagmath.check.reasons import Reason, unclosed_steps
from potlang.languages.dagmath.read.records import Solution
from potlang.testing.solutions import solutions

HEPTAGON = Path(__file__).parent / "heptagon.json"


def test_the_unclosed_steps_of_the_heptagon() -> None:
    """[DAG-REASON]: the eight nodes of appendix B.1, each with the reason that the paper gives."""
    assert json.loads(HEPTAGON.read_text(encoding="utf-8"))["dependencies"] == "reconstructed"
    checked = check(HEPTAGON)
    assert checked.solution is not None
    ids = [step.id for step in checked.solution.steps]
    assert ids == list(range(1, 34))
    found = {ids[each.step]: each.reason for each in checked.unclosed}
    assert found == {
        1: Reason.IMPLICIT,
        6: Reason.COMMENTARY,
        8: Reason.IMPLICIT,
        13: Reason.COMMENTARY,
        16: Reason.COMMENTARY,
        18: Reason.COMMENTARY,
        26: Reason.ABANDONED,
        30: Reason.ABANDONED,
    }
    branches = {ids[each.step]: [ids[at] for at in each.branch] for each in checked.unclosed if each.branch}
    assert branches == {26: [24, 25, 26], 30: [27, 28, 29, 30]}
    assert [each.code for each in checked.diagnostics] == ["POT7020"] * 8


def reasons_are_as_defined(found: Solution) -> None:
    """[DAG-REASON]: by reachability over all pairs of steps, without the graph's own methods."""
    positions = {step.id: at for at, step in enumerate(found.steps)}
    parents = [{positions[each] for each in step.parents or ()} for step in found.steps]
    above: list[set[int]] = []
    for each in parents:
        above.append(each.union(*(above[parent] for parent in each)))
    last = len(parents) - 1
    expected = {}
    for at in range(last):
        if any(at in each for each in parents):
            continue
        alone = {each for each in (*above[at], at) if each not in above[last] and parents[each]}
        if not parents[at]:
            figures = re.search(r"\d|\\frac", found.steps[at].node)
            expected[at] = (Reason.RESTATED if figures else Reason.IMPLICIT, ())
        elif len(alone) > 1:
            expected[at] = (Reason.ABANDONED, tuple(sorted(alone)))
        else:
            expected[at] = (Reason.COMMENTARY, ())
    unclosed = unclosed_steps(found.steps, Graph.of(found))
    # A branch is followed through derived steps only, so a given between two of them would end it.
    assert {each.step: (each.reason, each.branch) for each in unclosed} == expected


test_reasons, test_reasons_deep = Property(
    reasons_are_as_defined, solutions(formatted=False), quick=200
).tests()
