"""Published data sets, each in the shape in which it is published ([EVAL-PUBLISHED]).

A `DataSet` has forms; a form knows its columns, and makes questions of a record that has them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html.parser import HTMLParser
from string import ascii_uppercase
from typing import Any, Final, NamedTuple

from potlang.models.evaluation.questions import (
    Asks,
    BadLine,
    Option,
    Question,
    Truth,
    id_of,
    name_of,
    question_of,
    truth_of,
)
from potlang.report.results import Verdict

Row = Mapping[str, Any]

STATEMENT: Final = {
    Asks.YES_NO: "Is the following statement true or false?",
    Asks.THREE: "Based on the above alone, is the following statement true, false, or uncertain?",
}
_CLOSED_WORLD: Final = (
    "What cannot be derived from the above is false, and a negated condition holds if what it negates cannot "
    "be derived."
)
_CHOSEN: Final = frozenset({Verdict.ENTAILED})


class Apart(NamedTuple):
    """A question of a data set that no verdict answers, with the reason; it is counted apart."""

    reason: str


class Form(NamedTuple):
    """A shape of records: the columns that they have, and the questions in one of them.

    `read` raises BadLine. `is_about_documents`: the group of a question is the address of the document that
    belongs before its text.
    """

    columns: tuple[str, ...]
    read: Callable[[Row], Iterator[Question | Apart]]
    is_about_documents: bool = False

    def fits(self, row: Row) -> bool:
        """Whether a record has the columns."""
        return all(column in row for column in self.columns)


# --- parts of records ------------------------------------------------------------------------------


def _text(row: Row, column: str) -> str:
    value = row.get(column)
    if not isinstance(value, str) or not value.strip():
        raise BadLine(f"`{column}` is no text")
    return value


def _texts(row: Row, column: str) -> list[str]:
    value = row.get(column)
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        raise BadLine(f"`{column}` is no list of texts")
    return value


def _items(row: Row, column: str) -> list[dict[str, Any]]:
    value = row.get(column)
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise BadLine(f"`{column}` is no list of objects")
    return value


def _digest(*parts: str) -> str:
    """A short name for texts that have none: it stays where lines are sorted or left out."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _lines(*parts: str) -> str:
    return "\n\n".join(part.strip() for part in parts if part.strip())


def _choice(texts: Sequence[str], right: int) -> tuple[Asks, Truth | str, tuple[Option, ...]]:
    """The kind of answer that is asked for: a truth, where the given answers are such, or an option."""
    if not 2 <= len(texts) <= len(ascii_uppercase):
        raise BadLine(f"there are {len(texts)} options")
    if not 0 <= right < len(texts):
        raise BadLine("the answer is none of the options")
    try:
        truths = [truth_of(text.strip(" .")) for text in texts]
    except BadLine:
        labels = ascii_uppercase[: len(texts)]
        return Asks.OPTIONS, labels[right], tuple(Option(each, each, _CHOSEN) for each in labels)
    return Asks.THREE if Truth.UNCERTAIN in truths else Asks.YES_NO, truths[right], ()


def _chosen(
    family: str, key: str, group: str, parts: Sequence[str], texts: Sequence[str], right: int
) -> Question:
    """A question with answers to choose from, which its text lists unless they are truths."""
    asks, answer, options = _choice(texts, right)
    listed = [f"{option.label}) {text}" for option, text in zip(options, texts, strict=False)]
    return Question(
        f"{family}/{key}", _lines(*parts, "\n".join(listed)), answer, family, group, options, asks=asks
    )


# --- the data sets ---------------------------------------------------------------------------------


def _strategyqa(row: Row) -> Iterator[Question]:
    key = _text(row, "qid")
    answer = truth_of(row["answer"])
    # Its facts and steps are those of the answer: the question alone is asked.
    yield Question(f"strategyqa/{key}", _text(row, "question"), answer, "strategyqa", key, asks=Asks.YES_NO)


def _folio(row: Row) -> Iterator[Question]:
    premises = row["premises"]
    context = premises if isinstance(premises, str) else "\n".join(_texts(row, "premises"))
    conclusion = _text(row, "conclusion")
    key = row.get("example_id", _digest(context, conclusion))
    story = row.get("story_id", _digest(context))
    text = _lines(context, STATEMENT[Asks.THREE], conclusion)
    answer = truth_of(row["label"])
    yield Question(f"folio/{key}", text, answer, "folio", f"folio/{story}", asks=Asks.THREE)


def _proofwriter(row: Row) -> Iterator[Question]:
    key = id_of(row)
    asked = row["questions"]
    if not isinstance(asked, dict) or not all(isinstance(each, dict) for each in asked.values()):
        raise BadLine("`questions` is no object of objects")
    is_open = _is_open_world(key, [each.get("answer") for each in asked.values()])
    for name, each in asked.items():
        yield _derivation(key, f"{key}_{name}", _text(row, "theory"), each, is_open)


def _proofwriter_flat(row: Row) -> Iterator[Question]:
    statement = _text(row, "question")
    key = id_of(row) if "id" in row else _digest(_text(row, "theory"))
    # The rows of one theory have the same id.
    number = _digest(statement)
    yield _derivation(key, f"{key}_{number}", _text(row, "theory"), row, _is_open_world(key, [row["answer"]]))


def _is_open_world(key: str, answers: Sequence[Any]) -> bool:
    return "OWA" in key or ("CWA" not in key and any(str(each).lower() == "unknown" for each in answers))


def _derivation(group: str, key: str, theory: str, each: Row, is_open: bool) -> Question:
    asks = Asks.THREE if is_open else Asks.YES_NO
    world = "" if is_open else _CLOSED_WORLD
    text = _lines(theory, world, STATEMENT[asks], _text(each, "question"))
    return Question(f"proofwriter/{key}", text, truth_of(each.get("answer")), "proofwriter", group, asks=asks)


_PRONTO_QUERY: Final = re.compile(r"\s*(true or false|prove):\s*(.+?)\s*", re.IGNORECASE | re.DOTALL)


def _prontoqa(row: Row) -> Iterator[Question]:
    example = row["test_example"]
    if not isinstance(example, dict):
        raise BadLine("`test_example` is no object")
    asked = _PRONTO_QUERY.fullmatch(_text(example, "query"))
    if asked is None:
        raise BadLine("`query` begins neither with `True or false:` nor with `Prove:`")
    context = _text(example, "question")
    # A statement to be proved has no answer beside it: there is a proof.
    answer = truth_of(example["answer"]) if "answer" in example else Truth.TRUE
    if "answer" not in example and asked[1].lower() != "prove":
        raise BadLine("there is no `answer`")
    text = _lines(context, STATEMENT[Asks.YES_NO], asked[2])
    key = _digest(text)
    yield Question(f"prontoqa/{key}", text, answer, "prontoqa", key, asks=Asks.YES_NO)


def _conditionalqa(row: Row) -> Iterator[Question | Apart]:
    answers = row["answers"]
    if not isinstance(answers, list) or not all(_is_answer(each) for each in answers):
        raise BadLine("`answers` is no list of answers with their conditions")
    stated = [text.strip().lower() for text, _ in answers]
    if not answers:
        yield Apart("not answerable")
    elif any(each not in ("yes", "no") for each in stated):
        yield Apart("extractive answer")
    elif len(answers) > 1 or answers[0][1]:
        yield Apart("answer with conditions")
    else:
        text = _lines(f"The situation: {_text(row, 'scenario')}", _text(row, "question"))
        key, address = id_of(row), name_of("`url`", row["url"])
        yield Question(
            f"conditionalqa/{key}", text, truth_of(stated[0]), "conditionalqa", address, asks=Asks.YES_NO
        )


def _is_answer(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], str)
        and isinstance(value[1], list)
    )


def document(row: Row) -> tuple[str, str]:
    """The address and the text of a document of ConditionalQA, without its tags. Raises BadLine."""
    parts = [_text(row, "title"), *map(_plain, _texts(row, "contents"))]
    return name_of("`url`", row["url"]), "\n".join(filter(None, parts))


class _Texts(HTMLParser):
    """The texts between tags."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def handle_data(self, data: str) -> None:
        """Keeps a text."""
        self.texts.append(data)


def _plain(html: str) -> str:
    parser = _Texts()
    parser.feed(html)
    parser.close()
    sign = "- " if html.startswith("<li") else "# " if html.startswith("<h") else ""
    text = " ".join("".join(parser.texts).split())
    return sign + text if text else ""


def _arlsat(row: Row) -> Iterator[Question]:
    passage = _text(row, "passage")
    group = id_of(row) if "id" in row else _digest(passage)
    for each in _items(row, "questions"):
        yield _reading(group, id_of(each), passage, each, _texts(each, "options"), each.get("answer"))


def _arlsat_row(row: Row) -> Iterator[Question]:
    context = _text(row, "context")
    key = name_of("`id_string`", row["id_string"])
    yield _reading(key.rpartition("_")[0] or key, key, context, row, _texts(row, "answers"), row["label"])


def _reading(group: str, key: str, passage: str, row: Row, options: Sequence[str], right: Any) -> Question:
    question = _text(row, "question")
    return _chosen("ar-lsat", key, group, (passage, question), options, _index(right))


def _index(right: Any) -> int:
    """The number of an option from 0, given as that or as its letter."""
    if isinstance(right, int) and not isinstance(right, bool):
        return right
    if not isinstance(right, str) or len(right.strip()) != 1:
        raise BadLine(f"the answer {right!r:.100} is neither a number nor a letter")
    return ascii_uppercase.find(right.strip().upper())


def _bigbench(row: Row) -> Iterator[Question]:
    text, scores = _text(row, "input"), row["target_scores"]
    if not isinstance(scores, dict) or [*scores.values()].count(1) != 1:
        raise BadLine("`target_scores` has not one right answer")
    texts = [*scores]
    right = next(at for at, score in enumerate(scores.values()) if score == 1)
    key = _digest(text, *sorted(texts))
    parts = (text, "Which one of these is true?")
    yield _chosen("logicaldeduction", key, key, parts, texts, right)


_LETTER: Final = re.compile(r"\s*\(?([A-Z])[).:]\s*(.*)", re.DOTALL)
_NAMED: Final = {
    "ar_lsat": "ar-lsat",
    "folio": "folio",
    "logical_deduction": "logicaldeduction",
    "prontoqa": "prontoqa",
    "proofwriter": "proofwriter",
}


def _flat(row: Row) -> Iterator[Question]:
    key = id_of(row)
    context = _text(row, "context")
    lettered = [_LETTER.fullmatch(each) for each in _texts(row, "options")]
    letters = [each[1] if each else "" for each in lettered]
    if "".join(letters) != ascii_uppercase[: len(letters)]:
        raise BadLine("the options do not begin with `A)`, `B)` and so on")
    texts = [each[2] for each in lettered if each]
    family = next((name for begin, name in _NAMED.items() if key.lower().startswith(begin)), "flat")
    parts = (context, _text(row, "question"))
    yield _chosen(family, key, _digest(context), parts, texts, _index(row["answer"]))


def _own(row: Row) -> Iterator[Question]:
    yield question_of(row)


FLAT: Final = Form(("context", "question", "options", "answer"), _flat)
DOCUMENTS: Final = Form(("url", "title", "contents"), lambda row: iter(()))
POTLANG: Final = "potlang"
DATA_SETS: Final[Mapping[str, tuple[Form, ...]]] = {
    "strategyqa": (Form(("qid", "question", "answer"), _strategyqa),),
    "folio": (Form(("premises", "conclusion", "label"), _folio), FLAT),
    "proofwriter": (
        Form(("theory", "questions"), _proofwriter),
        Form(("theory", "question", "answer"), _proofwriter_flat),
        FLAT,
    ),
    "prontoqa": (Form(("test_example",), _prontoqa), FLAT),
    "conditionalqa": (
        Form(("url", "scenario", "question", "answers"), _conditionalqa, is_about_documents=True),
        DOCUMENTS,
    ),
    "ar-lsat": (
        Form(("passage", "questions"), _arlsat),
        Form(("context", "question", "answers", "label", "id_string"), _arlsat_row),
        FLAT,
    ),
    "logicaldeduction": (Form(("input", "target_scores"), _bigbench), FLAT),
    POTLANG: (Form(("id", "answer"), _own), Form(("id", "gold"), _own)),
}
"""Data sets by name, with their forms; where several fit a record, the first of the first is meant."""


def data_set_of(row: Row) -> str | None:
    """The name of the data set whose columns a record has; None if there is none."""
    return next((name for name in DATA_SETS if form_of(row, name) is not None), None)


def form_of(row: Row, data_set: str) -> Form | None:
    """The form of a record of a data set; None if it has the columns of none."""
    for form in DATA_SETS[data_set]:
        if form.fits(row) and (form is not FLAT or _is_flat(row)):
            return form
    return None


def _is_flat(row: Row) -> bool:
    """Potlang's own records may have these columns too, but options that are objects."""
    options = row["options"]
    return isinstance(options, list) and all(isinstance(each, str) for each in options)
