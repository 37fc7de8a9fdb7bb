"""Samples decoded by msgspec straight into what is counted; what is unusual is left to the full reader.

Import this module only where msgspec is installed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Annotated, Any

from msgspec import UNSET, DecodeError, Meta, Raw, Struct, UnsetType
from msgspec.json import Decoder

from potlang.languages.dagmath.read.json_form import LARGEST_ID

Id = Annotated[int, Meta(ge=0, le=LARGEST_ID)]
Text = str | UnsetType | None
_PARENTS = "direct_dependent_steps"


class NodeStep(Struct, gc=False, rename={"id": "step_id", "parents": _PARENTS}):
    """A step in the form of appendix F. Texts that are not looked at are checked to be texts."""

    id: Id
    parents: tuple[int, ...] | None
    node: str
    edge: Text = UNSET
    formal: Text = UNSET
    prop: Text = UNSET


_TEXT_KEYS = {"id": "step_id", "parents": _PARENTS, "node": "text", "edge": "thinking", "other": "node"}


class TextStep(Struct, gc=False, rename=_TEXT_KEYS):
    """A step in the form of appendix G. One that has a node beside its text is no usual one."""

    id: Id
    parents: tuple[int, ...] | None
    node: str
    edge: Text = UNSET
    reason: Text = UNSET
    formal: Text = UNSET
    prop: Text = UNSET
    other: Raw | UnsetType = UNSET


Steps = Sequence[NodeStep] | Sequence[TextStep]
_UNREADABLE = (DecodeError, UnicodeDecodeError, RecursionError)
_whole: Decoder[dict[str, Raw]] = Decoder(dict[str, Raw])
_node_steps: Decoder[list[NodeStep]] = Decoder(list[NodeStep])
_text_steps: Decoder[list[TextStep]] = Decoder(list[TextStep])
_value: Decoder[Any] = Decoder()
_said = attrgetter("node")
_premises = attrgetter("parents")


def members(line: bytes) -> Mapping[str, Raw] | None:
    """The members of the object on a line, each still as JSON; None if it is no object.

    Of a key that comes twice the last counts ([DAG-FAST]).
    """
    try:
        if not line.isascii():
            line.decode("utf-8")  # What is not looked at is not decoded, and must be UTF-8 all the same.
        return _whole.decode(line)
    except _UNREADABLE:
        return None


def steps(text: Raw) -> Steps | None:
    """The steps in a JSON text; None if they are not in one of the two usual forms.

    None also if one says nothing, or names a parent twice.
    """
    found: Steps | None
    try:
        found = _node_steps.decode(text)
    except _UNREADABLE:
        found = _in_text_form(text)
    # Loops in C: this is done for every step of millions of samples.
    if found is None or not all(map(str.strip, map(_said, found))):
        return None
    given = filter(None, map(_premises, found))
    return None if any(len(set(each)) < len(each) for each in given) else found


def _in_text_form(text: Raw) -> list[TextStep] | None:
    try:
        found = _text_steps.decode(text)
    except _UNREADABLE:
        return None
    return found if all(step.other is UNSET for step in found) else None


def value(text: Raw) -> Any:
    """The value of a JSON text; the ellipsis if it is none, or nested too deeply."""
    try:
        return _value.decode(text)
    except _UNREADABLE:
        return ...
