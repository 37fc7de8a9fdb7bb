"""All models of a finite theory, and the formulas that hold in each ([TOPOS-TRACE-SPACE]).

An unknown is a constant, or a function at given arguments. Values are tried unknown by unknown, a formula
as soon as the unknowns that it is about have values: at most `MOST_STEPS` values in all.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from potlang.ir import operators as op
from potlang.ir.compile import (
    Compiled,
    Compute,
    Env,
    FormulaCompiler,
    NotFinite,
    check_shape,
    negation,
    unknown,
)
from potlang.ir.module import AssertionKind, Module
from potlang.ir.nodes import App, Node, Quant, Sym, Symbol, SymbolKind, reachable
from potlang.ir.sorts import BOOL, INT, REAL, BitVecSort, DeclaredSort, EnumSort, Sort
from potlang.ir.structure import definitions_of
from potlang.ir.values import Bits, Element, Unspecified
from potlang.smt.value_text import format_value

MOST_MODELS = 1_024
"""Models of a theory, and values of an integer."""
MOST_STEPS = 200_000
"""Values that are tried."""
_MOST_PARTS = 50_000
_MOST_NAMINGS = 5_000
_MOST_UNFOLDED = 3
_WIDEST_VECTOR = 10
_ROUNDS = 100

_VALUED = (SymbolKind.FUNCTION, SymbolKind.CONSTANT, SymbolKind.FREE, SymbolKind.FRESH)
_Limits = dict[int, tuple[int, int]]
"""The least and the greatest value of some unknowns; an end that is not known is far out."""
_FAR = 1 << 200
_Linear = dict[int | None, int]
"""A sum of multiples of unknowns; the key None has the number that is added."""


class TooManyModels(NotFinite):
    """The theory has more models than are listed, or finding them takes too long."""


class Unknown(NamedTuple):
    """A constant, or a function at given arguments."""

    symbol: Symbol
    args: tuple[object, ...]


class ModelSpace(NamedTuple):
    """The models of a theory: the value of each unknown as text, and a set of models for each formula.

    `truths[k]` is a bit mask: bit i says that the formula k holds in the model i. `values[k]` has
    the value of the term k in each model.
    """

    models: tuple[Mapping[str, str], ...]
    truths: tuple[int, ...]
    values: tuple[tuple[object, ...], ...] = ()


def model_space(module: Module, formulas: Sequence[Node], terms: Sequence[Node] = ()) -> ModelSpace:
    """All models of a module's assertions over the unknowns that these or the formulas mention.

    Models that only differ in which member of a sort is which are one. Raises `NotFinite` with the
    reason where a value is not one of finitely many, `TooManyModels` where they are too many.
    """
    models: list[Mapping[str, str]] = []
    truths = [0] * len(formulas)
    values: list[list[object]] = [[] for _ in terms]
    steps = MOST_STEPS
    try:
        for naming in _namings(module, (*formulas, *terms)):
            search = _ModelSearch(module, naming, formulas, terms, steps)
            for assignment in search.assignments():
                if len(models) == MOST_MODELS:
                    raise TooManyModels(f"it has more than {MOST_MODELS:,} models")
                bit = 1 << len(models)
                models.append(search.shown(assignment))
                for at, formula in enumerate(search.formulas):
                    if formula(assignment):
                        truths[at] |= bit
                for row, term in zip(values, search.terms, strict=True):
                    row.append(term(assignment))
            steps = search.steps
    except Unspecified:
        raise NotFinite("it divides by zero, which has no value of its own") from None
    return ModelSpace(tuple(models), tuple(truths), tuple(map(tuple, values)))


def _namings(module: Module, formulas: Sequence[Node]) -> Iterator[dict[Sort, tuple[int, ...]]]:
    """The member that each constant of each closed sort names, in all ways that differ.

    A constant names a member that an earlier one names, or the next one. Of a sort that nothing speaks of
    but what closes it one way is enough.
    """
    said = [each.formula for each in module.assertions if each.kind is not AssertionKind.SEMANTICS]
    bodies = [each.body for each in module.definitions]
    used = {node.sort for node in reachable(*said, *bodies, *formulas)}
    sorts = sorted((sort for sort in module.closed if isinstance(sort, DeclaredSort)), key=str)
    choices: list[list[tuple[int, ...]]] = []
    for sort in sorts:
        count = len(module.constants(sort))
        rows: list[tuple[int, ...]] = [()]
        for at in range(count):
            if sort in module.unique or sort not in used:
                rows = [tuple(range(at + 1))]
                continue
            rows = [(*row, new) for row in rows for new in range(max(row, default=-1) + 2)]
            if len(rows) > _MOST_NAMINGS:
                raise TooManyModels(f"the constants of {sort} may name its members in too many ways")
        choices.append(rows)
    return (dict(zip(sorts, chosen, strict=True)) for chosen in itertools.product(*choices))


class _ModelSearch(FormulaCompiler):
    """The search for the models in which constants name members in one way."""

    def __init__(
        self,
        module: Module,
        naming: Mapping[Sort, tuple[int, ...]],
        formulas: Sequence[Node],
        terms: Sequence[Node],
        steps: int,
    ) -> None:
        super().__init__(_MOST_PARTS)
        self.steps = steps
        self._definitions = definitions_of(module)
        self._unfolded = 0
        self._named = {
            symbol: Element(str(sort), at)
            for sort, row in naming.items()
            for symbol, at in zip(module.constants(sort), row, strict=True)
        }
        self._members: dict[Sort, list[object]] = {
            sort: [Element(str(sort), at) for at in range(max(row, default=-1) + 1)]
            for sort, row in naming.items()
        }
        self._unknowns: list[Unknown] = []
        self._numbers: dict[Unknown, int] = {}
        self._constraints: list[Compiled] = []
        self._sums: list[_Linear] = []
        """Each is at most 0."""
        self._limits: _Limits = {}
        for assertion in module.assertions:
            self._assume(assertion.formula)
        self.formulas = [self._closed(formula).function for formula in formulas]
        self.terms = [self._closed(term).function for term in terms]
        self._narrow()

    def spend(self) -> None:
        """Count one part. Raises `TooManyModels` where there are too many."""
        self._left -= 1
        if self._left < 0:
            raise TooManyModels(f"its formulas have more than {_MOST_PARTS:,} parts, quantifiers written out")

    # --- compiling -------------------------------------------------------------------------------

    def _closed(self, node: Node) -> Compiled:
        check_shape(node, self._is_known)
        return self.term(node, {})

    def _is_known(self, sort: Sort) -> bool:
        return sort in (BOOL, INT, REAL) or sort in self._members or isinstance(sort, EnumSort | BitVecSort)

    def symbol(self, symbol: Symbol, args: list[Compiled]) -> Compiled:
        """The unknown of a symbol at values, the choice among its unknowns at terms, or its definition."""
        if symbol in self._named:
            return Compiled(None, frozenset(), self._named[symbol])
        if symbol in self._definitions:
            return self._unfold(symbol, args)
        if symbol.kind not in _VALUED:
            raise NotFinite(f"{symbol.name} is no plain name")
        if all(arg.compute is None for arg in args):
            return unknown(self._number(symbol, tuple(arg.value for arg in args)))
        choices = [
            [arg.value] if arg.compute is None else self._listed(sort, symbol.name)
            for arg, sort in zip(args, symbol.domain, strict=True)
        ]
        numbers: dict[tuple[object, ...], int] = {}
        for values in itertools.product(*choices):
            self.spend()
            numbers[values] = self._number(symbol, values)
        functions = [arg.function for arg in args]
        variables = frozenset(numbers.values()).union(*(arg.variables for arg in args))
        return Compiled(
            lambda values: values[numbers[tuple([each(values) for each in functions])]], variables
        )

    def _unfold(self, symbol: Symbol, args: list[Compiled]) -> Compiled:
        definition = self._definitions[symbol]
        # Each is as deep as a formula may be, and all of them are on Python's stack at once.
        if self._unfolded == _MOST_UNFOLDED:
            raise NotFinite(f"{symbol.name} is defined by definitions that are nested too deep")
        check_shape(definition.body, self._is_known)
        self._unfolded += 1
        found = self.term(definition.body, dict(zip(definition.params, args, strict=True)))
        self._unfolded -= 1
        return found

    def bindings(self, quant: Quant, env: Env) -> list[Env]:
        """The values of the binders, those of closed sorts among them."""
        ranges = [self._listed(var.sort, f"a variable {var.name}") for var in quant.binders]
        found: list[Env] = []
        for values in itertools.product(*ranges):
            self.spend()
            bound = (Compiled(None, frozenset(), value) for value in values)
            found.append({**env, **dict(zip(quant.binders, bound, strict=True))})
        return found

    def _listed(self, sort: Sort, name: str) -> Sequence[object]:
        """The members of a sort. Raises `NotFinite` for one without finitely many."""
        if sort is BOOL:
            return (False, True)
        if isinstance(sort, EnumSort):
            return sort.values
        if sort in self._members:
            return self._members[sort]
        if isinstance(sort, BitVecSort) and sort.width <= _WIDEST_VECTOR:
            return [Bits(number, sort.width) for number in range(1 << sort.width)]
        why = ", which is not closed" if isinstance(sort, DeclaredSort) else ""
        raise NotFinite(f"{name} is of sort {sort}{why}")

    def _number(self, symbol: Symbol, args: tuple[object, ...]) -> int:
        key = Unknown(symbol, args)
        if key not in self._numbers:
            if symbol.range is not INT:
                self._listed(symbol.range, symbol.name)
            self._numbers[key] = len(self._unknowns)
            self._unknowns.append(key)
        return self._numbers[key]

    # --- what the assertions say -----------------------------------------------------------------

    def _assume(self, formula: Node) -> None:
        check_shape(formula, self._is_known)
        for node, env, positive in self._conjuncts(formula):
            term = self.term(node, env)
            self._constraints.append(term if positive else negation(term))
            self._sums += self._sums_of(node, env, positive)
            if positive and isinstance(node, App) and node.op is op.OR:
                self._bound(self._alternatives(node, env))

    def _conjuncts(self, formula: Node) -> Iterator[tuple[Node, Env, bool]]:
        """The conjuncts of a formula, each with its sign, quantifiers written out."""
        stack: list[tuple[Node, Env, bool]] = [(formula, {}, True)]
        while stack:
            node, env, positive = stack.pop()
            match node:
                case App(op=op.NOT):
                    stack.append((node.args[0], env, not positive))
                case App(op=op.AND) if positive:
                    stack += [(arg, env, True) for arg in reversed(node.args)]
                case App(op=op.OR) if not positive:
                    stack += [(arg, env, False) for arg in reversed(node.args)]
                case App(op=op.IMPLIES) if not positive:
                    stack += [(node.args[1], env, False), (node.args[0], env, True)]
                case Quant() if (node.kind == "forall") is positive:
                    stack += [(node.body, each, positive) for each in reversed(self.bindings(node, env))]
                case _:
                    yield node, env, positive

    def _sums_of(self, node: Node, env: Env, positive: bool) -> list[_Linear]:
        """A comparison of sums of unknown integers as sums that are at most 0; none for what is no such."""
        if not isinstance(node, App) or node.op not in (op.LE, op.LT, op.EQ) or node.args[0].sort is not INT:
            return []
        if node.op is op.EQ and not positive:
            return []
        one, two = (self._linear(arg, env) for arg in node.args)
        if one is None or two is None:
            return []
        if node.op is op.EQ:
            return [_added(one, two, -1), _added(two, one, -1)]
        # Not (a < b) is b <= a, and a < b is a + 1 <= b.
        lower, upper = (one, two) if positive else (two, one)
        strict = (node.op is op.LT) is positive
        return [_added(_added(lower, upper, -1), {None: int(strict)}, 1)]

    def _linear(self, node: Node, env: Env) -> _Linear | None:
        """A term as a sum of multiples of unknowns; None if it is none. As deep as the shape allows."""
        if isinstance(node, App) and node.op in (op.ADD, op.SUB, op.NEG, op.MUL):
            parts = [self._linear(arg, env) for arg in node.args]
            known = [part for part in parts if part is not None]
            if len(known) < len(parts):
                return None
            if node.op is op.NEG:
                return _added({}, known[0], -1)
            total = known[0]
            for part in known[1:]:
                if node.op is op.MUL:
                    if set(total) - {None}:
                        total, part = part, total
                    if set(total) - {None}:
                        return None
                    total = _added({}, part, total.get(None, 0))
                else:
                    total = _added(total, part, 1 if node.op is op.ADD else -1)
            return total
        is_plain = isinstance(node, Sym) or (isinstance(node, App) and isinstance(node.op, Symbol))
        found = self.term(node, env) if is_plain or not isinstance(node, App | Quant) else None
        if found is None:
            return None
        if found.compute is None:
            return {None: found.value} if isinstance(found.value, int) else None
        return {found.variable: 1} if found.variable >= 0 else None

    def _alternatives(self, node: App, env: Env) -> _Limits:
        """The limits of an unknown that each disjunct sets: `x = 1 or x = 2` bounds x."""
        found: list[_Limits] = []
        for part in node.args:
            limits: _Limits = {}
            for total in self._sums_of(part, env, True):
                _tighten(limits, total)
            found.append(limits)
        common = set(found[0]).intersection(*found[1:])
        return {
            each: (min(limits[each][0] for limits in found), max(limits[each][1] for limits in found))
            for each in common
        }

    def _bound(self, limits: _Limits) -> None:
        for number, (low, high) in limits.items():
            least, greatest = self._limits.get(number, (-_FAR, _FAR))
            self._limits[number] = max(least, low), min(greatest, high)

    def _narrow(self) -> None:
        """The limits that the sums set, each with those of the others."""
        for _ in range(_ROUNDS):
            before = dict(self._limits)
            for total in self._sums:
                _tighten(self._limits, total)
            if before == self._limits:
                return

    # --- the search ------------------------------------------------------------------------------

    def _domain(self, number: int) -> Sequence[object]:
        symbol = self._unknowns[number].symbol
        if symbol.range is not INT:
            return self._listed(symbol.range, symbol.name)
        low, high = self._limits.get(number, (-_FAR, _FAR))
        if low <= -_FAR or high >= _FAR:
            which = "greatest" if low > -_FAR else "least"
            raise NotFinite(f"the integer {symbol.name} has no {which} value")
        if high - low >= MOST_MODELS:
            raise TooManyModels(f"the integer {symbol.name} has more than {MOST_MODELS:,} values")
        return range(low, high + 1)

    def assignments(self) -> Iterator[list[object]]:
        """The values of all unknowns in each model. Raises `TooManyModels` after `steps`."""
        checks = self._checks()
        if checks is None:
            return
        domains = [self._domain(number) for number in range(len(self._unknowns))]
        values: list[object] = [None] * len(domains)
        if not domains:
            yield values
            return
        left = [iter(domains[0])]
        while left:
            at = len(left) - 1
            for values[at] in left[-1]:
                self.steps -= 1
                if self.steps < 0:
                    raise TooManyModels(f"finding its models takes more than {MOST_STEPS:,} steps")
                if all(check(values) for check in checks[at]):
                    break
            else:
                left.pop()
                continue
            if at + 1 == len(domains):
                yield values
            else:
                left.append(iter(domains[at + 1]))

    def _checks(self) -> list[list[Compute]] | None:
        """For each unknown the constraints that it is the last one of; None if one is false in any case."""
        found: list[list[Compute]] = [[] for _ in self._unknowns]
        for each in self._constraints:
            if each.compute is not None:
                found[max(each.variables)].append(each.compute)
            elif not each.value:
                return None
        return found

    def shown(self, values: Sequence[object]) -> dict[str, str]:
        """A model for people: each unknown with its value."""
        names: dict[object, str] = {}
        for symbol, element in self._named.items():
            names.setdefault(element, symbol.name)

        def text(value: object, sort: Sort) -> str:
            return names[value] if value in names else format_value(value, sort)

        shown = {}
        for (symbol, args), value in zip(self._unknowns, values, strict=True):
            inside = ", ".join(text(arg, sort) for arg, sort in zip(args, symbol.domain, strict=True))
            shown[f"{symbol.name}({inside})" if args else symbol.name] = text(value, symbol.range)
        # Where two constants may name one member, that is part of what the model says.
        shown |= {s.name: names[e] for s, e in self._named.items() if names[e] != s.name}
        return shown


def _added(one: _Linear, two: _Linear, times: int) -> _Linear:
    total = dict(one)
    for key, factor in two.items():
        total[key] = total.get(key, 0) + times * factor
    return {key: factor for key, factor in total.items() if factor}


def _tighten(limits: _Limits, total: _Linear) -> None:
    """The limits that a sum of at most 0 sets: of each unknown, the others being as small as they may."""
    least: dict[int, int] = {}
    for key, factor in total.items():
        if key is not None:
            low, high = limits.get(key, (-_FAR, _FAR))
            least[key] = factor * (low if factor > 0 else high)
    unbounded = [key for key, value in least.items() if value <= -_FAR]
    if len(unbounded) > 1:
        return
    whole = sum(least.values()) + total.get(None, 0)
    for key in unbounded or least:
        room = least[key] - whole
        low, high = limits.get(key, (-_FAR, _FAR))
        factor = total[key]
        limits[key] = (low, min(high, room // factor)) if factor > 0 else (max(low, -(room // -factor)), high)
