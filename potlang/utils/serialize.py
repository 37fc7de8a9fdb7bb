"""JSON text that shows all that is in it: characters that cannot be seen are escapes."""

from __future__ import annotations

import json
import re
from typing import Any, Final

_OTHER: Final = re.compile(r"[^\n\x20-\x7e]+")
"""Line feeds stand between values alone: inside a string JSON has an escape for them."""


def json_text(value: Any, indent: int | None = 2) -> str:
    """JSON text with printable characters as they are, and all others as escapes ([REPORT-JSON]).

    Terminals and editors obey controls, marks of writing direction and separators, and UTF-8 cannot hold
    lone surrogates. Reading the text gives the same value.
    """
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    # json itself escapes all controls but DEL.
    if text.isascii() and "\x7f" not in text:
        return text
    return _OTHER.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    run = found[0]
    if run.isprintable():
        return run
    return "".join(char if char.isprintable() else _escape(char) for char in run)


def _escape(char: str) -> str:
    # json leaves DEL as it is, and knows how pairs of surrogates are made.
    return "\\u007f" if char == "\x7f" else json.dumps(char)[1:-1]
