"""Formulas of others over a policy's words: read, with individuals beside the policy's own, and renamed."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import Final

from potlang.diag import Sink
from potlang.expressions.expression import parse_expression
from potlang.expressions.names import name_of, written
from potlang.expressions.surface import Formula
from potlang.expressions.tables import tokenize
from potlang.ir.nodes import Node
from potlang.languages.pot.program import Checked, CompileError, Program
from potlang.policy.cases import SORT, Case
from potlang.source import Document

_NAMES: Final = ("NAME", "QUOTED")
_QUOTES: Final = "'\""


def compiled_with(program: Program, individuals: Mapping[str, str]) -> Program:
    """The program with these constants, by name with their sorts. Raises CompileError."""
    if not individuals:
        return program
    return Case.of({name: {SORT: sort} for name, sort in individuals.items()}).applied(program)


def without_statements(program: Program) -> Program:
    """The program's declarations and definitions, with nothing that it assumes or asks."""
    module = replace(program.untabled, assertions=(), claims=(), norms=(), optimization=None)
    found = Program(
        module, program.extension, program.tree, Checked(program.document, program.diagnostics, None)
    )
    found.use = program.use
    return found


def read_formula(program: Program, text: str) -> Node:
    """The closed formula that a text is over the program's words. Raises CompileError."""
    document = Document.from_str(text, "<formula>")
    sink = Sink(document)
    node = program.extension.formula(Formula("", text, parse_expression(text, "", sink)), sink)
    if node is None or sink.has_errors:
        raise CompileError(sink.diagnostics(), document)
    return node


def names_in(text: str) -> Iterator[str]:
    """The names in an expression, of whatever kind."""
    return (name_of(token.text) for token in tokenize(text) if token.kind in _NAMES)


def renamed(text: str, names: Mapping[str, str]) -> str:
    """The expression with other names, all at once; no two may become one.

    A name that others become, and that the expression has itself, is that of a bound variable: it gets a
    name that is nowhere else. Raises ValueError for names in a text within the expression.
    """
    own = dict.fromkeys(names_in(text))
    clashing = [name for name in own if name not in names and name in names.values()]
    taken = {*own, *names, *names.values()}
    changes = {**names, **{name: fresh_name(name, taken) for name in clashing}}
    parts, at = [], 0
    for token in tokenize(text):
        if token.kind in _NAMES and (new := changes.get(name_of(token.text))) is not None:
            parts += [text[at : token.start], written(new)]
            at = token.end
        elif token.kind == "STRING" and token.text.strip(_QUOTES) in changes:
            # Binders may be written as texts, too, and other texts must stay what they are.
            raise ValueError(f"{token.text} may be a name")
    return "".join([*parts, text[at:]])


def fresh_name(stem: str, taken: Container[str]) -> str:
    """The stem, or the stem with the first number that makes it a name of its own."""
    if stem not in taken:
        return stem
    return next(name for number in count(2) if (name := f"{stem}_{number}") not in taken)
