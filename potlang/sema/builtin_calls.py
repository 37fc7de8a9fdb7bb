"""A function of the language: how many arguments it takes, and how a call of it is elaborated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING

from potlang.expressions import surface as s
from potlang.ir.operators import Operator
from potlang.ir.sorts import Sort
from potlang.sema.advice import are, count
from potlang.sema.binders import binder_form

if TYPE_CHECKING:
    from potlang.sema.elaborate import Build, Elaborator, Visit


@dataclass(frozen=True, slots=True)
class Builtin:
    """A function of the language.

    `usage` is a call of it, as helps show one, where the number of its arguments is fixed. `row` is the
    operator that it stands for, if it is one: `emit` writes that operator by this name.
    """

    build: Build
    usage: str = ""
    row: Operator | None = None

    def __call__(self, e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        """Elaborates a call; a wrong number of arguments is reported."""
        if self.usage and len(expr.args) != (wanted := self.usage.count(",") + 1):
            wrong_number(e, expr, len(expr.args), wanted, self.usage)
            return visit_all(e, expr.args) if binder_form(e, expr.args) is None else None
        return self.build(e, expr, expected)


def called_name(expr: s.Call) -> str:
    """The name of the function that is called."""
    assert isinstance(expr.head, s.Name)
    return expr.head.id


def wrong_number(e: Elaborator, expr: s.Call, found: int, wanted: int, usage: str) -> None:
    """POT3002 for a function of the language."""
    name = called_name(expr)
    meant = _meant_call(e, expr, name)
    e.report(
        "POT3002",
        expr,
        name=name,
        expected=count(wanted, "argument"),
        found=are(found),
        helps=[f"write `{meant or usage}`"],
        fixes=[e.replace(expr, meant, f"write `{meant}`")] if meant else [],
    )


def _meant_call(e: Elaborator, expr: s.Call, name: str) -> str | None:
    """The help for an implication of several premises, a choice of one value, a negation of several."""
    texts = [e.text_of(arg) for arg in expr.args]
    if any(isinstance(arg, s.ListOf | s.Binding) for arg in expr.args):
        return None
    if name == "Implies" and len(texts) > 2:
        return f"Implies(And({', '.join(texts[:-1])}), {texts[-1]})"
    if name in ("If", "Ite") and len(texts) == 2:
        return f"Implies({', '.join(texts)})"
    if name == "Not" and len(texts) > 1:
        return f"Not(And({', '.join(texts)}))"
    return None


def visit_all(e: Elaborator, args: Sequence[s.Expr]) -> Visit:
    """For the arguments' own errors; the call itself is in error."""
    terms = [arg for arg in args if not isinstance(arg, s.ListOf | s.Binding)]
    return e.gather(terms, repeat(None), lambda nodes: None)


def operator_call(usage: str, row: Operator, *sorts: Sort) -> Builtin:
    """An operator whose arguments have known sorts."""

    def build(e: Elaborator, expr: s.Call, expected: Sort | None) -> Visit:
        return e.gather_fitted(expr.args, sorts, lambda nodes: e.pool.app(row, tuple(nodes)))

    return Builtin(build, usage, row)
