"""The writer: what it builds is well formed and comes back, and a wrong call changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from potlang.diag import Sink
from potlang.languages.dot.lower.canonical import digest
from potlang.languages.dot.read.reader import read_trace
from potlang.languages.dot.read.records import (
    PROFILES,
    Coeq,
    Edge,
    End,
    Entails,
    Eq,
    Fence,
    FreeText,
    Node,
    Profile,
    Prop,
    Record,
    Status,
)
from potlang.languages.dot.read.trace import Trace
from potlang.languages.dot.write.builder import BuildError, TraceBuilder
from potlang.languages.dot.write.emit import emit
from potlang.testing.traces import records


def _read(data: bytes, profile: Profile) -> Trace:
    trace = read_trace(data, sink := Sink(), profile=profile)
    assert [each.message for each in sink.diagnostics()] == []
    return trace


def _started() -> TraceBuilder:
    """1 a problem, 2 and 4 validated proposers, 3 and 5 their critics, 6 an active proposer."""
    builder = TraceBuilder()
    problem = builder.problem("What is x?", declare={"x": "Int"})
    for bound in (1, 2):
        node = builder.proposer({"gt": ["x", bound]}, uses=[problem])
        critic = builder.critic(node, text="So it is.")
        builder.validate(node, just=critic)
    builder.proposer({"gt": ["x", 3]}, uses=[4])
    return builder


# --- what is built is well formed and comes back -----------------------------------------------------

LINES = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["@", "@node id=1 role=problem", "@@len=3@@", "<summarizer:end>", "", "\r", "a\r", "\ufeff"]
    ),
)
TEXTS = st.lists(LINES, max_size=4).map("\n".join).filter(lambda text: not _has_surrogate(text))


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)


@settings(max_examples=100)
@given(st.lists(TEXTS, min_size=1, max_size=4), st.sampled_from(PROFILES))
def test_any_text_survives(texts: list[str], profile: Profile) -> None:
    """[DOT-WRITE-3]: each node's text is the text that was given."""
    builder = TraceBuilder(profile)
    builder.problem(texts[0])
    for text in texts[1:]:
        builder.summarizer(text=text)
    found = _read(builder.text(), profile).texts()
    assert [found.get(id_, b"").decode() for id_ in range(1, len(texts) + 1)] == texts


def _call(builder: TraceBuilder, found: Record, props: dict[int, Prop], edges: dict[int, list[Edge]]) -> None:
    """The call that makes a record; edges and propositions come with their node."""
    match found:
        case Node(id=id_, role=role):
            prop = props[id_].value if id_ in props else None
            own = edges.get(id_, [])
            refines, uses = ([edge.src for edge in own if edge.kind == kind] for kind in ("refine", "use"))
            if role == "proposer":
                builder.proposer(prop, uses=uses, refines=refines, id=id_)
            elif role == "critic":
                builder.critic(*(edge.src for edge in own), prop=prop, id=id_)
            elif role == "summarizer":
                builder.summarizer(prop, uses=uses, id=id_)
            elif isinstance(prop, dict) and {"declare", "assume"} & set(prop):
                builder.problem(declare=prop.get("declare"), assume=prop.get("assume"), id=id_)
            else:
                builder.problem(prop=prop, id=id_)
        case Status(target=target, mark=mark, just=just):
            (builder.validate if mark == "validated" else builder.invalidate)(target, just=just)
        case Entails(src=src, dst=dst, witness=witness, rank=rank):
            builder.entails(src, dst, witness=witness, rank=rank)
        case Eq(src=src, dst=dst):
            builder.eq(src, dst)
        case Coeq(src=src, dst=dst):
            builder.coeq(src, dst)
        case FreeText(content=content) | Fence(content=content):
            builder.say(content)
        case End():
            builder.end()


def _rebuilt(found: list[Record], random: Random, profile: Profile) -> bytes:
    """A trace built by calls for these records, those inside a block in a random order."""
    builder = TraceBuilder(profile)
    props = {record.id: record for record in found if isinstance(record, Prop)}
    edges: dict[int, list[Edge]] = {}
    blocks: dict[int, list[Record]] = {}
    for record in found:
        if isinstance(record, Edge):
            edges.setdefault(record.dst, []).append(record)
        elif not isinstance(record, Prop):
            assert record.block is not None
            blocks.setdefault(record.block, []).append(record)
    for [node, *rest] in blocks.values():
        _call(builder, node, props, edges)
        random.shuffle(rest)
        for record in sorted(rest, key=lambda record: isinstance(record, End)):
            _call(builder, record, props, edges)
    return builder.text()


def _check_rebuilding(random: Random, profile: Profile) -> None:
    found = records(random, blocks=random.randint(1, 14), profile=profile)
    before, after = _read(emit(found), profile), _read(_rebuilt(found, random, profile), profile)
    assert digest(before) == digest(after)
    for id_, text in before.texts().items():
        assert sorted(text.split(b"\n")) == sorted(after.texts()[id_].split(b"\n"))


@settings(max_examples=60)
@given(st.randoms(use_true_random=False), st.sampled_from(PROFILES))
def test_calls_in_any_order_give_the_same_records(random: Random, profile: Profile) -> None:
    """[DOT-WRITE-1] [DOT-WRITE-2]: what has been written is read without a diagnostic, with its records."""
    _check_rebuilding(random, profile)


@pytest.mark.slow
@settings(max_examples=600)
@given(st.randoms(use_true_random=False), st.sampled_from(PROFILES))
def test_calls_in_any_order_give_the_same_records_deeply(random: Random, profile: Profile) -> None:
    _check_rebuilding(random, profile)


def test_the_trace_is_the_text_read_again() -> None:
    trace = _started().trace()
    assert trace.is_well_formed and trace.props[2].value == {"gt": ["x", 1]}
    assert trace.place_of(next(trace.of(Status))).span is not None


# --- wrong calls ---------------------------------------------------------------------------------

WRONG: list[tuple[str, Callable[[TraceBuilder], Any]]] = [
    ("DOT-NODE-1", lambda builder: builder.proposer(id=6)),
    ("DOT-REF-1", lambda builder: builder.proposer(uses=[1, 99])),
    ("DOT-REF-1", lambda builder: builder.validate(6, just=99)),
    ("DOT-EDGE-2", lambda builder: builder.proposer(uses=[7])),
    ("DOT-EDGE-3", lambda builder: builder.critic(1)),
    ("DOT-EDGE-3", lambda builder: builder.proposer(uses=[3])),
    ("DOT-EDGE-5", lambda builder: builder.summarizer(uses=[2, 6])),
    ("DOT-STAT-1", lambda builder: builder.validate(3)),
    ("DOT-STAT-2", lambda builder: builder.invalidate(2)),
    ("DOT-ARR-1", lambda builder: builder.entails(2, 3)),
    ("DOT-ARR-1", lambda builder: builder.eq(1, 2)),
    ("DOT-ARR-2", lambda builder: builder.entails(2, 4, witness=2)),
    ("DOT-PROP-2", lambda builder: builder.proposer({"gt": [float("nan"), 0]})),
    ("DOT-PROP-2", lambda builder: builder.proposer({1: ["x", 0]})),
    ("DOT-PROP-3", lambda builder: builder.proposer({"gt": ["x"]})),
    ("DOT-PROP-4", lambda builder: builder.proposer({"declare": {"y": "Int"}})),
    ("DOT-LEX-1", lambda builder: builder.say(b"good\nbad \xff")),
    ("DOT-LEX-1", lambda builder: builder.say("\ud800")),
    ("DOT-LEX-5", lambda builder: builder.entails(2, 4, rank=-1)),
    ("DOT-LEX-5", lambda builder: builder.proposer(id=10**600)),
    ("DOT-LEX-5", lambda builder: builder.critic(True)),
    ("DOT-END-1", lambda builder: builder.end()),
    ("DOT-GRAM-3", lambda builder: builder.problem(declare={"y": "Int"}, prop="p")),
]


@pytest.mark.parametrize(("rule", "call"), WRONG, ids=[f"{i}-{rule}" for i, (rule, _) in enumerate(WRONG)])
def test_a_wrong_call_names_its_rule_and_changes_nothing(
    rule: str, call: Callable[[TraceBuilder], Any]
) -> None:
    """[DOT-WRITE-4]: a call that breaks a rule raises at once, and nothing of it is written."""
    builder = _started()
    before = builder.text()
    with pytest.raises(BuildError) as caught:
        call(builder)
    assert caught.value.rule == rule and f"[{rule}]" in str(caught.value)
    assert builder.text() == before
    assert builder.critic(6) == 7
    builder.validate(6, just=7)
    assert _read(builder.text(), "paper").statuses[6].just == 7


def test_nothing_comes_before_the_first_node_and_after_the_end() -> None:
    builder = TraceBuilder()
    for early in (builder.text, lambda: builder.say("x"), lambda: builder.validate(1), builder.end):
        with pytest.raises(BuildError, match="DOT-GRAM-1"):
            early()
    builder.summarizer(text="done")
    builder.end()
    for late in (builder.critic, builder.end, lambda: builder.say("x")):
        with pytest.raises(BuildError, match="DOT-END-1"):
            late()
    assert builder.text().endswith(b"done\n<summarizer:end>\n")


def test_a_block_has_one_judgement() -> None:
    builder = TraceBuilder()
    one, other = builder.proposer(), builder.proposer()
    builder.critic(one, other)
    builder.validate(one)
    with pytest.raises(BuildError, match="DOT-GRAM-3"):
        builder.validate(other)


def test_strict_has_no_extensions() -> None:
    builder = TraceBuilder("strict")
    problem = builder.problem()
    with pytest.raises(BuildError, match="DOT-EDGE-3"):
        builder.proposer(uses=[problem])
    node = builder.proposer()
    with pytest.raises(BuildError, match="DOT-PROF-2"):
        builder.coeq(node, node)
    with pytest.raises(BuildError, match="DOT-PROF-2"):
        builder.entails(node, node, rank=1)
    builder.entails(node, node)
    assert _read(builder.text(), "strict").is_well_formed


def test_propositions_that_contain_themselves_are_refused() -> None:
    value: list[Any] = ["f"]
    value.append(value)
    with pytest.raises(BuildError, match="nests deeper"):
        TraceBuilder().proposer(value)


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(ValueError, match="strict, paper"):
        TraceBuilder("loose")  # type: ignore[arg-type]


def test_many_blocks_take_no_longer_each() -> None:
    """Ten thousand blocks are quick: nothing looks at all that has been written."""
    builder = TraceBuilder()
    for _ in range(5_000):
        builder.critic(builder.proposer("p"))
    assert len(_read(builder.text(), "paper").nodes) == 10_000


def test_text_is_text() -> None:
    """A wrong call is named as one."""
    builder = TraceBuilder()
    builder.problem("P")
    with pytest.raises(TypeError, match="str or bytes"):
        builder.say(5)  # type: ignore[arg-type]
