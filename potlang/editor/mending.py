"""JSON while it is typed: the text made readable, with the way between places in it and in the original.

Characters are put in or overwritten by as many others, and never taken out. So a place of the mended text
always has a place in what the user sees.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from functools import cached_property
from typing import Final

from potlang.source import Document
from potlang.source.json_in_text import find_json
from potlang.source.json_tokens import JsonToken, token_at

_PART = re.compile(r'(\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))|[\\"\x00-\x1f]')
"""In the content of a string: an escape, and what cannot stand there."""
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?")
_LITERALS: Final = frozenset({"true", "false", "null"})
_STRINGS: Final = {"string": '"', "single": "'", "curly": "“”", "open": "\"'“"}
_PAIR: Final = {"{": "}", "[": "]"}
_TAIL = re.compile(r"(?:[ \t]*\}[\]}, \t]*|,?[ \t]*)\Z")
"""The end of an unclosed string that belongs to the JSON around it: formulas do not end in a brace."""
_W = r"[ \t\n\r]*+"
_ITEM = r'"[^"\\\x00-\x1f]*+"'
# Well-formed strings of a list are passed in one match: most of a large program is a list of facts.
_ITEMS = re.compile(rf"(?:{_W}{_ITEM}{_W},(?={_W}\"))++")
_LONGEST_INTEGER: Final = 600


class MendedJson:
    """A text, and the JSON that it is or is about to become.

    `text` is valid JSON and `value` what it says; None where its brackets nest too deeply to be read.
    `is_broken` says whether anything had to be mended.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._places: list[int] = []
        self._shifts: list[int] = []
        found = _loaded(source)
        self.is_broken = isinstance(found, ValueError)
        self.text = _JsonMending(source).run(self._places, self._shifts) if self.is_broken else source
        if self.is_broken:
            found = _loaded(self.text)
        self.value: object = None if isinstance(found, Exception) else found

    @cached_property
    def document(self) -> Document:
        """The mended text as a document."""
        return Document("<editor>", self.text, self.value)

    def mended(self, offset: int) -> int:
        """The place in the mended text of a place in the source: before what was put in there."""
        at = bisect_left(self._places, offset)
        return offset + (self._shifts[at - 1] if at else 0)

    def original(self, offset: int) -> int:
        """The place in the source of a place in the mended text."""
        # The shifted places rise as the places do.
        low, high = 0, len(self._places)
        while low < high:
            middle = (low + high) // 2
            before = self._shifts[middle - 1] if middle else 0
            if self._places[middle] + before < offset:
                low = middle + 1
            else:
                high = middle
        if not low:
            return min(offset, len(self.source))
        return min(max(offset - self._shifts[low - 1], self._places[low - 1]), len(self.source))

    def original_span(self, span: tuple[int, int]) -> tuple[int, int]:
        """The place in the source of a part of the mended text."""
        return self.original(span[0]), self.original(span[1])


def value_meant(text: str) -> object:
    """The JSON value that a text is or is about to become; None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return MendedJson(text).value


def _loaded(text: str) -> object:
    """The value of a text; an exception says why there is none."""
    try:
        return json.loads(text, parse_int=_integer)
    except (ValueError, RecursionError) as error:
        return error


def _integer(text: str) -> int:
    """A number as far as editors need it: nothing they say rests on one of so many digits."""
    return int(text) if len(text) <= _LONGEST_INTEGER else 0


class _OpenBracket:
    """An open bracket and what has come of it: `key`, `colon` or `value` was the last, or nothing yet."""

    __slots__ = ("last", "mark")

    def __init__(self, mark: str) -> None:
        self.mark = mark
        self.last = ""


class _JsonMending:
    """One pass over the tokens of a broken text."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._put: list[tuple[int, str]] = []
        self._blank: list[tuple[int, str]] = []
        self._open: list[_OpenBracket] = []
        self._end = 0
        self._comma = -1
        self._done = False

    def run(self, places: list[int], shifts: list[int]) -> str:
        """The mended text. `places` gets where something was put in, `shifts` how far all moves there."""
        source, size = self._source, len(self._source)
        wrapped = find_json(source)
        # Other text in front of the JSON, as in a reply, is as good as blank.
        position = self._end = 0 if wrapped is None else wrapped.start
        self._blank.append((0, " " * position))
        while (token := self._token(position, size)) is not None:
            self._take(token)
            self._end = position = token.end
            if token.kind == "," and self._open and self._open[-1].mark == "[":
                items = _ITEMS.match(source, position)
                if items is not None:
                    self._end = position = items.end()
                    self._comma = position - 1
        while self._open:
            self._close(len(source))
        if not self._done:
            self._put.append((len(source), "null"))
        return self._written(places, shifts)

    def _token(self, position: int, size: int) -> JsonToken | None:
        """The next token; a string that the line's end cuts off ends there."""
        token = token_at(self._source, position, size)
        if token is None or token.kind != "string" or not {"\n", "\r"} & {*token.text}:
            return token
        line = re.split(r"[\r\n]", token.text, maxsplit=1)[0]
        tail = _TAIL.search(line, 1)
        text = line if tail is None else line[: tail.start()]
        return JsonToken("open", token.start, token.start + len(text), text)

    # --- tokens ----------------------------------------------------------------------------------

    def _take(self, token: JsonToken) -> None:
        if self._done:
            self._overwrite(token, " " * len(token.text))
        elif token.kind in _PAIR:
            self._before_value(token.start)
            if not self._done:
                self._open.append(_OpenBracket(token.kind))
            self._comma = -1
        elif token.kind in ("}", "]"):
            self._closing(token)
        elif token.kind == ",":
            self._separator(token)
        elif token.kind == ":":
            self._colon(token)
        elif token.kind in _STRINGS:
            self._string(token)
        elif token.kind in ("number", "word"):
            self._scalar(token)
        else:
            self._overwrite(token, " " * len(token.text))

    def _before_value(self, at: int) -> None:
        """Puts in what is missing in front of a value: a comma, a key, a colon."""
        if not self._open:
            return
        top = self._open[-1]
        if top.last == "value":
            self._put.append((self._end, ","))
            top.last = ""
        if top.mark == "{" and top.last == "":
            self._put.append((at, '"": '))
        elif top.mark == "{" and top.last == "key":
            self._put.append((self._end, ": "))
        self._comma = -1

    def _after_value(self) -> None:
        if self._open:
            self._open[-1].last = "value"
        else:
            self._done = True

    def _closing(self, token: JsonToken) -> None:
        marks = [each.mark for each in self._open]
        opener = "{" if token.kind == "}" else "["
        if opener not in marks:
            self._overwrite(token, " ")
            return
        while self._open[-1].mark != opener:
            self._close(self._end)
        self._finish(self._end)
        self._open.pop()
        self._after_value()

    def _close(self, at: int) -> None:
        """Closes the innermost bracket, for which the text has nothing."""
        self._finish(at)
        self._put.append((at, _PAIR[self._open.pop().mark]))
        self._after_value()

    def _finish(self, at: int) -> None:
        """Completes what stands at the end of a bracket."""
        top = self._open[-1]
        if self._comma >= 0 and top.last == "":
            self._blank.append((self._comma, " "))
        elif top.last == "key":
            self._put.append((at, ": null"))
        elif top.last == "colon":
            self._put.append((at, " null"))
        self._comma = -1

    def _separator(self, token: JsonToken) -> None:
        top = self._open[-1] if self._open else None
        if top is None or top.last == "":
            self._overwrite(token, " ")
            return
        if top.last != "value":
            self._finish(self._end)
        top.last = ""
        self._comma = token.start

    def _colon(self, token: JsonToken) -> None:
        if self._open and self._open[-1].mark == "{" and self._open[-1].last == "key":
            self._open[-1].last = "colon"
        else:
            self._overwrite(token, " ")

    def _string(self, token: JsonToken) -> None:
        is_key = bool(self._open) and self._open[-1].mark == "{" and self._open[-1].last in ("", "value")
        if is_key and self._open[-1].last == "value":
            self._put.append((self._end, ","))
        if not is_key:
            self._before_value(token.start)
        self._comma = -1
        text = token.text
        closed = token.kind != "open" and len(text) > 1
        body = text[1:-1] if closed else text[1:]
        written = '"' + _readable(body) + ('"' if closed else "")
        if written != text:
            self._overwrite(token, written)
        if not closed:
            self._put.append((token.end, '"'))
        if is_key:
            self._open[-1].last = "key"
        else:
            self._after_value()

    def _scalar(self, token: JsonToken) -> None:
        if self._open and self._open[-1].mark == "{" and self._open[-1].last in ("", "value"):
            # A key that has no quotes yet.
            if self._open[-1].last == "value":
                self._put.append((self._end, ","))
            self._comma = -1
            self._put += [(token.start, '"'), (token.end, '"')]
            self._open[-1].last = "key"
            return
        self._before_value(token.start)
        good = _NUMBER.fullmatch(token.text) if token.kind == "number" else token.text in _LITERALS
        if not good:
            self._put += [(token.start, '"'), (token.end, '"')]
        self._after_value()

    # --- the text --------------------------------------------------------------------------------

    def _overwrite(self, token: JsonToken, text: str) -> None:
        self._blank.append((token.start, text))

    def _written(self, places: list[int], shifts: list[int]) -> str:
        """The text with all that was put in and overwritten."""
        steps = [(at, 1, text) for at, text in self._blank] + [(at, 0, text) for at, text in self._put]
        pieces: list[str] = []
        here = shift = 0
        # Stable: what was put in at one place stays in its order, in front of what is overwritten there.
        for at, overwrites, text in sorted(steps, key=lambda step: step[:2]):
            pieces += [self._source[here:at], text]
            here = max(here, at)
            if overwrites:
                here = at + len(text)
                continue
            shift += len(text)
            if places and places[-1] == at:
                shifts[-1] = shift
            else:
                places.append(at)
                shifts.append(shift)
        return "".join([*pieces, self._source[here:]])


def _readable(body: str) -> str:
    """The content of a string as JSON can have it, in as many characters."""
    return _PART.sub(lambda found: found[1] or ("'" if found[0] == '"' else " "), body)
