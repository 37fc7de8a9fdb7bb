"""The registers of the validator (appendix B.2), immutable: ids by role and state, and what is used up.

`Admission` says for each field of a record which values the registers admit. It is the one place behind the
machine, its diagnostics and the masks; the triples of edges are those of the reader.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from potlang.languages.dot.read.records import MARKS, ROLES, Profile, Role
from potlang.languages.dot.read.shapes import LONGEST_NUMBER, SHAPES
from potlang.languages.dot.read.validator import ADMISSIBLE, PAPER_TRIPLES
from potlang.languages.dot.stream.ids import EMPTY, IdTrie, added, extends, has, removed, shortest
from potlang.languages.dot.stream.order import START, RecordOrder, order_of

FREE = ("TEXT", "FENCE", "END", "BLANK")
_UNCOUNTED = ("STATUS", *FREE)
_BEYOND = 10**LONGEST_NUMBER
PROPOSER, CRITIC = ROLES.index("proposer"), ROLES.index("critic")
Value: TypeAlias = bytes | None
"""A field of a record as it is written; None for one that is left out."""


class Budgets(NamedTuple):
    """The most that a trace may have, where that is bounded.

    `records` that are no status, text or fence; bytes of `text`, the lines of fences among them; and the
    greatest of its `ids`.
    """

    records: int | None = None
    text: int | None = None
    ids: int | None = None


UNBOUNDED = Budgets()


class TraceGoal(NamedTuple):
    """The parts that a trace has to have in the end: its end marker, and an edge of a critique."""

    end: bool = False
    critique: bool = False


NO_GOAL = TraceGoal()


class Registers(NamedTuple):
    """The part of a trace so far that decides how it may go on.

    `sources` are those that an edge may have here. `opening`: the role token in the line above. `tokens`:
    whether there are such; None: not known yet. `previous` and `in_block`, the kinds of records so far, only
    serve to say what is wrong.
    """

    order: int = START
    last: int = -1
    role: Role | None = None
    by_role: tuple[IdTrie, ...] = (EMPTY,) * len(ROLES)
    active: IdTrie = EMPTY
    validated: IdTrie = EMPTY
    sources: tuple[IdTrie, ...] = ()
    counted: int = 0
    text: int = 0
    opening: Role | None = None
    ended: bool = False
    criticized: bool = False
    tokens: bool | None = None
    previous: str = ""
    in_block: frozenset[str] = frozenset()


class IdChoice(NamedTuple):
    """The ids in any of these sets."""

    sets: tuple[IdTrie, ...]

    def has(self, digits: bytes) -> bool:
        """Whether the digits are one of the numbers."""
        return any(has(each, digits) for each in self.sets)

    def extends(self, digits: bytes) -> bool:
        """Whether one of the numbers begins with the digits."""
        return any(extends(each, digits) for each in self.sets)

    def shortest(self, digits: bytes) -> bytes:
        """The fewest digits that complete a number which begins with these."""
        found = (shortest(each, digits) for each in self.sets)
        return min((each for each in found if each is not None), key=lambda each: (len(each), each))


class NumberRange(NamedTuple):
    """The numbers from `low` to `high`."""

    low: int
    high: int

    def has(self, digits: bytes) -> bool:
        """As `IdChoice.has`."""
        return self.low <= int(digits) <= self.high

    def extends(self, digits: bytes) -> bool:
        """As `IdChoice.extends`."""
        if self.low > self.high or not digits:
            return self.low <= self.high
        if digits == b"0":
            return self.low == 0
        return self._completed(digits) is not None

    def _completed(self, digits: bytes) -> int | None:
        """The least number in the range with the fewest digits behind these."""
        low = high = int(digits)
        while low <= self.high:
            if high >= self.low:
                return max(low, self.low)
            low, high = low * 10, high * 10 + 9
        return None

    def shortest(self, digits: bytes) -> bytes:
        """As `IdChoice.shortest`."""
        if not digits:
            return b"%d" % self.low
        found = self.low if digits == b"0" else self._completed(digits)
        return (b"%d" % (found or 0))[len(digits) :]


class WordChoice(NamedTuple):
    """Some words, none of which begins with another."""

    words: tuple[bytes, ...]

    def has(self, text: bytes) -> bool:
        """Whether this is one of them."""
        return text in self.words

    def extends(self, text: bytes) -> bool:
        """Whether one of them begins so."""
        return any(word.startswith(text) for word in self.words)

    def shortest(self, text: bytes) -> bytes:
        """The fewest bytes that complete one which begins so."""
        return min((word[len(text) :] for word in self.words if word.startswith(text)), key=len)


Choice: TypeAlias = IdChoice | NumberRange | WordChoice
ANY_NUMBER = NumberRange(0, _BEYOND - 1)


class Admission:
    """Which records and values the registers admit, under a profile and budgets, so that the goal is reached.

    `tokens`: whether each block begins with the role token of its node; None: as the first one does.
    """

    def __init__(
        self,
        profile: Profile,
        budgets: Budgets = UNBOUNDED,
        goal: TraceGoal = NO_GOAL,
        *,
        tokens: bool | None = None,
    ) -> None:
        self.profile: Profile = profile
        self.budgets = budgets
        self.goal = goal
        self._is_bounded = budgets.records is not None or budgets.ids is not None
        self.tokens = tokens
        self.order: RecordOrder = order_of(profile)
        self._ids = NumberRange(0, _BEYOND - 1 if budgets.ids is None else min(budgets.ids, _BEYOND - 1))
        triples = {(kind, *pair) for kind, pairs in ADMISSIBLE.items() for pair in pairs}
        self._triples = triples | (PAPER_TRIPLES if profile == "paper" else frozenset())
        self._marks = WordChoice(tuple(mark.encode() for mark in MARKS))
        self._roles = WordChoice(tuple(role.encode() for role in ROLES))

    # --- which records ---------------------------------------------------------------------------

    def is_in_order(self, registers: Registers, kind: str) -> bool:
        """Whether the grammar has a record, text or a fence here."""
        return kind in self.order.rows[registers.order]

    def follows(self, registers: Registers, kind: str) -> bool:
        """Whether a record, text or a fence is in order here, and within the budget."""
        return self.is_in_order(registers, kind) and self.has_budget(registers, kind)

    def has_budget(self, registers: Registers, kind: str) -> bool:
        """Whether the budget has a record of a kind, which is in order, and what the goal needs behind it."""
        if kind == "END":
            return registers.criticized or not self.goal.critique
        if not self._is_bounded:
            return True
        if kind == "NODE":
            return self.choice(registers, "node", 0, ()).extends(b"")
        return self._suffices(self._counted(registers, kind))

    def _counted(self, registers: Registers, kind: str) -> Registers:
        """The registers behind a record but for what its fields change."""
        return registers._replace(
            order=self.order.rows[registers.order][kind],
            counted=registers.counted + (kind not in _UNCOUNTED),
            criticized=registers.criticized or (kind == "EDGE" and registers.role == "critic"),
        )

    def _suffices(self, registers: Registers) -> bool:
        """Whether the budgets have what the goal still needs."""
        records, ids = self._needed(registers)
        most = self.budgets.records
        return registers.last + ids <= self._ids.high and (
            most is None or registers.counted + records <= most
        )

    def _needed(self, registers: Registers) -> tuple[int, int]:
        """How many records, and how many nodes among them, the goal needs at least."""
        nodes = edges = 0
        needs_critique = self.goal.critique and not registers.criticized
        if registers.ended:
            return 0, 0
        if needs_critique:
            edges = 1
            if not self.may_criticize(registers):
                nodes = 1 + (registers.by_role[PROPOSER] == EMPTY)
        nodes += self.goal.end and (needs_critique or registers.role != "summarizer")
        return nodes + edges, nodes

    def may_criticize(self, registers: Registers) -> bool:
        """Whether an edge of a critique may stand here."""
        in_order = self.is_in_order(registers, "EDGE")
        return in_order and registers.role == "critic" and registers.sources != (EMPTY,)

    def wanted_role(self, registers: Registers) -> Role:
        """The role of the next node on the shortest way to the goal."""
        if self.goal.critique and not registers.criticized:
            return "proposer" if registers.by_role[PROPOSER] == EMPTY else "critic"
        return "summarizer" if self.goal.end else "problem"

    def has_room(self, registers: Registers, size: int) -> bool:
        """Whether the budget has so many bytes of text more."""
        return self.budgets.text is None or registers.text + size <= self.budgets.text

    def admits(self, registers: Registers, kind: str) -> bool:
        """Whether some record of a kind, in lower case, may begin here; `fence` is one."""
        token = kind.upper()
        if not self.follows(registers, token):
            return False
        if registers.tokens and (registers.opening is None) == (kind == "node"):
            return False
        if kind == "fence":
            return self.has_room(registers, len(b"@@len=0@@\n"))
        return all(
            field.optional or field.words or self.choice(registers, kind, index, ()).extends(b"")
            for index, field in enumerate(SHAPES[kind])
        )

    # --- which values ----------------------------------------------------------------------------

    def choice(self, registers: Registers, kind: str, field: int, values: tuple[Value, ...]) -> Choice:
        """The values that a field of a record may hold; `values` are those of the fields before it."""
        match kind, SHAPES[kind][field].name:
            case "node", "id":
                return self._new_ids(registers)
            case "node", _:
                return WordChoice(self._new_roles(registers, values[0]))
            case "edge", "src":
                return IdChoice(registers.sources)
            case "edge", "kind":
                return self._kinds(registers, values[0])
            case ("edge", "dst") | ("prop", _):
                return NumberRange(registers.last, registers.last)
            case _, "target":
                return IdChoice((registers.active,))
            case _, "mark":
                return self._marks
            case _, "just":
                return IdChoice(registers.by_role)
            case _, "witness":
                return IdChoice((registers.by_role[CRITIC],))
            case _, "rank":
                return ANY_NUMBER if self.profile == "paper" else NumberRange(1, 0)
        return IdChoice((registers.by_role[PROPOSER],))

    def _new_ids(self, registers: Registers) -> NumberRange:
        low, high = registers.last + 1, self._ids.high
        if self._is_bounded:
            # Behind the id there have to be enough for the nodes that the goal still needs.
            roles = self._new_roles(registers, b"%d" % low) if low <= high else ()
            needed = (self._needed(self._after_node(registers, (b"%d" % low, role)))[1] for role in roles)
            high -= min(needed, default=high + 1)
        return NumberRange(low, high)

    def _new_roles(self, registers: Registers, id_: Value) -> tuple[bytes, ...]:
        forced = registers.opening
        roles = self._roles.words if forced is None else (forced.encode(),)
        if not self._is_bounded:
            return roles
        return tuple(role for role in roles if self._suffices(self._after_node(registers, (id_, role))))

    def _kinds(self, registers: Registers, src: Value) -> WordChoice:
        source = self.role_of(registers, src or b"")
        kinds = (kind for kind, *ends in sorted(self._triples) if ends == [source, registers.role])
        return WordChoice(tuple(kind.encode() for kind in kinds))

    def role_of(self, registers: Registers, digits: bytes) -> Role | None:
        """The role of a node; None if there is no such."""
        return next(
            (role for role, ids in zip(ROLES, registers.by_role, strict=True) if has(ids, digits)), None
        )

    # --- what they change ------------------------------------------------------------------------

    def after(self, registers: Registers, kind: str, values: tuple[Value, ...] = ()) -> Registers:
        """The registers behind a record, text or a fence that they admit."""
        if kind == "node":
            return self._after_node(registers, values)
        token = kind.upper()
        changed = self._counted(registers, token)._replace(
            ended=registers.ended or kind == "end", previous=kind
        )
        if kind not in registers.in_block:
            changed = changed._replace(in_block=registers.in_block | {kind})
        if kind != "status":
            return changed
        target, mark, *_ = values
        assert target is not None
        validated = registers.validated
        return changed._replace(
            active=removed(registers.active, target),
            validated=added(validated, target) if mark == b"validated" else validated,
        )

    def with_text(self, registers: Registers, size: int) -> Registers:
        """The registers with so many bytes of text more."""
        # Without a budget nobody asks, and states that differ in nothing else are one.
        return registers if self.budgets.text is None else registers._replace(text=registers.text + size)

    def _after_node(self, registers: Registers, values: tuple[Value, ...]) -> Registers:
        id_, word = values
        assert id_ is not None and word is not None
        index = self._roles.words.index(word)
        role = ROLES[index]
        by_role = registers.by_role
        ids = added(by_role[index], id_)
        return registers._replace(
            order=self.order.rows[registers.order]["NODE"],
            last=int(id_),
            role=role,
            by_role=(*by_role[:index], ids, *by_role[index + 1 :]),
            active=added(registers.active, id_) if role == "proposer" else registers.active,
            sources=self._sources(registers, role),
            counted=registers.counted + 1,
            opening=None,
            tokens=bool(registers.tokens),
            previous="node",
            in_block=frozenset(),
        )

    def _sources(self, registers: Registers, role: Role) -> tuple[IdTrie, ...]:
        """The nodes from which an edge may lead into a new block."""
        if role == "summarizer":
            return (registers.validated,)
        roles = {source for _, source, target in self._triples if target == role}
        return tuple(ids for each, ids in zip(ROLES, registers.by_role, strict=True) if each in roles)
