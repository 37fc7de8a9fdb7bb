"""JSON pointers (RFC 6901) as strings."""

from __future__ import annotations


def escape_token(token: str | int) -> str:
    """One reference token, escaped: `a/b` becomes `a~1b`."""
    return str(token).replace("~", "~0").replace("/", "~1")


def join_pointer(base: str, *tokens: str | int) -> str:
    """`base` extended by `tokens`: `join_pointer("/rules", 3, "name")` is `/rules/3/name`."""
    for token in tokens:
        base += "/" + escape_token(token)
    return base


def array_index(token: str, length: int) -> int | None:
    """The index below `length` that a token names; None if it names none."""
    if token.isascii() and token.isdigit() and len(token) < 12 and int(token) < length:
        return int(token)
    return None


def split_pointer(pointer: str) -> list[str]:
    """The decoded tokens of a pointer; the empty pointer has none."""
    if not pointer:
        return []
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer[1:].split("/")]
