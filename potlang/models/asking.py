"""Asks a model until its reply is accepted, and keeps what was asked and answered ([DAG-BUILD-TRY])."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeVar

from potlang.models.endpoint import EndpointError, Failure, Model, Sampling, user
from potlang.models.json_replies import BadReply

Found = TypeVar("Found")
Stage = Literal["nodes", "nodes judged", "parents", "parents judged", "edges", "dependencies"]


DEFAULT_SAMPLING = Sampling()


class Attempt(NamedTuple):
    """One question and its answer. `fault` says why the reply was not accepted; empty if it was.

    `failure`: the endpoint's reason where there is no answer.
    """

    stage: Stage
    model: str
    prompt: str
    reply: str
    fault: str
    seconds: float
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    failure: Failure | None = None


class Asker:
    """Collects attempts. An EndpointError is recorded among them and passed on."""

    def __init__(self, sampling: Sampling) -> None:
        self.sampling = sampling
        self.attempts: list[Attempt] = []

    def accepted(
        self,
        stage: Stage,
        model: Model,
        prompt: str,
        schema: Mapping[str, Any],
        read: Callable[[str], Found],
    ) -> Found | None:
        """What `read` makes of the first reply for which it raises no BadReply; None after all tries."""
        for _ in range(self.sampling.tries):
            try:
                return self.once(stage, model, prompt, schema, read)
            except BadReply:
                continue
        return None

    def reject(self, stage: Stage, fault: str) -> None:
        """Marks the last attempt of a stage, whose reply was accepted, as not accepted after all."""
        at = max(at for at, each in enumerate(self.attempts) if each.stage == stage)
        self.attempts[at] = self.attempts[at]._replace(fault=fault)

    def once(
        self,
        stage: Stage,
        model: Model,
        prompt: str,
        schema: Mapping[str, Any],
        read: Callable[[str], Found],
    ) -> Found:
        """What `read` makes of one reply. Raises BadReply and EndpointError, both recorded."""
        _, temperature, max_tokens, timeout, seed = self.sampling
        try:
            done = model.complete(
                [user(prompt)],
                schema=schema,
                temperature=temperature,
                max_tokens=max_tokens,
                timeout=timeout,
                seed=None if seed is None else seed + len(self.attempts),
            )
        except EndpointError as error:
            self.attempts.append(
                Attempt(stage, model.name, prompt, "", str(error), error.seconds, failure=error.reason)
            )
            raise
        attempt = Attempt(stage, model.name, prompt, done.text, "", done.seconds, *done.usage)
        self.attempts.append(attempt)
        try:
            if done.finish_reason == "length":
                raise BadReply("the reply is longer than the model may write")
            return read(done.text)
        except BadReply as error:
            self.attempts[-1] = attempt._replace(fault=str(error))
            raise
