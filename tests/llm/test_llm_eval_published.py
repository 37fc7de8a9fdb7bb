"""Published data sets in their shapes, with texts of our own."""

from __future__ import annotations

import io
import json
from typing import Any

import click
import pytest

from potlang.cli.eval import eval_
from potlang.models.evaluation import Asks, DataFiles, OtherColumns, Question, read_questions
from potlang.models.evaluation import records as records_module
from potlang.models.evaluation.published import DATA_SETS

YES, THREE, OPTIONS = Asks.YES_NO, Asks.THREE, Asks.OPTIONS


def read(*files: Any, data_set: str | None = None) -> DataFiles:
    """The questions of files, given as values, or as bytes."""
    data = [each if isinstance(each, bytes) else json.dumps(each, indent=1).encode() for each in files]
    return read_questions([(f"{at}.json", io.BytesIO(each)) for at, each in enumerate(data)], data_set)


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in values)


STRATEGYQA = [
    {
        "qid": "a1",
        "term": "Kite",
        "description": "a toy",
        "question": "Could a kite fly on the moon?",
        "answer": False,
        "facts": ["Kites need wind.", "The moon has no air."],
        "decomposition": ["What do kites need?", "Is #1 on the moon?"],
        "evidence": [[[["Kite-1"]]], [["no_evidence"]]],
    }
]
FOLIO = {
    "premises": ["All cups are round.", "Tom's cup is a cup."],
    "premises-FOL": ["∀x (Cup(x) → Round(x))", "Cup(tom)"],
    "conclusion": "Tom's cup is blue.",
    "conclusion-FOL": "Blue(tom)",
    "label": "Uncertain",
}
FOLIO_2 = {**FOLIO, "premises": "\n".join(FOLIO["premises"]), "story_id": 7, "example_id": 19}
PROOFWRITER = {
    "id": "AttNoneg-OWA-D1-7",
    "maxD": 1,
    "NFact": 1,
    "NRule": 1,
    "theory": "Tim is tall. All tall people are kind.",
    "triples": {"triple1": {"text": "Tim is tall.", "representation": '("Tim" "is" "tall" "+")'}},
    "questions": {
        "Q1": {"question": "Tim is kind.", "answer": True, "QDep": 1, "strategy": "proof"},
        "Q2": {"question": "Tim is not kind.", "answer": False, "QDep": 1, "strategy": "inv-proof"},
        "Q3": {"question": "Tim is old.", "answer": "Unknown", "QDep": 0, "strategy": "random"},
    },
}
PROOFWRITER_CWA = {
    **PROOFWRITER,
    "id": "AttNoneg-CWA-D1-7",
    "questions": {"Q1": {"question": "Tim is old.", "answer": False, "strategy": "rconc"}},
}
PROOFWRITER_FLAT = [
    {"id": "AttNoneg-OWA-D1-7", "theory": "Tim is tall.", "question": "Tim is tall.", "answer": "True"},
    {"id": "AttNoneg-OWA-D1-7", "theory": "Tim is tall.", "question": "Tim is old.", "answer": "Unknown"},
]
SHOWN = {"question": "Each dax is red. Al is a dax.", "chain_of_thought": ["Al is a dax.", "Al is red."]}
PRONTOQA = {
    "example1": {
        "in_context_example0": {**SHOWN, "query": "True or false: Al is red.", "answer": "True"},
        "test_example": {**SHOWN, "query": "True or false: Al is not red.", "answer": "False"},
    },
    "example2": {
        "in_context_example0": {**SHOWN, "query": "Prove: Al is red."},
        "test_example": {**SHOWN, "query": "Prove: Al is red."},
    },
}
DOCUMENTS = [
    {
        "title": "Renting a boat",
        "url": "https://example.org/boats",
        "contents": [
            "<h1>Who may rent</h1>",
            "<p>You must be <b>16</b> or older.</p>",
            "<ul>",
            "<li>Bring a &lt;valid&gt; card.</li>",
        ],
    }
]


def asked(number: int, answers: list[Any], **more: Any) -> dict[str, Any]:
    return {
        "url": "https://example.org/boats",
        "scenario": "I am 17.",
        "question": "May I rent a boat?",
        "not_answerable": not answers,
        "answers": answers,
        "evidences": ["<p>You must be 16 or older.</p>"],
        "id": f"dev-{number}",
        **more,
    }


CONDITIONALQA = [
    asked(0, [["yes", []]]),
    asked(1, [["no", []]]),
    asked(2, [["yes", ["<li>Bring a card.</li>"]]]),
    asked(3, [["yes", []], ["no", ["<li>Bring a card.</li>"]]]),
    asked(4, [["16 or older", []]]),
    asked(5, []),
]
PLACES = ["Ann is first.", "Ben is first.", "Cleo is first."]
PUZZLE = "Ann, Ben and Cleo stand in a row. Ann is before Ben, and Ben is before Cleo."
ARLSAT = [
    {
        "id": "900001_1-G_1",
        "passage": PUZZLE,
        "questions": [
            {
                "id": "900001_1-G_1_1",
                "question": "Who must be first?",
                "options": PLACES,
                "answer": "A",
                "isExcept": "",
            },
            {"id": "900001_1-G_1_2", "question": "Who cannot be last?", "options": PLACES, "answer": 1},
        ],
    }
]
ARLSAT_ROWS = [
    {
        "context": PUZZLE,
        "question": "Who must be first?",
        "answers": PLACES,
        "label": 0,
        "id_string": "900001_1-G_1_1",
    }
]
BIGBENCH = {
    "name": "logical_deduction",
    "description": "Order of things",
    "metrics": ["multiple_choice_grade"],
    "examples": [{"input": PUZZLE, "target_scores": {PLACES[1]: 0, PLACES[0]: 1, PLACES[2]: 0}}],
}


def flat(key: str, options: list[str], answer: str) -> dict[str, Any]:
    lettered = [f"{'ABCDEFG'[at]}) {each}" for at, each in enumerate(options)]
    return {"id": key, "context": PUZZLE, "question": "Which?", "options": lettered, "answer": answer}


FLAT = [
    flat("ProntoQA_3", ["True", "False"], "B"),
    flat("FOLIO_dev_3", ["True", "False", "Uncertain"], "C"),
    flat("ProofWriter_x_Q1", ["True", "False", "Unknown"], "A"),
    flat("logical_deduction_3", PLACES, "A"),
    flat("ar_lsat_9", PLACES, "C"),
]
CASES = {
    "strategyqa": ([STRATEGYQA], [("strategyqa", YES, "false")]),
    "folio": ([lines(FOLIO)], [("folio", THREE, "uncertain")]),
    "folio, the second version": ([lines(FOLIO_2)], [("folio", THREE, "uncertain")]),
    "proofwriter, open world": (
        [lines(PROOFWRITER)],
        [("proofwriter", THREE, each) for each in ("true", "false", "uncertain")],
    ),
    "proofwriter, closed world": ([lines(PROOFWRITER_CWA)], [("proofwriter", YES, "false")]),
    "proofwriter, flat": (
        [PROOFWRITER_FLAT],
        [("proofwriter", THREE, each) for each in ("true", "uncertain")],
    ),
    "prontoqa": ([PRONTOQA], [("prontoqa", YES, each) for each in ("false", "true")]),
    "conditionalqa": (
        [CONDITIONALQA, DOCUMENTS],
        [("conditionalqa", YES, each) for each in ("true", "false")],
    ),
    "ar-lsat": ([ARLSAT], [("ar-lsat", OPTIONS, each) for each in "AB"]),
    "ar-lsat, rows": ([ARLSAT_ROWS], [("ar-lsat", OPTIONS, "A")]),
    "logicaldeduction": ([BIGBENCH], [("logicaldeduction", OPTIONS, "B")]),
    "flat": (
        [FLAT],
        [
            ("prontoqa", YES, "false"),
            ("folio", THREE, "uncertain"),
            ("proofwriter", THREE, "true"),
            ("logicaldeduction", OPTIONS, "A"),
            ("ar-lsat", OPTIONS, "C"),
        ],
    ),
}


def kinds(questions: list[Question]) -> list[tuple[str, Asks | None, str]]:
    return [(each.family, each.asks, str(each.answer)) for each in questions]


@pytest.mark.parametrize("name", CASES)
def test_published_shapes_are_recognized(name: str) -> None:
    """[EVAL-PUBLISHED], [EVAL-FILE]: by their columns, and by name."""
    files, expected = CASES[name]
    found = read(*files)
    assert (kinds(found.questions), found.problems) == (expected, [])
    if name != "flat":
        assert read(*files, data_set=name.split(",")[0]) == found
    assert all(each.text and each.id.startswith(f"{each.family}/") for each in found.questions)


def test_texts_have_what_the_question_needs() -> None:
    """[EVAL-PUBLISHED]"""
    (strategy,) = read(STRATEGYQA).questions
    assert strategy.text == "Could a kite fly on the moon?"
    (folio,) = read(lines(FOLIO)).questions
    assert "All cups are round.\nTom's cup is a cup." in folio.text and "Tom's cup is blue." in folio.text
    assert "cannot be derived" in read(lines(PROOFWRITER_CWA)).questions[0].text
    assert "cannot be derived" not in read(lines(PROOFWRITER)).questions[0].text
    pronto = read(PRONTOQA).questions
    assert pronto[0].text.endswith("Al is not red.") and "True or false" not in pronto[0].text
    deduction = read(BIGBENCH).questions[0]
    assert f"A) {PLACES[1]}\nB) {PLACES[0]}" in deduction.text
    assert [each.label for each in deduction.options] == ["A", "B", "C"]


def test_documents_stand_before_their_questions() -> None:
    """[EVAL-PUBLISHED], [EVAL-APART]: in whichever file they are; what no verdict answers is counted."""
    for files in ([CONDITIONALQA, DOCUMENTS], [DOCUMENTS, CONDITIONALQA]):
        found = read(*files)
        assert dict(found.apart) == {
            "answer with conditions": 2,
            "extractive answer": 1,
            "not answerable": 1,
        }
        assert found.questions[0].text.startswith(
            "Renting a boat\n# Who may rent\nYou must be 16 or older.\n- Bring a <valid> card.\n\n"
        )
    with pytest.raises(OtherColumns, match="about documents"):
        read(CONDITIONALQA)
    other = [asked(9, [["yes", []]], url="https://example.org/other")]
    found = read(other, DOCUMENTS)
    assert (found.questions, str(found.problems[0])) == (
        [],
        "0.json, item 1: there is no document https://example.org/other",
    )


def test_questions_of_one_context_are_a_group() -> None:
    """[EVAL-PUBLISHED]"""
    for value in ([FOLIO, {**FOLIO, "conclusion": "Tom's cup is round."}], ARLSAT, PROOFWRITER_FLAT):
        assert len({each.group for each in read(value).questions}) == 1
    found = read([FOLIO, {**FOLIO, "premises": ["All cups are tall."]}]).questions
    assert len({each.group for each in found}) == 2


def test_ids_do_not_depend_on_the_place() -> None:
    """[EVAL-PUBLISHED]: of data sets without ids."""
    other = {**FOLIO, "conclusion": "Tom's cup is round.", "label": "True"}
    first = read(lines(FOLIO, other)).questions
    second = read(lines(other)).questions
    assert first[1] == second[0] and first[0].id != first[1].id


@pytest.mark.parametrize(
    ("value", "given", "needed"),
    [
        ([{"url": "u", "scenario": "s", "question": "q", "id": "1"}], "`scenario`", "`answers`"),
        ([{"qid": "1", "question": "q"}], "`qid`", "`answer`"),
        ({"a": 1}, "`a`", "strategyqa: `qid`, `question`, `answer`"),
        ([{}], "none", "Needed are"),
        ([{"\u202ex": 1}], "`\\u202ex`", "Needed are"),
    ],
)
def test_other_columns_are_named(value: Any, given: str, needed: str) -> None:
    """[EVAL-FILE]"""
    with pytest.raises(OtherColumns) as caught:
        read(value)
    assert given in str(caught.value) and needed in str(caught.value)


def test_a_named_data_set_needs_its_columns() -> None:
    """[EVAL-FILE]"""
    with pytest.raises(OtherColumns) as caught:
        read(STRATEGYQA, data_set="folio")
    assert "`premises`, `conclusion`, `label`" in str(
        caught.value
    ) and "qid`, `question`, `answer`\n" not in str(caught.value)


WRONG: list[tuple[Any, str]] = [
    ({**STRATEGYQA[0], "answer": "perhaps"}, "the answer 'perhaps'"),
    ({**STRATEGYQA[0], "question": " "}, "`question` is no text"),
    ({**STRATEGYQA[0], "qid": 3}, "`qid` is no text"),
    ({**FOLIO, "label": None}, "the answer None"),
    ({**FOLIO, "premises": []}, "`premises` is no list of texts"),
    ({**PROOFWRITER, "questions": []}, "`questions` is no object"),
    ({"test_example": {"question": "q", "query": "Al is red."}}, "`query` begins neither"),
    ({"test_example": {"question": "q", "query": "True or false: Al is red."}}, "there is no `answer`"),
    (asked(0, [["yes"]]), "`answers` is no list of answers"),
    (
        {**ARLSAT[0], "questions": [{"id": "1", "question": "q", "options": PLACES, "answer": "F"}]},
        "none of the",
    ),
    ({**ARLSAT_ROWS[0], "label": 5}, "the answer is none of the options"),
    ({**ARLSAT_ROWS[0], "answers": ["x"]}, "there are 1 options"),
    ({**BIGBENCH["examples"][0], "target_scores": {"a": 1, "b": 1}}, "not one right answer"),
    ({**FLAT[0], "options": ["True", "False"]}, "the options do not begin with"),
    ({**FLAT[0], "answer": "True"}, "neither a number nor a letter"),
    ({**STRATEGYQA[0], "question": "q" * 200_001}, "more than 200,000 characters"),
]


@pytest.mark.parametrize(("value", "message"), WRONG, ids=[each for _, each in WRONG])
def test_items_that_are_no_question(value: Any, message: str) -> None:
    """[EVAL-DATASET]: the others of the file are read."""
    found = read([value])
    assert not found.questions and message in str(found.problems[0])


def test_a_record_without_the_columns_of_the_others() -> None:
    """[EVAL-FILE], [EVAL-DATASET]"""
    found = read(lines({"x": 1}, *STRATEGYQA, {"qid": "b"}))
    assert len(found.questions) == 1
    assert [(each.line, each.message) for each in found.problems] == [
        (1, "it has not the columns of strategyqa"),
        (3, "there is no `question`"),
    ]


def test_large_files_are_read_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """[EVAL-FILE]: one value has a greatest size, lines have none."""
    rows = [{**STRATEGYQA[0], "qid": str(at)} for at in range(9)]
    monkeypatch.setattr(records_module, "LARGEST_WHOLE", 1000)
    assert len(lines(*rows)) > 2000
    assert len(read(lines(*rows)).questions) == 9
    found = read(rows)
    assert not found.questions and found.problems[0].message.startswith("not JSON")


def test_the_command_names_the_data_sets_that_there_are() -> None:
    """[EVAL-FILE]: it lists them by itself, so that its help needs no reader."""
    (option,) = (each for each in eval_.params if each.name == "data_set")
    assert isinstance(option.type, click.Choice) and [*option.type.choices] == [*DATA_SETS]
