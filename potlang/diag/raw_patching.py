"""Edits of a raw JSON text: what an edit of the value means there, the formatting around it kept."""

from __future__ import annotations

import json

from potlang.diag.model import Patch, Replace
from potlang.diag.patching import FixError, position, split_last
from potlang.source.layout import Children, Extent, Layout, raw_offset

Span = tuple[int, int, str]


def replace_span(layout: Layout, edit: Replace) -> Span:
    """The raw characters of a replacement inside a string, the new text escaped; raises `FixError`."""
    text = layout.text
    if not edit.pointer:
        return _checked(edit.start, edit.end, len(text), edit.text)
    extent = _find(layout, edit.pointer)
    if text[extent.start : extent.start + 1] != '"':
        raise FixError(f"no string at {edit.pointer!r}")
    start = raw_offset(text, extent.start + 1, extent.end - 1, edit.start)
    end = raw_offset(text, extent.start + 1, extent.end - 1, edit.end)
    return _checked(start, end, len(text), json.dumps(edit.text, ensure_ascii=False)[1:-1])


def patch_text(layout: Layout, patch: Patch) -> list[Span]:
    """The raw edits of one RFC 6902 operation, from left to right; raises `FixError`."""
    match patch.op:
        case "replace":
            extent = _find(layout, patch.path)
            return [(extent.start, extent.end, _write(patch.value))]
        case "add":
            return [_add(layout, patch.path, _write(patch.value))]
        case "remove":
            return [_remove(layout, patch.path)]
        case "copy":
            return [_add(layout, patch.path, _raw(layout, patch.source or ""))]
        case "move":
            return _move(layout, patch.source or "", patch.path)
        case _:
            raise FixError(f"unknown operation {patch.op}")


def _checked(start: int, end: int, size: int, text: str) -> Span:
    if not 0 <= start <= end <= size:
        raise FixError("outside of the text")
    return start, end, text


def _find(layout: Layout, pointer: str) -> Extent:
    extent, exact = layout.find(pointer)
    if not exact:
        raise FixError(f"nothing at {pointer!r}")
    return extent


def _raw(layout: Layout, pointer: str) -> str:
    extent = _find(layout, pointer)
    return layout.text[extent.start : extent.end]


def _write(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError) as error:
        raise FixError(str(error)) from None


def _remove(layout: Layout, pointer: str) -> Span:
    if not pointer:
        raise FixError("the whole document cannot be removed")
    gone = _find(layout, pointer)
    start = gone.start if gone.key_start < 0 else gone.key_start
    siblings = _extents(layout.children(_find(layout, split_last(pointer)[0]).start))
    at = siblings.index(gone)
    if at + 1 < len(siblings):
        return start, _first(siblings[at + 1]), ""
    return (siblings[at - 1].end if at else start), gone.end, ""


def _add(layout: Layout, pointer: str, written: str) -> Span:
    if not pointer:
        root = layout.root()
        return root.start, root.end, written
    base, token = split_last(pointer)
    parent = _find(layout, base)
    children = layout.children(parent.start)
    if isinstance(children, dict):
        if token in children:
            return children[token].start, children[token].end, written
        written = f"{json.dumps(token, ensure_ascii=False)}: {written}"
        return _insert(layout.text, parent, list(children.values()), len(children), written)
    if layout.text[parent.start] != "[":
        raise FixError("only objects and arrays can be added to")
    at = len(children) if token == "-" else position(token, len(children) + 1)
    return _insert(layout.text, parent, children, at, written)


def _insert(text: str, parent: Extent, siblings: list[Extent], at: int, written: str) -> Span:
    if not siblings:
        return parent.start + 1, parent.start + 1, written
    if at < len(siblings):
        here = _first(siblings[at])
        before = siblings[at - 1].end if at else parent.start
        return here, here, f"{written},{_space_before(text, here, before) or ' '}"
    last = siblings[-1]
    space = _space_before(text, _first(last), parent.start)
    if len(siblings) == 1 and not space:
        space = " "
    return last.end, last.end, f",{space}{written}"


def _space_before(text: str, position: int, least: int) -> str:
    start = position
    while start > least + 1 and text[start - 1] in " \t\r\n":
        start -= 1
    return text[start:position]


def _move(layout: Layout, source: str, path: str) -> list[Span]:
    gone = _find(layout, source)
    if source == path:
        return []
    if not source or not path or path.startswith(source + "/"):
        raise FixError("cannot move a value into itself")
    (old_base, _), (new_base, new) = split_last(source), split_last(path)
    siblings = layout.children(_find(layout, old_base).start)
    if old_base == new_base and isinstance(siblings, dict) and new not in siblings:
        return [(gone.key_start, gone.key_end, json.dumps(new, ensure_ascii=False))]
    return _cut_and_paste(layout, source, path)


def _cut_and_paste(layout: Layout, source: str, path: str) -> list[Span]:
    # The target of a move is meant after the removal, so the second edit is found in the text after it.
    written = _raw(layout, source)
    start, end, _ = _remove(layout, source)
    shorter = Layout(layout.text[:start] + layout.text[end:])
    at, until, added = _add(shorter, path, written)
    text = shorter.text[:at] + added + shorter.text[until:]
    return [(0, len(layout.text), text)]


def _extents(children: Children) -> list[Extent]:
    return list(children.values()) if isinstance(children, dict) else children


def _first(extent: Extent) -> int:
    return extent.start if extent.key_start < 0 else extent.key_start
