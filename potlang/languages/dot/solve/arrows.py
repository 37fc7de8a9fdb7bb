"""The inclusions that a trace claims: what the theory says of each, and the nucleus that they generate.

Appendix C.1 of the paper in the form of [DOT-ARROW-1] ff.: a refuted inclusion stays out of R.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from potlang.ir.module import Assertion, AssertionKind, Origin
from potlang.ir.nodes import Node
from potlang.ir.pool import Pool
from potlang.languages.dot.lower.extract import Extraction, Inclusion
from potlang.languages.dot.lower.typing import TypedPropositions
from potlang.languages.dot.read.records import Entails
from potlang.languages.dot.results import ArrowResult, ArrowState
from potlang.languages.dot.solve.prover import TheoryProver
from potlang.languages.dot.write.emit import emit_record
from potlang.passes.nucleus import Rule, assumed, conjunction
from potlang.report.results import Result, Verdict

_STATES: dict[Verdict, ArrowState] = {
    Verdict.ENTAILED: "proved",
    Verdict.INCONSISTENT: "proved",
    Verdict.REFUTED: "refuted",
    Verdict.UNDETERMINED: "assumed",
}


class Arrow(NamedTuple):
    """An inclusion with its formulas; `result` is None where P and Q are one formula, and where
    both are opaque atoms and another arrow has the evidence for such.
    """

    inclusion: Inclusion
    rule: Rule
    state: ArrowState
    result: Result | None

    @property
    def source(self) -> int:
        """The node whose proposition is the lower one."""
        return self.inclusion.lower

    @property
    def generates(self) -> bool:
        """Whether it is in R: assumed, or not known to be anything else."""
        return self.state in ("assumed", "unknown")


def judge_arrows(extraction: Extraction, said: TypedPropositions, prover: TheoryProver) -> list[Arrow]:
    """Each inclusion with what the theory alone says of it, in order.

    Of those between two different opaque atoms one is asked about: the theory says the same of all.
    """
    rules = [_rule(number, each, said) for number, each in enumerate(extraction.inclusions)]
    pool = prover.pool
    open_rules = [rule for rule in rules if rule.lower is not rule.upper]
    atoms = set(said.atoms.values())
    opaque = [rule for rule in open_rules if rule.lower in atoms and rule.upper in atoms]
    alike = {rule.key: opaque[0].key for rule in opaque}
    questions = [rule for rule in open_rules if alike.get(rule.key, rule.key) == rule.key]
    claims = [(rule.name, rule.formula(pool)) for rule in questions]
    asked = prover.assuming().results(claims, examples=True)
    results = {rule.key: _arrow_result(result) for rule, result in zip(questions, asked, strict=True)}
    return [
        Arrow(inclusion, rule, _state(results.get(alike.get(rule.key, rule.key))), results.get(rule.key))
        for inclusion, rule in zip(extraction.inclusions, rules, strict=True)
    ]


def _rule(number: int, inclusion: Inclusion, said: TypedPropositions) -> Rule:
    lower, upper = said.formula(inclusion.lower), said.formula(inclusion.upper)
    assert lower is not None and upper is not None, "inclusions join proposers"
    name = f"arrow {inclusion.lower} -> {inclusion.upper} ({inclusion.schema})"
    text = emit_record(inclusion.record).decode()
    return Rule(f"arrow:{number}", name, lower, upper, Origin("", text))


def _state(result: Result | None) -> ArrowState:
    return "proved" if result is None else _STATES.get(result.verdict, "unknown")


def _arrow_result(result: Result) -> Result:
    """The result with a counterexample to a refuted inclusion, and no model of a proved one."""
    if result.verdict is not Verdict.ENTAILED:
        return result
    return result._replace(evidence=result.evidence._replace(could_be_true=None))


class NucleusOfTrace:
    """The nucleus c(X) = R → X of the arrows that generate."""

    def __init__(self, arrows: Sequence[Arrow], pool: Pool) -> None:
        self.arrows = arrows
        self._pool = pool
        self.rules = self.up_to(None)

    def up_to(self, rank: int | None) -> tuple[Rule, ...]:
        """The rules of rank at most `rank`, each formula once; all rules for None."""
        found: dict[Node, Rule] = {}
        for arrow in self.arrows:
            if arrow.generates and (rank is None or arrow.inclusion.rank <= rank):
                found.setdefault(arrow.rule.formula(self._pool), arrow.rule)
        return tuple(found.values())

    def assertions(self) -> tuple[Assertion, ...]:
        """R, an assertion for each rule."""
        return assumed(self._pool, self.rules)

    def formula(self, rank: int | None = None) -> Node:
        """R as one formula."""
        return conjunction(self._pool, self.rules if rank is None else self.up_to(rank))

    def negation(self) -> Assertion:
        """¬R, under which exactly the closed propositions of the theory follow."""
        negated = self._pool.negate(self.formula())
        return Assertion("not R", "not R", AssertionKind.RULE, negated)


def arrow_results(
    arrows: Iterable[Arrow],
    vacuous: dict[int, bool],
    conflicts: dict[int, Result],
    lines: Sequence[int | None],
) -> tuple[ArrowResult, ...]:
    """The arrows for the report; `vacuous` and `conflicts` by the id of the formula of their source."""
    found = []
    for arrow, line in zip(arrows, lines, strict=True):
        inclusion, id_ = arrow.inclusion, arrow.rule.lower.id
        record = inclusion.record
        refutation = conflicts.get(id_)
        found.append(
            ArrowResult(
                inclusion.lower,
                inclusion.upper,
                inclusion.schema,
                inclusion.rank,
                record.witness if isinstance(record, Entails) else None,
                arrow.state,
                None if arrow.state == "refuted" else vacuous.get(id_),
                None if refutation is None or arrow.state == "refuted" else refutation.evidence.core,
                line,
                arrow.result,
            )
        )
    return tuple(found)
