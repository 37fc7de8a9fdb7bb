"""Ways to hold a model that writes a text: an exact mask, a grammar, nothing; texts written under them.

Texts take the processor's time of their masks, of the model, and of the rest: masks and the choice by chance.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from time import thread_time
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent), str(HERE.parent / "tests")]

from small_model import Continuations, SmallModel  # noqa: E402

from potlang.decoding import TokenMasker, TokenVocabulary  # noqa: E402

_MOST_REFUSED = 32
"""Tokens that are tried for one that leaves room for a closing, as in `potlang.dot.write`."""


class Task(NamedTuple):
    """A text to be written: what stands before it alone, the tokens it begins with, the seed of chance."""

    key: str
    before: tuple[int, ...]
    begun: tuple[int, ...]
    seed: int


class BadBeginning(ValueError):
    """A text that may not begin as it does."""


class Text(ABC):
    """A text while it is written, of at most `most` tokens, those it begins with among them.

    `ended`: by an end token or marker, `closed` by the masker, or `cut` where no token was left.
    """

    def __init__(self, task: Task, vocabulary: TokenVocabulary, most: int, temperature: float) -> None:
        self.task = task
        self.most = most
        self.written: list[int] = []
        self.ended = ""
        self.mask_seconds = 0.0
        self.model_seconds = 0.0
        self.rest_seconds = 0.0
        self._vocabulary = vocabulary
        self._temperature = temperature
        self._random = np.random.default_rng(task.seed)
        for at, token in enumerate(task.begun):
            if not self.take(token):
                raise BadBeginning(f"{task.key} may not begin so, from its token {at} on")

    def data(self) -> bytes:
        """All of the text."""
        tokens = (*self.task.begun, *self.written)
        return b"".join(self._vocabulary.tokens[token] or b"" for token in tokens)

    def next(self, logits: Any) -> int | None:
        """The next token; None where the text has ended (`ended` says how)."""
        if len(self.task.begun) + len(self.written) >= self.most:
            self.ended = "cut"
            return None
        token = self.choose(logits)
        if token is None:
            return None
        if self._vocabulary.tokens[token] is None:
            self.ended = "end"
            return None
        self.written.append(token)
        return token

    @abstractmethod
    def choose(self, logits: Any) -> int | None:
        """A token that may come next, which is consumed; None where the text is over."""

    @abstractmethod
    def take(self, token: int) -> bool:
        """Consumes a token."""

    def pick(self, logits: Any, flags: Any = None) -> int:
        """One of the tokens that are flagged, by chance."""
        some = np.asarray(logits[: len(self._vocabulary)], np.float64)
        if flags is not None:
            some = np.where(flags, some, -np.inf)
        weights = np.exp((some - some.max()) / self._temperature)
        sums = weights.cumsum()
        return int(sums.searchsorted(self._random.random() * sums[-1], side="right"))

    def flags(self, words: Any) -> Any:
        """A flag for each token out of the words of a mask."""
        return np.unpackbits(words.view(np.uint8), bitorder="little", count=len(self._vocabulary)).view(bool)


class Free(Text):
    """Nothing holds the model."""

    def choose(self, logits: Any) -> int | None:
        """Any token."""
        return self.pick(logits)

    def take(self, token: int) -> bool:
        """Always."""
        return True


class Exact(Text):
    """The masker of this package, as `potlang.dot.write` uses it."""

    def __init__(
        self, task: Task, vocabulary: TokenVocabulary, most: int, temperature: float, start: TokenMasker
    ) -> None:
        self.masker = start.deep_copy()
        super().__init__(task, vocabulary, most, temperature)

    def choose(self, logits: Any) -> int | None:
        """A token behind which the budget suffices for a closing; the closing, where none is found."""
        began = thread_time()
        masker = self.masker
        flags = self.flags(masker.mask_tables.mask(masker.state))
        if self._vocabulary.end is not None and masker.is_accepting():
            flags[self._vocabulary.end] = True
        self.mask_seconds += thread_time() - began
        for _ in range(_MOST_REFUSED):
            token = self.pick(logits, flags)
            began = thread_time()
            is_taken = masker.consume_token(token)
            self.mask_seconds += thread_time() - began
            if is_taken:
                return token
            flags[token] = False
        self._close()
        return None

    def next(self, logits: Any) -> int | None:
        """As of any text; behind its end marker it is over."""
        if self.masker.state.registers.ended:
            self.ended = "end"
            return None
        if self.masker.is_stopped():
            self._close()
            return None
        return super().next(logits)

    def _close(self) -> None:
        closing = self._vocabulary.encode(self.masker.closing())
        assert self.masker.consume_tokens(closing)
        self.written += closing
        self.ended = "closed"

    def take(self, token: int) -> bool:
        """As the mask says."""
        return self.masker.consume_token(token)


class Grammared(Text):
    """llguidance with a grammar."""

    def __init__(
        self, task: Task, vocabulary: TokenVocabulary, most: int, temperature: float, matcher: Any
    ) -> None:
        self._matcher = matcher.deep_copy()
        self._bits = np.zeros((1, (len(vocabulary) + 31) // 32), np.int32)
        super().__init__(task, vocabulary, most, temperature)

    def choose(self, logits: Any) -> int | None:
        """Any token that the grammar allows."""
        from llguidance.numpy import fill_next_token_bitmask

        if self._matcher.is_stopped():
            self.ended = "end"
            return None
        began = thread_time()
        fill_next_token_bitmask(self._matcher, self._bits)
        flags = self.flags(self._bits)
        self.mask_seconds += thread_time() - began
        token = self.pick(logits, flags)
        began = thread_time()
        assert self.take(token), self._matcher.get_error()
        self.mask_seconds += thread_time() - began
        return token

    def take(self, token: int) -> bool:
        """As the grammar says."""
        return bool(self._matcher.consume_token(token))


class _Tokens:
    """A vocabulary in the form that llguidance takes."""

    def __init__(self, vocabulary: TokenVocabulary) -> None:
        self._vocabulary = vocabulary
        self.eos_token_id = vocabulary.end
        self.bos_token_id = None
        named = enumerate(vocabulary.tokens)
        self.tokens = [b"<|special %d|>" % id_ if token is None else token for id_, token in named]
        self.special_token_ids = [id_ for id_, token in enumerate(vocabulary.tokens) if token is None]

    def __call__(self, text: str | bytes) -> list[int]:
        return self._vocabulary.encode(text)


@cache
def llguidance_tokenizer(vocabulary: TokenVocabulary) -> Any:
    """The vocabulary for llguidance."""
    import llguidance

    return llguidance.LLTokenizer(llguidance.TokenizerWrapper(_Tokens(vocabulary)))


def matcher_of(vocabulary: TokenVocabulary, grammar: str) -> Any:
    """The matcher of a grammar, in Lark or GBNF. Raises ValueError for one that llguidance cannot read."""
    import llguidance

    known = llguidance.grammar_from("grammar", grammar)
    matcher = llguidance.LLMatcher(llguidance_tokenizer(vocabulary), known, log_level=0)
    if matcher.is_error():
        raise ValueError(matcher.get_error())
    return matcher


def replay(start: TokenMasker, ids: Sequence[int]) -> float:
    """Seconds of the masks on the way through a text; a token that is not allowed ends it."""
    masker = start.deep_copy()
    began = thread_time()
    for token in ids:
        words = masker.mask_tables.mask(masker.state)
        np.unpackbits(words.view(np.uint8), bitorder="little", count=len(masker.vocabulary))
        if not masker.consume_token(token):
            break
    return thread_time() - began


def write(model: SmallModel, prompt: Sequence[int], texts: Sequence[Text]) -> Iterator[Text]:
    """Writes all texts at once, a token each at a time; gives each as it ends."""
    begun = [(*each.task.before, *each.task.begun) for each in texts]
    room = max(len(each.task.before) + each.most for each in texts)
    group = Continuations(model, prompt, begun, room)
    active = list(texts)
    while True:
        tokens: list[int] = []
        kept: list[int] = []
        for row, (text, logits) in enumerate(zip(active, group.logits, strict=True)):
            start = thread_time()
            token = text.next(logits)
            text.rest_seconds += thread_time() - start
            if token is None:
                yield text
            else:
                kept.append(row)
                tokens.append(token)
        if not kept:
            return
        if len(kept) < len(active):
            group.keep(kept)
            active = [active[row] for row in kept]
        start = thread_time()
        group.step(tokens)
        seconds = (thread_time() - start) / len(active)
        for text in active:
            text.model_seconds += seconds
