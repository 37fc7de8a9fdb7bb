"""Why a text is not JSON: a tolerant scan that explains the usual mistakes and offers fixes.

The scan goes on after a mistake whose repair is clear, so one reading finds them all. It keeps a
stack of open brackets and, for each, what may come next.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from enum import Enum, auto

from potlang.diag import Applicability, Fix, Label, Place, Replace, shown
from potlang.source.layout import STRING

_MOST = 50
_SAFE, _UNSAFE = Applicability.SAFE, Applicability.UNSAFE
_SPACE = re.compile(r"[ \t\n\r]*+")
_TOKEN = re.compile(
    rf"(?P<string>{STRING})"
    r"|(?P<mark>[\[\]{},:])"
    r"|(?P<number>-?[0-9][\w.+-]*+|[-+.][0-9][\w.+-]*+)"
    r"|(?P<word>-?[^\W\d][\w$]*+)"
    r"|(?P<comment>//[^\n]*+|/\*.*?\*/|\#[^\n]*+)"
    r"|(?P<single>'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+')"
    r"|(?P<curly>[“„][^”“\n]*+[”“])"
    r"|(?P<open>[\"'“].*?(?=,?[ \t\r]*(?:\n|\Z)))"
    r"|(?P<other>.)",
    re.DOTALL,
)
_W = r"[ \t\n\r]*+"
_PLAIN = r'(?:"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt])*+"|0|[1-9][0-9]*+|true|false|null)'
_LIST = rf"(?:{_PLAIN}|\[{_W}(?:{_PLAIN}(?:{_W},{_W}{_PLAIN})*+{_W})?+\])"
_MEMBER = rf'"[^"\\\x00-\x1f]*+"{_W}:{_W}{_LIST}'
_ITEM = rf"(?:{_LIST}|\{{{_W}{_MEMBER}(?:{_W},{_W}{_MEMBER})*+{_W}\}})"
_ITEMS = re.compile(rf'(?:{_W}{_ITEM}{_W},(?={_W}["0-9\[{{]))++')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?")
_BAD_CHAR = re.compile(r"[\x00-\x1f]|\\(?:u(?![0-9a-fA-F]{4})|[^\"\\/bfnrtu])", re.DOTALL)
_FENCE = re.compile(r"^[ \t]*```[^\n`]*\n(.*?)(?:^[ \t]*```[^\n]*|\Z)", re.DOTALL | re.MULTILINE)
_LITERALS = {"True": "true", "False": "false", "None": "null", "undefined": "null"}
_PAIR = {"{": "}", "[": "]"}


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake: what to say, the raw span, and fixes in raw characters."""

    message: str
    span: tuple[int, int]
    primary: str = ""
    labels: tuple[Label, ...] = ()
    helps: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()


class _Next(Enum):
    """What may come next in an open bracket."""

    VALUE = auto()
    VALUE_OR_END = auto()
    KEY = auto()
    KEY_OR_END = auto()
    COLON = auto()
    COMMA_OR_END = auto()
    NOTHING = auto()


@dataclass(slots=True)
class _Frame:
    bracket: str
    at: int
    next: _Next
    comma: int = -1


@dataclass(slots=True)
class _Token:
    kind: str
    start: int
    end: int
    text: str


@dataclass(slots=True)
class _Scan:
    text: str
    position: int
    end: int
    problems: list[Problem] = field(default_factory=list)
    frames: list[_Frame] = field(default_factory=list)
    previous_end: int = -1


class _Stop(Exception):
    """The rest of the text can no longer be understood."""


def diagnose(text: str) -> list[Problem]:
    """The mistakes in a text that `json.loads` refuses, in order; empty if none is recognised."""
    scan = _Scan(text, 0, len(text), frames=[_Frame("", 0, _Next.VALUE)])
    _unwrap(scan)
    try:
        while len(scan.problems) < _MOST and (token := _next_token(scan)) is not None:
            _step(scan, token)
            scan.previous_end = token.end
        if len(scan.problems) < _MOST:
            _at_end(scan)
    except _Stop:
        pass
    return scan.problems


def _fix(title: str, how: Applicability, *edits: tuple[int, int, str]) -> tuple[Fix, ...]:
    return (Fix(title, how, tuple(Replace("", start, end, text) for start, end, text in edits)),)


def _say(
    scan: _Scan,
    message: str,
    span: tuple[int, int],
    *,
    primary: str = "",
    labels: tuple[Label, ...] = (),
    helps: tuple[str, ...] = (),
    fixes: tuple[Fix, ...] = (),
) -> None:
    scan.problems.append(Problem(message, span, primary, labels, helps, fixes))


# --- what stands around the JSON -----------------------------------------------------------------


def _unwrap(scan: _Scan) -> None:
    text = scan.text
    start = _skip_space(text, 0)
    first = text[start : start + 1]
    if first in ("{", "[", '"'):
        return
    fence = _FENCE.search(text)
    if fence is not None:
        _unwrap_fence(scan, fence)
    elif first.isalpha() and (brace := re.search(r"[{\[]", text)) and not _starts_literal(text, start):
        scan.position = brace.start()
        _say(
            scan,
            "there is text before the JSON value",
            (start, brace.start()),
            helps=("answer with the JSON alone",),
            fixes=_fix("remove the text", _UNSAFE, (start, brace.start(), "")),
        )


def _starts_literal(text: str, start: int) -> bool:
    return re.compile(r"(?:true|false|null|True|False|None|NaN|Infinity)\b").match(text, start) is not None


def _unwrap_fence(scan: _Scan, fence: re.Match[str]) -> None:
    text = scan.text
    scan.position, scan.end = fence.span(1)
    outside = text[: fence.start()] + text[fence.end() :]
    how = _UNSAFE if outside.strip() else _SAFE
    at = text.index("```", fence.start())
    _say(
        scan,
        "the JSON is wrapped in a Markdown fence",
        (at, at + 3),
        helps=("give the JSON without the fence",),
        fixes=_fix("remove the fence", how, (0, fence.start(1), ""), (fence.end(1), len(text), "")),
    )


# --- tokens --------------------------------------------------------------------------------------


def _skip_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _next_token(scan: _Scan) -> _Token | None:
    if scan.frames[-1].next is _Next.VALUE and scan.frames[-1].bracket == "[":
        run = _ITEMS.match(scan.text, scan.position, scan.end)
        if run:
            scan.position = scan.previous_end = run.end()
    start = _skip_space(scan.text, scan.position)
    found = _TOKEN.match(scan.text, start, scan.end)
    if found is None:
        return None
    kind = found.lastgroup or "other"
    token = _Token(kind, start, found.end(), found[0])
    if kind == "string":
        token = _check_string(scan, token)
    elif kind == "mark":
        token.kind = token.text
    scan.position = token.end
    return _check_spelling(scan, token) if kind in ("single", "curly", "open", "comment") else token


def _check_string(scan: _Scan, token: _Token) -> _Token:
    """Reports what may not stand in a string; a string that swallowed others ends with its line."""
    line_end = scan.text.find("\n", token.start, token.end)
    if line_end >= 0 and not re.compile(r"[ \t\n\r]*+(?:[,:\]}]|\Z)").match(scan.text, token.end, scan.end):
        cut = _TOKEN_OPEN.match(scan.text, token.start, scan.end)
        return _unclosed(scan, _Token("open", token.start, cut.end() if cut else line_end, ""))
    for bad in _BAD_CHAR.finditer(scan.text, token.start + 1, token.end - 1):
        if len(scan.problems) >= _MOST:
            break
        if not _is_escaped(scan.text, token.start, bad.start()):
            _report_character(scan, bad)
    return token


_TOKEN_OPEN = re.compile(r"[\"'“].*?(?=,?[ \t\r]*(?:\n|\Z))", re.DOTALL)


def _is_escaped(text: str, start: int, at: int) -> bool:
    slashes = 0
    while at - slashes - 1 > start and text[at - slashes - 1] == "\\":
        slashes += 1
    return slashes % 2 == 1


def _report_character(scan: _Scan, bad: re.Match[str]) -> None:
    if bad[0][0] != "\\":
        escape = json.dumps(bad[0])[1:-1]
        fixes = _fix(f"write `{escape}`", _SAFE, (*bad.span(), escape))
        _say(scan, f"a string contains a raw `{escape}`", bad.span(), fixes=fixes)
    elif bad[0] == "\\'":
        _say(scan, "`\\'` is not an escape", bad.span(), fixes=_fix("write `'`", _SAFE, (*bad.span(), "'")))
    else:
        fixes = _fix("double the backslash", _UNSAFE, (bad.start(), bad.start() + 1, "\\\\"))
        helps = ("a backslash is written `\\\\` in JSON",)
        _say(scan, f"`{shown(bad[0])}` is not an escape", bad.span(), helps=helps, fixes=fixes)


def _check_spelling(scan: _Scan, token: _Token) -> _Token | None:
    span = (token.start, token.end)
    if token.kind == "comment":
        fixes = _fix("remove the comment", _SAFE, (*span, ""))
        _say(scan, "JSON has no comments", span, fixes=fixes)
        return _next_token(scan) if len(scan.problems) < _MOST else None
    if token.kind == "open":
        return _unclosed(scan, token)
    kind = "single" if token.kind == "single" else "typographic"
    fixes = _fix("use double quotes", _SAFE, (*span, _requoted(token.text)))
    _say(scan, f"strings need double quotes, not {kind} ones", span, fixes=fixes)
    token.kind = "string"
    return token


def _unclosed(scan: _Scan, token: _Token) -> _Token:
    opening = (token.start, token.start + 1)
    edits = ((*opening, '"'), (token.end, token.end, '"'))
    fixes = _fix("close the string at the end of the line", _UNSAFE, *edits)
    _say(scan, "a string is not closed", opening, primary="opened here", fixes=fixes)
    token.kind = "string"
    return token


def _requoted(literal: str) -> str:
    body = literal[1:-1].replace("\\'", "'")
    return '"' + re.sub(r'(?<!\\)"', lambda _: '\\"', body) + '"'


# --- the grammar ---------------------------------------------------------------------------------


def _step(scan: _Scan, token: _Token) -> None:
    frame = scan.frames[-1]
    state = frame.next
    if state is _Next.NOTHING:
        _trailing(scan, token)
    elif token.kind in ("}", "]"):
        _close(scan, token)
    elif state in (_Next.VALUE, _Next.VALUE_OR_END):
        _value(scan, token)
    elif state in (_Next.KEY, _Next.KEY_OR_END):
        _key(scan, token)
    elif state is _Next.COLON:
        _colon(scan, token)
    else:
        _comma(scan, token)


def _after_value(frame: _Frame) -> None:
    frame.next = _Next.COMMA_OR_END if frame.bracket else _Next.NOTHING


def _value(scan: _Scan, token: _Token) -> None:
    frame = scan.frames[-1]
    span = (token.start, token.end)
    if token.kind in ("{", "["):
        _after_value(frame)
        opened = _Next.KEY_OR_END if token.kind == "{" else _Next.VALUE_OR_END
        scan.frames.append(_Frame(token.kind, token.start, opened))
        return
    if token.kind == "," and frame.bracket == "[":
        _say(
            scan,
            "a value is missing before this comma",
            span,
            fixes=_fix("remove the comma", _UNSAFE, (*span, "")),
        )
        return
    if token.kind in (",", ":", "other"):
        _say(scan, f"expected a value, found `{shown(token.text)}`", span)
        raise _Stop
    if token.kind == "number":
        _check_number(scan, token)
    elif token.kind == "word":
        _check_word(scan, token)
    _after_value(frame)


def _check_number(scan: _Scan, token: _Token) -> None:
    if _NUMBER.fullmatch(token.text):
        return
    span = (token.start, token.end)
    plain = re.fullmatch(r"\+?(-?[0-9]*+)(?:\.([0-9]*+))?", token.text)
    whole = (plain[1].lstrip("0") if plain and plain[1].isdigit() else (plain[1] if plain else "")) or "0"
    meant = whole + (f".{plain[2]}" if plain and plain[2] else "")
    is_clear = plain is not None and _NUMBER.fullmatch(meant) is not None
    fixes = _fix(f"write `{shown(meant)}`", _UNSAFE, (*span, meant)) if is_clear else ()
    _say(scan, f"`{shown(token.text)}` is not a JSON number", span, fixes=fixes)


def _check_word(scan: _Scan, token: _Token) -> None:
    word = token.text
    span = (token.start, token.end)
    if word in ("true", "false", "null"):
        return
    if word.lower() in ("nan", "infinity", "-infinity", "inf", "-inf"):
        _say(scan, f"`{word}` is not a JSON number", span)
    elif meant := _LITERALS.get(word) or _LITERALS.get(word.capitalize()):
        how = _UNSAFE if word.lower() == "undefined" else _SAFE
        fixes = _fix(f"write `{meant}`", how, (*span, meant))
        _say(scan, f"`{shown(word)}` is written `{meant}` in JSON", span, fixes=fixes)
    else:
        fixes = _fix("put it in double quotes", _UNSAFE, (*span, f'"{word}"'))
        _say(scan, f"`{shown(word)}` is not in double quotes", span, fixes=fixes)
        _stop_unless_isolated(scan)


def _stop_unless_isolated(scan: _Scan) -> None:
    at = _skip_space(scan.text, scan.position)
    if at < scan.end and scan.text[at] not in ",]}:":
        raise _Stop


def _key(scan: _Scan, token: _Token) -> None:
    frame = scan.frames[-1]
    span = (token.start, token.end)
    if token.kind in ("word", "number"):
        fixes = _fix("put the key in double quotes", _SAFE, (*span, f'"{token.text}"'))
        _say(scan, f"the key `{shown(token.text)}` is not in double quotes", span, fixes=fixes)
    elif token.kind == ",":
        _say(
            scan,
            "a member is missing before this comma",
            span,
            fixes=_fix("remove the comma", _SAFE, (*span, "")),
        )
        return
    elif token.kind != "string":
        _say(scan, f"expected a key in double quotes, found `{shown(token.text)}`", span)
        raise _Stop
    frame.next = _Next.COLON


def _colon(scan: _Scan, token: _Token) -> None:
    frame = scan.frames[-1]
    frame.next = _Next.VALUE
    if token.kind == ":":
        return
    span = (token.start, token.end)
    if token.text in ("=", "=>"):
        _say(scan, "a key is followed by `:`", span, fixes=_fix("write `:`", _SAFE, (*span, ":")))
        return
    if token.kind == ",":
        _say(scan, "a key without a value", (scan.previous_end - 1, scan.previous_end))
        raise _Stop
    if token.start == scan.previous_end:
        _inner_quote(scan, token)
    gap = (scan.previous_end, scan.previous_end)
    _say(scan, "a colon is missing after the key", gap, fixes=_fix("insert `:`", _SAFE, (*gap, ":")))
    _value(scan, token)


def _comma(scan: _Scan, token: _Token) -> None:
    frame = scan.frames[-1]
    if token.kind == ",":
        frame.comma = token.start
        frame.next = _Next.KEY if frame.bracket == "{" else _Next.VALUE
        return
    if token.kind in (":", "other"):
        if token.start == scan.previous_end and token.kind == "other":
            _inner_quote(scan, token)
        found = shown(token.text)
        _say(scan, f"expected `,` or `{_PAIR[frame.bracket]}`, found `{found}`", (token.start, token.end))
        raise _Stop
    if token.start == scan.previous_end and token.kind not in ("{", "["):
        _inner_quote(scan, token)
    gap = (scan.previous_end, scan.previous_end)
    _say(scan, "a comma is missing", gap, fixes=_fix("insert `,`", _SAFE, (*gap, ",")))
    frame.next = _Next.KEY if frame.bracket == "{" else _Next.VALUE
    _step(scan, token)


def _inner_quote(scan: _Scan, token: _Token) -> None:
    _say(
        scan,
        f"unexpected `{shown(token.text)}` directly after a value",
        (token.start, token.end),
        helps=("a quotation mark inside a string is written `\\\"`, or use `'` inside",),
    )
    raise _Stop


def _close(scan: _Scan, token: _Token) -> None:
    frame = scan.frames[-1]
    span = (token.start, token.end)
    if _PAIR.get(frame.bracket) != token.kind:
        _mismatch(scan, token)
        return
    if frame.next in (_Next.KEY, _Next.VALUE) and frame.comma >= 0 and scan.previous_end == frame.comma + 1:
        comma = (frame.comma, frame.comma + 1)
        fixes = _fix("remove the comma", _SAFE, (*comma, ""))
        _say(scan, f"a comma before the closing `{token.kind}`", comma, fixes=fixes)
    elif frame.next in (_Next.COLON, _Next.VALUE):
        _say(scan, f"a value is missing before `{token.kind}`", span)
    scan.frames.pop()


def _mismatch(scan: _Scan, token: _Token) -> None:
    frame = scan.frames[-1]
    span = (token.start, token.end)
    if not frame.bracket:
        _say(scan, f"`{token.kind}` closes nothing", span)
        raise _Stop
    closer = _PAIR[frame.bracket]
    opened = (Label(Place("", (frame.at, frame.at + 1)), "opened here"),)
    message = f"expected `{closer}`, found `{token.kind}`"
    if len(scan.frames) > 2 and _PAIR.get(scan.frames[-2].bracket) == token.kind:
        fixes = _fix(f"insert `{closer}`", _UNSAFE, (token.start, token.start, closer))
        _say(scan, message, span, labels=opened, fixes=fixes)
        scan.frames.pop()
        _close(scan, token)
        return
    fixes = _fix(f"write `{closer}`", _UNSAFE, (*span, closer))
    _say(scan, message, span, labels=opened, fixes=fixes)
    scan.frames.pop()


def _trailing(scan: _Scan, token: _Token) -> None:
    span = (token.start, scan.end)
    shown_span = (token.start, token.end)
    if token.kind in ("{", "["):
        helps = ("one document holds one value; for several programs use one file each",)
        _say(scan, "a second value after the end of the first", shown_span, helps=helps)
    elif token.kind in ("}", "]"):
        fixes = _fix("remove it", _UNSAFE, (*shown_span, ""))
        _say(scan, f"`{token.kind}` closes nothing", shown_span, fixes=fixes)
    else:
        fixes = _fix("remove the text", _UNSAFE, (*span, ""))
        _say(scan, "there is text after the JSON value", shown_span, fixes=fixes)
    raise _Stop


def _at_end(scan: _Scan) -> None:
    open_frames = scan.frames[1:]
    end = len(scan.text[: scan.end].rstrip())
    if not open_frames:
        if scan.frames[0].next is _Next.VALUE:
            _say(scan, "there is no value", (end, end))
        return
    closers = "".join(_PAIR[frame.bracket] for frame in reversed(open_frames))
    inner = open_frames[-1]
    is_complete = inner.next in (_Next.COMMA_OR_END, _Next.KEY_OR_END, _Next.VALUE_OR_END)
    fixes = _fix(f"close it: `{shown(closers)}`", _UNSAFE, (end, end, closers)) if is_complete else ()
    _say(
        scan,
        f"the text ends inside {len(open_frames)} open bracket{'s' if len(open_frames) > 1 else ''}",
        (end, end),
        primary=f"expected `{shown(closers)}`",
        labels=tuple(Label(Place("", (f.at, f.at + 1)), "opened here") for f in open_frames[-3:][::-1]),
        helps=() if is_complete else ("the text looks cut off",),
        fixes=fixes,
    )
