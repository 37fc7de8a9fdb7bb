"""Relations wherever they stand in a text."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from relations_support import shown_chains, truths

from potlang.dagmath import Solution, Step
from potlang.languages.dagmath.lower.formulas import read_formula
from potlang.languages.dagmath.lower.numeric import NotNumeric, approximation, are_near
from potlang.languages.dagmath.lower.polynomials import (
    NotRational,
    clash,
    difference_of,
    divides,
    follows,
    is_combination,
    share_a_factor,
    variables,
)
from potlang.languages.dagmath.lower.readings import NO_CONTEXT
from potlang.languages.dagmath.lower.solutions import read_solution_steps
from potlang.languages.dagmath.relations.claims import StepRelations
from potlang.languages.dagmath.relations.find import find_chains
from potlang.languages.dagmath.relations.truth import RelationTruth, truth_of
from potlang.languages.dagmath.results import StepResult, StepVerdict
from potlang.languages.dagmath.solve.checking import check_steps

# Signs of relations, and whether they hold between 1 and 2, 2 and 2, 2 and 1.
SIGNS = {
    (False, True, False): "= ==",
    (None, True, None): r"\approx \simeq ≈",
    (True, False, True): r"\neq \ne != ≠",
    (True, False, False): r"< \lt",
    (False, False, True): r"> \gt",
    (True, True, False): r"\leq \le \leqslant <= ≤ \mid",
    (False, True, True): r"\geq \ge \geqslant >= ≥",
    (None, None, None): r"\in \notin \subset \subseteq \parallel \perp \propto \mapsto \cong \sim",
}


@pytest.mark.parametrize(
    ("sign", "holds"), [(sign, holds) for holds, signs in SIGNS.items() for sign in signs.split()]
)
def test_signs(sign: str, holds: tuple[bool | None, ...]) -> None:
    """Each sign of a relation in formulas means what it does ([REL-FORMULAS])."""
    meant = {RelationTruth.TRUE: True, RelationTruth.FALSE: False}
    found = []
    for pair in ("1 + 0 {} 5 - 3", "4 - 2 {} 1 + 1", "1 + 1 {} 2 - 1"):
        (chain,) = find_chains(f"${pair.format(sign)}$").chains
        found.append(meant.get(truth_of(chain.sides[0], chain.links[0], chain.sides[1])))
    assert tuple(found) == holds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("So she has 16 - 3 - 4 = 9 duck eggs a day.", ["16 - 3 - 4 = 9"]),
        ("so each is 5*3=15 and two are 4*2=8", ["5 * 3 = 15", "4 * 2 = 8"]),
        ("$2000 x 10/100 =$200", ["2000 * 10 / 100 = 200"]),
        ("She has $420 – $200 = $220.", ["420 - 200 = 220"]),
        ("7 packs of apples * $2 per pack of apples = $14", ["7 * 2 = 14"]),
        ("$50/day * 24 days/month = $1200/month", ["50 * 24 = 1200"]),
        ("25 classmates + his 1 teacher + 1 himself = 27 people", ["25 + 1 + 1 = 27"]),
        ("Thus, W = 1 1/2 / 1/2 = 3 episodes.", ["W = (1 + 1/2) / (1/2) = 3"]),
        ("One-third of 27 = 27 / 3 = 9.", ["(1 / 3) * 27 = 27 / 3 = 9"]),
        ("That is ½ of 10 = 5", ["1 / 2 * 10 = 5"]),
        ("There are 60 / 15 = 4 (15 minutes).", ["60 / 15 = 4"]),
        ("The total is -48+21+-3=-30 degrees", ["- 48 + 21 + - 3 = - 30"]),
        ("It is 8*5=<<8*5=40>>40.", ["8 * 5 = 40"]),
        ("- 12 = 3 * 4\n- 15 = 3 * 5", ["12 = 3 * 4", "15 = 3 * 5"]),
        ("4 × 3 × 2 × \\( K \\) = 24", ["4 * 3 * 2 * ( K ) = 24"]),
        ("10% of 50 = 5", ["10 \\% * 50 = 5"]),
        ("no relation here, and 5 apples", []),
    ],
)
def test_prose(text: str, expected: list[str]) -> None:
    """[REL-PROSE]"""
    assert shown_chains(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"$x = 3$ and \(y < 4\)", ["x = 3", "y < 4"]),
        (r"\[ 5-a = 3 \quad \text{or} \quad 5-a = -3 \]", ["5-a = 3", "5-a = -3"]),
        (r"\[ 3x = 6 \implies x = 2 \]", ["3x = 6", "x = 2"]),
        (
            r"\begin{align*} a&=b+c\\ &= 3+4 \\ &=7. \end{align*}",
            ["a = b+c", "b+c = 3+4", "3+4 = 7."],
        ),
        (r"$105 \times 500 = 52,500$", [r"105 \times 500 = 52,500"]),
        (r"\[ \text{Area} = 6 \cdot 7 = 42 \text{ cm}^2 \]", [r"\text{Area} = 6 \cdot 7 = 42 \text{ cm}^2"]),
        (r"$f(1, 2) = 3, g = 4$", ["f(1, 2) = 3", "g = 4"]),
        (r"$7 \equiv 1 \pmod{3}$", ["7 congruent 1"]),
        ("It costs $5 and $6, so $5 + $6 = $11.", ["5 + 6 = 11"]),
        (r"2x + 3 &= 7 \\", ["2x + 3 = 7"]),
        (r"\left( \frac{1}{2} \right)^2 = \frac{1}{4}", [r"\left( \frac{1}{2} \right)^2 = \frac{1}{4}"]),
    ],
)
def test_formulas(text: str, expected: list[str]) -> None:
    """[REL-FORMULAS]"""
    assert shown_chains(text) == expected


@given(st.text(alphabet="$\\()[]{}=<>+-*/0123456789 abx.,;&%\n", max_size=120))
@settings(max_examples=400, deadline=None)
def test_any_text_is_read(text: str) -> None:
    """[REL-FIND] Nothing raises, and places are in the text."""
    found = find_chains(text)
    for chain in found.chains:
        assert 0 <= chain.start <= chain.end <= len(found.text)
        assert len(chain.sides) == len(chain.links) + 1
    StepRelations([text], NO_CONTEXT).of(0, ())


@pytest.mark.parametrize(
    "unit",
    ["\\[", "$", "\\(x=", "= 1 ", "(", "((1+", "1/2 ", "&= ", "\\text{", "if ", "x = y, ", "1 = 2 = "],
)
def test_long_texts_take_no_time(unit: str) -> None:
    """[REL-FIND] What is repeated would take minutes if it were gone over again each time."""
    text = (unit * 20_000)[:20_000]
    StepRelations([text], NO_CONTEXT).of(0, ())
    assert not find_chains("1 = 1 " * 4_000).chains


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5 * 3 = 15", ["true"]),
        ("5 * 3 = 16", ["false"]),
        ("10 / 3 = 3.33", ["rounded"]),
        ("10 / 3 = 3", ["rounded"]),
        ("10 / 3 = 4", ["rounded"]),
        ("10 / 3 = 5", ["false"]),
        ("0.2 * 100 = 20%", ["true"]),
        ("50 * 20% = 9", ["false"]),
        ("48 = 100% + 20%", ["unclear"]),
        ("5 quarters = 5 * 25 = 125 cents", ["unclear", "true"]),
        ("12 inches = 1 foot", ["true"]),
        ("11 inches = 1 foot", ["unclear"]),
        ("1.25 hours = 75 minutes", ["true"]),
        ("1.25 hours = 76 minutes", ["false"]),
        ("90 minutes = 1 hour and 30 minutes", ["unclear"]),
        ("88 stripes / 4 zebras = 22 stripes/zebra", ["true"]),
        ("88 stripes / 4 zebras = 32 stripes/zebra", ["false"]),
        ("3 feet / 12 inches = 4", ["unclear"]),
        ("Yams - 6 yams x $1.5 = $9.0", ["true"]),
        ("Yams - 6 yams x $1.5 = $8.0", ["unclear"]),
        ("Subtracting, we get 6s = 120", ["open"]),
        (r"$\sqrt{81 - 90} = \sqrt{-9}$", ["true"]),
        (r"$\frac{1}{2} \text{ inch} = 20 \text{ miles}$", ["unclear"]),
        ("twice 5 + 3 = 16", ["unclear"]),
        ("15 / 2 = 7 remainder 1", ["rounded"]),
        ("1 = 0", ["unclear"]),
        ("3/2 = 1.50 + 3.00 = 4.50", ["unclear", "true"]),
        (r"$\sqrt{2} \cdot \sqrt{8} = 4$", ["true"]),
        (r"$\sqrt{18} = 3\sqrt{3}$", ["false"]),
        (r"$\sqrt{2} = 1.41$", ["rounded"]),
        (r"$\sin 30^\circ = \frac{1}{2}$", ["true"]),
        (r"$\sin(30) = \frac{1}{2}$", ["unclear"]),
        (r"$\tan^{-1}(-1) = \frac{3\pi}{4}$", ["unclear"]),
        (r"$\binom{6}{2} = 16$", ["false"]),
        (r"$e^2 = 7.389$", ["rounded"]),
        ("e = 16", ["open"]),
        ("5 * 7 ≈ 36", ["rounded"]),
        ("5 * 7 ≈ 40", ["true"]),
        ("5 * 7 ≈ 41", ["false"]),
        ("10 / 3 ≈ 3", ["true"]),
        ("10 / 3 ≈ 8", ["rounded"]),
        ("10 / 3 ≈ 9", ["false"]),
        ("2 / 3 ≈ 0.67", ["true"]),
        ("2 / 3 ≈ 0.66", ["rounded"]),
        ("1234 * 2 ≈ 2500", ["true"]),
        ("1234 * 2 ≈ 2400", ["rounded"]),
        (r"$1 \text{ m}^2 = 10000 \text{ cm}^{2}$", ["true"]),
        (r"$1 \text{ m}^2 = 100 \text{ cm}^2$", ["unclear"]),
        (r"$3 \cdot 4 = 12 \text{ cm}^2$", ["true"]),
        (r"$3 \cdot 4 = 13 \text{ cm}^2$", ["false"]),
        (r"$2^e = 7$", ["open"]),
        (r"$e^2 = 7$", ["false"]),
        (r"$0.333 \cdot 3000 = 1000$", ["rounded"]),
        (r"$0.333 \cdot 3000 = 1010$", ["false"]),
        (r"$0.33 \cdot 3000 = 1000$", ["false"]),
        (r"$0.\overline{3} \cdot 3000 = 1001$", ["false"]),
        ("5 * 7 ≈ 90", ["false"]),
        (r"$\pi \cdot 9801 \approx 30816.4$", ["false"]),
        (r"$\pi \cdot 9801 \approx 30790.75$", ["true"]),
        (r"$\pi \cdot 9801 \approx 31000$", ["true"]),
        (r"$3.14 \cdot 9801 \approx 30790.75$", ["true"]),
        (r"$1 - e^{-1} \approx 0.6421$", ["false"]),
        (r"$18.75 + 21.43 \approx 39.18 \text{ meters}$", ["false"]),
        (r"$\frac{1}{\sin 8^\circ} = \cot 4^\circ + \cot 8^\circ$", ["false"]),
        (r"$\frac{1}{\sin 8^\circ} = \cot 4^\circ - \cot 8^\circ$", ["true"]),
        (r"$1023 / 512 = 1.9999995$", ["false"]),
        (r"$0.333 \cdot 3 = 1$", ["rounded"]),
        (r"$17 \equiv 3 \pmod{7}$", ["true"]),
        (r"$17 \equiv 4 \pmod{7}$", ["false"]),
        (r"$(x+1)^2 = x^2 + 2x + 1$", ["true"]),
        (r"$y = 2(n-1) + n = 2n - 3 + n$", ["open", "false"]),
        (r"$x + 1 = x + 2$", ["false"]),
        ("Total = 5 + 6 = 11", ["open", "true"]),
        ("T(62) + (2-1)*62 = 2015", ["unclear"]),
        (r"$\frac{10}{3} \approx 4$", ["rounded"]),
        (r"$1 \text{ m}^2 = 100 \text{ cm}^2$", ["unclear"]),
        (r"$1 \text{ m}^2 = 10000 \text{ cm}^{2}$", ["true"]),
        ("T(62) = 62 * 63 / 2 = 1954", ["open", "false"]),
    ],
)
def test_truth(text: str, expected: list[str]) -> None:
    """[REL-TRUE] [REL-NUMERIC] [REL-POLYNOMIAL]"""
    found = truths(text)
    assert [each if each != "unread" else "open" for each in found] == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([r"$2x + 4 = 10$.", r"Subtracting, we get $2x = 6$."], ["true"]),
        ([r"$2x + 4 = 10$.", r"Subtracting, we get $2x = 7$."], ["false"]),
        ([r"$2x + 4 = 10$.", r"Now consider another equation, $2x = 7$."], ["open"]),
        ([r"$x + y = 5$.", r"\[ 2x + 2y = 11 \]"], ["false"]),
        ([r"$x = 3$ or $x = 4$.", r"$x = 4$."], ["open"]),
        ([r"If $x = 4$, we are done.", r"Hence $2x = 8$."], ["open"]),
        ([r"$a = 3$.", r"$b = 2a = 6$."], ["open", "true"]),
        ([r"$x^2 = 4$.", r"So $x = 2$."], ["open"]),
        ([r"$x = 2$.", r"So $x^2 = 4$."], ["true"]),
        ([r"\[ -2 + 4a + 8 = 0 \Rightarrow 4a = -10 \]"], ["open", "false"]),
        (["We get 6s + 4 = 124.", "Subtracting, we get 6s = 121."], ["false"]),
        ([r"$(x^2+1)^2 = (x^2+1)(x^2+1) = x^4 + x^2 + 1$"], ["true", "false"]),
        ([r"\begin{align} (x+1)(x+2) &= x^2 + 3x + 2 \\ &= x(x + 3) + 3 \end{align}"], ["true", "false"]),
        ([r"$y = 2x$.", r"$A = x(x + 2) = x^2 + 2$"], ["open", "false"]),
        ([r"$x^2 = x + 1$.", r"$x^3 = x^2 + x = (x + 1) + x = 2x + 1$"], ["true", "true", "true"]),
        ([r"$x + y = 5$ and $xy = 6$.", r"$B = x^3 + y^3 + xy = 35 + y + x + 1$"], ["open", "open"]),
        ([r"\[ A = \frac{s\sqrt{6}}{3} - \frac{s}{\sqrt{3}} = \frac{s\sqrt{6}}{4} \]"], ["open", "false"]),
        (
            [r"It is \[ 19 + 41 = 60 \]", r"We evaluate: \[ \frac{a + b}{2} \] \[ = \frac{77}{60} \]"],
            ["unread"],
        ),
        ([r"\[ \text{Volume} = 6 \cdot 8 = 48 \]", r"\[ \text{Volume for both} = 2 \cdot 48 \]"], ["open"]),
        ([r"- \( m - 27 = 9k \)", r"- \( m - 54 = 9k \)"], ["open"]),
        ([r"$(x + 1)(x - 1) = x^2 - x = x^2 + 1$.", r"Simplifying, $\frac{x^2}{2} = 5$."], ["open"]),
        ([r"$a + b = 4$.", r"$a - b = 2$.", r"Adding them gives $2a = 6$."], ["true"]),
        ([r"$a + b = 4$.", r"$a - b = 2$.", r"So $2a = 7$."], ["open"]),
        ([r"In one case $a + b = 4$.", r"In the other $a + b = 5$.", r"Here $a - b = 3$."], ["open"]),
        ([r"We factor $x^2 - 5x + 6$.", r"By factoring, $x^2 - 5x + 6 = (x - 1)(x - 5)$."], ["false"]),
        ([r"We factor $x^2 - 5x + 6$.", r"By factoring, $x^2 - 5x + 6 = (x - 2)(x - 3)$."], ["true"]),
        ([r"It is $x^2 - 5x + 6$.", r"We factor the equation $x^2 - 5x + 6 = 2x$."], ["open"]),
        ([r"$S_2 = 7.5 \cdot 994$.", "Finally, we calculate:", r"$S_2 = 7458$"], ["false"]),
        ([r"$f(x) = 1 - \sin^2 x$.", r"This simplifies to $f(x) = \sin^2 x$."], ["false"]),
        ([r"$f(x) = 1 - \sin^2 x$.", r"Using the equation, $f(x) = \sin^2 x$."], ["open"]),
        (["Total = 52 + 24 + 44 + 48", "Total = 178"], ["false"]),
        (["Total = 52 + 24", "Total = 76"], ["true"]),
        ([r"\[ OD = \sqrt{8} \]", r"\[ OD = 2\sqrt{2} \]"], ["true"]),
        ([r"\[ OD = \sqrt{8} \]", r"\[ OD = 3\sqrt{2} \]"], ["false"]),
        ([r"\[ x = \frac{1 + \sqrt{5}}{2} \]", r"\[ x = \frac{1 - \sqrt{5}}{2} \]"], ["open"]),
        ([r"\[ P(x) = x(x - 1) \]", r"\[ P(x) = x^2 - 1 \]"], ["false"]),
        (
            [r"$(x - 1)(x + 2) = 4$.", "Expanding and simplifying, we get", r"\[ x^2 + x - 5 = 0 \]"],
            ["false"],
        ),
        ([r"$x^2 y + y = 4$.", "Expanding, we get", r"\[ x^2 y = 4x \]"], ["false"]),
        ([r"$x^2 y + y = 4$.", r"Rearranging, we get $y(x^2 + 1) - 4 = 0$"], ["true"]),
        ([r"$x^2 y + y = 4$.", r"Using this, we simplify it to $x^2 y = 4x$."], ["open"]),
        ([r"$xy = 3$.", r"$x^2 + xy + y^2 = 10$.", r"This simplifies to $x^2 + y^2 = 7$."], ["true"]),
        ([r"\begin{align*} a &= 3 + 4 \\", r"&= 8"], ["false"]),
    ],
)
def test_what_stands_before(texts: list[str], expected: list[str]) -> None:
    """[REL-POLYNOMIAL] [REL-RESTATED]"""
    assert truths(*texts) == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([r"Let $r$ be a root of $x^2 - x - 1$.", r"$A = r^2 + r = 2r + 1$"], ["open", "true"]),
        ([r"The digits are $a$ and $b$.", r"\[ N = 10a + b = ab \]"], ["open", "open"]),
        ([r"$z$ is a complex number.", r"\[ w = z(z + 2) = z^2 + 2 \]"], ["open", "false"]),
        ([r"$A$ and $B$ are matrices.", r"\[ C = (A+B)^2 = A^2 + AB + BA + B^2 \]"], ["open", "open"]),
    ],
)
def test_algebra_is_for_numbers(texts: list[str], expected: list[str]) -> None:
    """[REL-REWRITTEN] Words tell what letters may be."""
    steps = (Step(at, "", None, text) for at, text in enumerate(texts, start=1))
    context = read_solution_steps(Solution(tuple(steps))).context
    assert truths(*texts, context=context) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("601 / 2 = 300", "false"),
        ("10 / 3 = 3.3", "rounded"),
        ("602 / 2 = 301", "true"),
        ("49 * 0.5 = 25", "rounded"),
    ],
)
def test_whole_numbers_are_exact_where_nothing_is_rounded(text: str, expected: str) -> None:
    """[REL-TRUE]"""
    (found,) = StepRelations([text], NO_CONTEXT, is_exact=True).of(0, ())
    assert found.truth == expected


@pytest.mark.parametrize(
    ("problem", "expected"),
    [("Amy has 35 cards.", "refuted"), ("Amy has 35 cards. How many full piles are there?", "unknown")],
)
def test_rounding_is_spoken_of(problem: str, expected: str) -> None:
    """[REL-VERDICT]"""
    assert last_step(problem, "She lays 2 on each pile.", "So 35 / 2 = 17 piles.").verdict == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["So 2 * 3 = 7."], "claimed"),
        (["If $n = 3$, it works."], "supposed"),
        (["For $n = 2$:"], "supposed"),
        (["Let's set $x = x + 1$ here."], "supposed"),
        (["Then $1 + 1 = 3$, which is impossible."], "denied"),
        (["Then $8 + 1 = 10$.", "This is not true."], "denied"),
        (["We cannot have $x = 3$."], "denied"),
        (["Those who do not come are 20 - 5 = 14."], "claimed"),
        (["It is not just 20 - 5 = 15."], "denied"),
        (["The text states that $x = 4$."], "quoted"),
        (["We need to solve $x + 1 = 3$."], "sought"),
        (["The denominator is zero when:", r"\[ x - 2 = 0 \]"], "supposed"),
        (["The denominator is:", r"\[ x - 2 = 0 \]"], "claimed"),
        (["It holds if:", r"\[ x - 2 = 0 \]"], "supposed"),
        (["For $n = 3$, $f(n) = 2 + 2 = 5$."], "claimed"),
    ],
)
def test_standing(texts: list[str], expected: str) -> None:
    """[REL-STANDING]"""
    relations = StepRelations(texts, NO_CONTEXT)
    found = [relations.of(at, range(at)) for at in range(len(texts))]
    last = found[0] if "not true" in texts[-1] else found[-1]
    assert last[-1].standing == expected


# --- against something independent -----------------------------------------------------------------

NUMBERS = st.integers(1, 40)
CALCULATIONS = st.recursive(
    NUMBERS.map(str),
    lambda inner: st.tuples(inner, st.sampled_from([" + ", " - ", " * ", "+", "*"]), inner).map("".join),
    max_leaves=5,
)
FRAMES = st.sampled_from(
    ["{}", "So she has {} apples left.", "In total, he pays ${} for it.", "Thus, the answer is {}, as said."]
)


@given(CALCULATIONS, NUMBERS, FRAMES)
@settings(max_examples=300, deadline=None)
def test_calculations_in_prose_have_the_value_that_python_gives(text: str, off: int, frame: str) -> None:
    """[REL-TRUE] A differential test: true with the right result, false with any other."""
    result = eval_integers(text)
    assert truths(frame.format(f"{text} = {result}")) in (["true"], ["unclear"])
    found = truths(frame.format(f"{text} = {result + off}"))
    assert found == (["unclear"] if text.isdigit() else ["false"])


def eval_integers(text: str) -> int:
    """The value of sums and products, by their own rules."""
    total, sign = 0, 1
    for part in re.split(r"\s*([+-])\s*", text):
        if part in "+-":
            sign = 1 if part == "+" else -1
        else:
            total += sign * math.prod(int(each) for each in part.split("*"))
    return total


POLYNOMIALS = st.recursive(
    st.sampled_from(["x", "y", "2", "3", "5"]),
    lambda inner: st.tuples(inner, st.sampled_from(["+", "-", "\\cdot "]), inner).map(
        lambda each: f"({each[0]}{each[1]}{each[2]})"
    ),
    max_leaves=6,
)


@given(POLYNOMIALS, POLYNOMIALS, st.fractions(-3, 3), st.fractions(-3, 3))
@settings(max_examples=300, deadline=None)
def test_polynomials_agree_with_values(left: str, right: str, x: Fraction, y: Fraction) -> None:
    """[REL-POLYNOMIAL] The difference has the value of the difference, at any point."""
    one, other = read_formula(left), read_formula(right)
    found = difference_of(one, other)
    at = {"x": x, "y": y}
    value = sum(
        coefficient * math.prod((at[name] ** power for name, power in monomial), start=Fraction(1))
        for monomial, coefficient in found.items()
    )
    complex_at = {name: complex(each) for name, each in at.items()}
    expected = approximation(one, complex_at).value - approximation(other, complex_at).value
    assert abs(complex(value) - expected) < 1e-6 * (1 + abs(expected))


@given(POLYNOMIALS, POLYNOMIALS, POLYNOMIALS)
@settings(max_examples=200, deadline=None)
def test_combinations(first: str, second: str, third: str) -> None:
    """[REL-POLYNOMIAL] A sum of multiples is zero where its parts are, if these are zero somewhere."""
    one, other, more = (
        difference_of(read_formula(each), read_formula("0")) for each in (first, second, third)
    )
    mixed = difference_of(read_formula(f"3 \\cdot {first}"), read_formula(f"7 \\cdot {second}"))
    constant = difference_of(read_formula(f"{first} + 1"), read_formula("0"))
    absurd = not is_combination({}, [one, other])
    assert absurd or is_combination(mixed, [one, other])
    assert not is_combination(more, [one, constant])


@given(POLYNOMIALS, POLYNOMIALS, POLYNOMIALS)
@settings(max_examples=200, deadline=None)
def test_factors(first: str, second: str, third: str) -> None:
    """[REL-REWRITTEN] Polynomials divide their products, and nothing of a smaller degree; both share them."""
    one, more = (difference_of(read_formula(each), read_formula("0")) for each in (first, third))
    product = difference_of(read_formula(f"{first} \\cdot {second}"), read_formula("0"))
    assert divides(one, product)
    if variables(one) and product:
        assert share_a_factor(one, product)
        shifted = difference_of(read_formula(f"{first} \\cdot {second}"), read_formula("-7"))
        assert not divides(one, shifted)
    assert share_a_factor(one, more) == share_a_factor(more, one)


@given(
    st.lists(st.integers(-5, 5), min_size=2, max_size=4), st.lists(st.integers(-5, 5), min_size=2, max_size=4)
)
@settings(max_examples=200, deadline=None)
def test_equations_clash_only_where_they_have_no_common_root(first: list[int], second: list[int]) -> None:
    """[REL-POLYNOMIAL] Products of linear factors: their roots are known."""
    made = ["".join(f"(x - ({root}))" for root in roots) for roots in (first, second)]
    one, other = (difference_of(read_formula(each), read_formula("0")) for each in made)
    assert clash(one, other) == set(first).isdisjoint(second)
    if follows(one, other):
        assert set(first) <= set(second)
    assert variables(one) == {"x"}


@pytest.mark.parametrize("text", ["x^{200}", "(x+y+z)^{24}(x-y-z)^{24}", "\\frac{1}{x - x}"])
def test_large_expressions_are_refused(text: str) -> None:
    with pytest.raises(NotRational):
        difference_of(read_formula(text), read_formula(f"{text} + \\frac{{1}}{{0}}"))


@pytest.mark.parametrize(
    "text", ["10^{10^{10}}", "\\frac{1}{0}", "0^0", "x", "1000000!", "\\lfloor \\sqrt{-1} \\rfloor"]
)
def test_what_has_no_value(text: str) -> None:
    """[REL-NUMERIC]"""
    with pytest.raises(NotNumeric):
        approximation(read_formula(text))


def test_values_agree_but_for_the_error_of_doubles() -> None:
    """[REL-NUMERIC]"""
    left, right = (approximation(read_formula(each)) for each in (r"\sqrt{50}", r"5\sqrt{2}"))
    assert are_near(left, right)
    assert not are_near(left, approximation(read_formula("7.0711")))


# --- verdicts ----------------------------------------------------------------------------------------


def last_step(*nodes: str, problem: str | None = None) -> StepResult:
    """The result on the last step, which rests on all before."""
    steps = [
        Step(at, "It follows.", tuple(range(1, at)) or None, node) for at, node in enumerate(nodes, start=1)
    ]
    return check_steps(Solution(tuple(steps), problem=problem)).steps[-1]


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        (["Janet has 16 eggs, eats 3 and bakes 4.", "Janet sells 16 - 3 - 4 = 9 duck eggs a day."], "proved"),
        (["Janet has 16 eggs.", "Janet sells 16 - 3 - 4 = 8 duck eggs a day."], "refuted"),
        (["Peaches cost $0.75 each.", "Four peaches cost 6 x $0.75 = $4.50."], "not entailed"),
        (
            ["Toys are cars for $12, bears for $5 and games for $30.", "The total cost is $12 + $5 = $17."],
            "not entailed",
        ),
        (["$n = 1$.", "For $n = 2$:"], "not checkable"),
        (["$a + b = 3$ and $ab = 2$.", "This yields $(a, b) = (1, 2)$ and $(a, b) = (2, 1)$."], "proved"),
        (["$x = 3$ or $x = 4$.", "$x = 4$."], "not entailed"),
        (["$6! = 720$.", "Next, we calculate $4!$."], "not checkable"),
        (["$x = 3$.", "However, the solution in the text states that $x = 4$."], "not checkable"),
        (["There are 10 boys.", "A third of them, 10 / 3 = 3.33, are here."], "not entailed"),
        (["Work modulo 12 throughout.", "So 7 + 8 = 3."], "unknown"),
    ],
)
def test_verdicts(nodes: list[str], expected: str) -> None:
    """[REL-VERDICT] [REL-FITS]"""
    assert last_step(*nodes).verdict == expected


def test_what_does_not_meet_a_condition_is_not_refuted() -> None:
    """[REL-VERDICT]"""
    found = last_step("$N = 61$.", "This value exceeds the condition that $N < 50$.")
    assert found.verdict != "refuted"


def test_three_questions() -> None:
    """[REL-QUESTIONS] [REL-CLAIMS]"""
    wrong = last_step("There are 5 bags of 4.", "So 5 * 4 = 21 apples.")
    assert (wrong.true, wrong.follows, wrong.fits) == (False, False, None)
    (relation,) = wrong.relations
    assert (relation.text, relation.standing, relation.truth) == ("5 * 4 = 21", "claimed", "false")
    right = last_step("There are 5 bags of 4.", "So 5 * 4 = 20 apples.")
    assert (right.true, right.follows, right.fits) == (True, True, True)
    other = last_step("There are 5 bags of 4.", "So 9 * 4 = 36 apples.")
    assert (other.true, other.follows, other.fits) == (True, None, False)
    assert str(RelationTruth.TRUE) == "true"


def test_a_step_that_rests_on_everything_may_be_about_another_case() -> None:
    """[REL-VERDICT]"""
    said = ["We look for integers.", "There are two cases.", "We take them one by one.", "It is not hard."]
    assert last_step("$x = 3$.", "Hence $x = 4$.").verdict == "refuted"
    assert (
        last_step(*said, "$x = 3$.", "It remains to look on.", "And so on.", "Hence $x = 4$.").verdict
        == "unknown"
    )


def test_numbers_without_a_problem() -> None:
    """Where the problem is not known no number is from nowhere ([REL-FITS])."""
    said = [
        "She has 3 bags with 6 apples each, so there are 3 * 6 = 18 apples.",
        "She eats 5 of them, so 18 - 5 = 13 are left.",
    ]
    steps = tuple(Step(at, "", (at - 1,) if at > 1 else None, node) for at, node in enumerate(said, 1))
    alone, told = (
        check_steps(Solution(steps, problem=problem)).steps[1]
        for problem in (None, "She has 3 bags with 6 apples each. How many are left?")
    )
    assert (alone.verdict, alone.fits) == (StepVerdict.PROVED, None)
    assert (told.verdict, told.fits) == (StepVerdict.NOT_ENTAILED, False)


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Third, $x + y = 8$.", StepVerdict.UNKNOWN),
        ("(b) $x + y = 8$.", StepVerdict.UNKNOWN),
        ("So $x + y = 8$.", StepVerdict.REFUTED),
    ],
)
def test_items_of_a_list_of_cases(said: str, verdict: StepVerdict) -> None:
    """Solvers do not refute what may be another case ([REL-VERDICT])."""
    given = ("$x + 2y = 9$.", "$x - y = 0$.")
    steps = [Step(at, "", None, node) for at, node in enumerate(given, 1)]
    found = check_steps(Solution((*steps, Step(3, "", (1, 2), said)))).steps[-1]
    assert found.verdict is verdict
