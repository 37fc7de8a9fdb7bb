"""A program as the checking kernel reads it: made once for all who prove something about it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from potlang.ir.module import Module

if TYPE_CHECKING:
    from potlang.certify import Theory


class KernelReading:
    """The kernel's theory of `module`, read when it is first asked for."""

    def __init__(self, module: Module) -> None:
        self.module = module

    @cached_property
    def theory(self) -> Theory:
        """The theory that the module's text declares."""
        # Most programs are answered without a proof.
        from potlang.certify import read_theory
        from potlang.ir.text import print_module

        # The kernel skips origins: of a small program they are half of the text.
        return read_theory(print_module(self.module, origins=False))
