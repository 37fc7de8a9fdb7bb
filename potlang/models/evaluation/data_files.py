"""Questions and recorded attempts from files: the shape of each is found from its columns ([EVAL-FILE])."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, Final, NamedTuple

from potlang.diag.wording import visible
from potlang.models.evaluation.published import (
    DATA_SETS,
    DOCUMENTS,
    Apart,
    Form,
    data_set_of,
    document,
    form_of,
)
from potlang.models.evaluation.questions import (
    LONGEST_NAME,
    MOST_ATTEMPTS,
    BadLine,
    Question,
    RecordedProgram,
    attempts_of,
    id_of,
)
from potlang.models.evaluation.records import DataRecord, LineProblem, read_records
from potlang.models.loop.sampler import LONGEST_QUESTION

_SHOWN: Final = 20
_LOOKED_AT: Final = 1000
"""Records of a file none of which has the columns of a data set: then no further one is read."""

Files = Iterable[tuple[str, BinaryIO]]
"""Files by their names."""


class OtherColumns(ValueError):
    """A file whose records have the columns of no data set, or questions without their documents."""


class DataFiles(NamedTuple):
    """The questions of some files, the lines without one, and how many are counted apart, by reason."""

    questions: list[Question]
    problems: list[LineProblem]
    apart: Counter[str]


def read_questions(files: Files, data_set: str | None = None) -> DataFiles:
    """The questions of several files in order; `data_set` is the name of the one that they are of.

    An id may occur once; the second is a problem. Raises OtherColumns for a file that has the columns of no
    data set, and for questions about documents without any of these.
    """
    reader = _QuestionReader(data_set)
    for name, stream in files:
        reader.read(name, stream)
    return reader.finished()


class _QuestionReader:
    def __init__(self, data_set: str | None) -> None:
        self._data_set = data_set
        self._found: dict[str, tuple[Question, LineProblem | None]] = {}
        self._documents: dict[str, str] = {}
        self._problems: list[LineProblem] = []
        self._apart = Counter[str]()

    def read(self, name: str, stream: BinaryIO) -> None:
        """Reads a file. Raises OtherColumns."""
        data_set: str | None = None
        others: list[DataRecord] = []
        for record in read_records(stream):
            if record.value is None:
                self._problem(name, record, record.problem)
                continue
            data_set = data_set or self._recognized(record.value)
            if data_set is None:
                others.append(record)
                if len(others) == _LOOKED_AT:
                    break
                continue
            try:
                self._take(name, record, _form(record.value, data_set))
            except BadLine as error:
                self._problem(name, record, str(error))
        if data_set is None and others:
            raise OtherColumns(_columns(name, others[0], self._data_set))
        for each in others:
            self._problem(name, each, f"it has not the columns of {data_set}")

    def _recognized(self, row: dict[str, Any]) -> str | None:
        if self._data_set is None:
            return data_set_of(row)
        return None if form_of(row, self._data_set) is None else self._data_set

    def finished(self) -> DataFiles:
        """All that was read. Raises OtherColumns where documents are missing."""
        about = [each for each, place in self._found.values() if place is not None]
        if about and not self._documents:
            raise OtherColumns(
                "the questions are about documents: give the file with these too (records of "
                f"{_listed(DOCUMENTS.columns)})"
            )
        questions = []
        for question, place in self._found.values():
            if place is None:
                questions.append(question)
            elif question.group in self._documents:
                text = f"{self._documents[question.group]}\n\n{question.text}"
                questions.append(question._replace(text=text))
            else:
                self._problems.append(place)
        return DataFiles(questions, sorted(self._problems), self._apart)

    def _take(self, name: str, record: DataRecord, form: Form) -> None:
        assert record.value is not None
        if form is DOCUMENTS:
            address, text = document(record.value)
            self._documents[address] = text
            return
        for each in form.read(record.value):
            if isinstance(each, Apart):
                self._apart[each.reason] += 1
                continue
            place = None
            if form.is_about_documents:
                message = f"there is no document {visible(each.group)}"
                place = LineProblem(name, record.number, message, record.unit)
            self._keep(each, place)

    def _keep(self, question: Question, place: LineProblem | None) -> None:
        if len(question.text) > LONGEST_QUESTION:
            raise BadLine(f"the question has more than {LONGEST_QUESTION:,} characters")
        if len(question.id) > LONGEST_NAME + 50:
            raise BadLine(f"the id has more than {LONGEST_NAME} characters")
        if question.id in self._found:
            raise BadLine(f"the id {question.id!r} occurs twice")
        self._found[question.id] = question, place

    def _problem(self, name: str, record: DataRecord, message: str) -> None:
        self._problems.append(LineProblem(name, record.number, message, record.unit))


def _form(row: dict[str, Any], data_set: str) -> Form:
    """The form of a record among others of a data set. Raises BadLine."""
    form = form_of(row, data_set)
    if form is None:
        missing = next((each for each in DATA_SETS[data_set][0].columns if each not in row), "options")
        raise BadLine(f"there is no `{missing}`")
    return form


def _columns(name: str, record: DataRecord, data_set: str | None) -> str:
    """Why a file is not read: the columns that it has, and those that are needed."""
    assert record.value is not None
    given = _listed([visible(each[:LONGEST_NAME]) for each in record.value][:_SHOWN]) or "none"
    place = f"{record.unit} {record.number}"
    lines = [f"{name} has the columns of no data set that is known; {place} has {given}. Needed are:"]
    for known, forms in DATA_SETS.items():
        if data_set in (None, known):
            needed = dict.fromkeys(_listed(form.columns) for form in forms)
            lines.append(f"  {known}: {', or '.join(needed)}")
    return "\n".join(lines)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{each}`" for each in names)


def read_recorded(files: Files) -> tuple[dict[str, tuple[RecordedProgram, ...]], list[LineProblem]]:
    """Recorded attempts by the question's id, and a problem for each line that has none.

    Several lines for one id are further attempts, in order.
    """
    found: dict[str, tuple[RecordedProgram, ...]] = {}
    problems = []
    for name, record in _every_record(files):
        try:
            if record.value is None:
                raise BadLine(record.problem)
            attempts = attempts_of(record.value)
            if not attempts:
                raise BadLine("there is neither `attempts` nor `program`")
            key = id_of(record.value)
        except BadLine as error:
            problems.append(LineProblem(name, record.number, str(error), record.unit))
        else:
            found[key] = (*found.get(key, ()), *attempts)[:MOST_ATTEMPTS]
    return found, problems


def _every_record(files: Files) -> Iterator[tuple[str, DataRecord]]:
    for name, stream in files:
        for record in read_records(stream):
            yield name, record
