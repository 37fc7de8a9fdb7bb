"""Why a text is not JSON: a tolerant parse that explains the usual mistakes and offers fixes.

The parse goes on after a mistake whose repair is clear, so one reading finds them all. It keeps a
stack of open brackets and, for each, what may come next.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple, NoReturn

from potlang.diag import Applicability, Fix, Label, Place, Replace, shown
from potlang.source.json_tokens import JsonToken, token_at
from potlang.source.layout import skip_space

_MOST = 50
_SAFE, _UNSAFE = Applicability.SAFE, Applicability.UNSAFE
_W = r"[ \t\n\r]*+"
_PLAIN = r'(?:"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt])*+"|0|[1-9][0-9]*+|true|false|null)'
_LIST = rf"(?:{_PLAIN}|\[{_W}(?:{_PLAIN}(?:{_W},{_W}{_PLAIN})*+{_W})?+\])"
_MEMBER = rf'"[^"\\\x00-\x1f]*+"{_W}:{_W}{_LIST}'
_ITEM = rf"(?:{_LIST}|\{{{_W}{_MEMBER}(?:{_W},{_W}{_MEMBER})*+{_W}\}})"
# Well-formed items of a list are passed in one match: a large file has its mistake at one place.
_ITEMS = re.compile(rf'(?:{_W}{_ITEM}{_W},(?={_W}["0-9\[{{]))++')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?")
_MEANT_NUMBER = re.compile(r"\+?(-?[0-9]*+)(?:\.([0-9]*+))?")
_BAD_CHARACTER = re.compile(r"[\x00-\x1f]|\\(?:u(?![0-9a-fA-F]{4})|[^\"\\/bfnrtu])", re.DOTALL)
_REST_OF_LINE = re.compile(r"[\"'“].*?(?=,?[ \t\r]*(?:\n|\Z))", re.DOTALL)
_AFTER_STRING = re.compile(r"[ \t\n\r]*+(?:[,:\]}]|\Z)")
_LITERAL = re.compile(r"(?:true|false|null|True|False|None|NaN|Infinity)\b")
_FENCE = re.compile(r"^[ \t]*```[^\n`]*\n(.*?)(?:^[ \t]*```[^\n]*|\Z)", re.DOTALL | re.MULTILINE)
_LITERALS = {"True": "true", "False": "false", "None": "null", "undefined": "null"}
_NO_NUMBERS = frozenset({"nan", "infinity", "-infinity", "inf", "-inf"})
_PAIR = {"{": "}", "[": "]"}

_Offered = tuple[str, Applicability, str]
"""The title of a fix, how safe it is, and the text that it puts in the place of the mistake."""


class Mistake(NamedTuple):
    """One mistake: its explanation, the raw span, and fixes in raw characters."""

    message: str
    span: tuple[int, int]
    primary: str = ""
    labels: tuple[Label, ...] = ()
    helps: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()


class _Next(Enum):
    """The tokens that may come next in an open bracket."""

    VALUE = auto()
    VALUE_OR_END = auto()
    KEY = auto()
    KEY_OR_END = auto()
    COLON = auto()
    COMMA_OR_END = auto()
    NOTHING = auto()


@dataclass(slots=True)
class _Bracket:
    """An open bracket and its place; the empty one is around the whole text. `comma`: its last one."""

    mark: str
    at: int
    next: _Next
    comma: int = -1


class _Stop(Exception):
    """The rest of the text can no longer be understood."""


def diagnose(text: str) -> list[Mistake]:
    """The mistakes in a text that `json.loads` refuses, in order; empty if none is recognised."""
    parse = _Parse(text)
    with suppress(_Stop):
        parse.run()
    return parse.mistakes


class _Parse:
    def __init__(self, text: str) -> None:
        self.mistakes: list[Mistake] = []
        self._text = text
        self._position = 0
        self._end = len(text)
        self._previous_end = -1
        self._open_ends: set[int] = set()
        """Where strings end that are not closed: what is put there would be part of them."""
        self._open = [_Bracket("", 0, _Next.VALUE)]

    def run(self) -> None:
        """Parses the text up to `_MOST` mistakes. Raises `_Stop`."""
        self._unwrap()
        while not self._is_full() and (token := self._next_token()) is not None:
            self._step(token)
            self._previous_end = token.end
        if not self._is_full():
            self._at_end()

    def _is_full(self) -> bool:
        return len(self.mistakes) >= _MOST

    def _say(
        self,
        message: str,
        span: tuple[int, int],
        fix: _Offered | None = None,
        *,
        edits: tuple[tuple[int, int, str], ...] = (),
        primary: str = "",
        labels: tuple[Label, ...] = (),
        helps: tuple[str, ...] = (),
    ) -> None:
        """Notes a mistake. The fix replaces the span, unless there are `edits`."""
        fixes: tuple[Fix, ...] = ()
        if fix is not None:
            title, how, text = fix
            replaced = (Replace("", *edit) for edit in edits or ((*span, text),))
            fixes = (Fix(title, how, tuple(replaced)),)
        self.mistakes.append(Mistake(message, span, primary, labels, helps, fixes))

    def _stop(self, message: str, span: tuple[int, int], helps: tuple[str, ...] = ()) -> NoReturn:
        self._say(message, span, helps=helps)
        raise _Stop

    # --- what stands around the JSON -------------------------------------------------------------

    def _unwrap(self) -> None:
        text = self._text
        start = skip_space(text, 0)
        first = text[start : start + 1]
        if first in ("{", "[", '"'):
            return
        if (fence := _FENCE.search(text)) is not None:
            self._position, self._end = fence.span(1)
            outside = text[: fence.start()] + text[fence.end() :]
            at = text.index("```", fence.start())
            self._say(
                "the JSON is wrapped in a Markdown fence",
                (at, at + 3),
                ("remove the fence", _UNSAFE if outside.strip() else _SAFE, ""),
                edits=((0, fence.start(1), ""), (fence.end(1), len(text), "")),
                helps=("give the JSON without the fence",),
            )
        elif first.isalpha() and (brace := re.search(r"[{\[]", text)) and not _LITERAL.match(text, start):
            self._position = brace.start()
            self._say(
                "there is text before the JSON value",
                (start, brace.start()),
                ("remove the text", _UNSAFE, ""),
                helps=("answer with the JSON alone",),
            )

    # --- tokens ----------------------------------------------------------------------------------

    def _next_token(self) -> JsonToken | None:
        inner = self._open[-1]
        if inner.next is _Next.VALUE and inner.mark == "[":
            run = _ITEMS.match(self._text, self._position, self._end)
            if run:
                self._position = self._previous_end = run.end()
        while (token := token_at(self._text, self._position, self._end)) is not None:
            if token.kind == "string":
                token = self._checked_string(token)
            self._position = token.end
            if token.kind != "comment":
                return self._respelt(token)
            self._say("JSON has no comments", token.span, ("remove the comment", _SAFE, ""))
            if self._is_full():
                break
        return None

    def _checked_string(self, token: JsonToken) -> JsonToken:
        """Reports what may not stand in a string; a string that swallowed others ends with its line."""
        text, start, end = self._text, token.start, token.end
        line_end = text.find("\n", start, end)
        if line_end >= 0 and not _AFTER_STRING.match(text, end, self._end):
            cut = _REST_OF_LINE.match(text, start, self._end)
            return JsonToken("open", start, cut.end() if cut else line_end, "")
        for bad in _BAD_CHARACTER.finditer(text, start + 1, end - 1):
            if self._is_full():
                break
            if not self._is_escaped(start, bad.start()):
                self._report_character(bad[0], bad.span())
        return token

    def _is_escaped(self, start: int, at: int) -> bool:
        slashes = 0
        while at - slashes - 1 > start and self._text[at - slashes - 1] == "\\":
            slashes += 1
        return slashes % 2 == 1

    def _report_character(self, bad: str, span: tuple[int, int]) -> None:
        if bad[0] != "\\":
            escape = json.dumps(bad)[1:-1]
            self._say(f"a string contains a raw `{escape}`", span, (f"write `{escape}`", _SAFE, escape))
        elif bad == "\\'":
            self._say("`\\'` is not an escape", span, ("write `'`", _SAFE, "'"))
        else:
            self._say(
                f"`{shown(bad)}` is not an escape",
                span,
                ("double the backslash", _UNSAFE, ""),
                edits=((span[0], span[0] + 1, "\\\\"),),
                helps=("a backslash is written `\\\\` in JSON",),
            )

    def _respelt(self, token: JsonToken) -> JsonToken:
        """The token; a string with other quotes, or without its last one, is reported and taken for one."""
        if token.kind == "open":
            opening = (token.start, token.start + 1)
            self._say(
                "a string is not closed",
                opening,
                ("close the string at the end of the line", _UNSAFE, ""),
                edits=((*opening, '"'), (token.end, token.end, '"')),
                primary="opened here",
            )
            self._open_ends.add(token.end)
        elif token.kind in ("single", "curly"):
            kind = "single" if token.kind == "single" else "typographic"
            self._say(
                f"strings need double quotes, not {kind} ones",
                token.span,
                ("use double quotes", _SAFE, _requoted(token.text)),
            )
        else:
            return token
        return token._replace(kind="string")

    # --- the grammar -----------------------------------------------------------------------------

    def _step(self, token: JsonToken) -> None:
        match self._open[-1].next:
            case _Next.NOTHING:
                self._trailing(token)
            case _ if token.kind in ("}", "]"):
                self._close(token)
            case _Next.VALUE | _Next.VALUE_OR_END:
                self._value(token)
            case _Next.KEY | _Next.KEY_OR_END:
                self._key(token)
            case _Next.COLON:
                self._colon(token)
            case _:
                self._comma(token)

    def _value(self, token: JsonToken) -> None:
        inner = self._open[-1]
        if token.kind == "," and inner.mark == "[":
            self._say("a value is missing before this comma", token.span, ("remove the comma", _UNSAFE, ""))
            return
        if token.kind in (",", ":", "other"):
            self._stop(f"expected a value, found `{shown(token.text)}`", token.span)
        if token.kind == "number":
            self._check_number(token)
        elif token.kind == "word":
            self._check_word(token)
        inner.next = _Next.COMMA_OR_END if inner.mark else _Next.NOTHING
        if token.kind in _PAIR:
            opened = _Next.KEY_OR_END if token.kind == "{" else _Next.VALUE_OR_END
            self._open.append(_Bracket(token.kind, token.start, opened))

    def _check_number(self, token: JsonToken) -> None:
        if _NUMBER.fullmatch(token.text):
            return
        meant = ""
        if plain := _MEANT_NUMBER.fullmatch(token.text):
            whole = plain[1].lstrip("0") if plain[1].isdigit() else plain[1]
            meant = (whole or "0") + (f".{plain[2]}" if plain[2] else "")
        fix = (f"write `{shown(meant)}`", _UNSAFE, meant) if _NUMBER.fullmatch(meant) else None
        self._say(f"`{shown(token.text)}` is not a JSON number", token.span, fix)

    def _check_word(self, token: JsonToken) -> None:
        word = token.text
        if word in ("true", "false", "null"):
            return
        if word.lower() in _NO_NUMBERS:
            self._say(f"`{word}` is not a JSON number", token.span)
        elif meant := _LITERALS.get(word) or _LITERALS.get(word.capitalize()):
            how = _UNSAFE if word.lower() == "undefined" else _SAFE
            self._say(
                f"`{shown(word)}` is written `{meant}` in JSON", token.span, (f"write `{meant}`", how, meant)
            )
        else:
            self._say(
                f"`{shown(word)}` is not in double quotes",
                token.span,
                ("put it in double quotes", _UNSAFE, f'"{word}"'),
            )
            at = skip_space(self._text, self._position)
            if at < self._end and self._text[at] not in ",]}:":
                raise _Stop

    def _key(self, token: JsonToken) -> None:
        if token.kind == ",":
            self._say("a member is missing before this comma", token.span, ("remove the comma", _SAFE, ""))
            return
        if token.kind in ("word", "number"):
            self._say(
                f"the key `{shown(token.text)}` is not in double quotes",
                token.span,
                ("put the key in double quotes", _SAFE, f'"{token.text}"'),
            )
        elif token.kind != "string":
            self._stop(f"expected a key in double quotes, found `{shown(token.text)}`", token.span)
        self._open[-1].next = _Next.COLON

    def _colon(self, token: JsonToken) -> None:
        self._open[-1].next = _Next.VALUE
        if token.kind == ":":
            return
        if token.text in ("=", "=>"):
            self._say("a key is followed by `:`", token.span, ("write `:`", _SAFE, ":"))
            return
        if token.kind == ",":
            self._stop("a key without a value", (self._previous_end - 1, self._previous_end))
        if token.start == self._previous_end:
            self._inner_quote(token)
        self._missing("a colon is missing after the key", ":")
        self._value(token)

    def _comma(self, token: JsonToken) -> None:
        inner = self._open[-1]
        is_adjacent = token.start == self._previous_end
        if token.kind == ",":
            inner.comma = token.start
        elif token.kind in (":", "other"):
            if is_adjacent and token.kind == "other":
                self._inner_quote(token)
            self._stop(f"expected `,` or `{_PAIR[inner.mark]}`, found `{shown(token.text)}`", token.span)
        elif is_adjacent and token.kind not in _PAIR:
            self._inner_quote(token)
        inner.next = _Next.KEY if inner.mark == "{" else _Next.VALUE
        if token.kind != ",":
            self._missing("a comma is missing", ",")
            self._step(token)

    def _missing(self, message: str, mark: str) -> None:
        """Notes that a mark is missing behind the last token."""
        at = self._previous_end
        fix = None if at in self._open_ends else (f"insert `{mark}`", _SAFE, mark)
        self._say(message, (at, at), fix)

    def _inner_quote(self, token: JsonToken) -> NoReturn:
        helps = ("a quotation mark inside a string is written `\\\"`, or use `'` inside",)
        self._stop(f"unexpected `{shown(token.text)}` directly after a value", token.span, helps)

    def _close(self, token: JsonToken) -> None:
        inner = self._open[-1]
        if _PAIR.get(inner.mark) != token.kind:
            self._mismatch(token)
            return
        after_comma = inner.comma >= 0 and self._previous_end == inner.comma + 1
        if inner.next in (_Next.KEY, _Next.VALUE) and after_comma:
            comma = (inner.comma, inner.comma + 1)
            self._say(f"a comma before the closing `{token.kind}`", comma, ("remove the comma", _SAFE, ""))
        elif inner.next in (_Next.COLON, _Next.VALUE):
            self._say(f"a value is missing before `{token.kind}`", token.span)
        self._open.pop()

    def _mismatch(self, token: JsonToken) -> None:
        inner = self._open[-1]
        if not inner.mark:
            self._stop(f"`{token.kind}` closes nothing", token.span)
        closer = _PAIR[inner.mark]
        # A bracket that fits the one around this one was left open; any other was written for another.
        is_left_open = len(self._open) > 2 and _PAIR.get(self._open[-2].mark) == token.kind
        self._say(
            f"expected `{closer}`, found `{token.kind}`",
            token.span,
            (f"{'insert' if is_left_open else 'write'} `{closer}`", _UNSAFE, closer),
            edits=((token.start, token.start, closer),) if is_left_open else (),
            labels=(_opened(inner),),
        )
        self._open.pop()
        if is_left_open:
            self._close(token)

    def _trailing(self, token: JsonToken) -> NoReturn:
        if token.kind in _PAIR:
            helps = (
                "one document holds one value: each program has its file; `potc batch` reads JSON Lines",
            )
            self._stop("a second value after the end of the first", token.span, helps)
        if token.kind in ("}", "]"):
            self._say(f"`{token.kind}` closes nothing", token.span, ("remove it", _UNSAFE, ""))
        else:
            self._say(
                "there is text after the JSON value",
                token.span,
                ("remove the text", _UNSAFE, ""),
                edits=((token.start, self._end, ""),),
            )
        raise _Stop

    def _at_end(self) -> None:
        whole, *brackets = self._open
        end = len(self._text[: self._end].rstrip())
        if not brackets:
            if whole.next is _Next.VALUE:
                self._say("there is no value", (end, end))
            return
        closers = "".join(_PAIR[each.mark] for each in reversed(brackets))
        is_complete = brackets[-1].next in (_Next.COMMA_OR_END, _Next.KEY_OR_END, _Next.VALUE_OR_END)
        self._say(
            f"the text ends inside {len(brackets)} open bracket{'s' if len(brackets) > 1 else ''}",
            (end, end),
            (f"close it: `{shown(closers)}`", _UNSAFE, closers) if is_complete else None,
            primary=f"expected `{shown(closers)}`",
            labels=tuple(map(_opened, brackets[-3:][::-1])),
            helps=() if is_complete else ("the text looks cut off",),
        )


def _opened(bracket: _Bracket) -> Label:
    return Label(Place("", (bracket.at, bracket.at + 1)), "opened here")


def _requoted(literal: str) -> str:
    body = literal[1:-1].replace("\\'", "'")
    return '"' + re.sub(r'(?<!\\)"', lambda _: '\\"', body) + '"'
