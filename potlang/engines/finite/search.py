"""The search: values for the variables such that all constraints hold, or what rules all of them out.

Backtracking with forward checking: a value given to a variable strikes out what it excludes in the variables
that share a constraint with it, and the variable with the fewest values left is next. Domains are bit masks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from potlang.engines.finite.problem import Constraint, ConstraintProblem
from potlang.engines.fuel import Fuel
from potlang.ir.compile import Values

Keys = frozenset[str | None]


class ConstraintSearch:
    """Searches for models of one problem, with one goal after the other.

    What a value excludes is computed once, when it is first needed.
    """

    def __init__(self, problem: ConstraintProblem) -> None:
        """Raises `NotFinite` where a variable has no finite domain."""
        self.problem = problem
        self.values: list[list[object]] = []
        self.causes: list[set[str | None]] = []
        self._domains: list[int] = []
        self._binary: list[dict[int, list[Constraint]]] = []
        self._nary: list[list[Constraint]] = []
        self._excluded: dict[tuple[int, int, int], int] = {}
        self._grow()
        self._enter(problem.constraints, self._domains, self.causes, self._binary, self._nary)

    def _grow(self) -> None:
        """Take in variables that a goal has brought."""
        for number in range(len(self.values), len(self.problem.variables)):
            values, keys = self.problem.domain(number)
            self.values.append(values)
            self.causes.append(keys)
            self._domains.append((1 << len(values)) - 1)
            self._binary.append({})
            self._nary.append([])

    def _enter(
        self,
        constraints: Iterable[Constraint],
        domains: list[int],
        causes: list[set[str | None]],
        binary: list[dict[int, list[Constraint]]],
        nary: list[list[Constraint]],
    ) -> None:
        """Sort constraints by the number of their variables; those of one narrow its domain at once."""
        assignment: Values = [None] * len(self.values)
        for each in constraints:
            if len(each.variables) == 1:
                (variable,) = each.variables
                left = self._kept(each, variable, domains[variable], assignment)
                if left != domains[variable]:
                    domains[variable] = left
                    causes[variable].add(each.key)
            elif len(each.variables) == 2:
                one, two = each.variables
                binary[one].setdefault(two, []).append(each)
                binary[two].setdefault(one, []).append(each)
            else:
                for variable in each.variables:
                    nary[variable].append(each)

    def _kept(self, constraint: Constraint, variable: int, domain: int, assignment: Values) -> int:
        """The values of a variable with which a constraint holds, all its other variables having values."""
        holds, values, left = constraint.holds, self.values[variable], 0
        for at in _bits(domain):
            assignment[variable] = values[at]
            if holds(assignment):
                left |= 1 << at
        return left

    def find(self, goal: Sequence[Constraint], fuel: Fuel) -> tuple[Values | None, Keys]:
        """Values that satisfy the constraints and `goal`; or None, and whose constraints forbid it.

        Raises `OutOfFuel`, and `NotFinite` for a variable of the goal without a finite domain.
        """
        self._grow()
        domains, causes = list(self._domains), [set(keys) for keys in self.causes]
        binary: list[dict[int, list[Constraint]]] = [{} for _ in self.values]
        nary: list[list[Constraint]] = [[] for _ in self.values]
        self._enter(goal, domains, causes, binary, nary)
        return _Run(self, domains, causes, binary, nary, fuel).run()

    def excluded(self, variable: int, at: int, other: int, fuel: Fuel) -> int:
        """The values of `other` that value number `at` of `variable` excludes, by their constraints."""
        # The assumptions' constraints are the same for every goal, so this is found once for all searches.
        key = (variable, at, other)
        known = self._excluded.get(key)
        if known is None:
            found = self._binary[variable][other]
            known = self._excluded[key] = self.struck(found, variable, at, other, fuel)
        return known

    def struck(
        self, constraints: Sequence[Constraint], variable: int, at: int, other: int, fuel: Fuel
    ) -> int:
        """The values of `other` with which one of the constraints of these two variables does not hold."""
        value, values, out = self.values[variable][at], self.values[other], 0
        whole = (1 << len(values)) - 1
        assignment: Values = [None] * len(self.values)
        assignment[variable] = value
        for each in constraints:
            if each.differ is not None:
                if value in values:
                    out |= 1 << values.index(value)
                continue
            fuel.spend(len(values))
            out |= whole & ~self._kept(each, other, whole & ~out, assignment) & ~out
        return out


class _Run:
    """One search. `used` collects the assertions that have ruled something out."""

    def __init__(
        self,
        search: ConstraintSearch,
        domains: list[int],
        causes: list[set[str | None]],
        binary: list[dict[int, list[Constraint]]],
        nary: list[list[Constraint]],
        fuel: Fuel,
    ) -> None:
        self.search = search
        self.domains = domains
        self.causes = causes
        self.binary = binary
        self.nary = nary
        self.fuel = fuel
        self.assignment: Values = [None] * len(domains)
        self.used: set[str | None] = set()
        self.constrained = [
            number
            for number in range(len(domains))
            if binary[number] or nary[number] or search._binary[number] or search._nary[number]
        ]

    def run(self) -> tuple[Values | None, Keys]:
        """The values found, or None; and what was used."""
        for number, domain in enumerate(self.domains):
            if not domain:
                return None, frozenset(self.causes[number])
        if self._assign():
            return self.assignment, frozenset()
        return None, frozenset(self.used)

    def _assign(self) -> bool:
        """Give values to constrained variables, depth first; the others take the first that they have."""
        domains, assigned = self.domains, 0
        trail: list[tuple[list[int], int, int, int]] = []
        variable = self._next(domains, assigned)
        left = domains[variable] if variable >= 0 else 0
        while variable >= 0:
            if not left:
                # No value is left: for what struck out the others, noted then, and what bounds the domain.
                # `used` only grows: a core may be larger than needed, and is never too small.
                self.used |= self.causes[variable]
                if not trail:
                    return False
                domains, assigned, variable, left = trail.pop()
                continue
            self.fuel.spend(1 + len(self.search._binary[variable]))
            bit = left & -left
            left ^= bit
            narrowed = self._narrowed(domains, assigned | 1 << variable, variable, bit.bit_length() - 1)
            if narrowed is None:
                continue
            # Domains are copied when they are narrowed, so backtracking is taking the old list.
            trail.append((domains, assigned, variable, left))
            domains, assigned = narrowed, assigned | 1 << variable
            variable = self._next(domains, assigned)
            left = domains[variable] if variable >= 0 else 0
        values = self.search.values
        for number, domain in enumerate(domains):
            self.assignment[number] = values[number][(domain & -domain).bit_length() - 1]
        return True

    def _next(self, domains: list[int], assigned: int) -> int:
        """The variable with the fewest values left; -1 if all have one."""
        # Fail first: few values mean few branches, and a variable with one value costs none.
        best, fewest = -1, 0
        for number in self.constrained:
            if not assigned >> number & 1:
                count = domains[number].bit_count()
                if best < 0 or count < fewest:
                    best, fewest = number, count
                    if count == 1:
                        break
        return best

    def _narrowed(self, domains: list[int], assigned: int, variable: int, at: int) -> list[int] | None:
        """The domains once `variable` has its value number `at`; None if one is empty."""
        search = self.search
        domains = domains.copy()
        domains[variable] = 1 << at
        self.assignment[variable] = search.values[variable][at]
        for other, constraints in search._binary[variable].items():
            if not assigned >> other & 1:
                out = search.excluded(variable, at, other, self.fuel)
                if out & domains[other] and not self._strike(domains, other, out, constraints):
                    return None
        for other, constraints in self.binary[variable].items():
            if not assigned >> other & 1:
                out = search.struck(constraints, variable, at, other, self.fuel)
                if out & domains[other] and not self._strike(domains, other, out, constraints):
                    return None
        for each in (*search._nary[variable], *self.nary[variable]):
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
        """Strike out of the last variable of a constraint without a value what the others exclude.

        False if nothing is left. Once all variables have values there is nothing to look at any more.
        """
        open_ = [number for number in constraint.variables if not assigned >> number & 1]
        if len(open_) != 1:
            return True
        (other,) = open_
        self.fuel.spend(domains[other].bit_count())
        out = domains[other] & ~self.search._kept(constraint, other, domains[other], self.assignment)
        return not out or self._strike(domains, other, out, (constraint,))


def _bits(mask: int) -> Iterable[int]:
    while mask:
        bit = mask & -mask
        yield bit.bit_length() - 1
        mask ^= bit
