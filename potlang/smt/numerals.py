"""Literals as SMT-LIB writes them, and back."""

from __future__ import annotations

import re
from fractions import Fraction

from potlang.ir.numerals import digits, natural
from potlang.ir.values import Bits
from potlang.smt.errors import Unsupported

_LAST_CHARACTER = 0x2FFFF
_PLAIN = re.compile(r"[ !#-\[\]-~]*")
_LITERAL = re.compile(
    r"(?P<numeral>[0-9]+)|(?P<decimal>[0-9]+\.[0-9]+)|#b(?P<binary>[01]+)|#x(?P<hexadecimal>[0-9a-fA-F]+)"
    r'|(?P<string>".*")',
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\u(?:([0-9a-fA-F]{4})|\{([0-9a-fA-F]{1,5})\})")


def decimal(text: str) -> Fraction:
    """The number that a numeral or decimal such as `2.50` denotes."""
    whole, _, fraction = text.partition(".")
    return Fraction(natural(whole + fraction), 10 ** len(fraction))


def integer_text(value: int) -> str:
    """An Int literal."""
    return digits(value) if value >= 0 else f"(- {digits(-value)})"


def real_text(value: Fraction) -> str:
    """A Real literal, exact: `2.0`, `(- 2.0)`, `(/ 1.0 3.0)`, `(- (/ 1.0 3.0))`."""
    size = f"{digits(abs(value.numerator))}.0"
    if value.denominator != 1:
        size = f"(/ {size} {digits(value.denominator)}.0)"
    return size if value >= 0 else f"(- {size})"


def bits_text(value: int, width: int) -> str:
    """A bit-vector literal; `value` is unsigned."""
    return f"#b{value:0{width}b}" if width <= 64 else f"(_ bv{digits(value)} {width})"


def string_text(value: str) -> str:
    """A String literal. Raises `Unsupported` for characters that SMT-LIB has not (from 0x30000 on)."""
    if _PLAIN.fullmatch(value):
        return f'"{value}"'
    return f'"{"".join(map(_character, value))}"'


def _character(char: str) -> str:
    code = ord(char)
    if char == '"':
        return '""'
    if 32 <= code < 127 and char != "\\":
        return char
    if code > _LAST_CHARACTER:
        raise Unsupported(f"strings of SMT-LIB have no character U+{code:X}")
    return f"\\u{{{code:x}}}"


def read_literal(text: str) -> int | Fraction | Bits | str | None:
    """The value of a numeral, decimal, bit-vector or string literal; None for any other token."""
    found = _LITERAL.fullmatch(text)
    if found is None:
        return None
    match found.lastgroup:
        case "numeral":
            return natural(text)
        case "decimal":
            return decimal(text)
        case "binary":
            return Bits(int(text[2:], 2), len(text) - 2)
        case "hexadecimal":
            return Bits(int(text[2:], 16), 4 * (len(text) - 2))
        case _:
            return _string(text)


def _string(text: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1] or match[2], 16)), text[1:-1].replace('""', '"'))
