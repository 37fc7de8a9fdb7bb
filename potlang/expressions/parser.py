"""A LALR(1) parser that runs on the prepared tables, without recursion, and can be resumed after an error."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from potlang.expressions.actions import ACTIONS, FLAT, Action, StringReading
from potlang.expressions.tables import ParserTables, Token, tables

DEEPEST = 1_000


@cache
def _steps() -> tuple[tuple[str, int, Action | None, int], ...]:
    """Each rule as (left side, length, action, levels of nesting that it adds)."""
    return tuple(
        (rule.origin, rule.length, ACTIONS[rule.action] if rule.action else None, rule.action not in FLAT)
        for rule in tables().rules
    )


@cache
def _after(below: int, origin: str, kind: str) -> int:
    """The state over `below` once `origin` is read, `kind` follows, and rules that only pass on are done."""
    grammar = tables()
    state = grammar.gotos[below][origin]
    while True:
        move = grammar.actions[state].get(kind, 0)
        # Chains of rules without an action (a name is an atom is a sum is a formula …) are skipped in one
        # step: this is half of all reductions, and the result is cached for each state.
        if move >= 0 or grammar.rules[-1 - move].action is not None:
            return state
        state = grammar.gotos[below][grammar.rules[-1 - move].origin]


@dataclass(slots=True)
class Stop:
    """Why the parser stands still: `accepted`, `rejected` (an unexpected token) or `too_deep`."""

    reason: str
    index: int
    value: Any = None


class Parser:
    """The state of one parse: parallel stacks of states, values, places and depths."""

    __slots__ = ("depths", "ends", "final", "grammar", "reading", "starts", "states", "values")

    def __init__(self, start: str, reading: StringReading) -> None:
        self.grammar: ParserTables = tables()
        self.reading = reading
        self.states = [self.grammar.starts[start]]
        self.final = self.grammar.ends[start]
        self.values: list[Any] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.depths: list[int] = []

    def run(self, tokens: list[Token], index: int = 0) -> Stop:
        """Consumes tokens from `index` on; `tokens` ends with `$END`."""
        actions = self.grammar.actions
        states, values = self.states, self.values
        starts, ends, depths = self.starts, self.ends, self.depths
        while True:
            kind, text, start, end = tokens[index]
            move = actions[states[-1]].get(kind)
            # A negative move is a reduction by rule -1 - move, zero or more is the state to shift to.
            while move is not None and move < 0:
                if not self._reduce(-1 - move, kind):
                    return Stop("too_deep", index)
                # The tables have no accept action: the start symbol's state with the end of the input is
                # acceptance.
                if states[-1] == self.final and kind == "$END":
                    return Stop("accepted", index, values[-1])
                move = actions[states[-1]].get(kind)
            if move is None:
                return Stop("rejected", index)
            states.append(move)
            values.append(text)
            starts.append(start)
            ends.append(end)
            depths.append(0)
            index += 1

    def _reduce(self, number: int, kind: str) -> bool:
        """Replaces the right side of a rule by its left side; False where the nesting is too deep."""
        origin, length, action, level = _steps()[number]
        states = self.states
        cut = len(self.values) - length
        # Every rule of the grammar has a right side of at least one symbol, so `starts[cut]` exists.
        values, starts, ends = self.values[cut:], self.starts[cut:], self.ends[cut:]
        value = action(self.reading, values, starts, ends) if action else values[0]
        # Most reductions only pass a value on: no list is cut and none made.
        if length == 1:
            self.values[cut] = value
            self.depths[cut] += level
        else:
            depths = self.depths[cut:]
            # An action that extends its first value (a run of `and`) makes the tree wider, not deeper.
            grown = level and value is values[0]
            self.values[cut:] = [value]
            self.starts[cut + 1 :] = []
            self.ends[cut:] = [ends[-1]]
            self.depths[cut:] = [max(depths[0], depths[-1] + 1) if grown else max(depths) + level]
        del states[cut + 1 :]
        states.append(_after(states[-1], origin, kind))
        return self.depths[cut] <= DEEPEST

    def settle(self) -> None:
        """Completes the rules whose right sides are fully read, whatever follows."""
        while True:
            moves = set(self.grammar.actions[self.states[-1]].values())
            number = -1 - max(moves, default=0)
            # Only where one reduction is possible whatever follows; anything else would guess the next token.
            if len(moves) != 1 or number < 0 or not self._reduce(number, ""):
                return


def parse_tokens(tokens: list[Token], start: str, reading: StringReading) -> Stop:
    """Parses all of `tokens` from a start symbol; the stop's value is the tree if it was accepted."""
    return Parser(start, reading).run(tokens)
