"""Axioms of the packs that a program imports, by import, and minimal clashes of premises."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from potlang.diag import Label, Place
from potlang.ir.module import Assertion, AssertionKind
from potlang.ir.nodes import Node
from potlang.linter.linted import LintedProgram
from potlang.words.parts import Unsayable
from potlang.words.speaker import Speaker

if TYPE_CHECKING:
    from potlang.linter.questions import Questions


class ImportedAxioms(NamedTuple):
    """The axioms that one item of `imports` brings, packs that it imports itself included."""

    pointer: str
    axioms: tuple[Assertion, ...]


def imported_axioms(program: LintedProgram) -> list[ImportedAxioms]:
    """The axioms of each import, in the order of `imports`."""
    found: dict[str, list[Assertion]] = {}
    for each in program.module.assertions:
        if each.kind is AssertionKind.PACK:
            found.setdefault(each.origin.pointer, []).append(each)
    return [ImportedAxioms(pointer, tuple(axioms)) for pointer, axioms in found.items()]


def smallest_clash(
    questions: Questions, given: Iterable[Assertion], with_: Sequence[Node] = ()
) -> list[Assertion]:
    """Of assertions that have no model together and with the formulas `with_`, a part that has none either.

    Nothing of it can be left out, as far as the solver decides. What comes first is left out first. Raises
    `OutOfBudget`.
    """
    kept = list(given)
    step = max(1, len(kept) // 2)
    while True:
        at = 0
        while at < len(kept):
            fewer = kept[:at] + kept[at + step :]
            if questions.impossible(*with_, *(each.formula for each in fewer)):
                kept = fewer
            else:
                at += step
        if step == 1:
            return kept
        step //= 2


def parts_of(program: LintedProgram, clash: Iterable[Assertion]) -> list[str]:
    """The names of the packs and the titles of the statements that a clash is between, each once."""
    titles = {each.pointer: each.title for each in (*program.facts, *program.rules)}
    # The pack that is imported, which may have an axiom from another one.
    titles |= {each.pointer: f"`{each.pack}`" for each in program.tree.imports}
    return list(dict.fromkeys(titles.get(each.origin.pointer, f"`{each.name}`") for each in clash))


def said_in_words(program: LintedProgram, clash: Iterable[Assertion]) -> tuple[str, ...]:
    """Each assertion with its formula over the program's symbols, and as a sentence where there is one."""
    speaker = Speaker(program.program.extension, program.tree)
    return tuple(f"{each.name}: {_with_words(program, speaker, each.formula)}" for each in clash)


def _with_words(program: LintedProgram, speaker: Speaker, formula: Node) -> str:
    text = program.text(formula)
    try:
        return f"`{text}` ({speaker.say(text)})"
    except Unsayable:
        return f"`{text}`"


def other_places(clash: Iterable[Assertion], first: str) -> tuple[Label, ...]:
    """Labels on the places of a clash but the first one."""
    places = dict.fromkeys(each.origin.pointer for each in clash)
    return tuple(Label(Place(each), "and this") for each in places if each and each != first)


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
