"""Unsat cores: made minimal, and checked again on their own ([VERDICT-CORE]).

Assumptions are left out in blocks, then one by one, always of the smallest core that is known so far. What
the oracle is asked is sent in batches, since a small check costs less than the way to the solver.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from potlang.engines.check import Known
from potlang.utils.deadline import Deadline

MOST_MS = 3_000
"""The time for making one core minimal ([LIMIT-CORE])."""

Names = tuple[str, ...]
Said = tuple[Known, Names | None]
"""The status of a subset alone, and the solver's core of it if it is unsatisfiable."""

_AT_ONCE = 16
_MOST_AHEAD = 32
_BATCH_MS = 60.0
_WAYS = 4
_SMALLEST_BLOCK = 8


class Oracle(Protocol):
    """Says whether subsets of the assumptions are unsatisfiable by themselves."""

    def __call__(self, names: Names, /) -> Said:
        """Status and core of one subset."""

    def ahead(self, subsets: Sequence[Names], /) -> Iterable[Said]:
        """The same for several, asked at once."""


class Core(NamedTuple):
    """Names in the order given. `verified`: unsatisfiable alone in a second check; `minimal`: none can go."""

    names: Names
    verified: bool
    minimal: bool


def minimize(
    names: Iterable[str], every: Iterable[str], ask: Oracle, deadline: Deadline | None = None
) -> Core:
    """A minimal core within `names`; within `every`, all names that there are, if `names` do not suffice.

    Solvers have reported cores that are too small, so the first check is whether `names` are enough, and
    what is returned as verified was itself asked and unsatisfiable. `minimal` is false where a check was
    unknown or the time ([LIMIT-CORE]) ran out.
    """
    names, every = tuple(names), tuple(every)
    deadline = deadline or Deadline(MOST_MS)
    work = _Shrinking(names, ask, deadline)
    status = work.begin()
    if status == "sat" and len(names) < len(every):
        work = _Shrinking(every, ask, deadline)
        status = work.begin()
    if status != "unsat":
        return Core(work.names, False, False)
    return work.finish()


class _Shrinking:
    """One core on its way to a minimal one.

    `proved` was asked and unsatisfiable. `names`, a part of it, is what a solver says suffices. Without any
    of `needed`, some superset of `names` is satisfiable.
    """

    def __init__(self, names: Names, ask: Oracle, deadline: Deadline) -> None:
        self.names = names
        self.proved = names
        self._ask = ask
        self._deadline = deadline
        self._trusting = True
        self._needed: dict[str, None] = {}
        self._doubtful: dict[str, int] = {}
        self._blocks: list[Names] = []
        self._ahead = _AT_ONCE

    def begin(self) -> Known:
        """Ask whether the names are a core at all; of a small one, whether any can go, in the same batch."""
        small = len(self.names) <= _AT_ONCE
        blocks = [(), *((name,) for name in self.names)] if small else [()]
        answers = self._answers(blocks)
        status = answers[0][0]
        if status == "unsat":
            self._take(blocks, answers)
            if not small:
                self._blocks = _split(self.names)
        return status

    def finish(self) -> Core:
        """Shrink until nothing can go or the time is up."""
        while blocks := self._next():
            if self._deadline.passed():
                return Core(self.proved, True, False)
            answers = self._answers(blocks)
            if not blocks[0] and answers[0][0] != "unsat":
                self._distrust()
                continue
            self._take(blocks, answers)
        return Core(self.names, True, not self._doubtful)

    def _answers(self, blocks: Sequence[Names]) -> list[Said]:
        began = self._deadline.spent_ms()
        # Answers for blocks that an earlier answer of the batch makes pointless are lost work; the way to the
        # solver costs more, as long as a check is small. So a batch is what fits into a fixed time.
        answers = list(self._ask.ahead([_without(self.names, block) for block in blocks]))
        each = (self._deadline.spent_ms() - began) / len(blocks)
        self._ahead = max(1, min(_MOST_AHEAD, int(_BATCH_MS / max(each, 0.01))))
        return answers

    def _next(self) -> list[Names]:
        """The sets to leave out in the next checks: nothing, to see whether a core is one, then blocks."""
        unproved: list[Names] = [()] if self.proved != self.names else []
        waiting = [name for name, size in self._doubtful.items() if size != len(self.names)]
        if not self._blocks:
            self._blocks = [(name,) for name in waiting]
        return [*unproved, *self._blocks[: self._ahead]]

    def _take(self, blocks: Sequence[Names], answers: Sequence[Said]) -> None:
        """Learn from the answers to leaving these blocks out."""
        if not blocks[0]:
            self.proved = self.names
        tried = dict.fromkeys(block for block in blocks if block)
        left = [block for block in self._blocks if block not in tried]
        size = len(self.names)
        best, proved = self.names, self.proved
        free: list[Names] = []
        for block, (status, core) in zip(blocks, answers, strict=True):
            if status == "unsat":
                asked = _without(self.names, block)
                # Two blocks that can each go need not go together, so one answer of the batch is followed:
                # the one with the smallest core.
                found = self._core_of(asked, core)
                if len(found) < len(best) or (len(found) == len(best) and found == asked):
                    best, proved = found, asked
                free += [block] if block else []
            elif len(block) > 1:
                left += _split(block)
            elif status == "sat":
                # Without it this core is satisfiable, and so is any part of it: it is in every smaller core.
                self._needed[block[0]] = None
                self._doubtful.pop(block[0], None)
            else:
                # The solver gave up on it. A smaller core may make it easier: it is tried again then.
                self._doubtful[block[0]] = size
        self.names, self.proved = best, proved
        self._keep(left, tuple(name for block in free for name in block))

    def _core_of(self, asked: Names, core: Names | None) -> Names:
        """The solver's core of an unsatisfiable subset; the subset itself where that cannot be right."""
        if core is None or not self._trusting:
            return asked
        inside = frozenset(core)
        return tuple(name for name in asked if name in inside or name in self._needed)

    def _keep(self, left: Sequence[Names], free: Names) -> None:
        """Narrow the blocks to the core; what can go one by one is next tried together."""
        inside = frozenset(self.names)
        self._doubtful = {name: size for name, size in self._doubtful.items() if name in inside}
        kept = [tuple(name for name in block if name in inside) for block in (free, *left)]
        self._blocks = [block for block in kept if block]

    def _distrust(self) -> None:
        """A solver's core is not one: go back to what was asked and believe no more of them."""
        self._trusting = False
        self.names = self.proved
        self._blocks = _split(tuple(name for name in self.names if name not in self._needed))


def _without(names: Names, block: Names) -> Names:
    left_out = frozenset(block)
    return tuple(name for name in names if name not in left_out)


def _split(block: Names) -> list[Names]:
    """The block in a few smaller ones, or name by name."""
    size = -(-len(block) // _WAYS)
    if size < _SMALLEST_BLOCK:
        size = 1
    return [block[start : start + size] for start in range(0, len(block), size)]
