"""Has a model write a program for a question, and repair it by its diagnostics ([LOOP-WRITE])."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from potlang.diag import Severity
from potlang.diag.brief import in_brief
from potlang.languages.pot.check import check as check_program
from potlang.languages.pot.profiles import program_schema
from potlang.languages.pot.program import Program
from potlang.models.asking import Attempt, BadReply, RetryLoop
from potlang.models.endpoint import (
    Completion,
    EndpointError,
    Failure,
    Message,
    Model,
    Sampling,
    assistant,
    user,
)
from potlang.models.prompting import question_prompt, repair_prompt, system_prompt
from potlang.models.replies import find_program

Progress = Callable[[Attempt], object]

USUAL: Final = Sampling(tries=3)
# A reply is sent back with its diagnostics: a runaway one must not fill the next prompt.
_LONGEST_REPEATED: Final = 100_000
_LONGEST_PROSE: Final = 2_000
ASKED_AGAIN: Final[tuple[Failure, ...]] = ("cut off", "too large")
"""Failures of one reply; others are of the endpoint, and would come back."""
_STOPPED: Final = "stop"


class Asking(NamedTuple):
    """Options of the loop. `sampling.tries` bounds the attempts at one program."""

    sampling: Sampling = USUAL
    semantics: Mapping[str, Any] | None = None
    options: tuple[str, ...] = ()


class ProgramWriter:
    """Has a model write and repair programs; `system` is the system message.

    `options` are the names of the verifications that there must be.
    `structured`: JSON of the schema is asked for; off once an endpoint does not accept that.
    """

    def __init__(
        self,
        model: Model,
        asking: Asking,
        *,
        structured: bool = True,
        progress: Progress | None = None,
    ) -> None:
        self.system = system_prompt(asking.semantics)
        self.options = asking.options
        self.structured = structured
        self._model = model
        self._semantics = asking.semantics
        self._asker = RetryLoop(asking.sampling, progress)

    def write(self, question: str) -> tuple[tuple[Attempt, ...], Program | None]:
        """The attempts at a program for a question, and the program of the last one, if that is one.

        Does not raise EndpointError.
        """
        attempts = self._asker.attempts
        before = len(attempts)
        first = user(question_prompt(question, self.options))
        messages: tuple[Message, ...] = (first,)

        def ask() -> Program:
            nonlocal messages
            try:
                return self._once(messages)
            except BadReply:
                last = attempts[-1]
                # Only the last program: earlier ones, and what was wrong with them, would be repaired again.
                messages = (
                    first,
                    assistant(repeated(last)),
                    user(repair_prompt(last.problem, in_brief(last.diagnostics))),
                )
                raise
            except EndpointError as error:
                if error.reason == "rejected" and self.structured:
                    # Perhaps it is the schema that the endpoint does not accept: no attempt is lost by it.
                    self.structured = False
                    return ask()
                if error.reason in ASKED_AGAIN:
                    raise BadReply(str(error)) from error
                raise

        program = None
        with suppress(EndpointError):
            program = self._asker.until_accepted(ask)
        return tuple(attempts[before:]), program

    def _once(self, messages: tuple[Message, ...]) -> Program:
        schema = program_schema("openai") if self.structured else None
        return self._asker.once(self._model, messages, self._read, schema=schema, instructions=self.system)

    def _read(self, done: Completion) -> Program:
        """The program in a reply; its text and diagnostics are noted. Raises BadReply."""
        found = find_program(done.text)
        if found is None:
            problem = "there is no program in the reply" if done.text.strip() else "the reply is empty"
            raise BadReply(ended(problem, done))
        text = with_semantics(found.text, self._semantics)
        checked = check_program(text, name="program")
        self._asker.note(program=text, diagnostics=checked.located())
        if checked.program is None:
            errors = sum(each.severity is Severity.ERROR for each in checked.diagnostics)
            raise BadReply(ended(f"the program has {errors} error{'' if errors == 1 else 's'}", done))
        if problem := _unasked(checked.program, self.options):
            raise BadReply(problem)
        return checked.program


def with_semantics(text: str, semantics: Mapping[str, Any] | None) -> str:
    """The program with these `semantics` instead of its own; as it is if it is not well-formed JSON."""
    if not semantics:
        return text
    try:
        value = json.loads(text, object_pairs_hook=_without_repetition)
    except (ValueError, RecursionError):
        return text
    if not isinstance(value, dict):
        return text
    return json.dumps({**value, "semantics": dict(semantics)}, ensure_ascii=False)


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _unasked(program: Program, options: Sequence[str]) -> str:
    """The verification that the program lacks, as a problem; empty for none."""
    module = program.module
    missing = [each for each in options if each not in {claim.name for claim in module.claims}]
    if missing:
        return f"no verification has the name {json.dumps(missing[0], ensure_ascii=False)}"
    if not (module.claims or module.norms or module.optimization):
        return "the program asks nothing: it has no verification"
    return ""


def ended(problem: str, done: Completion) -> str:
    """The problem, and why the reply ended where the model did not end it."""
    if done.finish_reason == "length":
        return f"{problem}, and the reply broke off at its greatest length: write less"
    if done.finish_reason in (_STOPPED, ""):
        return problem
    return f"{problem} (it ended with: {done.finish_reason[:40]})"


def repeated(attempt: Attempt) -> str:
    """The part of a reply that is shown again: the program alone, whose lines the diagnostics count."""
    if attempt.program is not None:
        return attempt.program[:_LONGEST_REPEATED]
    return attempt.reply[:_LONGEST_PROSE] or "…"


def is_given_up(attempts: Sequence[Attempt]) -> bool:
    """True if the endpoint failed in a way that would come back."""
    failure = attempts[-1].failure
    return failure is not None and failure not in ASKED_AGAIN
