"""The canonical layout of a program's JSON text ([FMT-LAYOUT])."""

from __future__ import annotations

import json
import re
from typing import Final, NamedTuple

from potlang.utils.serialize import json_text

WIDTH: Final = 100
_DEEPEST: Final = 20
"""Levels that are indented: with more, a text of brackets alone would grow by the square of its length."""
ORDER: Final = (
    *("$schema", "description", "imports", "sorts", "functions", "constants", "variables", "knowledge_base"),
    *("rules", "verifications", "optimization", "actions", "semantics", "lint"),
)
"""The sections of a program in their order; others stand behind them as they are."""
_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*+"|[^\s"\[\]{},:]++|[\[\]{},:])', re.DOTALL)
_OPEN, _CLOSED = "[{", "]}"


class _JsonPart(NamedTuple):
    """A JSON value: its own text, or the parts between its brackets; `key` is text in front of it."""

    key: str
    text: str
    brackets: str
    parts: list[_JsonPart]
    width: int


def format_text(text: str) -> str:
    """The JSON text of a program in its canonical layout; strings and numbers stay what they are.

    The text is to be JSON. What fits into a line stands in one, but for the program itself and its sections.
    """
    whole = _read(text.removeprefix("\ufeff"))
    if whole.brackets == "{}":
        names = [json.loads(each.key) for each in whole.parts]
        rank = {name: number for number, name in enumerate(ORDER)}
        ordered = sorted(range(len(names)), key=lambda number: rank.get(names[number], len(ORDER)))
        whole = whole._replace(parts=[whole.parts[number] for number in ordered])
    return "".join(_lines(whole)) + "\n"


def _read(text: str) -> _JsonPart:
    """The value of a JSON text; without recursion, as deep as it may be."""
    root: list[_JsonPart] = []
    stack: list[tuple[str, str, list[_JsonPart]]] = [("", "", root)]
    key, last = "", ""
    for found in _TOKEN.finditer(text):
        token = found[1]
        if token == ":":
            key = last
            stack[-1][2].pop()
        elif token in _OPEN:
            stack.append((key, token, []))
            key = ""
        elif token in _CLOSED:
            own, bracket, parts = stack.pop()
            width = len(own) + 2 * bool(own) + 2 + sum(each.width + 2 for each in parts) - 2 * bool(parts)
            stack[-1][2].append(_JsonPart(own, "", bracket + token, parts, width))
        elif token != ",":
            last = json_text(json.loads(token)) if token[0] == '"' else token
            stack[-1][2].append(_JsonPart(key, last, "", [], len(key) + 2 * bool(key) + len(last)))
            key = ""
    (whole,) = root
    return whole


def _lines(whole: _JsonPart) -> list[str]:
    """The pieces of the laid out text."""
    pieces: list[str] = []
    # What is left to write, the next last: text, or a value with its depth and what follows it.
    todo: list[str | tuple[_JsonPart, int, str]] = [(whole, 0, "")]
    while todo:
        step = todo.pop()
        if isinstance(step, str):
            pieces.append(step)
            continue
        part, depth, after = step
        head = f"{part.key}: " if part.key else ""
        is_section = depth <= 1 and part.brackets and any(each.brackets for each in part.parts)
        if not part.brackets:
            pieces.append(head + part.text + after)
        elif not part.parts or (
            depth and not is_section and len(_indent(depth)) + part.width + len(after) <= WIDTH
        ):
            pieces.append(head + _flat(part) + after)
        else:
            pieces.append(f"{head}{part.brackets[0]}")
            todo.append(f"\n{_indent(depth)}{part.brackets[1]}{after}")
            for number in range(len(part.parts) - 1, -1, -1):
                comma = "," if number < len(part.parts) - 1 else ""
                todo.append((part.parts[number], depth + 1, comma))
                todo.append("\n" + _indent(depth + 1))
    return pieces


def _indent(depth: int) -> str:
    return "  " * min(depth, _DEEPEST)


def _flat(whole: _JsonPart) -> str:
    """A value in one line, without its key."""
    pieces: list[str] = []
    todo: list[str | tuple[_JsonPart, bool]] = [(whole, False)]
    while todo:
        step = todo.pop()
        if isinstance(step, str):
            pieces.append(step)
            continue
        part, with_key = step
        pieces.append(f"{part.key}: " if with_key and part.key else "")
        if not part.brackets:
            pieces.append(part.text)
            continue
        pieces.append(part.brackets[0])
        todo.append(part.brackets[1])
        for number in range(len(part.parts) - 1, -1, -1):
            todo.append((part.parts[number], True))
            if number:
                todo.append(", ")
    return "".join(pieces)
