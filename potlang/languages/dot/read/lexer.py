"""The lexical grammar of a trace, for ply: a token for each record, line of text and fence.

The input has one character for each byte, so positions are byte offsets. The states `fence`, `tail`
and `prop` are exclusive: in `fence` exactly N bytes are taken, whatever they are; in `tail` the
line of a fence must end; in `prop` the rest of the line is JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import Any, Protocol

from potlang.languages.dot.read.shapes import NATURAL, SHAPES, pattern
from potlang.languages.dot.read.tables import prepared

LINE_END = r"\r?(?:\n|\Z)"
RECORDS = {kind.upper(): kind for kind in SHAPES}
TOKENS = (*RECORDS, "TEXT", "FENCE", "END", "BLANK")
STATES = (("fence", "exclusive"), ("tail", "exclusive"), ("prop", "exclusive"))


class Listener(Protocol):
    """Who is told of what is no token."""

    def broken_line(self, start: int, end: int) -> tuple[str, tuple[Any, ...]] | None:
        """A line that begins with @ and is no record: the token to read it as, if there is one."""

    def long_fence(self, start: int, end: int, length: int) -> None:
        """The opening `[start, end)` of a fence that is longer than the trace."""

    def rest_of_fence(self, start: int, end: int, length: int, opened: int) -> None:
        """The rest of the line behind the bytes of a fence that was opened at `opened`."""


Rule = Callable[[Any], Any]
"""A rule of ply: it gets the token, and returns it completed, or None where there is none yet."""


def _matching(regex: str) -> Callable[[Rule], Rule]:
    def attach(rule: Rule) -> Rule:
        rule.regex = regex  # type: ignore[attr-defined]
        return rule

    return attach


def _line_end(token: Any) -> int:
    """The end of the token's line without the line end, which the token may hold."""
    end: int = token.lexpos + len(token.value)
    if token.value.endswith("\n"):
        end -= 1
    return end - 1 if token.value.endswith(("\r\n", "\r")) else end


def _record(kind: str) -> Rule:
    """The rule for the whole line of a record, but for `@prop`."""
    numbers = [not field.words for field in SHAPES[kind]]

    @_matching(f"({pattern(kind)}){LINE_END}")
    def rule(token: Any) -> Any:
        match = token.lexer.lexmatch
        first = match.lastindex + 1
        value: list[Any] = [match.start(first), match.end(first)]
        for is_number in numbers:
            first += 1
            text = match[first]
            value.append(int(text) if is_number and text else text)
        token.value = tuple(value)
        return token

    return rule


@_matching(rf"{pattern('prop')}[ ](?=[^\r\n])")
def _prop(token: Any) -> None:
    """The head of a `@prop`; the JSON completes the token."""
    lexer = token.lexer
    lexer.prop_start = token.lexpos
    lexer.prop_id = int(lexer.lexmatch[lexer.lexmatch.lastindex + 1])
    lexer.begin("prop")


@_matching(r"[^\n]+\n?")
def _json(token: Any) -> Any:
    """The rest of the line of a `@prop`."""
    lexer = token.lexer
    token.value = (lexer.prop_start, _line_end(token), lexer.prop_id, token.lexpos)
    token.type = "PROP"
    lexer.begin("INITIAL")
    return token


@_matching(rf"@@len=({NATURAL})@@")
def _fence(token: Any) -> Any:
    """The opening of a fence; one that is too long ends with its line."""
    lexer = token.lexer
    length = int(lexer.lexmatch[lexer.lexmatch.lastindex + 1])
    start, end = token.lexpos, lexer.lexpos
    if length > lexer.lexlen - end:
        lexer.listener.long_fence(start, end, length)
        line_end = lexer.lexdata.find("\n", end)
        lexer.lexpos = lexer.lexlen if line_end < 0 else line_end + 1
        return None
    lexer.fence_start, lexer.fence_length = start, length
    if length:
        lexer.begin("fence")
        return None
    lexer.begin("tail")
    token.value = (start, end, end)
    return token


@_matching(r"[\s\S]")
def _bytes(token: Any) -> Any:
    """The bytes of a fence: from the first on, as many as its opening says."""
    lexer = token.lexer
    end = token.lexpos + lexer.fence_length
    token.type = "FENCE"
    token.value = (lexer.fence_start, end, token.lexpos)
    lexer.lexpos = end
    lexer.begin("tail")
    return token


@_matching(r"\r?\n|\r\Z")
def _end_of_line(token: Any) -> None:
    """The end of the line of a fence."""
    token.lexer.begin("INITIAL")


@_matching(r"[^\n]+")
def _rest_of_line(token: Any) -> None:
    """Report text behind a fence on its last line (POT5004)."""
    lexer = token.lexer
    lexer.listener.rest_of_fence(token.lexpos, _line_end(token), lexer.fence_length, lexer.fence_start)


@_matching(r"[^@\n][^\n]*\n?|\n")
def _text(token: Any) -> Any:
    """A line of free text."""
    token.value = (token.lexpos, _line_end(token))
    return token


@_matching(r"@[^\n]*\n?")
def _broken(token: Any) -> Any:
    """A line that begins with @ and is neither a record nor a fence. ply tries it last, for its line here."""
    found = token.lexer.listener.broken_line(token.lexpos, _line_end(token))
    if found is None:
        return None
    token.type, token.value = found
    return token


def _error(token: Any) -> None:
    """Every character begins a token of each state."""
    raise AssertionError(f"no token at byte {token.lexpos}")


def build_lexer(tables: ModuleType | None) -> Any:
    """A ply lexer of traces, from prepared tables or, without them, from the rules above."""
    from ply import lex

    records = {f"t_{token}": _record(kind) for token, kind in RECORDS.items() if kind != "prop"}
    rules: dict[str, Any] = {
        **records,
        "t_PROP": _prop,
        "t_prop_JSON": _json,
        "t_FENCE": _fence,
        "t_fence_BYTES": _bytes,
        "t_tail_END": _end_of_line,
        "t_tail_REST": _rest_of_line,
        "t_TEXT": _text,
        "t_BROKEN": _broken,
        "t_ANY_error": _error,
        "_error": _error,  # Tables name it so.
        **dict.fromkeys(("t_ignore", *(f"t_{state}_ignore" for state, _ in STATES)), ""),
    }
    module = SimpleNamespace(tokens=TOKENS, states=STATES, __file__=__file__, **rules)
    lexer = lex.lex(module=module, reflags=int(re.NOFLAG), optimize=tables is not None, lextab=tables)
    lexer.lexoptimize = True  # The kinds of tokens are those above; they are not looked up at each token.
    return lexer


@cache
def _prototype() -> Any:
    return build_lexer(prepared("lexer"))


def new_lexer(text: str, listener: Listener) -> Any:
    """A ply lexer over `text`, which has one character for each byte."""
    lexer = _prototype().clone()
    lexer.listener = listener
    lexer.input(text)
    return lexer
