"""Whether a step's `formal` field says what its prose says ([STEP-FORMAL-SAYS]).

Relations of the prose that are read are compared side by side; of what is in words alone the numbers, the
names and the kind of comparison are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Final, NamedTuple

from potlang.languages.dagmath.lower.exact import NotExact, value
from potlang.languages.dagmath.lower.formal import read_formal
from potlang.languages.dagmath.lower.phrases import stem, stems
from potlang.languages.dagmath.lower.readings import Context, Reading
from potlang.languages.dagmath.lower.syntax import (
    BINDERS,
    GREEK,
    Num,
    Op,
    Term,
    Variable,
    free_names,
    is_op,
    is_statement,
    parts,
    quantities,
    shown,
    text,
)
from potlang.languages.dagmath.relations.comparisons import (
    compares_with_zero,
    comparisons,
    equates,
)
from potlang.languages.dagmath.relations.find import continued, find_chains
from potlang.languages.dagmath.relations.formulas import formula_spans
from potlang.languages.dagmath.relations.model import IN_WORDS, Chain, Side
from potlang.languages.dagmath.relations.numbers import numbers_in
from potlang.languages.dagmath.relations.sameness import (
    FLIPPED,
    NEGATED,
    FormalRelation,
    as_chain,
    atoms_of,
    composed,
    is_congruence,
    is_rearranged,
    is_same_side,
    is_worked_out,
    numbers_of,
    signed_chains,
)
from potlang.languages.dagmath.relations.standing import Standing, standing


class FormalAgreement(NamedTuple):
    """Whether a `formal` field says what its step says; `reason` is why not, `standing` how it is meant."""

    reason: str = ""
    standing: Standing = Standing.CLAIMED


class Around(NamedTuple):
    """The texts that a step rests on, all before it, and the last of these if it rests on that."""

    premises: Sequence[str] = ()
    earlier: Sequence[str] = ()
    preceding: str = ""


def agreement(formal: Term, said: str, reading: Reading, around: Around, context: Context) -> FormalAgreement:
    """Whether the formula of a `formal` field says what the step says, whose prose was read as `reading`."""
    work = _Comparing(formal, said, reading, around, context)
    try:
        work.compare()
    except _Disagreement as error:
        return FormalAgreement(str(error))
    return FormalAgreement("", work.standing())


class _Disagreement(Exception):
    """The `formal` field says something else; the message says how: its subject is that field."""


class _MeantChain(NamedTuple):
    """A chain of the prose, and how it is meant."""

    chain: Chain
    standing: Standing


_OR: Final = re.compile(r"\b(?:or|either)\b|\\lor|\\vee|∨", re.IGNORECASE)
_SIGNS: Final = re.compile(r"\\pm|\\mp|±")
_IF: Final = re.compile(
    r"\b(?:if|then|when|whenever|implies|imply|for (?:all|any|every)|assuming|suppose)\b|⇒|→|\\implies"
    r"|\\Rightarrow|\\Longrightarrow|\\to\b|<=>|\\iff|⇔",
    re.IGNORECASE,
)
_IF_FIRST: Final = re.compile(r"\b(?:if|when|whenever|assuming|suppose)\b", re.IGNORECASE)
_PERCENT: Final = re.compile(r"%|percent|per cent", re.IGNORECASE)
_CONSTANTS: Final = frozenset(("pi", "e", "E", "i", "True", "False"))
_OPERATIONS: Final = (
    ("+", re.compile(r"\b(?:plus|add\w*|together|the (?:sum|total) of)\b", re.IGNORECASE)),
    ("neg", re.compile(r"\b(?:minus|the difference (?:of|between)|subtract\w*)\b", re.IGNORECASE)),
    ("*", re.compile(r"\b(?:times|the product of|multipl\w+)\b", re.IGNORECASE)),
    ("/", re.compile(r"\b(?:divided by|the quotient of)\b", re.IGNORECASE)),
)
"""Words that name an operation, which the formula then has."""
_WITH_NUMBERS: Final = (
    (re.compile(r"\b(?:even|odd|parity)\b", re.IGNORECASE), (0, 1, 2)),
    (re.compile(r"\b(?:divisible|divides|multiple|zero|vanish\w*|no)\b", re.IGNORECASE), (0,)),
    (re.compile(r"\b(?:positive|negative|non-?negative|non-?zero)\b", re.IGNORECASE), (0,)),
    (re.compile(r"\b(?:squared?s?|square root)\b", re.IGNORECASE), (2,)),
    (re.compile(r"\b(?:cubed?s?|cube root)\b", re.IGNORECASE), (3,)),
    (_PERCENT, (100,)),
    (re.compile(r"\\circ\b|°|\bdegrees?\b", re.IGNORECASE), (180,)),
    (re.compile(r"[A-Za-z]"), (1,)),
)
"""Words that bring numbers along; `1` is what `a` and `an` say."""
_COMMAND: Final = re.compile(r"\\[A-Za-z]+")
_LETTER: Final = re.compile(r"(?<![A-Za-z'’\\])([b-zB-HJ-Z])(\d*)(?![A-Za-z'’])")


_CODE: Final = re.compile(r"\\texttt\{((?:[^{}\\]|\\[{}_$#%&]|\\text\w+\{\})*)\}")
_ESCAPED: Final = re.compile(r"\\(?:([{}_$#%&])|text(backslash|asciicircum|asciitilde)\{\})")
_CHARACTERS: Final = {"backslash": "\\", "asciicircum": "^", "asciitilde": "~"}


_MOST_SIDES: Final = 30
"""Sides of a chain up to which any two are compared."""


class _Comparing:
    """One formal field beside the prose of its step."""

    def __init__(self, formal: Term, said: str, reading: Reading, around: Around, context: Context) -> None:
        self.formal = formal
        self.reading = reading
        self.around = around
        self.context = context
        self.atoms = list(atoms_of(formal))
        self.said = said
        self.text, self.chains = self._found(said)
        self._covered: list[set[int]] = [set() for _ in self.chains]
        """For each chain the sides that some relation of the formula has."""
        self._places: dict[FormalRelation, int] = {}

    def _found(self, said: str) -> tuple[str, list[_MeantChain]]:
        found = find_chains(said, self.context)
        preceding = find_chains(self.around.preceding, self.context)
        chains = [
            _MeantChain(
                each, standing(_without(found.text, [*found.chains[:at], *found.chains[at + 1 :]]), chain)
            )
            for at, chain in enumerate(found.chains)
            for each in signed_chains(continued(chain, found.text, preceding))
            if any(side.term is not None for side in each.sides)
        ]
        if not chains and self.reading.reason is None and not self.reading.skipped:
            claims = [atom for claim in self.reading.claims for atom in atoms_of(claim)]
            chains = [
                _MeantChain(as_chain(each, len(found.text)), Standing.CLAIMED)
                for each in claims
                if not quantities(each.left) | quantities(each.right)
            ]
        return found.text, chains

    def compare(self) -> None:
        """Raises _Disagreement where the formula says something else."""
        if self._is_quoted():
            return
        self._check_names()
        if not is_statement(self.formal):
            self._check_expression()
            return
        unmatched = [atom for atom in dict.fromkeys(self.atoms) if not self._is_in_chains(atom)]
        for atom in unmatched:
            self._check_in_words(atom)
        self._check_numbers(unmatched or self.atoms)
        self._check_left_out()
        self._check_comparisons()
        if not self.chains:
            self._check_words_left_out()
        self._check_connectives()

    def standing(self) -> Standing:
        """How what the formula says is meant."""
        found = {each.standing for each in self.chains} - {Standing.DENIED, Standing.ALTERNATIVE}
        if is_op(self.formal, "=>", "<=>") or len(found) != 1:
            return Standing.CLAIMED
        return found.pop()

    def _is_quoted(self) -> bool:
        """Whether the step claims the formula as code, `\\texttt{x == 3}`, and nothing else."""
        code = _CODE.search(self.said)
        if code is None or not self.atoms:
            return False
        written = _ESCAPED.sub(lambda found: found[1] or _CHARACTERS[found[2]], code[1])
        if read_formal(written, frozenset()).term != self.formal:
            return False
        around = f"{self.said[: code.start()]} {self.said[code.end() :]}"
        if find_chains(around, self.context).chains or comparisons(around):
            return False
        chain = as_chain(self.atoms[0], code.end())._replace(start=code.start())
        self.chains = [_MeantChain(chain, standing(self.said, chain))]
        return self.chains[0].standing is not Standing.DENIED

    # --- names and numbers ---

    def _check_names(self) -> None:
        """Each name is one of the step, or of what was said before ([STEP-FORMAL-NAMES])."""
        for name in sorted(free_names(self.formal) - _CONSTANTS):
            if not any(_mentions(each, name) for each in (self.text, *self.around.earlier)):
                raise _Disagreement(f"the name `{name}` is neither in the step nor before it")

    def _check_numbers(self, atoms: Sequence[FormalRelation]) -> None:
        """Each number is one of the step, or of what it rests on ([STEP-FORMAL-NUMBERS])."""
        known = _known_numbers((self.text, *self.around.premises))
        for atom in atoms:
            for term in (atom.left, atom.right):
                for number in numbers_of(term):
                    if not _is_known(number, known):
                        raise _Disagreement(
                            f"the number {number} is neither in the step nor in what it rests on"
                        )

    # --- relations that were read ---

    def _is_in_chains(self, atom: FormalRelation) -> bool:
        """Whether a relation of the formula is one of the chains; notes the sides that it has of each."""
        for at, (chain, meant) in enumerate(self.chains):
            for i, j in _pairs(len(chain.sides)):
                if meant is Standing.DENIED and j > i + 1:
                    continue
                op = composed(chain.links[i:j])
                if op is not None and meant is Standing.DENIED:
                    op = NEGATED.get(op)
                if self._is_the_same(atom, op, chain, i, j):
                    self._covered[at] |= {i, j}
                    self._places.setdefault(atom, chain.start)
        return atom in self._places

    def _is_the_same(self, atom: FormalRelation, op: str | None, chain: Chain, i: int, j: int) -> bool:
        left, right = chain.sides[i], chain.sides[j]
        if op == "congruent" and chain.modulus is not None:
            return atom.op == "=" and is_congruence(atom, left, right, chain.modulus)
        if atom.op == op and self._is_side(atom.left, left) and self._is_side(atom.right, right):
            return True
        if FLIPPED[atom.op] == op and self._is_side(atom.right, left) and self._is_side(atom.left, right):
            return True
        return op is not None and is_rearranged(atom, op, left, right)

    def _is_side(self, term: Term, side: Side) -> bool:
        if side.term is None:
            return (
                side.reason == IN_WORDS and isinstance(term, Variable) and _mentions(side.source, term.text)
            )
        return is_same_side(term, side.term)

    def _check_left_out(self) -> None:
        """The formula has each relation that the prose claims ([STEP-FORMAL-SAYS]).

        Left out may be what is worked out on the way, `2 * 3 = 6`, and what a premise has already.
        """
        for at, (chain, meant) in enumerate(self.chains):
            if meant is Standing.QUOTED:
                continue
            for i, link in enumerate(chain.links):
                left, right = chain.sides[i], chain.sides[i + 1]
                if {i, i + 1} <= self._covered[at] or left.term is None or right.term is None:
                    continue
                on_the_way = is_worked_out(left, link, right, chain.modulus)
                is_kept = self._covered[at] or self._is_said_in_words(chain)
                if not (on_the_way and is_kept) and not self._is_known(left, link, right):
                    relation = f"{left.source.strip()} {link} {right.source.strip()}"
                    raise _Disagreement(f"it leaves out `{relation}`")

    def _is_said_in_words(self, chain: Chain) -> bool:
        """Whether the formula has what a chain comes to, or some other chain."""
        sides = [side for atom in self.atoms for side in (atom.left, atom.right)]
        if any(map(bool, self._covered)):
            return True
        return any(self._is_side(side, result) for side in sides for result in _results(chain))

    def _is_known(self, left: Side, link: str, right: Side) -> bool:
        """Whether a relation of the prose is one that a premise has."""
        if left.term is None or right.term is None or link not in FLIPPED:
            return False
        atom = FormalRelation(link, left.term, right.term)
        for premise in self.around.premises:
            for chain in find_chains(premise, self.context).chains:
                for i, other in enumerate(chain.links):
                    if other in FLIPPED and self._is_the_same(atom, other, chain, i, i + 1):
                        return True
        return False

    # --- what is in words ---

    def _check_in_words(self, atom: FormalRelation) -> None:
        """A relation of the formula that no formula of the prose has may be in its words."""
        if self.chains and not self._is_of_a_result(atom) and not self._is_beside(atom):
            raise _Disagreement(f"the step does not say that {atom}")
        found = comparisons(self.text)
        if atom.op == "=":
            fits = equates(self.text) or not found
            fits = fits and (not found or bool(self.chains) or len(self.atoms) > len(found))
        else:
            fits = any(self._is_compared(atom, each.op, each.start, each.end) for each in found)
            fits = fits or self._is_signed(atom, self.text)
        if not fits:
            raise _Disagreement(f"the words of the step do not say that {atom}")

    def _is_of_a_result(self, atom: FormalRelation) -> bool:
        """Whether it says something, in words, of what a chain of the prose comes to."""
        for named, given in ((atom.left, atom.right), (atom.right, atom.left)):
            if isinstance(named, Variable) and self._is_result(given):
                return _mentions(self.text, named.text)
        return False

    def _is_result(self, term: Term) -> bool:
        return bool(self._with_result(term))

    def _with_result(self, term: Term) -> set[int]:
        """The chains that come to something."""
        return {
            at
            for at, each in enumerate(self.chains)
            if any(self._is_side(term, side) for side in _results(each.chain))
        }

    def _is_beside(self, atom: FormalRelation) -> bool:
        """Whether words outside the chains compare its sides, each in them or a result of a chain."""
        outside = _without(self.text, [each.chain for each in self.chains])
        left, right = self._with_result(atom.left), self._with_result(atom.right)
        if atom.op == "=" or left & right:
            return False
        for side, found in ((atom.left, left), (atom.right, right)):
            if not (found or _is_zero(side) or _occurs(side, outside)):
                return False
        return bool(comparisons(outside)) or self._is_signed(atom, outside)

    def _is_signed(self, atom: FormalRelation, said: str) -> bool:
        """Whether a text says of something that it is positive, negative or not zero."""
        op = atom.op if isinstance(atom.right, Num) else FLIPPED[atom.op]
        return any(map(_is_zero, (atom.left, atom.right))) and compares_with_zero(said, op)

    def _is_compared(self, atom: FormalRelation, op: str, start: int, end: int) -> bool:
        """Whether a relation of the formula is that of a comparison, whose sides stand around it."""
        before, behind = self.text[:start], self.text[end:]
        straight = _occurs(atom.left, before) and _occurs(atom.right, behind)
        turned = _occurs(atom.right, before) and _occurs(atom.left, behind)
        if straight == turned:
            return op in (atom.op, FLIPPED[atom.op])
        return op == (atom.op if straight else FLIPPED[atom.op])

    def _check_comparisons(self) -> None:
        """Each comparison in words or signs outside the formulas is one of the formula's."""
        ops = {op for atom in self.atoms for op in (atom.op, FLIPPED[atom.op])}
        if any(is_op(part, "mod") for part in parts(self.formal)):
            return
        outside = _without(self.text, [each.chain for each in self.chains])
        for each in comparisons(outside):
            if each.op not in ops:
                words = " ".join(outside[each.start : each.end].split())
                raise _Disagreement(f"it does not say `{words}`")

    def _check_words_left_out(self) -> None:
        """Without formulas: the formula has the numbers, the letters and the operations of the prose."""
        has = _known_numbers([text(self.formal)]) | set(numbers_of(self.formal))
        for number in numbers_in(self.text, in_words=False):
            if number not in has and number / 100 not in has:
                raise _Disagreement(f"it leaves out the number {number}")
        self._check_counts()
        names = free_names(self.formal)
        for letter, digits in _LETTER.findall(_COMMAND.sub(" ", self.text)):
            if names.isdisjoint((letter, letter.lower(), letter + digits)):
                raise _Disagreement(f"it leaves out `{letter}`")
        ops = {part.op for part in parts(self.formal) if isinstance(part, Op)}
        for op, pattern in _OPERATIONS:
            word = pattern.search(self.text)
            if word and op not in ops:
                raise _Disagreement(f"it does not say `{word[0]}`")

    def _check_counts(self) -> None:
        """A name that is once in words is once in the formula: `x + y = y + x` is not that x equals y."""
        given = numbers_in(self.text)
        for number, count in Counter(numbers_of(self.formal)).items():
            if count > max(1, given[number]):
                raise _Disagreement(f"it has the number {number} more often than the step")
        names = Counter(part.text for part in parts(self.formal) if isinstance(part, Variable))
        for name, count in names.items():
            said = len(re.findall(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])", self.text))
            if count > max(1, said) and not any(is_op(part, *BINDERS) for part in parts(self.formal)):
                raise _Disagreement(f"it has `{name}` more often than the step")

    # --- expressions and connectives ---

    def _check_expression(self) -> None:
        """An expression is one that the prose has."""
        if self.chains:
            raise _Disagreement("it is an expression, and the step says a relation")
        terms = [*self.reading.values, *(side.term for side in self._sides() if side.term is not None)]
        if not any(is_same_side(self.formal, term) for term in terms):
            raise _Disagreement(f"the step does not have the expression {shown(self.formal)}")

    def _sides(self) -> Iterator[Side]:
        for chain in find_chains(self.text, self.context).chains:
            yield from chain.sides

    def _check_connectives(self) -> None:
        """Alternatives and conditions are those of the prose ([STEP-FORMAL-LOGIC])."""
        ops = {part.op for part in parts(self.formal) if isinstance(part, Op)}
        has_or = _OR.search(self.text) is not None
        is_either = has_or or _SIGNS.search(self.text) or self._has_listed_values() or self._has_values()
        if "or" in ops and not is_either:
            raise _Disagreement("it has alternatives, and the step has none")
        if ops & {"=>", "<=>"}:
            if not _IF.search(self.text):
                raise _Disagreement("it has a condition, and the step has none")
            self._check_condition()
        elif _IF_FIRST.search(self.text) and self._is_conditional():
            raise _Disagreement("it has no condition, and the step has one")
        elif "or" not in ops and (self._is_alternative() or self._has_signs()):
            raise _Disagreement("it has no alternatives, and the step has some")

    def _has_listed_values(self) -> bool:
        return bool(re.search(r"\d\s*(?:,|\band\b)\s*[$\\a-z]*\s*=?\s*-?\d", self.text))

    def _has_values(self) -> bool:
        """Whether the prose lists values of a name, `x = 2 and x = 5`, of which it has one at a time."""
        values: dict[str, set[Fraction]] = {}
        for chain in (each.chain for each in self.chains):
            name, given = chain.sides[0].term, chain.sides[-1].term
            if isinstance(name, Variable) and given is not None and composed(chain.links) == "=":
                with suppress(NotExact):
                    values.setdefault(name.text, set()).add(value(given))
        return any(len(each) > 1 for each in values.values())

    def _has_signs(self) -> bool:
        return len(self.atoms) > 1 and any(_SIGNS.search(self.text[c.start : c.end]) for c, _ in self.chains)

    def _is_conditional(self) -> bool:
        supposed = [each.chain.start for each in self.chains if each.standing is Standing.SUPPOSED]
        if len(supposed) < 2 or not re.search(r"\b(?:then|so|gives?|get)\b|,", self.text, re.IGNORECASE):
            return False
        then = re.search(r"\bthen\b", self.text, re.IGNORECASE)
        return then is None or min(supposed) < then.start()  # A condition in words is in no formula.

    def _is_alternative(self) -> bool:
        """Whether `or` stands between two chains of the prose, or joins its words."""
        chains = [each.chain for each in self.chains]
        between = (self.text[one.end - 4 : other.start] for one, other in pairwise(chains))
        if any(map(_OR.search, between)):
            return True
        return len(self.atoms) > 1 and not chains and _OR.search(self.text) is not None

    def _check_condition(self) -> None:
        """`if A, then B` is an implication from A to B."""
        first = _IF_FIRST.search(self.text)
        before = [place for atom, place in self._places.items() if not atom.after]
        after = [place for atom, place in self._places.items() if atom.after]
        if first is None or not before or not after:
            return
        leads = first.start() < min(before + after)
        if (leads and min(before) > max(after)) or (not leads and max(before) < min(after)):
            raise _Disagreement("its condition is what the step concludes")


def _pairs(count: int) -> Iterable[tuple[int, int]]:
    """Places of two sides of a chain with so many; of a very long one those of neighbours, and the ends."""
    if count <= _MOST_SIDES:
        return combinations(range(count), 2)
    # There are quadratically many others, each compared with each relation of the formula.
    return [*pairwise(range(count)), (0, count - 1)]


def _results(chain: Chain) -> Iterator[Side]:
    """The last side of a chain, and those before it that equal it."""
    yield chain.sides[-1]
    for side, link in zip(reversed(chain.sides[:-1]), reversed(chain.links), strict=True):
        if link != "=":
            return
        yield side


def _is_zero(term: Term) -> bool:
    return isinstance(term, Num) and not term.value


def _without(text: str, chains: Sequence[Chain]) -> str:
    """A text with blanks for chains of relations: their signs are no words of others."""
    found = list(text)
    for each in chains:
        found[each.start : each.end] = " " * len(found[each.start : each.end])
    return "".join(found)


# --- numbers and names -------------------------------------------------------------------------------


def _known_numbers(texts: Sequence[str]) -> set[Fraction]:
    """The numbers of texts, in digits and in words, and those that their words bring along."""
    found = {number for each in texts for number in numbers_in(each)}
    for pattern, more in _WITH_NUMBERS:
        if any(map(pattern.search, texts)):
            found |= set(map(Fraction, more))
    if any(map(_PERCENT.search, texts)):
        found |= {each / 100 for each in found}
    return found


def _is_known(number: Fraction, known: set[Fraction]) -> bool:
    over, under = Fraction(number.numerator), Fraction(number.denominator)
    return number in known or (under != 1 and {over, under} <= known)


def _occurs(term: Term, said: str) -> bool:
    """Whether a part of a text has a name or a number of a term."""
    names = free_names(term)
    if names:
        return any(_mentions(said, name) for name in names)
    return any(number in _known_numbers([said]) for number in numbers_of(term))


def _mentions(said: str, name: str) -> bool:
    """Whether a text has a name: as a letter, as a command of LaTeX, or in words."""
    base, _, index = name.partition("_")
    if base[:3].lower() not in said.lower():
        return False  # As is told at once of most texts.
    if base in GREEK:
        return f"\\{base}" in said or _has_words(said, [base])
    if len(base) > 1:
        return _has_words(said, [part for part in re.split(r"[_\d]+", name) if part])
    standing_alone = rf"(?<![A-Za-z\\]){re.escape(base)}(?![A-Za-z])"
    if index:
        return re.search(rf"{standing_alone}_?\s*\{{?\s*{re.escape(index)}", said) is not None
    if re.search(standing_alone, said):
        return True
    return any(base in _COMMAND.sub(" ", span.source) for span in formula_spans(said))


def _has_words(said: str, wanted: Sequence[str]) -> bool:
    found = {*stems(said), *(stem(word) for word in re.findall(r"[a-z]+", said.lower()))}
    return all(stem(each.lower()) in found for each in wanted)
