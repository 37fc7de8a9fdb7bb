"""Valid PoT programs drawn at random, with what is known of their verdicts.

A second generator, beside the package's, written from the language's specification alone. A structure is
drawn first, and facts are stated that hold in it. So much is known of a claim: one that holds in it is not
refuted, and the assumptions are consistent. Where there are few structures all are tried, and everything is
known; claims that follow from one assumption by construction, planted contradictions, and Horn rules, whose
least model a loop finds, are known too.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from plain_terms import (
    BOOL,
    INT,
    REAL,
    STRING,
    Signature,
    Sort,
    Structure,
    Term,
    Undefined,
    Value,
    name_text,
    sort_text,
    text,
    value,
)

MOST_STRUCTURES = 1_500
VERDICTS = frozenset({"entailed", "refuted", "undetermined", "inconsistent"})
_NAMES = ("a b", "größe", "x-ray", "In", "`", "名", "Ω2", "and", "_", "true story", "p?", "#", "e.g.")
_BIT_HEADS = (
    *("add", "sub", "mul", "neg", "div", "mod", "BVNot", "BVAnd", "BVOr", "BVXor", "Shl", "LShR", "AShR"),
    *("UDiv", "URem", "SDiv", "SRem", "bvconcat"),
)
_WORDS = ("", "a", "b", "ab", "ba", "aab")


class Drawn(NamedTuple):
    """A program, the verdicts that its claims may have by name, and the best values of its objectives.

    `best` is None if nothing is known of the optimization, and empty if it has no model.
    """

    program: dict[str, Any]
    allowed: dict[str, frozenset[str]]
    best: tuple[Fraction, ...] | None
    bindings: dict[str, tuple[frozenset[str], frozenset[str]]]
    """Of claims with `find`: the names that fit in all structures, and in some but not all."""
    exact: bool


class _Symbol(NamedTuple):
    name: str
    domain: tuple[Sort, ...]
    range: Sort
    values: Sequence[Value] | None
    """The values that its cells are stated to have, where its range has endlessly many."""


class _Claim(NamedTuple):
    name: str
    formula: Term
    find: tuple[Any, ...] = ()
    norm: bool = False
    known: frozenset[str] = VERDICTS


class Drawing:
    """One program in the making."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.taken: set[str] = set()
        self.fresh = itertools.count()
        self.signature = Signature({}, {}, {}, {}, {}, set())
        self.symbols: list[_Symbol] = []
        self.finite: list[Sort] = [BOOL]
        """The sorts that quantifiers range over."""
        self.unique: set[str] = set()
        self.closed: set[str] = set()
        self.small = rng.random() < 0.6
        self.puzzle = self.small and rng.random() < 0.3
        """Of enums, truth values and bounded integers alone."""
        self.facts: list[Term] = []
        self.claims: list[_Claim] = []
        self.definitions: list[tuple[str, list[Sort], Sort]] = []
        self.m: Structure

    # --- names and declarations ---------------------------------------------------------------------------

    def name(self, stem: str) -> str:
        """A name that nothing else has, now and then an odd one."""
        found = f"{stem}{next(self.fresh)}"
        if self.rng.random() < 0.02:
            found = self.rng.choice(_NAMES)
            if found in self.taken:
                found = f"{stem}{next(self.fresh)}"
        self.taken.add(found)
        return found

    def declare(self) -> None:
        """Draws sorts, constants, functions and definitions."""
        rng = self.rng
        for _ in range(0 if self.puzzle else rng.choice((0, 1, 1, 2))):
            name = self.name("T")
            self.signature.named[name] = [
                self.name("c") for _ in range(rng.randint(1, 3 if self.small else 5))
            ]
            if rng.random() < (0.9 if self.small else 0.3):
                self.closed.add(name)
            if rng.random() < 0.5:
                self.unique.add(name)
            self.finite.append(("Decl", name))
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            name = self.name("E")
            self.signature.enums[name] = [self.name("v") for _ in range(rng.randint(1, 4))]
            self.finite.append(("Enum", name))
        if not self.puzzle and rng.random() < 0.25:
            self.finite.append(("Bits", rng.randint(1, 2 if self.small else 4)))
        if not self.puzzle and rng.random() < 0.2:
            name = self.name("R")
            inner = [self.name("f") for _ in range(rng.randint(1, 2))]
            self.signature.tuples[name] = [(each, rng.choice(self.finite)) for each in inner]
            self.finite.append(("Tuple", name))
        ranges = [BOOL] * 4 + self.finite + [INT, INT]
        if self.puzzle:
            for _ in range(rng.randint(1, 3)):
                self.add((), INT)
        else:
            ranges.append(REAL)
        if not self.small:
            ranges.append(STRING)
        for _ in range(rng.randint(0, 2)):
            kind = "plain" if self.puzzle else rng.choice(("Set", "Array", "plain", "plain", "plain"))
            sort = rng.choice(ranges)
            if kind == "Set":
                sort = ("Set", rng.choice([each for each in self.finite if each[0] != "Tuple"]))
            elif kind == "Array":
                sort = ("Array", rng.choice([each for each in self.finite if each[0] != "Tuple"]), BOOL)
            self.add((), sort)
        for _ in range(rng.randint(1, 3 if self.small else 5)):
            domain = tuple(rng.choice(self.finite) for _ in range(rng.choice((1, 1, 2))))
            self.add(domain, rng.choice(ranges))
        if not self.small and rng.random() < 0.2:
            self.add((INT,), rng.choice((BOOL, INT)))
        for _ in range(rng.randint(0, 2)):
            self.add((), rng.choice((BOOL, INT) if self.puzzle else (BOOL, INT, REAL)))

    def add(self, domain: tuple[Sort, ...], to: Sort) -> None:
        """Declares a symbol. One without arguments, of a declared sort, is a constant like the others."""
        symbol = self.symbol(domain, to)
        if not domain and to[0] == "Decl":
            self.signature.named[to[1]].append(symbol.name)
        else:
            self.symbols.append(symbol)

    def symbol(self, domain: tuple[Sort, ...], to: Sort) -> _Symbol:
        values: Sequence[Value] | None = None
        if self.small and to == INT:
            low = self.rng.randint(-2, 2)
            values = range(low, low + self.rng.randint(1, 4))
        elif self.small and to == REAL:
            values = [Fraction(self.rng.randint(-4, 8), self.rng.choice((1, 2, 3, 10))) for _ in range(2)]
        name = self.name("p" if to == BOOL else "f")
        if not domain and self.rng.random() < 0.5:
            self.signature.functions.add(name)
        return _Symbol(name, domain, to, values)

    def define(self) -> None:
        """Draws definitions, whose bodies use what is there."""
        for _ in range(self.rng.choice((0, 0, 0, 1, 2))):
            name = self.name("d")
            params = [
                (self.name("q"), self.rng.choice([*self.finite, INT])) for _ in range(self.rng.randint(1, 2))
            ]
            to = self.rng.choice((BOOL, BOOL, INT))
            body = self.term(to, 2, params)
            self.signature.defined[name] = ([each for each, _ in params], body)
            self.definitions.append((name, [sort for _, sort in params], to))

    # --- structures ---------------------------------------------------------------------------------------

    def some_value(self, sort: Sort, sizes: dict[str, int]) -> Value:
        """A value of a sort, at random."""
        rng = self.rng
        match sort:
            case ("Int",):
                return rng.choice((0, 1, 2, 3, -1, -3, rng.randint(-9, 20), rng.randint(-(10**6), 10**6)))
            case ("Real",):
                return Fraction(rng.randint(-10, 30), rng.choice((1, 1, 2, 3, 10)))
            case ("String",):
                return rng.choice(_WORDS)
        return rng.choice(Structure(self.signature, sizes, {}).members(sort))

    def draw_structure(self) -> None:
        """Draws the structure that facts are stated of."""
        sizes: dict[str, int] = {}
        tables: dict[str, dict[tuple[Value, ...], Value]] = {}
        for name, constants in self.signature.named.items():
            count = len(constants)
            kinds = list(range(count))
            if name not in self.unique:
                kinds = [self.rng.randrange(count) for _ in constants]
            order = sorted(set(kinds))
            sizes[name] = len(order) + (0 if name in self.closed else self.rng.randint(0, 2))
            for constant, kind in zip(constants, kinds, strict=True):
                tables[constant] = {(): order.index(kind)}
        values = {each.name: each for each in self.symbols}

        def fill(name: str) -> Value:
            symbol = values[name]
            if symbol.values is not None:
                return self.rng.choice(symbol.values)
            return self.some_value(symbol.range, sizes)

        tables |= {each: {} for each in values}
        self.m = Structure(self.signature, sizes, tables, fill)

    def count(self) -> float:
        """How many structures there are, up to the names of elements; infinite if not finitely many."""
        if any(name not in self.closed for name in self.signature.named):
            return math.inf
        total = 0.0
        for sizes, _ in self.skeletons():
            frame = Structure(self.signature, sizes, {})
            these = 1.0
            for symbol in self.symbols:
                of = len(self.cell_values(symbol, frame)) if self.enumerable(symbol) else math.inf
                cells = math.prod(
                    len(frame.members(each)) if each != INT else math.inf for each in symbol.domain
                )
                these = math.inf if math.inf in (of, cells) else these * min(1e9, float(of)) ** min(cells, 30)
            total += these
        return total

    def enumerable(self, symbol: _Symbol) -> bool:
        return symbol.values is not None or symbol.range[0] not in ("Int", "Real", "String")

    def cell_values(self, symbol: _Symbol, frame: Structure) -> Sequence[Value]:
        return sorted(set(symbol.values)) if symbol.values is not None else frame.members(symbol.range)

    def skeletons(self) -> Iterator[tuple[dict[str, int], dict[str, dict[tuple[Value, ...], Value]]]]:
        """Sizes of the closed sorts, with what their constants denote."""
        names = list(self.signature.named)
        ways = [self.partitions(name) for name in names]
        for chosen in itertools.product(*ways):
            sizes = {name: max(kinds) + 1 for name, kinds in zip(names, chosen, strict=True)}
            tables: dict[str, dict[tuple[Value, ...], Value]] = {}
            for name, kinds in zip(names, chosen, strict=True):
                named = self.signature.named[name]
                tables |= {each: {(): kind} for each, kind in zip(named, kinds, strict=True)}
            yield sizes, tables

    def partitions(self, name: str) -> list[tuple[int, ...]]:
        count = len(self.signature.named[name])
        if name in self.unique:
            return [tuple(range(count))]
        ways: list[tuple[int, ...]] = [()]
        for _ in range(count):
            ways = [(*way, each) for way in ways for each in range(max(way, default=-1) + 2)]
        return ways

    def structures(self) -> Iterator[Structure]:
        """All structures."""
        for sizes, constants in self.skeletons():
            frame = Structure(self.signature, sizes, {})
            cells = [
                (each.name, at, self.cell_values(each, frame))
                for each in self.symbols
                for at in itertools.product(*map(frame.members, each.domain))
            ]
            for chosen in itertools.product(*(values for _, _, values in cells)):
                tables: dict[str, dict[tuple[Value, ...], Value]] = {each.name: {} for each in self.symbols}
                tables |= constants
                for (name, at, _), one in zip(cells, chosen, strict=True):
                    tables[name][at] = one
                yield Structure(self.signature, sizes, tables)

    # --- terms --------------------------------------------------------------------------------------------

    def heads(self, sort: Sort) -> list[_Symbol]:
        named = [
            _Symbol(each, (), ("Decl", of), None)
            for of, many in self.signature.named.items()
            for each in many
        ]
        return [each for each in [*self.symbols, *named] if each.range == sort]

    def leaf(self, sort: Sort, scope: list[tuple[str, Sort]]) -> Term:
        rng = self.rng
        variables = [Term("var", sort, (), name) for name, of in scope if of == sort]
        constants = [Term("app", sort, (), each.name) for each in self.heads(sort) if not each.domain]
        if variables and (rng.random() < 0.7 or not constants):
            return rng.choice(variables)
        if sort[0] in ("Bool", "Int", "Real", "String", "Enum", "Bits") and (
            not constants or rng.random() < 0.4
        ):
            return Term("lit", sort, (), self.some_value(sort, {}) if sort != BOOL else rng.random() < 0.5)
        if constants:
            return rng.choice(constants)
        if sort[0] == "Tuple":
            fields = self.signature.tuples[sort[1]]
            return Term("tuple", sort, tuple(self.leaf(of, scope) for _, of in fields))
        raise LookupError

    def term(self, sort: Sort, depth: int, scope: list[tuple[str, Sort]]) -> Term:
        """A term of a sort; an `Int` one may stand for a `Real`. Raises LookupError where there is none."""
        rng = self.rng
        if depth <= 0 or rng.random() < 0.15:
            return self.leaf(sort, scope)
        if sort == BOOL:
            return self.formula(depth, scope)
        if sort == REAL and rng.random() < 0.12:
            return self.term(INT, depth, scope)
        ways: list[Callable[[], Term]] = []
        for symbol in self.heads(sort):
            if symbol.domain:
                ways += [partial(self.applied, symbol, depth, scope)] * 2
        for name, domain, to in self.definitions:
            if to == sort:
                ways.append(partial(self.called, name, domain, sort, depth, scope))
        for name, fields in self.signature.tuples.items():
            for i, (_, of) in enumerate(fields):
                if of == sort:
                    ways.append(partial(self.one, "field", sort, [("Tuple", name)], depth, scope, i))
        ways.append(lambda: self.one("ite", sort, [BOOL, sort, sort], depth, scope))
        ways += [lambda: self.special(sort, depth, scope)] * 2
        return rng.choice(ways)()

    def one(
        self,
        head: str,
        to: Sort,
        sorts: Sequence[Sort],
        depth: int,
        scope: list[tuple[str, Sort]],
        data: Any = None,
    ) -> Term:
        return Term(head, to, tuple(self.term(each, depth - 1, scope) for each in sorts), data)

    def applied(self, symbol: _Symbol, depth: int, scope: list[tuple[str, Sort]]) -> Term:
        return self.one("app", symbol.range, symbol.domain, depth - 1, scope, symbol.name)

    def called(
        self, name: str, domain: Sequence[Sort], to: Sort, depth: int, scope: list[tuple[str, Sort]]
    ) -> Term:
        return self.one("call", to, domain, depth - 1, scope, name)

    def special(self, sort: Sort, depth: int, scope: list[tuple[str, Sort]]) -> Term:
        """A term by an operator that gives this sort; a leaf where there is none."""
        rng = self.rng

        def one(head: str, *sorts: Sort) -> Term:
            return self.one(head, sort, sorts, depth, scope)

        kind = sort[0]
        if kind in ("Int", "Real"):
            head = rng.choice(
                ("add", "add", "sub", "neg", "abs", "times", "over", "mul", "pow", "convert", "many")
            )
            number = Term("lit", INT, (), rng.choice((2, 3, 5, -2, 7)))
            if head in ("add", "sub") or (head == "mul" and rng.random() < 0.3):
                return one(head, sort, sort)
            if head in ("neg", "abs"):
                return one(head, sort)
            if head == "over":
                at = self.term(sort, depth - 1, scope)
                by = number if rng.random() < 0.97 else self.term(sort, depth - 1, scope)
                if kind == "Int" and by.sort == INT:
                    return Term(rng.choice(("div", "mod")), INT, (at, by))
                return Term("ratio", REAL, (at, by)) if kind == "Real" else at
            if head == "pow" and rng.random() < 0.3:
                power = Term("lit", INT, (), rng.randint(0, 2))
                return Term("pow", sort, (self.term(sort, depth - 1, scope), power))
            if head == "convert":
                return one("toreal", INT) if kind == "Real" else one("toint", REAL)
            if head == "many":
                return self.aggregate(sort, depth, scope)
            return Term("mul", sort, (number, self.term(sort, depth - 1, scope)))
        if kind == "Bits":
            head = rng.choice(_BIT_HEADS)
            if head == "bvconcat":
                narrow = [each for each in self.finite if each[0] == "Bits" and 2 * each[1] == sort[1]]
                return one(head, narrow[0], narrow[0]) if narrow else self.leaf(sort, scope)
            return one(head, sort) if head in ("neg", "BVNot") else one(head, sort, sort)
        if kind == "Set":
            items = tuple(self.term(sort[1], depth - 2, scope) for _ in range(rng.randint(1, 2)))
            head = rng.choice(("union", "intersect", "difference"))
            first = self.term(sort, depth - 1, scope)
            second = Term("set", sort, items) if rng.random() < 0.5 else self.term(sort, depth - 1, scope)
            return Term(head, sort, (first, second))
        if kind == "Array":
            return one("store", sort, sort[1], sort[2])
        if kind == "Tuple":
            return Term(
                "tuple",
                sort,
                tuple(self.term(of, depth - 1, scope) for _, of in self.signature.tuples[sort[1]]),
            )
        if kind == "String":
            return one("concat", STRING, STRING)
        return self.leaf(sort, scope)

    def aggregate(self, sort: Sort, depth: int, scope: list[tuple[str, Sort]]) -> Term:
        rng = self.rng
        kind = rng.choice(("Sum", "Sum", "Product", "Min", "Max") + ("Count",) * (3 * (sort == INT)))
        sets = {each.range for each in self.symbols if each.range[0] == "Set" and each.range[1][0] != "Bits"}
        if sort == INT and sets and rng.random() < 0.5:
            return Term("card", INT, (self.term(rng.choice(sorted(sets, key=str)), depth - 1, scope),))
        of = BOOL if kind == "Count" else sort
        ranged = [each for each in self.finite if each[0] in ("Bool", "Enum", "Decl")]
        if rng.random() < 0.6:
            binder = (self.binder(s := rng.choice(ranged)), s, None)
            body = self.term(of, depth - 2, [*scope, (binder[0], s)])
            return Term("aggregate", sort, (body,), (kind, (binder,)))
        many = tuple(self.term(of, depth - 1, scope) for _ in range(rng.randint(1, 3)))
        return Term("aggregate", sort, many, (kind, None))

    def binder(self, sort: Sort) -> str:
        """A new name to bind, now and then one of the program's variables."""
        name = self.name("x")
        if self.rng.random() < 0.3:
            self.signature.variables[name] = sort
        return name

    def formula(self, depth: int, scope: list[tuple[str, Sort]]) -> Term:
        """A formula whose free variables are those of the scope."""
        rng = self.rng
        if depth <= 1 or rng.random() < 0.3:
            return self.atom(depth, scope)
        head = rng.choice(
            (
                "and",
                "or",
                "not",
                "implies",
                "iff",
                "xor",
                "ite",
                "forall",
                "exists",
                "forall",
                "exists",
                "and",
                "or",
            )
        )
        if head in ("forall", "exists"):
            return self.quantified(head, depth, scope)
        count = {"not": 1, "ite": 3, "and": rng.randint(1, 3), "or": rng.randint(1, 3)}.get(head, 2)
        if count == 1 and head != "not":
            count = 2
        return Term(head, BOOL, tuple(self.formula(depth - 1, scope) for _ in range(count)))

    def quantified(self, head: str, depth: int, scope: list[tuple[str, Sort]]) -> Term:
        binders: list[Any] = []
        for _ in range(self.rng.choice((1, 1, 2))):
            if self.rng.random() < 0.1:
                low = self.rng.randint(-2, 2)
                binders.append((self.binder(INT), INT, (low, low + self.rng.randint(1, 3))))
            else:
                sort = self.rng.choice(self.finite)
                binders.append((self.binder(sort), sort, None))
        inner = [*scope, *((name, sort) for name, sort, _ in binders)]
        return Term(head, BOOL, (self.formula(depth - 1, inner),), tuple(binders))

    def atom(self, depth: int, scope: list[tuple[str, Sort]]) -> Term:
        rng = self.rng
        sorts = [*self.finite[1:], *(each.range for each in self.symbols), INT]
        sort = rng.choice(sorts)

        def one(head: str, *of: Sort) -> Term:
            return self.one(head, BOOL, of, depth, scope)

        predicates = [each for each in self.symbols if each.range == BOOL]
        if predicates and rng.random() < 0.5:
            return self.applied(rng.choice(predicates), depth, scope)
        if sort[0] in ("Int", "Real") and rng.random() < 0.7:
            head = rng.choice(("lt", "le", "gt", "ge", "between"))
            return one(head, sort, sort, sort) if head == "between" else one(head, sort, sort)
        if sort[0] == "Bits" and rng.random() < 0.5:
            return one(rng.choice(("ULT", "ULE", "UGT", "UGE", "SLT", "SLE", "SGT", "SGE")), sort, sort)
        if sort[0] == "Set" and rng.random() < 0.8:
            return one("subset", sort, sort) if rng.random() < 0.3 else one("member", sort[1], sort)
        if sort[0] == "Array" and rng.random() < 0.7:
            return one("select", sort, sort[1])
        if sort == STRING and rng.random() < 0.5:
            return one(rng.choice(("contains", "prefix", "suffix")), STRING, STRING)
        named = [each for each, (_, to) in ((d, (0, d[2])) for d in self.definitions) if to == BOOL]
        if named and rng.random() < 0.3:
            name, domain, to = rng.choice(named)
            return self.called(name, domain, to, depth, scope)
        if rng.random() < 0.2:
            return one(rng.choice(("distinct", "among")), sort, sort, sort)
        return one(rng.choice(("eq", "eq", "ne")), sort, sort)

    # --- statements ---------------------------------------------------------------------------------------

    def state(self) -> None:
        """States bounds, and facts that hold in the structure."""
        for symbol in self.symbols:
            if symbol.values is not None:
                self.facts.append(self.bounds(symbol))
        for _ in range(self.rng.randint(1, 4 if self.small else 9)):
            found = self.formula(self.rng.randint(1, 4), [])
            self.facts.append(found if value(found, self.m, {}) else negated(found))
        if self.rng.random() < 0.5:
            for symbol in self.symbols:
                if symbol.domain and self.rng.random() < 0.5:
                    self.facts.extend(self.cells(symbol))

    def bounds(self, symbol: _Symbol) -> Term:
        """A symbol's cells have the values that it is stated to have."""
        assert symbol.values is not None
        binders = tuple((self.binder(sort), sort, None) for sort in symbol.domain)
        cell = Term("app", symbol.range, tuple(Term("var", s, (), n) for n, s, _ in binders), symbol.name)
        listed = [Term("lit", symbol.range, (), each) for each in symbol.values]
        body = Term("among", BOOL, (cell, *listed))
        if symbol.range == INT and self.rng.random() < 0.7:
            end = Term("lit", INT, (), listed[-1].data + 1)
            body = Term("between", BOOL, (listed[0], cell, end))
        return Term("forall", BOOL, (body,), binders) if binders else body

    def cells(self, symbol: _Symbol) -> list[Term]:
        """What some cells are, at named arguments."""
        names = [[each for each in self.heads(sort) if not each.domain] for sort in symbol.domain]
        found = []
        for chosen in itertools.islice(itertools.product(*names), 6):
            at = tuple(Term("app", each.range, (), each.name) for each in chosen)
            cell = Term("app", symbol.range, at, symbol.name)
            is_now = value(cell, self.m, {})
            if symbol.range == BOOL:
                found.append(cell if is_now else negated(cell))
            elif symbol.range[0] in ("Int", "Real", "Enum", "Bits", "String"):
                found.append(Term("eq", BOOL, (cell, Term("lit", symbol.range, (), is_now))))
        return [each for each in found if self.rng.random() < 0.7]

    def instance(self, fact: Term) -> Term | None:
        """A consequence of an assumption."""
        rng = self.rng
        if fact.head == "forall" and all(bound is None for _, _, bound in fact.data):
            env = {}
            for name, sort, _ in fact.data:
                try:
                    env[name] = self.leaf(sort, [])
                except LookupError:
                    return None
            return substituted(fact.args[0], env)
        other = self.formula(2, [])
        if fact.head == "and" and rng.random() < 0.7:
            return rng.choice(fact.args)
        return rng.choice((Term("or", BOOL, (other, fact)), Term("implies", BOOL, (other, fact))))

    def claim(self) -> None:
        """Claims of all kinds, some of them with a known verdict."""
        rng = self.rng
        for i in range(rng.randint(1, 3)):
            name = f"claim {i}"
            kind = rng.random()
            if kind < 0.3:
                found = self.instance(rng.choice(self.facts))
                if found is not None:
                    turned = rng.random() < 0.5
                    known = frozenset({"refuted" if turned else "entailed", "inconsistent"})
                    self.claims.append(_Claim(name, negated(found) if turned else found, known=known))
                    continue
            elif kind < 0.38:
                sort = rng.choice([each for each in self.finite if each[0] in ("Bool", "Enum", "Decl")])
                variable = (self.binder(sort), sort, None)
                body = self.formula(rng.randint(1, 3), [(variable[0], sort)])
                self.claims.append(_Claim(name, body, find=(variable,)))
                continue
            formula = self.formula(rng.randint(1, 4), [])
            self.claims.append(_Claim(name, formula, norm=rng.random() < 0.15))

    def contradict(self) -> bool:
        """Plants a contradiction; True if it surely is one."""
        if self.rng.random() < 0.5:
            self.facts.append(self.formula(3, []))
            return False
        found = self.instance(self.rng.choice(self.facts))
        if found is None:
            return False
        self.facts.append(negated(found))
        self.rng.shuffle(self.facts)
        return True

    # --- JSON ---------------------------------------------------------------------------------------------

    def said(self, term: Term) -> str:
        return text(term, self.signature, self.rng)

    def binders(self, data: Any) -> list[Any]:
        return [
            name if name in self.signature.variables else {"name": name, "sort": sort_text(sort)}
            for name, sort, _ in data
        ]

    def parts(self, term: Term) -> dict[str, Any]:
        """A formula in the forms of a rule."""
        found: dict[str, Any] = {}
        if (
            term.head in ("forall", "exists")
            and all(b is None for _, _, b in term.data)
            and self.rng.random() < 0.7
        ):
            found[term.head] = self.binders(term.data)
            term = term.args[0]
        if term.head == "implies" and self.rng.random() < 0.8:
            found["implies"] = {"antecedent": self.said(term.args[0]), "consequent": self.said(term.args[1])}
        else:
            found["constraint"] = self.said(term)
        return found

    def program(self) -> dict[str, Any]:
        """The program as JSON."""
        rng, signature = self.rng, self.signature
        facts: list[Any] = []
        rules: list[Any] = []
        for i, fact in enumerate(self.facts):
            form = rng.random()
            if form < 0.4:
                facts.append(self.said(fact))
            elif form < 0.5:
                facts.append({"name": f"fact {i}", "assertion": self.said(fact), "value": True})
            elif form < 0.6:
                turned = fact.args[0] if fact.head == "not" else Term("not", BOOL, (fact,))
                facts.append({"assertion": self.said(turned), "value": False})
            else:
                rules.append({"name": f"rule {i}", **self.parts(fact)})
        verifications: list[Any] = []
        for claim in self.claims:
            made = {"name": claim.name, **(self.parts(claim.formula) if not claim.find else {})}
            if claim.find:
                made |= {"find": self.binders(claim.find), "constraint": self.said(claim.formula)}
            if claim.norm:
                rules.append({**made, "role": "norm"})
            else:
                verifications.append(made)
        single = [(each, ("Decl", of)) for of, many in signature.named.items() for each in many]
        single += [(each.name, each.range) for each in self.symbols if not each.domain]
        functions: list[dict[str, Any]] = [
            {"name": each.name, "domain": list(map(sort_text, each.domain)), "range": sort_text(each.range)}
            for each in self.symbols
            if each.domain
        ]
        functions += [
            {"name": each, "domain": [], "range": sort_text(sort)}
            for each, sort in single
            if each in signature.functions
        ]
        for name, domain, to in self.definitions:
            params, body = signature.defined[name]
            functions.append(
                {
                    "name": name,
                    "domain": list(map(sort_text, domain)),
                    "range": sort_text(to),
                    "params": [
                        {"name": p, "sort": sort_text(s)} for p, s in zip(params, domain, strict=True)
                    ],
                    "body": self.said(body),
                }
            )
        constants: list[dict[str, Any]] = [
            {
                "name": f"of {of}",
                "sort": name_text(of),
                "members": [each for each in many if each not in signature.functions],
            }
            for of, many in signature.named.items()
        ]
        constants += [
            {"name": f"the {each}", "sort": sort_text(sort), "members": [each]}
            for each, sort in single
            if sort[0] != "Decl" and each not in signature.functions
        ]
        sorts: list[dict[str, Any]] = [{"name": each, "type": "DeclareSort"} for each in signature.named]
        sorts += [
            {"name": each, "type": "EnumSort", "values": many} for each, many in signature.enums.items()
        ]
        sorts += [
            {
                "name": each,
                "type": "TupleSort",
                "fields": [{"name": n, "sort": sort_text(s)} for n, s in fields],
            }
            for each, fields in signature.tuples.items()
        ]
        for section in (sorts, functions, constants, facts, rules):
            rng.shuffle(section)
        made = {
            "sorts": sorts,
            "functions": functions,
            "constants": constants
            if rng.random() < 0.5
            else {each["name"]: {k: v for k, v in each.items() if k != "name"} for each in constants},
            "variables": [{"name": n, "sort": sort_text(s)} for n, s in signature.variables.items()],
            "knowledge_base": facts,
            "rules": rules,
            "verifications": verifications,
        }
        program = {key: each for key, each in made.items() if each or rng.random() < 0.1}
        semantics = {}
        for key, chosen in (("unique_names", self.unique), ("closed_domain", self.closed)):
            if chosen:
                everything = len(chosen) == len(signature.named) and rng.random() < 0.5
                semantics[key] = True if everything else sorted(chosen)
        return program | ({"semantics": semantics} if semantics else {})


# --- terms changed ----------------------------------------------------------------------------------------


def negated(term: Term) -> Term:
    """The negation, without two in a row."""
    return term.args[0] if term.head == "not" else Term("not", BOOL, (term,))


def substituted(term: Term, env: dict[str, Term]) -> Term:
    """Terms without bound variables put for variables; all binders have names of their own."""
    if term.head == "var":
        return env.get(term.data, term)
    return term._replace(args=tuple(substituted(each, env) for each in term.args))


# --- programs ---------------------------------------------------------------------------------------------


def draw(rng: random.Random) -> Drawn:
    """A program, and what is known of it."""
    while True:
        try:
            return _horn(rng) if rng.random() < 0.15 else _drawn(rng)
        except (LookupError, Undefined):
            continue


def _drawn(rng: random.Random) -> Drawn:
    made = Drawing(rng)
    made.declare()
    made.define()
    made.draw_structure()
    made.state()
    made.claim()
    surely = made.contradict() if rng.random() < 0.2 else None
    optimization, objectives, extra = _optimization(made) if rng.random() < 0.15 else ({}, [], [])
    program = made.program() | ({"optimization": optimization} if optimization else {})
    allowed = {each.name: each.known for each in made.claims}
    if made.count() <= MOST_STRUCTURES:
        try:
            return _enumerated(made, program, optimization, objectives, extra)
        except Undefined:
            return Drawn(program, dict.fromkeys(allowed, VERDICTS), None, {}, False)
    if surely is None:
        for claim in made.claims:
            if not claim.find:
                try:
                    holds = value(claim.formula, made.m, {})
                except Undefined:
                    continue
                allowed[claim.name] &= {"entailed" if holds else "refuted", "undetermined"}
    elif surely:
        allowed = {each: frozenset({"inconsistent"}) for each in allowed}
    return Drawn(program, allowed, None, {}, False)


def _optimization(made: Drawing) -> tuple[dict[str, Any], list[tuple[bool, Term]], list[Term]]:
    """A section of one or two objectives, with a constraint that the structure meets or not."""
    rng = made.rng
    objectives = [
        (rng.random() < 0.5, made.term(rng.choice((INT, INT, REAL)), rng.randint(1, 3), []))
        for _ in range(rng.choice((1, 1, 2)))
    ]
    extra = [made.formula(2, []) for _ in range(rng.randint(0, 1))]
    section: dict[str, Any] = {
        "objectives": [
            {"type": "maximize" if up else "minimize", "expression": made.said(each)}
            for up, each in objectives
        ],
        "constraints": [made.said(each) for each in extra],
    }
    if rng.random() < 0.3:
        section["mode"] = rng.choice(("lexicographic", "box", "pareto"))
    return section, objectives, extra


def _enumerated(
    made: Drawing,
    program: dict[str, Any],
    optimization: dict[str, Any],
    objectives: list[tuple[bool, Term]],
    extra: list[Term],
) -> Drawn:
    """Everything, by trying all structures."""
    models = [m for m in made.structures() if all(value(each, m, {}) for each in made.facts)]
    allowed = {}
    bindings = {}
    for claim in made.claims:
        formula = Term("exists", BOOL, (claim.formula,), claim.find) if claim.find else claim.formula
        seen = {bool(value(formula, m, {})) for m in models}
        verdict = {(): "inconsistent", (False,): "refuted", (True,): "entailed"}.get(
            tuple(seen), "undetermined"
        )
        if verdict not in claim.known:
            raise AssertionError(f"{claim.name}: {verdict}, by construction one of {sorted(claim.known)}")
        allowed[claim.name] = frozenset({verdict})
        if claim.find and models:
            bindings[claim.name] = _fitting(made, claim, models)
    best: tuple[Fraction, ...] | None = None
    if optimization:
        feasible = [m for m in models if all(value(each, m, {}) for each in extra)]
        scores = [
            tuple(Fraction(value(e, m, {})) * (-1 if up else 1) for up, e in objectives) for m in feasible
        ]
        mode = optimization.get("mode", "lexicographic")
        signs = [-1 if up else 1 for up, _ in objectives]
        if not scores:
            best = ()
        elif mode == "lexicographic":
            best = tuple(a * b for a, b in zip(min(scores), signs, strict=True))
        elif mode == "box":
            best = tuple(
                min(column) * sign for column, sign in zip(zip(*scores, strict=True), signs, strict=True)
            )
    return Drawn(program, allowed, best, bindings, True)


def _fitting(made: Drawing, claim: _Claim, models: list[Structure]) -> tuple[frozenset[str], frozenset[str]]:
    ((name, sort, _),) = claim.find
    certain, possible = set(), set()
    kinds = {"Bool": ["false", "true"], "Enum": made.signature.enums.get(sort[-1], [])}
    names = kinds.get(sort[0]) or made.signature.named[sort[1]]
    for i, each in enumerate(names):
        at = [i if sort[0] != "Decl" else m.apply(each, ()) for m in models]
        seen = {bool(value(claim.formula, m, {name: one})) for m, one in zip(models, at, strict=True)}
        if seen == {True}:
            certain.add(each)
        elif True in seen:
            possible.add(each)
    return frozenset(certain), frozenset(possible)


def _horn(rng: random.Random) -> Drawn:
    """Ground atoms and Horn rules over open sorts: an atom is entailed if the least model has it.

    Otherwise it is undetermined: the least model is one, and so is the structure in which all atoms hold.
    """
    things = [f"c{i}" for i in range(rng.randint(1, 6))]
    predicates = [(f"p{i}", rng.choice((1, 1, 2))) for i in range(rng.randint(1, 5))]

    def atom(terms: Sequence[str]) -> tuple[str, ...]:
        name, arity = rng.choice(predicates)
        return (name, *(rng.choice(terms) for _ in range(arity)))

    facts = [atom(things) for _ in range(rng.randint(1, 12))]
    rules = []
    for _ in range(rng.randint(1, 6)):
        body = [atom(("x", "y", "z", *things[:1])) for _ in range(rng.randint(1, 3))]
        known = sorted({each for one in body for each in one[1:]})
        rules.append((body, atom(known)))
    least = set(facts)
    while True:
        new = set()
        for body, head in rules:
            free = sorted({t for one in (*body, head) for t in one[1:] if t in ("x", "y", "z")})
            for chosen in itertools.product(things, repeat=len(free)):
                env = dict(zip(free, chosen, strict=True))
                put = [tuple(env.get(t, t) for t in one) for one in (*body, head)]
                if all(each in least for each in put[:-1]):
                    new.add(put[-1])
        if new <= least:
            break
        least |= new

    def said(one: tuple[str, ...]) -> str:
        return f"{one[0]}({', '.join(one[1:])})"

    claims = [
        rng.choice(sorted(least)) if rng.random() < 0.5 else atom(things) for _ in range(rng.randint(1, 4))
    ]
    allowed = {}
    verifications = []
    inconsistent = rng.random() < 0.15
    denied = rng.choice(sorted(least))
    for i, claim in enumerate(claims):
        turned = rng.random() < 0.3
        follows = "refuted" if turned else "entailed"
        verdict = "inconsistent" if inconsistent else follows if claim in least else "undetermined"
        allowed[f"claim {i}"] = frozenset({verdict})
        verifications.append(
            {"name": f"claim {i}", "constraint": f"Not({said(claim)})" if turned else said(claim)}
        )
    stated: list[Any] = [said(each) for each in facts]
    if inconsistent:
        stated.insert(rng.randrange(len(stated) + 1), {"assertion": said(denied), "value": False})
    program = {
        "sorts": [{"name": "T", "type": "DeclareSort"}],
        "functions": [{"name": name, "domain": ["T"] * arity, "range": "Bool"} for name, arity in predicates],
        "constants": {"things": {"sort": "T", "members": things}},
        "knowledge_base": stated,
        "rules": [
            {
                "forall": [
                    {"name": t, "sort": "T"}
                    for t in sorted({t for one in (*body, head) for t in one[1:] if t in ("x", "y", "z")})
                ],
                "implies": {"antecedent": " and ".join(map(said, body)), "consequent": said(head)},
            }
            for body, head in rules
        ],
        "verifications": verifications,
    }
    return Drawn(program, allowed, None, {}, True)
