"""Has a model write what the steps of a solution say as formulas ([ANNOTATE-FORMAL])."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from potlang.languages.dagmath.check.formals import MOST_STEPS
from potlang.languages.dagmath.lower.solutions import read_solution_steps
from potlang.languages.dagmath.read.records import Solution
from potlang.languages.dagmath.relations.formals import FormalReading, with_formals
from potlang.models.endpoint import Completion, Failure, Message, Model, Sampling, user
from potlang.models.loop.asking import Attempt, RetryLoop, is_given_up
from potlang.models.programs.writer import USUAL
from potlang.models.prompts import fill
from potlang.models.replies.extract import BadReply
from potlang.models.replies.lists import read_formals
from potlang.models.replies.schemas import FORMALS

BATCH: Final = 40
"""Steps of one request."""


class Formalized(NamedTuple):
    """A solution with `formal` fields: `added` are the ids of steps that got theirs.

    `left_out` has the steps whose formulas were not taken, and why; steps that are said to be no formula, or
    had a field that agrees, are in neither. With a `failure` the endpoint ended it: `reason` says why.
    """

    solution: Solution
    added: tuple[int, ...]
    left_out: Mapping[int, str]
    attempts: tuple[Attempt, ...] = ()
    reason: str = ""
    failure: Failure | None = None


def formalize(
    solution: Solution, model: Model, *, batch: int = BATCH, sampling: Sampling = USUAL
) -> Formalized:
    """The solution with formulas that a model writes and that agree with what the steps say.

    Steps that have a `formal` that agrees keep it and are not asked about. At most `batch` steps are asked
    about at a time, and about a formula that disagrees again, with the reason, within `sampling.tries`
    requests for a batch. No other part of a step is changed. What the model or its endpoint does raises
    nothing.
    """
    if len(solution.steps) > MOST_STEPS:
        return Formalized(solution, (), {}, reason=f"the solution has more than {MOST_STEPS:,} steps")
    asker = RetryLoop(sampling)
    work = _Formalizing(solution, asker)
    ids = work.unsaid()
    for at in range(0, len(ids), batch):
        work.left = ids[at : at + batch]
        if asker.converse(model, work, stage="formals") is None:
            if is_given_up(asker.attempts):
                break
            work.leave_out()
    return work.done()


class _Formalizing:
    """One solution on its way, a conversation about the steps that are `left` of a batch."""

    system = ""

    def __init__(self, solution: Solution, asker: RetryLoop) -> None:
        self.left: list[int] = []
        self.schema: Mapping[str, Any] | None = FORMALS
        self._solution = solution
        self._asker = asker
        self._taken: dict[int, str] = {}
        self._refused: dict[int, tuple[str, str]] = {}
        """Formulas that were not taken, and why."""

    @property
    def messages(self) -> tuple[Message, ...]:
        """The question about the steps that are left, with what was refused."""
        steps = [{"step_id": each.id, "text": each.node} for each in self._solution.steps]
        solved = {"problem_text": self._solution.problem or "", "steps": steps}
        return (user(fill("formals", solved=solved, wanted=list(map(self._wanted, self.left)))),)

    def _wanted(self, id_: int) -> dict[str, Any]:
        if id_ not in self._refused:
            return {"step_id": id_}
        formal, why = self._refused[id_]
        return {"step_id": id_, "not_accepted": formal, "why": why}

    def unsaid(self) -> list[int]:
        """The steps without a `formal` that agrees."""
        pairs = zip(self._solution.steps, _uses(self._solution), strict=True)
        return [step.id for step, use in pairs if use is None or use.use != "used"]

    def read(self, done: Completion) -> bool:
        """Takes the formulas of a reply that agree. Raises BadReply if some do not."""
        if done.finish_reason == "length":
            raise BadReply("the reply is longer than the model may write")
        found = read_formals(done.text, self.left)
        for id_ in self.left:
            self._refused.pop(id_, None)
        self._take({id_: each for id_, each in found.items() if each is not None})
        self.left = [id_ for id_ in self.left if id_ in self._refused]
        if self.left:
            first = self.left[0]
            raise BadReply(f"{len(self.left)} not accepted; step {first}: {self._refused[first][1]}")
        return True

    def go_on(self) -> None:
        """The messages say what is left."""

    def without_schema(self) -> bool:
        """Asks for no schema from now on; False where it did not before."""
        before, self.schema = self.schema, None
        return before is not None

    def leave_out(self) -> None:
        """Gives up the steps that are left."""
        for id_ in self.left:
            self._refused.setdefault(id_, ("", "no reply about it could be read"))

    def done(self) -> Formalized:
        """The solution with what was taken, and still agrees where all of it stands together."""
        whole = self._with(self._taken)
        for step, use in zip(whole.steps, _uses(whole), strict=True):
            if step.id in self._taken and (use is None or use.use != "used"):
                self._sort(step.id, self._taken.pop(step.id), use)
        refused = sorted(self._refused.items())
        attempts = tuple(self._asker.attempts)
        is_over = is_given_up(attempts)
        return Formalized(
            self._with(self._taken),
            tuple(sorted(self._taken)),
            {id_: f"{why}: {formal}" if formal else why for id_, (formal, why) in refused},
            attempts,
            attempts[-1].problem if is_over else "",
            attempts[-1].failure if is_over else None,
        )

    def _take(self, found: Mapping[int, str]) -> None:
        """Takes the formulas that agree with their steps, beside those that are there already."""
        together = self._with({**self._taken, **found})
        for step, use in zip(together.steps, _uses(together), strict=True):
            if step.id in found:
                self._sort(step.id, found[step.id], use)

    def _sort(self, id_: int, formal: str, use: FormalReading | None) -> None:
        if use is not None and use.use == "used":
            self._taken[id_] = formal
        else:
            self._refused[id_] = formal, "it is empty" if use is None else use.reason

    def _with(self, formals: Mapping[int, str]) -> Solution:
        steps = (each._replace(formal=formals.get(each.id, each.formal)) for each in self._solution.steps)
        return self._solution._replace(steps=tuple(steps))


def _uses(solution: Solution) -> tuple[FormalReading | None, ...]:
    """How the `formal` of each step is taken."""
    return with_formals(read_solution_steps(solution))[1]
