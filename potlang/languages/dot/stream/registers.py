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


class Registers(NamedTuple):
    """What of a trace so far decides how it may go on. `sources` are those that an edge may have here.

    `opening`: the role token in the line above. `tokens`: whether there are such; None: not known yet.
    `previous` and `in_block`, the kinds of records so far, only serve to say what is wrong.
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
    """Which records and values the registers admit, under a profile and budgets.

    `tokens`: whether each block begins with the role token of its node; None: as the first one does.
    """

    def __init__(self, profile: Profile, budgets: Budgets = UNBOUNDED, *, tokens: bool | None = None) -> None:
        self.profile: Profile = profile
        self.budgets = budgets
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

    def has_budget(self, registers: Registers, kind: str) -> bool:
        """Whether the budget has one more record of a kind."""
        most = self.budgets.records
        return kind in _UNCOUNTED or most is None or registers.counted < most

    def has_room(self, registers: Registers, size: int) -> bool:
        """Whether the budget has so many bytes of text more."""
        return self.budgets.text is None or registers.text + size <= self.budgets.text

    def admits(self, registers: Registers, kind: str) -> bool:
        """Whether some record of a kind, in lower case, may begin here; `fence` is one."""
        token = kind.upper()
        if not (self.is_in_order(registers, token) and self.has_budget(registers, token)):
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
        """What a field of a record may hold; `values` are those of the fields before it."""
        match kind, SHAPES[kind][field].name:
            case "node", "id":
                return self._ids._replace(low=registers.last + 1)
            case "node", _:
                forced = registers.opening
                return self._roles if forced is None else WordChoice((forced.encode(),))
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
        order = self.order.rows[registers.order][kind.upper()]
        counted = registers.counted + (kind.upper() not in _UNCOUNTED)
        if kind == "node":
            return self._after_node(registers, values, order, counted)
        if kind == "status":
            target, mark, *_ = values
            assert target is not None
            validated = registers.validated
            return registers._replace(
                order=order,
                active=removed(registers.active, target),
                validated=added(validated, target) if mark == b"validated" else validated,
                previous=kind,
                in_block=registers.in_block | {kind},
            )
        return registers._replace(
            order=order,
            counted=counted,
            ended=registers.ended or kind == "end",
            previous=kind,
            in_block=registers.in_block if kind in registers.in_block else registers.in_block | {kind},
        )

    def with_text(self, registers: Registers, size: int) -> Registers:
        """The registers with so many bytes of text more."""
        # Without a budget nobody asks, and states that differ in nothing else are one.
        return registers if self.budgets.text is None else registers._replace(text=registers.text + size)

    def _after_node(
        self, registers: Registers, values: tuple[Value, ...], order: int, counted: int
    ) -> Registers:
        id_, word = values
        assert id_ is not None and word is not None
        index = self._roles.words.index(word)
        role = ROLES[index]
        by_role = registers.by_role
        ids = added(by_role[index], id_)
        return registers._replace(
            order=order,
            last=int(id_),
            role=role,
            by_role=(*by_role[:index], ids, *by_role[index + 1 :]),
            active=added(registers.active, id_) if role == "proposer" else registers.active,
            sources=self._sources(registers, role),
            counted=counted,
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
