"""Sentences that are read as a whole: what is introduced, counted, compared ([STEP-SENTENCES])."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Final

from potlang.languages.dagmath.lower import vocabulary
from potlang.languages.dagmath.lower.chunks import with_unit
from potlang.languages.dagmath.lower.phrases import stem, stems
from potlang.languages.dagmath.lower.readings import Reading, Schema
from potlang.languages.dagmath.lower.spoken import CHUNK, MARK, Spoken
from potlang.languages.dagmath.lower.syntax import (
    Name,
    Num,
    Op,
    Term,
    Unreadable,
    free_names,
    is_statement,
    number,
)
from potlang.languages.dagmath.lower.units import is_unit

_ATTRIBUTES: Final = {
    "fast": "speed", "quickly": "speed", "far": "distance", "long": "length", "old": "age", "tall": "height",
    "heavy": "weight", "expensive": "price", "many": "number", "much": "amount",
}  # fmt: skip
_LETTERS: Final = {"d": "distance", "v": "speed", "t": "time"}
TIMES: Final[dict[str, int | Fraction]] = {
    "twice": 2,
    "double": 2,
    "triple": 3,
    "thrice": 3,
    "half": Fraction(1, 2),
}
_TIMES_AS: Final = re.compile(
    rf"^(?P<who>[\w' ]+?) (?P<verb>\w+) (?:{MARK} times|(?P<word>twice|half|thrice|three times)) as "
    r"(?P<attribute>\w+) as (?P<other>\w+)(?: (?P<verb2>\w+))?\.?$"
)
_SPENDS: Final = re.compile(rf"^(?P<who>[\w' ]+?) spends {MARK} (?P<unit>\w+) (?P<verb>\w+ing)\.?$")
_FORMULA: Final = re.compile(
    r"^(?:the |recall the |we use the )?(?:\w+ )?formula for (?P<what>[\w' ⟦⟧]*?)"
    r"(?P<where>,? ?(?:\(|where )[^.]*?\)?,?)? "
    rf"(?:is|reads|states that|says that|is given by) {MARK}(?P<where2>,? ?(?:\(|where )[^.]*)?\.?$"
)
_LET: Final = re.compile(
    rf"^(?:(?:now|next),? )?let {MARK} (?:represent|be|denote|stand for|equal|mean) (?P<what>[^⟦]+?)\.?$"
)
_LET_PHRASE: Final = re.compile(
    rf"^(?:(?:now|next),? )?let (?P<what>[^⟦]+?) be (?:denoted by |called )?{MARK}\.?$"
)
_SORT: Final = re.compile(
    r"^(?:an? |the |some |two |three )?(?:(?:positive|negative|non-?negative|nonzero|distinct|fixed|"
    r"arbitrary|given|odd|even|prime|unknown) )*(?:integers?|(?:real |whole |natural )?numbers?|reals?)$"
)
_IF: Final = re.compile(
    rf"^(?:if|when|for|at|setting|letting|taking) {MARK},? (?:then |we (?:have|get) )?{MARK}\.?$"
)
_IMPLIES: Final = re.compile(rf"^{MARK} (?:implies|if and only if|iff|is equivalent to) {MARK}\.?$")
_LONGEST: Final = 600
"""Characters of a sentence up to which it is compared with the patterns, some of which backtrack."""


def read_whole(said: Spoken) -> Reading | None:
    """What a sentence says that has one of these shapes; None for another. Raises Unreadable."""
    for pattern in _PATTERNS if len(said.lower) <= _LONGEST else ():
        found = pattern(said)
        if found is not None:
            return found
    return None


def _formula(said: Spoken) -> Reading | None:
    match = _FORMULA.match(said.lower)
    if match is None:
        return None
    formula = said.term(match[3])
    if not (isinstance(formula, Op) and formula.op == "=" and isinstance(formula.args[0], Name)):
        raise Unreadable("does not read what the letters of the formula stand for")
    known = _where(said, (match["where"] or "") + (match["where2"] or ""), match["what"])
    subject = stems(CHUNK.sub(" ", match["what"])) if not CHUNK.search(match["what"]) else ()
    letters = {name: known.get(name) or _LETTERS.get(name) for name in free_names(formula)}
    head = formula.args[0].text
    if known.get(head) is None and subject and stem("distance") not in subject:
        letters[head] = subject[0] if len(subject) == 1 else None
    if not all(letters.values()):
        raise Unreadable("does not read what the letters of the formula stand for")
    named = tuple(sorted((name, stem(what or "")) for name, what in letters.items()))
    return Reading(schema=Schema(formula, named))


def _where(said: Spoken, clause: str, subject: str) -> dict[str, str]:
    """What `where d is distance and v is speed` says of letters, or `distance d at speed v`."""
    found = {}
    named = re.findall(rf"{MARK} (?:is|represents|denotes|stands for) (?:the )?(\w+)", clause)
    for at, phrase in [*named, *((at, word) for word, at in re.findall(rf"(\w+) {MARK}", subject))]:
        term = said.term(at)
        if isinstance(term, Name):
            found[term.text] = phrase
    return found


def _let(said: Spoken) -> Reading | None:
    match = _LET.match(said.lower)
    if match is not None:
        term, what = said.term(match[1]), match["what"].strip()
    else:
        match = _LET_PHRASE.match(said.lower)
        if match is None:
            return None
        term, what = said.term(match[2]), match["what"].strip()
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
        quantity = said.phrase(_without_unit(what))
    except Unreadable as error:
        return Reading(reason=str(error), supposes=True, names=introduced, is_introduction=True)
    if quantity is None:
        reason = "does not read what the variable stands for"
        return Reading(reason=reason, supposes=True, names=introduced, is_introduction=True)
    claim = Op("=", (names[0], quantity))
    return Reading(claims=(claim,), supposes=True, names=introduced, is_introduction=True)


def _counted(said: Spoken) -> Reading | None:
    match = vocabulary.COUNTED.search(said.lower)
    if match is None or match.end() != len(said.lower):
        return None
    low, high = _range(said, match)
    step: Term = said.term(match["m"]) if match["m"] else number(1)
    over, under = (Op("floor", (Op("/", (high, step)),)), Op("ceil", (Op("/", (low, step)),)))
    count = Op("+", (over, Op("neg", (under,)), number(1)))
    positive = match["kind"] in ("natural numbers", "positive integers", "whole numbers")
    if positive and not (isinstance(low, Num) and low.value >= 1):
        raise Unreadable("does not read which numbers are counted")
    return Reading(claims=(Op("=", (Op("max", (count, number(0))), said.term(match["count"]))),))


def _range(said: Spoken, match: re.Match[str]) -> tuple[Term, Term]:
    if match["set"]:
        found = said.term(match["set"])
        if isinstance(found, Op) and found.op == "[]" and len(found.args) == 2:
            return found.args[0], found.args[1]
    elif match["where"]:
        found = said.term(match["where"])
        if isinstance(found, Op) and found.op == "and" and len(found.args) == 2:
            first, last = found.args
            assert isinstance(first, Op) and isinstance(last, Op)
            if first.op == last.op == "<=" and first.args[1] == last.args[0]:
                return first.args[0], last.args[1]
        match found:
            case Op("in", (_, Op("[]", (first, last)))):
                return first, last
    elif match["incl"] or " from " in match[0]:
        return said.term(match["low"]), said.term(match["high"])
    raise Unreadable("does not read which numbers are counted")


def _times_as(said: Spoken) -> Reading | None:
    match = _TIMES_AS.match(said.lower)
    if match is None or match["attribute"] not in _ATTRIBUTES:
        return None
    factor = said.term(match[3]) if match[3] else _times(match["word"])
    attribute = _ATTRIBUTES[match["attribute"]]
    other = match["verb2"] or match["verb"]
    if not match["verb2"] and match["other"] in ("he", "she", "they", "it"):
        return None
    left = said.phrase(f"{match['who']} {match['verb']} {attribute}")
    right = said.phrase(f"{match['other']} {other} {attribute}")
    if left is None or right is None or left == right:
        raise Unreadable("does not read what is compared")
    return Reading(claims=(Op("=", (left, Op("*", (factor, right)))),))


def _spends(said: Spoken) -> Reading | None:
    match = _SPENDS.match(said.lower)
    if match is None or not is_unit(match["unit"]):
        return None
    quantity = said.phrase(f"{match['who']} {match['verb']} time")
    if quantity is None:
        return None
    return Reading(claims=(Op("=", (quantity, with_unit(said.term(match[2]), match["unit"]))),))


def _conditional(said: Spoken) -> Reading | None:
    match = _IF.match(said.lower) or _IMPLIES.match(said.lower)
    if match is None:
        return None
    left, right = said.term(match[1]), said.term(match[2])
    if not (is_statement(left) and is_statement(right)):
        return None
    both = re.search(r" (?:if and only if|iff|is equivalent to) ", said.lower)
    return Reading(claims=(Op("<=>" if both else "=>", (left, right)),))


def _times(word: str) -> Term:
    size = 3 if word == "three times" else TIMES[word]
    return Op("/", (number(1), number(2))) if size == Fraction(1, 2) else number(size)


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


_PATTERNS: Final[tuple[Callable[[Spoken], Reading | None], ...]] = (
    _formula, _let, _counted, _times_as, _spends, _conditional,
)  # fmt: skip
