"""Tests made from a policy: cases at boundaries of its rules and for each condition ([POLICY-SUGGEST])."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from operator import itemgetter
from typing import Any, Final, Literal, NamedTuple

from potlang.ir import operators as op
from potlang.ir.nodes import App, Node, Symbol, SymbolKind, symbols_in
from potlang.ir.sorts import BOOL
from potlang.ir.substitute import rebuild, substitute
from potlang.languages.pot.citations import quotations
from potlang.languages.pot.program import Program
from potlang.linter.linted import literal
from potlang.policy.boundaries import boundaries, is_comparison, strengthened
from potlang.policy.case_facts import CaseWriter, FactFinder, KnownFact
from potlang.policy.case_search import (
    CaseInquiry,
    CaseQuestion,
    CaseSearch,
    CaseWay,
    Individuals,
    individuals_for,
    require_consistent,
)
from potlang.policy.left_to_cases import over_all_cases
from potlang.policy.rule_parts import RulePart, atoms, contrapositives, declared, parts_of, stronger
from potlang.policy.tests import PolicyError, PolicyTest, run_tests
from potlang.processes.pool import Workers
from potlang.report.results import Limits, Quotation, Verdict

SuggestionKind = Literal["boundary", "condition", "conclusion"]
BUDGET_MS: Final = 60_000
"""The usual time for the search of the cases of one rule."""
MOST_CONDITIONS: Final = 24
"""Conditions of a part that have tests ([LIMIT-POLICY-SUGGEST])."""
_MOST_TURNED: Final = 6
_MOST_OTHERS: Final = 12
"""Other predicates that a case says something of, which the rule does not mention."""
_ANSWERS: Final = (Verdict.ENTAILED, Verdict.REFUTED, Verdict.UNDETERMINED)
_ALSO: Final = "; "
_Models = dict[CaseWay, Mapping[Node, bool] | None]


class SuggestedTest(NamedTuple):
    """A test and its verdict now, of the rule at `pointer`; `shows` says what it is a test of.

    `quotes` are the sentences of the policy's document that the rule cites.
    """

    test: PolicyTest
    rule: str
    pointer: str
    kind: SuggestionKind
    shows: str
    quotes: tuple[Quotation, ...] = ()


class Suggestions(NamedTuple):
    """The tests, and what of the rules has none: pairs of a rule's name and what no case shows.

    `unsettled` are those for which there is a case, and no verdict on it within the limits.
    """

    tests: tuple[SuggestedTest, ...]
    unshown: tuple[tuple[str, str], ...]
    unsettled: tuple[tuple[str, str], ...] = ()


class _Target(NamedTuple):
    """The aim of a test: `shows` has a place for the text of `about`. `ways` are tried in order."""

    kind: SuggestionKind
    shows: str
    about: Node | None
    claim: Node
    ways: tuple[CaseWay, ...]
    others: bool | None = None
    """A statement on all else that might be said instead, as far as it may be: that it is not so, or is."""
    is_needed: bool = True
    """Whether it is worth telling that there is no such case."""
    otherwise: tuple[CaseWay, ...] = ()
    """The goal where there is none: a case that does not show it, and is near."""


class _Draft(NamedTuple):
    """A test without its verdict."""

    part: RulePart
    kind: SuggestionKind
    shows: str
    claim: str
    case: dict[str, Any] | None
    is_decisive: bool
    """Whether the verdict is that of this rule alone."""


def suggest(
    program: Program,
    *,
    rules: Collection[str] = (),
    limits: Limits = Limits(),
    budget_ms: int = BUDGET_MS,
    workers: Workers | None = None,
) -> Suggestions:
    """Tests for the rules, facts and definitions of a policy, with the verdicts that they have now.

    `rules` are the names of those that are wanted, if not all are. `budget_ms` are milliseconds for the
    search of one rule; `limits` those of the verdicts. Raises PolicyError for a policy that contradicts
    itself, and for a rule that there is not.
    """
    unknown = {*rules} - {each.name for each in parts_of(program.module.typed or program.module)}
    for name in sorted(unknown):
        raise PolicyError(f"no rule is named {name[:100]!r}")
    require_consistent(program, limits)
    drafts: list[_Draft] = []
    unshown: list[tuple[str, str]] = []
    for _, part, found, missing in sorted(
        _searched(over_all_cases(program), rules, budget_ms, workers), key=itemgetter(0)
    ):
        drafts += (each._replace(part=part) for each in found)
        unshown += ((part.name, each) for each in missing)
    tests: list[SuggestedTest] = []
    unsettled: list[tuple[str, str]] = []
    for each in _decided(program, drafts, limits):
        if each.test.expected in _ANSWERS:
            tests.append(each)
        elif each.test.expected is Verdict.UNKNOWN:
            unsettled.append((each.rule, each.shows))
        else:
            unshown.append((each.rule, f"{each.shows} (the verdict is {each.test.expected})"))
    return Suggestions(tuple(tests), tuple(dict.fromkeys(unshown)), tuple(dict.fromkeys(unsettled)))


def _drafts(search: CaseSearch, part: RulePart) -> tuple[list[_Draft], list[str]]:
    """The tests of a part, and what no case was found for.

    Where it decides no case by itself, the first of its contrapositives that does has tests besides.
    """
    found, missing = _PartTests(search, part).drafts()
    if part.key and not part.open and not any(each.is_decisive for each in found):
        for other in islice(contrapositives(search.module.pool, part), _MOST_TURNED):
            more, _ = _PartTests(search, other).drafts()
            if any(each.is_decisive for each in more):
                return [*found, *more], missing
    return found, missing


def _searched(
    program: Program, rules: Collection[str], budget_ms: int, workers: Workers | None
) -> Iterator[tuple[int, RulePart, list[_Draft], list[str]]]:
    """The tests of each part of the policy's rules, with its number; parts about the same things together."""
    parts = parts_of(program.module.typed or program.module)
    by_things: dict[Individuals, list[int]] = {}
    for number, part in enumerate(parts):
        if rules and part.name not in rules:
            continue
        by_things.setdefault(individuals_for(program, part.binders), []).append(number)
    for individuals, numbers in by_things.items():
        with CaseSearch(program, individuals, budget_ms, workers) as search:
            for number in numbers:
                yield number, parts[number], *_drafts(search, search.parts[number])


def _decided(program: Program, drafts: Sequence[_Draft], limits: Limits) -> Iterator[SuggestedTest]:
    """The drafts with their verdicts, in the policy's order; the same test once."""
    once: dict[str, _Draft] = {}
    for each in drafts:
        key = PolicyTest(each.claim, Verdict.UNKNOWN, case=each.case).key
        known = once.setdefault(key, each)
        if known.part is each.part and each.shows not in known.shows.split(_ALSO):
            once[key] = known._replace(shows=f"{known.shows}{_ALSO}{each.shows}")
    tests = [
        PolicyTest(each.claim, Verdict.UNKNOWN, f"{each.part.name}: {each.shows}", each.case)
        for each in once.values()
    ]
    for draft, result in zip(once.values(), run_tests(program, tests, limits), strict=True):
        test = result.test._replace(expected=result.verdict)
        pointer = draft.part.origin.pointer
        quotes = quotations(program.tree, pointer)
        yield SuggestedTest(test, draft.part.name, pointer, draft.kind, draft.shows, quotes)


class _PartTests:
    """The tests of one part of a rule."""

    def __init__(self, search: CaseSearch, part: RulePart) -> None:
        self._search = search
        self._pool = search.module.pool
        self._part = part
        self._things = search.things([var.sort for var in part.binders])
        self._writer = CaseWriter(search, self._things)
        replaced: dict[Node, Node] = dict(zip(part.binders, self._things, strict=True))
        self._condition = substitute(self._pool, part.condition, replaced)
        self._conclusion = substitute(self._pool, part.conclusion, replaced)
        self._atoms = atoms(self._condition)
        self._lowered = {atom: search.lowered(atom) for atom in self._atoms}
        self._finder = FactFinder(search, self._things, self._atoms, atoms(self._conclusion))

    def drafts(self) -> tuple[list[_Draft], list[str]]:
        """The tests, and what no case was found for."""
        targets = list(self._targets())
        questions = [way.question for target in targets for way in (*target.ways, *target.otherwise)]
        formulas = [node for question in questions for node in (*question.true, *question.false)]
        formulas += [*self._finder.formulas, *self._others]
        found: list[_Draft] = []
        beyond = len(self._atoms) - MOST_CONDITIONS
        missing = [f"{beyond} conditions more than {MOST_CONDITIONS}"] if beyond > 0 else []
        with self._search.asking(formulas, without=(self._part.key,)) as inquiry:
            models = _first_models(inquiry, targets)
            for target in targets:
                draft = self._draft(inquiry, target, target.ways, models)
                if draft is None and target.is_needed:
                    missing.append(self._shown(target, {}))
                draft = draft or self._draft(inquiry, target, target.otherwise, models)
                found += [] if draft is None else [draft]
        return found, missing

    # --- what is to be shown ---

    def _targets(self) -> Iterator[_Target]:
        if not self._part.open:
            yield from self._of_condition()
            yield from self._of_conclusion()
        elif not self._finder.values:
            yield self._conclusion_target(
                "said of nothing in particular", self._found(false=self._conclusion)
            )

    def _of_condition(self) -> Iterator[_Target]:
        """That each condition matters, and where it begins to."""
        if not self._atoms:
            yield self._target("conclusion", "what it says", None, self._applied(()))
        for atom in self._atoms[:MOST_CONDITIONS]:
            alone = self._decides(atom)
            if is_comparison(self._lowered[atom]):
                for each in boundaries(self._pool, self._lowered[atom]):
                    ways = self._either((*alone, each.formula))
                    yield self._target("boundary", f"{{}}: {each.text}", atom, ways)
                continue
            for said, shows in ((atom, "with {}"), (self._pool.negate(atom), "without {}")):
                ways = self._either((*alone, said), applies_first=said is atom)
                target = self._target("condition", shows, atom, ways)
                yield target._replace(otherwise=(CaseWay(CaseQuestion((said,)), True),) if alone else ())

    def _of_conclusion(self) -> Iterator[_Target]:
        """That the rule says no more than its conclusion, and does not say it of more."""
        said = self._conclusion
        for claim in (*strengthened(self._pool, said), *stronger(self._pool, said)):
            target = self._conclusion_target("no more than it says: not {}", self._found(false=claim))
            yield target._replace(about=claim, claim=claim)
        lowered = self._search.lowered(literal(said)[0])
        if is_comparison(lowered) and isinstance(lowered, App) and lowered.op in (op.LT, op.LE):
            for each in boundaries(self._pool, lowered):
                target = self._conclusion_target(f"{{}}: {each.text}", self._found(each.formula))
                yield target._replace(about=said)
        if self._others:
            target = self._conclusion_target("nothing else is so", self._applied(()))
            yield target._replace(others=False)
        if self._others and self._atoms:
            questions = CaseQuestion((), (self._condition, said)), CaseQuestion((), (self._condition,))
            ways = [CaseWay(each, True) for each in questions]
            yield self._conclusion_target("all else is so", ways)._replace(others=True)

    def _target(
        self, kind: SuggestionKind, shows: str, about: Node | None, ways: Sequence[CaseWay]
    ) -> _Target:
        return _Target(kind, shows, about, self._conclusion, tuple(ways))

    def _conclusion_target(self, shows: str, ways: Sequence[CaseWay]) -> _Target:
        return self._target("conclusion", shows, None, ways)._replace(is_needed=False)

    def _found(self, *true: Node, false: Node | None = None) -> list[CaseWay]:
        """Cases with the condition in which something else is true or false."""
        question = CaseQuestion((self._condition, *true), () if false is None else (false,))
        return [CaseWay(question, True)]

    def _decides(self, atom: Node) -> tuple[Node, ...]:
        """That an atom by itself decides the condition: that differs with the atom true and false."""
        if atom is literal(self._condition)[0]:
            return ()
        sides = [self._with(atom, value) for value in (True, False)]
        return (self._pool.negate(self._pool.eq(*sides)),)

    def _with(self, atom: Node, value: bool) -> Node:
        truth = self._pool.truth(value)
        return rebuild(self._pool, [self._condition], lambda node: truth if node is atom else node)[0]

    def _applied(self, given: tuple[Node, ...]) -> list[CaseWay]:
        """Cases in which the condition holds; first one in which no other rule says the same."""
        given = (*given, self._condition)
        decisive = [CaseWay(CaseQuestion(given, (self._conclusion,)), False)] if self._part.key else []
        return [*decisive, CaseWay(CaseQuestion(given), True)]

    def _either(self, given: tuple[Node, ...], *, applies_first: bool = True) -> list[CaseWay]:
        """Cases in which the condition holds or does not; those first in which the rule alone decides."""
        *decisive, applied = self._applied(given)
        condition, conclusion = self._condition, self._conclusion
        fails = [CaseWay(CaseQuestion(given, (condition, conclusion)), True)]
        if self._part.both_ways and self._part.key:
            fails.insert(0, CaseWay(CaseQuestion((*given, conclusion), (condition,)), False))
        first, second = (decisive, fails) if applies_first else (fails, decisive)
        return [*first, *second, applied, CaseWay(CaseQuestion(given, (condition,)), True)]

    @cached_property
    def _others(self) -> list[Node]:
        """Statements in the place of the rule's own: other predicates of the same things."""
        said = [*atoms(self._conclusion), *self._atoms]
        heads = [head for each in said if (head := declared(each)) is each and head.sort is BOOL]
        near = self._near
        found: dict[Node, None] = {}
        for head in heads:
            symbol = head.op if isinstance(head, App) else head.symbol
            assert isinstance(symbol, Symbol)
            alike = (each for each in near if (each.domain, each.range) == (symbol.domain, BOOL))
            found |= dict.fromkeys(
                self._pool.app(each, head.args) if isinstance(head, App) else self._pool.sym(each)
                for each in alike
            )
        others = [each for each in found if each not in said][:_MOST_OTHERS]
        # Facts before conclusions: what these need to be so stands in the case then.
        return sorted(others, key=lambda each: not self._concluded.isdisjoint(symbols_in(each)))

    @cached_property
    def _concluded(self) -> set[Symbol]:
        return {symbol for part in self._search.parts for symbol in symbols_in(part.conclusion)}

    @property
    def _near(self) -> list[Symbol]:
        """The program's functions, those first that share a rule with what this one says."""
        own = set(symbols_in(self._conclusion))
        found: dict[Symbol, None] = {}
        for symbols in self._search.words:
            if not own.isdisjoint(symbols):
                found |= dict.fromkeys(symbols)
        kinds = (SymbolKind.FUNCTION, SymbolKind.CONSTANT)
        return [each for each in (*found, *self._search.module.symbols) if each.kind in kinds]

    # --- the case ---

    def _draft(
        self, inquiry: CaseInquiry, target: _Target, ways: Sequence[CaseWay], models: _Models
    ) -> _Draft | None:
        for way in ways:
            truths = models[way]
            facts = [] if truths is None else self._facts(inquiry, target, way, truths)
            values = self._writer.values_of(facts)
            is_told = truths is not None and len(values) == len(self._finder.values)
            if is_told and (way.with_rule or self._is_possible(inquiry, facts)):
                claim = self._writer.claim(literal(target.claim)[0], values)
                case, is_decisive = self._writer.case(facts), not way.with_rule
                shows = self._shown(target, values)
                return _Draft(self._part, target.kind, shows, claim, case, is_decisive)
        return None

    def _shown(self, target: _Target, values: dict[Node, Node]) -> str:
        return target.shows.format("" if target.about is None else self._writer.claim(target.about, values))

    def _is_possible(self, inquiry: CaseInquiry, facts: Sequence[KnownFact]) -> bool:
        """Whether the rule, which was left out, allows the case."""
        true = tuple(each.formula(self._pool) for each in facts if not each.is_denial)
        false = tuple(each.term for each in facts if each.is_denial)
        return inquiry.ask([CaseQuestion(true, false)])[0].status == "sat"

    def _facts(
        self, inquiry: CaseInquiry, target: _Target, way: CaseWay, truths: Mapping[Node, bool]
    ) -> list[KnownFact]:
        is_limit = target.kind == "conclusion" and target.about is self._conclusion
        facts, question = self._finder.facts(inquiry, way, truths, more=is_limit)
        if target.others is not None:
            facts += self._filled(inquiry, way.with_rule, question, target.others)
        return facts

    def _filled(
        self, inquiry: CaseInquiry, with_rule: bool, question: CaseQuestion, value: bool
    ) -> Iterator[KnownFact]:
        """That all else is so, or is not, but for what cannot be."""
        for other in self._others:
            true, false = question
            tried = CaseQuestion((*true, other), false) if value else CaseQuestion(true, (*false, other))
            if inquiry.ask([tried], with_rule=with_rule)[0].status == "sat":
                question = tried
                yield KnownFact(other, self._pool.truth(value))


def _first_models(inquiry: CaseInquiry, targets: Sequence[_Target]) -> _Models:
    """For each way what is true in a model, None if there is none; all are asked for at once."""
    found: _Models = {}
    for with_rule in (True, False):
        ways = dict.fromkeys(
            way for each in targets for way in (*each.ways, *each.otherwise) if way.with_rule is with_rule
        )
        questions = [way.question for way in ways]
        answers = inquiry.ask(questions, with_rule=with_rule, watching=True)
        for way, answer in zip(ways, answers, strict=True):
            found[way] = answer.truths if answer.status == "sat" else None
    return found
