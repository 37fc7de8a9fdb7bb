"""Questions to a policy about a case: verdicts, what would change them, what is missing ([POLICY-ASK])."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import zip_longest
from typing import Any, Final, NamedTuple

from potlang.diag import Label, Place, Severity, Sink
from potlang.expressions.names import name_of, names_within, written
from potlang.ir.sorts import BOOL, BoolSort, EnumSort, IntSort, MeasureSort, RealSort
from potlang.languages.pot.claims import Claim, verify_claims
from potlang.languages.pot.program import CompileError, Program
from potlang.languages.pot.report import Report
from potlang.languages.pot.solve import verify
from potlang.policy.cases import Case, CaseFact, declared_range
from potlang.policy.placing import case_places, report_with_places
from potlang.policy.rule_parts import concluded_names
from potlang.policy.tests import own_claims
from potlang.prove.options import Trust
from potlang.report.base import to_plain
from potlang.report.results import CoreItem, Limits, Model, OptimizationStatus, Result, ResultWords, Verdict
from potlang.words.speaker import Speaker

_MOST_CHANGED: Final = 8
"""Facts of a case of which is asked whether another value changes the answer ([LIMIT-POLICY-ASK])."""
_MOST_MISSING: Final = 4
_MOST_VALUES: Final = 8
_PLAIN: Final = (BoolSort, IntSort, RealSort, EnumSort, MeasureSort)
_SEARCH_MS: Final = 2_000
"""Of one search for another value."""
_OPPOSITE: Final = {Verdict.ENTAILED: Verdict.REFUTED, Verdict.REFUTED: Verdict.ENTAILED}


class CaseChange(NamedTuple):
    """Another value of one fact of a case, and the verdict that the claim has then.

    The value is the nearest one of a number; `case` is the whole case with it, `words` say the fact then.
    """

    claim: str
    fact: str
    old: Any
    new: Any
    verdict: Verdict
    case: dict[str, Any]
    words: str = ""


class MissingFact(NamedTuple):
    """A term whose value is not known, with the verdict on the claim for each value that it may have.

    `verdicts` is empty for terms with too many values; `words` ask for the value.
    """

    claim: str
    term: str
    verdicts: dict[str, Verdict]
    words: str = ""


class SufficientFacts(NamedTuple):
    """Facts with which an undetermined claim has a verdict, none of them too many; `words` say them."""

    claim: str
    verdict: Verdict
    facts: tuple[str, ...]
    words: tuple[str, ...] = ()


class PolicyAnswer(NamedTuple):
    """The report on the claims, with sentences; what changes its verdicts, and what is missing to decide.

    `explained` is False if the time was over before all of these were looked for.
    """

    report: Report
    changes: tuple[CaseChange, ...] = ()
    missing: tuple[MissingFact, ...] = ()
    sufficient: tuple[SufficientFacts, ...] = ()
    explained: bool = True

    def to_dict(self) -> dict[str, Any]:
        """As JSON values: the report, with `changes`, `missing`, `sufficient` and `explained`."""
        return {
            **self.report.to_dict(),
            "changes": to_plain(self.changes),
            "missing": to_plain(self.missing),
            "sufficient": to_plain(self.sufficient),
            "explained": self.explained,
        }


def ask(
    program: Program,
    claims: Sequence[Claim] = (),
    case: Case | dict[str, Any] | None = None,
    *,
    limits: Limits = Limits(),
    trust: Trust = "best",
    explain: bool = True,
) -> PolicyAnswer:
    """The verdicts of claims against a policy in a case; without claims those that the policy verifies.

    With `explain` also which other value of one fact of the case changes a verdict, and which facts are
    missing to decide. A claim that is no formula is `rejected`, with its diagnostic. Raises CompileError for
    a case that does not fit the policy or contradicts it: then nothing is decided.
    """
    began = time.perf_counter()
    known = Case.of(case or {})
    applied, places = known.applied_with_places(program)
    asked = list(claims) or [claim for _, claim in own_claims(program)]
    report = _asking_for_facts(program, verify_claims(applied, asked, limits, trust))
    answer = PolicyAnswer(_in_words(applied, report, asked, places))
    _refuse_contradiction(report, answer.report, known, places, applied)
    if explain:
        left = limits.total_ms - 1000 * (time.perf_counter() - began)
        search = _Search(program, applied, known, places, limits._replace(total_ms=max(1, round(left))))
        answer = answer._replace(
            changes=tuple(search.changes(report, asked)),
            missing=tuple(search.missing(report, asked)),
            sufficient=tuple(search.sufficient(report, asked)),
            explained=not search.is_cut,
        )
    return answer if claims else answer._replace(report=_of_verifications(answer.report, program))


def _of_verifications(report: Report, program: Program) -> Report:
    """The report on a policy's own verifications, placed where they stand."""
    pointers = [each.origin.pointer for each in program.module.claims]

    def pointer(of_claim: str) -> str:
        return pointers[int(of_claim.rpartition("/")[2])]

    results = tuple(each._replace(pointer=pointer(each.pointer)) for each in report.results)
    sentences = tuple(each._replace(pointer=pointer(each.pointer)) for each in report.sentences or ())
    return report._replace(results=results, sentences=sentences)


def _asking_for_facts(program: Program, report: Report) -> Report:
    """The report, in which is asked for what cases give alone: what rules conclude cannot be looked up."""
    concluded = concluded_names(program)
    results = []
    for each in report.results:
        asked = [term for term in each.evidence.to_ask or () if _head_name(term) not in concluded]
        evidence = each.evidence._replace(to_ask=tuple(asked) or None)
        results.append(each if each.evidence.to_ask is None else each._replace(evidence=evidence))
    return report._replace(results=tuple(results))


def _refuse_contradiction(
    report: Report, said: Report, case: Case, places: dict[str, CaseFact], applied: Program
) -> None:
    """Raises CompileError if what the case says cannot be so under the policy; `said` has the sentences."""
    sentences = {each.pointer: each.because for each in said.sentences or ()}
    for result in report.results:
        core = result.evidence.core or ()
        facts = [places[each.pointer] for each in core if each.pointer in places]
        if result.verdict is not Verdict.INCONSISTENT or not facts:
            continue
        sink = Sink(case.document)
        words = zip_longest(core, sentences.get(result.pointer, ()))
        rules = [text or item.text for item, text in words if item is not None and item.pointer not in places]
        primary, *others = [_label(applied, each) for each in facts]
        sink.report(
            "POT4003",
            facts[0].pointer,
            primary=primary,
            labels=[Label(Place(each.pointer), text) for each, text in zip(facts[1:], others, strict=True)],
            notes=[f"by {each}" for each in rules],
            helps=["correct the case: from a contradiction every claim follows"],
            severity=Severity.ERROR,
        )
        raise CompileError(sink.diagnostics(), case.document)


def _label(program: Program, fact: CaseFact) -> str:
    with suppress(ValueError):
        return program.say(fact.text).removesuffix(".")
    return f"`{fact.text}`"


def _in_words(
    program: Program, report: Report, claims: Sequence[Claim], places: dict[str, CaseFact]
) -> Report:
    """The report with sentences, and facts of the case placed there."""
    said = program.worded(report)
    sentences = tuple(_with_claim(program, each, claims) for each in said.sentences or ())
    return report_with_places(said._replace(sentences=sentences), case_places(places))


def _with_claim(program: Program, words: ResultWords, claims: Sequence[Claim]) -> ResultWords:
    if words.claim is not None or words.name not in claims:
        return words
    with suppress(ValueError):
        return words._replace(claim=program.say(words.name))
    return words


class _Search:
    """Searches for facts that would change verdicts, each confirmed by asking again."""

    def __init__(
        self, program: Program, applied: Program, case: Case, places: dict[str, CaseFact], limits: Limits
    ) -> None:
        self._program = program
        self._applied = applied
        self._case = case
        self._places = places
        self._limits = limits
        self._began = time.perf_counter()
        self._concluded = concluded_names(program)
        self.is_cut = False
        """Whether something was not looked for since the time was over."""

    def _is_over(self) -> bool:
        """Whether there is no time to look for more, of which a note is kept."""
        if 1000 * (time.perf_counter() - self._began) < self._limits.total_ms:
            return False
        self.is_cut = True
        return True

    def changes(self, report: Report, claims: Sequence[Claim]) -> Iterator[CaseChange]:
        """For each settled claim the facts of its core that another value of which changes the verdict."""
        for result, claim in _with_claims(report, claims):
            if result.verdict not in _OPPOSITE or not isinstance(claim, str):
                continue
            facts = [self._places[each.pointer] for each in _core(result) if each.pointer in self._places]
            for fact in [each for each in facts if each.term][:_MOST_CHANGED]:
                if self._is_over():
                    return
                found = self._change(claim, result.verdict, fact)
                if found is not None:
                    yield found

    def missing(self, report: Report, claims: Sequence[Claim]) -> Iterator[MissingFact]:
        """For each undetermined claim the terms that would help to know."""
        for result, claim in _with_claims(report, claims):
            if result.verdict is Verdict.UNDETERMINED and isinstance(claim, str):
                for term in (result.evidence.to_ask or ())[:_MOST_MISSING]:
                    if self._is_over():
                        return
                    verdicts = self._verdicts(claim, term)
                    if not verdicts or set(verdicts.values()) != {Verdict.UNDETERMINED}:
                        yield MissingFact(claim, term, verdicts, self._question(term))

    def sufficient(self, report: Report, claims: Sequence[Claim]) -> Iterator[SufficientFacts]:
        """For each undetermined claim facts by which it is entailed, and facts by which it is refuted."""
        for result, claim in _with_claims(report, claims):
            if result.verdict is not Verdict.UNDETERMINED or not isinstance(claim, str):
                continue
            if self._is_over():
                return
            with self._applied.session(models="full", limits=self._left()) as session:
                evidence = session.verify(claim).results[0].evidence
            sides = (evidence.could_be_true, Verdict.ENTAILED), (evidence.could_be_false, Verdict.REFUTED)
            for model, verdict in sides:
                facts = self._enough(claim, verdict, model or {})
                if facts:
                    yield SufficientFacts(claim, verdict, facts, tuple(map(self._clause, facts)))

    def _enough(self, claim: str, verdict: Verdict, model: Model) -> tuple[str, ...]:
        """The facts of a model, on what cases say, that a verdict needs; none if it needs others too."""
        left_out = {*names_within(claim), *self._concluded}
        known = {each.term for each in self._places.values()}
        given = [term for term in model if term not in known and _head_name(term) not in left_out]
        facts = [fact for term in given if (fact := self._fact(term, model[term]))]
        try:
            more, places = self._case.assuming(*facts).applied_with_places(self._program)
        except CompileError:
            return ()
        report = verify_claims(more, [claim], self._left())
        if report.verdict is not verdict:
            return ()
        core = [places[each.pointer].text for each in _core(report.results[0]) if each.pointer in places]
        return tuple(each for each in core if each in facts)

    def _fact(self, term: str, value: str) -> str | None:
        """The fact that a term has a value of a model; None where a case has no such value."""
        sort = declared_range(self._applied, _head_name(term))
        if sort == BOOL:
            return term if value == "True" else f"not {term}"
        return f"{term} == {value}" if isinstance(sort, _PLAIN) else None

    @cached_property
    def _speaker(self) -> Speaker:
        return Speaker(self._applied.extension, self._applied.tree)

    def _clause(self, fact: str) -> str:
        with suppress(ValueError):
            return self._speaker.clause(fact)
        return fact

    def _question(self, term: str) -> str:
        is_formula = declared_range(self._applied, _head_name(term)) == BOOL
        with suppress(ValueError):
            return self._speaker.question(term, is_formula=is_formula)
        return term

    def _verdicts(self, claim: str, term: str) -> dict[str, Verdict]:
        """The verdict on a claim for each value of a term, without those that cannot be."""
        found: dict[str, Verdict] = {}
        for value, fact in self._values(term):
            report = verify_claims(self._case.assuming(fact).applied(self._program), [claim], self._left())
            if report.verdict is not Verdict.INCONSISTENT:
                found[value] = Verdict(report.verdict)
        return found

    def _values(self, term: str) -> list[tuple[str, str]]:
        """The values that a term of a small sort may have, with the fact that it has it."""
        sort = declared_range(self._applied, _head_name(term))
        if sort == BOOL:
            return [("true", term), ("false", f"not {term}")]
        if isinstance(sort, EnumSort) and len(sort.values) <= _MOST_VALUES:
            return [(value, f"{term} == {written(value)}") for value in sort.values]
        return []

    def _change(self, claim: str, verdict: Verdict, fact: CaseFact) -> CaseChange | None:
        """The nearest other value of a fact with which the claim has another verdict."""
        old = self._case.value_at(fact)
        wanted = f"not ({claim})" if verdict is Verdict.ENTAILED else claim
        for value in self._others(fact, old, wanted):
            if self._is_over():
                break
            new = self._case.with_value(fact, value)
            after = self._asked(new, claim)
            if (after in _OPPOSITE.values() and after is not verdict) or after is Verdict.UNDETERMINED:
                facts = new.content(self._program).facts
                text = next(each.text for each in facts if each.term == fact.term)
                return CaseChange(claim, fact.name, old, value, after, new.value, self._clause(text))
        return None

    def _others(self, fact: CaseFact, old: Any, wanted: str) -> list[Any]:
        """Other values of a fact that may do."""
        if isinstance(old, bool):
            return [not old]
        sort = declared_range(self._applied, _head_name(fact.term))
        if isinstance(sort, EnumSort):
            return [each for each in sort.values if each != old][:_MOST_VALUES]
        try:
            program = self._case.seeking(self._program, fact, wanted)
        except CompileError:
            return []
        left = self._left()
        best = verify(
            program, trust="solver", limits=left._replace(total_ms=min(left.total_ms, _SEARCH_MS))
        ).optimization
        if best is None or best.status is not OptimizationStatus.OPTIMAL or best.model is None:
            return []
        found = best.model.get(fact.term)
        return [] if found is None else [_json_value(found)]

    def _asked(self, case: Case, claim: str) -> Verdict:
        try:
            applied = case.applied(self._program)
        except CompileError:
            # A value that only a model has a name for.
            return Verdict.REJECTED
        return Verdict(verify_claims(applied, [claim], self._left()).verdict)

    def _left(self) -> Limits:
        spent = 1000 * (time.perf_counter() - self._began)
        return self._limits._replace(total_ms=max(1, round(self._limits.total_ms - spent)))


def _head_name(term: str) -> str:
    """The name of the function or constant of a term."""
    return name_of(term.partition("(")[0])


def _json_value(text: str) -> int | Decimal | str:
    """The JSON value for a value of a model: a number where JSON has it, else its text."""
    try:
        number = Fraction(text)
        exact = Decimal(number.numerator) / number.denominator
    except ValueError:
        return text
    if number.denominator == 1:
        return number.numerator
    return exact if Fraction(exact) == number else text


def _with_claims(report: Report, claims: Sequence[Claim]) -> Iterator[tuple[Result, Claim]]:
    """The results of claims that are not questions with options, each with its claim."""
    for result in report.results:
        if result.question is None:
            yield result, claims[int(result.pointer.rpartition("/")[2])]


def _core(result: Result) -> Sequence[CoreItem]:
    return result.evidence.core or ()
