"""Documents as numbered sentences, each with its place ([BUILD-SENTENCES], [BUILD-UNREADABLE])."""

from __future__ import annotations

import hashlib
import re
from array import array
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, get_args

from potlang.diag.sink import Sink
from potlang.languages.pot.program import CompileError
from potlang.policy.building.blocks import BlockKind, TextBlock, markdown_blocks, plain_blocks
from potlang.policy.building.splitting import sentence_ends
from potlang.processes.child import Child
from potlang.processes.process import Died
from potlang.source import Document
from potlang.source.document import DecodeError, decode, marked_encoding
from potlang.utils.extra import missing

DocumentFormat = Literal["markdown", "text", "html", "pdf"]
FORMATS: Final = get_args(DocumentFormat)
MOST_BYTES: Final[Mapping[str, int]] = MappingProxyType(
    {"markdown": 4 << 20, "text": 4 << 20, "html": 4 << 20, "pdf": 32 << 20}
)
MOST_SENTENCES: Final = 5_000
LONGEST_SENTENCE: Final = 2_000
_SHORT: Final = 0.75
"""The share of a usual line below which a line of a PDF ends a paragraph."""
_SECONDS: Final = 20.0
_MEGABYTES: Final = 1_024
_IN_PARTS: Final = "build a policy of each of its parts"
_COMMAND: Final = ("potlang.policy.building.extraction:ExtractionService",)
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_IS_HTML = re.compile(r"\s*(?:<!--.{0,1000}?-->\s*)?<(?:!doctype html|html)\b", re.IGNORECASE | re.DOTALL)
_OF_SUFFIX: Final[Mapping[str, DocumentFormat]] = MappingProxyType(
    {
        **dict.fromkeys(("md", "markdown", "mkd"), "markdown"),
        **dict.fromkeys(("htm", "html", "xhtml"), "html"),
        "pdf": "pdf",
    }
)


class SourceSentence(NamedTuple):
    """A sentence of a document: its number from 1 on, its text on one line, and its place.

    `start` and `end` are offsets in the text of the document; of a PDF, in that of its pages together.
    """

    number: int
    text: str
    kind: BlockKind
    start: int
    end: int


class SourceDocument(NamedTuple):
    """A document that was read; `sha256` is the digest of its bytes."""

    name: str
    sha256: str
    format: DocumentFormat
    sentences: tuple[SourceSentence, ...]


def read_document(data: bytes, name: str, form: DocumentFormat | None = None) -> SourceDocument:
    """The sentences of a document, whose format its name and its first bytes tell unless `form` does.

    Raises CompileError, with the diagnostic, for one that cannot be read, and MissingExtraError where the
    library for PDF is not installed.
    """
    form = form or _format_of(data, name)
    if len(data) > MOST_BYTES[form]:
        raise _refused(name, "POT0002", [_IN_PARTS], limit=f"{MOST_BYTES[form]:,}")
    blocks = _pdf(data, name) if form == "pdf" else _BLOCKS[form](_decoded(data, name, form), name)
    sentences = list(islice(_sentences(blocks), MOST_SENTENCES + 1))
    if len(sentences) > MOST_SENTENCES:
        raise _refused(name, "POT8020", [_IN_PARTS], problem=f"it has more than {MOST_SENTENCES:,} sentences")
    if not sentences:
        of_images = "its pages are images, perhaps: have their text recognized first"
        helps = [of_images if form == "pdf" else "is this the right file?"]
        raise _refused(name, "POT8020", helps, problem="there is no text in it")
    return SourceDocument(name, hashlib.sha256(data).hexdigest(), form, tuple(sentences))


def _help(data: bytes, usual: str) -> list[str]:
    """The advice on a document that is not what it should be: mostly the `usual` one."""
    if data.startswith(b"PK\x03\x04"):
        return ["it is a ZIP archive, as Word documents are: export it as PDF, HTML or text"]
    return [usual]


def _format_of(data: bytes, name: str) -> DocumentFormat:
    if data[:1_024].lstrip().startswith(b"%PDF-"):
        return "pdf"
    found = _OF_SUFFIX.get(name.rpartition(".")[2].casefold())
    if found is not None and found != "pdf":
        return found
    return "html" if _IS_HTML.match(data[:4_096].decode("latin-1")) else found or "text"


def _refused(name: str, code: str, helps: Iterable[str] = (), **parts: Any) -> CompileError:
    document = Document.from_value(None, name)
    sink = Sink(document)
    sink.report(code, "", helps=[*helps], **parts)
    return CompileError(sink.diagnostics(), document)


def _decoded(data: bytes, name: str, form: DocumentFormat) -> str:
    """The text of a document, in the encoding that it names itself, or else in UTF-8."""
    declared = _CHARSET.search(data[:4_096]) if form == "html" and marked_encoding(data) is None else None
    try:
        if declared is None:
            text, _ = decode(data)
        else:
            text = data.decode(declared[1].decode("ascii"))
    except DecodeError as error:
        raise _refused(name, "POT1002", _help(data, "save it as UTF-8"), reason=str(error)) from None
    except (UnicodeDecodeError, LookupError):
        reason = f"not in {declared[1].decode('ascii')}, which it names itself" if declared else "not text"
        raise _refused(name, "POT1002", _help(data, "save it as UTF-8"), reason=reason) from None
    if "\0" in text:
        helps = _help(data, "export it as PDF, HTML or text")
        raise _refused(name, "POT1002", helps, reason="it has NUL bytes, as no text has")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _html(text: str, name: str) -> Iterator[TextBlock]:
    for kind, words, places, end in _extracted({"html": text}, name, [_IN_PARTS])["blocks"]:
        yield TextBlock(kind, words, array("I", places), end)


def _pdf(data: bytes, name: str) -> Iterator[TextBlock]:
    if find_spec("pypdf") is None:
        raise missing("pypdf", "documents")
    helps = _help(data, "save it anew from a program that shows it, without a password, or export its text")
    pages: list[str] = _extracted({"pdf": b64encode(data).decode("ascii")}, name, helps)["pages"]
    return plain_blocks(_paragraphs("\n".join(pages).replace("\0", "")))


def _paragraphs(text: str) -> str:
    """The text of a PDF with an empty line behind each paragraph, and with words whole that a line broke.

    A line that is clearly shorter than most is the last one of its paragraph, a heading, or a row of a table;
    a sentence may go on over the end of any other line, and of a page.
    """
    lines = [line.rstrip() for line in re.sub(r"(?<=[a-z])-\n(?=[a-z])", "", text).split("\n")]
    lengths = sorted(map(len, filter(None, lines)))
    usual = lengths[len(lengths) * 9 // 10] if lengths else 0
    return "\n".join(
        f"{line}\n" if len(line) < _SHORT * usual and not line.endswith((",", "-")) else line
        for line in lines
    )


def _extracted(request: dict[str, Any], name: str, helps: Sequence[str]) -> dict[str, Any]:
    """The answer of the process that reads; raises CompileError for a problem."""
    child = Child(_COMMAND)
    try:
        answer = child.ask(request, seconds=_SECONDS, megabytes=_MEGABYTES)
    except Died as error:
        limit = {
            "timeout": f"it takes more than {_SECONDS:g} s",
            "memory": f"it takes more than {_MEGABYTES} MB",
        }
        raise _refused(name, "POT8020", helps, problem=limit.get(error.reason, error.detail)) from error
    finally:
        child.close()
    if "problem" in answer:
        raise _refused(name, "POT8020", helps, problem=answer["problem"])
    return answer


_BLOCKS: Final[Mapping[str, Callable[[str, str], Iterator[TextBlock]]]] = MappingProxyType(
    {
        "markdown": lambda text, name: markdown_blocks(text),
        "text": lambda text, name: plain_blocks(text),
        "html": _html,
    }
)


def _sentences(blocks: Iterable[TextBlock]) -> Iterator[SourceSentence]:
    number = 0
    for block in blocks:
        for start, end in _spans(block):
            text = " ".join(block.text[start:end].split())
            if text:
                number += 1
                first = next(at for at in range(start, end) if not block.text[at].isspace())
                behind = block.places[end] if end < len(block.places) else block.end
                yield SourceSentence(number, text, block.kind, block.places[first], behind)


def _spans(block: TextBlock) -> Iterator[tuple[int, int]]:
    """The spans of the sentences of a block; headings and rows are one each, what is very long is divided."""
    at = 0
    whole = block.kind in ("heading", "row")
    for end in [len(block.text)] if whole else sentence_ends(block.text):
        while end - at > LONGEST_SENTENCE:
            space = block.text.rfind(" ", at + 1, at + LONGEST_SENTENCE)
            cut = space if space > 0 else at + LONGEST_SENTENCE
            yield at, cut
            at = cut
        yield at, end
        at = end
