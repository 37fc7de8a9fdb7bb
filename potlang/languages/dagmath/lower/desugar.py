"""Relations that stand for simpler ones: what exact arithmetic and the encoder to IR need know nothing of.

The simpler relations are notation too, so that both consumers treat their parts as if they had been written.
"""

from __future__ import annotations

from itertools import pairwise

from potlang.languages.dagmath.lower.syntax import (
    Num,
    Op,
    Term,
    Unreadable,
    free_names,
    is_op,
    joined,
    number,
    quantities,
)


def desugared(relation: Op) -> Term:
    """The conjunction or disjunction that a relation stands for; the relation itself where it is simple.

    Raises Unreadable for signs of which it is open what they say.
    """
    op, args = relation.op, relation.args
    if _has_sign(relation):
        return _signed_cases(relation)
    match args:
        case (element, Op("set", members)) if op == "in":
            return joined("or", tuple(Op("=", (element, each)) for each in members))
        case (element, Op("[]" | "[)" | "(]" | "tuple" as kind, (low, high))) if op == "in":
            # Two numbers in round brackets are read as a tuple: beside `in` it is an open interval.
            first, last = (["<=", "<"][side] for side in (kind[0] != "[", kind[-1] != "]"))
            bounds = (Op(first, (low, element)), Op(last, (element, high)))
            return joined("and", tuple(each for each in bounds if not any(map(_is_infinite, each.args))))
        case (element, Op("cup" | "cap" as kind, sets)) if op == "in":
            return Op("or" if kind == "cup" else "and", tuple(Op("in", (element, each)) for each in sets))
        case (element, Op("setminus", (whole, *taken))) if op == "in":
            outside = (Op("not", (Op("in", (element, each)),)) for each in taken)
            return Op("and", (Op("in", (element, whole)), *outside))
        case (Op("tuple", lefts), Op("tuple", rights)) if op in ("=", "!=") and len(lefts) == len(rights):
            return _componentwise(op, lefts, rights)
        case (Op("ratio", lefts), Op("ratio", rights)) if op in ("=", "!=") and len(lefts) == len(rights) > 2:
            sides = ([Op("/", pair) for pair in pairwise(each)] for each in (lefts, rights))
            return _componentwise(op, *map(tuple, sides))
        case (term, rounded, Num(size)) if op == "approx":
            half = number(size / 2)
            low, high = Op("+", (rounded, Op("neg", (half,)))), Op("+", (rounded, half))
            return Op("and", (Op("<=", (low, term)), Op("<=", (term, high))))
    return relation


def _is_infinite(term: Term) -> bool:
    return is_op(term, "infty") or (is_op(term, "neg") and is_op(term.args[0], "infty"))


def _componentwise(op: str, lefts: tuple[Term, ...], rights: tuple[Term, ...]) -> Term:
    parts = tuple(Op(op, pair) for pair in zip(lefts, rights, strict=True))
    return joined("and" if op == "=" else "or", parts)


def _signed_cases(relation: Op) -> Term:
    """A relation with ± as the two that it stands for: upper signs together, and lower ones."""
    if any(not (_has_sign(side) or free_names(side) or quantities(side)) for side in relation.args):
        raise Unreadable("a number has two values")
    if relation.op not in ("=", "!="):
        raise Unreadable("it is open which of two values is compared")
    both = tuple(_chosen(relation, upper) for upper in (True, False))
    # `x != \pm 3` excludes both values.
    return Op("or" if relation.op == "=" else "and", both)


def _has_sign(term: Term) -> bool:
    return isinstance(term, Op) and (term.op in ("pm", "mp") or any(map(_has_sign, term.args)))


def _chosen(term: Term, upper: bool) -> Term:
    if not isinstance(term, Op):
        return term
    args = tuple(_chosen(arg, upper) for arg in term.args)
    if term.op not in ("pm", "mp"):
        return Op(term.op, args)
    last = args[-1] if (term.op == "pm") is upper else Op("neg", (args[-1],))
    return last if len(args) == 1 else Op("+", (args[0], last))
