"""The search: values for the cells such that all constraints hold, or what rules all of them out.

Backtracking with forward checking: a value given to a cell strikes out what it excludes in the cells
that share a constraint with it, and the cell with the fewest values left is next. Domains are bit masks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from potlang.engines.finite.problem import Constraint, Problem
from potlang.ir.compile import Values

Keys = frozenset[str | None]


class OutOfSteps(Exception):
    """The search was given up."""


class Steps:
    """How much more may be tried."""

    def __init__(self, most: int) -> None:
        self.left = most

    def spend(self, count: int = 1) -> None:
        """Raises `OutOfSteps` where nothing is left."""
        self.left -= count
        if self.left < 0:
            raise OutOfSteps


class Search:
    """Searches for models of one problem, with one goal after the other.

    What a value excludes is computed once, when it is first needed.
    """

    def __init__(self, problem: Problem) -> None:
        """Raises `NotFinite` where a cell has no finite domain."""
        self.problem = problem
        self.values: list[list[object]] = []
        self.causes: list[set[str | None]] = []
        self._domains: list[int] = []
        self._near: list[dict[int, list[Constraint]]] = []
        self._wide: list[list[Constraint]] = []
        self._excluded: dict[tuple[int, int, int], int] = {}
        self._grow()
        self._enter(problem.constraints, self._domains, self.causes, self._near, self._wide)

    def _grow(self) -> None:
        """Take in cells that a goal has brought."""
        for number in range(len(self.values), len(self.problem.cells)):
            values, keys = self.problem.domain(number)
            self.values.append(values)
            self.causes.append(keys)
            self._domains.append((1 << len(values)) - 1)
            self._near.append({})
            self._wide.append([])

    def _enter(
        self,
        constraints: Iterable[Constraint],
        domains: list[int],
        causes: list[set[str | None]],
        near: list[dict[int, list[Constraint]]],
        wide: list[list[Constraint]],
    ) -> None:
        """Sort constraints by the number of their cells; those of one cell narrow its domain at once."""
        held: Values = [None] * len(self.values)
        for each in constraints:
            if len(each.cells) == 1:
                (cell,) = each.cells
                left = self._kept(each, cell, domains[cell], held)
                if left != domains[cell]:
                    domains[cell] = left
                    causes[cell].add(each.key)
            elif len(each.cells) == 2:
                one, two = each.cells
                near[one].setdefault(two, []).append(each)
                near[two].setdefault(one, []).append(each)
            else:
                for cell in each.cells:
                    wide[cell].append(each)

    def _kept(self, constraint: Constraint, cell: int, domain: int, held: Values) -> int:
        """The values in a cell's domain with which a constraint holds, all its other cells having values."""
        holds, values, left = constraint.holds, self.values[cell], 0
        for at in _bits(domain):
            held[cell] = values[at]
            if holds(held):
                left |= 1 << at
        return left

    def find(self, goal: Sequence[Constraint], steps: Steps) -> tuple[Values | None, Keys]:
        """Values of all cells that satisfy constraints and `goal`; or None, and whose constraints forbid it.

        Raises `OutOfSteps`, and `NotFinite` for a cell of the goal without a finite domain.
        """
        self._grow()
        domains, causes = list(self._domains), [set(keys) for keys in self.causes]
        near: list[dict[int, list[Constraint]]] = [{} for _ in self.values]
        wide: list[list[Constraint]] = [[] for _ in self.values]
        self._enter(goal, domains, causes, near, wide)
        return _Run(self, domains, causes, near, wide, steps).run()

    def excluded(self, cell: int, at: int, other: int, steps: Steps) -> int:
        """The values of `other` that value number `at` of `cell` excludes, by constraints of these two."""
        key = (cell, at, other)
        known = self._excluded.get(key)
        if known is None:
            found = self._near[cell][other]
            known = self._excluded[key] = self.struck(found, cell, at, other, steps)
        return known

    def struck(self, constraints: Sequence[Constraint], cell: int, at: int, other: int, steps: Steps) -> int:
        """The values of `other` with which one of the constraints of these two cells does not hold."""
        value, values, out = self.values[cell][at], self.values[other], 0
        whole = (1 << len(values)) - 1
        held: Values = [None] * len(self.values)
        held[cell] = value
        for each in constraints:
            if each.differ is not None:
                if value in values:
                    out |= 1 << values.index(value)
                continue
            steps.spend(len(values))
            out |= whole & ~self._kept(each, other, whole & ~out, held) & ~out
        return out


class _Run:
    """One search. `used` collects the assertions that have ruled something out."""

    def __init__(
        self,
        search: Search,
        domains: list[int],
        causes: list[set[str | None]],
        near: list[dict[int, list[Constraint]]],
        wide: list[list[Constraint]],
        steps: Steps,
    ) -> None:
        self.search = search
        self.domains = domains
        self.causes = causes
        self.near = near
        self.wide = wide
        self.steps = steps
        self.held: Values = [None] * len(domains)
        self.used: set[str | None] = set()
        self.constrained = [
            number
            for number in range(len(domains))
            if near[number] or wide[number] or search._near[number] or search._wide[number]
        ]

    def run(self) -> tuple[Values | None, Keys]:
        """The values found, or None; and what was used."""
        for number, domain in enumerate(self.domains):
            if not domain:
                return None, frozenset(self.causes[number])
        if self._assign():
            return self.held, frozenset()
        return None, frozenset(self.used)

    def _assign(self) -> bool:
        """Give values to all constrained cells, depth first; the others take the first that they have."""
        domains, assigned = self.domains, 0
        trail: list[tuple[list[int], int, int, int]] = []
        cell = self._next(domains, assigned)
        left = domains[cell] if cell >= 0 else 0
        while cell >= 0:
            if not left:
                self.used |= self.causes[cell]
                if not trail:
                    return False
                domains, assigned, cell, left = trail.pop()
                continue
            self.steps.spend(1 + len(self.search._near[cell]))
            bit = left & -left
            left ^= bit
            narrowed = self._narrowed(domains, assigned | 1 << cell, cell, bit.bit_length() - 1)
            if narrowed is None:
                continue
            trail.append((domains, assigned, cell, left))
            domains, assigned = narrowed, assigned | 1 << cell
            cell = self._next(domains, assigned)
            left = domains[cell] if cell >= 0 else 0
        values = self.search.values
        for number, domain in enumerate(domains):
            self.held[number] = values[number][(domain & -domain).bit_length() - 1]
        return True

    def _next(self, domains: list[int], assigned: int) -> int:
        """The cell with the fewest values left; -1 if all have one."""
        best, fewest = -1, 0
        for number in self.constrained:
            if not assigned >> number & 1:
                count = domains[number].bit_count()
                if best < 0 or count < fewest:
                    best, fewest = number, count
                    if count == 1:
                        break
        return best

    def _narrowed(self, domains: list[int], assigned: int, cell: int, at: int) -> list[int] | None:
        """The domains once `cell` has its value number `at`; None if one is empty."""
        search = self.search
        domains = domains.copy()
        domains[cell] = 1 << at
        self.held[cell] = search.values[cell][at]
        for other, constraints in search._near[cell].items():
            if not assigned >> other & 1:
                out = search.excluded(cell, at, other, self.steps)
                if out & domains[other] and not self._strike(domains, other, out, constraints):
                    return None
        for other, constraints in self.near[cell].items():
            if not assigned >> other & 1:
                out = search.struck(constraints, cell, at, other, self.steps)
                if out & domains[other] and not self._strike(domains, other, out, constraints):
                    return None
        for each in (*search._wide[cell], *self.wide[cell]):
            if not self._looked_at(each, domains, assigned):
                return None
        return domains

    def _strike(self, domains: list[int], other: int, out: int, constraints: Iterable[Constraint]) -> bool:
        self.used.update(each.key for each in constraints)
        domains[other] &= ~out
        if domains[other]:
            return True
        self.used |= self.causes[other]
        return False

    def _looked_at(self, constraint: Constraint, domains: list[int], assigned: int) -> bool:
        """Strike out of the last cell of a constraint without a value what the others exclude.

        False if nothing is left. Once all cells have values there is nothing to look at any more.
        """
        open_ = [number for number in constraint.cells if not assigned >> number & 1]
        if len(open_) != 1:
            return True
        (other,) = open_
        self.steps.spend(domains[other].bit_count())
        out = domains[other] & ~self.search._kept(constraint, other, domains[other], self.held)
        return not out or self._strike(domains, other, out, (constraint,))


def _bits(mask: int) -> Iterable[int]:
    while mask:
        bit = mask & -mask
        yield bit.bit_length() - 1
        mask ^= bit
