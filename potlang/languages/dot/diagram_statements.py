"""The numbered statements of the paper on the diagram of one trace, each computed on both of its sides.

They are in the form in which they are true ([25-topos] has the corrections); and the answers of a report
on the same trace are compared with what the topos says.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from potlang.languages.dot.diagram import TraceDiagram
from potlang.languages.dot.results import TraceResult
from potlang.report.results import Consistency, Verdict
from potlang.topos import synthesis
from potlang.topos.nucleus import rule_fixpoint
from potlang.topos.subobject import Subobject, bottom, meet, top

_TRIED = 8


class PaperStatement(NamedTuple):
    """A statement of the paper: its number there, what it says of this trace, and whether that holds."""

    number: str
    says: str
    holds: bool


def statements(diagram: TraceDiagram) -> tuple[PaperStatement, ...]:
    """The statements of sections 4.2 to 4.6 and of appendix C that say something of the diagram."""
    return (*_on_the_lattice(diagram), *_on_the_slice(diagram))


def _on_the_lattice(diagram: TraceDiagram) -> Iterator[PaperStatement]:
    c, family, summary = diagram.nucleus, diagram.family, diagram.summary
    whole = meet(diagram.space, family)
    closures = meet(diagram.space, [c.closure(each) for each in family])
    rules = list(dict.fromkeys(diagram.rules()))
    # A fixpoint costs more than all else together, so not each proposition is tried.
    some = (bottom(diagram.space), whole, *family[:_TRIED])
    fixpoints = all(rule_fixpoint(rules, each) == c.closure(each) for each in some)
    yield PaperStatement("C.1", f"the least fixpoint of {len(rules)} rules is c, point by point", fixpoints)
    yield PaperStatement("4.5", "c(⋀ P) is ⋀ c(P)", summary == closures)
    apart = summary != c.closure(bottom(diagram.space))
    common = bool(whole.mask & c.points)
    word = "c(⋀ P) ≠ c(⊥)" if apart else "c(⋀ P) = c(⊥)"
    yield PaperStatement("4.8", f"{word}, and ⋀ P has {'a' if common else 'no'} point in T", apart == common)
    if family:
        without = synthesis.summary(c, family[:-1])
        last = diagram.validated[-1]
        yield PaperStatement("4.14.2", f"node {last} can only strengthen the summary", summary <= without)
    yield PaperStatement("4.14.3", "c(⋀ c(P)) is c(⋀ P)", c.closure(closures) == summary)
    kept = synthesis.irredundant(c, family)
    left = synthesis.summary(c, [family[at] for at in kept])
    dropped = [str(id_) for at, id_ in enumerate(diagram.validated) if at not in kept]
    words = f"without {', '.join(dropped)}" if dropped else "none is redundant"
    yield PaperStatement("4.14.4", f"the summary is the same {words}" if dropped else words, left == summary)
    parts = [synthesis.summary(c, [diagram.propositions[v] for v in some]) for some in diagram.branches]
    joined = c.closure(meet(diagram.space, parts))
    yield PaperStatement("4.20", f"it is c of the meet of {len(parts)} branches", joined == summary)
    pairs = synthesis.incomparable(c, family)
    shown = ", ".join(f"{diagram.validated[a]} and {diagram.validated[b]}" for a, b in pairs[:3])
    more = f" and {len(pairs) - 3:,} more pairs" if len(pairs) > 3 else ""
    words = f"{shown}{more} are incomparable: no chain reflects the order" if pairs else "they form a chain"
    # A family is a chain exactly if sorting by size gives one.
    order = sorted((c.closure(each) for each in family), key=lambda each: each.mask.bit_count())
    sorted_ = all(one <= two for one, two in pairwise(order))
    yield PaperStatement("4.22", words, (not pairs) == sorted_)
    chain_of = [diagram.nucleus_up_to(rank) for rank in diagram.ranks]
    rising = all(one <= two for one, two in pairwise(chain_of))
    if len(chain_of) > 1:
        yield PaperStatement("C.3", f"c^≤ρ grows with ρ = {', '.join(map(str, diagram.ranks))}", rising)


def _on_the_slice(diagram: TraceDiagram) -> Iterator[PaperStatement]:
    edges, kept = len(diagram.shape.edges), len(diagram.diagram.shape.edges)
    words = f"each of {edges} generating arrows goes to an inclusion c(P) ≤ c(Q)"
    lost = f"{edges - kept} of {edges} generating arrows have no map: S refutes them"
    yield PaperStatement("4.3", words if kept == edges else lost, kept == edges)
    if diagram.colimit_is_preserved is not None:
        yield PaperStatement("4.6", "a(colim D) is the colimit of a ∘ D", diagram.colimit_is_preserved)
    limit = diagram.reflected_limit == diagram.summary
    yield PaperStatement("4.6, for limits", "a(lim D), read over S, is c(⋀ P)", limit)


# --- the symbolic side ---------------------------------------------------------------------------


def differences(diagram: TraceDiagram, report: TraceResult) -> list[str]:
    """Statements of a report on the trace that the topos does not make; empty if they agree.

    Only a diagram without stages has the classical logic of reports. What is not settled is passed over.
    """
    return list(_differences(diagram, report))


def _differences(diagram: TraceDiagram, report: TraceResult) -> Iterator[str]:
    summary, c, family = report.summary, diagram.nucleus, diagram.family
    if summary.nodes != diagram.validated:
        yield "which propositions are validated"
    for arrow, own in zip(report.arrows, diagram.inclusions, strict=True):
        if arrow.state not in ("unknown", own.state):
            yield f"the inclusion {arrow.source} ≤ {arrow.target}"
    if not _same(summary.consistency, diagram.is_consistent):
        yield "whether the summary is consistent"
    for node in report.nodes:
        sub = diagram.propositions.get(node.id)
        if sub is None or node.proposition is None:
            continue
        if node.verdict not in (None, Verdict.UNKNOWN, _verdict(sub)):
            yield f"the verdict on node {node.id}"
        if node.closed is not None and node.closed is not c.is_closed(sub):
            yield f"whether what node {node.id} says is closed"
        if node.role == "proposer" and node.id not in diagram.validated and not summary.notes:
            follows = synthesis.faithful(c, family, sub)
            if follows is not (node.id in report.consequences):
                yield f"whether node {node.id} follows"
    for said in summary.summarizers:
        claim = diagram.propositions.get(said.node)
        if claim is not None and said.result is not None and said.result.verdict is not Verdict.UNKNOWN:
            holds = said.result.verdict in (Verdict.ENTAILED, Verdict.INCONSISTENT)
            if holds is not synthesis.faithful(c, family, claim):
                yield f"whether what summarizer {said.node} says follows"
    if not summary.notes:
        kept = synthesis.irredundant(c, family)
        redundant = {id_ for at, id_ in enumerate(diagram.validated) if at not in kept}
        if redundant != set(summary.redundant):
            yield "which propositions are redundant"
        stated = {node.id for node in report.nodes if node.proposition is not None}
        ids = diagram.validated
        pairs = [(ids[a], ids[b]) for a, b in synthesis.incomparable(c, family)]
        if [pair for pair in pairs if stated.issuperset(pair)] != list(summary.incomparable):
            yield "which propositions are incomparable"
    for each in summary.ranks:
        below = diagram.nucleus_up_to(each.rank)
        if not _same(each.consistency, below.is_consistent(meet(diagram.space, family))):
            yield f"the summary under inclusions of rank {each.rank} at most"


def _same(consistency: Consistency, is_consistent: bool) -> bool:
    if consistency is Consistency.UNKNOWN:
        return True
    return (consistency is Consistency.CONSISTENT) is is_consistent


def _verdict(sub: Subobject) -> Verdict:
    if not sub.whole.points:
        return Verdict.INCONSISTENT
    if sub == top(sub.whole):
        return Verdict.ENTAILED
    return Verdict.UNDETERMINED if sub.mask else Verdict.REFUTED
