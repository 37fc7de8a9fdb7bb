"""What a sentence with formulas says: claims, values, names ([STEP-SENTENCES]).

A documented set of sentence patterns over templates (`chunks`). A sentence that fits none, or that has a
word which may turn round what is said, is not read: the reading says why.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Final, NamedTuple

from . import vocabulary
from .chunks import Template, template, with_unit
from .phrases import NUMERALS, is_generic, stem, stems
from .readings import NO_CONTEXT, Context, Reading, Schema
from .syntax import (
    Name,
    Num,
    Op,
    Quantity,
    Term,
    Unreadable,
    free_names,
    is_statement,
    joined,
    number,
)
from .units import is_unit


def read_sentence(source: str, context: Context = NO_CONTEXT) -> Reading:
    """What a sentence says. Never raises for what it contains."""
    try:
        return _Sentence(template(source, context.functions, context.variables), context).read()
    except Unreadable as error:
        return Reading(reason=str(error))


_MARK: Final = r"⟦(\d+)⟧"
_SIGN: Final = re.compile(r"[<>+%$≈~^&|≠≤≥±×÷·√°∞≡∼≅]")
_CHUNK: Final = re.compile(_MARK)
_ATTRIBUTES: Final = {
    "fast": "speed", "quickly": "speed", "far": "distance", "long": "length", "old": "age", "tall": "height",
    "heavy": "weight", "expensive": "price", "many": "number", "much": "amount",
}  # fmt: skip
_LETTERS: Final = {"d": "distance", "v": "speed", "t": "time"}
_TIMES: Final[dict[str, int | Fraction]] = {
    "twice": 2,
    "double": 2,
    "triple": 3,
    "thrice": 3,
    "half": Fraction(1, 2),
}
_TIMES_AS: Final = re.compile(
    rf"^(?P<who>[\w' ]+?) (?P<verb>\w+) (?:{_MARK} times|(?P<word>twice|half|thrice|three times)) as "
    r"(?P<attribute>\w+) as (?P<other>\w+)(?: (?P<verb2>\w+))?\.?$"
)
_SPENDS: Final = re.compile(rf"^(?P<who>[\w' ]+?) spends {_MARK} (?P<unit>\w+) (?P<verb>\w+ing)\.?$")
_FORMULA: Final = re.compile(
    r"^(?:the |recall the |we use the )?(?:\w+ )?formula for (?P<what>[\w' ⟦⟧]*?)"
    r"(?P<where>,? ?(?:\(|where )[^.]*?\)?,?)? "
    rf"(?:is|reads|states that|says that|is given by) {_MARK}(?P<where2>,? ?(?:\(|where )[^.]*)?\.?$"
)
_LET: Final = re.compile(
    rf"^(?:(?:now|next),? )?let {_MARK} (?:represent|be|denote|stand for|equal|mean) (?P<what>[^⟦]+?)\.?$"
)
_LET_PHRASE: Final = re.compile(
    rf"^(?:(?:now|next),? )?let (?P<what>[^⟦]+?) be (?:denoted by |called )?{_MARK}\.?$"
)
_SORT: Final = re.compile(
    r"^(?:an? |the |some |two |three )?(?:(?:positive|negative|non-?negative|nonzero|distinct|fixed|"
    r"arbitrary|given|odd|even|prime|unknown) )*(?:integers?|(?:real |whole |natural )?numbers?|reals?)$"
)
_IF: Final = re.compile(rf"^(?:if|when|for) {_MARK},? (?:then |we (?:have|get) )?{_MARK}\.?$")
_IMPLIES: Final = re.compile(rf"^{_MARK} (?:implies|if and only if|iff) {_MARK}\.?$")
_BETWEEN: Final = re.compile(r"^\s*(?:,|;|and|or|, and|, or|,? and also|,? or also|,? and then)\s*$")
_ENDINGS: Final = re.compile(
    r"\b(as (?:required|desired|needed|claimed|the (?:answer|result|sum|product))|as well|too|respectively|"
    r"by (?:definition|substitution|the [a-z ]+)|after (?:simplification|simplifying)|in total|is true|holds|"
    r"in (?:its )?(?:simplest|lowest|factou?red) (?:form|terms))\b"
)


class _Sentence:
    """One sentence on its way to a reading."""

    def __init__(self, source: Template, context: Context) -> None:
        self.words = source.words
        self.lower = source.words.lower()
        self.chunks = source.chunks
        self.context = context

    def read(self) -> Reading:
        if not self.chunks and not _NUMBER_WORD.search(self.lower):
            return Reading(
                reason="there is no formula in it", supposes=bool(vocabulary.SUPPOSING.match(self.lower))
            )
        patterns: tuple[Callable[[], Reading | None], ...] = (
            self._formula, self._let, self._counted, self._times_as, self._spends, self._conditional,
        )  # fmt: skip
        for pattern in patterns if len(self.lower) <= _LONGEST_PATTERN else ():
            found = pattern()
            if found is not None:
                return found
        sign = _SIGN.search(_CHUNK.sub("", self.lower))
        if sign:
            raise Unreadable(f"does not read {sign[0]!r} outside of formulas")
        blocked = vocabulary.BLOCKING.search(self.lower)
        if blocked:
            return Reading(reason=f"the word {blocked[0]!r} may change what the formulas say")
        if vocabulary.GOAL.match(self.lower):
            return self._goal()
        return self._statement()

    def _term(self, at: int | str) -> Term:
        chunk = self.chunks[int(at)]
        if isinstance(chunk, Unreadable):
            raise chunk
        return chunk

    def _phrase(self, phrase: str) -> Quantity | None:
        """The quantity that a noun phrase names; None for one that names nothing of its own."""
        people = self.context.people if len(self.context.people) == 1 else frozenset[str]()
        found = tuple(word for word in stems(phrase) if word not in people)
        if not found or is_generic(found):
            return None
        if len(found) > _LONGEST_PHRASE:
            raise Unreadable("a phrase is too long to name a quantity")
        several = len(self.context.people) > 1 or len(self.context.pronouns) > 1
        if several and re.search(r"\b(his|her|their|he|she|they)\b", phrase):
            raise Unreadable("it is open whom a pronoun means")
        return Quantity(found, " ".join(phrase.split()).removeprefix("the "))

    # --- patterns for the whole sentence ---

    def _formula(self) -> Reading | None:
        match = _FORMULA.match(self.lower)
        if match is None:
            return None
        formula = self._term(match[3])
        if not (isinstance(formula, Op) and formula.op == "=" and isinstance(formula.args[0], Name)):
            raise Unreadable("does not read what the letters of the formula stand for")
        known = self._where((match["where"] or "") + (match["where2"] or ""), match["what"])
        subject = stems(_CHUNK.sub(" ", match["what"])) if not _CHUNK.search(match["what"]) else ()
        letters = {name: known.get(name) or _LETTERS.get(name) for name in free_names(formula)}
        head = formula.args[0].text
        if known.get(head) is None and subject and stem("distance") not in subject:
            letters[head] = subject[0] if len(subject) == 1 else None
        if not all(letters.values()):
            raise Unreadable("does not read what the letters of the formula stand for")
        named = tuple(sorted((name, stem(what or "")) for name, what in letters.items()))
        return Reading(schema=Schema(formula, named))

    def _where(self, clause: str, subject: str) -> dict[str, str]:
        """What `where d is distance and v is speed` says of letters, or `distance d at speed v`."""
        found = {}
        named = re.findall(rf"{_MARK} (?:is|represents|denotes|stands for) (?:the )?(\w+)", clause)
        for at, phrase in [*named, *((at, word) for word, at in re.findall(rf"(\w+) {_MARK}", subject))]:
            term = self._term(at)
            if isinstance(term, Name):
                found[term.text] = phrase
        return found

    def _let(self) -> Reading | None:
        match = _LET.match(self.lower)
        if match is not None:
            term, what = self._term(match[1]), match["what"].strip()
        else:
            match = _LET_PHRASE.match(self.lower)
            if match is None:
                return None
            term, what = self._term(match[2]), match["what"].strip()
        names = term.args if isinstance(term, Op) and term.op == "list" else (term,)
        if not all(isinstance(name, Name) for name in names):
            return None
        introduced = frozenset(name.text for name in names if isinstance(name, Name))
        sort = _SORT.match(what)
        if sort is not None:
            return _sorted_as(names, introduced, sort[0])
        if len(names) > 1:
            raise Unreadable("several variables are introduced at once")
        try:
            quantity = self._phrase(_without_unit(what))
        except Unreadable as error:
            return Reading(reason=str(error), supposes=True, names=introduced, is_introduction=True)
        if quantity is None:
            reason = "does not read what the variable stands for"
            return Reading(reason=reason, supposes=True, names=introduced, is_introduction=True)
        claim = Op("=", (names[0], quantity))
        return Reading(claims=(claim,), supposes=True, names=introduced, is_introduction=True)

    def _counted(self) -> Reading | None:
        match = vocabulary.COUNTED.search(self.lower)
        if match is None or match.end() != len(self.lower):
            return None
        low, high = self._range(match)
        step: Term = self._term(match["m"]) if match["m"] else number(1)
        over, under = (Op("floor", (Op("/", (high, step)),)), Op("ceil", (Op("/", (low, step)),)))
        count = Op("+", (over, Op("neg", (under,)), number(1)))
        positive = match["kind"] in ("natural numbers", "positive integers", "whole numbers")
        if positive and not (isinstance(low, Num) and low.value >= 1):
            raise Unreadable("does not read which numbers are counted")
        return Reading(claims=(Op("=", (Op("max", (count, number(0))), self._term(match["count"]))),))

    def _range(self, match: re.Match[str]) -> tuple[Term, Term]:
        if match["set"]:
            found = self._term(match["set"])
            if isinstance(found, Op) and found.op == "[]" and len(found.args) == 2:
                return found.args[0], found.args[1]
        elif match["where"]:
            found = self._term(match["where"])
            if isinstance(found, Op) and found.op == "and" and len(found.args) == 2:
                first, last = found.args
                assert isinstance(first, Op) and isinstance(last, Op)
                if first.op == last.op == "<=" and first.args[1] == last.args[0]:
                    return first.args[0], last.args[1]
            match found:
                case Op("in", (_, Op("[]", (first, last)))):
                    return first, last
        elif match["incl"] or " from " in match[0]:
            return self._term(match["low"]), self._term(match["high"])
        raise Unreadable("does not read which numbers are counted")

    def _times_as(self) -> Reading | None:
        match = _TIMES_AS.match(self.lower)
        if match is None or match["attribute"] not in _ATTRIBUTES:
            return None
        factor = self._term(match[3]) if match[3] else _times(match["word"])
        attribute = _ATTRIBUTES[match["attribute"]]
        other = match["verb2"] or match["verb"]
        if not match["verb2"] and match["other"] in ("he", "she", "they", "it"):
            return None
        left = self._phrase(f"{match['who']} {match['verb']} {attribute}")
        right = self._phrase(f"{match['other']} {other} {attribute}")
        if left is None or right is None or left == right:
            raise Unreadable("does not read what is compared")
        return Reading(claims=(Op("=", (left, Op("*", (factor, right)))),))

    def _spends(self) -> Reading | None:
        match = _SPENDS.match(self.lower)
        if match is None or not is_unit(match["unit"]):
            return None
        quantity = self._phrase(f"{match['who']} {match['verb']} time")
        if quantity is None:
            return None
        return Reading(claims=(Op("=", (quantity, with_unit(self._term(match[2]), match["unit"]))),))

    def _conditional(self) -> Reading | None:
        match = _IF.match(self.lower) or _IMPLIES.match(self.lower)
        if match is None:
            return None
        left, right = self._term(match[1]), self._term(match[2])
        if not (is_statement(left) and is_statement(right)):
            return None
        both = "if and only if" in self.lower or " iff " in self.lower
        return Reading(claims=(Op("<=>" if both else "=>", (left, right)),))

    def _goal(self) -> Reading:
        """A sentence that says what is to be done; an expression in it is what later steps speak of."""
        terms = [chunk for chunk in self.chunks if not isinstance(chunk, Unreadable)]
        values = tuple(term for term in terms if not is_statement(term))
        if len(terms) == 1 and values and not isinstance(values[0], Name):
            return Reading(values=values, is_goal=True)
        return Reading(reason="it states a goal", is_goal=True)

    # --- statements ---

    def _statement(self) -> Reading:
        supposes = bool(vocabulary.SUPPOSING.match(self.lower))
        head, main = self._divided()
        if not supposes and vocabulary.CONDITION.search(re.sub(_MARK, "", head)):
            raise Unreadable("it holds under a condition that is not read")
        if supposes:
            main = vocabulary.SUPPOSING.sub("", main).removeprefix(" that").strip()
        adjunct = vocabulary.ADJUNCT.match(main)
        if adjunct and _CHUNK.search(main, adjunct.end()):
            if vocabulary.CONDITION.search(_CHUNK.sub("", adjunct[0])):
                raise Unreadable("it holds under a condition that is not read")
            head, main = head + adjunct[0], main[adjunct.end() :]
        reading = self._main(main, head)
        rewrites = bool(vocabulary.REWRITING.search(self.lower))
        named = frozenset[str]().union(*map(free_names, reading.claims)) if supposes else frozenset[str]()
        unsure = () if supposes else reading.unsure
        return reading._replace(supposes=supposes, names=named, rewrites=rewrites, unsure=unsure)

    def _divided(self) -> tuple[str, str]:
        """The sentence as what leads up to its conclusion, and the conclusion."""
        found = None
        for match in vocabulary.GIVING.finditer(self.lower):
            if _CHUNK.search(self.lower, match.end()):
                found = match
        if found is None:
            return "", self.lower
        head, main = self.lower[: found.end()], self.lower[found.end() :]
        equating = vocabulary.EQUATING.search(found[0])
        if equating and _CHUNK.search(head):
            # `the expression X simplifies to Y`: both belong together.
            start = head.rfind(" gives ")
            return "", self.lower if start < 0 else self.lower[start + 7 :]
        if re.search(r"\bas$|\bto be$", found[0].strip()):
            before = list(vocabulary.GIVING.finditer(self.lower[: found.start() + 1]))
            cut = before[-1].end() if before else 0
            return self.lower[:cut], self.lower[cut:]
        return head, main

    def _main(self, main: str, head: str) -> Reading:
        marks = list(_CHUNK.finditer(main))
        if not marks:
            raise Unreadable("there is no formula in what it says")
        first = self._group(main, marks)
        before = main[: marks[first].start()].strip(" ,")
        after = main[marks[-1].end() :]
        terms = [self._term(mark[1]) for mark in marks[first:]]
        after, unit = self._tail(after)
        if unit:
            terms[-1] = with_unit(terms[-1], unit)
        links = [main[a.end() : b.start()] for a, b in zip(marks[first:], marks[first + 1 :], strict=False)]
        subject = self._subject(before, marks[:first], terms)
        if subject.term is None and is_statement(terms[0]):
            subject = self._applied(head, terms[0])
        elif subject.term is None and not before:
            subject = subject._replace(term=self._worded(head.strip(" ,")))
        unsure = self._passed_over(before, after, subject)
        term = self._linked(terms, links, main)
        if subject.term is None and not is_statement(term):
            return self._unnamed(term, unsure, f"{head} {before}")
        reading = self._said(term, subject, unsure)
        moved = vocabulary.CHANGING.search(before) or _CHUNK.search(head) or [*_strange(head)]
        return reading._replace(shifts=isinstance(subject.term, Quantity) and bool(moved))

    def _passed_over(self, before: str, after: str, subject: _Subject) -> tuple[str, ...]:
        """The words that are not read. Raises Unreadable where they may change what the formula says."""
        strange = [*_strange(subject.passed)]
        if strange and not re.search(r"(?:\b(?:that|is|are|be|equals)|[:,])$", before):
            raise Unreadable(f"does not read the word {strange[-1]!r}")
        beyond = [*_strange(after)]
        if len(beyond) > 1 or not vocabulary.ALTERING.isdisjoint(beyond):
            raise Unreadable(f"does not read the word {beyond[0]!r}")
        return (*strange, *beyond)

    def _applied(self, head: str, claim: Term) -> _Subject:
        """What `Running distance, by the formula, yields d = …` applies the formula to."""
        name = claim.args[0] if isinstance(claim, Op) and claim.args else None
        if not (isinstance(name, Name) and name.text in self.context.letters):
            return _Subject(None, False, "")
        attribute = dict(self.context.attributes)[name.text]
        pieces = re.split(r"[,;:]|\b(?:to|for|using|applying|by|with|in|gives|yields|we|is|as)\b", head)
        found = [stems(piece) for piece in pieces if attribute in stems(piece)]
        named = dict.fromkeys(words for words in found if len(words) > 1)
        if len(named) != 1:
            raise Unreadable("does not read what the formula is applied to")
        return _Subject(self._phrase(" ".join(next(iter(named)))), True, "")

    def _group(self, main: str, marks: list[re.Match[str]]) -> int:
        """The first of the formulas at the end that stand in one list."""
        first = len(marks) - 1
        while first > 0 and _BETWEEN.match(main[marks[first - 1].end() : marks[first].start()]):
            first -= 1
        return first

    def _tail(self, after: str) -> tuple[str, str | None]:
        """The words after the last formula: what is left of them, and a unit."""
        rest = _ENDINGS.sub("", after).strip(" .,;!")
        match = re.match(r"^(?:\w+ per \w+|square \w+|cubic \w+|[\w/^]+)", rest)
        if match and is_unit(match[0]):
            return rest[match.end() :].strip(" .,;!"), match[0]
        return rest, None

    def _linked(self, terms: list[Term], links: list[str], main: str) -> Term:
        """Several formulas in a row as one: all hold, or one of them where they cannot all."""
        if len(terms) == 1:
            return terms[0]
        if any(map(is_statement, terms)) and not all(map(is_statement, terms)):
            if is_statement(terms[0]) and not any(map(is_statement, terms[1:])):
                first = terms[0]
                assert isinstance(first, Op)
                if first.op == "=":
                    return Op("or", (first, *(Op("=", (first.args[0], each)) for each in terms[1:])))
            raise Unreadable("does not read how the formulas belong together")
        if not is_statement(terms[0]):
            return Op("list", tuple(terms))
        alternatives = ["or" in link.split() for link in links]
        same = len({each.args[0] if isinstance(each, Op) else each for each in terms}) == 1
        if any(alternatives) and not (all(alternatives) or same):
            raise Unreadable("does not read how the formulas belong together")
        return Op(
            "or" if any(alternatives) or (same and vocabulary.SOLUTIONS.search(main)) else "and", tuple(terms)
        )

    def _subject(self, before: str, inner: list[re.Match[str]], terms: list[Term]) -> _Subject:
        """What the words before a formula say that it is about."""
        if not inner:
            return self._named_subject(before)
        worded = self._worded(before)
        if worded is not None:
            return _Subject(worded, True, "")
        between = before[inner[-1].end() :].strip()
        lead = before[: inner[0].start()]
        if len(inner) == 1 and vocabulary.EQUATING.fullmatch(_ADVERBS.sub("", between)):
            if is_statement(self._term(inner[0][1])):
                if is_statement(terms[0]) and not [*_strange(lead)]:
                    return _Subject(None, False, "")
            elif is_generic(stems(lead)):
                return _Subject(self._term(inner[0][1]), True, "")
            raise Unreadable(f"does not read what {lead.strip()!r} says of a formula")
        if not is_statement(terms[0]) or [*_strange(before)]:
            raise Unreadable("does not read how the formulas belong together")
        return _Subject(None, False, "")

    def _named_subject(self, before: str) -> _Subject:
        match = re.search(r"(?:^|\s)(is equal to|equals?|is|are|was|were|as|to be|=)$", before)
        phrase = before[: match.start()] if match else before
        phrase = phrase.split(":")[-1].split(",")[-1].strip()
        if match is None:
            return _Subject(None, False, before)
        compared = _RATIO_OF.match(phrase)
        if compared:
            sides = [self._phrase(side) for side in compared.groups()]
            if None in sides:
                raise Unreadable("does not read what the ratio is of")
            return _Subject(Op("ratio", tuple(side for side in sides if side is not None)), True, "")
        found = stems(phrase)
        if vocabulary.ABOUT_FORMULAS.isdisjoint(found) and not set(found) <= _HARMLESS_STEMS:
            quantity = self._phrase(phrase)
            if quantity is not None:
                return _Subject(quantity, True, "")
        return _Subject(None, False, before)

    def _worded(self, before: str) -> Term | None:
        """`the sum of A and B is`, `A divided by B is`, `the square of A is`: the operation in words."""
        for pattern, make in _OPERATIONS:
            match = pattern.fullmatch(before)
            if match:
                terms = [self._term(at) for at in match.groups()]
                return None if any(map(is_statement, terms)) else make(terms)
        return None

    def _said(self, term: Term, subject: _Subject, unsure: tuple[str, ...]) -> Reading:
        if is_statement(term):
            claim = _possible(term)
            claims: tuple[Term, ...] = (claim,)
            if isinstance(subject.term, Quantity):
                claims = self._about(claim, subject)
            elif subject.term is not None:
                raise Unreadable("a statement stands where a value is expected")
            return Reading(claims=claims, unsure=unsure)
        assert subject.term is not None
        values = _values(term)
        said = tuple(Op("=", (subject.term, value)) for value in values)
        if len(values) > 1 and not isinstance(subject.term, Quantity):
            raise Unreadable("does not read how the values belong together")
        return Reading(claims=(joined("or", said),), unsure=unsure)

    def _unnamed(self, term: Term, unsure: tuple[str, ...], lead: str) -> Reading:
        """Values of what a premise is about, or of its unknown: the sentence does not say of what."""
        if unsure:
            raise Unreadable(f"does not read the word {unsure[0]!r}")
        other = vocabulary.ALTERED.search(lead)
        solves = vocabulary.SOLVING.search(lead)
        if other is None and (solves or _CHUNK.search(lead)):
            other = vocabulary.OPERATING.search(lead)
        if other:
            raise Unreadable(f"does not read of what {other[0]!r} gives the value")
        strange = tuple(word for word in _strange(lead) if not is_generic((stem(word),)))
        return Reading(values=_values(term), unsure=strange, solves=solves is not None)

    def _about(self, claim: Term, subject: _Subject) -> tuple[Term, ...]:
        """`The area is A = 25`, `Running distance yields d = 3r`: what the equation says of the subject."""
        assert subject.term is not None
        first = claim
        while isinstance(first, Op) and first.op == "and":
            first = first.args[0]
        if not (isinstance(first, Op) and first.op == "="):
            return (claim,) if not subject.sure else _refuse("does not read what is said of the subject")
        name = first.args[0]
        if isinstance(name, Name) and name.text in self.context.letters and isinstance(claim, Op):
            if claim.op != "=":
                return tuple(Op(each.op, tuple(subject.term if arg == name else arg for arg in each.args))
                             for each in claim.args if isinstance(each, Op))  # fmt: skip
            return (Op("=", (subject.term, claim.args[1])),)
        if not subject.sure:
            return (claim,)
        return (claim, Op("=", (name, subject.term)))


class _Subject(NamedTuple):
    """What a sentence is about; `sure` where a copula says so; `passed` are words that were passed over."""

    term: Term | None
    sure: bool
    passed: str


def _values(term: Term) -> tuple[Term, ...]:
    return term.args if isinstance(term, Op) and term.op == "list" else (term,)


def _refuse(reason: str) -> tuple[Term, ...]:
    raise Unreadable(reason)


_ADVERBS: Final = re.compile(r" (?:simply|just|either|exactly|then|now|thus|therefore)$")
_RATIO_OF: Final = re.compile(r"^(?:the )?ratio of (.+?) to (.+)$")
_LONGEST_PHRASE: Final = 8
_LONGEST_PATTERN: Final = 600
"""Characters of a sentence up to which it is compared with whole patterns, some of which backtrack."""
_NUMBER_WORD: Final = re.compile(r"\b(?:" + "|".join([*NUMERALS, *_TIMES]) + r")\b")
_HARMLESS_STEMS: Final = frozenset(stem(word) for word in vocabulary.HARMLESS) | vocabulary.HARMLESS


def _times(word: str) -> Term:
    size = 3 if word == "three times" else _TIMES[word]
    return Op("/", (number(1), number(2))) if size == Fraction(1, 2) else number(size)


def _strange(passed: str) -> Iterable[str]:
    """The words that are neither harmless nor marks of formulas."""
    for word in re.findall(r"[a-z][a-z'-]*", _CHUNK.sub(" ", passed)):
        if word not in vocabulary.HARMLESS and stem(word) not in _HARMLESS_STEMS:
            yield word


def _without_unit(what: str) -> str:
    """A phrase without `in km/h` at its end."""
    match = re.search(r",? (?:\()?(?:measured )?in ([\w/ ^]+?)\)?$", what)
    if match and is_unit(match[1]):
        return what[: match.start()]
    return what


def _sorted_as(names: tuple[Term, ...], introduced: frozenset[str], what: str) -> Reading:
    """What `let n be a positive integer` says."""
    claims: list[Term] = []
    for name in names:
        if re.search(r"\b(positive|natural|prime)\b", what):
            claims.append(Op(">", (name, number(0))))
        elif re.search(r"non-?negative|\bwhole\b", what):
            claims.append(Op(">=", (name, number(0))))
        elif "negative" in what:
            claims.append(Op("<", (name, number(0))))
        elif "nonzero" in what:
            claims.append(Op("!=", (name, number(0))))
    whole = bool(re.search(r"integer|whole|natural|prime|odd|even", what))
    if re.search(r"\b(odd|even)\b", what):
        rest = number("odd" in what)
        claims += [Op("=", (Op("mod", (name, number(2))), rest)) for name in names]
    integers = introduced if whole else frozenset[str]()
    return Reading(
        claims=tuple(claims), supposes=True, names=introduced, integers=integers, is_introduction=True
    )


def _possible(claim: Term) -> Term:
    """`x = 2 and x = 3` as the alternatives that are meant: a variable has one value."""
    if not (isinstance(claim, Op) and claim.op == "and"):
        return claim
    firsts = {each.args[0] if isinstance(each, Op) and each.op == "=" else None for each in claim.args}
    lasts = {each.args[1] for each in claim.args if isinstance(each, Op) and len(each.args) == 2}
    one = next(iter(firsts))
    if len(firsts) == 1 and isinstance(one, Name) and len(lasts) > 1:
        return Op("or", claim.args)
    return claim


def _pattern(shape: str) -> re.Pattern[str]:
    lead = r"(?:the |their )?"
    return re.compile(
        lead + shape.replace("#", _MARK) + r",? (?:is|equals|is equal to|=|gives|yields|are|we get)"
    )


_OPERATIONS: Final[tuple[tuple[re.Pattern[str], Callable[[list[Term]], Term]], ...]] = (
    (_pattern("sum of # and #"), lambda a: Op("+", tuple(a))),
    (_pattern("product of # and #"), lambda a: Op("*", tuple(a))),
    (_pattern("ratio of # to #"), lambda a: Op("ratio", tuple(a))),
    (_pattern("quotient of # and #"), lambda a: Op("/", tuple(a))),
    (_pattern("square of #"), lambda a: Op("^", (a[0], number(2)))),
    (_pattern("square root of #"), lambda a: Op("sqrt", (a[0],))),
    (_pattern("absolute value of #"), lambda a: Op("abs", (a[0],))),
    (_pattern("greatest common divisor of # and #"), lambda a: Op("gcd", tuple(a))),
    (_pattern("value of #"), lambda a: a[0]),
    (_pattern("# plus #"), lambda a: Op("+", tuple(a))),
    (_pattern("# minus #"), lambda a: Op("+", (a[0], Op("neg", (a[1],))))),
    (_pattern("# times #"), lambda a: Op("*", tuple(a))),
    (_pattern("# multiplied by #"), lambda a: Op("*", tuple(a))),
    (_pattern("# divided by #"), lambda a: Op("/", tuple(a))),
    (_pattern("adding # (?:and|to) #"), lambda a: Op("+", tuple(a))),
    (_pattern("subtracting # from #"), lambda a: Op("+", (a[1], Op("neg", (a[0],))))),
    (_pattern("multiplying # (?:and|by) #"), lambda a: Op("*", tuple(a))),
    (_pattern("dividing # by #"), lambda a: Op("/", tuple(a))),
    (_pattern("(?:half|one half) of #"), lambda a: Op("/", (a[0], number(2)))),
    (_pattern("(?:one|a) third of #"), lambda a: Op("/", (a[0], number(3)))),
    (_pattern("(?:one|a) (?:quarter|fourth) of #"), lambda a: Op("/", (a[0], number(4)))),
    (_pattern("# squared"), lambda a: Op("^", (a[0], number(2)))),
    (_pattern("# percent of #"), lambda a: Op("*", (Op("%", (a[0],)), a[1]))),
    (_pattern("# of #"), lambda a: Op("*", tuple(a))),
)
