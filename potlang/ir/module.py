"""The typed program: declarations, assertions, claims and objectives over one pool.

Passes map modules to modules and know nothing of where parts came from: an `Origin` is carried
along unread, for cores and messages.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal, NamedTuple, TypeVar, get_args

from potlang.ir.nodes import Node, Symbol, Var
from potlang.ir.pool import Pool
from potlang.ir.sorts import DeclaredSort, EnumSort, MeasureSort, Sort, TupleSort


class Origin(NamedTuple):
    """Where a part came from: an RFC 6901 pointer and the text found there, in the program's own words."""

    pointer: str = ""
    text: str = ""


class AssertionKind(StrEnum):
    """Why something is assumed."""

    FACT = "fact"
    RULE = "rule"
    SEMANTICS = "semantics"
    """Unique names or a closed domain, asked for by the program."""
    PACK = "pack"
    CONSTRAINT = "constraint"
    """Of the optimization section alone."""


COMPLETION = "s:closed predicate "
"""Keys of assertions that close predicates begin so; the name of the first predicate follows."""


class Assertion(NamedTuple):
    """A closed formula that is assumed. `name` is what reports call it; `key` is unique in the module."""

    key: str
    name: str
    kind: AssertionKind
    formula: Node
    origin: Origin = Origin()


class Definition(NamedTuple):
    """A defined function: `symbol(params) = body`; `params` are variables free in `body`."""

    symbol: Symbol
    params: tuple[Var, ...]
    body: Node
    origin: Origin = Origin()


Ask = Literal["must", "could", "cannot", "need_not"]
"""The mode in which a claim is asked about ([ASK-TABLE])."""
ASKS: tuple[Ask, ...] = get_args(Ask)


class MultipleChoice(NamedTuple):
    """A verification with options, each of which is a claim; of these one is to be elected ([ASK-ELECT])."""

    key: str
    name: str
    origin: Origin = Origin()


class Claim(NamedTuple):
    """A closed formula that is asked about: a verification, an option of one, or a norm.

    For a claim written with `exists` or `forall` (and for norms) the formula is that quantifier.
    `find` holds variables that are free in `formula`: then all named bindings are asked for and the
    formula is not closed. `ask` and `question` say what is asked of the verdict, and change none.
    """

    key: str
    name: str
    formula: Node
    origin: Origin = Origin()
    find: tuple[Var, ...] = ()
    ask: Ask = "must"
    question: MultipleChoice | None = None


class Objective(NamedTuple):
    """`direction` is `minimize` or `maximize`; `term` is numeric or a bit vector."""

    name: str
    direction: str
    term: Node
    origin: Origin = Origin()
    shown: MeasureSort | None = None
    """The sort that the program writes, where numbers stand for its members."""


class Optimization(NamedTuple):
    """Constraints beside the module's assertions, and objectives; `mode` lexicographic, pareto or box."""

    constraints: tuple[Assertion, ...]
    objectives: tuple[Objective, ...]
    mode: str = "lexicographic"
    origin: Origin = Origin()


Stated = TypeVar("Stated", Assertion, Claim)


@dataclass(frozen=True, slots=True)
class Module:
    """A typed program.

    `sorts` holds declared, enum and tuple sorts in an order in which each follows what it uses.
    `symbols` holds constants and functions in order of declaration, constructors and selectors of
    tuple sorts and enum values excluded. `closed` and `unique` name the sorts whose domain is
    closed and whose declared constants are distinct; the assertions that say so are in `assertions`.
    """

    pool: Pool
    sorts: tuple[DeclaredSort | EnumSort | TupleSort, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    definitions: tuple[Definition, ...] = ()
    assertions: tuple[Assertion, ...] = ()
    claims: tuple[Claim, ...] = ()
    norms: tuple[Claim, ...] = ()
    optimization: Optimization | None = None
    closed: frozenset[Sort] = frozenset()
    unique: frozenset[Sort] = frozenset()
    actions: tuple[str, ...] = ("verify", "optimize")
    properties: frozenset[str] = field(default=frozenset())
    """The properties that passes have established, as `passes.base.Property` names them."""
    typed: Module | None = field(default=None, compare=False, repr=False)
    """The module as it was before numbers stood for dates, money and quantities; None without these."""

    def constants(self, sort: Sort) -> tuple[Symbol, ...]:
        """The declared constants of `sort`, free variables excluded, in order of declaration."""
        return tuple(s for s in self.symbols if not s.domain and s.range == sort and s.kind == "constant")

    def formulas(self) -> list[Node]:
        """Every root formula and term of the module, in order."""
        roots = [definition.body for definition in self.definitions]
        roots += [assertion.formula for assertion in self.assertions]
        roots += [claim.formula for claim in (*self.claims, *self.norms)]
        if self.optimization is not None:
            roots += [constraint.formula for constraint in self.optimization.constraints]
            roots += [objective.term for objective in self.optimization.objectives]
        return roots

    def with_formulas(self, formulas: list[Node]) -> Module:
        """The same module with its roots replaced, in the order of `formulas()`."""
        rest = iter(formulas)
        definitions = tuple(d._replace(body=next(rest)) for d in self.definitions)
        assertions = tuple([_with_formula(*pair) for pair in zip(self.assertions, rest, strict=False)])
        claims = tuple(_with_formula(c, next(rest)) for c in self.claims)
        norms = tuple(_with_formula(n, next(rest)) for n in self.norms)
        optimization = self.optimization
        if optimization is not None:
            constraints = tuple(_with_formula(c, next(rest)) for c in optimization.constraints)
            objectives = tuple(o._replace(term=next(rest)) for o in optimization.objectives)
            optimization = optimization._replace(constraints=constraints, objectives=objectives)
        return replace(
            self,
            definitions=definitions,
            assertions=assertions,
            claims=claims,
            norms=norms,
            optimization=optimization,
        )


def _with_formula(part: Stated, formula: Node) -> Stated:
    """`part` about another formula; itself where nothing changes, as for most facts in most passes."""
    return part if part.formula is formula else part._replace(formula=formula)
