"""Claims that polynomials decide at once: identities, and equations that are multiples of others."""

from __future__ import annotations

from typing import Final

from potlang.languages.dagmath.lower.polynomials import NotRational, difference_of, follows
from potlang.languages.dagmath.lower.syntax import Op, Term, conjuncts, is_op, number, parts

ZERO_TO_ZERO: Final = Op("^", (number(0), number(0)))
"""SymPy takes it to be 1."""

ZERO_TOZERO: Final = Op("^", (number(0), number(0)))


def is_polynomial_identity(left: Term, right: Term) -> bool:
    """Whether two expressions are the same quotient of polynomials."""
    try:
        return not difference_of(left, right)
    except (NotRational, RecursionError):
        return False


def is_algebra(claim: Term) -> bool:
    """Whether a claim says of nothing but quotients of polynomials that they are the same, and they are."""
    return not any(has_no_one_value(each) for each in parts(claim)) and all(
        is_op(part, "=") and is_polynomial_identity(*part.args) for part in conjuncts(claim)
    )


def has_no_one_value(term: Term) -> bool:
    """Whether a term stands for two values, or for none that all agree on."""
    return is_op(term, "pm", "mp") or term == ZERO_TO_ZERO


def is_multiple(claim: Term, premise: Term) -> bool:
    """Whether an equation between polynomials holds wherever another one does, as is seen at once."""
    if not (is_op(claim, "=") and is_op(premise, "=")) or any(map(has_no_one_value, parts(premise))):
        return False
    try:
        return follows(difference_of(*premise.args), difference_of(*claim.args))
    except (NotRational, RecursionError):
        return False
