"""Which language an input is written in, found from its content alone ([KIND-CONTENT])."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Literal

from potlang.source import marked_encoding

Kind = Literal["pot", "dot", "dagmath"]
"""A PoT program, a DoT trace, or a DAG-MATH solution."""

DEFAULT: Kind = "pot"
_TELLING = frozenset({"sorts", "knowledge_base", "verifications", "optimization"})
"""Sections of a program that no other format has."""
# Compiled when they are used: most inputs are programs, which the first characters tell.
_JSON = rb"\s*+(?:```[^\n`]*+\n\s*+)?[{\[]"
_RECORD = (
    rb"(?m)^[ \t>*-]*+@(?:@len=|(?:node|edge|status|entails|eq|coeq|prop)\b"
    rb"|\w++[ \t]++(?:id|src|target)=)"
)
_TAG = rb"<(?:problem|proposer|critic|summarizer)>"
_HEAD = 200
_STEP_KEYS = (b"step_id", b"direct_dependent_steps", b"edge", b"node", b"thinking")
_IN_STEPS = ((2, b"[{", b""), (3, b"{[{", b"steps"), (4, b"[{[{", b"steps"))
"""Depth, open brackets and outermost key of a step's members: in a bare list, in an object's `steps`, and in
those of an object in a list.
"""
_STRUCTURE = rb'"((?:[^"\\]|\\.)*+)(?:"(\s*+:)?|\\?\Z)|[\[\]{}]'
_LINE_OF_JSON = rb"(?m)^[ \t]*+[{\[]\s*+[\"{]"
_HEADING = rb"(?mi)^[ \t>#*_]*+Step[ \t]++[0-9]++[ \t]*+[:.]?[*_]*+[:.]?[ \t\r]*+$"
_LABEL = rb"(?mi)^[ \t>*_-]*+(?:Edge|Parents?|(?:Sink[ \t])?Node)[ \t*_]*+:"
_NO_PROSE = (
    rb"(?m)^[ \t]*+(?:[{\[]\s*+[\"{\[\]}]|[{}\]@]|\((?:declare|assert|set|define)-?|```|~~~)"
    rb"|[\"'][\w -]{1,60}+[\"'][ \t]*+:"
    rb"|\b(?:sorts|functions|constants|variables|knowledge_base|verifications|rules|assertions|steps|nodes?)"
    rb"[ \t]*+[:=][ \t\[{]"
)
"""Text that may mean to be a program, a trace, or a solution in another form."""
_SENTENCE = rb"(?<![A-Za-z])[A-Za-z]{2,}+[ \t,]++[A-Za-z]++[ \t,]++[A-Za-z$\\0-9]"
_CALCULATES = (
    rb"\\boxed[ \t]*+\{|(?m:^[ \t]*+####[ \t]*+\S)"
    rb"|[0-9A-Za-z)}$%][ \t$]{0,20}+(?:=|\\[gl]eq?\b|\\approx\b)[ \t$]*+[-0-9A-Za-z(\\$]"
)
_MOST_OF_MESSAGE = 1 << 22


def kind_of(data: bytes) -> Kind:
    """The kind of an input; any bytes have one, and it is found in linear time."""
    encoding = marked_encoding(data)
    if encoding is not None:
        data = data.decode(encoding, "replace").encode("utf-8", "replace")
    return next((kind for kind, test in _TESTS if test(data)), DEFAULT)


def kind_of_value(value: object) -> Kind:
    """The kind of a JSON value, or of a program, trace or solution that was read; else `DEFAULT`."""
    language: Kind | None = getattr(value, "language", None)
    if language is not None:
        return language
    if is_message(value):
        return "dagmath"
    if isinstance(value, list) and isinstance(value[0] if value else None, dict) and "steps" in value[0]:
        value = value[0]
    steps = value.get("steps") if isinstance(value, dict) else value
    keys = {key.decode() for key in _STEP_KEYS}
    if isinstance(steps, list) and any(isinstance(each, dict) and keys & each.keys() for each in steps[:1]):
        return "dagmath"
    return DEFAULT


def is_foreign(value: object) -> bool:
    """Whether a JSON value is something else than a program, or a list of programs ([KIND-FOREIGN])."""
    return all(map(_is_foreign, value)) if isinstance(value, list) else _is_foreign(value)


def _is_foreign(value: object) -> bool:
    from potlang.languages.pot.read.reader import SECTIONS

    if not isinstance(value, dict):
        return True
    if "pot-" in str(value.get("$schema", "")):
        return False
    # Many other objects have a document.
    found = set(SECTIONS) & value.keys() - {"document"}
    return not found & _TELLING and len(found) < 2


def is_prose(data: bytes) -> bool:
    """Whether a text is a worked solution in prose: it has a sentence and a calculation ([KIND-PROSE]).

    What may mean to be JSON, a trace, or the text form of a solution is none.
    """
    return (
        re.search(_NO_PROSE, data) is None
        and re.search(_RECORD, data) is None
        and re.search(_TAG, data) is None
        and re.search(_SENTENCE, data) is not None
        and re.search(_CALCULATES, data) is not None
    )


def is_message(value: object) -> bool:
    """Whether a JSON value is a message, or the messages of a chat, of which the last is prose."""
    messages: list[Any] = value if isinstance(value, list) else [value]
    if not messages or not all(
        isinstance(each, dict) and isinstance(each.get("role"), str) and "content" in each
        for each in messages
    ):
        return False
    from potlang.languages.dagmath.read.prose import written

    return is_prose(written(messages).encode("utf-8", "surrogatepass"))


def _is_said(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("role"), str) and "content" in value


def _is_chat(data: bytes) -> bool:
    """Whether it is JSON of a message in prose, or of a chat that ends in one."""
    if b'"role"' not in data or b'"content"' not in data or len(data) > _MOST_OF_MESSAGE:
        return False
    try:
        return is_message(json.loads(data))
    except (ValueError, RecursionError):
        return False


def _is_json(data: bytes) -> bool:
    """Whether it begins as JSON, perhaps in a Markdown fence ([KIND-JSON])."""
    return data[:_HEAD].lstrip()[:1] in (b"{", b"[") or re.match(_JSON, data) is not None


def _is_trace(data: bytes) -> bool:
    """Whether there is a line that means to be a record, or a role's tag ([KIND-DOT])."""
    return re.search(_RECORD, data) is not None or re.search(_TAG, data) is not None


def _is_json_solution(data: bytes) -> bool:
    """Whether it is JSON whose steps are those of a solution ([KIND-STEPS])."""
    if b'"steps"' not in data and b'"step_id"' not in data:
        return False
    return _is_json(data) and _has_steps(data, 0)


def _is_solution(data: bytes) -> bool:
    """Whether it is the text form of a solution, or one in JSON with other text before it ([KIND-STEPS])."""
    if re.search(_HEADING, data) is not None and re.search(_LABEL, data) is not None:
        return True
    if b'"step_id"' not in data:
        return False
    found = re.search(_LINE_OF_JSON, data)
    return found is not None and _has_steps(data, found.start())


def _has_steps(data: bytes, start: int) -> bool:
    """Whether the first JSON value from `start` is a list of steps, or an object with such `steps`."""
    depth, outer, section = 0, b"", b""
    for found in re.compile(_STRUCTURE, re.DOTALL).finditer(data, start):
        token = found[0]
        if token in (b"[", b"{"):
            outer = outer[:depth] + token if depth < 4 else outer
            depth += 1
        elif token in (b"]", b"}"):
            depth -= 1
            if depth <= 0:
                return False
        elif found[2] is None:
            continue
        elif depth == 1:
            section = found[1]
        elif found[1] in _STEP_KEYS and (depth, outer[:depth], section) in _IN_STEPS:
            return True
        elif depth == 2 and outer[:2] == b"[{":
            section = found[1]
    return False


_TESTS: tuple[tuple[Kind, Callable[[bytes], bool]], ...] = (
    ("dagmath", _is_json_solution),
    ("dagmath", _is_chat),
    ("pot", _is_json),
    ("dot", _is_trace),
    ("dagmath", _is_solution),
    ("dagmath", is_prose),
)
"""A kind and what speaks for it; the first that fits counts. A further language is a further row."""
