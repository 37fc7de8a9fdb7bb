"""The result of a claim, from the answers of solvers: its evidence, and the steps that strengthen it."""

from __future__ import annotations

import time
from collections.abc import Callable, Container
from functools import cached_property, partial
from typing import TYPE_CHECKING

from potlang.engines.check import ASSUMPTIONS, Check, CheckResult
from potlang.engines.encoding import AssertionNames
from potlang.ir.module import Claim, Module
from potlang.ir.nodes import App, Node, Quant, Sym, Symbol, SymbolKind, reachable
from potlang.ir.sorts import DeclaredSort, parts_of
from potlang.prove.core_search import CoreSearch
from potlang.prove.cores import Core
from potlang.prove.cross_check import Proof
from potlang.prove.evidence import core_items, evaluated, read_model
from potlang.prove.options import ProverOptions
from potlang.prove.result_models import ResultModels
from potlang.prove.verdicts import ClaimState, PartialModel, Verifier
from potlang.report.results import AskedQuestion, Evidence, Model, Result, Verdict
from potlang.smt.models import complete
from potlang.utils.deadline import Deadline

if TYPE_CHECKING:
    from potlang.ir.structure import Structure
    from potlang.prove.cross_check import CrossChecker
    from potlang.prove.differences import Nearest
    from potlang.prove.scenarios import ModelReading, ScenarioStep


class ClaimResults:
    """Makes the results of one program's claims; `proofs` are those of the claims of a call, in order."""

    def __init__(
        self,
        module: Module,
        original: Module,
        options: ProverOptions,
        labels: AssertionNames,
        verifier: Verifier,
        cores: CoreSearch,
        make_checker: Callable[[], CrossChecker],
    ) -> None:
        """`module` is solved; `original` is the program as compiled; the checker is made when needed."""
        self.proofs: list[Proof] = []
        self._module = module
        self._original = original
        self._options = options
        self._labels = labels
        self._verifier = verifier
        self._cores = cores
        self._make_checker = make_checker
        self._checker: CrossChecker | None = None
        self._unchecked_models = ResultModels(module)
        self._scenarios: ScenarioStep | None = None
        self._spent_on_nearest = 0.0

    def close(self) -> None:
        """Give the solvers of the cross-checker back."""
        if self._checker is not None:
            self._checker.close()

    def forget(self) -> None:
        """Let go of all that holds under the assumptions until now."""
        self._unchecked_models.forget()
        self._spent_on_nearest = 0.0
        if self._checker is not None:
            self._checker.forget()

    def cross_checker(self) -> CrossChecker:
        """The checker, with the assumptions and the time that are left to the call."""
        if self._checker is None:
            self._checker = self._make_checker()
        self._checker.allowance = self._verifier.dispatcher.allowance
        self._checker.assume(self._verifier.extra)
        return self._checker

    def steps(self, doubting: Container[Verdict]) -> list[Callable[[ClaimState, Result], Result]]:
        """The steps that evidence goes through: each over all results before the next.

        Answers of the verdicts in `doubting` are checked by others, if any are.
        """

        def checked(state: ClaimState, result: Result) -> Result:
            return self._cross_checked(state, result) if state.verdict in doubting else result

        steps = (
            (self._minimal, self._options.minimizing),
            (checked, self._options.cross_checking),
            (self._with_nearest_models, self._options.models != "found"),
            (self._with_scenarios, True),
        )
        return [step for step, wanted in steps if wanted]

    def so_far(self, state: ClaimState) -> Result:
        """The result of a claim that an interruption leaves as it is: nothing more is asked for it."""
        unknown = state.verdict is Verdict.UNKNOWN
        return self.result(state, self.found(state))._replace(reason="interrupted" if unknown else None)

    def found(self, state: ClaimState) -> Evidence:
        """The evidence that came with the answers."""
        settled = state.core is not None and state.verdict is not Verdict.UNKNOWN
        return Evidence(core=core_items(state.core or (), self._labels) if settled else None)

    def result(self, state: ClaimState, evidence: Evidence) -> Result:
        """The result of a claim with this evidence, before the steps."""
        unknown = state.verdict is Verdict.UNKNOWN
        answered = dict.fromkeys(by for result in state.results for by in result.by.split("+") if by)
        question = state.claim.question
        return Result(
            state.claim.name,
            state.claim.origin.pointer,
            state.verdict,
            state.paper_answer,
            state.kind,
            state.reason,
            state.decision.possible if unknown else (),
            "+".join(answered) or self._verifier.dispatcher.route,
            "cross-checked" if state.cross_checked else "solver",
            evidence,
            tuple(state.checks),
            reproducer=self._reproducer(state) if state.disagreement else None,
            time_ms=state.time_ms,
            ask=state.claim.ask,
            question=question and AskedQuestion(question.name, question.origin.pointer),
        )

    def evidence(self, state: ClaimState) -> Evidence:
        """The evidence of a claim, with models where they are shown."""
        match state.verdict:
            case Verdict.ENTAILED | Verdict.REFUTED | Verdict.INCONSISTENT:
                evidence = self.found(state)
                if self._options.examples:
                    evidence = self._with_models(evidence, state)
            case Verdict.UNDETERMINED:
                evidence = self._with_models(Evidence(), state)
            case _:
                evidence = Evidence()
        quantified = state.claim.find or isinstance(state.claim.formula, Quant)
        if not quantified or state.verdict in (Verdict.INCONSISTENT, Verdict.UNKNOWN):
            return evidence
        from potlang.prove.bindings import with_bindings

        return with_bindings(self._verifier, state, evidence)

    def _with_models(self, evidence: Evidence, state: ClaimState) -> Evidence:
        """`evidence` with a model of each side of the claim, as far as there is one."""
        true, false = (self._shown(state, model) for model in (state.true_model, state.false_model))
        return evidence._replace(could_be_true=true, could_be_false=false)

    def _shown(self, state: ClaimState, model: PartialModel | None) -> dict[str, str] | None:
        if model is not None and model.result.structure is not None:
            model = evaluated(self._original, model, (*state.terms, *state.named))
        elif model is not None and model.result.values is None:
            model = None
        return None if model is None else read_model(model, state.terms, state.named)

    def _core(self, state: ClaimState) -> Core | None:
        """The minimal core of a settled claim."""
        if state.core is None or state.verdict is Verdict.UNKNOWN:
            return None
        check = _without_model(state)
        # Both sides of a claim show that the assumptions contradict each other.
        refutation = state.refutations.get("claim" if check.side == "assumptions" else check.side)
        by = "" if refutation is None else refutation.by
        return self._cores.minimal(state.core, check, by=by)

    def _minimal(self, state: ClaimState, result: Result) -> Result:
        """The same result with its core checked again and made minimal."""
        began = time.perf_counter()
        core = self._core(state)
        if core is None:
            return result
        evidence = self._cores.into(result.evidence, core, _without_model(state))
        spent = (time.perf_counter() - began) * 1000
        return result._replace(evidence=evidence, time_ms=result.time_ms + spent)

    def _cross_checked(self, state: ClaimState, result: Result) -> Result:
        """The same result with each answer that it rests on checked by another ([TIER-PIECE])."""
        if state.verdict is Verdict.UNKNOWN:
            self.proofs.append(Proof(state.claim.key, Verdict.UNKNOWN, ()))
            return result
        began = time.perf_counter()
        # Making a core minimal takes the base from the solver: where nobody wants that, it is as it is.
        core = self._core(state) if self._options.minimizing else None
        verifier = self._verifier
        found = self.cross_checker().check(
            state,
            state.core if core is None else core.names,
            verifier.assumptions,
            verifier.assumptions_model,
        )
        spent = result.time_ms + (time.perf_counter() - began) * 1000
        checks = (*result.checks, *found.checks)
        if found.disagreement:
            self.proofs.append(Proof(state.claim.key, Verdict.UNKNOWN, ()))
            return result._replace(
                verdict=Verdict.UNKNOWN,
                reason="disagreement",
                trust="solver",
                evidence=Evidence(),
                checks=checks,
                reproducer=self._reproducer(state),
                time_ms=spent,
            )
        self.proofs.append(Proof(state.claim.key, state.verdict, found.obligations))
        assurances = tuple(each.record for each in found.obligations)
        evidence = result.evidence
        # The second solver may confirm that there is a model; this one is none, and must not be shown.
        if "claim" in found.false_models:
            evidence = evidence._replace(could_be_true=None)
        if "negation" in found.false_models:
            evidence = evidence._replace(could_be_false=None)
        return result._replace(
            trust=found.trust, assurances=assurances, checks=checks, evidence=evidence, time_ms=spent
        )

    def _with_nearest_models(self, state: ClaimState, result: Result) -> Result:
        """The same result with models that differ in no more than they must, and what to ask about."""
        evidence = result.evidence
        shown = evidence.could_be_true is not None and evidence.could_be_false is not None
        if result.verdict is not Verdict.UNDETERMINED:
            return result
        if self._options.models == "full":
            # All there is to see is shown.
            result = result._replace(evidence=evidence._replace(to_ask=()))
        if state.claim.find or not shown or not self._options.cross_checking:
            return result
        began = time.perf_counter()
        found = self._nearest(state)
        spent = (time.perf_counter() - began) * 1000
        self._spent_on_nearest += spent
        if found is None:
            return result._replace(time_ms=result.time_ms + spent)
        from potlang.prove.differences import to_ask

        for side, structure in (("true_model", found.true), ("false_model", found.false)):
            model: PartialModel = getattr(state, side)
            made = CheckResult("sat", None, (), structure=partial(_same, structure))
            setattr(state, side, PartialModel(model.encoding, {}, made))
        # What they differ in is shown beside what the claim speaks of.
        known = {each.label for each in state.terms if _is_kept(each.node)}
        state.terms = list(dict.fromkeys([*state.terms, *found.terms]))
        near = self._with_models(evidence, state)
        evidence = evidence._replace(
            could_be_true=_completed(near.could_be_true, evidence.could_be_true, known),
            could_be_false=_completed(near.could_be_false, evidence.could_be_false, known),
            # Whoever asks whether something could be has the answer in the models.
            to_ask=to_ask(state.formula, found.terms) if state.claim.ask == "must" else (),
        )
        return result._replace(evidence=evidence, time_ms=result.time_ms + spent)

    def _nearest(self, state: ClaimState) -> Nearest | None:
        from potlang.prove.differences import MOST_MS, MOST_MS_CALL, MOST_MS_FULL, nearest

        checker = self.cross_checker()
        models = state.true_model, state.false_model
        true, false = (None if each is None else checker.structure(each.result) for each in models)
        is_full = self._options.models == "full"
        left = MOST_MS_FULL if is_full else min(MOST_MS, MOST_MS_CALL - self._spent_on_nearest)
        if true is None or false is None or left <= 0:
            return None
        negation = self._module.pool.negate(state.formula)

        sides = state.formula, negation
        evaluations = checker.evaluations

        def is_model(side: int, structure: Structure, model: Structure) -> bool:
            return evaluations.still(structure, model, sides[side])

        # These were evaluated already, as whole as they are made here.
        if not all(evaluations.both(*each).holds for each in zip((true, false), sides, strict=True)):
            return None
        true, false = complete(true, self._original), complete(false, self._original)
        terms = self._verifier.terms.everything
        return nearest(true, false, terms, is_model, Deadline(left))

    def _with_scenarios(self, state: ClaimState, result: Result) -> Result:
        """The same result with the elements by which a quantified claim holds or fails in models."""
        rests_on_models = result.verdict in (Verdict.UNDETERMINED, Verdict.REFUTED)
        # Passes may have written quantifiers out.
        formula = self._as_compiled.get(state.claim.key, state.claim).formula
        is_quantified = any(isinstance(node, Quant) for node in reachable(formula))
        if not rests_on_models or state.claim.find or not is_quantified:
            return result
        began = time.perf_counter()
        from potlang.prove.scenarios import ScenarioStep

        if self._scenarios is None:
            self._scenarios = ScenarioStep(self._original, self._verifier, self._model_reading())
        evidence = self._scenarios.added(state, formula, result.evidence)
        spent = (time.perf_counter() - began) * 1000
        return result._replace(evidence=evidence, time_ms=result.time_ms + spent)

    def _model_reading(self) -> ModelReading:
        from potlang.prove.scenarios import ModelReading

        if not self._options.cross_checking:
            # Nobody evaluates the assumptions: the solver's word stands for its model as for its verdict.
            return ModelReading(self._unchecked_models.structure, lambda _: True)
        checker = self.cross_checker()
        return ModelReading(
            checker.structure, lambda structure: checker.evaluations.assumed(structure).holds is not False
        )

    @cached_property
    def _as_compiled(self) -> dict[str, Claim]:
        return {each.key: each for each in (*self._original.claims, *self._original.norms)}

    def _reproducer(self, state: ClaimState) -> str:
        from potlang.prove.reproducer import reproducer

        return reproducer(self._module, self._labels, self._cores.assumed, state)


def _is_kept(node: Node) -> bool:
    """Whether a term that nobody exchanges has the value that a solver has found for it.

    Others are computed of what may have been exchanged, or have elements in them, which get other names.
    """
    symbol = node.op if isinstance(node, App) else node.symbol if isinstance(node, Sym) else None
    if not isinstance(symbol, Symbol) or symbol.kind is SymbolKind.DEFINED:
        return False
    args = node.args if isinstance(node, App) else ()
    named = all(isinstance(each, Sym) and isinstance(each.sort, DeclaredSort) for each in args)
    return named and not any(isinstance(each, DeclaredSort) for each in parts_of([node.sort]))


def _completed(near: Model | None, found: Model | None, known: Container[str]) -> Model:
    """The values of a model, and those that only the solver has words for, such as of records."""
    left = {term: value for term, value in (found or {}).items() if term in known}
    return {**left, **(near or {})}


def _same(structure: Structure) -> Structure:
    return structure


def _without_model(state: ClaimState) -> Check:
    """The check that a settled claim's core leaves without a model."""
    if state.verdict is Verdict.INCONSISTENT:
        return ASSUMPTIONS
    negated = state.verdict is Verdict.ENTAILED
    side = "negation" if negated else "claim"
    return Check(side, state.formula, negated, claim=state.claim)
