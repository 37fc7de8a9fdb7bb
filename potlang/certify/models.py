"""Models: sizes of declared sorts, meanings of symbols and values, as a certificate writes them.

[CERT-UNIVERSE], [CERT-MEANING], [CERT-VALUE] of `spec/80-certificates.md`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from .growing import Growing, total
from .operators import NoValue, TotalMap, compute, cost
from .sorts import BOOL, INT, REAL, Sort
from .terms import Symbol, Term
from .theory import Theory
from .tokens import Invalid, StepBudget, Tree, integer, pair, shown

MOST_MEMBERS = 1 << 16
MOST_ENTRIES = 1 << 18
TABLES = ("Set", "Array", "Function")


class CertificateModel:
    """`universe` gives sizes, `meanings` values of constants and tables over tuples of arguments.

    Sorts nest no deeper than 100 levels, and so do the calls here.
    """

    def __init__(self, theory: Theory) -> None:
        self.theory = theory
        self.universe: dict[Sort, int] = {}
        self.meanings: dict[Symbol, object] = {}
        self._members: dict[object, list[object] | None] = {}

    def read(self, parts: list[Tree]) -> None:
        """A universe, constant or function line. Raises `Invalid`."""
        match parts:
            case ["universe", written, size]:
                sort = self.theory.sorts.read(written)
                if sort.kind != "declared" or sort in self.universe or integer(size) < 1:
                    raise Invalid("a universe is of a declared sort, once, and at least 1")
                self.universe[sort] = integer(size)
            case ["constant", called, value]:
                symbol = self._new(called, True)
                self.meanings[symbol] = self.value(value, symbol.range)
            case ["function", called, ["default", default], *entries]:
                symbol = self._new(called, False)
                self.meanings[symbol] = self._table(symbol.domain, symbol.range, default, entries)
            case _:
                raise Invalid("malformed line of a model")

    def _new(self, called: Tree, constant: bool) -> Symbol:
        symbol = self.theory.symbol(called)
        fixed = symbol.kind in ("constructor", "selector") or symbol.definition is not None
        if fixed or symbol in self.meanings or constant is bool(symbol.domain):
            raise Invalid(f"{shown(symbol.name)} has a meaning already, or one of the other kind")
        return symbol

    def value(self, part: Tree, sort: Sort) -> object:
        """The value of `sort` that `part` writes. Raises `Invalid`."""
        read = self.theory.sorts.read
        value: object = None
        match part:
            case "true" | "false" if sort is BOOL:
                value = part == "true"
            case str() if sort is INT:
                value = integer(part)
            case ["lit", written, _] if read(written) is sort and sort.kind != "Set":
                value = self.theory.term(part).value
            case ["powers", *powers] if sort in (INT, REAL):
                value = self._growing(powers, sort)
            case ["element", written, number] if read(written) is sort:
                value = integer(number) if 0 <= integer(number) < self.universe.get(sort, 0) else None
            case ["record", written, *fields] if sort.kind == "tuple" and read(written) is sort:
                if len(fields) == len(sort.parts):
                    value = tuple([self.value(*pair) for pair in zip(fields, sort.parts, strict=True)])
            case ["table", default, *entries] if sort.kind in TABLES:
                value = self.canonical(self._table(*_map(sort), default, entries), sort)
        if value is None or isinstance(value, NoValue):
            raise Invalid(f"{shown(part)} is not a value of its sort")
        return value

    def _growing(self, powers: list[Tree], sort: Sort) -> Growing | None:
        """[CERT-FAMILY] A sum of multiples of powers; of an integer, whole in the end."""
        factors = [(integer(power), self.theory.term(factor)) for power, factor in map(pair, powers)]
        value = total((power, each.value) for power, each in factors if isinstance(each.value, Fraction))
        whole = isinstance(value, Growing) and all(
            power > 0 or (power == 0 and factor.denominator == 1) for power, factor in value.parts
        )
        return value if isinstance(value, Growing) and (whole or sort is REAL) else None

    def _table(self, index: Sequence[Sort], result: Sort, default: Tree, entries: list[Tree]) -> TotalMap:
        found: dict[object, object] = {}
        for each in entries:
            if not isinstance(each, list) or len(each) != len(index) + 1:
                raise Invalid("an entry has its arguments and a value")
            key = tuple([self.value(*pair) for pair in zip(each[:-1], index, strict=True)])
            if key in found:
                raise Invalid("two entries have the same arguments")
            found[key] = self.value(each[-1], result)
        return TotalMap(self.value(default, result), found)

    def canonical(self, table: TotalMap, sort: Sort) -> object:
        """The table that stands for its map: over a finite sort, the default is the first key's value."""
        keys = self._keys(sort)
        if keys is not None:
            default = table.get(keys[0])
            return TotalMap(default, {key: table.get(key) for key in keys})
        few = len(table.entries) <= MOST_MEMBERS // 2
        return table if few else NoValue("a table over a very large sort has too many entries")

    def literal(self, term: Term) -> object:
        """The value of a literal."""
        empty = term.value is None
        return self.canonical(TotalMap(False, {}), term.sort) if empty else term.value

    def compute(self, term: Term, values: Sequence[Any], steps: StepBudget) -> object:
        """The value of an operator's application, as `operators.compute` gives it; tables are `canonical`."""
        op, first = str(term.op), term.args[0].sort
        steps.spend(cost(values))
        value = compute(op, values, (first, term.args[-1].sort))
        if isinstance(value, TotalMap):
            sort = first if op == "subset" else term.sort
            steps.spend(len(self._keys(sort) or ()) >> 2)
            value = self.canonical(value, sort)
        return value == TotalMap(False, {}) if op == "subset" and isinstance(value, TotalMap) else value

    def members(self, sort: Sort) -> list[object] | None:
        """All members; None for infinite and very large sorts."""
        if sort not in self._members:
            self._members[sort] = self._listed(sort)
        return self._members[sort]

    def _keys(self, sort: Sort) -> list[object] | None:
        keys = sort, "keys"
        if keys not in self._members:
            self._members[keys] = _product([self.members(part) for part in _map(sort)[0]])
        return self._members[keys]

    def _listed(self, sort: Sort) -> list[object] | None:
        match sort.kind:
            case "Bool":
                return [False, True]
            case "enum":
                return list(sort.labels)
            case "BitVec" if 1 << sort.width <= MOST_MEMBERS:
                return list(range(1 << sort.width))
            case "declared":
                if sort not in self.universe:
                    raise Invalid(f"the model gives {shown(sort.name)} no universe, or too late")
                return list(range(self.universe[sort])) if self.universe[sort] <= MOST_MEMBERS else None
            case "tuple":
                return _product([self.members(part) for part in sort.parts])
            case "Set" | "Array" | "Function":
                keys, values = self._keys(sort), self.members(_map(sort)[1])
                chosen = None if keys is None else _product([values] * len(keys))
                if keys is None or chosen is None or len(chosen) * len(keys) > MOST_ENTRIES:
                    return None
                tables = [dict(zip(keys, each, strict=True)) for each in chosen if isinstance(each, tuple)]
                return [TotalMap(entries[keys[0]], entries) for entries in tables]
        return None


def _map(sort: Sort) -> tuple[tuple[Sort, ...], Sort]:
    """The key sorts and the value sort of the tables of a sort."""
    return (sort.parts, BOOL) if sort.kind == "Set" else (sort.parts[:-1], sort.parts[-1])


def _product(parts: list[list[object] | None]) -> list[object] | None:
    known = [part for part in parts if part is not None]
    many = len(known) < len(parts) or math.prod(map(len, known)) > MOST_MEMBERS
    return None if many else list(itertools.product(*known))
