"""UTF-8 as an automaton over bytes: between characters, and in front of the bytes that one still needs."""

from __future__ import annotations

from types import MappingProxyType

WHOLE = ()
"""The state between characters."""
Partial = tuple[tuple[int, int], ...]
"""The ranges of the bytes that complete the character."""
_TAIL = (0x80, 0xBF)
_LEADS: tuple[tuple[int, int, Partial], ...] = (
    (0x00, 0x7F, ()),
    (0xC2, 0xDF, (_TAIL,)),
    (0xE0, 0xE0, ((0xA0, 0xBF), _TAIL)),
    (0xE1, 0xEC, (_TAIL, _TAIL)),
    (0xED, 0xED, ((0x80, 0x9F), _TAIL)),
    (0xEE, 0xEF, (_TAIL, _TAIL)),
    (0xF0, 0xF0, ((0x90, 0xBF), _TAIL, _TAIL)),
    (0xF1, 0xF3, (_TAIL, _TAIL, _TAIL)),
    (0xF4, 0xF4, ((0x80, 0x8F), _TAIL, _TAIL)),
)
_AFTER = MappingProxyType({byte: rest for low, high, rest in _LEADS for byte in range(low, high + 1)})


def after(partial: Partial, byte: int) -> Partial | None:
    """The state behind one more byte; None where no character has it there."""
    if not partial:
        return _AFTER.get(byte)
    low, high = partial[0]
    return partial[1:] if low <= byte <= high else None


def completing(partial: Partial) -> bytes:
    """The smallest bytes that complete a character."""
    return bytes(low for low, _ in partial)
