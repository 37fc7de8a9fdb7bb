"""The bytes of a trace, and the way from byte offsets to places in the document's text."""

from __future__ import annotations

import codecs
import os

from potlang.diag import Place, Sink
from potlang.reading.json_text import bounded_content
from potlang.source import Document, InputLimits

_STEP = 4_096
_OTHER_MARKS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

Source = str | bytes | bytearray | memoryview | os.PathLike[str]
"""The text of a trace, its bytes, or a file's path."""


class Raw:
    """Bytes and their decoded text; bytes that are not UTF-8 stand there as U+FFFD."""

    __slots__ = ("_marks", "data", "is_ascii", "text")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.is_ascii = data.isascii()
        self.text = data.decode("ascii") if self.is_ascii else data.decode("utf-8", "replace")
        self._marks: list[tuple[int, int]] = []

    def one_character_a_byte(self) -> str:
        """The data with a character for each byte, so that positions in it are byte offsets."""
        return self.text if self.is_ascii else self.data.decode("latin-1")

    def character(self, offset: int) -> int:
        """The character of the text that holds the byte at `offset`."""
        if self.is_ascii:
            return offset
        if not self._marks:
            self._marks = _marks(self.data)
        start, characters = self._marks[offset // _STEP]
        whole = codecs.getincrementaldecoder("utf-8")("replace").decode(self.data[start:offset])
        # A cut sequence in front of the byte is a character too, but the front half of a sound one is not.
        here = _length(self.data[start : offset + 8]) - _length(self.data[offset : offset + 8])
        return characters + max(len(whole), here)

    def place(self, start: int, end: int) -> Place:
        """The place of the bytes `[start, end)`."""
        first = self.character(start)
        return Place("", (first, first + len(self.data[start:end].decode("utf-8", "replace"))))


def _length(data: bytes) -> int:
    return len(data.decode("utf-8", "replace"))


def _marks(data: bytes) -> list[tuple[int, int]]:
    """For each multiple of the step, the byte at or just before it that begins a character, and which one."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    marks = [(0, 0)]
    characters = 0
    for end in range(_STEP, len(data) + _STEP, _STEP):
        chunk = data[end - _STEP : end]
        characters += len(decoder.decode(chunk))
        marks.append((end - _STEP + len(chunk) - len(decoder.getstate()[0]), characters))
    return marks


def open_trace(
    source: Source, sink: Sink, limits: InputLimits, name: str | None
) -> tuple[Raw | None, Document]:
    """The bytes of a source, without a byte order mark, and the document, which becomes the sink's.

    None for what cannot be read; the reason is in the sink (POT0002, POT0006, POT1002).
    """
    if isinstance(source, str):
        # Positions and the limit count bytes, whatever a trace comes as.
        source, name = source.encode("utf-8", "surrogatepass"), name or "<string>"
    label, data = bounded_content(source, sink, limits, name)
    if not isinstance(data, bytes):
        document = sink.document = Document(label, None)
        return None, document
    raw = Raw(data.removeprefix(codecs.BOM_UTF8))
    document = sink.document = Document(label, raw.text)
    if not data.startswith(_OTHER_MARKS):
        return raw, document
    sink.report(
        "POT1002",
        Place("", (0, 1)),
        helps=("save the file as UTF-8",),
        reason="a trace is UTF-8, and this begins with the mark of another encoding",
    )
    return None, document
