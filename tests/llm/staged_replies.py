"""Replies to the stages of strategies, and the schemas of transcripts."""

from __future__ import annotations

import json
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path

import jsonschema
from referencing import Registry, Resource

from potlang.models.programs.prompting import examples
from potlang.models.prompts import demonstration

MOST_CHARACTERS = 2_200
MOST_TOKENS = 600
"""Of the prompt of a stage, without the question, the program and the like."""
_SCHEMAS = Path(__file__).parent.parent.parent / "schemas"

EXAMPLE = examples()[0]
QUESTION = EXAMPLE.question
GOOD = json.dumps(EXAMPLE.program)
STANDS = json.dumps({"findings": []})
OUTLINE = demonstration("outline")["outline"]
OUTLINED = json.dumps(OUTLINE)
BITS = demonstration("bit_by_bit")
ASKED = json.dumps({"questions": BITS["questions"]})


@cache
def transcript_schema(name: str) -> jsonschema.Draft202012Validator:
    """That of `reasoned-1` or `answered-1`, with those that it refers to."""
    names = ("answered-1", "reasoned-1", "report-1", "diagnostics-1")
    found = {each: json.loads((_SCHEMAS / f"{each}.json").read_text(encoding="utf-8")) for each in names}
    registry = Registry().with_resources(
        [(f"urn:potlang:{each}", Resource.from_contents(value)) for each, value in found.items()]
    )
    return jsonschema.Draft202012Validator(found[name], registry=registry)


def check_short(prompt: str) -> None:
    """That a prompt is no longer than it may be; by a tokenizer too, where one is installed."""
    assert len(prompt) <= MOST_CHARACTERS
    with suppress(ImportError), warnings.catch_warnings():
        # It reads its tables in a way that is deprecated.
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai

        assert len(bpe_openai.get_encoding("o200k_base").encode(prompt)) <= MOST_TOKENS
