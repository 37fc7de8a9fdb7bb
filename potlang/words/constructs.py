"""The constructs that sentences are made of, whatever the language: operands, and the text as an expression.

A formula is a tree of `Part`s. The same texts are made of the parts of a formula and of the readings of a
sentence, so that equal texts mean that the sentence says the formula.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from potlang.expressions.names import written

FORMULA, TERM, CASE = "f", "t", "c"


class Construct(NamedTuple):
    """A construct: its `kind`, those of its operands (`*` behind the last: any number of them), its text."""

    kind: str
    operands: str
    text: Callable[[Sequence[str]], str]

    def kind_of(self, index: int) -> str:
        """The kind of an operand."""
        return self.operands[min(index, len(self.operands.rstrip("*")) - 1)]


def _calling(name: str) -> Callable[[Sequence[str]], str]:
    return lambda texts: f"{name}({', '.join(texts)})"


def _between(sign: str) -> Callable[[Sequence[str]], str]:
    return lambda texts: f"({f' {sign} '.join(texts)})"


def _listing(name: str) -> Callable[[Sequence[str]], str]:
    return lambda texts: f"{name}([{', '.join(texts)}])"


def _membership(sign: str) -> Callable[[Sequence[str]], str]:
    return lambda texts: f"({texts[0]} {sign} [{', '.join(texts[1:])}])"


def _equal(texts: Sequence[str]) -> str:
    """An equation; with a truth value the other side, or its negation."""
    left, right = texts
    if right in ("True", "False"):
        return left if right == "True" else f"Not({left})"
    return f"({left} == {right})"


def _different(texts: Sequence[str]) -> str:
    left, right = texts
    if right in ("True", "False"):
        return f"Not({left})" if right == "True" else left
    return f"({left} != {right})"


def negated(text: str) -> str:
    """The negation of a text of an expression."""
    return f"Not({text})"


_CASE_END = "\0"
"""Between cases that are not yet closed by what is otherwise so; no expression has it."""


def _chosen(texts: Sequence[str]) -> str:
    cases = texts[0].split(_CASE_END)
    return "".join(cases) + texts[1] + ")" * len(cases)


_ON_BITS = {
    "tt": "BVAnd BVOr BVXor UDiv URem SDiv SRem Shl LShR AShR BitVecVal ZeroExt SignExt "
    "RotateLeft RotateRight Int2BV",
    "t": "BVNot BV2Int SBV2Int",
    "ttt": "Extract",
}

_ORDERS_OF_BITS = "ULT ULE UGT UGE SLT SLE SGT SGE"

CONSTRUCTS: dict[str, Construct] = {
    "not": Construct("f", "f", _calling("Not")),
    "and": Construct("f", "f*", _between("and")),
    "or": Construct("f", "f*", _between("or")),
    "implies": Construct("f", "ff", _between("->")),
    "iff": Construct("f", "ff", _between("<->")),
    "xor": Construct("f", "ff", _calling("Xor")),
    "if formula": Construct("f", "fff", _calling("If")),
    "equal": Construct("f", "tt", _equal),
    "different": Construct("f", "tt", _different),
    "less": Construct("f", "tt", _between("<")),
    "at most": Construct("f", "tt", _between("<=")),
    "greater": Construct("f", "tt", _between(">")),
    "at least": Construct("f", "tt", _between(">=")),
    "in": Construct("f", "tt", _between("in")),
    "not in": Construct("f", "tt", _between("not in")),
    "one of": Construct("f", "tt*", _membership("in")),
    "none of": Construct("f", "tt*", _membership("not in")),
    "distinct": Construct("f", "t*", _calling("Distinct")),
    "unless": Construct("f", "ff", lambda texts: f"(Not({texts[1]}) -> {texts[0]})"),
    "implies unless": Construct(
        "f", "fff", lambda texts: f"(({texts[0]} and Not({texts[2]})) -> {texts[1]})"
    ),
    "at most of": Construct("f", "tf*", lambda texts: f"AtMost({texts[0]}, [{', '.join(texts[1:])}])"),
    "at least of": Construct("f", "tf*", lambda texts: f"AtLeast({texts[0]}, [{', '.join(texts[1:])}])"),
    "exactly of": Construct("f", "tf*", lambda texts: f"Exactly({texts[0]}, [{', '.join(texts[1:])}])"),
    "at most one of": Construct("f", "f*", lambda texts: f"AtMost(1, [{', '.join(texts)}])"),
    "at least one of": Construct("f", "f*", lambda texts: f"AtLeast(1, [{', '.join(texts)}])"),
    "exactly one of": Construct("f", "f*", lambda texts: f"Exactly(1, [{', '.join(texts)}])"),
    "exactly none of": Construct("f", "f*", lambda texts: f"Exactly(0, [{', '.join(texts)}])"),
    "earlier": Construct("f", "tt", _between("<")),
    "no later": Construct("f", "tt", _between("<=")),
    "later": Construct("f", "tt", _between(">")),
    "no earlier": Construct("f", "tt", _between(">=")),
    "Between": Construct("f", "ttt", _calling("Between")),
    "IsEmpty": Construct("f", "t", _calling("IsEmpty")),
    "subset": Construct("f", "tt", _calling("Subset")),
    "contains": Construct("f", "tt", _calling("Contains")),
    "prefix": Construct("f", "tt", _calling("PrefixOf")),
    "suffix": Construct("f", "tt", _calling("SuffixOf")),
    "true": Construct("t", "", lambda texts: "True"),
    "false": Construct("t", "", lambda texts: "False"),
    "valid": Construct("f", "", lambda texts: "True"),
    "absurd": Construct("f", "", lambda texts: "False"),
    "whether": Construct("t", "f", lambda texts: texts[0]),
    "if term": Construct("t", "ftt", _calling("If")),
    # A chain of choices: its cases one after the other, then what is otherwise so.
    "case": Construct("c", "ft", lambda texts: f"If({texts[0]}, {texts[1]}, "),
    "cases": Construct("c", "c*", _CASE_END.join),
    "if cases": Construct("t", "ct", _chosen),
    "plus": Construct("t", "t*", _between("+")),
    "minus": Construct("t", "tt", _between("-")),
    "after": Construct("t", "tt", _between("+")),
    "before": Construct("t", "tt", _between("-")),
    "times": Construct("t", "t*", _between("*")),
    "divided": Construct("t", "tt", _between("/")),
    "quotient": Construct("t", "tt", _between("//")),
    "remainder": Construct("t", "tt", _between("%")),
    "power": Construct("t", "tt", _between("**")),
    "negative": Construct("t", "t", lambda texts: f"(-{texts[0]})"),
    "absolute": Construct("t", "t", _calling("Abs")),
    "floor": Construct("t", "t", _calling("ToInt")),
    "real": Construct("t", "t", _calling("ToReal")),
    "Floor": Construct("t", "t", _calling("Floor")),
    "Ceil": Construct("t", "t", _calling("Ceil")),
    "Truncate": Construct("t", "t", _calling("Truncate")),
    "Sign": Construct("t", "t", _calling("Sign")),
    "StrToInt": Construct("t", "t", _calling("StrToInt")),
    "Size": Construct("t", "t", _calling("Size")),
    "Substring": Construct("t", "ttt", _calling("Substring")),
    "months later": Construct("t", "tt", _calling("AddMonths")),
    "one month later": Construct("t", "t", lambda texts: f"AddMonths({texts[0]}, 1)"),
    "years later": Construct("t", "tt", _calling("AddYears")),
    "one year later": Construct("t", "t", lambda texts: f"AddYears({texts[0]}, 1)"),
    "Year": Construct("t", "t", _calling("Year")),
    "Month": Construct("t", "t", _calling("Month")),
    "Day": Construct("t", "t", _calling("Day")),
    "Weekday": Construct("t", "t", _calling("Weekday")),
    "DateOf": Construct("t", "t", _calling("DateOf")),
    "Hour": Construct("t", "t", _calling("Hour")),
    "Minute": Construct("t", "t", _calling("Minute")),
    "DaysBetween": Construct("t", "tt", _calling("DaysBetween")),
    "average": Construct("t", "t*", _listing("Average")),
    "sum": Construct("t", "t*", _listing("Sum")),
    "product": Construct("t", "t*", _listing("Product")),
    "least": Construct("t", "t*", _listing("Min")),
    "greatest": Construct("t", "t*", _listing("Max")),
    "count": Construct("t", "f*", _listing("Count")),
    "element": Construct("t", "tt", _calling("Select")),
    "stored": Construct("t", "ttt", _calling("Store")),
    "set": Construct("t", "t*", lambda texts: f"[{', '.join(texts)}]"),
    "empty set": Construct("t", "", lambda texts: "[]"),
    "union": Construct("t", "t*", _calling("Union")),
    "intersection": Construct("t", "t*", _calling("Intersect")),
    "difference": Construct("t", "tt", _calling("Difference")),
    "size": Construct("t", "t", _calling("Card")),
    "length": Construct("t", "t", _calling("Length")),
    "joined": Construct("t", "t*", _calling("Concat")),
    "applied": Construct("t", "tt*", lambda texts: f"{texts[0]}({', '.join(texts[1:])})"),
    # Bit vectors: by the names of the functions, which have no spelling of their own.
    **{
        name: Construct("t", operands, _calling(name))
        for operands, names in _ON_BITS.items()
        for name in names.split()
    },
    **{name: Construct("f", "tt", _calling(name)) for name in _ORDERS_OF_BITS.split()},
}
"""The constructs with fixed operands; binders are in `BINDING`; a program's functions are its own."""

BINDING: dict[str, tuple[str, str, str]] = {
    "forall": ("f", "f", "ForAll"),
    "exists": ("f", "f", "Exists"),
    "sum over": ("t", "t", "Sum"),
    "product over": ("t", "t", "Product"),
    "least over": ("t", "t", "Min"),
    "greatest over": ("t", "t", "Max"),
    "average over": ("t", "t", "Average"),
    "number of": ("t", "f", "Count"),
    "set of": ("t", "f", "SetOf"),
    "exactly one": ("f", "f", "ExistsUnique"),
    "at most over": ("f", "tf", "AtMost"),
    "at least over": ("f", "tf", "AtLeast"),
    "exactly over": ("f", "tf", "Exactly"),
    "at most one over": ("f", "f", "AtMost(1"),
    "at least one over": ("f", "f", "AtLeast(1"),
    "exactly one over": ("f", "f", "Exactly(1"),
    "exactly none over": ("f", "f", "Exactly(0"),
}
"""Constructs with binders: their kind, those of what is before the binders and of the body, the word.

A word with a bracket has its first argument with it.
"""


class SpokenBinder(NamedTuple):
    """A variable and its sort, both as expressions write them."""

    name: str
    sort: str

    def __str__(self) -> str:
        return f"{self.name}: {self.sort}"


def bound(key: str, binders: Sequence[SpokenBinder], texts: Sequence[str]) -> str:
    """The text of a construct with binders; `texts` are those of its operands, the body last."""
    *before, body = texts
    heads = ", ".join(map(str, binders))
    word = BINDING[key][2]
    return f"{word}{', ' if '(' in word else '('}{', '.join([*before, f'[{heads}]', body])})"


def applied(name: str, texts: Sequence[str]) -> str:
    """The text of a function, by its name, at its arguments."""
    return f"{written(name)}({', '.join(texts)})"
