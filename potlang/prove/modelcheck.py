"""Whether a structure is a model: potlang's own evaluator computes every assertion in it ([MODEL-CHECK])."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from potlang.ir.evaluator import Evaluator, OutOfSteps, Survey
from potlang.ir.module import Assertion, Module
from potlang.ir.nodes import App, Node, Sym, Symbol, reachable
from potlang.ir.structure import NotEvaluable, Structure
from potlang.ir.values import Unspecified
from potlang.smt.models import SolverModel, complete
from potlang.utils.deadline import Deadline

MOST_STEPS = 2_000_000
MOST_MS = 2_000.0


class ModelCheck(NamedTuple):
    """The outcome of an evaluation.

    `holds`: True if all is true, False if `failed` (an assertion's key, or `side`) is false, None if
    nothing is false but `skipped` could not be evaluated, each with the reason.
    """

    holds: bool | None
    failed: str | None = None
    skipped: tuple[tuple[str, str], ...] = ()


def check_model(
    module: Module,
    assertions: Iterable[Assertion],
    side: Node | None,
    structure: Structure,
    *,
    most_ms: float = MOST_MS,
    most_steps: int = MOST_STEPS,
    survey: Survey | None = None,
) -> ModelCheck:
    """Evaluate the assertions and `side`, closed formulas over `module`, in `structure`.

    Symbols that the structure does not know have some meaning, as `potlang.smt.models.complete` gives
    them. What is false is skipped if it mentions a symbol whose meaning could not be read. Beyond the
    time or the steps, all that is left is skipped. `survey` is that of other checks over the module.
    """
    whole = complete(structure, module)
    evaluator = Evaluator(whole, most_steps, Deadline(most_ms), survey)
    skipped: list[tuple[str, str]] = []
    over: str | None = None
    for name, formula in _named(assertions, side):
        if over is None:
            try:
                if evaluator.value(formula) is not True:
                    reason = _unread(formula, whole)
                    if reason is None:
                        return ModelCheck(False, name, tuple(skipped))
                    skipped.append((name, reason))
                continue
            except OutOfSteps as failure:
                over = str(failure)
            except (NotEvaluable, Unspecified) as failure:
                skipped.append((name, str(failure) or "it divides by zero"))
                continue
        skipped.append((name, over))
    return ModelCheck(None if skipped else True, None, tuple(skipped))


def _named(assertions: Iterable[Assertion], side: Node | None) -> Iterable[tuple[str, Node]]:
    for assertion in assertions:
        yield assertion.key, assertion.formula
    if side is not None:
        yield "side", side


def _unread(formula: Node, structure: Structure) -> str | None:
    """Why a formula need not have the value that the structure gives it."""
    if not isinstance(structure, SolverModel) or not structure.unread:
        return None
    seen: set[Symbol] = set()
    waiting = [formula]
    while waiting:
        for node in reachable(waiting.pop()):
            symbol = node.symbol if isinstance(node, Sym) else node.op if isinstance(node, App) else None
            if not isinstance(symbol, Symbol) or symbol in seen:
                continue
            seen.add(symbol)
            if symbol in structure.unread:
                return f"the value of {symbol.name[:100]} is not read: {structure.unread[symbol]}"
            if symbol in structure.definitions:
                waiting.append(structure.definitions[symbol].body)
    return None
