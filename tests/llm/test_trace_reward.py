"""The reward of traces: its parts, their order, and what earns nothing."""

from __future__ import annotations

import doctest
import re
from random import Random
from typing import Any

import pytest

import potlang.dot
from potlang.dot import Validator
from potlang.models import assess_trace, reward_trace
from potlang.models.traces.prompting import trace_examples
from potlang.models.traces.replies import trace_in
from potlang.models.training import trace_rewards
from potlang.models.training.trace_rewards import LONGEST_TRACE, TRACE_WEIGHTS, TraceReward, TraceWeights
from potlang.report.results import Limits
from potlang.testing.traces import damaged

GOOD, SUMS = (each.trace for each in trace_examples())
"""Nodes 2 (validated), 4 (refuted, and invalidated by 5), 6 (refines 5, validated by 7); 8 sums up."""
PROBLEM: Any = potlang.dot.read(GOOD).props[1].value
ANSWER = "tank_locked"
BELOW = 1e-9


def without(*lines: str) -> str:
    return "".join(each for each in GOOD.splitlines(keepends=True) if not each.startswith(lines))


def test_each_part() -> None:
    """[DOT-REWARD]"""
    assert assess_trace(GOOD) == TraceReward(1, 1, 1, 1, 1, 1.0)
    assert assess_trace(f"Sure:\n```\n{GOOD}```\nDone.") == TraceReward(1, 1, 1, 1, 1, 1.0)
    assert sum(TRACE_WEIGHTS) == pytest.approx(1)
    wrong_name = GOOD.replace('@prop id=2 "fuse_active"', '@prop id=2 "fuse"')
    assert assess_trace(wrong_name) == TraceReward(1, 3 / 4, 0, 0, 0, pytest.approx(0.175))
    assert assess_trace(without("<summarizer:end>")) == TraceReward(1, 1, 0, 0, 0, 0.2)
    misjudged = GOOD.replace("target=4 mark=invalidated", "target=4 mark=validated")
    assert assess_trace(misjudged) == TraceReward(1, 1, 1, 2 / 3, 0, pytest.approx(0.4 + 0.4 / 3))
    cut = GOOD[: GOOD.index("mark=invalidated")]
    assert assess_trace(cut) == TraceReward(1, 0, 0, 0, 0, 0.1)
    broken = GOOD.replace("src=5 dst=6", "src=55 dst=6")
    before, total = broken[: broken.index("src=55")].count("@") - 1, broken.count("@")
    assert assess_trace(broken).records == before / total
    assert assess_trace(broken, weights=TraceWeights(1, 0, 0, 0, 0)).value == pytest.approx(before / total)
    for junk in ("", "I cannot say.", "<proposer>It is so.</proposer>", "- @node id=1 role=problem", "@"):
        assert reward_trace(junk) == 0


OPAQUE = without("@prop id=2", "@prop id=6").replace('@prop id=8 "tank_locked"', '@prop id=8 "gate"')
OPAQUE = OPAQUE.replace('"fuse_active": "Bool"', '"fuse_active": "Bool", "gate": "Bool"')


@pytest.mark.parametrize(
    "trace",
    [
        OPAQUE,
        # Its own block validates it, and nobody else says anything of it.
        """\
@node id=1 role=problem
@prop id=1 {"declare": {"x": "Int"}, "assume": [{"gt": ["x", 3]}]}
@node id=2 role=proposer
@status target=2 mark=validated
@prop id=2 {"gt": ["x", 9]}
@node id=3 role=critic
@edge src=2 dst=3 kind=critique
@node id=4 role=summarizer
@edge src=2 dst=4 kind=use
@prop id=4 {"gt": ["x", 9]}
<summarizer:end>
""",
        # A contradiction entails everything.
        GOOD.replace('"assume": [', '"assume": [{"pot": "False"}, '),
        # A record that nobody read.
        GOOD.replace("It is given that", "- @edge src=1 dst=2 kind=use"),
    ],
)
def test_what_nobody_can_check_is_not_established(trace: str) -> None:
    """[DOT-REWARD]: opaque content, a proposer's own word, contradictions, unread records."""
    found = assess_trace(trace)
    assert found.established == 0 and 0.4 <= found.value <= 0.6


def test_saying_the_same_again_earns_nothing() -> None:
    """[DOT-REWARD]: a proposition that is judged wrongly once is judged wrongly."""
    again = CAT.replace(
        "@node id=2 role", '@node id=2 role=proposer\n@prop id=2 ["cat", "tom"]\n@node id=20 role'
    )
    again = again.replace('@prop id=2 ["cat", "tom"]\n@node id=3', '@prop id=20 ["cat", "tom"]\n@node id=3')
    for old in ("3", "4"):
        again = again.replace(f"id={old} ", f"id=3{old} ").replace(f"dst={old} ", f"dst=3{old} ")
    again = again.replace("src=2 ", "src=20 ").replace("target=2", "target=20").replace("just=3", "just=33")
    found = assess_trace(again, theory=THEORY)
    assert (found.complete, found.judged, found.established) == (1, 0, 1)


def test_opaque_steps_are_judged_wrongly_where_the_theory_entails_the_answer() -> None:
    """[DOT-REWARD]"""
    found = assess_trace(without("@prop id=2", "@prop id=6"))
    assert (found.established, found.judged) == (1, 1 / 3) and found.value < 1


def test_what_is_given_cannot_be_changed() -> None:
    """[DOT-REWARD-GIVEN]"""
    full = {"problem": PROBLEM, "conclusion": ANSWER}
    assert reward_trace(GOOD, **full) == 1
    assumed = GOOD.replace('"assume": [', f'"assume": ["{ANSWER}", ')
    assert reward_trace(assumed) == 1 and reward_trace(assumed, **full) == 0.4
    two = GOOD.replace("@node id=2", '@node id=20 role=problem\n@prop id=20 {"assume": []}\n@node id=2', 1)
    assert reward_trace(two, problem=PROBLEM) <= 0.4
    tautology = GOOD.replace(f'@prop id=8 "{ANSWER}"', f'@prop id=8 {{"implies": ["{ANSWER}", "{ANSWER}"]}}')
    other = GOOD.replace(f'@prop id=8 "{ANSWER}"', '@prop id=8 "fuse_active"')
    for less in (tautology, other):
        assert reward_trace(less, problem=PROBLEM) == 1 and reward_trace(less, **full) == pytest.approx(0.6)
    more = GOOD.replace(f'@prop id=8 "{ANSWER}"', f'@prop id=8 {{"and": ["fuse_active", "{ANSWER}"]}}')
    assert reward_trace(more, **full) == 1
    assert reward_trace(GOOD, problem=PROBLEM, conclusion={"not": ANSWER}) == pytest.approx(0.6)
    assert reward_trace(GOOD, conclusion="no_such_name") == pytest.approx(0.6)


THEORY: dict[str, Any] = {
    "sorts": [{"name": "Animal", "type": "DeclareSort"}],
    "functions": [{"name": "cat", "domain": ["Animal"], "range": "Bool"}],
    "constants": {"a": {"sort": "Animal", "members": ["tom"]}},
    "knowledge_base": ["cat(tom)"],
    "verifications": [],
}
CAT = """\
@node id=1 role=problem
Is Tom a cat?
@node id=2 role=proposer
@prop id=2 ["cat", "tom"]
@node id=3 role=critic
@edge src=2 dst=3 kind=critique
@status target=2 mark=validated just=3
@node id=4 role=summarizer
@edge src=2 dst=4 kind=use
@prop id=4 ["cat", "tom"]
<summarizer:end>
"""


def test_a_theory_is_all_that_is_assumed() -> None:
    """[DOT-REWARD-GIVEN]"""
    assert reward_trace(CAT, theory=THEORY, conclusion=["cat", "tom"]) == 1
    own = CAT.replace("problem\n", 'problem\n@prop id=1 {"assume": [["cat", "tom"]]}\n', 1)
    assert reward_trace(own, theory=THEORY) == 0.4
    everything = CAT.replace('id=4 ["cat", "tom"]', 'id=4 {"forall": [{"x": "Animal"}, ["cat", "x"]]}')
    assert reward_trace(everything, theory=THEORY, conclusion=["cat", "tom"]) < 0.8
    assert reward_trace(CAT, theory=THEORY, conclusion={"pot": "Not(cat(tom))"}) == pytest.approx(0.6)


def band(text: str) -> tuple[float, float]:
    """The least and the greatest reward of a text, by other means than the reward's own."""
    found = trace_in(text)
    status = Validator().push(found or "@")
    if found is None or status == "invalid":
        return 0, TRACE_WEIGHTS.records - BELOW
    if status == "incomplete":
        return (0.1, 0.1) if re.search(r"^@node id=\d+ role=\w+\r?\n", found) else (0, 0)
    if not potlang.dot.check(found).ok:
        return 0.1, 0.2 - BELOW
    report = potlang.dot.verify(found, trust="solver", require_end=True)
    if report.verdict != "rejected" and report.ok and any(each.kind == "critique" for each in report.edges):
        last = [each for each in report.nodes if each.role == "summarizer"][-1]
        return (0.8, 1) if last.proposition is not None else (0.2, 0.2)
    return 0.2, 0.6


@pytest.mark.parametrize("seed", range(40))
def test_established_above_well_formed_above_a_beginning_above_junk(seed: int) -> None:
    """[DOT-REWARD]: the bands do not overlap, whatever is done to a trace."""
    random = Random(seed)
    trace = random.choice([GOOD, SUMS]).encode()
    kind = seed % 4
    if kind == 0:
        text = trace[: random.randrange(len(trace))]
    elif kind == 1:
        text = damaged(trace, random)
    elif kind == 2:
        text = re.sub(rb"(?m)^@prop id=[2-9].*\n", lambda line: random.choice([b"", line[0]]), trace)
    else:
        text = damaged(damaged(trace, random), random)[: random.randrange(len(trace))]
    low, high = band(text.decode(errors="replace"))
    assert low <= reward_trace(text.decode(errors="replace")) <= high


def test_a_longer_beginning_is_not_worth_more_than_its_end() -> None:
    """[DOT-REWARD]: no beginning of a trace is worth as much as the trace."""
    ends = sorted(Random(5).sample(range(len(GOOD) - 2), 60))
    assert max(reward_trace(GOOD[:end]) for end in ends) <= 0.2 < reward_trace(GOOD)


def test_bounds() -> None:
    """[DOT-REWARD-GIVEN]: text and time are bounded; nothing raises."""
    assert reward_trace(GOOD + "\n" * LONGEST_TRACE) == 0
    hard = CAT.replace("Is Tom a cat?\n", "").replace('["cat", "tom"]', '{"pot": "x**3 + y**3 == 42 + z**3"}')
    hard = hard.replace(
        "role=problem\n", 'role=problem\n@prop id=1 {"declare": {"x": "Int", "y": "Int", "z": "Int"}}\n', 1
    )
    found = assess_trace(hard, limits=Limits(check_ms=200, total_ms=600))
    assert found.complete == 1 and found.established == 0
    for text in (
        "\ud800",
        "@node id=1 role=problem\n\ud800",
        "@prop id=1 " + "[" * 5_000,
        "@@len=99999@@x",
    ):
        assert 0 <= reward_trace(text) <= 0.2


def test_the_examples_of_the_documentation() -> None:
    assert doctest.testmod(trace_rewards).failed == 0
