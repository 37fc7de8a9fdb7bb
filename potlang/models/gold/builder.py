"""Gold-standard solutions from problems with known solutions, in three stages (paper, appendix D).

Nodes first, then the parents of each, then the edges; each stage is checked before the next begins
([DAG-BUILD-1] to [DAG-BUILD-5]).
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from potlang.diag import Severity
from potlang.languages.dagmath.check.form import check, is_gold
from potlang.languages.dagmath.check.graph import Graph
from potlang.languages.dagmath.read.boxed import boxed_answer, is_final_answer
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.read.sentences import count_sentences
from potlang.languages.dagmath.results import StepVerdict
from potlang.languages.dagmath.solve.answers import AnswerChecker
from potlang.languages.dagmath.solve.checking import DEFAULT_LIMITS, check_steps
from potlang.languages.dagmath.solve.identities import Identities
from potlang.languages.dagmath.write import solution_value
from potlang.models.endpoint import EndpointError, Failure, Model, Sampling
from potlang.models.loop.asking import DEFAULT_SAMPLING, Attempt, RetryLoop
from potlang.models.prompts import fill
from potlang.models.replies.extract import BadReply
from potlang.models.replies.lists import Parents, read_dependencies, read_edges, read_nodes, read_wrong
from potlang.models.replies.schemas import EDGES, NODES, PARENTS, WRONG
from potlang.models.solutions.problems import Problem
from potlang.report.results import Limits
from potlang.utils.closing import Closing

ROUNDS = 2
"""Node sets that are tried (appendix D: back to stage 1 once)."""


class Models(NamedTuple):
    """The model of each stage; `judge`, if there is one, is asked at the ends of the first two."""

    nodes: Model
    parents: Model
    edges: Model
    judge: Model | None = None

    @classmethod
    def one(cls, model: Model, judge: Model | None = None) -> Models:
        """One model for all three stages."""
        return cls(model, model, model, judge)


class Built(NamedTuple):
    """The gold-standard solution, or None and the reason why there is none.

    `failure`: it is the endpoint's, so that another time may do better.
    """

    solution: Solution | None
    attempts: tuple[Attempt, ...]
    reason: str = ""
    failure: Failure | None = None


class Builder(Closing):
    """Builds solutions; use it as a context manager, or `close` it. Not for two threads at once.

    `check_limits` are those of checking the steps of one solution.
    """

    def __init__(
        self, models: Models, *, sampling: Sampling = DEFAULT_SAMPLING, check_limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self.models = models
        self.sampling = sampling
        self.check_limits = check_limits
        # It starts its child processes with the first question.
        self._judge = AnswerChecker()
        self._identities = Identities()

    def close(self) -> None:
        """End the child processes, if there are any; the builder can still be used."""
        self._judge.close()

    def build(self, problem: Problem) -> Built:
        """The solution of one problem, or why there is none."""
        asker = RetryLoop(self.sampling)
        try:
            solution, reason = self._build(problem, asker)
        except EndpointError as error:
            return Built(None, tuple(asker.attempts), str(error), error.reason)
        return Built(solution, tuple(asker.attempts), reason)

    def _build(self, problem: Problem, asker: RetryLoop) -> tuple[Solution | None, str]:
        reason = ""
        for _ in range(ROUNDS):
            nodes = self._nodes(problem, asker)
            if nodes is None:
                return None, "no set of nodes is accepted"
            parents = self._parents(problem, nodes, asker)
            if parents is None:
                # Nodes for which no dependencies can be found are more likely wrong themselves.
                reason = "no dependencies of the nodes are accepted"
                continue
            solution = _solution(problem, nodes, parents)
            if reason := self._refuted(solution):
                asker.reject("parents", reason)
                continue
            explained = self._with_edges(solution, asker)
            if explained is None:
                return None, "no edges are accepted"
            # Edges say more of what a step does, so that more can be refuted.
            if reason := self._refuted(explained):
                asker.reject("edges", reason)
                continue
            return explained, ""
        return None, reason

    def _let_judge(self, asker: RetryLoop, what: Literal["nodes", "parents"], solved: dict[str, Any]) -> None:
        """Raises BadReply where the judge, if there is one, finds a step wrong or says nothing readable."""
        if self.models.judge is None:
            return
        ids = range(1, len(solved["steps"]) + 1)

        def read(text: str) -> None:
            for id_, why in read_wrong(text, ids).items():
                raise BadReply(f"the judge finds step {id_} wrong: {why}".rstrip(": "))

        prompt = fill("judge_nodes" if what == "nodes" else "judge_parents", solved=solved)
        asker.prompted(f"{what} judged", self.models.judge, prompt, WRONG, read)

    # --- stage 1 -----------------------------------------------------------------------------------

    def _nodes(self, problem: Problem, asker: RetryLoop) -> tuple[str, ...] | None:
        prompt = fill("nodes", problem=problem.problem, solution=problem.solution)

        def ask() -> tuple[str, ...]:
            nodes = asker.prompted(
                "nodes", self.models.nodes, prompt, NODES, lambda text: self._read_nodes(text, problem)
            )
            self._let_judge(asker, "nodes", _solved(problem, nodes, None))
            return nodes

        return asker.until_accepted(ask)

    def _read_nodes(self, text: str, problem: Problem) -> tuple[str, ...]:
        """Validation 1: statements, one a step, the last of which gives the expected answer."""
        nodes = read_nodes(text)
        for id_, node in enumerate(nodes, 1):
            if count_sentences(node) > 1:
                raise BadReply(f"step {id_} is more than one sentence")
        if not is_final_answer(nodes[-1]):
            raise BadReply("the last step is not the answer in a box")
        judged = self._judge.judge(boxed_answer(nodes[-1]), problem.answer)
        if not judged.correct:
            raise BadReply(" ".join(["the answer is not the expected one", judged.note]).strip())
        return nodes

    # --- stage 2 -----------------------------------------------------------------------------------

    def _parents(self, problem: Problem, nodes: tuple[str, ...], asker: RetryLoop) -> list[Parents] | None:
        prompt = fill("parents", solved=_solved(problem, nodes, None))

        def ask() -> list[Parents]:
            parents = asker.prompted(
                "parents", self.models.parents, prompt, PARENTS, lambda text: _read_parents(text, len(nodes))
            )
            self._let_judge(asker, "parents", _solved(problem, nodes, parents))
            return parents

        return asker.until_accepted(ask)

    def _refuted(self, solution: Solution) -> str:
        """The first refuted step, as a reason; empty where there is none."""
        report = check_steps(solution, limits=self.check_limits, identities=self._identities)
        for step in report.steps:
            if step.verdict is StepVerdict.REFUTED:
                return f"step {step.id} is refuted: {step.reason}".rstrip(": ")
        if report.contradiction:
            names = ", ".join(map(str, report.contradiction))
            return f"the given steps {names} contradict each other"
        return ""

    # --- stage 3 -----------------------------------------------------------------------------------

    def _with_edges(self, solution: Solution, asker: RetryLoop) -> Solution | None:
        solved = solution_value(solution)
        steps = [
            {"step_id": s.id, "text": s.node, "direct_dependent_steps": s.parents} for s in solution.steps
        ]
        prompt = fill("edges", solved={"problem_text": solved["problem"], "steps": steps})
        ids = [step.id for step in solution.steps]

        def read(text: str) -> Solution:
            """Validation 3: every edge cites exactly the parents, and nothing else is amiss."""
            edges = read_edges(text, ids)
            steps = tuple(step._replace(edge=edges[step.id]) for step in solution.steps)
            return _checked(solution._replace(steps=steps))

        return asker.until_accepted(lambda: asker.prompted("edges", self.models.edges, prompt, EDGES, read))


def _read_parents(text: str, count: int) -> list[Parents]:
    """Validation 2: earlier steps only, and each step but the last used."""
    ids = range(1, count + 1)
    found = read_dependencies(text, ids)
    # In the order of the steps, whatever order the reply has.
    parents = [found[id_].parents for id_ in ids]
    open_steps = Graph.from_ids((id_, found[id_].parents or ()) for id_ in ids).unclosed()
    if open_steps:
        raise BadReply(f"not closed: no later step uses step {open_steps[0] + 1}")
    return parents


def _solved(problem: Problem, nodes: tuple[str, ...], parents: list[Parents] | None) -> dict[str, Any]:
    """The problem and its steps as models are shown them."""
    steps: list[dict[str, Any]] = [{"step_id": id_, "text": node} for id_, node in enumerate(nodes, 1)]
    if parents is not None:
        for step, of_step in zip(steps, parents, strict=True):
            step["direct_dependent_steps"] = of_step
    return {"problem_text": problem.problem, "final_answer": problem.answer, "steps": steps}


def _solution(problem: Problem, nodes: tuple[str, ...], parents: list[Parents]) -> Solution:
    rows = enumerate(zip(nodes, parents, strict=True), 1)
    return Solution(
        tuple(Step(id_, "", of_step, node) for id_, (node, of_step) in rows),
        problem_id=problem.id,
        problem=problem.problem,
        dataset=problem.dataset,
        difficulty=problem.difficulty,
        answer=problem.answer,
    )


def _checked(solution: Solution) -> Solution:
    """The solution as a gold-standard one. Raises BadReply where something is reported of it."""
    checked = check(solution_value(solution))
    # Edges that are written now cite the parents, each by itself, and nothing else.
    strict = [each for each in checked.diagnostics if each.code in ("POT7025", "POT7026")]
    if strict or not is_gold(checked, True):
        rest = max(checked.diagnostics, key=lambda each: each.severity is not Severity.NOTE)
        first = strict[0] if strict else rest
        raise BadReply(f"{first.code}: {first.message}")
    return solution
