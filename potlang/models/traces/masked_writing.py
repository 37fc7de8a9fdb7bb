"""Algorithm 1: a model writes a trace, token by token, under the mask of the validator ([WRITE-TRACE]).

    written = potlang.dot.write(model, "Is 3 + 4 < 8?", vocabulary=vocabulary, max_tokens=800)
    written.trace, written.verdicts

numpy is needed (extra `decoding`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from potlang.decoding import (
    BadVocabulary,
    Budgets,
    BudgetTooSmall,
    TokenMasker,
    TokenVocabulary,
    TraceGoal,
)
from potlang.languages.dot.check import read
from potlang.languages.dot.read.records import Node, Profile, Prop
from potlang.languages.dot.solve.verify import verify
from potlang.languages.dot.stream.machine import (
    START_OF_LINE,
    CarriageReturn,
    FieldName,
    FieldValue,
    Keyword,
    RecordEnd,
    TraceState,
)
from potlang.languages.dot.stream.registers import UNBOUNDED
from potlang.languages.dot.stream.validator import Validator
from potlang.languages.dot.write.builder import TraceBuilder
from potlang.languages.dot.write.emit import emit
from potlang.models.traces.prompting import writing_prompt
from potlang.models.traces.solver_critic import critique, said_of
from potlang.report.results import Limits, Verdict
from potlang.utils.deadline import Deadline

LogitModel: TypeAlias = Callable[[Sequence[int]], Any]
"""From the ids of all tokens so far to an array of the logits of the next one, by its id."""
VerdictUse = Literal["none", "offered", "placed"]
Ended = Literal["end", "budget", "logits", "time"]
"""The model ended the trace; or it was closed: no tokens were left, logits were none, or no time was left."""

USUAL_GOAL: Final = TraceGoal(end=True, critique=True)
MOST_TOKENS: Final = 2_000
VERDICT_LIMITS: Final = Limits(check_ms=2_000, total_ms=5_000, memory_mb=2_048)
_MOST_REFUSED: Final = 32
"""Tokens that are tried for one that leaves room for a closing; behind so many the trace is closed."""


class BadLogits(ValueError):
    """The values of a model are no logits from which a token could be chosen."""


class WrittenTrace(NamedTuple):
    """A trace that was written: well formed, and with what its goal asks for.

    `verdicts` are the solver's, on propositions that it was asked about. `calls` counts those of the model;
    `model_seconds` of all `seconds` were spent in them.
    """

    trace: bytes
    tokens: tuple[int, ...]
    ended: Ended
    verdicts: dict[int, Verdict]
    calls: int
    seconds: float
    model_seconds: float

    @property
    def text(self) -> str:
        """The trace as text."""
        return self.trace.decode()


def write(
    model: LogitModel,
    problem: str,
    *,
    vocabulary: TokenVocabulary,
    prompt: str | Sequence[int] | None = None,
    declare: Mapping[str, Any] | None = None,
    assume: Iterable[Any] | None = None,
    verdicts: VerdictUse = "none",
    profile: Profile = "paper",
    role_tokens: bool = False,
    goal: TraceGoal = USUAL_GOAL,
    budgets: Budgets = UNBOUNDED,
    max_tokens: int = MOST_TOKENS,
    timeout: float | None = None,
    temperature: float = 0.0,
    seed: int = 0,
    encode: Callable[[str], Sequence[int]] | None = None,
    limits: Limits = VERDICT_LIMITS,
    names: Iterable[str] | None = None,
) -> WrittenTrace:
    """The trace that a model writes about a problem (Algorithm 1 of the paper).

    The first block states the problem, with what it `declare`s and `assume`s; the model chooses each further
    token among those that the mask allows: the likeliest one, or with a `temperature` by chance, from `seed`.
    `prompt` stands before the trace, by default what `writing_prompt` tells of traces; `encode` makes tokens
    of it, by default the longest ones that fit.
    `verdicts`: behind each proposition the solver's verdict is `offered` to the critic, as text, or a critic
    who has it is `placed`; `limits` are those of one verdict. `max_tokens` are those of the trace, the
    problem's among them; the closing is kept in reserve, so a model that never ends is ended. The trace is
    closed also where logits are bad later on, or after `timeout` seconds. Propositions use `names` alone, by
    default those that are declared if any are; `()` allows any.

    Before anything is written: raises `BadLogits` if the model's first logits are NaN, infinite, too few, or
    allow nothing; `BudgetTooSmall` if the tokens do not suffice for the problem and a closing;
    `BadVocabulary` if the vocabulary cannot write every trace, or not the default prompt; `BuildError` for a
    problem that no trace can state; ValueError for another option that means nothing.
    """
    if verdicts not in get_args(VerdictUse):
        raise ValueError(f"`verdicts` is one of {', '.join(get_args(VerdictUse))}, not {verdicts!r}")
    if not 0 <= temperature < math.inf:
        raise ValueError(f"a temperature is from 0 on, not {temperature}")
    if timeout is not None and not timeout > 0:
        raise ValueError(f"a timeout is more than 0 seconds, not {timeout}")
    builder = TraceBuilder(profile)
    builder.problem(problem, declare=declare, assume=assume)
    some = tuple(declare or ()) if names is None else tuple(names)
    masker = TokenMasker(
        vocabulary,
        profile=profile,
        budgets=budgets,
        goal=goal,
        tokens=role_tokens,
        max_tokens=max_tokens,
        names=some or None,
    )
    before = _prompt_tokens(prompt, vocabulary, encode, profile, role_tokens)
    writer = _TraceDecoder(masker, model, before, _Sampler(len(vocabulary), temperature, seed))
    if not writer.insert(builder.text(role_tokens=role_tokens)):
        if some and not _is_named(builder, some):
            raise ValueError(f"what the problem says uses other names than {', '.join(some)}")
        raise BudgetTooSmall(f"the problem and a closing take more than {max_tokens} tokens or {budgets}")
    judge = None if verdicts == "none" else _Judge(verdicts, role_tokens, limits)
    return writer.written(judge, Deadline(math.inf if timeout is None else timeout * 1_000))


def _is_named(builder: TraceBuilder, names: Iterable[str]) -> bool:
    """Whether a trace uses these names alone."""
    return Validator(profile=builder.profile, names=names).push(builder.text()) != "invalid"


def _prompt_tokens(
    prompt: str | Sequence[int] | None,
    vocabulary: TokenVocabulary,
    encode: Callable[[str], Sequence[int]] | None,
    profile: Profile,
    role_tokens: bool,
) -> list[int]:
    """The tokens before the trace; those of the default prompt for None."""
    if prompt is not None and not isinstance(prompt, str):
        return list(prompt)
    text = writing_prompt(profile, role_tokens) if prompt is None else prompt
    try:
        return list(vocabulary.encode(text) if encode is None else encode(text))
    except ValueError as error:
        if prompt is not None:
            raise
        raise BadVocabulary(f"the default prompt cannot be written, give a `prompt`: {error}") from error


class _Sampler:
    """Chooses tokens by their logits."""

    def __init__(self, size: int, temperature: float, seed: int) -> None:
        import numpy

        self._np = numpy
        self._size = size
        self._temperature = temperature
        self._random = numpy.random.default_rng(seed)

    def choose(self, given: Any, masker: TokenMasker) -> int | None:
        """An allowed token; None if those chosen leave no room for a closing. Raises `BadLogits`."""
        np = self._np
        try:
            logits = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise BadLogits(f"logits are no array of numbers: {error}") from None
        if logits.ndim != 1 or len(logits) < self._size:
            raise BadLogits(f"logits have the shape {logits.shape}, not one for each of {self._size} tokens")
        # Only tokens that are chosen are asked for room for a closing.
        mask = masker.mask_tables.mask(masker.state)
        flags = np.unpackbits(mask.view(np.uint8), bitorder="little", count=self._size).view(np.bool_)
        end = masker.vocabulary.end
        if end is not None and masker.is_accepting():
            flags[end] = True
        some = np.where(flags, logits[: self._size], -np.inf)
        weights = None
        for _ in range(_MOST_REFUSED):
            # NaN counts as the greatest.
            at = int(some.argmax())
            top = some[at]
            if np.isnan(top) or top == np.inf:
                raise BadLogits("logits of allowed tokens are NaN or infinite")
            if top == -np.inf:
                raise BadLogits("the model excludes all tokens that are allowed")
            if self._temperature:
                if weights is None or not weights[at]:
                    # The greatest is subtracted first: exponentials of what is left are at most 1.
                    weights = np.exp(((some - top) / self._temperature).astype(np.float32))
                at = self._drawn(weights)
            if masker.allows(at):
                return at
            some[at] = -np.inf
            if weights is not None:
                weights[at] = 0
        return None

    def _drawn(self, weights: Any) -> int:
        """A token by chance, in proportion to the weights."""
        sums = weights.cumsum(dtype=self._np.float64)
        drawn = int(sums.searchsorted(self._random.random() * sums[-1], side="right"))
        return min(drawn, len(sums) - 1)


class _TraceDecoder:
    """One trace while it is written: the masker, the tokens, and their bytes."""

    def __init__(self, masker: TokenMasker, model: LogitModel, prompt: list[int], sampler: _Sampler) -> None:
        self._masker = masker
        self._model = model
        self._prompt = prompt
        self._sampler = sampler
        self.tokens: list[int] = []
        self.data = b""
        self._line = 0
        """Where the last line began that may open a block, with its role token."""
        self._calls = 0
        self._model_seconds = 0.0

    def written(self, judge: _Judge | None, deadline: Deadline) -> WrittenTrace:
        """Writes to the end."""
        begin = time.perf_counter()
        ended: Ended = "end"
        while not self._is_finished():
            if self._masker.is_stopped():
                ended = "budget"
                break
            if self._calls and deadline.passed():
                ended = "time"
                break
            try:
                token = self._next()
            except BadLogits:
                if self._calls == 1:
                    raise
                ended = "logits"
                break
            if token is None:
                ended = "budget"
                break
            self._go_on(token, judge)
        self._close()
        verdicts = {} if judge is None else judge.verdicts
        seconds = time.perf_counter() - begin
        return WrittenTrace(
            self.data, tuple(self.tokens), ended, verdicts, self._calls, seconds, self._model_seconds
        )

    def _is_finished(self) -> bool:
        """Whether the model has ended the trace; behind its end marker there is nothing to write."""
        end = self._masker.vocabulary.end
        return self._masker.state.registers.ended or (bool(self.tokens) and self.tokens[-1] == end)

    def _next(self) -> int | None:
        self._calls += 1
        begin = time.perf_counter()
        logits = self._model([*self._prompt, *self.tokens])
        self._model_seconds += time.perf_counter() - begin
        return self._sampler.choose(logits, self._masker)

    def _go_on(self, token: int, judge: _Judge | None) -> None:
        """Writes a token; where it leaves the block of a proposition, its verdict comes first."""
        registers = self._masker.state.registers
        waiting = registers.last if registers.role == "proposer" else None
        left = self._push(token)
        if judge is None or waiting is None or waiting in judge.verdicts or left is None:
            return
        judged = judge.insertion(self.data[: self._line], waiting)
        if judged is not None:
            self._insert_before_line(judged)

    def _push(self, token: int) -> bool | None:
        """Consumes a token. Whether a block is opened with it; None where not."""
        state: TraceState | None = self._masker.state
        assert state is not None
        node, opened = state.registers.last, None
        data = self._masker.vocabulary.tokens[token] or b""
        for at, byte in enumerate(data, len(self.data)):
            # Behind the opening the line stays that of the block, which is cut off there.
            if not opened and state.place is START_OF_LINE and state.registers.opening is None:
                self._line = at
            state = self._masker.machine.step(state, byte)
            assert state is not None, "a mask allows what the machine does"
            opened = opened or _is_opening(state, node) or None
        consumed = self._masker.consume_token(token)
        assert consumed, "the token was allowed"
        self.tokens.append(token)
        self.data += data
        return opened

    def _insert_before_line(self, text: bytes) -> None:
        """Takes back the line that was begun, and writes the text in its place, if there is room for it."""
        before = self._masker.deep_copy(), list(self.tokens), self.data, self._line
        vocabulary, cut = self._masker.vocabulary, self._line
        while len(self.data) > cut:
            last = vocabulary.tokens[self.tokens.pop()] or b""
            self.data = self.data[: len(self.data) - len(last)]
            self._masker.rollback(1)
        if not self.insert(before[2][len(self.data) : cut] + text):
            self._masker, self.tokens, self.data, self._line = before

    def insert(self, text: bytes) -> bool:
        """Writes text; False, and nothing is written, if it may not stand here."""
        tokens = self._masker.vocabulary.encode(text)
        if not self._masker.consume_tokens(tokens):
            return False
        self.tokens += tokens
        self.data += text
        return True

    def _close(self) -> None:
        self.insert(self._masker.closing())
        end = self._masker.vocabulary.end
        if end is not None and self._masker.consume_token(end):
            self.tokens.append(end)


def _is_opening(state: TraceState, node: int) -> bool:
    """Whether the block of the node is left, or is being left."""
    place = state.place
    if state.registers.last != node or state.registers.opening is not None:
        return True
    if isinstance(place, Keyword):
        return place.text.startswith(b"@n")
    return isinstance(place, FieldName | FieldValue | RecordEnd | CarriageReturn) and place.kind == "node"


class _Judge:
    """Asks the solver about propositions, and says what it answers in the words of traces."""

    def __init__(self, use: VerdictUse, role_tokens: bool, limits: Limits) -> None:
        self._use = use
        self._role_tokens = role_tokens
        self._limits = limits
        self.verdicts: dict[int, Verdict] = {}

    def insertion(self, trace: bytes, node: int) -> bytes | None:
        """The text that tells the verdict on the last node of a trace; None if that states nothing."""
        verdict = self._verdict(trace, node)
        if verdict is None:
            return None
        self.verdicts[node] = verdict
        records = [said_of(verdict)] if self._use == "offered" else critique(node, verdict)
        return emit(records, role_tokens=self._role_tokens and self._use == "placed")

    def _verdict(self, trace: bytes, node: int) -> Verdict | None:
        read_so_far = read(trace)
        if node not in read_so_far.props:
            return None
        kept = [id_ for id_, each in read_so_far.nodes.items() if each.role == "problem"] + [node]
        # Only the theory and the proposition: what others say has no part in the verdict.
        records = [
            each for each in read_so_far.records if isinstance(each, Node | Prop) and each.block in kept
        ]
        report = verify(emit(records), trust="solver", limits=self._limits)
        return next(each.verdict for each in report.nodes if each.id == node)
