"""A claim about an event decided by facts alone: unit propagation over ground clauses, and models tried.

What follows by units is entailed or refuted. That the rest has a model is shown by one: in it the predicates
of which nothing follows are all false, or all true, which is enough for Horn clauses and their mirror images;
or else each of them, and each function, has one value wherever nothing says which, or such predicates have
those that follow from such values of functions.
Where that does not decide, nothing is said, and a solver is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, Literal, NamedTuple

from potlang.policy.guard.ground import EventStatement, GroundClause
from potlang.policy.guard.kleene import CompiledTerm
from potlang.policy.guard.session_facts import NO_VALUE, AtomKey, SessionFacts
from potlang.report.results import Verdict

_MOST_FUNCTIONS: Final = 12
"""Functions without a value for which some are tried."""
_ROUNDS: Final = 2
_MOST_LOOKS: Final = 8_000
"""Times that a clause is looked at with values that are tried: some microseconds each."""


class Follows(NamedTuple):
    """A verdict by facts, with the clauses from which it follows; none where nothing does."""

    verdict: Verdict
    clauses: tuple[GroundClause, ...] = ()


class _Conflict(Exception):
    """A clause of which every part is false."""

    def __init__(self, clause: GroundClause) -> None:
        super().__init__()
        self.clause = clause


class Deciding:
    """One claim about one session's facts: an open predicate, by its key, or a term.

    `tried` are the values that are tried for a function, by number, where its table has none.
    """

    def __init__(
        self, facts: SessionFacts, claim: AtomKey | CompiledTerm, tried: Callable[[int], Sequence[object]]
    ) -> None:
        self._facts = facts
        self._claim = claim
        self._tried = tried
        self._because: dict[AtomKey, GroundClause] = {}
        self._said: dict[int, list[GroundClause]] = {}
        """The clauses that say what values of a function, by number, are, or limit them."""

    def decide(self, clauses: Iterable[GroundClause]) -> Follows | None:
        """The verdict, or None if facts alone do not decide."""
        facts = self._facts
        facts.assigned, facts.default = {}, NO_VALUE
        facts.known, facts.limits = {}, {}
        try:
            left = self._propagate(clauses)
        except _Conflict as conflict:
            return Follows(Verdict.INCONSISTENT, self._chain([conflict.clause]))
        if isinstance(self._claim, CompiledTerm):
            return self._term(self._claim, left)
        return self._atom(self._claim, left)

    def _term(self, claim: CompiledTerm, left: list[GroundClause]) -> Follows | None:
        facts = self._facts
        value = claim.compute(self._frame(claim))
        if facts.limits or self._chosen_otherwise():
            return None
        seen = {self._in_model(left, default, claim) for default in (False, True)} - {None}
        if value is NO_VALUE:
            return Follows(Verdict.UNDETERMINED) if seen >= {True, False} else None
        return Follows(_VERDICTS[bool(value)]) if seen else None

    def _atom(self, key: AtomKey, left: list[GroundClause]) -> Follows | None:
        facts = self._facts
        table = facts.tables[key[0]].get(key[1])
        value = facts.assigned.get(key) if table is None else bool(table)
        if value is not None:
            because = self._chain([self._because[key]]) if key in self._because else ()
            return Follows(_VERDICTS[value], because) if self._has_model(left) else None
        found = {value: self._supposed(key, value, left) for value in (False, True)}
        if found[False] is True and found[True] is True:
            return Follows(Verdict.UNDETERMINED)
        for value in (False, True):
            conflict = found[not value]
            if isinstance(conflict, tuple) and found[value] is True:
                return Follows(_VERDICTS[value], conflict)
        return None

    def _supposed(self, key: AtomKey, value: bool, left: list[GroundClause]) -> object:
        """Whether the claim can have the value: True, the clauses that are against it, or None."""
        with self._tentatively():
            self._facts.assigned[key] = value
            try:
                return True if self._has_model(self._propagate(left)) else None
            except _Conflict as conflict:
                return self._chain([conflict.clause])

    @contextmanager
    def _tentatively(self) -> Iterator[None]:
        """Forget again what is found out within."""
        facts = self._facts
        before = facts.assigned, facts.known, facts.limits, self._because
        facts.assigned, facts.known, facts.limits = dict(before[0]), dict(before[1]), dict(before[2])
        self._because = dict(self._because)
        facts.memo.clear()
        try:
            yield
        finally:
            facts.assigned, facts.known, facts.limits, self._because = before
            facts.memo.clear()

    # --- units ---

    def _propagate(self, clauses: Iterable[GroundClause]) -> list[GroundClause]:
        """The clauses from which nothing more follows and which are not true yet. Raises _Conflict."""
        facts = self._facts
        left = list(clauses)
        while True:
            kept = []
            changed = False
            for clause in left:
                unit = self._unit(clause)
                # By limits a clause is true of the values that there may be, but a model has to have one.
                if unit is None or (unit is True and facts.limits):
                    kept.append(clause)
                if unit is None:
                    changed |= self._learns(clause)
                elif unit is not True:
                    key, sign = unit
                    facts.assigned[key] = sign
                    self._because[key] = clause
                    changed = True
            left = kept
            if not changed:
                return left
            facts.memo.clear()

    def _learns(self, clause: GroundClause) -> bool:
        """Whether all but one part of a clause is false, and more of a value follows from that part."""
        facts = self._facts
        if any(key not in facts.assigned for key, _ in clause.literals):
            return False
        left = [each for each in clause.pending if clause.value(each, facts) is NO_VALUE]
        frame = [facts, *clause.values]
        found = [each.learn(frame) for each in left[0].comparisons] if len(left) == 1 else []
        for number in [each for each in found if each is not None]:
            self._said.setdefault(number, []).append(clause)
        return any(each is not None for each in found)

    def _unit(self, clause: GroundClause) -> tuple[AtomKey, bool] | Literal[True] | None:
        """The one literal that is left of a clause; True if the clause is true, None if more is left."""
        facts = self._facts
        assigned = facts.assigned
        unit: tuple[AtomKey, bool] | None = None
        more = False
        for key, sign in clause.literals:
            known = assigned.get(key)
            if known is None:
                more = unit is not None
                unit = key, sign
            elif known is sign:
                return True
        for condition in clause.pending:
            value = clause.value(condition, facts)
            if value is condition.sign:
                return True
            more |= value is NO_VALUE
        if more:
            return None
        if unit is None:
            raise _Conflict(clause)
        return unit

    def _chain(self, clauses: list[GroundClause]) -> tuple[GroundClause, ...]:
        """The clauses, those from which their literals are denied, and those about values in them."""
        found: dict[int, GroundClause] = {}
        stack = list(clauses)
        while stack:
            clause = stack.pop()
            if id(clause) in found:
                continue
            found[id(clause)] = clause
            stack += [self._because[key] for key, _ in clause.literals if key in self._because]
            stack += [each for number in clause.statement.functions for each in self._said.get(number, ())]
        return tuple(found.values())

    # --- models ---

    def _has_model(self, left: Sequence[GroundClause]) -> bool:
        facts = self._facts
        if self._chosen_otherwise():
            return False
        if not left:
            return True
        facts.missed = set()
        defaults = (False, True)
        limits, facts.limits = facts.limits, {}
        try:
            if any(self._in_model(left, default) is not None for default in defaults):
                return True
            return any(self._fits(left, default) for default in defaults)
        finally:
            facts.limits = limits
            facts.memo.clear()

    def _chosen_otherwise(self) -> bool:
        """Whether values follow of a function for which others may have been chosen."""
        return any(number in self._facts.chosen for number, _ in self._facts.known)

    def _fits(self, left: Sequence[GroundClause], default: bool) -> bool:
        """Whether with some value for each function that lacks one, the same wherever it does, all hold.

        One function or predicate after the other gets the value with which most clauses hold.
        """
        facts = self._facts
        numbers = sorted(facts.missed - facts.chosen)
        if len(numbers) > _MOST_FUNCTIONS:
            return False
        most = _MOST_LOOKS // (_ROUNDS * max(1, len(numbers)) * len(left))
        tried = {number: self._tried(number)[:most] for number in numbers}
        if not all(tried.values()):
            return False
        predicates = [number for number, values in tried.items() if isinstance(values[0], bool)]
        facts.default = default
        facts.elsewhere = {number: values[0] for number, values in tried.items()} | dict.fromkeys(
            predicates, default
        )
        # Predicates come last: their defaults fit most clauses as soon as the values do.
        turns = [*(number for number in numbers if number not in predicates), *predicates] * _ROUNDS
        try:
            return any(self._improved(left, number, tried[number]) for number in turns) or self._follows(left)
        finally:
            facts.default, facts.elsewhere = NO_VALUE, {}
            facts.memo.clear()

    def _follows(self, left: Sequence[GroundClause]) -> bool:
        """Whether all hold with what follows of predicates from the values that functions have now."""
        facts = self._facts
        with self._tentatively():
            facts.default = NO_VALUE
            known = len(facts.known)
            try:
                rest = self._propagate(left)
            except _Conflict:
                return False
            # Values that follow only now are others than those with which the rest was looked at.
            if facts.limits or len(facts.known) > known:
                return False
            return any(self._in_model(rest, default) is not None for default in (False, True))

    def _improved(self, left: Sequence[GroundClause], number: int, values: Sequence[object]) -> bool:
        """Whether all hold with the best of the values of a function, which it has from now on."""
        facts = self._facts
        best, most = facts.elsewhere[number], -1
        for value in dict.fromkeys((best, *values)):
            facts.elsewhere[number] = value
            facts.memo.clear()
            held = sum(self._holds(clause) for clause in left)
            if held > most:
                best, most = value, held
            if held == len(left):
                break
        facts.elsewhere[number] = best
        return most == len(left)

    def _in_model(
        self, left: Sequence[GroundClause], default: bool, claim: CompiledTerm | None = None
    ) -> object:
        """The value of the claim (True without one) where what is open has a default; None: no model."""
        facts = self._facts
        facts.default = default
        facts.memo.clear()
        try:
            # Each is looked at: what it asks for and does not get is noted.
            held = [self._holds(clause) for clause in left]
            if not all(held):
                return None
            value = True if claim is None else claim.compute(self._frame(claim))
            return None if value is NO_VALUE else value
        finally:
            facts.default = NO_VALUE
            facts.memo.clear()

    def _holds(self, clause: GroundClause) -> bool:
        facts = self._facts
        if any(facts.truth(key) is sign for key, sign in clause.literals):
            return True
        return any(clause.value(each, facts) is each.sign for each in clause.pending)

    def _frame(self, claim: CompiledTerm) -> list[object]:
        return [self._facts, self._facts.count - 1]


_VERDICTS = {True: Verdict.ENTAILED, False: Verdict.REFUTED}


class PolicyStatements:
    """All statements of a policy: those about events, those about none, those asked anew at each check."""

    def __init__(self, statements: Iterable[EventStatement]) -> None:
        listed = list(statements)
        self.slow = [each for each in listed if each.reason]
        """Those for which a solver may be needed."""
        self.volatile = [each for each in listed if each.is_volatile]
        self.eventless = [each for each in listed if not each.is_volatile and each.is_eventless]
        self.by_event = [each for each in listed if not each.is_volatile and not each.is_eventless]
