"""The canonical form κ of a step (paper, appendix A.3; [STEP-CANONICAL] ff.).

What is only presentation goes: spacing, the order of summands, factors and sides, brackets, the names of
indices, words that mean the same. No algebra is done: `(x+y)(x+y)` stays a product and `3r*4` two factors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any, Final, Literal

from potlang.languages.dagmath.lower.sentences import read_sentence
from potlang.languages.dagmath.lower.syntax import (
    BINDERS,
    Op,
    Term,
    Unreadable,
    Variable,
    conjuncts,
    free_names,
    is_op,
    joined,
    substituted,
    text,
)
from potlang.languages.dagmath.lower.to_sympy import to_sympy

Rename = Literal["bound", "all"]
_MIRRORED: Final = {">": "<", ">=": "<="}
_UNORDERED: Final = frozenset(["=", "!=", "<=>", "gcd", "lcm", "max", "min"])
_MOST_ORDERS: Final = 5_040
"""Namings that are compared where the shape of a formula does not tell its variables apart."""


@dataclass(frozen=True, slots=True)
class Canonical:
    """A step in canonical form: steps that differ in presentation only are equal.

    `role` is what the sentence does (`states`, `supposes`, `gives` a value without a subject) with the
    `terms`, or `words` of a text in which no formula was read: then `words` is the text.
    """

    role: str
    terms: tuple[Term, ...]
    words: str = ""

    def __str__(self) -> str:
        """The form as text; its canonical form is this one."""
        if self.role == "words":
            return self.words
        shown = "$" + text(joined("and" if self.role != "gives" else "list", self.terms)) + "$"
        return f"Suppose {shown}." if self.role == "supposes" else f"{shown}."

    def to_sympy(self) -> tuple[Any, ...]:
        """The terms as SymPy objects that are not evaluated. Raises ImportError without the extra."""
        return tuple(to_sympy(term) for term in self.terms)


def canonical(source: str, *, rename: Rename = "bound") -> Canonical:
    """κ of a step's text. Whatever the text contains, nothing is raised with `rename="bound"`.

    `rename="all"` counts steps as equal that differ in the names of variables too, and raises Unreadable
    where more than 5,040 namings would have to be compared.
    """
    reading = read_sentence(source)
    terms = reading.claims or reading.values
    if not terms:
        return Canonical("words", (), " ".join(source.split()))
    role = "supposes" if reading.supposes else "states" if reading.claims else "gives"
    if role != "gives":
        terms = conjuncts(canonical_term(joined("and", terms)))
    found = tuple(canonical_term(term) for term in terms)
    if rename == "all":
        # What holds together has no order, and new names may change the one in which it is written.
        found = _renamed(found) if role == "gives" else conjuncts(_renamed((joined("and", found),))[0])
    return Canonical(role, found)


def canonical_term(term: Term) -> Term:
    """The canonical form of a formula."""
    return _ordered(term, 1)


def _ordered(term: Term, depth: int) -> Term:
    if not isinstance(term, Op):
        return term
    op = term.op
    if op in BINDERS:
        return _bound(term, depth)
    args = tuple(_ordered(arg, depth) for arg in term.args)
    if op in _MIRRORED:
        return Op(_MIRRORED[op], args[::-1])
    if op in ("+", "*", "and", "or"):
        return _gathered(op, args)
    if op == "/":
        negative, over = _unsigned(args[0])
        return _negated(Op(op, (over, args[1])), negative)
    if op in _UNORDERED:
        return Op(op, _sorted(args))
    if op == "set":
        return Op(op, _sorted(tuple(dict.fromkeys(args))))
    if op == "congruent":
        return Op(op, (*_sorted(args[:2]), args[2]))
    return Op(op, args)


def _gathered(op: str, args: tuple[Term, ...]) -> Term:
    """A sum, product or connective without inner brackets, in order; signs of factors in front."""
    if op == "*":
        negative, factors, waiting = 0, [], list(args)
        while waiting:
            count, bare = _unsigned(waiting.pop())
            negative += count
            if is_op(bare, "*"):
                waiting.extend(bare.args)
            else:
                factors.append(bare)
        return _negated(Op(op, _sorted(tuple(factors))), negative)
    flat = tuple(inner for arg in args for inner in (arg.args if is_op(arg, op) else (arg,)))
    if op == "+":
        return Op(op, _sorted(flat))
    return joined(op, _sorted(tuple(dict.fromkeys(flat))))


def _unsigned(term: Term) -> tuple[int, Term]:
    """The signs in front of a term, and the rest."""
    count = 0
    while is_op(term, "neg"):
        count, term = count + 1, term.args[0]
    return count, term


def _negated(term: Term, times: int) -> Term:
    # Two signs stay two: that they cancel is algebra.
    for _ in range(times):
        term = Op("neg", (term,))
    return term


def _sorted(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    return tuple(sorted(terms, key=text))


def _bound(term: Op, depth: int) -> Term:
    """A sum or product whose index has the name of its depth."""
    index, first, last, body = term.args
    fresh = Variable(f"i_b{depth}")
    renamed = _ordered(substituted(body, {index: fresh}), depth + 1)
    return Op(term.op, (fresh, _ordered(first, depth), _ordered(last, depth), renamed))


# --- names of variables ---


def _renamed(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """The terms with their variables called v1, v2, … such that the text is the least one."""
    names = sorted(frozenset[str]().union(*map(free_names, terms)))
    groups = _groups(terms, names)
    if math.prod(math.factorial(len(group)) for group in groups) > _MOST_ORDERS:
        raise Unreadable("too many variables that nothing tells apart")
    least: tuple[Term, ...] | None = None
    for choice in product(*(permutations(group) for group in groups)):
        order = [name for group in choice for name in group]
        fresh: dict[Term, Term] = {Variable(name): Variable(f"v_{i + 1}") for i, name in enumerate(order)}
        found = tuple(canonical_term(substituted(term, fresh)) for term in terms)
        if least is None or [*map(text, found)] < [*map(text, least)]:
            least = found
    return least or terms


def _groups(terms: tuple[Term, ...], names: list[str]) -> list[list[str]]:
    """Variables that the terms' shapes do not tell apart, group after group in an order of shapes."""
    colours: dict[str, str] = dict.fromkeys(names, "")
    while True:
        finer = {name: _shape(terms, name, colours) for name in names}
        if len(set(finer.values())) == len(set(colours.values())):
            break
        ranks = {shape: f"{i:04}" for i, shape in enumerate(sorted(set(finer.values())))}
        colours = {name: ranks[shape] for name, shape in finer.items()}
    groups: dict[str, list[str]] = {}
    for name in sorted(names, key=lambda each: finer[each]):
        groups.setdefault(finer[name], []).append(name)
    return list(groups.values())


def _shape(terms: tuple[Term, ...], name: str, colours: Mapping[str, str]) -> str:
    """The terms as they look from one variable: the others have only their colours."""
    values: dict[Term, Term] = {Variable(each): Variable(f"c_{colour}") for each, colour in colours.items()}
    values[Variable(name)] = Variable("c_self")
    return colours[name] + ";".join(text(canonical_term(substituted(term, values))) for term in terms)


def same_terms(left: Term, right: Term) -> bool:
    """Whether two formulas differ in presentation only."""
    return canonical_term(left) == canonical_term(right)
