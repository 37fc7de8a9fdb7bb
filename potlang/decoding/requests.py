"""Requests to servers that hold a model to a grammar, by the parameters that they document ([ADAPT-REQUEST]).

    client.chat.completions.create(..., extra_body=for_vllm(grammar))
    client.chat.completions.create(..., extra_body=for_sglang(grammar))
    client.responses.create(..., tools=[for_openai(grammar, name="write_trace")])

A grammar is the text of one, in the Lark dialect of llguidance or in GBNF.
"""

from __future__ import annotations

import re
from typing import Any, Literal, get_args

_HEADER = re.compile(r"^\s*%llguidance\b[^\n]*\n?")
_GBNF_RULE = re.compile(r"^\s*[A-Za-z][A-Za-z0-9_-]*\s*::=", re.MULTILINE)
OpenAIInterface = Literal["responses", "chat"]
"""The interfaces of OpenAI that have custom tools."""


def for_vllm(grammar: str) -> dict[str, Any]:
    """The parameters that a request to a vLLM server has besides: its `extra_body`.

    The same dictionary's only value makes `StructuredOutputsParams`. The dialect of llguidance needs the
    backend `guidance`, GBNF any. Raises ValueError for an empty text.
    """
    return {"structured_outputs": {"grammar": _marked(grammar)}}


def for_sglang(grammar: str) -> dict[str, Any]:
    """The parameters that a request to an SGLang server has besides: its `extra_body`, or `sampling_params`.

    The dialect of llguidance needs a server started with `--grammar-backend llguidance`, GBNF any but
    `outlines`. Raises ValueError for an empty text.
    """
    return {"ebnf": _marked(grammar)}


def for_llama_server(grammar: str) -> dict[str, Any]:
    """The parameters that a request to a llama.cpp server has besides.

    The dialect of llguidance needs a server built with it. Raises ValueError for an empty text.
    """
    return {"grammar": _marked(grammar)}


def for_openai(
    grammar: str, *, name: str, description: str = "", interface: OpenAIInterface = "responses"
) -> dict[str, Any]:
    """A custom tool whose input is a text of the grammar, as an item of a request's `tools`.

    Raises ValueError for GBNF, which these tools do not take, for an empty text, and for another interface.
    """
    if interface not in get_args(OpenAIInterface):
        raise ValueError(f"an interface is {' or '.join(get_args(OpenAIInterface))}, not {interface!r}")
    if _is_gbnf(_text(grammar)):
        raise ValueError("custom tools take Lark grammars, not GBNF")
    definition = {"syntax": "lark", "definition": _HEADER.sub("", grammar)}
    about = {"name": name, **({"description": description} if description else {})}
    if interface == "chat":
        return {
            "type": "custom",
            "custom": {**about, "format": {"type": "grammar", "grammar": definition}},
        }
    return {"type": "custom", **about, "format": {"type": "grammar", **definition}}


def _text(grammar: str) -> str:
    if not grammar.strip():
        raise ValueError("there is no text of a grammar")
    return grammar


def _is_gbnf(grammar: str) -> bool:
    return _GBNF_RULE.search(grammar) is not None


def _marked(grammar: str) -> str:
    """With the line by which servers tell Lark from GBNF."""
    is_marked = _is_gbnf(_text(grammar)) or _HEADER.match(grammar)
    return grammar if is_marked else "%llguidance {}\n" + grammar
