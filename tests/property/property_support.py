"""What the properties share: two tiers of one property, and answers by enumerating structures."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from structures import structures

import potlang
from potlang.diag import Sink
from potlang.expressions import surface
from potlang.expressions.expression import parse_expression
from potlang.ir.evaluator import evaluate
from potlang.ir.module import Module
from potlang.ir.nodes import App, Node
from potlang.ir.sorts import DeclaredSort, SetSort, Sort
from potlang.ir.structure import Structure, members
from potlang.ir.values import Element, MapValue
from potlang.sema.emit import module_to_pot
from potlang.smt.value_text import format_value
from potlang.source import Document

Test = Callable[[], None]

DEEPER = 15
"""How many more examples the deep tier looks at."""


def both(
    check: Callable[..., None], *inputs: SearchStrategy[Any], quick: int, deep: int = 0
) -> tuple[Test, Test]:
    """The property `check` as a quick test, the same each time, and as a slow one with more examples."""

    def make(count: int, repeatable: bool) -> Test:
        @settings(max_examples=count, derandomize=repeatable)
        @given(inputs=st.tuples(*inputs))
        def test(inputs: tuple[Any, ...]) -> None:
            check(*inputs)

        test.__doc__ = check.__doc__
        return test

    return make(quick, True), pytest.mark.slow(make(deep or quick * DEEPER, False))


def errors(program: Any) -> list[str]:
    """Codes and messages of a program's errors."""
    found = potlang.check(program).diagnostics
    return [f"{d.code} {d.message} {d.place}" for d in found if d.severity == "error"]


def compiled(program: Any) -> potlang.Program:
    """The program, which must be valid."""
    checked = potlang.check(program)
    assert checked.program is not None, (errors(program), program)
    return checked.program


def reads_back(program: potlang.Program) -> None:
    """What is printed compiles; printed again and read, it stays as it is."""
    printed = module_to_pot(program.module)
    again = potlang.check(printed)
    assert again.program is not None, (errors(printed), printed)
    settled = module_to_pot(again.program.module)
    assert module_to_pot(compiled(settled).module) == settled


# --- brute force ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class World:
    """All structures of a finite program, and those among them in which its assumptions hold."""

    program: potlang.Program
    structures: list[Structure]
    models: list[Structure]

    @property
    def module(self) -> Module:
        return self.program.module

    def states(self, formula: Node) -> tuple[bool, bool, bool]:
        """Whether there are models; of the formula; of its negation."""
        values = [holds(formula, model) for model in self.models]
        return bool(self.models), any(values), not all(values)

    def term(self, text: str) -> Node:
        """The node of a term in the program's words."""
        formula = f"Distinct({text}, {text})"
        sink = Sink(Document.from_str(formula))
        root = parse_expression(formula, "", sink)
        node = self.program.extension.formula(surface.Formula("", formula, root), sink)
        assert isinstance(node, App), (text, [d.message for d in sink.diagnostics()])
        return node.args[0]

    def shows(self, text: str, node: Node, structure: Structure, but: str) -> bool:
        """Whether a model that shows a term as `text` may be `structure`; `but` is the term's own name."""
        value, sort = evaluate(node, structure), node.sort
        if not isinstance(sort, SetSort):
            return text == self._text(value, sort, structure, but)
        assert isinstance(value, MapValue)
        every = [
            (each, self._text(each, sort.element, structure, "")) for each in members(sort.element, structure)
        ]
        listed = {part for part in text.removeprefix("all but ")[1:-1].split(", ") if part}
        if text.startswith("all but "):
            listed = {name for _, name in every} - listed
        return listed == {name for each, name in every if value.get(each)}

    def _text(self, value: object, sort: Sort, structure: Structure, but: str) -> str:
        """A value as models show it: elements by the constants that denote them."""

        def names(match: re.Match[str]) -> str:
            element = Element(match[1], int(match[2]) - 1)
            named = [name for name, node in self._named(match[1]) if evaluate(node, structure) == element]
            return " = ".join(name for name in named if name != but)

        return re.sub(r"(\w+)#(\d+)", names, format_value(value, sort))

    def _named(self, sort: str) -> list[tuple[str, Node]]:
        found = self.module.constants(DeclaredSort(sort))
        return [(symbol.name, self.module.pool.sym(symbol)) for symbol in found]


def world(program: Any) -> World:
    """The world of a finite program whose declared sorts are closed."""
    found = compiled(program)
    module = found.module
    every = list(_structures(module))
    formulas = [assertion.formula for assertion in module.assertions]
    models = [s for s in every if all(holds(formula, s) for formula in formulas)]
    return World(found, every, models)


def _structures(module: Module) -> Iterator[Structure]:
    declared = [sort for sort in module.sorts if isinstance(sort, DeclaredSort)]
    ranges = [range(1, len(module.constants(sort)) + 1) for sort in declared]
    for sizes in itertools.product(*ranges):
        yield from structures(module, dict(zip(declared, sizes, strict=True)))


def holds(formula: Node, structure: Structure, env: dict[Any, object] | None = None) -> bool:
    """Whether a formula is true in a structure."""
    value = evaluate(formula, structure, env or {})
    assert isinstance(value, bool)
    return value


VERDICTS = {
    (True, True, False): "entailed",
    (True, False, True): "refuted",
    (True, True, True): "undetermined",
    (False, False, False): "inconsistent",
}
