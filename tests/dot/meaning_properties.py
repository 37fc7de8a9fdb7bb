"""The numbered statements about the meaning of a trace: the report says what the finite model says."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from meaning_support import CONSISTENCY, Meant, left_when_needless_go
from statements import Property
from strategies.reasoning import Reasoning, holds, proposition, reasoning, reasonings

import potlang.dot
from potlang.languages.dot.read.records import Edge, Entails, Eq, Node, Prop, Record, Status
from potlang.report.results import Verdict
from potlang.testing.traces import prop
from potlang.topos import synthesis
from potlang.topos.nucleus import from_rules
from potlang.topos.subobject import Subobject, meet


def node_verdicts(case: Reasoning) -> None:
    """[DOT-CLAIM-1], [DOT-THEORY-7] The verdict on a node is what the theory alone says of it."""
    meant = Meant(case)
    for node in meant.report.nodes:
        if node.role == "problem" or case.proposition(node.id) is None:
            assert node.verdict is None
            continue
        sub = meant.sub(node.id)
        expected = Verdict.UNDETERMINED
        if not meant.models:
            expected = Verdict.INCONSISTENT
        elif sub == meant.top:
            expected = Verdict.ENTAILED
        elif not sub.mask:
            expected = Verdict.REFUTED
        assert node.verdict == expected


def lemma_c_1(case: Reasoning) -> None:
    """[DOT-ARROW-2] [DOT-NUC-1] [DOT-NUC-2] [DOT-NUC-3] [DOT-NUC-4] Arrow states, R, closed propositions."""
    meant = Meant(case)
    report = meant.report
    pairs = [(meant.sub(each.source), meant.sub(each.target)) for each in report.arrows]
    assert [each.state for each in report.arrows] == [meant.state(*pair) for pair in pairs]
    assert [(each.source, each.target, each.schema, each.rank) for each in report.arrows] == [
        (each.lower, each.upper, each.schema, each.rank) for each in meant.inclusions
    ]
    rules = meet(meant.whole, [meant.of_text(text) for text in report.nucleus.rules])
    assert rules.mask == meant.nucleus.points
    assert report.nucleus.identity is meant.nucleus.is_trivial()
    assert report.nucleus.consistency == CONSISTENCY[meant.nucleus.is_consistent(meant.top)]
    for node in report.nodes:
        if node.role == "proposer" and node.proposition is not None:
            assert node.closed is meant.nucleus.is_closed(meant.sub(node.id))
    for arrow in report.arrows:
        vacuous = not meant.nucleus.is_consistent(meant.sub(arrow.source))
        assert arrow.vacuous is (None if arrow.state == "refuted" else vacuous)


def theorem_4_5(case: Reasoning) -> None:
    """[DOT-SUMMARY-1] The formula of the summary says c(⋀ P_v)."""
    meant = Meant(case)
    assert meant.report.summary.formula is not None
    assert meant.of_text(meant.report.summary.formula) == synthesis.summary(meant.nucleus, meant.family)
    assert meant.report.summary.nodes == tuple(meant.validated)


def theorem_4_8(case: Reasoning) -> None:
    """[DOT-SUMMARY-2] Consistent is c(⋀ P_v) ≠ c(⊥), shown by a model or a conflict."""
    meant = Meant(case)
    summary = meant.report.summary
    assert summary.consistency == CONSISTENCY[synthesis.consistent(meant.nucleus, meant.family)]
    assert (summary.conflict is None) == (summary.consistency == CONSISTENCY[True])
    if summary.conflict is not None:
        names = {item.name for item in summary.conflict}
        left = [id_ for id_ in meant.validated if f"node {id_}" in names]
        assert not meant.nucleus.is_consistent(meet(meant.whole, meant.subs(left)))
    elif summary.model:
        rows = [
            all(
                str(row.get(name, row.get(f"#{name[6:-1]}"))) == value
                for name, value in summary.model.items()
            )
            for row in meant.models
        ]
        good = synthesis.summary(meant.nucleus, meant.family).mask & meant.nucleus.points
        assert any(row and good >> at & 1 for at, row in enumerate(rows))


def proposition_4_14_2(pair: tuple[Reasoning, Reasoning]) -> None:
    """[DOT-SUMMARY-2] One more validated proposition, no new arrow: the summary can only shrink."""
    before, after = Meant(pair[0]), Meant(pair[1])
    assert after.report.nucleus.rules == before.report.nucleus.rules
    if after.report.summary.consistency == CONSISTENCY[True]:
        assert before.report.summary.consistency == CONSISTENCY[True]
    assert set(before.report.consequences) <= set(after.report.consequences)
    assert before.report.summary.formula is not None and after.report.summary.formula is not None
    smaller = after.of_text(after.report.summary.formula)
    assert smaller <= after.of_text(before.report.summary.formula)


def proposition_4_14_4(case: Reasoning) -> None:
    """[DOT-SUMMARY-4] Redundant are those that the rest entails, later ones dropped first."""
    meant = Meant(case)
    kept = synthesis.irredundant(meant.nucleus, meant.family)
    expected = tuple(id_ for at, id_ in enumerate(meant.validated) if at not in kept)
    assert meant.report.summary.redundant == expected
    left = [sub for at, sub in enumerate(meant.family) if at in kept]
    assert synthesis.summary(meant.nucleus, left) == synthesis.summary(meant.nucleus, meant.family)


def proposition_4_16(case: Reasoning) -> None:
    """[DOT-SUMMARY-3], [DOT-SUMMARY-7] What the summary entails: claims of summarizers, consequences."""
    meant = Meant(case)
    others = [id_ for id_ in case.ids("proposer") if id_ not in meant.validated]
    found = synthesis.consequences(meant.nucleus, meant.family, meant.subs(others))
    assert meant.report.consequences == tuple(others[at] for at in found)
    for each in meant.report.summary.summarizers:
        if case.proposition(each.node) is None:
            assert each.faithful is True and each.result is None
            continue
        claim = meant.sub(each.node)
        assert each.faithful is synthesis.faithful(meant.nucleus, meant.family, claim)
        more = {id_: meant.sub(id_) for id_ in meant.validated if id_ not in each.uses}
        assert each.left_out == tuple(more)
        expected = (
            left_when_needless_go(meant.nucleus, meant.subs(each.uses), more, claim) if each.faithful else []
        )
        assert list(each.needed) == expected


def proposition_4_18(case: Reasoning) -> None:
    """[DOT-SUMMARY-4] For a chain P_1 ⊇ … ⊇ P_n the summary is c(P_n), and the rest is redundant."""
    meant = Meant(case)
    last = meant.validated[-1]
    assert meant.report.summary.formula is not None
    assert meant.of_text(meant.report.summary.formula) == meant.nucleus.closure(meant.sub(last))
    if synthesis.consistent(meant.nucleus, meant.family) and not meant.nucleus.is_dense(meant.sub(last)):
        strict = [not meant.nucleus.entails(meant.sub(a), meant.sub(last)) for a in meant.validated[:-1]]
        if all(strict):
            assert meant.report.summary.redundant == tuple(meant.validated[:-1])


def proposition_4_20(case: Reasoning) -> None:
    """[DOT-SUMMARY-6] The branches are a partition, and the summary is c of the meet of their summaries."""
    meant = Meant(case)
    branches = meant.report.summary.branches
    assert sorted(id_ for branch in branches for id_ in branch) == meant.validated
    summaries = [synthesis.summary(meant.nucleus, meant.subs(branch)) for branch in branches]
    assert meant.report.summary.formula is not None
    whole = meant.nucleus.closure(meet(meant.whole, summaries))
    assert meant.of_text(meant.report.summary.formula) == whole
    of = {id_: at for at, branch in enumerate(branches) for id_ in branch}
    joined = [(each.source, each.target) for each in meant.report.edges if each.kind != "critique"]
    joined += [(each.source, each.target) for each in meant.report.arrows]
    assert all(of[a] == of[b] for a, b in joined if a in of and b in of)
    for branch in branches:
        reached = {branch[0]}
        for _ in branch:
            reached |= {b for pair in joined for a, b in (pair, pair[::-1]) if a in reached and b in of}
        assert set(branch) <= reached


def theorem_4_22(case: Reasoning) -> None:
    """[DOT-SUMMARY-5] Incomparable pairs, modulo c, of nodes that state something."""
    meant = Meant(case)
    stated = [id_ for id_ in meant.validated if case.proposition(id_) is not None]
    pairs = synthesis.incomparable(meant.nucleus, meant.subs(stated))
    assert meant.report.summary.incomparable == tuple((stated[a], stated[b]) for a, b in pairs)


def section_4_5_counterevidence(case: Reasoning) -> None:
    """[DOT-SUMMARY-8] The variant c((⋁ valid) ∧ ¬I)."""
    meant = Meant(case)
    against = meant.subs(case.marked("invalidated"))
    if not against:
        assert meant.report.summary.counterevidence is None
        return
    bad = against[0]
    for each in against[1:]:
        bad = bad | each
    found = synthesis.with_counterevidence(meant.nucleus, meant.family, bad)
    bottom = meant.nucleus.closure(meant.top & ~meant.top)
    assert meant.report.summary.counterevidence == CONSISTENCY[found != bottom]


def appendix_c_3_ranked(case: Reasoning) -> None:
    """[DOT-RANK-1] The consistency under each nucleus c^≤ρ, and the highest rank that has it."""
    meant = Meant(case)
    summary = meant.report.summary
    ranks = sorted({each.rank for each in meant.inclusions})
    if not any(ranks):
        assert summary.ranks == () and summary.retraction is None
        return
    rules = [(each.rank, (meant.sub(each.lower), meant.sub(each.upper))) for each in meant.inclusions]
    nuclei = synthesis.ranked(meant.whole, [rule for rule in rules if meant.state(*rule[1]) != "refuted"])
    found = {rank: synthesis.consistent(nuclei[min(rank, len(nuclei) - 1)], meant.family) for rank in ranks}
    assert [(each.rank, each.consistency) for each in summary.ranks] == [
        (rank, CONSISTENCY[good]) for rank, good in found.items()
    ]
    assert summary.retraction == max((rank for rank, good in found.items() if good), default=None)


def critic_checks(case: Reasoning) -> None:
    """[DOT-CRITIC-1] [DOT-CRITIC-2] [DOT-CRITIC-3] [DOT-CRITIC-4] [DOT-CRITIC-5]"""
    meant = Meant(case)
    codes = [each.code for each in meant.report.diagnostics if each.code >= "POT5060"]
    stated = [id_ for id_ in case.ids("proposer") if case.proposition(id_) is not None]
    good = bool(meant.models)
    refuted = [id_ for id_ in stated if id_ in meant.validated and good and not meant.sub(id_).mask]
    entailed = [
        id_ for id_ in stated if id_ in case.marked("invalidated") and good and meant.sub(id_) == meant.top
    ]
    assert codes.count("POT5060") == len(refuted)
    assert codes.count("POT5061") == len(entailed)
    told = bool(refuted) or any(
        each.conflict is not None and each.source in meant.validated for each in meant.report.arrows
    )
    inconsistent = not synthesis.consistent(meant.nucleus, meant.family)
    assert codes.count("POT5064") == (inconsistent and not told)
    arrows = meant.report.arrows
    assert codes.count("POT5062") == sum(each.state == "refuted" for each in arrows)
    assert ("POT5063" in codes) == any(each.conflict is not None for each in arrows)
    unfaithful = [each for each in meant.report.summary.summarizers if each.faithful is False]
    assert codes.count("POT5065") == len(unfaithful)


def proposition_c_3(pair: tuple[Reasoning, Reasoning]) -> None:
    """[DOT-GLUE-1] [DOT-GLUE-2] [DOT-GLUE-3] The arrows of both, and c12(s1 ∧ s2) for the summary."""
    glued = potlang.dot.glue(*(potlang.dot.read(case.text) for case in pair))
    assert glued.trace.is_well_formed and glued.text == Reasoning(glued.trace.records, None).text
    meant = Meant(Reasoning(glued.trace.records, pair[0].theory))
    places = glued.left, glued.right
    for a, b, node in glued.shared:
        assert pair[0].proposition(a) == pair[1].proposition(b)
        assert glued.left[a] == glued.right[b] == node
    marks: dict[int, str] = {}
    for case, ids in zip(pair, places, strict=True):
        for mark in ("validated", "invalidated"):
            for id_ in case.marked(mark):
                marks.setdefault(ids[id_], mark)
    assert {id_: meant.case.marked("validated").count(id_) for id_ in marks} == {
        id_: int(mark == "validated") for id_, mark in marks.items()
    }
    sides = [_rules_of(case, ids, marks, meant) for case, ids in zip(pair, places, strict=True)]
    kept = [rule for side in sides for rule in side if meant.state(*rule) != "refuted"]
    together = from_rules(meant.whole, kept)
    assert together == meant.nucleus
    summaries = []
    for side, ids in zip(sides, places, strict=True):
        own = from_rules(meant.whole, [rule for rule in side if meant.state(*rule) != "refuted"])
        family = meant.subs(id_ for id_ in ids.values() if marks.get(id_) == "validated")
        summaries.append(synthesis.summary(own, family))
    expected = together.closure(meet(meant.whole, summaries))
    assert meant.report.summary.formula is not None
    assert meant.of_text(meant.report.summary.formula) == expected
    contested = [each for each in glued.diagnostics if each.code == "POT5070"]
    differing = [
        node
        for a, b, node in glued.shared
        if {a in pair[0].marked("validated"), b in pair[1].marked("validated")} == {True, False}
        and (a in pair[0].marked("invalidated") or b in pair[1].marked("invalidated"))
    ]
    assert len(contested) == len(differing)


def _rules_of(
    case: Reasoning, ids: Mapping[int, int], marks: Mapping[int, str], meant: Meant
) -> list[tuple[Subobject, Subobject]]:
    """The inclusions that one of two glued traces claims, its nodes judged as in the glued one."""

    def sub(id_: int) -> Subobject:
        value = case.proposition(id_)
        rows = [
            model[f"#{ids[id_]}"] is True if value is None else holds(value, model) for model in meant.models
        ]
        return Subobject(meant.whole, sum(1 << at for at, row in enumerate(rows) if row))

    def valid(id_: int) -> bool:
        return marks.get(ids[id_]) == "validated"

    found = []
    for each in case.records:
        if isinstance(each, Entails) and valid(each.src):
            found.append((sub(each.src), sub(each.dst)))
        elif isinstance(each, Eq) and valid(each.src) and valid(each.dst):
            found += [(sub(each.src), sub(each.dst)), (sub(each.dst), sub(each.src))]
        elif isinstance(each, Edge) and each.kind == "refine" and valid(each.src):
            found.append((sub(each.dst), sub(each.src)))
    return found


# --- what they are tried on ----------------------------------------------------------------------


def with_one_more(case: Reasoning, value: object) -> Reasoning:
    """The same trace with one more validated proposition at the end."""
    last = max(each.id for each in case.records if isinstance(each, Node))
    more: list[Record] = [
        Node(last + 1, "proposer"),
        prop(last + 1, value),
        Node(last + 2, "critic"),
        Edge(last + 1, last + 2, "critique"),
        Status(last + 1, "validated", None, last + 2),
    ]
    return case._replace(records=(*case.records, *more))


def pairs() -> SearchStrategy[tuple[Reasoning, Reasoning]]:
    """A trace, and the same with one more validated proposition."""

    def make(random: object) -> tuple[Reasoning, Reasoning]:
        case = reasoning(random, 4)  # type: ignore[arg-type]
        value = proposition(random, case.theory is not None)  # type: ignore[arg-type]
        return case, with_one_more(case, value)

    return st.builds(make, st.randoms(use_true_random=False))


def chains() -> SearchStrategy[Reasoning]:
    """Traces whose validated propositions get stronger and stronger: each contains the ones before."""

    def make(random: object) -> Reasoning:
        case = reasoning(random, 1)  # type: ignore[arg-type]
        case = case._replace(records=tuple(r for r in case.records if not isinstance(r, Status)))
        case = case._replace(records=_without_summarizers(case))
        parts = [proposition(random, case.theory is not None) for _ in range(3)]  # type: ignore[arg-type]
        for count in range(1, len(parts) + 1):
            case = with_one_more(case, {"and": parts[:count]})
        return case

    return st.builds(make, st.randoms(use_true_random=False))


def contradicting() -> SearchStrategy[Reasoning]:
    """Traces with arrows of many ranks from one validated proposition to others that contradict it."""

    def make(random: object) -> Reasoning:
        choose = random.choice  # type: ignore[attr-defined]
        said = [
            choose(["q", "r", {"not": "q"}, {"not": "r"}, {"not": "p"}, {"or": ["p", "q"]}]) for _ in range(4)
        ]
        records: list[Record] = [Node(1, "problem"), prop(1, {"declare": dict.fromkeys("pqr", "Bool")})]
        for id_, value in enumerate(["p", *said], 2):
            records += [Node(id_, "proposer"), prop(id_, value)]
        records += [Node(7, "critic"), Edge(2, 7, "critique"), Status(2, "validated", None, 7)]
        records += [Entails(2, id_, None, choose([None, 1, 2, 3, 9]), 7) for id_ in range(3, 7)]
        return Reasoning(tuple(records), None)

    return st.builds(make, st.randoms(use_true_random=False))


def two_traces() -> SearchStrategy[tuple[Reasoning, Reasoning]]:
    """Two traces over one theory, which often say the same."""

    def make(random: object) -> tuple[Reasoning, Reasoning]:
        first = second = reasoning(random, 3)  # type: ignore[arg-type]
        while second is first or (first.theory is None) != (second.theory is None):
            second = reasoning(random, 3)  # type: ignore[arg-type]
        said = [each.value for each in first.records if isinstance(each, Prop)][1:]
        records = tuple(
            prop(each.id, random.choice(said))  # type: ignore[attr-defined]
            if isinstance(each, Prop)
            and second.proposition(each.id) is not None
            and said
            and random.random() < 0.5  # type: ignore[attr-defined]
            else each
            for each in second.records
        )
        return first, Reasoning(records, first.theory)

    return st.builds(make, st.randoms(use_true_random=False))


def _without_summarizers(case: Reasoning) -> tuple[Record, ...]:
    gone = set(case.ids("summarizer"))
    return tuple(each for each in case.records if each.block not in gone)


PROPERTIES: dict[str, Property] = {
    "node_verdicts": Property(node_verdicts, reasonings()),
    "lemma_c_1": Property(lemma_c_1, reasonings()),
    "theorem_4_5": Property(theorem_4_5, reasonings()),
    "theorem_4_8": Property(theorem_4_8, reasonings()),
    "proposition_4_14_2": Property(proposition_4_14_2, pairs(), quick=10),
    "proposition_4_14_4": Property(proposition_4_14_4, reasonings()),
    "proposition_4_16": Property(proposition_4_16, reasonings()),
    "proposition_4_18": Property(proposition_4_18, chains()),
    "proposition_4_20": Property(proposition_4_20, reasonings()),
    "theorem_4_22": Property(theorem_4_22, reasonings()),
    "section_4_5_counterevidence": Property(section_4_5_counterevidence, reasonings()),
    "appendix_c_3_ranked": Property(appendix_c_3_ranked, st.one_of(contradicting(), reasonings())),
    "proposition_c_3": Property(proposition_c_3, two_traces()),
    "critic_checks": Property(critic_checks, reasonings()),
}
"""The statements by their numbers."""
