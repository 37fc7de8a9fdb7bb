"""Whether a compiled program means what the second reader finds in the file, both as the kernel reads them.

Roots are compared as terms of the kernel's normal form, up to the names of bound variables, to how runs of
`and`, `or`, `+` and `*` are grouped, to double negations, and to whether numbers become reals before they
are added or multiplied or after it. None of these changes a meaning.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from potlang.certify import Theory, read_theory
from potlang.certify.sorts import REAL, Sort
from potlang.certify.terms import QUANTIFIERS, Symbol, Term

from .lexer import NotCovered
from .program import reread

_RUNS = ("and", "or", "+", "*")
_LINEAR = ("+", "-", "*", "neg")
Levels = dict[Term, int]


class Confirmation(NamedTuple):
    """The second reader's word on a compiled program, and what is beyond it or where it reads otherwise."""

    status: Literal["confirmed", "not covered", "differs"]
    detail: str = ""


def confirm(source: bytes, compiled: str) -> Confirmation:
    """Whether the IR text `compiled` is what `source` means. Raises `Invalid` if it is no IR text."""
    try:
        own = read_theory(reread(source))
    except NotCovered as error:
        return Confirmation("not covered", str(error))
    other = read_theory(compiled)
    different = difference(own, other)
    return Confirmation("confirmed") if different is None else Confirmation("differs", different)


def difference(own: Theory, other: Theory) -> str | None:
    """The first difference between two theories; None if they are the same."""
    if own.actions != other.actions:
        return "the actions"
    if own.mode != other.mode or _directions(own) != _directions(other):
        return "the optimization"
    if _sorts(own) != _sorts(other):
        return "the sorts"
    if _symbols(own) != _symbols(other):
        return "the declared names"
    forms = _Forms()
    for what in ("assertions", "constraints", "claims", "objectives"):
        mine, theirs = _roots(own, what), _roots(other, what)
        for key in sorted(mine.keys() | theirs.keys()):
            if key not in mine or key not in theirs:
                return f"{key}, which one of the two has"
            if forms.of(mine[key]) != forms.of(theirs[key]):
                return key
    return None


def _sorts(theory: Theory) -> set[tuple[str, str, object]]:
    return {(name, sort.kind, sort.labels) for name, sort in theory.sorts.named.items()}


def _symbols(theory: Theory) -> set[object]:
    return {_symbol(each) for each in theory.symbols}


def _symbol(symbol: Symbol) -> object:
    kind = "" if symbol.kind in ("function", "constant", "free") else symbol.kind
    return kind, symbol.name, tuple(map(_sort, symbol.domain)), _sort(symbol.range)


def _sort(sort: Sort) -> object:
    return sort.kind, sort.name, tuple(map(str, map(_sort, sort.parts))), sort.width


def _directions(theory: Theory) -> list[bool]:
    return [objective.maximized for objective in theory.objectives]


def _roots(theory: Theory, what: str) -> dict[str, Term]:
    if what in ("assertions", "constraints"):
        roots = theory.assertions if what == "assertions" else theory.constraints
        return {key: root.formula for key, root in roots.items()}
    if what == "objectives":
        return {f"objective {number}": each.term for number, each in enumerate(theory.objectives)}
    goals = {key: each.sides.get("claim") for key, each in theory.questions.items()}
    return {
        key: goal.root.formula for key, goal in goals.items() if goal is not None and goal.root is not None
    }


class _Forms:
    """Numbers for terms of several theories: the same for terms that are compared as the same."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._shapes: list[tuple[object, ...]] = []
        self._done: dict[object, int] = {}

    def of(self, root: Term) -> int:
        """The number of a closed term."""
        stack: list[tuple[Term, bool, Levels]] = [(root, False, {})]
        while stack:
            term, real, levels = stack[-1]
            key = self._key(term, real, levels)
            if key in self._done:
                stack.pop()
                continue
            parts = self._parts(term, real, levels)
            missing = [part for part in parts if self._key(*part) not in self._done]
            if missing:
                stack.extend(missing)
                continue
            self._done[key] = self._number(
                term, real, levels, [self._done[self._key(*part)] for part in parts]
            )
            stack.pop()
        return self._done[self._key(root, False, {})]

    def _key(self, term: Term, real: bool, levels: Levels) -> object:
        free = sorted(term.free, key=lambda variable: variable.id)
        return term, real, tuple([levels[variable] for variable in free])

    def _parts(self, term: Term, real: bool, levels: Levels) -> list[tuple[Term, bool, Levels]]:
        """The parts of a term, which is to be a real if `real`; its form is made of theirs."""
        if term.op in QUANTIFIERS:
            first = 1 + max((levels[variable] for variable in term.free), default=-1)
            inner = {variable: levels[variable] for variable in term.free}
            inner.update({variable: first + number for number, variable in enumerate(term.binders)})
            return [(term.args[0], False, inner)]
        if term.op == "to_real":
            return [(term.args[0], True, levels)]
        # A real sum of integers is the sum of the reals.
        inside = real and term.op in _LINEAR
        return [(arg, inside, levels) for arg in term.args]

    def _number(self, term: Term, real: bool, levels: Levels, parts: list[int]) -> int:
        if term.op == "to_real":
            return parts[0]
        if term.op == "not" and self._shapes[parts[0]][0] == "not":
            inner = self._shapes[parts[0]][1]
            assert isinstance(inner, int)
            return inner
        if term.op in _RUNS:
            opened: list[int] = []
            for part in parts:
                word, *rest = self._shapes[part]
                opened += [each for each in rest if isinstance(each, int)] if word == term.op else [part]
            return self._intern((term.op, *opened))
        if term.op == "=":
            parts = sorted(parts)
        head: tuple[object, ...]
        if term.op == "lit":
            head = ("lit", _sort(REAL if real else term.sort), str(term.value))
        elif term.op == "var":
            head = ("var", levels[term])
        elif isinstance(term.op, Symbol):
            head = ("symbol", _symbol(term.op))
        else:
            head = (term.op, *(_sort(variable.sort) for variable in term.binders))
        if real and term.op != "lit" and term.op not in _LINEAR:
            return self._intern(("to_real", self._intern((*head, *parts))))
        return self._intern((*head, *parts))

    def _intern(self, shape: tuple[object, ...]) -> int:
        number = self._numbers.setdefault(shape, len(self._shapes))
        if number == len(self._shapes):
            self._shapes.append(shape)
        return number
