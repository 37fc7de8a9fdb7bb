"""A small conflict-driven clause-learning solver, incremental and with proofs, for small problems.

It decides atoms false, so that its models make little true. What it learns and what it is shown by
another solver's proof keeps its antecedents, so that a refutation is cut down to what it uses.
After J. Marques-Silva and K. Sakallah, "GRASP" (1999), and N. Een and N. Sorensson, "An extensible
SAT-solver" (2003).
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from potlang.utils.deadline import Deadline

_DECAY = 1.05
_RESCALE = 1e100
_PERIOD = 32


class RefutationTrace(NamedTuple):
    """The parts of a refutation: numbers of clauses given, and learnt clauses in order."""

    clauses: tuple[int, ...]
    lemmas: tuple[tuple[int, ...], ...]


class Propositional:
    """Clauses over variables 1, 2, …; literals are positive and negative numbers.

    Inside, variable v has the literals 2v and 2v + 1, and clauses are numbered as they come.
    """

    def __init__(self) -> None:
        self.refuted = False
        self._clauses: list[list[int]] = []
        self._antecedents: dict[int, tuple[list[int], list[int]]] = {}
        self._given: dict[int, int] = {}
        self._count = 0
        self._value: list[int] = [0, 0]
        self._watches: list[list[int]] = [[], []]
        self._level: list[int] = [0]
        self._reason: list[int] = [-1]
        self._activity: list[float] = [0.0]
        self._bump = 1.0
        self._heap: list[tuple[float, int]] = []
        self._trail: list[int] = []
        self._marks: list[int] = []
        self._head = 0
        self._last: list[int] = []

    def add(self, clause: Iterable[int]) -> int:
        """Add a clause; the answer is its number, counting from 0."""
        number = self._count
        self._count += 1
        literals = list(dict.fromkeys([2 * lit if lit > 0 else 1 - 2 * lit for lit in clause]))
        if self.refuted or any(lit ^ 1 in literals for lit in literals):
            return number
        if literals:
            self._grow(max(literals) >> 1)
        self._back(0)
        place = len(self._clauses)
        self._given[place] = number
        self._attach(literals)
        return number

    def true_variables(self) -> list[int]:
        """The variables that the model makes true; asked for right after `solve`."""
        return sorted(literal >> 1 for literal in self._trail if not literal & 1)

    def solve(self, most_conflicts: int, deadline: Deadline) -> bool | None:
        """Whether there is a model; None if that is not known within so many conflicts or in time."""
        conflicts = 0
        for step in itertools.count(1):
            if self.refuted:
                return False
            conflict = self._propagate()
            if conflict >= 0:
                if not self._marks:
                    self._refute(conflict)
                    return False
                conflicts += 1
                if conflicts > most_conflicts:
                    return None
                self._learn(conflict)
            elif not self._decide():
                return True
            if step % _PERIOD == 0 and deadline.passed():
                return None
        return None

    def replay(self, lemmas: Iterable[Sequence[int]], deadline: Deadline) -> bool:
        """Learn what another solver's refutation says, each clause by propagation alone, up to the empty one.

        False if a clause does not follow so, if the empty one does not, or at `deadline`.
        """
        self._back(0)
        for lemma in itertools.chain(lemmas, [()]):
            if self.refuted or deadline.passed():
                break
            conflict = self._propagate()
            if conflict >= 0:
                self._refute(conflict)
                break
            literals = [2 * lit if lit > 0 else 1 - 2 * lit for lit in lemma]
            if literals:
                self._grow(max(literals) >> 1)
            if not self._follows(literals):
                return False
        return self.refuted

    def trace(self) -> RefutationTrace:
        """The parts that the refutation uses. Only once `refuted`."""
        used: dict[int, None] = {}
        stack = list(self._last)
        while stack:
            place = stack.pop()
            if place in used:
                continue
            used[place] = None
            antecedents, variables = self._antecedents.get(place, ((), ()))
            stack.extend(antecedents)
            stack.extend(self._zero(variables))
        given = sorted(self._given[place] for place in used if place in self._given)
        learnt = sorted(place for place in used if place not in self._given)
        lemmas = [tuple([_external(lit) for lit in self._clauses[place]]) for place in learnt]
        return RefutationTrace(tuple(given), tuple(lemma for lemma in lemmas if lemma))

    # --- clauses and assignments ---

    def _grow(self, variable: int) -> None:
        first = len(self._level)
        for new in range(first, variable + 1):
            self._value += [0, 0]
            self._watches += [[], []]
            self._level.append(0)
            self._reason.append(-1)
            self._activity.append(0.0)
            heapq.heappush(self._heap, (0.0, new))

    def _attach(self, literals: list[int]) -> int:
        """Enter a clause at level 0: watch two literals that are not false, or take the consequence."""
        place = len(self._clauses)
        self._clauses.append(literals)
        value = self._value
        literals.sort(key=lambda lit: value[lit], reverse=True)
        if not literals or value[literals[0]] < 0:
            self._refute(place)
            return place
        if len(literals) > 1:
            self._watches[literals[0]].append(place)
            self._watches[literals[1]].append(place)
        if (len(literals) == 1 or value[literals[1]] < 0) and value[literals[0]] == 0:
            self._assign(literals[0], place)
        return place

    def _assign(self, literal: int, reason: int) -> None:
        self._value[literal] = 1
        self._value[literal ^ 1] = -1
        variable = literal >> 1
        self._level[variable] = len(self._marks)
        self._reason[variable] = reason
        self._trail.append(literal)

    def _back(self, level: int) -> None:
        if len(self._marks) <= level:
            return
        cut = self._marks[level]
        value, activity, heap = self._value, self._activity, self._heap
        for literal in self._trail[cut:]:
            value[literal] = value[literal ^ 1] = 0
            variable = literal >> 1
            heapq.heappush(heap, (-activity[variable], variable))
        del self._trail[cut:]
        del self._marks[level:]
        self._head = min(self._head, cut)

    def _decide(self) -> bool:
        """Make some free variable false; no if there is none."""
        while self._heap:
            _, variable = heapq.heappop(self._heap)
            if self._value[2 * variable] == 0:
                # False, always: a model then makes little true, and few instances of rules are violated.
                self._marks.append(len(self._trail))
                self._assign(2 * variable + 1, -1)
                return True
        return False

    def _propagate(self) -> int:
        """Unit propagation. The place of a clause that is false, or -1."""
        value, watches, clauses, trail = self._value, self._watches, self._clauses, self._trail
        while self._head < len(trail):
            false = trail[self._head] ^ 1
            self._head += 1
            # Only clauses that watch a literal which became false can be unit now; each finds another literal
            # to watch, or is unit, or is false. The list is rewritten in place, since most stay on it.
            watching = watches[false]
            kept = 0
            for index, place in enumerate(watching):
                literals = clauses[place]
                if literals[0] == false:
                    literals[0], literals[1] = literals[1], false
                first = literals[0]
                if value[first] > 0:
                    watching[kept] = place
                    kept += 1
                    continue
                for other in range(2, len(literals)):
                    if value[literals[other]] >= 0:
                        literals[1], literals[other] = literals[other], false
                        watches[literals[1]].append(place)
                        break
                else:
                    watching[kept] = place
                    kept += 1
                    if value[first] < 0:
                        watching[kept:] = watching[index + 1 :]
                        return place
                    self._assign(first, place)
            del watching[kept:]
        return -1

    # --- conflicts ---

    def _refute(self, place: int) -> None:
        """The clause is false at level 0."""
        self.refuted = True
        self._last = [place, *self._zero([lit >> 1 for lit in self._clauses[place]])]

    def _zero(self, variables: Iterable[int]) -> list[int]:
        """The clauses by which variables of level 0 have their values."""
        found: dict[int, None] = {}
        stack = [variable for variable in variables if self._reason[variable] >= 0]
        while stack:
            place = self._reason[stack.pop()]
            if place not in found:
                found[place] = None
                stack.extend(lit >> 1 for lit in self._clauses[place] if self._reason[lit >> 1] >= 0)
        return list(found)

    def _learn(self, conflict: int) -> None:
        """First unique implication point; jump back and enter the clause."""
        # Resolve the conflict with the reasons of its literals, latest first, until one literal of this level
        # is left: after the jump the clause implies its denial. Antecedents are kept for the trace; values of
        # level 0 are explained when a trace is asked for, since they never change.
        seen: set[int] = set()
        literals: list[int] = []
        antecedents: list[int] = []
        zero: list[int] = []
        current = len(self._marks)
        open_ = 0
        index = len(self._trail)
        place, implied = conflict, -1
        while True:
            antecedents.append(place)
            for literal in self._clauses[place]:
                variable = literal >> 1
                if literal == implied or variable in seen:
                    continue
                seen.add(variable)
                level = self._level[variable]
                if level == 0:
                    zero.append(variable)
                    continue
                self._raise(variable)
                if level == current:
                    open_ += 1
                else:
                    literals.append(literal)
            while True:
                index -= 1
                implied = self._trail[index]
                if implied >> 1 in seen:
                    break
            open_ -= 1
            if open_ == 0:
                break
            place = self._reason[implied >> 1]
        self._bump *= _DECAY
        level = max((self._level[literal >> 1] for literal in literals), default=0)
        self._back(level)
        self._enter([implied ^ 1, *literals], antecedents, zero)

    def _enter(self, literals: list[int], antecedents: list[int], zero: list[int]) -> None:
        """Enter a learnt clause whose first literal is implied at this level."""
        place = len(self._clauses)
        self._antecedents[place] = (antecedents, zero)
        self._clauses.append(literals)
        if len(literals) > 1:
            highest = max(range(1, len(literals)), key=lambda at: self._level[literals[at] >> 1])
            literals[1], literals[highest] = literals[highest], literals[1]
            self._watches[literals[0]].append(place)
            self._watches[literals[1]].append(place)
        self._assign(literals[0], place)

    def _raise(self, variable: int) -> None:
        self._activity[variable] += self._bump
        if self._activity[variable] > _RESCALE:
            self._activity = [value / _RESCALE for value in self._activity]
            self._bump /= _RESCALE

    def _follows(self, literals: list[int]) -> bool:
        """Whether a clause follows by propagation; if so it is learnt."""
        value = self._value
        if any(value[lit] > 0 for lit in literals):
            return True
        self._marks.append(len(self._trail))
        for literal in literals:
            if value[literal] == 0:
                self._assign(literal ^ 1, -1)
        conflict = self._propagate()
        if conflict < 0:
            self._back(0)
            return False
        antecedents, zero = self._causes(conflict)
        zero += [lit >> 1 for lit in literals if self._level[lit >> 1] == 0 and value[lit] < 0]
        self._back(0)
        self._antecedents[len(self._clauses)] = (antecedents, zero)
        self._attach(literals)
        return True

    def _causes(self, conflict: int) -> tuple[list[int], list[int]]:
        """The clauses that lead to a conflict, and the variables of level 0 that they need."""
        antecedents = {conflict: None}
        zero: dict[int, None] = {}
        stack = [conflict]
        seen: set[int] = set()
        while stack:
            for literal in self._clauses[stack.pop()]:
                variable = literal >> 1
                if variable in seen:
                    continue
                seen.add(variable)
                if self._level[variable] == 0:
                    zero[variable] = None
                elif self._reason[variable] >= 0 and self._reason[variable] not in antecedents:
                    antecedents[self._reason[variable]] = None
                    stack.append(self._reason[variable])
        return list(antecedents), list(zero)


def _external(literal: int) -> int:
    return -(literal >> 1) if literal & 1 else literal >> 1
