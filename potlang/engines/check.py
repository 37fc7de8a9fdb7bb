"""A check and its result: what the prover asks, whoever answers.

Solver sessions and decision procedures all decide whether some assumptions have a model together with
one formula. The answer comes with a model, or with the assumptions that its refutation uses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from potlang.engines.messages import Query
from potlang.ir.module import Assertion, Claim
from potlang.ir.nodes import Node
from potlang.report.results import CheckRecord

if TYPE_CHECKING:
    from potlang.certify import Theory
    from potlang.engines.encoding import Encoding
    from potlang.ir.structure import Structure

Known = Literal["sat", "unsat", "unknown"] | None
"""A check's status; None: not asked."""
SideName = Literal["assumptions", "claim", "negation"]
"""Added to the assumptions: nothing, a claim, or its negation."""
MakeLines = Callable[["Theory", str, "Claim | None"], "tuple[str, ...] | None"]
"""Makes a refutation's statements before the kernel's reading of a program with the core and the claim."""


class Check(NamedTuple):
    """Whether assumptions have a model in which `formula` holds, or its negation if `negated`.

    `name` says in the report what is checked. `formula` None: the assumptions alone. `wanted` are terms to
    evaluate in a model, and `claim` is the claim whose side the formula is, if it is one. `assumptions`
    come on top of the program's; where `alone`, they are all there are. `core` asks a solver for the
    assumptions used, and `model` for the whole model; decision procedures always know them. Formulas are
    those of the lowered module: after the pass `simplify`, `1 == 2` is the literal False.
    """

    name: str
    formula: Node | None = None
    negated: bool = False
    wanted: tuple[Node, ...] = ()
    claim: Claim | None = None
    assumptions: tuple[Assertion, ...] = ()
    alone: bool = False
    core: bool = True
    model: bool = False

    @property
    def side(self) -> SideName:
        """The side of a claim that is checked; without a formula the assumptions alone."""
        if self.formula is None:
            return "assumptions"
        return "negation" if self.negated else "claim"

    def query(self, encoding: Encoding) -> Query:
        """The check in a solver's words. Raises `Unsupported` where it has none."""
        words = encoding.bare() if self.alone else encoding
        text = "".join([words.assertion(each) for each in self.assumptions])
        text += words.goal(self.formula, negated=self.negated)
        return Query(text, tuple([words.term(node) for node in self.wanted]), self.core, self.model)


ASSUMPTIONS = Check("assumptions")
"""Whether the assumptions alone have a model."""


class CheckResult(NamedTuple):
    """The answer of one or several engines to one check.

    `values`, `core` and `model` are `encoding`'s words. `by` names who gave the status. `agreed`: two
    solvers gave it. `disagreement`: one said sat and the other unsat; the status is then unknown.
    Decision procedures give in place of texts `structure`, which makes the model, and `refutation`,
    which makes the statements of a proof.
    """

    status: Known
    reason: str | None
    checks: tuple[CheckRecord, ...]
    encoding: Encoding | None = None
    values: tuple[str, ...] | None = None
    core: tuple[str, ...] | None = None
    agreed: bool = False
    disagreement: bool = False
    by: str = ""
    model: str | None = None
    structure: Callable[[], Structure | None] | None = None
    refutation: MakeLines | None = None


class DecisionProcedure(Protocol):
    """Decides checks of one fragment in this process, or leaves them to others.

    `name` is what reports call it. The module, on top of which a check is, is given to the constructor.
    """

    name: str

    def decide(self, check: Check) -> CheckResult | None:
        """The result; None where the check is beyond the fragment, or the procedure's allowance.

        It has one `CheckRecord`, the module's `encoding` and `by`, this procedure's name. With sat comes
        `structure`, a model of the assumptions and the side (what these do not mention may be left out), and
        with unsat `core`: the names (`AssertionNames.name`) of assumptions that suffice, none where the side
        is false by itself.
        Without `refutation` others than this procedure look for a proof. `decide` is also asked about
        subsets of the assumptions (`alone`), many times, to make a core minimal.
        """
