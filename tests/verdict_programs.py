"""Small modules for the verdict tests, built with the pool."""

from __future__ import annotations

from collections.abc import Sequence

from potlang.ir.module import Assertion, AssertionKind, Claim, Module, Objective, Optimization, Origin
from potlang.ir.nodes import Node, Quant, Symbol, SymbolKind, Var
from potlang.ir.operators import ADD
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, INT, DeclaredSort, EnumSort, Sort, TupleSort

PERSON = DeclaredSort("Person")


class World:
    """Declares symbols and collects assumptions and claims; what is said reads like the program."""

    def __init__(self, *sorts: DeclaredSort | EnumSort | TupleSort) -> None:
        self.pool = Pool()
        self.sorts = sorts
        self.symbols: list[Symbol] = []
        self.assertions: list[Assertion] = []
        self.claims: list[Claim] = []
        self.norms: list[Claim] = []
        self.optimization: Optimization | None = None

    def constant(self, name: str, sort: Sort, kind: SymbolKind = SymbolKind.CONSTANT) -> Node:
        symbol = Symbol(name, (), sort, kind)
        self.symbols.append(symbol)
        return self.pool.sym(symbol)

    def function(self, name: str, domain: Sequence[Sort], result: Sort = BOOL) -> Symbol:
        symbol = Symbol(name, tuple(domain), result, SymbolKind.FUNCTION)
        self.symbols.append(symbol)
        return symbol

    def app(self, symbol: Symbol, *args: Node) -> Node:
        return self.pool.app(symbol, args)

    def assertion(self, name: str, formula: Node, kind: AssertionKind = AssertionKind.FACT) -> Assertion:
        return Assertion(name, name, kind, formula, Origin(f"/{kind}/{name}", f"text of {name}"))

    def fact(self, name: str, formula: Node) -> None:
        self.assertions.append(self.assertion(name, formula))

    def claim(self, name: str, formula: Node, *find: Var) -> None:
        self.claims.append(Claim(name, name, formula, Origin(f"/verifications/{name}", name), find))

    def norm(self, name: str, formula: Node) -> None:
        self.norms.append(Claim(name, name, formula, Origin(f"/rules/{name}", name)))

    def quantify(self, kind: str, sort: Sort, body: Symbol, name: str = "x") -> Quant:
        """`kind x. body(x)` for a predicate."""
        var = self.pool.var(name, sort)
        return self.pool.quant(kind, (var,), self.app(body, var))

    def implies_all(self, antecedent: Symbol, consequent: Symbol) -> Node:
        """`forall x. antecedent(x) -> consequent(x)`."""
        var = self.pool.var("x", antecedent.domain[0])
        body = self.pool.implies(self.app(antecedent, var), self.app(consequent, var))
        return self.pool.quant("forall", (var,), body)

    def optimize(
        self, constraints: Sequence[Node], *goals: tuple[str, Node], mode: str = "lexicographic"
    ) -> None:
        made = tuple(
            self.assertion(f"c{number}", formula, AssertionKind.CONSTRAINT)
            for number, formula in enumerate(constraints)
        )
        objectives = tuple(Objective(f"o{i}", way, term) for i, (way, term) in enumerate(goals))
        self.optimization = Optimization(made, objectives, mode)

    def module(self, *actions: str) -> Module:
        return Module(
            self.pool,
            self.sorts,
            tuple(self.symbols),
            assertions=tuple(self.assertions),
            claims=tuple(self.claims),
            norms=tuple(self.norms),
            optimization=self.optimization,
            actions=actions or ("verify", "optimize"),
        )


def mortals() -> World:
    """Socrates is human, humans are mortal; of bob only the age is known."""
    world = World(PERSON)
    human = world.function("human", [PERSON])
    mortal = world.function("mortal", [PERSON])
    age = world.function("age", [PERSON], INT)
    socrates, bob = world.constant("socrates", PERSON), world.constant("bob", PERSON)
    world.fact("socrates is human", world.app(human, socrates))
    world.fact("humans are mortal", world.implies_all(human, mortal))
    world.fact("age of bob", world.pool.eq(world.app(age, bob), world.pool.integer(42)))
    return world


def symbol(world: World, name: str) -> Symbol:
    """The declared symbol of that name."""
    return next(each for each in world.symbols if each.name == name)


def term(world: World, name: str, *args: str) -> Node:
    """`name(args)` or the constant `name`."""
    if not args:
        return world.pool.sym(symbol(world, name))
    return world.app(symbol(world, name), *(term(world, each) for each in args))


def plus(world: World, *terms: Node) -> Node:
    """Their sum."""
    return world.pool.app(ADD, terms)
