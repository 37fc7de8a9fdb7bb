"""Reads a trace: bytes in, records and diagnostics out, in one pass and in linear time.

The lexer finds records, the validator checks each of them, and the LALR parser checks their order.
A token out of place is reported and handed over; the parser goes on as if it were not there.
"""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple

from potlang.diag import Applicability, Fix, Sink
from potlang.languages.dot.read.grammar import new_parser
from potlang.languages.dot.read.lexer import RECORDS, new_lexer
from potlang.languages.dot.read.propositions import PropositionReader
from potlang.languages.dot.read.raw import Raw, Source, open_trace
from potlang.languages.dot.read.records import MANY_RECORDS, Profile
from potlang.languages.dot.read.recovery import Salvaged, report_line
from potlang.languages.dot.read.role_tokens import RoleTokens
from potlang.languages.dot.read.rules import Violations
from potlang.languages.dot.read.trace import Trace
from potlang.languages.dot.read.validator import ValidatorState
from potlang.source import DEFAULT_LIMITS, Document, InputLimits
from potlang.utils.gc_pause import collector_paused

Form = Literal["records", "tokens", "tagged"]
_RECORD_LINE = re.compile(rb"^@(?:node|edge|status|entails|eq|coeq|prop) |^@@len=", re.MULTILINE)
_INDENTED = re.compile(rb"^[ \t>*-]+@node ", re.MULTILINE)
_TOKEN_FIRST = re.compile(rb"<(?:problem|proposer|critic|summarizer)>\r?\n@node ")
_TAG = re.compile(rb"<(?:problem|proposer|critic|summarizer)>")
_WORDS = {"TEXT": "text", "FENCE": "a fence", "BLANK": "a blank line", "END": "the end"}
_TWICE = {
    "PROP": "join the propositions with `and`, or give each a node of its own",
    "STATUS": "judge each proposition in a block of its own",
}
_ORDER = "the order in a block is @node, @edge, @status, @entails, @eq, @prop, text"
_LATE_STATUS = "the order in a block is @node, @edge, @status (or behind text), @entails, @eq, @prop, text"


def detect(data: bytes | bytearray, start: int = 0, end: int | None = None) -> Form | None:
    """Which form of trace the bytes `[start, end)` hold, judged by their first records or tags."""
    end = len(data) if end is None else end
    if _RECORD_LINE.search(data, start, end):
        return "tokens" if _TOKEN_FIRST.match(data, start, end) else "records"
    return "tagged" if _TAG.search(data, start, end) else None


def read_trace(
    source: Source,
    sink: Sink,
    *,
    profile: Profile = "paper",
    budget: int | None = None,
    form: Form | None = None,
    limits: InputLimits = DEFAULT_LIMITS,
    name: str | None = None,
    require_end: bool = False,
) -> Trace:
    """The trace in a text, in bytes or in a file; the sink gets whatever is not well formed.

    Always returns a trace: what was well formed is in it. `budget` bounds the records that are no
    status; with `require_end` the trace needs its end. `form` is found out if it is not given.
    """
    raw, document = open_trace(source, sink, limits, name)
    if raw is None:
        return Trace((), {}, {}, {}, profile, document, False, Raw(b""))
    how = ReadOptions(profile, budget, require_end, limits)
    return read_window(raw, document, sink, how, form=form)


class ReadOptions(NamedTuple):
    """How a trace is read; see `read_trace`."""

    profile: Profile = "paper"
    budget: int | None = None
    require_end: bool = False
    limits: InputLimits = DEFAULT_LIMITS


def read_window(
    raw: Raw,
    document: Document,
    sink: Sink,
    how: ReadOptions,
    *,
    start: int = 0,
    end: int | None = None,
    form: Form | None = None,
) -> Trace:
    """The trace in the bytes `[start, end)` of an input, as if there were no others."""
    end = len(raw.data) if end is None else end
    form = form or detect(raw.data, start, end)
    if form == "tagged":
        from potlang.languages.dot.read.tagged import read_tagged

        return read_tagged(raw, document, sink, how.profile, start, end)
    with collector_paused(raw.data.count(b"\n") >= MANY_RECORDS):
        reading = _TraceReading(raw, document, sink, how, start, end)
        if form == "tokens":
            reading.tokens = RoleTokens(reading.violations)
        return reading.read(how.require_end)


class _TraceReading:
    """One reading; it listens to the lexer, and is the source of the parser's tokens."""

    def __init__(
        self,
        raw: Raw,
        document: Document,
        sink: Sink,
        how: ReadOptions,
        start: int,
        end: int,
    ) -> None:
        profile = how.profile
        self.start = start
        self.end = end
        self.raw = raw
        self.document = document
        self.sink = sink
        self.profile: Profile = profile
        self.violations = Violations(sink, raw)
        propositions = PropositionReader(self.violations, how.limits)
        self.state = ValidatorState(self.violations, propositions, profile, how.budget)
        self._lexer = new_lexer(raw.one_character_a_byte()[:end], self)
        self._lexer.lexpos = start
        self._parser = new_parser(profile, self._misplaced)
        self.tokens: RoleTokens | None = None
        """The reader of role tokens, where the trace has them."""
        self._leading: tuple[int, int] | None = None
        self._passed_end = False
        self._previous = self._current = ""
        self._counts = {"NODE": 0, "STATUS": 0, "PROP": 0}

    def read(self, require_end: bool) -> Trace:
        """The trace; call it once."""
        before = len(self.sink)
        self._parser.parse(lexer=self._lexer, tokenfunc=self._next)
        if not self._counts["NODE"]:
            self._report_no_node()
        found = self.state
        if require_end and not found.ended:
            self.violations.report("POT5014", self.end, self.end)
        return Trace(
            tuple(found.records),
            found.nodes,
            found.statuses,
            found.props,
            self.profile,
            self.document,
            len(self.sink) == before,
            self.raw,
            misusing=frozenset(found.misusing),
            has_role_tokens=self.tokens is not None,
        )

    # --- tokens ----------------------------------------------------------------------------------

    def _next(self) -> Any:
        """The next token for the parser; the validator has seen it by then."""
        next_token, admit, tokens = self._lexer.token, self.state.admit, self.tokens
        while (token := next_token()) is not None:
            if tokens is not None and not self.state.ended and tokens.take(token.type, token.value):
                continue
            kind = admit(token.type, token.value)
            if kind is not None:
                token.type = kind
                self._follow(kind, token.value[0])
                return token
        if tokens is not None:
            tokens.take("", (0, 0))
        return None

    def _follow(self, kind: str, start: int) -> None:
        self._previous, self._current = self._current, kind
        counts = self._counts
        if kind == "NODE":
            if not counts["NODE"]:
                self._report_leading_text(start)
            counts["NODE"] = 1
            counts["STATUS"] = counts["PROP"] = 0
        elif kind in counts:
            counts[kind] += 1

    def broken_line(self, start: int, end: int) -> Salvaged | None:
        """Reports a line that is no record; the token to read it as."""
        return report_line(self.violations, start, end)

    def long_fence(self, start: int, end: int, length: int) -> None:
        """Reports a fence that is longer than what is left of the trace."""
        left = self.end - end
        line_end = self.raw.data.find(b"\n", end, self.end)
        fix = self._length_fix(start, length, left if line_end < 0 else line_end - end)
        self.violations.report("POT5003", start, end, fixes=[fix], length=length, left=left)

    def rest_of_fence(self, start: int, end: int, length: int, opened: int) -> None:
        """Reports what follows a fence on its line."""
        fix = self._length_fix(opened, length, length + end - start)
        self.violations.report("POT5004", start, end, fixes=[fix], length=length)

    def _length_fix(self, opened: int, length: int, fitting: int) -> Fix:
        """A fix of the number in the opening of a fence."""
        at = opened + len("@@len=")
        title = f"let the fence end with the line: `@@len={fitting}@@`"
        return self.violations.fix(title, Applicability.UNSAFE, (at, at + len(str(length)), str(fitting)))

    # --- order -----------------------------------------------------------------------------------

    def _misplaced(self, token: Any) -> Any:
        """Reports a token that the grammar does not admit here; the next one takes its place."""
        if token is None:
            return None
        self._current = self._previous
        self._report_misplaced(token.type, *token.value[:2])
        self._parser.errok()
        return self._next()

    def _report_misplaced(self, kind: str, start: int, end: int) -> None:
        if not self._counts["NODE"]:
            self._report_leading(kind, start, end)
        elif self.state.ended:
            if not self._passed_end:
                self._passed_end = True
                self.violations.report("POT5010", start, end, what=_word(kind))
        elif self._counts.get(kind, 0) > 1:
            fixes = [self.state.repeated] if kind == "PROP" and self.state.repeated else []
            name = f"@{RECORDS[kind]}"
            self.violations.report("POT5009", start, end, helps=[_TWICE[kind]], fixes=fixes, kind=name)
        else:
            helps = [_ORDER if self.profile == "strict" else _LATE_STATUS]
            what, previous = _word(kind).strip("`"), _word(self._previous)
            self.violations.report("POT5008", start, end, helps=helps, kind=what, previous=previous)

    def _report_leading(self, kind: str, start: int, end: int) -> None:
        if kind in RECORDS:
            self.violations.report("POT5007", start, end, what=_word(kind))
        elif self._leading is None:
            self._leading = (start, end)

    def _report_leading_text(self, node: int) -> None:
        """Reports text above the first node, whose `@node` begins at a byte offset."""
        if self._leading is None:
            return
        start, end = self._leading
        blank = not self.raw.data[self.start : node].strip()
        how = Applicability.SAFE if blank else Applicability.UNSAFE
        fix = self.violations.fix("remove it", how, (start, node, "")) if start == self.start else None
        what = "a blank line" if blank else "text"
        self.violations.report("POT5007", start, end, fixes=[fix] if fix else [], what=what)

    def _report_no_node(self) -> None:
        start, end = self._leading or (self.start, self.start)
        indented = _INDENTED.search(self.raw.data, self.start, self.end) is not None
        helps = ["records begin at the very start of their lines"] if indented else []
        self.violations.report("POT5006", start, end, helps=helps)


def _word(kind: str) -> str:
    return f"`@{RECORDS[kind]}`" if kind in RECORDS else _WORDS[kind]
