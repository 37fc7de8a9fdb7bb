"""Steps of school and competition problems: what a word leaves open is neither proved nor refuted."""

from __future__ import annotations

import pytest
from dagmath_support import judged_lines

from potlang.languages.dagmath.results import StepVerdict

P, R = StepVerdict.PROVED, StepVerdict.REFUTED
Said = tuple[str, StepVerdict | None]
"""A node, and its verdict; None: neither proved nor refuted."""
CASES: dict[str, tuple[tuple[str, ...], list[Said]]] = {
    "a number that belongs to what was given": (
        ("$S = 55$.",),
        [
            ("The last term of $S$ is $10$.", None),
            ("The number of terms is $55$.", None),
            ("The sum is $55$.", None),
            ("The product is $55$.", None),
            ("The left side is $54$.", None),
            ("The x-value is $55$.", None),
            ("The value of $S$ is $55$.", P),
            ("The value of $S$ is $54$.", R),
            ("The answer is $54$.", R),
        ],
    ),
    "terms of a sequence": (
        ("$a_1 = 3$.",),
        [
            ("The next term is $7$.", None),
            ("The last term is $19$.", None),
            ("The constant term is $2$.", None),
            ("$a_1 + 4 = 7$.", P),
        ],
    ),
    "names of values that are worked out": (
        ("The number of animals is $12 + 8$.",),
        [("The sum is $20$.", P), ("The product is $20$.", None), ("The total is $20$.", P)],
    ),
    "parts of a number": (
        ("$x = 1$.",),
        [
            (r"$5$ of $20$ is $\frac14$.", None),
            (r"$20\%$ of $50$ is $10$.", P),
            (r"$\frac14$ of $20$ is $6$.", R),
            (r"$2/3 = 67\%$.", None),
            (r"$2/3 = 76\%$.", R),
        ],
    ),
    "times of a day, and ratios of three": (
        ("$x = 1$.",),
        [("$12:30:00 + 1:2:3 = 5$.", None), ("$2:3:4 = 4:6:8$.", P), ("$2:3:4 = 4:6:9$.", R)],
    ),
    "another time": (
        (r"John's age is $2 \cdot 5$.",),
        [
            ("John's age is $11$.", R),
            ("Five years ago, John's age was $5$.", None),
            ("John's age was $5$.", None),
            ("Later, John's age is $15$.", None),
        ],
    ),
    "what units measure": (
        ("$x = 1$.",),
        [
            (r"$8 \text{ cm} \cdot 3 \text{ cm} = 24 \text{ cm}^2$.", P),
            (r"$8 \text{ cm} \cdot 3 \text{ cm} = 24 \text{ cm}$.", None),
            (r"$24 \text{ cm}^2 = 24 \text{ cm}$.", None),
            (r"$\frac{60 \text{ km}}{2 \text{ h}} = 30 \text{ km}$.", None),
            (r"$\frac{60 \text{ km}}{2 \text{ h}} = 30 \text{ km/h}$.", P),
            (r"$5 \text{ min} = 300 \text{ s}$.", P),
            (r"$3 \text{ hours} \times \$10/\text{hour} = \$30$.", None),
            (r"$50^\circ + 40^\circ = 90^\circ$.", P),
        ],
    ),
    "something is said of a variable": (
        ("$3x + 5 = 20$.",),
        [
            ("$x$ is an integer.", None),
            ("We now have $x$.", None),
            ("$x = 5$ satisfies the equation.", None),
            ("$5$ is the answer.", P),
            ("The value of $3x$ is $15$.", P),
            ("$x$ equals $6$.", R),
        ],
    ),
    "several values of several things": (
        ("$x + (x + 4) = 20$.",),
        [
            ("The numbers are $8$ and $12$.", None),
            ("The ages are $8$ and $30$.", None),
            ("The solutions are $8$ and $12$.", P),
            ("$x$ is $8$.", P),
        ],
    ),
    "one statement beside another": (
        ("$x = 3$.",),
        [
            ("$y = 100$ at $x = 3$.", None),
            ("$y = 100$ for $x = 3$.", None),
            ("$x = 4$ satisfies $x = 3$.", None),
            ("$x = 4$ is equivalent to $x = 3$.", R),
            ("$2x = 6$ is equivalent to $x = 3$.", P),
            ("Let $y = 2x$. Then $y = 100$.", None),
            ("$y = 100$. So $x = 3$.", None),
            ("The equation $2x = 6$ becomes $x = 3$.", P),
            ("$2x = 6$, so $x = 3$.", P),
        ],
    ),
    "what is done to a number": (
        ("$x = 3$.",),
        [
            ("$9$ is $3$ squared.", None),
            ("The quotient of $17$ and $5$ is $3$.", None),
            ("Dividing $17$ by $5$ gives $3$.", None),
            ("Dividing $15$ by $5$ gives $4$.", R),
            ("Rounding to the nearest integer, $3.6$ is $4$.", None),
            (r"$x \cdot x$", None),
            ("$3 + 4$", None),
            ("$5 - 2$", P),
            (r"\boxed{4}", R),
            ("It is $3$, $4$ and $5$.", None),
        ],
    ),
    "what a parent that is not read may be about": (
        ("There are $3$ red and $5$ blue balls.", "The total is $3 + 5 = 8$."),
        [(r"The answer is $\frac38$.", None), ("The total is $8$.", P), ("$3 + 5 = 9$.", R)],
    ),
    "what is calculated anew": (
        (r"The area of the garden is $6 \cdot 4$.",),
        [
            ("The area of the garden is $24$.", P),
            ("The area of the garden is $25$.", R),
            ("The area of the garden is $24 + 6 = 30$.", None),
            ("The area of the garden is $24 + 6 = 31$.", R),
            ("The area of the garden is $A = 24$.", P),
            ("Half the area of the garden is $12$.", None),
        ],
    ),
    "a range of prices": (
        ("The price is $5-$10.", r"The cost is \$3 - \$4."),
        [("The price is $7.", None), ("The cost is $-1$.", None)],
    ),
    "what is put in": (
        ("$x = 3$.",),
        [
            ("$2x$ gives $6$.", None),
            ("Evaluating $2x$ gives $6$.", P),
            ("Evaluating $2x$ gives $7$.", R),
            ("Evaluating at $x = 3$ gives $7$.", None),
            ("Substituting $x = 3$ into $2x$ gives $6$.", None),
            ("Substituting gives $7$.", None),
            ("Substituting $x = 3$ into the formula, the result is $7$.", None),
            ("At $x = 4$, $2x = 8$.", P),
        ],
    ),
    "conventions": (
        ("$x = 1$.",),
        [
            ("$0^0 = 1$.", None),
            (r"$0 \in \mathbb{N}$.", None),
            (r"$-1 \in \mathbb{N}$.", R),
            (r"$y < \pm 3$.", None),
            ("$x^0 = 1$.", P),
        ],
    ),
    "signs of inequalities": (
        ("$-2x > 6$.",),
        [("$x < -3$.", P), ("Dividing by $-2$ gives $x > -3$.", R), (r"$x \le -3$.", P)],
    ),
    "values that are sorted out": (
        ("$|x - 2| = 5$ and $x > 0$.",),
        [
            ("$x = 7$ or $x = -3$.", P),
            ("Since $x > 0$, $x = 7$.", P),
            ("$x = -3$.", R),
            ("The other root is $-3$.", None),
            ("When $x < 2$, $x = -3$.", P),
        ],
    ),
    "functions and their differences": (
        ("$f(x) = x^2 + 1$.",),
        [
            ("$f(2) = 5$.", P),
            ("$f(2) = 6$.", R),
            (r"$\frac{f(x+h)-f(x)}{h} = 2x + h$.", P),
            ("$f(x) = (x+1)^2$.", None),
            ("The value is $5$.", None),
        ],
    ),
    "whole numbers": (
        ("Let $k$ be an integer.", "Let $n$ be an integer.", "$n = 3k + 2$."),
        [
            (r"$n^2 \equiv 1 \pmod 3$.", P),
            (r"$n^2 \equiv 2 \pmod 3$.", R),
            (r"$\lfloor n/3 \rfloor = k$.", P),
            (r"$\lceil n/3 \rceil = k$.", R),
            ("$n > 0$.", None),
        ],
    ),
    "ratios": (
        ("The ratio of boys to girls is $2:3$.",),
        [
            ("The ratio of girls to boys is $3:2$.", P),
            ("The ratio of girls to boys is $2:3$.", R),
            ("The ratio of boys to students is $2:5$.", None),
        ],
    ),
    "calculators and prices": (
        ("$r = 3$.",),
        [
            ("The cost is 8*5=<<8*5=40>>40 dollars.", P),
            ("The cost is 8*5=$<<8*5=40>>41.", R),
            (r"\$5 - \$4.50 = \$0.50", P),
            ("$5 + $6 = $12.", R),
            ("The total is $1,000 + $500 = $1,500.", P),
            ("The change is $5 + $r.", None),
            ("The price is $5 - $10.", None),
            ("$r=3$ and $2r = 6$.", P),
            ("8 x 5 = 40", P),
            ("The area is $8 x 5 = 41$.", R),
            ("30% x 50 = 15", P),
            ("4 x = 12", None),
            ("The board is 8 x 5.", None),
        ],
    ),
    "what is rounded": (
        ("$r = 3$.",),
        [
            (r"$\frac{22}{7} \approx 3.14$.", P),
            (r"$\frac{22}{7} \approx 3.10$.", None),
            (r"$\frac23 \approx 0.66$.", None),
            (r"$\frac23 ≈ 66.7\%$.", P),
            (r"$A = \pi r^2 \approx 28.27 \text{ cm}$.", P),
            (r"$A = \pi r^2 \approx 29$.", None),
            (r"$\sqrt{2} \approx 1.5$.", None),
            (r"$2 + 2 = 5 \approx 5.0$.", R),
        ],
    ),
    "prices that change": (
        ("The price is $100 - 20 = 80$.",),
        [
            ("With tax, the price is $88$.", None),
            ("The price was $100$.", None),
            ("The price becomes $96$.", None),
            (r"The new price is $80 \cdot 1.2 = 96$.", P),
            (r"The new price is $80 \cdot 12 = 96$.", R),
        ],
    ),
}


@pytest.mark.parametrize("title", CASES)
def test_problems(title: str) -> None:
    """A verdict on each is what a careful reader gives ([STEP-WORDS], [STEP-UNAMBIGUOUS], [STEP-SOUND])."""
    given, said = CASES[title]
    lines = [("It follows.", node, verdict) for node, verdict in said]
    assert judged_lines(given, lines) == lines
