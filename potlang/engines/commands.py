"""The engines that run in workers, by name, and the command of each.

Imports nothing: `potc` starts its solver with this before it imports the rest of itself.
"""

from __future__ import annotations

ENGINES: tuple[str, ...] = ("z3", "cvc5", "cvc5-fmf", "cvc5-pysmt")
"""`cvc5-fmf` is cvc5 with finite model finding from the start; `cvc5` tries that second."""
WORKERS: tuple[str, ...] = (*ENGINES, "sat", "eprover")
"""All engines that run in workers; `sat` and `eprover` are given clauses in place of SMT-LIB text."""


def solver_command(engine: str) -> tuple[str, ...]:
    """The service that `processes.launch` is to run for this engine. Raises ValueError for an unknown one."""
    if engine not in WORKERS:
        raise ValueError(f"no engine {engine!r}; there are {', '.join(WORKERS)}")
    return ("potlang.engines.worker:solver", engine)
