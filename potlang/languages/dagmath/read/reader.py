"""Reads a solution in any of its forms: steps and metadata out, diagnostics with places for the rest.

What is an error leaves no solution: no graph of steps, or an answer that never ends. Anything else
that is read otherwise than written is a warning ([DAG-READ]).
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from potlang.diag import Applicability, Fix, Place, Sink
from potlang.diag.model import Replace
from potlang.languages.dagmath.read.boxed import last_box
from potlang.languages.dagmath.read.json_form import Draft, read_json_form
from potlang.languages.dagmath.read.prose import ProseLink, Text
from potlang.languages.dagmath.read.prose_form import read_prose
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.read.source_map import SourceMap
from potlang.languages.dagmath.read.structure import check_structure
from potlang.languages.dagmath.read.text_form import is_text_form, read_text_form
from potlang.languages.kind import is_message
from potlang.reading.embedded import EmbeddedDocument
from potlang.reading.json_text import open_document, read_json
from potlang.source import DEFAULT_LIMITS, Document, InputLimits
from potlang.source.json_in_text import Wrapped, find_json

Source = str | bytes | bytearray | memoryview | os.PathLike[str] | Document | dict[str, object] | list[object]
"""Text, bytes, a file's path, a document, or a value that `json.loads` could have returned."""


@dataclass(frozen=True, slots=True)
class ReadSolution:
    """The result of reading. `solution` is None where an error was reported.

    `steps` are those that could be read, errors or not; `places` has theirs, by position, in `document`.
    `links` are those of a solution in prose, whose steps and parents are found by rule; else None.
    """

    document: Document
    solution: Solution | None
    steps: tuple[Step, ...]
    places: SourceMap
    links: tuple[ProseLink, ...] | None = None


def read_solution(
    source: Source,
    sink: Sink,
    *,
    limits: InputLimits = DEFAULT_LIMITS,
    name: str | None = None,
    prose: bool = True,
) -> ReadSolution:
    """The solution in a text, in bytes, in a file, or in a JSON value; with `prose` also one in prose.

    Never raises for what the input contains: the sink gets whatever is not well formed, and the document.
    """
    document = open_document(source, sink, limits, name)
    if prose and not sink.has_errors and (text := _prose_of(document, limits)) is not None:
        places = SourceMap()
        told = read_prose(text, sink, places)
        if told is not None:
            read = _checked(document, told.draft, places, sink)
            return replace(read, links=told.links)
    if document.text is not None and _is_text(document.text):
        places = SourceMap()
        draft = None if sink.has_errors else read_text_form(document.text, sink, places)
    else:
        wrapped = None if document.text is None or sink.has_errors else find_json(document.text)
        places = SourceMap(_embedded(document, wrapped))
        draft = _read_json(document, wrapped, places, limits, sink)
    return _checked(document, draft, places, sink)


def _prose_of(document: Document, limits: InputLimits) -> Text | None:
    """The text, the message or the chat that a document is, if it may be a solution in prose."""
    text = document.text
    if text is not None and not text.lstrip().startswith(("{", "[")):
        return None if _is_text(text) or find_json(text) is not None else text
    if text is not None and not ('"role"' in text and '"content"' in text):
        return None
    value = document.value if text is None else read_json(document, Sink(), limits)
    return value if is_message(value) else None  # type: ignore[return-value]


def _is_text(text: str) -> bool:
    """Whether a text is in the text form, and not JSON in which a line happens to look like it."""
    return not text.lstrip().startswith(("{", "[")) and is_text_form(text)


def _checked(document: Document, draft: Draft | None, places: SourceMap, sink: Sink) -> ReadSolution:
    if draft is None:
        return ReadSolution(document, None, (), places)
    steps = draft.solution.steps
    check_structure(steps, draft.complete, places, sink)
    if steps and draft.complete:
        _check_box(steps, places, sink)
    return ReadSolution(document, None if sink.has_errors else draft.solution, steps, places)


def _check_box(steps: tuple[Step, ...], places: SourceMap, sink: Sink) -> None:
    """Reports a boxed answer that never ends ([DAG-BOX])."""
    last = len(steps) - 1
    box = last_box(steps[last].node)
    if box is None or box.content is not None:
        return
    text = steps[last].node
    end = len(text.rstrip().rstrip("$.").rstrip())
    edits = places.rewrite(last, "node", (end, end), "}" * _missing_braces(text[box.start : end]))
    fixes = [Fix("close it at the end", Applicability.UNSAFE, edits)] if edits else []
    sink.report("POT7010", places.part(last, "node", (box.start, box.end)), fixes=fixes, id=steps[last].id)


def _missing_braces(text: str) -> int:
    plain = text.replace("\\{", "").replace("\\}", "")
    return max(1, plain.count("{") - plain.count("}"))


def _embedded(document: Document, wrapped: Wrapped | None) -> EmbeddedDocument | None:
    """The JSON of a document with other text around it."""
    if wrapped is None or wrapped.around is None:
        return None
    part = Document(document.name, (document.text or "")[wrapped.start : wrapped.end])
    return EmbeddedDocument(part, wrapped.start)


def _read_json(
    document: Document, wrapped: Wrapped | None, places: SourceMap, limits: InputLimits, sink: Sink
) -> Draft | None:
    embedded = places.embedded
    if embedded is None or wrapped is None:
        if wrapped is None and document.text is not None and document.text.strip() and not sink.has_errors:
            help_ = "a solution is an object with `steps`, or has lines `Step k`"
            sink.report("POT7001", Place("", (0, 0)), helps=(help_,))
            return None
        value = read_json(document, sink, limits)
        return None if sink.has_errors and value is None else read_json_form(value, sink, places)
    if wrapped.more is not None:
        at = Place("", (wrapped.more, wrapped.more + 1))
        sink.report("POT7009", at, helps=("score samples with `potc score`",))
        return None
    _report_around(document, wrapped, sink)
    inner_sink = Sink(embedded.document)
    value = read_json(embedded.document, inner_sink, limits)
    for each in inner_sink.diagnostics():
        sink.add(embedded.diagnostic(each))
    if value is None and inner_sink.has_errors:
        return None
    return read_json_form(value, sink, places)


def _report_around(document: Document, wrapped: Wrapped, sink: Sink) -> None:
    size = len(document.text or "")
    edits = [Replace("", 0, wrapped.start, "")] if wrapped.start else []
    edits += [Replace("", wrapped.end, size, "\n")] if wrapped.end < size else []
    fix = Fix("remove it", Applicability.SAFE, tuple(edits))
    sink.report("POT7030", Place("", wrapped.around), fixes=[fix], where="of the JSON")
