"""A results file: what was asked and answered, and how it was decided ([EVAL-KEPT], [EVAL-RESUME])."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from potlang.languages.dagmath.read.samples import read_lines
from potlang.models.endpoint import Completion
from potlang.models.evaluation.outcome import QuestionOutcome
from potlang.models.evaluation.questions import Asks, Option, Question, Truth
from potlang.models.loop.asking import Attempt
from potlang.models.loop.batched import BatchReply
from potlang.models.loop.journal import BadJournal, Journal
from potlang.models.loop.results import attempt_from_dict, attempt_to_dict
from potlang.report.results import Verdict
from potlang.source import InputLimits
from potlang.utils.closing import Closing

LINE_LIMITS: Final = InputLimits(bytes=256 * 1024 * 1024)
_LOOKED_AT: Final = 1000
UNREADABLE: Final = (ValueError, TypeError, KeyError, OverflowError, RecursionError)
_FIRST: Final = re.compile(rb'\{"kind": "(question|prompt|sample|outcome|batch|reply)", ')
_MOST_FIRST: Final = 40
_BEGINS: Final = (b'{"kind": "', b'{"id": "')
"""The beginnings of a line, of the form before this one too, which had outcomes alone."""


class KeptSample(NamedTuple):
    """The attempts at one program, whoever asked for them and when. `failure`: why they ended too early."""

    attempts: tuple[Attempt, ...]
    failure: str = ""


class KeptBatch(NamedTuple):
    """A batch that was handed in, and the names of its requests."""

    id: str
    names: tuple[str, ...]


Entry = KeptSample | KeptBatch | BatchReply | QuestionOutcome | Question | str


class ResultsFile(Closing):
    """The entries of a file, which is only appended to; with None for a path nothing is written.

    Raises BadJournal for a file of something else, which is left alone, and OSError. From several threads at
    once.
    """

    def __init__(self, path: Path | None) -> None:
        if path is not None and path.is_file():
            _refuse_others(path)
        self._journal: Journal[Entry] = Journal(path, read_entry, limits=LINE_LIMITS)
        self._batches: dict[str, str] = {}
        for each in self._journal.entries.values():
            if isinstance(each, KeptBatch):
                self._batches.update(dict.fromkeys(each.names, each.id))

    def close(self) -> None:
        """Close the file; nothing can be kept in it afterwards."""
        self._journal.close()

    @property
    def unreadable(self) -> int:
        """How many lines were passed over."""
        return self._journal.unreadable

    def sample(self, key: str, number: int) -> KeptSample | None:
        """The sample of this number, from 0, of what was asked under the key."""
        found = self._journal.entries.get(f"sample {key} {number}")
        return found if isinstance(found, KeptSample) else None

    def outcome(self, key: str) -> QuestionOutcome | None:
        """The outcome under this key."""
        found = self._journal.entries.get(f"outcome {key}")
        return found if isinstance(found, QuestionOutcome) else None

    def keep_sample(
        self, key: str, number: int, question: str, model: str, kept: KeptSample, *, system: str = ""
    ) -> None:
        """Adds a sample, for the question of this id, and once the system message of its attempts."""
        prompt = self._keep_prompt(system) if system else ""
        value = {
            "kind": "sample",
            "key": key,
            "number": number,
            "question": question,
            "model": model,
            "prompt": prompt,
            "failure": kept.failure,
            "attempts": [attempt_to_dict(each) for each in kept.attempts],
        }
        self._journal.append(f"sample {key} {number}", kept, value)

    def keep_outcome(self, outcome: QuestionOutcome) -> None:
        """Adds an outcome."""
        self._journal.append(f"outcome {outcome.key}", outcome, {"kind": "outcome", **outcome.to_dict()})

    def keep_question(self, question: Question) -> None:
        """Adds a question, unless the last one of this id is the same."""
        kept = question._replace(recorded=(), expected=())
        if self._journal.entries.get(f"question {question.id}") != kept:
            self._journal.append(f"question {question.id}", kept, _question_to_dict(kept))

    def batch_of(self, name: str) -> str | None:
        """The id of the last batch with the request of this name."""
        return self._batches.get(name)

    def names_in(self, batch: str) -> Sequence[str]:
        """The names of a batch's requests, in order; none for one that is not known."""
        found = self._journal.entries.get(f"batch {batch}")
        return found.names if isinstance(found, KeptBatch) else ()

    def reply(self, name: str) -> BatchReply | None:
        """The last outcome of a request in a batch."""
        found = self._journal.entries.get(f"reply {name}")
        return found if isinstance(found, BatchReply) else None

    def keep_batch(self, batch: str, names: Sequence[str]) -> None:
        """Adds a batch that was handed in."""
        self._batches.update(dict.fromkeys(names, batch))
        kept = KeptBatch(batch, tuple(names))
        self._journal.append(f"batch {batch}", kept, {"kind": "batch", "batch": batch, "requests": [*names]})

    def keep_reply(self, name: str, reply: BatchReply, failure: str = "") -> None:
        """Adds what came of a request in a batch."""
        done = None if reply.completion is None else reply.completion.to_dict()
        value = {"kind": "reply", "name": name, "batch": reply.batch, "completion": done, "failure": failure}
        self._journal.append(f"reply {name}", reply, value)

    def _keep_prompt(self, text: str) -> str:
        """Adds a system message, which belongs before the messages of every attempt, once; its key."""
        digest = hashlib.sha256(text.encode()).hexdigest()
        if f"prompt {digest}" not in self._journal.entries:
            value = {"kind": "prompt", "key": digest, "text": text}
            self._journal.append(f"prompt {digest}", digest, value)
        return digest


class KeptRun(NamedTuple):
    """The content of a results file: questions, their last outcomes, and how many lines were passed over."""

    questions: dict[str, Question]
    outcomes: dict[str, QuestionOutcome]
    unreadable: int


def read_results(path: Path) -> KeptRun:
    """The run of a results file, which is not written to. Raises BadJournal and OSError."""
    _refuse_others(path)
    questions: dict[str, Question] = {}
    outcomes: dict[str, QuestionOutcome] = {}
    unreadable = 0
    with path.open("rb") as stream:
        for _, line in read_lines(stream, LINE_LIMITS):
            try:
                _, entry = read_entry(json.loads(line))
            except UNREADABLE:
                unreadable += 1
                continue
            if isinstance(entry, Question):
                questions[entry.id] = entry
            elif isinstance(entry, QuestionOutcome):
                outcomes[entry.id] = entry
    return KeptRun(questions, outcomes, unreadable)


def is_results_file(path: Path) -> bool:
    """Whether a file begins as a results file does."""
    try:
        with path.open("rb") as stream:
            return _FIRST.match(stream.read(_MOST_FIRST)) is not None
    except OSError:
        return False


def _refuse_others(path: Path) -> None:
    """Raises BadJournal for a file none of whose first lines is one of a results file."""
    with path.open("rb") as stream:
        end = b"\n"
        for number, line in read_lines(stream, LINE_LIMITS):
            if _is_entry(line):
                return
            end = line
            if number >= _LOOKED_AT:
                break
        is_cut_off = stream.tell() == len(end) and any(each.startswith(end[: len(each)]) for each in _BEGINS)
    if end != b"\n" and not is_cut_off:
        raise BadJournal(f"{path} is no results file of `potc eval`: nothing is appended to it")


def _is_entry(line: bytes) -> bool:
    try:
        read_entry(json.loads(line))
    except UNREADABLE:
        return False
    return True


def read_entry(value: Any) -> tuple[str, Entry]:
    """The entry of a line's JSON value, and its key. Raises one of `UNREADABLE` for anything else."""
    kind = value.get("kind", "outcome") if isinstance(value, dict) else None
    match kind:
        case "outcome":
            outcome = QuestionOutcome.from_dict(value)
            return f"outcome {outcome.key}", outcome
        case "sample":
            model = str(value["model"])
            attempts = tuple(attempt_from_dict(each, model) for each in value["attempts"])
            kept = KeptSample(attempts, str(value["failure"]))
            return f"sample {value['key']} {int(value['number'])}", kept
        case "question":
            question = _question_from_dict(value)
            return f"question {question.id}", question
        case "batch":
            names = value["requests"]
            if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
                raise TypeError("a name is none")
            return f"batch {value['batch']}", KeptBatch(str(value["batch"]), tuple(names))
        case "reply":
            given = value["completion"]
            completion = None if given is None else Completion.from_dict(given)
            return f"reply {value['name']}", BatchReply(str(value["batch"]), completion)
        case "prompt":
            return f"prompt {value['key']}", str(value["key"])
    raise ValueError("not an entry")


def _question_to_dict(question: Question) -> dict[str, Any]:
    return {
        "kind": "question",
        "id": question.id,
        "text": question.text,
        "answer": question.answer,
        "family": question.family,
        "group": question.group,
        "asks": question.asks,
        "options": [{**each._asdict(), "accept": sorted(map(str, each.accept))} for each in question.options],
    }


def _question_from_dict(value: dict[str, Any]) -> Question:
    options = tuple(
        Option(str(each["label"]), str(each["verification"]), frozenset(map(Verdict, each["accept"])))
        for each in value["options"]
    )
    given = value["answer"]
    answer = given if given is None or options else Truth(given)
    if answer is not None and options and answer not in [each.label for each in options]:
        raise ValueError("the answer is none of the options")
    asks = None if value["asks"] is None else Asks(value["asks"])
    key, family, group = (str(value[name]) for name in ("id", "family", "group"))
    # Files of a former form do not have the text.
    return Question(key, str(value.get("text", "")), answer, family, group, options, asks=asks)
