"""Programs damaged in one place, as text: by a slip of a model or of a hand, or on the wire."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

Path = tuple[str | int, ...]

KINDS = ("character", "bracket", "expression", "name", "key", "missing", "type", "twice", "cut")
"""The kinds of damage of `damaged`."""

_PIECES = (
    *("(", ")", "[", "]", "{", "}", ",", ":", '"', "'", "`", "\\", " ", "=", "==", "x", "0", "-", "#"),
    *("∧", "\x00", "\n", "'a", "And(", "..", "𝔸", "1e999999999", "/"),
)
_OTHERS: tuple[Any, ...] = (None, True, 0, -1, 1.5, "", "x", [], ["x"], {}, {"name": "x"}, [[]], 10**30)


def damaged(program: Mapping[str, Any], kinds: tuple[str, ...] = KINDS) -> SearchStrategy[str]:
    """The text of `program` with one mutation of one of the `kinds`; it may still be a valid program.

    `character`: one of the text is dropped, doubled or replaced; `bracket`: a bracket or quote is
    dropped; `expression`: a piece of a string is replaced; `name`: a word in a string is misspelt;
    `key`: a key is misspelt; `missing`: a member or item is dropped; `type`: a value is replaced by
    one of another type; `twice`: an item or a member occurs twice; `cut`: the text ends early.
    """
    return st.sampled_from(kinds).flatmap(lambda kind: _damaged(program, kind))


@st.composite
def _damaged(draw: DrawFn, program: Mapping[str, Any], kind: str) -> str:
    if kind in ("character", "bracket", "cut"):
        return _text_damage(draw, json.dumps(program, indent=draw(st.sampled_from([None, 1]))), kind)
    value = json.loads(json.dumps(program))
    places = [place for place in _places(value) if _fits(place, kind)]
    if not places:
        return json.dumps(value)[:-1]
    owner, key = draw(st.sampled_from(places))
    if kind == "twice" and isinstance(owner, dict):
        return _doubled_member(value, owner, key)
    _CHANGES[kind](draw, owner, key)
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


def _places(root: Any) -> Iterator[tuple[Any, Any]]:
    """Each member and item of a JSON value: its owner, and its key or index."""
    stack = [root]
    while stack:
        owner = stack.pop()
        keys = list(owner) if isinstance(owner, dict) else list(range(len(owner)))
        for key in keys:
            yield owner, key
            if isinstance(owner[key], dict | list):
                stack.append(owner[key])


def _fits(place: tuple[Any, Any], kind: str) -> bool:
    owner, key = place
    if kind == "expression":
        return isinstance(owner[key], str)
    if kind == "name":
        return isinstance(owner[key], str) and any(char.isalpha() for char in owner[key])
    return isinstance(owner, dict) if kind == "key" else True


def _text_damage(draw: DrawFn, text: str, kind: str) -> str:
    if kind == "cut":
        return text[: draw(st.integers(0, len(text) - 1))]
    if kind == "bracket":
        at = draw(st.sampled_from([i for i, char in enumerate(text) if char in '{}[]()"']))
        return text[:at] + text[at + 1 :]
    at = draw(st.integers(0, len(text) - 1))
    return text[:at] + draw(st.sampled_from(["", text[at] * 2, *_PIECES])) + text[at + 1 :]


def _expression(draw: DrawFn, owner: Any, key: Any) -> None:
    text = owner[key]
    at = draw(st.integers(0, len(text)))
    to = draw(st.integers(at, min(len(text), at + 3)))
    owner[key] = text[:at] + draw(st.sampled_from(["", *_PIECES])) + text[to:]


def _misspelling(draw: DrawFn, text: str) -> str:
    at = draw(st.sampled_from([i for i, char in enumerate(text) if char.isalpha()]))
    return text[:at] + draw(st.sampled_from(["", "z", text[at].swapcase(), text[at] * 2])) + text[at + 1 :]


def _name(draw: DrawFn, owner: Any, key: Any) -> None:
    owner[key] = _misspelling(draw, owner[key])


def _key(draw: DrawFn, owner: Any, key: Any) -> None:
    new = _misspelling(draw, key) if any(char.isalpha() for char in key) else f"{key}x"
    items = [(new if name == key else name, item) for name, item in owner.items()]
    owner.clear()
    owner.update(items)


def _missing(draw: DrawFn, owner: Any, key: Any) -> None:
    del owner[key]


def _type(draw: DrawFn, owner: Any, key: Any) -> None:
    others = [other for other in _OTHERS if type(other) is not type(owner[key])]
    owner[key] = json.loads(json.dumps(draw(st.sampled_from(others))))


def _twice(draw: DrawFn, owner: Any, key: Any) -> None:
    owner.insert(key, owner[key])


def _doubled_member(root: Any, owner: dict[str, Any], key: str) -> str:
    """The text with a key that occurs twice, which no JSON value has."""
    mark = "\ue000twice"
    owner[mark] = owner[key]
    return json.dumps(root).replace(json.dumps(mark), json.dumps(key))


_CHANGES = {
    "expression": _expression,
    "name": _name,
    "key": _key,
    "missing": _missing,
    "type": _type,
    "twice": _twice,
}
