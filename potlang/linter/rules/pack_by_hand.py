"""POT9043: rules that say what a pack of the standard library says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from potlang.diag import Applicability, Edit, Fix, Label, Patch
from potlang.ir.module import AssertionKind
from potlang.ir.nodes import Node, Quant, is_flat, reachable, symbols_in
from potlang.linter.catalogue import CataloguedPack, catalogue, occurrences
from potlang.linter.linted import LintedProgram, Statement, said
from potlang.linter.matching import Renaming, forms_of, renamed
from potlang.linter.pack_axioms import listed
from potlang.linter.rule import LintFinding, LintRule
from potlang.sema.emit import sort_text

if TYPE_CHECKING:
    from potlang.linter.questions import Questions


class _ByHand(NamedTuple):
    """Statements of a program that together say what a pack says."""

    pack: CataloguedPack
    renaming: Renaming
    statements: list[Statement]
    axioms: list[Node]


class _Statements:
    """Statements that may be replaced; formulas that say the same are one, which is asked about once."""

    def __init__(self, statements: list[Statement]) -> None:
        self.all = statements
        self._known: dict[object, Node] = {said(each.formula): each.formula for each in statements}

    def same(self, formula: Node) -> Node:
        """The formula that is known for this one: it differs in the names of variables at most."""
        return self._known.setdefault(said(formula), formula)


def _ask(program: LintedProgram, questions: Questions) -> Iterator[LintFinding]:
    statements = _Statements(_replaceable(program))
    forms = forms_of(program.module.pool, [each.formula for each in statements.all])
    told: set[str] = set()
    for pack in catalogue() if forms else ():
        for renaming in occurrences(pack, forms):
            found = _said_by_hand(program, questions, statements, pack, renaming)
            pointers = {each.pointer for each in found.statements}
            # Packs come with the largest first: a smaller one that says part of it is not said again.
            if found.statements and not pointers <= told:
                told |= pointers
                yield _finding(program, found)


def _replaceable(program: LintedProgram) -> list[Statement]:
    """Quantified facts and rules on which no other rule's exceptions rest."""
    return [
        each
        for each in (*program.facts, *program.rules)
        if each.pointer not in program.ranked and _is_general(each.formula)
    ]


def _is_general(formula: Node) -> bool:
    return not is_flat(formula) and any(isinstance(node, Quant) for node in reachable(formula))


def _said_by_hand(
    program: LintedProgram,
    questions: Questions,
    statements: _Statements,
    pack: CataloguedPack,
    renaming: Renaming,
) -> _ByHand:
    """The statements that the pack says, if these say all that the pack says; else none."""
    pool = program.module.pool
    axioms = [statements.same(renamed(pool, each, renaming)) for each in pack.axioms]
    own = set(renaming.symbols.values())
    about = [each for each in statements.all if own.issuperset(symbols_in(each.formula))]

    def follow(formulas: list[Node], premises: list[Node]) -> bool:
        known = set(premises)
        return all(each in known or questions.impossible(*premises, pool.negate(each)) for each in formulas)

    found: list[Statement] = []
    if follow(axioms, [statements.same(each.formula) for each in about]) and not questions.impossible(
        *axioms
    ):
        found = [each for each in about if follow([statements.same(each.formula)], axioms)]
        if not follow(axioms, [statements.same(each.formula) for each in found]):
            found = []
    return _ByHand(pack, renaming, found, axioms)


def _finding(program: LintedProgram, found: _ByHand) -> LintFinding:
    first, *others = found.statements
    titles = [each.title for each in found.statements]
    return LintFinding(
        first.place,
        {"statements": listed(titles), "say": "say" if others else "says", "pack": found.pack.name},
        labels=tuple(Label(each.place, "and this") for each in others),
        helps=(f"import `{json.dumps(_item(found))}` in {'their' if others else 'its'} place",),
        fixes=(_fix(program, found),),
    )


def _fix(program: LintedProgram, found: _ByHand) -> Fix:
    """The statements are replaced by the import, which was proved to be equivalent."""
    removed = [Patch("remove", each.pointer) for each in reversed(found.statements)]
    axioms = {said(each) for each in found.axioms}
    imported = {said(each.formula) for each in program.module.assertions if each.kind is AssertionKind.PACK}
    edits: tuple[Edit, ...] = tuple(removed)
    if not axioms <= imported:
        edits = (*removed, Patch.append(_item(found), "/imports", bool(program.tree.imports)))
    # What makes a closed predicate true depends on the form of its rules, not on what they say alone.
    closed = {each.name for each in program.tree.functions if each.closed}
    is_safe = closed.isdisjoint(each.name for each in found.renaming.symbols.values())
    title = f"import `{found.pack.name}` instead"
    return Fix(title, Applicability.SAFE if is_safe else Applicability.UNSAFE, edits)


def _item(found: _ByHand) -> object:
    """The item of `imports`; parameters of the same name are bound without being named."""
    sorts = found.renaming.sorts
    pairs = [(each.name, sort_text(sorts[each])) for each in found.pack.sorts if each in sorts]
    pairs += [(each.name, found.renaming.symbols[each].name) for each in found.pack.symbols]
    bound = {parameter: name for parameter, name in pairs if parameter != name}
    return {"pack": found.pack.name, "with": bound} if bound else found.pack.name


RULE = LintRule("POT9043", ask=_ask)
