"""Has a model write a program for a question, and repair it by what is found wrong with it ([LOOP-WRITE])."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from potlang import api
from potlang.diag import Severity
from potlang.models.endpoint import (
    Completion,
    EndpointError,
    Failure,
    Message,
    Model,
    Sampling,
    assistant,
    system,
    user,
)
from potlang.models.profiles import program_schema
from potlang.models.prompting import question_prompt, repair_prompt, system_prompt
from potlang.models.reasoned import Attempt
from potlang.models.replies import find_program
from potlang.tool.operations import in_brief

Progress = Callable[[Attempt], object]

USUAL: Final = Sampling(tries=3)
_LONGEST_REPEATED: Final = 100_000
_LONGEST_PROSE: Final = 2_000
_ASKED_AGAIN: Final[tuple[Failure, ...]] = ("cut off", "too large")
"""Failures of one reply; others are of the endpoint, and would come back."""
_STOPPED: Final = "stop"


class Asking(NamedTuple):
    """How programs are asked for. `sampling.tries` bounds the attempts at one program."""

    sampling: Sampling = USUAL
    semantics: Mapping[str, Any] | None = None
    options: tuple[str, ...] = ()


class Writer:
    """Has a model write and repair programs; `system` is what it is told before each question.

    `options` are the names of the verifications that there must be.
    `structured`: whether JSON of the schema is asked for; off once an endpoint does not accept that.
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
        self._asking = asking
        self._progress = progress
        self._calls = 0

    def write(self, question: str) -> tuple[tuple[Attempt, ...], api.Program | None]:
        """The attempts at a program for a question, and the program of the last one, if that is one.

        Does not raise EndpointError.
        """
        first = user(question_prompt(question, self.options))
        messages: tuple[Message, ...] = (first,)
        found: list[Attempt] = []
        made = 0
        while made < self._asking.sampling.tries:
            attempt, program = self._attempt(messages)
            found.append(attempt)
            if self._progress is not None:
                self._progress(attempt)
            if program is not None:
                return tuple(found), program
            if attempt.failure == "rejected" and attempt.structured:
                # Perhaps it is the schema that the endpoint does not accept.
                self.structured = False
                continue
            made += 1
            if attempt.failure is None:
                messages = (first, assistant(_repeated(attempt)), user(_correction(attempt)))
            elif attempt.failure not in _ASKED_AGAIN:
                break
        return tuple(found), None

    def _attempt(self, messages: tuple[Message, ...]) -> tuple[Attempt, api.Program | None]:
        attempt = Attempt(messages, self.structured)
        try:
            done = self._complete(messages)
        except EndpointError as error:
            return attempt._replace(
                problem=str(error), failure=error.reason, seconds=error.seconds, tries=error.tries
            ), None
        attempt = attempt._replace(
            reply=done.text,
            finish_reason=done.finish_reason,
            seconds=done.seconds,
            tries=done.tries,
            prompt_tokens=done.usage.prompt,
            completion_tokens=done.usage.completion,
        )
        return self._examined(attempt)

    def _complete(self, messages: Sequence[Message]) -> Completion:
        _, temperature, max_tokens, timeout, seed = self._asking.sampling
        self._calls += 1
        return self._model.complete(
            [system(self.system), *messages],
            schema=program_schema("openai") if self.structured else None,
            temperature=temperature,
            max_tokens=max_tokens,
            timeout=timeout,
            seed=None if seed is None else seed + self._calls - 1,
        )

    def _examined(self, attempt: Attempt) -> tuple[Attempt, api.Program | None]:
        """The attempt with what its reply is found to be, and the program, if it is one."""
        found = find_program(attempt.reply)
        if found is None:
            problem = "there is no program in the reply" if attempt.reply.strip() else "the reply is empty"
            return attempt._replace(problem=_ended(problem, attempt)), None
        text = with_semantics(found.text, self._asking.semantics)
        checked = api.check(text, name="program")
        attempt = attempt._replace(program=text, diagnostics=checked.located())
        if checked.program is None:
            errors = sum(each.severity is Severity.ERROR for each in checked.diagnostics)
            problem = f"the program has {errors} error{'' if errors == 1 else 's'}"
            return attempt._replace(problem=_ended(problem, attempt)), None
        problem = _unasked(checked.program, self.options)
        return attempt._replace(problem=problem), None if problem else checked.program


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


def _unasked(program: api.Program, options: Sequence[str]) -> str:
    """What a program does not ask although it should; empty for nothing."""
    module = program.module
    missing = [each for each in options if each not in {claim.name for claim in module.claims}]
    if missing:
        return f"no verification has the name {json.dumps(missing[0], ensure_ascii=False)}"
    if not (module.claims or module.norms or module.optimization):
        return "the program asks nothing: it has no verification"
    return ""


def _ended(problem: str, attempt: Attempt) -> str:
    """The problem, and why the reply ended where the model did not end it."""
    if attempt.finish_reason == "length":
        return f"{problem}, and the reply broke off at its greatest length: write less"
    if attempt.finish_reason in (_STOPPED, ""):
        return problem
    return f"{problem} (it ended with: {attempt.finish_reason[:40]})"


def _repeated(attempt: Attempt) -> str:
    """What the model is shown of its reply: the program alone, whose lines the diagnostics count."""
    if attempt.program is not None:
        return attempt.program[:_LONGEST_REPEATED]
    return attempt.reply[:_LONGEST_PROSE] or "…"


def _correction(attempt: Attempt) -> str:
    return repair_prompt(attempt.problem, in_brief(attempt.diagnostics))


def is_given_up(attempts: Sequence[Attempt]) -> bool:
    """Whether the endpoint failed in a way that would come back."""
    failure = attempts[-1].failure
    return failure is not None and failure not in _ASKED_AGAIN
