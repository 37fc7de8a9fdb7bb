"""Which language an input is written in, found from its content alone ([KIND-CONTENT])."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from potlang.source import marked_encoding

Kind = Literal["pot", "dot"]
"""A PoT program, or a DoT trace."""

DEFAULT: Kind = "pot"
# Compiled when they are used: most inputs are programs, which the first characters tell.
_JSON = rb"\s*+(?:```[^\n`]*+\n\s*+)?[{\[]"
_RECORD = (
    rb"(?m)^[ \t>*-]*+@(?:@len=|(?:node|edge|status|entails|eq|coeq|prop)\b"
    rb"|\w++[ \t]++(?:id|src|target)=)"
)
_TAG = rb"<(?:problem|proposer|critic|summarizer)>"
_HEAD = 200


def kind_of(data: bytes) -> Kind:
    """The kind of an input; any bytes have one, and it is found in linear time."""
    encoding = marked_encoding(data)
    if encoding is not None:
        data = data.decode(encoding, "replace").encode("utf-8", "replace")
    return next((kind for kind, test in _TESTS if test(data)), DEFAULT)


def _is_json(data: bytes) -> bool:
    """Whether it begins as JSON, perhaps in a Markdown fence ([KIND-JSON])."""
    return data[:_HEAD].lstrip()[:1] in (b"{", b"[") or re.match(_JSON, data) is not None


def _is_trace(data: bytes) -> bool:
    """Whether there is a line that means to be a record, or a role's tag ([KIND-DOT])."""
    return re.search(_RECORD, data) is not None or re.search(_TAG, data) is not None


_TESTS: tuple[tuple[Kind, Callable[[bytes], bool]], ...] = (("pot", _is_json), ("dot", _is_trace))
"""A kind and what speaks for it; the first that fits counts. A further language is a further row."""
