"""Formal fields beside sentences: what agrees, and why other things do not ([STEP-FORMAL-SAYS])."""

from __future__ import annotations

import re

import pytest

from potlang.languages.dagmath.lower.formal import read_formal
from potlang.languages.dagmath.lower.readings import NO_CONTEXT
from potlang.languages.dagmath.lower.sentences import read_sentence
from potlang.languages.dagmath.relations.agreement import Around, FormalAgreement, agreement
from potlang.languages.dagmath.relations.standing import Standing


def agreed(
    formal: str, said: str, premises: tuple[str, ...] = (), earlier: tuple[str, ...] = ()
) -> FormalAgreement:
    """What is said of a `formal` field beside a sentence."""
    term = read_formal(formal, frozenset()).term
    assert term is not None
    return agreement(term, said, read_sentence(said), Around(premises, (*premises, *earlier)), NO_CONTEXT)


# A formula, a sentence, and why they disagree; "" where they agree.
CASES = [
    # One relation.
    ("x == 3", "So $x = 3$.", ""),
    ("x == 3", "So $3 = x$.", ""),
    ("3 == x", "So $x = 3$.", ""),
    ("x == 4", "So $x = 3$.", "does not say that x = 4"),
    ("x > 3", "So $x < 3$.", "do not say"),
    ("x > 3", "So $3 < x$.", ""),
    ("x >= 3", "So $x > 3$.", "do not say"),
    ("x != 3", r"So $x \ne 3$.", ""),
    ("2*x == 6", "So $x = 3$.", "the number 2|does not say|2"),
    ("x - 3 == 0", "So $x = 3$.", "the number 0"),
    ("x == 3", "So $x - 3 = 0$.", ""),
    # Chains.
    ("2 + 3 == 5", "So $2 + 3 = 4 + 1 = 5$.", ""),
    ("x == 5", "So $x = 2 + 3 = 5$.", ""),
    ("x == 2 + 3", "So $x = 2 + 3 = 5$.", ""),
    ("x < 5", "So $x < y < 5$.", "it leaves out"),
    ("And(x < y, y < 5)", "So $x < y < 5$.", ""),
    ("x == 5", "So $x = y = 5$.", "it leaves out"),
    ("x == 5", "So $x = y = 5$, as $x = y$.", "it leaves out"),
    # What is left out.
    ("x == 3", "So $x = 3$ and $y = 4$.", "it leaves out `y = 4`"),
    ("And(x == 3, y == 4)", "So $x = 3$ and $y = 4$.", ""),
    ("x == 3", "So $x = 3$ and $2 + 2 = 4$.", ""),
    ("x == 3", "So $x = 3$ and $2 + 2 = 5$.", "it leaves out"),
    ("2 + 2 == 4", "So $2 + 2 = 4$ and $4 + 1 = 5$.", ""),
    # Names and numbers.
    ("z == 3", "So $x = 3$.", "the name `z`"),
    ("x == pi", r"So $x = \pi$.", ""),
    ("alpha == 3", r"So $\alpha = 3$.", ""),
    ("x_1 == 3", "So $x_1 = 3$.", ""),
    ("x_2 == 3", "So $x_1 = 3$.", "the name `x_2`"),
    # Words.
    ("x > 3", "So $x$ is greater than 3.", ""),
    ("x > 3", "So 3 is less than $x$.", ""),
    ("x < 3", "So $x$ is greater than 3.", "do not say"),
    ("x == 3", "So $x$ is greater than 3.", "do not say"),
    ("x == 3", "So $x$ is 3.", ""),
    ("x == 3", "So $x$ is three.", ""),
    ("x == 4", "So $x$ is three.", "the number 4"),
    ("x > 0", "So $x$ is positive.", ""),
    ("0 < x", "So $x$ is positive.", ""),
    ("x < 0", "So $x$ is positive.", "do not say"),
    ("x >= 0", "So $x$ is non-negative.", ""),
    ("x != 0", "So $x$ is nonzero.", ""),
    ("x > 1", "So $x$ is positive.", "do not say"),
    ("And(x == 3, y > 4)", "So $x$ is 3, and $y$ is greater than 4.", ""),
    ("x == 3", "So $x$ is 3 and 4.", "leaves out the number 4"),
    ("x == 3", "So $x$ is 3 with $y$.", "leaves out `y`"),
    ("x == 3", "So $x$ plus is 3.", "does not say `plus`"),
    ("x + y == 3", "So $x$ plus $y$ is 3.", ""),
    ("x - y == 3", "So the difference of $x$ and $y$ is 3.", ""),
    ("x + y == 3", "So the difference of $x$ and $y$ is 3.", "does not say `the difference of`"),
    ("x*y == 3", "So the product of $x$ and $y$ is 3.", ""),
    ("x/y == 3", "So $x$ divided by $y$ is 3.", ""),
    ("x + x > 3", "So $x$ is greater than 3.", "more often"),
    ("x + 3 == 3", "So $x$, added, is 3.", "more often"),
    ("x == 3", "So $x = 3$, which is greater than 2.", "does not say `is greater than`"),
    ("eggs == 12", "There are 12 eggs.", ""),
    ("pears == 12", "There are 12 eggs.", "the name `pears`"),
    ("x == 20/100", "So $x$ is 20 percent.", ""),
    # Words that bring numbers along.
    ("x**3 == 8", "So $x$ cubed is 8.", ""),
    ("x**2 == 9", "So $x$ squared is 9.", ""),
    ("x**4 == 9", "So $x$ squared is 9.", "does not say"),
    ("sqrt(x) == 9", "So the square root of $x$ is 9.", ""),
    ("Mod(n, 2) == 0", "So $n$ is even.", ""),
    ("Mod(n, 2) == 1", "So $n$ is odd.", ""),
    ("Mod(n, 3) == 0", "So $n$ is even.", "the number 3"),
    ("x == 0", "So $x$ vanishes.", ""),
    ("x == 0", "So $x$ is seen.", "the number 0"),
    ("x == 1", "So $x$ is a unit.", ""),
    # Expressions.
    ("x + 3", "Find $x + 3$.", ""),
    ("x + 4", "Find $x + 3 = 4$.", "an expression"),
    ("x + 4", "Take $x + 3$ and 4.", "does not have the expression"),
    # Connectives.
    ("Or(x == 2, x == 3)", "So $x = 2$ or $x = 3$.", ""),
    ("Or(x == 2, x == 3)", "So $x = 2$ and $x = 3$.", ""),
    ("And(x == 2, x == 3)", "So $x = 2$ or $x = 3$.", "no alternatives, and the step has some"),
    ("Or(x == 2, x == -2)", r"So $x = \pm 2$.", ""),
    ("And(x == 2, x == -2)", r"So $x = \pm 2$.", "no alternatives"),
    ("Implies(x > 2, x > 1)", "If $x > 2$, then $x > 1$.", ""),
    ("Implies(x > 1, x > 2)", "If $x > 2$, then $x > 1$.", "its condition is what the step concludes"),
    ("Implies(x > 2, x > 1)", "So $x > 1$ if $x > 2$.", ""),
    ("Implies(x > 1, x > 2)", "So $x > 1$ if $x > 2$.", "its condition is"),
    ("Implies(x > 2, x > 1)", "So $x > 2$ and $x > 1$.", "has a condition, and the step has none"),
    ("And(x > 2, x > 1)", "If $x > 2$, then $x > 1$.", "no condition, and the step has one"),
    # Congruences.
    ("Mod(x, 5) == 2", r"So $x \equiv 2 \pmod{5}$.", ""),
    ("Mod(x, 5) == 3", r"So $x \equiv 2 \pmod{5}$.", "does not say"),
    ("Mod(x, 7) == 2", r"So $x \equiv 2 \pmod{5}$.", "does not say"),
    ("x == 2", r"So $x \equiv 2 \pmod{5}$.", "leaves out"),
    # Denied.
    ("x != 3", "It is wrong that $x = 3$.", ""),
    # Code.
    ("x == 3", r"So \texttt{x == 3}.", ""),
    ("x == 4", r"So \texttt{x == 3}.", "."),
]  # fmt: skip


@pytest.mark.parametrize(("formal", "said", "reason"), CASES)
def test_what_agrees(formal: str, said: str, reason: str) -> None:
    """[STEP-FORMAL-SAYS] [STEP-FORMAL-LOGIC] [STEP-FORMAL-NAMES] [STEP-FORMAL-NUMBERS]"""
    found = agreed(formal, said).reason
    assert (found == "") == (reason == ""), found
    assert re.search(reason, found), found


def test_what_was_said_before() -> None:
    """[STEP-FORMAL-NAMES] [STEP-FORMAL-NUMBERS] Names are of any step before, numbers of premises."""
    assert not agreed("x == 3", "So it is 3.", earlier=("Let $x$ be it.",)).reason
    assert "the name `x`" in agreed("x == 3", "So it is 3.").reason
    assert not agreed("x == 3 + 17", "So $x$ is it.", premises=("We add 3 and 17.",)).reason
    assert "number" in agreed("x == 3 + 17", "So $x$ is it.", earlier=("We add 3 and 17.",)).reason
    said = "As $x = 3$, we get $y = 4$."
    assert "leaves out `x = 3`" in agreed("y == 4", said).reason
    assert not agreed("y == 4", said, premises=("$x = 3$.",)).reason
    assert not agreed("y == 4", said, premises=("$3 = x$.",)).reason
    assert "leaves out" in agreed("y == 4", said, premises=("$x < 3$.",)).reason
    assert "leaves out" in agreed("y == 4", said, earlier=("$x = 3$.",)).reason


STANDINGS = {
    ("x == 3", "So $x = 3$."): Standing.CLAIMED,
    ("x == 3", "Suppose $x = 3$."): Standing.SUPPOSED,
    ("Implies(x > 2, x > 1)", "If $x > 2$, then $x > 1$."): Standing.CLAIMED,
    ("x > 3", "So $x$ is greater than 3."): Standing.CLAIMED,
}


def test_how_a_formula_is_meant() -> None:
    """[STEP-FORMAL-USED]"""
    assert {each: agreed(*each).standing for each in STANDINGS} == STANDINGS
