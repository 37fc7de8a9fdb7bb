"""Translations over small finite vocabularies, and what they mean by trying every world.

Nothing here is potlang's: formulas are tuples, worlds are dictionaries, and a text is printed for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product
from random import Random
from typing import Any, NamedTuple

Formula = tuple[Any, ...]
World = dict[tuple[str, ...], Any]
KINDS = ("red", "blue")
ANONYMOUS = "?"
"""A thing that no name means: domains are never empty."""


class Told(NamedTuple):
    """A translation: its individuals, premises and claims."""

    individuals: tuple[str, ...]
    premises: tuple[Formula, ...]
    claims: tuple[Formula, ...]

    def to_dict(self, words: str) -> dict[str, Any]:
        """As models write it."""
        return {
            "individuals": [{"name": name, "sort": "Item"} for name in self.individuals],
            "premises": [{"formula": text(each), "words": [words]} for each in self.premises],
            "claims": [{"formula": text(each), "words": [words]} for each in self.claims],
        }

    def renamed(self, names: Mapping[str, str]) -> Told:
        """The same under other names."""
        changed = ([named(each, names) for each in part] for part in (self.premises, self.claims))
        return Told(tuple(names.get(each, each) for each in self.individuals), *map(tuple, changed))


class SmallPolicy(NamedTuple):
    """Rules over the things that there are; `closed`: these are the constants and individuals alone."""

    closed: bool
    constants: tuple[str, ...]
    rules: tuple[Formula, ...]

    def program(self) -> dict[str, Any]:
        """The policy as a program."""
        semantics = {"closed_domain": True, "unique_names": True} if self.closed else {}
        groups = {"items": {"sort": "Item", "members": list(self.constants)}} if self.constants else {}
        return {
            "sorts": [
                {"name": "Item", "type": "DeclareSort"},
                {"name": "Kind", "type": "EnumSort", "values": list(KINDS)},
            ],
            "functions": [
                *({"name": name, "domain": ["Item"], "range": "Bool"} for name in ("p", "q")),
                {"name": "kind", "domain": ["Item"], "range": "Kind"},
            ],
            "constants": {**groups, "flags": {"sort": "Bool", "members": ["flag"]}},
            "knowledge_base": [text(each) for each in self.rules],
            "semantics": semantics,
        }

    def worlds(self, individuals: Sequence[str], *, ruled: bool = True) -> Iterator[World]:
        """Every world of the policy with these individuals; without `ruled`, of its words alone."""
        things = [*self.constants, *individuals, *([] if self.closed else [ANONYMOUS])]
        cells = [("flag",), *((name, each) for each in things for name in ("p", "q", "kind"))]
        values = [KINDS if cell[0] == "kind" else (False, True) for cell in cells]
        for chosen in product(*values):
            world: World = dict(zip(cells, chosen, strict=True))
            if not ruled or all(holds(each, world, things) for each in self.rules):
                yield world


# --- formulas ----------------------------------------------------------------------------------------


def text(formula: Formula) -> str:
    """A formula as potlang reads it."""
    match formula:
        case ("flag",):
            return "flag"
        case ("p" | "q" as name, term):
            return f"{name}({term})"
        case ("kind", term, value):
            return f"kind({term}) == {value}"
        case ("eq", left, right):
            return f"{left} == {right}"
        case ("not", inner):
            return f"not ({text(inner)})"
        case ("all" | "some" as how, variable, inner):
            return f"{'ForAll' if how == 'all' else 'Exists'}([{variable}: Item], {text(inner)})"
        case (sign, left, right):
            return f"({text(left)}) {sign} ({text(right)})"
    raise ValueError(formula)


def named(formula: Formula, names: Mapping[str, str]) -> Formula:
    """The formula about others; bound variables are never among the names."""
    return tuple(
        named(each, names) if isinstance(each, tuple) else names.get(each, each) if at else each
        for at, each in enumerate(formula)
    )


def holds(formula: Formula, world: World, things: Sequence[str], bound: Mapping[str, str] = {}) -> bool:
    """Whether a formula is true in a world."""
    match formula:
        case ("flag",):
            return bool(world["flag",])
        case ("p" | "q" as name, term):
            return bool(world[name, bound.get(term, term)])
        case ("kind", term, value):
            return bool(world["kind", bound.get(term, term)] == value)
        case ("eq", left, right):
            return bound.get(left, left) == bound.get(right, right)
        case ("not", inner):
            return not holds(inner, world, things, bound)
        case ("all" | "some" as how, variable, inner):
            found = (holds(inner, world, things, {**bound, variable: each}) for each in things)
            return all(found) if how == "all" else any(found)
        case (sign, left, right):
            one, other = (holds(each, world, things, bound) for each in (left, right))
            return {"and": one and other, "or": one or other, "->": not one or other}[sign]
    raise ValueError(formula)


# --- the meaning -------------------------------------------------------------------------------------


def same(policy: SmallPolicy, first: Told, second: Told) -> bool:
    """Whether two translations mean the same, by definition."""
    if bool(first.claims) is not bool(second.claims):
        return False
    counts = len(first.individuals), len(second.individuals)
    if policy.closed and counts[0] != counts[1]:
        return False
    more = [f"extra{at}" for at in range(max(0, counts[1] - counts[0]))]
    places = [*first.individuals, *more]
    return any(
        _same_named(policy, first, second.renamed(dict(zip(second.individuals, chosen, strict=True))), places)
        for chosen in permutations(places, counts[1])
    )


def _same_named(policy: SmallPolicy, first: Told, second: Told, individuals: Sequence[str]) -> bool:
    worlds = list(policy.worlds(individuals))
    ours, theirs = (_where(each.premises, worlds) for each in (first, second))
    if ours != theirs:
        return False
    if not ours and {*first.premises} != {*second.premises}:
        return _same_without_rules(policy, first, second, individuals)
    left = [worlds[at] for at in sorted(ours)]
    return _where(first.claims, left) == _where(second.claims, left)


def _same_without_rules(policy: SmallPolicy, first: Told, second: Told, individuals: Sequence[str]) -> bool:
    """Where the premises contradict the rules: by their own meaning, then premise by premise."""
    worlds = list(policy.worlds(individuals, ruled=False))
    ours, theirs = (_where(each.premises, worlds) for each in (first, second))
    if ours or theirs:
        return ours == theirs
    each_of = [{frozenset(_where([one], worlds)) for one in side.premises} for side in (first, second)]
    return each_of[0] == each_of[1]


def _where(formulas: Sequence[Formula], worlds: Sequence[World]) -> set[int]:
    """The numbers of the worlds in which all of the formulas hold."""
    return {
        at
        for at, world in enumerate(worlds)
        if all(holds(each, world, [cell[1] for cell in world if cell[0] == "p"]) for each in formulas)
    }


# --- drawn at random ---------------------------------------------------------------------------------


def drawn(random: Random, count: int) -> tuple[SmallPolicy, list[Told]]:
    """A policy and translations, of which some are others written otherwise."""
    closed = random.random() < 0.4
    constants = ("a", "b") if closed else random.choice([(), ("a",)])
    rules = tuple(("all", "v", _formula(random, ["v", *constants], depth=2, closed=False)) for _ in range(2))
    policy = SmallPolicy(closed, constants, rules)
    found: list[Told] = []
    while len(found) < count:
        if found and random.random() < 0.6:
            found.append(_otherwise(random, random.choice(found)))
        else:
            found.append(_told(random, policy))
    return policy, found


def _told(random: Random, policy: SmallPolicy) -> Told:
    individuals = tuple(random.sample(["i", "j"], random.randrange(2 if policy.closed else 3)))
    terms = [*policy.constants, *individuals]
    premises = tuple(_formula(random, terms, 1, policy.closed) for _ in range(random.randrange(3)))
    claims = tuple(_formula(random, terms, 1, policy.closed) for _ in range(random.choice([0, 1, 1, 1, 2])))
    told = Told((), premises, claims)
    spoken = {name for each in (*premises, *claims) for name in _terms(each)}
    return told._replace(individuals=tuple(each for each in individuals if each in spoken))


def _otherwise(random: Random, told: Told) -> Told:
    """The same under other names and in other words, or nearly so."""
    names = dict(zip(told.individuals, random.sample(["i", "j", "k"], len(told.individuals)), strict=True))
    premises = [_turned(random, each) for each in told.premises]
    random.shuffle(premises)
    claims = [_turned(random, each) for each in told.claims]
    if random.random() < 0.3 and claims:
        claims[0] = ("not", claims[0])
    return Told(told.individuals, tuple(premises), tuple(claims)).renamed(names)


def _turned(random: Random, formula: Formula) -> Formula:
    match formula, random.randrange(3):
        case ("and" | "or" as sign, left, right), 0:
            return sign, right, left
        case ("->", left, right), 0:
            return "->", ("not", right), ("not", left)
        case _, 1:
            return "not", ("not", formula)
    return formula


def _formula(random: Random, terms: Sequence[str], depth: int, closed: bool) -> Formula:
    if depth and random.random() < 0.7:
        how = random.choice(["and", "or", "->", "not", *(["all", "some"] if closed else [])])
        if how == "not":
            return how, _formula(random, terms, depth - 1, closed)
        if how in ("all", "some"):
            return how, "v", _formula(random, [*terms, "v"], depth - 1, False)
        return how, *(_formula(random, terms, depth - 1, closed) for _ in range(2))
    if not terms or random.random() < 0.2:
        return ("flag",)
    term = random.choice(terms)
    if closed and random.random() < 0.15:
        return "eq", term, random.choice(terms)
    if random.random() < 0.3:
        return "kind", term, random.choice(KINDS)
    return random.choice(["p", "q"]), term


def _terms(formula: Formula) -> Iterator[str]:
    for each in formula[1:]:
        if isinstance(each, tuple):
            yield from _terms(each)
        else:
            yield each
