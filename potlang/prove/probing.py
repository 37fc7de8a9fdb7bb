"""Satisfiability asked for in passing: one check, no evidence, and what other formulas are in the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from potlang.engines.check import Check
from potlang.ir.evaluator import Evaluator
from potlang.ir.module import Module
from potlang.ir.nodes import Node
from potlang.ir.structure import NotEvaluable
from potlang.ir.values import Unspecified
from potlang.prove.switches import is_watchable
from potlang.prove.verdicts import Verifier
from potlang.smt.models import complete

if TYPE_CHECKING:
    from potlang.ir.structure import Structure

_MOST_WATCHED = 256


class Probe(NamedTuple):
    """An answer: `truths` holds what the model says of watched formulas by node id, as far as it is known."""

    status: Literal["sat", "unsat", "unknown"]
    truths: Mapping[int, bool]
    reason: str | None = None


def probe(verifier: Verifier, module: Module, formula: Node, watched: Sequence[Node]) -> Probe:
    """Puts `formula` to the verifier's assumptions; `module` is the program that a structure is one of."""
    told = [each for each in dict.fromkeys(watched) if is_watchable(each)][:_MOST_WATCHED]
    result = verifier.check(Check("claim", formula, wanted=tuple(told)), model=False)
    if result.status == "unsat":
        return Probe("unsat", {})
    if result.status != "sat":
        return Probe("unknown", {}, result.reason or "incomplete")
    if result.values is not None:
        pairs = zip(told, result.values, strict=True)
        return Probe("sat", {node.id: value == "true" for node, value in pairs if value in ("true", "false")})
    structure = None if result.structure is None else result.structure()
    return Probe("sat", {} if structure is None else _evaluated(structure, module, told))


def _evaluated(structure: Structure, module: Module, formulas: Sequence[Node]) -> dict[int, bool]:
    evaluator = Evaluator(complete(structure, module))
    found: dict[int, bool] = {}
    for formula in formulas:
        try:
            found[formula.id] = evaluator.value(formula) is True
        except (NotEvaluable, Unspecified):
            continue
    return found
