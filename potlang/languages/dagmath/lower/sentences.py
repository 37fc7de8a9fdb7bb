"""The reader of sentences with formulas: claims, values, names ([STEP-SENTENCES]).

A sentence is a row of the pattern table, or a lead-in, a conclusion and what stands after it. One that is
neither, or that has a word which may turn round its meaning, is not read: the reading says why.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from potlang.languages.dagmath.lower import vocabulary
from potlang.languages.dagmath.lower.chunks import CHUNK, MARK, Template, with_unit
from potlang.languages.dagmath.lower.lists import with_values
from potlang.languages.dagmath.lower.patterns import OPERATIONS, read_whole
from potlang.languages.dagmath.lower.phrases import NUMERALS, TIMES, is_generic, stem, stems
from potlang.languages.dagmath.lower.readings import NO_CONTEXT, Context, Reading
from potlang.languages.dagmath.lower.syntax import (
    Op,
    Quantity,
    Term,
    Unreadable,
    Variable,
    conjuncts,
    free_names,
    is_op,
    is_statement,
    joined,
)
from potlang.languages.dagmath.lower.units import is_unit


def read_sentence(source: str, context: Context = NO_CONTEXT) -> Reading:
    """The reading of a sentence, with a reason where it is not read. Never raises for what it contains."""
    try:
        return _SentenceReading(source, context).read()
    except Unreadable as error:
        return Reading(reason=str(error))


_SIGN: Final = re.compile(r"[<>+%$≈~^&|≠≤≥±×÷·√°∞≡∼≅]")
_BETWEEN: Final = re.compile(r"^\s*(?:,|;|and|or|, and|, or|,? and also|,? or also|,? and then)\s*$")
_ENDINGS: Final = re.compile(
    r"\b(as (?:required|desired|needed|claimed|the (?:answer|result|sum|product))|as well|too|respectively|"
    r"by (?:definition|substitution|the [a-z ]+)|after (?:simplification|simplifying)|in total|is true|holds|"
    r"in (?:its )?(?:simplest|lowest|factou?red) (?:form|terms))\b"
)


class _SentenceReading(Template):
    """One sentence on its way to a reading."""

    def read(self) -> Reading:
        if not self.chunks and not _NUMBER_WORD.search(self.lower):
            supposes = bool(vocabulary.SUPPOSING.match(self.lower))
            return Reading(reason="there is no formula in it", supposes=supposes)
        found = read_whole(self)
        if found is not None:
            return found
        sign = _SIGN.search(CHUNK.sub("", self.lower))
        if sign:
            raise Unreadable(f"{sign[0]!r} stands outside of formulas")
        blocked = vocabulary.BLOCKING.search(self.lower)
        if blocked:
            return Reading(reason=f"the word {blocked[0]!r} may change what the formulas say")
        if vocabulary.GOAL.match(self.lower):
            return self._goal()
        return self._statement()

    def _goal(self) -> Reading:
        """A sentence that says what is to be done; an expression in it is what later steps speak of."""
        terms = [chunk for chunk in self.chunks if not isinstance(chunk, Unreadable)]
        values = tuple(term for term in terms if not is_statement(term))
        if len(terms) == 1 and values and not isinstance(values[0], Variable):
            return Reading(values=values, is_goal=True)
        return Reading(reason="it states a goal", is_goal=True)

    # --- statements ---

    def _statement(self) -> Reading:
        supposes = bool(vocabulary.SUPPOSING.match(self.lower))
        head, main = self._divided()
        if not supposes and vocabulary.CONDITION.search(re.sub(MARK, "", head)):
            raise Unreadable("it holds under a condition that is not read")
        if supposes and CHUNK.search(head):
            raise Unreadable("it supposes something and concludes from it")
        if supposes:
            main = vocabulary.SUPPOSING.sub("", main).removeprefix(" that").strip()
        if _ENDED.search(head):
            raise Unreadable("it says more than one thing")
        adjunct = vocabulary.ADJUNCT.match(main)
        if adjunct and CHUNK.search(main, adjunct.end()):
            if vocabulary.CONDITION.search(CHUNK.sub("", adjunct[0])):
                raise Unreadable("it holds under a condition that is not read")
            head, main = head + adjunct[0], main[adjunct.end() :]
        reading = self._main(main, head)
        rewrites = bool(vocabulary.REWRITING.search(self.lower))
        named = frozenset[str]().union(*map(free_names, reading.claims)) if supposes else frozenset[str]()
        skipped = () if supposes else reading.skipped
        return reading._replace(supposes=supposes, names=named, rewrites=rewrites, skipped=skipped)

    def _divided(self) -> tuple[str, str]:
        """The sentence as what leads up to its conclusion, and the conclusion."""
        giving = [
            each for each in vocabulary.GIVING.finditer(self.lower) if CHUNK.search(self.lower, each.end())
        ]
        if not giving:
            return "", self.lower
        # The last one counts: what comes before leads up to it.
        last = giving[-1]
        head, main = self.lower[: last.end()], self.lower[last.end() :]
        equating = vocabulary.EQUATING.search(last[0])
        if equating and CHUNK.search(head):
            # `the expression X simplifies to Y`: both belong together.
            start = head.rfind(" gives ")
            return "", self.lower if start < 0 else self.lower[start + 7 :]
        if re.search(r"\bas$|\bto be$", last[0].strip()):
            # `which gives Q as e`: the words in between name the subject, and are no lead-in.
            before = list(vocabulary.GIVING.finditer(self.lower[: last.start() + 1]))
            cut = before[-1].end() if before else 0
            return self.lower[:cut], self.lower[cut:]
        return head, main

    def _main(self, main: str, head: str) -> Reading:
        marks = list(CHUNK.finditer(main))
        if not marks:
            raise Unreadable("there is no formula in what it says")
        first = len(marks) - 1
        while first and _BETWEEN.match(main[marks[first - 1].end() : marks[first].start()]):
            first -= 1  # The formulas at the end that stand in one list.
        before = main[: marks[first].start()].strip(" ,")
        after = main[marks[-1].end() :]
        terms = [self.term(mark[1]) for mark in marks[first:]]
        after, unit = self._tail(after)
        if unit:
            terms[-1] = with_unit(terms[-1], unit)
        links = [main[a.end() : b.start()] for a, b in zip(marks[first:], marks[first + 1 :], strict=False)]
        subject = self._subject(before, marks[:first], terms)
        if subject.term is None and is_statement(terms[0]):
            subject = self._applied(head, terms[0])
        elif subject.term is None and not before:
            subject = subject._replace(term=self._worded(head.strip(" ,")))
        skipped = self._passed_over(before, after, subject)
        term = self._linked(terms, links, main)
        if is_op(term, "list") and (head or before) and not self._has_alternatives(links):
            raise Unreadable("it is not clear which value is whose")
        if subject.term is None and not is_statement(term):
            if vocabulary.PREDICATE.search(after) and not vocabulary.RESULT.match(after):
                raise Unreadable("it is not clear what is said of a formula")
            return self._unnamed(term, skipped, head, before)
        if re.search(r"\b(?:satisf\w*|works?)\b", after):
            raise Unreadable("it is not clear what is said of a formula")
        apart = head + before.rpartition(",")[0]
        moved = vocabulary.CHANGING.search(before) or CHUNK.search(apart) or _strange(apart)
        shifts = isinstance(subject.term, Quantity) and bool(moved)
        return Reading(claims=self._claims(term, subject), skipped=skipped, shifts=shifts)

    def _has_alternatives(self, links: list[str]) -> bool:
        """Several values are alternatives for one subject."""
        called = vocabulary.SOLUTIONS.search(self.lower) or vocabulary.SOLVING.search(self.lower)
        return bool(called) or "answer" in self.lower or any("or" in link.split() for link in links)

    def _passed_over(self, before: str, after: str, subject: _Subject) -> tuple[str, ...]:
        """The words that are not read. Raises Unreadable where they may change what the formula says."""
        strange = _strange(subject.passed)
        if strange and not re.search(r"(?:\b(?:that|is|are|be|equals)|[:,])$", before):
            raise Unreadable(f"the word {strange[-1]!r} is not understood")
        beyond = _strange(after)
        altering = vocabulary.ALTERED.search(after) or _ALTERING.search(after)
        if len(beyond) > 1 or altering:
            raise Unreadable(f"the word {altering[0] if altering else beyond[0]!r} is not understood")
        return (*strange, *beyond)

    def _applied(self, head: str, claim: Term) -> _Subject:
        """The subject to which `Running distance, by the formula, yields d = …` applies the formula."""
        name = claim.args[0] if isinstance(claim, Op) and claim.args else None
        if not (isinstance(name, Variable) and name.text in self.context.letters):
            return _Subject()
        attribute = dict(self.context.attributes)[name.text]
        pieces = re.split(r"[,;:]|\b(?:to|for|using|applying|by|with|in|gives|yields|we|is|as)\b", head)
        found = [stems(piece) for piece in pieces if attribute in stems(piece)]
        named = dict.fromkeys(words for words in found if len(words) > 1)
        if len(named) != 1:
            raise Unreadable("it is not clear what the formula is applied to")
        return _Subject(self.phrase(" ".join(next(iter(named)))), True)

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
            return with_values(terms[0], terms[1:], "it is not clear how the formulas are connected")
        if not is_statement(terms[0]):
            return Op("list", tuple(terms))
        alternatives = ["or" in link.split() for link in links]
        same = len({each.args[0] if isinstance(each, Op) else each for each in terms}) == 1
        if any(alternatives) and not (all(alternatives) or same):
            raise Unreadable("it is not clear how the formulas are connected")
        is_choice = any(alternatives) or (same and vocabulary.SOLUTIONS.search(main))
        return Op("or" if is_choice else "and", tuple(terms))

    def _subject(self, before: str, inner: list[re.Match[str]], terms: list[Term]) -> _Subject:
        """The subject that the words before a formula name."""
        if not inner:
            return self._named_subject(before)
        worded = self._worded(before)
        if worded is not None:
            return _Subject(worded, True)
        between = before[inner[-1].end() :].strip()
        lead = before[: inner[0].start()].strip()
        if len(inner) == 1 and vocabulary.EQUATING.fullmatch(_ADVERBS.sub("", between)):
            if is_statement(self.term(inner[0][1])):
                made = vocabulary.BECOMING.search(between)
                if made and is_statement(terms[0]) and not _strange(lead):
                    return _Subject()
            elif is_generic(stems(lead)) and (vocabulary.SAME_AS.search(lead) or not _OF.search(lead)):
                return _Subject(self.term(inner[0][1]), True)
            raise Unreadable(f"it is not clear what {lead.strip()!r} says of a formula")
        follows = re.search(r"[,;:]$", between) or not is_statement(self.term(inner[-1][1]))
        if not (is_statement(terms[0]) and follows) or _strange(before):
            raise Unreadable("it is not clear how the formulas are connected")
        return _Subject()

    def _named_subject(self, before: str) -> _Subject:
        match = re.search(r"(?:^|\s)(is equal to|equals?|is|are|was|were|as|to be|=)$", before)
        if match is None:
            return _Subject(passed=before)
        phrase = before[: match.start()].split(":")[-1].split(",")[-1].strip()
        compared = _RATIO_OF.match(phrase)
        if compared:
            sides = [side for each in compared.groups() if (side := self.phrase(each))]
            if len(sides) < 2:
                raise Unreadable("it is not clear what the ratio is of")
            return _Subject(Op("ratio", tuple(sides)), True)
        found = stems(phrase)
        if vocabulary.ABOUT_FORMULAS.isdisjoint(found) and not set(found) <= _HARMLESS_STEMS:
            quantity = self.phrase(phrase)
            if quantity is not None:
                return _Subject(quantity, True)
        return _Subject(passed=before)

    def _worded(self, before: str) -> Term | None:
        """`the sum of A and B is`, `A divided by B is`, `the square of A is`: the operation in words."""
        for row in OPERATIONS:
            match = row.shape.fullmatch(before)
            if match:
                terms = [self.term(at) for at in match.groups()]
                return None if any(map(is_statement, terms)) else row.make(terms)
        return None

    def _claims(self, term: Term, subject: _Subject) -> tuple[Term, ...]:
        """The claims of a sentence whose subject is known."""
        if is_statement(term):
            claim = _possible(term)
            if isinstance(subject.term, Quantity):
                return self._about(claim, subject.term, subject.copula)
            if subject.term is not None:
                raise Unreadable("a statement stands where a value is expected")
            return (claim,)
        assert subject.term is not None
        values = _values(term)
        if len(values) > 1 and not isinstance(subject.term, Quantity):
            raise Unreadable("it is not clear how the values are connected")
        return (joined("or", tuple(Op("=", (subject.term, value)) for value in values)),)

    def _unnamed(self, term: Term, skipped: tuple[str, ...], head: str, before: str) -> Reading:
        """Values of what a premise is about, or of its unknown: the sentence does not say of what."""
        lead = f"{head} {before}"
        if _SEEKS.fullmatch(lead.strip(" ,")) and isinstance(term, Op):
            return Reading(values=_values(term), is_goal=True)
        phrase = before.split(",")[-1] or head.strip(" ,").split(",")[-1]
        if skipped:
            raise Unreadable(f"the word {skipped[0]!r} is not understood")
        other = vocabulary.ALTERED.search(lead) or vocabulary.NAMING_OTHERS.search(phrase)
        solves = vocabulary.SOLVING.search(lead)
        if other is None and (solves or CHUNK.search(lead)):
            other = vocabulary.OPERATING.search(lead)
        if other is None and not solves and not before:
            other = CHUNK.search(head) and re.search(r"\w+ *$", head)
        if other:
            raise Unreadable(f"it is not clear of what {other[0]!r} gives the value")
        strange = tuple(word for word in _strange(lead) if not is_generic((stem(word),)))
        named = (ops for word in phrase.split() if (ops := vocabulary.KINDS.get(word)))
        kinds = next(named, frozenset[str]())
        return Reading(
            values=_values(term), skipped=strange, solves=solves is not None, kinds=kinds,
            is_answer="answer" in self.lower,
        )  # fmt: skip

    def _about(self, claim: Term, subject: Quantity, copula: bool) -> tuple[Term, ...]:
        """`The area is A = 25`, `Running distance yields d = 3r`: the equation as one about the subject."""
        first, *_ = relations = conjuncts(claim)
        if not is_op(first, "="):
            if copula:
                raise Unreadable("it is not clear what is said of the subject")
            return (claim,)
        name = first.args[0]
        if isinstance(name, Variable) and name.text in self.context.letters:
            # The letter of a formula for any object: here it is that of the subject.
            return tuple(
                Op(each.op, tuple(subject if arg == name else arg for arg in each.args))
                for each in relations
                if isinstance(each, Op)
            )
        return (claim, Op("=", (name, subject))) if copula else (claim,)


class _Subject(NamedTuple):
    """The subject of a sentence; `copula` where a verb like `is` says so; `passed` are words passed over."""

    term: Term | None = None
    copula: bool = False
    passed: str = ""


def _values(term: Term) -> tuple[Term, ...]:
    return term.args if is_op(term, "list") else (term,)


_SEEKS: Final = re.compile(
    r"(?:(?:next|then|now|first|finally|lastly|second|third|here|so|and),? )?we "
    r"(?:(?:now|then|next|first|can|will) )*"
    r"(?:calculate|compute|find|determine|evaluate)"
)
_ADVERBS: Final = re.compile(r" (?:simply|just|either|exactly|then|now|thus|therefore)$")
_ALTERING: Final = re.compile(r"\b(?:" + "|".join(sorted(vocabulary.ALTERING)) + r")\b")
_ENDED: Final = re.compile(r"⟦\d+⟧[^⟦]*[.!?] ")
"""The end of a sentence with a formula."""
_OF: Final = re.compile(r"\b(?:of|for|in|to|on|from)$")
_RATIO_OF: Final = re.compile(r"^(?:the )?ratio of (.+?) to (.+)$")
_NUMBER_WORD: Final = re.compile(r"\b(?:" + "|".join([*NUMERALS, *TIMES]) + r")\b")
_HARMLESS_STEMS: Final = frozenset(stem(word) for word in vocabulary.HARMLESS) | vocabulary.HARMLESS


def _strange(passed: str) -> list[str]:
    """The words that are neither harmless nor marks of formulas."""
    words = re.findall(r"[a-z][a-z'-]*", CHUNK.sub(" ", passed))
    return [each for each in words if each not in vocabulary.HARMLESS and stem(each) not in _HARMLESS_STEMS]


def _possible(claim: Term) -> Term:
    """`x = 2 and x = 3` as the alternatives that are meant: a variable has one value."""
    if not is_op(claim, "and"):
        return claim
    firsts = {each.args[0] if is_op(each, "=") else None for each in claim.args}
    lasts = {each.args[1] for each in claim.args if isinstance(each, Op) and len(each.args) == 2}
    one = next(iter(firsts))
    if len(firsts) == 1 and (isinstance(one, Variable) or is_op(one, "tuple")) and len(lasts) > 1:
        return Op("or", claim.args)
    return claim
