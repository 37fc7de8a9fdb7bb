"""Vocabularies as the bytes of their tokens, taken from the libraries that have them ([DECODE-VOCAB])."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

_BYTE_PIECE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_SPACE = "\u2581"
"""How SentencePiece writes a space."""
_NORMAL, _CONTROL_KINDS, _BYTE = 1, (2, 3, 5), 6
"""Kinds of tokens in GGUF and SentencePiece: normal ones; unknown, control and unused ones; single bytes."""
_SHOWN = 3


class BadVocabulary(ValueError):
    """A vocabulary that masks cannot be made for; the message says which tokens are in the way."""


class TokenVocabulary:
    """The bytes of each token by its id, None for special ones, which are no text.

    `end` is the id of the token with which a model stops, if there is one.
    """

    def __init__(self, tokens: Iterable[bytes | None], *, end: int | None = None) -> None:
        """Raises `BadVocabulary` for empty tokens, for two of the same bytes, and for none at all."""
        self.tokens = tuple(tokens)
        self.end = end
        self.ids: dict[bytes, int] = {}
        empty, twice = [], []
        for id_, token in enumerate(self.tokens):
            if token is None:
                continue
            if not isinstance(token, bytes):
                raise TypeError(f"token {id_} is {type(token).__name__}, not bytes or None")
            if not token:
                empty.append(id_)
            elif self.ids.setdefault(token, id_) != id_:
                twice.append((self.ids[token], id_, token))
        self._longest = max(map(len, self.ids), default=0)
        if empty:
            raise BadVocabulary(f"tokens without bytes: {_some(empty)}; give None for special tokens")
        if twice:
            raise BadVocabulary(f"tokens with the same bytes: {_some(twice)}")
        if not self.ids:
            raise BadVocabulary("there are no tokens")
        if end is not None and not (0 <= end < len(self.tokens) and self.tokens[end] is None):
            raise BadVocabulary(f"the end token {end} is no special token of the vocabulary")

    def __len__(self) -> int:
        return len(self.tokens)

    def require_bytes(self, needed: bytes) -> None:
        """Raises `BadVocabulary` if some of these bytes are no token: then not everything can be written."""
        missing = sorted(byte for byte in set(needed) if bytes((byte,)) not in self.ids)
        if missing:
            shown = ", ".join(repr(bytes((byte,))) for byte in missing[:_SHOWN])
            raise BadVocabulary(f"no token is just one of {len(missing)} bytes that a trace needs: {shown}")

    def encode(self, text: str | bytes) -> list[int]:
        """The tokens of a text, each the longest that fits. Raises ValueError where none does."""
        data = text.encode() if isinstance(text, str) else text
        found, at = [], 0
        while at < len(data):
            sizes = range(min(self._longest, len(data) - at), 0, -1)
            size = next((size for size in sizes if data[at : at + size] in self.ids), None)
            if size is None:
                raise ValueError(f"no token begins with {data[at : at + 1]!r}, byte {at} of the text")
            found.append(self.ids[data[at : at + size]])
            at += size
        return found

    # --- from libraries --------------------------------------------------------------------------

    @classmethod
    def from_tiktoken(cls, encoding: Any) -> TokenVocabulary:
        """From a `tiktoken.Encoding`."""
        special = set(encoding.special_tokens_set)
        ids = {encoding.encode_single_token(text) for text in special}
        tokens: list[bytes | None] = [None] * encoding.n_vocab
        for token in encoding.token_byte_values():
            id_ = encoding.encode_single_token(token)
            tokens[id_] = None if id_ in ids else token
        return cls(tokens, end=getattr(encoding, "eot_token", None))

    @classmethod
    def from_tokenizers(cls, tokenizer: Any, *, end: str | None = None) -> TokenVocabulary:
        """From a `tokenizers.Tokenizer`; `end` is the text of the special token that stops."""
        described = json.loads(tokenizer.to_str())
        special = {each["id"] for each in described.get("added_tokens", ()) if each["special"]}
        pieces = tokenizer.get_vocab(with_added_tokens=True)
        added = {each["id"] for each in described.get("added_tokens", ())}
        is_byte_level = "ByteLevel" in json.dumps([described.get("decoder"), described.get("pre_tokenizer")])
        end_id = None if end is None else pieces.get(end)
        return cls._of_pieces(pieces, special, added, end_id, is_byte_level=is_byte_level)

    @classmethod
    def from_gguf(cls, reader: Any) -> TokenVocabulary:
        """From a `gguf.GGUFReader`."""

        def content(name: str) -> Any:
            field = reader.get_field(f"tokenizer.ggml.{name}")
            return None if field is None else field.contents()

        kinds = content("token_type") or [_NORMAL] * len(content("tokens"))
        pieces = {piece: id_ for id_, piece in enumerate(content("tokens"))}
        if len(pieces) != len(kinds):
            raise BadVocabulary("two tokens of the file are the same text")
        special = {id_ for id_, kind in enumerate(kinds) if kind in _CONTROL_KINDS}
        added = {id_ for id_, kind in enumerate(kinds) if kind == 4}
        end = content("eos_token_id")
        if end is not None:
            special.add(int(end))
        is_byte_level = content("model") == "gpt2"
        return cls._of_pieces(pieces, special, added, end, is_byte_level=is_byte_level)

    @classmethod
    def from_sentencepiece(cls, processor: Any) -> TokenVocabulary:
        """From a `sentencepiece.SentencePieceProcessor`."""
        size = processor.vocab_size()
        pieces = {processor.id_to_piece(id_): id_ for id_ in range(size)}
        special = {
            id_
            for id_ in range(size)
            if processor.is_control(id_) or processor.is_unknown(id_) or processor.is_unused(id_)
        }
        end = processor.eos_id()
        return cls._of_pieces(pieces, special, set(), end if end >= 0 else None, is_byte_level=False)

    @classmethod
    def _of_pieces(
        cls,
        pieces: Mapping[str, int],
        special: set[int],
        added: set[int],
        end: int | None,
        *,
        is_byte_level: bool,
    ) -> TokenVocabulary:
        tokens: list[bytes | None] = [None] * (max(pieces.values(), default=-1) + 1)
        single = []
        for piece, id_ in pieces.items():
            if id_ in special or id_ == end:
                continue
            byte = _BYTE_PIECE.fullmatch(piece)
            if byte and not is_byte_level:
                single.append((id_, bytes.fromhex(byte[1])))
            elif is_byte_level and id_ not in added:
                tokens[id_] = _from_byte_level(piece)
            else:
                tokens[id_] = piece.replace(_SPACE, " ").encode()
        known = set(tokens)
        for id_, data in single:
            # Bytes are there for what has no piece; a character that has one is written with that.
            tokens[id_] = None if data in known else data
        return cls(tokens, end=end)


def _some(found: list[Any]) -> str:
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return ", ".join(map(str, found[:_SHOWN])) + more


def _byte_level() -> dict[str, int]:
    """The characters that stand for bytes in the vocabularies of GPT-2 and its kin."""
    shown = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    table = {chr(byte): byte for byte in shown}
    hidden = (byte for byte in range(256) if byte not in set(shown))
    return table | {chr(0x100 + index): byte for index, byte in enumerate(hidden)}


_BYTES = _byte_level()


def _from_byte_level(piece: str) -> bytes:
    try:
        return bytes(_BYTES[character] for character in piece)
    except KeyError:
        # A token that was added as text.
        return piece.encode()
