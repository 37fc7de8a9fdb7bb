"""Random programs, mostly Horn, that meet every condition of the closure from both sides."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from potlang.ir import operators as op
from potlang.ir.module import Assertion, AssertionKind, Claim, Module
from potlang.ir.nodes import Node, Symbol, SymbolKind, Var
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, DeclaredSort, EnumSort, Sort

FUNCTION, CONSTANT, FREE = SymbolKind.FUNCTION, SymbolKind.CONSTANT, SymbolKind.FREE
THING, OTHER, COLOUR = DeclaredSort("Thing"), DeclaredSort("Other"), EnumSort("Colour", ("red", "green"))


@dataclass
class World:
    """The symbols of one program; `wild`: formulas that are not Horn too."""

    rng: random.Random
    pool: Pool
    things: list[Symbol]
    others: list[Symbol]
    loose: list[Symbol]
    predicates: list[Symbol]
    wild: bool
    equations: bool
    variables: list[Var] = field(default_factory=list)

    def terms(self, sort: Sort) -> list[Node]:
        pool = self.pool
        found: list[Node] = [var for var in self.variables if var.sort == sort]
        found += [pool.sym(s) for s in (*self.things, *self.others, *self.loose) if s.range == sort]
        if isinstance(sort, EnumSort):
            found += [pool.lit(value, sort) for value in sort.values]
        if sort is BOOL:
            found += [pool.false, pool.true]
        return found

    def pick(self, options: list[Node]) -> Node:
        return self.rng.choice(options)

    def atom(self) -> Node:
        usable = [p for p in self.predicates if all(self.terms(sort) for sort in p.domain)]
        symbol = self.rng.choice(usable)
        args = tuple(self.pick(self.terms(sort)) for sort in symbol.domain)
        return self.pool.app(symbol, args) if args else self.pool.sym(symbol)

    def equation(self) -> Node:
        sort = self.rng.choice([s for s in (THING, OTHER, COLOUR) if self.terms(s)])
        terms = self.terms(sort)
        return self.pool.eq(self.pick(terms), self.pick(terms))

    def chance(self, percent: int) -> bool:
        return self.rng.randrange(100) < percent


def _body(world: World) -> list[Node]:
    parts = [world.atom() for _ in range(world.rng.randint(0, 3))]
    if world.equations and world.chance(30):
        equation = world.equation()
        parts.append(equation if world.chance(40) else world.pool.negate(equation))
    if world.chance(15):
        parts.append(world.pool.disj((world.atom(), world.atom())))
    if world.wild and world.chance(20):
        parts.append(world.pool.negate(world.atom()))
    return parts


def _head(world: World) -> Node:
    pool = world.pool
    kinds = ["atom"] * 6 + ["both", "false", "denied"]
    kinds += ["equal"] * 2 if world.equations else []
    kinds += ["either", "some"] if world.wild else []
    match world.rng.choice(kinds):
        case "both":
            return pool.conj((world.atom(), world.atom()))
        case "false":
            return pool.false
        case "denied":
            return pool.negate(world.atom())
        case "equal":
            return world.equation()
        case "either":
            return pool.disj((world.atom(), world.atom()))
        case "some":
            return _quantified(world, "exists", world.atom)
        case _:
            return world.atom()


def _quantified(world: World, kind: str, make: Callable[[], Node], most: int = 2) -> Node:
    sorts = world.rng.choices(
        [THING] * 5 + [OTHER, OTHER, COLOUR, COLOUR, BOOL], k=world.rng.randint(1, most)
    )
    binders = tuple(world.pool.var(f"x{len(world.variables) + n}", sort) for n, sort in enumerate(sorts))
    world.variables += binders
    body = make()
    del world.variables[-len(binders) :]
    return world.pool.quant(kind, binders, body)


def _rule(world: World) -> Node:
    pool = world.pool

    def matrix() -> Node:
        body, head = _body(world), _head(world)
        shape = world.rng.randint(0, 5)
        if shape == 0 and body:
            for part in reversed(body):
                head = pool.implies(part, head)
            return head
        if shape == 1:
            return pool.disj((*map(pool.negate, body), head))
        if shape == 2:
            return pool.negate(pool.conj((*body, pool.negate(head))))
        if shape == 3 and world.chance(50):
            return pool.eq(pool.conj(body), head)
        if shape == 4:
            inner = _quantified(world, "exists", lambda: pool.conj(_body(world) or [world.atom()]), 1)
            return pool.implies(pool.conj((*body, inner)), head)
        return pool.implies(pool.conj(body), head)

    return _quantified(world, "forall", matrix, 3)


def _fact(world: World) -> Node:
    kinds = ["atom"] * 6 + ["denied", "some", "both", "all"]
    kinds += ["equal", "unequal"] if world.equations else []
    pool = world.pool
    match world.rng.choice(kinds):
        case "denied":
            return pool.negate(world.atom())
        case "some":
            return _quantified(world, "exists", lambda: pool.conj((world.atom(), world.atom())))
        case "both":
            return pool.conj((world.atom(), world.atom()))
        case "all":
            return _quantified(world, "forall", world.atom, 1)
        case "equal":
            return world.equation()
        case "unequal":
            return pool.negate(world.equation())
        case _:
            return world.atom()


def _claim(world: World) -> Node:
    pool = world.pool
    match world.rng.randint(0, 9):
        case 0:
            return pool.negate(world.atom())
        case 1:
            return pool.conj((world.atom(), world.atom()))
        case 2:
            return pool.disj((world.atom(), world.atom()))
        case 3 | 4:
            return _quantified(world, "exists", lambda: pool.conj((world.atom(), world.atom())))
        case 5:
            return _rule(world)
        case 6:
            return _quantified(world, "forall", world.atom)
        case 7 if world.equations:
            return world.equation()
        case 8:
            return pool.eq(world.atom(), world.atom())
        case _:
            return world.atom()


def _semantics(world: World, closed: bool, unique: bool) -> list[Node]:
    pool, found = world.pool, []
    members = [pool.sym(symbol) for symbol in world.things]
    if unique and len(members) > 1:
        found.append(pool.app(op.DISTINCT, tuple(members)))
    if closed and members:
        var = pool.var("x", THING)
        found.append(pool.quant("forall", (var,), pool.disj(pool.eq(var, each) for each in members)))
    return found


def horn_program(rng: random.Random, most: int = 5, small: bool = False) -> Module:
    """A module with assumptions and three claims. `small`: few structures over small universes."""
    pool = Pool()
    things = [Symbol(f"t{n}", (), THING, CONSTANT) for n in range(rng.randint(0, 2 if small else 3))]
    others = [Symbol(f"o{n}", (), OTHER, CONSTANT) for n in range(rng.randint(0, 1))]
    loose = []
    if rng.random() < 0.15:
        loose.append(Symbol("free", (), THING, FREE))
    if rng.random() < 0.1:
        loose.append(Symbol("shade", (), COLOUR, CONSTANT))
    predicates = [
        Symbol("p", (), BOOL, CONSTANT),
        Symbol("P", (THING,), BOOL, FUNCTION),
        Symbol("Q", (THING,), BOOL, FUNCTION),
        Symbol("S", (OTHER,), BOOL, FUNCTION),
        Symbol("C", (COLOUR,), BOOL, FUNCTION),
    ]
    if not small:
        predicates += [
            Symbol("R", (THING, THING), BOOL, FUNCTION),
            Symbol("M", (THING, COLOUR), BOOL, FUNCTION),
            Symbol("N", (THING, BOOL), BOOL, FUNCTION),
        ]
    wild, equations = rng.random() < 0.4, rng.random() < 0.6
    world = World(rng, pool, things, others, loose, predicates, wild, equations)
    formulas = _semantics(world, rng.random() < 0.25, rng.random() < 0.35)
    formulas += [_fact(world) for _ in range(rng.randint(0, most))]
    formulas += [_rule(world) for _ in range(rng.randint(0, most))]
    assertions = tuple(
        Assertion(f"a{n}", f"a{n}", AssertionKind.FACT, each) for n, each in enumerate(formulas)
    )
    claims = tuple(Claim(f"v{n}", f"v{n}", _claim(world)) for n in range(3))
    symbols = (*things, *others, *loose, *predicates)
    return Module(pool, (THING, OTHER, COLOUR), symbols, (), assertions, claims)


def horn_programs(most: int = 5, small: bool = False) -> SearchStrategy[Module]:
    """Programs by seed: more varied than what is drawn part by part."""
    seeds = st.integers(0, 2**32 - 1)
    return seeds.map(lambda seed: horn_program(random.Random(seed), most, small))


def recursive_program(rng: random.Random) -> Module:
    """Binary relations that recur, with facts of their own, few denials, and claims about single atoms."""
    pool = Pool()
    things = [Symbol(f"t{n}", (), THING, CONSTANT) for n in range(rng.randint(2, 5))]
    predicates = [Symbol(name, (THING, THING), BOOL, FUNCTION) for name in ("R", "E", "F")]
    predicates.append(Symbol("P", (THING,), BOOL, FUNCTION))
    world = World(rng, pool, things, [], [], predicates, False, False)
    formulas = [world.atom() for _ in range(rng.randint(2, 9))]
    for _ in range(rng.randint(1, 5)):
        binders = tuple(pool.var(name, THING) for name in "xyz")
        world.variables = [*binders] * 3
        body = [world.atom() for _ in range(rng.randint(1, 3))]
        head = pool.false if world.chance(5) else world.atom()
        if world.chance(50):
            symbol, (x, *_) = rng.choice(predicates[:3]), binders
            ends = [world.pick(world.terms(THING)) for _ in range(2)]
            head, step = (pool.app(symbol, (x, end) if rng.random() < 0.8 else (end, x)) for end in ends)
            body = [step, *body[: rng.randint(0, 1)]]
        world.variables = []
        formulas.append(pool.quant("forall", binders, pool.implies(pool.conj(body), head)))
    if world.chance(10):
        formulas.append(pool.eq(pool.sym(things[0]), pool.sym(things[1])))
    assertions = tuple(
        Assertion(f"a{n}", f"a{n}", AssertionKind.FACT, each) for n, each in enumerate(formulas)
    )
    atoms = [world.atom() for _ in range(4)]
    shown = [pool.negate(atom) if world.chance(30) else atom for atom in atoms]
    claims = tuple(Claim(f"v{n}", f"v{n}", each) for n, each in enumerate(shown))
    return Module(pool, (THING,), (*things, *predicates), (), assertions, claims)


def recursive_programs() -> SearchStrategy[Module]:
    """Such programs by seed."""
    return st.integers(0, 2**32 - 1).map(lambda seed: recursive_program(random.Random(seed)))
