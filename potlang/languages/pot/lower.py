"""Lowering a program: the passes that it takes before it is solved, and its lowered forms as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from potlang.export import WAYS
from potlang.ir.module import Module
from potlang.passes.base import PassLimit
from potlang.passes.pipeline import read_pipeline
from potlang.passes.sent import SENT_PASSES, SentForm
from potlang.prove.options import OptionError
from potlang.utils.deadline import OutOfFuel
from potlang.utils.serialize import json_text

if TYPE_CHECKING:
    from potlang.expressions.surface import ParsedProgram
    from potlang.passes.pipeline import Callback, Pipeline

PLAIN_PASSES = "simplify"
"""The passes for all engines."""
DEFAULT_PASSES = f"{PLAIN_PASSES},{SENT_PASSES}"
"""The passes for solvers."""
Target = Literal["ir", "smt2", "pot"]
"""A lowered form: the textual IR, what solvers are sent, or PoT again."""


def lower(module: Module, pipeline: Pipeline) -> Module:
    """The module after the passes; as it was where one would blow it up, since passes keep its meaning.

    Raises OptionError for a pass that names a claim that is not there.
    """
    try:
        return pipeline.run(module)
    except (PassLimit, OutOfFuel):
        return module
    except KeyError as error:
        raise OptionError(f"a pass names a claim that is not there: {error}") from error


def divided(passes: str) -> tuple[Pipeline, str]:
    """The passes for all engines, and the text of the normal forms for solvers alone ([PASS-SENT-1])."""
    if passes == DEFAULT_PASSES:
        # The usual forms are not imported unless a formula needs them.
        return read_pipeline(PLAIN_PASSES), SENT_PASSES
    plain, forms = read_pipeline(passes).divided()
    return plain, str(forms)


def passes_for(target: str) -> str:
    """The usual passes before a program is written: those of what is solved, or of all engines.

    There are none for another tool, which is shown what was written.
    """
    if target in WAYS:
        return ""
    return DEFAULT_PASSES if target == "smt2" else PLAIN_PASSES


def emit_after(
    pipeline: Pipeline,
    module: Module,
    target: Target,
    callback: Callback | None = None,
    cited: ParsedProgram | None = None,
) -> str:
    """A module as text after a pipeline, with each formula in SMT-LIB text as solvers are sent it.

    `callback` sees each pass; `cited` is the program as it was read, whose citations PoT keeps. Raises as
    `emit` and the passes do.
    """
    plain, forms = pipeline.divided()
    # Programs have dates and money; numbers stand for them only where engines read.
    module = module.typed or module if target == "pot" else module
    if target != "smt2":
        return emit(pipeline.run(module, callback), target, cited=cited)
    if callback is not None:
        pipeline.run(module, callback)
    return emit(plain.run(module), target, SentForm(str(forms)))


def emit(
    module: Module, target: Target, sent: SentForm | None = None, cited: ParsedProgram | None = None
) -> str:
    """A module as text, for `smt2` in the form `sent`, for `pot` with the citations of `cited`.

    Raises ValueError for an unknown target.
    """
    match target:
        case "ir":
            from potlang.ir.text import print_module

            return print_module(module)
        case "smt2":
            from potlang.smt.printer import script

            return script(module, sent=sent)
        case "pot":
            from potlang.sema.emit import module_to_pot

            return json_text(module_to_pot(module, cited)) + "\n"
    raise ValueError(f"unknown target {target!r}: one of ir, smt2, pot")
