"""The fields of each record, in order: the one list behind the lexer, the writer and the messages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from potlang.languages.dot.read.records import EDGE_KINDS, MARKS, ROLES, Typed

LONGEST_NUMBER = 600
"""Digits of a number in a record; Python prints no more under every setting."""
NATURAL = rf"(?:0|[1-9][0-9]{{0,{LONGEST_NUMBER - 1}}})"


class Field(NamedTuple):
    """A field: its name, the words it may hold (none: a natural number), and whether it may be absent."""

    name: str
    words: tuple[str, ...] = ()
    optional: bool = False

    @property
    def shown(self) -> str:
        """The field as messages show it: `kind=refine|critique|use`, `[witness=N]`."""
        text = f"{self.name}={'|'.join(self.words) or 'N'}"
        return f"[{text}]" if self.optional else text


SHAPES: Mapping[str, tuple[Field, ...]] = MappingProxyType(
    {
        "node": (Field("id"), Field("role", ROLES)),
        "edge": (Field("src"), Field("dst"), Field("kind", EDGE_KINDS)),
        "status": (Field("target"), Field("mark", MARKS), Field("just", optional=True)),
        "entails": (
            Field("src"),
            Field("dst"),
            Field("witness", optional=True),
            Field("rank", optional=True),
        ),
        "eq": (Field("src"), Field("dst")),
        "coeq": (Field("src"), Field("dst")),
        "prop": (Field("id"),),
    }
)


def pattern(kind: str) -> str:
    """The regular expression of a record, one group for each field in order."""
    return f"@{kind}" + "".join(_field_pattern(field) for field in SHAPES[kind])


def _field_pattern(field: Field) -> str:
    text = rf"[ ]{field.name}=({'|'.join(field.words) or NATURAL})"
    return f"(?:{text})?" if field.optional else text


def kind_of(record: Typed) -> str:
    """The name of a record's kind in its text: `edge`."""
    return type(record).__name__.lower()


def written(kind: str, values: Mapping[str, object]) -> str:
    """The record of these values but for its JSON: `@edge src=1 dst=2 kind=use`."""
    given = ((field.name, values.get(field.name)) for field in SHAPES[kind])
    return f"@{kind}" + "".join(f" {name}={value}" for name, value in given if value is not None)


def form(kind: str) -> str:
    """How a record is written: `@edge src=N dst=N kind=refine|critique|use`."""
    fields = " ".join(field.shown for field in SHAPES[kind])
    return f"@{kind} {fields}" + (" JSON" if kind == "prop" else "")
