"""A masker of tokens for one trace that is being written, of the shape that decoders expect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from potlang.decoding.masks import MaskTables
from potlang.decoding.reserve import ClosingReserve
from potlang.decoding.tables import Bits, VocabularyTables
from potlang.decoding.vocabulary import TokenVocabulary
from potlang.languages.dot.read.records import Profile
from potlang.languages.dot.stream.closing import closing
from potlang.languages.dot.stream.machine import TraceMachine, TraceState
from potlang.languages.dot.stream.registers import NO_GOAL, UNBOUNDED, Budgets, TraceGoal
from potlang.source import DEFAULT_LIMITS, InputLimits

_CLOSING_BYTES = (
    b"@node id=0123456789 role=problemproposercriticsummarizer\n<summarizer:end>@edge src dst kind="
    b"critiquerefineuse"
    b"@status target mark=validatedinvalidated just@entails witness rank@eq@coeq@prop@@len=x"
    b'"{}[],:\\declareassumdomainrangpot' + b"\x80\x90\xa0"
)
"""Bytes among which are all of closings, with those that complete any character."""


_SHARED = 8
"""Rules whose tables a vocabulary keeps."""


class BudgetTooSmall(ValueError):
    """No trace that reaches the goal can be written with so many tokens."""


class TokenMasker:
    """Which tokens may come next in a trace, so that it can still be completed.

    A token is allowed if and only if bytes exist that complete the trace behind it, and, with `max_tokens`,
    if the tokens that are left then suffice for the closing, a byte each. The vocabulary's end token is
    allowed exactly where the trace is complete. `copy`ing a masker takes the same time at any token.
    """

    def __init__(
        self,
        vocabulary: TokenVocabulary,
        *,
        profile: Profile = "paper",
        budgets: Budgets = UNBOUNDED,
        goal: TraceGoal = NO_GOAL,
        tokens: bool | None = False,
        max_tokens: int | None = None,
        limits: InputLimits = DEFAULT_LIMITS,
        names: Iterable[str] | None = None,
    ) -> None:
        """`tokens`: whether blocks begin with role tokens, written as text. `names`: those that propositions
        may use, beside variables that they bind; None: any.

        Raises `BadVocabulary` where the vocabulary cannot write every trace, `BudgetTooSmall` where no
        trace that reaches the goal is within `max_tokens`, and `ValueError` where none is within the budgets.
        """
        self._machine = TraceMachine(profile, budgets, goal, tokens=tokens, limits=limits, names=names)
        vocabulary.require_bytes(_CLOSING_BYTES + "".join(self._machine.json.names or ()).encode())
        self.vocabulary = vocabulary
        start = self._machine.start()
        if (budgets.text or 0) < 0 or (
            not tokens and not self._machine.rules.follows(start.registers, "NODE")
        ):
            raise ValueError(f"no trace is within {budgets} and reaches {goal}")
        self.reserve = _reserve_of(vocabulary, self._machine)
        self.mask_tables = self.reserve.masks
        self._machine = self.mask_tables.machine
        self._most = max_tokens
        needed = self._needed(start)
        self._path: tuple[Any, ...] = (start, needed, None)
        """The state, no fewer tokens than its closing needs, and the path before."""
        self._count = 0
        self._stopped = False
        if max_tokens is not None and needed > max_tokens:
            raise BudgetTooSmall(f"the shortest trace takes {needed} tokens, more than {max_tokens}")

    # --- what is known ---------------------------------------------------------------------------

    @property
    def state(self) -> TraceState:
        """The state of the machine behind the tokens so far."""
        state: TraceState = self._path[0]
        return state

    @property
    def machine(self) -> TraceMachine:
        """The machine whose language is written."""
        return self._machine

    def is_accepting(self) -> bool:
        """Whether the trace may stop here."""
        return self._machine.is_complete(self.state)

    def is_stopped(self) -> bool:
        """Whether the end token was consumed, or no token can follow."""
        return self._stopped or (self._most is not None and self._count >= self._most)

    def closing(self) -> bytes:
        """The bytes that complete the trace; each is a token."""
        return closing(self._machine, self.state)

    # --- masks -----------------------------------------------------------------------------------

    def mask(self) -> np.ndarray[Any, np.dtype[np.int32]]:
        """A bit for each token of the vocabulary that may come next, the lowest one of a word first.

        The array is not to be written to; `fill` copies it.
        """
        found = self.mask_tables.tables.none if self.is_stopped() else self._found()
        return found.view(np.int32)

    def _found(self) -> Bits:
        found = self.mask_tables.mask(self.state)
        if self._most is not None:
            state, bound = self._path[:2]
            left, reserve = self._most - self._count - 1, self.reserve
            if bound + reserve.growth(state) > left or reserve.may_say_length(state, None):
                found = reserve.affordable(state, found, left - (self.vocabulary.end is not None))
        end = self.vocabulary.end
        if end is not None and self.is_accepting():
            found = found | self.mask_tables.tables.bits((end,))
        return found

    def fill(self, bitmask: Any, row: int = 0) -> None:
        """Writes the mask into a row of an array of int32 words."""
        mask = self.mask()
        bitmask[row, : len(mask)] = mask

    @staticmethod
    def fill_batch(maskers: Sequence[TokenMasker], bitmask: Any) -> None:
        """Writes the mask of each masker into its row."""
        for row, masker in enumerate(maskers):
            masker.fill(bitmask, row)

    # --- tokens ----------------------------------------------------------------------------------

    def allows(self, token: int) -> bool:
        """Whether a token may come next."""
        return self._followed(token) is not None

    def consume_token(self, token: int) -> bool:
        """Goes behind a token; False, and nothing changes, if it is not allowed."""
        found = self._followed(token)
        if found is None:
            return False
        self._path = (*found, self._path)
        self._count += 1
        self._stopped = self.vocabulary.tokens[token] is None
        return True

    def consume_tokens(self, tokens: Iterable[int]) -> bool:
        """Goes behind all tokens, or behind none."""
        before = self._path, self._count, self._stopped
        if all(self.consume_token(token) for token in tokens):
            return True
        self._path, self._count, self._stopped = before
        return False

    def validate_tokens(self, tokens: Iterable[int]) -> int:
        """How many of the tokens could be consumed one after the other; nothing changes."""
        other, count = self.deep_copy(), 0
        for token in tokens:
            if not other.consume_token(token):
                break
            count += 1
        return count

    def rollback(self, count: int) -> None:
        """Goes back so many tokens. Raises `ValueError` if there are not so many."""
        if not 0 <= count <= self._count:
            raise ValueError(f"{count} tokens of {self._count} cannot be taken back")
        for _ in range(count):
            self._path = self._path[2]
        self._count -= count
        self._stopped = self._stopped and count == 0

    def deep_copy(self) -> TokenMasker:
        """Another masker at the same token; neither sees what the other does."""
        other = object.__new__(TokenMasker)
        other.__dict__.update(self.__dict__)
        return other

    # --- what is kept in reserve -----------------------------------------------------------------

    def _behind(self, state: TraceState, data: bytes) -> TraceState | None:
        here: TraceState | None = state
        for byte in data:
            here = None if here is None else self._machine.step(here, byte)
        return here

    def _needed(self, state: TraceState) -> int:
        """The tokens that complete the trace, the end token among them."""
        return self.reserve.length(state) + (self.vocabulary.end is not None)

    def _followed(self, token: int) -> tuple[TraceState, int] | None:
        """The state behind a token that may come next, and no fewer tokens than its closing needs."""
        if not 0 <= token < len(self.vocabulary) or self.is_stopped():
            return None
        state, bound = self._path[:2]
        data = self.vocabulary.tokens[token]
        if data is None:
            return (state, 0) if token == self.vocabulary.end and self.is_accepting() else None
        following = self._behind(state, data)
        if following is None or self._most is None:
            return None if following is None else (following, 0)
        left = self._most - self._count - 1
        bound += self.reserve.growth(state)
        if bound > left or self.reserve.may_say_length(state, data):
            bound = self._needed(following)
        return (following, bound) if bound <= left else None


def _tables_of(vocabulary: TokenVocabulary) -> VocabularyTables:
    """The tables of a vocabulary, which all its maskers share."""
    found = vocabulary.__dict__.get("tables")
    if found is None:
        found = vocabulary.__dict__["tables"] = VocabularyTables(vocabulary)
    return found


def _reserve_of(vocabulary: TokenVocabulary, machine: TraceMachine) -> ClosingReserve:
    """The tables that maskers of the same rules share, with all masks that they found so far."""
    known: dict[Any, ClosingReserve] = vocabulary.__dict__.setdefault("reserves", {})
    rules = machine.rules
    key = rules.profile, rules.budgets, rules.goal, rules.tokens, machine.json
    found = known.get(key)
    if found is None:
        if len(known) >= _SHARED:
            known.clear()
        found = known[key] = ClosingReserve(MaskTables(_tables_of(vocabulary), machine))
    return found
