"""Equalities and readings of records, sets, arrays and functions, by their parts: `[CERT-UNFOLDED]`."""

from __future__ import annotations

from collections.abc import Sequence

from .sorts import BOOL
from .terms import Term
from .theory import Theory
from .tokens import Invalid

_READ = {"Set": "member", "Array": "select", "Function": "apply"}


def unfolded(theory: Theory, term: Term) -> Term:
    """A formula that holds in every structure. Raises `Invalid` for other terms."""
    terms, apply, args = theory.terms, theory.terms.apply, term.args
    of = args[0].sort if args else BOOL
    if term.op == "subset":
        return apply("iff", (term, apply("=", (apply("difference", args), terms.literal(None, of)))))
    if term.op == "=" and of.kind == "tuple":
        same = [apply("=", tuple([apply(each, (arg,)) for arg in args])) for each in theory.selectors(of)]
        return apply("iff", (term, terms.make("and", tuple(same), BOOL)))
    if term.op == "=" and of.kind in _READ:
        index = [apply(each, args) for each in theory.differing(of)]
        reads = [_read(theory, each, index) for each in args]
        return apply("iff", (term, apply("=", tuple(reads))))
    if term.op not in ("member", "select"):
        raise Invalid("there is nothing to unfold")
    at, whole = args if term.op == "member" else args[::-1]
    parts = [_read(theory, part, [at]) for part in whole.args if part.sort is whole.sort]
    if whole.op == "store":
        given = apply("=", (term, whole.args[2])), apply("=", (term, parts[0]))
        return apply("ite", (apply("=", (at, whole.args[1])), *given))
    if whole.op == "insert":
        return apply("iff", (term, apply("or", (apply("=", (at, whole.args[0])), *parts))))
    if whole.op == "difference":
        return apply("iff", (term, apply("and", (parts[0], terms.negated(parts[1])))))
    if whole.op in ("union", "intersect"):
        return apply("iff", (term, apply("or" if whole.op == "union" else "and", tuple(parts))))
    if whole.op != "lit" or whole.value is not None:
        raise Invalid("there is nothing to unfold")
    return terms.negated(term)


def _read(theory: Theory, whole: Term, index: Sequence[Term]) -> Term:
    op = _READ[whole.sort.kind]
    return theory.terms.apply(op, (*index, whole) if op == "member" else (whole, *index))
