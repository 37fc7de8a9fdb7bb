"""The text of HTML and PDF documents, read in a process of its own: whatever a file does ends no caller."""

from __future__ import annotations

from base64 import b64decode
from io import BytesIO

from potlang.policy.building.html_blocks import html_blocks
from potlang.processes.frames import Message
from potlang.processes.worker import Service


class ExtractionService(Service):
    """Answers a document with what can be read of it, or with the `problem` that keeps it from being read."""

    def answer(self, request: Message) -> Message:
        """As `Service.answer`: `html` is a text, answered by `blocks`; `pdf` bytes in base64, by `pages`."""
        if "html" in request:
            found = html_blocks(request["html"])
            return {"blocks": [[each.kind, each.text, each.places.tolist(), each.end] for each in found]}
        return _pages(b64decode(request["pdf"]))


def _pages(data: bytes) -> Message:
    """The text of each page of a PDF."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(BytesIO(data))
        # Many are encrypted with an empty password, which lets everybody read them.
        if reader.is_encrypted and not reader.decrypt(""):
            return {"problem": "it is encrypted with a password"}
        return {"pages": [page.extract_text() for page in reader.pages]}
    except MemoryError:
        raise
    except PyPdfError as error:
        return {"problem": f"it is no PDF that can be read ({error})"}
    except Exception as error:  # A damaged file shows in many ways, deep inside the library.
        return {"problem": f"it is no PDF that can be read ({type(error).__name__})"}
