"""The diagnostic of a byte that nothing saves in the JSON of a `@prop`: a code with its fields."""

from __future__ import annotations

from typing import Any

from potlang.languages.dot.read.propositions import DECLARING, LONGEST_NAME
from potlang.languages.dot.read.records import Role
from potlang.languages.dot.stream import utf8
from potlang.languages.dot.stream.json_bytes import (
    UNFINISHED,
    BehindValue,
    Brackets,
    Cursor,
    Expected,
    ExpectedKey,
    InNumber,
    InString,
    JsonBytes,
    ListFrame,
    longer,
)
from potlang.languages.dot.stream.json_shapes import KEYWORDS, SHAPES_OF

Found = tuple[str, dict[str, Any]]
_NOT_UTF8: Found = ("POT5005", {"what": "the `@prop`"})
_WRONG_SHAPE = "no proposition or term goes on so here"


def json_violation(json: JsonBytes, cursor: Cursor, byte: int, role: Role | None, of_problem: bool) -> Found:
    """Why no `@prop` has this byte behind the cursor."""
    at, stack = cursor
    one = bytes((byte,))
    if one == b"\n":
        return _not_json("the line ends before the value does")
    if not isinstance(at, InString) and utf8.after(utf8.WHOLE, byte) is None:
        return "POT5005", {"what": "the `@prop`"}
    match at:
        case InString():
            return _in_string(at, stack, byte, role, of_problem)
        case InNumber():
            if longer(at, byte) is not None:
                return "POT0004", {"digits": json.limits.digits + 1, "limit": json.limits.digits}
            if at.part in UNFINISHED or byte in b"0123456789.eE+-":
                return _not_json("this is no number")
            return _behind_value(json.behind_value(stack).stack, one)
        case Expected():
            return _value(json, at, stack, one)
        case ExpectedKey():
            return _shape() if one == b"}" else _not_json("expected a key in double quotes")
        case BehindValue():
            return _behind_value(stack, one)
    return _not_json("a key is followed by `:`")


def _behind_value(stack: Brackets | None, one: bytes) -> Found:
    if stack is None:
        return _not_json("there is text after the JSON value")
    end = b"]" if isinstance(stack.frame, ListFrame) else b"}"
    return _shape() if one in (end, b",") else _not_json(f"expected `,` or `{end.decode()}`")


def _not_json(problem: str) -> Found:
    return "POT1001", {"problem": problem}


def _shape(problem: str = _WRONG_SHAPE) -> Found:
    return "POT5041", {"problem": problem}


def _value(json: JsonBytes, at: Expected, stack: Brackets | None, one: bytes) -> Found:
    shape = SHAPES_OF[at.kind]
    if one in (b"[", b"{"):
        fits = shape.list if one == b"[" else shape.object
        return _shape() if fits is None else ("POT0003", {"limit": json.limits.nesting})
    if one in (b"N", b"I"):
        return "POT1006", {"constant": "NaN" if one == b"N" else "Infinity"}
    if one in b'"-0123456789tfn]':
        return _shape()
    return _not_json("expected a value")


def _in_string(at: InString, stack: Brackets | None, byte: int, role: Role | None, of_problem: bool) -> Found:
    one = bytes((byte,))
    if at.rest:
        is_other = at.among is not None and utf8.after(at.rest, byte) is not None
        return _shape("no name that may be used here goes on so") if is_other else _NOT_UTF8
    if at.half or at.part:
        return _in_escape(at, one)
    if at.among is not None and byte >= 0x20:
        text = (at.text or "") + (one.decode("latin-1") if one != b'"' else "")
        return _shape(
            f"no name that may be used here begins with `{text}`"
            if one != b'"'
            else f"`{text}` is no name that may be used here"
        )
    if byte < 0x20:
        return _not_json("a string contains a raw control character")
    if utf8.after(utf8.WHOLE, byte) is None:
        return "POT5005", {"what": "the `@prop`"}
    if one == b'"':
        if at.text is not None and at.length and stack is not None and not isinstance(stack.frame, ListFrame):
            if at.text in stack.frame.keys:
                return "POT1004", {"key": at.text}
            if at.text in KEYWORDS:
                return _shape(f"`{at.text}` is a word of formulas, and no name")
            return _shape(f"unknown operator `{at.text}`")
        return _shape("a name or an expression must not be empty")
    if at.length == at.shape.most:
        return "POT0007", {"length": LONGEST_NAME + 1, "limit": LONGEST_NAME}
    return _key(at, stack, one, role, of_problem)


def _in_escape(at: InString, one: bytes) -> Found:
    if len(at.part) == 1 and one not in b'"\\/bfnrtu':
        return _not_json("this is not an escape")
    if len(at.part) > 1 and one not in b"0123456789abcdefABCDEF":
        return _not_json("an escape has four hexadecimal digits")
    if at.half or at.part[2:3] in (b"d", b"D"):
        code = f"\\u{at.half:04x}" if at.half else (at.part + one).decode()
        return "POT1005", {"escape": code}
    return _shape("unknown operator")


def _key(at: InString, stack: Brackets | None, one: bytes, role: Role | None, of_problem: bool) -> Found:
    """A key that goes on with what no key here has."""
    text = (at.text or "") + one.decode("latin-1")
    if stack is not None and stack.depth == 1 and not of_problem:
        for key in DECLARING:
            if key.startswith(text):
                return "POT5042", {"key": key, "role": role}
    if stack is not None and not isinstance(stack.frame, ListFrame):
        for key in stack.frame.shape.keys or ():
            if key.startswith(text) and key in stack.frame.keys:
                return "POT1004", {"key": key}
            if key.startswith(text):
                return "POT0003", {"limit": 0}
    return _shape(f"unknown operator `{text}`")
