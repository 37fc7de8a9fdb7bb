"""The child that answers questions about texts, one at a time: it can be ended, whatever a text does."""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable
from contextlib import nullcontext
from functools import cached_property
from typing import Any, Final

from potlang.editor import wire
from potlang.editor.answers import LanguageText, NotDone, TextChange
from potlang.editor.diagnosis import (
    LANGUAGES,
    LARGEST,
    Diagnosed,
    all_safe,
    diagnose,
    fixes_within,
    formatted,
    is_worse,
    kind_of_text,
    linted,
    may_become_program,
)
from potlang.editor.positions import Encoding, Position, TextLines
from potlang.editor.program.text import ProgramText
from potlang.editor.solution import SolutionText
from potlang.editor.trace.text import TraceText
from potlang.languages.kind import is_foreign
from potlang.processes.frames import Message
from potlang.processes.worker import Service
from potlang.tables.access import allowing
from potlang.utils.deadline import OutOfFuel, within
from potlang.utils.gc_pause import begin_input

ANSWER_MS: Final = 1_500
"""Of one question, the check of a text apart."""
_KEPT: Final = 4
_KEPT_SIZE: Final = 8 << 20
"""Texts that are remembered, and the characters of all of them: what is dropped is sent again."""
_HIGHLIGHTED: Final = 1_000
"""Places of a name that are shown at once, those before and behind the cursor."""
_TOKEN_PAGE: Final = 1 << 18
"""Characters that are coloured at once; of larger texts editors ask for the part that is seen."""


class _KnownText:
    """A text at one version, and what has been found out about it."""

    def __init__(self, uri: str, version: int, text: str, language: str, encoding: Encoding) -> None:
        self.uri = uri
        self.version = version
        self.text = text
        self.language = language
        self.encoding = encoding

    @cached_property
    def lines(self) -> TextLines:
        return TextLines(self.text, self.encoding)

    @cached_property
    def checked(self) -> Diagnosed:
        return diagnose(self.text, self.language)

    @cached_property
    def diagnosed(self) -> Diagnosed:
        return linted(self.checked)

    @cached_property
    def read(self) -> LanguageText:
        """The text in its language; one of another format has no answers."""
        if len(self.text) > LARGEST:
            return LanguageText()
        kind = kind_of_text(self.text, self.language)
        if kind == "dot":
            return TraceText(self.text)
        if kind == "dagmath":
            return SolutionText(self.text)
        program = ProgramText(self.text)
        value = program.json.value
        is_ours = self.language in LANGUAGES or may_become_program(value) or not is_foreign(value)
        return program if is_ours else LanguageText()

    def offset(self, position: Any) -> int:
        return self.lines.offset(Position(**position))

    def span(self, given: Any) -> tuple[int, int]:
        return self.offset(given["start"]), self.offset(given["end"])


Question = dict[str, Any]


class DeskService(Service):
    """Answers `ask` about the text of a `uri` at a `version`; without that text it asks for it.

    Programs may read the tables below the directories, if there are any.
    """

    slack_mb = 256

    def __init__(self, *directories: str) -> None:
        self._subjects: OrderedDict[str, _KnownText] = OrderedDict()
        self._sources = directories or None

    def answer(self, request: Message) -> Message:
        """`{"found": …}`, `{"refused": …}` for what is not done, `{"unknown": …}` for a text not at hand."""
        subject = self._subject(request)
        if subject is None:
            return {"unknown": True}
        begin_input()
        answer = _ANSWERS[request["ask"]]
        allowed = allowing(self._sources) if self._sources else nullcontext()
        with allowed, within(None if request["ask"] in _CHECKING else ANSWER_MS):
            try:
                found = answer(subject, request)
            except OutOfFuel:
                return {"refused": "there was no time for an answer"}
        return {"refused": found.reason} if isinstance(found, NotDone) else {"found": found}

    def _subject(self, request: Message) -> _KnownText | None:
        uri, version = request["uri"], request["version"]
        text = request.get("text")
        if text is not None:
            self._subjects[uri] = _KnownText(uri, version, text, request["language"], request["encoding"])
            self._drop(uri)
        found = self._subjects.get(uri)
        if found is None or found.version != version:
            return None
        self._subjects.move_to_end(uri)
        return found

    def _drop(self, newest: str) -> None:
        """Forgets the texts that were asked about longest ago."""
        self._subjects.move_to_end(newest)
        while len(self._subjects) > 1 and (
            len(self._subjects) > _KEPT
            or sum(len(each.text) for each in self._subjects.values()) > _KEPT_SIZE
        ):
            self._subjects.popitem(last=False)


def desk(*directories: str) -> DeskService:
    """The service; programs may read the tables below the directories."""
    # The first question shall not wait for what all need.
    diagnose('{"verifications": [{"constraint": "1 < 2"}]}')
    return DeskService(*directories)


# --- questions -----------------------------------------------------------------------------------


def _mistakes(subject: _KnownText, _: Question) -> Any:
    return wire.diagnostics_json(subject.lines, subject.uri, subject.checked)


def _diagnostics(subject: _KnownText, _: Question) -> Any:
    return wire.diagnostics_json(subject.lines, subject.uri, subject.diagnosed)


def _actions(subject: _KnownText, question: Question) -> Any:
    only = question["only"]
    found: list[Any] = []
    if only is None or any(_covers(each, "quickfix") for each in only):
        offered = fixes_within(subject.diagnosed, *subject.span(question["range"]))
        found += wire.actions_json(subject.lines, subject.uri, subject.diagnosed, offered)
    # Asked for by its name alone: it takes as long as several checks.
    if only is not None and any(_covers(each, "source.fixAll.potlang") for each in only):
        changes = all_safe(subject.text, subject.language)
        found += wire.fix_all_json(subject.lines, subject.uri, changes)
    return found


def _covers(asked: str, kind: str) -> bool:
    return kind == asked or kind.startswith(f"{asked}.")


def _format(subject: _KnownText, _: Question) -> Any:
    return wire.changes_json(subject.lines, formatted(subject.text, subject.language))


def _hover(subject: _KnownText, question: Question) -> Any:
    return wire.hover_json(subject.lines, subject.read.hover(subject.offset(question["position"])))


def _completions(subject: _KnownText, question: Question) -> Any:
    found = subject.read.completions(subject.offset(question["position"]))
    return wire.completions_json(subject.lines, found)


def _definition(subject: _KnownText, question: Question) -> Any:
    spans = subject.read.definition(subject.offset(question["position"]))
    return wire.locations_json(subject.lines, subject.uri, spans)


def _references(subject: _KnownText, question: Question) -> Any:
    offset = subject.offset(question["position"])
    spans = subject.read.references(offset, with_declarations=question["declarations"])
    return wire.locations_json(subject.lines, subject.uri, spans)


def _highlights(subject: _KnownText, question: Question) -> Any:
    offset = subject.offset(question["position"])
    spans = sorted(subject.read.references(offset, with_declarations=True))
    # Editors ask whenever the cursor moves, and show what is in sight.
    here = bisect_left(spans, (offset, offset))
    near = spans[max(0, here - _HIGHLIGHTED // 2) : here + _HIGHLIGHTED // 2]
    return [{"range": wire.span_json(subject.lines, span)} for span in near]


def _name_at(subject: _KnownText, question: Question) -> Any:
    found = subject.read.name_at(subject.offset(question["position"]))
    if isinstance(found, NotDone):
        return found
    span, name = found
    return {"range": wire.span_json(subject.lines, span), "placeholder": name}


def _rename(subject: _KnownText, question: Question) -> Any:
    changes = subject.read.rename(subject.offset(question["position"]), question["name"])
    if isinstance(changes, NotDone):
        return changes
    error = is_worse(subject.text, _applied(subject.text, changes), subject.language)
    if error is not None:
        return NotDone(f"the renamed text would have an error: {error.message}")
    return wire.workspace_json(subject.lines, subject.uri, changes)


def _applied(text: str, changes: list[TextChange]) -> str:
    for change in sorted(changes, reverse=True):
        text = f"{text[: change.start]}{change.text}{text[change.end :]}"
    return text


def _hints(subject: _KnownText, question: Question) -> Any:
    return wire.hints_json(subject.lines, subject.read.hints(*subject.span(question["range"])))


def _tokens(subject: _KnownText, question: Question) -> Any:
    span = subject.span(question["range"]) if question["range"] else (0, min(len(subject.text), _TOKEN_PAGE))
    return {"data": wire.tokens_json(subject.lines, subject.read.tokens(*span))}


def _outline(subject: _KnownText, _: Question) -> Any:
    return wire.outline_json(subject.lines, subject.read.outline())


def _folds(subject: _KnownText, _: Question) -> Any:
    return wire.folds_json(subject.lines, subject.read.folds())


_ANSWERS: Final[dict[str, Callable[[_KnownText, Question], Any]]] = {
    "mistakes": _mistakes,
    "diagnostics": _diagnostics,
    "actions": _actions,
    "format": _format,
    "rename": _rename,
    "hover": _hover,
    "completions": _completions,
    "definition": _definition,
    "references": _references,
    "highlights": _highlights,
    "name": _name_at,
    "hints": _hints,
    "tokens": _tokens,
    "outline": _outline,
    "folds": _folds,
}
"""The functions that answer, by question."""
_CHECKING: Final = frozenset({"mistakes", "diagnostics", "actions", "format", "rename"})
"""Questions that check the whole text: they have more time, and a child of their own."""
