"""The source map of a trace's propositions.

Each `@prop` is an embedded document whose JSON pointers begin with `/@` and the id of its node. What is
said of characters of the expression that was written for a JSON value has that value's pointer, and the
extents of the expression lead on to the JSON value of each of its parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from potlang.diag import Diagnostic, Fix, Label, Place, Replace, Severity, Sink
from potlang.languages.dot.read.trace import Trace
from potlang.reading.embedded import EmbeddedDocument
from potlang.source import split_pointer

_SORTS = "a trace has the sorts Int, Real, Bool, String, those made of them, and those of its theory"
_ELSEWHERE = "the other declaration is one of the theory"


class RecordingSink(Sink):
    """A sink that knows the places of all errors, also of those that it does not keep."""

    __slots__ = ("errors",)

    def __init__(self, limit: int) -> None:
        super().__init__(limit=limit)
        self.errors: list[tuple[Label, ...]] = []

    def _has_room(self, level: Severity, labels: tuple[Label, ...]) -> bool:
        if level is Severity.ERROR:
            self.errors.append(labels)
        return super()._has_room(level, labels)


class TraceSourceMap:
    """Hands out pointers for the propositions of a trace, and translates what is reported at them."""

    PREFIX: ClassVar[str] = "/@"

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._extents: dict[str, Mapping[tuple[int, int], str]] = {}
        self._embedded: tuple[int, EmbeddedDocument] | None = None

    def base(self, id_: int) -> str:
        """The pointer of a node's `@prop`."""
        return f"{self.PREFIX}{id_}"

    def note(self, pointer: str, extents: Mapping[tuple[int, int], str]) -> None:
        """The pointers behind the parts of the expression that was written for the value at `pointer`."""
        self._extents[pointer] = extents

    def forget(self, pointer: str) -> None:
        """Only the expression at `pointer` as a whole will be named from now on."""
        self._extents[pointer] = {}

    def culprits(self, sink: RecordingSink) -> set[tuple[int, str, str]]:
        """The declarations and assumptions that the errors in a sink name, by node, part and key."""
        found: set[tuple[int, str, str]] = set()
        for labels in sink.errors:
            first = next((inside for each in labels if (inside := self._json(each.place)) is not None), None)
            if first is not None:
                node, place = first
                part, key = split_pointer(place.pointer)[:2]
                found.add((node, part, key))
        return found

    def adopt(self, inner: Sink, sink: Sink) -> None:
        """Adds what a sink has to say of the trace to the trace's own."""
        if not len(inner):
            return
        for diagnostic in inner.diagnostics():
            moved = self._moved(diagnostic)
            if moved is not None:
                sink.add(moved)

    def _moved(self, diagnostic: Diagnostic) -> Diagnostic | None:
        """The diagnostic at places of the trace; None for one of the theory alone."""
        placed = ((self._json(label.place), label.message) for label in diagnostic.labels)
        labels = [Label(self._document(at[0]).place(at[1]), message) for at, message in placed if at]
        if not labels:
            return None
        notes = diagnostic.notes
        if len(labels) < len(diagnostic.labels):
            labels[0] = Label(labels[0].place, "")
            notes = (*notes, _ELSEWHERE)
        helps = diagnostic.helps
        if diagnostic.code == "POT2005":
            helps = (*(each for each in helps if "`sorts`" not in each), _SORTS)
        fixes = tuple(fixed for fix in diagnostic.fixes if (fixed := self._fix(fix)) is not None)
        return diagnostic._replace(labels=tuple(labels), notes=notes, helps=helps, fixes=fixes)

    def _json(self, place: Place) -> tuple[int, Place] | None:
        """The node, and the place in the JSON of its `@prop`; None for a place that is not in the trace."""
        pointer = place.pointer
        if not pointer.startswith(self.PREFIX):
            return None
        if pointer in self._extents and place.span is not None:
            pointer = self._extents[pointer].get(place.span, pointer)
            place = Place(pointer)
        node, _, _ = pointer[len(self.PREFIX) :].partition("/")
        return int(node), _on_key(place._replace(pointer=pointer[len(self.PREFIX) + len(node) :]))

    def _fix(self, fix: Fix) -> Fix | None:
        """The fix of the trace, if all that it edits is in quoted expressions of one `@prop`."""
        edits: list[Replace] = []
        nodes: set[int] = set()
        for edit in fix.edits:
            # An edit of an expression that was written here is none of the JSON.
            if not isinstance(edit, Replace) or edit.pointer in self._extents:
                return None
            found = self._json(Place(edit.pointer))
            if found is None:
                return None
            nodes.add(found[0])
            edits.append(edit._replace(pointer=found[1].pointer))
        if len(nodes) != 1:
            return None
        moved = self._document(nodes.pop()).edits(tuple(edits))
        return fix._replace(edits=moved) if moved else None

    def _document(self, id_: int) -> EmbeddedDocument:
        """The JSON text of a node's `@prop`; the last one asked for is kept, with its layout."""
        if self._embedded is None or self._embedded[0] != id_:
            self._embedded = id_, self._trace.json_of(self._trace.props[id_])
        return self._embedded[1]


def _on_key(place: Place) -> Place:
    """`/declare/x/name` is the key of what is declared."""
    tokens = split_pointer(place.pointer)
    if len(tokens) == 3 and tokens[0] == "declare" and tokens[2] == "name":
        return Place(place.pointer.removesuffix("/name"), on_key=True)
    return place
