"""Seeded chains of steps whose truth is known: right ones, and ones with an error put into one step.

Each step comes with a test of its claim in plain arithmetic, and each chain with values at which its
premises hold. A wrong step fails at all of them, so that whether it is wrong does not rest on what checks it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor, gcd
from typing import Final, TypeAlias

from potlang.languages.dagmath.read.records import Solution, Step

Values: TypeAlias = Mapping[str, Fraction]
Test: TypeAlias = Callable[[Values], bool]


@dataclass(frozen=True, slots=True)
class Made:
    """A step of a chain with the test of what it claims; None of a given expression."""

    step: Step
    holds: Test | None


@dataclass(frozen=True, slots=True)
class Chain:
    """Steps with the values at which what is given holds: all of them, or a sample.

    `wrong` is the id of the step with the error, the last one; None in a right chain. Values at which
    the step with an error would hold are not among `models`.
    """

    kind: str
    made: tuple[Made, ...]
    models: tuple[Values, ...]
    wrong: int | None = None

    @property
    def solution(self) -> Solution:
        """The steps as a solution."""
        return Solution(tuple(made.step for made in self.made), problem_id=self.kind)

    @property
    def derived(self) -> tuple[int, ...]:
        """The ids of the steps that rest on others and are right."""
        ids = [made.step.id for made in self.made if made.step.parents is not None]
        return tuple(each for each in ids if each != self.wrong)

    def is_sound(self) -> bool:
        """Whether all steps hold at all models, and the wrong one at none of them."""
        return bool(self.models) and all(
            made.holds is None or made.holds(model) is (made.step.id != self.wrong)
            for made in self.made
            for model in self.models
        )


def chain(seed: int, *, wrong: bool = False) -> Chain:
    """The chain of a seed; with `wrong`, one that ends in a step with an error."""
    rng = random.Random(f"{seed} {wrong}")
    make = _KINDS[seed % len(_KINDS)]
    while True:
        writer = _Writer(rng, wrong)
        found = make(writer)
        if found.is_sound() and (found.wrong is not None) is wrong:
            return found


@dataclass
class _Writer:
    """Writes the steps of one chain; `error_at` counts down the derived steps to the wrong one."""

    rng: random.Random
    wants_error: bool
    made: list[Made] = field(default_factory=list)
    wrong: int | None = None
    variable: str = ""

    def __post_init__(self) -> None:
        self.variable = self.rng.choice(["x", "y", "n", "t", "k", "z"])
        self.error_at = self.rng.randrange(4) if self.wants_error else -1

    def give(self, node: str, holds: Test | None = None) -> int:
        """A given step; its id."""
        return self._add(node, None, holds)

    def derive(self, parents: Iterable[int], right: tuple[str, Test], slip: tuple[str, Test]) -> int:
        """A step that follows, or its slip where the error is due. Nothing is added after an error."""
        if self.wrong is not None:
            return self.wrong
        is_due = self.error_at == 0
        self.error_at -= 1
        node, holds = slip if is_due else right
        added = self._add(node, tuple(parents), holds)
        if is_due:
            self.wrong = added
        return added

    def _add(self, node: str, parents: tuple[int, ...] | None, holds: Test | None) -> int:
        number = len(self.made) + 1
        edge = (
            "It is given."
            if parents is None
            else "It follows from " + " and ".join(f"Step {p}" for p in parents) + "."
        )
        self.made.append(Made(Step(number, edge, parents, node), holds))
        return number

    def chain(self, kind: str, models: Iterable[Values]) -> Chain:
        """The chain written so far."""
        return Chain(kind, tuple(self.made), tuple(models), self.wrong)

    # --- presentation ---

    def pick(self, *choices: str) -> str:
        """One of several wordings."""
        return self.rng.choice(choices)

    def times(self) -> str:
        """A sign of multiplication."""
        return self.pick(r" \cdot ", r" \times ", "*", r"\cdot ")

    def say(self, formula: str) -> str:
        """A sentence that states a formula derived from others."""
        leads = (
            "Therefore, ", "So ", "Hence, ", "Thus ", "We get ", "This gives ", "We obtain ", "",
            "It follows that ", "Then ", "We have ", "Simplifying, we get ", "This simplifies to ",
            "This means that ", "Consequently, ", "Rearranging gives ",
            "Simplifying both sides yields ", "We conclude that ",
        )  # fmt: skip
        return f"{self.rng.choice(leads)}{self.math(formula)}."

    def math(self, formula: str) -> str:
        """A formula between dollars, or in one of the other ways."""
        left, right = self.rng.choice([("$", "$")] * 6 + [(r"\(", r"\)"), ("$ ", " $"), ("$$", "$$")])
        return f"{left}{formula}{right}"

    def number(self, value: Fraction | int) -> str:
        """A number as LaTeX."""
        value = Fraction(value)
        if value.denominator == 1:
            return str(value.numerator)
        sign, top = ("-" if value < 0 else ""), abs(value.numerator)
        shown = self.pick(r"\frac{%d}{%d}", r"\dfrac{%d}{%d}", "%d/%d", r"{\frac{%d}{%d}}")
        return sign + shown % (top, value.denominator)

    def equation(self, left: str, right: str) -> str:
        """An equation, its sides in any order."""
        space = self.pick(" ", "", r"\; ")
        sides = (left, right) if self.rng.random() < 0.85 else (right, left)
        return f"{sides[0]}{space}={space}{sides[1]}"

    def term(self, factor: Fraction | int, power: str) -> str:
        """A factor times a power, as in `-3x`."""
        if factor == 1:
            return power
        if factor == -1:
            return f"-{power}"
        if Fraction(factor).denominator != 1:
            return self.number(factor) + self.pick(" * ", r" \cdot ") + power
        return self.pick(
            f"{factor}{power}", rf"{factor} \cdot {power}", f"{factor} {power}", f"{factor}*{power}"
        )

    def linear(self, factor: int, constant: int, variable: str | None = None) -> str:
        """`ax + b`, its summands in any order."""
        name = variable or self.variable
        if not factor:
            return str(constant)
        if not constant:
            return self.term(factor, name)
        if self.rng.random() < 0.2 and factor > 0:
            return f"{constant} + {self.term(factor, name)}"
        return f"{self.term(factor, name)} {'+' if constant > 0 else '-'} {abs(constant)}"

    def quadratic(self, b: int, c: int) -> str:
        """`x^2 + bx + c`."""
        shown = self.pick(f"{self.variable}^2", f"{self.variable}^{{2}}")
        for factor, rest in ((b, self.variable), (c, "")):
            if factor:
                size = str(abs(factor)) if not rest else self.term(abs(factor), rest)
                shown += f" {'+' if factor > 0 else '-'} {size}"
        return shown

    def nonzero(self, low: int, high: int) -> int:
        """An integer other than 0."""
        return self.rng.choice([each for each in range(low, high + 1) if each])

    def off(self) -> int:
        """By how much a slip is wrong."""
        return self.rng.choice([-10, -3, -2, -1, 1, 2, 3, 10])

    def final(self, parents: Iterable[int], value: str, slip: str, right: Test, wrong: Test) -> int:
        """The last step, which boxes a value."""
        return self.derive(
            parents,
            (rf"The final answer is $\boxed{{{value}}}$.", right),
            (rf"The final answer is $\boxed{{{slip}}}$.", wrong),
        )


def _linear(w: _Writer) -> Chain:
    """`ax + b = cx + d`, in three steps."""
    x = w.variable
    root = Fraction(w.nonzero(-12, 12), w.rng.choice([1, 1, 1, 2, 3]))
    c, a = w.rng.randint(-6, 6), w.nonzero(-9, 9)
    if a == c:
        a += 1
    b = w.nonzero(-20, 20)
    d = (a - c) * root + b
    scale = d.denominator
    a, b, c, d_ = a * scale, b * scale, c * scale, int(d * scale)
    given = w.give(
        w.pick("We are given the equation ", "The equation is ", "We have ")
        + w.math(w.equation(w.linear(a, b), w.linear(c, d_)))
        + ".",
        lambda v: a * v[x] + b == c * v[x] + d_,
    )
    e, off = d_ - b, w.off()
    one = w.derive(
        [given],
        (w.say(w.equation(w.term(a - c, x), str(e))), lambda v: (a - c) * v[x] == e),
        (w.say(w.equation(w.term(a - c, x), str(e + off))), lambda v: (a - c) * v[x] == e + off),
    )
    bad = root + w.off()
    dividing = f"Dividing both sides by ${a - c}$ gives "
    two = w.derive(
        [one],
        (dividing + w.math(w.equation(x, w.number(root))) + ".", lambda v: v[x] == root),
        (dividing + w.math(w.equation(x, w.number(bad))) + ".", lambda v: v[x] == bad),
    )
    w.final([two], w.number(root), w.number(bad), lambda v: v[x] == root, lambda v: v[x] == bad)
    return w.chain("linear equation", [{x: root}])


def _quadratic(w: _Writer) -> Chain:
    """A quadratic equation, factored and solved."""
    x = w.variable
    p, q = w.rng.randint(-9, 9), w.rng.randint(-9, 9)
    if p == q:
        q += 1
    given = w.give(
        w.pick("The equation is ", "We have ") + w.math(w.quadratic(-p - q, p * q) + " = 0") + ".",
        lambda v: v[x] ** 2 - (p + q) * v[x] + p * q == 0,
    )
    s, t = p + w.off(), q + w.off()

    def factored(one: int, other: int) -> str:
        return w.equation(f"({w.linear(1, -one)})({w.linear(1, -other)})", "0")

    one = w.derive(
        [given],
        (w.pick("Factoring gives ", "Factoring, we get ", "This factors as ") + w.math(factored(p, q)) + ".",
         lambda v: (v[x] - p) * (v[x] - q) == 0),
        ("Factoring gives " + w.math(factored(s, t)) + ".", lambda v: (v[x] - s) * (v[x] - t) == 0),
    )  # fmt: skip

    def roots(one: int, other: int) -> str:
        return w.pick(
            f"So ${x} = {one}$ or ${x} = {other}$.",
            f"The solutions are ${x} = {one}$ and ${x} = {other}$.",
            rf"Hence ${x} = {one} \text{{ or }} {x} = {other}$.",
            rf"Therefore ${x} \in \{{{one}, {other}\}}$.",
            f"By the zero product property, either ${x} = {one}$ or ${x} = {other}$.",
        )

    w.derive(
        [one],
        (roots(p, q), lambda v: v[x] in (p, q)),
        (roots(s, t), lambda v: v[x] in (s, t)),
    )
    return w.chain("quadratic equation", [{x: Fraction(p)}, {x: Fraction(q)}])


def _arithmetic(w: _Writer) -> Chain:
    """A calculation, one operation after the other."""
    a, b, c, d = (w.rng.randint(2, 40) for _ in range(4))
    divisor = w.rng.choice([2, 4, 5, 8])
    what = w.pick(
        "total cost",
        "number of tiles",
        "total weight of the boxes",
        "combined length",
        "final score of the team",
    )
    what = w.pick("total cost", "number of tiles", "total weight of the boxes", "combined length")
    product, quotient = a * b, c
    value = product - quotient + d
    by = w.pick("/", r"\div")
    shown = f"{a}{w.times()}{b} - {c * divisor} {by} {divisor} + {d}"
    first = w.give(f"The {what} is {w.math(shown)}.")
    off = w.off()

    def stated(tail: str) -> str:
        return w.pick(
            f"The {what} is {w.math(tail)}.", f"Simplifying, the {what} equals {w.math(tail)}.",
            f"So the {what} is {w.math(tail)}.", f"This simplifies to {w.math(tail)}.",
            f"Evaluating the products gives {w.math(tail)}.",
        )  # fmt: skip

    one = w.derive(
        [first],
        (stated(f"{product} - {quotient} + {d}"), lambda v: True),
        (stated(f"{product + off} - {quotient} + {d}"), lambda v: product + off == product),
    )
    two = w.derive(
        [one],
        (w.pick(stated(f"{product - quotient} + {d} = {value}"), stated(str(value))), lambda v: True),
        (stated(str(value + off)), lambda v: value + off == value),
    )
    w.final([two], str(value), str(value + off), lambda v: True, lambda v: value + off == value)
    return w.chain("arithmetic", [{}])


def _inequality(w: _Writer) -> Chain:
    """`ax + b < c`, solved."""
    x = w.variable
    a, b, root = w.nonzero(-7, 7), w.nonzero(-15, 15), w.rng.randint(-10, 10)
    c = a * root + b
    strict = w.rng.random() < 0.5
    less: Callable[[Fraction | int, Fraction | int], bool] = (
        (lambda p, q: p < q) if strict else (lambda p, q: p <= q)
    )
    sign, mirrored = ("<", ">") if strict else (w.pick(r"\le", r"\leq", "≤"), w.pick(r"\ge", r"\geq"))
    given = w.give(f"We are given ${w.linear(a, b)} {sign} {c}$.", lambda v: less(a * v[x] + b, c))
    off = abs(w.off())
    one = w.derive(
        [given],
        (w.say(f"{w.term(a, x)} {sign} {c - b}"), lambda v: less(a * v[x], c - b)),
        (w.say(f"{w.term(a, x)} > {c - b + off}"), lambda v: a * v[x] > c - b + off),
    )
    ending = sign if a > 0 else mirrored

    def solved(v: Values) -> bool:
        return less(v[x], root) if a > 0 else less(root, v[x])

    def missed(v: Values) -> bool:
        return v[x] > root + off if a > 0 else v[x] < root - off

    bad = f"{x} > {root + off}" if a > 0 else f"{x} < {root - off}"
    w.derive([one], (w.say(f"{x} {ending} {root}"), solved), (w.say(bad), missed))
    sample = [root + sign_ * Fraction(k, 3) for k in range(0, 60, 7) for sign_ in (1, -1)]
    return w.chain("inequality", [{x: each} for each in sample if less(a * each + b, c)])


def _substitution(w: _Writer) -> Chain:
    """A value put into a formula."""
    x = w.variable
    y = w.rng.choice([name for name in "abpqyxw" if name != x])
    value, a, b, c = w.rng.randint(-9, 12), w.nonzero(-5, 5), w.rng.randint(-8, 8), w.nonzero(-9, 9)
    first = w.give(
        w.pick(f"We know that ${x} = {value}$.", f"The problem states that ${x} = {value}$."),
        lambda v: v[x] == value,
    )
    shown = f"{w.term(a, f'{x}^2')} {'+' if b >= 0 else '-'} {abs(b)}{x} {'+' if c > 0 else '-'} {abs(c)}"
    second = w.give(
        w.pick("The formula gives ", "We have ") + f"${y} = {shown}$.",
        lambda v: v[y] == a * v[x] ** 2 + b * v[x] + c,
    )
    result = a * value**2 + b * value + c
    put = f"{a}({value})^2 + {b}({value}) + {c}".replace("+ -", "- ")
    bad_put = f"{a}({value})^2 + {b}({value}) + {c + 1}".replace("+ -", "- ")
    lead = w.pick(
        f"Substituting ${x} = {value}$ gives ", f"Substituting ${x} = {value}$ into the formula, we get ",
        f"With ${x}$ replaced, we obtain ", f"Plugging in ${x} = {value}$ yields ",
    )  # fmt: skip
    one = w.derive(
        [first, second],
        (f"{lead}${y} = {put}$.", lambda v: v[y] == result),
        (f"{lead}${y} = {bad_put}$.", lambda v: v[y] == result + 1),
    )
    off = w.off()
    two = w.derive(
        [one],
        (w.say(w.equation(y, str(result))), lambda v: v[y] == result),
        (w.say(w.equation(y, str(result + off))), lambda v: v[y] == result + off),
    )
    total = result + value
    sum_ = w.pick(f"{x} + {y}", f"{y} + {x}")
    three = w.derive(
        [first, two],
        (
            w.pick(f"So ${sum_} = {total}$.", f"The sum of ${x}$ and ${y}$ is ${total}$."),
            lambda v: v[x] + v[y] == total,
        ),
        (f"The sum of ${x}$ and ${y}$ is ${total + off}$.", lambda v: v[x] + v[y] == total + off),
    )
    w.final(
        [three],
        str(total),
        str(total + off),
        lambda v: v[x] + v[y] == total,
        lambda v: v[x] + v[y] == total + off,
    )
    return w.chain("substitution", [{x: Fraction(value), y: Fraction(result)}])


def _expansion(w: _Writer) -> Chain:
    """A product of sums, multiplied out and put together."""
    x = w.variable
    a, b, c, d = w.nonzero(1, 5), w.nonzero(-9, 9), w.nonzero(1, 5), w.nonzero(-9, 9)
    first = w.give(
        w.pick("Consider the expression ", "The expression is ", "We need to simplify ")
        + w.math(f"({w.linear(a, b)})({w.linear(c, d)})")
        + "."
    )
    p, q, r, s = a * c, a * d, b * c, b * d

    def four(q_: int) -> str:
        pieces = [
            w.term(p, f"{x}^2"),
            *(f"{'+' if each > 0 else '-'} {w.term(abs(each), x)}" for each in (q_, r)),
        ]
        return " ".join([*pieces, f"{'+' if s > 0 else '-'} {abs(s)}"])

    def three(middle: int) -> str:
        between = f"{'+' if middle > 0 else '-'} {w.term(abs(middle), x)} " if middle else ""
        return f"{w.term(p, f'{x}^2')} {between}{'+' if s > 0 else '-'} {abs(s)}"

    def same(middle: int) -> Test:
        return lambda v: p * v[x] ** 2 + middle * v[x] + s == (a * v[x] + b) * (c * v[x] + d)

    slip = w.nonzero(1, 4)
    expanding = w.pick(
        "Expanding gives ", "Distributing, we get ", "Multiplying out yields ", "This expands to "
    )
    one = w.derive(
        [first],
        (f"{expanding}${four(q)}$.", same(q + r)),
        (f"{expanding}${four(abs(q) + slip)}$.", same(abs(q) + slip + r)),
    )
    combining = w.pick("Combining like terms gives ", "This simplifies to ", "Collecting terms, we obtain ")
    two = w.derive(
        [one],
        (f"{combining}${three(q + r)}$.", same(q + r)),
        (f"{combining}${three(q + r + slip)}$.", same(q + r + slip)),
    )
    w.final([two], three(q + r), three(q + r - slip), same(q + r), same(q + r - slip))
    return w.chain("expansion", [{x: Fraction(each, 3)} for each in (-11, -4, 2, 7, 25)])


def _system(w: _Writer) -> Chain:
    """Two linear equations, added and solved."""
    x, y = w.rng.choice([("x", "y"), ("a", "b"), ("p", "q"), ("m", "n")])
    u, v_ = w.rng.randint(-9, 9), w.rng.randint(-9, 9)
    a, b, c = w.nonzero(1, 6), w.nonzero(1, 5), w.nonzero(1, 6)
    first = w.give(f"The first equation is ${w.linear(a, 0, x)} + {w.linear(b, 0, y)} = {a * u + b * v_}$.",
                   lambda v: a * v[x] + b * v[y] == a * u + b * v_)  # fmt: skip
    second = w.give(f"The second equation is ${w.linear(c, 0, x)} - {w.linear(b, 0, y)} = {c * u - b * v_}$.",
                    lambda v: c * v[x] - b * v[y] == c * u - b * v_)  # fmt: skip
    off = w.off()

    def added(right: int) -> str:
        return f"Adding both equations gives ${w.equation(w.term(a + c, x), str(right))}$."

    one = w.derive(
        [first, second],
        (added((a + c) * u), lambda v: (a + c) * v[x] == (a + c) * u),
        (added((a + c) * u + off), lambda v: (a + c) * v[x] == (a + c) * u + off),
    )
    two = w.derive(
        [one],
        (w.say(f"{x} = {u}"), lambda v: v[x] == u),
        (w.say(f"{x} = {u + off}"), lambda v: v[x] == u + off),
    )
    three = w.derive(
        [first, two],
        (f"Substituting ${x} = {u}$ into the first equation gives ${y} = {v_}$.", lambda v: v[y] == v_),
        (
            f"Substituting ${x} = {u}$ into the first equation gives ${y} = {v_ + off}$.",
            lambda v: v[y] == v_ + off,
        ),
    )
    total = u * v_
    w.derive(
        [two, three],
        (w.say(w.equation(f"{x}{y}", str(total))), lambda v: v[x] * v[y] == total),
        (w.say(w.equation(f"{x}{y}", str(total + off))), lambda v: v[x] * v[y] == total + off),
    )
    return w.chain("system", [{x: Fraction(u), y: Fraction(v_)}])


def _count(w: _Writer) -> Chain:
    """Integers and multiples in a range, counted."""
    k = w.variable
    low, size = w.rng.randint(1, 40), w.rng.randint(5, 400)
    high = low + size
    m = w.rng.randint(2, 9)
    known = w.give(f"The numbers go from ${low}$ to ${high}$.")
    count, multiples = size + 1, floor(Fraction(high, m)) - ceil(Fraction(low, m)) + 1
    off = w.off()

    def integers(number: int) -> str:
        return w.pick(
            f"The number of integers ${k}$ in $[{low}, {high}]$ is ${number}$.",
            f"The number of integers from ${low}$ to ${high}$ is ${number}$.",
            rf"The number of integers ${k}$ with ${low} \le {k} \le {high}$ is ${number}$.",
        )

    def floors(number: int) -> str:
        return w.say(rf"\left\lfloor \frac{{{high}}}{{{m}}} \right\rfloor = {number}")

    one = w.derive([known], (integers(count), lambda v: True), (integers(count + off), lambda v: off == 0))
    w.derive([known], (floors(high // m), lambda v: True), (floors(high // m + off), lambda v: off == 0))
    two = w.derive(
        [known],
        (f"The number of multiples of ${m}$ in $[{low},{high}]$ is ${multiples}$.", lambda v: True),
        (f"The number of multiples of ${m}$ in $[{low},{high}]$ is ${multiples + off}$.", lambda v: off == 0),
    )
    rest = count - multiples
    w.derive(
        [one, two],
        (w.say(f"{count} - {multiples} = {rest}"), lambda v: True),
        (w.say(f"{count} - {multiples} = {rest + off}"), lambda v: off == 0),
    )
    return w.chain("count", [{}])


def _ratio(w: _Writer) -> Chain:
    """Two amounts and their ratio in lowest terms."""
    factor, a, b = w.rng.randint(2, 9), w.rng.randint(1, 12), w.rng.randint(1, 12)
    common = gcd(a, b)
    a, b = a // common, b // common
    one_thing, other = w.rng.choice([("red marbles", "blue marbles"), ("boys", "girls"), ("cats", "dogs")])
    first = w.give(f"The number of {one_thing} is ${a * factor}$.")
    second = w.give(f"The number of {other} is ${b * factor}$.")
    off = abs(w.off())

    colon = w.pick(":", " : ")

    def ratio(left: int, right: int) -> str:
        shown = w.math(f"{left}{colon}{right}")
        return f"The ratio of the number of {one_thing} to the number of {other} is {shown}."

    three = w.derive(
        [first, second],
        (ratio(a * factor, b * factor), lambda v: True),
        (ratio(a * factor + off, b * factor), lambda v: False),
    )
    simplifying = w.pick("Simplifying the ratio gives ", "This simplifies to ", "In lowest terms this is ")
    four = w.derive(
        [three],
        (f"{simplifying}${a}:{b}$.", lambda v: True),
        (f"{simplifying}${a + off}:{b}$.", lambda v: False),
    )
    w.final([four], f"{a}:{b}", f"{a + off}:{b}", lambda v: True, lambda v: False)
    return w.chain("ratio", [{}])


def _root(w: _Writer) -> Chain:
    """A square, and the positive root of it."""
    x = w.variable
    value = w.rng.randint(2, 15)
    a = w.rng.randint(2, 6)
    first = w.give(f"We have ${a}{x}^2 = {a * value * value}$.", lambda v: a * v[x] ** 2 == a * value**2)
    second = w.give(f"Since lengths are positive, ${x} > 0$.", lambda v: v[x] > 0)
    off = abs(w.off())
    one = w.derive(
        [first],
        (w.say(w.equation(f"{x}^2", str(value * value))), lambda v: v[x] ** 2 == value**2),
        (w.say(w.equation(f"{x}^2", str(value * value + off))), lambda v: v[x] ** 2 == value**2 + off),
    )
    two = w.derive(
        [second, one],
        (
            w.pick(w.say(f"{x} = {value}"), w.say(rf"{x} = \sqrt{{{value * value}}} = {value}")),
            lambda v: v[x] == value,
        ),
        (w.say(f"{x} = {value + off}"), lambda v: v[x] == value + off),
    )
    w.derive(
        [two],
        (w.say(f"{x}^3 = {value**3}"), lambda v: v[x] ** 3 == value**3),
        (w.say(f"{x}^3 = {value**3 + off}"), lambda v: v[x] ** 3 == value**3 + off),
    )
    return w.chain("root", [{x: Fraction(value)}])


_KINDS: Final = (
    _linear, _quadratic, _arithmetic, _inequality, _substitution, _expansion, _system, _count, _ratio, _root,
)  # fmt: skip
