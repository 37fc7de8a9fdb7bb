"""The one tokenizer of JSON text: tolerant, so that texts which are almost JSON have tokens too.

`json.loads` reads what is good. These tokens serve to explain the rest, and to find the places of what
`json.loads` accepts and potlang does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from potlang.source.layout import STRING

_TOKEN = re.compile(
    rf"[ \t\n\r]*+(?:(?P<string>{STRING})"
    r"|(?P<mark>[\[\]{},:])"
    r"|(?P<number>-?[0-9][\w.+-]*+|[-+.][0-9][\w.+-]*+)"
    r"|(?P<word>-?[^\W\d][\w$]*+)"
    r"|(?P<comment>//[^\n]*+|/\*.*?\*/|\#[^\n]*+)"
    r"|(?P<single>'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+')"
    r"|(?P<curly>[“„][^”“\n]*+[”“])"
    r"|(?P<open>[\"'“].*?(?=,?[ \t\r]*(?:\n|\Z)))"
    r"|(?P<other>.))",
    re.DOTALL,
)


class JsonToken(NamedTuple):
    """A token: its kind is the mark itself, or `string`, `number`, `word`, …"""

    kind: str
    start: int
    end: int
    text: str

    @property
    def span(self) -> tuple[int, int]:
        """Where it stands."""
        return self.start, self.end


def token_at(text: str, position: int, end: int) -> JsonToken | None:
    """The token that begins at `position`, or behind the space there; None at the end."""
    found = _TOKEN.match(text, position, end)
    return None if found is None else _token(found)


def tokens(text: str) -> Iterator[JsonToken]:
    """The tokens of a text, in linear time for what `json.loads` accepts."""
    return map(_token, _TOKEN.finditer(text))


def _token(found: re.Match[str]) -> JsonToken:
    kind = found.lastgroup or "other"
    text = found[kind]
    return JsonToken(text if kind == "mark" else kind, found.start(kind), found.end(), text)
