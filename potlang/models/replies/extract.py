"""The JSON in a model's reply: in a fence, among prose, behind thoughts, in another object, or all of it.

The rules are [LOOP-REPLY] for programs and [DAG-REPLY] for other objects.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, Final, NamedTuple

from potlang.diag import Diagnostic, Sink
from potlang.diag.fixes import mend
from potlang.reading.json_text import open_document, read_json
from potlang.reading.replies import FENCE_LINE, ends_of_thoughts
from potlang.source.layout import Layout, container_end
from potlang.utils.resources import schema

_BEGINS = re.compile(r"""\{(?=\s*+["'“”‘’}])|^[ \t]*+\{(?=\s*+(?:[A-Za-z_]|//|/\*|#))""", re.MULTILINE)
_MOST_TRIED: Final = 20
_DEEPEST: Final = 5
"""Of objects, lists and texts in one another, around a program."""
_LONGEST_MENDED: Final = 200_000
"""Characters up to which what is no JSON is mended: what models write is shorter."""
REASONING: Final = "reasoning"
"""The key under which a model may think before it writes the sections ([LOOP-REASONING])."""


class BadReply(ValueError):
    """A reply that is not accepted, with the reason."""


class Found(NamedTuple):
    """The text of a program after `mended` safe fixes, and the text of the reply around it."""

    text: str
    around: str
    mended: int = 0


class JsonObject(NamedTuple):
    """A JSON object in a text: its span, its own text, and its value, None where it is not well formed.

    The text is that of the span after `mended` safe fixes.
    """

    start: int
    end: int
    text: str
    value: Any
    mended: int = 0


def behind_thoughts(reply: str) -> str:
    """The text behind the last end of a thought; all of it where there is none."""
    ends = ends_of_thoughts(reply)
    return reply[ends[-1] :] if ends else reply


def candidates(text: str, *, safe_fixes: bool = True) -> Iterator[JsonObject]:
    """The first 20 JSON objects of a text, well formed or not, in linear time.

    With `safe_fixes`, what keeps one from being JSON is mended where that keeps its meaning.
    """
    at = 0
    for _ in range(_MOST_TRIED):
        begin = _BEGINS.search(text, at)
        if begin is None:
            return
        start = text.index("{", begin.start())
        at = _end(text, start)
        value = _json(text[start:at])
        if value is None and (fence := FENCE_LINE.search(text, start)) is not None and fence.start() < at:
            # Quotes or brackets are not closed: no object goes on behind its fence.
            at = start + len(text[start : fence.start()].rstrip())
        if value is None and safe_fixes and at - start <= _LONGEST_MENDED:
            own, mended, _ = mend(text[start:at], _read_json(text[start:at]), _read_json)
            yield JsonObject(start, at, own, _json(own), mended)
        else:
            yield JsonObject(start, at, text[start:at], value if value is not None else _json(text[start:at]))


def find_programs(reply: str, *, safe_fixes: bool = True) -> list[Found]:
    """The programs in a reply, in order, at most 20; without any, what may have been meant as one, if any.

    An object is a program if it has a section of one, well formed or not. What stands before the end of a
    thought does not count, unless nothing else does. `safe_fixes` is as for `candidates`.
    """
    return find_objects(reply, _sections(), safe_fixes=safe_fixes)


def find_objects(reply: str, keys: frozenset[str], *, safe_fixes: bool = True) -> list[Found]:
    """The objects in a reply that have one of these keys, as `find_programs` finds programs."""
    search = _ObjectSearch(keys, safe_fixes)
    # A reply that ends within its thoughts may still have the program in them.
    texts = list(dict.fromkeys([behind_thoughts(reply), reply]))
    for text in texts:
        if found := list(islice(search.programs(text, _DEEPEST), _MOST_TRIED)):
            return found
    return next(filter(None, map(search.meant, texts)), [])


class _ObjectSearch:
    """The search for objects with one of some keys, as the sections of programs are.

    `deepest` bounds the objects, lists and texts that are still opened.
    """

    def __init__(self, keys: frozenset[str], safe_fixes: bool) -> None:
        self._keys = keys
        self._safe_fixes = safe_fixes

    def programs(self, text: str, deepest: int) -> Iterator[Found]:
        if deepest and text.lstrip().startswith(('"', "[")) and (whole := _json(text)) is not None:
            # Objects in texts are seen no other way.
            if isinstance(whole, str):
                yield from (found._replace(around="") for found in self.programs(whole, deepest - 1))
            else:
                yield from (
                    Found(program, "", mended) for program, mended in self._inside(text, whole, deepest)
                )
            return
        for each in candidates(text, safe_fixes=self._safe_fixes):
            around = _around(text, each)
            if each.value is not None:
                for program, mended in self._inside(each.text, each.value, deepest):
                    yield Found(program, around, each.mended + mended)
            elif ends_of_thoughts(each.text):
                # It is not closed, and reaches over the end of a thought.
                inner = self.programs(behind_thoughts(each.text), deepest - 1) if deepest else ()
                for found in inner:
                    yield found._replace(around=f"{around}\n{found.around}".strip())
            elif _key_pattern(self._keys).search(each.text) is not None:
                yield Found(each.text, around, each.mended)

    def meant(self, text: str) -> list[Found]:
        """The first object that is well formed or begins a line."""
        for each in candidates(text, safe_fixes=self._safe_fixes):
            is_over = each.value is None and ends_of_thoughts(each.text)
            # Of an object that reaches over the end of a thought what begins behind that is rather meant.
            if is_over and (behind := self.meant(behind_thoughts(each.text))):
                return behind
            if each.value is not None or _begins_a_line(text, each.start):
                return [Found(each.text, _around(text, each), each.mended)]
        return []

    def _inside(self, text: str, value: Any, deepest: int) -> Iterator[tuple[str, int]]:
        """The programs in a JSON value, whose text is given, and their fixes: itself, or those below it.

        Objects go before texts: a text beside a program is rather about it.
        """
        if isinstance(value, dict) and self._keys & value.keys():
            yield _without_reasoning(text, value), 0
            return
        if not deepest or not isinstance(value, dict | list):
            return
        layout = Layout(text)
        extents = layout.children(layout.root().start)
        members = list(value.items() if isinstance(value, dict) else enumerate(value))
        for key, member in members:
            if isinstance(member, dict | list):
                extent = extents[key]
                yield from self._inside(text[extent.start : extent.end], member, deepest - 1)
        for _, member in members:
            if isinstance(member, str) and "{" in member:
                yield from ((found.text, found.mended) for found in self.programs(member, deepest - 1))


def _around(text: str, found: JsonObject) -> str:
    return f"{text[: found.start]}\n{text[found.end :]}".strip()


def _without_reasoning(text: str, value: Mapping[str, Any]) -> str:
    """The object without its `reasoning`, if that is a text: nothing of a program."""
    if not isinstance(value.get(REASONING), str):
        return text
    layout = Layout(text)
    members = layout.children(layout.root().start)
    assert isinstance(members, dict)
    extents = list(members.values())
    at = list(members).index(REASONING)
    if at + 1 < len(extents):
        return text[: extents[at].key_start] + text[extents[at + 1].key_start :]
    return text[: extents[at - 1].end] + text[extents[at].end :]


def _end(text: str, start: int) -> int:
    closed = container_end(text, start)
    return len(text.rstrip()) if closed is None else closed


def _begins_a_line(text: str, start: int) -> bool:
    return not text[text.rfind("\n", 0, start) + 1 : start].strip()


@cache
def _key_pattern(keys: frozenset[str]) -> re.Pattern[str]:
    """One of these keys of an object, also where it is not well formed."""
    return re.compile(rf"[{{,][\s\"'“”‘’]*+(?:{'|'.join(map(re.escape, sorted(keys)))})[\"'“”‘’]?\s*+:")


@cache
def _sections() -> frozenset[str]:
    return frozenset(schema("pot-1")["properties"]) - {"$schema", "description"}


# --- JSON ------------------------------------------------------------------------------------------


class _ReadJson(NamedTuple):
    """The mistakes of a text as JSON."""

    diagnostics: tuple[Diagnostic, ...]


def _json(text: str) -> Any:
    """The value; None where it is not well formed."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _read_json(text: str) -> _ReadJson:
    sink = Sink()
    read_json(open_document(text, sink), sink)
    return _ReadJson(tuple(sink.diagnostics()))
