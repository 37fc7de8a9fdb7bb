"""Edits of a JSON value: RFC 6902 operations that share what they do not change."""

from __future__ import annotations

from collections.abc import Callable

from potlang.diag.model import Patch, Replace
from potlang.source import array_index, join_pointer, split_pointer

Change = Callable[[object, str], object]


class FixError(ValueError):
    """An edit does not apply: the place does not exist, or is no string, or no raw text is at hand."""


def patch_value(value: object, patch: Patch) -> object:
    """`value` after one operation; raises `FixError`. A `move` within an object keeps the member's place."""
    match patch.op:
        case "replace" if not patch.path:
            return patch.value
        case "replace":
            return _at_parent(value, patch.path, lambda parent, token: _set(parent, token, patch.value))
        case "add" if not patch.path:
            return patch.value
        case "add":
            return _at_parent(value, patch.path, lambda parent, token: _add(parent, token, patch.value))
        case "remove":
            return _at_parent(value, patch.path, _remove)
        case "copy":
            moved = get(value, patch.source or "")
            return patch_value(value, Patch("add", patch.path, moved))
        case "move":
            return _move(value, patch.source or "", patch.path)
        case _:
            raise FixError(f"unknown operation {patch.op}")


def replace_in_value(value: object, edit: Replace) -> object:
    """`value` after one replacement inside a string."""
    text = get(value, edit.pointer)
    if not edit.pointer or not isinstance(text, str):
        raise FixError(f"no string at {edit.pointer!r}")
    changed = text[: edit.start] + edit.text + text[edit.end :]
    return patch_value(value, Patch("replace", edit.pointer, changed))


def get(value: object, pointer: str) -> object:
    """The value at a pointer; raises `FixError`."""
    for token in split_pointer(pointer):
        value = _child(value, token)
    return value


def split_last(pointer: str) -> tuple[str, str]:
    """The parent's pointer and the last token."""
    *base, last = split_pointer(pointer)
    return join_pointer("", *base), last


def position(token: str, length: int) -> int:
    """The array index that a token names, below `length`; raises `FixError`."""
    index = array_index(token, length)
    if index is None:
        raise FixError(f"no index {token}")
    return index


def _child(value: object, token: str) -> object:
    if isinstance(value, dict) and token in value:
        return value[token]
    if isinstance(value, list):
        return value[position(token, len(value))]
    raise FixError(f"no member {token}")


def _at_parent(value: object, pointer: str, change: Change) -> object:
    tokens = split_pointer(pointer)
    if not tokens:
        raise FixError("the whole document has no parent")
    chain = [value]
    for token in tokens[:-1]:
        chain.append(_child(chain[-1], token))
    result = change(chain[-1], tokens[-1])
    for parent, token in zip(reversed(chain[:-1]), reversed(tokens[:-1]), strict=True):
        result = _set(parent, token, result)
    return result


def _set(parent: object, token: str, item: object) -> object:
    _child(parent, token)
    if isinstance(parent, dict):
        return {**parent, token: item}
    assert isinstance(parent, list)
    at = position(token, len(parent))
    return [*parent[:at], item, *parent[at + 1 :]]


def _add(parent: object, token: str, item: object) -> object:
    if isinstance(parent, dict):
        return {**parent, token: item}
    if isinstance(parent, list):
        at = len(parent) if token == "-" else position(token, len(parent) + 1)
        return [*parent[:at], item, *parent[at:]]
    raise FixError("only objects and arrays can be added to")


def _remove(parent: object, token: str) -> object:
    _child(parent, token)
    if isinstance(parent, dict):
        return {key: item for key, item in parent.items() if key != token}
    assert isinstance(parent, list)
    at = position(token, len(parent))
    return [*parent[:at], *parent[at + 1 :]]


def _move(value: object, source: str, path: str) -> object:
    moved = get(value, source)
    if path.startswith(source + "/"):
        raise FixError("a value cannot be moved into itself")
    if source and path and source != path:
        (old_base, old), (new_base, new) = split_last(source), split_last(path)
        parent = get(value, old_base)
        if old_base == new_base and isinstance(parent, dict) and new not in parent:
            renamed = {new if key == old else key: item for key, item in parent.items()}
            return patch_value(value, Patch("replace", old_base, renamed))
    return patch_value(patch_value(value, Patch("remove", source)), Patch("add", path, moved))
