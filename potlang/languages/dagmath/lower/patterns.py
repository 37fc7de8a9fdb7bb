"""The pattern table: sentences that are read as a whole, and operations in words ([STEP-SENTENCES]).

A row has the shape, a sentence that it reads, that sentence's reading as text, and what makes it.
A test reads every row's example.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Final, Generic, NamedTuple, TypeVar

from potlang.languages.dagmath.lower.chunks import CHUNK, MARK, Match, Template, with_unit
from potlang.languages.dagmath.lower.phrases import TIMES, stem, stems
from potlang.languages.dagmath.lower.readings import Reading, Schema
from potlang.languages.dagmath.lower.syntax import (
    Num,
    Op,
    Term,
    Unreadable,
    Variable,
    free_names,
    is_op,
    is_statement,
    number,
)
from potlang.languages.dagmath.lower.units import is_unit

Maker = TypeVar("Maker")


class Pattern(NamedTuple, Generic[Maker]):
    """A row: `example` has the `shape`, and is read as `reads`."""

    shape: re.Pattern[str]
    example: str
    reads: str
    make: Maker


_LONGEST: Final = 600
"""Characters of a sentence up to which it is compared with the patterns, some of which backtrack."""
_ATTRIBUTES: Final = {
    "fast": "speed", "quickly": "speed", "far": "distance", "long": "length", "old": "age", "tall": "height",
    "heavy": "weight", "expensive": "price", "many": "number", "much": "amount",
}  # fmt: skip
_LETTERS: Final = {"d": "distance", "v": "speed", "t": "time"}
_SORT: Final = re.compile(
    r"^(?:an? |the |some |two |three )?(?:(?:positive|negative|non-?negative|nonzero|distinct|fixed|"
    r"arbitrary|given|odd|even|prime|unknown) )*(?:integers?|(?:real |whole |natural )?numbers?|reals?)$"
)
_SIGNS: Final = {
    r"\b(positive|natural|prime)\b": ">", r"non-?negative|\bwhole\b": ">=", "negative": "<", "nonzero": "!=",
}  # fmt: skip
"""Comparison of numbers of a kind with 0; the first that occurs in the name of the kind counts."""


# --- sentences ---


def read_whole(said: Template) -> Reading | None:
    """Match the sentence against the table; None where it has no shape of it. Raises Unreadable."""
    for row in SENTENCES if len(said.lower) <= _LONGEST else ():
        match = row.shape.search(said.lower)
        found = row.make(said, match) if match else None
        if found is not None:
            return found
    return None


def _formula(said: Template, match: Match) -> Reading:
    formula = said.term(match[3])
    if not (is_op(formula, "=") and isinstance(formula.args[0], Variable)):
        raise Unreadable("it is not clear what the letters of the formula stand for")
    known = _where(said, (match["where"] or "") + (match["where2"] or ""), match["what"])
    subject = stems(CHUNK.sub(" ", match["what"])) if not CHUNK.search(match["what"]) else ()
    letters = {name: known.get(name) or _LETTERS.get(name) for name in free_names(formula)}
    head = formula.args[0].text
    if known.get(head) is None and subject and stem("distance") not in subject:
        letters[head] = subject[0] if len(subject) == 1 else None
    if not all(letters.values()):
        raise Unreadable("it is not clear what the letters of the formula stand for")
    named = tuple(sorted((name, stem(what or "")) for name, what in letters.items()))
    return Reading(schema=Schema(formula, named))


def _where(said: Template, clause: str, subject: str) -> dict[str, str]:
    """The meanings of letters in `where d is distance and v is speed`, or `distance d at speed v`."""
    named = re.findall(rf"{MARK} (?:is|represents|denotes|stands for) (?:the )?(\w+)", clause)
    named += [(at, word) for word, at in re.findall(rf"(\w+) {MARK}", subject)]
    terms = [(said.term(at), phrase) for at, phrase in named]
    return {term.text: phrase for term, phrase in terms if isinstance(term, Variable)}


def _let(said: Template, match: Match) -> Reading | None:
    term, what = said.term(match["name"]), match["what"].strip()
    names = term.args if is_op(term, "list") else (term,)
    if not all(isinstance(name, Variable) for name in names):
        return None
    introduced = frozenset(name.text for name in names if isinstance(name, Variable))
    reading = Reading(supposes=True, names=introduced, is_introduction=True)
    sort = _SORT.match(what)
    if sort is not None:
        return _sorted_as(names, reading, sort[0])
    if len(names) > 1:
        raise Unreadable("several variables are introduced at once")
    try:
        quantity = said.phrase(_without_unit(what))
    except Unreadable as error:
        return reading._replace(reason=str(error))
    if quantity is None:
        return reading._replace(reason="it is not clear what the variable stands for")
    return reading._replace(claims=(Op("=", (names[0], quantity)),))


def _sorted_as(names: tuple[Term, ...], reading: Reading, what: str) -> Reading:
    """The reading of `let n be a positive integer`."""
    zero, two = number(0), number(2)
    sign = next((op for words, op in _SIGNS.items() if re.search(words, what)), None)
    claims = [Op(sign, (name, zero)) for name in names if sign]
    if re.search(r"\b(odd|even)\b", what):
        claims += [Op("=", (Op("mod", (name, two)), number("odd" in what))) for name in names]
    whole = re.search(r"integer|whole|natural|prime|odd|even", what)
    return reading._replace(claims=tuple(claims), integers=reading.names if whole else frozenset())


def _without_unit(what: str) -> str:
    """A phrase without `in km/h` at its end."""
    match = re.search(r",? (?:\()?(?:measured )?in ([\w/ ^]+?)\)?$", what)
    return what[: match.start()] if match and is_unit(match[1]) else what


def _counted(said: Template, match: Match) -> Reading:
    low, high = _range(said, match)
    step: Term = said.term(match["m"]) if match["m"] else number(1)
    over, under = (Op("floor", (Op("/", (high, step)),)), Op("ceil", (Op("/", (low, step)),)))
    count = Op("+", (over, Op("neg", (under,)), number(1)))
    positive = match["kind"] in ("natural numbers", "positive integers", "whole numbers")
    if positive and not (isinstance(low, Num) and low.value >= 1):
        raise Unreadable("it is not clear which numbers are counted")
    return Reading(claims=(Op("=", (Op("max", (count, number(0))), said.term(match["count"]))),))


def _range(said: Template, match: Match) -> tuple[Term, Term]:
    if match["set"] or match["where"]:
        match said.term(match["set"] or match["where"]):
            case Op("[]", (first, last)) if match["set"]:
                return first, last
            case Op("and", (Op("<=", (first, middle)), Op("<=", (between, last)))) if match["where"]:
                if middle == between:
                    return first, last
            case Op("in", (_, Op("[]", (first, last)))) if match["where"]:
                return first, last
    elif match["incl"] or " from " in match[0]:
        return said.term(match["low"]), said.term(match["high"])
    raise Unreadable("it is not clear which numbers are counted")


def _times_as(said: Template, match: Match) -> Reading | None:
    attribute = _ATTRIBUTES.get(match["attribute"])
    verb = match["verb2"] or match["verb"]
    if attribute is None or (not match["verb2"] and match["other"] in ("he", "she", "they", "it")):
        return None
    factor = said.term(match["times"]) if match["times"] else _times(match["word"])
    left = said.phrase(f"{match['who']} {match['verb']} {attribute}")
    right = said.phrase(f"{match['other']} {verb} {attribute}")
    if left is None or right is None or left == right:
        raise Unreadable("it is not clear what is compared")
    return Reading(claims=(Op("=", (left, Op("*", (factor, right)))),))


def _times(word: str) -> Term:
    size = 3 if word == "three times" else TIMES[word]
    return Op("/", (number(1), number(2))) if size == Fraction(1, 2) else number(size)


def _spends(said: Template, match: Match) -> Reading | None:
    quantity = said.phrase(f"{match['who']} {match['verb']} time") if is_unit(match["unit"]) else None
    if quantity is None:
        return None
    return Reading(claims=(Op("=", (quantity, with_unit(said.term(match[2]), match["unit"]))),))


def _conditional(op: str) -> Callable[[Template, Match], Reading | None]:
    def read(said: Template, match: Match) -> Reading | None:
        sides = said.term(match[1]), said.term(match[2])
        return Reading(claims=(Op(op, sides),)) if all(map(is_statement, sides)) else None

    return read


SENTENCES: Final[tuple[Pattern[Callable[[Template, Match], Reading | None]], ...]] = (
    Pattern(
        re.compile(
            r"^(?:the |recall the |we use the )?(?:\w+ )?formula for (?P<what>[\w' ⟦⟧]*?)"
            r"(?P<where>,? ?(?:\(|where )[^.]*?\)?,?)? "
            rf"(?:is|reads|states that|says that|is given by) {MARK}(?P<where2>,? ?(?:\(|where )[^.]*)?\.?$"
        ),
        "The formula for distance is $d = vt$, where $v$ is speed and $t$ is time.",
        "d = v*t",
        _formula,
    ),
    Pattern(
        re.compile(
            r"^(?:(?:now|next),? )?let ⟦(?P<name>\d+)⟧ "
            r"(?:represent|be|denote|stand for|equal|mean) (?P<what>[^⟦]+?)\.?$"
        ),
        "Let $r$ be the running speed in km/h.",
        r"r = \text{running speed}",
        _let,
    ),
    Pattern(
        re.compile(
            r"^(?:(?:now|next),? )?let (?P<what>[^⟦]+?) be (?:denoted by |called )?⟦(?P<name>\d+)⟧\.?$"
        ),
        "Now let the running speed be denoted by $r$.",
        r"r = \text{running speed}",
        _let,
    ),
    Pattern(
        re.compile(
            r"(?:the )?number of (?P<kind>"
            r"integers|whole numbers|natural numbers|positive integers|multiples of ⟦(?P<m>\d+)⟧)"
            r"(?: ⟦\d+⟧)?,? (?:in (?:the )?(?:interval |range |set )?⟦(?P<set>\d+)⟧|"
            r"(?:such that|with|satisfying|where) ⟦(?P<where>\d+)⟧|"
            r"(?:from|between) ⟦(?P<low>\d+)⟧ (?:to|and|through) ⟦(?P<high>\d+)⟧(?P<incl>,? inclusive)?)"
            r" (?:is|equals|=) ⟦(?P<count>\d+)⟧\.?\Z"
        ),
        "The number of multiples of $3$ from $1$ to $10$ is $3$.",
        r"\max(\lfloor \frac{10}{3} \rfloor - \lceil \frac{1}{3} \rceil + 1, 0) = 3",
        _counted,
    ),
    Pattern(
        re.compile(
            r"^(?P<who>[\w' ]+?) (?P<verb>\w+) (?:⟦(?P<times>\d+)⟧ times|"
            r"(?P<word>twice|half|thrice|three times)) as (?P<attribute>\w+) as "
            r"(?P<other>\w+)(?: (?P<verb2>\w+))?\.?$"
        ),
        "Natascha cycles $3$ times as fast as she runs.",
        r"\text{natascha cycles speed} = 3*\text{she runs speed}",
        _times_as,
    ),
    Pattern(
        re.compile(rf"^(?P<who>[\w' ]+?) spends {MARK} (?P<unit>\w+) (?P<verb>\w+ing)\.?$"),
        "Natascha spends $4$ hours cycling.",
        r"\text{natascha cycling time} = 4 \text{hours}",
        _spends,
    ),
    Pattern(
        re.compile(
            rf"^(?:if|when|for|at|setting|letting|taking) {MARK},? (?:then |we (?:have|get) )?{MARK}\.?$"
        ),
        "If $x > 1$ then $x > 0$.",
        "x > 1 => x > 0",
        _conditional("=>"),
    ),
    Pattern(
        re.compile(rf"^{MARK} implies {MARK}\.?$"),
        "$x > 1$ implies $x > 0$.",
        "x > 1 => x > 0",
        _conditional("=>"),
    ),
    Pattern(
        re.compile(rf"^{MARK} (?:if and only if|iff|is equivalent to) {MARK}\.?$"),
        "$2x = 4$ is equivalent to $x = 2$.",
        "2*x = 4 <=> x = 2",
        _conditional("<=>"),
    ),
)


# --- operations ---


def _shape(words: str) -> re.Pattern[str]:
    """Words before a value; `#` stands for a formula."""
    verb = r",? (?:is|equals|is equal to|=|gives|yields|are|we get)"
    return re.compile(r"(?:the |their )?" + words.replace("#", MARK) + verb)


def _operation(op: str, *more: Term) -> Callable[[list[Term]], Term]:
    return lambda terms: Op(op, (*terms, *more))


def _minus(over: Term, under: Term) -> Term:
    return Op("+", (over, Op("neg", (under,))))


def _share(terms: list[Term]) -> Term | None:
    """`20% of 50`, `1/4 of 20`; None of `5 of 20`, which is no product."""
    return Op("*", tuple(terms)) if is_op(terms[0], "%", "/") else None


def _quotient(terms: list[Term]) -> Term | None:
    """None of `17 divided by 5`, which may be 3: the whole part is called the quotient too."""
    match terms:
        case [Num(over), Num(under)] if over.denominator == under.denominator == 1 and over % (under or 1):
            return None
    return Op("/", tuple(terms))


OPERATIONS: Final[tuple[Pattern[Callable[[list[Term]], Term | None]], ...]] = tuple(
    Pattern(_shape(words), example, reads, make)
    for words, example, reads, make in (
        ("sum of # and #", "The sum of $3$ and $x$ is $7$.", "3 + x = 7", _operation("+")),
        ("product of # and #", "The product of $3$ and $x$ is $7$.", "3*x = 7", _operation("*")),
        ("ratio of # to #", "The ratio of $6$ to $3$ is $2$.", "6 : 3 = 2", _operation("ratio")),
        ("quotient of # and #", "The quotient of $6$ and $3$ is $2$.", r"\frac{6}{3} = 2", _quotient),
        ("square of #", "The square of $x$ is $9$.", "x^{2} = 9", _operation("^", number(2))),
        ("square root of #", "The square root of $9$ is $3$.", r"\sqrt{9} = 3", _operation("sqrt")),
        ("absolute value of #", "The absolute value of $-3$ is $3$.", r"\lvert -3 \rvert = 3",
         _operation("abs")),
        ("greatest common divisor of # and #", "The greatest common divisor of $6$ and $4$ is $2$.",
         r"\gcd(6, 4) = 2", _operation("gcd")),
        ("value of #", "The value of $x^2$ is $9$.", "x^{2} = 9", lambda terms: terms[0]),
        ("(?:simplify|expand|factor|evaluat|comput|calculat)ing #", "Simplifying $6x - x$ gives $5x$.",
         "6*x - x = 5*x", lambda terms: terms[0]),
        ("# plus #", "$3$ plus $x$ is $7$.", "3 + x = 7", _operation("+")),
        ("# minus #", "$3$ minus $x$ is $7$.", "3 - x = 7", lambda terms: _minus(*terms)),
        ("# times #", "$3$ times $x$ is $7$.", "3*x = 7", _operation("*")),
        ("# multiplied by #", "$3$ multiplied by $x$ is $7$.", "3*x = 7", _operation("*")),
        ("# divided by #", "$6$ divided by $3$ is $2$.", r"\frac{6}{3} = 2", _quotient),
        ("adding # (?:and|to) #", "Adding $3$ to $x$ gives $7$.", "3 + x = 7", _operation("+")),
        ("subtracting # from #", "Subtracting $3$ from $x$ gives $7$.", "x - 3 = 7",
         lambda terms: _minus(*reversed(terms))),
        ("multiplying # (?:and|by) #", "Multiplying $3$ by $x$ gives $7$.", "3*x = 7", _operation("*")),
        ("dividing # by #", "Dividing $6$ by $3$ gives $2$.", r"\frac{6}{3} = 2", _quotient),
        ("(?:half|one half) of #", "Half of $6$ is $3$.", r"\frac{6}{2} = 3", _operation("/", number(2))),
        ("(?:one|a) third of #", "One third of $6$ is $2$.", r"\frac{6}{3} = 2", _operation("/", number(3))),
        ("(?:one|a) (?:quarter|fourth) of #", "A quarter of $8$ is $2$.", r"\frac{8}{4} = 2",
         _operation("/", number(4))),
        ("# squared", "$x$ squared is $9$.", "x^{2} = 9", _operation("^", number(2))),
        ("# percent of #", "$20$ percent of $50$ is $10$.", r"20\%*50 = 10",
         lambda terms: Op("*", (Op("%", (terms[0],)), terms[1]))),
        ("# of #", r"$20\%$ of $50$ is $10$.", r"20\%*50 = 10", _share),
    )
)  # fmt: skip
"""Operations in words before a value; the expression that they make of their formulas, or None."""
