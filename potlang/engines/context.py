"""One program as all decision procedures of a prover are given it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from potlang.engines.encoding import AssertionNames, Encoding
from potlang.engines.kernel_reading import KernelReading
from potlang.ir.module import Assertion, Claim, Module

if TYPE_CHECKING:
    from potlang.processes.pool import Workers


class ProgramContext(NamedTuple):
    """A program, and what its decision procedures share.

    `module` is the program as compiled, which refutations and `reading` are about; `lowered` is what solvers
    are given, of which `labels` names the assumptions and `encoding` reads models. Processes of `workers`
    may take `memory_mb` each.
    """

    module: Module
    lowered: Module
    labels: AssertionNames
    encoding: Encoding
    workers: Workers
    reading: KernelReading
    memory_mb: int | None = None

    @classmethod
    def of(cls, module: Module, workers: Workers) -> ProgramContext:
        """The context of a program to which no pass is applied."""
        labels = AssertionNames(module)
        return cls(module, module, labels, Encoding(module, "z3", labels), workers, KernelReading(module))

    def reading_with(self, extra: Sequence[Assertion], claim: Claim | None) -> KernelReading:
        """The reading of a program that has these assumptions and the claim, too."""
        if not extra and self.has(claim):
            return self.reading
        assertions = (*self.module.assertions, *extra)
        claims = () if claim is None else (claim,)
        return KernelReading(
            replace(self.module, assertions=assertions, claims=claims, norms=(), optimization=None)
        )

    def has(self, claim: Claim | None) -> bool:
        """Whether the program has this claim, if any, as compiled or as solvers are given it."""
        # Not by its key alone: a session counts its claims from the beginning, as the program does.
        modules = (self.lowered, self.module)
        return claim is None or any(
            claim == each for module in modules for each in (*module.claims, *module.norms)
        )
