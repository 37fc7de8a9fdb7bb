"""The tiers of what an optimum rests on: models evaluated, second opinions ([TIER-OPTIMUM])."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from potlang.engines.check import CheckResult
from potlang.engines.ground.grounding import Grounded, Grounder, GroundLimits
from potlang.ir.module import Claim
from potlang.prove.cross_check import CrossChecker, ProofObligation
from potlang.prove.modelcheck import check_model
from potlang.report.results import TrustLevel

if TYPE_CHECKING:
    from potlang.prove.objective import Piece, ProgramModels

_CHECK_MS = 2_000
_GROUND_MS = 300
_MOST_INSTANCES = 600
_MOST_GROUNDED = 200
_MOST_TRIED = 3


def assured(checker: CrossChecker, models: ProgramModels, piece: Piece) -> ProofObligation | None:
    """The piece at the best tier that can be had; None if a second solver contradicts it."""
    by = piece.result.by
    if piece.family:
        # Its evaluation is how it was found to be a family at all: there is nothing to add.
        note = "true for every large enough value of a parameter"
        return ProofObligation(
            piece.name, "sat", "checked", "evaluator", note, piece.structure, solvers=("evaluator",)
        )
    note = ""
    if piece.status == "sat":
        note = _why_not(models, piece)
        if not note:
            return ProofObligation(piece.name, "sat", "checked", "evaluator", structure=piece.structure)
    core = tuple(each.key for each in checker.originals(piece.result.core or ()))
    if piece.status == "unsat":
        found = _refuted(models, piece, frozenset(core))
        if found.lines:
            return ProofObligation(
                piece.name, "unsat", "checked", "refutation", refutation=found.lines, core=core
            )
        note = f"no ground refutation: {found.reason}"
    if piece.result.agreed:
        solvers = tuple(by.split("+"))
        return ProofObligation(
            piece.name, piece.status, "cross-checked", ", ".join(solvers), note, core=core, solvers=solvers
        )
    answer = _second(checker, models, piece)
    if answer is None or answer.status == "unknown":
        return ProofObligation(piece.name, piece.status, "solver", by, note, core=core, solvers=(by,))
    if answer.status != piece.status:
        return None
    solvers = (by, answer.by) if by else (answer.by,)
    trust: TrustLevel = "cross-checked" if by else "solver"
    return ProofObligation(
        piece.name, piece.status, trust, ", ".join(solvers), note, core=core, solvers=solvers
    )


def _refuted(models: ProgramModels, piece: Piece, core: frozenset[str]) -> Grounded:
    """A refutation of the conditions that the kernel accepts, from the core or, that failing, from all."""
    pool = models.original.pool
    claim = Claim("goal", "goal", pool.conj(each.original for each in piece.conditions))
    every = models.assumed
    if len(every) > _MOST_GROUNDED:
        return Grounded("unknown", "too many assumptions to ground")
    # The pieces of one optimization are much alike: where some were not refuted, others will not be.
    if models.not_grounded == _MOST_TRIED or models.over:
        return Grounded("unknown", "others like it were not refuted")
    program = replace(models.original, assertions=every, claims=(claim,), norms=(), optimization=None)
    grounder = Grounder(program, models.workers)
    # Rounds that add axioms alone are ended by their number: sums make many of them.
    limits = GroundLimits(_GROUND_MS, instances=_MOST_INSTANCES, terms=_MOST_INSTANCES)
    found = grounder.refute([each for each in every if each.key in core], "claim", claim, limits)
    if found.status != "unsat" and len(core) < len(every):
        # Some arithmetic is refuted by what bounds the numbers, which need not be in a core.
        found = grounder.refute(every, "claim", claim, limits)
    models.not_grounded = 0 if found.status == "unsat" else models.not_grounded + 1
    return found


def _why_not(models: ProgramModels, piece: Piece) -> str:
    """Why the evaluator does not stand for a model; nothing if it does."""
    if piece.structure is None:
        return "the model is too large or cannot be read"
    side = models.original.pool.conj(each.original for each in piece.conditions)
    found = check_model(models.original, models.assumed, side, piece.structure)
    if found.holds is False:
        return f"{found.failed} is false in the model"
    return "" if found.holds else f"not evaluated: {found.skipped[0][1]}"


def _second(checker: CrossChecker, models: ProgramModels, piece: Piece) -> CheckResult | None:
    """Another solver's answer to the same question."""
    second = checker.second(piece.result.by)
    if second is None:
        return None
    second.start(lambda encoding: encoding.base(named=False))
    return models.ask(piece.conditions, dispatcher=second, most_ms=_CHECK_MS)
