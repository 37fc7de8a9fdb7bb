"""Whether steps follow: the paper's example, kinds of steps, missing premises, bad inputs."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from potlang.languages.dagmath.check.graph import BrokenGraphError
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.results import StepResult, StepsReport, StepVerdict
from potlang.languages.dagmath.solve.checking import check_steps
from potlang.languages.dagmath.solve.identities import MISSING, Identities
from potlang.report.results import Limits

Line = tuple[tuple[int, ...] | None, str]
PROVED, REFUTED, NOT_ENTAILED = StepVerdict.PROVED, StepVerdict.REFUTED, StepVerdict.NOT_ENTAILED
NOT_CHECKABLE, GIVEN, UNKNOWN = StepVerdict.NOT_CHECKABLE, StepVerdict.GIVEN, StepVerdict.UNKNOWN
EXAMPLES = Path(__file__).parents[2] / "examples"


def solution(*lines: Line, problem: str | None = None) -> Solution:
    """Steps of (parents, node) with the ids 1, 2, …."""
    steps = [Step(at, "It follows.", parents, node) for at, (parents, node) in enumerate(lines, start=1)]
    return Solution(tuple(steps), problem=problem)


def last(*lines: Line, problem: str | None = None, **options: Any) -> StepResult:
    """What is found of the last of some steps."""
    return check_steps(solution(*lines, problem=problem), **options).steps[-1]


# --- the paper's example ---


def natascha(change: Callable[[Step], Step] = lambda step: step) -> StepsReport:
    """The report on appendix E.1, with a change to its steps."""
    written = json.loads((EXAMPLES / "natascha.dagmath.json").read_text(encoding="utf-8"))
    steps = []
    for each in written["steps"]:
        parents = each["direct_dependent_steps"]
        parents = None if parents is None else tuple(parents)
        steps.append(change(Step(each["step_id"], each["edge"], parents, each["node"])))
    return check_steps(Solution(tuple(steps), problem=written["problem"]))


def test_natascha() -> None:
    """The derived steps of appendix E.1 are proved, and the others given."""
    report = natascha()
    proved = [step.id for step in report.steps if step.verdict is PROVED]
    assert proved == [5, 7, 8, 9, 10, 11, 12, 13]
    assert report.count(GIVEN) == 5 and report.checkable_share == 1 and report.ok


@pytest.mark.parametrize("wrong", ["11r", "13r", "12r + 1", "-12r"])
def test_natascha_with_an_error(wrong: str) -> None:
    """Another multiple of r is not what the product is, though both are 0 where r is ([STEP-REWRITING])."""
    report = natascha(lambda s: s._replace(node=s.node.replace("12r$", f"{wrong}$")) if s.id == 10 else s)
    assert report.steps[9].verdict is REFUTED
    assert report.steps[9].by == ("solver" if "+" in wrong else "rewriting")
    assert all(step.verdict is not REFUTED for step in report.steps[:9])


def test_natascha_without_a_premise() -> None:
    """Without step 2 the time of cycling is not known: it is named as what is missing ([STEP-MISSING])."""
    report = natascha(lambda s: s._replace(parents=(5, 6)) if s.id == 9 else s)
    assert (report.steps[8].verdict, report.steps[8].missing) == (NOT_ENTAILED, 2)
    assert [step.id for step in report.steps if step.verdict is PROVED] == [5, 7, 8, 10, 11, 12, 13]


@pytest.mark.parametrize(
    ("step", "parents", "missing"), [(5, (4,), 1), (7, (4, 6), 3), (7, (3, 4), 6), (8, (), 7)]
)
def test_natascha_without_another_premise(step: int, parents: tuple[int, ...], missing: int) -> None:
    """Whichever single premise is dropped is found again ([STEP-MISSING])."""
    report = natascha(lambda s: s._replace(parents=parents) if s.id == step else s)
    assert report.steps[step - 1].verdict is not REFUTED
    assert report.steps[step - 1].missing == missing


# --- kinds of steps ---

EQUATION: Line = (None, "$2x + 1 = 7$.")
SQUARE: Line = (None, "$x^2 - 5x + 6 = 0$.")
KINDS: dict[str, tuple[StepVerdict, list[Line]]] = {
    "a linear equation": (PROVED, [EQUATION, ((1,), "So $x = 3$.")]),
    "a wrong root": (REFUTED, [EQUATION, ((1,), "So $x = 4$.")]),
    "two roots": (PROVED, [SQUARE, ((1,), "So $x = 2$ or $x = 3$.")]),
    "one root of two": (NOT_ENTAILED, [SQUARE, ((1,), "So $x = 2$.")]),
    "no root": (REFUTED, [SQUARE, ((1,), "So $x = 4$ or $x = 1$.")]),
    "roots with a sign": (PROVED, [(None, "$x^2 = 9$."), ((1,), r"Hence $x = \pm 3$.")]),
    "an irrational root": (PROVED, [(None, "$x^2 = 2$."), (None, "$x > 0$."), ((1, 2), r"$x = \sqrt{2}$.")]),
    "a factoring": (PROVED, [SQUARE, ((1,), "Factoring gives $(x-2)(x-3) = 0$.")]),
    "an inequality": (PROVED, [(None, "$-2x + 3 < 7$."), ((1,), "$x > -2$.")]),
    "an inequality turned round": (REFUTED, [(None, r"$-2x + 3 \le 7$."), ((1,), "$x < -2$.")]),
    "a weaker inequality": (PROVED, [(None, "$x < 3$."), ((1,), r"$x \le 5$.")]),
    "a stronger inequality": (NOT_ENTAILED, [(None, "$x < 5$."), ((1,), "$x < 3$.")]),
    "squares are positive": (PROVED, [((), r"$x^2 + y^2 \ge 2xy$.")]),
    "a substitution": (PROVED, [(None, "$x = 3$."), (None, "$y = x^2 + 1$."), ((1, 2), "$y = 10$.")]),
    "a chain": (PROVED, [(None, "$x = 3$."), ((1,), "$x^2 + 1 = 9 + 1 = 10$.")]),
    "a broken chain": (REFUTED, [(None, "$x = 3$."), ((1,), "$x^2 + 1 = 9 + 1 = 11$.")]),
    "arithmetic": (PROVED, [((), r"$(48 \times 15) - (320 \div 8) + 27 = 707$.")]),
    "false arithmetic": (REFUTED, [((), r"$48 \cdot 15 = 721$.")]),
    "large numbers": (PROVED, [((), "$2^{200} > 3^{126}$.")]),
    "a power that is too large": (UNKNOWN, [((), "$9^{9^{9^9}} > 1$.")]),
    "a given that is false": (REFUTED, [(None, "$2 + 2 = 5$.")]),
    "division by zero": (NOT_CHECKABLE, [((), r"$\frac{1}{0} = 1$.")]),
    "division by a variable": (NOT_ENTAILED, [(None, "$x^2 = x$."), ((1,), "$x = 1$.")]),
    "a fraction": (PROVED, [(None, r"$\frac{x}{2} + \frac{x}{3} = 5$."), ((1,), "$x = 6$.")]),
    "a root of a product": (PROVED, [((), r"$\sqrt{12} = 2\sqrt{3}$.")]),
    "a floor": (PROVED, [((), r"$\lfloor 999/2 \rfloor = 499$.")]),
    "a count": (
        PROVED,
        [(None, "$1 \\le k \\le 300$."), ((1,), "The number of integers $k$ in $[1,300]$ is $300$.")],
    ),
    "a wrong count": (
        REFUTED,
        [(None, "$1 \\le k$."), ((1,), "The number of integers $k$ in $[1,300]$ is $299$.")],
    ),
    "whole numbers": (
        PROVED,
        [(None, "Let $n$ be a positive integer."), (None, "$n < 2$."), ((1, 2), "$n = 1$.")],
    ),
    "a remainder": (
        PROVED,
        [
            (None, r"$n \in \mathbb{Z}$."),
            (None, r"$n \equiv 2 \pmod{3}$."),
            ((1, 2), r"$n + 1 \equiv 0 \pmod{3}$."),
        ],
    ),
    "a binomial coefficient": (PROVED, [((), r"$\binom{10}{3} = \frac{10!}{3! \cdot 7!} = 120$.")]),
    "a sum": (PROVED, [((), r"$\sum_{k=1}^{100} k = 5050$.")]),
    "a system": (PROVED, [(None, "$x + y = 5$."), (None, "$x - y = 1$."), ((1, 2), "$x = 3, y = 2$.")]),
    "a definition": (NOT_CHECKABLE, [(None, "$x = 3$."), ((1,), "Put $D = x + 1$.")]),
    "a definition with its value": (
        PROVED,
        [(None, "$x = 3$."), ((1,), "The discriminant is $D = x + 1 = 4$.")],
    ),
    "logarithms": (PROVED, [(None, r"$2\log(x - 1) = \log k$."), ((1,), "$(x-1)^2 = k$.")]),
    "an implication": (PROVED, [(None, "$y > 0$."), ((1,), "If $x > 1$ then $x + y > 1$.")]),
    "an expansion": (
        PROVED,
        [(None, "The expression is $(x+2)^2$."), ((1,), "Expanding gives $x^2 + 4x + 4$.")],
    ),
    "a wrong expansion": (
        REFUTED,
        [(None, "The expression is $(x+2)^2$."), ((1,), "Expanding gives $x^2 + 4$.")],
    ),
    "a number named": (PROVED, [(None, "The sum is $3 + 4$."), ((1,), "This equals $7$.")]),
    "words": (NOT_CHECKABLE, [(None, "$x = 1$."), ((1,), "The claim follows by symmetry.")]),
    "a final answer": (PROVED, [EQUATION, ((1,), "$x = 3$."), ((2,), r"The final answer is $\boxed{3}$.")]),
    "a wrong final answer": (
        REFUTED,
        [EQUATION, ((1,), "$x = 3$."), ((2,), r"The final answer is $\boxed{4}$.")],
    ),
    "premises that contradict": (
        NOT_CHECKABLE,
        [(None, "$x = 1$."), (None, "$x = 2$."), ((1, 2), "$x = 5$.")],
    ),
    "a premise that is not read": (
        NOT_CHECKABLE,
        [(None, "Every duck swims in circles."), ((1,), "$2x = 6$.")],
    ),
    "an absolute value": (PROVED, [(None, "$|x - 3| < 2$."), ((1,), "$1 < x < 5$.")]),
    "percent": (PROVED, [((), r"$20\% \cdot 50 = 10$.")]),
    "two functions": (PROVED, [(None, "$f(x) = x^2 + 1$."), ((1,), "$f(3) - f(2) = 5$.")]),
    "a proposition": (GIVEN, [(None, "$x = 1$.")]),
}


@pytest.mark.parametrize("title", KINDS)
def test_kinds(title: str) -> None:
    """[STEP-SENTENCES] [STEP-PREMISES] The verdict on one step of each kind ([STEP-VERDICTS])."""
    expected, lines = KINDS[title]
    found = last(*lines)
    assert found.verdict is expected, (found.reason, found.read)


def test_an_assured_answer() -> None:
    """With trust="best" answers are checked by others than who gave them."""
    found = last(EQUATION, ((1,), "So $x = 3$."), trust="best")
    assert found.verdict is PROVED and found.trust in ("checked", "cross-checked")


def test_what_is_taken_for_granted_is_said() -> None:
    """A quotient is taken to be defined, and that is said ([STEP-DEFINED])."""
    found = last((None, "$y = 2x$."), ((1,), r"$\frac{y}{x} = 2$."))
    assert (found.verdict, found.assuming) == (PROVED, ("x != 0",))
    found = last((None, "$x > 1$."), (None, "$y = 2x$."), ((1, 2), r"$\frac{y}{x} = 2$."))
    assert (found.verdict, found.assuming) == (PROVED, ())


@pytest.mark.usefixtures("unhurried")
def test_a_case_that_is_not_defined_proves_nothing() -> None:
    """Below a connective a relation says that it is defined, too ([STEP-DEFINED])."""
    found = last((None, "$xy = 1$."), ((1,), r"$\frac{1}{x} = y$ or $x = 0$."))
    assert found.verdict is PROVED
    found = last((None, "$x = 0$."), ((1,), r"$\frac{1}{x} = 1$ or $x = 0$."))
    assert found.verdict is PROVED
    found = last((None, "$y = 1$."), ((1,), r"$\frac{x}{x} = y$ or $x = 1$."))
    assert found.verdict is NOT_ENTAILED


@pytest.mark.parametrize("dropped", [2, 3])
def test_the_missing_premise(dropped: int) -> None:
    """Of two premises the dropped one is named ([STEP-MISSING])."""
    parents = tuple(each for each in (2, 3) if each != dropped)
    found = last((None, "$z = 5$."), (None, "$x = 3$."), (None, "$y = x + 4$."), (parents, "$y = 7$."))
    assert (found.verdict, found.missing) == (NOT_ENTAILED, dropped)


def test_no_single_step_is_missing() -> None:
    """Where two steps would be needed none is named ([STEP-MISSING])."""
    found = last((None, "$x = 3$."), (None, "$z = 4$."), (None, "$y > 0$."), ((3,), "$x + z = 7$."))
    assert (found.verdict, found.missing) == (NOT_ENTAILED, None)


def test_givens_that_contradict() -> None:
    """Given steps that cannot hold together are named, and no others ([STEP-GIVEN])."""
    report = check_steps(
        solution((None, "$x > 3$."), (None, "$y = 2$."), (None, "$x + y < 4$."), (None, "$z = 1$."))
    )
    assert report.contradiction == (1, 2, 3) and not report.ok


def test_broken_graphs() -> None:
    """Steps that are no graph are an error of the caller."""
    with pytest.raises(BrokenGraphError):
        check_steps(solution(((2,), "$x = 1$."), (None, "$x = 1$.")))


# --- SymPy ---

IDENTITIES = {
    r"$\sum_{k=1}^{n} k = \frac{n(n+1)}{2}$.": PROVED,
    r"$x^n \cdot x = x^{n+1}$.": PROVED,
    r"$\sin^2 x + \cos^2 x = 1$.": PROVED,
    r"$\frac{x^2 - 1}{x - 1} = x + 1$.": PROVED,
    r"$\log(xy) = \log x + \log y$.": PROVED,
    r"$\sqrt{x^2} = x$.": NOT_ENTAILED,
    r"$\sin^2 x - \cos^2 x = 1$.": UNKNOWN,
}


@pytest.mark.parametrize("node", IDENTITIES)
def test_identities(node: str) -> None:
    """What solvers know too little of, SymPy may show to be the same; it refutes nothing ([STEP-SYMPY])."""
    pytest.importorskip("sympy")
    assert last(((), node)).verdict is IDENTITIES[node]


def test_sympy_that_takes_too_long() -> None:
    """SymPy's process is ended in time, and the step is unknown ([STEP-SYMPY])."""
    pytest.importorskip("sympy")
    identities = Identities(seconds=0.5)
    node = r"$(\sin x + \cos y + x^n)^{200} (x+y+z+w)^{190} = (u+v+x^n)^{180} (x+y+u)^{199}$."
    found = last(((), node), identities=identities)
    assert found.verdict is UNKNOWN and "took longer" in identities.note


def test_without_sympy() -> None:
    """Without SymPy its identities are unknown, and the note says how to install it ([STEP-SYMPY])."""
    identities = Identities()
    identities.note = MISSING
    assert last(((), r"$\cosh^2 x - \sinh^2 x = 1$."), identities=identities).verdict is UNKNOWN
    assert MISSING == "sympy is not installed (`potc doctor` says how)"


# --- bad inputs ---

HOSTILE = [
    "$" + "(" * 3_000 + "x" + ")" * 3_000 + "$",
    "$x = " + r"\frac{1}{" * 300 + "2" + "}" * 300 + "$.",
    "Therefore, " * 300,
    "the formula for " * 200 + "$d = vt$",
    "formula for " + "a (" * 900 + "is $x$",
    "since $x$, " * 300,
    "$x$ and " * 400,
    "let " * 900 + "$x$ be",
    "\\boxed{" * 500,
    "$" * 3_999,
    "$$" * 1_999,
    "number of integers " * 200 + "is $3$",
    "a times as fast as " * 150,
    "1 " * 1_900,
    "x = " * 900,
    "1,2," * 900,
    "Step 1, Step 2 and " * 180,
    "⟦0⟧ " * 900,
    "⟦0⟧",
    "⟦99⟧ is $x$",
    "the ratio of a to b " * 150 + "is $2:3$.",
    "$" + "x^{" * 30 + "9" + "}" * 30 + " = 1$.",
    "$" + "+".join(f"x_{{{i}}}" for i in range(500)) + " = 0$.",
    "$" + "*".join(f"(x_{{{i}}} + 1)" for i in range(60)) + " = 0$.",
    "$x^{64} y^{64} z^{64} + x^{63} = 7 w^{61}$.",
    "$" + " = ".join(["x"] * 900) + "$.",
    "$x = 10^{10^{10}}$",
    "$x! = 120$",
    r"$5 \implies 3$.",
    r"$x = 1 \implies 1 + 2 + x$.",
    r"$x = 1 \iff 2$.",
    r"\boxed{1}" * 430,
    "$\\ud800$",
    "\x00\x01",
    "",
    " ",
]


@pytest.mark.parametrize("node", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_nodes(node: str) -> None:
    """Whatever a node contains, there is a verdict on it in the time allowed ([STEP-BOUNDS])."""
    began = time.monotonic()
    report = check_steps(
        solution((None, "$x = 1$."), (None, node), ((1, 2), node), ((1, 3), "$x = 1$.")),
        limits=Limits(check_ms=300, total_ms=3_000),
    )
    assert len(report.steps) == 4
    assert json.dumps(report.to_dict())
    assert time.monotonic() - began < 60  # A bound on hanging, no measurement.


def test_no_time() -> None:
    """With the time used up the steps are unknown, and none is judged ([STEP-BOUNDS])."""
    report = check_steps(solution(EQUATION, ((1,), "$x = 3$.")), limits=Limits(check_ms=1, total_ms=0))
    assert report.steps[1].verdict is UNKNOWN


def test_the_report_as_json() -> None:
    """Plain values, with counts and the share of what could be settled ([STEP-SHARE])."""
    lines: list[Line] = [EQUATION, ((1,), "$x = 3$."), ((2,), "By symmetry we are done."), ((2,), "$x = 4$.")]
    value = check_steps(solution(*lines)).to_dict()
    assert [step["verdict"] for step in value["steps"]] == ["given", "proved", "not checkable", "refuted"]
    assert value["counts"]["refuted"] == 1 and value["checkable_share"] == pytest.approx(2 / 3, abs=1e-6)
    assert json.loads(json.dumps(value)) == value
