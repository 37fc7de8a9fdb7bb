"""The summary of a trace, c(⋀ P_v) over its validated propositions ([DOT-SUMMARY-1] ff.)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from potlang.ir.module import Assertion, AssertionKind, Claim, Module, Origin
from potlang.ir.nodes import Node
from potlang.languages.dot.lower.extract import Extraction
from potlang.languages.dot.lower.typing import TypedPropositions
from potlang.languages.dot.read.records import Edge
from potlang.languages.dot.results import RankResult, SummarizerResult
from potlang.languages.dot.solve.arrows import NucleusOfTrace
from potlang.languages.dot.solve.comparing import MOST_COMPARED, FormulaComparison
from potlang.languages.dot.solve.prover import Assuming, TheoryProver
from potlang.passes.nucleus import closure
from potlang.passes.simplify import Simplify
from potlang.report.results import Consistency, Result, Verdict
from potlang.sema.emit import Unwritable, Writer

MOST_LEFT_OUT = 1_000_000
"""Nodes in the lists of what summarizers leave out, taken together."""
_LONGEST_FORMULA = 100_000
_CONSISTENCY = {Verdict.ENTAILED: Consistency.CONSISTENT, Verdict.INCONSISTENT: Consistency.INCONSISTENT}
_FOLLOWS = (Verdict.ENTAILED, Verdict.INCONSISTENT)


@dataclass(slots=True)
class Summary:
    """The summary of the validated propositions of a trace; its parts are asked for one after the other.

    `verdicts` are the nodes' under the theory alone.
    """

    extraction: Extraction
    said: TypedPropositions
    nucleus: NucleusOfTrace
    prover: TheoryProver
    verdicts: Mapping[int, Verdict]
    notes: list[str] = field(default_factory=list)
    validated: tuple[int, ...] = field(init=False)
    """The validated nodes in order."""

    def __post_init__(self) -> None:
        self.validated = self.extraction.marked("validated")

    def formula_of(self, id_: int) -> Node:
        """The formula of a proposer."""
        return _proposition(self.said, id_)

    def _formulas(self, ids: Iterable[int]) -> list[Node]:
        return [self.formula_of(id_) for id_ in ids]

    def _together(self) -> Assuming:
        """Theory, R, and the validated propositions."""
        return self.prover.assuming(*self.nucleus.assertions(), *facts(self.extraction, self.said))

    def _closed(self) -> Assuming:
        """Theory and R."""
        return self.prover.assuming(*self.nucleus.assertions())

    # --- the summary itself ----------------------------------------------------------------------

    def formula(self) -> str | None:
        """c(⋀ P_v), simplified, in the PoT language; None if it is too large to be shown."""
        pool = self.prover.pool
        meet = pool.conj(dict.fromkeys(self._formulas(self.validated)))
        found = simplified(self.said.module, closure(pool, self.nucleus.rules, meet))
        return formula_text(Writer(self.said.module), found)

    def consistent(self) -> tuple[Consistency, Result | None]:
        """Whether theory, R and the validated propositions have a model; with the evidence.

        What is asked is a tautology that mentions them all: it is entailed, or the assumptions are
        inconsistent, and a model of it shows what they speak of.
        """
        if self._unconstrained(self.validated):
            return Consistency.CONSISTENT, None
        pool = self.prover.pool
        shown = pool.conj(dict.fromkeys((*self._formulas(self.validated), self.nucleus.formula())))
        tautology = pool.disj((pool.true, shown))
        [result] = self._together().results([("summary", tautology)], examples=True)
        return _CONSISTENCY.get(result.verdict, Consistency.UNKNOWN), result

    def _unconstrained(self, ids: Iterable[int]) -> bool:
        """Whether nothing is assumed, and these are opaque: they can be true and false in any way."""
        empty = self.prover.assuming().is_empty and not self.nucleus.rules
        return empty and all(id_ in self.said.atoms for id_ in ids)

    def consequences(self, consistency: Consistency) -> tuple[int, ...]:
        """The proposers that are not validated and that the summary entails."""
        open_ = [id_ for id_ in self.extraction.proposers if self.extraction.state(id_) != "validated"]
        if consistency is Consistency.INCONSISTENT:
            return tuple(open_)
        mentioned = {node.id for rule in self.nucleus.rules for node in (rule.lower, rule.upper)}
        others = [id_ for id_ in open_ if id_ in self.said.stated or self.formula_of(id_).id in mentioned]
        if not others:
            return ()
        found = self._together().follow(self._formulas(others))
        if any(self.formula_of(id_).id not in found for id_ in others):
            self.notes.append("not every consequence was settled")
        return tuple(id_ for id_ in others if found.get(self.formula_of(id_).id))

    # --- summarizers -----------------------------------------------------------------------------

    def summarizers(self) -> list[SummarizerResult]:
        """Each summarizer: whether it is faithful, and what it leaves out."""
        trace = self.extraction.trace
        ids = [id_ for id_, node in trace.nodes.items() if node.role == "summarizer"]
        if not ids:
            return []
        uses: dict[int, dict[int, None]] = {id_: {} for id_ in ids}
        for edge in trace.of(Edge):
            if edge.dst in uses:
                uses[edge.dst][edge.src] = None
        stating = [id_ for id_ in ids if id_ in self.said.stated]
        results: dict[int, Result] = {}
        if stating:
            claims = [(f"summary {id_}", self.said.stated[id_]) for id_ in stating]
            results = dict(zip(stating, self._together().results(claims), strict=True))
        found = [self._summarizer(id_, tuple(uses[id_]), results.get(id_)) for id_ in ids]
        return list(self._with_left_out(found))

    def _summarizer(self, id_: int, uses: tuple[int, ...], result: Result | None) -> SummarizerResult:
        faithful: bool | None = None if id_ in self.said.broken else True
        if result is not None:
            faithful = None if result.verdict is Verdict.UNKNOWN else result.verdict in _FOLLOWS
        if id_ in self.extraction.trace.misusing:
            faithful = False
        return SummarizerResult(id_, faithful, uses, result=result)

    def _with_left_out(self, found: Sequence[SummarizerResult]) -> Iterator[SummarizerResult]:
        """The same with the validated nodes that each does not use, as long as there is room for them."""
        room = MOST_LEFT_OUT
        for number, each in enumerate(found):
            used = set(each.uses)
            left_out = tuple(node for node in self.validated if node not in used)
            room -= len(left_out)
            if room < 0:
                self.notes.append(
                    f"what summarizers leave out is not listed from {each.node} on: more than"
                    f" {MOST_LEFT_OUT:,} nodes in all"
                )
                yield from found[number:]
                return
            yield each._replace(left_out=left_out)

    def with_needed(self, found: Sequence[SummarizerResult]) -> tuple[SummarizerResult, ...]:
        """The same with what each needs of what it leaves out."""
        return tuple(self._with_needed(each) for each in found)

    def _with_needed(self, found: SummarizerResult) -> SummarizerResult:
        follows = found.result is not None and found.result.verdict in _FOLLOWS
        if not follows or not found.left_out:
            return found
        if len(self.validated) > MOST_COMPARED:
            self.notes.append(
                f"what summarizer {found.node} needs was not looked at: {len(self.validated)} validated"
                f" propositions, more than {MOST_COMPARED}"
            )
            return found
        used = self._formulas(each for each in found.uses if self.said.formula(each) is not None)
        claim = self.said.stated[found.node]
        formulas = [claim, *used, *self._formulas(self.validated)]
        comparison = FormulaComparison(self._closed(), self.prover.pool, formulas)
        named = [(id_, self.formula_of(id_)) for id_ in found.left_out]
        needed = comparison.needed(claim, used, named)
        if needed is None or not comparison.complete:
            self.notes.append(f"what summarizer {found.node} needs was not settled")
        return found._replace(needed=tuple(needed or ()))

    # --- comparisons -----------------------------------------------------------------------------

    def compared(self, consistency: Consistency) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
        """The redundant nodes, and the incomparable pairs of nodes that state something."""
        validated = self.validated
        if len(validated) > MOST_COMPARED:
            self.notes.append(
                f"redundancy and pairs were not looked at: {len(validated)} validated propositions,"
                f" more than {MOST_COMPARED}"
            )
            return (), ()
        named = [(id_, self.formula_of(id_)) for id_ in validated]
        stated = [pair for pair in named if pair[0] in self.said.stated]
        if not stated and not self.nucleus.rules:
            return (validated if consistency is Consistency.INCONSISTENT else ()), ()
        comparison = FormulaComparison(
            self._closed(), self.prover.pool, [formula for _, formula in named], self._entailed()
        )
        followed = [id_ for id_ in validated if self.verdicts.get(id_) in _FOLLOWS]
        kept = set(comparison.irredundant(named, followed))
        pairs = comparison.incomparable(stated)
        if not comparison.complete:
            self.notes.append("not every comparison of validated propositions was settled")
        return tuple(id_ for id_ in validated if id_ not in kept), tuple(pairs)

    def _entailed(self) -> Iterator[tuple[Node, Node]]:
        """The ends of the arrows that are in R, or that the theory proves."""
        for arrow in self.nucleus.arrows:
            if arrow.generates or arrow.state == "proved":
                yield arrow.rule.lower, arrow.rule.upper

    # --- variants --------------------------------------------------------------------------------

    def counterevidence(self) -> Consistency | None:
        """The consistency of c((⋁ P_v) ∧ ¬(⋁ P_i)) of section 4.5; None if nothing is invalidated."""
        against = self.extraction.marked("invalidated")
        if not against:
            return None
        if not self.validated:
            return Consistency.INCONSISTENT
        if self._unconstrained((*self.validated, *against)):
            return Consistency.CONSISTENT
        pool = self.prover.pool
        valid = pool.disj(dict.fromkeys(self._formulas(self.validated)))
        invalid = pool.disj(dict.fromkeys(self._formulas(against)))
        return _of_probe(self._closed(), pool.conj((valid, pool.negate(invalid))))

    def ranked(self, whole: Consistency) -> tuple[tuple[RankResult, ...], int | None]:
        """The consistency under the arrows up to each rank, and the highest rank at which it is consistent.

        `whole` is that under all arrows. More arrows never make consistent what is not.
        """
        ranks = sorted({arrow.inclusion.rank for arrow in self.nucleus.arrows})
        if not ranks or ranks[-1] == 0:
            return (), None
        pool = self.prover.pool
        meet = pool.conj(dict.fromkeys(self._formulas(self.validated)))
        known = {len(ranks) - 1: whole}

        def is_too_high(at: int) -> bool:
            formula = pool.conj((self.nucleus.formula(ranks[at]), meet))
            known[at] = _of_probe(self.prover.assuming(), formula)
            return known[at] is not Consistency.CONSISTENT

        if whole is not Consistency.CONSISTENT:
            # The answers on the way tell those for all ranks.
            bisect_left(range(len(ranks) - 1), True, key=is_too_high)
        return _ranks(ranks, known)


def facts(extraction: Extraction, said: TypedPropositions) -> tuple[Assertion, ...]:
    """The validated propositions as assumptions named by their nodes."""
    return tuple(
        Assertion(
            f"node:{id_}",
            f"node {id_}",
            AssertionKind.FACT,
            _proposition(said, id_),
            Origin("", said.texts.get(id_, "")),
        )
        for id_ in extraction.marked("validated")
    )


def _proposition(said: TypedPropositions, id_: int) -> Node:
    found = said.formula(id_)
    assert found is not None, "every proposer stands for something"
    return found


def _ranks(
    ranks: Sequence[int], known: Mapping[int, Consistency]
) -> tuple[tuple[RankResult, ...], int | None]:
    """The answers for some ranks, extended to all: consistent downwards, inconsistent upwards."""
    good = max((at for at, each in known.items() if each is Consistency.CONSISTENT), default=-1)
    bad = min((at for at, each in known.items() if each is Consistency.INCONSISTENT), default=len(ranks))
    found = []
    for at, rank in enumerate(ranks):
        consistency = Consistency.UNKNOWN
        if at <= good:
            consistency = Consistency.CONSISTENT
        elif at >= bad:
            consistency = Consistency.INCONSISTENT
        found.append(RankResult(rank, consistency))
    settled = good + 1 == bad and good >= 0
    return tuple(found), ranks[good] if settled else None


def _of_probe(base: Assuming, formula: Node) -> Consistency:
    found = {"sat": Consistency.CONSISTENT, "unsat": Consistency.INCONSISTENT}
    return found.get(base.probe(formula).status, Consistency.UNKNOWN)


def simplified(module: Module, formula: Node) -> Node:
    """A closed formula after the pass `simplify`."""
    alone = replace(module, definitions=(), assertions=(), claims=(Claim("formula", "formula", formula),))
    return Simplify().run(alone).claims[0].formula


def formula_text(writer: Writer, formula: Node) -> str | None:
    """A closed formula in the PoT language; None if it is too large to be shown."""
    try:
        text = writer.term(formula)
    except Unwritable:
        return None
    return text if len(text) <= _LONGEST_FORMULA else None
