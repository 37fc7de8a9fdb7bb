"""The tokens behind which a trace can still be completed: exact masks, found without trying every token.

Most of a vocabulary matters in few places: text, fences and strings, where whole sets of tokens are known
ahead. Elsewhere few bytes can follow, and tokens are looked up along them. What was found is kept under what
it depends on.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any, NamedTuple

from potlang.decoding.tables import Bits, VocabularyTables
from potlang.decoding.walks import KEPT, EndTrie, TokenWalks
from potlang.languages.dot.read.shapes import LONGEST_NUMBER, SHAPES
from potlang.languages.dot.stream import utf8
from potlang.languages.dot.stream.ids import EMPTY, below
from potlang.languages.dot.stream.json_bytes import (
    BehindValue,
    Brackets,
    Expected,
    ExpectedColon,
    ExpectedKey,
    InNumber,
    InString,
    ObjectFrame,
    is_complete,
)
from potlang.languages.dot.stream.machine import (
    OPENINGS,
    BlankLine,
    CarriageReturn,
    FenceBytes,
    FieldName,
    FieldValue,
    Keyword,
    LineStart,
    Proposition,
    RecordEnd,
    TextLine,
    TraceMachine,
    TraceState,
    may_end_record,
)
from potlang.languages.dot.stream.registers import (
    CRITIC,
    PROPOSER,
    IdChoice,
    NumberRange,
    Registers,
    WordChoice,
)

_FAR = 4_000
"""Bytes of a string or a number that are far from their limits."""
_STRUCTURE = b' \t\r\n"[]{},:'
_NUMBER = b"0123456789.eE+-"


class _Ending(NamedTuple):
    """A way in which a record goes on: its bytes up to where a number begins, or its line ends."""

    text: bytes
    number: bool


class Alike(NamedTuple):
    """Some tokens that may follow, and the bytes that a character needs in front of them."""

    tokens: Bits
    rest: utf8.Partial


class MaskTables(TokenWalks):
    """Masks for the states of one machine over one vocabulary."""

    def __init__(self, tables: VocabularyTables, machine: TraceMachine) -> None:
        super().__init__(tables, machine)
        self._prefixes: dict[bytes, list[int]] = {}
        self._exits: dict[bool, EndTrie] = {}
        self._deep = self._deep_ones()
        self.not_deep = ~tables.bits(self._deep)
        self._found_near: tuple[Registers | None, tuple[Any, ...]] = None, ()

    def mask(self, state: TraceState) -> Bits:
        """The tokens behind which the trace can be completed; not to be written to."""
        registers, place, size = state
        if size + self.tables.longest + LONGEST_NUMBER > self.machine.limits.bytes:
            return self.tried(state)
        match place:
            case TextLine():
                return self._text(state, place)
            case FieldValue() | FieldName() | Keyword() | RecordEnd():
                return self._record(state)
            case Proposition():
                return self._proposition(state, place)
            case LineStart() if registers.previous and not registers.ended and registers.opening is None:
                return self._line(state)
            case FenceBytes():
                return self._fence(state, place)
            case BlankLine():
                return self.tables.blank
            case LineStart() if registers.ended:
                return self.tables.blank
            case CarriageReturn():
                return self._with_deep(state, self._record_end(state)) & self.tables.line_feed
        return self.walked(state)

    # --- what a mask depends on ------------------------------------------------------------------

    def near(self, registers: Registers) -> tuple[Any, ...]:
        """The part of the registers that decides which records may begin within a token."""
        known, found = self._found_near
        if known is not registers:
            # They stay the same object for the whole of a line.
            found = self._near(registers)
            self._found_near = registers, found
        return found

    def _near(self, registers: Registers) -> tuple[Any, ...]:
        budgets = self.machine.rules.budgets
        near = self.tables.longest
        records = None if budgets.records is None else min(budgets.records - registers.counted, near)
        ids = None if budgets.ids is None else min(budgets.ids - registers.last, near)
        text = None if budgets.text is None else min(budgets.text - registers.text, near * 2)
        return (
            registers.order,
            registers.role,
            registers.sources == (EMPTY,) * len(registers.sources),
            registers.active == EMPTY,
            registers.by_role[PROPOSER] == EMPTY,
            registers.by_role[CRITIC] == EMPTY,
            registers.tokens,
            registers.opening,
            registers.criticized,
            registers.ended,
            (records, ids, text),
        )

    def key(self, state: TraceState) -> tuple[Any, ...] | None:
        """The part of a state on which its mask depends, in text, in JSON and at the start of a line.

        None where masks are not kept.
        """
        registers, place, _ = state
        match place:
            case TextLine(rest, special, size):
                return "text", rest, special, self.near(registers), self._room(state, size)
            case LineStart() if registers.previous and not registers.ended and registers.opening is None:
                return "line", self.near(registers), self._room(state, 0)
        if not isinstance(place, Proposition):
            return None
        at, stack = place.json
        if isinstance(at, InString) and at.length > _FAR:
            return None
        return "json", place.fresh, self.kind_of_place(at, stack), self.brackets(stack), self.near(registers)

    def key_of_end(self, state: TraceState, behind: TraceState) -> tuple[Any, ...]:
        """The part of a state on which tokens that end a record depend; `behind` its line feed."""
        is_return = isinstance(state.place, CarriageReturn)
        return "end", is_return, self.near(behind.registers), self._room(behind, 0)

    def key_behind_id(self, behind: TraceState) -> tuple[Any, ...]:
        """The part of a state on which tokens depend that begin with the space in front of JSON."""
        return "behind id", behind.registers.role == "problem", self.near(behind.registers)

    # --- text ------------------------------------------------------------------------------------

    def _is_special(self, registers: Registers) -> bool:
        return bool(self.machine.specials(registers))

    def _text(self, state: TraceState, place: TextLine) -> Bits:
        return self._with_deep(state, self.remembered(self.key(state), self._new_text, state, place))

    def _room(self, state: TraceState, size: int) -> int | None:
        """The bytes of text that the budget has left, as far as a token may need them."""
        most = self.machine.rules.budgets.text
        return None if most is None else min(most - state.registers.text - size, 2 * self.tables.longest)

    def _new_text(self, state: TraceState, place: TextLine) -> Bits:
        tables, registers = self.tables, state.registers
        if not self.machine.rules.follows(registers, "TEXT"):
            return self.walked(state)
        room = self._room(state, place.size)
        found = self._lines(place.rest, tables.utf8[place.rest], room)
        tried = self._uncertain(registers, place.special)
        if room is not None and room <= tables.longest + 4:
            # What begins a line that is no text does not count as such yet.
            tried.update(tables.ending_specials)
        return self._corrected(state, found, tried)

    def _uncertain(self, registers: Registers, special: bytes | None) -> set[int]:
        """The tokens that in a line of text may be more than text."""
        tables = self.tables
        tried = set(tables.inner_records)
        specials = self.machine.specials(registers)
        if specials:
            tried.update(tables.inner_specials)
        if special is None:
            return tried
        for line in specials:
            if line.startswith(special):
                rest = line[len(special) :]
                tried.update(tables.beginning(rest) if rest else ())
                tried.update(self._along(rest))
        if special.removesuffix(b"\r") in specials:
            tried.update(tables.beginning(b"\n"), tables.beginning(b"\r"))
        return tried

    def _lines(self, rest: utf8.Partial, among: Bits, room: int | None) -> Bits:
        """Of these tokens those that are lines of text, without records in them."""
        found = among & self.tables.not_inner
        if room is not None and room <= self.tables.longest + 4:
            found = found & self.tables.packed(self.tables.text_sizes + self.tables.pending(rest) < room)
        return found

    def _corrected(self, state: TraceState, found: Bits, tried: Iterable[int]) -> Bits:
        """The mask with some tokens tried."""
        some = list(tried)
        if not some:
            return found
        shallow = [id_ for id_ in some if id_ not in self._deep]
        return (found & ~self.tables.bits(some)) | self.tried_of(state, shallow)

    def _deep_ones(self) -> frozenset[int]:
        """The tokens that reach into the value of a record's field: no mask that is kept knows of them."""
        tokens = self.tables.vocabulary.tokens
        pieces = [opening[opening.index(b" ") if b" " in opening else 2 :] for opening in OPENINGS]
        some = {*self.tables.inner_records, *self.tables.first_at}
        return frozenset(id_ for id_ in some if any(piece in (tokens[id_] or b"") for piece in pieces))

    def _with_deep(self, state: TraceState, found: Bits) -> Bits:
        """A mask that was kept, with what it does not know of."""
        if not self._deep:
            return found
        return (found & self.not_deep) | self.tried_of(state, self._deep)

    def _line(self, state: TraceState) -> Bits:
        return self._with_deep(state, self.remembered(self.key(state), self._new_line, state))

    def _new_line(self, state: TraceState) -> Bits:
        """The mask at the start of a line in a block: as in an empty line of text, but for records."""
        line = TextLine(utf8.WHOLE, b"", 0)
        found = self._new_text(state, line)
        return self._corrected(state, found, self.tables.first_at)

    def _record_end(self, state: TraceState) -> Bits:
        """The tokens that begin with the end of the line of a record, which is complete in this state."""
        behind = self.machine.step(state, ord("\n"))
        if behind is None:
            return self.tables.none
        return self.remembered(self.key_of_end(state, behind), self._new_record_end, state, behind)

    def _new_record_end(self, state: TraceState, behind: TraceState) -> Bits:
        tables, registers = self.tables, behind.registers
        either = [*tables.beginning(b"\n"), *tables.beginning(b"\r")]
        if not self.machine.rules.follows(registers, "TEXT") or registers.ended:
            return self.tried_of(state, either)
        # The first line end is the record's, and no text.
        room = self._room(behind, 0)
        found = self._lines(
            utf8.WHOLE, tables.utf8[utf8.WHOLE] & tables.line_ends, None if room is None else room + 1
        )
        if room is not None and room <= tables.longest + 5:
            return self.tried_of(state, either)
        tried = {
            id_
            for id_ in tables.inner_records
            if (tables.vocabulary.tokens[id_] or b"")[:1] in (b"\n", b"\r")
        }
        if self._is_special(registers):
            tried.update(tables.inner_specials)
        if b"\r" in tables.ids:
            tried.add(tables.ids[b"\r"])
        return self._corrected(state, found, tried)

    # --- fences ----------------------------------------------------------------------------------

    def _fence(self, state: TraceState, place: FenceBytes) -> Bits:
        left, rest = place
        if left == 0:
            return self._with_deep(state, self._record_end(state))
        if left > self.tables.longest + len(utf8.WHOLE) + 4:
            return self.tables.utf8[rest]
        key = ("fence", left, rest, self.near(state.registers), self._room(state, 0))
        return self._with_deep(state, self.remembered(key, self._new_fence, state, place))

    def _new_fence(self, state: TraceState, place: FenceBytes) -> Bits:
        inside = self.tables.ending_in(place.rest, place.left)
        return inside | self.tried_of(state, self.tables.behind_fence(place.left))

    # --- tokens that are alike ---

    def alike(self, state: TraceState) -> Alike | None:
        """Tokens behind which the closing differs only by what a character needs, and by an end of a line."""
        registers, place, _ = state
        tables = self.tables
        match place:
            case TextLine(rest, special, _):
                apart = self._uncertain(registers, special).union(tables.ending_specials)
                return Alike(tables.utf8[rest] & ~tables.bits(apart), rest)
            case LineStart():
                apart = self._uncertain(registers, b"").union(tables.ending_specials)
                plain = tables.utf8[utf8.WHOLE] & ~tables.bits(apart)
                return Alike(plain & tables.not_first_at, utf8.WHOLE)
            case Proposition():
                at, stack = place.json
                if (
                    not isinstance(at, InString)
                    or at.half
                    or (at.part and not at.rest)
                    or not self._is_plain(at, stack)
                ):
                    return None
                plain = tables.contents[at.rest]
                rests = self._rests_of_keys(at, stack)
                if at.rest:
                    return None if rests else Alike(plain, at.rest)
                # What begins a key that is there may repeat it.
                repeating = [id_ for rest in rests for id_ in self._along(rest.encode())]
                return Alike(plain & ~tables.bits(repeating) if repeating else plain, at.rest)
        return None

    # --- records ---------------------------------------------------------------------------------

    def _record(self, state: TraceState) -> Bits:
        """The mask within a record: tokens are looked up along what may follow."""
        registers, place, _ = state
        words: tuple[bytes, ...] = ()
        if isinstance(place, FieldValue):
            choice = self.machine.rules.choice(registers, place.kind, len(place.values), place.values)
            if not isinstance(choice, WordChoice):
                return self._number(state, place, choice)
            words = choice.words
        elif isinstance(place, RecordEnd):
            return self._along_endings(state, self.tables.none, [])[0]
        elif isinstance(place, FieldName) and len(place.values) + 1 == len(SHAPES[place.kind]) > 1:
            last = len(place.values)
            choice = self.machine.rules.choice(registers, place.kind, last, place.values)
            words = choice.words if isinstance(choice, WordChoice) else ()
        key = (*self._key(place), words, self.near(registers))
        found = self.kept.get(key)
        if found is not None:
            return found
        made, has_tried = self._along_endings(state, self.tables.none, [])
        return made if has_tried else self.remembered(key, lambda: made)

    def _key(self, place: Any) -> tuple[Any, ...]:
        if isinstance(place, Keyword):
            return ("keyword", place.text)
        return (type(place) is FieldName, place.kind, len(place.values), place.text)

    def _number(self, state: TraceState, place: FieldValue, choice: IdChoice | NumberRange) -> Bits:
        """The mask in the number of a field."""
        found, ids = self._numbers(state, place, choice)
        if place.text and choice.has(place.text):
            return self._along_endings(state, found, ids)[0]
        return found | self.tables.few(ids) if ids else found

    def _along_endings(self, state: TraceState, found: Bits, ids: list[int]) -> tuple[Bits, bool]:
        """A mask and some tokens, with those along what may follow; and whether some had to be tried.

        A mask that rests on trying is not kept.
        """
        place, tables = state.place, self.tables
        tried: list[int] = []
        for text, number in self._endings(state):
            ids += self._along(text)
            if number:
                tried += self._mixed(text)
            elif text:
                tried += tables.beginning(text + b"\n") + tables.beginning(text + b"\r")
            else:
                found = found | self._with_deep(state, self._record_end(state))
        if isinstance(place, FieldValue) and place.kind == "prop":
            found = found | self._json_behind_id(state)
        ids += self.alive(state, tried)
        return found | tables.few(ids) if ids else found, bool(tried)

    def _along(self, text: bytes) -> list[int]:
        """The tokens that begin a text."""
        found = self._prefixes.get(text)
        if found is None:
            if len(self._prefixes) > KEPT:
                self._prefixes.clear()
            known = self.tables.ids
            pieces = (text[:size] for size in range(1, min(len(text), self.tables.longest) + 1))
            found = self._prefixes[text] = [known[piece] for piece in pieces if piece in known]
        return found

    def _mixed(self, text: bytes) -> list[int]:
        """The tokens that begin with a text and a digit."""
        words = self.tables.words
        low = bisect_left(words, text + b"0")
        return self.tables.word_ids[low : bisect_left(words, text + b":", low)]

    def _endings(self, state: TraceState) -> list[_Ending]:
        """The ways in which the record may go on up to its next number."""
        registers, place, _ = state
        match place:
            case Keyword(text):
                return [_Ending(each[len(text) :], True) for each in self.machine.openings(registers, text)]
            case FieldName(kind, values, text):
                return self._fields(registers, kind, values, text)
            case RecordEnd(kind, values):
                return self._behind(registers, kind, values)
            case FieldValue(kind, values, text):
                choice = self.machine.rules.choice(registers, kind, len(values), values)
                if isinstance(choice, WordChoice):
                    return [
                        _Ending(word[len(text) :] + rest.text, rest.number)
                        for word in choice.words
                        if word.startswith(text)
                        for rest in self._behind(registers, kind, (*values, word))
                    ]
                if text and choice.has(text) and kind != "prop":
                    return self._behind(registers, kind, (*values, text))
        return []

    def _behind(self, registers: Registers, kind: str, values: tuple[bytes | None, ...]) -> list[_Ending]:
        end = [_Ending(b"", False)] if may_end_record(kind, values) else []
        return [*end, *self._fields(registers, kind, values, b"")]

    def _fields(
        self, registers: Registers, kind: str, values: tuple[bytes | None, ...], text: bytes
    ) -> list[_Ending]:
        found = []
        for name, index in self.machine.names(registers, kind, values, text):
            rest = name[len(text) :]
            if not SHAPES[kind][index].words:
                found.append(_Ending(rest, True))
                continue
            above = values + (None,) * (index - len(values))
            choice = self.machine.rules.choice(registers, kind, index, above)
            assert isinstance(choice, WordChoice)
            for word in choice.words:
                behind = self._behind(registers, kind, (*above, word))
                found += [_Ending(rest + word + each.text, each.number) for each in behind]
        return found

    def _numbers(
        self, state: TraceState, place: FieldValue, choice: IdChoice | NumberRange
    ) -> tuple[Bits, list[int]]:
        """The tokens that go on with the number of a field, as a mask and as a list."""
        tables, text = self.tables, place.text
        ids = self.alive(state, tables.mixed)
        if isinstance(choice, IdChoice):
            for root in choice.sets:
                self._add_digits_below(root, text, ids)
            return tables.none, ids
        if choice.low == choice.high:
            whole = b"%d" % choice.low
            return tables.none, [*ids, *self._along(whole[len(text) :])]
        is_free = (
            choice.high >= 10**LONGEST_NUMBER - 1 and len(text) + tables.longest_digits < LONGEST_NUMBER // 2
        )
        if not is_free or len(str(choice.low)) + tables.longest_digits >= LONGEST_NUMBER // 2 or text == b"0":
            return tables.none, [*ids, *self.alive(state, tables.digits.values())]
        if text:
            return tables.digit_bits, ids
        if choice.low == 0 and b"0" in tables.digits:
            ids.append(tables.digits[b"0"])
        return tables.number_bits, ids

    def _add_digits_below(self, root: Any, text: bytes, ids: list[int]) -> None:
        """Adds the tokens of digits that go on with members which have a prefix."""
        first = below(root, text)
        if first is not None:
            ids += self.along_digits(b"", *first)

    # --- JSON ------------------------------------------------------------------------------------

    def _json_behind_id(self, state: TraceState) -> Bits:
        """The tokens that begin with the space behind the id of a `@prop`, and perhaps its JSON."""
        behind = self.machine.step(state, ord(" "))
        if behind is None:
            return self.tables.none
        found = self.remembered(self.key_behind_id(behind), lambda: self.tables.bits(self.walk(behind, b" ")))
        return self._with_deep(state, found)

    def _proposition(self, state: TraceState, place: Proposition) -> Bits:
        key = self.key(state)
        if key is None:
            return self.tried_of(state, self.tables.word_ids)
        return self._with_deep(state, self.remembered(key, self._new_proposition, state, place))

    def kind_of_place(self, at: Any, stack: Brackets | None) -> Any:
        """The part of a place in JSON that decides which tokens may follow."""
        match at:
            case InString(among=among) if among is not None:
                return at
            case InString(text=None):
                return at._replace(length=min(at.length, 1))
            case InNumber() if at.written < _FAR and at.part in (
                "whole",
                "zero",
                "decimals",
                "sign",
                "point",
            ):
                return at.part
            case InString(text=text):
                assert stack is not None and isinstance(stack.frame, ObjectFrame) and text is not None
                keys = self.machine.json.taken(stack.frame)
                if stack.frame.shape.keys is None and not any(key.startswith(text) for key in keys):
                    return at._replace(length=min(at.length, 1), text=None), "key"
        return at

    def brackets(self, stack: Brackets | None) -> tuple[Any, ...]:
        """The innermost brackets, as many as a token may close, and how deep they may nest."""
        found: list[Any] = []
        depth = 0 if stack is None else stack.depth
        while stack is not None and len(found) < self.tables.brackets:
            # Shapes are those of `json_shapes`, each one object.
            shape, inside = stack.frame
            found.append((id(shape), inside, stack.bound))
            stack = stack.below
        room = self.machine.limits.nesting - depth
        return (stack is None, min(room, self.tables.longest), *found)

    def _new_proposition(self, state: TraceState, place: Proposition) -> Bits:
        at, stack = place.json
        if isinstance(at, InString) and not at.part and not at.half and self._is_plain(at, stack):
            return self._new_string(state, at, stack)
        ids: list[int] = []
        goes_on = isinstance(at, InNumber) and at.part in ("whole", "decimals") and at.written < _FAR
        if goes_on:
            ids += self.tables.digits.values()
            ids += self.alive(state, self.tables.mixed)
        if is_complete(place.json):
            ids += self.alive(state, self.tables.beginning(b"\n"))
        for byte in self._following(at):
            if goes_on and byte in b"0123456789":
                continue
            following = self.machine.step(state, byte)
            if following is not None:
                ids += self.walk(following, bytes((byte,)))
        return self.tables.bits(ids)

    def _following(self, at: Any) -> Iterable[int]:
        """Bytes among which are all that may follow, but for the end of the line."""
        if isinstance(at, InNumber):
            return _STRUCTURE.replace(b"\n", b"") + _NUMBER
        if isinstance(at, BehindValue | ExpectedKey | ExpectedColon):
            return _STRUCTURE.replace(b"\n", b"")
        if isinstance(at, Expected):
            return _STRUCTURE.replace(b"\n", b"") + b"-0123456789"
        return [byte for byte in range(256) if byte != ord("\n")]

    def _is_plain(self, at: InString, stack: Brackets | None) -> bool:
        """Whether any characters may follow in a string."""
        if at.text is None or at.among is not None:
            return at.among is None
        return stack is not None and isinstance(stack.frame, ObjectFrame) and stack.frame.shape.keys is None

    def _new_string(self, state: TraceState, at: InString, stack: Brackets | None) -> Bits:
        tables = self.tables
        found = tables.contents[at.rest]
        if at.rest:
            return found | self.tried_of(state, tables.exits_in_character)
        ids = self._exiting(state, False) + self._exiting(self._longer(state), True)
        found = found | tables.bits(ids)
        rests = self._rests_of_keys(at, stack)
        tried = [id_ for rest in rests for id_ in tables.beginning(rest.encode() + b'"')]
        return self._corrected(state, found, tried)

    def _rests_of_keys(self, at: InString, stack: Brackets | None) -> list[str]:
        """The ends of keys of the object that begin like this one."""
        if at.text is None or stack is None or not isinstance(stack.frame, ObjectFrame):
            return []
        taken = self.machine.json.taken(stack.frame)
        return [key[len(at.text) :] for key in taken if key.startswith(at.text)]

    def _longer(self, state: TraceState) -> TraceState:
        """The state behind some more characters of a string, which repeat no key."""
        place = state.place
        assert isinstance(place, Proposition)
        at = place.json.at
        assert isinstance(at, InString)
        # No key has this character in front: a token that repeats one is tried by itself.
        text = None if at.text is None else "\x00" * 7
        longer = at._replace(length=at.length + 1, text=text)
        return state._replace(place=place._replace(json=place.json._replace(at=longer), fresh=False))

    def _exiting(self, state: TraceState, behind_some: bool) -> list[int]:
        """The tokens that leave the plain part of a string: by what is left of them there."""
        trie = self._exits.get(behind_some)
        if trie is None:
            trie = self._exits[behind_some] = EndTrie(self.tables.exits[behind_some])
        return trie.alive(self.machine, state)
