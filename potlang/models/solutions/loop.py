"""The loop around a model that writes solutions: ask → mend → check → repair* → verify → second look → vote.

    found = potlang.dagmath.reason("What is the sum of the first 10 odd numbers?", k=3)
    found.answer, found.report, found.solution

The rules are [LOOP-DAG-REASON] and those that follow it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from potlang.languages.dagmath.read.records import Solution
from potlang.languages.dagmath.report import SolutionReport
from potlang.languages.dagmath.results import SolutionVerdict
from potlang.languages.dagmath.solve.answers import AnswerJudge, given_judge
from potlang.languages.dagmath.solve.verify import verify as verify_solution
from potlang.languages.dagmath.write import write_json
from potlang.models.endpoint import Model, Sampling
from potlang.models.loop.sampler import check_question, opened_model, samples_of
from potlang.models.programs.doubts import gravest
from potlang.models.programs.writer import Progress
from potlang.models.solutions.doubts import doubts_about_solution
from potlang.models.solutions.prompting import doubtful_solution_prompt
from potlang.models.solutions.reasoned import ReasonedSolution, SolutionSample, elect_answer
from potlang.models.solutions.writer import SolutionAsking, SolutionConversation, SolutionWriter
from potlang.prove.options import Trust
from potlang.report.results import Limits
from potlang.version import __version__


def reason(
    problem: str,
    model: Model | str | None = None,
    *,
    attempts: int = 3,
    k: int = 1,
    parallel: int = 1,
    second_look: bool = True,
    safe_fixes: bool = True,
    demonstrations: Sequence[Solution] | None = None,
    limits: Limits = Limits(),
    trust: Trust = "best",
    judge: AnswerJudge | None = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
    timeout: float | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> ReasonedSolution:
    """The answer to a problem, by solutions that a model writes and repairs, and solvers check.

    `model`: one, or the name of one at the endpoint of the environment ([ENDPOINT-ENV]). `attempts` bounds
    the replies for one solution, `k` is how many vote on the answer, `parallel` how many are written at a
    time. With `second_look` a model is asked once more about a solution with a step that is refuted or does
    not follow, with contradictory givens, or with steps that nothing uses. With `safe_fixes` what keeps its
    meaning is mended without a call. `demonstrations` are shown in the prompt, by default potlang's own.
    `limits` and `trust` are those of `verify`; `judge` compares answers. `temperature`, `max_tokens` (of one
    reply), `timeout` (seconds for one reply) and `seed` (of the first request, each further one has the
    next) go to the model.

    What a model or its endpoint does raises nothing: the verdict is then `unknown`, with the reason and the
    attempts so far. Raises ValueError for a wrong call, MissingExtraError without the extra `models`.
    """
    check_question(problem, attempts, k, parallel=parallel, trust=trust)
    sampling = Sampling(attempts, temperature, max_tokens, timeout, seed)
    asking = SolutionAsking(sampling, demonstrations, safe_fixes)

    def verified(solution: Solution) -> SolutionReport:
        return verify_solution(write_json(solution), name="solution", limits=limits, trust=trust)

    with opened_model(model) as asked:
        writer = SolutionWriter(asked, asking, progress=progress)

        def sample(number: int) -> SolutionSample:
            talk = writer.conversation(problem, number)
            solution = talk.write() or talk.fallback
            if solution is None:
                return SolutionSample(talk.attempts)
            report = verified(solution)
            if second_look and talk.left > 0:
                report = _looked_at_again(talk, solution, report, verified)
            return SolutionSample(talk.attempts, report)

        samples = samples_of(sample, k, parallel=parallel)
    with given_judge(judge) as comparing:
        election = elect_answer(samples, comparing)
    chosen, votes, reason_ = election
    return ReasonedSolution(
        problem, asked.name, SolutionConversation.system, chosen, votes, reason_, tuple(samples), __version__
    )


def _looked_at_again(
    talk: SolutionConversation,
    solution: Solution,
    report: SolutionReport,
    verified: Callable[[Solution], SolutionReport],
) -> SolutionReport:
    """The report on the solution of a second look if it leaves no graver doubt, else the first one."""
    doubts = doubts_about_solution(report)
    if not doubts:
        return report
    second = talk.look_again(solution, doubtful_solution_prompt(doubts))
    if second is None or second.steps == solution.steps:
        return report
    found = verified(second)
    is_worse = found.verdict is SolutionVerdict.UNKNOWN or gravest(doubts_about_solution(found)) > gravest(
        doubts
    )
    return report if is_worse else found
