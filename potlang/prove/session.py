"""One typed program against its solvers: verdicts with evidence, the optimum, the whole report.

A session compiles the program's assumptions to text once. Claims and further assumptions may be
added; each call has the limits anew.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING

from potlang.engines.commands import solver_command
from potlang.engines.finite.searching import MOST_STEPS, SearchDecider
from potlang.engines.solver import SolverSession
from potlang.ir.module import Assertion, Claim, Module
from potlang.ir.nodes import Node, Quant
from potlang.ir.sorts import BOOL
from potlang.processes.pool import Workers
from potlang.prove.alternatives import Alternatives
from potlang.prove.asking import Asked, Asker, Budget
from potlang.prove.cores import Core, Names, Oracle, minimize
from potlang.prove.deciders import CLOSURE_MS, GROUND_MS, ClosureDecider, Decider, GroundDecider
from potlang.prove.encoding import Encoding, Labels
from potlang.prove.evidence import core_items, evaluated, read_model
from potlang.prove.nearby import Nearby
from potlang.prove.options import Options
from potlang.prove.reproducer import reproducer
from potlang.prove.subsets import Decided, Subsets, minimal_core, oracle
from potlang.prove.terms import Namer
from potlang.prove.verdicts import Ask, Finding, Snapshot, Verifier
from potlang.report.results import (
    Consistency,
    Evidence,
    Limits,
    OptimizationResult,
    ProgramResult,
    Result,
    Verdict,
    overall,
)
from potlang.utils.deadline import Deadline

if TYPE_CHECKING:
    from potlang.prove.assurance import Assurer, Proof
    from potlang.prove.probing import Probe


_MOST_LOOKED_AT = 2_000
"""Assumptions that are looked through for Horn rules whatever the program's functions are."""
_FORCED_STEPS = 400
"""How many times as many steps the search has where nobody else may answer."""
_MOST_HANDED_ON = 200
"""Larger cores that a decider has not made minimal are no work for a solver either."""
_MINIMIZE_MS = 300
"""The time for making a core minimal without a solver."""


class Session:
    """Verdicts over one module. Not safe for use by several threads at once; a context manager."""

    def __init__(
        self,
        module: Module,
        source: Workers,
        options: Options = Options(),
        limits: Limits = Limits(),
        original: Module | None = None,
    ) -> None:
        """`module` is solved; `original` is the program as compiled, where passes have changed it."""
        self.module = module
        self.original = original or module
        self.options = options
        self.limits = limits
        self._source = source
        self._labels = Labels(module)
        engines = [self._asked(name) for name in options.engines]
        self._asker = Asker(engines, Budget(limits), self._reserve if options.route == "auto" else None)
        first, late = self._deciders()
        if options.route in ("closure", "ground", "search"):
            self._asker.silent = (options.route, f"{options.route} does not decide this")
        self._verifier = Verifier(
            self._asker,
            Namer(module),
            full_models=options.models == "full",
            whole_models=options.assuring,
            together=not options.minimizing,
            deciders=first,
            late=late,
        )
        self._verifier.find_core = self._nearby_core
        if not self._verifier.tracked:
            source.warm(solver_command(options.engines[0]), 2)
            self._asker.engines[0].engine.on_idle = self._prepare_core
        elif options.assuring:
            self._asker.engines[0].engine.on_idle = _import_assurance
        self._side: Asker | None = None
        self._assurer: Assurer | None = None
        self._nearby: Nearby | None = None
        self.proofs: list[Proof] = []
        self._stack: list[tuple[Assertion, ...]] = []
        self._minimized: dict[tuple[object, ...], Core] = {}
        self._alternatives = Alternatives(self._labels, self._oracle, every_core=options.cores == "all")

    def _asked(self, name: str) -> Asked:
        """A session of an engine, within the limits."""
        memory, rlimit = self.limits.memory_mb, self.limits.rlimit
        engine = SolverSession(self._source, name, memory_mb=memory, rlimit=rlimit)
        return Asked(engine, Encoding(self.module, name, self._labels))

    def _reserve(self) -> list[Asked]:
        """Who joins in where z3 gives up ([ROUTE-RACE])."""
        return [self._asked("cvc5-fmf"), self._asked("cvc5")]

    def _deciders(self) -> tuple[list[Decider], list[Decider]]:
        """Who is asked before a solver, and who where one has given up ([ROUTE-AUTO])."""
        route, limits = self.options.route, self.limits
        forced = route != "auto" or limits.rlimit is not None
        common = (self.original, self.module, self._labels, self._asker.engines[0].encoding)
        steps = MOST_STEPS * (_FORCED_STEPS if route == "search" else 1)
        search = SearchDecider(self.module, self._labels, common[-1], steps)
        if route == "auto" and not self._verifiable_by_rules():
            return [], []
        most_ms = limits.check_ms if forced else CLOSURE_MS
        exact = ClosureDecider(*common, most_ms, exact_only=True)
        closure = ClosureDecider(*common, most_ms)
        ground = GroundDecider(
            *common,
            self._source,
            limits.check_ms if forced else GROUND_MS,
            finite_only=route == "auto",
        )
        chosen: dict[str, tuple[list[Decider], list[Decider]]] = {
            "auto": ([exact, search], [closure, ground]),
            "closure": ([closure], []),
            "ground": ([ground], []),
            "search": ([search], []),
        }
        return chosen.get(route, ([], []))

    def _verifiable_by_rules(self) -> bool:
        """Whether looking for Horn rules is worth it: in a large program with functions it is not."""
        if len(self.original.assertions) <= _MOST_LOOKED_AT:
            return True
        return not any(symbol.domain and symbol.range is not BOOL for symbol in self.original.symbols)

    def _second(self, by: str) -> Asked | None:
        """Another solver than `by`, for a second opinion; None where a route is forced."""
        if self._asker.silent is not None:
            return None
        return self._asked("z3" if by.startswith("cvc5") else "cvc5")

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the engines back."""
        for each in (*self._asker.everyone, *(self._side.engines if self._side else ())):
            each.engine.close()
        if self._assurer is not None:
            self._assurer.close()

    # --- assumptions on top ---

    def push(self, assertions: Iterable[Assertion]) -> None:
        """Assume more, until `pop`. Keys must be new to the module."""
        self._stack.append(self._verifier.extra)
        self._verifier.extra = (*self._verifier.extra, *assertions)
        self._verifier.forget()
        self._minimized.clear()
        self._alternatives.forget()
        if self._assurer is not None:
            self._assurer.forget()

    def pop(self) -> None:
        """Undo the last `push`. Raises IndexError if there is none."""
        self._verifier.extra = self._stack.pop()
        self._verifier.forget()
        self._minimized.clear()
        self._alternatives.forget()
        if self._assurer is not None:
            self._assurer.forget()

    # --- asking ---

    def _begin(self) -> None:
        self.proofs.clear()
        self._minimized = {key: core for key, core in self._minimized.items() if key[1] is None}
        if self._assurer is not None:
            self._assurer.forget()
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
        if self.options.assuring:
            results = [self._assured(*pair) for pair in zip(findings, results, strict=True)]
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
        from potlang.prove.optimize import optimize

        second = self._ready_assurer().second("z3") if self.options.assuring else None
        found = optimize(self._verifier, problem, what_if=self.options.what_if, shrink=shrink, second=second)
        self._open_base()
        return found._replace(time_ms=(time.perf_counter() - began) * 1000)

    def _shrink(self, names: tuple[str, ...], beyond: tuple[Assertion, ...]) -> tuple[str, ...]:
        return self._minimize(names, None, negated=False, beyond=beyond).names

    def probe(self, formula: Node, watched: Sequence[Node] = ()) -> Probe:
        """Whether assumptions and a closed formula have a model, and what of `watched` is true in it.

        One check on one solver's word, for questions that are many and need no evidence.
        """
        from potlang.prove.probing import probe

        self._begin()
        return probe(self._verifier, self.original, formula, watched)

    def consistency(self) -> Consistency:
        """Whether the assumptions have a model."""
        self._begin()
        self._verifier.ask_theta()
        return self._verifier.consistency or Consistency.UNKNOWN

    def report(self) -> ProgramResult:
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
        evidence = None
        if not results and consistency is Consistency.INCONSISTENT:
            evidence = self._theta_evidence()
        return ProgramResult(
            overall(results, optimization, consistency),
            results,
            optimization,
            consistency,
            evidence,
            notes=() if results or optimization is not None else ("the program asks nothing",),
            limits=self.limits,
            time_ms=(time.perf_counter() - began) * 1000,
        )

    def _theta_evidence(self) -> Evidence:
        theta = self._verifier.theta
        if theta is None or theta.core is None:
            return Evidence()
        if not self.options.minimizing:
            return Evidence(core=core_items(theta.core, self._verifier.labels))
        return self._with_core(Evidence(), self._minimize(theta.core, None, negated=False), None)

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
            "+".join(dict.fromkeys(reply.by for reply in finding.replies if reply.by)) or self._asker.route,
            "cross-checked" if finding.cross_checked else "solver",
            evidence,
            tuple(finding.checks),
            reproducer=reproducer(self.module, self._assumed, finding) if finding.disagreement else None,
            time_ms=finding.time_ms + spent,
        )

    def _evidence(self, finding: Finding) -> Evidence:
        match finding.verdict:
            case Verdict.ENTAILED | Verdict.REFUTED | Verdict.INCONSISTENT:
                core = None if finding.core is None else core_items(finding.core, self._verifier.labels)
                evidence = self._with_example(Evidence(core=core), finding)
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
        from potlang.prove.bindings import with_bindings

        return with_bindings(self._verifier, finding, evidence)

    def _with_example(self, evidence: Evidence, finding: Finding) -> Evidence:
        """`evidence` with a model in which a settled claim is what it must be, if such are asked for."""
        if not self.options.examples:
            return evidence
        return evidence._replace(
            could_be_true=self._model(finding, finding.true_model),
            could_be_false=self._model(finding, finding.false_model),
        )

    def _model(self, finding: Finding, snapshot: Snapshot | None) -> dict[str, str] | None:
        if snapshot is None:
            return None
        if snapshot.reply.structure is not None:
            found = evaluated(self.original, snapshot, (*finding.terms, *finding.named))
            return None if found is None else read_model(found, finding.terms, finding.named)
        return (
            read_model(snapshot, finding.terms, finding.named) if snapshot.reply.values is not None else None
        )

    # --- minimal cores ---

    def _minimal(self, finding: Finding, result: Result) -> Result:
        """The same result with its core checked again and made minimal."""
        core = self._core(finding)
        if core is None:
            return result
        began = time.perf_counter()
        target = None if finding.verdict is Verdict.INCONSISTENT else finding.formula
        negated = finding.verdict is Verdict.ENTAILED
        evidence = self._with_core(result.evidence, core, target, negated=negated)
        spent = (time.perf_counter() - began) * 1000
        return result._replace(evidence=evidence, time_ms=result.time_ms + spent)

    def _with_core(
        self, evidence: Evidence, core: Core, target: Node | None, *, negated: bool = False
    ) -> Evidence:
        """`evidence` with this core, and what [VERDICT-CORES] and [VERDICT-CORRECTIONS] add to it."""
        evidence = evidence._replace(
            core=core_items(core.names, self._verifier.labels), core_minimal=core.minimal
        )
        return self._alternatives.add(evidence, core, target, negated)

    def _oracle(self, target: Node | None, negated: bool, deadline: Deadline) -> tuple[Names, Oracle]:
        """The names of all assumptions, and who says which of them are unsatisfiable by themselves."""
        names = tuple(self._labels.name(each) for each in self._assumed)
        return names, oracle(self._asker, self._labels, names, target, negated, deadline)

    def _core(self, finding: Finding) -> Core | None:
        """The minimal core of a settled finding."""
        if finding.core is None or finding.verdict is Verdict.UNKNOWN:
            return None
        target = None if finding.verdict is Verdict.INCONSISTENT else finding.formula
        return self._minimize(finding.core, target, negated=finding.verdict is Verdict.ENTAILED)

    # --- tiers ---

    def _assured(self, finding: Finding, result: Result) -> Result:
        """The same result with each answer that it rests on checked by another ([TIER-PIECE])."""
        from potlang.prove.assurance import Proof, Theta

        if finding.verdict is Verdict.UNKNOWN:
            self.proofs.append(Proof(finding.claim.key, Verdict.UNKNOWN, ()))
            return result
        began = time.perf_counter()
        assurer = self._ready_assurer()
        core = self._core(finding)
        theta = Theta(self._verifier.theta, self._verifier.theta_model)
        found = assurer.assure(finding, finding.core if core is None else core.names, theta)
        spent = result.time_ms + (time.perf_counter() - began) * 1000
        checks = (*result.checks, *found.checks)
        if found.disagreement:
            self.proofs.append(Proof(finding.claim.key, Verdict.UNKNOWN, ()))
            text = reproducer(self.module, self._assumed, finding)
            return result._replace(
                verdict=Verdict.UNKNOWN,
                reason="disagreement",
                evidence=Evidence(),
                checks=checks,
                reproducer=text,
                time_ms=spent,
            )
        self.proofs.append(Proof(finding.claim.key, finding.verdict, found.pieces))
        assurances = tuple(piece.assurance for piece in found.pieces)
        return result._replace(trust=found.tier, assurances=assurances, checks=checks, time_ms=spent)

    def _ready_assurer(self) -> Assurer:
        if self._assurer is None:
            from potlang.prove.assurance import Assurer

            self._assurer = Assurer(self.original, self.module, self._labels, self._second, self._source)
        self._assurer.budget = self._asker.budget
        self._assurer.assume(self._verifier.extra)
        return self._assurer

    def certificate(self) -> str:
        """What `report` has found, as a text that `potlang.certify` checks ([CERT-FORM])."""
        from potlang.prove.certificate import write_certificate

        return write_certificate(self.original, self.proofs)

    # --- minimal cores, by asking again ---

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
            every = tuple(labels.name(each) for each in (*self._assumed, *beyond))
            wanted = frozenset(names)
            inside = tuple(name for name in every if name in wanted)
            self._minimized[key] = self._decided_core(inside, target, negated) or minimal_core(
                self._asker, labels, inside, every, target, negated
            )
        return self._minimized[key]

    def _decided_core(self, names: Names, target: Node | None, negated: bool) -> Core | None:
        """The core made minimal by a decider, where one has decided it."""
        side = "assumptions" if target is None else "negation" if negated else "claim"
        for decider in self._verifier.deciders:
            ask = Decided(decider, self._labels, Ask(side, target, negated))
            core = minimize(names, names, ask, Deadline(_MINIMIZE_MS))
            if core.verified and (core.minimal or len(names) > _MOST_HANDED_ON):
                return core
        return None

    # --- cores of large programs ---

    def _nearby_core(self, ask: Ask) -> tuple[str, ...] | None:
        """A core among the assumptions around the claim, found aside so that the base stays loaded."""
        labels = self._verifier.labels
        side = self._aside()
        check = Subsets(side, labels, ask.formula, ask.negated)
        for assertions in self._neighbours().around(ask.formula):
            status, core = check(tuple(labels.name(each) for each in assertions))
            if status == "unsat":
                return core
        return self._whole_core(ask)

    def _neighbours(self) -> Nearby:
        """The assumptions by what they mention, looked through once."""
        assumed = self._assumed
        if self._nearby is None or len(self._nearby.assertions) != len(assumed):
            self._nearby = Nearby(assumed)
        return self._nearby

    def _prepare_core(self) -> None:
        """What a core will need, while a solver is busy with the base."""
        self._neighbours()
        self._aside().engines[0].encoding.bare().declarations()

    def _whole_core(self, ask: Ask) -> tuple[str, ...] | None:
        """A core among all assumptions, each tracked."""
        side = self._aside()
        side.start(lambda encoding: encoding.base())
        reply = side.ask(ask.name, lambda encoding: self._verifier.query(encoding, ask.text(encoding)))
        return reply.core if reply.status == "unsat" else None

    def _aside(self) -> Asker:
        """A second session of the first engine, with the declarations alone."""
        if self._side is None:
            self._side = Asker([self._asked(self.options.engines[0])], self._asker.budget)
        self._side.budget = self._asker.budget
        self._side.start(lambda encoding: encoding.bare().declarations())
        return self._side

    @property
    def _assumed(self) -> tuple[Assertion, ...]:
        return (*self.module.assertions, *self._verifier.extra)


def _import_assurance() -> None:
    """Load what checks answers, which takes about as long as a solver takes to start."""
    for name in ("potlang.prove.assurance", "potlang.engines.ground.grounding"):
        import_module(name)
