"""Validated propositions compared modulo theory and arrows: which are redundant, which incomparable.

Models met on the way are kept as bit sets of what is true in them, and rule out most questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from random import Random
from typing import NamedTuple

from potlang.ir.graphs import UnionFind
from potlang.ir.nodes import Node
from potlang.ir.pool import Pool
from potlang.languages.dot.lower.extract import Extraction
from potlang.languages.dot.solve.ordering import EntailmentOrder, Pair, Told
from potlang.languages.dot.solve.prover import Assuming
from potlang.prove.switches import SwitchAnswer, Switches, SwitchQuestion

MOST_COMPARED = 1_000
"""Validated propositions up to which the questions about each and all others are asked."""
_BLOCK = 32
_LINKED = 16
"""Formulas of which what each entails is asked for at once."""
_WATCHED = 256
"""Formulas that are looked at in the model of a question that is put by itself."""


class _Model(NamedTuple):
    """The formulas that are true in it and those that are false, as bit sets."""

    true: int
    false: int


class FormulaComparison:
    """Compares formulas under the assumptions of one base; of `entailed` the first entail the second."""

    def __init__(
        self,
        base: Assuming,
        pool: Pool,
        formulas: Iterable[Node],
        entailed: Iterable[tuple[Node, Node]] = (),
    ) -> None:
        self._base = base
        self._pool = pool
        found = list(dict.fromkeys(formulas))
        # In an order of their own those that entail each other often follow each other.
        self._formulas = Random(len(found)).sample(found, len(found))
        self._places = {formula.id: place for place, formula in enumerate(self._formulas)}
        placed = ((self._places.get(lower.id), self._places.get(upper.id)) for lower, upper in entailed)
        self._entailed = [(one, other) for one, other in placed if one is not None and other is not None]
        self._models: list[_Model] = []
        self._switches: Switches | None = None
        self._order: EntailmentOrder | None = None
        self.complete = True
        """Whether every question so far was answered."""

    # --- questions -------------------------------------------------------------------------------

    def _asked(
        self, questions: Sequence[SwitchQuestion], given: Sequence[int] = (), *, watching: bool = True
    ) -> list[SwitchAnswer]:
        """The answers, and the models kept: of small questions those of everybody who can be asked."""
        if self._switches is None:
            self._switches = self._base.switches(self._formulas)
        answers = self._base.ask_switches(self._switches, questions, given, watching=watching)
        found = [
            self._probed(question, given)
            if answer.status == "unknown" and len(question.either) < 2
            else answer
            for question, answer in zip(questions, answers, strict=True)
        ]
        self._models += [_Model(each.true, each.false) for each in found if each.status == "sat"]
        return found

    def _probed(self, question: SwitchQuestion, given: Sequence[int]) -> SwitchAnswer:
        """The answer to a question that is put by itself."""
        true = [*given, *question.true, *(one for one, _ in question.either)]
        false = [*question.false, *(other for _, other in question.either)]
        negate = self._pool.negate
        parts = [self._formulas[at] for at in true] + [negate(self._formulas[at]) for at in false]
        answer = self._base.probe(self._pool.conj(parts), self._formulas[:_WATCHED])
        if answer.status != "sat":
            return SwitchAnswer(answer.status)
        told = {self._places[id_]: truth for id_, truth in answer.truths.items()}
        told |= dict.fromkeys(true, True) | dict.fromkeys(false, False)
        return SwitchAnswer(
            "sat", *(bit_set(at for at in told if told[at] is is_so) for is_so in (True, False))
        )

    def _have_shown(self, true: Iterable[int], false: int) -> bool:
        """Whether a model met so far is one in which some formulas are true and one is false."""
        wanted = bit_set(true)
        return any(each.false >> false & 1 and not wanted & ~each.true for each in self._models)

    # --- what is redundant -----------------------------------------------------------------------

    def irredundant(self, named: Sequence[tuple[int, Node]], known: Iterable[int] = ()) -> list[int]:
        """The nodes that are left when those that the rest entails are dropped, later ones first.

        `known` are nodes whose propositions follow from the assumptions alone.
        """
        dropped = set(known)
        return self._left([pair for pair in named if pair[0] not in dropped], None, ())

    def needed(self, claim: Node, used: Sequence[Node], more: Sequence[tuple[int, Node]]) -> list[int] | None:
        """Which of `more` a claim needs beside `used`, dropped one by one, later ones first.

        None if the first question was not settled.
        """
        goal, given = self._places[claim.id], [self._places[each.id] for each in used]
        if goal in given:
            return []
        [answer] = self._asked([SwitchQuestion(false=(goal,))], given)
        if answer.status == "sat":
            return self._left(more, goal, given)
        self.complete &= answer.status != "unknown"
        return None if answer.status == "unknown" else []

    def _left(self, named: Sequence[tuple[int, Node]], claim: int | None, given: Sequence[int]) -> list[int]:
        """The nodes that are left when one after the other is dropped, later ones first.

        Dropped is one if the rest and what is given entail the claim, or its own formula where there is no
        claim: so of those with one formula all but the first.
        """
        kept: dict[int, int] = {}
        for node, formula in named:
            kept.setdefault(self._places[formula.id], node)
        for place in given:
            kept.pop(place, None)
        places = list(kept)
        for end in range(len(places), 0, -_BLOCK):
            block = places[max(0, end - _BLOCK) : end]
            for place in self._dropped(block, [*given, *(at for at in kept if at not in block)], claim):
                del kept[place]
        return list(kept.values())

    def _dropped(self, block: Sequence[int], given: Sequence[int], claim: int | None) -> list[int]:
        """Which of a block go, later ones first, while what is given stays."""

        def asked(without: Sequence[Sequence[int]]) -> list[SwitchAnswer]:
            questions = [
                SwitchQuestion(
                    [at for at in block if at not in gone], (gone[-1] if claim is None else claim,)
                )
                for gone in without
            ]
            return self._asked(questions, given, watching=False)

        # Who stays while all others do stays whoever goes.
        dropped: list[int] = []
        waiting = [
            at
            for at in reversed(block)
            if not self._have_shown({*given, *block} - {at}, at if claim is None else claim)
        ]
        if waiting:
            alone = asked([[at] for at in waiting])
            self.complete &= all(each.status != "unknown" for each in alone)
            waiting = [at for at, each in zip(waiting, alone, strict=True) if each.status == "unsat"]
            dropped, waiting = waiting[:1], waiting[1:]
        while waiting:
            # Each is asked as if all before it went. That a claim follows is right even if some have stayed;
            # that it does not is only right of the first who stays.
            answers = asked([[*dropped, *waiting[: number + 1]] for number in range(len(waiting))])
            again: list[int] = []
            has_stayed = False
            for at, answer in zip(waiting, answers, strict=True):
                if answer.status == "unsat":
                    dropped.append(at)
                elif has_stayed:
                    again.append(at)
                else:
                    has_stayed = True
                    self.complete &= answer.status != "unknown"
            waiting = again
        return dropped

    # --- what is incomparable --------------------------------------------------------------------

    def incomparable(self, named: Sequence[tuple[int, Node]]) -> list[tuple[int, int]]:
        """The pairs of nodes of which neither entails the other (theorem 4.22); settled ones alone."""
        self._settle([self._places[formula.id] for _, formula in named])
        placed = [(node, self._places[formula.id]) for node, formula in named]
        return [
            (one, other)
            for (one, left), (other, right) in combinations(placed, 2)
            if self.entails(left, right) is False and self.entails(right, left) is False
        ]

    def entails(self, lower: int, upper: int) -> bool | None:
        """Whether one formula entails another, by their places, as far as their order is known."""
        return None if self._order is None else self._order.entails(lower, upper)

    def _settle(self, places: Iterable[int]) -> None:
        """Ask for the order of some formulas."""
        order = self._order = EntailmentOrder(len(self._formulas), bit_set(places))
        for lower, upper in self._entailed:
            order.prove(lower, upper)
        for each in self._models:
            order.rule_out(*each)
        self._ask_linked(order)

        def answers(questions: Sequence[Sequence[Pair]]) -> Iterator[Told]:
            for answer in self._asked([SwitchQuestion(either=tuple(pairs)) for pairs in questions]):
                order.rule_out(answer.true, answer.false)
                yield _TOLD[answer.status]

        def ask(questions: Sequence[Sequence[Pair]]) -> Iterator[Told] | None:
            return answers(questions) if self._base.may_ask() else None

        order.settle(ask)
        self.complete &= order.settled

    def _ask_linked(self, order: EntailmentOrder) -> None:
        """Ask for models in which a formula that arrows join to others entails nothing but what it has to.

        Of a chain of arrows each step takes a model of its own, and a solver left to itself takes many more.
        """
        linked = order.linked()
        for begin in range(0, len(linked), _LINKED):
            opened = ((lower, order.last_open(lower)) for lower in linked[begin : begin + _LINKED])
            questions = [SwitchQuestion((lower,), uppers) for lower, uppers in opened if uppers]
            if not questions:
                continue
            if not self._base.may_ask():
                return
            for answer in self._asked(questions, watching=False):
                if answer.status == "sat":
                    order.rule_out(answer.true, answer.false)


_TOLD: dict[str, Told] = {"sat": "apart", "unsat": "entailed", "unknown": "unknown"}


def bit_set(places: Iterable[int]) -> int:
    """The integer with these bits."""
    found = 0
    for place in places:
        found |= 1 << place
    return found


def branches(extraction: Extraction, validated: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The validated propositions by independent branches ([DOT-SUMMARY-6])."""
    parts = UnionFind(validated)
    inside = set(validated)
    for edge in extraction.edges:
        if edge.src in inside and edge.dst in inside:
            parts.join(edge.src, edge.dst)
    for inclusion in extraction.inclusions:
        if inclusion.lower in inside and inclusion.upper in inside:
            parts.join(inclusion.lower, inclusion.upper)
    return tuple(tuple(part) for part in parts.classes())
