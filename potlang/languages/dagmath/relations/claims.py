"""The relations of a solution's steps: what each says, how it is meant, whether it is true ([REL-CLAIMS])."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from potlang.languages.dagmath.lower.exact import has_decimals
from potlang.languages.dagmath.lower.normal_forms import compared
from potlang.languages.dagmath.lower.polynomials import (
    NotRational,
    Polynomial,
    Quotient,
    atom_of,
    clash,
    difference_of,
    follows,
    is_combination,
    quotient,
    substituted,
    variables,
)
from potlang.languages.dagmath.lower.readings import Context
from potlang.languages.dagmath.lower.syntax import Op, Term, Variable, is_closed, is_op, shown
from potlang.languages.dagmath.relations.congruences import Congruences
from potlang.languages.dagmath.relations.definitions import Definitions
from potlang.languages.dagmath.relations.find import NOTHING, FoundChains, continued, find_chains
from potlang.languages.dagmath.relations.model import IN_WORDS, Chain, Link, Side
from potlang.languages.dagmath.relations.objects import all_of, components, is_of_objects, truth_of_sets
from potlang.languages.dagmath.relations.rewriting import (
    KnownEquation,
    conditions,
    differ_everywhere,
    has_letters_side_by_side,
    is_another,
    is_same_subject,
    letters,
    may_follow,
)
from potlang.languages.dagmath.relations.roots import OF_ROOTS, Roots, stated_roots
from potlang.languages.dagmath.relations.standing import Standing, lead, standing
from potlang.languages.dagmath.relations.truth import RelationTruth, is_cut_off, is_number, truth_of


class StatedRelation(NamedTuple):
    """A relation in a step: its sides, its place in the text, how it is meant, and its truth with the reason.

    `names`: it says what its left side stands for, and nothing else could be asked of it.
    """

    left: Side
    link: Link
    right: Side
    start: int
    end: int
    standing: Standing
    truth: RelationTruth
    reason: str = ""
    names: bool = False

    def __str__(self) -> str:
        link = "≈" if self.link == "approx" else self.link
        return f"{_shown(self.left)} {link} {_shown(self.right)}"


def is_closed_relation(relation: StatedRelation) -> bool:
    """Whether a relation is between numbers that are worked out, without variables."""
    sides = (relation.left.term, relation.right.term)
    return all(term is not None and is_closed(term) for term in sides)


def _shown(side: Side) -> str:
    return " ".join(side.source.split())


class _Equation(NamedTuple):
    """An equation of earlier text: where it stands, and whether it gives a variable a value."""

    step: int
    chain: Chain
    polynomial: Polynomial
    gives: bool
    text: str
    is_claimed: bool


_MOST_EQUATIONS: Final = 24
"""Earlier equations that one is compared with, the latest."""
_MOST_STEPS_BETWEEN: Final = 2
_MOST_CHAINS: Final = 400
_DERIVED: Final = re.compile(
    r"simplif|giv(?:e|ing)|becom|which|\bso\b|thus|hence|therefore|subtract|divid|multipl|add|expand|cross|factor"
    r"|solv|get|obtain|rearrang|yield|reduc|combin|rightarrow|implies|\\iff|isolat|distribut|⇒|→",
    re.IGNORECASE,
)
_APART: Final = re.compile(
    r"\b(?:or|and|second|first|other|another|case|for|if|when|substitut\w*|both|equations|similarly|let|two|third|since"
    r"|because|letting|setting|set|where|need|require\w*|discriminant|at|by|alternatively|instead|either|next|now)\b|\\pm|,\s*$",
    re.IGNORECASE,
)
"""Words between two equations after which the second may be about something else."""
_REWORKED: Final = re.compile(
    r"simplif|expand|rearrang|combin\w+ like|collect|distribut|cross|factor|isolat|(?:both|each) sides?"
    r"|clear\w* (?:the )?(?:denominators|fractions)|⇒"
    r"|\\(?:implies|iff|Rightarrow|Longrightarrow|Leftrightarrow)",
    re.IGNORECASE,
)
"""Words between two equations by which the second is the first, written in another way."""
_WORKED_OUT: Final = re.compile(
    r"simplif|expand|combin\w+ like|collect|distribut|calculat|comput|evaluat|work\w* out|rewrit"
    r"|which (?:is|gives)",
    re.IGNORECASE,
)
"""Words between two equations of one thing by which its second value is the first one, worked out."""
_BRINGING_IN: Final = re.compile(
    r"\b(?:substitut\w*|us(?:e|es|ing)|since|because|plug\w*|where|let|letting|setting|set|given|recall|first|second|third"
    r"|other|another|similarly|case|if|when|or|alternatively|instead|also|differentiat\w*|derivative|integrat\w*"
    r"|squar\w*|roots?|log\w*|mod\w*|require\w*|need|equations|assum\w+|know|formula|identity|eliminat\w+|two|that"
    r"|discriminant|compar\w+|equating|coefficients?|must|original|previous|above)\b|\(\d\)|\\pm|\\sqrt",
    re.IGNORECASE,
)
"""Words between two equations after which the second may rest on more than the first."""
_FACTORED: Final = re.compile(
    r"\b(?:factor(?:s|ed|ing|ize\w*|izing)?|expand\w*|expansion|complet\w+ the square|division"
    r"|partial fractions?)\b",
    re.IGNORECASE,
)
"""Words before an equation by which its left side is written in another way."""
_SOLVING: Final = re.compile(r"\b(?:equations?|both sides|solv\w+|set|if|when|or|let)\b", re.IGNORECASE)
_SPACES: Final = re.compile(r"\s+|\\left|\\right")
_LEAST_MENTION: Final = 5
_ROOTS: Final = re.compile(r"(?<!square )(?<!cube )\broots?\b", re.IGNORECASE)
"""Words by which letters other than that of the equation solve it."""
_OR: Final = re.compile(r"\bor\b", re.IGNORECASE)
"""Words behind a relation, after which a row is none of its chain."""
_NO_RESULT: Final = "it is not the result of what stands before it"
_PLAIN_NAMES: Final = frozenset("abcdfghjklmnopqrstuvwxyz")
_LETTERS: Final = re.compile(r"[a-z]+")


class StepRelations:
    """The relations of steps, in their order: what is said later is judged by what was said before.

    `is_exact`: nothing speaks of rounding, and whole numbers are results only where they are the exact ones.
    """

    def __init__(self, texts: Sequence[str], context: Context, *, is_exact: bool = False) -> None:
        self._texts = texts
        self._is_exact = is_exact
        self._has_roots = any(map(_ROOTS.search, texts))
        self._context = context
        self._equations: list[_Equation] = []
        self._values: dict[str, tuple[int, Quotient]] = {}
        self._moved: set[str] = set()
        self._conditions: list[KnownEquation] = []
        self._roots: list[Roots] = []
        self._found: list[FoundChains] = []
        self._definitions = Definitions()
        self._congruences = Congruences()

    def of(self, at: int, parents: Sequence[int]) -> tuple[StatedRelation, ...]:
        """The relations of a step, which rests on others; to be asked for each step once, in their order."""
        preceding = self._texts[at - 1] if at else ""
        following = self._texts[at + 1] if at + 1 < len(self._texts) else ""
        found = find_chains(self._texts[at], self._context)
        self._found.append(found)
        self._roots += stated_roots(at, found.text, self._context)
        relations: list[StatedRelation] = []
        before: Chain | None = None
        chains = found.chains[:_MOST_CHAINS]
        ends = [0, *(chain.end for chain in chains)]
        starts = [*(chain.start for chain in chains[1:]), len(found.text)]
        for place, chain in enumerate(chains):
            meant = standing(found.text, chain, preceding, following)
            around = found.text[ends[place] : chain.start], found.text[chain.end : starts[place]]
            beside = around[:1] if place == len(chains) - 1 else around[1:] if not place else around
            if meant is Standing.CLAIMED and len(chains) > 1 and any(map(_OR.search, beside)):
                meant = Standing.ALTERNATIVE
            if at - 1 in parents:
                chain = continued(chain, found.text, self._found[at - 1])
            relations += self._chain(at, parents, found.text, chain, meant, before)
            if meant is not Standing.DENIED:
                self._conditions += conditions(chain)
            self._definitions.note(at, found.text, chain, meant, is_given=not parents)
            before = chain
        return tuple(relations)

    def forget(self, names: frozenset[str]) -> None:
        """Forgets what was said of variables that are introduced again: they are others from here on."""
        self._definitions.forget(names)
        self._congruences.forget(names)
        self._roots = [each for each in self._roots if names.isdisjoint(each.names)]
        self._equations = [each for each in self._equations if names.isdisjoint(variables(each.polynomial))]
        self._values = {
            name: (step, value)
            for name, (step, value) in self._values.items()
            if name not in names and names.isdisjoint(variables(value.over) | variables(value.under))
        }

    def _chain(
        self, at: int, parents: Sequence[int], text: str, chain: Chain, meant: Standing, before: Chain | None
    ) -> list[StatedRelation]:
        found = []
        known = frozenset((*parents, at))
        for place, (left, link, right) in enumerate(
            zip(chain.sides, chain.links, chain.sides[1:], strict=False)
        ):
            if is_of_objects(left, right):
                truth, reason, names = self._objects(at, parents, text, chain, place, meant)
                if truth is RelationTruth.OPEN:
                    by_definition = self._defined(at, parents, text, chain, place, meant)
                    truth, reason, names = by_definition or (truth, reason, names)
                found.append(
                    StatedRelation(left, link, right, chain.start, chain.end, meant, truth, reason, names)
                )
                continue
            truth, reason, names = truth_of(left, link, right, chain.modulus), "", False
            if truth is RelationTruth.ROUNDED and self._is_exact and is_cut_off(left, right):
                truth = RelationTruth.FALSE
            if truth is RelationTruth.FALSE:
                reason = "it is false"
                if not self._context.is_decimal:
                    truth, reason = RelationTruth.UNCLEAR, "its numbers may mean something else"
                elif chain.modulus is not None and link == "=":
                    truth, reason = RelationTruth.UNCLEAR, "it stands beside a congruence"
                elif link == "=" and self._is_running(chain, place):
                    truth, reason = (
                        RelationTruth.UNCLEAR,
                        "the equals sign may stand for the next step of a calculation",
                    )
            elif link in ("congruent", "incongruent"):
                truth = self._congruent(at, parents, chain, place, meant, truth)
                reason = "it is false" if truth is RelationTruth.FALSE else ""
            elif link == "=" and truth in (RelationTruth.UNREAD, RelationTruth.OPEN):
                again = None if place else self._restated(at, known, text, chain, before)
                names = IN_WORDS in (left.reason, right.reason)
                if truth is RelationTruth.OPEN:
                    truth, reason, names = self._open(at, known, text, chain, place, meant)
                if again is not None:
                    truth, names = again, False
                    reason = _NO_RESULT if again is RelationTruth.FALSE else ""
            if truth in (RelationTruth.OPEN, RelationTruth.UNREAD):
                by_definition = self._defined(at, parents, text, chain, place, meant)
                truth, reason, names = by_definition or (truth, reason, names)
            # What is worked out is claimed under a supposition, too: `for n = 3, f(n) = 2 + 3 = 6`.
            works_out = (
                meant is Standing.SUPPOSED
                and truth is not RelationTruth.OPEN
                and is_number(right)
                and (place > 0 or isinstance(left.term, Op))
            )
            stands = Standing.CLAIMED if works_out else meant
            found.append(
                StatedRelation(left, link, right, chain.start, chain.end, stands, truth, reason, names)
            )
        return found

    def _objects(
        self, at: int, parents: Sequence[int], text: str, chain: Chain, place: int, meant: Standing
    ) -> tuple[RelationTruth, str, bool]:
        """The truth of a relation of points, matrices or sets: that of its components, each by itself."""
        left, link, right = chain.sides[place], chain.links[place], chain.sides[place + 1]
        pairs = components(left, link, right)
        if pairs is None:
            truth = truth_of_sets(left, link, right)
            if truth is RelationTruth.FALSE and not self._context.is_decimal:
                truth = RelationTruth.UNCLEAR
            names = link == "=" and truth is RelationTruth.OPEN and isinstance(left.term, Variable)
            return truth, "it is false" if truth is RelationTruth.FALSE else "", names
        judged = [
            each
            for pair in pairs
            for each in self._chain(at, parents, text, chain._replace(sides=pair, links=(link,)), meant, None)
        ]
        truth = all_of(each.truth for each in judged)
        reason = next((each.reason for each in judged if each.truth is truth), "")
        return truth, reason, truth is RelationTruth.OPEN and all(_is_settled(each) for each in judged)

    def _congruent(
        self, at: int, parents: Sequence[int], chain: Chain, place: int, meant: Standing, truth: RelationTruth
    ) -> RelationTruth:
        """The truth of a congruence that is open by itself, by those of other steps; it is kept."""
        left, right, modulus = chain.sides[place], chain.sides[place + 1], chain.modulus
        is_meant = chain.links[place] == "congruent"
        if truth is RelationTruth.OPEN and modulus is not None:
            holds = self._congruences.holds(left, right, modulus, frozenset((*parents, at)))
            if holds is not None:
                truth = RelationTruth.TRUE if holds is is_meant else RelationTruth.FALSE
        if is_meant and (meant is Standing.CLAIMED or (meant is Standing.SUPPOSED and not parents)):
            self._congruences.note(at, left, right, modulus, is_given=not parents)
        return truth

    def _defined(
        self, at: int, parents: Sequence[int], text: str, chain: Chain, place: int, meant: Standing
    ) -> tuple[RelationTruth, str, bool] | None:
        """The truth of a relation with definitions put in its place; None where it is not settled by them."""
        known = frozenset((*parents, at))
        sides, used = [], frozenset[str]()
        for side in chain.sides[place : place + 2]:
            if side.term is None:
                return None
            is_tried = meant is Standing.SUPPOSED
            term, names = self._definitions.expanded(side.term, known, is_tried=is_tried)
            sides.append(side._replace(term=term, source=shown(term)) if names else side)
            used |= names
        if not used:
            return None
        left, right = sides
        link = chain.links[place]
        if is_of_objects(left, right):
            put_in = chain._replace(sides=(left, right), links=(link,))
            truth = self._objects(at, parents, text, put_in, 0, meant)[0]
        else:
            truth = truth_of(left, link, right, chain.modulus)
            if truth is RelationTruth.OPEN and link == "=" and self._is_algebra(left, right):
                assert left.term is not None and right.term is not None
                same = compared(left.term, right.term, is_complex=self._context.is_complex)
                truth = RelationTruth.TRUE if same else truth
        if truth in (RelationTruth.TRUE, RelationTruth.ROUNDED):
            return truth, "it follows by definition", False
        if truth is RelationTruth.FALSE and meant is Standing.CLAIMED and self._definitions.are_sure(used):
            return truth, f"it is false by definition: {_shown(left)} {link} {_shown(right)}", False
        return None

    def _is_running(self, chain: Chain, place: int) -> bool:
        """`3 * 2 = 6 + 1 = 7`: what is said to be equal is only the first part of the next side."""
        after = chain.sides[place + 1].term
        if place + 2 >= len(chain.sides) or not is_op(after, "+", "*"):
            return False
        first = chain.sides[place + 1]._replace(term=after.args[0], source=chain.sides[place + 1].source)
        goes_on = (
            truth_of(chain.sides[place + 1], chain.links[place + 1], chain.sides[place + 2])
            is RelationTruth.TRUE
        )
        return goes_on and truth_of(chain.sides[place], "=", first) is RelationTruth.TRUE

    def _restated(
        self, at: int, known: frozenset[int], text: str, chain: Chain, before: Chain | None
    ) -> RelationTruth | None:
        """The truth of `Total = 176` right behind `Total = 52 + 24`; None where nothing is said again."""
        step = at
        while before is None and step and step - 1 in known and at - step < _MOST_STEPS_BETWEEN:
            step -= 1
            before = self._found[step].chains[-1] if self._found[step].chains else None
        if before is None or before.links[-1] != "=":
            return None
        between = self._between(at, text, step, before, chain)
        if between is None or not (NOTHING.fullmatch(between) or _is_worked_out(between)):
            return None
        last, right = before.sides[-1], chain.sides[1]
        if not _is_same(before.sides[0], chain.sides[0]) or is_number(last):
            return None
        if not is_number(right) and not _is_one(chain.sides[0]):
            return None
        truth = truth_of(last, "=", right)
        if truth is RelationTruth.OPEN and last.term is not None and right.term is not None:
            return self._rewritten(last, right)
        return truth if truth in (RelationTruth.TRUE, RelationTruth.ROUNDED, RelationTruth.FALSE) else None

    def _rewritten(self, last: Side, right: Side) -> RelationTruth | None:
        """The truth of an expression written in another way; None where that is open."""
        assert last.term is not None and right.term is not None
        try:
            polynomial = difference_of(last.term, right.term)
        except (NotRational, RecursionError):
            return None
        if not polynomial or not self._is_algebra(last, right):
            return None if polynomial else RelationTruth.TRUE
        return RelationTruth.FALSE if self._is_rewriting(last, right, polynomial) else None

    # --- with variables ---

    def _open(
        self, at: int, known: frozenset[int], text: str, chain: Chain, place: int, meant: Standing
    ) -> tuple[RelationTruth, str, bool]:
        left, right = chain.sides[place], chain.sides[place + 1]
        assert left.term is not None and right.term is not None
        if not self._is_algebra(left, right):
            return RelationTruth.OPEN, "", False
        try:
            one, other = quotient(left.term), quotient(right.term)
            polynomial = difference_of(left.term, right.term)
        except (NotRational, RecursionError):
            return RelationTruth.OPEN, "", False
        names = variables(polynomial)
        same = not polynomial or (
            compared(left.term, right.term, is_complex=self._context.is_complex)
            if "i" in names or not names <= letters(left) | letters(right)
            else None
        )
        if same:
            return RelationTruth.TRUE, "", False
        if not names or same is False:
            is_clear = not (left.is_cut or right.is_cut or left.unit or right.unit)
            claimed = meant is Standing.CLAIMED and is_clear
            if not claimed:
                return RelationTruth.OPEN, "", False
            return RelationTruth.FALSE, "its sides differ by a number, whatever its variables are", False
        gives = next((name for name in (atom_of(one), atom_of(other)) if name is not None), None)
        outcome = self._compared(at, known, text, chain, polynomial, gives, meant)
        if (
            outcome[0] is RelationTruth.OPEN
            and self._is_said_to_be_one(at, text, chain, place)
            and self._is_rewriting(left, right, polynomial)
        ):
            return RelationTruth.FALSE, "both sides are the same expression rewritten, and differ", False
        is_new = gives is not None and gives not in self._values and outcome[0] is RelationTruth.OPEN
        # Of several sides in the same variables each is the one before, written in another way.
        if len(chain.sides) == 2 or not is_same_subject(left, right):
            self._note(at, text, chain, polynomial, gives, meant, one, other)
        return outcome[0], outcome[1], is_new and not place

    def _is_said_to_be_one(self, at: int, text: str, chain: Chain, place: int) -> bool:
        """Whether a side is said to be the one before, written in another way: in a chain, or factored."""
        if place or chain.goes_on:
            return True
        before = text[: chain.start]
        said = lead(before, self._texts[at - 1] if at else "")
        if not _FACTORED.search(said) or _SOLVING.search(said):
            return False
        old = _SPACES.sub("", chain.sides[0].source)
        return len(old) >= _LEAST_MENTION and any(
            old in _SPACES.sub("", each) for each in (*self._texts[:at], before)
        )

    def _is_algebra(self, left: Side, right: Side) -> bool:
        """Whether the variables of two sides are numbers as far as words tell, to be added and multiplied."""
        names, context = letters(left) | letters(right), self._context
        if context.is_complex:
            names -= {"i"}
        if "i" in names or not context.is_field or not (context.is_commutative or len(names) <= 1):
            return False
        return not (context.has_digits and any(map(has_letters_side_by_side, (left.source, right.source))))

    def _is_rewriting(self, left: Side, right: Side, polynomial: Polynomial) -> bool:
        """Whether a side is the other, wrongly written in another way: it differs, whatever is known."""
        is_whole = not (left.is_cut or right.is_cut or left.unit or right.unit)
        if not is_whole or not is_same_subject(left, right) or not differ_everywhere(left, right):
            return False
        names = letters(left)
        if not names <= _PLAIN_NAMES or (self._has_roots and names != {"x"}):
            return False
        return not may_follow(polynomial, names, self._conditions)

    def _compared(
        self, at: int, known: frozenset[int], text: str, chain: Chain, polynomial: Polynomial,
        gives: str | None, meant: Standing,
    ) -> tuple[RelationTruth, str]:  # fmt: skip
        """The truth of an equation by those before: it follows, or clashes with the one it is made of."""
        earlier = [
            each
            for each in self._equations[-_MOST_EQUATIONS:]
            if each.step in known and (each.is_claimed or meant is Standing.SUPPOSED)
        ]
        try:
            if any(follows(each.polynomial, polynomial) for each in earlier):
                return RelationTruth.TRUE, "it follows from an equation before"
            if self._values and not substituted(
                polynomial, self._known(known, variables(polynomial) - {gives})
            ):
                return RelationTruth.TRUE, "it follows with the values given before"
            certain = [
                each.polynomial for each in earlier if self._moved.isdisjoint(variables(each.polynomial))
            ]
            if is_combination(polynomial, certain):
                return RelationTruth.TRUE, "it follows from equations before"
            found = self._of_roots(known, polynomial)
            if found is not None:
                is_open = found is RelationTruth.FALSE and meant is not Standing.CLAIMED
                return (RelationTruth.OPEN, "") if is_open else (found, OF_ROOTS)
            last = earlier[-1] if earlier else None
            if last is None or last.gives or meant is not Standing.CLAIMED or last.chain is chain:
                return RelationTruth.OPEN, ""
            if any(map(has_decimals, (*_terms(last.chain), *_terms(chain)))):
                return RelationTruth.OPEN, ""
            between = self._between(at, text, last.step, last.chain, chain)
            if between is None:
                return RelationTruth.OPEN, ""
            origin = f"{_shown(last.chain.sides[0])} = {_shown(last.chain.sides[-1])}"
            if _is_derived(between) and clash(last.polynomial, polynomial):
                return RelationTruth.FALSE, f"it contradicts {origin}, of which it is made"
            if _is_reworked(between) and is_another(last.polynomial, polynomial, self._conditions):
                return RelationTruth.FALSE, f"it is not {origin}, written in another way"
        except NotRational:
            pass
        return RelationTruth.OPEN, ""

    def _of_roots(self, steps: frozenset[int], polynomial: Polynomial) -> RelationTruth | None:
        """The truth of an equation in the roots of a polynomial; None where it depends on which is which."""
        names = variables(polynomial)
        roots = next((each for each in reversed(self._roots) if not names.isdisjoint(each.names)), None)
        if roots is None or roots.step not in steps:
            return None
        rest = roots.reduced(polynomial)
        if not rest:
            return RelationTruth.TRUE
        return RelationTruth.FALSE if rest.keys() == {()} else None

    def _known(self, steps: frozenset[int], names: frozenset[str | None]) -> dict[str, Quotient]:
        """The values that some steps give to variables; none of one that has had several."""
        given = ((name, self._values.get(name or "")) for name in names if name not in self._moved)
        return {name: found[1] for name, found in given if name and found and found[0] in steps}

    def _between(self, at: int, text: str, step: int, before: Chain, chain: Chain) -> str | None:
        """The words between a chain of an earlier step, or of the same, and another; None if they are far."""
        if step == at:
            return text[before.end : chain.start] if before.end <= chain.start else None
        steps = range(step + 1, at)
        if len(steps) > _MOST_STEPS_BETWEEN or any(self._found[each].chains for each in steps):
            return None
        words = [self._found[step].text[before.end :], *(self._texts[each] for each in steps)]
        return " ".join([*words, text[: chain.start]])

    def _note(
        self, at: int, text: str, chain: Chain, polynomial: Polynomial, gives: str | None, meant: Standing,
        one: Quotient, other: Quotient,
    ) -> None:  # fmt: skip
        """Keeps an equation for later ones; what is only tried, or given again, has no value."""
        if meant is not Standing.CLAIMED:
            if gives is not None:
                self._moved.add(gives)
            if meant is not Standing.SUPPOSED:
                return
        self._equations.append(
            _Equation(at, chain, polynomial, gives is not None, text, meant is Standing.CLAIMED)
        )
        if gives is None or meant is not Standing.CLAIMED:
            return
        value = other if atom_of(one) == gives else one
        if gives in variables(value.over) | variables(value.under):
            return
        if self._values.setdefault(gives, (at, value))[1] != value:
            self._moved.add(gives)


def _is_settled(relation: StatedRelation) -> bool:
    return relation.names or relation.truth is RelationTruth.TRUE


def _is_derived(between: str) -> bool:
    """Whether the words between two equations say that the second is made of the first."""
    if _APART.search(between):
        return False
    return NOTHING.fullmatch(between) is not None or _DERIVED.search(between) is not None


def _is_worked_out(between: str) -> bool:
    """Whether the words between two equations say that the second gives the result of the first."""
    return _WORKED_OUT.search(between) is not None and _BRINGING_IN.search(between) is None


def _is_reworked(between: str) -> bool:
    """Whether the words between two equations say that the second is the first, and nothing is brought in."""
    return _REWORKED.search(between) is not None and _BRINGING_IN.search(between) is None


def _terms(chain: Chain) -> list[Term]:
    return [side.term for side in chain.sides if side.term is not None]


def _is_one(side: Side) -> bool:
    """Whether a side names what has one value, `OD`, `A_1`, `C(5, 2)`: an unknown may have several."""
    if isinstance(side.term, Variable):
        return len(side.term.text) > 1 or side.term.text.isupper()
    return isinstance(side.term, Op) and side.term.op.startswith("call:")


def _is_same(first: Side, second: Side) -> bool:
    """Whether two sides are the same name, or the same words."""
    if first.term is not None or second.term is not None:
        return first.term == second.term and first.term is not None and not is_number(first)
    one, other = (_LETTERS.findall(side.source.lower()) for side in (first, second))
    return bool(one) and one == other
