"""Reads documents and JSON, with a positioned diagnostic for whatever is wrong.

Numbers stay exact: a JSON integer is an `int` (a `Decimal` above 600 digits, because Python prints
no longer `int`), any other number is a `Decimal`.
"""

from __future__ import annotations

import json
import os
import re
import stat
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING

from potlang.diag import Place, Sink
from potlang.ir.numerals import digits_of
from potlang.source import DEFAULT_LIMITS, DecodeError, Document, InputLimits, decode

if TYPE_CHECKING:
    from collections.abc import Iterable

_PRINTABLE_DIGITS = 600
_EXPLAINED = 8_000_000
"""Characters up to which a text that is not JSON is read again for what is wrong with it."""
SUFFIXES = (".json", ".dot.txt", ".dagmath.txt")
"""How the names of programs, traces and solutions end, where a directory is searched for them."""
LINES = (".jsonl", ".ndjson")
"""How the names of files with a JSON value on each line end."""
_MAY_BE_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
Source = object
"""Text, bytes, a path, a `Document`, or a value that `json.loads` could have returned."""


def open_document(
    source: Source, sink: Sink, limits: InputLimits = DEFAULT_LIMITS, name: str | None = None
) -> Document:
    """The document for `str` and `bytes` (contents), a path, or a parsed value.

    Always returns a document; where nothing could be read the reason is in the sink (POT0002,
    POT0006, POT1002). The document becomes the sink's.
    """
    document = _open(source, sink, limits, name)
    sink.document = document
    return document


def _open(source: Source, sink: Sink, limits: InputLimits, name: str | None) -> Document:
    if isinstance(source, Document):
        return source
    if not isinstance(source, str | bytes | bytearray | memoryview | os.PathLike):
        return Document.from_value(source, name or "<value>")
    label, data = bounded_content(source, sink, limits, name)
    if data is None:
        return Document(label, None)
    if isinstance(data, str):
        return Document.from_str(data, label)
    try:
        text, encoding = decode(data)
    except DecodeError as error:
        return _undecodable(data, error, sink, label)
    return Document(label, text, encoding=encoding)


def _undecodable(data: bytes, error: DecodeError, sink: Sink, name: str) -> Document:
    at = len(data[: error.offset].decode("utf-8", "replace").removeprefix("\ufeff"))
    sink.report(
        "POT1002",
        Place("", (at, at + 1)),
        primary=f"byte {error.offset}",
        helps=("save the file as UTF-8",),
        reason=error.reason,
    )
    return Document(name, data.decode("utf-8", "replace").removeprefix("\ufeff"))


def bounded_content(
    source: str | bytes | bytearray | memoryview | os.PathLike[str] | os.PathLike[bytes],
    sink: Sink,
    limits: InputLimits,
    name: str | None,
) -> tuple[str, str | bytes | None]:
    """The name to show for a source, and its text or bytes.

    None, with a report, where there are too many (POT0002) or a file cannot be read (POT0006).
    """
    data: str | bytes | None
    if isinstance(source, str):
        label, data = name or "<string>", source
    elif isinstance(source, os.PathLike):
        label, data = path_bytes(source, sink, limits, name)
    else:
        label, data = name or "<bytes>", bytes(source)
    if data is not None and len(data) > limits.bytes:
        sink.report("POT0002", "", limit=limits.bytes)
        data = None
    return label, data


def path_bytes(
    path: os.PathLike[str] | os.PathLike[bytes], sink: Sink, limits: InputLimits, name: str | None
) -> tuple[str, bytes | None]:
    """The name to show for a file, and its bytes: one more than allowed of one that is too large.

    None, with a report (POT0006), where it cannot be read.
    """
    label = name or os.fsdecode(path)
    try:
        return label, _read_bounded(os.fspath(path), limits.bytes)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        sink.report(
            "POT0006", "", helps=_help(error, path), name=label, reason=reason[:1].lower() + reason[1:]
        )
        return label, None


def _has_inputs(directory: os.PathLike[str] | os.PathLike[bytes]) -> bool:
    """Whether a file below has a suffix of an input, as far as a short look tells."""
    names = (name for _, _, files in islice(os.walk(os.fsdecode(directory)), 1_000) for name in files)
    return any(name.endswith(SUFFIXES) and not name.startswith(".") for name in names)


def _help(error: Exception, path: os.PathLike[str] | os.PathLike[bytes]) -> tuple[str, ...]:
    """The help for a path that is no file."""
    if isinstance(error, IsADirectoryError):
        *first, last = SUFFIXES
        named = f"{', '.join(first)} or {last}"
        if _has_inputs(path):
            return (
                f"a directory stands for its files that end in {named}, as far as they may be programs and "
                "--exclude leaves any",
            )
        return (f"no file in it or below ends in {named}; names that begin with a dot do not count",)
    if isinstance(error, FileNotFoundError) and set("*?[") & set(os.fsdecode(path)):
        return ("no file that may be a program fits the pattern; `**` stands for directories in directories",)
    return ()


def _read_bounded(path: str | bytes, limit: int) -> bytes:
    """At most `limit + 1` bytes of a file: one more than allowed tells that it is too large."""
    with open(path, "rb") as file:  # noqa: PTH123
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            return file.read(limit + 1)
        if status.st_size > limit:
            return bytes(limit + 1)
        data = file.read(status.st_size + 1)
        # More than it was said to have: a growing file, or one of those that are said to have none.
        return data if len(data) <= status.st_size else data + file.read(limit + 1 - len(data))


def read_json(document: Document, sink: Sink, limits: InputLimits = DEFAULT_LIMITS) -> object | None:
    """The JSON value of a document, which also becomes `document.value`; see `JsonReader`."""
    return JsonReader(limits).read(document, sink)


class JsonReader:
    """Reads one JSON document after the other; for many small ones the decoder is made once."""

    __slots__ = ("_decoder", "_hooks", "limits")

    def __init__(self, limits: InputLimits = DEFAULT_LIMITS) -> None:
        self.limits = limits
        self._hooks = hooks = _Hooks(limits)
        self._decoder = json.JSONDecoder(
            object_pairs_hook=hooks.members,
            parse_int=hooks.integer,
            parse_float=hooks.decimal,
            parse_constant=hooks.constant,
        )

    def read(self, document: Document, sink: Sink) -> object | None:
        """The JSON value of a document, which also becomes `document.value`.

        None is returned for the JSON text `null`, and where there is no value: then the sink has an
        error. Some errors (a repeated key, of which the last counts) leave a value to go on with.
        """
        if document.text is None:
            return _check_value(document, sink, self.limits) if not sink.has_errors else None
        if sink.has_errors:
            return None
        if not document.text.strip():
            sink.report("POT1003", "", helps=("a program is a JSON object, at least `{}`",))
            return None
        self._hooks.duplicate = self._hooks.bad_token = False
        document.value = _loads(document.text, self._decoder, self._hooks, sink)
        return document.value


def _loads(text: str, decoder: json.JSONDecoder, hooks: _Hooks, sink: Sink) -> object | None:
    limits = hooks.limits
    try:
        value: object = decoder.decode(text)
    except json.JSONDecodeError as error:
        _report_syntax(text, error, sink)
        return None
    except RecursionError:
        _report_depth(text, sink, limits, "the brackets nest too deeply to be read")
        return None
    # Counting brackets is quick, and rules out deep nesting for nearly all inputs.
    if text.count("[") + text.count("{") > limits.nesting and _depth_exceeds(value, limits.nesting):
        _report_depth(text, sink, limits, f"bracket {limits.nesting + 1} inside one another")
        return None
    _report_found(text, value, hooks, sink, limits)
    return None if hooks.bad_token else value


class _Hooks:
    """The callbacks of `json.loads`; they note that something is wrong, not where."""

    __slots__ = ("bad_token", "duplicate", "limits")

    def __init__(self, limits: InputLimits) -> None:
        self.limits = limits
        self.duplicate = False
        self.bad_token = False

    def members(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        result = dict(pairs)
        if len(result) != len(pairs):
            self.duplicate = True
        return result

    def integer(self, text: str) -> int | Decimal:
        if len(text) <= _PRINTABLE_DIGITS:
            return int(text)
        return self.decimal(text)

    def decimal(self, text: str) -> Decimal:
        if digits_of(text, self.limits.digits) > self.limits.digits:
            self.bad_token = True
            return Decimal(0)
        return Decimal(text)

    def constant(self, text: str) -> None:
        self.bad_token = True


def _depth_exceeds(value: object, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = [below for container in level for below in _below(container) if type(below) in (dict, list)]
        if not level:
            return False
    return True


def _below(container: object) -> Iterable[object]:
    if isinstance(container, dict):
        return container.values()
    return container if isinstance(container, list) else ()


def _report_depth(text: str, sink: Sink, limits: InputLimits, primary: str) -> None:
    from potlang.reading.json_checks import bracket_at_depth

    at = bracket_at_depth(text, limits.nesting + 1)
    sink.report("POT0003", Place("", (at, at + 1)), primary=primary, limit=limits.nesting)


def _report_syntax(text: str, error: json.JSONDecodeError, sink: Sink) -> None:
    from potlang.reading.json_syntax import diagnose

    problems = diagnose(text) if len(text) <= _EXPLAINED else []
    for problem in problems:
        sink.report(
            "POT1001",
            Place("", problem.span),
            primary=problem.primary,
            labels=problem.labels,
            helps=problem.helps,
            fixes=problem.fixes,
            problem=problem.message,
        )
    if not problems:
        at = min(error.pos, len(text))
        sink.report("POT1001", Place("", (at, at + 1)), problem=error.msg[:1].lower() + error.msg[1:])


def _report_found(text: str, value: object, hooks: _Hooks, sink: Sink, limits: InputLimits) -> None:
    is_odd = _MAY_BE_SURROGATE.search(text) is not None or not _is_encodable(text)
    if not (hooks.bad_token or hooks.duplicate or is_odd):
        return
    from potlang.reading import json_checks

    if hooks.bad_token:
        json_checks.report_numbers(text, sink, limits)
    if hooks.duplicate:
        json_checks.report_duplicates(text, sink)
    if is_odd:
        json_checks.report_value(value, sink, limits)


def _is_encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_value(document: Document, sink: Sink, limits: InputLimits) -> object | None:
    from potlang.reading.json_checks import report_value

    report_value(document.value, sink, limits)
    return None if sink.has_errors else document.value
