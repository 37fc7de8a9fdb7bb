"""Who checked what: the pieces that a verdict rests on, at the best tier that time allows ([TIER-PIECE]).

A model is evaluated by `potlang.ir.evaluator`, a refutation is accepted by `potlang.certify`; what neither
can check is put to a second solver.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from potlang.engines.messages import Query
from potlang.ir.module import Assertion, Claim, Module
from potlang.ir.nodes import Node
from potlang.prove.asking import Asked, Asker, Budget, Reply
from potlang.prove.encoding import Encoding, Labels
from potlang.prove.evaluation import Evaluation, Evaluations
from potlang.prove.excerpt import excerpt
from potlang.prove.verdicts import Ask, Finding, Snapshot
from potlang.report.results import Assurance, Check, Limits, Tier, Verdict

if TYPE_CHECKING:
    from potlang.engines.ground.grounding import Grounder, Side
    from potlang.ir.structure import Structure
    from potlang.processes.pool import Workers

_CHECK_MS = 2_000
_MOST_GROUNDED = 500
_MOST_READ = 2_000


class Piece(NamedTuple):
    """One answer that a verdict rests on, and what shows it.

    `side` is `assumptions`, `claim` or `negation`. A sat answer has a `structure` if it was evaluated;
    an unsat one has the statements of a `refutation`, or else the `core` (keys) that `solvers` refuted.
    """

    side: str
    status: str
    tier: Tier
    by: str
    note: str = ""
    structure: Structure | None = None
    refutation: tuple[str, ...] = ()
    core: tuple[str, ...] = ()
    solvers: tuple[str, ...] = ()

    @property
    def assurance(self) -> Assurance:
        """What the report says of it."""
        return Assurance(self.side, self.status, self.tier, self.by, self.note)


class Assured(NamedTuple):
    """The pieces of one verdict, the checks made for them, and whether a second solver contradicted."""

    pieces: tuple[Piece, ...]
    checks: tuple[Check, ...] = ()
    disagreement: bool = False

    @property
    def tier(self) -> Tier:
        """The worst of the pieces'."""
        return max((piece.tier for piece in self.pieces), key=TIERS.index, default="solver")


class Proof(NamedTuple):
    """What a verdict on one claim rests on; `unknown` rests on nothing."""

    key: str
    verdict: Verdict
    pieces: tuple[Piece, ...]


TIERS: tuple[Tier, ...] = ("checked", "cross-checked", "solver")
"""The best first."""

SecondEngine = Callable[[str], Asked | None]
"""A session of another solver than the one named, its base not yet sent; None where there is none."""


class Assurer:
    """Raises the tiers of findings over one program.

    `module` is the program as compiled, for evidence is about that and not about what passes made of
    it; `lowered` is what the solvers were given.
    """

    def __init__(
        self, module: Module, lowered: Module, labels: Labels, second: SecondEngine, workers: Workers
    ) -> None:
        self._module = module
        self._workers = workers
        self._grounder: Grounder | None = None
        self._lowered = lowered
        self._labels = labels
        self._second = second
        self._askers: dict[str, Asker | None] = {}
        self._original = {each.key: each for each in module.assertions}
        self._claims = frozenset(each.key for each in (*module.claims, *module.norms))
        self._structures: dict[int, tuple[Reply, Structure | None]] = {}
        self.evaluations = Evaluations(module)
        self.budget = Budget(Limits())
        self.extra: tuple[Assertion, ...] = ()

    def close(self) -> None:
        """Give the second solvers back."""
        for asker in self._askers.values():
            for each in asker.everyone if asker is not None else ():
                each.engine.close()
        self._askers.clear()

    def forget(self) -> None:
        """The findings so far are done with."""
        self._structures.clear()
        self.evaluations.forget()

    def assume(self, extra: tuple[Assertion, ...]) -> None:
        """These are the assumptions on top of the program's."""
        if extra is not self.extra:
            self.extra = self.evaluations.extra = extra
            self._structures.clear()
            self.evaluations.renew()

    # --- what a verdict rests on ---

    def assure(self, finding: Finding, core: tuple[str, ...] | None, theta: Theta) -> Assured:
        """The pieces of a settled finding; `core` are the labels of what its unsat side needs."""
        work = _Work(self, finding, theta)
        match finding.verdict:
            case Verdict.ENTAILED:
                work.some_model("claim", finding.true_model)
                work.unsat("negation", core)
            case Verdict.REFUTED:
                work.some_model("negation", finding.false_model)
                work.unsat("claim", core)
            case Verdict.UNDETERMINED:
                work.sat("claim", finding.true_model)
                work.sat("negation", finding.false_model)
            case Verdict.INCONSISTENT:
                work.unsat("assumptions", core)
            case _:
                pass
        return Assured(tuple(work.pieces), tuple(work.checks), work.disagreement)

    def structure(self, reply: Reply) -> Structure | None:
        """The model of a sat reply, read once; None if there is none that can be read."""
        known = self._structures.get(id(reply))
        if known is None:
            known = self._structures[id(reply)] = reply, self._read(reply)
        return known[1]

    def _read(self, reply: Reply) -> Structure | None:
        if reply.structure is not None:
            return reply.structure()
        if reply.model is None or reply.encoding is None:
            return None
        from potlang.smt.models import Unreadable, read_structure

        try:
            return read_structure(reply.model, self._lowered, reply.encoding.dialect)
        except Unreadable:
            return None

    def evaluate(self, reply: Reply, side: Node | None) -> Evaluation:
        """Whether the model of a reply satisfies the assumptions and `side`."""
        structure = self.structure(reply)
        if structure is None:
            return Evaluation(None, "the model is too large or cannot be read")
        return self.evaluations.both(structure, side)

    def _place(self, side: Side, claim: Claim, core: Sequence[str]) -> Grounder:
        """The program that a refutation is about: as compiled, or where that does not say it, an excerpt.

        A claim or an assumption of a session is in no program; and of a large one a part is read faster.
        """
        from potlang.engines.ground.grounding import Grounder

        large = len(self._module.assertions) > _MOST_READ
        known = side == "assumptions" or claim.key in self._claims
        if known and not large and not self.extra:
            if self._grounder is None:
                self._grounder = Grounder(self._module, self._workers)
            return self._grounder
        part = excerpt(self._module, self.originals(core), claim, every_symbol=known and not self.extra)
        return Grounder(part, self._workers)

    def accepted(self, side: Side, claim: Claim, reply: Reply) -> tuple[str, ...] | None:
        """The statements of a refutation that came with a reply, if the kernel accepts them."""
        from potlang.certify import Invalid, Refutation

        place = self._place(side, claim, reply.core or ())
        lines = None if reply.refutation is None else reply.refutation(place.theory, side, claim)
        if lines is None:
            return None
        try:
            refutation = Refutation(place.theory, side, None if side == "assumptions" else claim.key)
            for line in lines:
                refutation.statement(line)
        except Invalid:
            return None
        return lines if refutation.refuted else None

    def refute(self, side: Side, claim: Claim, core: Sequence[str]) -> tuple[tuple[str, ...] | None, str]:
        """The statements of a ground refutation of a core, and its kind; or None and why there is none."""
        wanted = None if side == "assumptions" else claim
        place = self._place(side, claim, core)
        reason = "too many assumptions to ground"
        # Some arithmetic is refuted by what bounds the numbers, which need not be in a minimal core.
        for assertions in (self.originals(core), place.module.assertions):
            if len(assertions) <= _MOST_GROUNDED:
                found = place.refute(assertions, side, wanted)
                if found.status == "unsat":
                    return found.lines, "refutation"
                reason = found.reason
        return None, f"no ground refutation: {reason}"

    def originals(self, core: Sequence[str]) -> list[Assertion]:
        """The assumptions behind labels, as the program has them."""
        found = [pair[1] for name in core if (pair := self._labels.find(name)) is not None]
        return [self._original.get(each.key, each) for each in found]

    def second(self, by: str) -> Asker | None:
        """Another solver than `by`."""
        if by not in self._askers:
            engine = self._second(by)
            self._askers[by] = None if engine is None else Asker([engine], self.budget)
        asker = self._askers[by]
        if asker is not None:
            asker.budget = self.budget
        return asker

    def ask_second(
        self, side: str, formula: Node | None, by: str, core: Sequence[str] | None
    ) -> Reply | None:
        """The second solver's word on a side with the labelled assumptions, or with all of them."""
        asker = self.second(by)
        if asker is None:
            return None
        ask = Ask(side, formula, side == "negation")
        if core is None:
            asker.start(lambda encoding: encoding.base(named=False))
            assumed = list(self.extra)
        else:
            asker.start(lambda encoding: encoding.bare().declarations())
            assumed = [pair[1] for name in core if (pair := self._labels.find(name)) is not None]

        def build(encoding: Encoding) -> Query:
            words = encoding if core is None else encoding.bare()
            return Query("".join([words.assertion(each) for each in assumed]) + ask.text(words))

        return asker.ask(side, build, most_ms=_CHECK_MS)


class Theta(NamedTuple):
    """What is known of the assumptions alone."""

    reply: Reply | None
    model: Snapshot | None


class _Work:
    """The pieces of one finding, as they are found."""

    def __init__(self, assurer: Assurer, finding: Finding, theta: Theta) -> None:
        self.assurer = assurer
        self.finding = finding
        self.theta = theta
        self.pieces: list[Piece] = []
        self.checks: list[Check] = []
        self.disagreement = False

    def some_model(self, side: str, snapshot: Snapshot | None) -> None:
        """A model of the side, or of the assumptions: the other side being unsat, it is one of this too."""
        trivial = self.assurer.evaluations.trivial()
        if trivial is not None:
            self.pieces.append(Piece("assumptions", "sat", "checked", "evaluator", structure=trivial))
        elif snapshot is not None:
            self.sat(side, snapshot)
        else:
            self.sat("assumptions", self.theta.model)

    def sat(self, side: str, snapshot: Snapshot | None) -> None:
        """A sat answer, its model evaluated, or put to a second solver."""
        reply = snapshot.reply if snapshot is not None else None
        found = Evaluation(None, "no model was kept")
        formula = self._formula(side)
        if reply is not None:
            pool = self.assurer._module.pool
            wanted = pool.negate(formula) if formula is not None and side == "negation" else formula
            found = self.assurer.evaluate(reply, wanted)
            if found.holds:
                structure = self.assurer.structure(reply)
                self.pieces.append(Piece(side, "sat", "checked", "evaluator", structure=structure))
                return
        self._second(side, "sat", reply or self.theta.reply, found.note, None)

    def unsat(self, side: Side, core: tuple[str, ...] | None) -> None:
        """An unsat answer: refuted before the kernel, or put to a second solver."""
        reply = self._refuting(side)
        lines, note = self._refutation(side, reply, core or ())
        if lines is not None:
            self.pieces.append(Piece(side, "unsat", "checked", note, refutation=tuple(lines)))
            return
        self._second(side, "unsat", reply, note, core)

    def _refuting(self, side: str) -> Reply | None:
        if side == "assumptions":
            replies = [*self.finding.refutations.values()]
            return self.theta.reply or (replies[0] if replies else None)
        return self.finding.refutations.get(side)

    def _refutation(
        self, side: Side, reply: Reply | None, core: tuple[str, ...]
    ) -> tuple[Sequence[str] | None, str]:
        """The statements of an accepted refutation and what kind it is; or None and why there is none."""
        if reply is not None and reply.refutation is not None:
            lines = self.assurer.accepted(side, self.finding.claim, reply)
            if lines is not None:
                return lines, "derivation"
        return self.assurer.refute(side, self.finding.claim, core)

    def _second(
        self, side: str, status: str, reply: Reply | None, note: str, core: tuple[str, ...] | None
    ) -> None:
        by = "" if reply is None else reply.by
        keys = tuple(each.key for each in self.assurer.originals(core or ()))
        if reply is not None and reply.agreed:
            self.pieces.append(
                Piece(side, status, "cross-checked", by, note, core=keys, solvers=tuple(by.split("+")))
            )
            return
        answer = self.assurer.ask_second(side, self._formula(side), by, core)
        if answer is None or answer.status == "unknown":
            self.pieces.append(Piece(side, status, "solver", by, note, core=keys, solvers=(by,)))
            return
        if answer.status != status:
            self.disagreement = True
            self.checks += answer.checks
            return
        solvers = (by, answer.by) if by else (answer.by,)
        tier: Tier = "cross-checked" if by else "solver"
        self.pieces.append(Piece(side, status, tier, ", ".join(solvers), note, core=keys, solvers=solvers))

    def _formula(self, side: str) -> Node | None:
        return None if side == "assumptions" else self.finding.formula
