"""Steps with a `formal` field: how it is read, compared with the prose, and used."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from formal_cases import DAMAGES, NAMES, made, value, written

import potlang
from potlang.languages.dagmath.check.form import check
from potlang.languages.dagmath.lower.formal import read_formal
from potlang.languages.dagmath.lower.syntax import text
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.results import StepResult, StepVerdict
from potlang.languages.dagmath.solve.checking import check_steps
from potlang.languages.dagmath.write import solution_value, write_json, write_text
from potlang.score import fast, plain
from potlang.score.samples import has_formal
from potlang.score.summary import summary_text

PROVED, REFUTED, GIVEN = StepVerdict.PROVED, StepVerdict.REFUTED, StepVerdict.GIVEN
NOT_CHECKABLE = StepVerdict.NOT_CHECKABLE
DECLARED = "Let $x$, $y$ and $z$ be real numbers, and take 17 and 23."


def last(node: str, formal: str, *given: str) -> StepResult:
    """The result on a step that rests on given ones."""
    steps = [Step(at, "", None, each) for at, each in enumerate(given, 1)]
    parents = tuple(step.id for step in steps)
    return check_steps(Solution((*steps, Step(len(steps) + 1, "", parents, node, formal)))).steps[-1]


def codes(*steps: Step) -> list[str]:
    """The codes that are reported of the `formal` fields of steps."""
    found = check(solution_value(Solution(steps))).diagnostics
    return [each.code for each in found if each.code in ("POT7032", "POT7033", "POT7034")]


# --- reading ---

READ = {
    "2*x == 6": "2*x = 6",
    "Eq(x**2, 4)": "x^{2} = 4",
    "x**2 - 4": "x^{2} - 4",
    "sqrt(2)*x >= 1": r"\sqrt{2}*x >= 1",
    "Ne(factorial(5), binomial(5, 2))": r"5! != \binom{5}{2}",
    "And(Gt(x, 1), Le(x, Rational(7, 2)))": r"x > 1 and x <= \frac{7}{2}",
    "Eq(Sum(k, (k, 1, n)), n*(n + 1)/2)": r"(\sum_{k = 1}^{n} k) = \frac{n*(n + 1)}{2}",
    "Eq(Mod(n, 5), 2)": r"n \bmod 5 = 2",
    "Implies(x > 2, Not(Eq(x, 1)))": r"x > 2 => \neg x = 1",
    "root(x, 3) == 2": r"\sqrt[3]{x} = 2",
    "cbrt(x) == 2": r"\sqrt[3]{x} = 2",
    "log(8, 2) == 3": r"\log_{2}(8) = 3",
}


@pytest.mark.parametrize("source", READ)
def test_expressions_of_both_languages(source: str) -> None:
    """[STEP-FORMAL]: PoT's and SymPy's names are those of the operations that steps have."""
    found = read_formal(source, frozenset("n"))
    assert found.term is not None, found.reason
    assert text(found.term) == READ[source]


@pytest.mark.parametrize(
    ("source", "is_formed"),
    [
        ("x == ", False),
        ("__import__('os').system('true')", False),
        ("(lambda: 3)() == 3", False),
        ("x = 3", False),
        ("(" * 3_000 + "x" + ")" * 3_000, True),
        ("1 + " * 900 + "1 == x", True),
        ("reached(5)", True),
        ("x", True),
        ("Eq(x)", True),
        ("Sum(k, k) == 3", True),
        ("ForAll([n: Int], n > 2)", True),
        ("x and 3 < y", True),
        ("x + (y > 2) == 3", True),
        ("x % 2 == 0", True),
        ("f(x, 2) == f(x)", True),
        ("x == True", True),
        ("p -> q", True),
    ],
)
def test_what_is_not_read(source: str, is_formed: bool) -> None:
    """[STEP-FORMAL]: it is reported with a reason, and the node is read in its place."""
    found = read_formal(source, frozenset())
    if found.term is None:
        assert found.reason and found.is_formed is is_formed
        result = last("So $2x = 6$.", source, "$x = 3$.")
        assert (result.verdict, result.formal) == (PROVED, "unread")
        expected = "POT7034" if is_formed else "POT7032"
        assert codes(Step(1, "", None, "$x = 3$."), Step(2, "", (1,), "$2x = 6$.", source)) == [expected]


def test_it_counts_in_the_place_of_the_node() -> None:
    """[STEP-FORMAL-USED]: names in words are linked by it, and whole numbers are those of sentences."""
    steps = (
        Step(1, "", None, "There are 12 eggs in all.", "eggs == 12"),
        Step(2, "", (1,), "Twice the eggs are 24.", "2*eggs == 24"),
        Step(3, "", (1,), "Twice the eggs are 25.", "2*eggs == 25"),
        Step(4, "", None, "Suppose $x = 3$.", "x == 3"),
        Step(5, "", None, "Let $n$ be a positive integer."),
        Step(6, "", None, r"$n \equiv 3 \pmod 4$.", "n % 4 == 3"),
        Step(7, "", (6,), r"$n \equiv 1 \pmod 2$.", "n % 2 == 1"),
        Step(8, "", (6,), r"$n \equiv 0 \pmod 2$.", "Eq(Mod(n, 2), 0)"),
    )
    report = check_steps(Solution(steps))
    assert [step.verdict for step in report.steps] == [
        *(GIVEN, PROVED, REFUTED, GIVEN, GIVEN, GIVEN, PROVED, REFUTED)
    ]
    assert report.formal_share == 1.0 and {step.formal for step in report.steps} == {"used", None}


def test_the_share_that_rests_on_it() -> None:
    """[STEP-FORMAL-SHARE]: of the settled steps, in the report as text and as JSON."""
    steps = (
        Step(1, "By the problem.", None, "$x = 3$."),
        Step(2, "By Step 1.", (1,), "$2x = 6$.", "2*x == 6"),
        Step(3, "By Step 2.", (2,), r"$2x + 1 = 7$, so the answer is $\boxed{7}$."),
        Step(4, "By Step 1.", (1,), "$5x = 15$."),
    )
    report = potlang.dagmath.verify(Solution(steps))
    assert report.formal_share == pytest.approx(1 / report.settled)
    assert f"{report.formal_share:.0%} of the settled ones rest on `formal`" in report.render()
    assert report.to_dict()["formal_share"] == round(report.formal_share, 6)
    assert [each["result"]["formal"] for each in report.to_dict()["steps"]] == [None, "used", None, None]


# --- agreement ---

AGREEING = [
    ("So $x = 3$ or $x = -3$.", "Or(Eq(x, 3), Eq(x, -3))"),
    (r"So $x = \pm 3$.", "x == 3 or x == -3"),
    ("Hence x is at least 5.", "5 <= x"),
    ("Therefore 3 + 4 = 7 apples.", "apples == 7"),
    ("The number of apples = 3 + 4 = 7.", "apples == 3 + 4"),
    ("20% of 50 = 10.", "0.2*50 == 10"),
    ("Seven plus three equals ten.", "7 + 3 == 10"),
    ("x is 3 more than y.", "x == y + 3"),
    ("x is less than y.", "y > x"),
    ("$x - 3 = 0$.", "x == 3"),
    ("So $y = 2*3 = 6$.", "y == 6"),
    ("Let $n$ be a positive integer.", "n > 0"),
    ("The square root of 9 is 3.", "sqrt(9) == 3"),
    (r"$a \equiv 3 \pmod 5$.", "Eq(Mod(a, 5), 3)"),
    ("The expression is $x^2 - 4$.", "x**2 - 4"),
    ("Adding three to four makes seven.", "3 + 4 == 7"),
    (r"So it follows that $\texttt{(k2 == k2)}$.", "(k2 == k2)"),
    (r"It follows that $\texttt{Not((0 == 1))}$.", "Not((0 == 1))"),
    (r"It is given that $\texttt{step\_1 == 3}$.", "step_1 == 3"),
    ("There are 4 x 6 = 24 red pencils in the box.", "red_pencils == 4*6"),
    ("So Dana has a total of 30 + 12 = 42 stamps.", "stamps == 30 + 12 == 42"),
    (
        r"$(x - 2)^2 - 9 \ge 0$. This reduces to $x^2 - 4x - 5 \ge 0$, that is $(x - 5)(x + 1) \ge 0$.",
        "And((x - 2)**2 - 9 >= 0, x**2 - 4*x - 5 >= 0, (x - 5)*(x + 1) >= 0)",
    ),
    (r"$\frac{x + y}{2} = 7 \Rightarrow x + y = 14$.", "Implies(Eq((x + y)/2, 7), Eq(x + y, 14))"),
    ("If $x$ is Dana's share, then $x = 2y$, and $x + y = 9$.", "And(Eq(x, 2*y), Eq(x + y, 9))"),
    ("Since $x$ and $y$ are positive, $xy = 12$.", "And(x > 0, y > 0, Eq(x*y, 12))"),
    ("The sum is $4 + 5 + 6 = 15$, which is less than 20.", "And(Eq(4 + 5 + 6, 15), 15 < 20)"),
    ("The roots are $x = 2$ and $x = 5$.", "x == 2 or x == 5"),
    (r"$\tan A = \frac{\text{height}}{\text{base}} = \frac{x}{y}$.",
     "And(Eq(tan(A), height/base), Eq(tan(A), x/y))"),
    (r"$\sin^2 \angle PQR = 1$.", "sin(PQR)**2 == 1"),
    (r"$\sin 30^\circ = \frac{1}{2}$.", "sin(30*pi/180) == 1/2"),
]  # fmt: skip
DISAGREEING = [
    (r"It is false that $\texttt{Not((0 == 1))}$.", "Not((0 == 1))"),
    (r"It follows that $\texttt{Not((0 == 2))}$.", "Not((0 == 1))"),
    (r"It follows that $\texttt{Not((0 == 1))}$ and $x = 3$.", "Not((0 == 1))"),
    ("3 + 4 = 8.", "3 + 4 == 7"),
    ("3 + 4 = 8.", "1 < 2"),
    ("3 + 4 = 8.", "0 == 0"),
    ("3 + 4 = 7.", "7 == 7"),
    ("So 3 + 4 = 8, and x = 3.", "x == 3"),
    ("Hence x is at least 5.", "x == 5"),
    ("Hence x is at least 5.", "5 >= x"),
    ("The sum of 3 and 4 is 7.", "3*4 == 7"),
    ("There are twelve eggs.", "eggs == 11"),
    ("There are twelve eggs.", "hens == 12"),
    ("If $x > 2$, then $x > 1$.", "And(x > 2, x > 1)"),
    ("If $x > 2$, then $x > 1$.", "Implies(x > 1, x > 2)"),
    ("So $x = 3$ or $x = -3$.", "And(Eq(x, 3), Eq(x, -3))"),
    ("$2x + 2x = 4x$.", "4*x"),
    ("Adding three to four makes eight.", "8 + 3 + 4 == 4 + 3 + 8"),
    ("Adding three to four makes eight.", "4*3 - 4 == 8"),
    ("Adding three to six makes eighteen.", "3*6 == 18"),
    ("x equals y.", "x + y == y + x"),
    ("There are 4 x 6 = 24 red pencils in the box.", "red_pencils == 4*7"),
    ("There are 4 x 6 = 24 red pencils in the box.", "blue_pencils == 4*6"),
    ("Since $x$ and $y$ are positive, $xy = 12$.", "And(x < 0, y > 0, Eq(x*y, 12))"),
    ("The sum is $4 + 5 + 6 = 15$, which is less than 20.", "And(Eq(4 + 5 + 6, 15), 15 > 20)"),
    ("The sum is $4 + 5 + 6 = 15$, which is less than 20.", "And(Eq(4 + 5 + 6, 15), 15 < 30)"),
    ("The sum is $4 + 5 + 6 = 15$, which is less than 20.", "4 + 5 + 6 == 15"),
    ("This is $2 * 9 = 18 = 6 * 3$, less than 20.", "And(Eq(2*9, 18), 18 < 6*3, 6*3 < 20)"),
    ("We have $x = 2$ and $y = 5$.", "x == 2 or y == 5"),
    ("If $x = 2$ and $y = 5$, then $x + y = 7$.", "And(Eq(x, 2), Eq(y, 5), Eq(x + y, 7))"),
    (r"$\sin 30^\circ = \frac{1}{2}$.", "sin(30) == 1/2"),
]


@pytest.mark.parametrize(("node", "formal"), AGREEING)
def test_what_agrees(node: str, formal: str) -> None:
    """[STEP-FORMAL-SAYS] [STEP-FORMAL-NUMBERS] [STEP-FORMAL-NAMES] [STEP-FORMAL-RELATION]."""
    assert codes(Step(1, "", None, node, formal)) == []


@pytest.mark.parametrize(("node", "formal"), DISAGREEING)
def test_what_disagrees(node: str, formal: str) -> None:
    """[STEP-FORMAL-SAYS] [STEP-FORMAL-LOGIC]: it is reported, and the step is not proved by it."""
    assert codes(Step(1, "", None, node, formal)) == ["POT7033"]
    found = last(node, formal)
    assert found.formal == "disagrees" and found.verdict in (NOT_CHECKABLE, REFUTED)
    assert found.verdict is REFUTED or "`formal` says something else" in found.reason


@pytest.mark.parametrize("row", ["&= (x - 2)(x + 2)", r"\[ = (x - 2)(x + 2) \]"])
def test_a_row_goes_on_with_the_step_before(row: str) -> None:
    """[STEP-FORMAL-SAYS]: its left side is the last one of that step."""
    first = Step(1, "", None, "$y = x^2 - 4$.")
    for formal, expected in (
        ("x**2 - 4 == (x - 2)*(x + 2)", []),
        ("x**2 - 5 == (x - 2)*(x + 2)", ["POT7033"]),
    ):
        assert codes(first, Step(2, "", (1,), row, formal)) == expected


def _reported(node: str, formal: str) -> bool:
    return bool(codes(Step(1, "", None, DECLARED), Step(2, "", (1,), node, formal)))


def test_prose_made_of_a_formula_agrees_with_it() -> None:
    """[STEP-FORMAL-SAYS]: as PoT and as SymPy text."""
    random = Random(4)
    for _ in range(150):
        case = made(random)
        formal = written(case.tree, sympy=random.random() < 0.5)
        assert not _reported(case.prose, formal), (case.prose, formal)


@pytest.mark.parametrize("kind", DAMAGES)
def test_damages_are_found(kind: str) -> None:
    """[STEP-FORMAL-SAYS]: of a formula that was changed in one place 95 % are reported, at least."""
    assert len(missed(kind, 60, 5)) <= 3


@pytest.mark.slow
@pytest.mark.parametrize("kind", DAMAGES)
def test_damages_are_found_deeply(kind: str) -> None:
    """As above, of many."""
    assert len(missed(kind, 1_000, 6)) <= 50


def missed(kind: str, count: int, seed: int) -> list[tuple[str, str]]:
    """The node and the damaged formula of those, among so many, that are not reported."""
    random = Random(seed)
    found: list[tuple[str, str]] = []
    tried = 0
    while tried < count:
        case = made(random)
        tree = DAMAGES[kind](random, case.tree)
        if tree is None:
            continue
        tried += 1
        formal = written(tree, sympy=random.random() < 0.5)
        if not _reported(case.prose, formal):
            found.append((case.prose, formal))
    return found


def _check_verdict(random: Random) -> None:
    """[STEP-FORMAL-USED]: with values for the names the verdict is what Python's operators give."""
    case = made(random)
    values = {name: Fraction(random.randint(2, 60)) for name in NAMES}
    given = [f"${name} = {number}$." for name, number in values.items()]
    found = last(case.prose, written(case.tree, sympy=random.random() < 0.5), *given)
    expected = PROVED if value(case.tree, values) else REFUTED
    assert found.formal == "used", (case, found)
    # Time decides nothing: a solver that gave up for want of it has not erred.
    assert found.verdict is expected or found.limited, (case, values, found)


def test_verdicts_are_those_of_evaluation() -> None:
    """As above, a few."""
    random = Random(8)
    for _ in range(12):
        _check_verdict(random)


@pytest.mark.slow
def test_verdicts_are_those_of_evaluation_deeply() -> None:
    """As above, of many."""
    random = Random(9)
    for _ in range(150):
        _check_verdict(random)


# --- scores ---


@pytest.mark.parametrize("key", ["formal", "prop"])
def test_the_share_in_scores(key: str, tmp_path: Path) -> None:
    """[DAG-FORMAL-SHARE]: by either reader of samples, as JSON and as a table."""
    lines = []
    for formal in ("x == 3", None):
        steps = (Step(1, "Given.", None, "$x = 3$.", formal), Step(2, "By Step 1.", (1,), "$2x = 6$."))
        lines.append(write_json(Solution(steps, correct=True), indent=None).replace('"formal"', f'"{key}"'))
    path = tmp_path / "samples.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    scores = potlang.dagmath.score(path)
    assert scores.to_dict()["groups"][0]["formal_share"] == 0.25
    assert "25.0%" in summary_text(scores) and "formal" in summary_text(scores)
    for reader in (plain, fast):
        found = reader.steps(reader.members(lines[0].encode())["steps"])
        assert [has_formal(step) for step in found] == [True, False]


# --- bad input ---


@pytest.mark.parametrize(
    "source",
    [
        "2**(2**(2**100)) == x",
        "factorial(10**9) == x",
        "(x + y + z + w)**24 == 0",
        "1/(1/0) == x",
        "Sum(Sum(k, (k, 1, n)), (n, 1, 10**6)) == x",
        "Or(" * 39 + "x > 1" + ")" * 39,
        "x < " * 200 + "x",
        " < ".join(f"x{number}" for number in range(200)),
        "\x00",
        "🙂 == 1",
    ],
)
def test_hostile_fields(source: str) -> None:
    """[STEP-FORMAL]: they have an answer, whatever the node says."""
    for node in ("So $x = 3$.", f"The value is {source}.", f"${source}$"):
        assert last(node, source, "$x = 3$.").verdict is not PROVED or "x = 3" in node


# --- writing ---


def test_it_is_read_back() -> None:
    """[DAG-WRITE]: as JSON and as text; the older names are read too."""
    solution = Solution((Step(1, "Given.", None, "$x = 3$.", "Eq(x, 3)"),))
    for written_ in (write_json(solution), write_text(solution)):
        assert check(written_).solution == solution
    assert "Formal: Eq(x, 3)" in write_text(solution)
    assert check(write_text(solution).replace("Formal:", "Proposition:")).solution == solution
    older = json.loads(write_json(solution).replace('"formal"', '"prop"'))
    assert check(older).solution == solution
