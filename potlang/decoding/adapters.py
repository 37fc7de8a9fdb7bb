"""Masks in the loops of other libraries, as a processor of logits ([ADAPT-LOGITS]).

transformers:      model.generate(**inputs, logits_processor=[MaskedLogits(masker)])
llama-cpp-python:  llama(prompt, logits_processor=LogitsProcessorList([MaskedLogits(masker)]))
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from potlang.decoding.masker import TokenMasker

_LOWEST: Final = -math.inf


class OutsideMask(ValueError):
    """A token that was written although the mask did not allow it."""


class _Written:
    """A masker behind some tokens, and what was written behind these. No masker: tokens were not allowed."""

    __slots__ = ("following", "masker")

    def __init__(self, masker: TokenMasker | None) -> None:
        self.masker = masker
        self.following: dict[int, _Written] = {}

    def is_over(self) -> bool:
        return self.masker is None or self.masker.is_stopped()


class MaskedLogits:
    """A function from the tokens so far and the logits of the next one to logits under the mask.

    Takes arrays of numpy or tensors of torch, for one sequence (one dimension) or a batch (two), and leaves
    them as they are: what comes back has minus infinity for each token that may not come next. Batches may
    be sorted anew, shortened, or go back by some tokens between calls, as beams and drafts do.
    """

    def __init__(self, masker: TokenMasker, *, prompt_tokens: int | None = None, beams: bool = False) -> None:
        """`masker`: where each trace begins; it is copied. `prompt_tokens`: how many tokens stand before it
        in each row, padding among them; by default all of the first call, so a processor is for one run.

        `beams`: rows with a token that was not allowed may stop. A search with beams has such rows where
        fewer tokens are allowed than it takes, with the probability 0.
        """
        self._start = _Written(masker.deep_copy())
        self._vocabulary = masker.vocabulary
        self._prompt = prompt_tokens
        self._beams = beams
        self.error: ValueError | None = None
        """The exception of a call. Some libraries print it and go on: then only the end token is allowed."""

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """The logits under the mask.

        Raises `OutsideMask` where a row has a token that was not allowed, and ValueError for logits of
        allowed tokens that are NaN, and for rows that are shorter than the prompt.
        """
        try:
            return _masked(scores, self._allowed(input_ids, scores.shape))
        except ValueError as error:
            self.error = error
            raise

    def _allowed(self, input_ids: Any, shape: tuple[int, ...]) -> Any:
        """Whether each token may come next, in the shape of the logits."""
        length = input_ids.shape[-1]
        if self._prompt is None:
            self._prompt = length
        if length < self._prompt:
            raise ValueError(f"{length} tokens are fewer than the {self._prompt} of the prompt")
        written = input_ids[..., self._prompt :].tolist()
        rows = written if input_ids.ndim == 2 else [written]
        allowed = np.ones((len(rows), shape[-1]), dtype=bool)
        for row, tokens in enumerate(rows):
            self._mark(allowed[row], self._behind(tokens) if self.error is None else _Written(None))
        return allowed.reshape(shape)

    def maskers(self, input_ids: Any) -> list[TokenMasker | None]:
        """The masker of each row; None where a token was not allowed. Raises as a call does."""
        return [self._behind(tokens).masker for tokens in input_ids[..., self._prompt or 0 :].tolist()]

    def _behind(self, tokens: list[int]) -> _Written:
        here = self._start
        for token in tokens:
            if here.is_over():
                break  # What fills the row up to the others' length is no part of the trace.
            following = here.following.get(token)
            if following is None:
                following = here.following[token] = self._step(here, token)
            here = following
        return here

    def _step(self, here: _Written, token: int) -> _Written:
        assert here.masker is not None
        masker = here.masker.deep_copy()
        if masker.consume_token(token):
            return _Written(masker)
        if self._beams:
            return _Written(None)
        raise OutsideMask(f"token {token} was written, which the mask does not allow (use `beams` for beams)")

    def _mark(self, allowed: Any, here: _Written) -> None:
        end = self._vocabulary.end
        if not here.is_over():
            assert here.masker is not None
            bits = np.unpackbits(here.masker.mask().view(np.uint8), bitorder="little")
            width = min(len(allowed), len(self._vocabulary))
            allowed[:width] = bits[:width]
            allowed[width:] = False
        elif end is not None:
            allowed[:] = False
            allowed[end : end + 1] = True


def _masked(scores: Any, allowed: Any) -> Any:
    if isinstance(scores, np.ndarray):
        if np.isnan(scores[allowed]).any():
            raise ValueError("logits of allowed tokens are NaN")
        return np.where(allowed, scores, scores.dtype.type(_LOWEST))
    import torch

    kept = torch.from_numpy(allowed).to(scores.device)
    found = scores.masked_fill(~kept, _LOWEST)
    if bool(torch.isnan(found).any()):
        raise ValueError("logits of allowed tokens are NaN")
    return found
