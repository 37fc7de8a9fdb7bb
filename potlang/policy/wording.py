"""The changes between two texts, token by token, in a few words: `18 → 21`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, Final

from potlang.expressions.names import with_names

_TOKEN: Final = re.compile(r"`[^`]*`|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[\w.]+|<->|->|[<>=!]=|\S")
_MOST_TOKENS: Final = 2_000
_MOST_PLACES: Final = 2
_DEEPEST: Final = 8


def tokens(text: str) -> list[str]:
    """The tokens of a formula, for comparison alone."""
    return _TOKEN.findall(text)


def value_with_names(value: Any, names: Mapping[str, str], depth: int = 0) -> Any:
    """A JSON value with names replaced in its keys and texts; what is nested deeper than is usual stays."""
    if isinstance(value, str):
        # A name may stand by itself, as the value of a case.
        return names[value] if value in names else with_names(value, names)
    if depth < _DEEPEST and isinstance(value, list):
        return [value_with_names(each, names, depth + 1) for each in value]
    if depth < _DEEPEST and isinstance(value, dict):
        return {names.get(key, key): value_with_names(each, names, depth + 1) for key, each in value.items()}
    return value


def likeness(old: str, new: str) -> float:
    """How much two texts have in common, from 0 to 1."""
    return SequenceMatcher(None, tokens(old), tokens(new), autojunk=False).ratio()


def change_words(old: str, new: str) -> str:
    """The places where two texts differ, such as `18 → 21`; both texts where that is too much."""
    before, after = list(_TOKEN.finditer(old)), list(_TOKEN.finditer(new))
    if max(len(before), len(after)) <= _MOST_TOKENS:
        texts = [each[0] for each in before], [each[0] for each in after]
        steps = SequenceMatcher(None, *texts, autojunk=False).get_opcodes()
        places = [(before[a:b], after[c:d]) for tag, a, b, c, d in steps if tag != "equal"]
        # What is gone from one place and comes at another was moved.
        is_moved = {bool(gone) for gone, _ in places} == {bool(come) for _, come in places} == {True, False}
        if len(places) <= _MOST_PLACES and not is_moved:
            return "; ".join(_place(_part(old, gone), _part(new, come)) for gone, come in places)
    return f"{old} → {new}"


def _part(text: str, found: Sequence[re.Match[str]]) -> str:
    return text[found[0].start() : found[-1].end()] if found else ""


def _place(old: str, new: str) -> str:
    if not old:
        return f"added {new}"
    return f"{old} → {new}" if new else f"left out {old}"
