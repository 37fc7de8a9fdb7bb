"""Samples read and scored: the quick ways against the full one, bad lines, groups, answers."""

from __future__ import annotations

import io
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from dagmath_support import graphs, solution_of
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from statements import Mutation, Property

from potlang.languages.dagmath.check.form import check, is_gold
from potlang.languages.dagmath.check.graph import Graph
from potlang.languages.dagmath.check.metrics import Shape, shape_of
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.read.samples import LONGEST_LINE, read_sample
from potlang.languages.dagmath.solve.answers import Judged
from potlang.languages.dagmath.write import solution_value, write_json
from potlang.score import fast, plain, samples
from potlang.score.rewards import prune_hint, reward
from potlang.score.samples import Bad, Reader
from potlang.score.scores import Scores
from potlang.score.scoring import score
from potlang.testing.solutions import damaged_solutions, solution, solutions


class Comparing:
    """A judge that compares text, and counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str | None, str]] = []

    def judge(self, given: str | None, expected: str) -> Judged:
        self.asked.append((given, expected))
        return Judged(given == expected, "text")


def line(steps: Any = None, **metadata: Any) -> str:
    one = {
        "step_id": 1,
        "edge": "",
        "direct_dependent_steps": None,
        "node": r"The final answer is \boxed{4}.",
    }
    return json.dumps(
        {"problem_id": "p", "answer": "4", **metadata, "steps": [one] if steps is None else steps}
    )


def scored(*lines: str | bytes, **options: Any) -> Scores:
    texts = [each if isinstance(each, bytes) else each.encode() for each in lines]
    return score(io.BytesIO(b"\n".join(texts)), judge=Comparing(), **options)


# --- the quick ways agree with the full one ----------------------------------------------------------


@st.composite
def texts(draw: DrawFn) -> bytes:
    """Lines of every kind: usual, variants, odd members, damaged."""
    random = draw(st.randoms(use_true_random=False))
    kind = draw(st.integers(0, 3))
    if kind == 3:
        return draw(damaged_solutions()).replace("\n", " ").encode("utf-8", "surrogatepass")
    value = solution_value(draw(solutions(formatted=kind == 0)))
    if random.random() < 0.3:
        names = {"node": "text", "edge": "thinking"}
        value["steps"] = [
            {names.get(key, key): item for key, item in each.items()} for each in value["steps"]
        ]
    if random.random() < 0.4:
        _twist(random, value)
    elif random.random() < 0.1:
        value["steps"][-1]["node"] = "The final answer is $\x08oxed{1}$."
    return json.dumps(value, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")


_TWISTED = (
    *("step_id", "direct_dependent_steps", "node", "edge", "prop", "steps", "extra"),
    *("model", "Model", "problemId", "final_answer", "difficulty", "correct", "answer"),
)


def _twist(random: Random, value: dict[str, Any]) -> None:
    if random.random() < 0.2:
        # Often enough to be met whatever Hypothesis draws: that depends on the modules that are imported.
        value["Model"] = value.pop("model", "m")
        return
    step = random.choice(value["steps"])
    key = random.choice(_TWISTED)
    to = random.choice(
        [
            None,
            "",
            " ",
            "x",
            3,
            3.0,
            -1,
            True,
            [],
            [1],
            [None],
            ["1"],
            {},
            10**12,
            1.5,
            "\x08oxed{1}",
            "1",
            "\ud800",
        ]
    )
    target = step if key in step or key in ("text", "prop") else value
    if key == "steps" and random.random() < 0.5:
        value["steps"] = to
    else:
        target[key] = to


def check_quick(text: bytes) -> None:
    """[DAG-FAST]: whatever a quick way takes, the full reader reads the same; what it leaves, it says why."""
    full = read_sample(text, 1)
    if any(each.code == "POT1004" for each in full.problems):
        return  # A key that comes twice: the one thing that the quick ways do not look for.
    for decoder in (fast, plain):
        reader = Reader(("model", "dataset", "extra", "difficulty"))
        reader._decoder = decoder
        found = reader.read(text, 1)
        if full.solution is None:
            assert isinstance(found, Bad) and found.problems == full.problems
            continue
        assert not isinstance(found, Bad)
        row, shape = found
        expected = Reader(("model", "dataset", "difficulty")).row(full.solution, {})
        assert row._replace(steps=(), labels=()) == expected._replace(steps=(), labels=())
        assert (*row.labels[:2], row.labels[3]) == expected.labels
        assert shape == shape_of(full.solution.steps)
        assert samples.answer_of(row) == samples.answer_of(expected)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32-be"])
@pytest.mark.parametrize("name", ["p", "\ud800", "é"])
def test_quick_ways_read_the_same_characters(encoding: str, name: str) -> None:
    """[DAG-FAST]: halves of characters and other encodings are refused by all of them."""
    text = line(problem_id="?").replace("?", name)
    check_quick(text.encode(encoding, "surrogatepass"))


QUICK = Property(check_quick, texts(), quick=150)
test_quick, test_quick_deep = QUICK.tests()


MUTATIONS = [
    Mutation("quick", "misspelt keys are passed over", (samples,), "_is_plain", lambda key: True),
    Mutation("quick", "LaTeX is left as misread", (samples,), "misread_escapes", lambda text: []),
]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_mutation_is_caught(mutation: Mutation, monkeypatch: pytest.MonkeyPatch) -> None:
    mutation.check_caught(QUICK, monkeypatch, KeyError)


@pytest.mark.parametrize("form", [("node", "edge"), ("text", "thinking")])
def test_usual_lines_take_the_quick_way(form: tuple[str, str]) -> None:
    """[DAG-FAST]: else all of this would be slow, and nothing would say so."""
    said, why = form
    steps = [
        {"step_id": 3, why: "Given.", "direct_dependent_steps": None, said: "$x = 4$."},
        {
            "step_id": 5,
            why: "Step 3.",
            "direct_dependent_steps": [3],
            said: r"The final answer is $\boxed{4}$.",
        },
    ]
    text = line(steps, model="m", sample=3, difficulty=2, other={"deep": [1]}).encode()
    for decoder in (fast, plain):
        reader = Reader(("model",))
        reader._decoder = decoder
        row = reader.usual(text)
        assert row is not None and row.labels == ("m",)
        assert shape_of(row.steps) == Shape(2, 1, 1, 1, 1)


# --- bad lines ---------------------------------------------------------------------------------------


def step(id_: Any, parents: Any, node: str = "x") -> dict[str, Any]:
    return {"step_id": id_, "edge": "", "direct_dependent_steps": parents, "node": node}


BAD = {
    "POT7007": line([{"direct_dependent_steps": None, "node": "x"}]),
    "POT7002": line([step(1, None), step(1, [1])]),
    "POT7003": line([step(1, None), step(2, [9])]),
    "POT7004": line([step(1, [2]), step(2, None)]),
    "POT7005": line([step(1, [2]), step(2, [1])]),
    "POT7010": line([step(1, None, r"The final answer is \boxed{\frac{1}{2.")]),
    "POT1001": '{"problem_id": "p", "model": "m", "steps": [{"step_id": 1, "edge": "cut o',
}


@pytest.mark.parametrize("code", BAD)
def test_a_malformed_sample_counts_and_the_run_goes_on(code: str) -> None:
    """[DAG-MALFORMED]: named by line and code, it counts as not correct in its problem."""
    scores = scored(line(), BAD[code], "", line())
    assert (scores.samples, scores.malformed, scores.unplaced) == (3, 1, 0)
    assert dict(scores.codes) == {code: 1}
    assert (scores.first[0].line, scores.first[0].code) == (2, code)
    (found,) = scores.groups()
    assert (found.problems, found.samples, found.malformed) == (1, 3, 1)
    assert float(found.pass_1) == float(found.prr) == pytest.approx(2 / 3)


def test_a_line_that_names_no_problem_is_in_no_group() -> None:
    """[DAG-MALFORMED]"""
    scores = scored(line(), "no JSON at all", "\x00\xff", by=("model",))
    assert (scores.samples, scores.malformed, scores.unplaced) == (3, 2, 2)
    assert [(each.group, each.samples) for each in scores.groups()] == [(("",), 1)]


def test_a_line_of_a_hundred_megabytes_is_passed_over() -> None:
    """[DAG-MALFORMED]: it is never kept as a whole, and is placed by what stands at its beginning."""
    size = 100 << 20

    class Long(io.RawIOBase):
        """Yields the line without ever holding it."""

        left = size
        head = b'{"problem_id": "p", "steps": ["'

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            if self.head:
                part, self.head = self.head[: len(buffer)], self.head[len(buffer) :]
            elif self.left:
                part = b"x" * min(self.left, len(buffer))
                self.left -= len(part)
            else:
                part, self.tail = self.tail[: len(buffer)], self.tail[len(buffer) :]
            buffer[: len(part)] = part
            return len(part)

        tail = b"\n" + line().encode() + b"\n"

    scores = score(io.BufferedReader(Long()), judge=Comparing())
    assert dict(scores.codes) == {"POT0002": 1}
    assert (scores.samples, scores.unplaced) == (2, 0)
    assert float(scores[()].pass_1) == 0.5
    assert size > LONGEST_LINE


class Unreadable:
    """A judge whose parser reads nothing."""

    def judge(self, given: str | None, expected: str) -> Judged:
        return Judged(False, "text", "no parser reads the answer: compared as text")


def test_an_answer_that_no_parser_reads_is_malformed() -> None:
    """[DAG-MALFORMED]"""
    scores = score(io.BytesIO(line().encode()), judge=Unreadable())
    assert dict(scores.codes) == {"POT7011": 1}
    assert scores[()].malformed == 1


def test_the_judge_says_what_it_cannot_read() -> None:
    """[DAG-MALFORMED]: the judge's own words are those that are looked for."""
    pytest.importorskip("math_verify")
    bad = line([step(1, None, r"The final answer is $\boxed{\qqq}$.")])
    scores = score([io.BytesIO(bad.encode())])
    assert dict(scores.codes) == {"POT7011": 1}


# --- groups, problems, answers -----------------------------------------------------------------------


def test_groups_are_by_any_member_and_sorted(tmp_path: Path) -> None:
    """[DAG-GROUP]"""
    path = tmp_path / "run b.jsonl"
    lines = [
        line(model="z", prompt=2),
        line(model="a", prompt=True),
        line(prompt=None),
        line(model="a", prompt=[1]),
    ]
    path.write_text("\n".join(lines))
    scores = score(path, by=("file", "model", "prompt"), judge=Comparing())
    expected = [("run b", "", ""), ("run b", "a", "1"), ("run b", "a", "true"), ("run b", "z", "2")]
    assert [each.group for each in scores.groups()] == expected
    assert scores["run b", "z", "2"].samples == 1
    with pytest.raises(KeyError):
        scores["none"]


def test_difficulties_are_the_papers_groups() -> None:
    """[DAG-GROUP]: group k has the problems with difficulty in (k − 1, k]."""
    scores = scored(*(line(difficulty=each) for each in (0.5, 1, 1.5, 2.0)), by=("difficulty",))
    assert [(each.group, each.samples) for each in scores.groups()] == [(("(0, 1]",), 2), (("(1, 2]",), 2)]


def test_problems_of_different_data_sets_are_different() -> None:
    """[DAG-GROUP]"""
    wrong = line([step(1, None, r"The final answer is \boxed{5}.")], dataset="one")
    scores = scored(wrong, line(dataset="two"), line(dataset="two"))
    assert scores[()].problems == 2
    assert float(scores[()].pass_1) == 0.5


def test_what_the_input_says_of_an_answer_counts_first() -> None:
    """[DAG-JUDGED]"""
    judge = Comparing()
    lines = [line(correct=False), line(correct=True, answer="5"), line(answer=None), line()]
    scores = score(io.BytesIO("\n".join(lines).encode()), judge=judge)
    assert judge.asked == [("4", "4")]
    assert scores.unjudged == 1
    assert scores[()].correct == 2


def test_equal_answers_are_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """[DAG-JUDGED]: the library is asked once for a pair."""
    pytest.importorskip("math_verify")
    from potlang.languages.dagmath.solve.answers import AnswerChecker

    asked = []

    def ask(self: AnswerChecker, given: str, expected: str) -> dict[str, Any]:
        asked.append((given, expected))
        return {"equal": True}

    monkeypatch.setattr(AnswerChecker, "_ask", ask)
    many = [line([step(1, None, r"The final answer is \boxed{x+1}.")], answer="1+x") for _ in range(50)]
    scores = score(io.BytesIO("\n".join(many).encode()))
    assert asked == [("x+1", "1+x")]
    assert scores[()].samples == 50


def check_values(given: list[Solution]) -> None:
    """[DAG-SCORE]: solutions as values score as their lines do."""
    lines = "".join(write_json(each, indent=None) for each in given).encode()
    by = ("model", "difficulty")
    one, other = (score(source, by=by, judge=Comparing()) for source in (given, io.BytesIO(lines)))
    assert one.to_dict() == {**other.to_dict(), "malformed": one.to_dict()["malformed"]}


test_values, test_values_deep = Property(
    check_values, st.lists(solutions(formatted=False), min_size=1, max_size=6), quick=25
).tests()


def test_a_file_may_be_one_solution(tmp_path: Path) -> None:
    """[DAG-SCORE]: pretty-printed JSON, and text, as they are checked and viewed."""
    found = solution(Random(5), formatted=True)._replace(correct=True)
    path = tmp_path / "one.json"
    path.write_text(write_json(found, indent=2))
    assert (len(found.steps) > 1, score(path).samples, score(path).malformed) == (True, 1, 0)


@pytest.mark.parametrize("k", [0, -1])
def test_a_k_below_one_is_refused(k: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        score([], pass_k=[k])


# --- gold, rewards, hints ----------------------------------------------------------------------------


def check_gold(given: tuple[Solution, bool]) -> None:
    """[DAG-GOLD]: what keeps the format is gold if it is right; one flaw, and it is not."""
    found, correct = given
    assert is_gold(check(write_json(found)), correct) == correct
    flawed = found._replace(steps=(found.steps[0]._replace(edge=" "), *found.steps[1:]))
    assert not is_gold(check(write_json(flawed)), True)
    scores = score(found._replace(correct=correct), gold=True)
    assert scores.gold is not None and scores.gold.total() == correct


test_gold, test_gold_deep = Property(
    check_gold, st.tuples(solutions(formatted=True), st.booleans()), quick=30
).tests()


def check_reward(given: tuple[Graph, bool, float, float]) -> None:
    """[DAG-REWARD]: from 0 to 1, 1 if and only if perfect, right before wrong, rising with closeness."""
    graph, correct, closeness, required = given
    found = solution_of(graph, correct=correct)
    partial = min(0.1, 1 - closeness)
    value = reward(found, closeness=closeness, partial=partial, required=required)
    share = float(shape_of(found.steps).share)
    assert 0 <= value <= 1
    if correct and graph.closed():
        assert value == 1
    if not correct:
        assert (
            value
            == partial * share
            <= reward(found._replace(correct=True), closeness=closeness, partial=partial)
        )
    if correct and not graph.closed() and closeness and required <= share:
        assert value == 1 - closeness * (1 - share) < 1
    if required > share:
        assert value == partial * share


test_reward, test_reward_deep = Property(
    check_reward,
    st.tuples(
        graphs(), st.booleans(), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 0.9, 1.0])
    ),
    quick=80,
).tests()


def test_reward_of_texts() -> None:
    """[DAG-REWARD]"""
    assert reward(line(), answer="4", judge=Comparing()) == 1.0
    assert reward(line(), judge=Comparing()) == pytest.approx(0.1)
    assert reward("no solution") == 0.0
    assert reward(Solution((Step(1, "", (1,), "x"),), correct=True)) == 0.0
    assert reward(Solution((Step(1, "", None, r"\boxed{4}"),))) == pytest.approx(0.1)
    with pytest.raises(ValueError, match="weights"):
        reward(line(), closeness=0.95)


def check_hint(given: tuple[Graph, int]) -> None:
    """[DAG-PRUNE]: a step that uses what is to be closed, and what is to be pruned gone, closes the rest."""
    graph, patience = given
    found = solution_of(graph)
    hint = prune_hint(found, patience)
    assert [each.id for each in hint.open_steps] == [at + 1 for at in graph.unclosed()]
    assert not set(hint.close) & set(hint.prune)
    last = len(found.steps)
    assert last not in hint.prune
    kept = [each for each in found.steps if each.id not in hint.prune]
    joined = Step(last + 1, "", (*hint.close, last), "all")
    assert shape_of([*kept, joined]).is_closed
    for each in hint.open_steps:
        assert (each.advice == "prune") == (each.idle > patience and bool(graph.parents[each.id - 1]))


test_hint, test_hint_deep = Property(check_hint, st.tuples(graphs(), st.integers(0, 6)), quick=80).tests()
