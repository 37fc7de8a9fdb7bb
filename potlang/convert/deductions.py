"""Derivations of entailed claims: the core, and lemmas in an order of dependence."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from potlang.engines.horn.lemmas import derive_lemmas
from potlang.ir.module import Assertion, Claim, Module
from potlang.ir.nodes import Node
from potlang.languages.pot.program import Program
from potlang.languages.pot.solve import verify
from potlang.report.results import Evidence, Limits, Result, Verdict

if TYPE_CHECKING:
    from potlang.engines.horn.lemmas import Lemmas
    from potlang.processes.pool import Workers


class NotEntailed(ValueError):
    """The claim is not entailed, so that nothing derives it. `verdict` says what it is."""

    def __init__(self, claim: str, verdict: Verdict) -> None:
        self.verdict = verdict
        super().__init__(f"only an entailed claim has a derivation, and `{claim}` is {verdict}")


class Deduction(NamedTuple):
    """`goal` is the claim, or its negation, as one formula; `module` has the assertions of its core alone.

    `lemmas` are None where the closure does not derive the claim from these, or not soon.
    """

    claim: Claim
    module: Module
    goal: Node
    lemmas: Lemmas | None


def deduce(
    program: Program,
    claim: str | None = None,
    *,
    limits: Limits = Limits(),
    workers: Workers | None = None,
) -> Deduction:
    """The derivation of a claim of a program, by default of the first one.

    Raises LookupError if there is no such claim, and NotEntailed.
    """
    asked = _claim(program.module, claim)
    report = verify(program.asking([asked]), limits=limits, workers=workers)
    [result] = report.results
    if result.verdict is not Verdict.ENTAILED:
        raise NotEntailed(asked.name, result.verdict)
    return deduction(program.module, asked, result)


def deduction(module: Module, claim: Claim, result: Result) -> Deduction:
    """The derivation of a claim from the core of its result; of its negation, if it is refuted."""
    pool = module.pool
    module = replace(module, assertions=_core(module, result.evidence))
    goal = pool.quant("exists", claim.find, claim.formula) if claim.find else claim.formula
    if result.verdict is Verdict.REFUTED:
        goal = pool.negate(goal)
    return Deduction(claim, module, goal, derive_lemmas(module, goal))


def _claim(module: Module, name: str | None) -> Claim:
    found = [each for each in module.claims if name in (None, each.name)]
    if not found:
        known = ", ".join(f"`{each.name}`" for each in module.claims[:10]) or "none"
        wanted = "has no claim" if name is None else f"has no claim `{name}`"
        raise LookupError(f"the program {wanted}; its claims: {known}")
    return found[0]


def _core(module: Module, evidence: Evidence) -> tuple[Assertion, ...]:
    """The assumptions that suffice; all of them where no core is known."""
    if evidence.core is None:
        return module.assertions
    names = {(item.name, item.pointer) for item in evidence.core}
    return tuple(each for each in module.assertions if (each.name, each.origin.pointer) in names)
