"""The readings of a text: its translations, compared by solver under a policy ([POLICY-TEXT-SAME])."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice, permutations, product
from math import perm, prod
from typing import Final, Literal, NamedTuple

from potlang.expressions.names import written
from potlang.languages.pot.program import CompileError, Program, Session
from potlang.policy.texts.formulas import compiled_with, fresh_name, renamed, without_statements
from potlang.policy.texts.translation import TranslatedFormula, Translation
from potlang.prove.options import Trust
from potlang.report.results import Limits, Model, Result, TrustLevel, Verdict
from potlang.utils.closing import Closing

MOST_PAIRINGS: Final = 120
"""Of the individuals of two translations ([LIMIT-POLICY-TEXT])."""
_TIERS: Final[tuple[TrustLevel, ...]] = ("solver", "cross-checked", "checked")
_SWITCH: Final = "otherwise"
Part = Literal["premises", "claims"]


class SeparatingCase(NamedTuple):
    """A case in which the premises, or the claims, of one translation hold and those of another do not.

    `holds` is the number of the translation whose part holds, 0 or 1. `confirmed`: the evaluator found the
    values to be a model of the policy in which that is so.
    """

    part: Part
    holds: int
    values: Model
    confirmed: bool


class Sameness(NamedTuple):
    """Whether two translations mean the same under a policy; None where that is not known.

    `trust` is the worst tier of the answers that it rests on; where the formulas are the same texts, there
    are none. `reason` says why it is not known, or why there is no case that separates the two.
    """

    same: bool | None
    separating: SeparatingCase | None = None
    trust: TrustLevel = "checked"
    reason: str = ""


_CONTRADICTORY: Final = Sameness(False, reason="the premises of each contradict the policy, in other ways")
_Sides = tuple[list[str], list[str]]


class TextReading(NamedTuple):
    """Translations that mean the same, by their numbers, and the one that stands for them."""

    members: tuple[int, ...]
    translation: Translation


class ReadingComparison(NamedTuple):
    """The comparison of the translations with these numbers."""

    first: int
    second: int
    found: Sameness


class Readings(NamedTuple):
    """The readings of a text, the most frequent first, and the comparisons that they rest on."""

    classes: tuple[TextReading, ...]
    comparisons: tuple[ReadingComparison, ...]

    def numbered(self, numbers: Sequence[int]) -> Readings:
        """The same, with these numbers for 0, 1, …"""
        return Readings(
            tuple(each._replace(members=tuple(numbers[at] for at in each.members)) for each in self.classes),
            tuple(
                ReadingComparison(numbers[first], numbers[second], found)
                for first, second, found in self.comparisons
            ),
        )

    def separating(self, first: int, second: int) -> SeparatingCase | None:
        """A case that tells two of the classes apart, if there is one; `holds` is 0 for the first."""
        ours, theirs = self.classes[first].members, self.classes[second].members
        for one, other, found in self.comparisons:
            if found.separating is None or found.same is not False:
                continue
            if one in ours and other in theirs:
                return found.separating
            if one in theirs and other in ours:
                return found.separating._replace(holds=1 - found.separating.holds)
        return None

    def most(self, reading: TextReading) -> int:
        """The translations that a reading would have if all that is not known were the same."""
        open_to = {
            other
            for first, second, found in self.comparisons
            if found.same is None
            for one, other in ((first, second), (second, first))
            if one in reading.members
        }
        return len({*reading.members, *open_to})


def readings_of(
    program: Program, translations: Sequence[Translation], limits: Limits = Limits(), trust: Trust = "best"
) -> Readings:
    """The translations by what they mean under the policy ([POLICY-TEXT-CLASSES]).

    Each is compared with one of each class: meaning the same is transitive. What the total limit leaves no
    time for is not known.
    """
    classes: list[list[int]] = []
    comparisons: list[ReadingComparison] = []
    with TranslationComparer(program, limits, trust) as comparer:
        for number, translation in enumerate(translations):
            for members in classes:
                found = comparer.compare(translations[members[0]], translation)
                comparisons.append(ReadingComparison(members[0], number, found))
                if found.same:
                    members.append(number)
                    break
            else:
                classes.append([number])
    classes.sort(key=lambda members: (-len(members), members[0]))
    found_classes = [TextReading(tuple(members), translations[members[0]]) for members in classes]
    return Readings(tuple(found_classes), tuple(comparisons))


class TranslationComparer(Closing):
    """Compares translations under one policy; sessions are kept for those with the same individuals."""

    def __init__(self, program: Program, limits: Limits = Limits(), trust: Trust = "best") -> None:
        self._program = program
        self._limits = limits
        self._trust = trust
        self._began = time.perf_counter()
        self._open = ExitStack()
        self._sessions: dict[tuple[bool, tuple[tuple[str, str], ...]], _Questions] = {}
        # Names alone tell a text's sorts: those with fixed members have others when one is added.
        module = program.untabled
        self._fixed = {str(sort) for sort in (*module.closed, *module.unique)}

    def close(self) -> None:
        """Ends the sessions."""
        self._open.close()
        self._sessions.clear()

    def compare(self, first: Translation, second: Translation) -> Sameness:
        """Whether the two mean the same, up to the names of their individuals ([POLICY-TEXT-SAME])."""
        if bool(first.claims) is not bool(second.claims):
            return Sameness(False, reason="one of them claims nothing")
        if any(self._counts(first, sort) != self._counts(second, sort) for sort in self._fixed):
            return Sameness(False, reason="they have different numbers of individuals of a sort")
        pairings = _pairings(first, second, self._program.extension.scope.entries)
        likely, *others = islice(pairings.each(), MOST_PAIRINGS)
        best = self._compare_named(first, second, likely, pairings.individuals)
        unknown = "too many individuals" if pairings.total > MOST_PAIRINGS else ""
        if best.same or not others or self._none_fits(first, second, [likely, *others], pairings.individuals):
            others = []
        for names in others:
            found = self._compare_named(first, second, names, pairings.individuals)
            if found.same:
                return found
            unknown = unknown or ("" if found.same is False else found.reason)
        return Sameness(None, reason=unknown) if unknown and best.same is False else best

    def _counts(self, translation: Translation, sort: str) -> int:
        return sum(each == sort for each in translation.individuals.values())

    def _compare_named(
        self,
        first: Translation,
        second: Translation,
        names: Mapping[str, str],
        individuals: Mapping[str, str],
    ) -> Sameness:
        """The comparison under one pairing: `names` are those of the second one's individuals in it."""
        if 1_000 * (time.perf_counter() - self._began) > self._limits.total_ms:
            return Sameness(None, reason="timeout")
        try:
            premises = _texts(first.premises), _named(second.premises, names)
            claims = _texts(first.claims), _named(second.claims, names)
            found = self._questions(individuals).same(premises, claims)
            return self._apart_from_policy(individuals, premises) if found is _CONTRADICTORY else found
        except (ValueError, CompileError) as error:
            # Each is a formula by itself; only under other names it may be none.
            return Sameness(None, reason=str(error).partition("\n")[0])

    def _none_fits(
        self,
        first: Translation,
        second: Translation,
        pairings: Sequence[Mapping[str, str]],
        individuals: Mapping[str, str],
    ) -> bool:
        """Whether one case shows that under no pairing but the first one of these the premises are the same.

        What it costs to ask about each pairing grows with the factorial of the individuals; where premises
        differ, there mostly is one case in which those of one side hold, and the other's under no pairing.
        """
        likely, *others = pairings
        try:
            asked = self._questions(individuals)
            theirs = [_named(second.premises, names) for names in others]
            if asked.separates(_texts(first.premises), theirs):
                return True
            turned = [_turned(names, likely, individuals) for names in others]
            ours = [_named(first.premises, names) for names in turned]
            return asked.separates(_named(second.premises, likely), ours)
        except (ValueError, CompileError):
            return False

    def _apart_from_policy(self, individuals: Mapping[str, str], premises: _Sides) -> Sameness:
        """Whether premises that contradict the policy mean the same without it ([POLICY-TEXT-CLASH])."""
        alone = self._questions(individuals, words_alone=True)
        found = alone.same(premises, ([], []))
        if found is _CONTRADICTORY:
            # They contradict themselves, so that as a whole they still say nothing.
            return alone.same_one_by_one(premises)
        return _CONTRADICTORY if found.same is False else found

    def _questions(self, individuals: Mapping[str, str], *, words_alone: bool = False) -> _Questions:
        """The questions under the policy, or under no more than what its words are."""
        key = words_alone, tuple(individuals.items())
        if key not in self._sessions:
            switch = fresh_name(_SWITCH, {*self._program.extension.scope.entries, *individuals})
            program = compiled_with(self._program, {**individuals, switch: "Bool"})
            program = without_statements(program) if words_alone else program
            session = self._open.enter_context(program.session(limits=self._limits, trust=self._trust))
            self._sessions[key] = _Questions(session, switch)
        return self._sessions[key]


class _Questions:
    """Questions whether one list of formulas implies another, under a policy.

    `switch` is a proposition that nothing speaks of. What implies it or another thing is never refuted, so
    that there is a model wherever an implication does not hold.
    """

    def __init__(self, session: Session, switch: str) -> None:
        self._session = session
        self._switch = switch

    def same(self, premises: _Sides, claims: _Sides) -> Sameness:
        """Whether the premises are equivalent, and the claims under the premises.

        `_CONTRADICTORY` for other premises that contradict the policy, as these do: all such are equivalent.
        """
        found = self._equivalent(premises, "premises")
        # Claims are compared under the premises: where these differ, so do the translations.
        if found.same is not True:
            return found
        self._session.push(*premises[0])
        try:
            if {*premises[0]} != {*premises[1]}:
                possible = self._session.verify("True").results[0]
                if possible.verdict is not Verdict.ENTAILED:
                    is_clear = possible.verdict is Verdict.INCONSISTENT
                    return _CONTRADICTORY if is_clear else Sameness(None, reason=possible.reason or "unknown")
            both = self._equivalent(claims, "claims")
        finally:
            self._session.pop()
        return both._replace(trust=_worst(found.trust, both.trust)) if both.same else both

    def same_one_by_one(self, sides: _Sides) -> Sameness:
        """Whether each formula of a side is equivalent to one of the other."""
        left, right = ([each for each in one if each not in other] for one, other in (sides, sides[::-1]))
        trust: TrustLevel = "checked"
        for ours, theirs in ((left, right), (right, left)):
            for each in ours:
                found = [self._equivalent(([each], [other]), "premises") for other in theirs]
                if not any(answer.same for answer in found):
                    unknown = next((answer.reason for answer in found if answer.same is None), "")
                    return _CONTRADICTORY._replace(same=None if unknown else False)
                trust = _worst(trust, *(answer.trust for answer in found if answer.same))
        return Sameness(True, None, trust)

    def _equivalent(self, sides: _Sides, part: Part) -> Sameness:
        trust: TrustLevel = "checked"
        unknown = ""
        for holds, (left, right) in enumerate((sides, sides[::-1])):
            result = self._implied(left, right)
            if result is None:
                continue
            if result.verdict is Verdict.UNDETERMINED:
                return Sameness(False, self._case(result, part, holds), result.trust)
            if result.verdict is Verdict.UNKNOWN:
                unknown = unknown or result.reason or "unknown"
            trust = _worst(trust, result.trust)
        return Sameness(None if unknown else True, None, trust, unknown)

    def separates(self, one: list[str], others: Sequence[list[str]]) -> bool:
        """Whether there is a case in which all of `one` hold, and of each of the others not all."""
        none = " and ".join(f"not ({conjunction(each)})" for each in others)
        claim = f"({conjunction(one)}) and {none} -> {written(self._switch)}"
        return self._session.verify(claim).verdict is Verdict.UNDETERMINED

    def _implied(self, left: list[str], right: list[str]) -> Result | None:
        """The answer to whether `left` implies `right`; None where each of `right` stands in `left`."""
        rest = [each for each in right if each not in left]
        if not rest:
            return None
        claim = f"({conjunction(left)}) and not ({conjunction(rest)}) -> {written(self._switch)}"
        return self._session.verify(claim).results[0]

    def _case(self, result: Result, part: Part, holds: int) -> SeparatingCase:
        values = result.evidence.could_be_false or {}
        shown = {term: value for term, value in values.items() if term != written(self._switch)}
        confirmed = any(
            each.query == "negation" and each.status == "sat" and each.tier == "checked"
            for each in result.assurances
        )
        return SeparatingCase(part, holds, shown, confirmed)


def conjunction(formulas: Sequence[str]) -> str:
    """One expression that says all of these; `True` for none."""
    return " and ".join(f"({each})" for each in formulas) or "True"


def _texts(formulas: Sequence[TranslatedFormula]) -> list[str]:
    return [each.formula for each in formulas]


def _named(formulas: Sequence[TranslatedFormula], names: Mapping[str, str]) -> list[str]:
    changed = {old: new for old, new in names.items() if old != new}
    # Bound variables may have a name that an individual gets, so that all names count, not those changed.
    return [renamed(each, names) if changed else each for each in _texts(formulas)]


def _worst(*tiers: TrustLevel) -> TrustLevel:
    return min(tiers, key=_TIERS.index)


# --- individuals ---------------------------------------------------------------------------------------


class _Pairings(NamedTuple):
    """The ways in which the individuals of one translation can be those of another, sort by sort.

    Where one has more of a sort, those that are left are paired with nothing, under names of their own.
    """

    places: dict[str, list[str]]
    theirs: dict[str, list[str]]

    @property
    def total(self) -> int:
        """How many there are."""
        return prod(perm(len(each), len(self.theirs.get(sort, ()))) for sort, each in self.places.items())

    @property
    def individuals(self) -> dict[str, str]:
        """All individuals with their sorts, those that are paired with nothing among them."""
        return {name: sort for sort, names in self.places.items() for name in names}

    def each(self) -> Iterator[dict[str, str]]:
        """New names for the second one's individuals; the likely ones first."""
        sorts = list(self.theirs)
        ways = (permutations(self.places[sort], len(self.theirs[sort])) for sort in sorts)
        for chosen in product(*ways):
            names: dict[str, str] = {}
            for sort, places in zip(sorts, chosen, strict=True):
                names.update(zip(self.theirs[sort], places, strict=True))
            yield names


def _pairings(first: Translation, second: Translation, known: Iterable[str]) -> _Pairings:
    ours, theirs = _by_sort(first), _by_sort(second)
    taken = {*known, *first.individuals, *second.individuals}
    places: dict[str, list[str]] = {}
    for sort in dict.fromkeys((*ours, *theirs)):
        own, other = ours.get(sort, []), theirs.get(sort, [])
        new = [name for name in other if name not in first.individuals]
        more = new[: max(0, len(other) - len(own))]
        missing = len(other) - len(own) - len(more)
        more += [fresh_name(f"{sort}_{at}", taken) for at in range(missing)]
        places[sort] = _same_first([*own, *more], other)
    return _Pairings(places, theirs)


def _turned(
    names: Mapping[str, str], likely: Mapping[str, str], individuals: Mapping[str, str]
) -> dict[str, str]:
    """The permutation of all individuals that turns one pairing into another."""
    turned = {names[each]: likely[each] for each in names}
    taken = {*turned.values()}
    # What is paired with nothing takes a place of its sort that is left.
    for each, sort in individuals.items():
        if each not in turned:
            place = next(at for at, other in individuals.items() if other == sort and at not in taken)
            turned[each] = place
            taken.add(place)
    return turned


def _by_sort(translation: Translation) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, sort in translation.individuals.items():
        found.setdefault(sort, []).append(name)
    return found


def _same_first(places: list[str], names: list[str]) -> list[str]:
    """The places in an order in which those of a name that both have stand where it does."""
    rest = iter([each for each in places if each not in names])
    return [*(name if name in places else next(rest) for name in names), *rest]
