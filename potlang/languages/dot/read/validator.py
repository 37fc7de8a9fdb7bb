"""The side conditions of a trace (appendix B.2): registers for ids, roles and states.

A record that breaks a rule is reported and left out. What a broken record would have set counts as
unknown, so that nothing is reported because of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from potlang.diag import Applicability
from potlang.languages.dot.read.propositions import PropositionReader
from potlang.languages.dot.read.records import (
    END_MARK,
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
    Role,
    Status,
)
from potlang.languages.dot.read.rules import Violations

ADMISSIBLE: Mapping[str, frozenset[tuple[Role, Role]]] = MappingProxyType(
    {
        "critique": frozenset([("proposer", "critic")]),
        "refine": frozenset([("proposer", "proposer"), ("critic", "proposer")]),
        "use": frozenset([("proposer", "proposer"), ("proposer", "summarizer")]),
    }
)
"""The table of admissible triples: for each kind the roles of source and target."""
PAPER_TRIPLES = frozenset([("use", "problem", "proposer")])
"""What the profile `paper` admits besides."""
_UNKNOWN = "unknown"

Fields = tuple[Any, ...]


class Checkpoint(NamedTuple):
    """A moment of reading: sizes of what grows, and the state of the block."""

    sizes: tuple[int, ...]
    block: int | None
    role: Role | None
    ended: bool
    typed: int
    last: int


class ValidatorState:
    """The validator of traces: tokens go in one by one, well-formed records are kept ([DOT-NODE-1] ff.)."""

    def __init__(
        self, violations: Violations, propositions: PropositionReader, profile: Profile, budget: int | None
    ) -> None:
        self.violations = violations
        self.propositions = propositions
        self.profile = profile
        self.budget = budget
        self.records: list[Record] = []
        self.nodes: dict[int, Node] = {}
        self.props: dict[int, Prop] = {}
        self.statuses: dict[int, Status] = {}
        self.misusing: dict[int, None] = {}
        """Summarizers with an edge from what was not validated."""
        self.block: int | None = None
        self.role: Role | None = None
        self.ended = False
        self._typed = 0
        self._last = -1
        self._unknown_nodes: dict[int, None] = {}
        self._unknown_states: dict[int, None] = {}
        self._admit: Mapping[str, Callable[..., None]] = {
            "NODE": self._node,
            "EDGE": self._edge,
            "STATUS": self._status,
            "ENTAILS": self._entails,
            "EQ": self._eq,
            "COEQ": self._coeq,
            "PROP": self._prop,
            "FENCE": self._fence,
        }

    def admit(self, kind: str, fields: Fields) -> str | None:
        """Takes in a token; the kind that it has for the grammar, or None if it is no part of it."""
        if kind == "TEXT":
            return self._text(*fields)
        self._admit[kind](*fields)
        if kind not in ("STATUS", "FENCE"):
            self._count(fields[0], fields[1])
        return None if kind == "COEQ" and self.profile == "strict" else kind

    def _count(self, start: int, end: int) -> None:
        self._typed += 1
        if self.budget is not None and self._typed == self.budget + 1:
            self.violations.report("POT5011", start, end, primary="one too many", budget=self.budget)

    def checkpoint(self) -> Checkpoint:
        """The state as it is now, for `restore`."""
        sizes = (len(self.records), *map(len, self._tables()))
        return Checkpoint(sizes, self.block, self.role, self.ended, self._typed, self._last)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Forget all tokens admitted since `checkpoint`."""
        size, *sizes = checkpoint.sizes
        del self.records[size:]
        for table, size in zip(self._tables(), sizes, strict=True):
            while len(table) > size:
                table.popitem()
        _, self.block, self.role, self.ended, self._typed, self._last = checkpoint

    def _tables(self) -> tuple[dict[int, Any], ...]:
        """The tables that only grow at their end, so that a checkpoint is their sizes."""
        return (
            self.nodes,
            self.props,
            self.statuses,
            self.misusing,
            self._unknown_nodes,
            self._unknown_states,
        )

    # --- nodes -----------------------------------------------------------------------------------

    def _node(self, start: int, end: int, id_: int | None, role: Role | None) -> None:
        self.role = role
        self.block = None
        if id_ is None:
            return
        if id_ <= self._last and not self._late_id(start, end, id_):
            return
        self._last = max(self._last, id_)
        if role is None:
            self._unknown_nodes[id_] = None
            return
        self.block = id_
        self.nodes[id_] = node = Node(id_, role, start, end)
        self.records.append(node)

    def _late_id(self, start: int, end: int, id_: int) -> bool:
        """Reports an id that is not above all others; whether it is new all the same."""
        earlier = self.nodes.get(id_)
        labels = [] if earlier is None else [(earlier.start, earlier.end, "this id is used here")]
        at = self._field(start, end, "id", id_)
        self.violations.report("POT5020", *at, labels=labels, id=id_, last=self._last)
        return earlier is None and id_ not in self._unknown_nodes

    def _role_of(self, start: int, end: int, field: str, id_: int) -> Role | str | None:
        """The role of a node that a record names: reported and None if there is no such node."""
        node = self.nodes.get(id_)
        if node is not None:
            return node.role
        if id_ in self._unknown_nodes:
            return _UNKNOWN
        self.violations.report("POT5021", *self._field(start, end, field, id_), field=field, id=id_)
        return None

    def _field(self, start: int, end: int, name: str, value: object) -> tuple[int, int]:
        """Where the value of a field stands in a record."""
        text = f"{name}={value}".encode()
        at = self.violations.raw.data.find(b" " + text, start, end)
        return (start, end) if at < 0 else (at + 2 + len(name), at + 1 + len(text))

    # --- edges -----------------------------------------------------------------------------------

    def _edge(self, start: int, end: int, src: int, dst: int, kind: Any) -> None:
        if self.role is None and self.block is None:
            return
        source = self._role_of(start, end, "src", src)
        good = source not in (None, _UNKNOWN)
        if self.block is not None and dst != self.block:
            self._report_foreign_edge(start, end, dst)
            return
        if source is not None and src >= dst and self._is_wrong_way(src, dst):
            self.violations.report("POT5023", *self._field(start, end, "src", src), src=src, dst=dst)
            return
        if good and self._admissible(start, end, src, str(source), kind) and self.block is not None:
            self.records.append(Edge(src, dst, kind, start, end))

    def _is_wrong_way(self, src: int, dst: int) -> bool:
        """Whether an edge that does not go forward is wrong by itself, not because of its block's id."""
        return self.block is not None and (src == dst or self.block == self._last)

    def _report_foreign_edge(self, start: int, end: int, dst: int) -> None:
        at = self._field(start, end, "dst", dst)
        fix = self.violations.fix(f"write `dst={self.block}`", Applicability.UNSAFE, (*at, str(self.block)))
        self.violations.report("POT5022", *at, fixes=[fix], dst=dst, current=self.block)

    def _admissible(self, start: int, end: int, src: int, source: str, kind: str) -> bool:
        target = self.role
        if target is None:
            return False
        if target == "critic" and kind != "critique":
            at = self._field(start, end, "kind", kind)
            self.violations.report("POT5025", *at, helps=_critic_helps(source), kind=kind)
            return False
        if (source, target) not in ADMISSIBLE[kind] and not (
            self.profile == "paper" and (kind, source, target) in PAPER_TRIPLES
        ):
            helps = _kind_helps(source, target, self.profile)
            at = self._field(start, end, "kind", kind)
            self.violations.report("POT5024", *at, helps=helps, kind=kind, src=source, dst=target)
            return False
        return target != "summarizer" or self._validated(start, end, src)

    def _validated(self, start: int, end: int, src: int) -> bool:
        status = self.statuses.get(src)
        if status is not None and status.mark == "validated":
            return True
        if src not in self._unknown_states:
            state = "active" if status is None else status.mark
            labels = [] if status is None else [(status.start, status.end, "its status")]
            at = self._field(start, end, "src", src)
            self.violations.report("POT5026", *at, labels=labels, id=src, state=state)
            if self.block is not None:
                self.misusing[self.block] = None
        return False

    # --- status ----------------------------------------------------------------------------------

    def _status(self, start: int, end: int, target: int | None, mark: Any, just: int | None) -> None:
        if target is None:
            return
        role = self._role_of(start, end, "target", target)
        rests = just is None or self._role_of(start, end, "just", just) is not None
        just = just if just in self.nodes else None
        if role is None or role == _UNKNOWN:
            return
        if role != "proposer":
            self.violations.report(
                "POT5030", *self._field(start, end, "target", target), id=target, role=role
            )
            return
        earlier = self.statuses.get(target)
        if earlier is not None:
            self._report_second_status(start, end, earlier)
        elif mark is None or not rests:
            self._unknown_states[target] = None
        elif target not in self._unknown_states:
            self.statuses[target] = status = Status(target, mark, just, self.block, start, end)
            self.records.append(status)

    def _report_second_status(self, start: int, end: int, earlier: Status) -> None:
        labels = [(earlier.start, earlier.end, "this one stands")]
        self.violations.report("POT5031", start, end, labels=labels, id=earlier.target, mark=earlier.mark)

    # --- arrows ----------------------------------------------------------------------------------

    def _joined(self, kind: str, start: int, end: int, src: int, dst: int) -> bool:
        """Whether both ends of an arrow or an equality are proposers."""
        good = True
        for field, id_ in (("src", src), ("dst", dst)):
            role = self._role_of(start, end, field, id_)
            if role not in (None, _UNKNOWN, "proposer"):
                at = self._field(start, end, field, id_)
                self.violations.report("POT5032", *at, kind=kind, id=id_, role=role)
            good = good and role == "proposer"
        return good

    def _entails(
        self, start: int, end: int, src: int, dst: int, witness: int | None, rank: int | None
    ) -> None:
        good = self._joined("entails", start, end, src, dst)
        if rank is not None and self.profile == "strict":
            at = self._field(start, end, "rank", rank)
            self.violations.report("POT5012", *at, what="`rank=`", helps=_PROFILE_HELPS)
            rank = None
        if witness is not None:
            role = self._role_of(start, end, "witness", witness)
            if role not in (None, _UNKNOWN, "critic"):
                at = self._field(start, end, "witness", witness)
                self.violations.report("POT5033", *at, id=witness, role=role)
            good = good and role == "critic"
        if good:
            self.records.append(Entails(src, dst, witness, rank, self.block, start, end))

    def _eq(self, start: int, end: int, src: int, dst: int) -> None:
        if self._joined("eq", start, end, src, dst):
            self.records.append(Eq(src, dst, self.block, start, end))

    def _coeq(self, start: int, end: int, src: int, dst: int) -> None:
        if self.profile == "strict":
            self.violations.report("POT5012", start, end, what="`@coeq`", helps=_PROFILE_HELPS)
        elif self._joined("coeq", start, end, src, dst):
            self.records.append(Coeq(src, dst, self.block, start, end))

    # --- what a node says ------------------------------------------------------------------------

    def _prop(self, start: int, end: int, id_: int, json_start: int) -> None:
        if self.block is not None and id_ != self.block:
            at = self._field(start, end, "id", id_)
            fix = self.violations.fix(
                f"write `id={self.block}`", Applicability.UNSAFE, (*at, str(self.block))
            )
            self.violations.report("POT5040", *at, fixes=[fix], id=id_, current=self.block)
        prop = self.propositions.read(start, end, id_, json_start, self.role)
        if prop is not None and id_ == self.block and id_ not in self.props:
            self.props[id_] = prop
            self.records.append(prop)

    def _text(self, start: int, end: int) -> str:
        """A line of text, which may be the end of the trace, or a blank line behind it."""
        content = self.violations.raw.data[start:end]
        if self.ended:
            return "TEXT" if content.strip() else "BLANK"
        if self.role == "summarizer" and content == END_MARK and self.block is not None:
            self.ended = True
            self.records.append(End(self.block, start, end))
            return "END"
        self.violations.check_utf8("the text", start, end)
        self.records.append(FreeText(content, self.block, start, end))
        return "TEXT"

    def _fence(self, start: int, end: int, content_start: int) -> None:
        content = self.violations.raw.data[content_start:end]
        self.violations.check_utf8("the fence", content_start, end)
        self.records.append(Fence(content, self.block, start, end))


_PROFILE_HELPS = ("leave it out, or read the trace with the profile `paper`",)


def _critic_helps(source: str) -> list[str]:
    if source == "proposer":
        return ["write `kind=critique`"]
    return ["a critic depends on the propositions that it examines, and on nothing else"]


def _kind_helps(source: str, target: str, profile: Profile) -> list[str]:
    if source == "problem" and target == "proposer" and profile == "strict":
        return ["leave it out, or read the trace with the profile `paper`"]
    fitting = [kind for kind, pairs in ADMISSIBLE.items() if (source, target) in pairs]
    if fitting:
        return [f"from a {source} to a {target} write {' or '.join(f'`kind={kind}`' for kind in fitting)}"]
    return [f"no edge goes from a {source} to a {target}"]
