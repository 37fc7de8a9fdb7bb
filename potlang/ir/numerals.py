"""Decimal numerals of any length: the built-in conversions stop at 4,300 digits."""

from __future__ import annotations

_CHUNK = 4_000
_BASE = 10**_CHUNK


def decimal(number: int) -> str:
    """`number` in decimal."""
    parts = []
    rest = abs(number)
    while rest >= _BASE:
        rest, low = divmod(rest, _BASE)
        parts.append(str(low).zfill(_CHUNK))
    text = str(rest) + "".join(reversed(parts))
    return "-" + text if number < 0 else text


def integer(text: str) -> int:
    """The number that an optional minus sign and ASCII digits write. Raises `ValueError` for other text."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError("not a numeral")
    number = 0
    for start in range(0, len(digits), _CHUNK):
        part = digits[start : start + _CHUNK]
        number = number * 10 ** len(part) + int(part)
    return -number if text.startswith("-") else number
