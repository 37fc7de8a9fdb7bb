"""The oracles of cores and corrections: subsets of a program's assumptions, put to the solvers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from potlang.engines.messages import Query
from potlang.ir.nodes import Node
from potlang.prove.asking import Asker, Build, Reply
from potlang.prove.cores import MOST_MS, Core, Names, Oracle, Said, minimize
from potlang.prove.encoding import Encoding, Labels
from potlang.utils.deadline import Deadline

if TYPE_CHECKING:
    from potlang.prove.deciders import Decider
    from potlang.prove.verdicts import Ask

MOST_CHECK_MS = 1_000
"""The time of one check ([LIMIT-CORE])."""
_LEAST_MS = 50
_CHECK = "assumptions"
_FEW = 16
_ASSUMING = ("z3",)


class Subsets:
    """Says whether some assumptions, with the claim or its negation, are unsatisfiable by themselves.

    `target` is the claim's formula, None for the assumptions alone. The asker's session must have been
    started with the declarations alone. No check takes longer than what `deadline` leaves.
    """

    def __init__(
        self,
        asker: Asker,
        labels: Labels,
        target: Node | None,
        negated: bool,
        deadline: Deadline | None = None,
    ) -> None:
        self._asker = asker
        self._labels = labels
        self._target = target
        self._negated = negated
        self._deadline = deadline
        self._texts: dict[tuple[str, str | None], str] = {}

    def __call__(self, names: Names, /) -> Said:
        """The status of one subset, and its core."""
        (said,) = self.ahead([names])
        return said

    def ahead(self, subsets: Sequence[Names], /) -> list[Said]:
        """The same for several, sent at once."""
        most = min(MOST_CHECK_MS, self._left() / max(1, len(subsets)))
        builds = [partial(self._query, names) for names in subsets]
        replies = self._asker.ask_ahead(_CHECK, builds, most_ms=max(most, _LEAST_MS))
        return [self._settled(*pair) for pair in zip(builds, replies, strict=True)]

    def _left(self) -> int:
        return MOST_CHECK_MS if self._deadline is None else self._deadline.left_ms()

    def _settled(self, build: Build, reply: Reply) -> Said:
        """What the reply says; while there is time, what others say where the first engine does not know."""
        left = min(MOST_CHECK_MS, self._left())
        if reply.status == "unknown" and left > _LEAST_MS:
            reply = self._asker.settled(_CHECK, build, reply, most_ms=left)
        return reply.status, reply.core

    def _query(self, names: Names, encoding: Encoding) -> Query:
        bare = encoding.bare()
        return Query("".join([self._text(bare, name) for name in (*names, None)]), core=True)

    def _text(self, bare: Encoding, name: str | None) -> str:
        """The command for an assumption, or for the claim; each is part of very many queries."""
        key = (bare.dialect, name)
        if key not in self._texts:
            self._texts[key] = self._print(bare, name)
        return self._texts[key]

    def _print(self, bare: Encoding, name: str | None) -> str:
        if name is None:
            return _goal(bare, self._target, self._negated)
        found = self._labels.find(name)
        return "" if found is None else bare.assertion(found[1])


class Loaded(Subsets):
    """The same where the solver holds all of `every` at once, and assumes those that are asked about.

    Reading nothing anew makes a check several times as fast. It starts the asker's session.
    """

    def __init__(
        self,
        asker: Asker,
        labels: Labels,
        every: Names,
        target: Node | None,
        negated: bool,
        deadline: Deadline | None = None,
    ) -> None:
        super().__init__(asker, labels, target, negated, deadline)
        asker.start(partial(_switched, labels, every, target, negated))

    def _query(self, names: Names, encoding: Encoding) -> Query:
        return Query("", core=True, assuming=names)


class Decided:
    """The same without a solver: what a decider says of a check under some assumptions."""

    def __init__(self, decider: Decider, labels: Labels, ask: Ask) -> None:
        self._decider = decider
        self._labels = labels
        self._ask = ask

    def __call__(self, names: Names, /) -> Said:
        """The status of one subset, and its core."""
        found = [self._labels.find(name) for name in names]
        reply = self._decider.ask_subset([pair[1] for pair in found if pair is not None], self._ask)
        return ("unknown", None) if reply is None else (reply.status, reply.core)

    def ahead(self, subsets: Sequence[Names], /) -> list[Said]:
        """The same for several, in turn."""
        return [self(names) for names in subsets]


def oracle(
    asker: Asker, labels: Labels, every: Names, target: Node | None, negated: bool, deadline: Deadline
) -> Oracle:
    """The faster oracle over `every`. It starts the asker's session."""
    if len(every) > _FEW and asker.engines[0].engine.name in _ASSUMING:
        return Loaded(asker, labels, every, target, negated, deadline)
    asker.start(declarations)
    return Subsets(asker, labels, target, negated, deadline)


def minimal_core(
    asker: Asker, labels: Labels, names: Names, every: Names, target: Node | None, negated: bool
) -> Core:
    """`minimize` over the solver; however found, the core is at last asked about alone ([VERDICT-CORE])."""
    deadline = Deadline(MOST_MS)
    if len(names) > _FEW:
        found = minimize(names, names, oracle(asker, labels, names, target, negated, deadline), deadline)
        asker.start(declarations)
        if found.verified and Subsets(asker, labels, target, negated)(found.names)[0] == "unsat":
            return found
        deadline = Deadline(MOST_MS)
    asker.start(declarations)
    return minimize(names, every, Subsets(asker, labels, target, negated, deadline), deadline)


def declarations(encoding: Encoding) -> str:
    """What a session of `Subsets` starts with."""
    return encoding.bare().declarations()


def _switched(labels: Labels, every: Names, target: Node | None, negated: bool, encoding: Encoding) -> str:
    """Declarations, each assumption under a constant of its name, and the claim."""
    bare = encoding.bare()
    found = [(name, labels.find(name)) for name in every]
    lines = [
        f"(declare-const {name} Bool)(assert (=> {name} {bare.term(pair[1].formula)}))\n"
        for name, pair in found
        if pair is not None
    ]
    return bare.declarations() + "".join(lines) + _goal(bare, target, negated)


def _goal(bare: Encoding, target: Node | None, negated: bool) -> str:
    if target is None:
        return ""
    return bare.negation(target) if negated else bare.claim(target)
