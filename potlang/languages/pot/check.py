"""Checking a program: read, names resolved, sorts checked; mistakes as diagnostics with repairs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from potlang.diag import Diagnostic, Label, Place, Sink
from potlang.diag.sink import TooManyErrors
from potlang.expressions.surface import ParsedProgram
from potlang.ir.module import Assertion, Module
from potlang.languages.pot.citations import report_citations
from potlang.languages.pot.program import Checked, CompileError, Program
from potlang.reading.json_text import open_document, read_json
from potlang.source import Document
from potlang.tables.access import TablesChoice, allowed, allowing
from potlang.utils.deadline import OutOfFuel
from potlang.utils.gc_pause import collector_paused

if TYPE_CHECKING:
    from potlang.tables.bound import LoadedTables

Source = str | bytes | dict[str, Any] | Path
"""JSON text, its bytes, the JSON value, or a file's path."""

_PATH = re.compile(r"[^\n{}\[\]\"]{0,4000}\.(?:json|txt|dot|md)")
_LARGE_TEXT = 1_000_000
_LARGE = 1_000
"""Items of a section from which on a program counts as large."""


def check(source: Source, *, name: str | None = None) -> Checked:
    """Reads and checks a program. Never raises for what the source contains: see `diagnostics`.

    Raises TypeError for a source of another type.
    """
    found, value = _found(source, name, Sink())
    if isinstance(source, str) and value is None and _PATH.fullmatch(source):
        return found._replace(diagnostics=_with_path_help(found.diagnostics, source))
    has_tables = isinstance(value, dict) and bool(value.get("sources"))
    # Each try would read all tables again.
    if found.program is not None or has_tables or len(found.document.text or "") > _LARGE_TEXT:
        return found
    from potlang.repair import Rejected, with_repairs, with_tried_fixes

    def compiled(changed: Any, most: int | None = None) -> tuple[Diagnostic, ...] | None:
        try:
            return _found(changed, None, Sink(counted=True, most=most))[0].diagnostics
        except TooManyErrors:
            return None

    text = found.document.text
    try:
        tried = with_tried_fixes(found.diagnostics, text, value, compiled)
        repaired = with_repairs(Rejected(text, value, tried), compiled)
    except OutOfFuel:
        return found
    return found._replace(diagnostics=repaired)


def _with_path_help(diagnostics: tuple[Diagnostic, ...], path: str) -> tuple[Diagnostic, ...]:
    """The diagnostics of a text that is a path, with how a file is read."""
    first, *rest = diagnostics
    help_ = f"to read a file, pass its path as `pathlib.Path({path!r})`: any other string is the text itself"
    return first._replace(helps=(*first.helps, help_)), *rest


def compile(source: Source, *, name: str | None = None) -> Program:
    """The typed program. Raises CompileError, with all diagnostics, if the source is not valid."""
    checked = check(source, name=name)
    if checked.program is None:
        raise CompileError(checked.diagnostics, checked.document)
    return checked.program


def recompile(source: Source, name: str, sources: TablesChoice) -> Program:
    """The program of a pickle, which may read the same tables."""
    with allowing(sources):
        return compile(source, name=name)


def _found(source: Any, name: str | None, sink: Sink) -> tuple[Checked, object]:
    """The result of checking, and the JSON value; None if there is none."""
    document, value = read_value(source, name, sink)
    if value is None and sink.has_errors:
        return Checked(document, tuple(sink.diagnostics(document)), None), None
    with collector_paused(_is_large(value)):
        return _checked(document, value, sink), value


def _is_large(value: object) -> bool:
    return isinstance(value, dict) and any(
        isinstance(section, list) and len(section) > _LARGE for section in value.values()
    )


def read_value(source: Source, name: str | None, sink: Sink) -> tuple[Document, object | None]:
    """The document of a source, and its JSON value; the errors of reading it go to the sink."""
    if not isinstance(source, str | bytes | dict | Path):
        raise TypeError(f"a program is str, bytes, dict or Path, not {type(source).__name__}")
    document = open_document(source, sink, name=name)
    if sink.has_errors:
        return document, None
    with collector_paused(len(document.text or "") > _LARGE_TEXT):
        return document, read_json(document, sink)


def _checked(document: Document, value: object, sink: Sink) -> Checked:
    from potlang.languages.pot.read.reader import read_program
    from potlang.sema import build_session

    tree = read_program(value, sink)
    if tree is not None and tree.imports:
        from potlang.languages.pot.read.packs import load_packs

        load_packs(tree, sink)
    whole, loaded = tree, None
    if tree is not None and tree.sources:
        whole, loaded = _with_tables(tree, sink)
    if tree is not None:
        report_citations(tree, sink)
    built = None if whole is None else build_session(whole, sink)
    if tree is None or built is None:
        return Checked(document, tuple(sink.diagnostics(document)), None)
    module, extension = built
    _report_contradictions(module, sink)
    _report_templates(tree, sink)
    found = Checked(document, tuple(sink.diagnostics(document)), None)
    return found._replace(program=Program(module, extension, tree, found, loaded))


def _with_tables(tree: ParsedProgram, sink: Sink) -> tuple[ParsedProgram, LoadedTables | None]:
    """The program with the facts of its tables, or over them if these are large; as it is after an error."""
    from potlang.tables.facts import MOST_ROWS, with_facts, with_tables
    from potlang.tables.load import load

    loaded = load(tree, allowed(), sink)
    if loaded is None:
        return tree, None
    if loaded.rows > MOST_ROWS:
        return with_tables(tree, loaded), loaded
    with loaded.database:
        return with_facts(tree, loaded), None


def _report_contradictions(module: Module, sink: Sink) -> None:
    from potlang.passes.conflicts import find_contradictions

    for facts in find_contradictions(module):
        report_contradiction(facts, sink)


def _report_templates(tree: ParsedProgram, sink: Sink) -> None:
    """Warns of descriptions that are templates of words which cannot be used ([WORDS-MISTAKE])."""
    if all(each.description is None for each in tree.functions):
        return
    from potlang.words.templates import templates_of

    for pointer, found in templates_of(tree).mistakes:
        span = (found.start, found.end) if found.end else None
        sink.report("POT2030", pointer, span=span, problem=found.problem, helps=[found.help])


def report_contradiction(facts: tuple[Assertion, ...], sink: Sink) -> None:
    """Warns of facts that cannot hold together, found before any solver runs."""
    first, *rest = facts
    sink.report(
        "POT4003",
        first.origin.pointer,
        primary=f"`{first.origin.text}`" if rest else "this cannot hold",
        labels=[Label(Place(fact.origin.pointer), f"`{fact.origin.text}`") for fact in rest],
        helps=["remove or correct one of them: from a contradiction every claim follows"],
    )
