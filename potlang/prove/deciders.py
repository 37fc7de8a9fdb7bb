"""The routes without a solver: the closure, asked before any solver, and grounding ([ROUTE-NAMES])."""

from __future__ import annotations

import functools
import json
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from potlang.ir.module import Assertion, Claim, Module
from potlang.ir.nodes import Node
from potlang.prove.asking import Reply
from potlang.prove.encoding import Encoding, Labels
from potlang.report.results import Check
from potlang.utils.deadline import Deadline

if TYPE_CHECKING:
    from potlang.certify import Theory
    from potlang.engines.ground.grounding import Grounder
    from potlang.engines.horn.solver import HornAnswer, HornSolver, SideName
    from potlang.processes.pool import Workers
    from potlang.prove.verdicts import Ask

CLOSURE_MS = 2_000
"""How long the closure of a program may take under the router; forced, it has the time of a check."""
GROUND_MS = 500
"""The same for grounding, where a solver has given up on a check."""
_REMEMBERED = 64


class Decider(Protocol):
    """Answers checks, or not at all."""

    name: str

    def ask(self, ask: Ask, extra: tuple[Assertion, ...]) -> Reply | None:
        """The answer under the module's assumptions and `extra`; None where it has none."""

    def ask_subset(self, assumed: Sequence[Assertion], ask: Ask) -> Reply | None:
        """The same under these assumptions alone."""


class ClosureDecider:
    """What the least model decides (`55-closure.md`). Models and refutations are made when asked for.

    `exact_only`: nothing is tried where the closure could conclude no more than what follows.
    """

    name = "closure"

    def __init__(
        self,
        module: Module,
        lowered: Module,
        labels: Labels,
        encoding: Encoding,
        most_ms: int,
        *,
        exact_only: bool = False,
    ) -> None:
        self._module = module
        self._exact_only = exact_only
        self._lowered = lowered
        self._labels = labels
        self._encoding = encoding
        self._most_ms = most_ms
        self._extra: tuple[Assertion, ...] | None = None
        self._closure: HornSolver | None = None
        self._closed: dict[int, tuple[Node, HornAnswer]] = {}

    def ask(self, ask: Ask, extra: tuple[Assertion, ...]) -> Reply | None:
        """As `Decider.ask`. Nothing is concluded again and again: the closure is made once."""
        if self._extra is not extra:
            self._closure = self._recognised(self._module, extra, large=True)
            self._extra = extra
            self._closed.clear()
        return self._answer(self._closure, ask, (*self._lowered.assertions, *extra), self._closed)

    def ask_subset(self, assumed: Sequence[Assertion], ask: Ask) -> Reply | None:
        """As `Decider.ask_subset`; small ones are meant."""
        few = replace(self._module, assertions=tuple(assumed))
        return self._answer(self._recognised(few, (), large=False), ask, tuple(assumed), {})

    def _recognised(self, module: Module, extra: Sequence[Assertion], *, large: bool) -> HornSolver | None:
        from potlang.engines.horn.recognition import recognise, recognise_exact

        horn = (recognise_exact if self._exact_only else recognise)(module, extra)
        if horn is None:
            return None
        from potlang.engines.horn.datalog import available, engine
        from potlang.engines.horn.solver import HornSolver

        return HornSolver(horn, large=engine if large and available() else None)

    def _answer(
        self,
        closure: HornSolver | None,
        ask: Ask,
        assumed: Sequence[Assertion],
        known: dict[int, tuple[Node, HornAnswer]],
    ) -> Reply | None:
        if closure is None:
            return None
        began = time.perf_counter()
        expired = Deadline(self._most_ms).passed
        side = _side(ask)
        if ask.formula is None:
            found = closure.assumptions(expired)
        else:
            found = getattr(self._decided(closure, ask.formula, known, expired), side)
        if found.status is None:
            return None
        spent = (time.perf_counter() - began) * 1000
        check = Check(ask.name, self.name, found.status, time_ms=spent)
        reply = Reply(found.status, None, (check,), self._encoding, by=self.name)
        if found.status == "sat":
            model = functools.cache(lambda: closure.model(ask.formula, side, Deadline(self._most_ms).passed))
            return reply._replace(structure=model)
        derivation = closure.derivation(ask.formula, side, Deadline(self._most_ms).passed)
        if derivation is None:
            return reply
        keys = frozenset(derivation.keys)
        core = tuple(
            self._labels.name(each)
            for each in (*self._module.assertions, *(self._extra or ()))
            if each.key in keys
        )

        def lines(theory: Theory, side: str, claim: Claim | None) -> tuple[str, ...] | None:
            from potlang.engines.horn.derivation_lines import derivation_lines

            return derivation_lines(closure.horn, derivation, side, claim, theory)

        return reply._replace(core=core, refutation=lines)

    def _decided(
        self,
        closure: HornSolver,
        formula: Node,
        known: dict[int, tuple[Node, HornAnswer]],
        expired: Callable[[], bool],
    ) -> HornAnswer:
        """What is concluded of a claim, whose two sides are asked one after the other."""
        if formula.id not in known:
            if len(known) >= _REMEMBERED:
                known.clear()
            known[formula.id] = formula, closure.decide(formula, expired)
        return known[formula.id][1]


class GroundDecider:
    """What grounding and a SAT solver decide (`56-grounding.md`)."""

    name = "ground"

    def __init__(
        self,
        module: Module,
        lowered: Module,
        labels: Labels,
        encoding: Encoding,
        source: Workers,
        most_ms: int,
        *,
        finite_only: bool = False,
    ) -> None:
        self._module = module
        self._lowered = lowered
        self._labels = labels
        self._encoding = encoding
        self._source = source
        self._most_ms = most_ms
        self._finite_only = finite_only
        self._grounder: Grounder | None = None

    def ask(self, ask: Ask, extra: tuple[Assertion, ...]) -> Reply | None:
        """As `Decider.ask`."""
        return self._answer(ask, (*self._module.assertions, *extra), (*self._lowered.assertions, *extra))

    def ask_subset(self, assumed: Sequence[Assertion], ask: Ask) -> Reply | None:
        """As `Decider.ask_subset`."""
        return self._answer(ask, assumed, assumed)

    def _answer(self, ask: Ask, assumed: Sequence[Assertion], labelled: Sequence[Assertion]) -> Reply | None:
        from potlang.engines.ground.grounding import Grounder, GroundLimits

        if (ask.formula is None) != (ask.claim is None):
            return None
        if self._grounder is None:
            self._grounder = Grounder(self._module, self._source)
        began = time.perf_counter()
        own = len(assumed) <= len(self._module.assertions)
        limits = GroundLimits(timeout_ms=self._most_ms, finite_only=self._finite_only)
        found = self._grounder.decide(assumed, _side(ask), ask.claim, limits, lines=own)
        if found.status == "unknown":
            return None
        spent = (time.perf_counter() - began) * 1000
        check = Check(ask.name, self.name, found.status, time_ms=spent)
        reply = Reply(found.status, None, (check,), self._encoding, by=self.name)
        if found.status == "sat":
            return reply._replace(structure=lambda: found.structure)
        keys = frozenset(_keys(found.lines))
        core = tuple(self._labels.name(each) for each in labelled if each.key in keys or not own)
        return reply._replace(core=core, refutation=lambda theory, side, claim: found.lines or None)


_INSTANCE = re.compile(r'\(instance [0-9]+ ("(?:[^"\\]|\\.)*")')


def _keys(lines: Iterable[str]) -> Iterable[str]:
    """The assertions that a refutation takes instances of."""
    found = (_INSTANCE.match(line) for line in lines)
    return (json.loads(each[1]) for each in found if each is not None)


def _side(ask: Ask) -> SideName:
    if ask.formula is None:
        return "assumptions"
    return "negation" if ask.negated else "claim"
