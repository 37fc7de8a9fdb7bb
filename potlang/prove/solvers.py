"""The solvers of one program: each in a session of its own, within the limits."""

from __future__ import annotations

from typing import NamedTuple

from potlang.engines.encoding import AssertionNames, Encoding
from potlang.engines.solver import SolverSession
from potlang.ir.module import Module
from potlang.processes.pool import Workers
from potlang.prove.options import RouteName, solvers_of
from potlang.report.results import Limits


class Solvers(NamedTuple):
    """Opens sessions of solvers over `module`; who asks for one closes it."""

    module: Module
    labels: AssertionNames
    workers: Workers
    limits: Limits
    route: RouteName

    def session(self, name: str) -> SolverSession:
        """A session of an engine."""
        encoding = Encoding(self.module, name, self.labels)
        memory, rlimit = self.limits.memory_mb, self.limits.rlimit
        return SolverSession(self.workers, name, encoding=encoding, memory_mb=memory, rlimit=rlimit)

    def reserve(self) -> list[SolverSession]:
        """The solvers that join in where z3 gives up ([ROUTE-RACE])."""
        return [self.session("cvc5-fmf"), self.session("cvc5")]

    def second(self, by: str) -> SolverSession | None:
        """Another solver than `by`, for a second opinion; None where the route is no solver's."""
        if not solvers_of(self.route):
            return None
        return self.session("z3" if by.startswith("cvc5") else "cvc5")
