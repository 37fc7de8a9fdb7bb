"""Which of some formulas entails which, with few questions.

Nothing is known at first, so that each formula may entail each other one. A model rules out at a stroke all
pairs of one that is true in it and one that is false. What is still possible is conjectured, as few pairs
as imply the rest, and put as one question: whether one of these pairs can be told apart. If not, all of them
hold; else there is one more model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

Pair = tuple[int, int]
Told = Literal["apart", "entailed", "unknown"]
"""Of pairs: one of them has a model in which the first is true and the second is not; or none has."""
AskPairs = Callable[[Sequence[Sequence[Pair]]], Iterable[Told] | None]
"""Answers for several lists of pairs; what models say has been noted with `EntailmentOrder.rule_out`.

None where nothing more can be asked.
"""

_LONGEST_CIRCLE = 32
_MOST_PAIRS = 256
_MOST_QUESTIONS = 16


class EntailmentOrder:
    """The formulas 0, 1, … `count` - 1, which are best numbered at random: chains are walked by number.

    `asked` is the bit set of those whose order is wanted. `settled` says whether every pair of them was.
    """

    def __init__(self, count: int, asked: int | None = None) -> None:
        self._every = (1 << count) - 1
        self._asked = self._every if asked is None else asked
        self._above = [self._every] * count
        """The propositions that each may entail, as bit sets; what may entail it is below."""
        self._below = [self._every] * count
        self._proved = [1 << at for at in range(count)]
        self._proving = [1 << at for at in range(count)]
        self._unsettled = [0] * count
        self._waiting: list[list[Pair]] = []
        self.settled = True

    # --- what is known ---------------------------------------------------------------------------

    def rule_out(self, true: int, false: int) -> None:
        """There is a model with these true and those false: bit sets of formulas."""
        if true | false != self._every:
            # What a true one entails is true, and what entails a false one is false.
            for at in _bits(true):
                true |= self._proved[at]
            for at in _bits(false):
                false |= self._proving[at]
        for at in _bits(true):
            self._above[at] &= ~false
        for at in _bits(false):
            self._below[at] &= ~true

    def entails(self, lower: int, upper: int) -> bool | None:
        """Whether one entails the other, as far as it is known."""
        if self._proved[lower] >> upper & 1:
            return True
        return None if self._above[lower] >> upper & 1 else False

    def prove(self, lower: int, upper: int) -> None:
        """One entails the other."""
        if self._proved[lower] >> upper & 1:
            return
        above, below = self._proved[upper], self._proving[lower]
        for at in _bits(below):
            self._proved[at] |= above
        for at in _bits(above):
            self._proving[at] |= below
            # What the lower one does not entail the upper one does not.
            self._above[at] &= self._above[lower]

    def linked(self) -> list[int]:
        """Those that are known to entail another one, or to follow from one: who entails most comes first."""
        found = [at for at in _bits(self._asked) if self._proved[at] | self._proving[at] != 1 << at]
        return sorted(found, key=lambda at: -self._proved[at].bit_count())

    def last_open(self, lower: int) -> list[int]:
        """Those that one may entail, but is not known to: without those known to entail another such.

        A model in which the one is true and all these are false settles all that it entails.
        """
        found = self._open(lower)
        last = []
        for at in _bits(found):
            above = self._proved[at] & found
            # Of those that entail each other the first stands for all.
            if not above & ~self._proving[at] and above & -above == 1 << at:
                last.append(at)
        return last

    def _open(self, lower: int) -> int:
        """Those asked about that one may entail, as a bit set, without those known or not settled."""
        return self._asked & self._above[lower] & ~self._proved[lower] & ~self._unsettled[lower]

    def _is_open(self, lower: int, upper: int) -> bool:
        return bool((self._above[lower] & ~self._proved[lower] & ~self._unsettled[lower]) >> upper & 1)

    # --- asking ----------------------------------------------------------------------------------

    def settle(self, ask: AskPairs) -> None:
        """Ask until each pair is known, or could not be settled."""
        while questions := self._next():
            answers = ask(questions)
            if answers is None:
                self.settled = False
                return
            for pairs, answer in zip(questions, answers, strict=True):
                self._take(pairs, answer)

    def _take(self, pairs: list[Pair], answer: Told) -> None:
        match answer:
            case "entailed":
                for lower, upper in pairs:
                    self.prove(lower, upper)
            case "apart" if len(pairs) == 1:
                [(lower, upper)] = pairs
                self.rule_out(1 << lower, 1 << upper)
            case "apart" if not all(self._is_open(*pair) for pair in pairs):
                pass
            case _ if len(pairs) == 1:
                self.settled = False
                for lower, upper in pairs:
                    self._unsettled[lower] |= 1 << upper
            case _:
                # Nobody knows which of them it is, or the question was too much.
                half = len(pairs) // 2
                self._waiting += [pairs[:half], pairs[half:]]

    def _next(self) -> list[list[Pair]]:
        """Lists of pairs that are open: halves of earlier ones, or the conjectures of now."""
        while self._waiting:
            waiting = ([pair for pair in pairs if self._is_open(*pair)] for pairs in self._waiting)
            found = [pairs for pairs in waiting if pairs]
            self._waiting = found[_MOST_QUESTIONS:]
            if found:
                return found[:_MOST_QUESTIONS]
        return self._alike() or self._conjectures()

    def _alike(self) -> list[list[Pair]]:
        """For each class of formulas that no model tells apart circles through it."""
        found: list[list[Pair]] = []
        seen = 0
        for at in _bits(self._asked):
            if seen >> at & 1:
                continue
            alike = self._above[at] & self._below[at] & self._asked
            seen |= alike
            members = list(self._representatives(alike))
            for begin in range(0, len(members), _LONGEST_CIRCLE):
                some = members[begin : begin + _LONGEST_CIRCLE]
                pairs = [
                    pair for pair in zip(some, [*some[1:], some[0]], strict=True) if self._is_open(*pair)
                ]
                if pairs:
                    found.append(pairs)
            if len(found) >= _MOST_QUESTIONS:
                break
        return found

    def _representatives(self, bits: int) -> Iterator[int]:
        """Some propositions without all but one of those known to be equivalent."""
        while bits:
            at = (bits & -bits).bit_length() - 1
            yield at
            bits &= ~(self._proved[at] & self._proving[at])

    def _conjectures(self) -> list[list[Pair]]:
        """Open pairs that imply others, as far as what is possible is transitive."""
        pairs: list[Pair] = []
        for lower in self._representatives(self._asked):
            rest = self._open(lower)
            while rest:
                upper = self._nearest(lower, rest)
                pairs.append((lower, upper))
                rest &= ~self._above[upper]
                rest &= ~(1 << upper)
            if len(pairs) >= _MOST_PAIRS * _MOST_QUESTIONS:
                break
        count = min(_MOST_QUESTIONS, -(-len(pairs) // 8))
        return [pairs[at::count] for at in range(count)]

    def _nearest(self, lower: int, rest: int) -> int:
        """One of the rest with none of it between that and the lower one."""
        found = (rest & -rest).bit_length() - 1
        visited = 1 << found | 1 << lower
        while between := rest & self._below[found] & ~visited:
            found = (between & -between).bit_length() - 1
            visited |= 1 << found
        return found


def _bits(bits: int) -> list[int]:
    """The places of the bits that are set, from below."""
    return [at for at, bit in enumerate(reversed(f"{bits:b}")) if bit == "1"]
