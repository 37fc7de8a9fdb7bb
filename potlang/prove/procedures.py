"""The decision procedures of one program on one route: who is asked before a solver, after it, beside it."""

from __future__ import annotations

from typing import NamedTuple

from potlang.engines.check import DecisionProcedure
from potlang.engines.context import ProgramContext
from potlang.engines.finite.direct_procedure import DIRECT_MS, DirectProcedure
from potlang.engines.finite.growing import GrowingProcedure
from potlang.engines.finite.procedure import MOST_STEPS, SearchProcedure
from potlang.engines.founded import FoundedProcedure, has_closed
from potlang.engines.ground.facts import FACTS_MS, FactsProcedure
from potlang.engines.ground.procedure import GROUND_MS, GroundProcedure
from potlang.engines.horn.procedure import CLOSURE_MS, HornProcedure
from potlang.engines.saturation.procedure import SaturationProcedure, saturation_procedure
from potlang.ir.module import Module
from potlang.ir.sorts import BOOL
from potlang.prove.options import RouteName
from potlang.report.results import Limits

_MOST_LOOKED_AT = 2_000
"""Assumptions that are looked through for Horn rules whatever the program's functions are."""
_FEWEST_FACTS = 200
"""Programs with fewer assumptions are decided as fast by others."""
_MOST_OTHERS = 500
_FACTS_EACH = 10
"""A program of facts has at most so many assumptions that are none, and so many facts for each of these."""
_FORCED_STEPS = 400
"""How many times as many steps the search has where nobody else may answer."""


class Procedures(NamedTuple):
    """`first` are asked before a solver, `fallbacks` where one has given up ([ROUTE-AUTO]).

    `direct`, `growing` and `saturation` take part in races, too ([ROUTE-RACE]).
    """

    first: tuple[DecisionProcedure, ...] = ()
    fallbacks: tuple[DecisionProcedure, ...] = ()
    direct: DirectProcedure | None = None
    growing: GrowingProcedure | None = None
    saturation: SaturationProcedure | None = None

    @property
    def racers(self) -> list[DirectProcedure | GrowingProcedure | SaturationProcedure]:
        """Those that take part in races."""
        return [each for each in (self.direct, self.growing, self.saturation) if each is not None]

    def close(self) -> None:
        """Give their workers back."""
        for each in self.racers:
            each.close()


def procedures_of(context: ProgramContext, route: RouteName, limits: Limits) -> Procedures:
    """The procedures of a route."""
    if route != "auto":
        # Nobody else may answer: the clock is only the check's.
        return _forced(context, route, limits.check_ms)
    # Where a count of steps is to decide, the clock is only the check's, too.
    counted = limits.rlimit is not None
    closure_ms, ground_ms = (limits.check_ms,) * 2 if counted else (CLOSURE_MS, GROUND_MS)
    facts = _facts(context, limits.check_ms if counted else FACTS_MS)
    if not _verifiable_by_rules(context.module):
        return Procedures(facts)
    direct = DirectProcedure(context, limits.check_ms if counted else min(DIRECT_MS, limits.check_ms))
    search = SearchProcedure(context, MOST_STEPS, None if counted else direct.decide_small)
    exact = HornProcedure(context, closure_ms, exact_only=True)
    closure = HornProcedure(context, closure_ms)
    ground = GroundProcedure(context, ground_ms, finite_only=True)
    founded = (FoundedProcedure(context),) if has_closed(context.module) else ()
    first: tuple[DecisionProcedure, ...] = (exact, *founded, search, *facts)
    fallbacks = (closure, direct, ground)
    if counted:
        # The others end by the clock alone.
        return Procedures(first, fallbacks, direct)
    saturation = saturation_procedure(context, limits.check_ms)
    return Procedures(first, fallbacks, direct, GrowingProcedure(context), saturation)


def _facts(context: ProgramContext, most_ms: int) -> tuple[FactsProcedure, ...]:
    """The procedure for programs of facts, if there are enough assumptions for it."""
    count = len(context.module.assertions)
    if count < _FEWEST_FACTS:
        return ()
    return (FactsProcedure(context, most_ms, min(_MOST_OTHERS, count // _FACTS_EACH)),)


def _forced(context: ProgramContext, route: RouteName, most_ms: int) -> Procedures:
    """The one procedure that may answer; none where the route is a solver's."""
    match route:
        case "closure":
            return Procedures((HornProcedure(context, most_ms),))
        case "ground":
            return Procedures((GroundProcedure(context, most_ms),))
        case "search":
            return Procedures((SearchProcedure(context, MOST_STEPS * _FORCED_STEPS),))
        case "eprover":
            found = saturation_procedure(context, most_ms)
            return Procedures() if found is None else Procedures((found,), saturation=found)
        case _:
            return Procedures()


def _verifiable_by_rules(module: Module) -> bool:
    """Whether looking for Horn rules is worth it: in a large program with functions it is not."""
    if len(module.assertions) <= _MOST_LOOKED_AT:
        return True
    return not any(symbol.domain and symbol.range is not BOOL for symbol in module.symbols)
