"""All minimal cores and all minimal corrections of a set of assumptions, by MARCO.

Liffiton, Previti, Malik, Marques-Silva: Fast, flexible MUS enumeration (Constraints 21, 2016). A map, a SAT
problem, holds the subsets that nothing is known of yet: not around a core, not within a consistent set.
Subsets are taken from it the largest first. So a consistent one is maximal, and what it leaves out is a
smallest correction of those still to be found ([VERDICT-CORRECTIONS]); any other is shrunk to a minimal core.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from potlang.prove.cores import Core, Names, Oracle, minimize
from potlang.utils.deadline import Deadline

_CONFLICTS = 20_000
FEW = 10
"""Positions up to which sets are enumerated one by one."""

Positions = tuple[int, ...]


class Bounds(NamedTuple):
    """Where the search ends, besides its deadline. `shrink` false: corrections alone are wanted."""

    cores: int
    corrections: int
    shrink: bool = True


class MusResult(NamedTuple):
    """Minimal cores and minimal corrections, the smallest first, then in the order of the names given.

    Each core is unsatisfiable and each part of it satisfiable; without a correction the rest is
    satisfiable, without a part of it not. A family is complete if there is no other one of its kind;
    never where a check was unknown.
    """

    cores: tuple[Names, ...]
    cores_complete: bool
    corrections: tuple[Names, ...]
    corrections_complete: bool


def marco(
    every: Iterable[str], ask: Oracle, deadline: Deadline, bounds: Bounds, known: Iterable[Core] = ()
) -> MusResult:
    """The cores and corrections of `every`, as far as time and bounds allow; `known` are cores found before.

    What was found first stays the same under wider bounds. Same names, same answers: same order.
    """
    search = _MapSearch(tuple(every), ask, deadline, bounds)
    with search.unexplored:
        for core in known:
            if core.verified:
                search.learn_core(core)
        search.run()
    return search.result()


class _MapSearch:
    def __init__(self, every: Names, ask: Oracle, deadline: Deadline, bounds: Bounds) -> None:
        self.unexplored = Unexplored(len(every))
        self._every = every
        self._position = {name: position for position, name in enumerate(every)}
        self._ask = ask
        self._deadline = deadline
        self._bounds = bounds
        self._cores: list[Positions] = []
        self._corrections: list[Positions] = []
        self._exhausted = False
        self._all_known = True
        self._all_minimal = True

    def run(self) -> None:
        """Look at unexplored subsets until there is none or a bound is reached."""
        while not self._deadline.passed():
            left_out = self.unexplored.smallest_left_out()
            if left_out is None:
                self._exhausted = self.unexplored.empty
            if left_out is None or self._full():
                return
            self._look(left_out)

    def _full(self) -> bool:
        return len(self._cores) >= self._bounds.cores or len(self._corrections) >= self._bounds.corrections

    def _look(self, left_out: Positions) -> None:
        gone = frozenset(left_out)
        seed = tuple(name for position, name in enumerate(self._every) if position not in gone)
        status, core = self._ask(seed)
        if status == "unsat":
            self._unsatisfiable(seed, core)
            return
        # Parts of a consistent seed are consistent, so nothing that leaves out more is asked about. A seed
        # that nobody can decide is blocked too: it would be the next set again, for ever.
        self.unexplored.no_part(left_out)
        if status == "sat":
            self._corrections.append(left_out)
        else:
            self._all_known = False

    def _unsatisfiable(self, seed: Names, core: Names | None) -> None:
        inside = frozenset(seed if core is None else core)
        names = tuple(name for name in seed if name in inside)
        found = Core(names, True, False)
        if self._bounds.shrink:
            found = minimize(names, seed, self._ask, self._deadline)
        # The seed itself was found unsatisfiable, whatever the solver's core of it is worth.
        self.learn_core(found if found.verified else Core(seed, True, False))

    def learn_core(self, core: Core) -> None:
        """Every correction has something of this core; a minimal one is listed."""
        positions = tuple(sorted(self._position[name] for name in core.names))
        self.unexplored.nothing_around(positions)
        if core.minimal:
            self._cores.append(positions)
        else:
            self._all_minimal = False

    def result(self) -> MusResult:
        complete = self._exhausted and self._all_known
        return MusResult(
            self._named(self._cores), complete and self._all_minimal, self._named(self._corrections), complete
        )

    def _named(self, found: Sequence[Positions]) -> tuple[Names, ...]:
        ordered = sorted(found, key=lambda positions: (len(positions), positions))
        return tuple(tuple(self._every[position] for position in positions) for positions in ordered)


class Unexplored:
    """The map: sets of positions that may still be left out. A context manager, which frees the solver.

    Few positions are enumerated. Of more it is a SAT problem: a variable per position, true if it is left
    out. The number of those is bounded by a totalizer over the positions of known cores, by assumption,
    and the bound rises when there is no smaller set. Where that takes the solver more than its conflicts,
    sets come in any order, and minimal all the same.
    """

    def __init__(self, count: int) -> None:
        self.empty = False
        self._solver: Any = None
        self._count = count
        self._totalizer: Any = None
        self._known: dict[int, None] = {}
        self._cores: list[frozenset[int]] = []
        self._blocked: list[frozenset[int]] = []
        self._bound = 0
        self._ordered = True

    def __enter__(self) -> Unexplored:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._solver is not None:
            self._solver.delete()
        if self._totalizer is not None:
            self._totalizer.delete()

    def nothing_around(self, core: Positions) -> None:
        """Something of these is left out of each set that is still of interest."""
        self._cores.append(frozenset(core))
        # Only positions of some core are counted: what is in none need never be left out.
        new = [position + 1 for position in core if position not in self._known]
        self._known.update(dict.fromkeys(core))
        if self._solver is not None:
            self._solver.add_clause([position + 1 for position in core])
            self._sum(new)

    def no_part(self, left_out: Positions) -> None:
        """Nothing that leaves out all of these is of interest."""
        self._blocked.append(frozenset(left_out))
        if self._solver is not None:
            self._solver.add_clause([-position - 1 for position in left_out])

    def smallest_left_out(self) -> Positions | None:
        """The next set, smallest first; None if there is none (`empty`) or the solver gives up."""
        if len(self._known) <= FEW and self._solver is None:
            found = next(self._enumerated(), None)
            self.empty = found is None
            return found
        if self._solver is None:
            self._start()
        while not self.empty:
            answer = self._solve()
            if answer:
                return self._model()
            if answer is None and not self._ordered:
                return None
            if answer is None:
                # Proving that no set of this size is left may be as hard as a pigeonhole problem.
                self._ordered = False
            elif self._solver.get_core():
                # It took the assumption, so it is the bound that leaves no set.
                self._bound += 1
                self._sum([])
            else:
                self.empty = True
        return None

    def _enumerated(self) -> Iterator[Positions]:
        """The sets, smallest first. Of a few positions they are told sooner than a solver is loaded."""
        for size in range(len(self._known) + 1):
            for chosen in combinations(sorted(self._known), size):
                left_out = frozenset(chosen)
                blocked = any(each <= left_out for each in self._blocked)
                if not blocked and not any(core.isdisjoint(left_out) for core in self._cores):
                    yield chosen

    def _start(self) -> None:
        from pysat.solvers import Solver

        self._solver = Solver(name="m22")
        for core in self._cores:
            self._solver.add_clause([position + 1 for position in sorted(core)])
        for left_out in self._blocked:
            self._solver.add_clause([-position - 1 for position in sorted(left_out)])
        self._sum([position + 1 for position in self._known])

    def _solve(self) -> bool | None:
        rhs = self._totalizer.rhs if self._ordered and self._totalizer is not None else ()
        bound = [-rhs[self._bound]] if self._bound < len(rhs) else []
        self._solver.conf_budget(_CONFLICTS)
        answer: bool | None = self._solver.solve_limited(assumptions=bound)
        return answer

    def _model(self) -> Positions:
        model = self._solver.get_model() or ()
        left_out = [position for position in sorted(self._known) if model[position] > 0]
        if not self._ordered:
            # Without the bound a model leaves out more than it has to: what is consistent must be maximal.
            for position in tuple(left_out):
                rest = [each for each in left_out if each != position]
                if not any(core.isdisjoint(rest) for core in self._cores):
                    left_out = rest
        return tuple(left_out)

    def _sum(self, new: list[int]) -> None:
        """Count these too, up to the bound."""
        from pysat.card import ITotalizer

        if self._totalizer is None:
            if not new:
                return
            self._totalizer = ITotalizer(lits=new, ubound=self._bound, top_id=self._count)
        elif new:
            self._totalizer.extend(lits=new, ubound=self._bound)
        else:
            self._totalizer.increase(ubound=self._bound)
        clauses = self._totalizer.cnf.clauses
        for clause in clauses[len(clauses) - self._totalizer.nof_new :]:
            self._solver.add_clause(clause)
