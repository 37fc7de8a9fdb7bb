"""User text inside messages: escaped where it could deceive, shortened where it is long."""

from __future__ import annotations

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
LONGEST = 60
_LISTED = 12


def visible(text: str) -> str:
    """`text` with control, format, bidirectional and unassigned characters written as escapes."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    code = ord(char)
    return _NAMED.get(char) or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def shorten(text: str, longest: int = LONGEST) -> str:
    """`text`, its middle left out where it is longer than `longest` characters."""
    if len(text) <= longest:
        return text
    head = longest * 2 // 3
    return f"{text[:head]}…{text[head + 1 - longest :]}"


def shown(value: object, longest: int = LONGEST) -> str:
    """Any value for use in a message: one line, nothing hidden, strings at most `longest` characters."""
    if isinstance(value, list | tuple):
        more = [f"… {len(value) - _LISTED} more"] if len(value) > _LISTED else []
        return ", ".join([*(shown(item, longest) for item in value[:_LISTED]), *more])
    return visible(shorten(value if isinstance(value, str) else str(value), longest))


def counted(count: int, noun: str, plural: str = "") -> str:
    """A number with its noun: `1 file`, `2,000 files`; `plural` where that is not the noun with an s."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"
