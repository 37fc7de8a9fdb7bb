"""Another name for a thing of a program, everywhere, so that the program says the same ([EDIT-RENAME])."""

from __future__ import annotations

from potlang.diag import Replace
from potlang.diag.fixes import raw_edits
from potlang.editor.answers import NotDone, TextChange
from potlang.editor.json_text import JsonText
from potlang.editor.positions import TextLines
from potlang.editor.program.names import NameAt, NamedTarget, Occurrence, ProgramNames
from potlang.expressions.expression import LONGEST_NAME
from potlang.expressions.names import is_plain_sort, written
from potlang.expressions.tables import tokens as token_tables
from potlang.sema.builtins import BUILTINS
from potlang.sema.sorts import BUILTIN, CONSTRUCTORS

_TRUTH = ("True", "False", "true", "false")
_MEASURES = ("Money", "Quantity")
_QUOTES = "'\""


def renamed(json: JsonText, names: ProgramNames, at: NameAt, new: str) -> list[TextChange] | NotDone:
    """The changes that give a name another spelling wherever it means the same, or why there are none."""
    target = at.target
    if target is None:
        return NotDone(f"`{at.name}` is not declared in this program")
    problem = _objection(names, target, new)
    if problem is not None:
        return NotDone(problem)
    if json.json.is_broken:
        return NotDone("the text is no JSON yet; finish it first")
    if new == target.name:
        return []
    unread = names.unread(target.name)
    if unread is not None:
        return NotDone(
            f"the expression on line {_line(json, unread.pointer)} cannot be read; correct it first"
        )
    edits: list[Replace] = []
    for each in names.occurrences(target):
        edit = _edit(names, each, target.name, new)
        if edit is None:
            return NotDone(f"the name cannot be changed on line {_line(json, each.pointer)}")
        edits.append(edit)
    changes = raw_edits(json.json.document, tuple(edits))
    return [TextChange(each.start, each.end, each.text) for each in changes]


def _line(json: JsonText, pointer: str) -> int:
    """The line, from 1, on which the string at a pointer begins."""
    return TextLines(json.json.source).position(json.span(pointer)[0]).line + 1


def _objection(names: ProgramNames, target: NamedTarget, new: str) -> str | None:
    """Why a thing cannot have a name."""
    if not new.strip() or new != new.strip():
        return "a name is not empty, and does not begin or end with a blank"
    if not new.isprintable() or len(new) > LONGEST_NAME:
        return "a name has printable characters alone, and not too many"
    if new == target.name:
        return None
    if target.space == "rule":
        taken = new in names.declared["rule"]
        return f"there is a rule `{new}` already" if taken else None
    if new in token_tables().keywords:
        return f"`{new}` is a word of the language"
    if new in _TRUTH or new in BUILTINS:
        return f"`{new}` is built in"
    if new in BUILTIN or new in CONSTRUCTORS or new in _MEASURES:
        return f"`{new}` is a sort that is built in"
    for name in (target.name, new):
        pack = names.bound_by_imports.get(name)
        if pack is not None and target.space in ("symbol", "sort"):
            return f"the import of {pack} binds `{name}` by its name; say so in `with` first"
    if names.speaks_of(new):
        return f"`{new}` is a name of this program already"
    return None


def _edit(names: ProgramNames, at: Occurrence, old: str, new: str) -> Replace | None:
    """The edit of one place; None where the new name cannot be written there."""
    text = names.value_at(at.pointer)
    if not isinstance(text, str):
        return None
    if at.span is None:
        return Replace(at.pointer, 0, len(text), new) if text == old else None
    start, end = at.span
    before = text[start - 1 : start]
    if at.role == "template":
        return Replace(at.pointer, start, end, new) if new.isidentifier() else None
    if before in _QUOTES and before:
        # A binder in quotes: there is no place for a backquote.
        is_same = text[start:end] == old and not set(new) & {"\\", "'", '"'}
        return Replace(at.pointer, start, end, new) if is_same else None
    if text[start:end] not in (old, written(old), f"`{old}`"):
        return None
    is_whole_sort = at.role == "sort" and text.strip() == text[start:end] and is_plain_sort(new)
    return Replace(at.pointer, start, end, new if is_whole_sort else written(new))
