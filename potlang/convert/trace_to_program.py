"""From a trace to a PoT program: the theory, the arrows that hold and what is validated are assumed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from potlang.ir.module import Assertion, AssertionKind, Claim, Origin
from potlang.languages.dot.check import CheckedTrace, MalformedTrace, Theory, TraceSource, check
from potlang.languages.dot.lower.extract import Extraction, extract
from potlang.languages.dot.lower.typing import TypedPropositions
from potlang.languages.dot.read.records import Profile
from potlang.languages.dot.solve.arrows import Arrow, judge_arrows
from potlang.languages.dot.solve.prover import TheoryProver
from potlang.languages.dot.solve.summary import facts
from potlang.processes.pool import Workers
from potlang.report.results import Limits
from potlang.sema.emit import module_to_pot


def trace_to_pot(
    source: TraceSource | CheckedTrace,
    theory: Theory | None = None,
    *,
    profile: Profile = "paper",
    limits: Limits = Limits(),
    workers: Workers | None = None,
) -> dict[str, Any]:
    """The PoT program that a trace amounts to ([DOT-CONV-1] to [DOT-CONV-3]).

    Facts `node N` are the validated propositions; verifications `node N` and `summary N` what other nodes
    and summarizers say. Arrows are rules, named by their records, but for those that the theory refutes:
    a solver is asked within `limits`. Raises `MalformedTrace` for a trace with errors, `potlang.CompileError`
    for such a theory, and `potlang.sema.emit.ExpansionTooLarge`.
    """
    checked = source if isinstance(source, CheckedTrace) else check(source, profile=profile, theory=theory)
    if not checked.ok:
        raise MalformedTrace(checked.diagnostics, checked.trace)
    said, extraction = checked.propositions, extract(checked.trace)
    with TheoryProver(said.module, limits=limits, workers=workers) as prover:
        arrows = judge_arrows(extraction, said, prover)
    module = said.module
    assumed = (*module.assertions, *_rules(arrows, said), *facts(extraction, said))
    claims = tuple(_claims(extraction, said))
    return module_to_pot(replace(module, assertions=assumed, claims=claims, actions=("verify",)))


def _rules(arrows: Iterable[Arrow], said: TypedPropositions) -> Iterator[Assertion]:
    """P → Q for each arrow that is not refuted; the way back of an equality says so."""
    named: set[str] = set()
    for arrow in arrows:
        if arrow.state == "refuted":
            continue
        record = arrow.rule.origin.text
        name = f"{record} (back)" if arrow.inclusion.schema == "EQ" and record in named else record
        named.add(name)
        formula = said.module.pool.implies(arrow.rule.lower, arrow.rule.upper)
        yield Assertion(arrow.rule.key, name, AssertionKind.RULE, formula, Origin("", record))


def _claims(extraction: Extraction, said: TypedPropositions) -> Iterator[Claim]:
    """The propositions that are asserted without being assumed."""
    for id_, formula in said.stated.items():
        role = extraction.trace.nodes[id_].role
        if role == "summarizer":
            yield Claim(f"node:{id_}", f"summary {id_}", formula)
        elif role != "proposer" or extraction.state(id_) != "validated":
            yield Claim(f"node:{id_}", f"node {id_}", formula)
