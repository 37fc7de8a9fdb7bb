"""The questions about one solution: statements in the IR, and one warm solver session for all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from potlang.ir.module import Assertion, AssertionKind, Claim, Module
from potlang.ir.pool import Pool
from potlang.languages.dagmath.lower.encoding import Encoded, Encoder
from potlang.report.results import Limits, Result, Verdict
from potlang.utils.closing import Closing
from potlang.utils.deadline import Deadline

if TYPE_CHECKING:
    from potlang.ir.nodes import Node
    from potlang.processes.pool import Workers
    from potlang.prove.options import Trust
    from potlang.prove.prover import Prover

_QUESTION_MS: Final = 500
_SECOND_MS: Final = 300
_WASTED_MS: Final = 1_000
_SHORT_MS: Final = 60
"""Time of a question where earlier ones of the solution took `_WASTED_MS` without an answer."""
_SETTLING: Final = (Verdict.ENTAILED, Verdict.REFUTED, Verdict.INCONSISTENT)


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
        self._provers: dict[Trust, Prover] = {}
        self._symbols = 0
        self._wasted_ms = 0.0
        self._known: dict[tuple[frozenset[int], int], Result] = {}
        self._deadline = Deadline(limits.total_ms)

    @property
    def left_ms(self) -> int:
        """The time that is left for the solution."""
        return self._deadline.left_ms()

    def close(self) -> None:
        """Give the solver back, if there is one; the next question starts another."""
        for prover in self._provers.values():
            prover.close()
        self._provers.clear()

    def _ready(self, trust: Trust) -> Prover:
        """A prover that knows all symbols there are."""
        from potlang.prove.options import ProverOptions
        from potlang.prove.prover import Prover

        symbols = self.encoder.symbols
        if len(symbols) != self._symbols:
            self.close()
            self._symbols = len(symbols)
        if trust not in self._provers:
            module = Module(self.encoder.pool, symbols=symbols)
            options = ProverOptions(trust=trust, minimize_cores=False)
            self._provers[trust] = Prover(module, options, self._limits, self._workers)
        return self._provers[trust]

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
        within = min(self.left_ms, _QUESTION_MS if self._wasted_ms < _WASTED_MS else _SHORT_MS)
        began = Deadline(math.inf)
        (found,) = self._ready("solver").verify([claim], [], assuming=named, within_ms=within)
        if found.verdict is Verdict.UNKNOWN:
            self._wasted_ms += began.spent_ms()
        if self._trust == "solver" or found.verdict not in _SETTLING:
            return found
        # Only what settles a step is worth a second opinion: most questions are left open.
        within = min(self.left_ms, _SECOND_MS)
        (checked,) = self._ready("best").verify([claim], [], assuming=named, within_ms=within)
        return found if checked.verdict is Verdict.UNKNOWN and checked.reason != "disagreement" else checked
