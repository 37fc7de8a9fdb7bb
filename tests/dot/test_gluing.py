"""Gluing traces: what is shared, in which order, and what the two say differently."""

from __future__ import annotations

import pytest
from test_meaning import APPENDIX_A, REFINEMENT, judged

import potlang.dot
from potlang.languages.dot.lower.canonical import digest
from potlang.languages.dot.read.records import Edge, Status

CONFLICT = "POT5070"


def test_a_trace_with_itself_shares_what_says_something() -> None:
    """[DOT-GLUE-1] Problems and proposers with equal propositions; critics and summarizers stay apart."""
    trace = potlang.dot.read(REFINEMENT)
    glued = potlang.dot.glue(trace, trace)
    assert [(each.left, each.right) for each in glued.shared] == [(1, 1), (2, 2), (4, 4), (6, 6)]
    assert glued.trace.is_well_formed and potlang.dot.read(glued.text).records == glued.trace.records
    assert potlang.dot.verify(glued.trace).ok and glued.diagnostics == ()


def test_all_of_a_trace_shared_with_itself_is_the_trace() -> None:
    """[DOT-GLUE-1] By an explicit map, critics and summarizers too."""
    for text in (APPENDIX_A, REFINEMENT):
        trace = potlang.dot.read(text)
        glued = potlang.dot.glue(trace, trace, {id_: id_ for id_ in trace.nodes})
        assert digest(glued.trace) == digest(trace)
        assert glued.trace.texts() == trace.texts()


def test_nothing_in_common() -> None:
    """[DOT-GLUE-3] The verdict is that on both together."""
    first, second = potlang.dot.read(APPENDIX_A), potlang.dot.read(REFINEMENT)
    glued = potlang.dot.glue(first, second)
    assert glued.shared == ()
    assert sorted([*glued.left.values(), *glued.right.values()]) == list(glued.trace.nodes)
    report = potlang.dot.verify(glued.trace)
    assert report.ok and len(report.summary.nodes) == 5 and len(report.summary.summarizers) == 2


def test_several_that_say_the_same_are_paired_in_order() -> None:
    """[DOT-GLUE-1] The first with the first."""
    first = potlang.dot.read(judged(("p", None), ("p", None), ("q", None)))
    second = potlang.dot.read(judged(("q", None), ("p", None), ("p", None), ("p", None)))
    glued = potlang.dot.glue(first, second)
    assert [(each.left, each.right) for each in glued.shared] == [(1, 1), (2, 4), (4, 6), (6, 2)]


def test_contested_judgements() -> None:
    """[DOT-GLUE-4] POT5070: the first trace's status stands, and summarizers follow it."""
    summary = "@node id=9 role=summarizer\n@edge src=2 dst=9 kind=use\n"
    first = potlang.dot.read(judged(("p", "invalidated")))
    second = potlang.dot.read(judged(("p", "validated")) + summary)
    glued = potlang.dot.glue(first, second)
    [found] = glued.diagnostics
    assert found.code == CONFLICT and found.message == (
        "node 2 is invalidated in the first trace and validated in the second"
    )
    assert glued.trace.document.line_column(found.place.span[0])[0] == 7  # type: ignore[index]
    assert [each.mark for each in glued.trace.of(Status)] == ["invalidated"]
    assert not [each for each in glued.trace.of(Edge) if each.kind == "use"]
    other = potlang.dot.glue(second, first)
    assert [each.mark for each in other.trace.of(Status)] == ["validated"]
    assert len([each for each in other.trace.of(Edge) if each.kind == "use"]) == 1


def test_contested_content() -> None:
    """[DOT-GLUE-4] POT5071: a map may share nodes that say different things; the first counts."""
    first, second = potlang.dot.read(judged(("p", None))), potlang.dot.read(judged(("q", None)))
    glued = potlang.dot.glue(first, second, {1: 1, 2: 2})
    assert [each.code for each in glued.diagnostics] == ["POT5071"]
    assert glued.trace.props[2].value == "p"


def test_contested_declarations() -> None:
    """[DOT-GLUE-4], [DOT-THEORY-3] One name with two sorts."""
    head = '@node id=1 role=problem\n@prop id=1 {"declare": {"p": "Int"}}\n'
    glued = potlang.dot.glue(
        potlang.dot.read(judged(("p", None))), potlang.dot.read(judged(({"gt": ["p", 1]}, None), head=head))
    )
    assert [each.code for each in glued.diagnostics] == ["POT2002"]
    assert "POT2002" in [each.code for each in potlang.dot.verify(glued.trace).diagnostics]


def test_an_order_that_cannot_be() -> None:
    """[DOT-GLUE-2] What would come before itself is shared in part, or with a map an error."""
    there = (
        '@node id=2 role=proposer\n@prop id=2 "p"\n'
        '@node id=3 role=proposer\n@edge src=2 dst=3 kind=use\n@prop id=3 "q"\n'
    )
    back = there.replace('"p"', '"x"').replace('"q"', '"p"').replace('"x"', '"q"')
    head = "@node id=1 role=problem\n"
    first, second = potlang.dot.read(head + there), potlang.dot.read(head + back)
    glued = potlang.dot.glue(first, second)
    assert len(glued.shared) == 1 and glued.trace.is_well_formed and len(glued.trace.nodes) == 5
    with pytest.raises(potlang.dot.GlueError, match="before itself"):
        potlang.dot.glue(first, second, {2: 3, 3: 2})


def test_two_statuses_in_one_block() -> None:
    """[DOT-GLUE-2] The second goes to a critic of its own."""
    text = (
        '@node id=1 role=problem\n@node id=2 role=proposer\n@prop id=2 "{}"\n'
        "@node id=3 role=critic\n@status target=2 mark=validated\n"
    )
    first, second = (potlang.dot.read(text.replace("{}", name)) for name in "pq")
    glued = potlang.dot.glue(first, second, {1: 1, 3: 3})
    assert glued.trace.is_well_formed
    assert sorted((each.target, each.mark) for each in glued.trace.of(Status)) == [
        (glued.left[2], "validated"),
        (glued.right[2], "validated"),
    ]


@pytest.mark.parametrize(
    ("shared", "problem"),
    [({99: 1}, "no node 99"), ({1: 99}, "no node 99"), ({1: 2}, "a problem"), ({2: 2, 4: 2}, "two nodes")],
)
def test_maps_that_mean_nothing(shared: dict[int, int], problem: str) -> None:
    """[DOT-GLUE-1] An error of the caller."""
    trace = potlang.dot.read(APPENDIX_A)
    with pytest.raises(potlang.dot.GlueError, match=problem):
        potlang.dot.glue(trace, trace, shared)


def test_a_broken_trace_is_glued_as_far_as_it_is_well_formed() -> None:
    """[DOT-GLUE-2] The result is well formed in any case."""
    broken = potlang.dot.check(
        b"@node id=1 role=proposer\n@edge src=9 dst=1 kind=use\n@status target=1\n@node\n@prop id=1 {"
    ).trace
    glued = potlang.dot.glue(broken, potlang.dot.read(APPENDIX_A))
    assert glued.trace.is_well_formed and len(glued.trace.nodes) == 11
    not_utf8 = potlang.dot.check(b"@node id=1 role=proposer\nbyte \xff\n").trace
    glued = potlang.dot.glue(not_utf8, potlang.dot.read(APPENDIX_A))
    assert glued.trace.is_well_formed and glued.trace.texts()[1] == "byte \ufffd".encode()
