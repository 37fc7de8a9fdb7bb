"""Documents and positions: where in the raw text a part of the input stands."""

from .document import DecodeError, Document, Excerpt, LineColumn, decode, marked_encoding
from .limits import DEFAULT_LIMITS, InputLimits
from .pointer import escape_token, join_pointer, split_pointer

__all__ = [
    "DEFAULT_LIMITS",
    "DecodeError",
    "Document",
    "Excerpt",
    "InputLimits",
    "LineColumn",
    "decode",
    "escape_token",
    "join_pointer",
    "marked_encoding",
    "split_pointer",
]
