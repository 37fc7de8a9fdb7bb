"""POT9042: a symbol that a pack defines, and that another pack or the program defines differently."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from potlang.diag import Label, Place
from potlang.ir import operators as op
from potlang.ir.module import Assertion, AssertionKind
from potlang.ir.nodes import App, Node, Quant, Symbol, Var, reachable
from potlang.linter.linted import LintedProgram, said
from potlang.linter.pack_axioms import parts_of, said_in_words
from potlang.linter.rule import LintFinding, LintRule

if TYPE_CHECKING:
    from potlang.linter.questions import Questions


class _Defining(NamedTuple):
    assertion: Assertion
    source: str
    """An import, or the program."""


def _ask(program: LintedProgram, questions: Questions) -> Iterator[LintFinding]:
    for symbol, found in _definitions(program).items():
        for one, other in combinations(found, 2):
            # Of the program's own definitions other rules speak.
            if one.source != other.source and _differ(program, questions, one.assertion, other.assertion):
                yield _finding(program, symbol, one.assertion, other.assertion)


def _definitions(program: LintedProgram) -> dict[Symbol, list[_Defining]]:
    found: dict[Symbol, list[_Defining]] = {}
    for each in program.module.assertions:
        symbol = _defined(each.formula)
        if symbol is not None:
            source = each.origin.pointer if each.kind is AssertionKind.PACK else ""
            found.setdefault(symbol, []).append(_Defining(each, source))
    return found


def _defined(formula: Node) -> Symbol | None:
    """The symbol that an equivalence or an equation says everything about: `for all x: p(x) iff ...`."""
    if not isinstance(formula, Quant) or formula.kind != "forall":
        return None
    body = formula.body
    if not isinstance(body, App) or body.op not in (op.IFF, op.EQ):
        return None
    for side, other in (body.args, body.args[::-1]):
        if isinstance(side, App) and isinstance(side.op, Symbol) and _are_all(side.args, formula.binders):
            others = (node.op for node in reachable(other) if isinstance(node, App))
            return None if side.op in others else side.op
    return None


def _are_all(arguments: tuple[Node, ...], binders: tuple[Var, ...]) -> bool:
    return len(arguments) == len(binders) and set(arguments) == set(binders)


def _differ(program: LintedProgram, questions: Questions, one: Assertion, other: Assertion) -> bool:
    """Whether something may be so by one definition and not by the other, for all that else is said."""
    if said(one.formula) == said(other.formula):
        return False
    negate = program.module.pool.negate
    rest = [each.formula for each in program.module.assertions if each not in (one, other)]
    return questions.possible(one.formula, negate(other.formula), *rest) or questions.possible(
        other.formula, negate(one.formula), *rest
    )


def _finding(program: LintedProgram, symbol: Symbol, one: Assertion, other: Assertion) -> LintFinding:
    first, second = (parts_of(program, [each])[0] for each in (one, other))
    return LintFinding(
        Place(other.origin.pointer),
        {"name": symbol.name, "one": first, "other": second},
        labels=(Label(Place(one.origin.pointer), "the first definition"),),
        notes=said_in_words(program, [one, other]),
        helps=(
            "bind one of them to another symbol: with both, what they say has to be the same of everything",
        ),
    )


RULE = LintRule("POT9042", ask=_ask)
