"""The values that the JSON of a `@prop` is made of, as the automaton of `json_bytes` needs them.

Built from the tables of the reader, `FORMULAS` and `TERMS`: which kinds of values there are, what each may
begin with, how deep its smallest one nests, and that one's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from potlang.languages.dot.read.propositions import FORMULAS, LONGEST_NAME, TERMS, Operands

PROPOSITION, OF_A_PROBLEM = "proposition", "what a problem says"


class StringShape(NamedTuple):
    """A string: the characters that it may have, None: any number, at least one."""

    most: int | None = LONGEST_NAME


class ListShape(NamedTuple):
    """A list: the kinds of its items, whether the last may repeat, and how many it has at least."""

    kinds: tuple[str, ...]
    more: bool
    least: int


class ObjectShape(NamedTuple):
    """An object: the kind of the value for each key, or of all values under any names; and how many members.

    `other`: the shape that it has with one of that one's keys.
    """

    keys: Mapping[str, str] | None
    value: str
    least: int
    most: int | None
    required: frozenset[str] = frozenset()
    other: ObjectShape | None = None


class ValueShape(NamedTuple):
    """The values that may stand at a place."""

    number: bool = False
    string: StringShape | None = None
    list: ListShape | None = None
    object: ObjectShape | None = None


NAMING = frozenset((PROPOSITION, OF_A_PROBLEM, "term", "name"))
"""The kinds whose strings are names that something has been given."""
KEYWORDS = frozenset(("and", "or", "not", "in"))
"""Words of formulas, which are no names there."""
_IS_PLAIN = re.compile(r'[^"\\\x00-\x1f\ud800-\udfff]*')
_SHOWN = 40
_NAME = StringShape()
_APPLICATION = ListShape(("name", "term"), True, 2)
_DECLARED = {"declare": "declarations", "assume": "assumptions"}
_DECLARING = ObjectShape(_DECLARED, "", 1, len(_DECLARED))


def _operators(table: Mapping[str, Operands]) -> dict[str, str]:
    return {name: _operand_kind(operands) for name, operands in table.items()}


def _operand_kind(operands: Operands) -> str:
    return operands.kinds[0] if operands.bare else f"{operands.kinds} {operands.more}"


_FORMULA = ObjectShape(_operators(FORMULAS), "", 1, 1)
SHAPES_OF: Mapping[str, ValueShape] = MappingProxyType(
    {
        PROPOSITION: ValueShape(string=_NAME, list=_APPLICATION, object=_FORMULA),
        OF_A_PROBLEM: ValueShape(
            string=_NAME,
            list=_APPLICATION,
            object=_FORMULA._replace(keys={**_operators(FORMULAS), **_DECLARED}, other=_DECLARING),
        ),
        "term": ValueShape(True, _NAME, _APPLICATION, ObjectShape(_operators(TERMS), "", 1, 1)),
        "expression": ValueShape(string=StringShape(None)),
        "name": ValueShape(string=_NAME),
        "sort": ValueShape(string=_NAME),
        "binders": ValueShape(object=ObjectShape(None, "sort", 1, None)),
        "declarations": ValueShape(object=ObjectShape(None, "signature", 0, None)),
        "assumptions": ValueShape(list=ListShape((PROPOSITION,), True, 0)),
        "signature": ValueShape(
            string=_NAME,
            object=ObjectShape(
                {"domain": "sorts", "range": "sort"}, "", 2, 2, frozenset(("domain", "range"))
            ),
        ),
        "sorts": ValueShape(list=ListShape(("sort",), True, 0)),
        **{
            _operand_kind(operands): ValueShape(
                list=ListShape(operands.kinds, operands.more, len(operands.kinds))
            )
            for operands in (*FORMULAS.values(), *TERMS.values())
            if not operands.bare
        },
    }
)
"""The shapes of each kind of value."""


def checked_names(names: Iterable[str]) -> frozenset[str]:
    """The names that propositions may use.

    Raises ValueError if there are none, or one is a keyword, or would need an escape in JSON.
    """
    found = frozenset([names] if isinstance(names, str) else names)
    if not found:
        raise ValueError("no names are given that propositions may use; None allows any")
    for name in sorted(found):
        if name in KEYWORDS or not 0 < len(name) <= LONGEST_NAME or not _IS_PLAIN.fullmatch(name):
            raise ValueError(f"{name[:_SHOWN]!r} is no name that propositions may use")
    return found


@cache
def depth_of(kind: str) -> int:
    """How deep brackets nest in the shallowest value of a kind."""
    shape = SHAPES_OF[kind]
    if shape.number or shape.string:
        return 0
    if shape.list:
        return depth_of_list(shape.list)
    assert shape.object
    return depth_of_object(shape.object)


def depth_of_list(shape: ListShape) -> int:
    """As `depth_of`, for a list."""
    return 1 + max((depth_of(kind) for kind in shape.kinds[: shape.least]), default=0)


def depth_of_object(shape: ObjectShape) -> int:
    """As `depth_of`, for an object."""
    if shape.least == 0:
        return 1
    if shape.keys is None:
        return 1 + depth_of(shape.value)
    if shape.required:
        return 1 + max(depth_of(shape.keys[key]) for key in shape.required)
    return 1 + min(depth_of(kind) for kind in shape.keys.values())


@cache
def shortest_of(kind: str) -> bytes:
    """The shortest text of a value of a kind that nests no deeper than `depth_of`."""
    shape = SHAPES_OF[kind]
    if shape.number:
        return b"0"
    if shape.string:
        return b'"x"'
    if shape.list:
        return b"[" + b",".join(map(shortest_of, shape.list.kinds[: shape.list.least])) + b"]"
    assert shape.object
    return b"{" + b",".join(members_of(shape.object)) + b"}"


def members_of(shape: ObjectShape) -> list[bytes]:
    """The members that the shortest object of a shape has."""
    if shape.least == 0:
        return []
    if shape.keys is None:
        return [b'"x":' + shortest_of(shape.value)]
    # Only objects that need all that they list occur where no string would do.
    return [b'"%b":%b' % (key.encode(), shortest_of(shape.keys[key])) for key in sorted(shape.required)]
