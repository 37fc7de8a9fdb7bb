"""Questions about one theory with assumptions on top: one worker, one total time, nothing asked twice.

When the time is used up every further answer is unknown, at once.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple

from potlang.ir.module import Assertion, Claim, Module
from potlang.ir.nodes import Node
from potlang.languages.pot.lower import DEFAULT_PASSES
from potlang.processes.pool import Workers, default_workers
from potlang.prove.options import Options, RouteName, Trust
from potlang.report.results import Limits, Result, Verdict

if TYPE_CHECKING:
    from potlang.prove.probing import Probe
    from potlang.prove.session import Session

_AT_FIRST, _AT_ONCE = 8, 64
"""Claims between two looks at the clock: at first, and at most."""
_LONG_S = 0.5
"""Fewer claims are asked at once where they take longer than this."""
_WATCHED = 256
"""Formulas that are looked at in a model."""
_POSSIBLE = (Verdict.ENTAILED, Verdict.REFUTED, Verdict.UNDETERMINED, Verdict.INCONSISTENT)


class Settings(NamedTuple):
    """With what the questions are asked; as `potlang.verify` takes them."""

    route: RouteName = "auto"
    trust: Trust = "best"
    limits: Limits = Limits()
    workers: Workers | None = None


class Prover:
    """Asks about a theory, a module whose claims play no part. A context manager; for one thread."""

    def __init__(self, theory: Module, settings: Settings) -> None:
        """Raises `potlang.api.OptionError` for an option that means nothing."""
        self.theory = theory
        self.pool = theory.pool
        self._settings = settings
        self._options = Options(settings.route, settings.trust, examples=True).checked()
        self._end = time.monotonic() + settings.limits.total_ms / 1000
        self._base: Base | None = None
        self.gave_up = False
        """Whether a question was left unanswered for want of time."""

    def __enter__(self) -> Prover:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _close(self) -> None:
        if self._base is not None:
            self._base.close()
            self._base = None

    def left_ms(self) -> int:
        """Milliseconds left for the whole; 0 when they are used up."""
        return max(0, int((self._end - time.monotonic()) * 1000))

    def assuming(self, *assertions: Assertion) -> Base:
        """The theory with these on top. It is good until other assumptions are asked for."""
        if self._base is None or self._base.extra != assertions:
            self._close()
            self._base = Base(self, assertions)
        return self._base

    def open(self, extra: Sequence[Assertion]) -> Session:
        """A session over the theory with more assumptions."""
        from dataclasses import replace

        from potlang.passes.pipeline import read_pipeline
        from potlang.prove.session import Session

        module = replace(self.theory, assertions=(*self.theory.assertions, *extra))
        lowered = read_pipeline(DEFAULT_PASSES).run(module)
        workers = self._settings.workers or default_workers()
        return Session(lowered, workers, self._options, self.limits(), module)

    def limits(self) -> Limits:
        """The limits of a call that begins now."""
        return self._settings.limits._replace(total_ms=max(1, self.left_ms()))


class Base:
    """The theory with some assumptions on top; a solver starts with the first question."""

    def __init__(self, prover: Prover, extra: tuple[Assertion, ...]) -> None:
        self.extra = extra
        self._prover = prover
        self._session: Session | None = None
        self._known: dict[int, Result] = {}

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all is assumed."""
        return not self.extra and not self._prover.theory.assertions

    def close(self) -> None:
        """Gives the solver back."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def _ready(self) -> Session:
        if self._session is None:
            self._session = self._prover.open(self.extra)
        self._session.limits = self._prover.limits()
        return self._session

    def results(self, claims: Iterable[tuple[str, Node]], *, examples: bool = False) -> list[Result]:
        """The verdict on each named formula, with its evidence, in order.

        With `examples` a settled one has a model of its satisfiable side, if there is one.
        """
        named = list(claims)
        new = {formula.id: (name, formula) for name, formula in reversed(named)}
        todo = [pair for id_, pair in reversed(new.items()) if id_ not in self._known]
        start, count = 0, _AT_FIRST
        while start < len(todo) and self._prover.left_ms():
            some = todo[start : start + count]
            asked = [Claim(f"q{start + i}", name, formula) for i, (name, formula) in enumerate(some)]
            began = time.monotonic()
            for claim, result in zip(asked, self._ready().verify(asked, []), strict=True):
                self._known[claim.formula.id] = result
            start += count
            is_slow = time.monotonic() - began > _LONG_S
            count = max(1, count // 2) if is_slow else min(_AT_ONCE, 2 * count)
        return [self._named(name, formula, examples) for name, formula in named]

    def _named(self, name: str, formula: Node, examples: bool) -> Result:
        result = self._known.get(formula.id)
        if result is None or result.verdict is Verdict.UNKNOWN:
            self._prover.gave_up |= not self._prover.left_ms()
        if result is None:
            return Result(name, "", Verdict.UNKNOWN, reason="timeout", possible=_POSSIBLE)
        if not examples and result.verdict is not Verdict.UNDETERMINED:
            result = result._replace(
                evidence=result.evidence._replace(could_be_true=None, could_be_false=None)
            )
        return result._replace(name=name)

    def probe(self, formula: Node, watched: Sequence[Node] = ()) -> Probe:
        """Whether a formula can be true, and what of `watched` is true where it is."""
        from potlang.prove.probing import Probe

        if not self._prover.left_ms():
            self._prover.gave_up = True
            return Probe("unknown", {}, "timeout")
        found = self._ready().probe(formula, watched)
        self._prover.gave_up |= found.status == "unknown" and not self._prover.left_ms()
        return found

    def follow(self, formulas: Iterable[Node]) -> Mapping[int, bool]:
        """Which formulas follow, by node id; those that could not be settled are missing.

        A model in which one of them fails is looked at for the others.
        """
        found: dict[int, bool] = {}
        waiting = {formula.id: formula for formula in formulas}
        negate = self._prover.pool.negate
        while waiting and self._prover.left_ms():
            formula = waiting.pop(next(iter(waiting)))
            answer = self.probe(negate(formula), list(islice(waiting.values(), _WATCHED)))
            if answer.status != "unknown":
                found[formula.id] = answer.status == "unsat"
            for id_, truth in answer.truths.items():
                if not truth:
                    del waiting[id_]
                    found[id_] = False
        self._prover.gave_up |= bool(waiting)
        return found
