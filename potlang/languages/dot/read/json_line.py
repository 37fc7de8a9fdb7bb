"""JSON values as one line: as written, or in a form that equal values share."""

from __future__ import annotations

import json
from decimal import Decimal


def json_line(value: object, *, canonical: bool = False) -> str:
    """The JSON text of a value whose numbers are integers, decimals or floats.

    The canonical form sorts keys, has no spaces, and writes one number in one way; an integer is
    another number than the decimal of its value. Raises `TypeError` for what JSON does not have.
    """
    comma, colon = (",", ":") if canonical else (", ", ": ")
    parts: list[str] = []
    stack: list[object] = [value]
    while stack:
        here = stack.pop()
        if isinstance(here, _Mark):
            parts.append(here.text)
        elif isinstance(here, dict):
            keys = sorted(here, reverse=True) if canonical else list(here)[::-1]
            stack.append(_Mark("}"))
            for index, key in enumerate(keys, 1):
                stack += [here[key], _Mark(_string(key) + colon)]
                if index < len(keys):
                    stack.append(_Mark(comma))
            parts.append("{")
        elif isinstance(here, list | tuple):
            stack.append(_Mark("]"))
            for index in range(len(here) - 1, -1, -1):
                stack.append(here[index])
                if index:
                    stack.append(_Mark(comma))
            parts.append("[")
        else:
            parts.append(_scalar(here, canonical))
    return "".join(parts)


class _Mark:
    """Text between values."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def _string(text: object) -> str:
    if not isinstance(text, str):
        raise TypeError(f"not a key of a JSON object: {text!r}")
    return json.dumps(text, ensure_ascii=False)


def _scalar(value: object, canonical: bool) -> str:
    if isinstance(value, str):
        return _string(value)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, float):
        value = Decimal(repr(value))
    if isinstance(value, Decimal) and value.is_finite():
        return _decimal(value) if canonical else str(value)
    if isinstance(value, int):
        return str(value) if value.bit_length() < 2_000 else f"{Decimal(value):f}"
    raise TypeError(f"not a JSON value: {type(value).__name__}")


def _decimal(value: Decimal) -> str:
    """A decimal as digits and exponent; a long integer is read as a decimal too, and stays an integer."""
    sign, digits, exponent = value.as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    assert isinstance(exponent, int)
    if exponent == 0 and len(text) > 600:
        return ("-" if sign else "") + text
    short = text.rstrip("0")
    return (
        f"{'-' if sign and short else ''}{short or '0'}e{exponent + len(text) - len(short) if short else 0}"
    )
