"""Models in which closed predicates are least, as candidates: [CLOSED-CANDIDATES].

What recurs has an order in its completion, for which solvers look long. Where the predicates that are not
closed are given, a derivation of the others has one at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from random import Random

from potlang.engines.check import Check, CheckResult
from potlang.engines.context import ProgramContext
from potlang.ir.evaluator import Evaluator
from potlang.ir.module import COMPLETION, Module
from potlang.ir.nodes import Node, Symbol, SymbolKind
from potlang.ir.sorts import BOOL, DeclaredSort, EnumSort, Sort
from potlang.ir.structure import FunctionTable, NotEvaluable, Structure, definitions_of
from potlang.ir.values import Unspecified
from potlang.report.results import CheckRecord
from potlang.sema.completion import completed, dependence, order_name
from potlang.sema.known import KnownPredicates
from potlang.utils.deadline import Deadline

_MS = 5_000
"""Of all candidates of a program."""
_MOST_STEPS = 20_000_000
_MOST_BEFORE = 200_000
_DECLARED = (SymbolKind.FUNCTION, SymbolKind.CONSTANT)
_MOST_TRIED = 8
_SMALL = 300
"""Rows that predicates can have, of programs for which more than two candidates are tried."""


def has_closed(module: Module) -> bool:
    """Whether a predicate is closed."""
    return any(each.key.startswith(COMPLETION) for each in module.assertions)


class FoundedProcedure:
    """Finds models, and refutes nothing. For programs of predicates over enums and sorts with constants."""

    name = "founded"

    def __init__(self, context: ProgramContext) -> None:
        self._context = context
        self._models: list[tuple[Structure, Evaluator]] = []
        sizes = [_rows(context.module, each) for each in context.module.symbols if each.range is BOOL]
        self._seeds = list(range(_MOST_TRIED if sum(sizes) <= _SMALL else 2))
        self._left_ms = float(_MS)

    def decide(self, check: Check) -> CheckResult | None:
        """As `DecisionProcedure.decide`: sat, where the side is true in a candidate that is a model."""
        if check.alone:
            return None
        began = Deadline(_MS)
        wanted = [each.formula for each in check.assumptions]
        if check.formula is not None:
            negate = self._context.lowered.pool.negate
            wanted.append(negate(check.formula) if check.negated else check.formula)
        for structure, evaluator in self._models:
            if _are_true(wanted, evaluator):
                return self._found(check, structure, began)
        while self._seeds and self._left_ms > 0:
            found = self._model(self._seeds.pop(0))
            if found is not None and _are_true(wanted, found[1]):
                return self._found(check, found[0], began)
        return None

    def _model(self, seed: int) -> tuple[Structure, Evaluator] | None:
        """The candidate, if it is a model of the assumptions; it is kept."""
        deadline = Deadline(self._left_ms)
        structure = candidate(self._context.module, seed)
        found = None
        if structure is not None:
            evaluator = Evaluator(structure, _MOST_STEPS, deadline)
            if _are_true([each.formula for each in self._context.lowered.assertions], evaluator):
                # Claims are asked about later, each with the time of its own check.
                found = structure, Evaluator(structure, _MOST_STEPS)
                self._models.append(found)
        self._left_ms -= deadline.spent_ms()
        return found

    def _found(self, check: Check, structure: Structure, began: Deadline) -> CheckResult:
        record = CheckRecord(check.name, self.name, "sat", time_ms=began.spent_ms())
        result = CheckResult("sat", None, (record,), self._context.encoding, by=self.name)
        return result._replace(structure=lambda: structure)


def _are_true(formulas: Sequence[Node], evaluator: Evaluator) -> bool:
    try:
        return all(evaluator.value(each) is True for each in formulas)
    except (NotEvaluable, Unspecified):
        return False


def _rows(module: Module, symbol: Symbol) -> int:
    return 0 if _is_order(symbol) else prod(len(_members(module, sort) or ()) for sort in symbol.domain)


def candidate(module: Module, seed: int) -> Structure | None:
    """A structure in which closed predicates are least, given the others; None beyond this kind of program.

    The others are what rules and facts make of them (seed 0), true of everything (1), or true of some things
    besides (further seeds).
    """
    chance = Random(seed)

    def chosen() -> bool:
        # A third of all things, or two.
        return seed == 1 or chance.randrange(3) <= seed % 2

    known = KnownPredicates(lambda sort: _members(module, sort), traced=True)
    predicates = [each for each in module.symbols if each.range is BOOL and each.kind in _DECLARED]
    closed = completed(module.assertions)
    assertions = [each for each in module.assertions if not each.key.startswith(COMPLETION)]
    for group in dependence(dict.fromkeys(predicates, ""), assertions, module.definitions):
        given = [each for each in group if each.symbol not in closed]
        if seed != 1 and not known.derive({each.symbol: each.rules for each in (given if seed else group)}):
            return None
        if seed:
            if not all(known.suppose(each.symbol, chosen) for each in given):
                return None
            if not known.derive({each.symbol: each.rules for each in group if each.symbol in closed}):
                return None
    found = known.structure()
    orders = _orders(module, known, [each for each in predicates if each in closed])
    if orders is None:
        return None
    sorts = [each for each in module.sorts if isinstance(each, DeclaredSort)]
    universe = {**dict.fromkeys(sorts, 1), **found.universe}
    return Structure(universe, {**found.functions, **orders}, definitions_of(module))


def _members(module: Module, sort: Sort) -> list[Node] | None:
    pool = module.pool
    if isinstance(sort, EnumSort):
        return [pool.lit(value, sort) for value in sort.values]
    if isinstance(sort, DeclaredSort):
        constants = [
            each for each in module.symbols if each.range is sort and each.kind is SymbolKind.CONSTANT
        ]
        return [pool.sym(each) for each in constants if not each.domain] or None
    return None


def _is_order(symbol: Symbol) -> bool:
    return symbol.kind is SymbolKind.FRESH and symbol.range is BOOL


def _orders(
    module: Module, known: KnownPredicates, closed: Sequence[Symbol]
) -> Mapping[Symbol, object] | None:
    """For each order what is derived before what; None where that is too much."""
    orders = [each for each in module.symbols if _is_order(each)]
    # Most programs have none, and pairs grow with the square.
    by_name = {order_name(p, q): (p, q) for p in closed for q in closed} if orders else {}
    found: dict[Symbol, object] = {}
    for order in orders:
        pair = by_name.get(order.name.rstrip())
        if pair is None:
            return None
        first, second = pair
        kept = len(first.domain) + len(second.domain) - len(order.domain)
        entries = {
            (*row, *derived[kept:]): True
            for derived, needed in known.derivations(second).items()
            for symbol, row in needed
            if symbol is first and row[:kept] == derived[:kept]
        }
        if len(entries) > _MOST_BEFORE:
            return None
        found[order] = FunctionTable(dict(entries), False) if order.domain else bool(entries)
    return found
