"""What the report on a trace does not depend on: order, ids, free text, and how its diagram is told.

The numbered statements B.2, B.3, 4.12 and 4.14 (1) on the side of the solvers. Left out of the comparison
is what is one of several right answers: models, conflicts, and what is dropped one by one, in the order
of the ids (`redundant`, `needed`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from meaning_support import Meant
from reference.diagrams import isomorphic
from statements import Mutation, Property
from strategies.reasoning import Reasoning, reasoning
from strategies.retellings import retold

import potlang.dot
from potlang.languages.dot.lower import extract as ext
from potlang.languages.dot.read.records import Fence, FreeText
from potlang.languages.dot.read.trace import Trace
from potlang.languages.dot.results import NodeResult, SummaryResult
from potlang.languages.dot.solve import verify as meaning
from potlang.languages.dot.solve.summary import Summary
from potlang.languages.dot.write.emit import emit
from potlang.report.results import Consistency
from potlang.testing.traces import shuffle

Ids = Mapping[int, int]


@dataclass(frozen=True)
class Twice:
    """One piece of reasoning, told twice, and the id in the second of each node of the first."""

    first: Reasoning
    second: Reasoning
    ids: Ids


def shuffled_reasoning(random: Random) -> Twice:
    """Reasoning, and a shuffle of its records, with other text."""
    case = reasoning(random)
    other = shuffle(case.records, random)
    return Twice(case, case._replace(records=tuple(other.records)), other.ids)


def retold_reasoning(random: Random) -> Twice:
    """Reasoning, and the same diagram and inclusions in another trace."""
    case = reasoning(random)
    other = retold(case.records, random)
    return Twice(case, case._replace(records=tuple(other.records)), other.ids)


def with_other_text(random: Random) -> Twice:
    """Reasoning, and the same records with a fence at the end of each block."""
    case = reasoning(random)
    texts = (b"", b"@status target=2 mark=validated", b"\n@prop id=1 {}\n", "4 > 2 – é".encode(), b"\x00")
    records: list[Any] = []
    for at, record in enumerate(case.records):
        if not isinstance(record, FreeText | Fence):
            records.append(record)
        if at + 1 == len(case.records) or case.records[at + 1].block != record.block:
            records.append(Fence(random.choice(texts), record.block))
    ids = {id_: id_ for role in ("problem", "proposer", "critic", "summarizer") for id_ in case.ids(role)}
    return Twice(case, case._replace(records=tuple(records)), ids)


def theorem_b_3(case: Twice) -> None:
    """B.3, 4.14 (1): the reports on two orders of the same records are the same but for the ids."""
    a, b = Meant(case.first), Meant(case.second)
    check_same(a, b, case.ids)
    assert a.report.hash == b.report.hash


def proposition_b_2(case: Twice) -> None:
    """B.2: free text has no part in what a report says."""
    a, b = Meant(case.first), Meant(case.second)
    check_same(a, b, case.ids)
    assert a.report.hash == b.report.hash
    for name in ("formula", "redundant", "incomparable", "branches"):
        assert getattr(a.report.summary, name) == getattr(b.report.summary, name)
    assert a.report.nucleus == b.report.nucleus


def check_same(a: Meant, b: Meant, ids: Ids) -> None:
    """All that a report says of nodes, arrows, critics and summary."""
    one, other = a.report, b.report
    assert one.verdict == other.verdict
    assert {ids[n.id]: _node(n, ids) for n in one.nodes} == {n.id: _node(n, _same(b)) for n in other.nodes}
    assert Counter((ids[e.source], ids[e.target], e.kind) for e in one.edges) == Counter(other.edges)
    assert _arrows(a, ids, judged=True) == _arrows(b, _same(b), judged=True)
    assert one.nucleus[1:] == other.nucleus[1:]
    assert Counter(d.code for d in one.diagnostics) == Counter(d.code for d in other.diagnostics)
    assert one.summary.counterevidence == other.summary.counterevidence
    check_same_summary(a, b, ids)


def check_same_summary(a: Meant, b: Meant, ids: Ids) -> None:
    """What a report says of the validated propositions."""
    one, other = a.report.summary, b.report.summary
    assert _said(one, ids) == _said(other, _same(b))
    assert _rows(a, ids) == _rows(b, _same(b), only=set(ids.values()))
    consequences = {ids[id_] for id_ in a.report.consequences}
    assert consequences == set(b.report.consequences) & set(ids.values())


def proposition_4_12(case: Twice) -> None:
    """4.12: isomorphic diagrams have equal summaries, where the inclusions are the same too [DOT-CANON-6]."""
    a, b = Meant(case.first), Meant(case.second)
    assert _arrows(a, case.ids, judged=False) == _arrows(b, _same(b), judged=False)
    check_same_summary(a, b, case.ids)


def _same(meant: Meant) -> Ids:
    return {node.id: node.id for node in meant.report.nodes}


def _node(node: NodeResult, ids: Ids) -> tuple[object, ...]:
    just = None if node.just is None else ids[node.just]
    return node.role, node.status, node.proposition, node.verdict, node.closed, just


def _arrows(meant: Meant, ids: Ids, *, judged: bool) -> Counter[tuple[object, ...]]:
    """The arrows with what is said of them; `judged`: and with who examined them."""
    return Counter(
        (ids[a.source], ids[a.target], a.schema, a.rank, a.state, a.vacuous)
        + ((None if a.witness is None else ids[a.witness],) if judged else ())
        for a in meant.report.arrows
    )


def _said(summary: SummaryResult, ids: Ids) -> tuple[object, ...]:
    """What has one right answer in a summary."""
    return (
        {ids[id_] for id_ in summary.nodes},
        summary.consistency,
        summary.faithful,
        (summary.model is None, summary.conflict is None),
        {frozenset((ids[a], ids[b])) for a, b in summary.incomparable},
        {frozenset(ids[id_] for id_ in branch) for branch in summary.branches},
        (summary.ranks, summary.retraction),
        {
            (
                ids[s.node],
                s.faithful,
                frozenset(ids[id_] for id_ in s.uses),
                frozenset(map(ids.get, s.left_out)),
            )
            for s in summary.summarizers
        },
    )


def _rows(meant: Meant, ids: Ids, only: set[int] | None = None) -> set[frozenset[tuple[str, object]]]:
    """The models of the summary's formula, opaque atoms under the new ids, others than `only` left out."""
    assert meant.report.summary.formula is not None
    mask = meant.of_text(meant.report.summary.formula).mask
    names = {f"#{old}": f"#{new}" for old, new in ids.items()}
    left = {f"#{id_}" for id_ in ids.values()} - {f"#{id_}" for id_ in only or ids.values()}
    return {
        frozenset((names.get(k, k), v) for k, v in model.items() if k not in left)
        for at, model in enumerate(meant.models)
        if mask >> at & 1
    }


def made(make: Any) -> SearchStrategy[Twice]:
    return st.builds(make, st.randoms(use_true_random=False))


PROPERTIES = {
    "proposition_b_2": Property(proposition_b_2, made(with_other_text), 10),
    "theorem_b_3": Property(theorem_b_3, made(shuffled_reasoning), 20),
    "proposition_4_12": Property(proposition_4_12, made(retold_reasoning), 20),
}
test_proposition_b_2, test_proposition_b_2_deep = PROPERTIES["proposition_b_2"].tests()
test_theorem_b_3, test_theorem_b_3_deep = PROPERTIES["theorem_b_3"].tests()
test_proposition_4_12, test_proposition_4_12_deep = PROPERTIES["proposition_4_12"].tests()


# --- what is broken on purpose -------------------------------------------------------------------


def early(trace: Trace, id_: int) -> bool:
    """Validated in the first half of the trace."""
    status = trace.statuses.get(id_)
    middle = sorted(trace.nodes)[len(trace.nodes) // 2]
    return status is not None and status.mark == "validated" and (status.block or 0) < middle


def judged(trace: Trace, id_: int) -> bool:
    return id_ in trace.statuses


def as_written(trace: Trace, id_: int, real: Any = ext.state) -> str | None:
    """A proposition whose text says so is validated."""
    text = trace.texts().get(id_, b"")
    return "validated" if b"mark=validated" in text and id_ in trace.statuses else real(trace, id_)


MUTATIONS = [
    Mutation("theorem_b_3", "arrows that are judged early count", (ext,), "_valid", early),
    Mutation("theorem_b_3", "the last proposition is lost", (Summary,), "__post_init__",
             lambda self: setattr(self, "validated", self.extraction.marked("validated")[:-1])),
    Mutation("proposition_b_2", "the hash is that of the text", (meaning,), "digest",
             lambda trace: str(emit(trace))),
    Mutation("proposition_b_2", "the text is believed", (ext, meaning), "state", as_written),
    Mutation("proposition_4_12", "arrows from what is invalidated count", (ext,), "_valid", judged),
    Mutation("proposition_4_12", "the first propositions only", (Summary,), "_formulas",
             lambda self, ids, real=Summary._formulas: real(self, list(ids)[:2])),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_broken_code_breaks_the_statement(mutation: Mutation, monkeypatch: pytest.MonkeyPatch) -> None:
    # Where propositions are missing, looking one up may fail before the statement does.
    mutation.check_caught(PROPERTIES[mutation.statement], monkeypatch, KeyError)


def test_each_statement_has_a_mutation() -> None:
    assert {mutation.statement for mutation in MUTATIONS} == set(PROPERTIES)


# --- what the diagram does not say -----------------------------------------------------------------


def test_isomorphic_diagrams_have_different_summaries_where_the_inclusions_differ() -> None:
    """An arrow to what is not validated is no part of the validated diagram, and it counts for c."""
    nodes = b'@node id=1 role=problem\n@prop id=1 {"declare": {"x": "Int"}}\n'
    nodes += b'@node id=2 role=proposer\n@prop id=2 {"gt": ["x", 0]}\n'
    nodes += b'@node id=3 role=proposer\n@prop id=3 {"lt": ["x", 0]}\n'
    nodes += b"@node id=4 role=critic\n@edge src=2 dst=4 kind=critique\n@status target=2 mark=validated\n"
    texts = nodes, nodes + b"@entails src=2 dst=3 witness=4\n"
    assert isomorphic(*(ext.extract(potlang.dot.read(text)) for text in texts))
    found = [potlang.dot.verify(text).summary.consistency for text in texts]
    assert found == [Consistency.CONSISTENT, Consistency.INCONSISTENT]
