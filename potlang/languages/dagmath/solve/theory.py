"""The questions about one solution: statements in the IR, and one warm solver session for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from potlang.ir.module import Assertion, AssertionKind, Claim, Module
from potlang.ir.pool import Pool
from potlang.languages.dagmath.lower.encoding import Encoded, Encoder
from potlang.report.results import Limits, Result
from potlang.utils.closing import Closing
from potlang.utils.deadline import Deadline

if TYPE_CHECKING:
    from potlang.ir.nodes import Node
    from potlang.processes.pool import Workers
    from potlang.prove.options import Trust
    from potlang.prove.prover import Prover


class StepTheory(Closing):
    """A context manager; a solver starts with the first question, and again only for new symbols."""

    def __init__(
        self, integers: frozenset[str], limits: Limits, trust: Trust, workers: Workers | None
    ) -> None:
        self.encoder = Encoder(Pool(), integers)
        self.asked = 0
        self._limits = limits
        self._trust = trust
        self._workers = workers
        self._prover: Prover | None = None
        self._symbols = 0
        self._known: dict[tuple[frozenset[int], int], Result] = {}
        self._deadline = Deadline(limits.total_ms)

    @property
    def left_ms(self) -> int:
        """The time that is left for the solution."""
        return self._deadline.left_ms()

    def close(self) -> None:
        """Give the solver back, if there is one; the next question starts another."""
        if self._prover is not None:
            self._prover.close()
            self._prover = None

    def _ready(self) -> Prover:
        """A prover that knows all symbols there are."""
        from potlang.prove.options import ProverOptions
        from potlang.prove.prover import Prover

        symbols = self.encoder.symbols
        if self._prover is None or len(symbols) != self._symbols:
            self.close()
            self._symbols = len(symbols)
            module = Module(self.encoder.pool, symbols=symbols)
            options = ProverOptions(trust=self._trust, minimize_cores=False)
            self._prover = Prover(module, options, self._limits, self._workers)
        return self._prover

    def ask(self, premises: Sequence[Encoded], claim: Encoded) -> Result:
        """Verify the claim under the premises, both taken to be defined; memoised by node ids."""
        assumed: dict[int, Node] = {}
        for each in (*premises, claim):
            for node in (*each.lemmas, *each.sides):
                assumed[node.id] = node
        for each in premises:
            assumed[each.formula.id] = each.formula
        # Steps rest on the same premises again and again, and missing ones are looked for by trying.
        key = (frozenset(assumed), claim.formula.id)
        if key not in self._known:
            self._known[key] = self._verified(list(assumed.values()), claim.formula)
        return self._known[key]

    def _verified(self, assumed: Sequence[Node], formula: Node) -> Result:
        self.asked += 1
        named = [
            Assertion(f"p{at}", f"premise {at}", AssertionKind.FACT, node) for at, node in enumerate(assumed)
        ]
        claim = Claim(f"c{self.asked}", "claim", formula)
        (found,) = self._ready().verify([claim], [], assuming=named, within_ms=self.left_ms)
        return found
