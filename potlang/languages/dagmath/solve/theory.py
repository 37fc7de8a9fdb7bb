"""The questions about one solution: statements in the IR, and one warm solver session for all of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from potlang.engines.commands import solver_command
from potlang.ir.module import Assertion, AssertionKind, Claim, Module
from potlang.ir.pool import Pool
from potlang.languages.dagmath.lower.encoding import Encoded, Encoder
from potlang.languages.dagmath.solve.budget import Budget
from potlang.processes.pool import default_workers
from potlang.processes.process import Died
from potlang.prove.options import ProverOptions
from potlang.report.results import Limits, Result, Verdict
from potlang.utils.closing import Closing

if TYPE_CHECKING:
    from potlang.ir.nodes import Node
    from potlang.processes.pool import Workers
    from potlang.prove.options import Trust
    from potlang.prove.prover import Prover

_SOLVER_STEPS: Final = 300_000
_MOST_UNCHECKED: Final = 2
"""After so many answers of a solution that nobody could check in time, no more are given to others."""
_NO_TIME: Final = Result("claim", "", Verdict.UNKNOWN, reason="timeout")


class StepTheory(Closing):
    """A context manager; a solver starts with the first question, and again only for new symbols.

    `trust` is how far answers are checked that a caller wants to be `sure` of.
    """

    def __init__(
        self, integers: frozenset[str], limits: Limits, trust: Trust, workers: Workers | None, budget: Budget
    ) -> None:
        self.encoder = Encoder(Pool(), integers)
        self.budget = budget
        self.asked = 0
        # Where a solver gives up by its own count, it does so on a busy machine as on an idle one.
        self._limits = limits if limits.rlimit is not None else limits._replace(rlimit=_SOLVER_STEPS)
        self._trust = trust
        self._workers = workers
        self._prover: Prover | None = None
        self._symbols = 0
        self._known: dict[tuple[frozenset[int], int], Result] = {}
        self._contradictions: list[tuple[frozenset[int], Result]] = []
        self._unchecked = 0

    def close(self) -> None:
        """Give the solver back, if there is one; the next question starts another."""
        if self._prover is not None:
            self._prover.close()
            self._prover = None

    def _ready(self) -> Prover:
        """A prover that knows all symbols there are."""
        from potlang.prove.prover import Prover

        symbols = self.encoder.symbols
        if len(symbols) != self._symbols:
            self.close()
            self._symbols = len(symbols)
        if self._prover is None:
            workers = self._workers or default_workers()
            for engine in ("z3",) if self._trust == "solver" else ("z3", "cvc5"):
                # To start takes longer than a question may. Where there can be no process, that says so.
                with suppress(OSError, Died):
                    workers.start(solver_command(engine))
            # One solver, as a race of several takes the time of them all, and those that lose start anew.
            options = ProverOptions(route="z3", trust=self._trust, minimize_cores=False)
            module = Module(self.encoder.pool, symbols=symbols)
            self._prover = Prover(module, options, self._limits, workers)
        return self._prover

    def ask(self, premises: Sequence[Encoded], claim: Encoded, *, sure: Collection[Verdict] = ()) -> Result:
        """Verify the claim under the premises, both taken to be defined; memoised by node ids.

        The verdicts in `sure` are checked by others than who found them.
        """
        assumed = _assumed([*premises, claim], premises)
        # Steps rest on the same premises again and again, and missing ones are looked for by trying.
        key = (frozenset(assumed), claim.formula.id)
        found = self._known.get(key) or self._contradiction(key[0])
        if found is None or (self._is_doubting and found.verdict in sure and found.trust == "solver"):
            found = self._verified(assumed, claim.formula, sure)
        self._known[key] = found
        return found

    @property
    def _is_doubting(self) -> bool:
        """Whether answers are checked by others, and that has not taken too long so far."""
        return self._trust != "solver" and self._unchecked < _MOST_UNCHECKED

    def _contradiction(self, assumed: frozenset[int]) -> Result | None:
        """The answer on assumptions that contradict each other, and are among these."""
        return next((found for core, found in self._contradictions if core <= assumed), None)

    def _verified(self, assumed: Mapping[int, Node], formula: Node, sure: Collection[Verdict]) -> Result:
        within_ms = self.budget.question_ms()
        if not within_ms:
            return _NO_TIME
        self.asked += 1
        named = [
            Assertion(f"p{at}", f"{at}", AssertionKind.FACT, node) for at, node in enumerate(assumed.values())
        ]
        claim = Claim(f"c{self.asked}", "claim", formula)
        doubting = sure if self._is_doubting else ()
        doubting_ms = self.budget.confirming_ms() if doubting else 0
        with self.budget.spending(within_ms):
            (found,) = self._ready().verify(
                [claim], [], assuming=named, within_ms=within_ms, doubting=doubting, doubting_ms=doubting_ms
            )
        if found.verdict is Verdict.UNKNOWN:
            self.budget.wasted()
        self._unchecked += found.verdict in doubting and found.trust == "solver"
        if found.verdict is Verdict.INCONSISTENT:
            self._contradictions.append((_core(found, list(assumed)), found))
        return found


def _assumed(defined: Iterable[Encoded], premises: Iterable[Encoded]) -> dict[int, Node]:
    """The node ids of premises, and of all that is known of them and of a claim where they are defined."""
    nodes: list[Node] = [node for each in defined for node in (*each.lemmas, *each.sides)]
    nodes += [each.formula for each in premises]
    return {node.id: node for node in nodes}


def _core(found: Result, assumed: Sequence[int]) -> frozenset[int]:
    """The assumptions that contradict each other, by their ids; all where the solver names none."""
    core = found.evidence.core
    return frozenset(assumed if core is None else (assumed[int(each.name)] for each in core))
