"""Diagnostics as JSON, in the form that `schemas/diagnostics-1.json` describes."""

from __future__ import annotations

import json
from collections.abc import Iterable

from potlang.diag.model import Diagnostic, Edit, Fix, Label, Place, Replace, Severity
from potlang.source import Document

Json = dict[str, object]


def diagnostics_to_json(diagnostics: Iterable[Diagnostic], document: Document) -> Json:
    """The whole answer as a JSON value: the document's name, the counts, and the diagnostics."""
    found = list(diagnostics)
    severities = [diagnostic.severity for diagnostic in found]
    return {
        "version": 1,
        "document": document.name,
        "errors": severities.count(Severity.ERROR),
        "warnings": severities.count(Severity.WARNING),
        "diagnostics": [diagnostic_to_json(diagnostic, document) for diagnostic in found],
    }


def render_json(diagnostics: Iterable[Diagnostic], document: Document) -> str:
    """The same as ASCII text that ends with a newline."""
    return json.dumps(diagnostics_to_json(diagnostics, document), indent=2, default=str) + "\n"


def diagnostic_to_json(diagnostic: Diagnostic, document: Document) -> Json:
    """One diagnostic as a JSON value."""
    primary, *others = diagnostic.labels
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        **place_to_json(primary.place, document),
        "label": primary.message,
        "labels": [_label(label, document) for label in others],
        "notes": list(diagnostic.notes),
        "helps": list(diagnostic.helps),
        "fixes": [fix_to_json(fix) for fix in diagnostic.fixes],
    }


def place_to_json(place: Place, document: Document) -> Json:
    """A place: pointer and span, and the line and column where the raw text is known (else null)."""
    where = document.locate(place)
    return {
        "pointer": place.pointer,
        "span": list(place.span) if place.span else None,
        "on_key": place.on_key,
        "line": where.line if where else None,
        "column": where.column if where else None,
        "end_line": where.end_line if where else None,
        "end_column": where.end_column if where else None,
    }


def fix_to_json(fix: Fix) -> Json:
    """A fix with its edits: RFC 6902 operations, or `replace-text` for a part of a string."""
    return {
        "title": fix.title,
        "applicability": fix.applicability.value,
        "edits": [_edit(edit) for edit in fix.edits],
    }


def _label(label: Label, document: Document) -> Json:
    return {**place_to_json(label.place, document), "message": label.message}


def _edit(edit: Edit) -> Json:
    if isinstance(edit, Replace):
        where = {"pointer": edit.pointer, "start": edit.start, "end": edit.end}
        return {"op": "replace-text", **where, "text": edit.text}
    patch: Json = {"op": edit.op, "path": edit.path}
    if edit.op in ("add", "replace"):
        patch["value"] = edit.value
    if edit.op in ("move", "copy"):
        patch["from"] = edit.source or ""
    return patch
