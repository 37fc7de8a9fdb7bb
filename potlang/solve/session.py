"""One typed program against its solvers: verdicts with evidence, the optimum, the whole report.

A session compiles the program's assumptions to text once. Claims and further assumptions may be
added; each call has the limits anew.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Literal, NamedTuple, Protocol

from potlang.ir.module import Assertion, Claim, Module
from potlang.ir.nodes import Node, Quant
from potlang.report import (
    Consistency,
    CoreItem,
    Evidence,
    Limits,
    OptimizationResult,
    Report,
    Result,
    Verdict,
    overall,
)
from potlang.solve.asking import Asked, Asker, Budget
from potlang.solve.backend import Query, RemoteEngine
from potlang.solve.cores import CheckSubset, Core, minimize
from potlang.solve.decision import Known
from potlang.solve.encoding import Encoding, Labels
from potlang.solve.evidence import core_items, read_model
from potlang.solve.nearby import nearby
from potlang.solve.terms import Namer
from potlang.solve.verdicts import Ask, Finding, Snapshot, Verifier

_MINIMIZE_CHECK_MS = 1_000


class Options(NamedTuple):
    """What to solve with and what to answer.

    `solver` is `z3`, `cvc5` or `both`; `trust="solver"` skips what only strengthens evidence.
    `minimize_cores` None: as `trust` says. `models="full"`: all symbols and not the claim's alone.
    `what_if`: an unbounded optimum is looked at with closed sorts too.
    """

    solver: Literal["z3", "cvc5", "both"] = "z3"
    trust: Literal["best", "solver"] = "best"
    minimize_cores: bool | None = None
    models: Literal["claim", "full"] = "claim"
    what_if: bool = True

    @property
    def minimizing(self) -> bool:
        """Whether cores are made minimal."""
        return self.trust != "solver" if self.minimize_cores is None else self.minimize_cores

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines by name."""
        return ("z3", "cvc5") if self.solver == "both" else (self.solver,)


class EngineSource(Protocol):
    """Gives engines: `potlang.solve.pool.Workers`."""

    def warm(self, engine: str = ..., count: int = ...) -> None:
        """Get ready for one more session of this engine."""

    def session(
        self, engine: str = ..., base: str = ..., *, memory_mb: int | None = ..., rlimit: int | None = ...
    ) -> RemoteEngine:
        """An engine of this name within these limits."""


class Session:
    """Verdicts over one module. Not safe for use by several threads at once; a context manager."""

    def __init__(
        self,
        module: Module,
        source: EngineSource,
        options: Options = Options(),
        limits: Limits = Limits(),
    ) -> None:
        self.module = module
        self.options = options
        self.limits = limits
        labels = Labels(module)
        engines = [
            Asked(
                source.session(name, memory_mb=limits.memory_mb, rlimit=limits.rlimit),
                Encoding(module, name, labels),
            )
            for name in options.engines
        ]
        self._asker = Asker(engines, Budget(limits))
        self._verifier = Verifier(self._asker, Namer(module), full_models=options.models == "full")
        self._verifier.find_core = self._nearby_core
        self._source = source
        if not self._verifier.tracked:
            source.warm(options.engines[0], 2)
        self._side: Asker | None = None
        self._stack: list[tuple[Assertion, ...]] = []
        self._minimized: dict[tuple[object, ...], Core] = {}

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the engines back."""
        for each in (*self._asker.engines, *(self._side.engines if self._side else ())):
            each.engine.close()

    # --- assumptions on top ---

    def push(self, assertions: Iterable[Assertion]) -> None:
        """Assume more, until `pop`. Keys must be new to the module."""
        self._stack.append(self._verifier.extra)
        self._verifier.extra = (*self._verifier.extra, *assertions)
        self._verifier.forget()
        self._minimized.clear()

    def pop(self) -> None:
        """Undo the last `push`. Raises IndexError if there is none."""
        self._verifier.extra = self._stack.pop()
        self._verifier.forget()
        self._minimized.clear()

    # --- asking ---

    def _begin(self) -> None:
        self._asker.budget = Budget(self.limits)
        self._open_base()

    def _open_base(self) -> None:
        named = self._verifier.tracked or self.module.optimization is not None
        self._asker.start(lambda encoding: encoding.base(named=named))

    def verify(
        self, claims: Sequence[Claim] | None = None, norms: Sequence[Claim] | None = None
    ) -> tuple[Result, ...]:
        """Results for these claims and norms, in order; for the module's own where none are given."""
        self._begin()
        return self._verify(claims, norms)

    def _verify(self, claims: Sequence[Claim] | None, norms: Sequence[Claim] | None) -> tuple[Result, ...]:
        own = claims is None and norms is None
        asked = self.module.claims if own else claims or ()
        watched = self.module.norms if own else norms or ()
        tagged = [*((claim, "verification") for claim in asked), *((norm, "norm") for norm in watched)]
        findings = self._verifier.verify(tagged)
        results = [self._result(finding) for finding in findings]
        if self.options.minimizing:
            results = [self._minimal(*pair) for pair in zip(findings, results, strict=True)]
        return tuple(results)

    def optimize(self) -> OptimizationResult | None:
        """The optimum of the module's optimization section, if there is one."""
        self._begin()
        return self._optimize()

    def _optimize(self) -> OptimizationResult | None:
        problem = self.module.optimization
        if problem is None:
            return None
        began = time.perf_counter()
        shrink = self._shrink if self.options.minimizing else None
        from potlang.solve.optimize import optimize

        found = optimize(self._verifier, problem, what_if=self.options.what_if, shrink=shrink)
        self._open_base()
        return found._replace(time_ms=(time.perf_counter() - began) * 1000)

    def _shrink(self, names: tuple[str, ...], beyond: tuple[Assertion, ...]) -> tuple[str, ...]:
        return self._minimize(names, None, negated=False, beyond=beyond).names

    def consistency(self) -> Consistency:
        """Whether the assumptions have a model."""
        self._begin()
        self._verifier.ask_theta()
        return self._verifier.consistency or Consistency.UNKNOWN

    def report(self) -> Report:
        """All that the program's actions ask for ([VERDICT-ACTIONS])."""
        began = time.perf_counter()
        self._begin()
        actions = self.module.actions
        verifying = "verify" in actions
        optimization = self._optimize() if "optimize" in actions else None
        results = self._verify(None, None) if verifying else ()
        if verifying and not results and optimization is None:
            self._verifier.ask_theta()
        consistency = self._verifier.consistency
        core = None
        if not results and consistency is Consistency.INCONSISTENT:
            core = self._theta_core()
        return Report(
            overall(results, optimization, consistency),
            results,
            optimization,
            consistency,
            core,
            notes=() if results or optimization is not None else ("the program asks nothing",),
            limits=self.limits,
            time_ms=(time.perf_counter() - began) * 1000,
        )

    def _theta_core(self) -> tuple[CoreItem, ...] | None:
        theta = self._verifier.theta
        if theta is None or theta.core is None:
            return None
        names = theta.core
        if self.options.minimizing:
            names = self._minimize(names, None, negated=False).names
        return core_items(names, self._verifier.labels)

    # --- evidence ---

    def _result(self, finding: Finding) -> Result:
        began = time.perf_counter()
        evidence = self._evidence(finding)
        spent = (time.perf_counter() - began) * 1000
        unknown = finding.verdict is Verdict.UNKNOWN
        return Result(
            finding.claim.name,
            finding.claim.origin.pointer,
            finding.verdict,
            finding.paper_answer,
            finding.kind,
            finding.reason,
            finding.decision.possible if unknown else (),
            self._asker.route,
            "cross-checked" if finding.cross_checked else "solver",
            evidence,
            tuple(finding.checks),
            finding.time_ms + spent,
        )

    def _evidence(self, finding: Finding) -> Evidence:
        match finding.verdict:
            case Verdict.ENTAILED | Verdict.REFUTED | Verdict.INCONSISTENT:
                core = None if finding.core is None else core_items(finding.core, self._verifier.labels)
                evidence = Evidence(core=core)
            case Verdict.UNDETERMINED:
                evidence = Evidence(
                    could_be_true=self._model(finding, finding.true_model),
                    could_be_false=self._model(finding, finding.false_model),
                )
            case _:
                evidence = Evidence()
        quantified = finding.claim.find or isinstance(finding.claim.formula, Quant)
        if not quantified or finding.verdict in (Verdict.INCONSISTENT, Verdict.UNKNOWN):
            return evidence
        from potlang.solve.bindings import with_bindings

        return with_bindings(self._verifier, finding, evidence)

    def _model(self, finding: Finding, snapshot: Snapshot | None) -> dict[str, str] | None:
        return None if snapshot is None else read_model(snapshot, finding.terms, finding.named)

    # --- minimal cores ---

    def _minimal(self, finding: Finding, result: Result) -> Result:
        """The same result with its core checked again and made minimal."""
        if finding.core is None or finding.verdict is Verdict.UNKNOWN:
            return result
        began = time.perf_counter()
        target = None if finding.verdict is Verdict.INCONSISTENT else finding.formula
        core = self._minimize(finding.core, target, negated=finding.verdict is Verdict.ENTAILED)
        evidence = result.evidence._replace(
            core=core_items(core.names, self._verifier.labels), core_minimal=core.minimal
        )
        spent = (time.perf_counter() - began) * 1000
        return result._replace(evidence=evidence, time_ms=result.time_ms + spent)

    def _minimize(
        self,
        names: tuple[str, ...],
        target: Node | None,
        *,
        negated: bool,
        beyond: tuple[Assertion, ...] = (),
    ) -> Core:
        """The core made minimal, in a session over the declarations alone."""
        key = (names, target, negated)
        if key not in self._minimized:
            labels = self._verifier.labels
            self._asker.start(lambda encoding: encoding.bare().declarations())
            every = tuple(labels.name(each) for each in (*self._assumed, *beyond))
            wanted = frozenset(names)
            check = _subset_check(self._asker, labels, target, negated)
            inside = tuple(name for name in every if name in wanted)
            self._minimized[key] = minimize(inside, every, check)
        return self._minimized[key]

    # --- cores of large programs ---

    def _nearby_core(self, ask: Ask) -> tuple[str, ...] | None:
        """A core among the assumptions around the claim, found aside so that the base stays loaded."""
        labels = self._verifier.labels
        side = self._aside()
        check = _subset_check(side, labels, ask.formula, ask.negated)
        for assertions in nearby(self._assumed, ask.formula):
            status, core = check(tuple(labels.name(each) for each in assertions))
            if status == "unsat":
                return core
        return self._whole_core(ask)

    def _whole_core(self, ask: Ask) -> tuple[str, ...] | None:
        """A core among all assumptions, each tracked."""
        side = self._aside()
        side.start(lambda encoding: encoding.base())
        reply = side.ask(ask.name, lambda encoding: self._verifier.query(encoding, ask.text(encoding)))
        return reply.core if reply.status == "unsat" else None

    def _aside(self) -> Asker:
        """A second session of the first engine, with the declarations alone."""
        if self._side is None:
            name = self.options.engines[0]
            engine = self._source.session(name, memory_mb=self.limits.memory_mb, rlimit=self.limits.rlimit)
            encoding = Encoding(self.module, name, self._verifier.labels)
            self._side = Asker([Asked(engine, encoding)], self._asker.budget)
        self._side.budget = self._asker.budget
        self._side.start(lambda encoding: encoding.bare().declarations())
        return self._side

    @property
    def _assumed(self) -> tuple[Assertion, ...]:
        return (*self.module.assertions, *self._verifier.extra)


def _subset_check(asker: Asker, labels: Labels, target: Node | None, negated: bool) -> CheckSubset:
    """Asks whether some assumptions, with the claim or its negation, are unsatisfiable by themselves."""

    def check(names: tuple[str, ...]) -> tuple[Known, tuple[str, ...] | None]:
        def build(encoding: Encoding) -> Query:
            found = [labels.find(name) for name in names]
            bare = encoding.bare()
            text = "".join(bare.assertion(pair[1]) for pair in found if pair is not None)
            if target is not None:
                text += bare.negation(target) if negated else bare.claim(target)
            return Query(text, core=True)

        reply = asker.ask_first("assumptions", build, most_ms=_MINIMIZE_CHECK_MS)
        return reply.status, reply.core

    return check
