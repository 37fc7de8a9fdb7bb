"""Expressions of the core as terms of the textual IR, by one pass of precedence climbing.

The table of [POT-EXPR-1] is `_LEVELS` and what surrounds it; sorts are found from the leaves up, and the only
conversion is that of an `Int` to a `Real` ([SORT-CONV-1]).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from .lexer import Lexeme, NotCovered, tokens

MOST_LEVELS = 60
"""Levels of nesting: the calls here are a few for each."""
_MOST_DIGITS = 300
_BASIC = ("Bool", "Int", "Real")
_LEVELS: Mapping[str, int] = MappingProxyType(
    {"<->": 1, "->": 2, "or": 3, "and": 4}
    | dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "in", "not"), 6)
    | {"+": 7, "-": 7, "*": 8, "/": 8, "//": 8, "%": 8, "**": 10}
)
"""How tightly an infix sign binds; `not` is one in `not in`."""
_QUANTIFIERS = MappingProxyType({"ForAll": "forall", "Exists": "exists"})
_LISTS = MappingProxyType({"(": ")", "[": "]", "{": "}"})


class Typed(NamedTuple):
    """A term of the textual IR and its sort."""

    text: str
    sort: str


class Function(NamedTuple):
    """A declared function or constant, or a value of an enum, as the IR writes it."""

    text: str
    domain: tuple[str, ...]
    range: str


class Names:
    """The meanings of names in a program, and the unknown constants that its formulas turn out to have."""

    def __init__(self) -> None:
        self.sorts: dict[str, str] = {name: name for name in _BASIC} | {
            f"{name}Sort": name for name in _BASIC
        }
        self.functions: dict[str, Function] = {}
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

    def __init__(self, names: Names, local: Mapping[str, str] = MappingProxyType({})) -> None:
        self._names = names
        self._local = local
        self._sorts: list[str] = []
        self._scope: list[tuple[str, Typed]] = []
        self._tokens: Sequence[Lexeme] = ()
        self._place = 0
        self._depth = 0

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
        return str(source).lower() if isinstance(source, bool) else _truth(self._read(source))

    def number(self, source: object) -> str:
        """An expression of a number. Raises `NotCovered`."""
        found = self._read(source)
        _number(found)
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
            if _LEVELS[self._next.text] == _COMPARISON:
                run = [self._compared(found)]
            elif self._is("**"):
                run = [self._power(found)]
            else:
                new = self._take().text
                right = self._expression(_LEVELS[new] + (new != "->"))
                # A run of one sign is one application: `a + b + c` is no `(a + b) + c`.
                run = [*run, right] if new == sign and new in _RUNS else [found, right]
                sign = new
                found = _infix(new, run)
                continue
            found, sign = run[0], ""
        self._depth -= 1
        return found

    def _prefixed(self, least: int) -> Typed:
        for sign, level, above in (("not", 5, _COMPARISON), ("-", 9, 10)):
            count = 0
            while self._is(sign):
                self._place += 1
                count += 1
            if count:
                if least > level:
                    raise NotCovered(f"{sign!r} in an operand")
                found = self._expression(above)
                for _ in range(count):
                    found = _negated(found) if sign == "not" else Typed(f"(neg {found.text})", _number(found))
                return found
        return self._applied()

    def _compared(self, first: Typed) -> Typed:
        """A chain of comparisons, or a test for membership: [POT-EXPR-2], [POT-EXPR-6]."""
        if self._is("in", "not"):
            negated = self._is("not")
            self._place += negated
            self._expect("in")
            if not self._is(*_LISTS):
                raise NotCovered("membership in a set")
            found = _joined("or", [_comparison("==", first, each) for each in self._list()])
            if self._next.kind == "sign" and _LEVELS.get(self._next.text, 0) >= _COMPARISON:
                raise NotCovered("membership in a chain")
            return _negated(found) if negated else found
        links = []
        while self._next.kind == "sign" and self._next.text in _COMPARED:
            sign = self._take().text
            second = self._expression(_COMPARISON + 1)
            links.append(_comparison(sign, first, second))
            first = second
        if self._is("in", "not"):
            raise NotCovered("membership in a chain")
        return _joined("and", links)

    def _power(self, base: Typed) -> Typed:
        """[SORT-ARITH-5]"""
        self._expect("**")
        exponent = self._take()
        if exponent.kind != "number" or not exponent.text.isdigit() or len(exponent.text) > 2:
            raise NotCovered("an exponent that is no numeral")
        many = int(exponent.text)
        if many > 64 or self._is("**"):
            raise NotCovered("an exponent beyond 64, or of a power")
        _number(base)
        return _application("*", [base] * many) if many else _coerced(Typed("1", "Int"), base.sort)

    # --- what can be applied ---

    def _applied(self) -> Typed:
        token = self._take()
        if token.kind == "number":
            return _numeral(token.text)
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
            given = [_fitting(*pair) for pair in zip(args, function.domain, strict=True)]
            return Typed(f"({' '.join([function.text, *given])})" if given else function.text, function.range)
        if name in names.variables:
            return self._unknown(name, names.variables[name], called)
        if token.kind == "name" and called and name in _QUANTIFIERS:
            return self._quantified(_QUANTIFIERS[name])
        if token.kind == "name" and called and name in _BUILT_IN:
            return _BUILT_IN[name](self._arguments() if name not in _AGGREGATES else self._aggregated())
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

    def _aggregated(self) -> list[Typed]:
        """The terms of an aggregate over a list, and not over the members of a sort: [SORT-AGG-1]."""
        listed = self._peek(1) in (("sign", "["), ("sign", "{"))
        first = self._peek(2 if listed else 1)
        bound = any(first.text == name for name, _ in self._scope)
        if not bound and (first.text in self._names.variables or first.text in self._local):
            raise NotCovered("an aggregate over a sort")
        if not listed:
            return self._arguments()
        self._place += 1
        found = self._list()
        self._place += self._is(",")
        if not self._is(")"):
            raise NotCovered("an aggregate over a sort")
        self._place += 1
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
            closing = _LISTS[self._take().text]
            while not self._is(closing):
                binders.append(self._read_binder())
                if not self._is(closing):
                    self._expect(",")
            self._place += 1
            self._expect(",")
        else:
            while self._peek(1) in (("sign", ","), ("sign", ":")):
                binders.append(self._read_binder())
                self._expect(",")
        if not binders:
            raise NotCovered("a quantifier that binds nothing")
        with self.bound(binders) as variables:
            body = _truth(self._expression(0))
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


def sort_text(sort: str) -> str:
    """A sort as the IR writes it."""
    return sort if sort in _BASIC else json.dumps(sort)


# --- terms ----------------------------------------------------------------------------------------


def _numeral(text: str) -> Typed:
    """[POT-EXPR-7]"""
    mantissa, _, exponent = text.lower().partition("e")
    if len(mantissa) > _MOST_DIGITS or len(exponent) > 4 or abs(int(exponent or "0")) > _MOST_DIGITS:
        raise NotCovered("a very long number")
    if text.isdigit():
        return Typed(str(int(text)), "Int")
    value = Fraction(mantissa) * Fraction(10) ** int(exponent or "0")
    return Typed(f"(lit Real {value.numerator}/{value.denominator})", "Real")


def _truth(term: Typed) -> str:
    if term.sort != "Bool":
        raise NotCovered("a term where a formula is needed")
    return term.text


def _number(term: Typed) -> str:
    if term.sort not in ("Int", "Real"):
        raise NotCovered("a term where a number is needed")
    return term.sort


def _coerced(term: Typed, sort: str) -> Typed:
    """[SORT-CONV-1]"""
    if (term.sort, sort) == ("Int", "Real"):
        return Typed(f"(to_real {term.text})", "Real")
    return term


def _fitting(term: Typed, sort: str) -> str:
    found = _coerced(term, sort)
    if found.sort != sort:
        raise NotCovered("a term of another sort than is needed")
    return found.text


def _together(terms: Sequence[Typed]) -> list[Typed]:
    """The terms in one sort."""
    sort = "Real" if any(term.sort == "Real" for term in terms) else terms[0].sort
    found = [_coerced(term, sort) for term in terms]
    if any(term.sort != sort for term in found):
        raise NotCovered("terms of two sorts")
    return found


def _negated(term: Typed) -> Typed:
    return Typed(f"(not {_truth(term)})", "Bool")


def _joined(word: str, terms: Sequence[Typed]) -> Typed:
    """[POT-EXPR-4]"""
    parts = [_truth(term) for term in terms]
    if len(parts) < 2:
        return terms[0] if parts else Typed("true" if word == "and" else "false", "Bool")
    return Typed(f"({word} {' '.join(parts)})", "Bool")


def _application(word: str, terms: Sequence[Typed]) -> Typed:
    """A sum or product of numbers."""
    for term in terms:
        _number(term)
    if not terms:
        return Typed("0" if word == "+" else "1", "Int")
    found = _together(terms)
    if len(found) == 1:
        return found[0]
    return Typed(f"({word} {' '.join(term.text for term in found)})", found[0].sort)


def _comparison(sign: str, first: Typed, second: Typed) -> Typed:
    """[POT-EXPR-5], [SORT-LOGIC-2], [SORT-ARITH-6]"""
    a, b = _together([first, second])
    if sign in ("==", "!="):
        if a.sort == "Bool":
            return Typed(f"({'iff' if sign == '==' else 'xor'} {a.text} {b.text})", "Bool")
        equal = Typed(f"(= {a.text} {b.text})", "Bool")
        return equal if sign == "==" else _negated(equal)
    _number(a)
    if sign.startswith(">"):
        a, b = b, a
    return Typed(f"({sign.replace('>', '<')} {a.text} {b.text})", "Bool")


def _infix(sign: str, terms: Sequence[Typed]) -> Typed:
    """[SORT-LOGIC-1], [SORT-ARITH-1] to [SORT-ARITH-3]"""
    if sign in ("and", "or"):
        return _joined(sign, terms)
    if sign in ("->", "<->"):
        word = "=>" if sign == "->" else "iff"
        return Typed(f"({word} {_truth(terms[0])} {_truth(terms[1])})", "Bool")
    if sign in ("+", "*"):
        return _application(sign, terms)
    for term in terms:
        _number(term)
    if sign == "/":
        terms = [_coerced(term, "Real") for term in terms]
    a, b = _together(terms)
    if sign in ("//", "%") and a.sort != "Int":
        raise NotCovered("division with remainder of reals")
    return Typed(f"({_WORDS[sign]} {a.text} {b.text})", a.sort)


def _exactly(many: int, made: Callable[[Sequence[Typed]], Typed]) -> Callable[[Sequence[Typed]], Typed]:
    def checked(terms: Sequence[Typed]) -> Typed:
        if len(terms) != many:
            raise NotCovered(f"{len(terms)} arguments")
        return made(terms)

    return checked


def _choice(terms: Sequence[Typed]) -> Typed:
    """[POT-EXPR-12]"""
    then, other = _together(terms[1:])
    return Typed(f"(ite {_truth(terms[0])} {then.text} {other.text})", then.sort)


def _distinct(terms: Sequence[Typed]) -> Typed:
    """[POT-EXPR-13]"""
    found = _together(terms) if terms else []
    if len(found) < 2:
        return Typed("true", "Bool")
    return Typed(f"(distinct {' '.join(term.text for term in found)})", "Bool")


def _count(terms: Sequence[Typed]) -> Typed:
    """[SORT-AGG-1]"""
    return _application("+", [Typed(f"(ite {_truth(term)} 1 0)", "Int") for term in terms])


def _to_real(terms: Sequence[Typed]) -> Typed:
    if terms[0].sort != "Int":
        raise NotCovered("ToReal of what is no integer")
    return _coerced(terms[0], "Real")


_AGGREGATES = ("Sum", "Product", "Count")
_COMPARISON = 6
_COMPARED = ("==", "!=", "<", "<=", ">", ">=")
_RUNS = ("and", "or", "+", "*")
_WORDS = MappingProxyType({"-": "-", "/": "/", "//": "div", "%": "mod"})
_BUILT_IN: Mapping[str, Callable[[Sequence[Typed]], Typed]] = MappingProxyType(
    {
        "And": lambda terms: _joined("and", terms),
        "Or": lambda terms: _joined("or", terms),
        "Not": _exactly(1, lambda terms: _negated(terms[0])),
        "Implies": _exactly(2, lambda terms: _infix("->", terms)),
        "Iff": _exactly(2, lambda terms: _infix("<->", terms)),
        "Xor": _exactly(2, lambda terms: Typed(f"(xor {_truth(terms[0])} {_truth(terms[1])})", "Bool")),
        "If": _exactly(3, _choice),
        "Distinct": _distinct,
        "Abs": _exactly(1, lambda terms: Typed(f"(abs {terms[0].text})", _number(terms[0]))),
        "ToReal": _exactly(1, _to_real),
        "Sum": lambda terms: _application("+", terms),
        "Product": lambda terms: _application("*", terms),
        "Count": _count,
    }
)
BUILT_IN = frozenset(_BUILT_IN) | frozenset(_QUANTIFIERS)
"""Names that the reader takes to be built in; a program that declares one is beyond it."""
