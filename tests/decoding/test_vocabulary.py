"""Vocabularies from the libraries that have them, and those that are refused."""

from __future__ import annotations

from typing import Any

import pytest

from potlang.decoding import BadVocabulary, TokenVocabulary
from potlang.decoding.vocabulary import _from_byte_level


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        ([b"a", b""], "without bytes: 1"),
        ([b"a", b"b", b"a"], "same bytes: (0, 2, b'a')"),
        ([None], "no tokens"),
        ([], "no tokens"),
    ],
)
def test_vocabularies_that_are_refused(tokens: list[bytes | None], said: str) -> None:
    """[DECODE-VOCAB]"""
    with pytest.raises(BadVocabulary) as error:
        TokenVocabulary(tokens)
    assert said in str(error.value)


def test_the_end_is_a_special_token() -> None:
    """[DECODE-VOCAB]"""
    assert TokenVocabulary([b"a", None], end=1).end == 1
    for end in (0, 2, -1):
        with pytest.raises(BadVocabulary, match="end token"):
            TokenVocabulary([b"a", None], end=end)
    with pytest.raises(TypeError, match="str"):
        TokenVocabulary(["a"])  # type: ignore[list-item]


def test_a_vocabulary_without_a_byte_that_a_closing_needs_is_refused() -> None:
    """[DECODE-VOCAB]"""
    pytest.importorskip("numpy", reason="masks need numpy (potlang[decoding])")
    from potlang.decoding import TokenMasker

    with pytest.raises(BadVocabulary, match="b'@'"):
        TokenMasker(TokenVocabulary(bytes((byte,)) for byte in range(256) if byte != ord("@")))


class SentencePieces:
    """As `sentencepiece.SentencePieceProcessor` is asked."""

    pieces = ("<unk>", "<s>", "</s>", "<0x41>", "<0xC3>", "\u2581the", "A", "ü")

    def vocab_size(self) -> int:
        return len(self.pieces)

    def id_to_piece(self, id_: int) -> str:
        return self.pieces[id_]

    def is_control(self, id_: int) -> bool:
        return id_ in (1, 2)

    def is_unknown(self, id_: int) -> bool:
        return id_ == 0

    def is_unused(self, id_: int) -> bool:
        return False

    def eos_id(self) -> int:
        return 2


def test_pieces_are_bytes() -> None:
    """[DECODE-VOCAB]: a byte that has a piece is that piece."""
    found = TokenVocabulary.from_sentencepiece(SentencePieces())
    assert found.tokens == (None, None, None, None, b"\xc3", b" the", b"A", "ü".encode())
    assert found.end == 2


class Field:
    def __init__(self, value: Any) -> None:
        self.value = value

    def contents(self) -> Any:
        return self.value


class Gguf:
    """As `gguf.GGUFReader` is asked."""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def get_field(self, name: str) -> Field | None:
        value = self.fields.get(name.removeprefix("tokenizer.ggml."))
        return None if value is None else Field(value)


def test_a_file_of_a_model_has_its_vocabulary() -> None:
    """[DECODE-VOCAB]"""
    byte_level = Gguf(
        tokens=["<|end|>", "Ġthe", "Ċ", "Ã", "<tool>"],
        token_type=[3, 1, 1, 1, 4],
        model="gpt2",
        eos_token_id=0,
    )
    found = TokenVocabulary.from_gguf(byte_level)
    assert found.tokens == (None, b" the", b"\n", b"\xc3", b"<tool>") and found.end == 0
    pieces = Gguf(tokens=["<unk>", "\u2581a", "<0x0A>"], token_type=[2, 1, 6], model="llama")
    assert TokenVocabulary.from_gguf(pieces).tokens == (None, b" a", b"\n")
    with pytest.raises(BadVocabulary, match="same text"):
        TokenVocabulary.from_gguf(Gguf(tokens=["a", "a"], model="gpt2"))


def test_bytes_of_byte_level_pieces() -> None:
    """[DECODE-VOCAB]"""
    assert _from_byte_level("ĠÃ¼Ċ") == " ü\n".encode()


def test_an_encoding_of_tiktoken() -> None:
    """[DECODE-VOCAB]"""
    tiktoken = pytest.importorskip("tiktoken", reason="tiktoken is not installed")
    ranks = {bytes((byte,)): byte for byte in range(256)} | {b"ab": 256}
    encoding = tiktoken.Encoding(
        "small", pat_str=r"\w+|\W+", mergeable_ranks=ranks, special_tokens={"<|endoftext|>": 258}
    )
    found = TokenVocabulary.from_tiktoken(encoding)
    assert found.tokens[255:] == (b"\xff", b"ab", None, None) and found.end == 258


def test_a_tokenizer_of_tokenizers() -> None:
    """[DECODE-VOCAB]"""
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE({"Ġ": 0, "a": 1, "Ġa": 2, "Ċ": 3}, [("Ġ", "a")]))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.add_special_tokens(["<end>"])
    tokenizer.add_tokens(["<think>"])
    found = TokenVocabulary.from_tokenizers(tokenizer, end="<end>")
    assert found.tokens == (b" ", b"a", b" a", b"\n", None, b"<think>") and found.end == 4


def test_pieces_that_are_no_characters_are_allowed_where_they_complete_some() -> None:
    """[DECODE-VOCAB]"""
    pytest.importorskip("numpy", reason="masks need numpy (potlang[decoding])")
    from potlang.decoding import TokenMasker

    single = [bytes((byte,)) for byte in range(256)]
    masker = TokenMasker(TokenVocabulary([*single, b"\xc3(", b"\xa4x", b"x\xc3", None]))
    assert masker.consume_tokens(b"@node id=1 role=problem\n")
    assert [masker.allows(token) for token in (256, 257, 258, 259)] == [False, False, True, False]
    assert masker.consume_token(258)
    assert [masker.allows(token) for token in (256, 257, 258, ord("x"))] == [False, True, False, False]
    assert masker.consume_tokens([257, ord("\n")]) and masker.is_accepting()


@pytest.mark.parametrize("most", [-1, 0, 1, 40])
def test_tokens_that_do_not_suffice_are_refused_with_what_it_takes(most: int) -> None:
    """[DECODE-CLOSE]"""
    pytest.importorskip("numpy", reason="masks need numpy (potlang[decoding])")
    from potlang.decoding import BudgetTooSmall, TokenMasker, TraceGoal

    vocabulary = TokenVocabulary(bytes((byte,)) for byte in range(256))
    with pytest.raises(BudgetTooSmall, match=f"takes [0-9]+ tokens, more than {most}"):
        TokenMasker(vocabulary, goal=TraceGoal(end=True, critique=True), max_tokens=most)
