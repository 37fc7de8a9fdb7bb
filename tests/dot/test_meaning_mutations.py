"""Each statement about the meaning of traces fails when the program is broken on purpose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from meaning_properties import PROPERTIES
from statements import Mutation

from potlang.languages.dot import glue as gluing
from potlang.languages.dot.lower import extract
from potlang.languages.dot.lower import typing as propositions
from potlang.languages.dot.read.records import Entails
from potlang.languages.dot.read.trace import Trace
from potlang.languages.dot.solve import comparing, lints, summary, verify
from potlang.languages.dot.solve.arrows import Arrow, NucleusOfTrace
from potlang.languages.dot.solve.comparing import FormulaComparison
from potlang.languages.dot.solve.prover import Assuming
from potlang.languages.dot.solve.summary import Summary
from potlang.passes import nucleus
from potlang.report.results import Verdict


def at_once(
    self: FormulaComparison,
    block: Sequence[int],
    given: Sequence[int],
    claim: int | None,
    real: Any = FormulaComparison._dropped,
) -> list[int]:
    alone = ([at, *given, *block] for at in block)
    return [at for at, *rest in alone if real(self, [at], [each for each in rest if each != at], claim)]


def one_way(
    self: FormulaComparison, lower: int, upper: int, real: Any = FormulaComparison.entails
) -> bool | None:
    return lower > upper and real(self, lower, upper)


def without_last(self: Summary) -> None:
    self.validated = self.extraction.marked("validated")[:-1]


def last_alone(self: Summary) -> None:
    self.validated = self.extraction.marked("validated")[-1:]


def arrows_of_one(self: Any, side: int, record: Any, real: Any = gluing._Gluing._take) -> None:
    if not (side and isinstance(record, Entails)):
        real(self, side, record)


def all_alike(left: Trace, right: Trace) -> list[tuple[int, int]]:
    pairs = zip(left.nodes, right.nodes, strict=False)
    return [(a, b) for a, b in pairs if left.nodes[a].role == right.nodes[b].role]


MUTATIONS = [
    Mutation("node_verdicts", "assumptions are lost", (propositions._Theory,), "_assumptions",
             lambda self, sink: []),
    Mutation("node_verdicts", "results in another order", (Assuming,), "results",
             lambda self, claims, real=Assuming.results, **more: real(self, claims, **more)[::-1]),
    Mutation("lemma_c_1", "rules turned around", (nucleus.Rule,), "formula",
             lambda self, pool: pool.implies(self.upper, self.lower)),
    Mutation("lemma_c_1", "refuted arrows are in R", (Arrow,), "generates", True),  # type: ignore[arg-type]
    Mutation("lemma_c_1", "closed asked under R", (NucleusOfTrace,), "negation",
             lambda self: self.assertions()[0]),
    Mutation("lemma_c_1", "arrows of sources that are not validated", (extract,), "_valid", lambda *_: True),
    Mutation("theorem_4_5", "not closed", (summary,), "closure", lambda pool, rules, formula: formula),
    Mutation("theorem_4_5", "the first rule alone", (summary,), "closure",
             lambda pool, rules, formula: nucleus.closure(pool, rules[:1], formula)),
    Mutation("theorem_4_8", "arrows are left out", (NucleusOfTrace,), "assertions", lambda self: ()),
    Mutation("theorem_4_8", "the last proposition is lost", (summary,), "facts",
             lambda extraction, said, real=summary.facts: real(extraction, said)[:-1]),
    Mutation("proposition_4_14_2", "the last proposition alone", (Summary,), "__post_init__", last_alone),
    Mutation("proposition_4_14_4", "redundant ones go together", (FormulaComparison,), "_dropped",
             at_once),
    Mutation("proposition_4_14_4", "earlier ones go first", (FormulaComparison,), "irredundant",
             lambda self, named, known=(), real=FormulaComparison.irredundant:
             real(self, named[::-1], known)),
    Mutation("proposition_4_16", "consequences of the arrows alone", (Summary,), "_together",
             Summary._closed),
    Mutation("proposition_4_16", "one model tells too much", (comparing.FormulaComparison,), "needed",
             lambda self, claim, used, more: [node for node, _ in more]),
    Mutation("proposition_4_18", "the last step is lost", (Summary,), "__post_init__", without_last),
    Mutation("proposition_4_20", "every node is a branch", (verify,), "branches",
             lambda extraction, validated: tuple((each,) for each in validated)),
    Mutation("proposition_4_20", "all in one branch", (verify,), "branches",
             lambda extraction, validated: (tuple(validated),) if validated else ()),
    Mutation("theorem_4_22", "entailment without the arrows", (Summary,), "_closed",
             lambda self: self.prover.assuming()),
    Mutation("theorem_4_22", "one side is enough", (FormulaComparison,), "entails",
             one_way),
    Mutation("section_4_5_counterevidence", "not closed", (Summary,), "_closed",
             lambda self: self.prover.assuming()),
    Mutation("appendix_c_3_ranked", "all ranks at once", (NucleusOfTrace,), "up_to",
             lambda self, rank, real=NucleusOfTrace.up_to: real(self, None)),
    Mutation("critic_checks", "entailed and refuted exchanged", (lints,), "_WRONG",
             {("validated", Verdict.ENTAILED): "POT5060"}),  # type: ignore[arg-type]
    Mutation("critic_checks", "summarizers are believed", (lints,), "report_summarizers", lambda *_: None),
    Mutation("proposition_c_3", "the second trace's arrows are lost", (gluing._Gluing,), "_take",
             arrows_of_one),
    Mutation("proposition_c_3", "everything is shared", (gluing,), "_alike",
             all_alike),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_broken_meaning_breaks_the_statement(mutation: Mutation, monkeypatch: pytest.MonkeyPatch) -> None:
    """The statement is found false."""
    mutation.check_caught(PROPERTIES[mutation.statement], monkeypatch)


def test_each_statement_has_a_mutation() -> None:
    assert {mutation.statement for mutation in MUTATIONS} == set(PROPERTIES)
