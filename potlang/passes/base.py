"""Passes: a pass is a frozen dataclass whose fields are its options, with the properties that it promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from typing import ClassVar, Protocol, runtime_checkable

from potlang.ir.module import Assertion, Module
from potlang.ir.nodes import Node, Symbol
from potlang.ir.sorts import BOOL


class Keeps(StrEnum):
    """How a pass's output relates to its input, root by root."""

    EQUIVALENT = "equivalent"
    """Every root has the same value in every structure."""
    EQUISATISFIABLE = "equisatisfiable"
    """The assertions with any claim, or its negation, are satisfiable before exactly if after."""
    CONSERVATIVE = "conservative"
    """The assertions before imply the assertions after: unsatisfiable after means so before."""
    STRONGER = "stronger"
    """The assertions after imply the assertions before, or each claim before its claim after."""


class Property(StrEnum):
    """A property of all formulas of a module, or of all assumptions."""

    SIMPLE = "simple"
    """No truth value is an operand of a connective or the body of a quantifier."""
    NNF = "nnf"
    """At formula level: conjunction, disjunction, quantifiers, and literals; nothing else."""
    PRENEX = "prenex"
    """At formula level, quantifiers only in front."""
    SKOLEM = "skolem"
    """At formula level, what is assumed has no existential quantifier."""
    CLAUSES = "clauses"
    """Assumptions are, behind `forall`, conjunctions of disjunctions of literals."""


class PassLimit(Exception):
    """The output would be beyond what the pass's options allow."""


@runtime_checkable
class Pass(Protocol):
    """A pass. `run` is pure: valid module in, valid module out, over the same pool.

    `preserves` are the properties that hold afterwards if they held before; those in neither
    `establishes` nor `preserves` are lost.
    """

    name: ClassVar[str]
    requires: ClassVar[frozenset[Property]]
    establishes: ClassVar[frozenset[Property]]
    preserves: ClassVar[frozenset[Property]]
    keeps: ClassVar[Keeps]

    def run(self, module: Module) -> Module:
        """The rewritten module. Raises `PassLimit` where the pass has a limit."""
        ...


def after(step: Pass | type[Pass], held: frozenset[Property]) -> frozenset[Property]:
    """The properties that hold behind `step` if `held` hold before it."""
    return (held & step.preserves) | step.establishes


def finish(step: Pass, module: Module, formulas: list[Node]) -> Module:
    """`module` with the roots `formulas`, marked with what `step` establishes."""
    return marked(step, module.with_formulas(formulas))


def marked(step: Pass, module: Module) -> Module:
    """`module`, which `step` leaves as it is, marked with what `step` establishes."""
    held = frozenset(Property(name) for name in module.properties if name in set(Property))
    return replace(module, properties=frozenset(after(step, held)))


def rewrite_assumptions(
    step: Pass, module: Module, rewrite: Callable[[Assertion], tuple[Node, list[Symbol]]]
) -> Module:
    """`module` with all that is assumed rewritten, each with the symbols that it needs beside; marked."""
    symbols = dict.fromkeys(module.symbols)

    def rewritten(assertion: Assertion) -> Assertion:
        formula, new = rewrite(assertion)
        symbols.update(dict.fromkeys(new))
        return assertion if formula is assertion.formula else assertion._replace(formula=formula)

    assertions = tuple([rewritten(each) for each in module.assertions])
    optimization = module.optimization
    if optimization is not None:
        optimization = optimization._replace(constraints=tuple(map(rewritten, optimization.constraints)))
    found = replace(module, assertions=assertions, optimization=optimization, symbols=tuple(symbols))
    return marked(step, found)


def is_formula(node: Node) -> bool:
    """Whether `node` is of sort Bool."""
    return node.sort is BOOL
