"""Generated programs of every size wanted, each with the verdicts it must get."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

ProgramJson = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Workload:
    """A program, how big it is, and the verdict of each of its verifications."""

    name: str
    size: int
    program: ProgramJson
    verdicts: tuple[str, ...]


def _entity_program(count: int, predicates: dict[str, int], **sections: Any) -> ProgramJson:
    """A program over one declared sort with `count` constants and predicates of these arities."""
    return {
        "sorts": [{"name": "Entity", "type": "DeclareSort"}],
        "functions": [
            {"name": name, "domain": ["Entity"] * arity, "range": "BoolSort"}
            for name, arity in predicates.items()
        ],
        "constants": {"entities": {"sort": "Entity", "members": [f"e{i}" for i in range(count)]}},
        **sections,
    }


def _rule(antecedent: str, consequent: str, variables: str = "x") -> ProgramJson:
    return {
        "forall": [{"name": name, "sort": "Entity"} for name in variables.split()],
        "implies": {"antecedent": antecedent, "consequent": consequent},
    }


def facts(size: int) -> Workload:
    """`size` ground facts, three rules about one entity, one verification that takes two of them.

    The rules have no quantifier, for one alone keeps z3 from ever answering at these sizes: see `ruled`.
    """
    program = _facts_program(size)
    texts = ("Implies(bird(e0), flies(e0))", "Implies(fish(e0), swims(e0))")
    last = "Implies(And(flies(e0), Not(fish(e0))), safe(e0))"
    program["rules"] = [{"constraint": text} for text in (*texts, last)]
    return Workload("facts", size, program, ("entailed",))


def ruled(size: int) -> Workload:
    """The same facts under four quantified rules, of which the verification takes two."""
    program = _facts_program(size)
    program["rules"] = [
        _rule("bird(x)", "flies(x)"),
        _rule("fish(x)", "swims(x)"),
        _rule("And(flies(x), Not(fish(x)))", "safe(x)"),
        _rule("And(knows(x, y), fish(x))", "swims(x)", "x y"),
    ]
    return Workload("ruled", size, program, ("entailed",))


def _facts_program(size: int) -> ProgramJson:
    rng = random.Random(size)
    count = max(4, size // 5)
    program = _entity_program(
        count,
        {"bird": 1, "fish": 1, "flies": 1, "swims": 1, "safe": 1, "knows": 2},
        knowledge_base=[_fact(rng, index, count) for index in range(size)],
        verifications=[{"name": "goal", "constraint": "safe(e0)"}],
    )
    program["functions"].append({"name": "age", "domain": ["Entity"], "range": "IntSort"})
    return program


def _fact(rng: random.Random, index: int, count: int) -> str:
    """Fact number `index`: entities with an even number are birds, the others fish."""
    this = index // 5 % count
    bird = this % 2 == 0
    match index % 5:
        case 0:
            return f"bird(e{this})" if bird else f"fish(e{this})"
        case 1:
            return f"Not(fish(e{this}))" if bird else f"Not(bird(e{this}))"
        case 2:
            return f"age(e{this}) == {this % 90}"
        case _:
            return f"knows(e{this}, e{rng.randrange(count)})"


def chain(size: int) -> Workload:
    """A chain of `size` rules p0 -> p1 -> …, asked for its end and for the end's negation."""
    program = _entity_program(
        2,
        {f"p{i}": 1 for i in range(size + 1)},
        knowledge_base=["p0(e0)"],
        rules=[_rule(f"p{i}(x)", f"p{i + 1}(x)") for i in range(size)],
        verifications=[
            {"name": "end", "constraint": f"p{size}(e0)"},
            {"name": "not the end", "constraint": f"Not(p{size}(e0))"},
        ],
    )
    return Workload("chain", size, program, ("entailed", "refuted"))


def reach(size: int) -> Workload:
    """A transitive rule over a path of `size` edges, asked for first and last."""
    program = _entity_program(
        size + 1,
        {"edge": 2, "path": 2},
        knowledge_base=[f"edge(e{i}, e{i + 1})" for i in range(size)],
        rules=[
            _rule("edge(x, y)", "path(x, y)", "x y"),
            _rule("And(path(x, y), path(y, z))", "path(x, z)", "x y z"),
        ],
        verifications=[{"name": "goal", "constraint": f"path(e0, e{size})"}],
    )
    return Workload("reach", size, program, ("entailed",))


def deep(size: int) -> Workload:
    """One formula of `size` nested connectives, true whatever its atoms are worth at each level."""
    rng = random.Random(size)
    text, left = "Or(q(e0), Not(q(e0)))", size
    while left > 0:
        atom = f"q(e{rng.randrange(8)})"
        form = rng.choice(
            (f"And(Or({atom}, Not({atom})), %)", f"Or(%, {atom})", f"Implies({atom}, %)", "Not(Not(%))")
        )
        text = form.replace("%", text)
        left -= 2 if form == "Not(Not(%))" else 1
    program = _entity_program(
        8,
        {"q": 1},
        knowledge_base=["q(e1)"],
        verifications=[{"name": "tautology", "constraint": text}],
    )
    return Workload("deep", size, program, ("entailed",))


def arithmetic(size: int) -> Workload:
    """An equation over a sum nested `size` deep, each level adding what the next one takes away."""
    text = "x"
    for level in range(size):
        text = f"({text} + {level + 1})" if level % 2 == 0 else f"({text} - {level})"
    more = size if size % 2 else 0
    program: ProgramJson = {
        "sorts": [],
        "functions": [],
        "constants": {"numbers": {"sort": "IntSort", "members": ["x", "y"]}},
        "knowledge_base": [f"y == {text}"],
        "verifications": [{"name": "sum", "constraint": f"y == x + {more}"}],
    }
    return Workload("arithmetic", size, program, ("entailed",))


def seats(size: int) -> Workload:
    """`size` people on as many seats: who sits left of whom, two fixed, and where a third one sits."""
    rng = random.Random(size)
    people = [f"p{number}" for number in range(size)]
    order = rng.sample(people, size)
    known = [f"And({name} >= 1, {name} <= {size})" for name in people]
    known.append(f"Distinct({', '.join(people)})")
    known += [f"{left} < {right}" for left, right in zip(order[::2], order[1::2], strict=False)]
    known += [f"{left} + 2 <= {right}" for left, right in zip(order, order[3:], strict=False)]
    known += [f"{order[0]} == 1", f"{order[-1]} == {size}"]
    program: ProgramJson = {
        "sorts": [],
        "functions": [],
        "constants": {"people": {"sort": "IntSort", "members": people}},
        "knowledge_base": known,
        "verifications": [{"name": "last", "constraint": f"{order[size // 2]} < {size}"}],
    }
    return Workload("seats", size, program, ("entailed",))


def rules(size: int) -> Workload:
    """`size` rules over twenty predicates, of which the verification needs two."""
    rng = random.Random(size)
    predicates = {f"p{i}": 1 for i in range(20)} | {"r": 2}
    made = [_rule("p0(x)", "p1(x)"), _rule("p1(x)", "p2(x)")]
    for _ in range(size - 2):
        low, high = sorted(rng.sample(range(3, 20), 2))
        if rng.random() < 0.5:
            made.append(_rule(f"p{low}(x)", f"p{high}(x)"))
        else:
            made.append(_rule(f"And(p{low}(x), r(x, y))", f"p{high}(y)", "x y"))
    program = _entity_program(
        10,
        predicates,
        knowledge_base=["p0(e0)", *(f"r(e{i}, e{i + 1})" for i in range(9)), "p3(e0)"],
        rules=made,
        verifications=[{"name": "goal", "constraint": "p2(e0)"}],
    )
    return Workload("rules", size, program, ("entailed",))


def claims(size: int) -> Workload:
    """`size` ground verifications against one base: entailed, refuted and undetermined in turn."""
    count = max(3, size)
    kinds = ("entailed", "refuted", "undetermined")
    texts = ("good(e{0})", "Not(good(e{0}))", "odd(e{0})")
    program = _entity_program(
        count,
        {"seen": 1, "good": 1, "odd": 1},
        knowledge_base=[f"seen(e{i})" for i in range(count)],
        rules=[_rule("seen(x)", "good(x)")],
        verifications=[{"name": f"v{i}", "constraint": texts[i % 3].format(i)} for i in range(size)],
    )
    return Workload("claims", size, program, tuple(kinds[i % 3] for i in range(size)))


def alternating(size: int) -> Workload:
    """`size` times two kinds that need each other: each of one has an r of the other, none is of both.

    Whether two constants are related is open; finite models show it, instantiation need not end.
    """
    program = _entity_program(
        2 * size,
        {f"{kind}{i}": 1 for i in range(size) for kind in "pq"} | {"r": 2},
        knowledge_base=[
            text
            for i in range(size)
            for text in (
                f"ForAll([x: Entity], Implies(p{i}(x), Exists([y: Entity], And(q{i}(y), r(x, y)))))",
                f"ForAll([x: Entity], Implies(q{i}(x), Exists([y: Entity], And(p{i}(y), r(x, y)))))",
                f"ForAll([x: Entity], Implies(q{i}(x), Not(p{i}(x))))",
                f"p{i}(e{2 * i})",
                f"q{i}(e{2 * i + 1})",
            )
        ],
        verifications=[{"name": "goal", "constraint": "r(e0, e1)"}],
    )
    return Workload("alternating", size, program, ("undetermined",))


def transitive(size: int) -> Workload:
    """A transitive relation over a chain of `size` constants: from first to last, and back."""
    program = _entity_program(
        size,
        {"path": 2},
        knowledge_base=[f"path(e{i}, e{i + 1})" for i in range(size - 1)],
        rules=[_rule("And(path(x, y), path(y, z))", "path(x, z)", "x y z")],
        verifications=[
            {"name": "there", "constraint": f"path(e0, e{size - 1})"},
            {"name": "back", "constraint": f"path(e{size - 1}, e0)"},
        ],
    )
    return Workload("transitive", size, program, ("entailed", "undetermined"))


def pigeonhole(size: int) -> Workload:
    """One pigeon more than the `size` holes, each in some hole; two in one hole raise the alarm."""
    pigeons, holes = range(size + 1), range(size)
    program: ProgramJson = {
        "sorts": [{"name": "Pigeon", "type": "DeclareSort"}, {"name": "Hole", "type": "DeclareSort"}],
        "functions": [{"name": "inside", "domain": ["Pigeon", "Hole"], "range": "BoolSort"}],
        "constants": {
            "pigeons": {"sort": "Pigeon", "members": [f"p{i}" for i in pigeons]},
            "holes": {"sort": "Hole", "members": [f"h{j}" for j in holes]},
            "flags": {"sort": "BoolSort", "members": ["alarm"]},
        },
        "knowledge_base": [
            f"Distinct({', '.join(f'p{i}' for i in pigeons)})",
            *(f"Or({', '.join(f'inside(p{i}, h{j})' for j in holes)})" for i in pigeons),
            "ForAll([x: Pigeon, y: Pigeon, h: Hole], "
            "Implies(And(x != y, inside(x, h), inside(y, h)), alarm))",
        ],
        "verifications": [{"name": "shared", "constraint": "alarm"}],
    }
    return Workload("pigeonhole", size, program, ("entailed",))


def seating(size: int) -> Workload:
    """A puzzle: `size` people on as many seats, in an order that leaves the first two open alone."""
    last = size - 1
    program = _entity_program(
        size,
        {},
        knowledge_base=[
            f"Distinct({', '.join(f'seat(e{i})' for i in range(size))})",
            f"ForAll([x: Entity], And(seat(x) >= 1, seat(x) <= {size}))",
            *(f"seat(e{i}) < seat(e{i + 1})" for i in range(1, last)),
            "seat(e0) < seat(e2)",
        ],
        verifications=[
            {"name": "last", "constraint": f"seat(e{last}) == {size}"},
            {"name": "first", "constraint": "seat(e0) == 1"},
            {"name": "never", "constraint": "seat(e0) == 3"},
        ],
    )
    program["functions"].append({"name": "seat", "domain": ["Entity"], "range": "IntSort"})
    return Workload("seating", size, program, ("entailed", "undetermined", "refuted"))


def coloring(size: int) -> Workload:
    """A circle of `size` nodes, each of three colours unlike its neighbours': open but for an edge's ends."""
    colors = ("red(x)", "green(x)", "blue(x)")
    pairs = [(one, other) for place, one in enumerate(colors) for other in colors[:place]]
    same = [f"And({each}, {each.replace('x', 'y')})" for each in colors]
    program = _entity_program(
        size,
        {"red": 1, "green": 1, "blue": 1, "edge": 2},
        knowledge_base=[
            *(f"edge(e{i}, e{(i + 1) % size})" for i in range(size)),
            f"ForAll([x: Entity], Or({', '.join(colors)}))",
            *(f"ForAll([x: Entity], Not(And({one}, {other})))" for one, other in pairs),
            f"ForAll([x: Entity, y: Entity], Implies(edge(x, y), Not(Or({', '.join(same)}))))",
        ],
        verifications=[
            {"name": "like", "constraint": "And(red(e0), red(e1))"},
            {"name": "far", "constraint": f"And(red(e0), red(e{size // 2}))"},
        ],
    )
    return Workload("coloring", size, program, ("refuted", "undetermined"))


def policy(size: int) -> Workload:
    """`size` rules in layers over twenty entities and fifty features, asked for every atom of the layers."""
    rng = random.Random(size)
    entities, features = range(20), range(50)
    bodies = [(rng.randrange(number + 1), rng.randrange(50)) for number in range(size)]
    has = [[rng.random() < 0.6 for _ in features] for _ in entities]
    program = _entity_program(
        len(entities),
        {f"p{i}": 1 for i in range(size + 1)} | {f"q{j}": 1 for j in features},
        knowledge_base=[
            *(f"p0(e{e})" for e in entities),
            *(f"q{j}(e{e})" for e in entities for j in features if has[e][j]),
        ],
        rules=[
            _rule(f"And(p{layer}(x), q{feature}(x))", f"p{number + 1}(x)")
            for number, (layer, feature) in enumerate(bodies)
        ],
        verifications=[
            {"name": f"{number} {e}", "constraint": f"p{number}(e{e})"}
            for number in range(size + 1)
            for e in entities
        ],
    )
    derived = [[True] * len(entities)]
    for layer, feature in bodies:
        derived.append([derived[layer][e] and has[e][feature] for e in entities])
    flat = (fits for row in derived for fits in row)
    return Workload("policy", size, program, tuple("entailed" if fits else "undetermined" for fits in flat))


GENERATORS: dict[str, tuple[Callable[[int], Workload], tuple[int, ...]]] = {
    "facts": (facts, (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)),
    "ruled": (ruled, (250, 500, 1_000, 2_000)),
    "chain": (chain, (100, 200, 400, 800, 1_600)),
    "reach": (reach, (12, 25, 50, 100)),
    "deep": (deep, (60, 120, 240, 480, 900)),
    "arithmetic": (arithmetic, (60, 120, 240, 480, 900)),
    "seats": (seats, (5, 10, 20, 40)),
    "rules": (rules, (100, 200, 400, 800, 1_600)),
    "claims": (claims, (25, 50, 100, 200)),
}
"""Generators by name, with the sizes that are run unless others are asked for."""

ROUTE_FAMILIES: dict[str, tuple[Callable[[int], Workload], tuple[int, ...]]] = {
    "alternating": (alternating, (1, 2, 4, 8)),
    "transitive": (transitive, (10, 100, 1_000)),
    "pigeonhole": (pigeonhole, (3, 5, 7, 9)),
    "seating": (seating, (4, 6, 8)),
    "coloring": (coloring, (5, 9, 15)),
}
"""What `routes` runs besides cases, with the sizes."""
