"""Small random problems with their derivations, for synthetic traces.

Each problem decides by itself which literals it entails and refutes, without a solver.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from random import Random
from typing import Any, Literal, NamedTuple

from potlang.ir.graphs import reachable_from
from potlang.languages.dot.read.json_line import json_line
from potlang.report.results import Verdict

Json = Any
Kind = Literal["horn", "arithmetic"]

_STEMS = (
    *("alarm", "belt", "brake", "cable", "clamp", "cooler", "door", "drain", "fan", "filter", "fuse"),
    *("gate", "heater", "hoist", "lamp", "latch", "motor", "panel", "pump", "relay", "rotor", "sensor"),
    *("tank", "valve"),
)
_STATES = ("ready", "open", "warm", "sealed", "locked", "active", "clean", "loaded")
_QUANTITIES = (
    *("apples", "boxes", "cards", "coins", "crates", "days", "eggs", "fares", "guests", "hours", "jars"),
    *("keys", "lamps", "meters", "nails", "orders", "plates", "rooms", "seats", "tickets", "units"),
    *("votes", "watts"),
)


class SolvedStep(NamedTuple):
    """A correct step: its proposition, the numbers of its premises, the same in words, and the reason."""

    claim: Json
    premises: tuple[int, ...]
    words: str
    reason: str


class Wrong(NamedTuple):
    """A wrong proposal: its proposition, the same in words, and the critic's objection."""

    claim: Json
    words: str
    reason: str


class Restated(NamedTuple):
    """An equivalent proposition, the same in words, and the atoms that it states."""

    claim: Json
    words: str
    atoms: tuple[Json, ...]


class SolvedProblem(ABC):
    """A problem with the steps that solve it, the last of which is the answer.

    `question` is it in words, `declare` are the names with their sorts, `assume` the assumptions. `steps`
    are the derivation; each comes after those it rests on.
    """

    question: str
    declare: Mapping[str, Json]
    assume: Sequence[Json]
    steps: Sequence[SolvedStep]

    @abstractmethod
    def wrong(self, step: SolvedStep, random: Random) -> Wrong:
        """A proposal in place of a step that the assumptions do not entail."""

    @abstractmethod
    def restated(self, step: SolvedStep) -> Restated:
        """The same as a step, by another proposition."""

    @abstractmethod
    def verdict(self, literal: Json) -> Verdict:
        """The verdict on a literal over the problem's atoms."""

    @abstractmethod
    def atoms(self, claims: Iterable[Json]) -> list[Json]:
        """The atoms whose truth a summary of these propositions is asked about."""

    @abstractmethod
    def _step(self, name: str, numbers: Mapping[str, int]) -> SolvedStep:
        """The step to a name, from those to other names by their numbers."""

    def _steps(self, names: Iterable[str]) -> tuple[list[SolvedStep], dict[str, int]]:
        """The steps to some names, each behind those that it needs, and their numbers."""
        steps: list[SolvedStep] = []
        numbers: dict[str, int] = {}
        for name in names:
            numbers[name] = len(steps)
            steps.append(self._step(name, numbers))
        return steps, numbers


def make_problem(kind: Kind, depth: int, width: int, random: Random) -> SolvedProblem:
    """A problem whose derivation has `depth` layers of at most `width` steps."""
    return (_Horn if kind == "horn" else _Arithmetic)(depth, width, random)


def _opposite(verdict: Verdict) -> Verdict:
    swapped = {Verdict.ENTAILED: Verdict.REFUTED, Verdict.REFUTED: Verdict.ENTAILED}
    return swapped.get(verdict, verdict)


def _layers(stems: Iterable[str], count: int, width: int, random: Random) -> list[list[str]]:
    """Layers of different names, numbered once the stems are used up."""
    known = list(stems)
    random.shuffle(known)
    names = [
        known[i % len(known)] + (f"_{i // len(known) + 1}" if i >= len(known) else "")
        for i in range(count * width)
    ]
    return [names[at : at + width] for at in range(0, len(names), width)]


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


class _Rule(NamedTuple):
    body: tuple[str, ...]
    head: str

    @property
    def words(self) -> str:
        return f"if {_listed(self.body)}, then {self.head}"


class _Horn(SolvedProblem):
    """Facts, rules and denials over truth values.

    Rules lead from layer to layer. Other atoms are heads of rules that never apply, and some of them
    are denied together with an atom that holds.
    """

    def __init__(self, depth: int, width: int, random: Random) -> None:
        stems = [f"{stem}_{state}" for stem in _STEMS for state in _STATES]
        *self._layers, self._others = _layers(stems, depth + 2, width, random)
        self._rules = {
            name: self._rule(name, layer, random)
            for layer in range(1, depth + 1)
            for name in self._layers[layer]
        }
        holding = [name for layer in self._layers for name in layer]
        # The bodies of these rules have an atom that nothing gives.
        pairs = zip(self._others[::2], self._others[1::2], strict=False)
        self._open = [_Rule((random.choice(holding), missing), head) for head, missing in pairs]
        self._denied = {name: random.choice(holding) for name in self._others[::2] if random.random() < 0.5}
        rules = [*self._rules.values(), *self._open]
        self.steps = self._derivation(random)
        self.question = self._question(rules)
        self.declare = dict.fromkeys([*holding, *self._others], "Bool")
        self.assume = [
            *self._layers[0],
            *({"implies": [_joined(rule.body), rule.head]} for rule in rules),
            *({"not": {"and": [b, a]}} for a, b in self._denied.items()),
        ]

    def _rule(self, head: str, layer: int, random: Random) -> _Rule:
        below = self._layers[layer - 1]
        body = random.sample(below, random.randint(1, min(3, len(below))))
        if layer > 1 and random.random() < 0.3:
            body.append(random.choice(self._layers[random.randrange(layer - 1)]))
        return _Rule(tuple(body), head)

    def _question(self, rules: Sequence[_Rule]) -> str:
        goal = _words(self.steps[-1].claim)
        told = ". ".join(rule.words.capitalize() for rule in rules)
        denials = "".join(f" Never {b} and {a} together." for a, b in self._denied.items())
        return f"Given: {_listed(self._layers[0])}. {told}.{denials} Is it so that {goal}?"

    # --- the derivation --------------------------------------------------------------------------

    def _derivation(self, random: Random) -> list[SolvedStep]:
        """The steps to the goal: an atom of the last layer, or the negation of one that is denied."""
        denied = random.choice([*self._denied]) if self._denied and random.random() < 0.3 else None
        goal = random.choice(self._layers[-1]) if denied is None else self._denied[denied]
        needed = reachable_from([goal], self._body)
        steps, numbers = self._steps(name for layer in self._layers for name in layer if name in needed)
        if denied is not None:
            words = f"Never {goal} and {denied} together, and {goal} holds: not {denied}."
            steps.append(SolvedStep({"not": denied}, (numbers[goal],), words, f"{goal} excludes {denied}."))
        return steps

    def _body(self, name: str) -> tuple[str, ...]:
        """The atoms that give another; none for one that is given itself."""
        return self._rules[name].body if name in self._rules else ()

    def _step(self, name: str, numbers: Mapping[str, int]) -> SolvedStep:
        rule = self._rules.get(name)
        if rule is None:
            return SolvedStep(name, (), f"It is given that {name}.", "That is given.")
        premises = tuple(numbers[each] for each in rule.body)
        words = f"From {_listed(rule.body)} follows {name}."
        return SolvedStep(name, premises, words, f"The rule applies: {rule.words}.")

    # --- what is wrong, and what is true -----------------------------------------------------------

    def wrong(self, step: SolvedStep, random: Random) -> Wrong:
        if random.random() < 0.3:
            claim = step.claim["not"] if isinstance(step.claim, dict) else {"not": step.claim}
        else:
            claim = random.choice(self._others)
            if self.verdict(claim) is Verdict.ENTAILED:
                claim = {"not": claim}
        # A denied fact of the first layer is refuted whatever was drawn.
        if claim == step.claim or self.verdict(claim) is Verdict.ENTAILED:
            claim = {"not": self._layers[0][0]}
        reason = "what is given refutes it" if self.verdict(claim) is Verdict.REFUTED else "no rule gives it"
        return Wrong(
            claim, f"It seems that {_words(claim)}.", f"It does not follow that {_words(claim)}: {reason}."
        )

    def restated(self, step: SolvedStep) -> Restated:
        if isinstance(step.claim, dict):
            atom = step.claim["not"]
            return Restated({"implies": [atom, step.claim]}, f"Even if {atom}, not {atom}.", (atom,))
        claim = {"not": {"not": step.claim}}
        return Restated(claim, f"It cannot be that not {step.claim}.", (step.claim,))

    def verdict(self, literal: Json) -> Verdict:
        if isinstance(literal, dict):
            return _opposite(self.verdict(literal["not"]))
        if literal not in self._others:
            return Verdict.ENTAILED
        # What else would hold if the atom did: its open rule would apply.
        held = {literal, *(rule.head for rule in self._open if literal in rule.body)}
        return Verdict.UNDETERMINED if held.isdisjoint(self._denied) else Verdict.REFUTED

    def atoms(self, claims: Iterable[Json]) -> list[Json]:
        return list(self.declare)


def _words(literal: Json) -> str:
    return f"not {literal['not']}" if isinstance(literal, dict) else str(literal)


def _joined(body: Sequence[str]) -> Json:
    return body[0] if len(body) == 1 else {"and": list(body)}


class _ValueRange(NamedTuple):
    """The values that a quantity can have."""

    low: int
    high: float


_SIGNS = {"eq": "=", "ge": "≥", "gt": ">", "le": "≤", "lt": "<"}
_RANGES: Mapping[str, Callable[[int], tuple[float, float]]] = {
    "eq": lambda number: (number, number),
    "ge": lambda number: (number, inf),
    "gt": lambda number: (number + 1, inf),
    "le": lambda number: (-inf, number),
    "lt": lambda number: (-inf, number - 1),
}
"""The whole numbers of which a comparison with a number holds."""


class _Arithmetic(SolvedProblem):
    """Quantities that are given, computed from others, or only bounded from below."""

    def __init__(self, depth: int, width: int, random: Random) -> None:
        *self._layers, self._bounded = _layers(_QUANTITIES, depth + 2, width, random)
        self._values: dict[str, _ValueRange] = {}
        self._given: dict[str, tuple[Json, str, tuple[str, ...]]] = {}
        """Of each quantity what is given, in JSON and in words, and the quantities in it."""
        for number, layer in enumerate(self._layers):
            for name in layer:
                self._compute(name, number, random)
        for name in self._bounded:
            self._bound(name, random)
        self.steps = self._derivation(random)
        told = ". ".join(words for _, words, _ in self._given.values())
        self.question = f"Given: {told}. Is it so that {_compared(self.steps[-1].claim)}?"
        self.declare = dict.fromkeys(self._values, "Int")
        self.assume = [given for given, _, _ in self._given.values()]

    def _compute(self, name: str, layer: int, random: Random) -> None:
        if layer == 0:
            value = random.randint(1, 20)
            self._set(name, value, {"eq": [name, value]}, f"{name} = {value}", ())
            return
        first = random.choice(self._layers[layer - 1])
        second = random.choice(self._layers[random.randrange(layer)])
        a, b, constant = self._values[first].low, self._values[second].low, random.randint(2, 9)
        choices: list[tuple[int, Json, str, tuple[str, ...]]] = [
            (a + constant, {"add": [first, constant]}, f"{first} + {constant}", (first,)),
            (a - constant, {"sub": [first, constant]}, f"{first} - {constant}", (first,)),
            (2 * a, {"mul": [2, first]}, f"2 * {first}", (first,)),
            (a + b, {"add": [first, second]}, f"{first} + {second}", (first, second)),
        ]
        value, term, words, names = random.choice(choices)
        self._set(name, value, {"eq": [name, term]}, f"{name} = {words}", tuple(dict.fromkeys(names)))

    def _set(self, name: str, value: int, given: Json, words: str, names: tuple[str, ...]) -> None:
        self._values[name] = _ValueRange(value, value)
        self._given[name] = given, words, names

    def _bound(self, name: str, random: Random) -> None:
        other = random.choice(self._layers[-1])
        self._values[name] = _ValueRange(self._values[other].low, inf)
        self._given[name] = {"ge": [name, other]}, f"{name} ≥ {other}", (other,)

    # --- the derivation --------------------------------------------------------------------------

    def _derivation(self, random: Random) -> list[SolvedStep]:
        """The values that the goal needs, and the goal: a bound on a quantity."""
        goal = random.choice([*self._layers[-1], *self._bounded])
        needed = reachable_from([goal], lambda name: self._given[name][2])
        steps, numbers = self._steps(name for name in self._values if name in needed)
        bound = {"gt": [goal, self._values[goal].low - random.randint(1, 3)]}
        words = f"Then {_compared(bound)}."
        return [
            *steps,
            SolvedStep(bound, (numbers[goal],), words, f"{_compared(steps[-1].claim)} is more than enough."),
        ]

    def _step(self, name: str, numbers: Mapping[str, int]) -> SolvedStep:
        _, given, names = self._given[name]
        value = self._values[name]
        claim = {"eq" if value.high == value.low else "ge": [name, value.low]}
        premises = tuple(numbers[each] for each in names)
        if not names:
            return SolvedStep(claim, premises, f"It is given that {given}.", "That is given.")
        words = f"Since {given}, {_compared(claim)}."
        return SolvedStep(claim, premises, words, f"Computed again: {_compared(claim)}.")

    # --- what is wrong, and what is true -----------------------------------------------------------

    def wrong(self, step: SolvedStep, random: Random) -> Wrong:
        [(key, (name, value))] = step.claim.items()
        off = random.randint(1, 5)
        claim: Json = (
            {"eq": [name, value + random.choice([-off, off])]} if key == "eq" else {"ge": [name, value + 100]}
        )
        if self.verdict(claim) is Verdict.ENTAILED:
            claim = {"lt": [name, self._values[name].low]}
        reason = "that is not the value" if self.verdict(claim) is Verdict.REFUTED else "it may be less"
        return Wrong(
            claim, f"I think that {_compared(claim)}.", f"{_compared(claim)} does not follow: {reason}."
        )

    def restated(self, step: SolvedStep) -> Restated:
        [(key, (name, number))] = step.claim.items()
        if key == "eq":
            bounds: tuple[Json, ...] = ({"ge": [name, number]}, {"le": [name, number]})
            return Restated({"and": list(bounds)}, f"So {number} ≤ {name} ≤ {number}.", bounds)
        # Over whole numbers, more than n is at least n + 1.
        claim = {"gt": [name, number - 1]} if key == "ge" else {"ge": [name, number + 1]}
        return Restated(claim, f"That is, {_compared(claim)}.", (claim,))

    def verdict(self, literal: Json) -> Verdict:
        [(key, operands)] = literal.items()
        if key == "not":
            return _opposite(self.verdict(operands))
        name, number = operands
        low, high = self._values[name]
        least, most = _RANGES[key](number)
        if least <= low and high <= most:
            return Verdict.ENTAILED
        return Verdict.REFUTED if high < least or most < low else Verdict.UNDETERMINED

    def atoms(self, claims: Iterable[Json]) -> list[Json]:
        return list({json_line(each, canonical=True): each for each in claims}.values())


def _compared(literal: Json) -> str:
    [(key, (name, number))] = literal.items()
    return f"{name} {_SIGNS[key]} {number}"
