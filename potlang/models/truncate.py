"""Answers that fit a budget of tokens: evidence goes before verdicts, cuts are counted ([TOOL-BUDGET])."""

from __future__ import annotations

import json
import math
from typing import Any, Final, NamedTuple

DEFAULT_BUDGET: Final = 1_500
"""Tokens, each taken for four characters of the answer's ASCII JSON."""
LEAST_BUDGET: Final = 250
"""A smaller budget is taken for this one."""
_CHARACTERS: Final = 4
_DEEPEST: Final = 12
_MOST_KEYS: Final = 100
_MARK: Final = 40
"""Characters for what stands in the place of a text's middle."""
_HINT_DIAGNOSTICS: Final = "correct these first, then call again; `explain` says what a code means"
_HINT: Final = "ask about fewer things at once, or have whoever runs the tool allow longer answers"
_HINT_LINTS: Final = "`check` says all that the linter finds without a solver"
_WHOLE: Final = ("fix", "code", "pointer", "path", "from")
"""Parts that are kept whole or not at all: a cut one would be applied, or looked up, as if it were whole."""
_MAPS: Final = ("could_be_true", "could_be_false", "holds_for", "fails_for", "model", "fields")
"""Objects whose keys are data: they are cut as lists are."""
_OPTIONAL: Final = "lints"
"""The part that stands in an answer only where all of it has room."""
_KEPT: Final = ("operation", "status", "error", "verdict", "left_out", "hint")


class _Size(NamedTuple):
    """Limits: characters of a text, items of a list at the top, items of a nested list."""

    text: int
    items: int
    inner: int


_FULL: Final = (_Size(4_000, 100, 100), _Size(1_000, 100, 40))
_BARE: Final = (
    *(_Size(200, 100, 0), _Size(200, 60, 0), _Size(160, 40, 0), _Size(160, 24, 0), _Size(160, 16, 0)),
    *(_Size(160, 10, 0), _Size(160, 6, 0), _Size(160, 4, 0), _Size(160, 2, 0), _Size(160, 1, 0)),
    *(_Size(80, 1, 0), _Size(80, 0, 0)),
)
_RICHER: Final = (_Size(200, 0, 2), _Size(300, 0, 8), _Size(1_000, 0, 40))
"""Limits by which single items of a bare answer are then restored, as far as there is room."""


def truncate_to_budget(answer: dict[str, Any], budget: int = DEFAULT_BUDGET) -> dict[str, Any]:
    """The answer, cut until its JSON text has at most `budget` tokens; `left_out` counts the cuts by key.

    Only plain JSON values are in it, without lone surrogates. An `answer` may have `left_out` counts.
    """
    most = max(LEAST_BUDGET, budget) * _CHARACTERS
    made: dict[str, Any] = {}
    before = answer.get("left_out", {})
    whole = {key: value for key, value in answer.items() if key not in ("left_out", "hint")}
    if (
        isinstance(whole.get(_OPTIONAL), list)
        and len(json.dumps(_joined(_cut_parts(whole, _FULL[0], before), before))) > most
    ):
        before = {**before, _OPTIONAL: before.get(_OPTIONAL, 0) + len(whole.pop(_OPTIONAL))}
    # From rich to bare; a few fixed sizes, so that the time does not depend on the content.
    for size in (*_FULL, *_BARE):
        parts = _cut_parts(whole, size, before)
        made = _joined(parts, before)
        length = len(json.dumps(made))
        if length <= most:
            if size in _BARE:
                _enrich(parts, most - length)
                made = _joined(parts, before)
            return made
    # Not even the barest form fits: the parts that a caller branches on are left.
    return {key: made[key] for key in _KEPT if key in made and len(json.dumps(made[key])) <= most // 8}


class _KeptPart:
    """The kept part of a value of an answer; `left_out` counts the rest, `before` included."""

    def __init__(self, value: Any, size: _Size, before: int) -> None:
        self.is_list = isinstance(value, list | tuple)
        self.originals = list(value)[: size.items] if self.is_list else [value]
        self.dropped = before + (len(value) - len(self.originals) if self.is_list else 0)
        self.items = [_cut(each, size) for each in self.originals]

    @property
    def left_out(self) -> int:
        return self.dropped + sum(count for _, count in self.items)

    @property
    def value(self) -> Any:
        kept = [value for value, _ in self.items]
        return kept if self.is_list else kept[0]


def _cut_parts(whole: dict[str, Any], size: _Size, before: dict[str, int]) -> dict[str, _KeptPart]:
    return {key: _KeptPart(value, size, before.get(key, 0)) for key, value in whole.items()}


def _joined(parts: dict[str, _KeptPart], before: dict[str, int]) -> dict[str, Any]:
    made = {key: part.value for key, part in parts.items()}
    counts = {key: part.left_out for key, part in parts.items()}
    left_out = {key: count for key, count in {**before, **counts}.items() if count}
    if left_out:
        made["left_out"] = left_out
        hint = _HINT_LINTS if list(left_out) == [_OPTIONAL] else _HINT
        made["hint"] = _HINT_DIAGNOSTICS if "diagnostics" in left_out else hint
    return made


def _enrich(parts: dict[str, _KeptPart], room: int) -> None:
    """Restores cut items: all of them a little before any of them much, diagnostics first."""
    for size in _RICHER:
        for part in sorted(parts.values(), key=lambda part: part is not parts.get("diagnostics")):
            for number, (value, left_out) in enumerate(part.items):
                if not left_out:
                    continue
                digits = len(str(part.left_out))
                richer = part.items[number] = _cut(part.originals[number], size)
                # A list of which a little is kept may count more as left out than one that went whole.
                more = len(json.dumps(richer[0])) - len(json.dumps(value)) + len(str(part.left_out)) - digits
                if 0 < more <= room:
                    room -= more
                else:
                    part.items[number] = value, left_out


def _cut(value: Any, size: _Size) -> tuple[Any, int]:
    cut = _Cut(size)
    return cut.value(value, 0), cut.left_out


class _Cut:
    def __init__(self, size: _Size) -> None:
        self._size = size
        self.left_out = 0

    def value(self, value: Any, depth: int) -> Any:
        """The value in plain JSON, with long parts cut."""
        if isinstance(value, str):
            return self._text(value)
        if not isinstance(value, dict | list | tuple):
            plain = _scalar(value)
            return self._text(plain) if isinstance(plain, str) else plain
        if depth > _DEEPEST:
            self.left_out += 1
            return None
        if isinstance(value, dict):
            return self._members(value, depth, _MOST_KEYS)
        kept = value[: self._size.inner]
        self.left_out += len(value) - len(kept)
        return [self.value(item, depth + 1) for item in kept]

    def _members(self, members: dict[Any, Any], depth: int, most: int) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, value in members.items():
            name = _clean(str(key))
            if len(made) < most and self._is_kept(name, value):
                made[name] = self._member(name, value, depth + 1)
            else:
                self.left_out += 1
        return made

    def _is_kept(self, name: str, value: Any) -> bool:
        if name in _WHOLE:
            return len(json.dumps(value, default=str)) <= 2 * self._size.text
        # A list or object of which nothing would be kept goes with its key.
        hollow = bool(value) and isinstance(value, dict | list | tuple) and not self._size.inner
        return not hollow and _cost(name) <= self._size.text

    def _member(self, name: str, value: Any, depth: int) -> Any:
        if name in _WHOLE:
            return _cleaned(value)
        if name in _MAPS and isinstance(value, dict):
            return self._members(value, depth, 2 * self._size.inner)
        return self.value(value, depth)

    def _text(self, text: str) -> str:
        """The text, or its two ends with the number of characters that are missing between them."""
        text = _clean(text)
        if _cost(text) <= self._size.text:
            return text
        self.left_out += 1
        room = (self._size.text - _MARK) // 2
        head = _end(text[:room], room, from_front=True)
        tail = _end(text[-room:], room, from_front=False)
        return f"{head} …[{len(text) - len(head) - len(tail)} characters left out]… {tail}"


def _end(text: str, room: int, *, from_front: bool) -> str:
    """As much of the front or the back as takes no more room."""
    while (cost := _cost(text)) > room:
        count = len(text) * room // cost
        text = text[:count] if from_front else text[len(text) - count :]
    return text


def _cost(text: str) -> int:
    return len(json.dumps(text)) - 2


def _clean(text: str) -> str:
    """Without lone surrogates, which UTF-8 cannot hold: they stand as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _cleaned(value: Any) -> Any:
    """The value in plain JSON, whole."""
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, dict):
        return {_clean(str(key)): _cleaned(each) for key, each in value.items()}
    return [_cleaned(each) for each in value] if isinstance(value, list | tuple) else _scalar(value)


def _scalar(value: Any) -> Any:
    """A number, a truth value or null of JSON; text for any other value."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int):
        if abs(value) < 1 << 63:
            return value
        return str(value) if value.bit_length() < 10_000 else f"a number of {value.bit_length()} bits"
    return _clean(str(value))
