"""The canonical form κ (paper, appendix A.3; [STEP-CANONICAL] ff.)."""

from __future__ import annotations

import itertools
import random

import pytest
from formula_strategies import NAMES, polynomials, presented, relations, spaced, statements, terms
from hypothesis import strategies as st
from statements import Property

from potlang.languages.dagmath.lower.canonical import Canonical, Rename, canonical, canonical_term
from potlang.languages.dagmath.lower.syntax import (
    Op,
    Term,
    Unreadable,
    Variable,
    free_names,
    substituted,
    text,
)

SAME = [
    [
        "The value of our target is  $x + y$.",
        "The target value is $(y + x)$.",
        "our target's value equals $y+x$.",
    ],
    ["$x = 3$", "So $x=3$.", r"Therefore, \(3 = x\).", "We get $x \\; = \\; 3$", "x = 3"],
    ["$a < b$", "$b > a$"],
    ["$3 \\cdot x$.", "$3x$.", "$x \\times 3$.", "$3*x$."],
    ["$-2x$", "$(-2)x$", "$x \\cdot (-2)$"],
    [r"$\frac{x}{2}$", "$x/2$", r"$x \div 2$"],
    [r"$\sum_{i=1}^{n} i^2$", r"$\sum_{k=1}^{n} k^2$"],
    ["The cycling speed is $3r$.", "Cycling speed equals $3r$.", "The speed of cycling is $r \\cdot 3$."],
    ["$x = 2$ or $x = 3$.", "The solutions are $x=3$ and $x=2$.", r"$x = 3 \text{ or } x = 2$"],
    ["No formula   is here.", "No formula is here."],
]
DIFFERENT = [
    # The paper's example: each is a step from the one before.
    "$(x+y)^2$",
    "$(x+y)(x+y)$",
    "$x^2 + xy + yx + y^2$",
    "$x^2 + 2xy + y^2$",
    "$3r \\cdot 4$",
    "$12r$",
    "$x + x$",
    "$2x$",
    "$x \\cdot 1$",
    "$x$",
    "$x + 0$",
    r"$\frac{2}{4}$",
    r"$\frac{1}{2}$",
    "$0.5$",
    "$2 + 3$",
    "$5$",
    "$a - (b - c)$",
    "$a - b + c$",
    r"$\sqrt{4}$",
    "$2$",
    "$-(-x)$",
    "$x = 3$",
    "$x \\le 3$",
    "Suppose $x = 3$.",
    "$12 : 1$",
    "$12 / 1$",
    "$x < 3$",
    "$x > 3$",
]


@pytest.mark.parametrize("texts", SAME, ids=lambda texts: texts[0])
def test_same(texts: list[str]) -> None:
    """Spacing, order, notation, lead-ins and synonyms do not count ([STEP-CANONICAL])."""
    assert len({canonical(each) for each in texts}) == 1


def test_different() -> None:
    """No algebra is done: each step of the paper's example has a form of its own ([STEP-NO-ALGEBRA])."""
    forms = [canonical(each) for each in DIFFERENT]
    for (one, first), (other, second) in itertools.combinations(zip(DIFFERENT, forms, strict=True), 2):
        assert first != second, (one, other)


def test_names() -> None:
    """With `rename="all"` the names of variables do not count, nor their order ([STEP-RENAME])."""
    one = canonical("$x^2 + 3y = z$", rename="all")
    assert one == canonical("$q = a^2 + b \\cdot 3$", rename="all")
    assert one != canonical("$x^2 + 3x = z$", rename="all")
    assert canonical("$x^2 + 3y = z$") != canonical("$a^2 + 3b = c$")
    assert canonical("$x - y = 1$", rename="all") == canonical("$y - x = 1$", rename="all")
    assert canonical("$x - y = x$", rename="all") != canonical("$y - x = x$", rename="all")


def test_names_that_nothing_tells_apart() -> None:
    """Too many namings are refused, and not tried ([STEP-RENAME])."""
    with pytest.raises(Unreadable, match="nothing tells apart"):
        canonical("$" + " + ".join("abcdfghjkm") + "$", rename="all")


def _stated(term: Term) -> str:
    return f"${text(term)}$."


def _idempotent(pair: tuple[Term, bool]) -> None:
    """κ(κ(c)) = κ(c), and the tree's canonical form is its own ([STEP-IDEMPOTENT])."""
    term, rename = pair
    once = canonical_term(term)
    assert canonical_term(once) == once
    form = canonical(_stated(term), rename="all" if rename else "bound")
    assert canonical(str(form), rename="all" if rename else "bound") == form


test_idempotent, test_idempotent_slow = Property(
    _idempotent,
    st.tuples(st.one_of(terms(), statements()), st.booleans()),
    quick=60,
    passed_over=(Unreadable,),
).tests()


def _idempotent_on_texts(words: list[str]) -> None:
    """κ(κ(c)) = κ(c) for any text ([STEP-IDEMPOTENT])."""
    form = canonical(" ".join(words))
    assert isinstance(form, Canonical)
    assert canonical(str(form)) == form


WORDS = [
    "The",
    "value",
    "is",
    "$x$",
    "$x = 3$",
    "so",
    "and",
    "or",
    "not",
    "3",
    "x",
    "= 5",
    "of",
    "speed",
    "Let",
    "be",
    "r",
    "km",
    "a",
    "integer",
    "If",
    ",",
    ".",
    "$2:1$",
    r"\boxed{3}",
    "gives",
    "ratio",
    "to",
    "$\\frac{$",
]
test_idempotent_on_texts, test_idempotent_on_texts_slow = Property(
    _idempotent_on_texts, st.lists(st.sampled_from(WORDS), min_size=1, max_size=9), quick=200
).tests()


def _invariant(pair: tuple[Term, int]) -> None:
    """Order, brackets, sides and spaces do not change the form ([STEP-CANONICAL])."""
    term, seed = pair
    rng = random.Random(seed)
    other = presented(term, rng)
    assert canonical_term(other) == canonical_term(term)
    assert canonical(f"$ {spaced(text(other), rng)} $.") == canonical(_stated(term))


test_invariant, test_invariant_slow = Property(
    _invariant, st.tuples(st.one_of(terms(), statements()), st.integers(0, 1 << 32)), quick=60
).tests()


def _invariant_under_names(pair: tuple[Term, int]) -> None:
    """Any other names of the variables give the same form with `rename="all"` ([STEP-RENAME])."""
    term, seed = pair
    rng = random.Random(seed)
    fresh = rng.sample(["p", "q", "r_1", "beta", "w", "u", "m", "k", "n"], len(NAMES) + 1)
    names = dict(zip([*NAMES, "n"], fresh, strict=True))
    other = substituted(presented(term, rng), {Variable(old): Variable(new) for old, new in names.items()})
    if len(free_names(term)) <= 4:
        assert canonical(_stated(other), rename="all") == canonical(_stated(term), rename="all")


test_invariant_under_names, test_invariant_under_names_slow = Property(
    _invariant_under_names,
    st.tuples(relations(polynomials()), st.integers(0, 1 << 32)),
    quick=40,
    passed_over=(Unreadable,),
).tests()


def _means_the_same(term: Term) -> None:
    """The canonical form has the value of the formula, by SymPy ([STEP-CANONICAL])."""
    sympy = pytest.importorskip("sympy")
    from potlang.languages.dagmath.lower.to_sympy import to_sympy

    values = {name: sympy.Rational(at * 7 + 3, 5) for at, name in enumerate(NAMES)}
    one, other = (
        to_sympy(each, lambda name: sympy.Symbol(name)).subs(values).doit()
        for each in (term, canonical_term(term))
    )
    assert one == other or sympy.simplify(one - other) == 0 or {one, other} <= {sympy.nan, sympy.zoo}


test_means_the_same, test_means_the_same_slow = Property(_means_the_same, polynomials(), quick=40).tests()


def test_sympy_objects_are_not_evaluated() -> None:
    """SymPy is told not to evaluate: what it would merge stays apart ([STEP-SYMPY])."""
    sympy = pytest.importorskip("sympy")
    (product,) = canonical("$(x+y)(x+y)$").to_sympy()
    assert isinstance(product, sympy.Mul) and len(product.args) == 2
    (chain,) = canonical("$3 r \\cdot 4$").to_sympy()
    assert sorted(map(str, chain.args)) == ["3", "4", "r"]
    assert isinstance(canonical("$x=1$").to_sympy()[0], sympy.Eq)


def test_a_form_is_no_formula_of_another_kind() -> None:
    """What is supposed is not what is stated ([STEP-CANONICAL])."""
    assert canonical("Suppose $x = 3$.").role == "supposes"
    assert canonical("Hence $x = 3$.").terms == (Op("=", canonical("$x = 3$.").terms[0].args),)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "source",
    [
        "3 x km",
        "r is $2:1$",
        "x is $x$ of km",
        "km = 5",
        r"$(7 \bmod 3) + 1 = 2$",
        r"$\sqrt{2} \approx 1.40$",
        r"$0 = \sum_{k=1}^n \sum_{k=1}^n (x + a)$ and $0 = \sum_{k=1}^n \sum_{k=1}^n \sum_{k=1}^n 0$",
    ],
)
@pytest.mark.parametrize("rename", ["bound", "all"])
def test_forms_of_forms(source: str, rename: Rename) -> None:
    """Units, one-letter quantities, remainders, decimals and the order of claims stay ([STEP-IDEMPOTENT])."""
    form = canonical(source, rename=rename)
    assert canonical(str(form), rename=rename) == form
