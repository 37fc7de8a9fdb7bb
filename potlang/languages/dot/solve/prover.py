"""Questions about one theory with assumptions on top: one worker, one total time, nothing asked twice.

When the time is used up, or the work is interrupted, every further answer is unknown, at once.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from potlang.ir.module import Assertion, Claim, Module
from potlang.ir.nodes import Node
from potlang.languages.pot.lower import PLAIN_PASSES
from potlang.passes.pipeline import read_pipeline
from potlang.processes.pool import Workers
from potlang.prove.options import ProverOptions
from potlang.prove.probing import Probe
from potlang.prove.prover import Prover
from potlang.prove.switches import SwitchAnswer, Switches, SwitchQuestion
from potlang.report.results import Interrupted, Limits, Result, Verdict
from potlang.utils.closing import Closing
from potlang.utils.deadline import Deadline

_AT_FIRST, _AT_ONCE = 8, 64
"""Claims between two looks at the clock: at first, and at most."""
_LONG_S = 0.5
"""Fewer claims are asked at once where they take longer than this."""
_WATCHED = 256
"""Formulas that are looked at in a model."""
_POSSIBLE = (Verdict.ENTAILED, Verdict.REFUTED, Verdict.UNDETERMINED, Verdict.INCONSISTENT)


class TheoryProver(Closing):
    """Asks about a theory, a module whose claims play no part. A context manager; for one thread.

    `limits` are those of all questions together.
    """

    def __init__(
        self,
        theory: Module,
        options: ProverOptions = ProverOptions(),
        limits: Limits = Limits(),
        workers: Workers | None = None,
    ) -> None:
        self.theory = theory
        self.pool = theory.pool
        self._options = replace(options, examples=True)
        self._limits = limits
        self._workers = workers
        self._deadline = Deadline(limits.total_ms)
        self._base: Assuming | None = None
        self.gave_up = False
        """Whether a question was left unanswered for want of time."""
        self.interruption: KeyboardInterrupt | None = None
        """The first one."""

    def close(self) -> None:
        """Gives the solver back, if there is one."""
        if self._base is not None:
            self._base.close()
            self._base = None

    def left_ms(self) -> int:
        """Milliseconds left for the whole; 0 when they are used up, and after an interruption."""
        return 0 if self.interruption is not None else self._deadline.left_ms()

    def assuming(self, *assertions: Assertion) -> Assuming:
        """The theory with these on top. It is good until other assumptions are asked for."""
        if self._base is None or self._base.extra != assertions:
            self.close()
            self._base = Assuming(self, assertions)
        return self._base

    def open(self, extra: Sequence[Assertion]) -> Prover:
        """A prover over the theory with more assumptions."""
        module = replace(self.theory, assertions=(*self.theory.assertions, *extra))
        lowered = read_pipeline(PLAIN_PASSES).run(module)
        return Prover(lowered, self._options, self._limits, self._workers, module)


class Assuming:
    """The theory with some assumptions on top; a solver starts with the first question."""

    def __init__(self, theory: TheoryProver, extra: tuple[Assertion, ...]) -> None:
        self.extra = extra
        self._theory = theory
        self._prover: Prover | None = None
        self._known: dict[int, Result] = {}

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all is assumed."""
        return not self.extra and not self._theory.theory.assertions

    def may_ask(self) -> bool:
        """Whether a question that is open can be asked; if not, that is noted as `TheoryProver.gave_up`."""
        left = self._theory.left_ms()
        self._theory.gave_up |= not left
        return bool(left)

    def close(self) -> None:
        """Gives the solver back."""
        if self._prover is not None:
            self._prover.close()
            self._prover = None

    def _ready(self) -> Prover:
        if self._prover is None:
            self._prover = self._theory.open(self.extra)
        return self._prover

    def results(self, claims: Iterable[tuple[str, Node]], *, examples: bool = False) -> list[Result]:
        """The verdict on each named formula, with its evidence, in order.

        With `examples` a settled one has a model of its satisfiable side, if there is one.
        """
        named = list(claims)
        new = {formula.id: (name, formula) for name, formula in reversed(named)}
        todo = [pair for id_, pair in reversed(new.items()) if id_ not in self._known]
        start, count = 0, _AT_FIRST
        while start < len(todo) and self._theory.left_ms():
            some = todo[start : start + count]
            asked = [Claim(f"q{start + i}", name, formula) for i, (name, formula) in enumerate(some)]
            began = time.monotonic()
            found = self._verified(asked)
            for claim, result in zip(asked, found, strict=self._theory.interruption is None):
                self._known[claim.formula.id] = result
            start += count
            is_slow = time.monotonic() - began > _LONG_S
            count = max(1, count // 2) if is_slow else min(_AT_ONCE, 2 * count)
        return [self._named(name, formula, examples) for name, formula in named]

    def _verified(self, asked: Sequence[Claim]) -> Sequence[Result]:
        """The results as far as they are known."""
        try:
            return self._ready().verify(asked, [], within_ms=self._theory.left_ms())
        except KeyboardInterrupt as error:
            self._theory.interruption = error
            return error.known if isinstance(error, Interrupted) else ()

    def _named(self, name: str, formula: Node, examples: bool) -> Result:
        result = self._known.get(formula.id)
        if result is None or result.verdict is Verdict.UNKNOWN:
            self._theory.gave_up |= not self._theory.left_ms()
        if result is None:
            reason = "timeout" if self._theory.interruption is None else "interrupted"
            return Result(name, "", Verdict.UNKNOWN, reason=reason, possible=_POSSIBLE)
        if not examples and result.verdict is not Verdict.UNDETERMINED:
            result = result._replace(
                evidence=result.evidence._replace(could_be_true=None, could_be_false=None)
            )
        return result._replace(name=name)

    def probe(self, formula: Node, watched: Sequence[Node] = ()) -> Probe:
        """Whether a formula can be true, and what of `watched` is true where it is."""
        if not self._theory.left_ms():
            self._theory.gave_up = True
            return Probe("unknown", {}, "timeout")
        try:
            found = self._ready().probe(formula, watched, within_ms=self._theory.left_ms())
        except KeyboardInterrupt as error:
            self._theory.interruption = error
            return Probe("unknown", {}, "interrupted")
        self._theory.gave_up |= found.status == "unknown" and not self._theory.left_ms()
        return found

    def switches(self, formulas: Sequence[Node]) -> Switches:
        """Formulas that `ask_switches` asks about."""
        return self._ready().switches(formulas)

    def ask_switches(
        self,
        switches: Switches,
        questions: Sequence[SwitchQuestion],
        given: Sequence[int] = (),
        *,
        watching: bool = True,
    ) -> list[SwitchAnswer]:
        """The answers of `Switches.ask`: what takes the solver long is unknown, and may be probed."""
        left = self._theory.left_ms()
        if left:
            try:
                return self._ready().ask_switches(
                    switches, questions, given, watching=watching, within_ms=left
                )
            except KeyboardInterrupt as error:
                self._theory.interruption = error
        return [SwitchAnswer("unknown")] * len(questions)

    def follow(self, formulas: Iterable[Node]) -> Mapping[int, bool]:
        """Which formulas follow, by node id; those that could not be settled are missing.

        A model in which one of them fails is looked at for the others.
        """
        found: dict[int, bool] = {}
        waiting = {formula.id: formula for formula in formulas}
        negate = self._theory.pool.negate
        while waiting and self._theory.left_ms():
            formula = waiting.pop(next(iter(waiting)))
            answer = self.probe(negate(formula), list(islice(waiting.values(), _WATCHED)))
            if answer.status != "unknown":
                found[formula.id] = answer.status == "unsat"
            for id_, truth in answer.truths.items():
                if not truth:
                    del waiting[id_]
                    found[id_] = False
        self._theory.gave_up |= bool(waiting)
        return found
