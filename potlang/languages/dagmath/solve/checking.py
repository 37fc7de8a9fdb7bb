"""Whether the steps of a solution follow from the steps that they rest on ([STEP-VERDICTS] ff.)."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from potlang.languages.dagmath.lower.canonical import canonical_term, is_closed
from potlang.languages.dagmath.lower.encoding import Encoded
from potlang.languages.dagmath.lower.exact import (
    DividesByZero,
    NotExact,
    difference,
    is_by_the_hundred,
    is_nearly,
    truth,
)
from potlang.languages.dagmath.lower.readings import Reading
from potlang.languages.dagmath.lower.solutions import Read, read_solution_steps
from potlang.languages.dagmath.lower.syntax import (
    Name,
    Op,
    Quantity,
    Term,
    Unreadable,
    conjuncts,
    free_names,
    is_op,
    joined,
    number,
    parts,
    quantities,
    shown,
)
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.solve.identities import Identities
from potlang.languages.dagmath.solve.premises import Premise, Premises, named_in, subjects
from potlang.languages.dagmath.solve.results import By, StepResult, StepsReport, StepVerdict
from potlang.languages.dagmath.solve.theory import Theory
from potlang.report.results import Limits, Result, Verdict

if TYPE_CHECKING:
    from potlang.processes.pool import Workers
    from potlang.prove.options import Trust

DEFAULT_LIMITS: Final = Limits(check_ms=1_000, total_ms=30_000)
_MOST_TRIED: Final = 100
"""Earlier steps that are tried as the missing premise, the latest first."""
_SEARCH_SECONDS: Final = 2.0
"""How long is looked for the missing premise of one step."""
_MOST_VALUES: Final = 4


def check_steps(
    solution: Solution,
    *,
    limits: Limits = DEFAULT_LIMITS,
    trust: Trust = "solver",
    workers: Workers | None = None,
    identities: Identities | None = None,
) -> StepsReport:
    """What is found of each step of a solution, whose parents must be earlier steps.

    `limits` are for the solution as a whole, `trust` and `workers` as `potlang.verify` takes them;
    `identities` is a SymPy process to be used, instead of one for this call. Never raises for what nodes
    contain. Raises `potlang.languages.dagmath.check.graph.BrokenGraphError` for steps that are no graph.
    """
    from potlang.languages.dagmath.check.graph import Graph

    Graph.of(solution)
    began = time.perf_counter()
    read = read_solution_steps(solution)
    own = identities or Identities()
    try:
        with Theory(read.integers, limits, trust, workers) as theory:
            report = _Checking(read, theory, own, limits).run()
    finally:
        if identities is None:
            own.close()
    return report._replace(time_ms=(time.perf_counter() - began) * 1000)


class _Found(NamedTuple):
    """An outcome for one reading of a step."""

    verdict: StepVerdict
    reason: str = ""
    by: By = "reading"
    assuming: tuple[str, ...] = ()
    result: Result | None = None

    @property
    def limited(self) -> bool:
        """Whether more time could change it."""
        return self is _LATE or (self.result is not None and self.result.verdict is Verdict.UNKNOWN)


_WORD: Final = re.compile(r"(?<!\\)\b[A-Za-z]{2,}")
_MISREAD: Final = "as far as it was read it is refuted, but it may mean something else"
_ZERO_TO_ZERO: Final = Op("^", (number(0), number(0)))
"""What SymPy takes to be 1."""
_LATE: Final = _Found(StepVerdict.UNKNOWN, "the time for the solution was used up")


class _Checking:
    """One solution on its way to a report."""

    def __init__(self, read: Read, theory: Theory, identities: Identities, limits: Limits) -> None:
        self.read = read
        self.theory = theory
        self.identities = identities
        self._end = time.monotonic() + limits.total_ms / 1000
        self.premises = Premises(read)

    def _left_ms(self) -> int:
        return max(0, int((self._end - time.monotonic()) * 1000))

    def run(self) -> StepsReport:
        # One session then knows the symbols of all steps.
        self._encoded(Premise(at, each) for at, read in enumerate(self.read.readings) for each in read.claims)
        results = tuple(self._step(at, step) for at, step in enumerate(self.read.steps))
        return StepsReport(results, self._contradiction())

    # --- one step ---

    def _step(self, at: int, step: Step) -> StepResult:
        reading = self.read.readings[at]
        found, claims, missing = self._judged(at, step, reading)
        self.premises.state(at, claims)
        read = "; ".join(map(shown, claims)) or reading.shown()
        trust = found.result.trust if found.result is not None and found.by == "solver" else None
        return StepResult(
            step.id,
            found.verdict,
            found.reason,
            read,
            missing,
            found.by,
            found.assuming,
            trust,
            found.limited,
        )

    def _judged(self, at: int, step: Step, reading: Reading) -> tuple[_Found, tuple[Term, ...], int | None]:
        if reading.reason is not None:
            given = step.parents is None and not reading.is_goal
            verdict = StepVerdict.GIVEN if given else StepVerdict.NOT_CHECKABLE
            return _Found(verdict, f"not read: {reading.reason}"), (), None
        if step.parents is None or reading.supposes:
            return self._given(at, reading), reading.claims, None
        if reading.schema is not None or reading.is_goal:
            what = "it states a formula for any object" if reading.schema else "it states a goal"
            return _Found(StepVerdict.NOT_CHECKABLE, what), reading.claims, None
        return self._derived(at, reading)

    def _given(self, at: int, reading: Reading) -> _Found:
        """A given step is assumed; only arithmetic that is false is no assumption."""
        for claim in reading.claims:
            if is_closed(claim) and self._is_fully_read(at):
                try:
                    if not (truth(claim) or is_nearly(claim) or is_by_the_hundred(claim)):
                        return _Found(StepVerdict.REFUTED, f"{shown(claim)} is false", "arithmetic")
                except NotExact:
                    continue
        return _Found(StepVerdict.GIVEN, "it is supposed" if reading.supposes else "it is given")

    def _derived(self, at: int, reading: Reading) -> tuple[_Found, tuple[Term, ...], int | None]:
        if not self._left_ms():
            return _LATE, reading.claims, None
        parents = self.read.parents[at]
        tried = []
        for claims in self._candidates(reading, parents):
            found = self._judge(at, claims, parents)
            tried.append((found, claims))
            if found.verdict is StepVerdict.PROVED:
                return found, claims, None
        missing = self._missing(at, reading, parents, tried)
        if not tried:
            reason = "it does not say of what it gives the value"
            return _Found(StepVerdict.NOT_CHECKABLE, reason), (), missing
        if len(tried) > 1:
            reason = "it is open of which premise's subject it gives the value"
            return _Found(StepVerdict.NOT_CHECKABLE, reason), (), missing
        found, claims = tried[0]
        return found, claims, missing

    def _candidates(self, reading: Reading, parents: Sequence[int]) -> list[tuple[Term, ...]]:
        """What a step may claim: a value without a subject is one of what a premise is about."""
        if reading.claims:
            return [reading.claims]
        found: dict[tuple[Term, ...], None] = {}
        for parent in parents:
            for subject in subjects(self.premises.stated(parent), self.read.readings[parent]):
                if reading.kinds and not self.premises.is_of_kind(parent, subject, reading.kinds):
                    continue
                found[_alternatives(subject, reading.values)] = None
        unknown = self._unknown(parents)
        if reading.solves:
            found = {}
        if unknown is not None and not reading.kinds and not any(map(free_names, reading.values)):
            found[_alternatives(unknown, reading.values)] = None
        return list(found)

    def _unknown(self, parents: Sequence[int]) -> Name | None:
        """The only variable of what the parents state, if no claim gives its value or that of a quantity."""
        stated = [
            part for parent in parents for term in self.premises.stated(parent) for part in conjuncts(term)
        ]
        names = frozenset[str]().union(*map(free_names, stated))
        sides = (side for part in stated if isinstance(part, Op) for side in part.args)
        given = any(isinstance(side, Name | Quantity) for side in sides)
        return Name(next(iter(names))) if len(names) == 1 and not given else None

    # --- one claim ---

    def _judge(self, at: int, claims: tuple[Term, ...], parents: Sequence[int]) -> _Found:
        try:
            stated = self.premises.of(at, parents, joined("and", claims))
        except Unreadable as error:
            return _Found(StepVerdict.NOT_CHECKABLE, str(error))
        new, open_ = self._named(at, claims, stated)
        named = [*map(shown, new)]
        if not open_:
            return _Found(StepVerdict.NOT_CHECKABLE, f"it says what something new is: {', '.join(named)}")
        stated += [Premise(at, each) for each in new]
        claim = joined("and", open_)
        found = (
            self._arithmetic(at, claim, parents)
            or self._false_part(at, open_, parents)
            or self._open(at, claim, parents, stated)
        )
        return found._replace(assuming=(*named, *found.assuming)) if named else found

    def _open(self, at: int, claim: Term, parents: Sequence[int], stated: Sequence[Premise]) -> _Found:
        """The answer to a claim about variables."""
        try:
            encoded = self.theory.encoder.statement(claim)
        except Unreadable as error:
            return self._identity(claim, parents) or _Found(StepVerdict.NOT_CHECKABLE, str(error))
        known = self._encoded(stated)
        result = self.theory.ask([each for _, each in known], encoded, self._left_ms())
        return self._from_result(at, claim, parents, stated, known, encoded, result)

    def _named(
        self, at: int, claims: tuple[Term, ...], stated: Iterable[Premise]
    ) -> tuple[list[Term], tuple[Term, ...]]:
        """The equations that say what something new is, and the claims that say more than that."""
        seen = self.premises.seen(at) | named_in(each.term for each in stated)
        named: list[Term] = []
        open_: list[Term] = []
        for claim in (part for each in claims for part in conjuncts(each)):
            new = _introduced(claim, seen)
            if new is None:
                open_.append(claim)
            else:
                named.append(claim)
                seen |= {new}
        return named, tuple(open_)

    def _arithmetic(self, at: int, claim: Term, parents: Sequence[int]) -> _Found | None:
        """The answer to a claim without variables, if it has a rational value on both sides."""
        if not is_closed(claim):
            return None
        try:
            holds = truth(claim)
            by_the_hundred = not holds and is_by_the_hundred(claim)
            if not holds and is_nearly(claim):
                return _Found(
                    StepVerdict.NOT_ENTAILED, "it is false, unless numbers are rounded", "arithmetic"
                )
        except DividesByZero:
            return _Found(StepVerdict.NOT_CHECKABLE, "it divides by zero")
        except NotExact:
            return None
        named = bool(self.read.readings[at].claims)
        sure = self._is_fully_read(at) and (named or self._is_of_the_same(at, claim, parents))
        if not holds and (by_the_hundred or not sure):
            return _Found(StepVerdict.UNKNOWN, _MISREAD, "arithmetic")
        verdict = StepVerdict.PROVED if holds else StepVerdict.REFUTED
        return _Found(verdict, "" if holds else f"{shown(claim)} is false", "arithmetic")

    def _false_part(self, at: int, claims: Sequence[Term], parents: Sequence[int]) -> _Found | None:
        """The refutation of a claim among several, without variables: what the others are about is open."""
        found = (self._arithmetic(at, claim, parents) for claim in claims)
        return next((each for each in found if each and each.verdict is StepVerdict.REFUTED), None)

    def _is_fully_read(self, at: int) -> bool:
        """Whether nothing was passed over in a step, and its variables are real numbers."""
        return self.read.context.is_usual and not self.read.readings[at].skipped

    def _encoded(self, stated: Iterable[Premise]) -> list[tuple[Premise, Encoded]]:
        found = []
        for each in stated:
            try:
                found.append((each, self.theory.encoder.statement(each.term)))
            except Unreadable:
                continue
        return found

    def _from_result(
        self,
        at: int,
        claim: Term,
        parents: Sequence[int],
        stated: Sequence[Premise],
        known: Sequence[tuple[Premise, Encoded]],
        encoded: Encoded,
        result: Result,
    ) -> _Found:
        match result.verdict:
            case Verdict.ENTAILED:
                assuming = self._assuming(known, encoded)
                return _Found(StepVerdict.PROVED, "", "solver", assuming, result)
            case Verdict.REFUTED:
                if self._is_unambiguous(at, claim, parents, known, encoded):
                    return _Found(
                        StepVerdict.REFUTED, "its premises entail that it is false", "solver", (), result
                    )
                return _Found(StepVerdict.UNKNOWN, _MISREAD, "solver", (), result)
            case Verdict.INCONSISTENT:
                alone = self.theory.ask([each for _, each in known], self._nothing(), self._left_ms())
                contradictory = alone.verdict is Verdict.INCONSISTENT
                reason = (
                    "its premises contradict each other"
                    if contradictory
                    else "it is not defined where its premises hold"
                )
                return _Found(StepVerdict.NOT_CHECKABLE, reason, "solver", (), result)
        is_exact = encoded.exact and all(each.exact for _, each in known) and len(known) == len(stated)
        if result.verdict is Verdict.UNKNOWN or not is_exact:
            found = self._identity(claim, parents)
            if found is not None:
                return found
        if result.verdict is Verdict.UNKNOWN:
            return _Found(StepVerdict.UNKNOWN, f"the solvers gave up: {result.reason}", "solver", (), result)
        return self._undetermined(at, claim, parents, is_exact, result)

    def _undetermined(
        self, at: int, claim: Term, parents: Sequence[int], is_exact: bool, result: Result
    ) -> _Found:
        differs = self._rewritten(at, claim, parents)
        if differs is not None:
            return _Found(StepVerdict.REFUTED, differs, "rewriting")
        unread = [self.read.steps[each].id for each in parents if self.read.readings[each].reason is not None]
        if unread:
            return _Found(StepVerdict.NOT_CHECKABLE, f"it rests on step {unread[0]}, which was not read")
        if not is_exact:
            return _Found(StepVerdict.UNKNOWN, "it has functions that solvers know too little of", "solver")
        model = result.evidence.could_be_false or {}
        where = ", ".join(f"{name} = {value}" for name, value in list(model.items())[:_MOST_VALUES])
        reason = "its premises do not entail it" + (f": it is false where {where}" if where else "")
        return _Found(StepVerdict.NOT_ENTAILED, reason, "solver", (), result)

    def _nothing(self) -> Encoded:
        return Encoded(self.theory.encoder.pool.true)

    def _is_unambiguous(
        self,
        at: int,
        term: Term,
        parents: Sequence[int],
        known: Sequence[tuple[Premise, Encoded]],
        claim: Encoded,
    ) -> bool:
        """Whether nothing was passed over in reading what a refutation rests on ([STEP-UNAMBIGUOUS])."""
        if not (self._is_fully_read(at) and claim.unambiguous and self._is_of_the_same(at, term, parents)):
            return False
        if self.premises.is_measured_apart(at, parents):
            return False
        return all(encoded.unambiguous and self._is_premise_unambiguous(stated) for stated, encoded in known)

    def _is_premise_unambiguous(self, stated: Premise) -> bool:
        reading = self.read.readings[stated.step]
        return not reading.skipped and not (reading.shifts and quantities(stated.term))

    def _is_of_the_same(self, at: int, claim: Term, parents: Sequence[int]) -> bool:
        """Whether what a claim is about is what its premises are about: nothing was done to it in between."""
        reading, restated = self.read.readings[at], self.premises.is_restated(claim, parents)
        if any(self._may_be_another(each, claim, at) for each in reading.values):
            return False
        if reading.claims and not (reading.shifts or restated):
            return True
        if reading.shifts or self.read.alters(at):
            return False
        if reading.claims:
            return self.premises.is_worked_out(parents) and not self.premises.is_changed(claim, parents)
        # What a parent is about that was not read, the value may be about too.
        clear = all(subjects(self.premises.stated(each), self.read.readings[each]) for each in parents)
        return clear and not self.read.operates(at)

    def _may_be_another(self, value: Term, claim: Term, at: int) -> bool:
        """Whether a value without a subject may be that of something else: a variable, a mere expression."""
        if isinstance(value, Name) or not isinstance(value, Op):
            return isinstance(value, Name)
        sides = [side for part in conjuncts(claim) if isinstance(part, Op) for side in part.args]
        own = any(isinstance(side, Name) and side in named_in([value]) for side in sides)
        return own or (is_closed(value) and not _WORD.search(self.read.steps[at].node))

    def _assuming(self, known: Sequence[tuple[Premise, Encoded]], claim: Encoded) -> tuple[str, ...]:
        """The conditions of a claim's being defined that its premises do not entail."""
        found = []
        for side, said in zip(claim.sides, claim.shown_sides, strict=True):
            condition = Encoded(side, lemmas=claim.lemmas)
            result = self.theory.ask([each for _, each in known], condition, self._left_ms())
            if result.verdict is not Verdict.ENTAILED:
                found.append(said)
        return tuple(found)

    def _identity(self, claim: Term, parents: Sequence[int]) -> _Found | None:
        """A proof by SymPy: both sides, or this and a premise's value of the same, are one expression."""
        for part in claim.args if is_op(claim, "and") else (claim,):
            if not self._is_identity(part, parents):
                return None
        return _Found(StepVerdict.PROVED, "", "sympy")

    def _is_identity(self, claim: Term, parents: Sequence[int]) -> bool:
        if not is_op(claim, "=") or not self._left_ms():
            return False
        left, right = claim.args
        if any(part == _ZERO_TO_ZERO for part in parts(claim)):
            return False
        lefts = [left]
        for parent in parents:
            for each in self.premises.stated(parent):
                if (
                    isinstance(each, Op)
                    and each.op == "="
                    and canonical_term(each.args[0]) == canonical_term(left)
                ):
                    lefts.append(each.args[1])
        context = self.read.context
        return any(self.identities.hold(each, right, self.read.integers, context) for each in lefts)

    # --- what is wrong ---

    def _rewritten(self, at: int, claim: Term, parents: Sequence[int]) -> str | None:
        """Why a step that writes an expression in another way is wrong ([STEP-REWRITING])."""
        reading = self.read.readings[at]
        if not self._is_fully_read(at) or not self.read.is_rewriting(at) or not self.read.is_read_before(at):
            return None
        old, new = self.premises.rewritten(reading, claim, parents)
        if old is None or new is None or free_names(new) & self.read.constrained:
            return None
        if not reading.claims and not self._is_of_the_same(at, claim, parents):
            return None
        differs = difference(old, new)
        if differs is None:
            return None
        everything = self._encoded(self.premises.before(at))
        if any(
            not each.unambiguous or self.read.readings[premise.step].skipped for premise, each in everything
        ):
            return None
        try:
            encoded = self.theory.encoder.statement(claim)
        except Unreadable:
            return None
        result = self.theory.ask([each for _, each in everything], encoded, self._left_ms())
        return differs if encoded.unambiguous and result.verdict is Verdict.UNDETERMINED else None

    def _missing(
        self,
        at: int,
        reading: Reading,
        parents: Sequence[int],
        tried: Sequence[tuple[_Found, tuple[Term, ...]]],
    ) -> int | None:
        """The id of the latest earlier step with which the step would follow; None where there is none."""
        if any(found.verdict is StepVerdict.REFUTED for found, _ in tried):
            return None
        others = [each for each in range(at - 1, -1, -1) if each not in parents][:_MOST_TRIED]
        end = time.monotonic() + _SEARCH_SECONDS
        for other in others:
            if not self._left_ms() or time.monotonic() > end:
                return None
            if self._follows_with(at, reading, parents, other):
                return self.read.steps[other].id
        return None

    def _follows_with(self, at: int, reading: Reading, parents: Sequence[int], other: int) -> bool:
        more = [*parents, other]
        if not (
            self.premises.stated(other)
            or self.read.readings[other].schema
            or self.read.readings[other].values
        ):
            return False
        for claims in self._candidates(reading, more):
            try:
                stated = self.premises.of(at, more, joined("and", claims))
                _, open_ = self._named(at, claims, stated)
                if not open_:
                    continue
                encoded = self.theory.encoder.statement(joined("and", open_))
            except Unreadable:
                continue
            known = [each for _, each in self._encoded(stated)]
            if self.theory.ask(known, encoded, self._left_ms()).verdict is Verdict.ENTAILED:
                return True
        return False

    def _contradiction(self) -> tuple[int, ...]:
        """The ids of given steps that cannot hold together, none of them needlessly."""
        given = [at for at in range(len(self.read.steps)) if self.read.is_assumed(at)]
        if not self._contradictory(given):
            return ()
        for each in list(given):
            fewer = [other for other in given if other != each]
            if self._contradictory(fewer):
                given = fewer
        return tuple(self.read.steps[at].id for at in given)

    def _contradictory(self, given: Sequence[int]) -> bool:
        if not self._left_ms():
            return False
        terms = [Premise(at, term) for at in given for term in self.premises.stated(at)]
        if not self.premises.are_comparable(terms):
            return False
        known = self._encoded(terms)
        if not known or not all(
            each.unambiguous and self._is_fully_read(stated.step) and self._is_premise_unambiguous(stated)
            for stated, each in known
        ):
            return False
        found = self.theory.ask([each for _, each in known], self._nothing(), self._left_ms())
        return found.verdict is Verdict.INCONSISTENT


def _alternatives(subject: Term, values: tuple[Term, ...]) -> tuple[Term, ...]:
    """The claim that something has one of several values."""
    return (joined("or", tuple(Op("=", (subject, value)) for value in values)),)


def _introduced(claim: Term, seen: frozenset[Term]) -> Term | None:
    """The variable or quantity that an equation gives a first value; None where it does not."""
    if not is_op(claim, "="):
        return None
    for one, other in (claim.args, claim.args[::-1]):
        if isinstance(one, Name | Quantity) and one not in seen and one not in named_in([other]):
            return one
    return None
