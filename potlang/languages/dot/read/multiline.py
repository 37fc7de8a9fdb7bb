"""JSON of a `@prop` that goes on over several lines: where it ends, and the one line that it should be."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from potlang.diag import Applicability, Fix
from potlang.languages.dot.read.rules import Violations
from potlang.reading.json_syntax import diagnose
from potlang.source.layout import container_end

_RECORD = re.compile(rb"^@", re.MULTILINE)
_OPENING = re.compile(r"\s*+(```[^\n`]*+\n\s*+)?(?=[{\[])")
_CLOSING = re.compile(r"\s*+```[ \t\r]*+(?=\n|\Z)")
_BREAK = re.compile(r"[ \t\r]*\n[ \t\r\n]*")
_LONGEST = 1_000_000


class _JsonSpan(NamedTuple):
    """The characters `[start, end)` that hold the JSON, with a fence around it, and its text."""

    start: int
    end: int
    text: str


def joining_fix(violations: Violations, at: int) -> Fix | None:
    """A fix that puts the JSON from the byte `at` on into one line; None where none goes on behind its line.

    It is safe where what is joined is JSON, mistakes that are safely mended aside.
    """
    data = violations.raw.data
    record = _RECORD.search(data, at + 1)
    end = min(at + _LONGEST, len(data) if record is None else record.start())
    try:
        rest = data[at:end].decode()
    except UnicodeDecodeError:
        return None
    found = _find(rest)
    if found is None or not _is_sound(found.text):
        return None
    line = _BREAK.sub(" ", found.text)
    size = len(rest[: found.end].encode())
    before = "" if data[at - 1 : at] == b" " else " "
    return violations.fix("put the JSON on one line", Applicability.SAFE, (at, at + size, before + line))


def _find(rest: str) -> _JsonSpan | None:
    opening = _OPENING.match(rest)
    if opening is None:
        return None
    start = opening.end()
    end = container_end(rest, start)
    if end is None or "\n" not in rest[:end]:
        return None
    text = rest[start:end]
    closing = _CLOSING.match(rest, end) if opening[1] else None
    end = end if closing is None else closing.end()
    line_end = rest.find("\n", end)
    behind = rest[end:] if line_end < 0 else rest[end:line_end]
    return None if behind.strip() else _JsonSpan(start, end, text)


def _is_sound(text: str) -> bool:
    """Whether a text is JSON but for mistakes that are safely mended; no string of it goes over a line."""
    try:
        json.loads(text)
    except RecursionError:
        return False
    except ValueError:
        mistakes = diagnose(text)
        safe = [any(fix.applicability is Applicability.SAFE for fix in each.fixes) for each in mistakes]
        return bool(safe) and all(safe) and not any("raw" in each.message for each in mistakes)
    return True
