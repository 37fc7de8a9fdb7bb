"""Families of models: that an objective passes every bound, or comes as near to a limit as one likes.

No single model shows either. A family does: a structure whose numbers depend on a parameter ω (`germs`), in
which the evaluator finds all assumptions true, so that they are true for every large enough ω. It is found
from one model: the comparisons that the evaluator makes in it are linear inequalities over the model's
numbers ("cells"), which describe a polyhedron around it; a solver finds the best point of that, or a
direction without end. Whatever it says is a proposal: the family is evaluated.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from potlang.engines.messages import Query, SolverAnswer
from potlang.ir.evaluator import Evaluator
from potlang.ir.germs import Germ, germ
from potlang.ir.module import Module
from potlang.ir.nodes import Node, Symbol
from potlang.ir.sorts import INT, REAL
from potlang.ir.structure import FunctionTable, NotEvaluable, Structure
from potlang.ir.values import Unspecified
from potlang.prove.exact import NotLinear, read_extended
from potlang.prove.modelcheck import MOST_MS, MOST_STEPS
from potlang.smt.models import complete
from potlang.smt.numerals import real_text
from potlang.utils.deadline import Deadline

MOST_CELLS = 2_000
MOST_ROWS = 4_000
_MOST_DIRECTIONS = 24
"""Directions tried one by one where the objective is not linear."""

Cell = tuple[Symbol, "tuple[object, ...] | None"]
"""A number of a structure: a constant's value (None), or a function's value at arguments."""
Linear = Mapping[Cell, Fraction]
AskLinear = Callable[[Query], SolverAnswer]
"""A solver's answer to a query about real constants alone."""
_DEFAULT = (Ellipsis,)
"""In place of arguments: everywhere that the table of a function says nothing else."""


class LinearRow(NamedTuple):
    """That a sum of multiples of cells and a number is below 0, at most 0, or 0 (`<`, `<=`, `=`)."""

    factors: Linear
    number: Fraction
    relation: str


class Climb(NamedTuple):
    """The best that there is around one model: a structure, with germs where it is a family.

    `value` is the objective's: None beyond every bound. A family comes as near to it as one likes, and
    `attained` is false.
    """

    structure: Structure
    value: Fraction | None
    attained: bool


class Families:
    """Looks for better models and families of models around one model.

    `formulas` are all that has to hold, and `objective` is to be as large as possible if `maximize`. What
    is done in this process between two of a solver's answers takes at most `MOST_MS`.
    """

    def __init__(
        self,
        module: Module,
        formulas: Sequence[Node],
        objective: Node,
        maximize: bool,
        ask: AskLinear,
    ) -> None:
        self._module = module
        self._formulas = formulas
        self._objective = objective
        self._sign = 1 if maximize else -1
        self._ask = ask
        self._deadline = Deadline(MOST_MS)

    def value(self, structure: Structure) -> object:
        """The objective's value where all formulas are true, as evaluated; None if that is not so."""
        self._begin()
        return self._evaluated(complete(structure, self._module))

    def climb(self, structure: Structure, *, endless: bool) -> Climb | None:
        """The best point of the polyhedron around a model, as far as that is better than the model.

        With `endless`, a direction without end is looked for first.
        """
        self._begin()
        whole = complete(structure, self._module)
        cells = _cells(whole)
        traced = self._traced(whole, cells) if len(cells) <= MOST_CELLS else None
        if traced is None:
            return None
        rows, goal = traced
        ways = (self._ray, self._vertex) if endless else (self._vertex, self._ray)
        for way in ways:
            if goal and (found := way(whole, cells, rows, goal)) is not None:
                return found
        return self._one_by_one(whole, cells) if endless else None

    # --- evaluating ---

    def _begin(self) -> None:
        self._deadline = Deadline(MOST_MS)

    def _evaluated(self, whole: Structure) -> object:
        if self._deadline.passed():
            return None
        evaluator = Evaluator(whole, MOST_STEPS, self._deadline)
        try:
            if not all(evaluator.value(formula) is True for formula in self._formulas):
                return None
            return evaluator.value(self._objective)
        except (NotEvaluable, Unspecified, TypeError):
            # A meaning that is computed and not listed may be made for plain numbers alone.
            return None

    def _traced(
        self, whole: Structure, cells: Mapping[Cell, Fraction]
    ) -> tuple[list[LinearRow], dict[Cell, Fraction]] | None:
        """The comparisons made in evaluating, and the objective as a sum of multiples of cells."""
        trace = _Trace()
        places = {cell: Traced(trace, value, {cell: Fraction(1)}) for cell, value in cells.items()}
        value = self._evaluated(_with(whole, places))
        if len(trace.rows) > MOST_ROWS or not (value == 0 or isinstance(value, int | Fraction | Traced)):
            return None
        goal = value.factors if isinstance(value, Traced) else {}
        return list(trace.rows), {cell: self._sign * factor for cell, factor in goal.items()}

    def _accepted(self, structure: Structure) -> Climb | None:
        """The structure with its objective's value, if the evaluator accepts it."""
        value = self._evaluated(structure)
        if isinstance(value, Germ):
            if value.infinite:
                return Climb(structure, None, False) if value.sign == self._sign else None
            # Coming near from the other side would be beyond the limit.
            rest = value - value.standard
            assert isinstance(rest, Germ)
            return None if rest.sign == self._sign else Climb(structure, value.standard, False)
        if isinstance(value, int | Fraction) and not isinstance(value, bool):
            return Climb(structure, Fraction(value), True)
        return None

    # --- ways to go ---

    def _ray(
        self, whole: Structure, cells: Mapping[Cell, Fraction], rows: Sequence[LinearRow], goal: Linear
    ) -> Climb | None:
        """From the model in a direction that never leaves the polyhedron, along which the objective grows."""
        used = _used(rows, goal)
        text = "".join(
            [_assert("<=" if row.relation != "=" else "=", row.factors, Fraction(0), used) for row in rows]
        )
        # At least 1: a direction may be made longer.
        text += f"(assert (<= 1.0 {_linear(goal, Fraction(0), used)}))"
        direction = self._point(text, used)
        if direction is None:
            return None
        moved = {
            cell: germ({0: value, 1: direction[cell]}) for cell, value in cells.items() if direction.get(cell)
        }
        found = self._accepted(_with(whole, moved))
        return found if found is not None and not found.attained else None

    def _vertex(
        self, whole: Structure, cells: Mapping[Cell, Fraction], rows: Sequence[LinearRow], goal: Linear
    ) -> Climb | None:
        """The best point of the closed polyhedron: itself, or the way to it from the model; integers stay."""
        rows, goal = [_fixed(row, cells) for row in rows], {c: f for c, f in goal.items() if _moves(c)}
        if not goal:
            return None
        used = _used(rows, goal)
        best = self._point(_optimal(rows, goal, used), used)
        if best is None:
            return None
        here = {cell: cells[cell] for cell in used}
        gain = sum((goal[cell] * (best[cell] - here[cell]) for cell in goal), Fraction(0))
        if gain <= 0:
            return None
        found, now = self._accepted(_with(whole, best)), self._accepted(whole)
        # On the border of an open polyhedron the objective may be another one.
        if found is not None and now is not None and self._gain(now, found) >= gain:
            return found
        # Between a point of the polyhedron and one on its border all points belong to it.
        near = {cell: germ({0: best[cell], -1: here[cell] - best[cell]}) for cell in used}
        return self._accepted(_with(whole, near))

    def _gain(self, one: Climb, other: Climb) -> Fraction:
        """How much better the other is."""
        assert one.value is not None and other.value is not None
        return self._sign * (other.value - one.value)

    def _one_by_one(self, whole: Structure, cells: Mapping[Cell, Fraction]) -> Climb | None:
        """One number grows, where the objective is no linear function of it: the best way to do that."""
        best: Climb | None = None
        for cell, value in list(cells.items())[:_MOST_DIRECTIONS]:
            # Counted from its value it keeps what holds of remainders; from 0 it has a simple reciprocal.
            for number, step in itertools.product(dict.fromkeys((value, Fraction(0))), (1, -1)):
                found = self._accepted(_with(whole, {cell: germ({0: number, 1: Fraction(step)})}))
                if found is None or found.attained:
                    continue
                if found.value is None:
                    return found
                if best is None or best.value is None or self._gain(best, found) > 0:
                    best = found
        return best

    def _point(self, text: str, used: Mapping[Cell, int]) -> dict[Cell, Fraction] | None:
        declared = "".join([f"(declare-const x{number} Real)" for number in used.values()])
        names = tuple(f"x{number}" for number in used.values())
        answer = self._ask(Query(declared + text, names))
        # What the solver took has a limit of its own.
        self._begin()
        if answer.status != "sat" or answer.values is None:
            return None
        try:
            values = [read_extended(value) for value in answer.values]
        except NotLinear:
            return None
        return {cell: value.finite for cell, value in zip(used, values, strict=True)}


# --- cells of a structure -------------------------------------------------------------------------


def _cells(whole: Structure) -> dict[Cell, Fraction]:
    """The numbers of a structure that are listed one by one."""
    found: dict[Cell, Fraction] = {}
    for symbol, meaning in whole.functions.items():
        if symbol.range not in (INT, REAL):
            continue
        if isinstance(meaning, FunctionTable):
            found |= {(symbol, args): _exact(value) for args, value in meaning.entries.items()}
            if isinstance(meaning.default, int | Fraction):
                found[symbol, _DEFAULT] = Fraction(meaning.default)
        elif isinstance(meaning, int | Fraction):
            found[symbol, None] = Fraction(meaning)
    return found


def _exact(value: object) -> Fraction:
    assert isinstance(value, int | Fraction)
    return Fraction(value)


def _with(whole: Structure, values: Mapping[Cell, object]) -> Structure:
    """The structure with other numbers in these cells."""
    functions = dict(whole.functions)
    entries: dict[Symbol, dict[tuple[object, ...], object]] = {}
    for (symbol, args), value in values.items():
        exact = _whole(value) if symbol.range is INT else value
        if args is None:
            functions[symbol] = exact
        else:
            entries.setdefault(symbol, {})[args] = exact
    for symbol, changed in entries.items():
        table = functions[symbol]
        assert isinstance(table, FunctionTable)
        default = changed.pop(_DEFAULT, table.default)
        functions[symbol] = FunctionTable({**table.entries, **changed}, default)
    return replace(whole, functions=functions)


def _whole(value: object) -> object:
    """An integer as `int`, as structures have it."""
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def _moves(cell: Cell) -> bool:
    return cell[0].range is REAL


# --- evaluating with a trace ----------------------------------------------------------------------


class _Trace:
    """The comparisons made so far, each once."""

    def __init__(self) -> None:
        self.rows: dict[LinearRow, None] = {}

    def note(self, value: Traced | Fraction | int, relation: str) -> None:
        """`value` is compared with 0, and the outcome is `relation`."""
        if not isinstance(value, Traced):
            return
        if len(self.rows) > MOST_ROWS:
            raise NotEvaluable("too many comparisons")
        self.rows[LinearRow(_Factors(value.factors), value.number, relation)] = None


class _Factors(dict[Cell, Fraction]):
    """The factors of a row, as part of a key; never changed."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))


class Traced:
    """A number in a model that remembers how it depends on the cells, and with what it was compared.

    It is `number` and the multiples `factors` of cells; `value` in the model. A product of two such numbers
    holds one of them fast.
    """

    __slots__ = ("factors", "number", "trace", "value")

    def __init__(
        self, trace: _Trace, value: Fraction, factors: Mapping[Cell, Fraction], number: Fraction = Fraction(0)
    ) -> None:
        self.trace = trace
        self.value = value
        self.factors = factors
        self.number = number

    def __hash__(self) -> int:
        return hash(self.value)

    def _combined(self, other: object, mine: Fraction, yours: Fraction) -> object:
        if not isinstance(other, int | Fraction | Traced):
            return NotImplemented
        if not isinstance(other, Traced):
            return Traced(
                self.trace,
                mine * self.value + yours * other,
                {cell: mine * factor for cell, factor in self.factors.items()},
                mine * self.number + yours * other,
            )
        factors = {cell: mine * factor for cell, factor in self.factors.items()}
        for cell, factor in other.factors.items():
            factors[cell] = factors.get(cell, Fraction(0)) + yours * factor
        factors = {cell: factor for cell, factor in factors.items() if factor}
        value, number = mine * self.value + yours * other.value, mine * self.number + yours * other.number
        return Traced(self.trace, value, factors, number) if factors else value

    def _compared(self, other: object) -> Fraction:
        """The difference in the model, its sign noted."""
        left = self._combined(other, Fraction(1), Fraction(-1))
        if left is NotImplemented:
            raise TypeError
        if not isinstance(left, Traced):
            assert isinstance(left, Fraction)
            return left
        if left.value > 0:
            self.trace.note(-left, "<")
        else:
            self.trace.note(left, "<" if left.value < 0 else "=")
        return left.value

    def _ordered(self, other: object, sign: int, strict: bool) -> bool:
        """Whether sign * (self - other) is below 0, or at most 0; noted no sharper than that."""
        left = self._combined(other, Fraction(sign), Fraction(-sign))
        if left is NotImplemented:
            raise TypeError
        if not isinstance(left, Traced):
            assert isinstance(left, Fraction)
            return left < 0 if strict else left <= 0
        holds = left.value < 0 if strict else left.value <= 0
        if holds:
            self.trace.note(left, "<" if strict else "<=")
        else:
            self.trace.note(-left, "<=" if strict else "<")
        return holds

    def __eq__(self, other: object) -> bool:
        return isinstance(other, int | Fraction | Traced) and self._compared(other) == 0

    def __lt__(self, other: object) -> bool:
        return self._ordered(other, 1, True)

    def __le__(self, other: object) -> bool:
        return self._ordered(other, 1, False)

    def __gt__(self, other: object) -> bool:
        return self._ordered(other, -1, True)

    def __ge__(self, other: object) -> bool:
        return self._ordered(other, -1, False)

    def __neg__(self) -> Traced:
        factors = {cell: -factor for cell, factor in self.factors.items()}
        return Traced(self.trace, -self.value, factors, -self.number)

    def __abs__(self) -> Traced:
        return self if self >= 0 else -self

    def __add__(self, other: object) -> object:
        return self._combined(other, Fraction(1), Fraction(1))

    __radd__ = __add__

    def __sub__(self, other: object) -> object:
        return self._combined(other, Fraction(1), Fraction(-1))

    def __rsub__(self, other: object) -> object:
        return self._combined(other, Fraction(-1), Fraction(1))

    def held(self) -> Fraction:
        """The value, from which the number must not move."""
        self.trace.note(Traced(self.trace, Fraction(0), self.factors, self.number - self.value), "=")
        return self.value

    def __mul__(self, other: object) -> object:
        factor = other.held() if isinstance(other, Traced) else other
        if not isinstance(factor, int | Fraction):
            return NotImplemented
        return self._combined(Fraction(0), Fraction(factor), Fraction(0)) if factor else Fraction(0)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> object:
        below = other.held() if isinstance(other, Traced) else other
        if not isinstance(below, int | Fraction):
            return NotImplemented
        return self._combined(Fraction(0), 1 / Fraction(below), Fraction(0))

    def __rtruediv__(self, other: object) -> object:
        return _exact(other) / self.held()

    def __mod__(self, other: object) -> object:
        # Along a way that is long enough remainders do not change (`germs`); a short way keeps integers.
        return self.value % _held(other)

    def __floordiv__(self, other: object) -> object:
        below = _held(other)
        return self._combined(self.value % below, 1 / below, -1 / below)

    def __rmod__(self, other: object) -> object:
        return _exact(other) % self.held()

    def __rfloordiv__(self, other: object) -> object:
        return Fraction(_exact(other) // self.held())

    def __floor__(self) -> int:
        low = self.value.__floor__()
        self._ordered(low, -1, False)
        self._ordered(low + 1, 1, True)
        return low


def _held(value: object) -> Fraction:
    """A number that something is divided by, which must not move."""
    return value.held() if isinstance(value, Traced) else _exact(value)


# --- linear problems as SMT-LIB -------------------------------------------------------------------


def _used(rows: Iterable[LinearRow], goal: Linear) -> dict[Cell, int]:
    cells = dict.fromkeys(cell for factors in (goal, *(row.factors for row in rows)) for cell in factors)
    return {cell: number for number, cell in enumerate(cells)}


def _fixed(row: LinearRow, cells: Mapping[Cell, Fraction]) -> LinearRow:
    """The row with the integers as they are in the model."""
    held = sum((f * cells[cell] for cell, f in row.factors.items() if not _moves(cell)), Fraction(0))
    return LinearRow(
        {cell: factor for cell, factor in row.factors.items() if _moves(cell)},
        row.number + held,
        row.relation,
    )


def _linear(factors: Linear, number: Fraction, used: Mapping[Cell, int]) -> str:
    parts = [f"(* {real_text(factor)} x{used[cell]})" for cell, factor in factors.items()]
    return _plus([*parts, real_text(number)])


def _plus(parts: Sequence[str]) -> str:
    return f"(+ {' '.join(parts)})" if len(parts) > 1 else parts[0]


def _assert(relation: str, factors: Linear, number: Fraction, used: Mapping[Cell, int]) -> str:
    return f"(assert ({relation} {_linear(factors, number, used)} 0.0))" if factors else ""


def _optimal(rows: Sequence[LinearRow], goal: Linear, used: Mapping[Cell, int]) -> str:
    """That x is a best point of the closed polyhedron: by duality a linear problem that any solver decides.

    The multipliers y of the rows make the goal of the rows' left sides, and say that x reaches their bound.
    """
    rows = [row for row in rows if row.factors]
    text = ""
    columns: dict[Cell, list[str]] = {cell: [] for cell in used}
    bound: list[str] = []
    for number, row in enumerate(rows):
        text += f"(declare-const y{number} Real)"
        text += _assert("=" if row.relation == "=" else "<=", row.factors, row.number, used)
        if row.relation != "=":
            text += f"(assert (<= 0.0 y{number}))"
        for cell, factor in row.factors.items():
            columns[cell].append(f"(* {real_text(factor)} y{number})")
        if row.number:
            bound.append(f"(* {real_text(-row.number)} y{number})")
    for cell, parts in columns.items():
        text += f"(assert (= {_plus(parts or ['0.0'])} {real_text(goal.get(cell, Fraction(0)))}))"
    return text + f"(assert (<= {_plus(bound or ['0.0'])} {_linear(goal, Fraction(0), used)}))"
