"""The models of checks' results as structures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from potlang.engines.check import CheckResult
from potlang.ir.module import Module
from potlang.smt.models import StructureReader, UnreadableModel

if TYPE_CHECKING:
    from potlang.ir.structure import Structure
    from potlang.smt.encodings import Dialect


class ResultModels:
    """The models of sat results, each read once; `module` is what the solvers were given."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._readers: dict[Dialect, StructureReader] = {}
        self._read: dict[int, tuple[CheckResult, Structure | None]] = {}

    def structure(self, result: CheckResult) -> Structure | None:
        """The model of a sat result; None if there is none that can be read."""
        # Results have no identity of their own but the object; it is kept beside, so that no id is reused.
        known = self._read.get(id(result))
        if known is None:
            known = self._read[id(result)] = result, self._structure(result)
        return known[1]

    def forget(self) -> None:
        """The results so far are done with."""
        self._read.clear()

    def _structure(self, result: CheckResult) -> Structure | None:
        if result.structure is not None:
            return result.structure()
        if result.model is None or result.encoding is None:
            return None
        dialect = result.encoding.dialect
        if dialect not in self._readers:
            self._readers[dialect] = StructureReader(self._module, dialect)
        try:
            return self._readers[dialect].read(result.model)
        except UnreadableModel:
            return None
