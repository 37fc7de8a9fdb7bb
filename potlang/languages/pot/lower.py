"""Lowering a program: the passes that it takes before it is solved, and its lowered forms as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from potlang.ir.module import Module
from potlang.prove.options import OptionError

if TYPE_CHECKING:
    from potlang.passes.pipeline import Pipeline

DEFAULT_PASSES = "simplify"
Target = Literal["ir", "smt2", "pot"]
"""A lowered form: the textual IR, what solvers are sent, or PoT again."""


def lower(module: Module, pipeline: Pipeline) -> Module:
    """The module after the passes; as it was where one would blow it up, since passes keep its meaning.

    Raises OptionError for a pass that names a claim that is not there.
    """
    from potlang.passes.base import PassLimit

    try:
        return pipeline.run(module)
    except PassLimit:
        return module
    except KeyError as error:
        raise OptionError(f"a pass names a claim that is not there: {error}") from error


def emit(module: Module, target: Target) -> str:
    """A module as text. Raises ValueError for an unknown target."""
    match target:
        case "ir":
            from potlang.ir.text import print_module

            return print_module(module)
        case "smt2":
            from potlang.smt.printer import script

            return script(module)
        case "pot":
            import json

            from potlang.sema.emit import module_to_pot

            return json.dumps(module_to_pot(module), indent=2, ensure_ascii=False) + "\n"
    raise ValueError(f"unknown target {target!r}: one of ir, smt2, pot")
