"""The numbered statements of the paper about traces: a quick and a deep test of each, and what they catch.

What is numbered about toposes is in `tests/topos`, what needs a solver in `tests/dot`. B.1 has its
complexity in `benchmarks/traces.py`, and by counting calls in `test_dot_wellformed.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from dot_properties import PROPERTIES
from reference import diagrams
from statements import Mutation

from potlang.languages.dot.lower import canonical as can
from potlang.languages.dot.lower import extract as ext
from potlang.languages.dot.lower import index as ind
from potlang.languages.dot.lower.extract import Inclusion
from potlang.languages.dot.lower.labelled import LabelledGraph
from potlang.languages.dot.read.records import Edge, Eq
from potlang.languages.dot.read.trace import Trace

test_theorem_b_1, test_theorem_b_1_deep = PROPERTIES["theorem_b_1"].tests()
test_proposition_b_2, test_proposition_b_2_deep = PROPERTIES["proposition_b_2"].tests()
test_theorem_b_3, test_theorem_b_3_deep = PROPERTIES["theorem_b_3"].tests()
test_theorem_b_3_only_if, test_theorem_b_3_only_if_deep = PROPERTIES["theorem_b_3_only_if"].tests()
test_proposition_4_12, test_proposition_4_12_deep = PROPERTIES["proposition_4_12"].tests()
test_proposition_4_12_exact, test_proposition_4_12_exact_deep = PROPERTIES["proposition_4_12_exact"].tests()


# --- what is broken on purpose -------------------------------------------------------------------


def always(*_: object) -> bool:
    return True


def so_far(trace: Trace, id_: int) -> bool:
    """Validated before anything is asked of it: by a status in a block of a lower id."""
    status = trace.statuses.get(id_)
    middle = sorted(trace.nodes)[len(trace.nodes) // 2]
    return status is not None and status.mark == "validated" and (status.block or 0) <= middle


def inclusions_of(trace: Trace, real: Any = ext._inclusions) -> Iterator[Inclusion]:
    """A refinement read along its edge."""
    for each in real(trace):
        yield each._replace(lower=each.upper, upper=each.lower) if each.schema == "TR" else each


def one_way(trace: Trace, real: Any = ext._inclusions) -> Iterator[Inclusion]:
    """An equality that gives one inclusion."""
    return (i for i in real(trace) if not isinstance(i.record, Eq) or i.lower == i.record.src)


def uses_too(trace: Trace, real: Any = ext._inclusions) -> Iterator[Inclusion]:
    """A use edge as an inclusion."""
    yield from real(trace)
    for edge in trace.of(Edge):
        if edge.kind == "use" and ext._valid(trace, edge.src):
            yield Inclusion(edge.dst, edge.src, "TR", edge)


def labelled_with_text(trace: Trace, id_: int, real: Any = can._node_label) -> bytes:
    return real(trace, id_) + trace.texts().get(id_, b"")


def labelled_with_id(trace: Trace, id_: int, real: Any = can._node_label) -> bytes:
    return real(trace, id_) + b"%d" % id_


def text_as_content(trace: Trace, id_: int) -> str:
    prop = trace.props.get(id_)
    text = trace.texts().get(id_, b"").decode("utf-8", "replace")
    return text if prop is None else can.json_line(prop.value, canonical=True)


def numbered_by_id(trace: Trace) -> dict[int, str]:
    return {id_: str(number) for number, id_ in enumerate(trace.nodes)}


def without_block(record: Any, real: Any = can.references) -> Iterator[tuple[str, int]]:
    return (end for end in real(record) if end[0] != "block")


def unwitnessed(record: Any, real: Any = can.references) -> Iterator[tuple[str, int]]:
    return (end for end in real(record) if end[0] not in ("witness", "just"))


def once_each(trace: Trace, names: Mapping[int, str], real: Any = can._lines) -> Iterator[str]:
    """Edges and arrows however often they occur."""
    return iter(dict.fromkeys(real(trace, names)))


def unlabelled(extraction: Any, names: list[tuple[str, int]]) -> list[tuple[str, tuple[str, ...]]]:
    return [(kind, ()) for kind, _ in names]


def without_arrows(extraction: Any, real: Any = diagrams._presentation) -> Any:
    """The objects of the diagram alone."""
    kept = [name for name in real(extraction)[1] if name[0] == "object"]
    return LabelledGraph.of_edges(len(kept), [], 2), kept


MUTATIONS = [
    Mutation("theorem_b_1", "arrows from anything", (ext,), "_valid", always),
    Mutation("theorem_b_1", "a refinement read along its edge", (ext,), "_inclusions", inclusions_of),
    Mutation("theorem_b_1", "an equality in one direction", (ext,), "_inclusions", one_way),
    Mutation("theorem_b_1", "use edges as inclusions", (ext,), "_inclusions", uses_too),
    Mutation("theorem_b_1", "equalities join nothing", (ext.UnionFind,), "join", lambda *_: None),
    Mutation("theorem_b_1", "arrows between invalidated", (ext,), "_valid",
             lambda trace, id_: id_ in trace.statuses),
    Mutation("proposition_b_2", "the text in the label of a node", (can,), "_node_label", labelled_with_text),
    Mutation("proposition_b_2", "text for a missing proposition", (ext,), "content", text_as_content),
    Mutation("theorem_b_3", "numbers by id", (can,), "_names", numbered_by_id),
    Mutation("theorem_b_3", "the id in the label of a node", (can,), "_node_label", labelled_with_id),
    Mutation("theorem_b_3", "statuses as they come", (ext,), "_valid", so_far),
    Mutation("theorem_b_3_only_if", "records without their block", (can,), "references", without_block),
    Mutation("theorem_b_3_only_if", "no witness and no justification", (can,), "references", unwitnessed),
    Mutation("theorem_b_3_only_if", "however often they occur", (can,), "_lines", once_each),
    Mutation("proposition_4_12", "what objects say is left out", (diagrams,), "_labels", unlabelled),
    Mutation("proposition_4_12", "invalidated ones count", (ind.IndexCategory,), "validated",
             lambda self: self),
    Mutation("proposition_4_12_exact", "what objects say is left out", (diagrams,), "_labels", unlabelled),
    Mutation("proposition_4_12_exact", "arrows are left out", (diagrams,), "_presentation", without_arrows),
    Mutation("proposition_4_12_exact", "relations make nothing equal", (ind.UnionFind,), "join",
             lambda *_: None),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_broken_code_breaks_the_statement(mutation: Mutation, monkeypatch: pytest.MonkeyPatch) -> None:
    """The statement is found false, by an assertion that fails or a look-up of what is not there."""
    mutation.check_caught(PROPERTIES[mutation.statement], monkeypatch, KeyError)


def test_each_statement_has_a_mutation_and_a_test_here() -> None:
    assert {mutation.statement for mutation in MUTATIONS} == set(PROPERTIES)
    tested = {getattr(test, "__doc__", None) for name, test in globals().items() if name.endswith("_deep")}
    assert tested == {statement.check.__doc__ for statement in PROPERTIES.values()}
