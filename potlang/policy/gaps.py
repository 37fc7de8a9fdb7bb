"""Gaps and overlaps of the rules that conclude about one predicate or function ([POLICY-GAP])."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any, Final, Literal, NamedTuple

from potlang.ir.nodes import App, Node, Sym, Symbol, Var, free_variables
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, EnumSort
from potlang.ir.substitute import rebuild, substitute
from potlang.languages.pot.program import Program
from potlang.policy.case_facts import CaseWriter, FactFinder, KnownFact
from potlang.policy.case_search import (
    CaseInquiry,
    CaseQuestion,
    CaseSearch,
    CaseWay,
    Individuals,
    Status,
    individuals_for,
    require_consistent,
)
from potlang.policy.left_to_cases import over_all_cases
from potlang.policy.rule_parts import RulePart, atoms, parts_of, subject
from potlang.policy.suggestions import BUDGET_MS
from potlang.processes.pool import Workers
from potlang.report.base import to_plain
from potlang.report.results import Limits, Verdict

Found = Literal["found", "absent", "unknown"]
OverlapKind = Literal["conflict", "agreement"]
_MOST_ROUNDS: Final = 64
MOST_PAIRS: Final = 500
"""Pairs of rules that are asked about ([LIMIT-POLICY-PAIRS])."""


class Gap(NamedTuple):
    """Whether there is a case in which no rule applies and the conclusion is open.

    `status`: `found` with the case, `absent` where it is proved that there is none, else `unknown`.
    """

    subject: str
    rules: tuple[str, ...]
    status: Found
    case: dict[str, Any] | None = None


class RuleOverlap(NamedTuple):
    """Whether there is a case in which two rules apply that contradict each other, or say the same."""

    kind: OverlapKind
    subject: str
    rules: tuple[str, str]
    status: Found
    case: dict[str, Any] | None = None


class RuleMap(NamedTuple):
    """Cases that rules leave open, or decide twice; `not_asked` counts pairs beyond the limit."""

    gaps: tuple[Gap, ...]
    overlaps: tuple[RuleOverlap, ...]
    not_asked: int = 0

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        found: dict[str, Any] = to_plain(self)
        return found


class _Said(NamedTuple):
    """A part over the things of a search: where it applies, and what it says there of the subject."""

    part: RulePart
    applies: Node
    says: Node


def rule_map(
    program: Program,
    *,
    limits: Limits = Limits(),
    budget_ms: int = BUDGET_MS,
    workers: Workers | None = None,
) -> RuleMap:
    """The gaps and overlaps of all predicates and functions that rules conclude about.

    What is absent is proved by the verdicts' own means within `limits`; `budget_ms` are milliseconds for the
    search of one case. Raises PolicyError for a policy that contradicts itself.
    """
    require_consistent(program, limits)
    program = over_all_cases(program)
    module = program.module.typed or program.module
    parts = parts_of(module)
    groups = _groups(parts)
    gaps: list[Gap] = []
    for symbol in groups:
        variables = tuple(module.pool.var(f"x{at}", sort) for at, sort in enumerate(symbol.domain, 1))
        with CaseSearch(program, individuals_for(program, variables), budget_ms, workers) as search:
            gaps.append(_Gaps(search, symbol).gap(limits))
    pairs = list(_pairs(parts, groups))
    overlaps = _overlaps(program, parts, pairs[:MOST_PAIRS], limits, budget_ms, workers)
    return RuleMap(tuple(gaps), tuple(overlaps), len(pairs[MOST_PAIRS:]))


def _groups(parts: Sequence[RulePart]) -> dict[Symbol, list[int]]:
    """The numbers of the parts that conclude about one function, where one of them has a condition."""
    found: dict[Symbol, list[int]] = {}
    for number, part in enumerate(parts):
        term = None if part.open else subject(part.conclusion)
        if term is not None:
            found.setdefault(_symbol(term), []).append(number)
    return {
        symbol: numbers
        for symbol, numbers in found.items()
        if any(atoms(parts[number].condition) for number in numbers)
    }


def _symbol(term: App | Sym) -> Symbol:
    symbol = term.op if isinstance(term, App) else term.symbol
    assert isinstance(symbol, Symbol)
    return symbol


def _both_ways(pool: Pool, part: RulePart) -> Iterator[RulePart]:
    """A part, and what an equivalence says where its condition does not hold."""
    yield part
    if part.both_ways:
        yield part._replace(condition=pool.negate(part.condition), conclusion=pool.negate(part.conclusion))


def _unified(pool: Pool, term: App | Sym, things: Sequence[Node]) -> tuple[dict[Node, Node], list[Node]]:
    """The meanings of the variables of a term where it is about these things, and what has to be equal."""
    replaced: dict[Node, Node] = {}
    equal: list[Node] = []
    for arg, thing in zip(term.args if isinstance(term, App) else (), things, strict=True):
        if isinstance(arg, Var) and arg not in replaced:
            replaced[arg] = thing
        else:
            equal.append(pool.eq(arg, thing))
    return replaced, equal


class _Gaps:
    """The search for a gap of the rules about one function."""

    def __init__(self, search: CaseSearch, symbol: Symbol) -> None:
        self._search = search
        self._pool = search.module.pool
        self._things = search.things(symbol.domain)
        self._said = [
            self._about(each)
            for part in search.parts
            if not part.open
            and (term := subject(part.conclusion)) is not None
            and _symbol(term).name == symbol.name
            for each in _both_ways(self._pool, part)
        ]
        self._writer = CaseWriter(search, self._things)

    def _about(self, part: RulePart) -> _Said:
        """A part where it is about the things: it applies if some others have its condition."""
        term = subject(part.conclusion)
        assert term is not None
        replaced, equal = _unified(self._pool, term, self._things)
        own = self._pool.app(_symbol(term), tuple(self._things)) if isinstance(term, App) else term
        said = rebuild(self._pool, [part.conclusion], lambda node: own if node is term else node)[0]
        condition, says, *equations = (
            substitute(self._pool, each, replaced) if replaced else each
            for each in (part.condition, said, *equal)
        )
        applies = self._pool.conj((condition, *equations))
        others = tuple(var for var in free_variables(applies, says) if var in part.binders)
        if set(others) & set(free_variables(says)):
            # What it says depends on something else: it says it of the things all the same.
            says = self._pool.true
        return _Said(part, self._pool.quant("exists", others, applies) if others else applies, says)

    def gap(self, limits: Limits) -> Gap:
        """Whether there is one, with its case."""
        rules = tuple(dict.fromkeys(each.part.name for each in self._said))
        says = next((each.says for each in self._said if each.says is not self._pool.true), None)
        if says is None or (term := subject(says)) is None:
            return Gap("", rules, "unknown")
        found = self._open([each.applies for each in self._said], says)
        text = self._writer.claim(term, self._writer.values_of(found.facts or ()))
        if found.facts is not None:
            return Gap(text, rules, "found", self._writer.case(found.facts))
        is_absent = found.settled is not None and self._proved(found.settled, limits)
        return Gap(text, rules, "absent" if is_absent else "unknown")

    def _open(self, applies: Sequence[Node], says: Node) -> _Opening:
        """The facts of a gap. The cases in which no rule applies are gone through by their truths."""
        # Which member of an enum a thing is, is a fact of the case too.
        which = [self._pool.eq(*pair) for thing in self._things for pair in _members(self._pool, thing)]
        said = list(dict.fromkeys([*(atom for each in applies for atom in atoms(each)), *which]))
        finder = FactFinder(self._search, self._things, said)
        seen: list[Node] = []
        claims: list[Node] = []
        for _ in range(_MOST_ROUNDS):
            with self._search.asking([*applies, *seen, says, *finder.formulas]) as inquiry:
                (answer,) = inquiry.ask([CaseQuestion((), (*applies, *seen))], watching=True)
                if answer.status == "unsat":
                    return _Opening(None, [self._pool.disj((*applies, *seen)), *claims])
                truths = {atom: answer.truths[atom] for atom in said if atom in answer.truths}
                if answer.status == "unknown" or len(truths) < len(said):
                    break
                facts = [KnownFact(atom, self._pool.truth(truths[atom])) for atom in said]
                sides = self._sides(inquiry, facts, says)
                if sides == ["sat", "sat"]:
                    told = self._told(inquiry, finder, facts, truths, says)
                    return _Opening(told if self._is_open(inquiry, told, says) else None, None)
                if "unknown" in sides:
                    break
                is_true = sides[0] == "sat"
                decided = says if is_true else self._pool.negate(says)
                # Often the conclusion is the same wherever no rule applies, as that of a closed predicate.
                denied = ((), (says,)) if is_true else ((says,), ())
                (others,) = inquiry.ask([CaseQuestion(denied[0], (*applies, *seen, *denied[1]))])
                if others.status == "unsat":
                    return _Opening(None, [self._pool.disj((*applies, *seen, decided)), *claims])
                case = self._pool.conj([each.formula(self._pool) for each in facts])
                claims.append(self._pool.implies(case, decided))
                seen.append(case)
        return _Opening(None, None)

    def _told(
        self,
        inquiry: CaseInquiry,
        finder: FactFinder,
        facts: list[KnownFact],
        truths: Mapping[Node, bool],
        says: Node,
    ) -> list[KnownFact]:
        """The facts with values, unless these decide what the truths leave open."""
        question = _question(self._pool, facts)
        told, _ = finder.facts(inquiry, CaseWay(question, True), truths)
        if self._is_open(inquiry, told, says):
            return told
        return [*(each for each in told if each.term in finder.values), *facts]

    def _is_open(self, inquiry: CaseInquiry, facts: Sequence[KnownFact], says: Node) -> bool:
        return self._sides(inquiry, facts, says) == ["sat", "sat"]

    def _sides(self, inquiry: CaseInquiry, facts: Sequence[KnownFact], says: Node) -> list[Status]:
        """Whether the conclusion may be true with these facts, and whether it may be false."""
        true, false = _question(self._pool, facts)
        questions = [CaseQuestion((*true, says), false), CaseQuestion(true, (*false, says))]
        return [each.status for each in inquiry.ask(questions)]

    def _proved(self, formulas: Sequence[Node], limits: Limits) -> bool:
        return all(each is Verdict.ENTAILED for each in self._search.decided(formulas, limits))


def _members(pool: Pool, thing: Node) -> list[tuple[Node, Node]]:
    """A thing of an enum beside each member."""
    sort = thing.sort
    values = sort.values if isinstance(sort, EnumSort) else (True, False) if sort is BOOL else ()
    return [(thing, pool.lit(value, sort)) for value in values]


class _Opening(NamedTuple):
    """The facts of a gap; else what holds if there is none, or None if the search was given up."""

    facts: list[KnownFact] | None
    settled: list[Node] | None


def _question(pool: Pool, facts: Sequence[KnownFact]) -> CaseQuestion:
    """That the facts are so."""
    true = tuple(each.formula(pool) for each in facts if not each.is_denial)
    return CaseQuestion(true, tuple(each.term for each in facts if each.is_denial))


# --- overlaps --------------------------------------------------------------------------------------


class _Side(NamedTuple):
    """A part by its number, or what it says where its condition does not hold."""

    number: int
    is_denial: bool

    def part(self, pool: Pool, parts: Sequence[RulePart]) -> RulePart:
        return list(_both_ways(pool, parts[self.number]))[self.is_denial]


class _Pair(NamedTuple):
    """Two parts about the same things."""

    binders: tuple[Var, ...]
    conditions: tuple[Node, Node]
    conclusions: tuple[Node, Node]
    equal: Node
    """Under which both conclusions are about the same things."""


def _overlaps(
    program: Program,
    parts: Sequence[RulePart],
    pairs: Sequence[tuple[_Side, _Side]],
    limits: Limits,
    budget_ms: int,
    workers: Workers | None,
) -> Iterator[RuleOverlap]:
    """The overlaps of two parts about one function, those about the same things together."""
    pool = program.module.pool
    by_things: dict[Individuals, list[tuple[_Side, _Side]]] = {}
    for one, other in pairs:
        pair = _pair(pool, one.part(pool, parts), other.part(pool, parts))
        by_things.setdefault(individuals_for(program, pair.binders), []).append((one, other))
    for individuals, some in by_things.items():
        with CaseSearch(program, individuals, budget_ms, workers) as search:
            for one, other in some:
                found = _overlap(search, one, other, limits)
                if found is not None:
                    yield found


def _pairs(
    parts: Sequence[RulePart], groups: Mapping[Symbol, Sequence[int]]
) -> Iterator[tuple[_Side, _Side]]:
    for numbers in groups.values():
        for first, second in combinations(numbers, 2):
            if parts[first].origin.pointer != parts[second].origin.pointer:
                for one, other in product(*(range(1 + parts[each].both_ways) for each in (first, second))):
                    yield _Side(first, bool(one)), _Side(second, bool(other))


def _pair(pool: Pool, one: RulePart, other: RulePart) -> _Pair:
    """Two parts where they are about the same things."""
    left, right = subject(one.conclusion), subject(other.conclusion)
    assert left is not None and right is not None
    things = left.args if isinstance(left, App) else ()
    replaced, equal = _unified(pool, right, things)
    condition, conclusion, same = (
        substitute(pool, each, replaced) if replaced else each
        for each in (other.condition, other.conclusion, pool.conj(equal))
    )
    rest = tuple(var for var in other.binders if var not in replaced)
    return _Pair((*one.binders, *rest), (one.condition, condition), (one.conclusion, conclusion), same)


def _overlap(search: CaseSearch, first: _Side, second: _Side, limits: Limits) -> RuleOverlap | None:
    """The overlap of two parts; None if they neither contradict each other nor say the same."""
    pool = search.module.pool
    one, other = first.part(pool, search.parts), second.part(pool, search.parts)
    pair = _pair(pool, one, other)
    things = search.things([var.sort for var in pair.binders])
    replaced: dict[Node, Node] = dict(zip(pair.binders, things, strict=True))
    conditions = [substitute(pool, each, replaced) for each in (*pair.conditions, pair.equal)]
    conclusions = [substitute(pool, each, replaced) for each in pair.conclusions]
    kind = _kind(search, conclusions, conditions[-1])
    if kind is None:
        return None
    without = {one.key, other.key} if kind == "conflict" else set[str]()
    said = list(dict.fromkeys(atom for each in conditions for atom in atoms(each)))
    finder, writer = FactFinder(search, things, said), CaseWriter(search, things)
    facts: list[KnownFact] | None = None
    with search.asking([*conditions, *finder.formulas], without=without) as inquiry:
        way = CaseWay(CaseQuestion(tuple(conditions)), False)
        (answer,) = inquiry.ask([way.question], with_rule=False, watching=True)
        if answer.status == "sat":
            facts = finder.facts(inquiry, way, answer.truths)[0]
    term = subject(conclusions[0])
    assert term is not None
    text, names = writer.claim(term, writer.values_of(facts or ())), (one.name, other.name)
    if facts is not None:
        return RuleOverlap(kind, text, names, "found", writer.case(facts))
    apart = pool.negate(pool.conj(conditions))
    is_absent = search.decided([apart], limits, without=without) == [Verdict.ENTAILED]
    return RuleOverlap(kind, text, names, "absent" if is_absent else "unknown")


def _kind(search: CaseSearch, conclusions: Sequence[Node], equal: Node) -> OverlapKind | None:
    """Whether two conclusions can never hold together where they are about the same, or are equivalent."""
    one, other = conclusions
    every = {each.key for each in search.program.module.assertions}
    with search.asking([*conclusions, equal], without=every) as inquiry:
        asked = [
            CaseQuestion((equal,)),
            CaseQuestion((equal, one, other)),
            CaseQuestion((equal, one), (other,)),
            CaseQuestion((equal, other), (one,)),
        ]
        same, together, *apart = (each.status for each in inquiry.ask(asked, with_rule=False))
    if same == "unsat":
        return None
    if together == "unsat":
        return "conflict"
    return "agreement" if apart == ["unsat", "unsat"] else None
