"""A claim about an event decided by facts alone: unit propagation over ground clauses, and models tried.

What follows by units is entailed or refuted. That the rest has a model is shown by one: in it the predicates
of which nothing follows are all false, or all true, which is enough for Horn clauses and their mirror images.
Where that does not decide, nothing is said, and a solver is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from potlang.policy.guard.ground import EventStatement, GroundClause
from potlang.policy.guard.kleene import CompiledTerm
from potlang.policy.guard.session_facts import NO_VALUE, AtomKey, SessionFacts
from potlang.report.results import Verdict


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
    """One claim about one session's facts: an open predicate, by its key, or a term."""

    def __init__(self, facts: SessionFacts, claim: AtomKey | CompiledTerm) -> None:
        self._facts = facts
        self._claim = claim
        self._because: dict[AtomKey, GroundClause] = {}

    def decide(self, clauses: Iterable[GroundClause]) -> Follows | None:
        """The verdict, or None if facts alone do not decide."""
        facts = self._facts
        facts.assigned, facts.default = {}, NO_VALUE
        try:
            left = self._propagate(clauses)
        except _Conflict as conflict:
            return Follows(Verdict.INCONSISTENT, self._chain([conflict.clause]))
        if isinstance(self._claim, CompiledTerm):
            return self._term(self._claim, left)
        return self._atom(self._claim, left)

    def _term(self, claim: CompiledTerm, left: list[GroundClause]) -> Follows | None:
        value = claim.compute(self._frame(claim))
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
        facts = self._facts
        before, because = facts.assigned, self._because
        facts.assigned, self._because = {**before, key: value}, dict(because)
        facts.memo.clear()
        try:
            return True if self._has_model(self._propagate(left)) else None
        except _Conflict as conflict:
            return self._chain([conflict.clause])
        finally:
            facts.assigned, self._because = before, because
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
                if unit is None:
                    kept.append(clause)
                if unit is None or unit is True:
                    continue
                key, sign = unit
                facts.assigned[key] = sign
                self._because[key] = clause
                changed = True
            left = kept
            if not changed:
                return left
            facts.memo.clear()

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
        """The clauses and those from which the denials of their literals follow."""
        found: dict[int, GroundClause] = {}
        stack = list(clauses)
        while stack:
            clause = stack.pop()
            if id(clause) in found:
                continue
            found[id(clause)] = clause
            stack += [self._because[key] for key, _ in clause.literals if key in self._because]
        return tuple(found.values())

    # --- models ---

    def _has_model(self, left: Sequence[GroundClause]) -> bool:
        return not left or any(self._in_model(left, default) is not None for default in (False, True))

    def _in_model(
        self, left: Sequence[GroundClause], default: bool, claim: CompiledTerm | None = None
    ) -> object:
        """The value of the claim (True without one) where what is open has a default; None: no model."""
        facts = self._facts
        facts.default = default
        facts.memo.clear()
        try:
            if not all(self._holds(clause, default) for clause in left):
                return None
            value = True if claim is None else claim.compute(self._frame(claim))
            return None if value is NO_VALUE else value
        finally:
            facts.default = NO_VALUE
            facts.memo.clear()

    def _holds(self, clause: GroundClause, default: bool) -> bool:
        facts = self._facts
        if any(facts.assigned.get(key, default) is sign for key, sign in clause.literals):
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
