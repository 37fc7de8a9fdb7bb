"""The contenders: potlang, the public implementation, and raw z3 on the text that potlang sends to it."""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import json
import logging
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import potlang
from potlang.api import RouteName
from potlang.processes.pool import Workers, default_workers

if TYPE_CHECKING:
    from potlang.engines.messages import Query
    from potlang.processes.process import Command, Process

DEFAULT_LIMITS: Final = potlang.Limits()
_WITH_CORES: Final = "(set-option :produce-unsat-cores true)"


class Potlang:
    """potlang in this process: `compile` and `verify` with cores and models, workers warm."""

    def __init__(
        self, source: Path, route: RouteName = "auto", limits: potlang.Limits = DEFAULT_LIMITS
    ) -> None:
        self.source = source
        self.route = route
        self.limits = limits
        self.compile_ms: list[float] = []
        self.report: potlang.Report | None = None
        self.rejection: potlang.CompileError | None = None

    def prepare(self) -> None:
        """Nothing: what it keeps warm, it keeps warm by itself."""

    def run(self) -> None:
        """Compile and verify; a rejection is kept."""
        from time import perf_counter

        began = perf_counter()
        try:
            program = potlang.compile(self.source)
        except potlang.CompileError as error:
            self.rejection = error
            return
        finally:
            self.compile_ms.append((perf_counter() - began) * 1000)
        self.report = potlang.verify(program, trust="solver", route=self.route, limits=self.limits)


class Default:
    """potlang as it is used: from JSON text to the report's JSON, no option given, workers warm."""

    def __init__(self, source: Path) -> None:
        self.text = source.read_text("utf-8")

    def prepare(self) -> None:
        """Nothing, as for `Potlang`."""

    def run(self) -> None:
        """Verify; the report is thrown away."""
        with contextlib.suppress(potlang.CompileError):
            potlang.verify(self.text).to_json()


# --- raw z3 ---


@dataclass(frozen=True, slots=True)
class Ask:
    """One check: commands between push and pop, and the terms whose values are shown if it is sat."""

    text: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Script:
    """What potlang sent to the solver for one program: the base, and each check on top of it.

    A check that was sent again, for its core say, is there once. `complete` is false if something was
    sent that is not a check (an optimization).
    """

    base: str
    asks: tuple[Ask, ...]
    complete: bool = True

    def to_json(self) -> str:
        """The script as JSON text."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> Script:
        """A script from what `to_json` wrote."""
        raw = json.loads(text)
        asks = tuple(Ask(each["text"], tuple(each["values"])) for each in raw["asks"])
        return Script(raw["base"], asks, raw["complete"])


class RawZ3:
    """z3 in this process on a script: a fresh context, the same checks, the same values shown.

    With `cores` it also keeps track of assertions and shows each unsat core.
    """

    def __init__(self, script: Script, timeout_ms: int, *, cores: bool = False) -> None:
        self.script = script
        self.timeout_ms = timeout_ms
        self.cores = cores
        self.statuses: list[str] = []

    def prepare(self) -> None:
        """Load the library."""
        import z3  # noqa: F401

    def run(self) -> None:
        """Read the base and answer the checks."""
        import z3
        from z3 import z3core

        context = z3.Context()

        def send(text: str) -> str:
            return str(z3core.Z3_eval_smtlib2_string(context.ref(), text))

        send(f"(set-option :produce-models true){_WITH_CORES if self.cores else ''}{self.script.base}")
        send(f"(set-option :timeout {self.timeout_ms})")
        self.statuses = [_raw_check(send, ask, self.cores) for ask in self.script.asks]


def _raw_check(send: Callable[[str], str], ask: Ask, cores: bool) -> str:
    status = send(f"(push 1){ask.text}(check-sat)").split()[-1]
    if status == "sat" and ask.values:
        send(f"(get-value ({' '.join(ask.values)}))")
    if status == "unsat" and cores:
        send("(get-unsat-core)")
    send("(pop 1)")
    return status


class Context:
    """The making of an empty z3 context: the part of `RawZ3` that potlang's workers do ahead of need."""

    def prepare(self) -> None:
        """Load the library."""
        import z3  # noqa: F401

    def run(self) -> None:
        """Make a context and let it go."""
        import z3

        z3.Context()


def record(source: Path, limits: potlang.Limits) -> Script:
    """What potlang sends to z3 for this program. Raises CompileError if it is not one."""
    tape = _Tape()
    potlang.verify(
        potlang.compile(source),
        trust="solver",
        route="z3",
        limits=limits,
        workers=tape,
    )
    return Script(tape.base, tuple(tape.asks.values()), tape.complete)


class _Tape(Workers):
    """The shared workers, but what the first session is sent is noted."""

    def __init__(self) -> None:
        super().__init__()
        self.base = ""
        self.asks: dict[str, Ask] = {}
        self.complete = True
        self._heard: Process | None = None

    def warm(self, command: Command, count: int = 1) -> None:
        default_workers().warm(command, count)

    def checkout(self, command: Command) -> Process:
        process = default_workers().checkout(command)
        # Only the first session holds the program: a second one looks for the core of a check of the first.
        if self._heard is None:
            self._heard = process
            process.send = functools.partial(self._note, process.send)  # type: ignore[method-assign]
        return process

    def give_back(self, process: Process) -> None:
        if process is self._heard:
            del process.send
        default_workers().give_back(process)

    def _note(self, send: Callable[..., None], message: dict[str, Any], **how: bool) -> None:
        match message["op"]:
            case "start":
                self.base = message["base"]
            case "ask":
                query: Query = message["query"]
                before = self.asks.get(query.text)
                values = query.values if before is None else (*before.values, *query.values)
                self.asks[query.text] = Ask(query.text, tuple(dict.fromkeys(values)))
            case "optimize":
                self.complete = False
        send(message, **how)


# --- the public implementation ---


def find_public(path: Path | None) -> str | None:
    """Make the public implementation importable, from `path` if given; why it is not, or None."""
    if path is not None and str(path) not in sys.path:
        sys.path.append(str(path))
    try:
        importlib.import_module("z3adapter.interpreter")
    except ImportError as error:
        return str(error)
    return None


@dataclass(frozen=True, slots=True)
class Counts:
    """What the public implementation answers: how many checks were sat and unsat, or its error."""

    sat: int = 0
    unsat: int = 0
    error: str | None = None


class Public:
    """The public implementation's JSON interpreter in this process: one check a verification.

    Its z3 context is made beforehand, so that its time has no more of z3's own set-up in it than
    potlang's has. As shipped it formats every model for its log; with `models=False` its
    solver gives it none.
    """

    def __init__(self, source: Path, timeout_ms: int, *, models: bool = True) -> None:
        self.source = source
        self.timeout_ms = timeout_ms
        self.models = models
        self.counts = Counts()
        self._interpreter: Any = importlib.import_module("z3adapter.interpreter").Z3JSONInterpreter

    def prepare(self) -> None:
        """A new main context: in a used one its enum sorts clash with those of the program before."""
        import z3

        z3.z3._main_ctx = None
        z3.main_ctx()

    def run(self) -> None:
        """Interpret the program, its output thrown away."""
        solver = None if self.models else _modelless_solver()
        with _silence():
            try:
                interpreter = self._interpreter(
                    str(self.source),
                    solver,
                    verify_timeout=self.timeout_ms,
                    optimize_timeout=self.timeout_ms,
                )
                interpreter.run()
                self.counts = Counts(*interpreter.get_verification_counts())
            except Exception as error:
                self.counts = Counts(error=f"{type(error).__name__}: {error}")


def _modelless_solver() -> Any:
    solver = importlib.import_module("z3adapter.solvers.z3_solver").Z3Solver()
    solver.model = lambda: None
    return solver


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        logging.disable(before)
