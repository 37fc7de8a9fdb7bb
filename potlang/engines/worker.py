"""The service that a solver's worker runs: one engine, and the sessions that the parent has with it."""

from __future__ import annotations

from abc import ABC, abstractmethod

from potlang.engines.messages import (
    OptimizeAnswer,
    OptimizeQuery,
    Query,
    SolverAnswer,
    unpack_optimize,
    unpack_query,
)
from potlang.processes.frames import Message
from potlang.processes.worker import Service


class SolverEngine(ABC):
    """A solver in this process, with one session at a time: a base and queries on top of it.

    `rlimit` is the deterministic count of steps for each check. No method raises for what the solver
    does, but `MemoryError`.
    """

    name: str

    def __init__(self) -> None:
        self.rlimit: int | None = None
        self._base = ""

    @abstractmethod
    def ask(self, query: Query, timeout_ms: int) -> SolverAnswer:
        """Check one query on top of the base."""

    @abstractmethod
    def warm_up(self) -> None:
        """Solve something small once, so that the solver's own start-up is behind it."""

    def optimize(self, query: OptimizeQuery, timeout_ms: int) -> OptimizeAnswer:
        """Optimize on top of the base; `unsupported` if the engine cannot."""
        return OptimizeAnswer("unknown", "unsupported", f"{self.name.partition('-')[0]} does not optimize")

    def prepare(self) -> bool:
        """Do a piece of work ahead of the next session; False if there is none left to do."""
        return False

    def start(self, base: str) -> None:
        """Begin a session with these SMT-LIB commands, ending any other."""
        self.close()
        self._base = base

    def load(self, core: bool) -> SolverAnswer | None:
        """Read the base now, if it can be kept; the answer that a failure to do so comes to."""
        return None

    def limit_memory(self, megabytes: int | None) -> None:  # noqa: B027 - most engines have no cap
        """Cap the engine's own heap, where it has a cap; the worker's address space is capped anyway."""

    def close(self) -> None:
        """End the session and free what it holds."""
        self._base = ""


def make_engine(name: str) -> SolverEngine:
    """The engine of this name (one of `commands.WORKERS`). Raises ValueError for any other."""
    if name == "z3":
        from potlang.engines.z3 import Z3Engine

        return Z3Engine()
    if name == "cvc5":
        from potlang.engines.cvc5 import Cvc5Engine

        return Cvc5Engine()
    if name == "cvc5-fmf":
        from potlang.engines.cvc5 import FiniteModelEngine

        return FiniteModelEngine()
    if name == "cvc5-pysmt":
        from potlang.engines.pysmt_bridge import PysmtEngine

        return PysmtEngine()
    if name == "sat":
        from potlang.engines.sat import SatEngine

        return SatEngine()
    if name == "eprover":
        from potlang.engines.saturation.eprover import EproverEngine

        return EproverEngine()
    raise ValueError(f"no engine {name!r}")


class SolverService(Service):
    """Serves sessions with one engine: `start`, then any number of `ask` and `optimize`, then `end`."""

    def __init__(self, engine: SolverEngine) -> None:
        self._engine = engine
        self._in_session = False
        # z3 stops at its own cap and can still answer; the address space is the wall behind it.
        self.slack_mb = 128 if engine.name == "z3" else 64
        self.exhausted_status = 101 if engine.name == "z3" else None

    def prepare(self) -> bool:
        """Work ahead between sessions: within one it would count against the session's limits."""
        return not self._in_session and self._engine.prepare()

    def answer(self, request: Message) -> Message | None:
        """The engine's answer, packed."""
        try:
            return self._answer(request)
        except MemoryError:
            # The cap on the address space was hit; the engine has unwound, so there is room for this.
            kind = OptimizeAnswer if request["op"] == "optimize" else SolverAnswer
            out = kind("unknown", "memory", "out of memory")
            return {"failed": out} if request["op"] == "start" else {"answer": out}

    def _answer(self, request: Message) -> Message | None:
        engine = self._engine
        match request["op"]:
            case "start":
                self._in_session = True
                engine.limit_memory(request["memory"])
                engine.rlimit = request["rlimit"]
                engine.start(request["base"])
                return {"failed": engine.load(request["core"])}
            case "end":
                engine.close()
                self._in_session = False
                return None
            case "ask":
                return {"answer": engine.ask(unpack_query(request["query"]), request["timeout"])}
            case _:
                return {"answer": engine.optimize(unpack_optimize(request["query"]), request["timeout"])}


def solver(name: str) -> SolverService:
    """The service of a worker for the engine `name`."""
    engine = make_engine(name)
    # The parent has work of its own before its first query: then start-up of the engine is behind it.
    engine.warm_up()
    return SolverService(engine)
