"""The answer to an optimization as questions: [CERT-OBJECTIVE], [CERT-POINT], [CERT-FRONT]."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from .growing import total
from .sorts import BOOL, INT, REAL
from .terms import Term
from .theory import Goal, Obligation, OptimizedTerm, Root, Theory
from .tokens import Invalid, Tree

Row = list[tuple[OptimizedTerm, Term]]
"""Objectives with a value for each."""
_HALF = Fraction(1, 2)


class Optimum:
    """Adds to a theory's questions those of its optimization, with the values that are said to answer it."""

    def __init__(self, theory: Theory) -> None:
        self.theory = theory
        self._rows: list[Row] = []

    def read(self, parts: list[Tree]) -> None:
        """One line: the next objective, with its value if it has one, a Pareto point, or the front of all."""
        mode, number, objectives = self.theory.mode, len(self._rows), self.theory.objectives
        fixed: Row = []
        single: list[OptimizedTerm] = []
        match parts:
            case ["objective", *values] if mode in ("lexicographic", "box") and number < len(objectives):
                single = objectives[number : number + 1]
                row = self._row(single, values)
                if mode == "lexicographic":
                    fixed = [pair for each in self._rows for pair in each]
                    # An objective without a value leaves those behind it without an order.
                    row, single = (row, single) if len(fixed) == number else ([], [])
            case ["point", *values] if mode == "pareto" and values:
                row = self._row(objectives, values)
            case ["front"] if mode == "pareto":
                beaten = self._all(self._some_better(each) for each in self._rows)
                self._ask("front", "front", {"better": beaten}, self._rows, [])
                return
            case _:
                raise Invalid("unknown or misplaced part of an optimum")
        self._rows.append(row)
        theirs = [self.theory.terms.apply("=", (each.term, value)) for each, value in fixed]
        goals = {}
        if row:
            least = [*theirs, *(self._compare("<=", pair) for pair in row)]
            goals = {"reached": self._all(least), "better": self._all([*least, self._some_better(row)])}
        limits = {side: pair for each in single for side, pair in self._limits(each, row)}
        goals |= {side: self._all([*theirs, self._compare("<", pair)]) for side, pair in limits.items()}
        self._ask(f"{parts[0]} {number}", str(parts[0]), goals, [fixed, row, list(limits.values())], row)

    def _limits(self, goal: OptimizedTerm, row: Row) -> Iterator[tuple[str, tuple[OptimizedTerm, Term]]]:
        """[CERT-LIMIT] What members of a family pass that leave every bound, or that come near to a value."""
        sort, sign = goal.term.sort, 1 if goal.maximized else -1
        if sort not in (INT, REAL):
            return
        literal = self.theory.terms.literal
        # Numbers of a model have whole powers: one beyond the root of ω is beyond every bound.
        yield "beyond", (goal, literal(total([(_HALF, Fraction(sign))]), sort))
        for _, value in row:
            assert isinstance(value.value, int | Fraction)
            near = total([(-_HALF, Fraction(-sign))]) + value.value
            yield "approached", (goal, literal(near, sort))

    def _ask(self, key: str, kind: str, goals: dict[str, Term], rows: Sequence[Row], said: Row) -> None:
        variables = {name: each for row in rows for goal, _ in row for name, each in goal.variables.items()}
        sides = {side: Goal(Root("", goal, variables), True, True) for side, goal in goals.items()}
        values = tuple(str(value.value) for _, value in said)
        ordered = kind == "objective" and self.theory.mode == "lexicographic" and len(self._rows) > 1
        behind = f"objective {len(self._rows) - 2}" if ordered else None
        self.theory.ask(key, Obligation(kind, {"feasible": Goal(None, True, True), **sides}, values, behind))

    def _row(self, objectives: Sequence[OptimizedTerm], values: Sequence[Tree]) -> Row:
        row = list(zip(objectives, map(self.theory.term, values), strict=False))
        fits = all(value.op == "lit" and value.sort is goal.term.sort for goal, value in row)
        if not fits or len(values) not in (0, len(objectives)):
            raise Invalid("the values are literals of their objectives' sorts")
        return row

    def _all(self, parts: Iterable[Term]) -> Term:
        return self.theory.terms.make("and", tuple(parts), BOOL)

    def _some_better(self, row: Row) -> Term:
        return self.theory.terms.make("or", tuple(self._compare("<", pair) for pair in row), BOOL)

    def _compare(self, op: str, pair: tuple[OptimizedTerm, Term]) -> Term:
        """The objective is better than its value, or (`<=`) at least as good."""
        goal, value = pair
        if value.sort.kind == "BitVec":
            op = "bvult" if op == "<" else "bvule"
        return self.theory.terms.apply(op, (value, goal.term) if goal.maximized else (goal.term, value))
