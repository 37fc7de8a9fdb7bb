"""Operations in words: `the sum of A and B is`, `A divided by B is` ([STEP-SENTENCES])."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from potlang.languages.dagmath.lower.spoken import MARK
from potlang.languages.dagmath.lower.syntax import Num, Op, Term, number


def _pattern(shape: str) -> re.Pattern[str]:
    lead = r"(?:the |their )?"
    return re.compile(
        lead + shape.replace("#", MARK) + r",? (?:is|equals|is equal to|=|gives|yields|are|we get)"
    )


def _share(terms: list[Term]) -> Term | None:
    """`20% of 50`, `1/4 of 20`; None of `5 of 20`, which is no product."""
    part = terms[0]
    is_share = isinstance(part, Op) and part.op in ("%", "/")
    return Op("*", tuple(terms)) if is_share else None


def _quotient(terms: list[Term]) -> Term | None:
    """None of `17 divided by 5`, which may be 3: the whole part is called the quotient too."""
    match terms:
        case [Num(over), Num(under)] if over.denominator == under.denominator == 1 and over % (under or 1):
            return None
    return Op("/", tuple(terms))


OPERATIONS: Final[tuple[tuple[re.Pattern[str], Callable[[list[Term]], Term | None]], ...]] = (
    (_pattern("sum of # and #"), lambda a: Op("+", tuple(a))),
    (_pattern("product of # and #"), lambda a: Op("*", tuple(a))),
    (_pattern("ratio of # to #"), lambda a: Op("ratio", tuple(a))),
    (_pattern("quotient of # and #"), _quotient),
    (_pattern("square of #"), lambda a: Op("^", (a[0], number(2)))),
    (_pattern("square root of #"), lambda a: Op("sqrt", (a[0],))),
    (_pattern("absolute value of #"), lambda a: Op("abs", (a[0],))),
    (_pattern("greatest common divisor of # and #"), lambda a: Op("gcd", tuple(a))),
    (_pattern("value of #"), lambda a: a[0]),
    (_pattern("(?:simplify|expand|factor|evaluat|comput|calculat)ing #"), lambda a: a[0]),
    (_pattern("# plus #"), lambda a: Op("+", tuple(a))),
    (_pattern("# minus #"), lambda a: Op("+", (a[0], Op("neg", (a[1],))))),
    (_pattern("# times #"), lambda a: Op("*", tuple(a))),
    (_pattern("# multiplied by #"), lambda a: Op("*", tuple(a))),
    (_pattern("# divided by #"), _quotient),
    (_pattern("adding # (?:and|to) #"), lambda a: Op("+", tuple(a))),
    (_pattern("subtracting # from #"), lambda a: Op("+", (a[1], Op("neg", (a[0],))))),
    (_pattern("multiplying # (?:and|by) #"), lambda a: Op("*", tuple(a))),
    (_pattern("dividing # by #"), _quotient),
    (_pattern("(?:half|one half) of #"), lambda a: Op("/", (a[0], number(2)))),
    (_pattern("(?:one|a) third of #"), lambda a: Op("/", (a[0], number(3)))),
    (_pattern("(?:one|a) (?:quarter|fourth) of #"), lambda a: Op("/", (a[0], number(4)))),
    (_pattern("# squared"), lambda a: Op("^", (a[0], number(2)))),
    (_pattern("# percent of #"), lambda a: Op("*", (Op("%", (a[0],)), a[1]))),
    (_pattern("# of #"), _share),
)
"""What may stand before a value, and what makes the expression of its formulas, or None of it."""
