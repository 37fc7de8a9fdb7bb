"""The canonical layout of a program's JSON text ([FMT-LAYOUT], [FMT-FORMULA])."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from potlang.expressions.spacing import spaced
from potlang.expressions.surface import Formula, ParsedProgram
from potlang.ir.digest import digest
from potlang.languages.pot.check import check
from potlang.languages.pot.program import Checked
from potlang.utils.serialize import json_text

WIDTH: Final = 100
_DEEPEST: Final = 20
"""Levels that are indented: with more, a text of brackets alone would grow by the square of its length."""
ORDER: Final = (
    *("$schema", "description", "imports", "sorts", "functions", "constants", "variables", "sources"),
    *("knowledge_base", "rules", "verifications", "optimization", "actions", "semantics", "lint", "document"),
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


def laid_out(checked: Checked) -> str | None:
    """The text of a checked program in its canonical layout; None for one with errors or without a text.

    Raises AssertionError if the layout would mean something else, which is a bug of ours.
    """
    before = checked.document.text
    if checked.program is None or before is None:
        return None
    after = format_text(before, formulas_of(checked.program.tree))
    again = check(after).program
    if again is None or digest(again.untabled) != digest(checked.program.untabled):
        raise AssertionError(f"the canonical layout of {checked.document.name} would mean something else")
    return after


def format_text(text: str, formulas: Mapping[str, str] = MappingProxyType({})) -> str:
    """The JSON text of a program in its canonical layout; numbers stay what they are, and so do strings.

    Of these the `formulas`, given by pointer, get the canonical spacing. The text is to be JSON. What fits
    into a line stands in one, but for the program itself and its sections.
    """
    whole = _read(text.removeprefix("\ufeff"), formulas)
    if whole.brackets == "{}":
        names = [json.loads(each.key) for each in whole.parts]
        rank = {name: number for number, name in enumerate(ORDER)}
        ordered = sorted(range(len(names)), key=lambda number: rank.get(names[number], len(ORDER)))
        whole = whole._replace(parts=[whole.parts[number] for number in ordered])
    return "".join(_lines(whole)) + "\n"


def formulas_of(tree: ParsedProgram) -> dict[str, str]:
    """The formulas that a program writes as strings, by pointer."""
    found: dict[str, str] = {}
    waiting: list[object] = [tree]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Formula):
            found[part.pointer] = part.text
        elif isinstance(part, list | tuple):
            waiting += part
        elif is_dataclass(part) and not isinstance(part, type):
            waiting += [getattr(part, field.name) for field in fields(part)]
    return found


def _read(text: str, formulas: Mapping[str, str]) -> _JsonPart:
    """The value of a JSON text; without recursion, as deep as it may be."""
    root: list[_JsonPart] = []
    stack: list[tuple[str, str, list[_JsonPart]]] = [("", "", root)]
    pointers = [""]
    key, last = "", ""

    def pointer() -> str:
        """The place of the value that comes next; nothing for a key."""
        _, bracket, parts = stack[-1]
        if not bracket or (bracket == "{" and not key):
            return ""
        step = json.loads(key).replace("~", "~0").replace("/", "~1") if key else str(len(parts))
        return f"{pointers[-1]}/{step}"

    for found in _TOKEN.finditer(text):
        token = found[1]
        if token == ":":
            key = last
            stack[-1][2].pop()
        elif token in _OPEN:
            pointers.append(pointer() if formulas else "")
            stack.append((key, token, []))
            key = ""
        elif token in _CLOSED:
            own, bracket, parts = stack.pop()
            pointers.pop()
            width = len(own) + 2 * bool(own) + 2 + sum(each.width + 2 for each in parts) - 2 * bool(parts)
            stack[-1][2].append(_JsonPart(own, "", bracket + token, parts, width))
        elif token != ",":
            last = token
            if token[0] == '"':
                value = json.loads(token)
                is_formula = bool(formulas) and formulas.get(pointer()) == value
                last = json_text(spaced(value) if is_formula else value)
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
