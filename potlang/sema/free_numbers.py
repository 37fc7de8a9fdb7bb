"""Declared numbers that stand outside of their binders: unknown numbers, or binders that were forgotten."""

from __future__ import annotations

from typing import NamedTuple

from potlang.diag import Fix, Label, Place, Severity, Sink
from potlang.sema.scope import VariableEntry

_HALVES = ("/antecedent", "/consequent")


class FreeUse(NamedTuple):
    """Where a declared variable is free, and how its formula would bind it."""

    entry: VariableEntry
    place: Place
    fixes: list[Fix]

    def report(self, sink: Sink, severity: Severity | None = None) -> None:
        """Says that the variable is read as an unknown constant."""
        name = self.entry.name
        sink.report(
            "POT9001",
            self.place,
            name=name,
            labels=[Label(self.entry.place, "declared here")],
            helps=[f"if every value is meant, write ForAll([{name}], …) around the formula"],
            fixes=self.fixes,
            severity=severity,
        )


class FreeNumbers:
    """The first free use of each declared number, until `report`.

    A number that several statements speak of and none binds is one that is sought: nobody forgot to bind it.
    """

    def __init__(self) -> None:
        self._first: dict[str, FreeUse] = {}
        self._shared: set[str] = set()
        self._bound: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._first

    def first(self, use: FreeUse) -> None:
        """The number is free here, and was nowhere before."""
        self._first[use.entry.name] = use

    def again(self, name: str, pointer: str) -> None:
        """It is free in this formula, too."""
        if _statement(pointer) != _statement(self._first[name].place.pointer):
            self._shared.add(name)

    def bound(self, name: str) -> None:
        """Some formula binds the name."""
        self._bound.add(name)

    def report(self, sink: Sink) -> None:
        """Notes the numbers that are free in one statement alone, or that another one binds."""
        for name, use in self._first.items():
            if name in self._bound or name not in self._shared:
                use.report(sink, Severity.NOTE)


def _statement(pointer: str) -> str:
    # Both halves of an `implies` are one statement.
    for half in _HALVES:
        pointer = pointer.removesuffix(half)
    return pointer
