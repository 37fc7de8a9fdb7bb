"""The search: values for the variables such that all constraints hold, or what rules all of them out.

Backtracking with forward checking: a value given to a variable strikes out what it excludes in the variables
that share a constraint with it, and the variable with the fewest values left is next. Domains are bit masks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from potlang.engines.finite.problem import Conjuncts, Constraint, ConstraintProblem
from potlang.engines.fuel import Fuel
from potlang.ir.compile import NotFinite, Values
from potlang.ir.values import Unspecified

Keys = frozenset[str | None]


class _Network:
    """Constraints by their variables, and the domains that those of one variable leave."""

    def __init__(self, domains: list[int], causes: list[set[str | None]], incomplete: frozenset[int]) -> None:
        """`incomplete` are the variables that may have values beyond their domains."""
        self.domains = domains
        self.causes = causes
        self.incomplete = incomplete
        self.binary: list[dict[int, list[Constraint]]] = [{} for _ in domains]
        self.nary: list[list[Constraint]] = [[] for _ in domains]

    def enter(self, constraints: Iterable[Constraint], values: Sequence[Sequence[object]]) -> None:
        """Take in constraints over variables with these values."""
        assignment: Values = [None] * len(values)
        for each in constraints:
            if len(each.variables) == 1:
                (variable,) = each.variables
                left = kept(each, variable, values[variable], self.domains[variable], assignment)
                if left != self.domains[variable]:
                    self.domains[variable] = left
                    self.causes[variable].add(each.key)
            elif len(each.variables) == 2:
                one, two = each.variables
                self.binary[one].setdefault(two, []).append(each)
                self.binary[two].setdefault(one, []).append(each)
            else:
                for variable in each.variables:
                    self.nary[variable].append(each)

    def constrains(self, number: int) -> bool:
        """Whether a variable shares a constraint with another."""
        return bool(self.binary[number] or self.nary[number])


def kept(
    constraint: Constraint, variable: int, values: Sequence[object], domain: int, assignment: Values
) -> int:
    """The values of a variable with which a constraint holds, all its other variables having values."""
    holds, left = constraint.holds, 0
    for at in _bits(domain):
        assignment[variable] = values[at]
        if holds(assignment):
            left |= 1 << at
    return left


class ConstraintSearch:
    """Searches for models of one problem, or of a part of its assertions, with one goal after the other.

    What a value excludes is computed once, when it is first needed.
    """

    def __init__(self, problem: ConstraintProblem, *, wide: bool = False) -> None:
        """`wide`: numbers have values to be tried for parts. Raises `NotFinite` where one has no bounds."""
        self.problem = problem
        self.values: list[list[object]] = []
        self._excluded: dict[tuple[int, int, int], tuple[int, int]] = {}
        self._narrowing: dict[str, tuple[list[tuple[int, int]], list[Constraint]]] = {}
        self._wide = wide
        self._list = problem.wide_values if wide else problem.values
        self._whole = self._network(None)

    def _network(self, keys: Collection[str] | None) -> _Network:
        """The constraints of these assertions; of all (None)."""
        problem = self.problem
        self._list_values()
        domains = [problem.domain(number, values, keys) for number, values in enumerate(self.values)]
        incomplete = frozenset([number for number, each in enumerate(domains) if not each.complete])
        found = _Network([each.mask for each in domains], [set(each.causes) for each in domains], incomplete)
        for constraints in [problem.constraints] if keys is None else map(problem.constraints_of, keys):
            found.enter(constraints, self.values)
        return found

    def _list_values(self) -> None:
        for number in range(len(self.values), len(self.problem.variables)):
            self.values.append(self._list(number))

    def _part(self, keys: Iterable[str]) -> _Network:
        """The constraints of these assertions, where no other values than those listed need to be tried."""
        self._list_values()
        domains = [(1 << len(values)) - 1 for values in self.values]
        found = _Network(domains, [set() for _ in domains], frozenset())
        for key in keys:
            masks, others = self._narrowing_of(key)
            for variable, mask in masks:
                if domains[variable] & ~mask:
                    domains[variable] &= mask
                    found.causes[variable].add(key)
            found.enter(others, self.values)
        return found

    def _narrowing_of(self, key: str) -> tuple[list[tuple[int, int]], list[Constraint]]:
        """The values that an assertion's constraints leave of single variables, and its other constraints."""
        known = self._narrowing.get(key)
        if known is None:
            masks: list[tuple[int, int]] = []
            others: list[Constraint] = []
            assignment: Values = [None] * len(self.values)
            for each in self.problem.constraints_of(key):
                if len(each.variables) == 1:
                    (variable,) = each.variables
                    values = self.values[variable]
                    try:
                        left = kept(each, variable, values, (1 << len(values)) - 1, assignment)
                    except Unspecified:
                        # Of a value that another assertion may exclude.
                        others.append(each)
                    else:
                        masks.append((variable, left))
                else:
                    others.append(each)
            known = self._narrowing[key] = masks, others
        return known

    def find(
        self, goal: Conjuncts | None, fuel: Fuel, keys: Collection[str] | None = None
    ) -> tuple[Values | None, Keys]:
        """Values that satisfy the constraints and a goal; or None, and whose constraints forbid it.

        `keys` are the assertions whose constraints count (None: all). Raises `OutOfFuel`, and `NotFinite`
        where they do not bound a variable whose values would all have to be tried.
        """
        if keys is not None:
            base = self._part(keys) if self._wide and self.problem.suffices(goal) else self._network(keys)
        elif len(self._whole.domains) == len(self.problem.variables):
            base = self._whole
        else:
            base = self._whole = self._network(None)
        more = _Network(list(base.domains), [set(each) for each in base.causes], base.incomplete)
        if goal is not None:
            self._complete(more, goal, keys)
            more.enter(goal.constraints, self.values)
        return _Run(self, base, more, fuel).run()

    def _complete(self, network: _Network, goal: Conjuncts, keys: Collection[str] | None) -> None:
        """Take the bounds that a goal sets for those that a part of the assertions does not."""
        for number in network.incomplete & goal.bounds.keys():
            found = self.problem.domain(number, self.values[number], keys, goal.bounds[number])
            network.domains[number] &= found.mask
            network.causes[number] |= found.causes
            if found.complete:
                network.incomplete -= {number}

    def excluded(
        self, constraints: Iterable[Constraint], variable: int, at: int, other: int, domain: int, fuel: Fuel
    ) -> int:
        """The values in a domain of `other` with which one of the constraints of the two does not hold."""
        found = 0
        for each in constraints:
            if left := domain & ~found:
                found |= self._excluded_by(each, variable, at, other, left, fuel)
        return found

    def _excluded_by(
        self, constraint: Constraint, variable: int, at: int, other: int, domain: int, fuel: Fuel
    ) -> int:
        # What an assertion excludes is the same for every goal and every part, so it is kept; but only for
        # values that were asked about: others may make it divide by zero.
        key = (constraint.number, variable, at)
        known, out = self._excluded.get(key, (0, 0)) if constraint.number >= 0 else (0, 0)
        asked = domain & ~known
        if asked:
            fuel.spend(asked.bit_count())
            value, values = self.values[variable][at], self.values[other]
            if constraint.differ is not None:
                out |= asked & (1 << values.index(value)) if value in values else 0
            else:
                assignment: Values = [None] * len(self.values)
                assignment[variable] = value
                out |= asked & ~kept(constraint, other, values, asked, assignment)
            if constraint.number >= 0:
                self._excluded[key] = known | asked, out
        return out & domain


class _Run:
    """One search in the constraints of assertions, and more of a goal.

    `used` collects the assertions that have ruled something out.
    """

    def __init__(self, search: ConstraintSearch, base: _Network, more: _Network, fuel: Fuel) -> None:
        self.search = search
        self.base = base
        self.more = more
        self.domains = more.domains
        self.causes = more.causes
        self.incomplete = more.incomplete
        self.fuel = fuel
        self.assignment: Values = [None] * len(self.domains)
        self.used: set[str | None] = set()
        self.constrained = [
            number
            for number in range(len(self.domains))
            if base.constrains(number) or more.constrains(number)
        ]

    def run(self) -> tuple[Values | None, Keys]:
        """The values found, or None; and what was used."""
        empty = [number for number, domain in enumerate(self.domains) if not domain]
        if empty:
            # One that needs no other values says that there is no model, whatever the others may have.
            self._exhausted(min(empty, key=lambda number: number in self.incomplete))
            return None, frozenset(self.used)
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
                self._exhausted(variable)
                if not trail:
                    return False
                domains, assigned, variable, left = trail.pop()
                continue
            self.fuel.spend(1 + len(self.base.binary[variable]))
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
        for network in (self.base, self.more):
            for other, constraints in network.binary[variable].items():
                if not assigned >> other & 1:
                    out = search.excluded(constraints, variable, at, other, domains[other], self.fuel)
                    if out and not self._strike(domains, other, out, constraints):
                        return None
            for each in network.nary[variable]:
                if not self._looked_at(each, domains, assigned):
                    return None
        return domains

    def _strike(self, domains: list[int], other: int, out: int, constraints: Iterable[Constraint]) -> bool:
        self.used.update(each.key for each in constraints)
        domains[other] &= ~out
        if domains[other]:
            return True
        self._exhausted(other)
        return False

    def _exhausted(self, variable: int) -> None:
        """No value of a variable's domain is left."""
        if variable in self.incomplete:
            raise NotFinite("a variable has other values, which were not tried")
        self.used |= self.causes[variable]

    def _looked_at(self, constraint: Constraint, domains: list[int], assigned: int) -> bool:
        """Strike out of the last variable of a constraint without a value what the others exclude.

        False if nothing is left. Once all variables have values there is nothing to look at any more.
        """
        open_ = [number for number in constraint.variables if not assigned >> number & 1]
        if len(open_) != 1:
            return True
        (other,) = open_
        self.fuel.spend(domains[other].bit_count())
        values = self.search.values[other]
        out = domains[other] & ~kept(constraint, other, values, domains[other], self.assignment)
        return not out or self._strike(domains, other, out, (constraint,))


def _bits(mask: int) -> Iterable[int]:
    while mask:
        bit = mask & -mask
        yield bit.bit_length() - 1
        mask ^= bit
