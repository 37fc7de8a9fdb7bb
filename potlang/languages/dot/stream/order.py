"""The order of records in a block as a finite automaton, found in the LALR tables of the reader's grammar.

The grammar is left recursive, so few stacks of its parser occur; each of them is a state here.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from potlang.languages.dot.read.grammar import GRAMMARS
from potlang.languages.dot.read.lexer import TOKENS
from potlang.languages.dot.read.records import Profile
from potlang.languages.dot.read.tables import prepared

START = 0
_FINISHED = "$end"


class RecordOrder:
    """The automaton of a profile: a row for each state, with the next state for each kind of token."""

    def __init__(self, profile: Profile) -> None:
        self._tables: Any = prepared(profile)
        rows: list[dict[str, int]] = []
        may_end: list[bool] = []
        first: tuple[int, ...] = (0,)
        numbers = {first: START}
        stacks = [first]
        for stack in stacks:
            row = {}
            for kind in TOKENS:
                following = self._shifted(stack, kind)
                if following is None:
                    continue
                if following not in numbers:
                    numbers[following] = len(stacks)
                    stacks.append(following)
                row[kind] = numbers[following]
            rows.append(row)
            may_end.append(self._shifted(stack, _FINISHED) is not None)
        self.rows, self.may_end = _merged(rows, may_end)

    def _shifted(self, stack: tuple[int, ...], kind: str) -> tuple[int, ...] | None:
        """The parser's stack behind a token; None where the grammar does not admit it."""
        while True:
            action = self._tables._lr_action[stack[-1]].get(kind)
            if action is None:
                return None
            if action == 0:
                return stack
            if action > 0:
                return (*stack, action)
            _, name, size, *_ = self._tables._lr_productions[-action]
            stack = stack[: len(stack) - size]
            stack = (*stack, self._tables._lr_goto[stack[-1]][name])


def _merged(rows: list[dict[str, int]], may_end: list[bool]) -> tuple[list[dict[str, int]], list[bool]]:
    """The automaton with states that nothing tells apart made one; the first stays the first."""
    classes = [int(each) for each in may_end]
    while True:
        looks = [
            (classes[i], *sorted((k, classes[to]) for k, to in row.items())) for i, row in enumerate(rows)
        ]
        numbers = {look: n for n, look in enumerate(dict.fromkeys(looks))}
        finer = [numbers[look] for look in looks]
        if len(numbers) == len(set(classes)):
            break
        classes = finer
    kept = {state: rows[index] for index, state in reversed(list(enumerate(finer)))}
    merged = [{kind: finer[to] for kind, to in kept[state].items()} for state in range(len(kept))]
    ends = {state: may_end[index] for index, state in enumerate(finer)}
    return merged, [ends[state] for state in range(len(kept))]


@cache
def order_of(profile: Profile) -> RecordOrder:
    """The automaton of a profile's grammar."""
    assert profile in GRAMMARS
    return RecordOrder(profile)
