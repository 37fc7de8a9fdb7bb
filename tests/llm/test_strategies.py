"""Strategies by which models come to programs: what is asked, in which stages, and what stands at the end."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from chat_server import Answer, ChatServer
from hypothesis import strategies as st
from staged_replies import (
    ASKED,
    BITS,
    EXAMPLE,
    GOOD,
    OUTLINE,
    OUTLINED,
    QUESTION,
    STANDS,
    check_short,
    transcript_schema,
)
from statements import Property

import potlang
from potlang.models.endpoint import Completion, EndpointError, Message, Recorded
from potlang.models.presets import (
    MOST_QUESTIONS,
    MOST_REFINEMENTS,
    STRATEGIES,
    StrategyName,
    most_requests,
    preset,
)
from potlang.models.programs import strategies
from potlang.models.programs.additions import with_additions
from potlang.models.programs.prompting import examples
from potlang.models.programs.reasoned import Reasoned
from potlang.models.programs.strategies import outlined_sections, read_outline
from potlang.models.prompts import fill
from potlang.models.replies.schemas import FINDINGS, QUESTIONS, outline_schema

ROOT = Path(__file__).parent.parent.parent
PROMPTS = ("critique", "rewrite", "outline", "from_outline", "sub_questions", "addition")
BAD = GOOD.replace('"has_fur(rex)"', '"hasfur(rex)"')
WRONG = GOOD.replace("-> not has_fur(x)", "-> has_fur(x)")
OPTIONS = examples()[1]
FOUND = json.dumps({"findings": ["Reptiles in the park have no fur; the first rule says that they have."]})


def reasoned(strategy: StrategyName, model: Recorded, question: str = QUESTION, **settings: Any) -> Reasoned:
    """The result, found to fit its schema and to have each request as an attempt."""
    found = potlang.reason(question, model, strategy=strategy, **settings)
    transcript_schema("reasoned-1").validate(json.loads(found.to_json()))
    assert len(found.attempts) == len(model.asked) and found.strategy == strategy
    for asked in model.asked:
        # Some endpoints refuse two messages of one role in a row.
        assert [each.role for each in asked.messages[1:]] == ["user", "assistant", "user"][
            : len(asked.messages) - 1
        ]
        assert asked.messages[0].content == found.system
    return found


def stages(found: Reasoned) -> list[str]:
    return [each.stage for each in found.attempts]


def last(model: Recorded, at: int) -> str:
    return str(model.asked[at].messages[-1].content)


# --- prompts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROMPTS)
def test_prompts_are_short(name: str) -> None:
    """[LOOP-STRATEGY-PROMPT]: with their examples, without what they are filled with."""
    example = {each: BITS[each] for each in ("program", "added")}
    empty = {
        "critique": {"question": "", "program": ""},
        "rewrite": {"findings": []},
        "outline": {"question": "", "sections": outlined_sections(), "example": OUTLINE},
        "from_outline": {"outline": {}},
        "sub_questions": {"question": "", "example": {"questions": BITS["questions"]}},
        "addition": {"question": "", "program": "", "answered": [], "asked": "", "example": example},
    }
    check_short(fill(name, **empty[name]))  # type: ignore[arg-type]


def test_the_outline_is_made_of_sections() -> None:
    """[LOOP-STRATEGY-PROMPT]: those of the language, in their own words, and nothing that is none."""
    whole = json.loads((ROOT / "schemas" / "pot-1.json").read_text(encoding="utf-8"))["properties"]
    for name, purpose in outlined_sections().items():
        assert whole[name]["description"].startswith(purpose.rstrip("."))
    assert (
        set(outlined_sections())
        == set(strategies.OUTLINED)
        == set(outline_schema(strategies.OUTLINED)["properties"])
    )


def test_examples_of_replies_fit_their_schemas() -> None:
    """[LOOP-STRATEGY-PROMPT]"""
    for form, value in (
        (outline_schema(strategies.OUTLINED), OUTLINE),
        (QUESTIONS, {"questions": BITS["questions"]}),
        (FINDINGS, json.loads(FOUND)),
    ):
        assert jsonschema.Draft202012Validator(form).is_valid(value)
        assert not jsonschema.Draft202012Validator(form).is_valid({**value, "more": 1})
    assert read_outline(json.dumps(OUTLINE)) == OUTLINE
    assert len(BITS["questions"]) <= MOST_QUESTIONS


def test_the_example_of_additions_compiles() -> None:
    """[LOOP-STRATEGY-PROMPT], [LOOP-STRATEGY-LEAST]: bit by bit, with the verdicts that are said."""
    first, added = json.dumps(BITS["program"]), json.dumps(BITS["added"])
    verdicts = []
    for program in (first, with_additions(first, added)):
        report = potlang.verify(program)
        assert report.diagnostics == ()
        verdicts.append(str(report.verdict))
    assert verdicts == BITS["verdicts"]


# --- self-consistency --------------------------------------------------------------------------------


def test_self_consistency_is_five_programs_that_vote() -> None:
    """[LOOP-STRATEGY-PRESET]"""
    replies = iter([GOOD, WRONG, GOOD, WRONG, GOOD])
    model = Recorded(lambda messages: next(replies))
    found = reasoned("self-consistency", model, second_look=False)
    assert found.votes == {"refuted": 3, "entailed": 2} and found.verdict == "refuted"
    assert {each.settings["temperature"] for each in model.asked} == {0.7}


def test_what_is_said_counts_more_than_a_preset() -> None:
    """[LOOP-STRATEGY-PRESET]"""
    model = Recorded(lambda messages: GOOD)
    found = reasoned("self-consistency", model, k=2, temperature=0.0, parallel=1)
    assert found.votes == {"refuted": 2}
    assert {each.settings["temperature"] for each in model.asked} == {0.0}
    assert preset("plain") == (1, 1, None)


def test_any_strategy_can_vote() -> None:
    """[LOOP-STRATEGY-PRESET]"""
    model = Recorded(lambda messages: OUTLINED if "Take a question apart" in str(messages[-1]) else GOOD)
    found = reasoned("decomposed", model, k=3)
    assert found.votes == {"refuted": 3} and len(model.asked) == 6


# --- self-refine ---------------------------------------------------------------------------------------


def test_a_program_that_stands_is_criticised_once() -> None:
    """[LOOP-STRATEGY-REFINE]: the critic sees question and program, and the schema of findings."""
    model = Recorded([GOOD, STANDS])
    found = reasoned("self-refine", model)
    assert (found.verdict, stages(found)) == ("refuted", ["program", "critique 1"])
    assert QUESTION in last(model, 1) and GOOD in last(model, 1)
    assert model.asked[1].settings["schema"] == FINDINGS


def test_a_program_is_rewritten_until_it_stands() -> None:
    """[LOOP-STRATEGY-REFINE]: with the repairs of the one loop."""
    model = Recorded([WRONG, FOUND, BAD, GOOD, STANDS])
    found = reasoned("self-refine", model, second_look=False)
    assert found.verdict == "refuted" and found.program == GOOD
    assert stages(found) == ["program", "critique 1", "rewrite 1", "rewrite 1", "critique 2"]
    assert model.asked[2].messages[-2].content == WRONG and "the first rule" in last(model, 2)
    assert "did you mean `has_fur`" in last(model, 3)


@pytest.mark.parametrize(
    ("replies", "program", "calls"),
    [
        # Nothing changes: the same program, in another order, or words.
        ([GOOD, FOUND, GOOD], GOOD, 3),
        ([GOOD, FOUND, json.dumps(dict(reversed(EXAMPLE.program.items())), indent=1)], GOOD, 3),
        ([GOOD, FOUND, "I stay with it."], GOOD, 3),
        # Prose is a finding.
        ([WRONG, "The first rule is the wrong way round.", GOOD, STANDS], GOOD, 4),
        # A rewriting that is not accepted leaves the program, as does a critic without sense.
        ([GOOD, FOUND, BAD, BAD, BAD], GOOD, 5),
        ([GOOD, "{}", '{"findings": 3}', "{"], GOOD, 4),
        ([GOOD, "", " ", "<think></think>\n"], GOOD, 4),
        # It ends after two rounds.
        ([GOOD, FOUND, WRONG, FOUND, GOOD], GOOD, 5),
        # An endpoint that fails takes no program away.
        ([GOOD, EndpointError("timeout", "")], GOOD, 2),
        ([GOOD, FOUND, EndpointError("server", "")], GOOD, 3),
        ([GOOD, Completion("", refusal="I do not criticise.")], GOOD, 2),
    ],
)
def test_refinements_end(replies: list[Any], program: str, calls: int) -> None:
    """[LOOP-STRATEGY-REFINE]"""
    model = Recorded(replies)
    found = reasoned("self-refine", model, second_look=False)
    assert (found.program, len(model.asked)) == (program, calls)
    assert found.report is not None and found.verdict == found.report.verdict


def test_findings_are_bounded() -> None:
    """[LOOP-STRATEGY-REFINE]: what a critic writes does not fill the next prompt."""
    model = Recorded([GOOD, json.dumps({"findings": ["x" * 5_000] * 500}), GOOD])
    reasoned("self-refine", model)
    assert len(last(model, 2)) < 8_000


# --- decomposed ----------------------------------------------------------------------------------------


def test_a_program_is_written_of_an_outline() -> None:
    """[LOOP-STRATEGY-OUTLINE]: of the sections as sentences, with repairs."""
    model = Recorded([f"Here it is:\n```json\n{OUTLINED}\n```", BAD, GOOD])
    found = reasoned("decomposed", model)
    assert (found.verdict, stages(found)) == ("refuted", ["outline", "program", "program"])
    assert (
        QUESTION in last(model, 0) and "There are animals." in last(model, 1) and QUESTION in last(model, 1)
    )
    assert "There are animals." in str(model.asked[2].messages[1].content)
    assert model.asked[0].settings["schema"] == outline_schema(strategies.OUTLINED)
    assert (
        "schema" in model.asked[1].settings and "reasoning" in model.asked[1].settings["schema"]["properties"]
    )


@pytest.mark.parametrize(
    "bad",
    [
        "No.",
        "{}",
        '{"verifications": []}',
        '{"verifications": "x"}',
        '{"verifications": ["' + "x" * 20_001 + '"]}',
    ],
)
def test_without_an_outline_the_question_is_enough(bad: str) -> None:
    """[LOOP-STRATEGY-OUTLINE]"""
    model = Recorded([bad, bad, GOOD])
    found = reasoned("decomposed", model, attempts=2)
    assert (found.verdict, stages(found)) == ("refuted", ["outline", "outline", "program"])
    assert "one JSON object that was asked for" in last(model, 1) and "Take a question apart" not in last(
        model, 2
    )


def test_the_outline_names_options() -> None:
    """[LOOP-STRATEGY-OUTLINE]: an option of each name is asked for, and needed."""
    program = json.dumps(OPTIONS.program)
    model = Recorded([OUTLINED, GOOD, program])
    found = reasoned("decomposed", model, OPTIONS.question, options="ABC")
    assert '["A", "B", "C"]' in last(model, 1) and 'no verification has the name "A"' in last(model, 2)
    assert found.elected == "A"


# --- least to most ---------------------------------------------------------------------------------------

FIRST, ADDED = json.dumps(BITS["program"]), json.dumps(BITS["added"])


def test_a_program_is_written_bit_by_bit() -> None:
    """[LOOP-STRATEGY-LEAST]: each bit compiles; the next is told the program and the verdicts so far."""
    model = Recorded([ASKED, FIRST.replace("reptile(rex)", "reptiles(rex)"), FIRST, ADDED])
    found = reasoned("least-to-most", model, BITS["question"])
    assert stages(found) == ["sub-questions", "sub-question 1", "sub-question 1", "program"]
    assert found.program == with_additions(FIRST, ADDED) and found.verdict == "refuted"
    assert found.report is not None and [each.name for each in found.report.results] == ["Rex has fur"]
    assert "Is Rex a reptile?" in last(model, 1) and "POT2001" in last(model, 2)
    assert FIRST in last(model, 3) and '"Rex is a reptile": "entailed"' in last(model, 3)


def test_a_reply_may_repeat_the_program() -> None:
    """[LOOP-STRATEGY-LEAST]"""
    whole = with_additions(FIRST, ADDED)
    model = Recorded([ASKED, FIRST, whole])
    found = reasoned("least-to-most", model, BITS["question"])
    assert found.program == whole and found.verdict == "refuted"


def test_options_are_asked_for_at_the_end_alone() -> None:
    """[LOOP-STRATEGY-LEAST]"""
    program = {**OPTIONS.program}
    asked = program.pop("verifications")
    model = Recorded([ASKED, json.dumps(program), "{}", json.dumps({"verifications": asked})])
    found = reasoned("least-to-most", model, OPTIONS.question, options="ABC")
    assert '["A", "B", "C"]' in last(model, 2) and '["A", "B", "C"]' not in last(model, 1)
    assert found.elected == "A" and stages(found)[1:] == ["sub-question 1", "program", "program"]


@pytest.mark.parametrize(
    ("replies", "expected", "calls"),
    [
        # Without smaller questions it is plain writing.
        (["?", '{"questions": []}', '{"questions": 1}', GOOD], "refuted", 4),
        ([json.dumps({"questions": [QUESTION]}), GOOD], "refuted", 2),
        # A smaller question that is not answered is passed over.
        ([ASKED, "?", BAD, "{}", GOOD], "refuted", 5),
        # Failures end it.
        ([EndpointError("timeout", "")], "unknown", 1),
        ([ASKED, EndpointError("unauthorized", "")], "unknown", 2),
        ([ASKED, GOOD, EndpointError("server", "")], "unknown", 3),
        ([ASKED, Completion("", refusal="No.")], "unknown", 2),
    ],
)
def test_least_to_most_with_bad_replies(replies: list[Any], expected: str, calls: int) -> None:
    """[LOOP-STRATEGY-LEAST]"""
    model = Recorded(replies)
    found = reasoned("least-to-most", model)
    assert (found.verdict, len(model.asked)) == (expected, calls)


def test_smaller_questions_are_bounded() -> None:
    """[LOOP-STRATEGY-LEAST]: five with the question itself, each once, and none of any length."""
    many = [f"{number} {'x' * 5_000}" for number in range(300) for _ in range(2)]
    model = Recorded([json.dumps({"questions": many}), *[GOOD] * 9])
    found = reasoned("least-to-most", model)
    assert stages(found) == [
        "sub-questions",
        *(f"sub-question {each}" for each in range(1, MOST_QUESTIONS)),
        "program",
    ]
    assert all(len(last(model, at)) < 12_000 for at in range(1, len(model.asked)))


@pytest.mark.parametrize(
    ("base", "addition", "both"),
    [
        ({"rules": [1]}, {"rules": [2, 1]}, {"rules": [1, 2]}),
        ({"rules": [{"name": "a", "constraint": "p"}]}, {"rules": [{"name": "a", "constraint": "q"}]}, None),
        ({"verifications": [1], "sorts": [1]}, {}, {"sorts": [1]}),
        ({"verifications": [1]}, {"verifications": [2]}, None),
        ({"semantics": {"a": 1, "b": 1}}, {"semantics": {"b": 2}}, {"semantics": {"a": 1, "b": 2}}),
        ({"rules": None}, {"rules": [1]}, None),
        ({"rules": [1]}, {"rules": None}, {"rules": [1]}),
        ({"rules": [1]}, {"rules": "p"}, None),
        (
            {"constants": [{"name": "c", "sort": "T", "members": ["a", "b"]}]},
            {"constants": {"c": {"sort": "T", "members": ["b", "d"]}}},
            {"constants": [{"name": "c", "sort": "T", "members": ["a", "b", "d"]}]},
        ),
        (
            {"constants": {"c": {"sort": "T", "members": ["a"]}}},
            {"constants": {"c": {"sort": "T", "members": ["b"]}, "d": {"sort": "T", "members": ["e"]}}},
            {"constants": {"c": {"sort": "T", "members": ["a", "b"]}, "d": {"sort": "T", "members": ["e"]}}},
        ),
        (
            {"constants": [{"name": "c", "sort": "T", "members": ["a"]}]},
            {"constants": [{"name": "c", "sort": "U", "members": ["b"]}]},
            None,
        ),
    ],
)
def test_what_programs_are_together(
    base: dict[str, Any], addition: dict[str, Any], both: dict[str, Any] | None
) -> None:
    """[LOOP-STRATEGY-LEAST]; None: the addition counts."""
    found = with_additions(json.dumps(base), json.dumps(addition))
    assert json.loads(found) == (addition if both is None else both)


@pytest.mark.parametrize("addition", ["{", "[]", '{"rules": [], "rules": []}'])
def test_what_is_no_object_is_not_joined(addition: str) -> None:
    """[LOOP-STRATEGY-LEAST]: the compiler says what is wrong with it."""
    assert with_additions(FIRST, addition) == addition


def check_repeating(program: dict[str, Any]) -> None:
    """[LOOP-STRATEGY-LEAST]: a program that is added to itself, or to nothing, is as it was."""
    text = json.dumps(program)
    assert json.loads(with_additions(text, text)) == json.loads(with_additions("{}", text)) == program


REPEATING = Property(
    check_repeating,
    st.sampled_from([each.program for each in examples()]).flatmap(
        lambda program: st.sets(st.sampled_from(sorted(program))).map(
            lambda keys: {key: program[key] for key in keys}
        )
    ),
    quick=30,
)
test_repeating, test_repeating_deeply = REPEATING.tests()


# --- all of them -----------------------------------------------------------------------------------------

MODELS: dict[str, Callable[[Sequence[Message]], Any]] = {
    "the same program for ever": lambda messages: GOOD,
    "a program that does not compile, for ever": lambda messages: BAD,
    "the same prose for ever": lambda messages: "I think so.",
    "nothing for ever": lambda messages: "",
    "thoughts that never end": lambda messages: Completion("<think>Hm, ", finish_reason="length"),
    "findings for ever": lambda messages: FOUND if "mistakes" in str(messages[-1]) else GOOD,
    "cut off for ever": lambda messages: EndpointError("cut off", "x"),
    "refusals": lambda messages: Completion("", refusal="No."),
    "rejected for ever": lambda messages: EndpointError("rejected", "x"),
    "nobody": lambda messages: EndpointError("refused", "x"),
    "brackets": lambda messages: "[" * 10_000 + "{" * 10_000,
}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("reply", MODELS.values(), ids=MODELS)
def test_bounds_are_kept(strategy: StrategyName, reply: Callable[[Sequence[Message]], Any]) -> None:
    """[LOOP-STRATEGY]: at most `attempts` replies a stage, a second look among them."""
    model = Recorded(reply)
    found = reasoned(strategy, model, attempts=2, k=1)
    assert 1 <= len(model.asked) <= most_requests(strategy, 2)
    assert all(stages(found).count(each) <= 2 for each in stages(found))
    assert (found.report is None) <= (found.verdict == "unknown")
    # What would come back is not asked for again.
    assert reply not in (MODELS["nobody"], MODELS["refusals"]) or len(model.asked) == 1


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_safe_fixes_and_a_second_look_are_those_of_the_loop(strategy: StrategyName) -> None:
    """[LOOP-STRATEGY]"""
    mended = GOOD[:-1] + ",}"
    open_ = json.dumps({**EXAMPLE.program, "knowledge_base": []})

    def reply(messages: Sequence[Message]) -> str:
        said = str(messages[-1].content)
        if "The solvers say: undetermined" in said:
            return mended
        answers = {
            "Look for mistakes": STANDS,
            "smaller ones": ASKED,
            "Take a question apart": OUTLINED,
        }
        return next((answers[each] for each in answers if each in said), open_)

    model = Recorded(reply)
    found = reasoned(strategy, model, k=1)
    assert found.verdict == "refuted" and stages(found)[-1] == "second look"
    assert found.attempts[-1].mended == 1 and '"could_be_true"' in last(model, -1)


@pytest.mark.parametrize("strategy", ["plain", "decomposed", "least-to-most"])
def test_a_second_look_has_the_attempts_that_are_left(strategy: StrategyName) -> None:
    """[LOOP-STRATEGY]: those of the stage that wrote the program; here none."""
    programs = iter([BAD, json.dumps({**EXAMPLE.program, "knowledge_base": []})])

    def reply(messages: Sequence[Message]) -> str:
        said = messages[-1].text
        answers = {"smaller ones": json.dumps({"questions": [QUESTION]}), "Take a question apart": OUTLINED}
        return next((answers[each] for each in answers if each in said), "") or next(programs)

    found = reasoned(strategy, Recorded(reply), attempts=2)
    assert found.verdict == "undetermined" and stages(found)[-2:] == ["program", "program"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_endpoint_without_schemas(strategy: StrategyName) -> None:
    """[LOOP-STRUCTURED]: it is asked without from then on, in each stage."""
    replies = iter([EndpointError("rejected", "no schemas")])
    model = Recorded(lambda messages: next(replies, GOOD))
    reasoned(strategy, model, k=1, attempts=3)
    assert [each.settings["schema"] is None for each in model.asked] == [
        False,
        *[True] * (len(model.asked) - 1),
    ]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_samples_have_seeds_of_their_own(strategy: StrategyName) -> None:
    """[LOOP-SEED]: whatever the number of stages."""
    model = Recorded(lambda messages: BAD)
    reasoned(strategy, model, k=3, attempts=2, seed=5, parallel=1)
    seeds = [each.settings["seed"] for each in model.asked]
    assert len(set(seeds)) == len(seeds)
    assert {5 + number * most_requests(strategy, 2) for number in range(3)} <= set(seeds)


PARTS = st.sampled_from(
    [
        GOOD,
        BAD,
        STANDS,
        FOUND,
        OUTLINED,
        ASKED,
        ADDED,
        "{",
        '{"',
        '"findings": [',
        "</think>",
        "\ud800",
        "\x00",
        "]}",
        "\n",
    ]
)
REPLIES = st.lists(PARTS, max_size=4).map("".join) | st.text(max_size=20)


def check_any_replies(strategy: StrategyName, replies: list[str]) -> None:
    """[LOOP-STRATEGY]: whatever a model replies, the result has the form of its schema."""
    rest = iter(replies)
    model = Recorded(lambda messages: next(rest, "?"))
    found = reasoned(strategy, model, attempts=2, k=1, trust="solver")
    assert len(model.asked) <= most_requests(strategy, 2)
    assert (found.report is None) <= (found.verdict == "unknown")


ANY = Property(
    lambda case: check_any_replies(*case),
    st.tuples(st.sampled_from(STRATEGIES[2:]), st.lists(REPLIES, max_size=6)),
    quick=12,
)
test_any_replies, test_any_replies_deeply = ANY.tests()


def test_an_unknown_strategy() -> None:
    """[LOOP-STRATEGY]: before anything is asked."""
    model = Recorded([])
    with pytest.raises(ValueError, match="least-to-most"):
        potlang.reason("q", model, strategy="graph")  # type: ignore[arg-type]
    assert model.asked == [] and MOST_REFINEMENTS == 2


def test_the_command(tmp_path: Path) -> None:
    """[LOOP-CLI], [LOOP-STRATEGY]: the stages are told while the model works."""
    replies = [WRONG, "{}", FOUND, BAD, GOOD, STANDS]
    transcript = tmp_path / "transcript.json"
    with ChatServer([Answer(each) for each in replies]) as server:
        place = ("--model", "m", "--base-url", server.base_url, "--transcript", str(transcript))
        command = [sys.executable, "-m", "potlang", "reason", QUESTION, "--strategy", "self-refine", *place]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1 and "Rex has fur: refuted" in done.stdout
    assert [each.rpartition(" (")[0] for each in done.stderr.splitlines()] == [
        "a program",
        "critique 1: there is no `findings` in it",
        "critique 1: accepted",
        "rewrite 1: the program has 1 error",
        "rewrite 1: accepted",
        "critique 2: accepted",
    ]
    value = json.loads(transcript.read_text(encoding="utf-8"))
    transcript_schema("reasoned-1").validate(value)
    assert value["strategy"] == "self-refine"


def test_the_command_has_no_strategies_of_traces() -> None:
    """[LOOP-DOT-CLI]"""
    command = [sys.executable, "-m", "potlang", "reason", "q", "--as", "dot", "--strategy", "decomposed"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2 and "--strategy means nothing" in done.stderr
