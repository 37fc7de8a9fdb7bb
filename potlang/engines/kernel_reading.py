"""A program as the checking kernel reads it: made once for all who prove something about it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from potlang.certify import Invalid, read_theory
from potlang.certify.terms import MOST_STEPS
from potlang.engines.timed_steps import TimedSteps
from potlang.ir.module import Module
from potlang.ir.text import print_module
from potlang.utils.deadline import Deadline, OutOfTime

if TYPE_CHECKING:
    from potlang.certify import Theory


class KernelReading:
    """The kernel's theory of `module`, read when it is first asked for."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._found: Theory | Invalid | None = None

    @property
    def theory(self) -> Theory:
        """The theory that the module's text declares, made within the limits of the call.

        Raises `Invalid` where its definitions unfold to too much, `OutOfTime` at the end of the call.
        """
        if self._found is None:
            self._found = self._read()
        if isinstance(self._found, Exception):
            raise self._found
        return self._found

    def _read(self) -> Theory | Invalid:
        # The kernel skips origins: of a small program they are half of the text.
        text = print_module(self.module, origins=False)
        deadline = Deadline(math.inf)
        try:
            return read_theory(text, TimedSteps(deadline, MOST_STEPS + len(text)))
        except Invalid as error:
            if deadline.passed():
                raise OutOfTime from error
            return error
