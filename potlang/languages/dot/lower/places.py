"""From the places in the propositions of a trace to places of the trace.

A pointer `/@5/and/0` is the JSON pointer `/and/0` in the `@prop` of node 5, and `#5` the text that was
written for it (`#5/2`: for its assumption 2), whose extents lead back to JSON pointers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from potlang.diag import CODES, Diagnostic, Fix, Label, Place, Replace, Severity, Sink
from potlang.languages.dot.read.trace import Trace
from potlang.reading.embedded import Inner
from potlang.source import split_pointer

_SORTS = "a trace has the sorts Int, Real, Bool, String, those made of them, and those of its theory"
_ELSEWHERE = "the other declaration is one of the theory"


class Blame(Sink):
    """A sink that knows the places of all errors, also of those that it does not keep."""

    __slots__ = ("errors",)

    def __init__(self, limit: int) -> None:
        super().__init__(limit=limit)
        self.errors: list[tuple[Place, ...]] = []

    def report(
        self,
        code: str,
        place: Place | str,
        /,
        *,
        span: tuple[int, int] | None = None,
        labels: Iterable[Label] = (),
        severity: Severity | None = None,
        **more: Any,
    ) -> None:
        """As of any sink."""
        secondary = tuple(labels)
        if (severity or CODES[code].severity) is Severity.ERROR:
            first = Place(place, span) if isinstance(place, str) else place
            self.errors.append((first, *(label.place for label in secondary)))
        super().report(code, place, span=span, labels=secondary, severity=severity, **more)

    def add(self, diagnostic: Diagnostic) -> None:
        """As of any sink."""
        if diagnostic.severity is Severity.ERROR:
            self.errors.append(tuple(label.place for label in diagnostic.labels))
        super().add(diagnostic)


class TracePlaces:
    """Hands out pointers for the propositions of a trace, and translates what is reported at them."""

    PREFIX: ClassVar[str] = "/@"

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._extents: dict[str, Mapping[tuple[int, int], str]] = {}
        self._inner: tuple[int, Inner] | None = None

    def base(self, id_: int) -> str:
        """The pointer of the JSON of a node's `@prop`."""
        return f"{self.PREFIX}{id_}"

    def text_pointer(self, id_: int, assumption: int | None = None) -> str:
        """The pointer of the text of a proposition, or of an assumption."""
        return f"#{id_}" if assumption is None else f"#{id_}/{assumption}"

    def note(self, pointer: str, extents: Mapping[tuple[int, int], str]) -> None:
        """The JSON pointers behind the parts of the text at `pointer`."""
        self._extents[pointer] = extents

    def forget(self, pointer: str) -> None:
        """Nothing more will be reported of this text."""
        del self._extents[pointer]

    def culprits(self, sink: Blame) -> set[tuple[int, str, str]]:
        """The declarations and assumptions that the errors in a sink name, by node, part and key."""
        found: set[tuple[int, str, str]] = set()
        for places in sink.errors:
            first = next((inside for each in places if (inside := self._json(each)) is not None), None)
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
        labels: list[Label] = []
        notes = list(diagnostic.notes)
        for label in diagnostic.labels:
            place = self._place(label.place)
            if place is not None:
                labels.append(Label(place, label.message))
        if not labels:
            return None
        if len(labels) < len(diagnostic.labels):
            labels = [Label(labels[0].place, ""), *labels[1:]]
            notes.append(_ELSEWHERE)
        helps = diagnostic.helps
        if diagnostic.code == "POT2005":
            helps = (*(each for each in helps if "`sorts`" not in each), _SORTS)
        fixes = (fixed for fix in diagnostic.fixes if (fixed := self._fix(fix)) is not None)
        return diagnostic._replace(labels=tuple(labels), notes=tuple(notes), helps=helps, fixes=tuple(fixes))

    def _place(self, place: Place) -> Place | None:
        found = self._json(place)
        return None if found is None else self._inner_of(found[0]).place(found[1])

    def _json(self, place: Place) -> tuple[int, Place] | None:
        """The node, and the place in the JSON of its `@prop`; None for a place that is not in the trace."""
        pointer = place.pointer
        if pointer.startswith("#"):
            extents = self._extents.get(pointer, {})
            node = pointer[1:].partition("/")[0]
            whole = f"{self.PREFIX}{node}" + (f"/assume{pointer[1 + len(node) :]}" if "/" in pointer else "")
            pointer = whole if place.span is None else extents.get(place.span, whole)
            place = Place(pointer)
        if not pointer.startswith(self.PREFIX):
            return None
        node, _, _ = pointer[len(self.PREFIX) :].partition("/")
        return int(node), _on_key(place._replace(pointer=pointer[len(self.PREFIX) + len(node) :]))

    def _fix(self, fix: Fix) -> Fix | None:
        """The fix of the trace, if all that it edits is in quoted expressions of one `@prop`."""
        edits: list[Replace] = []
        nodes: set[int] = set()
        for edit in fix.edits:
            if not isinstance(edit, Replace) or not edit.pointer.startswith(self.PREFIX):
                return None
            found = self._json(Place(edit.pointer))
            assert found is not None
            nodes.add(found[0])
            edits.append(edit._replace(pointer=found[1].pointer))
        if len(nodes) != 1:
            return None
        moved = self._inner_of(nodes.pop()).fix(Fix(fix.title, fix.applicability, tuple(edits)))
        return moved if moved.edits else None

    def _inner_of(self, id_: int) -> Inner:
        """The JSON text of a node's `@prop`; the last one asked for is kept, with its layout."""
        if self._inner is None or self._inner[0] != id_:
            self._inner = id_, self._trace.json_of(self._trace.props[id_])
        return self._inner[1]


def _on_key(place: Place) -> Place:
    """`/declare/x/name` is the key of what is declared."""
    tokens = split_pointer(place.pointer)
    if len(tokens) == 3 and tokens[0] == "declare" and tokens[2] == "name":
        return Place(place.pointer.removesuffix("/name"), on_key=True)
    return place
