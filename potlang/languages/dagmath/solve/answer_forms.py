r"""Answers that say the same in other forms: `18 dollars` and `18`, `x > 1` and `(1, \infty)` ([DAG-FORMS]).

Two texts are taken to pieces; they are equal if the pieces are, each with its counterpart. Which pieces those
are is a matter of the texts alone: numbers and formulas in them are for others to compare.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from potlang.languages.dagmath.lower.units import bases, is_unit, measure

Pair = tuple[str, str]
_DIGITS: Final = r"[0-9]{1,3}(?:,[0-9]{3})++|[0-9]++"
_NUMBER: Final = (
    rf"(?:(?:{_DIGITS})(?:\.[0-9]++|/[1-9][0-9]*+)?|\.[0-9]++|\\frac\{{[0-9]++\}}\{{[1-9][0-9]*+\}})"
)
_UNIT: Final = (
    r"\\?%|\\(?:text|mathrm|textrm)\{(?P<set>[A-Za-z /]++)\}| ?(?P<word>[A-Za-z]++(?:/[A-Za-z]++)?)"
)
_AMOUNT: Final = re.compile(
    rf"(?P<sign>-?)(?P<money>\\\$)?(?P<number>{_NUMBER})(?P<unit>(?:{_UNIT})(?P<power>\^\{{?[23]\}}?)?)?"
)
_FRACTION: Final = re.compile(r"\\frac\{([0-9]++)\}\{([0-9]++)\}")
_SLIP: Final = re.compile(r"-?\\[0-9]")
_LESS: Final = r"<=|\\leqslant(?![a-zA-Z])|\\leq?(?![a-zA-Z])|≤|<|\\lt(?![a-zA-Z])"
_MORE: Final = r">=|\\geqslant(?![a-zA-Z])|\\geq?(?![a-zA-Z])|≥|>|\\gt(?![a-zA-Z])"
_RELATION: Final = re.compile(rf"(?P<less>{_LESS})|(?P<more>{_MORE})")
_STRICT: Final = ("<", ">", r"\lt", r"\gt")
_VARIABLE: Final = re.compile(r"[A-Za-z]|\\(?:alpha|beta|gamma|theta|lambda|phi|omega)")
_MEMBER: Final = re.compile(rf"(?:{_VARIABLE.pattern})\\in ?")
_INFINITE: Final = {r"\infty": r"\infty", r"+\infty": r"\infty", r"-\infty": r"-\infty"}
_DEFINITION: Final = re.compile(r"(?P<name>[A-Za-z])\((?P<arguments>[a-z](?:,[a-z])*+)\)=(?P<body>[^=<>]++)")
_VALUE: Final = re.compile(r"(?P<name>[A-Za-z])\((?P<argument>-?[0-9]++)\)=[^=<>]++")
_PIECE: Final = re.compile(r"\\[A-Za-z]++|[A-Za-z]++|[^A-Za-z\\]++|\\")
_WORDS: Final = (r"\text", r"\mathrm", r"\operatorname", r"\mbox", r"\begin")
_AND: Final = re.compile(r"\\text\{and\}|(?<![A-Za-z\\])and(?![A-Za-z])|;")
_MOST: Final = 20
_LONGEST_AMOUNT: Final = 200


class Pieces(NamedTuple):
    """Two answers are equal if these pairs are. `only`: and they are different if one pair is."""

    pairs: tuple[Pair, ...]
    only: bool = True


DIFFERENT: Final = None
"""In place of pieces: the answers are different, whatever their numbers."""


def pieces_of(given: str, expected: str) -> Pieces | None:
    """The pieces by which two normal texts are compared, none if no form is known; None: they differ."""
    for rule in (_slips, _amounts, _intervals, _definitions, _equations):
        found = rule(given, expected)
        if found is None or found.pairs:
            return found
    return _NO_FORM


_NO_FORM: Final = Pieces((), only=False)


def _slips(given: str, expected: str) -> Pieces:
    r"""`\15`: a backslash that is part of no command, before a number."""
    plain = tuple(each.replace("\\", "", 1) if _SLIP.match(each) else each for each in (given, expected))
    return _NO_FORM if plain == (given, expected) else Pieces(((plain[0], plain[1]),))


# --- amounts -------------------------------------------------------------------------------------


class _Amount(NamedTuple):
    """A number and its unit, if it has one; `bare` is the number as text."""

    bare: str
    value: Fraction
    unit: str
    is_letter: bool


def _amounts(given: str, expected: str) -> Pieces | None:
    """Numbers with units, money and per cent: a unit may be left out, and may not be another."""
    one, other = _amount(given), _amount(expected)
    if one is None or other is None or not (one.unit or other.unit):
        return _NO_FORM
    bare = Pieces(((one.bare, other.bare),), only=False)
    if not (one.unit and other.unit):
        # A single letter may be a variable as well.
        return _NO_FORM if one.is_letter or other.is_letter else bare
    if one.unit == other.unit or _same_unit(one.unit, other.unit):
        return bare._replace(only=True)
    if "%" in (one.unit, other.unit):
        return DIFFERENT
    sizes = measure(one.unit), measure(other.unit)
    if sizes[0] is None or sizes[1] is None or sizes[0].dimension != sizes[1].dimension:
        return DIFFERENT
    return Pieces(((str(one.value * sizes[0].size), str(other.value * sizes[1].size)),))


def _amount(text: str) -> _Amount | None:
    """The amount that a text is; None where it is something else, or its unit is not known."""
    found = _AMOUNT.fullmatch(text) if len(text) < _LONGEST_AMOUNT else None
    if found is None or (found["money"] and found["unit"]):
        return None
    unit = "dollar" if found["money"] else (found["unit"] or "").strip()
    if unit in ("%", r"\%"):
        unit = "%"
    elif unit and not found["money"]:
        power = (found["power"] or "").translate({ord("{"): None, ord("}"): None})
        unit = " ".join((found["set"] or found["word"]).split()) + power
        if not is_unit(unit):
            return None
    number = found["number"].replace(",", "")
    value = Fraction(_FRACTION.sub(r"\1/\2", number))
    sign = found["sign"]
    is_letter = len(found["word"] or "") == 1
    return _Amount(f"{sign}{number}", -value if sign else value, unit, is_letter)


def _same_unit(one: str, other: str) -> bool:
    """Whether two spellings are of one unit: `meters` and `m`."""
    simple = all(each.isalpha() for each in (one, other))
    return simple and bases(one) == bases(other)


# --- intervals -----------------------------------------------------------------------------------


class _WrittenInterval(NamedTuple):
    """Ends with their kinds of bracket; `is_chain` is one that is written as inequalities."""

    opening: str
    left: str
    right: str
    closing: str
    is_chain: bool
    is_sure: bool
    """Whether it is an interval: `(1, 2)` by itself may be a pair."""


def _intervals(given: str, expected: str) -> Pieces | None:
    """An interval in brackets and as inequalities of a variable."""
    one, other = _interval(given), _interval(expected)
    if one is None or other is None or one.is_chain == other.is_chain:
        return _NO_FORM
    if (one.opening, one.closing) != (other.opening, other.closing):
        return DIFFERENT
    if not (one.is_sure and other.is_sure):
        return _NO_FORM
    return Pieces(((one.left, other.left), (one.right, other.right)))


def _interval(text: str) -> _WrittenInterval | None:
    member = _MEMBER.match(text)
    inner = text[member.end() :] if member else text
    if inner[:1] in "[(" and inner[-1:] in "])" and inner:
        ends = _split(inner[1:-1], ",")
        if len(ends) != 2 or not all(ends):
            return None
        left, right = (_INFINITE.get(each, each) for each in ends)
        is_half_line = "\\infty" in left or "\\infty" in right
        is_sure = member is not None or inner[0] == "[" or inner[-1] == "]" or is_half_line
        return _WrittenInterval(inner[0], left, right, inner[-1], is_chain=False, is_sure=is_sure)
    return _chain(text)


def _chain(text: str) -> _WrittenInterval | None:
    r"""`a < x \le b`, `x > a` and the like."""
    relations = list(_RELATION.finditer(text))
    if not 1 <= len(relations) <= 2 or len({bool(each["less"]) for each in relations}) > 1:
        return None
    sides = [text[: relations[0].start()], text[relations[-1].end() :]]
    if len(relations) == 2:
        sides.insert(1, text[relations[0].end() : relations[1].start()])
    sides = [each.strip() for each in sides]
    brackets = [("(", ")") if each[0] in _STRICT else ("[", "]") for each in relations]
    if relations[0]["more"]:
        sides.reverse()
        brackets.reverse()
    at = 1 if len(sides) == 3 else next((at for at in (0, 1) if _VARIABLE.fullmatch(sides[at])), -1)
    if at < 0 or not _VARIABLE.fullmatch(sides[at]) or not all(sides):
        return None
    ends = [each for index, each in enumerate(sides) if index != at]
    if any(re.search(r"[A-Za-z]", re.sub(r"\\[A-Za-z]+", "", each)) or "," in each for each in ends):
        return None
    if len(sides) == 3:
        return _WrittenInterval(brackets[0][0], ends[0], ends[1], brackets[1][1], is_chain=True, is_sure=True)
    if at == 0:
        return _WrittenInterval("(", r"-\infty", ends[0], brackets[0][1], is_chain=True, is_sure=True)
    return _WrittenInterval(brackets[0][0], ends[0], r"\infty", ")", is_chain=True, is_sure=True)


# --- definitions and equations -------------------------------------------------------------------


def _definitions(given: str, expected: str) -> Pieces | None:
    """One function by two names of its argument, `f(y) = y + 1` and `f(x) = x + 1`."""
    values = _VALUE.fullmatch(given), _VALUE.fullmatch(expected)
    if values[0] and values[1] and values[0]["name"] == values[1]["name"]:
        return _NO_FORM if int(values[0]["argument"]) == int(values[1]["argument"]) else DIFFERENT
    one, other = _DEFINITION.fullmatch(given), _DEFINITION.fullmatch(expected)
    if one is None or other is None or one["name"] != other["name"]:
        return _NO_FORM
    old, new = one["arguments"].split(","), other["arguments"].split(",")
    if len(old) != len(new) or len(set(old)) < len(old) or len(set(new)) < len(new):
        return _NO_FORM
    body = _renamed(one["body"], old, new)
    return _NO_FORM if body is None else Pieces(((body, other["body"]),))


def _renamed(body: str, old: Sequence[str], new: Sequence[str]) -> str | None:
    """A formula with other letters for its bound variables; None where that might change what it says."""
    names = dict(zip(old, new, strict=True))
    pieces = _PIECE.findall(body)
    letters: set[str] = set()
    for each in pieces:
        if each in _WORDS or (each.isalpha() and len(each) > 2):
            return None  # Words, and functions without a backslash.
        letters |= set(each) if each.isalpha() else set()
    # What is free and has the name of a bound variable would be caught by it.
    if letters & set(new) - set(old):
        return None
    return "".join("".join(names.get(at, at) for at in each) if each.isalpha() else each for each in pieces)


def _equations(given: str, expected: str) -> Pieces | None:
    """Several equations, one by one or as one of tuples, in any order."""
    if "=" not in given or "=" not in expected:
        return _NO_FORM
    one, other = _equation_list(given), _equation_list(expected)
    values, others = dict(one), dict(other)
    if len(one) < 2 or len(other) < 2:
        return _NO_FORM
    if (len(values) == 1) != (len(others) == 1):
        return DIFFERENT  # Several values of one unknown, and one value of each of several.
    if len(values) < len(one) or len(others) < len(other) or values.keys() != others.keys():
        return _NO_FORM
    return Pieces(tuple((values[name], others[name]) for name in values))


def _equation_list(text: str) -> list[Pair]:
    """Left sides with their values; a function's whole definition by its name. Empty for anything else."""
    found: list[Pair] = []
    parts = [each.strip() for part in _AND.split(text) for each in _split(part, ",")]
    for part in parts if len(parts) <= _MOST else ():
        for equation in _by_components(part):
            sides = _split(equation, "=")
            if len(sides) != 2 or not all(sides) or _RELATION.search(equation):
                return []
            definition = _DEFINITION.fullmatch(equation)
            name = f"{definition['name']}()" if definition else sides[0]
            found.append((name, equation if definition else sides[1]))
    return found


def _by_components(equation: str) -> list[str]:
    """The equations that an equation of tuples stands for; itself if it is none."""
    sides = _split(equation, "=")
    if len(sides) != 2 or not all(each[:1] == "(" and each[-1:] == ")" for each in sides):
        return [equation]
    left, right = (_split(each[1:-1], ",") for each in sides)
    if len(left) != len(right) or len(left) < 2:
        return [equation]
    return [f"{name}={value}" for name, value in zip(left, right, strict=True)]


def _split(text: str, sign: str) -> list[str]:
    """The parts of a text between the signs that stand in no brackets. One part if brackets do not match."""
    depth, start, parts = 0, 0, []
    for at, each in enumerate(text):
        if each in "([{":
            depth += 1
        elif each in ")]}":
            depth -= 1
            if depth < 0:
                return [text]
        elif each == sign and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [text] if depth else [*parts, text[start:].strip()]
