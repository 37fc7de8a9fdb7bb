"""Has a model write a solution, go on with it, repair it, and look at it again ([LOOP-DAG-WRITE])."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from potlang.diag.brief import in_brief
from potlang.languages.dagmath.read.boxed import boxed_answer
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.write import write_json
from potlang.models.endpoint import Completion, Message, Model, Sampling, assistant, user
from potlang.models.loop.asking import ASKED_AGAIN, Attempt, RetryLoop, ended
from potlang.models.programs.writer import USUAL, Progress, repeated
from potlang.models.prompts import generation_prompt
from potlang.models.replies.extract import BadReply
from potlang.models.replies.schemas import SOLUTION
from potlang.models.solutions.prompting import going_on_prompt, solution_repair_prompt
from potlang.models.solutions.replies import (
    ReadReply,
    beginning,
    check_solution,
    joined_parts,
    read_solution_reply,
)

_NO_ANSWER = r"the last step gives no answer: it reads `The final answer is $\boxed{…}$.`"


class SolutionAsking(NamedTuple):
    """Options of the loop. `sampling.tries` bounds the replies for one solution.

    `demonstrations` are shown in the prompt, by default potlang's own. `safe_fixes`: what keeps its meaning
    is mended without a call. `needs_answer`: a last step without a box is not accepted. Without `repairs` a
    solution that is not accepted is asked for anew, as it was at first, so that samples stay independent.
    """

    sampling: Sampling = USUAL
    demonstrations: Sequence[Solution] | None = None
    safe_fixes: bool = True
    needs_answer: bool = True
    repairs: bool = True


class SolutionWriter:
    """Has a model write solutions. `structured` is as for `ProgramWriter`; from several threads at a time."""

    def __init__(
        self,
        model: Model,
        asking: SolutionAsking,
        *,
        structured: bool = True,
        progress: Progress | None = None,
    ) -> None:
        self.asking = asking
        self.structured = structured
        self.model = model
        self.progress = progress

    def conversation(self, problem: str, number: int = 0) -> SolutionConversation:
        """A conversation about a problem; that of another `number` has other seeds ([LOOP-SEED])."""
        asker = RetryLoop.numbered(self.asking.sampling, number, self.progress)
        return SolutionConversation(self, problem, asker)


class SolutionConversation:
    """The attempts at one solution, in rounds, and what a model is asked in the next one."""

    system = ""
    """The published prompt is one message."""

    def __init__(self, writer: SolutionWriter, problem: str, asker: RetryLoop) -> None:
        self._writer = writer
        self._asker = asker
        self._problem = problem
        self._first = user(generation_prompt(problem, writer.asking.demonstrations))
        self._standing: Solution | None = None
        """The solution that is looked at again."""
        self._begun: tuple[Step, ...] = ()
        """The steps of a solution that broke off."""
        self.fallback: Solution | None = None
        """The last solution that was a graph of steps, though it gave no answer."""
        self.messages: tuple[Message, ...] = (self._first,)

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The schema of a reply, unless the endpoint does not accept one."""
        return SOLUTION if self._writer.structured else None

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """All attempts so far."""
        return tuple(self._asker.attempts)

    @property
    def left(self) -> int:
        """The attempts that are left."""
        return self._asker.left

    def write(self) -> Solution | None:
        """The first solution that is accepted, if there is one. Does not raise EndpointError."""
        return self._asker.converse(self._writer.model, self, stage="solution")

    def look_again(self, solution: Solution, said: str) -> Solution | None:
        """The solution of a second look ([LOOP-DAG-SECOND]), in the attempts that are left; None without one.

        `said` is what the model is told about the solution. A reply of prose stays with that.
        """
        self._standing = solution
        self.messages = (self._first, assistant(write_json(solution._replace(problem=None))), user(said))
        return self._asker.converse(self._writer.model, self, stage="second look", tries=max(0, self.left))

    def without_schema(self) -> bool:
        """Asks for no schema from now on; False where it did not before."""
        before, self._writer.structured = self._writer.structured, False
        return before

    def go_on(self) -> None:
        """Asks for the rest of a solution that broke off; else shows what is wrong with the last one."""
        last = self._asker.attempts[-1]
        if last.failure in ASKED_AGAIN:
            return
        if self._begun:
            shown = assistant(write_json(Solution(self._begun)))
            self.messages = (self._first, shown, user(going_on_prompt(self._begun[-1].id)))
        elif self._writer.asking.repairs:
            said = solution_repair_prompt(last.problem, in_brief(last.diagnostics))
            self.messages = (self._first, assistant(repeated(last)), user(said))
        else:
            self.messages = (self._first,)

    def read(self, done: Completion) -> Solution:
        """The solution in a reply; its text and diagnostics are noted. Raises BadReply."""
        begun, self._begun = self._begun, ()
        found = self._found(done)
        if found is None:
            if self._standing is not None and done.text.strip():
                return self._standing
            is_empty = not (done.text.strip() or done.arguments.strip())
            raise BadReply(ended(f"the reply {'is empty' if is_empty else 'has no solution in it'}", done))
        if done.finish_reason == "length" and (found.errors or not _answer(found)):
            self._keep(begun, found)
        if begun and found.is_part and not _is_whole(found):
            found = self._check(_json(joined_parts(begun, found.checked.read.steps)))
        self._note(found)
        solution = found.checked.solution
        if solution is None:
            raise BadReply(ended(_errors(found.errors), done))
        # What a model says of its own answer counts for nothing.
        solution = Solution(solution.steps, problem=self._problem)
        if self._writer.asking.needs_answer and not _answer(found):
            self.fallback = solution
            raise BadReply(_NO_ANSWER)
        return solution

    def _found(self, done: Completion) -> ReadReply | None:
        """The solution in a reply."""
        safe_fixes = self._writer.asking.safe_fixes

        def read(text: str) -> ReadReply | None:
            return read_solution_reply(text, safe_fixes=safe_fixes)

        return self._asker.best_part(done, read, lambda found: not found.errors)

    def _keep(self, begun: tuple[Step, ...], found: ReadReply) -> None:
        """Keeps the steps of a reply that broke off; raises BadReply unless there are none new."""
        text = found.text if not found.errors else beginning(found.text)
        part = None if text is None else self._check(text)
        if part is None or not part.is_part:
            return
        joined = joined_parts(begun, part.checked.read.steps)
        whole = self._check(_json(joined))
        if whole.errors or joined == begun:
            return
        self._note(whole)
        self._begun = joined
        raise BadReply(f"the reply broke off at its greatest length, behind step {joined[-1].id}")

    def _check(self, text: str) -> ReadReply:
        return check_solution(text, safe_fixes=self._writer.asking.safe_fixes)

    def _note(self, found: ReadReply) -> None:
        self._asker.note(program=found.text, diagnostics=found.checked.located(), mended=found.mended)


def _json(steps: tuple[Step, ...]) -> str:
    return write_json(Solution(steps))


def _answer(found: ReadReply) -> str | None:
    """The answer in the box of the last step; None without one."""
    steps = found.checked.read.steps
    return boxed_answer(steps[-1].node) if steps else None


def _is_whole(found: ReadReply) -> bool:
    """Whether it needs nothing that stands before it."""
    graph = found.checked.graph
    return graph is not None and graph.closed() and _answer(found) is not None


def _errors(count: int) -> str:
    return f"the solution has {count} error{'' if count == 1 else 's'}"
