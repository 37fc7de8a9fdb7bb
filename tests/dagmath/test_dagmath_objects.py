"""Relations between points, vectors, matrices and sets, against SymPy and brute force."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from relations_support import truths

from potlang.languages.dagmath.lower.arrays import Array, NotArray, worked_out
from potlang.languages.dagmath.lower.exact import NotExact, value
from potlang.languages.dagmath.lower.formulas import read_formula
from potlang.languages.dagmath.lower.regions import count, region
from potlang.languages.dagmath.lower.syntax import Unreadable, text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"(1,2) + (3,4) = (4,6)", "true"),
        (r"(1,2) + (3,4) = (4,7)", "false"),
        (r"\left(\frac{-5+3}{2},\frac{5+7}{2}\right) = \boxed{(-1,6)}", "true"),
        (r"(0.333, 2) = (\frac13, 2)", "rounded"),
        (r"(1, 2) = (1, 2, 3)", "open"),
        (r"\langle 1,2\rangle \cdot \langle 3, 4 \rangle = 11", "true"),
        (r"\langle 1,2\rangle \cdot \langle 3, 4 \rangle = 12", "false"),
        (r"\begin{pmatrix} 1 \\ 2 \\ 3 \end{pmatrix} \times \begin{pmatrix} 4 \\ 5 \\ 6 \end{pmatrix}"
         r" = \begin{pmatrix} -3 \\ 6 \\ -3 \end{pmatrix}", "true"),
        (r"\left\| \begin{pmatrix} 3 \\ 4 \end{pmatrix} \right\| = 5", "true"),
        (r"\left\| \begin{pmatrix} 3 \\ 4 \end{pmatrix} \right\| = 7", "false"),
        (r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}^{-1}"
         r" = \begin{bmatrix} -2 & 1 \\ 3/2 & -1/2 \end{bmatrix}", "true"),
        (r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}^T"
         r" = \begin{pmatrix} 1 & 3 \\ 2 & 4 \end{pmatrix}", "true"),
        (r"\begin{vmatrix} 1 & 2 \\ 3 & 4 \end{vmatrix} = -2", "true"),
        (r"\det \begin{pmatrix} a & b \\ c & d \end{pmatrix} = ad - bc", "true"),
        (r"\frac{t}{6} \begin{pmatrix} 3 \\ -6 \end{pmatrix}"
         r" = \begin{pmatrix} t/2 \\ -t \end{pmatrix}", "true"),
        (r"A \begin{pmatrix} 1 \\ 0 \end{pmatrix} = \begin{pmatrix} 2 \\ 3 \end{pmatrix}", "open"),
        (r"\mathbf{v} \begin{pmatrix} 1 \\ 0 \end{pmatrix} = \begin{pmatrix} 2 \\ 3 \end{pmatrix}", "open"),
        (r"\vec{a} \times \vec{b} = \vec{b} \times \vec{a}", "open"),
        (r"(1, 2, 3) \times (4, 5, 6) = 32", "open"),
        (r"(1, 2, 3) \times (4, 5, 6) = (-3, 6, -3)", "true"),
        (r"(1, 2, 3) \times (4, 5, 6) = (-3, 6, 3)", "false"),
        (r"(1, 2, 3) \cdot (4, 5, 6) = 32", "true"),
        (r"2 \times (3, 4) = (6, 8)", "true"),
    ],
)  # fmt: skip
def test_arrays(source: str, expected: str) -> None:
    """[REL-ARRAYS]"""
    assert truths(f"${source}$") == [expected]


def test_a_point_gives_the_values_of_its_coordinates() -> None:
    """[REL-ARRAYS]"""
    assert truths("$(x, y) = (3, 4)$", "$x^2 + y^2 = 25$") == ["true"]
    assert truths("$(x, y) = (3, 4)$", "$(x, y) = (5 - 2, 2 + 2)$") == ["true"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\{1,2\} \cup \{3\} = \{1,2,3\}", "true"),
        (r"\{1,2\} \cup \{3\} = \{1,2,4\}", "false"),
        (r"\{1,2,3\} \setminus \{3\} = \{2, 1\}", "true"),
        (r"(0,1) \cup (1,2) = (0,2)", "false"),
        (r"(0,1] \cup (1,2) = (0,2)", "true"),
        (r"(-\infty, 3) \cap [1, \infty) = [1, 3)", "true"),
        (r"3 \in \{1,3,5\}", "true"),
        (r"4 \in \{1,3,5\}", "false"),
        (r"4 \notin \{1,3,5\}", "true"),
        (r"2 \in [0, 2)", "false"),
        (r"2 \in (0, 1) \cup (1, 3)", "true"),
        (r"3 \in \mathbb{Z}", "true"),
        (r"\frac12 \in \mathbb{Z}", "false"),
        (r"0 \in \mathbb{N}", "open"),
        (r"x \in [0, 2)", "open"),
        (r"\{1,2\} \subset \{1,2,3\}", "true"),
        (r"[0, 2] \subseteq (0, 2)", "false"),
        (r"\{3.7\} = 0.7", "open"),
        (r"|\{2, 3, 5, 7\}| = 4", "true"),
        (r"|\{2, 3, 5, 7\}| = 5", "false"),
        (r"S = \{1, 2\}", "open"),
    ],
)
def test_sets(source: str, expected: str) -> None:
    """[REL-SETS]"""
    assert truths(f"${source}$") == [expected]


def test_signs_in_brackets_join_no_chain() -> None:
    """[REL-FORMULAS] Commas and relations between brackets of any kind are none of the chain's."""
    assert truths(r"$\{1, 2\} = \{2, 1\}, x + 1 = 1 + x$") == ["true", "true"]
    assert truths(r"$\left\{ \begin{aligned} x + 1 &= 1 + x \\ 2 &= 1 + 1 \end{aligned} \right.$") == [
        "true",
        "true",
    ]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"{8 \choose 2}", r"\binom{8}{2}"),
        (r"{1 \over 6} + x", r"\frac{1}{6} + x"),
        (r"0.1\overline{6}", r"\frac{1}{6}"),
        (r"\angle ABC + \angle{B}", r"\operatorname{angleABC} + \operatorname{angleB}"),
        (r"\tan^{-1} x", r"\arctan(x)"),
        (r"h^2 + 1", r"h^{2} + 1"),
        (r"\operatorname{lcm}[4, 6]", r"\lcm(4, 6)"),
        (r"\frac{24,000}{12,000}", r"\frac{24000}{12000}"),
        (r"a \equiv b \mod 7", r"a \equiv b \pmod{7}"),
    ],
)
def test_notation(source: str, shown: str) -> None:
    """[STEP-FORMULAS]"""
    assert text(read_formula(source)) == shown


@pytest.mark.parametrize("source", [r"f^2 = 1", r"g^{-1}(2)", r"\begin{cases} 1 & 2 \end{cases}", r"h^2(x)"])
def test_what_has_two_readings_is_refused(source: str) -> None:
    """[STEP-FORMULAS]"""
    with pytest.raises(Unreadable):
        read_formula(source, frozenset("f"))


# --- differential ---------------------------------------------------------------------------------

SMALL = st.integers(-4, 4)


def matrices(rows: int, columns: int) -> st.SearchStrategy[list[list[int]]]:
    """Matrices of small whole numbers."""
    return st.lists(st.lists(SMALL, min_size=columns, max_size=columns), min_size=rows, max_size=rows)


def latex(rows: list[list[int]]) -> str:
    """A matrix as LaTeX."""
    return r"\begin{pmatrix} " + r" \\ ".join(" & ".join(map(str, row)) for row in rows) + r" \end{pmatrix}"


def computed(source: str) -> list[Fraction]:
    """The components of a formula with arrays, as numbers."""
    found = worked_out(read_formula(source))
    return [value(each) for each in (found.components if isinstance(found, Array) else (found,))]


@given(st.integers(1, 3).flatmap(lambda size: st.tuples(matrices(size, size), matrices(size, size))), SMALL)
@settings(max_examples=60, deadline=None)
def test_matrices_as_sympy_computes_them(pair: tuple[list[list[int]], list[list[int]]], factor: int) -> None:
    """[REL-ARRAYS]"""
    a, b = (latex(each) for each in pair)
    one, other = (sympy.Matrix(each) for each in pair)
    expected = {
        f"{a} + {factor} {b}": one + factor * other,
        f"{a} - {b}": one - other,
        f"{a}^3": one**3,
        f"{a}^T": one.T,
        rf"\det {a}": sympy.Matrix([[one.det()]]),
    }
    if one.cols > 1:
        expected[f"{a} {b}"] = one * other
    if one.det():
        expected[f"{a}^{{-1}}"] = one.inv()
    for source, matrix in expected.items():
        assert computed(source) == [Fraction(each.p, each.q) for each in matrix], source


@given(matrices(3, 1), matrices(3, 1))
@settings(max_examples=60, deadline=None)
def test_vectors_as_sympy_computes_them(a: list[list[int]], b: list[list[int]]) -> None:
    """[REL-ARRAYS]"""
    one, other = sympy.Matrix(a), sympy.Matrix(b)
    assert computed(rf"{latex(a)} \times {latex(b)}") == list(one.cross(other))
    assert computed(rf"{latex(a)} \cdot {latex(b)}") == [one.dot(other)]


@given(matrices(2, 2), matrices(2, 2), st.integers(0, 3), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_wrong_products_are_false(a: list[list[int]], b: list[list[int]], place: int, off: int) -> None:
    """[REL-ARRAYS] True relations are never false, wrong ones never true."""
    right = (sympy.Matrix(a) * sympy.Matrix(b)).tolist()
    assert truths(f"${latex(a)} {latex(b)} = {latex(right)}$") == ["true"]
    right[place // 2][place % 2] += off
    assert truths(f"${latex(a)} {latex(b)} = {latex(right)}$") == ["false"]


@st.composite
def sets(draw: st.DrawFn, depth: int = 2) -> tuple[str, set[int]]:
    """A set in LaTeX, and which halves of whole numbers from -12 to 12 are in it."""
    kind = draw(st.sampled_from("fiii" if not depth else "fiicsd"))
    if kind == "f":
        items = draw(st.lists(SMALL, min_size=1, max_size=4))
        return r"\{" + ", ".join(map(str, items)) + r"\}", {2 * each for each in items}
    if kind == "i":
        low = draw(SMALL)
        high = draw(st.integers(low + 1, 6))
        opening, closing = draw(st.sampled_from(["[", "("])), draw(st.sampled_from(["]", ")"]))
        points = {at for at in range(-24, 25) if 2 * low < at < 2 * high}
        points |= {2 * low} if opening == "[" else set()
        points |= {2 * high} if closing == "]" else set()
        return f"{opening}{low}, {high}{closing}", points
    (one, first), (other, second) = draw(sets(depth - 1)), draw(sets(depth - 1))
    op = {"c": (r"\cup", first | second), "s": (r"\cap", first & second), "d": (r"\setminus", first - second)}
    return rf"{one} {op[kind][0]} {other}", op[kind][1]


@given(sets(1), sets(1), st.integers(-9, 9))
@settings(max_examples=200, deadline=None)
def test_sets_as_their_points(one: tuple[str, set[int]], other: tuple[str, set[int]], point: int) -> None:
    """[REL-SETS] Between halves there is nothing more to tell apart in sets with whole ends."""
    whole = rf"{one[0]} \cup \{{7\}}"
    member = "true" if point in one[1] | {14} else "false"
    if r"\c" not in one[0] and r"\s" not in one[0]:
        number = rf"\frac{{{point}}}{{2}}"
        assert truths(rf"${number} \in {whole}$") == [member]
        equal = "true" if one[1] | {14} == other[1] | {14} else "false"
        if r"\c" not in other[0] and r"\s" not in other[0]:
            assert truths(rf"${whole} = {other[0]} \cup \{{7\}}$") == [equal]


@given(st.lists(SMALL, min_size=1, max_size=6))
def test_counts(items: list[int]) -> None:
    """[REL-SETS] How often an element is written makes no difference."""
    source = r"\{" + ", ".join(map(str, items)) + r"\}"
    assert count(region(read_formula(source))) == len(set(items))


@pytest.mark.parametrize(
    "source",
    [
        r"\begin{pmatrix} 1 & 2 \\ 3 \end{pmatrix}",
        r"\begin{pmatrix} 1 & 2 \end{pmatrix}^{-1}",
        r"(1, 2) + (1, 2, 3)",
        r"\begin{pmatrix} 2 & 1 \\ 1 & 1 \end{pmatrix}^{99}",
        r"[2, 1] \cup \{1\}",
        r"[0, \infty] \cup \{1\}",
    ],
)
def test_what_is_not_worked_out(source: str) -> None:
    """[REL-ARRAYS] [REL-SETS] Sizes that differ, or are too large, give no value."""
    with pytest.raises((Unreadable, NotArray, NotExact)):
        term = read_formula(source)
        worked_out(term) if "cup" not in source else region(term)
