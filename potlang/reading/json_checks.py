"""Finds the places of errors that `json.loads` passes: repeated keys, NaN, long numerals, lone surrogates."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice

from potlang.diag import Applicability, Fix, Label, Place, Replace, Sink
from potlang.ir.numerals import digits_of
from potlang.source import InputLimits, join_pointer
from potlang.source.json_tokens import JsonToken, tokens
from potlang.source.layout import Layout, decode_string, skip_space, skip_value

_MOST = 100
_SURROGATE = re.compile("[\ud800-\udfff]")


def bracket_at_depth(text: str, depth: int) -> int:
    """The offset of the first bracket that is nested `depth` deep; of the last one if none is."""
    now = last = 0
    for token in tokens(text):
        if token.kind in ("{", "["):
            now += 1
            last = token.start
            if now >= depth:
                break
        elif token.kind in ("}", "]"):
            now -= 1
    return last


def report_numbers(text: str, sink: Sink, limits: InputLimits) -> None:
    """Reports `NaN` and infinities (POT1006) and numerals that are too long (POT0004)."""
    for token in tokens(text):
        place = Place("", token.span)
        if token.kind == "word" and token.text not in ("true", "false", "null"):
            sink.report("POT1006", place, helps=("JSON has no such number",), constant=token.text)
        elif token.kind == "number" and (digits := digits_of(token.text, limits.digits)) > limits.digits:
            sink.report("POT0004", place, digits=digits, limit=limits.digits)
        if len(sink) >= _MOST:
            break


@dataclass(slots=True)
class _Frame:
    """An open container: `token` is where the scan is in it, `seen` the places of its keys."""

    token: str | int = 0
    seen: dict[str, list[tuple[int, int]]] = field(default_factory=dict)


def report_duplicates(text: str, sink: Sink) -> None:
    """Reports each key that occurs again in its object (POT1004), at its last occurrence."""
    layout = Layout(text)
    for pointer, key, spans in islice(_duplicates(text), _MOST):
        extent, _ = layout.find(pointer)
        sink.report(
            "POT1004",
            Place(pointer, on_key=True) if extent.key_start == spans[-1][0] else Place("", spans[-1]),
            primary="this one counts",
            labels=[Label(Place("", span), "also here") for span in spans[-4:-1]],
            helps=("merge the values under one key, or rename one of the keys",),
            fixes=_same_value_fix(text, spans),
            key=key,
        )


def _same_value_fix(text: str, spans: list[tuple[int, int]]) -> tuple[Fix, ...]:
    values = [_member_value(text, end) for _, end in spans]
    if any(text[start:end] != text[slice(*values[-1])] for start, end in values):
        return ()
    edits = tuple(
        Replace("", start, skip_space(text, skip_space(text, value[1]) + 1), "")
        for (start, _), value in zip(spans[:-1], values[:-1], strict=True)
    )
    return (Fix("remove the repetition: the values are the same", Applicability.SAFE, edits),)


def _member_value(text: str, key_end: int) -> tuple[int, int]:
    start = skip_space(text, skip_space(text, key_end) + 1)
    return start, skip_value(text, start)


def _duplicates(text: str) -> Iterator[tuple[str, str, list[tuple[int, int]]]]:
    """(pointer, key, raw spans of the key's occurrences) of valid JSON, object by object."""
    frames: list[_Frame] = []
    previous: JsonToken | None = None
    for token in tokens(text):
        if token.kind in ("{", "["):
            frames.append(_Frame())
        elif token.kind == ":" and previous is not None:
            frame = frames[-1]
            frame.token = decode_string(previous.text)
            frame.seen.setdefault(frame.token, []).append(previous.span)
        elif token.kind == "," and isinstance(frames[-1].token, int):
            frames[-1].token += 1
        elif token.kind in ("}", "]"):
            closed = frames.pop()
            base = [frame.token for frame in frames]
            for key, spans in closed.seen.items():
                if len(spans) > 1:
                    yield join_pointer("", *base, key), key, spans
        previous = token


_PLAIN = 2_000_000
"""A level of a value that repeats its parts without end has more than this many."""


def is_plain(value: object, most: int) -> bool:
    """True for a tree of dicts, lists, ASCII strings, booleans and None, at most `most` deep.

    Quick and without places; for everything else `report_value` decides.
    """
    level: list[object] = [value]
    for _ in range(most):
        below: list[object] = []
        for here in level:
            kind = type(here)
            if kind is dict:
                for key in here:  # type: ignore[attr-defined]
                    if type(key) is not str or not key.isascii():
                        return False
                below += here.values()  # type: ignore[attr-defined]
            elif kind is list:
                below += here  # type: ignore[arg-type]
            elif kind is str:
                if not here.isascii():  # type: ignore[attr-defined]
                    return False
            elif kind is not bool and here is not None:
                return False
        if not below:
            return True
        if len(below) > _PLAIN:
            return False
        level = below
    return False


def report_value(value: object, sink: Sink, limits: InputLimits) -> None:
    """Reports what in a Python value JSON could not have said: other types, cycles, NaN, deep nesting.

    And halves of surrogate pairs (POT1005), which also JSON text can say: they cannot be written out.
    """
    if is_plain(value, limits.nesting):
        return
    stack: list[tuple[str, object, int]] = [("", value, 0)]
    depths: dict[int, int] = {}
    while stack and len(sink) < _MOST:
        pointer, here, depth = stack.pop()
        if not isinstance(here, dict | list | tuple):
            _report_scalar(Place(pointer), here, sink, limits)
        elif depth >= limits.nesting:
            sink.report("POT0003", pointer, limit=limits.nesting)
            break
        elif depths.get(id(here), -1) < depth:
            # A part that is shared is looked at again only where it stands deeper than before.
            depths[id(here)] = depth
            stack += reversed(
                [(place, item, depth + 1) for place, item in _items(pointer, here, sink, limits)]
            )


def _items(
    pointer: str,
    container: dict[object, object] | list[object] | tuple[object, ...],
    sink: Sink,
    limits: InputLimits,
) -> Iterator[tuple[str, object]]:
    if not isinstance(container, dict):
        yield from ((f"{pointer}/{index}", item) for index, item in enumerate(container))
        return
    for key, item in container.items():
        if not isinstance(key, str):
            sink.report("POT1010", pointer, expected="a string as key", found=_type_name(key))
            continue
        place = join_pointer(pointer, key)
        _report_scalar(Place(place, on_key=True), key, sink, limits)
        yield place, item


def _report_scalar(place: Place, value: object, sink: Sink, limits: InputLimits) -> None:
    if isinstance(value, str):
        if half := _SURROGATE.search(value):
            sink.report(
                "POT1005",
                place._replace(span=half.span()),
                helps=("write the character itself, or both halves of the pair",),
                escape=f"\\u{ord(half[0]):04x}",
            )
    elif isinstance(value, int):
        if value.bit_length() > limits.digits * 10 // 3 + 4:
            sink.report("POT0004", place, digits=value.bit_length() * 3 // 10, limit=limits.digits)
    elif isinstance(value, float | Decimal):
        if not math.isfinite(value):
            sink.report("POT1006", place, constant=str(value))
    elif value is not None:
        sink.report("POT1010", place, expected="a JSON value", found=_type_name(value))


def _type_name(value: object) -> str:
    return f"a Python {type(value).__name__}"
