"""Decimal numerals of any length: built-in conversions stop at 4,300 digits, so long ones go in pieces."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction

from potlang.utils.deadline import look

_PIECE = 4000
_SHORT_BITS = 13_000


def digits(number: int) -> str:
    """A natural number in decimal, of any length."""
    if number.bit_length() < _SHORT_BITS:
        return str(number)
    pieces: list[tuple[int, int]] = [(number, 0)]
    out: list[str] = []
    while pieces:
        part, width = pieces.pop()
        if part.bit_length() < _SHORT_BITS and width <= _PIECE:
            out.append(str(part).zfill(width))
            continue
        half = (width or part.bit_length() * 3 // 10) // 2
        high, low = divmod(part, 10**half)
        pieces.append((low, half))
        pieces.append((high, max(width - half, 0)))
    return "".join(out).lstrip("0") or "0"


def natural(text: str) -> int:
    """The number that decimal digits denote, of any length."""
    if len(text) <= _PIECE:
        return int(text)
    look()
    parts = [int(text[max(end - _PIECE, 0) : end]) for end in range(len(text), 0, -_PIECE)]
    base = 10**_PIECE
    while len(parts) > 1:
        pairs = [
            parts[i] + (parts[i + 1] * base if i + 1 < len(parts) else 0) for i in range(0, len(parts), 2)
        ]
        parts, base = pairs, base * base
    return parts[0]


def decimal(number: int) -> str:
    """An integer in decimal."""
    return digits(number) if number >= 0 else "-" + digits(-number)


def integer(text: str) -> int:
    """The number that an optional minus sign and ASCII digits write. Raises `ValueError` for other text."""
    written = text.removeprefix("-")
    if not (written.isascii() and written.isdigit()):
        raise ValueError("not a numeral")
    return -natural(written) if text.startswith("-") else natural(written)


def fraction(text: str, most: int) -> Fraction | None:
    """`2.50`, `.5`, `1e-3` exactly; None where the exponent shifts by more than `most` digits."""
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, places = mantissa.partition(".")
    power = int(exponent) if exponent and len(exponent) < 8 else 0
    if len(exponent) >= 8 or abs(power) > most:
        return None
    value = Fraction(natural((whole + places) or "0"), 10 ** len(places))
    scale = Fraction(10 ** abs(power))
    return value * scale if power >= 0 else value / scale


def digits_of(numeral: str, enough: int) -> int:
    """How many digits a numeral has when written without an exponent (exact up to `enough`)."""
    written = len(numeral) - numeral.startswith("-")
    if "e" not in numeral and "E" not in numeral:
        return written - ("." in numeral)
    if written > enough:
        return enough + 1
    try:
        value = Decimal(numeral)
    except InvalidOperation:
        return enough + 1
    _, figures, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        return enough + 1
    return max(len(figures), len(figures) + exponent, 1 - exponent)
