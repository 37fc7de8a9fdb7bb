"""The verdict on each claim, with no more checks than it needs ([VERDICT-RULE], [VERDICT-REUSE]).

Claims share the assumptions: their status, once known, is not asked for again, and a model found
for one claim may decide a side of another.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from potlang.engines.check import ASSUMPTIONS, Check, CheckResult, Known, SideName
from potlang.engines.encoding import Encoding, Unsupported
from potlang.engines.messages import Query
from potlang.ir.module import Assertion, Claim
from potlang.ir.nodes import Node, Quant, reachable
from potlang.ir.pool import Pool
from potlang.prove.decision import (
    ClaimDecision,
    decide,
    needs_assumptions,
    paper_answer,
)
from potlang.prove.dispatcher import Dispatcher
from potlang.prove.terms import ShownTerm, TermCollector
from potlang.report.results import CheckRecord, Consistency, Verdict
from potlang.utils.deadline import OutOfFuel, OutOfTime, look

_MOST_VALUES = 256
_MOST_AHEAD = 32
_MOST_MODELS = 16
_MOST_ROUNDS = 4
_LARGEST_REUSED = 200
_FEWEST_FORESEEN = 8
_FORESEEN_MS = 200


class PartialModel(NamedTuple):
    """A model of the assumptions: values of some terms by node id; the whole of it may be in `result`."""

    encoding: Encoding
    values: dict[int, str]
    result: CheckResult

    def covers(self, terms: Iterable[ShownTerm]) -> bool:
        """Whether the model has a value for each of these."""
        return all(term.node.id in self.values for term in terms)


@dataclass(slots=True)
class ClaimState:
    """The answers on one claim so far; `formula` is closed."""

    claim: Claim
    kind: str
    formula: Node
    terms: list[ShownTerm]
    reusable: bool
    named: tuple[ShownTerm, ...] = ()
    positive: Known = None
    negative: Known = None
    true_model: PartialModel | None = None
    false_model: PartialModel | None = None
    core: tuple[str, ...] | None = None
    checks: list[CheckRecord] = field(default_factory=list)
    results: list[CheckResult] = field(default_factory=list)
    refutations: dict[str, CheckResult] = field(default_factory=dict)
    decision: ClaimDecision = field(default_factory=lambda: decide(None, None, None))
    time_ms: float = 0.0

    @property
    def disagreement(self) -> bool:
        """Whether two solvers, or the answers among each other, contradict."""
        return self.decision.contradictory or any(result.disagreement for result in self.results)

    @property
    def verdict(self) -> Verdict:
        """The verdict so far."""
        return Verdict.UNKNOWN if self.disagreement else self.decision.verdict

    @property
    def reason(self) -> str | None:
        """Why the verdict is unknown; None if it is not."""
        if self.verdict is not Verdict.UNKNOWN:
            return None
        if self.disagreement:
            return "disagreement"
        return next((result.reason for result in self.results if result.reason is not None), "incomplete")

    @property
    def paper_answer(self) -> str | None:
        """`SAT`, `UNSAT` or None."""
        return None if self.disagreement else paper_answer(self.decision, self.positive)

    @property
    def cross_checked(self) -> bool:
        """Whether two solvers agreed on every answer that the verdict rests on."""
        used = [result for result in self.results if result.status != "unknown"]
        return bool(used) and self.verdict is not Verdict.UNKNOWN and all(result.agreed for result in used)


def closed_formula(claim: Claim, pool: Pool) -> Node:
    """The claim as one closed formula: with `find`, that some binding exists ([VERDICT-FIND])."""
    return pool.quant("exists", claim.find, claim.formula) if claim.find else claim.formula


def _is_quantified(formula: Node) -> bool:
    return any(isinstance(node, Quant) for node in reachable(formula))


def _given_up(reason: OutOfFuel) -> CheckResult:
    """The result of a check that the limits of the call ended before anybody was asked."""
    why = "timeout" if isinstance(reason, OutOfTime) else "memory"
    return CheckResult("unknown", why, ())


def _names(results: Iterable[CheckResult]) -> str:
    """Who gave these answers."""
    return "+".join(dict.fromkeys(result.by for result in results if result.by))


class Verifier:
    """Decides claims over one base. `extra` are assumptions on top of it, sent with each check.

    `whole_models`: the models found are asked for as a whole, not those of quantified claims alone.
    `tracked`: solvers are asked for cores at once. `together`: open sides of several claims may be put
    as one check.
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        terms: TermCollector,
        *,
        tracked: bool,
        full_models: bool = False,
        whole_models: bool = False,
        together: bool = False,
    ) -> None:
        self.dispatcher = dispatcher
        self.terms = terms
        self.assumptions_model: PartialModel | None = None
        self._whole = whole_models
        self.labels = dispatcher.solvers[0].encoding.labels
        self.extra: tuple[Assertion, ...] = ()
        self.assumptions: CheckResult | None = None
        self.cut_short = False
        """Whether the limits of a call ended something in its midst."""
        self._models: list[PartialModel] = []
        # What two solvers are to agree on is asked of both each time.
        self._reuse = len(dispatcher.solvers) == 1
        self._foreseeing = self._reuse
        self._together = together and self._reuse
        self._full = full_models
        self._tracked = tracked

    # --- what is known of the assumptions ---

    @property
    def assumptions_status(self) -> Known:
        """The assumptions' status; None if not known yet, "unknown" if it was asked for in vain."""
        return None if self.assumptions is None else self.assumptions.status

    @property
    def consistency(self) -> Consistency | None:
        """The same for the report."""
        words = {"sat": Consistency.CONSISTENT, "unsat": Consistency.INCONSISTENT}
        status = self.assumptions_status
        return None if status is None else words.get(status, Consistency.UNKNOWN)

    def assume(self, extra: tuple[Assertion, ...]) -> None:
        """These are the assumptions on top of the base from now on."""
        self.extra = extra
        self.assumptions = None
        self.assumptions_model = None
        self._models = []

    def check_assumptions(self) -> CheckResult:
        """Check the assumptions alone, unless that is known."""
        if self.assumptions is None or self.assumptions.status == "unknown":
            self.assumptions = self.check(ASSUMPTIONS)
            self.assumptions_model = self._model(self.assumptions, [])
        return self.assumptions

    def check(self, check: Check, *, model: bool = True) -> CheckResult:
        """One check under the assumptions, with a core if it is unsat; without `model` with values alone."""
        complete = self._complete(check)
        return self.dispatcher.check(complete if model else complete._replace(model=False))

    def query(self, encoding: Encoding, text: str, values: tuple[str, ...] = ()) -> Query:
        """A query in one solver's words on top of the base and the extra assumptions."""
        more = "".join([encoding.assertion(each) for each in self.extra])
        return Query(more + text, values, core=True)

    def _complete(self, check: Check) -> Check:
        # Of a quantified claim the scenarios are evaluated in the whole model, whoever checks it.
        whole = self._whole or (self._tracked and check.formula is not None and _is_quantified(check.formula))
        return check._replace(assumptions=self.extra, core=self._tracked, model=whole)

    # --- claims ---

    def opened(self, claims: Sequence[tuple[Claim, str]]) -> list[ClaimState]:
        """A state for each claim and its kind, in order, of which nothing is known yet."""
        return [self._state(claim, kind) for claim, kind in claims]

    def verify(self, states: Sequence[ClaimState]) -> None:
        """Decide these claims, in order."""
        self._foresee(states)
        for index, state in enumerate(states):
            began = time.perf_counter()
            try:
                look()
                if not state.results:
                    self._decide(state, states[index + 1 : index + 1 + _MOST_AHEAD])
                if index == 0 and self._together:
                    self._decide_together(states[1 : 1 + _MOST_AHEAD])
            except OutOfFuel as reason:
                self.cut_short = True
                state.results.append(_given_up(reason))
                state.checks += state.results[-1].checks
            state.time_ms = (time.perf_counter() - began) * 1000

    def _foresee(self, states: Sequence[ClaimState]) -> None:
        """Look for models in which many claims hold, and for such in which many fail ([VERDICT-FORESEEN])."""
        # Without a model from a solver nothing says that one is needed.
        if not self._foreseeing or not any(model.result.structure is None for model in self._models):
            return
        wanted: dict[int, Node] = {}
        plain: list[Node] = []
        for state in states:
            more = [*(term.node for term in (*state.terms, *state.named)), state.formula]
            can_tell = state.reusable and not state.results and self._can_say(state)
            if can_tell and len(wanted) + len(more) <= _MOST_VALUES:
                wanted |= {node.id: node for node in more}
                plain.append(state.formula)
        negate, values = self.terms.module.pool.negate, list(wanted.values())
        groups = [plain, list(map(negate, plain))] if len(plain) >= _FEWEST_FORESEEN else []
        while groups and self._foreseeing:
            found = self._shared_models(groups, values)
            apart = [group for group, is_model in zip(groups, found, strict=True) if not is_model]
            halves = [half for group in apart for half in (group[::2], group[1::2])]
            groups = [half for half in halves if len(half) >= _FEWEST_FORESEEN]

    def _shared_models(self, groups: Sequence[Sequence[Node]], wanted: list[Node]) -> list[bool]:
        """Whether a model was found, and is kept, in which all formulas of a group are true."""
        conj = self.terms.module.pool.conj
        checks = [self._complete(Check("claim", conj(group), wanted=tuple(wanted))) for group in groups]
        found = []
        for result in self.dispatcher.ask_ahead(
            "claim", [each.query for each in checks], most_ms=_FORESEEN_MS
        ):
            # What takes the solver long once would do so each time.
            self._foreseeing &= result.status != "unknown"
            model = self._model(result, wanted)
            found.append(model is not None and bool(model.values))
            if model is not None and model.values:
                self._models = [*self._models[1 - _MOST_MODELS :], model]
        return found

    def _decide_together(self, states: Sequence[ClaimState]) -> None:
        """Put the open sides of many claims as one check: if none has a model, all are unsat.

        A model decides some of them and the rest is put again, as long as that pays ([VERDICT-TOGETHER]).
        """
        for _ in range(_MOST_ROUNDS):
            for state in states:
                self._recall(state)
            open_sides = [(state, side) for state in states if (side := self._open_side(state))]
            if len(open_sides) < 2:
                return
            first, rest = open_sides[0][0], [state for state, _ in open_sides[1:]]
            wanted = self._wanted(first, rest)
            result = self.check(Check("claim", self._any(open_sides), wanted=tuple(wanted)))
            if result.status == "unsat":
                self._note_all(open_sides, result)
            model = self._model(result, wanted)
            if model is None or not model.values:
                return
            self._models = [*self._models[1 - _MOST_MODELS :], model]
            told = sum(state.formula.id in model.values for state, _ in open_sides)
            if told < len(open_sides):
                return

    def _open_side(self, state: ClaimState) -> SideName | None:
        """The one side of a plain claim that is not known while the other has a model."""
        if not state.reusable or state.decision.settled or not self._can_say(state):
            return None
        sides: dict[tuple[Known, Known], SideName] = {("sat", None): "negation", (None, "sat"): "claim"}
        return sides.get((state.positive, state.negative))

    def _any(self, open_sides: Sequence[tuple[ClaimState, SideName]]) -> Node:
        pool = self.terms.module.pool
        return pool.disj(
            state.formula if side == "claim" else pool.negate(state.formula) for state, side in open_sides
        )

    def _note_all(self, open_sides: Sequence[tuple[ClaimState, SideName]], result: CheckResult) -> None:
        words = f"together with {len(open_sides) - 1} other claims"
        for state, side in open_sides:
            checks = tuple(check._replace(query=side, detail=words) for check in result.checks)
            self._note(state, side, result._replace(checks=checks), [])

    def _state(self, claim: Claim, kind: str) -> ClaimState:
        try:
            look()
            return self._prepared(claim, kind)
        except OutOfFuel as reason:
            self.cut_short = True
            state = ClaimState(claim, kind, claim.formula, [], reusable=False)
            state.results.append(_given_up(reason))
            return state

    def _prepared(self, claim: Claim, kind: str) -> ClaimState:
        formula = closed_formula(claim, self.terms.module.pool)
        terms = self.terms.everything if self._full else self.terms.touched(formula)
        reusable = len(reachable(formula)) <= _LARGEST_REUSED and not _is_quantified(formula)
        return ClaimState(claim, kind, formula, terms, reusable, self.terms.names_for(terms))

    def _decide(self, state: ClaimState, later: Sequence[ClaimState]) -> None:
        if self.assumptions is not None and self.assumptions.status == "unsat":
            self._settle(state)
            state.results.append(self.assumptions)
            return
        self._recall(state)
        # Neither side alone decides an open claim, so both are sent at once: one trip, not two.
        if state.positive is None and state.negative is None:
            self._ask_both(state, later)
        # Of what models have shown, one side that is satisfiable, the other is still to be asked for.
        if state.positive is None:
            self._ask(state, "claim", later)
        if state.negative is None:
            self._ask(state, "negation", later)
        if self.assumptions is None and needs_assumptions(state.positive, state.negative):
            state.checks += self.check_assumptions().checks
        self._settle(state)

    def _recall(self, state: ClaimState) -> None:
        """Take the sides of a claim that the models found so far decide."""
        for model in self._models:
            self._read(state, model)
        self._settle(state)

    @property
    def _assumptions_sure(self) -> Known:
        return self.assumptions_status if self.assumptions_status in ("sat", "unsat") else None

    def _settle(self, state: ClaimState) -> None:
        """Apply the rule, and note what the claim's answers say about the assumptions."""
        sides = (state.positive, state.negative)
        state.decision = decide(self._assumptions_sure, *sides)
        if self.assumptions_status in ("sat", "unsat") or state.disagreement:
            if self.assumptions is not None and self.assumptions.status == "unsat":
                state.core = self.assumptions.core
            return
        # A model of a side is one of the assumptions, and two unsat sides leave them none.
        if "sat" in sides:
            self.assumptions_model = state.true_model or state.false_model
            used = [result for result in state.results if result.status == "sat"]
            agreed = any(result.agreed for result in used)
            self.assumptions = CheckResult("sat", None, (), agreed=agreed, by=_names(used))
        elif sides == ("unsat", "unsat"):
            agreed = all(result.agreed for result in state.results)
            by = _names(state.results)
            self.assumptions = CheckResult("unsat", None, (), core=state.core, agreed=agreed, by=by)

    def _ask_both(self, state: ClaimState, later: Sequence[ClaimState]) -> None:
        """Both sides: whatever the first answer is, the second is needed."""
        wanted = self._wanted(state, later)
        claim, negation = self._side(state, "claim", wanted), self._side(state, "negation", wanted)
        for check, result in zip(
            (claim, negation), self.dispatcher.check_both((claim, negation)), strict=True
        ):
            self._note(state, check.name, result, wanted)

    def _ask(self, state: ClaimState, side: SideName, later: Sequence[ClaimState]) -> None:
        wanted = self._wanted(state, later)
        self._note(state, side, self.dispatcher.check(self._side(state, side, wanted)), wanted)

    def _side(self, state: ClaimState, side: SideName, wanted: list[Node]) -> Check:
        check = Check(side, state.formula, side == "negation", tuple(wanted), state.claim)
        return self._complete(check)

    def _note(self, state: ClaimState, side: str, result: CheckResult, wanted: list[Node]) -> None:
        state.results.append(result)
        state.checks += result.checks
        model = self._model(result, wanted)
        if side == "claim":
            state.positive, state.true_model = result.status, model
        else:
            state.negative, state.false_model = result.status, model
        if result.status == "unsat":
            state.refutations[side] = result
        if result.core is not None:
            state.core = tuple(dict.fromkeys((*(state.core or ()), *result.core)))
        if model is not None and model.values and self._reuse:
            self._models = [*self._models[1 - _MOST_MODELS :], model]
        self._settle(state)

    def _wanted(self, state: ClaimState, later: Sequence[ClaimState]) -> list[Node]:
        """Terms to evaluate in a model: the claim's, and later claims as far as there is room."""
        wanted = {term.node.id: term.node for term in (*state.terms, *state.named)}
        if self._reuse:
            for other in later:
                if not other.reusable or not self._can_say(other):
                    continue
                more = {term.node.id: term.node for term in (*other.terms, *other.named)}
                more[other.formula.id] = other.formula
                # Values cost a solver little next to another check, but not nothing.
                if len(wanted | more) <= _MOST_VALUES:
                    wanted |= more
        return list(wanted.values())

    def _can_say(self, state: ClaimState) -> bool:
        """Whether the engine has words for the claim; if not, it must not spoil another's query."""
        try:
            self.dispatcher.solvers[0].encoding.term(state.formula)
        except Unsupported:
            return False
        return True

    def _model(self, result: CheckResult, wanted: list[Node]) -> PartialModel | None:
        if result.status != "sat" or result.encoding is None:
            return None
        ids = [node.id for node in wanted] if result.values is not None else []
        return PartialModel(result.encoding, dict(zip(ids, result.values or (), strict=True)), result)

    def _read(self, state: ClaimState, model: PartialModel) -> None:
        """Take a side of the claim from a model found earlier, if it says it in so many words."""
        truth = model.values.get(state.formula.id)
        if truth == "true" and state.positive is None and model.covers(state.terms):
            state.positive, state.true_model = "sat", model
        elif truth == "false" and state.negative is None and model.covers(state.terms):
            state.negative, state.false_model = "sat", model
