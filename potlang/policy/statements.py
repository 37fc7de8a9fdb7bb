"""The statements of a policy: all that its module assumes, each as a closed formula ([POLICY-DIFF])."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from potlang.ir.module import COMPLETION, Assertion, AssertionKind, Claim, Definition, Module
from potlang.ir.nodes import Node, Symbol, symbols_in
from potlang.ir.sorts import Sort
from potlang.ir.substitute import substitute
from potlang.ir.text import IrPrinter
from potlang.languages.pot.program import Program

CLOSED: Final = "closed predicate"
"""The kind of a statement that a predicate is false wherever the rules do not give it."""
_NO_SORTS: Final[Mapping[Sort, str]] = {}


class PolicyStatement(NamedTuple):
    """One thing that a policy says; `text` is what stands at `pointer`, in the policy's own words.

    `kind` is `fact`, `rule`, `pack`, `definition`, `closed predicate` or `semantics`.
    """

    kind: str
    name: str
    pointer: str
    text: str
    formula: Node

    @property
    def key(self) -> str:
        """The formula as a text that names of variables do not change."""
        return signature(self.formula)

    @property
    def claim(self) -> Claim:
        """The statement as something to ask about."""
        return Claim(f"{self.kind} {self.name}", self.name, self.formula)


def typed(program: Program) -> Module:
    """The module of a program in the sorts that it writes. Raises CompileError where tables are too large."""
    return program.module.typed or program.module


def without_rows(program: Program) -> Module:
    """The module of a program in the sorts that it writes, without the facts of large tables."""
    return program.untabled.typed or program.untabled


def statements(module: Module) -> list[PolicyStatement]:
    """All statements of a module: definitions first, then what is assumed, in order."""
    return [*_definitions(module), *assumed(module)]


def assumed(module: Module) -> list[PolicyStatement]:
    """A statement for each assertion, in order."""
    return [_assumed(each) for each in module.assertions]


def _definitions(module: Module) -> Iterator[PolicyStatement]:
    for definition in module.definitions:
        origin, name = definition.origin, definition.symbol.name
        yield PolicyStatement("definition", name, origin.pointer, origin.text, _equation(module, definition))


def _equation(module: Module, definition: Definition) -> Node:
    """That for all arguments a defined function has the value of its body."""
    pool = module.pool
    if not definition.params:
        return pool.eq(pool.sym(definition.symbol), definition.body)
    binders = tuple(pool.var(each.name, each.sort) for each in definition.params)
    body = substitute(pool, definition.body, dict(zip(definition.params, binders, strict=True)))
    return pool.quant("forall", binders, pool.eq(pool.app(definition.symbol, binders), body))


def _assumed(assertion: Assertion) -> PolicyStatement:
    kind, name, origin = str(assertion.kind), assertion.name, assertion.origin
    if is_completion(assertion):
        kind, name = CLOSED, assertion.key.removeprefix(COMPLETION)
    return PolicyStatement(kind, name, origin.pointer, origin.text, assertion.formula)


def is_completion(assertion: Assertion) -> bool:
    """Whether an assertion closes a predicate."""
    return assertion.kind is AssertionKind.SEMANTICS and assertion.key.startswith(COMPLETION)


def signature(
    formula: Node, names: Mapping[Symbol, str] | None = None, sorts: Mapping[Sort, str] = _NO_SORTS
) -> str:
    """A formula as text without names of variables; some symbols and sorts are written as told."""
    symbols = {each: each.name for each in symbols_in(formula)}
    if names:
        symbols |= {each: names[each] for each in symbols if each in names}
    return IrPrinter(symbols, canonical=True, sorts=dict(sorts)).root(formula)[1]
