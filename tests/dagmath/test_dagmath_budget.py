"""The time that the steps of a solution share, and what is not asked ([LIMIT-STEPS], [STEP-ASKING])."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.results import StepResult, StepVerdict
from potlang.languages.dagmath.solve import budget as budget_module
from potlang.languages.dagmath.solve import identities as identities_module
from potlang.languages.dagmath.solve.budget import Budget
from potlang.languages.dagmath.solve.checking import check_steps
from potlang.languages.dagmath.solve.theory import StepTheory
from potlang.prove.dispatcher import Allowance
from potlang.prove.verdicts import ClaimState, Verifier
from potlang.report.results import Limits
from potlang.utils.deadline import Deadline

MEASURED = budget_module.Stopwatch.stretch
"""Before it is replaced for the tests."""
Line = tuple[tuple[int, ...] | None, str]


def checked(*lines: Line) -> tuple[StepResult, ...]:
    """What is found of steps of (parents, node)."""
    steps = [Step(at, "It follows.", parents, node) for at, (parents, node) in enumerate(lines, start=1)]
    return check_steps(Solution(tuple(steps))).steps


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(budget_module, "monotonic", found)
    return found


def spend(budget: Budget, clock: Clock, seconds: float) -> None:
    with budget.spending():
        clock.seconds += seconds


def test_a_step_that_takes_too_long_leaves_time_for_the_others(clock: Clock) -> None:
    """[LIMIT-STEPS]: a step has a second, and the next one has its own."""
    budget = Budget(100, Limits())
    spend(budget, clock, 0.9)
    assert 90 <= budget.question_ms() <= 100
    spend(budget, clock, 0.2)
    assert budget.question_ms() == 0 and not budget.is_over
    budget.begin_step()
    assert budget.question_ms() == 200


def test_something_is_always_left(clock: Clock) -> None:
    """[LIMIT-STEPS]: no question has more than an eighth of what is left, one to SymPy half."""
    budget = Budget(0, Limits())
    assert (budget.question_ms(), budget.question_ms(1_000, 0.5)) == (125, 500)
    for _ in range(20):
        budget.begin_step()
        spend(budget, clock, budget.question_ms() / 1000)
    assert 0 < budget.question_ms() < 20


def test_checks_of_answers_take_nothing_from_questions(clock: Clock) -> None:
    """[LIMIT-STEPS]: an answer that took all its time is checked all the same, as on an idle machine."""
    budget = Budget(100, Limits())
    assert (budget.question_ms(), budget.confirming_ms()) == (200, 300)
    with budget.spending(200):
        clock.seconds += 0.5
    assert (budget.question_ms(), budget.confirming_ms()) == (200, 150)
    spend(budget, clock, 0.5)
    assert budget.confirming_ms() == 150


def test_an_answer_found_late_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """[LIMIT-STEPS]: where finding it leaves no time of the question, another solver has some of its own."""
    verify = Verifier.verify

    def late(self: Verifier, states: Sequence[ClaimState]) -> None:
        verify(self, states)
        self.dispatcher.allowance = Allowance(self.dispatcher.allowance.limits, Deadline(0))

    monkeypatch.setattr(Verifier, "verify", late)
    lines: list[Line] = [(None, "$x^2 = y$"), (None, "$y < 9$"), ((1, 2), "$x < 3$")]
    steps = [Step(at, "It follows.", parents, node) for at, (parents, node) in enumerate(lines, start=1)]
    found = check_steps(Solution(tuple(steps)), trust="best").steps[-1]
    assert (found.verdict, found.trust) == (StepVerdict.PROVED, "cross-checked")


def test_all_times_are_longer_on_a_busy_machine(clock: Clock) -> None:
    """[LIMIT-STEPS]: but for those of the caller."""
    busy, idle = Budget(100, Limits(), 3.0), Budget(100, Limits())
    for budget, times in ((busy, 3), (idle, 1)):
        assert (budget.question_ms(), budget.confirming_ms()) == (200 * times, 300 * times)
        spend(budget, clock, 0.5 * times)
        assert budget.question_ms(600, 1.0) == 500 * times
        assert budget.question_ms(400, 1.0) == 400 * times
        for _ in range(20):
            budget.wasted()
        assert budget.question_ms() == 50 * times
    assert Budget(100, Limits(check_ms=300), 10.0).question_ms() == 300


@pytest.mark.parametrize(
    ("wall", "own", "stretch"), [(0.5, 0.5, 1), (0.6, 0.2, 3), (9.0, 0.1, 10), (0.01, 0, 2)]
)
def test_how_busy_a_machine_is(
    wall: float, own: float, stretch: float, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[LIMIT-STEPS]"""
    work = Clock()
    monkeypatch.setattr(budget_module.Stopwatch, "stretch", MEASURED)
    monkeypatch.setattr(budget_module, "thread_time", work)
    stopwatch = budget_module.Stopwatch()
    clock.seconds += wall
    work.seconds += own
    assert stopwatch.stretch() == pytest.approx(stretch)


def test_hard_questions_of_one_solution_have_less_and_less() -> None:
    """[LIMIT-STEPS]: after one that nobody could answer, the next are likely to be as hard."""
    budget = Budget(1_000, Limits())
    found = []
    for _ in range(7):
        found.append(budget.question_ms())
        budget.wasted()
    assert found == [200, 150, 112, 84, 63, 50, 50]


def test_what_premises_say_is_proved_where_solvers_give_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """[STEP-ASKING]: each part is a premise, or a multiple of an equation among them."""
    monkeypatch.setattr(Budget, "question_ms", lambda *_: 0)
    told = ((None, "$x^2 + 3y = 7$."), (None, "$z > y$."))
    found = checked(*told, ((1, 2), "$2x^2 + 6y = 14$ and $z > y$."), ((1, 2), "$x^2 + 3y = 8$."))
    assert [step.verdict for step in found[2:]] == ["proved", "unknown"]


def test_the_callers_limits_hold() -> None:
    """A question takes no longer than a check may, and nothing begins after the end."""
    assert Budget(10, Limits(check_ms=7)).question_ms() == 7
    assert Budget(10, Limits(total_ms=0)).is_over


def test_arithmetic_needs_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """[LIMIT-STEPS]: where no solver may be asked any more, calculations are still judged."""
    monkeypatch.setattr(Budget, "question_ms", lambda *_: 0)
    found = checked((None, "$x = 3$."), ((1,), "$2 + 2 = 4$."), ((1,), "$2 + 2 = 5$."), ((1,), "$x^2 > 8$."))
    assert [step.verdict for step in found] == ["given", "proved", "refuted", "unknown"]
    assert found[3].limited and "timeout" in found[3].reason


def test_identities_of_polynomials_need_no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """[STEP-ARITHMETIC]: of them the solver is asked at most whether they are defined."""
    monkeypatch.setattr(StepTheory, "_verified", None)
    (found,) = checked(((), "$(x + y)(x - y) = x^2 - y^2$."))
    assert (found.verdict, found.by) == ("proved", "arithmetic")


def test_what_an_identity_takes_for_granted() -> None:
    """[STEP-DEFINED]: a quotient is taken to be defined, whoever proves the identity."""
    found = checked((None, "$n > m$."), ((1,), r"$\frac{n^2 + n}{n} = n + 1$."))
    assert (found[1].verdict, found[1].assuming) == ("proved", ("n != 0",))


def test_two_signs_are_no_identity() -> None:
    """[STEP-ARITHMETIC]: `±x` has no one value, so that it is not the same as itself."""
    found = checked((None, "$x > 3$."), ((1,), r"$2 \pm x = 2 \pm x$."))
    assert found[1].by != "arithmetic"


def test_contradictory_premises_are_found_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """[STEP-ASKING]: what rests on the same contradiction is not asked about."""
    asked = []
    verified = StepTheory._verified

    def counted(self: StepTheory, *args: object) -> object:
        asked.append(args)
        return verified(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(StepTheory, "_verified", counted)
    found = checked(
        (None, "$x = 1$."), (None, "$x = 2$."), (None, "$y = 3$."),
        *[((1, 2, 3), f"$x + y = {total}$.") for total in range(8)],
    )  # fmt: skip
    assert {step.reason for step in found[3:]} == {"its premises contradict each other"}
    assert len(asked) < 8


def test_sympy_is_not_started_in_vain(monkeypatch: pytest.MonkeyPatch) -> None:
    """[STEP-SYMPY]: not for what it has no words for, nor for what differs at a point."""
    monkeypatch.setattr(identities_module, "shared_children", None)
    found = checked(
        ((), r"$\sin x + \gcd(x, y) = \cos x$."),
        ((), r"$\sin^2 x - \cos^2 x = 1$."),
        ((), "$the price of bread + x! = 7 x^n$."),
    )
    assert not any(step.verdict is StepVerdict.PROVED for step in found)


BAD = {
    "tower of powers": "$x = 2^{3^{4^{5^{6^{7}}}}}$ and $9^{9^{9^{9}}} = 7$.",
    "deep tower of powers": "$" + "9^{" * 35 + "9" + "}" * 35 + " > 1$.",
    "factorials": r"So $1000000! = 7$ and $(10^9)! > 2$, $((5!)!)! = 3$.",
    "binomials": r"$\binom{1000000}{500000} = 12$ and $\binom{10^{9}}{10^8} > 3$.",
    "nested roots": "$x = " + r"\sqrt{2 + " * 35 + "2" + "}" * 35 + "$.",
    "long sums": r"$\sum_{k=1}^{10^9} k^{100} = 7$ and $\prod_{k=1}^{2000} k^{k} = 3$.",
    "a number of a million digits": "$x = " + "7" * 1_000_000 + "$.",
    "a sum of long numbers": "The value is " + "3" * 1_000_000 + " + 1 = " + "3" * 999_999 + "4.",
    "a long amount": "The total is $" + "3" * 400 + " + $4 + $5 = $6.",
    "a long quotient": r"It is $\frac{" + "3" * 5_000 + "}{" + "7" * 5_000 + "} = 2$.",
    "nested fractions": "$" + r"\frac{1}{1+" * 4_000 + "1" + "}" * 4_000 + " = x$.",
    "nested braces": "$" + "{" * 100_000 + "}" * 100_000 + "$",
    "macros": r"\def\a{\a\a}\newcommand{\b}{\b\b} $\a = \b$.",
    "open displays": r"\[ x = 3 + ( \[ y = 2 \] \( z = ",
    "displays that never end": r"\[" * 9_000,
    "dollars": "$" * 9_999,
    "brackets": r"\[" + r"\left( " * 9_000 + r"\]",
    "powers of sums": "$(a+b+c+d+e+f+g+h)^{24} = (a+b+c+d+k+l+m+n)^{23} (p+q+r)^{20}$.",
    "German": "Das ist die Lösung der Gleichung, es gilt 2 + 2 = 4 nicht mehr. " * 100,
    "Chinese": "因此，方程的解是三，所以二加二等于四。" * 200,
    "Arabic": "لذلك ٢ + ٢ = ٤. " * 500,
    "Python": "for i in range(10):\n    x = i ** 2\n    print(x == 3, x != 4)\n" * 100,
    "C": "int main() { int a = 5; a += 3; if (a == 8 && a != 9) return a <= 3 ? 1 : 0; }\n" * 100,
    "a table": "| a | b | c |\n|---|---|---|\n" + "| 1 | 2 | = 3 |\n" * 300,
    "a table in LaTeX": r"\begin{tabular}{c|c} " + r"1 & 2 = 3 \\ \hline " * 300 + r"\end{tabular}",
}  # fmt: skip


@pytest.mark.parametrize("title", BAD)
def test_the_chain_goes_on_behind_a_bad_step(title: str) -> None:
    """[LIMIT-STEPS], [STEP-BOUNDS]: it is not checked, with the reason, and those behind it are."""
    found = checked((None, "$a = 4$."), ((1,), BAD[title]), ((1,), "$a + 1 = 5$."), ((1, 2), "$3 + 4 = 7$."))
    assert found[1].verdict in (StepVerdict.NOT_CHECKABLE, StepVerdict.UNKNOWN, StepVerdict.REFUTED)
    assert found[1].reason
    assert [each.verdict for each in found[2:]] == [StepVerdict.PROVED] * 2
