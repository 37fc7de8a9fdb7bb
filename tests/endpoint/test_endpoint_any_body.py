"""Whatever an endpoint answers: an answer or an EndpointError, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from potlang.models.endpoint import EndpointError
from potlang.models.endpoint.anthropic import MESSAGES
from potlang.models.endpoint.chat import CHAT
from potlang.models.endpoint.failures import failed_by_status
from potlang.models.endpoint.request import next_step
from potlang.models.endpoint.stream import Dialect, PartialAnswer, read_answer

_KEYS = ["choices", "delta", "message", "content", "finish_reason", "usage", "model", "cost", "error"]
_KEYS += ["prompt_tokens", "completion_tokens", "prompt_tokens_details", "input_tokens", "output_tokens"]
_KEYS += ["tool_calls", "function", "function_call", "arguments", "index", "input", "refusal", "reasoning"]
_KEYS += ["reasoning_content", "thinking", "type", "text", "content_block", "stop_reason", "stop_details"]
_KEYS += ["code", "param", "detail", "loc"]
_WORDS = ["text", "thinking", "tool_use", "refusal", "message_start", "message_delta", "content_block_start"]
_WORDS += ["content_block_delta", "text_delta", "input_json_delta", "thinking_delta", "end_turn", "stop"]
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats()
    | st.sampled_from(_WORDS)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=5),
    max_leaves=25,
)
_OBJECTS = st.dictionaries(st.sampled_from(_KEYS), _VALUES, max_size=6)


@pytest.mark.parametrize("dialect", [CHAT, MESSAGES], ids=["openai", "anthropic"])
@settings(max_examples=60)
@given(events=st.lists(_OBJECTS, max_size=4))
def test_any_objects_are_an_answer_or_an_error(dialect: Dialect, events: list[dict[str, Any]]) -> None:
    """[ENDPOINT-ERROR] [ENDPOINT-STREAM]: in a stream and in one piece; what came before is always there."""
    bodies = [(json.dumps(each).encode(), "application/json") for each in events]
    stream = "".join(f"data: {json.dumps(each)}\n\n" for each in events)
    for body, kind in [*bodies, (stream.encode(), "text/event-stream")]:
        answer = PartialAnswer()
        try:
            done = read_answer(answer, [body], kind, dialect, 1_000_000, lambda: None)
        except EndpointError as error:
            answer.received(error.reason)
        else:
            assert all(
                isinstance(each, str) for each in (done.text, done.reasoning, done.refusal, done.model)
            )


@settings(max_examples=60)
@given(value=_VALUES, status=st.sampled_from([400, 402, 413, 422, 429, 500]))
def test_any_error_has_a_reason(value: Any, status: int) -> None:
    """[ENDPOINT-ERROR] [ENDPOINT-REFUSED]."""
    failed = failed_by_status(status, json.dumps(value), {})
    assert failed.reason and failed.stated is not None
    next_step(failed.stated, {"seed": 1, "response_format": {"type": "json_object"}}, frozenset())
