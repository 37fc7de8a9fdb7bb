"""Random policies over a sort of two things, and their gaps and overlaps by trying all interpretations.

Nothing here uses potlang: formulas are Python values, and an interpretation is a dictionary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product
from random import Random
from typing import Any, NamedTuple

THINGS = ("left", "right")
COLOURS = ("red", "green", "blue")
Interpretation = dict[tuple[str, ...], Any]
Formula = tuple[Any, ...]
"""`("atom", name, argument)`, `("is", argument, thing)`, `("not", f)`, `("and" or "or", f, g)`."""


class FiniteRule(NamedTuple):
    """`condition` has `conclusion`; with `both_ways` it is an equivalence. Arguments are things, or `x`."""

    name: str
    condition: Formula | None
    head: tuple[str, str]
    value: Any
    holds: bool
    both_ways: bool = False

    def sides(self) -> list[FiniteRule]:
        """The rule as implications."""
        if not self.both_ways:
            return [self]
        assert self.condition is not None
        turned = self._replace(condition=("not", self.condition), holds=not self.holds, both_ways=False)
        return [self._replace(both_ways=False), turned]


def formula_text(formula: Formula) -> str:
    """A formula as a program writes it."""
    match formula:
        case ("atom", name, ""):
            return str(name)
        case ("atom", name, argument):
            return f"{name}({argument})"
        case ("is", argument, thing):
            return f"{argument} == {thing}"
        case ("not", inner):
            return f"not ({formula_text(inner)})"
        case (sign, left, right):
            return f"({formula_text(left)}) {sign} ({formula_text(right)})"
    raise ValueError(formula)


def atoms_of(formula: Formula | None) -> Iterator[Formula]:
    """Its atoms."""
    if formula is None:
        return
    if formula[0] in ("atom", "is"):
        yield formula
    else:
        for part in formula[1:]:
            yield from atoms_of(part)


def truth(formula: Formula | None, model: Interpretation, x: str) -> bool:
    """Whether a formula is true of x."""
    match formula:
        case None:
            return True
        case ("atom", name, argument):
            return bool(model[name, x if argument == "x" else argument])
        case ("is", argument, thing):
            return (x if argument == "x" else argument) == thing
        case ("not", inner):
            return not truth(inner, model, x)
        case ("and", left, right):
            return truth(left, model, x) and truth(right, model, x)
        case ("or", left, right):
            return truth(left, model, x) or truth(right, model, x)
    raise ValueError(formula)


def concluded(rule: FiniteRule, model: Interpretation, x: str) -> bool:
    """Whether what a rule concludes of x is true."""
    name, argument = rule.head
    found = model[name, x if argument == "x" else argument] == rule.value
    return found is rule.holds


def holds_in(rule: FiniteRule, model: Interpretation) -> bool:
    """Whether a rule is true."""
    return all(
        not truth(side.condition, model, x) or concluded(side, model, x)
        for side in rule.sides()
        for x in THINGS
    )


class FinitePolicy(NamedTuple):
    """Rules over the predicates `a` and `b` of things, `q` of nothing, and the function that is decided."""

    decided: str
    rules: tuple[FiniteRule, ...]

    def program(self) -> dict[str, Any]:
        """The policy as a program."""
        is_colour = self.decided == "colour"
        functions = [{"name": name, "domain": ["Thing"], "range": "Bool"} for name in ("a", "b")]
        functions.append({"name": "q", "domain": [], "range": "Bool"})
        functions.append(
            {"name": self.decided, "domain": ["Thing"], "range": "Colour" if is_colour else "Bool"}
        )
        return {
            "sorts": [
                {"name": "Thing", "type": "EnumSort", "values": list(THINGS)},
                {"name": "Colour", "type": "EnumSort", "values": list(COLOURS)},
            ],
            "functions": functions,
            "rules": [_item(each) for each in self.rules],
        }

    def models(self, without: frozenset[str] = frozenset()) -> list[Interpretation]:
        """All interpretations in which the rules are true, but for some of these."""
        kept = [each for each in self.rules if each.name not in without]
        return [model for model in self._interpretations() if all(holds_in(rule, model) for rule in kept)]

    def _interpretations(self) -> Iterator[Interpretation]:
        keys = [("a", thing) for thing in THINGS] + [("b", thing) for thing in THINGS] + [("q", "")]
        values: tuple[Any, ...] = COLOURS if self.decided == "colour" else (False, True)
        own = [(self.decided, thing) for thing in THINGS]
        for plain in product((False, True), repeat=len(keys)):
            for decided in product(values, repeat=len(own)):
                yield dict(zip((*keys, *own), (*plain, *decided), strict=True))

    def _sides(self, name: str) -> list[FiniteRule]:
        return [side for rule in self.rules if rule.head[0] == name for side in rule.sides()]

    def _applies(self, side: FiniteRule, model: Interpretation, thing: str) -> bool:
        argument = side.head[1]
        if argument == "x":
            return truth(side.condition, model, thing)
        # A rule about one thing may still have a condition on any other one.
        return argument in (thing, "") and any(truth(side.condition, model, x) for x in THINGS)

    def has_gap(self, name: str) -> bool:
        """Whether there is a case in which no rule about a function applies and its value is open."""
        sides = self._sides(name)
        first = sides[0]
        seen: dict[tuple[Any, ...], set[bool]] = {}
        for model in self.models():
            for thing in THINGS if first.head[1] else ("",):
                if any(self._applies(side, model, thing) for side in sides):
                    continue
                known = tuple(
                    truth(atom, model, thing) for side in sides for atom in atoms_of(side.condition)
                )
                says = (model[name, thing] == first.value) is first.holds
                seen.setdefault((thing, known), set()).add(says)
        return any(len(each) == 2 for each in seen.values())

    def overlaps(self) -> Iterator[tuple[str, frozenset[str], bool]]:
        """The kind of each pair of sides of two rules about one function, and whether there is a case."""
        for one, other in combinations(self.rules, 2):
            for left, right in product(one.sides(), other.sides()):
                kind = _kind(left, right)
                if left.head[0] == right.head[0] and kind is not None:
                    without = frozenset((one.name, other.name)) if kind == "conflict" else frozenset()
                    found = any(
                        self._applies(left, model, thing) and self._applies(right, model, thing)
                        for model in self.models(without)
                        for thing in (THINGS if left.head[1] else ("",))
                    )
                    yield kind, frozenset((one.name, other.name)), found


def _kind(left: FiniteRule, right: FiniteRule) -> str | None:
    if (left.value, left.holds) == (right.value, right.holds):
        return "agreement"
    if left.value == right.value or (left.holds and right.holds):
        return "conflict"
    return None


def _item(rule: FiniteRule) -> dict[str, Any]:
    name, argument = rule.head
    term = f"{name}({argument})" if argument else name
    said = term if isinstance(rule.value, bool) else f"{term} == {rule.value}"
    said = said if rule.holds else f"not ({said})"
    if rule.condition is None:
        text = said
    elif rule.both_ways:
        text = f"({said}) <-> ({formula_text(rule.condition)})"
    else:
        text = f"({formula_text(rule.condition)}) -> ({said})"
    return {"name": rule.name, "forall": [{"name": "x", "sort": "Thing"}], "constraint": text}


def finite_policy(random: Random) -> FinitePolicy:
    """A random policy: rules that decide something, and one or none about what is given."""
    decided = random.choice(("allowed", "colour"))
    rules = [_rule(random, f"rule {at}", decided) for at in range(random.randint(1, 4))]
    if random.random() < 0.5:
        given = FiniteRule("given", _formula(random, 1, ("b", "q")), ("a", "x"), True, random.random() < 0.5)
        rules.append(given)
    return FinitePolicy(decided, tuple(rules))


def _rule(random: Random, name: str, decided: str) -> FiniteRule:
    condition = None if random.random() < 0.05 else _formula(random, random.randint(0, 2), ("a", "b", "q"))
    value = True if decided == "allowed" else random.choice(COLOURS)
    argument = "x" if random.random() < 0.9 else random.choice(THINGS)
    holds = random.random() < (0.5 if decided == "allowed" else 0.85)
    both_ways = condition is not None and argument == "x" and random.random() < 0.1
    return FiniteRule(name, condition, (decided, argument), value, holds, both_ways)


def _formula(random: Random, depth: int, names: tuple[str, ...]) -> Formula:
    choice: Callable[..., Any] = random.choice
    if depth == 0 or random.random() < 0.2:
        kind = random.random()
        if kind < 0.1:
            return ("is", "x", choice(THINGS))
        name = choice(names)
        return ("atom", name, "" if name == "q" else "x" if kind < 0.9 else choice(THINGS))
    if random.random() < 0.25:
        return ("not", _formula(random, depth - 1, names))
    return (choice(("and", "or")), _formula(random, depth - 1, names), _formula(random, depth - 1, names))
