"""Expressions of the core as terms of the textual IR, by one pass of precedence climbing.

The table of [POT-EXPR-1] is `_LEVELS` and what surrounds it; sorts are found from the leaves up, and the only
conversion is that of an `Int` to a `Real` ([SORT-CONV-1]).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from types import MappingProxyType
from typing import NamedTuple

from .lexer import Lexeme, NotCovered, tokens
from .terms import (
    AGGREGATES,
    BASIC,
    BUILT_IN,
    CARDINALITIES,
    COMPARED,
    COMPARISON,
    RUNS,
    UNIQUE,
    Copy,
    Typed,
    application,
    coerced,
    comparison,
    counted,
    fitting,
    infix,
    joined,
    negated,
    number,
    numeral,
    quantified,
    sort_text,
    truth,
)

MOST_LEVELS = 60
"""Levels of nesting: the calls here are a few for each."""
_MOST_COPIES = 2_000
"""Readings of formulas again, for members or for variables, in one root."""
_LEVELS: Mapping[str, int] = MappingProxyType(
    {"<->": 1, "->": 2, "or": 3, "and": 4}
    | dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "in", "not"), 6)
    | {"+": 7, "-": 7, "*": 8, "/": 8, "//": 8, "%": 8, "**": 10}
)
"""How tightly an infix sign binds; `not` is one in `not in`."""
_QUANTIFIERS = MappingProxyType({"ForAll": "forall", "Exists": "exists"})
_LISTS = MappingProxyType({"(": ")", "[": "]", "{": "}"})


class Function(NamedTuple):
    """A declared function or constant, or a value of an enum, as the IR writes it."""

    text: str
    domain: tuple[str, ...]
    range: str


class KnownNames:
    """The meanings of names in a program, and the unknown constants that its formulas turn out to have."""

    def __init__(self) -> None:
        self.sorts: dict[str, str] = {name: name for name in BASIC} | {f"{name}Sort": name for name in BASIC}
        self.functions: dict[str, Function] = {}
        self.members: dict[str, list[Typed]] = {"Bool": [Typed(word, "Bool") for word in ("false", "true")]}
        """The named members of a sort, in their order."""
        self.listed = {"Bool"}
        """The sorts of which these are all, and different."""
        self.variables: dict[str, str] = {}
        self.free: dict[str, str] = {}

    def sort(self, name: object) -> str:
        """The sort of that name. Raises `NotCovered`."""
        found = self.sorts.get(name.strip()) if isinstance(name, str) else None
        if found is None:
            raise NotCovered(f"the sort {name!r}")
        return found


class Binder(NamedTuple):
    """A name that a quantifier binds, and its sort."""

    name: str
    sort: str


class RootReader:
    """Reads the expressions of one root of the IR, whose variables it numbers."""

    def __init__(self, names: KnownNames, local: Mapping[str, str] = MappingProxyType({})) -> None:
        self._names = names
        self._local = local
        self._sorts: list[str] = []
        self._scope: list[tuple[str, Typed]] = []
        self._tokens: Sequence[Lexeme] = ()
        self._place = 0
        self._depth = 0
        self._copies = 0

    def root(self, body: str) -> str:
        """The part of a line that follows key and kind: variables, then the term."""
        if not self._sorts:
            return body
        variables = " ".join(f"(?.{number} {sort_text(sort)})" for number, sort in enumerate(self._sorts))
        return f"(vars {variables}) {body}"

    @property
    def sorts(self) -> list[str]:
        """The sorts of the variables, by number."""
        return self._sorts

    def formula(self, source: object) -> str:
        """A formula. Raises `NotCovered`."""
        return str(source).lower() if isinstance(source, bool) else truth(self._read(source))

    def number(self, source: object) -> str:
        """An expression of a number. Raises `NotCovered`."""
        found = self._read(source)
        number(found)
        return found.text

    def _read(self, source: object) -> Typed:
        if not isinstance(source, str):
            raise NotCovered("something else where an expression was expected")
        self._tokens, self._place = tokens(source), 0
        found = self._expression(0)
        if self._next.kind != "end":
            raise NotCovered(f"{self._next.text!r} after an expression")
        return found

    @contextmanager
    def bound(self, binders: Sequence[Binder]) -> Iterator[list[str]]:
        """The variables of these binders, in whose scope formulas are read."""
        if len({binder.name for binder in binders}) < len(binders):
            raise NotCovered("a name that is bound twice")
        variables = []
        for binder in binders:
            variables.append(f"?.{len(self._sorts)}")
            self._scope.append((binder.name, Typed(variables[-1], binder.sort)))
            self._sorts.append(binder.sort)
        yield variables
        del self._scope[len(self._scope) - len(binders) :]

    def binder(self, name: str, sort: object = None) -> Binder:
        """A binder with its sort, or with that of the declared variable or constant of that name."""
        if sort is not None:
            return Binder(name, self._names.sort(sort))
        declared = self._names.functions.get(name)
        sorts = {variable.sort for bound, variable in self._scope if bound == name}
        sorts.update(each[name] for each in (self._local, self._names.variables) if name in each)
        if not sorts and declared is not None and not declared.domain and not declared.text.startswith("("):
            return Binder(name, declared.range)
        if len(sorts) == 1:
            return Binder(name, sorts.pop())
        raise NotCovered(f"the binder {name!r}")

    # --- tokens ---

    @property
    def _next(self) -> Lexeme:
        return self._peek(0)

    def _peek(self, ahead: int) -> Lexeme:
        return self._tokens[min(self._place + ahead, len(self._tokens) - 1)]

    def _take(self) -> Lexeme:
        token = self._next
        self._place += 1
        return token

    def _is(self, *signs: str) -> bool:
        return self._next.kind == "sign" and self._next.text in signs

    def _expect(self, sign: str) -> None:
        if not self._is(sign):
            raise NotCovered(f"{self._next.text!r} where {sign!r} was expected")
        self._place += 1

    # --- expressions ---

    def _expression(self, least: int) -> Typed:
        """An expression whose infix signs bind at least as tightly as `least`."""
        self._depth += 1
        if self._depth > MOST_LEVELS:
            raise NotCovered(f"more than {MOST_LEVELS} levels")
        found = self._prefixed(least)
        run, sign = [found], ""
        while self._next.kind == "sign" and _LEVELS.get(self._next.text, -1) >= least:
            if _LEVELS[self._next.text] == COMPARISON:
                run = [self._compared(found)]
            elif self._is("**"):
                run = [self._power(found)]
            else:
                new = self._take().text
                right = self._expression(_LEVELS[new] + (new != "->"))
                # A run of one sign is one application: `a + b + c` is no `(a + b) + c`.
                run = [*run, right] if new == sign and new in RUNS else [found, right]
                sign = new
                found = infix(new, run)
                continue
            found, sign = run[0], ""
        self._depth -= 1
        return found

    def _prefixed(self, least: int) -> Typed:
        for sign, level, above in (("not", 5, COMPARISON), ("-", 9, 10)):
            count = 0
            while self._is(sign):
                self._place += 1
                count += 1
            if count:
                if least > level:
                    raise NotCovered(f"{sign!r} in an operand")
                found = self._expression(above)
                for _ in range(count):
                    found = negated(found) if sign == "not" else Typed(f"(neg {found.text})", number(found))
                return found
        return self._applied()

    def _compared(self, first: Typed) -> Typed:
        """A chain of comparisons, or a test for membership: [POT-EXPR-2], [POT-EXPR-6]."""
        if self._is("in", "not"):
            is_denied = self._is("not")
            self._place += is_denied
            self._expect("in")
            if not self._is(*_LISTS):
                raise NotCovered("membership in a set")
            found = joined("or", [comparison("==", first, each) for each in self._list()])
            if self._next.kind == "sign" and _LEVELS.get(self._next.text, 0) >= COMPARISON:
                raise NotCovered("membership in a chain")
            return negated(found) if is_denied else found
        links = []
        while self._next.kind == "sign" and self._next.text in COMPARED:
            sign = self._take().text
            second = self._expression(COMPARISON + 1)
            links.append(comparison(sign, first, second))
            first = second
        if self._is("in", "not"):
            raise NotCovered("membership in a chain")
        return joined("and", links)

    def _power(self, base: Typed) -> Typed:
        """[SORT-ARITH-5]"""
        self._expect("**")
        exponent = self._take()
        if exponent.kind != "number" or not exponent.text.isdigit() or len(exponent.text) > 2:
            raise NotCovered("an exponent that is no numeral")
        many = int(exponent.text)
        if many > 64 or self._is("**"):
            raise NotCovered("an exponent beyond 64, or of a power")
        number(base)
        return application("*", [base] * many) if many else coerced(Typed("1", "Int"), base.sort)

    # --- what can be applied ---

    def _applied(self) -> Typed:
        token = self._take()
        if token.kind == "number":
            return numeral(token.text)
        if token == ("sign", "("):
            found = self._expression(0)
            self._expect(")")
            if self._is("("):
                raise NotCovered("an application of what is in parentheses")
            return found
        if token.kind not in ("name", "quoted"):
            raise NotCovered(f"{token.text!r} in an expression")
        called = self._is("(")
        for name, variable in reversed(self._scope):
            if name == token.text:
                if called:
                    raise NotCovered("an application of a variable")
                return variable
        found = self._named(token, called)
        if self._is("("):
            raise NotCovered("an application of an application")
        return found

    def _named(self, token: Lexeme, called: bool) -> Typed:
        """[POT-NAME-3]"""
        names, name = self._names, token.text
        if name in self._local:
            return self._unknown(name, self._local[name], called)
        if name in names.functions:
            function = names.functions[name]
            args = self._arguments() if called else []
            if len(args) != len(function.domain):
                raise NotCovered(f"{name!r} with {len(args)} arguments")
            given = [fitting(*pair) for pair in zip(args, function.domain, strict=True)]
            return Typed(f"({' '.join([function.text, *given])})" if given else function.text, function.range)
        if name in names.variables:
            return self._unknown(name, names.variables[name], called)
        if token.kind == "name" and called and name in _QUANTIFIERS:
            return self._quantified(_QUANTIFIERS[name])
        if token.kind == "name" and called and name in CARDINALITIES:
            return self._cardinality(*CARDINALITIES[name])
        if token.kind == "name" and called and name in BUILT_IN:
            return BUILT_IN[name](self._arguments() if name not in AGGREGATES else self._aggregated())
        if token.kind == "name" and not called and name in ("True", "true", "False", "false"):
            return Typed(name.lower(), "Bool")
        raise NotCovered(f"{name!r}, which is not declared")

    def _unknown(self, name: str, sort: str, called: bool) -> Typed:
        """A variable that nothing binds is an unknown constant: [POT-NAME-7]."""
        if called or self._names.free.setdefault(name, sort) != sort:
            raise NotCovered(f"the variable {name!r} applied, or of two sorts")
        if name in self._names.functions:
            raise NotCovered(f"an unknown constant of a declared name {name!r}")
        return Typed(json.dumps(name), sort)

    def _arguments(self) -> list[Typed]:
        """The arguments of an application, lists among them opened."""
        self._expect("(")
        found: list[Typed] = []
        while not self._is(")"):
            found += self._list() if self._is("[", "{") else [self._expression(0)]
            if self._is(":"):
                raise NotCovered("an aggregate over a sort")
            if not self._is(")"):
                self._expect(",")
        self._place += 1
        return found

    def _binders_follow(self, ahead: int = 0) -> bool:
        """Whether what stands in brackets are binders, and no terms."""
        name, after = self._peek(ahead + 1), self._peek(ahead + 2)
        if self._peek(ahead) not in (("sign", "["), ("sign", "{")) or name.kind not in ("name", "quoted"):
            return False
        declared = name.text in self._names.variables or name.text in self._local
        is_bound = any(name.text == bound for bound, _ in self._scope)
        return after == ("sign", ":") or (
            declared and not is_bound and after in (("sign", ","), ("sign", "]"), ("sign", "}"))
        )

    def _aggregated(self) -> list[Typed]:
        """The terms of an aggregate, of a list or for the members of sorts: [SORT-AGG-1], [SORT-AGG-2]."""
        if not self._binders_follow(1):
            first = self._peek(1).text
            if first in self._names.variables and all(first != bound for bound, _ in self._scope):
                raise NotCovered("an aggregate whose binders have no brackets")
            return self._arguments()
        self._place += 1
        binders = self._bracketed_binders()
        found = self._for_members(binders, self._place)
        self._place += self._is(",")
        self._expect(")")
        return found

    def _bracketed_binders(self) -> list[Binder]:
        """Binders in brackets, and the comma behind."""
        closing = _LISTS[self._take().text]
        binders: list[Binder] = []
        while not self._is(closing):
            binders.append(self._read_binder())
            if not self._is(closing):
                self._expect(",")
        self._place += 1
        self._expect(",")
        return binders

    def _for_members(self, binders: Sequence[Binder], start: int) -> list[Typed]:
        """The expression that begins at `start`, read again for each choice of members."""
        found = []
        for choice in product(*(self._names.members.get(binder.sort, ()) for binder in binders)):
            self._scope += [(binder.name, member) for binder, member in zip(binders, choice, strict=True)]
            found.append(self._copy(start))
            del self._scope[len(self._scope) - len(binders) :]
        if not found:
            raise NotCovered("a sort without named members in an aggregate")
        return found

    def _copy(self, start: int) -> Typed:
        self._copies += 1
        if self._copies > _MOST_COPIES:
            raise NotCovered("a formula that stands for very many")
        self._place = start
        return self._expression(0)

    def _cardinality(self, word: str, bound: str | None) -> Typed:
        """[SORT-CARD-1] to [SORT-CARD-3]"""
        self._expect("(")
        terms = [Typed(bound, "Int")] if bound is not None else []
        while not self._is(")"):
            if self._binders_follow():
                if len(terms) > 1:
                    raise NotCovered("binders behind terms")
                return self._of_members(word, terms)
            terms += self._list() if self._is("[", "{") else [self._expression(0)]
            if not self._is(")"):
                self._expect(",")
        self._place += 1
        if terms and terms[0].sort != "Int":
            terms = [terms[-1], *terms[:-1]]
        if not terms or word == UNIQUE:
            raise NotCovered("a cardinality of nothing")
        return counted(word, terms[0], terms[1:])

    def _of_members(self, word: str, given: Sequence[Typed]) -> Typed:
        binders = self._bracketed_binders()
        start = self._place
        with self.bound(binders):
            self._copy(start)
        self._place += self._is(",")
        terms = [*given, *([] if self._is(")") else [self._expression(0)])]
        self._place += self._is(",")
        self._expect(")")
        end = self._place
        if len(terms) != (word != UNIQUE):
            raise NotCovered("a cardinality with another number of bounds than one")
        if word != UNIQUE and all(binder.sort in self._names.listed for binder in binders):
            found = counted(word, terms[0], self._for_members(binders, start))
        else:

            def copy() -> Copy:
                with self.bound(binders) as variables:
                    typed = [
                        Typed(word, binder.sort) for word, binder in zip(variables, binders, strict=True)
                    ]
                    return Copy(typed, truth(self._copy(start)))

            found = Typed(quantified(word, terms[0].text if terms else "1", copy), "Bool")
        self._place = end
        return found

    def _list(self) -> list[Typed]:
        closing = _LISTS[self._take().text]
        found: list[Typed] = []
        while not self._is(closing):
            found.append(self._expression(0))
            if not self._is(closing):
                self._expect(",")
            elif closing == ")" and len(found) == 1:
                raise NotCovered("a list in parentheses with one item")
        self._place += 1
        return found

    def _quantified(self, word: str) -> Typed:
        """[POT-EXPR-8]"""
        self._expect("(")
        binders: list[Binder] = []
        if self._is("[", "{"):
            binders = self._bracketed_binders()
        else:
            while self._peek(1) in (("sign", ","), ("sign", ":")):
                binders.append(self._read_binder())
                self._expect(",")
        if not binders:
            raise NotCovered("a quantifier that binds nothing")
        with self.bound(binders) as variables:
            body = truth(self._expression(0))
        self._place += self._is(",")
        self._expect(")")
        return Typed(f"({word} ({' '.join(variables)}) {body})", "Bool")

    def _read_binder(self) -> Binder:
        token = self._take()
        if token.kind not in ("name", "quoted"):
            raise NotCovered(f"the binder {token.text!r}")
        if not self._is(":"):
            return self.binder(token.text)
        self._place += 1
        sort = self._take()
        if sort.kind not in ("name", "quoted"):
            raise NotCovered(f"the sort {sort.text!r}")
        return self.binder(token.text, sort.text)


NAMED = frozenset(BUILT_IN) - {"Min", "Max", "Between", "AllDifferent"} | frozenset(_QUANTIFIERS)
"""Names that a program is not expected to declare; of the other words its declaration wins: [POT-NAME-3]"""
