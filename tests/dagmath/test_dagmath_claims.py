"""What steps say one after the other: definitions, roots, known equations, and how a step is weighed."""

from __future__ import annotations

import pytest
from relations_support import truths

from potlang.languages.dagmath.lower.formulas import read_formula
from potlang.languages.dagmath.lower.polynomials import Polynomial, difference_of
from potlang.languages.dagmath.lower.readings import NO_CONTEXT
from potlang.languages.dagmath.lower.syntax import number
from potlang.languages.dagmath.relations.claims import StatedRelation, StepRelations
from potlang.languages.dagmath.relations.find import find_chains
from potlang.languages.dagmath.relations.numbers import Numbers
from potlang.languages.dagmath.relations.rewriting import (
    KnownEquation,
    conditions,
    is_another,
    letters,
    may_follow,
)
from potlang.languages.dagmath.results import StepResult, StepVerdict
from potlang.languages.dagmath.solve.weighing import Fit, fit, is_broad, weighed

F = "Let $f(x) = x^2 + 1$."
GOLDEN = "Let $r$ be a root of $x^2 - x - 1$."
SAID = [
    # Definitions.
    ([F, "$f(2, 3) = 5$"], ["open"]),
    ([F, "$f(2) = 5$"], ["true"]),
    ([F, "$f(2) < 5$"], ["false"]),
    ([F, "$f(2) > 4$"], ["true"]),
    ([F, "$5 = f(2)$"], ["true"]),
    ([F, r"$f(3) = 3.33 \cdot 3$"], ["false"]),
    ([F, r"$f(3) = 0.333 \cdot 30$"], ["rounded"]),
    ([F, "If $f(2) = 6$, stop."], ["open"]),
    (["Let $f(x, y) = x + 2y$.", "$f(1, 2) = 5$"], ["true"]),
    (["Let $f(x, y) = x + 2y$.", "$f(1, 2) = 6$"], ["false"]),
    (["Let $f(x, y) = x + 2y$.", "$f(2, 1) = 5$"], ["false"]),
    (["Let $f(x, a) = x + a$.", "$f(1, 2) = 3$"], ["open"]),
    (["Let $f(x, y) = x$.", "$f(1, 2) = 1$"], ["open"]),
    (["Let $f(x, x) = 2x$.", "$f(1, 1) = 2$"], ["open"]),
    (["Let $f(x + 1) = 2x$.", "$f(1) = 2$"], ["open"]),
    ([r"Let $f(x) = \sum_{k=1}^{3} kx$.", "$f(k) = 6k$"], ["open"]),
    ([r"Let $f(x) = \sum_{k=1}^{3} kx$.", "$f(m) = 6m$"], ["true"]),
    ([F, "Let $g(x) = f(x) + 1$.", "$g(1) = 3$"], ["true"]),
    ([F, "Let $g(x) = f(x) + 1$.", "$g(1) = 4$"], ["false"]),
    ([r"Let $A = \{1, 2\}$.", r"Let $B = \{2, 3\}$.", r"$A \cup B = \{1, 2, 3\}$"], ["true"]),
    ([r"Let $A = \{1, 2\}$.", r"Let $A = \{2, 3\}$.", r"$|A| = 3$"], ["open"]),
    ([r"Let $A = \{1, 2\}$.", r"$A > 3$", r"$|A| = 3$"], ["false"]),
    ([F, "$f(x) = x^2 + 1$", "$f(2) = 6$"], ["false"]),
    ([F, "$f(y) = y^2 + 1$", "$f(2) = 6$"], ["false"]),
    ([F, "$f(a) > 3$", "$f(2) = 6$"], ["false"]),
    (["Let $f(a) = f(b)$.", F, "$f(2) = 6$"], ["open"]),
    # Roots.
    ([GOLDEN, "$r^{12} = 144r + 89$"], ["true"]),
    ([GOLDEN, "$r^{12} = 144r + 90$"], ["false"]),
    ([GOLDEN, "$r^{13} = 233r + 144$"], ["open"]),
    ([GOLDEN, "If $r^2 = r + 2$, stop."], ["open"]),
    (["Let $r$ and $s$ be the roots of $ax^2 + bx + c$.", "$r + s = 5$"], ["open"]),
    (["Let $x$ be a root of $x^2 - x - 1$.", "$x^2 = x + 2$"], ["open"]),
    (["Let $r, s$ be the roots of $x^2 - 5x + 6 < 0$.", "$r + s = 4$"], ["open"]),
    (["Let $r, s$ be the roots of $x^2 = 5x - 6, x > 0$.", "$r + s = 4$"], ["open"]),
    (["Let $r$ and $s$ be the roots of $y^2 - 5y + 6$.", "$r + s = 5$"], ["true"]),
    (["Let $r$ and $s$ be the roots of $x^2 - 5x + 6 = 2$.", "$rs = 4$"], ["true"]),
    (["Let $r$ and $s$ be the roots of $x^2 - 5x + 6 = 2$.", "$rs = 6$"], ["false"]),
    ([r"Let $r$ and $s$ be the roots of $\frac{1}{x} - 5$.", "$r + s = 5$"], ["open"]),
    (["Let $r$, $s$, and $t$ be the roots of $x^3 - 7x^2 + 2$.", "$r + s + t = 7$"], ["true"]),
    (["Let $r$, $s$, and $t$ be the roots of $x^3 - 7x^2 + 2$.", "$r + s + t = 8$"], ["false"]),
    (["Let $r$, $s$, and $t$ be the roots of $x^3 - 7x^2 + 2$.", "$r + s = 8$"], ["open"]),
    # Calculations that go on.
    (["3 * 2 = 6 + 1 = 7"], ["unclear", "true"]),
    (["3 * 2 = 6 + 1 = 8"], ["false", "false"]),
    (["3 * 2 = 7 + 1 = 8"], ["false", "true"]),
    (["3 * 2 = 6 - 1 = 5"], ["unclear", "true"]),
    (["3 * 2 = 6 * 2 = 12"], ["unclear", "true"]),
    (["3 * 2 = 6 / 2 = 3"], ["false", "true"]),
    ([r"$2 + 6 = 1 \equiv 1 \pmod{7}$"], ["unclear", "true"]),
    ([r"$2 + 6 \equiv 1 \pmod{7}$"], ["true"]),
    # What is said again.
    (["Total = 52 + 24", "Something else happened. Total = 178"], ["open"]),
    (["Total = 52 + 24", "That is one thing.", "Total = 178"], ["open"]),
    (["Total = 52 + 24", "Calculating:", "Total = 178"], ["false"]),
    (["Total = 52 + 24", "Sum = 178"], ["open"]),
    (["Total = 52", "Total = 178"], ["open"]),
    (["Total > 52 + 24", "Total = 178"], ["open"]),
    (["Total = 52 + 24", "Total > 178"], ["open"]),
    ([r"\[ OD = 2x + x \]", r"\[ OD = 3x \]"], ["true"]),
    # Points.
    (["$(x, 2 + 2) = (3, 5)$"], ["false"]),
    (["$(x, 2 + 2) = (3, 4)$"], ["open"]),
    (["$(1 + 1, 2 + 2) = (2, 4)$"], ["true"]),
    # Sides that differ by a number.
    (["$x + 1 = x + 2$"], ["false"]),
    (["If $x + 1 = x + 2$, stop."], ["open"]),
    ([r"$x + 1 = x + 2 \text{ cm}$"], ["open"]),
    ([r"$x + i = x + 2i$"], ["open"]),
    # Equations that follow.
    (["$x = 3$.", "$y = 2x$.", "$y = 6$"], ["true"]),
    (["$x = 3$.", "$x = 4$.", "$2x = 6$"], ["true"]),
    (["$x = 3$.", "$x = 4$.", "$y = 2x$.", "$y = 6$"], ["open"]),
    (["$x = x^2 - 2$.", "$x^2 = x + 2$"], ["true"]),
    (["$2x + 4 = 10.5$.", "Subtracting, we get $2x = 7$."], ["open"]),
]  # fmt: skip


@pytest.mark.parametrize(("texts", "expected"), SAID)
def test_what_was_said_before(texts: list[str], expected: list[str]) -> None:
    """[REL-DEFINED] [REL-ROOTS] [REL-RESTATED] [REL-POLYNOMIAL]"""
    assert [each if each != "unread" else "open" for each in truths(*texts)] == expected


def test_words_by_which_numbers_mean_something_else() -> None:
    """[REL-TRUE]"""
    other = NO_CONTEXT._replace(is_decimal=False)
    assert truths("2 + 2 = 5", context=other) == ["unclear"]
    assert truths(r"$\{1, 2\} \cup \{3\} = \{1, 2\}$", context=other) == ["unclear"]
    assert truths("2 + 2 = 4", context=other) == ["true"]


def relations(*texts: str) -> tuple[StatedRelation, ...]:
    """The relations of the last text, which rests on those before."""
    found = StepRelations(texts, NO_CONTEXT)
    return [found.of(at, range(at)) for at in range(len(texts))][-1]


def test_what_names_a_thing() -> None:
    """[REL-VERDICT] An equation that only gives a name a value."""
    names = {
        "$x = 3$": True,
        "$x + 1 = 3$": False,
        "$(x, 2) = (3, 2)$": True,
        "$(x + 1, 2) = (3, 2)$": False,
        "$(x, 2 + 2) = (3, 4)$": True,
        r"$S = \{1, 2\}$": True,
        r"$S \subset \{1, 2\}$": False,
        "Total = 3": True,
        "$x < 3$": False,
    }
    assert {each: relations(each)[0].names for each in names} == names
    assert not relations("$x = 3$", "$x = 4$")[0].names


def test_names_that_are_introduced_again() -> None:
    """[REL-DEFINED] [REL-ROOTS] [REL-CONGRUENCE] [REL-POLYNOMIAL]"""
    told = {
        "Let $f(x) = x^2 + 1$.": ("f", "$f(2) = 6$"),
        r"Let $A = \{1, 2\}$.": ("A", "$|A| = 3$"),
        "Let $r$ be a root of $x^2 - x - 1$.": ("r", "$r^2 = r + 2$"),
        "$2y = 6$.": ("y", "Subtracting, we get $2y = 7$."),
    }
    for text, (name, claim) in told.items():
        for forgotten, expected in ((name, "open"), ("q", "false")):
            found = StepRelations((text, claim), NO_CONTEXT)
            found.of(0, ())
            found.forget(frozenset(forgotten))
            assert [each.truth for each in found.of(1, (0,))] == [expected], (text, forgotten)
    found = StepRelations(("$x = 3$ and $y = x + z$.", "$y = 3 + z$"), NO_CONTEXT)
    found.of(0, ())
    found.forget(frozenset("z"))
    assert [each.truth for each in found.of(1, (0,))] == ["open"]


# --- equations that are known --------------------------------------------------------------------


def poly(source: str) -> Polynomial:
    """The numerator of an expression."""
    return difference_of(read_formula(source), number(0))


def known(names: str, source: str | None) -> KnownEquation:
    """An equation in some names."""
    return KnownEquation(frozenset(names), None if source is None else poly(source))


CONDITIONS: dict[str, list[tuple[str | tuple[str, ...], bool]]] = {
    "$x = 3$": [("x", True)],
    "$x + 1 = 1 + x$": [],
    "$x < 3$": [],
    r"$x \equiv 3 \pmod{5}$": [("x", False)],
    r"$\sqrt{x^2} = x$": [("x", False)],
    "$2x + 2 = 2(x + 1) = 5$": [("x", True)],
    "$y = x(x + 1) = x^2 + 2$": [("xy", True)],
    "$x(x + 1) = x^2 + 2$": [("x", True)],
    "$f(x) = 3$": [(("call:f", "x"), False)],
    r"$x = \int y$": [("xy", False)],
    "$1 + 1 = 3$": [("", True)],
}


def test_equations_that_say_something() -> None:
    """[REL-REWRITTEN]"""
    for text, expected in CONDITIONS.items():
        (chain,) = find_chains(text).chains
        found = [(each.names, each.polynomial is not None) for each in conditions(chain)]
        assert found == [(frozenset(names), is_read) for names, is_read in expected], text


def test_letters_of_sides() -> None:
    """[REL-REWRITTEN]"""
    (chain,) = find_chains(r"$\pi x + e = f(y)$").chains
    assert [letters(each) for each in chain.sides] == [{"x"}, {"y", "call:f"}]


def test_what_may_follow() -> None:
    """[REL-REWRITTEN]"""
    x, xy = frozenset("x"), frozenset("xy")
    two = [known("xy", "x + y - 1"), known("xy", "x - y - 3")]
    assert not may_follow(poly("x - 1"), x, [])
    assert not may_follow(poly("x - 1"), x, [known("y", "y - 1")])
    assert not may_follow(poly("x - 1"), x, [known("", "3")])
    assert may_follow(poly("x - 1"), x, [known("x", None)])
    assert may_follow(poly("x^2 - 1"), x, [known("x", "x - 1")])
    assert not may_follow(poly("x^2 - 4"), x, [known("x", "x - 1")])
    assert not may_follow(poly("x - y"), xy, two[:1])
    assert may_follow(poly("x - y"), xy, two)
    assert not may_follow(poly("x - y"), xy, [two[0], known("xy", "2x + 2y - 2")])
    assert may_follow(poly("x - z"), x, [known("x", "x - 1")])
    assert not may_follow(poly("x - z"), x, [])


def test_equations_that_are_others() -> None:
    """[REL-REWRITTEN]"""
    first, second = poly("x^2 + x - 4"), poly("x^2 + x - 5")
    assert is_another(first, second, [])
    assert is_another(first, second, [known("x", "2x^2 + 2x - 8"), known("x", "x^2 + x - 5")])
    assert is_another(first, second, [known("y", None), known("", None)])
    assert not is_another(first, second, [known("x", None)])
    assert not is_another(first, second, [known("x", "x - 7")])
    assert not is_another(first, poly("2x^2 + 2x - 8"), [])
    assert not is_another(first, poly("y^2 + y - 5"), [])
    assert not is_another(poly("x_1^2 - 4"), poly("x_1^2 - 5"), [])


# --- weighing ------------------------------------------------------------------------------------

PROVED, REFUTED, UNKNOWN = StepVerdict.PROVED, StepVerdict.REFUTED, StepVerdict.UNKNOWN
NOT_CHECKABLE, NOT_ENTAILED = StepVerdict.NOT_CHECKABLE, StepVerdict.NOT_ENTAILED


def verdict(
    text: str, before: StepVerdict = NOT_CHECKABLE, by: str = "solver", reason: str = "", *,
    fits: bool | None = None, is_misread: bool = False, is_scale: bool = False, is_many: bool = False,
    is_limited: bool = False,
) -> StepResult:  # fmt: skip
    """The result on a step with this text, of which the sentence gave another."""
    result = StepResult(id=1, verdict=before, by=by, reason=reason, limited=is_limited)  # type: ignore[arg-type]
    return weighed(
        result, relations(text), Fit(fits, "why"), is_misread=is_misread, is_scale=is_scale, is_broad=is_many
    )


def test_weighing() -> None:
    """[REL-VERDICT]"""
    assert verdict("$2 + 3 = 5$").verdict is PROVED
    assert verdict("$2 + 3 = 6$").verdict is REFUTED
    assert verdict("$2 + 3 = 6$").true is False
    assert verdict("$2 + 3 = 6$", PROVED).verdict is PROVED
    assert verdict("$2 + 3 = 5$ and $2 + 3 = 6$").verdict is REFUTED
    assert verdict("$10 / 3 = 3.33$").verdict is NOT_ENTAILED
    assert "unless numbers are rounded" in verdict("$10 / 3 = 3.33$").reason
    # What is open beside what is true.
    assert verdict("$2 + 3 = 5$ and $x + 1 = 3$").verdict is NOT_ENTAILED
    assert "does not follow" in verdict("$2 + 3 = 5$ and $x + 1 = 3$").reason
    assert verdict("$2 + 3 = 5$ and $x + 1 = 3$", is_limited=True).verdict is NOT_CHECKABLE
    assert verdict("$2 + 3 = 5$ and $x + 1 = 3$").true is None
    assert verdict("$2 + 3 = 5$ and $x = 3$").verdict is PROVED
    assert verdict("$2 + 3 = 5$", is_limited=True).verdict is PROVED
    assert verdict("$(x + 1)^2 = x^2 + 2x + 1$", is_limited=True).verdict is NOT_CHECKABLE
    assert verdict("$(x + 1)^2 = x^2 + 2x + 1$").verdict is PROVED
    assert verdict("$(x + 1)^2 = x^2 + 2x + 1$", NOT_ENTAILED).verdict is NOT_ENTAILED
    assert verdict("$2 + 3 = 5$", NOT_ENTAILED).verdict is PROVED
    assert verdict("$2 + 3 = 5$ and $x + 1 = 3$", NOT_ENTAILED, reason="r").reason == "r"
    # What the sentence seems to be.
    assert verdict("$2 + 3 = 5$", is_misread=True).verdict is NOT_CHECKABLE
    assert verdict("$2 + 3 = 5$", reason="not read: different units stand").verdict is NOT_CHECKABLE
    assert verdict("$2 + 3 = 5$", reason="not read: a word").verdict is PROVED
    # Numbers that do not fit.
    assert verdict("$2 + 3 = 5$", fits=False).verdict is NOT_ENTAILED
    assert verdict("$2 + 3 = 5$", fits=True).verdict is PROVED
    assert verdict("$2 + 3 = 5$", PROVED, fits=False).verdict is NOT_ENTAILED
    assert verdict("$2 + 3 = 5$", PROVED, fits=False).follows is None
    assert verdict("$2 + 3 = 5$", PROVED, fits=True).follows is True
    # Refutations of the sentence.
    assert verdict("$x = 3$", REFUTED).verdict is REFUTED
    assert verdict("$x = 3$", REFUTED).follows is False
    assert verdict("$x = 3$", REFUTED, is_many=True).verdict is UNKNOWN
    assert verdict("$x = 3$", REFUTED, "arithmetic", is_many=True).verdict is REFUTED
    assert verdict("If $x = 3$, stop.", REFUTED).verdict is NOT_CHECKABLE
    assert verdict("If $x = 3$, stop.", REFUTED).reason.startswith("it is supposed")
    assert verdict("nothing", REFUTED).verdict is REFUTED
    assert verdict("$2 + 3 = 5$", REFUTED, "arithmetic").verdict is PROVED
    assert verdict("$2 + 3 = 5$", REFUTED).verdict is REFUTED
    assert verdict("$x + 1 = 3$", REFUTED, "arithmetic").verdict is REFUTED
    assert verdict("$x + 1 = 3$", REFUTED, "arithmetic", is_scale=True).reason == "it may mean something else"
    assert verdict("$x = 3$", REFUTED, "arithmetic", is_scale=True).verdict is REFUTED
    assert verdict("half the 2 = 4", REFUTED, "arithmetic").verdict is NOT_CHECKABLE
    assert verdict("$2 + 3 = 5$", StepVerdict.GIVEN).verdict is StepVerdict.GIVEN
    assert verdict("nothing").verdict is NOT_CHECKABLE


def test_broad_steps() -> None:
    """[REL-VERDICT]"""
    assert not is_broad("So it is.", range(6))
    assert is_broad("So it is.", range(7))
    assert is_broad("First, it is.", ())
    assert is_broad("(a) it is.", ())
    assert is_broad("- (iv) it is.", ())
    assert not is_broad("It is (a) that.", ())
    assert not is_broad("First it is.", ())


def test_results_of_a_step_fit_in_it() -> None:
    """[REL-FITS] What a step has worked out is given to what it calculates next, and to nothing before."""
    fitting = {
        "$17 + 19 = 36$ and $36 + 17 = 53$": True,
        "$17 + 19 = 36$ and $36 = 20 + 16$": True,
        "$17 + 19 = 2 * 18 = 36$": True,
        "$17 + 21 = 38$ and $38 - 17 = 21$": False,
        "$36 + 17 = 53$ and $17 + 19 = 36$": False,
    }
    for text, expected in fitting.items():
        asked = Numbers(is_asked=True)
        asked.add("Ann has 17 eggs and 19 pears.")
        assert fit("", relations(text), asked, ()).fits is expected, text


def test_numbers_that_fit() -> None:
    """[REL-FITS]"""
    asked = Numbers(is_asked=True)
    asked.add("Ann has 17 eggs and 19 pears, which cost $13, $14 and $15.")
    assert fit("", relations("$17 + 19 = 36$"), asked, ()) == Fit(True)
    assert fit("", relations("$17 + 21 = 38$"), asked, ()) == Fit(False, "nothing before gives 21")
    assert fit("", relations("$17 + 21 = 39$"), asked, ()) == Fit()
    assert fit("", relations("$x < 3$"), asked, ()) == Fit()
    assert fit("", relations("If $17 + 21 = y$, stop."), asked, ()) == Fit()
    assert fit("", relations("$17 + 19 = 36$"), Numbers(is_asked=False), ()) == Fit()
    text, premise = "In total $13 + $14 = $27.", "They cost $13, $14 and $15."
    assert fit(text, relations(text), asked, (premise,)) == Fit(False, "the total leaves out $15")
