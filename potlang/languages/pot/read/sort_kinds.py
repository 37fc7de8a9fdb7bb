"""The kinds of sorts that a declaration's `type` can name, in the spellings that are understood."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

_HEAD = re.compile(r"\s*(\w+)\s*(?=\(|$)")

_KINDS = ("Declare", "Enum", "Tuple", "Bool", "Int", "Real", "String", "BitVec", "Array", "Function", "Set")
_EXACT: Mapping[str, str] = MappingProxyType(
    {f"{kind}Sort": f"{kind}Sort" for kind in _KINDS}
    | {kind: f"{kind}Sort" for kind in _KINDS if kind not in ("Declare", "Enum", "Tuple")}
)
_LOOSE: Mapping[str, str] = MappingProxyType(
    {spelling.lower(): kind for spelling, kind in _EXACT.items()}
    | {"declare": "DeclareSort", "enum": "EnumSort", "tuple": "TupleSort"}
    | {"boolean": "BoolSort", "integer": "IntSort", "bitvector": "BitVecSort"}
)


class Kind(NamedTuple):
    """`name` is the kind, `text` the type spelt as usual, `warn` says that it was spelt otherwise.

    For the name of another sort (an alias) `name` is `Alias`.
    """

    name: str
    text: str
    warn: bool


def canonical_kind(written: str) -> Kind:
    """The kind that a sort's `type` means: `bool` and `Bool` mean `BoolSort`."""
    match = _HEAD.match(written)
    if match is None:
        return Kind("Alias", written, False)
    word = match[1]
    if word in _EXACT:
        return Kind(_EXACT[word], written, False)
    kind = _LOOSE.get(word.lower())
    if kind is None:
        return Kind("Alias", written, False)
    return Kind(kind, written[: match.start(1)] + kind + written[match.end(1) :], True)
