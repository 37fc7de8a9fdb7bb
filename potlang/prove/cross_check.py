"""Cross-checks: each proof obligation of a verdict at the best trust level that time allows ([TIER-PIECE]).

A model is evaluated by `potlang.ir.evaluator`, a refutation is accepted by `potlang.certify`; what neither
can check is put to a second solver.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from potlang.certify import Invalid, Refutation
from potlang.engines.check import Check, CheckResult
from potlang.engines.encoding import AssertionNames
from potlang.engines.kernel_reading import KernelReading
from potlang.engines.solver import SolverSession
from potlang.engines.timed_steps import TimedSteps
from potlang.ir.module import Assertion, Claim, Module
from potlang.ir.nodes import Node
from potlang.ir.sorts import TupleSort
from potlang.prove.dispatcher import Allowance, Dispatcher
from potlang.prove.evaluation import Evaluation, Evaluations
from potlang.prove.result_models import ResultModels
from potlang.prove.verdicts import ClaimState, PartialModel
from potlang.report.results import CheckRecord, Consistency, IndependentCheck, Limits, TrustLevel, Verdict
from potlang.utils.deadline import Deadline

if TYPE_CHECKING:
    from potlang.certify import Theory
    from potlang.engines.ground.grounding import Grounder, Side
    from potlang.engines.saturation.procedure import SaturationProcedure
    from potlang.ir.structure import Structure
    from potlang.processes.pool import Workers

_CHECK_MS = 2_000
_REFUTE_MS = 1_000
_FIRST_MS = 200
_ENCODED_MS = 3_000
_ACCEPT_MS = 5_000
_MOST_GROUNDED = 500
_MOST_READ = 2_000
_WIDER = "refutation of more"
"""A refutation of more than the core, of which it then says nothing."""


class ProofObligation(NamedTuple):
    """A sat or unsat answer that a verdict rests on, and what shows it.

    `side` is `assumptions`, `claim` or `negation`. A sat answer has a `structure` if it was evaluated;
    an unsat one has the statements of a `refutation`, or else the `core` (keys) that `solvers` refuted.
    """

    side: str
    status: str
    trust: TrustLevel
    by: str
    note: str = ""
    structure: Structure | None = None
    refutation: tuple[str, ...] = ()
    core: tuple[str, ...] = ()
    solvers: tuple[str, ...] = ()

    @property
    def record(self) -> IndependentCheck:
        """Its line in the report."""
        return IndependentCheck(self.side, self.status, self.trust, self.by, self.note)


class CheckedVerdict(NamedTuple):
    """A verdict's proof obligations, the checks made for them, and whether a second solver contradicted.

    `false_models` are the sides of whose model evaluation says that it is none.
    """

    obligations: tuple[ProofObligation, ...]
    checks: tuple[CheckRecord, ...] = ()
    disagreement: bool = False
    false_models: tuple[str, ...] = ()

    @property
    def trust(self) -> TrustLevel:
        """The worst level of the obligations."""
        return max((each.trust for each in self.obligations), key=TRUST_LEVELS.index, default="solver")


class Proof(NamedTuple):
    """The verdict on one claim, or on the assumptions, with its proof obligations; `unknown` has none."""

    key: str
    verdict: Verdict | Consistency
    obligations: tuple[ProofObligation, ...]


TRUST_LEVELS: tuple[TrustLevel, ...] = ("checked", "cross-checked", "solver")
"""The best first."""

SecondEngine = Callable[[str], SolverSession | None]
"""A session of another solver than the one named, its base not yet sent; None where there is none."""


class CrossChecker:
    """Has the answers over one program checked by others than who gave them.

    `module` is the program as compiled, for evidence is about that and not about what passes made of
    it; `lowered` is what the solvers were given.
    """

    def __init__(
        self,
        module: Module,
        lowered: Module,
        labels: AssertionNames,
        second: SecondEngine,
        workers: Workers,
        reading: KernelReading | None = None,
        saturation: SaturationProcedure | None = None,
    ) -> None:
        """`reading` is the module as the kernel reads it, if others use that too."""
        self.module = module
        self._workers = workers
        self._reading = reading
        self._saturation = saturation
        self._grounder: Grounder | None = None
        self._labels = labels
        self._second = second
        self._dispatchers: dict[str, Dispatcher | None] = {}
        self._original = {each.key: each for each in module.assertions}
        self._claims = {each.key: each for each in (*module.claims, *module.norms)}
        self._read = ResultModels(lowered)
        self.evaluations = Evaluations(module)
        self.allowance = Allowance.of(Limits())
        self.extra: tuple[Assertion, ...] = ()
        self._contradictions: dict[tuple[str, ...] | None, ProofObligation] = {}
        """Cores of the assumptions alone: all claims have them, and they are refuted once."""

    def close(self) -> None:
        """Give the second solvers back."""
        for dispatcher in self._dispatchers.values():
            if dispatcher is not None:
                dispatcher.close()
        self._dispatchers.clear()

    def forget(self) -> None:
        """The claims so far are done with."""
        self._read.forget()
        self.evaluations.forget()
        self._contradictions.clear()

    def assume(self, extra: tuple[Assertion, ...]) -> None:
        """These are the assumptions on top of the program's."""
        if extra is not self.extra:
            self.extra = self.evaluations.extra = extra
            self._read.forget()
            self.evaluations.renew()
            self._contradictions.clear()

    # --- what a verdict rests on ---

    def check(
        self,
        state: ClaimState,
        core: tuple[str, ...] | None,
        assumptions: CheckResult | None,
        model: PartialModel | None,
    ) -> CheckedVerdict:
        """The proof obligations of a settled claim, each checked.

        `core` are the names of what its unsat side needs; `assumptions` and `model` are what is known of
        the assumptions alone.
        """
        work = _Obligations(self, state, assumptions, model)
        match state.verdict:
            case Verdict.ENTAILED:
                work.some_model("claim", state.true_model)
                work.unsat("negation", core)
            case Verdict.REFUTED:
                work.some_model("negation", state.false_model)
                work.unsat("claim", core)
            case Verdict.UNDETERMINED:
                work.sat("claim", state.true_model)
                work.sat("negation", state.false_model)
            case Verdict.INCONSISTENT:
                self._contradict(work, core)
            case _:
                pass
        return CheckedVerdict(
            tuple(work.found), tuple(work.checks), work.disagreement, tuple(work.false_models)
        )

    def _contradict(self, work: _Obligations, core: tuple[str, ...] | None) -> None:
        """That the assumptions contradict each other, as it was found for an earlier claim if it was."""
        # Of a large program, and with assumptions of a session, it is about a part that has the claim in it.
        is_about_all = not self.extra and len(self.module.assertions) <= _MOST_READ
        if is_about_all and (known := self._contradictions.get(core)) is not None:
            work.found.append(known)
            return
        work.unsat("assumptions", core)
        if is_about_all and not work.disagreement:
            self._contradictions[core] = work.found[-1]

    def structure(self, result: CheckResult) -> Structure | None:
        """The model of a sat result; None if there is none that can be read."""
        return self._read.structure(result)

    def evaluate(self, result: CheckResult, side: Node | None) -> Evaluation:
        """Whether the model of a result satisfies the assumptions and `side`."""
        structure = self.structure(result)
        if structure is None:
            return Evaluation(None, "the model is too large or cannot be read")
        return self.evaluations.both(structure, side)

    def _place(self, side: Side, claim: Claim, core: Sequence[str]) -> Grounder:
        """The program that a refutation is about: as compiled, or where that does not say it, a slice.

        A claim or an assumption of a session is in no program; and of a large one a part is read faster.
        """
        large = len(self.module.assertions) > _MOST_READ
        if large or not self._says(side, claim):
            return self._part(side, claim, core)
        if self._grounder is None:
            self._grounder = self._grounder_of(self.module, self._reading)
        return self._grounder

    def _grounder_of(self, module: Module, reading: KernelReading | None = None) -> Grounder:
        # Most programs are answered without it.
        from potlang.engines.ground.grounding import Grounder

        return Grounder(module, self._workers, reading)

    def _says(self, side: Side, claim: Claim) -> bool:
        """Whether the program, as compiled, has all that a side is about."""
        return (side == "assumptions" or claim.key in self._claims) and not self.extra

    def _part(self, side: Side, claim: Claim, core: Sequence[str]) -> Grounder:
        """A core and a claim as a program of their own."""
        from potlang.prove.program_slice import slice_of

        # As the program says it, as its assumptions are: certificates speak of nothing else.
        wanted = self._claims.get(claim.key, claim)
        part = slice_of(self.module, self.originals(core), wanted, same_words=self._says(side, claim))
        return self._grounder_of(part)

    def _suffices(self, core: Sequence[str]) -> bool:
        """Whether it takes less time to read a core than the program, which nobody else reads.

        Symbols of records have numbers that depend on the formulas.
        """
        records = any(isinstance(sort, TupleSort) for sort in self.module.sorts)
        return len(self._claims) == 1 and 2 * len(core) <= len(self.module.assertions) and not records

    def accepted(self, side: Side, claim: Claim, result: CheckResult) -> tuple[str, ...] | None:
        """The statements of a refutation that came with a result, if the kernel accepts them."""
        core = result.core or ()
        place = self._part(side, claim, core) if self._suffices(core) else self._place(side, claim, core)
        try:
            # Of a program whose definitions unfold to too much the kernel has no theory.
            lines = None if result.refutation is None else result.refutation(place.theory, side, claim)
        except Invalid:
            return None
        if lines is None:
            return None
        return lines if self._accepts(place.theory, side, claim, lines) else None

    def _accepts(self, theory: Theory, side: Side, claim: Claim, lines: Sequence[str]) -> bool:
        """Whether the kernel accepts a refutation, within the time for checking one."""
        question = theory.questions.get("assumptions" if side == "assumptions" else claim.key)
        goal = None if question is None else question.sides.get(side)
        if (goal, tuple(lines)) in theory.refuted:
            # Who wrote the lines had them read by the kernel, in this theory: once is enough.
            return True
        steps = TimedSteps(Deadline(self.allowance.check_ms(_ACCEPT_MS)))
        try:
            refutation = Refutation(theory, side, None if side == "assumptions" else claim.key, steps)
            for line in lines:
                refutation.statement(line)
        except Invalid:
            return False
        return refutation.refuted

    def refute(self, side: Side, claim: Claim, core: Sequence[str]) -> tuple[tuple[str, ...] | None, str]:
        """The statements of a ground refutation of a core, and its kind; or None and why there is none."""
        from potlang.engines.finite.direct import refutation
        from potlang.engines.ground.grounding import GroundLimits

        # As the program says it: what passes made of it may be true of itself, to the kernel it is not.
        wanted = None if side == "assumptions" else self._claims.get(claim.key, claim)
        place = self._place(side, claim, core)
        try:
            theory = place.theory
        except Invalid as error:
            return None, f"no ground refutation: {error}"
        keys = [each.key for each in self.originals(core)]
        goal = None if wanted is None else wanted.key
        deadline = Deadline(self.allowance.check_ms(_ENCODED_MS))
        lines = refutation(theory, keys, side, goal, self._workers, deadline)
        if lines is not None and self._accepts(theory, side, claim, lines):
            return lines, "refutation"
        own, every = self.originals(core), place.module.assertions
        # A prover's proof is found in less time than it takes to see that grounding finds none. Some
        # arithmetic is refuted by what bounds the numbers, which need not be in a minimal core.
        attempts = [(own, _REFUTE_MS), (every, _REFUTE_MS)]
        if self._saturation is not None:
            attempts.insert(0, (own, _FIRST_MS))
        reason = "too many assumptions to ground"
        for number, (assertions, most) in enumerate(attempts):
            if len(assertions) <= _MOST_GROUNDED:
                limits = GroundLimits(timeout_ms=self.allowance.check_ms(most))
                found = place.refute(assertions, side, wanted, limits)
                if found.status == "unsat":
                    return found.lines, "refutation" if assertions is own else _WIDER
                reason = found.reason
            if self._saturation is not None and not number:
                lines = self._saturation.refute(own, side, wanted, self.allowance.check_ms(_REFUTE_MS))
                if lines is not None and self._accepts(theory, side, claim, lines):
                    return lines, "refutation"
        return None, f"no ground refutation: {reason}"

    def originals(self, core: Sequence[str]) -> list[Assertion]:
        """The assumptions behind labels, as the program has them."""
        found = [pair[1] for name in core if (pair := self._labels.find(name)) is not None]
        return [self._original.get(each.key, each) for each in found]

    def second(self, by: str) -> Dispatcher | None:
        """Another solver than `by`."""
        if by not in self._dispatchers:
            engine = self._second(by)
            self._dispatchers[by] = None if engine is None else Dispatcher([engine], self.allowance)
        dispatcher = self._dispatchers[by]
        if dispatcher is not None:
            dispatcher.allowance = self.allowance
        return dispatcher

    def ask_second(
        self, side: str, formula: Node | None, by: str, core: Sequence[str] | None
    ) -> CheckResult | None:
        """The second solver's word on a side with the labelled assumptions, or with all of them."""
        dispatcher = self.second(by)
        if dispatcher is None:
            return None
        if core is None:
            dispatcher.start(lambda encoding: encoding.base(named=False))
            assumed = self.extra
        else:
            dispatcher.start(lambda encoding: encoding.bare().declarations())
            assumed = tuple(pair[1] for name in core if (pair := self._labels.find(name)) is not None)
        check = Check(
            side, formula, side == "negation", assumptions=assumed, alone=core is not None, core=False
        )
        return dispatcher.ask(side, check.query, most_ms=_CHECK_MS)


class _Obligations:
    """The proof obligations of one claim, as they are checked."""

    def __init__(
        self,
        checker: CrossChecker,
        state: ClaimState,
        assumptions: CheckResult | None,
        model: PartialModel | None,
    ) -> None:
        self.checker = checker
        self.state = state
        self.assumptions = assumptions
        self.assumptions_model = model
        self.found: list[ProofObligation] = []
        self.checks: list[CheckRecord] = []
        self.disagreement = False
        self.false_models: list[str] = []

    def some_model(self, side: str, model: PartialModel | None) -> None:
        """A model of the side, or of the assumptions: the other side being unsat, it is one of this too."""
        trivial = self.checker.evaluations.trivial()
        if trivial is not None:
            self.found.append(
                ProofObligation("assumptions", "sat", "checked", "evaluator", structure=trivial)
            )
        elif model is not None:
            self.sat(side, model)
        else:
            self.sat("assumptions", self.assumptions_model)

    def sat(self, side: str, model: PartialModel | None) -> None:
        """A sat answer, its model evaluated, or put to a second solver."""
        result = model.result if model is not None else None
        found = Evaluation(None, "no model was kept")
        formula = self._formula(side)
        if result is not None:
            pool = self.checker.module.pool
            wanted = pool.negate(formula) if formula is not None and side == "negation" else formula
            found = self.checker.evaluate(result, wanted)
            if found.holds:
                structure = self.checker.structure(result)
                self.found.append(ProofObligation(side, "sat", "checked", "evaluator", structure=structure))
                return
            if found.holds is False:
                self.false_models.append(side)
        self._second(side, "sat", result or self.assumptions, found.note, None)

    def unsat(self, side: Side, core: tuple[str, ...] | None) -> None:
        """An unsat answer: refuted before the kernel, or put to a second solver."""
        result = self._refuting(side)
        lines, note = self._refutation(side, result, core or ())
        if lines is not None:
            if note == _WIDER and self._denies(side, result, core):
                return
            note = "refutation" if note == _WIDER else note
            self.found.append(ProofObligation(side, "unsat", "checked", note, refutation=tuple(lines)))
            return
        self._second(side, "unsat", result, note, core)

    def _denies(self, side: Side, result: CheckResult | None, core: tuple[str, ...] | None) -> bool:
        """Whether a second solver has a model of a core that a solver found, where more was refuted."""
        by = "" if result is None else result.by
        answer = None if core is None else self.checker.ask_second(side, self._formula(side), by, core)
        if answer is None or answer.status != "sat":
            return False
        self.disagreement = True
        self.checks += answer.checks
        return True

    def _refuting(self, side: str) -> CheckResult | None:
        if side == "assumptions":
            results = [*self.state.refutations.values()]
            return self.assumptions or (results[0] if results else None)
        return self.state.refutations.get(side)

    def _refutation(
        self, side: Side, result: CheckResult | None, core: tuple[str, ...]
    ) -> tuple[Sequence[str] | None, str]:
        """The statements of an accepted refutation and what kind it is; or None and why there is none."""
        if result is not None and result.refutation is not None:
            lines = self.checker.accepted(side, self.state.claim, result)
            if lines is not None:
                return lines, "derivation"
        return self.checker.refute(side, self.state.claim, core)

    def _second(
        self, side: str, status: str, result: CheckResult | None, note: str, core: tuple[str, ...] | None
    ) -> None:
        by = "" if result is None else result.by
        keys = tuple(each.key for each in self.checker.originals(core or ()))
        agreed = result is not None and result.agreed
        answer = None
        # Two who agreed on all assumptions have not agreed on a core, which the first alone made minimal.
        if not agreed or core is not None:
            answer = self.checker.ask_second(side, self._formula(side), by, core)
        if answer is None or answer.status == "unknown":
            word: TrustLevel = "cross-checked" if agreed else "solver"
            if agreed and core is not None:
                keys = tuple(each.key for each in (*self.checker.module.assertions, *self.checker.extra))
            self.found.append(
                ProofObligation(side, status, word, by, note, core=keys, solvers=tuple(by.split("+")))
            )
            return
        if answer.status != status:
            self.disagreement = True
            self.checks += answer.checks
            return
        solvers = tuple(dict.fromkeys([*by.split("+"), answer.by])) if by else (answer.by,)
        trust: TrustLevel = "cross-checked" if by else "solver"
        self.found.append(
            ProofObligation(side, status, trust, ", ".join(solvers), note, core=keys, solvers=solvers)
        )

    def _formula(self, side: str) -> Node | None:
        return None if side == "assumptions" else self.state.formula
