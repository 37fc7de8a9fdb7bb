"""The prover: one typed program against its solvers. Verdicts with evidence, the optimum, the whole result.

A prover compiles the program's assumptions to text once. Claims and further assumptions may be added; each
call has the limits anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from importlib import import_module
from itertools import count
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from potlang.engines.check import ASSUMPTIONS
from potlang.engines.commands import solver_command
from potlang.engines.context import ProgramContext
from potlang.engines.encoding import AssertionNames
from potlang.engines.kernel_reading import KernelReading
from potlang.ir.module import Assertion, Claim, Module, Optimization
from potlang.ir.nodes import Node
from potlang.passes.sent import SentForm
from potlang.processes.pool import Workers, default_workers
from potlang.prove.claim_results import ClaimResults
from potlang.prove.core_search import CoreSearch
from potlang.prove.cross_check import CrossChecker, Proof
from potlang.prove.dispatcher import Allowance, Dispatcher
from potlang.prove.evidence import core_items
from potlang.prove.options import ProverOptions, solvers_of
from potlang.prove.procedures import Procedures, procedures_of
from potlang.prove.solvers import Solvers
from potlang.prove.terms import TermCollector
from potlang.prove.verdicts import ClaimState, Verifier
from potlang.report.results import (
    Consistency,
    Evidence,
    Interrupted,
    Limits,
    OptimizationResult,
    OptimizationStatus,
    ProgramResult,
    Result,
    Verdict,
    overall,
)
from potlang.utils.deadline import OutOfFuel, look, within

if TYPE_CHECKING:
    from potlang.ir.structure import Structure
    from potlang.prove.cross_check import ProofObligation
    from potlang.prove.objective import Piece, ProgramModels
    from potlang.prove.optimum_proof import OptimumProof
    from potlang.prove.probing import Probe
    from potlang.prove.switches import SwitchAnswer, Switches, SwitchQuestion

Made = TypeVar("Made")

_MOST_TRACKED = 2_000
"""Solvers take up to four times as long for a larger base whose assumptions they track for cores."""
_FEWEST_NODES = 500_000
_NODES_EACH = 4
"""A call may make so many nodes for each node of the program, and at least the fewest ([LIMIT-NODES])."""


class Prover:
    """Verdicts over one module. Not safe for use by several threads at once; a context manager."""

    def __init__(
        self,
        module: Module,
        options: ProverOptions = ProverOptions(),
        limits: Limits = Limits(),
        workers: Workers | None = None,
        original: Module | None = None,
    ) -> None:
        """`module` is solved; `original` is the program as compiled, where passes have changed it."""
        self.module = module
        self.original = original or module
        self.options = options
        self.limits = limits
        self._optimum: OptimizationResult | None = None
        self._families: dict[int, Structure] = {}
        self._workers = workers or default_workers()
        self._labels = AssertionNames(module, SentForm(options.sent))
        self._solvers = Solvers(module, self._labels, self._workers, limits, options.route)
        self._tracked = len(module.assertions) <= _MOST_TRACKED
        self._reading = KernelReading(self.original)
        self._procedures, self._dispatcher = self._dispatching()
        self._verifier = Verifier(
            self._dispatcher,
            TermCollector(module),
            tracked=self._tracked,
            full_models=options.models == "full",
            whole_models=options.cross_checking,
            together=not options.minimizing,
        )
        self._cores = CoreSearch(
            module,
            self._dispatcher,
            self._labels,
            partial(self._solvers.session, options.engines[0]),
            self._procedures.direct,
            every_core=options.cores == "all",
        )
        self._results = ClaimResults(
            module, self.original, options, self._labels, self._verifier, self._cores, self._checker_maker()
        )
        self._stack: list[tuple[Assertion, ...]] = []
        self._cut_short = False
        self._use_idle_time()

    def _dispatching(self) -> tuple[Procedures, Dispatcher]:
        route, limits = self.options.route, self.limits
        solvers = [self._solvers.session(name) for name in self.options.engines]
        context = ProgramContext(
            self.original,
            self.module,
            self._labels,
            solvers[0].encoding,
            self._workers,
            self._reading,
            limits.memory_mb,
        )
        found = procedures_of(context, route, limits)
        reserve = self._solvers.reserve if route == "auto" else None
        made = Dispatcher(solvers, Allowance.of(limits), reserve, found.first, found.fallbacks, found.racers)
        if not solvers_of(route):
            absent = route == "eprover" and found.saturation is None
            made.disabled = (route, "eprover is not on PATH" if absent else f"{route} does not decide this")
        return found, made

    def _checker_maker(self) -> Callable[[], CrossChecker]:
        # Not a method that is bound: the prover and its results would keep each other alive.
        parts = (
            self.original,
            self.module,
            self._labels,
            self._solvers.second,
            self._workers,
            self._reading,
            self._procedures.saturation,
        )

        def make() -> CrossChecker:
            return CrossChecker(*parts)

        return make

    def _use_idle_time(self) -> None:
        """Give the first solver's session something to do for us while its worker starts or reads."""
        first = self._dispatcher.solvers[0]
        if not self._tracked:
            self._dispatcher.find_core = self._cores.find
            self._workers.warm(solver_command(first.name), 2)
            first.on_idle = self._cores.prepare
        elif self.options.cross_checking:
            first.on_idle = _import_cross_checks

    def __enter__(self) -> Prover:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the solvers back."""
        self._dispatcher.close()
        self._procedures.close()
        self._cores.close()
        self._results.close()

    # --- assumptions on top ---

    def push(self, assertions: Iterable[Assertion]) -> None:
        """Assume more, until `pop`. Keys must be new to the module."""
        self._stack.append(self._verifier.extra)
        self._assume((*self._verifier.extra, *assertions))

    def pop(self) -> None:
        """Undo the last `push`. Raises IndexError if there is none."""
        self._assume(self._stack.pop())

    def _assume(self, extra: tuple[Assertion, ...]) -> None:
        self._verifier.assume(extra)
        self._cores.assume(extra)
        self._results.forget()

    # --- asking ---

    @contextmanager
    def _call(self, within_ms: int | None = None, doubting_ms: int = 0) -> Iterator[None]:
        """One call and its limits, from the start; the scope is by `doubting_ms` wider than the allowance."""
        total_ms = self.limits.total_ms if within_ms is None else min(max(1, within_ms), self.limits.total_ms)
        with within(total_ms + doubting_ms, max(_FEWEST_NODES, _NODES_EACH * len(self.module.pool))):
            self._begin(total_ms)
            yield

    def _begin(self, total_ms: int) -> None:
        self._results.proofs.clear()
        self._cores.forget_claims()
        self._results.forget()
        self._dispatcher.allowance = Allowance.of(self.limits._replace(total_ms=total_ms))
        self._open_base()

    def _open_base(self) -> None:
        named = self._tracked or self.module.optimization is not None
        self._dispatcher.start(lambda encoding: encoding.base(named=named))

    def verify(
        self,
        claims: Sequence[Claim] | None = None,
        norms: Sequence[Claim] | None = None,
        *,
        assuming: Sequence[Assertion] | None = None,
        within_ms: int | None = None,
        doubting: Container[Verdict] = frozenset(Verdict),
        doubting_ms: int = 0,
    ) -> tuple[Result, ...]:
        """Results for these claims and norms, in order; for the module's own where none are given.

        They are taken under the assumptions and `assuming`. The call takes no more than `within_ms`, if
        that is less than the limits allow. Where answers are checked by others, those of which the verdict
        is in `doubting` are, for which there are `doubting_ms` more. Raises Interrupted with such results
        where it is interrupted.
        """
        if assuming is not None:
            self.push(assuming)
        try:
            with self._call(within_ms, doubting_ms):
                return self._verify(claims, norms, doubting, doubting_ms)
        finally:
            if assuming is not None:
                self.pop()

    def _verify(
        self,
        claims: Sequence[Claim] | None,
        norms: Sequence[Claim] | None,
        doubting: Container[Verdict] = frozenset(Verdict),
        doubting_ms: int = 0,
    ) -> tuple[Result, ...]:
        own = claims is None and norms is None
        asked = self.module.claims if own else self._told_apart(claims or ())
        watched = self.module.norms if own else self._told_apart(norms or ())
        states = self._verifier.opened(self._tagged(asked, watched))
        results: list[Result] = []
        try:
            self._verifier.verify(states)
            for state in states:
                results.append(self._result(state))
            if doubting_ms:
                self._dispatcher.allowance = self._dispatcher.allowance.longer(doubting_ms)
            # What was found is not lost by what only strengthens it: without time for that, it is as it was.
            for each in self._results.steps(doubting):
                for at, state in enumerate(states):
                    results[at] = self._within_limits(partial(each, state, results[at]), results[at])
        except KeyboardInterrupt as error:
            left = [self._results.so_far(state) for state in states[len(results) :]]
            raise Interrupted((*results, *left)) from error
        return tuple(results)

    def _told_apart(self, claims: Sequence[Claim]) -> list[Claim]:
        """The claims, the program's own as they are, each other one with a key that nothing else has.

        Proofs and their checkers know claims by their keys, and callers count from the beginning each time.
        """
        return [
            claim if claim in self._own_claims else claim._replace(key=next(self._new_keys))
            for claim in claims
        ]

    @cached_property
    def _own_claims(self) -> frozenset[Claim]:
        modules = (self.module, self.original)
        return frozenset(claim for each in modules for claim in (*each.claims, *each.norms))

    @cached_property
    def _new_keys(self) -> Iterator[str]:
        taken = {each.key for each in self._own_claims}
        return (key for number in count(1) if (key := f"asked {number}") not in taken)

    def _tagged(self, claims: Sequence[Claim], norms: Sequence[Claim]) -> list[tuple[Claim, str]]:
        return [*((claim, "verification") for claim in claims), *((norm, "norm") for norm in norms)]

    def _within_limits(self, make: Callable[[], Made], otherwise: Made) -> Made:
        """The result of `make`; `otherwise` where the limits of the call end it."""
        try:
            look()
            return make()
        except OutOfFuel:
            self._cut_short = True
            return otherwise

    @property
    def was_cut_short(self) -> bool:
        """Whether limits ended something in its midst: the prover may hold half-made things."""
        return self._cut_short or self._verifier.cut_short or bool(self._dispatcher.cut_short)

    def optimize(self) -> OptimizationResult | None:
        """The optimum of the module's optimization section, if there is one."""
        with self._call():
            return self._optimized()

    def _optimized(self) -> OptimizationResult | None:
        problem = self.module.optimization
        if problem is None:
            return None
        pointer = problem.origin.pointer
        lost = OptimizationResult(OptimizationStatus.UNKNOWN, problem.mode, reason="timeout", pointer=pointer)
        return self._within_limits(partial(self._optimize, problem), lost)

    def _optimize(self, problem: Optimization) -> OptimizationResult:
        began = time.perf_counter()
        from potlang.prove.optimize import OptimizerMeans, optimize

        means = OptimizerMeans(
            self.original,
            self._workers,
            partial(self._solvers.session, self.options.engines[0]),
            self._shrink if self.options.minimizing else None,
            self._assured if self.options.cross_checking else None,
        )
        found, self._families = optimize(self._verifier, problem, means, what_if=self.options.what_if)
        # Making a core minimal may have taken the base away from the solvers.
        self._open_base()
        return found._replace(time_ms=(time.perf_counter() - began) * 1000)

    def _assured(self, models: ProgramModels, piece: Piece) -> ProofObligation | None:
        from potlang.prove.optimum_check import assured

        return assured(self._results.cross_checker(), models, piece)

    def _shrink(self, names: tuple[str, ...], beyond: tuple[Assertion, ...]) -> tuple[str, ...]:
        return self._cores.minimal(names, ASSUMPTIONS, beyond=beyond).names

    def probe(self, formula: Node, watched: Sequence[Node] = (), *, within_ms: int | None = None) -> Probe:
        """Whether assumptions and a closed formula have a model, and what of `watched` is true in it.

        One check on one solver's word, for questions that are many and need no evidence.
        """
        from potlang.prove.probing import Probe, probe

        with self._call(within_ms):
            asked = partial(probe, self._verifier, self.original, formula, watched)
            return self._within_limits(asked, Probe("unknown", {}, "timeout"))

    def switches(self, formulas: Sequence[Node]) -> Switches:
        """Closed formulas that `ask_switches` asks about, under the assumptions as they are now."""
        from potlang.prove.switches import Switches

        with self._call():
            return Switches(self._verifier, formulas)

    def ask_switches(
        self,
        switches: Switches,
        questions: Sequence[SwitchQuestion],
        given: Sequence[int] = (),
        *,
        watching: bool = True,
        within_ms: int | None = None,
    ) -> list[SwitchAnswer]:
        """The first solver's word on each question, as `Switches.ask`."""
        from potlang.prove.switches import SwitchAnswer

        with self._call(within_ms):
            unknown = [SwitchAnswer("unknown")] * len(questions)
            asked = partial(switches.ask, questions, given, watching=watching)
            return self._within_limits(asked, unknown)

    def consistency(self) -> Consistency:
        """Whether the assumptions have a model."""
        with self._call():
            self._within_limits(self._verifier.check_assumptions, None)
        return self._verifier.consistency or Consistency.UNKNOWN

    def report(self) -> ProgramResult:
        """All that the program's actions ask for ([VERDICT-ACTIONS]).

        Raises Interrupted with what is known where it is interrupted.
        """
        with self._call():
            return self._reported()

    def _reported(self) -> ProgramResult:
        began = time.perf_counter()
        actions = self.module.actions
        results: tuple[Result, ...] = ()
        optimization = evidence = None
        interruption: KeyboardInterrupt | None = None
        try:
            optimization = self._optimum = self._optimized() if "optimize" in actions else None
            results = self._verify(None, None) if "verify" in actions else ()
            if "verify" in actions and not results and optimization is None:
                self._within_limits(self._verifier.check_assumptions, None)
            if not results and self._verifier.consistency is Consistency.INCONSISTENT:
                evidence = self._within_limits(self._of_inconsistency, Evidence())
        except KeyboardInterrupt as error:
            interruption = error
            results = error.known if isinstance(error, Interrupted) else self._not_asked()
            if optimization is None and "optimize" in actions and self.module.optimization is not None:
                optimization = OptimizationResult(OptimizationStatus.UNKNOWN, reason="interrupted")
        consistency = self._verifier.consistency
        if self.was_cut_short and not results and optimization is None and consistency is None:
            consistency = Consistency.UNKNOWN
        found = ProgramResult(
            overall(results, optimization, consistency),
            results,
            optimization,
            consistency,
            evidence,
            notes=() if results or optimization is not None else ("the program asks nothing",),
            limits=self.limits,
            time_ms=(time.perf_counter() - began) * 1000,
        )
        if interruption is not None:
            raise Interrupted(found) from interruption
        return found

    def _not_asked(self) -> tuple[Result, ...]:
        """Results for the module's own claims and norms before any of them is looked at."""
        if "verify" not in self.module.actions:
            return ()
        states = self._verifier.opened(self._tagged(self.module.claims, self.module.norms))
        return tuple(self._results.so_far(state) for state in states)

    def _of_inconsistency(self) -> Evidence:
        found = self._verifier.assumptions
        if found is None or found.core is None:
            return Evidence()
        if not self.options.minimizing:
            return Evidence(core=core_items(found.core, self._labels))
        core = self._cores.minimal(found.core, ASSUMPTIONS)
        return self._cores.into(Evidence(), core, ASSUMPTIONS)

    def certificate(self) -> str:
        """The evidence of the last `report`, as a text that `potlang.certify` checks ([CERT-FORM]).

        What it has of the optimum and of the assumptions alone is proved for it, in the time that the report
        has left.
        """
        from potlang.prove.certificate import write_certificate
        from potlang.prove.optimum_proof import prove_assumptions, prove_optimum

        actions, module = self.original.actions, self.original
        proofs = {proof.key: proof for proof in self._results.proofs}
        optimum: list[OptimumProof] = []
        if self._optimum is not None:
            optimum = prove_optimum(module, self._optimum, self._families, self._proof_in)
        asked = [each.key for each in (*module.claims, *module.norms)] if "verify" in actions else []
        if not asked and not optimum:
            asked = ["assumptions"]
            proofs["assumptions"] = prove_assumptions(module, self._proof_in)
        found = [proofs.get(key, Proof(key, Verdict.UNKNOWN, ())) for key in asked]
        return write_certificate(module, found, optimum)

    def _proof_in(self, module: Module) -> Proof:
        """The proof of another module's only claim."""
        left = self.limits._replace(total_ms=int(self._dispatcher.allowance.deadline.left_ms()))
        with Prover(module, self.options, left, self._workers) as prover:
            prover.verify()
            unknown = Proof(module.claims[0].key, Verdict.UNKNOWN, ())
            return next(iter(prover._results.proofs), unknown)

    # --- evidence ---

    def _result(self, state: ClaimState) -> Result:
        began = time.perf_counter()
        evidence = self._within_limits(partial(self._results.evidence, state), self._results.found(state))
        spent = (time.perf_counter() - began) * 1000
        return self._results.result(state, evidence)._replace(time_ms=state.time_ms + spent)


def _import_cross_checks() -> None:
    """Load what checks answers, which takes about as long as a solver takes to start."""
    for name in ("potlang.prove.cross_check", "potlang.engines.ground.grounding"):
        import_module(name)
