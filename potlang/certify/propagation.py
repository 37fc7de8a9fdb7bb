"""Clauses with unit propagation by two watched literals, and clauses that follow by it alone (RUP)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .tokens import Invalid, StepBudget

Clause = tuple[int, ...]


class ClauseDatabase:
    """A growing set of clauses over variables 1, 2, …; what unit clauses imply stays assigned."""

    def __init__(self, steps: StepBudget) -> None:
        self._steps = steps
        self._true: set[int] = set()
        self._trail: list[int] = []
        self._head = 0
        self._watches: dict[int, list[list[int]]] = {}
        self._clauses: list[list[int]] = []
        self._stored: dict[Clause, list[list[int]]] = {}
        self.conflict = False

    def add(self, clause: Clause) -> None:
        """One more clause, of different literals, no two of them opposite."""
        self._steps.spend(1 + len(clause))
        stored = list(clause)
        self._clauses.append(stored)
        # True for good (assignments at the top are never undone), so the clause needs no watches.
        if not self._true.isdisjoint(stored):
            return
        # False literals go last: the first two are the watched ones, and neither may be false already, or a
        # later assignment would not visit this clause.
        if self._true:
            stored.sort(key=lambda literal: -literal in self._true)
        if not stored or -stored[0] in self._true:
            self.conflict = True
        elif len(stored) == 1 or -stored[1] in self._true:
            self._assign(stored[0])
        else:
            for literal in stored[:2]:
                self._watches.setdefault(literal, []).append(stored)

    def remove(self, clause: Iterable[int]) -> None:
        """One clause less. What it has implied stays: it followed from the clauses that were given."""
        # Few refutations remove any, so clauses are put in order when the first is looked for.
        while self._clauses:
            stored = self._clauses.pop()
            self._stored.setdefault(tuple(sorted(stored)), []).append(stored)
        found = self._stored.get(tuple(sorted(set(clause))))
        if not found:
            raise Invalid("there is no such clause")
        stored = found.pop()
        # Only these two watch it; a clause that was true or unit when added is in no list, which does no
        # harm.
        for literal in stored[:2]:
            watching = self._watches.get(literal, [])
            self._steps.spend(1 + len(watching))
            self._watches[literal] = [each for each in watching if each is not stored]

    def _assign(self, literal: int) -> None:
        self._true.add(literal)
        self._trail.append(literal)

    def propagate(self) -> bool:
        """Whether unit propagation reaches the empty clause."""
        self.conflict = self.conflict or not self._propagated()
        return self.conflict

    def implies(self, clause: Sequence[int]) -> bool:
        """Whether the clauses and the negation of `clause` reach the empty clause."""
        if self.propagate():
            return True
        # What is assigned from here on is the negated clause and what follows from it: undone below, with
        # the watches left as they are, since two-watched-literal lists stay valid when assignments go.
        mark = len(self._trail)
        for literal in clause:
            if literal not in self._true and -literal not in self._true:
                self._assign(-literal)
        follows = not self._true.isdisjoint(clause) or not self._propagated()
        self._true.difference_update(self._trail[mark:])
        del self._trail[mark:]
        self._head = mark
        return follows

    def _propagated(self) -> bool:
        """Propagates what was assigned; False at the first clause whose literals are all false."""
        true, watches = self._true, self._watches
        while self._head < len(self._trail):
            false = -self._trail[self._head]
            self._head += 1
            watching = watches.get(false, [])
            self._steps.spend(1 + len(watching))
            kept: list[list[int]] = []
            watches[false] = kept
            for place, clause in enumerate(watching):
                # The other watched literal comes first, so that the new one is always put in second place.
                if clause[0] == false:
                    clause[0], clause[1] = clause[1], clause[0]
                if clause[0] in true or not self._rewatch(clause):
                    kept.append(clause)
                    if clause[0] in true:
                        continue
                    if -clause[0] in true:
                        # The rest must stay in the list, or later calls would miss these clauses.
                        kept.extend(watching[place + 1 :])
                        return False
                    self._assign(clause[0])
        return True

    def _rewatch(self, clause: list[int]) -> bool:
        """Watches another literal than the second, which has become false, if there is one."""
        self._steps.spend(len(clause))
        for place in range(2, len(clause)):
            literal = clause[place]
            if -literal not in self._true:
                clause[1], clause[place] = literal, clause[1]
                self._watches.setdefault(literal, []).append(clause)
                return True
        return False
