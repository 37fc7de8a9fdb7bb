"""Comparisons of numbers, refuted by the grounder with what the kernel accepts: against z3."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

import pytest
import z3
from hypothesis import given
from hypothesis import strategies as st

import potlang
from potlang import certify
from potlang.engines.ground.diophantine import fractional_form
from potlang.engines.ground.grounding import Grounded, Grounder, GroundLimits
from potlang.engines.ground.simplex import BoundConflict, Simplex

LIMITS = GroundLimits(timeout_ms=20_000)


def refuted(*facts: str) -> Grounded:
    """The refutation of facts about integers i, j, k, real numbers x, y, z, and functions f and g of them."""
    program = {
        "functions": [
            {"name": "f", "domain": ["Int"], "range": "Int"},
            {"name": "g", "domain": ["Real"], "range": "Real"},
        ],
        "constants": {
            "integers": {"sort": "Int", "members": ["i", "j", "k"]},
            "numbers": {"sort": "Real", "members": ["x", "y", "z"]},
        },
        "knowledge_base": list(facts),
        "verifications": [{"constraint": "i == 0"}],
    }
    module = potlang.compile(program).module
    return Grounder(module).refute(module.assertions, "assumptions", None, LIMITS)


@pytest.mark.parametrize(
    "facts",
    [
        ("i < j", "j < i"),
        ("x < y", "y <= z", "z <= x"),
        ("x + y == 10", "x > 4", "y >= 6"),
        ("2 * i > 7", "i < 4"),
        ("2 * i == 2 * j + 1", "i > 0", "i < 9"),
        ("2 * i == 2 * j + 1",),
        ("4 * i + 6 * j <= 7", "8 * i + 12 * j >= 13"),
        ("3 * i + 3 * j * k == 7",),
        ("i % 2 == 1", "i == 2 * j"),
        ("i + j == 2 * f(k)", "i - j == 2 * f(i) + 1"),
        ("f(2 * i) == 3 * j", "f(2 * i) == 3 * k + 1"),
        ("i != j", "i <= j", "j <= i"),
        ("x != y", "2 * x == y + y"),
        ("x * x >= 4", "x * x < 3"),
        ("(x + 1) * (x - 1) >= 4", "x * x <= 4"),
        ("i <= j", "j <= i", "f(i) == 3", "f(j) == 4"),
        ("f(i + 1) == 3", "f(j) < 3", "j - i == 1"),
        ("i == j", "f(i) > f(j)"),
        ("g(x) < 0", "g(y) > 0", "x / 2 == y / 2"),
        ("f(f(i)) > i + 2", "f(i) == i + 1", "f(i + 1) <= i + 2"),
        ("i // 3 == 4", "i >= 15"),
        ("i % 7 == 3", "i % 7 == 4"),
        ("Abs(x) < 2", "x > 3"),
        ("Abs(i) == 2", "i > -2", "i < 2"),
        ("ToInt(x) == 3", "x >= 4"),
        ("If(x > 0, x, -x) < 0",),
        ("x > 0 or y > 0", "x + y < 0", "x >= -0.5 and y >= -0.5", "x < 0.25", "y < 0.25", "x + y < -0.8"),
        ("ForAll([a: Int], f(a) > a)", "f(3) <= i", "i <= 3"),
    ],
)
def test_contradictions_have_refutations(facts: tuple[str, ...]) -> None:
    """[GROUND-ARITHMETIC] [CERT-LINEAR]"""
    assert refuted(*facts).status == "unsat"


@pytest.mark.parametrize(
    "facts",
    [
        ("i < j", "j < k"),
        ("2 * i > 7", "i < 5"),
        ("x * y > 0", "x < 0", "y < 0"),
        ("f(i) == 3", "f(j) == 4", "i <= j"),
        ("x != y", "x <= y"),
        ("i // 3 == 4", "i >= 14"),
        ("i * i == 2 * j * j", "i > 0"),
    ],
)
def test_what_is_possible_or_beyond_the_grounder_is_unknown(facts: tuple[str, ...]) -> None:
    """[GROUND-ARITHMETIC] Unbounded integers are split a few times, not for ever."""
    assert refuted(*facts).status == "unknown"


def test_terms_that_share_parts_are_written_once() -> None:
    """[CERT-DEF] Written out, this term has 2^25 parts."""
    program = {
        "functions": [
            {
                "name": f"t{at}",
                "domain": ["Int"],
                "params": ["a"],
                "range": "Int",
                "body": f"t{at - 1}(a) + t{at - 1}(a) * 2" if at else "a",
            }
            for at in range(26)
        ],
        "constants": {"integers": {"sort": "Int", "members": ["i", "j"]}},
        "knowledge_base": ["t25(i) < j", "j <= t25(i)"],
        "verifications": [{"constraint": "i == 0"}],
    }
    compiled = potlang.compile(program)
    report = potlang.verify(compiled, certificate=True)
    assert (report.verdict, report.results[0].trust) == ("inconsistent", "checked")
    assert report.certificate is not None and len(report.certificate) < 10_000
    assert certify.check(report.certificate, compiled.emit("ir", passes="")).status == "VALID"


# --- against z3 -----------------------------------------------------------------------------------------


Compared = tuple[list[int], int, str]
"""Factors of three numbers, a constant, and how the sum compares with it."""


def drawn(random: Random) -> list[list[Compared]]:
    """Clauses of comparisons."""
    signs = ["<", "<=", "==", "!="]

    def one() -> Compared:
        factors = [random.randint(-2, 2) for _ in range(3)]
        return factors, random.randint(-4, 4), random.choice(signs)

    return [[one() for _ in range(random.choice([1, 1, 2]))] for _ in range(random.randint(5, 10))]


def said(clause: list[Compared], names: str) -> str:
    def one(factors: list[int], constant: int, sign: str) -> str:
        total = " + ".join(f"{factor} * {name}" for factor, name in zip(factors, names, strict=True))
        return f"{total} {sign} {constant}"

    return " or ".join(one(*each) for each in clause)


def solved(clause: list[Compared], numbers: list[Any]) -> Any:
    def one(factors: list[int], constant: int, sign: str) -> Any:
        total = sum(factor * each for factor, each in zip(factors, numbers, strict=True))
        compared = {"<": total < constant, "<=": total <= constant, "==": total == constant}
        return compared.get(sign, total != constant)

    return z3.Or(*(one(*each) for each in clause))


def agree(seeds: range) -> dict[tuple[str, str], int]:
    """Random clauses, by z3's answer and the grounder's; over the rationals the grounder finds all."""
    counts: dict[tuple[str, str], int] = {}
    for seed in seeds:
        random = Random(seed)
        names = random.choice(["ijk", "xyz"])
        clauses = drawn(random)
        numbers = [(z3.Int if names == "ijk" else z3.Real)(name) for name in names]
        solver = z3.Solver()
        solver.add(*(solved(each, numbers) for each in clauses))
        answer = str(solver.check())
        found = refuted(*(said(each, names) for each in clauses)).status
        assert found != "unsat" or answer == "unsat", seed
        assert names == "ijk" or answer != "unsat" or found == "unsat", seed
        counts[answer, found] = counts.get((answer, found), 0) + 1
    return counts


def test_random_comparisons_are_refuted_where_z3_finds_none() -> None:
    """[GROUND-ARITHMETIC]"""
    counts = agree(range(60))
    assert counts["unsat", "unsat"] > 10 and counts["sat", "unknown"] > 10


def systems(seeds: range, signs: Sequence[str]) -> tuple[int, int]:
    """How many random systems of integers z3 finds contradictory, and how many the grounder."""
    numbers = z3.Ints("i j k")
    contradictory = found = 0
    for seed in seeds:
        random = Random(seed)
        clauses: list[list[Compared]] = [
            [([random.randint(-6, 6) for _ in numbers], random.randint(-12, 12), random.choice(signs))]
            for _ in range(random.randint(2, 4))
        ]
        solver = z3.Solver()
        solver.add(*(solved(each, numbers) for each in clauses))
        is_false = solver.check() == z3.unsat
        is_refuted = refuted(*(said(each, "ijk") for each in clauses)).status == "unsat"
        assert is_false or not is_refuted, seed
        contradictory, found = contradictory + is_false, found + is_refuted
    return contradictory, found


def test_equations_without_whole_solutions_are_refuted() -> None:
    """[GROUND-CUT] All of them, whatever bounds their unknowns have or have not."""
    contradictory, found = systems(range(60), ["=="])
    assert contradictory == found > 20


@pytest.mark.slow
def test_systems_of_integers_without_solutions_are_refuted() -> None:
    """[GROUND-CUT] [GROUND-ARITHMETIC] Of inequalities some need more rounds than there are."""
    contradictory, found = systems(range(1_000, 2_000), ["=="])
    assert contradictory == found > 400
    contradictory, found = systems(range(1_000, 3_000), ["==", "<=", "<="])
    assert found > 200 and found >= contradictory * 0.97


@given(
    st.lists(
        st.tuples(st.lists(st.integers(-9, 9), min_size=4, max_size=4), st.integers(-30, 30)), max_size=5
    ),
    st.integers(1, 3),
)
def test_a_form_is_a_fraction_where_there_is_no_whole_solution(
    drawn: list[tuple[list[int], int]], divisor: int
) -> None:
    """[GROUND-CUT] z3 finds its value to follow, and whole solutions where there is none."""
    equations = [
        ({at: Fraction(each, divisor) for at, each in enumerate(row) if each}, Fraction(number, divisor))
        for row, number in drawn
    ]
    found = fractional_form(equations, lambda: None)
    whole, real = z3.Ints("a b c d"), z3.Reals("a b c d")
    solver = z3.Solver()
    solver.add(*(sum(f * x for f, x in zip(row, real, strict=True)) == number for row, number in drawn))
    if solver.check() == z3.unsat:
        return
    if found is not None:
        form, value = found
        assert value.denominator > 1
        total = sum(factor * real[at] for at, factor in form.items())
        solver.add(total != z3.Q(value.numerator, value.denominator))
        assert solver.check() == z3.unsat
        return
    solver = z3.Solver()
    solver.add(*(sum(f * x for f, x in zip(row, whole, strict=True)) == number for row, number in drawn))
    assert solver.check() == z3.sat


@pytest.mark.slow
def test_many_random_comparisons_are_refuted_where_z3_finds_none() -> None:
    """[GROUND-ARITHMETIC]"""
    counts = agree(range(1_000, 3_000))
    # What is left are integers that need more splits, or a rounding that is none of one comparison.
    assert counts.get(("unsat", "unknown"), 0) <= counts["unsat", "unsat"] / 20


class DrawnBound(NamedTuple):
    """A bound on a form over four numbers."""

    row: dict[int, Fraction]
    limit: Fraction
    upper: bool
    strict: bool

    def solved(self, numbers: list[z3.ArithRef]) -> z3.BoolRef:
        total = sum(z3.Q(*each.as_integer_ratio()) * numbers[at] for at, each in self.row.items())
        limit = z3.Q(*self.limit.as_integer_ratio())
        if self.upper:
            return total < limit if self.strict else total <= limit
        return total > limit if self.strict else total >= limit


def drawn_bound(random: Random) -> DrawnBound:
    row = {
        at: Fraction(random.choice([-3, -1, 1, 2])) for at in random.sample(range(4), random.randint(1, 3))
    }
    limit = Fraction(random.randint(-5, 5), 2)
    return DrawnBound(row, limit, random.random() < 0.5, random.random() < 0.3)


def is_false(conflict: BoundConflict, bounds: list[DrawnBound]) -> bool:
    """Whether the sum of the bounds of a conflict, times their factors, has no number in it and is false."""
    total = dict.fromkeys(range(4), Fraction(0))
    least, is_strict = Fraction(0), False
    for reason, upper, factor in conflict:
        assert isinstance(reason, int) and factor > 0 and bounds[reason].upper is upper
        sign = factor if upper else -factor
        for at, each in bounds[reason].row.items():
            total[at] += sign * each
        least, is_strict = least - sign * bounds[reason].limit, is_strict or bounds[reason].strict
    return not any(total.values()) and (least > 0 or (is_strict and least == 0))


def bounds_agree(seeds: range) -> None:
    """Bounds on random forms: the values are within them, or the sum of a conflict is false."""
    numbers = [z3.Real(f"v{at}") for at in range(4)]
    for seed in seeds:
        random = Random(seed)
        bounds = [drawn_bound(random) for _ in range(random.randint(3, 12))]
        simplex, solver = Simplex(), z3.Solver()
        columns = [simplex.variable() for _ in numbers]
        conflict = None
        for number, each in enumerate(bounds):
            solver.add(each.solved(numbers))
            little = Fraction((-1 if each.upper else 1) if each.strict else 0)
            variable = simplex.form({columns[at]: factor for at, factor in each.row.items()})
            found = simplex.bound(variable, (each.limit, little), number, upper=each.upper)
            conflict = conflict or found
        conflict = conflict or simplex.check(lambda: None)
        assert (conflict is None) == (solver.check() == z3.sat), seed
        assert conflict is None or is_false(conflict, bounds), seed


def test_bounds_are_within_reach_or_contradict_each_other() -> None:
    bounds_agree(range(200))


@pytest.mark.slow
def test_many_bounds_are_within_reach_or_contradict_each_other() -> None:
    bounds_agree(range(1_000, 6_000))
