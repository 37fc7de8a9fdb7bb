"""Images beside a question: of files, of bytes, or where an endpoint takes them from ([LOOP-IMAGES])."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from potlang.models.endpoint.model import LARGEST_IMAGE, Image, Message, user

ImageSource = Image | Path | bytes | str
"""An image, its bytes, the path of a file that has it, or a URL http://… or https://…"""

MOST_IMAGES: Final = 20
_BELONG: Final = "The images belong to the question: what they show is stated by it."
_URL: Final = re.compile("https?://", re.IGNORECASE)
_SIGNATURES: Final = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
)
"""How files of the types that endpoints take begin."""


def read_images(sources: Sequence[ImageSource]) -> tuple[Image, ...]:
    """The images, in their order. A URL is passed on as it is: nothing is fetched.

    Raises ValueError for more than twenty, and for what cannot be read, is too large, or is by its content no
    image of a known type.
    """
    if isinstance(sources, str | bytes):
        raise ValueError("`images` is a list")
    if len(sources) > MOST_IMAGES:
        raise ValueError(f"there are at most {MOST_IMAGES} images")
    return tuple(map(_read, sources))


def with_images(prompt: str, images: Sequence[Image]) -> Message:
    """A prompt with a question, as a message with the question's images."""
    # In front of the text, as providers advise.
    return user((*images, f"{prompt}\n\n{_BELONG}")) if images else user(prompt)


def _read(source: ImageSource) -> Image:
    if isinstance(source, Image):
        return source
    if isinstance(source, bytes):
        return _of_bytes(source, "")
    if isinstance(source, str) and _URL.match(source):
        return Image(url=source)
    path = Path(source)
    try:
        if not path.is_file():
            raise ValueError(f"there is no file {str(source)[:200]!r}")
        with path.open("rb") as file:
            # One byte more than there may be: a larger file is not read to its end.
            data = file.read(LARGEST_IMAGE + 1)
    except OSError as error:
        raise ValueError(f"cannot read the image: {error}") from error
    return _of_bytes(data, path.name)


def _of_bytes(data: bytes, name: str) -> Image:
    shown = f"the image {name[:200]!r}" if name else "an image"
    kind = next((kind for signature, kind in _SIGNATURES if signature.match(data)), None)
    if kind is None:
        raise ValueError(f"{shown} is no PNG, JPEG, GIF or WebP by its content")
    if len(data) > LARGEST_IMAGE:
        raise ValueError(f"{shown} has more than {LARGEST_IMAGE:,} bytes")
    return Image(data, kind, name=name)
