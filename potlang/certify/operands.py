"""The parts of an operator's application that its values are computed from ([CERT-FINITE-TERM])."""

from __future__ import annotations

from collections.abc import Sequence

from .normal import is_connective
from .sorts import Sort
from .terms import QUANTIFIERS, Term
from .tokens import Invalid


def is_operator(term: Term) -> bool:
    """Whether it is computed from values of its arguments."""
    inner = isinstance(term.op, str) and term.op not in ("lit", "var", "ite", "distinct", *QUANTIFIERS)
    return inner and not is_connective(term)


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
    root: Term, leaves: Sequence[Term]
) -> tuple[list[tuple[Term, Sequence[Term], list[Sort]]], dict[Term, object]]:
    """The operators from `leaves` to `root`, inner ones first, and the literals among them."""
    known: dict[Term, object] = {}
    ordered: dict[Term, None] = {}
    stack = [(root, False)]
    while stack:
        top, complete = stack.pop()
        if top.op == "lit" and top.sort.kind == "Set":
            raise Invalid("sets")
        if top.op == "lit":
            known[top] = top.value
        elif complete:
            ordered[top] = None
        elif top not in leaves and top not in ordered:
            stack.append((top, True))
            stack += [(arg, False) for arg in _arguments(top, leaves)]
    code = [(each, _arguments(each, leaves)) for each in ordered]
    return [(each, args, [arg.sort for arg in args]) for each, args in code], known


def _arguments(term: Term, leaves: Sequence[Term]) -> Sequence[Term]:
    """The arguments; of an application that was split, what it was split into."""
    split = len(term.args) > 2 and len(leaves) == 2 and leaves[0].args == term.args[:-1]
    return leaves if split and leaves[0].op == term.op else term.args
