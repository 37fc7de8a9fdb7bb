"""Ways through a vocabulary with the machine of traces: token by token, and along what may follow."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

from potlang.decoding.tables import Bits, VocabularyTables
from potlang.languages.dot.stream.machine import TraceMachine, TraceState

KEPT = 20_000
"""Masks that are kept."""


class TokenWalks:
    """One machine over one vocabulary, and the masks that were found so far."""

    def __init__(self, tables: VocabularyTables, machine: TraceMachine) -> None:
        self.tables = tables
        self.machine = machine
        self.kept: dict[Any, Bits] = {}
        self._digits_kept: dict[tuple[int, bytes, bytes], tuple[Any, list[int]]] = {}
        self._children: dict[tuple[int, int, int], list[tuple[int, int, int]]] = {}

    def lives(self, state: TraceState, token: bytes) -> bool:
        """Whether the trace can be completed behind a token."""
        here: TraceState | None = state
        for byte in token:
            here = None if here is None else self.machine.step(here, byte)
        return here is not None

    def tried(self, state: TraceState) -> Bits:
        """The same mask as `mask`, found by trying each token: what tests compare it with."""
        return self.tried_of(state, self.tables.word_ids)

    def alive(self, state: TraceState, ids: Iterable[int]) -> list[int]:
        """Those of some tokens behind which the trace can be completed."""
        tokens = self.tables.vocabulary.tokens
        return [id_ for id_ in ids if self.lives(state, tokens[id_] or b"")]

    def tried_of(self, state: TraceState, ids: Iterable[int]) -> Bits:
        """As `alive`, as a mask."""
        return self.tables.bits(self.alive(state, ids))

    def walked(self, state: TraceState) -> Bits:
        """The mask where few bytes can follow, by a walk over the sorted tokens."""
        return self.tables.bits(self.walk(state, b""))

    def walk(self, state: TraceState, prefix: bytes) -> list[int]:
        """The tokens with a prefix behind which the trace can be completed; `state` is behind the prefix."""
        found: list[int] = []
        low, high = self.tables.range(prefix)
        stack = [(low, high, len(prefix), state)]
        words, word_ids, step = self.tables.words, self.tables.word_ids, self.machine.step
        while stack:
            low, high, depth, here = stack.pop()
            if low < high and len(words[low]) == depth:
                found.append(word_ids[low])
                low += 1
            for byte, first, last in self._branches(low, high, depth):
                following = step(here, byte)
                if following is not None:
                    stack.append((first, last, depth + 1, following))
        return found

    def _branches(self, low: int, high: int, depth: int) -> list[tuple[int, int, int]]:
        """The next bytes of the tokens in a range that agree up to `depth`, with their ranges."""
        found = self._children.get((low, high, depth))
        if found is None:
            found, words, at = [], self.tables.words, low
            while at < high:
                byte = words[at][depth]
                following = words[at][:depth] + bytes((byte,)) + b"\xff" * (self.tables.longest + 1)
                end = bisect_left(words, following, at, high)
                found.append((byte, at, end))
                at = end
            self._children[low, high, depth] = found
        return found

    def along_digits(self, digits: bytes, label: bytes, node: Any) -> list[int]:
        """The tokens of digits that lead behind `digits` along an edge of a set of ids, and below it.

        Sets share most of their parts, for which this is kept; calls nest as deep as tokens are long.
        """
        key = id(node), digits, label
        kept = self._digits_kept.get(key)
        if kept is not None:
            return kept[1]
        most, known = self.tables.longest_digits, self.tables.digits
        whole = digits + label
        pieces = (whole[:size] for size in range(len(digits) + 1, min(len(whole), most) + 1))
        found = [known[piece] for piece in pieces if piece in known]
        if len(whole) < most:
            for more, child in node[1]:
                found += self.along_digits(whole, more, child)
        if len(self._digits_kept) > KEPT:
            self._digits_kept.clear()
        # The node is kept too, so that no other one gets its id.
        self._digits_kept[key] = node, found
        return found

    def remembered(self, key: Any, make: Any, *arguments: Any) -> Bits:
        """The mask under a key, made where it is not there."""
        found = self.kept.get(key)
        if found is None:
            if len(self.kept) >= KEPT:
                self.kept.clear()
            found = self.kept[key] = make(*arguments)
            found.setflags(write=False)
        return found


class EndTrie:
    """Ends of tokens, with the tokens that have each."""

    def __init__(self, groups: dict[bytes, list[int]]) -> None:
        self._root: dict[int, Any] = {}
        for text, ids in groups.items():
            node = self._root
            for byte in text:
                node = node.setdefault(byte, {})
            node.setdefault(-1, []).extend(ids)

    def alive(self, machine: TraceMachine, state: TraceState) -> list[int]:
        """The tokens with an end behind which the trace can be completed."""
        found: list[int] = []
        stack = [(self._root, state)]
        while stack:
            node, here = stack.pop()
            for byte, child in node.items():
                if byte < 0:
                    found += child
                    continue
                following = machine.step(here, byte)
                if following is not None:
                    stack.append((child, following))
        return found
