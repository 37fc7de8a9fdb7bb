"""Whether a claim is worth a reward: about its program, decided by what that assumes, and not assumed itself.

The rules are [GEN-REWARD-CLAIM] and [GEN-REWARD-BEGGED].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import cached_property
from itertools import islice
from typing import Final

from potlang.ir.module import COMPLETION, Assertion, AssertionKind, Claim, Module
from potlang.ir.nodes import Node, Symbol, symbols_in
from potlang.linter.linted import conjuncts
from potlang.linter.questions import OutOfBudget, Questions
from potlang.report.results import Verdict
from potlang.utils.closing import Closing
from potlang.utils.deadline import OutOfFuel

_MOST_COMPARED: Final = 8
"""Premises that a solver is asked about, whether they say the same as the claim."""
_OWN: Final = (AssertionKind.FACT, AssertionKind.RULE)


class Worth(IntEnum):
    """The worth of a claim's verdict."""

    NOTHING = 0
    """It has nothing to do with the program, or no verdict is had from what that assumes."""
    BEGGED = 1
    """The claim is itself assumed, word for word or equivalently."""
    WHOLE = 2


class ClaimJudge(Closing):
    """Judges claims of one program. What a solver does not decide in time counts for the claim."""

    def __init__(self, module: Module, budget_ms: int) -> None:
        self._module = module
        self._budget_ms = budget_ms
        self._opened: Questions | None = None
        own = [each for each in module.assertions if _is_own(each)]
        # Unique names, closed domains and packs are conventions: a question states facts and rules besides.
        self._frame = [each.formula for each in module.assertions if not _is_own(each)]
        self._own = [each.formula for each in own]
        self._stated = [each.formula for each in own if each.kind in _OWN]
        self._bodies = {each.symbol: each.body for each in module.definitions}

    def close(self) -> None:
        """Gives the solver back, if there is one."""
        if self._opened is not None:
            self._opened.close()

    def worth(self, claim: Claim, verdict: Verdict, *, by_others: bool = False) -> Worth:
        """The worth of a verdict on a claim. A claim `by_others` need not be about the program."""
        formula = (
            self._module.pool.quant("exists", claim.find, claim.formula) if claim.find else claim.formula
        )
        symbols = self._mentioned(formula)
        if by_others and not symbols:
            return Worth.WHOLE
        if not symbols & self._declared or not any(symbols & self._mentioned(each) for each in self._stated):
            return Worth.NOTHING
        try:
            return self._decided(formula, verdict)
        except (OutOfBudget, OutOfFuel):
            return Worth.WHOLE

    def _decided(self, formula: Node, verdict: Verdict) -> Worth:
        if verdict is Verdict.INCONSISTENT:
            if self._impossible():
                return Worth.NOTHING
            return Worth.BEGGED if self._states_contradiction() else Worth.WHOLE
        if verdict not in (Verdict.ENTAILED, Verdict.REFUTED):
            return Worth.WHOLE
        shown = formula if verdict is Verdict.ENTAILED else self._module.pool.negate(formula)
        if self._impossible(self._module.pool.negate(shown)):
            return Worth.NOTHING
        return Worth.BEGGED if self._states(shown) else Worth.WHOLE

    def _states(self, shown: Node) -> bool:
        """Whether a premise, or a part of one, says the same."""
        parts = list(self._parts())
        if any(each is shown for each in parts):
            return True
        symbols, negate = set(symbols_in(shown)), self._module.pool.negate
        alike = (each for each in parts if set(symbols_in(each)) == symbols)
        return any(
            self._impossible(each, negate(shown)) and self._impossible(shown, negate(each))
            for each in islice(alike, _MOST_COMPARED)
        )

    def _states_contradiction(self) -> bool:
        """Whether one premise contradicts itself, or another one denies it."""
        stated = set(self._parts())
        if any(self._module.pool.negate(each) in stated for each in stated):
            return True
        return any(self._impossible(each) for each in islice(self._own, _MOST_COMPARED))

    def _parts(self) -> Iterator[Node]:
        return (part for each in self._own for part in conjuncts(each))

    def _impossible(self, *formulas: Node) -> bool:
        """Whether formulas surely have no model, with nothing but conventions assumed."""
        if self._opened is None:
            self._opened = Questions(self._module, self._budget_ms)
        return self._opened.impossible(*self._frame, *formulas)

    @cached_property
    def _declared(self) -> set[Symbol]:
        return set(self._module.symbols) | self._bodies.keys()

    def _mentioned(self, formula: Node) -> set[Symbol]:
        """The symbols of a formula, and of the definitions that it uses."""
        return set(_with_bodies([formula], self._bodies))


def _is_own(assertion: Assertion) -> bool:
    """Whether an assumption is the program's own; what closes a predicate is made of its facts and rules."""
    return assertion.kind in _OWN or assertion.key.startswith(COMPLETION)


def _with_bodies(formulas: Iterable[Node], bodies: dict[Symbol, Node]) -> Iterator[Symbol]:
    seen: set[Symbol] = set()
    waiting = list(formulas)
    while waiting:
        for symbol in symbols_in(waiting.pop()):
            if symbol not in seen:
                seen.add(symbol)
                yield symbol
                if symbol in bodies:
                    waiting.append(bodies[symbol])
