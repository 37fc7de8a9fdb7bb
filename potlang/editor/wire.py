"""Answers as the Language Server Protocol (3.17) has them: JSON, with positions as the client counts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import potlang.diag
from potlang.diag import Diagnostic, Severity
from potlang.diag.wording import visible
from potlang.editor.answers import (
    TOKEN_KINDS,
    TOKEN_MODIFIERS,
    Completions,
    HoverText,
    ItemKind,
    OutlineItem,
    SortHint,
    TextChange,
    TextSpan,
    TextToken,
)
from potlang.editor.diagnosis import Diagnosed, OfferedFix
from potlang.editor.positions import TextLines

Json = dict[str, Any]

SOURCE: Final = "potlang"
_SEVERITIES: Final = {Severity.ERROR: 1, Severity.WARNING: 2, Severity.NOTE: 3}
_UNNECESSARY: Final = 1
_UNUSED: Final = frozenset({"POT2013", "POT9010"})
"""Codes of what could be left out: editors show it faded."""
_ITEM_KINDS: Final[dict[ItemKind, int]] = {
    "method": 2,
    "function": 3,
    "field": 5,
    "class": 7,
    "module": 9,
    "property": 10,
    "value": 12,
    "enum": 13,
    "keyword": 14,
    "file": 17,
    "constant": 21,
}
_SYMBOL_KINDS: Final[dict[ItemKind, int]] = {
    "file": 1,
    "module": 2,
    "class": 5,
    "method": 6,
    "property": 7,
    "field": 8,
    "enum": 10,
    "function": 12,
    "value": 13,
    "constant": 14,
    "keyword": 13,
}
_PAGES: Final = Path(potlang.diag.__file__).parent / "pages"


def span_json(lines: TextLines, span: TextSpan) -> Json:
    """A range."""
    return {"start": _position(lines, span[0]), "end": _position(lines, max(span))}


def _position(lines: TextLines, offset: int) -> Json:
    return lines.position(offset)._asdict()


def diagnostics_json(lines: TextLines, uri: str, found: Diagnosed) -> list[Json]:
    """The diagnostics of a text, and a word where there was no time for them."""
    listed = [_diagnostic(lines, uri, found, each) for each in found.diagnostics]
    if found.is_unfinished:
        message = "this text could not be checked in the time that an editor has; `potc check` has more"
        listed.append(
            {"range": span_json(lines, (0, 0)), "severity": 3, "source": SOURCE, "message": message}
        )
    return listed


def _diagnostic(lines: TextLines, uri: str, found: Diagnosed, diagnostic: Diagnostic) -> Json:
    primary, *others = diagnostic.labels
    is_said = not primary.message or primary.message in diagnostic.message
    message = diagnostic.message if is_said else f"{diagnostic.message}: {primary.message}"
    more = [*(f"note: {each}" for each in diagnostic.notes), *(f"help: {each}" for each in diagnostic.helps)]
    value: Json = {
        "range": span_json(lines, found.span(primary.place)),
        "severity": _SEVERITIES[diagnostic.severity],
        "code": diagnostic.code,
        "codeDescription": {"href": (_PAGES / f"{diagnostic.code}.md").as_uri()},
        "source": SOURCE,
        "message": "\n".join([message, *more]),
    }
    if others:
        value["relatedInformation"] = [
            {
                "location": {"uri": uri, "range": span_json(lines, found.span(label.place))},
                "message": label.message or "see here",
            }
            for label in others
        ]
    if diagnostic.code in _UNUSED:
        value["tags"] = [_UNNECESSARY]
    return value


def hover_json(lines: TextLines, found: HoverText | None) -> Json | None:
    """A hover in Markdown."""
    if found is None:
        return None
    return {
        "contents": {"kind": "markdown", "value": found.markdown},
        "range": span_json(lines, found.span),
    }


def completions_json(lines: TextLines, found: Completions) -> Json:
    """A list of completions, in the order in which they are given."""
    return {
        "isIncomplete": found.is_cut,
        "items": [
            {
                "label": visible(item.label),
                "kind": _ITEM_KINDS[item.kind],
                "detail": visible(item.detail),
                **({"documentation": _markdown(item.documentation)} if item.documentation else {}),
                "sortText": f"{number:05}",
                # What is replaced may be more than a word to the editor, as in backquotes or with a blank.
                "filterText": visible(item.label),
                "textEdit": {"range": span_json(lines, item.span), "newText": item.insert},
            }
            for number, item in enumerate(found.items)
        ],
    }


def _markdown(text: str) -> Json:
    return {"kind": "plaintext", "value": visible(text)}


def locations_json(lines: TextLines, uri: str, spans: Iterable[TextSpan]) -> list[Json]:
    """Places in the document itself."""
    return [{"uri": uri, "range": span_json(lines, span)} for span in spans]


def changes_json(lines: TextLines, changes: Iterable[TextChange]) -> list[Json]:
    """Text edits."""
    return [
        {"range": span_json(lines, (change.start, change.end)), "newText": change.text} for change in changes
    ]


def workspace_json(lines: TextLines, uri: str, changes: Iterable[TextChange]) -> Json:
    """Text edits of the document as an edit of the workspace."""
    return {"changes": {uri: changes_json(lines, changes)}}


def actions_json(lines: TextLines, uri: str, found: Diagnosed, offered: Iterable[OfferedFix]) -> list[Json]:
    """Quick fixes; one that keeps the meaning is preferred."""
    actions: list[Json] = []
    for diagnostic, fix, changes in offered:
        named = {"safe": "", "unsafe": " (may change the meaning)", "placeholder": " (to be filled in)"}
        actions.append(
            {
                "title": visible(fix.title) + named[fix.applicability.value],
                "kind": "quickfix",
                "diagnostics": [_diagnostic(lines, uri, found, diagnostic)],
                "isPreferred": fix.applicability.value == "safe",
                "edit": workspace_json(lines, uri, changes),
            }
        )
    return actions


def fix_all_json(lines: TextLines, uri: str, changes: list[TextChange]) -> list[Json]:
    """The action that applies all safe fixes; none where they change nothing."""
    if not changes:
        return []
    return [
        {
            "title": "Apply all safe fixes",
            "kind": "source.fixAll.potlang",
            "edit": workspace_json(lines, uri, changes),
        }
    ]


def hints_json(lines: TextLines, hints: Iterable[SortHint]) -> list[Json]:
    """Inlay hints of the kind `Type`."""
    return [
        {"position": _position(lines, hint.offset), "label": visible(hint.text), "kind": 1} for hint in hints
    ]


def tokens_json(lines: TextLines, tokens: Iterable[TextToken]) -> list[int]:
    """Semantic tokens, each placed relative to the one before; those over several lines are left out."""
    data: list[int] = []
    line = column = end = 0
    for token in tokens:
        if token.start < end or token.start >= token.end:
            continue
        start, stop = lines.position(token.start), lines.position(token.end)
        if start.line != stop.line:
            continue
        end = token.end
        bits = sum(1 << TOKEN_MODIFIERS.index(each) for each in token.modifiers)
        step = start.line - line
        shift = start.character - (column if step == 0 else 0)
        data += (step, shift, stop.character - start.character, TOKEN_KINDS.index(token.kind), bits)
        line, column = start.line, start.character
    return data


def outline_json(lines: TextLines, items: Iterable[OutlineItem]) -> list[Json]:
    """Document symbols."""
    return [
        {
            "name": visible(item.name) or "item",
            "kind": _SYMBOL_KINDS[item.kind],
            "detail": visible(item.detail),
            "range": span_json(lines, item.span),
            "selectionRange": span_json(lines, item.name_span),
            "children": outline_json(lines, item.children),
        }
        for item in items
    ]


def folds_json(lines: TextLines, spans: Iterable[TextSpan]) -> list[Json]:
    """Folding ranges, of what has several lines."""
    found: list[Json] = []
    for span in spans:
        first, last = lines.position(span[0]).line, lines.position(span[1]).line
        if last > first:
            found.append({"startLine": first, "endLine": last - 1 if last > first + 1 else last})
    return found
