"""The tables of a vocabulary that masks rest on: its tokens sorted, and sets of them as bit masks."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from potlang.decoding.vocabulary import TokenVocabulary
from potlang.languages.dot.read.records import END_MARK, ROLE_TOKENS
from potlang.languages.dot.stream import utf8

Bits: TypeAlias = "np.ndarray[Any, np.dtype[np.uint32]]"
"""A bit for each token, the lowest one of a word first."""
Flags: TypeAlias = "np.ndarray[Any, np.dtype[np.bool_]]"
_EXITS = frozenset(b'"\\')
_INVALID = 255
SPECIALS = (END_MARK, *ROLE_TOKENS)
_SPECIAL = re.compile(b"|".join(map(re.escape, SPECIALS)))
_EXIT = re.compile(rb'["\\\x00-\x1f]')
_OPENERS = frozenset(b"[{,\\:")
_OPENER = re.compile(rb"[\[{]+|,+|\\+|:+")
_FEW_WORDS = 64
"""Words or tokens up to which it is quicker to look at each of them."""
_BIT = [np.uint32(1 << place) for place in range(32)]


def partials() -> list[utf8.Partial]:
    """All states of the UTF-8 automaton."""
    found: list[utf8.Partial] = [utf8.WHOLE]
    for state in found:
        for byte in range(256):
            following = utf8.after(state, byte)
            if following is not None and following not in found:
                found.append(following)
    return found


class VocabularyTables:
    """The tables of one vocabulary."""

    def __init__(self, vocabulary: TokenVocabulary) -> None:
        self.vocabulary = vocabulary
        self.ids = vocabulary.ids
        self.words = sorted(vocabulary.ids)
        self.word_ids = [vocabulary.ids[word] for word in self.words]
        self.width = (len(vocabulary) + 31) // 32
        self.longest = max(map(len, self.words))
        self.none = self.bits(())
        self._classes: dict[utf8.Partial, list[Bits]] = {}
        self._need = {state: self._needs(state) for state in partials()}
        self.utf8 = {state: self.packed(need != _INVALID) for state, need in self._need.items()}
        inner = {id_ for word, id_ in vocabulary.ids.items() if b"\n@" in word}
        self.inner_records = sorted(inner)
        """Tokens with the beginning of a record behind a line end."""
        self.first_at = self._beginning(b"@")
        self.not_first_at = ~self.bits(self.first_at)
        self.reaches_fences = any(b"@@len=" in word for word in self.words)
        """Whether a token may say how long a fence is that it begins."""
        specials = [id_ for word, id_ in vocabulary.ids.items() if b"<" in word and _SPECIAL.search(word)]
        self.inner_specials = specials
        """Tokens with what may be the end of a trace, or a role token."""
        self.not_inner = ~self.bits(inner)
        self.line_feed = self.bits(self._beginning(b"\n"))
        self.line_starts = self.line_feed | self.bits(self._beginning(b"\r"))
        self.blank_starts = self.bits(self._beginning(b" "))
        self.line_ends = self.line_feed | self.bits(self._beginning(b"\r\n"))
        self.blank = self.bits(id_ for word, id_ in self.ids.items() if word.isspace())
        closing = (word for word in self.words if b"]" in word or b"}" in word)
        self.brackets = 2 + max((word.count(b"]") + word.count(b"}") for word in closing), default=0)
        """More brackets than any token closes."""
        opened = (word for word in self.words if not _OPENERS.isdisjoint(word))
        self.openings = max((len(_OPENER.findall(word)) for word in opened), default=0)
        """The most places in a token that open something in JSON; where several stand together one counts."""
        self.digits = {word: id_ for word, id_ in self.ids.items() if word.isdigit()}
        self.digit_bits = self.bits(self.digits.values())
        self.number_bits = self.bits(id_ for word, id_ in self.digits.items() if word[0] != ord("0"))
        self.longest_digits = max(map(len, self.digits), default=0)
        low, high = self.range(b"0")[0], self.range(b"9")[1]
        self.mixed = [self.word_ids[i] for i in range(low, high) if self.words[i] not in self.digits]
        """Tokens that begin with a digit and go on with something else."""

    # --- sets ------------------------------------------------------------------------------------

    def bits(self, ids: Iterable[int]) -> Bits:
        """The mask of some tokens."""
        flags = np.zeros(self.width * 32, dtype=np.bool_)
        flags[list(ids)] = True
        return self.packed(flags)

    def few(self, ids: list[int]) -> Bits:
        """The mask of some tokens, quicker where they are few."""
        if len(ids) > _FEW_WORDS:
            return self.bits(ids)
        found = np.zeros(self.width, dtype=np.uint32)
        for id_ in ids:
            found[id_ >> 5] |= _BIT[id_ & 31]
        return found

    def packed(self, flags: Flags) -> Bits:
        """The mask of the tokens whose flags are set."""
        found = np.packbits(flags, bitorder="little").view(np.uint32)
        found.setflags(write=False)
        return found

    def first(self, bits: Bits) -> int | None:
        """A token of a mask."""
        words = np.flatnonzero(bits)
        if not len(words):
            return None
        word = int(words[0])
        return word * 32 + (int(bits[word]) & -int(bits[word])).bit_length() - 1

    def unpacked(self, bits: Bits) -> list[int]:
        """The tokens of a mask."""
        words = np.flatnonzero(bits)
        if len(words) > _FEW_WORDS:
            flags = np.unpackbits(bits.view(np.uint8), bitorder="little")
            return [int(each) for each in np.flatnonzero(flags)]
        found = []
        for word in words.tolist():
            rest = int(bits[word])
            while rest:
                found.append(word * 32 + (rest & -rest).bit_length() - 1)
                rest &= rest - 1
        return found

    def range(self, prefix: bytes) -> tuple[int, int]:
        """Where the tokens with a prefix are among the sorted ones."""
        low = bisect_left(self.words, prefix)
        end = prefix.rstrip(b"\xff")
        if not end:
            return low, len(self.words)
        return low, bisect_left(self.words, end[:-1] + bytes((end[-1] + 1,)), low)

    def beginning(self, prefix: bytes) -> list[int]:
        """The tokens with a prefix."""
        return self.word_ids[slice(*self.range(prefix))]

    _beginning = beginning

    # --- characters ------------------------------------------------------------------------------

    def _needs(self, state: utf8.Partial) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """For each token how many bytes its last character needs; `_INVALID` for what is not UTF-8 there."""
        found = np.full(self.width * 32, _INVALID, dtype=np.uint8)
        low, high = (0, len(self.words)) if not state else (self.range(b"\x80")[0], self.range(b"\xbf")[1])
        for index in range(low, high):
            rest = _rest(self.words[index], state)
            if rest is not None:
                found[self.word_ids[index]] = len(rest)
        return found

    @cached_property
    def ending_specials(self) -> list[int]:
        """Tokens that end in the beginning of a line that is the end of a trace, or a role token."""
        begun = {line[:end] for line in SPECIALS for end in range(1, len(line) + 1)}
        begun |= {line + b"\r" for line in SPECIALS}
        return [
            id_ for word, id_ in self.ids.items() if b"\n<" in word and word[word.rfind(b"\n") + 1 :] in begun
        ]

    @cached_property
    def sizes(self) -> np.ndarray[Any, np.dtype[np.int32]]:
        """The bytes of each token."""
        found = np.zeros(self.width * 32, dtype=np.int32)
        for word, id_ in self.ids.items():
            found[id_] = len(word)
        return found

    @cached_property
    def text_sizes(self) -> np.ndarray[Any, np.dtype[np.int32]]:
        """The bytes of each token without a line end at its end, for which a budget of text has kept room."""
        found = self.sizes.copy()
        found[[id_ for word, id_ in self.ids.items() if word.endswith(b"\n")]] -= 1
        return found

    def classes(self, state: utf8.Partial) -> list[Bits]:
        """The tokens by what their last character needs, those apart that end a line."""
        found = self._classes.get(state)
        if found is None:
            need, ends = self._need[state], np.zeros(self.width * 32, dtype=np.bool_)
            ends[[id_ for word, id_ in self.ids.items() if word.endswith(b"\n")]] = True
            apart = [self.packed((need == size) & ~ends) for size in range(4)]
            found = self._classes[state] = [*apart, self.packed((need == 0) & ends)]
        return found

    def ending_in(self, state: utf8.Partial, left: int) -> Bits:
        """The tokens behind which a fence of `left` bytes more can be completed."""
        need = self._need[state].astype(np.int32)
        return self.packed((need != _INVALID) & (self.sizes + need <= left))

    def pending(self, state: utf8.Partial) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """As `_needs`."""
        return self._need[state]

    def behind_fence(self, left: int) -> list[int]:
        """The tokens with the end of a line behind `left` bytes."""
        return [
            self.ids[word]
            for word in self._with_line_ends
            if word[left : left + 1] == b"\n" or word[left : left + 2] == b"\r\n" or word[left:] == b"\r"
        ]

    @cached_property
    def _with_line_ends(self) -> list[bytes]:
        return [word for word in self.words if b"\n" in word or b"\r" in word]

    # --- strings of JSON -------------------------------------------------------------------------

    @cached_property
    def contents(self) -> dict[utf8.Partial, Bits]:
        """For each state the tokens that only go on with a string."""
        plain = self.bits(id_ for word, id_ in self.ids.items() if _EXIT.search(word) is None)
        return {state: bits & plain for state, bits in self.utf8.items()}

    @cached_property
    def exits(self) -> dict[bool, dict[bytes, list[int]]]:
        """The tokens that leave the plain part of a string, by what is left of them there.

        In two groups: those with something of the string in front, and those without.
        """
        found: dict[bool, dict[bytes, list[int]]] = {True: defaultdict(list), False: defaultdict(list)}
        for word, id_ in self.ids.items():
            exit_ = _EXIT.search(word)
            at = -1 if exit_ is None else exit_.start()
            if at >= 0 and word[at] in _EXITS and _rest(word[:at], utf8.WHOLE) == utf8.WHOLE:
                found[at > 0][word[at:]].append(id_)
        return found

    @cached_property
    def exits_in_character(self) -> list[int]:
        """The tokens that complete a character and leave the plain part of a string then."""
        low, high = self.range(b"\x80")[0], self.range(b"\xbf")[1]
        return [self.word_ids[i] for i in range(low, high) if not _EXITS.isdisjoint(self.words[i])]


def _rest(word: bytes, state: utf8.Partial) -> utf8.Partial | None:
    """The bytes that the last character needs behind a token; None if it is not UTF-8."""
    if not state:
        try:
            word.decode()
        except UnicodeDecodeError as error:
            if error.reason != "unexpected end of data":
                return None
            word = word[error.start :]
        else:
            return utf8.WHOLE
    here: utf8.Partial | None = state
    for byte in word:
        here = None if here is None else utf8.after(here, byte)
    return here
