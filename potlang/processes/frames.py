"""Messages between a worker and its parent: a length and a JSON object, over a pipe.

JSON and not a binary form: the worker runs native code over untrusted input, and a reader that
cannot be misled costs 10 ms on 3 MB of text, for which a solver needs some hundred.
"""

from __future__ import annotations

import json
import struct
from typing import Any, Final

Message = dict[str, Any]

HEADER: Final = struct.Struct(">I")
MAX_FRAME: Final = 1 << 30


class FrameError(Exception):
    """Bytes from the pipe are not a message, or a message is too long for it."""


def encode(message: Message) -> bytes:
    """The message as one frame. Raises FrameError if it is beyond `MAX_FRAME` bytes."""
    body = json.dumps(message, separators=(",", ":")).encode("ascii")
    if len(body) > MAX_FRAME:
        raise FrameError("message too long")
    return HEADER.pack(len(body)) + body


def size(header: bytes) -> int:
    """The length of the body that follows these `HEADER.size` bytes."""
    (length,) = HEADER.unpack(header)
    if length > MAX_FRAME:
        raise FrameError("message too long")
    return int(length)


def decode(body: bytes | bytearray) -> Message:
    """A frame's body as a message. Raises FrameError if it is not a JSON object."""
    try:
        message = json.loads(body)
    except ValueError as error:
        raise FrameError("not JSON") from error
    if not isinstance(message, dict):
        raise FrameError("not an object")
    return message
