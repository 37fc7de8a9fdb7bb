"""Diagnostics as SARIF 2.1.0, the format that code hosts and editors read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import NamedTuple
from urllib.parse import quote

from potlang.diag.fixes import RawEdit, raw_edits
from potlang.diag.model import Diagnostic, Fix, Label, Place
from potlang.diag.register import CODES
from potlang.source import Document

Json = dict[str, object]
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render_sarif(
    runs: Iterable[tuple[Document, Iterable[Diagnostic]]], version: str = "0", *, base: str | None = None
) -> str:
    """The diagnostics of several documents as SARIF text; `base` is the folder that names are relative to."""
    return json.dumps(diagnostics_to_sarif(runs, version, base=base), indent=2, default=str) + "\n"


def diagnostics_to_sarif(
    runs: Iterable[tuple[Document, Iterable[Diagnostic]]], version: str = "0", *, base: str | None = None
) -> Json:
    """One SARIF log with one run; its rules are the register's rows of the codes that occur."""
    results = [_result(each, document, base) for document, found in runs for each in found]
    return sarif_log(results, version)


def sarif_results(document: Document, diagnostics: Iterable[Diagnostic]) -> list[Json]:
    """The results of one document, for `sarif_log`."""
    return [_result(each, document, None) for each in diagnostics]


def sarif_log(results: Sequence[Json], version: str = "0") -> Json:
    """One SARIF log with one run of these results, each of which gets the index of its rule."""
    rules = sorted({str(result["ruleId"]) for result in results})
    index = {rule: number for number, rule in enumerate(rules)}
    driver = {"name": "potlang", "version": version, "rules": [_rule(each) for each in rules]}
    numbered = [
        {"ruleId": each["ruleId"], "ruleIndex": index[str(each["ruleId"])], **each} for each in results
    ]
    run: Json = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": numbered}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


_ANSWERS = {
    "refuted": "what is claimed is false",
    "inconsistent": "the assumptions contradict each other",
    "violated": "a norm is violated",
    "undetermined": "what is claimed may be true and may be false",
    "entailed": "what is not to follow does",
    "unknown": "nothing is known within the limits",
    "question": "not one option of a question is the answer",
    "optimization": "there is no optimum",
}
"""The rules of findings that are no diagnostics, and what they say."""


class SarifFinding(NamedTuple):
    """A result that is no diagnostic: its rule, level (`none` for what is open), message and places."""

    rule: str
    level: str
    message: str
    labels: tuple[Label, ...]


def finding_result(found: SarifFinding, document: Document) -> Json:
    """The result of a finding, for `sarif_log`."""
    result: Json = {"ruleId": found.rule, "level": found.level}
    if found.level == "none":
        result["kind"] = "open"
    result["message"] = {"text": found.message}
    return {**result, **_places(found.labels, document, None)}


def _rule(code: str) -> Json:
    if code in _ANSWERS:
        return {"id": code, "name": code, "shortDescription": {"text": _ANSWERS[code]}}
    row = CODES[code]
    return {
        "id": code,
        "name": row.slug,
        "shortDescription": {"text": row.headline},
        "defaultConfiguration": {"level": row.severity.value},
    }


def _result(diagnostic: Diagnostic, document: Document, base: str | None) -> Json:
    result: Json = {
        "ruleId": diagnostic.code,
        "level": diagnostic.severity.value,
        "message": {"text": ". ".join([diagnostic.message, *diagnostic.notes, *diagnostic.helps])},
        **_places(diagnostic.labels, document, base),
    }
    fixes = [fix for fix in (_fix(fix, document, base) for fix in diagnostic.fixes) if fix]
    if fixes:
        result["fixes"] = fixes
    return result


def _places(labels: tuple[Label, ...], document: Document, base: str | None) -> Json:
    primary, *others = labels
    places: Json = {"locations": [_location(primary, document, base)]}
    if others:
        places["relatedLocations"] = [
            {"id": number, **_location(label, document, base)} for number, label in enumerate(others, 1)
        ]
    return places


def _location(label: Label, document: Document, base: str | None) -> Json:
    physical: Json = {"artifactLocation": {"uri": _uri(document.name, base)}}
    region = _region(label.place, document)
    if region:
        physical["region"] = region
    location: Json = {"physicalLocation": physical}
    if label.place.pointer:
        location["logicalLocations"] = [{"fullyQualifiedName": label.place.pointer}]
    if label.message:
        location["message"] = {"text": label.message}
    return location


def _region(place: Place, document: Document) -> Json:
    span = document.raw_span(place)
    return _lines(document, *span) if span else {}


def _lines(document: Document, start: int, end: int) -> Json:
    line, column = document.line_column(start)
    end_line, end_column = document.line_column(end)
    return {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}


def _fix(fix: Fix, document: Document, base: str | None) -> Json:
    edits = raw_edits(document, fix.edits)
    if not edits:
        return {}
    change = {
        "artifactLocation": {"uri": _uri(document.name, base)},
        "replacements": [_replacement(document, edit) for edit in edits],
    }
    return {"description": {"text": f"{fix.title} ({fix.applicability.value})"}, "artifactChanges": [change]}


def _replacement(document: Document, edit: RawEdit) -> Json:
    deleted = _lines(document, edit.start, edit.end)
    return {"deletedRegion": deleted, "insertedContent": {"text": edit.text}}


def _uri(name: str, base: str | None) -> str:
    path = PurePath(name)
    if base is not None and path.is_relative_to(base):
        path = path.relative_to(base)
    return quote(path.as_posix(), errors="replace")
