"""Checks of the shape of JSON values, with a diagnostic for each thing that does not fit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from potlang.diag.model import Applicability, Fix, Patch, Place
from potlang.diag.near import nearest
from potlang.diag.sink import Sink
from potlang.expressions.expression import LONGEST_NAME, LONGEST_NUMERAL, parse_sort, read_formula
from potlang.expressions.other_keys import key_meant
from potlang.expressions.surface import Formula, SortExpr
from potlang.source.pointer import join_pointer

Object = dict[str, Any]
_HIGHEST = 1_000_000_000
"""Above all numbers of sentences: a short text may stand for an integer of many digits."""


def found_words(value: object) -> str:
    """The kind of a JSON value in words: `a list`, `a number`."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, int | float | Decimal):
        return "a number"
    if isinstance(value, list):
        return "a list"
    return "an object" if isinstance(value, dict) else "a value that JSON does not have"


class Shapes:
    """Reads JSON values of an expected shape; None stands for what was not of that shape."""

    __slots__ = ("sink",)

    def __init__(self, sink: Sink) -> None:
        self.sink = sink

    def wrong_type(
        self, value: object, pointer: str, expected: str, helps: Sequence[str] = (), fixes: Sequence[Fix] = ()
    ) -> None:
        """Reports that something else than `expected` stands at `pointer`."""
        self.sink.report(
            "POT1010", pointer, expected=expected, found=found_words(value), helps=helps, fixes=fixes
        )

    def missing(self, key: str, pointer: str, helps: Sequence[str] = ()) -> None:
        """Reports that the object at `pointer` lacks `key`."""
        self.sink.report("POT1011", pointer, key=key, helps=helps)

    def object_of(
        self, value: object, pointer: str, what: str, known: Sequence[str], required: Iterable[str] = ()
    ) -> Object | None:
        """The object at `pointer`; unknown keys and missing ones are reported."""
        if not isinstance(value, dict):
            self.wrong_type(value, pointer, what)
            return None
        meant = [self.unknown_key(key, value, pointer, known) for key in value if key not in known]
        for key in required:
            if key not in value and key not in meant:
                self.missing(key, pointer)
        return value

    def unknown_key(self, key: object, value: Object, pointer: str, known: Sequence[str]) -> str | None:
        """Reports a key that does not belong here; returns the free key that was probably meant."""
        text = str(key)
        place = Place(join_pointer(pointer, text), on_key=True)
        near = [name for name in nearest(text, known, 3) if name not in value]
        other = None if near else key_meant(text, known, value)
        near = [other] if other is not None else near
        fixes = []
        if near and isinstance(key, str):
            move = Patch("move", join_pointer(pointer, near[0]), source=place.pointer)
            trust = Applicability.SAFE if other is None else Applicability.UNSAFE
            fixes = [Fix(f"rename the key to `{near[0]}`", trust, (move,))]
        helps = [f"did you mean `{near[0]}`?"] if near else [f"the keys here are {_words(known)}"]
        self.sink.report("POT1012", place, key=text, helps=helps, fixes=fixes)
        return near[0] if near else None

    def items(self, value: object, pointer: str, expected: str) -> list[tuple[Any, str]]:
        """The items of the list at `pointer`, each with its pointer; null is the empty list."""
        if value is None:
            return []
        if not isinstance(value, list):
            self.wrong_type(value, pointer, expected)
            return []
        return [(item, f"{pointer}/{index}") for index, item in enumerate(value)]

    def string(self, value: object, pointer: str, expected: str = "a string") -> str | None:
        """The string at `pointer`."""
        if isinstance(value, str):
            return value
        self.wrong_type(value, pointer, expected)
        return None

    def name(self, value: object, pointer: str, what: str = "a name") -> str | None:
        """The name at `pointer`: a string that is neither empty nor too long."""
        if not isinstance(value, str):
            helps, fixes = [], []
            if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < 100:
                helps = ["names are strings; in expressions, a name like this is written in backquotes"]
                edit = Patch("replace", pointer, str(value))
                fixes = [Fix(f'write "{value}"', Applicability.UNSAFE, (edit,))]
            self.wrong_type(value, pointer, what, helps, fixes)
            return None
        if not value:
            self.sink.report("POT1014", pointer, what="a name")
            return None
        if len(value) > LONGEST_NAME:
            self.sink.report("POT0007", pointer, length=len(value), limit=LONGEST_NAME)
            return None
        return value

    def names(self, value: object, pointer: str, expected: str) -> list[tuple[str, str]]:
        """The names in the list at `pointer`, each with its pointer."""
        pairs = [(self.name(item, place), place) for item, place in self.items(value, pointer, expected)]
        return [(name, place) for name, place in pairs if name is not None]

    def boolean(self, value: object, pointer: str) -> bool | None:
        """The truth value at `pointer`."""
        if isinstance(value, bool):
            return value
        meant = {"true": True, "false": False}.get(value.strip().lower()) if isinstance(value, str) else None
        if meant is not None:
            text = str(meant).lower()
            fix = Fix(
                f"write {text}, without quotes", Applicability.SAFE, (Patch("replace", pointer, meant),)
            )
            self.wrong_type(value, pointer, "true or false", [f"write {text}, without quotes"], [fix])
            return meant
        self.wrong_type(value, pointer, "true or false")
        return None

    def positive(self, value: object, pointer: str) -> Fraction | None:
        """The number at `pointer`, which must be above 0, exactly as it is written."""
        if isinstance(value, int | float | Decimal) and not isinstance(value, bool) and value > 0:
            text = self._literal(value, pointer)
            written = None if text is None else Decimal(text)
            if written is None:
                return None
            # An exponent makes a short text a long number.
            digits = max(abs(written.adjusted()), len(written.as_tuple().digits))
            if digits <= LONGEST_NUMERAL:
                return Fraction(written)
            self.sink.report("POT0004", pointer, digits=digits, limit=LONGEST_NUMERAL)
            return None
        self.wrong_type(value, pointer, "a number above 0")
        return None

    def ordinal(self, value: object, pointer: str) -> int | None:
        """The whole number from 1 on at `pointer`."""
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
            number = 0
        else:
            number = int(value) if 1 <= value < _HIGHEST and value == int(value) else 0
        if number:
            return number
        self.wrong_type(value, pointer, "a whole number from 1 on")
        return None

    def one_of(self, value: object, pointer: str, allowed: Sequence[str]) -> str | None:
        """The string at `pointer`, which must be one of `allowed`."""
        text = self.string(value, pointer, " or ".join(f'"{word}"' for word in allowed))
        if text is None or text in allowed:
            return text
        near = nearest(text, allowed, 1)
        fixes = []
        if near:
            edit = Patch("replace", pointer, near[0])
            fixes = [Fix(f'write "{near[0]}"', Applicability.SAFE, (edit,))]
        helps = [f'did you mean "{near[0]}"?'] if near else []
        self.sink.report("POT1013", pointer, value=text, allowed=_words(allowed), helps=helps, fixes=fixes)
        return None

    def sort(self, value: object, pointer: str) -> SortExpr | None:
        """The sort at `pointer`, written as a string."""
        if not isinstance(value, str):
            self.wrong_type(value, pointer, "the name of a sort")
            return None
        if not value:
            self.sink.report("POT1014", pointer, what="a sort")
            return None
        return parse_sort(value, pointer, self.sink)

    def formula(self, value: object, pointer: str) -> Formula | None:
        """The expression at `pointer`; true, false and numbers are read as expressions, with a warning."""
        if isinstance(value, str):
            return read_formula(value, pointer, self.sink)
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            self._not_joined(value, pointer)
            return None
        text = self._literal(value, pointer)
        if text is None:
            return None
        self.sink.report("POT1017", pointer, found=found_words(value), meant=f'"{text}"')
        return read_formula(text, pointer, self.sink)

    def _not_joined(self, formulas: list[str], pointer: str) -> None:
        """Reports a list of formulas where one formula is to stand."""
        text = formulas[0] if len(formulas) == 1 else f"And({', '.join(formulas)})"
        fix = Fix("write one formula", Applicability.UNSAFE, (Patch("replace", pointer, text),))
        shown = text if len(text) <= 200 else "And(…, …)"
        helps = [f"write one formula, `{shown}`"]
        self.wrong_type(formulas, pointer, "an expression in a string", helps, [fix])

    def _literal(self, value: object, pointer: str) -> str | None:
        if isinstance(value, bool):
            return str(value)
        if isinstance(value, float) and math.isfinite(value):
            return repr(value)
        if isinstance(value, int):
            digits = value.bit_length() * 30103 // 100000
            if digits > LONGEST_NUMERAL:
                self.sink.report("POT0004", pointer, digits=digits, limit=LONGEST_NUMERAL)
                return None
            return str(Decimal(value))
        if isinstance(value, Decimal) and value.is_finite():
            return str(value)
        self.wrong_type(value, pointer, "an expression in a string")
        return None


def _words(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
