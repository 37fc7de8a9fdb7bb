"""Asks models until a reply is accepted, and keeps every attempt ([DAG-BUILD-TRY], [LOOP-WRITE])."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

from potlang.models.endpoint import Completion, EndpointError, Failure, Message, Model, Sampling, system, user

Found = TypeVar("Found")

DEFAULT_SAMPLING = Sampling()
FATAL: frozenset[Failure] = frozenset({"refused", "unauthorized", "not found"})
"""Failures that no further request can mend: a run over many questions ends at the first of them."""


class BadReply(ValueError):
    """A reply that is not accepted, with the reason."""


class Attempt(NamedTuple):
    """One request to a model, with its reply or failure.

    `messages` stand behind the system message; `structured`: JSON of a schema was asked for. `problem` says
    why the reply was not accepted, empty if it was; `failure` is the endpoint's reason where there is no
    reply. Of a program: `program` is the text that was compiled, `diagnostics` are those of the compiler.
    """

    messages: tuple[Message, ...]
    structured: bool
    reply: str = ""
    program: str | None = None
    diagnostics: tuple[dict[str, Any], ...] = ()
    problem: str = ""
    failure: Failure | None = None
    finish_reason: str = ""
    seconds: float = 0.0
    tries: int = 1
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    stage: str = "program"
    model: str = ""


class RetryLoop:
    """Asks models and collects the attempts; with a seed, each request has the next one ([LOOP-SEED]).

    `progress` is called with each attempt as soon as its reply was accepted or not.
    """

    def __init__(self, sampling: Sampling, progress: Callable[[Attempt], object] | None = None) -> None:
        self.sampling = sampling
        self.attempts: list[Attempt] = []
        self._progress = progress

    def until_accepted(self, ask: Callable[[], Found]) -> Found | None:
        """The first result of `ask` that is no BadReply; None after `sampling.tries` calls."""
        for _ in range(self.sampling.tries):
            with suppress(BadReply):
                return ask()
        return None

    def once(
        self,
        model: Model,
        messages: tuple[Message, ...],
        read: Callable[[Completion], Found],
        *,
        schema: Mapping[str, Any] | None,
        stage: str = "program",
        instructions: str | None = None,
    ) -> Found:
        """`read` of one completion. Raises EndpointError and the BadReply of `read`, both recorded.

        `instructions` are the system message.
        """
        _, temperature, max_tokens, timeout, seed = self.sampling
        attempt = Attempt(messages, schema is not None, stage=stage, model=model.name)
        # The system message is the same in every attempt: it is not part of the record.
        before = () if instructions is None else (system(instructions),)
        try:
            done = model.complete(
                [*before, *messages],
                schema=schema,
                temperature=temperature,
                max_tokens=max_tokens,
                timeout=timeout,
                # A model that is asked the same with the same seed gives the same bad reply.
                seed=None if seed is None else seed + len(self.attempts),
            )
        except EndpointError as error:
            failed = attempt._replace(problem=str(error), failure=error.reason)
            self.attempts.append(failed._replace(seconds=error.seconds, tries=error.tries))
            self._tell()
            raise
        self.attempts.append(
            attempt._replace(
                reply=done.text,
                finish_reason=done.finish_reason,
                seconds=done.seconds,
                tries=done.tries,
                prompt_tokens=done.usage.prompt,
                completion_tokens=done.usage.completion,
            )
        )
        try:
            found = read(done)
        except BadReply as error:
            self.note(problem=str(error))
            self._tell()
            raise
        self._tell()
        return found

    def prompted(
        self, stage: str, model: Model, prompt: str, schema: Mapping[str, Any], read: Callable[[str], Found]
    ) -> Found:
        """`once` for a prompt by itself. A reply that was cut at its greatest length is not accepted."""

        def whole(done: Completion) -> Found:
            if done.finish_reason == "length":
                raise BadReply("the reply is longer than the model may write")
            return read(done.text)

        return self.once(model, (user(prompt),), whole, schema=schema, stage=stage)

    def note(self, **parts: Any) -> None:
        """Changes parts of the last attempt."""
        self.attempts[-1] = self.attempts[-1]._replace(**parts)

    def reject(self, stage: str, problem: str) -> None:
        """Marks the last attempt of a stage, whose reply was accepted, as not accepted after all."""
        at = max(at for at, each in enumerate(self.attempts) if each.stage == stage)
        self.attempts[at] = self.attempts[at]._replace(problem=problem)

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self.attempts[-1])
