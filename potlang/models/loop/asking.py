"""Asks models until a reply is accepted, and keeps every attempt ([DAG-BUILD-TRY], [LOOP-WRITE])."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeVar, get_args

from potlang.models.endpoint import (
    Completion,
    EndpointError,
    Failure,
    Message,
    Model,
    Sampling,
    Usage,
    system,
    user,
)
from potlang.models.replies.extract import BadReply

Found = TypeVar("Found")
FoundCo = TypeVar("FoundCo", covariant=True)
ReplyPart = Literal["text", "arguments", "reasoning"]
"""Where in a reply something is: in its text, in what it calls a tool with, in the thoughts beside it."""

DEFAULT_SAMPLING = Sampling()
FATAL: frozenset[Failure] = frozenset({"refused", "unauthorized", "not found", "budget"})
"""Failures that no further request can mend: a run over many questions ends at the first of them."""
ASKED_AGAIN: Final[frozenset[Failure]] = frozenset({"cut off", "too large"})
"""Failures of one reply; others are of the endpoint, or the model's own will, and would come back."""
_STOPPED: Final = "stop"
_FILTERED: Final = "content_filter"
_LONGEST_REFUSAL: Final = 2_000


class Attempt(NamedTuple):
    """One request to a model, with its reply or failure.

    `messages` stand behind the system message; `structured`: JSON of a schema was asked for. `problem` says
    why the reply was not accepted, empty if it was; `failure` is the endpoint's reason where there is no
    reply. Of a program: `program` is the text that was compiled, found in the `part` of the reply and after
    `mended` safe fixes; `diagnostics` are those of the compiler. `reasoning`, `arguments`, `answered_by`,
    `cost` and tokens are those of the completion, which was perhaps kept from an earlier run (`from_cache`).
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
    part: ReplyPart = "text"
    mended: int = 0
    reasoning: str = ""
    arguments: str = ""
    answered_by: str = ""
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    from_cache: bool = False


class Conversation(Protocol[FoundCo]):
    """The questions to a model, round by round, until a reply is accepted."""

    @property
    def system(self) -> str:
        """The system message; empty for none."""

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of the next round."""

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The schema of the JSON that is wanted."""

    def read(self, done: Completion) -> FoundCo:
        """The part of a reply that is wanted. Raises BadReply."""

    def go_on(self) -> None:
        """Makes the messages of the next round, after a reply that is not accepted, or is missing."""

    def without_schema(self) -> bool:
        """Asks for no schema from now on; False where it did not before."""


class RetryLoop:
    """Asks models and collects the attempts; with a seed, each request has the next one ([LOOP-SEED]).

    `progress` is called with each attempt as soon as its reply was accepted or not.
    """

    def __init__(self, sampling: Sampling, progress: Callable[[Attempt], object] | None = None) -> None:
        self.sampling = sampling
        self.attempts: list[Attempt] = []
        self._progress = progress

    @classmethod
    def numbered(
        cls,
        sampling: Sampling,
        number: int,
        progress: Callable[[Attempt], object] | None = None,
        *,
        apart: int | None = None,
    ) -> RetryLoop:
        """The loop of the sample with this number, from 0: its seeds do not depend on other samples'.

        `apart` is how many requests a sample may take, by default those of `sampling`.
        """
        if sampling.seed is not None:
            sampling = sampling._replace(seed=sampling.seed + number * (apart or sampling.tries))
        return cls(sampling, progress)

    @property
    def left(self) -> int:
        """The requests that are left of those for one accepted reply."""
        return self.sampling.tries - len(self.attempts)

    def until_accepted(self, ask: Callable[[], Found], *, tries: int | None = None) -> Found | None:
        """The first result of `ask` that is no BadReply; None after `tries` calls, by default those of
        `sampling`.
        """
        for _ in range(self.sampling.tries if tries is None else tries):
            with suppress(BadReply):
                return ask()
        return None

    def converse(
        self, model: Model, talk: Conversation[Found], *, stage: str, tries: int | None = None
    ) -> Found | None:
        """The result of the first accepted reply; None after `tries` replies, or where the endpoint fails."""

        def ask() -> Found:
            try:
                return self.once(
                    model, talk.messages, talk.read, schema=talk.schema, stage=stage, instructions=talk.system
                )
            except BadReply:
                talk.go_on()
                raise
            except EndpointError as error:
                # Perhaps it is the schema that the endpoint does not accept: no attempt is lost by it.
                if error.reason == "rejected" and talk.without_schema():
                    return ask()
                if error.reason in ASKED_AGAIN:
                    talk.go_on()
                    raise BadReply(str(error)) from error
                raise

        with suppress(EndpointError):
            return self.until_accepted(ask, tries=tries)
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

        `instructions` are the system message. A refusal is an EndpointError too: whoever asks the same again
        gets it again.
        """
        _, temperature, max_tokens, timeout, seed = self.sampling
        attempt = Attempt(messages, schema is not None, stage=stage, model=model.name)
        # The system message is the same in every attempt: it is not part of the record.
        before = (system(instructions),) if instructions else ()
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
            self._keep_broken(attempt, error.broken)
            failed = _with_reply(attempt, error.received)
            failed = failed._replace(problem=str(error), failure=error.reason)
            self.attempts.append(failed._replace(seconds=error.seconds, tries=error.tries))
            self._tell()
            raise
        self._keep_broken(attempt, done.broken)
        self.attempts.append(_with_reply(attempt, done)._replace(seconds=done.seconds, tries=done.tries))
        try:
            found = read(done)
        except BadReply as error:
            declined = _declined(done)
            self.note(problem=declined or str(error), failure="declined" if declined else None)
            self._tell()
            if declined:
                raise EndpointError("declined", declined) from error
            raise
        self._tell()
        return found

    def best_part(
        self, done: Completion, read: Callable[[str], Found | None], accepts: Callable[[Found], bool]
    ) -> Found | None:
        """The reading of a reply's text, else of the parts beside it; the part is noted.

        The first that is accepted counts, else the first that there is.
        """
        best: Found | None = None
        for part in get_args(ReplyPart):
            found = read(getattr(done, part))
            if found is not None and (best is None or accepts(found)):
                best = found
                self.note(part=part)
            if best is not None and accepts(best):
                break
        return best

    def prompted(
        self, stage: str, model: Model, prompt: str, schema: Mapping[str, Any], read: Callable[[str], Found]
    ) -> Found:
        """`once` for a prompt by itself. A reply that was cut at its greatest length is not accepted."""

        def whole(done: Completion) -> Found:
            if done.finish_reason == "length":
                raise BadReply("the reply is longer than the model may write")
            return read(done.text)

        return self.once(model, (user(prompt),), whole, schema=schema, stage=stage)

    def _keep_broken(self, attempt: Attempt, broken: tuple[Completion, ...]) -> None:
        """Notes the answers that broke off before another one came: they may have been paid for."""
        for each in broken:
            problem = f"the answer broke off: {each.finish_reason}"
            self.attempts.append(_with_reply(attempt, each)._replace(problem=problem, tries=1))

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


def _with_reply(attempt: Attempt, done: Completion | None) -> Attempt:
    """The attempt with a reply, or as much of one as there is."""
    if done is None:
        return attempt
    return attempt._replace(
        reply=done.text,
        finish_reason=done.finish_reason,
        prompt_tokens=done.usage.prompt,
        completion_tokens=done.usage.completion,
        reasoning=done.reasoning,
        arguments=done.arguments,
        answered_by="" if done.model == attempt.model else done.model,
        cached_tokens=done.usage.cached,
        reasoning_tokens=done.usage.reasoning,
        cost=done.cost,
        from_cache=done.from_cache,
    )


def ended(problem: str, done: Completion) -> str:
    """The problem, and why the reply ended where the model did not end it."""
    if done.finish_reason == "length":
        return f"{problem}, and the reply broke off at its greatest length: write less"
    if done.finish_reason in (_STOPPED, ""):
        return problem
    return f"{problem} (it ended with: {done.finish_reason[:40]})"


def is_given_up(attempts: Sequence[Attempt]) -> bool:
    """True if the endpoint failed in a way that would come back."""
    failure = attempts[-1].failure if attempts else None
    return failure is not None and failure not in ASKED_AGAIN


class ReplayLoop(RetryLoop):
    """Reads the replies of recorded attempts anew; no model is asked, and no attempt is added."""

    def __init__(self, sampling: Sampling, recorded: Sequence[Attempt]) -> None:
        super().__init__(sampling)
        self._left = [each for each in recorded if each.failure is None and not is_broken(each)]

    def converse(
        self, model: Model, talk: Conversation[Found], *, stage: str, tries: int | None = None
    ) -> Found | None:
        """The result of the next recorded reply of this stage that is accepted."""
        for recorded in [each for each in self._left if each.stage == stage]:
            self._left.remove(recorded)
            # What was found in the reply may be another thing now.
            self.attempts.append(recorded._replace(program=None, diagnostics=(), problem="", mended=0))
            try:
                return talk.read(_completion(recorded))
            except BadReply as error:
                self.note(problem=str(error))
        return None


def is_broken(attempt: Attempt) -> bool:
    """Whether it is an answer that broke off before another one came: it counts as no reply of its own."""
    return attempt.finish_reason in get_args(Failure)


def _completion(attempt: Attempt) -> Completion:
    """The completion of an attempt that was recorded."""
    return Completion(
        attempt.reply,
        Usage(
            attempt.prompt_tokens, attempt.completion_tokens, attempt.cached_tokens, attempt.reasoning_tokens
        ),
        attempt.seconds,
        attempt.finish_reason,
        attempt.tries,
        reasoning=attempt.reasoning,
        arguments=attempt.arguments,
        model=attempt.answered_by or attempt.model,
        cost=attempt.cost,
    )


def _declined(done: Completion) -> str:
    """Why the model, or a filter, gives no answer, in its words; empty where it is none of these."""
    if done.refusal:
        return done.refusal[:_LONGEST_REFUSAL]
    return "the reply was withheld by a content filter" if done.finish_reason == _FILTERED else ""
