"""DoT traces: well-formed ones, other orders of the same records, and damaged ones.

Each is made from a source of random numbers, so that a test can make many; the strategies wrap that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from graphlib import TopologicalSorter
from random import Random
from typing import Any, NamedTuple, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from potlang.languages.dot.read.json_line import json_line
from potlang.languages.dot.read.records import (
    MARKS,
    Coeq,
    Edge,
    EdgeKind,
    End,
    Entails,
    Eq,
    Fence,
    FreeText,
    Node,
    Profile,
    Prop,
    Record,
    Role,
    Status,
    references,
    renumbered,
)
from potlang.languages.dot.write.emit import emit
from potlang.testing import damage

Json = Any
T = TypeVar("T")

_NAMES = ("x", "y", "z", "age", "ünïcode", "a b")
_LINES = (
    *(b"", b" ", b"The condition holds.", b"4 > 2, so it is true.", b"\tindented", b" @ is no record here"),
    *("ein Satz mit Ümlaut – 論理 🙂".encode(), b"a\rb", b"x" * 200, b"<summarizer>", b"@", b"@node id=1"),
    *(b"@@len=3@@", b"two\nlines", b"\n", b"<summarizer:end>", b"\r", b"@prop id=1 {"),
)


def records(random: Random, *, blocks: int = 12, profile: Profile = "paper") -> list[Record]:
    """The records of a well-formed trace of that many blocks, of every kind, without places."""
    return _Maker(random, profile).make(blocks)


def proposition(random: Random, depth: int = 3) -> Json:
    """The JSON of a proposition, as `schemas/dot-prop-1.json` describes it."""
    if depth == 0 or random.random() < 0.5:
        return _atom(random, depth)
    kind = random.choice(["not", "and", "or", "implies", "iff", "forall", "exists"])
    if kind == "not":
        return {"not": proposition(random, depth - 1)}
    if kind in ("forall", "exists"):
        return {kind: [{random.choice(_NAMES): "Int"}, proposition(random, depth - 1)]}
    count = random.randint(1, 3) if kind in ("and", "or") else 2
    return {kind: [proposition(random, depth - 1) for _ in range(count)]}


def _atom(random: Random, depth: int) -> Json:
    roll = random.random()
    if roll < 0.1:
        return random.choice(_NAMES)
    if roll < 0.2:
        return ["p", term(random, 1)]
    if roll < 0.25:
        return {"pot": "x + 1 > x"}
    kind = random.choice(["gt", "ge", "lt", "le", "eq", "ne"])
    return {kind: [term(random, depth), term(random, depth)]}


def term(random: Random, depth: int = 2) -> Json:
    """The JSON of a term."""
    roll = random.random()
    if depth == 0 or roll < 0.6:
        return random.choice([random.randint(-9, 9), random.choice(_NAMES), 0.5, 10**30])
    if roll < 0.7:
        return ["f", *(term(random, depth - 1) for _ in range(random.randint(1, 2)))]
    if roll < 0.8:
        return {"neg": term(random, depth - 1)}
    if roll < 0.9:
        return {"ite": [proposition(random, 0), term(random, depth - 1), term(random, 0)]}
    kind = random.choice(["add", "mul", "sub"])
    count = 2 if kind == "sub" else random.randint(2, 3)
    return {kind: [term(random, depth - 1) for _ in range(count)]}


def declarations(random: Random) -> Json:
    """The declarations and assumptions of a problem, as JSON."""
    value: dict[str, Json] = {}
    if random.random() < 0.8:
        value["declare"] = {
            "x": "Int",
            "p": {"domain": ["Int"], "range": "Bool"},
            random.choice(_NAMES): "Real",
        }
    if not value or random.random() < 0.6:
        value["assume"] = [proposition(random, 1) for _ in range(random.randint(0, 2))]
    return value


class _Maker:
    """The state of a trace under construction: the reader's registers, seen from the writer."""

    def __init__(self, random: Random, profile: Profile) -> None:
        self.random = random
        self.profile = profile
        self.roles: dict[int, Role] = {}
        self.marks: dict[int, str] = {}

    def make(self, blocks: int) -> list[Record]:
        found: list[Record] = []
        for index in range(blocks):
            found += self._block(index, is_last=index == blocks - 1)
        return found

    def _of(self, *roles: Role) -> list[int]:
        return [id_ for id_, role in self.roles.items() if role in roles]

    def _some(self, items: Sequence[T], most: int) -> list[T]:
        """At most so many of the items, some of them twice now and then."""
        return [self.random.choice(items) for _ in range(self.random.randint(0, most))] if items else []

    def _block(self, index: int, *, is_last: bool) -> list[Record]:
        random = self.random
        id_ = max(self.roles, default=-1) + random.choice([1, 1, 1, 2, 7])
        roles: list[Role] = ["proposer", "proposer", "proposer", "critic", "critic", "summarizer", "problem"]
        role = random.choice(roles) if index else "problem"
        edges = self._edges(id_, role)
        self.roles[id_] = role
        status = self._status(id_, role)
        proposers = self._of("proposer")
        pairs = [(random.choice(proposers), random.choice(proposers)) for _ in range(3)] if proposers else []
        entails = [self._entails(pair, id_) for pair in self._some(pairs, 2)]
        equal = [self._equality(pair, id_) for pair in self._some(pairs, 1)]
        free = [_free(random, id_) for _ in range(random.choice([0, 1, 1, 3]))]
        found: list[Record] = [Node(id_, role), *edges, *entails, *equal, *self._prop(id_, role), *free]
        if status is not None:
            late = self.profile == "paper" and free and random.random() < 0.5
            at = len(found) - random.randint(0, len(free) - 1) if late else 1 + len(edges)
            found.insert(at, status)
        if is_last and role == "summarizer" and random.random() < 0.7:
            found.append(End(id_))
        return found

    def _edges(self, id_: int, role: Role) -> list[Edge]:
        kind: EdgeKind
        if role == "critic":
            return [Edge(src, id_, "critique") for src in self._some(self._of("proposer"), 3)]
        if role == "summarizer":
            valid = [node for node, mark in self.marks.items() if mark == "validated"]
            return [Edge(src, id_, "use") for src in self._some(valid, 4)]
        if role == "problem":
            return []
        found = []
        for src in self._some(self._of("proposer", "critic"), 2):
            kind = "refine" if self.roles[src] == "critic" else self.random.choice(["use", "refine"])
            found.append(Edge(src, id_, kind))
        if self.profile == "paper" and self.random.random() < 0.5:
            found += [Edge(src, id_, "use") for src in self._some(self._of("problem"), 1)]
        return found

    def _status(self, id_: int, role: Role) -> Status | None:
        active = [node for node in self._of("proposer") if node not in self.marks]
        if not active or self.random.random() > (0.8 if role == "critic" else 0.1):
            return None
        target = self.random.choice(active)
        mark = self.random.choice([*MARKS, "validated"])
        just = self.random.choice([None, id_, self.random.choice(list(self.roles))])
        self.marks[target] = mark
        return Status(target, mark, just, id_)

    def _entails(self, pair: tuple[int, int], block: int) -> Entails:
        critics = self._of("critic")
        witness = self.random.choice(critics) if critics and self.random.random() < 0.6 else None
        rank = self.random.randint(0, 3) if self.profile == "paper" and self.random.random() < 0.3 else None
        return Entails(*pair, witness, rank, block)

    def _equality(self, pair: tuple[int, int], block: int) -> Eq | Coeq:
        if self.profile == "paper" and self.random.random() < 0.5:
            return Coeq(*pair, block)
        return Eq(*pair, block)

    def _prop(self, id_: int, role: Role) -> list[Prop]:
        if self.random.random() < 0.35:
            return []
        declares = role == "problem" and self.random.random() < 0.7
        value = (
            declarations(self.random) if declares else proposition(self.random, self.random.choice([0, 0, 2]))
        )
        return [prop(id_, value)]


def prop(id_: int, value: Json) -> Prop:
    """A `@prop` without a place."""
    return Prop(id_, value, json_line(value))


def _free(random: Random, block: int) -> FreeText | Fence:
    content = random.choice(_LINES)
    can_be_text = not content.startswith(b"@") and b"\n" not in content and content[-1:] != b"\r"
    is_text = can_be_text and content != b"<summarizer:end>" and random.random() < 0.8
    return (FreeText if is_text else Fence)(content, block)


# --- other orders --------------------------------------------------------------------------------


class Shuffle(NamedTuple):
    """Another order of the records of a trace, and the new id of each node."""

    records: list[Record]
    ids: dict[int, int]


def shuffle(found: Iterable[Record], random: Random, *, profile: Profile = "paper") -> Shuffle:
    """The same typed records in another order: blocks along a topological sort, ids renumbered along.

    Inside blocks the records are permuted as the profile's grammar allows, and the free text is
    another one. The records are those of a well-formed trace.
    """
    blocks = by_block(found)
    order = _topological(_needs(blocks), random)
    return in_order([_permuted(blocks[id_], id_, random, profile) for id_ in order], random)


def by_block(found: Iterable[Record]) -> dict[int, list[Record]]:
    blocks: dict[int, list[Record]] = {}
    for record in found:
        assert record.block is not None
        blocks.setdefault(record.block, []).append(record)
    return blocks


def in_order(blocks: Iterable[Sequence[Record]], random: Random) -> Shuffle:
    """Blocks one after the other, under new ids."""
    records = [record for block in blocks for record in block]
    ids: dict[int, int] = {}
    last = -1
    for record in records:
        if isinstance(record, Node):
            last = ids[record.id] = last + random.choice([1, 1, 2, 5])
    return Shuffle([renumbered(record, ids) for record in records], ids)


def _needs(blocks: Mapping[int, list[Record]]) -> dict[int, set[int]]:
    """For each block those that must come before it."""
    judged = {r.target: b for b, block in blocks.items() for r in block if isinstance(r, Status)}
    needs: dict[int, set[int]] = {}
    for id_, block in blocks.items():
        role = block[0].role if isinstance(block[0], Node) else None
        named = {node for record in block for _, node in references(record)}
        if role == "summarizer":
            # A summarizer may use a proposer only behind the status that validates it.
            named |= {judged[record.src] for record in block if isinstance(record, Edge)}
        if any(isinstance(record, End) for record in block):
            named |= set(blocks)
        needs[id_] = named - {id_}
    return needs


def _topological(needs: Mapping[int, set[int]], random: Random) -> list[int]:
    sorter = TopologicalSorter(needs)
    sorter.prepare()
    ready: list[int] = []
    order: list[int] = []
    while sorter.is_active():
        ready += sorter.get_ready()
        order.append(ready.pop(random.randrange(len(ready))))
        sorter.done(order[-1])
    return order


def _permuted(block: Sequence[Record], id_: int, random: Random, profile: Profile) -> list[Record]:
    def some(*kinds: type[Record]) -> list[Record]:
        found = [record for record in block if isinstance(record, kinds)]
        random.shuffle(found)
        return found

    free: list[Record] = [_free(random, id_) for _ in range(random.choice([0, 1, 2]))]
    status = some(Status)
    if status and free and profile == "paper" and random.random() < 0.5:
        # The profile `paper` admits a status behind free text, as the paper's example has it.
        free[random.randint(1, len(free)) : 0] = status
        status = []
    body = [*some(Edge), *status, *some(Entails), *some(Eq, Coeq), *some(Prop)]
    return [block[0], *body, *free, *some(End)]


# --- damage --------------------------------------------------------------------------------------


def damaged(data: bytes, random: Random) -> bytes:
    """The bytes of a trace with one to three mutations; it may still be well formed."""
    for _ in range(random.randint(1, 3)):
        data = random.choice(_DAMAGE)(data, random)
    return data


def _lines_changed(change: Callable[[list[bytes], Random], None]) -> Callable[[bytes, Random], bytes]:
    def apply(data: bytes, random: Random) -> bytes:
        lines = data.split(b"\n")
        change(lines, random)
        return b"\n".join(lines)

    return apply


def _drop(lines: list[bytes], random: Random) -> None:
    del lines[random.randrange(len(lines))]
    lines[:] = lines or [b""]


def _double(lines: list[bytes], random: Random) -> None:
    line = random.choice(lines)
    lines.insert(random.randint(0, len(lines)), line)


def _swap(lines: list[bytes], random: Random) -> None:
    i, k = random.randrange(len(lines)), random.randrange(len(lines))
    lines[i], lines[k] = lines[k], lines[i]


def _swap_neighbours(lines: list[bytes], random: Random) -> None:
    at = random.randrange(len(lines))
    lines[at : at + 2] = reversed(lines[at : at + 2])


def _mark(lines: list[bytes], random: Random) -> None:
    """Another mark on a status, or a block without its status."""
    at = [i for i, line in enumerate(lines) if line.startswith(b"@status")]
    if not at:
        return
    index = random.choice(at)
    if random.random() < 0.5:
        del lines[index]
    else:
        line, one, other = lines[index], b"=validated", b"=invalidated"
        lines[index] = line.replace(one, other) if one in line else line.replace(other, one)


def _cut(data: bytes, random: Random) -> bytes:
    return data[: random.randint(0, len(data))]


def _byte(data: bytes, random: Random) -> bytes:
    at = random.randint(0, len(data))
    piece = random.choice([b"", b"\xff", b"\0", b"@", b"\n", b"\r\n", b" ", b"=", b"9", b"{", b"@@len=9@@"])
    return data[:at] + piece + data[at + random.choice([0, 1]) :]


def _number(data: bytes, random: Random) -> bytes:
    digits = [at for at, byte in enumerate(data) if 48 <= byte < 58]
    if not digits:
        return data
    at = random.choice(digits)
    return data[:at] + str(random.randint(0, 30)).encode() + data[at + 1 :]


_WORDS = (
    *(b"problem", b"proposer", b"critic", b"summarizer", b"use", b"refine", b"critique", b"validated"),
    *(b"@edge", b"@status", b"@entails", b"@eq", b"@coeq", b"@prop", b"@node"),
)


def _word(data: bytes, random: Random) -> bytes:
    word, other = random.choice(_WORDS), random.choice(_WORDS)
    count = data.count(word)
    if not count:
        return data
    parts = data.split(word)
    at = random.randrange(count)
    return word.join(parts[: at + 1]) + other + word.join(parts[at + 1 :])


_DAMAGE: tuple[Callable[[bytes, Random], bytes], ...] = (
    *(_lines_changed(change) for change in (_drop, _double, _swap, _swap_neighbours, _mark)),
    *(_cut, _byte, _byte, _number, _number, _word),
)


# --- strategies ----------------------------------------------------------------------------------


def traces(profile: Profile = "paper", most: int = 14) -> SearchStrategy[list[Record]]:
    """The records of well-formed traces of up to so many blocks; `emit` writes them."""
    randoms = st.randoms(use_true_random=False)
    return st.builds(
        lambda random, n: records(random, blocks=n, profile=profile), randoms, st.integers(1, most)
    )


def shuffles(found: Sequence[Record]) -> SearchStrategy[list[Record]]:
    """Other orders of the records of a well-formed trace; see `shuffle`."""
    return st.builds(lambda random: shuffle(found, random).records, st.randoms(use_true_random=False))


def damaged_traces(profile: Profile = "paper") -> SearchStrategy[bytes]:
    """The bytes of traces with mutations; see `damaged`."""
    randoms = st.randoms(use_true_random=False)
    return st.builds(lambda found, random: damaged(emit(found), random), traces(profile), randoms)


def propositions() -> SearchStrategy[Json]:
    """The JSON of propositions."""
    return st.builds(proposition, st.randoms(use_true_random=False))


@st.composite
def damaged_propositions(draw: DrawFn, profile: Profile = "paper") -> bytes:
    """The bytes of a trace in which the JSON of one `@prop` has a mistake; see `potlang.testing.damage`."""
    found = draw(traces(profile))
    at = [i for i, record in enumerate(found) if isinstance(record, Prop) and isinstance(record.value, dict)]
    if at:
        record = found[index := draw(st.sampled_from(at))]
        assert isinstance(record, Prop) and isinstance(record.value, dict)
        found[index] = record._replace(text=draw(damage.damaged(record.value)).replace("\n", " "))
    return emit(found)
