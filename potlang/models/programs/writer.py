"""Has a model write a program for a question, repair it, and look at it again ([LOOP-WRITE])."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from potlang.diag.brief import in_brief
from potlang.languages.pot.profiles import program_schema
from potlang.languages.pot.program import Checked, Program
from potlang.models.endpoint import Completion, Image, Message, Model, Sampling, assistant, user
from potlang.models.loop.asking import ASKED_AGAIN, Attempt, Found, ReplayLoop, RetryLoop, ended, is_given_up
from potlang.models.loop.images import with_images
from potlang.models.loop.stages import StageConversation, StageRequest
from potlang.models.presets import StrategyName, most_requests
from potlang.models.programs.prompting import PromptSize, question_prompt, repair_prompt, system_prompt
from potlang.models.programs.replies import ReadProgram, read_program
from potlang.models.replies.extract import REASONING, BadReply

Progress = Callable[[Attempt], object]

USUAL: Final = Sampling(tries=3)
# A reply is sent back with its diagnostics: a runaway one must not fill the next prompt.
_LONGEST_REPEATED: Final = 100_000
_LONGEST_PROSE: Final = 2_000


class Asking(NamedTuple):
    """Options of the loop. `sampling.tries` bounds the attempts at one program.

    `semantics` take the place of the programs' own; `options` are the names of the verifications that there
    must be. `safe_fixes`: what keeps its meaning is mended without a call. `prompt` is the size of what is
    told of the language. `strategy`: how a model comes to a program; `images` belong to the question.
    """

    sampling: Sampling = USUAL
    semantics: Mapping[str, Any] | None = None
    options: tuple[str, ...] = ()
    safe_fixes: bool = True
    prompt: PromptSize = "full"
    strategy: StrategyName = "plain"
    images: tuple[Image, ...] = ()


class Written(NamedTuple):
    """A program that was accepted, as text and compiled, and the prose around it in the reply."""

    text: str
    checked: Checked
    program: Program
    around: str


class ProgramWriter:
    """Has a model write programs; `system` is the system message.

    `structured`: JSON of the schema is asked for; off once an endpoint does not accept that. Several
    threads may `write` at a time.
    """

    def __init__(
        self, model: Model, asking: Asking, *, structured: bool = True, progress: Progress | None = None
    ) -> None:
        self.system = system_prompt(asking.semantics, asking.prompt)
        self.asking = asking
        self.structured = structured
        self.model = model
        self.progress = progress

    def conversation(
        self, question: str, number: int = 0, recorded: Sequence[Attempt] | None = None
    ) -> ProgramConversation:
        """A conversation about a question; that of another `number` has other seeds ([LOOP-SEED]).

        One that was `recorded` goes through its replies again, and asks for no more.
        """
        if recorded is not None:
            return ProgramConversation(self, question, ReplayLoop(self.asking.sampling, recorded))
        sampling = self.asking.sampling
        apart = most_requests(self.asking.strategy, sampling.tries)
        asker = RetryLoop.numbered(sampling, number, self.progress, apart=apart)
        return ProgramConversation(self, question, asker)


class ProgramConversation:
    """The attempts at one program, in rounds, and what a model is asked in the next one."""

    def __init__(self, writer: ProgramWriter, question: str, asker: RetryLoop) -> None:
        self.question = question
        self.asking = writer.asking
        self.left = asker.sampling.tries
        """The attempts that are left to who wrote the last accepted program."""
        self._writer = writer
        self._asker = asker
        self._about_question = self.message(question_prompt(question, writer.asking.options))
        self._first = self._about_question
        self._base = ""
        self._must_ask = True
        self._standing: Written | None = None
        """The program that is looked at again."""
        self.messages: tuple[Message, ...] = (self._first,)

    @property
    def system(self) -> str:
        """The system message."""
        return self._writer.system

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The schema of a reply, unless the endpoint does not accept one."""
        return reply_schema() if self._writer.structured else None

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """All attempts so far."""
        return tuple(self._asker.attempts)

    @property
    def is_given_up(self) -> bool:
        """True if the endpoint failed in a way that would come back."""
        return is_given_up(self._asker.attempts)

    def message(self, prompt: str) -> Message:
        """A prompt that has the question in it, as a message with its images."""
        return with_images(prompt, self.asking.images)

    def write(
        self, prompt: str = "", *, stage: str = "program", base: str = "", must_ask: bool = True
    ) -> Written | None:
        """The first program that is accepted, if there is one. Does not raise EndpointError.

        `prompt` asks for it, by default by the question alone. The reply may add to a program, the `base`.
        Unless it `must_ask`, a program without claims is accepted.
        """
        self._first = self.message(prompt) if prompt else self._about_question
        self._base, self._must_ask, self._standing = base, must_ask, None
        self.messages = (self._first,)
        return self._accepted(stage, self._asker.sampling.tries)

    def look_again(
        self, written: Written, said: str, *, stage: str = "second look", tries: int | None = None
    ) -> Written | None:
        """The program of a second look ([LOOP-SECOND]), in the attempts that are left; None without one.

        `said` is what the model is told about the program that it wrote. A reply of prose stays with that.
        """
        self._first = self._about_question
        self._base, self._must_ask, self._standing = "", True, written
        self.messages = (self._first, assistant(written.text[:_LONGEST_REPEATED]), user(said))
        return self._accepted(stage, self.left if tries is None else tries)

    def ask(self, asked: StageRequest[Found], *, stage: str) -> Found | None:
        """The text that is asked for beside a program; None where no reply is read, or the endpoint fails."""
        talk = StageConversation(self.system, asked, self._writer, self._asker)
        return self._asker.converse(self._writer.model, talk, stage=stage)

    def _accepted(self, stage: str, tries: int) -> Written | None:
        before = len(self._asker.attempts)
        found = self._asker.converse(self._writer.model, self, stage=stage, tries=tries)
        if found is not None:
            self.left = max(0, tries - (len(self._asker.attempts) - before))
        return found

    def without_schema(self) -> bool:
        """Asks for no schema from now on; False where it did not before."""
        before, self._writer.structured = self._writer.structured, False
        return before

    def go_on(self) -> None:
        """Shows the model its last program and what is wrong with it."""
        last = self._asker.attempts[-1]
        if last.failure in ASKED_AGAIN:
            return
        # Only the last program: earlier ones, and what was wrong with them, would be repaired again.
        said = repair_prompt(last.problem, in_brief(last.diagnostics))
        self.messages = (self._first, assistant(repeated(last)), user(said))

    def read(self, done: Completion) -> Written:
        """The program in a reply; its text and diagnostics are noted. Raises BadReply."""
        found = self._found(done)
        if found is None and self._standing is not None and done.text.strip():
            return self._standing
        if found is None:
            is_empty = not (done.text.strip() or done.arguments.strip())
            raise BadReply(
                ended("the reply is empty" if is_empty else "there is no program in the reply", done)
            )
        self._asker.note(program=found.text, diagnostics=found.checked.located(), mended=found.mended)
        program = found.checked.program
        if found.problem or program is None:
            raise BadReply(ended(found.problem, done) if program is None else found.problem)
        return Written(found.text, found.checked, program, found.around)

    def _found(self, done: Completion) -> ReadProgram | None:
        """The program in a reply."""
        asking = self._writer.asking

        def read(text: str) -> ReadProgram | None:
            return read_program(
                text,
                problem_of=lambda program: _unasked(program, asking.options) if self._must_ask else "",
                semantics=asking.semantics,
                base=self._base,
                safe_fixes=asking.safe_fixes,
            )

        return self._asker.best_part(done, read, lambda found: not found.problem)


def reply_schema() -> dict[str, Any]:
    """The schema of a reply: a text to think in, then the sections of a program ([LOOP-REASONING])."""
    program = program_schema("openai")
    thinking = {"type": "string", "description": "What is stated, what is asked, which names stand for what."}
    return {
        **program,
        "properties": {REASONING: thinking, **program["properties"]},
        "required": [REASONING, *program["required"]],
    }


def _unasked(program: Program, options: Sequence[str]) -> str:
    """The verification that the program lacks, as a problem; empty for none."""
    module = program.module
    missing = [each for each in options if each not in {claim.name for claim in module.claims}]
    if missing:
        return f"no verification has the name {json.dumps(missing[0], ensure_ascii=False)}"
    if not (module.claims or module.norms or module.optimization):
        return "the program asks nothing: it has no verification"
    return ""


def repeated(attempt: Attempt) -> str:
    """The part of a reply that is shown again: the program alone, whose lines the diagnostics count."""
    if attempt.program is not None:
        return attempt.program[:_LONGEST_REPEATED]
    return attempt.reply[:_LONGEST_PROSE] or "…"
