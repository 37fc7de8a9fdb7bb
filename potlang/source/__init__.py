"""Documents and positions: where in the raw text a part of the input stands."""

from potlang.source.document import DecodeError, Document, Excerpt, LineColumn, decode, marked_encoding
from potlang.source.limits import DEFAULT_LIMITS, InputLimits
from potlang.source.pointer import array_index, escape_token, join_pointer, split_pointer

__all__ = [
    "DEFAULT_LIMITS",
    "DecodeError",
    "Document",
    "Excerpt",
    "InputLimits",
    "LineColumn",
    "array_index",
    "decode",
    "escape_token",
    "join_pointer",
    "marked_encoding",
    "split_pointer",
]
