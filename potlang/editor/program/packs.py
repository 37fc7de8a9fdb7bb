"""The parameters of the standard library's packs, as imports bind them."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from potlang.diag import Sink
from potlang.expressions.surface import ImportDecl, PackSymbol
from potlang.languages.pot.read.packs import load_pack


class PackParameters(NamedTuple):
    """The sorts and the symbols of a pack that its import binds; none of a pack that there is not."""

    sorts: tuple[str, ...] = ()
    symbols: tuple[PackSymbol, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.sorts, *(each.name for each in self.symbols))


@lru_cache(maxsize=128)
def pack_parameters(name: str) -> PackParameters:
    """The parameters of the pack of this name, with those that it inherits from packs that it imports."""
    pack = load_pack(ImportDecl(name, {}, ""), Sink())
    if pack is None:
        return PackParameters()
    return PackParameters(tuple(each.name for each in pack.sorts), tuple(pack.symbols))
