"""The answer to an optimization as claims, whose proofs a certificate takes over ([CERT-OPTIMUM-GOAL]).

That values are reached, and that none are better, are claims over the assumptions with the constraints: a
prover over these answers them as it answers any claim.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from potlang.ir.module import Claim, Module, Objective
from potlang.ir.nodes import Node
from potlang.ir.numerals import integer
from potlang.ir.operators import BV_ULE, BV_ULT, EQ, LE, LT, Operator
from potlang.ir.pool import Pool
from potlang.ir.sorts import INT, REAL, BitVecSort, Sort
from potlang.ir.structure import Structure
from potlang.prove.cross_check import Proof, ProofObligation
from potlang.report.results import Consistency, ExactValue, OptimizationResult, OptimizationStatus, Verdict

Prove = Callable[[Module], Proof]
"""The proof of a module's only claim."""

_WITHOUT_OPTIMUM = ("unattained", "unbounded", "undefined")

Row = list[tuple[Objective, Node]]
"""Objectives with a value for each."""


class OptimumProof(NamedTuple):
    """One answer: `kind` is objective, point or front, `values` are what it is said to have, as literals."""

    kind: str
    values: tuple[Node, ...]
    answer: str
    obligations: tuple[ProofObligation, ...]


def prove_optimum(
    module: Module, result: OptimizationResult, families: Mapping[int, Structure], prove: Prove
) -> list[OptimumProof]:
    """The certificate's lines for this answer to the optimization of `module`, with evidence from `prove`.

    What is not proved is `unknown`. That values come close to a limit or have none is shown by the families
    of models, by objective.
    """
    if result.status is OptimizationStatus.INFEASIBLE:
        return _infeasible(module, prove)
    work = _AnswerGoals(module, result, families, prove)
    return list(work.front() if result.mode == "pareto" else work.objectives())


def prove_assumptions(module: Module, prove: Prove) -> Proof:
    """Whether the assertions of `module` have a model: `consistent`, `inconsistent` or `unknown`."""
    proof = prove(_asking(module, module.pool.truth(True)))
    # What is always true is entailed by assertions that have a model, and the model is what shows it.
    wanted = "unsat" if proof.verdict is Verdict.INCONSISTENT else "sat"
    found = [each._replace(side="assumptions") for each in proof.obligations if each.status == wanted]
    if proof.verdict is Verdict.ENTAILED and found:
        return Proof("assumptions", Consistency.CONSISTENT, tuple(found))
    verdict = Verdict.INCONSISTENT if found and wanted == "unsat" else Verdict.UNKNOWN
    return Proof("assumptions", verdict, tuple(found) if verdict is not Verdict.UNKNOWN else ())


def _infeasible(module: Module, prove: Prove) -> list[OptimumProof]:
    proof = prove_assumptions(_constrained(module), prove)
    infeasible = proof.verdict is Verdict.INCONSISTENT
    answer = "infeasible" if infeasible else "unknown"
    evidence = tuple(each._replace(side="feasible") for each in proof.obligations if infeasible)
    assert module.optimization is not None
    if module.optimization.mode == "pareto":
        return [OptimumProof("front", (), answer, evidence)]
    return [OptimumProof("objective", (), answer, evidence) for _ in module.optimization.objectives]


class _AnswerGoals:
    """Goals over the values of one answer."""

    def __init__(
        self, module: Module, result: OptimizationResult, families: Mapping[int, Structure], prove: Prove
    ) -> None:
        assert module.optimization is not None
        self._module, self._result, self._prove = module, result, prove
        self._families = families
        self._pool: Pool = module.pool
        self._goals = module.optimization.objectives

    def objectives(self) -> Iterator[OptimumProof]:
        """The answer on each objective, in order."""
        lexicographic = self._result.mode == "lexicographic"
        fixed: list[Node] = []
        before: str = OptimizationStatus.OPTIMAL
        for number, goal in enumerate(self._goals):
            found = self._result.objectives[number : number + 1]
            status = found[0].status if found else OptimizationStatus.UNKNOWN
            value = self._literal(goal, found[0].value) if found else None
            valued = status in (OptimizationStatus.OPTIMAL, OptimizationStatus.UNATTAINED)
            ordered = not lexicographic or before == OptimizationStatus.OPTIMAL
            # The best value known of an objective that is not settled is no answer, nor is anything behind.
            if not ordered or not valued:
                value = None
            if valued and value is None:
                status = OptimizationStatus.UNKNOWN
            row = [] if value is None else [(goal, value)]
            answer: str = OptimizationStatus.UNKNOWN
            evidence: tuple[ProofObligation, ...] = ()
            if ordered:
                family = self._families.get(number)
                answer, evidence = self._answer(status, fixed if lexicographic else [], row, family)
            elif before in _WITHOUT_OPTIMUM:
                answer = OptimizationStatus.UNDEFINED
            yield OptimumProof("objective", () if value is None else (value,), answer, evidence)
            if value is not None:
                fixed.append(self._pool.app(EQ, (goal.term, value)))
            before = answer

    def front(self) -> Iterator[OptimumProof]:
        """Each point, and whether they are all."""
        rows: list[Row] = []
        for point in self._result.points or ():
            values = [
                self._literal(goal, value) for goal, value in zip(self._goals, point.values, strict=True)
            ]
            known = [value for value in values if value is not None]
            if len(known) == len(values):
                rows.append(list(zip(self._goals, known, strict=True)))
        for row in rows:
            answer, evidence = self._answer(OptimizationStatus.OPTIMAL, [], row)
            yield OptimumProof("point", tuple(value for _, value in row), answer, evidence)
        answer, evidence = "unknown", ()
        if rows and self._result.complete:
            beaten = self._pool.conj([self._some_better(row) for row in rows])
            evidence = self._shown("unsat", "better", beaten)
            answer = "complete" if evidence else "unknown"
        yield OptimumProof("front", (), answer, evidence)

    def _answer(
        self, status: OptimizationStatus, fixed: list[Node], row: Row, family: Structure | None = None
    ) -> tuple[str, tuple[ProofObligation, ...]]:
        least = [*fixed, *(self._compare(LE, BV_ULE, *pair) for pair in row)]
        evidence: list[tuple[ProofObligation, ...]] = []
        match status:
            case OptimizationStatus.OPTIMAL:
                evidence.append(self._shown("sat", "reached", self._pool.conj(least)))
                better = self._pool.conj([*least, self._some_better(row)])
                evidence.append(self._shown("unsat", "better", better))
            case OptimizationStatus.UNATTAINED:
                evidence.append(self._shown("unsat", "reached", self._pool.conj(least)))
                evidence.append(self._approaching("approached", family))
            case OptimizationStatus.UNBOUNDED:
                evidence.append(self._approaching("beyond", family))
            case _:
                return "unknown", ()
        if not all(evidence):
            return "unknown", ()
        return str(status), tuple(each for found in evidence for each in found)

    def _shown(self, status: str, side: str, goal: Node) -> tuple[ProofObligation, ...]:
        """The evidence that the goal has a model, or none; nothing if it was not shown."""
        proof = self._prove(_asking(_constrained(self._module), goal))
        wanted = ("assumptions", "claim") if status == "sat" else ("claim",)
        fits = (Verdict.ENTAILED, Verdict.UNDETERMINED) if status == "sat" else (Verdict.REFUTED,)
        if proof.verdict not in fits:
            return ()
        # A model of the assumptions stands for one of the claim where its negation has none.
        found = [each for each in proof.obligations if each.side in wanted and each.status == status]
        return tuple(each._replace(side=side) for each in found[:1])

    def _approaching(self, side: str, family: Structure | None) -> tuple[ProofObligation, ...]:
        if family is None:
            return ()
        return (ProofObligation(side, "sat", "checked", "evaluator", structure=family),)

    def _some_better(self, row: Row) -> Node:
        return self._pool.disj([self._compare(LT, BV_ULT, *pair) for pair in row])

    def _compare(self, numbers: Operator, bits: Operator, goal: Objective, value: Node) -> Node:
        args = (value, goal.term) if goal.direction == "maximize" else (goal.term, value)
        return self._pool.app(bits if isinstance(value.sort, BitVecSort) else numbers, args)

    def _literal(self, goal: Objective, value: ExactValue | None) -> Node | None:
        """The value as a literal of the objective's sort; None for what is infinite."""
        if value is None or str(value).endswith("oo"):
            return None
        above, _, below = str(value).partition("/")
        exact = Fraction(integer(above), integer(below or "1"))
        if goal.term.sort is REAL:
            return self._pool.real(exact)
        if exact.denominator != 1:
            return None
        whole = exact.numerator
        return self._pool.integer(whole) if goal.term.sort is INT else self._bits(whole, goal.term.sort)

    def _bits(self, value: int, sort: Sort) -> Node | None:
        fits = isinstance(sort, BitVecSort) and 0 <= value < 1 << sort.width
        return self._pool.lit(value, sort) if fits and isinstance(sort, BitVecSort) else None


def _constrained(module: Module) -> Module:
    """The program with the constraints of its optimization as assertions."""
    assert module.optimization is not None
    return replace(module, assertions=(*module.assertions, *module.optimization.constraints))


def _asking(module: Module, formula: Node) -> Module:
    """The program with this claim alone."""
    claim = Claim("goal", "goal", formula)
    return replace(module, claims=(claim,), norms=(), optimization=None, actions=("verify",))
