"""The parameters of the standard library's packs, as imports bind them."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from potlang.diag import Sink
from potlang.expressions.surface import PackSymbol
from potlang.languages.pot.read.packs import read_pack
from potlang.utils import resources


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
    """The parameters of the pack of this name."""
    text = resources.pack_file(name, "pack.json")
    pack = None if text is None else read_pack(name, text, Sink())
    return PackParameters() if pack is None else PackParameters(tuple(pack.sorts), tuple(pack.symbols))
