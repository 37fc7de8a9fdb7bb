"""The three-stage builder: what each validation lets through, how often it asks, and what it keeps."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from building_support import GOOD, NATASCHA, PROBLEM, edges_reply, nodes_reply, parents_reply
from hypothesis import strategies as st
from statements import Property

from potlang.languages.dagmath.check.form import check, is_gold
from potlang.languages.dagmath.read.records import Solution
from potlang.languages.dagmath.solve.answers import AnswerChecker
from potlang.languages.dagmath.write import solution_value
from potlang.models.endpoint import Completion, EndpointError, Recorded, RecordingEnded, Sampling
from potlang.models.endpoint.recorded import Reply
from potlang.models.gold.builder import Builder, Built, Models

NONE_WRONG = '{"wrong": []}'


@pytest.fixture(scope="module")
def builders() -> Iterator[Builder]:
    """One builder, whose child processes are shared."""
    with Builder(Models.one(Recorded([]))) as builder:
        yield builder


def _build(
    builders: Builder, replies: list[Reply], judge: list[Reply] | None = None, tries: int = 5
) -> tuple[Built, Recorded]:
    model = Recorded(replies)
    builders.models = Models.one(model, None if judge is None else Recorded(judge, name="judge"))
    builders.sampling = Sampling(tries)
    return builders.build(PROBLEM), model


def _stages(built: Built) -> list[tuple[str, bool]]:
    return [(each.stage, not each.problem) for each in built.attempts]


def test_three_answers_make_a_solution(builders: Builder) -> None:
    """[DAG-BUILD-1]: nodes, parents, edges; the result is gold and says what the problem said."""
    built, model = _build(builders, list(GOOD))
    assert built.solution == NATASCHA._replace(difficulty=1.5, dataset="own")
    assert (built.reason, built.failure) == ("", None)
    assert _stages(built) == [("nodes", True), ("parents", True), ("edges", True)]
    assert [each.settings["schema"]["required"] for each in model.asked] == [["steps"], ["steps"], ["edges"]]
    nodes, parents, edges = (each.messages[0].content for each in model.asked)
    assert PROBLEM.solution in nodes and PROBLEM.solution not in parents
    assert '"step_id": 13' in parents and '"direct_dependent_steps": [' in edges


BAD_NODES = {
    "no JSON": "Let me think about it.",
    "no list": '{"steps": "one"}',
    "nothing": '{"steps": []}',
    "no text": '{"steps": [1, 2]}',
    "another answer": nodes_reply(step_13=r"The final answer is $\boxed{11:1}$."),
    "no answer": nodes_reply(step_13="The ratio is 12 to 1."),
    "an answer without end": nodes_reply(step_13=r"The final answer is $\boxed{12:1$."),
    "two sentences": nodes_reply(step_2="She cycles. She does so for $4$ hours."),
}


@pytest.mark.parametrize("name", BAD_NODES)
def test_nodes_that_are_not_accepted(name: str, builders: Builder) -> None:
    """[DAG-BUILD-2]: such a set is rejected as a whole, and another one is asked for."""
    built, _ = _build(builders, [BAD_NODES[name], *GOOD])
    assert built.solution is not None
    assert _stages(built) == [("nodes", False), ("nodes", True), ("parents", True), ("edges", True)]


BAD_PARENTS = {
    "not closed": parents_reply(step_9=(5, 6)),
    "later": parents_reply(step_1=(4,)),
    "itself": parents_reply(step_5=(1, 4, 5)),
    "unknown": parents_reply(step_5=(1, 4, 99)),
    "no number": parents_reply(step_5=["1"]),
    "one less": json.dumps({"steps": json.loads(parents_reply())["steps"][:-1]}),
    "one twice": json.dumps({"steps": [*json.loads(parents_reply())["steps"], {"step_id": 1}]}),
    "an error": '{"error": "step_id is missing in step 3"}',
}


@pytest.mark.parametrize("name", BAD_PARENTS)
def test_parents_that_are_not_accepted(name: str, builders: Builder) -> None:
    """[DAG-BUILD-3]: only the dependencies are asked for again."""
    built, _ = _build(builders, [GOOD[0], BAD_PARENTS[name], *GOOD[1:]])
    assert built.solution is not None
    assert _stages(built) == [("nodes", True), ("parents", False), ("parents", True), ("edges", True)]


BAD_EDGES = {
    "a parent is not cited": edges_reply(step_7="By the formula of Step 6, with $r$ from Step 4."),
    "a stranger is cited": edges_reply(step_8="As Step 7 and Step 2 say."),
    "a plural": edges_reply(step_7="We use Steps 3, 4 and 6."),
    "nothing said": edges_reply(step_1=" "),
}


@pytest.mark.parametrize("name", BAD_EDGES)
def test_edges_that_are_not_accepted(name: str, builders: Builder) -> None:
    """[DAG-BUILD-4]."""
    built, _ = _build(builders, [*GOOD[:2], BAD_EDGES[name], GOOD[2]])
    assert built.solution is not None
    assert _stages(built) == [("nodes", True), ("parents", True), ("edges", False), ("edges", True)]


def test_a_refuted_step_rejects_the_nodes(builders: Builder) -> None:
    """[DAG-BUILD-3]: with 11r for 12r the solver refutes a step, and stage 1 begins anew."""
    wrong = nodes_reply(step_10="Cycling distance is $11r$.")
    built, _ = _build(builders, [wrong, GOOD[1], *GOOD])
    assert built.solution is not None
    assert _stages(built)[:2] == [("nodes", True), ("parents", False)]
    assert "is refuted" in built.attempts[1].problem
    built, model = _build(builders, [wrong, GOOD[1], wrong, GOOD[1], *GOOD])
    assert built.solution is None and "refuted" in built.reason
    assert len(model.asked) == 4


def test_steps_are_checked_with_their_edges_too(builders: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    """[DAG-BUILD-4]: what is refuted only then rejects the nodes as well."""
    seen: list[Solution] = []

    def refuted(self: Builder, solution: Solution) -> str:
        seen.append(solution)
        return "step 10 is refuted" if len(seen) == 2 else ""

    monkeypatch.setattr(Builder, "_refuted", refuted)
    built, _ = _build(builders, [*GOOD, *GOOD])
    assert built.solution is not None
    assert [bool(each.steps[0].edge) for each in seen] == [False, True, False, True]
    assert _stages(built)[2:4] == [("edges", False), ("nodes", True)]


def test_how_often_it_asks(builders: Builder) -> None:
    """[DAG-BUILD-5]: five times for parents, once more from the beginning, and no more."""
    bad = parents_reply(step_9=(5, 6))
    built, model = _build(builders, [*[GOOD[0], *[bad] * 5] * 2, *GOOD])
    assert built.solution is None and built.failure is None
    assert built.reason == "no dependencies of the nodes are accepted"
    assert len(model.asked) == 12
    built, model = _build(builders, [GOOD[0], *[bad] * 5, *GOOD])
    assert built.solution is not None and len(model.asked) == 9
    built, model = _build(builders, ["?"] * 20)
    assert (built.reason, len(model.asked)) == ("no set of nodes is accepted", 5)
    built, model = _build(builders, [*GOOD[:2], *["?"] * 20])
    assert (built.reason, len(model.asked)) == ("no edges are accepted", 7)


def test_a_judge_may_reject(builders: Builder) -> None:
    """[DAG-BUILD-2] [DAG-BUILD-3]: nodes and dependencies each, and a judge that says nothing rejects too."""
    objection = '{"wrong": [{"step_id": 4, "why": "It is not in the problem."}]}'
    replies = [GOOD[0], GOOD[0], GOOD[1], GOOD[1], GOOD[1], GOOD[2]]
    built, _ = _build(builders, list(replies), [objection, NONE_WRONG, objection, "Looks fine!", NONE_WRONG])
    assert built.solution is not None
    assert _stages(built) == [
        ("nodes", True),
        ("nodes judged", False),
        ("nodes", True),
        ("nodes judged", True),
        ("parents", True),
        ("parents judged", False),
        ("parents", True),
        ("parents judged", False),
        ("parents", True),
        ("parents judged", True),
        ("edges", True),
    ]
    assert built.attempts[1].problem == "the judge finds step 4 wrong: It is not in the problem."
    assert built.attempts[1].model == "judge"


@pytest.mark.parametrize("before", range(3))
def test_a_failure_of_the_endpoint_ends_it(before: int, builders: Builder) -> None:
    """[DAG-BUILD-5]: with the reason, and all that was asked so far."""
    error = EndpointError("cut off", "half-way", seconds=2.0)
    built, _ = _build(builders, [*GOOD[:before], error])
    assert (built.solution, built.failure, built.reason) == (None, "cut off", "cut off: half-way")
    assert len(built.attempts) == before + 1
    assert built.attempts[-1].failure == "cut off" and built.attempts[-1].seconds == 2.0


def test_a_reply_that_is_cut_at_its_limit_is_not_accepted(builders: Builder) -> None:
    """[DAG-BUILD-TRY]: even if what there is of it can be read."""
    built, _ = _build(builders, [Completion(GOOD[0], finish_reason="length"), *GOOD])
    assert built.solution is not None
    assert built.attempts[0].problem == "the reply is longer than the model may write"


def test_seeds_differ_from_try_to_try(builders: Builder) -> None:
    """[DAG-BUILD-TRY]: the same question gets another answer."""
    model = Recorded(["?", *GOOD])
    builders.models, builders.sampling = Models.one(model), Sampling(5, 0.7, 1000, 60.0, 40)
    assert builders.build(PROBLEM).solution is not None
    assert [each.settings["seed"] for each in model.asked] == [40, 41, 42, 43]
    assert {each.settings["temperature"] for each in model.asked} == {0.7}


def test_each_stage_may_have_its_own_model(builders: Builder) -> None:
    """[DAG-BUILD-1]."""
    each = [Recorded([reply], name=f"model {at}") for at, reply in enumerate(GOOD)]
    builders.models = Models(*each)
    built = builders.build(PROBLEM)
    assert [attempt.model for attempt in built.attempts] == ["model 0", "model 1", "model 2"]


FENCED = "Sure!\n\n```json\n{}\n```\nHope this helps."
WRAPPERS = ["{}", FENCED, '<think>\nMaybe {{"steps": [1]}}?\n</think>\n{}', '{{"plan": ["a"]}}\n{}']


@pytest.mark.parametrize("wrapper", range(len(WRAPPERS)))
def test_json_is_found_wherever_it_stands(wrapper: int, builders: Builder) -> None:
    """[DAG-REPLY]: fenced, after thoughts, after other JSON."""
    text = WRAPPERS[wrapper].replace("{{", "{").replace("}}", "}")
    built, _ = _build(builders, [text.replace("{}", reply) for reply in GOOD])
    assert built.solution is not None and len(built.attempts) == 3


def test_backslashes_of_latex_are_mended(builders: Builder) -> None:
    """[DAG-REPLY]: written once where JSON wants two."""
    built, _ = _build(builders, [reply.replace("\\\\", "\\") for reply in GOOD])
    assert built.solution == NATASCHA._replace(difficulty=1.5, dataset="own")


# --- whatever models say ------------------------------------------------------------------------------

_PIECES = st.sampled_from(
    [
        *GOOD,
        *BAD_NODES.values(),
        *BAD_PARENTS.values(),
        *BAD_EDGES.values(),
        nodes_reply(step_10="Cycling distance is $11r$."),
        '{"edges": [{"step_id": 1, "edge": "x"}]}',
        '{"steps": [{"step_id": 1e400, "direct_dependent_steps": {}}]}',
        '{"steps": ' + "[" * 2_000,
        "\x00\ud800",
        "",
    ]
)
_REPLIES = st.lists(st.one_of(_PIECES, st.text(max_size=40)), min_size=60, max_size=60)


def _check_any(replies: list[str]) -> None:
    """[DAG-BUILD-5]: any replies lead to a gold-standard solution or to a reason, in few tries."""
    with Builder(Models.one(Recorded(replies)), sampling=Sampling(3)) as builder:
        built = builder.build(PROBLEM)
    assert len(built.attempts) <= 2 * (3 + 3) + 3
    assert (built.solution is None) == bool(built.reason)
    if built.solution is not None:
        checked = check(solution_value(built.solution))
        with AnswerChecker() as judge:
            judged = judge.judge_solution(built.solution)
        assert judged is not None and is_gold(checked, judged.correct)


ANY = Property(_check_any, _REPLIES, quick=25)
test_any_replies, test_any_replies_deeply = ANY.tests()


def test_a_recording_that_ends_is_a_mistake_of_the_caller(builders: Builder) -> None:
    """[ENDPOINT-RECORDED]."""
    with pytest.raises(RecordingEnded):
        _build(builders, [GOOD[0]])
