"""The parts of an operator's application that its values are computed from ([CERT-FINITE-TERM])."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

from .normal import is_connective
from .terms import QUANTIFIERS, Term, inner_first, outer_first


def is_operator(term: Term) -> bool:
    """Whether it is computed from values of its arguments, which are two or all of one sort."""
    return isinstance(term.op, str) and term.op not in _OTHERS and not is_connective(term)


_OTHERS = ("lit", "var", "ite", "distinct", "store", "apply", *QUANTIFIERS)


def leaves_of(term: Term) -> Sequence[Term] | None:
    """The one or two terms that are no operators' below an operator; None if there are more."""
    every = outer_first(term, lambda whole: whole.args if is_operator(whole) else ())
    leaves = tuple(islice((each for each in every if not is_operator(each) and each.op != "lit"), 3))
    return leaves if len(leaves) < 3 else None


def code_of(
    root: Term, leaves: Sequence[Term], literal: Callable[[Term], object]
) -> tuple[list[tuple[Term, Sequence[Term]]], dict[Term, object]]:
    """The operators from `leaves` to `root`, inner ones first, and the literals among them."""
    done = dict.fromkeys(leaves)
    code: list[tuple[Term, Sequence[Term]]] = []
    for each in inner_first(root, lambda whole: _arguments(whole, leaves), done):
        done[each] = None
        if each.op != "lit":
            code.append((each, _arguments(each, leaves)))
    return code, {each: literal(each) for each in done if each.op == "lit"}


def _arguments(term: Term, leaves: Sequence[Term]) -> Sequence[Term]:
    """The arguments; of an application that was split, what it was split into."""
    split = len(term.args) > 2 and len(leaves) == 2 and leaves[0].args == term.args[:-1]
    return leaves if split and leaves[0].op == term.op else term.args
