"""Diagnostics as values: what was found, where, and what to do about it.

A `Diagnostic` is plain data. Renderers turn it into text, JSON or SARIF; the sink collects it.
Positions are a JSON pointer and, inside the string found there, a half-open span of characters
of the decoded string. Raw lines and columns are computed when a diagnostic is shown.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Severity(StrEnum):
    """How much a diagnostic matters: an `error` alone keeps a program from being compiled."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """0 for an error, 1 for a warning, 2 for a note."""
        return ("error", "warning", "note").index(self.value)


class Applicability(StrEnum):
    """How a fix may be used: `safe` keeps the meaning, `unsafe` may not, `placeholder` needs a value."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    PLACEHOLDER = "placeholder"


class Place(NamedTuple):
    """A part of the input.

    `pointer` is an RFC 6901 JSON pointer; `span` is `(start, end)` in the decoded string at that
    pointer; `on_key` says that the member's key is meant, not its value. For input that is not
    JSON, `pointer` is empty and `span` counts characters of the whole text.
    """

    pointer: str = ""
    span: tuple[int, int] | None = None
    on_key: bool = False


class Label(NamedTuple):
    """A place with a short message; exactly one label of a diagnostic is primary (the first)."""

    place: Place
    message: str = ""


class Replace(NamedTuple):
    """Edit: replace characters `[start, end)` of the decoded string at `pointer` by `text`.

    At the empty pointer the string is the whole raw document.
    """

    pointer: str
    start: int
    end: int
    text: str


class Patch(NamedTuple):
    """Edit: one RFC 6902 operation (`add`, `remove`, `replace`, `move`, `copy`)."""

    op: str
    path: str
    value: object = None
    source: str | None = None

    @classmethod
    def append(cls, item: object, section: str, exists: bool) -> Patch:
        """One item more in the list at `section`, which is made if it does not exist."""
        return cls("add", f"{section}/-", item) if exists else cls("add", section, [item])


Edit = Replace | Patch


class Fix(NamedTuple):
    """A change that removes the diagnostic: a title for people, edits for machines."""

    title: str
    applicability: Applicability
    edits: tuple[Edit, ...]


class Diagnostic(NamedTuple):
    """One finding.

    `code` is a key of the register (`POT2001`). `message` is one line, lower case, no full stop.
    `labels[0]` is the primary place. `notes` are facts, `helps` say what to do.
    """

    code: str
    severity: Severity
    message: str
    labels: tuple[Label, ...]
    notes: tuple[str, ...] = ()
    helps: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()

    @property
    def place(self) -> Place:
        """The primary place."""
        return self.labels[0].place
