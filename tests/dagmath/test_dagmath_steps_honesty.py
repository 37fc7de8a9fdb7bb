"""Right steps whose wording invites a wrong reading: none of them may be refuted ([STEP-UNAMBIGUOUS])."""

from __future__ import annotations

import pytest

from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.results import StepVerdict
from potlang.languages.dagmath.solve.checking import check_steps

RIGHT: dict[str, list[tuple[tuple[int, ...] | None, str]]] = {
    "segments are no products": [
        (None, "$AD = 4$."),
        (None, "$DE = 16$."),
        (None, "$EB = 8$."),
        ((1, 2, 3), "$AB = AD + DE + EB = 28$."),
    ],
    "a derivative is no quotient": [
        (None, "$y = x^2$."),
        ((1,), r"Differentiating gives $\frac{dy}{dx} = 2x$."),
        ((1,), "So $dy/dx = 2x$."),
    ],
    "a quantity may change": [
        (None, "The number of apples is $10$."),
        (None, "The number of apples eaten is $3$."),
        ((1, 2), "So the number of apples is $10 - 3 = 7$."),
    ],
    "what remains changes": [
        (None, "The remaining amount is $20$."),
        ((1,), "The remaining amount is $15$."),
    ],
    "alternatives joined by and": [
        (None, "$x^2 = 5x - 6$."),
        ((1,), "The solutions are $x = 2$ and $x = 3$."),
        ((1,), "The roots are $x = 2, x = 3$."),
        ((1,), "So $x$ is either $2$ or $3$."),
    ],
    "rounding": [
        ((), r"$\frac{1}{3} = 0.333$."),
        ((), r"$\sqrt{2} = 1.414$."),
        (None, "$x^2 = 2$."),
        (None, "$x > 0$."),
        ((3, 4), "$x = 1.41$."),
    ],
    "units": [
        ((), r"$1 \text{ hour} = 60 \text{ minutes}$."),
        ((), "$1$ hour is $60$ minutes."),
        (None, "The trip takes $t = 2$ hours."),
        ((3,), "So $t = 120$ minutes."),
        ((), r"$5 \text{ km} = 5000 \text{ m}$."),
        ((), r"$180^\circ = \pi$."),
        ((), r"$1 \text{ dozen} = 12 \text{ eggs}$."),
    ],
    "the order of a ratio": [
        (None, "The ratio of the boys to the girls is $2:3$."),
        ((1,), "The ratio of the girls to the boys is $3:2$."),
    ],
    "intervals and thousands": [
        (None, r"$k \in [1,300]$."),
        ((1,), r"$k \le 300$."),
        ((1,), r"$k \ge 1$."),
        ((), "$1,000 + 200 = 1,200$."),
    ],
    "a value of a function": [
        (None, "$P(0) = 1$."),
        (None, "$P(1) = 3$."),
        ((1, 2), "$P(0) + P(1) = 4$."),
        (None, "$y(0) = 5$."),
        ((4,), "$y(0) + 1 = 6$."),
        (None, "$n(A) = 5$."),
        (None, r"$f(x) = x^2$."),
        ((7,), "$f(3) = 9$."),
        ((7,), "$f'(x) = 2x$."),
        ((7,), "$f^{-1}(4) = 2$."),
    ],
    "an equation about a function defines nothing": [
        (None, "$f(x) = x^2 + 1$."),
        (None, "$f(a) = 5$."),
        ((1, 2), "$a^2 = 4$."),
        ((1,), "$f(0) = 1$."),
    ],
    "an imaginary unit": [
        (None, "$i^2 = -1$."),
        ((1,), "$i^4 = 1$."),
        ((1,), "$(1 + i)^2 = 2i$."),
        ((1,), "$(1+i)(1-i) = 2$."),
    ],
    "cases": [
        (None, "Case 1: $x = 2$."),
        (None, "Case 2: $x = 3$."),
        ((1, 2), "Hence $x = 2$ or $x = 3$."),
    ],
    "a negated word": [
        (None, "$x^2 = 9$."),
        (None, "$x > 0$."),
        ((2,), "Hence $x = -3$ is not possible."),
        ((2,), "So we reject $x = -3$."),
        ((1, 2), "The extraneous root is $x = -3$."),
    ],
    "a sloppy subject": [
        (None, "$x + y = 10$."),
        (None, "$x - y = 4$."),
        ((1, 2), "$x$ is $4$ more than $y$."),
        ((1, 2), "$x$ exceeds $3$."),
        ((1, 2), "Twice $x$ is $14$."),
        ((1, 2), "The sum of $x$ and $y$ is $10$."),
        ((1, 2), "The difference between $x$ and $y$ is $4$."),
        ((1, 2), "$x$ and $y$ are $7$ and $3$, respectively."),
        ((1, 2), "The average of $x$ and $y$ is $5$."),
        ((1, 2), "The larger number is $7$."),
    ],
    "a midpoint": [(None, "$M$ is the midpoint of $AB$."), ((1,), "$M$ is the centre of $AB$.")],
    "sets": [
        (None, r"$A = \{1, 2, 3\}$."),
        ((1,), "$|A| = 3$."),
        (None, "$(x, y) = (3, 4)$."),
        ((3,), "$x + y = 7$."),
    ],
    "numbers of two digits": [
        (None, "The number $AB$ satisfies $AB = 10A + B$."),
        (None, "$A = 2$."),
        (None, "$B = 3$."),
        ((1, 2, 3), "$AB = 23$."),
    ],
    "pairs of values": [
        (None, "$x + y = 5$."),
        (None, "$xy = 6$."),
        ((1, 2), "$x = 2, y = 3$ or $x = 3, y = 2$."),
        ((1, 2), r"$(x, y) = (2, 3)$ or $(x, y) = (3, 2)$."),
    ],
    "an existential variable": [
        (None, r"Let $n$ be an even integer."),
        ((1,), "$n = 2k$ for some integer $k$."),
    ],
    "two pronouns": [
        (None, "His age is $5$."),
        (None, "Her age is $7$."),
        ((1, 2), "His age is $5$."),
        ((1, 2), "The sum of his age and her age is $12$."),
    ],
    "comparisons in words": [
        (None, "The length is $5$ more than the width."),
        (None, "The width is $7$."),
        ((1, 2), "The length is $12$."),
    ],
    "a part of a phrase": [
        (None, "The number of balls is $10$."),
        (None, "The number of red balls is $4$."),
        ((1, 2), "The number of blue balls is $6$."),
        ((1,), "The total number of balls is $10$."),
    ],
    "a step that supposes": [
        (None, "$x > 0$."),
        ((1,), "Suppose $x = -1$."),
        ((1,), "If $x = -1$ then $x + 1 = 0$."),
        ((1,), "Assume for contradiction that $x < 0$."),
    ],
    "a base": [((), "In base $2$, $1 + 1 = 10$."), ((), "$101_2 = 5$.")],
    "modular arithmetic": [((), r"$7 + 8 \equiv 3 \pmod{12}$."), ((), r"$7 + 8 = 3 \pmod{12}$.")],
    "hours that are no whole number": [
        (None, "Let $t$ be the number of hours."),
        (None, "$2t = 5$."),
        ((1, 2), r"$t = \frac{5}{2}$."),
    ],
    "rounded coefficients": [
        (None, "The expression is $0.333x + 0.333x + 0.333x$."),
        ((1,), "Simplifying gives $0.999x$."),
        ((1,), "Simplifying gives $1.0x$."),
    ],
    "thousands in words": [
        (None, "The price is $5$ thousand dollars."),
        ((1,), "The price is $5000$ dollars."),
        ((), "Five thousand is $5$ thousand."),
    ],
    "letters that are used again": [
        (None, "The formula for distance is $d = vt$."),
        (None, "The running speed is $5$ km/h."),
        (None, "The running time is $2$ h."),
        ((1, 2, 3), "The running distance is $d = 10$ km."),
        (None, "The cycling speed is $20$ km/h."),
        (None, "The cycling time is $30$ min."),
        ((1, 5, 6), "The cycling distance is $d = 10$ km."),
    ],
    "an unread problem": [
        (None, "Let $x$ be Bob's age."),
        ((1,), "Ann's age is $y = x + 1$."),
        ((2,), "Ann is twice as old, so $y = 2x$."),
    ],
}


@pytest.mark.parametrize("title", RIGHT)
def test_right_steps_are_not_refuted(title: str) -> None:
    """No right step is refuted, whatever its wording ([STEP-UNAMBIGUOUS])."""
    steps = tuple(
        Step(at, "It follows.", parents, node) for at, (parents, node) in enumerate(RIGHT[title], start=1)
    )
    report = check_steps(Solution(steps))
    assert [
        (each.id, each.read, each.reason) for each in report.steps if each.verdict is StepVerdict.REFUTED
    ] == []
    assert report.contradiction == ()


@pytest.mark.parametrize(
    ("problem", "node"),
    [
        ("All numbers are written in base 2. Add.", "$1 + 1 = 10$."),
        ("Work modulo 12 throughout.", "$7 + 8 = 3$."),
        ("Let $A$ and $B$ be matrices.", "$1 = 2$."),
        ("The three digits of a number are $a$, $b$, $c$.", "$2 = 3$."),
    ],
)
def test_signs_that_may_mean_something_else(problem: str, node: str) -> None:
    """Where the problem has other objects than real numbers nothing is refuted ([STEP-UNAMBIGUOUS])."""
    steps = (
        Step(1, "", None, node),
        Step(2, "", (), node),
        Step(3, "", None, "$x = 1$."),
        Step(4, "", (3,), "$x = 2$."),
    )
    report = check_steps(Solution(steps, problem=problem))
    assert all(each.verdict is not StepVerdict.REFUTED for each in report.steps)
    assert check_steps(Solution(steps)).steps[1].verdict is StepVerdict.REFUTED
