"""Expressions that are shown to be equal by normal forms, against SymPy and points."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from relations_support import truths

from potlang.dagmath import Solution, Step
from potlang.languages.dagmath.lower.formulas import read_formula
from potlang.languages.dagmath.lower.normal_forms import compared
from potlang.languages.dagmath.lower.readings import NO_CONTEXT
from potlang.languages.dagmath.lower.solutions import read_solution_steps
from potlang.languages.dagmath.lower.syntax import Op, Unreadable, number
from potlang.languages.dagmath.lower.to_sympy import to_sympy

COMPLEX = NO_CONTEXT._replace(is_complex=True, variables=frozenset("i"))

IDENTITIES = r"""
\sin^2 x + \cos^2 x = 1
\cos 2x = 1 - 2\sin^2 x
\sin 3x = 3\sin x - 4 \sin^3 x
\sin x \cos y - \sin y \cos x = \sin(x-y)
\tan 2x = \frac{2\tan x}{1-\tan^2 x}
\sin^2 x = \frac{1 - \cos (2x)}{2}
\sec^2 \theta - \tan^2 \theta = 1
\cos(180^\circ - x) = -\cos x
\cos(y + 2\pi) = \cos y
\cos(180^\circ - \angle PQR) = -\cos \angle PQR
\sin(2\arctan x) = \frac{2x}{1+x^2}
\cos(\arccos x)\cos(\arccos 2x) - \sin(\arccos x)\sin(\arccos 2x) = 2x^2 - \sqrt{1-x^2}\sqrt{1-4x^2}
1 - \frac{3}{4}\sin^2 2x = \sin^6 x + \cos^6 x
4\sqrt{9xy} = 12\sqrt{xy}
\sqrt{x^2+2x+1} = \sqrt{(x+1)^2}
\sqrt[3]{x^3} = x
\left\| \begin{pmatrix} x \\ y \end{pmatrix} \right\| = \sqrt{x^2 + y^2}
24^{2n} = 576^n
2^{x+1} = 2 \cdot 2^x
\frac{x^{n+1}}{x} = x^n
(-1)^{n+1} = -(-1)^n
(-1)^{2n} = 1
\log_2(2^{2x}) - \log_2(3^x) = \log_2\left(\frac{2^{2x}}{3^x}\right)
\log_8(xz) = \frac{\log_2 x + \log_2 z}{3}
\log 100 = 2
\log 16 + \log 3 = 4\log 2 + \log 3
\ln(e^x) = x
e^{\ln x} = x
\frac{(n+1)!}{n!} = n+1
\binom{n}{2} = \frac{n(n-1)}{2}
\sum_{k=1}^{n} k = \frac{n(n+1)}{2}
\sum_{k=1}^{n} k^2 = \frac{n(n+1)(2n+1)}{6}
\sum_{k=1}^{3} x^k = x + x^2 + x^3
\sum_{k=0}^\infty \frac{1}{2^k} = 2
\sum_{n=0}^\infty ar^n = \frac{a}{1-r}
|x-1| = |1-x|
\frac{9 \pm \sqrt{81 - 320}}{2} = \frac{9 \pm \sqrt{-239}}{2}
f(x+1-1) = f(x)
""".strip().splitlines()


@pytest.mark.parametrize("source", IDENTITIES)
def test_identities(source: str) -> None:
    """[REL-IDENTITY]"""
    assert truths(f"${source}$") == ["true"]


@pytest.mark.parametrize(
    "source",
    [
        r"\sqrt{x^2} = x",
        r"\sqrt[4]{x^4} = x",
        r"\cos 2x = 1 + 2\sin^2 x",
        r"\sqrt{x+y} = \sqrt{x}+\sqrt{y}",
        r"\frac{1}{\sin^2 x + \cos^2 x - 1} = 5 + \frac{1}{x}",
        r"2^{x+1} = 2^x + 2",
        r"(-1)^n = 1",
        r"\sum_{k=0}^\infty 2^k = -1",
        r"e^{\frac12 \ln(x^2)} = x",
        r"\ln(x^2) = 2 \ln(-x)",
        r"\log 100 = 3",
    ],
)
def test_what_is_no_identity_is_open(source: str) -> None:
    """[REL-IDENTITY] Wherever both sides are defined: a root of a square is no identity."""
    assert truths(f"${source}$") == ["open"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("(2+i)(2-i) = 5", "true"),
        ("(2+i)(2-i) = 3", "false"),
        ("|3+4i| = 5", "true"),
        ("|3+4i| = 7", "false"),
        ("i^2 = -1", "true"),
        ("i^2 = 1", "false"),
        (r"\frac{-3+4i+6i-8i^2}{1+2i-2i-4i^2} = 1 + 2i", "true"),
        (r"e^{i\pi} = -1", "true"),
        (r"e^{-in\pi/3} + e^{in\pi/3} = 2\cos\left(\frac{n\pi}{3}\right)", "true"),
        (r"\overline{3+4i} = 3-4i", "true"),
        (r"\sqrt{-4} = 2i", "true"),
        (r"14\sqrt{5}i(-3) = -42i\sqrt5", "true"),
        (r"(x + yi)^2 = x^2 - y^2 + 2xyi", "true"),
        (r"(\cos x + i \sin x)^2 = \cos 2x + i\sin 2x", "true"),
        (r"z = 3 + 4i", "open"),
    ],
)
def test_complex_numbers(source: str, expected: str) -> None:
    """[REL-COMPLEX]"""
    assert truths(f"${source}$", context=COMPLEX) == [expected]
    if "i" in source.replace(r"\pi", "").replace(r"\sin", ""):
        assert truths(f"${source}$") == ["open"]


@pytest.mark.parametrize(
    ("text", "is_complex"),
    [
        (r"Let $z$ be a complex number with $z = 2 + i$.", True),
        (r"Since $i^2 = -1$, we get $(2+i)(2-i) = 5$.", True),
        (r"Then $z = 3 + 4i$.", True),
        (r"We have $e^{i\pi} = -1$.", True),
        (r"It is $\sqrt{-3}$.", True),
        (r"The product is $(2+i)(2-i)$.", False),
        (r"We have $\sum_{i=1}^n a_i = 3$.", False),
        (r"Complex numbers $z_i$ with $1 \le i \le 3$.", False),
        (r"The $i$-th complex number.", False),
        (r"For all $i \in S$, $a + bi$ is prime.", False),
    ],
)
def test_the_imaginary_unit_is_shown(text: str, is_complex: bool) -> None:
    """[REL-COMPLEX] An index or a variable is never taken for it."""
    solution = Solution((Step(1, "It is given.", None, text),))
    assert read_solution_steps(solution).context.is_complex is is_complex


COMPARED = {
    ("x^{64}", r"x \cdot x^{63}"): True,
    ("x^{65}", r"x \cdot x^{64}"): None,
    ("x^{-64}", r"\frac{1}{x^{64}}"): True,
    ("(x^{1/64})^{64}", "x"): True,
    ("(x^{1/65})^{64}", "x"): None,
    (r"(\sqrt[16]{x})^{16}", "x"): True,
    (r"(\sqrt[17]{x})^{17}", "x"): None,
    (r"\ln(\sqrt[16]{x})", r"\frac{\ln x}{16}"): True,
    (r"\ln(\sqrt[17]{x})", r"\frac{\ln x}{17}"): None,
    ("(n+20)!", "(n+20)(n+19)!"): True,
    ("(n+21)!", "(n+21)(n+20)!"): None,
    ("(n-19)!", "(n-19)(n-20)!"): True,
    ("(n-20)!", "(n-20)(n-21)!"): None,
    (r"(n + \frac{1}{2})!", "n!"): None,
    ("256!", r"256 \cdot 255!"): True,
    ("257!", r"257 \cdot 256!"): None,
    ("(-1)!", "1"): None,
    (r"\binom{n}{0}", "1"): True,
    (r"\binom{n}{1}", "n"): True,
    (r"\binom{n}{n}", "1"): True,
    (r"\binom{n}{n-2}", r"\frac{n(n-1)}{2}"): True,
    (r"\binom{n}{3}", r"\frac{n(n-1)(n-2)}{6}"): True,
    (r"\sum_{k=1}^{60} x^1", "60x"): True,
    (r"\sum_{k=1}^{61} x^1", "61x"): None,
    (r"\prod_{k=1}^{3} (x + k)", "(x + 1)(x + 2)(x + 3)"): True,
    ("2^{24x}", "(2^{x})^{24}"): True,
    ("2^{25x}", "(2^{x})^{25}"): None,
    (r"\sqrt[3]{-8x}", r"-2\sqrt[3]{x}"): True,
    (r"\sqrt[3]{x y^2}", r"\sqrt[3]{x} \cdot (\sqrt[3]{y})^2"): True,
    (r"\sqrt{12}", r"2\sqrt{3}"): True,
    (r"\sqrt{12}", r"3\sqrt{2}"): False,
    (r"\sqrt{2} + \sqrt{3}", r"\sqrt{5}"): False,
    (r"\sqrt[3]{16}", r"2 \cdot \sqrt[3]{2}"): True,
    (r"\sqrt{\frac{x}{4}}", r"\frac{\sqrt{x}}{2}"): True,
    (r"\sqrt{0 \cdot x}", "0"): True,
    ("6^{x}", r"2^{x} \cdot 3^{x}"): True,
    ("(xy)^{n}", "x^n y^n"): True,
    ("(x + y)^{n}", "x^n + y^n"): None,
    ("(x + y)^{2n}", "((x + y)^{n})^2"): True,
    ("(2x)^{n}", "2^n x^n"): True,
    (r"(\frac{1}{x})^{n} x^n", "1"): True,
    ("(-2)^{n}", r"(-1)^n \cdot 2^n"): True,
    ("(-1)^{n + 2}", "(-1)^n"): True,
    ("(-1)^{2n}", "1"): True,
    ("(-1)^{3n}", "(-1)^n"): True,
    ("(-1)^{n/2}", "1"): None,
    ("0^{n}", "0"): None,
    (r"\log_{2}(x^3)", r"3\log_{2}(x)"): True,
    (r"\ln(xy)", r"\ln x + \ln y"): True,
    (r"\ln(\frac{x}{y})", r"\ln x - \ln y"): True,
    (r"\ln(x + y)", r"\ln x + \ln y"): None,
    (r"\ln(\exp(x))", "x"): True,
    (r"\ln(e)", "1"): True,
    (r"\ln(\sqrt{x})", r"\frac{1}{2}\ln x"): True,
    (r"\ln(0)", "1"): None,
    (r"\ln(-1)", "1"): None,
    (r"\ln(6)", r"\ln 2 + \ln 3"): True,
    (r"\ln(2x + 2)", r"\ln 2 + \ln(x + 1)"): True,
    (r"\lg(100)", "2"): True,
    (r"\log(x^2)", r"2 \log x"): True,
    (r"\log(1000)", "3"): True,
    (r"e^{2 \ln x}", "x^2"): True,
    ("|-x|", "|x|"): True,
    ("|2x|", "2|x|"): True,
    ("|x|^2", "x^2"): True,
    (r"\left|\frac{x}{y}\right|", r"\frac{|x|}{|y|}"): True,
    (r"|-3|x", "3x"): True,
    (r"\sum_{k=1}^{n} k^3", r"\frac{n^2(n+1)^2}{4}"): True,
    (r"\sum_{k=2}^{n} k", r"\frac{n(n+1)}{2} - 1"): True,
    (r"\sum_{k=1}^{n} (2k - 1)", "n^2"): True,
    (r"\sum_{k=1}^{n} ak", r"\frac{a n(n+1)}{2}"): True,
    (r"\sum_{k=1}^{n} k^{10}", r"n"): None,
    (r"\sum_{k=1}^{n} \frac{1}{k}", "n"): None,
    (r"\sum_{k=1}^{n} 2^{k}", r"2^{n+1} - 2"): None,
    (r"\sum_{k=1}^{k} k", "k^2"): None,
    (r"\prod_{k=1}^{n} k", "n!"): None,
    (r"\sum_{k=1}^{\infty} \frac{1}{3^k}", r"\frac{1}{2}"): True,
    (r"\sum_{k=0}^{\infty} x^k", r"\frac{1}{1-x}"): True,
    (r"\sum_{k=0}^{\infty} 1", "0"): None,
    (r"\sum_{k=0}^{\infty} (-1)^k", r"\frac{1}{2}"): None,
    (r"\sum_{k=1}^{\infty} k", "1"): None,
    (r"\prod_{k=0}^{\infty} \frac{1}{2^k}", "2"): None,
    ("x \\% ", r"\frac{x}{100}"): True,
    ("180^\\circ", r"\pi"): True,
    (r"\frac{x}{x - x}", "1"): None,
    ("f(x + 1)", "f(1 + x)"): True,
    ("f(x)", "f(2x)"): None,
    ("3", "3"): True,
    ("3", "4"): False,
    ("x", "x + 1"): False,
    (r"\infty", r"\infty"): None,
    (r"\sin^2(\frac{1}{x}) + \cos^2(\frac{1}{x})", "1"): True,
    (r"\sin(\frac{1}{x})", r"\cos(\frac{1}{x})"): None,
    (r"\sin(-x)", r"-\sin(x)"): True,
    (r"\cos(-x)", r"\cos(x)"): True,
    (r"\sin(3x)", r"3\sin x - 4 \sin^3 x"): True,
    (r"\tan(x + y)", r"\frac{\tan x + \tan y}{1 - \tan x \tan y}"): True,
    (r"\sin(99x)", r"\sin(x)"): None,
    (r"\sin(\frac{\pi}{6})", r"\frac{1}{2}"): True,
    (r"\cos(\frac{\pi}{4})", r"\frac{\sqrt{2}}{2}"): True,
    (r"\cos(\frac{\pi}{4})", r"\frac{\sqrt{3}}{2}"): False,
    (r"x \pm 1", r"1 \pm x"): None,
    (r"x \pm 1", r"x \mp (-1)"): True,
    (r"\exp(2x)", r"(e^x)^2"): True,
    (r"3 : x", r"\frac{3}{x}"): True,
    (r"3 \text{ cm} + x", "3 + x"): True,
}
IN_COMPLEX_NUMBERS = {
    (r"\overline{3 + 4i} \cdot (3 + 4i)", "25"): True,
    (r"\overline{z}", "z"): None,
    (r"|1 + i|", r"\sqrt{2}"): True,
    (r"|\frac{1}{1 + i}|", r"\frac{1}{\sqrt{2}}"): True,
    (r"\sqrt{-9}", "3i"): True,
    ("i^3", "-i"): True,
    ("i^3", "i"): False,
    (r"e^{ix}", r"\cos x + i \sin x"): True,
    (r"e^{2 + ix}", r"e^2 (\cos x + i \sin x)"): True,
    ("|z|^2", "z^2"): None,
}


@pytest.mark.parametrize(("one", "other"), COMPARED)
def test_expressions_are_compared(one: str, other: str) -> None:
    """[REL-IDENTITY] [STEP-BOUNDS]"""
    left, right = read_formula(one), read_formula(other)
    assert compared(left, right) is COMPARED[one, other]
    assert compared(right, left) is COMPARED[one, other]


@pytest.mark.parametrize(("one", "other"), IN_COMPLEX_NUMBERS)
def test_complex_expressions_are_compared(one: str, other: str) -> None:
    """[REL-COMPLEX]"""
    left, right = read_formula(one), read_formula(other)
    assert compared(left, right, is_complex=True) is IN_COMPLEX_NUMBERS[one, other]


# --- differential ---------------------------------------------------------------------------------

ANGLES = ["x", "2x", "x + y", r"\frac{x}{2}", r"x + \frac{\pi}{3}"]
LEAVES = [
    *(rf"\{name}({angle})" for name in ("sin", "cos", "tan") for angle in ANGLES),
    r"\sqrt{x}", r"\sqrt{12}", r"\sqrt{x + y}", "2^{x}", "4^{y}", r"2^{x + 3}", "x", "y", "3",
    r"\frac{1}{2}", "e^{x}",
]  # fmt: skip


@st.composite
def sources(draw: st.DrawFn, depth: int = 2) -> str:
    """An expression in LaTeX."""
    if not depth:
        return draw(st.sampled_from(LEAVES))
    one, other = draw(sources(depth - 1)), draw(sources(depth - 1))
    return draw(st.sampled_from([f"({one} + {other})", f"({one} - {other})", rf"{one} \cdot {other}"]))


def sympified(source: str) -> Any:
    """The expression for SymPy, evaluated; its variables are positive."""
    made = to_sympy(read_formula(source), lambda name: sympy.Symbol(name, positive=True))
    return made.subs(sympy.Symbol("e", positive=True), sympy.E).doit()


@given(sources(), sources(), st.sampled_from(["expand", "expand_trig", "factor", "powsimp"]))
@settings(max_examples=30, deadline=None)
def test_expressions_as_sympy_rewrites_them(one: str, other: str, way: str) -> None:
    """[REL-IDENTITY] True relations are never false, wrong ones never true."""
    left, right = read_formula(f"{one} + {other}"), read_formula(rf"{other} + {one}")
    assert compared(left, right) is True
    assert compared(left, Op("+", (right, number(Fraction(1, 1000))))) is not True
    try:
        rewritten = read_formula(sympy.latex(getattr(sympy, way)(sympified(f"{one} + {other}"))))
    except Unreadable:
        return
    assert compared(left, rewritten) is not False


@given(sources(), sources())
@settings(max_examples=60, deadline=None)
def test_what_is_equal_is_so_for_sympy(one: str, other: str) -> None:
    """[REL-IDENTITY]"""
    if compared(read_formula(one), read_formula(other)) is True:
        point = {sympy.Symbol("x", positive=True): 1.4, sympy.Symbol("y", positive=True): 0.3}
        assert abs((sympified(one) - sympified(other)).subs(point).evalf()) < 1e-9


@given(
    st.lists(st.integers(-6, 6), min_size=2, max_size=2),
    st.lists(st.integers(-6, 6), min_size=2, max_size=2),
    st.integers(0, 5),
    st.integers(-2, 2),
)
@settings(max_examples=60, deadline=None)
def test_complex_numbers_as_sympy_computes_them(a: list[int], b: list[int], power: int, off: int) -> None:
    """[REL-COMPLEX]"""
    one, other = (sympy.Integer(x) + sympy.Integer(y) * sympy.I for x, y in (a, b))
    found = sympy.expand(one**power * other - other)
    real, imaginary = found.as_real_imag()
    left = rf"({a[0]} + ({a[1]})i)^{power} \cdot ({b[0]} + ({b[1]})i) - ({b[0]} + ({b[1]})i)"
    if one == 0 and not power:
        return
    expected = "true" if not off else "false"
    assert truths(f"${left} = {real + off} + ({imaginary})i$", context=COMPLEX) == [expected]


@pytest.mark.parametrize(
    "source",
    [
        r"(a+b+c+d+f+g+h+k)^{24} = x",
        r"\sin(99999x) = \cos(x/99999)",
        r"\sum_{k=1}^{9999999} x^k = 1",
        r"x! = (x+9999999)!",
        r"\sqrt{\sqrt{\sqrt{\sqrt{x+1}+1}+1}+1} = \sqrt{\sqrt{\sqrt{x}}}",
        r"2^{9^{9^{9^{9}}} x} = y",
        r"\sin(\sin(\sin(\sin(x+y)+y)+y)+y) = \tan(x+y+z+w+12u)",
        r"\binom{n}{999999} = n",
        r"\log_{\log_{\log_2 x} x} x = \ln\ln\ln x",
    ],
)
def test_large_expressions_take_little_time(source: str) -> None:
    """[REL-IDENTITY] Sizes are bounded; nothing raises."""
    assert truths(f"${source}$") in (["open"], ["unread"], ["false"])
