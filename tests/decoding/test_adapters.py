"""Masks as processors of logits, over arrays of numpy, and requests to servers."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from decoding_support import adversarial

np = pytest.importorskip("numpy", reason="masks need numpy (potlang[decoding])")

from potlang.decoding import (  # noqa: E402
    MaskedLogits,
    OutsideMask,
    TokenMasker,
    TokenVocabulary,
    TraceGoal,
    for_llama_server,
    for_openai,
    for_sglang,
    for_vllm,
)

VOCABULARY = adversarial(Random(3), 400)
SIZE = len(VOCABULARY)
END = SIZE - 1
PROMPT = [5, 7, 7]
PROBLEM = "@node id=1 role=problem\nIs 3 + 4 < 8?\n"
REST = """\
@node id=2 role=proposer
It is.
@node id=3 role=critic
@edge src=2 dst=3 kind=critique
@status target=2 mark=validated just=3
@node id=4 role=summarizer
@edge src=2 dst=4 kind=use
Yes.
<summarizer:end>
"""
LARK = '%llguidance {}\nstart: "a" more\nmore: "b" | "c" more\n'
GBNF = 'root ::= "a" more\nmore ::= "b" | "c" more\n'


def a_masker(**options: Any) -> TokenMasker:
    return TokenMasker(VOCABULARY, goal=TraceGoal(end=True, critique=True), **options)


def allowed_of(masker: TokenMasker) -> list[int]:
    return [token for token in range(SIZE) if masker.allows(token)]


def kept(logits: Any) -> list[int]:
    return [int(each) for each in np.flatnonzero(np.isfinite(logits))]


def written(random: Any, masker: TokenMasker, count: int) -> list[int]:
    """Tokens by chance, as the mask allows."""
    masker, found = masker.deep_copy(), []
    for _ in range(count):
        found.append(random.choice(allowed_of(masker)))
        masker.consume_token(found[-1])
        if masker.is_stopped():
            break
    return found


def behind(masker: TokenMasker, tokens: list[int]) -> TokenMasker:
    masker = masker.deep_copy()
    assert masker.consume_tokens(tokens)
    return masker


@pytest.mark.parametrize("kind", ["float32", "float16"])
def test_one_sequence(kind: str) -> None:
    """[ADAPT-LOGITS]: what is allowed keeps its logit, also where the model has more logits than tokens."""
    start, random = a_masker(), Random(1)
    processor = MaskedLogits(start)
    tokens = written(random, start, 40)
    for length in range(len(tokens) + 1):
        ids = np.array(PROMPT + tokens[:length])
        scores = np.random.default_rng(length).normal(size=SIZE + 9).astype(kind)
        before = scores.copy()
        found = processor(ids, scores)
        allowed = allowed_of(behind(start, tokens[:length]))
        assert kept(found) == allowed and found.dtype == scores.dtype
        assert (found[allowed] == before[allowed]).all() and (scores == before).all()
    assert start.state == a_masker().state


def test_rows_that_are_sorted_anew_and_go_back() -> None:
    """[ADAPT-BATCH]: rows are what they say, whatever they were at the call before."""
    start, random = a_masker(), Random(2)
    processor = MaskedLogits(start, prompt_tokens=len(PROMPT))
    rows = [written(random, start, 30) for _ in range(4)]
    for step in range(60):
        length = random.randint(0, 30) if step % 3 else min(step // 2, 30)
        chosen = [row[:length] for row in random.sample(rows, random.randint(1, 4))]
        ids = np.array([PROMPT + row for row in chosen])
        found = processor(ids, np.zeros((len(chosen), SIZE), np.float32))
        for row, logits in zip(chosen, found, strict=True):
            assert kept(logits) == allowed_of(behind(start, row))
    state = processor.maskers(ids)[0]
    assert state is not None and state.state == behind(start, chosen[0]).state


def test_a_batch_is_written_to_the_end() -> None:
    """[ADAPT-BATCH]: rows that are finished wait for the others, with end tokens.

    The model would rather have any other token; so what is not allowed would be written without the mask.
    """
    start = a_masker()
    wanted = [[*VOCABULARY.encode(PROBLEM + "So it is.\n" * count + REST), END] for count in range(4)]
    processor, random = MaskedLogits(start), np.random.default_rng(5)
    ids = np.array([PROMPT] * 4)
    places, refused = [start.deep_copy() for _ in wanted], 0
    for at in range(max(map(len, wanted))):
        scores = random.gumbel(size=(4, SIZE))
        for row, tokens in enumerate(wanted):
            scores[row, tokens[at : at + 1]] = 20
            forbidden = int(random.integers(SIZE))
            if not places[row].allows(forbidden):
                scores[row, forbidden] = 30
                refused += 1
            places[row].consume_tokens(tokens[at : at + 1])
        chosen = processor(ids, scores).argmax(-1)
        ids = np.concatenate([ids, chosen[:, None]], axis=1)
    for row, tokens in zip(ids[:, len(PROMPT) :].tolist(), wanted, strict=True):
        assert row == tokens + [END] * (len(row) - len(tokens))
    assert refused > 100
    ids[0, -1] = 0  # What libraries fill finished rows with is no part of the trace.
    assert kept(processor(ids, np.zeros((4, SIZE)))[0]) == [END]


def test_a_token_that_is_not_allowed() -> None:
    """[ADAPT-OUTSIDE]: an error, but for beams, which end."""
    start = a_masker()
    bad = next(token for token in range(SIZE) if not start.allows(token))
    ids = np.array([[*PROMPT, bad], [*PROMPT, allowed_of(start)[0]]])
    scores = np.zeros((2, SIZE))
    with pytest.raises(OutsideMask, match=f"token {bad} "):
        MaskedLogits(start, prompt_tokens=3)(ids, scores)
    processor = MaskedLogits(start, prompt_tokens=3, beams=True)
    found = processor(ids, scores)
    assert kept(found[0]) == [END] and kept(found[1]) == allowed_of(behind(start, [int(ids[1, 3])]))
    assert [each is None for each in processor.maskers(ids)] == [True, False]


def test_logits_that_are_none() -> None:
    """[ADAPT-OUTSIDE]"""
    start = a_masker()
    allowed, scores = allowed_of(start), np.zeros(SIZE)
    scores[(allowed[0] + 1) % SIZE if allowed == [allowed[0]] else 0 if 0 not in allowed else 1] = np.nan
    processor = MaskedLogits(start)
    assert kept(processor(np.array(PROMPT), scores)) == allowed
    scores[allowed[0]] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        processor(np.array(PROMPT), scores)
    with pytest.raises(ValueError, match="fewer than the 3 of the prompt"):
        MaskedLogits(start, prompt_tokens=3)(np.array(PROMPT[1:]), np.zeros(SIZE))


def test_a_library_that_goes_on_behind_an_error() -> None:
    """[ADAPT-OUTSIDE]: exceptions within callbacks of C are printed; the text ends as soon as it can."""
    processor = MaskedLogits(a_masker())
    bad = np.full(SIZE, np.nan)
    with pytest.raises(ValueError, match="NaN"):
        processor(np.array(PROMPT), bad)
    assert kept(processor(np.array([*PROMPT, 3]), np.zeros(SIZE))) == [END]
    assert "NaN" in str(processor.error)


def test_a_vocabulary_without_an_end() -> None:
    """[ADAPT-BATCH]: behind the budget nothing is masked, since nothing of it is read."""
    vocabulary = TokenVocabulary(VOCABULARY.tokens)
    start = TokenMasker(vocabulary, max_tokens=120)
    processor = MaskedLogits(start, prompt_tokens=0)
    tokens = vocabulary.encode(PROBLEM + "x" * 120)[:120]
    row: list[int] = []
    for _ in range(120):
        logits = np.zeros(SIZE)
        logits[tokens[len(row)]] = 1
        row.append(int(processor(np.array(row, dtype=int), logits).argmax()))
    assert len(kept(processor(np.array(row), np.zeros(SIZE)))) == SIZE


def test_requests() -> None:
    """[ADAPT-REQUEST]: the documented parameters, with the line that tells Lark from GBNF."""
    assert for_vllm(LARK) == {"structured_outputs": {"grammar": LARK}}
    assert for_sglang(LARK) == {"ebnf": LARK} and for_llama_server(GBNF) == {"grammar": GBNF}
    bare = LARK.split("\n", 1)[1]
    assert for_sglang(bare) == {"ebnf": LARK} and for_llama_server(bare) == {"grammar": LARK}
    tool = for_openai(LARK, name="write_trace", description="Takes a trace.")
    assert tool == {
        "type": "custom",
        "name": "write_trace",
        "description": "Takes a trace.",
        "format": {"type": "grammar", "syntax": "lark", "definition": bare},
    }
    for make in (for_vllm, for_sglang, for_llama_server):
        with pytest.raises(ValueError, match="no text"):
            make(" \n")
    with pytest.raises(ValueError, match="not GBNF"):
        for_openai(GBNF, name="write_trace")
    with pytest.raises(ValueError, match="interface"):
        for_openai(LARK, name="write_trace", interface="batch")  # type: ignore[arg-type]


@pytest.mark.parametrize("interface", ["responses", "chat"])
def test_tools_are_those_of_the_client(interface: Any) -> None:
    """[ADAPT-REQUEST]: what the client's types say."""
    pytest.importorskip("openai", reason="the client of OpenAI")
    from openai.types.chat import ChatCompletionCustomToolParam
    from openai.types.responses import CustomToolParam
    from pydantic import ConfigDict, TypeAdapter, with_config

    kind: Any = CustomToolParam if interface == "responses" else ChatCompletionCustomToolParam
    tool = for_openai(LARK, name="write_trace", interface=interface)
    strict = with_config(ConfigDict(extra="forbid"))(kind)
    assert TypeAdapter(strict).validate_python(tool) == tool


def test_servers_read_the_requests_as_meant() -> None:
    """[ADAPT-REQUEST]: vLLM and SGLang hand the text to this function of llguidance."""
    llguidance = pytest.importorskip("llguidance", reason="the library that reads grammars in servers")
    requests = (for_vllm(LARK)["structured_outputs"]["grammar"], for_sglang(GBNF)["ebnf"])
    tokenizer = llguidance.LLTokenizer("byte")
    for text in (*requests, for_sglang(LARK.split("\n", 1)[1])["ebnf"]):
        grammar = llguidance.grammar_from("ebnf", text)
        assert llguidance.LLMatcher.validate_grammar(grammar) == ""
        matcher = llguidance.LLMatcher(tokenizer, grammar)
        assert matcher.consume_tokens(list(b"accb")) and matcher.is_accepting()
        assert not llguidance.LLMatcher(tokenizer, grammar).consume_tokens(list(b"ad"))
