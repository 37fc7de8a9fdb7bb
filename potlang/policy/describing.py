"""Policies by their words and rules, for people and models that ask them ([POLICY-DESCRIBE])."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from potlang.expressions.surface import FactDecl, StatementDecl
from potlang.languages.pot.program import Program
from potlang.models.programs.vocabulary import signature, vocabulary
from potlang.policy.cases import program_value
from potlang.policy.left_to_cases import left_to_cases
from potlang.words.speaker import Speaker
from potlang.words.verdicts import ranked_statement


class SpokenRule(NamedTuple):
    """A fact or a rule of a policy: its name, its place, and its sentence, or its text where it has none."""

    name: str
    pointer: str
    sentence: str


class DescribedFunction(NamedTuple):
    """A function of a policy with its sorts, as `days(Item): Int`, and the description that it has."""

    signature: str
    description: str


class PolicyDescription(NamedTuple):
    """The content of a policy: its description, its functions and names, its facts and rules in sentences.

    `vocabulary` has all functions in its first line, and the names of each sort in another. `left_to_cases`
    are its predicates that are false unless a case says otherwise.
    """

    description: str
    vocabulary: tuple[str, ...]
    rules: tuple[SpokenRule, ...]
    left_to_cases: tuple[str, ...] = ()
    functions: tuple[DescribedFunction, ...] = ()


def describe(program: Program) -> PolicyDescription:
    """The description of a policy."""
    description = program_value(program).get("description")
    return PolicyDescription(
        description if isinstance(description, str) else "",
        tuple(vocabulary(program.module)),
        tuple(_rules(program)),
        left_to_cases(program),
        tuple(_functions(program)),
    )


def _functions(program: Program) -> Iterator[DescribedFunction]:
    symbols = {each.name: each.declared or each for each in program.module.symbols if each.domain}
    for declared in program.tree.functions:
        symbol = symbols.get(declared.name)
        if symbol is not None:
            yield DescribedFunction(signature(symbol), declared.description or "")


def _rules(program: Program) -> Iterator[SpokenRule]:
    speaker = Speaker(program.extension, program.tree)
    texts = {each.origin.pointer: each.origin.text for each in program.module.assertions}
    with program.use.turn:
        items: list[FactDecl | StatementDecl] = [*program.tree.facts, *program.tree.rules]
        for item in items:
            sentence = texts.get(item.pointer, "")
            with suppress(ValueError):
                sentence = _said(speaker, item)
            yield SpokenRule(item.name or "", item.pointer, sentence)


def _said(speaker: Speaker, item: FactDecl | StatementDecl) -> str:
    return speaker.say_fact(item) if isinstance(item, FactDecl) else ranked_statement(speaker, item)
