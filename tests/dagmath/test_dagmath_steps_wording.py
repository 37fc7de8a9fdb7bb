"""Steps as language models write them: none is proved that does not follow, none refuted that may hold."""

from __future__ import annotations

import pytest
from dagmath_support import Line, judged_lines

from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.results import StepVerdict
from potlang.languages.dagmath.solve.checking import check_steps

PROVED, REFUTED = StepVerdict.PROVED, StepVerdict.REFUTED
FOLLOWS = "It follows from Step 1."
CASES: dict[str, tuple[str, list[Line]]] = {
    "the value of the unknown": (
        "$x + 3 = 7$.",
        [
            (FOLLOWS, r"The final answer is $\boxed{4}$.", PROVED),
            (FOLLOWS, "The solution is $4$.", PROVED),
            (FOLLOWS, "Solving gives $4$.", PROVED),
            (FOLLOWS, r"The final answer is $\boxed{5}$.", None),
        ],
    ),
    "a value on the left": (
        "$4 = x$.",
        [
            (FOLLOWS, r"The final answer is $\boxed{4}$.", PROVED),
            (FOLLOWS, r"The final answer is $\boxed{5}$.", REFUTED),
        ],
    ),
    "the values of the unknown": (
        "$x^2 - 5x + 6 = 0$.",
        [
            (FOLLOWS, "The solutions are $2$ and $3$.", PROVED),
            (FOLLOWS, "The roots are $2$ and $3$.", PROVED),
            (FOLLOWS, r"The final answer is \boxed{2, 3}.", PROVED),
            (FOLLOWS, r"The final answer is \boxed{2}.", None),
            (FOLLOWS, "The sum of the roots is $5$.", None),
            (FOLLOWS, "The number of solutions is $2$.", None),
        ],
    ),
    "something is done to a value": (
        "$x = 5$.",
        [
            (FOLLOWS, "Doubling gives $10$.", None),
            (FOLLOWS, "Doubling gives $5$.", None),
            (FOLLOWS, "Adding $3$ gives $8$.", None),
            (FOLLOWS, "Squaring both sides gives $25$.", None),
            (FOLLOWS, "Taking the square root gives $2$.", None),
            ("We multiply by 2.", "The result is $10$.", None),
            ("Square the value of Step 1.", "This is $25$.", None),
            (FOLLOWS, r"The final answer is $\boxed{6}$.", REFUTED),
        ],
    ),
    "something is done to an expression": (
        "The perimeter is $2l + 2w$.",
        [
            (FOLLOWS, "Simplifying gives $2lw$.", REFUTED),
            ("Add 3 to the perimeter.", "The result is $2l + 2w + 3$.", None),
            (FOLLOWS, "Doubling gives $4l + 4w$.", None),
        ],
    ),
    "what a phrase names may change": (
        "The number of apples is $10$.",
        [
            (FOLLOWS, "He eats $3$ apples, so the number of apples is $7$.", None),
            (FOLLOWS, "The number of apples is $7$.", None),
            (FOLLOWS, "The new number of apples is $10 - 3 = 7$.", PROVED),
            (FOLLOWS, "The new number of apples is $10 - 3 = 6$.", REFUTED),
        ],
    ),
    "other ones of a total": (
        "The total is $12 + 8 = 20$.",
        [
            (FOLLOWS, "Half of them are girls, so the answer is $10$.", None),
            (FOLLOWS, r"The final answer is $\boxed{21}$.", REFUTED),
        ],
    ),
    "powers of units": (
        "$x = 1$.",
        [
            (FOLLOWS, r"$1 \text{ m}^2 = 10000 \text{ cm}^2$.", PROVED),
            (FOLLOWS, r"$1 \text{ m}^2 = 100 \text{ cm}^2$.", REFUTED),
            (FOLLOWS, r"$36 \text{ km/h} = 10 \text{ m/s}$.", PROVED),
            (FOLLOWS, r"$36 \text{ km/h} = 36 \text{ m/s}$.", REFUTED),
            (FOLLOWS, r"$3 \text{ ft} = 1 \text{ yard}$.", PROVED),
            (FOLLOWS, r"$5 \text{ miles} = 8 \text{ km}$.", None),
        ],
    ),
    "numbers without units beside others": (
        "$x = 1$.",
        [
            (FOLLOWS, r"$3 \text{ m} + 20 \text{ cm} = 23$.", None),
            (FOLLOWS, r"$1 \text{ hour} = 60$.", None),
            (FOLLOWS, r"$1 \text{ dozen} = 12$.", None),
            (FOLLOWS, r"$5 \text{ thousand} = 5000$.", None),
            (FOLLOWS, r"$2 \text{ hours} \times 60 = 120 \text{ minutes}$.", None),
            (FOLLOWS, r"$2 \text{ hours} \times 60 \text{ minutes/hour} = 120 \text{ minutes}$.", PROVED),
            (FOLLOWS, r"$5 + 3 = 9 \text{ apples}$.", REFUTED),
        ],
    ),
    "a unit that is left out": ("$t = 2$ hours.", [(FOLLOWS, "In minutes, $t = 120$.", None)]),
    "percent": (
        "$r = 15\\%$.",
        [
            (FOLLOWS, "$r = 0.15$.", PROVED),
            (FOLLOWS, "$r = 15$.", None),
            (FOLLOWS, r"$\frac{12}{80} = 15$%.", PROVED),
            (FOLLOWS, r"$\frac{12}{80} \times 100 = 15\%$.", None),
            (FOLLOWS, r"$100 - 20 = 80\%$.", None),
            (FOLLOWS, r"$100 - 20 = 70\%$.", REFUTED),
        ],
    ),
    "operations in words": (
        "$x = 1$.",
        [
            (FOLLOWS, "Half of $10$ is $5$.", PROVED),
            (FOLLOWS, "Half of $10$ is $6$.", REFUTED),
            (FOLLOWS, "Adding $3$ and $4$ gives $7$.", PROVED),
            (FOLLOWS, "Subtracting $3$ from $10$ gives $8$.", REFUTED),
            (FOLLOWS, "$5!! = 15$.", None),
            (FOLLOWS, r"$\frac{10}{3}$ ≈ $4$.", None),
        ],
    ),
    "two ways of reading": (
        "$x = 1$.",
        [
            (FOLLOWS, r"$-7 \bmod 3 = 2$.", None),
            (FOLLOWS, r"$-7 \bmod 3 = -1$.", None),
            (FOLLOWS, r"$17 + 5 \bmod 7 = 1$.", None),
            (FOLLOWS, r"$(17 + 5) \bmod 7 = 1$.", PROVED),
            (FOLLOWS, r"$3 \cdot 5 \bmod 7 = 1$.", PROVED),
            (FOLLOWS, r"$\sqrt{25} = \pm 5$.", None),
        ],
    ),
    "an imaginary unit elsewhere": (
        "$x^2 + 1 = 0$.",
        [(FOLLOWS, r"$x = \pm i$.", None), (FOLLOWS, "$x^2 = -1$.", PROVED)],
    ),
}


@pytest.mark.parametrize("title", CASES)
def test_wordings(title: str) -> None:
    """[STEP-SENTENCES] A verdict on each is what a careful reader gives ([STEP-UNAMBIGUOUS], [STEP-SOUND],
    [STEP-UNITS]).
    """
    given, lines = CASES[title]
    assert judged_lines((given,), lines) == lines


@pytest.mark.parametrize(
    "second", ["the width of the garden", "a very long phrase of many words that is not read"]
)
def test_a_letter_with_another_meaning(second: str) -> None:
    """A variable that is introduced again is another one from there on ([STEP-DEFINITIONS])."""
    steps = (
        Step(1, "", None, "Let $x$ be the number of apples."),
        Step(2, "", None, "$x = 3$."),
        Step(3, "", None, f"Now let $x$ be {second}."),
        Step(4, "", None, "$x = 5$."),
        Step(5, "", (4,), "$2x = 10$."),
        Step(6, "", (2,), "$2x = 6$."),
        Step(7, "", (2, 4), "$x = 7$."),
    )
    report = check_steps(Solution(steps))
    assert [each.verdict for each in report.steps[4:]] == [PROVED, *[StepVerdict.NOT_CHECKABLE] * 2]
    assert report.contradiction == ()
