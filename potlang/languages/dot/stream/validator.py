"""The online validator of appendix B.2: a trace is pushed in pieces, and judged at each byte."""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from typing import Literal, NamedTuple

from potlang.diag import Diagnostic, Place, Sink
from potlang.languages.dot.read.records import Profile
from potlang.languages.dot.read.rules import note, rule_of
from potlang.languages.dot.stream.closing import closing
from potlang.languages.dot.stream.explain import violation_at
from potlang.languages.dot.stream.machine import START_OF_LINE, FenceBytes, TextLine, TraceMachine, TraceState
from potlang.languages.dot.stream.registers import NO_GOAL, UNBOUNDED, Budgets, TraceGoal
from potlang.source import DEFAULT_LIMITS, InputLimits

StreamStatus = Literal["incomplete", "complete", "invalid"]
_TAILS = bytes(range(0x80, 0xC0))
"""The bytes that begin no character."""


class StreamCheckpoint(NamedTuple):
    """A moment of a validator, for `rollback`; it stays good whatever is pushed later."""

    state: TraceState
    characters: int
    line: int
    column: int
    error: Diagnostic | None


class Validator:
    """Judges a trace as it comes, in any pieces ([STREAM-STATUS] ff.).

    `status` is `incomplete` if the bytes so far are the beginning of a well-formed trace, `complete` if they
    are one themselves, which may still go on, and `invalid` if nothing saves them. The first byte that
    nothing saves is at `position`, and `error` says what is wrong with it.
    """

    __slots__ = ("_at", "_machine")

    def __init__(
        self,
        *,
        profile: Profile = "paper",
        budgets: Budgets = UNBOUNDED,
        goal: TraceGoal = NO_GOAL,
        tokens: bool | None = None,
        limits: InputLimits = DEFAULT_LIMITS,
        names: Iterable[str] | None = None,
    ) -> None:
        """`goal`: what a trace needs to be complete. `tokens`: whether blocks begin with role tokens; None:
        as the first one does. `names`: those that propositions may use ([STREAM-NAMES]); None: any.

        Raises `ValueError` for budgets that admit no trace, and for names that no proposition can use.
        """
        self._machine = TraceMachine(profile, budgets, goal, tokens=tokens, limits=limits, names=names)
        rules, start = self._machine.rules, self._machine.start()
        if (budgets.text or 0) < 0 or not rules.follows(start.registers, "NODE"):
            raise ValueError(f"no trace is within {budgets}" + (f" and reaches {goal}" if any(goal) else ""))
        self._at = StreamCheckpoint(start, 0, 1, 1, None)

    # --- what is known ---------------------------------------------------------------------------

    @property
    def status(self) -> StreamStatus:
        """See the class."""
        if self._at.error is not None:
            return "invalid"
        return "complete" if self._machine.is_complete(self._at.state) else "incomplete"

    @property
    def error(self) -> Diagnostic | None:
        """The diagnostic for the byte at `position`. Its place counts characters, a byte order mark not."""
        return self._at.error

    @property
    def position(self) -> int:
        """How many bytes were good."""
        return self._at.state.size

    @property
    def line(self) -> int:
        """The line of `position`, from 1."""
        return self._at.line

    @property
    def column(self) -> int:
        """The column of `position` in characters, from 1."""
        return self._at.column

    @property
    def machine(self) -> TraceMachine:
        """The machine that judges."""
        return self._machine

    @property
    def state(self) -> TraceState:
        """The state of the machine behind what was good."""
        return self._at.state

    def closing(self) -> bytes:
        """Bytes that make a well-formed trace of what was good: none if it is one ([STREAM-CLOSE])."""
        return closing(self._machine, self._at.state)

    # --- other moments ---------------------------------------------------------------------------

    def fork(self) -> Validator:
        """Another validator at the same byte; it costs the same wherever that is."""
        other = object.__new__(Validator)
        other._machine, other._at = self._machine, self._at
        return other

    def checkpoint(self) -> StreamCheckpoint:
        """This moment, for `rollback`."""
        return self._at

    def rollback(self, checkpoint: StreamCheckpoint) -> None:
        """Makes everything pushed since, or on another way, as if it had not been."""
        self._at = checkpoint

    # --- pushing ---------------------------------------------------------------------------------

    def push(self, data: bytes | str) -> StreamStatus:
        """Judges the next piece of the trace; what is pushed behind a violation counts for nothing."""
        if self._at.error is not None:
            return "invalid"
        if isinstance(data, str):
            data = data.encode("utf-8", "surrogatepass")
        elif not isinstance(data, bytes):
            raise TypeError(f"a trace is bytes or str, not {type(data).__name__}")
        state, good = self._run(self._at.state, data)
        self._at = self._moved(state, data[:good])
        if good < len(data):
            self._at = self._at._replace(error=self._explained(data[good]))
        return self.status

    def _run(self, state: TraceState, data: bytes) -> tuple[TraceState, int]:
        """The state behind the longest good beginning of the bytes, and its length."""
        machine, at, size = self._machine, 0, len(data)
        whole_line, step, most = machine.whole_line, machine.step, machine.limits.bytes
        while at < size:
            if state.place is START_OF_LINE:
                end = data.find(b"\n", at) + 1
                # Most lines are plain, and are judged at one go.
                if end and state.size + end - at <= most:
                    registers = whole_line(state.registers, data[at:end])
                    if registers is not None:
                        state = TraceState(registers, START_OF_LINE, state.size + end - at)
                        at = end
                        continue
            elif isinstance(state.place, FenceBytes | TextLine):
                passed = machine.pass_over(state, data, at)
                if passed is not None:
                    at += passed.size - state.size
                    state = passed
                    continue
            following = step(state, data[at])
            if following is None:
                break
            state = following
            at += 1
        return state, at

    def _moved(self, state: TraceState, good: bytes) -> StreamCheckpoint:
        before = self._at
        if before.state.size < len(codecs.BOM_UTF8):
            good = good.removeprefix(codecs.BOM_UTF8[before.state.size :])
        lines = good.count(b"\n")
        begun = len(good.translate(None, _TAILS))
        last = len(good[good.rfind(b"\n") + 1 :].translate(None, _TAILS))
        column = last + 1 if lines else before.column + last
        return StreamCheckpoint(state, before.characters + begun, before.line + lines, column, None)

    def _explained(self, byte: int) -> Diagnostic:
        code, fields = violation_at(self._machine, self._at.state, byte)
        rule = rule_of(code)
        at = self._at.characters
        sink = Sink()
        helps = [rule.help] if rule.help else []
        sink.report(code, Place("", (at, at + 1)), notes=[note(rule)], helps=helps, **fields)
        return sink.diagnostics()[0]
