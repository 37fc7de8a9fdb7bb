"""The tokens of a mask behind which what is left of a budget suffices for the closing ([DECODE-CLOSE]).

Far from the end of the budget a bound says so. Near it the closing behind each token counts: tokens that lead
to states that are alike are judged together, and what they add is kept under what it depends on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from potlang.decoding.masks import MaskTables
from potlang.decoding.tables import Bits
from potlang.languages.dot.stream.closing import ClosingLengths
from potlang.languages.dot.stream.ids import shortest
from potlang.languages.dot.stream.machine import (
    BlankLine,
    FenceBytes,
    FenceLength,
    FieldValue,
    Keyword,
    LineStart,
    Proposition,
    TextLine,
    TraceState,
)
from potlang.languages.dot.stream.registers import Choice, IdChoice, NumberRange, Registers, WordChoice

_GROWTH, _AN_ID, _OPENED = 200, 4, 32
"""The most that a token adds to a closing: by itself, for each digit of an id, for what it opens in JSON."""
_NEW_IDS = 6
"""More ids than a closing takes."""
_NAMED_IDS, _WORDS_DIFFER = 12, 16
"""More numbers than a closing writes, and more than its words differ in length."""
_KEPT = 2_000
"""Tables that are kept."""


class AddedByTokens(NamedTuple):
    """How many bytes tokens add to the closing of a state: sets that are alike, and some by themselves."""

    alike: tuple[tuple[int, Bits], ...]
    ids: np.ndarray[Any, np.dtype[np.int32]]
    added: np.ndarray[Any, np.dtype[np.int32]]
    most: int


class ClosingReserve:
    """The tokens that closings need, for the states of one machine over one vocabulary."""

    def __init__(self, masks: MaskTables) -> None:
        self.masks = masks
        self._tables = masks.tables
        self._machine = masks.machine
        self._lengths = ClosingLengths(masks.machine)
        self._kept: dict[Any, AddedByTokens] = {}
        self._key: tuple[Registers | None, tuple[Any, ...]] = None, ()

    def length(self, state: TraceState) -> int:
        """The bytes of the closing."""
        return self._lengths.of(state)

    def growth(self, state: TraceState) -> int:
        """More bytes than any token but one that says how long a fence is may add to the closing."""
        return _GROWTH + _AN_ID * len(str(state.registers.last)) + _OPENED * self._tables.openings

    def may_say_length(self, state: TraceState, token: bytes | None) -> bool:
        """Whether a token, None: any, may say how long a fence is, and so make the closing as long."""
        if isinstance(state.place, FenceLength | Keyword):
            return True
        return self._tables.reaches_fences if token is None else b"@@len=" in token

    def affordable(self, state: TraceState, found: Bits, left: int) -> Bits:
        """The tokens of a mask behind which the closing has at most `left` bytes.

        The closing of the state itself has at most one more.
        """
        registers, place, _ = state
        if left < 0:
            # The end token takes the last one.
            return self._tables.none
        if type(place) is BlankLine or registers.ended:
            return found
        if isinstance(place, TextLine | LineStart | Proposition):
            return self._by_table(state, found, left)
        if isinstance(place, FenceBytes):
            if place.left > self._tables.longest:
                return found
            # Within a fence each token shortens what is left of it.
            inside = found & self._tables.packed(self._tables.sizes <= place.left)
            return inside | self._one_by_one(state, found & ~inside, left)
        return self._in_record(state, found, left)

    # --- kept tables -----------------------------------------------------------------------------

    def _by_table(self, state: TraceState, found: Bits, left: int) -> Bits:
        """Of text, of JSON, and at the start of a line."""
        key = self.masks.key(state)
        if key is None:
            return self._one_by_one(state, found, left)
        deep, found = found & ~self.masks.not_deep, found & self.masks.not_deep
        base = self.length(state)
        table = self._remembered((*key, self._near(state.registers)), state, found, base)
        kept = self._within(table, found, left - base)
        return kept | self._one_by_one(state, deep, left) if deep.any() else kept

    def _near(self, registers: Registers) -> tuple[Any, ...]:
        """The part of the registers on which the closing behind a token may depend."""
        known, key = self._key
        if known is not registers:
            sets = (*registers.by_role, registers.active, *registers.sources)
            first = [shortest(ids, b"") for ids in sets]
            sources = [(len(each), each) for each in first[-len(registers.sources) :] if each is not None]
            roles = first.index(min(sources)[1]) if registers.sources and sources else -1
            sizes = (None if each is None else len(each) for each in first)
            key = (self._lengths.key(registers), roles, *sizes)
            self._key = registers, key
        return key

    def _remembered(self, key: Any, state: TraceState, found: Bits, base: int) -> AddedByTokens:
        table = self._kept.get(key)
        if table is None:
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            table = self._kept[key] = self._new_table(state, found, base)
        return table

    def _within(self, table: AddedByTokens, found: Bits, most: int) -> Bits:
        """The tokens of a mask that add at most so many bytes."""
        if table.most <= most:
            return found
        kept = self._tables.bits(table.ids[table.added <= most])
        for added, members in table.alike:
            if added <= most:
                kept = kept | members
        return found & kept

    def _new_table(self, state: TraceState, found: Bits, base: int) -> AddedByTokens:
        """The bytes that tokens add to a closing of `base` bytes."""
        tables = self._tables
        sets: list[tuple[int, Bits]] = []
        alike = self.masks.alike(state)
        if alike is not None:
            for members in tables.classes(alike.rest):
                some = found & alike.tokens & members
                one = tables.first(some)
                if one is not None:
                    [(_, behind)] = self._behind(state, [one])
                    sets.append((self.length(behind) - base, some))
            found = found & ~alike.tokens
        ids, added = [], []
        for id_, needed in self._needs(state, tables.unpacked(found)):
            ids.append(id_)
            added.append(needed - base)
        most = max((*added, *(each for each, _ in sets)), default=0)
        return AddedByTokens(
            tuple(sets), np.array(ids, dtype=np.int32), np.array(added, dtype=np.int32), most
        )

    # --- token by token --------------------------------------------------------------------------

    def _one_by_one(self, state: TraceState, found: Bits, left: int) -> Bits:
        ids = self._tables.unpacked(found)
        if not ids:
            return self._tables.none
        return self._tables.bits(id_ for id_, needed in self._needs(state, ids) if needed <= left)

    def _behind(self, state: TraceState, ids: Iterable[int]) -> list[tuple[int, TraceState]]:
        """The states behind tokens of a mask; bytes that tokens begin with alike are gone through once."""
        tokens, step = self._tables.vocabulary.tokens, self._machine.step
        found = []
        path, before = [state], b""
        for word, id_ in sorted((tokens[id_] or b"", id_) for id_ in ids):
            shared = 0
            for mine, other in zip(word, before, strict=False):
                if mine != other:
                    break
                shared += 1
            del path[shared + 1 :]
            here = path[-1]
            for byte in word[shared:]:
                following = step(here, byte)
                assert following is not None, "masks hold tokens that may follow"
                path.append(following)
                here = following
            before = word
            found.append((id_, here))
        return found

    def _needs(self, state: TraceState, ids: Iterable[int]) -> list[tuple[int, int]]:
        """The bytes of the closing behind each token."""
        known: dict[Any, int] = {}
        found = []
        for id_, behind in self._behind(state, ids):
            kind = self._alike(behind)
            needed = known.get(kind) if kind is not None else None
            if needed is None:
                needed = self.length(behind)
                if kind is not None:
                    known[kind] = needed
            found.append((id_, needed))
        return found

    def _alike(self, state: TraceState) -> Any:
        """The part of a state on which its closing depends, where many states are alike in it."""
        registers, place, _ = state
        if type(place) is Proposition:
            at, stack = place.json
            masks, depth = self.masks, 0 if stack is None else stack.depth
            return self._lengths.key(registers), depth, masks.kind_of_place(at, stack), masks.brackets(stack)
        return None

    # --- records ---------------------------------------------------------------------------------

    def _in_record(self, state: TraceState, found: Bits, left: int) -> Bits:
        tables, place = self._tables, state.place
        kept = tables.none
        for key, behind, starts in self._ways_out(state):
            ends = found & starts & self.masks.not_deep
            base = self.length(behind)
            table = self._remembered((*key, self._near(behind.registers)), state, ends, base)
            kept = kept | self._within(table, ends, left - base)
            found = found & ~ends
        if isinstance(place, FieldValue):
            choice = self._machine.rules.choice(state.registers, place.kind, len(place.values), place.values)
            if not isinstance(choice, WordChoice):
                digits = found & tables.digit_bits
                kept = kept | self._numbers(state, place, choice, digits, left)
                found = found & ~digits
        elif isinstance(place, FenceLength) and not place.closed:
            digits = found & tables.digit_bits
            kept = kept | self._fence_lengths(state, place, digits, left)
            found = found & ~digits
        return kept | self._one_by_one(state, found, left)

    def _ways_out(self, state: TraceState) -> list[tuple[tuple[Any, ...], TraceState, Bits]]:
        """Bytes that end a record or begin its JSON: what tokens with these depend on, and those tokens."""
        step, masks, place = self._machine.step, self.masks, state.place
        found = []
        line = step(state, ord("\n"))
        if line is not None:
            found.append((masks.key_of_end(state, line), line, self._tables.line_starts))
        if isinstance(place, FieldValue) and place.kind == "prop":
            json = step(state, ord(" "))
            if json is not None:
                found.append((masks.key_behind_id(json), json, self._tables.blank_starts))
        return found

    def _numbers(self, state: TraceState, place: FieldValue, choice: Choice, digits: Bits, left: int) -> Bits:
        """The tokens of digits, judged by what they make of the number."""
        tables, tokens, kept = self._tables, self._tables.vocabulary.tokens, []
        one = tables.first(digits)
        if one is None:
            return digits
        [(_, needed)] = self._needs(state, [one])
        ids_differ = _NAMED_IDS * tables.longest_digits + len(str(state.registers.last))
        if needed + ids_differ + _WORDS_DIFFER <= left:
            return digits
        known: dict[Any, int] = {}
        for id_ in tables.unpacked(digits):
            text = place.text + (tokens[id_] or b"")
            kind = self._kind_of_number(state.registers, choice, text)
            if kind not in known:
                [(_, known[kind])] = self._needs(state, [id_])
            if known[kind] <= left:
                kept.append(id_)
        return tables.bits(kept)

    def _kind_of_number(self, registers: Registers, choice: Choice, text: bytes) -> Any:
        """The part of a number on which the closing behind it depends."""
        rest = b"" if choice.has(text) else choice.shortest(text)
        if isinstance(choice, IdChoice):
            return len(rest), self._machine.rules.role_of(registers, text + rest)
        assert isinstance(choice, NumberRange)
        whole = text + rest
        return len(rest), len(whole), min(10 ** len(whole) - int(whole), _NEW_IDS)

    def _fence_lengths(self, state: TraceState, place: FenceLength, digits: Bits, left: int) -> Bits:
        """The tokens of digits that make a fence no longer than there is room."""
        tokens = self._tables.vocabulary.tokens
        ids = self._tables.unpacked(digits)
        if not ids:
            return digits
        sizes = {id_: int(place.text + (tokens[id_] or b"")) for id_ in ids}
        [(one, needed)] = self._needs(state, ids[:1])
        most = left - needed + sizes[one]
        return self._tables.bits(id_ for id_, size in sizes.items() if size <= most)
