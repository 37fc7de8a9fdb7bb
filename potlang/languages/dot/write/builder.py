"""Writes traces that are well formed by construction.

Each record goes through the validator of the reader as it is made, so the rules are the reader's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby
from typing import Any

from potlang.diag import Sink
from potlang.languages.dot.read.json_line import json_line
from potlang.languages.dot.read.propositions import PropositionReader
from potlang.languages.dot.read.raw import Raw
from potlang.languages.dot.read.reader import read_trace
from potlang.languages.dot.read.records import (
    PROFILES,
    Coeq,
    Edge,
    EdgeKind,
    End,
    Entails,
    Eq,
    Fence,
    FreeText,
    Node,
    Profile,
    Prop,
    Record,
    Role,
    Status,
)
from potlang.languages.dot.read.rules import RULES, Violations, rule_of
from potlang.languages.dot.read.shapes import LONGEST_NUMBER, SHAPES, kind_of
from potlang.languages.dot.read.tagged import free
from potlang.languages.dot.read.trace import Trace
from potlang.languages.dot.read.validator import ValidatorState
from potlang.languages.dot.write.emit import emit, emit_record
from potlang.source import DEFAULT_LIMITS

_ORDER: Mapping[type[Record], int] = {
    kind: place
    for place, kinds in enumerate(
        [(Node,), (Edge,), (Status,), (Entails,), (Eq, Coeq), (Prop,), (FreeText, Fence), (End,)]
    )
    for kind in kinds
}
"""Where the kinds of records stand in a block ([DOT-GRAM-2])."""
_NUMBERS = 10**LONGEST_NUMBER
"""Ids are below ([DOT-LEX-5])."""


def in_order(block: Iterable[Record]) -> list[Record]:
    """The records of a block in the order that the grammar wants, those of one kind as they come."""
    return sorted(block, key=lambda record: _ORDER[type(record)])


class BuildError(ValueError):
    """A call that no well-formed trace has room for.

    `rule` is the paragraph of the specification that it breaks (`DOT-EDGE-3`), `code` the diagnostic that
    reading it would give, None where it could not be written down at all.
    """

    def __init__(self, rule: str, problem: str, code: str | None = None) -> None:
        self.rule = rule
        self.code = code
        super().__init__(f"{problem} [{rule}]")


class TraceBuilder:
    """A trace in the making, block by block.

    `problem`, `proposer`, `critic` and `summarizer` open a block and return its id; what comes after goes
    into it, and is put in the order that the grammar wants. A call that breaks a rule raises `BuildError`
    and changes nothing. Text is a string of any lines, or UTF-8; a line that would read as
    something else stands in a fence. Propositions are JSON values as `@prop` has them; a Python float is
    read as the decimal that it prints as.
    """

    def __init__(self, profile: Profile = "paper") -> None:
        """Raises `ValueError` for an unknown profile."""
        if profile not in PROFILES:
            raise ValueError(f"{profile!r} is not one of {', '.join(PROFILES)}")
        self.profile: Profile = profile
        self._sink = Sink()
        self._violations = Violations(self._sink, Raw(b""))
        propositions = PropositionReader(self._violations, DEFAULT_LIMITS)
        self._state = ValidatorState(self._violations, propositions, profile, None)

    # --- blocks ----------------------------------------------------------------------------------

    def problem(
        self,
        text: str | bytes = "",
        *,
        declare: Mapping[str, Any] | None = None,
        assume: Iterable[Any] | None = None,
        prop: Any = None,
        id: int | None = None,
    ) -> int:
        """Opens the block of a problem, which declares names with their sorts and assumes propositions.

        `prop` is a proposition in their place.
        """
        declares: dict[str, Any] = {}
        if declare is not None:
            declares["declare"] = dict(declare)
        if assume is not None:
            declares["assume"] = list(assume)
        if declares and prop is not None:
            raise _error("POT5009", "a problem says `prop`, or declares and assumes")
        return self._open("problem", id, {}, declares or prop, text)

    def proposer(
        self,
        prop: Any = None,
        *,
        uses: Iterable[int] = (),
        refines: Iterable[int] = (),
        text: str | bytes = "",
        id: int | None = None,
    ) -> int:
        """Opens the block of a proposition that uses and refines earlier nodes."""
        return self._open("proposer", id, {"refine": refines, "use": uses}, prop, text)

    def critic(self, *of: int, text: str | bytes = "", prop: Any = None, id: int | None = None) -> int:
        """Opens the block of a critique of these propositions."""
        return self._open("critic", id, {"critique": of}, prop, text)

    def summarizer(
        self, prop: Any = None, *, uses: Iterable[int] = (), text: str | bytes = "", id: int | None = None
    ) -> int:
        """Opens the block of a summary that uses these propositions, which are validated by now."""
        return self._open("summarizer", id, {"use": uses}, prop, text)

    def _open(
        self,
        role: Role,
        id_: int | None,
        edges: Mapping[EdgeKind, Iterable[int]],
        prop: Any,
        text: str | bytes,
    ) -> int:
        block = next(reversed(self._state.nodes), 0) + 1 if id_ is None else id_
        with self._whole_or_nothing():
            self._add(Node(block, role))
            for kind, sources in edges.items():
                for src in sources:
                    self._add(Edge(src, block, kind))
            if prop is not None:
                self._add(Prop(block, prop, _json(prop)))
            if text:
                self._add_text(text)
        return block

    # --- what stands in a block ------------------------------------------------------------------

    def validate(self, id: int, *, just: int | None = None) -> None:
        """Validates a proposition; `just` is the node on which that rests. A block has one judgement."""
        self._judge(Status(id, "validated", just, None))

    def invalidate(self, id: int, *, just: int | None = None) -> None:
        """Invalidates a proposition; as `validate`."""
        self._judge(Status(id, "invalidated", just, None))

    def _judge(self, status: Status) -> None:
        with self._in_block():
            latest = next(reversed(self._state.statuses.values()), None)
            if latest is not None and latest.block == self._state.block:
                problem = f"node {latest.target} is judged in this block already: open another one"
                raise _error("POT5009", problem)
            self._add(status)

    def entails(self, src: int, dst: int, *, witness: int | None = None, rank: int | None = None) -> None:
        """An arrow: what `src` says entails what `dst` says, as the critic `witness` found."""
        with self._in_block():
            self._add(Entails(src, dst, witness, rank, None))

    def eq(self, src: int, dst: int) -> None:
        """Two propositions are one object."""
        with self._in_block():
            self._add(Eq(src, dst, None))

    def coeq(self, src: int, dst: int) -> None:
        """The arrows from one proposition to another are one (profile `paper`)."""
        with self._in_block():
            self._add(Coeq(src, dst, None))

    def say(self, text: str | bytes) -> None:
        """More text, on lines of its own; the empty text is a blank line."""
        with self._in_block():
            self._add_text(text)

    def end(self) -> None:
        """Ends the trace, in the block of a summarizer; nothing can follow."""
        with self._in_block():
            if self._state.role != "summarizer":
                raise BuildError(RULES["POT5010"].section, "a trace ends in the block of a summarizer")
            assert self._state.block is not None
            self._add(End(self._state.block))

    # --- the result ------------------------------------------------------------------------------

    def text(self, *, role_tokens: bool = False) -> bytes:
        """The trace so far, with role tokens if asked for. Raises `BuildError` if it has no block yet."""
        if not self._state.records:
            raise _error("POT5006", "the trace has no node")
        return emit(self._ordered(), role_tokens=role_tokens)

    def trace(self) -> Trace:
        """The trace so far, as reading `text()` gives it."""
        return read_trace(self.text(), Sink(), profile=self.profile, form="records")

    def _ordered(self) -> Iterator[Record]:
        for _, block in groupby(self._state.records, key=lambda record: record.block):
            yield from in_order(block)

    # --- records ---------------------------------------------------------------------------------

    @contextmanager
    def _in_block(self) -> Iterator[None]:
        if self._state.block is None:
            raise _error("POT5007", "the trace has no node yet")
        with self._whole_or_nothing():
            yield

    @contextmanager
    def _whole_or_nothing(self) -> Iterator[None]:
        """Takes back what is added inside if something there raises."""
        if self._state.ended:
            raise _error("POT5010", "the trace has ended")
        checkpoint = self._state.checkpoint()
        try:
            yield
        except BaseException:
            self._state.restore(checkpoint)
            raise

    def _add(self, record: Record) -> None:
        """Adds a record if the validator admits it, else raises `BuildError`."""
        kind, fields = _token(record)
        data = emit_record(record)
        if isinstance(record, Fence | Prop):
            content = (
                record.content if isinstance(record, Fence) else record.text.encode("utf-8", "surrogatepass")
            )
            fields = (*fields, len(data) - len(content))
        self._violations.raw = Raw(data)
        self._state.admit(kind, (0, len(data), *fields))
        if len(self._sink):
            [found, *_] = self._sink.diagnostics()
            self._violations.sink = self._sink = Sink()
            raise _error(found.code, found.message)

    def _add_text(self, text: str | bytes) -> None:
        """The lines of a text, those that cannot stand as such in fences."""
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        if not isinstance(data, bytes):
            raise TypeError(f"text is str or bytes, not {type(text).__name__}")
        for line in data.split(b"\n"):
            self._add(free(line, self._state.block))


def _error(code: str, problem: str) -> BuildError:
    return BuildError(rule_of(code).section, problem, code)


def _token(record: Record) -> tuple[str, tuple[Any, ...]]:
    """A record as the lexer gives it: its kind and its fields. Raises `BuildError` for what is no number."""
    if isinstance(record, FreeText | End):
        return "TEXT", ()
    if isinstance(record, Fence):
        return "FENCE", ()
    kind = kind_of(record)
    fields = SHAPES[kind]
    values = tuple(getattr(record, field.name) for field in fields)
    for field, value in zip(fields, values, strict=True):
        if not field.words and not (field.optional and value is None) and not _is_natural(value):
            raise BuildError(
                "DOT-LEX-5", f"`{field.name}` is a natural number of at most {LONGEST_NUMBER} digits"
            )
    return kind.upper(), values


def _is_natural(value: object) -> bool:
    return type(value) is int and 0 <= value < _NUMBERS


def _json(value: object) -> str:
    """The JSON text of a proposition. Raises `BuildError` for what JSON does not have."""
    stack = [(value, 0)]
    while stack:
        here, depth = stack.pop()
        if depth > DEFAULT_LIMITS.nesting:
            raise _error("POT0003", f"a proposition nests deeper than {DEFAULT_LIMITS.nesting} levels")
        below = here.values() if isinstance(here, dict) else here if isinstance(here, list | tuple) else ()
        stack.extend((each, depth + 1) for each in below)
    try:
        return json_line(value)
    except TypeError as error:
        raise _error("POT1001", str(error)) from error
