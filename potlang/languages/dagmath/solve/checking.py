"""Whether the steps of a solution follow from the steps that they rest on ([STEP-VERDICTS] ff.)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from potlang.languages.dagmath.check.graph import Graph
from potlang.languages.dagmath.lower import vocabulary
from potlang.languages.dagmath.lower.canonical import same_terms
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
    Op,
    Quantity,
    Term,
    Unreadable,
    Variable,
    conjuncts,
    free_names,
    is_closed,
    is_op,
    joined,
    parts,
    quantities,
    shown,
)
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.relations.claims import StepRelations
from potlang.languages.dagmath.relations.formals import FormalReading, with_formals
from potlang.languages.dagmath.relations.numbers import Numbers, is_word_problem, may_round
from potlang.languages.dagmath.results import By, StepResult, StepsReport, StepVerdict
from potlang.languages.dagmath.solve.algebra import (
    ZERO_TO_ZERO,
    is_algebra,
    is_multiple,
    is_polynomial_identity,
)
from potlang.languages.dagmath.solve.budget import Budget, Stopwatch
from potlang.languages.dagmath.solve.identities import Identities
from potlang.languages.dagmath.solve.premises import (
    Premise,
    Premises,
    all_subjects,
    named_in,
    relevant,
    subjects,
)
from potlang.languages.dagmath.solve.theory import StepTheory
from potlang.languages.dagmath.solve.weighing import fit, is_broad, weighed, with_formal
from potlang.report.results import Interrupted, Limits, Result, Verdict
from potlang.utils.deadline import Deadline

if TYPE_CHECKING:
    from potlang.processes.pool import Workers
    from potlang.prove.options import Trust

DEFAULT_LIMITS: Final = Limits(check_ms=1_000, total_ms=30_000)
_MOST_TRIED: Final = 100
"""Earlier steps that are tried as the missing premise, the latest first."""
_MOST_VALUES: Final = 4


def check_steps(
    solution: Solution,
    *,
    limits: Limits = DEFAULT_LIMITS,
    trust: Trust = "solver",
    workers: Workers | None = None,
    identities: Identities | None = None,
) -> StepsReport:
    """Check each step of a solution, whose parents must be earlier steps.

    `limits` are for the solution as a whole, `trust` and `workers` as `potlang.verify` takes them;
    `identities` is a SymPy process to be used, instead of one for this call. Never raises for what nodes
    contain. Raises BrokenGraphError for steps that are no graph, and Interrupted with a report of what is
    known where it is interrupted.
    """
    Graph.of(solution)
    deadline, stopwatch = Deadline(limits.total_ms), Stopwatch()
    read, formals = with_formals(read_solution_steps(solution))
    left = limits._replace(total_ms=deadline.left_ms())
    budget = Budget(len(read.steps), left, stopwatch.stretch())
    with StepTheory(read.integers, left, trust, workers, budget) as theory:
        report = _Checking(read, formals, theory, identities or Identities()).run()
    return report._replace(time_ms=deadline.spent_ms())


class _ReadingOutcome(NamedTuple):
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
_LATE: Final = _ReadingOutcome(StepVerdict.UNKNOWN, "the time for the solution was used up")


class _Question(NamedTuple):
    """The open part of a step's claims, and what it may be derived from.

    `known` are those of the `premises` that the IR has words for, with encodings, once solvers are asked.
    """

    at: int
    parents: Sequence[int]
    claim: Term
    premises: Sequence[Premise]
    known: Sequence[tuple[Premise, Encoded]] = ()


class _Checking:
    """One solution on its way to a report."""

    def __init__(
        self, read: Read, formals: Sequence[FormalReading | None], theory: StepTheory, identities: Identities
    ) -> None:
        self.read = read
        self.formals = formals
        self.theory = theory
        self.budget = theory.budget
        self.identities = identities
        self.premises = Premises(read)
        self.scales = [vocabulary.SCALE.search(step.node) is not None for step in read.steps]
        given = [step.node for step in read.steps if step.parents is None]
        self.numbers = Numbers(is_asked=is_word_problem(read.problem, given))
        self.numbers.add(read.problem)
        texts = [step.node for step in read.steps]
        self.relations = StepRelations(
            texts, read.context, is_exact=self.numbers.is_asked and not may_round([read.problem, *texts])
        )

    def run(self) -> StepsReport:
        # One session then knows the symbols of all steps: a new symbol would need a new session.
        self._encoded(Premise(at, each) for at, read in enumerate(self.read.readings) for each in read.claims)
        results: list[StepResult] = []
        try:
            for at, step in enumerate(self.read.steps):
                results.append(self._step(at, step))
            self.budget.begin_step()
            return StepsReport(tuple(results), self._contradiction())
        except KeyboardInterrupt as error:
            left = self.read.steps[len(results) :]
            unknown = [StepResult(each.id, StepVerdict.UNKNOWN, "interrupted", limited=True) for each in left]
            raise Interrupted(StepsReport((*results, *unknown))) from error

    # --- one step ---

    def _step(self, at: int, step: Step) -> StepResult:
        self.budget.begin_step()
        reading = self.read.readings[at]
        if reading.is_introduction:
            self.relations.forget(reading.names)
        relations = self.relations.of(at, self.read.parents[at])
        found, claims, missing = self._judged(at, step, reading)
        self.premises.record(at, claims)
        result = StepResult(
            step.id,
            found.verdict,
            found.reason,
            "; ".join(map(shown, claims)) or reading.shown(),
            missing,
            found.by,
            found.assuming,
            found.result.trust if found.result is not None and found.by == "solver" else None,
            found.limited,
        )
        premises = [self.read.steps[parent].node for parent in self.read.parents[at]]
        fitting = fit(step.node, relations, self.numbers, premises)
        self.numbers.add(step.node)
        is_scale = any(self.scales[each] for each in (at, *self.read.parents[at]))
        result = weighed(
            result,
            relations,
            fitting,
            is_misread=found.reason == _MISREAD,
            is_scale=is_scale,
            is_broad=is_broad(step.node, premises),
        )
        return with_formal(result, self.formals[at], found.reason)

    def _judged(
        self, at: int, step: Step, reading: Reading
    ) -> tuple[_ReadingOutcome, tuple[Term, ...], int | None]:
        if reading.reason is not None:
            given = step.parents is None and not reading.is_goal
            verdict = StepVerdict.GIVEN if given else StepVerdict.NOT_CHECKABLE
            return _ReadingOutcome(verdict, f"not read: {reading.reason}"), (), None
        if step.parents is None or reading.supposes:
            return self._given(at, reading), reading.claims, None
        if reading.schema is not None or reading.is_goal:
            what = "it states a formula for any object" if reading.schema else "it states a goal"
            return _ReadingOutcome(StepVerdict.NOT_CHECKABLE, what), reading.claims, None
        return self._derived(at, reading)

    def _given(self, at: int, reading: Reading) -> _ReadingOutcome:
        """A given step is assumed; only arithmetic that is false is no assumption."""
        for claim in reading.claims:
            if is_closed(claim) and self._is_fully_read(at):
                try:
                    if not (truth(claim) or is_nearly(claim) or is_by_the_hundred(claim)):
                        return _ReadingOutcome(StepVerdict.REFUTED, f"{shown(claim)} is false", "arithmetic")
                except NotExact:
                    continue
        return _ReadingOutcome(StepVerdict.GIVEN, "it is supposed" if reading.supposes else "it is given")

    def _derived(self, at: int, reading: Reading) -> tuple[_ReadingOutcome, tuple[Term, ...], int | None]:
        if self.budget.is_over:
            return _LATE, reading.claims, None
        parents = self.read.parents[at]
        tried = []
        for claims in self._candidates(reading, parents):
            found = self._judge(at, claims, parents)
            if found.verdict is StepVerdict.PROVED:
                return found, claims, None
            tried.append((found, claims))
        refuted = any(found.verdict is StepVerdict.REFUTED for found, _ in tried)
        missing = None if refuted else self._missing(at, reading, parents)
        if len(tried) == 1:
            return *tried[0], missing
        reason = (
            "it is open of which premise's subject it gives the value"
            if tried
            else "it gives a value and does not say of which quantity"
        )
        return _ReadingOutcome(StepVerdict.NOT_CHECKABLE, reason), (), missing

    def _candidates(self, reading: Reading, parents: Sequence[int]) -> list[tuple[Term, ...]]:
        """The possible claims of a step: a value without a subject is that of the subject of some premise."""
        if reading.claims:
            return [reading.claims]
        about: dict[Term, None] = {}
        for parent in () if reading.solves else parents:
            found = subjects(self.premises.claims(parent), self.read.readings[parent])
            if reading.is_answer:
                found = [*found, *all_subjects(self.premises.claims(parent))]
            for subject in found:
                if not reading.kinds or self.premises.is_of_kind(parent, subject, reading.kinds):
                    about[subject] = None
        for subject in self.premises.calculated(parents, about):
            del about[subject]
        unknown = self._unknown(parents)
        if unknown is not None and not reading.kinds and not any(map(free_names, reading.values)):
            about[unknown] = None
        return [
            (joined("or", tuple(Op("=", (subject, value)) for value in reading.values)),) for subject in about
        ]

    def _unknown(self, parents: Sequence[int]) -> Variable | None:
        """The only variable of what the parents claim, if no claim gives its value or that of a quantity."""
        claimed = self.premises.parts(parents)
        names = frozenset[str]().union(*map(free_names, claimed))
        sides = (side for part in claimed if isinstance(part, Op) for side in part.args)
        given = any(isinstance(side, Variable | Quantity) for side in sides)
        return Variable(next(iter(names))) if len(names) == 1 and not given else None

    # --- one claim ---

    def _judge(self, at: int, claims: tuple[Term, ...], parents: Sequence[int]) -> _ReadingOutcome:
        try:
            question, named = self._question(at, claims, parents)
        except Unreadable as error:
            return _ReadingOutcome(StepVerdict.NOT_CHECKABLE, str(error))
        new = tuple(map(shown, named))
        if question is None:
            return _ReadingOutcome(
                StepVerdict.NOT_CHECKABLE, f"it says what something new is: {', '.join(new)}"
            )
        found = (
            self._arithmetic(at, question.claim, parents)
            or self._false_part(question)
            or self._open(question)
        )
        return found._replace(assuming=(*new, *found.assuming))

    def _question(
        self, at: int, claims: tuple[Term, ...], parents: Sequence[int]
    ) -> tuple[_Question | None, list[Term]]:
        """The claims but for equations that say what something new is, and those. Raises Unreadable."""
        premises = self.premises.of(at, parents, joined("and", claims))
        seen = self.premises.seen(at) | named_in(each.term for each in premises)
        named: list[Term] = []
        open_: list[Term] = []
        for claim in (part for each in claims for part in conjuncts(each)):
            new = _introduced(claim, seen)
            if new is None:
                open_.append(claim)
            else:
                named.append(claim)
                seen |= {new}
        if not open_:
            return None, named
        premises += [Premise(at, each) for each in named]
        return _Question(at, parents, joined("and", tuple(open_)), premises), named

    def _arithmetic(self, at: int, claim: Term, parents: Sequence[int]) -> _ReadingOutcome | None:
        """The answer to a claim without variables, if it has a rational value on both sides."""
        if not is_closed(claim):
            return None
        try:
            holds = truth(claim)
            by_the_hundred = not holds and is_by_the_hundred(claim)
            if not holds and is_nearly(claim):
                reason = "it is false, unless numbers are rounded"
                return _ReadingOutcome(StepVerdict.NOT_ENTAILED, reason, "arithmetic")
        except DividesByZero:
            return _ReadingOutcome(StepVerdict.NOT_CHECKABLE, "it divides by zero")
        except NotExact:
            return None
        if holds:
            return _ReadingOutcome(StepVerdict.PROVED, "", "arithmetic")
        says_of_what = self.read.readings[at].claims or self._is_of_the_same(at, claim, parents)
        if by_the_hundred or not (self._is_fully_read(at) and says_of_what):
            return _ReadingOutcome(StepVerdict.UNKNOWN, _MISREAD, "arithmetic")
        return _ReadingOutcome(StepVerdict.REFUTED, f"{shown(claim)} is false", "arithmetic")

    def _false_part(self, question: _Question) -> _ReadingOutcome | None:
        """The refutation of a claim among several, without variables: what the others are about is open."""
        at, parents = question.at, question.parents
        found = (self._arithmetic(at, claim, parents) for claim in conjuncts(question.claim))
        return next((each for each in found if each and each.verdict is StepVerdict.REFUTED), None)

    def _open(self, question: _Question) -> _ReadingOutcome:
        """The answer to a claim about variables."""
        premises = relevant(question.premises, question.claim)
        question = question._replace(premises=premises, known=self._encoded(premises))
        known = [each for _, each in question.known]
        try:
            encoded = self.theory.encoder.statement(question.claim)
        except Unreadable as error:
            return self._identity(question) or _ReadingOutcome(StepVerdict.NOT_CHECKABLE, str(error))
        if is_algebra(question.claim):
            return _ReadingOutcome(StepVerdict.PROVED, "", "arithmetic", self._assuming(known, encoded))
        # A step that may be about one of several cases is not refuted by solvers, whoever agrees with them.
        is_one_of_several = is_broad(self.read.steps[question.at].node, question.parents)
        sure = (Verdict.ENTAILED,) if is_one_of_several else (Verdict.ENTAILED, Verdict.REFUTED)
        result = self.theory.ask(known, encoded, sure=sure)
        if result.verdict is Verdict.UNKNOWN and _is_told(question):
            return _ReadingOutcome(StepVerdict.PROVED, "", "arithmetic", tuple(encoded.sides.values()))

        def found(verdict: StepVerdict, reason: str = "", assuming: tuple[str, ...] = ()) -> _ReadingOutcome:
            return _ReadingOutcome(verdict, reason, "solver", assuming, result)

        match result.verdict:
            case Verdict.ENTAILED:
                return found(StepVerdict.PROVED, assuming=self._assuming(known, encoded))
            case Verdict.REFUTED if self._is_unambiguous(question, encoded):
                return found(StepVerdict.REFUTED, "its premises entail that it is false")
            case Verdict.REFUTED:
                return found(StepVerdict.UNKNOWN, _MISREAD)
            case Verdict.INCONSISTENT if self._is_inconsistent(known):
                return found(StepVerdict.NOT_CHECKABLE, "its premises contradict each other")
            case Verdict.INCONSISTENT:
                return found(StepVerdict.NOT_CHECKABLE, "it is not defined where its premises hold")
        is_exact = all(each.exact for each in (encoded, *known)) and len(known) == len(question.premises)
        identity = self._identity(question) if result.verdict is Verdict.UNKNOWN or not is_exact else None
        if identity is not None:
            return identity
        if result.verdict is Verdict.UNKNOWN:
            return found(StepVerdict.UNKNOWN, f"the solvers gave up: {result.reason}")
        differs = self._rewritten(question, encoded)
        if differs is not None:
            return _ReadingOutcome(StepVerdict.REFUTED, differs, "rewriting")
        unread = [step for step in question.parents if self.read.readings[step].reason is not None]
        if unread:
            reason = f"it rests on step {self.read.steps[unread[0]].id}, which was not read"
            return _ReadingOutcome(StepVerdict.NOT_CHECKABLE, reason)
        if not is_exact:
            return _ReadingOutcome(
                StepVerdict.UNKNOWN, "it has functions that solvers know too little of", "solver"
            )
        model = list((result.evidence.could_be_false or {}).items())[:_MOST_VALUES]
        where = ", ".join(f"{name} = {value}" for name, value in model)
        return found(
            StepVerdict.NOT_ENTAILED,
            "its premises do not entail it" + (f": it is false where {where}" if where else ""),
        )

    def _encoded(self, premises: Iterable[Premise]) -> list[tuple[Premise, Encoded]]:
        """The premises that the IR has words for: with fewer premises less is proved, and nothing wrong."""
        found = []
        for each in premises:
            try:
                found.append((each, self.theory.encoder.statement(each.term)))
            except Unreadable:
                continue
        return found

    def _is_inconsistent(self, known: Sequence[Encoded], sure: tuple[Verdict, ...] = ()) -> bool:
        nothing = Encoded(self.theory.encoder.pool.true)
        return self.theory.ask(known, nothing, sure=sure).verdict is Verdict.INCONSISTENT

    # --- whether a refutation means what it says ([STEP-UNAMBIGUOUS]) ---

    def _is_fully_read(self, at: int) -> bool:
        """No word was passed over in a step, and its variables are real numbers."""
        context = self.read.context
        return context.is_usual and context.is_real and not self.read.readings[at].skipped

    def _is_unambiguous(self, question: _Question, claim: Encoded) -> bool:
        """A refutation and all that it rests on can be read in one way only."""
        at, parents = question.at, question.parents
        return (
            self._is_fully_read(at)
            and claim.unambiguous
            and self._is_of_the_same(at, question.claim, parents)
            and not self.premises.is_measured_apart(at, parents)
            and all(each.unambiguous and self._is_clear(premise) for premise, each in question.known)
        )

    def _is_clear(self, premise: Premise) -> bool:
        reading = self.read.readings[premise.step]
        return not reading.skipped and not (reading.shifts and quantities(premise.term))

    def _is_of_the_same(self, at: int, claim: Term, parents: Sequence[int]) -> bool:
        """The claim and its premises have the same subject: nothing was done to it in between."""
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
        clear = all(subjects(self.premises.claims(each), self.read.readings[each]) for each in parents)
        return clear and not self.read.operates(at)

    def _may_be_another(self, value: Term, claim: Term, at: int) -> bool:
        """A value without a subject may be that of something else: a variable, a mere expression."""
        if isinstance(value, Variable) or not isinstance(value, Op):
            return isinstance(value, Variable)
        sides = [side for part in conjuncts(claim) if isinstance(part, Op) for side in part.args]
        own = any(isinstance(side, Variable) and side in named_in([value]) for side in sides)
        return own or (is_closed(value) and not _WORD.search(self.read.steps[at].node))

    def _assuming(self, known: Sequence[Encoded], claim: Encoded) -> tuple[str, ...]:
        """The conditions of a claim's being defined that its premises do not entail."""
        asked = (
            (self.theory.ask(known, Encoded(side, lemmas=claim.lemmas), sure=(Verdict.ENTAILED,)), text)
            for side, text in claim.sides.items()
        )
        return tuple(text for result, text in asked if result.verdict is not Verdict.ENTAILED)

    # --- SymPy ---

    def _identity(self, question: _Question) -> _ReadingOutcome | None:
        """A proof by SymPy: both sides, or this and a premise's value of the same, are one expression."""
        identical = all(self._is_identity(part, question.parents) for part in conjuncts(question.claim))
        return _ReadingOutcome(StepVerdict.PROVED, "", "sympy") if identical else None

    def _is_identity(self, claim: Term, parents: Sequence[int]) -> bool:
        if not is_op(claim, "=") or self.budget.is_over or ZERO_TO_ZERO in parts(claim):
            return False
        left, right = claim.args
        lefts = [left]
        for each in (term for parent in parents for term in self.premises.claims(parent)):
            if is_op(each, "=") and same_terms(each.args[0], left):
                lefts.append(each.args[1])
        context = self.read.context
        if any(is_polynomial_identity(each, right) for each in lefts):
            return True
        integers = self.read.integers
        return any(self.identities.hold(each, right, integers, context, self.budget) for each in lefts)

    # --- what is wrong ---

    def _rewritten(self, question: _Question, encoded: Encoded) -> str | None:
        """Why a step that writes an expression in another way is wrong ([STEP-REWRITING])."""
        at, claim, parents = question.at, question.claim, question.parents
        reading, read = self.read.readings[at], self.read
        if not (self._is_fully_read(at) and read.is_rewriting(at) and read.is_read_before(at)):
            return None
        old, new = self.premises.rewritten(reading, claim, parents)
        if old is None or new is None or free_names(new) & read.constrained:
            return None
        if not reading.claims and not self._is_of_the_same(at, claim, parents):
            return None
        differs = difference(old, new)
        everything = self._encoded(self.premises.before(at)) if differs else []
        if any(not each.unambiguous or read.readings[premise.step].skipped for premise, each in everything):
            return None
        # Where all that was said before entails the claim, it is no rewriting, or a right one.
        if differs is None or not encoded.unambiguous:
            return None
        result = self.theory.ask([each for _, each in everything], encoded)
        return differs if result.verdict is Verdict.UNDETERMINED else None

    def _missing(self, at: int, reading: Reading, parents: Sequence[int]) -> int | None:
        """The id of the latest earlier step with which the step would follow; None where there is none."""
        others = [each for each in range(at - 1, -1, -1) if each not in parents][:_MOST_TRIED]
        for other in others:
            if not self.budget.question_ms():
                return None
            if self._follows_with(at, reading, [*parents, other]):
                return self.read.steps[other].id
        return None

    def _follows_with(self, at: int, reading: Reading, parents: Sequence[int]) -> bool:
        more = self.read.readings[parents[-1]]
        if not (self.premises.claims(parents[-1]) or more.schema or more.values):
            return False
        for claims in self._candidates(reading, parents):
            try:
                question, _ = self._question(at, claims, parents)
                if question is None:
                    continue
                encoded = self.theory.encoder.statement(question.claim)
            except Unreadable:
                continue
            known = [each for _, each in self._encoded(question.premises)]
            if self.theory.ask(known, encoded).verdict is Verdict.ENTAILED:
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
        if not self.budget.question_ms():
            return False
        premises = [Premise(at, term) for at in given for term in self.premises.claims(at)]
        apart = any(self.premises.is_measured_apart(at, given) for at in given)
        if apart or not self.premises.are_comparable(premises):
            return False
        known = self._encoded(premises)
        clear = (
            each.unambiguous and self._is_fully_read(premise.step) and self._is_clear(premise)
            for premise, each in known
        )
        told = [each for _, each in known]
        return bool(known) and all(clear) and self._is_inconsistent(told, (Verdict.INCONSISTENT,))


def _is_told(question: _Question) -> bool:
    """Whether premises say each part of a claim, or an equation that it is a multiple of."""
    told = {part for premise in question.premises for part in conjuncts(premise.term)}
    return all(
        part in told or any(is_multiple(part, each) for each in told) for part in conjuncts(question.claim)
    )


def _introduced(claim: Term, seen: frozenset[Term]) -> Term | None:
    """The variable or quantity that an equation gives a first value; None where it does not."""
    if is_op(claim, "="):
        for one, other in (claim.args, claim.args[::-1]):
            if isinstance(one, Variable | Quantity) and one not in seen and one not in named_in([other]):
                return one
    return None
