"""Objective values out of SMT-LIB text: exact numbers with an infinite and an infinitesimal part."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from potlang.ir.numerals import digits
from potlang.ir.values import Bits
from potlang.report.results import ExactValue
from potlang.smt.numerals import read_literal

_LONGEST_NUMBER = 10_000
_TOKEN = re.compile(r"[()]|[^\s()]+")


class NotLinear(ValueError):
    """The text is not a linear form in numbers, `oo` and `epsilon`."""


class Extended(NamedTuple):
    """`finite + infinite * oo + tiny * epsilon`."""

    finite: Fraction = Fraction(0)
    infinite: Fraction = Fraction(0)
    tiny: Fraction = Fraction(0)


def exact_value(value: Fraction) -> ExactValue:
    """An integer, or `p/q`; integers too long for other readers of JSON come as text."""
    above, below = value.numerator, value.denominator
    if below == 1 and abs(above).bit_length() < _LONGEST_NUMBER:
        return above
    sign = "-" if above < 0 else ""
    return f"{sign}{digits(abs(above))}" + (f"/{digits(below)}" if below != 1 else "")


def _scaled(value: Extended, factor: Fraction) -> Extended:
    return Extended(value.finite * factor, value.infinite * factor, value.tiny * factor)


def _sum(values: list[Extended]) -> Extended:
    return Extended(
        sum((value.finite for value in values), Fraction(0)),
        sum((value.infinite for value in values), Fraction(0)),
        sum((value.tiny for value in values), Fraction(0)),
    )


def _number(value: Extended) -> Fraction:
    if value.infinite or value.tiny:
        raise NotLinear("a product of infinite parts")
    return value.finite


def _product(values: list[Extended]) -> Extended:
    result = Extended(Fraction(1))
    for value in values:
        if result.infinite or result.tiny:
            result = _scaled(result, _number(value))
        else:
            result = _scaled(value, result.finite)
    return result


def _apply(op: str, args: list[Extended]) -> Extended:
    match op, args:
        case "-", [only]:
            return _scaled(only, Fraction(-1))
        case "-", [first, *rest]:
            return _sum([first, *(_scaled(each, Fraction(-1)) for each in rest)])
        case "+", [_, *_]:
            return _sum(args)
        case "*", [_, *_]:
            return _product(args)
        case "/", [above, below] if _number(below):
            return _scaled(above, 1 / _number(below))
        case "to_real", [only]:
            return only
    raise NotLinear(op)


def _atom(token: str) -> Extended:
    if token == "oo":
        return Extended(infinite=Fraction(1))
    if token == "epsilon":
        return Extended(tiny=Fraction(1))
    match read_literal(token):
        case Bits(number, _):
            return Extended(Fraction(number))
        case (int() | Fraction()) as number:
            return Extended(Fraction(number))
    raise NotLinear(token[:40])


def read_extended(text: str, *, maximize: bool = False) -> Extended:
    """The value; of an interval the end that the objective goes for. Raises `NotLinear`."""
    stack: list[tuple[str, list[Extended]]] = [("", [])]
    opening = False
    for token in _TOKEN.findall(text):
        if opening:
            stack.append((token, []))
            opening = False
        elif token == "(":
            opening = True
        elif token == ")" and len(stack) > 1:
            op, args = stack.pop()
            ends = op == "interval" and len(args) == 2
            stack[-1][1].append(args[-1 if maximize else 0] if ends else _apply(op, args))
        elif token != ")":
            stack[-1][1].append(_atom(token))
    if opening or len(stack) != 1 or len(stack[0][1]) != 1:
        raise NotLinear("not one value")
    return stack[0][1][0]
