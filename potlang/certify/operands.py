"""The parts of an operator's application that its values are computed from ([CERT-FINITE-TERM])."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .normal import is_connective
from .terms import QUANTIFIERS, Term


def is_operator(term: Term) -> bool:
    """Whether it is computed from values of its arguments, which are two or all of one sort."""
    return isinstance(term.op, str) and term.op not in _OTHERS and not is_connective(term)


_OTHERS = ("lit", "var", "ite", "distinct", "store", "apply", *QUANTIFIERS)


def leaves_of(term: Term) -> Sequence[Term] | None:
    """The one or two terms that are no operators' below an operator; None if there are more."""
    found: dict[Term, None] = {}
    seen: set[Term] = set()
    stack = [term]
    while stack and len(found) < 3:
        top = stack.pop()
        if top in seen:
            continue
        seen.add(top)
        if is_operator(top):
            stack.extend(reversed(top.args))
        elif top.op != "lit":
            found[top] = None
    return None if len(found) > 2 else tuple(found)


def code_of(
    root: Term, leaves: Sequence[Term], literal: Callable[[Term], object]
) -> tuple[list[tuple[Term, Sequence[Term]]], dict[Term, object]]:
    """The operators from `leaves` to `root`, inner ones first, and the literals among them."""
    known: dict[Term, object] = {}
    ordered: dict[Term, None] = {}
    stack = [(root, False)]
    while stack:
        top, complete = stack.pop()
        if top.op == "lit":
            known[top] = literal(top)
        elif complete:
            ordered[top] = None
        elif top not in leaves and top not in ordered:
            stack.append((top, True))
            stack += [(arg, False) for arg in _arguments(top, leaves)]
    return [(each, _arguments(each, leaves)) for each in ordered], known


def _arguments(term: Term, leaves: Sequence[Term]) -> Sequence[Term]:
    """The arguments; of an application that was split, what it was split into."""
    split = len(term.args) > 2 and len(leaves) == 2 and leaves[0].args == term.args[:-1]
    return leaves if split and leaves[0].op == term.op else term.args
