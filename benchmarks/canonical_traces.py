"""The traces that exported grammars admit, by the reader; some of them, and what surrounds them.

Nothing here looks at a grammar.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from canonical import is_proposition

from potlang.diag import Sink
from potlang.languages.dot.read.reader import read_trace
from potlang.languages.dot.read.records import (
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
from potlang.languages.dot.write.emit import emit
from potlang.testing.traces import declarations, proposition

_LINE = re.compile(r"[ -?A-~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\U0010ffff]{1,200}")
_ANY = re.compile(r"[ -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\U0010ffff]{1,200}")
_MOST = {Edge: 6, Entails: 4, Eq: 2, FreeText: 8}
_ORDER = (Node, Edge, Status, Entails, Eq, Prop, FreeText, End)


def is_trace(data: bytes, nodes: int, profile: Profile = "paper") -> bool:
    """Whether a trace is well formed, has the canonical layout and reaches the goal within so many nodes."""
    sink = Sink()
    trace = read_trace(data, sink, profile=profile, form="records", require_end=True)
    if sink.has_errors or not trace.is_well_formed or emit(trace) != data:
        return False
    blocks: dict[int | None, list[Record]] = {}
    for record in trace.records:
        blocks.setdefault(record.block, []).append(record)
    roles = [node.role for node in trace.nodes.values()]
    return (
        list(blocks) == list(range(1, len(roles) + 1))
        and len(roles) <= nodes
        and roles[0] == "problem"
        and roles[-1] == "summarizer"
        and not {"problem", "summarizer"} & set(roles[1:-1])
        and any(edge.kind == "critique" for edge in trace.of(Edge))
        and all(map(_is_canonical_block, blocks.values(), roles))
    )


def _is_canonical_block(records: list[Record], role: str) -> bool:
    kinds = [type(record) for record in records]
    if any(kind in (Coeq, Fence) for kind in kinds) or kinds != sorted(kinds, key=_ORDER.index):
        return False
    if any(Counter(kinds)[kind] > most for kind, most in _MOST.items()):
        return False
    return all(_is_canonical_record(record, role) for record in records)


def _is_canonical_record(record: Record, role: str) -> bool:
    if isinstance(record, Entails):
        return record.rank is None
    if isinstance(record, FreeText):
        text = record.content.decode()
        return text[:1] not in ("<", "") and _ANY.fullmatch(text) is not None
    if isinstance(record, Prop):
        is_declaring = isinstance(record.value, dict) and {"declare", "assume"} & record.value.keys()
        return is_proposition(record.text) and (role == "problem" or not is_declaring)
    return True


# --- traces of ours ------------------------------------------------------------------------------


class _State(NamedTuple):
    """The nodes so far by role, and the marks of propositions."""

    roles: dict[int, str]
    marks: dict[int, str]
    before_proposers: tuple[str, ...]

    def of(self, *roles: str) -> list[int]:
        return [node for node, role in self.roles.items() if role in roles]

    def validated(self) -> list[int]:
        return [node for node, mark in self.marks.items() if mark == "validated"]


def a_trace(random: Random, nodes: int, profile: Profile = "paper") -> str:
    """A canonical trace."""
    while True:
        found = "\n".join([*_blocks(random, random.randint(4, nodes), profile), ""])
        if is_trace(found.encode(), nodes, profile):
            return found


def _blocks(random: Random, count: int, profile: Profile) -> Iterator[str]:
    before = ("problem", "proposer", "critic") if profile == "paper" else ("proposer", "critic")
    state = _State({1: "problem"}, {}, before)
    yield "@node id=1 role=problem"
    yield from _prop(random, 1, declarations(random) if random.random() < 0.5 else None)
    for node in range(2, count):
        wanted = ["proposer", "critic"][node - 2] if node < 4 else random.choice(["proposer", "critic"])
        yield from _block(random, state, node, wanted, least=int(node == 3))
    yield from _block(random, state, count, "summarizer")
    yield "<summarizer:end>"


def _block(random: Random, state: _State, node: int, role: str, least: int = 0) -> Iterator[str]:
    yield f"@node id={node} role={role}"
    yield from _edges(random, state, node, role, least)
    state.roles[node] = role
    active = [each for each in state.of("proposer") if each not in state.marks]
    if active and random.random() < 0.6:
        target, mark = random.choice(active), random.choice(["validated", "validated", "invalidated"])
        state.marks[target] = mark
        just = random.choice(["", f" just={random.choice(list(state.roles))}"])
        yield f"@status target={target} mark={mark}{just}"
    proposers, critics = state.of("proposer"), state.of("critic")
    for _ in range(random.choice([0, 0, 1, 2]) if proposers else 0):
        witness = f" witness={random.choice(critics)}" if critics and random.random() < 0.5 else ""
        yield f"@entails src={random.choice(proposers)} dst={random.choice(proposers)}{witness}"
    for _ in range(random.choice([0, 0, 1]) if proposers else 0):
        yield f"@eq src={random.choice(proposers)} dst={random.choice(proposers)}"
    yield from _prop(random, node, proposition(random, 2) if random.random() < 0.5 else None)
    yield from random.sample(
        ["The condition holds.", " @ is no record", "4 > 2 – wahr", "x" * 200], k=random.choice([0, 1, 2])
    )


def _edges(random: Random, state: _State, node: int, role: str, least: int) -> Iterator[str]:
    for _ in range(max(least, random.choice([0, 1, 1, 3]))):
        if role == "summarizer":
            sources, kinds = state.validated(), ["use"]
        elif role == "critic":
            sources, kinds = state.of("proposer"), ["critique"]
        else:
            sources, kinds = state.of(*state.before_proposers), []
        if sources:
            source = random.choice(sources)
            of_source = {"problem": ["use"], "critic": ["refine"], "proposer": ["use", "refine"]}
            kind = random.choice(kinds or of_source[state.roles[source]])
            yield f"@edge src={source} dst={node} kind={kind}"


def _prop(random: Random, node: int, value: object) -> Iterator[str]:
    text = json.dumps(value, ensure_ascii=False, default=float)
    if value is not None and is_proposition(text):
        yield f"@prop id={node} {text}"


# --- each transition -----------------------------------------------------------------------------


def traces_one_by_one(nodes: int) -> Iterator[str]:
    """Each record with each value in a block of each role, behind nodes of each role and state.

    These nodes stand early, late and between; the values are their ids and those beside them.
    """
    for shift in sorted({0, 1, (nodes - 7) // 2, nodes - 7}):
        yield from _each_record(shift)
    yield from _each_length(nodes)
    yield from _each_order()


def _each_record(shift: int) -> Iterator[str]:
    base = ["@node id=1 role=problem"]
    for node in range(2, 2 + shift):
        base.append(f"@node id={node} role={'critic' if node % 2 else 'proposer'}")
    first = 2 + shift
    base += [f"@node id={node} role=proposer" for node in range(first, first + 3)]
    base += [f"@node id={first + 3} role=critic", f"@edge src={first} dst={first + 3} kind=critique"]
    base += [f"@status target={first + 1} mark=validated", f"@node id={first + 4} role=critic"]
    base += [f"@status target={first + 2} mark=invalidated"]
    node = first + 5
    values = sorted({0, 1, 2, 3, *range(first - 1, node + 2)})
    for role in ("proposer", "critic", "summarizer", "problem"):
        head = [*base, f"@node id={node} role={role}"]
        tail = ["<summarizer:end>", ""]
        if role != "summarizer":
            tail = [f"@node id={node + 1} role=summarizer", *tail]
        for record in _records(values, node):
            yield "\n".join([*head, record, *tail])
        for mark in ("validated", "invalidated"):
            # What a status changes counts at once.
            for record in (
                f"@edge src={first} dst={node + 1} kind=use",
                f"@status target={first} mark=validated",
            ):
                end = [f"@node id={node + 1} role=summarizer", record, "<summarizer:end>", ""]
                yield "\n".join([*head, f"@status target={first} mark={mark}", *end])


def _records(values: list[int], node: int) -> Iterator[str]:
    for one in values:
        for kind in ("refine", "critique", "use"):
            yield f"@edge src={one} dst={node} kind={kind}"
        for mark in ("validated", "invalidated"):
            yield f"@status target={one} mark={mark}"
        yield f"@status target={node - 5} mark=validated just={one}"
        yield f"@edge src={node - 5} dst={one} kind=use"
        yield f"@entails src={node - 5} dst={node - 4} witness={one}"
        yield f'@prop id={one} "p"'
        for other in values:
            yield f"@entails src={one} dst={other}"
            yield f"@eq src={one} dst={other}"


def _each_length(nodes: int) -> Iterator[str]:
    """Traces that use up their nodes, and more; with the critique early, late, and not at all."""
    for count in (3, 4, 5, nodes - 1, nodes, nodes + 1):
        for proposed in (2, count // 2, count - 2, count - 1, count):
            for critic in {3, count // 2, count - 2, count - 1, count}:
                lines = ["@node id=1 role=problem"]
                for node in range(2, count):
                    is_critic = node == critic or node < proposed
                    lines.append(f"@node id={node} role={'critic' if is_critic else 'proposer'}")
                    if node == critic:
                        lines.append(f"@edge src={max(2, node - 1)} dst={node} kind=critique")
                yield "\n".join([*lines, f"@node id={count} role=summarizer", "<summarizer:end>", ""])


def _each_order() -> Iterator[str]:
    """Pairs of records in a block, in both orders and twice; and as many of each as there may be."""
    base = "@node id=1 role=problem\n@node id=2 role=proposer\n@node id=3 role=critic\n"
    base += "@edge src=2 dst=3 kind=critique\n@node id=4 role=proposer\n"
    end = "@node id=5 role=summarizer\n<summarizer:end>\n"
    records = (
        *("@edge src=2 dst=4 kind=use\n", "@status target=2 mark=validated\n", "@entails src=2 dst=4\n"),
        *("@eq src=2 dst=2\n", '@prop id=4 "p"\n', "some text\n", "<summarizer:end>\n", "\n", "@@len=1@@x\n"),
        *(
            "@coeq src=2 dst=4\n",
            "@entails src=2 dst=4 rank=1\n",
            "<critic>\n",
            '@prop id=4 {"declare": {}}\n',
        ),
    )
    for one in records:
        yield from (base + one * count + end for count in (1, 2, 4, 5, 6, 7, 8, 9))
        yield from (base + one + other + end for other in records)
        yield base + end + one
    for text in ("@", "<", " <", "x" * 200, "x" * 201, "\t", "é", "\u2028", "x@"):
        yield base + text + "\n" + end
    whole = base + end
    yield from (whole[:-1], whole + "\n", whole.replace("\n", "\r\n"), "\ufeff" + whole, "text\n" + whole)
