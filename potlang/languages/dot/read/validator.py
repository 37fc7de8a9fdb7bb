"""The side conditions of a trace (appendix B.2): registers for ids, roles and states.

A record that breaks a rule is reported and left out. What a broken record would have set counts as
unknown, so that nothing is reported because of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from potlang.diag import Applicability, Fix
from potlang.languages.dot.read.json_line import json_line
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
"""The triples that the profile `paper` admits besides."""
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
        self.repeated: Fix | None = None
        """A fix of the last `@prop`, where an earlier one says the same."""
        self._typed = 0
        self._last = -1
        self._fields: Fields = (0, 0)
        """Those of the token at hand, behind its place."""
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
        self._fields = fields
        if kind == "TEXT":
            return self._text(*fields)
        self._admit[kind](*fields)
        if kind not in ("STATUS", "FENCE"):
            self._typed += 1
            if self.budget is not None and self._typed == self.budget + 1:
                self.violations.report("POT5011", *fields[:2], primary="one too many", budget=self.budget)
        return None if kind == "COEQ" and self.profile == "strict" else kind

    def _place(self, name: str, value: object) -> tuple[int, int]:
        """Where the value of a field stands in the record at hand."""
        start, end = self._fields[:2]
        text = f"{name}={value}".encode()
        at = self.violations.raw.data.find(b" " + text, start, end)
        # A line that was read as it was meant may spell the field in another way.
        return (start, end) if at < 0 else (at + 2 + len(name), at + 1 + len(text))

    def _report(self, code: str, name: str, value: object, **more: Any) -> None:
        """Reports the value of a field of the record at hand."""
        self.violations.report(code, *self._place(name, value), **more)

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
        if id_ <= self._last and not self._late_id(id_):
            return
        self._last = max(self._last, id_)
        if role is None:
            self._unknown_nodes[id_] = None
            return
        self.block = id_
        self.nodes[id_] = node = Node(id_, role, start, end)
        self.records.append(node)

    def _late_id(self, id_: int) -> bool:
        """Reports an id that is not above all others; whether it is new all the same."""
        earlier = self.nodes.get(id_)
        labels = [] if earlier is None else [(earlier.start, earlier.end, "this id is used here")]
        self._report("POT5020", "id", id_, labels=labels, id=id_, last=self._last)
        return earlier is None and id_ not in self._unknown_nodes

    def _role_of(self, field: str, id_: int) -> Role | str | None:
        """The role of a node that a record names: reported and None if there is no such node."""
        node = self.nodes.get(id_)
        if node is not None:
            return node.role
        if id_ in self._unknown_nodes:
            return _UNKNOWN
        self._report("POT5021", field, id_, field=field, id=id_)
        return None

    def _has_role(self, wanted: Role, code: str, field: str, id_: int, **more: Any) -> bool:
        """Whether the node that a record names is there and has a role; another role is reported."""
        role = self._role_of(field, id_)
        if role not in (None, _UNKNOWN, wanted):
            self._report(code, field, id_, id=id_, role=role, **more)
        return role == wanted

    # --- edges -----------------------------------------------------------------------------------

    def _edge(self, start: int, end: int, src: int, dst: int, kind: Any) -> None:
        if self.role is None and self.block is None:
            return
        source = self._role_of("src", src)
        if self.block is not None and dst != self.block:
            self._report_foreign("POT5022", "dst", dst, dst=dst)
            return
        if source is not None and src >= dst and self._is_wrong_way(src, dst):
            self._report("POT5023", "src", src, src=src, dst=dst)
            return
        good = source not in (None, _UNKNOWN)
        if good and self._admissible(src, str(source), kind) and self.block is not None:
            self.records.append(Edge(src, dst, kind, start, end))

    def _is_wrong_way(self, src: int, dst: int) -> bool:
        """Whether an edge that does not go forward is wrong by itself, not because of its block's id."""
        return self.block is not None and (src == dst or self.block == self._last)

    def _report_foreign(self, code: str, field: str, value: int, **more: Any) -> None:
        """Reports a field that does not name the node of the block."""
        edit = (*self._place(field, value), str(self.block))
        fix = self.violations.fix(f"write `{field}={self.block}`", Applicability.UNSAFE, edit)
        self._report(code, field, value, fixes=[fix], current=self.block, **more)

    def _admissible(self, src: int, source: str, kind: str) -> bool:
        target = self.role
        if target is None:
            return False
        if target == "critic" and kind != "critique":
            fixes = self._kind_fixes(source, target, kind)
            self._report("POT5025", "kind", kind, helps=_critic_helps(source), fixes=fixes, kind=kind)
            return False
        if (source, target) not in ADMISSIBLE[kind] and not (
            self.profile == "paper" and (kind, source, target) in PAPER_TRIPLES
        ):
            helps, fixes = _kind_helps(source, target, self.profile), self._kind_fixes(source, target, kind)
            self._report("POT5024", "kind", kind, helps=helps, fixes=fixes, kind=kind, src=source, dst=target)
            return False
        return target != "summarizer" or self._validated(src)

    def _kind_fixes(self, source: str, target: Role, kind: str) -> list[Fix]:
        """The kinds that the roles admit: safe if it is one; without any the edge can only go."""
        fitting = _fitting(source, target, self.profile)
        if not fitting:
            return [self._removal(Applicability.UNSAFE)]
        how = Applicability.SAFE if len(fitting) == 1 else Applicability.UNSAFE
        place = self._place("kind", kind)
        return [self.violations.fix(f"write `kind={each}`", how, (*place, each)) for each in fitting]

    def _removal(self, how: Applicability) -> Fix:
        """A fix that removes the line of the record at hand."""
        start, end = self._fields[:2]
        line_end = self.violations.raw.data.find(b"\n", end)
        return self.violations.fix("remove it", how, (start, end if line_end < 0 else line_end + 1, ""))

    def _validated(self, src: int) -> bool:
        status = self.statuses.get(src)
        if status is not None and status.mark == "validated":
            return True
        if src not in self._unknown_states:
            state = "active" if status is None else status.mark
            labels = [] if status is None else [(status.start, status.end, "its status")]
            self._report("POT5026", "src", src, labels=labels, id=src, state=state)
            if self.block is not None:
                self.misusing[self.block] = None
        return False

    # --- status ----------------------------------------------------------------------------------

    def _status(self, start: int, end: int, target: int | None, mark: Any, just: int | None) -> None:
        if target is None:
            return
        is_proposer = self._has_role("proposer", "POT5030", "target", target)
        rests = just is None or self._role_of("just", just) is not None
        just = just if just in self.nodes else None
        if not is_proposer:
            return
        earlier = self.statuses.get(target)
        if earlier is not None:
            self._report_second_status(earlier, (mark, just))
        elif mark is None or not rests:
            self._unknown_states[target] = None
        elif target not in self._unknown_states:
            self.statuses[target] = status = Status(target, mark, just, self.block, start, end)
            self.records.append(status)

    def _report_second_status(self, earlier: Status, said: tuple[Any, ...]) -> None:
        labels = [(earlier.start, earlier.end, "this one stands")]
        is_same = (earlier.mark, earlier.just) == said and self.block in (earlier.block, None)
        # Who says it counts: a critic's status establishes what a proposer's own does not.
        how = Applicability.SAFE if is_same and self.block is not None else Applicability.UNSAFE
        fixes = [self._removal(how)]
        self.violations.report(
            "POT5031", *self._fields[:2], labels=labels, fixes=fixes, id=earlier.target, mark=earlier.mark
        )

    # --- arrows ----------------------------------------------------------------------------------

    def _joined(self, kind: str, src: int, dst: int) -> bool:
        """Whether both ends of an arrow or an equality are proposers."""
        ends = [
            self._has_role("proposer", "POT5032", *end, kind=kind) for end in (("src", src), ("dst", dst))
        ]
        return all(ends)

    def _entails(
        self, start: int, end: int, src: int, dst: int, witness: int | None, rank: int | None
    ) -> None:
        good = self._joined("entails", src, dst)
        if rank is not None and self.profile == "strict":
            self._report("POT5012", "rank", rank, what="`rank=`", helps=_PROFILE_HELPS)
            rank = None
        if witness is not None:
            good = self._has_role("critic", "POT5033", "witness", witness) and good
        if good:
            self.records.append(Entails(src, dst, witness, rank, self.block, start, end))

    def _eq(self, start: int, end: int, src: int, dst: int) -> None:
        if self._joined("eq", src, dst):
            self.records.append(Eq(src, dst, self.block, start, end))

    def _coeq(self, start: int, end: int, src: int, dst: int) -> None:
        if self.profile == "strict":
            self.violations.report("POT5012", start, end, what="`@coeq`", helps=_PROFILE_HELPS)
        elif self._joined("coeq", src, dst):
            self.records.append(Coeq(src, dst, self.block, start, end))

    # --- what a node says ------------------------------------------------------------------------

    def _prop(self, start: int, end: int, id_: int, json_start: int) -> None:
        if self.block is not None and id_ != self.block:
            self._report_foreign("POT5040", "id", id_, id=id_)
        prop = self.propositions.read(start, end, id_, json_start, self.role)
        earlier = self.props.get(id_)
        self.repeated = None
        if earlier is not None and prop is not None and _is_same(prop, earlier):
            self.repeated = self._removal(Applicability.SAFE)
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


def _is_same(one: Prop, other: Prop) -> bool:
    return json_line(one.value, canonical=True) == json_line(other.value, canonical=True)


def _fitting(source: str, target: Role, profile: Profile) -> list[str]:
    """The kinds of the edges that go from one role to another."""
    fitting = {kind for kind, pairs in ADMISSIBLE.items() if (source, target) in pairs}
    if profile == "paper":
        fitting |= {kind for kind, *pair in PAPER_TRIPLES if pair == [source, target]}
    return sorted(fitting, reverse=True)


def _critic_helps(source: str) -> list[str]:
    if source == "proposer":
        return ["write `kind=critique`"]
    return ["a critic depends on the propositions that it examines, and on nothing else"]


def _kind_helps(source: str, target: Role, profile: Profile) -> list[str]:
    if source == "problem" and target == "proposer" and profile == "strict":
        return ["leave it out, or read the trace with the profile `paper`"]
    fitting = _fitting(source, target, profile)
    if fitting:
        return [f"from a {source} to a {target} write {' or '.join(f'`kind={kind}`' for kind in fitting)}"]
    return [f"no edge goes from a {source} to a {target}"]
