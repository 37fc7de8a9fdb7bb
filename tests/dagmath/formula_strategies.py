"""Formulas for property tests: trees as the reader makes them, and changes of their presentation."""

from __future__ import annotations

import random
from fractions import Fraction

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from potlang.languages.dagmath.lower.syntax import Num, Op, Term, Variable, number

NAMES = ("x", "y", "z", "a_1", "alpha", "n'")


def numbers() -> SearchStrategy[Term]:
    """Natural numbers and decimals."""
    decimals = st.integers(1, 400).map(lambda n: Num(Fraction(n, 8)))
    return st.one_of(st.integers(0, 30).map(number), decimals)


def names() -> SearchStrategy[Term]:
    """Variables."""
    return st.sampled_from(NAMES).map(Variable)


def _many(op: str, terms: SearchStrategy[Term]) -> SearchStrategy[Term]:
    return st.lists(terms, min_size=2, max_size=4).map(lambda args: Op(op, tuple(args)))


def polynomials(leaves: SearchStrategy[Term] | None = None) -> SearchStrategy[Term]:
    """Terms with sums, products, differences, quotients and small powers."""

    def larger(terms: SearchStrategy[Term]) -> SearchStrategy[Term]:
        return st.one_of(
            _many("+", terms),
            _many("*", terms),
            terms.map(lambda term: Op("neg", (term,))),
            st.tuples(terms, terms).map(lambda pair: Op("/", pair)),
            st.tuples(terms, st.integers(0, 4)).map(lambda pair: Op("^", (pair[0], number(pair[1])))),
        )

    return st.recursive(st.one_of(numbers(), names()) if leaves is None else leaves, larger, max_leaves=10)


def terms() -> SearchStrategy[Term]:
    """Terms with all kinds of operations."""

    def larger(inner: SearchStrategy[Term]) -> SearchStrategy[Term]:
        one = st.sampled_from(["sqrt", "abs", "floor", "ceil", "!", "%", "log", "sin", "neg"])
        two = st.sampled_from(["/", "^", "binom", "ratio", "mod", "gcd", "max", "call:f", "root"])
        return st.one_of(
            _many("+", inner),
            _many("*", inner),
            st.tuples(one, inner).map(lambda pair: Op(pair[0], (pair[1],))),
            st.tuples(two, inner, inner).map(lambda three: Op(three[0], three[1:])),
            inner.map(lambda body: Op("sum", (Variable("k"), number(1), Variable("n"), body))),
        )

    return st.recursive(st.one_of(numbers(), names()), larger, max_leaves=12)


def relations(inner: SearchStrategy[Term]) -> SearchStrategy[Term]:
    """Equations and inequalities."""
    ops = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
    return st.tuples(ops, inner, inner).map(lambda three: Op(three[0], three[1:]))


def statements() -> SearchStrategy[Term]:
    """Relations, and what connectives make of them."""

    def larger(inner: SearchStrategy[Term]) -> SearchStrategy[Term]:
        return st.one_of(_many("and", inner), _many("or", inner), inner.map(lambda each: Op("not", (each,))))

    return st.recursive(relations(terms()), larger, max_leaves=4)


_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}


def presented(term: Term, rng: random.Random) -> Term:
    """The same formula in another presentation: order, brackets, sides; nothing else."""
    if not isinstance(term, Op):
        return term
    args = [presented(arg, rng) for arg in term.args]
    if term.op in ("+", "*", "and", "or"):
        rng.shuffle(args)
        if len(args) > 2 and rng.random() < 0.5:
            args = [Op(term.op, tuple(args[:2])), *args[2:]]
    elif term.op in _MIRRORED and rng.random() < 0.5:
        return Op(_MIRRORED[term.op], tuple(reversed(args)))
    elif term.op in ("gcd", "max"):
        rng.shuffle(args)
    elif term.op == "sum":
        return term
    return Op(term.op, tuple(args))


def spaced(shown: str, rng: random.Random) -> str:
    """A formula's text with spaces, or LaTeX for them, in other places."""
    out = []
    for at, character in enumerate(shown):
        out.append(character)
        following = shown[at + 1 : at + 2]
        if character in "+-=,()" and following not in ("=", ">") and rng.random() < 0.3:
            out.append(rng.choice([" ", "  ", r"\, ", r"\; "]))
    return "".join(out)
