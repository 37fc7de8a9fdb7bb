"""A small language model of the Llama family, read from a GGUF file and run by NumPy, for tests of the loop.

    model = SmallModel(path)
    with ChatServer(answering(model)) as server: ...

It decodes greedily, so the same conversation gets the same reply. Needs `numpy` and `gguf`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from chat_server import Answer, Behaviour, Status

Array = npt.NDArray[np.float32]

_AT_ONCE: Final = 256
"""Tokens of a prompt in one pass: bounds the memory of the attention's scores."""
_MOST_TOKENS: Final = 256
"""Tokens of a reply, where the request does not say."""
_SYSTEM: Final = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
"""The system message that SmolLM2's template puts before a conversation without one."""
# Digits stand alone; of the rest, GPT-2's pieces. `[^\W\d_]` has, unlike \p{L}, also numerals that are no
# digits, such as Roman ones.
_DIGIT: Final = re.compile(r"(\d)")
_PIECE: Final = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[^\W\d_]+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")


def _byte_characters() -> dict[int, str]:
    """The character that stands for each byte in a byte-level vocabulary, as in GPT-2."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {byte: chr(byte) for byte in shown} | {byte: chr(256 + at) for at, byte in enumerate(hidden)}


class Tokenizer:
    """Text to tokens by byte pairs and back. `merges`: pairs with a space between, the first ones first."""

    def __init__(self, tokens: Sequence[str], merges: Sequence[str]) -> None:
        self._tokens = tokens
        self._numbers = {token: number for number, token in enumerate(tokens)}
        self._ranks = {tuple(pair.split(" ")): rank for rank, pair in enumerate(merges)}
        self._characters = _byte_characters()
        self._bytes = {character: byte for byte, character in self._characters.items()}
        self._merged = lru_cache(maxsize=10_000)(self._merge)

    def encode(self, text: str) -> list[int]:
        """The tokens of a text, in which nothing stands for a control token.

        Bytes without a token are left out; in SmolLM2's vocabulary some control characters have none.
        """
        pieces = [piece for part in _DIGIT.split(text) for piece in _PIECE.findall(part) or [part] if piece]
        found = (self._numbers.get(token) for piece in pieces for token in self._merged(piece))
        return [number for number in found if number is not None]

    def control(self, token: str) -> int:
        """The number of a control token. Raises KeyError."""
        return self._numbers[token]

    def decode(self, numbers: Sequence[int]) -> str:
        """The text of tokens, none of them a control token; what is no UTF-8 is replaced."""
        characters = "".join(self._tokens[number] for number in numbers)
        return bytes(self._bytes[character] for character in characters).decode(errors="replace")

    def _merge(self, piece: str) -> tuple[str, ...]:
        """The piece's tokens: of the pairs that stand together the first in rank is joined, until none is."""
        parts = [self._characters[byte] for byte in piece.encode()]
        never = len(self._ranks)
        while len(parts) > 1:
            ranks = [self._ranks.get(pair, never) for pair in pairwise(parts)]
            rank = min(ranks)
            if rank == never:
                break
            at = ranks.index(rank)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        return tuple(parts)


class _Layer(NamedTuple):
    """The weights of a layer, each of shape (out, in)."""

    attn_norm: Array
    attn_q: Array
    attn_k: Array
    attn_v: Array
    attn_output: Array
    ffn_norm: Array
    ffn_gate: Array
    ffn_up: Array
    ffn_down: Array


class Reply(NamedTuple):
    """A reply, if it came to its end, and its tokens and those of the conversation before it."""

    text: str
    is_whole: bool
    prompt_tokens: int
    tokens: int


class SmallModel:
    """A Llama model with tied embeddings, a byte-level vocabulary and the ChatML template, as SmolLM2 is.

    Keys and values of the last conversation are kept, so that one that begins alike costs less. For one
    thread at a time. Raises ValueError for a model of another kind, OSError for a file that cannot be read.
    """

    def __init__(self, path: Path) -> None:
        from gguf import GGUFReader
        from gguf.quants import dequantize

        reader = GGUFReader(path)
        known = {name: field.contents() for name, field in reader.fields.items()}
        kind = known.get("general.architecture"), known.get("tokenizer.ggml.model")
        weights = {each.name: each for each in reader.tensors}
        if kind != ("llama", "gpt2") or "output.weight" in weights:
            raise ValueError(f"no Llama model with tied embeddings and a byte-level vocabulary: {path.name}")

        def weight(name: str) -> Array:
            tensor = weights[name + ".weight"]
            return np.ascontiguousarray(dequantize(tensor.data, tensor.tensor_type), np.float32)

        self.context: int = known["llama.context_length"]
        self.tokenizer = Tokenizer(known["tokenizer.ggml.tokens"], known["tokenizer.ggml.merges"])
        self._heads: int = known["llama.attention.head_count"]
        self._kv_heads: int = known["llama.attention.head_count_kv"]
        self._size: int = known["llama.embedding_length"] // self._heads
        self._epsilon = np.float32(known["llama.attention.layer_norm_rms_epsilon"])
        self._embedding = weight("token_embd")
        self._norm = weight("output_norm")
        self._layers = [
            _Layer(*(weight(f"blk.{number}.{name}") for name in _Layer._fields))
            for number in range(known["llama.block_count"])
        ]
        powers = np.arange(0, self._size, 2) / self._size
        angles = np.outer(np.arange(self.context), known["llama.rope.freq_base"] ** -powers)
        self._turn = np.exp(1j * angles).astype(np.complex64)
        room = (len(self._layers), self._kv_heads, self.context, self._size)
        self._keys, self._values = np.zeros(room, np.float32), np.zeros(room, np.float32)
        self._seen: list[int] = []

    def reply(self, messages: Sequence[Mapping[str, Any]], max_tokens: int = _MOST_TOKENS) -> Reply:
        """What the model says next. Raises ValueError if the conversation leaves no room for a token."""
        prompt = self.prompt(messages)
        if len(prompt) >= self.context:
            raise ValueError(f"{len(prompt)} tokens are more than the context of {self.context}")
        end = self.tokenizer.control("<|im_end|>")
        said: list[int] = []
        logits = self.logits(prompt)
        while (token := int(logits.argmax())) != end:
            said.append(token)
            if len(said) >= min(max_tokens, self.context - len(prompt)):
                return Reply(self.tokenizer.decode(said), False, len(prompt), len(said))
            logits = self.logits([*prompt, *said])
        return Reply(self.tokenizer.decode(said), True, len(prompt), len(said))

    def logits(self, tokens: Sequence[int]) -> Array:
        """How likely each token is to come next, as logits. `tokens`: at least one, at most `context`."""
        pairs = enumerate(zip(self._seen, tokens[:-1], strict=False))
        begin = next((at for at, (old, new) in pairs if old != new), min(len(self._seen), len(tokens) - 1))
        del self._seen[begin:]
        for at in range(begin, len(tokens), _AT_ONCE):
            part = tokens[at : at + _AT_ONCE]
            state = self._forward(part, at)
            self._seen += part
        return self._embedding @ self._normed(state[-1], self._norm)

    def prompt(self, messages: Sequence[Mapping[str, Any]]) -> list[int]:
        """A conversation as ChatML, up to where the reply begins."""
        start, end = (self.tokenizer.control(token) for token in ("<|im_start|>", "<|im_end|>"))
        encode = self.tokenizer.encode
        first = [] if messages[0]["role"] == "system" else [{"role": "system", "content": _SYSTEM}]
        found: list[int] = []
        for message in [*first, *messages]:
            found += [start, *encode(f"{message['role']}\n{message['content']}"), end, *encode("\n")]
        return [*found, start, *encode("assistant\n")]

    def _forward(self, tokens: Sequence[int], at: int) -> Array:
        """The state behind the last layer of tokens that begin at a position; their keys are kept."""
        state = self._embedding[list(tokens)]
        for number, layer in enumerate(self._layers):
            state = state + self._attended(self._normed(state, layer.attn_norm), layer, number, at)
            inner = self._normed(state, layer.ffn_norm)
            gate = inner @ layer.ffn_gate.T
            state = state + (gate / (1 + np.exp(-gate)) * (inner @ layer.ffn_up.T)) @ layer.ffn_down.T
        return state

    def _attended(self, state: Array, layer: _Layer, number: int, at: int) -> Array:
        """Attention to what came before, in which several heads share their keys and values."""
        count, to = len(state), at + len(state)
        query = self._turned(state @ layer.attn_q.T, at)
        self._keys[number, :, at:to] = self._turned(state @ layer.attn_k.T, at)
        values = (state @ layer.attn_v.T).reshape(count, self._kv_heads, self._size)
        self._values[number, :, at:to] = values.transpose(1, 0, 2)
        query = query.reshape(self._kv_heads, -1, self._size)
        scores = query @ self._keys[number, :, :to].transpose(0, 2, 1) / np.float32(self._size**0.5)
        scores = scores.reshape(self._heads, count, to)
        scores += np.triu(np.full((count, to), -np.inf, np.float32), at + 1)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        mixed = shares.reshape(self._kv_heads, -1, to) @ self._values[number, :, :to]
        mixed = mixed.reshape(self._heads, count, self._size).transpose(1, 0, 2)
        found: Array = mixed.reshape(count, -1) @ layer.attn_output.T
        return found

    def _turned(self, flat: Array, at: int) -> Array:
        """Rotary positions, by heads. GGUF's order of weights puts the two parts of a pair side by side."""
        pairs = np.ascontiguousarray(flat).view(np.complex64).reshape(len(flat), -1, self._size // 2)
        turned = pairs * self._turn[at : at + len(flat), None]
        found: Array = np.ascontiguousarray(turned.transpose(1, 0, 2)).view(np.float32)
        return found

    def _normed(self, state: Array, weight: Array) -> Array:
        mean: Array = np.mean(state * state, axis=-1, keepdims=True)
        found: Array = state / np.sqrt(mean + self._epsilon) * weight
        return found


class Continuations:
    """Several texts behind one prompt that grow by a token each at a time; weights are read once for all.

    `logits` are those of the next token of each text. `texts`: the tokens that they begin with, `room`: the
    most tokens of a text.
    """

    def __init__(
        self, model: SmallModel, prompt: Sequence[int], texts: Sequence[Sequence[int]], room: int
    ) -> None:
        self._model = model
        self._first = first = len(prompt)
        self._lengths = np.array([len(text) for text in texts])
        layers, heads, size = len(model._layers), model._kv_heads, model._size
        self._keys = np.zeros((layers, len(texts), heads, room, size), np.float32)
        self._values = np.zeros_like(self._keys)
        found = []
        for row, text in enumerate(texts):
            found.append(model.logits([*prompt, *text]))
            to = first + len(text)
            self._keys[:, row, :, : len(text)] = model._keys[:, :, first:to]
            self._values[:, row, :, : len(text)] = model._values[:, :, first:to]
        self.logits: Array = np.stack(found)
        # What is before all texts is kept once.
        self._prompt_keys = model._keys[:, :, :first].copy()
        self._prompt_values = model._values[:, :, :first].copy()

    def keep(self, rows: Sequence[int]) -> None:
        """Goes on with some of the texts alone, in this order."""
        chosen = list(rows)
        self._keys, self._values = self._keys[:, chosen], self._values[:, chosen]
        self._lengths, self.logits = self._lengths[chosen], self.logits[chosen]

    def step(self, tokens: Sequence[int]) -> None:
        """Behind each text one token."""
        model = self._model
        state = model._embedding[list(tokens)]
        turn = model._turn[self._first + self._lengths, None]
        for number, layer in enumerate(model._layers):
            state = state + self._attended(model._normed(state, layer.attn_norm), layer, number, turn)
            inner = model._normed(state, layer.ffn_norm)
            gate = inner @ layer.ffn_gate.T
            state = state + (gate / (1 + np.exp(-gate)) * (inner @ layer.ffn_up.T)) @ layer.ffn_down.T
        self._lengths = self._lengths + 1
        self.logits = model._normed(state, model._norm) @ model._embedding.T

    def _attended(self, state: Array, layer: _Layer, number: int, turn: npt.NDArray[np.complex64]) -> Array:
        model, count, first = self._model, len(state), self._first
        shared, size, to = model._kv_heads, model._size, int(self._lengths.max()) + 1
        here = np.arange(count), slice(None), self._lengths
        self._keys[number][here] = _turned(state @ layer.attn_k.T, turn)
        self._values[number][here] = (state @ layer.attn_v.T).reshape(count, shared, size)
        query = _turned(state @ layer.attn_q.T, turn).reshape(count, shared, -1, size)
        query = query / np.float32(size**0.5)
        own = query @ self._keys[number, :, :, :to].transpose(0, 1, 3, 2)
        own += np.where(np.arange(to) <= self._lengths[:, None], np.float32(0), -np.inf)[:, None, None]
        # All texts' queries of a head at once against the prompt.
        together = query.transpose(1, 0, 2, 3).reshape(shared, -1, size)
        before = together @ self._prompt_keys[number].transpose(0, 2, 1)
        before = before.reshape(shared, count, -1, first).transpose(1, 0, 2, 3)
        most = np.maximum(own.max(-1, keepdims=True), before.max(-1, keepdims=True))
        own, before = np.exp(own - most), np.exp(before - most)
        total = own.sum(-1, keepdims=True) + before.sum(-1, keepdims=True)
        flat = before.transpose(1, 0, 2, 3).reshape(shared, -1, first)
        mixed = (flat @ self._prompt_values[number]).reshape(shared, count, -1, size).transpose(1, 0, 2, 3)
        mixed = (mixed + own @ self._values[number, :, :, :to]) / total
        found: Array = mixed.reshape(count, -1) @ layer.attn_output.T
        return found


def _turned(flat: Array, turn: npt.NDArray[np.complex64]) -> Array:
    """Rotary positions, by rows and heads; as `SmallModel._turned`."""
    count, size = len(flat), 2 * turn.shape[-1]
    pairs = np.ascontiguousarray(flat).view(np.complex64).reshape(count, -1, size // 2)
    found: Array = np.ascontiguousarray(pairs * turn).view(np.float32)
    return found


def answering(model: SmallModel) -> Callable[[Mapping[str, Any]], Behaviour]:
    """A script for a `ChatServer`, whose requests the model answers; schema and temperature are ignored."""

    def answer(body: Mapping[str, Any]) -> Behaviour:
        try:
            found = model.reply(body["messages"], body.get("max_tokens") or _MOST_TOKENS)
        except ValueError as error:
            return Status(400, str(error))
        reason = "stop" if found.is_whole else "length"
        return Answer(found.text, reason, found.prompt_tokens, found.tokens)

    return answer
